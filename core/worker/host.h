/* host: the mode without arguments: one run. Takes the order from the line, loads the plugin, asks
 * the guard, calls the test and says everything as frames. */
#ifndef WORKER_HOST_H
#define WORKER_HOST_H

/* Returns the exit status: 0 when an END was sent. */
int host_main(void);

#endif
