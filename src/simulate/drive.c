/* drive.c - inputs replaced by what drives them, and their derivatives by its derivatives in time.
 *
 * What drives an input may read parameters, time, other inputs, and variables of the model. The
 * last is feedback: then the input has no derivative of its own.
 */
#include <string.h>

#include "simulate/machine.h"

typedef struct driving {
    const ct_machine *m;
    ct_name_list stack;
    ct_map expressed; /* inputs that are being worked on: what drives them, in states and inputs */
} driving;

typedef struct symbol_list {
    ct_pool *pool;
    ct_arena *arena;
    ct_name_list name;
} symbol_list;

static void take_symbol(void *user, ct_expr e)
{
    symbol_list *list = user;
    if (ct_expr_kind_of(list->pool, e) == CT_EXPR_SYMBOL)
        CT_PUSH(list->arena, list->name, ct_expr_name(list->pool, e));
}

ct_name_list ct_symbols_of(ct_pool *pool, ct_arena *arena, const ct_expr *e, uint32_t count)
{
    symbol_list list = {.pool = pool, .arena = arena};
    ct_expr_walk(pool, e, count, take_symbol, &list);
    return list.name;
}

/* The input behind u, der(u), der(der(u)); NULL: none. */
static const ct_quantity *input_of(const ct_machine *m, ct_name name)
{
    uint32_t order;
    ct_name base = ct_base_symbol(m->model->symbols, name, &order);
    uint32_t q = ct_map_get(m->model->quantity_by_name, base);
    return q && m->model->quantity[q - 1].kind == CT_INPUT ? &m->model->quantity[q - 1] : NULL;
}

/* Replaces the inputs in e that are done; true if all are. Others are put on the stack. */
static bool replace(driving *d, ct_expr *e, uint32_t count)
{
    const ct_machine *m = d->m;
    ct_name_list symbols = ct_symbols_of(m->pool, m->arena, e, count), from = {0};
    ct_expr_list to = {0};
    bool all = true;
    for (uint32_t i = 0; i < symbols.count; i++) {
        ct_name name = symbols.at[i];
        uint32_t done = ct_map_get(m->driven, name);
        if (!done && !input_of(m, name))
            continue;
        if (!done) {
            CT_PUSH(m->arena, d->stack, name);
            all = false;
            continue;
        }
        CT_PUSH(m->arena, from, name);
        CT_PUSH(m->arena, to, done);
    }
    if (all && from.count)
        ct_expr_substitute_all(m->pool, e, e, count, from.at, to.at, from.count);
    CT_DROP(m->arena, symbols);
    return all;
}

static bool reads_variables(driving *d, ct_expr e)
{
    ct_name_list symbols = ct_symbols_of(d->m->pool, d->m->arena, &e, 1);
    for (uint32_t i = 0; i < symbols.count; i++)
        if (ct_index_get(d->m->reduced->system->unknown_by_name, symbols.at[i]))
            return true;
    return false;
}

static bool report_circle(driving *d, ct_name name)
{
    const ct_quantity *q = input_of(d->m, name);
    const char *text = ct_name_text(d->m->ctx, q->name);
    ct_report *r = ct_error(d->m->ctx, "E528", q->place, "input %s drives itself", text);
    ct_note(r, "what drives it reads a variable that depends on %s without any delay", text);
    ct_help(r, "use the value in the component directly, or read a state");
    ct_witness(r, text);
    return false;
}

static bool report_rate(driving *d, ct_name name)
{
    const ct_quantity *q = input_of(d->m, name);
    const char *text = ct_name_text(d->m->ctx, q->name);
    ct_report *r = ct_error(d->m->ctx, "E529", q->place,
                            "the time derivative of input %s is needed, and it has none", text);
    ct_note(r, "what drives it reads variables of the model, or an operator without derivative");
    ct_help(r, "drive it by a function of time, or use the value in the component directly");
    ct_witness(r, text);
    return false;
}

static void finish(driving *d, ct_name name, ct_expr e)
{
    ct_map_put(d->m->driven, name, e);
    d->stack.count--;
}

