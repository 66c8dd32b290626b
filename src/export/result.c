/* result.c - what a run gave: its figures, and what it cost. */
#include "export/result.h"

#include <string.h>

#include "base/json.h"
#include "equations/equations.h"
#include "export/plot.h"
#include "simulate/simulate.h"
#include "units/units.h"

static void put_counts(ct_json *j, const ct_effort *e)
{
    ct_json_int(j, "nodes", e->nodes);
    ct_json_int(j, "tape_ops", e->tape_ops);
    ct_json_bool(j, "native", e->native);
    ct_json_int(j, "restarts", (int64_t)e->restarts);
    ct_json_int(j, "events", (int64_t)e->roots_found);
    ct_json_int(j, "rechosen", (int64_t)e->rechosen);
    ct_json_text(j, "jacobian", e->jacobian ? e->jacobian : "none");
    ct_json_int(j, "jacobian_entries", e->jacobian_entries);
    ct_json_int(j, "jacobian_ops", e->jacobian_ops);
}

static void put_seconds(ct_json *j, const ct_effort *e)
{
    ct_json_number(j, "wall_seconds", e->wall_seconds);
    ct_json_number(j, "cpu_seconds", e->cpu_seconds);
    ct_json_number(j, "start_seconds", e->start_seconds);
    ct_json_number(j, "rhs_seconds", e->rhs_seconds);
    ct_json_number(j, "compile_seconds", e->compile_seconds);
    ct_json_number(j, "last_time", e->last_time);
}

void ct_result_put_effort(const ct_result *result, const ct_result_look *look, ct_text *out)
{
    const ct_effort *e = &result->effort;
    (void)look;
    ct_json json = ct_json_new(out, ""), *j = &json;
    ct_json_open(j, NULL, '{');
    ct_json_int(j, "steps", (int64_t)e->steps);
    ct_json_int(j, "rhs_evals", (int64_t)e->rhs_evals);
    ct_json_int(j, "jac_evals", (int64_t)e->jac_evals);
    ct_json_int(j, "newton_iters", (int64_t)e->newton_iters);
    put_seconds(j, e);
    put_counts(j, e);
    ct_json_text(j, "method", e->method);
    ct_json_open(j, "start", '{');
    ct_json_text(j, "method", e->start_method);
    ct_json_int(j, "iterations", (int64_t)e->start_iterations);
    ct_json_close(j, '}');
    ct_json_text(j, "path", e->path);
    if (e->why_not)
        ct_json_text(j, "why_not_numeric", e->why_not);
    ct_json_close(j, '}');
    ct_put_char(out, '\n');
}

void ct_sizes_put_json(const ct_context *ctx, const ct_sizes *sizes, const ct_state_value *more,
                       uint32_t count, ct_text *out)
{
    ct_json j = ct_json_new(out, "");
    ct_json_open(&j, NULL, '{');
    ct_json_int(&j, "components", (int64_t)sizes->components);
    ct_json_int(&j, "nodes", (int64_t)sizes->nodes);
    ct_json_int(&j, "bodies", (int64_t)sizes->bodies);
    ct_json_int(&j, "joints", (int64_t)sizes->joints);
    ct_json_int(&j, "edges", (int64_t)sizes->edges);
    ct_json_int(&j, "branches", (int64_t)sizes->branches);
    ct_json_int(&j, "chords", (int64_t)sizes->chords);
    ct_json_int(&j, "circuit_entries", (int64_t)sizes->circuit_entries);
    for (uint32_t i = 0; i < count; i++)
        ct_json_number(&j, more[i].name, more[i].value);
    ct_json_end(&j, ctx);
}

ct_table ct_rows_table(const ct_rows *rows)
{
    return (ct_table){.name = rows->name,
                      .unit = rows->unit,
                      .cols = rows->cols,
                      .rows = rows->count,
                      .value = rows->value};
}

