/* esdirk_table.c - coefficients of the method, and of what rows between its stages need. */
#include "solve/esdirk_table.h"

#include <math.h>
#include <string.h>

/* -O2 of gcc leaves loops of unknown length scalar. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { STAGES = CT_ESDIRK_STAGES, LAST = STAGES - 1 };

const double ct_esdirk_node[STAGES] = {0, 0.5, 0.332, 0.62, 0.85, 1};
const double ct_esdirk_table[STAGES][STAGES] = {
    {0},
    {0.25, 0.25},
    {8611.0 / 62500, -1743.0 / 31250, 0.25},
    {5012029.0 / 34652500, -654441.0 / 2922500, 174375.0 / 388108, 0.25},
    {15267082809.0 / 155376265600, -71443401.0 / 120774400, 730878875.0 / 902184768,
     2285395.0 / 8070912, 0.25},
    {82889.0 / 524892, 0, 15625.0 / 83664, 69875.0 / 102672, -2260.0 / 8211, 0.25},
};
const double ct_esdirk_embedded[STAGES] = {4586570599.0 / 29645900160, 0,
                                           178811875.0 / 945068544,    814220225.0 / 1159782912,
                                           -3700637.0 / 11593932,      61727.0 / 225920};

const double ct_esdirk_inner[2] = {0.17, 0.93};

/* The inverse of a, rows with their right sides behind them; both are `size` long. */
static void invert(int size, double a[STAGES][2 * STAGES])
{
    for (int k = 0; k < size; k++) {
        int pivot = k;
        for (int i = k + 1; i < size; i++)
            pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
        for (int j = 0; j < 2 * size; j++) {
            double swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        for (int j = 2 * size - 1; j >= k; j--)
            a[k][j] /= a[k][k];
        for (int i = 0; i < size; i++)
            for (int j = 2 * size - 1; j >= k && i != k; j--)
                a[i][j] -= a[i][k] * a[k][j];
    }
}

/* Sum of a[i][j] c_j^2: what stage i makes of c^3/3. */
static double nested(int i)
{
    double sum = 0;
    for (int j = 0; j < STAGES; j++)
        sum += ct_esdirk_table[i][j] * ct_esdirk_node[j] * ct_esdirk_node[j];
    return sum;
}

/* Of stage i, in third derivatives: what makes it less accurate than the step. */
static double lack(int i)
{
    return i == LAST ? 0 : nested(i) - pow(ct_esdirk_node[i], 3) / 3;
}

/* A polynomial of the lowest degree and the lack, through all stages before. A polynomial alone
 * would take errors of stages for motion: its factors are four times as large. */
static void open_guess(int stage, double *by)
{
    double a[STAGES][2 * STAGES] = {{0}}, goal[STAGES];
    for (int k = 0; k <= stage; k++)
        for (int p = 0; p < stage; p++) {
            double term = p == stage - 1 ? lack(k) : p ? pow(ct_esdirk_node[k], p) : 1;
            *(k == stage ? &goal[p] : &a[p][k]) = term;
            a[p][stage + p] = 1;
        }
    invert(stage, a);
    for (int k = 0; k < stage; k++) {
        by[k] = 0;
        for (int p = 0; p < stage; p++)
            by[k] += a[k][stage + p] * goal[p];
    }
}

/* Rates of all stages but 1 that give x^p, and what is nested, right. */
static void open_between(ct_esdirk_dense *r)
{
    double a[STAGES][2 * STAGES] = {{0}};
    for (int k = 0; k < LAST; k++) {
        int i = k ? k + 1 : 0;
        for (int p = 0; p < 4; p++)
            a[p][k] = p ? pow(ct_esdirk_node[i], p) : 1;
        a[4][k] = nested(i);
        a[k][LAST + k] = 1;
    }
    invert(LAST, a);
    for (int k = 0; k < LAST; k++)
        memcpy(r->rate[k], a[k] + LAST, sizeof r->rate[k]);
}

void ct_esdirk_between(const ct_esdirk_dense *r, double x, double *of_q, double *of_rate)
{
    const double x2 = x * x, x3 = x2 * x, x4 = x2 * x2;
    const double q[LAST] = {x, x2 / 2, x3 / 3, x4 / 4, x4 / 12},
                 rate[LAST] = {1, x, x2, x3, x3 / 3};
    of_q[1] = of_rate[1] = 0;
    for (int k = 0; k < LAST; k++) {
        int i = k ? k + 1 : 0;
        of_q[i] = of_rate[i] = 0;
        for (int p = 0; p < LAST; p++) {
            of_q[i] += r->rate[k][p] * q[p];
            of_rate[i] += r->rate[k][p] * rate[p];
        }
    }
}

/* Stages are accurate to order 2, with errors that are proportional to what c_i^3/3 lacks; the
 * polynomial of degree 4 and the size of these follow from all six values. */
void ct_esdirk_open(ct_esdirk_dense *r)
{
    double a[STAGES][2 * STAGES] = {{0}};
    for (int i = 0; i < STAGES; i++) {
        for (int p = 0; p < LAST; p++)
            a[i][p] = p ? pow(ct_esdirk_node[i], p) : 1;
        a[i][LAST] = lack(i);
        a[i][STAGES + i] = 1;
    }
    invert(STAGES, a);
    for (int p = 0; p < LAST; p++)
        memcpy(r->power[p], a[p] + STAGES, sizeof r->power[p]);
    open_between(r);
    for (int i = CT_ESDIRK_GUESSED; i < STAGES; i++)
        open_guess(i, r->guess[i - CT_ESDIRK_GUESSED]);
}

void ct_esdirk_factors(const ct_esdirk_dense *r, double x, double *by)
{
    double power = 1;
    memset(by, 0, STAGES * sizeof *by);
    for (int p = 0; p < LAST; p++, power *= x)
        for (int i = 0; i < STAGES; i++)
            by[i] += power * r->power[p][i];
}
