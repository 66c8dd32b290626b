/* power.h - the laws of power: what goes into an element is lost, stored or given on, never made.
 */
#ifndef LIBRARY_POWER_H
#define LIBRARY_POWER_H

#include "library/bench.h"

/* ---- terminal equations, solved: each has the form  variable = expression */

static inline ct_name variable(bench *b, uint32_t edge, uint32_t row)
{
    char text[100];
    if (b->kept_of != b->e)
        memset(b->kept, 0, sizeof b->kept);
    b->kept_of = b->e;
    if (edge < KEPT_EDGES && b->kept[edge][row])
        return b->kept[edge][row];
    const ct_element_edge *e = &b->e->edge[edge];
    snprintf(text, sizeof text, "%s.%s", text_of(b, e->name),
             ct_domain_row_at(e->domain)->variable[row].name);
    ct_name name = ct_intern_text(b->ctx, text);
    if (edge < KEPT_EDGES)
        b->kept[edge][row] = name;
    return name;
}

/* The derivatives in an expression, each replaced by a symbol (or by 0). */
typedef struct rate {
    ct_name symbol;
    ct_expr inside;
} rate;

typedef struct law {
    ct_name variable;
    ct_expr expr;
} law;

typedef struct laws {
    CT_VEC(rate) rates;
    law *law;
    bool constant; /* der() = 0 */
    double time;
    bench *b;
} laws;

static inline ct_expr without_rates(laws *l, ct_expr e);

static inline ct_expr replace_rate(laws *l, ct_expr e)
{
    bench *b = l->b;
    if (l->constant)
        return ct_expr_int(b->pool, 0);
    rate r = {ct_intern_text(b->ctx, ct_printf(b->ctx, "rate%u", l->rates.count)),
              ct_expr_operand(b->pool, e, 0)};
    CT_PUSH(b->arena, l->rates, r);
    return ct_expr_symbol(b->pool, r.symbol);
}

/* The expression anew from its operands; a sum's and a product's have numbers with them. */
static inline ct_expr rebuild(laws *l, ct_expr e)
{
    ct_pool *pool = l->b->pool;
    uint32_t n = ct_expr_arity(pool, e);
    ct_expr *part = CT_NEW_ARRAY(l->b->arena, ct_expr, n + 1);
    bool sum = ct_expr_kind_of(pool, e) == CT_EXPR_SUM;
    for (uint32_t i = 0; i < n; i++)
        part[i] = without_rates(l, ct_expr_operand(pool, e, i));
    if (ct_expr_kind_of(pool, e) == CT_EXPR_CALL)
        return ct_expr_call(pool, ct_expr_op(pool, e), part, n);
    for (uint32_t i = 0; i < n; i++) {
        ct_expr number = ct_expr_coefficient(pool, e, i);
        part[i] = sum ? ct_expr_mul(pool, number, part[i]) : ct_expr_pow(pool, part[i], number);
    }
    part[n] = ct_expr_constant(pool, e);
    return sum ? ct_expr_sum(pool, part, n + 1) : ct_expr_product(pool, part, n + 1);
}

static inline ct_expr without_rates(laws *l, ct_expr e)
{
    ct_expr_kind kind = ct_expr_kind_of(l->b->pool, e);
    if (kind == CT_EXPR_NUMBER || kind == CT_EXPR_SYMBOL)
        return e;
    if (kind == CT_EXPR_CALL && ct_expr_op(l->b->pool, e) == CT_OP_DER)
        return replace_rate(l, e);
    return rebuild(l, e);
}

/* Zeros, and defaults that are other parameters: KT = Kv. */
static inline ct_expr put_in_params(bench *b, ct_expr e)
{
    for (uint32_t i = 0; i < b->e->param_count; i++) {
        const ct_element_param *p = &b->e->param[i];
        bool depends = p->fallback && !ct_expr_is_number(b->pool, p->fallback);
        ct_expr value = depends ? p->fallback : ct_expr_int(b->pool, 0);
        if (depends || is_zero(b, p->name))
            e = ct_expr_substitute(b->pool, e, &p->name, &value, 1);
    }
    return e;
}

/* Solves equation i for one of the edges' variables in which it is linear, with a number as factor;
 * the left side first. */
static inline bool solve(bench *b, ct_expr difference, ct_name v, law *solved)
{
    ct_expr factor, rest;
    if (!ct_expr_linear(b->pool, difference, &v, 1, &factor, &rest) ||
        !ct_expr_is_number(b->pool, factor) || ct_expr_is_zero(b->pool, factor))
        return false;
    *solved = (law){v, ct_expr_div(b->pool, ct_expr_neg(b->pool, rest), factor)};
    return true;
}

