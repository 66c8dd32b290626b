/* test_table.c - results as CSV and MAT files (src/base/decimal.c, src/export/csv.c, mat4.c). */
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/decimal.h"
#include "export/table.h"
#include "unit/test_shortage.h"

/* ---- numbers ------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void check_number(double value)
{
    char got[CT_DECIMAL_ROOM + 1], want[64];
    got[ct_decimal_write(got, value)] = '\0';
    snprintf(want, sizeof want, "%.17g", value);
    if (isnan(value))
        strcpy(want, "nan");
    if (strcmp(got, want) != 0)
        fail_msg("got %s, want %s", got, want);
}

static void test_random_numbers(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < 1000000; i++) {
        check_number(from_bits(next_random(&seed)));
        check_number((double)(int64_t)next_random(&seed) / 9.2e18);
    }
}

/* Short decimals, whole numbers, powers and their neighbours, and halves of the last digit, where
 * the rounding is to the even one. */
static void test_round_numbers(void **state)
{
    (void)state;
    for (int i = -1074; i < 1024; i++) {
        double power = ldexp(1, i);
        check_number(power);
        check_number(nextafter(power, 0));
        check_number(-nextafter(power, INFINITY));
        check_number(power * 3);
    }
    for (int i = -330; i < 310; i++) {
        double power = pow(10, i);
        check_number(power);
        check_number(nextafter(power, 0));
        check_number(nextafter(power, INFINITY));
    }
    for (int i = 0; i < 100000; i++) {
        check_number(i * 0.001);
        check_number((i + 0.5) * 65536.0 * 65536 * 32768);
        check_number(1 + ldexp(i, -52));
        check_number(ldexp(1e15 + i, -7));
    }
}

static void test_special_numbers(void **state)
{
    (void)state;
    const double special[] = {0,
                              -0.0,
                              1,
                              -1,
                              INFINITY,
                              -INFINITY,
                              NAN,
                              -NAN,
                              5e-324,
                              1e-5,
                              0.0001,
                              123456789012345678.0,
                              1e16,
                              1e17,
                              99999999999999999.0,
                              2.2250738585072014e-308,
                              -1.7976931348623157e308};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        check_number(special[i]);
}

/* ---- CSV ----------------------------------------------------------------------------------- */

static const char *csv_of(ct_context *ctx, const ct_table *table)
{
    ct_text out = ct_text_new(ctx->base);
    ct_table_put_csv(table, &out);
    return ct_text_string(&out);
}

static const char *const names[] = {"time", "C1.v", "a,b", "say \"x\"", "two\nlines"};
static const char *const units[] = {"s", "V", "", "1", "kg.m^2"};
static const char *const descriptions[] = {"time", "voltage of C1", "", "ratio", "inertia"};
static const double numbers[] = {0,        1,   2,    3.5,       -4,   0.5,  0.1,   -1e300,
                                 INFINITY, NAN, 1.25, -INFINITY, 1e-7, -0.0, 100000};
static const ct_table small = {names, units, descriptions, 5, 3, numbers};

static const char small_csv[] = "time,C1.v,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\n"
                                "0,1,2,3.5,-4\n"
                                "0.5,0.10000000000000001,-1.0000000000000001e+300,inf,nan\n"
                                "1.25,-inf,9.9999999999999995e-08,-0,100000\n";

static void test_csv(void **state)
{
    (void)state;
    ct_context *ctx = ct_context_new(NULL);
    assert_string_equal(csv_of(ctx, &small), small_csv);
    assert_string_equal(csv_of(ctx, &(ct_table){names, NULL, NULL, 2, 0, NULL}), "time,C1.v\n");
    assert_string_equal(csv_of(ctx, &(ct_table){names, NULL, NULL, 1, 2, numbers}), "time\n0\n1\n");
    assert_string_equal(csv_of(ctx, &(ct_table){NULL, NULL, NULL, 0, 0, NULL}), "");
    ct_context_free(ctx);
}

static void test_csv_rows(void **state)
{
    (void)state;
    ct_context *ctx = ct_context_new(NULL);
    ct_text out = ct_text_new(ctx->base);
    ct_csv_header(names, 5, &out);
    for (int i = 0; i < 3; i++)
        ct_csv_row(numbers + 5 * i, 5, &out);
    assert_string_equal(ct_text_string(&out), small_csv);
    ct_context_free(ctx);
}

