/* outputs.c - what a row shows: expressions over variables of the model, compiled. */
#include <string.h>

#include "nodal/net.h"

typedef struct listing {
    net *n;
    name_list name;
} listing;

static void take_symbol(void *user, ct_expr e)
{
    listing *l = user;
    if (ct_expr_kind_of(l->n->pool, e) == CT_EXPR_SYMBOL)
        CT_PUSH(l->n->scratch, l->name, ct_expr_name(l->n->pool, e));
}

static name_list symbols_of(net *n, const expr_list *e)
{
    listing l = {.n = n};
    ct_expr_walk(n->pool, e->at, e->count, take_symbol, &l);
    return l.name;
}

/* Inputs replaced by what drives them, until none is left. */
static bool drive(net *n, expr_list *e)
{
    for (uint32_t round = 0; round <= n->model->quantity_count; round++) {
        name_list symbol = symbols_of(n, e), from = {0};
        expr_list to = {0};
        for (uint32_t i = 0; i < symbol.count; i++) {
            uint32_t q = ct_map_get(n->model->quantity_by_name, symbol.at[i]);
            if (!q || n->model->quantity[q - 1].kind != CT_INPUT)
                continue;
            ct_expr value = n->model->quantity[q - 1].value;
            CT_PUSH(n->scratch, from, symbol.at[i]);
            CT_PUSH(n->scratch, to, value ? value : ct_expr_int(n->pool, 0));
        }
        if (!from.count)
            return true;
        ct_expr_substitute_all(n->pool, e->at, e->at, e->count, from.at, to.at, from.count);
        for (uint32_t i = 0; i < e->count; i++)
            if (!e->at[i])
                return false;
    }
    return false;
}

/* Parameters apart from variables; each variable gets its form. */
static bool find_forms(net *n, const name_list *symbol, outputs *o, name_list *parameter)
{
    for (uint32_t i = 0; i < symbol->count; i++) {
        uint32_t q = ct_map_get(n->model->quantity_by_name, symbol->at[i]);
        if (q)
            CT_PUSH(n->arena, *parameter, symbol->at[i]);
        else if (symbol->at[i] != n->time)
            CT_PUSH(n->arena, o->symbol, symbol->at[i]);
    }
    o->form = CT_NEW_ARRAY(n->arena, form, o->symbol.count + 1);
    for (uint32_t i = 0; i < o->symbol.count; i++) {
        if (!ct_net_form(n, o->symbol.at[i], &o->form[i]))
            return false;
        for (uint32_t k = 0; k < o->form[i].term.count; k++)
            o->has_rates |= o->form[i].term.at[k].kind == FORM_RATE;
    }
    return true;
}

static bool compile(net *n, outputs *o, const expr_list *e, const name_list *parameter)
{
    ct_expr stranger;
    double *value = CT_NEW_ARRAY(n->scratch, double, parameter->count + 1);
    ct_program_def def = {.pool = n->pool,
                          .parameter = parameter->at,
                          .parameter_count = parameter->count,
                          .variable = o->symbol.at,
                          .variable_count = o->symbol.count,
                          .output = e->at,
                          .output_count = e->count};
    for (uint32_t i = 0; i < parameter->count; i++)
        value[i] = n->value[ct_map_get(n->model->quantity_by_name, parameter->at[i]) - 1];
    o->program = ct_program_new(n->arena, &def, &stranger);
    if (!o->program)
        return false;
    o->work = CT_NEW_ARRAY(n->arena, double, ct_program_work(o->program) + 1);
    o->variable = CT_NEW_ARRAY(n->arena, double, o->symbol.count + 1);
    ct_program_prepare(o->program, value, o->work);
    return true;
}

/* The states of a model that names no outputs come first, as they are. */
static void list_states(net *n, outputs *o, expr_list *e)
{
    ct_context *ctx = n->model->ctx;
    for (uint32_t i = 0; i < n->state.count; i++) {
        ct_name name = ct_intern_text(ctx, ct_net_state_name(n, i));
        CT_PUSH(n->arena, *e, ct_expr_symbol(n->pool, name));
    }
    o->output_count = n->state.count;
}

static bool is_stored(const net *n, uint32_t column)
{
    bool found = false;
    for (int k = n->z.start[column]; k < n->z.start[column + 1]; k++)
        found |= n->z.e[k] != 0;
    return found;
}

/* An entry of z whose error is looked at anyway. */
static bool is_entry(const net *n, const form *f)
{
    const form_term *t = f->term.at;
    return f->term.count == 0 ||
           (f->term.count == 1 && t->kind == FORM_Z && is_stored(n, t->index));
}

/* Of each column; others than symbols read many. */
static void find_plain(net *n, outputs *o, const expr_list *e)
{
    ct_map place;
    ct_map_init(&place, n->scratch);
    for (uint32_t i = 0; i + 1 < o->symbol.count; i++)
        ct_map_put(&place, o->symbol.at[i], i + 1);
    o->plain = CT_NEW_ARRAY(n->arena, bool, e->count + 1);
    for (uint32_t i = 0; i < e->count; i++) {
        if (ct_expr_kind_of(n->pool, e->at[i]) != CT_EXPR_SYMBOL)
            continue;
        uint32_t at = ct_map_get(&place, ct_expr_name(n->pool, e->at[i]));
        o->plain[i] = !at || is_entry(n, &o->form[at - 1]);
    }
}

static void list_curves(net *n, expr_list *e)
{
    const ct_model *m = n->model;
    for (uint32_t i = 0; i < m->curve_count; i++) {
        CT_PUSH(n->arena, *e, m->curve[i].expr);
        if (m->curve[i].over)
            CT_PUSH(n->arena, *e, m->curve[i].over);
    }
}

bool ct_net_keep_read(net *n)
{
    const ct_model *m = n->model;
    expr_list e = {0};
    for (uint32_t i = 0; i < m->output_count; i++)
        CT_PUSH(n->arena, e, m->output[i].expr);
    list_curves(n, &e);
    if (!drive(n, &e))
        return false;
    name_list symbol = symbols_of(n, &e);
    for (uint32_t i = 0; i < symbol.count; i++) {
        uint32_t edge = ct_net_through_of(n, symbol.at[i]);
        if (edge != UINT32_MAX)
            n->kept[edge] = true;
    }
    return true;
}

bool ct_net_outputs(net *n, outputs *o)
{
    const ct_model *m = n->model;
    expr_list e = {0};
    name_list parameter = {0};
    *o = (outputs){.output_count = m->output_count};
    for (uint32_t i = 0; i < m->output_count; i++)
        CT_PUSH(n->arena, e, m->output[i].expr);
    if (!m->output_count)
        list_states(n, o, &e);
    list_curves(n, &e);
    o->column_count = e.count;
    if (!drive(n, &e))
        return false;
    name_list symbol = symbols_of(n, &e);
    if (!find_forms(n, &symbol, o, &parameter))
        return false;
    CT_PUSH(n->arena, o->symbol, n->time);
    find_plain(n, o, &e);
    return compile(n, o, &e, &parameter);
}

void ct_outputs_at(const outputs *o, double t, const double *z, const double *u, const double *rate,
                   double *column)
{
    for (uint32_t i = 0; i + 1 < o->symbol.count; i++)
        o->variable[i] = ct_form_value(&o->form[i], z, u, rate);
    o->variable[o->symbol.count - 1] = t;
    ct_program_run(o->program, o->variable, column, o->work);
}
