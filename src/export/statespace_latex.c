/* statespace_latex.c - matrices for math mode, with the package amsmath: a fragment to be put into
 * a document, or a document. */
#include <string.h>

#include "export/equations.h"
#include "export/statespace.h"

enum { MOST_COLUMNS = 12, MOST_LETTERS = 150, MOST_ROWS = 40 };

/* ---- `der(x)` and `integral(x)` are names; as calls they get their dots and signs */

static ct_expr call_of(const ct_sheet *s, ct_name name)
{
    const ct_model *m = s->ss->model;
    uint32_t order;
    ct_name base = ct_base_symbol(m->symbols, name, &order);
    ct_symbol what = ct_symbol_of(m->symbols, base);
    ct_expr e = ct_expr_symbol(s->pool, base);
    if (what.kind == CT_SYMBOL_INTEGRAL)
        ct_expr_copy_all(s->pool, m->pool, &what.owner, &e, 1);
    for (; order > 0; order--)
        e = ct_expr_call1(s->pool, CT_OP_DER, e);
    return e;
}

static void put_expr(const ct_sheet *s, ct_expr e, ct_text *out)
{
    const ct_name *symbol;
    CT_VEC(ct_name) from = {0};
    CT_VEC(ct_expr) to = {0};
    uint32_t count = ct_expr_is_number(s->pool, e) ? 0 : ct_expr_symbols(s->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t kind = ct_symbol_of(s->ss->model->symbols, symbol[i]).kind;
        if (kind != CT_SYMBOL_RATE && kind != CT_SYMBOL_INTEGRAL)
            continue;
        CT_PUSH(s->arena, from, symbol[i]);
        CT_PUSH(s->arena, to, call_of(s, symbol[i]));
    }
    if (from.count)
        e = ct_expr_substitute(s->pool, e, from.at, to.at, from.count);
    ct_expr_put_latex(s->pool, out, e);
}

static void put_name(const ct_sheet *s, const char *name, ct_text *out)
{
    ct_expr_put_latex(s->pool, out, call_of(s, ct_intern_text(s->ctx, name)));
}

/* ---- matrices */

static void put_number(double value, ct_text *out)
{
    char text[40];
    ct_sheet_number(text, sizeof text, value);
    char *e = strchr(text, 'e');
    if (!e) {
        ct_put(out, text);
        return;
    }
    *e = '\0';
    const char *power = e + 1;
    bool minus = *power == '-';
    power += *power == '+' || minus;
    power += strspn(power, "0");
    ct_putf(out, "%s \\cdot 10^{%s%s}", text, minus ? "-" : "", power);
}

static void put_cell(const ct_sheet *s, const ct_sheet_matrix *m, const ct_expr *value, size_t at,
                     ct_text *out)
{
    if (m->number)
        put_number(m->number[at], out);
    else if (value[at])
        put_expr(s, value[at], out);
    else
        ct_put(out, "0");
}

static void put_symbol(const ct_sheet_matrix *m, ct_text *out)
{
    ct_putf(out, m->name[1] ? "%c_{%s}" : "%c", m->name[0], m->name + 1);
}

static const char *cells(const ct_sheet *s, const ct_sheet_matrix *m)
{
    const ct_expr *value = m->number ? NULL : ct_sheet_dense(s, &m->entry);
    ct_text text = ct_text_new(s->arena);
    for (uint32_t i = 0; i < m->entry.rows; i++) {
        for (uint32_t k = 0; k < m->entry.cols; k++) {
            ct_put(&text, k ? " & " : "");
            put_cell(s, m, value, (size_t)i * m->entry.cols + k, &text);
        }
        ct_put(&text, i + 1 < m->entry.rows ? " \\\\\n" : "\n");
    }
    return ct_text_string(&text);
}

/* Entry by entry: what is not zero. */
static void put_list(const ct_sheet *s, const ct_sheet_matrix *m, ct_text *out)
{
    const ct_expr *value = m->number ? NULL : ct_sheet_dense(s, &m->entry);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < m->entry.rows; i++) {
        for (uint32_t k = 0; k < m->entry.cols; k++) {
            size_t at = (size_t)i * m->entry.cols + k;
            if (m->number ? m->number[at] == 0 : !value[at])
                continue;
            ct_put(out, shown % MOST_ROWS == 0 ? "\\begin{align*}\n" : " \\\\\n");
            ct_putf(out, "%s_{%u,%u} &= ", m->name, i + 1, k + 1);
            put_cell(s, m, value, at, out);
            if (++shown % MOST_ROWS == 0)
                ct_put(out, "\n\\end{align*}\n");
        }
    }
    ct_put(out, shown % MOST_ROWS ? "\n\\end{align*}\n" : "");
}

