/* scene_shape.c - solids as flat faces: boxes, cylinders, balls, capsules. */
#include <math.h>
#include <string.h>

#include "export/scene.h"

enum { ROUND = 20, RINGS = 8 };

static const double pi = 3.14159265358979323846;

static void put_vertex(ct_scene *s, const ct_pose_number *p, double x, double y, double z)
{
    const double v[3] = {x, y, z};
    ct_vertex out;
    for (int i = 0; i < 3; i++)
        out.x[i] = p->at[i] + p->R[3 * i] * v[0] + p->R[3 * i + 1] * v[1] + p->R[3 * i + 2] * v[2];
    CT_PUSH(s->arena, s->vertex, out);
}

static void put_face(ct_scene *s, uint32_t body, uint32_t first, uint32_t color)
{
    CT_PUSH(s->arena, s->face, (ct_face){body, first, s->vertex.count - first, color});
}

/* Six faces; the corners of each counter-clockwise from outside. */
void ct_scene_box(ct_scene *s, uint32_t body, const ct_pose_number *at, const double size[3],
                  uint32_t color)
{
    static const int8_t corner[6][4][3] = {{{1, -1, -1}, {1, 1, -1}, {1, 1, 1}, {1, -1, 1}},
                                           {{-1, 1, -1}, {-1, -1, -1}, {-1, -1, 1}, {-1, 1, 1}},
                                           {{1, 1, -1}, {-1, 1, -1}, {-1, 1, 1}, {1, 1, 1}},
                                           {{-1, -1, -1}, {1, -1, -1}, {1, -1, 1}, {-1, -1, 1}},
                                           {{-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}},
                                           {{-1, 1, -1}, {1, 1, -1}, {1, -1, -1}, {-1, -1, -1}}};
    for (int f = 0; f < 6; f++) {
        uint32_t first = s->vertex.count;
        for (int i = 0; i < 4; i++)
            put_vertex(s, at, corner[f][i][0] * size[0] / 2, corner[f][i][1] * size[1] / 2,
                       corner[f][i][2] * size[2] / 2);
        put_face(s, body, first, color);
    }
}

/* A ring at height z of an ellipse with these radii. */
typedef struct ring {
    double x, y, z;
} ring;

/* The skin between two rings, the lower one first. */
static void put_band(ct_scene *s, uint32_t body, const ct_pose_number *at, ring a, ring b,
                     uint32_t sides, uint32_t color)
{
    for (uint32_t i = 0; i < sides; i++) {
        double p = 2 * pi * i / sides, q = 2 * pi * (i + 1) / sides;
        uint32_t first = s->vertex.count;
        put_vertex(s, at, a.x * cos(p), a.y * sin(p), a.z);
        if (a.x > 0)
            put_vertex(s, at, a.x * cos(q), a.y * sin(q), a.z);
        if (b.x > 0)
            put_vertex(s, at, b.x * cos(q), b.y * sin(q), b.z);
        put_vertex(s, at, b.x * cos(p), b.y * sin(p), b.z);
        put_face(s, body, first, color);
    }
}

static void put_lid(ct_scene *s, uint32_t body, const ct_pose_number *at, ring r, bool top,
                    uint32_t sides, uint32_t color)
{
    uint32_t first = s->vertex.count;
    for (uint32_t i = 0; i < sides; i++) {
        double p = 2 * pi * (top ? i : sides - i) / sides;
        put_vertex(s, at, r.x * cos(p), r.y * sin(p), r.z);
    }
    put_face(s, body, first, color);
}

/* The upper or lower half of an ellipsoid with its middle at height z. */
static void put_dome(ct_scene *s, uint32_t body, const ct_pose_number *at, const double radius[3],
                     double z, int side, uint32_t color)
{
    for (int i = 0; i < RINGS / 2; i++) {
        double a = pi / 2 * i / (RINGS / 2), b = pi / 2 * (i + 1) / (RINGS / 2);
        double c = i + 1 < RINGS / 2 ? cos(b) : 0;
        ring low = {radius[0] * cos(a), radius[1] * cos(a), z + side * radius[2] * sin(a)};
        ring high = {radius[0] * c, radius[1] * c, z + side * radius[2] * sin(b)};
        if (side > 0)
            put_band(s, body, at, low, high, ROUND, color);
        else
            put_band(s, body, at, high, low, ROUND, color);
    }
}

