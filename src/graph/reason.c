/* reason.c - one short clause per edge: why it is a branch or a chord. */
#include <stdlib.h>

#include "base/vec.h"
#include "graph/bodies.h"
#include "graph/choice.h"

/* Circuits and cutsets are named in a reason only when they are short: looking for long ones for
 * every edge of a large graph would take quadratic time, and nobody reads them. */
enum { LONGEST_WALK = 64, MOST_IN_REASON = 6 };

typedef struct reasons {
    const ct_tree *tree;
    const ct_graph *graph;
    ct_arena *scratch;
    ct_text text;       /* the clause in the making */
    ct_adjacency at;    /* of all edges; made when a cutset is asked for */
    uint32_t *seen;     /* per node: edge + 1 for which it was visited */
    uint32_t *branches; /* per coupling: how many of its edges are branches */
} reasons;

static const char *keep(reasons *r)
{
    const char *text = ct_arena_copy(r->graph->arena, ct_text_string(&r->text), r->text.length);
    r->text.length = 0;
    return text;
}

static void put_edges(reasons *r, const uint32_t *edge, uint32_t count)
{
    uint32_t shown = count <= MOST_IN_REASON + 1 ? count : MOST_IN_REASON;
    for (uint32_t i = 0; i < shown; i++) {
        ct_put(&r->text, i ? ", " : "");
        ct_put(&r->text, ct_edge_text(r->graph, edge[i]));
    }
    if (shown < count)
        ct_putf(&r->text, " and %u more", count - shown);
}

/* ---- circuits -------------------------------------------------------------------------------- */

/* The circuit of a chord, itself first; CT_NONE: too long. */
static uint32_t circuit_of(const reasons *r, uint32_t chord, uint32_t edge[LONGEST_WALK + 1])
{
    const ct_tree *tree = r->tree;
    uint32_t u = r->graph->edge[chord].tail, v = r->graph->edge[chord].head;
    uint32_t front = 1, back = LONGEST_WALK + 1;
    edge[0] = chord;
    while (u != v) {
        bool from_tail = tree->depth[u] >= tree->depth[v];
        uint32_t *w = from_tail ? &u : &v, e = tree->parent[*w];
        if (front == back || e == CT_NONE)
            return CT_NONE;
        edge[from_tail ? front++ : --back] = e;
        *w = ct_other_end(r->graph, e, *w);
    }
    while (back <= LONGEST_WALK)
        edge[front++] = edge[back++];
    return front;
}

static void put_circuit(reasons *r, uint32_t chord)
{
    uint32_t edge[LONGEST_WALK + 1], count = circuit_of(r, chord, edge);
    if (count == CT_NONE) {
        ct_put(&r->text, "a long circuit");
        return;
    }
    ct_put(&r->text, "the circuit ");
    put_edges(r, edge, count);
}

/* True when only the user's wishes keep the chord out of the tree: some wanted branch of its
 * circuit would have come after it. */
static bool kept_out_by_wish(const reasons *r, uint32_t chord)
{
    uint32_t edge[LONGEST_WALK + 1], count = circuit_of(r, chord, edge);
    for (uint32_t i = 1; count != CT_NONE && i < count; i++)
        if (r->tree->wanted[edge[i]] && !r->graph->edge[edge[i]].coupling &&
            r->graph->edge[edge[i]].class > r->graph->edge[chord].class)
            return true;
    return false;
}

static const char *driver_chord(reasons *r, uint32_t e)
{
    ct_put(&r->text, "across driver, but closes ");
    put_circuit(r, e);
    ct_put(&r->text, " with branches wanted by the user");
    return keep(r);
}

static const char *accumulator_chord(reasons *r, uint32_t e)
{
    ct_put(&r->text, "accumulator, but closes ");
    put_circuit(r, e);
    ct_put(&r->text, kept_out_by_wish(r, e) ? " with branches wanted by the user" : ": dependent");
    return keep(r);
}

/* ---- cutsets --------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t node_below(const reasons *r, uint32_t branch)
{
    uint32_t tail = r->graph->edge[branch].tail;
    return r->tree->parent[tail] == branch ? tail : r->graph->edge[branch].head;
}

/* The nodes below a branch; 0: too many. */
static uint32_t nodes_below(reasons *r, uint32_t branch, uint32_t node[LONGEST_WALK])
{
    uint32_t count = 1;
    node[0] = node_below(r, branch);
    r->seen[node[0]] = branch + 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = r->at.start[node[i]], last = r->at.start[node[i] + 1];
        if (last - first > LONGEST_WALK)
            return 0;
        for (uint32_t k = first; k < last; k++) {
            uint32_t e = r->at.edge[k], u = ct_other_end(r->graph, e, node[i]);
            if (r->tree->parent[u] != e || r->seen[u] == branch + 1)
                continue;
            if (count == LONGEST_WALK)
                return 0;
            r->seen[u] = branch + 1;
            node[count++] = u;
        }
    }
    return count;
}

