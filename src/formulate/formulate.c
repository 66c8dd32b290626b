/* formulate.c - a system from a model, its graph and its tree. */
#include "formulate/formulation.h"

#include <assert.h>

static void find_first_edges(formulation *f)
{
    const ct_graph *g = f->graph;
    for (uint32_t e = g->scalar_edge_count; e-- > 0;)
        f->first_edge[g->edge[e].owner] = e;
}

static formulation *new_formulation(const ct_model *m, const ct_graph *g, const ct_tree *t,
                                    ct_form form)
{
    ct_arena *arena = ct_arena_new(m->ctx);
    formulation *f = CT_NEW(arena, formulation);
    f->model = m, f->graph = g, f->tree = t, f->arena = arena, f->pool = m->pool;
    f->zero = ct_expr_int(f->pool, 0);
    f->one = ct_expr_int(f->pool, 1);
    f->minus_one = ct_expr_int(f->pool, -1);
    f->system = CT_NEW(arena, ct_system);
    *f->system = (ct_system){
        .model = m, .graph = g, .tree = t, .form = form, .arena = arena, .pool = m->pool};
    f->potential = CT_NEW_ARRAY(arena, uint32_t, g->scalar_node_count + 1);
    f->across = CT_NEW_ARRAY(arena, uint32_t, g->scalar_edge_count + 1);
    f->through = CT_NEW_ARRAY(arena, uint32_t, g->scalar_edge_count + 1);
    f->position = CT_NEW_ARRAY(arena, uint32_t, g->scalar_edge_count + 1);
    f->first_edge = CT_NEW_ARRAY(arena, uint32_t, m->component_count + 1);
    f->by_name.arena = arena;
    ct_map_init(&f->integrals, arena);
    ct_map_init(&f->kept, arena);
    f->component = UINT32_MAX;
    f->states = CT_WANTED_FIRST;
    ct_map_init(&f->expressed, arena);
    CT_PUSH(arena, f->unknown, (ct_unknown_row){0});
    find_first_edges(f);
    return f;
}

/* Every variable of the form is an unknown, whether an equation names it or not. */
static void make_unknowns(formulation *f)
{
    const ct_graph *g = f->graph;
    bool nodal = f->system->form == CT_FORM_NODAL, all = f->system->form == CT_FORM_TABLEAU;
    for (uint32_t n = 0; nodal && n < g->scalar_node_count; n++)
        ct_potential_unknown(f, n);
    for (uint32_t e = 0; e < g->scalar_edge_count; e++) {
        if (all || (!nodal && f->tree->is_branch[e]))
            ct_across_unknown(f, e);
        if (all || nodal || !f->tree->is_branch[e])
            ct_through_unknown(f, e);
    }
}

static void publish(formulation *f)
{
    ct_system *s = f->system;
    s->unknown = f->unknown.at, s->unknown_count = f->unknown.count;
    s->row = f->row.at, s->row_count = f->row.count;
    s->term = f->term.at;
    s->unknown_by_name = &f->by_name;
    s->maker = f;
    f->published = true;
}

/* What outputs, initial values and conditions of modes read may need more states: integrals and
 * rates. Stages that follow ask for the same expressions again. */
static void express_once(formulation *f, ct_expr e, ct_place place)
{
    if (!ct_map_get(&f->expressed, e))
        ct_map_put(&f->expressed, e, ct_express(f, e, place));
}

/* So may events. */
static void express_happenings(formulation *f)
{
    for (uint32_t i = 0; i < f->model->happening_count; i++) {
        const ct_happening *h = &f->model->happening[i];
        if (!h->clock)
            express_once(f, h->condition, h->place);
        for (uint32_t k = 0; k < h->assigned_count; k++) {
            const ct_assignment *a = &h->assigned[k];
            if (!a->target)
                continue;
            express_once(f, a->value, a->place);
            express_once(f, a->target, a->place);
        }
    }
}

