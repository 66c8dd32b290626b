/* statespace_text.c - matrices as a person lays them out: columns under the names of their
 * variables, or a list of what is not zero when they are large. */
#include <string.h>

#include "export/statespace.h"

enum { WIDEST = 110, MOST_COLUMNS = 12, GAP = 3 };

/* ---- cells as texts */

static const char *number_text(const ct_sheet *s, double value)
{
    char text[40];
    ct_sheet_number(text, sizeof text, value);
    return ct_arena_copy(s->arena, text, strlen(text));
}

static const char *cell_text(const ct_sheet *s, const ct_sheet_matrix *m, uint32_t row,
                             uint32_t col, const ct_expr *value)
{
    size_t at = (size_t)row * m->entry.cols + col;
    if (m->number)
        return number_text(s, m->number[at]);
    if (!value[at])
        return "0";
    ct_text text = ct_text_new(s->arena);
    ct_expr_put_read(s->pool, &text, value[at]);
    return ct_text_string(&text);
}

/* The variable that belongs to a row or column. */
static const char *row_name(const ct_sheet *s, const ct_sheet_matrix *m, uint32_t i)
{
    bool above = m->name[0] == 'A' || m->name[0] == 'B' || m->name[0] == 'E';
    if (!above)
        return s->ss->output[i];
    if (s->ss->period > 0)
        return ct_printf(s->ctx, "%s[k+1]", ct_sheet_state(s, i));
    return i < s->ss->differential ? ct_printf(s->ctx, "%s'", ct_sheet_state(s, i)) : "0";
}

static const char *col_name(const ct_sheet *s, const ct_sheet_matrix *m, uint32_t i)
{
    bool state = m->name[0] == 'A' || m->name[0] == 'C';
    if (state)
        return ct_sheet_state(s, i);
    bool rate = m->name[0] == 'E' || m->name[0] == 'F';
    const char *prime = !rate ? "" : m->name[1] == '\0' ? "'" : m->name[1] == '2' ? "''" : NULL;
    return prime ? ct_printf(s->ctx, "%s%s", ct_sheet_input(s, i), prime)
                 : ct_printf(s->ctx, "%s^(%s)", ct_sheet_input(s, i), m->name + 1);
}

/* ---- tables */

typedef struct grid {
    const char **cell; /* the first row and column are names */
    size_t *width;
    uint32_t rows, cols;
    size_t total;
} grid;

static grid make_grid(const ct_sheet *s, const ct_sheet_matrix *m)
{
    grid g = {.rows = m->entry.rows + 1, .cols = m->entry.cols + 1};
    const ct_expr *value = m->number ? NULL : ct_sheet_dense(s, &m->entry);
    g.cell = CT_NEW_ARRAY(s->arena, const char *, (size_t)g.rows *g.cols);
    g.width = CT_NEW_ARRAY(s->arena, size_t, g.cols);
    for (uint32_t i = 0; i < g.rows; i++) {
        for (uint32_t k = 0; k < g.cols; k++) {
            const char *text = !i && !k ? ""
                               : !i     ? col_name(s, m, k - 1)
                               : !k     ? row_name(s, m, i - 1)
                                        : cell_text(s, m, i - 1, k - 1, value);
            size_t width = ct_text_width(text);
            g.cell[(size_t)i * g.cols + k] = text;
            g.width[k] = width > g.width[k] ? width : g.width[k];
        }
    }
    for (uint32_t k = 0; k < g.cols; k++)
        g.total += g.width[k] + GAP;
    return g;
}

static void put_grid(const grid *g, ct_text *out)
{
    for (uint32_t i = 0; i < g->rows; i++) {
        ct_put(out, "    ");
        for (uint32_t k = 0; k < g->cols; k++) {
            const char *text = g->cell[(size_t)i * g->cols + k];
            ct_put(out, text);
            if (k + 1 < g->cols)
                ct_put_repeat(out, ' ', g->width[k] + GAP - ct_text_width(text));
        }
        ct_put(out, "\n");
    }
}

/* ---- lists */

