/* sheet.h - settings of a run, and the rows that it fills.
 *
 * A setting is the call's, else the model's, else the usual. Rows hold the outputs (or the states
 * of a model that names none), and the curves of its plots.
 */
#ifndef CT_SIMULATE_SHEET_H
#define CT_SIMULATE_SHEET_H

#include "simulate/simulate.h"

typedef struct ct_run_sheet {
    ct_context *ctx;
    const ct_model *model;
    const ct_simulation_def *def;
    ct_simulation *s;
    ct_arena *arena;
    uint32_t output_count, column_count; /* outputs; then curves and what they are drawn over */
    bool has_states;
    double (*value)(const void *user, ct_expr e); /* of an expression of parameters */
    const char *(*name)(const void *user, uint32_t state);
    const void *user;
    /* made here */
    ct_run_def run;
    uint64_t room;  /* for rows */
    double *column; /* the next row */
} ct_run_sheet;

bool ct_sheet_settle(ct_run_sheet *sheet); /* false after reporting (E525) */
void ct_sheet_open(ct_run_sheet *sheet);
/* The values in `column` as a row; false: no room is left. */
bool ct_sheet_put(ct_run_sheet *sheet, double t);
void ct_sheet_remark(const ct_run_sheet *sheet); /* after the run: W597, W598 */
/* W599, if the usual absolute tolerance is too large for something of this size. */
void ct_sheet_remark_size(const ct_run_sheet *sheet, const char *name, double most);

#endif
