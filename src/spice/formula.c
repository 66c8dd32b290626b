/* formula.c - formulas of outputs: columns of .ac, which are phasors, and expressions of .meas. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spice/reader.h"

/* ---- functions ---------------------------------------------------------------------------------
 */

static double complex magnitude(double complex x)
{
    return cabs(x);
}

static double complex decibels(double complex x)
{
    return 20 * log10(cabs(x));
}

static double complex phase(double complex x)
{
    return carg(x);
}

static double complex real_part(double complex x)
{
    return creal(x);
}

static double complex imaginary_part(double complex x)
{
    return cimag(x);
}

static double complex logarithm_to_ten(double complex x)
{
    return clog(x) / log(10);
}

static double complex smaller(double complex x, double complex y)
{
    return fmin(creal(x), creal(y));
}

static double complex larger(double complex x, double complex y)
{
    return fmax(creal(x), creal(y));
}

static const struct row {
    const char *name;
    double complex (*one)(double complex);
    double complex (*two)(double complex, double complex);
    bool real;
} rows[] = {{"abs", magnitude, NULL, true},
            {"spice_db", decibels, NULL, true},
            {"spice_phase", phase, NULL, true},
            {"spice_real", real_part, NULL, true},
            {"spice_imaginary", imaginary_part, NULL, true},
            {"sqrt", csqrt, NULL, false},
            {"exp", cexp, NULL, false},
            {"log", clog, NULL, false},
            {"spice_log10", logarithm_to_ten, NULL, false},
            {"sin", csin, NULL, false},
            {"cos", ccos, NULL, false},
            {"tan", ctan, NULL, false},
            {"atan", catan, NULL, false},
            {"min", NULL, smaller, true},
            {"max", NULL, larger, true}};

static const struct row *function_named(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

/* ---- values ------------------------------------------------------------------------------------
 *
 * Expressions nest to CT_MAX_NESTING at most, so that recursion is safe.
 */

typedef struct place_of {
    const ct_syntax *s;
    const double complex *column;
    const double *measure;
} place_of;

static double complex value_at(const place_of *p, ct_node n);

static double complex call_at(const place_of *p, const ct_syntax_node *ref)
{
    const ct_syntax_node *node = p->s->node;
    const struct row *f = function_named(ct_name_text(p->s->ctx, ref->name));
    ct_node first = node[ref->first].first;
    double complex x = value_at(p, first);
    if (f->one)
        return f->one(x);
    return f->two(x, value_at(p, node[first].next));
}

static double complex many_at(const place_of *p, const ct_syntax_node *n)
{
    bool sum = n->kind == CT_NODE_SUM;
    double complex all = sum ? 0 : 1;
    for (ct_node k = n->first; k; k = p->s->node[k].next) {
        double complex x = value_at(p, k);
        all = sum ? all + x : all * x;
    }
    return all;
}

static double complex value_at(const place_of *p, ct_node k)
{
    const ct_syntax_node *n = &p->s->node[k];
    switch (n->kind) {
    case CT_NODE_NUMBER:
        return strtod(ct_name_text(p->s->ctx, n->name), NULL);
    case CT_NODE_SUM:
    case CT_NODE_PRODUCT:
        return many_at(p, n);
    case CT_NODE_NEG:
        return -value_at(p, n->first);
    case CT_NODE_INV:
        return 1 / value_at(p, n->first);
    case CT_NODE_POWER:
        return cpow(value_at(p, n->first), value_at(p, p->s->node[n->first].next));
    default:
        break;
    }
    if (n->op == CT_FORMULA_COLUMN)
        return p->column[n->name];
    if (n->op == CT_FORMULA_MEASURE)
        return p->measure[n->name];
    return n->first ? call_at(p, n) : 3.14159265358979323846; /* pi is the only name left */
}

double complex ct_formula_value(const ct_syntax *syntax, ct_node formula,
                                const double complex *column, const double *measure)
{
    const place_of p = {syntax, column, measure};
    return value_at(&p, formula);
}

/* ---- reading -----------------------------------------------------------------------------------
 */

static bool is_many(uint16_t kind)
{
    return kind == CT_NODE_SUM || kind == CT_NODE_PRODUCT || kind == CT_NODE_NEG ||
           kind == CT_NODE_INV || kind == CT_NODE_POWER;
}

/* Only what value_at knows. */
static bool is_supported(const reader *r, ct_node k)
{
    const ct_syntax_node *n = &r->node.at[k];
    if (n->kind == CT_NODE_NUMBER)
        return true;
    if (n->kind == CT_NODE_REF && (n->op || !n->first))
        return n->op || strcmp(ct_name_text(r->ctx, n->name), "pi") == 0;
    if (n->kind == CT_NODE_REF && !function_named(ct_name_text(r->ctx, n->name)))
        return false;
    if (n->kind != CT_NODE_REF && !is_many(n->kind))
        return false;
    ct_node first = n->kind == CT_NODE_REF ? r->node.at[n->first].first : n->first;
    for (ct_node c = first; c; c = r->node.at[c].next)
        if (!is_supported(r, c))
            return false;
    return true;
}

bool ct_sp_formula_is_real(const reader *r, ct_node k)
{
    const ct_syntax_node *n = &r->node.at[k];
    if (n->kind == CT_NODE_REF && n->op)
        return n->op == CT_FORMULA_MEASURE;
    if (n->kind == CT_NODE_REF && n->first && function_named(ct_name_text(r->ctx, n->name))->real)
        return true;
    ct_node first = n->kind == CT_NODE_REF && n->first ? r->node.at[n->first].first : n->first;
    if (n->kind == CT_NODE_NUMBER)
        return true;
    for (ct_node c = first; c; c = r->node.at[c].next)
        if (!ct_sp_formula_is_real(r, c))
            return false;
    return true;
}

ct_node ct_sp_formula(reader *r, uint32_t at, uint32_t end)
{
    bool broken = r->broken, before = r->formula;
    r->broken = false;
    r->formula = true;
    ct_node n = ct_sp_expression(r, at, end).node;
    r->formula = before;
    bool bad = r->broken;
    r->broken |= broken;
    if (bad)
        return 0;
    if (is_supported(r, n))
        return n;
    ct_sp_error(r, "E802", (ct_place){r->source, at, end > at ? end - at : 1},
                "this expression holds what cannot be computed from results");
    return 0;
}

/* The output as a column of formulas. */
ct_node ct_sp_output_column(reader *r, ct_node expr, const char *label)
{
    ct_name name = ct_intern_text(r->ctx, label);
    uint32_t known = ct_map_get(&r->labels, name);
    if (!known) {
        ct_node text = ct_sp_node(r, CT_NODE_STRING, name, 0);
        ct_sp_add(r, &r->outputs, ct_sp_list(r, CT_NODE_ITEM, 0, (ct_node[]){expr, text}, 2));
        known = ++r->output_count;
        ct_map_put(&r->labels, name, known);
    }
    ct_node ref = ct_sp_node(r, CT_NODE_REF, known - 1, 0);
    r->node.at[ref].op = CT_FORMULA_COLUMN;
    return ref;
}
