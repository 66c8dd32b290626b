/* mjcf.c - bodies, joints and geoms of an MJCF file (MuJoCo), with its default classes. */
#include <math.h>
#include <string.h>

#include "robot/inside.h"

static const double upright = 1e-12; /* sine of a turn that has no axis */

typedef struct mjcf {
    robot *r;
    double degree;      /* what angles are multiplied by */
    const char *order;  /* of Euler's angles */
    const char *meshes; /* their folder */
    bool always_geoms, limits;
    ct_map classes; /* name -> <default> */
    uint32_t bodies;
} mjcf;

/* A body that is open: its element, what it hangs on, its class. */
typedef struct open_body {
    uint32_t element, link; /* link NOTHING: the world */
    uint32_t class;         /* a <default>; 0: none */
} open_body;

/* ---- attributes, own or of a class */

static const ct_xml_attribute *find(const mjcf *f, uint32_t e, uint32_t class, const char *name)
{
    const ct_xml *x = f->r->x;
    const ct_xml_attribute *own = ct_xml_find(x, e, name), *named = ct_xml_find(x, e, "class");
    if (own)
        return own;
    uint32_t at = named ? ct_map_get(&f->classes, ct_intern_text(f->r->ctx, named->value)) : class;
    const char *tag = ct_name_text(f->r->ctx, x->element.at[e].name);
    for (; at && ct_xml_is(x, at, "default"); at = x->element.at[at].parent) {
        uint32_t of = ct_xml_child(x, at, tag);
        const ct_xml_attribute *found = of ? ct_xml_find(x, of, name) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

static bool read(mjcf *f, uint32_t e, uint32_t class, const char *name, uint32_t count, double *out)
{
    const ct_xml_attribute *a = find(f, e, class, name);
    return a && ct_robot_numbers(f->r, a->value, a->place, count, out);
}

/* As many as there are, at most three. */
static uint32_t read_up_to_three(mjcf *f, uint32_t e, uint32_t class, double out[3])
{
    const ct_xml_attribute *a = find(f, e, class, "size");
    uint32_t count = 0;
    for (const char *at = a ? a->value : ""; *at; count++) {
        at += strspn(at, " \t\r\n");
        size_t length = strcspn(at, " \t\r\n");
        if (!length)
            break;
        at += length;
    }
    count = count > 3 ? 3 : count;
    return count && ct_robot_numbers(f->r, a->value, a->place, count, out) ? count : 0;
}

static const char *word(const mjcf *f, uint32_t e, uint32_t class, const char *name,
                        const char *usual)
{
    const ct_xml_attribute *a = find(f, e, class, name);
    return a ? a->value : usual;
}

/* ---- orientations */

static void set_quaternion(pose *p, const double q[4])
{
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double w = q[0] / n, x = q[1] / n, y = q[2] / n, z = q[3] / n;
    const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    ct_pose_set_matrix(p, R);
}

static void set_axis_angle(pose *p, const double axis[3], double angle)
{
    double n = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]), s = sin(angle / 2);
    const double q[4] = {cos(angle / 2), s * axis[0] / n, s * axis[1] / n, s * axis[2] / n};
    set_quaternion(p, q);
}

/* x, y, z turn about the new axes, X, Y, Z about the first ones. */
static void set_euler(mjcf *f, pose *p, const double angle[3])
{
    pose all = ct_pose_none();
    for (int i = 0; i < 3; i++) {
        pose one = ct_pose_none();
        char c = f->order[i];
        int k = c == 'x' || c == 'X' ? 0 : c == 'y' || c == 'Y' ? 1 : 2;
        one.rpy[k] = f->degree * angle[i];
        all = c >= 'a' ? ct_pose_product(&all, &one) : ct_pose_product(&one, &all);
    }
    memcpy(p->rpy, all.rpy, sizeof p->rpy);
}

