/* report.c - systems that have no solution, or too many. */
#include "reduce/engine.h"

static const char *name_of(engine *g, ct_name name)
{
    return ct_name_text(g->s->model->ctx, name);
}

/* The row of a coordinate stands before that of its speed. */
static ct_place place_of_motion(const ct_system *s, const ct_row *r)
{
    for (uint32_t i = 0; i < s->definition_count; i++) {
        const ct_row *own = &s->row[s->definition[i].row];
        if (own == r || own - 1 == r)
            return s->definition[i].place;
    }
    return (ct_place){0};
}

/* Per node: the first edge there that is no port, + 1. */
static const uint32_t *edges_at_nodes(engine *g)
{
    const ct_graph *graph = g->s->graph;
    if (g->edge_at)
        return g->edge_at;
    g->edge_at = CT_NEW_ARRAY(g->scratch, uint32_t, graph->node_count + 1);
    for (uint32_t i = graph->scalar_edge_count; i-- > 0;) {
        const ct_graph_edge *e = &graph->edge[i];
        if (!(g->s->model->component_flag[e->owner] & CT_COMPONENT_PORT))
            g->edge_at[e->tail] = g->edge_at[e->head] = i + 1;
    }
    return g->edge_at;
}

/* Of the port of a joint or line: the edge of the element that holds it. */
static const ct_graph_edge *acting_edge(engine *g, uint32_t edge)
{
    const ct_graph_edge *e = &g->s->graph->edge[edge];
    if (e->kind != CT_EDGE_COMPONENT ||
        !(g->s->model->component_flag[e->owner] & CT_COMPONENT_PORT))
        return e;
    uint32_t held = edges_at_nodes(g)[e->head];
    return held ? &g->s->graph->edge[held - 1] : e;
}

static ct_name name_of_edge(engine *g, uint32_t edge)
{
    const ct_graph_edge *e = acting_edge(g, edge);
    return e == &g->s->graph->edge[edge] ? e->name : g->s->model->component[e->owner].name;
}

static ct_place place_of(engine *g, const ct_row *r)
{
    switch (r->origin) {
    case CT_FROM_TERMINAL:
        return g->s->model->component[r->origin_index].place;
    case CT_FROM_VERTEX:
        return g->s->graph->node[r->origin_index].place;
    case CT_FROM_INTEGRAL:
        return (ct_place){0};
    case CT_FROM_MOTION:
        return place_of_motion(g->s, r);
    default:
        return acting_edge(g, r->origin_index)->place;
    }
}

uint32_t ct_row_parent(const row *r)
{
    return r->source == NONE ? r->parent : r->source + 1;
}

ct_place ct_row_place(engine *g, const row *r)
{
    uint32_t from = ct_row_parent(r);
    return from ? place_of(g, &g->s->row[from - 1]) : (ct_place){0};
}

const char *ct_row_origin(engine *g, const row *r)
{
    uint32_t from = ct_row_parent(r);
    if (!from)
        return "a constraint differentiated in time";
    const ct_row *source = &g->s->row[from - 1];
    switch (source->origin) {
    case CT_FROM_TERMINAL:
        return name_of(g, g->s->model->component[source->origin_index].name);
    case CT_FROM_VERTEX:
        return name_of(g, g->s->graph->node[source->origin_index].name);
    case CT_FROM_INTEGRAL:
    case CT_FROM_MOTION:
        return name_of(g, g->s->unknown[source->origin_index].name);
    default:
        return name_of(g, name_of_edge(g, source->origin_index));
    }
}

/* Does it say that a signal of an algebraic loop is what it depends on? */
static bool is_loop(const engine *g, const row *r)
{
    uint32_t from = ct_row_parent(r);
    const ct_row *source = from ? &g->s->row[from - 1] : NULL;
    return source && source->origin == CT_FROM_TERMINAL &&
           g->s->model->component_flag[source->origin_index] & CT_COMPONENT_LOOP;
}

void ct_report_contradiction(engine *g, const row *r)
{
    ct_context *ctx = g->s->model->ctx;
    ct_place place = ct_row_place(g, r);
    ct_text text = ct_text_new(ctx->base);
    ct_expr_put(g->pool, &text, ct_without_slack(g, r->rest));
    bool loop = is_loop(g, r);
    ct_report *report = ct_error(ctx, "E510", place,
                                 loop ? "an algebraic loop has no solution"
                                      : "the equations contradict each other");
    ct_note(report, "elimination leaves 0 = %s",
            text.length < 300 ? ct_text_string(&text) : "an expression of the inputs");
    ct_help(report, loop ? "change its gain, or put an integrator, a filter or a delay into it"
                         : "two sources, or a source and a two-port, prescribe the same variable: "
                           "remove one");
    ct_witness(report, ct_row_origin(g, r));
    g->failed = true;
}

