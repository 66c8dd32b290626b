/* pace.h - events that follow each other so fast that a run does not get on. */
#ifndef CT_SOLVE_PACE_H
#define CT_SOLVE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define CT_STORM_EVENTS 100000 /* so many of them within this part of a run are a storm: */
#define CT_STORM_PART   1e-6

typedef struct ct_pace {
    uint64_t count;
    double since; /* where the last CT_STORM_EVENTS began */
} ct_pace;

/* Counts one at t. */
static inline bool ct_pace_storms(ct_pace *p, double t, double span)
{
    if (p->count++ % CT_STORM_EVENTS)
        return false;
    bool storms = p->count > 1 && t - p->since < CT_STORM_PART * span;
    p->since = storms ? p->since : t;
    return storms;
}

#endif
