/* sdf.c - links and joints of an SDF file: one model, poses against the model or against links. */
#include <math.h>
#include <string.h>

#include "robot/inside.h"

/* ---- values are texts of elements */

static bool read_text(robot *r, uint32_t parent, const char *tag, uint32_t count, double *out)
{
    uint32_t e = parent ? ct_xml_child(r->x, parent, tag) : 0;
    return e &&
           ct_robot_numbers(r, r->x->element.at[e].text, r->x->element.at[e].inner, count, out);
}

static const char *text_of(const robot *r, uint32_t parent, const char *tag)
{
    uint32_t e = ct_xml_child(r->x, parent, tag);
    return e ? r->x->element.at[e].text : "";
}

static bool is_true(const char *text)
{
    return strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
}

/* False: there is none. */
static bool read_pose(robot *r, uint32_t parent, pose *p)
{
    uint32_t e = ct_xml_child(r->x, parent, "pose");
    double six[6] = {0};
    if (!e || !*r->x->element.at[e].text)
        return false;
    const ct_xml_element *own = &r->x->element.at[e];
    if (!ct_robot_numbers(r, own->text, own->inner, 6, six))
        return false;
    ct_read_angles(own->text, six, 6);
    memcpy(p->at, six, sizeof p->at);
    memcpy(p->rpy, six + 3, sizeof p->rpy);
    const ct_xml_attribute *degrees = ct_xml_find(r->x, e, "degrees");
    for (int i = 0; i < 3 && degrees && is_true(degrees->value); i++)
        p->rpy[i] *= 0.01745329251994329577;
    return true;
}

/* The frame that a pose is given in; 0: the usual one. */
static ct_name frame_of(robot *r, uint32_t parent)
{
    uint32_t e = ct_xml_child(r->x, parent, "pose");
    const ct_xml_attribute *a = e ? ct_xml_find(r->x, e, "relative_to") : NULL;
    return a && *a->value && strcmp(a->value, "__model__") != 0 ? ct_intern_text(r->ctx, a->value)
                                                                : 0;
}

/* ---- links */

