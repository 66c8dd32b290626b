/* impact.c - impacts at once: complementarity between impulses and speeds. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "choice/impulse.h"

/* a: room for the matrix. */
static void ct_solve_active(const double *w, const double *q, const bool *active, uint32_t n,
                            double *a, double *b)
{
    const double spare_pivot = 1e-12; /* of its diagonal entry: the contact follows from others */
    for (uint32_t i = 0; i < n; i++) {
        b[i] = active[i] ? -q[i] : 0;
        for (uint32_t j = 0; j < n; j++)
            a[i * n + j] = active[i] && active[j] ? w[i * n + j] : i == j;
    }
    for (uint32_t c = 0; c < n; c++) {
        if (a[c * n + c] <= spare_pivot * w[c * n + c])
            a[c * n + c] = INFINITY;
        for (uint32_t r = c + 1; r < n; r++) {
            double factor = a[r * n + c] / a[c * n + c];
            for (uint32_t j = c; j < n && factor != 0; j++)
                a[r * n + j] -= factor * a[c * n + j];
            b[r] -= factor * b[c];
        }
    }
    for (uint32_t c = n; c-- > 0;) {
        for (uint32_t j = c + 1; j < n; j++)
            b[c] -= a[c * n + j] * b[j];
        b[c] /= a[c * n + c];
    }
}

/* The first whose impulse pulls, or that still approaches; n: none. */
static uint32_t ct_wrong_contact(const double *w, const double *q, const bool *active, uint32_t n,
                                 const double *b, double least)
{
    for (uint32_t i = 0; i < n; i++) {
        double speed = q[i];
        for (uint32_t j = 0; j < n; j++)
            speed += active[j] ? w[i * n + j] * b[j] : 0;
        if (active[i] ? b[i] < 0 : speed < -least)
            return i;
    }
    return n;
}

/* The first that is wrong changes: that ends, because W is positive definite (Murty). */
static bool ct_find_impacts(const double *w, const double *q, uint32_t n, double *impulse,
                            double *room, bool *active)
{
    enum { MOST_CHANGES = 100000 };
    const double rounded = 1e-13; /* of the fastest approach: no approach */
    double *b = room, *a = room + n, largest = 0;
    memset(active, 0, n * sizeof *active);
    for (uint32_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(q[i]));
    for (int change = 0; change < MOST_CHANGES; change++) {
        ct_solve_active(w, q, active, n, a, b);
        uint32_t wrong = ct_wrong_contact(w, q, active, n, b, rounded * largest);
        for (uint32_t i = 0; i < n && wrong == n; i++)
            impulse[i] = active[i] ? b[i] : 0;
        if (wrong == n)
            return true;
        active[wrong] = !active[wrong];
    }
    return false;
}

CT_CHOICE bool ct_impact_impulses(bool poisson, const double *w, const double *u, const double *e,
                                  uint32_t n, double *impulse, double *room, bool *active)
{
    double *first = room, *q = room + n, *own = room + 2 * n;
    for (uint32_t i = 0; i < n; i++)
        q[i] = u[i] * (poisson ? 1 : 1 + e[i]);
    if (!poisson)
        return ct_find_impacts(w, q, n, impulse, own, active);
    if (!ct_find_impacts(w, q, n, first, own, active))
        return false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            q[i] += w[i * n + j] * first[j] * (1 + e[j]);
    if (!ct_find_impacts(w, q, n, impulse, own, active))
        return false;
    for (uint32_t i = 0; i < n; i++)
        impulse[i] += first[i] * (1 + e[i]);
    return true;
}
