/* port: what a port and this machine's network stack counted while a test ran: the proof that the
 * test used the port, and the place where something was lost.
 *
 * Reads /sys/class/net/NAME and /proc below a root folder ("" is this machine). A driver that has
 * no such counter adds 0. */
#ifndef NETWORK_PORT_H
#define NETWORK_PORT_H

#include <stdbool.h>
#include <stdint.h>

#define PORT_CPUS_MAX 64u
#define PORT_TEXT_MAX 512

enum port_counter { /* as the table in port.c */
                    PORT_RX_BYTES,
                    PORT_TX_BYTES,
                    PORT_CARRIER,
                    PORT_FAULTS, /* the first of those that tell a fault */
                    PORT_COUNTERS = PORT_FAULTS + 15
};

struct port_cpu {
    uint64_t soft, all; /* ticks; soft: of interrupts, hard ones too */
};

struct port_counts {
    uint64_t value[PORT_COUNTERS];
    struct port_cpu cpus[PORT_CPUS_MAX];
};

struct port {
    const char *root, *name;
    bool is_known; /* its bytes can be read */
    struct port_counts first, last;
};

/* `name` "" or NULL: nothing is known. The strings must outlive the port. */
void port_begin(struct port *port, const char *root, const char *name);
/* Reads all counters anew into `last`. */
void port_look(struct port *port);

/* Since the beginning; a counter that was set back counts from 0. */
uint64_t port_since(const struct port *port, unsigned counter);
/* All that tell a fault, together. */
uint64_t port_faults(const struct port *port);
/* "rx_crc_errors +312, rx_dropped +2"; "none". */
void port_fault_text(const struct port *port, char into[PORT_TEXT_MAX]);
/* Where frames were lost here, and what makes that happen; false when nothing was. */
bool port_loss_place(const struct port *port, char into[PORT_TEXT_MAX]);
/* "CPU 0 spent 98 % of its time on interrupts"; false when no CPU was full of them. */
bool port_softirq(const struct port *port, char into[PORT_TEXT_MAX]);

#endif