static const double *column_of(const ct_rows *rows, uint32_t column, ct_arena *arena)
{
    double *value = CT_NEW_ARRAY(arena, double, rows->count + 1);
    for (uint64_t i = 0; i < rows->count; i++)
        value[i] = rows->value[i * rows->cols + column];
    return value;
}

/* N.m of a rotational variable is a torque; what only has its dimension may be an energy. */
static const char *quantity_of(const ct_model *m, ct_expr e)
{
    const char *unit = ct_expr_unit(m, e);
    return unit && strcmp(unit, "N.m") == 0 ? "torque" : NULL;
}

static const char *curve_unit(const ct_model *m, const ct_plotted *c)
{
    const char *unit = ct_expr_unit(m, c->expr);
    return unit ? unit : ct_dim_text(m->ctx->base, c->dim);
}

/* `voltage [V]`, when all curves are of one kind. */
static const char *axis_label(const ct_model *m, uint32_t first, uint32_t count)
{
    const ct_plotted *c = &m->curve[first];
    const char *unit = curve_unit(m, c), *quantity = quantity_of(m, c->expr);
    for (uint32_t i = 1; i < count; i++) {
        if (strcmp(unit, curve_unit(m, &c[i])) != 0)
            return NULL;
        if (quantity && !quantity_of(m, c[i].expr))
            quantity = NULL;
    }
    if (strcmp(unit, "1") == 0 || !*unit)
        return NULL;
    if (!quantity)
        quantity = ct_unit_quantity(unit, m->ctx);
    if (count == 1)
        quantity = c->label;
    return ct_printf(m->ctx, *quantity ? "%s [%s]" : "%s[%s]", quantity, unit);
}

/* The shape of a mode: no run has a part in it. */
static void take_shape(const ct_model *m, const ct_plotted *from, ct_plot_curve *curve,
                       ct_arena *arena)
{
    double *x = CT_NEW_ARRAY(arena, double, CT_FIELD_PLACES),
           *y = CT_NEW_ARRAY(arena, double, CT_FIELD_PLACES);
    for (uint32_t k = 0; k < CT_FIELD_PLACES; k++) {
        x[k] = ct_model_value(m, from->place) * k / (CT_FIELD_PLACES - 1);
        y[k] = ct_model_value(m, from->shape[k]);
    }
    curve->x = x, curve->y = y, curve->count = CT_FIELD_PLACES;
}

/* The curves of one `plot` statement. */
static ct_figure figure_of(const ct_simulation *s, const ct_model *m, uint32_t first,
                           uint32_t count, ct_arena *arena)
{
    ct_plot_curve *curve = CT_NEW_ARRAY(arena, ct_plot_curve, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = s->curve_x[first + i];
        curve[i] = (ct_plot_curve){.label = m->curve[first + i].label,
                                   .x = x ? column_of(&s->curves, x, arena) : NULL,
                                   .y = column_of(&s->curves, s->curve_y[first + i], arena),
                                   .count = s->curves.count};
        if (m->curve[first + i].shape)
            take_shape(m, &m->curve[first + i], &curve[i], arena);
    }
    const char *over = m->curve[first].over_label;
    return (ct_figure){.title = m->curve[first].title,
                       .x_label = over ? over : "time [s]",
                       .y_label = axis_label(m, first, count),
                       .curve = curve,
                       .curve_count = count,
                       .time = column_of(&s->curves, 0, arena)};
}

/* A variable along a field: its places go upwards. */
static ct_figure surface_of(const ct_simulation *s, const ct_model *m, uint32_t first,
                            uint32_t count, ct_arena *arena)
{
    ct_figure f = figure_of(s, m, first, count, arena);
    double *place = CT_NEW_ARRAY(arena, double, count);
    for (uint32_t i = 0; i < count; i++)
        place[i] = ct_model_value(m, m->curve[first + i].place);
    f.place = place;
    f.x_label = "time [s]";
    f.y_label = ct_printf(m->ctx, "%s [m]", m->curve[first].over_label);
    f.value_label = axis_label(m, first, 1);
    return f;
}

