/* turns.h - inside the mechanics folder: vectors and rotations in numbers, matrices by rows. */
#ifndef CT_MECHANICS_TURNS_H
#define CT_MECHANICS_TURNS_H

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

#endif
