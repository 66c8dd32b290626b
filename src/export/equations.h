/* equations.h - the equations of a model for people and for programs.
 *
 * First a neutral list is made (groups of equations with left and right sides, origins, named
 * intermediates); text, LaTeX and JSON are written from it, and tests read it.
 *
 *     auto, state                     governing equations, rates not solved for [McPhee-2, eq. 36]
 *     ode, dae                        x' = f(x, w, u), 0 = g(x, w, u)
 *     nodal, branch-chord, tableau    the equations of the form before elimination [eqs. 24-33]
 *
 * JSON: the keys of CLI.md, and besides them "definitions" (of intermediates z1, z2, ..),
 * "constraints" (dependent storage), "outputs" (other variables by back-substitution), each a list
 * like "equations"; with trace also "trace": [{"title", "equations"}].
 */
#ifndef CT_EXPORT_EQUATIONS_H
#define CT_EXPORT_EQUATIONS_H

#include "base/text.h"
#include "equations/equations.h"
#include "simplify/simplify.h"

typedef enum ct_equations_form {
    CT_EQUATIONS_AUTO,
    CT_EQUATIONS_ODE,
    CT_EQUATIONS_DAE,
    CT_EQUATIONS_STATE,
    CT_EQUATIONS_NODAL, /* these three: the rows of the system, in whatever form it is */
    CT_EQUATIONS_BRANCH_CHORD,
    CT_EQUATIONS_TABLEAU,
} ct_equations_form;

typedef enum ct_equations_format {
#define EQUATIONS_FORMAT(name, word, endings, writer, whole, help) CT_EQUATIONS_##name,
#include "export/formats.def"
} ct_equations_format;

/* Start from ct_default_equations_def(). */
typedef struct ct_equations_def {
    ct_equations_form form;
    ct_equations_format format;
    ct_simplify simplify;
    bool trace;      /* the derivation, too */
    bool all;        /* groups of more than 200 equations in full; JSON always has all */
    bool standalone; /* LaTeX: a document instead of a fragment */
    bool matrix;     /* equations between vectors, with named matrices */
    bool origins;    /* text: where each equation comes from, as a comment behind it */
} ct_equations_def;

ct_equations_def ct_default_equations_def(void); /* auto, text, fast, with origins */
extern const ct_word ct_equations_forms[];       /* in the order of ct_equations_form */
/* Words of the command line: "branch-chord", "latex"; false: no such word. */
bool ct_equations_form_find(const char *word, ct_equations_form *form);
bool ct_equations_format_find(const char *word, ct_equations_format *format);
bool ct_equations_are_whole(const ct_equations_def *def); /* nothing is left out for its size */
/* The form of system to make for it. */
ct_form ct_equations_system_form(ct_equations_form form);

void ct_equations_put(const ct_equations *equations, const ct_equations_def *def, ct_text *out);

/* ---- the neutral list */

/* factor * core; core 0: the factor alone. */
typedef struct ct_side_term {
    ct_expr factor, core;
} ct_side_term;

typedef struct ct_side {
    ct_side_term *term;
    uint32_t count; /* 0: the side is zero */
} ct_side;

typedef struct ct_origin {
    ct_origin_kind kind;
    uint32_t index; /* component, node, edge or unknown, as in ct_row */
} ct_origin;

typedef struct ct_equation {
    ct_side left, right;
    const ct_origin *origin;
    uint32_t origin_count;
    const char *note; /* "output i2"; NULL: none */
} ct_equation;

typedef enum ct_group_kind {
    CT_GROUP_TRACE,
    CT_GROUP_EQUATION,
    CT_GROUP_CONSTRAINT,
    CT_GROUP_VALUE,
    CT_GROUP_REMARK, /* lines in words */
} ct_group_kind;

typedef struct ct_equation_group {
    ct_group_kind kind;
    const char *title;
    ct_equation *equation;
    uint32_t count;
    uint32_t total;      /* more than count: the rest is not shown */
    const ct_name *name; /* a group of names instead of equations */
    uint32_t name_count;
    const char *const *line; /* a group of lines of text instead */
    uint32_t line_count;
    bool uncounted; /* between vectors: sources, rates of positions, ends at rest */
} ct_equation_group;

typedef struct ct_definition {
    ct_name name;
    ct_equation equation; /* z1 = .. */
} ct_definition;

/* M u' = Q + Phi_q^T lambda, Phi = 0 of bodies; sparse, by rows. Only what is very long has names
 * for intermediates in it. */
typedef struct ct_shown_matrix {
    uint32_t rows, cols;
    const uint32_t *start, *col;
    ct_expr *entry;
} ct_shown_matrix;

typedef struct ct_shown_motion {
    ct_shown_matrix mass, jacobian;
    ct_side *force, *position; /* position without term: the speed alone is given */
} ct_shown_motion;

/* Of equations between vectors: what is not zero, by rows. */
typedef struct ct_named_entry {
    uint32_t row, col;
    ct_expr value;
} ct_named_entry;

typedef struct ct_named_matrix {
    ct_name name;
    uint32_t rows, cols, count;
    ct_named_entry *entry; /* in the end with names for long parts */
    const ct_named_entry *transposed;
    uint32_t like; /* the transpose of this one, its index plus 1; 0: of none */
    bool minus;    /* with the other sign */
} ct_named_matrix;

typedef struct ct_named_vector {
    ct_name name;
    uint32_t size;
} ct_named_vector;

typedef struct ct_equation_list {
    const ct_reduced *reduced;
    ct_equations_def def;
    ct_arena *arena;
    ct_pool *pool;             /* of all expressions below */
    ct_pool *own_pool;         /* with full simplification, or bodies: the same; else NULL */
    ct_simplifier *simplifier; /* likewise; its first pool is that of the system */
    uint32_t unfinished;       /* equations that were not simplified in full; their notes say so */
    const ct_equation_group *group;
    const ct_definition *definition; /* each uses only those before it */
    const ct_name *unknown, *coordinate, *speed, *multiplier, *parameter, *input;
    uint32_t group_count, definition_count, unknown_count, coordinate_count, speed_count,
        multiplier_count, parameter_count, input_count;
    const ct_named_matrix *matrix; /* with def.matrix */
    const ct_named_vector *vector; /* those that occur as a whole */
    uint32_t matrix_count, vector_count;
    ct_shown_motion *motion; /* NULL: no bodies, or not asked for */
    /* without coordinates and speeds of bodies, and accelerations of massless ones */
    const ct_name *scalar_state, *scalar_unknown;
    const ct_name *branch[2]; /* bodies and joints in the translational and rotational tree */
    uint32_t scalar_state_count, scalar_unknown_count, branch_count[2];
    uint32_t scalar_rows;                  /* rows of the system that are not about bodies */
    uint32_t body_coordinate_count;        /* coordinates of bodies with a speed: rows of M */
    uint32_t differential, algebraic, dof; /* dof: independent speeds of the mechanical domains; of
                                              bodies: see ct_mechanics */
    uint64_t ops; /* to evaluate f and g once; of a model without them: its outputs */
} ct_equation_list;

const ct_equation_list *ct_equations_list(const ct_equations *equations,
                                          const ct_equations_def *def);
const char *ct_origin_text(const ct_equation_list *list, ct_origin origin); /* "terminal" */
const char *ct_origin_name(const ct_equation_list *list, ct_origin origin); /* "R2" */

/* Plain text for LaTeX (equations_latex.c). */
void ct_put_latex_text(ct_text *out, const char *text);

#endif
