/* lti_merit.h - numbers by which loops and answers to steps are judged. */
#ifndef CT_STUDY_LTI_MERIT_H
#define CT_STUDY_LTI_MERIT_H

#include "study/lti.h"

/* ---- loops --------------------------------------------------------------------------------- */

typedef struct ct_margin {
    double omega;  /* rad/s */
    double margin; /* dB where the phase is -180 degrees, degrees where the gain is 1 */
} ct_margin;

/* G(s) as the open loop of a negative feedback of one. All crossings, by rising frequency. */
typedef struct ct_margins {
    const ct_margin *gain, *phase; /* gain margins, phase margins */
    uint32_t gain_count, phase_count;
    double delay;     /* the smallest time that makes the loop unstable, s; INFINITY: none */
    double bandwidth; /* rad/s: first |G| = |G(0)|/sqrt 2; NaN: G(0) is 0 or infinite, or none */
    bool known;       /* whether the loop can be closed, so that the next is known */
    bool stable;      /* the closed loop */
    bool apart;       /* but a mode of the system that it does not reach does not die out */
    bool vague;       /* not known: dead times turn further than the matrices can follow */
    bool mixed; /* not stable, but of so many states that what it does not reach counts, too */
} ct_margins;

ct_margins ct_lti_margins(ct_arena *arena, const ct_lti *lti, uint32_t i, uint32_t j);

/* The one nearest to the edge: with the smallest size. NULL: there is none. */
const ct_margin *ct_smallest_crossing(const ct_margin *crossing, uint32_t count);

/* Frequencies from `from` to `to` that show a curve: even on the logarithmic axis, and closer where
 * a hardly damped pair is. Rising. */
const double *ct_transfer_samples(ct_arena *arena, const ct_transfer *transfer, double from,
                                  double to, uint32_t even, uint32_t *count);

/* ---- steps --------------------------------------------------------------------------------- */

/* Of the answer to a unit step, from rest. NaN: not defined. */
typedef struct ct_step_merit {
    bool known;             /* not of more than CT_LTI_FACTORS states; all else then is not set */
    bool settles;           /* all poles of the transfer function die out */
    double final;           /* where it settles */
    double rise;            /* from a tenth to nine tenths of `final`, s */
    double settling;        /* after it all stays within 2 % of `final` (of the largest value
                               when that is zero), s */
    double overshoot;       /* beyond `final`, as a part of it; 0: none */
    double undershoot;      /* to the other side of zero, as a part of `final`; 0: none */
    double peak, peak_time; /* the largest value by size, and when; peak_time NaN: at the end */
} ct_step_merit;

/* Of a sampled system all times are those of ticks. */
ct_step_merit ct_lti_step_merit(ct_arena *arena, const ct_lti *lti, uint32_t i, uint32_t j);

#endif