static void test_csv_round_trip(void **state)
{
    (void)state;
    enum { ROWS = 2000, COLS = 3 };
    ct_context *ctx = ct_context_new(NULL);
    double *value = CT_NEW_ARRAY(ctx->base, double, ROWS *COLS);
    uint64_t seed = 1234567;
    for (int i = 0; i < ROWS * COLS; i++) {
        value[i] = from_bits(next_random(&seed));
        value[i] = isfinite(value[i]) ? value[i] : i;
    }
    const char *at = csv_of(ctx, &(ct_table){names, NULL, NULL, COLS, ROWS, value});
    at = strchr(at, '\n');
    for (int i = 0; i < ROWS * COLS; i++) {
        char *end;
        double got = strtod(at + 1, &end);
        assert_true(got == value[i]);
        assert_int_equal(*end, (i + 1) % COLS ? ',' : '\n');
        at = end;
    }
    assert_string_equal(at, "\n");
    ct_context_free(ctx);
}

/* Where a locale with a decimal comma is installed. */
static void test_csv_locale(void **state)
{
    (void)state;
    static const char *const tried[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8",
                                        "fr_FR"};
    bool found = false;
    for (size_t i = 0; !found && i < sizeof tried / sizeof *tried; i++)
        found = setlocale(LC_ALL, tried[i]) != NULL;
    if (!found)
        skip();
    char tie[CT_DECIMAL_ROOM + 1];
    double value = 1 + ldexp(1, -17); /* ends with 5 after the seventeenth digit: the slow way */
    tie[ct_decimal_write(tie, value)] = '\0';
    ct_context *ctx = ct_context_new(NULL);
    const char *csv = csv_of(ctx, &small);
    setlocale(LC_ALL, "C");
    assert_string_equal(csv, small_csv);
    assert_true(strtod(tie, NULL) == value);
    ct_context_free(ctx);
}

/* ---- MAT ----------------------------------------------------------------------------------- */

/* One matrix of a file, as this test reads it. */
typedef struct matrix {
    long type, rows, cols;
    char name[32];
    const unsigned char *data;
} matrix;

static long read_int(const unsigned char *at)
{
    return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                     (uint32_t)at[3] << 24);
}

static double read_double(const unsigned char *at)
{
    uint64_t bits = 0;
    for (int i = 8; i-- > 0;)
        bits = bits << 8 | at[i];
    return from_bits(bits);
}

static const unsigned char *read_matrix(const unsigned char *at, matrix *m)
{
    m->type = read_int(at);
    m->rows = read_int(at + 4);
    m->cols = read_int(at + 8);
    assert_int_equal(read_int(at + 12), 0);
    long length = read_int(at + 16);
    assert_in_range(length, 2, sizeof m->name);
    memcpy(m->name, at + 20, (size_t)length);
    assert_int_equal(m->name[length - 1], 0);
    m->data = at + 20 + length;
    long size = m->type == 51 ? 1 : m->type == 20 ? 4 : 8;
    return m->data + size * m->rows * m->cols;
}

static void check_shape(const matrix *m, const char *name, long type, long rows, long cols)
{
    assert_string_equal(m->name, name);
    assert_int_equal(m->type, type);
    assert_int_equal(m->rows, rows);
    assert_int_equal(m->cols, cols);
}

static void check_names(const matrix *m, const char *const *want)
{
    char got[64] = "";
    for (long i = 0; i < m->cols; i++) {
        memcpy(got, m->data + i * m->rows, (size_t)m->rows);
        got[m->rows] = '\0';
        assert_string_equal(got, want[i]);
    }
}

static void check_values(const matrix *m, const double *want)
{
    for (long i = 0; i < m->rows * m->cols; i++) {
        double got = read_double(m->data + 8 * i);
        assert_memory_equal(&got, &want[i], sizeof got);
    }
}

static void test_mat(void **state)
{
    (void)state;
    static const char *const described[] = {"time [s]", "voltage of C1 [V]", "", "ratio",
                                            "inertia [kg.m^2]"};
    static const long info[] = {0, 1, 0, -1, 2, 2, 0, -1, 2, 3, 0, -1, 2, 4, 0, -1, 2, 5, 0, -1};
    static const double ends[] = {0, 1.25};
    ct_context *ctx = ct_context_new(NULL);
    ct_text out = ct_text_new(ctx->base);
    ct_table_put_mat(&small, &out);
    matrix m[6];
    const unsigned char *at = (const unsigned char *)out.at;
    for (int i = 0; i < 6; i++)
        at = read_matrix(at, &m[i]);
    assert_ptr_equal(at, out.at + out.length);
    check_shape(&m[0], "Aclass", 51, 4, 11);
    assert_memory_equal(m[0].data, "A1 bt. ir1 na  Tj  re  ac  nt  so   r   y   ", 44);
    check_shape(&m[1], "name", 51, 9, 5);
    check_names(&m[1], names);
    check_shape(&m[2], "description", 51, 17, 5);
    check_names(&m[2], described);
    check_shape(&m[3], "dataInfo", 20, 4, 5);
    for (int i = 0; i < 20; i++)
        assert_int_equal(read_int(m[3].data + 4 * i), info[i]);
    check_shape(&m[4], "data_1", 0, 1, 2);
    check_values(&m[4], ends);
    check_shape(&m[5], "data_2", 0, 5, 3);
    check_values(&m[5], numbers);
    ct_context_free(ctx);
}

