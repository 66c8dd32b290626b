/* write.c - links and joints as a text of the language, each statement with the tag that it came
 * from. */
#include <math.h>
#include <string.h>

#include "robot/write.h"

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

/* ---- joints */

/* What the robot stands on: the ground, or the port of the system. */
static const char *ground_of(const robot *r)
{
    return r->as_system ? "mount" : "ground";
}

static void put_end(writer *w, uint32_t l, const pose *p, ct_name word)
{
    const robot *r = w->r;
    ct_put(&w->out,
           l == NOTHING ? ground_of(r) : ct_word_text(w, r->link.at[r->link.at[l].host].word));
    if (!ct_pose_is_none(p))
        ct_putf(&w->out, ".%s", ct_word_text(w, word));
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
    ct_put_vector(w, axis, "");
}

static void put_follower(writer *w, const joint *j)
{
    const joint *leader = &w->r->joint.at[j->leader];
    const freedom *own = kinds[j->kind].freedom, *its = kinds[leader->kind].freedom;
    ct_putf(&w->out, ", %s = ", own->variable);
    ct_put_shortest(w, j->factor);
    if (own != its)
        ct_putf(&w->out, own == &turn ? " rad/m" : " m");
    ct_putf(&w->out, "*%s.%s", ct_word_text(w, leader->word), its->variable);
    if (j->offset != 0) {
        ct_put(&w->out, " + ");
        ct_put_shortest(w, j->offset);
        ct_putf(&w->out, " %s", own->unit);
    }
}

static void put_start(writer *w, const joint *j)
{
    const freedom *f = kinds[j->kind].freedom;
    if (f)
        ct_putf(&w->out, ", %s(0) = %s_%s0, %s(0) = %s_%s0", f->variable, ct_word_text(w, j->word),
                f->variable, f->rate, ct_word_text(w, j->word), f->rate);
}

static void put_joint(writer *w, const joint *j)
{
    pose tail = ct_tail_of(w, j), head = ct_head_of(w, j);
    ct_came_from(w, j->place);
    ct_putf(&w->out, "%s : %s(", ct_word_text(w, j->word), kinds[j->kind].word);
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
    ct_put_remark(w, j->name, j->word);
    ct_put(&w->out, "\n");
}

static void put_element(writer *w, const joint *j, const char *ending, const char *element,
                        const char *key, double value, const char *unit)
{
    if (value == 0)
        return;
    ct_came_from(w, j->place);
    ct_putf(&w->out, "%s : %s(%s)  %s = ", ct_new_word(w, j->word, ending), element,
            ct_word_text(w, j->word), key);
    ct_put_shortest(w, value);
    ct_putf(&w->out, " %s", unit);
}

/* Inertia that turns with the joint but has no weight: behind a gear of ratio one. */
static void put_armature(writer *w, const joint *j)
{
    bool turns = kinds[j->kind].freedom == &turn;
    if (j->armature == 0)
        return;
    const char *node = ct_new_word(w, j->word, "rotor");
    ct_came_from(w, j->place);
    ct_putf(&w->out, "%s : %s(%s | ground, %s)  n = 1\n", ct_new_word(w, j->word, "gear"),
            turns ? "gear" : "lever", ct_word_text(w, j->word), node);
    ct_putf(&w->out, "%s : %s(%s)  %s = ", ct_new_word(w, j->word, "armature"),
            turns ? "inertia" : "mass", node, turns ? "J" : "m");
    ct_put_shortest(w, j->armature);
    ct_put(&w->out, turns ? " kg.m^2\n" : " kg\n");
}

/* Of joints with several freedoms: damping of all turns, and of all slides of a floating one. */
static void put_damping_of_many(writer *w, const joint *j)
{
    pose tail = ct_tail_of(w, j), head = ct_head_of(w, j);
    const char *word = ct_word_text(w, j->word);
    for (int slides = 0; slides <= (j->kind == JOINT_FLOATING); slides++) {
        ct_came_from(w, j->place);
        ct_putf(&w->out, "%s : %s(", ct_new_word(w, j->word, slides ? "drag" : "damper"),
                slides ? "force" : "torque");
        put_end(w, j->parent, &tail, j->word);
        ct_put(&w->out, ", ");
        put_end(w, j->child, &head, j->head_word);
        ct_putf(&w->out, ")  %s = -", slides ? "F" : "T");
        ct_put_shortest(w, j->damping);
        ct_putf(&w->out,
                slides ? " N.s/m*%s.v, axes = tail\n" : " N.m.s/rad*%s.omega, axes = head\n", word);
    }
}