/* The least turn that brings z to this direction. */
static void set_z(pose *p, const double z[3])
{
    double n = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]), c = z[2] / n;
    double axis[3] = {-z[1], z[0], 0}, across = hypot(z[0], z[1]) / n;
    if (!(across > upright))
        axis[0] = 1, axis[1] = 0;
    set_axis_angle(p, axis, atan2(across, c));
}

static void set_two_axes(pose *p, const double v[6])
{
    double x[3], y[3], n = 0, along = 0, m = 0;
    for (int i = 0; i < 3; i++)
        n += v[i] * v[i];
    for (int i = 0; i < 3; i++)
        x[i] = v[i] / sqrt(n), along += x[i] * v[3 + i];
    for (int i = 0; i < 3; i++)
        y[i] = v[3 + i] - along * x[i], m += y[i] * y[i];
    double R[9];
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        R[3 * i] = x[i];
        R[3 * i + 1] = y[i] / sqrt(m);
        R[3 * i + 2] = (x[k] * y[l] - x[l] * y[k]) / sqrt(m);
    }
    ct_pose_set_matrix(p, R);
}

static bool any(const double *v, int count)
{
    double all = 0;
    for (int i = 0; i < count; i++)
        all += fabs(v[i]);
    return all > 0;
}

static void read_pose(mjcf *f, uint32_t e, uint32_t class, pose *p)
{
    double v[6];
    read(f, e, class, "pos", 3, p->at);
    if (read(f, e, class, "quat", 4, v) && any(v, 4))
        set_quaternion(p, v);
    else if (read(f, e, class, "euler", 3, v))
        set_euler(f, p, v);
    else if (read(f, e, class, "axisangle", 4, v) && any(v, 3))
        set_axis_angle(p, v, f->degree * v[3]);
    else if (read(f, e, class, "xyaxes", 6, v) && any(v, 3) && any(v + 3, 3))
        set_two_axes(p, v);
    else if (read(f, e, class, "zaxis", 3, v) && any(v, 3))
        set_z(p, v);
}

/* ---- inertia and geoms */

static void read_inertial(mjcf *f, uint32_t e, inertial *out)
{
    inertial own = {0};
    pose p = ct_pose_none();
    read(f, e, 0, "mass", 1, &own.mass);
    if (!read(f, e, 0, "fullinertia", 6, own.I)) /* xx yy zz xy xz yz, as here */
        read(f, e, 0, "diaginertia", 3, own.I);
    read_pose(f, e, 0, &p);
    *out = ct_inertial_in(&own, &p);
}

/* Between two points: centre, direction of z, length. */
static bool read_ends(mjcf *f, uint32_t e, uint32_t class, pose *p, double *length)
{
    double v[6], d[3];
    if (!read(f, e, class, "fromto", 6, v))
        return false;
    for (int i = 0; i < 3; i++) {
        p->at[i] = (v[i] + v[3 + i]) / 2;
        d[i] = v[3 + i] - v[i];
    }
    *length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (any(d, 3))
        set_z(p, d);
    return true;
}

/* An asset without a name has that of its file, without folder and ending. */
static bool is_mesh(const ct_xml *x, uint32_t e, const char *file, const char *name)
{
    const ct_xml_attribute *own = ct_xml_find(x, e, "name");
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    const char *dot = strrchr(base, '.');
    size_t length = dot ? (size_t)(dot - base) : strlen(base);
    if (own)
        return strcmp(own->value, name) == 0;
    return strlen(name) == length && memcmp(base, name, length) == 0;
}

/* The file of a mesh of the assets, and what it is scaled by. */
static const char *read_mesh(mjcf *f, const char *name, double scale[3])
{
    const ct_xml *x = f->r->x;
    uint32_t asset = ct_xml_child(x, CT_XML_ROOT, "asset");
    uint32_t class = ct_xml_child(x, CT_XML_ROOT, "default");
    for (uint32_t e = asset ? x->element.at[asset].first : 0; e; e = x->element.at[e].next) {
        const ct_xml_attribute *file = ct_xml_find(x, e, "file");
        if (!ct_xml_is(x, e, "mesh") || !file || !is_mesh(x, e, file->value, name))
            continue;
        read(f, e, class, "scale", 3, scale);
        return *f->meshes ? ct_printf(f->r->ctx, "%s/%s", f->meshes, file->value) : file->value;
    }
    return name;
}

