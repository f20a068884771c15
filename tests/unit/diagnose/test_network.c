/* network: each rule with the figures that make it speak, and the four cases of a shaped link. */
#include "frames.h"

#include <string.h>

#include "diagnose/verdict.h"
#include "iodyno/plugin.h"

enum {
    SENT,
    RATE,
    OUT,
    IN,
    AGAIN,
    SHARE,
    BUSY,
    WINDOW,
    CPU,
    CARRIER,
    LOST,
    PACKETS,
    CWND,
    OFFERED
};
static const struct frame_metric metrics[] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "sent", ""},
    {DYNO_BIT_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate", ""},
    {DYNO_BIT_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate_out", ""},
    {DYNO_BIT_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate_in", ""},
    {DYNO_COUNT, DYNO_DELTA, DYNO_ZERO, 0, "retransmits", ""},
    {DYNO_RATIO, DYNO_GAUGE, DYNO_ZERO, 0, "retransmit_share", ""},
    {DYNO_RATIO, DYNO_GAUGE, DYNO_NONE, 0, "busy", ""},
    {DYNO_RATIO, DYNO_GAUGE, DYNO_NONE, 0, "rwnd_limited", ""},
    {DYNO_RATIO, DYNO_TOTAL, DYNO_NONE, 0, "cpu_share", ""},
    {DYNO_COUNT, DYNO_DELTA, DYNO_ZERO, 0, "carrier_changes", ""},
    {DYNO_COUNT, DYNO_DELTA, DYNO_ZERO, 0, "lost", ""},
    {DYNO_COUNT, DYNO_DELTA, DYNO_NONE, 0, "packets", ""},
    {DYNO_BYTE, DYNO_GAUGE, DYNO_NONE, 0, "cwnd", ""},
    {DYNO_BYTE, DYNO_GAUGE, DYNO_NONE, 0, "peer_window", ""},
};

struct figures {
    const char *test;
    struct pair start[6], facts[4];     /* ended by {NULL} */
    double values[ARRAY_SIZE(metrics)]; /* 0: none */
    struct {
        unsigned metric;
        double value;
    } told[2];       /* as results; value 0: none */
    double again[4]; /* segments sent again in one interval after another, instead */
    bool is_running;
};

static struct verdict judge(const struct figures *figures)
{
    AUTO(str_done) struct str pairs = {0};
    struct model *model = model_new();
    struct verdict verdict;
    str_add_pair(&pairs, "test", figures->test ? figures->test : "network.tcp");
    for (const struct pair *pair = figures->start; pair->key; pair++)
        str_add_pair(&pairs, pair->key, pair->value);
    struct frame frame = {
        .type = FRAME_START,
        .start = {.tick_ns = S, .report_ns = S, .mono_ns = S, .metric_count = ARRAY_SIZE(metrics)},
        .metrics = metrics};
    apply(model, &frame, &pairs);
    tell(model, figures->facts, FRAME_FACT);
    for (unsigned i = 0; i < ARRAY_SIZE(metrics); i++) {
        const double value = figures->values[i];
        frame = (struct frame){
            .type = FRAME_RESULT,
            .result = {.metric = (uint16_t)i, .lane = DYNO_LANE_ALL, .value = value}};
        if (value != 0 && metrics[i].kind == DYNO_TOTAL)
            apply(model, &frame, NULL);
        else if (value != 0)
            add_sample(model, i, 0, value);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(figures->told) && figures->told[i].value > 0; i++) {
        frame = (struct frame){.type = FRAME_RESULT,
                               .result = {.metric = (uint16_t)figures->told[i].metric,
                                          .lane = DYNO_LANE_ALL,
                                          .value = figures->told[i].value}};
        apply(model, &frame, NULL);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(figures->again) && figures->again[0] > 0; i++)
        add_sample(model, AGAIN, i, figures->again[i]);
    AUTO(str_done) struct str end = {0};
    str_add_pair(&end, "sentence", "");
    frame = (struct frame){.type = FRAME_END, .end = {.state = RUN_DONE, .t_ns = 2 * S}};
    if (!figures->is_running)
        apply(model, &frame, &end);
    verdict_of(model, &verdict);
    model_free(model);
    return verdict;
}

static void assert_verdict(const struct figures *figures, const char *code, const char *part)
{
    const struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, code);
    if (!strstr(verdict.main.text, part))
        fail_msg("\"%s\" is not in \"%s\"", part, verdict.main.text);
}

/* The four words of a shaped link, with the figures such links showed. */
static void four_words(void **state)
{
    (void)state;
    struct figures link = {.values = {[RATE] = 287e6, [BUSY] = 1.0, [SHARE] = 0.00001}};
    assert_verdict(&link, "link-limited", "the path is the limit: 287 Mbit/s");
    struct figures receiver = {
        .values = {[RATE] = 51e6, [BUSY] = 1.0, [WINDOW] = 0.99, [SHARE] = 0.0002}};
    assert_verdict(&receiver, "receiver-limited", "its window held the sender 99 %");
    struct figures loss = {.values = {[RATE] = 280e6, [BUSY] = 1.0, [AGAIN] = 840, [SHARE] = 0.02}};
    assert_verdict(&loss, "loss", "840 segments were sent again, 2 % of all");
    struct figures paced = {.start = {{"option.bitrate", "50M"}, {"option.parallel", "1"}},
                            .values = {[RATE] = 50e6, [BUSY] = 0.3}};
    assert_verdict(&paced, "paced", "50.0 Mbit/s of 50.0 Mbit/s");
}

/* bbr paces itself to what a slow receiver takes, and runs into its window a third of the time
 * only. */
static void a_sender_that_paces_itself_to_a_slow_receiver(void **state)
{
    (void)state;
    struct figures figures = {.values = {[RATE] = 51e6,
                                         [BUSY] = 1.0,
                                         [WINDOW] = 0.38,
                                         [SHARE] = 0.0001,
                                         [CWND] = 92672,
                                         [OFFERED] = 67000}};
    assert_verdict(&figures, "receiver-limited",
                   "is smaller (67.0 kB) than what the path would take");
    figures.values[OFFERED] = 4e6;
    assert_verdict(&figures, "unknown", "held it 38 %");
    figures.values[OFFERED] = 67000;
    figures.values[WINDOW] = 0.05;
    assert_verdict(&figures, "unknown", "held it 5 %");
}

static void a_paced_run_that_falls_short_is_explained_otherwise(void **state)
{
    (void)state;
    struct figures figures = {
        .start = {{"option.bitrate", "500000000"}, {"option.parallel", "2"}},
        .values = {[RATE] = 500e6, [BUSY] = 1.0, [SHARE] = 0.05, [AGAIN] = 9}};
    assert_verdict(&figures, "loss", "9 segments");
}

static void a_full_line_is_the_limit_though_segments_are_lost(void **state)
{
    (void)state;
    struct figures figures = {
        .start = {{"target.speed_mbps", "1000"}},
        .values = {[RATE] = 935e6, [BUSY] = 1.0, [SHARE] = 0.002, [AGAIN] = 4000}};
    assert_verdict(&figures, "link-limited", "of 941 Mbit/s");
    const struct verdict verdict = judge(&figures);
    assert_true(verdict.ceiling_bps > 941e6 && verdict.ceiling_bps < 942e6);
    assert_true(verdict.fraction > 0.99 && verdict.fraction < 1.0);
}

/* 67 Mbit/s with 21434 retransmits in a minute on a gigabit port: 6.2 %, not a harmless count. */
static void the_published_riddle(void **state)
{
    (void)state;
    struct figures figures = {
        .start = {{"target.speed_mbps", "1000"}},
        .values = {[RATE] = 67e6, [BUSY] = 1.0, [SHARE] = 0.062, [AGAIN] = 21434}};
    assert_verdict(&figures, "loss", "21434 segments were sent again, 6.2 % of all");
    assert_verdict(&figures, "loss", "67.0 Mbit/s of 941 Mbit/s (7.1 %)");
    assert_verdict(&figures, "loss", "RGMII delay");
    figures.facts[0] = (struct pair){"loss-place", "rx_crc_errors +312: cable or connector"};
    assert_verdict(&figures, "loss", "rx_crc_errors +312");
}

static void one_bad_direction_is_named(void **state)
{
    (void)state;
    struct figures figures = {
        .values = {
            [RATE] = 36e6, [OUT] = 36e6, [IN] = 708e6, [BUSY] = 1.0, [SHARE] = 0.03, [AGAIN] = 12}};
    assert_verdict(&figures, "loss",
                   "out 36.0 Mbit/s, in 708 Mbit/s: look at the sending direction");
}

static void the_port_itself(void **state)
{
    (void)state;
    struct figures dropped = {.values = {[RATE] = 100e6, [BUSY] = 1.0, [CARRIER] = 3}};
    assert_verdict(&dropped, "link-dropped", "dropped 2 times");
    struct figures elsewhere = {.facts = {{"wrong-path", "eth0 sent 0 B of 6.3 MB"}},
                                .values = {[RATE] = 40e9}};
    assert_verdict(&elsewhere, "wrong-path", "eth0 sent 0 B of 6.3 MB");
    struct figures slow = {.start = {{"target.speed_mbps", "100"},
                                     {"target.capable_mbps", "1000"},
                                     {"target.duplex", "half"}},
                           .values = {[RATE] = 93e6, [BUSY] = 1.0}};
    const struct verdict verdict = judge(&slow);
    assert_string_equal(verdict.main.code, "link-limited");
    assert_int_equal(verdict.warning_count, 2);
    assert_string_equal(verdict.warnings[0].code, "half-duplex");
    assert_string_equal(verdict.warnings[1].code, "below-capability");
    assert_non_null(strstr(verdict.warnings[1].text, "runs at 100 Mbit/s, both ends can do 1000"));
}

static void the_machine_at_either_end(void **state)
{
    (void)state;
    struct figures cpu = {.values = {[RATE] = 700e6, [BUSY] = 0.99, [CPU] = 0.97}};
    assert_verdict(&cpu, "cpu-limited", "97 % of a core");
    struct figures softirq = {.facts = {{"softirq-full", "CPU 0 spent 98 % on network interrupts"}},
                              .values = {[RATE] = 400e6, [BUSY] = 1.0}};
    assert_verdict(&softirq, "cpu-limited", "CPU 0 spent 98 %");
    struct figures sender = {.values = {[RATE] = 51e6, [BUSY] = 0.1}};
    assert_verdict(&sender, "sender-limited", "only 10 % of the time");
}

/* bbr's start overruns the deepest queue once: that is not what held the run back. */
static void a_burst_at_the_start_is_no_loss(void **state)
{
    (void)state;
    struct figures figures = {.values = {[RATE] = 284e6, [BUSY] = 1.0, [SHARE] = 0.0016},
                              .again = {81}};
    assert_verdict(&figures, "link-limited", "0.16 % of the segments were sent again");
    figures.values[SHARE] = 0.03;
    assert_verdict(&figures, "loss", "81 segments");
    for (int i = 0; i < 4; i++)
        figures.again[i] = 20;
    figures.values[SHARE] = 0.0016;
    assert_verdict(&figures, "loss", "80 segments");
}

static void datagrams(void **state)
{
    (void)state;
    struct figures udp = {.test = "network.udp",
                          .start = {{"option.bitrate", "100000000"}, {"option.parallel", "1"}},
                          .values = {[RATE] = 99e6, [LOST] = 1, [PACKETS] = 10000}};
    assert_verdict(&udp, "paced", "100 Mbit/s");
    udp.values[RATE] = 60e6;
    udp.values[LOST] = 4000;
    assert_verdict(&udp, "loss", "4000 datagrams were lost, 40 % of all");
}

/* Told by the receiver when the test is over. */
static void datagrams_that_were_sent(void **state)
{
    (void)state;
    struct figures udp = {.test = "network.udp",
                          .start = {{"option.bitrate", "60M"}, {"option.parallel", "1"}},
                          .values = {[RATE] = 19.6e6},
                          .told = {{LOST, 6700}, {PACKETS, 10000}},
                          .again = {0}};
    assert_verdict(&udp, "loss", "6700 datagrams were lost, 67 % of all");
}

static void a_sweep_tells_its_knee(void **state)
{
    (void)state;
    struct figures sweep = {
        .test = "network.udp",
        .start = {{"option.bitrate", "30M"}, {"option.parallel", "1"}, {"option.sweep", "yes"}},
        .values = {[RATE] = 90e6, [LOST] = 4000, [PACKETS] = 10000}};
    assert_verdict(&sweep, "link-limited", "the highest rate that arrives: 90.0 Mbit/s");
}

static void nothing_is_claimed_without_figures(void **state)
{
    (void)state;
    struct figures in = {.values = {[RATE] = 500e6}};
    assert_verdict(&in, "unknown", "direction=out tells");
    struct figures fresh = {.is_running = true};
    assert_verdict(&fresh, "unknown", "nothing has been measured yet");
}

static void a_server_says_how_to_come(void **state)
{
    (void)state;
    struct figures waits = {
        .test = "network.serve",
        .start = {{"target.addresses", "10.0.0.1/24 fe80::1/64"}, {"option.port", "5202"}},
        .is_running = true};
    assert_verdict(&waits, "unknown", "waits for clients: iperf3 -c 10.0.0.1 -p 5202");
    struct figures alone = {.test = "network.serve"};
    assert_verdict(&alone, "unknown", "no client came: iperf3 -c THIS-MACHINE");
    struct figures serves = {.test = "network.serve", .values = {[SENT] = 5e6}, .is_running = true};
    assert_verdict(&serves, "unknown", "told at the client's end");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_words),
        cmocka_unit_test(a_sender_that_paces_itself_to_a_slow_receiver),
        cmocka_unit_test(a_paced_run_that_falls_short_is_explained_otherwise),
        cmocka_unit_test(a_full_line_is_the_limit_though_segments_are_lost),
        cmocka_unit_test(the_published_riddle),
        cmocka_unit_test(one_bad_direction_is_named),
        cmocka_unit_test(the_port_itself),
        cmocka_unit_test(the_machine_at_either_end),
        cmocka_unit_test(a_burst_at_the_start_is_no_loss),
        cmocka_unit_test(datagrams),
        cmocka_unit_test(datagrams_that_were_sent),
        cmocka_unit_test(a_sweep_tells_its_knee),
        cmocka_unit_test(nothing_is_claimed_without_figures),
        cmocka_unit_test(a_server_says_how_to_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
