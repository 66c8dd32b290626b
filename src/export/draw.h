/* draw.h - a planar mechanism as a picture: links, joints, springs, forces; at one moment, or
 * moving.
 *
 * Numbers come in, positions of frames row by row; nothing is solved here. Every part of the
 * picture is drawn once and then only moved: turned, shifted and (springs, rods) stretched.
 */
#ifndef CT_EXPORT_DRAW_H
#define CT_EXPORT_DRAW_H

#include "base/text.h"
#include "model/mechanism.h"

enum { CT_FRAME_COLUMNS = 3, CT_LOAD_COLUMNS = 2 };

typedef struct ct_motion_rows {
    ct_context *ctx;
    const ct_mechanism *mechanism;
    const char *title;
    uint32_t rows;
    const double *time;
    const double *const *frame; /* per row: x, y, angle of each frame */
    const double *const *load;  /* per row: two components of each force, ground axes; a torque and
                                   0 */
    const double *com;          /* per body: mass centre in body axes, two numbers */
    const bool *sprung;         /* per joint: a spring holds it; may be NULL */
    bool names;                 /* of joints, too */
    const double *axis;         /* per joint: direction in the axes of its tail frame */
} ct_motion_rows;

typedef enum ct_draw_format {
    CT_DRAW_STILL, /* the first row as SVG */
    CT_DRAW_SVG,   /* moving by itself */
    CT_DRAW_HTML,  /* with a slider and a button */
} ct_draw_format;

void ct_draw(const ct_motion_rows *motion, ct_draw_format format, ct_text *out);

#endif
