/* range.c - interval arithmetic on the nodes of an expression; see range.h. */
#include "expr/range.h"

#include <float.h>
#include <math.h>

#include "base/hash.h"
#include "base/explog.h"
#include "base/sincos.h"
#include "base/vec.h"
#include "expr/pool.h"

static const double angle_rounding = 1e-15; /* of an angle and of its reduction */
static const double beside_pole = 1e-12;    /* where the tangent is not trusted */

#define HALF_TURN 3.14159265358979323846

typedef struct ct_range_node {
    ct_expr_kind kind;
    ct_op op;
    double number;           /* of a number; constant of a sum or product */
    uint32_t symbol;         /* in the plan's list */
    const uint32_t *operand; /* nodes */
    const double *factor;    /* of terms; exponents of factors */
    uint32_t arity;
} ct_range_node;

/* ---- making */

typedef struct planning {
    ct_arena *arena;
    ct_pool *pool;
    ct_map index; /* expression -> node + 1 */
    CT_VEC(ct_range_node) node;
    CT_VEC(ct_name) symbol;
} planning;

static void plan_operands(planning *p, ct_expr e, ct_range_node *n)
{
    uint32_t *operand = CT_NEW_ARRAY(p->arena, uint32_t, n->arity + 1);
    double *factor = CT_NEW_ARRAY(p->arena, double, n->arity + 1);
    for (uint32_t i = 0; i < n->arity; i++) {
        operand[i] = ct_map_get(&p->index, ct_expr_operand(p->pool, e, i)) - 1;
        if (n->kind != CT_EXPR_CALL)
            factor[i] = ct_expr_to_double(p->pool, ct_expr_coefficient(p->pool, e, i));
    }
    n->operand = operand;
    n->factor = factor;
}

static void plan_node(void *user, ct_expr e)
{
    planning *p = user;
    ct_range_node n = {.kind = ct_expr_kind_of(p->pool, e), .arity = ct_expr_arity(p->pool, e)};
    if (n.kind == CT_EXPR_NUMBER)
        n.number = ct_expr_to_double(p->pool, e);
    if (n.kind == CT_EXPR_SUM || n.kind == CT_EXPR_PRODUCT)
        n.number = ct_expr_to_double(p->pool, ct_expr_constant(p->pool, e));
    if (n.kind == CT_EXPR_CALL)
        n.op = ct_expr_op(p->pool, e);
    if (n.kind == CT_EXPR_SYMBOL) {
        n.symbol = p->symbol.count;
        CT_PUSH(p->arena, p->symbol, ct_expr_name(p->pool, e));
    }
    plan_operands(p, e, &n);
    CT_PUSH(p->arena, p->node, n);
    ct_map_put(&p->index, e, p->node.count);
}

static uint32_t most_operands(const planning *p)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->node.count; i++)
        most = p->node.at[i].arity > most ? p->node.at[i].arity : most;
    return most;
}

ct_range_plan *ct_range_plan_new(ct_arena *arena, ct_pool *pool, ct_expr e)
{
    planning p = {.arena = arena, .pool = pool};
    ct_range_plan *plan = CT_NEW(arena, ct_range_plan);
    ct_map_init(&p.index, arena);
    ct_expr_walk(pool, &e, 1, plan_node, &p);
    *plan = (ct_range_plan){p.node.count, p.node.at, p.symbol.at, p.symbol.count, NULL, NULL};
    plan->memo = CT_NEW_ARRAY(arena, ct_bounds, p.node.count + 1);
    plan->number = CT_NEW_ARRAY(arena, double, most_operands(&p) + 1);
    return plan;
}

/* ---- arithmetic */

static const ct_bounds everything = {-INFINITY, INFINITY}, unit = {-1, 1}, truths = {0, 1};

static bool is_point(ct_bounds x)
{
    return x.low == x.high;
}

static ct_bounds point(double x)
{
    return isnan(x) ? everything : (ct_bounds){x, x};
}

static ct_bounds hull(ct_bounds a, ct_bounds b)
{
    return (ct_bounds){fmin(a.low, b.low), fmax(a.high, b.high)};
}

/* Each operation is wrong by an ulp or two, in functions of the C library perhaps by more. */
static ct_bounds widened(ct_bounds x)
{
    const double part = 4 * DBL_EPSILON;
    if (isnan(x.low) || isnan(x.high))
        return everything;
    return (ct_bounds){x.low - part * fabs(x.low) - DBL_MIN,
                       x.high + part * fabs(x.high) + DBL_MIN};
}

