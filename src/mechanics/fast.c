/* fast.c - accelerations by elimination along a tree of the program's own, from the leaves to the
 * ground. For each group:
 *
 *   1. inertia pivot on alpha, when it is the last group of its rotation class; in space on the
 *      component that the joint leaves free;
 *   2. substitution of a, and of what the joint ties of alpha in space, by the rows of the joint
 *      that leads to the parent;
 *   3. inertia pivot on s'' of that joint, and on beta'' about a skew axis;
 *   4. multipliers of chords whose accelerations are all gone.
 *
 * 1 before 2 keeps three columns beside a pivot instead of four. A pivot without inertia is left
 * for later; what is left in the end becomes algebraic unknowns.
 */
#include <string.h>

#include "expr/field.h"
#include "mechanics/inside.h"

/* The reference point is where the parent is joined: the joint's row then holds no alpha of its
 * own. In a slot that is the moving point of contact when the child is the tail. */
static void set_reference(fast *f, mechanics *m, const step *s)
{
    assembly *x = &f->x;
    if (s->tie == CT_NOTHING) {
        x->reference[s->child] = m->member[m->group[s->child].lead].com;
        return;
    }
    const tie *t = &m->tie.at[s->tie];
    x->reference[s->child] = s->forward ? t->to : t->from;
    if (s->forward || t->free.slides == 0 || f->class_of[t->tail] == f->class_of[t->head])
        return;
    x->contact[s->child] = s->tie;
    x->reference[s->child] =
        ct_mx_vadd(m, t->from, ct_mx_scale(m, ct_mech_slide(m, t, 0, 0), t->axis[0]));
}

/* The component of alpha that a joint in space leaves free, or none alone, or all. */
static uint32_t free_axis(mechanics *m, const step *s)
{
    const tie *t = &m->tie.at[s->tie];
    if (t->ball || !t->in_r)
        return CT_ALL_FREE;
    return t->free.turns && !t->angle.is ? ct_mech_pin_axis(m, t) : CT_NONE_FREE;
}

static void make_unknowns(fast *f, mechanics *m)
{
    assembly *x = &f->x;
    uint32_t *class_alpha = CT_NEW_ARRAY(m->arena, uint32_t, m->group_count);
    for (uint32_t i = 0; i < f->tree.count; i++) {
        const step *s = &f->tree.at[i];
        uint32_t class = f->class_of[s->child];
        x->a[s->child] = ct_sp_unknowns(&x->s, m->space->slides);
        if (class && !class_alpha[class])
            class_alpha[class] = ct_sp_unknowns(&x->s, 3 - m->space->turn) + 1;
        x->alpha[s->child] = class ? class_alpha[class] - 1 : CT_NOTHING;
        x->alpha_known[s->child] = f->alpha_known[s->child];
        set_reference(f, m, s);
        if (s->tie == CT_NOTHING)
            continue;
        const tie *t = &m->tie.at[s->tie];
        if (t->free.slides == 1 && !t->slide.is)
            x->slide[s->tie][0] = ct_sp_unknown(&x->s, false);
        if (!m->mech->spatial)
            continue;
        if (t->free.turns && t->free.spins && !t->angle.is && free_axis(m, s) == CT_NONE_FREE)
            x->turn[s->tie] = ct_sp_unknown(&x->s, false);
        if (s->parent)
            x->seat[s->child] = ct_sp_unknowns(&x->s, m->space->slides);
    }
}

/* In the plane: the tie of a section tells the alpha of a rotation class. */
static bool leads_class(const fast *f, const mechanics *m, const step *s)
{
    return m->tie.at[s->tie].elastic && f->class_parent[s->child] == s->tie;
}

