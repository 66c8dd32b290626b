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

static ct_vec3 unit_axis(builder *b, uint32_t i)
{
    ct_expr zero = ct_expr_int(b->pool, 0);
    ct_vec3 v = {{zero, zero, zero}};
    v.c[i] = ct_expr_int(b->pool, 1);
    return v;
}

static void read_axis(builder *b, const where *w, ct_node expr, const ct_joint *j, ct_vec3 *axis)
{
    static const char *const axes[] = {"x", "y", "z"};
    ct_place place = ct_place_of(w->s, expr);
    for (uint32_t i = 0; i < ct_vector_size(b); i++)
        if (is_word(b, w, expr, axes[i])) {
            *axis = unit_axis(b, i);
            return;
        }
    if (is_word(b, w, expr, "z")) {
        ct_report *r = ct_error(b->ctx, "E264", place, "z stands out of the plane");
        ct_help(r, "write axis = x, axis = y or a direction [x, y]");
        ct_witness(r, ct_name_text(b->ctx, j->name));
        return;
    }
    ct_dim_term dim = ct_term_unknown(b->infer, ct_infer_unknown(b->infer, 0, (ct_place){0}));
    ct_read_vector(b, w, expr, dim, "an axis", true, j->name, axis);
}

/* In the plane a revolute joint may say `axis = z`, nothing else. */
static bool is_turn_axis(builder *b, const where *w, ct_node key, ct_joint *j)
{
    ct_node path = ct_at(w->s, key)->first, expr = ct_at(w->s, path)->next;
    if (!(ct_joint_types[j->kind].keys & CT_KEYS_TURN) ||
        !is_word(b, w, ct_at(w->s, path)->first, "axis"))
        return false;
    if (b->mech->spatial) {
        read_axis(b, w, expr, j, &j->axis);
        return true;
    }
    if (!is_word(b, w, expr, "z"))
        report_turn_axis(b, ct_place_of(w->s, expr), j->name);
    return true;
}

/* ---- drivers */

/* `at`: which turn, which slide. */
static void read_driver(builder *b, const where *w, ct_key_kind kind, ct_node expr, uint32_t at,
                        ct_joint *j)
{
    bool position = kind == CT_KEY_ANGLE || kind == CT_KEY_SLIDE;
    uint32_t freedom = at + (kind == CT_KEY_ANGLE || kind == CT_KEY_SPEED ? CT_TURN : CT_SLIDE);
    ct_expr value = 0;
    if (!ct_read_number(b, w, expr, b->mech->key_dim[kind], ct_key_rows[kind].word, &value) ||
        !ct_is_fixed(b, value, true, position ? j->name : 0, "a driver", ct_place_of(w->s, expr)))
        value = ct_expr_int(b->pool, 0); /* driven all the same: the message is given */
    (position ? j->drive : j->rate)[freedom] = value;
}

/* `q[2] = ...`, `s[1] = ...`; true: it is one, or was told to be wrong. */
static bool is_indexed_driver(builder *b, const where *w, ct_node key, ct_joint *j)
{
    static const struct {
        const char *word;
        ct_key_kind kind;
    } words[] = {
        {"q", CT_KEY_ANGLE}, {"w", CT_KEY_SPEED}, {"s", CT_KEY_SLIDE}, {"v", CT_KEY_VELOCITY}};
    ct_node path = ct_at(w->s, key)->first, expr = ct_at(w->s, path)->next, index;
    ct_node inner = ct_at(w->s, path)->first;
    ct_name name;
    int64_t at = 0;
    if (ct_at(w->s, inner)->kind != CT_NODE_REF || !ct_ref_name(b, w, inner, &name, &index) ||
        !index || ct_at(w->s, index)->kind != CT_NODE_INDEX || ct_at(w->s, index)->next)
        return false;
    size_t k = 0;
    while (k < 4 && strcmp(words[k].word, ct_name_text(b->ctx, name)) != 0)
        k++;
    if (k == 4 || !ct_lower_int(b, w, ct_at(w->s, index)->first, &at, "an index"))
        return false;
    uint32_t turns = ct_joint_turns(j->kind, b->mech->spatial);
    uint32_t slides = ct_joint_slides(j->kind, b->mech->spatial) - ct_joint_guides(j->kind);
    if (at >= 1 && at <= (k < 2 ? turns : slides)) {
        read_driver(b, w, words[k].kind, expr, (uint32_t)at - 1, j);
        return true;
    }
    ct_report *r = ct_error(b->ctx, "E265", ct_place_of(w->s, path), "`%s` has no freedom `%s[%d]`",
                            ct_name_text(b->ctx, j->name), words[k].word, (int)at);
    ct_witness(r, ct_name_text(b->ctx, j->name));
    return true;
}