static void read_inertial(robot *r, uint32_t element, inertial *out)
{
    static const char *const entries[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    uint32_t inertia = ct_xml_child(r->x, element, "inertia");
    inertial own = {.mass = 1, .I = {1, 1, 1, 0, 0, 0}}; /* as SDF has it */
    pose p = ct_pose_none();
    read_text(r, element, "mass", 1, &own.mass);
    for (int i = 0; i < 6; i++)
        read_text(r, inertia, entries[i], 1, &own.I[i]);
    read_pose(r, element, &p);
    *out = ct_inertial_in(&own, &p);
}

static bool read_geometry(robot *r, uint32_t geometry, shape *s)
{
    uint32_t e = geometry ? r->x->element.at[geometry].first : 0;
    if (!e || !ct_shape_word(ct_name_text(r->ctx, r->x->element.at[e].name), &s->kind)) {
        if (e)
            ct_leave_out(r, e);
        return false;
    }
    if (s->kind == SHAPE_MESH) {
        s->size[0] = s->size[1] = s->size[2] = 1;
        read_text(r, e, "scale", 3, s->size);
        s->file = text_of(r, e, "uri");
        return *s->file;
    }
    if (s->kind == SHAPE_BOX)
        return read_text(r, e, "size", 3, s->size);
    if (s->kind == SHAPE_ELLIPSOID)
        return read_text(r, e, "radii", 3, s->size);
    read_text(r, e, "length", 1, &s->size[1]);
    return read_text(r, e, "radius", 1, &s->size[0]);
}

static void read_visual(robot *r, uint32_t element, uint32_t index)
{
    shape s = {.link = index,
               .pose = ct_pose_none(),
               .mass = NAN,
               .density = NAN,
               .place = r->x->element.at[element].place};
    uint32_t material = ct_xml_child(r->x, element, "material");
    double rgba[4];
    read_pose(r, element, &s.pose);
    s.coloured = read_text(r, material, "diffuse", 4, rgba);
    for (int i = 0; i < 3 && s.coloured; i++)
        s.colour[i] = rgba[i];
    if (read_geometry(r, ct_xml_child(r->x, element, "geometry"), &s))
        CT_PUSH(r->arena, r->shape, s);
}

static void read_link(robot *r, uint32_t element, bool fixed)
{
    const char *name = ct_need_text(r, element, "name");
    if (!name)
        return;
    uint32_t index = ct_add_link(r, ct_intern_text(r->ctx, name), r->x->element.at[element].place);
    link *l = &r->link.at[index];
    l->own = (inertial){.mass = 1, .I = {1, 1, 1, 0, 0, 0}};
    l->floating = !fixed;
    l->relative = frame_of(r, element);
    read_pose(r, element, &l->pose);
    for (uint32_t e = r->x->element.at[element].first; e; e = r->x->element.at[e].next) {
        if (ct_xml_is(r->x, e, "inertial"))
            read_inertial(r, e, &r->link.at[index].own);
        else if (ct_xml_is(r->x, e, "visual"))
            read_visual(r, e, index);
        else if (!ct_xml_is(r->x, e, "pose"))
            ct_leave_out(r, e);
    }
}

/* Poses against other links become those against the model. Each link is met once by its chain. */
static void resolve_poses(robot *r)
{
    uint32_t *chain = CT_NEW_ARRAY(r->arena, uint32_t, r->link.count + 1);
    for (uint32_t i = 0; i < r->link.count && !r->broken; i++) {
        uint32_t count = 0, at = i;
        while (r->link.at[at].relative && count <= r->link.count) {
            uint32_t found = ct_map_get(&r->links, r->link.at[at].relative);
            if (!found || count == r->link.count) {
                ct_robot_error(r, "E852", r->link.at[at].place,
                               found ? "poses of links lead back to themselves"
                                     : "this pose is given in a frame that is not read");
                return;
            }
            chain[count++] = at;
            at = found - 1;
        }
        while (count-- > 0) {
            link *l = &r->link.at[chain[count]];
            l->pose = ct_pose_product(&r->link.at[at].pose, &l->pose);
            l->relative = 0;
            at = chain[count];
        }
    }
}

/* ---- joints */

static bool read_kind(robot *r, uint32_t element, joint_kind *kind)
{
    static const struct {
        const char *word;
        joint_kind kind;
    } kinds[] = {{"revolute", JOINT_REVOLUTE},   {"continuous", JOINT_REVOLUTE},
                 {"prismatic", JOINT_PRISMATIC}, {"fixed", JOINT_FIXED},
                 {"ball", JOINT_SPHERICAL},      {"universal", JOINT_UNIVERSAL}};
    const char *type = ct_need_text(r, element, "type");
    for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].word, type) == 0) {
            *kind = kinds[i].kind;
            return true;
        }
    if (type) {
        ct_report *p = ct_robot_error(r, "E852", ct_xml_find(r->x, element, "type")->place,
                                      "joints of type `%s` are not read", type);
        ct_help(p, "revolute, continuous, prismatic, fixed, ball, universal are");
    }
    return false;
}

static void read_axis(robot *r, uint32_t element, const char *tag, ct_name *frame, double axis[3])
{
    uint32_t e = ct_xml_child(r->x, element, tag), xyz = e ? ct_xml_child(r->x, e, "xyz") : 0;
    axis[0] = axis[1] = 0, axis[2] = 1;
    if (!e)
        return;
    read_text(r, e, "xyz", 3, axis);
    const ct_xml_attribute *in = xyz ? ct_xml_find(r->x, xyz, "expressed_in") : NULL;
    *frame = in && *in->value ? ct_intern_text(r->ctx, in->value) : 0;
    if (is_true(text_of(r, e, "use_parent_model_frame")))
        *frame = ct_intern_text(r->ctx, "__model__");
    if (fabs(axis[0]) + fabs(axis[1]) + fabs(axis[2]) == 0)
        ct_robot_error(r, "E852", r->x->element.at[e].place, "this axis has no direction");
}

