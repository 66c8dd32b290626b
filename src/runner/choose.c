/* choose.c - simulators: made, set, cloned; each task by the first back end that can do it. */
#include <string.h>

#include "base/words.h"
#include "runner/inside.h"

/* In the order of trying. The last one can do everything. */
static const ct_runner_type *const types[] = {&ct_modal_runner, &ct_numeric_runner,
                                              &ct_symbolic_runner};

enum { TYPES = sizeof types / sizeof *types };

/* ---- making */

const ct_word ct_run_forms[] = {
    CT_FORM_LIST(CT_FORM_WORD){CT_NUMERIC_FORM, "", "large networks in numbers"},
    {CT_QUICK_FORM, "", "the usual; sketches of nonlinear networks in numbers"},
    {0},
};

static bool read_form(ct_simulator *s, const char *word)
{
    s->quick = word && strcmp(word, CT_QUICK_FORM) == 0;
    s->usual = !word || s->quick;
    s->numeric = word && strcmp(word, ct_numeric_runner.word) == 0;
    if (s->numeric || ct_form_find(s->usual ? NULL : word, &s->form))
        return true;
    ct_report *r = ct_error(s->ctx, "E525", (ct_place){0}, "there is no form `%s`", word);
    ct_help(r, "forms are %s", ct_word_list(s->ctx, ct_run_forms));
    ct_witness(r, word);
    return false;
}

static ct_simulator *new_simulator(const ct_tree *tree)
{
    const ct_model *model = tree->graph->model;
    ct_arena *arena = ct_arena_new(model->ctx);
    ct_simulator *s = CT_NEW(arena, ct_simulator);
    *s = (ct_simulator){.ctx = model->ctx, .arena = arena, .model = model, .tree = tree};
    s->value = CT_NEW_ARRAY(arena, double, model->quantity_count + 1);
    s->own = CT_NEW_ARRAY(arena, bool, model->quantity_count + 1);
    return s;
}

/* The first that may do makes what it needs; the others wait until they are asked. */
static bool make_first(ct_simulator *s)
{
    uint32_t i = 0;
    while (types[i]->make(s))
        i++;
    return types[i] != &ct_symbolic_runner || s->machine;
}

ct_simulator *ct_simulator_new(const ct_tree *tree, const char *form, bool drawn)
{
    ct_simulator *s = new_simulator(tree);
    s->drawn = drawn;
    for (uint32_t i = 0; i < s->model->quantity_count; i++)
        s->value[i] = s->model->quantity_value[i];
    return read_form(s, form) && make_first(s) ? s : NULL;
}

/* ---- tasks */

const ct_simulation *ct_simulator_run(ct_simulator *s, const ct_simulation_def *def,
                                      ct_arena *arena)
{
    const ct_simulation *made = NULL;
    s->why_not = ct_numeric_runner.make(s); /* also where another one comes first */
    for (uint32_t i = 0;; i++) {
        const char *why_not = types[i]->make(s);
        if (!why_not)
            why_not = types[i]->run(s, def, arena, &made);
        if (!why_not)
            return made;
        if (types[i] == &ct_numeric_runner)
            s->why_not = why_not;
    }
}

const ct_point *ct_simulator_rest(ct_simulator *s, double t, ct_arena *arena)
{
    const ct_point *made = NULL;
    uint32_t i = 0;
    while (types[i]->make(s) || types[i]->rest(s, t, arena, &made))
        i++;
    return made;
}

const ct_point *ct_simulator_at(ct_simulator *s, double t, const ct_state_value *given,
                                uint32_t count, ct_arena *arena)
{
    const ct_point *made = NULL;
    uint32_t i = 0;
    while (types[i]->make(s) || types[i]->at(s, t, given, count, arena, &made))
        i++;
    return made;
}

/* ---- values */

/* Defaults that use other params, until nothing changes: they form no circle. */
static void follow(ct_simulator *s)
{
    bool changed = true;
    for (uint32_t round = 0; changed && round < s->model->quantity_count; round++) {
        changed = false;
        for (uint32_t i = 0; i < s->model->quantity_count; i++) {
            const ct_quantity *q = &s->model->quantity[i];
            if ((q->kind != CT_PARAM && q->kind != CT_DISCRETE) || !q->value || s->own[i])
                continue;
            double now = ct_value_with(s->model, s->value, q->value);
            changed |= memcmp(&now, &s->value[i], sizeof now) != 0; /* also none stays none */
            s->value[i] = now;
        }
    }
}

void ct_simulator_set(ct_simulator *s, uint32_t quantity, double value)
{
    s->value[quantity] = value;
    s->own[quantity] = true;
    follow(s);
    for (uint32_t i = 0; i < TYPES; i++)
        types[i]->set(s);
}

/* ---- clones */

/* The model and its tree as they look from another context; lists are shared, what grows is not. */
static const ct_tree *copy_tree(const ct_tree *from, ct_context *own)
{
    ct_arena *arena = ct_arena_new(own);
    ct_model *model = CT_NEW(arena, ct_model);
    ct_graph *graph = CT_NEW(arena, ct_graph);
    ct_tree *tree = CT_NEW(arena, ct_tree);
    *model = *from->graph->model;
    *graph = *from->graph;
    *tree = *from;
    model->ctx = graph->ctx = own;
    model->arena = graph->arena = arena;
    model->pool = ct_pool_copy(from->graph->model->pool, own);
    model->symbols = ct_symbols_copy(from->graph->model->symbols, own, arena);
    graph->model = model;
    tree->graph = graph;
    return tree;
}

ct_simulator *ct_simulator_clone(const ct_simulator *from, ct_context *own)
{
    ct_context_adopt(own, from->ctx);
    ct_simulator *s = new_simulator(copy_tree(from->tree, own));
    s->form = from->form;
    s->numeric = from->numeric, s->usual = from->usual, s->drawn = from->drawn,
    s->quick = from->quick;
    memcpy(s->value, from->value, s->model->quantity_count * sizeof *s->value);
    memcpy(s->own, from->own, s->model->quantity_count * sizeof *s->own);
    for (uint32_t i = 0; i < TYPES; i++)
        types[i]->clone(from, s);
    return s;
}
