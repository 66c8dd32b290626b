/* motion.c - bodies and joints in the system: coordinates q and speeds u with
 *
 *     q' = u,   u' = a(q, u, t, loads)
 *
 * and closed loops as invariants. What else can be read of a mechanism is an expression of these.
 * Loads that 1-D elements put on joints and lines are ordinary through variables.
 *
 * Accelerations are long; rows hold a symbol for each, so that elimination does not look into
 * them. Where loads may depend on accelerations (an inertia on a shaft that a joint turns, gears
 * between joints) the rows show how: u' = a0 + sum of Y_k * load_k, a being linear in loads.
 */
#include <math.h>
#include <string.h>

#include "formulate/formulation.h"
#include "mechanics/mechanics.h"

/* ---- making the mechanics */

static double value_of(void *user, ct_name symbol)
{
    const ct_model *m = user;
    uint32_t q = ct_map_get(m->quantity_by_name, symbol);
    return q ? m->quantity_value[q - 1] : NAN;
}

static void make_mechanics(formulation *f)
{
    const ct_model *m = f->model;
    ct_name *input = CT_NEW_ARRAY(f->arena, ct_name, m->quantity_count + 1);
    ct_mechanics_def def = {.ctx = m->ctx,
                            .arena = f->arena,
                            .pool = f->pool,
                            .mechanism = f->tree->mechanism ? f->tree->mechanism : m->mechanism,
                            .input = input,
                            .value = value_of,
                            .user = (void *)m,
                            .start = m->start,
                            .start_count = m->start_count};
    for (uint32_t i = 0; i < m->quantity_count; i++)
        if (m->quantity[i].kind == CT_INPUT)
            input[def.input_count++] = m->quantity[i].name;
    f->mechanics = f->system->mechanics = ct_mechanics_new(&def);
    f->failed |= !f->mechanics;
}

static uint32_t own_unknown(formulation *f, ct_name name)
{
    uint32_t unknown = ct_new_unknown(f, CT_UNKNOWN_OWN, name, UINT32_MAX);
    ct_map_put(&f->own_by_name, name, unknown);
    return unknown;
}

void ct_add_motion_unknowns(formulation *f)
{
    const ct_mechanism *mechanism = f->model->mechanism;
    if (mechanism)
        make_mechanics(f);
    if (!f->mechanics)
        return;
    const ct_mechanics *m = f->mechanics;
    for (uint32_t i = 0; i < m->coordinate_count; i++) {
        uint32_t q = own_unknown(f, m->coordinate[i].q);
        f->unknown.at[q].coordinate = true;
        ct_rate_of(f, q); /* first of all states */
        if (!m->coordinate[i].u)
            continue;
        uint32_t u = own_unknown(f, m->coordinate[i].u);
        f->unknown.at[u].speed = true;
        ct_rate_of(f, u);
    }
    for (uint32_t i = 0; i < m->unknown_count; i++)
        own_unknown(f, m->unknown[i].name);
}

static bool is_force(ct_motion_kind kind)
{
    return kind == CT_MOTION_REACTION || kind == CT_MOTION_REACTION_TORQUE ||
           kind == CT_MOTION_DRIVE;
}

static void refuse_force(formulation *f, ct_name symbol)
{
    const char *name = ct_name_text(f->model->ctx, symbol);
    ct_report *r = ct_error(f->model->ctx, "E610", (ct_place){0},
                            "%s cannot be told: bodies without mass", name);
    ct_note(r, "a kinematic analysis gives positions, velocities and accelerations of any driven "
               "mechanism, but forces need the masses of all bodies");
    ct_help(r, "give every body m and I, or leave %s out", name);
    ct_witness(r, name);
    f->failed = true;
}

ct_expr ct_motion_value(formulation *f, ct_name symbol)
{
    uint32_t index = f->mechanics ? ct_map_get(f->model->mechanism->motion_by_name, symbol) : 0;
    if (!index)
        return 0;
    const ct_motion *motion = &f->model->mechanism->motion[index - 1];
    if (f->mechanics->mechanism->weighted && is_force(motion->kind) && !f->failed)
        refuse_force(f, symbol);
    return ct_mechanics_express(f->mechanics, motion);
}

/* ---- loads that may depend on accelerations */

/* Unknowns that the accelerations are to be split by. */
typedef struct split_list {
    CT_VEC(ct_name) by;
    ct_map seen;
} split_list;

