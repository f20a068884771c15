/* governor: held, put back, put back after a holder that was killed, and who may. */
#include "worker/governor.h"

#include "../grown.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

#define POLICIES "/sys/devices/system/cpu/cpufreq/"

static void grow_board(void)
{
    grow(POLICIES "policy0/scaling_governor", "schedutil\n");
    grow(POLICIES "policy4/scaling_governor", "ondemand\n");
    grow(POLICIES "boost", "1\n");
}

/* A file of the test keeps the end of a longer text that stood there: as in sysfs, the first word
 * is what counts. */
static void assert_governor(const char *policy, const char *governor)
{
    char path[256], text[64] = "";
    (void)snprintf(path, sizeof path, "%s" POLICIES "%s/scaling_governor", grown_root, policy);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    (void)!fgets(text, sizeof text, file);
    (void)fclose(file);
    text[strcspn(text, "\n")] = '\0';
    assert_int_equal(strncmp(text, governor, strlen(governor)), 0);
}

static void set_governor(const char *policy, const char *governor)
{
    char path[128];
    (void)snprintf(path, sizeof path, POLICIES "%s/scaling_governor", policy);
    grow(path, governor);
}

static void it_is_held_and_put_back(void **state)
{
    (void)state;
    AUTO(str_done) struct str why = {0}, before = {0}, during = {0};
    struct governor governor;
    grow_board();
    set_governor("policy4", "performance");
    governor_tell(grown_root, &before);
    assert_string_equal(before.text, "policy0 schedutil, policy4 performance");
    assert_int_equal(governor_hold(grown_root, grown_root, &governor, &why), 0);
    governor_tell(grown_root, &during);
    assert_string_equal(during.text, "performance");
    governor_release(&governor);
    assert_int_equal(governor.fd, -1);
    assert_governor("policy0", "schedutil");
    assert_governor("policy4", "performance");
    governor_release(&governor); /* does nothing */
}

/* What a person changed meanwhile is theirs. */
static void a_change_by_others_stays(void **state)
{
    (void)state;
    AUTO(str_done) struct str why = {0};
    struct governor governor;
    grow_board();
    assert_int_equal(governor_hold(grown_root, grown_root, &governor, &why), 0);
    set_governor("policy0", "powersave");
    governor_release(&governor);
    assert_governor("policy0", "powersave");
    assert_governor("policy4", "ondemand");
}

static void the_next_start_mends_what_a_killed_one_left(void **state)
{
    (void)state;
    int pipe_ends[2], status;
    char ready;
    grow_board();
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct governor governor;
        struct str why = {0};
        int code = governor_hold(grown_root, grown_root, &governor, &why);
        (void)!write(pipe_ends[1], code == 0 ? "y" : "n", 1);
        for (;;)
            (void)pause();
    }
    assert_int_equal(read(pipe_ends[0], &ready, 1), 1);
    assert_int_equal(ready, 'y');
    set_governor("policy0", "performance\n");
    set_governor("policy4", "performance\n");

    AUTO(str_done) struct str why = {0};
    struct governor other;
    governor_mend(grown_root, grown_root); /* its holder lives */
    assert_governor("policy0", "performance");
    assert_int_equal(governor_hold(grown_root, grown_root, &other, &why), -EBUSY);
    assert_non_null(strstr(why.text, "another run holds it"));
    assert_governor("policy0", "performance");

    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    governor_mend(grown_root, grown_root);
    assert_governor("policy0", "schedutil");
    assert_governor("policy4", "ondemand");
    set_governor("policy0", "performance\n"); /* a person's wish from now on */
    governor_mend(grown_root, grown_root);
    assert_governor("policy0", "performance");
    (void)close(pipe_ends[0]);
    (void)close(pipe_ends[1]);
}

