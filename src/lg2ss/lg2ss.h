/* lg2ss.h - the matrices of the LG2ss toolbox, translated to a model text.
 *
 * LG matrix: one row [branch, tail, head, type] a branch; the two branches of a transformer or
 * gyrator stand in consecutive rows, the second has the next number. Output matrix: one row
 * [output, branch, type] an output [Alipourazadi, chapter 5].
 *
 *     type 1 A  f = C v'       4 A-source  v given       6 transformer  vb = TF va, fb = -fa/TF
 *          2 T  v = L f'       5 T-source  f given       7 gyrator      vb = GY fa, fb = -va/GY
 *          3 D  v = R f
 *     outputs 1 across v, 2 through f, 3 integrated across x, 4 integrated through h
 */
#ifndef CT_LG2SS_LG2SS_H
#define CT_LG2SS_LG2SS_H

#include <cotree/cotree.h>

typedef struct ct_lg2ss {
    const char *text;     /* the model */
    ct_state_names names; /* all variables: by branch, then the integrals among the outputs */
} ct_lg2ss;

/* NULL after reporting (E701 .. E709). */
const ct_lg2ss *ct_lg2ss_translate(ct_context *ctx, const char *graph, const char *outputs);

#endif
