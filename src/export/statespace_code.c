/* statespace_code.c - what the code formats share. */
#include "export/statespace_code.h"

#include <math.h>
#include <string.h>

typedef CT_VEC(ct_name) name_list;

enum { OPEN = 1, DONE };

typedef struct collector {
    const ct_sheet *s;
    const ct_model *model;
    ct_pool *pool; /* of the expression that is walked */
    ct_map state;  /* of symbols: OPEN, DONE */
    name_list todo;
    ct_code_values list, point;
} collector;

static void take_symbol(void *user, ct_expr e)
{
    collector *c = user;
    if (ct_expr_kind_of(c->pool, e) != CT_EXPR_SYMBOL)
        return;
    ct_name name = ct_expr_name(c->pool, e);
    if (!ct_map_get(&c->state, name))
        CT_PUSH(c->s->arena, c->todo, name);
}

static double point_value(const ct_statespace *ss, ct_name symbol)
{
    for (uint32_t i = 0; i < ss->at_count; i++)
        if (ss->at_symbol[i] == symbol)
            return ss->at_value[i];
    return NAN;
}

/* A default may use other parameters: they come first. */
static void step_parameter(collector *c, ct_name symbol, uint32_t quantity)
{
    ct_expr value = c->model->quantity[quantity].value;
    const ct_name *inside;
    c->pool = c->model->pool;
    bool plain = !value || ct_expr_symbols(c->pool, value, &inside) == 0;
    if (!plain && !ct_map_get(&c->state, symbol)) {
        ct_map_put(&c->state, symbol, OPEN);
        ct_expr_walk(c->pool, &value, 1, take_symbol, c);
        return;
    }
    c->todo.count--;
    ct_map_put(&c->state, symbol, DONE);
    CT_PUSH(c->s->arena, c->list,
            (ct_code_value){symbol, plain ? 0 : value, c->model->quantity_value[quantity], true});
}

static void settle(collector *c)
{
    while (c->todo.count) {
        ct_name symbol = c->todo.at[c->todo.count - 1];
        uint32_t q = ct_map_get(c->model->quantity_by_name, symbol);
        if (ct_map_get(&c->state, symbol) == DONE) {
            c->todo.count--;
        } else if (q && c->model->quantity[q - 1].kind == CT_PARAM) {
            step_parameter(c, symbol, q - 1);
        } else {
            c->todo.count--;
            ct_map_put(&c->state, symbol, DONE);
            CT_PUSH(c->s->arena, c->point,
                    (ct_code_value){symbol, 0, point_value(c->s->ss, symbol), false});
        }
    }
}

static void take_expr(collector *c, ct_expr e)
{
    c->pool = c->s->pool;
    ct_expr_walk(c->pool, &e, 1, take_symbol, c);
    settle(c);
}

static void take_entries(collector *c, const ct_entries *e)
{
    for (uint32_t i = 0; i < e->count; i++)
        take_expr(c, e->entry[i].value);
}

ct_code_values ct_sheet_values(const ct_sheet *s)
{
    collector c = {.s = s, .model = s->ss->model};
    ct_map_init(&c.state, s->arena);
    for (uint32_t i = 0; i < s->part_count; i++)
        ct_map_put(&c.state, s->part[i].name, DONE);
    for (uint32_t i = 0; i < s->part_count; i++)
        take_expr(&c, s->part[i].value);
    for (uint32_t i = 0; i < s->matrix_count; i++)
        take_entries(&c, &s->matrix[i].entry);
    for (uint32_t i = 0; i < c.point.count; i++)
        CT_PUSH(s->arena, c.list, c.point.at[i]);
    return c.list;
}

/* ---- lines */

static void put_number(const ct_code_dialect *d, ct_text *out, double value)
{
    if (isnan(value))
        ct_put(out, d->absent);
    else if (isinf(value))
        ct_putf(out, "%s%s", value > 0 ? "" : "-", d->infinite);
    else
        ct_put_number(out, value);
}

void ct_sheet_put_values(const ct_sheet *s, const ct_code_dialect *d, const ct_code_values *values,
                         ct_code_writer *code)
{
    ct_pool *pool = s->ss->model->pool;
    for (uint32_t i = 0; i < values->count; i++) {
        const ct_code_value *v = &values->at[i];
        const char *name = ct_code_name(code, v->symbol);
        const char *expr = v->expr ? ct_code_expr(code, pool, v->expr) : NULL;
        ct_putf(code->out, "    %s = %s%s%s", name, d->given, name, d->given_name);
        if (expr)
            ct_put(code->out, expr);
        else
            put_number(d, code->out, v->number);
        ct_putf(code->out, ")%s\n", d->language.line_end);
    }
}

void ct_sheet_put_parts(const ct_sheet *s, ct_code_writer *code)
{
    for (uint32_t i = 0; i < s->part_count; i++) {
        const char *text = ct_code_expr(code, s->pool, s->part[i].value);
        ct_putf(code->out, "    %s = %s%s\n", ct_code_name(code, s->part[i].name), text,
                code->language->line_end);
    }
}

static void begin_entry(const ct_code_dialect *d, const char *name, size_t row, size_t col,
                        ct_text *out)
{
    ct_putf(out, "    %s%s%s%zu, %zu%s = ", d->matrix, name, d->open, row + d->first,
            col + d->first, d->close);
}

static void put_matrix(const ct_sheet *s, const ct_code_dialect *d, const ct_sheet_matrix *m,
                       ct_code_writer *code)
{
    const ct_entries *e = &m->entry;
    const char *end = d->language.line_end;
    ct_putf(code->out, "    %s%s = %s%u, %u%s%s\n", d->matrix, m->name, d->zeros, e->rows, e->cols,
            d->zeros_end, end);
    for (uint32_t i = 0; !m->number && i < e->count; i++) {
        const char *text = ct_code_expr(code, s->pool, e->entry[i].value);
        begin_entry(d, m->name, e->entry[i].row, e->entry[i].col, code->out);
        ct_putf(code->out, "%s%s\n", text, end);
    }
    for (size_t i = 0; m->number && i < (size_t)e->rows * e->cols; i++) {
        if (m->number[i] == 0)
            continue;
        begin_entry(d, m->name, i / e->cols, i % e->cols, code->out);
        put_number(d, code->out, m->number[i]);
        ct_putf(code->out, "%s\n", end);
    }
}

void ct_sheet_put_matrices(const ct_sheet *s, const ct_code_dialect *dialect, ct_code_writer *code)
{
    for (uint32_t i = 0; i < s->matrix_count; i++)
        put_matrix(s, dialect, &s->matrix[i], code);
}

bool ct_sheet_code_done(const ct_sheet *s, const ct_code_writer *code, const char *language)
{
    if (!code->stranger)
        return true;
    ct_report *r = ct_error(s->ctx, "E534", (ct_place){0}, "%s cannot be written in %s",
                            "a curve through points", language);
    ct_help(r, "take --numeric, which evaluates it, or another format");
    return false;
}
