/* api.c - the public calls: each runs a stage under protection and tells how it went. */
#include <string.h>

#include <cotree/cotree.h>

#include "api/status.h"
#include "base/codes.h"
#include "base/file.h"
#include "base/words.h"
#include "export/doc.h"
#include "export/graph_write.h"
#include "export/result.h"
#include "graph/bodies.h"
#include "graph/build.h"
#include "graph/ends.h"
#include "mechanics/mechanics.h"
#include "model/examples.h"
#include "model/model.h"
#include "robot/robot.h"
#include "spice/spice.h"

/* Errors that a stage reported become a status; what it made is then NULL. */
static ct_status settle(ct_status status, const void *made, ct_status when_wrong)
{
    if (status != CT_OK)
        return status;
    return made ? CT_OK : when_wrong;
}

/* ---- reading */

typedef struct read_job {
    ct_context *ctx;
    const char *name, *text;
    size_t length;
    uint32_t source; /* the first that it adds */
    const ct_syntax *syntax;
    bool missing;
} read_job;

/* By the ending of its name a text is a netlist, a robot or a model. */
static const ct_syntax *parse(const read_job *job, uint32_t source)
{
    if (ct_is_netlist(job->name))
        return ct_spice_parse(job->ctx, source, CT_SPICE_USUAL, CT_SPICE_NO_RUN);
    return ct_is_robot(job->name) ? ct_robot_parse(job->ctx, source, false)
                                  : ct_parse(job->ctx, source);
}

static void read_text(void *user)
{
    read_job *job = user;
    job->syntax = parse(job, ct_source_add(job->ctx, job->name, job->text, job->length));
}

static void read_file(void *user)
{
    read_job *job = user;
    uint32_t source = ct_load(job->ctx, job->name);
    if (source) {
        job->syntax = parse(job, source);
        return;
    }
    job->missing = true;
    ct_report *r = ct_error(job->ctx, "E001", (ct_place){0}, "cannot read %s", job->name);
    ct_witness(r, job->name);
}

static ct_status finish_reading(ct_status status, const read_job *job, const ct_syntax **syntax)
{
    *syntax = status == CT_OK ? job->syntax : NULL;
    if (status == CT_ERR_MEMORY)
        ct_forget_reports(job->ctx, job->source);
    if (status == CT_OK && job->missing)
        return CT_ERR_IO;
    return status == CT_OK && job->syntax->broken ? CT_ERR_SYNTAX : status;
}

ct_status ct_read_file(ct_context *ctx, const char *path, const ct_syntax **syntax)
{
    read_job job = {.ctx = ctx, .name = path, .source = ctx->sources.count};
    return finish_reading(ct_call(ctx, read_file, &job), &job, syntax);
}

ct_status ct_read_text(ct_context *ctx, const char *name, const char *text, size_t length,
                       const ct_syntax **syntax)
{
    read_job job = {.ctx = ctx,
                    .name = name ? name : "text",
                    .text = text,
                    .length = length,
                    .source = ctx->sources.count};
    return finish_reading(ct_call(ctx, read_text, &job), &job, syntax);
}

/* ---- netlists */

bool ct_is_a_netlist(const ct_syntax *syntax)
{
    return syntax->netlist != NULL;
}

size_t ct_analysis_count(const ct_syntax *syntax)
{
    return syntax->netlist ? syntax->netlist->analysis_count : 0;
}

const ct_analysis *ct_analysis_at(const ct_syntax *syntax, size_t index)
{
    return index < ct_analysis_count(syntax) ? &syntax->netlist->analysis[index] : NULL;
}

typedef struct again_job {
    ct_context *ctx;
    uint32_t source, analysis;
    uint64_t run;
    const ct_syntax *syntax;
} again_job;

static void read_again(void *user)
{
    again_job *job = user;
    job->syntax = ct_spice_parse(job->ctx, job->source, job->analysis, job->run);
}

/* The usual tree is that of the first run in time. */
static bool is_usual(const ct_syntax *netlist, size_t index)
{
    const ct_analysis *a = ct_analysis_at(netlist, index);
    if (a && (a->runs > 1 || a->measure_count))
        return false;
    for (size_t i = 0; i <= index && i < ct_analysis_count(netlist); i++)
        if (ct_analysis_at(netlist, i)->kind == CT_TRAN)
            return i == index;
    return false;
}

ct_status ct_read_analysis(ct_context *ctx, const ct_syntax *netlist, size_t index,
                           const ct_syntax **syntax)
{
    return ct_read_run(ctx, netlist, index, CT_SPICE_NO_RUN, syntax);
}

ct_status ct_read_run(ct_context *ctx, const ct_syntax *netlist, size_t index, uint64_t number,
                      const ct_syntax **syntax)
{
    *syntax = netlist;
    if (is_usual(netlist, index))
        return CT_OK;
    again_job job = {
        .ctx = ctx, .source = netlist->source, .analysis = CT_SPICE_POINT, .run = number};
    if (index < ct_analysis_count(netlist))
        job.analysis = (uint32_t)index;
    ct_status status = ct_call(ctx, read_again, &job);
    *syntax = status == CT_OK ? job.syntax : NULL;
    return status == CT_OK && job.syntax->broken ? CT_ERR_SYNTAX : status;
}

