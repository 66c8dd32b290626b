/* fe.h - bodies from finite-element programs, while they are read; private to src/model. */
#ifndef CT_MODEL_FE_H
#define CT_MODEL_FE_H

#include "model/flexible.h"
#include "solve/craig.h"

/* Nodes, each with `freedoms` degrees of freedom: plane x, y or x, y, turn; space x, y, z or with
 * three turns. */
typedef struct ct_fe_mesh {
    uint32_t count, freedoms, size; /* size: count*freedoms */
    const int64_t *number;
    const double (*at)[3];
    bool spatial;
} ct_fe_mesh;

static inline uint32_t ct_fe_slides(const ct_fe_mesh *mesh)
{
    return mesh->spatial ? 3 : 2;
}
static inline uint32_t ct_fe_turns(const ct_fe_mesh *mesh)
{
    return mesh->freedoms - ct_fe_slides(mesh);
}

/* A frame: nodes that it holds, and how their motion tells its own (3 displacements, 3 turns). */
typedef struct ct_fe_frame {
    uint32_t frame; /* of the model */
    const uint32_t *node;
    uint32_t count;
    double at[3];      /* the mean of its nodes */
    const double *fit; /* 6 by count*6: of displacements and turns of the nodes */
    bool boundary;     /* a joint, a load or a line holds it; or it is the reference */
    ct_place place;
} ct_fe_frame;

struct ct_fe_data {
    uint32_t index;
    ct_fe_mesh mesh;
    ct_symmetric mass, stiffness;
    ct_shape_set given, shape; /* given: by the user, else none */
    const double *mass_of;     /* by shape; its stiffness is 1 before scaling */
    ct_fe_frame *frame;
    uint32_t frame_count;
    int64_t modes;
    uint32_t reference; /* 0: its first frame, 1: its mean */
    ct_expr damping;
    const ct_name *q;
};

/* ---- fe_read.c: files; false after errors */
typedef struct ct_fe_source {
    builder *b;
    const where *w;
    ct_node name; /* the string */
} ct_fe_source;
bool ct_fe_read_nodes(const ct_fe_source *from, bool spatial, ct_fe_mesh *mesh);
bool ct_fe_read_symmetric(const ct_fe_source *from, const char *what, ct_symmetric *out);
bool ct_fe_read_vectors(const ct_fe_source *from, ct_shape_set *out);

/* ---- fe_body.c */
void ct_read_fe(builder *b, const part *p, uint32_t index, ct_body *body);
void ct_read_fe_frame(builder *b, uint32_t frame, ct_frame *f);

/* ---- fe_frame.c: nodes of frames; false after errors */
bool ct_fe_read_frames(builder *b, struct ct_fe_data *fe, const ct_body *body);

/* ---- fe_shapes.c: checks, reduction; false after errors */
bool ct_fe_reduce(builder *b, struct ct_fe_data *fe, const ct_body *body, ct_place place);
/* Motion of a frame in a shape: 3 displacements, 3 turns. */
void ct_fe_motion(const ct_fe_mesh *mesh, const ct_fe_frame *f, const double *shape, double out[6]);
/* Displacement or turn of the body as a whole along or about an axis. */
void ct_fe_rigid(const ct_fe_mesh *mesh, bool turn, uint32_t axis, const double origin[3],
                 double *out);

/* ---- fe_form.c: expressions of the coordinates */
void ct_form_fe(builder *b, struct ct_fe_data *fe, ct_body *body);
ct_section ct_fe_section(builder *b, const struct ct_fe_data *fe, const ct_fe_frame *frame);

#endif
