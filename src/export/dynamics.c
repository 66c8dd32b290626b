/* dynamics.c - M, C, g, inverse dynamics, Jacobians and momentum as expressions; see dynamics.h. */
#include "export/dynamics.h"

#include <string.h>

#include "base/suggest.h"
#include "compile/program.h"

enum { MOST_CHRISTOFFEL = 400000, MOST_ENDS = 8 };

static ct_expr zero(const ct_dynamics *d)
{
    return ct_expr_int(d->pool, 0);
}

static ct_expr symbol(const ct_dynamics *d, ct_name name)
{
    return ct_expr_symbol(d->pool, name);
}

static ct_dynamic *add_matrix(ct_dynamics *d, const char *name, uint32_t rows, uint32_t cols,
                              const char *meaning)
{
    ct_dynamic m = {.name = name, .meaning = meaning, .rows = rows, .cols = cols};
    uint32_t count = rows * (cols ? cols : 1);
    m.entry = CT_NEW_ARRAY(d->arena, ct_expr, count + 1);
    for (uint32_t i = 0; i < count; i++)
        m.entry[i] = zero(d);
    CT_PUSH(d->arena, d->matrix, m);
    return &d->matrix.at[d->matrix.count - 1];
}

/* A variable of the mechanism, in the pool of what is shown. */
static ct_expr express(const ct_dynamics *d, ct_motion_kind kind, uint32_t object, uint32_t axis)
{
    ct_motion motion = {0, kind, object, axis};
    ct_expr e = ct_mechanics_express(d->mechanics, &motion), out = 0;
    if (e)
        ct_expr_copy_all(d->pool, d->mechanics->pool, &e, &out, 1);
    return out ? out : zero(d);
}

static ct_expr copied(const ct_dynamics *d, ct_expr e)
{
    ct_expr out = 0;
    ct_expr_copy_all(d->pool, d->mechanics->pool, &e, &out, 1);
    return out ? out : zero(d);
}

/* ---- M, C, g, tau */

static void add_mass(ct_dynamics *d, const ct_motion_equations *eq)
{
    ct_dynamic *M = add_matrix(d, "M", d->n, d->n, "mass matrix");
    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t k = eq->mass.start[i]; k < eq->mass.start[i + 1]; k++)
            ct_expr_copy_all(d->pool, eq->pool, &eq->mass.entry[k],
                             &M->entry[i * d->n + eq->mass.col[k]], 1);
}

static bool is_holonomic(const ct_dynamics *d)
{
    const ct_mechanics *m = d->mechanics;
    for (uint32_t i = 0; i < m->coordinate_count; i++)
        if (m->coordinate[i].quaternion || !m->coordinate[i].u)
            return false;
    return d->n == m->coordinate_count;
}

/* d M_ij / d q_k, dense; NULL: too much. */
static ct_expr *mass_slopes(ct_dynamics *d, const ct_expr *M)
{
    uint32_t n = d->n, size = n * n;
    ct_expr culprit;
    const ct_jacobian *j =
        ct_jacobian_within(d->arena, d->pool, M, size, d->q, n, MOST_CHRISTOFFEL, &culprit);
    if (!j)
        return NULL;
    ct_expr *out = CT_NEW_ARRAY(d->arena, ct_expr, (size_t)size * n + 1);
    for (uint32_t i = 0; i < size * n; i++)
        out[i] = zero(d);
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t k = j->start[c]; k < j->start[c + 1]; k++)
            out[j->row[k] * n + c] = j->entry[k];
    return out;
}

/* C_ij = sum of 1/2 (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) u_k */
static void add_coriolis(ct_dynamics *d)
{
    uint32_t n = d->n;
    const ct_expr *slope = is_holonomic(d) ? mass_slopes(d, d->matrix.at[0].entry) : NULL;
    ct_pool *pool = d->pool;
    if (!slope) {
        CT_PUSH(d->arena, d->remark,
                is_holonomic(d) ? "C is left out: it would be too large"
                                : "C is left out: speeds are not the rates of all coordinates");
        return;
    }
    ct_dynamic *C = add_matrix(d, "C", n, n, "Coriolis matrix; M' - 2 C is skew-symmetric");
    ct_expr half = ct_expr_ratio(pool, 1, 2);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t k = 0; k < n; k++) {
                ct_expr s =
                    ct_expr_add(pool, slope[(i * n + j) * n + k], slope[(i * n + k) * n + j]);
                s = ct_expr_sub(pool, s, slope[(j * n + k) * n + i]);
                s = ct_expr_mul(pool, ct_expr_mul(pool, half, s), symbol(d, d->u[k]));
                C->entry[i * n + j] = ct_expr_add(pool, C->entry[i * n + j], s);
            }
}

