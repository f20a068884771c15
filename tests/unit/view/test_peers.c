/* peers: the last other end of a port, and what a test that needs one is offered with. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "view/peers.h"

static void take(struct peers *peers, const char *test, const char *target, const char *settings,
                 const char *rate, const char *wall)
{
    struct str pairs = {0};
    str_add_pair(&pairs, "test", test);
    str_add_pair(&pairs, "target", target);
    str_add_pair(&pairs, "settings", settings);
    if (rate)
        str_add_pair(&pairs, "rate", rate);
    str_add_pair(&pairs, "wall_ns", wall);
    struct frame row = {.type = FRAME_ROW, .pairs = pairs.text, .pairs_size = pairs.size};
    peers_take(peers, &row);
    str_done(&pairs);
}

static char *directions[] = {(char *)"out", (char *)"in", (char *)"turns", (char *)"both", NULL};
static struct option options[] = {
    {.type = DYNO_ADDRESS, .key = (char *)"server"},
    {.type = DYNO_UINT, .key = (char *)"port", .def = (char *)"5201"},
    {.type = DYNO_CHOICE, .key = (char *)"direction", .def = (char *)"out", .choices = directions},
    {.type = DYNO_TIME, .key = (char *)"time", .def = (char *)"10"},
};
static const struct catalog_test tcp = {.id = (char *)"network.tcp",
                                        .flags = DYNO_NEEDS_PEER,
                                        .options = options,
                                        .option_count = ARRAY_SIZE(options)};

static void the_newest_run_that_found_its_peer_tells(void **state)
{
    struct peers peers = {0};
    (void)state;
    assert_null(peers_find(&peers, "eth0"));
    take(&peers, "network.tcp", "eth0", "server=192.168.0.2 port=5201 direction=turns", "9e8",
         "200");
    take(&peers, "network.udp", "eth0", "server=10.0.0.9 port=5202", "9e8", "100"); /* older */
    take(&peers, "network.tcp", "eth0", "server=10.9.9.9", NULL, "300"); /* never got there */
    take(&peers, "storage.write", "eth0", "server=10.9.9.8", "1", "400");
    take(&peers, "network.serve", "eth0", "port=5201", "1", "500"); /* has none */
    take(&peers, "network.tcp", "eth1", "my-server=10.1.1.1 server=fe80::1%eth1", "9e8", "100");
    assert_string_equal(peers_find(&peers, "eth0")->server, "192.168.0.2");
    assert_string_equal(peers_find(&peers, "eth0")->port, "5201");
    assert_string_equal(peers_find(&peers, "eth1")->server, "fe80::1%eth1");
    assert_string_equal(peers_find(&peers, "eth1")->port, "");
}

static void foreign_rows_do_no_harm(void **state)
{
    struct peers peers = {0};
    char target[32], settings[2 * PEER_TEXT_MAX] = "server=";
    (void)state;
    for (size_t i = 7; i < sizeof settings - 1; i++)
        settings[i] = 'x';
    settings[sizeof settings - 1] = '\0';
    take(&peers, "network.tcp", "eth0", settings, "1", "1");
    take(&peers, "network.tcp", "eth0", "server=", "1", "1");
    take(&peers, "network.tcp", "eth0", "server", "1", "1");
    take(&peers, "network.tcp", "eth0", "", "1", "1");
    assert_null(peers_find(&peers, "eth0"));
    for (int i = 0; i < PEERS_MAX + 5; i++) {
        (void)snprintf(target, sizeof target, "p%d", i);
        take(&peers, "network.tcp", target, "server=a", "1", "1");
    }
    assert_int_equal(peers.count, PEERS_MAX);
}

static void the_screen_offers_the_last_peer_and_both_directions(void **state)
{
    struct peers peers = {0};
    struct kept kept = {0};
    (void)state;
    assert_null(peers_offer(&peers, &tcp, "eth0", "server"));
    assert_string_equal(peers_offer(&peers, &tcp, "eth0", "direction"), "turns");
    assert_true(peers_is_missing(&tcp, "eth0", &kept));
    peers_prepare(&peers, &tcp, "eth0", &kept);
    assert_true(peers_is_missing(&tcp, "eth0", &kept));
    take(&peers, "network.tcp", "eth0", "server=192.168.0.2 port=5301", "9e8", "200");
    peers_prepare(&peers, &tcp, "eth0", &kept);
    assert_false(peers_is_missing(&tcp, "eth0", &kept));
    assert_string_equal(kept_find(&kept, "network.tcp", "eth0", "server"), "192.168.0.2");
    assert_string_equal(kept_find(&kept, "network.tcp", "eth0", "port"), "5301");
    assert_null(kept_find(&kept, "network.tcp", "eth0", "time"));
    kept_set(&kept, "network.tcp", "eth0", "direction", "out"); /* a person's own word stays */
    peers_prepare(&peers, &tcp, "eth0", &kept);
    assert_string_equal(kept_find(&kept, "network.tcp", "eth0", "direction"), "out");
    kept_set(&kept, "network.tcp", "eth0", "server", "");
    assert_true(peers_is_missing(&tcp, "eth0", &kept));
    kept_done(&kept);
}

static void a_test_without_a_peer_is_left_alone(void **state)
{
    struct peers peers = {0};
    struct kept kept = {0};
    struct catalog_test serve = tcp;
    (void)state;
    serve.flags = 0;
    take(&peers, "network.tcp", "eth0", "server=192.168.0.2", "9e8", "200");
    peers_prepare(&peers, &serve, "eth0", &kept);
    assert_int_equal(kept.count, 0);
    assert_false(peers_is_missing(&serve, "eth0", &kept));
    kept_done(&kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_run_that_found_its_peer_tells),
        cmocka_unit_test(foreign_rows_do_no_harm),
        cmocka_unit_test(the_screen_offers_the_last_peer_and_both_directions),
        cmocka_unit_test(a_test_without_a_peer_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
