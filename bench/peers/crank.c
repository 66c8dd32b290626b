/* crank.c - the slider-crank with an elastic rod as written by hand, the usual way: crank TOL
 * [adams]
 *
 * The equations of the IVP Test Set (Simeon) in seven coordinates, angles of crank and rod, place
 * of the slider, two sines across the rod, displacements of its middle and end along it; each
 * evaluation solves
 *
 *     [M  G^T] [x'']   [f      ]
 *     [G   0 ] [l  ] = [-g_xx v v]
 *
 * by LU with row pivots (10 x 10, written out for this size), and CVODES integrates to 0.1 s: BDF
 * with a dense Jacobian by differences, or Adams. Prints: processor seconds of the fastest of some
 * runs, of one evaluation, number of evaluations, the seven coordinates at the end. */
enum { PLACES = 7, TIES = 3, SIZE = PLACES + TIES, SHAPES = 4 };

#include "by_hand.h"

static const double m3 = 0.075552, l1 = 0.15, l2 = 0.3, j1 = 0.002727, j2 = 0.0045339259,
                    modulus = 2e11, side = 0.008, rho = 7870, pi = 3.14159265358979324, stop = 0.1;

static double mass[SHAPES][SHAPES], stiffness[SHAPES][SHAPES],
    across[SHAPES][SHAPES]; /* f_i x f_k */
static double along_x[SHAPES], along_y[SHAPES], first_x[SHAPES], first_y[SHAPES], whole;

/* The constants of the rod; its inertia along the axis as published. */
static void set_rod(void)
{
    double area = side * side, k = modulus * area / l2, slender = (side / l2) * (side / l2);
    double p3 = pi * pi * pi;
    whole = rho * area * l2;
    mass[0][0] = mass[1][1] = whole / 2;
    mass[2][2] = 8 * whole;
    mass[2][3] = mass[3][2] = whole;
    mass[3][3] = 2 * whole;
    stiffness[0][0] = k * p3 * pi / 24 * slender;
    stiffness[1][1] = k * p3 * pi * 2 / 3 * slender;
    stiffness[2][2] = k * 16 / 3;
    stiffness[2][3] = stiffness[3][2] = -k * 8 / 3;
    stiffness[3][3] = k * 7 / 3;
    across[2][0] = whole * 16 / p3;
    across[3][0] = whole * (1 / pi - 8 / p3);
    across[3][1] = -whole / (2 * pi);
    for (int i = 2; i < SHAPES; i++)
        for (int j = 0; j < 2; j++)
            across[j][i] = -across[i][j];
    along_x[2] = whole * 2 / 3;
    along_x[3] = whole / 6;
    along_y[0] = whole * 2 / pi;
    first_x[2] = whole * l2 / 3;
    first_x[3] = whole * l2 / 6;
    first_y[0] = whole * l2 / pi;
    first_y[1] = -whole * l2 / (2 * pi);
}

/* x = (phi1, phi2, x3, q1, q2, q3, q4); y = (x, v) */
static void slopes(const double *y, double *rate)
{
    const double *x = y, *v = y + PLACES, *q = x + 3, *u = v + 3;
    double c1 = cos(x[0]), s1 = sin(x[0]), c2 = cos(x[1]), s2 = sin(x[1]), c12 = cos(x[0] - x[1]),
           s12 = sin(x[0] - x[1]);
    double a[SIZE][SIZE] = {{0}}, b[SIZE], mq[SHAPES], mu[SHAPES], gyro[SHAPES];
    double hx = whole * l2 / 2, hy = 0, hxu = 0, hyu = 0, turn = j2, turning = 0;
    for (int i = 0; i < SHAPES; i++) {
        mq[i] = mu[i] = gyro[i] = 0;
        for (int j = 0; j < SHAPES; j++) {
            mq[i] += mass[i][j] * q[j];
            mu[i] += mass[i][j] * u[j];
            gyro[i] += across[i][j] * u[j];
            a[3 + i][3 + j] = mass[i][j];
        }
        hx += along_x[i] * q[i];
        hy += along_y[i] * q[i];
        hxu += along_x[i] * u[i];
        hyu += along_y[i] * u[i];
        turn += 2 * first_x[i] * q[i] + q[i] * mq[i];
        turning += 2 * (first_x[i] + mq[i]) * u[i];
    }
    /* the rod's begin moves on the crank: its speed is l1 w1 along (sin(phi2 - phi1), cos(..)) of
     * the rod */
    a[0][0] = j1 + whole * l1 * l1;
    a[1][0] = a[0][1] = l1 * (hx * c12 + hy * s12);
    a[1][1] = turn;
    a[2][2] = m3;
    for (int i = 0; i < SHAPES; i++) {
        double d = first_y[i];
        for (int j = 0; j < SHAPES; j++)
            d += q[j] * across[j][i];
        a[3 + i][1] = a[1][3 + i] = d;
        a[3 + i][0] = a[0][3 + i] = l1 * (along_y[i] * c12 - along_x[i] * s12);
    }
    double w1 = v[0], w2 = v[1], pin = l1 * w1 * w1;
    double fx = w2 * w2 * hx + 2 * w2 * hyu,
           fy = w2 * w2 * hy - 2 * w2 * hxu; /* along and across the rod */
    b[0] = l1 * (fy * c12 - fx * s12);
    b[1] = pin * (hx * s12 - hy * c12) - w2 * turning;
    b[2] = 0;
    for (int i = 0; i < SHAPES; i++) {
        b[3 + i] = pin * (along_x[i] * c12 + along_y[i] * s12) + w2 * w2 * (first_x[i] + mq[i]) +
                   2 * w2 * gyro[i];
        for (int j = 0; j < SHAPES; j++)
            b[3 + i] -= stiffness[i][j] * q[j];
    }
    double l = l2 + q[3]; /* ties: height of the end, place of the slider, the drive */
    a[7][0] = l1 * c1;
    a[7][1] = l * c2;
    a[7][6] = s2;
    a[8][0] = l1 * s1;
    a[8][1] = l * s2;
    a[8][2] = 1;
    a[8][6] = -c2;
    a[9][0] = 1;
    b[7] = l1 * s1 * w1 * w1 + l * s2 * w2 * w2 - 2 * c2 * w2 * u[3];
    b[8] = -l1 * c1 * w1 * w1 - l * c2 * w2 * w2 - 2 * s2 * w2 * u[3];
    b[9] = 0;
    for (int i = PLACES; i < SIZE; i++)
        for (int j = 0; j < PLACES; j++)
            a[j][i] = a[i][j];
    solve(a, b);
    for (int i = 0; i < PLACES; i++) {
        rate[i] = v[i];
        rate[PLACES + i] = b[i];
    }
}

static const double start[2 * PLACES] = {0,
                                         0,
                                         0.4500169330,
                                         0,
                                         0,
                                         1.03339863e-05,
                                         1.69327969e-05,
                                         150,
                                         -74.99576703969453,
                                         -2.68938672e-06,
                                         0.444896105,
                                         0.00463434311,
                                         -1.78591076e-06,
                                         -2.68938672e-06};

static double floor_of(int i)
{
    return i < 3 ? 1 : i < PLACES ? 1e-5 : i < PLACES + 3 ? 100 : 0.1;
}

enum { COORDINATES = PLACES };

#include "by_hand_run.h"

int main(int count, char **argument)
{
    set_rod();
    measure(count > 1 ? atof(argument[1]) : 1e-6, count > 2);
    return 0;
}
