/* sampled_make.h - private to the discrete-time model: what sampled.c lists, sampled_pass.c uses.
 */
#ifndef CT_STUDY_SAMPLED_MAKE_H
#define CT_STUDY_SAMPLED_MAKE_H

#include "study/sampled.h"
#include "study/ticks.h"

typedef struct ct_flow { /* over a time: x becomes P x + Q (d, u) */
    double time, *map;
} ct_flow;

typedef struct ct_sampler {
    const ct_statespace *plant;
    const ct_model *model; /* with its events */
    ct_context *ctx;
    ct_arena *arena;
    const ct_point *point;
    uint32_t n, m, e;        /* continuous states, inputs, discretes */
    uint32_t p;              /* outputs of the model */
    const uint32_t *input;   /* columns of the plant: inputs, */
    const uint32_t *held;    /* discretes, */
    const uint32_t *before;  /* their values before the instant */
    const ct_name *discrete; /* their names */
    bool *dead;              /* discretes whose changes do not count */
    ct_ticks ticks;
    const uint32_t *act,
        *first;           /* per clock: its happening; its first row of the plant's outputs */
    uint32_t width;       /* columns: n + e + m + m */
    double *now;          /* rows x, d */
    double *old, *last;   /* rows d before an instant, and before a block */
    double *value, *next; /* of what a block assigns; x later */
    double *shown;        /* rows y */
    CT_VEC(ct_flow) flow;
} ct_sampler;

/* Row and column of a matrix with so many columns; NULL is zero. */
static inline double ct_sampled_at(const double *matrix, uint32_t cols, uint32_t row, uint32_t col)
{
    return matrix ? matrix[(size_t)row * cols + col] : 0;
}

static inline double *ct_sampled_row(double *rows, const ct_sampler *s, uint32_t i)
{
    return rows + (size_t)i * s->width;
}

/* Where in a row what input i does stands. */
static inline uint32_t ct_sampled_input(const ct_sampler *s, uint32_t i)
{
    return s->n + s->e + s->m + i;
}

/* The discrete of this symbol; e: none. */
uint32_t ct_sampled_discrete(const ct_sampler *s, ct_expr target);

/* Fills `now` (rows x and d after one period) and `shown` (sampled_pass.c). */
void ct_sampled_pass(ct_sampler *s);

#endif