/* Sizes are halves there; a missing one stays 0. */
static bool set_size(mjcf *f, uint32_t e, uint32_t class, shape *s)
{
    double size[3] = {0, 0, 0}, length = 0;
    uint32_t count = s->kind == SHAPE_MESH ? 0 : read_up_to_three(f, e, class, size);
    bool ends = read_ends(f, e, class, &s->pose, &length);
    if (s->kind == SHAPE_MESH) {
        s->size[0] = s->size[1] = s->size[2] = 1;
        s->file = read_mesh(f, word(f, e, class, "mesh", ""), s->size);
        return *s->file;
    }
    bool round = s->kind == SHAPE_CYLINDER || s->kind == SHAPE_CAPSULE;
    double factor = s->kind == SHAPE_BOX ? 2 : 1;
    for (int i = 0; i < 3; i++)
        s->size[i] = factor * size[i];
    if (round)
        s->size[1] = ends ? length : 2 * size[1];
    else if (ends)
        s->size[2] = factor * length / 2, s->size[1] = s->size[0];
    return count > 0;
}

static void read_geom(mjcf *f, uint32_t e, const open_body *b, bool weigh)
{
    const char *type = word(f, e, b->class, "type", "sphere");
    shape s = {.link = b->link,
               .pose = ct_pose_none(),
               .mass = NAN,
               .density = NAN,
               .place = f->r->x->element.at[e].place};
    double rgba[4], weight = 0;
    if (find(f, e, b->class, "mesh") && !find(f, e, b->class, "type"))
        type = "mesh";
    if (!ct_shape_word(type, &s.kind)) {
        ct_leave_out(f->r, e);
        return;
    }
    read_pose(f, e, b->class, &s.pose);
    bool good = set_size(f, e, b->class, &s);
    s.coloured = read(f, e, b->class, "rgba", 4, rgba);
    for (int i = 0; i < 3 && s.coloured; i++)
        s.colour[i] = rgba[i];
    if (weigh && s.kind == SHAPE_MESH)
        ct_robot_error(f->r, "E852", s.place,
                       "the inertia of a mesh is not computed: give its body "
                       "<inertial>");
    else if (weigh && !read(f, e, b->class, "mass", 1, &s.mass)) {
        s.density = 1000;
        read(f, e, b->class, "density", 1, &s.density);
    }
    weight = isnan(s.mass) ? s.density : s.mass;
    if (weight == 0)
        s.mass = s.density = NAN;
    if (good)
        CT_PUSH(f->r->arena, f->r->shape, s);
}

/* ---- joints */

static void read_limits(mjcf *f, uint32_t e, uint32_t class, joint *j)
{
    double unit = j->kind == JOINT_REVOLUTE ? f->degree : 1, range[2];
    const char *limited = word(f, e, class, "limited", "auto");
    if (strcmp(limited, "false") != 0 && read(f, e, class, "range", 2, range)) {
        j->lower = unit * range[0];
        j->upper = unit * range[1];
    }
    read(f, e, class, "damping", 1, &j->damping);
    read(f, e, class, "frictionloss", 1, &j->friction);
    read(f, e, class, "stiffness", 1, &j->stiffness);
    read(f, e, class, "armature", 1, &j->armature);
    if (read(f, e, class, "springref", 1, &j->rest))
        j->rest *= unit;
    if (find(f, e, class, "springdamper"))
        ct_leave_out_word(f->r, "`springdamper` of joints", j->place);
}

