/* projected.c - the equations of motion of the user's trees, for print: all accelerations and
 * branch forces are substituted, deepest branch first; what remains are the coordinates and the
 * forces of the chords [McPhee-2, section 4.5, steps 1 to 3, eqs. 88 to 91]. */
#include <stdlib.h>
#include <string.h>

#include "mechanics/inside.h"

/* ---- the mechanism in another pool */

typedef struct moving {
    ct_arena *arena;
    CT_VEC(ct_expr *) slot;
} moving;

static void move_one(moving *v, ct_expr *slot)
{
    CT_PUSH(v->arena, v->slot, slot);
}

static void move_vector(moving *v, ct_vec3 *a)
{
    for (int i = 0; i < 3; i++)
        move_one(v, &a->c[i]);
}

static void *copy_of(ct_arena *arena, const void *from, uint32_t count, size_t size)
{
    void *to = ct_arena_alloc(arena, (count + 1) * size);
    if (count)
        memcpy(to, from, count * size);
    return to;
}

static void move_joint(moving *v, ct_joint *j)
{
    move_vector(v, &j->axis);
    move_one(v, &j->length);
    for (int i = 0; i < 3; i++)
        move_vector(v, &j->pin[i]);
    for (int i = 0; i < CT_FREEDOMS; i++) {
        move_one(v, &j->drive[i]);
        move_one(v, &j->rate[i]);
        move_one(v, &j->load[i]);
        move_one(v, &j->bound[i]);
    }
}

static const ct_expr *move_matrix(moving *v, const ct_expr *from, uint32_t count)
{
    ct_expr *to = copy_of(v->arena, from, count * count, sizeof *to);
    for (uint32_t i = 0; i < count * count; i++)
        move_one(v, &to[i]);
    return to;
}

static const ct_flex *move_flex(moving *v, const ct_flex *from)
{
    ct_flex *to = copy_of(v->arena, from, 1, sizeof *to);
    ct_vec3 *spin = copy_of(v->arena, from->spin, from->count, sizeof *spin);
    move_vector(v, &to->moment);
    for (int i = 0; i < 6; i++)
        move_one(v, &to->inertia[i]);
    for (uint32_t i = 0; i < from->count; i++)
        move_vector(v, &spin[i]);
    to->spin = spin;
    to->mass = move_matrix(v, from->mass, from->count);
    to->stiffness = move_matrix(v, from->stiffness, from->count);
    to->damping = move_matrix(v, from->damping, from->count);
    if (from->force) {
        ct_expr *force = copy_of(v->arena, from->force, from->count, sizeof *force);
        for (uint32_t i = 0; i < from->count; i++)
            move_one(v, &force[i]);
        to->force = force;
        move_one(v, &to->potential);
    }
    return to;
}

const ct_mechanism *ct_mech_moved(const ct_mechanism *from, ct_pool *pool, ct_pool *to,
                                  ct_arena *arena)
{
    moving v = {.arena = arena};
    ct_mechanism *mech = copy_of(arena, from, 1, sizeof *mech);
    ct_body *body = copy_of(arena, mech->body, mech->body_count, sizeof *body);
    ct_frame *frame = copy_of(arena, mech->frame, mech->frame_count, sizeof *frame);
    ct_joint *joint = copy_of(arena, mech->joint, mech->joint_count, sizeof *joint);
    ct_vector_load *load = copy_of(arena, mech->load, mech->load_count, sizeof *load);
    ct_line *line = copy_of(arena, mech->line, mech->line_count, sizeof *line);
    move_vector(&v, &mech->gravity);
    for (uint32_t i = 0; i < mech->body_count; i++) {
        move_one(&v, &body[i].mass);
        move_vector(&v, &body[i].com);
        for (int k = 0; k < 6; k++)
            move_one(&v, &body[i].inertia[k]);
        if (body[i].flex)
            body[i].flex = move_flex(&v, body[i].flex);
    }
    for (uint32_t i = 0; i < mech->frame_count; i++) {
        move_vector(&v, &frame[i].at);
        move_one(&v, &frame[i].turn);
        if (frame[i].bend) {
            ct_vec3 *bend = copy_of(arena, frame[i].bend, 1, sizeof *bend);
            move_vector(&v, bend);
            frame[i].bend = bend;
        }
        if (!frame[i].axes)
            continue;
        ct_vec3 *axes = copy_of(arena, frame[i].axes, 3, sizeof *axes);
        for (int k = 0; k < 3; k++)
            move_vector(&v, &axes[k]);
        frame[i].axes = axes;
    }
    for (uint32_t i = 0; i < mech->joint_count; i++)
        move_joint(&v, &joint[i]);
    for (uint32_t i = 0; i < mech->load_count; i++)
        move_vector(&v, &load[i].value);
    for (uint32_t i = 0; i < mech->line_count; i++)
        move_one(&v, &line[i].load);
    mech->body = body;
    mech->frame = frame;
    mech->joint = joint;
    mech->load = load;
    mech->line = line;
    mech->speed_count = 0; /* their loads say it all */
    ct_expr *e = CT_NEW_ARRAY(arena, ct_expr, v.slot.count);
    for (uint32_t i = 0; i < v.slot.count; i++)
        e[i] = *v.slot.at[i];
    ct_expr_copy_all(to, pool, e, e, v.slot.count);
    for (uint32_t i = 0; i < v.slot.count; i++)
        *v.slot.at[i] = e[i];
    return mech;
}

