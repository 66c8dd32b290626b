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
    collector c = {.s = s, .model = s->ss->reduced->system->model};
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

bool ct_sheet_code_done(const ct_sheet *s, const ct_code *code, const char *language)
{
    if (!code->stranger)
        return true;
    ct_report *r = ct_error(s->ctx, "E534", (ct_place){0}, "%s cannot be written in %s",
                            "a curve through points", language);
    ct_help(r, "take --numeric, which evaluates it, or another format");
    return false;
}
