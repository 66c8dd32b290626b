/* plain.c - a reduced system for the eye: without slacks and names for rates of time. */
#include <assert.h>
#include <string.h>

#include "reduce/engine.h"

static const ct_expr *plain_list(engine *g, const ct_expr *from, uint32_t count)
{
    if (!from)
        return NULL;
    ct_expr *list = CT_NEW_ARRAY(g->arena, ct_expr, count + 1);
    memcpy(list, from, count * sizeof *list);
    ct_drop_marks(g, list, count);
    return list;
}

static void drop_marks_of(engine *g, ct_shown *shown)
{
    ct_expr *factor = CT_NEW_ARRAY(g->arena, ct_expr, shown->term_count + 1);
    for (uint32_t i = 0; i < shown->term_count; i++)
        factor[i] = shown->term[i].factor;
    factor[shown->term_count] = shown->rest;
    ct_drop_marks(g, factor, shown->term_count + 1);
    ct_term *term = CT_NEW_ARRAY(g->arena, ct_term, shown->term_count + 1);
    for (uint32_t i = 0; i < shown->term_count; i++)
        term[i] = (ct_term){shown->term[i].unknown, factor[i]};
    shown->term = term;
    shown->rest = factor[shown->term_count];
}

static const ct_step *plain_steps(engine *g, const ct_reduced *r)
{
    ct_step *step = CT_NEW_ARRAY(g->arena, ct_step, r->step_count + 1);
    for (uint32_t i = 0; i < r->step_count; i++) {
        step[i] = r->step[i];
        drop_marks_of(g, &step[i].row);
    }
    return step;
}

static const ct_shown *plain_equations(engine *g, const ct_reduced *r)
{
    ct_shown *equation = CT_NEW_ARRAY(g->arena, ct_shown, r->equation_count + 1);
    for (uint32_t i = 0; i < r->equation_count; i++) {
        equation[i] = r->equation[i];
        drop_marks_of(g, &equation[i]);
    }
    return equation;
}

ct_reduced *ct_reduced_plain(ct_reduced *r)
{
    assert(r->maker && !r->closed);
    if (!r->maker->marked)
        return r;
    assert(r->maker->derivation); /* then all values are known */
    engine *g = ct_engine_copy(r->maker, r->system, r->arena);
    ct_reduced *own = CT_NEW(r->arena, ct_reduced);
    *own = *r;
    ct_drop_marks(g, g->value, r->system->unknown_count);
    own->maker = g;
    own->value = g->value;
    own->rate = plain_list(g, r->rate, r->state_count);
    own->balance = plain_list(g, r->balance, r->state_count);
    own->residual = plain_list(g, r->residual, r->algebraic_count);
    own->constraint = plain_list(g, r->constraint, r->constraint_count);
    own->step = plain_steps(g, r);
    own->equation = plain_equations(g, r);
    own->slack = NULL;
    own->slack_count = 0;
    return own;
}
