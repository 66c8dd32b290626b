/* dynamics.h - what is asked of a mechanism besides its equations: mass matrix, Coriolis matrix,
 * gravity, inverse dynamics, Jacobians of frames, momentum, base parameters.
 *
 *     M u' + C u + g = tau,    tau: torques and forces of what holds the joints
 *
 * M' - 2 C is skew-symmetric: C is made of Christoffel's symbols of M.
 */
#ifndef CT_EXPORT_DYNAMICS_H
#define CT_EXPORT_DYNAMICS_H

#include "base/text.h"
#include "base/vec.h"
#include "equations/equations.h"
#include "mechanics/mechanics.h"

typedef struct ct_dynamic { /* one matrix or vector */
    const char *name, *meaning;
    uint32_t rows, cols; /* cols 0: a vector */
    ct_expr *entry;      /* row by row */
} ct_dynamic;

typedef struct ct_dynamics {
    ct_context *ctx;
    ct_arena *arena;
    ct_pool *pool;
    const ct_model *model;
    const ct_mechanics *mechanics;
    uint32_t n;
    const ct_name *q, *u, *a; /* symbols of coordinates, speeds, accelerations */
    CT_VEC(ct_dynamic) matrix;
    CT_VEC(const char *) remark; /* what is left out, and why */
    CT_VEC(const char *) base;   /* base parameters, each a sum */
    const char *without;         /* parameters that have no effect; NULL: none, or not known */
} ct_dynamics;

/* Frames are paths: `hand`, `hand.tool`; 0 of them: bodies at the ends. NULL: one is not there
 * (E261 is reported), or the model has no bodies (then nothing is). */
ct_dynamics *ct_dynamics_new(const ct_equations *equations, const char *const *frame,
                             uint32_t count, ct_arena *arena);
void ct_dynamics_find_base(ct_dynamics *d); /* base parameters */

#define DYNAMICS_FORMAT(word, endings, writer, help) void writer(ct_dynamics *d, ct_text *out);
#include "export/formats.def"

/* NULL: text; false: no such format. (formats.c) */
bool ct_dynamics_put(ct_dynamics *d, const char *format, ct_text *out);

#endif
