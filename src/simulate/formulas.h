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

/* `when` and `every`. Discretes follow t among the variables of programs, then what they were
 * before an instant, then the sides of conditions. */
typedef struct ct_formula_acts {
    uint32_t count, when_count, push_count, set_count, most_sets;
    const ct_act *act;
    const uint32_t *const *target; /* per act and set: number of a discrete, push or state */
    ct_program_def truth;          /* of conditions, over the sides that are kept */
    ct_program_def clock;          /* period and offset of each clock, by parameters */
    const ct_program_def *value;   /* per act: what it assigns */
    const bool *sees, *moves;      /* see ct_acts (act.h) */
    /* Variables that impulses set: each; its gradient by x and then by t, where they read w by
     * that, too, and that of g by each x and t; and how x and g depend on the impulses. Forces that
     * hold what rests stand last among variables (of outputs, too). */
    bool push_reads; /* they read w */
    ct_program_def pushed, gradient, move;
    const uint32_t *push_when;          /* per push: the condition that sets it; UINT32_MAX: none */
    bool tied;                          /* impulses may pass through what switches */
    const bool *masked;                 /* per root and push: what rests decides it no more */
    const struct ct_contacts *contacts; /* NULL: none has a rule */
    ct_program_def gap;                 /* of each contact: its distance, then its restitution */
} ct_formula_acts;

/* Jumps of what is stored (jump_make.c). What was, slacks and their ways follow the sides of
 * conditions among the variables of these programs. */
typedef struct ct_formula_jumps {
    uint32_t slack_count, kept_count, placed_count, burst_count;
    const bool *has_kept, *bent, *placing; /* of slacks */
    bool mechanical, kicks;
    ct_program_def look, miss, go, kick, stay, hold;
} ct_formula_jumps;

/* Expressions over x, w, t (see reduced.h): inputs are replaced by what drives them. Values are
 * those at the start of a run. */
typedef struct ct_formulas {
    const ct_model *model;
    bool modal; /* equations of a mode: others hold in the next */
    uint32_t state_count, algebraic_count, parameter_count, output_count, invariant_count;
    const ct_shown_value *state, *algebraic, *parameter, *output;
    uint32_t discrete_count, memory; /* see driven.h */
    const ct_shown_value *discrete;
    const ct_formula_acts *acts;   /* NULL: the model writes no events */
    const ct_formula_jumps *jumps; /* NULL: nothing that is stored jumps */
    ct_program_def equations;      /* f, g */
    ct_program_def outputs;
    const ct_events *events;   /* of the equations */
    ct_program_def conditions; /* of events->root, over x, w, t and what each of them holds */
    ct_program_def angles;     /* what turns in them */
    ct_program_def
        moments; /* of events->moment: condition and offset of each, by parameters and discretes */
    bool holds;  /* something jumps there: the same as equations and slopes with */
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

/* What a program of expressions is made from that may read forces which hold what rests: they stand
 * behind all else that programs of the file read. */
struct ct_machine;
ct_program_def ct_forced_def(const struct ct_machine *machine, bool modal, const ct_expr *e,
                             uint32_t count);

/* NULL after reporting. */
const ct_formulas *ct_rig_formulas(ct_rig *rig, ct_arena *arena);

/* ---- of a model with modes (modes/formulas.c) */

/* A mode. Records are what is stored in any of them; UINT32_MAX: none. */
typedef struct ct_mode_formulas {
    const ct_formulas *f;        /* NULL: its equations contradict each other */
    const uint8_t *way;          /* of each item */
    const uint32_t *record;      /* of states and algebraic unknowns, */
    const uint32_t *kept_record; /* and of dependent storage */
    const uint32_t *used;        /* items that have margins, */
    uint32_t used_count;         /* so many */
    const uint32_t *parameter;   /* numbers among all */
    ct_program_def watch;        /* items, CT_WATCHES of each, then records */
    const uint32_t *source;      /* for the choice of modes: states of its sources by item, */
    const ct_jacobian *slope,
        *by_watch; /* of f, g and of what is watched; NULL: others have none */
    ct_program_def slopes, by_watches;
} ct_mode_formulas;

enum { CT_WAYS = 6 };

typedef struct ct_modal_formulas {
    const ct_model *model;
    uint32_t item_count, record_count, mode_count, parameter_count, start_mode;
    const struct ct_mode_item *item;
    const uint32_t
        *returns; /* of pairs with restitution: the discrete for a after an impact, + 1 */
    const char *const *text; /* of items: each of the CT_WAYS in words */
    const ct_mode_formulas *mode;
    const ct_shown_value *parameter;
    const double *scale, *largest; /* at the start: of what is watched, of records */
    const double *touch;           /* of items: not zero where a gap is closed */
} ct_modal_formulas;

/* The formulas of a mode, at a point of it (NULL: all zero). */
ct_formulas *ct_rig_mode_formulas(ct_rig *rig, const ct_point *point, bool shown, ct_arena *arena);
/* Jacobians by all unknowns, of f and g and of what is watched; false after reporting. */
bool ct_rig_mode_slopes(const ct_rig *rig, uint32_t watches, ct_mode_formulas *mode);

#endif
