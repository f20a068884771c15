/* boardfile: what people know of a board and its system does not tell, from NAME.ini, where NAME is
 * one of the board's device-tree compatibles, the most exact first. Reads ordinary files: once, at
 * the start. */
#ifndef DEVICE_BOARDFILE_H
#define DEVICE_BOARDFILE_H

struct str;

/* Value of `key` in `section` of the first file that has it; *name becomes its compatible. 0 or
 * -ENOENT. For a recorded tree (`root` not "") only the files that come with iodyno are read. */
int boardfile_get(const char *root, const char *section, const char *key, struct str *value,
                  struct str *name);

#endif
