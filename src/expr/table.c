/* table.c - curves through points, for the operators `table`, `table_slope`, `table_curve` and
 * `table_bend`.
 *
 * Operands are (x, n, x1 .. xn, y1 .. yn, method) with rising xi. Outside the points both methods
 * go on straight: lines with the slope of the last piece, cubics with the slope at the end point.
 */
#include <math.h>

#include "expr/pool.h"

typedef struct curve {
    const double *x, *y;
    uint32_t n;
    bool cubic;
} curve;

static bool read_curve(const double *v, uint32_t count, curve *c)
{
    if (count < 5 || !(v[1] >= 1 && v[1] <= count) || 3 + 2 * (uint32_t)v[1] != count)
        return false;
    *c = (curve){.n = (uint32_t)v[1], .x = v + 2, .y = v + 2 + (uint32_t)v[1]};
    c->cubic = v[count - 1] == 1;
    return true;
}

/* The piece that holds x: i with x[i] <= x < x[i+1]; the first or last one outside. */
static uint32_t find_piece(const curve *c, double x)
{
    uint32_t low = 0, high = c->n - 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (x < c->x[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

static double secant(const curve *c, uint32_t i)
{
    double width = c->x[i + 1] - c->x[i];
    return width > 0 ? (c->y[i + 1] - c->y[i]) / width : 0; /* two equal places: a jump */
}

/* Slope at the point i: the weighted harmonic mean of the neighbouring secants, 0 at a turning
 * point. It lies in the region that keeps each piece monotone [Fritsch-Carlson 1980;
 * Fritsch-Butland]. */
static double slope_at(const curve *c, uint32_t i)
{
    if (i == 0 || i == c->n - 1)
        return secant(c, i == 0 ? 0 : i - 1);
    double left = secant(c, i - 1), right = secant(c, i);
    if (left * right <= 0)
        return 0;
    double h = c->x[i] - c->x[i - 1], k = c->x[i + 1] - c->x[i];
    return 3 * (h + k) / ((2 * k + h) / left + (k + 2 * h) / right);
}

/* Hermite cubic of the piece i in s = x - x[i]: y + a s + b s^2 + d s^3, or a derivative of it. */
static double cubic_piece(const curve *c, uint32_t i, double x, int derivative)
{
    double h = c->x[i + 1] - c->x[i], s = x - c->x[i], m = secant(c, i);
    double a = slope_at(c, i), end = slope_at(c, i + 1);
    double b = (3 * m - 2 * a - end) / h, d = (a + end - 2 * m) / (h * h);
    if (derivative == 0)
        return c->y[i] + s * (a + s * (b + s * d));
    if (derivative == 1)
        return a + s * (2 * b + 3 * s * d);
    return derivative == 2 ? 2 * b + 6 * s * d : 6 * d;
}

static double line(double x0, double y0, double slope, double x, int derivative)
{
    return derivative == 0 ? y0 + slope * (x - x0) : derivative == 1 ? slope : 0;
}

double ct_table_value(const double *v, uint32_t count, int derivative)
{
    curve c;
    if (!read_curve(v, count, &c))
        return NAN;
    double x = v[0];
    if (c.n == 1)
        return derivative ? 0 : c.y[0];
    uint32_t i = find_piece(&c, x), last = c.n - 1;
    if (!c.cubic)
        return line(c.x[i], c.y[i], secant(&c, i), x, derivative);
    if (x < c.x[0])
        return line(c.x[0], c.y[0], slope_at(&c, 0), x, derivative);
    if (x > c.x[last])
        return line(c.x[last], c.y[last], slope_at(&c, last), x, derivative);
    return cubic_piece(&c, i, x, derivative);
}
