/* equations_latex.c - equations as LaTeX, with the package amsmath: a fragment to be put into a
 * document, or a document.
 */
#include <string.h>

#include "export/equations_make.h"
#include "export/latex_fit.h"

enum { MOST_ROWS = 40 };                         /* of one align*: TeX sets it as a whole */
static const double LINE = 460, WIDE_LEFT = 150; /* points; 483 between margins of 2 cm */

void ct_put_latex_text(ct_text *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("#$%&_{}", *text))
            ct_putf(out, "\\%c", *text);
        else if (*text == '\\')
            ct_put(out, "\\textbackslash{}");
        else if (*text == '^' || *text == '~')
            ct_putf(out, "\\%c{}", *text);
        else
            ct_put_char(out, *text);
    }
}

void ct_put_latex_words(ct_text *out, const char *words)
{
    ct_put(out, "\\text{");
    ct_put_latex_text(out, words);
    ct_put(out, "}");
}

static bool is_greek(const char *at)
{
    static const char *const word[] = {"tau", "alpha", "Phi", "lambda", "gamma"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strncmp(at, word[i], strlen(word[i])) == 0)
            return true;
    return false;
}

/* [A_c]^T tau_b in a title is meant as a formula. */
static void put_title(ct_text *out, const char *title)
{
    const char *colon = strstr(title, ": "), *formula = colon ? strchr(colon, '=') : NULL;
    if (!formula) {
        ct_put_latex_text(out, title);
        return;
    }
    ct_put_bytes(out, title, (size_t)(colon - title));
    ct_put(out, ": $");
    for (const char *at = colon + 2; *at; at++) {
        if (is_greek(at))
            ct_put_char(out, '\\');
        ct_put_char(out, *at);
    }
    ct_put(out, "$");
}

static void put_names(const ct_equation_list *list, const ct_name *name, uint32_t count,
                      ct_text *out)
{
    for (uint32_t i = 0; i < count && (list->def.all || i < CT_MOST_SHOWN); i++) {
        ct_side_term t = {ct_expr_symbol(list->pool, name[i]), 0};
        ct_side side = {&t, 1};
        ct_put(out, i ? ",\n$" : "$");
        ct_side_put(list, &side, true, out);
        ct_put(out, "$");
    }
    if (count > CT_MOST_SHOWN && !list->def.all)
        ct_putf(out, ", \\ldots\\ (%u in all)", count);
}

/* A paragraph; a long one has a ragged edge, because names do not stretch. */
static void put_list(const ct_equation_list *list, const char *before, const ct_name *name,
                     uint32_t count, const char *after, ct_text *out)
{
    bool ragged = count > 8;
    ct_putf(out, "%s%s", ragged ? "{\\raggedright " : "", before);
    put_names(list, name, count, out);
    ct_putf(out, "%s%s\n", after, ragged ? "\\par}" : "");
}

typedef const ct_equation *(*equation_at)(const void *from, uint32_t i);

static const ct_equation *in_group(const void *from, uint32_t i)
{
    return &((const ct_equation_group *)from)->equation[i];
}

static const ct_equation *in_definitions(const void *from, uint32_t i)
{
    return &((const ct_equation_list *)from)->definition[i].equation;
}

/* ---- rows of align* */

typedef struct math_row {
    const char *left, *right; /* at the two sides of `&` */
    double width;             /* of the left one */
} math_row;

/* Left sides that are wide begin in the second column; the others decide where it begins. */
static void put_block(const ct_equation_list *list, const math_row *row, uint32_t count,
                      ct_text *out)
{
    double widest = 0;
    for (uint32_t i = 0; i < count; i++)
        if (row[i].width <= WIDE_LEFT && row[i].width > widest)
            widest = row[i].width;
    double room = LINE - widest;
    ct_put(out, "\\begin{align*}\n");
    for (uint32_t i = 0; i < count; i++) {
        bool wide = row[i].width > WIDE_LEFT;
        const char *right =
            wide ? ct_printf(list->reduced->system->model->ctx, "%s %s", row[i].left, row[i].right)
                 : row[i].right;
        ct_putf(out, "%s &", wide ? "" : row[i].left);
        ct_latex_fit(list->arena, right, 0, room, out);
        ct_put(out, i + 1 < count ? " \\\\\n" : "\n\\end{align*}\n");
    }
}

static const char *side_text(const ct_equation_list *list, const char *before, const ct_side *side)
{
    ct_text text = ct_text_new(list->arena);
    ct_put(&text, before);
    ct_side_put(list, side, true, &text);
    return ct_text_string(&text);
}