typedef struct ports {
    ct_map edge; /* names of the ports' edges */
} ports;

static void note_port(formulation *f, ports *p, ct_expr load)
{
    ct_name owner;
    const char *variable;
    if (load && ct_split_symbol(f, ct_expr_name(f->pool, load), &owner, &variable))
        ct_map_put(&p->edge, owner, 1);
}

static ports list_ports(formulation *f)
{
    const ct_mechanism *m = f->model->mechanism;
    ports p;
    ct_map_init(&p.edge, f->arena);
    for (uint32_t i = 0; i < m->joint_count; i++) {
        note_port(f, &p, m->joint[i].load_angle);
        note_port(f, &p, m->joint[i].load_slide[0]);
        note_port(f, &p, m->joint[i].load_slide[1]);
    }
    for (uint32_t i = 0; i < m->line_count; i++)
        note_port(f, &p, m->line[i].load);
    return p;
}

static uint32_t find(uint32_t *set, uint32_t i)
{
    while (set[i] != i)
        i = set[i] = set[set[i]];
    return i;
}

/* Parts of the scalar graphs that hold together, the datum nodes left out; two-ports join theirs.
 */
static uint32_t *connected_parts(formulation *f)
{
    const ct_graph *g = f->graph;
    uint32_t *set = CT_NEW_ARRAY(f->arena, uint32_t, g->node_count + 1);
    uint32_t *of_component = CT_NEW_ARRAY(f->arena, uint32_t, f->model->component_count + 1);
    for (uint32_t i = 0; i < g->node_count; i++)
        set[i] = i;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const uint32_t ends[] = {g->edge[e].tail, g->edge[e].head};
        uint32_t *first = &of_component[g->edge[e].component];
        for (int k = 0; k < 2; k++) {
            if (g->node[ends[k]].datum)
                continue;
            if (*first)
                set[find(set, ends[k])] = find(set, *first - 1);
            *first = ends[k] + 1;
        }
    }
    return set;
}

static void split_by_edge(formulation *f, uint32_t edge, split_list *list)
{
    term_list terms = {0};
    ct_put_through(f, edge, f->one, &terms);
    for (uint32_t i = 0; i < terms.count; i++) {
        ct_name name = f->unknown.at[terms.at[i].unknown].name;
        if (ct_map_get(&list->seen, name))
            continue;
        ct_map_put(&list->seen, name, 1);
        CT_PUSH(f->arena, list->by, name);
    }
}

/* A part of the network could make the loads of its ports depend on accelerations when it stores by
 * its speed, imposes motion, or ties two ports together. */
static split_list inertial_loads(formulation *f)
{
    const ct_graph *g = f->graph;
    ports p = list_ports(f);
    uint32_t *set = connected_parts(f);
    uint32_t *count = CT_NEW_ARRAY(f->arena, uint32_t, g->node_count + 1);
    bool *inertial = CT_NEW_ARRAY(f->arena, bool, g->node_count + 1),
         *coupled = CT_NEW_ARRAY(f->arena, bool, g->node_count + 1);
    split_list list = {0};
    ct_map_init(&list.seen, f->arena);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const ct_graph_edge *x = &g->edge[e];
        uint32_t end = g->node[x->head].datum ? x->tail : x->head;
        if (g->node[end].datum)
            continue;
        uint32_t part = find(set, end);
        bool port = ct_map_get(&p.edge, x->name) != 0;
        bool mechanical = g->domain[g->node[end].domain].across_head_minus_tail;
        inertial[part] |=
            x->class == CT_ACCUMULATOR || (x->class == CT_ACROSS_DRIVER && mechanical && !port);
        coupled[part] |= x->coupling != 0;
        count[part] += port;
    }
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t part = find(set, g->edge[e].head);
        if (ct_map_get(&p.edge, g->edge[e].name) &&
            (inertial[part] || (coupled[part] && count[part] > 1)))
            split_by_edge(f, e, &list);
    }
    return list;
}

/* ---- rows */

static ct_name define(formulation *f, const char *what, ct_name of, ct_name by, ct_expr expr)
{
    ct_context *ctx = f->model->ctx;
    const char *text =
        by ? ct_printf(ctx, "%s(%s, %s)", what, ct_name_text(ctx, of), ct_name_text(ctx, by))
           : ct_printf(ctx, "%s(%s)", what, ct_name_text(ctx, of));
    ct_definition_row d = {ct_intern_text(ctx, text), expr};
    CT_PUSH(f->arena, f->definition, d);
    ct_map_put(&f->definition_by_name, d.name, f->definition.count);
    return d.name;
}

