/* write.c - links and joints as a text of the language, each statement with the tag that it came
 * from. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/inside.h"

typedef struct writer {
    robot *r;
    ct_text out;
    CT_VEC(ct_source_piece) piece;
    uint32_t *first_joint, *next_joint; /* by host of the parent */
    uint32_t *first_head, *next_head;   /* by host of the child */
    uint32_t *first_part, *next_part;   /* links by host */
    uint32_t *first_site, *next_site;
    uint32_t *first_shape, *next_shape;
} writer;

/* Words of the joints with one freedom. */
typedef struct freedom {
    const char *variable, *rate, *unit, *load_unit, *speed_unit, *load, *load_key, *damper,
        *damping_unit, *friction, *friction_key, *spring, *spring_unit, *rest;
} freedom;

static const freedom turn = {.variable = "beta",
                             .rate = "w",
                             .unit = "rad",
                             .speed_unit = "rad/s",
                             .load = "torque",
                             .load_key = "T",
                             .load_unit = "N.m",
                             .damper = "torsion_damper",
                             .damping_unit = "N.m.s/rad",
                             .friction = "torsion_friction",
                             .friction_key = "Tc",
                             .spring = "torsion_spring",
                             .spring_unit = "N.m/rad",
                             .rest = "theta0"},
                     slide = {.variable = "s",
                              .rate = "v",
                              .unit = "m",
                              .speed_unit = "m/s",
                              .load = "force",
                              .load_key = "F",
                              .load_unit = "N",
                              .damper = "damper",
                              .damping_unit = "N.s/m",
                              .friction = "friction",
                              .friction_key = "Fc",
                              .spring = "spring",
                              .spring_unit = "N/m",
                              .rest = "l0"};

static const struct {
    const char *word;
    bool axis, axis2;
    const freedom *freedom;
} kinds[JOINT_KINDS] = {
    [JOINT_FIXED] = {"weld", false, false, NULL},
    [JOINT_REVOLUTE] = {"revolute", true, false, &turn},
    [JOINT_PRISMATIC] = {"prismatic", true, false, &slide},
    [JOINT_PLANAR] = {"planar", true, false, NULL},
    [JOINT_FLOATING] = {"free", false, false, NULL},
    [JOINT_SPHERICAL] = {"spherical", false, false, NULL},
    [JOINT_UNIVERSAL] = {"universal", true, true, NULL},
};

/* ---- words and numbers */

static const char *name(const writer *w, ct_name word)
{
    return ct_name_text(w->r->ctx, word);
}

/* A new word: `elbow_motor`. */
static const char *word_with(writer *w, ct_name word, const char *ending)
{
    const char *both = ct_printf(w->r->ctx, "%s_%s", name(w, word), ending);
    return name(w, ct_word_for(w->r, both, "_of"));
}

/* What follows came from there. */
static void from(writer *w, ct_place place)
{
    ct_source_piece piece = {(uint32_t)w->out.length, place.source, place.at, place.length};
    CT_PUSH(w->r->arena, w->piece, piece);
}

/* In quotes; control characters are left out. */
static void put_string(writer *w, const char *at)
{
    ct_put_char(&w->out, '"');
    for (; *at; at++) {
        if (*at == '"' || *at == '\\')
            ct_put_char(&w->out, '\\');
        if ((unsigned char)*at >= ' ' && *at != 0x7f)
            ct_put_char(&w->out, *at);
    }
    ct_put_char(&w->out, '"');
}

/* The shortest number that is read back as the same. */
static void put_number(writer *w, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value + 0.0);
        if (strtod(text, NULL) == value)
            break;
    }
    ct_put(&w->out, text);
}

static void put_vector(writer *w, const double v[3], const char *unit)
{
    for (int i = 0; i < 3; i++) {
        ct_put(&w->out, i ? ", " : "[");
        put_number(w, v[i]);
    }
    ct_putf(&w->out, *unit ? "] %s" : "]", unit);
}