enum { MOST_NAMES = 8 };

static bool is_open(const engine *g, uint32_t u)
{
    return g->col[u].kind != COLUMN_STATE &&
           (g->col[u].fate == FATE_OPEN || g->col[u].fate == FATE_LEFT ||
            g->col[u].fate == FATE_BOUND);
}

/* The component of an unknown and its place; NULL: it belongs to a node, or to none. */
static const ct_component *owner_of(engine *g, uint32_t u, ct_place *place)
{
    const ct_system *s = g->s;
    const ct_component *component = s->model->component;
    while (s->unknown[u].kind == CT_UNKNOWN_RATE)
        u = s->unknown[u].owner;
    uint32_t owner = s->unknown[u].owner;
    switch (s->unknown[u].kind) {
    case CT_UNKNOWN_POTENTIAL:
        *place = s->graph->node[owner].place;
        return NULL;
    case CT_UNKNOWN_ACROSS:
    case CT_UNKNOWN_THROUGH:
    case CT_UNKNOWN_POSITION: {
        const ct_graph_edge *e = acting_edge(g, owner);
        *place = e->place;
        return &component[e->owner];
    }
    case CT_UNKNOWN_OWN:
        if (owner >= s->model->component_count)
            return NULL;
        *place = component[owner].place;
        return &component[owner];
    case CT_UNKNOWN_RATE:
        break;
    }
    return NULL;
}

/* Rows that are left over, by name. */
static uint32_t list_rows(engine *g, ct_text *names, ct_place *place)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < g->row.count; i++) {
        const row *r = &g->row.at[i];
        if (!r->live)
            continue;
        if (left < MOST_NAMES)
            ct_putf(names, "%s%s", left ? ", " : "", ct_row_origin(g, r));
        if (!place->source && r->source != NONE)
            *place = place_of(g, &g->s->row[r->source]);
        left++;
    }
    return left;
}

static uint32_t list_open(engine *g, ct_text *names)
{
    uint32_t open = 0;
    for (uint32_t u = 1; u < g->s->unknown_count; u++)
        if (is_open(g, u) && open++ < MOST_NAMES)
            ct_putf(names, "%s%s", open > 1 ? ", " : "", name_of(g, g->s->unknown[u].name));
    return open;
}

/* The place of the first open unknown, and what its element says about such a case. */
static const char *advice(engine *g, ct_place *place)
{
    const char *text = NULL;
    for (uint32_t u = 1; u < g->s->unknown_count && !text; u++) {
        ct_place own = {0};
        const ct_component *c = is_open(g, u) ? owner_of(g, u, &own) : NULL;
        if (c)
            text = g->s->model->element[c->element]->undetermined;
        if (own.source && (text || !place->source))
            *place = own;
    }
    return text;
}

void ct_report_singular(engine *g)
{
    ct_context *ctx = g->s->model->ctx;
    ct_place place = {0};
    ct_text unknowns = ct_text_new(ctx->base), rows = ct_text_new(ctx->base);
    uint32_t open = list_open(g, &unknowns), left = list_rows(g, &rows, &place);
    const char *text = advice(g, &place);
    ct_report *r =
        ct_error(ctx, "E511", place,
                 "the equations do not determine every unknown: %u equation%s for %u unknown%s",
                 left, left == 1 ? "" : "s", open, open == 1 ? "" : "s");
    ct_note(r, "open unknowns: %s%s", ct_text_string(&unknowns), open > MOST_NAMES ? ", ..." : "");
    if (left)
        ct_note(r, "equations left over: from %s%s", ct_text_string(&rows),
                left > MOST_NAMES ? ", ..." : "");
    if (text)
        ct_help(r, "%s", text);
    for (uint32_t u = 1, k = 0; u < g->s->unknown_count && k < MOST_NAMES; u++)
        if (is_open(g, u)) {
            ct_witness(r, name_of(g, g->s->unknown[u].name));
            k++;
        }
    g->failed = true;
}

