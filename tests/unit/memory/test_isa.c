/* isa: what this CPU has, what it lacks, what is forced. */
#include "prelude.h"

#include <memory/isa.h>

static void base_is_the_first_and_auto_is_none(void **state)
{
    (void)state;
    char why[ISA_TEXT];
    const struct kernel_isa *isa;
    assert_int_equal(isa_find("base", &isa, why), 0);
    assert_ptr_equal(isa, kernel_isas[0]);
    assert_int_equal(isa_find("auto", &isa, why), 0);
    assert_null(isa);
    assert_int_equal(isa_find("", &isa, why), 0);
    assert_null(isa);
}

static void a_foreign_one_is_refused_with_what_there_is(void **state)
{
    (void)state;
    char why[ISA_TEXT], list[ISA_TEXT];
    const struct kernel_isa *isa;
#if defined(__aarch64__)
    const char *foreign = "avx2";
#else
    const char *foreign = "neon";
#endif
    assert_int_equal(isa_find(foreign, &isa, why), -EINVAL);
    assert_non_null(strstr(why, isa_list(list)));
    assert_int_equal(isa_find("zva", &isa, why), -EINVAL); /* an instruction, no set */
}

static void candidates_of_kernels(void **state)
{
    (void)state;
    struct isa_choice choices[ISA_CANDIDATES];
    assert_int_equal(isa_candidates(KERNEL_MEMCPY, NULL, choices), 1);
    assert_string_equal(choices[0].name, "libc");
    assert_int_equal(isa_candidates(KERNEL_RD, NULL, choices), 1);
    assert_string_equal(choices[0].name, "C");
    unsigned count = isa_candidates(KERNEL_READ, NULL, choices);
    assert_true(count >= 1);
    assert_ptr_equal(choices[0].fn, kernel_isas[0]->fn[KERNEL_READ]);
    assert_int_equal(isa_candidates(KERNEL_READ, kernel_isas[0], choices), 1);
    assert_string_equal(choices[0].name, kernel_isas[0]->name);
}

static int always(void)
{
    return 1;
}

static void a_forced_set_without_the_kernel_leaves_it_to_the_base(void **state)
{
    (void)state;
    static const struct kernel_isa bare = {.name = "bare", .is_usable = always};
    struct isa_choice choices[ISA_CANDIDATES];
    assert_int_equal(isa_candidates(KERNEL_COPY, &bare, choices), 1);
    assert_string_equal(choices[0].name, kernel_isas[0]->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_is_the_first_and_auto_is_none),
        cmocka_unit_test(a_foreign_one_is_refused_with_what_there_is),
        cmocka_unit_test(candidates_of_kernels),
        cmocka_unit_test(a_forced_set_without_the_kernel_leaves_it_to_the_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