static void put_list(const ct_sheet *s, const ct_sheet_matrix *m, ct_text *out)
{
    const ct_expr *value = m->number ? NULL : ct_sheet_dense(s, &m->entry);
    for (uint32_t i = 0; i < m->entry.rows; i++) {
        for (uint32_t k = 0; k < m->entry.cols; k++) {
            size_t at = (size_t)i * m->entry.cols + k;
            if (m->number ? m->number[at] == 0 : !value[at])
                continue;
            ct_putf(out, "    [%u,%u]  %s, %s:  %s\n", i + 1, k + 1, row_name(s, m, i),
                    col_name(s, m, k), cell_text(s, m, i, k, value));
        }
    }
}

static void put_matrix(const ct_sheet *s, const ct_sheet_matrix *m, ct_text *out)
{
    bool small = m->entry.cols <= MOST_COLUMNS && m->entry.rows <= 3 * MOST_COLUMNS;
    if (!m->entry.rows || !m->entry.cols)
        return;
    if (ct_sheet_is_zero(m)) {
        ct_putf(out, "\n%s = 0  (%u x %u)\n", m->name, m->entry.rows, m->entry.cols);
        return;
    }
    grid g = {0};
    if (small)
        g = make_grid(s, m);
    ct_putf(out, "\n%s =", m->name);
    if (small && g.total <= WIDEST) {
        ct_put(out, "\n");
        put_grid(&g, out);
    } else {
        ct_putf(out, "  (%u x %u; what is not listed is 0)\n", m->entry.rows, m->entry.cols);
        put_list(s, m, out);
    }
}

/* ---- the rest */

static void put_names(const ct_sheet *s, const char *title, uint32_t count,
                      const char *(*at)(const ct_sheet *s, uint32_t i), ct_text *out)
{
    size_t width = 0;
    ct_putf(out, "%-11s", title);
    for (uint32_t i = 0; i < count; i++) {
        const char *text = at(s, i);
        if (i && width + ct_text_width(text) > WIDEST - 20) {
            ct_put(out, ",\n           ");
            width = 0;
        } else if (i) {
            ct_put(out, ", ");
        }
        ct_put(out, text);
        width += ct_text_width(text) + 2;
    }
    ct_put(out, count ? "\n" : "none\n");
}

/* x' = A x + B u + E u', with the terms that there are. */
static void put_law(const ct_sheet *s, bool rates, ct_text *out)
{
    const char *const letters = rates ? "ABE" : "CDF";
    bool sampled = s->ss->period > 0;
    const char *begin = rates ? (sampled                      ? "x[k+1] = "
                                 : s->n > s->ss->differential ? "W x' = "
                                                              : "x' = ")
                              : (sampled ? "y[k] = " : "y = ");
    bool first = true;
    ct_put(out, begin);
    for (uint32_t i = 0; i < s->matrix_count; i++) {
        const ct_sheet_matrix *m = &s->matrix[i];
        bool own = m->name[0] == letters[0] || m->name[0] == letters[1] || m->name[0] == letters[2];
        if (!own || ct_sheet_is_zero(m))
            continue;
        ct_putf(out, "%s%s %s%s", first ? "" : " + ", m->name, m->name[0] == letters[0] ? "x" : "u",
                sampled ? "[k]" : "");
        if (m->name[0] == letters[2])
            ct_put(out, m->name[1] == '\0' ? "'" : m->name[1] == '2' ? "''" : "^(k)");
        first = false;
    }
    const ct_entries *constant = rates ? &s->a : &s->c;
    if (constant->count && !s->ss->numbers) {
        ct_putf(out, "%s%s", first ? "" : " + ", rates ? "a" : "c");
        first = false;
    }
    ct_put(out, first ? "0" : "");
}

static void put_sampling(const ct_sheet *s, ct_text *out)
{
    const ct_statespace *ss = s->ss;
    if (!(ss->period > 0))
        return;
    ct_put(out, "sampled at t = ");
    if (ss->offset > 0)
        ct_putf(out, "%.9g s + ", ss->offset);
    ct_putf(out, "k*%.9g s: x just before the ticks, y just after them, u held in between\n",
            ss->period);
}

/* What the matrices still hold besides parameters. */
static void put_left(const ct_sheet *s, ct_text *out)
{
    const ct_statespace *ss = s->ss;
    if (!ss->point || ss->numbers)
        return;
    ct_put(out, "Zeros and other exact values of the operating point below are put in.\n");
    for (uint32_t i = 0; i < ss->left_count; i++)
        ct_putf(out, "%s%s", i ? ", " : "", ct_name_text(s->ctx, ss->left[i]));
    if (ss->left_count)
        ct_put(out, ss->left_count > 1 ? " stand for their values there.\n"
                                       : " stands for its value there.\n");
}

