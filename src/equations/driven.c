/* driven.c - equations made ready for a run; see driven.h. */
#include "equations/driven.h"

#include <assert.h>
#include <string.h>

static void list_variables(ct_driven *d)
{
    const ct_reduced *r = d->reduced;
    uint32_t size = d->n + d->m;
    d->known = size + 1 + d->memory;
    d->z_count = d->known + d->events.root.count;
    d->forced = d->z_count + d->push_count;
    ct_name *z = CT_NEW_ARRAY(d->arena, ct_name, d->forced);
    for (uint32_t i = 0; i < d->n; i++)
        z[i] = r->system->unknown[r->state[i]].name;
    for (uint32_t i = 0; i < d->m; i++)
        z[d->n + i] = r->system->unknown[r->algebraic[i]].name;
    z[size] = d->time;
    for (uint32_t i = 0; i < d->events.root.count; i++)
        z[d->known + i] = d->events.root.at[i].held;
    for (uint32_t i = 0; i < d->discrete_count; i++) {
        ct_name name = d->model->quantity[d->discrete[i]].name;
        z[size + 1 + i] = name;
        z[size + 1 + d->discrete_count + i] = ct_pre_symbol(d->ctx, name);
    }
    if (d->memory > 2 * d->discrete_count)
        z[d->known - 1] = ct_tick_symbol(d->ctx);
    for (uint32_t i = 0; i < d->push_count; i++)
        z[d->z_count + i] = d->push[i];
    d->z = z;
    for (uint32_t i = 0; i < d->forced; i++)
        ct_map_put(&d->z_index, z[i], i + 1);
}

static void list_discretes(ct_driven *d)
{
    const ct_model *m = d->model;
    CT_VEC(uint32_t) list = {0};
    for (uint32_t i = 0; i < m->quantity_count; i++)
        if (m->quantity[i].kind == CT_DISCRETE)
            CT_PUSH(d->arena, list, i);
    d->discrete = list.at;
    d->discrete_count = list.count;
    d->memory = 2 * list.count;
    for (uint32_t i = 0; i < m->happening_count && d->memory == 2 * list.count; i++)
        d->memory += m->happening[i].clock && !m->happening[i].lag;
}

bool ct_driven_unknown(const ct_driven *d, ct_name symbol)
{
    return d->reduced && ct_index_get(d->reduced->system->unknown_by_name, symbol);
}

/* ---- rates, residuals, balances */

static ct_expr *put_together(const ct_driven *d, const ct_expr *rate)
{
    ct_expr *fg = CT_NEW_ARRAY(d->arena, ct_expr, d->n + d->m + 1);
    if (d->n)
        memcpy(fg, rate, d->n * sizeof *fg);
    if (d->m)
        memcpy(fg + d->n, d->reduced->residual, d->m * sizeof *fg);
    return fg;
}

const ct_expr *ct_unless_same(const ct_expr *copy, const ct_expr *e, uint32_t count)
{
    return copy && memcmp(copy, e, count * sizeof *e) != 0 ? copy : NULL;
}

/* A function of forces: a condition, or what is chosen by one. */
static void note_call(void *user, ct_expr e)
{
    ct_driven *d = user;
    if (ct_expr_kind_of(d->pool, e) == CT_EXPR_CALL && ct_reads_pushes(d, e))
        d->pushed = d->fg;
}

/* Where conditions read forces, they must stand in there when events are found. */
static bool drive_pushed(ct_driven *d)
{
    uint32_t size = d->n + d->m;
    ct_expr *own = CT_NEW_ARRAY(d->arena, ct_expr, size + 1);
    if (d->push_count)
        ct_expr_walk(d->pool, d->fg, size, note_call, d);
    if (!d->pushed)
        return true;
    memcpy(own, d->fg, size * sizeof *own);
    d->pushed = own;
    return ct_drive_pushed(d, own, size);
}

static bool drive_equations(ct_driven *d)
{
    uint32_t size = d->n + d->m;
    ct_expr *fg = put_together(d, d->reduced->rate);
    if (!ct_list_pushes_of(d, fg))
        return false;
    d->fg = fg;
    d->rest = ct_drive_still(d, fg, size, false);
    d->charge = d->rest ? ct_drive_still(d, fg, size, true) : NULL;
    bool good = drive_pushed(d) && ct_drive_all(d, fg, size);
    d->rest = ct_unless_same(d->rest, fg, size);
    return good;
}

/* Balances instead of rates. */
static bool drive_balances(ct_driven *d)
{
    uint32_t size = d->n + d->m;
    d->balance = d->fg;
    d->rest_balance = d->rest;
    if (!d->reduced->balance)
        return true;
    ct_expr *own = put_together(d, d->reduced->balance);
    const ct_expr *rest = d->rest ? ct_drive_still(d, own, size, false) : NULL;
    d->balance = own;
    d->rest_balance = d->rest && !rest ? own : rest;
    return ct_drive_all(d, own, size);
}

/* Time passes at the rate of one: der(t), der(der(t)), as deep as constraints are nested. */
static void pass_time(const ct_driven *d)
{
    enum { DEEPEST = 8 };
    ct_name name = d->time;
    for (int i = 0; i < DEEPEST; i++) {
        name = ct_rate_symbol(d->model->symbols, name);
        ct_map_put(d->driver, name, ct_expr_int(d->pool, i == 0));
    }
}

