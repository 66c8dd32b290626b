/* equations_matrix_write.c - named matrices as text and as LaTeX. */
#include <ctype.h>
#include <string.h>

#include "export/equations_make.h"
#include "export/latex_fit.h"

enum { MOST_DENSE = 12, MOST_ENTRIES = 200 };
static const double LINE = 440; /* points */

static const char *name_text(const ct_equation_list *list, ct_name name)
{
    return ct_name_text(list->reduced->system->model->ctx, name);
}

/* ---- counts */

static bool is_counted(const ct_equation_group *g)
{
    return g->kind == CT_GROUP_EQUATION && !g->uncounted && g->count;
}

uint32_t ct_matrix_equations(const ct_equation_list *list)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < list->group_count; i++)
        all += is_counted(&list->group[i]) ? list->group[i].count : 0;
    return all;
}

/* "9 equations: 4 terminal, 2 cutset, 3 circuit" */
void ct_matrix_counts_put(const ct_equation_list *list, ct_text *out)
{
    uint32_t all = ct_matrix_equations(list);
    const char *before = ": ";
    ct_putf(out, "%-12s%u equation%s", "matrix", all, all == 1 ? "" : "s");
    for (uint32_t i = 0; i < list->group_count; i++) {
        const ct_equation_group *g = &list->group[i];
        size_t word = strcspn(g->title ? g->title : "", " ");
        if (!is_counted(g))
            continue;
        ct_putf(out, "%s%u %c%.*s", before, g->count, tolower((unsigned char)g->title[0]),
                (int)word - 1, g->title + 1);
        before = ", ";
    }
    ct_put(out, "\n");
}

/* ---- entries */

static bool is_diagonal(const ct_named_matrix *a)
{
    if (a->rows != a->cols || a->count != a->rows)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->entry[i].row != i || a->entry[i].col != i)
            return false;
    return true;
}

static void put_value(const ct_equation_list *list, ct_expr e, bool latex, ct_text *out)
{
    ct_side_term t = {e, 0};
    ct_side side = {&t, 1};
    ct_side_put(list, &side, latex, out);
}

/* Row by row, zeros among them. */
static void put_rows(const ct_equation_list *list, const ct_named_matrix *a, const char *column,
                     const char *row, bool latex, ct_text *out)
{
    for (uint32_t i = 0, at = 0; i < a->rows; i++)
        for (uint32_t k = 0; k < a->cols; k++) {
            bool here = at < a->count && a->entry[at].row == i && a->entry[at].col == k;
            ct_put(out, k ? column : i ? row : "");
            if (here)
                put_value(list, a->entry[at++].value, latex, out);
            else
                ct_put(out, "0");
        }
}

static void put_like(const ct_equation_list *list, const ct_named_matrix *a, bool latex,
                     ct_text *out)
{
    ct_expr symbol = ct_expr_symbol(list->pool, list->matrix[a->like - 1].name);
    ct_put(out, a->minus ? "-" : "");
    ct_put(out, latex ? "" : "transpose(");
    put_value(list, symbol, latex, out);
    ct_put(out, latex ? "^{T}" : ")");
}

static uint32_t most_entries(const ct_equation_list *list, const ct_named_matrix *a)
{
    return list->def.all || a->count <= MOST_ENTRIES ? a->count : MOST_ENTRIES;
}

/* ---- text */

static void put_sparse(const ct_equation_list *list, const ct_named_matrix *a, ct_text *out)
{
    uint32_t most = most_entries(list, a);
    ct_putf(out, "%u by %u, zero but for", a->rows, a->cols);
    for (uint32_t i = 0; i < most; i++) {
        ct_putf(out, "\n        [%u, %u] = ", a->entry[i].row + 1, a->entry[i].col + 1);
        put_value(list, a->entry[i].value, false, out);
    }
    if (most < a->count)
        ct_putf(out, "\n        ... %u more; --all shows them", a->count - most);
}

static void put_diagonal(const ct_equation_list *list, const ct_named_matrix *a, bool latex,
                         ct_text *out)
{
    ct_put(out, latex ? "\\operatorname{diag}\\left(" : "diag(");
    for (uint32_t i = 0; i < a->count; i++) {
        ct_put(out, i ? ", " : "");
        put_value(list, a->entry[i].value, latex, out);
    }
    ct_put(out, latex ? "\\right)" : ")");
}

