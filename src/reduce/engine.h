/* engine.h - private to src/reduce: the system as a sparse matrix of expressions. */
#ifndef CT_REDUCE_ENGINE_H
#define CT_REDUCE_ENGINE_H

#include "base/hash.h"
#include "base/vec.h"
#include "reduce/reduced.h"

#define NONE UINT32_MAX

typedef enum column_kind {
    COLUMN_PLAIN, /* to be eliminated */
    COLUMN_STATE, /* differentiated: known when rates are sought */
    COLUMN_RATE,
} column_kind;

/* LEFT: to rows without rates. BOUND: found numerically from rows that are hidden constraints. */
typedef enum column_fate {
    FATE_OPEN,
    FATE_PIVOT,
    FATE_DEPENDENT,
    FATE_LEFT,
    FATE_BOUND
} column_fate;

typedef struct column {
    column_kind kind : 8;
    column_fate fate : 8;
    uint32_t count;        /* live rows that hold it linearly */
    CT_VEC(uint32_t) rows; /* rows that hold or held it; stale ones are skipped */
    uint32_t nonlinear;    /* live rows whose rest holds it */
    uint32_t stamp;        /* of the last row that was seen to hold it */
    bool loose;            /* plain: rows without rates do not determine it */
} column;

typedef struct row {
    ct_term *term; /* sorted by unknown */
    uint32_t term_count;
    ct_expr rest;
    CT_VEC(uint32_t) nonlinear; /* unknowns in the rest, sorted */
    uint32_t rates, plains;     /* linear entries by kind; nonlinear ones counted in plains, too */
    uint32_t source;            /* row of the system; NONE: made by differentiation */
    uint32_t parent;            /* then: row of the system that was differentiated, + 1; 0: some */
    uint32_t whole;             /* undivided row that it stands for (whole.c), + 1; 0: none */
    uint32_t bonds;             /* of motion, each the derivative of the one before, above it */
    bool live;
    bool hidden;   /* determines what is bound, nothing else */
    ct_name slack; /* that stands in it; 0: none */
} row;

enum { MOST_BLOCK = 5 }; /* order of determinants */

typedef struct pivot {
    uint32_t column, row;
} pivot;

/* What is known of a factor. */
typedef struct factor_note {
    double value; /* by the parameters' defaults */
    int risk;
    bool valued;
} factor_note;

/* What a block was divided by, and the unknowns that it gave. */
typedef struct block_divisor {
    ct_expr value;
    uint32_t unknown[MOST_BLOCK], count;
} block_divisor;

/* What is needed after the elimination lives in `arena`, the rest in `scratch`, which is dropped:
 * columns, queues, matchings. */
typedef struct engine {
    const ct_system *s;
    ct_system *own; /* the same, to be forgotten */
    ct_arena *arena, *scratch;
    ct_pool *pool;
    ct_expr zero, one;
    bool derivation; /* keep what shows how it was done */
    bool timed;      /* the rate of time has a name */
    bool slackened;  /* constraints have slacks */
    bool marked;     /* some of these stand there */
    column *col;     /* per unknown */
    uint32_t stamp;
    uint32_t *pivot_row; /* per unknown: row that it was eliminated by; NONE: it is open */
    bool *waits;         /* per unknown: its value waits for those of others (finish.c) */
    uint32_t *turn;      /* per unknown: the how manyeth it was; 0: it is open */
    uint32_t turns;
    CT_VEC(row) row;
    CT_VEC(pivot) order; /* of elimination */
    CT_VEC(uint32_t) dependent;
    CT_VEC(ct_expr) constraint, divisor;
    CT_VEC(ct_slack) slack;
    CT_VEC(ct_invariant) invariant;
    CT_VEC(ct_expr) derived; /* rows made by differentiation, as they were made */
    ct_expr *value;          /* per unknown; 0: not known yet */
    CT_VEC(ct_term) merged;  /* the next three: for one row at a time */
    CT_VEC(ct_expr) part, scale, to;
    CT_VEC(ct_name) from;
    CT_VEC(uint32_t) wanted; /* unknowns whose values are being found */
    CT_VEC(uint32_t) met;    /* unknowns in what is being finished */
    const ct_shown *equation;
    uint32_t equation_count;
    CT_VEC(row) balance;   /* per row: see balance.c; none: rates are divided by constants */
    uint64_t work, budget; /* entries made so far, and how many may be */
    uint32_t most_nodes;   /* of the pool, when constraints are differentiated */
    bool large;            /* eliminate only what is cheap */
    bool failed;
    CT_VEC(ct_name) defined;           /* symbols of definitions, */
    CT_VEC(ct_expr) definition;        /* and what stands for them at the end */
    ct_map is_defined;                 /* symbol -> its number in these lists, from 1 */
    CT_VEC(block_divisor) determinant; /* with definitions in them: zero is seen at the end */
    uint32_t *edge_at;                 /* per node; NULL: not asked for yet (report.c) */
    bool shunned, last_resort;         /* divisors that vanish were met; they may be used now */
    ct_map exponential; /* rests that were looked at -> 1: no exponential in them, 2: some */
    CT_VEC(factor_note) factor; /* those that are no numbers, as they were met */
    ct_map factor_index;        /* expression -> its note + 1 */
} engine;

/* ---- matrix.c */
void ct_engine_load(engine *g);
ct_expr ct_engine_symbol(engine *g, uint32_t unknown);
uint32_t ct_find_term(const row *r, uint32_t unknown); /* index, or NONE */
bool ct_row_holds(const row *r, uint32_t unknown);     /* in the rest */
/* How safe a factor is as a divisor: 0 number, 1 parameters only, 2 anything else. */
int ct_factor_risk(engine *g, ct_expr factor);
/* A factor of parameters that is zero for the values they have: no divisor where there is another.
 */
