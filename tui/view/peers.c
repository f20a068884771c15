#include "view/peers.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "iodyno/plugin.h"

/* Value of "key=value" among settings that stand side by side; false: it is not there or too long
 * to be one. */
static bool find_setting(const char *settings, const char *key, char *into, size_t size)
{
    size_t key_size = strlen(key);
    for (const char *at = settings; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
        if (strncmp(at, key, key_size) != 0 || at[key_size] != '=')
            continue;
        const char *value = at + key_size + 1;
        size_t value_size = strcspn(value, " ");
        if (value_size == 0 || value_size >= size)
            return false;
        memcpy(into, value, value_size);
        into[value_size] = '\0';
        return true;
    }
    return false;
}

static struct peer *place(struct peers *peers, const char *target)
{
    for (size_t i = 0; i < peers->count; i++)
        if (strcmp(peers->items[i].target, target) == 0)
            return &peers->items[i];
    if (peers->count == PEERS_MAX || strlen(target) >= sizeof peers->items[0].target)
        return NULL;
    struct peer *peer = &peers->items[peers->count++];
    *peer = (struct peer){0};
    (void)snprintf(peer->target, sizeof peer->target, "%s", target);
    return peer;
}

void peers_take(struct peers *peers, const struct frame *row)
{
    const char *test = frame_pair(row, "test"), *target = frame_pair(row, "target");
    const char *settings = frame_pair(row, "settings"), *wall = frame_pair(row, "wall_ns");
    const char *rate = frame_pair(row, "rate");
    struct peer made = {0};
    if (!test || !target || !settings || !wall || !rate || !str_starts(test, "network.") ||
        units_parse_u64(wall, &made.wall_ns) < 0 ||
        !find_setting(settings, "server", made.server, sizeof made.server))
        return;
    if (!find_setting(settings, "port", made.port, sizeof made.port))
        made.port[0] = '\0';
    struct peer *peer = place(peers, target);
    if (!peer || peer->wall_ns > made.wall_ns)
        return;
    memcpy(made.target, peer->target, sizeof made.target);
    *peer = made;
}

const struct peer *peers_find(const struct peers *peers, const char *target)
{
    for (size_t i = 0; i < peers->count; i++)
        if (strcmp(peers->items[i].target, target) == 0 && peers->items[i].server[0])
            return &peers->items[i];
    return NULL;
}

static bool has_choice(const struct option *option, const char *name)
{
    for (size_t i = 0; option->choices && option->choices[i]; i++)
        if (strcmp(option->choices[i], name) == 0)
            return true;
    return false;
}

const char *peers_offer(const struct peers *peers, const struct catalog_test *test,
                        const char *target, const char *key)
{
    const struct option *option = catalog_option(test, key);
    const struct peer *peer = peers_find(peers, target);
    if (!option || !(test->flags & DYNO_NEEDS_PEER))
        return NULL;
    if (strcmp(key, "server") == 0)
        return peer ? peer->server : NULL;
    if (strcmp(key, "port") == 0)
        return peer && peer->port[0] ? peer->port : NULL;
    if (strcmp(key, "direction") == 0)
        return has_choice(option, "turns") ? "turns" : NULL;
    return NULL;
}

void peers_prepare(const struct peers *peers, const struct catalog_test *test, const char *target,
                   struct kept *kept)
{
    for (size_t i = 0; i < test->option_count; i++) {
        const char *key = test->options[i].key;
        const char *offer = peers_offer(peers, test, target, key);
        if (offer && !kept_find(kept, test->id, target, key))
            kept_set(kept, test->id, target, key, offer);
    }
}

bool peers_is_missing(const struct catalog_test *test, const char *target, const struct kept *kept)
{
    const struct option *option = catalog_option(test, "server");
    const char *text = kept_find(kept, test->id, target, "server");
    if (!option || !(test->flags & DYNO_NEEDS_PEER))
        return false;
    return text ? !text[0] : !option->def || !option->def[0];
}
