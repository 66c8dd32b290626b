/* dim.c - dimensions in words. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "units/table.h"
#include "units/units.h"

static const double rounded_power = 1e-9; /* exponents are fractions of small numbers */

static const char *const base_symbols[CT_BASE_UNITS] = {"m", "kg", "s", "A", "K", "mol", "cd"};

/* The order in which people write them. */
static const int written_order[CT_BASE_UNITS] = {CT_KILOGRAM, CT_METRE, CT_SECOND, CT_AMPERE,
                                                 CT_KELVIN,   CT_MOLE,  CT_CANDELA};

static bool is_zero(double e)
{
    return fabs(e) <= rounded_power;
}

/* ^2 or ^0.5: ten places, without the zeros at the end; nothing for 1. Integers only, so that no
 * locale turns the point into a comma. */
static void put_exponent(ct_text *text, double e)
{
    const int64_t one = 10000000000;
    if (!(fabs(e) < 9e8)) {
        ct_putf(text, "^%.0f", e);
        return;
    }
    int64_t scaled = llround(e * (double)one), part = scaled % one;
    if (scaled == one)
        return;
    ct_putf(text, "^%" PRId64, scaled / one);
    if (!part)
        return;
    int places = 10;
    for (; part % 10 == 0; part /= 10)
        places--;
    ct_putf(text, ".%0*" PRId64, places, part);
}

/* A factor of the product, with its operator. */
static void put_factor(ct_text *text, const char *symbol, double e, bool first)
{
    if (e < 0 && first)
        ct_put_char(text, '1');
    if (e < 0 || !first)
        ct_put_char(text, e < 0 ? '/' : '.');
    ct_put(text, symbol);
    put_exponent(text, fabs(e));
}

typedef struct factor {
    const char *symbol;
    double e;
} factor;

/* What multiplies first, then what divides; a lead factor before the base units. */
static void put_product(ct_text *text, const char *lead, double lead_power, ct_dim rest)
{
    factor list[CT_BASE_UNITS + 1];
    int count = 0;
    if (lead)
        list[count++] = (factor){lead, lead_power};
    for (int i = 0; i < CT_BASE_UNITS; i++) {
        int base = written_order[i];
        if (!is_zero(rest.e[base]))
            list[count++] = (factor){base_symbols[base], rest.e[base]};
    }
    bool first = true;
    for (int sign = 1; sign >= -1; sign -= 2)
        for (int i = 0; i < count; i++)
            if (list[i].e * sign > 0) {
                put_factor(text, list[i].symbol, list[i].e, first);
                first = false;
            }
}

/* How long a power looks, and a product of base units. */
static int power_cost(double e)
{
    return is_zero(e) ? 0 : is_zero(fabs(e) - 1) ? 2 : 3;
}

static int cost(ct_dim dim)
{
    int sum = 0;
    for (int i = 0; i < CT_BASE_UNITS; i++)
        sum += power_cost(dim.e[i]);
    return sum;
}

/* Derived units that may lead a product, and their powers. */
static const char *const leads[] = {"V", "N", "Pa", "W", "ohm", "C", "J"};
static const double lead_powers[] = {1, -1, 2, -2};

/* The shortest of the product of base units and those with one derived unit: `V/m^2`. */
static void put_shortest(ct_text *text, ct_dim dim)
{
    const char *best = NULL;
    double best_power = 0;
    ct_dim best_rest = dim;
    size_t powers = sizeof lead_powers / sizeof *lead_powers;
    for (size_t i = 0; i < powers * sizeof leads / sizeof *leads; i++) {
        const char *symbol = leads[i / powers];
        double power = lead_powers[i % powers];
        ct_unit lead;
        ct_unit_symbol(symbol, strlen(symbol), &lead);
        ct_dim rest = ct_dim_product(dim, lead.dim, -power);
        if (cost(rest) + power_cost(power) < cost(best_rest) + power_cost(best_power)) {
            best = symbol;
            best_power = power;
            best_rest = rest;
        }
    }
    put_product(text, best, best_power, best_rest);
}

static const ct_dim_row *find_dim_row(ct_dim dim)
{
    for (size_t i = 0; i < ct_dim_row_count; i++)
        if (ct_dim_equal(ct_dim_rows[i].dim, dim))
            return &ct_dim_rows[i];
    return NULL;
}

static const ct_unit_row *find_unit_row(ct_dim dim, bool coherent)
{
    for (size_t i = 0; i < ct_unit_row_count; i++) {
        const ct_unit_row *row = &ct_unit_rows[i];
        if (ct_dim_equal(row->dim, dim) && (!coherent || (row->num == row->den && !row->pi_power)))
            return row;
    }
    return NULL;
}

void ct_dim_put(ct_text *text, ct_dim dim)
{
    if (ct_dim_is_one(dim)) {
        ct_put_char(text, '1');
        return;
    }
    const ct_dim_row *row = find_dim_row(dim);
    const ct_unit_row *unit = row ? NULL : find_unit_row(dim, true);
    if (row)
        ct_put(text, row->text);
    else if (unit)
        ct_put(text, unit->symbol);
    else
        put_shortest(text, dim);
}

const char *ct_dim_text(ct_arena *arena, ct_dim dim)
{
    ct_text text = ct_text_new(arena);
    ct_dim_put(&text, dim);
    return ct_text_string(&text);
}

const char *ct_dim_quantity(ct_dim dim)
{
    if (ct_dim_is_one(dim))
        return NULL;
    const ct_dim_row *row = find_dim_row(dim);
    const ct_unit_row *unit = row ? NULL : find_unit_row(dim, false);
    return row ? row->quantity : unit ? unit->quantity : NULL;
}
