/* test_units.c - reading units, printing dimensions. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "units/table.h"
#include "units/units.h"
#include "unit/test_shortage.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static int make_context(void **state)
{
    *state = ct_context_new(NULL);
    return *state ? 0 : -1;
}

static int free_context(void **state)
{
    ct_context_free(*state);
    return 0;
}

/* Every test runs inside ct_protect, as all callers do. */
static void protect(void **state, void (*body)(void *))
{
    assert_int_equal(ct_protect(*state, body, *state), CT_OK);
}

static bool read_text(ct_context *ctx, const char *text, ct_unit *unit)
{
    const char *problem, *hint;
    return ct_unit_read(ctx, text, strlen(text), unit, &problem, &hint);
}

static const char *put_text(ct_context *ctx, ct_dim dim)
{
    ct_text text = ct_text_new(ctx->base);
    ct_dim_put(&text, dim);
    return ct_text_string(&text);
}

/* ---- reading ------------------------------------------------------------------------------ */

/* clang-format off */
static const struct read_case {
    const char *text;
    int64_t num, den;
    int pi_power;
    double e[CT_BASE_UNITS]; /* m kg s A K mol cd */
} read_cases[] = {
    {"m",            1, 1,                        0, {1}},
    {"km",           1000, 1,                     0, {1}},
    {"mm",           1, 1000,                     0, {1}},
    {"um",           1, 1000000,                  0, {1}},
    {"µm",           1, 1000000,                  0, {1}}, /* U+00B5 */
    {"μm",           1, 1000000,                  0, {1}}, /* U+03BC */
    {"nm",           1, 1000000000,               0, {1}},
    {"dam",          10, 1,                       0, {1}},
    {"cm^2",         1, 10000,                    0, {2}},
    {"mm^4",         1, 1000000000000,            0, {4}},
    {"kg",           1, 1,                        0, {0, 1}},
    {"g",            1, 1000,                     0, {0, 1}},
    {"mg",           1, 1000000,                  0, {0, 1}},
    {"Mg",           1000, 1,                     0, {0, 1}},
    {"tonne",        1000, 1,                     0, {0, 1}},
    {"min",          60, 1,                       0, {0, 0, 1}},
    {"h",            3600, 1,                     0, {0, 0, 1}},
    {"d",            86400, 1,                    0, {0, 0, 1}},
    {"fs",           1, 1000000000000000,         0, {0, 0, 1}},
    {"mA",           1, 1000,                     0, {0, 0, 0, 1}},
    {"K",            1, 1,                        0, {0, 0, 0, 0, 1}},
    {"mol",          1, 1,                        0, {0, 0, 0, 0, 0, 1}},
    {"cd",           1, 1,                        0, {0, 0, 0, 0, 0, 0, 1}},
    {"mcd",          1, 1000,                     0, {0, 0, 0, 0, 0, 0, 1}},
    {"rad",          1, 1,                        0, {0}},
    {"deg",          1, 180,                      1, {0}},
    {"rev",          2, 1,                        1, {0}},
    {"rpm",          1, 30,                       1, {0, 0, -1}},
    {"krpm",         100, 3,                      1, {0, 0, -1}},
    {"rev/min",      1, 30,                       1, {0, 0, -1}},
    {"deg/s^2",      1, 180,                      1, {0, 0, -2}},
    {"1/deg",        180, 1,                      -1, {0}},
    {"kHz",          1000, 1,                     0, {0, 0, -1}},
    {"N",            1, 1,                        0, {1, 1, -2}},
    {"T",            1, 1,                        0, {0, 1, -2, -1}},
    {"Pa",           1, 1,                        0, {-1, 1, -2}},
    {"GPa",          1000000000, 1,               0, {-1, 1, -2}},
    {"bar",          100000, 1,                   0, {-1, 1, -2}},
    {"mbar",         100, 1,                      0, {-1, 1, -2}},
    {"atm",          101325, 1,                   0, {-1, 1, -2}},
    {"psi",          8896443230521, 1290320000,   0, {-1, 1, -2}},
    {"lbf/in^2",     8896443230521, 1290320000,   0, {-1, 1, -2}},
    {"mmHg",         26664477483, 200000000,      0, {-1, 1, -2}},
    {"ohm",          1, 1,                        0, {2, 1, -3, -2}},
    {"kΩ",           1000, 1,                     0, {2, 1, -3, -2}}, /* U+03A9 */
    {"MΩ",           1000000, 1,                  0, {2, 1, -3, -2}}, /* U+2126 */
    {"uF",           1, 1000000,                  0, {-2, -1, 4, 2}},
    {"mH",           1, 1000,                     0, {2, 1, -2, -2}},
    {"L",            1, 1000,                     0, {3}},
    {"L/min",        1, 60000,                    0, {3, 0, -1}},
    {"mL",           1, 1000000,                  0, {3}},
    {"kWh",          3600000, 1,                  0, {2, 1, -2}},
    {"mAh",          18, 5,                       0, {0, 0, 1, 1}},
    {"hp",           37284993579113511, 50000000000000, 0, {2, 1, -3}},
    {"ft.lbf/s",     0, 0,                        0, {2, 1, -3}}, /* 0: factor checked elsewhere */
    {"in",           127, 5000,                   0, {1}},
    {"ft",           381, 1250,                   0, {1}},
    {"mph",          1397, 3125,                  0, {1, 0, -1}},
    {"mi/h",         1397, 3125,                  0, {1, 0, -1}},
    {"km/h",         5, 18,                       0, {1, 0, -1}},
    {"lb",           45359237, 100000000,         0, {0, 1}},
    {"lbf",          8896443230521, 2000000000000, 0, {1, 1, -2}},
    {"mV.s/rad",     1, 1000,                     0, {2, 1, -2, -1}},
    {"mN.m/A",       1, 1000,                     0, {2, 1, -2, -1}},
    {"kg.m^2",       1, 1,                        0, {2, 1}},
    {"1/s",          1, 1,                        0, {0, 0, -1}},
    {"1/ms",         1000, 1,                     0, {0, 0, -1}},
    {"s^-1",         1, 1,                        0, {0, 0, -1}},
    {"m^2/V/s",      1, 1,                        0, {0, -1, 2, 1}},
    {"1/s.m",        1, 1,                        0, {1, 0, -1}},
    {"Pa^0.5",       1, 1,                        0, {-0.5, 0.5, -1}},
    {"cm^0.5",       1, 10,                       0, {0.5}},
    {"mm^-2",        1000000, 1,                  0, {-2}},
    {"m^1.852",      1, 1,                        0, {1.852}},
    {"m^2.s",        1, 1,                        0, {2, 0, 1}},
    {"m^2.5.s",      1, 1,                        0, {2.5, 0, 1}},
    {"m^+3",         1, 1,                        0, {3}},
    {"km^0",         1, 1,                        0, {0}},
    {"km^6",         1000000000000000000, 1,      0, {6}},
    {"km^6/Mm^2",    1000000, 1,                  0, {4}},
    {"%",            1, 100,                      0, {0}},
    {"1",            1, 1,                        0, {0}},
};

