/* bench.h - what the tests of the element library share: the expected rows, the element in hand,
 * and the list of what is missing. */
#ifndef LIBRARY_BENCH_H
#define LIBRARY_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "fuzz/dice.h"
#include "model/model.h"

typedef enum power { LOSSLESS, DISSIPATES, STORES, PASSIVE, ACTIVE, IN_RUNS, MODES } power;

static const struct row {
    const char *name, *classes;
    power power;
    const char *given;
} rows[] = {
#define ELEMENT(name, classes, power, given) {#name, classes, power, given},
#include "library/elements.def"
#undef ELEMENT
};

enum { ROWS = sizeof rows / sizeof *rows };

enum { KEPT_EDGES = 32 };

typedef struct bench {
    ct_context *ctx;
    ct_pool *pool;
    ct_arena *arena;
    const ct_element *e; /* the element in hand */
    const struct row *row;
    dice d;
    buffer wrong; /* a line for each complaint */
    uint32_t checked;
    const ct_element *kept_of; /* names of its variables, which are asked for very often */
    ct_name kept[KEPT_EDGES][CT_DOMAIN_VARIABLES];
} bench;

__attribute__((format(printf, 2, 3))) static inline void miss(bench *b, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put(&b->wrong, "  %s: %s\n", ct_name_text(b->ctx, b->e->name), text);
}

static const char *text_of(const bench *b, ct_name name)
{
    return ct_name_text(b->ctx, name);
}

static inline bool is_listed(const char *const *list, size_t count, const char *element,
                             const char *param)
{
    char full[100];
    snprintf(full, sizeof full, "%s.%s", element, param);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], full) == 0)
            return true;
    return false;
}

/* A word of a list with blanks between. */
static inline bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++) {
        bool before = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool after = !(isalnum((unsigned char)at[length]) || at[length] == '_');
        if (before && after)
            return true;
    }
    return false;
}

/* Value of a parameter in the row: `R=0 L=0`. */
static inline bool given_value(const bench *b, ct_name param, double *value)
{
    const char *name = text_of(b, param);
    size_t length = strlen(name);
    for (const char *at = b->row->given; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strncmp(at, name, length) == 0 && at[length] == '=') {
            *value = strtod(at + length + 1, NULL);
            return true;
        }
    return false;
}

static inline bool is_zero(const bench *b, ct_name param)
{
    double value;
    return given_value(b, param, &value) && value == 0;
}

/* Runs a check on every row of the table, or on every element of the library. */
typedef struct job {
    bench *b;
    void (*check)(bench *b);
    bool by_row;
} job;

static inline void visit_elements(void *user)
{
    job *j = user;
    uint32_t count;
    const char *const *name = ct_library_names(j->b->ctx, &count);
    for (uint32_t i = 0; i < (j->by_row ? ROWS : count); i++) {
        j->b->row = j->by_row ? &rows[i] : NULL;
        j->b->e = ct_library_element(j->b->ctx, j->b->pool, j->by_row ? rows[i].name : name[i]);
        if (!j->b->e)
            put(&j->b->wrong, "  %s: a row in elements.def, but no element\n", rows[i].name);
        else
            j->check(j->b);
        j->b->checked++;
    }
}

static inline void start(void *user)
{
    bench *b = user;
    b->pool = ct_pool_new(b->ctx);
    b->arena = ct_arena_new(b->ctx);
}

static inline void check_all(void (*check)(bench *b), bool by_row)
{
    bench b = {.ctx = ct_context_new(NULL), .d = {7}};
    job j = {&b, check, by_row};
    assert_non_null(b.ctx);
    assert_int_equal(ct_protect(b.ctx, start, &b), CT_OK);
    assert_int_equal(ct_protect(b.ctx, visit_elements, &j), CT_OK);
    assert_int_equal(ct_error_count(b.ctx), 0);
    print_message("%u %s checked\n", b.checked, by_row ? "rows" : "elements");
    ct_context_free(b.ctx);
    char *wrong = b.wrong.at;
    if (wrong && *wrong)
        fail_msg("the library lacks:\n%s", wrong);
    free(wrong);
}

#endif
