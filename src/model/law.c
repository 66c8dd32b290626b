/* law.c - elements with modes: which equations hold in which mode.
 *
 * Undecided, a pair is min(a, b) = 0, what slips is b = clamp(b + a, -limit, limit), and an IF
 * chooses between the rows of its branches: exact, but kinked. In a mode each is one of them.
 */
#include "model/law.h"

#include <string.h>

#include "base/vec.h"

typedef CT_VEC(ct_element_equation) rows;

typedef struct laying {
    ct_context *ctx;
    ct_arena *arena;
    ct_pool *pool;
    const ct_law *law;
    uint32_t count;
    const uint8_t *way;
} laying;

uint32_t ct_law_rows(const ct_law *law, uint32_t count, uint32_t under, uint8_t way)
{
    uint32_t sum = 0;
    for (uint32_t i = under; i < count; i++)
        if (law[i].under == under && (!under || law[i].way == way))
            sum += law[i].kind == CT_LAW_IF ? ct_law_rows(law, count, i + 1, CT_WAY_FIRST) : 1;
    return sum;
}

static ct_expr clamp(ct_pool *pool, ct_expr e, ct_expr limit)
{
    ct_expr low = ct_expr_neg(pool, limit);
    return ct_expr_call2(pool, CT_OP_MAX, low, ct_expr_call2(pool, CT_OP_MIN, e, limit));
}

/* The own unknown of a law that is free. */
static ct_expr law_symbol(ct_context *ctx, ct_pool *pool, uint32_t law)
{
    return ct_expr_symbol(pool, ct_intern_text(ctx, ct_printf(ctx, "free %u", law)));
}

static ct_element_equation pair_row(const laying *l, const ct_law *law, uint8_t way)
{
    ct_expr zero = ct_expr_int(l->pool, 0);
    bool first = way == CT_WAY_FIRST || way == CT_WAY_BACK;
    if (way == CT_WAY_SHUT)
        return (ct_element_equation){law->gap, zero, law->place};
    ct_expr left = first                  ? law->a
                   : way == CT_WAY_SECOND ? law->b
                                          : ct_expr_call2(l->pool, CT_OP_MIN, law->a, law->b);
    return (ct_element_equation){left, way == CT_WAY_BACK ? law->hold : zero, law->place};
}

static ct_element_equation slip_row(const laying *l, const ct_law *law, uint8_t way)
{
    ct_expr zero = ct_expr_int(l->pool, 0);
    ct_element_equation row = {law->b, zero, law->place};
    if (way == CT_WAY_FIRST)
        row.left = law->a;
    else if (way == CT_WAY_SECOND)
        row.right = law->limit;
    else if (way == CT_WAY_THIRD)
        row.right = ct_expr_neg(l->pool, law->limit);
    else if (way != CT_WAY_LOOSE)
        row.right = clamp(l->pool, ct_expr_add(l->pool, law->a, law->b), law->limit);
    return row;
}

/* Power goes into what is free: b falls with a in a pair, and rises with it where it slips. */
static ct_element_equation free_row(const laying *l, uint32_t index)
{
    const ct_law *law = &l->law[index];
    ct_expr a = law->kind == CT_LAW_SLIP ? ct_expr_neg(l->pool, law->a) : law->a;
    return (ct_element_equation){ct_expr_add(l->pool, law->b, a),
                                 law_symbol(l->ctx, l->pool, index), law->place};
}

static void put_rows(const laying *l, uint32_t under, uint8_t branch, rows *out);

static void put_choice(const laying *l, uint32_t index, rows *out)
{
    rows first = {0}, second = {0};
    put_rows(l, index + 1, CT_WAY_FIRST, &first);
    put_rows(l, index + 1, CT_WAY_SECOND, &second);
    for (uint32_t i = 0; i < first.count && i < second.count; i++) {
        ct_expr part[] = {l->law[index].a,
                          ct_expr_sub(l->pool, first.at[i].left, first.at[i].right),
                          ct_expr_sub(l->pool, second.at[i].left, second.at[i].right)};
        ct_element_equation row = {ct_expr_call(l->pool, CT_OP_IF, part, 3),
                                   ct_expr_int(l->pool, 0), l->law[index].place};
        CT_PUSH(l->arena, *out, row);
    }
}

static void put_law(const laying *l, uint32_t index, rows *out)
{
    const ct_law *law = &l->law[index];
    uint8_t way = l->way ? l->way[index] : CT_WAY_OPEN;
    if (law->kind == CT_LAW_IF && way == CT_WAY_OPEN)
        put_choice(l, index, out);
    else if (law->kind == CT_LAW_IF)
        put_rows(l, index + 1, way, out);
    else if (law->kind == CT_LAW_EQUATION)
        CT_PUSH(l->arena, *out, ((ct_element_equation){law->a, law->b, law->place}));
    else if (way == CT_WAY_FREE)
        CT_PUSH(l->arena, *out, free_row(l, index));
    else
        CT_PUSH(l->arena, *out,
                law->kind == CT_LAW_PAIR ? pair_row(l, law, way) : slip_row(l, law, way));
}

