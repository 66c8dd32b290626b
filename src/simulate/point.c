/* point.c - names and values at one point: for `equilibrium` and `eval`. */
#include "simulate/point.h"

#include <math.h>
#include <string.h>

#include "base/suggest.h"
#include "model/held.h"
#include "simulate/bodies.h"

static const char **names(const ct_machine *m, uint32_t first, uint32_t count, ct_arena *arena)
{
    const char **name = CT_NEW_ARRAY(arena, const char *, count + 1);
    for (uint32_t i = 0; i < count; i++)
        name[i] = ct_machine_variable(m, first + i);
    return name;
}

static const char **output_names(const ct_machine *m, ct_arena *arena)
{
    const char **name = CT_NEW_ARRAY(arena, const char *, m->output_count + 1);
    for (uint32_t i = 0; i < m->output_count; i++)
        name[i] = m->model->output_count ? m->model->output[i].name : ct_machine_variable(m, i);
    return name;
}

static const double *copy(ct_arena *arena, const double *from, uint32_t count)
{
    double *to = CT_NEW_ARRAY(arena, double, count + 1);
    memcpy(to, from, count * sizeof *to);
    return to;
}

static void list_coordinates(const ct_machine *m, ct_point *point, ct_arena *arena)
{
    const ct_reduced *r = m->reduced;
    const char **name = CT_NEW_ARRAY(arena, const char *, m->n + 1);
    for (uint32_t i = 0; i < m->n; i++)
        if (r->system->unknown[r->state[i]].kind == CT_UNKNOWN_POSITION)
            name[point->coordinate_count++] = ct_machine_variable(m, i);
    point->coordinate = name;
}

const ct_point *ct_point_new(ct_rig *rig, double t, const double *z, const char *method,
                             ct_arena *arena)
{
    bool rest = method != NULL; /* of an operating point */
    const ct_machine *m = rig->machine;
    ct_point *point = CT_NEW(arena, ct_point);
    double *fg = CT_NEW_ARRAY(arena, double, m->n + m->m + 1);
    double *column = CT_NEW_ARRAY(arena, double, m->column_count + 1);
    (rest ? ct_rig_rest(rig) : &rig->free)->evaluate(rig, t, z, fg);
    (rest ? ct_rig_rest_columns : ct_rig_columns)(rig, t, z, column);
    *point = (ct_point){.time = t,
                        .method = method,
                        .iterations = method ? rig->start_iterations : 0,
                        .state = names(m, 0, m->n, arena),
                        .algebraic = names(m, m->n, m->m, arena),
                        .output = output_names(m, arena),
                        .x = copy(arena, z, m->n),
                        .rate = fg,
                        .w = copy(arena, z + m->n, m->m),
                        .y = column,
                        .state_count = m->n,
                        .algebraic_count = m->m,
                        .output_count = m->output_count};
    list_coordinates(m, point, arena);
    return point;
}

const ct_point *ct_point_without(const ct_model *model, ct_own_use use, const ct_point *point,
                                 ct_arena *arena)
{
    ct_point *shown = CT_NEW(arena, ct_point);
    const char **name = CT_NEW_ARRAY(arena, const char *, point->state_count + 1);
    double *x = CT_NEW_ARRAY(arena, double, 2 * (size_t)point->state_count + 1);
    double *rate = x + point->state_count;
    *shown = *point;
    shown->state_count = 0;
    for (uint32_t i = 0; i < point->state_count; i++) {
        if (ct_use_of(model, ct_intern_text(model->ctx, point->state[i])) == use)
            continue;
        name[shown->state_count] = point->state[i];
        rate[shown->state_count] = point->rate[i];
        x[shown->state_count++] = point->x[i];
    }
    shown->state = name;
    shown->x = x;
    shown->rate = rate;
    return shown;
}

/* ---- eval */

static uint32_t find_state(const ct_machine *m, const char *name)
{
    ct_suggestion near = ct_suggest(name);
    for (uint32_t i = 0; i < m->n; i++) {
        if (strcmp(ct_machine_variable(m, i), name) == 0)
            return i;
        ct_suggest_try(&near, ct_machine_variable(m, i));
    }
    ct_report *r = ct_error(m->ctx, "E531", (ct_place){0}, "there is no state `%s`", name);
    ct_text text = ct_text_new(m->ctx->base);
    for (uint32_t i = 0; i < m->n && text.length < 200; i++)
        ct_putf(&text, "%s%s", i ? ", " : "", ct_machine_variable(m, i));
    if (m->n)
        ct_note(r, "states are %s", ct_text_string(&text));
    if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    ct_witness(r, name);
    return UINT32_MAX;
}