static bool read_kind(mjcf *f, uint32_t e, uint32_t class, joint_kind *kind)
{
    static const struct {
        const char *word;
        joint_kind kind;
    } kinds[] = {{"hinge", JOINT_REVOLUTE},
                 {"slide", JOINT_PRISMATIC},
                 {"ball", JOINT_SPHERICAL},
                 {"free", JOINT_FLOATING}};
    bool free = ct_xml_is(f->r->x, e, "freejoint");
    const char *type = free ? "free" : word(f, e, class, "type", "hinge");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].word, type) == 0) {
            *kind = kinds[i].kind;
            return true;
        }
    ct_robot_error(f->r, "E852", f->r->x->element.at[e].place, "there are no joints of type `%s`",
                   type);
    return false;
}

/* One joint from `tail` to `head`, whose frames coincide at zero up to `seat`. */
static void read_joint(mjcf *f, uint32_t e, uint32_t class, uint32_t tail, uint32_t head,
                       const pose *seat)
{
    robot *r = f->r;
    joint_kind kind;
    if (!read_kind(f, e, class, &kind))
        return;
    const ct_xml_attribute *own = ct_xml_find(r->x, e, "name");
    const char *body = ct_name_text(r->ctx, r->link.at[head].name);
    ct_name name =
        own ? ct_intern_text(r->ctx, own->value) : ct_intern_format(r->ctx, "%s joint", body);
    joint *j = ct_add_joint(r, name, kind, r->x->element.at[e].place);
    j->parent = tail;
    j->child = head;
    j->axis[0] = j->axis[1] = 0, j->axis[2] = 1;
    read(f, e, class, "axis", 3, j->axis);
    if (!any(j->axis, 3))
        ct_robot_error(r, "E852", j->place, "this axis has no direction");
    if (kind != JOINT_FLOATING)
        read(f, e, class, "pos", 3, j->head.at);
    j->pose = ct_pose_product(seat, &j->head);
    read_limits(f, e, class, j);
    double ref = 0;
    if (read(f, e, class, "ref", 1, &ref) && ref != 0)
        ct_robot_error(r, "E852", j->place, "`ref` of joints is not read: angles count from zero");
}

/* ---- bodies */

static ct_name body_name(mjcf *f, uint32_t e)
{
    const ct_xml_attribute *own = ct_xml_find(f->r->x, e, "name");
    f->bodies++;
    return own && *own->value ? ct_intern_text(f->r->ctx, own->value)
                              : ct_intern_format(f->r->ctx, "body %u", f->bodies);
}

static bool is_joint(const robot *r, uint32_t e)
{
    return ct_xml_is(r->x, e, "joint") || ct_xml_is(r->x, e, "freejoint");
}

/* Joints of one body stand in a row, with links of no weight between. */
static void read_joints(mjcf *f, uint32_t element, uint32_t parent, const open_body *b,
                        const pose *seat)
{
    robot *r = f->r;
    uint32_t left = 0, tail = parent, count = 0;
    const pose none = ct_pose_none();
    for (uint32_t e = r->x->element.at[element].first; e; e = r->x->element.at[e].next)
        left += is_joint(r, e);
    if (!left) {
        joint *j = ct_add_joint(
            r, ct_intern_format(r->ctx, "%s fixed", ct_name_text(r->ctx, r->link.at[b->link].name)),
            JOINT_FIXED, r->x->element.at[element].place);
        j->parent = parent, j->child = b->link, j->pose = *seat;
    }
    for (uint32_t e = r->x->element.at[element].first; e; e = r->x->element.at[e].next) {
        if (!is_joint(r, e))
            continue;
        uint32_t head = b->link;
        if (--left) {
            const char *own = ct_name_text(r->ctx, r->link.at[b->link].name);
            ct_name name = ct_intern_format(r->ctx, "%s part %u", own, ++count);
            head = ct_add_link(r, name, r->x->element.at[e].place);
        }
        read_joint(f, e, b->class, tail, head, tail == parent ? seat : &none);
        tail = head;
    }
}

