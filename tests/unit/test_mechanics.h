/* test_mechanics.h - mechanisms built by hand, states on their constraints, and an independent
 * solution: Newton-Euler equations of all bodies in absolute coordinates, dense. */
#ifndef CT_TEST_MECHANICS_H
#define CT_TEST_MECHANICS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/program.h"
#include "graph/bodies.h"
#include "graph/build.h"
#include "mechanics/mechanics.h"

#include "test_expr.h"

enum { MOST = 4096 };

typedef struct build {
    ct_mechanism mech;
    ct_body *body;
    ct_frame *frame;
    ct_joint *joint;
    ct_vector_load *load;
    ct_line *line;
    ct_branch_wish *wish;
    ct_motion *motion;
    double *drive; /* by joint: second derivative of its driver */
    const ct_tree *tree;
    bool best; /* the cheapest trees are searched */
    const ct_mechanics *m;
    ct_arena *arena;
    /* a state: t, q, u, other symbols */
    ct_name *name;
    double *value;
    uint32_t count, q, u, extra; /* first of each */
} build;

static build b;

static inline ct_expr num(double x)
{
    char text[64];
    snprintf(text, sizeof text, "%.15g", fabs(x));
    ct_expr e = ct_expr_decimal(pool, text, strlen(text));
    return x < 0 ? ct_expr_neg(pool, e) : e;
}

static inline ct_vec3 vector(double x, double y)
{
    return (ct_vec3){{num(x), num(y), num(0)}};
}

static inline ct_expr symbol(const char *name)
{
    return ct_expr_symbol(pool, name_of(name));
}

static inline uint32_t add_frame(uint32_t body, const char *name, ct_vec3 place, ct_expr turn)
{
    b.frame[b.mech.frame_count] =
        (ct_frame){.name = name_of(name), .body = body, .at = place, .turn = turn};
    return b.mech.frame_count++;
}

static inline uint32_t frame_at(uint32_t body, double x, double y)
{
    char name[64];
    snprintf(name, sizeof name, "%s.P%u", ct_name_text(ctx, b.body[body].name), b.mech.frame_count);
    return add_frame(body, name, vector(x, y), num(0));
}

static inline uint32_t add_body(const char *name, ct_expr mass, ct_expr inertia, ct_vec3 com)
{
    uint32_t index = b.mech.body_count++;
    ct_body *body = &b.body[index];
    *body = (ct_body){.name = name_of(name), .mass = mass, .com = com};
    for (int i = 0; i < 6; i++)
        body->inertia[i] = i == 2 ? inertia : num(0);
    body->frame = add_frame(index, name, vector(0, 0), num(0));
    return index;
}

static inline uint32_t body_of(const char *name, double mass, double inertia, double x, double y)
{
    return add_body(name, num(mass), num(inertia), vector(x, y));
}

static inline uint32_t particle(const char *name, double mass)
{
    uint32_t index = body_of(name, mass, 0, 0, 0);
    b.body[index].particle = true;
    return index;
}

static inline uint32_t joint(ct_joint_kind kind, const char *name, uint32_t tail, uint32_t head)
{
    ct_joint *j = &b.joint[b.mech.joint_count];
    *j = (ct_joint){.name = name_of(name), .kind = kind, .tail = tail, .head = head};
    j->axis = vector(1, 0);
    return b.mech.joint_count++;
}

static inline uint32_t line(const char *name, uint32_t tail, uint32_t head)
{
    char load[64];
    snprintf(load, sizeof load, "%s.port.F", name);
    b.line[b.mech.line_count] =
        (ct_line){.name = name_of(name), .tail = tail, .head = head, .load = symbol(load)};
    return b.mech.line_count++;
}

static inline void force(const char *name, uint32_t tail, uint32_t head, ct_vec3 value,
                         uint32_t axes)
{
    b.load[b.mech.load_count++] = (ct_vector_load){
        .name = name_of(name), .tail = tail, .head = head, .value = value, .axes = axes};
}

static inline void torque(const char *name, uint32_t tail, uint32_t head, ct_expr value)
{
    b.load[b.mech.load_count++] = (ct_vector_load){.name = name_of(name),
                                                   .torque = true,
                                                   .tail = tail,
                                                   .head = head,
                                                   .value = {{num(0), num(0), value}}};
}

