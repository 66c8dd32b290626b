/* plan.c - the elimination tree of the fast form, which is not the user's: breadth first over the
 * groups, because shallow trees have short loops; revolute joints before sliding ones. Groups that
 * cannot turn against each other, or turn as a driver says, share one angular acceleration: a
 * rotation class (in the plane). */
#include "base/hash.h"
#include "mechanics/inside.h"

typedef struct planning {
    mechanics *m;
    fast *f;
    uint32_t *start, *end; /* ties of group i: end[start[i]] .. end[start[i+1]-1] */
    uint32_t *parent;      /* tie; CT_NOTHING - 1: not reached */
    CT_VEC(uint32_t) order;
    uint32_t grown;    /* groups of order[0..grown) have no revolute joint to a new group */
    uint32_t scanned;  /* those of order[0..scanned) no joint at all */
    uint32_t absorbed; /* those of order[0..absorbed) no section or body to which they belong */
} planning;

#define NOT_YET (CT_NOTHING - 1)

static bool is_branch(const tie *t)
{
    return !t->is_body && !t->free.rod && t->free.slides < 2;
}

static bool is_rotation_tie(const tie *t)
{
    return !t->is_body && !t->elastic && t->free.spins && (!t->free.turns || t->angle.is);
}

/* In space each group has axes, and an angular acceleration, of its own. */
static bool is_never(const tie *t)
{
    (void)t;
    return false;
}

static void link_groups(planning *p, bool (*wanted)(const tie *t))
{
    mechanics *m = p->m;
    uint32_t n = m->group_count, *at;
    p->start = CT_NEW_ARRAY(m->arena, uint32_t, n + 2);
    at = p->start + 1;
    for (uint32_t i = 0; i < m->tie.count; i++)
        if (wanted(&m->tie.at[i])) {
            at[m->tie.at[i].tail + 1]++;
            at[m->tie.at[i].head + 1]++;
        }
    for (uint32_t i = 0; i < n; i++)
        at[i + 1] += at[i];
    p->end = CT_NEW_ARRAY(m->arena, uint32_t, at[n] + 1);
    for (uint32_t i = 0; i < m->tie.count; i++)
        if (wanted(&m->tie.at[i])) {
            p->end[at[m->tie.at[i].tail]++] = i;
            p->end[at[m->tie.at[i].head]++] = i;
        }
}

static uint32_t other(const tie *t, uint32_t group)
{
    return t->tail == group ? t->head : t->tail;
}

static void reach(planning *p, uint32_t from, uint32_t tie_index, uint32_t group)
{
    fast *f = p->f;
    bool forward = tie_index == CT_NOTHING || p->m->tie.at[tie_index].head == group;
    p->parent[group] = tie_index;
    CT_PUSH(p->m->arena, p->order, group);
    f->tree.at[f->tree.count++] = (step){tie_index, from, group, forward};
    if (tie_index != CT_NOTHING)
        p->m->tie.at[tie_index].in_fast = true;
}

/* A body that bends and its sections come together: its joints are then between rigid groups. */
static void absorb(planning *p)
{
    for (; p->absorbed < p->order.count; p->absorbed++) {
        uint32_t g = p->order.at[p->absorbed];
        for (uint32_t k = p->start[g]; k < p->start[g + 1]; k++) {
            const tie *t = &p->m->tie.at[p->end[k]];
            if (t->elastic && p->parent[other(t, g)] == NOT_YET)
                reach(p, g, p->end[k], other(t, g));
        }
    }
}

/* Everything that revolute joints reach. */
static void grow(planning *p)
{
    for (; p->grown < p->order.count; p->grown++) {
        absorb(p);
        uint32_t g = p->order.at[p->grown];
        for (uint32_t k = p->start[g]; k < p->start[g + 1]; k++) {
            const tie *t = &p->m->tie.at[p->end[k]];
            if (t->free.slides == 0 && p->parent[other(t, g)] == NOT_YET) {
                reach(p, g, p->end[k], other(t, g));
                absorb(p);
            }
        }
    }
}

/* One more group by a sliding joint; false: there is none. */
static bool slide_on(planning *p)
{
    for (; p->scanned < p->order.count; p->scanned++) {
        uint32_t g = p->order.at[p->scanned];
        for (uint32_t k = p->start[g]; k < p->start[g + 1]; k++) {
            uint32_t next = other(&p->m->tie.at[p->end[k]], g);
            if (p->parent[next] == NOT_YET) {
                reach(p, g, p->end[k], next);
                return true;
            }
        }
    }
    return false;
}