static void put_matrix(const ct_sheet *s, const ct_sheet_matrix *m, ct_text *out)
{
    bool small = m->entry.rows <= 3 * MOST_COLUMNS && m->entry.cols <= MOST_COLUMNS;
    if (!m->entry.rows || !m->entry.cols)
        return;
    if (ct_sheet_is_zero(m)) {
        ct_put(out, "\\[ ");
        put_symbol(m, out);
        ct_putf(out, " = 0 \\in \\mathbb{R}^{%u \\times %u} \\]\n", m->entry.rows, m->entry.cols);
        return;
    }
    if (!small) {
        put_list(s, m, out);
        return;
    }
    ct_put(out, "\\[ ");
    put_symbol(m, out);
    ct_putf(out, " = \\begin{bmatrix}\n%s\\end{bmatrix} \\]\n", cells(s, m));
}

/* ---- the rest */

static void put_vector(const ct_sheet *s, const char *word, const char *letter, uint32_t count,
                       const char *(*at)(const ct_sheet *s, uint32_t i), ct_text *out)
{
    ct_put(out, word);
    if (!count) {
        ct_put(out, ": none");
        return;
    }
    ct_putf(out, " $%s = \\left(", letter);
    for (uint32_t i = 0; i < count && i < MOST_LETTERS; i++) {
        ct_put(out, i ? ", " : "");
        put_name(s, at(s, i), out);
    }
    ct_put(out, count > MOST_LETTERS ? ", \\ldots\\right)$" : "\\right)$");
}

static void put_names(const ct_sheet *s, ct_text *out)
{
    put_vector(s, "States", "x", s->n, ct_sheet_state, out);
    put_vector(s, "; inputs", "u", s->ss->m, ct_sheet_input, out);
    put_vector(s, "; outputs", "y", s->ss->p, ct_sheet_output, out);
    ct_put(out, ".\n");
}

static void put_law(const ct_sheet *s, bool rates, ct_text *out)
{
    const char *letters = rates ? "ABE" : "CDF";
    bool first = true;
    bool sampled = s->ss->period > 0;
    const char *rate_text = sampled                      ? "x_{k+1} = "
                            : s->n > s->ss->differential ? "W \\dot{x} = "
                                                         : "\\dot{x} = ";
    ct_put(out, rates ? rate_text : sampled ? "y_k = " : "y = ");
    for (uint32_t i = 0; i < s->matrix_count; i++) {
        const ct_sheet_matrix *m = &s->matrix[i];
        if (!strchr(letters, m->name[0]) || ct_sheet_is_zero(m))
            continue;
        ct_put(out, first ? "" : " + ");
        put_symbol(m, out);
        bool rate = m->name[0] == letters[2];
        if (rate && m->name[1])
            ct_putf(out, "\\, u^{(%s)}", m->name + 1);
        else
            ct_putf(out, "\\, %s%s",
                    m->name[0] == letters[0] ? "x"
                    : rate                   ? "\\dot{u}"
                                             : "u",
                    sampled ? "_k" : "");
        first = false;
    }
    bool constant = !s->ss->numbers && (rates ? s->a.count : s->c.count);
    if (constant)
        ct_putf(out, "%s%s", first ? "" : " + ", rates ? "a" : "c");
    ct_put(out, first && !constant ? "0" : "");
}

static void put_column(const ct_sheet *s, const char *name, const ct_entries *e, ct_text *out)
{
    ct_sheet_matrix m = {.name = name, .entry = *e};
    if (e->count)
        put_matrix(s, &m, out);
}

static void put_parts(const ct_sheet *s, ct_text *out)
{
    for (uint32_t i = 0; i < s->part_count; i++) {
        bool last = i + 1 == s->part_count || (i + 1) % MOST_ROWS == 0;
        ct_put(out, i % MOST_ROWS == 0 ? "\\begin{align*}\n" : "");
        put_name(s, ct_name_text(s->ctx, s->part[i].name), out);
        ct_put(out, " &= ");
        put_expr(s, s->part[i].value, out);
        ct_put(out, last ? "\n\\end{align*}\n" : " \\\\\n");
    }
}

