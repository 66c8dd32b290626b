/* equations_motion.c - equations of motion of bodies and joints, as the trees give them
 * [McPhee-2, eqs. 88-91, 133]:
 *
 *     M u' = Q + Phi_q^T lambda,    Phi(q, t) = 0
 *
 * lambda is the force of a chord on its head. They are made in a pool of their own, and are the
 * first that is written into the pool of the list, so that their forms win. */
#include "export/equations_make.h"
#include "mechanics/mechanics.h"

/* Entries of M that are shown, and those of M and Phi_q that are simplified: a full matrix of a
 * long chain in joint coordinates is nothing to be read. */
enum { MOST_ENTRIES = 500, MOST_SIMPLIFIED = 600 };

/* Characters of a part that is named; terms of what is tried. */
enum { NAMED_PART = 5, TRIED_TERMS = 600 };

typedef struct mover {
    maker *m;
    const ct_mechanics *mech;
    const ct_motion_equations *eq;
    ct_simplifier *s;
    ct_pool *aside; /* where long entries are tried */
    ct_simplifier *tried;
    bool full, complete;
    size_t limit;              /* cost of what is not tried any more; 0: none */
    ct_side *force, *position; /* as they are shown */
    ct_expr *mass;             /* entries, row by row as they are shown */
    ct_map effect;             /* symbols of gravity and loads that stand for nothing else */
} mover;

/* Is a long entry with names for what it shares shorter than the short form? */
static bool shares_much(mover *v, ct_expr e, size_t cost)
{
    bool complete = true;
    size_t parts = ct_parts_in(v->eq->pool, e);
    if (cost > CT_MOST_SHARED * parts)
        return true;
    ct_expr out = ct_simplify_full(v->tried, e, &complete);
    return !complete || ct_simplify_cost(v->aside, out, v->m->arena) > NAMED_PART * parts;
}

/* What went beyond the budget will do so again, and what is about as long, too: in a long chain
 * each equation is a little shorter than the one before. */
static ct_expr brought(mover *v, ct_expr e)
{
    bool complete = true;
    size_t cost = v->full ? ct_simplify_cost(v->eq->pool, e, v->m->arena) : 0;
    if (!v->full || (v->limit && cost > v->limit)) {
        v->complete &= !v->full;
        return ct_simplify_carry(v->s, e);
    }
    if (cost > CT_LONG_FORM && shares_much(v, e, cost)) {
        v->complete &= !v->full;
        return ct_simplify_carry(v->s, e);
    }
    ct_expr out = ct_simplify_full(v->s, e, &complete);
    v->complete &= complete;
    if (!complete && (!v->limit || cost < v->limit))
        v->limit = cost / 3;
    return out;
}

static ct_expr symbol(const mover *v, ct_name name)
{
    return ct_expr_symbol(v->m->pool, name);
}

static void add_product(mover *v, side_list *out, ct_expr factor, ct_name name)
{
    if (!ct_expr_is_zero(v->m->pool, factor))
        CT_PUSH(v->m->arena, *out, (ct_side_term){factor, symbol(v, name)});
}

static void add_equation(mover *v, side_list left, side_list right, const char *note)
{
    maker *m = v->m;
    ct_equation e = {.left = {left.at, left.count}, .right = {right.at, right.count}, .note = note};
    e.right = ct_side_lead(m, e.right);
    if (!v->complete || (m->def.simplify == CT_SIMPLIFY_FULL && !v->full)) {
        m->list->unfinished++;
        e.note = ct_printf(m->model->ctx, "%s%snot simplified in full", note ? note : "",
                           note ? "; " : "");
    }
    v->complete = true;
    ct_group_add(m, e);
}

/* ---- one term for each physical effect: gravity, loads, and what speeds do */

static void mark_symbols(mover *v, ct_map *map, ct_expr e, uint32_t value)
{
    const ct_name *name;
    ct_pool *pool = v->mech->pool;
    uint32_t count = !e || ct_expr_is_number(pool, e) ? 0 : ct_expr_symbols(pool, e, &name);
    for (uint32_t i = 0; i < count; i++)
        ct_map_put(map, name[i], value);
}

