/* chain.h - all stages on one text through the public calls, and what must hold after each. */
#ifndef FUZZ_CHAIN_H
#define FUZZ_CHAIN_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "graph/graph.h"
#include "graph/view.h"
#include "lang/syntax.h"

/* ---- memory that is counted */

typedef struct meter {
    size_t held, peak, blocks, ceiling; /* bytes; above the ceiling memory is gone */
} meter;

static inline void *meter_realloc(void *user, void *block, size_t old_size, size_t new_size)
{
    meter *m = user;
    if (new_size == 0) {
        free(block);
        m->held -= old_size;
        m->blocks -= block != NULL;
        return NULL;
    }
    if (m->held - old_size + new_size > m->ceiling)
        return NULL;
    void *moved = realloc(block, new_size);
    if (!moved)
        return NULL;
    m->blocks += block == NULL;
    m->held = m->held - old_size + new_size;
    m->peak = m->held > m->peak ? m->held : m->peak;
    return moved;
}

/* `use "used.lg"` finds this text; there are no other files. */
static inline char *used_text(void *user, const char *path, size_t *length)
{
    static char text[] = "element used_resistor\n  port p, n : electrical\n  edge e(p, n)\n"
                         "  param R : ohm = 1\n  e.v = R*e.i\nend\n";
    (void)user;
    *length = sizeof text - 1;
    return strstr(path, "used.lg") ? text : NULL;
}

static inline void keep_text(void *user, char *content)
{
    (void)user;
    (void)content;
}

/* ---- the verdict on a case */

typedef struct chain {
    const char *text;
    size_t length;
    uint32_t most_components; /* 0: as usual */
    bool again;               /* the formatted text of another chain: not formatted once more */
    bool only_read;           /* and its model was refused already */
    bool build_broken;        /* look also into what remains of a text with syntax errors */
    bool of_runs;             /* messages about numbers need no place */
    meter memory;
    ct_context *ctx;
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    ct_status status; /* of the last stage that ran */
    int stage;        /* how many stages went well: read, build, graph, tree, show */
    char wrong[600];  /* what a check found; empty: nothing */
} chain;

__attribute__((format(printf, 2, 3))) static inline void complain(chain *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!c->wrong[0])
        vsnprintf(c->wrong, sizeof c->wrong, format, arguments);
    va_end(arguments);
}

/* An error status comes with a diagnostic, success without one; memory never runs out. */
static inline bool good(chain *c, const char *stage, ct_status status)
{
    size_t errors = ct_error_count(c->ctx);
    c->status = status;
    if (status == CT_ERR_MEMORY)
        complain(c, "%s: out of memory at %zu MB", stage, c->memory.peak >> 20);
    else if (status != CT_OK && errors == 0)
        complain(c, "%s: status `%s` without an error", stage, ct_status_text(status));
    else if (status == CT_OK && errors)
        complain(c, "%s: success with an error: %s", stage, ct_diag_at(c->ctx, 0)->message);
    c->stage += status == CT_OK;
    return status == CT_OK;
}

/* ---- diagnostics */

static inline size_t characters(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

static inline bool lies_inside(const ct_source *s, const ct_diag *d)
{
    const char *at = s->text, *end = s->text + s->length, *stop;
    for (uint32_t line = 1; line < d->line; line++) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at)
            return false;
        at++;
    }
    stop = memchr(at, '\n', (size_t)(end - at));
    size_t width = characters(at, (size_t)((stop ? stop : end) - at));
    return d->column >= 1 && d->width >= 1 && d->column <= width + 1 &&
           d->column + d->width <= width + 2;
}

static inline void check_place(chain *c, const ct_diag *d)
{
    for (uint32_t i = 1; d->file && i < c->ctx->sources.count; i++)
        if (strcmp(c->ctx->sources.at[i].path, d->file) == 0 &&
            lies_inside(&c->ctx->sources.at[i], d))
            return;
    if (d->file)
        complain(c, "%s %s:%u:%u+%u lies outside: %s", d->code, d->file, d->line, d->column,
                 d->width, d->message);
    else if (!c->of_runs && (d->code[0] != 'E' || d->code[1] != '9'))
        complain(c, "%s has no place: %s", d->code, d->message);
}

/* ---- JSON, just well-formed */

static inline const char *json_value(const char *at, int depth);

static inline const char *json_string(const char *at)
{
    for (at++; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20 || (*at == '\\' && !strchr("\"\\/bfnrtu", at[1])))
            return NULL;
        at += *at == '\\';
    }
    return at + 1;
}

static inline const char *after_blanks(const char *at)
{
    return at ? at + strspn(at, " \n") : NULL;
}

static inline const char *json_key(const char *at)
{
    at = *at == '"' ? after_blanks(json_string(at)) : NULL;
    return at && *at == ':' ? after_blanks(at + 1) : NULL;
}

