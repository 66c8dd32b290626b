/* equations_make.h - private to the files equations*.c: the list while it is made, and how its
 * sides are written. */
#ifndef CT_EXPORT_EQUATIONS_MAKE_H
#define CT_EXPORT_EQUATIONS_MAKE_H

#include "base/vec.h"
#include "export/equations.h"

enum { CT_MOST_SHOWN = 200 };

typedef CT_VEC(ct_side_term) side_list;

/* An edge variable that a terminal equation reads. */
typedef struct edge_use {
    uint32_t edge; /* of the element */
    bool across;
    int order;
} edge_use;

typedef struct equation_uses {
    const edge_use *use;
    uint32_t count;
} equation_uses;

typedef struct maker {
    const ct_reduced *reduced;
    const ct_system *system;
    const ct_model *model;
    ct_equations_def def;
    ct_arena *arena;
    ct_pool *pool;
    ct_expr zero, one;
    ct_equation_list *list;
    CT_VEC(ct_equation_group) group;
    CT_VEC(ct_equation) equation; /* of the present group */
    CT_VEC(ct_definition) definition;
    uint32_t *step_of;       /* per unknown: index of its step plus 1 */
    uint32_t *state_rank;    /* per unknown: place among the states plus 1 */
    bool *dependent;         /* per unknown: made dependent by a constraint, or the rate of such */
    uint32_t *first_edge;    /* per component */
    uint32_t *equation_of;   /* per row from a terminal: which of its element's equations */
    equation_uses **uses;    /* per element, made on demand: one for each equation */
    uint32_t *potential;     /* per node: unknown, 0: none */
    uint32_t *row_seen;      /* per row: the walk that met it last */
    uint32_t *unknown_shown; /* per unknown: named on the left of a group of values */
    bool *wanted;            /* unknowns that stand in what is shown */
    uint32_t walk;
    ct_map edge_of;   /* variable -> 2*edge + 1 across, + 2 through */
    ct_map output_of; /* expression -> index of the output plus 1 */
} maker;

typedef CT_VEC(ct_origin) origin_list;

/* ---- equations_side.c */
ct_expr ct_unknown_expr(const maker *m, uint32_t unknown);
uint32_t ct_unknown_of(const maker *m, ct_name name); /* 0: no unknown */
ct_expr ct_row_sum(const maker *m, const ct_term *term, uint32_t count, ct_expr rest);
ct_side ct_side_of(maker *m, ct_expr e);                 /* terms of a sum one by one */
void ct_side_split(maker *m, side_list *out, ct_expr e); /* the same, added to a list */
ct_side ct_side_lead(const maker *m, ct_side side);      /* a term without minus comes first */
bool ct_is_turned(ct_pool *pool, ct_expr e);             /* -1 * (a - b), which stands for b - a */
/* What all parts are divided by, or 1. */
ct_expr ct_common_denominator(const maker *m, const ct_expr *part, uint32_t count);
bool ct_has_unknown(const maker *m, ct_expr e);                               /* of the system */
ct_expr ct_row_solved(const maker *m, const ct_shown *row, uint32_t unknown); /* 0: cannot be */
/* sum of terms + rest = 0 as rates and unknowns on the left, inputs and constants on the right */
ct_equation ct_equation_balanced(maker *m, const ct_shown *row, uint32_t own_rate);
/* The same as positive = negative terms. */
ct_equation ct_equation_by_sign(maker *m, const ct_term *term, uint32_t count, ct_expr rest);
ct_equation ct_equation_zero(maker *m, const ct_row *row); /* all = 0 */

/* ---- equations.c */
void ct_group_begin(maker *m);
bool ct_group_full(maker *m); /* counts the equation; true: it is not shown, do not make it */
void ct_group_add(maker *m, ct_equation equation);
void ct_group_end(maker *m, ct_group_kind kind, const char *title); /* nothing when it is empty */
void ct_group_names(maker *m, const char *title, const ct_name *name, uint32_t count);

/* ---- equations_head.c */
void ct_describe(maker *m); /* counts and names of the list */