ct_system *ct_formulate(const ct_model *m, const ct_graph *g, const ct_tree *t, ct_form form,
                        bool run)
{
    assert(g->model == m && t->graph == g);
    formulation *f = new_formulation(m, g, t, form);
    f->system->run = run;
    make_unknowns(f);
    ct_add_motion_unknowns(f);
    if (f->failed)
        return NULL;
    ct_plan_positions(f);
    if (run)
        ct_list_pushes(f);
    ct_add_terminal_rows(f);
    ct_add_topological_rows(f);
    ct_add_motion_rows(f);
    for (uint32_t i = 0; i < m->output_count; i++)
        express_once(f, m->output[i].expr, m->output[i].place);
    for (uint32_t i = 0; i < m->curve_count; i++)
        express_once(f, m->curve[i].expr, (ct_place){0});
    for (uint32_t i = 0; i < m->start_count; i++)
        express_once(f, m->start[i].variable, m->start[i].place);
    for (uint32_t i = 0; i < m->watch_count; i++)
        if (ct_expr_kind_of(f->pool, m->watch[i]) != CT_EXPR_SYMBOL)
            express_once(f, m->watch[i], (ct_place){0});
    express_happenings(f);
    ct_add_state_rows(f);
    publish(f);
    return f->failed ? NULL : f->system;
}

ct_expr ct_system_express(const ct_system *s, ct_expr e, ct_place place)
{
    formulation *f = s->maker;
    ct_expr known = ct_map_get(&f->expressed, e), result = known ? known : ct_express(f, e, place);
    return f->failed ? 0 : result;
}

const ct_system *ct_system_view(const ct_system *s, ct_arena *arena)
{
    if (!s->maker)
        return s;
    ct_system *own = CT_NEW(arena, ct_system);
    formulation *f = CT_NEW(arena, formulation);
    *own = *s;
    *f = *s->maker;
    f->arena = arena;
    f->system = own;
    f->failed = false;
    own->maker = f;
    return own;
}

void ct_system_forget_terms(ct_system *s)
{
    formulation *f = s->maker;
    CT_DROP(f->arena, f->term);
    s->term = NULL;
}

void ct_system_forget(ct_system *s)
{
    formulation *f = s->maker;
    size_t edges = (f->graph->scalar_edge_count + 1) * sizeof(uint32_t),
           nodes = (f->graph->scalar_node_count + 1) * sizeof(uint32_t);
    uint32_t **tables[] = {&f->across, &f->through, &f->position};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        ct_arena_release(f->arena, *tables[i], edges);
    ct_arena_release(f->arena, f->potential, nodes);
    ct_arena_release(f->arena, f->first_edge, (f->model->component_count + 1) * sizeof(uint32_t));
    CT_DROP(f->arena, f->row);
    ct_system_forget_terms(s);
    s->maker = NULL;
    s->row = NULL;
    s->row_count = 0;
}

/* ---- dump */

static const char *origin_name(const ct_system *s, const ct_row *row)
{
    ct_context *ctx = s->model->ctx;
    switch (row->origin) {
    case CT_FROM_TERMINAL:
        return ct_name_text(ctx, s->model->component[row->origin_index].name);
    case CT_FROM_VERTEX:
        return ct_name_text(ctx, s->graph->node[row->origin_index].name);
    case CT_FROM_INTEGRAL:
    case CT_FROM_MOTION:
        return ct_name_text(ctx, s->unknown[row->origin_index].name);
    default:
        return ct_name_text(ctx, s->graph->edge[row->origin_index].name);
    }
}

void ct_system_dump(const ct_system *s, ct_text *out)
{
    static const char *const origins[] = {"terminal", "vertex",   "cutset",   "circuit",
                                          "edge",     "position", "integral", "motion"};
    for (uint32_t i = 0; i < s->row_count; i++) {
        const ct_row *row = &s->row[i];
        ct_expr sum = row->rest;
        for (uint32_t k = 0; k < row->count; k++) {
            const ct_term *t = &s->term[row->first + k];
            ct_expr symbol = ct_expr_symbol(s->pool, s->unknown[t->unknown].name);
            sum = ct_expr_add(s->pool, sum, ct_expr_mul(s->pool, t->factor, symbol));
        }
        ct_putf(out, "%s %s: 0 = ", origins[row->origin], origin_name(s, row));
        ct_expr_put_some(s->pool, out, sum);
        ct_put(out, "\n");
    }
    for (uint32_t i = 0; i < s->definition_count; i++) {
        ct_putf(out, "%s = ", ct_name_text(s->model->ctx, s->definition[i].name));
        ct_expr_put_some(s->pool, out, s->definition[i].expr);
        ct_put(out, "\n");
    }
}
