/* watch.c - values that a model in a mode watches: what decides whether the mode lasts. */
#include "simulate/act.h"
#include "simulate/machine.h"

static bool reads_algebraic(const ct_machine *m, ct_expr e)
{
    for (uint32_t i = 0; i < m->m; i++)
        if (ct_expr_has(m->pool, e, m->z[m->n + i]))
            return true;
    return false;
}

/* Conditions are read before an impulse and after it. */
static bool is_condition(const ct_pool *p, ct_expr e)
{
    if (ct_expr_kind_of(p, e) != CT_EXPR_CALL)
        return false;
    ct_op op = ct_expr_op(p, e);
    return (op >= CT_OP_LESS && op <= CT_OP_UNEQUAL) || op == CT_OP_AND || op == CT_OP_OR ||
           op == CT_OP_NOT;
}

/* Does an impulse reach what is watched? Where residuals read it, it may through any w. */
static uint32_t find_reach(const ct_machine *m, uint32_t push, const ct_expr_list *watch)
{
    const ct_driven *d = m->driven;
    bool spreads = false;
    for (uint32_t i = m->n; i < m->n + m->m; i++)
        spreads |= !ct_expr_is_zero(m->pool, d->push_slope[push * (m->n + m->m) + i]);
    for (uint32_t i = 0; i < watch->count; i++)
        if (!is_condition(m->pool, watch->at[i]) &&
            (ct_expr_has(m->pool, watch->at[i], d->push[push]) ||
             (spreads && reads_algebraic(m, watch->at[i]))))
            return i + 1;
    return 0;
}

/* Conditions in them are events. */
bool ct_list_watched(ct_machine *m, ct_driven *driven)
{
    const ct_model *model = m->model;
    ct_expr_list list = {0};
    bool good = true;
    for (uint32_t i = 0; i < model->watch_count && good; i++)
        good = ct_machine_express(m, model->watch[i], (ct_place){0}, &list);
    uint32_t *reach = CT_NEW_ARRAY(m->arena, uint32_t, m->driven->push_count + 1);
    for (uint32_t i = 0; i < m->driven->push_count && good; i++)
        reach[i] = find_reach(m, i, &list);
    m->push_reach = reach;
    if (!good || !ct_drive_pushed(m->driven, list.at, list.count))
        return false;
    for (uint32_t i = 0; i < list.count; i++)
        m->reads_forces |= ct_reads_pushes(m->driven, list.at[i]);
    m->watch = list.at;
    for (uint32_t i = 0; i < list.count; i++)
        ct_driven_also(driven, &m->watch[i]);
    return true;
}

bool ct_make_watches(ct_machine *m)
{
    if (m->model->watch_count)
        m->watching = ct_machine_program(m, m->watch, m->model->watch_count, m->forced);
    return m->watching || !m->model->watch_count;
}

bool ct_pushes_are_tied(const ct_machine *m)
{
    const ct_driven *d = m->driven;
    uint32_t size = m->n + m->m;
    for (uint32_t i = 0; i < d->push_count; i++) {
        bool moves = false;
        for (uint32_t k = 0; k < size; k++)
            moves |= !ct_expr_is_zero(m->pool, d->push_slope[i * size + k]);
        if (!moves || (m->push_reach && m->push_reach[i]))
            return true;
    }
    return false;
}
