/* beam_shapes.c - modes, static shapes and compliances of a uniform beam, in numbers.
 *
 * Modes are sums of cos bs, sin bs, exp(-bs) and exp(-b(1-s)), which stay bounded for any b; with
 * hyperbolic functions the tenth mode would have lost all its digits. */
#include "model/beam_shapes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "model/beam_ritz.h"

static const double at_a_node = 1e-6; /* of the norm: the end does not move */

static const double PI = 3.14159265358979323846;

/* ---- modes */

/* Derivative of a basis function, divided by b to the power of its order. */
static double basis(int which, int d, double b, double s)
{
    switch (which) {
    case 0:
        return cos(b * s + d * PI / 2);
    case 1:
        return sin(b * s + d * PI / 2);
    case 2:
        return (d % 2 ? -1 : 1) * exp(-b * s);
    default:
        return exp(-b * (1 - s));
    }
}

/* What vanishes for end coordinate i: itself where it is held, else the force that belongs to it.
 */
static int vanishing(const bool *held, int i)
{
    return held[i] ? i % 2 : 3 - i % 2;
}

static void fill(const bool *held, double b, double m[4][4])
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            m[i][k] = basis(k, vanishing(held, i), b, i / 2);
}

static void swap_rows(double m[4][4], int i, int k)
{
    double t[4];
    memcpy(t, m[i], sizeof t);
    memcpy(m[i], m[k], sizeof t);
    memcpy(m[k], t, sizeof t);
}

/* Elimination with rows and columns exchanged; column[] says which came where. */
static double triangulate(double m[4][4], int *column)
{
    double determinant = 1;
    for (int k = 0; k < 4; k++)
        column[k] = k;
    for (int k = 0; k < 4; k++) {
        int row = k, col = k;
        for (int i = k; i < 4; i++)
            for (int c = k; c < 4; c++)
                if (fabs(m[i][c]) > fabs(m[row][col]))
                    row = i, col = c;
        if (row != k)
            swap_rows(m, row, k), determinant = -determinant;
        for (int i = 0; i < 4 && col != k; i++) {
            double t = m[i][k];
            m[i][k] = m[i][col], m[i][col] = t;
        }
        if (col != k) {
            int t = column[k];
            column[k] = column[col], column[col] = t;
            determinant = -determinant;
        }
        determinant *= m[k][k];
        for (int i = k + 1; i < 4 && m[k][k] != 0; i++)
            for (int c = 3; c >= k; c--)
                m[i][c] -= m[i][k] / m[k][k] * m[k][c];
    }
    return determinant;
}

static double determinant_at(const bool *held, double b)
{
    double m[4][4];
    int column[4];
    fill(held, b, m);
    return triangulate(m, column);
}

