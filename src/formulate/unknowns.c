/* unknowns.c - the unknowns of a system, made when they are first needed. */
#include "formulate/formulation.h"

uint32_t ct_new_unknown(formulation *f, ct_unknown_kind kind, ct_name name, uint32_t owner)
{
    ct_unknown_row u = {.kind = kind, .name = name, .owner = owner};
    if (f->published) {
        const char *text = ct_name_text(f->model->ctx, name);
        ct_error(f->model->ctx, "E503", (ct_place){0}, "`%s` is no unknown of these equations",
                 text);
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

uint32_t ct_rate_of(formulation *f, uint32_t unknown)
{
    if (!f->unknown.at[unknown].rate) {
        ct_context *ctx = f->model->ctx;
        const char *text = ct_name_text(ctx, f->unknown.at[unknown].name);
        ct_name name = ct_intern_joined(ctx, "der(", text, ")");
        uint32_t rate = ct_new_unknown(f, CT_UNKNOWN_RATE, name, unknown);
        f->unknown.at[unknown].rate = rate;
        f->unknown.at[unknown].wanted =
            ++f->states + (is_coupling(f, unknown) ? CT_WANTED_LAST : 0);
    }
    return f->unknown.at[unknown].rate;
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

bool ct_split_symbol(const formulation *f, ct_name symbol, ct_name *owner, const char **variable)
{
    ct_context *ctx = f->model->ctx;
    const char *text = ct_name_text(ctx, symbol), *dot = text + ct_name_length(ctx, symbol);
    while (dot > text && *dot != '.')
        dot--;
    if (dot == text)
        return false;
    *owner = ct_intern(ctx, text, (size_t)(dot - text));
    *variable = dot + 1;
    return true;
}
