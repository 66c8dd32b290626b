/* law.c - from the equations of an element to one program: values and derivatives. */
#include "nodal/law.h"

#include <string.h>

typedef struct lawmaking {
    net *n;
    const variant *v;
    law *l;
    ct_expr *row;                 /* residuals; of explicit laws what throughs are */
    name_list input, rate, given; /* symbols */
    CT_VEC(law_input) inputs;
    CT_VEC(uint32_t) rated, parameters;
    CT_VEC(law_limit) limits;
    expr_list exponent, limit; /* arguments of exp(); slope, offset of each limit */
    expr_list limited;         /* arguments that have a limit */
    bool stores_linearly;      /* what it stores does not depend on itself */
} lawmaking;

/* ---- which symbols there are */

static uint32_t place_of(const name_list *list, ct_name symbol)
{
    uint32_t i = 0;
    while (i < list->count && list->at[i] != symbol)
        i++;
    return i;
}

static uint32_t input_of(lawmaking *m, ct_name symbol, law_input input)
{
    uint32_t at = place_of(&m->input, symbol);
    if (at == m->input.count) {
        CT_PUSH(m->n->arena, m->input, symbol);
        CT_PUSH(m->n->arena, m->inputs, input);
    }
    return at;
}

static bool take_parameter(lawmaking *m, ct_name symbol)
{
    const variant *v = m->v;
    uint32_t s = 0;
    while (s < v->symbol_count && v->symbol[s] != symbol)
        s++;
    if (s == v->symbol_count)
        return false;
    if (m->l->moving >> v->slot[s] & 1) {
        input_of(m, symbol, (law_input){INPUT_WAVE, s, 0});
    } else if (place_of(&m->given, symbol) == m->given.count) {
        CT_PUSH(m->n->arena, m->given, symbol);
        CT_PUSH(m->n->arena, m->parameters, s);
    }
    return true;
}

static bool take_variable(lawmaking *m, ct_name symbol)
{
    const ct_model *model = m->n->model;
    ct_split_term t;
    uint32_t rates;
    if (!ct_split_symbol(model, m->v->element, symbol, &t) || t.order < 0 || t.order > 1)
        return false;
    ct_name base = ct_base_symbol(model->symbols, symbol, &rates);
    input_kind kind = t.edge == UINT32_MAX ? INPUT_OWN : t.across ? INPUT_ACROSS : INPUT_THROUGH;
    if (rates != (uint32_t)t.order) /* a variable that is a rate by its name */
        return false;
    uint32_t at = input_of(m, base, (law_input){kind, kind == INPUT_OWN ? t.own : t.edge, 0});
    if (t.order && !m->inputs.at[at].rate) {
        CT_PUSH(m->n->arena, m->rate, symbol);
        CT_PUSH(m->n->arena, m->rated, at);
        m->inputs.at[at].rate = m->rated.count;
    }
    return true;
}

static bool take_symbols(lawmaking *m)
{
    ct_pool *pool = m->n->pool;
    for (uint32_t i = 0; i < m->v->element->equation_count; i++) {
        const ct_name *symbol;
        uint32_t count = ct_expr_symbols(pool, m->row[i], &symbol);
        for (uint32_t k = 0; k < count; k++)
            if (!take_parameter(m, symbol[k]) && !take_variable(m, symbol[k]))
                return false;
    }
    return true;
}

/* ---- laws that tell each through variable */

/* The only through variable in a row: its edge; edge_count: there is none; UINT32_MAX: several, or
 * its rate is read. */
static uint32_t only_through(const lawmaking *m, ct_expr row)
{
    uint32_t edges = m->v->element->edge_count, found = edges;
    for (uint32_t j = 0; j < m->input.count; j++) {
        const law_input *in = &m->inputs.at[j];
        if (in->kind != INPUT_THROUGH || !ct_expr_has(m->n->pool, row, m->input.at[j]))
            continue;
        if (found != edges || in->rate)
            return UINT32_MAX;
        found = in->index;
    }
    return found;
}

static bool reads_inputs(const lawmaking *m, ct_expr e)
{
    for (uint32_t j = 0; j < m->input.count; j++)
        if (ct_expr_has(m->n->pool, e, m->input.at[j]))
            return true;
    for (uint32_t j = 0; j < m->rate.count; j++)
        if (ct_expr_has(m->n->pool, e, m->rate.at[j]))
            return true;
    return false;
}