static double root_between(const bool *held, double low, double high)
{
    double at_low = determinant_at(held, low);
    while (high - low > 2 * DBL_EPSILON * high) {
        double middle = low + (high - low) / 2, value = determinant_at(held, middle);
        if (middle <= low || middle >= high)
            break;
        if ((value < 0) == (at_low < 0))
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

double ct_beam_mode_at(const ct_beam_mode *m, int d, double s)
{
    if (m->ritz)
        return ct_ritz_at(m->ritz, m->vector, d, s);
    d = d == CT_BEAM_SLOPE ? 1 : d;
    if (m->b == 0)
        return d == 0 ? m->weight[0] + m->weight[1] * s : d == 1 ? m->weight[1] : 0;
    double sum = 0;
    for (int k = 0; k < 4; k++)
        sum += m->weight[k] * basis(k, d, m->b, s);
    return sum * pow(m->b, d);
}

/* The vector that the matrix takes to zero. */
static void find_weights(const bool *held, ct_beam_mode *mode)
{
    double m[4][4], x[4] = {0, 0, 0, 1};
    int column[4];
    fill(held, mode->b, m);
    triangulate(m, column);
    for (int i = 2; i >= 0; i--) {
        for (int c = i + 1; c < 4; c++)
            x[i] -= m[i][c] * x[c];
        x[i] /= m[i][i];
    }
    for (int k = 0; k < 4; k++)
        mode->weight[column[k]] = x[k];
}

/* Of 16 points in each of `panels`. */
static const double gauss_point[8] = {
    0.0950125098376374402, 0.2816035507792589132, 0.4580167776572273863, 0.6178762444026437484,
    0.7554044083550030339, 0.8656312023878317439, 0.9445750230732325761, 0.9894009349916499326};
static const double gauss_weight[8] = {
    0.1894506104550684963, 0.1826034150449235888, 0.1691565193950025382, 0.1495959888165767321,
    0.1246289712555338721, 0.0951585116824927848, 0.0622535239386478929, 0.0271524594117540949};

double ct_gauss_at(uint32_t i, double *weight)
{
    double at = i < 8 ? gauss_point[i] : -gauss_point[i - 8];
    *weight = gauss_weight[i % 8] / 2;
    return 0.5 + at / 2;
}

static double any_shape(const ct_beam *beam, uint32_t i, int d, double s)
{
    return i < BEAM_ENDS ? ct_beam_shape_at(beam, i, d, s)
                         : ct_beam_mode_at(&beam->mode[i - BEAM_ENDS], d, s);
}

static double integrate(const ct_beam *beam, uint32_t i, uint32_t j, int d, uint32_t panels)
{
    double sum = 0;
    for (uint32_t p = 0; p < panels; p++)
        for (uint32_t k = 0; k < CT_GAUSS; k++) {
            double weight, s = (p + ct_gauss_at(k, &weight)) / panels;
            sum += weight / panels * any_shape(beam, i, d, s) * any_shape(beam, j, d, s);
        }
    return sum;
}

static uint32_t panels_of(const ct_beam *beam, uint32_t i)
{
    if (beam->ritz)
        return 1 + (beam->ritz->bend + beam->ritz->shear) / 16;
    return i < BEAM_ENDS ? 1 : 1 + (uint32_t)(beam->mode[i - BEAM_ENDS].b / PI);
}

double ct_beam_product(const ct_beam *beam, uint32_t i, uint32_t j, int d)
{
    return integrate(beam, i, j, d, panels_of(beam, i) + panels_of(beam, j));
}

/* Sign: up at the end, else with rising slope there. */
static void normalise(const ct_beam *beam, ct_beam_mode *mode, uint32_t k)
{
    double norm = sqrt(ct_beam_product(beam, BEAM_ENDS + k, BEAM_ENDS + k, 0));
    double end = ct_beam_mode_at(mode, 0, 1);
    if (fabs(end) < at_a_node * norm)
        end = ct_beam_mode_at(mode, 1, 1);
    for (int i = 0; i < 4; i++)
        mode->weight[i] /= end < 0 ? -norm : norm;
}

/* Rigid motion that the held coordinates allow: 1, then s - 1/2; or the one that is 0 there. */
static uint32_t find_rigid(const bool *held, ct_beam_mode *mode)
{
    int deflections = held[0] + held[2], slopes = held[1] + held[3];
    if (deflections + slopes == 0) {
        mode[0] = (ct_beam_mode){.weight = {1, 0, 0, 0}};
        mode[1] = (ct_beam_mode){.weight = {-sqrt(3), 2 * sqrt(3), 0, 0}};
        return 2;
    }
    if (deflections == 0)
        mode[0] = (ct_beam_mode){.weight = {1, 0, 0, 0}};
    else if (held[0])
        mode[0] = (ct_beam_mode){.weight = {0, sqrt(3), 0, 0}};
    else
        mode[0] = (ct_beam_mode){.weight = {sqrt(3), -sqrt(3), 0, 0}};
    return deflections == 0 || (deflections == 1 && slopes == 0);
}

static void find_modes(const bool *held, ct_beam *beam, ct_beam_mode *mode, uint32_t wanted)
{
    double step = 0.05, b = 1, last = determinant_at(held, b);
    while (beam->count < wanted) {
        double next = determinant_at(held, b + step);
        if ((next < 0) != (last < 0)) {
            ct_beam_mode *m = &mode[beam->count++];
            m->b = root_between(held, b, b + step);
            find_weights(held, m);
            normalise(beam, m, beam->count - 1);
        }
        b += step, last = next;
    }
}

/* ---- polynomials: static shapes and compliances */

static double power_at(int power, int d, double s)
{
    double factor = 1;
    for (int i = 0; i < d; i++)
        factor *= power - i;
    return power < d ? 0 : factor * pow(s, power - d);
}

double ct_beam_shape_at(const ct_beam *beam, uint32_t end, int d, double s)
{
    double sum = 0;
    if (beam->ritz)
        return ct_ritz_at(beam->ritz, beam->static_vector[end], d, s);
    d = d == CT_BEAM_SLOPE ? 1 : d;
    for (int k = 0; k <= BEAM_DEGREE; k++)
        sum += beam->shape[end][k] * power_at(k, d, s);
    return sum;
}

/* Value that belongs to end coordinate i: held, itself; free, the force on the beam. */
static double end_value(const bool *held, int i, int power)
{
    static const double sign[BEAM_ENDS] = {1, -1, -1, 1};
    double v = power_at(power, vanishing(held, i), i / 2);
    return held[i] ? v : sign[i] * v;
}

/* Least squares by the normal equations of a system that is consistent; four unknowns. */
static void solve_normal(double (*row)[5], int rows, double *x)
{
    double m[4][5] = {{0}};
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 5; k++)
                m[i][k] += row[r][i] * row[r][k];
    for (int k = 0; k < 4; k++) {
        int best = k;
        for (int i = k + 1; i < 4; i++)
            best = fabs(m[i][k]) > fabs(m[best][k]) ? i : best;
        for (int c = 0; c < 5; c++) {
            double t = m[k][c];
            m[k][c] = m[best][c], m[best][c] = t;
        }
        for (int i = k + 1; i < 4; i++)
            for (int c = 4; c >= k; c--)
                m[i][c] -= m[i][k] / m[k][k] * m[k][c];
    }
    for (int k = 3; k >= 0; k--) {
        x[k] = m[k][4];
        for (int c = k + 1; c < 4; c++)
            x[k] -= m[k][c] * x[c];
        x[k] /= m[k][k];
    }
}

/* Integral of (w0 + w1 s) s^power. */
static double moment(const ct_beam_mode *rigid, int power)
{
    return rigid->weight[0] / (power + 1) + rigid->weight[1] / (power + 2);
}

/* The polynomial whose end values are those given, under the load that keeps a free body from
 * accelerating, without rigid motion: w'''' = load. */
static void find_polynomial(const ct_beam *beam, const double *value, double *poly)
{
    double load[2] = {0, 0}, row[BEAM_ENDS + 2][5];
    for (uint32_t r = 0; r < beam->rigid; r++)
        for (int i = 0; i < BEAM_ENDS; i++)
            for (int k = 0; k < 2 && !beam->held[i]; k++)
                load[k] -= beam->mode[r].weight[k] * value[i] *
                           ct_beam_mode_at(&beam->mode[r], i % 2, i / 2);
    poly[4] = load[0] / 24, poly[5] = load[1] / 120;
    int rows = 0;
    for (; rows < BEAM_ENDS; rows++) {
        row[rows][4] = value[rows];
        for (int k = 4; k <= 5; k++)
            row[rows][4] -= poly[k] * end_value(beam->held, rows, k);
        for (int k = 0; k < 4; k++)
            row[rows][k] = end_value(beam->held, rows, k);
    }
    for (uint32_t r = 0; r < beam->rigid; r++, rows++) {
        row[rows][4] = -poly[4] * moment(&beam->mode[r], 4) - poly[5] * moment(&beam->mode[r], 5);
        for (int k = 0; k < 4; k++)
            row[rows][k] = moment(&beam->mode[r], k);
    }
    solve_normal(row, rows, poly);
}

static void find_statics(ct_beam *beam)
{
    for (int i = 0; i < BEAM_ENDS; i++) {
        double value[BEAM_ENDS] = {0}, poly[BEAM_DEGREE + 1];
        value[i] = 1;
        find_polynomial(beam, value, poly);
        memcpy(beam->shape[i], poly, sizeof poly);
    }
    for (uint32_t i = 0; i < BEAM_ENDS; i++)
        for (int k = 0; k < BEAM_ENDS; k++) /* shape[i] of a free coordinate: unit force there */
            beam->compliance[i][k] = ct_beam_shape_at(beam, i, k % 2, k / 2);
}

/* With phi'''' = b^4 phi, parts integrated; a static shape has no fourth derivative. */
double ct_beam_share(const ct_beam *beam, uint32_t end, uint32_t k)
{
    const ct_beam_mode *m = &beam->mode[k];
    if (beam->ritz)
        return beam->share[end][k];
    if (m->b == 0)
        return ct_beam_product(beam, end, BEAM_ENDS + k, 0);
    double sum = 0;
    for (int side = 0; side < 2; side++)
        for (int d = 0; d < 4; d++)
            sum += (side ? 1 : -1) * (d % 2 ? -1 : 1) * ct_beam_shape_at(beam, end, d, side) *
                   ct_beam_mode_at(m, 3 - d, side);
    return sum / pow(m->b, 4);
}

double ct_beam_mass(const ct_beam *beam, uint32_t i, uint32_t j)
{
    return beam->ritz ? beam->mass[i][j] : ct_beam_product(beam, i, j, 0);
}

double ct_beam_stiffness(const ct_beam *beam, uint32_t i, uint32_t j)
{
    return beam->ritz ? beam->stiffness[i][j] : ct_beam_product(beam, i, j, 2);
}

/* By points: of polynomials exact. */
static double mean_of(const ct_beam *beam, uint32_t i)
{
    uint32_t panels = 2 * panels_of(beam, i);
    double sum = 0;
    for (uint32_t k = 0; k < CT_GAUSS * panels; k++) {
        double weight, s = (k / CT_GAUSS + ct_gauss_at(k % CT_GAUSS, &weight)) / panels;
        sum += weight / panels * any_shape(beam, i, 0, s);
    }
    return sum;
}

double ct_beam_mean(const ct_beam *beam, uint32_t i)
{
    double sum = 0;
    if (beam->ritz)
        return mean_of(beam, i);
    if (i >= BEAM_ENDS && beam->mode[i - BEAM_ENDS].b > 0) {
        const ct_beam_mode *m = &beam->mode[i - BEAM_ENDS];
        return (ct_beam_mode_at(m, 3, 1) - ct_beam_mode_at(m, 3, 0)) / pow(m->b, 4);
    }
    if (i >= BEAM_ENDS)
        return moment(&beam->mode[i - BEAM_ENDS], 0);
    for (int k = 0; k <= BEAM_DEGREE; k++)
        sum += beam->shape[i][k] / (k + 1);
    return sum;
}

void ct_beam_solve(ct_arena *arena, const bool *held, uint32_t modes, ct_beam *out)
{
    ct_beam_mode *mode = CT_NEW_ARRAY(arena, ct_beam_mode, modes + 2);
    *out = (ct_beam){.mode = mode};
    memcpy(out->held, held, sizeof out->held);
    out->rigid = out->count = find_rigid(held, mode);
    find_modes(held, out, mode, modes + out->rigid);
    find_statics(out);
}
