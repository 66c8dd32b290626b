/* branches.h - the two matrices after all checks. */
#ifndef CT_LG2SS_BRANCHES_H
#define CT_LG2SS_BRANCHES_H

#include "lg2ss/matrix.h"

typedef enum ct_lg_type {
    CT_LG_A = 1,
    CT_LG_T,
    CT_LG_D,
    CT_LG_A_SOURCE,
    CT_LG_T_SOURCE,
    CT_LG_TRANSFORMER,
    CT_LG_GYRATOR,
    CT_LG_TYPES
} ct_lg_type;

typedef enum ct_lg_variable {
    CT_LG_ACROSS = 1,
    CT_LG_THROUGH,
    CT_LG_ACROSS_INTEGRAL,
    CT_LG_THROUGH_INTEGRAL,
    CT_LG_VARIABLES
} ct_lg_variable;

typedef struct ct_lg_branch {
    uint32_t number, tail, head; /* nodes: as numbered by the user; 0: the reference of its part */
    ct_lg_type type;
    bool second; /* side b of a two-port; side a is the branch before */
    ct_place place;
} ct_lg_branch;

typedef struct ct_lg_output {
    uint32_t number, branch; /* index of the branch */
    ct_lg_variable variable;
    ct_place place;
} ct_lg_output;

typedef struct ct_lg_system {
    ct_lg_branch *branch; /* by number */
    uint32_t branch_count;
    uint32_t *node; /* all but the references, ascending */
    uint32_t node_count;
    ct_lg_output *output; /* by number */
    uint32_t output_count;
} ct_lg_system;

/* NULL after reporting. */
const ct_lg_system *ct_lg_system_read(ct_context *ctx, ct_arena *arena, const char *graph,
                                      const char *outputs);

#endif