static inline void wish(ct_branch_kind kind, uint32_t object, bool t, bool r)
{
    b.wish[b.mech.wish_count++] =
        (ct_branch_wish){.kind = kind, .object = object, .translational = t, .rotational = r};
}

static inline ct_expr motion(const char *name, ct_motion_kind kind, uint32_t object, uint32_t axis)
{
    b.motion[b.mech.motion_count++] = (ct_motion){name_of(name), kind, object, axis};
    return symbol(name);
}

#define ROOM(type) ((type *)ct_arena_alloc(b.arena, MOST * 4 * sizeof(type)))

static inline void begin(void)
{
    ct_pool_free(pool); /* values of an older mechanism would be found in it */
    pool = ct_pool_new(ctx);
    b = (build){.arena = ct_arena_new(ctx)};
    b.body = ROOM(ct_body);
    b.frame = ROOM(ct_frame);
    b.joint = ROOM(ct_joint);
    b.load = ROOM(ct_vector_load);
    b.line = ROOM(ct_line);
    b.wish = ROOM(ct_branch_wish);
    b.motion = ROOM(ct_motion);
    b.drive = ROOM(double);
    b.mech.gravity = vector(0, -9.81);
    body_of("ground", 0, 0, 0, 0);
}

static inline double no_value(const void *user, ct_name name)
{
    (void)user;
    (void)name;
    return 0.7;
}

static inline const ct_mechanics *derive(bool rank)
{
    ct_mechanism *mech = CT_NEW(b.arena, ct_mechanism);
    b.mech.body = b.body;
    b.mech.frame = b.frame;
    b.mech.joint = b.joint;
    b.mech.load = b.load;
    b.mech.line = b.line;
    b.mech.wish = b.wish;
    b.mech.motion = b.motion;
    ct_map *motions = CT_NEW(b.arena, ct_map);
    ct_map_init(motions, b.arena);
    for (uint32_t i = 0; i < b.mech.motion_count; i++)
        ct_map_put(motions, b.motion[i].name, i + 1);
    b.mech.motion_by_name = motions;
    *mech = b.mech;
    const ct_model model = {.ctx = ctx, .pool = pool, .mechanism = mech};
    const ct_graph *graph = ct_graph_build(&model);
    ct_tree_def wishes = {.complete = true, .coordinates = mech->coordinates};
    ct_graph_wishes(graph, &model, true, &wishes);
    b.tree = ct_graph_check(graph) ? ct_tree_select(graph, &wishes) : NULL;
    ct_mechanics_def def = {.ctx = ctx,
                            .arena = b.arena,
                            .pool = pool,
                            .symbols = ct_symbols_new(ctx, b.arena),
                            .tree = b.tree,
                            .value = rank ? no_value : NULL};
    if (b.tree && b.best)
        def.tree = b.tree = ct_mechanics_best_tree(&def);
    return b.m = b.tree ? ct_mechanics_new(&def) : NULL;
}

/* ---- numbers */