static open_body read_body(mjcf *f, uint32_t element, const open_body *outer)
{
    robot *r = f->r;
    open_body b = {.element = element, .class = outer->class};
    const ct_xml_attribute *class = ct_xml_find(r->x, element, "childclass");
    pose seat = ct_pose_none();
    if (class)
        b.class = ct_map_get(&f->classes, ct_intern_text(r->ctx, class->value));
    b.link = ct_add_link(r, body_name(f, element), r->x->element.at[element].place);
    read_pose(f, element, 0, &seat);
    uint32_t own = ct_xml_child(r->x, element, "inertial");
    if (ct_xml_find(r->x, element, "gravcomp"))
        ct_leave_out_word(r, "`gravcomp` of bodies", ct_xml_find(r->x, element, "gravcomp")->place);
    if (own && !f->always_geoms)
        read_inertial(f, own, &r->link.at[b.link].own);
    read_joints(f, element, outer->link, &b, &seat);
    for (uint32_t e = r->x->element.at[element].first; e; e = r->x->element.at[e].next) {
        if (ct_xml_is(r->x, e, "geom"))
            read_geom(f, e, &b, !own || f->always_geoms);
        else if (ct_xml_is(r->x, e, "site") && ct_xml_find(r->x, e, "name")) {
            site s = {.name = ct_intern_text(r->ctx, ct_xml_find(r->x, e, "name")->value),
                      .pose = ct_pose_none(),
                      .link = b.link,
                      .place = r->x->element.at[e].place};
            read_pose(f, e, b.class, &s.pose);
            CT_PUSH(r->arena, r->site, s);
        } else if (!is_joint(r, e) && !ct_xml_is(r->x, e, "body") &&
                   !ct_xml_is(r->x, e, "inertial") && !ct_xml_is(r->x, e, "site"))
            ct_leave_out(r, e);
    }
    return b;
}

/* Bodies in bodies, without recursion: those that were read wait for their children. */
static void read_tree(mjcf *f, uint32_t world)
{
    robot *r = f->r;
    CT_VEC(open_body) waiting = {0};
    uint32_t main_class = ct_map_get(&f->classes, ct_intern_text(r->ctx, "main"));
    CT_PUSH(r->arena, waiting, (open_body){world, NOTHING, main_class});
    for (uint32_t i = 0; i < waiting.count && !r->broken; i++) {
        open_body outer = waiting.at[i];
        for (uint32_t e = r->x->element.at[outer.element].first; e; e = r->x->element.at[e].next) {
            if (ct_xml_is(r->x, e, "body"))
                CT_PUSH(r->arena, waiting, read_body(f, e, &outer));
            else if (i == 0)
                ct_leave_out(r, e);
        }
    }
}

/* ---- settings */

static void read_compiler(mjcf *f, uint32_t e)
{
    if (!e)
        return;
    if (strcmp(word(f, e, 0, "angle", "degree"), "radian") == 0)
        f->degree = 1;
    const char *order = word(f, e, 0, "eulerseq", "xyz");
    if (strlen(order) == 3 && strspn(order, "xyzXYZ") == 3)
        f->order = order;
    f->meshes = word(f, e, 0, "meshdir", word(f, e, 0, "assetdir", ""));
    f->always_geoms = strcmp(word(f, e, 0, "inertiafromgeom", "auto"), "true") == 0;
}

/* Attributes that would change the motion. */
static void leave_out_settings(mjcf *f, uint32_t compiler, uint32_t option)
{
    static const char *const of_option[] = {"density", "viscosity", "wind"},
                             *const of_compiler[] = {"settotalmass", "boundmass", "boundinertia",
                                                     "inertiagrouprange"};
    robot *r = f->r;
    uint32_t flag = option ? ct_xml_child(r->x, option, "flag") : 0;
    const ct_xml_attribute *gravity = flag ? ct_xml_find(r->x, flag, "gravity") : NULL;
    for (int i = 0; i < 3 && option; i++)
        if (ct_xml_find(r->x, option, of_option[i]))
            ct_leave_out_word(r, ct_printf(r->ctx, "`%s` of <option>", of_option[i]),
                              ct_xml_find(r->x, option, of_option[i])->place);
    for (int i = 0; i < 4 && compiler; i++)
        if (ct_xml_find(r->x, compiler, of_compiler[i]))
            ct_leave_out_word(r, ct_printf(r->ctx, "`%s` of <compiler>", of_compiler[i]),
                              ct_xml_find(r->x, compiler, of_compiler[i])->place);
    if (compiler && strcmp(word(f, compiler, 0, "coordinate", "local"), "global") == 0)
        ct_robot_error(r, "E852", r->x->element.at[compiler].place,
                       "global coordinates are not read");
    if (gravity && strcmp(gravity->value, "disable") == 0)
        r->gravity[0] = r->gravity[1] = r->gravity[2] = 0;
}

