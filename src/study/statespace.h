/* statespace.h - the exact linear model of a system, symbolic:
 *
 *     x' = A x + B u + E u' (+ E2 u'' ..) + a,   y = C x + D u + F u' (+ F2 u'' ..) + c
 *
 * Of a linear model this is the model itself, with a and c its constant terms. Of a nonlinear one
 * it holds for small deviations from an operating point: the entries then hold the symbols of
 * states and inputs, save those whose values a given point knows exactly, and a and c are left out.
 *
 * Algebraic unknowns w, which reduction leaves in the equations 0 = g(x, w, u), are eliminated here
 * exactly. Where this is impossible (g_w is singular) or too large, they stay: they follow the
 * states, and W x' = A x + .. has zeros on the diagonal of W in their rows (descriptor form).
 *
 * A large network in numbers has the unknowns of nodal analysis for its states, and any W.
 */
#ifndef CT_STUDY_STATESPACE_H
#define CT_STUDY_STATESPACE_H

#include "compile/program.h"
#include "equations/equations.h"
#include "simplify/simplify.h"
#include "simulate/simulate.h"
#include "study/lti.h"

typedef struct ct_entry {
    uint32_t row, col;
    ct_expr value; /* 0: only its number was computed */
    double number; /* at the operating point; NaN: not known */
} ct_entry;

/* By rows, then columns; zeros are left out. */
typedef struct ct_entries {
    uint32_t rows, cols, count;
    ct_entry *entry;
} ct_entries;

/* The same at an operating point; row-major. */
typedef struct ct_numbers {
    const double *A, *C, *W;           /* W NULL: identity */
    const double *const *B, *const *D; /* per order */
    uint32_t n; /* states; fewer than those of the symbolic form when more could be eliminated */
} ct_numbers;

/* What it was made from, and by which derivatives. */
typedef struct ct_linearising {
    const char *jacobian; /* symbolic: of expressions; program: its differentials, in groups of
                             columns; laws: those of components, as compiled */
    uint32_t unknowns;    /* of the equations that were differentiated */
    uint32_t entries, colours;
    uint64_t ops;
} ct_linearising;

struct ct_statespace {
    const ct_model *model;
    const ct_reduced *reduced; /* NULL: of a network in numbers */
    ct_arena *arena;
    ct_pool *pool; /* of the entries */
    const ct_name *state, *input;
    const char *const *output;
    uint32_t n, m, p;      /* states, inputs, outputs */
    uint32_t differential; /* of the states; fewer than n in descriptor form */
    uint32_t orders;       /* of inputs: 2 for u and u' (always), 3 with u'', .. */
    ct_entries A, C;
    ct_entries W;      /* of a network in numbers; else the identity, zero from `differential` on */
    ct_entries *B, *D; /* per order: B, E, E2, ..; D, F, F2, .. */
    ct_entries a, c;   /* one column each; empty unless linear */
    bool whole;        /* of a network in numbers: from derived equations, all of their unknowns */
    bool by_numbers;   /* the entries are numbers only */
    bool linear;       /* the entries are free of states and inputs */
    bool steady;       /* and of time */
    ct_simplify simplified;   /* how the entries are written */
    bool cut_short;           /* some are left as they were, because the budget was used up */
    bool given_up;            /* unknowns stay that could have been eliminated with more effort */
    const ct_point *point;    /* operating point; NULL: none was asked for */
    const ct_name *at_symbol; /* all inputs, then what else the entries hold besides parameters */
    const double *at_value;   /* at the operating point */
    uint32_t at_count;
    const ct_name *left; /* variables that stand in the entries for their values there */
    uint32_t left_count;
    ct_numbers *numbers;   /* NULL: symbolic only; else to be had from ct_statespace_numbers() */
    double period, offset; /* of a discrete-time model (sampled.h), in seconds; else 0 */
    const struct ct_transfers *transfers; /* symbolic; NULL: not asked for */
    const char *why_not; /* why it is no network in numbers; NULL: it is, or was not to be one */
    ct_linearising effort;
    ct_lti_sweep *delayed; /* frequency responses with delays as they are; NULL: there are none */
};

/* How to make it. Numbers are wanted: large models are then differentiated in numbers only, and
 * eliminated so. */
typedef struct ct_statespace_def {
    const ct_rig *rig; /* NULL: no point where pivots must not vanish, and no numbers */
    const ct_point *point;
    enum { CT_SYMBOLS, CT_EITHER, CT_NUMBERS } wanted; /* EITHER: symbols while they are small */
    uint64_t budget;             /* cells that the elimination of w may compute; 0: the usual */
    const ct_state_value *given; /* of the point: what somebody gave, and so is exact */
    uint32_t given_count;
    bool sparse; /* large networks may keep all unknowns, as entries */
    bool put_in; /* what is exact at the point goes into the symbolic entries */
} ct_statespace_def;

/* def may be NULL. NULL after reporting (E533). */
ct_statespace *ct_statespace_new(const ct_equations *equations, const ct_statespace_def *def);

/* Sets the operating point; then the numbers there. False after reporting. */
bool ct_statespace_settle(ct_statespace *ss, const ct_rig *rig, const ct_point *point);
bool ct_statespace_evaluate(ct_statespace *ss, const ct_rig *rig);
/* After that: is every entry a finite number? False after reporting one that is not. */
bool ct_statespace_check(const ct_statespace *ss);

/* The matrices in numbers: made when somebody asks for them first, as large ones are not wanted
 * where entries do. NULL: symbolic only. */
const ct_numbers *ct_statespace_numbers(const ct_statespace *ss);

/* Other names and another order for the states of a linear model; before ct_statespace_evaluate().
 */
void ct_statespace_arrange(ct_statespace *ss, const ct_state_names *names);

/* The numbers for lti.h. False after reporting: second derivatives of inputs, entries that are not
 * finite, or inputs that do not determine the states (E535). */
bool ct_statespace_lti(const ct_statespace *ss, ct_lti *lti);

/* What the model answers when input j is re[j] + i im[j]: y = G(s, 0) + i G(s, 1). The entries are
 * taken as they are, by sparse elimination. NULL after reporting (E535). */
ct_lti_sweep *ct_statespace_sweep(const ct_statespace *ss, const double *re, const double *im,
                                  ct_arena *arena);
/* E535: s W - A is singular for every s. False. */
bool ct_statespace_undetermined(const ct_statespace *ss);

/* E582 where something is asked for that only models in continuous time have; false then. */
bool ct_statespace_continuous(const ct_statespace *ss, const char *what);

/* Writes the entries as a person would, into a pool of their own. To be called last: numbers need
 * the pool of the equations. */
void ct_statespace_simplify(ct_statespace *ss, ct_simplify_budget budget);

/* The matrices one by one, with their names: A, B, C, D, E, F, E2, F2, ..; NULL: no more. */
const ct_entries *ct_statespace_part(const ct_statespace *ss, uint32_t part, const char **name);

#endif