static inline const char *json_list(const char *at, char close, int depth)
{
    at = after_blanks(at + 1);
    while (*at != close) {
        if (close == '}' && !(at = json_key(at)))
            return NULL;
        at = after_blanks(json_value(at, depth - 1));
        if (!at || (*at != ',' && *at != close))
            return NULL;
        if (*at == ',' && *(at = after_blanks(at + 1)) == close)
            return NULL;
    }
    return at + 1;
}

static inline const char *json_value(const char *at, int depth)
{
    size_t word;
    if (!depth)
        return NULL;
    if (*at == '"')
        return json_string(at);
    if (*at == '{' || *at == '[')
        return json_list(at, *at == '{' ? '}' : ']', depth);
    word = strspn(at, "-+.0123456789eEtrufalsn");
    return word ? at + word : NULL;
}

static inline bool is_utf8(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    for (; *p; p++) {
        int more = *p < 0x80 ? 0 : *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc2 ? 1 : -1;
        if (more < 0 || *p > 0xf4)
            return false;
        for (; more; more--)
            if ((*++p & 0xc0) != 0x80)
                return false;
    }
    return true;
}

static inline void check_json(chain *c, const char *what, const char *text)
{
    const char *end = json_value(text, 20);
    if (!end || strspn(end, "\n") != strlen(end))
        complain(c, "%s: no JSON: %.300s", what, text);
    else if (!is_utf8(text))
        complain(c, "%s: no UTF-8: %.300s", what, text);
}

static inline void check_diagnostics(chain *c)
{
    const char *text;
    for (size_t i = 0; i < ct_diag_count(c->ctx); i++) {
        const ct_diag *d = ct_diag_at(c->ctx, i);
        if (!ct_explain_code(d->code))
            complain(c, "unknown code %s", d->code);
        if (!d->message[0])
            complain(c, "%s without a message", d->code);
        check_place(c, d);
    }
    for (int style = CT_DIAG_TEXT; style <= CT_DIAG_JSON; style++)
        if (ct_diag_render(c->ctx, (ct_diag_style)style, &text) != CT_OK)
            complain(c, "diagnostics cannot be rendered");
        else if (style == CT_DIAG_JSON)
            check_json(c, "diagnostics", text);
}

/* ---- graphs: [A_f][B_f]^T = 0 and [I][B_f]^T = 0 in each domain, and the sizes of the tree */

enum { SMALL_GRAPH = 64 };

static inline void fill(int8_t *dense, const ct_signs *s)
{
    memset(dense, 0, SMALL_GRAPH * SMALL_GRAPH);
    for (uint32_t r = 0; r < s->rows; r++)
        for (size_t i = s->start[r]; i < s->start[r + 1]; i++)
            dense[r * SMALL_GRAPH + s->column[i]] = s->sign[i];
}

static inline void check_orthogonal(chain *c, const char *what, const ct_signs *a,
                                    const ct_signs *b)
{
    static int8_t x[SMALL_GRAPH * SMALL_GRAPH], y[SMALL_GRAPH * SMALL_GRAPH];
    fill(x, a);
    fill(y, b);
    for (uint32_t i = 0; i < a->rows; i++)
        for (uint32_t k = 0; k < b->rows; k++) {
            int sum = 0;
            for (uint32_t j = 0; j < a->columns; j++)
                sum += x[i * SMALL_GRAPH + j] * y[k * SMALL_GRAPH + j];
            if (sum)
                complain(c, "%s is not zero in row %u, circuit %u", what, i, k);
        }
}

/* [I] with its columns in the order of [A_f]. */
static inline ct_signs incidence_by_column(ct_arena *arena, const ct_view *v)
{
    ct_signs s = ct_view_incidence(arena, v);
    uint32_t *column = CT_NEW_ARRAY(arena, uint32_t, s.start[s.rows] + 1);
    for (size_t i = 0; i < s.start[s.rows]; i++)
        column[i] = v->column_of[v->edge[s.column[i]]];
    s.column = column;
    return s;
}

static inline void check_domain(chain *c, ct_arena *arena, const ct_topology *t, uint32_t domain)
{
    ct_view v = ct_view_domain(arena, c->graph, c->tree, domain);
    if (v.edge_count > SMALL_GRAPH || v.node_count > SMALL_GRAPH)
        return;
    if (v.branch_count + v.parts != v.node_count)
        complain(c, "%u branches for %u nodes in %u parts", v.branch_count, v.node_count, v.parts);
    ct_signs cutsets = ct_view_cutsets(arena, &v, t), circuits = ct_view_circuits(arena, &v, t),
             incidence = incidence_by_column(arena, &v);
    if (cutsets.rows != v.branch_count || circuits.rows != v.edge_count - v.branch_count)
        complain(c, "%u cutsets, %u circuits for %u branches of %u edges", cutsets.rows,
                 circuits.rows, v.branch_count, v.edge_count);
    else
        check_orthogonal(c, "[A_f][B_f]^T", &cutsets, &circuits),
            check_orthogonal(c, "[I][B_f]^T", &incidence, &circuits);
}