static inline double random_unit(void)
{
    static uint64_t seed = 88172645463325252u;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

static inline void add_name(ct_name name, double value)
{
    for (uint32_t i = 0; i < b.count; i++)
        if (b.name[i] == name)
            return;
    b.name[b.count] = name;
    b.value[b.count++] = value;
}

/* Symbols of loads and parameters that stand in the accelerations. */
static inline void add_strangers(ct_expr e)
{
    const ct_name *s;
    uint32_t n = e ? ct_expr_symbols(pool, e, &s) : 0;
    for (uint32_t i = 0; i < n; i++)
        add_name(s[i], 1.3 + 0.2 * random_unit());
}

static inline void move_out(ct_name name)
{
    for (uint32_t i = b.extra; i < b.count; i++)
        if (b.name[i] == name) {
            b.name[i] = b.name[--b.count];
            b.value[i] = b.value[b.count];
        }
}

static inline void start_state(void)
{
    b.count = 0;
    b.name = ROOM(ct_name);
    b.value = ROOM(double);
    add_name(name_of("t"), 0.3);
    b.q = b.count;
    for (uint32_t i = 0; i < b.m->coordinate_count; i++)
        add_name(b.m->coordinate[i].q, 0);
    b.u = b.count;
    for (uint32_t i = 0; i < b.m->coordinate_count; i++)
        if (b.m->coordinate[i].u)
            add_name(b.m->coordinate[i].u, 0);
    b.extra = b.count;
    for (uint32_t i = 0; i < b.m->coordinate_count; i++)
        add_strangers(b.m->coordinate[i].acceleration);
    for (uint32_t i = 0; i < b.m->unknown_count; i++)
        add_strangers(b.m->unknown[i].residual);
    for (uint32_t i = 0; i < b.mech.line_count; i++)
        add_strangers(b.line[i].load);
    for (uint32_t i = 0; i < b.m->unknown_count; i++) { /* these last, in order */
        move_out(b.m->unknown[i].name);
        add_name(b.m->unknown[i].name, 0);
    }
}

static inline void values(const ct_expr *e, uint32_t count, double *out)
{
    ct_expr stranger;
    ct_arena *scratch = ct_arena_new(ctx);
    ct_program_def def = {.pool = pool,
                          .variable = b.name,
                          .variable_count = b.count,
                          .output = e,
                          .output_count = count};
    const ct_program *program = ct_program_new(scratch, &def, &stranger);
    if (!program)
        fail_msg("stranger %s", stranger ? text_of(stranger) : "none");
    double *work = CT_NEW_ARRAY(scratch, double, ct_program_work(program) + 1);
    ct_program_prepare(program, NULL, work);
    ct_program_run(program, b.value, out, work);
    ct_arena_free(scratch);
}

/* Least-norm Newton step of n rows by the variables from `first` on, count of them; returns the
 * largest residual before it. */
static inline double *dense(uint32_t rows, uint32_t cols)
{
    return calloc((size_t)rows * cols + 1, sizeof(double));
}

/* Solves a x = rhs by full pivoting; singular parts give zero. Destroys a and rhs. */
static inline void solve_dense(double *a, double *rhs, uint32_t n, double *x)
{
    uint32_t *col = calloc(n + 1, sizeof *col);
    double first = 0;
    uint32_t rank = n;
    for (uint32_t i = 0; i < n; i++)
        col[i] = i;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t pi = k, pj = k;
        for (uint32_t i = k; i < n; i++)
            for (uint32_t j = k; j < n; j++)
                if (fabs(a[(size_t)i * n + col[j]]) > fabs(a[(size_t)pi * n + col[pj]])) {
                    pi = i;
                    pj = j;
                }
        double pivot = a[(size_t)pi * n + col[pj]];
        if (k == 0)
            first = fabs(pivot);
        if (fabs(pivot) <= 1e-11 * first) {
            rank = k;
            break;
        }
        uint32_t c = col[k];
        col[k] = col[pj];
        col[pj] = c;
        for (uint32_t j = 0; j < n; j++) {
            double moved = a[(size_t)k * n + j];
            a[(size_t)k * n + j] = a[(size_t)pi * n + j];
            a[(size_t)pi * n + j] = moved;
        }
        double moved = rhs[k];
        rhs[k] = rhs[pi];
        rhs[pi] = moved;
        for (uint32_t i = k + 1; i < n; i++) {
            double w = a[(size_t)i * n + col[k]] / pivot;
            for (uint32_t j = k; w != 0 && j < n; j++)
                a[(size_t)i * n + col[j]] -= w * a[(size_t)k * n + col[j]];
            rhs[i] -= w * rhs[k];
        }
    }
    for (uint32_t i = 0; i < n; i++)
        x[i] = 0;
    for (uint32_t k = rank; k-- > 0;) {
        double sum = rhs[k];
        for (uint32_t j = k + 1; j < rank; j++)
            sum -= a[(size_t)k * n + col[j]] * x[col[j]];
        x[col[k]] = sum / a[(size_t)k * n + col[k]];
    }
    free(col);
}

