/* network.tcp: bulk data over TCP, against any iperf3 server. */
#include "client.h"
#include "network.h"

int network_tcp(const struct dyno_host *host, struct dyno_run *run)
{
    return client_run(host, run, false);
}
