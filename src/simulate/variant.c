/* variant.c - equations of sliding and resting; see variant.h. They are derived when they are first
 * needed, and kept. */
#include "simulate/variant.h"

#include <math.h>
#include <string.h>

#include "simulate/act.h"
#include "simulate/holding.h"
#include "simulate/rig.h"

static const double just_below = 1e-300; /* zero: what is at its edge leaves */

enum { MOST_BITS = 64, MOST_UNKNOWNS = 200 };
static const double near_bound = 1e-12;

typedef struct variant {
    uint64_t slide, rest; /* roots; pushes */
    ct_bundle bundle;
    const ct_program *force, *columns; /* force: values of conditions that slide, then of rests */
    double *work, *work_slope, *work_force, *work_columns, *work_whole, *whole;
    struct variant *next;
} variant;

struct ct_variants {
    uint64_t slide, rest;
    double direction[MOST_BITS]; /* of pushes that rest */
    double side[MOST_BITS];      /* of roots, when they were looked at last */
    double since[2][MOST_BITS];  /* first time; NaN: never */
    bool known;
    variant *first, *now; /* now NULL: the equations as they are */
    ct_problem plain;     /* rig->held as it is without one */
    double *force, *fg, *gradient, *z;
    const ct_program *approach[MOST_BITS]; /* of conditions: gradient by x and t; NULL: not yet */
    double *work_approach[MOST_BITS];
    bool never[MOST_BITS]; /* it cannot slide */
};

static bool bit(uint64_t set, uint32_t i)
{
    return i < MOST_BITS && (set >> i & 1);
}

/* ---- what slides is a number between the sides: choices become weighted means */

typedef struct softening {
    ct_pool *pool;
    ct_arena *arena;
    ct_name held;      /* the condition's symbol, or 0: */
    ct_expr whole, by; /* a node is replaced */
    ct_map fresh;
    CT_VEC(ct_expr) operand;
} softening;

static ct_expr one_minus(ct_pool *p, ct_expr e)
{
    return ct_expr_sub(p, ct_expr_int(p, 1), e);
}

static ct_expr soft_call(softening *x, ct_expr e, const ct_expr *v)
{
    ct_pool *p = x->pool;
    bool soft = ct_expr_has(p, v[0], x->held);
    switch ((int)ct_expr_op(p, e)) {
    case CT_OP_NOT:
        return soft ? one_minus(p, v[0]) : 0;
    case CT_OP_AND:
        return soft || ct_expr_has(p, v[1], x->held) ? ct_expr_mul(p, v[0], v[1]) : 0;
    case CT_OP_OR:
        if (!soft && !ct_expr_has(p, v[1], x->held))
            return 0;
        return one_minus(p, ct_expr_mul(p, one_minus(p, v[0]), one_minus(p, v[1])));
    case CT_OP_IF:
        return soft ? ct_expr_add(p, v[2], ct_expr_mul(p, v[0], ct_expr_sub(p, v[1], v[2]))) : 0;
    default:
        return 0;
    }
}

static void soften_node(void *user, ct_expr e)
{
    softening *x = user;
    uint32_t arity = ct_expr_arity(x->pool, e);
    ct_expr now = e == x->whole ? x->by : 0;
    x->operand.count = 0;
    for (uint32_t i = 0; i < arity; i++)
        CT_PUSH(x->arena, x->operand, ct_map_get(&x->fresh, ct_expr_operand(x->pool, e, i)));
    if (!now && ct_expr_kind_of(x->pool, e) == CT_EXPR_CALL && arity)
        now = soft_call(x, e, x->operand.at);
    if (!now && arity)
        now = ct_expr_rebuild(x->pool, e, x->operand.at);
    ct_map_put(&x->fresh, e, now ? now : e);
}

/* In place. */
static void soften(const ct_machine *m, const ct_event *event, ct_expr *e, uint32_t count)
{
    softening x = {.pool = m->pool, .arena = ct_arena_new(m->ctx), .held = event->held};
    x.whole = event->whole;
    x.by = ct_expr_symbol(m->pool, event->held);
    ct_map_init(&x.fresh, x.arena);
    ct_expr_walk(m->pool, e, count, soften_node, &x);
    for (uint32_t i = 0; i < count; i++)
        e[i] = ct_map_get(&x.fresh, e[i]);
    ct_arena_free(x.arena);
}

/* ---- what is held */

static ct_expr pushed_variable(const ct_machine *m, uint32_t push)
{
    const ct_driven *d = m->driven;
    for (uint32_t i = 0; i < d->act_count; i++)
        for (uint32_t k = 0; k < d->act[i].set_count; k++)
            if (d->act[i].set[k].push == push + 1)
                return d->act[i].set[k].variable;
    return 0;
}

