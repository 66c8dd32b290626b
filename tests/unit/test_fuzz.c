/* test_fuzz.c - all stages on damaged, random and hostile texts: no crash, no hang, no bare
 * failure.
 *
 * A case is a seed: COTREE_FUZZ_ONE=SEED prints its text and runs it alone. COTREE_FUZZ_CASES sets
 * how many there are, COTREE_FUZZ_SEED where they begin. Cases run in a child process that says in
 * shared memory where it is, so that a crash or a hang names its seed and the rest goes on.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/chain.h"
#include "fuzz/dice.h"
#include "fuzz/grammar.h"
#include "fuzz/mutate.h"

#if defined(__SANITIZE_ADDRESS__)
enum { USUAL_CASES = 3000, SLOWER = 10, SANITIZED = 1 };
#else
enum { USUAL_CASES = 30000, SLOWER = 1, SANITIZED = 0 };
#endif

enum {
    CASE_SECONDS = 20, /* of processor time: what does not end */
    MOST_FAILURES = 40,
    MOST_CRASHES = 20,
    SAME_FAILURE = 24,
    MEGABYTE = 1 << 20,
    PATIENCE = 5 /* a busy machine is that much slower */
};

/* ---- what the child tells */

typedef struct board {
    uint64_t seed; /* of the case that runs */
    uint64_t done, accepted, by_stage[6];
    size_t peak; /* bytes, of all cases */
    double longest;
    uint64_t longest_seed;
    uint32_t failures, kept, crashes;
    char failure[MOST_FAILURES][700];
} board;

static board *shared;
static corpus texts;
static element_kinds kinds;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t setting(const char *name, uint64_t usual)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : usual;
}

/* A failure that begins like two others is counted, not kept. */
static bool is_known(const char *what)
{
    uint32_t alike = 0;
    for (uint32_t i = 0; i < shared->kept; i++)
        alike += strncmp(strchr(shared->failure[i], ':') + 2, what, SAME_FAILURE) == 0;
    return alike > 1;
}

static void note_failure(uint64_t seed, const char *what)
{
    shared->failures++;
    if (shared->kept < MOST_FAILURES && !is_known(what))
        snprintf(shared->failure[shared->kept++], sizeof shared->failure[0], "seed %llu: %s",
                 (unsigned long long)seed, what);
}

/* CPU time of this process; its signal ends the child. */
/* In a child a fault ends the process; cmocka would go on with the next test there. */
static void die_of_faults(void)
{
    static const int faults[] = {SIGSEGV, SIGFPE, SIGILL, SIGBUS, SIGSYS};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], SIG_DFL);
}

