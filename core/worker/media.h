/* media: the mode --media once|watch DISK …: opens the disks of a card reader without waiting for a
 * medium, so that the kernel looks whether one came or went, and answers with one FRAME_ROW a
 * round: changed = true | false, or why it cannot. `watch` looks every two seconds until its line
 * is closed. Reads nothing from a disk and writes nothing. Blocks as the reader does: the asker has
 * the limit. */
#ifndef WORKER_MEDIA_H
#define WORKER_MEDIA_H

#define MEDIA_EVERY_MS 2000

/* The program's own arguments. Returns the exit status. */
int media_main(int argc, char **argv);

#endif
