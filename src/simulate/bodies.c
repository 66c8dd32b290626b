/* bodies.c - a mechanism at one point: M, Q, Phi of its trees, multipliers, and variables of
 * joints and bodies that are no states themselves. */
#include "simulate/bodies.h"

#include <math.h>
#include <string.h>

#include "graph/bodies.h"
#include "mechanics/mechanics.h"
#include "model/builtin.h"
#include "solve/linear.h"

enum { MOST_DENSE = 400, MOST_OBJECTS = 400 };

/* ---- variables by name */

/* beta with its rate w, s with its rate v, ...: three orders of one freedom. */
static const ct_motion_kind turning[3] = {CT_MOTION_TURN, CT_MOTION_TURN_SPEED,
                                          CT_MOTION_TURN_RATE},
                            sliding[3] = {CT_MOTION_SLIDE, CT_MOTION_SLIDE_SPEED,
                                          CT_MOTION_SLIDE_RATE},
                            spinning[3] = {CT_MOTION_ANGLE, CT_MOTION_SPIN, CT_MOTION_SPIN_RATE},
                            moving[3] = {CT_MOTION_POSITION, CT_MOTION_VELOCITY,
                                         CT_MOTION_ACCELERATION};

typedef struct variable {
    ct_name name;
    ct_motion motion, rate; /* of it and of its time derivative */
} variable;

typedef CT_VEC(variable) variable_list;

/* NULL: there are none, or they were forgotten. */
static const ct_mechanics *mechanics_of(const ct_machine *m)
{
    return m->reduced->maker ? m->reduced->system->mechanics : NULL;
}

bool ct_keeps_bodies(const ct_machine *m)
{
    const ct_mechanics *mech = mechanics_of(m);
    return mech && mech->mechanism->joint_count + mech->mechanism->body_count <= MOST_OBJECTS;
}

typedef struct freedom {
    ct_name owner;
    uint32_t object, axis;
} freedom;

static void add_freedom(const ct_machine *m, ct_arena *arena, variable_list *list, freedom f,
                        const ct_member word[2], const ct_motion_kind kind[3])
{
    for (int order = 0; order < 2; order++) {
        variable v = {.name = ct_owned_symbol(m->model->symbols, f.owner, word[order]),
                      .motion = {0, kind[order], f.object, f.axis},
                      .rate = {0, kind[order + 1], f.object, f.axis}};
        CT_PUSH(arena, *list, v);
    }
}

static variable_list list_variables(const ct_machine *m, ct_arena *arena)
{
    const ct_mechanism *mech = mechanics_of(m)->mechanism;
    const ct_member spin[2][2] = {{ct_turn_word(false), {"w", 0}}, {ct_turn_word(true), {"w", 0}}};
    variable_list list = {0};
    for (uint32_t i = 0; i < mech->joint_count; i++) {
        const ct_joint *j = &mech->joint[i];
        const ct_joint_type *type = &ct_joint_types[j->kind];
        if (type->turns)
            add_freedom(m, arena, &list, (freedom){j->name, i, 0}, spin[0], turning);
        uint32_t row = ct_slide_row(false, type->slides, false);
        for (uint32_t k = 0; k < type->slides; k++)
            add_freedom(m, arena, &list, (freedom){j->name, i, k}, ct_slide_words[row][k], sliding);
    }
    for (uint32_t i = 1; i < mech->body_count; i++) {
        const ct_body *b = &mech->body[i];
        if (!b->particle && !mech->spatial)
            add_freedom(m, arena, &list, (freedom){b->name, b->frame, 0}, spin[1], spinning);
        uint32_t row = ct_slide_row(true, 0, false);
        for (uint32_t k = 0; k < (mech->spatial ? 3u : 2u); k++)
            add_freedom(m, arena, &list, (freedom){b->name, b->frame, k}, ct_slide_words[row][k],
                        moving);
    }
    return list;
}

