/* scene.h - a mechanism in space as a picture: solids, links, joints, springs, forces.
 *
 * Numbers come in, places and axes of bodies row by row; nothing is solved here. A scene is a list
 * of flat faces, each fixed to a body, and of lines between points of two bodies.
 */
#ifndef CT_EXPORT_SCENE_H
#define CT_EXPORT_SCENE_H

#include "base/text.h"
#include "base/vec.h"
#include "model/mechanism.h"

enum { CT_POSE_COLUMNS = 12, CT_FORCE_COLUMNS = 3 };

typedef struct ct_pose_number {
    double at[3], R[9]; /* R row by row */
} ct_pose_number;

typedef struct ct_space_rows {
    ct_context *ctx;
    const ct_mechanism *mechanism;
    const char *title;
    uint32_t rows;
    const double *time;
    const double *const *pose;   /* per row: 12 numbers of each body but the ground, */
    uint32_t pieces;             /* then of pieces of what bends, of length 1 along their x, */
    const uint32_t *piece_body;  /* each of one body */
    const double *const *load;   /* per row: 3 numbers of each force or torque, ground axes */
    const ct_pose_number *frame; /* in its body */
    const double *com;           /* per body, 3 numbers */
    const double *axis;          /* per joint, 3 numbers in the axes of its tail frame */
    const double *size, *color;  /* per shape, 3 numbers; color < 0: none */
    double up[3];                /* against gravity */
    bool names, views;           /* views: three, and the perspective */
} ct_space_rows;

typedef struct ct_face {
    uint32_t body, first, count; /* vertices, counter-clockwise from outside */
    uint32_t color;              /* 0xrrggbb */
} ct_face;

typedef struct ct_bar { /* between points of two bodies */
    uint32_t body[2];
    double at[2][3];
    bool spring;
} ct_bar;

typedef struct ct_vertex {
    double x[3];
} ct_vertex;

typedef struct ct_scene {
    const ct_space_rows *rows;
    ct_arena *arena;
    CT_VEC(ct_vertex) vertex;
    CT_VEC(ct_face) face;
    CT_VEC(ct_bar) bar;
    double center[3], radius; /* of what is seen in all rows */
    double low;               /* of all rows, along up */
    const char *lost;         /* names of meshes that cannot be read; NULL: none */
    uint32_t lost_count;
    ct_place lost_place;
} ct_scene;

/* The picture as text. html: a page with a slider that can be turned; else SVG of the first row. */
void ct_draw_space(const ct_space_rows *rows, bool html, ct_text *out);

/* ---- parts (scene.c, scene_shape.c, mesh.c, scene_svg.c, scene_html.c) */
ct_scene *ct_scene_new(const ct_space_rows *rows, ct_arena *arena);
void ct_scene_place(const ct_space_rows *rows, uint32_t row, uint32_t body, const double in[3],
                    double out[3]); /* in ground axes */
void ct_scene_shape(ct_scene *s, uint32_t shape, uint32_t color);
void ct_scene_box(ct_scene *s, uint32_t body, const ct_pose_number *at, const double size[3],
                  uint32_t color);
void ct_scene_tube(ct_scene *s, uint32_t body, const double from[3], const double to[3],
                   double radius, uint32_t sides, uint32_t color);
void ct_scene_ball(ct_scene *s, uint32_t body, const ct_pose_number *at, const double radius[3],
                   uint32_t color);
/* Triangles of an STL or OBJ file; false: it cannot be read. */
bool ct_scene_mesh(ct_scene *s, uint32_t shape, uint32_t color);
void ct_scene_svg(const ct_scene *s, ct_text *out);
void ct_scene_html(const ct_scene *s, ct_text *out);

#endif
