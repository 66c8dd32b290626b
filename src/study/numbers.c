/* numbers.c - the matrices at an operating point. Algebraic unknowns that
 * the symbolic form kept are eliminated in numbers, when their equations are not singular. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "study/statespace.h"

enum { MOST_DENSE = 2000 }; /* unknowns of a network, for full matrices */

static const double least_pivot = 1e-13; /* by the largest of the block, rows scaled */

static double *dense(ct_arena *arena, const ct_entries *e)
{
    double *out = CT_NEW_ARRAY(arena, double, (size_t)e->rows * e->cols + 1);
    for (uint32_t i = 0; i < e->count; i++)
        out[(size_t)e->entry[i].row * e->cols + e->entry[i].col] = e->entry[i].number;
    return out;
}

/* ---- descriptor form: [x' 0] = [A11 A12; A21 A22] [x w] + .. becomes x' = (A11 - A12 A22^-1 A21)
 * x
 */

/* One matrix whose rows are those of A and C, whose columns those of A and all B. */
typedef struct block {
    double *at;
    uint32_t rows, cols;
} block;

static block join(const ct_statespace *ss, ct_arena *arena, const double *A, const double *C,
                  double *const *B, double *const *D)
{
    uint32_t n = ss->n, m = ss->m;
    block b = {.rows = n + ss->p, .cols = n + ss->orders * m};
    b.at = CT_NEW_ARRAY(arena, double, (size_t)b.rows *b.cols + 1);
    for (uint32_t i = 0; i < b.rows; i++) {
        uint32_t own = i < n ? i : i - n;
        double *row = b.at + (size_t)i * b.cols;
        memcpy(row, (i < n ? A : C) + (size_t)own * n, n * sizeof *row);
        for (uint32_t k = 0; k < ss->orders && m; k++)
            memcpy(row + n + k * m, (i < n ? B[k] : D[k]) + (size_t)own * m, m * sizeof *row);
    }
    return b;
}

static void swap_rows(block *b, uint32_t i, uint32_t k)
{
    for (uint32_t c = 0; c < b->cols && i != k; c++) {
        double kept = b->at[(size_t)i * b->cols + c];
        b->at[(size_t)i * b->cols + c] = b->at[(size_t)k * b->cols + c];
        b->at[(size_t)k * b->cols + c] = kept;
    }
}

static void subtract(block *b, uint32_t row, uint32_t pivot, uint32_t col)
{
    double *to = b->at + (size_t)row * b->cols;
    const double *from = b->at + (size_t)pivot * b->cols;
    double factor = to[col] / from[col];
    if (factor == 0)
        return;
    for (uint32_t c = 0; c < b->cols; c++)
        to[c] -= factor * from[c];
    to[col] = 0;
}

static void scale_rows(block *b, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < last; i++) {
        double most = 0, *row = b->at + (size_t)i * b->cols;
        for (uint32_t c = first; c < last; c++)
            most = fmax(most, fabs(row[c]));
        for (uint32_t c = 0; c < b->cols && most > 0; c++)
            row[c] /= most;
    }
}

/* Rows and columns first .. last-1 are eliminated with row pivoting; false: singular. */
static bool eliminate(block *b, uint32_t first, uint32_t last)
{
    scale_rows(b, first, last);
    for (uint32_t c = first; c < last; c++) {
        uint32_t best = c;
        for (uint32_t i = c; i < last; i++)
            if (fabs(b->at[(size_t)i * b->cols + c]) > fabs(b->at[(size_t)best * b->cols + c]))
                best = i;
        if (!(fabs(b->at[(size_t)best * b->cols + c]) > least_pivot))
            return false;
        swap_rows(b, c, best);
        for (uint32_t i = 0; i < b->rows; i++)
            if (i < first || i > c)
                subtract(b, i, c, c);
    }
    return true;
}

static double *part(ct_arena *arena, const block *b, uint32_t row, uint32_t rows, uint32_t col,
                    uint32_t cols)
{
    double *out = CT_NEW_ARRAY(arena, double, (size_t)rows *cols + 1);
    for (uint32_t i = 0; i < rows && cols; i++)
        memcpy(out + (size_t)i * cols, b->at + (size_t)(row + i) * b->cols + col,
               cols * sizeof *out);
    return out;
}

