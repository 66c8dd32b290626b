/* start_space.c - where a tree of bodies in space begins: joints as given, driven or guessed, else
 * at zero. Nothing is to be closed; start values of other kinds are left to the run. */
#include <math.h>

#include "mechanics/start.h"

static const struct {
    ct_motion_kind kind;
    int order;
    bool turn;
} kinds[] = {
    {CT_MOTION_TURN, 0, true},
    {CT_MOTION_TURN_SPEED, 1, true},
    {CT_MOTION_SLIDE, 0, false},
    {CT_MOTION_SLIDE_SPEED, 1, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The freedom that a start value is about; KINDS: something else. */
static uint32_t kind_of(const mechanics *m, const ct_start *s, uint32_t *tie_index)
{
    bool symbol = ct_expr_kind_of(m->pool, s->variable) == CT_EXPR_SYMBOL;
    uint32_t known = symbol ? ct_map_get(&m->motion, ct_expr_name(m->pool, s->variable)) : 0;
    const ct_motion *x = known ? &m->mech->motion[known - 1] : NULL;
    uint32_t k = 0;
    while (k < KINDS && !(x && kinds[k].kind == x->kind))
        k++;
    *tie_index = k < KINDS ? m->tie_of_joint[x->object] : CT_NOTHING;
    return *tie_index == CT_NOTHING ? KINDS : k;
}

static void take(mechanics *m, const ct_start *s, uint8_t *known, ct_mechanics_start *start)
{
    uint32_t index, kind = kind_of(m, s, &index);
    if (kind == KINDS)
        return;
    const tie *t = &m->tie.at[index];
    uint32_t q = kinds[kind].turn ? t->angle_q : t->slide_q[0];
    if (q == CT_NOTHING)
        return; /* a driver says where it is */
    *known = kinds[kind].turn ? CT_KNOWN_ANGLE : CT_KNOWN_LENGTH;
    (kinds[kind].order ? start->rate : start->place)[q] = ct_pose_value(m, s->value);
}

/* Mean length of what joints are away from the origins of groups. */
static double size_of(mechanics *m)
{
    double sum = 0, terms = 0;
    for (uint32_t i = 0; i < m->tie.count; i++) {
        const vec *end[] = {&m->tie.at[i].from, &m->tie.at[i].to};
        for (int k = 0; k < 2 && !m->tie.at[i].is_body; k++) {
            double own = 0;
            for (int c = 0; c < 3; c++)
                own = hypot(own, ct_pose_value(m, end[k]->x[c]));
            sum += own;
            terms += own > 0;
        }
    }
    return sum > 0 ? sum / terms : 1;
}

bool ct_start_in_space(mechanics *m, ct_mechanics_start *start)
{
    start->size = size_of(m);
    start->mass = 0;
    if (!isfinite(start->size))
        return false;
    for (uint32_t i = 1; i < m->mech->body_count; i++)
        start->mass += fabs(ct_pose_value(m, m->mech->body[i].mass));
    start->mass = start->mass > 0 ? start->mass : 1;
    start->known = CT_NEW_ARRAY(start->arena, uint8_t, m->def->start_count + 1);
    start->place = CT_NEW_ARRAY(start->arena, double, m->coordinate.count + 1);
    start->rate = CT_NEW_ARRAY(start->arena, double, m->coordinate.count + 1);
    for (uint32_t i = 0; i < m->coordinate.count; i++)
        if (!m->coordinate.at[i].u)
            start->rate[i] = ct_pose_value(m, m->coordinate.at[i].speed);
    for (int guesses = 1; guesses >= 0; guesses--) /* what is given comes last */
        for (uint32_t i = 0; i < m->def->start_count; i++)
            if (m->def->start[i].guess == (guesses == 1))
                take(m, &m->def->start[i], &start->known[i], start);
    return true;
}