static ct_bounds add(ct_bounds a, ct_bounds b)
{
    return widened((ct_bounds){a.low + b.low, a.high + b.high});
}

static double product(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static ct_bounds multiply(ct_bounds a, ct_bounds b)
{
    double p = product(a.low, b.low), q = product(a.low, b.high), r = product(a.high, b.low),
           s = product(a.high, b.high);
    return widened((ct_bounds){fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s))});
}

static ct_bounds inverse(ct_bounds a)
{
    if (a.low > 0 || a.high < 0)
        return widened((ct_bounds){1 / a.high, 1 / a.low});
    return everything;
}

static ct_bounds rising(double (*f)(double), ct_bounds a)
{
    return widened((ct_bounds){f(a.low), f(a.high)});
}

static ct_bounds whole_power(ct_bounds a, double p)
{
    double l = pow(a.low, p), h = pow(a.high, p);
    bool even = fmod(p, 2) == 0, around = a.low < 0 && a.high > 0;
    ct_bounds r = {fmin(l, h), fmax(l, h)};
    if (even && around)
        r.low = 0;
    return widened(r);
}

static ct_bounds power(ct_bounds a, double p)
{
    if (p < 0)
        return inverse(power(a, -p));
    if (p == floor(p) && p < 1e6)
        return whole_power(a, p);
    if (a.high < 0)
        return everything;
    return widened((ct_bounds){pow(fmax(a.low, 0), p), pow(a.high, p)});
}

/* A maximum of sine, moved by so much, inside? */
static bool holds_top(ct_bounds a, double at)
{
    double turn = 2 * HALF_TURN,
           slack = angle_rounding * fmax(fabs(a.low), fabs(a.high)) + angle_rounding;
    double k = ceil((a.low - slack - at) / turn);
    return at + k * turn <= a.high + slack;
}

static ct_bounds wave(ct_bounds a, double (*f)(double), double top)
{
    if (!(a.high - a.low < 2 * HALF_TURN) || fmax(fabs(a.low), fabs(a.high)) > 1e14)
        return unit;
    ct_bounds r = widened((ct_bounds){fmin(f(a.low), f(a.high)), fmax(f(a.low), f(a.high))});
    if (holds_top(a, top))
        r.high = 1;
    if (holds_top(a, top + HALF_TURN))
        r.low = -1;
    return (ct_bounds){fmax(r.low, -1), fmin(r.high, 1)};
}

static double sine(double x)
{
    return ct_sin(x);
}

static double cosine(double x)
{
    return ct_cos(x);
}

static ct_bounds absolute(ct_bounds a)
{
    double l = fabs(a.low), h = fabs(a.high);
    bool around = a.low < 0 && a.high > 0;
    return (ct_bounds){around ? 0 : fmin(l, h), fmax(l, h)};
}

static ct_bounds tangent(ct_bounds a)
{
    double k = floor(a.low / HALF_TURN + 0.5), slack = beside_pole;
    bool inside = a.low > (k - 0.5) * HALF_TURN + slack && a.high < (k + 0.5) * HALF_TURN - slack;
    return inside ? rising(tan, a) : everything;
}

/* Of a box without its cut, which runs from 0 to the left, an angle is widest at the corners. */
static ct_bounds angle_of(ct_bounds a, ct_bounds b, bool *jumps)
{
    bool cut = a.low <= 0 && a.high >= 0 && b.low <= 0;
    *jumps |= cut;
    if (cut || isnan(a.low + a.high + b.low + b.high))
        return (ct_bounds){-HALF_TURN, HALF_TURN};
    return widened(hull(hull(point(atan2(a.low, b.low)), point(atan2(a.low, b.high))),
                        hull(point(atan2(a.high, b.low)), point(atan2(a.high, b.high)))));
}

/* ---- what decides: true, false or not known */

static ct_bounds decided(bool yes, bool no, bool *jumps)
{
    *jumps |= !yes && !no;
    return yes ? point(1) : no ? point(0) : truths;
}