static void assemble_ties(fast *f, mechanics *m)
{
    assembly *x = &f->x;
    f->joint_row = CT_NEW_ARRAY(m->arena, uint32_t, m->group_count);
    f->turn_row = ct_arena_alloc(m->arena, m->group_count * sizeof *f->turn_row);
    for (uint32_t i = 0; i < f->tree.count; i++) {
        const step *s = &f->tree.at[i];
        if (s->tie == CT_NOTHING)
            continue;
        f->joint_row[s->child] = ct_assembly_branch(x, s);
        if (m->mech->spatial)
            ct_assembly_turns(x, s, free_axis(m, s), f->turn_row[s->child]);
        else if (leads_class(f, m, s))
            ct_assembly_turns(x, s, CT_NONE_FREE, f->turn_row[s->child]);
    }
    for (uint32_t i = 0; i < f->chord.count; i++) {
        chord_row *c = &f->chord.at[i];
        c->unknown = CT_NOTHING;
        bool known = c->row == CT_ROW_DRIVE_TURN && !m->mech->spatial; /* by its class */
        if (!ct_is_redundant(m, c) && !known)
            c->unknown = ct_assembly_row(x, c->tie, c->row);
    }
}

static void assemble(fast *f, mechanics *m)
{
    ct_assembly_init(&f->x, m, m->arena);
    make_unknowns(f, m);
    ct_assembly_bodies(&f->x);
    ct_assembly_loads(&f->x);
    assemble_ties(f, m);
    ct_assembly_held(&f->x);
}

/* ---- elimination */

typedef CT_VEC(uint32_t) numbers;

static void pivot_or_wait(fast *f, mechanics *m, numbers *late, uint32_t v)
{
    if (!ct_sp_pivot(&f->x.s, v))
        CT_PUSH(m->arena, *late, v);
}

/* Masses that are numbers were looked at when pivots were chosen. */
static void note_inertia(fast *f, mechanics *m, uint32_t group, uint32_t v, uint32_t axis)
{
    ct_expr value = ct_sp_at(&f->x.s, v, v);
    mass_of mass = ct_mech_mass(m, group, f->x.reference[group]);
    ct_expr own = axis < 3 ? mass.inertia[axis] : mass.mass;
    if (value && !ct_expr_is_number(m->pool, value) && !ct_expr_is_number(m->pool, own))
        CT_PUSH(m->arena, f->inertia, (ct_mechanics_inertia){value, own, m->group[group].lead});
}

/* In the plane joints say nothing about alpha that classes do not say, but for sections. */
static bool is_tied(const fast *f, const mechanics *m, const step *s, uint32_t axis)
{
    return s->tie != CT_NOTHING && (m->mech->spatial || leads_class(f, m, s)) &&
           f->turn_row[s->child][axis] != CT_NOTHING;
}

static void pivot_turns(fast *f, mechanics *m, const step *s, numbers *late)
{
    for (uint32_t j = m->space->turn; j < 3; j++) {
        uint32_t v = f->x.alpha[s->child] + j - m->space->turn;
        if (is_tied(f, m, s, j))
            continue;
        note_inertia(f, m, s->child, v, j);
        pivot_or_wait(f, m, late, v);
    }
}

/* Shapes of the bodies of a group. */
static void pivot_shapes(fast *f, mechanics *m, uint32_t group, numbers *late)
{
    uint32_t b = m->group[group].first;
    for (bool more = m->group[group].bends; more; b = m->member[b].next) {
        for (uint32_t k = 0; k < ct_mech_kind(m, b)->modes(m, b); k++)
            pivot_or_wait(f, m, late, f->x.mode[b] + k);
        more = m->member[b].next;
    }
}

static void substitute_joint(fast *f, mechanics *m, const step *s)
{
    uint32_t v[6], e[6], n = 0;
    for (; n < m->space->slides; n++)
        v[n] = f->x.a[s->child] + n, e[n] = f->joint_row[s->child] + n;
    for (uint32_t j = m->space->turn; j < 3; j++)
        if (is_tied(f, m, s, j)) {
            v[n] = f->x.alpha[s->child] + j - m->space->turn;
            e[n++] = f->turn_row[s->child][j];
        }
    ct_sp_substitute(&f->x.s, v, e, n);
}

