/* table.c - the rows of units.def as tables. */
#include "units/table.h"

const ct_prefix_row ct_prefix_rows[] = {
#define PREFIX(symbol, name, power, example) {symbol, name, power, example},
#include "units/units.def"
};

const ct_unit_row ct_unit_rows[] = {
#define UNIT(symbol, prefixes, num, den, pi_power, m, kg, s, A, K, mol, cd, quantity)              \
    {symbol, prefixes, num, den, pi_power, {{m, kg, s, A, K, mol, cd}}, quantity},
#include "units/units.def"
};

const ct_dim_row ct_dim_rows[] = {
#define DIM(text, m, kg, s, A, K, mol, cd, quantity) {text, {{m, kg, s, A, K, mol, cd}}, quantity},
#include "units/units.def"
};

const size_t ct_prefix_row_count = sizeof ct_prefix_rows / sizeof *ct_prefix_rows;
const size_t ct_unit_row_count = sizeof ct_unit_rows / sizeof *ct_unit_rows;
const size_t ct_dim_row_count = sizeof ct_dim_rows / sizeof *ct_dim_rows;
