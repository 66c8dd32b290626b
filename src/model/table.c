/* table.c - curves and surfaces through points, from lists or from files of numbers. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "model/build.h"

/* ---- table(x, xs, ys) */

static bool known_ascending(builder *b, shaped xs, ct_place place)
{
    for (uint32_t i = 1; i < xs.rows; i++) {
        ct_expr low = xs.cell[i - 1].expr, high = xs.cell[i].expr;
        if (!ct_expr_is_number(b->pool, low) || !ct_expr_is_number(b->pool, high))
            continue;
        if (ct_expr_to_double(b->pool, low) <= ct_expr_to_double(b->pool, high))
            continue;
        ct_report *r = ct_error(b->ctx, "E228", place, "the first list of a table must not fall");
        ct_note(r, "entry %u is smaller than entry %u; two equal entries make a jump", i + 1, i);
        return false;
    }
    return true;
}

static bool alike(builder *b, shaped list, ct_dim_term dim, ct_place place, const char *is)
{
    for (uint32_t i = 0; i < list.rows; i++)
        if (!ct_demand_equal(b, list.cell[i].dim, dim, place, "a table entry", is))
            return false;
    return true;
}

static shaped curve(builder *b, shaped x, shaped xs, shaped ys, bool cubic, ct_place place)
{
    bool fits =
        x.rows * x.cols == 1 && xs.cols == 1 && ys.cols == 1 && xs.rows == ys.rows && xs.rows > 1;
    if (!fits) {
        ct_report *r =
            ct_error(b->ctx, "E228", place, "table(x, xs, ys) needs two lists of one length");
        ct_note(r, "here they have %u and %u entries", xs.rows, ys.rows);
        return ct_broken_value();
    }
    if (!known_ascending(b, xs, place) || !alike(b, xs, x.cell->dim, place, "the argument") ||
        !alike(b, ys, ys.cell->dim, place, "the first one"))
        return ct_broken_value();
    uint32_t n = xs.rows;
    ct_expr *operand = CT_NEW_ARRAY(b->scratch, ct_expr, 2 * n + 3);
    operand[0] = x.cell->expr;
    operand[1] = ct_expr_int(b->pool, n);
    operand[2 * n + 2] = ct_expr_int(b->pool, cubic);
    for (uint32_t i = 0; i < n; i++) {
        operand[2 + i] = xs.cell[i].expr;
        operand[2 + n + i] = ys.cell[i].expr;
    }
    return ct_scalar(b, ct_expr_call(b->pool, CT_OP_TABLE, operand, 2 * n + 3), ys.cell->dim);
}

/* ---- table(x, y, xs, ys, Z): lines (cubics) between lines. Interpolation along y is the sum of
 * the values at ys, each times the curve through 0 .. 1 .. 0. */

static shaped unit_list(builder *b, uint32_t n, uint32_t one)
{
    cell *c;
    shaped v = ct_matrix_of(b, n, 1, &c);
    for (uint32_t i = 0; i < n; i++)
        c[i] = (cell){ct_expr_int(b->pool, i == one), ct_term_known(ct_dim_none())};
    return v;
}

static shaped column(builder *b, shaped z, uint32_t k)
{
    cell *c;
    shaped v = ct_matrix_of(b, z.rows, 1, &c);
    for (uint32_t i = 0; i < z.rows; i++)
        c[i] = z.cell[i * z.cols + k];
    return v;
}

static shaped surface(builder *b, const shaped *a, bool cubic, ct_place place)
{
    shaped xs = a[2], ys = a[3], z = a[4];
    if (z.rows != xs.rows || z.cols != ys.rows) {
        ct_report *r = ct_error(b->ctx, "E228", place,
                                "table(x, y, xs, ys, Z) needs a row of Z for each of xs and a "
                                "column for each of ys");
        ct_note(r, "here Z is %ux%u, and the lists have %u and %u entries", z.rows, z.cols, xs.rows,
                ys.rows);
        return ct_broken_value();
    }
    ct_expr *term = CT_NEW_ARRAY(b->scratch, ct_expr, ys.rows + 1);
    for (uint32_t k = 0; k < ys.rows; k++) {
        shaped along = curve(b, a[0], xs, column(b, z, k), cubic, place);
        shaped share = curve(b, a[1], ys, unit_list(b, ys.rows, k), cubic, place);
        if (ct_is_broken(along) || ct_is_broken(share))
            return ct_broken_value();
        term[k] = ct_expr_mul(b->pool, along.cell->expr, share.cell->expr);
        if (!ct_demand_equal(b, z.cell[k].dim, z.cell->dim, place, "a table entry",
                             "the first one"))
            return ct_broken_value();
    }
    return ct_scalar(b, ct_expr_sum(b->pool, term, ys.rows), z.cell->dim);
}