/* hint NULL: none; the problem must contain this. */
static const struct fail_case {
    const char *text, *problem, *hint;
} fail_cases[] = {
    {"",             "a unit is missing",                                  NULL},
    {"foo",          "unknown unit `foo`",                                 NULL},
    {"Ohm",          "unknown unit `Ohm`",                                 "ohm"},
    {"kOhm",         "unknown unit `kOhm`",                                "kohm"},
    {"KHz",          "unknown unit `KHz`",                                 "kHz"},
    {"Kg",           "unknown unit `Kg`",                                  "kg"},
    {"hz",           "unknown unit `hz`",                                  "Hz"},
    {"Mpa",          "unknown unit `Mpa`",                                 "MPa"},
    {"hpa",          "unknown unit `hpa`",                                 "hPa"},
    {"sec",          "unknown unit `sec`",                                 "s"},
    {"m/sec",        "unknown unit `sec`",                                 "m/s"},
    {"volt",         "unknown unit `volt`",                                "V"},
    {"Volts",        "unknown unit `Volts`",                               "V"},
    {"Volts/sec",    "unknown unit `Volts`",                               "V"},
    {"amps",         "unknown unit `amps`",                                "A"},
    {"millimeters",  "unknown unit `millimeters`",                         "mm"},
    {"kilogram",     "unknown unit `kilogram`",                            "kg"},
    {"MegaOhm",      "unknown unit `MegaOhm`",                             "Mohm"},
    {"degrees",      "unknown unit `degrees`",                             "deg"},
    {"degF",         "unknown unit `degF`",                                "degC"},
    {"Nm",           "unknown unit `Nm`",                                  "N.m"},
    {"mNm/A",        "unknown unit `mNm`",                                 "mN.m/A"},
    {"kN*m",         "unknown unit",                                       "kN.m"},
    {"N-m",          "unknown unit",                                       "N.m"},
    {"N·m",          "unknown unit",                                       "N.m"},
    {"m/s²",         "unknown unit",                                       "m/s^2"},
    {"s-1",          "unknown unit",                                       "s^-1"},
    {"m/s2",         "unknown unit `s2`",                                  "m/s^2"},
    {"ohmm",         "unknown unit `ohmm`",                                "ohm"},
    {"u",            "`u` is a prefix without a unit",                     "uF"},
    {"k",            "`k` is a prefix without a unit",                     "kohm"},
    {"M",            "`M` is a prefix without a unit",                     "Mohm"},
    {"n",            "`n` is a prefix without a unit",                     "nF"},
    {"p",            "`p` is a prefix without a unit",                     "pF"},
    {"µ",            "is a prefix without a unit",                         "uF"},
    {"N/k",          "to divide by a parameter put spaces around the `/`", "N/kohm"},
    {"N/k1",         "to divide by a parameter put spaces around the `/`", NULL},
    {"N/m1",         "to divide by a parameter put spaces around the `/`", NULL},
    {"N/length",     "to divide by a parameter put spaces around the `/`", NULL},
    {"pi",           "a unit was expected, but `pi` is a number: write 2*pi", NULL},
    {"t",            "a unit was expected, but `t` is the time",           NULL},
    {"eV",           "unknown unit `eV` (it is 1.602176634e-19 J)",        NULL},
    {"W/",           "a unit is missing after `/` (each divisor",          NULL},
    {"W.",           "a unit is missing after `.`",                        NULL},
    {"m..s",         "a unit is missing after `.`",                        NULL},
    {"/s",           "unknown unit `/s`",                                  NULL},
    {"1.m",          "unknown unit `1`",                                   NULL},
    {"2/s",          "unknown unit `2`",                                   NULL},
    {"m^",           "should be an exponent",                              NULL},
    {"m^x",          "should be an exponent",                              NULL},
    {"m^-",          "should be an exponent",                              NULL},
    {"m^.5",         "should be an exponent",                              NULL},
    {"m^1234567890123", "should be an exponent",                           NULL},
    {"m^2s",         "`s` cannot follow the exponent",                     NULL},
    {"m^2^2",        "`^2` cannot follow the exponent",                    NULL},
    {"km^7",         "with `km^7` the factor to SI is too large",          NULL},
    {"mm^6/km",      "with `km` the factor to SI is too large",            NULL},
    {"hp^2",         "with `hp^2` the factor to SI is too large",          NULL},
    {"ag",           "with `ag` the factor to SI is too large or too small", NULL},
    {"km^999999",    "too large or too small",                             NULL},
    {"km^0.5",       "`km^0.5` has no rational factor",                    NULL},
    {"deg^0.5",      "`deg^0.5` has no rational factor",                   NULL},
    {"degC/s",       "`degC` is an absolute temperature",                  "K/s"},
    {"1/degC",       "`degC` is an absolute temperature",                  "1/K"},
    {"W/degC",       "`degC` is an absolute temperature",                  "W/K"},
    {"degC^2",       "`degC` is an absolute temperature",                  "K^2"},
};

