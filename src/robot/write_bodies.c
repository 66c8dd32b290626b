/* write_bodies.c - links as bodies, with what is fixed to them. */
#include <math.h>

#include "robot/write.h"

/* ---- lists by body */

static uint32_t *new_list(writer *w, uint32_t count)
{
    uint32_t *list = CT_NEW_ARRAY(w->r->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i <= count; i++)
        list[i] = NOTHING;
    return list;
}

static void push(uint32_t *first, uint32_t *next, uint32_t at, uint32_t index)
{
    next[index] = first[at];
    first[at] = index;
}

void ct_make_lists(writer *w)
{
    robot *r = w->r;
    uint32_t ground = r->link.count;
    w->first_joint = new_list(w, ground), w->next_joint = new_list(w, r->joint.count);
    w->first_head = new_list(w, ground), w->next_head = new_list(w, r->joint.count);
    w->first_part = new_list(w, ground), w->next_part = new_list(w, r->link.count);
    w->first_shape = new_list(w, ground), w->next_shape = new_list(w, r->shape.count);
    w->first_site = new_list(w, ground), w->next_site = new_list(w, r->site.count);
    for (uint32_t i = r->joint.count; i-- > 0;) {
        const joint *j = &r->joint.at[i];
        if (j->kind == JOINT_FIXED && j->parent != NOTHING && r->link.at[j->child].joint == i)
            continue;
        push(w->first_joint, w->next_joint,
             j->parent == NOTHING ? ground : r->link.at[j->parent].host, i);
        push(w->first_head, w->next_head, r->link.at[j->child].host, i);
    }
    for (uint32_t i = r->link.count; i-- > 0;)
        if (r->link.at[i].host != i)
            push(w->first_part, w->next_part, r->link.at[i].host, i);
    for (uint32_t i = r->shape.count; i-- > 0;)
        push(w->first_shape, w->next_shape, r->link.at[r->shape.at[i].link].host, i);
    for (uint32_t i = r->site.count; i-- > 0;)
        push(w->first_site, w->next_site, r->link.at[r->site.at[i].link].host, i);
}

/* ---- bodies */