static void add_gravity(ct_dynamics *d)
{
    ct_expr U = express(d, CT_MOTION_POTENTIAL, 0, 0), culprit;
    const ct_jacobian *j = ct_jacobian_new(d->arena, d->pool, &U, 1, d->q, d->n, &culprit);
    if (!j || !is_holonomic(d))
        return;
    ct_dynamic *g = add_matrix(d, "g", d->n, 0, "gravity: slopes of the potential energy");
    for (uint32_t c = 0; c < d->n; c++)
        if (j->start[c] < j->start[c + 1])
            g->entry[c] = j->entry[j->start[c]];
}

/* Forces in the pool of what is shown, without what holds the joints. Its symbols never come there:
 * a pool keeps the oldest of equal forms, and one from which a symbol cancels could win. */
typedef struct bringer {
    ct_dynamics *d;
    ct_pool *from;
    ct_map port; /* symbols that become zero */
    ct_map done; /* node -> the same there */
} bringer;

static void bring(void *user, ct_expr e)
{
    bringer *b = user;
    uint32_t count = ct_expr_arity(b->from, e);
    ct_expr few[8], *operand = count <= 8 ? few : CT_NEW_ARRAY(b->d->arena, ct_expr, count);
    for (uint32_t i = 0; i < count; i++)
        operand[i] = ct_map_get(&b->done, ct_expr_operand(b->from, e, i));
    bool port = ct_expr_kind_of(b->from, e) == CT_EXPR_SYMBOL &&
                ct_map_get(&b->port, ct_expr_name(b->from, e));
    ct_expr made = port ? zero(b->d) : ct_expr_rebuild_in(b->d->pool, b->from, e, operand);
    ct_map_put(&b->done, e, made ? made : zero(b->d));
}

static void mark_ports(bringer *b)
{
    const ct_mechanism *m = b->d->mechanics->mechanism;
    ct_pool *pool = b->d->mechanics->pool;
    for (uint32_t i = 0; i < m->joint_count; i++)
        for (int k = 0; k < CT_FREEDOMS; k++) {
            ct_expr load = m->joint[i].load[k];
            if (load && ct_expr_kind_of(pool, load) == CT_EXPR_SYMBOL)
                ct_map_put(&b->port, ct_expr_name(pool, load), 1);
        }
}

static void add_inverse(ct_dynamics *d, const ct_motion_equations *eq)
{
    bringer b = {.d = d, .from = eq->pool};
    if (eq->constraint_count) {
        CT_PUSH(d->arena, d->remark, "inverse dynamics are left out: loops share the load");
        return;
    }
    ct_map_init(&b.port, d->arena);
    ct_map_init(&b.done, d->arena);
    mark_ports(&b);
    ct_expr_walk(eq->pool, eq->force, d->n, bring, &b);
    ct_dynamic *tau = add_matrix(d, "tau", d->n, 0, "inverse dynamics: loads at the joints");
    const ct_expr *M = d->matrix.at[0].entry;
    for (uint32_t i = 0; i < d->n; i++) {
        tau->entry[i] = ct_expr_neg(d->pool, ct_map_get(&b.done, eq->force[i]));
        for (uint32_t k = 0; k < d->n; k++)
            tau->entry[i] = ct_expr_add(d->pool, tau->entry[i],
                                        ct_expr_mul(d->pool, M[i * d->n + k], symbol(d, d->a[k])));
    }
}

/* ---- Jacobians */

static void set_row(ct_dynamics *d, ct_dynamic *J, uint32_t row, ct_expr velocity)
{
    ct_expr rest, *at = J->entry + (size_t)row * d->n;
    ct_expr *c = CT_NEW_ARRAY(d->arena, ct_expr, d->n + 1);
    if (ct_expr_linear(d->pool, velocity, d->u, d->n, c, &rest))
        memcpy(at, c, d->n * sizeof *at);
    else
        CT_PUSH(d->arena, d->remark, "a speed is not linear in those of the coordinates");
}

