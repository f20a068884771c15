/* network.udp: datagrams at a given rate, against any iperf3 server. */
#include "client.h"
#include "network.h"

int network_udp(const struct dyno_host *host, struct dyno_run *run)
{
    return client_run(host, run, true);
}
