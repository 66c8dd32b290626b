/* ends.h - a model whose fields have their ends settled by the tree. */
#ifndef CT_GRAPH_ENDS_H
#define CT_GRAPH_ENDS_H

#include "model/model.h"

/* NULL after errors were reported. */
const ct_model *ct_build_settled(const ct_syntax *syntax, const ct_build_def *def);

#endif