static void mark_vector(mover *v, ct_map *map, const ct_vec3 *r, uint32_t value)
{
    for (int i = 0; i < 3; i++)
        mark_symbols(v, map, r->c[i], value);
}

static void mark_loads(mover *v)
{
    const ct_mechanism *m = v->mech->mechanism;
    mark_vector(v, &v->effect, &m->gravity, 1);
    for (uint32_t i = 0; i < m->load_count; i++)
        mark_vector(v, &v->effect, &m->load[i].value, 1);
    for (uint32_t i = 0; i < m->line_count; i++)
        mark_symbols(v, &v->effect, m->line[i].load, 1);
    for (uint32_t i = 0; i < m->joint_count; i++) {
        for (int k = 0; k < CT_FREEDOMS; k++) {
            mark_symbols(v, &v->effect, m->joint[i].load[k], 1);
            mark_symbols(v, &v->effect, m->joint[i].bound[k], 1);
        }
    }
}

static void unmark_data(mover *v)
{
    const ct_mechanism *m = v->mech->mechanism;
    for (uint32_t i = 0; i < m->body_count; i++) {
        mark_symbols(v, &v->effect, m->body[i].mass, 0);
        mark_symbols(v, &v->effect, m->body[i].inertia[2], 0);
        mark_vector(v, &v->effect, &m->body[i].com, 0);
    }
    for (uint32_t i = 0; i < m->frame_count; i++) {
        mark_vector(v, &v->effect, &m->frame[i].at, 0);
        mark_symbols(v, &v->effect, m->frame[i].turn, 0);
    }
    for (uint32_t i = 0; i < v->mech->coordinate_count; i++) {
        const ct_coordinate *c = &v->mech->coordinate[i];
        ct_map_put(&v->effect, c->q, 0);
        mark_symbols(v, &v->effect, c->speed, 0);
    }
}

static void add_force(mover *v, ct_expr force, side_list *out)
{
    const ct_name *symbols;
    ct_pool *from = v->eq->pool;
    uint32_t all = ct_expr_is_number(from, force) ? 0 : ct_expr_symbols(from, force, &symbols);
    ct_name *name = CT_NEW_ARRAY(v->m->arena, ct_name, all + 1);
    ct_expr *factor = CT_NEW_ARRAY(v->m->arena, ct_expr, all + 1), rest;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all; i++)
        if (ct_map_get(&v->effect, symbols[i]))
            name[count++] = symbols[i];
    if (count && v->full && ct_expr_linear(from, force, name, count, factor, &rest)) {
        for (uint32_t i = 0; i < count; i++)
            add_product(v, out, brought(v, factor[i]), name[i]);
        force = rest;
    }
    ct_side_split(v->m, out, brought(v, force));
}

static ct_side copied(const mover *v, const side_list *list)
{
    ct_side side = {CT_NEW_ARRAY(v->m->arena, ct_side_term, list->count + 1), list->count};
    for (uint32_t i = 0; i < list->count; i++)
        side.term[i] = list->at[i];
    return side;
}

/* ---- rows */

static ct_sparse_rows unbrought(const mover *v, const ct_sparse_rows *a, ct_expr **entry)
{
    ct_sparse_rows out = *a;
    out.entry = *entry = CT_NEW_ARRAY(v->m->arena, ct_expr, a->start[a->rows] + 1);
    return out;
}

static void bring_row(mover *v, const ct_sparse_rows *from, uint32_t row, ct_expr *entry)
{
    for (uint32_t i = from->start[row]; i < from->start[row + 1]; i++)
        entry[i] = brought(v, from->entry[i]);
}

typedef struct column_entry {
    uint32_t row;
    ct_expr entry;
} column_entry;

/* The columns of a: entries start[j] .. start[j+1]-1. */
static column_entry *columns_of(mover *v, const ct_sparse_rows *a, uint32_t **start)
{
    ct_arena *arena = v->m->arena;
    uint32_t *at = CT_NEW_ARRAY(arena, uint32_t, a->cols + 2);
    column_entry *out = CT_NEW_ARRAY(arena, column_entry, a->start[a->rows] + 1);
    for (uint32_t i = 0; i < a->start[a->rows]; i++)
        at[a->col[i] + 2]++;
    for (uint32_t j = 2; j < a->cols + 2; j++)
        at[j] += at[j - 1];
    for (uint32_t r = 0; r < a->rows; r++)
        for (uint32_t i = a->start[r]; i < a->start[r + 1]; i++)
            out[at[a->col[i] + 1]++] = (column_entry){r, a->entry[i]};
    *start = at;
    return out;
}