static void put_cutset(reasons *r, uint32_t branch)
{
    uint32_t node[LONGEST_WALK], count = nodes_below(r, branch, node);
    CT_VEC(uint32_t) cut = {0};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = r->at.start[node[i]]; k < r->at.start[node[i] + 1]; k++)
            if (r->seen[ct_other_end(r->graph, r->at.edge[k], node[i])] != branch + 1)
                CT_PUSH(r->scratch, cut, r->at.edge[k]);
    if (!cut.count)
        return;
    qsort(cut.at, cut.count, sizeof *cut.at, by_number);
    ct_put(&r->text, " (cutset ");
    put_edges(r, cut.at, cut.count);
    ct_put(&r->text, ")");
}

static const char *late_branch(reasons *r, uint32_t e, const char *end)
{
    if (!r->at.start) {
        r->at = ct_adjacent(r->scratch, r->graph, NULL);
        r->seen = CT_NEW_ARRAY(r->scratch, uint32_t, r->graph->node_count);
    }
    ct_put(&r->text, ct_tree_class_text((ct_tree_class)r->graph->edge[e].class));
    ct_put(&r->text, ", but needed to join ");
    ct_put(&r->text, ct_node_text(r->graph, node_below(r, e)));
    put_cutset(r, e);
    ct_put(&r->text, end);
    return keep(r);
}

static const char *dissipator_branch(reasons *r, uint32_t e)
{
    ct_put(&r->text, "dissipator: joins ");
    ct_put(&r->text, ct_node_text(r->graph, node_below(r, e)));
    return keep(r);
}

/* ---- couplings ------------------------------------------------------------------------------- */

static uint32_t branch_of(const reasons *r, const ct_coupling *c, uint32_t but)
{
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t e = r->graph->coupled[c->first + i];
        if (r->tree->is_branch[e] && e != but)
            return e;
    }
    return CT_NONE;
}

static void put_pair_reason(reasons *r, const ct_coupling *c, uint32_t e)
{
    uint32_t other = branch_of(r, c, e);
    if (r->tree->is_branch[e] && other == CT_NONE) {
        ct_put(&r->text, "its branch");
    } else if (r->tree->is_branch[e]) {
        ct_putf(&r->text, "a branch like %s, needed to join %s", ct_edge_text(r->graph, other),
                ct_node_text(r->graph, node_below(r, e)));
    } else if (other != CT_NONE) {
        ct_putf(&r->text, "chord, as %s is its branch", ct_edge_text(r->graph, other));
    } else {
        ct_put(&r->text, "chord, closes ");
        put_circuit(r, e);
    }
}

static const char *coupled_reason(reasons *r, uint32_t e)
{
    uint32_t index = r->graph->edge[e].coupling - 1;
    const ct_coupling *c = &r->graph->coupling[index];
    ct_putf(&r->text, "coupling %s: ", ct_name_text(r->graph->ctx, c->name));
    if (c->kind == CT_EXACTLY_ONE)
        put_pair_reason(r, c, e);
    else if (r->branches[index] == c->count)
        ct_put(&r->text, "all its edges are branches");
    else if (r->branches[index] == 0)
        ct_put(&r->text, "all its edges are chords");
    else if (r->tree->is_branch[e])
        ct_putf(&r->text, "branch, needed to join %s", ct_node_text(r->graph, node_below(r, e)));
    else {
        ct_put(&r->text, "chord, closes ");
        put_circuit(r, e);
    }
    return keep(r);
}

/* ---- all edges ------------------------------------------------------------------------------- */

static const char *branch_reason(reasons *r, uint32_t e)
{
    switch ((ct_tree_class)r->graph->edge[e].class) {
    case CT_ACROSS_DRIVER:
        return "across driver: always a branch";
    case CT_ACCUMULATOR:
        return "accumulator: state";
    case CT_DISSIPATOR:
        return dissipator_branch(r, e);
    case CT_DELAY:
        return late_branch(r, e, ": dependent");
    case CT_THROUGH_DRIVER:
        return late_branch(r, e, "");
    }
    return "";
}

static const char *chord_reason(reasons *r, uint32_t e)
{
    switch ((ct_tree_class)r->graph->edge[e].class) {
    case CT_ACROSS_DRIVER:
        return driver_chord(r, e);
    case CT_ACCUMULATOR:
        return accumulator_chord(r, e);
    case CT_DISSIPATOR:
        return "dissipator: chord";
    case CT_DELAY:
        return "delay: chord, state";
    case CT_THROUGH_DRIVER:
        return "through driver: always a chord";
    }
    return "";
}

static const char *reason_of(reasons *r, uint32_t e)
{
    if (r->graph->edge[e].kind != CT_EDGE_COMPONENT)
        return ct_body_reason(r->tree, e);
    if (r->tree->wanted[e])
        return "wanted by the user";
    if (r->graph->edge[e].coupling)
        return coupled_reason(r, e);
    return r->tree->is_branch[e] ? branch_reason(r, e) : chord_reason(r, e);
}