static double *descriptor(const ct_statespace *ss, ct_arena *arena)
{
    if (ss->W.count)
        return dense(arena, &ss->W);
    double *W = CT_NEW_ARRAY(arena, double, (size_t)ss->n * ss->n + 1);
    for (uint32_t i = 0; i < ss->differential; i++)
        W[(size_t)i * ss->n + i] = 1;
    return W;
}

static void shrink(const ct_statespace *ss, ct_arena *arena, ct_numbers *out, double **B,
                   double **D)
{
    uint32_t n = ss->n, d = ss->differential;
    block b = join(ss, arena, out->A, out->C, B, D);
    if (!eliminate(&b, d, n)) {
        out->W = descriptor(ss, arena);
        return;
    }
    out->n = d;
    out->A = part(arena, &b, 0, d, 0, d);
    out->C = part(arena, &b, n, ss->p, 0, d);
    for (uint32_t k = 0; k < ss->orders; k++) {
        B[k] = part(arena, &b, 0, d, n + k * ss->m, ss->m);
        D[k] = part(arena, &b, n, ss->p, n + k * ss->m, ss->m);
    }
}

/* ---- all entries at once */

typedef CT_VEC(ct_expr) expr_list;
typedef CT_VEC(ct_name) name_list;

static expr_list all_entries(const ct_statespace *ss)
{
    expr_list all = {0};
    const ct_entries *e;
    const char *name;
    for (uint32_t i = 0; (e = ct_statespace_part(ss, i, &name)); i++)
        for (uint32_t k = 0; k < e->count; k++)
            CT_PUSH(ss->arena, all, e->entry[k].value);
    return all;
}

typedef struct finder {
    const ct_statespace *ss;
    const ct_model *model;
    name_list list, left;
} finder;

static void take_symbol(void *user, ct_expr e)
{
    finder *f = user;
    if (ct_expr_kind_of(f->ss->pool, e) != CT_EXPR_SYMBOL)
        return;
    ct_name name = ct_expr_name(f->ss->pool, e);
    uint32_t q = ct_map_get(f->model->quantity_by_name, name);
    if (!q) /* neither parameter nor input */
        CT_PUSH(f->ss->arena, f->list, name);
    if (!q || f->model->quantity[q - 1].kind == CT_INPUT)
        CT_PUSH(f->ss->arena, f->left, name);
}

bool ct_statespace_settle(ct_statespace *ss, const ct_rig *rig, const ct_point *point)
{
    finder f = {.ss = ss, .model = ss->model};
    expr_list all = {0};
    if (ss->point) /* to rounding */
        point = ss->point;
    if (!ss->by_numbers)
        all = all_entries(ss);
    for (uint32_t i = 0; i < ss->m; i++)
        CT_PUSH(ss->arena, f.list, ss->input[i]);
    ct_expr_walk(ss->pool, all.at, all.count, take_symbol, &f);
    ct_expr *symbol = CT_NEW_ARRAY(ss->arena, ct_expr, f.list.count + 1);
    double *value = CT_NEW_ARRAY(ss->arena, double, f.list.count + 1);
    for (uint32_t i = 0; i < f.list.count; i++)
        symbol[i] = ct_expr_symbol(ss->pool, f.list.at[i]);
    if (!ct_values_at(rig, point, symbol, f.list.count, value))
        return false;
    ss->point = point;
    ss->at_symbol = f.list.at;
    ss->at_value = value;
    ss->at_count = f.list.count;
    ss->left = f.left.at;
    ss->left_count = f.left.count;
    return true;
}

static ct_report *report_point(const ct_statespace *ss)
{
    ct_report *r = ct_error(ct_arena_context(ss->arena), "E533", (ct_place){0},
                            "the matrices have no numbers at the operating point");
    ct_help(r, "take another point: --state, --at");
    return r;
}

static bool is_finite(const ct_statespace *ss, const char *name, const double *value, uint32_t rows,
                      uint32_t cols)
{
    for (size_t i = 0; i < (size_t)rows * cols; i++)
        if (!isfinite(value[i])) {
            ct_note(report_point(ss), "%s[%zu, %zu] is none", name, i / cols + 1, i % cols + 1);
            return false;
        }
    return true;
}

