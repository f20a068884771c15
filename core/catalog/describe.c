#include "catalog/describe.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/places.h"
#include "base/str.h"
#include "loop/process.h"
#include "wire/channel.h"

#define LIMIT_NS (2 * NS_PER_S)
#define LIMIT_TEXT "did not answer in 2 s"
#define AT_ONCE 4               /* workers side by side */
#define ANSWER_MAX (512u << 10) /* bytes one plugin may say */
#define CACHE_MAX 64

/* What names a file's content without reading it. */
struct stamp {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec modified, changed; /* also its permissions' */
};

/* One plugin file and what its worker said. The catalog is filled in the order of the files, not of
 * the answers: of two plugins with one id the same one is refused every time. */
struct answer {
    struct describe *describe;
    char *path;
    struct stamp stamp;
    struct str packets; /* size_t, that many bytes; repeated */
    char *refused;      /* NULL: what the packets say holds */
    pid_t pid;
    int line_fd;
    struct loop_fd *line;
    struct loop_child *child;
    struct loop_timer *limit;
};

struct describe {
    struct loop *loop;
    struct catalog *catalog;
    describe_fn done;
    void *user;
    struct str worker; /* path of iodyno-worker */
    struct answer *answers;
    size_t count, started, over;
    struct loop_timer *finish;
};

/* Answers of earlier calls; of this process only, bounded, the oldest goes first. */
static struct {
    struct remembered {
        char *path, *refused;
        struct stamp stamp;
        struct str packets;
    } entries[CACHE_MAX];
    size_t next;
} cache;

static bool is_same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool is_same_stamp(const struct stamp *a, const struct stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           is_same_time(a->modified, b->modified) && is_same_time(a->changed, b->changed);
}

static struct remembered *cache_find(const char *path)
{
    for (size_t i = 0; i < CACHE_MAX; i++) {
        if (cache.entries[i].path && strcmp(cache.entries[i].path, path) == 0)
            return &cache.entries[i];
    }
    return NULL;
}

static void cache_keep(const struct answer *answer)
{
    struct remembered *entry = cache_find(answer->path);

    if (!entry) {
        entry = &cache.entries[cache.next];
        cache.next = (cache.next + 1) % CACHE_MAX;
    }
    free(entry->path);
    free(entry->refused);
    entry->path = mem_copy_text(answer->path);
    entry->refused = answer->refused ? mem_copy_text(answer->refused) : NULL;
    entry->stamp = answer->stamp;
    str_clear(&entry->packets);
    str_add_bytes(&entry->packets, str_text(&answer->packets), answer->packets.size);
}

static bool cache_recall(struct answer *answer)
{
    const struct remembered *entry = cache_find(answer->path);

    if (!entry || !is_same_stamp(&entry->stamp, &answer->stamp))
        return false;
    str_add_bytes(&answer->packets, str_text(&entry->packets), entry->packets.size);
    answer->refused = entry->refused ? mem_copy_text(entry->refused) : NULL;
    return true;
}

static void __attribute__((format(printf, 2, 3)))
refuse(struct answer *answer, const char *format, ...)
{
    struct str reason = {0};
    va_list args;

    if (answer->refused)
        return;
    va_start(args, format);
    str_addv(&reason, format, args);
    va_end(args);
    answer->refused = str_take(&reason);
}

/* Lets go of the worker: its line, its clock and, with all it may have spawned, itself. */
static void release(struct answer *answer)
{
    answer->line = loop_fd_remove(answer->line);
    answer->limit = loop_timer_remove(answer->limit);
    answer->child = loop_child_remove(answer->child);
    cleanup_close(&answer->line_fd);
    answer->line_fd = -1;
    if (answer->pid > 0)
        (void)kill(-answer->pid, SIGKILL);
    answer->pid = 0;
}

static void start_more(struct describe *describe);

static void finish_answer(struct answer *answer)
{
    struct describe *describe = answer->describe;

    release(answer);
    describe->over++;
    start_more(describe);
}