ct_driven ct_driven_open(const ct_model *model, ct_arena *arena)
{
    ct_driven d = {.ctx = model->ctx,
                   .arena = arena,
                   .pool = model->pool,
                   .model = model,
                   .time = ct_intern_text(model->ctx, "t")};
    d.driver = CT_NEW(arena, ct_map);
    ct_map_init(d.driver, arena);
    ct_map_init(&d.z_index, arena);
    ct_map_init(&d.parameter_index, arena);
    ct_map_init(&d.ghost_value, arena);
    pass_time(&d);
    list_discretes(&d);
    list_variables(&d);
    return d;
}

ct_driven *ct_driven_new(const ct_equations *e)
{
    ct_arena *arena = ct_arena_new(e->model->ctx);
    ct_driven *d = CT_NEW(arena, ct_driven);
    *d = ct_driven_open(e->model, arena);
    d->reduced = e->moving->closed ? ct_reduced_view(e->moving, arena) : e->moving;
    d->n = e->reduced->state_count;
    d->m = e->reduced->algebraic_count;
    list_variables(d);
    return drive_equations(d) && drive_balances(d) && ct_list_acts(d) ? d : NULL;
}

/* ---- parameters, and symbols that cancel */

static bool is_parameter(const ct_model *model, ct_name symbol)
{
    uint32_t q = ct_map_get(model->quantity_by_name, symbol);
    return q && model->quantity[q - 1].kind == CT_PARAM;
}

/* Expressions of equal value share a node, and that node may hold a symbol on which the value does
 * not depend: (x + u) - u. Any number would do for it, were it not for rounding: in exponentials it
 * should be what the unknown is. */
static void note_ghost(ct_driven *d, ct_name symbol)
{
    bool open = d->reduced && !ct_map_get(&d->z_index, symbol);
    ct_expr value = open ? ct_map_get(d->driver, symbol) : 0;
    if (!value && open)
        value = ct_reduced_value(d->reduced, symbol);
    if (!value || !ct_drive_all(d, &value, 1))
        return;
    ct_name_list below = ct_symbols_of(d->pool, d->arena, &value, 1);
    bool known = true;
    for (uint32_t i = 0; i < below.count; i++)
        known &=
            ct_map_get(&d->z_index, below.at[i]) || ct_map_get(&d->parameter_index, below.at[i]);
    if (known)
        ct_map_put(&d->ghost_value, symbol, value);
    CT_DROP(d->arena, below);
}

static void add_expressions(const ct_driven *d, ct_expr_list *all, const ct_expr *e, uint32_t count)
{
    for (uint32_t i = 0; e && i < count; i++)
        CT_PUSH(d->arena, *all, e[i]);
}

/* Those that occur somewhere: the others need no value. */
void ct_list_parameters(ct_driven *d, const ct_expr *e, uint32_t count)
{
    ct_expr_list all = {0};
    add_expressions(d, &all, d->fg, d->n + d->m);
    add_expressions(d, &all, d->balance, d->n);
    add_expressions(d, &all, d->rest_balance, d->n);
    add_expressions(d, &all, d->charge, d->n + d->m);
    add_expressions(d, &all, e, count);
    ct_push_acts(d, &all);
    ct_name_list symbols = ct_symbols_of(d->pool, d->arena, all.at, all.count), used = {0};
    for (uint32_t i = 0; i < symbols.count; i++) {
        if (!is_parameter(d->model, symbols.at[i]))
            continue;
        CT_PUSH(d->arena, used, symbols.at[i]);
        ct_map_put(&d->parameter_index, symbols.at[i], used.count);
    }
    d->parameter = used.at;
    d->parameter_count = used.count;
    for (uint32_t i = 0; i < symbols.count; i++)
        if (!ct_map_get(&d->parameter_index, symbols.at[i]))
            note_ghost(d, symbols.at[i]);
    CT_DROP(d->arena, symbols);
    CT_DROP(d->arena, all);
}

/* ---- the end */

void ct_driven_also(ct_driven *d, ct_expr *e)
{
    CT_PUSH(d->arena, d->also, e);
}

void ct_driven_close(ct_driven *d)
{
    uint32_t size = d->n + d->m;
    assert(!d->closed && d->fg);
    ct_expr *kept = CT_NEW_ARRAY(d->arena, ct_expr, size + d->also.count + 1);
    memcpy(kept, d->pushed ? d->pushed : d->fg, size * sizeof *kept);
    for (uint32_t i = 0; i < d->also.count; i++)
        kept[size + i] = *d->also.at[i];
    ct_find_events(d, kept, size + d->also.count, size, &d->events);
    for (uint32_t i = 0; i < d->also.count; i++)
        *d->also.at[i] = kept[size + i];
    if (d->pushed)
        ct_forget_pushes(d, kept, size);
    d->kept = kept;
    list_variables(d);
    d->closed = true;
}

const ct_driven *ct_driven_clone(const ct_driven *from, const ct_reduced *reduced)
{
    const ct_model *model = reduced->system->model;
    ct_arena *arena = reduced->arena;
    ct_driven *d = CT_NEW(arena, ct_driven);
    *d = *from;
    d->ctx = model->ctx, d->arena = arena, d->pool = model->pool;
    d->model = model, d->reduced = reduced;
    return d;
}
