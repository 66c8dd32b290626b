/* lift.c - the equations with the arguments of exponentials as unknowns of their own.
 *
 *     (f, g)(t, z, exp(u(t, z))) = 0    becomes    (f, g)(t, z, exp(u) + soft*u) = 0
 *                                                  u(t, z) - u = 0
 *
 * Newton's method then linearises each exponential at a point of its own choice (solve/limit.c),
 * and soft is a conductance across each junction (solve/aids.c). exp(min(u, c)) counts as one of u,
 * and u + c below another operator is written with u, too: tangents that go on beyond a limit.
 */
#include <string.h>

#include "simulate/machine.h"

struct ct_lift {
    ct_rig *rig;
    ct_problem problem;
    const ct_program *value, *slope;
    double *variable, *work_value, *work_slope; /* variables: z, u, t, softness */
};

typedef struct lifting {
    const ct_machine *m;
    const ct_expr *fg;  /* balances and residuals */
    ct_pool *pool, *to; /* of the machine, of the lifted rows */
    ct_arena *arena;    /* of what stays */
    ct_expr_list order;
    ct_map ghost;          /* symbols that cancel (see ct_machine_ghost) -> what stands for them */
    ct_map settled;        /* nodes that hold them -> the same by their values */
    ct_map reads;          /* nodes that read variables */
    ct_map fresh;          /* node -> what it became */
    ct_map index;          /* argument without its constant -> index + 1 */
    ct_expr_list argument; /* as it stands in the rows */
    ct_name_list symbol;   /* z, u, t, softness */
    ct_expr soft;
} lifting;

static ct_expr ghost_of(const lifting *l, ct_expr e)
{
    bool symbol = ct_expr_kind_of(l->pool, e) == CT_EXPR_SYMBOL;
    return symbol ? ct_map_get(&l->ghost, ct_expr_name(l->pool, e)) : 0;
}

static ct_expr settled(const lifting *l, ct_expr e)
{
    ct_expr known = ct_map_get(&l->settled, e);
    return known ? known : e;
}

static void settle(lifting *l, ct_expr e)
{
    uint32_t arity = ct_expr_arity(l->pool, e);
    ct_expr few[8], *x = arity <= 8 ? few : CT_NEW_ARRAY(l->arena, ct_expr, arity), now = 0;
    bool changed = false;
    for (uint32_t i = 0; i < arity; i++) {
        x[i] = settled(l, ct_expr_operand(l->pool, e, i));
        changed |= x[i] != ct_expr_operand(l->pool, e, i);
    }
    now = changed ? ct_expr_rebuild(l->pool, e, x) : ghost_of(l, e);
    if (now)
        ct_map_put(&l->settled, e, now);
}

static void visit(void *user, ct_expr e)
{
    lifting *l = user;
    ct_expr ghost = ghost_of(l, e);
    CT_PUSH(l->arena, l->order, e);
    bool reads = ct_expr_kind_of(l->pool, e) == CT_EXPR_SYMBOL &&
                 ct_map_get(&l->m->z_index, ct_expr_name(l->pool, e)) &&
                 ct_expr_name(l->pool, e) != l->m->time;
    reads |= ghost && ct_map_get(&l->reads, ghost);
    for (uint32_t i = 0; i < ct_expr_arity(l->pool, e) && !reads; i++)
        reads = ct_map_get(&l->reads, ct_expr_operand(l->pool, e, i)) != 0;
    if (reads)
        ct_map_put(&l->reads, e, 1);
}

/* Values of symbols that cancel, then the rows. */
static void list_nodes(lifting *l)
{
    const ct_machine *m = l->m;
    ct_name_list symbols = ct_symbols_of(l->pool, l->arena, l->fg, m->n + m->m);
    ct_expr_list root = {0};
    for (uint32_t i = 0; i < symbols.count; i++) {
        if (ct_map_get(&m->z_index, symbols.at[i]) ||
            ct_map_get(&m->parameter_index, symbols.at[i]))
            continue;
        CT_PUSH(l->arena, root, ct_machine_ghost(m, symbols.at[i], m->z_count));
        ct_map_put(&l->ghost, symbols.at[i], root.at[root.count - 1]);
    }
    for (uint32_t i = 0; i < m->n + m->m; i++)
        CT_PUSH(l->arena, root, l->fg[i]);
    ct_expr_walk(l->pool, root.at, root.count, visit, l);
    for (uint32_t i = 0; i < l->order.count && symbols.count; i++)
        settle(l, l->order.at[i]);
}

static bool is_call(const lifting *l, ct_expr e, ct_op op)
{
    return ct_expr_kind_of(l->pool, e) == CT_EXPR_CALL && ct_expr_op(l->pool, e) == op;
}

