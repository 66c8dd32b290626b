/* svd.c - singular values by one-sided Jacobi rotations: slow for large matrices, and accurate. */
#include "solve/least.h"

#include <math.h>

enum { MOST_SWEEPS = 60 };

static double dot(const double *x, const double *y, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void rotate(double *x, double *y, uint32_t n, double c, double s)
{
    for (uint32_t i = 0; i < n; i++) {
        double keep = x[i];
        x[i] = c * keep - s * y[i];
        y[i] = s * keep + c * y[i];
    }
}

/* Makes columns i and j orthogonal; false: they were already. */
static bool make_orthogonal(double *a, double *v, uint32_t p, uint32_t q, uint32_t i, uint32_t j)
{
    const double orthogonal = 1e-15;
    double *x = a + i * p, *y = a + j * p;
    double xx = dot(x, x, p), yy = dot(y, y, p), xy = dot(x, y, p);
    if (fabs(xy) <= orthogonal * sqrt(xx * yy) || xy == 0)
        return false;
    double zeta = (yy - xx) / (2 * xy);
    double tangent = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + tangent * tangent);
    rotate(x, y, p, c, c * tangent);
    rotate(v + i * q, v + j * q, q, c, c * tangent);
    return true;
}

void ct_orthogonalize(double *a, double *v, uint32_t p, uint32_t q)
{
    for (uint32_t k = 0; k < q * q; k++)
        v[k] = k % (q + 1) == 0;
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        bool turned = false;
        for (uint32_t i = 0; i + 1 < q; i++)
            for (uint32_t j = i + 1; j < q; j++)
                turned |= make_orthogonal(a, v, p, q, i, j);
        if (!turned)
            return;
    }
}
