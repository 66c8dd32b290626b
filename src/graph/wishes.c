/* wishes.c - branches that somebody asks for: by the model's `tree` statements, or by names.
 *
 * `translational:` and `rotational:` before names of bodies and joints tell in which tree of the
 * mechanism; without them in both. */
#include <string.h>

#include "base/hash.h"
#include "base/suggest.h"
#include "graph/bodies.h"
#include "graph/build.h"
#include "graph/forest.h"

typedef struct wishing {
    const ct_graph *g;
    ct_tree_wish *wish;
    uint32_t count;
    bool in[2]; /* wanted there, from here on */
} wishing;

static void add_wish(wishing *w, uint32_t edge, ct_place place)
{
    if (edge != CT_NONE)
        w->wish[w->count++] = (ct_tree_wish){edge, place};
}

/* ---- of the model */

static void add_scalar_wishes(wishing *w, const ct_model *m)
{
    ct_map first_edge;
    ct_map_init(&first_edge, w->g->arena);
    for (uint32_t i = w->g->scalar_edge_count; m->wish_count && i-- > 0;)
        ct_map_put(&first_edge, w->g->edge[i].owner, i + 1);
    for (uint32_t i = 0; i < m->wish_count; i++) {
        uint32_t first = ct_map_get(&first_edge, m->wish[i].component) - 1;
        add_wish(w, first + m->wish[i].edge, m->wish[i].place);
    }
}

static void add_body_wishes(wishing *w, const ct_mechanism *mech)
{
    const ct_bodies *b = w->g->bodies;
    for (int k = CT_TRANSLATIONAL; k <= CT_ROTATIONAL; k++)
        for (uint32_t i = 0; i < mech->wish_count; i++) {
            const ct_branch_wish *x = &mech->wish[i];
            bool joint = x->kind == CT_BRANCH_JOINT;
            if (k == CT_TRANSLATIONAL ? x->translational : x->rotational)
                add_wish(w, (joint ? b->joint_edge : b->body_edge)[k][x->object], x->place);
        }
}

void ct_graph_wishes(const ct_graph *g, const ct_model *m, bool bodies, ct_tree_def *def)
{
    uint32_t most = m->wish_count + (m->mechanism ? 2 * m->mechanism->wish_count : 0);
    wishing w = {.g = g, .wish = CT_NEW_ARRAY(g->arena, ct_tree_wish, most + 1)};
    add_scalar_wishes(&w, m);
    if (m->mechanism && bodies)
        add_body_wishes(&w, m->mechanism);
    def->wish = w.wish, def->wish_count = w.count;
}

/* ---- by name */

static void report_name(const ct_graph *g, const char *name)
{
    ct_suggestion near = ct_suggest(name);
    for (uint32_t i = 0; i < g->edge_count && i < 2000; i++)
        ct_suggest_try(&near, ct_name_text(g->ctx, g->edge[i].name));
    ct_report *r = ct_error(g->ctx, "E229", (ct_place){0}, "--tree: `%s` is not an edge", name);
    if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    ct_witness(r, name);
}

static void both(wishing *w)
{
    w->in[CT_TRANSLATIONAL] = w->in[CT_ROTATIONAL] = true;
}

static bool is_heading(wishing *w, const char *word, size_t length)
{
    static const char *const heading[] = {"translational:", "rotational:"};
    for (int k = CT_TRANSLATIONAL; k <= CT_ROTATIONAL; k++) {
        if (length != strlen(heading[k]) || memcmp(word, heading[k], length) != 0)
            continue;
        w->in[k] = true;
        w->in[1 - k] = false;
        return true;
    }
    return false;
}

static bool has_tree(const ct_graph_edge *e)
{
    return e->kind == CT_EDGE_COMPONENT || e->kind == CT_EDGE_BODY || e->kind == CT_EDGE_JOINT;
}

/* Edges by name, the first of each; those of a body or joint lead on to both graphs. */
static ct_map index_edges(const ct_graph *g)
{
    ct_map by_name;
    ct_map_init(&by_name, g->arena);
    for (uint32_t i = g->edge_count; i-- > 0;)
        if (has_tree(&g->edge[i]))
            ct_map_put(&by_name, g->edge[i].name, i + 1);
    return by_name;
}

static void add_edge(wishing *w, uint32_t edge)
{
    const ct_graph_edge *e = &w->g->edge[edge];
    if (e->kind == CT_EDGE_COMPONENT) {
        add_wish(w, edge, e->place);
        return;
    }
    const uint32_t *const *of =
        e->kind == CT_EDGE_JOINT ? w->g->bodies->joint_edge : w->g->bodies->body_edge;
    for (int k = CT_TRANSLATIONAL; k <= CT_ROTATIONAL; k++)
        if (w->in[k])
            add_wish(w, of[k][e->owner], e->place);
}

static bool add_name(wishing *w, const ct_map *by_name, const char *word)
{
    size_t length = strlen(word);
    bool ends = w->g->bodies && length && word[length - 1] == ';', good = true;
    length -= ends;
    if (length && !(w->g->bodies && is_heading(w, word, length))) {
        ct_name name = ct_intern(w->g->ctx, word, length);
        uint32_t edge = ct_map_get(by_name, name);
        good = edge != 0;
        if (good)
            add_edge(w, edge - 1);
        else
            report_name(w->g, ct_name_text(w->g->ctx, name));
    }
    if (ends)
        both(w);
    return good;
}

bool ct_graph_named_wishes(const ct_graph *g, const char *const *name, uint32_t count,
                           ct_tree_def *def)
{
    ct_map by_name = index_edges(g);
    wishing w = {.g = g, .wish = CT_NEW_ARRAY(g->arena, ct_tree_wish, 2 * (size_t)count + 1)};
    bool good = true;
    both(&w);
    for (uint32_t i = 0; i < count; i++)
        good &= add_name(&w, &by_name, name[i]);
    def->wish = w.wish, def->wish_count = w.count;
    return good;
}
