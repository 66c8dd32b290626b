/* equations_text.c - the report of `cotree equations`. */
#include "export/equations_make.h"

enum { MOST_NAMES = 24, COLUMNS = 100, MOST_ORIGINS = 24 };

static const char *name_text(const ct_equation_list *list, ct_name name)
{
    return ct_name_text(list->reduced->system->model->ctx, name);
}

/* ---- head */

static void put_names(const ct_equation_list *list, const ct_name *name, uint32_t count,
                      ct_text *out)
{
    uint32_t most = list->def.all || count <= MOST_NAMES ? count : MOST_NAMES;
    for (uint32_t i = 0; i < most; i++)
        ct_putf(out, "%s%s", i ? ", " : "", name_text(list, name[i]));
    if (most < count)
        ct_putf(out, ", ... (%u in all)", count);
    ct_put(out, "\n");
}

static void put_named(const ct_equation_list *list, const char *what, const ct_name *name,
                      uint32_t count, ct_text *out)
{
    if (!count)
        return;
    ct_putf(out, "%-12s", what);
    put_names(list, name, count, out);
}

static void put_count(uint32_t count, const char *one, const char *more, ct_text *out)
{
    if (count)
        ct_putf(out, ", %u %s", count, count == 1 ? one : more);
}

static void put_counts(const ct_equation_list *list, ct_text *out)
{
    if (list->motion) {
        uint32_t n = list->motion->mass.rows, m = list->motion->jacobian.rows;
        ct_putf(out, "%-12s%u of motion", "equations", n);
        put_count(m, "constraint", "constraints", out);
        put_count(list->differential - n, "differential", "differential", out);
        put_count(list->algebraic - m, "algebraic", "algebraic", out);
    } else {
        ct_putf(out, "%-12s%u differential, %u algebraic", "equations", list->differential,
                list->algebraic);
    }
    if (list->dof)
        ct_putf(out, "; %u degree%s of freedom", list->dof, list->dof == 1 ? "" : "s");
    else if (list->motion)
        ct_put(out, "; no degree of freedom");
    ct_putf(out, "; %llu operation%s\n", (unsigned long long)list->ops, list->ops == 1 ? "" : "s");
}

static void put_head(const ct_equation_list *list, ct_text *out)
{
    static const char *const form[] = {"nodal", "branch-chord", "tableau"};
    const ct_system *s = list->reduced->system;
    const char *name = name_text(list, s->model->name);
    if (*name || s->model->title)
        ct_putf(out, "%s%s%s\n\n", name, *name && s->model->title ? ": " : "",
                s->model->title ? s->model->title : "");
    if (list->scalar_rows || !s->mechanics) {
        ct_putf(out, "%-12s%s", "form", form[s->form]);
        if (list->def.form < CT_EQUATIONS_NODAL)
            ct_putf(out, ", %u equations before elimination", list->scalar_rows);
        ct_put(out, "\n");
    }
    if (s->mechanics) {
        put_named(list, "T-tree", list->branch[0], list->branch_count[0], out);
        put_named(list, "R-tree", list->branch[1], list->branch_count[1], out);
        put_named(list, "coordinates", list->coordinate, list->coordinate_count, out);
        put_named(list, "speeds", list->speed, list->speed_count, out);
        put_named(list, "multipliers", list->multiplier, list->multiplier_count, out);
    }
    put_named(list, "states", list->scalar_state, list->scalar_state_count, out);
    put_named(list, "unknowns", list->scalar_unknown, list->scalar_unknown_count, out);
    put_named(list, "inputs", list->input, list->input_count, out);
    put_counts(list, out);
    if (list->def.matrix)
        ct_matrix_counts_put(list, out);
    if (list->unfinished)
        ct_putf(out, "%-12s%u equation%s not simplified in full; remarks tell which\n", "note",
                list->unfinished, list->unfinished == 1 ? " is" : "s are");
}

/* ---- equations */

