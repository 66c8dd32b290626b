/* parts.h - names for what would make formulas long.
 *
 * Expressions are shared, but are printed as trees: a chain of n nodes that each use the one before
 * twice would take 2^n characters. So the length as a tree is counted first, with floating-point
 * numbers, which saturate by themselves. In formulas that come out long, what is used more than
 * once gets a name z1, z2, .. and is defined above; so do large operands of what is still too long.
 */
#ifndef CT_EXPORT_PARTS_H
#define CT_EXPORT_PARTS_H

#include "base/hash.h"
#include "base/vec.h"
#include "model/model.h"

typedef struct ct_part {
    ct_name name;
    ct_expr value;
} ct_part;

struct ct_part_root {
    ct_expr *at;
    uint32_t group;
};

typedef struct ct_parts {
    const ct_model *model;
    ct_arena *arena;
    ct_pool *pool;
    double longest;    /* characters of a formula that need no names */
    double broken;     /* characters of a part from which on its operands get names */
    double shortest;   /* characters of a part that is worth a name */
    double least_gain; /* characters saved */
    uint32_t before;   /* names that are taken: the first is z(before + 1) */
    CT_VEC(struct ct_part_root) root;
    CT_VEC(double) group; /* per formula: its length besides the roots */
    CT_VEC(ct_part) part; /* the result: each uses only those before it */
} ct_parts;

ct_parts ct_parts_new(const ct_model *model, ct_arena *arena, ct_pool *pool);
void ct_parts_group(ct_parts *parts, double extra); /* begins a formula */
void ct_parts_add(ct_parts *parts, ct_expr *root);  /* an expression of it, to be replaced */
void ct_parts_run(ct_parts *parts);

/* The letter, once or more often, so that no quantity of the model is it with a number behind. */
const char *ct_free_stem(const ct_model *model, const char *letter);

#endif