static void substitute_seat(fast *f, uint32_t group)
{
    uint32_t v = f->x.seat[group], e = f->x.seat_row[group];
    ct_sp_substitute(&f->x.s, (uint32_t[]){v, v + 1, v + 2}, (uint32_t[]){e, e + 1, e + 2}, 3);
}

/* The determinant of what a group has about its mass centre, over GF(p), times its mass cubed. */
static uint64_t central_inertia(const mechanics *m, const mass_of *own)
{
    static const uint8_t at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    uint64_t a[3][3], h[3], square = 0, mass = ct_expr_fingerprint(m->pool, own->mass), sum = 0;
    for (int i = 0; i < 3; i++) {
        h[i] = ct_expr_fingerprint(m->pool, own->moment.x[i]);
        square = ct_field_add(square, ct_field_mul(h[i], h[i]));
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            uint64_t away = ct_field_neg(ct_field_mul(h[i], h[k]));
            away = i == k ? ct_field_add(away, square) : away;
            a[i][k] = ct_field_mul(mass, ct_expr_fingerprint(m->pool, own->inertia[at[i][k]]));
            a[i][k] = ct_field_add(a[i][k], ct_field_neg(away));
        }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        uint64_t minor = ct_field_mul(a[1][j], a[2][k]);
        minor = ct_field_add(minor, ct_field_neg(ct_field_mul(a[1][k], a[2][j])));
        sum = ct_field_add(sum, ct_field_mul(a[0][i], minor));
    }
    return sum;
}

/* Masses in one point or line, away from the reference point: when alpha is gone, nothing is left
 * for a. So a goes first. */
static bool is_hollow(fast *f, mechanics *m, const step *s)
{
    const tie *t = s->tie == CT_NOTHING ? NULL : &m->tie.at[s->tie];
    if (!m->mech->spatial || !t || !t->is_body || !t->ball)
        return false;
    mass_of own = ct_mech_mass(m, s->child, f->x.reference[s->child]);
    return !ct_mx_is_none(m, &own.moment) && !central_inertia(m, &own);
}

static void leave_turns(fast *f, mechanics *m, const step *s, numbers *late)
{
    for (uint32_t j = 0; j < 3; j++)
        CT_PUSH(m->arena, *late, f->x.alpha[s->child] + j);
}

static void eliminate_group(fast *f, mechanics *m, const step *s, bool last, numbers *late)
{
    enum { MASS = 3 };
    assembly *x = &f->x;
    uint32_t a = x->a[s->child];
    bool inward = s->tie != CT_NOTHING && m->tie.at[s->tie].elastic; /* its row has its shapes */
    if (!inward)
        pivot_shapes(f, m, s->child, late);
    if (last)
        (is_hollow(f, m, s) ? leave_turns : pivot_turns)(f, m, s, late);
    ct_sp_pivot_ready(&x->s);
    if (s->tie == CT_NOTHING) {
        note_inertia(f, m, s->child, a, MASS);
        for (uint32_t i = 0; i < m->space->slides; i++)
            pivot_or_wait(f, m, late, a + i);
    } else {
        substitute_joint(f, m, s);
        if (x->slide[s->tie][0] != CT_NOTHING) {
            note_inertia(f, m, s->child, x->slide[s->tie][0], MASS);
            pivot_or_wait(f, m, late, x->slide[s->tie][0]);
        }
        if (x->turn[s->tie] != CT_NOTHING)
            pivot_or_wait(f, m, late, x->turn[s->tie]);
        if (x->seat[s->child] != CT_NOTHING)
            substitute_seat(f, s->child);
    }
    if (inward)
        pivot_shapes(f, m, s->child, late);
    ct_sp_pivot_ready(&x->s);
}

/* What had no inertia may have got some from what was eliminated since. */
static void try_again(fast *f, numbers *late)
{
    for (bool progress = true; progress;) {
        uint32_t kept = 0;
        progress = false;
        for (uint32_t i = 0; i < late->count; i++)
            if (ct_sp_pivot(&f->x.s, late->at[i])) {
                progress = true;
                ct_sp_pivot_ready(&f->x.s);
            } else {
                late->at[kept++] = late->at[i];
            }
        late->count = kept;
    }
}

