/* mechanics.c - the steps in order: groups, ties, trees, coordinates, walk, loads, redundancy,
 * constraints, accelerations. */
#include "mechanics/inside.h"

mechanics *ct_mech_start(const ct_mechanics_def *def, const ct_mechanism *mech, ct_pool *pool,
                         ct_arena *arena)
{
    mechanics *m = CT_NEW(arena, mechanics);
    *m = (mechanics){.ctx = def->ctx, .arena = arena, .pool = pool, .def = def, .mech = mech};
    m->value = def->value;
    m->user = def->user;
    m->zero = ct_expr_int(pool, 0);
    m->one = ct_expr_int(pool, 1);
    ct_map_init(&m->motion, arena);
    ct_map_init(&m->rate, arena);
    for (uint32_t i = 0; i < mech->motion_count; i++)
        ct_map_put(&m->motion, mech->motion[i].name, i + 1);
    return m;
}

bool ct_mech_kinematics(mechanics *m)
{
    size_t before = ct_errors_raised(m->ctx);
    ct_mech_group_bodies(m);
    ct_mech_make_ties(m);
    if (ct_errors_raised(m->ctx) != before || !ct_mech_choose_trees(m))
        return false;
    ct_mech_name_coordinates(m);
    ct_mech_walk(m);
    if (!ct_mech_couple(m))
        return false;
    ct_mech_list_rows(m);
    return ct_mech_make_loads(m);
}

void ct_mech_set_accelerations(mechanics *m)
{
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        for (uint32_t k = 0; k < 2; k++)
            if (t->slide_q[k] != CT_NOTHING && !t->slide.is)
                m->coordinate.at[t->slide_q[k]].acceleration = ct_fast_slide_rate(m, t, k);
        if (t->angle_q != CT_NOTHING && !t->angle.is)
            m->coordinate.at[t->angle_q].acceleration = ct_mech_turn_rate(m, t);
    }
}

static const ct_mechanics *finish(mechanics *m, int freedom)
{
    ct_mechanics *out = CT_NEW(m->arena, ct_mechanics);
    *out = (ct_mechanics){.mechanism = m->mech,
                          .pool = m->pool,
                          .coordinate = m->coordinate.at,
                          .coordinate_count = m->coordinate.count,
                          .constraint = m->constraint.at,
                          .constraint_count = m->constraint.count,
                          .unknown = m->fast->unknown.at,
                          .unknown_count = m->fast->unknown.count,
                          .inertia = m->fast->inertia.at,
                          .inertia_count = m->fast->inertia.count,
                          .freedom = freedom,
                          .tested = m->tested,
                          .inside = m};
    ct_mech_show_graphs(m, out);
    return out;
}

const ct_mechanics *ct_mechanics_new(const ct_mechanics_def *def)
{
    ct_mechanics_def *kept = CT_NEW(def->arena, ct_mechanics_def);
    *kept = *def;
    if (def->mechanism->search_trees && !(kept->mechanism = ct_mech_best_trees(def)))
        return NULL;
    mechanics *m = ct_mech_start(kept, kept->mechanism, def->pool, def->arena);
    int freedom = 0;
    m->hold = true;
    if (!ct_mech_kinematics(m))
        return NULL;
    ct_fast_plan(m, 0);
    if (!ct_mech_rank(m, &freedom))
        return NULL;
    ct_mech_make_constraints(m);
    uint32_t seed = ct_fast_search(m);
    if (seed)
        ct_fast_plan(m, seed);
    if (!ct_fast_solve(m))
        return NULL;
    ct_mech_set_accelerations(m);
    return finish(m, freedom);
}
