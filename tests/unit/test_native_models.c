/* test_native_models.c - runs of all worked examples by the tape and by machine code: the same rows
 * bit for bit; and what happens where the system refuses executable memory. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile/native.h"
#include "unit/cases.h"

#include "test_simulate.h"

static bool same_rows(const ct_rows *a, const ct_rows *b)
{
    uint64_t count = a->count * a->cols;
    if (a->count != b->count || a->cols != b->cols)
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (memcmp(&a->value[i], &b->value[i], sizeof *a->value) != 0 &&
            !(isnan(a->value[i]) && isnan(b->value[i])))
            return false;
    return true;
}

/* Steps that differ do so soon: of long runs the first are enough. */
static volatile sig_atomic_t over;
static int steps;

static void count_step(void *user, double t)
{
    (void)user, (void)t;
    over = ++steps >= cases_of(600);
}

static void run_first_steps(trial *t)
{
    steps = over = 0;
    t->def.interrupted = &over;
    t->def.stepped = count_step;
    run_trial(t);
}

/* What cannot be run (open ends of LG2ss) cannot be run either way. */
static void compare_runs(const char *name, const char *text, uint32_t *compared, uint32_t *native)
{
    trial by_code = new_trial(NULL), by_tape = new_trial(NULL);
    by_code.text = by_tape.text = text;
    by_tape.tape = true;
    run_first_steps(&by_code);
    run_first_steps(&by_tape);
    assert_true((by_code.run != NULL) == (by_tape.run != NULL));
    if (by_code.run) {
        assert_false(by_tape.run->native);
        if (!same_rows(&by_code.run->outputs, &by_tape.run->outputs) ||
            by_code.run->stats.steps != by_tape.run->stats.steps)
            fail_msg("%s: tape and machine code differ", name);
        *compared += 1;
        *native += by_code.run->native;
    }
    end_trial(&by_code);
    end_trial(&by_tape);
}

static void all_examples(void **state)
{
    (void)state;
    uint32_t compared = 0, native = 0;
    for (size_t i = 0; ct_example_at(i); i++)
        compare_runs(ct_example_at(i)->name, ct_example_at(i)->text, &compared, &native);
    print_message("%u runs compared, %u by machine code\n", compared, native);
    assert_true(compared >= 25 && (!ct_native_cpu().native || native >= 20));
}

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

/* In a process that may not make memory executable: exit code 0: it ran, by the tape. */
static void run_refused(void)
{
    trial t = new_trial(model_path("double_pendulum"));
    if (prctl(PR_SET_MDWE, 1L, 0L, 0L, 0L) != 0)
        _exit(77); /* this kernel does not know it */
    run_trial(&t);
    _exit(t.run && t.run->status == CT_SOLVED && !t.run->native ? 0 : 1);
}

static void a_refusal_is_no_failure(void **state)
{
    (void)state;
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        run_refused();
    assert_true(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        print_message("not possible on this system\n");
    else
        assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_examples),
        cmocka_unit_test(a_refusal_is_no_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
