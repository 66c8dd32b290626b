/* beam_wave.h - waves of a uniform beam at one frequency, in numbers: what is exact, without modes
 * or cells.
 *
 * With rates of deflection v and turn w, shear force F and moment T over x, and s for d/dt,
 *
 *     -F' = m v,  -T' = k (F + N/s w) + j w,  v' = k (w - h F),  w' = -f T,    k = 1/(1 + h N/s)
 *
 * m = c s + g, j = rotary s, h = shear s/(1 + tau s), f = l s/(1 + tau s), N the tension. So (v,
 * T)'' is a matrix of two by two times (v, T), whose roots are squares of two wave numbers.
 *
 * A chain of links (field_links.c) has v and T at nodes, w and F at links half a step beside them,
 * and differences for derivatives: the same waves, with 2/H sinh(p H/2) for the wave number p.
 */
#ifndef CT_MODEL_BEAM_WAVE_H
#define CT_MODEL_BEAM_WAVE_H

#include <complex.h>

#include "model/beam_shapes.h"

typedef struct ct_beam_wave {
    double c, g, l, tau, shear, rotary, tension, length;
} ct_beam_wave;

/* Deflections and turns (rates) at begin and end, and what flows in there, of four waves: two are
 * the same from both ends, two are opposite. None of them grows with the length. */
typedef struct ct_beam_ends {
    double complex across[BEAM_ENDS][BEAM_ENDS], through[BEAM_ENDS][BEAM_ENDS]; /* by wave */
} ct_beam_ends;

ct_beam_ends ct_beam_wave_at(const ct_beam_wave *beam, double complex s);
/* The same of a chain of at least three cells; `held` of the four end coordinates. */
ct_beam_ends ct_beam_links_at(const ct_beam_wave *beam, double complex s, const bool *held,
                              uint32_t cells);

#endif
