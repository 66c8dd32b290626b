/* test_flexible.c - bodies that bend: the reference numbers of tests/physics in all coordinates,
 * and closed forms. */
#include "test_simulate.h"

static void check_reference(const char *name, const char *word)
{
    check list[MOST_CHECKS];
    double times[MOST_CHECKS];
    ct_tree_choice choice = ct_default_tree_choice();
    uint32_t count = read_checks(name, list);
    trial t = accurate(name, times, times_of(list, count, times));
    assert_true(count > 2);
    choice.coordinates = word;
    t.choice = word ? &choice : NULL;
    must_run(&t);
    for (uint32_t i = 0; i < count; i++)
        close_to(value_at(&t, list[i].name, list[i].time), list[i].value, list[i].tolerance,
                 list[i].name);
    end_trial(&t);
}

static void test_references(void **state)
{
    (void)state;
    check_reference("flexible_pendulum", NULL);
    check_reference("flexible_pendulum", "joint");
    check_reference("flexible_pendulum", "absolute");
    check_reference("spin_up_beam", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