static reasons start(const ct_tree *tree)
{
    const ct_graph *graph = tree->graph;
    reasons r = {.tree = tree, .graph = graph};
    r.scratch = ct_arena_new(graph->ctx);
    r.text = ct_text_new(r.scratch);
    r.branches = CT_NEW_ARRAY(r.scratch, uint32_t, graph->coupling_count);
    for (uint32_t i = 0; i < graph->coupling_count; i++)
        for (uint32_t k = 0; k < graph->coupling[i].count; k++)
            r.branches[i] += tree->is_branch[graph->coupled[graph->coupling[i].first + k]];
    return r;
}

const char *const *ct_tree_reasons(const ct_tree *tree)
{
    reasons r = start(tree);
    const char **reason = CT_NEW_ARRAY(tree->graph->arena, const char *, tree->graph->edge_count);
    for (uint32_t e = 0; e < tree->graph->edge_count; e++)
        reason[e] = reason_of(&r, e);
    ct_arena_free(r.scratch);
    return reason;
}

/* ---- couplings that could not be respected --------------------------------------------------- */

static bool respected(const ct_coupling *c, uint32_t branches)
{
    if (c->kind == CT_EXACTLY_ONE)
        return branches == 1;
    return branches == 0 || branches == c->count;
}

static const char *trouble(const ct_coupling *c, uint32_t branches, bool by_wish)
{
    if (by_wish)
        return "does not suit the branches asked for";
    if (c->kind == CT_ALL_OR_NONE)
        return "has some edges in the tree and some not";
    return branches ? "is forced by through drivers on more than one side"
                    : "is forced by across drivers on all sides";
}

static const char *remedy(const ct_coupling *c, uint32_t branches)
{
    if (c->kind == CT_ALL_OR_NONE)
        return "see which sources hold one of its sides and leave the other one open";
    return branches ? "give one side an element in parallel that takes up the difference"
                    : "put an element that gives way in series with one of the sources";
}

static void note_edges(reasons *r, ct_report *report, const ct_coupling *c)
{
    for (uint32_t i = 0; i < c->count && i < CT_MOST_NAMES; i++) {
        uint32_t e = r->graph->coupled[c->first + i];
        ct_put(&r->text, ct_edge_text(r->graph, e));
        if (r->tree->wanted[e]) {
            ct_put(&r->text, " is wanted as a branch");
        } else if (r->tree->is_branch[e]) {
            ct_putf(&r->text, " is needed to join %s", ct_node_text(r->graph, node_below(r, e)));
        } else {
            ct_put(&r->text, " closes ");
            put_circuit(r, e);
        }
        ct_note(report, "%s", ct_text_string(&r->text));
        r->text.length = 0;
    }
}

static void warn_coupling(reasons *r, uint32_t index, bool by_wish)
{
    const ct_coupling *c = &r->graph->coupling[index];
    const char *name = ct_name_text(r->graph->ctx, c->name);
    uint32_t branches = r->branches[index];
    ct_report *report =
        ct_warning(r->graph->ctx, "W321", c->place, "%s %s", name, trouble(c, branches, by_wish));
    ct_note(report, c->kind == CT_EXACTLY_ONE
                        ? "one of its edges should be a branch, the others chords"
                        : "its edges should all be branches, or all chords");
    note_edges(r, report, c);
    if (!by_wish)
        ct_help(report, "%s", remedy(c, branches));
    for (uint32_t i = 0; i < c->count && i < CT_MOST_WITNESSES; i++)
        ct_witness(report, ct_edge_text(r->graph, r->graph->coupled[c->first + i]));
}

/* Does a source that follows something else hold one of its sides? Then equations decide. */
static bool is_led(const ct_graph *g, const ct_coupling *c, const bool *led)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const ct_graph_edge *e = &g->edge[g->coupled[c->first + i]];
        if (led[e->tail] || led[e->head])
            return true;
    }
    return false;
}

static const bool *led_nodes(const ct_graph *g, ct_arena *arena)
{
    bool *led = CT_NEW_ARRAY(arena, bool, g->node_count + 1);
    for (uint32_t i = 0; i < g->edge_count; i++) {
        const ct_graph_edge *e = &g->edge[i];
        if (e->class != CT_ACROSS_DRIVER || !e->controlled || e->coupling)
            continue;
        led[e->tail] = led[e->tail] || !g->node[e->tail].datum;
        led[e->head] = led[e->head] || !g->node[e->head].datum;
    }
    return led;
}

void ct_warn_couplings(const ct_tree *tree)
{
    const ct_graph *graph = tree->graph;
    reasons r = start(tree);
    const bool *led = led_nodes(graph, r.scratch);
    bool by_wish = false;
    for (uint32_t e = 0; e < graph->scalar_edge_count; e++)
        by_wish = by_wish || tree->wanted[e];
    for (uint32_t i = 0, found = 0; i < graph->coupling_count && found < CT_MOST_REPORTS; i++)
        if (!respected(&graph->coupling[i], r.branches[i]) &&
            !is_led(graph, &graph->coupling[i], led)) {
            warn_coupling(&r, i, by_wish);
            found++;
        }
    ct_arena_free(r.scratch);
}