/* One step of f = 0 by the variables first .. first + count; returns the largest |f| before. */
static inline double least_step(const ct_expr *f, uint32_t rows, uint32_t first, uint32_t count)
{
    if (!rows || !count)
        return 0;
    ct_expr culprit;
    const ct_jacobian *j = ct_jacobian_new(b.arena, pool, f, rows, b.name + first, count, &culprit);
    assert_non_null(j);
    double *r = calloc(rows + 1, sizeof *r), *e = calloc(j->count + 1, sizeof *e), worst = 0;
    double *jac = dense(rows, count), *jj = dense(rows, rows), *y = calloc(rows + 1, sizeof *y);
    values(f, rows, r);
    values(j->entry, j->count, e);
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t k = j->start[c]; k < j->start[c + 1]; k++)
            jac[(size_t)j->row[k] * count + c] = e[k];
    for (uint32_t i = 0; i < rows; i++) {
        worst = fmax(worst, fabs(r[i]));
        for (uint32_t k = 0; k < rows; k++)
            for (uint32_t c = 0; c < count; c++)
                jj[(size_t)i * rows + k] += jac[(size_t)i * count + c] * jac[(size_t)k * count + c];
    }
    solve_dense(jj, r, rows, y);
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t i = 0; i < rows; i++)
            b.value[first + c] -= jac[(size_t)i * count + c] * y[i];
    free(r), free(e), free(jac), free(jj), free(y);
    return worst;
}

/* Closes the loops from the values of q that stand there, and finds speeds that fit. */
static inline bool assemble_from(void)
{
    ct_expr *position = ROOM(ct_expr), *velocity = ROOM(ct_expr), *residual = ROOM(ct_expr);
    uint32_t positions = 0, velocities = b.m->constraint_count, n = b.m->unknown_count;
    double worst = 1;
    for (uint32_t i = 0; i < velocities; i++) {
        if (b.m->constraint[i].position)
            position[positions++] = b.m->constraint[i].position;
        velocity[i] = b.m->constraint[i].velocity;
    }
    for (uint32_t i = b.u; i < b.extra; i++)
        b.value[i] = random_unit();
    for (int k = 0; k < 60 && worst > 1e-13 && worst < 1e6; k++)
        worst = least_step(position, positions, b.q, b.m->coordinate_count);
    for (int k = 0; k < 3; k++)
        least_step(velocity, velocities, b.u, b.extra - b.u);
    for (uint32_t i = 0; i < n; i++)
        residual[i] = b.m->unknown[i].residual;
    for (int k = 0; k < 2; k++)
        least_step(residual, n, b.count - n, n);
    return worst <= 1e-12;
}

static inline bool assemble_state(double spread)
{
    for (int attempt = 0; attempt < 60; attempt++) {
        for (uint32_t i = 0; i < b.m->coordinate_count; i++)
            b.value[b.q + i] = spread * random_unit();
        if (assemble_from())
            return true;
    }
    return false;
}

static inline double value_of(ct_expr e)
{
    double out;
    values(&e, 1, &out);
    return out;
}

static inline ct_expr asked(ct_motion_kind kind, uint32_t object, uint32_t axis)
{
    ct_expr e = ct_mechanics_express(b.m, &(ct_motion){0, kind, object, axis});
    assert_true(e != 0);
    return e;
}

/* ---- the independent solution */

typedef struct newton {
    uint32_t n, rows;  /* 3 for each body but the ground; constraints */
    double *x;         /* accelerations */
    double *force;     /* by joint: Fx, Fy, T, drive of turn, drive of slide, on the head */
    double *pos, *vel; /* of mass centres: x, y, theta */
} newton;

static inline double fixed(ct_expr e)
{
    return e ? value_of(e) : 0;
}

typedef struct spot {
    uint32_t body;
    double r[2], p[2], v[2], angle; /* arm from the mass centre, place, velocity, angle of axes */
} spot;

static inline spot spot_of(const newton *s, uint32_t frame)
{
    const ct_frame *f = &b.frame[frame];
    const ct_body *body = &b.body[f->body];
    const double *pos = s->pos + 3 * f->body, *vel = s->vel + 3 * f->body;
    double x = fixed(f->at.c[0]) - fixed(body->com.c[0]);
    double y = fixed(f->at.c[1]) - fixed(body->com.c[1]), c = cos(pos[2]), si = sin(pos[2]);
    spot out = {.body = f->body, .r = {c * x - si * y, si * x + c * y}};
    for (int i = 0; i < 2; i++)
        out.p[i] = pos[i] + out.r[i];
    out.v[0] = vel[0] - vel[2] * out.r[1];
    out.v[1] = vel[1] + vel[2] * out.r[0];
    out.angle = pos[2] + fixed(f->turn);
    return out;
}

typedef struct kkt {
    newton *s;
    double *a, *rhs;
    uint32_t size, row;
    int owner[MOST], part[MOST];
    double dir[MOST][2];
} kkt;