void ct_scene_ball(ct_scene *s, uint32_t body, const ct_pose_number *at, const double radius[3],
                   uint32_t color)
{
    put_dome(s, body, at, radius, 0, 1, color);
    put_dome(s, body, at, radius, 0, -1, color);
}

static void put_cylinder(ct_scene *s, uint32_t body, const ct_pose_number *at, double radius,
                         double length, uint32_t sides, bool lids, uint32_t color)
{
    ring low = {radius, radius, -length / 2}, high = {radius, radius, length / 2};
    put_band(s, body, at, low, high, sides, color);
    if (lids) {
        put_lid(s, body, at, low, false, sides, color);
        put_lid(s, body, at, high, true, sides, color);
    }
}

void ct_scene_tube(ct_scene *s, uint32_t body, const double from[3], const double to[3],
                   double radius, uint32_t sides, uint32_t color)
{
    double d[3], x[3] = {0, 0, 0}, length = 0;
    for (int i = 0; i < 3; i++)
        d[i] = to[i] - from[i], length += d[i] * d[i];
    length = sqrt(length);
    if (!(length > 0) || !isfinite(length))
        return;
    for (int i = 0; i < 3; i++)
        d[i] /= length;
    x[fabs(d[0]) < 0.7 ? 0 : 1] = 1;
    double along = x[0] * d[0] + x[1] * d[1] + x[2] * d[2], size = 0;
    for (int i = 0; i < 3; i++)
        x[i] -= along * d[i], size += x[i] * x[i];
    ct_pose_number p;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        p.at[i] = (from[i] + to[i]) / 2;
        p.R[3 * i] = x[i] / sqrt(size);
        p.R[3 * i + 1] = (d[k] * x[l] - d[l] * x[k]) / sqrt(size);
        p.R[3 * i + 2] = d[i];
    }
    put_cylinder(s, body, &p, radius, length, sides, true, color);
}

/* A mesh that is not there is drawn as a box of a tenth of the robot. */
static void put_mesh(ct_scene *s, uint32_t shape, uint32_t color)
{
    const ct_shape *of = &s->rows->mechanism->shape[shape];
    double edge = 0.15 * s->radius;
    const double size[3] = {edge, edge, edge};
    if (ct_scene_mesh(s, shape, color))
        return;
    ct_scene_box(s, s->rows->mechanism->frame[of->frame].body, &s->rows->frame[of->frame], size,
                 color);
    s->lost_place = s->lost_count++ ? s->lost_place : of->place;
    if (!s->lost)
        s->lost = of->file;
    else if (s->lost_count <= 5)
        s->lost = ct_printf(s->rows->ctx, "%s, %s", s->lost, of->file);
    else if (s->lost_count == 6)
        s->lost = ct_printf(s->rows->ctx, "%s, ...", s->lost);
}

void ct_scene_shape(ct_scene *s, uint32_t shape, uint32_t color)
{
    const ct_shape *of = &s->rows->mechanism->shape[shape];
    const double *size = s->rows->size + (size_t)3 * shape;
    const ct_pose_number *at = &s->rows->frame[of->frame];
    uint32_t body = s->rows->mechanism->frame[of->frame].body;
    const double ball[3] = {size[0], size[0], size[0]};
    if (of->kind == CT_SHAPE_BOX)
        ct_scene_box(s, body, at, size, color);
    else if (of->kind == CT_SHAPE_CYLINDER)
        put_cylinder(s, body, at, size[0], size[1], ROUND, true, color);
    else if (of->kind == CT_SHAPE_SPHERE || of->kind == CT_SHAPE_ELLIPSOID)
        ct_scene_ball(s, body, at, of->kind == CT_SHAPE_SPHERE ? ball : size, color);
    else if (of->kind == CT_SHAPE_CAPSULE) {
        put_cylinder(s, body, at, size[0], size[1], ROUND, false, color);
        put_dome(s, body, at, ball, size[1] / 2, 1, color);
        put_dome(s, body, at, ball, -size[1] / 2, -1, color);
    } else
        put_mesh(s, shape, color);
}
