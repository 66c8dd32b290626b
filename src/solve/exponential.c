/* exponential.c - exponentials of small dense matrices: scaling, Taylor's series, squaring. */
#include "solve/exponential.h"

#include <math.h>
#include <string.h>

#include "base/cpu.h"

enum { TERMS = 12, MOST_MATRICES = 8, MOST_LENGTHS = 16, MOST_ROUNDS = 20 };
enum { TALL = 4, WIDE = 8 }; /* rows and columns at a time; smaller matrices go entry by entry */
enum { MANY_ROWS = 64, FEW_MATRICES = 2, FEW_LENGTHS = 6 }; /* kept of large matrices */
static const double small_norm = 0.25; /* then the series is exact to rounding: 0.25^13/13! */
static const double most_scale = 0x1p500;

typedef double two __attribute__((vector_size(16), aligned(8), may_alias));
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

typedef struct kept {
    double h;
    double *minus_one; /* exp(M h) - 1, scaled, by columns */
} kept;

typedef struct matrix {
    uint32_t n, count, next; /* of lengths: how many, and which is given up next */
    double norm;
    double *given, *scaled, *scale; /* scaled = scale^-1 given scale */
    kept length[MOST_LENGTHS];
} matrix;

struct ct_exponentials {
    ct_arena *arena;
    uint32_t most, count, next, matrices, lengths;
    matrix all[MOST_MATRICES], *now;
    double *power[4]; /* M h .. (M h)^4 */
    double *sum, *product, *vector;
};

static double *new_square(const ct_exponentials *all)
{
    return CT_NEW_ARRAY(all->arena, double, (size_t)all->most * all->most);
}

ct_exponentials *ct_exponentials_new(ct_arena *arena, uint32_t most)
{
    ct_exponentials *all = CT_NEW(arena, ct_exponentials);
    bool large = most > MANY_ROWS;
    *all = (ct_exponentials){.arena = arena,
                             .most = most,
                             .matrices = large ? FEW_MATRICES : MOST_MATRICES,
                             .lengths = large ? FEW_LENGTHS : MOST_LENGTHS};
    for (int i = 0; i < 4; i++)
        all->power[i] = new_square(all);
    all->sum = new_square(all);
    all->product = new_square(all);
    all->vector = CT_NEW_ARRAY(arena, double, most);
    return all;
}

/* ---- scaling: rows and columns as large as each other, by powers of two */

static void measure_one(const matrix *m, uint32_t i, double *row, double *column)
{
    uint32_t n = m->n;
    *row = *column = 0;
    for (uint32_t k = 0; k < n; k++)
        if (k != i) {
            *row += fabs(m->scaled[i * n + k]);
            *column += fabs(m->scaled[k * n + i]);
        }
}

static bool scale_one(matrix *m, uint32_t i)
{
    double row, column, f = 1;
    uint32_t n = m->n;
    measure_one(m, i, &row, &column);
    if (!(row > 0) || !(column > 0)) /* does not feed back: its size is free */
        return false;
    while (column * f < row / f / 2 && f < most_scale)
        f *= 2;
    while (column * f > row / f * 2 && f > 1 / most_scale)
        f /= 2;
    if (f == 1 || column * f + row / f > 0.95 * (column + row))
        return false;
    for (uint32_t k = 0; k < n; k++) {
        m->scaled[i * n + k] /= f;
        m->scaled[k * n + i] *= f;
    }
    m->scale[i] *= f;
    return true;
}

static double largest_without(const matrix *m, uint32_t i)
{
    double most = 0;
    for (uint32_t k = 0; k < m->n; k++)
        for (uint32_t j = 0; k != i && j < m->n; j++) {
            double a = fabs(m->scaled[k * m->n + j]);
            most = j != i && a > most ? a : most;
        }
    return most;
}

/* What is but driven, or but drives, is scaled so that it does not count. */
static bool shrink_one(matrix *m, uint32_t i)
{
    double row, column;
    uint32_t n = m->n;
    measure_one(m, i, &row, &column);
    if ((row > 0) == (column > 0))
        return false;
    double rest = largest_without(m, i);
    if (!(rest > 0))
        return false;
    double f = 1;
    while (row / f > rest && f < most_scale)
        f *= 2;
    while (column * f > rest && f > 1 / most_scale)
        f /= 2;
    for (uint32_t k = 0; k < n; k++)
        if (k != i) {
            m->scaled[i * n + k] /= f;
            m->scaled[k * n + i] *= f;
        }
    m->scale[i] *= f;
    return f != 1;
}