/* ---- substitution along the user's trees */

typedef struct projection {
    assembly x;
    mechanics *m;
    uint32_t *unknown;            /* by coordinate; CT_NOTHING: its speed is given */
    uint32_t *t_row, (*r_row)[3]; /* by step; of turns by component */
} projection;

static void make_unknowns(projection *p)
{
    mechanics *m = p->m;
    for (uint32_t i = 0; i < m->coordinate.count; i++) {
        const ct_coordinate *c = &m->coordinate.at[i];
        p->unknown[i] = c->of_shape ? p->x.mode[c->object] + c->axis
                        : c->u      ? ct_sp_unknown(&p->x.s, false)
                                    : CT_NOTHING;
    }
    for (uint32_t i = 1; i < m->group_count; i++) {
        p->x.reference[i] = m->group[i].inboard;
        p->x.a[i] = ct_sp_unknowns(&p->x.s, m->space->slides);
        if (!m->group[i].point)
            p->x.alpha[i] = ct_sp_unknowns(&p->x.s, 3 - m->space->turn);
    }
    for (uint32_t i = 0; i < m->tie.count; i++)
        for (int k = 0; k < 3; k++) {
            uint32_t q = m->tie.at[i].slide_q[k];
            p->x.slide[i][k] = q == CT_NOTHING ? CT_NOTHING : p->unknown[q];
        }
    for (uint32_t i = 0; i < m->tie.count; i++) {
        uint32_t q = m->tie.at[i].angle_q;
        p->x.turn[i] = q == CT_NOTHING ? CT_NOTHING : p->unknown[q + m->tie.at[i].ball];
    }
}

/* Unknowns first .. first+n-1 by rows. */
static void substitute(projection *p, uint32_t first, uint32_t n, const uint32_t *row)
{
    uint32_t v[3];
    for (uint32_t k = 0; k < n; k++)
        v[k] = first + k;
    ct_sp_substitute(&p->x.s, v, row, n);
}

static void project(projection *p)
{
    mechanics *m = p->m;
    uint32_t turn = m->space->turn;
    p->t_row = CT_NEW_ARRAY(m->arena, uint32_t, m->t.count + 1);
    p->r_row = ct_arena_alloc(m->arena, (m->r.count + 1) * sizeof *p->r_row);
    ct_assembly_bodies(&p->x);
    ct_assembly_loads(&p->x);
    for (uint32_t i = 0; i < m->t.count; i++)
        p->t_row[i] = ct_assembly_branch(&p->x, &m->t.at[i]);
    for (uint32_t i = 0; i < m->r.count; i++)
        ct_assembly_turns(&p->x, &m->r.at[i], 3, p->r_row[i]);
    for (uint32_t i = 0; i < m->user_row.count; i++) {
        chord_row *c = &m->user_row.at[i];
        c->unknown = c->dropped ? CT_NOTHING : ct_assembly_row(&p->x, c->tie, c->row);
    }
    for (uint32_t i = m->t.count; i-- > 0;) {
        uint32_t e = p->t_row[i], row[] = {e, e + 1, e + 2};
        substitute(p, p->x.a[m->t.at[i].child], m->space->slides, row);
    }
    for (uint32_t i = m->r.count; i-- > 0;)
        substitute(p, p->x.alpha[m->r.at[i].child], 3 - turn, p->r_row[i] + turn);
}

/* ---- what remains */

typedef struct cell {
    uint32_t col;
    ct_expr value;
} cell;

static int by_col(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    return (x->col > y->col) - (x->col < y->col);
}

