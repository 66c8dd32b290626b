/* sampled_pass.c - from a plant between ticks, and what its clocks assign, to x[k+1] = A x[k] + B
 * u[k].
 *
 * All that is known during a period is linear in what there was at its beginning: the columns of a
 * matrix are x and d just before the first ticks, inputs of the period before, and inputs u. Its
 * rows are x and d now. A stretch between two ticks multiplies the rows of x by a matrix
 * exponential, a tick replaces rows by combinations of others.
 */
#include <math.h>
#include <string.h>

#include "study/sampled_make.h"

static const double same_time = 1e-13; /* of the period */

/* ---- rows */

static void add_row(const ct_sampler *s, double factor, const double *row, double *sum)
{
    for (uint32_t c = 0; factor != 0 && c < s->width; c++)
        sum[c] += factor * row[c];
}

/* A row of the plant's outputs now. */
static void output_row(ct_sampler *s, uint32_t row, double *sum)
{
    const ct_numbers *a = ct_statespace_numbers(s->plant);
    uint32_t cols = s->plant->m;
    memset(sum, 0, s->width * sizeof *sum);
    for (uint32_t i = 0; i < s->n; i++)
        add_row(s, ct_sampled_at(a->C, s->n, row, i), ct_sampled_row(s->now, s, i), sum);
    for (uint32_t i = 0; i < s->e; i++) {
        if (s->dead[i])
            continue;
        add_row(s, ct_sampled_at(a->D[0], cols, row, s->held[i]),
                ct_sampled_row(s->now, s, s->n + i), sum);
        add_row(s, ct_sampled_at(a->D[0], cols, row, s->before[i]), ct_sampled_row(s->old, s, i),
                sum);
    }
    for (uint32_t i = 0; i < s->m; i++)
        sum[ct_sampled_input(s, i)] += ct_sampled_at(a->D[0], cols, row, s->input[i]);
}

/* ---- between ticks */

/* exp of [A B_d B_u; 0 0 0] over a time, rows of x. */
static const double *flow_over(ct_sampler *s, double time)
{
    uint32_t size = s->n + s->e + s->m, cols = s->plant->m;
    const ct_numbers *a = ct_statespace_numbers(s->plant);
    for (uint32_t i = 0; i < s->flow.count; i++)
        if (fabs(s->flow.at[i].time - time) <= same_time * s->ticks.period)
            return s->flow.at[i].map;
    double *whole = CT_NEW_ARRAY(s->arena, double, (size_t)size *size + 1);
    double *map = CT_NEW_ARRAY(s->arena, double, (size_t)size *size + 1);
    for (uint32_t i = 0; i < s->n; i++) {
        double *row = whole + (size_t)i * size;
        for (uint32_t k = 0; k < s->n; k++)
            row[k] = ct_sampled_at(a->A, s->n, i, k);
        for (uint32_t k = 0; k < s->e; k++)
            row[s->n + k] = s->dead[k] ? 0 : ct_sampled_at(a->B[0], cols, i, s->held[k]);
        for (uint32_t k = 0; k < s->m; k++)
            row[s->n + s->e + k] = ct_sampled_at(a->B[0], cols, i, s->input[k]);
    }
    ct_matrix_exponential(s->arena, size, whole, time, false, map);
    CT_PUSH(s->arena, s->flow, ((ct_flow){time, map}));
    return map;
}

static void pass(ct_sampler *s, double time)
{
    uint32_t size = s->n + s->e + s->m;
    if (!(time > 0) || !s->n)
        return;
    const double *map = flow_over(s, time);
    memset(s->next, 0, (size_t)s->n * s->width * sizeof *s->next);
    for (uint32_t i = 0; i < s->n; i++) {
        double *sum = ct_sampled_row(s->next, s, i);
        for (uint32_t k = 0; k < s->n + s->e; k++)
            add_row(s, map[(size_t)i * size + k], ct_sampled_row(s->now, s, k), sum);
        for (uint32_t k = 0; k < s->m; k++)
            sum[ct_sampled_input(s, k)] += map[(size_t)i * size + s->n + s->e + k];
    }
    memcpy(s->now, s->next, (size_t)s->n * s->width * sizeof *s->next);
}

