/* build.c - the stages of building, in order. */
#include "model/law.h"
#include "model/loop.h"
#include "model/mech.h"

#include <assert.h>
#include <string.h>

static void prepare_dims(builder *b)
{
    uint32_t count;
    const ct_domain_row *row = ct_domain_list(&count);
    for (uint32_t d = 0; d < count; d++) {
        for (int k = 0; k < CT_DOMAIN_VARIABLES && row[d].variable[k].name; k++) {
            ct_unit unit;
            const char *problem, *hint, *text = row[d].variable[k].unit;
            if (ct_unit_read(b->ctx, text, strlen(text), &unit, &problem, &hint))
                b->dim[d][k] = unit.dim;
        }
    }
}

static builder *new_builder(ct_context *ctx, ct_arena *arena, ct_pool *pool,
                            const ct_build_def *def)
{
    ct_arena *scratch = ct_arena_new(ctx);
    builder *b = CT_NEW(scratch, builder);
    b->ctx = ctx;
    b->arena = arena;
    b->scratch = scratch;
    b->pool = pool;
    b->infer = ct_infer_new(scratch);
    b->def = def;
    b->ahead = 1;
    b->model = CT_NEW(arena, ct_model);
    b->model->symbols = ct_symbols_new(ctx, arena);
    b->name_t = ct_intern_text(ctx, "t");
    b->name_spatial = ct_intern_text(ctx, "spatial");
    b->name_pi = ct_intern_text(ctx, "pi");
    b->name_ground = b->datum_name = ct_intern_text(ctx, "ground");
    ct_map *maps[] = {&b->definitions, &b->functions,     &b->values.inner,   &b->things.inner,
                      &b->nodes.inner, &b->units,         &b->given,          &b->started,
                      &b->used_paths,  &b->output_names,  &b->literals,       &b->discretes,
                      &b->pre_of,      &b->held,          &b->loops_by_name,  &b->open_dims,
                      &b->controllers, &b->controller_of, &b->written_inputs, &b->ticked,
                      &b->decimals};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        ct_map_init(maps[i], scratch);
    b->values.top.arena = b->nodes.top.arena = b->things.top.arena = scratch;
    prepare_dims(b);
    return b;
}

/* The model so far, for readers that need no more. */
const ct_model *ct_current(builder *b)
{
    ct_model *m = b->model;
    m->ctx = b->ctx, m->arena = b->arena, m->pool = b->pool;
    m->element = b->element.at, m->element_count = b->element.count;
    m->component = b->component.at, m->component_count = b->component.count;
    m->component_flag = b->component_flag.at;
    m->terminal_node = b->terminal_node.at;
    m->param_value = b->param_value.at;
    m->node = b->node.at, m->node_count = b->node.count;
    m->quantity = b->quantity.at, m->quantity_count = b->quantity.count;
    m->output = b->output.at, m->output_count = b->output.count;
    m->start = b->start.at, m->start_count = b->start.count;
    m->wish = b->wish.at, m->wish_count = b->wish.count;
    m->curve = b->curve.at, m->curve_count = b->curve.count;
    m->happening = b->happening.at, m->happening_count = b->happening.count;
    return m;
}

static void read_title(builder *b, const ct_syntax *s)
{
    ct_node model = ct_child(s, s->root, CT_NODE_MODEL);
    if (!model)
        return;
    ct_node title = ct_at(s, model)->first;
    b->model->name = ct_at(s, model)->name;
    b->model->title = title ? ct_name_text(b->ctx, ct_at(s, title)->name) : NULL;
    for (ct_node n = ct_at(s, model)->next; n; n = ct_at(s, n)->next) {
        if (ct_at(s, n)->kind != CT_NODE_MODEL)
            continue;
        ct_error(b->ctx, "E201", ct_place_of(s, n), "a file holds one model");
    }
}

static void check_overrides(builder *b)
{
    for (uint32_t i = 0; i < b->def->override_count; i++) {
        const char *name = b->def->override[i].name;
        ct_name wanted = ct_intern_text(b->ctx, name);
        ct_suggestion near = ct_suggest(name);
        bool found = false;
        for (uint32_t k = 0; k < b->entry.count && !found; k++) {
            const entry *e = b->entry.at[k];
            found = !e->hidden && e->full == wanted && e->kind != ENTRY_SIGNAL;
            if (!e->hidden && e->kind != ENTRY_SIGNAL && k < 2000)
                ct_suggest_try(&near, ct_name_text(b->ctx, e->full));
        }
        if (found)
            continue;
        ct_report *r = ct_error(b->ctx, "E251", (ct_place){0},
                                "--set: there is no param, input or const `%s`", name);
        if (near.best)
            ct_help(r, "did you mean `%s`?", near.best);
        ct_witness(r, name);
    }
}

/* Definitions that nothing uses are checked all the same: a user element is wrong where it stands.
 */
static void check_definitions(builder *b)
{
    for (uint32_t i = 0; i < b->definition.count; i++) {
        definition *d = b->definition.at[i];
        if (!d->library && ct_at(d->s, d->node)->kind == CT_NODE_ELEMENT && !d->variants)
            ct_plain_element(b, d);
    }
}

void ct_resolve_instances(builder *b, uint32_t first)
{
    for (uint32_t i = first; i < b->instance.count; i++) {
        const where inside = b->instance.at[i];
        ct_node block = ct_child(inside.s, inside.scope->system, CT_NODE_BLOCK);
        ct_walk_statements(b, &inside, block ? ct_at(inside.s, block)->first : 0, &ct_resolve_pass);
    }
}

