/* field_accuracy.c - how many modes or cells an accuracy asks for: `accuracy = 1e-3 up to 200 Hz`.
 *
 * What is compared are scattering coefficients of the two symmetric ways to drive both ends: they
 * are bounded, and the same whatever the ends are tied to. The finite model is that with free ends;
 * with held ones the error is nearly the same.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "model/field.h"

/* ---- numbers of params */

typedef struct number_of {
    field *f;
    const where *outer; /* NULL: symbols of the element */
    uint32_t depth;
} number_of;

static double value_of(const number_of *from, ct_expr e);

static entry *find_quantity(builder *b, ct_name full)
{
    for (uint32_t i = 0; i < b->entry.count; i++)
        if (b->entry.at[i]->full == full && !b->entry.at[i]->hidden)
            return b->entry.at[i];
    return NULL;
}

static ct_node key_of(const field *f, ct_name name)
{
    const element_scope *es = f->es;
    ct_name given;
    for (ct_node key = es->component ? ct_at(es->outer->s, es->component)->first : 0; key;
         key = ct_at(es->outer->s, key)->next) {
        if (ct_at(es->outer->s, key)->kind != CT_NODE_KEY || ct_at(es->outer->s, key)->op)
            continue;
        ct_node path = ct_at(es->outer->s, key)->first;
        if (ct_plain_name(es->outer->s, ct_at(es->outer->s, path)->first, &given) && given == name)
            return path;
    }
    return 0;
}

static double look_up(const void *user, ct_name symbol)
{
    const number_of *from = user;
    field *f = from->f;
    number_of next = *from;
    if (++next.depth > 100)
        return NAN;
    if (!from->outer) {
        ct_node path = key_of(f, symbol);
        next.outer = path ? f->es->outer : NULL;
        if (path)
            return value_of(
                &next,
                ct_lower_scalar(f->b, f->es->outer, ct_at(f->es->outer->s, path)->next).expr);
    }
    entry *e = from->outer ? find_quantity(f->b, symbol) : ct_find_entry(f->b, f->w->scope, symbol);
    if (!e || e->kind != ENTRY_PARAM)
        return NAN;
    ct_read_entry(f->b, e, e->place);
    return e->definition.rows == 1 ? value_of(&next, e->definition.cell->expr) : NAN;
}

static double value_of(const number_of *from, ct_expr e)
{
    return e ? ct_expr_value(from->f->b->pool, e, look_up, from) : NAN;
}

/* ---- the two models */

typedef struct line_numbers {
    double c, g, l, r, tau; /* of the whole length */
    double surge;
} line_numbers;

static double complex series(const line_numbers *x, double complex s)
{
    return (x->l * s + x->r) / (1 + x->tau * s);
}

static double complex scattered(const line_numbers *x, double complex z)
{
    return (z - x->surge) / (z + x->surge);
}

/* Both ends driven alike (even), or against each other. */
static double complex exact(const line_numbers *x, double complex s, bool even)
{
    double complex z = series(x, s), y = x->c * s + x->g;
    double complex half = csqrt(z) * csqrt(y) / 2, zc = csqrt(z) / csqrt(y);
    return even ? zc / ctanh(half) : zc * ctanh(half);
}

static double complex by_modes(const line_numbers *x, double complex s, bool even, uint32_t n)
{
    const double pi = 3.14159265358979323846;
    double complex z = series(x, s), y = x->c * s + x->g, sum = even ? 2 / y : 0;
    double rest = even ? 1.0 / 6 : 1.0 / 2;
    for (uint32_t k = even ? 2 : 1; k <= n; k += 2) {
        double b = k * pi;
        sum += 4 / (y + b * b / z);
        rest -= 4 / (b * b);
    }
    return sum + rest * z;
}

/* A chain of n equal cells: half a flow, a store, half a flow. */
static double complex by_cells(const line_numbers *x, double complex s, bool even, uint32_t n)
{
    double complex z = series(x, s) / n, y = (x->c * s + x->g) / n;
    double complex half = n * casinh(csqrt(z * y) / 2);
    double complex image = csqrt(z) / csqrt(y) * csqrt(1 + z * y / 4);
    return even ? image / ctanh(half) : image * ctanh(half);
}

