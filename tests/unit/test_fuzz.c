/* test_fuzz.c - readers, stages and verbs on damaged, random and hostile texts: no crash, no hang,
 * no bare failure, time and memory in proportion to the text.
 *
 * A case is a seed: COTREE_FUZZ_ONE=SEED prints its text and runs it alone; of the verbs with
 * test_verbs as argument. COTREE_FUZZ_CASES and COTREE_FUZZ_VERBS set how many there are,
 * COTREE_FUZZ_SEED where they begin. Cases run in a child process that says in shared memory where
 * it is, so that a crash or a hang names its seed and the rest goes on.
 *
 * In a build that tells its blocks (preset fuzz) COTREE_FUZZ_KEEP lists the texts that the corpus
 * needs.
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

#include "fuzz/blocks.h"
#include "fuzz/chain.h"
#include "fuzz/dice.h"
#include "fuzz/grammar.h"
#include "fuzz/mutate.h"
#include "fuzz/verbs.h"

#if defined(__SANITIZE_ADDRESS__)
enum { USUAL_CASES = 5000, USUAL_VERBS = 250, SLOWER = 10, SANITIZED = 1 };
void __lsan_do_leak_check(void);
#else
enum { USUAL_CASES = 100000, USUAL_VERBS = 5000, SLOWER = 1, SANITIZED = 0 };
#endif

enum {
    CASE_SECONDS = 8,      /* of processor time, and */
    BYTES_A_SECOND = 1000, /* of text for each one more */
    READ_MEGABYTES = 24,   /* of memory to read, and */
    READ_BYTES = 4000,     /* more for each one of the text; */
    CASE_MEGABYTES = 256,  /* likewise for all verbs */
    CASE_BYTES = 1 << 16,
    WHOLE_CHAINS = 30, /* percent of the cases; the others are read alone */
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
static corpus models, netlists, robots, matrices;
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

/* In a child a fault ends the process; cmocka would go on with the next test there. */
static void die_of_faults(void)
{
    static const int faults[] = {SIGSEGV, SIGFPE, SIGILL, SIGBUS, SIGSYS};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], SIG_DFL);
}

