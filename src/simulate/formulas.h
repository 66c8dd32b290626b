/* formulas.h - what a run computes, as expressions with names and numbers: for exporters. */
#ifndef CT_SIMULATE_FORMULAS_H
#define CT_SIMULATE_FORMULAS_H

#include "compile/program.h"
#include "equations/event.h"
#include "simulate/simulate.h"

/* A name that is shown, its unit ("": not known) and a value. */
typedef struct ct_shown_value {
    const char *name, *unit;
    double value;
} ct_shown_value;

/* Expressions over x, w, t (see reduced.h): inputs are replaced by what drives them. Values are
 * those at the start of a run. */
typedef struct ct_formulas {
    const ct_model *model;
    uint32_t state_count, algebraic_count, parameter_count, output_count, invariant_count;
    const ct_shown_value *state, *algebraic, *parameter, *output;
    ct_program_def equations; /* f, g */
    ct_program_def outputs;
    const ct_events *events;   /* of the equations */
    ct_program_def conditions; /* of events->root, over x, w, t and what each of them holds */
    ct_program_def moments;    /* of events->moment: condition and offset of each, by parameters */
    bool holds;                /* something jumps there: the same as equations and slopes with */
    ct_program_def kept, kept_slopes;   /* the sides of conditions kept */
    const ct_jacobian *slope;           /* of g by w; NULL: there are none */
    ct_program_def slopes;              /* its entries */
    ct_program_def invariants;          /* c(t, x) = 0: loops, positions and velocities */
    const ct_jacobian *invariant_slope; /* by x */
    ct_program_def invariant_slopes;
    const bool *speed_invariant, *speed_state;
    double start, stop; /* of the run that the model asks for; stop NaN: it says none */
    uint32_t points;
} ct_formulas;

/* NULL after reporting. */
const ct_formulas *ct_rig_formulas(ct_rig *rig, ct_arena *arena);

#endif
