#include <errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/ethtool.h"
#include "worker/ports.h"

struct ethtool_ask {
    struct nl_sock *socket;
    int family;
};

struct answer {
    enum ethtool_message message;
    struct link *link;
};

struct ethtool_ask *ethtool_ask_free(struct ethtool_ask *ask)
{
    if (ask)
        nl_socket_free(ask->socket);
    free(ask);
    return NULL;
}

struct ethtool_ask *ethtool_ask_new(void)
{
    struct ethtool_ask *ask = mem_new(1, sizeof *ask);
    ask->socket = nl_socket_alloc();
    ask->family = !ask->socket || genl_connect(ask->socket) < 0
                      ? -1
                      : genl_ctrl_resolve(ask->socket, "ethtool");
    if (ask->family < 0)
        return ethtool_ask_free(ask);
    /* A question has one answer or one error: none to wait for after it. */
    nl_socket_disable_auto_ack(ask->socket);
    return ask;
}

static int on_answer(struct nl_msg *message, void *user)
{
    const struct answer *answer = user;
    struct genlmsghdr *head = nlmsg_data(nlmsg_hdr(message));
    ethtool_take(answer->message, genlmsg_attrdata(head, 0), (size_t)genlmsg_attrlen(head, 0),
                 answer->link);
    return NL_OK;
}

static void message_free(struct nl_msg **message)
{
    nlmsg_free(*message);
}

static int question(const struct ethtool_ask *ask, enum ethtool_message which,
                    const struct link *link, struct nl_msg *message)
{
    if (!message ||
        !genlmsg_put(message, NL_AUTO_PORT, NL_AUTO_SEQ, ask->family, 0, 0, (uint8_t)which, 1))
        return -ENOMEM;
    struct nlattr *head = nla_nest_start(message, ETHTOOL_HEADER | NLA_F_NESTED);
    if (!head || nla_put_u32(message, ETHTOOL_HEADER_INDEX, (uint32_t)link->index) < 0 ||
        nla_put_u32(message, ETHTOOL_HEADER_FLAGS, ETHTOOL_COMPACT_BITSETS) < 0)
        return -ENOMEM;
    nla_nest_end(message, head);
    return 0;
}

static int ask_one(struct ethtool_ask *ask, enum ethtool_message which, struct link *link)
{
    AUTO(message_free) struct nl_msg *message = nlmsg_alloc();
    struct answer answer = {which, link};
    int rc = question(ask, which, link, message);
    if (rc < 0)
        return rc;
    if (nl_send_auto(ask->socket, message) < 0 ||
        nl_socket_modify_cb(ask->socket, NL_CB_VALID, NL_CB_CUSTOM, on_answer, &answer) < 0)
        return -EIO;
    return nl_recvmsgs_default(ask->socket) < 0 ? -EOPNOTSUPP : 0;
}

int ethtool_ask(struct ethtool_ask *ask, struct link *link)
{
    static const enum ethtool_message more[] = {ETHTOOL_LINKSTATE, ETHTOOL_LINKINFO, ETHTOOL_PAUSE,
                                                ETHTOOL_EEE};
    int rc = ask_one(ask, ETHTOOL_LINKMODES, link);
    for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(more); i++)
        (void)ask_one(ask, more[i], link); /* few drivers answer all of them */
    return rc;
}