/* Takes one packet: 1 took one, 0 no more will come, -EAGAIN none is there now. */
static int take_packet(struct answer *answer)
{
    AUTO_FREE struct packet *packet = mem_new(1, sizeof(*packet));
    const int code = channel_receive(answer->line_fd, packet);

    if (code < 0 && code != -EAGAIN)
        refuse(answer, "its description broke the protocol");
    if (code != 1)
        return code == -EAGAIN ? code : 0;
    if (answer->packets.size + packet->size > ANSWER_MAX) {
        refuse(answer, "its description is longer than %u KiB", ANSWER_MAX >> 10);
        return 0;
    }
    str_add_bytes(&answer->packets, &packet->size, sizeof(packet->size));
    str_add_bytes(&answer->packets, packet->bytes, packet->size);
    return 1;
}

static void on_line(void *user, int fd, uint32_t events)
{
    struct answer *answer = user;
    int code = 1;

    (void)fd;
    (void)events;
    for (int i = 0; code == 1 && i < CHANNEL_TURN_MAX; i++)
        code = take_packet(answer);
    if (code == 0)
        answer->line = loop_fd_remove(answer->line); /* the verdict comes with the child's end */
}

static void on_limit(void *user)
{
    struct answer *answer = user;

    refuse(answer, LIMIT_TEXT);
    finish_answer(answer);
}

static void on_child(void *user, pid_t pid, int status)
{
    struct answer *answer = user;
    const char *signal_text = err_signal_text(WTERMSIG(status));

    (void)pid;
    while (take_packet(answer) == 1)
        ; /* at most ANSWER_MAX bytes */
    if (WIFSIGNALED(status))
        refuse(answer, "crashed with signal %d (%s) while loading", WTERMSIG(status),
               signal_text ? signal_text : "unknown");
    else if (answer->packets.size == 0)
        refuse(answer, "ended with exit code %d and said nothing of itself", WEXITSTATUS(status));
    cache_keep(answer);
    finish_answer(answer);
}

static int start_worker(struct answer *answer)
{
    struct describe *describe = answer->describe;
    const char *const argv[] = {"iodyno-worker", "--describe", answer->path, NULL};
    AUTO_CLOSE int far = -1;
    int ends[2], code;

    code = channel_pair(ends);
    if (code < 0)
        return code;
    answer->line_fd = ends[0];
    far = ends[1];
    code = process_start(&(struct process_plan){.path = str_text(&describe->worker),
                                                .argv = argv,
                                                .line_fd = far,
                                                .output_fd = -1,
                                                .own_group = true},
                         &answer->pid);
    if (code == 0)
        code = loop_add_child(describe->loop, answer->pid, on_child, answer, &answer->child);
    if (code == 0)
        code =
            loop_add_fd(describe->loop, answer->line_fd, EPOLLIN, on_line, answer, &answer->line);
    if (code == 0)
        code = loop_add_timer(describe->loop, LIMIT_NS, 0, on_limit, answer, &answer->limit);
    return code;
}

/* Keeps AT_ONCE workers going; when there is nothing left, the loop comes back to on_finish. */
static void start_more(struct describe *describe)
{
    while (describe->started < describe->count && describe->started - describe->over < AT_ONCE) {
        struct answer *answer = &describe->answers[describe->started++];
        int code;

        if (cache_recall(answer)) {
            describe->over++;
            continue;
        }
        code = start_worker(answer);
        if (code == 0)
            continue;
        refuse(answer, "iodyno-worker cannot be started: %s", err_text(code));
        release(answer);
        describe->over++;
    }
    if (describe->over == describe->count)
        (void)loop_timer_set(describe->finish, 1, 0);
}

