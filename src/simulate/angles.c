/* angles.c - what turns in conditions: arguments of periodic functions, as programs.
 *
 *     sin(a) > .., cos(a), tan(a)     a, whatever it is made of; of nested ones each
 *     floor(a), mod(a, b), ..         turns of a
 *     exp(a), tanh(a), a^-1, a^20     the order of magnitude of a: peaks and flanks look the same
 *                                     from any distance, so that a search by it comes near them
 *
 * Between two places at which conditions are looked at none of them changes by much (window.c), so
 * that no pair of changes hides. Conditions of time alone are isolated ahead (lookout.c).
 */
#include "simulate/machine.h"

#include <math.h>

enum { MOST_PLAIN_POWER = 6, MOST_NODES = 100 }; /* peaks of higher powers are narrow */

typedef struct finding {
    ct_machine *m;
    ct_pool *pool;
    ct_map reads; /* nodes that read t or unknowns */
    ct_map known; /* angles that are listed */
    ct_angles *list;
    const char *text; /* of the condition */
    bool short_one;   /* peaks and flanks of it are looked for: it costs little */
} finding;

static bool reads(const finding *f, ct_expr e)
{
    return ct_map_get(&f->reads, e) != 0;
}

static void add(finding *f, ct_expr angle)
{
    if (!angle || ct_expr_is_number(f->pool, angle) || ct_map_get(&f->known, angle))
        return;
    ct_map_put(&f->known, angle, 1);
    CT_PUSH(f->m->arena, f->list->angle, angle);
    CT_PUSH(f->m->arena, f->list->text, f->text);
}

static ct_expr magnitude(finding *f, ct_expr a)
{
    return ct_expr_call1(f->pool, CT_OP_LOG, ct_expr_call1(f->pool, CT_OP_ABS, a));
}

static void look_at_call(finding *f, ct_expr e)
{
    ct_expr a = ct_expr_operand(f->pool, e, 0);
    switch ((int)ct_expr_op(f->pool, e)) {
    case CT_OP_SIN:
    case CT_OP_COS:
    case CT_OP_TAN:
        add(f, a);
        break;
    case CT_OP_EXP:
    case CT_OP_TANH:
    case CT_OP_ATAN:
    case CT_OP_ERF:
    case CT_OP_ERFC:
    case CT_OP_COSH:
        add(f, f->short_one ? ct_expr_call1(f->pool, CT_OP_ASINH, a) : 0);
        break;
    case CT_OP_LOG:
        add(f, f->short_one ? magnitude(f, a) : 0);
        break;
    default:
        break;
    }
}

static void look_at_product(finding *f, ct_expr e)
{
    for (uint32_t i = 0; i < ct_expr_arity(f->pool, e); i++) {
        ct_expr a = ct_expr_operand(f->pool, e, i), power = ct_expr_coefficient(f->pool, e, i);
        int64_t whole;
        bool number = ct_expr_to_int(f->pool, power, &whole);
        if (!reads(f, a) || (number && whole >= 0 && whole <= MOST_PLAIN_POWER))
            continue;
        ct_expr size = magnitude(f, a);
        bool high = number && whole > 0; /* a^n = exp(n log(a)) */
        add(f,
            high ? ct_expr_call1(f->pool, CT_OP_ASINH, ct_expr_mul(f->pool, power, size)) : size);
    }
}

static void visit(void *user, ct_expr e)
{
    finding *f = user;
    const ct_machine *m = f->m;
    ct_expr_kind kind = ct_expr_kind_of(f->pool, e);
    bool moves = false;
    if (kind == CT_EXPR_SYMBOL) {
        uint32_t z = ct_map_get(&m->z_index, ct_expr_name(f->pool, e));
        moves = ct_expr_name(f->pool, e) == m->time || (z && z <= m->n + m->m);
    }
    for (uint32_t i = 0; i < ct_expr_arity(f->pool, e) && !moves; i++)
        moves = reads(f, ct_expr_operand(f->pool, e, i));
    if (!moves)
        return;
    ct_map_put(&f->reads, e, 1);
    if (kind == CT_EXPR_CALL)
        look_at_call(f, e);
    else if (kind == CT_EXPR_PRODUCT && f->short_one)
        look_at_product(f, e);
}

static void count_nodes(void *user, ct_expr e)
{
    (void)e;
    ++*(uint32_t *)user;
}

static void look_at(finding *f, ct_expr e, const char *text, bool closely)
{
    uint32_t nodes = 0;
    if (closely)
        ct_expr_walk(f->pool, &e, 1, count_nodes, &nodes);
    f->short_one = nodes && nodes <= MOST_NODES;
    f->text = text;
    ct_expr_walk(f->pool, &e, 1, visit, f);
}

static const char *text_of(const ct_machine *m, ct_expr e)
{
    ct_text text = ct_text_new(m->arena);
    ct_expr_put_some(m->pool, &text, e);
    return ct_text_string(&text);
}

static void look_at_root(finding *f, const ct_event *e)
{
    ct_pool *p = f->pool;
    const char *text = text_of(f->m, e->whole ? e->whole : e->condition);
    look_at(f, e->condition, text, true);
    if (e->op == CT_OP_FLOOR && reads(f, e->condition))
        add(f, ct_expr_mul(p, ct_expr_real(p, 2 * acos(-1)), e->condition));
}

/* Those of time alone come last: but for modes they are isolated ahead. */
static void look_at_roots(finding *f, bool timed)
{
    const ct_events *all = &f->m->events;
    for (uint32_t i = 0; i < all->root.count; i++)
        if (!all->root.at[i].soft && all->root.at[i].timed == timed)
            look_at_root(f, &all->root.at[i]);
}

bool ct_make_angles(ct_machine *m)
{
    ct_arena *scratch = ct_arena_new(m->ctx);
    finding f = {.m = m, .pool = m->pool, .list = &m->angles};
    ct_map_init(&f.reads, scratch);
    ct_map_init(&f.known, scratch);
    look_at_roots(&f, false);
    for (uint32_t i = 0; i < m->model->watch_count; i++)
        look_at(&f, m->watch[i], "what decides a mode", false);
    m->angles.untimed = m->angles.angle.count;
    look_at_roots(&f, true);
    ct_arena_free(scratch);
    m->angles.program = ct_machine_program(m, m->angles.angle.at, m->angles.angle.count, m->forced);
    m->angles.bent = ct_machine_program(m, m->events.bent.at, m->events.bent.count, m->known);
    return m->angles.program && m->angles.bent;
}

void ct_report_lost(const ct_machine *m, const ct_run_stats *stats)
{
    ct_report *r = ct_error(m->ctx, "E571", (ct_place){0}, "`%s` turns too often to be followed",
                            stats->lost_angle);
    ct_note(r,
            "by t = %.9g s it has turned %.2g times, and would %.2g times in the run: each turn "
            "may be an event",
            stats->last_time, stats->turned / (2 * acos(-1)), stats->lost_turns);
    ct_help(r, "shorten the run with --stop, or look at the condition at the ticks of a clock "
               "(`every`)");
    ct_witness(r, stats->lost_angle);
}
