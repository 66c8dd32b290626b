/* numeric.c - nodal analysis in numbers, for large networks. */
#include <math.h>
#include <string.h>

#include "model/shadow.h"
#include "nodal/nodal.h"
#include "runner/inside.h"

/* Components, and unknowns of those that are spread along a line, which meet each other in all
 * equations once ends are eliminated. A third of the components is enough for linear networks,
 * whose exponentials cost the third power: of 100 sections they take ten times as long. */
static bool is_small(const ct_model *m)
{
    const uint32_t weight = 2, linear = 3;
    uint32_t size = linear * m->component_count;
    for (uint32_t i = 0; i < m->component_count && size < CT_NODAL_LEAST; i++) {
        const ct_element *e = m->element[m->component[i].element];
        size += e->is_field ? weight * e->var_count : 0;
    }
    return size < CT_NODAL_LEAST;
}

/* Tolerances from here on ask for a sketch. */
static const double sketch = 1e-4;
/* Errors are some tolerances where junctions begin to conduct; those of derived equations, in whose
 * place sketches are made, are fewer. */
static const double closer = 0.3;

static double own_tolerance(const ct_simulator *s)
{
    const ct_model *m = s->model;
    return m->run.tol ? ct_value_with(m, s->value, m->run.tol) : 0;
}

static bool may_sketch(const ct_simulator *s)
{
    return s->usual && (s->quick || own_tolerance(s) >= sketch) &&
           s->model->component_count >= CT_NODAL_LEAST_OF_SKETCHES;
}

static double tolerance(const ct_simulator *s, const ct_simulation_def *def)
{
    return isnan(def->tol) ? own_tolerance(s) : def->tol;
}

static const char *more_than_network(const ct_model *m)
{
    if (ct_model_is_modal(m))
        return "the model has modes";
    if (m->mechanism)
        return "the model has bodies and joints";
    for (uint32_t i = 0; i < m->quantity_count; i++)
        if (m->quantity[i].kind == CT_DISCRETE)
            return "the model has discretes";
    return m->happening_count ? "the model has events" : NULL;
}

static const char *make(ct_simulator *s)
{
    const ct_model *m = s->model;
    if (!s->numeric && !s->usual)
        return "a form of equations was asked for";
    if (!s->numeric && is_small(m) && !may_sketch(s))
        return "the model is small";
    const char *why_not = more_than_network(m);
    if (why_not)
        return why_not;
    if (m->wish_count)
        return "the model wishes for branches";
    return s->drawn ? "results are to be drawn" : NULL;
}

static ct_lawful lawful(const ct_simulator *s)
{
    if (s->numeric || s->model->component_count >= CT_NODAL_LEAST_OF_OTHERS)
        return CT_LAWFUL_ALL;
    return s->model->component_count >= CT_NODAL_LEAST ? CT_LAWFUL_JUNCTIONS : CT_LAWFUL_NONE;
}

static bool is_large(const ct_simulator *s)
{
    return s->numeric || !is_small(s->model);
}

static const char *run(ct_simulator *s, const ct_simulation_def *def, ct_arena *arena,
                       const ct_simulation **made)
{
    const char *why_not = NULL;
    bool loose = may_sketch(s) && tolerance(s, def) >= sketch;
    if (!loose && !is_large(s))
        return "the model is small";
    ct_simulation_def own = *def;
    if (!is_large(s))
        own.tol = closer * tolerance(s, def);
    ct_lawful may = !is_large(s) ? CT_LAWFUL_SOME : loose ? CT_LAWFUL_ALL : lawful(s);
    *made = ct_nodal_run(s->tree, s->value, &own, may, arena, &why_not);
    return why_not;
}

static const char *rest(ct_simulator *s, double t, ct_arena *arena, const ct_point **made)
{
    const char *why_not = NULL;
    if (!is_large(s))
        return "the model is small";
    *made = ct_nodal_point(s->tree, s->value, t, lawful(s), arena, &why_not);
    return why_not;
}

bool ct_numeric_rest(void *simulator, double t, const ct_name *symbol, uint32_t count, double *out)
{
    const ct_simulator *s = simulator;
    return !more_than_network(s->model) && ct_nodal_rest(s->tree, s->value, t, symbol, count, out);
}

static const char *at(ct_simulator *s, double t, const ct_state_value *given, uint32_t count,
                      ct_arena *arena, const ct_point **made)
{
    (void)s, (void)t, (void)given, (void)count, (void)arena, (void)made;
    return "values at states are computed from derived equations";
}

/* Of a tree: no simulator is needed, nor anything that one makes. Why it is not for this path;
 * NULL: it is. */
static const char *take_tree(ct_simulator *s, const ct_tree *tree, const char *form,
                             ct_arena *arena)
{
    const ct_model *m = tree->graph->model;
    *s = (ct_simulator){.ctx = m->ctx, .model = m, .tree = tree};
    s->value = CT_NEW_ARRAY(arena, double, m->quantity_count + 1);
    memcpy(s->value, m->quantity_value, m->quantity_count * sizeof *s->value);
    s->usual = !form;
    s->numeric = form && strcmp(form, CT_NUMERIC_FORM) == 0;
    const char *why_not = make(s);
    return why_not ? why_not : is_large(s) ? NULL : "the model is small";
}

const char *ct_runner_judge(const ct_tree *tree)
{
    ct_arena *arena = ct_arena_new(tree->graph->model->ctx);
    ct_simulator s;
    const char *why_not = take_tree(&s, tree, NULL, arena);
    if (!why_not)
        why_not = ct_nodal_judge(tree, s.value, lawful(&s));
    ct_arena_free(arena);
    return why_not;
}

const ct_network *ct_runner_linear(const ct_tree *tree, const char *form, double t, bool at_rest,
                                   ct_arena *arena, const char **why_not)
{
    ct_simulator s;
    *why_not = take_tree(&s, tree, form, arena);
    if (*why_not)
        return NULL;
    ct_network_choice choice = {.t = t, .at_rest = at_rest, .lawful = lawful(&s)};
    return ct_nodal_linear(tree, s.value, &choice, arena, why_not);
}

static void set(ct_simulator *s)
{
    (void)s; /* matrices are made anew for every task */
}

static void clone(const ct_simulator *from, ct_simulator *to)
{
    (void)from, (void)to;
}

const ct_runner_type ct_numeric_runner = {CT_NUMERIC_FORM, make, run, rest, at, set, clone};
