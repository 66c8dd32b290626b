/* spice.h - netlists of SPICE as models.
 *
 * A netlist becomes the same syntax tree as a model text: `.subckt` and `.model` become systems,
 * `.param` a param, `.func` a function, cards of devices components of library elements, so that
 * all later stages know nothing of netlists. Included files are put in place (ct_source_piece), so
 * that every node of the tree has its place in one text and messages name the file that it came
 * from.
 */
#ifndef CT_SPICE_SPICE_H
#define CT_SPICE_SPICE_H

#include "lang/syntax.h"

/* A source that `.ac` drives: the phasor is re + i im. */
typedef struct ct_phasor {
    const char *input; /* of the model: V1, X1.V2 */
    double re, im;
} ct_phasor;

typedef struct ct_netlist {
    const ct_analysis *analysis;
    uint32_t analysis_count;
    const ct_phasor *phasor;
    uint32_t phasor_count;
} ct_netlist;

/* By the ending: .cir, .sp, .spice, .net, .ckt. */
bool ct_is_netlist(const char *path);

#define CT_SPICE_USUAL UINT32_MAX       /* a run in time */
#define CT_SPICE_POINT (UINT32_MAX - 1) /* an operating point */

/* analysis: which of the netlist's own the tree is for, or one of the two above. Sources have their
 * DC values, and what `.dc` sweeps is a param, in all but runs in time. */
const ct_syntax *ct_spice_parse(ct_context *ctx, uint32_t source, uint32_t analysis);

#endif
