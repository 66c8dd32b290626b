/* field_accuracy.c - how many modes or cells an accuracy asks for: `accuracy = 1e-3 up to 200 Hz`.
 *
 * What is compared are scattering coefficients: they are bounded, and the same whatever the ends
 * are tied to. The finite model has errors of its own with free ends, with held ones, and with one
 * of each.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "model/field.h"

/* ---- the two models */

typedef struct line_numbers {
    double c, g, l, r, tau; /* of the whole length */
    double surge;
    bool bare; /* without the static part of modes that are left out */
} line_numbers;

static const double pi = 3.14159265358979323846;

static double complex series(const line_numbers *x, double complex s)
{
    return (x->l * s + x->r) / (1 + x->tau * s);
}

/* A two-port by its scattering, which stays finite at resonances. */
typedef struct two_port {
    double complex s11, s22, s12;
} two_port;

typedef enum ends { FREE_FREE, HELD_HELD, HELD_FREE, ENDS } ends;

/* By impedances of both ends driven alike, and against each other. */
static two_port symmetric(const line_numbers *x, double complex even, double complex odd)
{
    double complex alike = 1 - 2 * x->surge / (even + x->surge),
                   against = 1 - 2 * x->surge / (odd + x->surge);
    return (two_port){(alike + against) / 2, (alike + against) / 2, (alike - against) / 2};
}

/* By image impedances of both ends and what passes: the chain matrix, without what grows. */
static two_port by_images(const line_numbers *x, double complex one, double complex two,
                          double complex turn)
{
    double complex fade = cexp(-turn), ch = (1 + fade * fade) / 2, sh = (1 - fade * fade) / 2;
    double complex up = csqrt(one) / csqrt(two), mean = csqrt(one) * csqrt(two);
    double complex a = up * ch, b = mean * sh / x->surge, c = sh / mean * x->surge, d = ch / up;
    double complex all = a + b + c + d;
    return (two_port){(a + b - c - d) / all, (d + b - c - a) / all, 2 * fade / all};
}

static two_port exact(const line_numbers *x, double complex s)
{
    double complex z = series(x, s), y = x->c * s + x->g, zc = csqrt(z) / csqrt(y);
    return by_images(x, zc, zc, csqrt(z) * csqrt(y));
}

/* Modes of equal ends: impedances of free ends, or with z and y exchanged admittances of held ones.
 * Of what is left out the static part stays, unless it is not wanted. */
static double complex equal_ends(double complex z, double complex y, bool even, uint32_t n,
                                 bool bare)
{
    double complex sum = even ? 2 / y : 0;
    double rest = even ? 1.0 / 6 : 1.0 / 2;
    for (uint32_t k = even ? 2 : 1; k <= n; k += 2) {
        double b = k * pi;
        sum += 4 / (y + b * b / z);
        rest -= 4 / (b * b);
    }
    return bare ? sum : sum + rest * z;
}

/* Held at the begin, free at the end: the across variable at the begin and what flows in at the end
 * are given. */
static two_port unequal_ends(const line_numbers *x, double complex z, double complex y, uint32_t n)
{
    double complex into = y, along = 1,
                   over = 0; /* i0 = into v0 - along iL, vL = along v0 + over iL */
    double rest = 1;
    for (uint32_t k = 1; k <= n; k++) {
        double b = (k - 0.5) * pi, sign = k % 2 ? 1 : -1;
        double complex own = 2 / (y + b * b / z);
        into -= y * y / (b * b) * own;
        along -= y * sign / b * own;
        over += own;
        rest -= 2 / (b * b);
    }
    over += x->bare ? 0 : rest * z;
    into -= x->bare ? rest * y : 0;
    double complex a = 1 + x->surge * into, d = over + x->surge, b = x->surge * along;
    double complex det = a * d + b * along, loss = 1 - x->surge * into;
    return (two_port){(loss * d - b * along) / det, ((over - x->surge) * a + b * along) / det,
                      2 * b / det};
}

static two_port by_modes(const line_numbers *x, double complex s, ends e, uint32_t n)
{
    double complex z = series(x, s), y = x->c * s + x->g;
    if (e == HELD_FREE)
        return unequal_ends(x, z, y, n);
    if (e == FREE_FREE)
        return symmetric(x, equal_ends(z, y, true, n, x->bare),
                         equal_ends(z, y, false, n, x->bare));
    return symmetric(x, 1 / equal_ends(y, z, false, n, x->bare),
                     1 / equal_ends(y, z, true, n, x->bare));
}

/* Stores and flows in turn, by their image impedances: half a flow at a free end, half a store at a
 * held one. */
static two_port by_cells(const line_numbers *x, double complex s, ends e, uint32_t n)
{
    double halves = 2.0 * n + (e == HELD_FREE);
    double complex z = 2 * series(x, s) / halves, y = 2 * (x->c * s + x->g) / halves;
    double complex turn = halves * casinh(csqrt(z) * csqrt(y) / 2);
    double complex surge = csqrt(z) / csqrt(y), bend = csqrt(1 + z * y / 4);
    double complex one = e == FREE_FREE ? surge * bend : surge / bend;
    double complex two = e == HELD_HELD ? surge / bend : surge * bend;
    return by_images(x, one, two, turn);
}

