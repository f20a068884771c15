#include "modes.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/mode.h"
#include "device/sysfs.h"
#include "history/history.h"

struct question {
    struct modes *modes;
    char host[32];
    struct str key;    /* the card it was asked for */
    struct str answer; /* pairs; empty: none came */
    struct history_query *query;
};

struct modes {
    struct loop *loop;
    struct inventory *inventory;
    modes_fn fn;
    void *user;
    struct question questions[MODES_HOSTS_MAX];
    size_t count;
};

struct modes *modes_new(struct loop *loop, struct inventory *inventory, modes_fn fn, void *user)
{
    struct modes *modes = mem_new(1, sizeof *modes);
    *modes = (struct modes){.loop = loop, .inventory = inventory, .fn = fn, .user = user};
    return modes;
}

struct modes *modes_free(struct modes *modes)
{
    for (size_t i = 0; modes && i < modes->count; i++) {
        history_free(modes->questions[i].query);
        str_done(&modes->questions[i].key);
        str_done(&modes->questions[i].answer);
    }
    free(modes);
    return NULL;
}

static bool place(struct question *question)
{
    const struct frame row = {
        .type = FRAME_ROW, .pairs = question->answer.text, .pairs_size = question->answer.size};
    return question->answer.size > 0 && mode_take_row(question->modes->inventory, &row);
}

static void on_row(void *user, const struct frame *row, const char *problem)
{
    struct question *question = user;
    (void)problem; /* late, or not permitted: the mode stays unknown */
    if (!row) {
        question->query = history_free(question->query);
        question->modes->fn(question->modes->user);
        return;
    }
    str_clear(&question->answer);
    if (!frame_pair(row, "error"))
        str_add_bytes(&question->answer, row->pairs, row->pairs_size);
    (void)place(question);
}

static struct question *find(struct modes *modes, const char *host)
{
    for (size_t i = 0; i < modes->count; i++)
        if (strcmp(modes->questions[i].host, host) == 0)
            return &modes->questions[i];
    if (modes->count == MODES_HOSTS_MAX || strlen(host) >= sizeof modes->questions[0].host)
        return NULL;
    struct question *question = &modes->questions[modes->count++];
    question->modes = modes;
    memcpy(question->host, host, strlen(host) + 1);
    return question;
}

static void refresh_host(struct modes *modes, const char *host)
{
    struct question *question = find(modes, host);
    struct str key AUTO(str_done) = {0};
    if (!question)
        return;
    mode_host_key(modes->inventory, host, &key);
    if (strcmp(str_text(&question->key), str_text(&key)) == 0) {
        (void)place(question);
        return;
    }
    str_clear(&question->key);
    str_add(&question->key, key.text);
    str_clear(&question->answer);
    question->query = history_free(question->query);
    const char *const arguments[] = {"--probe", "mmc", question->host, NULL};
    (void)history_ask_program(modes->loop, "iodyno-worker", arguments, MODES_LIMIT_NS, on_row,
                              question, &question->query);
}

void modes_refresh(struct modes *modes)
{
    char **hosts = mode_hosts(modes->inventory);
    for (char **host = hosts; *host; host++)
        refresh_host(modes, *host);
    sysfs_list_free(hosts);
}

bool modes_are_pending(const struct modes *modes)
{
    for (size_t i = 0; i < modes->count; i++)
        if (modes->questions[i].query)
            return true;
    return false;
}
