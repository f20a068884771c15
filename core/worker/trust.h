/* trust: may the plugin file at a path be loaded? It and its folder must belong to root or to the
 * owner of the running program, and nobody else may write to them. Reads file attributes only. */
#ifndef WORKER_TRUST_H
#define WORKER_TRUST_H

#include <sys/types.h>

struct str;

/* 0 and the file's own path behind all links, which the caller opens and frees: a link may lead
 * elsewhere by then. -EACCES when it is not trusted, other negative errno when it cannot be looked
 * at; each with a sentence in `why`. */
int trust_check(const char *path, char **ret_real, struct str *why);

#endif