/* Over z, t and parameters; 0: it is none. */
static ct_expr expressed(const ct_machine *m, const ct_reduced *reduced, const ct_motion *motion)
{
    ct_expr e = ct_mechanics_express(mechanics_of(m), motion);
    e = e ? ct_reduced_express(reduced, e, (ct_place){0}) : 0;
    return e && ct_drive_all(m->driven, &e, 1) ? e : 0;
}

static const char *unit_of(ct_motion_kind kind)
{
    for (uint32_t i = 0; i < CT_MOTION_ROWS; i++)
        if (ct_motion_rows[i].kind == kind && ct_motion_rows[i].unit)
            return ct_motion_rows[i].unit;
    return "";
}

ct_expr ct_body_variable(const ct_machine *m, const char *name, ct_arena *arena, const char **unit)
{
    if (!mechanics_of(m))
        return 0;
    variable_list list = list_variables(m, arena);
    ct_name own = ct_intern_text(m->ctx, name);
    for (uint32_t i = 0; i < list.count; i++)
        if (list.at[i].name == own) {
            *unit = unit_of(list.at[i].motion.kind);
            return expressed(m, ct_reduced_view(m->reduced, arena), &list.at[i].motion);
        }
    return 0;
}

/* ---- values */

typedef struct reader {
    const ct_rig *rig;
    const ct_machine *m;
    ct_arena *arena;
    const ct_reduced *reduced; /* a view */
    const ct_point *at;
    ct_map known; /* symbol -> index into value, plus 1 */
    CT_VEC(double) value;
} reader;

static void keep(reader *r, ct_name name, double value)
{
    CT_PUSH(r->arena, r->value, value);
    ct_map_put(&r->known, name, r->value.count);
}

static double look_up(const void *user, ct_name symbol)
{
    const reader *r = user;
    uint32_t i = ct_map_get(&r->known, symbol);
    return i ? r->value.at[i - 1] : NAN;
}

/* States, time, parameters; false: it is something else. */
static bool find_plain(reader *r, ct_name name)
{
    const ct_machine *m = r->m;
    uint32_t z = ct_map_get(&m->z_index, name), q = ct_map_get(m->model->quantity_by_name, name);
    if (ct_map_get(&r->known, name))
        return true;
    if (name == m->time)
        keep(r, name, r->at->time);
    else if (z && z <= m->n + m->m)
        keep(r, name, z <= m->n ? r->at->x[z - 1] : r->at->w[z - 1 - m->n]);
    else if (q && m->model->quantity[q - 1].kind == CT_PARAM)
        keep(r, name, r->rig->value[q - 1]);
    else
        return false;
    return true;
}

static void plain_values(reader *r, const ct_expr *e, uint32_t count, double *out)
{
    ct_name_list name = ct_symbols_of(r->m->pool, r->arena, e, count);
    for (uint32_t i = 0; i < name.count; i++)
        find_plain(r, name.at[i]);
    ct_expr_values(r->m->pool, e, count, look_up, r, out);
}

/* Of expressions over unknowns, loads and inputs in any pool. */
static void values_of(reader *r, ct_pool *pool, const ct_expr *e, uint32_t count, double *out)
{
    ct_name_list name = ct_symbols_of(pool, r->arena, e, count), open = {0};
    ct_expr_list own = {0};
    for (uint32_t i = 0; i < name.count; i++) {
        if (find_plain(r, name.at[i]))
            continue;
        ct_expr x = ct_expr_symbol(r->m->pool, name.at[i]);
        x = ct_reduced_express(r->reduced, x, (ct_place){0});
        if (x && ct_drive_all(r->m->driven, &x, 1)) {
            CT_PUSH(r->arena, open, name.at[i]);
            CT_PUSH(r->arena, own, x);
        }
    }
    double *value = CT_NEW_ARRAY(r->arena, double, own.count + 1);
    plain_values(r, own.at, own.count, value);
    for (uint32_t i = 0; i < own.count; i++)
        keep(r, open.at[i], value[i]);
    ct_expr_values(pool, e, count, look_up, r, out);
}

/* ---- joints and bodies */

