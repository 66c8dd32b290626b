/* equations.c - from a tree to equations. */
#include "equations/equations.h"

#include <assert.h>

#include "base/words.h"

#include "equations/driven.h"

const ct_word ct_forms[] = {
    CT_FORM_LIST(CT_FORM_WORD){0},
};

bool ct_form_find(const char *word, ct_form *form)
{
    uint32_t row;
    bool found = ct_word_find(ct_forms, word, &row);
    *form = found ? (ct_form)row : CT_FORM_NODAL;
    return found;
}

const char *ct_form_word(ct_form form)
{
    return ct_forms[form].word;
}

static ct_reduced *reduce(const ct_tree *tree, ct_form form, ct_purpose purpose)
{
    ct_system *system =
        ct_formulate(tree->graph->model, tree->graph, tree, form, purpose == CT_FOR_A_RUN);
    if (!system)
        return NULL;
    return purpose == CT_FOR_A_RUN ? ct_reduce_only(system) : ct_reduce(system);
}

static ct_equations *open_equations(const ct_reduced *reduced, const ct_reduced *moving)
{
    const ct_system *s = reduced->system;
    ct_equations *e = CT_NEW(reduced->arena, ct_equations);
    *e = (ct_equations){.model = s->model,
                        .tree = s->tree,
                        .form = s->form,
                        .arena = reduced->arena,
                        .pool = s->pool,
                        .reduced = reduced,
                        .moving = moving};
    return e;
}

const ct_equations *ct_equations_new(const ct_tree *tree, ct_form form, ct_purpose purpose)
{
    assert(tree->graph->model);
    ct_reduced *moving = reduce(tree, form, purpose);
    if (!moving)
        return NULL;
    ct_reduced *reduced = purpose == CT_FOR_READERS ? ct_reduced_plain(moving) : moving;
    ct_equations *e = open_equations(reduced, moving);
    if (purpose == CT_FOR_READERS && !ct_list_all_variables(e))
        return NULL;
    reduced->closed = moving->closed = true;
    return e;
}

const ct_equations *ct_equations_read(const ct_tree *tree, ct_form form, ct_reader reader)
{
    ct_reduced *reduced = reduce(tree, form, CT_FOR_A_RUN);
    bool keep = false;
    if (!reduced)
        return NULL;
    ct_equations *e = open_equations(reduced, reduced);
    ct_driven *driven = ct_driven_new(e);
    if (!driven || !reader.list(e, driven, reader.user, &keep))
        return NULL;
    ct_driven_close(driven);
    e->driven = driven;
    if (!keep)
        ct_reduced_forget(reduced);
    reduced->closed = true;
    return e;
}

/* ---- where unknowns come from */

const char *ct_unknown_owner(const ct_system *s, uint32_t u, ct_place *place)
{
    const ct_model *m = s->model;
    while (s->unknown[u].kind == CT_UNKNOWN_RATE)
        u = s->unknown[u].owner;
    uint32_t owner = s->unknown[u].owner;
    *place = (ct_place){0};
    switch (s->unknown[u].kind) {
    case CT_UNKNOWN_POTENTIAL:
        *place = s->graph->node[owner].place;
        return ct_name_text(m->ctx, s->graph->node[owner].name);
    case CT_UNKNOWN_ACROSS:
    case CT_UNKNOWN_THROUGH:
    case CT_UNKNOWN_POSITION:
        *place = s->graph->edge[owner].place;
        return ct_name_text(m->ctx, s->graph->edge[owner].name);
    case CT_UNKNOWN_OWN:
        if (owner >= m->component_count)
            return "";
        *place = m->component[owner].place;
        return ct_name_text(m->ctx, m->component[owner].name);
    case CT_UNKNOWN_RATE:
        break;
    }
    return "";
}