static bool is_zero(const double v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

static void put_turn(writer *w, const char *axis, double angle)
{
    double turns = ct_quarter_turns(angle);
    if (angle == 0)
        return;
    ct_putf(&w->out, ", rotate(%s, ", axis);
    put_number(w, isnan(turns) ? angle : 90 * turns);
    ct_put(&w->out, isnan(turns) ? " rad)" : " deg)");
}

static void put_frame(writer *w, const pose *p)
{
    bool turned = !is_zero(p->rpy);
    ct_put(&w->out, turned ? "frame(" : "");
    put_vector(w, p->at, "m");
    put_turn(w, "z", p->rpy[2]);
    put_turn(w, "y", p->rpy[1]);
    put_turn(w, "x", p->rpy[0]);
    ct_put(&w->out, turned ? ")" : "");
}

/* A name as it was written, where the language has another word for it. */
static void put_remark(writer *w, ct_name written, ct_name word)
{
    if (written == word)
        return;
    ct_put(&w->out, "  # ");
    ct_put_visible(&w->out, name(w, written));
}

/* ---- bodies */

static void put_inertia(writer *w, const double I[6])
{
    static const uint8_t row[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    if (I[3] == 0 && I[4] == 0 && I[5] == 0) {
        put_vector(w, I, "kg.m^2");
        return;
    }
    for (int i = 0; i < 9; i++) {
        ct_put(&w->out, i == 0 ? "[" : i % 3 ? ", " : "; ");
        put_number(w, I[row[i / 3][i % 3]]);
    }
    ct_put(&w->out, "] kg.m^2");
}

static bool weighs(const inertial *a)
{
    return a->mass != 0 || !is_zero(a->I) || !is_zero(a->I + 3);
}

static void put_mass(writer *w, const inertial *a)
{
    ct_put(&w->out, "  m = ");
    put_number(w, a->mass);
    ct_put(&w->out, " kg");
    if (!is_zero(a->com)) {
        ct_put(&w->out, ", com = ");
        put_vector(w, a->com, "m");
    }
    if (!is_zero(a->I) || !is_zero(a->I + 3)) {
        ct_put(&w->out, ", I = ");
        put_inertia(w, a->I);
    }
}

static void open_frame(writer *w, ct_place place, const char *word, bool *open)
{
    ct_put(&w->out, *open ? "\n" : " {\n");
    from(w, place);
    ct_putf(&w->out, "  %s = ", word);
    *open = true;
}

static pose tail_of(const writer *w, const joint *j)
{
    return j->parent == NOTHING ? j->pose
                                : ct_pose_product(&w->r->link.at[j->parent].pose, &j->pose);
}

static pose head_of(const writer *w, const joint *j)
{
    return ct_pose_product(&w->r->link.at[j->child].pose, &j->head);
}

static void put_at(writer *w, const pose *p)
{
    if (ct_pose_is_none(p))
        return;
    ct_put(&w->out, ", at = ");
    put_frame(w, p);
}

/* A link that is fixed to the body: its frame, and what it weighs. */
static void put_part(writer *w, const link *l, bool *open)
{
    pose centre = l->pose;
    open_frame(w, l->place, name(w, l->word), open);
    put_frame(w, &l->pose);
    put_remark(w, l->name, l->word);
    if (!weighs(&l->own))
        return;
    ct_pose_apply(&l->pose, l->own.com, centre.at);
    open_frame(w, l->place, word_with(w, l->word, "mass"), open);
    ct_put(&w->out, "inertia(");
    put_number(w, l->own.mass);
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
        put_string(w, s->file);
        if (s->size[0] != 1 || s->size[1] != 1 || s->size[2] != 1) {
            ct_put(&w->out, ", ");
            put_vector(w, s->size, "");
        }
    } else if (s->kind == SHAPE_BOX || s->kind == SHAPE_ELLIPSOID) {
        put_vector(w, s->size, "m");
    }
    for (int i = 0; s->kind >= SHAPE_CYLINDER && s->kind <= SHAPE_CAPSULE && i < numbers[s->kind];
         i++) {
        ct_put(&w->out, i ? ", " : "");
        put_number(w, s->size[i]);
        ct_put(&w->out, " m");
    }
}

static void put_shape(writer *w, const shape *s, bool *open)
{
    const link *l = &w->r->link.at[s->link];
    pose p = ct_pose_product(&l->pose, &s->pose);
    open_frame(w, s->place, word_with(w, l->word, "shape"), open);
    ct_putf(&w->out, "%s(", ct_shape_name(s->kind));
    put_sizes(w, s);
    if (!isnan(s->mass) || !isnan(s->density)) {
        ct_put(&w->out, isnan(s->mass) ? ", density = " : ", m = ");
        put_number(w, isnan(s->mass) ? s->density : s->mass);
        ct_put(&w->out, isnan(s->mass) ? " kg/m^3" : " kg");
    }
    put_at(w, &p);
    if (s->coloured) {
        ct_put(&w->out, ", color = ");
        put_vector(w, s->colour, "");
    }
    ct_put(&w->out, ")");
}

/* Frames at the ends of joints; a joint at the origin of its body needs none. */
static void put_ends(writer *w, uint32_t at, bool *open)
{
    const robot *r = w->r;
    for (uint32_t i = w->first_joint[at]; i != NOTHING; i = w->next_joint[i]) {
        pose p = tail_of(w, &r->joint.at[i]);
        if (ct_pose_is_none(&p))
            continue;
        open_frame(w, r->joint.at[i].place, name(w, r->joint.at[i].word), open);
        put_frame(w, &p);
    }
    for (uint32_t i = w->first_head[at]; i != NOTHING; i = w->next_head[i]) {
        pose p = head_of(w, &r->joint.at[i]);
        if (ct_pose_is_none(&p))
            continue;
        open_frame(w, r->joint.at[i].place, name(w, r->joint.at[i].head_word), open);
        put_frame(w, &p);
    }
}

/* What stands in the braces of a body. NOTHING: the ground. */
static bool put_frames(writer *w, uint32_t host)
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
        open_frame(w, s->place, name(w, s->word), &open);
        put_frame(w, &p);
    }
    for (uint32_t i = w->first_shape[at]; i != NOTHING; i = w->next_shape[i])
        put_shape(w, &r->shape.at[i], &open);
    ct_put(&w->out, open ? "\n}\n" : "\n");
    return open;
}

