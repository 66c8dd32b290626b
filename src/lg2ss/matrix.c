/* matrix.c - reads matrices of whole numbers as MATLAB writes them. */
#include "lg2ss/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { LARGEST = 1000000000 };

typedef struct reader {
    ct_context *ctx;
    ct_arena *arena;
    const char *text;
    uint32_t source, at;
    uint32_t open;  /* where [ stands, plus one */
    bool closed;    /* ] was read */
    uint32_t comma; /* where a comma stands behind which no entry came yet, plus one */
    CT_VEC(ct_lg_entry) entry;
    CT_VEC(uint32_t) first;
} reader;

static uint32_t row_length(const reader *r)
{
    return r->entry.count - r->first.at[r->first.count - 1];
}

static bool complain(reader *r, uint32_t at, uint32_t length, const char *what, const char *help)
{
    ct_place place = {r->source, at, length};
    ct_report *report = ct_error(r->ctx, "E701", place, "row %u, column %u: %s",
                                 (unsigned)r->first.count, (unsigned)row_length(r) + 1, what);
    ct_note(report, "a matrix is written as in MATLAB: [1 2 1 4; 2 2 3 3]");
    ct_help(report, "%s", help);
    return false;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static uint32_t word_length(const char *text)
{
    return (uint32_t)strcspn(text, " \t\r\n,;[]%");
}

/* 12, +12, 12.0; -1: a number, but not such a one; -2: no number. */
static int64_t whole_number(const char *word, uint32_t length)
{
    uint32_t i = word[0] == '+', digits = 0;
    int64_t value = 0;
    for (; i < length && word[i] >= '0' && word[i] <= '9'; i++, digits++)
        value = value > LARGEST ? value : 10 * value + (word[i] - '0');
    if (digits && i < length && word[i] == '.')
        while (++i < length && word[i] == '0')
            ;
    if (digits && i == length)
        return value > LARGEST ? -1 : value;
    char *end;
    strtod(word, &end);
    return end == word + length ? -1 : -2;
}

static bool read_number(reader *r)
{
    const char *word = r->text + r->at;
    uint32_t length = word_length(word);
    int64_t value = whole_number(word, length);
    if (value == -2)
        return complain(r, r->at, length,
                        ct_printf(r->ctx, "`%.*s` is no number", (int)length, word),
                        "write whole numbers with a space, a comma or a semicolon between them");
    CT_PUSH(r->arena, r->entry, (ct_lg_entry){value, {r->source, r->at, length}});
    r->at += length;
    r->comma = 0;
    return true;
}

/* ---- marks ----------------------------------------------------------------------------------- */

static bool read_comma(reader *r)
{
    if (r->comma || row_length(r) == 0)
        return complain(r, r->at, 1, "nothing stands before this comma",
                        "write the entry, or take the comma away");
    r->comma = ++r->at;
    return true;
}

static bool end_row(reader *r)
{
    if (r->comma)
        return complain(r, r->comma - 1, 1, "nothing stands behind this comma",
                        "write the entry, or take the comma away");
    if (row_length(r))
        CT_PUSH(r->arena, r->first, r->entry.count);
    r->at++;
    return true;
}

static bool read_open(reader *r)
{
    if (r->open || r->entry.count)
        return complain(r, r->at, 1, "a second `[`", "one pair of brackets encloses all rows");
    r->open = ++r->at;
    return true;
}

static bool read_close(reader *r)
{
    if (!r->open || r->closed)
        return complain(r, r->at, 1, "`]` has no partner",
                        "one pair of brackets encloses all rows");
    r->closed = true;
    return end_row(r);
}

static bool is_continued(const reader *r)
{
    return strncmp(r->text + r->at, "...", 3) == 0;
}

static bool read_mark(reader *r)
{
    char c = r->text[r->at];
    if (c == '%' || is_continued(r)) {
        r->at += (uint32_t)strcspn(r->text + r->at, "\n");
        r->at += c == '.' && r->text[r->at] != '\0';
        return true;
    }
    if (c == ' ' || c == '\t' || c == '\r')
        return r->at++, true;
    if (c == ';' || c == '\n')
        return end_row(r);
    if (r->closed)
        return complain(r, r->at, 1, "something stands behind the `]`",
                        "one pair of brackets encloses all rows");
    if (c == ',')
        return read_comma(r);
    if (c == '[')
        return read_open(r);
    return c == ']' ? read_close(r) : read_number(r);
}

static bool read_end(reader *r)
{
    if (r->open && !r->closed)
        return complain(r, r->open - 1, 1, "this `[` has no partner", "write `]` at the end");
    return end_row(r);
}

const ct_lg_matrix *ct_lg_matrix_read(ct_context *ctx, ct_arena *arena, uint32_t source)
{
    const ct_source *s = ct_source_get(ctx, source);
    reader r = {.ctx = ctx, .arena = arena, .text = s->text, .source = source};
    CT_PUSH(arena, r.first, 0);
    while (r.at < s->length)
        if (!read_mark(&r))
            return NULL;
    if (!read_end(&r))
        return NULL;
    ct_lg_matrix *m = CT_NEW(arena, ct_lg_matrix);
    *m = (ct_lg_matrix){r.entry.at, r.first.at, r.first.count - 1, source};
    return m;
}
