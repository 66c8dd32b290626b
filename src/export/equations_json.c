/* equations_json.c - equations as JSON; keys: see equations.h. */
#include "export/equations_make.h"

static void put_names(const ct_equation_list *list, const char *key, const ct_name *name,
                      uint32_t count, ct_text *out)
{
    ct_putf(out, "\"%s\": [", key);
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, i ? ", " : "");
        ct_put_json(out, ct_name_text(list->reduced->system->model->ctx, name[i]));
    }
    ct_put(out, "],\n ");
}

static void put_equation(const ct_equation_list *list, const ct_equation *e, ct_text *scratch,
                         ct_text *out)
{
    for (int latex = 0; latex < 2; latex++) {
        scratch->length = 0;
        ct_equation_put(list, e, latex, scratch);
        ct_put(out, latex ? ", \"latex\": " : "{\"text\": ");
        ct_put_json(out, ct_text_string(scratch));
    }
    ct_put(out, ", \"origin\": [");
    for (uint32_t i = 0; i < e->origin_count; i++) {
        scratch->length = 0;
        ct_putf(scratch, "%s %s", ct_origin_text(list, e->origin[i]),
                ct_origin_name(list, e->origin[i]));
        ct_put(out, i ? ", " : "");
        ct_put_json(out, ct_text_string(scratch));
    }
    ct_put(out, "]");
    if (e->note) {
        ct_put(out, ", \"note\": ");
        ct_put_json(out, e->note);
    }
    ct_put(out, "}");
}

static void put_equations(const ct_equation_list *list, const ct_equation_group *g, bool *first,
                          ct_text *scratch, ct_text *out)
{
    for (uint32_t i = 0; i < g->count; i++) {
        ct_put(out, *first ? "\n  " : ",\n  ");
        *first = false;
        put_equation(list, &g->equation[i], scratch, out);
    }
}

static void put_kind(const ct_equation_list *list, const char *key, ct_group_kind kind,
                     ct_text *scratch, ct_text *out)
{
    bool first = true;
    ct_putf(out, "\"%s\": [", key);
    for (uint32_t i = 0; i < list->group_count; i++)
        if (list->group[i].kind == kind)
            put_equations(list, &list->group[i], &first, scratch, out);
    ct_put(out, "],\n ");
}

static void put_definitions(const ct_equation_list *list, ct_text *scratch, ct_text *out)
{
    ct_put(out, "\"definitions\": [");
    for (uint32_t i = 0; i < list->definition_count; i++) {
        ct_put(out, i ? ",\n  " : "\n  ");
        put_equation(list, &list->definition[i].equation, scratch, out);
    }
    ct_put(out, "],\n ");
}

static void put_lines(const ct_equation_group *g, const char *key, ct_text *out)
{
    ct_putf(out, "\"%s\": [", key);
    for (uint32_t i = 0; i < g->line_count; i++) {
        ct_put(out, i ? ",\n  " : "\n  ");
        ct_put_json(out, g->line[i]);
    }
    ct_put(out, "],\n ");
}

static void put_trace(const ct_equation_list *list, ct_text *scratch, ct_text *out)
{
    bool first = true;
    ct_put(out, "\"trace\": [");
    for (uint32_t i = 0; i < list->group_count; i++) {
        const ct_equation_group *g = &list->group[i];
        bool none = true;
        if (g->kind != CT_GROUP_TRACE)
            continue;
        ct_put(out, first ? "\n {\"title\": " : ",\n {\"title\": ");
        first = false;
        ct_put_json(out, g->title);
        ct_put(out, ", ");
        if (g->name)
            put_names(list, "names", g->name, g->name_count, out);
        if (g->line)
            put_lines(g, "lines", out);
        ct_put(out, "\"equations\": [");
        put_equations(list, g, &none, scratch, out);
        ct_put(out, "]}");
    }
    ct_put(out, "],\n ");
}

/* ---- M, Phi_q, Q, Phi */

static void put_text(const ct_equation_list *list, ct_expr e, ct_text *out)
{
    ct_text text = ct_text_new(list->arena);
    ct_expr_put(list->pool, &text, e);
    ct_put_json(out, ct_text_string(&text));
}