static void eliminate(fast *f, mechanics *m)
{
    uint32_t *members = CT_NEW_ARRAY(m->arena, uint32_t, m->group_count);
    numbers late = {0};
    for (uint32_t i = 0; i < f->tree.count; i++)
        members[f->class_of[f->tree.at[i].child]]++;
    for (uint32_t i = f->tree.count; i-- > 0;) {
        const step *s = &f->tree.at[i];
        uint32_t class = f->class_of[s->child];
        bool last = --members[class] == 0 && class;
        eliminate_group(f, m, s, last, &late);
    }
    pivot_shapes(f, m, 0, &late);
    ct_sp_pivot_ready(&f->x.s);
    try_again(f, &late);
}

/* ---- what is left */

/* What an unknown stands for, and whose it is. */
typedef struct unknown_name {
    ct_name name, owner;
    ct_place place;
    bool opposite; /* the quantity is the negative of the unknown */
} unknown_name;

static unknown_name name_of_tie(const mechanics *m, const tie *t, ct_name name)
{
    const ct_body *b = &m->mech->body[t->is_body ? t->object : 0];
    const ct_joint *j = t->is_body ? NULL : &m->mech->joint[t->object];
    return (unknown_name){name, j ? j->name : b->name, j ? j->place : b->place, false};
}

/* One of several freedoms of a chain has a number. */
static unknown_name name_rate(mechanics *m, const tie *t, bool turn)
{
    uint32_t at = turn ? t->turn_at - CT_TURN : t->slide_at - CT_SLIDE;
    bool several = m->mech->spatial && (t->is_body || m->tie_count[t->object] > 1);
    ct_member word = {turn ? "alpha" : "a", several ? at + 1 : 0};
    return name_of_tie(m, t, ct_mech_name(m, t, word));
}

static unknown_name name_of_body(const mechanics *m, uint32_t body, ct_member word)
{
    const ct_body *b = &m->mech->body[body];
    return (unknown_name){ct_owned_symbol(m->def->symbols, b->name, word), b->name, b->place,
                          false};
}

/* Of a group between the freedoms of a joint: what no other freedom tells. */
static unknown_name name_link(const fast *f, mechanics *m, uint32_t v)
{
    enum { COMPONENTS = 6 };
    for (uint32_t i = 0; i < f->tree.count; i++) {
        uint32_t group = f->tree.at[i].child, index = f->tree.at[i].tie;
        uint32_t a = v - f->x.a[group], alpha = v - f->x.alpha[group];
        if (m->group[group].first != CT_NOTHING || (a > 2 && alpha > 2))
            continue;
        const tie *t = &m->tie.at[index];
        uint32_t first = t->is_body ? index : m->tie_of_joint[t->object];
        uint32_t at = (index - first) * COMPONENTS + (a > 2 ? 3 + alpha : a);
        return name_of_tie(m, t, ct_mech_name(m, t, (ct_member){"link", at + 1}));
    }
    return (unknown_name){0};
}

