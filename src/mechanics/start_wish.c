/* start_wish.c - what start values of frames want of the joints before them, where bodies hang. */
#include <string.h>

#include "mechanics/start_hang.h"

static const double same_axis = 1e-9; /* 1 - cosine of the angle between axes */

void ct_wish_read(hanging *h, const ct_motion *x, double value)
{
    if (x->kind > CT_MOTION_AXES)
        return;
    wish *own = &h->wish[h->m->site[x->object].group];
    bool spin = x->kind == CT_MOTION_SPIN || x->kind == CT_MOTION_SPIN_OWN;
    if (x->kind == CT_MOTION_ANGLE)
        own->frame = x->object, own->angle = value;
    if (x->kind == CT_MOTION_SPIN && x->axis == 2)
        own->rate = value;
    if (x->kind == CT_MOTION_AXES)
        own->axes_frame = x->object, own->axes[x->axis] = value;
    if (spin)
        own->spin_frame = x->object, own->spin[x->axis] = value;
    if (spin)
        own->own = x->kind == CT_MOTION_SPIN_OWN;
    if (x->kind == CT_MOTION_POSITION)
        own->place_frame = x->object, own->place[x->axis] = value;
    if (x->kind == CT_MOTION_VELOCITY)
        own->speed_frame = x->object, own->speed[x->axis] = value;
    own->count++;
}

wish ct_wish_none(void)
{
    wish w = {.angle = NAN, .rate = NAN};
    for (int i = 0; i < 9; i++)
        w.axes[i] = w.spin[i % 3] = w.place[i % 3] = w.speed[i % 3] = NAN;
    return w;
}

/* An open turn about z is as the frames behind it want it. */
void ct_wish_turn(hanging *h, uint32_t joint, uint32_t g, uint32_t to, bool forward)
{
    mechanics *m = h->m;
    const ct_joint *j = &m->mech->joint[joint];
    const wish *w = &h->wish[to];
    hook *own = &h->hook[joint];
    if (m->tree->graph->bodies->joint[joint].turns != 1)
        return;
    double e[3], axis[3];
    hung near = ct_hang_frame(m, &h->at[g], forward ? j->tail : j->head);
    numbers_of(m, ct_mech_direction(m, &j->pin[0]), e);
    times(near.r, e, axis);
    double sense = forward ? axis[2] : -axis[2];
    if (fabs(fabs(sense) - 1) > same_axis)
        return;
    hung there = ct_hang_on(h, joint, g, forward);
    if (isnan(own->value[CT_TURN]) && !isnan(w->angle)) {
        double now = ct_hang_about_z(ct_hang_frame(m, &there, w->frame).r);
        own->value[CT_TURN] = sense * remainder(w->angle - now, 2 * acos(-1));
    }
    if (isnan(own->rate[CT_TURN]) && !isnan(w->rate))
        own->rate[CT_TURN] = sense * (w->rate - there.w[2]);
}

/* Axes of a group that are wanted; false: none. */
static bool wanted_axes(mechanics *m, const wish *w, double r[9])
{
    double q[4], turn[9];
    if (!ct_quaternion_of(w->axes, q))
        return false;
    turn_of(m, &m->site[w->axes_frame].turn, turn);
    product(w->axes, turn, true, r);
    return true;
}

/* The spin of a group that is wanted, in ground axes; false: none. */
static bool wanted_spin(mechanics *m, const wish *w, const hung *g, double spin[3])
{
    if (isnan(w->spin[0] + w->spin[1] + w->spin[2]))
        return false;
    memcpy(spin, w->spin, 3 * sizeof *spin);
    if (w->own)
        times(ct_hang_frame(m, g, w->spin_frame).r, w->spin, spin);
    return true;
}

/* An open ball is turned and spins as the frames behind it want it. */
void ct_wish_axes(hanging *h, uint32_t joint, uint32_t g, uint32_t to, bool forward)
{
    mechanics *m = h->m;
    const ct_joint *j = &m->mech->joint[joint];
    hook *own = &h->hook[joint];
    double r[9], turn[9], far[9], spin[3];
    if (m->tree->graph->bodies->joint[joint].turns != 3 || j->angles)
        return;
    hung near = ct_hang_frame(m, &h->at[g], forward ? j->tail : j->head);
    if (isnan(own->ball[0] + own->ball[4] + own->ball[8]) && wanted_axes(m, &h->wish[to], r)) {
        turn_of(m, &m->site[forward ? j->head : j->tail].turn, turn);
        product(r, turn, false, far);
        between(forward ? near.r : far, forward ? far : near.r, own->ball);
    }
    hung there = ct_hang_on(h, joint, g, forward);
    if (!isnan(own->spin[0] + own->spin[1] + own->spin[2]) ||
        !wanted_spin(m, &h->wish[to], &there, spin))
        return;
    hung head = forward ? ct_hang_frame(m, &there, j->head) : near;
    for (int i = 0; i < 3; i++)
        spin[i] = (spin[i] - there.w[i]) * (forward ? 1 : -1);
    for (int i = 0; i < 3; i++)
        own->spin[i] = head.r[i] * spin[0] + head.r[3 + i] * spin[1] + head.r[6 + i] * spin[2];
}

/* About z by the angle that is told of a frame. */
static void turn_to_angle(mechanics *m, const wish *w, hung *g)
{
    double angle = w->angle - ct_hang_about_z(ct_hang_frame(m, g, w->frame).r);
    const double r[9] = {cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1};
    memcpy(g->r, r, sizeof r);
}

/* As its values say; else the origin of its first body is that of the ground, at rest. */
hung ct_wish_free(hanging *h, uint32_t group)
{
    mechanics *m = h->m;
    const wish *w = &h->wish[group];
    uint32_t own = m->mech->body[m->group[group].lead].frame;
    uint32_t place = w->place_frame ? w->place_frame : own;
    uint32_t speed = w->speed_frame ? w->speed_frame : place;
    hung g = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .is = true};
    if (!wanted_axes(m, w, g.r) && !isnan(w->angle))
        turn_to_angle(m, w, &g);
    if (!wanted_spin(m, w, &g, g.w))
        g.w[2] = told(w->rate);
    hung at = ct_hang_frame(m, &g, place), moved = ct_hang_frame(m, &g, speed);
    for (int i = 0; i < 3; i++) {
        g.p[i] = told(w->place[i]) - at.p[i];
        g.v[i] = told(w->speed[i]) - moved.v[i];
    }
    return g;
}