static inline void put(kkt *k, uint32_t row, uint32_t col, double value)
{
    k->a[(size_t)row * k->size + col] += value;
    k->a[(size_t)col * k->size + row] += value;
}

/* w.(a of the spot) on the left of the present row. */
static inline void put_spot(kkt *k, const spot *p, const double w[2], double sign)
{
    double spin = k->s->vel[3 * p->body + 2];
    k->rhs[k->row] += sign * spin * spin * (w[0] * p->r[0] + w[1] * p->r[1]);
    if (!p->body)
        return;
    uint32_t c = 3 * (p->body - 1);
    put(k, k->row, c, sign * w[0]);
    put(k, k->row, c + 1, sign * w[1]);
    if (!b.body[p->body].particle)
        put(k, k->row, c + 2, sign * (-w[0] * p->r[1] + w[1] * p->r[0]));
}

static inline void put_spin(kkt *k, uint32_t body, double factor)
{
    if (body && !b.body[body].particle)
        put(k, k->row, 3 * (body - 1) + 2, factor);
}

static inline void next_row(kkt *k, uint32_t j, int part, double x, double y)
{
    k->owner[k->row] = (int)j;
    k->part[k->row] = part;
    k->dir[k->row][0] = x;
    k->dir[k->row][1] = y;
    k->row++;
}

static inline void put_joint(kkt *k, uint32_t index)
{
    const ct_joint *j = &b.joint[index];
    spot t = spot_of(k->s, j->tail), h = spot_of(k->s, j->head);
    double ax = fixed(j->axis.c[0]), ay = fixed(j->axis.c[1]), l = hypot(ax, ay);
    double u[2] = {(cos(t.angle) * ax - sin(t.angle) * ay) / l,
                   (sin(t.angle) * ax + cos(t.angle) * ay) / l};
    double n[2] = {-u[1], u[0]}, w = k->s->vel[3 * t.body + 2];
    double d[2] = {h.p[0] - t.p[0], h.p[1] - t.p[1]}, dv[2] = {h.v[0] - t.v[0], h.v[1] - t.v[1]};
    double ud = u[0] * d[0] + u[1] * d[1], nd = n[0] * d[0] + n[1] * d[1];
    double udv = u[0] * dv[0] + u[1] * dv[1], ndv = n[0] * dv[0] + n[1] * dv[1];
    bool axes = !b.body[t.body].particle && !b.body[h.body].particle;
    bool slides = j->kind == CT_JOINT_PRISMATIC || j->kind == CT_JOINT_SLOT;
    if (j->kind == CT_JOINT_REVOLUTE || j->kind == CT_JOINT_WELD)
        for (int i = 0; i < 2; i++) {
            double e[2] = {i == 0, i == 1};
            put_spot(k, &h, e, 1);
            put_spot(k, &t, e, -1);
            next_row(k, index, 0, e[0], e[1]);
        }
    if (slides) {
        put_spot(k, &h, n, 1);
        put_spot(k, &t, n, -1);
        put_spin(k, t.body, -ud);
        k->rhs[k->row] += 2 * w * udv + w * w * nd;
        next_row(k, index, 0, n[0], n[1]);
    }
    if (slides && (j->drive[CT_SLIDE] || j->rate[CT_SLIDE])) {
        put_spot(k, &h, u, 1);
        put_spot(k, &t, u, -1);
        put_spin(k, t.body, nd);
        k->rhs[k->row] += b.drive[index] - 2 * w * ndv + w * w * ud;
        next_row(k, index, 4, u[0], u[1]);
    }
    if (j->kind == CT_JOINT_DISTANCE) {
        double length = fixed(j->length), e[2] = {d[0] / length, d[1] / length};
        put_spot(k, &h, e, 1);
        put_spot(k, &t, e, -1);
        k->rhs[k->row] -= (dv[0] * dv[0] + dv[1] * dv[1]) / length;
        next_row(k, index, 0, e[0], e[1]);
    }
    bool driven = j->drive[CT_TURN] || j->rate[CT_TURN];
    if (axes && (j->kind == CT_JOINT_PRISMATIC || j->kind == CT_JOINT_WELD || driven)) {
        put_spin(k, h.body, 1);
        put_spin(k, t.body, -1);
        k->rhs[k->row] += driven ? b.drive[index] : 0;
        next_row(k, index, driven ? 3 : 2, 0, 0);
    }
}

