#include "base/err.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "base/cleanup.h"

/* Tables of our own: the libc's text depends on the locale and on the libc, its name is not
 * offered everywhere. */
struct err_entry {
    int number;
    const char *name, *text;
};

/* clang-format off */
static const struct err_entry ENTRIES[] = {
    {EPERM, "EPERM", "Operation not permitted"},
    {ENOENT, "ENOENT", "No such file or directory"},
    {ESRCH, "ESRCH", "No such process"},
    {EINTR, "EINTR", "Interrupted system call"},
    {EIO, "EIO", "Input/output error"},
    {ENXIO, "ENXIO", "No such device or address"},
    {E2BIG, "E2BIG", "Argument list too long"},
    {ENOEXEC, "ENOEXEC", "Exec format error"},
    {EBADF, "EBADF", "Bad file descriptor"},
    {ECHILD, "ECHILD", "No child processes"},
    {EAGAIN, "EAGAIN", "Resource temporarily unavailable"},
    {ENOMEM, "ENOMEM", "Cannot allocate memory"},
    {EACCES, "EACCES", "Permission denied"},
    {EFAULT, "EFAULT", "Bad address"},
    {ENOTBLK, "ENOTBLK", "Block device required"},
    {EBUSY, "EBUSY", "Device or resource busy"},
    {EEXIST, "EEXIST", "File exists"},
    {EXDEV, "EXDEV", "Invalid cross-device link"},
    {ENODEV, "ENODEV", "No such device"},
    {ENOTDIR, "ENOTDIR", "Not a directory"},
    {EISDIR, "EISDIR", "Is a directory"},
    {EINVAL, "EINVAL", "Invalid argument"},
    {ENFILE, "ENFILE", "Too many open files in system"},
    {EMFILE, "EMFILE", "Too many open files"},
    {ENOTTY, "ENOTTY", "Inappropriate ioctl for device"},
    {ETXTBSY, "ETXTBSY", "Text file busy"},
    {EFBIG, "EFBIG", "File too large"},
    {ENOSPC, "ENOSPC", "No space left on device"},
    {ESPIPE, "ESPIPE", "Illegal seek"},
    {EROFS, "EROFS", "Read-only file system"},
    {EMLINK, "EMLINK", "Too many links"},
    {EPIPE, "EPIPE", "Broken pipe"},
    {EDOM, "EDOM", "Numerical argument out of domain"},
    {ERANGE, "ERANGE", "Numerical result out of range"},
    {EDEADLK, "EDEADLK", "Resource deadlock avoided"},
    {ENAMETOOLONG, "ENAMETOOLONG", "File name too long"},
    {ENOLCK, "ENOLCK", "No locks available"},
    {ENOSYS, "ENOSYS", "Function not implemented"},
    {ENOTEMPTY, "ENOTEMPTY", "Directory not empty"},
    {ELOOP, "ELOOP", "Too many levels of symbolic links"},
    {ENOMSG, "ENOMSG", "No message of desired type"},
    {EIDRM, "EIDRM", "Identifier removed"},
    {ECHRNG, "ECHRNG", "Channel number out of range"},
    {EL2NSYNC, "EL2NSYNC", "Level 2 not synchronized"},
    {EL3HLT, "EL3HLT", "Level 3 halted"},
    {EL3RST, "EL3RST", "Level 3 reset"},
    {ELNRNG, "ELNRNG", "Link number out of range"},
    {EUNATCH, "EUNATCH", "Protocol driver not attached"},
    {ENOCSI, "ENOCSI", "No CSI structure available"},
    {EL2HLT, "EL2HLT", "Level 2 halted"},
    {EBADE, "EBADE", "Invalid exchange"},
    {EBADR, "EBADR", "Invalid request descriptor"},
    {EXFULL, "EXFULL", "Exchange full"},
    {ENOANO, "ENOANO", "No anode"},
    {EBADRQC, "EBADRQC", "Invalid request code"},
    {EBADSLT, "EBADSLT", "Invalid slot"},
    {EBFONT, "EBFONT", "Bad font file format"},
    {ENOSTR, "ENOSTR", "Device not a stream"},
    {ENODATA, "ENODATA", "No data available"},
    {ETIME, "ETIME", "Timer expired"},
    {ENOSR, "ENOSR", "Out of streams resources"},
    {ENONET, "ENONET", "Machine is not on the network"},
    {ENOPKG, "ENOPKG", "Package not installed"},
    {EREMOTE, "EREMOTE", "Object is remote"},
    {ENOLINK, "ENOLINK", "Link has been severed"},
    {EADV, "EADV", "Advertise error"},
    {ESRMNT, "ESRMNT", "Srmount error"},
    {ECOMM, "ECOMM", "Communication error on send"},
    {EPROTO, "EPROTO", "Protocol error"},
    {EMULTIHOP, "EMULTIHOP", "Multihop attempted"},
    {EDOTDOT, "EDOTDOT", "RFS specific error"},
    {EBADMSG, "EBADMSG", "Bad message"},
    {EOVERFLOW, "EOVERFLOW", "Value too large for defined data type"},
    {ENOTUNIQ, "ENOTUNIQ", "Name not unique on network"},
    {EBADFD, "EBADFD", "File descriptor in bad state"},
    {EREMCHG, "EREMCHG", "Remote address changed"},
    {ELIBACC, "ELIBACC", "Can not access a needed shared library"},
    {ELIBBAD, "ELIBBAD", "Accessing a corrupted shared library"},
    {ELIBSCN, "ELIBSCN", ".lib section in a.out corrupted"},
    {ELIBMAX, "ELIBMAX", "Attempting to link in too many shared libraries"},
    {ELIBEXEC, "ELIBEXEC", "Cannot exec a shared library directly"},
    {EILSEQ, "EILSEQ", "Invalid or incomplete multibyte or wide character"},
    {ERESTART, "ERESTART", "Interrupted system call should be restarted"},
    {ESTRPIPE, "ESTRPIPE", "Streams pipe error"},
    {EUSERS, "EUSERS", "Too many users"},
    {ENOTSOCK, "ENOTSOCK", "Socket operation on non-socket"},
    {EDESTADDRREQ, "EDESTADDRREQ", "Destination address required"},
    {EMSGSIZE, "EMSGSIZE", "Message too long"},
    {EPROTOTYPE, "EPROTOTYPE", "Protocol wrong type for socket"},
    {ENOPROTOOPT, "ENOPROTOOPT", "Protocol not available"},
    {EPROTONOSUPPORT, "EPROTONOSUPPORT", "Protocol not supported"},
    {ESOCKTNOSUPPORT, "ESOCKTNOSUPPORT", "Socket type not supported"},
    {EOPNOTSUPP, "EOPNOTSUPP", "Operation not supported"},
    {EPFNOSUPPORT, "EPFNOSUPPORT", "Protocol family not supported"},
    {EAFNOSUPPORT, "EAFNOSUPPORT", "Address family not supported by protocol"},
    {EADDRINUSE, "EADDRINUSE", "Address already in use"},
    {EADDRNOTAVAIL, "EADDRNOTAVAIL", "Cannot assign requested address"},
    {ENETDOWN, "ENETDOWN", "Network is down"},
    {ENETUNREACH, "ENETUNREACH", "Network is unreachable"},
    {ENETRESET, "ENETRESET", "Network dropped connection on reset"},
    {ECONNABORTED, "ECONNABORTED", "Software caused connection abort"},
    {ECONNRESET, "ECONNRESET", "Connection reset by peer"},
    {ENOBUFS, "ENOBUFS", "No buffer space available"},
    {EISCONN, "EISCONN", "Transport endpoint is already connected"},
    {ENOTCONN, "ENOTCONN", "Transport endpoint is not connected"},
    {ESHUTDOWN, "ESHUTDOWN", "Cannot send after transport endpoint shutdown"},
    {ETOOMANYREFS, "ETOOMANYREFS", "Too many references: cannot splice"},
    {ETIMEDOUT, "ETIMEDOUT", "Connection timed out"},
    {ECONNREFUSED, "ECONNREFUSED", "Connection refused"},
    {EHOSTDOWN, "EHOSTDOWN", "Host is down"},
    {EHOSTUNREACH, "EHOSTUNREACH", "No route to host"},
    {EALREADY, "EALREADY", "Operation already in progress"},
    {EINPROGRESS, "EINPROGRESS", "Operation now in progress"},
    {ESTALE, "ESTALE", "Stale file handle"},
    {EUCLEAN, "EUCLEAN", "Structure needs cleaning"},
    {ENOTNAM, "ENOTNAM", "Not a XENIX named type file"},
    {ENAVAIL, "ENAVAIL", "No XENIX semaphores available"},
    {EISNAM, "EISNAM", "Is a named type file"},
    {EREMOTEIO, "EREMOTEIO", "Remote I/O error"},
    {EDQUOT, "EDQUOT", "Disk quota exceeded"},
    {ENOMEDIUM, "ENOMEDIUM", "No medium found"},
    {EMEDIUMTYPE, "EMEDIUMTYPE", "Wrong medium type"},
    {ECANCELED, "ECANCELED", "Operation canceled"},
    {ENOKEY, "ENOKEY", "Required key not available"},
    {EKEYEXPIRED, "EKEYEXPIRED", "Key has expired"},
    {EKEYREVOKED, "EKEYREVOKED", "Key has been revoked"},
    {EKEYREJECTED, "EKEYREJECTED", "Key was rejected by service"},
    {EOWNERDEAD, "EOWNERDEAD", "Owner died"},
    {ENOTRECOVERABLE, "ENOTRECOVERABLE", "State not recoverable"},
    {ERFKILL, "ERFKILL", "Operation not possible due to RF-kill"},
    {EHWPOISON, "EHWPOISON", "Memory page has hardware error"},
};
/* clang-format on */

