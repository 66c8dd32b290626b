/* derive.c - the equations of a mode, derived when it is first reached. */
#include <string.h>

#include "base/hash.h"
#include "base/sets.h"
#include "graph/build.h"
#include "graph/graph.h"
#include "modes/inside.h"
#include "simulate/act.h"

/* ---- graph and tree */

typedef CT_VEC(ct_tree_wish) wish_list;

static void put_wish(const ct_graph *g, uint32_t e, wish_list *list)
{
    CT_PUSH(g->arena, *list, ((ct_tree_wish){e, g->edge[e].place}));
}

static void put_body_wishes(const ct_modes *all, const ct_graph *g, wish_list *list)
{
    for (uint32_t e = g->scalar_edge_count; e < g->edge_count; e++)
        if (all->tree->wanted[e])
            put_wish(g, e, list);
}

static bool is_free_mode(const ct_modes *all, const uint8_t *way)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (way[i] == CT_WAY_FREE)
            return true;
    return false;
}

/* A wish for something that has no modes itself. */
static void refuse(const ct_modes *all, const ct_graph *g, uint32_t e)
{
    const ct_model *m = all->model;
    uint32_t owner = g->edge[e].owner;
    if (owner < m->component_count && !m->element[m->component[owner].element]->law_count)
        all->refused[e] = true;
}

void ct_modes_tell_wishes(ct_modes *all)
{
    ct_report *r = NULL;
    const ct_graph *g = all->tree->graph;
    for (uint32_t e = 0; e < g->scalar_edge_count && !all->told; e++) {
        if (!all->refused[e])
            continue;
        const ct_component *c = &all->model->component[g->edge[e].owner];
        const char *name = ct_name_text(all->ctx, c->name);
        if (!r)
            r = ct_warning(all->ctx, "W566", c->place,
                           "%s was wanted in the tree, and is no branch in some modes", name);
        ct_witness(r, name);
    }
    if (!r)
        return;
    all->told = true;
    ct_note(r, "values pass from mode to mode by what is stored: across drivers, then what stores "
               "across variables are branches first; results do not depend on the tree");
    ct_help(r, "wish among parts of one class, or leave the wish out");
}

/* Wishes that this mode admits. Values pass from mode to mode by what is stored, so its tree is a
 * normal one: a wish counts among edges of its class. What is short or open here, and couplings,
 * stand where they do without wishes. */
static void put_wishes(const ct_modes *all, const ct_graph *g, const bool *plain, bool free,
                       wish_list *list)
{
    uint32_t *sets = ct_sets_new(g->arena, g->node_count);
    for (uint32_t e = 0; e < g->scalar_edge_count; e++)
        if (plain[e] && g->edge[e].coupling) {
            ct_sets_join(sets, g->edge[e].tail, g->edge[e].head);
            put_wish(g, e, list);
        }
    for (int pass = 0; pass < 2 * (CT_THROUGH_DRIVER + 1); pass++) /* of each class those first */
        for (uint32_t e = 0; e < g->scalar_edge_count; e++) {
            const ct_graph_edge *edge = &g->edge[e];
            bool wanted = all->tree->wanted[e];
            if (edge->coupling || edge->class != pass / 2 || wanted != (pass % 2 == 0))
                continue;
            bool joined = ct_sets_join(sets, edge->tail, edge->head);
            if (joined && wanted)
                put_wish(g, e, list);
            else if (wanted && !free)
                refuse(all, g, e);
        }
}

static bool has_wishes(const ct_modes *all, const ct_graph *g)
{
    for (uint32_t e = 0; e < g->scalar_edge_count; e++)
        if (all->tree->wanted[e])
            return true;
    return false;
}

static const ct_tree *select_tree(const ct_graph *g, const wish_list *list)
{
    const ct_mechanism *mechanism = g->model->mechanism;
    ct_tree_def def = {.wish = list->at, .wish_count = list->count, .complete = true};
    if (mechanism)
        def.coordinates = mechanism->coordinates;
    return ct_tree_select(g, &def);
}