/* ---- at ticks */

static double rate_column(const ct_sampler *s, uint32_t row, uint32_t col)
{
    return s->plant->orders > 1
               ? ct_sampled_at(ct_statespace_numbers(s->plant)->B[1], s->plant->m, row, col)
               : 0;
}

/* What is tied to inputs jumps with them. */
static void jump_inputs(ct_sampler *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; k < s->m; k++) {
            double by = rate_column(s, i, s->input[k]);
            ct_sampled_row(s->now, s, i)[ct_sampled_input(s, k)] += by;
            ct_sampled_row(s->now, s, i)[s->n + s->e + k] -= by;
        }
}

/* What is tied to discretes follows what a block has set, before the next one. */
static void jump_discretes(ct_sampler *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; k < s->e; k++) {
            double by = s->dead[k] ? 0 : rate_column(s, i, s->held[k]);
            add_row(s, by, ct_sampled_row(s->now, s, s->n + k), ct_sampled_row(s->now, s, i));
            add_row(s, -by, ct_sampled_row(s->last, s, k), ct_sampled_row(s->now, s, i));
        }
}

/* A block assigns all at once. */
static void assign(ct_sampler *s, uint32_t clock)
{
    const ct_happening *h = &s->model->happening[s->act[clock]];
    uint32_t rows = 0;
    for (uint32_t k = 0; k < h->assigned_count; k++)
        if (h->assigned[k].target) {
            output_row(s, s->first[clock] + rows, ct_sampled_row(s->value, s, rows));
            rows++;
        }
    rows = 0;
    for (uint32_t k = 0; k < h->assigned_count; k++)
        if (h->assigned[k].target) {
            uint32_t d = ct_sampled_discrete(s, h->assigned[k].target);
            memcpy(ct_sampled_row(s->now, s, s->n + d), ct_sampled_row(s->value, s, rows++),
                   s->width * sizeof *s->now);
        }
}

/* All that tick now; their number. */
static uint32_t tick(ct_sampler *s, uint32_t first)
{
    const ct_tick *t = s->ticks.tick;
    const double *now = ct_sampled_row(s->now, s, s->n);
    size_t size = (size_t)s->e * s->width * sizeof *s->old;
    uint32_t count = 0;
    memcpy(s->old, now, size);
    for (; first + count < s->ticks.count && t[first + count].time == t[first].time; count++) {
        memcpy(s->last, now, size);
        assign(s, t[first + count].clock);
        jump_discretes(s);
    }
    return count;
}

static void take_memory(ct_sampler *s)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < s->model->happening_count; i++)
        if (s->model->happening[i].assigned_count > most)
            most = s->model->happening[i].assigned_count;
    s->width = s->n + s->e + 2 * s->m;
    s->now = CT_NEW_ARRAY(s->arena, double, (size_t)(s->n + s->e) * s->width + 1);
    s->old = CT_NEW_ARRAY(s->arena, double, (size_t)s->e * s->width + 1);
    s->last = CT_NEW_ARRAY(s->arena, double, (size_t)s->e * s->width + 1);
    s->next = CT_NEW_ARRAY(s->arena, double, (size_t)s->n * s->width + 1);
    s->value = CT_NEW_ARRAY(s->arena, double, (size_t)most * s->width + 1);
    s->shown = CT_NEW_ARRAY(s->arena, double, (size_t)(s->p + s->n + s->e) * s->width + 1);
    for (uint32_t i = 0; i < s->n + s->e; i++)
        ct_sampled_row(s->now, s, i)[i] = 1;
}

void ct_sampled_pass(ct_sampler *s)
{
    double time = 0;
    take_memory(s);
    jump_inputs(s);
    for (uint32_t i = 0; i < s->ticks.count;) {
        pass(s, s->ticks.tick[i].time - time);
        time = s->ticks.tick[i].time;
        i += tick(s, i);
        for (uint32_t k = 0; time == 0 && k < s->p; k++)
            output_row(s, k, ct_sampled_row(s->shown, s, k));
    }
    pass(s, s->ticks.period - time);
}