static void put_inertia(writer *w, const double I[6])
{
    static const uint8_t row[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    if (I[3] == 0 && I[4] == 0 && I[5] == 0) {
        ct_put_vector(w, I, "kg.m^2");
        return;
    }
    for (int i = 0; i < 9; i++) {
        ct_put(&w->out, i == 0 ? "[" : i % 3 ? ", " : "; ");
        ct_put_shortest(w, I[row[i / 3][i % 3]]);
    }
    ct_put(&w->out, "] kg.m^2");
}

static bool weighs(const inertial *a)
{
    return a->mass != 0 || !ct_is_zero_vector(a->I) || !ct_is_zero_vector(a->I + 3);
}

static void put_mass(writer *w, const inertial *a)
{
    ct_put(&w->out, "  m = ");
    ct_put_shortest(w, a->mass);
    ct_put(&w->out, " kg");
    if (!ct_is_zero_vector(a->com)) {
        ct_put(&w->out, ", com = ");
        ct_put_vector(w, a->com, "m");
    }
    if (!ct_is_zero_vector(a->I) || !ct_is_zero_vector(a->I + 3)) {
        ct_put(&w->out, ", I = ");
        put_inertia(w, a->I);
    }
}

static void open_frame(writer *w, ct_place place, const char *word, bool *open)
{
    ct_put(&w->out, *open ? "\n" : " {\n");
    ct_came_from(w, place);
    ct_putf(&w->out, "  %s = ", word);
    *open = true;
}

pose ct_tail_of(const writer *w, const joint *j)
{
    return j->parent == NOTHING ? j->pose
                                : ct_pose_product(&w->r->link.at[j->parent].pose, &j->pose);
}

pose ct_head_of(const writer *w, const joint *j)
{
    return ct_pose_product(&w->r->link.at[j->child].pose, &j->head);
}

static void put_at(writer *w, const pose *p)
{
    if (ct_pose_is_none(p))
        return;
    ct_put(&w->out, ", at = ");
    ct_put_frame(w, p);
}

/* A link that is fixed to the body: its frame, and what it weighs. */
static void put_part(writer *w, const link *l, bool *open)
{
    pose centre = l->pose;
    open_frame(w, l->place, ct_word_text(w, l->word), open);
    ct_put_frame(w, &l->pose);
    ct_put_remark(w, l->name, l->word);
    if (!weighs(&l->own))
        return;
    ct_pose_apply(&l->pose, l->own.com, centre.at);
    open_frame(w, l->place, ct_new_word(w, l->word, "mass"), open);
    ct_put(&w->out, "inertia(");
    ct_put_shortest(w, l->own.mass);
    ct_put(&w->out, " kg, ");
    put_inertia(w, l->own.I);
    put_at(w, &centre);
    ct_put(&w->out, ")");
}

static void put_sizes(writer *w, const shape *s)
{
    static const uint8_t numbers[] = {
        [SHAPE_CYLINDER] = 2, [SHAPE_SPHERE] = 1, [SHAPE_CAPSULE] = 2};
    if (s->kind == SHAPE_MESH) {
        ct_put_quoted(w, s->file);
        if (s->size[0] != 1 || s->size[1] != 1 || s->size[2] != 1) {
            ct_put(&w->out, ", ");
            ct_put_vector(w, s->size, "");
        }
    } else if (s->kind == SHAPE_BOX || s->kind == SHAPE_ELLIPSOID) {
        ct_put_vector(w, s->size, "m");
    }
    for (int i = 0; s->kind >= SHAPE_CYLINDER && s->kind <= SHAPE_CAPSULE && i < numbers[s->kind];
         i++) {
        ct_put(&w->out, i ? ", " : "");
        ct_put_shortest(w, s->size[i]);
        ct_put(&w->out, " m");
    }
}

static void put_shape(writer *w, const shape *s, bool *open)
{
    const link *l = &w->r->link.at[s->link];
    pose p = ct_pose_product(&l->pose, &s->pose);
    open_frame(w, s->place, ct_new_word(w, l->word, "shape"), open);
    ct_putf(&w->out, "%s(", ct_shape_name(s->kind));
    put_sizes(w, s);
    if (!isnan(s->mass) || !isnan(s->density)) {
        ct_put(&w->out, isnan(s->mass) ? ", density = " : ", m = ");
        ct_put_shortest(w, isnan(s->mass) ? s->density : s->mass);
        ct_put(&w->out, isnan(s->mass) ? " kg/m^3" : " kg");
    }
    put_at(w, &p);
    if (s->coloured) {
        ct_put(&w->out, ", color = ");
        ct_put_vector(w, s->colour, "");
    }
    ct_put(&w->out, ")");
}

/* Frames at the ends of joints; a joint at the origin of its body needs none. */
static void put_ends(writer *w, uint32_t at, bool *open)
{
    const robot *r = w->r;
    for (uint32_t i = w->first_joint[at]; i != NOTHING; i = w->next_joint[i]) {
        pose p = ct_tail_of(w, &r->joint.at[i]);
        if (ct_pose_is_none(&p))
            continue;
        open_frame(w, r->joint.at[i].place, ct_word_text(w, r->joint.at[i].word), open);
        ct_put_frame(w, &p);
    }
    for (uint32_t i = w->first_head[at]; i != NOTHING; i = w->next_head[i]) {
        pose p = ct_head_of(w, &r->joint.at[i]);
        if (ct_pose_is_none(&p))
            continue;
        open_frame(w, r->joint.at[i].place, ct_word_text(w, r->joint.at[i].head_word), open);
        ct_put_frame(w, &p);
    }
}

bool ct_put_frames(writer *w, uint32_t host)
{
    const robot *r = w->r;
    uint32_t at = host == NOTHING ? r->link.count : host;
    bool open = false;
    put_ends(w, at, &open);
    for (uint32_t i = w->first_part[at]; i != NOTHING; i = w->next_part[i])
        put_part(w, &r->link.at[i], &open);
    for (uint32_t i = w->first_site[at]; i != NOTHING; i = w->next_site[i]) {
        const site *s = &r->site.at[i];
        pose p = ct_pose_product(&r->link.at[s->link].pose, &s->pose);
        open_frame(w, s->place, ct_word_text(w, s->word), &open);
        ct_put_frame(w, &p);
    }
    for (uint32_t i = w->first_shape[at]; i != NOTHING; i = w->next_shape[i])
        put_shape(w, &r->shape.at[i], &open);
    ct_put(&w->out, open ? "\n}\n" : "\n");
    return open;
}

bool ct_is_free(const robot *r, const link *l)
{
    return l->joint == NOTHING && (l->floating || r->floating);
}

/* Where a free body starts: R(0) is a product of turns. */
static void put_place(writer *w, const pose *p, bool more)
{
    static const char *const axis[] = {"x", "y", "z"};
    bool any = false;
    for (int i = 0; i < 3; i++) {
        ct_putf(&w->out, "%s%s(0) = ", i || more ? ", " : "  ", axis[i]);
        ct_put_shortest(w, p->at[i]);
        ct_put(&w->out, " m");
    }
    for (int i = 2; i >= 0; i--) {
        ct_put_turn(w, any ? "*" : ", R(0) = ", axis[i], p->rpy[i]);
        any |= p->rpy[i] != 0;
    }
}

void ct_put_body(writer *w, uint32_t index)
{
    const link *l = &w->r->link.at[index];
    ct_came_from(w, l->place);
    if (l->name != l->word) {
        ct_put(&w->out, "# ");
        ct_put_visible(&w->out, ct_word_text(w, l->name));
        ct_put(&w->out, "\n");
    }
    ct_putf(&w->out, "%s : body", ct_word_text(w, l->word));
    if (weighs(&l->own))
        put_mass(w, &l->own);
    if (ct_is_free(w->r, l) && !ct_pose_is_none(&l->start))
        put_place(w, &l->start, weighs(&l->own));
    ct_put_frames(w, index);
}