static inline bool find_laws(bench *b, laws *l)
{
    l->b = b;
    l->law = CT_NEW_ARRAY(b->arena, law, b->e->equation_count + 1);
    for (uint32_t i = 0; i < b->e->equation_count; i++) {
        const ct_element_equation *q = &b->e->equation[i];
        ct_expr difference = ct_expr_sub(b->pool, q->left, q->right);
        difference = without_rates(l, put_in_params(b, difference));
        if (ct_expr_kind_of(b->pool, q->left) != CT_EXPR_SYMBOL ||
            !solve(b, difference, ct_expr_name(b->pool, q->left), &l->law[i])) {
            miss(b, "equation %u is not solved for a variable: its power cannot be checked", i + 1);
            return false;
        }
    }
    return true;
}

/* What an edge adds to the power into the element. */
static inline ct_expr edge_power(bench *b, uint32_t i)
{
    const ct_element_edge *e = &b->e->edge[i];
    ct_expr across = ct_expr_symbol(b->pool, variable(b, i, 0)),
            through = ct_expr_symbol(b->pool, variable(b, i, 1));
    if (strcmp(ct_domain_row_at(e->domain)->name, "thermal") == 0) {
        if (e->head == CT_GROUND_TERMINAL)
            return through;
        if (e->tail == CT_GROUND_TERMINAL)
            return ct_expr_neg(b->pool, through);
    }
    return ct_expr_mul(b->pool, across, through);
}

static inline ct_expr whole_power(bench *b)
{
    ct_expr sum = ct_expr_int(b->pool, 0);
    for (uint32_t i = 0; i < b->e->edge_count; i++)
        sum = ct_expr_add(b->pool, sum, edge_power(b, i));
    return sum;
}

/* ---- power that is zero, by symbols */

/* Puts the laws in, again and again: one may read the variable of another. */
static inline ct_expr put_in_laws(bench *b, const laws *l, ct_expr e)
{
    uint32_t n = b->e->equation_count;
    for (uint32_t round = 0; round < n; round++)
        for (uint32_t i = 0; i < n; i++)
            e = ct_expr_substitute(b->pool, e, &l->law[i].variable, &l->law[i].expr, 1);
    return e;
}

static inline void check_lossless(bench *b)
{
    laws l = {.constant = true};
    if (!find_laws(b, &l))
        return;
    ct_expr p = put_in_laws(b, &l, whole_power(b));
    if (ct_expr_is_zero(b->pool, p) || ct_expr_fingerprint(b->pool, p) == 0)
        return;
    ct_text text = ct_text_new(b->arena);
    ct_expr_put(b->pool, &text, p);
    miss(b, "makes power: %s", ct_text_string(&text));
}

/* ---- power along a random periodic motion, by numbers
 *
 * A variable without a law is a sum of two harmonics with the period 1. A displacement has this
 * form and the velocity and the acceleration are its derivatives.
 */

enum { STEPS = 16000, POINTS = 3000 };
static const double STEP = 1.0 / STEPS, SMALL = 1e-3, TAU = 6.283185307179586;

/* Numbers that belong to a name: the same whenever it is asked for, whatever else is known. */
static inline double fixed(const bench *b, ct_name name, uint32_t which)
{
    const char *text = ct_name_text(b->ctx, name);
    dice d = {b->d.state + ct_hash_bytes(text, strlen(text), 0) + which * 131u};
    roll64(&d);
    return (double)roll(&d, 1000000) / 1e6;
}

static inline double harmonics(const bench *b, ct_name name, int derivative, double t)
{
    double sum = derivative == 0 ? 0.4 * fixed(b, name, 9) : 0;
    for (uint32_t k = 1; k <= 2; k++) {
        double amplitude = 1.5 * fixed(b, name, k) / k, phase = TAU * fixed(b, name, k + 4);
        sum +=
            amplitude * pow(TAU * k, derivative) * sin(TAU * k * t + phase + derivative * TAU / 4);
    }
    return sum;
}

