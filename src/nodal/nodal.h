/* nodal.h - large networks in numbers: modified nodal analysis without expressions.
 *
 * The usual path derives equations on expressions, which costs some microseconds for each
 * component. A network of scalar domains whose components are linear, with factors of parameters
 * only, needs none of this for numbers: coefficients are evaluated once for each element and set of
 * parameters, stamped into sparse matrices, and solved. Other elements are derived once each, and
 * evaluated for all their components (law.h). Whatever is not plain (storage that jumps, values
 * that read variables, singular matrices) is left to the usual path: nothing is reported then.
 */
#ifndef CT_NODAL_NODAL_H
#define CT_NODAL_NODAL_H

#include "graph/graph.h"
#include "model/model.h"
#include "simulate/simulate.h"

/* Components, below which the usual path is as fast; and that of other laws than junctions have,
 * whose starts it finds in fewer iterations; and of sketches of nonlinear networks, for which
 * derived equations are too dear. */
enum { CT_NODAL_LEAST = 300, CT_NODAL_LEAST_OF_OTHERS = 2000, CT_NODAL_LEAST_OF_SKETCHES = 20 };

/* Which components may be nonlinear: junctions, with exponentials that limits keep small, and their
 * charges; all; or all, and some must be. */
typedef enum ct_lawful {
    CT_LAWFUL_NONE,
    CT_LAWFUL_JUNCTIONS,
    CT_LAWFUL_ALL,
    CT_LAWFUL_SOME
} ct_lawful;

/* A run with these values of the model's quantities; NULL: not
 * for this path, *why_not says why in a few words; or after reporting, then that is NULL, too. */
const ct_simulation *ct_nodal_run(const ct_tree *tree, const double *value,
                                  const ct_simulation_def *def, ct_lawful lawful, ct_arena *arena,
                                  const char **why_not);

/* The operating point; NULL: not for this path. */
const ct_point *ct_nodal_point(const ct_tree *tree, const double *value, double t, ct_lawful lawful,
                               ct_arena *arena, const char **why_not);

/* What variables are worth at rest, each by its symbol; NAN: it is not told. False: not for this
 * path. */
bool ct_nodal_rest(const ct_tree *tree, const double *value, double t, const ct_name *symbol,
                   uint32_t count, double *out);

/* Would this path find all variables, as far as can be told without a run? NULL: it would; else why
 * not. */
const char *ct_nodal_judge(const ct_tree *tree, const double *value, ct_lawful lawful);

/* An entry of a sparse matrix; lists are sorted by rows, then columns, each place once. */
typedef struct ct_triplet {
    uint32_t row, col;
    double value;
} ct_triplet;

typedef struct ct_triplets {
    uint32_t rows, cols, count;
    const ct_triplet *at;
} ct_triplets;

/* The linear model at a point, in the unknowns z of nodal analysis, nothing eliminated:
 *
 *     W z' = A z + B v + E v',   y = C z + D v
 */
typedef struct ct_network {
    uint32_t n, m, p; /* unknowns z, inputs v of the model, outputs y */
    const ct_name *unknown, *input;
    const char *const *output;
    const double *input_value;
    bool linear;  /* without a point */
    uint64_t ops; /* that all laws with their derivatives take */
    const ct_point *point;
    ct_triplets W, A, B, E, C, D;
} ct_network;

typedef struct ct_network_choice {
    double t;
    bool at_rest; /* else networks that are not linear are left to the usual path */
    ct_lawful lawful;
} ct_network_choice;

/* NULL: not for this path. */
const ct_network *ct_nodal_linear(const ct_tree *tree, const double *value,
                                  const ct_network_choice *choice, ct_arena *arena,
                                  const char **why_not);

#endif