static void put_descriptor(const ct_sheet *s, ct_text *out)
{
    uint32_t d = s->ss->differential;
    if (s->n > d)
        ct_putf(out,
                "\\[ W = \\operatorname{diag}(\\underbrace{1, \\ldots, 1}_{%u}, "
                "\\underbrace{0, \\ldots, 0}_{%u}) \\]\n",
                d, s->n - d);
}

static void put_value(const ct_sheet *s, const char *name, double value, ct_text *out)
{
    ct_put(out, ",\n$");
    put_name(s, name, out);
    ct_put(out, " = ");
    put_number(value, out);
    ct_put(out, "$");
}

static void put_point(const ct_sheet *s, ct_text *out)
{
    const ct_point *p = s->ss->point;
    ct_put(out, "Operating point: $t = ");
    put_number(p->time, out);
    ct_put(out, "$");
    for (uint32_t i = 0; i < p->state_count && i < MOST_LETTERS; i++)
        put_value(s, p->state[i], p->x[i], out);
    for (uint32_t i = 0; i < p->algebraic_count && i < MOST_LETTERS; i++)
        put_value(s, p->algebraic[i], p->w[i], out);
    for (uint32_t i = 0; i < s->ss->m && i < MOST_LETTERS; i++)
        put_value(s, ct_sheet_input(s, i), s->ss->at_value[i], out);
    ct_put(out, ".\n");
}

/* What was put in, and what stands for its value at the operating point. */
static void put_left(const ct_sheet *s, ct_text *out)
{
    const ct_statespace *ss = s->ss;
    if (ss->numbers || !ss->point)
        return;
    ct_put(out, "Zeros and other exact values of the operating point are put in");
    for (uint32_t i = 0; i < ss->left_count && i < MOST_LETTERS; i++) {
        ct_put(out, i ? ", $" : "; $");
        put_name(s, ct_name_text(s->ctx, ss->left[i]), out);
        ct_put(out, "$");
    }
    ct_put(out, !ss->left_count       ? ".\n"
                : ss->left_count == 1 ? " stands for its value there.\n"
                                      : " stand for their values there.\n");
}

static void put_begin(const ct_sheet *s, ct_text *out)
{
    const ct_model *m = s->ss->model;
    if (s->show->standalone)
        ct_put(out, "\\documentclass{article}\n"
                    "\\usepackage[utf8]{inputenc}\n"
                    "\\usepackage[a4paper,landscape,margin=1.5cm]{geometry}\n"
                    "\\usepackage{amsmath,amssymb}\n"
                    "\\allowdisplaybreaks\n"
                    "\\begin{document}\n");
    ct_put(out, "\\section*{");
    ct_put_latex_text(out, m->title ? m->title : ct_name_text(s->ctx, m->name));
    ct_put(out, "}\n");
    if (s->n > 10 || s->ss->m > 10)
        ct_putf(out, "\\setcounter{MaxMatrixCols}{%u}\n", (unsigned)MOST_COLUMNS);
}

bool ct_sheet_put_latex(const ct_sheet *s, ct_text *out)
{
    put_begin(s, out);
    put_names(s, out);
    ct_put(out, "\\[ ");
    put_law(s, true, out);
    ct_put(out, ", \\qquad ");
    put_law(s, false, out);
    ct_put(out, " \\]\n");
    if (s->ss->period > 0)
        ct_putf(out, "Sampled at $t_k = %.9g\\,\\mathrm{s} + k \\cdot %.9g\\,\\mathrm{s}$.\n",
                s->ss->offset, s->ss->period);
    put_parts(s, out);
    for (uint32_t i = 0; i < s->matrix_count; i++)
        put_matrix(s, &s->matrix[i], out);
    put_descriptor(s, out);
    if (!s->ss->numbers) {
        put_column(s, "a", &s->a, out);
        put_column(s, "c", &s->c, out);
    }
    if (s->transfers)
        ct_sheet_put_transfers_latex(s, out);
    if (s->ss->point)
        put_point(s, out);
    if (!s->ss->linear)
        ct_put(out, "The model is not linear: this holds for small deviations from the operating "
                    "point.\n");
    if (!s->ss->linear || !s->ss->steady)
        put_left(s, out);
    if (s->show->standalone)
        ct_put(out, "\\end{document}\n");
    return true;
}
