/* iodyno-worker: without arguments one run, its line on descriptor 3; --describe FILE: the tables
 * of one plugin; --probe KIND ARGUMENT: answers of the machine that may block; --media: whether
 * cards came or went. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/places.h"
#include "base/str.h"
#include "worker/describe.h"
#include "worker/governor.h"
#include "worker/host.h"
#include "worker/media.h"
#include "worker/probe.h"

/* Only root may have changed a governor, and root's folder is the machine's. */
static void mend_governor(void)
{
    AUTO(str_done) struct str folder = {0};
    if (geteuid() == 0 && places_runtime(&folder) == 0)
        governor_mend("", folder.text);
}

int main(int argc, char **argv)
{
    mend_governor();
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
