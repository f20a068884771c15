/* describe: the mode --describe FILE: loads one plugin and says its tables, or why it is refused,
 * as frames on the line. Limits itself in time and memory; a crash or a hang of the plugin becomes
 * a REFUSED frame too. */
#ifndef WORKER_DESCRIBE_H
#define WORKER_DESCRIBE_H

/* Returns the exit status: 0 when an answer was given. */
int describe_main(const char *path);

#endif
