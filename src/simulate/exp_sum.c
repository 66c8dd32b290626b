/* exp_sum.c - sums of powers of time times exponentials, added and multiplied. */
#include "simulate/exp_sum.h"

#include <math.h>

bool ct_exp_add(ct_exp_sum *q, ct_exp_term t)
{
    if (t.w < 0) {
        t.w = -t.w;
        t.amp = conj(t.amp);
    }
    if (t.amp == 0)
        return true;
    for (uint32_t i = 0; i < q->count; i++)
        if (q->at[i].a == t.a && q->at[i].w == t.w && q->at[i].power == t.power) {
            q->at[i].amp += t.amp;
            return true;
        }
    if (q->count == CT_MOST_EXP_TERMS || t.power > CT_MOST_EXP_POWER)
        return false;
    q->at[q->count++] = t;
    return true;
}

bool ct_exp_add_scaled(ct_exp_sum *q, const ct_exp_sum *more, double factor)
{
    bool good = true;
    for (uint32_t i = 0; i < more->count; i++) {
        ct_exp_term t = more->at[i];
        t.amp *= factor;
        good = good && ct_exp_add(q, t);
    }
    return good;
}

/* Re x Re y = (Re xy + Re x conj(y))/2 */
static bool add_product(ct_exp_sum *q, const ct_exp_term *x, const ct_exp_term *y)
{
    ct_exp_term both = {x->a + y->a, x->w + y->w, x->power + y->power, x->amp * y->amp / 2};
    ct_exp_term against = {x->a + y->a, x->w - y->w, x->power + y->power,
                           x->amp * conj(y->amp) / 2};
    if (against.w == 0)
        against.amp = creal(against.amp);
    if (both.w == 0)
        both.amp = creal(both.amp);
    return ct_exp_add(q, both) && ct_exp_add(q, against);
}

bool ct_exp_product(const ct_exp_sum *x, const ct_exp_sum *y, ct_exp_sum *out)
{
    bool good = true;
    out->count = 0;
    for (uint32_t i = 0; i < x->count; i++)
        for (uint32_t k = 0; k < y->count; k++)
            good = good && add_product(out, &x->at[i], &y->at[k]);
    return good;
}

void ct_exp_set(ct_exp_sum *q, double value)
{
    q->count = 0;
    ct_exp_add(q, (ct_exp_term){0, 0, 0, value});
}

static bool is_steady(const ct_exp_term *t)
{
    return t->a == 0 && t->w == 0;
}

bool ct_exp_is_number(const ct_exp_sum *q, double *value)
{
    *value = 0;
    for (uint32_t i = 0; i < q->count; i++) {
        if (!is_steady(&q->at[i]) || q->at[i].power)
            return false;
        *value += creal(q->at[i].amp);
    }
    return true;
}

bool ct_exp_is_line(const ct_exp_sum *q, double *value, double *slope)
{
    *value = *slope = 0;
    for (uint32_t i = 0; i < q->count; i++) {
        const ct_exp_term *t = &q->at[i];
        if (!is_steady(t) || t->power > 1)
            return false;
        *(t->power ? slope : value) += creal(t->amp);
    }
    return true;
}

double ct_exp_at(const ct_exp_sum *q, double tau)
{
    double value = 0;
    for (uint32_t i = 0; i < q->count; i++) {
        const ct_exp_term *t = &q->at[i];
        double complex wave = t->amp * (cos(t->w * tau) + I * sin(t->w * tau));
        value += creal(wave) * exp(t->a * tau) * pow(tau, t->power);
    }
    return value;
}