static unknown_name name_unknown(fast *f, mechanics *m, uint32_t v)
{
    unknown_name u = m->mech->spatial ? name_link(f, m, v) : (unknown_name){0};
    for (uint32_t i = 0; i < f->chord.count; i++)
        if (f->chord.at[i].unknown == v) {
            const tie *t = &m->tie.at[f->chord.at[i].tie];
            u = name_of_tie(m, t, ct_mech_row_name(m, t, f->chord.at[i].row));
            u.opposite = true;
            return u;
        }
    for (uint32_t i = 0; i < m->tie.count; i++)
        if (f->x.slide[i][0] == v || f->x.turn[i] == v)
            u = name_rate(m, &m->tie.at[i], f->x.slide[i][0] != v);
    for (uint32_t i = 1; i < m->mech->body_count; i++)
        if (v - f->x.mode[i] < ct_mech_kind(m, i)->modes(m, i)) {
            ct_name speed = m->mech->body[i].flex->u[v - f->x.mode[i]];
            u = (unknown_name){ct_rate_symbol(m->def->symbols, speed), m->mech->body[i].name,
                               m->mech->body[i].place, false};
        }
    for (uint32_t i = 1; i < m->group_count; i++) {
        if (m->group[i].first == CT_NOTHING)
            continue;
        if (v - f->x.a[i] < m->space->slides)
            u = name_of_body(m, m->group[i].lead, (ct_member){"a", v - f->x.a[i] + 1});
        if (f->class_of[i] == i && v - f->x.alpha[i] < 3 - m->space->turn)
            u = name_of_body(m, m->group[i].lead,
                             (ct_member){"alpha", m->mech->spatial ? v - f->x.alpha[i] + 1 : 0});
    }
    return u;
}

/* The block of what is left over GF(p); the first column without a pivot, or count. */
static uint32_t singular_column(const sparse *s, ct_arena *arena, const uint32_t *v, uint32_t count)
{
    uint64_t *a = CT_NEW_ARRAY(arena, uint64_t, (size_t)count * count + 1);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++) {
            ct_expr e = ct_sp_at(s, v[i], v[k]);
            a[(size_t)i * count + k] = e ? ct_expr_fingerprint(s->m->pool, e) : 0;
        }
    for (uint32_t c = 0; c < count; c++) {
        uint32_t p = c;
        while (p < count && !a[(size_t)p * count + c])
            p++;
        if (p == count)
            return c;
        uint64_t inverse = ct_field_inv(a[(size_t)p * count + c]);
        for (uint32_t k = 0; k < count; k++) {
            uint64_t moved = a[(size_t)p * count + k];
            a[(size_t)p * count + k] = a[(size_t)c * count + k];
            a[(size_t)c * count + k] = moved;
        }
        for (uint32_t i = c + 1; i < count; i++) {
            uint64_t w = ct_field_neg(ct_field_mul(a[(size_t)i * count + c], inverse));
            for (uint32_t k = c; w && k < count; k++)
                a[(size_t)i * count + k] = ct_field_add(a[(size_t)i * count + k],
                                                        ct_field_mul(w, a[(size_t)c * count + k]));
        }
    }
    return count;
}

/* Of a reaction: its row depends on others, and stays where no loop was found closed. */
static void report_undetermined(const mechanics *m, const unknown_name *u)
{
    const char *name = ct_name_text(m->ctx, u->name), *own = ct_name_text(m->ctx, u->owner);
    bool open = u->opposite && m->value && !m->tested;
    ct_report *r =
        ct_error(m->ctx, open ? "E609" : "E605", u->place,
                 open ? "the loop of joint %s cannot be closed" : "nothing determines %s",
                 open ? own : name);
    ct_note(r, "%s %s", name,
            open ? "stays undetermined, as no position was found in which all joints hold"
                 : "moves a part without mass or inertia, and no constraint ties it");
    ct_help(r, open ? "check the lengths of the links in this loop, or begin nearer with `guess`"
                    : "give the body a mass and an inertia, or weld it to a body that has them");
    ct_witness(r, own);
}

enum { LARGEST_BLOCK = 400 };