static void put_many(writer *w, const joint *j)
{
    bool damped = j->kind == JOINT_SPHERICAL || j->kind == JOINT_FLOATING;
    const struct {
        const char *word;
        double value;
    } rows[] = {{"damping", damped ? 0 : j->damping},
                {"friction", j->friction},
                {"stiffness", j->stiffness},
                {"armature", j->armature}};
    if (damped && j->damping != 0)
        put_damping_of_many(w, j);
    for (int i = 0; i < 4 && j->kind != JOINT_FIXED; i++)
        if (rows[i].value != 0)
            ct_leave_out_word(
                w->r, ct_printf(w->r->ctx, "%s of %s joints", rows[i].word, kinds[j->kind].word),
                j->place);
}

static void put_elements(writer *w, const joint *j)
{
    const freedom *f = kinds[j->kind].freedom;
    if (!f) {
        put_many(w, j);
        return;
    }
    if (j->leader == NOTHING && !w->r->as_system) {
        ct_came_from(w, j->place);
        ct_putf(&w->out, "%s : %s(%s)  %s = %s_%s\n", ct_new_word(w, j->word, "motor"), f->load,
                ct_word_text(w, j->word), f->load_key, ct_word_text(w, j->word), f->load_key);
    }
    put_element(w, j, "damper", f->damper, "d", j->damping, f->damping_unit);
    ct_put(&w->out, j->damping != 0 ? "\n" : "");
    put_element(w, j, "friction", f->friction, f->friction_key, j->friction, f->load_unit);
    ct_put(&w->out, j->friction != 0 ? "\n" : "");
    put_armature(w, j);
    put_element(w, j, "spring", f->spring, "k", j->stiffness, f->spring_unit);
    if (j->stiffness != 0 && j->rest != 0) {
        ct_putf(&w->out, ", %s = ", f->rest);
        ct_put_shortest(w, j->rest);
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
            ct_came_from(w, j->place);
        ct_putf(&w->out, "%s%s_%s : %s = ", any ? ", " : "param ", ct_word_text(w, j->word),
                rows[i].word, rows[i].unit);
        ct_put_shortest(w, rows[i].value);
        any = true;
    }
    ct_put(&w->out, any ? "\n" : "");
}

/* Where it starts, and what drives it. */
static void put_input(writer *w, const joint *j)
{
    const freedom *f = kinds[j->kind].freedom;
    const char *word = ct_word_text(w, j->word);
    if (!f || j->leader != NOTHING)
        return;
    ct_came_from(w, j->place);
    ct_putf(&w->out, "param %s_%s0 : %s = 0, %s_%s0 : %s = 0\n", word, f->variable, f->unit, word,
            f->rate, f->speed_unit);
    if (w->r->as_system)
        return;
    ct_putf(&w->out, "input %s_%s : %s\n", ct_word_text(w, j->word), f->load_key, f->load_unit);
}

static void put_title(writer *w)
{
    ct_putf(&w->out, "model %s ", ct_word_text(w, w->r->word));
    ct_put_quoted(w, ct_word_text(w, w->r->name));
    ct_put(&w->out, "\nspace = spatial\ngravity = ");
    ct_put_vector(w, w->r->gravity, "m/s^2");
    ct_put(&w->out, "\n");
}

/* ---- the whole */

static bool is_merged(const robot *r, uint32_t i)
{
    const joint *j = &r->joint.at[i];
    return j->kind == JOINT_FIXED && j->parent != NOTHING && r->link.at[j->child].joint == i;
}

static void put_root(writer *w, const link *l)
{
    if (l->joint != NOTHING || ct_is_free(w->r, l))
        return;
    ct_came_from(w, l->place);
    ct_putf(&w->out, "%s : weld(%s, %s)\n", ct_new_word(w, l->word, "fixed"), ground_of(w->r),
            ct_word_text(w, l->word));
}

static void put_ground(writer *w)
{
    size_t before = w->out.length;
    ct_put(&w->out, "ground");
    if (w->r->as_system || !ct_put_frames(w, NOTHING)) {
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
            ct_put_body(w, r->order[i]);
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
    ct_make_lists(&w);
    ct_came_from(&w, root);
    if (r->as_system)
        ct_putf(&w.out, "system %s(%s)\n", ct_word_text(&w, r->word),
                r->floating ? "" : "mount : frame");
    else
        put_title(&w);
    put_all(&w);
    ct_came_from(&w, root);
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
