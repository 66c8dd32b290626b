/* formats.h - tables of formats and languages, made of formats.def (formats.c). */
#ifndef CT_EXPORT_FORMATS_H
#define CT_EXPORT_FORMATS_H

#include "base/text.h"

extern const ct_word ct_graph_formats[], ct_equations_formats[], ct_statespace_formats[],
    ct_response_formats[], ct_dynamics_formats[], ct_result_formats[], ct_code_targets[];

#endif