/* The largest singular value of the difference. */
static double apart(two_port a, two_port b)
{
    double complex one = a.s11 - b.s11, two = a.s22 - b.s22, both = a.s12 - b.s12;
    double squares = pow(cabs(one), 2) + pow(cabs(two), 2) + 2 * pow(cabs(both), 2);
    double det = 2 * cabs(one * two - both * both);
    return sqrt((squares + sqrt(fmax(0, (squares - det) * (squares + det)))) / 2);
}

typedef struct search {
    line_numbers line;
    bool cells;
    double omega;
    uint32_t points;
} search;

/* Exactly at a resonance of a finite model its parts are infinite. */
static const double off_resonance = 0.0072973525693;

/* The tree settles the ends later: the worst of all. */
static double error_of(const search *x, uint32_t n)
{
    double worst = 0;
    for (uint32_t i = 1; i <= x->points; i++) {
        double complex s = I * (x->omega * (i + off_resonance) / x->points);
        two_port right = exact(&x->line, s);
        for (ends e = 0; e < ENDS; e++) {
            two_port z = (x->cells ? by_cells : by_modes)(&x->line, s, e, n);
            worst = fmax(worst, apart(z, right));
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
    field_numbers inner = {.f = f};
    ct_pool *p = f->b->pool;
    double length = ct_field_value(&inner, f->length);
    out->c = length * ct_field_value(&inner, f->law.c),
    out->g = length * ct_field_value(&inner, f->law.g);
    out->l = length * ct_field_value(&inner, f->law.l),
    out->r = length * ct_field_value(&inner, f->law.r);
    out->tau = ct_expr_is_zero(p, f->law.tau) ? 0 : ct_field_value(&inner, f->law.tau);
    return isfinite(out->c) && isfinite(out->g) && isfinite(out->l) && isfinite(out->r) &&
           isfinite(out->tau) && out->c > 0 && out->l + out->r > 0;
}

uint32_t ct_field_refuse_accuracy(field *f, ct_place place, const char *what, const char *help)
{
    ct_report *r = ct_error(f->b->ctx, "E413", place, "%s", what);
    ct_help(r, "%s", help);
    ct_element_fail(f->es);
    return 1;
}

bool ct_field_has_accuracy(const field *f)
{
    return ct_field_key(f, ct_intern_text(f->b->ctx, "accuracy")) != 0;
}

bool ct_field_read_accuracy(field *f, field_wish *out)
{
    const where *w = f->es->outer;
    ct_node path = ct_field_key(f, ct_intern_text(f->b->ctx, "accuracy"));
    ct_node first = ct_at(w->s, path)->next, second = ct_at(w->s, first)->next;
    field_numbers outer = {.f = f, .outer = w};
    f->es->out->own_numbers = true;
    out->place = ct_place_of(w->s, path);
    out->accuracy = ct_field_value(&outer, ct_lower_scalar(f->b, w, first).expr);
    double limit = second ? ct_field_value(&outer, ct_lower_scalar(f->b, w, second).expr) : NAN;
    out->omega = 2 * pi * limit;
    if (out->accuracy > 0 && out->accuracy < 1 && limit > 0 && isfinite(limit))
        return true;
    ct_field_refuse_accuracy(f, out->place, "an accuracy is a number below 1 up to a frequency",
                             "write `accuracy = 1e-3 up to 200 Hz`");
    return false;
}

void ct_field_tell_accuracy(field *f, uint32_t number, double estimate)
{
    ct_expr error = ct_expr_real(f->b->pool, estimate), count = ct_expr_int(f->b->pool, number);
    ct_field_signal(f, "estimate", &error, 1, ct_dim_none());
    ct_field_signal(f, "number", &count, 1, ct_dim_none());
}

/* The number of modes or cells; the estimate is a signal. */
uint32_t ct_field_choose_number(field *f, bool cells)
{
    search x = {.cells = cells, .line.bare = !cells && ct_field_is_bare(f)};
    field_wish wish;
    if (!ct_field_read_accuracy(f, &wish))
        return 1;
    if (!read_numbers(f, &x.line))
        return ct_field_refuse_accuracy(f, wish.place,
                                        "an accuracy needs numbers for all parameters",
                                        "give them values, or the number of modes");
    x.omega = wish.omega;
    double complex s = I * x.omega;
    x.line.surge = cabs(csqrt(series(&x.line, s) / (x.line.c * s + x.line.g)));
    double waves = cimag(csqrt(series(&x.line, s)) * csqrt(x.line.c * s + x.line.g)) / pi;
    x.points = 20 + (uint32_t)fmin(10 * fabs(waves), 2000);
    uint32_t n = least_number(&x, wish.accuracy);
    if (!n)
        return ct_field_refuse_accuracy(f, wish.place,
                                        "this accuracy would take more than 5000 modes or cells",
                                        "ask for less, or up to a lower frequency");
    ct_field_tell_accuracy(f, n, error_of(&x, n));
    return n;
}
