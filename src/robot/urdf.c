/* urdf.c - links and joints of a URDF file. */
#include <math.h>
#include <string.h>

#include "robot/inside.h"

static void read_origin(robot *r, uint32_t parent, pose *p)
{
    uint32_t origin = ct_xml_child(r->x, parent, "origin");
    if (!origin)
        return;
    ct_read_numbers(r, origin, "xyz", 3, p->at);
    const ct_xml_attribute *a = ct_xml_find(r->x, origin, "rpy");
    if (a && ct_robot_numbers(r, a->value, a->place, 3, p->rpy))
        ct_read_angles(a->value, p->rpy, 3);
}

/* ---- links */

static void read_inertial(robot *r, uint32_t element, inertial *out)
{
    static const char *const entries[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    uint32_t mass = ct_xml_child(r->x, element, "mass");
    uint32_t inertia = ct_xml_child(r->x, element, "inertia");
    pose p = ct_pose_none();
    inertial own = {0};
    if (mass && ct_need_text(r, mass, "value"))
        ct_read_numbers(r, mass, "value", 1, &own.mass);
    for (int i = 0; i < 6 && inertia; i++)
        if (i >= 3 || ct_need_text(r, inertia, entries[i]))
            ct_read_numbers(r, inertia, entries[i], 1, &own.I[i]);
    read_origin(r, element, &p);
    *out = ct_inertial_in(&own, &p);
}

static void read_geometry(robot *r, uint32_t geometry, shape *s)
{
    uint32_t e = r->x->element.at[geometry].first;
    double radius = 0, length = 0;
    if (!e || !ct_shape_word(ct_name_text(r->ctx, r->x->element.at[e].name), &s->kind)) {
        if (e)
            ct_leave_out(r, e);
        s->kind = SHAPE_NONE;
        return;
    }
    ct_read_numbers(r, e, "radius", 1, &radius);
    ct_read_numbers(r, e, "length", 1, &length);
    s->size[0] = radius, s->size[1] = length;
    if (s->kind == SHAPE_BOX)
        ct_read_numbers(r, e, "size", 3, s->size);
    if (s->kind == SHAPE_MESH) {
        s->size[0] = s->size[1] = s->size[2] = 1;
        ct_read_numbers(r, e, "scale", 3, s->size);
        s->file = ct_need_text(r, e, "filename");
    }
}

/* A colour stands in the visual, or in a material of the robot that it names. */
static void read_colour(robot *r, uint32_t visual, shape *s)
{
    uint32_t material = ct_xml_child(r->x, visual, "material");
    const ct_xml_attribute *name = material ? ct_xml_find(r->x, material, "name") : NULL;
    double rgba[4];
    uint32_t colour = material ? ct_xml_child(r->x, material, "color") : 0;
    uint32_t known = name ? ct_map_get(&r->materials, ct_intern_text(r->ctx, name->value)) : 0;
    if (!colour && known)
        colour = ct_xml_child(r->x, known, "color");
    s->coloured = colour && ct_read_numbers(r, colour, "rgba", 4, rgba);
    for (int i = 0; i < 3 && s->coloured; i++)
        s->colour[i] = rgba[i];
}

static void read_visual(robot *r, uint32_t element, uint32_t index)
{
    uint32_t geometry = ct_xml_child(r->x, element, "geometry");
    shape s = {.link = index,
               .pose = ct_pose_none(),
               .mass = NAN,
               .density = NAN,
               .place = r->x->element.at[element].place};
    if (!geometry)
        return;
    read_origin(r, element, &s.pose);
    read_geometry(r, geometry, &s);
    read_colour(r, element, &s);
    if (s.kind != SHAPE_NONE && (s.kind != SHAPE_MESH || s.file))
        CT_PUSH(r->arena, r->shape, s);
}

static void read_link(robot *r, uint32_t element)
{
    const char *name = ct_need_text(r, element, "name");
    if (!name)
        return;
    uint32_t index = ct_add_link(r, ct_intern_text(r->ctx, name), r->x->element.at[element].place);
    for (uint32_t e = r->x->element.at[element].first; e; e = r->x->element.at[e].next) {
        if (ct_xml_is(r->x, e, "inertial"))
            read_inertial(r, e, &r->link.at[index].own);
        else if (ct_xml_is(r->x, e, "visual"))
            read_visual(r, e, index);
        else
            ct_leave_out(r, e);
    }
}

/* ---- joints */

static bool read_kind(robot *r, uint32_t element, joint_kind *kind, bool *endless)
{
    static const struct {
        const char *word;
        joint_kind kind;
    } kinds[] = {{"revolute", JOINT_REVOLUTE},   {"continuous", JOINT_REVOLUTE},
                 {"prismatic", JOINT_PRISMATIC}, {"fixed", JOINT_FIXED},
                 {"floating", JOINT_FLOATING},   {"planar", JOINT_PLANAR}};
    const char *type = ct_need_text(r, element, "type");
    for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].word, type) == 0) {
            *kind = kinds[i].kind;
            *endless = i == 1;
            return true;
        }
    if (!type)
        return false;
    ct_report *p = ct_robot_error(r, "E852", ct_xml_find(r->x, element, "type")->place,
                                  "there are no joints of type `%s`", type);
    ct_help(p, "revolute, continuous, prismatic, fixed, floating, planar are there");
    return false;
}