static const struct err_entry *err_find(int code)
{
    for (size_t i = 0; i < ARRAY_SIZE(ENTRIES); i++) {
        if (code < 0 && ENTRIES[i].number == -code)
            return &ENTRIES[i];
    }
    return NULL;
}

const char *err_text(int code)
{
    const struct err_entry *entry = err_find(code);

    if (code == 0)
        return "Success";
    return entry ? entry->text : "Unknown error";
}

const char *err_name(int code)
{
    static _Thread_local char unknown[32];
    const struct err_entry *entry = err_find(code);

    if (entry)
        return entry->name;
    (void)snprintf(unknown, sizeof(unknown), "errno %d", code < 0 ? -code : code);
    return unknown;
}

const char *err_explain(char *into, size_t size, int code, const char *what, const char *subject)
{
    const char *space = subject && *subject ? " " : "";
    const char *reason = "";

    if (size == 0)
        return "";
    if (code != 0)
        reason = err_find(code) ? err_text(code) : err_name(code);
    (void)snprintf(into, size, "cannot %s%s%s%s%s", what, space, subject ? subject : "",
                   code != 0 ? ": " : "", reason);
    return into;
}

static const struct {
    int signo;
    const char *text;
} SIGNALS[] = {
    {SIGHUP, "Hangup"},
    {SIGINT, "Interrupt"},
    {SIGQUIT, "Quit"},
    {SIGILL, "Illegal instruction"},
    {SIGTRAP, "Trace trap"},
    {SIGABRT, "Aborted"},
    {SIGBUS, "Bus error"},
    {SIGFPE, "Arithmetic exception"},
    {SIGKILL, "Killed"},
    {SIGSEGV, "Segmentation fault"},
    {SIGPIPE, "Broken pipe"},
    {SIGALRM, "Alarm clock"},
    {SIGTERM, "Terminated"},
    {SIGXCPU, "CPU time limit exceeded"},
    {SIGXFSZ, "File size limit exceeded"},
    {SIGSYS, "Bad system call"},
};

const char *err_signal_text(int signo)
{
    for (size_t i = 0; i < ARRAY_SIZE(SIGNALS); i++) {
        if (SIGNALS[i].signo == signo)
            return SIGNALS[i].text;
    }
    return NULL;
}
