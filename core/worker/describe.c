#include "worker/describe.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "wire/channel.h"
#include "worker/describe_tables.h"
#include "worker/plugin_file.h"
#include "worker/watchdog.h"

#define LIMIT_S 2
#define BACKSTOP_NS 2500000000ull /* when the plugin blocked or caught the alarm */
#define MEMORY_BYTES (256ull << 20)
#define SEND_TIMEOUT_MS 1000

/* What a signal handler can say: packets made before anything foreign runs. */
static struct packet crashed_loading, crashed_reading, too_slow;
static const struct packet *volatile crashed = &crashed_loading;

struct answer {
    struct packet *packets; /* held back until the whole plugin was read */
    size_t count;
    struct catalog catalog;
    const char *path;
};

static void make_refusal(struct packet *packet, const char *path, const char *reason)
{
    struct str pairs = {0};
    str_add_pair(&pairs, "path", path);
    str_add_pair(&pairs, "reason", reason);
    struct frame frame = {.type = FRAME_REFUSED, .pairs = pairs.text, .pairs_size = pairs.size};
    packet->size = 0;
    (void)packet_add(packet, &frame);
    str_done(&pairs);
}

static _Noreturn void answer_and_leave(const struct packet *packet)
{
    (void)send(CHANNEL_FD, packet->bytes, packet->size, MSG_NOSIGNAL | MSG_DONTWAIT);
    _exit(0);
}

static void on_crash(int signo)
{
    (void)signo;
    answer_and_leave(crashed);
}

static void on_alarm(int signo)
{
    (void)signo;
    answer_and_leave(&too_slow);
}

static void catch_signals(void)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    static uint8_t stack[64 << 10]; /* a plugin may have used up its own */
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
    (void)sigaltstack(&alternate, NULL);
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
    for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
        (void)sigaction(crashes[i], &action, NULL);
    action.sa_handler = on_alarm;
    (void)sigaction(SIGALRM, &action, NULL);
    (void)sigaction(SIGXCPU, &action, NULL);
}

static void limit_resources(void)
{
#ifndef IODYNO_SANITIZED /* a sanitizer reserves terabytes of addresses */
    struct rlimit memory = {.rlim_cur = MEMORY_BYTES, .rlim_max = MEMORY_BYTES};
    (void)setrlimit(RLIMIT_AS, &memory);
#endif
    struct rlimit cpu = {.rlim_cur = LIMIT_S, .rlim_max = LIMIT_S + 1};
    (void)setrlimit(RLIMIT_CPU, &cpu);
    (void)watchdog_backstop(BACKSTOP_NS);
    (void)alarm(LIMIT_S);
}

static int keep(void *user, const struct frame *frame)
{
    struct answer *answer = user;
    int code = catalog_apply(&answer->catalog, answer->path, frame);
    if (code < 0)
        return code;
    if (answer->count > 0) {
        code = packet_add(&answer->packets[answer->count - 1], frame);
        if (code != -EMSGSIZE)
            return code;
    }
    answer->packets = mem_grow(answer->packets, answer->count + 1, sizeof(*answer->packets));
    answer->packets[answer->count].size = 0;
    return packet_add(&answer->packets[answer->count++], frame);
}

static int read_plugin(struct answer *answer, struct str *why)
{
    const struct dyno_plugin *plugin = NULL;
    int code = plugin_file_open(answer->path, &plugin, why);
    if (code < 0)
        return code;
    crashed = &crashed_reading;
    code = describe_tables(plugin, answer->path, keep, answer, why);
    if (code < 0 && why->size == 0) { /* the catalog's own rules */
        const struct catalog *catalog = &answer->catalog;
        const char *refused = catalog->plugin_count ? catalog->plugins[0].refused : NULL;
        str_add(why, refused ? refused : "its tables cannot be described");
    }
    return code;
}

int describe_main(const char *path)
{
    make_refusal(&crashed_loading, path, "it crashed while it was loaded");
    make_refusal(&crashed_reading, path, "it crashed while its tables were read");
    make_refusal(&too_slow, path, "it did not answer within 2 seconds");
    catch_signals();
    limit_resources();

    struct answer answer = {.path = path};
    struct str why = {0};
    if (read_plugin(&answer, &why) < 0) {
        static struct packet refusal;
        make_refusal(&refusal, path, str_text(&why));
        answer_and_leave(&refusal);
    }
    int code = 0;
    for (size_t i = 0; code == 0 && i < answer.count; i++)
        code = channel_send_wait(CHANNEL_FD, &answer.packets[i], SEND_TIMEOUT_MS);
    _exit(code < 0); /* no exit handlers: they may be the plugin's */
}
