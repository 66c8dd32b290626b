/* split.c - terminal equations of an element: linear terms and a rest. */
#include "model/split.h"

#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

typedef struct splitting {
    const ct_model *model;
    const ct_element *element;
    ct_pool *pool;
    ct_arena *arena;
    ct_map var; /* name of an own unknown -> its index plus 1 */
} splitting;

/* What a symbol of an element's template is. */
typedef struct meaning {
    uint32_t edge, own;
    bool across;
    int order;
} meaning;

/* Variables of edges have the names that ct_element's equations use: `e.v`. */
static bool find_edge(const ct_model *m, const ct_element *e, ct_name symbol, meaning *out)
{
    for (uint32_t i = 0; i < e->edge_count; i++) {
        const ct_variable_row *row = ct_domain_row_at(e->edge[i].domain)->variable;
        for (uint32_t k = 0; k < CT_DOMAIN_VARIABLES && row[k].name; k++) {
            if (ct_template_variable(m, e, i, k) != symbol)
                continue;
            *out = (meaning){i, 0, row[k].across, row[k].order};
            return true;
        }
    }
    return false;
}

static bool find_meaning(const splitting *f, ct_name symbol, meaning *out)
{
    uint32_t rates;
    symbol = ct_base_symbol(f->model->symbols, symbol, &rates);
    uint32_t own = ct_map_get(&f->var, symbol);
    if (own)
        *out = (meaning){UINT32_MAX, own - 1, true, 0};
    else if (!find_edge(f->model, f->element, symbol, out))
        return false;
    out->order += (int)rates;
    return true;
}

bool ct_split_symbol(const ct_model *model, const ct_element *element, ct_name symbol,
                     ct_split_term *out)
{
    meaning m = {.edge = UINT32_MAX, .across = true};
    uint32_t rates;
    symbol = ct_base_symbol(model->symbols, symbol, &rates);
    while (m.own < element->var_count && element->var[m.own].name != symbol)
        m.own++;
    if (m.own == element->var_count && !find_edge(model, element, symbol, &m))
        return false;
    *out = (ct_split_term){m.edge, m.own, m.across, m.order + (int)rates, 0};
    return true;
}

static ct_split_row split_equation(const splitting *f, ct_expr equation)
{
    ct_split_row out = {.linear = true, .rest = equation, .whole = equation};
    CT_VEC(ct_split_term) list = {0};
    const ct_name *found;
    uint32_t count = ct_expr_symbols(f->pool, equation, &found), used = 0;
    ct_name *symbol = CT_NEW_ARRAY(f->arena, ct_name, count + 1);
    meaning *mean = CT_NEW_ARRAY(f->arena, meaning, count + 1);
    for (uint32_t i = 0; i < count; i++)
        if (find_meaning(f, found[i], &mean[used]))
            symbol[used++] = found[i];
    ct_expr *factor = CT_NEW_ARRAY(f->arena, ct_expr, used + 1);
    if (!ct_expr_linear(f->pool, equation, symbol, used, factor, &out.rest)) {
        out.linear = false;
        return out;
    }
    for (uint32_t i = 0; i < used; i++) {
        if (ct_expr_is_zero(f->pool, factor[i]))
            continue;
        ct_split_term t = {mean[i].edge, mean[i].own, mean[i].across, mean[i].order, factor[i]};
        CT_PUSH(f->arena, list, t);
    }
    out.term = list.at;
    out.term_count = list.count;
    return out;
}

/* ---- der(symbol) nodes become symbols, for the split */

typedef struct renaming {
    const splitting *f;
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
    ct_expr inner = renamed(r, ct_expr_operand(pool, e, 0));
    if (ct_expr_op(pool, e) == CT_OP_DER && ct_expr_kind_of(pool, inner) == CT_EXPR_SYMBOL)
        return ct_expr_symbol(pool,
                              ct_rate_symbol(r->f->model->symbols, ct_expr_name(pool, inner)));
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
    bool same = true;
    for (uint32_t i = 0; i < n && same; i++)
        same = renamed(r, ct_expr_operand(pool, e, i)) == ct_expr_operand(pool, e, i);
    if (same)
        return e;
    ct_expr *part = CT_NEW_ARRAY(r->f->arena, ct_expr, n + 1);
    for (uint32_t i = 0; i < n; i++)
        part[i] = renamed(r, ct_expr_operand(pool, e, i));
    return ct_expr_rebuild(pool, e, part);
}

static ct_expr rename_rates(const splitting *f, ct_expr e, bool *plain)
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

const ct_split *ct_split_element(const ct_model *model, const ct_element *e, ct_arena *arena)
{
    splitting f = {.model = model, .element = e, .pool = model->pool, .arena = arena};
    ct_split *split = CT_NEW(arena, ct_split);
    ct_split_row *row = CT_NEW_ARRAY(arena, ct_split_row, e->equation_count + 1);
    *split = (ct_split){.row = row, .plain = true};
    ct_map_init(&f.var, arena);
    for (uint32_t i = e->var_count; i-- > 0;)
        ct_map_put(&f.var, e->var[i].name, i + 1);
    for (uint32_t i = 0; i < e->equation_count; i++) {
        bool plain;
        ct_expr difference = ct_expr_sub(f.pool, e->equation[i].left, e->equation[i].right);
        difference = rename_rates(&f, difference, &plain);
        if (plain)
            row[i] = split_equation(&f, difference);
        split->plain &= plain && row[i].linear;
    }
    return split;
}