static inline void check_graph(void *user)
{
    chain *c = user;
    uint64_t entries;
    const ct_topology *t = ct_topology_new(c->tree, c->tree->chord_count, 100000, &entries);
    ct_arena *arena = ct_arena_new(c->ctx);
    if (c->tree->branch_count + c->tree->chord_count != c->graph->edge_count)
        complain(c, "branches and chords are not the edges");
    for (uint32_t d = 0; t && d < c->graph->domain_count; d++)
        check_domain(c, arena, t, d);
}

/* ---- stages */

static inline void show_all(chain *c)
{
    uint32_t size = c->graph->edge_count;
    const char *text;
    size_t length;
    ct_sizes sizes;
    good(c, "measure", ct_measure(c->ctx, c->graph, c->tree, &sizes));
    const ct_word *how;
    for (size_t i = 0; (how = ct_word_at(CT_WORD_GRAPH_FORMAT, i)); i++) {
        if (size > (strcmp(how->word, "svg") == 0 ? 12 : 40))
            continue;
        if (good(c, "show", ct_show_graph(c->ctx, c->graph, c->tree, how->word, &text, &length)) &&
            strlen(text) != length)
            complain(c, "a zero in the text of show %s", how->word);
        if (strcmp(how->word, "json") == 0 && c->status == CT_OK)
            check_json(c, "graph", text);
        if (c->status != CT_OK)
            return; /* a mechanism that cannot be: its graph is not shown, and the errors stay */
    }
    good(c, "dump model", size <= 40 ? ct_dump_model(c->ctx, c->model, &text) : CT_OK);
    good(c, "check", ct_protect(c->ctx, check_graph, c));
}

static inline bool run_stages(chain *c)
{
    if (!good(c, "read", ct_read_text(c->ctx, "fuzz.lg", c->text, c->length, &c->syntax))) {
        if (c->status == CT_ERR_SYNTAX && c->build_broken) /* as the command line does */
            ct_build(c->ctx, c->syntax, NULL, &c->model);
        if (c->model)
            complain(c, "a model of a broken text");
        return false;
    }
    if (c->only_read)
        return false;
    return good(c, "build", ct_build(c->ctx, c->syntax, NULL, &c->model)) &&
           good(c, "graph", ct_make_graph(c->ctx, c->model, &c->graph)) &&
           good(c, "tree", ct_choose_tree(c->ctx, c->graph, NULL, &c->tree));
}

static inline void run_chain(chain *c);

/* The formatted text has the same syntax tree, and is built as well as the first one. */
static inline void check_format(chain *c)
{
    const char *formatted, *dump, *formatted_again, *dump_again;
    if (ct_format_text(c->ctx, c->syntax, &formatted) != CT_OK ||
        ct_dump_syntax(c->ctx, c->syntax, &dump) != CT_OK || c->syntax->broken || c->again)
        return;
    chain *second = calloc(1, sizeof *second);
    if (!second)
        abort();
    *second = (chain){.text = formatted, .length = strlen(formatted), .again = true};
    second->most_components = c->most_components;
    second->only_read = c->status != CT_OK;
    second->memory.ceiling = c->memory.ceiling;
    run_chain(second);
    if (second->wrong[0])
        complain(c, "formatted: %s", second->wrong);
    else if (second->status == CT_ERR_SYNTAX)
        complain(c, "the formatted text cannot be read: %s", ct_diag_at(second->ctx, 0)->message);
    else if (second->status != CT_OK)
        complain(c, "the formatted text ends with `%s`", ct_status_text(second->status));
    if (second->syntax && ct_format_text(second->ctx, second->syntax, &formatted_again) == CT_OK &&
        ct_dump_syntax(second->ctx, second->syntax, &dump_again) == CT_OK) {
        if (strcmp(dump, dump_again) != 0)
            complain(c, "another syntax tree after formatting:\n%.300s", formatted);
        else if (strcmp(formatted, formatted_again) != 0)
            complain(c, "formatting twice is not formatting once:\n%.300s", formatted);
    }
    ct_context_free(second->ctx);
    free(second);
}

/* Leaves the context to the caller, who frees it with end_chain(). */
static inline void run_chain(chain *c)
{
    ct_context_def def = ct_default_context_def();
    def.realloc = meter_realloc;
    def.realloc_user = &c->memory;
    def.loader = (ct_loader){used_text, keep_text, NULL};
    if (c->most_components)
        def.max_components = c->most_components;
    c->ctx = ct_context_new(&def);
    c->stage = 0;
    if (run_stages(c) && !c->again)
        show_all(c);
    ct_status status = c->status;
    check_diagnostics(c);
    c->status = status;
    if (c->syntax && !c->again)
        check_format(c);
}

static inline void end_chain(chain *c)
{
    ct_context_free(c->ctx);
    if (c->memory.blocks || c->memory.held)
        complain(c, "%zu blocks of %zu bytes leaked", c->memory.blocks, c->memory.held);
}

#endif
