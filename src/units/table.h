/* table.h - the rows of units.def as data, and reading without messages. For this folder only. */
#ifndef CT_UNITS_TABLE_H
#define CT_UNITS_TABLE_H

#include <stddef.h>

#include "units/units.h"

typedef struct ct_prefix_row {
    const char *symbol, *name;
    int power;           /* of ten */
    const char *example; /* a common unit with this prefix */
} ct_prefix_row;

typedef struct ct_unit_row {
    const char *symbol;
    bool prefixes; /* may follow an SI prefix */
    int64_t num, den;
    int pi_power;
    ct_dim dim;
    const char *quantity;
} ct_unit_row;

typedef struct ct_dim_row {
    const char *text;
    ct_dim dim;
    const char *quantity;
} ct_dim_row;

extern const ct_prefix_row ct_prefix_rows[];
extern const ct_unit_row ct_unit_rows[];
extern const ct_dim_row ct_dim_rows[];
extern const size_t ct_prefix_row_count, ct_unit_row_count, ct_dim_row_count;

/* Why a unit cannot be read: X(name, text before the faulty stretch, text after it). */
#define CT_UNIT_FAULT_LIST(X)                                                                      \
    X(EMPTY, "a unit is missing", NULL)                                                            \
    X(AFTER, "a unit is missing after `", "`")                                                     \
    X(DIVISOR, "a unit is missing after `", "` (each divisor has its own slash: W/m^2/K)")         \
    X(UNKNOWN, "unknown unit `", "`")                                                              \
    X(ABSOLUTE, "`", "` is an absolute temperature and stands alone; differences are in K")        \
    X(EXPONENT, "`", "` should be an exponent such as ^2, ^-1 or ^0.5")                            \
    X(JUNK, "`", "` cannot follow the exponent")                                                   \
    X(INEXACT, "`", "` has no rational factor to SI; take the root of a unit without prefix")      \
    X(RANGE, "with `", "` the factor to SI is too large or too small to be exact")

typedef enum ct_unit_fault_kind {
#define CT_UNIT_FAULT_ENUM(name, before, after) CT_FAULT_##name,
    CT_UNIT_FAULT_LIST(CT_UNIT_FAULT_ENUM)
#undef CT_UNIT_FAULT_ENUM
} ct_unit_fault_kind;

typedef struct ct_unit_fault {
    ct_unit_fault_kind kind;
    const char *at; /* the faulty stretch of the text */
    size_t length;
} ct_unit_fault;

/* One symbol with or without prefix: `mV`. num is 0 when the factor does not fit (`ag`). */
bool ct_unit_symbol(const char *text, size_t length, ct_unit *unit);

/* A whole unit. False: *fault says what is wrong where. */
bool ct_unit_parse(const char *text, size_t length, ct_unit *unit, ct_unit_fault *fault);

/* Puts a fault into words. */
void ct_unit_explain(ct_context *ctx, const char *text, size_t length, ct_unit_fault fault,
                     const char **problem, const char **hint);

#endif