shaped ct_call_table(builder *b, const shaped *argument, uint32_t count, ct_name method,
                     ct_place place)
{
    bool cubic = method && strcmp(ct_name_text(b->ctx, method), "cubic") == 0;
    if (count == 3)
        return curve(b, argument[0], argument[1], argument[2], cubic, place);
    if (count == 5)
        return surface(b, argument, cubic, place);
    ct_report *r = ct_error(b->ctx, "E222", place, "table takes 3 or 5 arguments, not %u", count);
    ct_help(r, "table(x, xs, ys), table(x, y, xs, ys, Z), table(x, \"file.csv\") or "
               "table(x, y, \"file.csv\")");
    return ct_broken_value();
}

/* ---- files: columns x and y; or a first row of ys and a first column of xs */

typedef struct sheet {
    CT_VEC(double) value;
    uint32_t rows, cols;
    bool ragged;
} sheet;

/* The numbers of a line; lines that begin with something else are headings. */
static void read_line(builder *b, const char *at, const char *end, sheet *s)
{
    uint32_t count = 0;
    bool corner = false;
    while (at < end) {
        while (at < end && strchr(" \t,;\r\"", *at))
            corner |= count == 0 && (*at == ',' || *at == ';'), at++;
        char *stop;
        double number = at < end ? strtod(at, &stop) : 0;
        if (at == end || stop == at || isalpha((unsigned char)*at))
            break;
        if (corner && !count) { /* an empty corner */
            CT_PUSH(b->scratch, s->value, 0);
            count++;
        }
        s->ragged |= !isfinite(number);
        CT_PUSH(b->scratch, s->value, number);
        count++;
        at = stop;
    }
    if (!count)
        return;
    s->ragged |= s->rows && count != s->cols;
    s->cols = count;
    s->rows++;
}

static bool read_sheet(builder *b, const where *w, ct_node name, sheet *s)
{
    const char *path = ct_name_text(b->ctx, ct_at(w->s, name)->name);
    const char *full = ct_find_beside(b, w, path);
    uint32_t source = full ? ct_load(b->ctx, full) : 0;
    ct_place place = ct_place_of(w->s, name);
    if (!source) {
        ct_report *r = ct_error(b->ctx, "E225", place, "there is no table `%s`", path);
        ct_help(r, "it stands below the folder of the model, or in a folder given with -I");
        return false;
    }
    const char *text = ct_source_get(b->ctx, source)->text;
    for (const char *at = text; *at;) {
        const char *end = at + strcspn(at, "\n");
        read_line(b, at, end, s);
        at = *end ? end + 1 : end;
    }
    if (!s->ragged && s->rows > 1 && s->cols > 1)
        return true;
    ct_report *r = ct_error(b->ctx, "E225", place, "`%s` is no table of numbers", path);
    ct_note(r, s->ragged ? "its lines are not of one length, or a number is out of range"
                         : "it needs two lines and two columns at least");
    return false;
}

static shaped numbers(builder *b, const sheet *s, uint32_t row, uint32_t col, uint32_t rows,
                      uint32_t cols, ct_dim_term dim)
{
    cell *c;
    shaped v = ct_matrix_of(b, rows, cols, &c);
    for (uint32_t i = 0; i < rows * cols; i++) {
        uint32_t at = (row + i / cols) * s->cols + col + i % cols;
        c[i] = (cell){ct_expr_real(b->pool, s->value.at[at]), dim};
    }
    return v;
}

static shaped turned(builder *b, shaped v)
{
    v.rows = v.cols, v.cols = 1;
    (void)b;
    return v;
}

uint32_t ct_read_table(builder *b, const where *w, ct_node name, shaped *argument, uint32_t count)
{
    sheet s = {0};
    ct_dim_term free =
        ct_term_unknown(b->infer, ct_infer_unknown(b->infer, 0, ct_place_of(w->s, name)));
    if (count < 1 || count > 2 || !read_sheet(b, w, name, &s))
        return 0;
    shaped *to = argument + count;
    if (count == 1) {
        to[0] = numbers(b, &s, 0, 0, s.rows, 1, argument[0].cell->dim);
        to[1] = numbers(b, &s, 0, 1, s.rows, 1, free);
        return 2;
    }
    to[0] = numbers(b, &s, 1, 0, s.rows - 1, 1, argument[0].cell->dim);
    to[1] = turned(b, numbers(b, &s, 0, 1, 1, s.cols - 1, argument[1].cell->dim));
    to[2] = numbers(b, &s, 1, 1, s.rows - 1, s.cols - 1, free);
    return 3;
}