/* Another order of the joints of each group; 0: that of the model. */
static void shuffle(planning *p, uint32_t seed)
{
    uint64_t state = seed;
    for (uint32_t g = 0; seed && g < p->m->group_count; g++)
        for (uint32_t k = p->start[g + 1]; k-- > p->start[g] + 1;) {
            state = ct_hash_mix(state, g + 1);
            uint32_t i = p->start[g] + (uint32_t)(state % (k - p->start[g] + 1)), moved = p->end[k];
            p->end[k] = p->end[i];
            p->end[i] = moved;
        }
}

/* In space groups have the axes of the user's branches: that tree serves both. */
static void take_tree(planning *p)
{
    mechanics *m = p->m;
    p->f->tree = m->t;
    for (uint32_t i = 0; i < m->t.count; i++)
        m->tie.at[m->t.at[i].tie].in_fast = true;
}

static void plan_tree(planning *p, uint32_t seed)
{
    mechanics *m = p->m;
    p->f->tree.at = CT_NEW_ARRAY(m->arena, step, m->group_count + 1);
    p->parent = CT_NEW_ARRAY(m->arena, uint32_t, m->group_count);
    link_groups(p, is_branch);
    for (uint32_t i = 1; i < m->group_count; i++)
        p->parent[i] = NOT_YET;
    shuffle(p, seed);
    CT_PUSH(m->arena, p->order, 0);
    for (uint32_t root = 0; root < m->group_count; root++) {
        if (p->parent[root] == NOT_YET)
            reach(p, 0, CT_NOTHING, root);
        do
            grow(p);
        while (slide_on(p));
    }
}

/* ---- rotation classes */

static void plan_classes(planning *p)
{
    mechanics *m = p->m;
    fast *f = p->f;
    uint32_t n = m->group_count;
    link_groups(p, m->mech->spatial ? is_never : is_rotation_tie);
    f->class_of = CT_NEW_ARRAY(m->arena, uint32_t, n);
    f->class_parent = CT_NEW_ARRAY(m->arena, uint32_t, n);
    f->class_order = CT_NEW_ARRAY(m->arena, uint32_t, n);
    f->class_tie = CT_NEW_ARRAY(m->arena, bool, m->tie.count + 1); /* the last: of no tie */
    f->alpha_known = CT_NEW_ARRAY(m->arena, vec, n);
    for (uint32_t i = 0; i < n; i++)
        f->class_of[i] = CT_NOTHING;
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        const step *s = m->bends && i ? &f->tree.at[i - 1] : NULL; /* parents first */
        uint32_t root = s ? s->child : i;
        if (f->class_of[root] != CT_NOTHING)
            continue;
        bool section = s && s->tie != CT_NOTHING && m->tie.at[s->tie].elastic;
        f->class_of[root] = m->group[root].point ? 0 : root;
        f->class_parent[root] = section ? s->tie : CT_NOTHING;
        f->class_tie[section ? s->tie : m->tie.count] = true;
        f->alpha_known[root] = ct_mx_zero(m);
        uint32_t from = count;
        for (f->class_order[count++] = root; from < count; from++) {
            uint32_t g = f->class_order[from];
            for (uint32_t k = p->start[g]; k < p->start[g + 1]; k++) {
                const tie *t = &m->tie.at[p->end[k]];
                uint32_t next = other(t, g);
                if (f->class_of[next] != CT_NOTHING)
                    continue;
                vec extra = ct_mx_unit(m, 2, t->angle.is ? t->angle.of[2] : m->zero);
                f->class_of[next] = f->class_of[g];
                f->class_parent[next] = p->end[k];
                f->class_tie[p->end[k]] = true;
                f->alpha_known[next] = t->head == next ? ct_mx_vadd(m, f->alpha_known[g], extra)
                                                       : ct_mx_vsub(m, f->alpha_known[g], extra);
                f->class_order[count++] = next;
            }
        }
    }
}

void ct_fast_plan(mechanics *m, uint32_t seed)
{
    planning p = {.m = m, .f = CT_NEW(m->arena, fast)};
    m->fast = p.f;
    for (uint32_t i = 0; i < m->tie.count; i++)
        m->tie.at[i].in_fast = false;
    if (m->mech->spatial)
        take_tree(&p);
    else
        plan_tree(&p, seed);
    plan_classes(&p);
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const tie *t = &m->tie.at[i];
        uint8_t row[CT_MOST_ROWS];
        bool turns_known = m->mech->spatial ? t->in_fast && t->in_r : p.f->class_tie[i];
        uint32_t count = ct_tie_rows(&t->free, !t->in_fast, !turns_known, row);
        for (uint32_t k = 0; k < count && !t->is_body; k++)
            CT_PUSH(m->arena, p.f->chord, (chord_row){i, row[k], 0, false});
    }
}
