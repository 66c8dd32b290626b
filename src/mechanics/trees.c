/* trees.c - the two trees: wishes first, then by classes in the order of [McPhee-2, section 4.4],
 * in order of statement within a class (Kruskal's algorithm).
 *
 * Bodies reach every group, so that a tree is always completed; what can go wrong is a wish that
 * closes a circuit.
 */
#include "mechanics/inside.h"

/* Classes: the fewer coordinates a branch brings, the better. */
enum { KNOWN, TIGHT, LOOSE, NAMED, BODY, JOINT, CLASSES, NEVER = CLASSES };

/* Translational: position drivers and revolute joints, one slide, two slides, bodies. */
static int class_in_t(const mechanics *m, const tie *t)
{
    if (t->is_body)
        return m->mech->coordinates == CT_COORDINATES_ABSOLUTE ? KNOWN : BODY;
    if (t->rod)
        return NEVER;
    if (t->slide.is)
        return KNOWN + (m->mech->coordinates == CT_COORDINATES_ABSOLUTE);
    return t->slides == 0 ? TIGHT : t->slides == 1 ? LOOSE : NAMED;
}

/* Rotational: rotation drivers, prismatic joints, bodies, other joints; joint coordinates are those
 * of one tree in both graphs. */
static int class_in_r(const mechanics *m, const tie *t)
{
    bool absolute = m->mech->coordinates == CT_COORDINATES_ABSOLUTE;
    if (!t->spins)
        return NEVER;
    if (m->mech->coordinates == CT_COORDINATES_JOINT && t->in_t)
        return KNOWN;
    if (t->is_body)
        return absolute ? KNOWN : BODY;
    if (t->angle.is)
        return KNOWN + absolute;
    if (!t->turns)
        return TIGHT;
    if (t->slides == 2)
        return NAMED;
    return m->mech->coordinates == CT_COORDINATES_JOINT ? LOOSE : JOINT;
}

typedef struct choosing {
    mechanics *m;
    bool translational;
    uint32_t *set; /* union-find over groups */
} choosing;

static uint32_t find(uint32_t *set, uint32_t i)
{
    while (set[i] != i) {
        set[i] = set[set[i]];
        i = set[i];
    }
    return i;
}

static bool take(choosing *c, tie *t)
{
    uint32_t a = find(c->set, t->tail), b = find(c->set, t->head);
    if (a == b)
        return false;
    c->set[a > b ? a : b] = a > b ? b : a;
    *(c->translational ? &t->in_t : &t->in_r) = true;
    return true;
}

/* ---- walks */

typedef struct links {
    uint32_t *first; /* by group: start in `end`, one more than groups */
    uint32_t *end;   /* ties */
} links;

static links link_groups(const mechanics *m, ct_arena *arena, bool translational)
{
    links l = {CT_NEW_ARRAY(arena, uint32_t, m->group_count + 2), NULL};
    uint32_t *at = l.first + 1;
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t i = 0; i < m->tie.count; i++) {
            const tie *t = &m->tie.at[i];
            if (!(translational ? t->in_t : t->in_r))
                continue;
            if (fill) {
                l.end[at[t->tail]++] = i;
                l.end[at[t->head]++] = i;
            } else {
                at[t->tail + 1]++;
                at[t->head + 1]++;
            }
        }
        if (fill)
            break;
        for (uint32_t i = 0; i < m->group_count; i++)
            at[i + 1] += at[i];
        l.end = CT_NEW_ARRAY(arena, uint32_t, at[m->group_count] + 1);
    }
    return l;
}

/* Breadth first from the ground. */
static steps walk(mechanics *m, bool translational)
{
    ct_arena *scratch = ct_arena_new(m->ctx);
    links l = link_groups(m, scratch, translational);
    bool *seen = CT_NEW_ARRAY(scratch, bool, m->group_count);
    steps s = {CT_NEW_ARRAY(m->arena, step, m->group_count), 0};
    seen[0] = true;
    for (uint32_t i = 0; i <= s.count; i++) {
        uint32_t g = i ? s.at[i - 1].child : 0;
        for (uint32_t k = l.first[g]; k < l.first[g + 1]; k++) {
            const tie *t = &m->tie.at[l.end[k]];
            uint32_t other = t->tail == g ? t->head : t->tail;
            if (seen[other])
                continue;
            seen[other] = true;
            s.at[s.count++] = (step){l.end[k], g, other, t->head == other};
        }
    }
    ct_arena_free(scratch);
    return s;
}

/* ---- wishes that close a circuit */

static const char *tie_name(const mechanics *m, const tie *t)
{
    return ct_name_text(m->ctx, t->is_body ? m->mech->body[t->object].name
                                           : m->mech->joint[t->object].name);
}

