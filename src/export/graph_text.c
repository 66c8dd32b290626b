/* graph_text.c - the report of `cotree graph`. */
#include "export/graph_write.h"
#include "graph/view.h"

enum {
    MOST_EDGES_SHOWN = 24,     /* a matrix with more columns does not fit on a page */
    MOST_NODES_COUNTED = 200,  /* for the number of spanning trees */
    MOST_CELLS_SHOWN = 4000000 /* even when all is asked for */
};

typedef struct report {
    ct_arena *scratch;
    const ct_view *view;
    const ct_topology *topology; /* NULL: no tree, or too large */
    ct_text *out;
} report;

static const char *node_name(const ct_view *v, uint32_t node)
{
    return ct_name_text(v->graph->ctx, v->graph->node[node].name);
}

static const char *edge_name(const ct_view *v, uint32_t edge)
{
    return ct_name_text(v->graph->ctx, v->graph->edge[edge].name);
}

static const char *class_name(const ct_view *v, uint32_t edge)
{
    return ct_edge_class_text(v->graph, edge);
}

static void put_left(ct_text *out, const char *text, size_t width)
{
    size_t own = ct_text_width(text);
    ct_put(out, text);
    ct_put_repeat(out, ' ', own < width ? width - own : 0);
}

static void put_right(ct_text *out, const char *text, size_t width)
{
    size_t own = ct_text_width(text);
    ct_put_repeat(out, ' ', own < width ? width - own : 0);
    ct_put(out, text);
}

static size_t wider(size_t width, const char *text)
{
    size_t own = ct_text_width(text);
    return own > width ? own : width;
}

/* ---- nodes and edges ------------------------------------------------------------------------- */