static ct_name through_symbol(const lawmaking *m, uint32_t edge)
{
    uint32_t j = 0;
    while (m->inputs.at[j].kind != INPUT_THROUGH || m->inputs.at[j].index != edge)
        j++;
    return m->input.at[j];
}

/* through = -rest/factor; 0: not so. */
static ct_expr solved_for(lawmaking *m, ct_expr row, uint32_t edge)
{
    ct_name symbol = through_symbol(m, edge);
    ct_expr factor, rest;
    if (!ct_expr_linear(m->n->pool, row, &symbol, 1, &factor, &rest) || reads_inputs(m, factor))
        return 0;
    return ct_expr_neg(m->n->pool, ct_expr_div(m->n->pool, rest, factor));
}

/* Rows in the order of edges, then those of own unknowns. */
static bool make_explicit(lawmaking *m)
{
    const ct_element *e = m->v->element;
    ct_expr *row = CT_NEW_ARRAY(m->n->arena, ct_expr, e->equation_count + 1);
    uint32_t own = e->edge_count;
    for (uint32_t i = 0; i < e->equation_count; i++) {
        uint32_t edge = only_through(m, m->row[i]);
        if (edge == UINT32_MAX || (edge == e->edge_count && own == e->equation_count))
            return false;
        uint32_t at = edge < e->edge_count ? edge : own++;
        if (row[at])
            return false;
        row[at] = edge < e->edge_count ? solved_for(m, m->row[i], edge) : m->row[i];
        if (!row[at])
            return false;
    }
    memcpy(m->row, row, e->equation_count * sizeof *row);
    return own == e->equation_count;
}

/* Through variables are no inputs of explicit laws. */
static void drop_throughs(lawmaking *m)
{
    uint32_t kept = 0;
    for (uint32_t j = 0; j < m->input.count; j++) {
        if (m->inputs.at[j].kind == INPUT_THROUGH)
            continue;
        if (m->inputs.at[j].rate)
            m->rated.at[m->inputs.at[j].rate - 1] = kept;
        m->input.at[kept] = m->input.at[j];
        m->inputs.at[kept++] = m->inputs.at[j];
    }
    m->input.count = m->inputs.count = kept;
}

/* ---- derivatives */

/* Place of a derivative among the outputs, which it joins. */
static void add_entries(lawmaking *m, const ct_jacobian *j, bool rates, expr_list *out,
                        law_entry *list, uint32_t *count)
{
    for (uint32_t c = 0; c < j->cols; c++)
        for (uint32_t k = j->start[c]; k < j->start[c + 1]; k++) {
            uint32_t input = rates ? m->rated.at[c] : c, at = 0;
            while (at < *count && (list[at].row != j->row[k] || list[at].input != input))
                at++;
            if (at == *count)
                list[(*count)++] = (law_entry){.row = j->row[k], .input = input};
            *(rates ? &list[at].by_rate : &list[at].by) = out->count;
            CT_PUSH(m->n->scratch, *out, j->entry[k]);
        }
}

static bool stores_linearly(const lawmaking *m, const ct_jacobian *by_rates)
{
    for (uint32_t i = 0; i < by_rates->count; i++)
        if (reads_inputs(m, by_rates->entry[i]))
            return false;
    return true;
}

static bool differentiate(lawmaking *m, expr_list *out)
{
    net *n = m->n;
    law *l = m->l;
    ct_expr culprit;
    const ct_jacobian *x = ct_jacobian_new(n->arena, n->pool, m->row, l->row_count, m->input.at,
                                           m->input.count, &culprit);
    const ct_jacobian *r = ct_jacobian_new(n->arena, n->pool, m->row, l->row_count, m->rate.at,
                                           m->rate.count, &culprit);
    if (!x || !r)
        return false;
    m->stores_linearly = stores_linearly(m, r);
    for (uint32_t i = 0; i < l->row_count; i++)
        CT_PUSH(n->scratch, *out, m->row[i]);
    l->entry = CT_NEW_ARRAY(n->arena, law_entry, x->count + r->count + 1);
    add_entries(m, x, false, out, l->entry, &l->entry_count);
    add_entries(m, r, true, out, l->entry, &l->entry_count);
    return true;
}