static bool is_same_figure(const ct_plotted *a, const ct_plotted *b)
{
    if (a->figure != b->figure || !a->shape != !b->shape || !a->place != !b->place)
        return false;
    return a->shape ? a->place == b->place : !a->place || a->label == b->label;
}

static const char *const *describe(const ct_model *m, const ct_table *table, ct_arena *arena)
{
    const char **quantity = CT_NEW_ARRAY(arena, const char *, table->cols + 1);
    for (uint32_t i = 0; i < m->output_count && i + 1 < table->cols; i++)
        quantity[i + 1] = quantity_of(m, m->output[i].expr);
    return quantity;
}

/* Events that were listed are marked where time is the horizontal axis. */
static void add_marks(const ct_simulation *s, ct_figure *figure, uint32_t count, ct_arena *arena)
{
    uint64_t events = s ? s->event_count : 0;
    if (!events || events > CT_PLOT_MARKS)
        return;
    ct_plot_mark *mark = CT_NEW_ARRAY(arena, ct_plot_mark, events);
    for (uint64_t i = 0; i < events; i++)
        mark[i] = (ct_plot_mark){s->event[i].time, s->event[i].what};
    for (uint32_t i = 0; i < count; i++) {
        bool over_time = figure[i].x_label && strncmp(figure[i].x_label, "time", 4) == 0;
        figure[i].mark = over_time ? mark : NULL;
        figure[i].mark_count = over_time ? (uint32_t)events : 0;
    }
}

const ct_figure *ct_result_figures(const ct_result *result, ct_arena *arena, uint32_t *count)
{
    const ct_simulation *s = result->simulation; /* NULL: of .dc or .ac */
    const ct_model *m = s ? s->model : NULL;
    uint32_t curves = s ? m->curve_count : 0;
    ct_figure *figure = CT_NEW_ARRAY(arena, ct_figure, curves + 1);
    *count = 0;
    for (uint32_t i = 0, k; i < curves; i = k) {
        for (k = i + 1; k < curves && is_same_figure(&m->curve[k], &m->curve[i]);)
            k++;
        bool surface = m->curve[i].place && !m->curve[i].shape;
        figure[(*count)++] = (surface ? surface_of : figure_of)(s, m, i, k - i, arena);
    }
    add_marks(s, figure, *count, arena);
    if (*count)
        return figure;
    ct_table table = ct_rows_table(&result->outputs);
    if (ct_table_is_phasors(&table))
        return ct_phasor_figures(&table, arena, count);
    table.description = m ? describe(m, &table, arena) : NULL;
    ct_figure *plain = ct_table_figures(&table, 0, arena, count);
    add_marks(s, plain, *count, arena);
    return plain;
}

/* ---- formats */

void ct_result_put_csv(const ct_result *result, const ct_result_look *look, ct_text *out)
{
    ct_table table = ct_rows_table(&result->outputs);
    (void)look;
    ct_table_put_csv(&table, out);
}

void ct_result_put_mat(const ct_result *result, const ct_result_look *look, ct_text *out)
{
    ct_table table = ct_rows_table(&result->outputs);
    (void)look;
    ct_table_put_mat(&table, out);
}

void ct_result_put_svg(const ct_result *result, const ct_result_look *look, ct_text *out)
{
    uint32_t count;
    ct_arena *arena = ct_arena_new(ct_arena_context(out->arena));
    const ct_figure *figure = ct_result_figures(result, arena, &count);
    (void)look;
    ct_figures_put_svg(figure, count, out);
    ct_arena_free(arena);
}

enum { PLOT_LINES = 20 };

void ct_result_put_terminal(const ct_result *result, const ct_result_look *look, ct_text *out)
{
    uint32_t count;
    ct_arena *arena = ct_arena_new(ct_arena_context(out->arena));
    const ct_figure *figure = ct_result_figures(result, arena, &count);
    for (uint32_t i = 0; i < count; i++)
        ct_figure_put_terminal(&figure[i], look->width, PLOT_LINES, look->colour, out);
    ct_arena_free(arena);
}