static void put_rows(const ct_equation_list *list, const void *from, equation_at at, uint32_t count,
                     ct_text *out)
{
    math_row row[MOST_ROWS];
    for (uint32_t i = 0, filled = 0; i < count; i++) {
        const ct_equation *e = at(from, i);
        row[filled].left = side_text(list, "", &e->left);
        row[filled].right = side_text(list, "= ", &e->right);
        row[filled].width = ct_latex_width(list->arena, row[filled].left);
        if (++filled < MOST_ROWS && i + 1 < count)
            continue;
        put_block(list, row, filled, out);
        filled = 0;
    }
}

static void put_words(const ct_equation_list *list, const ct_equation_group *g, ct_text *out)
{
    (void)list;
    for (uint32_t i = 0; i < g->line_count; i++) {
        ct_put(out, i ? "\\\\\n" : "{\\raggedright\\noindent ");
        ct_put_latex_text(out, g->line[i]);
    }
    ct_put(out, g->line_count ? "\\par}\n" : "");
}

/* Lines of a mechanism's trace: a label, a tab, a formula. */
static void put_formulas(const ct_equation_list *list, const ct_equation_group *g, ct_text *out)
{
    math_row row[MOST_ROWS];
    for (uint32_t i = 0, filled = 0; i < g->line_count; i++) {
        const char *tab = strchr(g->line[i], '\t');
        ct_text label = ct_text_new(list->arena);
        ct_put_bytes(&label, g->line[i], tab ? (size_t)(tab - g->line[i]) : 0);
        row[filled].left = ct_text_string(&label);
        row[filled].right = tab ? tab + 1 : g->line[i];
        row[filled].width = ct_latex_width(list->arena, row[filled].left);
        if (++filled < MOST_ROWS && i + 1 < g->line_count)
            continue;
        put_block(list, row, filled, out);
        filled = 0;
    }
}

static void put_group(const ct_equation_list *list, const ct_equation_group *g, ct_text *out)
{
    ct_put(out, "\n\\paragraph{");
    put_title(out, g->title);
    ct_put(out, "}\n");
    if (g->name) {
        put_list(list, "", g->name, g->name_count, "", out);
    }
    (g->kind == CT_GROUP_REMARK ? put_words : put_formulas)(list, g, out);
    put_rows(list, g, in_group, g->count, out);
    if (g->total > g->count + g->line_count)
        ct_putf(out, "%u more of %u equations are not shown.\n", g->total - g->count, g->total);
}

/* Of bodies. */
static void put_known(const ct_equation_list *list, const char *what, const ct_name *name,
                      uint32_t count, ct_text *out)
{
    if (!list->motion || !count)
        return;
    put_list(list, what, name, count, ".", out);
}

static void put_head(const ct_equation_list *list, ct_text *out)
{
    const ct_model *m = list->reduced->system->model;
    const char *title = m->title ? m->title : ct_name_text(m->ctx, m->name);
    if (*title) {
        ct_put(out, "\\section*{");
        ct_put_latex_text(out, title);
        ct_put(out, "}\n");
    }
    put_known(list, "Coordinates: ", list->coordinate, list->coordinate_count, out);
    put_known(list, "Speeds: ", list->speed, list->speed_count, out);
    put_known(list, "Multipliers: ", list->multiplier, list->multiplier_count, out);
    if (list->unknown_count && !list->motion) {
        put_list(list, "Unknowns: ", list->unknown, list->unknown_count, ".", out);
    }
    ct_putf(out, "%u differential and %u algebraic equation%s", list->differential, list->algebraic,
            list->algebraic == 1 ? "" : "s");
    if (list->dof)
        ct_putf(out, ", %u degree%s of freedom", list->dof, list->dof == 1 ? "" : "s");
    ct_put(out, ".\n");
}

void ct_equations_put_latex(const ct_equation_list *list, ct_text *out)
{
    if (list->def.standalone)
        ct_put(out, "\\documentclass{article}\n"
                    "\\usepackage[utf8]{inputenc}\n"
                    "\\usepackage[a4paper,margin=2cm]{geometry}\n"
                    "\\usepackage{amsmath}\n"
                    "\\allowdisplaybreaks\n"
                    "\\emergencystretch=3em\n"
                    "\\begin{document}\n");
    put_head(list, out);
    if (list->definition_count) {
        ct_put(out, "\n\\paragraph{Intermediates}\n");
        put_rows(list, list, in_definitions, list->definition_count, out);
    }
    ct_matrices_put_latex(list, out);
    for (uint32_t i = 0; i < list->group_count; i++)
        put_group(list, &list->group[i], out);
    if (list->def.standalone)
        ct_put(out, "\\end{document}\n");
}