/* ---- exponentials: which input their arguments follow */

static void note_exponential(void *user, ct_expr e)
{
    lawmaking *m = user;
    ct_pool *pool = m->n->pool;
    if (ct_expr_kind_of(pool, e) == CT_EXPR_CALL && ct_expr_op(pool, e) == CT_OP_EXP)
        CT_PUSH(m->n->scratch, m->exponent, ct_expr_operand(pool, e, 0));
}

static void take_exponent(lawmaking *m, ct_expr u)
{
    ct_pool *pool = m->n->pool;
    ct_expr whole = u;
    if (ct_expr_kind_of(pool, u) == CT_EXPR_CALL && ct_expr_op(pool, u) == CT_OP_MIN)
        u = ct_expr_operand(pool, u, ct_expr_is_number(pool, ct_expr_operand(pool, u, 0)));
    for (uint32_t j = 0; j < m->input.count; j++) {
        ct_expr slope, shift;
        if (m->inputs.at[j].kind != INPUT_ACROSS || !ct_expr_has(pool, u, m->input.at[j]) ||
            !ct_expr_linear(pool, u, &m->input.at[j], 1, &slope, &shift) ||
            reads_inputs(m, slope) || reads_inputs(m, shift))
            continue;
        CT_PUSH(m->n->scratch, m->limited, whole);
        CT_PUSH(m->n->arena, m->limits, (law_limit){j});
        CT_PUSH(m->n->arena, m->limit, slope);
        CT_PUSH(m->n->arena, m->limit, shift);
    }
}

/* ---- laws that are linear but for exponentials */

/* What an expression is where exponentials of limits are negligible. */
typedef enum bend { BEND_UNKNOWN, BEND_ZERO, BEND_CONSTANT, BEND_LINEAR, BEND_OTHER } bend;

typedef struct bending {
    lawmaking *m;
    ct_map of; /* expression -> bend */
} bending;

static bend bend_of(const bending *b, ct_expr e, uint32_t operand)
{
    return (bend)ct_map_get(&b->of, ct_expr_operand(b->m->n->pool, e, operand));
}

static bool is_input(const lawmaking *m, ct_name symbol)
{
    return place_of(&m->input, symbol) < m->input.count ||
           place_of(&m->rate, symbol) < m->rate.count;
}

/* Sums are what the worst of their terms is; a factor of zero makes a product zero. */
static bend bend_of_sum(const bending *b, ct_expr e)
{
    ct_pool *pool = b->m->n->pool;
    bend worst = ct_expr_is_zero(pool, ct_expr_constant(pool, e)) ? BEND_ZERO : BEND_CONSTANT;
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++)
        worst = bend_of(b, e, i) > worst ? bend_of(b, e, i) : worst;
    return worst;
}

static bend bend_of_product(const bending *b, ct_expr e)
{
    ct_pool *pool = b->m->n->pool;
    bend worst = BEND_CONSTANT;
    bool zero = false;
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++) {
        bend of = bend_of(b, e, i);
        bool plain = ct_expr_is_one(pool, ct_expr_coefficient(pool, e, i));
        zero |= of == BEND_ZERO && plain;
        if (of == BEND_LINEAR && (!plain || worst == BEND_LINEAR))
            of = BEND_OTHER;
        if (of == BEND_ZERO && !plain)
            of = BEND_OTHER;
        worst = of > worst ? of : worst;
    }
    return zero ? BEND_ZERO : worst;
}

static bend bend_of_call(const bending *b, ct_expr e)
{
    const lawmaking *m = b->m;
    ct_pool *pool = m->n->pool;
    if (ct_expr_op(pool, e) == CT_OP_EXP)
        for (uint32_t i = 0; i < m->limited.count; i++)
            if (m->limited.at[i] == ct_expr_operand(pool, e, 0))
                return BEND_ZERO;
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++)
        if (bend_of(b, e, i) > BEND_CONSTANT)
            return BEND_OTHER;
    return BEND_CONSTANT;
}

