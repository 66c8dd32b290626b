/* words.c - the public tables of words. */
#include <cotree/cotree.h>

#include "equations/equations.h"
#include "export/equations.h"
#include "export/formats.h"
#include "model/mechanism.h"
#include "runner/runner.h"
#include "simplify/simplify.h"
#include "solve/problem.h"

static const ct_word analyses[] = {
    [CT_TRAN] = {"tran", "", "a run in time"},     [CT_OP] = {"op", "", "the operating point"},
    [CT_DC] = {"dc", "", "operating points"},      [CT_AC] = {"ac", "", "the answer to phasors"},
    [CT_TF] = {"tf", "", "the transfer function"}, {0},
};

static const ct_word stages[] = {
    {"syntax", "", "the tree of the text"},
    {"model", "", "values, nodes, components"},
    {"graph", "", "edges with their classes"},
    {"system", "", "rows before elimination"},
    {"equations", "", "states, rates, outputs"},
    {"tape", "", "programs of a run"},
    {0},
};

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
    [CT_WORD_RESPONSE_FORMAT] = ct_response_formats,
    [CT_WORD_DYNAMICS_FORMAT] = ct_dynamics_formats,
    [CT_WORD_ANALYSIS] = analyses,
    [CT_WORD_STAGE] = stages,
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
