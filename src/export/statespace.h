/* statespace.h - state-space matrices for people and for programs.
 *
 * A sheet is made first: the matrices with names z1, z2, .. for what is long; the writers print it.
 *
 * JSON: {"model", "linear", "states", "inputs", "outputs", "A", "B", "C", "D", "E", "F"}: matrices
 * of texts, or of numbers when the state space has them. Besides "E2", "F2", .. when second
 * derivatives of inputs occur; "W" in descriptor form; "constant": {"states", "outputs"} when a
 * linear model has constant terms; "transfer_functions": [{"output", "input", "num", "den"}],
 * coefficients by falling powers of s; with numbers "poles": [{"re", "im",
 * "frequency", "damping", "time"}] and "zeros": [{"output", "input", "zeros": like poles}];
 * "margins": [{"output", "input", "gain_margin" [dB], "phase_margin" [deg], "delay_margin" [s],
 * "bandwidth" [rad/s], "closed_loop_stable", "modes_outside_die_out", "phase_crossovers":
 * [{"omega", "gain_margin"}], "gain_crossovers": [{"omega", "phase_margin"}]}]; "steps":
 * [{"output", "input", "settles", "final", "rise_time", "settling_time", "overshoot", "undershoot",
 * "peak", "peak_time"}]; "definitions": [{"name", "value"}] of z1, ..; "operating_point" with
 * numbers; "diagnostics": what was reported.
 */
#ifndef CT_EXPORT_STATESPACE_H
#define CT_EXPORT_STATESPACE_H

#include "base/json.h"
#include "export/lti_show.h"
#include "export/parts.h"
#include "study/statespace.h"
#include "study/transfer.h"

typedef struct ct_sheet_matrix {
    const char *name; /* "A" */
    ct_entries entry;
    const double *number; /* dense, by rows; NULL: symbolic */
} ct_sheet_matrix;

typedef struct ct_sheet {
    const ct_statespace *ss;
    const ct_statespace_show *show;
    ct_context *ctx;
    ct_arena *arena;
    ct_pool *pool;
    uint32_t n; /* states shown */
    ct_sheet_matrix *matrix;
    uint32_t matrix_count;
    ct_entries a, c;
    const ct_part *part;
    uint32_t part_count;
    const ct_lti *lti;             /* NULL: nothing of it is asked for */
    const ct_transfers *transfers; /* NULL: none */
    const ct_part *transfer_part;  /* of their pool; numbers follow those of the others */
    uint32_t transfer_part_count;
} ct_sheet;

/* False: no such format, or after reporting that it cannot express the matrices (E534). */
bool ct_statespace_put(const ct_statespace *ss, const ct_statespace_show *show, ct_text *out);
bool ct_statespace_has_format(const char *word); /* NULL: text */
/* How it was made, as JSON. */
void ct_statespace_put_effort(const ct_statespace *ss, ct_text *out);

/* As a picture, CSV or JSON. False after reporting (E535). */
bool ct_statespace_put_response(const ct_statespace *ss, ct_response response,
                                const ct_response_choice *choice, ct_text *out);

/* ---- the formats */
const char *ct_sheet_state(const ct_sheet *sheet, uint32_t i);
const char *ct_sheet_input(const ct_sheet *sheet, uint32_t i);
const char *ct_sheet_output(const ct_sheet *sheet, uint32_t i);
void ct_sheet_number(char *text, size_t room, double value); /* seven digits */
bool ct_sheet_is_zero(const ct_sheet_matrix *m);
/* Entries row by row as expressions, 0 where nothing stands; rows * cols of them. */
const ct_expr *ct_sheet_dense(const ct_sheet *sheet, const ct_entries *e);
void ct_sheet_put_transfers_text(const ct_sheet *sheet, ct_text *out);
void ct_sheet_put_transfers_json(const ct_sheet *sheet, ct_json *j);
void ct_sheet_put_transfers_latex(const ct_sheet *sheet, ct_text *out);
/* Poles, zeros, transfer functions in numbers, as asked for; of text and JSON. */
void ct_sheet_put_lti_text(const ct_sheet *sheet, ct_text *out);
void ct_sheet_put_lti_json(const ct_sheet *sheet, ct_json *j);
void ct_sheet_put_point_json(const ct_sheet *sheet, ct_json *j);
/* A network in numbers: its entries as lists, in any format (statespace_sparse.c). */
bool ct_sheet_put_sparse(const ct_sheet *sheet, const char *format, ct_text *out);
/* Impedances of fields by hyperbolic functions; of text and JSON ("exact"). */
void ct_sheet_put_exact_text(const ct_sheet *sheet, ct_text *out);
void ct_sheet_put_exact_json(const ct_sheet *sheet, ct_json *j);
bool ct_sheet_all_exact(const ct_sheet *sheet); /* there are fields, and all have impedances */
bool ct_statespace_has_exact(const ct_statespace *ss); /* false after reporting (E422) */
/* The object of the i-th pair of output and input, which stays open. */
void ct_sheet_open_pair(const ct_sheet *sheet, uint32_t i, ct_json *j);
/* The writers; false after reporting. */
#define STATESPACE_FORMAT(word, endings, writer, longest, broken, shortest, gain, help)            \
    bool writer(const ct_sheet *sheet, ct_text *out);
#include "export/formats.def"

#endif