static bool is_free(const robot *r, const link *l)
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
        put_number(w, p->at[i]);
        ct_put(&w->out, " m");
    }
    for (int i = 2; i >= 0; i--) {
        double turns = ct_quarter_turns(p->rpy[i]);
        if (p->rpy[i] == 0)
            continue;
        ct_putf(&w->out, "%srotate(%s, ", any ? "*" : ", R(0) = ", axis[i]);
        put_number(w, isnan(turns) ? p->rpy[i] : 90 * turns);
        ct_put(&w->out, isnan(turns) ? " rad)" : " deg)");
        any = true;
    }
}

static void put_body(writer *w, uint32_t index)
{
    const link *l = &w->r->link.at[index];
    from(w, l->place);
    if (l->name != l->word) {
        ct_put(&w->out, "# ");
        ct_put_visible(&w->out, name(w, l->name));
        ct_put(&w->out, "\n");
    }
    ct_putf(&w->out, "%s : body", name(w, l->word));
    if (weighs(&l->own))
        put_mass(w, &l->own);
    if (is_free(w->r, l) && !ct_pose_is_none(&l->start))
        put_place(w, &l->start, weighs(&l->own));
    put_frames(w, index);
}

/* ---- joints */

/* What the robot stands on: the ground, or the port of the system. */
static const char *ground_of(const robot *r)
{
    return r->as_system ? "mount" : "ground";
}

static void put_end(writer *w, uint32_t l, const pose *p, ct_name word)
{
    const robot *r = w->r;
    ct_put(&w->out, l == NOTHING ? ground_of(r) : name(w, r->link.at[r->link.at[l].host].word));
    if (!ct_pose_is_none(p))
        ct_putf(&w->out, ".%s", name(w, word));
}

static void put_axis(writer *w, const char *key, const double axis[3])
{
    static const char *const words[] = {"x", "y", "z"};
    double all = fabs(axis[0]) + fabs(axis[1]) + fabs(axis[2]);
    ct_putf(&w->out, "%s = ", key);
    for (int i = 0; i < 3; i++)
        if (axis[i] > 0 && axis[i] == all) {
            ct_put(&w->out, words[i]);
            return;
        }
    put_vector(w, axis, "");
}

