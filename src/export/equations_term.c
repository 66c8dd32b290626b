/* equations_term.c - a term of an equation as coefficient times variable. */
#include "export/equations_make.h"

static bool is_input(const maker *m, ct_name name)
{
    for (uint32_t i = 0; i < m->list->input_count; i++)
        if (m->list->input[i] == name)
            return true;
    return false;
}

static bool is_variable(const maker *m, ct_name name)
{
    return ct_unknown_of(m, name) || is_input(m, name);
}

/* Is the symbol itself the term, or a factor of it? */
static bool is_factor(const ct_pool *pool, ct_expr term, ct_expr symbol)
{
    if (ct_expr_kind_of(pool, term) != CT_EXPR_PRODUCT)
        return term == symbol;
    for (uint32_t i = 0; i < ct_expr_arity(pool, term); i++)
        if (ct_expr_operand(pool, term, i) == symbol)
            return true;
    return false;
}

/* The same of each term of a sum: what has it elsewhere is not written as coefficient * variable.
 */
static bool is_everywhere(ct_pool *pool, ct_expr e, ct_name name)
{
    ct_expr symbol = ct_expr_symbol(pool, name);
    bool every = true;
    if (ct_expr_kind_of(pool, e) != CT_EXPR_SUM)
        return is_factor(pool, e, symbol);
    for (uint32_t i = 0; every && i < ct_expr_arity(pool, e); i++)
        every = is_factor(pool, ct_expr_operand(pool, e, i), symbol);
    return every;
}

bool ct_term_coefficient(const maker *m, ct_expr e, ct_name *variable, ct_expr *coefficient)
{
    const ct_name *symbol;
    ct_expr rest;
    if (ct_expr_is_number(m->pool, e))
        return false;
    uint32_t count = ct_expr_symbols(m->pool, e, &symbol);
    for (int positions = 0; positions < 2; positions++) /* of a place and a force, the force */
        for (uint32_t i = 0; i < count; i++) {
            uint32_t u = ct_unknown_of(m, symbol[i]);
            bool place = u && m->system->unknown[u].kind == CT_UNKNOWN_POSITION;
            if (!is_variable(m, symbol[i]) || place != positions ||
                !is_everywhere(m->pool, e, symbol[i]) ||
                !ct_expr_linear(m->pool, e, &symbol[i], 1, coefficient, &rest) ||
                !ct_expr_is_zero(m->pool, rest))
                continue;
            *variable = symbol[i];
            return true;
        }
    return false;
}