static void read_end(robot *r, uint32_t element, const char *tag, ct_name *name, ct_place *place)
{
    uint32_t e = ct_xml_child(r->x, element, tag);
    const char *text = e ? ct_need_text(r, e, "link") : NULL;
    if (!e) {
        ct_report *p = ct_robot_error(r, "E852", r->x->element.at[element].place,
                                      "this joint has no <%s>", tag);
        ct_help(p, "write <%s link=\"...\"/>", tag);
    }
    if (!text)
        return;
    *name = ct_intern_text(r->ctx, text);
    *place = ct_xml_find(r->x, e, "link")->place;
}

static void read_axis(robot *r, uint32_t element, joint *j)
{
    uint32_t e = ct_xml_child(r->x, element, "axis");
    if (!e || !ct_read_numbers(r, e, "xyz", 3, j->axis))
        return;
    if (fabs(j->axis[0]) + fabs(j->axis[1]) + fabs(j->axis[2]) > 0 || j->kind == JOINT_FIXED ||
        j->kind == JOINT_FLOATING)
        return;
    ct_report *p =
        ct_robot_error(r, "E852", ct_xml_find(r->x, e, "xyz")->place,
                       "the axis of `%s` has no direction", ct_name_text(r->ctx, j->name));
    ct_help(p, "write a direction, like xyz=\"0 0 1\"");
}

static void read_limits(robot *r, uint32_t element, bool endless, joint *j)
{
    uint32_t limit = ct_xml_child(r->x, element, "limit");
    uint32_t dynamics = ct_xml_child(r->x, element, "dynamics");
    ct_read_numbers(r, limit, "effort", 1, &j->effort);
    ct_read_numbers(r, limit, "velocity", 1, &j->speed);
    if (limit && !endless) {
        j->lower = j->upper = 0; /* as URDF has it */
        ct_read_numbers(r, limit, "lower", 1, &j->lower);
        ct_read_numbers(r, limit, "upper", 1, &j->upper);
    }
    ct_read_numbers(r, dynamics, "damping", 1, &j->damping);
    ct_read_numbers(r, dynamics, "friction", 1, &j->friction);
}

static void read_mimic(robot *r, uint32_t element, joint *j)
{
    uint32_t e = ct_xml_child(r->x, element, "mimic");
    const char *name = e ? ct_need_text(r, e, "joint") : NULL;
    if (!name)
        return;
    j->mimic = ct_intern_text(r->ctx, name);
    j->mimic_place = ct_xml_find(r->x, e, "joint")->place;
    ct_read_numbers(r, e, "multiplier", 1, &j->factor);
    ct_read_numbers(r, e, "offset", 1, &j->offset);
}

static void read_joint(robot *r, uint32_t element)
{
    static const char *const known[] = {"origin", "parent",   "child", "axis",
                                        "limit",  "dynamics", "mimic"};
    joint_kind kind;
    bool endless;
    const char *name = ct_need_text(r, element, "name");
    if (!name || !read_kind(r, element, &kind, &endless))
        return;
    joint *j = ct_add_joint(r, ct_intern_text(r->ctx, name), kind, r->x->element.at[element].place);
    read_origin(r, element, &j->pose);
    read_end(r, element, "parent", &j->parent_name, &j->parent_place);
    read_end(r, element, "child", &j->child_name, &j->child_place);
    read_axis(r, element, j);
    read_limits(r, element, endless, j);
    read_mimic(r, element, j);
    for (uint32_t e = r->x->element.at[element].first; e; e = r->x->element.at[e].next) {
        size_t i = 0;
        while (i < sizeof known / sizeof *known && !ct_xml_is(r->x, e, known[i]))
            i++;
        if (i == sizeof known / sizeof *known)
            ct_leave_out(r, e);
    }
}

static bool is_macro(const robot *r, uint32_t e)
{
    return strncmp(ct_name_text(r->ctx, r->x->element.at[e].name), "xacro:", 6) == 0;
}

static void report_macro(robot *r, uint32_t e)
{
    ct_report *p = ct_robot_error(r, "E852", r->x->element.at[e].place,
                                  "this is a macro of xacro, not yet a robot");
    ct_help(p, "let xacro write it out first: xacro robot.xacro > robot.urdf");
}

void ct_read_urdf(robot *r, uint32_t root)
{
    const ct_xml_attribute *name = ct_xml_find(r->x, root, "name");
    r->name = ct_intern_text(r->ctx, name && *name->value ? name->value : "robot");
    for (uint32_t e = r->x->element.at[root].first; e; e = r->x->element.at[e].next)
        if (ct_xml_is(r->x, e, "material")) {
            const ct_xml_attribute *own = ct_xml_find(r->x, e, "name");
            if (own)
                ct_map_put(&r->materials, ct_intern_text(r->ctx, own->value), e);
        }
    for (uint32_t e = r->x->element.at[root].first; e; e = r->x->element.at[e].next) {
        if (ct_xml_is(r->x, e, "link"))
            read_link(r, e);
        else if (ct_xml_is(r->x, e, "joint"))
            read_joint(r, e);
        else if (is_macro(r, e))
            report_macro(r, e);
        else if (!ct_xml_is(r->x, e, "material"))
            ct_leave_out(r, e);
    }
}