bool ct_statespace_check(const ct_statespace *ss)
{
    const ct_numbers *a = ss->numbers;
    const ct_entries *e;
    const char *name;
    if (a && a->A)
        return is_finite(ss, "A", a->A, a->n, a->n) && is_finite(ss, "C", a->C, ss->p, a->n);
    for (uint32_t i = 0; (e = ct_statespace_part(ss, i, &name)); i++)
        for (uint32_t k = 0; k < e->count; k++) {
            const ct_entry *own = &e->entry[k];
            if (isfinite(own->number))
                continue;
            ct_note(report_point(ss), "%s[%u, %u] is none", name, own->row + 1, own->col + 1);
            return false;
        }
    return true;
}

/* The numbers of entries that are expressions. */
static bool evaluate_entries(ct_statespace *ss, const ct_rig *rig)
{
    expr_list all = all_entries(ss);
    double *value = CT_NEW_ARRAY(ss->arena, double, all.count + 1);
    const ct_entries *e;
    const char *name;
    if (!ct_values_at(rig, ss->point, all.at, all.count, value)) {
        ct_note(report_point(ss), "a derivative divides by zero there");
        return false;
    }
    for (uint32_t i = 0; (e = ct_statespace_part(ss, i, &name)); i++)
        for (uint32_t k = 0; k < e->count; k++)
            e->entry[k].number = *value++;
    return true;
}

bool ct_statespace_evaluate(ct_statespace *ss, const ct_rig *rig)
{
    if (!ss->by_numbers && !evaluate_entries(ss, rig))
        return false;
    ss->numbers = CT_NEW(ss->arena, ct_numbers);
    return true;
}

const ct_numbers *ct_statespace_numbers(const ct_statespace *ss)
{
    ct_numbers *kept = ss->numbers;
    if (!kept || kept->A)
        return kept;
    double **B = CT_NEW_ARRAY(ss->arena, double *, ss->orders);
    double **D = CT_NEW_ARRAY(ss->arena, double *, ss->orders);
    ct_numbers all = {.n = ss->n, .A = dense(ss->arena, &ss->A), .C = dense(ss->arena, &ss->C)};
    for (uint32_t k = 0; k < ss->orders; k++) {
        B[k] = dense(ss->arena, &ss->B[k]);
        D[k] = dense(ss->arena, &ss->D[k]);
    }
    if (!ss->reduced)
        all.W = descriptor(ss, ss->arena);
    else if (ss->differential < ss->n)
        shrink(ss, ss->arena, &all, B, D);
    all.B = (const double *const *)B;
    all.D = (const double *const *)D;
    *kept = all; /* at once: memory may be gone before */
    return kept;
}

/* ---- for control engineers */

static bool is_zero(const double *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] != 0)
            return false;
    return true;
}

static bool report_unusable(const ct_statespace *ss, const char *why)
{
    ct_report *r = ct_error(ct_arena_context(ss->arena), "E535", (ct_place){0},
                            "no poles, zeros or transfer functions of this system");
    ct_note(r, "%s", why);
    return false;
}

bool ct_statespace_continuous(const ct_statespace *ss, const char *what)
{
    if (!(ss->period > 0))
        return true;
    ct_report *r = ct_error(ct_arena_context(ss->arena), "E582", (ct_place){0},
                            "no %s of a discrete-time model", what);
    ct_note(r, "clocks sample this model every %.9g s", ss->period);
    ct_help(r, "leave out --exact: the response of the discrete-time model is exact itself");
    return false;
}

bool ct_statespace_lti(const ct_statespace *ss, ct_lti *lti)
{
    if (!ss->reduced && ss->n > MOST_DENSE)
        return report_unusable(ss, "it has too many unknowns; responses over frequency can be had");
    const ct_numbers *n = ct_statespace_numbers(ss);
    for (uint32_t k = 2; k < ss->orders; k++)
        if (!is_zero(n->B[k], (size_t)n->n * ss->m) || !is_zero(n->D[k], (size_t)ss->p * ss->m))
            return report_unusable(ss, "its outputs depend on second derivatives of inputs");
    *lti = (ct_lti){.n = n->n,
                    .m = ss->m,
                    .p = ss->p,
                    .A = n->A,
                    .B = n->B[0],
                    .C = n->C,
                    .D = n->D[0],
                    .E = ss->orders > 1 ? n->B[1] : NULL,
                    .F = ss->orders > 1 ? n->D[1] : NULL,
                    .W = n->W};
    ct_status status = ct_lti_check(ss->arena, lti);
    if (status == CT_OK)
        return true;
    return status == CT_ERR_USAGE ? report_unusable(ss, "an entry of its matrices is not finite")
                                  : ct_statespace_undetermined(ss);
}

