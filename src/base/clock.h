/* clock.h - seconds, for measuring and for budgets of time. */
#ifndef CT_BASE_CLOCK_H
#define CT_BASE_CLOCK_H

#include <time.h>

static inline double ct_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Since some moment; it never jumps. */
static inline double ct_wall_clock(void)
{
    return ct_clock(CLOCK_MONOTONIC);
}

/* Of the processor, for this thread. */
static inline double ct_cpu_clock(void)
{
    return ct_clock(CLOCK_THREAD_CPUTIME_ID);
}

#endif
