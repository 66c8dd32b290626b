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

#endif