static void read_limits(robot *r, uint32_t element, joint *j)
{
    uint32_t axis = ct_xml_child(r->x, element, "axis");
    uint32_t limit = axis ? ct_xml_child(r->x, axis, "limit") : 0;
    uint32_t dynamics = axis ? ct_xml_child(r->x, axis, "dynamics") : 0;
    read_text(r, limit, "lower", 1, &j->lower);
    read_text(r, limit, "upper", 1, &j->upper);
    read_text(r, limit, "effort", 1, &j->effort);
    read_text(r, limit, "velocity", 1, &j->speed);
    read_text(r, dynamics, "damping", 1, &j->damping);
    read_text(r, dynamics, "friction", 1, &j->friction);
    read_text(r, dynamics, "spring_stiffness", 1, &j->stiffness);
    read_text(r, dynamics, "spring_reference", 1, &j->rest);
}

/* multiplier (leader - reference) + offset */
static void read_mimic(robot *r, uint32_t element, joint *j)
{
    uint32_t axis = ct_xml_child(r->x, element, "axis");
    uint32_t e = axis ? ct_xml_child(r->x, axis, "mimic") : 0;
    const char *name = e ? ct_need_text(r, e, "joint") : NULL;
    double reference = 0;
    if (!name)
        return;
    j->mimic = ct_intern_text(r->ctx, name);
    j->mimic_place = ct_xml_find(r->x, e, "joint")->place;
    read_text(r, e, "multiplier", 1, &j->factor);
    read_text(r, e, "offset", 1, &j->offset);
    read_text(r, e, "reference", 1, &reference);
    j->offset -= j->factor * reference;
}

/* Of a second axis only its direction is read. */
static void leave_out_of_axes(robot *r, uint32_t element)
{
    static const char *const known[] = {"xyz", "use_parent_model_frame", "limit", "dynamics",
                                        "mimic"};
    for (int axis = 0; axis < 2; axis++) {
        uint32_t of = ct_xml_child(r->x, element, axis ? "axis2" : "axis");
        for (uint32_t e = of ? r->x->element.at[of].first : 0; e; e = r->x->element.at[e].next) {
            size_t i = 0, count = axis ? 2 : 5;
            while (i < count && !ct_xml_is(r->x, e, known[i]))
                i++;
            if (i == count)
                ct_leave_out(r, e);
        }
    }
}

static void read_end(robot *r, uint32_t element, const char *tag, ct_name *name, ct_place *place)
{
    const char *text = text_of(r, element, tag);
    uint32_t e = ct_xml_child(r->x, element, tag);
    if (!*text)
        ct_robot_error(r, "E852", r->x->element.at[element].place, "this joint has no <%s>", tag);
    if (*text && strcmp(text, "world") != 0)
        *name = ct_intern_text(r->ctx, text);
    if (*text)
        *place = r->x->element.at[e].inner;
}

static void read_joint(robot *r, uint32_t element)
{
    static const char *const known[] = {"parent", "child", "pose", "axis", "axis2"};
    joint_kind kind;
    const char *name = ct_need_text(r, element, "name");
    if (!name || !read_kind(r, element, &kind))
        return;
    joint *j = ct_add_joint(r, ct_intern_text(r->ctx, name), kind, r->x->element.at[element].place);
    read_end(r, element, "parent", &j->parent_name, &j->parent_place);
    read_end(r, element, "child", &j->child_name, &j->child_place);
    read_pose(r, element, &j->head);
    j->relative = frame_of(r, element);
    read_axis(r, element, "axis", &j->axis_in, j->axis);
    read_axis(r, element, "axis2", &j->axis2_in, j->axis2);
    read_limits(r, element, j);
    read_mimic(r, element, j);
    leave_out_of_axes(r, element);
    for (uint32_t e = r->x->element.at[element].first; e; e = r->x->element.at[e].next) {
        size_t i = 0;
        while (i < 5 && !ct_xml_is(r->x, e, known[i]))
            i++;
        if (i == 5)
            ct_leave_out(r, e);
    }
}

/* ---- frames of joints, when all poses are known */

static const pose *pose_of(robot *r, ct_name name)
{
    uint32_t found = name ? ct_map_get(&r->links, name) : 0;
    return found ? &r->link.at[found - 1].pose : NULL;
}