static void set_alarm(int limit)
{
    struct itimerval timer = {{0, 0}, {limit, 0}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

/* ---- cases */

static void make_text(uint64_t seed, buffer *out)
{
    dice d = {seed * 0x2545f4914f6cdd1du + 1};
    uint32_t kind = roll(&d, 100);
    if (kind < 50)
        mutated_text(&d, &texts, out);
    else if (kind < 77)
        grammar_text(&d, &kinds, out);
    else if (kind < 86) {
        grammar_text(&d, &kinds, out);
        mutate(&d, out, &texts);
    } else
        random_bytes(&d, out);
}

static void run_case(uint64_t seed, buffer *text)
{
    static chain c;
    double start = seconds();
    make_text(seed, text);
    shared->seed = seed;
    set_alarm(CASE_SECONDS * SLOWER);
    c = (chain){.text = text->at, .length = text->length, .most_components = 20000};
    c.build_broken = seed % 4 == 0;
    c.memory.ceiling = (size_t)2048 * MEGABYTE;
    run_chain(&c);
    end_chain(&c);
    set_alarm(0);
    if (c.wrong[0])
        note_failure(seed, c.wrong);
    shared->done++;
    shared->accepted += c.status == CT_OK;
    shared->by_stage[c.stage < 5 ? c.stage : 5]++;
    shared->peak = c.memory.peak > shared->peak ? c.memory.peak : shared->peak;
    if (seconds() - start > shared->longest) {
        shared->longest = seconds() - start;
        shared->longest_seed = seed;
    }
}

/* In a child: seeds from .. to-1. */
static void run_cases(uint64_t from, uint64_t to)
{
    buffer text = {0};
    for (uint64_t seed = from; seed < to; seed++)
        run_case(seed, &text);
    free(text.at);
}

/* How a child ended, in words; NULL: well. */
static const char *fate(int status)
{
    static char text[60];
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return NULL;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        return "hang";
    if (WIFSIGNALED(status))
        snprintf(text, sizeof text, "crash by signal %d", WTERMSIG(status));
    else
        snprintf(text, sizeof text, "exit %d", WEXITSTATUS(status));
    return text;
}

/* After a crash the next child goes on behind the case that did it. */
static void run_all_cases(uint64_t from, uint64_t to)
{
    while (from < to && shared->crashes < MOST_CRASHES) {
        int status = 0;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            die_of_faults();
            run_cases(from, to);
            _exit(0);
        }
        waitpid(child, &status, 0);
        if (!fate(status))
            return;
        note_failure(shared->seed, fate(status));
        shared->crashes++;
        from = shared->seed + 1;
    }
}

static void report(double duration)
{
    print_message(
        "%llu cases in %.1f s (%.0f a second): %llu accepted; peak %zu MB; longest %.3f s "
        "(seed %llu)\n",
        (unsigned long long)shared->done, duration, (double)shared->done / duration,
        (unsigned long long)shared->accepted, shared->peak / MEGABYTE, shared->longest,
        (unsigned long long)shared->longest_seed);
    print_message("went through: nothing %llu, read %llu, build %llu, graph %llu, all %llu\n",
                  (unsigned long long)shared->by_stage[0], (unsigned long long)shared->by_stage[1],
                  (unsigned long long)shared->by_stage[2], (unsigned long long)shared->by_stage[3],
                  (unsigned long long)(shared->by_stage[4] + shared->by_stage[5]));
    if (shared->failures)
        print_message("%u failures, %u crashes or hangs; one of each kind:\n", shared->failures,
                      shared->crashes);
    for (uint32_t i = 0; i < shared->kept; i++)
        print_message("  %s\n", shared->failure[i]);
}

static void test_random(void **state)
{
    (void)state;
    uint64_t first = setting("COTREE_FUZZ_SEED", 1),
             count = setting("COTREE_FUZZ_CASES", USUAL_CASES);
    double start = seconds();
    memset(shared, 0, sizeof *shared);
    run_all_cases(first, first + count);
    report(seconds() - start);
    assert_int_equal(shared->failures, 0);
}

/* One case for the eye and the debugger: in this process. */
static void test_one(void **state)
{
    (void)state;
    buffer text = {0};
    uint64_t seed = setting("COTREE_FUZZ_ONE", 0);
    double begin = seconds();
    make_text(seed, &text);
    fwrite(text.at, 1, text.length, stdout);
    fflush(stdout);
    run_case(seed, &text);
    report(seconds() - begin);
    free(text.at);
    assert_int_equal(shared->failures, 0);
}

/* ---- hostile texts: tests/fuzz/NAME.lg, the first line says what they may cost
 *
 *     # limit: 5 s, 1000 MB, wrong       "ok", "wrong" (an error, also a limit) or "any"
 */

typedef struct cost {
    int seconds, megabytes;
    char outcome[16];
} cost;

static void run_hostile(const buffer *text, const cost *limit)
{
    static chain c;
    set_alarm(limit->seconds * SLOWER * PATIENCE);
    c = (chain){.text = text->at, .length = text->length, .again = true};
    c.memory.ceiling = (size_t)(limit->megabytes) * MEGABYTE;
    run_chain(&c);
    if (c.model)
        ct_dump_model(c.ctx, c.model, &(const char *){NULL});
    end_chain(&c);
    set_alarm(0);
    shared->peak = c.memory.peak;
    if (strcmp(limit->outcome, "ok") == 0 && c.status != CT_OK)
        complain(&c, "should be accepted: %s", ct_status_text(c.status));
    if (strcmp(limit->outcome, "wrong") == 0 && c.status == CT_OK)
        complain(&c, "should not be accepted");
    if (c.wrong[0])
        note_failure(0, c.wrong);
}

/* In a child of its own; says what was wrong, or "ok". */
static const char *fate_of_hostile(const buffer *text, const cost *limit)
{
    int status = 0;
    shared->kept = 0;
    shared->peak = 0;
    uint32_t before = shared->failures;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        die_of_faults();
        run_hostile(text, limit);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (fate(status))
        note_failure(0, fate(status));
    return shared->failures > before ? strchr(shared->failure[0], ':') + 2 : "ok";
}

static void try_hostile(const char *path, const buffer *text)
{
    cost limit;
    const char *name = strrchr(path, '/') + 1;
    if (sscanf(text->at, "# limit: %d s, %d MB, %15s", &limit.seconds, &limit.megabytes,
               limit.outcome) != 3)
        fail_msg("%s: the first line must be `# limit: N s, N MB, ok|wrong|any`", name);
    double start = seconds();
    const char *why = fate_of_hostile(text, &limit);
    print_message("%-28s %6.2f s %5zu MB  %s\n", name, seconds() - start, shared->peak / MEGABYTE,
                  why);
}

static void test_hostile(void **state)
{
    (void)state;
    static corpus hostile;
    memset(shared, 0, sizeof *shared);
    corpus_add(&hostile, COTREE_ROOT "/tests/fuzz");
    assert_true(hostile.count > 0);
    for (uint32_t i = 0; i < hostile.count; i++)
        try_hostile(hostile.path[i], &hostile.text[i]);
    corpus_free(&hostile);
    assert_int_equal(shared->failures, 0);
}

/* ---- setting up */

static int set_up(void **state)
{
    static const char *const folders[] = {"tests/drafts", "tests/library/minimal", "tests/bad",
                                          "library", "models"};
    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[LONGEST_PATH];
        snprintf(path, sizeof path, "%s/%s", COTREE_ROOT, folders[i]);
        corpus_add(&texts, path);
    }
    kinds_job job = {ct_context_new(NULL), &kinds};
    ct_status status = ct_protect(job.ctx, find_kinds, &job);
    ct_context_free(job.ctx);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    print_message("%u texts, %u elements\n", texts.count, kinds.count);
    return status != CT_OK || shared == MAP_FAILED || texts.count < 100 || kinds.count < 50;
}

static int tear_down(void **state)
{
    (void)state;
    corpus_free(&texts);
    munmap(shared, sizeof *shared);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_hostile)};
    const struct CMUnitTest one[] = {cmocka_unit_test(test_one)};
    if (argc > 1)
        cmocka_set_test_filter(argv[1]); /* test_random or test_hostile */
    if (getenv("COTREE_FUZZ_ONE"))
        return cmocka_run_group_tests(one, set_up, tear_down);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