/* Gives the catalog what one worker said. */
static void apply_answer(struct catalog *catalog, const struct answer *answer)
{
    const char *at = str_text(&answer->packets), *end = at + answer->packets.size;
    AUTO_FREE struct packet *packet = mem_new(1, sizeof(*packet));
    struct frame frame;
    int code = 0;

    if (answer->refused) {
        catalog_refuse(catalog, answer->path, answer->refused);
        return;
    }
    while (code >= 0 && at < end) {
        size_t offset = 0;

        memcpy(&packet->size, at, sizeof(packet->size));
        memcpy(packet->bytes, at + sizeof(packet->size), packet->size);
        at += sizeof(packet->size) + packet->size;
        while ((code = frame_next(packet->bytes, packet->size, &offset, &frame)) == 1) {
            code = catalog_apply(catalog, answer->path, &frame);
            if (code < 0)
                break;
        }
    }
    if (code < 0) /* the catalog's own sentence stays, if it has one */
        catalog_refuse(catalog, answer->path, "its description broke the protocol");
}

static void on_finish(void *user)
{
    struct describe *describe = user;
    struct catalog fresh = {0};

    for (size_t i = 0; i < describe->count; i++)
        apply_answer(&fresh, &describe->answers[i]);
    catalog_done(describe->catalog);
    *describe->catalog = fresh;
    describe->done(describe->user); /* may free us */
}

static int is_plugin_name(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && str_ends(entry->d_name, ".so");
}

/* By bytes: alphasort follows the locale. */
static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Adds a file, unless it is none or is there under another name. */
static void add_file(struct describe *describe, const char *folder, const char *name)
{
    AUTO(str_done) struct str path = {0};
    struct answer *answer;
    struct stat st;

    str_addf(&path, "%s/%s", folder, name);
    if (stat(str_text(&path), &st) < 0 || !S_ISREG(st.st_mode))
        return;
    for (size_t i = 0; i < describe->count; i++) {
        if (describe->answers[i].stamp.device == st.st_dev &&
            describe->answers[i].stamp.inode == st.st_ino)
            return;
    }
    if (describe->count >= CATALOG_PLUGINS_MAX)
        return;
    describe->answers =
        mem_grow(describe->answers, describe->count + 1, sizeof(*describe->answers));
    answer = &describe->answers[describe->count++];
    *answer = (struct answer){.describe = describe, .path = str_take(&path), .line_fd = -1};
    answer->stamp = (struct stamp){.device = st.st_dev,
                                   .inode = st.st_ino,
                                   .size = st.st_size,
                                   .modified = st.st_mtim,
                                   .changed = st.st_ctim};
}

static void add_folder(struct describe *describe, const char *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_plugin_name, compare_names);

    for (int i = 0; i < count; i++) {
        add_file(describe, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

static void cleanup_describe(struct describe **describe)
{
    *describe = describe_free(*describe);
}

int describe_start(struct loop *loop, struct catalog *catalog, describe_fn done, void *user,
                   struct describe **ret_describe)
{
    AUTO(cleanup_describe) struct describe *describe = mem_new(1, sizeof(*describe));
    AUTO(str_done) struct str folders = {0};
    int code;

    describe->loop = loop;
    describe->catalog = catalog;
    describe->done = done;
    describe->user = user;
    code = places_program("iodyno-worker", &describe->worker);
    if (code == 0)
        code = places_plugins(&folders);
    if (code == 0)
        code = loop_add_timer(loop, 0, 0, on_finish, describe, &describe->finish);
    if (code < 0)
        return code;
    for (const char *folder = folders.text; *folder; folder += strlen(folder) + 1)
        add_folder(describe, folder);
    start_more(describe);
    *ret_describe = take_pointer(&describe);
    return 0;
}

struct describe *describe_free(struct describe *describe)
{
    if (!describe)
        return NULL;
    for (size_t i = 0; i < describe->count; i++) {
        release(&describe->answers[i]);
        free(describe->answers[i].path);
        free(describe->answers[i].refused);
        str_done(&describe->answers[i].packets);
    }
    free(describe->answers);
    str_done(&describe->worker);
    (void)loop_timer_remove(describe->finish);
    free(describe);
    return NULL;
}
