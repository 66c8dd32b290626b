/* conflict.c - why no mode is right: the circuit or cutset of sources and of what switches.
 *
 * A closed part is an across driver, an open one a through driver. Where these form a circuit, or a
 * cutset, with sources nothing gives way.
 */
#include <string.h>

#include "graph/drivers.h"
#include "modes/inside.h"

static const char *item_name(const ct_modes *all, uint32_t item)
{
    return ct_name_text(all->ctx, all->model->component[all->item[item].component].name);
}

/* In the graph of these ways; quietly. */
static ct_conflict look(ct_modes *all, const uint8_t *way, uint32_t item, ct_arena *arena)
{
    uint32_t reports = ct_reports_so_far(all->ctx);
    uint32_t component = item < all->count ? all->item[item].component : CT_NONE;
    ct_conflict found = ct_find_conflict(ct_mode_graph(all, way, false), component, arena);
    ct_forget_reports_since(all->ctx, reports);
    return found;
}

static bool is_through(const ct_modes *all, const ct_conflict *c, const ct_graph *g, uint32_t item)
{
    for (uint32_t i = 0; i < c->walk.count; i++)
        if (g->edge[c->walk.step[i].edge].owner == all->item[item].component)
            return true;
    return false;
}

/* With the item as it is, closed or open: one that it is in itself. */
static ct_conflict look_at_item(ct_modes *all, const uint8_t *way, uint32_t item, ct_arena *arena)
{
    static const uint8_t other[] = {CT_WAY_FIRST, CT_WAY_SECOND};
    uint8_t *own = CT_NEW_ARRAY(arena, uint8_t, all->count + 1);
    ct_conflict found = {0};
    for (size_t i = 0; i < 2 && !found.walk.count; i++) {
        for (uint32_t k = 0; k < all->count; k++)
            own[k] = way[k] == CT_WAY_FREE ? CT_WAY_SECOND : way[k];
        own[item] = other[i];
        found = look(all, own, item, arena);
        if (!is_through(all, &found, all->tree->graph, item))
            found.walk.count = 0;
    }
    return found;
}

/* Of one part first; then of any that is free to go either way. */
static ct_conflict find(ct_modes *all, const uint8_t *way, uint32_t item, ct_arena *arena)
{
    ct_conflict found = look(all, way, item, arena);
    if (!found.walk.count && item < all->count)
        return look_at_item(all, way, item, arena);
    for (uint32_t i = 0; i < all->count && !found.walk.count; i++)
        if (all->item[i].kind != CT_LAW_IF && ct_item_stands(all->item, i, way))
            found = look_at_item(all, way, i, arena);
    return found;
}

static uint32_t first_item(const ct_modes *all, const ct_conflict *c)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (is_through(all, c, all->tree->graph, i))
            return i;
    return 0;
}

static void put_conflict(const ct_modes *all, const ct_conflict *c, ct_report *r)
{
    const ct_graph *g = all->tree->graph;
    const char *way = c->words->gives_way;
    if (c->circuit)
        ct_note(r, "circuit: %s; sources and closed parts alone, so that nothing in it gives way",
                c->edges);
    else
        ct_note(r, "cutset: %s; only sources and open parts join %s to the rest", c->edges,
                c->nodes);
    if (c->circuit)
        ct_help(r, "put %s in series with one of them, or let them not be closed at once", way);
    else
        ct_help(r,
                "give what flows another way, by %s in parallel; or let them not be open at once",
                way);
    for (uint32_t i = 0; i < c->walk.count && i < CT_MOST_WITNESSES; i++)
        ct_witness(r, ct_edge_text(g, c->walk.step[i].edge));
}

bool ct_modes_report_conflict(ct_modes *all, const uint8_t *way, uint32_t item, double t)
{
    ct_arena *scratch = ct_arena_new(all->ctx);
    ct_conflict c = find(all, way, item, scratch);
    if (c.walk.count) {
        uint32_t first = item < all->count && is_through(all, &c, all->tree->graph, item)
                             ? item
                             : first_item(all, &c);
        ct_place place = all->model->component[all->item[first].component].place;
        ct_report *r = ct_error(
            all->ctx, "E546", place, "no mode of %s is right at t = %.9g s: %s form a %s",
            item_name(all, first), ct_mode_told(all, t), c.names, c.circuit ? "circuit" : "cutset");
        if (item < all->count)
            ct_note(r, "the other way of %s has the wrong sign", item_name(all, item));
        put_conflict(all, &c, r);
    }
    ct_arena_free(scratch);
    return c.walk.count;
}

static ct_report *report(const ct_modes *all, uint32_t item, double t, const char *why)
{
    const ct_component *c = &all->model->component[all->item[item].component];
    ct_report *r = ct_error(all->ctx, "E546", c->place, "no mode of %s is right at t = %.9g s",
                            item_name(all, item), ct_mode_told(all, t));
    ct_note(r, "%s", why);
    ct_witness(r, item_name(all, item));
    return r;
}

bool ct_modes_report_broken(ct_modes *all, const uint8_t *way, uint32_t item, double t)
{
    uint8_t *own = CT_NEW_ARRAY(all->arena, uint8_t, all->count + 1);
    memcpy(own, way, all->count);
    if (item < all->count)
        own[item] = ct_flipped(way[item], 2 * item);
    if (ct_mode_find(all, own, false))
        return false;
    if (ct_modes_report_conflict(all, own, item, t))
        return true;
    ct_report *r = report(all, item < all->count ? item : 0, t,
                          "the other message tells why one of them has no equations");
    ct_help(r, "let something give way, in series with what is closed or in parallel to what is "
               "open");
    ct_mode_find(all, own, true);
    return true;
}

void ct_modes_report_wrong(ct_modes *all, const uint8_t *way, uint32_t root, uint32_t any, double t)
{
    bool known = root != UINT32_MAX;
    if (ct_modes_report_conflict(all, way, known ? root / 2 : UINT32_MAX, t))
        return;
    ct_report *r = report(all, known ? root / 2 : any, t,
                          known ? "in each mode that was tried some part has the wrong sign: open "
                                  "and closed both contradict the rest"
                                : "the equations of each mode that was tried have no solution");
    ct_help(r, "a source that is shorted or cut off needs a resistance; else see which parts "
               "switch together with --events");
}

ct_regime *ct_mode_need(ct_modes *all, const uint8_t *way, double t)
{
    ct_regime *mode = ct_mode_find(all, way, false);
    if (mode || ct_modes_report_conflict(all, way, UINT32_MAX, t))
        return mode;
    return ct_mode_find(all, way, true);
}