/* Entries of some rows in some columns; place: number of an unknown among the columns plus 1. */
static ct_sparse_rows take_rows(projection *p, const uint32_t *row, uint32_t rows,
                                const uint32_t *place, uint32_t cols)
{
    mechanics *m = p->m;
    const sparse *s = &p->x.s;
    CT_VEC(cell) all = {0};
    uint32_t *start = CT_NEW_ARRAY(m->arena, uint32_t, rows + 1);
    for (uint32_t i = 0; i < rows; i++) {
        const sparse_row *r = &s->row.at[row[i]];
        start[i] = all.count;
        for (uint32_t k = 0; k < r->entry.count; k++) {
            const entry *e = &s->entry.at[r->entry.at[k]];
            uint32_t other = e->row == row[i] ? e->col : e->row;
            if (place[other] && !ct_mx_is_zero(m, e->value))
                CT_PUSH(m->arena, all, (cell){place[other] - 1, e->value});
        }
        if (all.count > start[i] + 1)
            qsort(all.at + start[i], all.count - start[i], sizeof(cell), by_col);
    }
    start[rows] = all.count;
    uint32_t *col = CT_NEW_ARRAY(m->arena, uint32_t, all.count + 1);
    ct_expr *value = CT_NEW_ARRAY(m->arena, ct_expr, all.count + 1);
    for (uint32_t i = 0; i < all.count; i++) {
        col[i] = all.at[i].col;
        value[i] = all.at[i].value;
    }
    return (ct_sparse_rows){rows, cols, start, col, value};
}

static void gather(projection *p, ct_motion_equations *out)
{
    mechanics *m = p->m;
    uint32_t n = m->coordinate.count, rows = 0, chords = 0;
    uint32_t *which = CT_NEW_ARRAY(m->arena, uint32_t, n + 1);
    uint32_t *row = CT_NEW_ARRAY(m->arena, uint32_t, n + m->user_row.count + 1);
    uint32_t *place = CT_NEW_ARRAY(m->arena, uint32_t, p->x.s.row.count + 1);
    ct_name *name = CT_NEW_ARRAY(m->arena, ct_name, n + 1);
    ct_expr *b = CT_NEW_ARRAY(m->arena, ct_expr, n + m->user_row.count + 1);
    ct_expr *position = CT_NEW_ARRAY(m->arena, ct_expr, m->constraint.count + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (p->unknown[i] == CT_NOTHING)
            continue;
        which[rows] = i;
        name[rows] = ct_rate_symbol(m->def->symbols, m->coordinate.at[i].u);
        row[rows++] = p->unknown[i];
        place[p->unknown[i]] = rows;
    }
    for (uint32_t i = 0; i < m->user_row.count; i++)
        if (!m->user_row.at[i].dropped)
            row[rows + chords++] = m->user_row.at[i].unknown;
    for (uint32_t i = 0; i < rows + chords; i++)
        b[i] = p->x.s.row.at[row[i]].b;
    for (uint32_t i = 0; i < m->constraint.count; i++)
        position[i] = m->constraint.at[i].position;
    *out = (ct_motion_equations){.pool = m->pool,
                                 .coordinate = which,
                                 .acceleration = name,
                                 .coordinate_count = rows,
                                 .constraint_count = chords,
                                 .force = b,
                                 .gamma = b + rows,
                                 .position = position};
    out->mass = take_rows(p, row, rows, place, rows);
    out->jacobian = take_rows(p, row + rows, chords, place, rows);
}

const ct_motion_equations *ct_mech_project(mechanics *m)
{
    ct_motion_equations *out = CT_NEW(m->arena, ct_motion_equations);
    projection p = {.m = m};
    ct_mech_make_constraints(m);
    ct_assembly_init(&p.x, m, m->arena);
    p.unknown = CT_NEW_ARRAY(m->arena, uint32_t, m->coordinate.count + 1);
    make_unknowns(&p);
    project(&p);
    gather(&p, out);
    return out;
}

const ct_motion_equations *ct_mechanics_equations(const ct_mechanics *mechanics_, ct_pool *fresh,
                                                  ct_arena *arena)
{
    const mechanics *old = mechanics_->inside;
    const ct_mechanism *mech = ct_mech_moved(old->mech, old->pool, fresh, arena);
    mechanics *m = ct_mech_start(old->def, old->tree, mech, fresh, arena);
    if (!ct_mech_kinematics(m))
        return NULL;
    for (uint32_t i = 0; i < m->user_row.count; i++)
        m->user_row.at[i].dropped = old->user_row.at[i].dropped;
    return ct_mech_project(m);
}
