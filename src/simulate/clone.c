/* clone.c - a machine once more for another context: programs are shared, what grows is not. */
#include "mechanics/mechanics.h"
#include "simulate/machine.h"

/* What made the equations stays behind, so that nothing new can be expressed by them. */
static const ct_reduced *copy_reduced(const ct_reduced *from, const ct_tree *tree, ct_arena *arena)
{
    const ct_model *model = tree->graph->model;
    ct_reduced *r = CT_NEW(arena, ct_reduced);
    ct_system *s = CT_NEW(arena, ct_system);
    *r = *from;
    *s = *from->system;
    s->model = model, s->graph = tree->graph, s->tree = tree;
    s->arena = r->arena = arena;
    s->pool = model->pool;
    if (s->mechanics)
        s->mechanics = ct_mechanics_clone(s->mechanics, tree, arena);
    s->maker = NULL;
    r->system = s;
    r->maker = NULL;
    return r;
}

ct_machine *ct_machine_clone(const ct_machine *from, const ct_tree *tree)
{
    const ct_model *model = tree->graph->model;
    if (from->reduced->maker)
        return NULL;
    ct_arena *arena = ct_arena_new(model->ctx);
    ct_machine *m = CT_NEW(arena, ct_machine);
    ct_equations *e = CT_NEW(arena, ct_equations);
    *m = *from;
    *e = *from->equations;
    e->model = model, e->tree = tree;
    e->arena = arena;
    e->pool = model->pool;
    e->reduced = e->moving = copy_reduced(from->reduced, tree, arena);
    m->ctx = model->ctx;
    m->arena = arena;
    m->pool = model->pool;
    m->model = model;
    m->equations = e;
    m->reduced = e->reduced;
    m->driven = e->driven = ct_driven_clone(from->driven, e->reduced);
    return m;
}
