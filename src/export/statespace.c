/* statespace.c - the sheet that all formats print. */
#include "export/statespace.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "export/formats.h"

typedef struct format {
    bool (*put)(const ct_sheet *sheet, ct_text *out);
    double longest;                      /* characters of an entry that needs no names */
    double broken, shortest, least_gain; /* see parts.h */
} format;

static const format formats[] = {
#define STATESPACE_FORMAT(word, endings, writer, longest, broken, shortest, gain, help)            \
    {writer, longest, broken, shortest, gain},
#include "export/formats.def"
};

static const double *numbers_of(const ct_statespace *ss, const ct_entries *e)
{
    const ct_numbers *n = ct_statespace_numbers(ss);
    if (!n || e == &ss->A || e == &ss->C)
        return !n ? NULL : e == &ss->A ? n->A : n->C;
    bool output = e >= ss->D && e < ss->D + ss->orders;
    return output ? n->D[e - ss->D] : n->B[e - ss->B];
}

static ct_entries copy(ct_arena *arena, const ct_entries *e)
{
    ct_entries out = *e;
    out.entry = CT_NEW_ARRAY(arena, ct_entry, e->count + 1);
    if (e->count)
        memcpy(out.entry, e->entry, e->count * sizeof *out.entry);
    return out;
}

static void list_matrices(ct_sheet *s)
{
    const ct_statespace *ss = s->ss;
    const ct_entries *e;
    const char *name;
    s->matrix = CT_NEW_ARRAY(s->arena, ct_sheet_matrix, 2 * ss->orders + 2);
    for (uint32_t i = 0; (e = ct_statespace_part(ss, i, &name)); i++) {
        ct_sheet_matrix *m = &s->matrix[s->matrix_count++];
        *m = (ct_sheet_matrix){name, copy(s->arena, e), numbers_of(ss, e)};
        if (m->number && !strchr("CDF", name[0]))
            m->entry.rows = s->n;
        if (m->number && strchr("AC", name[0]))
            m->entry.cols = s->n;
    }
    s->a = copy(s->arena, &ss->a);
    s->c = copy(s->arena, &ss->c);
}

static void add_entries(ct_parts *parts, const ct_entries *e)
{
    for (uint32_t i = 0; i < e->count; i++) {
        ct_parts_group(parts, 0);
        ct_parts_add(parts, &e->entry[i].value);
    }
}

static ct_parts new_parts(const ct_sheet *s, const format *f, ct_pool *pool)
{
    ct_parts parts = ct_parts_new(s->ss->model, s->arena, pool);
    parts.longest = f->longest;
    parts.broken = f->broken;
    parts.shortest = f->shortest;
    parts.least_gain = f->least_gain;
    return parts;
}

static void name_parts(ct_sheet *s, const format *f)
{
    ct_parts parts = new_parts(s, f, s->pool);
    for (uint32_t i = 0; i < s->matrix_count; i++)
        add_entries(&parts, &s->matrix[i].entry);
    add_entries(&parts, &s->a);
    add_entries(&parts, &s->c);
    ct_parts_run(&parts);
    s->part = parts.part.at;
    s->part_count = parts.part.count;
}

static ct_poly copy_poly(const ct_sheet *s, ct_parts *parts, const ct_poly *a)
{
    ct_poly out = {CT_NEW_ARRAY(s->arena, ct_expr, a->count + 1), a->count};
    for (uint32_t i = 0; i < a->count; i++) {
        out.at[i] = a->at[i];
        if (!out.at[i])
            continue;
        ct_parts_group(parts, 0);
        ct_parts_add(parts, &out.at[i]);
    }
    return out;
}

static void name_transfer_parts(ct_sheet *s, const format *f)
{
    const ct_transfers *from = s->ss->transfers;
    ct_transfers *t = CT_NEW(s->arena, ct_transfers);
    ct_parts parts = new_parts(s, f, from->pool);
    parts.before = s->part_count;
    *t = *from;
    t->at = CT_NEW_ARRAY(s->arena, ct_poly_ratio, from->m * from->p + 1);
    for (uint32_t i = 0; i < from->m * from->p; i++)
        t->at[i] = (ct_poly_ratio){copy_poly(s, &parts, &from->at[i].num),
                                   copy_poly(s, &parts, &from->at[i].den)};
    ct_parts_run(&parts);
    s->transfers = t;
    s->transfer_part = parts.part.at;
    s->transfer_part_count = parts.part.count;
}