static void put_follower(writer *w, const joint *j)
{
    const joint *leader = &w->r->joint.at[j->leader];
    const freedom *own = kinds[j->kind].freedom, *its = kinds[leader->kind].freedom;
    ct_putf(&w->out, ", %s = ", own->variable);
    put_number(w, j->factor);
    if (own != its)
        ct_putf(&w->out, own == &turn ? " rad/m" : " m");
    ct_putf(&w->out, "*%s.%s", name(w, leader->word), its->variable);
    if (j->offset != 0) {
        ct_put(&w->out, " + ");
        put_number(w, j->offset);
        ct_putf(&w->out, " %s", own->unit);
    }
}

static void put_start(writer *w, const joint *j)
{
    const freedom *f = kinds[j->kind].freedom;
    if (f)
        ct_putf(&w->out, ", %s(0) = %s_%s0, %s(0) = %s_%s0", f->variable, name(w, j->word),
                f->variable, f->rate, name(w, j->word), f->rate);
}

static void put_joint(writer *w, const joint *j)
{
    pose tail = tail_of(w, j), head = head_of(w, j);
    from(w, j->place);
    ct_putf(&w->out, "%s : %s(", name(w, j->word), kinds[j->kind].word);
    put_end(w, j->parent, &tail, j->word);
    ct_put(&w->out, ", ");
    put_end(w, j->child, &head, j->head_word);
    ct_put(&w->out, ")");
    if (kinds[j->kind].axis)
        put_axis(w, kinds[j->kind].axis2 ? "  axis1" : "  axis", j->axis);
    if (kinds[j->kind].axis2)
        put_axis(w, ", axis2", j->axis2);
    if (j->leader != NOTHING)
        put_follower(w, j);
    else
        put_start(w, j);
    put_remark(w, j->name, j->word);
    ct_put(&w->out, "\n");
}

static void put_element(writer *w, const joint *j, const char *ending, const char *element,
                        const char *key, double value, const char *unit)
{
    if (value == 0)
        return;
    from(w, j->place);
    ct_putf(&w->out, "%s : %s(%s)  %s = ", word_with(w, j->word, ending), element, name(w, j->word),
            key);
    put_number(w, value);
    ct_putf(&w->out, " %s", unit);
}

/* Inertia that turns with the joint but has no weight: behind a gear of ratio one. */
static void put_armature(writer *w, const joint *j)
{
    bool turns = kinds[j->kind].freedom == &turn;
    if (j->armature == 0)
        return;
    const char *node = word_with(w, j->word, "rotor");
    from(w, j->place);
    ct_putf(&w->out, "%s : %s(%s | ground, %s)  n = 1\n", word_with(w, j->word, "gear"),
            turns ? "gear" : "lever", name(w, j->word), node);
    ct_putf(&w->out, "%s : %s(%s)  %s = ", word_with(w, j->word, "armature"),
            turns ? "inertia" : "mass", node, turns ? "J" : "m");
    put_number(w, j->armature);
    ct_put(&w->out, turns ? " kg.m^2\n" : " kg\n");
}

static void put_elements(writer *w, const joint *j)
{
    const freedom *f = kinds[j->kind].freedom;
    if (!f)
        return;
    if (j->leader == NOTHING && !w->r->as_system) {
        from(w, j->place);
        ct_putf(&w->out, "%s : %s(%s)  %s = %s_%s\n", word_with(w, j->word, "motor"), f->load,
                name(w, j->word), f->load_key, name(w, j->word), f->load_key);
    }
    put_element(w, j, "damper", f->damper, "d", j->damping, f->damping_unit);
    ct_put(&w->out, j->damping != 0 ? "\n" : "");
    put_element(w, j, "friction", f->friction, f->friction_key, j->friction, f->load_unit);
    ct_put(&w->out, j->friction != 0 ? "\n" : "");
    put_armature(w, j);
    put_element(w, j, "spring", f->spring, "k", j->stiffness, f->spring_unit);
    if (j->stiffness != 0 && j->rest != 0) {
        ct_putf(&w->out, ", %s = ", f->rest);
        put_number(w, j->rest);
        ct_putf(&w->out, " %s", f->unit);
    }
    ct_put(&w->out, j->stiffness != 0 ? "\n" : "");
}

/* ---- data */

