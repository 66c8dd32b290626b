/* statespace_json.c - keys: see statespace.h. */
#include <math.h>

#include "export/decimal.h"
#include "export/statespace.h"

typedef const char *(*name_at)(const ct_sheet *sheet, uint32_t i);

static void put_names(const ct_sheet *s, const char *key, name_at at, uint32_t count, ct_text *out)
{
    ct_putf(out, "\"%s\": [", key);
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, i ? ", " : "");
        ct_put_json(out, at(s, i));
    }
    ct_put(out, "]");
}

static void put_number(double value, ct_text *out)
{
    char text[CT_DECIMAL_ROOM];
    if (isfinite(value))
        ct_put_bytes(out, text, ct_decimal_write(text, value));
    else
        ct_put(out, "null");
}

static void put_expr(const ct_sheet *s, ct_expr e, ct_text *scratch, ct_text *out)
{
    scratch->length = 0;
    ct_expr_put(s->pool, scratch, e);
    ct_put_json(out, ct_text_string(scratch));
}

static void put_matrix(const ct_sheet *s, const ct_sheet_matrix *m, ct_text *scratch, ct_text *out)
{
    const ct_entries *e = &m->entry;
    const ct_entry *next = e->entry, *end = next + e->count;
    ct_putf(out, ",\n \"%s\": [", m->name);
    for (uint32_t i = 0; i < e->rows; i++) {
        ct_put(out, i ? ",\n  [" : "[");
        for (uint32_t k = 0; k < e->cols; k++) {
            ct_put(out, k ? ", " : "");
            if (m->number)
                put_number(m->number[(size_t)i * e->cols + k], out);
            else if (next < end && next->row == i && next->col == k)
                put_expr(s, (next++)->value, scratch, out);
            else
                ct_put(out, "\"0\"");
        }
        ct_put(out, "]");
    }
    ct_put(out, "]");
}

static void put_column(const ct_sheet *s, const char *key, const ct_entries *e, ct_text *scratch,
                       ct_text *out)
{
    const ct_expr *value = ct_sheet_dense(s, e);
    ct_putf(out, "\"%s\": [", key);
    for (uint32_t i = 0; i < e->rows; i++) {
        ct_put(out, i ? ", " : "");
        if (value[i])
            put_expr(s, value[i], scratch, out);
        else
            ct_put(out, "\"0\"");
    }
    ct_put(out, "]");
}

static void put_descriptor(const ct_sheet *s, ct_text *out)
{
    ct_put(out, ",\n \"W\": [");
    for (uint32_t i = 0; i < s->n; i++) {
        ct_put(out, i ? ",\n  [" : "[");
        for (uint32_t k = 0; k < s->n; k++) {
            bool one = i == k && i < s->ss->differential;
            ct_put(out, k ? ", " : "");
            ct_put(out, s->ss->numbers ? (one ? "1" : "0") : (one ? "\"1\"" : "\"0\""));
        }
        ct_put(out, "]");
    }
    ct_put(out, "]");
}

static void put_pairs(const char *key, const char *const *name, const double *value, uint32_t count,
                      ct_text *out)
{
    ct_putf(out, ", \"%s\": {", key);
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, i ? ", " : "");
        ct_put_json(out, name[i]);
        ct_put(out, ": ");
        put_number(value[i], out);
    }
    ct_put(out, "}");
}

static void put_inputs(const ct_sheet *s, ct_text *out)
{
    ct_put(out, ", \"inputs\": {");
    for (uint32_t i = 0; i < s->ss->m; i++) {
        ct_put(out, i ? ", " : "");
        ct_put_json(out, ct_sheet_input(s, i));
        ct_put(out, ": ");
        put_number(s->ss->at_value[i], out);
    }
    ct_put(out, "}");
}

static void put_point(const ct_sheet *s, ct_text *out)
{
    const ct_point *p = s->ss->point;
    ct_put(out, ",\n \"operating_point\": {\"time\": ");
    put_number(p->time, out);
    put_pairs("states", p->state, p->x, p->state_count, out);
    put_pairs("algebraic", p->algebraic, p->w, p->algebraic_count, out);
    put_inputs(s, out);
    put_pairs("outputs", p->output, p->y, p->output_count, out);
    ct_put(out, "}");
}

static void put_definitions(const ct_sheet *s, ct_text *scratch, ct_text *out)
{
    ct_put(out, ",\n \"definitions\": [");
    for (uint32_t i = 0; i < s->part_count; i++) {
        ct_put(out, i ? ",\n  {\"name\": " : "{\"name\": ");
        ct_put_json(out, ct_name_text(s->ctx, s->part[i].name));
        ct_put(out, ", \"value\": ");
        put_expr(s, s->part[i].value, scratch, out);
        ct_put(out, "}");
    }
    ct_put(out, "]");
}

bool ct_sheet_put_json(const ct_sheet *s, ct_text *out)
{
    ct_text scratch = ct_text_new(s->arena);
    const ct_model *model = s->ss->reduced->system->model;
    ct_put(out, "{\"model\": ");
    ct_put_json(out, ct_name_text(s->ctx, model->name));
    ct_putf(out, ",\n \"linear\": %s,\n ", s->ss->linear ? "true" : "false");
    ct_putf(out, "\"simplified\": %s,\n ",
            s->ss->simplified != CT_SIMPLIFY_FULL ? "false"
            : s->ss->cut_short                    ? "\"in part\""
                                                  : "true");
    put_names(s, "states", ct_sheet_state, s->n, out);
    ct_put(out, ",\n ");
    put_names(s, "inputs", ct_sheet_input, s->ss->m, out);
    ct_put(out, ",\n ");
    put_names(s, "outputs", ct_sheet_output, s->ss->p, out);
    if (s->part_count)
        put_definitions(s, &scratch, out);
    for (uint32_t i = 0; i < s->matrix_count; i++)
        put_matrix(s, &s->matrix[i], &scratch, out);
    if (s->n > s->ss->differential)
        put_descriptor(s, out);
    if (!s->ss->numbers && (s->a.count || s->c.count)) {
        ct_put(out, ",\n \"constant\": {");
        put_column(s, "states", &s->a, &scratch, out);
        ct_put(out, ", ");
        put_column(s, "outputs", &s->c, &scratch, out);
        ct_put(out, "}");
    }
    if (s->lti)
        ct_sheet_put_lti_json(s, out);
    if (s->transfers)
        ct_sheet_put_transfers_json(s, out);
    if (s->ss->point)
        put_point(s, out);
    ct_put(out, "}\n");
    return true;
}
