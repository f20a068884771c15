/* guardian: the guard parent of the screen: starts iodyno-screen on the same terminal and, however
 * that ends, kill -9 included, leaves the terminal as it was. */
#ifndef CLI_GUARDIAN_H
#define CLI_GUARDIAN_H

/* argv as main got it; its options go on to the screen. Waits for the screen's end and returns its
 * exit status, 128 + signal when a signal ended it, 0 when it went on without the terminal. */
int guardian_run(int argc, char **argv);

#endif