static ct_bounds compare(ct_op op, ct_bounds a, ct_bounds b, bool *jumps)
{
    switch ((int)op) {
    case CT_OP_LESS:
        return decided(a.high < b.low, a.low >= b.high, jumps);
    case CT_OP_LESS_EQUAL:
        return decided(a.high <= b.low, a.low > b.high, jumps);
    case CT_OP_GREATER:
        return decided(a.low > b.high, a.high <= b.low, jumps);
    case CT_OP_GREATER_EQUAL:
        return decided(a.low >= b.high, a.high < b.low, jumps);
    case CT_OP_EQUAL:
        return decided(is_point(a) && is_point(b) && a.low == b.low,
                       a.high < b.low || a.low > b.high, jumps);
    default:
        return decided(a.high < b.low || a.low > b.high,
                       is_point(a) && is_point(b) && a.low == b.low, jumps);
    }
}

static bool is_true(ct_bounds a)
{
    return a.low > 0 || a.high < 0;
}

static bool is_false(ct_bounds a)
{
    return a.low == 0 && a.high == 0;
}

static ct_bounds whole(ct_bounds a, bool *jumps)
{
    ct_bounds r = {floor(a.low), floor(a.high)};
    *jumps |= r.low != r.high;
    return r;
}

static ct_bounds remainder_of(ct_bounds a, ct_bounds b, bool *jumps)
{
    ct_bounds turns = whole(multiply(a, inverse(b)), jumps);
    if (is_point(turns))
        return add(a, multiply(b, point(-turns.low)));
    return hull(point(0), b);
}

static ct_bounds choose(ct_bounds condition, ct_bounds yes, ct_bounds no, bool *jumps)
{
    if (is_true(condition))
        return yes;
    if (is_false(condition))
        return no;
    *jumps = true;
    return hull(yes, no);
}

/* ---- curves through points: (x, n, x1 .. xn, y1 .. yn, method), see table.c */

static ct_bounds with_value(ct_bounds r, double *v, uint32_t n, double at, int derivative)
{
    v[0] = at;
    return hull(r, point(ct_table_value(v, n, derivative)));
}

/* Derivatives inside of a piece: parabolas at most, of s from -1 to 1, known by three values. The
 * curve itself is monotone there, so that its ends say all. */
static ct_bounds piece(double *v, uint32_t n, double from, double to, ct_bounds x, int derivative)
{
    double low = fmax(from, x.low), high = fmin(to, x.high), h = to - from;
    ct_bounds r = {INFINITY, -INFINITY};
    if (derivative == 0 || !(h > 0 && isfinite(h)))
        return r;
    double middle = from + h / 2, value[3];
    for (int i = 0; i < 3; i++) {
        v[0] = middle + (i - 1) * h / 4;
        value[i] = ct_table_value(v, n, derivative);
    }
    double bend = 2 * (value[2] + value[0] - 2 * value[1]), tilt = value[2] - value[0];
    double s[3] = {2 * (low - middle) / h, 2 * (high - middle) / h,
                   bend != 0 ? -tilt / (2 * bend) : 2};
    for (int i = 0; i < 3; i++)
        if (s[i] >= s[0] && s[i] <= s[1])
            r = hull(r, point(value[1] + s[i] * (tilt + s[i] * bend)));
    double rounding = 8 * DBL_EPSILON * (fabs(value[0]) + fabs(value[1]) + fabs(value[2]));
    return (ct_bounds){r.low - rounding, r.high + rounding};
}

static ct_bounds curve(double *v, uint32_t n, ct_bounds x, int derivative, bool *jumps)
{
    uint32_t points = (uint32_t)v[1];
    const double *at = v + 2, *value = at + points;
    ct_bounds r = {INFINITY, -INFINITY};
    if (isnan(x.low) || isnan(x.high) || isnan(ct_table_value(v, n, 0)))
        return everything;
    r = with_value(with_value(r, v, n, x.low, derivative), v, n, x.high, derivative);
    for (uint32_t i = 0; i < points; i++) {
        if (i && at[i - 1] < x.high && at[i] > x.low)
            r = hull(r, piece(v, n, at[i - 1], at[i], x, derivative));
        if (at[i] < x.low || at[i] > x.high)
            continue;
        r = with_value(r, v, n, at[i], derivative);
        if (derivative == 0)
            r = hull(r, point(value[i]));
        *jumps |= derivative > (v[n - 1] == 1) && x.low < x.high;
    }
    return widened(r);
}

