/* test_limits.c - every public call under small limits of memory and under allocators that fail: it
 * ends with a status, and a message tells why. And with NULL for all that may be left out.
 *
 * A chain makes each call of cotree.h once, one after the other, up to the first that fails.
 */
#include "unit/every_call.h"

static bool has_error(const ct_context *ctx, const char *code)
{
    for (size_t i = 0; i < ct_diag_count(ctx); i++)
        if (strcmp(ct_diag_at(ctx, i)->code, code) == 0)
            return true;
    return false;
}

/* What was told about the call that failed. */
static void check_message(const ct_context *ctx, const char *call, ct_status status, size_t at)
{
    const char *code = status == CT_ERR_LIMIT ? "E902" : "E903";
    if (status != CT_ERR_LIMIT && status != CT_ERR_MEMORY)
        fail_msg("%s at %zu: %s", call, at, ct_status_text(status));
    if (!has_error(ctx, code) || !ct_error_count(ctx))
        fail_msg("%s at %zu ends without a message", call, at);
}

static bool refused[CALLS];

/* The sweeps are worth something only if they meet many calls. */
static void check_refused(size_t least)
{
    size_t count = 0;
    for (size_t i = 0; i < CALLS; i++) {
        count += refused[i];
        refused[i] = false;
    }
    printf("%zu of %d calls were refused\n", count, CALLS);
    assert_true(count >= least);
}

/* How many calls were good. */
static size_t run_chain(const ct_context_def *def, const struct source_row *source, bool bare,
                        size_t at)
{
    chain c = {.ctx = ct_context_new(def),
               .second = ct_context_new(def),
               .bare = bare,
               .name = source->name,
               .source = source->text};
    size_t good = 0;
    while (c.ctx && c.second && good < CALLS) {
        ct_status status = calls[good].make(&c);
        bool second = calls[good].make == clone_simulator;
        if (status != CT_OK) {
            check_message(second ? c.second : c.ctx, calls[good].name, status, at);
            refused[good] = true;
            break;
        }
        good++;
    }
    ct_context_free(c.second);
    ct_context_free(c.ctx);
    return good;
}

static void all_calls_take_null(void **state)
{
    (void)state;
    for (size_t i = 0; i < SOURCES; i++) {
        assert_int_equal(run_chain(NULL, &sources[i], false, 0), CALLS);
        assert_int_equal(run_chain(NULL, &sources[i], true, 0), CALLS);
    }
}

static void a_limit_has_its_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * SOURCES; i++) {
        size_t good = 0;
        ct_context_def def = ct_default_context_def();
        for (double limit = 20000; good < CALLS && limit < 1e9; limit *= 1.02) {
            def.max_bytes = (size_t)limit;
            good = run_chain(&def, &sources[i / 2], i % 2, def.max_bytes);
        }
        assert_int_equal(good, CALLS);
    }
    check_refused(15);
}

/* ---- allocators that fail */

typedef struct quota {
    size_t asked, refuse_at, held;
    bool forever;
} quota;

static void *refusing_realloc(void *user, void *block, size_t old_size, size_t new_size)
{
    quota *q = user;
    if (!new_size) {
        q->held -= old_size;
        free(block);
        return NULL;
    }
    size_t number = ++q->asked;
    if (number == q->refuse_at || (q->forever && number > q->refuse_at))
        return NULL;
    void *moved = realloc(block, new_size);
    q->held += moved ? new_size - old_size : 0;
    return moved;
}

enum { LEAST_REQUESTS = 40 };

static void lack_of_memory_has_its_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * SOURCES; i++) {
        size_t good = 0, at = 1;
        for (; good < CALLS; at += 1 + at / 100) {
            quota q = {.refuse_at = at, .forever = i % 2};
            ct_context_def def = ct_default_context_def();
            def.realloc = refusing_realloc;
            def.realloc_user = &q;
            good = run_chain(&def, &sources[i / 2], false, at);
            assert_int_equal(q.held, 0);
        }
        assert_true(at > LEAST_REQUESTS);
    }
    check_refused(15);
}

/* ---- is every call listed? */

static bool is_listed(const char *name, size_t length)
{
    for (size_t i = 0; i < CALLS; i++)
        if (strlen(calls[i].name) == length && strncmp(calls[i].name, name, length) == 0)
            return true;
    return false;
}

static void every_call_is_here(void **state)
{
    (void)state;
    FILE *file = fopen(COTREE_ROOT "/include/cotree/cotree.h", "r");
    char line[300];
    size_t count = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        static const char head[] = "ct_status ct_";
        if (strncmp(line, head, sizeof head - 1) != 0)
            continue;
        const char *name = line + sizeof "ct_status";
        size_t length = strcspn(name, "(");
        if (!is_listed(name, length))
            fail_msg("%.*s is not called here", (int)length, name);
        count++;
    }
    fclose(file);
    assert_int_equal(count, CALLS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_is_here),
        cmocka_unit_test(all_calls_take_null),
        cmocka_unit_test(a_limit_has_its_message),
        cmocka_unit_test(lack_of_memory_has_its_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
