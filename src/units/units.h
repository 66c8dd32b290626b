/* units.h - physical dimensions and units.
 *
 * A dimension is seven exponents. They are doubles because flow laws such as q^1.852 give
 * parameters with odd exponents; two dimensions are equal when no exponent differs by more than
 * 1e-9.
 */
#ifndef CT_UNITS_UNITS_H
#define CT_UNITS_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { CT_METRE, CT_KILOGRAM, CT_SECOND, CT_AMPERE, CT_KELVIN, CT_MOLE, CT_CANDELA, CT_BASE_UNITS };

typedef struct ct_dim {
    double e[CT_BASE_UNITS];
} ct_dim;

bool ct_dim_equal(ct_dim a, ct_dim b);
bool ct_dim_is_one(ct_dim a);
ct_dim ct_dim_none(void);                                /* dimensionless */
ct_dim ct_dim_product(ct_dim a, ct_dim b, double power); /* a * b^power */

/* A unit: SI value = number * num/den * pi^pi_power, plus 273.15 for degC. Exact. */
typedef struct ct_unit {
    ct_dim dim;
    int64_t num, den;
    int pi_power;
    bool absolute; /* degC */
} ct_unit;

/* Reads a unit such as `mV.s/rad`, `kg.m^2`, `1/s`, `m^2/V/s`, `s^-1`, `Pa^0.5`. A second `/`
 * divides again. False: *problem says why in a few words ("unknown unit `foo`"), *hint (or NULL)
 * what may have been meant ("uF"); both live in the context. */
bool ct_unit_read(ct_context *ctx, const char *text, size_t length, ct_unit *unit,
                  const char **problem, const char **hint);

/* How a person would write a dimension: "ohm", "N.m/A", "kg.m^2", "1" (dimensionless). */
void ct_dim_put(ct_text *text, ct_dim dim);
const char *ct_dim_text(ct_arena *arena, ct_dim dim);
/* The physical quantity if it has a well-known name ("resistance", "force"), else NULL. */
const char *ct_dim_quantity(ct_dim dim);

#endif