static bool step_derivative(driving *d, ct_name name, ct_name inner)
{
    ct_expr of = ct_map_get(d->m->driven, inner);
    if (!of) {
        CT_PUSH(d->m->arena, d->stack, inner);
        return true;
    }
    ct_expr rate = reads_variables(d, of) ? 0 : ct_expr_diff(d->m->pool, of, d->m->time);
    if (!rate)
        return report_rate(d, name);
    finish(d, name, rate);
    return true;
}

static bool step_input(driving *d, ct_name name)
{
    const ct_quantity *q = input_of(d->m, name);
    ct_expr e = ct_map_get(&d->expressed, name);
    bool second_time = e != 0;
    if (!e && q->value)
        e = ct_reduced_express(d->m->reduced, q->value, q->place);
    else if (!e)
        e = ct_expr_int(d->m->pool, 0);
    if (!e)
        return false;
    ct_map_put(&d->expressed, name, e);
    if (replace(d, &e, 1))
        finish(d, name, e);
    else if (second_time)
        return report_circle(d, name);
    return true;
}

static bool settle(driving *d)
{
    while (d->stack.count) {
        ct_name name = d->stack.at[d->stack.count - 1];
        ct_symbol own = ct_symbol_of(d->m->model->symbols, name);
        ct_name inner = own.kind == CT_SYMBOL_RATE ? own.owner : 0;
        if (ct_map_get(d->m->driven, name))
            d->stack.count--;
        else if (!(inner ? step_derivative(d, name, inner) : step_input(d, name)))
            return false;
    }
    return true;
}

static bool drive_all(const ct_machine *m, ct_expr *e, uint32_t count)
{
    driving d = {.m = m};
    ct_map_init(&d.expressed, m->arena);
    while (!replace(&d, e, count))
        if (!settle(&d))
            return false;
    return true;
}

/* Time passes at the rate of one: der(t), der(der(t)), as deep as constraints are nested. */
static void pass_time(const ct_machine *m)
{
    enum { DEEPEST = 8 };
    ct_name name = m->time;
    for (int i = 0; i < DEEPEST; i++) {
        name = ct_rate_symbol(m->model->symbols, name);
        ct_map_put(m->driven, name, ct_expr_int(m->pool, i == 0));
    }
    for (uint32_t i = 0; i < m->reduced->slack_count; i++) {
        name = m->reduced->slack[i].symbol;
        for (int k = 0; k < DEEPEST; k++, name = ct_rate_symbol(m->model->symbols, name))
            ct_map_put(m->driven, name, ct_expr_int(m->pool, 0));
    }
}

/* What stands for a symbol when nothing moves; 0: itself. charging: drivers rise, and what that
 * puts into constraints comes with the rate of their slack. */
static ct_expr still(const ct_machine *m, ct_name name, bool charging)
{
    uint32_t order;
    ct_name of = ct_base_symbol(m->model->symbols, name, &order);
    ct_symbol record = ct_symbol_of(m->model->symbols, of);
    bool slack = record.kind == CT_SYMBOL_SLACK;
    if (slack && charging && order == 1)
        return ct_expr_neg(m->pool, m->reduced->slack[record.owner].risen);
    bool rate = order && (of == m->time || input_of(m, of));
    return slack || rate ? ct_expr_int(m->pool, 0) : 0;
}

bool ct_still_all(ct_machine *m, ct_expr *e, uint32_t count, bool charging)
{
    ct_name_list symbols = ct_symbols_of(m->pool, m->arena, e, count), from = {0};
    ct_expr_list to = {0};
    for (uint32_t i = 0; i < symbols.count; i++) {
        ct_expr value = still(m, symbols.at[i], charging);
        if (!value)
            continue;
        CT_PUSH(m->arena, from, symbols.at[i]);
        CT_PUSH(m->arena, to, value);
    }
    if (from.count)
        ct_expr_substitute_all(m->pool, e, e, count, from.at, to.at, from.count);
    CT_DROP(m->arena, symbols);
    return from.count > 0;
}

bool ct_drive_all(const ct_machine *m, ct_expr *e, uint32_t count)
{
    if (!ct_map_get(m->driven, ct_rate_symbol(m->model->symbols, m->time)))
        pass_time(m);
    return drive_all(m, e, count);
}
