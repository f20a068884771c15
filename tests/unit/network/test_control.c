/* control: whole messages or a named error, within a deadline, bounded by their caps. */
#include "prelude.h"

#include "network/control.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define SOON_NS 30000000u
#define LATE_NS 5000000000u

struct line {
    struct control here;
    int there, cancel;
};

static uint64_t soon(void)
{
    return control_now_ns() + SOON_NS;
}

static uint64_t late(void)
{
    return control_now_ns() + LATE_NS;
}

static int open_line(void **state)
{
    struct line *line = calloc(1, sizeof *line);
    int ends[2];
    if (!line || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return -1;
    line->cancel = eventfd(0, EFD_CLOEXEC);
    line->here = (struct control){.fd = ends[0], .cancel_fd = line->cancel};
    line->there = ends[1];
    *state = line;
    return 0;
}

static int close_line(void **state)
{
    struct line *line = *state;
    (void)close(line->here.fd);
    (void)close(line->there);
    (void)close(line->cancel);
    free(line);
    return 0;
}

static void states_are_signed_bytes(void **state)
{
    struct line *line = *state;
    static const int due[] = {STATE_PARAM_EXCHANGE, STATE_ACCESS_DENIED, STATE_SERVER_ERROR};
    int got = 0;
    assert_int_equal(write(line->there, "\x09\xff\xfe\x63", 4), 4);
    for (size_t i = 0; i < sizeof due / sizeof due[0]; i++) {
        assert_int_equal(control_read_state(&line->here, late(), &got), 0);
        assert_int_equal(got, due[i]);
    }
    assert_int_equal(control_read_state(&line->here, late(), &got), -EPROTO);
    assert_int_equal(got, STATE_SERVER_ERROR); /* untouched */
}

static void silence_ends_with_the_deadline(void **state)
{
    struct line *line = *state;
    uint64_t begin = control_now_ns();
    int got = 77;
    assert_int_equal(control_read_state(&line->here, soon(), &got), -ETIMEDOUT);
    assert_true(control_now_ns() - begin >= SOON_NS);
    assert_int_equal(got, 77);
}

static void a_cancel_ends_a_wait(void **state)
{
    struct line *line = *state;
    char bytes[4];
    int got;
    assert_int_equal(eventfd_write(line->cancel, 1), 0);
    assert_int_equal(control_read_state(&line->here, late(), &got), -ECANCELED);
    assert_int_equal(control_read(&line->here, bytes, sizeof bytes, late()), -ECANCELED);
}

static void an_end_in_the_middle_of_a_text(void **state)
{
    struct line *line = *state;
    char *text = NULL;
    size_t size;
    assert_int_equal(write(line->there, "\0\0\0\x08{\"a", 7), 7);
    (void)shutdown(line->there, SHUT_WR);
    assert_int_equal(control_read_text(&line->here, 100, late(), &text, &size), -ECONNABORTED);
    assert_null(text);
}

static void lengths_stop_at_the_cap(void **state)
{
    static const struct {
        const char *bytes;
        size_t cap;
    } rows[] = {{"\0\0\0\0", 100},
                {"\0\0\0\x65", 100},
                {"\xff\xff\xff\xff", CONTROL_RESULTS_MAX},
                {"\0\0\x20\x01", CONTROL_PARAMS_MAX}};
    struct line *line = *state;
    char *text = NULL;
    size_t size;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(write(line->there, rows[i].bytes, 4), 4);
        assert_int_equal(control_read_text(&line->here, rows[i].cap, late(), &text, &size),
                         -EMSGSIZE);
    }
    assert_null(text);
    assert_int_equal(control_length((const unsigned char *)"\0\0\x20\0", CONTROL_PARAMS_MAX, &size),
                     0);
    assert_int_equal(size, CONTROL_PARAMS_MAX);
}

static void a_text_arrives_whole(void **state)
{
    struct line *line = *state;
    const struct control other = {.fd = line->there, .cancel_fd = -1};
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(control_write_text(&line->here, "{\"a\":1}", late()), 0);
    assert_int_equal(control_read_text(&other, 7, late(), &text, &size), 0);
    assert_int_equal(size, 7);
    assert_string_equal(text, "{\"a\":1}");
    free(text);
}

static void writing_to_who_does_not_read_ends(void **state)
{
    struct line *line = *state;
    const size_t much = 8u << 20;
    char *bytes = calloc(1, much);
    assert_non_null(bytes);
    assert_int_equal(control_write(&line->here, bytes, much, soon()), -ETIMEDOUT);
    free(bytes);
}

static void writing_to_nobody_is_an_error_and_no_signal(void **state)
{
    struct line *line = *state;
    (void)shutdown(line->there, SHUT_RDWR);
    assert_int_equal(control_write_state(&line->here, STATE_TEST_END, late()), -EPIPE);
}

static void old_servers_send_half_an_error(void **state)
{
    struct line *line = *state;
    int number = 0, code = 7;
    assert_int_equal(write(line->there, "\0\0\0\x8e", 4), 4);
    (void)shutdown(line->there, SHUT_WR);
    assert_int_equal(control_read_error(&line->here, late(), &number, &code), 0);
    assert_int_equal(number, 142);
    assert_int_equal(code, 0);
}

static void an_error_is_a_state_and_two_numbers(void **state)
{
    struct line *line = *state;
    const struct control other = {.fd = line->there, .cancel_fd = -1};
    int got = 0, number = 0, code = 0;
    assert_int_equal(control_write_error(&line->here, STATE_ERROR_EXPIRED, 5, late()), 0);
    assert_int_equal(control_read_state(&other, late(), &got), 0);
    assert_int_equal(got, STATE_SERVER_ERROR);
    assert_int_equal(control_read_error(&other, late(), &number, &code), 0);
    assert_int_equal(number, STATE_ERROR_EXPIRED);
    assert_int_equal(code, 5);
}

int main(void)
{
#define LINE(test) cmocka_unit_test_setup_teardown(test, open_line, close_line)
    const struct CMUnitTest tests[] = {
        LINE(states_are_signed_bytes),
        LINE(silence_ends_with_the_deadline),
        LINE(a_cancel_ends_a_wait),
        LINE(an_end_in_the_middle_of_a_text),
        LINE(lengths_stop_at_the_cap),
        LINE(a_text_arrives_whole),
        LINE(writing_to_who_does_not_read_ends),
        LINE(writing_to_nobody_is_an_error_and_no_signal),
        LINE(old_servers_send_half_an_error),
        LINE(an_error_is_a_state_and_two_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