bool ct_statespace_undetermined(const ct_statespace *ss)
{
    return report_unusable(ss, "the inputs do not determine the states: s W - A is singular");
}

/* ---- entry by entry */

static bool all_finite(const ct_entries *e)
{
    for (uint32_t k = 0; k < e->count; k++)
        if (!isfinite(e->entry[k].number))
            return false;
    return true;
}

static bool all_zero(const ct_entries *e)
{
    for (uint32_t k = 0; k < e->count; k++)
        if (e->entry[k].number != 0)
            return false;
    return true;
}

static const ct_lti_entry *plain(ct_arena *arena, const ct_entries *e)
{
    ct_lti_entry *out = CT_NEW_ARRAY(arena, ct_lti_entry, e->count + (size_t)1);
    for (uint32_t k = 0; k < e->count; k++)
        out[k] = (ct_lti_entry){e->entry[k].row, e->entry[k].col, e->entry[k].number};
    return out;
}

/* Two columns: what re and im of the inputs make. */
static const double *weighed(ct_arena *arena, const ct_entries *e, const double *re,
                             const double *im)
{
    double *out = CT_NEW_ARRAY(arena, double, 2 * (size_t)e->rows + 1);
    for (uint32_t k = 0; k < e->count; k++) {
        const ct_entry *at = &e->entry[k];
        out[2 * (size_t)at->row] += at->number * re[at->col];
        out[2 * (size_t)at->row + 1] += at->number * im[at->col];
    }
    return out;
}

/* Can its entries be used? */
static bool is_usable(const ct_statespace *ss)
{
    bool finite = all_finite(&ss->A) && all_finite(&ss->C);
    for (uint32_t k = 0; k < ss->orders; k++)
        finite = finite && all_finite(&ss->B[k]) && all_finite(&ss->D[k]);
    if (!finite)
        return report_unusable(ss, "an entry of its matrices is not finite");
    for (uint32_t k = 2; k < ss->orders; k++)
        if (!all_zero(&ss->B[k]) || !all_zero(&ss->D[k]))
            return report_unusable(ss, "its outputs depend on second derivatives of inputs");
    return true;
}

ct_lti_sweep *ct_statespace_sweep(const ct_statespace *ss, const double *re, const double *im,
                                  ct_arena *arena)
{
    bool rates = ss->orders > 1;
    assert(!ss->delayed && !(ss->period > 0)); /* these have no entries */
    if (!is_usable(ss))
        return NULL;
    ct_lti_sparse all = {.n = ss->n,
                         .m = 2,
                         .p = ss->p,
                         .differential = ss->differential,
                         .a_count = ss->A.count,
                         .c_count = ss->C.count,
                         .w_count = ss->W.count,
                         .w = plain(arena, &ss->W),
                         .a = plain(arena, &ss->A),
                         .c = plain(arena, &ss->C),
                         .B = weighed(arena, &ss->B[0], re, im),
                         .D = weighed(arena, &ss->D[0], re, im),
                         .E = rates ? weighed(arena, &ss->B[1], re, im) : NULL,
                         .F = rates ? weighed(arena, &ss->D[1], re, im) : NULL};
    return ct_lti_sweep_sparse(arena, &all);
}

/* ---- for readers */

const ct_entries *ct_statespace_part(const ct_statespace *ss, uint32_t part, const char **name)
{
    uint32_t order = part < 4 ? 0 : part / 2 - 1;
    bool output = part < 4 ? part >= 2 : part % 2 == 1;
    if (order >= ss->orders)
        return NULL;
    if (part == 0 || part == 2) {
        *name = output ? "C" : "A";
        return output ? &ss->C : &ss->A;
    }
    const char *letter = order ? (output ? "F" : "E") : (output ? "D" : "B");
    *name = order < 2 ? letter : ct_printf(ct_arena_context(ss->arena), "%s%u", letter, order);
    return output ? &ss->D[order] : &ss->B[order];
}
