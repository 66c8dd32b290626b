/* parse.c - a netlist as a tree: all stages in order. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "expr/expr.h"
#include "spice/reader.h"

bool ct_is_netlist(const char *path)
{
    static const char *const endings[] = {".cir", ".sp", ".spice", ".net", ".ckt", NULL};
    return ct_has_ending(path, endings);
}

static reader *begin(ct_context *ctx, uint32_t source, uint32_t wanted)
{
    ct_arena *arena = ct_arena_new(ctx);
    reader *r = CT_NEW(arena, reader);
    r->ctx = ctx;
    r->arena = arena;
    r->keep = ct_arena_new(ctx);
    r->wanted = wanted;
    const double usual_step = 1e-9;
    r->tstep = usual_step;
    r->tstop = r->reltol = r->vntol = r->step = NAN;
    r->temperature = r->nominal = 27;
    bool broken;
    r->source = ct_sp_assemble(ctx, source, &broken);
    r->broken = broken;
    r->text = ct_source_get(ctx, r->source)->text;
    r->length = ct_source_get(ctx, r->source)->length;
    name_map *maps[] = {&r->value, &r->component, &r->wire, &r->taken, &r->value_taken};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        maps[i]->main.arena = arena;
        ct_map_init(&maps[i]->others, arena);
    }
    ct_map_init(&r->def, arena);
    ct_map_init(&r->definition_taken, arena);
    ct_map_init(&r->tries, arena);
    ct_map_init(&r->labels, arena);
    ct_map_init(&r->heated, arena);
    ct_map_init(&r->global, arena);
    ct_map_init(&r->measured, arena);
    CT_RESERVE(r->keep, r->node, 16 + r->length / 2);
    CT_PUSH(r->keep, r->node, (ct_syntax_node){0});
    CT_PUSH(arena, r->scope, (scope){0});
    CT_PUSH(arena, r->variable, (variable){0});
    CT_PUSH(arena, r->thing, (thing){0});
    ct_sp_new_scope(r, SCOPE_MAIN, 0, (token){0});
    r->here = MAIN;
    return r;
}

/* Names that cards of devices become; a subcircuit of the same name must not stand in their way. */
void ct_sp_keep_elements(reader *r)
{
    static const char *const names[] = {"resistor",
                                        "capacitor",
                                        "inductor",
                                        "vsource",
                                        "isource",
                                        "vcvs",
                                        "vccs",
                                        "switch",
                                        "smooth_switch",
                                        "hysteresis_switch",
                                        "spice_njf",
                                        "spice_pjf",
                                        "spice_npn",
                                        "spice_pnp",
                                        "spice_diode",
                                        "spice_zener",
                                        "spice_diode_full",
                                        "spice_base",
                                        "spice_crowded_base",
                                        "injection_capacitor",
                                        "spice_nmos",
                                        "spice_pmos",
                                        "junction_capacitor",
                                        "diffusion_capacitor",
                                        "transit_capacitor",
                                        "gate_capacitor"};
    ct_function f;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ct_map_put(&r->definition_taken, ct_pair(0, ct_intern_text(r->ctx, names[i])), 1);
    for (const char *const *word = ct_special_functions; *word; word++)
        ct_map_put(&r->definition_taken, ct_pair(1, ct_intern_text(r->ctx, *word)), 1);
    for (int op = 0; op < CT_OP_COUNT; op++)
        if (ct_function_of((ct_op)op, &f))
            ct_map_put(&r->definition_taken, ct_pair(1, ct_intern_text(r->ctx, f.word)), 1);
}

/* Control characters and broken UTF-8 outside of comments are no netlist. */
static bool check_bytes(reader *r)
{
    for (uint32_t i = 0; i < r->length; i++) {
        unsigned char c = (unsigned char)r->text[i];
        if (c >= 0x20 || c == '\t' || c == '\n' || c == '\r' || c == '\f')
            continue;
        ct_sp_error(r, "E101", (ct_place){r->source, i, 1}, "byte %u is not part of a text", c);
        return false;
    }
    return true;
}