/* ---- nodes */

typedef struct reading {
    const ct_range_plan *plan;
    const ct_bounds *symbol;
    bool jumps;
} reading;

static ct_bounds operand(const reading *x, const ct_range_node *n, uint32_t i)
{
    return x->plan->memo[n->operand[i]];
}

static ct_bounds sum_of(const reading *x, const ct_range_node *n)
{
    ct_bounds sum = point(n->number);
    for (uint32_t i = 0; i < n->arity; i++) {
        ct_bounds term = operand(x, n, i);
        sum = add(sum, n->factor[i] == 1 ? term : multiply(term, point(n->factor[i])));
    }
    return sum;
}

static ct_bounds product_of(const reading *x, const ct_range_node *n)
{
    ct_bounds all = point(n->number);
    for (uint32_t i = 0; i < n->arity; i++) {
        ct_bounds factor = operand(x, n, i);
        all = multiply(all, n->factor[i] == 1 ? factor : power(factor, n->factor[i]));
    }
    return all;
}

/* A function of numbers alone. */
static bool of_points(const reading *x, const ct_range_node *n, ct_bounds *r)
{
    enum { MOST = 4 };
    double v[MOST];
    if (n->arity > MOST)
        return false;
    for (uint32_t i = 0; i < n->arity; i++) {
        if (!is_point(operand(x, n, i)))
            return false;
        v[i] = operand(x, n, i).low;
    }
    *r = widened(point(ct_op_value(n->op, v, n->arity)));
    return true;
}

static ct_bounds table_of(reading *x, const ct_range_node *n)
{
    double *v = x->plan->number;
    for (uint32_t i = 0; i < n->arity; i++) {
        if (i && !is_point(operand(x, n, i)))
            return everything;
        v[i] = operand(x, n, i).low;
    }
    return curve(v, n->arity, operand(x, n, 0), (int)n->op - CT_OP_TABLE, &x->jumps);
}

/* Of one operand, without jumps; false: another one. */
static bool smooth_rule(ct_op op, ct_bounds a, ct_bounds *r)
{
    switch ((int)op) {
    case CT_OP_SIN:
        *r = wave(a, sine, HALF_TURN / 2);
        return true;
    case CT_OP_COS:
        *r = wave(a, cosine, 0);
        return true;
    case CT_OP_TAN:
        *r = tangent(a);
        return true;
    case CT_OP_ATAN:
        *r = rising(atan, a);
        return true;
    case CT_OP_ASIN:
        *r = a.low < -1 || a.high > 1 ? everything : rising(asin, a);
        return true;
    case CT_OP_ACOS:
        *r =
            a.low < -1 || a.high > 1 ? everything : widened((ct_bounds){acos(a.high), acos(a.low)});
        return true;
    case CT_OP_SINH:
        *r = rising(sinh, a);
        return true;
    case CT_OP_ASINH:
        *r = rising(asinh, a);
        return true;
    case CT_OP_COSH:
        *r = rising(cosh, absolute(a));
        return true;
    case CT_OP_TANH:
        *r = rising(tanh, a);
        return true;
    case CT_OP_ERF:
        *r = rising(erf, a);
        return true;
    case CT_OP_ERFC:
        *r = widened((ct_bounds){erfc(a.high), erfc(a.low)});
        return true;
    case CT_OP_EXP:
        *r = rising(exp, a);
        return true;
    case CT_OP_LOG:
        *r =
            a.low > 0 ? rising(ct_log, a) : (ct_bounds){-INFINITY, a.high > 0 ? ct_log(a.high) : 0};
        return true;
    case CT_OP_SQRT:
        *r = a.high < 0 ? everything : widened((ct_bounds){sqrt(fmax(a.low, 0)), sqrt(a.high)});
        return true;
    default:
        return false;
    }
}

