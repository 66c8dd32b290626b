/* drive.c - inputs replaced by what drives them, and their derivatives by its derivatives in time.
 *
 * What drives an input may read parameters, time, other inputs, and variables of the model. The
 * last is feedback: then the input has no derivative of its own.
 */
#include <string.h>

#include "equations/driven.h"

typedef struct driving {
    const ct_driven *d;
    ct_arena *arena;
    ct_map *found; /* what drives inputs and their derivatives: the equations' map, or beside it */
    bool pushed;   /* forces that may hold stay */
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
static const ct_quantity *input_of(const ct_driven *d, ct_name name)
{
    uint32_t order;
    ct_name base = ct_base_symbol(d->model->symbols, name, &order);
    uint32_t q = ct_map_get(d->model->quantity_by_name, base);
    return q && d->model->quantity[q - 1].kind == CT_INPUT ? &d->model->quantity[q - 1] : NULL;
}

/* What drives it; 0: not known yet. */
static ct_expr driver_of(const driving *x, ct_name name)
{
    ct_expr e = ct_map_get(x->d->driver, name);
    uint32_t order;
    ct_name base = ct_base_symbol(x->d->model->symbols, name, &order);
    if (ct_symbol_of(x->d->model->symbols, base).kind == CT_SYMBOL_SLACK)
        return ct_expr_int(x->d->pool, 0);
    return e ? e : ct_map_get(x->found, name);
}

static bool is_push(const ct_driven *d, ct_name name)
{
    for (uint32_t i = 0; i < d->push_count; i++)
        if (d->push[i] == name)
            return true;
    return false;
}

bool ct_reads_pushes(const ct_driven *d, ct_expr e)
{
    for (uint32_t i = 0; i < d->push_count; i++)
        if (ct_expr_has(d->pool, e, d->push[i]))
            return true;
    return false;
}

void ct_forget_pushes(const ct_driven *d, ct_expr *e, uint32_t count)
{
    ct_expr *zero = CT_NEW_ARRAY(d->arena, ct_expr, d->push_count + 1);
    for (uint32_t i = 0; i < d->push_count; i++)
        zero[i] = ct_expr_int(d->pool, 0);
    if (d->push_count && count)
        ct_expr_substitute_all(d->pool, e, e, count, d->push, zero, d->push_count);
}

/* Replaces the inputs in e that are done; true if all are. Others are put on the stack. */
static bool replace(driving *x, ct_expr *e, uint32_t count)
{
    const ct_driven *d = x->d;
    ct_name_list symbols = ct_symbols_of(d->pool, x->arena, e, count), from = {0};
    ct_expr_list to = {0};
    bool all = true;
    for (uint32_t i = 0; i < symbols.count; i++) {
        ct_name name = symbols.at[i];
        uint32_t done = driver_of(x, name);
        if ((!done && !input_of(d, name)) || (x->pushed && is_push(d, name)))
            continue;
        if (!done) {
            CT_PUSH(x->arena, x->stack, name);
            all = false;
            continue;
        }
        CT_PUSH(x->arena, from, name);
        CT_PUSH(x->arena, to, done);
    }
    if (all && from.count)
        ct_expr_substitute_all(d->pool, e, e, count, from.at, to.at, from.count);
    CT_DROP(x->arena, symbols);
    return all;
}

static bool reads_variables(driving *x, ct_expr e)
{
    ct_name_list symbols = ct_symbols_of(x->d->pool, x->arena, &e, 1);
    for (uint32_t i = 0; i < symbols.count; i++)
        if (ct_driven_unknown(x->d, symbols.at[i]))
            return true;
    return false;
}

static bool report_circle(driving *x, ct_name name)
{
    const ct_quantity *q = input_of(x->d, name);
    const char *text = ct_name_text(x->d->ctx, q->name);
    ct_report *r = ct_error(x->d->ctx, "E528", q->place, "input %s drives itself", text);
    ct_note(r, "what drives it reads a variable that depends on %s without any delay", text);
    ct_help(r, "use the value in the component directly, or read a state");
    ct_witness(r, text);
    return false;
}

static bool report_rate(driving *x, ct_name name)
{
    const ct_quantity *q = input_of(x->d, name);
    const char *text = ct_name_text(x->d->ctx, q->name);
    ct_report *r = ct_error(x->d->ctx, "E529", q->place,
                            "the time derivative of input %s is needed, and it has none", text);
    ct_note(r, "what drives it reads variables of the model, or an operator without derivative");
    ct_help(r, "drive it by a function of time, or use the value in the component directly");
    ct_witness(r, text);
    return false;
}

static void finish(driving *x, ct_name name, ct_expr e)
{
    ct_map_put(x->found, name, e);
    x->stack.count--;
}

static bool step_derivative(driving *x, ct_name name, ct_name inner)
{
    ct_expr of = driver_of(x, inner);
    if (!of) {
        CT_PUSH(x->arena, x->stack, inner);
        return true;
    }
    ct_expr rate = reads_variables(x, of) ? 0 : ct_expr_diff(x->d->pool, of, x->d->time);
    if (!rate)
        return report_rate(x, name);
    finish(x, name, rate);
    return true;
}

static const ct_reduced *reduced_of(const driving *x)
{
    const ct_reduced *r = x->d->reduced;
    return r->closed ? ct_reduced_view(r, x->arena) : r;
}

static bool step_input(driving *x, ct_name name)
{
    const ct_quantity *q = input_of(x->d, name);
    ct_expr e = ct_map_get(&x->expressed, name);
    bool second_time = e != 0;
    if (!e && q->value)
        e = ct_reduced_express(reduced_of(x), q->value, q->place);
    else if (!e)
        e = ct_expr_int(x->d->pool, 0);
    if (!e)
        return false;
    ct_map_put(&x->expressed, name, e);
    if (replace(x, &e, 1))
        finish(x, name, e);
    else if (second_time)
        return report_circle(x, name);
    return true;
}

static bool settle(driving *x)
{
    while (x->stack.count) {
        ct_name name = x->stack.at[x->stack.count - 1];
        ct_symbol own = ct_symbol_of(x->d->model->symbols, name);
        ct_name inner = own.kind == CT_SYMBOL_RATE ? own.owner : 0;
        if (driver_of(x, name))
            x->stack.count--;
        else if (!(inner ? step_derivative(x, name, inner) : step_input(x, name)))
            return false;
    }
    return true;
}

static bool drive(driving *x, ct_expr *e, uint32_t count)
{
    ct_map_init(&x->expressed, x->arena);
    while (!replace(x, e, count))
        if (!settle(x))
            return false;
    return true;
}

/* Closed equations keep nothing of what is found for others. */
static bool drive_some(const ct_driven *d, ct_expr *e, uint32_t count, bool pushed)
{
    ct_map own;
    ct_arena *arena = d->closed ? ct_arena_new(d->ctx) : d->arena;
    driving x = {.d = d, .arena = arena, .found = d->closed ? &own : d->driver, .pushed = pushed};
    ct_map_init(&own, arena);
    bool good = drive(&x, e, count);
    if (d->closed)
        ct_arena_free(arena);
    return good;
}

bool ct_drive_all(const ct_driven *d, ct_expr *e, uint32_t count)
{
    return drive_some(d, e, count, false);
}

bool ct_drive_pushed(const ct_driven *d, ct_expr *e, uint32_t count)
{
    return drive_some(d, e, count, true);
}

/* ---- at rest */

/* What stands for a symbol when nothing moves; 0: itself. charging: drivers rise, and what that
 * puts into constraints comes with the rate of their slack. */
static ct_expr still(const ct_driven *d, ct_name name, bool charging)
{
    uint32_t order;
    ct_name of = ct_base_symbol(d->model->symbols, name, &order);
    ct_symbol record = ct_symbol_of(d->model->symbols, of);
    bool slack = record.kind == CT_SYMBOL_SLACK;
    if (slack && charging && order == 1)
        return ct_expr_neg(d->pool, d->reduced->slack[record.owner].risen);
    bool rate = order && (of == d->time || input_of(d, of));
    return slack || rate ? ct_expr_int(d->pool, 0) : 0;
}

static bool still_all(const ct_driven *d, ct_expr *e, uint32_t count, bool charging)
{
    ct_name_list symbols = ct_symbols_of(d->pool, d->arena, e, count), from = {0};
    ct_expr_list to = {0};
    for (uint32_t i = 0; i < symbols.count; i++) {
        ct_expr value = still(d, symbols.at[i], charging);
        if (!value)
            continue;
        CT_PUSH(d->arena, from, symbols.at[i]);
        CT_PUSH(d->arena, to, value);
    }
    if (from.count)
        ct_expr_substitute_all(d->pool, e, e, count, from.at, to.at, from.count);
    CT_DROP(d->arena, symbols);
    return from.count > 0;
}

const ct_expr *ct_drive_still(const ct_driven *d, const ct_expr *e, uint32_t count, bool charging)
{
    ct_expr *copy = CT_NEW_ARRAY(d->arena, ct_expr, count + 1);
    if (!count || d->reduced->system->mechanics)
        return NULL;
    memcpy(copy, e, count * sizeof *copy);
    return still_all(d, copy, count, charging) && ct_drive_all(d, copy, count) ? copy : NULL;
}
