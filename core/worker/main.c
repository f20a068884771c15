/* iodyno-worker: without arguments one run, its line on descriptor 3; --describe FILE: the tables
 * of one plugin; --probe KIND ARGUMENT: answers of the machine that may block; --media: whether
 * cards came or went. */
#include <stdio.h>
#include <string.h>

#include "worker/describe.h"
#include "worker/host.h"
#include "worker/media.h"
#include "worker/probe.h"

int main(int argc, char **argv)
{
    if (argc == 1)
        return host_main();
    if (argc == 3 && strcmp(argv[1], "--describe") == 0)
        return describe_main(argv[2]);
    if (strcmp(argv[1], "--probe") == 0)
        return probe_main(argc, argv);
    if (strcmp(argv[1], "--media") == 0)
        return media_main(argc, argv);
    (void)fprintf(stderr, "usage: iodyno-worker [--describe FILE | --probe KIND ARGUMENT | --media "
                          "once|watch DISK ...]\n");
    return 2;
}
