/* loads.c - loads as expressions of coordinates, speeds and time: variables of the mechanism that
 * they read are replaced by what the trees say. */
#include "mechanics/inside.h"

typedef struct reading {
    mechanics *m;
    CT_VEC(ct_expr) in;
    CT_VEC(ct_place) place;
    CT_VEC(ct_name) name;
    CT_VEC(ct_expr) value;
    ct_map seen;
    bool bad;
} reading;

static void report_late(reading *r, const ct_motion *motion, ct_place place)
{
    const char *name = ct_name_text(r->m->ctx, motion->name);
    ct_report *report =
        ct_error(r->m->ctx, "E604", place, "a load of the mechanism reads %s", name);
    ct_note(report, "accelerations and reactions follow from the loads, not the other way round");
    ct_help(report, "let loads depend on positions, speeds, time and other components");
    ct_witness(report, name);
    r->bad = true;
}

/* Notes what the symbols of e mean, once each. */
static void read_symbols(reading *r, ct_expr e, ct_place place)
{
    mechanics *m = r->m;
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(m->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t found = ct_map_get(&m->motion, symbol[i]);
        if (!found || ct_map_get(&r->seen, symbol[i]))
            continue;
        const ct_motion *motion = &m->mech->motion[found - 1];
        ct_map_put(&r->seen, symbol[i], 1);
        ct_expr value = ct_mech_express(m, motion, false);
        if (!value) {
            report_late(r, motion, place);
            continue;
        }
        CT_PUSH(m->arena, r->name, symbol[i]);
        CT_PUSH(m->arena, r->value, value);
    }
}

static void add(reading *r, ct_expr e, ct_place place)
{
    CT_PUSH(r->m->arena, r->in, e ? e : r->m->zero);
    CT_PUSH(r->m->arena, r->place, place);
}

/* What acts on a freedom of a joint; 0: nothing. */
static ct_expr load_on(mechanics *m, const ct_joint *j, int freedom)
{
    ct_expr load = j->load[freedom], bound = j->bound[freedom];
    return load && bound ? ct_mx_add(m, load, bound) : load ? load : bound;
}

static void collect(reading *r)
{
    const ct_mechanism *mech = r->m->mech;
    for (uint32_t i = 0; i < mech->load_count; i++)
        for (int k = 0; k < 3; k++)
            add(r, mech->load[i].value.c[k], mech->load[i].place);
    for (uint32_t i = 0; i < mech->joint_count; i++) {
        const ct_joint *j = &mech->joint[i];
        for (int k = 0; k < CT_FREEDOMS; k++)
            add(r, load_on(r->m, j, k), j->place);
    }
    for (uint32_t i = 0; i < mech->line_count; i++)
        add(r, mech->line[i].load, mech->line[i].place);
}

/* Into ground axes. */
static vec load_of(mechanics *m, const ct_vector_load *load, const ct_expr *value)
{
    const site *axes = &m->site[load->axes];
    vec v = {{value[0], value[1], value[2]}};
    bool about_z = load->torque && !m->mech->spatial;
    if (about_z || load->axes == CT_GROUND_FRAME)
        return v;
    return ct_mx_in(m, ct_mx_rotated(m, v, axes->turn), axes->group, 0);
}

bool ct_mech_make_loads(mechanics *m)
{
    reading r = {.m = m};
    ct_map_init(&r.seen, m->arena);
    for (uint32_t i = 0; i < m->held.count; i++) {
        CT_PUSH(m->arena, r.name, m->held.at[i].of->lambda);
        CT_PUSH(m->arena, r.value, m->zero);
    }
    collect(&r);
    for (uint32_t i = 0; i < r.in.count; i++)
        read_symbols(&r, r.in.at[i], r.place.at[i]);
    if (r.bad)
        return false;
    ct_expr *out = CT_NEW_ARRAY(m->arena, ct_expr, r.in.count + 1);
    ct_expr_substitute_all(m->pool, r.in.at, out, r.in.count, r.name.at, r.value.at, r.name.count);
    m->load = CT_NEW_ARRAY(m->arena, vec, m->mech->load_count + 1);
    m->port = out + (size_t)3 * m->mech->load_count;
    m->along = m->port + (size_t)CT_FREEDOMS * m->mech->joint_count;
    for (uint32_t i = 0; i < m->mech->load_count; i++)
        m->load[i] = load_of(m, &m->mech->load[i], out + (size_t)3 * i);
    return true;
}