static ct_name speed_of(const mover *v, uint32_t column)
{
    return v->mech->coordinate[v->eq->coordinate[column]].u;
}

static const char *note_of(const mover *v, const char *what, ct_name name)
{
    ct_context *ctx = v->m->model->ctx;
    return ct_printf(ctx, "%s %s", what, ct_name_text(ctx, name));
}

/* The branch whose cutset, projected, the row is. */
static const char *cutset_note(const mover *v, uint32_t column)
{
    const ct_mechanism *m = v->mech->mechanism;
    const ct_coordinate *c = &v->mech->coordinate[v->eq->coordinate[column]];
    const char *what = c->of_shape ? "shape of"
                       : c->angle  ? "rotational cutset"
                                   : "translational cutset";
    return note_of(v, what, c->of_body ? m->body[c->object].name : m->joint[c->object].name);
}

static void show_motion_rows(mover *v, ct_sparse_rows *mass, const ct_sparse_rows *jacobian)
{
    const ct_motion_equations *eq = v->eq;
    uint32_t *start;
    const column_entry *column = columns_of(v, jacobian, &start);
    bool limited = !ct_equations_are_whole(&v->m->def);
    ct_group_begin(v->m);
    for (uint32_t i = 0; i < eq->coordinate_count; i++) {
        side_list left = {0}, right = {0};
        if (ct_group_full(v->m) || (limited && i && mass->start[i + 1] > MOST_ENTRIES))
            continue;
        bring_row(v, &eq->mass, i, v->mass);
        for (uint32_t k = mass->start[i]; k < mass->start[i + 1]; k++)
            add_product(v, &left, mass->entry[k], eq->acceleration[mass->col[k]]);
        add_force(v, eq->force[i], &right);
        v->force[i] = copied(v, &right);
        for (uint32_t k = start[i]; k < start[i + 1]; k++)
            add_product(v, &right, column[k].entry, v->mech->constraint[column[k].row].multiplier);
        add_equation(v, left, right, cutset_note(v, i));
    }
    ct_group_end(v->m, CT_GROUP_EQUATION,
                 eq->constraint_count ? "Equations of motion: M u' = Q + Phi_q^T lambda"
                                      : "Equations of motion: M u' = Q");
}

static void show_positions(mover *v)
{
    const ct_motion_equations *eq = v->eq;
    ct_group_begin(v->m);
    for (uint32_t k = 0; k < eq->constraint_count; k++) {
        side_list left = {0};
        if (!eq->position[k] || ct_group_full(v->m))
            continue;
        const ct_constraint *c = &v->mech->constraint[k];
        ct_side_split(v->m, &left, brought(v, eq->position[k]));
        v->position[k] = copied(v, &left);
        add_equation(v, left, (side_list){0},
                     note_of(v, "circuit", v->mech->mechanism->joint[c->joint].name));
    }
    ct_group_end(v->m, CT_GROUP_EQUATION, "Constraints: Phi(q, t) = 0");
}

static void show_bound(mover *v, ct_simplifier *from_system, ct_expr speed, const char *note)
{
    side_list left = {0};
    if (ct_group_full(v->m))
        return;
    ct_side_split(v->m, &left, ct_simplify_full(from_system, speed, NULL));
    add_equation(v, left, (side_list){0}, note);
}

/* What no positions say: of wheels that roll, and of the user. */
static void show_bounds(mover *v)
{
    const ct_mechanics *mech = v->mech;
    ct_simplifier *from_system =
        ct_simplifier_new(v->m->arena, mech->pool, v->m->pool, ct_default_simplify_budget());
    ct_group_begin(v->m);
    for (uint32_t k = 0; k < mech->constraint_count; k++)
        if (!mech->constraint[k].position)
            show_bound(
                v, from_system, mech->constraint[k].velocity,
                note_of(v, "circuit", mech->mechanism->joint[mech->constraint[k].joint].name));
    for (uint32_t k = 0; k < mech->hold_count; k++)
        show_bound(v, from_system, mech->hold[k].speed, note_of(v, "terminal", mech->hold[k].name));
    ct_group_end(v->m, CT_GROUP_EQUATION, "Constraints of speeds: c(q, u, t) = 0");
}