static void resolve_all(builder *b, const where *top)
{
    ct_resolve_entries(b, 0);
    ct_resolve_components(b, 0);
    ct_resolve_mech(b, &(mech_extent){0});
    ct_walk_statements(b, top, ct_at(top->s, top->s->root)->first, &ct_resolve_pass);
    ct_resolve_instances(b, 0);
}

/* Each component takes the laws that its parameters leave. */
static void settle_modes(builder *b)
{
    ct_settled_list list = {0};
    for (uint32_t i = 0; i < b->component.count; i++) {
        const ct_element *e = b->element.at[b->component.at[i].element];
        const ct_element *own =
            e->law_count && !e->broken ? ct_element_settled(b->model, i, b->arena, &list) : e;
        if (own == e)
            continue;
        uint32_t k = 0;
        while (list.at[k].to != own)
            k++;
        if (own->index == e->index) {
            list.at[k].to->index = b->element.count;
            CT_PUSH(b->arena, b->element, list.at[k].to);
        }
        b->component.at[i].element = own->index;
    }
    ct_current(b);
}

static void build(builder *b, const ct_syntax *s)
{
    size_t before = ct_errors_raised(b->ctx);
    ct_node first = ct_at(s, s->root)->first;
    b->main = s;
    b->top = ct_new_scope(b, NULL, 0);
    where top = {.s = s, .scope = b->top};
    read_title(b, s);
    ct_define_file(b, s);
    ct_report_missing_features(b, s, s->root);
    if (b->missing_features)
        return; /* half a model would only give messages that mislead */
    ct_find_spaces(b, top.s);
    ct_walk_statements(b, &top, first, &ct_declare_pass);
    ct_walk_statements(b, &top, first, &ct_alias_pass);
    ct_walk_statements(b, &top, first, &ct_vector_pass);
    ct_walk_statements(b, &top, first, &ct_tap_pass);
    if (b->mech)
        ct_walk_statements(b, &top, first, &ct_mech_pass);
    ct_walk_statements(b, &top, first, &ct_compose_pass);
    ct_compose_deferred(b);
    check_overrides(b);
    check_definitions(b);
    resolve_all(b, &top);
    if (ct_errors_raised(b->ctx) == before)
        ct_constrain_speeds(b);
    ct_close_loops(b);
    ct_record_quantities(b);
    ct_instance_happenings(b);
    ct_record_charts(b);
    ct_current(b);
    ct_find_numbers(b, b->model);
    if (ct_errors_raised(b->ctx) == before) {
        settle_modes(b);
        ct_check_ranges(b);
        ct_check_delays(b), ct_check_ratios(b);
        ct_check_mech(b);
        ct_check_run(b);
    }
    if (b->def->strict_units)
        ct_report_inferred(b);
    ct_check_unused_systems(b);
}

const ct_model *ct_model_build(const ct_syntax *s, const ct_build_def *def)
{
    return ct_model_build_held(s, def, NULL, 0);
}

const ct_model *ct_model_build_held(const ct_syntax *s, const ct_build_def *def,
                                    const ct_held_ends *ends, uint32_t end_count)
{
    static const ct_build_def plain = {0};
    ct_context *ctx = s->ctx;
    assert(ct_at(s, s->root)->kind == CT_NODE_FILE);
    size_t before = ct_errors_raised(ctx);
    ct_arena *arena = ct_arena_new(ctx);
    builder *b = new_builder(ctx, arena, ct_pool_new(ctx), def ? def : &plain);
    b->held_ends = ends;
    for (uint32_t i = 0; i < end_count; i++)
        ct_map_put(&b->held, ends[i].component, i + 1);
    build(b, s);
    const ct_model *m = ct_current(b);
    b->model->mechanism = ct_finish_mech(b);
    ct_note_ports(m);
    ct_arena_free(b->scratch);
    return ct_errors_raised(ctx) == before && !s->broken ? m : NULL;
}

/* ---- the library by itself */

const ct_element *ct_library_element(ct_context *ctx, ct_pool *pool, const char *name)
{
    static const ct_build_def plain = {0};
    builder *b = new_builder(ctx, ct_arena_new(ctx), pool, &plain);
    definition *d = ct_find_definition(b, ct_intern_text(ctx, name));
    return d && ct_at(d->s, d->node)->kind == CT_NODE_ELEMENT ? ct_plain_element(b, d) : NULL;
}

const char *const *ct_library_names(ct_context *ctx, uint32_t *count)
{
    static const ct_build_def plain = {0};
    ct_arena *arena = ct_arena_new(ctx);
    builder *b = new_builder(ctx, arena, NULL, &plain);
    CT_VEC(const char *) names = {0};
    ct_read_whole_library(b);
    for (uint32_t i = 0; i < b->definition.count; i++)
        if (ct_at(b->definition.at[i]->s, b->definition.at[i]->node)->kind == CT_NODE_ELEMENT)
            CT_PUSH(arena, names, ct_name_text(ctx, b->definition.at[i]->name));
    ct_arena_free(b->scratch);
    *count = names.count;
    return names.at;
}

const char *ct_library_block(ct_context *ctx, const char *name)
{
    static const ct_build_def plain = {0};
    builder *b = new_builder(ctx, ct_arena_new(ctx), NULL, &plain);
    definition *d = ct_find_definition(b, ct_intern_text(ctx, name));
    const char *text = NULL;
    if (d) {
        const ct_source *source = ct_source_get(ctx, d->s->source);
        text = ct_arena_copy(ctx->base, source->text + ct_at(d->s, d->node)->at,
                             ct_at(d->s, d->node)->length);
    }
    ct_arena_free(b->scratch);
    return text;
}
