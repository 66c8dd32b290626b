/* statespace_json.c - keys: see statespace.h. */
#include "base/json.h"
#include "export/statespace.h"

typedef const char *(*name_at)(const ct_sheet *sheet, uint32_t i);

static void put_names(const ct_sheet *s, const char *key, name_at at, uint32_t count, ct_json *j)
{
    ct_json_line(j, 1);
    ct_json_open(j, key, '[');
    for (uint32_t i = 0; i < count; i++)
        ct_json_text(j, NULL, at(s, i));
    ct_json_close(j, ']');
}

/* 0: none, which is zero */
static void put_expr(const ct_sheet *s, const char *key, ct_expr e, ct_text *scratch, ct_json *j)
{
    scratch->length = 0;
    if (e)
        ct_expr_put(s->pool, scratch, e);
    ct_json_text(j, key, e ? ct_text_string(scratch) : "0");
}

static void put_matrix(const ct_sheet *s, const ct_sheet_matrix *m, ct_text *scratch, ct_json *j)
{
    const ct_entries *e = &m->entry;
    const ct_entry *next = e->entry, *end = next + e->count;
    ct_json_line(j, 1);
    ct_json_open(j, m->name, '[');
    for (uint32_t i = 0; i < e->rows; i++) {
        if (i)
            ct_json_line(j, 2);
        ct_json_open(j, NULL, '[');
        for (uint32_t k = 0; k < e->cols; k++) {
            bool here = next < end && next->row == i && next->col == k;
            if (m->number)
                ct_json_number(j, NULL, m->number[(size_t)i * e->cols + k]);
            else
                put_expr(s, NULL, here ? next->value : 0, scratch, j);
            next += here;
        }
        ct_json_close(j, ']');
    }
    ct_json_close(j, ']');
}

static void put_column(const ct_sheet *s, const char *key, const ct_entries *e, ct_text *scratch,
                       ct_json *j)
{
    const ct_expr *value = ct_sheet_dense(s, e);
    ct_json_open(j, key, '[');
    for (uint32_t i = 0; i < e->rows; i++)
        put_expr(s, NULL, value[i], scratch, j);
    ct_json_close(j, ']');
}

static void put_descriptor(const ct_sheet *s, ct_json *j)
{
    ct_json_line(j, 1);
    ct_json_open(j, "W", '[');
    for (uint32_t i = 0; i < s->n; i++) {
        if (i)
            ct_json_line(j, 2);
        ct_json_open(j, NULL, '[');
        for (uint32_t k = 0; k < s->n; k++) {
            const char *entry = i == k && i < s->ss->differential ? "1" : "0";
            (s->ss->numbers ? ct_json_raw : ct_json_text)(j, NULL, entry);
        }
        ct_json_close(j, ']');
    }
    ct_json_close(j, ']');
}

static void put_constant(const ct_sheet *s, ct_text *scratch, ct_json *j)
{
    ct_json_line(j, 1);
    ct_json_open(j, "constant", '{');
    put_column(s, "states", &s->a, scratch, j);
    put_column(s, "outputs", &s->c, scratch, j);
    ct_json_close(j, '}');
}

void ct_sheet_put_point_json(const ct_sheet *s, ct_json *j)
{
    const ct_point *p = s->ss->point;
    ct_json_line(j, 1);
    ct_json_open(j, "operating_point", '{');
    ct_json_number(j, "time", p->time);
    ct_json_pairs(j, "states", p->state, p->x, p->state_count);
    ct_json_pairs(j, "algebraic", p->algebraic, p->w, p->algebraic_count);
    ct_json_open(j, "inputs", '{');
    for (uint32_t i = 0; i < s->ss->m; i++)
        ct_json_number(j, ct_sheet_input(s, i), s->ss->at_value[i]);
    ct_json_close(j, '}');
    ct_json_pairs(j, "outputs", p->output, p->y, p->output_count);
    ct_json_close(j, '}');
}

static void put_definitions(const ct_sheet *s, ct_text *scratch, ct_json *j)
{
    ct_json_line(j, 1);
    ct_json_open(j, "definitions", '[');
    for (uint32_t i = 0; i < s->part_count; i++) {
        if (i)
            ct_json_line(j, 2);
        ct_json_open(j, NULL, '{');
        ct_json_text(j, "name", ct_name_text(s->ctx, s->part[i].name));
        put_expr(s, "value", s->part[i].value, scratch, j);
        ct_json_close(j, '}');
    }
    ct_json_close(j, ']');
}

static void put_head(const ct_sheet *s, ct_json *j)
{
    ct_json_text(j, "model", ct_name_text(s->ctx, s->ss->model->name));
    ct_json_line(j, 1);
    ct_json_bool(j, "linear", s->ss->linear);
    ct_json_line(j, 1);
    if (s->ss->simplified == CT_SIMPLIFY_FULL && s->ss->cut_short)
        ct_json_text(j, "simplified", "in part");
    else
        ct_json_bool(j, "simplified", s->ss->simplified == CT_SIMPLIFY_FULL);
    if (s->ss->period > 0) {
        ct_json_line(j, 1);
        ct_json_number(j, "sample_time", s->ss->period);
        ct_json_number(j, "sample_offset", s->ss->offset);
    }
    put_names(s, "states", ct_sheet_state, s->n, j);
    put_names(s, "inputs", ct_sheet_input, s->ss->m, j);
    put_names(s, "outputs", ct_sheet_output, s->ss->p, j);
}

bool ct_sheet_put_json(const ct_sheet *s, ct_text *out)
{
    ct_text scratch = ct_text_new(s->arena);
    ct_json j = ct_json_new(out, " ");
    ct_json_open(&j, NULL, '{');
    put_head(s, &j);
    if (s->part_count)
        put_definitions(s, &scratch, &j);
    for (uint32_t i = 0; i < s->matrix_count; i++)
        put_matrix(s, &s->matrix[i], &scratch, &j);
    if (s->n > s->ss->differential)
        put_descriptor(s, &j);
    if (!s->ss->numbers && (s->a.count || s->c.count))
        put_constant(s, &scratch, &j);
    if (s->lti)
        ct_sheet_put_lti_json(s, &j);
    if (s->transfers)
        ct_sheet_put_transfers_json(s, &j);
    if (s->show->exact)
        ct_sheet_put_exact_json(s, &j);
    if (s->ss->point)
        ct_sheet_put_point_json(s, &j);
    ct_json_end(&j, s->ctx);
    return true;
}