static void balance(matrix *m)
{
    bool moved = true;
    for (uint32_t i = 0; i < m->n; i++)
        m->scale[i] = 1;
    memcpy(m->scaled, m->given, (size_t)m->n * m->n * sizeof *m->given);
    for (uint32_t round = 0; moved && round < MOST_ROUNDS; round++) {
        moved = false;
        for (uint32_t i = 0; i < m->n; i++)
            moved |= scale_one(m, i) || shrink_one(m, i);
    }
    m->norm = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        double row = 0;
        for (uint32_t k = 0; k < m->n; k++)
            row += fabs(m->scaled[i * m->n + k]);
        m->norm = fmax(m->norm, row);
    }
}

static bool is_same(const matrix *m, const double *given, uint32_t n)
{
    return m->n == n && !memcmp(m->given, given, (size_t)n * n * sizeof *given);
}

void ct_exponentials_use(ct_exponentials *all, const double *given, uint32_t n)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (is_same(&all->all[i], given, n)) {
            all->now = &all->all[i];
            return;
        }
    matrix *m = &all->all[all->next];
    all->next = (all->next + 1) % all->matrices;
    all->count += all->count < all->matrices;
    all->now = m;
    if (!m->given) {
        m->given = new_square(all);
        m->scaled = new_square(all);
        m->scale = CT_NEW_ARRAY(all->arena, double, all->most);
    }
    m->n = n;
    m->count = m->next = 0;
    memcpy(m->given, given, (size_t)n * n * sizeof *given);
    balance(m);
}

double ct_exponentials_norm(const ct_exponentials *all)
{
    return all->now->norm;
}

/* ---- the exponential */

/* Products with vectors of a width, as wide as registers are: wider ones would live in memory.
 *
 * multiply: TALL rows and WIDE columns of a product at a time stay in registers; sums go by rising
 * k. Entries that are zero, as most of a network's are, are passed over. Of the last rows and
 * columns beyond whole tiles parts are computed again. apply: out = a^T y. */