/* A value inside the limits; not the default when that is zero: then nothing would be tested. */
static inline double param_value(bench *b, const ct_element_param *p)
{
    double low = -INFINITY, high = INFINITY, usual = NAN;
    for (uint32_t i = 0; i < p->limit_count; i++) {
        double bound = ct_expr_to_double(b->pool, p->limit[i].bound);
        if (p->limit[i].relation >= CT_GREATER)
            low = fmax(low, bound);
        else
            high = fmin(high, bound);
    }
    if (p->fallback && ct_expr_is_number(b->pool, p->fallback))
        usual = ct_expr_to_double(b->pool, p->fallback);
    if (given_value(b, p->name, &usual))
        return usual;
    if (usual > 0 || usual < 0)
        return usual;
    double free = fixed(b, p->name, 20);
    if (isinf(high))
        return isinf(low) ? 0.3 + free : low + 0.3 + free;
    return low + (high - low) * free;
}

static inline double look_up(const void *user, ct_name symbol);

static inline double value_at(const laws *l, ct_expr e, double t)
{
    laws then = *l;
    then.time = t;
    return ct_expr_value(l->b->pool, e, look_up, &then);
}

static inline bool find_trajectory(const laws *l, ct_name symbol, double *value)
{
    bench *b = l->b;
    for (uint32_t i = 0; i < b->e->edge_count; i++) {
        const ct_variable_row *row = ct_domain_row_at(b->e->edge[i].domain)->variable;
        bool moves = row[2].name != NULL; /* x, v, a */
        for (uint32_t k = 0; k < CT_DOMAIN_VARIABLES && row[k].name; k++) {
            if (variable(b, i, k) != symbol)
                continue;
            bool motion = moves && row[k].across;
            *value = harmonics(b, motion ? variable(b, i, 2) : symbol,
                               motion ? row[k].order + 1 : 0, l->time);
            if (strcmp(row[k].name, "T") == 0 && row[k].across) /* absolute temperatures */
                *value += b->e->edge[i].head == CT_GROUND_TERMINAL ? 300 : 0;
            return true;
        }
    }
    return false;
}

static inline double look_up(const void *user, ct_name symbol)
{
    const laws *l = user;
    bench *b = l->b;
    double value;
    for (uint32_t i = 0; i < b->e->equation_count; i++)
        if (l->law[i].variable == symbol)
            return value_at(l, l->law[i].expr, l->time);
    for (uint32_t i = 0; i < l->rates.count; i++)
        if (l->rates.at[i].symbol == symbol) {
            double h = 1e-5;
            return (value_at(l, l->rates.at[i].inside, l->time + h) -
                    value_at(l, l->rates.at[i].inside, l->time - h)) /
                   (2 * h);
        }
    for (uint32_t i = 0; i < b->e->param_count; i++) {
        const ct_element_param *p = &b->e->param[i];
        bool depends = p->fallback && !ct_expr_is_number(b->pool, p->fallback);
        if (p->name == symbol)
            return depends ? value_at(l, p->fallback, l->time) : param_value(b, p);
    }
    return find_trajectory(l, symbol, &value) ? value : NAN;
}

/* Means over a period; the power has the period too. */
static inline void check_cycle(bench *b)
{
    laws l = {0};
    if (!find_laws(b, &l))
        return;
    for (int round = 0; round < 3; round++) {
        double sum = 0, size = 0;
        ct_expr p = whole_power(b);
        roll64(&b->d);
        for (int i = 0; i < STEPS; i++) {
            double here = value_at(&l, p, i * STEP);
            sum += here;
            size += fabs(here);
        }
        if (!(size > 0) || !isfinite(size))
            miss(b, "its power cannot be evaluated, or is always zero");
        else if (b->row->power == STORES && fabs(sum) > SMALL * size)
            miss(b, "stores, but a cycle takes %g of the power moved", sum / size);
        else if (sum < -SMALL * size)
            miss(b, "is passive, but a cycle gives %g of the power moved", -sum / size);
    }
}

static inline void check_never_negative(bench *b)
{
    laws l = {0};
    if (!find_laws(b, &l))
        return;
    double largest = 0;
    ct_expr p = whole_power(b);
    for (int i = 0; i < POINTS; i++) {
        roll64(&b->d);
        double here = value_at(&l, p, 0);
        largest = fmax(largest, here);
        if (here >= -1e-12 * largest)
            continue;
        miss(b, "dissipates, but gives the power %g", -here);
        return;
    }
    if (!(largest > 0))
        miss(b, "its power is always zero or cannot be evaluated");
}

static inline void check_power(bench *b)
{
    static void (*const checks[])(bench * b) = {
        [LOSSLESS] = check_lossless,
        [DISSIPATES] = check_never_negative,
        [STORES] = check_cycle,
        [PASSIVE] = check_cycle,
        [ACTIVE] = NULL,
        [IN_RUNS] = NULL,
        [MODES] = NULL,
    };
    if (checks[b->row->power])
        checks[b->row->power](b);
}

#endif