static bool is_state(const ct_machine *m, ct_name name)
{
    uint32_t z = ct_map_get(&m->z_index, name);
    return z && z <= m->n;
}

static void list_motion(reader *r, ct_point *point)
{
    variable_list list = list_variables(r->m, r->arena);
    const char **name = CT_NEW_ARRAY(r->arena, const char *, list.count + 1);
    ct_expr *e = CT_NEW_ARRAY(r->arena, ct_expr, 2 * list.count + 1);
    double *value = CT_NEW_ARRAY(r->arena, double, 2 * list.count + 1);
    double *rate = CT_NEW_ARRAY(r->arena, double, list.count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        const variable *v = &list.at[i];
        e[2 * count] = is_state(r->m, v->name) ? 0 : expressed(r->m, r->reduced, &v->motion);
        e[2 * count + 1] = e[2 * count] ? expressed(r->m, r->reduced, &v->rate) : 0;
        if (e[2 * count + 1])
            name[count++] = ct_name_text(r->m->ctx, v->name);
    }
    plain_values(r, e, 2 * count, value);
    for (uint32_t i = 0; i < count; i++) {
        rate[i] = value[2 * i + 1];
        value[i] = value[2 * i];
    }
    point->motion = name, point->motion_value = value, point->motion_rate = rate;
    point->motion_count = count;
}

/* ---- M, Q, Phi, lambda */

static double *dense(reader *r, ct_pool *pool, const ct_sparse_rows *a)
{
    double *out = CT_NEW_ARRAY(r->arena, double, (size_t)a->rows * a->cols + 1);
    double *value = CT_NEW_ARRAY(r->arena, double, a->start[a->rows] + 1);
    values_of(r, pool, a->entry, a->start[a->rows], value);
    for (uint32_t i = 0; i < a->rows; i++)
        for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++)
            out[(size_t)i * a->cols + a->col[k]] = value[k];
    return out;
}

static double *vector(reader *r, ct_pool *pool, const ct_expr *e, uint32_t count)
{
    double *out = CT_NEW_ARRAY(r->arena, double, count + 1);
    ct_expr *some = CT_NEW_ARRAY(r->arena, ct_expr, count + 1);
    for (uint32_t i = 0; i < count; i++)
        some[i] = e[i] ? e[i] : ct_expr_int(pool, 0);
    values_of(r, pool, some, count, out);
    return out;
}

/* J J^T y = b; y replaces b. */
static bool solve_normal(reader *r, const double *j, uint32_t m, uint32_t n, double *b)
{
    uint32_t *start = CT_NEW_ARRAY(r->arena, uint32_t, m + 1);
    uint32_t *row = CT_NEW_ARRAY(r->arena, uint32_t, (size_t)m * m + 1);
    for (uint32_t c = 0; c <= m; c++)
        start[c] = c * m;
    for (uint32_t i = 0; i < m * m; i++)
        row[i] = i % m;
    ct_pattern pattern = ct_pattern_part(r->arena, m, start, row, 0, m, m);
    ct_linear *linear = ct_linear_new(r->arena, &pattern);
    for (uint32_t c = 0; c < m; c++)
        for (int k = linear->start[c]; k < linear->start[c + 1]; k++) {
            double sum = 0;
            for (uint32_t i = 0; i < n; i++)
                sum += j[(size_t)c * n + i] * j[(size_t)linear->row[k] * n + i];
            linear->value[k] = sum;
        }
    bool good = ct_linear_factor(linear) == CT_SOLVED;
    if (good)
        ct_linear_solve(linear, b);
    ct_linear_free(linear);
    return good;
}

/* Phi_q^T lambda = M u' - Q: as many equations too many as there are degrees of freedom, but they
 * agree. */
