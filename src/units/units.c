/* units.c - arithmetic of dimensions and of exact factors; reads units. */
#include "units/units.h"

#include <math.h>
#include <string.h>

#include "units/table.h"

/* Exponents come from sums and products of a few short decimals; this is far above their rounding
 * and far below any difference that means something. */
static const double SAME_EXPONENT = 1e-9;

bool ct_dim_equal(ct_dim a, ct_dim b)
{
    for (int i = 0; i < CT_BASE_UNITS; i++)
        if (!(fabs(a.e[i] - b.e[i]) <= SAME_EXPONENT))
            return false;
    return true;
}

bool ct_dim_is_one(ct_dim a)
{
    for (int i = 0; i < CT_BASE_UNITS; i++)
        if (!(fabs(a.e[i]) <= SAME_EXPONENT))
            return false;
    return true;
}

ct_dim ct_dim_none(void)
{
    return (ct_dim){{0}};
}

ct_dim ct_dim_product(ct_dim a, ct_dim b, double power)
{
    for (int i = 0; i < CT_BASE_UNITS; i++)
        a.e[i] += b.e[i] * power;
    return a;
}

/* ---- exact factors ------------------------------------------------------------------------ */

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool multiply(int64_t *a, int64_t b)
{
    if (*a > INT64_MAX / b)
        return false;
    *a *= b;
    return true;
}

/* unit *= num/den, all positive. Cancels first, so that it fails only if the result is too large.
 */
static bool scale(ct_unit *unit, int64_t num, int64_t den)
{
    int64_t own = common_divisor(num, den);
    num /= own;
    den /= own;
    int64_t down = common_divisor(unit->num, den), up = common_divisor(num, unit->den);
    unit->num /= down;
    unit->den /= up;
    return multiply(&unit->num, num / up) && multiply(&unit->den, den / down);
}

static bool integer_power(int64_t *base, int64_t power)
{
    int64_t result = 1;
    for (int64_t i = 0; *base > 1 && i < power; i++)
        if (!multiply(&result, *base))
            return false;
    *base = result;
    return true;
}

/* The integer whose q-th power is *value, if there is one. */
static bool integer_root(int64_t *value, int64_t q)
{
    if (*value == 1 || q == 1)
        return true;
    int64_t root = llround(pow((double)*value, 1.0 / (double)q)), check = root;
    if (!integer_power(&check, q) || check != *value)
        return false;
    *value = root;
    return true;
}

/* An exponent is p/q, in lowest terms, q > 0. */
typedef struct exponent {
    int64_t p, q;
} exponent;

static bool raise_unit(ct_unit *unit, exponent e, ct_unit_fault_kind *kind)
{
    *kind = CT_FAULT_INEXACT;
    if (!integer_root(&unit->num, e.q) || !integer_root(&unit->den, e.q) || unit->pi_power % e.q)
        return false;
    *kind = CT_FAULT_RANGE;
    int64_t size = e.p < 0 ? -e.p : e.p;
    if (!integer_power(&unit->num, size) || !integer_power(&unit->den, size))
        return false;
    if (e.p < 0) {
        int64_t num = unit->num;
        unit->num = unit->den;
        unit->den = num;
    }
    unit->pi_power = (int)(unit->pi_power / e.q * e.p);
    unit->dim = ct_dim_product(ct_dim_none(), unit->dim, (double)e.p / (double)e.q);
    return true;
}

/* ---- reading ------------------------------------------------------------------------------ */

static bool same_text(const char *symbol, const char *text, size_t length)
{
    return strlen(symbol) == length && memcmp(symbol, text, length) == 0;
}

/* Celsius is the only scale with a zero of its own; it is no column of the table. */
static void set_unit(ct_unit *unit, const ct_unit_row *row)
{
    bool absolute = strcmp(row->symbol, "degC") == 0 || strcmp(row->symbol, "°C") == 0;
    *unit = (ct_unit){row->dim, 1, 1, row->pi_power, absolute};
    scale(unit, row->num, row->den);
}

static const ct_prefix_row *find_prefix(const char *text, size_t length)
{
    for (size_t i = 0; i < ct_prefix_row_count; i++)
        if (same_text(ct_prefix_rows[i].symbol, text, length))
            return &ct_prefix_rows[i];
    return NULL;
}

static bool prefixed_symbol(const ct_unit_row *row, const char *text, size_t length, ct_unit *unit)
{
    size_t tail = strlen(row->symbol);
    if (!row->prefixes || tail >= length || memcmp(text + length - tail, row->symbol, tail) != 0)
        return false;
    const ct_prefix_row *prefix = find_prefix(text, length - tail);
    if (!prefix)
        return false;
    int64_t ten = 10;
    integer_power(&ten, prefix->power < 0 ? -prefix->power : prefix->power);
    set_unit(unit, row);
    if (!(prefix->power < 0 ? scale(unit, 1, ten) : scale(unit, ten, 1)))
        unit->num = 0;
    return true;
}

bool ct_unit_symbol(const char *text, size_t length, ct_unit *unit)
{
    for (size_t i = 0; i < ct_unit_row_count; i++)
        if (same_text(ct_unit_rows[i].symbol, text, length)) {
            set_unit(unit, &ct_unit_rows[i]);
            return true;
        }
    for (size_t i = 0; i < ct_unit_row_count; i++)
        if (prefixed_symbol(&ct_unit_rows[i], text, length, unit))
            return true;
    return false;
}