static ct_bounds call_with_rule(reading *x, const ct_range_node *n)
{
    ct_bounds a = n->arity > 0 ? operand(x, n, 0) : everything;
    ct_bounds b = n->arity > 1 ? operand(x, n, 1) : everything;
    ct_bounds c = n->arity > 2 ? operand(x, n, 2) : everything, zero = point(0), r;
    if (smooth_rule(n->op, a, &r))
        return r;
    switch ((int)n->op) {
    case CT_OP_ATAN2:
        return angle_of(a, b, &x->jumps);
    case CT_OP_ABS:
        return absolute(a);
    case CT_OP_MIN:
        return (ct_bounds){fmin(a.low, b.low), fmin(a.high, b.high)};
    case CT_OP_MAX:
        return (ct_bounds){fmax(a.low, b.low), fmax(a.high, b.high)};
    case CT_OP_CLAMP:
        if (b.high > c.low) /* limits the wrong way around */
            return hull(a, hull(b, c));
        return (ct_bounds){fmin(fmax(a.low, b.low), c.low), fmin(fmax(a.high, b.high), c.high)};
    case CT_OP_FLOOR:
        return whole(a, &x->jumps);
    case CT_OP_MOD:
        return remainder_of(a, b, &x->jumps);
    case CT_OP_PULSE:
        return compare(CT_OP_LESS, remainder_of(a, b, &x->jumps), c, &x->jumps);
    case CT_OP_STEP:
        return compare(CT_OP_GREATER_EQUAL, a, zero, &x->jumps);
    case CT_OP_SIGN:
        x->jumps |= !is_true(a);
        return a.low > 0 ? point(1) : a.high < 0 ? point(-1) : unit;
    case CT_OP_AND:
        return decided(is_true(a) && is_true(b), is_false(a) || is_false(b), &x->jumps);
    case CT_OP_OR:
        return decided(is_true(a) || is_true(b), is_false(a) && is_false(b), &x->jumps);
    case CT_OP_NOT:
        return decided(is_false(a), is_true(a), &x->jumps);
    case CT_OP_IF:
        return choose(a, b, c, &x->jumps);
    case CT_OP_POW:
        if (is_point(b))
            return power(a, b.low);
        return a.low > 0 ? rising(exp, multiply(b, rising(ct_log, a))) : everything;
    case CT_OP_WRITTEN:
        return a;
    case CT_OP_OVER:
        return multiply(a, inverse(b));
    case CT_OP_TABLE:
    case CT_OP_TABLE_SLOPE:
    case CT_OP_TABLE_CURVE:
    case CT_OP_TABLE_BEND:
        return table_of(x, n);
    default:
        if (n->op >= CT_OP_LESS && n->op <= CT_OP_UNEQUAL)
            return compare(n->op, a, b, &x->jumps);
        x->jumps = true;
        return everything;
    }
}

static ct_bounds node_range(reading *x, const ct_range_node *n)
{
    ct_bounds r;
    switch (n->kind) {
    case CT_EXPR_NUMBER:
        return point(n->number);
    case CT_EXPR_SYMBOL:
        return x->symbol[n->symbol];
    case CT_EXPR_SUM:
        return sum_of(x, n);
    case CT_EXPR_PRODUCT:
        return product_of(x, n);
    default:
        return of_points(x, n, &r) ? r : call_with_rule(x, n);
    }
}

ct_bounds ct_range_of(const ct_range_plan *plan, const ct_bounds *symbol, bool *jumps)
{
    reading x = {plan, symbol, false};
    for (uint32_t i = 0; i < plan->count; i++)
        plan->memo[i] = node_range(&x, &plan->node[i]);
    *jumps = x.jumps;
    return plan->memo[plan->count - 1];
}

/* ---- without bounds */

static double node_value(const ct_range_plan *plan, const ct_range_node *n, const ct_bounds *symbol)
{
    double *v = plan->number, r = n->number;
    if (n->kind == CT_EXPR_NUMBER)
        return r;
    if (n->kind == CT_EXPR_SYMBOL)
        return symbol[n->symbol].low;
    for (uint32_t i = 0; i < n->arity; i++) {
        v[i] = plan->memo[n->operand[i]].low;
        if (n->kind == CT_EXPR_SUM)
            r += n->factor[i] * v[i];
        if (n->kind == CT_EXPR_PRODUCT)
            r *= n->factor[i] == 1 ? v[i] : pow(v[i], n->factor[i]);
    }
    return n->kind == CT_EXPR_CALL ? ct_op_value(n->op, v, n->arity) : r;
}

double ct_range_point(const ct_range_plan *plan, const ct_bounds *symbol)
{
    for (uint32_t i = 0; i < plan->count; i++)
        plan->memo[i].low = node_value(plan, &plan->node[i], symbol);
    return plan->memo[plan->count - 1].low;
}