/* f with the symbols of forces in it, and what must not change. */
static void list_held(const ct_machine *m, const variant *v, ct_expr *f, ct_expr *kept,
                      ct_name *symbol, uint32_t *count)
{
    uint32_t size = m->n + m->m;
    *count = 0;
    for (uint32_t i = 0; i < m->events.root.count && i < MOST_BITS; i++) {
        if (!bit(v->slide, i))
            continue;
        soften(m, &m->events.root.at[i], f, size);
        kept[*count] = m->events.root.at[i].condition;
        symbol[(*count)++] = m->events.root.at[i].held;
    }
    for (uint32_t k = 0; k < m->driven->push_count && k < MOST_BITS; k++) {
        if (!bit(v->rest, k))
            continue;
        ct_name force = m->driven->push[k];
        for (uint32_t i = 0; i < size; i++)
            f[i] = ct_expr_add(m->pool, f[i],
                               ct_expr_mul(m->pool, m->driven->push_slope[k * size + i],
                                           ct_expr_symbol(m->pool, force)));
        kept[*count] = pushed_variable(m, k);
        symbol[(*count)++] = force;
    }
}

/* ---- a variant */

static bool compile(ct_rig *rig, variant *v, const ct_expr *f, const ct_expr *column,
                    const ct_expr *value, uint32_t count)
{
    const ct_machine *m = rig->machine;
    uint32_t size = m->n + m->m;
    if (!ct_machine_bundle(m, f, size, m->z, size, m->z_count, &v->bundle))
        return false;
    v->force = ct_machine_program(m, value, count, m->z_count);
    v->columns = ct_machine_program(m, column, m->column_count, m->z_count);
    if (!v->force || !v->columns)
        return false;
    v->work = ct_rig_prepared(rig, v->bundle.value);
    v->work_slope = ct_rig_prepared(rig, v->bundle.slope);
    v->work_force = ct_rig_prepared(rig, v->force);
    if (v->bundle.whole) {
        uint32_t more = v->bundle.jacobian->count + v->bundle.drift->count;
        v->whole = CT_NEW_ARRAY(rig->arena, double, size + more + 1);
        v->work_whole = ct_rig_prepared(rig, v->bundle.whole);
    }
    v->work_columns = ct_rig_prepared(rig, v->columns);
    return true;
}

static bool derive(ct_rig *rig, variant *v)
{
    const ct_machine *m = rig->machine;
    uint32_t size = m->n + m->m, count;
    ct_expr kept[MOST_BITS], value[MOST_BITS];
    ct_name symbol[MOST_BITS];
    ct_expr *f = CT_NEW_ARRAY(m->arena, ct_expr, size + 1);
    ct_expr *column = CT_NEW_ARRAY(m->arena, ct_expr, m->column_count + 1);
    memcpy(f, m->kept, size * sizeof *f);
    if (m->column_count)
        memcpy(column, m->column_pushed ? m->column_pushed : m->column,
               m->column_count * sizeof *column);
    list_held(m, v, f, kept, symbol, &count);
    for (uint32_t i = 0; i < m->events.root.count && i < MOST_BITS; i++)
        if (bit(v->slide, i))
            soften(m, &m->events.root.at[i], column, m->column_count);
    if (!ct_find_forces(m, f, kept, symbol, count, value))
        return false;
    ct_expr_substitute_all(m->pool, f, f, size, symbol, value, count);
    if (m->column_count)
        ct_expr_substitute_all(m->pool, column, column, m->column_count, symbol, value, count);
    if (m->column_pushed)
        ct_forget_pushes(m->driven, column, m->column_count);
    return compile(rig, v, f, column, value, count);
}

/* NULL: it cannot be. */
static variant *variant_of(ct_rig *rig, uint64_t slide, uint64_t rest)
{
    ct_variants *k = rig->variants;
    for (variant *v = k->first; v; v = v->next)
        if (v->slide == slide && v->rest == rest)
            return v->force ? v : NULL;
    variant *v = CT_NEW(rig->arena, variant);
    *v = (variant){.slide = slide, .rest = rest, .next = k->first};
    k->first = v;
    if (!derive(rig, v))
        v->force = NULL;
    return v->force ? v : NULL;
}

/* ---- for the solvers */

static void set_point(ct_rig *rig, double t, const double *z)
{
    uint32_t size = rig->machine->n + rig->machine->m;
    memcpy(rig->variable, z, size * sizeof *z);
    rig->variable[size] = t;
}

