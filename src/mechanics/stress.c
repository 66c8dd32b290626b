/* stress.c - how redundant joints share their load. Rigid bodies do not tell; of all reactions that
 * give the motion, those with the least sum of
 *
 *     F.F + (T/L)^2        over all joints; L: root mean square of the frames' distances
 *                             from the origins of their bodies, and of lengths of rods
 *
 * are taken (torques and forces of couplings are among them). A redundant row, loaded with one
 * unit, makes the other joints carry against it while nothing moves: a self-stress N_i. With r any
 * reactions that fit:
 *
 *     r - sum c_i N_i,    (N_i, N_j) c_j = (N_i, r)
 */
#include "mechanics/inside.h"

typedef struct sharing {
    mechanics *m;
    fast *statics;
    ct_expr square; /* L^2 */
    CT_VEC(reactions *) stress;
} sharing;

static ct_expr square_of(mechanics *m, uint32_t frame)
{
    vec arm = ct_mx_place(&m->mech->frame[frame].at);
    return ct_mx_dot(m, arm, arm);
}

/* 1 where all arms are zero. */
static ct_expr mean_square(mechanics *m)
{
    ct_expr sum = m->zero;
    int64_t count = 0;
    for (uint32_t i = 0; i < m->mech->joint_count; i++) {
        const ct_joint *j = &m->mech->joint[i];
        ct_expr arm[] = {square_of(m, j->tail), square_of(m, j->head),
                         j->length ? ct_mx_mul(m, j->length, j->length) : m->zero};
        for (int k = 0; k < 3; k++) {
            sum = ct_mx_add(m, sum, arm[k]);
            count += !ct_mx_is_zero(m, arm[k]);
        }
    }
    return count ? ct_mx_div(m, sum, ct_expr_int(m->pool, count)) : m->one;
}

/* ---- self-stresses */

static void add_row(sharing *s, const chord_row *c)
{
    mechanics *m = s->m;
    fast *f = s->statics;
    reactions *r = ct_reactions_new(m);
    for (uint32_t i = 0; i < f->x.s.row.count; i++)
        f->value[i] = m->zero;
    f->value[c->unknown] = ct_expr_int(m->pool, -1); /* the force on the head is -y */
    ct_sp_back(&f->x.s, f->value);
    for (uint32_t i = 0; i < f->chord.count; i++) {
        const chord_row *d = &f->chord.at[i];
        if (d->unknown != CT_NOTHING && !ct_mx_is_zero(m, f->value[d->unknown]))
            ct_reactions_row(m, r, d->tie, d->row, ct_mx_neg(m, f->value[d->unknown]));
    }
    ct_reactions_pass(m, r);
    CT_PUSH(m->arena, s->stress, r);
}

/* A weld that closes a loop of welds: two forces and a torque. */
static void add_weld(sharing *s, uint32_t joint)
{
    mechanics *m = s->m;
    uint32_t slides = m->space->slides, turn = m->space->turn;
    for (uint32_t k = 0; k < slides + 3 - turn; k++) {
        reactions *r = ct_reactions_new(m);
        bool slide = k < slides;
        vec force = ct_mx_unit(m, slide ? k : 0, slide ? m->one : m->zero);
        vec torque = ct_mx_unit(m, slide ? 2 : turn + k - slides, slide ? m->zero : m->one);
        ct_reactions_joint(m, r, joint, force, torque);
        ct_reactions_pass(m, r);
        CT_PUSH(m->arena, s->stress, r);
    }
}

static bool is_spare_weld(const mechanics *m, uint32_t joint)
{
    return m->tie_of_joint[joint] == CT_NOTHING && !m->tree->graph->bodies->fixed[joint];
}

static void find_stresses(sharing *s)
{
    mechanics *m = s->m;
    uint32_t rows = 0;
    for (uint32_t i = 0; i < m->fast->chord.count; i++)
        rows += ct_is_redundant(m, &m->fast->chord.at[i]);
    if (rows)
        s->statics = ct_fast_statics(m, s->square);
    for (uint32_t i = 0; rows && i < s->statics->chord.count; i++)
        if (ct_is_redundant(m, &s->statics->chord.at[i]))
            add_row(s, &s->statics->chord.at[i]);
    for (uint32_t i = 0; i < m->mech->joint_count; i++)
        if (is_spare_weld(m, i))
            add_weld(s, i);
}

/* ---- the least */

static ct_expr product(const sharing *s, const reactions *a, const reactions *b)
{
    mechanics *m = s->m;
    ct_expr forces = m->zero, torques = m->zero;
    for (uint32_t i = 0; i < m->mech->joint_count; i++) {
        forces = ct_mx_add(m, forces, ct_mx_dot(m, a->force[i], b->force[i]));
        torques = ct_mx_add(m, torques, ct_mx_dot(m, a->torque[i], b->torque[i]));
        for (int k = 0; k < CT_FREEDOMS; k++) {
            ct_expr *sum = k < CT_SLIDE ? &torques : &forces;
            *sum = ct_mx_add(m, *sum, ct_mx_mul(m, a->drive[i][k], b->drive[i][k]));
        }
    }
    return ct_mx_add(m, forces, ct_mx_div(m, torques, s->square));
}

static ct_expr *solve(const sharing *s, const reactions *r)
{
    mechanics *m = s->m;
    uint32_t n = s->stress.count;
    ct_expr *c = CT_NEW_ARRAY(m->arena, ct_expr, n + 1);
    sparse gram;
    ct_sp_init(&gram, m, m->arena);
    for (uint32_t i = 0; i < n; i++) {
        ct_sp_unknown(&gram, false);
        for (uint32_t k = 0; k <= i; k++)
            ct_sp_put(&gram, i, k, product(s, s->stress.at[i], s->stress.at[k]));
        ct_sp_rhs(&gram, i, product(s, s->stress.at[i], r));
        c[i] = m->zero;
    }
    for (uint32_t i = 0; i < n; i++)
        ct_sp_pivot(&gram, i);
    ct_sp_back(&gram, c);
    return c;
}

void ct_share_loads(mechanics *m, reactions *r)
{
    sharing s = {.m = m, .square = mean_square(m)};
    find_stresses(&s);
    if (!s.stress.count)
        return;
    const ct_expr *c = solve(&s, r);
    for (uint32_t i = 0; i < s.stress.count; i++)
        for (uint32_t k = 0; k < m->mech->joint_count; k++) {
            const reactions *n = s.stress.at[i];
            r->force[k] = ct_mx_vsub(m, r->force[k], ct_mx_scale(m, c[i], n->force[k]));
            r->torque[k] = ct_mx_vsub(m, r->torque[k], ct_mx_scale(m, c[i], n->torque[k]));
            for (int d = 0; d < CT_FREEDOMS; d++)
                r->drive[k][d] = ct_mx_sub(m, r->drive[k][d], ct_mx_mul(m, c[i], n->drive[k][d]));
        }
}