static const double *multipliers(reader *r, const ct_point *p, const double *jacobian,
                                 const double *acceleration)
{
    uint32_t n = p->body_count, m = p->constraint_count;
    double *left = CT_NEW_ARRAY(r->arena, double, n + 1),
           *b = CT_NEW_ARRAY(r->arena, double, m + 1);
    for (uint32_t i = 0; i < n; i++) {
        left[i] = -p->force[i];
        for (uint32_t k = 0; k < n; k++)
            left[i] += p->mass[(size_t)i * n + k] * acceleration[k];
    }
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t k = 0; k < n; k++)
            b[i] += jacobian[(size_t)i * n + k] * left[k];
    if (m && !solve_normal(r, jacobian, m, n, b))
        for (uint32_t i = 0; i < m; i++)
            b[i] = NAN;
    return b;
}

/* NaN: it is not known. */
static double *accelerations(reader *r, const ct_mechanics *mech, const ct_motion_equations *eq)
{
    uint32_t count = eq->coordinate_count;
    double *a = CT_NEW_ARRAY(r->arena, double, count + 1);
    ct_expr *e = CT_NEW_ARRAY(r->arena, ct_expr, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const ct_coordinate *c = &mech->coordinate[eq->coordinate[i]];
        e[i] = ct_reduced_express(r->reduced, c->acceleration, (ct_place){0});
        if (!e[i] || !ct_drive_all(r->m->driven, &e[i], 1))
            e[i] = ct_expr_real(r->m->pool, NAN);
    }
    plain_values(r, e, count, a);
    return a;
}

static void list_names(const reader *r, const ct_mechanics *mech, const ct_motion_equations *eq,
                       ct_point *p)
{
    const char **q = CT_NEW_ARRAY(r->arena, const char *, eq->coordinate_count + 1);
    const char **y = CT_NEW_ARRAY(r->arena, const char *, eq->constraint_count + 1);
    for (uint32_t i = 0; i < eq->coordinate_count; i++)
        q[i] = ct_name_text(r->m->ctx, mech->coordinate[eq->coordinate[i]].q);
    for (uint32_t i = 0; i < eq->constraint_count; i++)
        y[i] = ct_name_text(r->m->ctx, mech->constraint[i].multiplier);
    p->coordinate = q, p->multiplier = y;
    p->coordinate_count = p->body_count = eq->coordinate_count;
    p->constraint_count = eq->constraint_count;
}

static void list_matrices(reader *r, ct_point *p)
{
    const ct_mechanics *mech = mechanics_of(r->m);
    if (mech->coordinate_count > MOST_DENSE)
        return;
    ct_pool *fresh = ct_pool_new(r->m->ctx);
    const ct_motion_equations *eq = ct_mechanics_equations(mech, fresh, r->arena);
    list_names(r, mech, eq, p);
    p->mass = dense(r, fresh, &eq->mass);
    p->force = vector(r, fresh, eq->force, eq->coordinate_count);
    p->position = vector(r, fresh, eq->position, eq->constraint_count);
    p->lambda = multipliers(r, p, dense(r, fresh, &eq->jacobian), accelerations(r, mech, eq));
    ct_pool_free(fresh);
}

const ct_point *ct_point_bodies(const ct_rig *rig, const ct_point *point, ct_arena *arena)
{
    reader r = {.rig = rig, .m = rig->machine, .arena = arena, .at = point};
    if (!point || !mechanics_of(r.m))
        return point;
    ct_point *out = CT_NEW(arena, ct_point);
    *out = *point;
    ct_map_init(&r.known, arena);
    r.reduced = ct_reduced_view(r.m->reduced, arena);
    list_motion(&r, out);
    list_matrices(&r, out);
    return out;
}

/* ---- pictures */

static void add_motion(ct_machine *m, ct_motion_kind kind, uint32_t frame, uint32_t axis,
                       ct_expr_list *list)
{
    ct_motion motion = {0, kind, frame, axis};
    ct_expr e = expressed(m, m->reduced, &motion);
    CT_PUSH(m->arena, *list, e ? e : ct_expr_int(m->pool, 0));
}