static void put_count(ct_text *out, size_t count, const char *what)
{
    ct_putf(out, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

static void put_head(report *r)
{
    const ct_view *v = r->view;
    const char *trees = ct_spanning_trees(v->graph, v->domain, MOST_NODES_COUNTED);
    ct_putf(r->out, "%s: ", ct_name_text(v->graph->ctx, v->graph->domain[v->domain].name));
    put_count(r->out, v->node_count, "node");
    ct_put(r->out, ", ");
    put_count(r->out, v->edge_count, "edge");
    if (v->parts != 1)
        ct_putf(r->out, ", %u parts", v->parts);
    if (trees)
        ct_putf(r->out, ", %s spanning %s", trees, trees[0] == '1' && !trees[1] ? "tree" : "trees");
    ct_put(r->out, "\n\nnodes:");
    for (uint32_t i = 0; i < v->node_count; i++)
        ct_putf(r->out, "%s %s%s", i ? "," : "", node_name(v, v->node[i]),
                v->node[i] == v->datum ? " (datum)" : "");
    ct_put(r->out, "\n\n");
}

enum { COLUMNS = 7 };

static void cells_of(const ct_view *v, uint32_t e, const char *cell[COLUMNS])
{
    const ct_tree *tree = v->tree;
    cell[0] = edge_name(v, e);
    cell[1] = node_name(v, v->graph->edge[e].tail);
    cell[2] = "->";
    cell[3] = node_name(v, v->graph->edge[e].head);
    cell[4] = class_name(v, e);
    cell[5] = !tree ? "" : tree->is_branch[e] ? "branch" : "chord";
    cell[6] = tree ? tree->reason[e] : "";
}

static void put_cells(ct_text *out, const char *const cell[COLUMNS], const size_t width[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++) {
        put_left(out, cell[i], i + 1 < COLUMNS ? width[i] + (i < 1 || i > 2 ? 2 : 1) : 0);
    }
    while (out->length && out->at[out->length - 1] == ' ')
        out->at[--out->length] = '\0';
    ct_put_char(out, '\n');
}

static void put_edges(report *r)
{
    const ct_view *v = r->view;
    const char *title[COLUMNS] = {
        "edge", "tail", "->", "head", "class", v->tree ? "place" : "", v->tree ? "reason" : ""};
    size_t width[COLUMNS] = {0};
    for (int i = 0; i < COLUMNS; i++)
        width[i] = ct_text_width(title[i]);
    for (uint32_t k = 0; k < v->edge_count; k++) {
        const char *cell[COLUMNS];
        cells_of(v, v->edge[k], cell);
        for (int i = 0; i + 1 < COLUMNS; i++)
            width[i] = wider(width[i], cell[i]);
    }
    put_cells(r->out, title, width);
    for (uint32_t k = 0; k < v->edge_count; k++) {
        const char *cell[COLUMNS];
        cells_of(v, v->edge[k], cell);
        put_cells(r->out, cell, width);
    }
}

/* ---- matrices -------------------------------------------------------------------------------- */

typedef struct table {
    const char *title;
    ct_signs signs;
    uint32_t rows;              /* shown */
    const char **row, **column; /* names */
} table;

static const char **edge_names(report *r, const uint32_t *edge, uint32_t count)
{
    const char **name = CT_NEW_ARRAY(r->scratch, const char *, count);
    for (uint32_t i = 0; i < count; i++)
        name[i] = edge_name(r->view, edge[i]);
    return name;
}

static void put_row(ct_text *out, const ct_signs *signs, uint32_t row, const size_t *width)
{
    size_t at = signs->start[row];
    for (uint32_t c = 0; c < signs->columns; c++) {
        bool here = at < signs->start[row + 1] && signs->column[at] == c;
        put_right(out, !here ? "0" : signs->sign[at] > 0 ? "1" : "-1", width[c] + (c > 0));
        at += here;
    }
}

static void put_table(report *r, const table *t)
{
    size_t label = 0, *width = CT_NEW_ARRAY(r->scratch, size_t, t->signs.columns);
    for (uint32_t c = 0; c < t->signs.columns; c++)
        width[c] = wider(2, t->column[c]);
    for (uint32_t i = 0; i < t->rows; i++)
        label = wider(label, t->row[i]);
    ct_putf(r->out, "\n%s\n", t->title);
    ct_put_repeat(r->out, ' ', label + 4);
    for (uint32_t c = 0; c < t->signs.columns; c++)
        put_right(r->out, t->column[c], width[c] + (c > 0));
    ct_put_char(r->out, '\n');
    for (uint32_t i = 0; i < t->rows; i++) {
        ct_put(r->out, "  ");
        put_left(r->out, t->row[i], label);
        ct_put(r->out, " [");
        put_row(r->out, &t->signs, i, width);
        ct_put(r->out, "]\n");
    }
}

static void put_incidence(report *r)
{
    const ct_view *v = r->view;
    table t = {.title = "incidence matrix [I]", .signs = ct_view_incidence(r->scratch, v)};
    t.rows = v->node_count;
    t.row = CT_NEW_ARRAY(r->scratch, const char *, v->node_count);
    for (uint32_t i = 0; i < v->node_count; i++)
        t.row[i] = node_name(v, v->node[i]);
    t.column = edge_names(r, v->edge, v->edge_count);
    put_table(r, &t);
    if (v->datum == UINT32_MAX)
        return;
    ct_text title = ct_text_new(r->scratch);
    ct_putf(&title, "reduced incidence matrix [A]: [I] without the row of the datum %s",
            t.row[v->node_count - 1]);
    t.title = ct_text_string(&title);
    t.rows--;
    put_table(r, &t);
}

static void put_topology(report *r)
{
    const ct_view *v = r->view;
    const char **name = edge_names(r, v->column, v->edge_count);
    put_table(r,
              &(table){"fundamental cutset matrix [A_f] = [1 A_c], one row per branch",
                       ct_view_cutsets(r->scratch, v, r->topology), v->branch_count, name, name});
    put_table(r, &(table){"fundamental circuit matrix [B_f] = [B_b 1], one row per chord",
                          ct_view_circuits(r->scratch, v, r->topology),
                          v->edge_count - v->branch_count, name + v->branch_count, name});
}

static void put_matrices(report *r, bool all)
{
    const ct_view *v = r->view;
    uint64_t cells = (uint64_t)v->node_count * v->edge_count;
    if (v->tree)
        cells += (uint64_t)v->edge_count * v->edge_count;
    if (v->edge_count > MOST_EDGES_SHOWN && !all) {
        ct_putf(r->out, "\nmatrices left out: more than %d edges; --all shows them\n",
                MOST_EDGES_SHOWN);
    } else if (cells > MOST_CELLS_SHOWN) {
        ct_put(r->out, "\nmatrices left out: too large to be read\n");
    } else if (v->edge_count) {
        put_incidence(r);
        if (r->topology)
            put_topology(r);
        else if (v->tree)
            ct_put(r->out, "\ncutset and circuit matrices left out: too many entries\n");
    }
}

static void put_graph(const ct_graph *graph, const ct_tree *tree, bool all, ct_text *out)
{
    ct_arena *scratch = ct_arena_new(graph->ctx);
    uint64_t entries;
    const ct_topology *topology =
        tree ? ct_topology_new(tree, tree->chord_count, MOST_CELLS_SHOWN, &entries) : NULL;
    bool first = true;
    for (uint32_t d = 0; d < graph->domain_count; d++) {
        ct_view view = ct_view_domain(scratch, graph, tree, d);
        report r = {scratch, &view, topology, out};
        if (!view.node_count)
            continue;
        ct_put(out, first ? "" : "\n");
        first = false;
        put_head(&r);
        put_edges(&r);
        put_matrices(&r, all);
    }
    ct_arena_free(scratch);
}

void ct_graph_put_text(const ct_graph *graph, const ct_tree *tree, ct_text *out)
{
    put_graph(graph, tree, false, out);
}

void ct_graph_put_all(const ct_graph *graph, const ct_tree *tree, ct_text *out)
{
    put_graph(graph, tree, true, out);
}
