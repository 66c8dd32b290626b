/* matrix.c - vectors and matrices of expressions. */
#include <string.h>

#include "model/build.h"

enum { MOST_TERMS = 1000000 };

shaped ct_broken_value(void)
{
    return (shaped){0};
}

bool ct_is_broken(shaped v)
{
    return v.rows == 0 && !v.word;
}

shaped ct_matrix_of(builder *b, uint32_t rows, uint32_t cols, cell **cells)
{
    *cells = CT_NEW_ARRAY(b->scratch, cell, (size_t)rows * cols);
    return (shaped){rows, cols, 0, *cells};
}

shaped ct_scalar(builder *b, ct_expr e, ct_dim_term dim)
{
    if (!e)
        return ct_broken_value();
    cell *c;
    shaped v = ct_matrix_of(b, 1, 1, &c);
    *c = (cell){e, dim};
    return v;
}

static bool is_scalar(shaped v)
{
    return v.rows == 1 && v.cols == 1;
}

ct_place ct_blamed(const builder *b, ct_place place)
{
    return b->blame.length ? b->blame : place;
}

static void report_shapes(builder *b, ct_place place, const char *what, shaped x, shaped y)
{
    ct_report *r =
        ct_error(b->ctx, "E240", ct_blamed(b, place), "%s of %ux%u and %ux%u is not defined", what,
                 x.rows, x.cols, y.rows, y.cols);
    ct_note(r, "vectors are columns: [a, b, c] is 3x1");
}

shaped ct_matrix_sum(builder *b, shaped x, shaped y, ct_place place)
{
    if (x.rows != y.rows || x.cols != y.cols)
        return report_shapes(b, place, "the sum", x, y), ct_broken_value();
    cell *c;
    shaped v = ct_matrix_of(b, x.rows, x.cols, &c);
    for (uint32_t i = 0; i < x.rows * x.cols; i++) {
        ct_dim_term d = x.cell[i].dim, e = y.cell[i].dim;
        if (!ct_demand_equal(b, d, e, place, "the left side", "the right side"))
            return ct_broken_value();
        c[i] = (cell){ct_as_written(b, ct_expr_add(b->pool, x.cell[i].expr, y.cell[i].expr)),
                      d.count ? e : d};
    }
    return v;
}

static cell times(builder *b, cell x, cell y)
{
    return (cell){ct_as_written(b, ct_expr_mul(b->pool, x.expr, y.expr)),
                  ct_term_product(b->infer, x.dim, y.dim, 1)};
}

static shaped scale(builder *b, cell factor, shaped x)
{
    cell *c;
    shaped v = ct_matrix_of(b, x.rows, x.cols, &c);
    for (uint32_t i = 0; i < x.rows * x.cols; i++)
        c[i] = times(b, factor, x.cell[i]);
    return v;
}

/* Sum of the products of a row of x and a column of y. */
static bool inner(builder *b, shaped x, uint32_t row, shaped y, uint32_t col, ct_place place,
                  cell *out)
{
    *out = times(b, x.cell[row * x.cols], y.cell[col]);
    for (uint32_t k = 1; k < x.cols; k++) {
        cell t = times(b, x.cell[row * x.cols + k], y.cell[k * y.cols + col]);
        if (!ct_demand_equal(b, out->dim, t.dim, place, "one term", "another"))
            return false;
        out->expr = ct_as_written(b, ct_expr_add(b->pool, out->expr, t.expr));
    }
    return true;
}

shaped ct_matrix_product(builder *b, shaped x, shaped y, ct_place place)
{
    if (is_scalar(x))
        return scale(b, x.cell[0], y);
    if (is_scalar(y))
        return scale(b, y.cell[0], x);
    if (x.cols != y.rows)
        return report_shapes(b, place, "the product", x, y), ct_broken_value();
    if ((uint64_t)x.rows * y.cols * x.cols > MOST_TERMS)
        ct_stop_at_limit(b, place, "terms in a product of matrices", MOST_TERMS);
    cell *c;
    shaped v = ct_matrix_of(b, x.rows, y.cols, &c);
    for (uint32_t i = 0; i < x.rows; i++)
        for (uint32_t j = 0; j < y.cols; j++)
            if (!inner(b, x, i, y, j, place, &c[i * y.cols + j]))
                return ct_broken_value();
    return v;
}

shaped ct_matrix_map(builder *b, shaped x, cell (*f)(builder *b, cell c))
{
    cell *c;
    shaped v = ct_matrix_of(b, x.rows, x.cols, &c);
    for (uint32_t i = 0; i < x.rows * x.cols; i++)
        c[i] = f(b, x.cell[i]);
    return v;
}

static shaped transposed(builder *b, const shaped *argument, ct_place place)
{
    (void)place;
    shaped x = argument[0];
    cell *c;
    shaped v = ct_matrix_of(b, x.cols, x.rows, &c);
    for (uint32_t i = 0; i < x.rows; i++)
        for (uint32_t j = 0; j < x.cols; j++)
            c[j * x.rows + i] = x.cell[i * x.cols + j];
    return v;
}

static shaped dot(builder *b, const shaped *argument, ct_place place)
{
    shaped x = argument[0], y = argument[1];
    if (x.cols != 1 || y.cols != 1 || x.rows != y.rows)
        return report_shapes(b, place, "the dot product", x, y), ct_broken_value();
    return ct_matrix_product(b, transposed(b, argument, place), y, place);
}

static cell negative(builder *b, cell c)
{
    return (cell){ct_expr_neg(b->pool, c.expr), c.dim};
}

static shaped cross(builder *b, const shaped *argument, ct_place place)
{
    shaped x = argument[0], y = argument[1];
    if (x.rows != 3 || x.cols != 1 || y.rows != 3 || y.cols != 1)
        return report_shapes(b, place, "the cross product", x, y), ct_broken_value();
    cell *c;
    shaped v = ct_matrix_of(b, 3, 1, &c);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        cell p = times(b, x.cell[j], y.cell[k]), n = times(b, x.cell[k], y.cell[j]);
        if (!ct_demand_equal(b, p.dim, n.dim, place, "one term", "another"))
            return ct_broken_value();
        c[i] = (cell){ct_expr_add(b->pool, p.expr, negative(b, n).expr), p.dim};
    }
    return v;
}

static shaped norm(builder *b, const shaped *argument, ct_place place)
{
    const shaped twice[2] = {argument[0], argument[0]};
    shaped square = dot(b, twice, place);
    if (ct_is_broken(square))
        return square;
    cell c = square.cell[0];
    return ct_scalar(b, ct_expr_call1(b->pool, CT_OP_SQRT, c.expr),
                     ct_term_product(b->infer, ct_term_known(ct_dim_none()), c.dim, 0.5));
}

static const struct matrix_row {
    const char *word;
    uint32_t count;
    shaped (*f)(builder *b, const shaped *argument, ct_place place);
} rows[] = {
    {"transpose", 1, transposed},
    {"dot", 2, dot},
    {"cross", 2, cross},
    {"norm", 1, norm},
};

/* Functions of whole vectors and matrices. */
shaped ct_matrix_call(builder *b, const char *word, const shaped *argument, uint32_t count,
                      ct_place place, bool *known)
{
    *known = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].word, word) != 0)
            continue;
        *known = true;
        if (count == rows[i].count)
            return rows[i].f(b, argument, place);
        ct_error(b->ctx, "E222", place, "`%s` takes %u argument%s, not %u", word, rows[i].count,
                 rows[i].count == 1 ? "" : "s", count);
        return ct_broken_value();
    }
    return ct_broken_value();
}
