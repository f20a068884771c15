#include "cli/list_port.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "cli/json.h"
#include "device/link.h"

static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static json_t *number(uint64_t value)
{
    return value > 0 && value <= INT64_MAX ? json_integer((json_int_t)value) : json_null();
}

static json_t *claim(enum link_claim value)
{
    return value == LINK_UNKNOWN ? json_null() : json_boolean(value == LINK_YES);
}

/* null: unknown; else one text for each word of the list. */
static json_t *words(const char *text)
{
    if (!text)
        return json_null();
    json_t *list = json_array();
    for (const char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");
        json_array_append_new(list, json_stringn(at, size));
        at += size;
    }
    return list;
}

static json_t *modes_json(const struct link *link)
{
    json_t *object = json_object();
    set(object, "supported", words(link->supported));
    set(object, "advertised", words(link->advertised));
    set(object, "partner", words(link->partner));
    set(object, "capable_mbps", number(link->capable_mbps));
    set(object, "partner_mbps", number(link->partner_mbps));
    set(object, "tree_mbps", number(link->tree_mbps));
    return object;
}

static json_t *pause_json(const struct link *link)
{
    json_t *object = json_object();
    set(object, "autoneg", claim(link->pause_autoneg));
    set(object, "rx", claim(link->pause_rx));
    set(object, "tx", claim(link->pause_tx));
    return object;
}

static json_t *eee_json(const struct link *link)
{
    json_t *object = json_object();
    set(object, "enabled", claim(link->eee_enabled));
    set(object, "active", claim(link->eee_active));
    return object;
}

/* The tables keep address and quality one higher, so that 0 is unknown. */
static json_t *above_zero(uint64_t value)
{
    return value > 0 && value <= INT64_MAX ? json_integer((json_int_t)value - 1) : json_null();
}

static json_t *phy_json(const struct link *link)
{
    json_t *object = json_object();
    set(object, "name", cli_json_text(link->phy));
    set(object, "address", above_zero(link->phy_address));
    set(object, "mode", cli_json_text(link->phy_mode));
    set(object, "delays", cli_json_text(link->phy_delays));
    set(object, "signal_quality", above_zero(link->quality));
    set(object, "error", cli_json_text(link->kernel_error));
    return object;
}

static json_t *counters_json(const struct link *link)
{
    if (link->counted != LINK_YES)
        return json_null();
    json_t *object = json_object();
    for (int i = 0; i < LINK_COUNTERS; i++)
        set(object, link_counter_name((enum link_counter)i),
            json_integer(link->counters[i] <= INT64_MAX ? (json_int_t)link->counters[i]
                                                        : INT64_MAX));
    return object;
}

void list_port_set(json_t *o, const struct device *device)
{
    const struct link *link = device->link;
    struct str remark AUTO(str_done) = {0};
    link_remark(link, &remark);
    set(o, "carrier", claim(link->carrier));
    set(o, "speed_mbps", number(link->speed_mbps));
    set(o, "duplex", cli_json_text(link->duplex));
    set(o, "addresses", words(link->addresses));
    set(o, "mac", cli_json_text(link->mac));
    set(o, "index", number(link->index));
    set(o, "up", claim(link->up));
    set(o, "operstate", cli_json_text(link->operstate));
    set(o, "reason", cli_json_text(link->reason));
    set(o, "mtu", number(link->mtu));
    set(o, "autoneg", claim(link->autoneg));
    set(o, "modes", modes_json(link));
    set(o, "pause", pause_json(link));
    set(o, "eee", eee_json(link));
    set(o, "phy", phy_json(link));
    set(o, "port_type", cli_json_text(link->connector));
    set(o, "driver", cli_json_text(link->driver));
    set(o, "firmware", cli_json_text(link->firmware));
    set(o, "hangs_on", cli_json_text(link->bus));
    set(o, "carrier_changes",
        link->counted == LINK_YES || link->carrier_changes
            ? json_integer((json_int_t)(link->carrier_changes & INT64_MAX))
            : json_null());
    set(o, "counters", counters_json(link));
    set(o, "source", cli_json_text(link->source));
    set(o, "hidden", json_boolean(device->is_hidden));
    set(o, "nature", cli_json_text(link->nature));
    set(o, "subnet_with", cli_json_text(link->twin));
    set(o, "remark", remark.size > 0 ? cli_json_text(remark.text) : json_null());
}
