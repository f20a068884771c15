/* port: what a port and the stack below it counted, from the files of a made machine. */
#include "network/port.h"

#include "../grown.h"

#define STATISTIC(name) "/sys/class/net/eth0/statistics/" name

static void grow_stack(const char *softnet, const char *rcvbuf, const char *cpu0)
{
    char text[512];
    grow("/proc/net/softnet_stat", softnet);
    (void)snprintf(text, sizeof text,
                   "Ip: Forwarding DefaultTTL\nIp: 1 64\nUdp: InDatagrams NoPorts InErrors "
                   "RcvbufErrors SndbufErrors\n"
                   "Udp: 100 0 0 %s 0\nUdpLite: InDatagrams\nUdpLite: 0\n",
                   rcvbuf);
    grow("/proc/net/snmp", text);
    (void)snprintf(text, sizeof text,
                   "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 %s\ncpu1 100 0 100 800 0 0 0 0 0 0\nintr 5\n",
                   cpu0);
    grow("/proc/stat", text);
}

static void grow_port(const char *tx, const char *crc, const char *fifo)
{
    grow(STATISTIC("rx_bytes"), "5000\n");
    grow(STATISTIC("tx_bytes"), tx);
    grow("/sys/class/net/eth0/carrier_changes", "4\n");
    grow(STATISTIC("rx_crc_errors"), crc);
    grow(STATISTIC("rx_fifo_errors"), fifo);
}

static void begin(struct port *port)
{
    grow_port("1000\n", "3\n", "0\n");
    grow_stack("00000010 00000001 00000000\n00000020 0000000f 00000000\n", "7",
               "100 0 100 700 0 0 100 0 0 0");
    port_begin(port, grown_root, "eth0");
    assert_true(port->is_known);
}

static void bytes_and_carrier_since_the_beginning(void **state)
{
    (void)state;
    struct port port;
    begin(&port);
    grow(STATISTIC("tx_bytes"), "81000\n");
    grow("/sys/class/net/eth0/carrier_changes", "6\n");
    port_look(&port);
    assert_int_equal(port_since(&port, PORT_TX_BYTES), 80000);
    assert_int_equal(port_since(&port, PORT_RX_BYTES), 0);
    assert_int_equal(port_since(&port, PORT_CARRIER), 2);
    assert_int_equal(port_faults(&port), 0);
}

static void faults_have_names_a_sum_and_a_place(void **state)
{
    (void)state;
    struct port port;
    char text[PORT_TEXT_MAX];
    begin(&port);
    assert_false(port_loss_place(&port, text));
    port_fault_text(&port, text);
    assert_string_equal(text, "none");
    grow(STATISTIC("rx_crc_errors"), "15\n");
    grow_stack("00000010 00000001 00000000\n00000020 00000019 00000000\n", "9",
               "100 0 100 700 0 0 100 0 0 0");
    port_look(&port);
    assert_int_equal(port_faults(&port), 12 + 10 + 2);
    port_fault_text(&port, text);
    assert_string_equal(text, "rx_crc_errors +12, softnet dropped +10, UDP RcvbufErrors +2");
    assert_true(port_loss_place(&port, text));
    assert_non_null(strstr(text, "rx_crc_errors +12 here: cable"));
}

static void a_full_socket_is_a_place(void **state)
{
    (void)state;
    struct port port;
    char text[PORT_TEXT_MAX];
    begin(&port);
    grow_stack("00000010 00000001 00000000\n00000020 0000000f 00000000\n", "5007",
               "100 0 100 700 0 0 100 0 0 0");
    port_look(&port);
    assert_true(port_loss_place(&port, text));
    assert_non_null(strstr(text, "UDP RcvbufErrors +5000 here: this host's socket was full"));
}

static void a_counter_that_was_set_back_counts_from_0(void **state)
{
    (void)state;
    struct port port;
    begin(&port);
    grow(STATISTIC("tx_bytes"), "40\n");
    port_look(&port);
    assert_int_equal(port_since(&port, PORT_TX_BYTES), 40);
}

static void a_port_that_went_away_keeps_what_it_counted(void **state)
{
    (void)state;
    struct port port;
    begin(&port);
    grow(STATISTIC("tx_bytes"), "9000\n");
    port_look(&port);
    char folder[128];
    (void)snprintf(folder, sizeof folder, "%s/sys/class/net/eth0", grown_root);
    assert_int_equal(nftw(folder, grown_remove, 16, FTW_DEPTH | FTW_PHYS), 0);
    port_look(&port);
    assert_int_equal(port_since(&port, PORT_TX_BYTES), 8000);
}

static void a_cpu_full_of_soft_interrupts_is_named(void **state)
{
    (void)state;
    struct port port;
    char text[PORT_TEXT_MAX];
    begin(&port);
    assert_false(port_softirq(&port, text));
    grow_stack("0 0\n", "7", "100 0 105 700 0 0 295 0 0 0");
    port_look(&port);
    assert_true(port_softirq(&port, text));
    assert_string_equal(text, "CPU 0 spent 97 % of its time on interrupts");
    grow_stack("0 0\n", "7", "100 0 200 700 0 0 200 0 0 0");
    port_look(&port);
    assert_false(port_softirq(&port, text));
}

static void nothing_is_known_of_no_port(void **state)
{
    (void)state;
    struct port port;
    port_begin(&port, grown_root, "");
    assert_false(port.is_known);
    port_begin(&port, grown_root, NULL);
    assert_false(port.is_known);
    port_look(&port);
    assert_int_equal(port_since(&port, PORT_TX_BYTES), 0);
}

static void nonsense_counts_nothing(void **state)
{
    (void)state;
    struct port port;
    grow_port("many\n", "-3\n", "\n");
    grow("/proc/net/softnet_stat", "xyz\n\n\n");
    grow("/proc/net/snmp", "Udp: a\nUdp:\n\nUdp: ");
    grow("/proc/stat", "cpu\ncpu99999999999999999999 1\ncpu0 1 2\ncpux\n");
    port_begin(&port, grown_root, "eth0");
    assert_false(port.is_known);
    assert_int_equal(port_faults(&port), 0);
}

int main(void)
{
#define GROWN(test) cmocka_unit_test_setup_teardown(test, grown_setup, grown_teardown)
    const struct CMUnitTest tests[] = {
        GROWN(bytes_and_carrier_since_the_beginning),
        GROWN(faults_have_names_a_sum_and_a_place),
        GROWN(a_full_socket_is_a_place),
        GROWN(a_counter_that_was_set_back_counts_from_0),
        GROWN(a_port_that_went_away_keeps_what_it_counted),
        GROWN(a_cpu_full_of_soft_interrupts_is_named),
        GROWN(nothing_is_known_of_no_port),
        GROWN(nonsense_counts_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