static bool keep_rest(fast *f, mechanics *m, ct_expr *value)
{
    sparse *s = &f->x.s;
    numbers rest = {0};
    for (uint32_t i = 0; i < s->row.count; i++)
        if (!s->row.at[i].gone)
            CT_PUSH(m->arena, rest, i);
    if (!rest.count)
        return true;
    uint32_t bad =
        rest.count > LARGEST_BLOCK ? rest.count : singular_column(s, m->arena, rest.at, rest.count);
    for (uint32_t i = 0; i < rest.count; i++) {
        unknown_name u = name_unknown(f, m, rest.at[i]);
        if (i == bad) {
            report_undetermined(m, &u);
            return false;
        }
        ct_expr symbol = ct_expr_symbol(m->pool, u.name);
        value[rest.at[i]] = u.opposite ? ct_mx_neg(m, symbol) : symbol;
        CT_PUSH(m->arena, f->unknown, ((ct_mechanics_unknown){.name = u.name}));
    }
    for (uint32_t i = 0; i < rest.count; i++) {
        ct_expr residual = ct_mx_neg(m, s->row.at[rest.at[i]].b);
        for (uint32_t k = 0; k < rest.count; k++) {
            ct_expr e = ct_sp_at(s, rest.at[i], rest.at[k]);
            if (e)
                residual = ct_mx_add(m, residual, ct_mx_mul(m, e, value[rest.at[k]]));
        }
        f->unknown.at[i].residual = residual;
    }
    return true;
}

fast *ct_fast_copy(const mechanics *m)
{
    fast *f = CT_NEW(m->arena, fast);
    *f = *m->fast;
    memset(&f->inertia, 0, sizeof f->inertia);
    memset(&f->unknown, 0, sizeof f->unknown);
    f->chord.at = CT_NEW_ARRAY(m->arena, chord_row, f->chord.count + 1);
    if (f->chord.count)
        memcpy(f->chord.at, m->fast->chord.at, f->chord.count * sizeof *f->chord.at);
    return f;
}

static bool is_solved(const sparse *s)
{
    for (uint32_t i = 0; i < s->row.count; i++)
        if (!s->row.at[i].gone)
            return false;
    return true;
}

bool ct_fast_solve(mechanics *m)
{
    fast *f = m->fast;
    assemble(f, m);
    eliminate(f, m);
    if (m->held.count && !is_solved(&f->x.s))
        return false;
    f->value = CT_NEW_ARRAY(m->arena, ct_expr, f->x.s.row.count + 1);
    if (!keep_rest(f, m, f->value))
        return false;
    ct_sp_back(&f->x.s, f->value);
    return true;
}

/* ---- statics */

static void park_redundant(fast *f)
{
    for (uint32_t i = 0; i < f->chord.count; i++) {
        chord_row *c = &f->chord.at[i];
        if (!ct_is_redundant(f->x.m, c))
            continue;
        c->unknown = ct_assembly_row(&f->x, c->tie, c->row);
        f->x.s.row.at[c->unknown].parked = true;
    }
}

fast *ct_fast_statics(mechanics *m, ct_expr square)
{
    fast *f = ct_fast_copy(m);
    ct_assembly_init(&f->x, m, m->arena);
    make_unknowns(f, m);
    ct_assembly_unit_bodies(&f->x, square);
    assemble_ties(f, m);
    park_redundant(f);
    for (uint32_t i = 0; i < f->x.s.row.count; i++)
        f->x.s.row.at[i].b = m->zero;
    eliminate(f, m);
    f->value = CT_NEW_ARRAY(m->arena, ct_expr, f->x.s.row.count + 1);
    return f;
}

/* ---- results */

ct_expr ct_fast_shape_rate(mechanics *m, uint32_t body, uint32_t k)
{
    return m->fast->value[m->fast->x.mode[body] + k];
}

vec ct_fast_alpha(mechanics *m, uint32_t group)
{
    const fast *f = m->fast;
    if (group == 0 || m->group[group].point)
        return ct_mx_zero(m);
    vec alpha = ct_mx_zero(m);
    for (uint32_t j = m->space->turn; j < 3 && f->x.alpha[group] != CT_NOTHING; j++)
        alpha.x[j] = f->value[f->x.alpha[group] + j - m->space->turn];
    return ct_mx_vadd(m, alpha, f->alpha_known[group]);
}