/* ---- model */

typedef struct build_job {
    const ct_syntax *syntax;
    const ct_build_def *def;
    const ct_model *model;
} build_job;

static void build(void *user)
{
    build_job *job = user;
    job->model = ct_build_settled(job->syntax, job->def);
}

ct_build_def ct_default_build_def(void)
{
    return (ct_build_def){0};
}

ct_status ct_build(ct_context *ctx, const ct_syntax *syntax, const ct_build_def *def,
                   const ct_model **model)
{
    build_job job = {syntax, def, NULL};
    ct_status status = ct_call(ctx, build, &job);
    *model = status == CT_OK ? job.model : NULL;
    return settle(status, *model,
                  ct_code_reported(ctx, CT_ERR_LIMIT) ? CT_ERR_LIMIT : CT_ERR_MODEL);
}

/* ---- graph and tree */

typedef struct graph_job {
    const ct_model *model;
    const ct_graph *graph;
    bool good;
} graph_job;

static void make_graph(void *user)
{
    graph_job *job = user;
    job->graph = ct_graph_build(job->model);
    job->good = ct_graph_check(job->graph);
}

ct_status ct_make_graph(ct_context *ctx, const ct_model *model, const ct_graph **graph)
{
    graph_job job = {.model = model};
    ct_status status = ct_call(ctx, make_graph, &job);
    *graph = status == CT_OK && job.good ? job.graph : NULL;
    return settle(status, *graph, CT_ERR_TOPOLOGY);
}

typedef struct tree_job {
    const ct_graph *graph;
    const ct_tree_choice *choice;
    const ct_tree *tree;
    bool unknown_word; /* of the choice */
} tree_job;

/* The one word `best`, if no edge has this name. */
static bool is_best(const ct_graph *g, const ct_tree_choice *choice)
{
    if (!g->bodies || !choice->prefer || choice->prefer_count != 1 ||
        strcmp(choice->prefer[0], "best") != 0)
        return false;
    ct_name name = ct_intern_text(g->ctx, "best");
    for (uint32_t i = 0; i < g->edge_count; i++)
        if (g->edge[i].name == name)
            return false;
    return true;
}

static bool read_coordinates(const tree_job *job, ct_coordinates *out)
{
    const char *word = job->choice->coordinates;
    if (!word && job->graph->bodies)
        *out = job->graph->bodies->mechanism->coordinates;
    uint32_t row = 0;
    bool found = !word || ct_word_find(ct_coordinate_words, word, &row);
    *out = word ? (ct_coordinates)row : *out;
    return found;
}

static const ct_tree *best_tree(const tree_job *job, const ct_tree *usual)
{
    ct_mechanics_def def = ct_mechanics_def_of(job->graph->model, usual, job->graph->arena);
    return ct_mechanics_best_tree(&def);
}

static const ct_tree *with_kinematic(const ct_tree *tree, ct_arena *arena)
{
    ct_tree *copy = CT_NEW(arena, ct_tree);
    *copy = *tree;
    copy->kinematic = true;
    return copy;
}

/* Coordinates that are asked for go before the model's `tree` statements about bodies. */
static bool read_wishes(const tree_job *job, ct_tree_def *def)
{
    const ct_graph *g = job->graph;
    if (job->choice->prefer)
        return ct_graph_named_wishes(g, job->choice->prefer, job->choice->prefer_count, def);
    ct_graph_wishes(g, g->model, !job->choice->coordinates, def);
    return true;
}

static void choose_tree(void *user)
{
    tree_job *job = user;
    const ct_graph *g = job->graph;
    bool best = is_best(g, job->choice);
    ct_tree_def def = {.complete = job->choice->complete || best};
    if (!best && !read_wishes(job, &def))
        return;
    job->unknown_word = !read_coordinates(job, &def.coordinates);
    if (job->unknown_word)
        return;
    job->tree = ct_tree_select(g, &def);
    if (job->tree && best)
        job->tree = best_tree(job, job->tree);
    if (job->tree && job->choice->kinematic)
        job->tree = with_kinematic(job->tree, g->arena);
}

ct_tree_choice ct_default_tree_choice(void)
{
    return (ct_tree_choice){.complete = true};
}

ct_status ct_choose_tree(ct_context *ctx, const ct_graph *graph, const ct_tree_choice *choice,
                         const ct_tree **tree)
{
    ct_tree_choice usual = ct_default_tree_choice();
    tree_job job = {graph, choice ? choice : &usual, NULL, false};
    ct_status status = ct_call(ctx, choose_tree, &job);
    *tree = status == CT_OK ? job.tree : NULL;
    return job.unknown_word ? CT_ERR_USAGE : settle(status, *tree, CT_ERR_TOPOLOGY);
}

typedef struct measure_job {
    const ct_graph *graph;
    const ct_tree *tree;
    ct_sizes *sizes;
} measure_job;