/* terminal C4, R2; circuit R2 */
static void put_origins(const ct_equation_list *list, const ct_equation *e, ct_text *out)
{
    bool first = true;
    uint32_t shown = 0;
    for (int kind = CT_FROM_TERMINAL; kind <= CT_FROM_MOTION; kind++) {
        bool named = false;
        for (uint32_t i = 0; i < e->origin_count; i++) {
            if ((int)e->origin[i].kind != kind || (++shown > MOST_ORIGINS && !list->def.all))
                continue;
            if (!named)
                ct_putf(out, "%s%s", first ? "" : "; ", ct_origin_text(list, e->origin[i]));
            ct_putf(out, "%s%s", named ? ", " : " ", ct_origin_name(list, e->origin[i]));
            named = true;
            first = false;
        }
    }
    if (shown > MOST_ORIGINS && !list->def.all)
        ct_putf(out, "; ... (%u in all)", shown);
}

/* Behind the equation where there is room, else on a line of its own. */
static void put_comment(const ct_equation_list *list, const ct_equation *e, size_t column,
                        size_t width, ct_text *out)
{
    ct_text text = ct_text_new(list->arena);
    if (list->def.origins || list->def.trace)
        put_origins(list, e, &text);
    if (e->note)
        ct_putf(&text, "%s%s", text.length ? "; " : "", e->note);
    if (!text.length)
        return;
    if (width <= COLUMNS - 24 && width + 4 + ct_text_width(ct_text_string(&text)) <= COLUMNS)
        ct_put_repeat(out, ' ', width > column ? width - column : 0);
    else
        ct_put(out, "\n      ");
    ct_putf(out, "  # %s", ct_text_string(&text));
}

static void put_group(const ct_equation_list *list, const ct_equation_group *g, ct_text *out)
{
    ct_text *line = CT_NEW_ARRAY(list->arena, ct_text, g->count + 1);
    size_t width = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        line[i] = ct_text_new(list->arena);
        ct_equation_put(list, &g->equation[i], false, &line[i]);
        size_t own = 4 + ct_text_width(ct_text_string(&line[i]));
        width = own > width && own <= COLUMNS / 2 ? own : width;
    }
    ct_putf(out, "\n%s\n", g->title);
    for (uint32_t i = 0; i < g->count; i++) {
        size_t own = 4 + ct_text_width(ct_text_string(&line[i]));
        ct_putf(out, "    %s", ct_text_string(&line[i]));
        put_comment(list, &g->equation[i], own, own > width ? own : width, out);
        ct_put(out, "\n");
    }
    if (g->total > g->count)
        ct_putf(out, "    ... %u more of %u equations are not shown; --all shows them\n",
                g->total - g->count, g->total);
}

static void put_lines(const ct_equation_group *g, ct_text *out)
{
    ct_putf(out, "\n%s\n", g->title);
    for (uint32_t i = 0; i < g->line_count; i++)
        ct_putf(out, "    %s\n", g->line[i]);
    if (g->total > g->line_count)
        ct_putf(out, "    ... %u more of %u lines are not shown; --all shows them\n",
                g->total - g->line_count, g->total);
}

static void put_definitions(const ct_equation_list *list, ct_text *out)
{
    if (list->definition_count)
        ct_put(out, "\nwith\n");
    for (uint32_t i = 0; i < list->definition_count; i++) {
        ct_put(out, "    ");
        ct_equation_put(list, &list->definition[i].equation, false, out);
        ct_put(out, "\n");
    }
}

void ct_equations_put_text(const ct_equation_list *list, ct_text *out)
{
    put_head(list, out);
    put_definitions(list, out);
    ct_matrices_put_text(list, out);
    for (uint32_t i = 0; i < list->group_count; i++) {
        const ct_equation_group *g = &list->group[i];
        if (g->name) {
            ct_putf(out, "\n%s\n    ", g->title);
            put_names(list, g->name, g->name_count, out);
        } else if (g->line) {
            put_lines(g, out);
        } else {
            put_group(list, g, out);
        }
    }
}