static void add_jacobian(ct_dynamics *d, uint32_t frame)
{
    const ct_mechanism *m = d->mechanics->mechanism;
    const char *name = ct_name_text(d->ctx, m->frame[frame].name);
    bool turns = !m->body[m->frame[frame].body].particle;
    uint32_t points = m->spatial ? 3 : 2, spins = !turns ? 0 : m->spatial ? 3 : 1;
    ct_dynamic *J = add_matrix(d, ct_printf(d->ctx, "J(%s)", name), points + spins, d->n,
                               m->spatial ? "velocity, then angular velocity, in ground axes"
                                          : "velocity in ground axes, then angular velocity");
    for (uint32_t i = 0; i < points; i++)
        set_row(d, J, i, express(d, CT_MOTION_VELOCITY, frame, i));
    for (uint32_t i = 0; i < spins; i++)
        set_row(d, J, points + i, express(d, CT_MOTION_SPIN, frame, m->spatial ? i : 0));
}

static uint32_t find_frame(const ct_dynamics *d, const char *path)
{
    const ct_mechanism *m = d->mechanics->mechanism;
    ct_suggestion near = ct_suggest(path);
    for (uint32_t i = 1; i < m->frame_count; i++) {
        const char *name = ct_name_text(d->ctx, m->frame[i].name);
        if (strcmp(name, path) == 0)
            return i;
        ct_suggest_try(&near, name);
    }
    ct_report *r = ct_error(d->ctx, "E261", (ct_place){0}, "there is no frame `%s`", path);
    if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    ct_witness(r, path);
    return 0;
}

/* Bodies that carry no other one. */
static void add_ends(ct_dynamics *d)
{
    const ct_mechanism *m = d->mechanics->mechanism;
    uint32_t *joints = CT_NEW_ARRAY(d->arena, uint32_t, m->body_count + 1), count = 0;
    for (uint32_t i = 0; i < m->joint_count; i++) {
        joints[m->frame[m->joint[i].tail].body]++;
        joints[m->frame[m->joint[i].head].body]++;
    }
    for (uint32_t i = 1; i < m->body_count && count < MOST_ENDS; i++)
        if (joints[i] == 1) {
            add_jacobian(d, m->body[i].frame);
            count++;
        }
}

static bool add_jacobians(ct_dynamics *d, const char *const *frame, uint32_t count)
{
    if (!count)
        add_ends(d);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t found = find_frame(d, frame[i]);
        if (!found)
            return false;
        add_jacobian(d, found);
    }
    return true;
}

/* ---- momentum */

typedef struct triple {
    ct_expr x[3];
} triple;

static triple plus(const ct_dynamics *d, triple a, triple b)
{
    for (int i = 0; i < 3; i++)
        a.x[i] = ct_expr_add(d->pool, a.x[i], b.x[i]);
    return a;
}

static triple times(const ct_dynamics *d, ct_expr k, triple a)
{
    for (int i = 0; i < 3; i++)
        a.x[i] = ct_expr_mul(d->pool, k, a.x[i]);
    return a;
}

static triple cross(const ct_dynamics *d, triple a, triple b)
{
    triple out;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        out.x[i] = ct_expr_sub(d->pool, ct_expr_mul(d->pool, a.x[k], b.x[l]),
                               ct_expr_mul(d->pool, a.x[l], b.x[k]));
    }
    return out;
}

/* Place, velocity, angular velocity and axes of a body, also in the plane. */
typedef struct state {
    triple r, v, w, axis[3];
} state;

static state state_of(const ct_dynamics *d, uint32_t body)
{
    const ct_mechanism *m = d->mechanics->mechanism;
    uint32_t f = m->body[body].frame;
    bool turns = !m->body[body].particle;
    state s;
    for (uint32_t i = 0; i < 3; i++) {
        bool there = m->spatial || i < 2;
        s.r.x[i] = there ? express(d, CT_MOTION_POSITION, f, i) : zero(d);
        s.v.x[i] = there ? express(d, CT_MOTION_VELOCITY, f, i) : zero(d);
        s.w.x[i] = m->spatial && turns ? express(d, CT_MOTION_SPIN, f, i) : zero(d);
        for (uint32_t k = 0; k < 3; k++)
            s.axis[k].x[i] = m->spatial && turns ? express(d, CT_MOTION_AXES, f, 3 * i + k)
                                                 : ct_expr_int(d->pool, i == k);
    }
    if (m->spatial || !turns)
        return s;
    ct_expr angle = express(d, CT_MOTION_ANGLE, f, 0);
    s.w.x[2] = express(d, CT_MOTION_SPIN, f, 0);
    s.axis[0].x[0] = s.axis[1].x[1] = ct_expr_call1(d->pool, CT_OP_COS, angle);
    s.axis[0].x[1] = ct_expr_call1(d->pool, CT_OP_SIN, angle);
    s.axis[1].x[0] = ct_expr_neg(d->pool, s.axis[0].x[1]);
    return s;
}

