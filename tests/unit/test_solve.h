/* test_solve.h - small systems written as C functions, and what a run of them gives. */
#ifndef TEST_SOLVE_H
#define TEST_SOLVE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solve/problem.h"

enum { MOST_Z = 40, MOST_ROWS = 4000 };

/* The Jacobian is full, by columns, and comes from central differences. */
typedef struct small_system {
    uint32_t n, m;
    void (*fg)(double t, const double *z, double *out);
    double (*next_break)(void *user, double t);
    uint32_t root_count;
    void (*roots)(void *user, double t, const double *z, double *value);
    void (*hold)(void *user, double t, const double *z);
} small_system;

typedef struct fixture {
    const small_system *system;
    ct_context *ctx;
    ct_problem problem;
    uint32_t start[MOST_Z + 1], row[MOST_Z * MOST_Z];
    ct_run_stats stats;
    uint32_t rows, stop_after;
    double t[MOST_ROWS], z[MOST_ROWS][4], dx[MOST_ROWS];
} fixture;

static inline void small_evaluate(void *user, double t, const double *z, double *fg)
{
    ((fixture *)user)->system->fg(t, z, fg);
}

static inline void small_jacobian(void *user, double t, const double *z, double *value)
{
    const small_system *s = ((fixture *)user)->system;
    uint32_t size = s->n + s->m;
    double at[MOST_Z], high[MOST_Z], low[MOST_Z];
    memcpy(at, z, size * sizeof *at);
    for (uint32_t j = 0; j < size; j++) {
        double h = 1e-6 * (fabs(z[j]) + 1e-3);
        at[j] = z[j] + h;
        s->fg(t, at, high);
        at[j] = z[j] - h;
        s->fg(t, at, low);
        at[j] = z[j];
        for (uint32_t i = 0; i < size; i++)
            value[j * size + i] = (high[i] - low[i]) / (2 * h);
    }
}

static inline fixture *fixture_new(const small_system *system)
{
    fixture *f = calloc(1, sizeof *f);
    uint32_t size = system->n + system->m;
    f->system = system;
    f->ctx = ct_context_new(NULL);
    for (uint32_t j = 0; j <= size; j++)
        f->start[j] = j * size;
    for (uint32_t k = 0; k < size * size; k++)
        f->row[k] = k % size;
    f->problem = (ct_problem){.user = f,
                              .n = system->n,
                              .m = system->m,
                              .evaluate = small_evaluate,
                              .start = f->start,
                              .row = f->row,
                              .jacobian = small_jacobian,
                              .next_break = system->next_break,
                              .root_count = system->root_count,
                              .roots = system->roots,
                              .hold = system->hold};
    return f;
}

static inline void fixture_free(fixture *f)
{
    ct_context_free(f->ctx);
    free(f);
}

static inline bool keep_row(void *user, double t, const double *z, const double *dx)
{
    fixture *f = user;
    uint32_t size = f->system->n + f->system->m;
    assert_true(f->rows < MOST_ROWS);
    f->t[f->rows] = t;
    f->dx[f->rows] = f->system->n ? dx[0] : 0;
    memcpy(f->z[f->rows++], z, (size < 4 ? size : 4) * sizeof *z);
    return f->rows != f->stop_after;
}

static inline ct_solve_status integrate(fixture *f, ct_run_def def, double *z)
{
    def.row = keep_row;
    def.row_user = f;
    f->rows = 0;
    return ct_integrate(f->ctx, &f->problem, &def, z, &f->stats);
}

#define CHECK_NEAR(got, want, tolerance)                                                           \
    do {                                                                                           \
        double got_ = (got), want_ = (want), tolerance_ = (tolerance);                             \
        if (!(fabs(got_ - want_) <= tolerance_)) {                                                 \
            print_error("%s:%d: got %.17g, want %.17g, off by %.3g, allowed %.3g\n", __FILE__,     \
                        __LINE__, got_, want_, got_ - want_, tolerance_);                          \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

#endif