static void put_dense_row(const ct_equation_list *list, const ct_shown_matrix *a, uint32_t r,
                          ct_text *out)
{
    uint32_t at = a->start[r];
    ct_put(out, r ? ",\n  [" : "[");
    for (uint32_t c = 0; c < a->cols; c++) {
        ct_put(out, c ? ", " : "");
        if (at < a->start[r + 1] && a->col[at] == c)
            put_text(list, a->entry[at++], out);
        else
            ct_put(out, "\"0\"");
    }
    ct_put(out, "]");
}

static void put_sparse_row(const ct_equation_list *list, const ct_shown_matrix *a, uint32_t r,
                           ct_text *out)
{
    for (uint32_t at = a->start[r]; at < a->start[r + 1]; at++) {
        ct_putf(out, "%s[%u, %u, ", at ? ", " : "", r, a->col[at]);
        put_text(list, a->entry[at], out);
        ct_put(out, "]");
    }
}

enum { MOST_DENSE = 200 };

/* Rows of texts; of a large matrix only what is not zero. */
static void put_matrix(const ct_equation_list *list, const char *key, const ct_shown_matrix *a,
                       ct_text *out)
{
    bool dense = a->rows <= MOST_DENSE && a->cols <= MOST_DENSE;
    ct_putf(out, "\"%s\": ", key);
    if (!dense)
        ct_putf(out, "{\"rows\": %u, \"cols\": %u, \"entries\": ", a->rows, a->cols);
    ct_put(out, "[");
    for (uint32_t r = 0; r < a->rows; r++) {
        if (dense)
            put_dense_row(list, a, r, out);
        else
            put_sparse_row(list, a, r, out);
    }
    ct_put(out, dense ? "],\n " : "]},\n ");
}

static void put_vector(const ct_equation_list *list, const char *key, const ct_side *e,
                       uint32_t count, ct_text *scratch, ct_text *out)
{
    ct_putf(out, "\"%s\": [", key);
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, i ? ", " : "");
        scratch->length = 0;
        ct_side_put(list, &e[i], false, scratch);
        ct_put_json(out, ct_text_string(scratch));
    }
    ct_put(out, "],\n ");
}

static void put_motion(const ct_equation_list *list, ct_text *scratch, ct_text *out)
{
    const ct_shown_motion *m = list->motion;
    put_matrix(list, "M", &m->mass, out);
    put_vector(list, "Q", m->force, m->mass.rows, scratch, out);
    put_vector(list, "Phi", m->position, m->jacobian.rows, scratch, out);
    put_matrix(list, "Phi_q", &m->jacobian, out);
}

void ct_equations_put_json(const ct_equation_list *list, ct_text *out)
{
    ct_text scratch = ct_text_new(list->arena);
    ct_put(out, "{");
    put_names(list, "coordinates", list->coordinate, list->coordinate_count, out);
    put_names(list, "speeds", list->speed, list->speed_count, out);
    put_names(list, "multipliers", list->multiplier, list->multiplier_count, out);
    put_names(list, "states", list->unknown, list->reduced->state_count, out);
    put_names(list, "algebraic", list->unknown + list->reduced->state_count,
              list->reduced->algebraic_count, out);
    put_names(list, "parameters", list->parameter, list->parameter_count, out);
    put_names(list, "inputs", list->input, list->input_count, out);
    if (list->def.trace)
        put_trace(list, &scratch, out);
    put_definitions(list, &scratch, out);
    if (list->motion)
        put_motion(list, &scratch, out);
    put_kind(list, "equations", CT_GROUP_EQUATION, &scratch, out);
    put_kind(list, "constraints", CT_GROUP_CONSTRAINT, &scratch, out);
    put_kind(list, "outputs", CT_GROUP_VALUE, &scratch, out);
    for (uint32_t i = 0; i < list->group_count; i++)
        if (list->group[i].kind == CT_GROUP_REMARK)
            put_lines(&list->group[i], "remarks", out);
    ct_putf(out, "\"counts\": {\"differential\": %u, \"algebraic\": %u, \"dof\": %u},\n ",
            list->differential, list->algebraic, list->dof);
    ct_putf(out, "\"ops\": %llu}\n", (unsigned long long)list->ops);
}
