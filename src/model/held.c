/* held.c - a model between two ticks; see held.h. */
#include "model/held.h"

#include <string.h>

bool ct_model_has_clocks(const ct_model *m)
{
    for (uint32_t i = 0; i < m->happening_count; i++)
        if (m->happening[i].clock)
            return true;
    return false;
}

static uint32_t count_discretes(const ct_model *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->quantity_count; i++)
        count += m->quantity[i].kind == CT_DISCRETE;
    return count;
}

/* ---- discretes as inputs */

static bool is_clocked(const ct_model *m, ct_expr symbol)
{
    for (uint32_t i = 0; i < m->happening_count; i++)
        for (uint32_t k = 0; m->happening[i].clock && k < m->happening[i].assigned_count; k++)
            if (m->happening[i].assigned[k].target == symbol)
                return true;
    return false;
}

/* What no clock sets is a parameter now. */
static void hold(const ct_model *m, ct_quantity *q, double *number, double value)
{
    q->kind = is_clocked(m, q->symbol) ? CT_INPUT : CT_PARAM;
    q->value = ct_expr_real(m->pool, value);
    *number = value;
}

static void hold_discretes(const ct_model *m, ct_model *own, ct_arena *arena, const double *value)
{
    uint32_t count = m->quantity_count, all = count + count_discretes(m);
    ct_quantity *quantity = CT_NEW_ARRAY(arena, ct_quantity, all + 1);
    double *number = CT_NEW_ARRAY(arena, double, all + 1);
    ct_map *by_name = CT_NEW(arena, ct_map);
    if (count) {
        memcpy(quantity, m->quantity, count * sizeof *quantity);
        memcpy(number, m->quantity_value, count * sizeof *number);
    }
    for (uint32_t i = 0, next = count; i < count; i++) {
        if (quantity[i].kind != CT_DISCRETE)
            continue;
        hold(m, &quantity[i], &number[i], *value++);
        quantity[next] = quantity[i];
        quantity[next].name = ct_pre_symbol(m->ctx, quantity[i].name);
        quantity[next].symbol = ct_expr_symbol(m->pool, quantity[next].name);
        number[next++] = number[i];
    }
    ct_map_init(by_name, arena);
    for (uint32_t i = 0; i < all; i++)
        ct_map_put(by_name, quantity[i].name, i + 1);
    own->quantity = quantity;
    own->quantity_value = number;
    own->quantity_by_name = by_name;
    own->quantity_count = all;
}

/* ---- assignments as outputs */

static uint32_t count_assigned(const ct_model *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->happening_count; i++)
        count += m->happening[i].clock ? m->happening[i].assigned_count : 0;
    return count;
}

static void show_assigned(const ct_model *m, ct_model *own, ct_arena *arena)
{
    ct_output *output = CT_NEW_ARRAY(arena, ct_output, m->output_count + count_assigned(m) + 1);
    if (m->output_count)
        memcpy(output, m->output, m->output_count * sizeof *output);
    for (uint32_t i = 0; i < m->happening_count; i++)
        for (uint32_t k = 0; m->happening[i].clock && k < m->happening[i].assigned_count; k++) {
            const ct_assignment *a = &m->happening[i].assigned[k];
            if (a->target)
                output[own->output_count++] =
                    (ct_output){.name = "", .expr = a->value, .place = a->place};
        }
    own->output = output;
}

const ct_model *ct_model_held(const ct_model *m, const double *value)
{
    ct_arena *arena = ct_arena_new(m->ctx);
    ct_model *own = CT_NEW(arena, ct_model);
    *own = *m;
    hold_discretes(m, own, arena, value);
    show_assigned(m, own, arena);
    for (uint32_t i = 0; i < m->happening_count; i++)
        own->initial_equilibrium &= !m->happening[i].lag; /* ages never rest */
    own->happening_count = 0;
    return own;
}