static void put_head(const ct_sheet *s, ct_text *out)
{
    const ct_model *m = s->ss->model;
    const char *name = ct_name_text(s->ctx, m->name);
    if (*name || m->title)
        ct_putf(out, "%s%s%s\n\n", name, *name && m->title ? ": " : "", m->title ? m->title : "");
    put_names(s, "states x", s->n, ct_sheet_state, out);
    put_names(s, "inputs u", s->ss->m, ct_sheet_input, out);
    put_names(s, "outputs y", s->ss->p, ct_sheet_output, out);
    ct_put(out, "\n");
    put_law(s, true, out);
    ct_put(out, ",   ");
    put_law(s, false, out);
    ct_put(out, "\n");
    put_sampling(s, out);
    if (!s->ss->linear)
        ct_put(out, "The model is not linear: this holds for small deviations from an operating "
                    "point.\n");
    if (!s->ss->linear || !s->ss->steady)
        put_left(s, out);
}

static void put_column(const ct_sheet *s, const char *name, const ct_entries *e, bool rates,
                       ct_text *out)
{
    if (!e->count)
        return;
    ct_putf(out, "\n%s =  (what is not listed is 0)\n", name);
    for (uint32_t i = 0; i < e->count; i++) {
        uint32_t row = e->entry[i].row;
        ct_putf(out, "    %s%s: ", rates ? ct_sheet_state(s, row) : s->ss->output[row],
                rates ? "'" : "");
        ct_expr_put_read(s->pool, out, e->entry[i].value);
        ct_put(out, "\n");
    }
}

static void put_parts(const ct_sheet *s, ct_text *out)
{
    if (s->ss->cut_short)
        ct_put(out, "Some entries are not simplified: that would take too long.\n");
    ct_put(out, s->part_count ? "\nwith\n" : "");
    for (uint32_t i = 0; i < s->part_count; i++) {
        ct_putf(out, "    %s = ", ct_name_text(s->ctx, s->part[i].name));
        ct_expr_put_read(s->pool, out, s->part[i].value);
        ct_put(out, "\n");
    }
}

static void put_point(const ct_sheet *s, ct_text *out)
{
    const ct_point *p = s->ss->point;
    ct_putf(out, "\noperating point at t = %.9g s\n", p->time);
    for (uint32_t i = 0; i < p->state_count; i++)
        ct_putf(out, "    %s = %.9g\n", p->state[i], p->x[i]);
    for (uint32_t i = 0; i < p->algebraic_count; i++)
        ct_putf(out, "    %s = %.9g\n", p->algebraic[i], p->w[i]);
    for (uint32_t i = 0; i < s->ss->m; i++)
        ct_putf(out, "    %s = %.9g\n", ct_sheet_input(s, i), s->ss->at_value[i]);
}

static void put_descriptor(const ct_sheet *s, ct_text *out)
{
    uint32_t d = s->ss->differential;
    if (s->n <= d)
        return;
    ct_putf(out,
            "\nW = diagonal: %u times 1, %u times 0  (descriptor form: the last %u states have no "
            "rates)\n",
            d, s->n - d, s->n - d);
    if (s->ss->given_up)
        ct_put(out, "They could be eliminated, but the matrices would become very large.\n");
}

bool ct_sheet_put_text(const ct_sheet *s, ct_text *out)
{
    put_head(s, out);
    put_parts(s, out);
    for (uint32_t i = 0; i < s->matrix_count; i++)
        put_matrix(s, &s->matrix[i], out);
    put_descriptor(s, out);
    if (!s->ss->numbers) {
        put_column(s, "a", &s->a, true, out);
        put_column(s, "c", &s->c, false, out);
    }
    if (s->lti)
        ct_sheet_put_lti_text(s, out);
    if (s->transfers)
        ct_sheet_put_transfers_text(s, out);
    if (s->show->exact)
        ct_sheet_put_exact_text(s, out);
    if (s->ss->point)
        put_point(s, out);
    return true;
}