static inline void put_force(kkt *k, uint32_t body, const double r[2], double fx, double fy,
                             double torque_)
{
    if (!body)
        return;
    double *f = k->rhs + 3 * (body - 1);
    f[0] += fx;
    f[1] += fy;
    if (!b.body[body].particle)
        f[2] += torque_ + r[0] * fy - r[1] * fx;
}

static inline double load_value(ct_expr e)
{
    const ct_name *s;
    uint32_t n = e ? ct_expr_symbols(pool, e, &s) : 0;
    ct_name *from = ROOM(ct_name);
    ct_expr *to = ROOM(ct_expr);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < b.mech.motion_count; k++)
            if (b.motion[k].name == s[i]) {
                from[count] = s[i];
                to[count++] = ct_mechanics_express(b.m, &b.motion[k]);
            }
    return e ? value_of(ct_expr_substitute(pool, e, from, to, count)) : 0;
}

static inline void put_loads(kkt *k)
{
    static const double none[2] = {0, 0};
    for (uint32_t i = 0; i < b.mech.load_count; i++) {
        const ct_vector_load *l = &b.load[i];
        spot t = spot_of(k->s, l->tail), h = spot_of(k->s, l->head);
        double x = load_value(l->value.c[0]), y = load_value(l->value.c[1]);
        double angle = l->axes ? spot_of(k->s, l->axes).angle : 0, z = load_value(l->value.c[2]);
        double fx = cos(angle) * x - sin(angle) * y, fy = sin(angle) * x + cos(angle) * y;
        if (l->torque) {
            put_force(k, h.body, none, 0, 0, z);
            put_force(k, t.body, none, 0, 0, -z);
        } else {
            put_force(k, h.body, h.r, fx, fy, 0);
            put_force(k, t.body, t.r, -fx, -fy, 0);
        }
    }
    for (uint32_t i = 0; i < b.mech.line_count; i++) {
        spot t = spot_of(k->s, b.line[i].tail), h = spot_of(k->s, b.line[i].head);
        double dx = h.p[0] - t.p[0], dy = h.p[1] - t.p[1];
        double f = load_value(b.line[i].load) / hypot(dx, dy);
        put_force(k, h.body, h.r, f * dx, f * dy, 0);
        put_force(k, t.body, t.r, -f * dx, -f * dy, 0);
    }
    for (uint32_t i = 0; i < b.mech.joint_count; i++) {
        const ct_joint *j = &b.joint[i];
        spot t = spot_of(k->s, j->tail), h = spot_of(k->s, j->head);
        double z = load_value(j->load[CT_TURN]), s = load_value(j->load[CT_SLIDE]);
        double ax = fixed(j->axis.c[0]), ay = fixed(j->axis.c[1]), l = hypot(ax, ay);
        double ux = (cos(t.angle) * ax - sin(t.angle) * ay) / l;
        double uy = (sin(t.angle) * ax + cos(t.angle) * ay) / l;
        double at_head[2] = {t.r[0] + h.p[0] - t.p[0], t.r[1] + h.p[1] - t.p[1]};
        double s2 = load_value(j->load[CT_SLIDE + 1]), fx = s * ux - s2 * uy, fy = s * uy + s2 * ux;
        put_force(k, h.body, h.r, fx, fy, z);
        put_force(k, t.body, at_head, -fx, -fy, -z);
    }
}

static inline void read_motion(newton *s)
{
    uint32_t n = b.mech.body_count;
    ct_expr *e = ROOM(ct_expr);
    double *v = ROOM(double);
    for (uint32_t i = 0; i < n; i++) {
        e[6 * i] = asked(CT_MOTION_POSITION, b.body[i].frame, 0);
        e[6 * i + 1] = asked(CT_MOTION_POSITION, b.body[i].frame, 1);
        e[6 * i + 2] = asked(CT_MOTION_ANGLE, b.body[i].frame, 0);
        e[6 * i + 3] = asked(CT_MOTION_VELOCITY, b.body[i].frame, 0);
        e[6 * i + 4] = asked(CT_MOTION_VELOCITY, b.body[i].frame, 1);
        e[6 * i + 5] = asked(CT_MOTION_SPIN, b.body[i].frame, 0);
    }
    values(e, 6 * n, v);
    for (uint32_t i = 0; i < n; i++) {
        double x = fixed(b.body[i].com.c[0]), y = fixed(b.body[i].com.c[1]);
        double c = cos(v[6 * i + 2]), si = sin(v[6 * i + 2]), w = v[6 * i + 5];
        double rx = c * x - si * y, ry = si * x + c * y;
        memcpy(s->pos + 3 * i, v + 6 * i, 3 * sizeof(double));
        memcpy(s->vel + 3 * i, v + 6 * i + 3, 3 * sizeof(double));
        s->pos[3 * i] += rx;
        s->pos[3 * i + 1] += ry;
        s->vel[3 * i] -= w * ry;
        s->vel[3 * i + 1] += w * rx;
    }
}

