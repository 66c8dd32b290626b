/* program.h - expressions made executable: a run-grouped tape.
 *
 * A program computes outputs from the values of symbols. What depends on parameters alone is
 * computed once, when their values are set (ct_program_prepare); the rest at every call. Operations
 * are scheduled into runs of one operator, one tight loop per run, so that no call is spent on
 * dispatch per operation. The program is immutable; a call works in memory that the caller owns, so
 * that many can run at once.
 */
#ifndef CT_COMPILE_PROGRAM_H
#define CT_COMPILE_PROGRAM_H

#include "expr/expr.h"

typedef struct ct_program ct_program;

typedef struct ct_program_def {
    ct_pool *pool;
    const ct_name *parameter; /* symbols whose values change rarely */
    uint32_t parameter_count;
    const ct_name *variable; /* symbols whose values change at every call */
    uint32_t variable_count;
    const ct_expr *output;
    uint32_t output_count;
    const ct_name
        *ghost; /* symbols on which no output depends, and what stands for them: a value */
    const ct_expr
        *ghost_value; /* near that of the rest, so that they cancel with little rounding */
    uint32_t ghost_count;
    bool seldom; /* alone it runs a few times only: machine code would not pay */
    bool lanes;  /* it runs often in lanes (lanes.h): machine code for these, too */
} ct_program_def;

/* NULL when an output holds a symbol that is none of these (or der, integral, pre): *stranger is
 * that expression; 0: an output is none. Values are those of ct_expr_value up to rounding; lower.c
 * says where the order of operations differs. */
const ct_program *ct_program_new(ct_arena *arena, const ct_program_def *def, ct_expr *stranger);

/* Doubles of work space that a call needs. */
size_t ct_program_work(const ct_program *program);

/* Sets up the work space for parameter values; must precede ct_program_run with this work space. */
void ct_program_prepare(const ct_program *program, const double *parameter, double *work);
/* A work space that is set up. */
double *ct_program_prepared(ct_arena *arena, const ct_program *program, const double *parameter);
void ct_program_run(const ct_program *program, const double *variable, double *output,
                    double *work);

uint32_t ct_program_operations(const ct_program *program); /* at every call */
uint32_t ct_program_constants(const ct_program *program);  /* operations done by prepare */
bool ct_program_is_native(const ct_program *program);      /* machine code, not the tape */
bool ct_program_is_wide(const ct_program *program);        /* likewise in lanes */
uint32_t ct_program_runs(const ct_program *program);       /* loops at every call */

/* The tape as text, for golden tests. */
void ct_program_dump(const ct_program *program, ct_text *out);

/* Sparse Jacobian of f by x in compressed columns: column j holds rows row[start[j]] ..
 * row[start[j+1]-1] (ascending) with the expressions entry[..]. Structural zeros by fingerprint are
 * left out. Near-linear in the size of all expressions together. NULL: something cannot be
 * differentiated, *culprit is it. A row without expression (0) is empty. */
typedef struct ct_jacobian {
    uint32_t rows, cols, count;
    const uint32_t *start, *row;
    const ct_expr *entry;
} ct_jacobian;

const ct_jacobian *ct_jacobian_new(ct_arena *arena, ct_pool *pool, const ct_expr *f, uint32_t rows,
                                   const ct_name *x, uint32_t cols, ct_expr *culprit);
/* The same, but NULL without culprit as soon as it has made more than `most` nodes. */
const ct_jacobian *ct_jacobian_within(ct_arena *arena, ct_pool *pool, const ct_expr *f,
                                      uint32_t rows, const ct_name *x, uint32_t cols, uint32_t most,
                                      ct_expr *culprit);

/* Second derivatives of f: the lower triangle (rows from the column on) of a symmetric matrix,
 * sparse as above. Of several functions that of a weighted sum is wanted as a rule: form it first.
 */
const ct_jacobian *ct_hessian_new(ct_arena *arena, ct_pool *pool, ct_expr f, const ct_name *x,
                                  uint32_t cols, ct_expr *culprit);

/* Where a Jacobian can have entries, without them (entry is NULL): row i holds the symbol j. Costs
 * the size of all expressions for every 64 columns. */
const ct_jacobian *ct_pattern_new(ct_arena *arena, ct_pool *pool, const ct_expr *f, uint32_t rows,
                                  const ct_name *x, uint32_t cols);

/* Columns without a common row: what one of a group does can be told from what the others do. Group
 * i has column[start[i]] .. column[start[i+1]-1]; empty columns are in none [Curtis, Powell, Reid
 * 1974]. */
typedef struct ct_grouping {
    uint32_t count;
    const uint32_t *start, *column;
} ct_grouping;

const ct_grouping *ct_group_columns(ct_arena *arena, const ct_jacobian *pattern);

#endif