static ct_expr defined(formulation *f, const char *what, ct_name of, ct_name by, ct_expr expr)
{
    return ct_expr_is_number(f->pool, expr)
               ? expr
               : ct_expr_symbol(f->pool, define(f, what, of, by, expr));
}

/* u' = a0 + sum of Y_k * load_k */
static void add_speed_row(formulation *f, ct_name u, ct_expr a, const split_list *split)
{
    uint32_t unknown = ct_index_get(&f->by_name, u), count = split->by.count;
    ct_expr *zero = CT_NEW_ARRAY(f->arena, ct_expr, count + 1);
    term_list terms = {0};
    CT_PUSH(f->arena, terms, (ct_term){ct_rate_of(f, unknown), f->one});
    for (uint32_t k = 0; k < count; k++) {
        ct_name by = split->by.at[k];
        ct_expr slope = ct_expr_diff(f->pool, a, by);
        zero[k] = f->zero;
        if (!slope || ct_expr_is_zero(f->pool, slope))
            continue;
        ct_expr factor = ct_expr_neg(f->pool, defined(f, "compliance", u, by, slope));
        CT_PUSH(f->arena, terms, (ct_term){ct_index_get(&f->by_name, by), factor});
    }
    if (count)
        a = ct_expr_substitute(f->pool, a, split->by.at, zero, count);
    ct_expr rest = ct_expr_neg(f->pool, defined(f, "acceleration", u, 0, a));
    ct_add_row(f, &terms, rest, false, CT_FROM_MOTION, unknown);
}

/* q' = u, or what a driver says */
static void add_coordinate_row(formulation *f, const ct_coordinate *c)
{
    uint32_t q = ct_index_get(&f->by_name, c->q);
    term_list terms = {0};
    ct_expr rest = f->zero;
    CT_PUSH(f->arena, terms, (ct_term){ct_rate_of(f, q), f->one});
    if (c->u)
        CT_PUSH(f->arena, terms, (ct_term){ct_index_get(&f->by_name, c->u), f->minus_one});
    else
        rest = ct_expr_neg(f->pool, ct_express(f, c->speed, (ct_place){0}));
    ct_add_row(f, &terms, rest, !c->u, CT_FROM_MOTION, q);
}

static void add_invariants(formulation *f)
{
    const ct_mechanics *m = f->mechanics;
    CT_VEC(ct_invariant) list = {0};
    for (uint32_t i = 0; i < m->constraint_count; i++) {
        const ct_constraint *c = &m->constraint[i];
        ct_name joint = m->mechanism->joint[c->joint].name;
        if (c->position)
            CT_PUSH(f->arena, list, (ct_invariant){c->position, false, joint, c->place});
        CT_PUSH(f->arena, list, (ct_invariant){c->velocity, true, joint, c->place});
    }
    f->system->invariant = list.at;
    f->system->invariant_count = list.count;
}

void ct_add_motion_rows(formulation *f)
{
    const ct_mechanics *m = f->mechanics;
    if (!m)
        return;
    uint32_t n = m->coordinate_count, count = 0;
    ct_expr *a = CT_NEW_ARRAY(f->arena, ct_expr, n + m->unknown_count + 1);
    split_list split = inertial_loads(f);
    for (uint32_t i = 0; i < n; i++)
        if (m->coordinate[i].u)
            a[count++] = m->coordinate[i].acceleration;
    for (uint32_t i = 0; i < m->unknown_count; i++)
        a[count + i] = m->unknown[i].residual;
    ct_express_all(f, a, count + m->unknown_count, (ct_place){0});
    for (uint32_t i = 0, k = 0; i < n; i++) {
        add_coordinate_row(f, &m->coordinate[i]);
        if (m->coordinate[i].u)
            add_speed_row(f, m->coordinate[i].u, a[k++], &split);
    }
    for (uint32_t i = 0; i < m->unknown_count; i++) {
        term_list none = {0};
        uint32_t unknown = ct_index_get(&f->by_name, m->unknown[i].name);
        ct_add_row(f, &none, a[count + i], true, CT_FROM_MOTION, unknown);
    }
    add_invariants(f);
    f->system->definition = f->definition.at;
    f->system->definition_count = f->definition.count;
    f->system->definition_by_name = &f->definition_by_name;
}