#define PRODUCTS(name, attribute, vector, many)                                                    \
    attribute static inline void tile_by_##name(uint32_t n, const double *const a[TALL],           \
                                                const double *b, double *const out[TALL])          \
    {                                                                                              \
        vector sum[TALL][many] = {{{0}}};                                                          \
        for (uint32_t k = 0; k < n; k++) {                                                         \
            const vector *row = (const vector *)(b + (size_t)k * n);                               \
            if (a[0][k] == 0 && a[1][k] == 0 && a[2][k] == 0 && a[3][k] == 0)                      \
                continue;                                                                          \
            for (int r = 0; r < TALL; r++)                                                         \
                for (int i = 0; i < (many); i++)                                                   \
                    sum[r][i] += a[r][k] * row[i];                                                 \
        }                                                                                          \
        for (int r = 0; r < TALL; r++)                                                             \
            for (int i = 0; i < (many); i++)                                                       \
                ((vector *)out[r])[i] = sum[r][i];                                                 \
    }                                                                                              \
                                                                                                   \
    attribute static void multiply_by_##name(uint32_t n, const double *a, const double *b,         \
                                             double *out)                                          \
    {                                                                                              \
        for (uint32_t i = 0; i < n; i += TALL) {                                                   \
            const double *rows[TALL];                                                              \
            double *to[TALL];                                                                      \
            for (uint32_t j = 0; j < n; j += WIDE) {                                               \
                uint32_t at = j + WIDE <= n ? j : n - WIDE;                                        \
                for (uint32_t r = 0; r < TALL; r++) {                                              \
                    size_t row = (size_t)(i + r < n ? i + r : n - 1) * n;                          \
                    rows[r] = a + row;                                                             \
                    to[r] = out + row + at;                                                        \
                }                                                                                  \
                tile_by_##name(n, rows, b + at, to);                                               \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    attribute static void apply_by_##name(uint32_t n, const double *a, const double *y,            \
                                          double *out)                                             \
    {                                                                                              \
        for (uint32_t j = 0; j < n; j += WIDE) {                                                   \
            uint32_t at = j + WIDE <= n ? j : n - WIDE;                                            \
            vector sum[many] = {{0}};                                                              \
            for (uint32_t k = 0; k < n; k++)                                                       \
                for (int i = 0; i < (many); i++)                                                   \
                    sum[i] += y[k] * ((const vector *)(a + (size_t)k * n + at))[i];                \
            for (int i = 0; i < (many); i++)                                                       \
                ((vector *)(out + at))[i] = sum[i];                                                \
        }                                                                                          \
    }

PRODUCTS(two, , two, WIDE / 2)

#if defined __x86_64__
PRODUCTS(four, __attribute__((target("avx2"))), four, WIDE / 4)

static bool has_four(void)
{
    return CT_HAS_AVX2;
}
#else
#define multiply_by_four multiply_by_two
#define apply_by_four    apply_by_two

static bool has_four(void)
{
    return false;
}
#endif

static void multiply_small(uint32_t n, const double *a, const double *b, double *out)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double sum = 0;
            for (uint32_t k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            out[i * n + j] = sum;
        }
}

static void apply_small(uint32_t n, const double *a, const double *y, double *out)
{
    for (uint32_t j = 0; j < n; j++) {
        out[j] = 0;
        for (uint32_t k = 0; k < n; k++)
            out[j] += y[k] * a[k * n + j];
    }
}

static void multiply(uint32_t n, const double *a, const double *b, double *out)
{
    if (n < WIDE)
        multiply_small(n, a, b, out);
    else if (has_four())
        multiply_by_four(n, a, b, out);
    else
        multiply_by_two(n, a, b, out);
}

static void apply(uint32_t n, const double *a, const double *y, double *out)
{
    if (n < WIDE)
        apply_small(n, a, y, out);
    else if (has_four())
        apply_by_four(n, a, y, out);
    else
        apply_by_two(n, a, y, out);
}

/* The terms first .. first + 3 of the series from M^1 on, without the power of M they share. */
static void add_block(const ct_exponentials *all, int first, const double *factor, double *sum)
{
    uint32_t n = all->now->n;
    for (uint32_t i = 0; i < n * n; i++)
        for (int k = 0; k < 4; k++)
            sum[i] += factor[first + k] * all->power[k][i];
}

/* M + M^2/2 + .. + M^12/12! = (B0 + M^4 (B1 + M^4 B2)), blocks of four terms each. */
static void sum_series(ct_exponentials *all, double h, int halvings, double *out)
{
    uint32_t n = all->now->n;
    size_t bytes = (size_t)n * n * sizeof *out;
    double factor[TERMS];
    factor[0] = 1;
    for (int k = 1; k < TERMS; k++)
        factor[k] = factor[k - 1] / (k + 1);
    for (uint32_t i = 0; i < n * n; i++)
        all->power[0][i] = ldexp(h * all->now->scaled[i], -halvings);
    for (int k = 1; k < 4; k++)
        multiply(n, all->power[k - 1], all->power[0], all->power[k]);
    memset(all->sum, 0, bytes);
    add_block(all, TERMS - 4, factor, all->sum);
    for (int first = TERMS - 8; first >= 0; first -= 4) {
        multiply(n, all->power[3], all->sum, all->product);
        memcpy(all->sum, all->product, bytes);
        add_block(all, first, factor, all->sum);
    }
    memcpy(out, all->sum, bytes);
}

/* (1 + e)^2 - 1 = 2 e + e^2 */
static void square(ct_exponentials *all, double *e)
{
    uint32_t n = all->now->n;
    multiply(n, e, e, all->product);
    for (uint32_t i = 0; i < n * n; i++)
        e[i] = 2 * e[i] + all->product[i];
}

static void transpose(uint32_t n, double *a)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++) {
            double hand = a[(size_t)i * n + j];
            a[(size_t)i * n + j] = a[(size_t)j * n + i];
            a[(size_t)j * n + i] = hand;
        }
}

static const double *find(ct_exponentials *all, double h, double same)
{
    matrix *m = all->now;
    for (uint32_t i = 0; i < m->count; i++)
        if (fabs(m->length[i].h - h) <= same)
            return m->length[i].minus_one;
    kept *k = &m->length[m->next];
    m->next = (m->next + 1) % all->lengths;
    m->count += m->count < all->lengths;
    k->h = h;
    if (!k->minus_one)
        k->minus_one = new_square(all);
    int halvings = 0;
    frexp(h * m->norm / small_norm, &halvings);
    halvings = halvings < 0 ? 0 : halvings;
    sum_series(all, h, halvings, k->minus_one);
    for (; halvings > 0; halvings--)
        square(all, k->minus_one);
    transpose(m->n, k->minus_one);
    return k->minus_one;
}

void ct_exponentials_apply(ct_exponentials *all, double h, double same, const double *y,
                           double *out)
{
    const matrix *m = all->now;
    const double *e = find(all, h, same);
    for (uint32_t i = 0; i < m->n; i++)
        all->vector[i] = y[i] / m->scale[i];
    apply(m->n, e, all->vector, out);
    for (uint32_t i = 0; i < m->n; i++)
        out[i] = y[i] + m->scale[i] * out[i];
}