/* An axis that is given in the frame `in`, in the axes of the joint, which stands at `at`. */
static void turn_axis(robot *r, const joint *j, const pose *at, ct_name in, double axis[3])
{
    const bool in_model = in == ct_intern_text(r->ctx, "__model__");
    const pose *axes = in_model ? NULL : pose_of(r, in);
    double from[9];
    if (!in)
        return;
    if (!axes && !in_model) {
        ct_robot_error(r, "E852", j->place, "the axis of `%s` is given in a frame that is not read",
                       ct_name_text(r->ctx, j->name));
        return;
    }
    if (axes) {
        ct_pose_matrix(axes, from);
        ct_turn_vector(from, axis, axis);
    }
    pose turn = *at, inverse;
    turn.at[0] = turn.at[1] = turn.at[2] = 0;
    inverse = ct_pose_inverse(&turn);
    ct_pose_apply(&inverse, axis, axis);
}

/* The joint in the model: its pose is against the child, or what it names. */
static void seat_joint(robot *r, joint *j, const pose *model)
{
    const pose *child = pose_of(r, j->child_name), *parent = pose_of(r, j->parent_name);
    const pose *base = j->relative ? pose_of(r, j->relative) : child;
    if (!child || (j->parent_name && !parent))
        return; /* told when links are looked for */
    if (!base) {
        ct_robot_error(r, "E852", j->place, "the pose of `%s` is given in a frame that is not read",
                       ct_name_text(r->ctx, j->name));
        return;
    }
    pose at = ct_pose_product(base, &j->head), back = ct_pose_inverse(child);
    if (j->relative)
        j->head = ct_pose_product(&back, &at);
    if (parent)
        back = ct_pose_inverse(parent);
    j->pose = ct_pose_product(parent ? &back : model, &at);
    turn_axis(r, j, &at, j->axis_in, j->axis);
    turn_axis(r, j, &at, j->axis2_in, j->axis2);
}

/* ---- the whole */

static void refuse(robot *r, uint32_t e)
{
    ct_report *p = ct_robot_error(r, "E852", r->x->element.at[e].place, "<%s> is not read here",
                                  ct_name_text(r->ctx, r->x->element.at[e].name));
    ct_help(p, "write its links and joints into this model");
}

static void read_model(robot *r, uint32_t model)
{
    static const char *const known[] = {"link", "joint", "pose", "static", "include", "model"};
    const char *name = ct_need_text(r, model, "name");
    bool fixed = is_true(text_of(r, model, "static"));
    pose at = ct_pose_none();
    const ct_xml_attribute *placed = ct_xml_find(r->x, model, "placement_frame");
    r->name = ct_intern_text(r->ctx, name ? name : "robot");
    read_pose(r, model, &at);
    if (placed && *placed->value && strcmp(placed->value, "__model__") != 0)
        ct_robot_error(r, "E852", placed->place, "`placement_frame` is not read");
    for (uint32_t e = r->x->element.at[model].first; e; e = r->x->element.at[e].next) {
        size_t i = 0;
        while (i < 6 && !ct_xml_is(r->x, e, known[i]))
            i++;
        if (i == 0)
            read_link(r, e, fixed);
        else if (i == 1)
            read_joint(r, e);
        else if (i >= 4 && i < 6)
            refuse(r, e);
        else if (i == 6)
            ct_leave_out(r, e);
    }
    resolve_poses(r);
    for (uint32_t i = 0; i < r->joint.count && !r->broken; i++)
        seat_joint(r, &r->joint.at[i], &at);
    for (uint32_t i = 0; i < r->link.count; i++)
        r->link.at[i].start = ct_pose_product(&at, &r->link.at[i].pose);
}

void ct_read_sdf(robot *r, uint32_t root)
{
    uint32_t world = ct_xml_child(r->x, root, "world"), home = world ? world : root, model = 0;
    read_text(r, world, "gravity", 3, r->gravity);
    for (uint32_t e = r->x->element.at[home].first; e; e = r->x->element.at[e].next) {
        if (!ct_xml_is(r->x, e, "model")) {
            if (!ct_xml_is(r->x, e, "gravity"))
                ct_leave_out(r, e);
        } else if (model) {
            ct_report *p = ct_robot_error(r, "E852", r->x->element.at[e].place,
                                          "a file with several models is not read");
            ct_help(p, "give each a file of its own, and `use` them in one text");
        } else {
            model = e;
        }
    }
    if (model)
        read_model(r, model);
    else
        ct_robot_error(r, "E852", r->x->element.at[root].place, "there is no <model>");
}
