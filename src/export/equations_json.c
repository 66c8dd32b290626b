/* equations_json.c - equations as JSON; keys: see equations.h. */
#include "base/json.h"
#include "export/equations_make.h"

/* What is written: the list, the writer, and room for a text on its way into a string. */
typedef struct sheet {
    const ct_equation_list *list;
    ct_json *j;
    ct_text scratch;
} sheet;

static ct_text *cleared(sheet *s)
{
    s->scratch.length = 0;
    return &s->scratch;
}

static const char *text_of(sheet *s)
{
    return s->scratch.length ? ct_text_string(&s->scratch) : "";
}

static void put_names(sheet *s, const char *key, const ct_name *name, uint32_t count)
{
    ct_json_open(s->j, key, '[');
    for (uint32_t i = 0; i < count; i++)
        ct_json_text(s->j, NULL, ct_name_text(s->list->reduced->system->model->ctx, name[i]));
    ct_json_close(s->j, ']');
    ct_json_line(s->j, 1);
}

static void put_equation(sheet *s, const ct_equation *e)
{
    ct_json_line(s->j, 2);
    ct_json_open(s->j, NULL, '{');
    for (int latex = 0; latex < 2; latex++) {
        ct_equation_put(s->list, e, latex, cleared(s));
        ct_json_text(s->j, latex ? "latex" : "text", text_of(s));
    }
    ct_json_open(s->j, "origin", '[');
    for (uint32_t i = 0; i < e->origin_count; i++) {
        ct_putf(cleared(s), "%s %s", ct_origin_text(s->list, e->origin[i]),
                ct_origin_name(s->list, e->origin[i]));
        ct_json_text(s->j, NULL, text_of(s));
    }
    ct_json_close(s->j, ']');
    if (e->note)
        ct_json_text(s->j, "note", e->note);
    ct_json_close(s->j, '}');
}

static void put_kind(sheet *s, const char *key, ct_group_kind kind)
{
    ct_json_open(s->j, key, '[');
    for (uint32_t i = 0; i < s->list->group_count; i++) {
        const ct_equation_group *g = &s->list->group[i];
        for (uint32_t k = 0; g->kind == kind && k < g->count; k++)
            put_equation(s, &g->equation[k]);
    }
    ct_json_close(s->j, ']');
    ct_json_line(s->j, 1);
}

static void put_definitions(sheet *s)
{
    ct_json_open(s->j, "definitions", '[');
    for (uint32_t i = 0; i < s->list->definition_count; i++)
        put_equation(s, &s->list->definition[i].equation);
    ct_json_close(s->j, ']');
    ct_json_line(s->j, 1);
}

static void put_lines(sheet *s, const char *key, const ct_equation_group *g)
{
    ct_json_open(s->j, key, '[');
    for (uint32_t i = 0; i < g->line_count; i++) {
        ct_json_line(s->j, 2);
        ct_json_text(s->j, NULL, g->line[i]);
    }
    ct_json_close(s->j, ']');
    ct_json_line(s->j, 1);
}

static void put_step(sheet *s, const ct_equation_group *g)
{
    ct_json_line(s->j, 1);
    ct_json_open(s->j, NULL, '{');
    ct_json_text(s->j, "title", g->title);
    if (g->name)
        put_names(s, "names", g->name, g->name_count);
    if (g->line)
        put_lines(s, "lines", g);
    ct_json_open(s->j, "equations", '[');
    for (uint32_t i = 0; i < g->count; i++)
        put_equation(s, &g->equation[i]);
    ct_json_close(s->j, ']');
    ct_json_close(s->j, '}');
}

static void put_trace(sheet *s)
{
    ct_json_open(s->j, "trace", '[');
    for (uint32_t i = 0; i < s->list->group_count; i++)
        if (s->list->group[i].kind == CT_GROUP_TRACE)
            put_step(s, &s->list->group[i]);
    ct_json_close(s->j, ']');
    ct_json_line(s->j, 1);
}

/* ---- M, Phi_q, Q, Phi */

static void put_expr(sheet *s, ct_expr e)
{
    ct_expr_put(s->list->pool, cleared(s), e);
    ct_json_text(s->j, NULL, text_of(s));
}

static void put_dense_row(sheet *s, const ct_shown_matrix *a, uint32_t r)
{
    uint32_t at = a->start[r];
    if (r)
        ct_json_line(s->j, 2);
    ct_json_open(s->j, NULL, '[');
    for (uint32_t c = 0; c < a->cols; c++) {
        if (at < a->start[r + 1] && a->col[at] == c)
            put_expr(s, a->entry[at++]);
        else
            ct_json_text(s->j, NULL, "0");
    }
    ct_json_close(s->j, ']');
}

static void put_sparse_row(sheet *s, const ct_shown_matrix *a, uint32_t r)
{
    for (uint32_t at = a->start[r]; at < a->start[r + 1]; at++) {
        ct_json_open(s->j, NULL, '[');
        ct_json_int(s->j, NULL, r);
        ct_json_int(s->j, NULL, a->col[at]);
        put_expr(s, a->entry[at]);
        ct_json_close(s->j, ']');
    }
}

enum { MOST_DENSE = 200 };

