#include "rights.h"

#include <grp.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NOBODY 65534u

enum rights rights_drop(void)
{
    if (geteuid() != 0)
        return RIGHTS_ORDINARY;
    /* in this order: each needs what the next gives up */
    const int is_dropped = setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
                           setresuid(NOBODY, NOBODY, NOBODY) == 0;
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return is_dropped ? RIGHTS_DROPPED : RIGHTS_KEPT;
}