static void check_drivers(builder *b, const ct_joint *j)
{
    const char *name = ct_name_text(b->ctx, j->name);
    bool turn = false, slide = false, any = false;
    for (int i = 0; i < CT_FREEDOMS; i++) {
        any |= j->drive[i] || j->rate[i];
        *(i < CT_SLIDE ? &turn : &slide) |= j->drive[i] && j->rate[i];
    }
    ct_report *r = NULL;
    if (turn || slide) {
        r = ct_error(b->ctx, "E265", j->place, "`%s` is driven twice: by `%s` and by `%s`", name,
                     turn ? "beta" : "s", turn ? "w" : "v");
        ct_help(r, "keep one; write an initial value with (0), as in `%s(0) = ...`",
                turn ? "beta" : "s");
    } else if (any && !ct_type_has_in(CT_TYPE_JOINTS + (uint32_t)j->kind, CT_NEED_DRIVE,
                                      b->mech->spatial)) {
        r = ct_error(b->ctx, "E265", j->place, "`%s` ties nothing: it cannot be driven", name);
        ct_help(r, "drive a revolute, prismatic or slot joint");
    }
    if (r)
        ct_witness(r, name);
}

/* ---- all keys */

/* `zxz`: three turns, no two neighbours about the same axis. */
static void read_angles(builder *b, const where *w, ct_node expr, ct_joint *j)
{
    ct_name name;
    const char *text = ct_plain_name(w->s, expr, &name) ? ct_name_text(b->ctx, name) : "";
    bool good = strlen(text) == 3 && text[0] != text[1] && text[1] != text[2];
    for (int i = 0; i < 3 && good; i++)
        good = text[i] >= 'x' && text[i] <= 'z';
    if (!good) {
        ct_report *r = ct_error(b->ctx, "E264", ct_place_of(w->s, expr),
                                "angles are three turns about x, y or z");
        ct_note(r, "about the new axes each time; neighbours must differ");
        ct_help(r, "write angles = zxz, angles = xyz, ...");
        ct_witness(r, ct_name_text(b->ctx, j->name));
        return;
    }
    for (int i = 0; i < 3; i++)
        j->pin[i] = unit_axis(b, (uint32_t)(text[i] - 'x'));
    j->angles = true;
}

static bool reads_on(builder *b, const where *w, ct_node expr, ct_name owner)
{
    if (is_word(b, w, expr, "on") || is_word(b, w, expr, "off"))
        return is_word(b, w, expr, "on");
    ct_report *r = ct_error(b->ctx, "E264", ct_place_of(w->s, expr), "`rechoose` is on or off");
    ct_witness(r, ct_name_text(b->ctx, owner));
    return false;
}

static void read_surface(builder *b, const where *w, ct_node expr, uint32_t at, ct_joint *j)
{
    cell c = ct_lower_scalar(b, w, expr);
    if (c.expr && ct_is_fixed(b, c.expr, true, j->name, "a surface", ct_place_of(w->s, expr)))
        j->drive[CT_SLIDE + at] = c.expr;
}

static void read_path(builder *b, const where *w, ct_node expr, const char *is, ct_joint *j)
{
    ct_vec3 v = {{0, 0, 0}};
    ct_dim_term dim = ct_term_known(b->mech->key_dim[CT_KEY_PATH]);
    if (!ct_read_vector(b, w, expr, dim, is, false, j->name, &v))
        return;
    for (uint32_t i = 0; i < 3; i++)
        if (ct_is_fixed(b, v.c[i], true, j->name, is, ct_place_of(w->s, expr)))
            j->drive[CT_SLIDE + i] = v.c[i];
}

static void read_joint_key(builder *b, const where *w, ct_key_kind kind, ct_node expr, ct_joint *j,
                           bool *rechoose)
{
    if (kind == CT_KEY_AXIS)
        read_axis(b, w, expr, j, &j->axis);
    else if (kind >= CT_KEY_AXIS1 && kind <= CT_KEY_AXIS3)
        read_axis(b, w, expr, j, &j->pin[kind - CT_KEY_AXIS1]);
    else if (kind == CT_KEY_ANGLES)
        read_angles(b, w, expr, j);
    else if (kind == CT_KEY_RECHOOSE)
        *rechoose = reads_on(b, w, expr, j->name);
    else if (kind == CT_KEY_SURFACE || kind == CT_KEY_SURFACE2)
        read_surface(b, w, expr, kind == CT_KEY_SURFACE ? 2 : 1, j);
    else if (kind == CT_KEY_PATH || kind == CT_KEY_PATCH)
        read_path(b, w, expr, kind == CT_KEY_PATH ? "a path" : "a patch", j);
    else if (kind > CT_KEY_LENGTH)
        read_driver(b, w, kind, expr, 0, j);
    else if (ct_read_number(b, w, expr, b->mech->key_dim[kind], ct_key_rows[kind].word, &j->length))
        ct_is_fixed(b, j->length, false, 0, "a length", ct_place_of(w->s, expr));
}

/* Axes unless keys say otherwise; in the plane a slide is along x. */
static void set_axes(builder *b, ct_joint *j)
{
    const char *axes = ct_joint_types[j->kind].axes;
    size_t count = strlen(axes);
    if (!b->mech->spatial)
        return;
    j->axis = unit_axis(b, (uint32_t)(axes[0] - 'x'));
    for (size_t i = 0; i < 3; i++)
        j->pin[i] = unit_axis(b, i < count ? (uint32_t)(axes[i] - 'x') : 0);
    j->angles = count > 1;
}