typedef struct reader {
    const char *at, *end;
    ct_unit_fault *fault;
} reader;

static bool fail(reader *r, ct_unit_fault_kind kind, const char *from, const char *to)
{
    *r->fault = (ct_unit_fault){kind, from, (size_t)(to - from)};
    return false;
}

static bool is_digit(const reader *r, const char *at)
{
    return at < r->end && *at >= '0' && *at <= '9';
}

/* Digits, added to *value; more than 12 in all are refused: no exponent needs them. */
static bool read_digits(reader *r, int64_t *value, int *count)
{
    for (; is_digit(r, r->at); r->at++) {
        *value = *value * 10 + (*r->at - '0');
        if (++*count > 12)
            return false;
    }
    return true;
}

/* After `^`. A dot belongs to the number only if a digit follows: `m^2.s`. */
static bool read_exponent(reader *r, exponent *e)
{
    const char *start = r->at++;
    int digits = 0, places = 0;
    bool minus = r->at < r->end && *r->at == '-';
    if (r->at < r->end && (*r->at == '-' || *r->at == '+'))
        r->at++;
    *e = (exponent){0, 10};
    bool ok = read_digits(r, &e->p, &digits);
    int whole = digits;
    if (ok && digits && r->at < r->end && *r->at == '.' && is_digit(r, r->at + 1)) {
        r->at++;
        ok = read_digits(r, &e->p, &digits);
    }
    places = digits - whole;
    if (!ok || !digits)
        return fail(r, CT_FAULT_EXPONENT, start, r->end);
    integer_power(&e->q, places);
    int64_t shared = common_divisor(e->p, e->q);
    *e = (exponent){(minus ? -e->p : e->p) / shared, e->q / shared};
    return true;
}

static bool is_operator(char c)
{
    return c == '.' || c == '/' || c == '^';
}

/* A symbol with its exponent. */
static bool read_factor(reader *r, ct_unit *unit)
{
    const char *start = r->at;
    while (r->at < r->end && !is_operator(*r->at))
        r->at++;
    if (!ct_unit_symbol(start, (size_t)(r->at - start), unit))
        return fail(r, CT_FAULT_UNKNOWN, start, r->at);
    if (!unit->num)
        return fail(r, CT_FAULT_RANGE, start, r->at);
    if (r->at == r->end || *r->at != '^')
        return true;
    exponent e;
    ct_unit_fault_kind kind;
    const char *symbol_end = r->at;
    if (!read_exponent(r, &e))
        return false;
    if (unit->absolute)
        return fail(r, CT_FAULT_ABSOLUTE, start, symbol_end);
    return raise_unit(unit, e, &kind) || fail(r, kind, start, r->at);
}

/* unit times or divided by the factor that follows the operator. */
static bool read_more(reader *r, ct_unit *unit)
{
    char sign = *r->at++;
    const char *start = r->at;
    if (sign != '.' && sign != '/')
        return fail(r, CT_FAULT_JUNK, start - 1, r->end);
    if (r->at == r->end || is_operator(*r->at))
        return fail(r, sign == '/' ? CT_FAULT_DIVISOR : CT_FAULT_AFTER, start - 1, start);
    ct_unit f;
    if (!read_factor(r, &f))
        return false;
    if (f.absolute)
        return fail(r, CT_FAULT_ABSOLUTE, start, r->at);
    unit->dim = ct_dim_product(unit->dim, f.dim, sign == '/' ? -1 : 1);
    unit->pi_power += sign == '/' ? -f.pi_power : f.pi_power;
    if (sign == '/' ? scale(unit, f.den, f.num) : scale(unit, f.num, f.den))
        return true;
    return fail(r, CT_FAULT_RANGE, start, r->at);
}

/* `1`, alone or before a slash, is a unit that is not there. */
static bool read_first(reader *r, ct_unit *unit)
{
    *unit = (ct_unit){ct_dim_none(), 1, 1, 0, false};
    if (*r->at == '1' && (r->at + 1 == r->end || r->at[1] == '/')) {
        r->at++;
        return true;
    }
    return read_factor(r, unit);
}

bool ct_unit_parse(const char *text, size_t length, ct_unit *unit, ct_unit_fault *fault)
{
    reader r = {text, text + length, fault};
    if (!length)
        return fail(&r, CT_FAULT_EMPTY, text, text);
    if (is_operator(*text))
        return fail(&r, CT_FAULT_UNKNOWN, text, r.end);
    if (!read_first(&r, unit))
        return false;
    const char *first_end = r.at;
    if (unit->absolute && r.at < r.end)
        return fail(&r, CT_FAULT_ABSOLUTE, text, first_end);
    while (r.at < r.end)
        if (!read_more(&r, unit))
            return false;
    return true;
}

bool ct_unit_read(ct_context *ctx, const char *text, size_t length, ct_unit *unit,
                  const char **problem, const char **hint)
{
    ct_unit_fault fault;
    *problem = *hint = NULL;
    if (ct_unit_parse(text, length, unit, &fault))
        return true;
    *unit = (ct_unit){ct_dim_none(), 1, 1, 0, false};
    ct_unit_explain(ctx, text, length, fault, problem, hint);
    return false;
}