/* What elimination put in makes a law divide by zero, whatever the parameters are. */
void ct_report_no_value(engine *g, uint32_t unknown)
{
    ct_place place = {0};
    const ct_component *owner = owner_of(g, unknown, &place);
    const char *name = name_of(g, g->s->unknown[unknown].name);
    ct_report *r = ct_error(g->s->model->ctx, "E223", place,
                            "the equation for %s has no value: it divides by zero", name);
    ct_help(r, "look for a variable that is always zero here and stands in a denominator, or is "
               "given to a parameter of an element");
    ct_witness(r, owner ? name_of(g, owner->name) : name);
    g->failed = true;
}

void ct_report_circle(engine *g, uint32_t unknown)
{
    ct_place place = ct_row_place(g, &g->row.at[g->pivot_row[unknown]]);
    const char *name = name_of(g, g->s->unknown[unknown].name);
    if (!g->failed) {
        ct_report *r =
            ct_error(g->s->model->ctx, "E594", place,
                     "the value of %s leads back to itself through a nonlinear law", name);
        ct_note(r, "a force depends on the size of a reaction that depends on it");
        ct_help(r,
                "write a law that is linear in it, or `pair` and `slip` for those that are so in "
                "parts: a size is the sum of two parts of which one is zero");
        ct_witness(r, name);
    }
    g->failed = true;
}

void ct_report_division(const engine *g, ct_place place)
{
    ct_report *r =
        ct_error(g->s->model->ctx, "E223", place, "this has no value: it divides by zero");
    ct_help(r, "look for a variable that is always zero here and stands in a denominator");
}

void ct_report_dependent(engine *g, const row *r)
{
    ct_place place = ct_row_place(g, r);
    ct_report *report = ct_error(g->s->model->ctx, "E511", place,
                                 "the equations do not determine every unknown: some of those that "
                                 "are left depend on each other");
    ct_note(report, "one of them comes from %s", ct_row_origin(g, r));
    ct_witness(report, ct_row_origin(g, r));
    g->failed = true;
}

void ct_report_tied(engine *g, const row *r)
{
    const char *name = ct_row_origin(g, r);
    ct_report *report = ct_error(g->s->model->ctx, "E510", ct_row_place(g, r),
                                 "%s prescribes a motion that is tied already", name);
    ct_note(report, "the joints, or other sources, leave the bodies that it moves no freedom for "
                    "it: nothing determines its load");
    ct_help(report, "remove it, or let it act on a joint or line that is free to move");
    ct_witness(report, name);
    g->failed = true;
}

void ct_report_growth(engine *g)
{
    ct_report *r = ct_error(g->s->model->ctx, "E902", (ct_place){0},
                            "constraints between states, differentiated in time, grow beyond %u "
                            "parts of expressions",
                            g->most_nodes);
    ct_note(r, "storage that is not linear stands in a circuit or cutset with other storage");
    ct_help(r, "give one of them a small resistance of its own, or fewer derivatives as outputs");
    g->failed = true;
}

void ct_report_motion_loop(engine *g)
{
    ct_report *r = ct_error(g->s->model->ctx, "E514", (ct_place){0},
                            "loads on the mechanism depend on its accelerations");
    ct_note(r, "what is connected to a joint stores energy by its speed in a way that could not be "
               "separated");
    ct_help(r, "connect inertias by gears or shafts of the rotational domain, or to bodies");
}

void ct_report_prescribed(engine *g, const uint32_t *unknown, uint32_t count)
{
    ct_context *ctx = g->s->model->ctx;
    ct_place place = {0};
    const char *element[MOST_BLOCK], *name[MOST_BLOCK];
    ct_text loads = ct_text_new(ctx->base);
    for (uint32_t i = 0; i < count; i++) {
        ct_place own = {0};
        const ct_component *c = owner_of(g, unknown[i], &own);
        name[i] = name_of(g, g->s->unknown[unknown[i]].name);
        element[i] = c ? name_of(g, c->name) : name[i];
        place = own.source ? own : place;
        ct_putf(&loads, c ? "%s%s of %s" : "%s%s", i ? ", " : "", name[i], element[i]);
    }
    ct_report *r = ct_error(ctx, "E510", place,
                            "the motion that is prescribed to the mechanism depends on itself");
    ct_note(r,
            "nothing determines the loads %s: a loop, a joint or another source ties the same "
            "motion already",
            ct_text_string(&loads));
    ct_help(r, "remove a source or a two-port, or give it a resistance or compliance of its own");
    for (uint32_t i = 0; i < count; i++)
        ct_witness(r, name[i]);
    for (uint32_t i = 0; i < count; i++)
        ct_witness(r, element[i]);
    g->failed = true;
}
