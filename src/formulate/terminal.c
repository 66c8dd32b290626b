/* terminal.c - terminal equations of all components as rows.
 *
 * The equations of an element are split once into linear terms over its edges' variables and a
 * rest. A component whose parameters are constant takes this split with its own values; one whose
 * parameters depend on variables, or whose equations are not linear, is expressed and split by
 * itself.
 */
#include <string.h>

#include "formulate/formulation.h"

/* A linear term of an element's equation. */
typedef struct template_term {
    uint32_t edge; /* UINT32_MAX: own unknown `own` */
    uint32_t own;
    bool across;
    int order;
    ct_expr factor; /* over the element's parameters */
} template_term;

typedef struct template_row {
    CT_VEC(template_term) term;
    ct_expr rest; /* over parameters and time */
    bool linear;
} template_row;

typedef struct template
{
    template_row *row;
    bool ready, plain; /* plain: all rows linear */
}
template;

/* What a symbol of an element's template is. */
typedef struct meaning {
    uint32_t edge, own;
    bool across;
    int order;
} meaning;

static bool find_meaning(const ct_model *m, const ct_element *e, const char *text, meaning *out)
{
    int rates = 0;
    char inner[256];
    size_t length = strlen(text);
    while (strncmp(text, "der(", 4) == 0 && length > 5 && length < sizeof inner) {
        memmove(inner, text + 4, length - 5);
        inner[length -= 5] = '\0';
        text = inner;
        rates++;
    }
    for (uint32_t i = 0; i < e->var_count; i++) {
        if (strcmp(ct_name_text(m->ctx, e->var[i].name), text) != 0)
            continue;
        *out = (meaning){UINT32_MAX, i, true, rates};
        return true;
    }
    for (uint32_t i = 0; i < e->edge_count; i++) {
        const char *edge = ct_name_text(m->ctx, e->edge[i].name);
        size_t n = strlen(edge);
        if (strncmp(edge, text, n) != 0 || text[n] != '.')
            continue;
        int row = ct_domain_variable(e->edge[i].domain, text + n + 1);
        if (row < 0)
            continue;
        const ct_variable_row *v = &ct_domain_row_at(e->edge[i].domain)->variable[row];
        *out = (meaning){i, 0, v->across, v->order + rates};
        return true;
    }
    return false;
}

static template_row split_equation(formulation *f, const ct_element *e, ct_expr equation)
{
    template_row out = {.linear = true, .rest = equation};
    const ct_model *m = f->model;
    const ct_name *found;
    uint32_t count = ct_expr_symbols(f->pool, equation, &found), used = 0;
    ct_name *symbol = CT_NEW_ARRAY(f->arena, ct_name, count + 1);
    meaning *mean = CT_NEW_ARRAY(f->arena, meaning, count + 1);
    for (uint32_t i = 0; i < count; i++)
        if (find_meaning(m, e, ct_name_text(m->ctx, found[i]), &mean[used]))
            symbol[used++] = found[i];
    ct_expr *factor = CT_NEW_ARRAY(f->arena, ct_expr, used + 1);
    if (!ct_expr_linear(f->pool, equation, symbol, used, factor, &out.rest)) {
        out.linear = false;
        return out;
    }
    for (uint32_t i = 0; i < used; i++) {
        if (ct_expr_is_zero(f->pool, factor[i]))
            continue;
        template_term t = {mean[i].edge, mean[i].own, mean[i].across, mean[i].order, factor[i]};
        CT_PUSH(f->arena, out.term, t);
    }
    return out;
}

/* ---- der(symbol) nodes become symbols, for the split */

typedef struct renaming {
    formulation *f;
    CT_VEC(ct_expr) order;
    ct_map index;
    ct_expr *of;
    bool plain; /* no other der, no integral */
} renaming;

static void note_node(void *user, ct_expr e)
{
    renaming *r = user;
    CT_PUSH(r->f->arena, r->order, e);
    ct_map_put(&r->index, e, r->order.count);
}

static ct_expr renamed(renaming *r, ct_expr e)
{
    return r->of[ct_map_get(&r->index, e) - 1];
}

static ct_expr rename_call(renaming *r, ct_expr e)
{
    ct_pool *pool = r->f->pool;
    ct_context *ctx = r->f->model->ctx;
    ct_expr inner = renamed(r, ct_expr_operand(pool, e, 0));
    if (ct_expr_op(pool, e) == CT_OP_DER && ct_expr_kind_of(pool, inner) == CT_EXPR_SYMBOL) {
        const char *text = ct_name_text(ctx, ct_expr_name(pool, inner));
        return ct_expr_symbol(pool, ct_intern_format(ctx, "der(%s)", text));
    }
    r->plain = false;
    return e;
}