static void put_limits(writer *w, const joint *j)
{
    const freedom *f = kinds[j->kind].freedom;
    if (!f)
        return;
    const struct {
        const char *word, *unit;
        double value;
    } rows[] = {{"lower", f->unit, j->lower},
                {"upper", f->unit, j->upper},
                {"effort", f->load_unit, j->effort},
                {"speed", f->speed_unit, j->speed}};
    bool any = false;
    for (int i = 0; i < 4; i++) {
        if (isnan(rows[i].value))
            continue;
        if (!any)
            from(w, j->place);
        ct_putf(&w->out, "%s%s_%s : %s = ", any ? ", " : "param ", name(w, j->word), rows[i].word,
                rows[i].unit);
        put_number(w, rows[i].value);
        any = true;
    }
    ct_put(&w->out, any ? "\n" : "");
}

/* Where it starts, and what drives it. */
static void put_input(writer *w, const joint *j)
{
    const freedom *f = kinds[j->kind].freedom;
    const char *word = name(w, j->word);
    if (!f || j->leader != NOTHING)
        return;
    from(w, j->place);
    ct_putf(&w->out, "param %s_%s0 : %s = 0, %s_%s0 : %s = 0\n", word, f->variable, f->unit, word,
            f->rate, f->speed_unit);
    if (w->r->as_system)
        return;
    ct_putf(&w->out, "input %s_%s : %s\n", name(w, j->word), f->load_key, f->load_unit);
}

static void put_title(writer *w)
{
    ct_putf(&w->out, "model %s ", name(w, w->r->word));
    put_string(w, name(w, w->r->name));
    ct_put(&w->out, "\nspace = spatial\ngravity = ");
    put_vector(w, w->r->gravity, "m/s^2");
    ct_put(&w->out, "\n");
}

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

static void make_lists(writer *w)
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

/* ---- the whole */

static bool is_merged(const robot *r, uint32_t i)
{
    const joint *j = &r->joint.at[i];
    return j->kind == JOINT_FIXED && j->parent != NOTHING && r->link.at[j->child].joint == i;
}

static void put_root(writer *w, const link *l)
{
    if (l->joint != NOTHING || is_free(w->r, l))
        return;
    from(w, l->place);
    ct_putf(&w->out, "%s : weld(%s, %s)\n", word_with(w, l->word, "fixed"), ground_of(w->r),
            name(w, l->word));
}

static void put_ground(writer *w)
{
    size_t before = w->out.length;
    ct_put(&w->out, "ground");
    if (w->r->as_system || !put_frames(w, NOTHING)) {
        w->out.length = before; /* nothing was put since that could have a piece */
        w->out.at[before] = '\0';
    }
}

static void put_all(writer *w)
{
    robot *r = w->r;
    for (uint32_t i = 0; i < r->joint.count; i++)
        put_limits(w, &r->joint.at[i]);
    for (uint32_t i = 0; i < r->joint.count; i++)
        put_input(w, &r->joint.at[i]);
    put_ground(w);
    for (uint32_t i = 0; i < r->link.count; i++)
        if (r->link.at[r->order[i]].host == r->order[i])
            put_body(w, r->order[i]);
    for (uint32_t i = 0; i < r->link.count; i++)
        put_root(w, &r->link.at[i]);
    for (uint32_t i = 0; i < r->joint.count; i++)
        if (!is_merged(r, i))
            put_joint(w, &r->joint.at[i]);
    for (uint32_t i = 0; i < r->joint.count; i++)
        put_elements(w, &r->joint.at[i]);
}

uint32_t ct_write_robot(robot *r, uint32_t source)
{
    writer w = {.r = r, .out = ct_text_new(r->arena)};
    ct_place root = r->x->element.at[CT_XML_ROOT].place;
    make_lists(&w);
    from(&w, root);
    if (r->as_system)
        ct_putf(&w.out, "system %s(%s)\n", name(&w, r->word), r->floating ? "" : "mount : frame");
    else
        put_title(&w);
    put_all(&w);
    from(&w, root);
    if (r->as_system)
        ct_put(&w.out, "end\n");
    uint32_t made = ct_source_add(r->ctx, ct_source_get(r->ctx, source)->path,
                                  ct_text_string(&w.out), w.out.length);
    ct_source_piece *piece = CT_NEW_ARRAY(r->ctx->base, ct_source_piece, w.piece.count);
    memcpy(piece, w.piece.at, w.piece.count * sizeof *piece);
    r->ctx->sources.at[made].piece = piece;
    r->ctx->sources.at[made].piece_count = w.piece.count;
    return made;
}
