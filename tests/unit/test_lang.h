/* test_lang.h - what the tests of the language share. */
#ifndef TEST_LANG_H
#define TEST_LANG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lang/syntax.h"

/* ---- reading a text ------------------------------------------------------------------------ */

typedef enum read_what { READ_ALL, READ_TREE, READ_EXPRESSION } read_what;

typedef struct reading {
    ct_context *ctx;
    const char *text;
    size_t length;
    read_what what;
    ct_status status;
    const ct_syntax *s;
    const char *dump, *format;
} reading;

static inline void read_body(void *user)
{
    reading *r = user;
    uint32_t source = ct_source_add(r->ctx, "test.lg", r->text, r->length);
    r->s =
        r->what == READ_EXPRESSION ? ct_parse_expression(r->ctx, source) : ct_parse(r->ctx, source);
    if (r->what == READ_TREE)
        return;
    ct_text dump = ct_text_new(r->s->arena), format = ct_text_new(r->s->arena);
    ct_syntax_dump(r->s, &dump);
    ct_format(r->s, &format);
    r->dump = ct_text_string(&dump);
    r->format = ct_text_string(&format);
}

static inline reading read_in(ct_context *ctx, const char *text, size_t length, read_what what)
{
    reading r = {.ctx = ctx, .text = text, .length = length, .what = what};
    r.status = ct_protect(ctx, read_body, &r);
    return r;
}

static inline reading read_text(const char *text)
{
    reading r = read_in(ct_context_new(NULL), text, strlen(text), READ_ALL);
    assert_int_equal(r.status, CT_OK);
    return r;
}

static inline reading read_expression(const char *text)
{
    reading r = read_in(ct_context_new(NULL), text, strlen(text), READ_EXPRESSION);
    assert_int_equal(r.status, CT_OK);
    return r;
}

/* "E107 1:5+2; E111 2:3+1": code, line, column, width of every report. */
static inline const char *reports(const reading *r)
{
    ct_text text = ct_text_new(r->ctx->base);
    for (size_t i = 0; i < ct_diag_count(r->ctx); i++) {
        const ct_diag *d = ct_diag_at(r->ctx, i);
        ct_putf(&text, "%s%s %u:%u+%u", i ? "; " : "", d->code, d->line, d->column, d->width);
    }
    return ct_text_string(&text);
}

static inline void fail_case(const char *name, const char *got, const char *want)
{
    fail_msg("%s\n--- got\n%s\n--- want\n%s", name, got, want);
}

static inline void expect_same(const char *name, const char *got, const char *want)
{
    if (strcmp(got, want) != 0)
        fail_case(name, got, want);
}

/* A tree on one line, as nested brackets: (SUM (REF a) (NEG (REF b))). */
static inline void put_compact(const ct_syntax *s, ct_node n, ct_text *out)
{
    static const char *const relations[] = {"<", "<=", ">", ">=", "==", "!="};
    const ct_syntax_node *node = ct_at(s, n);
    ct_putf(out, "(%s", ct_node_kind_text((ct_node_kind)node->kind));
    if (node->kind == CT_NODE_COMPARE || node->kind == CT_NODE_LIMIT)
        ct_putf(out, " %s", relations[node->op]);
    else if (node->op)
        ct_putf(out, " %u", node->op);
    if (node->name)
        ct_putf(out, " %s", ct_name_text(s->ctx, node->name));
    for (ct_node child = node->first; child; child = ct_at(s, child)->next) {
        ct_put_char(out, ' ');
        put_compact(s, child, out);
    }
    ct_put_char(out, ')');
}

static inline const char *compact(const ct_syntax *s)
{
    ct_text out = ct_text_new(s->arena);
    bool file = s->root && ct_at(s, s->root)->kind == CT_NODE_FILE;
    ct_node first = file ? ct_at(s, s->root)->first : s->root;
    for (ct_node n = first; n; n = file ? ct_at(s, n)->next : 0) {
        if (n != first)
            ct_put_char(&out, ' ');
        put_compact(s, n, &out);
    }
    return ct_text_string(&out);
}

typedef struct pair {
    const char *text, *want;
} pair;

static inline void expect_round_trip(const char *name, const reading *r)
{
    reading again = read_text(r->format);
    if (*reports(&again))
        fail_msg("%s: %s\n%s", name, reports(&again), r->format);
    expect_same(name, again.dump, r->dump);
    expect_same(name, again.format, r->format);
    ct_context_free(again.ctx);
}

#endif
