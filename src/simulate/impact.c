/* impact.c - impacts at once: complementarity between impulses and speeds; see impact.h. */
#include "simulate/impact.h"

#include <math.h>
#include <string.h>

#include "choice/impulse.h"

static const double touching = 1e-9; /* of the largest place */

struct ct_impacts {
    ct_rig *rig;
    const ct_contacts *of;
    double *work, *value; /* distances and restitutions */
    uint32_t *which;
    double *matrix, *speed, *impulse, *room, *sign, *restitution;
    bool *active;
};

/* ---- making */

static bool is_comparison(const ct_pool *pool, ct_expr e)
{
    if (ct_expr_kind_of(pool, e) != CT_EXPR_CALL)
        return false;
    ct_op op = ct_expr_op(pool, e);
    return op >= CT_OP_LESS && op <= CT_OP_GREATER_EQUAL;
}

/* What must be below zero; 0: it is the speed itself, or none. */
static ct_expr below_zero(ct_pool *p, ct_expr comparison, ct_expr speed)
{
    if (!is_comparison(p, comparison))
        return 0;
    ct_expr d =
        ct_expr_sub(p, ct_expr_operand(p, comparison, 0), ct_expr_operand(p, comparison, 1));
    if (ct_expr_op(p, comparison) >= CT_OP_GREATER)
        d = ct_expr_neg(p, d);
    return d == speed || d == ct_expr_neg(p, speed) ? 0 : d;
}

/* The largest of these; conditions are a few comparisons. */
static ct_expr distance(ct_pool *p, ct_expr condition, ct_expr speed)
{
    enum { MOST = 32 };
    ct_expr stack[MOST] = {condition}, largest = 0;
    for (uint32_t count = 1; count;) {
        ct_expr e = stack[--count];
        bool both = ct_expr_kind_of(p, e) == CT_EXPR_CALL && ct_expr_op(p, e) == CT_OP_AND;
        if (both && count + 2 <= MOST) {
            stack[count++] = ct_expr_operand(p, e, 0);
            stack[count++] = ct_expr_operand(p, e, 1);
            continue;
        }
        ct_expr d = below_zero(p, e, speed);
        largest = d && largest ? ct_expr_call2(p, CT_OP_MAX, largest, d) : d ? d : largest;
    }
    return largest;
}

static bool add_contact(const ct_machine *m, uint32_t act, ct_contact *contact, ct_expr_list *list)
{
    const ct_act *a = &m->driven->act[act];
    const ct_set *s = a->set_count == 1 ? a->set : NULL;
    ct_expr gap = s ? distance(m->pool, a->plain, s->variable) : 0;
    ct_expr slope = s ? s->slope : 0;
    if (!s || !s->push || !gap || !slope) {
        ct_report *r = ct_error(m->ctx, "E555", a->of->place,
                                "`%s` is no impact: a rule cannot be applied", a->of->label);
        ct_help(r,
                "write `when x < 0 and v < 0 { v = -e*pre(v) }`, with v the speed of an open edge");
        ct_witness(r, a->of->label);
        return false;
    }
    *contact = (ct_contact){act, s->push - 1, a->of->rule};
    CT_PUSH(m->arena, *list, gap);
    CT_PUSH(m->arena, *list, ct_expr_neg(m->pool, slope));
    return true;
}

const ct_contacts *ct_contacts_new(const ct_machine *m, bool *good)
{
    const ct_driven *d = m->driven;
    ct_contact *at = CT_NEW_ARRAY(m->arena, ct_contact, d->act_count + 1);
    ct_expr_list list = {0};
    uint32_t count = 0;
    *good = true;
    for (uint32_t i = 0; i < d->act_count && *good; i++)
        if (d->act[i].of->rule != CT_IMPACT_SEQUENTIAL)
            *good = add_contact(m, i, &at[count++], &list);
    if (!count || !*good)
        return NULL;
    ct_contacts *c = CT_NEW(m->arena, ct_contacts);
    *c = (ct_contacts){count, at, list.at, ct_machine_program(m, list.at, list.count, m->known)};
    *good = c->gap != NULL;
    return *good ? c : NULL;
}

ct_impacts *ct_impacts_new(ct_rig *rig, const ct_contacts *c)
{
    uint32_t n = c->count;
    ct_impacts *k = CT_NEW(rig->arena, ct_impacts);
    *k = (ct_impacts){.rig = rig, .of = c};
    k->work = ct_program_prepared(rig->arena, c->gap, rig->parameter);
    k->value = CT_NEW_ARRAY(rig->arena, double, 2 * n);
    k->which = CT_NEW_ARRAY(rig->arena, uint32_t, n);
    k->active = CT_NEW_ARRAY(rig->arena, bool, n);
    k->matrix = CT_NEW_ARRAY(rig->arena, double, (size_t)n *n);
    k->room = CT_NEW_ARRAY(rig->arena, double, (size_t)n *(n + 3));
    double **need[] = {&k->speed, &k->impulse, &k->sign, &k->restitution};
    for (size_t i = 0; i < sizeof need / sizeof *need; i++)
        *need[i] = CT_NEW_ARRAY(rig->arena, double, n);
    return k;
}

/* ---- an instant */

static double size_of(const ct_rig *rig, const double *z)
{
    double most = 0;
    for (uint32_t i = 0; i < rig->machine->n; i++)
        most = fmax(most, fabs(z[i]));
    return most;
}

/* Those with the rule that touch; true if one of them happens now. */
static bool gather(ct_impacts *k, ct_impact_rule rule, double size, const double *speed, bool *now,
                   uint32_t *n)
{
    bool any = false;
    *n = 0;
    for (uint32_t i = 0; i < k->of->count; i++) {
        const ct_contact *c = &k->of->at[i];
        if (c->rule != rule || (!now[c->act] && k->value[2 * i] > touching * size))
            continue;
        any |= now[c->act];
        now[c->act] = false;
        k->which[*n] = c->push;
        k->speed[*n] = speed[c->push];
        k->restitution[(*n)++] = k->value[2 * i + 1];
    }
    return any;
}

/* Impulses push apart, whatever sign that is in the equations. */
static void turn_signs(ct_impacts *k, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        k->sign[i] = k->matrix[i * n + i] < 0 ? -1 : 1;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            k->matrix[i * n + j] *= k->sign[j];
}

ct_solve_status ct_impacts_now(ct_impacts *k, ct_pushing *pushing, double t, double *z, bool *now)
{
    static const ct_impact_rule rules[] = {CT_IMPACT_NEWTON, CT_IMPACT_POISSON};
    ct_solve_status status = CT_SOLVED;
    double size = size_of(k->rig, z);
    for (int r = 0; r < 2 && status == CT_SOLVED; r++) {
        uint32_t n;
        const double *speed = ct_push_values(pushing, t, z);
        ct_program_run(k->of->gap, k->rig->variable, k->value, k->work);
        if (!gather(k, rules[r], size, speed, now, &n))
            continue;
        status = ct_push_matrix(pushing, t, z, k->which, n, k->matrix);
        turn_signs(k, n);
        if (status == CT_SOLVED &&
            !ct_impact_impulses(rules[r] == CT_IMPACT_POISSON, k->matrix, k->speed, k->restitution,
                                n, k->impulse, k->room, k->active))
            status = CT_NO_CONVERGENCE;
        for (uint32_t i = 0; i < n && status == CT_SOLVED; i++)
            ct_push_by(pushing, k->which[i], k->impulse[i] * k->sign[i], z);
        if (status == CT_SOLVED)
            status = ct_push_settle(pushing, t, z);
    }
    return status;
}