/* L^2 of the norm F.F + (T/L)^2: mean of the squared arms to joints. */
static inline double arm_square(void)
{
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < b.mech.joint_count; i++) {
        const ct_joint *j = &b.joint[i];
        const ct_vec3 *arm[] = {&b.frame[j->tail].at, &b.frame[j->head].at};
        for (int k = 0; k < 2; k++) {
            double own = hypot(fixed(arm[k]->c[0]), fixed(arm[k]->c[1]));
            sum += own * own;
            count += own > 0;
        }
        sum += fixed(j->length) * fixed(j->length);
        count += fixed(j->length) > 0;
    }
    return count > 0 ? sum / count : 1;
}

/* Of all multipliers that give these accelerations the least: J^T y = f - M a by the
 * pseudo-inverse A^T (A A^T)^+ of A = J^T D, D: 1, for torques L. */
static inline void least_multipliers(const kkt *k, const double *a, const double *rhs, double *x)
{
    uint32_t n = k->s->n, size = k->size;
    double *left = dense(n, 1), *gram = dense(n, n), *y = dense(n, 1), length = arm_square();
    for (uint32_t i = 0; i < n; i++) {
        left[i] = rhs[i];
        for (uint32_t c = 0; c < n; c++) {
            left[i] -= a[(size_t)i * size + c] * x[c];
            for (uint32_t r = n; r < k->row; r++)
                gram[(size_t)i * n + c] += a[(size_t)r * size + i] * a[(size_t)r * size + c] *
                                           (k->part[r] == 2 ? length : 1);
        }
    }
    solve_dense(gram, left, n, y);
    for (uint32_t r = n; r < k->row; r++) {
        x[r] = 0;
        for (uint32_t i = 0; i < n; i++)
            x[r] += a[(size_t)r * size + i] * y[i] * (k->part[r] == 2 ? length : 1);
    }
    free(left), free(gram), free(y);
}

static inline newton solve_newton(bool least)
{
    newton s = {.n = 3 * (b.mech.body_count - 1)};
    s.pos = ROOM(double);
    s.vel = ROOM(double);
    s.x = ROOM(double);
    s.force = ROOM(double);
    read_motion(&s);
    static kkt k;
    k = (kkt){.s = &s, .size = s.n + 4 * b.mech.joint_count, .row = s.n};
    k.a = dense(k.size, k.size);
    k.rhs = dense(k.size, 1);
    for (uint32_t i = 1; i < b.mech.body_count; i++) {
        const ct_body *body = &b.body[i];
        double m = fixed(body->mass), z = body->particle ? 1 : fixed(body->inertia[2]);
        uint32_t c = 3 * (i - 1);
        k.a[(size_t)c * k.size + c] = k.a[(size_t)(c + 1) * k.size + c + 1] = m;
        k.a[(size_t)(c + 2) * k.size + c + 2] = z;
        k.rhs[c] += m * fixed(b.mech.gravity.c[0]);
        k.rhs[c + 1] += m * fixed(b.mech.gravity.c[1]);
    }
    put_loads(&k);
    for (uint32_t i = 0; i < b.mech.joint_count; i++)
        put_joint(&k, i);
    double *a = dense(k.size, k.size), *rhs = dense(k.size, 1);
    memcpy(a, k.a, (size_t)k.size * k.size * sizeof *a);
    memcpy(rhs, k.rhs, k.size * sizeof *rhs);
    solve_dense(k.a, k.rhs, k.size, s.x);
    if (least)
        least_multipliers(&k, a, rhs, s.x);
    for (uint32_t r = s.n; r < k.row; r++) {
        double *f = s.force + 5 * k.owner[r], y = -s.x[r];
        if (k.part[r] == 0) {
            f[0] += y * k.dir[r][0];
            f[1] += y * k.dir[r][1];
        } else {
            f[k.part[r]] += y;
        }
    }
    s.rows = k.row - s.n;
    free(k.a), free(k.rhs), free(a), free(rhs);
    return s;
}