static ct_expr rename_node(renaming *r, ct_expr e)
{
    ct_pool *pool = r->f->pool;
    ct_expr_kind kind = ct_expr_kind_of(pool, e);
    uint32_t n = ct_expr_arity(pool, e);
    if (kind == CT_EXPR_CALL &&
        (ct_expr_op(pool, e) == CT_OP_DER || ct_expr_op(pool, e) == CT_OP_INTEGRAL))
        return rename_call(r, e);
    ct_expr *part = CT_NEW_ARRAY(r->f->arena, ct_expr, n + 1);
    for (uint32_t i = 0; i < n; i++)
        part[i] = renamed(r, ct_expr_operand(pool, e, i));
    return ct_expr_rebuild(pool, e, part);
}

static ct_expr rename_rates(formulation *f, ct_expr e, bool *plain)
{
    renaming r = {.f = f, .plain = true};
    ct_map_init(&r.index, f->arena);
    ct_expr_walk(f->pool, &e, 1, note_node, &r);
    r.of = CT_NEW_ARRAY(f->arena, ct_expr, r.order.count + 1);
    for (uint32_t i = 0; i < r.order.count; i++)
        r.of[i] = rename_node(&r, r.order.at[i]);
    *plain = r.plain;
    return renamed(&r, e);
}

static void prepare_template(formulation *f, const ct_element *e, template *t)
{
    t->ready = t->plain = true;
    t->row = CT_NEW_ARRAY(f->arena, template_row, e->equation_count + 1);
    for (uint32_t i = 0; i < e->equation_count; i++) {
        bool plain;
        ct_expr difference = ct_expr_sub(f->pool, e->equation[i].left, e->equation[i].right);
        difference = rename_rates(f, difference, &plain);
        if (plain)
            t->row[i] = split_equation(f, e, difference);
        t->plain &= plain && t->row[i].linear;
    }
}

/* ---- values of parameters */

/* Does a parameter's value depend on variables (not only on params, inputs and time)? */
static bool is_variable(formulation *f, ct_expr value)
{
    const ct_model *m = f->model;
    const ct_name *symbol;
    if (!value || ct_expr_is_number(f->pool, value))
        return false;
    uint32_t count = ct_expr_symbols(f->pool, value, &symbol);
    for (uint32_t i = 0; i < count; i++)
        if (!ct_map_get(m->quantity_by_name, symbol[i]) &&
            strcmp(ct_name_text(m->ctx, symbol[i]), "t") != 0)
            return true;
    return false;
}

static void note_operator(void *user, ct_expr e)
{
    struct {
        const ct_pool *pool;
        bool found;
    } *look = user;
    if (ct_expr_kind_of(look->pool, e) == CT_EXPR_CALL)
        look->found |=
            ct_expr_op(look->pool, e) == CT_OP_DER || ct_expr_op(look->pool, e) == CT_OP_INTEGRAL;
}

static bool has_operator(formulation *f, ct_expr value)
{
    struct {
        const ct_pool *pool;
        bool found;
    } look = {f->pool, false};
    if (value && ct_expr_arity(f->pool, value))
        ct_expr_walk(f->pool, &value, 1, note_operator, &look);
    return look.found;
}

typedef struct values {
    CT_VEC(ct_name) name;
    CT_VEC(ct_expr) value;
    bool variable;
} values;

static void read_values(formulation *f, uint32_t component, values *v)
{
    const ct_model *m = f->model;
    const ct_element *e = m->element[m->component[component].element];
    v->name.count = v->value.count = 0;
    v->variable = false;
    for (uint32_t i = 0; i < e->param_count; i++) {
        const ct_element_param *p = &e->param[i];
        v->variable |= p->rows * p->cols > 1;
        ct_expr value = ct_component_param(m, component, p->slot);
        CT_PUSH(f->arena, v->name, p->name);
        CT_PUSH(f->arena, v->value, value);
        v->variable |= is_variable(f, value) || has_operator(f, value);
    }
}

static ct_expr with_values(formulation *f, const values *v, ct_expr e)
{
    if (ct_expr_is_number(f->pool, e))
        return e;
    if (ct_expr_kind_of(f->pool, e) == CT_EXPR_SYMBOL)
        for (uint32_t i = 0; i < v->name.count; i++)
            if (v->name.at[i] == ct_expr_name(f->pool, e))
                return v->value.at[i];
    return ct_expr_substitute(f->pool, e, v->name.at, v->value.at, v->name.count);
}