static void evaluate(void *user, double t, const double *z, double *fg)
{
    ct_rig *rig = user;
    const variant *v = rig->variants->now;
    set_point(rig, t, z);
    ct_program_run(v->bundle.value, rig->variable, fg, v->work);
    if (ct_rig_is_interrupted(rig))
        fg[0] = NAN;
}

static void slope(void *user, double t, const double *z, double *value)
{
    ct_rig *rig = user;
    const variant *v = rig->variants->now;
    set_point(rig, t, z);
    ct_program_run(v->bundle.slope, rig->variable, value, v->work_slope);
}

static void linearise(void *user, double t, const double *z, double *fg, double *value,
                      double *drift)
{
    ct_rig *rig = user;
    const variant *v = rig->variants->now;
    set_point(rig, t, z);
    ct_program_run(v->bundle.whole, rig->variable, v->whole, v->work_whole);
    ct_bundle_part(&v->bundle, rig->machine->n + rig->machine->m, v->whole, fg, value, drift);
    if (ct_rig_is_interrupted(rig))
        fg[0] = NAN;
}

const ct_problem *ct_plain_problem(const ct_rig *rig)
{
    return rig->variants && rig->variants->now ? &rig->variants->plain : &rig->held;
}

/* NULL: the equations as they are. */
static void use(ct_rig *rig, variant *v)
{
    ct_variants *k = rig->variants;
    if (!k->now) {
        ct_need_pattern(&rig->held);
        k->plain = rig->held;
    }
    k->now = v;
    rig->held = k->plain;
    if (!v)
        return;
    rig->held.evaluate = evaluate;
    rig->held.jacobian = slope;
    rig->held.linearise = v->whole ? linearise : NULL;
    rig->held.affine = NULL;
    rig->held.pattern = NULL;
    rig->held.start = v->bundle.jacobian->start;
    rig->held.row = v->bundle.jacobian->row;
    rig->held.shown_count = 0;
}

bool ct_use_variant(ct_rig *rig)
{
    ct_variants *k = rig->variants;
    variant *v = k->slide || k->rest ? variant_of(rig, k->slide, k->rest) : NULL;
    use(rig, v);
    return v || (!k->slide && !k->rest);
}

bool ct_variant_columns(ct_rig *rig, double *column)
{
    const variant *v = rig->variants ? rig->variants->now : NULL;
    if (v)
        ct_program_run(v->columns, rig->variable, column, v->work_columns);
    return v != NULL;
}

/* ---- making */

/* Without w: what is solved for at each moment may jump with the side. */
static bool may_slide(const ct_machine *m, uint32_t i)
{
    const ct_event *e = &m->events.root.at[i];
    return !m->m && i < MOST_BITS && e->kind == CT_EVENT_SIDE && !e->timed && e->whole &&
           !ct_reads_pushes(m->driven, e->condition);
}

ct_variants *ct_variants_new(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    bool any = m->acts && m->acts->pushes;
    for (uint32_t i = 0; i < m->events.root.count; i++)
        any |= may_slide(m, i);
    if (!m->n || !any || m->n + m->m > MOST_UNKNOWNS)
        return NULL;
    ct_variants *k = CT_NEW(rig->arena, ct_variants);
    k->force = CT_NEW_ARRAY(rig->arena, double, 2 * MOST_BITS);
    k->fg = CT_NEW_ARRAY(rig->arena, double, m->n + m->m + 1);
    k->z = CT_NEW_ARRAY(rig->arena, double, m->n + m->m + 1);
    k->gradient = CT_NEW_ARRAY(rig->arena, double, m->n + 1);
    return k;
}

void ct_variants_begin(ct_rig *rig)
{
    ct_variants *k = rig->variants;
    if (!k)
        return;
    k->slide = k->rest = 0;
    k->known = false;
    k->now = NULL;
    for (int i = 0; i < MOST_BITS; i++)
        k->since[0][i] = k->since[1][i] = NAN;
}

bool ct_variants_take(ct_rig *rig, const ct_rig *from)
{
    ct_variants *k = rig->variants;
    const ct_variants *other = from->variants;
    k->rest = other->rest;
    memcpy(k->direction, other->direction, sizeof k->direction);
    memcpy(k->since, other->since, sizeof k->since);
    if (ct_use_variant(rig))
        return true;
    k->rest = 0;
    ct_use_variant(rig);
    return false;
}

/* ---- sliding */

bool ct_slides(const ct_rig *rig, uint32_t root)
{
    return rig->variants && bit(rig->variants->slide, root);
}

