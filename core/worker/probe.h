/* probe: the mode --probe KIND ARGUMENT: asks what may block (statvfs, ethtool, debugfs, kernel
 * log) and answers with FRAME_ROW on the line. Blocks as the asked thing does; the asker has the
 * limit. */
#ifndef WORKER_PROBE_H
#define WORKER_PROBE_H

/* The program's own arguments. Returns the exit status. */
int probe_main(int argc, char **argv);

#endif