static void write_main(reader *r)
{
    r->scope.at[MAIN].state = STATE_BUSY;
    ct_sp_read_controls(r); /* before all that depends on temperature */
    children params = {0};
    for (uint32_t i = 0; i < r->scope.at[MAIN].variable.count; i++) {
        uint32_t k = r->scope.at[MAIN].variable.at[i];
        variable v = r->variable.at[k];
        ct_sp_here(r, v.place);
        value x = v.stepped ? ct_sp_plain(ct_sp_real(r, v.number, NULL), v.number)
                            : ct_sp_expression(r, v.at, v.end);
        r->variable.at[k].seen = true;
        r->variable.at[k].known = x.known;
        r->variable.at[k].number = x.number;
        ct_sp_here(r, v.place);
        ct_sp_add(r, &params, ct_sp_decl(r, v.name, "1", x.node));
    }
    if (params.first)
        ct_sp_emit(r, ct_sp_node(r, CT_NODE_PARAM, 0, params.first));
    ct_sp_join_windings(r, MAIN);
    ct_sp_write_devices(r, MAIN);
    ct_sp_write_mutual(r, MAIN);
    ct_sp_settle_keys(r);
    r->scope.at[MAIN].state = STATE_DONE;
}

static ct_node write_title(reader *r)
{
    if (!r->title)
        return 0;
    ct_sp_here(r, r->title_place);
    ct_node text = ct_sp_node(r, CT_NODE_STRING, r->title, 0);
    return ct_sp_node(r, CT_NODE_MODEL, ct_intern_text(r->ctx, "netlist"), text);
}

static void *keep(reader *r, const void *list, size_t size)
{
    void *out = ct_arena_alloc(r->keep, size + 1);
    return size ? memcpy(out, list, size) : out;
}

#define CT_KEEP(r, list) keep((r), (r)->list.at, (r)->list.count * sizeof *(r)->list.at)

static const ct_syntax *finish(reader *r)
{
    children file = {0};
    ct_sp_add(r, &file, write_title(r));
    ct_sp_add(r, &file, r->systems.first);
    ct_sp_add(r, &file, r->scope.at[MAIN].first);
    r->at = 0;
    r->width = r->length;
    ct_node root = ct_sp_node(r, CT_NODE_FILE, 0, file.first);
    ct_netlist *n = CT_NEW(r->keep, ct_netlist);
    *n = (ct_netlist){.analysis = CT_KEEP(r, analysis),
                      .analysis_count = r->analysis.count,
                      .phasor = CT_KEEP(r, scope.at[MAIN].phasor),
                      .phasor_count = r->scope.at[MAIN].phasor.count,
                      .shown = r->shown,
                      .column = CT_KEEP(r, column),
                      .column_count = r->column.count,
                      .measure = CT_KEEP(r, measure),
                      .measure_count = r->measure.count};
    ct_syntax *s = CT_NEW(r->keep, ct_syntax);
    *s = (ct_syntax){.ctx = r->ctx,
                     .arena = r->keep,
                     .source = r->source,
                     .node = r->node.at,
                     .node_count = r->node.count,
                     .root = root,
                     .kinds = r->kinds,
                     .broken = r->broken,
                     .netlist = n};
    ct_arena_free(r->arena);
    return s;
}

const ct_syntax *ct_spice_parse(ct_context *ctx, uint32_t source, uint32_t analysis, uint64_t run)
{
    reader *r = begin(ctx, source, analysis);
    r->run = run;
    if (!check_bytes(r))
        return finish(r);
    ct_sp_cut(r);
    ct_sp_sort_cards(r);
    write_main(r);
    if (!r->broken)
        ct_sp_finish_controls(r);
    return finish(r);
}