static const struct print_case {
    const char *text, *printed, *quantity; /* quantity NULL: none */
} print_cases[] = {
    {"1",            "1",            NULL},
    {"rad",          "1",            NULL},
    {"mm",           "m",            "length"},
    {"g",            "kg",           "mass"},
    {"min",          "s",            "time"},
    {"degC",         "K",            "temperature"},
    {"V/A",          "ohm",          "resistance"},
    {"A/V",          "S",            "conductance"},
    {"W/A",          "V",            "voltage"},
    {"A.s",          "C",            "electric charge"},
    {"C/V",          "F",            "capacitance"},
    {"V.s/A",        "H",            "inductance"},
    {"V.s/m^2",      "T",            "magnetic flux density"},
    {"V.s/rad",      "N.m/A",        "motor constant or magnetic flux"},
    {"kg.m/s^2",     "N",            "force"},
    {"N/m^2",        "Pa",           "pressure"},
    {"J/s",          "W",            "power"},
    {"kWh",          "N.m",          "torque or energy"},
    {"N.m/rad",      "N.m",          "torque or energy"},
    {"rpm",          "1/s",          "frequency or angular velocity"},
    {"Hz",           "1/s",          "frequency or angular velocity"},
    {"km/h",         "m/s",          "velocity"},
    {"m/s^2",        "m/s^2",        "acceleration"},
    {"kg/s^2",       "N/m",          "stiffness"},
    {"kg/s",         "N.s/m",        "damping or mass flow"},
    {"N.m.s/rad",    "N.m.s",        "rotational damping or angular momentum"},
    {"kg.cm^2",      "kg.m^2",       "moment of inertia"},
    {"bar.s/L",      "Pa.s/m^3",     "fluid resistance"},
    {"L/min",        "m^3/s",        "volume flow"},
    {"mL",           "m^3",          "volume"},
    {"W/K",          "W/K",          "thermal conductance"},
    {"K/W",          "K/W",          "thermal resistance"},
    {"J/K",          "J/K",          "heat capacity"},
    {"J/kg/K",       "J/kg/K",       "specific heat capacity"},
    {"m^2/V/s",      "m^2/V/s",      "carrier mobility"},
    {"kg.m^2/s^4",   "W/s",          NULL},
    {"V^2/Hz",       "V^2.s",        NULL},
    {"V/A^3",        "V/A^3",        NULL},
    {"A^2",          "A^2",          NULL},
    {"1/A^2/s",      "1/C/A",        NULL},
    {"kg.m.A.K",     "kg.m.A.K",     NULL},
    {"Pa^0.5",       "kg^0.5/m^0.5/s", NULL},
    {"m^1.852",      "m^1.852",      NULL},
    {"m^10000000000", "m^10000000000", NULL},
};
/* clang-format on */

