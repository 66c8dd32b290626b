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
    ct_expr length, area, second[2], torsion, modulus, shear, density, damping; /* second: z, y */
    int64_t bend, stretch, twist; /* how many shapes; bend: in each plane */
    uint32_t reference, shapes, theory, stiffening;
    ct_bend *coordinate;
    uint32_t count;
    uint32_t index; /* the body */
};

/* ---- flexible.c */
void ct_read_flexible(builder *b, const part *p, uint32_t index, ct_body *body);
/* A frame on it moves with the section there. */
void ct_read_section(builder *b, const part *p, ct_frame *f);

/* ---- flexible_form.c: expressions of the coordinates */
void ct_form_flexible(builder *b, struct ct_beam_data *beam, ct_body *body);
typedef struct ct_section {
    ct_vec3 at, turn;
} ct_section;
ct_section ct_section_at(builder *b, const struct ct_beam_data *beam, double s);

#endif