static const ct_tree *choose_tree(const ct_modes *all, const uint8_t *way, const ct_graph *g)
{
    wish_list list = {0};
    put_body_wishes(all, g, &list);
    const ct_tree *tree = select_tree(g, &list);
    if (tree && has_wishes(all, g)) {
        put_wishes(all, g, tree->is_branch, is_free_mode(all, way), &list);
        tree = select_tree(g, &list);
    }
    ct_tree *own = tree ? CT_NEW(g->arena, ct_tree) : NULL;
    if (own) {
        *own = *tree;
        own->origin = all->tree;
    }
    return own;
}

const ct_graph *ct_mode_graph(ct_modes *all, const uint8_t *way, bool clocked)
{
    uint32_t ties;
    const ct_model *shadow =
        ct_shadow(all->shadows, way, all->record.at, all->record.count, NULL, 0, clocked);
    const ct_graph *g = ct_graph_build(shadow);
    const ct_tie *tie = ct_find_ties(all, g, all->arena, &ties);
    if (!ties)
        return g;
    return ct_graph_build(
        ct_shadow(all->shadows, way, all->record.at, all->record.count, tie, ties, clocked));
}

static const ct_tree *tree_of(const ct_regime *mode)
{
    const ct_graph *g = ct_mode_graph(mode->all, mode->way, mode->clocked);
    return ct_graph_check(g) ? choose_tree(mode->all, mode->way, g) : NULL;
}

/* ---- records */

static void make_room(ct_modes *all)
{
    double **list[] = {&all->value, &all->largest};
    uint32_t room = 2 * all->record.count + 8;
    for (int k = 0; k < 2; k++) {
        double *more = CT_NEW_ARRAY(all->arena, double, room);
        if (all->value_room)
            memcpy(more, *list[k], all->value_room * sizeof *more);
        *list[k] = more;
    }
    all->value_room = room;
}

/* A name that is stored in some mode. That of an own unknown for the choice of modes is not. */
static uint32_t record_of(ct_modes *all, ct_name name)
{
    ct_own_use use = name ? ct_use_of(all->model, name) : CT_OWN_FREE;
    if (use == CT_OWN_FREE || use == CT_OWN_CLOCK)
        return UINT32_MAX;
    uint32_t known = ct_map_get(&all->record_index, name);
    if (known)
        return known - 1;
    CT_PUSH(all->arena, all->record, ct_expr_symbol(all->model->pool, name));
    ct_map_put(&all->record_index, name, all->record.count);
    if (all->record.count > all->value_room)
        make_room(all);
    return all->record.count - 1;
}

static void list_records(ct_regime *mode)
{
    const ct_machine *m = mode->machine;
    uint32_t kept = m->jumps ? m->jumps->kept.count : 0;
    ct_arena *arena = mode->all->arena;
    mode->state_record = CT_NEW_ARRAY(arena, uint32_t, m->n + 1);
    mode->kept_record = CT_NEW_ARRAY(arena, uint32_t, kept + 1);
    for (uint32_t i = 0; i < m->n; i++)
        mode->state_record[i] = record_of(mode->all, m->z[i]);
    for (uint32_t i = 0; i < kept; i++)
        mode->kept_record[i] = record_of(mode->all, m->jumps->kept.at[i]);
}

/* ---- the mode */

static bool make_machine(ct_regime *mode)
{
    ct_modes *all = mode->all;
    uint32_t records = all->record.count;
    const ct_tree *tree = tree_of(mode);
    mode->machine = tree ? ct_machine_of_tree(tree, CT_FORM_TABLEAU, all->drawn) : NULL;
    if (mode->machine && !mode->machine->n && !mode->clocked && !mode->still) {
        mode->clocked = true;
        return make_machine(mode);
    }
    mode->wave = NULL;
    mode->looked = false;
    mode->linear = NULL;
    mode->rig = mode->machine ? ct_rig_new(mode->machine, all->quantity) : NULL;
    mode->record_count = records;
    if (!mode->rig)
        return false;
    const ct_machine *m = mode->machine;
    mode->rig->span = all->choice.span;
    mode->z = CT_NEW_ARRAY(all->arena, double, m->n + m->m + 1);
    if (mode->rig->jumping)
        mode->rig->jumping->told = all->impulses;
    mode->before = CT_NEW_ARRAY(all->arena, double, m->n + m->m + 1);
    mode->rig->held.act = NULL; /* run.c asks for it */
    mode->watch = CT_NEW_ARRAY(all->arena, double, m->model->watch_count + 1);
    mode->offset = CT_NEW_ARRAY(all->arena, double, 2 * all->count + 1);
    ct_rig_add_roots(mode->rig, 2 * all->count, ct_mode_roots, mode);
    all->derived++;
    return true;
}

