/* formats.c - writers of the formats and the language of extra_formats.def. */
#include "export/c.h"
#include "export/dynamics.h"
#include "export/equations_make.h"
#include "export/graph_write.h"
#include "export/lti_show.h"
#include "export/result.h"
#include "export/statespace.h"

void ct_graph_put_edges(const ct_graph *graph, const ct_tree *tree, ct_text *out)
{
    for (uint32_t i = 0; i < graph->edge_count; i++)
        ct_putf(out, "%s %s\n", ct_name_text(graph->ctx, graph->edge[i].name),
                tree && tree->is_branch[i] ? "branch" : "chord");
}

void ct_equations_put_count(const ct_equation_list *list, ct_text *out)
{
    ct_putf(out, "%u differential, %u algebraic\n", list->differential, list->algebraic);
}

bool ct_sheet_put_names(const ct_sheet *sheet, ct_text *out)
{
    for (uint32_t i = 0; i < sheet->n; i++)
        ct_putf(out, "%s\n", ct_sheet_state(sheet, i));
    return true;
}

void ct_lti_put_title(const ct_lti *lti, const ct_lti_names *names, ct_lti_plot plot,
                      const ct_lti_plot_def *def, ct_text *out)
{
    (void)def;
    ct_putf(out, "%u %s %u %s %d\n", lti->m, names->input[0], lti->p, names->output[0], (int)plot);
}

void ct_dynamics_put_speeds(ct_dynamics *d, ct_text *out)
{
    for (uint32_t i = 0; i < d->n; i++)
        ct_putf(out, "%s\n", ct_name_text(d->ctx, d->u[i]));
}

void ct_result_put_last(const ct_result *result, const ct_result_look *look, ct_text *out)
{
    const ct_rows *rows = &result->outputs;
    (void)look;
    for (uint32_t i = 0; i < rows->cols; i++)
        ct_putf(out, "%s %.9g\n", rows->name[i], rows->value[(rows->count - 1) * rows->cols + i]);
}

bool ct_put_words(const ct_formulas *formulas, ct_arena *arena, ct_text *out)
{
    (void)arena;
    for (uint32_t i = 0; i < formulas->state_count; i++)
        ct_putf(out, "%s\n", formulas->state[i].name);
    return true;
}