static ct_expr constant_of(const lifting *l, ct_expr e)
{
    bool sum = ct_expr_kind_of(l->pool, e) == CT_EXPR_SUM;
    return sum ? ct_expr_constant(l->pool, e) : ct_expr_int(l->pool, 0);
}

static ct_expr without_constant(const lifting *l, ct_expr e)
{
    bool sum = ct_expr_kind_of(l->pool, e) == CT_EXPR_SUM;
    return sum ? ct_expr_sub(l->pool, e, constant_of(l, e)) : e;
}

/* What stands in an exponential, behind a limit by a number. */
static ct_expr argument_of(const lifting *l, ct_expr e)
{
    ct_expr a = ct_expr_operand(l->pool, e, 0);
    for (uint32_t i = 0; is_call(l, a, CT_OP_MIN) && i < 2; i++)
        if (!ct_map_get(&l->reads, ct_expr_operand(l->pool, a, i)))
            return ct_expr_operand(l->pool, a, 1 - i);
    return a;
}

static uint32_t index_of(const lifting *l, ct_expr e)
{
    return ct_map_get(&l->index, without_constant(l, settled(l, e)));
}

static void find_arguments(lifting *l)
{
    for (uint32_t i = 0; i < l->order.count; i++) {
        ct_expr e = l->order.at[i];
        if (!is_call(l, e, CT_OP_EXP) || !ct_map_get(&l->reads, e))
            continue;
        ct_expr u = argument_of(l, e);
        if (!u || index_of(l, u))
            continue;
        CT_PUSH(l->arena, l->argument, u);
        ct_map_put(&l->index, without_constant(l, settled(l, u)), l->argument.count);
    }
}

static ct_expr symbol_of(const lifting *l, uint32_t argument)
{
    return ct_expr_symbol(l->to, l->symbol.at[l->m->n + l->m->m + argument]);
}

/* An operand as it is to be written: by the unknown of an exponential where it is one, up to a
 * constant. */
static ct_expr operand_of(const lifting *l, ct_expr parent, ct_expr x)
{
    ct_expr_kind kind = ct_expr_kind_of(l->pool, parent);
    bool open = kind == CT_EXPR_CALL ||
                (kind == CT_EXPR_PRODUCT && ct_expr_kind_of(l->pool, x) == CT_EXPR_SUM);
    uint32_t index = open && ct_map_get(&l->reads, x) ? index_of(l, x) : 0;
    if (!index)
        return ct_map_get(&l->fresh, x);
    ct_expr own = constant_of(l, settled(l, l->argument.at[index - 1]));
    ct_expr shift = ct_expr_sub(l->pool, constant_of(l, settled(l, x)), own);
    return ct_expr_add(l->to, symbol_of(l, index - 1),
                       ct_expr_rebuild_in(l->to, l->pool, shift, NULL));
}

/* In a pool of its own: the old one would give back the old form wherever exponentials cancel. */
static ct_expr rewrite(const lifting *l, ct_expr e)
{
    uint32_t arity = ct_expr_arity(l->pool, e);
    ct_expr ghost = ghost_of(l, e);
    if (ghost)
        return ct_map_get(&l->fresh, ghost);
    ct_expr few[8], *x = arity <= 8 ? few : CT_NEW_ARRAY(l->arena, ct_expr, arity);
    for (uint32_t i = 0; i < arity; i++)
        x[i] = operand_of(l, e, ct_expr_operand(l->pool, e, i));
    ct_expr now = ct_expr_rebuild_in(l->to, l->pool, e, x);
    if (!now || !is_call(l, e, CT_OP_EXP) || !ct_map_get(&l->reads, e))
        return now;
    ct_expr u = symbol_of(l, index_of(l, argument_of(l, e)) - 1);
    return ct_expr_add(l->to, now, ct_expr_mul(l->to, l->soft, u));
}

static void name_variables(lifting *l)
{
    const ct_machine *m = l->m;
    for (uint32_t i = 0; i < m->n + m->m; i++)
        CT_PUSH(l->arena, l->symbol, m->z[i]);
    for (uint32_t i = 0; i < l->argument.count; i++)
        CT_PUSH(l->arena, l->symbol, ct_intern_format(m->ctx, "argument %u", i + 1));
    CT_PUSH(l->arena, l->symbol, m->time);
    CT_PUSH(l->arena, l->symbol, ct_intern_text(m->ctx, "softness of exponentials"));
    l->soft = ct_expr_symbol(l->to, l->symbol.at[l->symbol.count - 1]);
}