/* I w in ground axes, I in those of the body. */
static triple spin_of(const ct_dynamics *d, const ct_body *b, const state *s)
{
    static const uint8_t at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    triple out = {{zero(d), zero(d), zero(d)}};
    ct_expr own[3];
    for (int k = 0; k < 3; k++) {
        own[k] = zero(d);
        for (int i = 0; i < 3; i++)
            own[k] = ct_expr_add(d->pool, own[k], ct_expr_mul(d->pool, s->axis[k].x[i], s->w.x[i]));
    }
    for (int k = 0; k < 3; k++) {
        ct_expr sum = zero(d);
        for (int i = 0; i < 3; i++)
            sum = ct_expr_add(d->pool, sum,
                              ct_expr_mul(d->pool, copied(d, b->inertia[at[k][i]]), own[i]));
        out = plus(d, out, times(d, sum, s->axis[k]));
    }
    return out;
}

/* Linear momentum, and angular momentum about the mass centre of all. */
static void add_momentum(ct_dynamics *d)
{
    const ct_mechanism *m = d->mechanics->mechanism;
    triple none = {{zero(d), zero(d), zero(d)}}, p = none, L = none, first = none;
    ct_expr mass = zero(d);
    for (uint32_t b = 1; b < m->body_count; b++) {
        state s = state_of(d, b);
        ct_expr own = copied(d, m->body[b].mass);
        triple arm = none;
        for (int k = 0; k < 3; k++)
            arm = plus(d, arm, times(d, copied(d, m->body[b].com.c[k]), s.axis[k]));
        triple r = plus(d, s.r, arm), v = plus(d, s.v, cross(d, s.w, arm));
        triple own_p = times(d, own, v);
        p = plus(d, p, own_p);
        first = plus(d, first, times(d, own, r));
        L = plus(d, L, plus(d, cross(d, r, own_p), spin_of(d, &m->body[b], &s)));
        mass = ct_expr_add(d->pool, mass, own);
    }
    ct_expr over =
        ct_expr_is_zero(d->pool, mass) ? 0 : ct_expr_div(d->pool, ct_expr_int(d->pool, 1), mass);
    if (!over)
        return;
    triple c = times(d, over, first), back = cross(d, c, p);
    L = plus(d, L, times(d, ct_expr_int(d->pool, -1), back));
    uint32_t size = m->spatial ? 3 : 2;
    memcpy(add_matrix(d, "c", size, 0, "mass centre of all bodies")->entry, c.x,
           size * sizeof *c.x);
    memcpy(add_matrix(d, "p", size, 0, "linear momentum")->entry, p.x, size * sizeof *p.x);
    ct_dynamic *out = add_matrix(d, "L", m->spatial ? 3 : 1, 0, "angular momentum about c");
    memcpy(out->entry, m->spatial ? L.x : L.x + 2, out->rows * sizeof *L.x);
}

/* ---- all */

static void list_names(ct_dynamics *d, const ct_motion_equations *eq)
{
    ct_name *q = CT_NEW_ARRAY(d->arena, ct_name, d->n + 1);
    ct_name *u = CT_NEW_ARRAY(d->arena, ct_name, d->n + 1);
    for (uint32_t i = 0; i < d->n; i++) {
        q[i] = d->mechanics->coordinate[eq->coordinate[i]].q;
        u[i] = d->mechanics->coordinate[eq->coordinate[i]].u;
    }
    d->q = q, d->u = u, d->a = eq->acceleration;
}

ct_dynamics *ct_dynamics_new(const ct_equations *equations, const char *const *frame,
                             uint32_t count, ct_arena *arena)
{
    const ct_mechanics *mech = equations->reduced->system->mechanics;
    if (!mech)
        return NULL;
    ct_dynamics *d = CT_NEW(arena, ct_dynamics);
    *d = (ct_dynamics){.ctx = equations->model->ctx,
                       .arena = arena,
                       .pool = ct_pool_new(equations->model->ctx),
                       .model = equations->model,
                       .mechanics = mech};
    ct_pool *fresh = ct_pool_new(d->ctx);
    const ct_motion_equations *eq = ct_mechanics_equations(mech, fresh, arena);
    d->n = eq->coordinate_count;
    list_names(d, eq);
    add_mass(d, eq);
    add_coriolis(d);
    add_gravity(d);
    add_inverse(d, eq);
    ct_pool_free(fresh);
    add_momentum(d);
    return add_jacobians(d, frame, count) ? d : NULL;
}