static const format *find(const char *word)
{
    uint32_t row;
    return ct_word_find(ct_statespace_formats, word, &row) ? &formats[row] : NULL;
}

bool ct_statespace_has_format(const char *word)
{
    return find(word) != NULL;
}

bool ct_statespace_put(const ct_statespace *ss, const ct_statespace_show *show, ct_text *out)
{
    const char *word = show->format ? show->format : "text";
    const format *f = find(word);
    if (!f || (show->exact && !ss->reduced) || (show->exact && !ct_statespace_has_exact(ss)))
        return false;
    ct_sheet sheet = {.ss = ss,
                      .show = show,
                      .ctx = ct_arena_context(ss->arena),
                      .arena = ct_arena_new(ct_arena_context(ss->arena)),
                      .pool = ss->pool,
                      .n = ss->numbers && ss->reduced ? ct_statespace_numbers(ss)->n : ss->n};
    ct_lti lti;
    if (ss->numbers &&
        (show->transfer || show->poles || show->zeros || show->margins || show->steps)) {
        if (!ct_statespace_lti(ss, &lti))
            return false;
        sheet.lti = &lti;
    }
    if (ss->reduced)
        list_matrices(&sheet);
    if (!ss->numbers)
        name_parts(&sheet, f);
    if (ss->transfers)
        name_transfer_parts(&sheet, f);
    bool good = ss->reduced ? f->put(&sheet, out) : ct_sheet_put_sparse(&sheet, word, out);
    ct_arena_free(sheet.arena);
    return good;
}

/* ---- for the formats */

const char *ct_sheet_state(const ct_sheet *s, uint32_t i)
{
    return ct_name_text(s->ctx, s->ss->state[i]);
}

const char *ct_sheet_input(const ct_sheet *s, uint32_t i)
{
    return ct_name_text(s->ctx, s->ss->input[i]);
}

const char *ct_sheet_output(const ct_sheet *s, uint32_t i)
{
    return s->ss->output[i];
}

void ct_sheet_number(char *text, size_t room, double value)
{
    snprintf(text, room, "%.7g", value + 0.0); /* no -0 */
}

bool ct_sheet_is_zero(const ct_sheet_matrix *m)
{
    size_t count = (size_t)m->entry.rows * m->entry.cols;
    if (!m->number)
        return m->entry.count == 0;
    for (size_t i = 0; i < count; i++)
        if (m->number[i] != 0)
            return false;
    return true;
}

const ct_expr *ct_sheet_dense(const ct_sheet *s, const ct_entries *e)
{
    ct_expr *out = CT_NEW_ARRAY(s->arena, ct_expr, (size_t)e->rows * e->cols + 1);
    for (uint32_t i = 0; i < e->count; i++)
        out[(size_t)e->entry[i].row * e->cols + e->entry[i].col] = e->entry[i].value;
    return out;
}

void ct_statespace_put_effort(const ct_statespace *ss, ct_text *out)
{
    const ct_linearising *e = &ss->effort;
    ct_json json = ct_json_new(out, ""), *j = &json;
    ct_json_open(j, NULL, '{');
    ct_json_text(j, "path", ss->reduced || ss->whole ? "symbolic" : "numeric");
    if (ss->why_not)
        ct_json_text(j, "why_not_numeric", ss->why_not);
    ct_json_int(j, "states", ss->n);
    ct_json_int(j, "unknowns", e->unknowns);
    ct_json_text(j, "jacobian", e->jacobian ? e->jacobian : "none");
    ct_json_int(j, "jacobian_entries", e->entries);
    ct_json_int(j, "jacobian_ops", (int64_t)e->ops);
    ct_json_int(j, "colours", e->colours);
    ct_json_open(j, "start", '{');
    ct_json_text(j, "method", ss->point && ss->point->method ? ss->point->method : "none");
    ct_json_int(j, "iterations", ss->point ? (int64_t)ss->point->iterations : 0);
    ct_json_close(j, '}');
    ct_json_close(j, '}');
    ct_put_char(out, '\n');
}