bool ct_factor_vanishes(engine *g, ct_expr factor);
/* Its value, by the parameters' defaults; risk 0 or 1. */
double ct_factor_value(engine *g, ct_expr factor);
/* Replaces the unknown in every other live row by what row r says of it; r dies. */
void ct_eliminate(engine *g, uint32_t unknown, uint32_t r);
uint32_t ct_add_engine_row(engine *g, const ct_term *terms, uint32_t count, ct_expr rest,
                           uint32_t source);
void ct_drop_row(engine *g, uint32_t index);
ct_expr ct_row_expr(engine *g, const row *r); /* what vanishes */
ct_expr ct_sum_of_terms(engine *g, const ct_term *term, uint32_t count, ct_expr rest);
bool ct_row_grows(engine *g, const row *r); /* beyond what can be: reported */
/* Puts what is known already into a row that was added late. */
void ct_catch_up(engine *g, uint32_t index);
/* value = -(rest + other terms)/factor */
ct_expr ct_row_solution(engine *g, const row *r, uint32_t unknown);

/* ---- eliminate.c */
void ct_eliminate_plain(engine *g, bool with_rates);
void ct_eliminate_rates(engine *g);

/* ---- accelerations.c */
void ct_define(engine *g, ct_name name, ct_expr expr);
void ct_add_accelerations(engine *g);

/* ---- constraints.c */
bool ct_settle_constraints(engine *g); /* true: something changed */

ct_expr ct_input_rate(engine *g, ct_name name); /* 0: it is constant, or an unknown */
/* Before a constraint is differentiated: its row gets a slack (reduced.h), once. */
void ct_put_slack(engine *g, uint32_t row, uint32_t dependent);
/* Slacks become zero, and time passes at the rate that it has. */
void ct_drop_marks(engine *g, ct_expr *e, uint32_t count);
ct_expr ct_without_slack(engine *g, ct_expr e); /* the same for one; never 0 */

/* ---- minors.c */
/* Rows of a matrix that depend on each other: the sum of factor times row is zero. Without the last
 * of them they are independent in the columns. Indices into the matrix. */
typedef struct dependency {
    uint32_t row[MOST_BLOCK + 1], column[MOST_BLOCK + 1];
    uint32_t rows; /* columns: one less; more than MOST_BLOCK + 1: too many to be told */
    ct_expr factor[MOST_BLOCK + 1];
} dependency;

/* The first there is; false: the rows are independent. */
bool ct_find_dependency(engine *g, const ct_expr *entry, uint32_t rows, uint32_t columns,
                        dependency *d);
/* Determinants of a matrix with one column more than rows, column k left out. */
void ct_without_column(engine *g, const ct_expr *entry, uint32_t rows, ct_expr *out);

/* ---- hidden.c */
bool ct_settle_hidden(engine *g); /* true: something changed */
void ct_check_left(engine *g); /* reports rows for numerical solution that depend on each other */

/* ---- blocks.c */
bool ct_solve_blocks(engine *g); /* true: something changed */

/* ---- balance.c */
void ct_keep_balances(engine *g);                                /* before rates are solved for */
const ct_expr *ct_list_balances(engine *g, const ct_reduced *r); /* per state, or NULL */

/* ---- invert.c */
bool ct_invert_rows(engine *g); /* true: something changed */

/* ---- finish.c, unfold.c */
ct_reduced *ct_finish(engine *g);
engine *ct_engine_copy(const engine *from, const ct_system *s, ct_arena *arena); /* for a reader */
/* What vanishes by the row, in terms of states, algebraic unknowns and inputs. */
ct_expr ct_finished_residual(engine *g, const row *r);
/* Symbols of eliminated unknowns replaced by their values, in place. */
void ct_finish_all(engine *g, ct_expr *e, uint32_t count);
/* Definitions of the system in terms of states, algebraic unknowns and inputs; false
 * after reporting: they depend on what they define, or on each other. */
bool ct_unfold(engine *g);
void ct_put_definitions(engine *g, ct_expr *e, uint32_t count); /* for their symbols, in place */

/* ---- whole.c */
/* Adds what a constraint gives when it is differentiated, with what is known put in. */
uint32_t ct_add_derived_row(engine *g, const ct_term *terms, uint32_t count, ct_expr rest,
                            const row *from);
/* A row takes the place of another one, which is dropped. */
uint32_t ct_replace_row(engine *g, uint32_t index, const ct_term *terms, uint32_t count,
                        ct_expr rest);

/* ---- report.c */
uint32_t ct_row_parent(const row *r); /* for row.parent of its derivative */
const char *ct_row_origin(engine *g, const row *r);
ct_place ct_row_place(engine *g, const row *r);
void ct_report_contradiction(engine *g, const row *r);
void ct_report_circle(engine *g, uint32_t unknown); /* E594, once */
void ct_report_no_value(engine *g, uint32_t unknown);
/* Of an expression that is read; nothing is said of one without a place: somebody only tried. */
void ct_report_division(const engine *g, ct_place place);
void ct_report_singular(engine *g);
void ct_report_growth(engine *g);
void ct_report_tied(engine *g, const row *r); /* a prescribed motion */
void ct_report_dependent(engine *g, const row *r);
void ct_report_motion_loop(engine *g);
void ct_report_prescribed(engine *g, const uint32_t *unknown, uint32_t count);

#endif
