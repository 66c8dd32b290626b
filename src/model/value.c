/* value.c - numeric values of parameters, by their defaults. */
#include <math.h>

#include "model/build.h"

double ct_look_up(const void *user, ct_name symbol)
{
    const ct_quantities *q = user;
    uint32_t index = ct_map_get(q->model->quantity_by_name, symbol);
    return index ? q->value[index - 1] : NAN;
}

double ct_value_with(const ct_model *m, const double *value, ct_expr e)
{
    ct_quantities q = {m, value};
    if (ct_expr_is_number(m->pool, e))
        return ct_expr_to_double(m->pool, e);
    if (ct_expr_kind_of(m->pool, e) == CT_EXPR_SYMBOL)
        return ct_look_up(&q, ct_expr_name(m->pool, e));
    return ct_expr_value(m->pool, e, ct_look_up, &q);
}

double ct_model_value(const ct_model *m, ct_expr e)
{
    return ct_value_with(m, m->quantity_value, e);
}

typedef CT_VEC(uint32_t) index_stack;

static void push_unknown(builder *b, const ct_model *m, ct_expr e, const uint8_t *state,
                         index_stack *stack)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(m->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = ct_map_get(m->quantity_by_name, symbol[i]);
        if (index && state[index - 1] == ENTRY_NEW)
            CT_PUSH(b->scratch, *stack, index - 1);
    }
}

/* Depth first with a stack of its own: defaults may form long chains. */
static void find_number(builder *b, ct_model *m, double *value, uint8_t *state, uint32_t wanted)
{
    index_stack stack = {0};
    CT_PUSH(b->scratch, stack, wanted);
    while (stack.count) {
        uint32_t i = stack.at[stack.count - 1];
        const ct_quantity *q = &m->quantity[i];
        if (state[i] == ENTRY_NEW && (q->kind == CT_PARAM || q->kind == CT_DISCRETE) && q->value) {
            state[i] = ENTRY_BUSY;
            push_unknown(b, m, q->value, state, &stack);
            continue;
        }
        stack.count--;
        if (state[i] == ENTRY_BUSY)
            value[i] = ct_model_value(m, q->value);
        state[i] = ENTRY_DONE;
    }
}

void ct_find_numbers(builder *b, ct_model *m)
{
    double *value = CT_NEW_ARRAY(b->arena, double, m->quantity_count);
    uint8_t *state = CT_NEW_ARRAY(b->scratch, uint8_t, m->quantity_count);
    ct_map *by_name = CT_NEW(b->arena, ct_map);
    ct_map_init(by_name, b->arena);
    for (uint32_t i = 0; i < m->quantity_count; i++) {
        value[i] = NAN;
        ct_map_put(by_name, m->quantity[i].name, i + 1);
    }
    m->quantity_value = value;
    m->quantity_by_name = by_name;
    for (uint32_t i = 0; i < m->quantity_count; i++)
        find_number(b, m, value, state, i);
}