/* A screw goes along with its turn. */
static void lead_screw(builder *b, uint32_t index, ct_joint *j)
{
    if (!ct_joint_leads(j->kind) || !j->length)
        return;
    ct_expr pi = ct_expr_call(b->pool, CT_OP_PI, NULL, 0);
    ct_expr turn = ct_expr_mul(b->pool, ct_expr_int(b->pool, 2), pi);
    ct_expr beta = ct_motion_symbol(b, ct_join_path(b, j->name, ct_intern_text(b->ctx, "beta")),
                                    CT_MOTION_TURN, index, 0);
    j->drive[CT_SLIDE] = ct_expr_mul(b->pool, ct_expr_div(b->pool, j->length, turn), beta);
}

/* A surface g = 0 as a driver of one slide: s = s - g. */
static void guide(builder *b, uint32_t index, ct_joint *j)
{
    if (ct_joint_numbers(j->kind))
        return;
    for (uint32_t i = 3 - ct_joint_guides(j->kind); i < 3; i++) {
        ct_name name = ct_own_entry(b, j->name, "s", i);
        ct_expr own = ct_motion_symbol(b, name, CT_MOTION_SLIDE, index, i);
        if (j->drive[CT_SLIDE + i])
            j->drive[CT_SLIDE + i] = ct_expr_sub(b->pool, own, j->drive[CT_SLIDE + i]);
    }
}

/* Each number is the angle of a body without mass on the ground: `C.u.beta`, `C.u1.beta`. */
void ct_add_numbers(builder *b, const ct_joint *of)
{
    struct mech *m = b->mech;
    uint32_t count = ct_joint_numbers(of->kind);
    const part done = {.state = ENTRY_DONE};
    for (uint32_t i = 0; i < count; i++) {
        const char *text = ct_name_text(b->ctx, of->name);
        ct_name name =
            ct_intern_text(b->ctx, count == 1 ? ct_printf(b->ctx, "%s.u", text)
                                              : ct_printf(b->ctx, "%s.u%u", text, i + 1));
        uint32_t body = ct_add_body(b, name, false, done);
        m->body.at[body].section = m->body.at[body].number = true;
        m->body.at[body].place = of->place;
        ct_joint j = {.name = name,
                      .kind = CT_JOINT_REVOLUTE,
                      .tail = CT_GROUND_FRAME,
                      .head = m->body.at[body].frame,
                      .axis = unit_axis(b, 2),
                      .place = of->place};
        for (int k = 0; k < 3; k++)
            j.pin[k] = unit_axis(b, 2);
        CT_PUSH(b->arena, m->joint, j);
        CT_PUSH(b->scratch, m->joint_part, done);
        CT_PUSH(b->scratch, m->joint_nodes, (joint_nodes){0});
    }
}

/* A single turn is about the axis; that of a slot about z. */
static void set_pins(builder *b, ct_joint *j)
{
    if (b->mech->spatial && ct_joint_turns(j->kind, true) == 1)
        j->pin[0] = j->kind == CT_JOINT_SLOT ? unit_axis(b, 2) : j->axis;
}

static void read_keys(builder *b, const part *p, ct_joint *j, bool *rechoose)
{
    const where *w = &p->where;
    uint64_t seen = 0;
    uint32_t type = CT_TYPE_JOINTS + (uint32_t)j->kind;
    ct_node expr;
    ct_key_kind kind;
    for (ct_node key = ct_at(w->s, p->node)->first; key; key = ct_at(w->s, key)->next) {
        bool plain = ct_at(w->s, key)->kind == CT_NODE_KEY && !ct_at(w->s, key)->op;
        if (plain && !is_turn_axis(b, w, key, j) && !is_indexed_driver(b, w, key, j) &&
            ct_key_of(b, w, key, type, j->name, &seen, &kind, &expr))
            read_joint_key(b, w, kind, expr, j, rechoose);
    }
    check_drivers(b, j);
    for (uint32_t i = CT_KEY_SURFACE; i <= CT_KEY_LENGTH; i++) {
        if (!ct_type_has(type, ct_key_rows[i].need) || seen >> i & 1)
            continue;
        const char *name = ct_name_text(b->ctx, j->name), *word = ct_key_rows[i].word;
        ct_report *r =
            ct_error(b->ctx, "E206", j->place, "`%s` needs a value for `%s`", name, word);
        ct_help(r, "add %s = ...; a `param` without value keeps it symbolic", word);
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
    set_axes(b, &j);
    refuse_frames(b, &p, &j);
    ct_two_frames(b, &p.where, p.node, j.name, &j.tail, &j.head);
    bool rechoose = false;
    read_keys(b, &p, &j, &rechoose);
    set_pins(b, &j);
    if (rechoose)
        ct_open_chart(b, index, &j);
    lead_screw(b, index, &j);
    guide(b, index, &j);
    memcpy(j.load, m->joint.at[index].load, sizeof j.load);
    m->joint.at[index] = j;
    m->joint_part.at[index].state = ENTRY_DONE;
}
