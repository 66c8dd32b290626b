/* joint.c - ends, axes and drivers of joints. */
#include <string.h>

#include "model/mech.h"

static bool is_word(builder *b, const where *w, ct_node expr, const char *word)
{
    ct_name name;
    return ct_plain_name(w->s, expr, &name) && strcmp(ct_name_text(b->ctx, name), word) == 0;
}

/* ---- axis */

static void report_turn_axis(builder *b, ct_place place, ct_name owner)
{
    ct_report *r = ct_error(b->ctx, "E264", place, "in the plane a revolute joint turns about z");
    ct_help(r, "leave out `axis`");
    ct_witness(r, ct_name_text(b->ctx, owner));
}

static void read_axis(builder *b, const where *w, ct_node expr, ct_joint *j)
{
    static const char *const axes[] = {"x", "y", "z"};
    ct_expr zero = ct_expr_int(b->pool, 0), one = ct_expr_int(b->pool, 1);
    ct_place place = ct_place_of(w->s, expr);
    for (uint32_t i = 0; i < ct_vector_size(b); i++)
        if (is_word(b, w, expr, axes[i])) {
            j->axis = (ct_vec3){{zero, zero, zero}};
            j->axis.c[i] = one;
            return;
        }
    if (is_word(b, w, expr, "z")) {
        ct_report *r = ct_error(b->ctx, "E264", place, "z stands out of the plane");
        ct_help(r, "write axis = x, axis = y or a direction [x, y]");
        ct_witness(r, ct_name_text(b->ctx, j->name));
        return;
    }
    ct_dim_term dim = ct_term_unknown(b->infer, ct_infer_unknown(b->infer, 0, (ct_place){0}));
    ct_read_vector(b, w, expr, dim, "an axis", true, j->name, &j->axis);
}

/* In the plane a revolute joint may say `axis = z`, nothing else. */
static bool is_turn_axis(builder *b, const where *w, ct_node key, ct_joint *j)
{
    ct_node path = ct_at(w->s, key)->first, expr = ct_at(w->s, path)->next;
    if (j->kind != CT_JOINT_REVOLUTE || !is_word(b, w, ct_at(w->s, path)->first, "axis"))
        return false;
    if (b->mech->spatial) {
        read_axis(b, w, expr, j);
        return true;
    }
    if (!is_word(b, w, expr, "z"))
        report_turn_axis(b, ct_place_of(w->s, expr), j->name);
    return true;
}

/* ---- drivers */

static void read_driver(builder *b, const where *w, ct_key_kind kind, ct_node expr, ct_joint *j)
{
    ct_expr *slot[] = {&j->drive_angle, &j->drive_speed, &j->drive_slide, &j->drive_velocity};
    ct_expr value = 0;
    bool position = slot[kind - CT_KEY_ANGLE] == &j->drive_angle ||
                    slot[kind - CT_KEY_ANGLE] == &j->drive_slide;
    if (!ct_read_number(b, w, expr, b->mech->key_dim[kind], ct_key_rows[kind].word, &value) ||
        !ct_is_fixed(b, value, true, position ? j->name : 0, "a driver", ct_place_of(w->s, expr)))
        value = ct_expr_int(b->pool, 0); /* driven all the same: the message is given */
    *slot[kind - CT_KEY_ANGLE] = value;
}

static void check_drivers(builder *b, const ct_joint *j)
{
    const char *name = ct_name_text(b->ctx, j->name);
    bool turn = j->drive_angle && j->drive_speed, slide = j->drive_slide && j->drive_velocity;
    bool any = j->drive_angle || j->drive_speed || j->drive_slide || j->drive_velocity;
    ct_report *r = NULL;
    if (turn || slide) {
        r = ct_error(b->ctx, "E265", j->place, "`%s` is driven twice: by `%s` and by `%s`", name,
                     turn ? "beta" : "s", turn ? "w" : "v");
        ct_help(r, "keep one; write an initial value with (0), as in `%s(0) = ...`",
                turn ? "beta" : "s");
    } else if (any && !ct_type_has(CT_TYPE_JOINTS + (uint32_t)j->kind, CT_NEED_DRIVE)) {
        r = ct_error(b->ctx, "E265", j->place, "`%s` ties nothing: it cannot be driven", name);
        ct_help(r, "drive a revolute, prismatic or slot joint");
    }
    if (r)
        ct_witness(r, name);
}

/* ---- all keys */

static void read_joint_key(builder *b, const where *w, ct_key_kind kind, ct_node expr, ct_joint *j)
{
    if (kind == CT_KEY_AXIS)
        read_axis(b, w, expr, j);
    else if (kind != CT_KEY_LENGTH)
        read_driver(b, w, kind, expr, j);
    else if (ct_read_number(b, w, expr, b->mech->key_dim[kind], "length", &j->length))
        ct_is_fixed(b, j->length, false, 0, "a length", ct_place_of(w->s, expr));
}

static void read_keys(builder *b, const part *p, ct_joint *j)
{
    const where *w = &p->where;
    uint32_t seen = 0, type = CT_TYPE_JOINTS + (uint32_t)j->kind;
    ct_node expr;
    ct_key_kind kind;
    for (ct_node key = ct_at(w->s, p->node)->first; key; key = ct_at(w->s, key)->next) {
        bool plain = ct_at(w->s, key)->kind == CT_NODE_KEY && !ct_at(w->s, key)->op;
        if (plain && !is_turn_axis(b, w, key, j) &&
            ct_key_of(b, w, key, type, j->name, &seen, &kind, &expr))
            read_joint_key(b, w, kind, expr, j);
    }
    check_drivers(b, j);
    bool misses = ct_type_has(type, CT_NEED_LENGTH) && !(seen >> CT_KEY_LENGTH & 1);
    if (misses) {
        const char *name = ct_name_text(b->ctx, j->name);
        ct_report *r = ct_error(b->ctx, "E206", j->place, "`%s` needs a value for `length`", name);
        ct_help(r, "add length = ...; a `param` without value keeps it symbolic");
        ct_witness(r, name);
    }
}

static void refuse_frames(builder *b, const part *p, const ct_joint *j)
{
    ct_node frames = ct_child(p->where.s, p->node, CT_NODE_FRAMES);
    if (!frames)
        return;
    ct_report *r = ct_error(b->ctx, "E261", ct_place_of(p->where.s, frames),
                            "a joint has no frames of its own");
    ct_help(r, "frames belong to bodies and to the ground");
    ct_witness(r, ct_name_text(b->ctx, j->name));
}

void ct_resolve_joint(builder *b, uint32_t index)
{
    struct mech *m = b->mech;
    if (!ct_begin_part(b, &m->joint_part.at[index], m->joint.at[index].name))
        return;
    const part p = m->joint_part.at[index];
    ct_joint j = m->joint.at[index];
    if (m->spatial && j.kind == CT_JOINT_REVOLUTE) { /* about z, unless a key says otherwise */
        j.axis.c[2] = j.axis.c[0];
        j.axis.c[0] = ct_expr_int(b->pool, 0);
    }
    refuse_frames(b, &p, &j);
    ct_two_frames(b, &p.where, p.node, j.name, &j.tail, &j.head);
    read_keys(b, &p, &j);
    j.load_angle = m->joint.at[index].load_angle;
    memcpy(j.load_slide, m->joint.at[index].load_slide, sizeof j.load_slide);
    m->joint.at[index] = j;
    m->joint_part.at[index].state = ENTRY_DONE;
}