static void note_bend(void *user, ct_expr e)
{
    bending *b = user;
    ct_pool *pool = b->m->n->pool;
    ct_expr_kind kind = ct_expr_kind_of(pool, e);
    bend is = BEND_CONSTANT;
    if (kind == CT_EXPR_SYMBOL)
        is = is_input(b->m, ct_expr_name(pool, e)) ? BEND_LINEAR : BEND_CONSTANT;
    else if (kind == CT_EXPR_SUM)
        is = bend_of_sum(b, e);
    else if (kind == CT_EXPR_PRODUCT)
        is = bend_of_product(b, e);
    else if (kind == CT_EXPR_CALL)
        is = bend_of_call(b, e);
    ct_map_put(&b->of, e, is);
}

static bool is_straight(lawmaking *m)
{
    bending b = {.m = m};
    bool straight = true;
    ct_map_init(&b.of, m->n->scratch);
    ct_expr_walk(m->n->pool, m->row, m->l->row_count, note_bend, &b);
    for (uint32_t i = 0; i < m->l->row_count; i++)
        straight &= ct_map_get(&b.of, m->row[i]) <= BEND_LINEAR;
    return straight;
}

/* ---- programs */

static const ct_program *compile(const lawmaking *m, const expr_list *out, const name_list *x)
{
    ct_expr stranger;
    ct_program_def def = {.pool = m->n->pool,
                          .parameter = m->given.at,
                          .parameter_count = m->given.count,
                          .variable = x->at,
                          .variable_count = x->count,
                          .output = out->at,
                          .output_count = out->count,
                          .seldom = true,
                          .lanes = true};
    return ct_program_new(m->n->arena, &def, &stranger);
}

static bool compile_all(lawmaking *m)
{
    net *n = m->n;
    law *l = m->l;
    expr_list out = {0};
    name_list variable = {0}, none = {0};
    if (!differentiate(m, &out))
        return false;
    ct_expr_walk(n->pool, m->row, l->row_count, note_exponential, m);
    for (uint32_t i = 0; i < m->exponent.count; i++)
        take_exponent(m, m->exponent.at[i]);
    l->straight = is_straight(m);
    for (uint32_t j = 0; j < m->input.count; j++)
        CT_PUSH(n->scratch, variable, m->input.at[j]);
    for (uint32_t j = 0; j < m->rate.count; j++)
        CT_PUSH(n->scratch, variable, m->rate.at[j]);
    if (!m->stores_linearly && !l->is_explicit && !n->apart)
        return false; /* a saturable coil: not accurate enough in time */
    l->output_count = out.count;
    l->program = compile(m, &out, &variable);
    l->limits = compile(m, &m->limit, &none);
    return l->program && l->limits;
}

static bool find_rows(lawmaking *m)
{
    const ct_element *e = m->v->element;
    if (e->equation_count != e->edge_count + e->var_count || !e->edge_count)
        return false;
    m->row = CT_NEW_ARRAY(m->n->arena, ct_expr, e->equation_count + 1);
    for (uint32_t i = 0; i < e->equation_count; i++) {
        m->row[i] = m->v->split->row[i].whole;
        if (!m->row[i])
            return false;
    }
    ct_net_with_defaults(m->n, m->v, m->row, e->equation_count);
    for (uint32_t i = 0; i < e->equation_count; i++)
        if (!m->row[i])
            return false;
    return true;
}

static law *make(net *n, const variant *v, uint64_t moving)
{
    law *l = CT_NEW(n->arena, law);
    lawmaking m = {.n = n, .v = v, .l = l};
    *l = (law){.v = v, .moving = moving, .row_count = v->element->equation_count};
    if (!find_rows(&m) || !take_symbols(&m))
        return NULL;
    l->is_explicit = make_explicit(&m);
    if (l->is_explicit)
        drop_throughs(&m);
    if (!compile_all(&m))
        return NULL;
    l->input = m.inputs.at;
    l->input_count = m.inputs.count;
    l->rated = m.rated.at;
    l->rate_count = m.rated.count;
    l->limit = m.limits.at;
    l->limit_count = m.limits.count;
    l->parameter = m.parameters.at;
    l->parameter_count = m.parameters.count;
    return l;
}

const law *ct_law_of(net *n, variant *v, uint64_t moving)
{
    for (law *l = v->law; l; l = l->next)
        if (l->moving == moving)
            return l;
    law *l = make(n, v, moving);
    if (l) {
        l->next = v->law;
        v->law = l;
    }
    return l;
}