/* Accelerations of mass centres, spins and (reactions) all joint forces against the independent
 * solution; returns the largest relative error. */
static inline double compare_with(bool reactions, bool least)
{
    newton s = solve_newton(least);
    ct_expr *e = ROOM(ct_expr);
    double *v = ROOM(double), *w = ROOM(double), worst = 0, size = 1;
    uint32_t n = 0;
    uint32_t bodies = b.mech.body_count;
    for (uint32_t i = 1; i < bodies; i++) {
        double x = fixed(b.body[i].com.c[0]), y = fixed(b.body[i].com.c[1]);
        double c = cos(s.pos[3 * i + 2]), si = sin(s.pos[3 * i + 2]), o = s.vel[3 * i + 2];
        double rx = c * x - si * y, ry = si * x + c * y;
        const double *a = s.x + 3 * (i - 1);
        bool point = b.body[i].particle;
        double al = point ? 0 : a[2];
        e[n] = asked(CT_MOTION_ACCELERATION, b.body[i].frame, 0); /* of the origin */
        w[n++] = a[0] + al * ry + o * o * rx;
        e[n] = asked(CT_MOTION_ACCELERATION, b.body[i].frame, 1);
        w[n++] = a[1] - al * rx + o * o * ry;
        if (!point) {
            e[n] = asked(CT_MOTION_SPIN_RATE, b.body[i].frame, 0);
            w[n++] = a[2];
        }
    }
    for (uint32_t i = 0; reactions && i < b.mech.joint_count; i++) {
        e[n] = asked(CT_MOTION_REACTION, i, 0), w[n++] = s.force[5 * i];
        e[n] = asked(CT_MOTION_REACTION, i, 1), w[n++] = s.force[5 * i + 1];
        e[n] = asked(CT_MOTION_REACTION_TORQUE, i, 2), w[n++] = s.force[5 * i + 2];
        e[n] = asked(CT_MOTION_DRIVE, i, 0), w[n++] = s.force[5 * i + 3];
        e[n] = asked(CT_MOTION_DRIVE, i, CT_SLIDE), w[n++] = s.force[5 * i + 4];
    }
    values(e, n, v);
    for (uint32_t i = 0; i < n; i++)
        size = fmax(size, fabs(w[i]));
    for (uint32_t i = 0; i < n; i++) {
        double error = fabs(v[i] - w[i]) / size;
        if (getenv("CT_SHOW"))
            printf("%3u %22.15g %22.15g %g\n", i, v[i], w[i], error);
        worst = isnan(error) ? INFINITY : fmax(worst, error);
    }
    return worst;
}

static inline double compare(bool reactions)
{
    return compare_with(reactions, false);
}

/* The worst of some states. */
static inline double check_states(double spread, int states, bool reactions)
{
    double worst = 0;
    assert_non_null(b.m);
    start_state();
    for (int i = 0; i < states; i++) {
        assert_true(assemble_state(spread));
        worst = fmax(worst, compare(reactions));
    }
    return worst;
}

static inline uint32_t operations(void)
{
    ct_expr *e = ROOM(ct_expr), stranger;
    uint32_t n = 0;
    start_state();
    for (uint32_t i = 0; i < b.m->coordinate_count; i++)
        if (b.m->coordinate[i].acceleration)
            e[n++] = b.m->coordinate[i].acceleration;
    uint32_t variables = 0;
    ct_name *parameter = ROOM(ct_name), *variable = ROOM(ct_name);
    uint32_t parameters = 0;
    for (uint32_t i = 0; i < b.count; i++)
        if (i < b.extra || strstr(ct_name_text(ctx, b.name[i]), "port"))
            variable[variables++] = b.name[i];
        else
            parameter[parameters++] = b.name[i];
    ct_program_def def = {.pool = pool,
                          .parameter = parameter,
                          .parameter_count = parameters,
                          .variable = variable,
                          .variable_count = variables,
                          .output = e,
                          .output_count = n};
    const ct_program *program = ct_program_new(b.arena, &def, &stranger);
    assert_non_null(program);
    return ct_program_operations(program);
}

#endif
