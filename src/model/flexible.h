/* flexible.h - bodies that bend, while they are read; private to src/model. */
#ifndef CT_MODEL_FLEXIBLE_H
#define CT_MODEL_FLEXIBLE_H

#include "model/beam_basis.h"
#include "model/mech.h"

/* Where a shape displaces: along the axis, across it, or twists. */
typedef enum ct_way { CT_WAY_X, CT_WAY_Y, CT_WAY_Z, CT_WAY_TWIST } ct_way;

/* One coordinate of a beam. */
typedef struct ct_bend {
    ct_way way;
    const ct_basis_shape *shape;
    bool exact;
    ct_expr q;
} ct_bend;

/* A beam: its keys, and its shapes. */
struct ct_beam_data {
    ct_expr length, area, second[2], torsion, modulus, shear, density, damping,
        slowed;                   /* second: z, y */
    int64_t bend, stretch, twist; /* how many shapes; bend: in each plane */
    uint32_t reference, shapes, theory, stiffening;
    ct_bend *coordinate;
    uint32_t count, flat; /* of coordinates; the first of them are those of the plane */
    uint32_t index;       /* the body */
    int64_t segments;
    ct_expr whole;    /* length of all segments */
    uint32_t segment; /* which of them this is, from 0 on; the first one lists them */
    struct ct_beam_data **part;
    ct_flex *flex; /* of the body */
    ct_name owner; /* whose coordinates they are: the first one */
};

/* Where a frame is that moves with the shape, in the axes of the body, and how it has turned. */
typedef struct ct_section {
    ct_vec3 at, turn;
} ct_section;

enum { CT_MOST_SHAPES = 40 };

/* ---- flexible.c */
void ct_read_flexible(builder *b, const part *p, uint32_t index, ct_body *body);
/* NULL: it is none. */
const struct ct_beam_data *ct_beam_of(builder *b, uint32_t body);
/* A frame on it moves with the section there. */
void ct_read_section(builder *b, const part *p, ct_frame *f);
/* A frame of the body that moves, a body without mass, which is returned, and what welds them. */
uint32_t ct_add_section(builder *b, uint32_t body, const ct_frame *f, const ct_section *section);
/* `P = x`: a point of the axis; else as frames of other bodies; false after errors. */
bool ct_read_axis_place(builder *b, const where *w, ct_node expr, ct_frame *f);
/* Its place as a part 0..1 of the length, a number; false after errors. */
bool ct_part_of_length(builder *b, ct_expr length, const ct_frame *f, ct_place place, double *s);
/* A key that counts things: from `least` to `most`, else `code` with `few` (may be NULL) or
 * `advice`. */
typedef struct ct_count_limits {
    const char *code, *key, *things;
    int64_t least, most;
    const char *few, *advice;
} ct_count_limits;
void ct_read_count(builder *b, const where *w, ct_node expr, const ct_count_limits *limits,
                   ct_name owner, int64_t *count);
/* Keys: one of a few words; a number of shapes; one that has no default. */
void ct_read_body_word(builder *b, const where *w, ct_node expr, const ct_word *words,
                       const char *key, uint32_t *row);
void ct_read_shape_count(builder *b, const where *w, ct_node expr, const char *key, int64_t least,
                         ct_name owner, int64_t *count);
void ct_report_missing_key(builder *b, const ct_body *body, uint32_t type, ct_key_kind key);

/* ---- flexible_check.c: joints and loads that do not fit the shapes of beams */
void ct_check_held_shapes(builder *b);

/* ---- flexible_cut.c: the segments behind the first one, and welds between them */
void ct_cut_beam(builder *b, struct ct_beam_data *first, ct_body *body);
/* The segment at s = 0..1 of the whole; *s becomes its own. */
const struct ct_beam_data *ct_segment_at(const struct ct_beam_data *first, double *s);

/* ---- flexible_form.c: expressions of the coordinates */
void ct_form_flexible(builder *b, struct ct_beam_data *beam, ct_body *body);
ct_section ct_section_at(builder *b, const struct ct_beam_data *beam, double s);

#endif
