/* draw_make.h - private to the files draw*.c: parts of the picture and how they move. */
#ifndef CT_EXPORT_DRAW_MAKE_H
#define CT_EXPORT_DRAW_MAKE_H

#include "base/vec.h"
#include "export/draw.h"

/* Where a part is at each row: page coordinates, degrees clockwise, stretch along its x axis. */
typedef struct ct_place_row {
    double x, y, turn, stretch;
} ct_place_row;

typedef struct ct_draw_part {
    const char *svg;     /* around its own origin */
    ct_place_row *place; /* per row */
    bool turns, stretches;
} ct_draw_part;

typedef CT_VEC(ct_draw_part) ct_draw_part_list;

/* What a text covers at the first row. */
typedef struct ct_label_box {
    double x, y, half_width, half_height;
} ct_label_box;

typedef CT_VEC(ct_label_box) ct_label_list;

typedef struct ct_page {
    const ct_motion_rows *motion;
    ct_arena *arena;
    double width, height, scale, left, top; /* world -> page: left + scale*x, top - scale*y */
    ct_draw_part_list part;
    ct_label_list label;
    struct ct_middle {
        double x, y, along; /* in body axes on the page's scale; direction of a bar, NaN: none */
    } * middle;             /* per body */
    bool *block, *slides;   /* per body: it has one point only; it is the head of a slide */
} ct_page;

void ct_draw_parts(ct_page *page); /* draw_parts.c */

#endif