static void show_speeds(mover *v)
{
    maker *m = v->m;
    ct_simplifier *from_system =
        ct_simplifier_new(m->arena, v->mech->pool, m->pool, ct_default_simplify_budget());
    ct_group_begin(m);
    for (uint32_t i = 0; i < v->mech->coordinate_count; i++) {
        const ct_coordinate *c = &v->mech->coordinate[i];
        side_list left = {0}, right = {0};
        if (ct_group_full(m))
            continue;
        uint32_t rate = m->system->unknown[ct_unknown_of(m, c->q)].rate;
        add_product(v, &left, ct_expr_int(m->pool, 1), m->system->unknown[rate].name);
        ct_side_split(m, &right, ct_simplify_carry(from_system, c->speed));
        add_equation(v, left, right, NULL);
    }
    ct_group_end(m, CT_GROUP_EQUATION, "Kinematics");
}

static ct_shown_matrix kept(const mover *v, const ct_sparse_rows *a)
{
    uint32_t count = a->start[a->rows];
    ct_expr *entry = CT_NEW_ARRAY(v->m->arena, ct_expr, count + 1);
    for (uint32_t i = 0; i < count; i++)
        entry[i] = a->entry[i];
    return (ct_shown_matrix){a->rows, a->cols, a->start, a->col, entry};
}

static void keep_matrices(mover *v, const ct_sparse_rows *mass, const ct_sparse_rows *jacobian)
{
    ct_shown_motion *out = CT_NEW(v->m->arena, ct_shown_motion);
    *out = (ct_shown_motion){kept(v, mass), kept(v, jacobian), v->force, v->position};
    v->m->list->motion = out;
}

/* ---- the derivation */

/* Phi_q x = right, x: u or u'. */
static void show_rates(mover *v, const ct_sparse_rows *jacobian, bool second, const char *title)
{
    const ct_motion_equations *eq = v->eq;
    maker *m = v->m;
    ct_simplifier *from_system =
        ct_simplifier_new(m->arena, v->mech->pool, m->pool, ct_default_simplify_budget());
    ct_group_begin(m);
    for (uint32_t r = 0; r < eq->constraint_count; r++) {
        side_list left = {0}, right = {0};
        if (ct_group_full(m))
            continue;
        for (uint32_t k = jacobian->start[r]; k < jacobian->start[r + 1]; k++) {
            uint32_t j = jacobian->col[k];
            add_product(v, &left, jacobian->entry[k],
                        second ? eq->acceleration[j] : speed_of(v, j));
        }
        if (second) {
            ct_side_split(m, &right, brought(v, eq->gamma[r]));
        } else { /* -Phi_t: what is left of the velocity without speeds */
            ct_name *u = CT_NEW_ARRAY(m->arena, ct_name, eq->coordinate_count + 1);
            ct_expr *none = CT_NEW_ARRAY(m->arena, ct_expr, eq->coordinate_count + 1);
            for (uint32_t j = 0; j < eq->coordinate_count; j++) {
                u[j] = speed_of(v, j);
                none[j] = ct_expr_int(v->mech->pool, 0);
            }
            ct_expr rest = ct_expr_substitute(v->mech->pool, v->mech->constraint[r].velocity, u,
                                              none, eq->coordinate_count);
            rest = ct_simplify_full(from_system, rest, NULL);
            ct_side_split(m, &right, ct_expr_neg(m->pool, rest));
        }
        add_equation(v, left, right, NULL);
    }
    ct_group_end(m, CT_GROUP_TRACE, title);
}

/* ---- what else the list leaves to these equations */

bool ct_is_motion_row(const maker *m, uint32_t row)
{
    return ct_shows_motion(m) && row < m->system->row_count &&
           m->system->row[row].origin == CT_FROM_MOTION;
}

