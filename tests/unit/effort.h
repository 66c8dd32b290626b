/* effort.h - work in units of a fixed loop that is measured beside it, for tests of growth.
 *
 * Processor time alone depends on the machine, on what else runs there and on sanitizers; the loop
 * suffers from all of these in the same way. Bounds are at least thirty times what was measured, so
 * that only work of a higher order exceeds them.
 */
#ifndef CT_TESTS_EFFORT_H
#define CT_TESTS_EFFORT_H

#include <stdint.h>
#include <time.h>

static inline double effort_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Processor time of a million steps through a table, each of which needs the last. */
static inline double effort_unit(void)
{
    enum { STEPS = 1000000, SIZE = 1 << 14 };
    static volatile uint32_t table[SIZE];
    uint32_t place = 1;
    double start = effort_clock();
    for (uint32_t i = 0; i < STEPS; i++) {
        place = place * 1664525u + 1013904223u + table[place % SIZE];
        table[place % SIZE] = i;
    }
    return effort_clock() - start;
}

/* Millions of such steps since the clock showed `start`. The loop runs about as long as the work
 * did: a machine that stands still now and then does so for both. */
static inline double effort_since(double start)
{
    const double longest = 0.3;
    double spent = effort_clock() - start, unit = 0;
    uint32_t units = 0;
    do
        unit += effort_unit(), units++;
    while (unit < spent && unit < longest);
    return spent * units / unit;
}

#endif
