/* hidden.c - does a condition change its sign between samples that all have the same one?
 *
 * The quartic through five samples of a step, in Bernstein form: where all coefficients have one
 * sign, so has the quartic; else it is halved, and the value in the middle is looked at.
 */
#include "solve/driver.h"

#include <math.h>
#include <string.h>

enum { DEGREE = 4, MOST_HALVES = 400, DEEPEST = 46, MOST_THIRDS = 40 };

typedef struct piece {
    double from, to, b[DEGREE + 1];
    int depth;
} piece;

static void to_bernstein(const double *s, double *b)
{
    b[0] = s[0];
    b[1] = (-13 * s[0] + 48 * s[1] - 36 * s[2] + 16 * s[3] - 3 * s[4]) / 12;
    b[2] = (13 * s[0] - 64 * s[1] + 120 * s[2] - 64 * s[3] + 13 * s[4]) / 18;
    b[3] = (-3 * s[0] + 16 * s[1] - 36 * s[2] + 48 * s[3] - 13 * s[4]) / 12;
    b[4] = s[4];
}

static bool keeps_sign(const piece *p, double sign)
{
    for (int i = 0; i <= DEGREE; i++)
        if (!(p->b[i] * sign > 0))
            return false;
    return true;
}

/* Both halves, by de Casteljau. */
static void halve(const piece *p, piece *left, piece *right)
{
    double c[DEGREE + 1], middle = p->from + (p->to - p->from) / 2;
    *left = (piece){.from = p->from, .to = middle, .depth = p->depth + 1};
    *right = (piece){.from = middle, .to = p->to, .depth = p->depth + 1};
    for (int i = 0; i <= DEGREE; i++)
        c[i] = p->b[i];
    for (int k = 0; k <= DEGREE; k++) {
        left->b[k] = c[0];
        right->b[DEGREE - k] = c[DEGREE - k];
        for (int i = 0; i < DEGREE - k; i++)
            c[i] = 0.5 * (c[i] + c[i + 1]);
    }
}

/* Most conditions are far from zero: signs of the coefficients, without dividing. */
static bool stays(const double *s)
{
    double sign = s[0] > 0 ? 1 : -1;
    return (-13 * s[0] + 48 * s[1] - 36 * s[2] + 16 * s[3] - 3 * s[4]) * sign > 0 &&
           (13 * s[0] - 64 * s[1] + 120 * s[2] - 64 * s[3] + 13 * s[4]) * sign > 0 &&
           (-3 * s[0] + 16 * s[1] - 36 * s[2] + 48 * s[3] - 13 * s[4]) * sign > 0;
}

static double value_at(const double *bernstein, double x)
{
    double c[DEGREE + 1];
    memcpy(c, bernstein, sizeof c);
    for (int k = DEGREE; k > 0; k--)
        for (int i = 0; i < k; i++)
            c[i] += x * (c[i + 1] - c[i]);
    return c[0];
}

/* Halves that keep the sign are left alone, so that the nearest place is known roughly only. */
static double nearest(const double *bernstein, double sign, double rough)
{
    double low = fmax(0, rough - 0.125), high = fmin(1, rough + 0.125);
    for (int i = 0; i < MOST_THIRDS; i++) {
        double third = (high - low) / 3, a = low + third, b = high - third;
        bool left = value_at(bernstein, a) * sign < value_at(bernstein, b) * sign;
        *(left ? &high : &low) = left ? b : a;
    }
    return (low + high) / 2;
}

double ct_hidden_change(const double *sample)
{
    if (stays(sample))
        return NAN;
    piece stack[DEEPEST + 2], p, left, right;
    int count = 1;
    double sign = sample[0] > 0 ? 1 : -1, best = NAN, least = INFINITY, whole[DEGREE + 1];
    to_bernstein(sample, whole);
    stack[0] = (piece){.to = 1};
    memcpy(stack[0].b, whole, sizeof whole);
    for (int i = 0; count && i < MOST_HALVES; i++) {
        p = stack[--count];
        if (keeps_sign(&p, sign))
            continue;
        halve(&p, &left, &right);
        double middle = right.b[0] * sign;
        if (middle < least) {
            least = middle;
            best = left.to;
        }
        if (middle <= 0)
            return left.to;
        if (p.depth + 1 < DEEPEST) {
            stack[count++] = right;
            stack[count++] = left;
        }
    }
    return isnan(best) ? best : nearest(whole, sign, best);
}
