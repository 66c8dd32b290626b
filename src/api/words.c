/* words.c - the public tables of words. */
#include <cotree/cotree.h>

#include "equations/equations.h"
#include "export/equations.h"
#include "export/formats.h"
#include "model/mechanism.h"
#include "runner/runner.h"
#include "simplify/simplify.h"
#include "solve/problem.h"

static const ct_word *const tables[] = {
    [CT_WORD_FORM] = ct_forms,
    [CT_WORD_RUN_FORM] = ct_run_forms,
    [CT_WORD_COORDINATES] = ct_coordinate_words,
    [CT_WORD_SIMPLIFY] = ct_simplify_words,
    [CT_WORD_METHOD] = ct_methods,
    [CT_WORD_GRAPH_FORMAT] = ct_graph_formats,
    [CT_WORD_EQUATIONS_FORM] = ct_equations_forms,
    [CT_WORD_EQUATIONS_FORMAT] = ct_equations_formats,
    [CT_WORD_STATESPACE_FORMAT] = ct_statespace_formats,
    [CT_WORD_RESULT_FORMAT] = ct_result_formats,
    [CT_WORD_TARGET] = ct_code_targets,
};

const ct_word *ct_word_at(ct_word_kind kind, size_t index)
{
    if ((size_t)kind >= sizeof tables / sizeof *tables)
        return NULL;
    for (size_t i = 0; i <= index; i++)
        if (!tables[kind][i].word)
            return NULL;
    return &tables[kind][index];
}
