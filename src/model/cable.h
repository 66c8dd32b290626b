/* cable.h - cables, while they are read; private to src/model. */
#ifndef CT_MODEL_CABLE_H
#define CT_MODEL_CABLE_H

#include "model/flexible.h"

typedef struct ct_cable_data {
    uint32_t index; /* the body */
    uint32_t weld;  /* the joint that ties it to the ground */
    ct_expr length, area, second, modulus, density, damping, angle;
    ct_vec3 origin; /* where it begins, straight and without strain */
    int64_t elements;
    const ct_name *q;
} ct_cable_data;

/* ---- cable_body.c */
void ct_read_cable(builder *b, const part *p, uint32_t index, ct_body *body);
void ct_read_cable_frame(builder *b, const part *p, ct_frame *f);
void ct_check_cables(builder *b); /* values out of range; joints that hold no frame of it */

/* ---- cable.c: expressions of the coordinates */
void ct_form_cable(builder *b, struct ct_cable_data *c, ct_body *body);
ct_section ct_cable_section(builder *b, struct ct_cable_data *c, double s);

#endif