/* The branches so far on the way between the two ends of t, and t itself. */
static void report_circuit(choosing *c, const tie *t, ct_place place)
{
    mechanics *m = c->m;
    steps s;
    ct_arena *scratch = ct_arena_new(m->ctx);
    uint32_t *up = CT_NEW_ARRAY(scratch, uint32_t, m->group_count), *depth;
    depth = CT_NEW_ARRAY(scratch, uint32_t, m->group_count);
    ct_text names = ct_text_new(scratch);
    ct_report *r = ct_error(m->ctx, "E602", place, "%s cannot be a branch of the %s tree",
                            tie_name(m, t), c->translational ? "translational" : "rotational");
    for (uint32_t i = 0; i < m->tie.count; i++) /* complete it, to have one walk */
        take(c, &m->tie.at[i]);
    s = walk(m, c->translational);
    for (uint32_t i = 0; i < s.count; i++) {
        up[s.at[i].child] = i;
        depth[s.at[i].child] = depth[s.at[i].parent] + 1;
    }
    uint32_t a = t->tail, b = t->head;
    while (a != b) {
        uint32_t *deeper = depth[a] >= depth[b] ? &a : &b;
        const tie *branch = &m->tie.at[s.at[up[*deeper]].tie];
        ct_putf(&names, "%s, ", tie_name(m, branch));
        ct_witness(r, tie_name(m, branch));
        *deeper = s.at[up[*deeper]].parent;
    }
    ct_put(&names, tie_name(m, t));
    ct_note(r, "%s form a circuit; a tree has none", ct_text_string(&names));
    ct_help(r, "leave one of them out; it becomes a chord, whose equation closes the loop");
    ct_witness(r, tie_name(m, t));
    ct_arena_free(scratch);
}

static uint32_t wished_tie(const mechanics *m, const ct_branch_wish *w)
{
    if (w->kind == CT_BRANCH_JOINT)
        return m->tie_of_joint[w->object];
    uint32_t g = m->member[w->object].group;
    return g ? m->body_tie + g : CT_NOTHING;
}

static void report_rod(const mechanics *m, const ct_branch_wish *w, const tie *t)
{
    ct_report *r = ct_error(m->ctx, "E603", w->place, "%s cannot be a branch", tie_name(m, t));
    ct_note(r, "a distance joint ties one length only: it has no coordinates of its own");
    ct_help(r, "take the body at its end, or another joint");
    ct_witness(r, tie_name(m, t));
}

static bool take_wishes(choosing *c)
{
    mechanics *m = c->m;
    for (uint32_t i = 0; i < m->mech->wish_count; i++) {
        const ct_branch_wish *w = &m->mech->wish[i];
        uint32_t index = wished_tie(m, w);
        if (!(c->translational ? w->translational : w->rotational) || index == CT_NOTHING)
            continue;
        tie *t = &m->tie.at[index];
        if (t->rod) {
            report_rod(m, w, t);
            return false;
        }
        if (!c->translational && !t->spins)
            continue;
        if ((c->translational ? t->in_t : t->in_r) || take(c, t))
            continue;
        report_circuit(c, t, w->place);
        return false;
    }
    return true;
}

static bool choose(mechanics *m, bool translational)
{
    choosing c = {m, translational, CT_NEW_ARRAY(m->arena, uint32_t, m->group_count)};
    for (uint32_t i = 0; i < m->group_count; i++)
        c.set[i] = i;
    if (!take_wishes(&c))
        return false;
    for (int class = 0; class < CLASSES; class ++)
        for (uint32_t i = 0; i < m->tie.count; i++) {
            tie *t = &m->tie.at[i];
            if ((translational ? class_in_t(m, t) : class_in_r(m, t)) == class)
                take(&c, t);
        }
    return true;
}

bool ct_mech_choose_trees(mechanics *m)
{
    if (!choose(m, true) || !choose(m, false))
        return false;
    m->t = walk(m, true);
    m->r = walk(m, false);
    return true;
}

/* ---- loops */

const char *ct_mech_loop(mechanics *m, const steps *tree, uint32_t chord, ct_report *r,
                         bool *inside)
{
    ct_arena *scratch = ct_arena_new(m->ctx);
    uint32_t *up = CT_NEW_ARRAY(scratch, uint32_t, m->group_count);
    uint32_t *depth = CT_NEW_ARRAY(scratch, uint32_t, m->group_count);
    ct_text names = ct_text_new(m->arena);
    for (uint32_t i = 0; i < tree->count; i++) {
        up[tree->at[i].child] = i;
        depth[tree->at[i].child] = depth[tree->at[i].parent] + 1;
    }
    uint32_t a = m->tie.at[chord].tail, b = m->tie.at[chord].head;
    while (a != b) {
        uint32_t *deeper = depth[a] >= depth[b] ? &a : &b;
        const step *s = &tree->at[up[*deeper]];
        *deeper = s->parent;
        if (s->tie == CT_NOTHING || m->tie.at[s->tie].is_body || s->tie == chord)
            continue;
        ct_putf(&names, "%s, ", tie_name(m, &m->tie.at[s->tie]));
        ct_witness(r, tie_name(m, &m->tie.at[s->tie]));
        if (inside)
            inside[m->tie.at[s->tie].object] = true;
    }
    if (inside)
        inside[m->tie.at[chord].object] = true;
    ct_put(&names, tie_name(m, &m->tie.at[chord]));
    ct_arena_free(scratch);
    return ct_text_string(&names);
}

const char *ct_mechanics_loop(const ct_mechanics *worked_out, uint32_t joint, ct_report *r)
{
    mechanics *m = worked_out->inside;
    uint32_t chord = m->tie_of_joint[joint];
    return chord == CT_NOTHING ? ct_name_text(m->ctx, m->mech->joint[joint].name)
                               : ct_mech_loop(m, &m->t, chord, r, NULL);
}
