/* test_limits.c - every public call under small limits of memory and under allocators that fail: it
 * ends with a status, and a message tells why. And with NULL for all that may be left out.
 *
 * A chain makes each call of cotree.h once, one after the other, up to the first that fails.
 */
#include "unit/every_call.h"

#include "base/context.h"

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

/* ---- each call refused alone, and made again */

typedef struct limits {
    quota q;
    bool by_size; /* max_bytes is reached; else the allocator refuses */
} limits;

static ct_context *limited_context(limits *l)
{
    ct_context_def def = ct_default_context_def();
    def.realloc = refusing_realloc;
    def.realloc_user = &l->q;
    return ct_context_new(&def);
}

/* From now on there is room for so much more; 0: for all. */
static void give_room(limits *l, const chain *c, size_t room)
{
    if (l->by_size) {
        c->ctx->def.max_bytes = room ? c->ctx->bytes + room : 0;
        c->second->def.max_bytes = room ? c->second->bytes + room : 0;
    } else {
        l->q.forever = room;
        l->q.refuse_at = room ? l->q.asked + room : 0;
    }
}

/* One call with so much room; what it writes stands in *text, to be freed. */
static ct_status call_within(limits *l, chain *c, size_t index, size_t room, char **text)
{
    size_t length;
    c->log = open_memstream(text, &length);
    give_room(l, c, room);
    ct_status status = calls[index].make(c);
    keep_text(c, calls[index].make == dump_tape ? "effort" : NULL);
    fclose(c->log);
    give_room(l, c, 0);
    if (status == CT_OK)
        return status;
    if (calls[index].make == clone_simulator) {
        check_message(c->second, calls[index].name, status, room);
        ct_context_free(c->second); /* a clone wants a new one */
        c->second = limited_context(l);
    } else {
        check_message(c->ctx, calls[index].name, status, room);
    }
    refused[index] = true;
    return status;
}

/* All texts of a chain. least: each call first has this room, then twice of it, until it is
 * enough. */
static char *texts_within(const struct source_row *source, bool by_size, size_t least)
{
    limits l = {.by_size = by_size};
    chain c = {.ctx = limited_context(&l),
               .second = limited_context(&l),
               .name = source->name,
               .source = source->text};
    char *all = NULL, *text = NULL;
    size_t length;
    FILE *out = open_memstream(&all, &length);
    for (size_t i = 0; i < CALLS; i++) {
        for (size_t room = least; call_within(&l, &c, i, room, &text) != CT_OK; room *= 2)
            free(text);
        fprintf(out, "%s\n%s\n", calls[i].name, text);
        free(text);
    }
    fclose(out);
    ct_context_free(c.second);
    ct_context_free(c.ctx);
    assert_int_equal(l.q.held, 0);
    return all;
}

/* Shows where two long texts part. */
static void check_same(const char *got, const char *want)
{
    size_t at = 0;
    while (got[at] && got[at] == want[at])
        at++;
    if (got[at] != want[at])
        fail_msg("got:\n%.300s\nwant:\n%.300s", got + at - (at < 100 ? at : 100),
                 want + at - (at < 100 ? at : 100));
}

/* A call that was refused leaves nothing behind: made again, it gives the same. */
static void a_refused_call_can_be_made_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * SOURCES; i++) {
        const struct source_row *source = &sources[i / 2];
        char *free_texts = texts_within(source, i % 2, 0);
        char *texts = texts_within(source, i % 2, 1);
        check_same(texts, free_texts);
        assert_true(strlen(texts) > 10000);
        free(texts);
        free(free_texts);
    }
    check_refused(35);
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
        cmocka_unit_test(a_refused_call_can_be_made_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
