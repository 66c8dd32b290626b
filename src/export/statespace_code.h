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

/* Parameters that the matrices need, each after those that its default uses; then the symbols of
 * the operating point. */
ct_code_values ct_sheet_values(const ct_sheet *sheet);

/* False after reporting E534. */
bool ct_sheet_code_done(const ct_sheet *sheet, const ct_code *code, const char *language);

#endif
