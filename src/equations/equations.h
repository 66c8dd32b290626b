/* equations.h - the equations of a model as a stage: what state spaces, shown texts, exported code
 * and symbolic runs read.
 *
 * This folder alone calls formulate and reduce; their types are part of what it publishes. Names,
 * symbols and the pool of expressions grow when readers make expressions of their own; all else
 * stays as it was published.
 */
#ifndef CT_EQUATIONS_EQUATIONS_H
#define CT_EQUATIONS_EQUATIONS_H

#include "reduce/reduced.h"

enum { CT_VARIABLE_KINDS = CT_VARIABLE_PARAMETER + 1 };

struct ct_equations {
    const ct_model *model;
    const ct_tree *tree;
    ct_form form;
    ct_arena *arena;
    ct_pool *pool;
    const ct_reduced *reduced; /* states, rates, residuals, values of other unknowns */
    const ct_reduced *moving;  /* the same with names for rates of time and slacks of constraints
                                  that were differentiated: what a run, and rest, have to know */
    const ct_variable *variable[CT_VARIABLE_KINDS]; /* NULL: derived for a run, nobody reads them */
    uint32_t variable_count[CT_VARIABLE_KINDS];
    const struct ct_driven *driven; /* as a run sees them, with events (driven.h); NULL: derived to
                                       be read */
};

typedef enum ct_purpose {
    CT_FOR_READERS, /* with the derivation, and the lists of variables */
    CT_FOR_A_RUN,   /* without: values of unknowns only where they are asked for */
} ct_purpose;

/* NULL after reporting (E5xx). */
const ct_equations *ct_equations_new(const ct_tree *tree, ct_form form, ct_purpose purpose);

typedef struct ct_driven ct_driven;

/* What a run will read: `list` is called once, while everything can still be expressed by unknowns.
 * Then events are listed, and what made the equations is forgotten before they are published,
 * unless somebody may want to express more later (*keep). */
typedef struct ct_reader {
    bool (*list)(const ct_equations *draft, ct_driven *driven, void *user, bool *keep);
    void *user; /* list: false after reporting */
} ct_reader;

const ct_equations *ct_equations_read(const ct_tree *tree, ct_form form, ct_reader reader);

/* "nodal", "branch-chord", "tableau"; false: no such form. NULL is nodal. */
extern const ct_word ct_forms[]; /* in the order of ct_form */
bool ct_form_find(const char *word, ct_form *form);
const char *ct_form_word(ct_form form);

/* Component or node that an unknown belongs to, with its place; "" and no place: none. */
const char *ct_unknown_owner(const ct_system *system, uint32_t unknown, ct_place *place);

/* The unit that the model gives to a variable; "": not known (variables.c). */
const char *ct_symbol_unit(const ct_model *model, ct_name symbol);

/* Of a variable, its negative, or a sum and difference of variables with one unit: that unit, which
 * tells rad/s and N.m from what only has their dimension; else NULL. */
const char *ct_expr_unit(const ct_model *model, ct_expr e);

/* Fills the lists of variables (variables.c); false after reporting. */
bool ct_list_all_variables(ct_equations *equations);

void ct_equations_dump(const ct_equations *equations, ct_text *out);

#endif