static void check_read(void *ctx)
{
    for (size_t i = 0; i < COUNT(read_cases); i++) {
        const struct read_case *c = &read_cases[i];
        ct_unit unit;
        bool ok = read_text(ctx, c->text, &unit);
        ct_dim dim;
        memcpy(dim.e, c->e, sizeof dim.e);
        bool factor = !c->num || (unit.num == c->num && unit.den == c->den);
        if (!ok || !ct_dim_equal(unit.dim, dim) || !factor || unit.pi_power != c->pi_power)
            fail_msg("%s: read %d, got %lld/%lld pi^%d %s", c->text, ok, (long long)unit.num,
                     (long long)unit.den, unit.pi_power, put_text(ctx, unit.dim));
        assert_false(unit.absolute);
    }
}

static void test_read(void **state)
{
    protect(state, check_read);
}

static void check_failures(void *ctx)
{
    for (size_t i = 0; i < COUNT(fail_cases); i++) {
        const struct fail_case *c = &fail_cases[i];
        const char *problem, *hint;
        ct_unit unit;
        if (ct_unit_read(ctx, c->text, strlen(c->text), &unit, &problem, &hint))
            fail_msg("%s: was read", c->text);
        bool same_hint = c->hint ? hint && strcmp(hint, c->hint) == 0 : !hint;
        if (!strstr(problem, c->problem) || !same_hint)
            fail_msg("%s: got \"%s\", hint %s", c->text, problem, hint ? hint : "none");
        assert_true(!hint || read_text(ctx, hint, &unit));
    }
}

static void test_failures(void **state)
{
    protect(state, check_failures);
}

static void check_celsius(void *ctx)
{
    ct_unit unit;
    static const char *const names[] = {"degC", "°C"};
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_true(read_text(ctx, names[i], &unit));
        assert_true(unit.absolute && unit.num == 1 && unit.den == 1 && unit.dim.e[CT_KELVIN] == 1);
    }
    assert_true(read_text(ctx, "degC/s", &unit) == false && !unit.absolute);
}

static void test_celsius(void **state)
{
    protect(state, check_celsius);
}