static void test_mat_empty(void **state)
{
    (void)state;
    ct_context *ctx = ct_context_new(NULL);
    ct_text out = ct_text_new(ctx->base);
    ct_table_put_mat(&(ct_table){names, NULL, NULL, 1, 0, NULL}, &out);
    matrix m;
    const unsigned char *at = (const unsigned char *)out.at;
    for (int i = 0; i < 6; i++)
        at = read_matrix(at, &m);
    assert_ptr_equal(at, out.at + out.length);
    check_shape(&m, "data_2", 0, 1, 0);
    ct_context_free(ctx);
}

static void put_too_many_rows(void *user)
{
    ct_text out = ct_text_new(((ct_context *)user)->base);
    double none = 0;
    ct_table_put_mat(&(ct_table){names, NULL, NULL, 1, (uint64_t)INT32_MAX + 1, &none}, &out);
}

static void test_mat_limit(void **state)
{
    (void)state;
    ct_context *ctx = ct_context_new(NULL);
    assert_int_equal(ct_protect(ctx, put_too_many_rows, ctx), CT_ERR_LIMIT);
    ct_context_free(ctx);
}

/* ---- figures ------------------------------------------------------------------------------- */

/* One figure per unit; the column on the horizontal axis has no curve of its own. */
static void test_figures(void **state)
{
    (void)state;
    static const char *const name[] = {"time", "C1.v", "L1.i", "R1.v", "n"};
    static const char *const unit[] = {"s", "V", "A", "V", "1"};
    ct_context *ctx = ct_context_new(NULL);
    ct_table table = {name, unit, NULL, 5, 3, numbers};
    uint32_t count;
    const ct_figure *f = ct_table_figures(&table, 0, ctx->base, &count);
    assert_int_equal(count, 3);
    assert_string_equal(f[0].x_label, "time [s]");
    assert_string_equal(f[0].y_label, "voltage [V]");
    assert_int_equal(f[0].curve_count, 2);
    assert_string_equal(f[0].curve[1].label, "R1.v");
    assert_true(f[0].curve[1].y[0] == 3.5 && f[0].curve[1].x[2] == 1.25);
    assert_string_equal(f[1].y_label, "L1.i [A]");
    assert_string_equal(f[2].y_label, "n");
    f = ct_table_figures(&table, 2, ctx->base, &count);
    assert_int_equal(count, 2);
    assert_string_equal(f[0].x_label, "L1.i [A]");
    ct_table_figures(&table, 9, ctx->base, &count);
    assert_int_equal(count, 0);
    table.unit = NULL;
    f = ct_table_figures(&table, 0, ctx->base, &count);
    assert_int_equal(count, 1);
    assert_int_equal(f[0].curve_count, 4);
    ct_context_free(ctx);
}

/* ---- memory -------------------------------------------------------------------------------- */

static void put_all(void *user)
{
    ct_arena *arena = ct_arena_new(user);
    ct_text out = ct_text_new(arena);
    uint32_t count;
    for (int i = 0; i < 100; i++)
        ct_table_put_csv(&small, &out);
    ct_table_put_mat(&small, &out);
    ct_table_figures(&small, 0, arena, &count);
    ct_arena_free(arena);
}

static void test_memory(void **state)
{
    (void)state;
    ct_status status = CT_ERR_MEMORY;
    for (long n = 0; status != CT_OK; n++) {
        long left = n;
        ct_context_def def = ct_default_context_def();
        def.realloc = failing_realloc;
        def.realloc_user = &left;
        ct_context *ctx = ct_context_new(&def);
        status = ctx ? ct_protect(ctx, put_all, ctx) : CT_ERR_MEMORY;
        assert_true(status == CT_OK || status == CT_ERR_MEMORY);
        left = LONG_MAX;
        if (ctx)
            assert_string_equal(csv_of(ctx, &small), small_csv);
        ct_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_numbers),  cmocka_unit_test(test_round_numbers),
        cmocka_unit_test(test_special_numbers), cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_rows),        cmocka_unit_test(test_csv_round_trip),
        cmocka_unit_test(test_csv_locale),      cmocka_unit_test(test_mat),
        cmocka_unit_test(test_mat_empty),       cmocka_unit_test(test_mat_limit),
        cmocka_unit_test(test_figures),         cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
