/* turns.h - inside the mechanics folder: vectors and rotations in numbers, matrices by rows. */
#ifndef CT_MECHANICS_TURNS_H
#define CT_MECHANICS_TURNS_H

#include <math.h>
#include <stdbool.h>

static inline void times(const double a[9], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[3 * i] * v[0] + a[3 * i + 1] * v[1] + a[3 * i + 2] * v[2];
}

static inline void product(const double a[9], const double b[9], bool turned, double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            out[3 * i + k] = 0;
            for (int l = 0; l < 3; l++)
                out[3 * i + k] += a[3 * i + l] * (turned ? b[3 * k + l] : b[3 * l + k]);
        }
}

/* a^T b */
static inline void between(const double a[9], const double b[9], double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = a[i] * b[k] + a[3 + i] * b[3 + k] + a[6 + i] * b[6 + k];
}

static inline void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Q o (1, by/2), of length one */
static inline void ct_quaternion_turn(double *q, const double *by)
{
    double h[4] = {1, by[0] / 2, by[1] / 2, by[2] / 2}, p[4], norm = 0;
    p[0] = q[0] * h[0] - q[1] * h[1] - q[2] * h[2] - q[3] * h[3];
    p[1] = q[0] * h[1] + q[1] * h[0] + q[2] * h[3] - q[3] * h[2];
    p[2] = q[0] * h[2] - q[1] * h[3] + q[2] * h[0] + q[3] * h[1];
    p[3] = q[0] * h[3] + q[1] * h[2] - q[2] * h[1] + q[3] * h[0];
    for (int i = 0; i < 4; i++)
        norm += p[i] * p[i];
    for (int i = 0; i < 4; i++)
        q[i] = p[i] / sqrt(norm);
}

#endif