/* The text need not end with a zero, and may hold anything. */
static void check_bytes(void *ctx)
{
    const char *problem, *hint;
    ct_unit unit;
    assert_true(ct_unit_read(ctx, "mVxyz", 2, &unit, &problem, &hint));
    assert_int_equal(unit.den, 1000);
    assert_false(ct_unit_read(ctx, "m\0x", 3, &unit, &problem, &hint));
    assert_false(ct_unit_read(ctx, "\xff\xfe", 2, &unit, &problem, &hint));
    char longest[5000];
    memset(longest, 'q', sizeof longest);
    assert_false(ct_unit_read(ctx, longest, sizeof longest, &unit, &problem, &hint));
    assert_true(strlen(problem) < 100 && strstr(problem, "...`") && !hint);
    for (size_t i = 1; i < 100; i++) /* q, then two-byte characters: byte 40 is inside one */
        longest[i] = i % 2 ? '\xc3' : '\xa9';
    assert_false(ct_unit_read(ctx, longest, 99, &unit, &problem, &hint));
    assert_non_null(strstr(problem, "\xc3\xa9...`"));
    for (size_t i = 0; i < sizeof longest; i++)
        longest[i] = i % 2 ? '.' : 'm';
    assert_true(ct_unit_read(ctx, longest, sizeof longest - 1, &unit, &problem, &hint));
    assert_true(unit.dim.e[CT_METRE] == 2500);
}

static void test_bytes(void **state)
{
    protect(state, check_bytes);
}

/* Random texts from the alphabet of units: no crash, and every hint is a unit. */
static void check_noise(void *user)
{
    ct_context *ctx = user;
    static const char alphabet[] = "mkgsAVNPah.../^^1205-*_ uTdCz";
    uint32_t seed = 12345;
    for (int n = 0; n < 20000; n++) {
        char text[12];
        size_t length = 0;
        for (seed = seed * 1664525 + 1013904223; length < 1 + seed % 11 && length < 11; length++) {
            seed = seed * 1664525 + 1013904223;
            text[length] = alphabet[(seed >> 16) % (sizeof alphabet - 1)];
        }
        const char *problem, *hint;
        ct_unit unit;
        bool ok = ct_unit_read(ctx, text, length, &unit, &problem, &hint);
        assert_true(ok ? !problem && !hint : problem && problem[0]);
        assert_true(!hint || read_text(ctx, hint, &unit));
        assert_true(unit.num > 0 && unit.den > 0);
    }
}

static void test_noise(void **state)
{
    protect(state, check_noise);
}

/* ---- the table itself ---------------------------------------------------------------------- */

static const struct spelling {
    const char *wrong, *right;
} spellings[] = {
#define SPELLING(wrong, right) {wrong, right},
#include "units/units.def"
};

static void check_table(void *ctx)
{
    ct_unit unit;
    for (size_t i = 0; i < ct_unit_row_count; i++) {
        const ct_unit_row *row = &ct_unit_rows[i];
        assert_true(read_text(ctx, row->symbol, &unit));
        assert_true(ct_dim_equal(unit.dim, row->dim)); /* no earlier row has this symbol */
        assert_true((double)unit.num / (double)unit.den == (double)row->num / (double)row->den);
        assert_non_null(row->quantity);
    }
    for (size_t i = 0; i < ct_dim_row_count; i++) {
        const ct_dim_row *row = &ct_dim_rows[i];
        if (!read_text(ctx, row->text, &unit) || !ct_dim_equal(unit.dim, row->dim))
            fail_msg("DIM %s has another dimension", row->text);
        assert_true(unit.num == 1 && unit.den == 1 && unit.pi_power == 0);
        assert_string_equal(put_text(ctx, row->dim), row->text); /* no earlier row hides it */
    }
    for (size_t i = 0; i < ct_prefix_row_count; i++)
        assert_true(read_text(ctx, ct_prefix_rows[i].example, &unit));
    for (size_t i = 0; i < COUNT(spellings); i++)
        if (!read_text(ctx, spellings[i].right, &unit))
            fail_msg("SPELLING %s", spellings[i].right);
}

static void test_table(void **state)
{
    protect(state, check_table);
}

/* No prefixed symbol means two things: prefix + unit is unique, or an exact symbol beats it. */
static void check_prefixes(void *ctx)
{
    for (size_t i = 0; i < ct_prefix_row_count * ct_unit_row_count; i++) {
        const ct_prefix_row *prefix = &ct_prefix_rows[i / ct_unit_row_count];
        const ct_unit_row *row = &ct_unit_rows[i % ct_unit_row_count];
        char text[32];
        ct_unit unit;
        snprintf(text, sizeof text, "%s%s", prefix->symbol, row->symbol);
        bool exact = false;
        for (size_t k = 0; k < ct_unit_row_count; k++)
            exact = exact || strcmp(ct_unit_rows[k].symbol, text) == 0;
        bool ok = read_text(ctx, text, &unit);
        bool too_large = ct_unit_symbol(text, strlen(text), &unit) && !unit.num;
        if (exact || !row->prefixes || too_large)
            continue;
        if (!ok || !ct_dim_equal(unit.dim, row->dim))
            fail_msg("%s is not %s%s", text, prefix->symbol, row->symbol);
    }
}