/* Coordinates, speeds and the accelerations of massless parts belong to no component. */
bool ct_is_motion_unknown(const maker *m, uint32_t unknown)
{
    const ct_unknown_row *u = &m->system->unknown[unknown];
    return ct_shows_motion(m) && u->kind == CT_UNKNOWN_OWN && u->owner == UINT32_MAX;
}

const ct_name *ct_motion_loads(maker *m)
{
    const ct_mechanism *mechanism = m->system->mechanics->mechanism;
    CT_VEC(ct_name) list = {0};
    for (uint32_t i = 0; i < mechanism->joint_count; i++) {
        const ct_joint *j = &mechanism->joint[i];
        for (int k = 0; k < CT_FREEDOMS; k++)
            if (j->load[k])
                CT_PUSH(m->arena, list, ct_expr_name(m->system->pool, j->load[k]));
    }
    for (uint32_t i = 0; i < mechanism->line_count; i++)
        if (mechanism->line[i].load)
            CT_PUSH(m->arena, list, ct_expr_name(m->system->pool, mechanism->line[i].load));
    CT_PUSH(m->arena, list, 0);
    return list.at;
}

bool ct_reads_dynamics(const maker *m, ct_expr e)
{
    static const bool dynamic[CT_MOTION_KINDS] = {
        [CT_MOTION_ACCELERATION] = true, [CT_MOTION_SPIN_RATE] = true,
        [CT_MOTION_TURN_RATE] = true,    [CT_MOTION_SLIDE_RATE] = true,
        [CT_MOTION_REACTION] = true,     [CT_MOTION_REACTION_TORQUE] = true,
        [CT_MOTION_DRIVE] = true};
    const ct_mechanism *mechanism = m->system->mechanics->mechanism;
    const ct_name *name;
    uint32_t count = ct_expr_is_number(m->pool, e) ? 0 : ct_expr_symbols(m->pool, e, &name);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t motion = ct_map_get(mechanism->motion_by_name, name[i]);
        if (motion && dynamic[mechanism->motion[motion - 1].kind])
            return true;
    }
    return false;
}

/* ---- all */

bool ct_shows_motion(const maker *m)
{
    return m->system->mechanics && m->def.form != CT_EQUATIONS_ODE;
}

void ct_show_motion(maker *m)
{
    ct_pool *fresh = ct_pool_new(m->model->ctx);
    mover v = {.m = m,
               .mech = m->system->mechanics,
               .full = m->def.simplify == CT_SIMPLIFY_FULL,
               .complete = true};
    v.eq = ct_mechanics_equations(v.mech, fresh, m->arena);
    v.force = CT_NEW_ARRAY(m->arena, ct_side, v.eq->coordinate_count + 1);
    v.position = CT_NEW_ARRAY(m->arena, ct_side, v.eq->constraint_count + 1);
    v.s = ct_simplifier_new(m->arena, fresh, m->pool, ct_default_simplify_budget());
    ct_simplify_budget budget = ct_default_simplify_budget();
    budget.terms = TRIED_TERMS;
    v.aside = ct_pool_new(m->model->ctx);
    v.tried = ct_simplifier_new(m->arena, fresh, v.aside, budget);
    ct_map_init(&v.effect, m->arena);
    mark_loads(&v);
    unmark_data(&v);
    v.full &= v.eq->mass.start[v.eq->mass.rows] + v.eq->jacobian.start[v.eq->jacobian.rows] <=
              MOST_SIMPLIFIED;
    ct_expr *entry;
    ct_sparse_rows mass = unbrought(&v, &v.eq->mass, &v.mass);
    ct_sparse_rows jacobian = unbrought(&v, &v.eq->jacobian, &entry);
    for (uint32_t i = 0; i < jacobian.rows; i++)
        bring_row(&v, &v.eq->jacobian, i, entry);
    if (m->def.trace)
        ct_show_motion_steps(m);
    show_motion_rows(&v, &mass, &jacobian);
    show_positions(&v);
    show_bounds(&v);
    keep_matrices(&v, &mass, &jacobian);
    show_speeds(&v);
    if (m->def.trace) {
        show_rates(&v, &jacobian, false, "Velocities: Phi_q u = -Phi_t");
        show_rates(&v, &jacobian, true, "Accelerations: Phi_q u' = gamma");
    }
    ct_pool_free(v.aside);
    ct_pool_free(fresh);
}