/* Rows of texts; of a large matrix only what is not zero. */
static void put_matrix(sheet *s, const char *key, const ct_shown_matrix *a)
{
    bool dense = a->rows <= MOST_DENSE && a->cols <= MOST_DENSE;
    if (!dense) {
        ct_json_open(s->j, key, '{');
        ct_json_int(s->j, "rows", a->rows);
        ct_json_int(s->j, "cols", a->cols);
    }
    ct_json_open(s->j, dense ? key : "entries", '[');
    for (uint32_t r = 0; r < a->rows; r++)
        (dense ? put_dense_row : put_sparse_row)(s, a, r);
    ct_json_close(s->j, ']');
    if (!dense)
        ct_json_close(s->j, '}');
    ct_json_line(s->j, 1);
}

static void put_vector(sheet *s, const char *key, const ct_side *e, uint32_t count)
{
    ct_json_open(s->j, key, '[');
    for (uint32_t i = 0; i < count; i++) {
        ct_side_put(s->list, &e[i], false, cleared(s));
        ct_json_text(s->j, NULL, text_of(s));
    }
    ct_json_close(s->j, ']');
    ct_json_line(s->j, 1);
}

static void put_motion(sheet *s)
{
    const ct_shown_motion *m = s->list->motion;
    put_matrix(s, "M", &m->mass);
    put_vector(s, "Q", m->force, m->mass.rows);
    put_vector(s, "Phi", m->position, m->jacobian.rows);
    put_matrix(s, "Phi_q", &m->jacobian);
}

/* ---- equations between vectors */

static void put_named_matrix(sheet *s, const ct_named_matrix *a)
{
    ct_json_line(s->j, 2);
    ct_json_open(s->j, NULL, '{');
    ct_json_text(s->j, "name", ct_name_text(s->list->reduced->system->model->ctx, a->name));
    ct_json_int(s->j, "rows", a->rows);
    ct_json_int(s->j, "cols", a->cols);
    ct_json_open(s->j, "entries", '[');
    for (uint32_t i = 0; i < a->count; i++) {
        ct_json_open(s->j, NULL, '[');
        ct_json_int(s->j, NULL, a->entry[i].row);
        ct_json_int(s->j, NULL, a->entry[i].col);
        put_expr(s, a->entry[i].value);
        ct_json_close(s->j, ']');
    }
    ct_json_close(s->j, ']');
    ct_json_close(s->j, '}');
}

static void put_matrices(sheet *s)
{
    ct_json_open(s->j, "vectors", '[');
    for (uint32_t i = 0; i < s->list->vector_count; i++) {
        const ct_named_vector *v = &s->list->vector[i];
        const ct_model *m = s->list->reduced->system->model;
        ct_json_open(s->j, NULL, '{');
        ct_json_text(s->j, "name", ct_name_text(m->ctx, v->name));
        ct_json_open(s->j, "entries", '[');
        for (uint32_t k = 1; k <= v->size; k++)
            ct_json_text(s->j, NULL, ct_name_text(m->ctx, ct_entry_symbol(m->symbols, v->name, k)));
        ct_json_close(s->j, ']');
        ct_json_close(s->j, '}');
    }
    ct_json_close(s->j, ']');
    ct_json_line(s->j, 1);
    ct_json_open(s->j, "matrices", '[');
    for (uint32_t i = 0; i < s->list->matrix_count; i++)
        put_named_matrix(s, &s->list->matrix[i]);
    ct_json_close(s->j, ']');
    ct_json_line(s->j, 1);
}

static void put_counts(sheet *s)
{
    ct_json_open(s->j, "counts", '{');
    ct_json_int(s->j, "differential", s->list->differential);
    ct_json_int(s->j, "algebraic", s->list->algebraic);
    ct_json_int(s->j, "dof", s->list->dof);
    if (s->list->def.matrix)
        ct_json_int(s->j, "matrix", ct_matrix_equations(s->list));
    ct_json_close(s->j, '}');
    ct_json_line(s->j, 1);
    ct_json_int(s->j, "ops", (int64_t)s->list->ops);
}

void ct_equations_put_json(const ct_equation_list *list, ct_text *out)
{
    const ct_reduced *r = list->reduced;
    ct_json j = ct_json_new(out, " ");
    sheet s = {list, &j, ct_text_new(list->arena)};
    ct_json_open(&j, NULL, '{');
    put_names(&s, "coordinates", list->coordinate, list->coordinate_count);
    put_names(&s, "speeds", list->speed, list->speed_count);
    put_names(&s, "multipliers", list->multiplier, list->multiplier_count);
    put_names(&s, "states", list->unknown, r->state_count);
    put_names(&s, "algebraic", list->unknown + r->state_count, r->algebraic_count);
    put_names(&s, "parameters", list->parameter, list->parameter_count);
    put_names(&s, "inputs", list->input, list->input_count);
    if (list->def.trace)
        put_trace(&s);
    put_definitions(&s);
    if (list->motion)
        put_motion(&s);
    if (list->def.matrix)
        put_matrices(&s);
    put_kind(&s, "equations", CT_GROUP_EQUATION);
    put_kind(&s, "constraints", CT_GROUP_CONSTRAINT);
    put_kind(&s, "outputs", CT_GROUP_VALUE);
    for (uint32_t i = 0; i < list->group_count; i++)
        if (list->group[i].kind == CT_GROUP_REMARK)
            put_lines(&s, "remarks", &list->group[i]);
    put_counts(&s);
    ct_json_end(&j, r->system->model->ctx);
}
