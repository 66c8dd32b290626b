/* terminal.c - terminal equations of all components as rows [McPhee-2, eqs. 15 to 19].
 *
 * The equations of an element are split once into linear terms over its edges' variables and a
 * rest (split.h). A component whose parameters are constant takes this split with its own values;
 * one whose parameters depend on variables, or whose equations are not linear, is expressed and
 * split by itself.
 */
#include <string.h>

#include "formulate/formulation.h"
#include "model/split.h"

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
        if (!ct_map_get(m->quantity_by_name, symbol[i]) && !ct_is_time(m->symbols, symbol[i]))
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
    const ct_expr *slot = ct_component_params(m, component);
    for (uint32_t i = 0; i < e->param_count; i++) {
        const ct_element_param *p = &e->param[i];
        v->variable |= p->rows * p->cols > 1;
        ct_expr value = slot[p->slot];
        CT_PUSH(f->arena, v->name, p->name);
        CT_PUSH(f->arena, v->value, value);
        v->variable |= is_variable(f, value) || has_operator(f, value);
    }
    for (uint32_t i = 0; i < e->discrete_count; i++) {
        CT_PUSH(f->arena, v->name, e->discrete[i].name);
        CT_PUSH(f->arena, v->value, ct_expr_symbol(f->pool, ct_own_discrete(m, component, i)));
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
    }
    for (; order > 0; order--)
        u = ct_rate_of(f, u);
    return u;
}

static bool put_template_row(formulation *f, uint32_t component, const ct_split_row *t,
                             const values *v)
{
    term_list terms = {0};
    for (uint32_t i = 0; i < t->term_count; i++) {
        const ct_split_term *term = &t->term[i];
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

void ct_add_expression_row(formulation *f, ct_expr e, ct_origin_kind origin, uint32_t index)
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

static void add_component(formulation *f, uint32_t component, const ct_split *t, values *v)
{
    const ct_model *m = f->model;
    const ct_element *e = m->element[m->component[component].element];
    bool pushed = ct_is_pushed(f, component);
    if (e->var_count == 1 && ct_is_held(f, ct_own_variable(m, component, 0)))
        return;
    read_values(f, component, v);
    for (uint32_t i = 0; i < e->equation_count; i++) {
        bool plain = t->plain && !v->variable && !pushed;
        if (plain && put_template_row(f, component, &t->row[i], v))
            continue;
        ct_expr difference = ct_expr_sub(f->pool, e->equation[i].left, e->equation[i].right);
        ct_expr own = ct_component_instance(m, component, difference);
        if (pushed && own)
            own = ct_with_pushes(f, component, own);
        f->component = component, f->equation = (uint16_t)i;
        own = own ? ct_express(f, own, m->component[component].place) : f->zero;
        f->component = UINT32_MAX;
        ct_add_expression_row(f, own, CT_FROM_TERMINAL, component);
    }
}

/* Does it take the rate of more than a variable, with a value in it that may jump? */
static bool may_keep(formulation *f, uint32_t component)
{
    const ct_model *m = f->model;
    const ct_element *e = m->element[m->component[component].element];
    const ct_expr *slot = ct_component_params(m, component);
    bool jumps = e->discrete_count > 0, rates = false;
    for (uint32_t i = 0; i < e->slot_count && !jumps; i++)
        jumps = slot[i] && !ct_expr_is_number(f->pool, slot[i]) &&
                ct_jumps_from_outside(m, component, slot[i]);
    for (uint32_t i = 0; i < e->equation_count && jumps && !rates; i++)
        rates = has_operator(f, e->equation[i].left) || has_operator(f, e->equation[i].right);
    return jumps && rates;
}

void ct_add_terminal_rows(formulation *f)
{
    const ct_split **split = CT_NEW_ARRAY(f->arena, const ct_split *, f->model->element_count + 1);
    values v = {0};
    for (uint32_t c = 0; c < f->model->component_count; c++) {
        add_own_names(f, c);
        f->keeps |= may_keep(f, c);
    }
    for (uint32_t c = 0; c < f->model->component_count; c++) {
        uint32_t e = f->model->component[c].element;
        if (!split[e])
            split[e] = ct_split_element(f->model, f->model->element[e], f->arena);
        add_component(f, c, split[e], &v);
    }
}
