/* eigen.c - eigenvalues of two symmetric matrices, and of any one, by LAPACK; room is taken before.
 */
#include "solve/eigen.h"

#include <math.h>
#include <string.h>

#include <lapacke.h>

static void turn_round(uint32_t n, double *a, double *mu)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        uint32_t k = n - 1 - i;
        double value = mu[i];
        mu[i] = mu[k], mu[k] = value;
        for (uint32_t r = 0; r < n; r++) {
            double *x = &a[(size_t)i * n + r], *y = &a[(size_t)k * n + r], t = *x;
            *x = *y, *y = t;
        }
    }
}

bool ct_eigen_pairs(ct_arena *arena, uint32_t n, double *a, double *b, double *mu)
{
    lapack_int size = (lapack_int)n, room = size * 40 + 1;
    if (n == 0)
        return true;
    double *work = CT_NEW_ARRAY(arena, double, (size_t)room);
    if (LAPACKE_dsygv_work(LAPACK_COL_MAJOR, 1, 'V', 'L', size, a, size, b, size, mu, work, room))
        return false;
    turn_round(n, a, mu);
    return true;
}

double ct_eigen_growth(ct_arena *arena, uint32_t n, double *a, double *vector, double *largest)
{
    lapack_int size = (lapack_int)n, room = size * 40 + 1, low, high, unused = 0;
    double *re = CT_NEW_ARRAY(arena, double, 3 * (size_t)n + 1), *im = re + n, growth = -INFINITY;
    double *work = CT_NEW_ARRAY(arena, double, (size_t)room), norm, none = 0;
    double *all = CT_NEW_ARRAY(arena, double, (size_t)n *n + 1);
    *largest = 0;
    if (n == 0 || LAPACKE_dgeevx_work(LAPACK_COL_MAJOR, 'B', 'N', 'V', 'N', size, a, size, re, im,
                                      &none, 1, all, size, &low, &high, re + 2 * (size_t)n, &norm,
                                      &none, &none, work, room, &unused))
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        *largest = fmax(*largest, hypot(re[i], im[i]));
        if (re[i] > growth) {
            growth = re[i];
            memcpy(vector, all + (size_t)i * n, n * sizeof *vector);
        }
    }
    return growth;
}