static ct_expr_list lifted_rows(lifting *l)
{
    const ct_machine *m = l->m;
    ct_expr_list rows = {0};
    for (uint32_t i = 0; i < l->order.count; i++)
        ct_map_put(&l->fresh, l->order.at[i], rewrite(l, l->order.at[i]));
    for (uint32_t i = 0; i < m->n + m->m; i++)
        CT_PUSH(l->arena, rows, ct_map_get(&l->fresh, l->fg[i]));
    for (uint32_t i = 0; i < l->argument.count; i++) {
        ct_expr u = ct_map_get(&l->fresh, l->argument.at[i]);
        CT_PUSH(l->arena, rows, u ? ct_expr_sub(l->to, u, symbol_of(l, i)) : 0);
    }
    return rows;
}

/* ---- as a problem */

static void set_point(struct ct_lift *lift, double t, const double *z)
{
    uint32_t size = lift->problem.n + lift->problem.m;
    memcpy(lift->variable, z, size * sizeof *z);
    lift->variable[size] = t;
}

static void evaluate(void *user, double t, const double *z, double *fg)
{
    struct ct_lift *lift = user;
    set_point(lift, t, z);
    ct_program_run(lift->value, lift->variable, fg, lift->work_value);
}

static void slope(void *user, double t, const double *z, double *value)
{
    struct ct_lift *lift = user;
    set_point(lift, t, z);
    ct_program_run(lift->slope, lift->variable, value, lift->work_slope);
}

static const ct_program *program_of(const lifting *l, const ct_expr *e, uint32_t count)
{
    ct_expr stranger;
    ct_program_def def = {.pool = l->to,
                          .parameter = l->m->parameter,
                          .parameter_count = l->m->parameter_count,
                          .variable = l->symbol.at,
                          .variable_count = l->symbol.count,
                          .output = e,
                          .output_count = count};
    return ct_program_new(l->arena, &def, &stranger);
}

static bool make_programs(lifting *l, struct ct_lift *lift)
{
    ct_expr_list rows = lifted_rows(l);
    ct_expr culprit;
    const ct_jacobian *j =
        ct_jacobian_new(l->arena, l->to, rows.at, rows.count, l->symbol.at, rows.count, &culprit);
    lift->value = j ? program_of(l, rows.at, rows.count) : NULL;
    lift->slope = lift->value ? program_of(l, j->entry, j->count) : NULL;
    if (!lift->slope)
        return false;
    lift->variable = CT_NEW_ARRAY(l->arena, double, l->symbol.count);
    lift->work_value = ct_rig_prepared(lift->rig, lift->value);
    lift->work_slope = ct_rig_prepared(lift->rig, lift->slope);
    lift->problem = (ct_problem){.user = lift,
                                 .n = l->m->n,
                                 .m = l->m->m + l->argument.count,
                                 .evaluate = evaluate,
                                 .start = j->start,
                                 .row = j->row,
                                 .jacobian = slope,
                                 .limited = l->argument.count,
                                 .softness = lift->variable + l->symbol.count - 1};
    return true;
}

static struct ct_lift *lifted(ct_rig *rig, const ct_expr *fg)
{
    const ct_machine *m = rig->machine;
    ct_arena *scratch = ct_arena_new(m->ctx);
    struct ct_lift *lift = CT_NEW(rig->arena, struct ct_lift);
    lifting l = {.m = m, .fg = fg, .pool = m->pool, .arena = rig->arena};
    ct_map_init(&l.ghost, scratch);
    ct_map_init(&l.settled, scratch);
    ct_map_init(&l.reads, scratch);
    ct_map_init(&l.fresh, scratch);
    ct_map_init(&l.index, scratch);
    list_nodes(&l);
    find_arguments(&l);
    l.to = l.argument.count ? ct_pool_new(m->ctx) : l.pool;
    name_variables(&l);
    lift->rig = rig;
    if (l.argument.count && !make_programs(&l, lift))
        lift->problem.limited = 0;
    if (l.to != l.pool)
        ct_pool_free(l.to);
    ct_arena_free(scratch);
    return lift;
}

static const ct_problem *lift_of(ct_rig *rig, struct ct_lift **lift, const ct_expr *fg)
{
    if (!*lift && rig->machine->free.slope)
        *lift = lifted(rig, fg);
    return *lift && (*lift)->problem.limited ? &(*lift)->problem : NULL;
}

const ct_problem *ct_rig_lift(void *user)
{
    ct_rig *rig = user;
    return lift_of(rig, &rig->lift, rig->machine->balance);
}

const ct_problem *ct_rig_lift_rest(void *user)
{
    ct_rig *rig = user;
    return lift_of(rig, &rig->rest_lift, rig->machine->rest_balance);
}
