/* aside: only the file that was found damaged is moved, never its successor. */
#include <fcntl.h>
#include <sys/file.h>

#include "scene.h"
#include "store/aside.h"

static void test_only_the_same_file(void **state)
{
    AUTO(str_done) struct str path = {0}, fresh = {0}, name = {0}, other = {0};
    char folder[64];
    struct stat which;
    (void)state;
    scene_folder(folder);
    str_addf(&path, "%s/results.db", folder);
    str_addf(&fresh, "%s/fresh", folder);
    AUTO_CLOSE int first = open(path.text, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    AUTO_CLOSE int second = open(fresh.text, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(first >= 0 && second >= 0);
    assert_int_equal(stat(path.text, &which), 0);
    assert_int_equal(rename(fresh.text, path.text), 0); /* another program was faster */
    assert_int_equal(aside_move(path.text, &which, &name), 0);
    assert_int_equal(scene_count(folder, "results.db.damaged-", &other), 0);
    assert_int_equal(stat(path.text, &which), 0);
    assert_int_equal(aside_move(path.text, &which, &name), 1);
    assert_int_equal(scene_count(folder, "results.db.damaged-", &other), 1);
    assert_true(str_ends(name.text, other.text));
    assert_int_equal(aside_move(path.text, &which, &name), 0); /* it is gone already */
    scene_remove(folder);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_only_the_same_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