static void test_prefixes(void **state)
{
    protect(state, check_prefixes);
}

/* ---- printing ----------------------------------------------------------------------------- */

static void check_print(void *ctx)
{
    for (size_t i = 0; i < COUNT(print_cases); i++) {
        const struct print_case *c = &print_cases[i];
        ct_unit unit;
        assert_true(read_text(ctx, c->text, &unit));
        assert_string_equal(put_text(ctx, unit.dim), c->printed);
        const char *quantity = ct_dim_quantity(unit.dim);
        if (c->quantity ? !quantity || strcmp(quantity, c->quantity) : quantity != NULL)
            fail_msg("%s: got %s, want %s", c->text, quantity ? quantity : "none",
                     c->quantity ? c->quantity : "none");
    }
}

static void test_print(void **state)
{
    protect(state, check_print);
}

static void check_round_trip(void *user)
{
    ct_context *ctx = user;
    static const double steps[] = {1, 1, 1, 0.5, 0.25, 0.148, 1.0 / 3, 1e-4 / 7};
    srand(7);
    for (int n = 0; n < 20000; n++) {
        ct_dim dim = ct_dim_none();
        int factors = 1 + rand() % CT_BASE_UNITS;
        for (int k = 0; k < factors; k++)
            dim.e[rand() % CT_BASE_UNITS] = steps[rand() % (int)COUNT(steps)] * (rand() % 13 - 6);
        ct_unit unit;
        const char *text = put_text(ctx, dim);
        if (!read_text(ctx, text, &unit) || !ct_dim_equal(unit.dim, dim))
            fail_msg("%s does not read back", text);
        assert_true(unit.num == 1 && unit.den == 1 && unit.pi_power == 0 && !unit.absolute);
    }
}

static void test_round_trip(void **state)
{
    protect(state, check_round_trip);
}

static void test_dim(void **state)
{
    (void)state;
    ct_dim a = {{1, 0, -1}}, near = {{1 + 1e-10, 0, -1}}, far = {{1 + 1e-8, 0, -1}};
    assert_true(ct_dim_equal(a, near) && !ct_dim_equal(a, far));
    assert_true(ct_dim_is_one(ct_dim_none()) && !ct_dim_is_one(a));
    assert_true(ct_dim_is_one(ct_dim_product(a, a, -1)));
    ct_dim root = ct_dim_product(ct_dim_none(), a, 0.5);
    assert_true(root.e[0] == 0.5 && root.e[2] == -0.5);
}

/* ---- memory ------------------------------------------------------------------------------- */

static void work(void *ctx)
{
    ct_unit unit;
    for (size_t i = 0; i < COUNT(fail_cases); i++)
        read_text(ctx, fail_cases[i].text, &unit);
    for (size_t i = 0; i < COUNT(print_cases); i++)
        if (read_text(ctx, print_cases[i].text, &unit))
            put_text(ctx, unit.dim);
}

static void test_memory(void **state)
{
    (void)state;
    int failures = 0;
    for (int allowed = 0;; allowed++) {
        long left = allowed;
        ct_context_def def = ct_default_context_def();
        def.realloc = failing_realloc;
        def.realloc_user = &left;
        ct_context *ctx = ct_context_new(&def);
        ct_status status = ctx ? ct_protect(ctx, work, ctx) : CT_ERR_MEMORY;
        ct_context_free(ctx);
        if (status == CT_OK)
            break;
        assert_int_equal(status, CT_ERR_MEMORY);
        failures++;
    }
    assert_true(failures > 4);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_context, free_context)
    const struct CMUnitTest tests[] = {
        TEST(test_read),       TEST(test_failures), TEST(test_celsius),  TEST(test_bytes),
        TEST(test_noise),      TEST(test_table),    TEST(test_prefixes), TEST(test_print),
        TEST(test_round_trip), TEST(test_dim),      TEST(test_memory),
    };
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