/* In the axes of the unknowns, as these count. */
static vec acceleration(mechanics *m, uint32_t group, vec local)
{
    fast *f = m->fast;
    vec arm = ct_assembly_rigid_point(&f->x, group, local).arm, a = ct_mx_zero(m), inward = a;
    for (uint32_t i = 0; i < m->space->slides; i++)
        a.x[i] = f->value[f->x.a[group] + i];
    vec turning = ct_mx_spun(m, ct_fast_alpha(m, group), arm);
    for (uint32_t i = 0; i < m->space->slides; i++)
        inward.x[i] = m->space->inward(m, &m->group[group], ct_mx_unit(m, i, m->one), arm);
    return ct_mx_vsub(m, ct_mx_vadd(m, a, turning), inward);
}

vec ct_fast_acceleration(mechanics *m, uint32_t group, vec local)
{
    if (group == 0)
        return ct_mx_zero(m);
    vec a = ct_mx_in(m, acceleration(m, group, local), m->axes[group], 0);
    return m->space->lifts ? ct_mx_vadd(m, a, ct_mx_place(&m->mech->gravity)) : a;
}

vec ct_fast_felt(mechanics *m, uint32_t group, vec local)
{
    vec gravity = ct_mx_place(&m->mech->gravity);
    if (group == 0)
        return ct_mx_opposite(m, gravity);
    vec a = acceleration(m, group, local);
    return m->space->lifts ? a : ct_mx_vsub(m, a, gravity);
}

/* s'' = u.d'' + (alpha x u).d + 2 (omega x u).d' + (omega x (omega x u)).d, of the tail */
static ct_expr slide_rate_in_space(mechanics *m, const tie *t, uint32_t i)
{
    vec u = ct_mech_axis(m, t, i, 0), d = ct_mech_distance(m, t), w = ct_mech_spin_of(m, t->tail);
    vec alpha = ct_mx_in(m, ct_fast_alpha(m, t->tail), m->axes[t->tail], 0);
    vec apart = ct_mx_vsub(m, ct_fast_acceleration(m, t->head, t->to),
                           ct_fast_acceleration(m, t->tail, t->from));
    vec turning = ct_mx_cross(m, w, u);
    vec two = ct_mx_scale(m, ct_expr_int(m->pool, 2), turning);
    vec rest = ct_mx_vadd(m, ct_mx_cross(m, alpha, u), ct_mx_cross(m, w, turning));
    ct_expr sum = ct_mx_add(m, ct_mx_dot(m, u, apart), ct_mx_dot(m, rest, d));
    return ct_mx_add(m, sum, ct_mx_dot(m, two, ct_mech_distance_rate(m, t)));
}

/* With u the axis and v the other one of two, n = k x u:
 * s_u'' = u.(a_head - a_tail) + omega^2 s_u - (2 omega s_v' + alpha s_v) u.(k x v) */
ct_expr ct_fast_slide_rate(mechanics *m, const tie *t, uint32_t i)
{
    fast *f = m->fast;
    uint32_t index = (uint32_t)(t - m->tie.at);
    if (f->x.slide[index][i] != CT_NOTHING)
        return f->value[f->x.slide[index][i]];
    if (t->slide.is)
        return t->slide.of[2];
    if (m->mech->spatial)
        return slide_rate_in_space(m, t, i);
    vec u = ct_mech_axis(m, t, i, 0);
    vec d = ct_mx_vsub(m, ct_fast_acceleration(m, t->head, t->to),
                       ct_fast_acceleration(m, t->tail, t->from));
    const rigid *tail = &m->group[t->tail];
    ct_expr rate =
        ct_mx_add(m, ct_mx_dot(m, u, d), ct_mx_mul(m, tail->square[0], ct_mech_slide(m, t, i, 0)));
    if (t->free.slides < 2 || t->tail == 0)
        return rate;
    ct_expr two_w = ct_mx_mul(m, ct_expr_int(m->pool, 2), tail->spin.x[2]);
    ct_expr across =
        ct_mx_add(m, ct_mx_mul(m, two_w, ct_mech_slide(m, t, 1 - i, 1)),
                  ct_mx_mul(m, ct_fast_alpha(m, t->tail).x[2], ct_mech_slide(m, t, 1 - i, 0)));
    return i == 0 ? ct_mx_add(m, rate, across) : ct_mx_sub(m, rate, across);
}