/* ---- equations_origin.c */
void ct_origins_prepare(maker *m);
const equation_uses *ct_terminal_uses(maker *m, uint32_t row); /* NULL: not known */
/* Everything that went into a governing row by elimination. */
void ct_origins_of_row(maker *m, uint32_t row, ct_equation *out);
/* Of the row of a step as it stood then; solved: after back-substitution. */
void ct_origins_of_step(maker *m, uint32_t step, bool solved, ct_equation *out);
void ct_origins_of_expr(maker *m, ct_expr e, ct_equation *out);  /* of its unknowns, solved */
void ct_origins_of_edges(maker *m, ct_expr e, ct_equation *out); /* of variables of edges in it */
void ct_origins_of_rows(maker *m, const uint32_t *row, uint32_t count, ct_equation *out);
void ct_set_origin(maker *m, ct_equation *out, ct_origin origin);
void ct_origin_alone(maker *m, const ct_row *row, ct_equation *out); /* the row itself only */

/* ---- equations_hybrid.c */
typedef CT_VEC(ct_shown) shown_list;
typedef struct hybrid_row {
    ct_shown row;
    const uint32_t *source; /* rows of the system that went into it */
    uint32_t source_count;
} hybrid_row;
const hybrid_row *ct_hybrid_rows(maker *m, uint32_t *count); /* NULL: does not apply */
const hybrid_row *ct_vertex_rows(maker *m, uint32_t *count);

/* ---- equations_rows.c */
void ct_show_rows(maker *m, ct_group_kind kind); /* the system before elimination */
void ct_show_written(maker *m);                  /* terminal equations as the elements have them */
/* A variable of an edge in unknowns of the form; 0: the symbol is none. */
ct_expr ct_edge_expr(maker *m, ct_name symbol);
const char *ct_kinematics_title(const ct_system *system);
void ct_show_kinematics(maker *m, ct_group_kind kind);
void ct_show_potentials(maker *m, ct_group_kind kind);
void ct_show_origin(maker *m, ct_origin_kind origin, ct_group_kind kind, const char *title);
void ct_show_terminals(maker *m, ct_group_kind kind, const char *title);

/* ---- equations_trace.c */
void ct_show_trace_rows(maker *m);  /* up to the equations of the form */
void ct_show_trace_steps(maker *m); /* from there on */

/* ---- equations_short.c */
/* How much an expression has, each part once; and characters from which on forms count as long,
 * and for each part as sharing much. */
enum { CT_LONG_FORM = 3000, CT_MOST_SHARED = 25 };
size_t ct_parts_in(ct_pool *pool, ct_expr e);
void ct_shorten(maker *m); /* from here on the list and the maker use another pool */

/* ---- equations_motion.c, equations_steps.c */
bool ct_shows_motion(const maker *m); /* the model has bodies, and its trees' equations are asked */
void ct_show_motion(maker *m);        /* into the other pool */
void ct_show_motion_steps(maker *m);
bool ct_is_motion_row(const maker *m, uint32_t row); /* of the system */
bool ct_is_motion_unknown(const maker *m, uint32_t unknown);
/* What 1-D elements put on joints and lines: through variables; 0 of the last. */
const ct_name *ct_motion_loads(maker *m);
bool ct_reads_dynamics(const maker *m, ct_expr e); /* accelerations or reactions of bodies */

/* ---- equations_events.c */
void ct_show_events(maker *m); /* `when` and `every` */

/* ---- equations_remark.c */
void ct_show_remarks(maker *m); /* of elements, with the values of their components */

/* ---- equations_name.c */
void ct_name_intermediates(maker *m);

/* ---- equations_term.c: coefficient * variable; false: it is no such product. */
bool ct_term_coefficient(const maker *m, ct_expr e, ct_name *variable, ct_expr *coefficient);

/* ---- equations_matrix.c: equations between vectors; equations_matrix_write.c */
void ct_make_matrices(maker *m);

void ct_matrices_put_text(const ct_equation_list *list, ct_text *out);
void ct_matrices_put_latex(const ct_equation_list *list, ct_text *out);
void ct_matrix_counts_put(const ct_equation_list *list, ct_text *out); /* "9 equations: .." */
uint32_t ct_matrix_equations(const ct_equation_list *list);            /* those that are counted */

/* ---- equations_write.c */
void ct_side_put(const ct_equation_list *list, const ct_side *side, bool latex, ct_text *out);
void ct_equation_put(const ct_equation_list *list, const ct_equation *e, bool latex, ct_text *out);

/* ---- equations_latex.c */
/* Words in a formula, upright. */
void ct_put_latex_words(ct_text *out, const char *words);

/* ---- the formats */
#define EQUATIONS_FORMAT(name, word, endings, writer, whole, help)                                 \
    void writer(const ct_equation_list *list, ct_text *out);
#include "export/formats.def"

#endif
