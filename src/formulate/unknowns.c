/* unknowns.c - the unknowns of a system, made when they are first needed. */
#include "formulate/formulation.h"

uint32_t ct_new_unknown(formulation *f, ct_unknown_kind kind, ct_name name, uint32_t owner)
{
    ct_unknown_row u = {.kind = kind, .name = name, .owner = owner};
    if (f->published) {
        const char *text = ct_name_text(f->model->ctx, name);
        ct_report *r = ct_error(f->model->ctx, "E503", (ct_place){0},
                                "`%s` is no unknown of these equations", text);
        ct_note(r, "they were derived without it: nothing in the model reads it");
        ct_help(r, "let the model read it, as in `output %s`", text);
        f->failed = true;
        return 0;
    }
    CT_PUSH(f->arena, f->unknown, u);
    ct_index_put(&f->by_name, name, f->unknown.count - 1);
    return f->unknown.count - 1;
}

/* Storage keeps its own variables as states, couplings give theirs up first. */
static bool is_coupling(const formulation *f, uint32_t unknown)
{
    const ct_unknown_row *u = &f->unknown.at[unknown];
    bool edge = u->kind == CT_UNKNOWN_ACROSS || u->kind == CT_UNKNOWN_THROUGH;
    return edge && f->graph->edge[u->owner].coupling;
}

/* Is it storage that the tree has on the other side? */
static bool is_apart(const formulation *f, const ct_unknown_row *u)
{
    bool across = u->kind == CT_UNKNOWN_ACROSS;
    return (across || u->kind == CT_UNKNOWN_THROUGH) && ct_stores_apart(f, u->owner, across);
}

/* What it is the sum of is differentiated, too: runs have the states that are shown. Where factors
 * jump all states are what is stored. */
static void need_rates(formulation *f, const ct_unknown_row *u)
{
    term_list sum = {0};
    if (u->kind == CT_UNKNOWN_ACROSS)
        ct_put_by_branches(f, u->owner, f->one, true, &sum);
    else
        ct_put_by_chords(f, u->owner, f->one, true, &sum);
    CT_DROP(f->arena, sum);
}

uint32_t ct_rate_of(formulation *f, uint32_t unknown)
{
    ct_unknown_row u = f->unknown.at[unknown];
    if (u.rate)
        return u.rate;
    bool apart = is_apart(f, &u);
    if (apart && !f->keeps)
        need_rates(f, &u);
    uint32_t rate =
        ct_new_unknown(f, CT_UNKNOWN_RATE, ct_rate_symbol(f->model->symbols, u.name), unknown);
    f->unknown.at[unknown].rate = rate;
    f->unknown.at[unknown].wanted = ++f->states + (apart                     ? CT_WANTED_NEVER
                                                   : is_coupling(f, unknown) ? CT_WANTED_LAST
                                                                             : 0);
    return rate;
}

ct_expr ct_unknown_symbol(formulation *f, uint32_t unknown)
{
    return ct_expr_symbol(f->pool, f->unknown.at[unknown].name);
}

ct_name ct_edge_symbol(formulation *f, uint32_t edge, uint32_t row)
{
    const ct_graph_edge *e = &f->graph->edge[edge];
    return ct_edge_variable(f->model, e->owner, edge - f->first_edge[e->owner], row);
}

uint32_t ct_across_unknown(formulation *f, uint32_t edge)
{
    if (!f->across[edge])
        f->across[edge] = ct_new_unknown(f, CT_UNKNOWN_ACROSS, ct_edge_symbol(f, edge, 0), edge);
    return f->across[edge];
}

uint32_t ct_through_unknown(formulation *f, uint32_t edge)
{
    if (!f->through[edge])
        f->through[edge] = ct_new_unknown(f, CT_UNKNOWN_THROUGH, ct_edge_symbol(f, edge, 1), edge);
    return f->through[edge];
}

static uint32_t domain_row(const formulation *f, uint32_t graph_domain)
{
    uint32_t row = 0;
    ct_domain_find(ct_name_text(f->model->ctx, f->graph->domain[graph_domain].name), &row);
    return row;
}

uint32_t ct_potential_unknown(formulation *f, uint32_t node)
{
    const ct_graph_node *n = &f->graph->node[node];
    if (n->datum)
        return 0;
    if (!f->potential[node]) {
        ct_context *ctx = f->model->ctx;
        const char *variable = ct_domain_row_at(domain_row(f, n->domain))->variable[0].name;
        ct_name name = ct_intern_joined(ctx, ct_name_text(ctx, n->name), ".", variable);
        f->potential[node] = ct_new_unknown(f, CT_UNKNOWN_POTENTIAL, name, node);
    }
    return f->potential[node];
}

uint32_t ct_edge_of(const formulation *f, ct_name symbol, const ct_variable_row **variable)
{
    const ct_model *m = f->model;
    ct_symbol s = ct_symbol_of(m->symbols, symbol);
    if (s.kind != CT_SYMBOL_EDGE)
        return UINT32_MAX;
    uint32_t domain = m->element[m->component[s.owner].element]->edge[s.part].domain;
    *variable = &ct_domain_row_at(domain)->variable[s.variable];
    return f->first_edge[s.owner] + s.part;
}

uint32_t ct_node_of(const formulation *f, ct_name symbol, const ct_variable_row **variable)
{
    ct_symbol s = ct_symbol_of(f->model->symbols, symbol);
    if (s.kind != CT_SYMBOL_NODE)
        return UINT32_MAX;
    uint32_t domain = f->model->node[s.owner].domain;
    *variable = &ct_domain_row_at(domain)->variable[s.variable];
    return f->graph->node_of[s.owner];
}