static void measure_mechanism(const ct_mechanism *m, ct_sizes *sizes)
{
    sizes->bodies = m->body_count - 1; /* without the ground */
    sizes->joints = m->joint_count;
    for (uint32_t i = 0; i < m->joint_count; i++) { /* sections are parts of their bodies */
        sizes->bodies -= m->joint[i].elastic;
        sizes->joints -= m->joint[i].elastic;
    }
    sizes->loads = m->load_count;
}

static void measure(void *user)
{
    measure_job *job = user;
    uint64_t entries = 0;
    if (job->graph->model->mechanism)
        measure_mechanism(job->graph->model->mechanism, job->sizes);
    job->sizes->nodes = job->graph->scalar_node_count;
    job->sizes->edges = job->graph->scalar_edge_count;
    job->sizes->components = job->graph->model->component_count;
    if (!job->tree)
        return;
    job->sizes->branches = job->tree->scalar_branch_count;
    job->sizes->chords = job->tree->scalar_chord_count;
    ct_topology_new(job->tree, job->tree->scalar_chord_count, 0, &entries);
    job->sizes->circuit_entries = entries;
}

ct_status ct_measure(ct_context *ctx, const ct_graph *graph, const ct_tree *tree, ct_sizes *sizes)
{
    *sizes = (ct_sizes){0};
    measure_job job = {graph, tree, sizes};
    return ct_call(ctx, measure, &job);
}

typedef struct sizes_job {
    ct_context *ctx;
    const ct_sizes *sizes;
    const ct_state_value *more;
    uint32_t count;
    const char *text;
} sizes_job;

static void show_sizes(void *user)
{
    sizes_job *job = user;
    ct_text out = ct_text_new(job->ctx->base);
    ct_sizes_put_json(job->ctx, job->sizes, job->more, job->count, &out);
    job->text = ct_text_string(&out);
}

ct_status ct_show_sizes(ct_context *ctx, const ct_sizes *sizes, const ct_state_value *more,
                        uint32_t count, const char **text)
{
    sizes_job job = {ctx, sizes, more, more ? count : 0, NULL};
    ct_status status = ct_call(ctx, show_sizes, &job);
    *text = status == CT_OK ? job.text : NULL;
    return status;
}

/* ---- showing */

typedef struct show_job {
    ct_context *ctx;
    const void *object;
    const ct_tree *tree;
    const char *format;
    bool unknown_word;
    const char *text, *near;
    size_t length;
} show_job;

static void keep(show_job *job, ct_text *out)
{
    job->text = ct_text_string(out);
    job->length = out->length;
}

static void show_graph(void *user)
{
    show_job *job = user;
    ct_text out = ct_text_new(job->ctx->base);
    const ct_graph *graph = job->object;
    job->unknown_word = !ct_graph_put(graph, job->tree, job->format, &out);
    keep(job, &out);
}

ct_status ct_show_graph(ct_context *ctx, const ct_graph *graph, const ct_tree *tree,
                        const char *format, const char **text, size_t *length)
{
    show_job job = {.ctx = ctx, .object = graph, .tree = tree, .format = format};
    ct_status status = ct_call(ctx, show_graph, &job);
    if (status == CT_OK && job.unknown_word)
        status = CT_ERR_USAGE;
    *text = job.text;
    ct_tell_length(length, job.length);
    return settle(status, job.text, CT_ERR_MODEL);
}

static ct_status show(ct_context *ctx, void (*body)(void *user), const void *object,
                      const char **text)
{
    show_job job = {.ctx = ctx, .object = object};
    ct_status status = ct_call(ctx, body, &job);
    *text = job.text;
    return status;
}

static void format(void *user)
{
    show_job *job = user;
    ct_text out = ct_text_new(job->ctx->base);
    ct_format(job->object, &out);
    keep(job, &out);
}

ct_status ct_format_text(ct_context *ctx, const ct_syntax *syntax, const char **text)
{
    return show(ctx, format, syntax, text);
}

const char *ct_syntax_text(const ct_syntax *syntax)
{
    return ct_source_get(syntax->ctx, syntax->source)->text;
}

/* ---- manual and examples */

static void write_manual(void *user)
{
    show_job *job = user;
    ct_text out = ct_text_new(job->ctx->base);
    if (!job->object)
        ct_doc_list(job->ctx, &out);
    else if (!ct_doc_element(job->ctx, job->object, &out, &job->near))
        return;
    keep(job, &out);
}

ct_status ct_manual(ct_context *ctx, const char *element, const char **text, const char **near)
{
    show_job job = {.ctx = ctx, .object = element};
    ct_status status = ct_call(ctx, write_manual, &job);
    *text = job.text;
    if (near)
        *near = job.near;
    return settle(status, job.text, CT_ERR_USAGE);
}

const ct_example *ct_example_at(size_t index)
{
    for (size_t i = 0; i <= index; i++)
        if (!ct_example_texts[i].name)
            return NULL;
    return &ct_example_texts[index];
}