/* Nested as deep as the text is, which the parser limits. */
static void put_rows(const laying *l, uint32_t under, uint8_t branch, rows *out)
{
    for (uint32_t i = under; i < l->count; i++)
        if (l->law[i].under == under && (!under || l->law[i].way == branch))
            put_law(l, i, out);
}

void ct_law_equations(ct_context *ctx, ct_arena *arena, ct_pool *pool, const ct_law *law,
                      uint32_t count, const uint8_t *way, const ct_element_equation **equation,
                      uint32_t *made)
{
    laying l = {ctx, arena, pool, law, count, way};
    rows out = {0};
    put_rows(&l, 0, CT_WAY_FIRST, &out);
    *equation = out.at;
    *made = out.count;
}

bool ct_law_stands(const ct_law *law, uint32_t index, const uint8_t *way)
{
    while (law[index].under) {
        uint32_t around = law[index].under - 1;
        if (way[around] != law[index].way && way[around] != CT_WAY_OPEN)
            return false;
        index = around;
    }
    return true;
}

/* ---- elements */

/* Own unknowns that stay as they are: x' = 0. */
static void add_unknowns(ct_context *ctx, ct_arena *arena, ct_pool *pool, ct_element *e,
                         const uint8_t *way)
{
    CT_VEC(ct_element_named) var = {0};
    CT_VEC(ct_element_equation) equation = {0};
    for (uint32_t i = 0; i < e->var_count; i++)
        CT_PUSH(arena, var, e->var[i]);
    for (uint32_t i = 0; i < e->equation_count; i++)
        CT_PUSH(arena, equation, e->equation[i]);
    for (uint32_t i = 0; i < e->law_count; i++) {
        if (way[i] != CT_WAY_FREE || !ct_law_stands(e->law, i, way))
            continue;
        ct_expr symbol = law_symbol(ctx, pool, i);
        ct_element_named own = ct_single_named(ct_expr_name(pool, symbol), symbol, e->law[i].place);
        own.use = CT_OWN_FREE;
        CT_PUSH(arena, var, own);
        CT_PUSH(arena, equation,
                ((ct_element_equation){ct_expr_call1(pool, CT_OP_DER, symbol), ct_expr_int(pool, 0),
                                       e->law[i].place}));
    }
    e->var = var.at, e->var_count = var.count;
    e->equation = equation.at, e->equation_count = equation.count;
}

ct_element *ct_element_in_mode(const ct_model *m, ct_arena *arena, const ct_element *element,
                               const uint8_t *way)
{
    ct_element *e = CT_NEW(arena, ct_element);
    *e = *element;
    ct_law_equations(m->ctx, arena, m->pool, e->law, e->law_count, way, &e->equation,
                     &e->equation_count);
    add_unknowns(m->ctx, arena, m->pool, e, way);
    return e;
}

/* ---- what parameters decide */

/* Laws that are left, where some IFs go a way for good. */
static void keep_laws(ct_arena *arena, ct_element *e, const uint8_t *way)
{
    CT_VEC(ct_law) kept = {0};
    uint32_t *place = CT_NEW_ARRAY(arena, uint32_t, e->law_count + 1);
    bool modal = false;
    for (uint32_t i = 0; i < e->law_count; i++) {
        ct_law law = e->law[i];
        if (!ct_law_stands(e->law, i, way) || (law.kind == CT_LAW_IF && way[i] != CT_WAY_OPEN))
            continue;
        while (law.under && way[law.under - 1] != CT_WAY_OPEN) {
            uint32_t around = law.under - 1;
            law.way = e->law[around].way;
            law.under = e->law[around].under;
        }
        law.under = law.under ? place[law.under - 1] : 0;
        CT_PUSH(arena, kept, law);
        place[i] = kept.count;
        modal |= law.kind != CT_LAW_EQUATION;
    }
    e->law = modal ? kept.at : NULL;
    e->law_count = modal ? kept.count : 0;
}

/* False: parameters decide none. */
static bool find_ways(const ct_model *m, uint32_t component, uint8_t *way)
{
    const ct_element *e = m->element[m->component[component].element];
    bool settled = false;
    for (uint32_t i = 0; i < e->law_count; i++) {
        way[i] = CT_WAY_OPEN;
        if (e->law[i].kind != CT_LAW_IF)
            continue;
        ct_expr condition = ct_component_instance(m, component, e->law[i].a);
        if (!condition || !ct_expr_is_number(m->pool, condition))
            continue;
        way[i] = ct_expr_is_zero(m->pool, condition) ? CT_WAY_SECOND : CT_WAY_FIRST;
        settled = true;
    }
    return settled;
}

const ct_element *ct_element_settled(const ct_model *m, uint32_t component, ct_arena *arena,
                                     ct_settled_list *list)
{
    const ct_element *e = m->element[m->component[component].element];
    uint8_t *way = CT_NEW_ARRAY(arena, uint8_t, e->law_count + 1);
    if (!find_ways(m, component, way))
        return e;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i].from == e && memcmp(list->at[i].way, way, e->law_count) == 0)
            return list->at[i].to;
    ct_element *own = ct_element_in_mode(m, arena, e, way);
    keep_laws(arena, own, way);
    CT_PUSH(arena, *list, ((ct_settled_element){e, own, way}));
    return own;
}