/* Once more, with the records that have come since. */
bool ct_mode_complete(ct_regime *mode)
{
    if (mode->record_count == mode->all->record.count)
        return true;
    ct_rig *old = mode->rig;
    const double *z = mode->z, *offset = mode->offset;
    uint32_t size = mode->machine->n + mode->machine->m,
             reports = ct_reports_so_far(mode->all->ctx);
    bool good = make_machine(mode);
    ct_forget_reports_since(mode->all->ctx, reports);
    if (!good || mode->machine->n + mode->machine->m != size)
        return false;
    memcpy(mode->z, z, size * sizeof *z);
    memcpy(mode->offset, offset, 2 * mode->all->count * sizeof *offset);
    memcpy(mode->rig->variable, old->variable, mode->machine->z_count * sizeof(double));
    ct_acting_take(mode->rig, old);
    if (!ct_acting_has_code(old)) /* its processes go on */
        ct_rig_free(old);
    return true;
}

static void list_used(ct_regime *mode)
{
    const ct_modes *all = mode->all;
    mode->used = CT_NEW_ARRAY(all->arena, uint32_t, all->count + 1);
    for (uint32_t i = 0; i < all->count; i++) {
        bool has = all->item[i].kind == CT_LAW_PAIR || all->item[i].kind == CT_LAW_SLIP;
        if (has && ct_item_stands(all->item, i, mode->way))
            mode->used[mode->used_count++] = i;
    }
}

static ct_regime *derive(ct_modes *all, const uint8_t *way, uint64_t hash, bool loud)
{
    ct_regime *mode = CT_NEW(all->arena, ct_regime);
    uint8_t *own = CT_NEW_ARRAY(all->arena, uint8_t, all->count + 1);
    uint32_t reports = ct_reports_so_far(all->ctx);
    memcpy(own, way, all->count);
    *mode = (ct_regime){
        .all = all, .way = own, .hash = hash, .number = all->mode.count, .still = all->still};
    list_used(mode);
    mode->failed = !make_machine(mode);
    if (!mode->failed || !loud)
        ct_forget_reports_since(all->ctx, reports);
    if (!mode->failed)
        list_records(mode);
    CT_PUSH(all->arena, all->mode, mode);
    return mode;
}

ct_regime *ct_mode_find(ct_modes *all, const uint8_t *way, bool loud)
{
    uint64_t hash = ct_hash_bytes((const char *)way, all->count, 0);
    ct_regime *found = NULL;
    for (uint32_t i = 0; i < all->mode.count && !found; i++)
        if (all->mode.at[i]->hash == hash && all->mode.at[i]->still == all->still &&
            memcmp(all->mode.at[i]->way, way, all->count) == 0)
            found = all->mode.at[i];
    if (!found || (found->failed && loud))
        found = derive(all, way, hash, loud);
    return found->failed ? NULL : found;
}

const ct_tree *ct_modes_tree(ct_modes *all, ct_arena *arena, const ct_state_value **given,
                             uint32_t *count)
{
    const ct_machine *m = all->now->machine;
    ct_state_value *list = CT_NEW_ARRAY(arena, ct_state_value, m->n + 1);
    ct_regime bare = *all->now;
    bare.clocked = false;
    *count = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (all->now->state_record[i] != UINT32_MAX)
            list[(*count)++] =
                (ct_state_value){ct_name_text(all->ctx, m->z[i]), all->now->z[i], NULL};
    *given = list;
    ct_shadows_start(all->shadows, false); /* states are given, and what depends on them follows */
    const ct_tree *tree = tree_of(&bare);
    ct_shadows_start(all->shadows, true);
    return tree;
}