static void read_classes(mjcf *f)
{
    const ct_xml *x = f->r->x;
    for (uint32_t e = CT_XML_ROOT; e < x->element.count; e++) {
        if (!ct_xml_is(x, e, "default"))
            continue;
        const ct_xml_attribute *name = ct_xml_find(x, e, "class");
        bool first = !ct_xml_is(x, x->element.at[e].parent, "default");
        if (name || first)
            ct_map_put(&f->classes, ct_intern_text(f->r->ctx, name ? name->value : "main"), e);
        if (first)
            ct_map_put(&f->classes, ct_intern_text(f->r->ctx, "main"), e);
    }
}

/* <equality><joint joint1 joint2 polycoef="a b 0 0 0"/>: joint1 = a + b joint2 */
static void read_equality(mjcf *f, uint32_t equality)
{
    robot *r = f->r;
    for (uint32_t e = equality ? r->x->element.at[equality].first : 0; e;
         e = r->x->element.at[e].next) {
        const ct_xml_attribute *one = ct_xml_find(r->x, e, "joint1"),
                               *two = ct_xml_find(r->x, e, "joint2");
        double c[5] = {0, 1, 0, 0, 0};
        uint32_t own = one ? ct_map_get(&r->joints, ct_intern_text(r->ctx, one->value)) : 0;
        read(f, e, 0, "polycoef", 5, c);
        if (!ct_xml_is(r->x, e, "joint") || !own || !two || any(c + 2, 3)) {
            ct_leave_out(r, e);
            continue;
        }
        joint *j = &r->joint.at[own - 1];
        j->mimic = ct_intern_text(r->ctx, two->value);
        j->mimic_place = two->place;
        j->factor = c[1];
        j->offset = c[0];
    }
}

void ct_read_mjcf(robot *r, uint32_t root)
{
    static const char *const known[] = {"compiler",  "option", "default",
                                        "worldbody", "asset",  "equality"};
    mjcf f = {.r = r, .degree = 0.01745329251994329577, .order = "xyz", .meshes = ""};
    const ct_xml_attribute *name = ct_xml_find(r->x, root, "model");
    uint32_t world = ct_xml_child(r->x, root, "worldbody");
    uint32_t option = ct_xml_child(r->x, root, "option");
    ct_map_init(&f.classes, r->arena);
    r->name = ct_intern_text(r->ctx, name && *name->value ? name->value : "robot");
    read_compiler(&f, ct_xml_child(r->x, root, "compiler"));
    read_classes(&f);
    ct_read_numbers(r, option, "gravity", 3, r->gravity);
    leave_out_settings(&f, ct_xml_child(r->x, root, "compiler"), option);
    if (world)
        read_tree(&f, world);
    read_equality(&f, ct_xml_child(r->x, root, "equality"));
    for (uint32_t e = r->x->element.at[root].first; e; e = r->x->element.at[e].next) {
        size_t i = 0;
        while (i < 6 && !ct_xml_is(r->x, e, known[i]))
            i++;
        if (ct_xml_is(r->x, e, "include"))
            ct_robot_error(r, "E852", r->x->element.at[e].place,
                           "included files are not read: put them in place");
        else if (i == 6)
            ct_leave_out(r, e);
    }
}