typedef struct search {
    line_numbers line;
    bool cells;
    double omega;
    uint32_t points;
} search;

static double error_of(const search *x, uint32_t n)
{
    double worst = 0;
    for (uint32_t i = 1; i <= x->points; i++) {
        double complex s = I * (x->omega * i / x->points);
        for (int even = 0; even < 2; even++) {
            double complex z =
                x->cells ? by_cells(&x->line, s, even, n) : by_modes(&x->line, s, even, n);
            worst = fmax(worst, cabs(scattered(&x->line, z) -
                                     scattered(&x->line, exact(&x->line, s, even))));
        }
    }
    return worst;
}

enum { MOST_MODES = 5000 };

/* The least number whose error is below; 0: not reached. */
static uint32_t least_number(const search *x, double accuracy)
{
    uint32_t low = 0, high = 2;
    while (error_of(x, high) > accuracy) {
        low = high, high *= 2;
        if (high > MOST_MODES)
            return 0;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (error_of(x, middle) > accuracy)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- the key */

static bool read_numbers(field *f, line_numbers *out)
{
    number_of inner = {.f = f};
    ct_pool *p = f->b->pool;
    double length = value_of(&inner, f->length);
    out->c = length * value_of(&inner, f->law.c), out->g = length * value_of(&inner, f->law.g);
    out->l = length * value_of(&inner, f->law.l), out->r = length * value_of(&inner, f->law.r);
    out->tau = ct_expr_is_zero(p, f->law.tau) ? 0 : value_of(&inner, f->law.tau);
    return isfinite(out->c) && isfinite(out->g) && isfinite(out->l) && isfinite(out->r) &&
           isfinite(out->tau) && out->c > 0 && out->l + out->r > 0;
}

static uint32_t refuse_accuracy(field *f, ct_place place, const char *what, const char *help)
{
    ct_report *r = ct_error(f->b->ctx, "E413", place, "%s", what);
    ct_help(r, "%s", help);
    ct_element_fail(f->es);
    return 1;
}

bool ct_field_has_accuracy(const field *f)
{
    return key_of(f, ct_intern_text(f->b->ctx, "accuracy")) != 0;
}

/* The number of modes or cells; the estimate is a signal. */
uint32_t ct_field_choose_number(field *f, bool cells)
{
    const where *w = f->es->outer;
    ct_node path = key_of(f, ct_intern_text(f->b->ctx, "accuracy"));
    ct_node first = ct_at(w->s, path)->next, second = ct_at(w->s, first)->next;
    ct_place place = ct_place_of(w->s, path);
    number_of outer = {.f = f, .outer = w};
    search x = {.cells = cells};
    double accuracy = value_of(&outer, ct_lower_scalar(f->b, w, first).expr);
    double limit = second ? value_of(&outer, ct_lower_scalar(f->b, w, second).expr) : NAN;
    if (!(accuracy > 0 && accuracy < 1 && limit > 0 && isfinite(limit)))
        return refuse_accuracy(f, place, "an accuracy is a number below 1 up to a frequency",
                               "write `accuracy = 1e-3 up to 200 Hz`");
    if (!read_numbers(f, &x.line))
        return refuse_accuracy(f, place, "an accuracy needs numbers for all parameters",
                               "give them values, or the number of modes");
    x.omega = 2 * 3.14159265358979323846 * limit;
    double complex s = I * x.omega;
    x.line.surge = cabs(csqrt(series(&x.line, s) / (x.line.c * s + x.line.g)));
    double waves = cimag(csqrt(series(&x.line, s)) * csqrt(x.line.c * s + x.line.g)) / 3.14159;
    x.points = 20 + (uint32_t)fmin(10 * fabs(waves), 2000);
    uint32_t n = least_number(&x, accuracy);
    if (!n)
        return refuse_accuracy(f, place, "this accuracy would take more than 5000 modes or cells",
                               "ask for less, or up to a lower frequency");
    ct_expr estimate = ct_expr_real(f->b->pool, error_of(&x, n)),
            number = ct_expr_int(f->b->pool, n);
    ct_field_signal(f, "estimate", &estimate, 1, ct_dim_none());
    ct_field_signal(f, "number", &number, 1, ct_dim_none());
    return n;
}
