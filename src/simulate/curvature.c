/* curvature.c - second derivatives of what a run computes, at a point. */
#include <string.h>

#include "base/suggest.h"
#include "simulate/machine.h"
#include "simulate/simulate.h"

/* An output by its name, or der(STATE); 0 after reporting. */
static ct_expr find_quantity(const ct_machine *m, const char *name)
{
    ct_suggestion near = ct_suggest(name);
    for (uint32_t i = 0; i < m->output_count; i++) {
        const char *own =
            m->model->output_count ? m->model->output[i].name : ct_machine_variable(m, i);
        if (strcmp(own, name) == 0)
            return m->column[i];
        ct_suggest_try(&near, own);
    }
    for (uint32_t i = 0; i < m->n; i++) {
        const char *own = ct_name_text(m->ctx, ct_rate_symbol(m->model->symbols, m->z[i]));
        if (strcmp(own, name) == 0)
            return m->fg[i];
        ct_suggest_try(&near, own);
    }
    ct_report *r = ct_error(m->ctx, "E531", (ct_place){0}, "there is no output `%s`", name);
    if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    ct_witness(r, name);
    return 0;
}

/* Columns of the entries, and names of the variables. */
static void fill(const ct_machine *m, const ct_jacobian *j, ct_hessian *h, ct_arena *arena)
{
    uint32_t size = m->n + m->m, *col = CT_NEW_ARRAY(arena, uint32_t, j->count + 1);
    const char **name = CT_NEW_ARRAY(arena, const char *, size + 1);
    for (uint32_t k = 0; k < size; k++) {
        name[k] = ct_machine_variable(m, k);
        for (uint32_t a = j->start[k]; a < j->start[k + 1]; a++)
            col[a] = k;
    }
    h->col = col;
    h->row = j->row;
    h->variable = name;
    h->variable_count = size;
    h->entry_count = j->count;
}

const ct_hessian *ct_rig_hessian(ct_rig *rig, const char *name, double t,
                                 const ct_state_value *given, uint32_t count, ct_arena *arena)
{
    const ct_machine *m = rig->machine;
    ct_expr e = find_quantity(m, name), culprit = 0;
    const ct_point *at = e ? ct_evaluate(rig, t, given, count, arena) : NULL;
    if (!at)
        return NULL;
    const ct_jacobian *j = ct_hessian_new(arena, m->pool, e, m->z, m->n + m->m, &culprit);
    if (!j) {
        ct_report_stranger(m, culprit);
        return NULL;
    }
    ct_hessian *h = CT_NEW(arena, ct_hessian);
    double *value = CT_NEW_ARRAY(arena, double, j->count + 1);
    fill(m, j, h, arena);
    h->value = value;
    return ct_values_at(rig, at, j->entry, j->count, value) ? h : NULL;
}
