/* statespace_code.h - private to the code formats of state spaces: the symbols that need values. */
#ifndef CT_EXPORT_STATESPACE_CODE_H
#define CT_EXPORT_STATESPACE_CODE_H

#include "export/code.h"
#include "export/statespace.h"

typedef struct ct_code_value {
    ct_name symbol;
    ct_expr expr;   /* default over symbols before it; 0: a number */
    double number;  /* NaN: it must be given */
    bool parameter; /* else of the operating point */
} ct_code_value;

typedef CT_VEC(ct_code_value) ct_code_values;

/* How a language writes what all of them write: "    R = given 'R', 5;" and "    sys.A(1, 2) = x;".
 */
typedef struct ct_code_dialect {
    ct_code_language language;
    const char *name;
    const char *absent, *infinite; /* numbers that are none */
    const char *given,
        *given_name;    /* before the name of a parameter, and between it and its value */
    const char *matrix; /* before the name of a matrix */
    const char *zeros, *zeros_end; /* around its size */
    const char *open, *close;      /* around row and column */
    uint32_t first;                /* row */
} ct_code_dialect;

/* Parameters, shared parts and matrices, one line each. */
void ct_sheet_put_values(const ct_sheet *sheet, const ct_code_dialect *dialect,
                         const ct_code_values *values, ct_code_writer *code);
void ct_sheet_put_parts(const ct_sheet *sheet, ct_code_writer *code);
void ct_sheet_put_matrices(const ct_sheet *sheet, const ct_code_dialect *dialect,
                           ct_code_writer *code);

/* Parameters that the matrices need, each after those that its default uses; then the symbols of
 * the operating point. */
ct_code_values ct_sheet_values(const ct_sheet *sheet);

/* False after reporting E534. */
bool ct_sheet_code_done(const ct_sheet *sheet, const ct_code_writer *code, const char *language);

#endif