/* Lines that no holder wrote change nothing. */
static void a_strange_file_changes_nothing(void **state)
{
    (void)state;
    grow_board();
    set_governor("policy0", "performance\n");
    grow("/governor", "../../../../etc/passwd x\npolicy0 rm -rf\npolicy0\n\npolicy0 \npolicyx a\n"
                      "policy0/../policy4 powersave\n");
    governor_mend(grown_root, grown_root);
    assert_governor("policy0", "performance");
    assert_governor("policy4", "ondemand");
}

static void a_board_without_one_is_told(void **state)
{
    (void)state;
    AUTO(str_done) struct str why = {0}, text = {0};
    struct governor governor;
    governor_tell(grown_root, &text);
    assert_int_equal(text.size, 0);
    assert_int_equal(governor_hold(grown_root, grown_root, &governor, &why), -ENOENT);
    assert_string_equal(why.text, "the governor is not held: this board has none");
    assert_int_equal(governor.fd, -1);
}

/* A server has one policy a core. */
static void all_of_many_are_put_back(void **state)
{
    (void)state;
    enum { MANY = 700 };
    AUTO(str_done) struct str why = {0};
    struct governor governor;
    char policy[32];
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(policy, sizeof policy, "policy%u", i);
        set_governor(policy, "a-governor-with-a-long-name\n");
    }
    assert_int_equal(governor_hold(grown_root, grown_root, &governor, &why), 0);
    for (unsigned i = 0; i < MANY; i++) { /* in sysfs it is the whole text */
        (void)snprintf(policy, sizeof policy, "policy%u", i);
        assert_governor(policy, "performance");
        set_governor(policy, "performance\n");
    }
    governor_release(&governor);
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(policy, sizeof policy, "policy%u", i);
        assert_governor(policy, "a-governor-with-a-long-name");
    }
}

static void what_could_not_be_put_back_is_not_changed(void **state)
{
    (void)state;
    AUTO(str_done) struct str why = {0};
    struct governor governor;
    grow_board();
    set_governor("policy4", "my.own\n");
    assert_int_equal(governor_hold(grown_root, grown_root, &governor, &why), -EINVAL);
    assert_int_equal(governor.fd, -1);
    assert_governor("policy0", "schedutil");
    assert_governor("policy4", "my.own");
}

/* Those already changed are put back when one refuses. */
static void all_or_nothing(void **state)
{
    (void)state;
    AUTO(str_done) struct str why = {0}, mine = {0}, refused = {0};
    struct governor governor;
    grow_board();
    str_addf(&mine, "%s" POLICIES "policy0/scaling_governor", grown_root);
    str_addf(&refused, "%s" POLICIES "policy4/scaling_governor", grown_root);
    assert_int_equal(chmod(refused.text, 0444), 0);
    if (geteuid() == 0) { /* whom no mode keeps out */
        assert_int_equal(chown(grown_root, 65534, (gid_t)-1), 0);
        assert_int_equal(chown(mine.text, 65534, (gid_t)-1), 0);
        assert_int_equal(seteuid(65534), 0);
    }
    assert_int_equal(governor_hold(grown_root, grown_root, &governor, &why), -EACCES);
    assert_string_equal(why.text, "the governor is not held: changing it takes root");
    assert_int_equal(governor.fd, -1);
    assert_int_equal(seteuid(getuid()), 0);
    assert_governor("policy0", "schedutil");
    assert_governor("policy4", "ondemand");
}

int main(void)
{
#define GROWN(test) cmocka_unit_test_setup_teardown(test, grown_setup, grown_teardown)
    const struct CMUnitTest tests[] = {
        GROWN(it_is_held_and_put_back),
        GROWN(a_change_by_others_stays),
        GROWN(the_next_start_mends_what_a_killed_one_left),
        GROWN(a_strange_file_changes_nothing),
        GROWN(a_board_without_one_is_told),
        GROWN(all_of_many_are_put_back),
        GROWN(what_could_not_be_put_back_is_not_changed),
        GROWN(all_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
