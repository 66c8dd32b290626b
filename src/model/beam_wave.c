/* beam_wave.c - waves of a uniform beam at one frequency; see beam_wave.h. */
#include "model/beam_wave.h"

#include <math.h>

/* The two wave numbers, squared: the larger one first, so that the other keeps its digits. */
static void squares(double complex sum, double complex product, double complex *out)
{
    double complex root = csqrt(sum * sum / 4 - product);
    double complex up = sum / 2 + root, down = sum / 2 - root;
    out[0] = cabs(up) > cabs(down) ? up : down;
    out[1] = product / out[0];
}

/* cosh and sinh of half, divided by exp(half). */
static void hyperbolic(double complex half, double complex *ch, double complex *sh)
{
    const double far = 300;
    double complex shrunk = cexp(-half);
    bool is_long = creal(half) > far;
    *ch = is_long ? 0.5 : ccosh(half) * shrunk;
    *sh = is_long ? 0.5 : csinh(half) * shrunk;
}

ct_beam_ends ct_beam_wave_at(const ct_beam_wave *b, double complex s)
{
    double complex late = 1 + b->tau * s, m = b->c * s + b->g, h = b->shear * s / late;
    double complex f = b->l * s / late, pull = b->tension / s, k = 1 / (1 + h * pull);
    double complex turn = f * (k * pull + b->rotary * s), square[2];
    ct_beam_ends out;
    squares(k * h * m + turn, k * m * (h * turn + k * f), square);
    for (int wave = 0; wave < 2; wave++) {
        double complex p = csqrt(square[wave]), ch, sh, force = -m / p;
        double complex slope = p / k + h * force, moment = -slope * p / f;
        hyperbolic(p * b->length / 2, &ch, &sh);
        for (int end = 0; end < 2; end++) {
            double side = end ? 1 : -1; /* what flows in at the end is what flows back there */
            double complex *v = out.across[2 * end], *w = out.across[2 * end + 1];
            double complex *F = out.through[2 * end], *T = out.through[2 * end + 1];
            v[wave] = ch, w[wave] = side * slope * sh;
            F[wave] = -force * sh, T[wave] = -side * moment * ch;
            v[2 + wave] = side * sh, w[2 + wave] = slope * ch;
            F[2 + wave] = -side * force * ch, T[2 + wave] = -moment * sh;
        }
    }
    return out;
}