typedef struct wishes {
    ct_expr *variable; /* over z, t, parameters: to be met by the others */
    double *value;
    uint32_t count;
} wishes;

static bool refuse_unit(const ct_machine *m, const ct_state_value *v, const char *problem,
                        const char *hint)
{
    ct_report *r =
        ct_error(m->ctx, "E105", (ct_place){0}, "the value of `%s`: %s", v->name, problem);
    if (hint)
        ct_help(r, "did you mean `%s`?", hint);
    return false;
}

/* The value in SI units; `own` is the unit of the variable, "": not known. */
static bool in_si(const ct_machine *m, const ct_state_value *v, const char *own, double *value)
{
    const char *problem = "", *hint = NULL;
    ct_unit unit, wanted;
    *value = v->value;
    if (!v->unit)
        return true;
    if (!ct_unit_read(m->ctx, v->unit, strlen(v->unit), &unit, &problem, &hint))
        return refuse_unit(m, v, problem, hint);
    bool known = *own && ct_unit_read(m->ctx, own, strlen(own), &wanted, &problem, &hint);
    if (known && !ct_dim_equal(unit.dim, wanted.dim)) {
        ct_report *r = ct_error(m->ctx, "E230", (ct_place){0}, "`%s` has the unit %s, not %s",
                                v->name, own, v->unit);
        ct_witness(r, v->name);
        return false;
    }
    *value *= (double)unit.num / (double)unit.den * pow(3.14159265358979323846, unit.pi_power);
    *value += unit.absolute ? 273.15 : 0;
    return true;
}

/* A state takes the value; where loops are closed, and of other variables of bodies, it is a
 * condition for all. */
static bool take_values(const ct_machine *m, const ct_state_value *given, uint32_t count, double *z,
                        wishes *w, ct_arena *arena)
{
    bool good = true;
    w->variable = CT_NEW_ARRAY(arena, ct_expr, count + 1);
    w->value = CT_NEW_ARRAY(arena, double, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = ct_map_get(&m->z_index, ct_intern_text(m->ctx, given[i].name));
        const char *unit = "";
        double value = 0;
        ct_expr e = own && own <= m->n ? 0 : ct_body_variable(m, given[i].name, arena, &unit);
        uint32_t state = e ? 0 : find_state(m, given[i].name);
        bool found = state != UINT32_MAX;
        if (found && !e)
            unit = ct_symbol_unit(m->model, m->z[state]);
        good &= found && in_si(m, &given[i], unit, &value);
        if (!e && found) {
            z[state] = value;
            e = m->invariant_count ? ct_expr_symbol(m->pool, m->z[state]) : 0;
        }
        if (!e)
            continue;
        w->variable[w->count] = e;
        w->value[w->count++] = value;
    }
    return good;
}

bool ct_begin_at(ct_rig *rig, double t, const ct_state_value *given, uint32_t count,
                 ct_arena *arena, double *z)
{
    wishes w = {0};
    if (ct_initialise(rig, t, false, z) != CT_SOLVED)
        return false;
    bool good = take_values(rig->machine, given, count, z, &w, arena);
    if (good && w.count)
        good = ct_meet(rig, t, w.variable, w.value, w.count, z) == CT_SOLVED;
    return good;
}

const ct_point *ct_evaluate(ct_rig *rig, double t, const ct_state_value *given, uint32_t count,
                            ct_arena *arena)
{
    const ct_machine *m = rig->machine;
    double *z = CT_NEW_ARRAY(arena, double, m->n + m->m + 1);
    ct_run_stats stats;
    if (!ct_begin_at(rig, t, given, count, arena, z))
        return NULL;
    ct_solve_status status =
        m->m && count ? ct_solve_algebraic(m->ctx, &rig->free, t, z, true, &stats) : CT_SOLVED;
    if (status == CT_SOLVED)
        return ct_point_new(rig, t, z, NULL, arena);
    if (status == CT_NO_MEMORY_LEFT)
        ct_throw(m->ctx, CT_ERR_MEMORY);
    ct_report *r = ct_error(m->ctx, "E524", (ct_place){0},
                            "the algebraic equations have no solution "
                            "at this state, or none was found");
    ct_note(r, "%s", ct_solve_status_text(status));
    return NULL;
}