static void put_text(const ct_equation_list *list, const ct_named_matrix *a, ct_text *out)
{
    if (a->like) {
        put_like(list, a, false, out);
    } else if (a->cols > MOST_DENSE || a->rows > MOST_DENSE) {
        put_sparse(list, a, out);
    } else if (is_diagonal(a) && a->rows > 1) {
        put_diagonal(list, a, false, out);
    } else {
        ct_put(out, "[");
        put_rows(list, a, ", ", "; ", false, out);
        ct_put(out, "]");
    }
}

static void put_vectors(const ct_equation_list *list, ct_text *out)
{
    for (uint32_t i = 0; i < list->vector_count; i++)
        ct_putf(out, "%s%s[%u]", i ? ", " : "\nVectors\n    ",
                name_text(list, list->vector[i].name), list->vector[i].size);
    ct_put(out, list->vector_count ? "\n" : "");
}

void ct_matrices_put_text(const ct_equation_list *list, ct_text *out)
{
    put_vectors(list, out);
    if (list->matrix_count)
        ct_put(out, "\nMatrices\n");
    for (uint32_t i = 0; i < list->matrix_count; i++) {
        ct_putf(out, "    %s = ", name_text(list, list->matrix[i].name));
        put_text(list, &list->matrix[i], out);
        ct_put(out, "\n");
    }
}

/* ---- LaTeX */

/* Entry by entry: what does not fit on the page as a matrix. */
static void put_entries(const ct_equation_list *list, const ct_named_matrix *a, const char *name,
                        ct_text *out)
{
    uint32_t most = most_entries(list, a);
    ct_putf(out, "$%s$ is %u by %u, zero but for\n", name, a->rows, a->cols);
    for (uint32_t i = 0; i < most; i++) {
        ct_text value = ct_text_new(list->arena);
        ct_put(&value, "= ");
        put_value(list, a->entry[i].value, true, &value);
        ct_putf(out, "\\begin{align*}\n\\left(%s\\right)_{%u,%u} &", name, a->entry[i].row + 1,
                a->entry[i].col + 1);
        ct_latex_fit(list->arena, ct_text_string(&value), 0, LINE - 80, out);
        ct_put(out, "\n\\end{align*}\n");
    }
    if (most < a->count)
        ct_putf(out, "and %u more.\n", a->count - most);
}

/* Columns are as wide as their widest entries. */
static double width_of(const ct_equation_list *list, const ct_named_matrix *a)
{
    double *col = CT_NEW_ARRAY(list->arena, double, a->cols + 1), sum = 60;
    for (uint32_t i = 0; i < a->count; i++) {
        ct_text value = ct_text_new(list->arena);
        put_value(list, a->entry[i].value, true, &value);
        double own = ct_latex_width(list->arena, ct_text_string(&value));
        col[a->entry[i].col] = own > col[a->entry[i].col] ? own : col[a->entry[i].col];
    }
    for (uint32_t k = 0; k < a->cols; k++)
        sum += (col[k] > 0 ? col[k] : 5) + 10;
    return sum;
}

static void put_matrix(const ct_equation_list *list, const ct_named_matrix *a, ct_text *out)
{
    ct_text name = ct_text_new(list->arena);
    put_value(list, ct_expr_symbol(list->pool, a->name), true, &name);
    bool small = a->cols <= 10 && a->rows <= 20 && width_of(list, a) <= LINE;
    if (!a->like && !small) {
        put_entries(list, a, ct_text_string(&name), out);
        return;
    }
    ct_putf(out, "\\[ %s = ", ct_text_string(&name));
    if (a->like) {
        put_like(list, a, true, out);
    } else {
        ct_put(out, "\\begin{bmatrix} ");
        put_rows(list, a, " & ", " \\\\ ", true, out);
        ct_put(out, " \\end{bmatrix}");
    }
    ct_put(out, " \\]\n");
}

static void put_latex_vectors(const ct_equation_list *list, ct_text *out)
{
    for (uint32_t i = 0; i < list->vector_count; i++) {
        ct_put(out, i ? ",\n$" : "{\\raggedright Vectors and their sizes: $");
        put_value(list, ct_expr_symbol(list->pool, list->vector[i].name), true, out);
        ct_putf(out, "$ (%u)", list->vector[i].size);
    }
    ct_put(out, list->vector_count ? ".\\par}\n" : "");
}

void ct_matrices_put_latex(const ct_equation_list *list, ct_text *out)
{
    put_latex_vectors(list, out);
    if (list->matrix_count)
        ct_put(out, "\n\\paragraph{Matrices}\n");
    for (uint32_t i = 0; i < list->matrix_count; i++)
        put_matrix(list, &list->matrix[i], out);
}