/* In ground axes. */
static bool add_load(ct_machine *m, const ct_vector_load *l, ct_expr_list *list)
{
    ct_pool *pool = m->pool;
    ct_expr c[2] = {l->torque ? l->value.c[2] : l->value.c[0],
                    l->torque ? ct_expr_int(pool, 0) : l->value.c[1]};
    ct_motion angle = {0, CT_MOTION_ANGLE, l->axes, 0};
    for (int k = 0; k < 2; k++)
        c[k] = ct_reduced_express(m->reduced, c[k], l->place);
    if (!c[0] || !c[1])
        return false;
    ct_expr turn = l->axes == CT_GROUND_FRAME || l->torque ? 0 : expressed(m, m->reduced, &angle);
    if (turn) {
        ct_expr cosine = ct_expr_call1(pool, CT_OP_COS, turn);
        ct_expr sine = ct_expr_call1(pool, CT_OP_SIN, turn), x = c[0];
        c[0] = ct_expr_sub(pool, ct_expr_mul(pool, cosine, x), ct_expr_mul(pool, sine, c[1]));
        c[1] = ct_expr_add(pool, ct_expr_mul(pool, sine, x), ct_expr_mul(pool, cosine, c[1]));
    }
    CT_PUSH(m->arena, *list, c[0]);
    CT_PUSH(m->arena, *list, c[1]);
    return true;
}

/* A vector in ground axes; 0: cannot be expressed. */
static bool add_load_in_space(ct_machine *m, const ct_vector_load *l, ct_expr_list *list)
{
    ct_expr c[3];
    for (int k = 0; k < 3; k++)
        c[k] = ct_reduced_express(m->reduced, l->value.c[k], l->place);
    if (!c[0] || !c[1] || !c[2])
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        ct_expr sum = l->axes == CT_GROUND_FRAME ? c[i] : ct_expr_int(m->pool, 0);
        for (uint32_t k = 0; k < 3 && l->axes != CT_GROUND_FRAME; k++) {
            ct_motion entry = {0, CT_MOTION_AXES, l->axes, 3 * i + k};
            ct_expr turn = expressed(m, m->reduced, &entry);
            if (!turn)
                return false;
            sum = ct_expr_add(m->pool, sum, ct_expr_mul(m->pool, turn, c[k]));
        }
        CT_PUSH(m->arena, *list, sum);
    }
    return true;
}

/* Places and axes of bodies; a particle has those of the ground. */
static bool list_in_space(ct_machine *m, const ct_mechanism *mech, ct_expr_list *list)
{
    bool good = true;
    for (uint32_t i = 1; i < mech->body_count; i++) {
        uint32_t frame = mech->body[i].frame;
        for (uint32_t k = 0; k < 3; k++)
            add_motion(m, CT_MOTION_POSITION, frame, k, list);
        for (uint32_t k = 0; k < 9; k++)
            if (mech->body[i].particle)
                CT_PUSH(m->arena, *list, ct_expr_int(m->pool, k % 4 == 0));
            else
                add_motion(m, CT_MOTION_AXES, frame, k, list);
    }
    for (uint32_t i = 0; i < mech->load_count; i++)
        good &= add_load_in_space(m, &mech->load[i], list);
    for (uint32_t i = 0; i < mech->body_count; i++) /* points along what bends */
        for (uint32_t k = 0; mech->body[i].flex && k < 3 * mech->body[i].flex->line_count; k++)
            add_motion(m, CT_MOTION_POSITION, mech->body[i].flex->line + k / 3, k % 3, list);
    return good;
}

bool ct_list_drawn(ct_machine *m, ct_expr_list *list)
{
    const ct_mechanism *mech = mechanics_of(m)->mechanism;
    bool good = true;
    m->first_drawn = list->count;
    if (mech->spatial)
        return list_in_space(m, mech, list);
    for (uint32_t i = 0; i < mech->frame_count; i++) {
        add_motion(m, CT_MOTION_POSITION, i, 0, list);
        add_motion(m, CT_MOTION_POSITION, i, 1, list);
        add_motion(m, CT_MOTION_ANGLE, i, 0, list);
    }
    for (uint32_t i = 0; i < mech->load_count; i++)
        good &= add_load(m, &mech->load[i], list);
    return good;
}