bool ct_rests(const ct_rig *rig, uint32_t push)
{
    return rig->variants && bit(rig->variants->rest, push);
}

/* The rate of a condition's operand with its side as given; NaN: it reads more than x and t. */
static double approach(ct_rig *rig, uint32_t root, double side, double t, const double *z)
{
    const ct_machine *m = rig->machine;
    ct_variants *k = rig->variants;
    double *held = rig->variable + m->known + root, old = *held, sum = 0;
    if (!k->approach[root] && !k->never[root]) {
        ct_expr *g = CT_NEW_ARRAY(rig->arena, ct_expr, m->n + 1);
        for (uint32_t i = 0; i <= m->n; i++)
            g[i] = ct_partial(m, m->events.root.at[root].condition, i < m->n ? m->z[i] : m->time);
        k->approach[root] = ct_machine_program(m, g, m->n + 1, m->z_count);
        k->never[root] = !k->approach[root];
        if (k->approach[root])
            k->work_approach[root] = ct_rig_prepared(rig, k->approach[root]);
    }
    if (k->never[root])
        return NAN;
    *held = side;
    rig->held.evaluate(rig, t, z, k->fg);
    ct_program_run(k->approach[root], rig->variable, k->gradient, k->work_approach[root]);
    for (uint32_t i = 0; i < m->n; i++)
        sum += k->gradient[i] * k->fg[i];
    *held = old;
    return sum + k->gradient[m->n];
}

bool ct_starts_sliding(ct_rig *rig, double t, const double *z)
{
    const ct_machine *m = rig->machine;
    ct_variants *k = rig->variants;
    bool started = false;
    if (!k || rig->extra) /* what switches ideally does not slide */
        return false;
    for (uint32_t i = 0; i < m->events.root.count && i < MOST_BITS; i++) {
        double now = rig->variable[m->known + i], was = k->side[i];
        k->side[i] = now;
        if (!k->known || now == was || !may_slide(m, i) || bit(k->slide, i) || started)
            continue;
        double before = approach(rig, i, was, t, z), after = approach(rig, i, now, t, z);
        if (!(before * after < 0) || !variant_of(rig, k->slide | (uint64_t)1 << i, k->rest))
            continue;
        k->slide |= (uint64_t)1 << i;
        k->since[0][i] = isnan(k->since[0][i]) ? t : k->since[0][i];
        started = true;
    }
    k->known = true;
    return started;
}

/* ---- resting */

static uint32_t index_of(const variant *v, uint32_t push)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < MOST_BITS; i++)
        index += (bit(v->slide, i) ? 1u : 0u) + (i < push && bit(v->rest, i) ? 1u : 0u);
    return index;
}

static void find_values(ct_rig *rig, const variant *v, double t, const double *z)
{
    set_point(rig, t, z);
    ct_program_run(v->force, rig->variable, rig->variants->force, v->work_force);
}

void ct_set_forces(ct_rig *rig, double t, const double *z)
{
    const ct_machine *m = rig->machine;
    const variant *v = rig->variants ? rig->variants->now : NULL;
    if (!m->reads_forces)
        return;
    if (v)
        find_values(rig, v, t, z);
    for (uint32_t i = 0; i < m->driven->push_count; i++)
        rig->variable[m->z_count + i] =
            v && bit(v->rest, i) ? rig->variants->force[index_of(v, i)] : 0;
}

/* With w as it is in the variant. */
static bool find_consistent(ct_rig *rig, variant *v, double t, const double *z)
{
    const ct_machine *m = rig->machine;
    ct_variants *k = rig->variants;
    variant *before = k->now;
    ct_run_stats stats;
    memcpy(k->z, z, (m->n + m->m) * sizeof *z);
    if (m->m) {
        use(rig, v);
        ct_solve_status status = ct_solve_algebraic(m->ctx, &rig->held, t, k->z, true, &stats);
        use(rig, before);
        if (status != CT_SOLVED)
            return false;
    }
    find_values(rig, v, t, k->z);
    return true;
}

ct_hold ct_start_rest(ct_rig *rig, const ct_resting *list, uint32_t count, double t,
                      const double *z, uint32_t *wrong)
{
    ct_variants *k = rig->variants;
    uint64_t set = k ? k->rest : 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < count; i++)
        if (list[i].push >= MOST_BITS)
            return CT_HOLD_UNKNOWN;
        else
            set |= (uint64_t)1 << list[i].push;
    variant *v = k ? variant_of(rig, k->slide, set) : NULL;
    if (!v || !find_consistent(rig, v, t, z))
        return CT_HOLD_UNKNOWN;
    for (uint32_t i = 0; i < count; i++) {
        double force = k->force[index_of(v, list[i].push)] * list[i].direction;
        if (force < least)
            *wrong = i;
        least = fmin(least, force);
    }
    if (!(least > 0))
        return CT_HOLD_NEEDLESS;
    k->rest = set;
    for (uint32_t i = 0; i < count; i++) {
        double *since = &k->since[1][list[i].push];
        k->direction[list[i].push] = list[i].direction > 0 ? 1 : -1;
        *since = isnan(*since) ? list[i].since : *since;
    }
    return CT_HOLDS;
}

