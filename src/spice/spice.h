/* spice.h - netlists of SPICE as models.
 *
 * A netlist becomes the same syntax tree as a model text: `.subckt` and `.model` become systems,
 * `.param` a param, `.func` a function, cards of devices components of library elements, so that
 * all later stages know nothing of netlists. Included files are put in place (ct_source_piece), so
 * that every node of the tree has its place in one text and messages name the file that it came
 * from.
 */
#ifndef CT_SPICE_SPICE_H
#define CT_SPICE_SPICE_H

#include <complex.h>
#include <math.h>

#include "lang/syntax.h"

/* Whole steps of a sweep that was divided into this many; a last one may be lost by rounding. */
static inline double ct_whole_steps(double steps)
{
    const double relative = 1e-12, absolute = 1e-9;
    return floor(steps * (1 + relative) + absolute);
}

/* A source that `.ac` drives: the phasor is re + i im. */
typedef struct ct_phasor {
    const char *input; /* of the model: V1, X1.V2 */
    double re, im;
} ct_phasor;

/* A formula: a tree of nodes. REF nodes with op 1 are columns of the rows, with op 2 measures;
 * their number stands in place of the name. */
enum { CT_FORMULA_COLUMN = 1, CT_FORMULA_MEASURE = 2 };

/* A column of .ac: a formula of outputs, which are phasors. */
typedef struct ct_ac_column {
    const char *name;
    ct_node formula;
    bool real; /* one number; otherwise magnitude, phase, real and imaginary part */
} ct_ac_column;

/* Where a curve passes a value, or another curve: the n-th time in one direction, behind td. */
typedef struct ct_crossing {
    ct_node curve, other; /* other 0: value */
    double value, td, at; /* at: the place itself; NaN: it is looked for */
    int direction;        /* 1: rise, -1: fall, 0: both */
    int number;           /* 0: the last one */
} ct_crossing;

typedef enum ct_meas_kind {
    CT_MEAS_DISTANCE, /* trig .. targ */
    CT_MEAS_WHEN,
    CT_MEAS_FIND,
    CT_MEAS_SLOPE,
    CT_MEAS_MAX,
    CT_MEAS_MIN,
    CT_MEAS_PP,
    CT_MEAS_AVG,
    CT_MEAS_RMS,
    CT_MEAS_INTEG,
    CT_MEAS_MAX_AT,
    CT_MEAS_MIN_AT,
    CT_MEAS_PARAM
} ct_meas_kind;

typedef struct ct_meas {
    const char *name;
    ct_meas_kind kind;
    ct_node curve; /* or the expression of PARAM */
    ct_crossing trig, targ;
    double from, to; /* NaN: ends of the rows */
    ct_place place;
} ct_meas;

typedef struct ct_netlist {
    const ct_analysis *analysis;
    uint32_t analysis_count;
    const ct_phasor *phasor;
    uint32_t phasor_count;
    uint32_t shown; /* outputs behind these are there for measures only */
    const ct_ac_column *column;
    uint32_t column_count;
    const ct_meas *measure;
    uint32_t measure_count;
} ct_netlist;

/* The value of a formula at a row: outputs and measures are given as arrays. */
double complex ct_formula_value(const ct_syntax *syntax, ct_node formula,
                                const double complex *column, const double *measure);

/* By the ending: .cir, .sp, .spice, .net, .ckt. */
bool ct_is_netlist(const char *path);

#define CT_SPICE_USUAL  UINT32_MAX       /* a run in time */
#define CT_SPICE_POINT  (UINT32_MAX - 1) /* an operating point */
#define CT_SPICE_NO_RUN UINT64_MAX

/* analysis: which of the netlist's own the tree is for, or one of the two above. Sources have their
 * DC values, and what `.dc` sweeps is a param, in all but runs in time. run: which one of those
 * that
 * `.step` asks for; CT_SPICE_NO_RUN: values as they are written. */
const ct_syntax *ct_spice_parse(ct_context *ctx, uint32_t source, uint32_t analysis, uint64_t run);

#endif
