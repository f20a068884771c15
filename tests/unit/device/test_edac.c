/* edac: sums over controllers; none is told apart from no errors. */
#include "device/edac.h"

#include "../grown.h"

#define MC "/sys/devices/system/edac/mc/"

static void counts_are_summed(void **state)
{
    (void)state;
    struct edac edac;
    grow(MC "mc0/ce_count", "3\n");
    grow(MC "mc0/ue_count", "0\n");
    grow(MC "mc1/ce_count", "4\n");
    grow(MC "mc1/ue_count", "1\n");
    grow(MC "mcx/ce_count", "100\n");
    grow(MC "power/ce_count", "100\n");
    edac_read(grown_root, &edac);
    assert_int_equal(edac.controllers, 2);
    assert_int_equal(edac.corrected, 7);
    assert_int_equal(edac.uncorrected, 1);
}

static void a_folder_without_controllers_counts_nothing(void **state)
{
    (void)state;
    struct edac edac = {.controllers = 5};
    grow(MC "uevent", "");
    edac_read(grown_root, &edac);
    assert_int_equal(edac.controllers, 0);
    grow(MC "mc0/ce_count", "rubbish\n");
    edac_read(grown_root, &edac);
    assert_int_equal(edac.controllers, 1);
    assert_int_equal(edac.corrected, 0);
}

int main(void)
{
#define GROWN(test) cmocka_unit_test_setup_teardown(test, grown_setup, grown_teardown)
    const struct CMUnitTest tests[] = {
        GROWN(counts_are_summed),
        GROWN(a_folder_without_controllers_counts_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
