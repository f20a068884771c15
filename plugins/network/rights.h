/* rights: what a server gives up before it hears the first stranger. */
#ifndef NETWORK_RIGHTS_H
#define NETWORK_RIGHTS_H

enum rights { RIGHTS_DROPPED, RIGHTS_ORDINARY, RIGHTS_KEPT };

/* All threads of this process become nobody's, with no group and no capability: RIGHTS_DROPPED.
 * Where it is not root's nothing changes. RIGHTS_KEPT: it is, and may not do so (a container). For
 * a process that serves nothing else. */
enum rights rights_drop(void);

#endif
