/* wrong: address, expected, got and the second reading; the first ones told, all counted. */
#include "prelude.h"

#include <memory/wrong.h>

#include "fake_host.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static uint64_t words[8192];
static const struct content zeros = {.kind = CONTENT_WORD};

static void one_word_is_told_whole(void **state)
{
    (void)state;
    struct wrong wrong;
    static struct dyno_run run;
    char text[WRONG_TEXT], address[32];
    fake_open(&run, NULL, NULL);
    wrong_init(&wrong);
    memset(words, 0, sizeof words);
    words[700] = 0x20;
    assert_int_equal(wrong_search(&wrong, &zeros, words, 8192, 3, true), 1);
    assert_true(words[700] == 0); /* put right */
    assert_int_equal(wrong_tell(&wrong, &fake_host, &run), 1);
    assert_string_equal(run.event_code, "memory-error");
    (void)snprintf(address, sizeof address, "address 0x%jx", (uintmax_t)(uintptr_t)&words[700]);
    assert_non_null(strstr(run.event_text, address));
    assert_non_null(strstr(run.event_text, "expected 0x0000000000000000, got 0x0000000000000020, "
                                           "read again 0x0000000000000020"));
    assert_non_null(strstr(run.event_text, "CPU 3"));
    wrong_sentence(&wrong, text);
    assert_non_null(strstr(text, "memory error: 1 wrong word; address"));
    assert_int_equal(wrong_tell(&wrong, &fake_host, &run), 1); /* said once */
    assert_int_equal(run.events, 1);
    wrong_done(&wrong);
    fake_close(&run);
}

static void many_are_counted_and_few_told(void **state)
{
    (void)state;
    struct wrong wrong;
    static struct dyno_run run;
    char text[WRONG_TEXT];
    fake_open(&run, NULL, NULL);
    wrong_init(&wrong);
    memset(words, 0xff, sizeof words);
    assert_int_equal(wrong_search(&wrong, &zeros, words, 8192, 0, false), 4096);
    assert_int_equal(wrong_tell(&wrong, &fake_host, &run), 4096);
    assert_int_equal(run.events, WRONG_KEPT);
    wrong_sentence(&wrong, text);
    assert_non_null(strstr(text, "4096 wrong words"));
    wrong_done(&wrong);
    fake_close(&run);
}

static void a_sum_alone_is_told_and_once(void **state)
{
    (void)state;
    struct wrong wrong;
    static struct dyno_run run;
    char text[WRONG_TEXT];
    fake_open(&run, NULL, NULL);
    wrong_init(&wrong);
    assert_int_equal(wrong_tell(&wrong, &fake_host, &run), 0);
    assert_int_equal(run.events, 0);
    wrong_add_sum(&wrong, "read", 1, 2, 0);
    assert_int_equal(wrong_tell(&wrong, &fake_host, &run), 1);
    assert_int_equal(run.events, 1);
    /* verify asks at each look: the same event came ten times a second, all night */
    assert_int_equal(wrong_tell(&wrong, &fake_host, &run), 1);
    assert_int_equal(run.events, 1);
    wrong_sentence(&wrong, text);
    assert_non_null(strstr(text, "read on CPU 0 added up to 0x0000000000000002"));
    wrong_done(&wrong);
    fake_close(&run);
}

/* A wrong word told before must not hide that a checksum was wrong too. */
static void a_sum_is_told_beside_words(void **state)
{
    (void)state;
    struct wrong wrong;
    static struct dyno_run run;
    fake_open(&run, NULL, NULL);
    wrong_init(&wrong);
    memset(words, 0, sizeof words);
    words[5] = 1;
    assert_int_equal(wrong_search(&wrong, &zeros, words, 8192, 0, true), 1);
    wrong_add_sum(&wrong, "the checksum", 1, 2, 0);
    assert_int_equal(wrong_tell(&wrong, &fake_host, &run), 2);
    assert_int_equal(run.events, 2);
    assert_non_null(strstr(run.event_text, "the checksum on CPU 0"));
    wrong_done(&wrong);
    fake_close(&run);
}

static atomic_bool flips_on;

static void *flip(void *word)
{
    volatile uint64_t *at = word;
    while (atomic_load_explicit(&flips_on, memory_order_relaxed)) {
        *at = 1;
        *at = 0;
    }
    return NULL;
}

/* A reading that was wrong once was once passed over: "it was wrong and is right now". */
static void a_fleeting_error_is_one(void **state)
{
    (void)state;
    struct wrong wrong;
    pthread_t thread;
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        skip();
    wrong_init(&wrong);
    memset(words, 0, sizeof words);
    atomic_store(&flips_on, true);
    assert_int_equal(pthread_create(&thread, NULL, flip, &words[300]), 0);
    for (unsigned i = 0; i < 2000000 && !wrong.sum[0]; i++)
        (void)wrong_search(&wrong, &zeros, words, CONTENT_STRETCH, 2, false);
    atomic_store(&flips_on, false);
    (void)pthread_join(thread, NULL);
    assert_non_null(strstr(wrong.sum, "each was right when read again, CPU 2"));
    wrong_done(&wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_word_is_told_whole),
        cmocka_unit_test(many_are_counted_and_few_told),
        cmocka_unit_test(a_sum_alone_is_told_and_once),
        cmocka_unit_test(a_sum_is_told_beside_words),
        cmocka_unit_test(a_fleeting_error_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