/* CPU time of this process; its signal ends the child. */
static void set_alarm(int limit)
{
    struct itimerval timer = {{0, 0}, {limit, 0}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

/* ---- cases */

typedef struct text_case {
    buffer text;
    const char *name; /* as a file: the ending says which reader takes it */
} text_case;

static void make_model(dice *d, uint32_t changes, buffer *out)
{
    uint32_t kind = roll(d, 100);
    if (kind < 60)
        mutated_text(d, &models, changes, out);
    else if (kind < 86)
        grammar_text(d, &kinds, out);
    else if (kind < 94) {
        grammar_text(d, &kinds, out);
        mutate(d, out, &models);
    } else
        random_bytes(d, out);
}

/* Texts that are not models, and how many percent of all cases end before each. */
static const struct {
    const char *name, *ending;
    corpus *texts;
    uint32_t below;
} foreign[] = {{"fuzz.cir", ".cir", &netlists, 88},
               {"fuzz.urdf", ".urdf", &robots, 95},
               {"matrices", "", &matrices, 100}};

enum { NO_KIND = 3 }; /* a model */

static uint32_t kind_of(const char *path)
{
    uint32_t k = 0;
    while (!ends_with(path, ".lg") && !ends_with(path, foreign[k].ending))
        k++;
    return ends_with(path, ".lg") ? NO_KIND : k;
}

/* Most texts are models, some netlists, fewer robots, few matrices of LG2ss. */
static void make_text(dice *d, uint32_t changes, text_case *made)
{
    uint32_t kind = roll(d, 100), i = 0;
    if (kind < 70) {
        made->name = "fuzz.lg";
        make_model(d, changes, &made->text);
        return;
    }
    while (kind >= foreign[i].below)
        i++;
    made->name = foreign[i].name;
    mutated_text(d, foreign[i].texts, changes, &made->text);
}

static dice dice_of(uint64_t seed)
{
    return (dice){seed * 0x2545f4914f6cdd1du + 1};
}

static int slower = SLOWER; /* than the release */

static void set_limits(size_t length, bool only_read, meter *memory)
{
    set_alarm((CASE_SECONDS + (int)(length / BYTES_A_SECOND)) * slower);
    memory->ceiling = (size_t)(only_read ? READ_MEGABYTES : CASE_MEGABYTES) * MEGABYTE +
                      length * (only_read ? READ_BYTES : CASE_BYTES);
}

static void note_result(uint64_t seed, const chain *c, double start)
{
    if (c->wrong[0])
        note_failure(seed, c->wrong);
    shared->done++;
    shared->accepted += c->stage >= 4;
    shared->by_stage[c->stage < 5 ? c->stage : 5]++;
    shared->peak = c->memory.peak > shared->peak ? c->memory.peak : shared->peak;
    if (seconds() - start > shared->longest) {
        shared->longest = seconds() - start;
        shared->longest_seed = seed;
    }
}

/* All stages up to the graph, what they show, and formatting. */
static void run_whole_chain(uint64_t seed, const text_case *made, double start)
{
    static chain c;
    c = (chain){.text = made->text.at, .length = made->text.length, .most_components = 20000};
    c.build_broken = seed % 4 == 0;
    set_limits(c.length, false, &c.memory);
    run_chain(&c);
    end_chain(&c);
    note_result(seed, &c, start);
}

static void run_the_verbs(uint64_t seed, dice *d, const text_case *made, bool only_read,
                          double start)
{
    static verb_case v;
    v = (verb_case){.c = {.text = made->text.at, .length = made->text.length}, .d = *d};
    v.c.only_read = only_read;
    set_limits(v.c.length, only_read, &v.c.memory);
    run_verb_case(&v, made->name);
    note_result(seed, &v.c, start);
}

static bool shows_text; /* of a case that runs alone */

static void show_text(const text_case *made)
{
    if (!shows_text)
        return;
    fprintf(stderr, "---- %s\n", made->name);
    fwrite(made->text.at, 1, made->text.length, stderr);
    fprintf(stderr, "----\n");
}

static void run_reader_case(uint64_t seed, text_case *made)
{
    dice d = dice_of(seed);
    double start = seconds();
    bool whole = chance(&d, WHOLE_CHAINS);
    make_text(&d, (uint32_t)1 << roll(&d, 4), made);
    show_text(made);
    shared->seed = seed;
    if (whole && strcmp(made->name, "fuzz.lg") == 0)
        run_whole_chain(seed, made, start);
    else
        run_the_verbs(seed, &d, made, true, start);
    set_alarm(0);
}

/* Few mutations, so that many texts get as far as the verbs. */
static void run_verbs_case(uint64_t seed, text_case *made)
{
    dice d = dice_of(seed);
    double start = seconds();
    make_text(&d, roll(&d, 3), made);
    show_text(made);
    shared->seed = seed;
    run_the_verbs(seed, &d, made, false, start);
    set_alarm(0);
}

typedef void case_fn(uint64_t seed, text_case *made);

/* In a child: seeds from .. to-1. */
static void run_cases(case_fn *run, uint64_t from, uint64_t to)
{
    text_case made = {0};
    for (uint64_t seed = from; seed < to; seed++)
        run(seed, &made);
    free(made.text.at);
#if defined(__SANITIZE_ADDRESS__)
    __lsan_do_leak_check();
#endif
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

static int run_in_child(case_fn *run, uint64_t from, uint64_t to)
{
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        die_of_faults();
        run_cases(run, from, to);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return status;
}

/* After a crash the next child goes on behind the case that did it. What took too long may have
 * been slowed down by others on this machine: it is tried once more, alone and with more time. */
static void run_all_cases(case_fn *run, uint64_t from, uint64_t to)
{
    while (from < to && shared->crashes < MOST_CRASHES) {
        int status = run_in_child(run, from, to);
        if (!fate(status))
            return;
        uint64_t seed = shared->seed;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) {
            slower *= PATIENCE;
            status = run_in_child(run, seed, seed + 1);
            slower /= PATIENCE;
        }
        if (fate(status)) {
            note_failure(seed, fate(status));
            shared->crashes++;
        }
        from = seed + 1;
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

static void test_cases(case_fn *run, uint64_t count)
{
    uint64_t first = setting("COTREE_FUZZ_SEED", 1);
    double start = seconds();
    memset(shared, 0, sizeof *shared);
    print_message("seeds %llu to %llu\n", (unsigned long long)first,
                  (unsigned long long)(first + count - 1));
    run_all_cases(run, first, first + count);
    report(seconds() - start);
    assert_int_equal(shared->failures, 0);
}

static void test_random(void **state)
{
    (void)state;
    test_cases(run_reader_case, setting("COTREE_FUZZ_CASES", USUAL_CASES));
}

static void test_verbs(void **state)
{
    (void)state;
    test_cases(run_verbs_case, setting("COTREE_FUZZ_VERBS", USUAL_VERBS));
}

/* One case for the eye and the debugger: in this process. */
static void test_one(case_fn *run)
{
    text_case made = {0};
    uint64_t seed = setting("COTREE_FUZZ_ONE", 0);
    double begin = seconds();
    shows_text = true;
    run(seed, &made);
    report(seconds() - begin);
    free(made.text.at);
    assert_int_equal(shared->failures, 0);
}

static void test_one_reader(void **state)
{
    (void)state;
    test_one(run_reader_case);
}

static void test_one_verbs(void **state)
{
    (void)state;
    test_one(run_verbs_case);
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
    corpus_add(&hostile, "tests/fuzz", is_a_model);
    assert_true(hostile.count > 0);
    for (uint32_t i = 0; i < hostile.count; i++)
        try_hostile(hostile.path[i], &hostile.text[i]);
    corpus_free(&hostile);
    assert_int_equal(shared->failures, 0);
}

/* ---- the corpus */

/* Texts that reach something new, in order of their names. They are listed in tests/fuzz/corpus. */
static void test_keep(void **state)
{
    (void)state;
    static corpus all;
    static const char *const folders[] = {
        "models",       "library",       "tests/library/minimal", "tests/golden", "tests/spice",
        "tests/drafts", "tests/physics", "tests/fuzz/texts",      "tests/bad"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        corpus_add(&all, folders[i], is_a_text);
    slower = 100; /* blocks are told without optimisation */
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t k = kind_of(all.path[i]);
        text_case made = {all.text[i], k == NO_KIND ? "fuzz.lg" : foreign[k].name};
        for (uint64_t roll = 1; roll <= 2; roll++)
            run_the_verbs(i, &(dice){roll}, &made, false, seconds());
        if (new_blocks() && puts(all.path[i]) != EOF)
            fflush(stdout);
    }
    corpus_free(&all);
}

static void read_corpus(void)
{
    static corpus all;
    corpus_read_list(&all, "tests/fuzz/corpus");
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t k = kind_of(all.path[i]);
        corpus *c = k == NO_KIND ? &models : foreign[k].texts;
        c->text[c->count++] = all.text[i];
    }
}

/* ---- setting up */

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(chdir(COTREE_ROOT), 0);
    read_corpus();
    kinds_job job = {ct_context_new(NULL), &kinds};
    ct_status status = ct_protect(job.ctx, find_kinds, &job);
    ct_context_free(job.ctx);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    print_message("%u models, %u netlists, %u robots, %u matrices, %u elements\n", models.count,
                  netlists.count, robots.count, matrices.count, kinds.count);
    return status != CT_OK || shared == MAP_FAILED || !models.count || !netlists.count ||
           !robots.count || !matrices.count || kinds.count < 50;
}

static int tear_down(void **state)
{
    (void)state;
    corpus_free(&models);
    corpus_free(&netlists);
    corpus_free(&robots);
    corpus_free(&matrices);
    munmap(shared, sizeof *shared);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_verbs),
                                       cmocka_unit_test(test_hostile)};
    const struct CMUnitTest one[] = {cmocka_unit_test(test_one_reader)};
    const struct CMUnitTest one_verbs[] = {cmocka_unit_test(test_one_verbs)};
    const struct CMUnitTest keep[] = {cmocka_unit_test(test_keep)};
    if (getenv("COTREE_FUZZ_KEEP"))
        return cmocka_run_group_tests(keep, set_up, tear_down);
    if (getenv("COTREE_FUZZ_ONE") && argc > 1)
        return cmocka_run_group_tests(one_verbs, set_up, tear_down);
    if (getenv("COTREE_FUZZ_ONE"))
        return cmocka_run_group_tests(one, set_up, tear_down);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]); /* test_random, test_verbs or test_hostile */
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