void ct_end_rest(ct_rig *rig, uint32_t push)
{
    rig->variants->rest &= ~((uint64_t)1 << push);
}

/* ---- leaving */

/* How far a condition's value is from its two sides; negative: beyond. */
static double room(ct_op op, double value)
{
    double low = op == CT_OP_SIGN ? -1 : 0;
    return fmin(value - low, 1 - value);
}

double ct_variant_holds(ct_rig *rig, double t, const double *z)
{
    const ct_machine *m = rig->machine;
    ct_variants *k = rig->variants;
    const variant *v = k ? k->now : NULL;
    double least = INFINITY;
    uint32_t index = 0;
    if (!v)
        return 1;
    find_values(rig, v, t, z);
    for (uint32_t i = 0; i < MOST_BITS && i < m->events.root.count; i++)
        if (bit(v->slide, i))
            least = fmin(least, room(m->events.root.at[i].op, k->force[index++]));
    for (uint32_t i = 0; i < MOST_BITS; i++)
        if (bit(v->rest, i))
            least = fmin(least, k->force[index++] * k->direction[i]);
    return least == 0 ? -just_below : least;
}

bool ct_leave_variant(ct_rig *rig, double t, const double *z)
{
    const ct_machine *m = rig->machine;
    ct_variants *k = rig->variants;
    const variant *v = k ? k->now : NULL;
    uint32_t index = 0;
    bool left = false;
    if (!v)
        return false;
    find_values(rig, v, t, z);
    for (uint32_t i = 0; i < MOST_BITS && i < m->events.root.count; i++)
        if (bit(v->slide, i) && room(m->events.root.at[i].op, k->force[index++]) <= near_bound) {
            k->slide &= ~((uint64_t)1 << i);
            left = true;
        }
    for (uint32_t i = 0; i < MOST_BITS; i++)
        if (bit(v->rest, i) && k->force[index++] * k->direction[i] <= 0) {
            k->rest &= ~((uint64_t)1 << i);
            left = true;
        }
    return left;
}

/* ---- what is told */

static void tell_sliding(const ct_machine *m, uint32_t root, double t)
{
    ct_text text = ct_text_new(m->ctx->base);
    ct_expr_put_some(m->pool, &text, m->events.root.at[root].whole);
    ct_report *r = ct_warning(m->ctx, "W553", (ct_place){0}, "`%s` slides from t = %.9g s on",
                              ct_text_string(&text), t);
    ct_note(r,
            "on both sides of the condition the motion leads to it: it would switch without end");
    ct_note(r, "its value is then what keeps it there, between its two sides (Filippov)");
    ct_witness(r, ct_text_string(&text));
}

static void tell_rest(const ct_machine *m, uint32_t push, double t)
{
    ct_text text = ct_text_new(m->ctx->base);
    ct_expr target = 0;
    ct_place place = {0};
    const ct_driven *d = m->driven;
    for (uint32_t i = 0; i < d->act_count; i++)
        for (uint32_t k = 0; k < d->act[i].set_count; k++)
            if (d->act[i].set[k].push == push + 1) {
                target = d->act[i].set[k].of->target;
                place = d->act[i].set[k].of->place;
            }
    if (target)
        ct_expr_put(m->pool, &text, target);
    ct_report *r = ct_warning(m->ctx, "W554", place, "%s comes to rest at t = %.9g s",
                              ct_text_string(&text), t);
    ct_note(r,
            "its events follow each other ever faster and end there; from then on a force in the "
            "direction of their impulses holds it, as long as it has to push");
    ct_witness(r, ct_text_string(&text));
}

void ct_variants_end(ct_rig *rig)
{
    ct_variants *k = rig->variants;
    if (!k)
        return;
    if (k->now)
        use(rig, NULL);
    for (uint32_t i = 0; i < MOST_BITS; i++) {
        if (!isnan(k->since[0][i]))
            tell_sliding(rig->machine, i, k->since[0][i]);
        if (!isnan(k->since[1][i]))
            tell_rest(rig->machine, i, k->since[1][i]);
    }
}
