/* exp_sum.h - sums of terms amplitude * tau^k * exp(rate*tau), rates complex. */
#ifndef CT_SIMULATE_EXP_SUM_H
#define CT_SIMULATE_EXP_SUM_H

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

enum { CT_MOST_EXP_TERMS = 24, CT_MOST_EXP_POWER = 6 };

typedef struct ct_exp_term {
    double a, w;        /* rate a + i w, w >= 0 */
    uint32_t power;     /* of tau */
    double complex amp; /* the real part counts; real where w = 0 */
} ct_exp_term;

typedef struct ct_exp_sum {
    uint32_t count;
    ct_exp_term at[CT_MOST_EXP_TERMS];
} ct_exp_sum;

/* False: there is no room. */
bool ct_exp_add(ct_exp_sum *q, ct_exp_term t);
bool ct_exp_add_scaled(ct_exp_sum *q, const ct_exp_sum *more, double factor);
bool ct_exp_product(const ct_exp_sum *x, const ct_exp_sum *y, ct_exp_sum *out);
void ct_exp_set(ct_exp_sum *q, double value);
bool ct_exp_is_number(const ct_exp_sum *q, double *value);              /* all the time */
bool ct_exp_is_line(const ct_exp_sum *q, double *value, double *slope); /* value + slope*tau */
double ct_exp_at(const ct_exp_sum *q, double tau);

#endif
