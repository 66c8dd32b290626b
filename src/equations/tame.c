/* tame.c - jumps that do not show: x*step(x), sign(x)*abs(x)^p, `if x < a then .. else ..` whose
 * two sides meet.
 *
 * Such an expression is continuous, so that nothing has to be located; and keeping the side of its
 * condition during a step would do harm: many an `if` guards a function against overflow.
 */
#include <math.h>

#include "equations/driven.h"

static bool is_call(const ct_pool *pool, ct_expr e, ct_op op)
{
    return ct_expr_kind_of(pool, e) == CT_EXPR_CALL && ct_expr_op(pool, e) == op;
}

/* Is x the same as a up to a factor that is a number? */
static bool is_multiple(ct_pool *pool, ct_expr x, ct_expr a)
{
    ct_expr ratio = ct_expr_div(pool, x, a);
    return ratio && ct_expr_is_number(pool, ratio);
}

/* Does the factor x^p vanish with a? */
static bool vanishes_with(ct_pool *pool, ct_expr x, ct_expr p, ct_expr a)
{
    bool rises = ct_expr_is_number(pool, p) && ct_expr_to_double(pool, p) > 0;
    if (is_call(pool, x, CT_OP_POW))
        x = ct_expr_operand(pool, x, 0);
    if (is_call(pool, x, CT_OP_ABS))
        x = ct_expr_operand(pool, x, 0);
    return rises && is_multiple(pool, x, a);
}

static bool product_is_tame(ct_pool *pool, ct_expr product, ct_expr jump)
{
    ct_expr a = ct_expr_operand(pool, jump, 0);
    for (uint32_t i = 0; i < ct_expr_arity(pool, product); i++) {
        ct_expr x = ct_expr_operand(pool, product, i);
        if (x != jump && vanishes_with(pool, x, ct_expr_coefficient(pool, product, i), a))
            return true;
    }
    return false;
}

/* ---- do the two sides of a choice meet?
 *
 * At random points where the comparison changes, by numbers: the sides may be choices themselves.
 */

enum { TRIES = 40, WANTED = 6 };
static const double nearness = 1e-9;

typedef struct sample {
    const ct_driven *d;
    uint32_t dice;
    double scale;
    ct_name moved;      /* the symbol that brings the point onto the surface */
    double moved_value; /* NaN: not yet known */
} sample;

static double throw_dice(uint32_t dice, ct_name name)
{
    uint64_t h = ct_hash_mix(dice, name);
    return (double)(h >> 11) / 4503599627370496.0 - 1; /* between -1 and 1 */
}

/* Parameters near their values, everything else anywhere. */
static double sample_value(const void *user, ct_name name)
{
    const sample *s = user;
    const ct_model *model = s->d->model;
    uint32_t q = ct_map_get(model->quantity_by_name, name);
    double random = throw_dice(s->dice, name);
    if (name == s->moved)
        return s->moved_value;
    if (q && isfinite(model->quantity_value[q - 1]))
        return model->quantity_value[q - 1] * (1 + 0.1 * random);
    return q ? 1 + 0.5 * random : s->scale * random;
}

static double value_of(const sample *s, ct_expr e)
{
    return ct_expr_value(s->d->pool, e, sample_value, s);
}

/* 1: the sides meet at this point, 0: they do not, -1: it cannot be told here. */
static int meets(sample *s, const ct_expr *side, ct_expr factor, ct_expr rest)
{
    double a = value_of(s, factor), at = -value_of(s, rest) / a, largest = 0;
    if (!isfinite(at))
        return -1;
    for (int i = 0; i < 2; i++)
        for (int k = -1; k <= 1; k += 2) {
            s->moved_value = at + k * 0.1 * (fabs(at) + s->scale);
            double near = value_of(s, side[i]);
            largest = isfinite(near) ? fmax(largest, fabs(near)) : largest;
        }
    s->moved_value = at;
    double left = value_of(s, side[0]), right = value_of(s, side[1]);
    if (!isfinite(left) || !isfinite(right))
        return -1;
    largest = fmax(largest, fmax(fabs(left), fabs(right)));
    return fabs(left - right) <= nearness * largest;
}

static bool meet_everywhere(const ct_driven *d, const ct_expr *side, ct_name symbol, ct_expr factor,
                            ct_expr rest)
{
    static const double scales[] = {1, 0.1, 10, 1e-3, 1e3};
    int seen = 0;
    for (uint32_t i = 0; i < TRIES && seen < WANTED; i++) {
        sample s = {d, i, scales[i % 5], symbol, NAN};
        int verdict = meets(&s, side, factor, rest);
        if (verdict == 0)
            return false;
        seen += verdict > 0;
    }
    return seen >= WANTED / 2;
}

static bool sides_meet(const ct_driven *d, ct_expr choice, ct_expr comparison)
{
    ct_pool *pool = d->pool;
    ct_expr difference = ct_expr_sub(pool, ct_expr_operand(pool, comparison, 0),
                                     ct_expr_operand(pool, comparison, 1));
    ct_expr side[] = {ct_expr_operand(pool, choice, 1), ct_expr_operand(pool, choice, 2)};
    ct_name_list symbols = ct_symbols_of(pool, d->arena, &difference, 1);
    for (uint32_t i = 0; i < symbols.count; i++) {
        ct_expr factor, rest;
        ct_name name = symbols.at[i];
        bool variable = name == d->time || ct_map_get(&d->z_index, name);
        if (variable && ct_expr_linear(pool, difference, &name, 1, &factor, &rest) &&
            !ct_expr_is_zero(pool, factor))
            return meet_everywhere(d, side, name, factor, rest);
    }
    return false;
}

static bool is_comparison(ct_op op)
{
    return op == CT_OP_LESS || op == CT_OP_LESS_EQUAL || op == CT_OP_GREATER ||
           op == CT_OP_GREATER_EQUAL;
}

bool ct_jump_is_tamed(const ct_driven *d, ct_expr user, ct_expr jump)
{
    ct_pool *pool = d->pool;
    ct_op op = ct_expr_op(pool, jump);
    if (ct_expr_kind_of(pool, user) == CT_EXPR_PRODUCT)
        return (op == CT_OP_SIGN || op == CT_OP_STEP) && product_is_tame(pool, user, jump);
    return is_call(pool, user, CT_OP_IF) && is_comparison(op) &&
           ct_expr_operand(pool, user, 0) == jump && ct_expr_operand(pool, user, 1) != jump &&
           ct_expr_operand(pool, user, 2) != jump && sides_meet(d, user, jump);
}

/* table(mod(a, T), ..): a wave that ends where it begins. */
bool ct_wave_closes(const ct_driven *d, ct_expr e)
{
    ct_pool *pool = d->pool;
    if (!is_call(pool, e, CT_OP_TABLE) || !is_call(pool, ct_expr_operand(pool, e, 0), CT_OP_MOD))
        return false;
    uint32_t n = ct_expr_arity(pool, e);
    ct_expr *x = CT_NEW_ARRAY(d->arena, ct_expr, n);
    for (uint32_t i = 0; i < n; i++)
        x[i] = ct_expr_operand(pool, e, i);
    ct_expr period = ct_expr_operand(pool, x[0], 1);
    x[0] = ct_expr_int(pool, 0);
    double first = ct_model_value(d->model, ct_expr_rebuild(pool, e, x));
    x[0] = period;
    double last = ct_model_value(d->model, ct_expr_rebuild(pool, e, x));
    return fabs(first - last) <= nearness * fmax(fabs(first), fabs(last));
}