/* ---- rows */

static uint32_t own_unknown(formulation *f, uint32_t component, uint32_t own, int order)
{
    ct_name name = ct_own_variable(f->model, component, own);
    uint32_t u = ct_index_get(&f->by_name, name);
    if (!u) {
        u = ct_new_unknown(f, CT_UNKNOWN_OWN, name, component);
        ct_map_put(&f->own_by_name, name, u);
    }
    for (; order > 0; order--)
        u = ct_rate_of(f, u);
    return u;
}

static bool put_template_row(formulation *f, uint32_t component, const template_row *t,
                             const values *v)
{
    term_list terms = {0};
    for (uint32_t i = 0; i < t->term.count; i++) {
        const template_term *term = &t->term.at[i];
        ct_expr factor = with_values(f, v, term->factor);
        if (!factor)
            return false; /* a zero below a fraction line */
        if (ct_expr_is_zero(f->pool, factor))
            continue;
        if (term->edge == UINT32_MAX)
            CT_PUSH(f->arena, terms,
                    (ct_term){own_unknown(f, component, term->own, term->order), factor});
        else if (!ct_put_variable(f, f->first_edge[component] + term->edge, term->across,
                                  term->order, factor, &terms))
            return false;
    }
    ct_expr rest = with_values(f, v, t->rest);
    if (!rest)
        return false;
    ct_add_row(f, &terms, rest, false, CT_FROM_TERMINAL, component);
    return true;
}

/* Splits an expression over unknowns: those with a constant factor become terms. */
static void put_expression_row(formulation *f, ct_expr e, ct_origin_kind origin, uint32_t index)
{
    const ct_name *found;
    uint32_t count = ct_expr_symbols(f->pool, e, &found), used = 0;
    ct_name *symbol = CT_NEW_ARRAY(f->arena, ct_name, count + 1);
    for (uint32_t i = 0; i < count; i++)
        if (ct_index_get(&f->by_name, found[i]))
            symbol[used++] = found[i];
    term_list terms = {0};
    bool nonlinear = false;
    CT_VEC(ct_name) linear = {0};
    CT_VEC(ct_expr) zeros = {0};
    for (uint32_t i = 0; i < used; i++) {
        ct_expr factor, rest; /* by structure: a jump has a constant derivative, too */
        bool constant = ct_expr_linear(f->pool, e, &symbol[i], 1, &factor, &rest);
        for (uint32_t k = 0; constant && k < used; k++)
            constant = !ct_expr_has(f->pool, factor, symbol[k]);
        nonlinear |= !constant;
        if (!constant)
            continue;
        CT_PUSH(f->arena, terms, (ct_term){ct_index_get(&f->by_name, symbol[i]), factor});
        CT_PUSH(f->arena, linear, symbol[i]);
        CT_PUSH(f->arena, zeros, f->zero);
    }
    ct_expr rest =
        linear.count ? ct_expr_substitute(f->pool, e, linear.at, zeros.at, linear.count) : e;
    ct_add_row(f, &terms, rest ? rest : f->zero, nonlinear, origin, index);
}

static void add_own_names(formulation *f, uint32_t component)
{
    const ct_element *e = f->model->element[f->model->component[component].element];
    for (uint32_t i = 0; i < e->var_count; i++)
        own_unknown(f, component, i, 0);
}

static void add_component(formulation *f, uint32_t component, template *t, values *v)
{
    const ct_model *m = f->model;
    const ct_element *e = m->element[m->component[component].element];
    if (!t->ready)
        prepare_template(f, e, t);
    read_values(f, component, v);
    for (uint32_t i = 0; i < e->equation_count; i++) {
        bool plain = t->plain && !v->variable;
        if (plain && put_template_row(f, component, &t->row[i], v))
            continue;
        ct_expr difference = ct_expr_sub(f->pool, e->equation[i].left, e->equation[i].right);
        ct_expr own = ct_component_instance(m, component, difference);
        put_expression_row(f, own ? ct_express(f, own, m->component[component].place) : f->zero,
                           CT_FROM_TERMINAL, component);
    }
}

void ct_add_terminal_rows(formulation *f)
{
    template *templates = CT_NEW_ARRAY(f->arena, template, f->model->element_count + 1);
    values v = {0};
    for (uint32_t c = 0; c < f->model->component_count; c++)
        add_own_names(f, c);
    for (uint32_t c = 0; c < f->model->component_count; c++)
        add_component(f, c, &templates[f->model->component[c].element], &v);
}
