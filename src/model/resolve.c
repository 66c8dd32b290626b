/* resolve.c - statements about results: output, initial, guess, tree, simulate, plot; events. */
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "model/build.h"
#include "solve/problem.h"

/* ---- names of outputs */

/* A stretch of the source, runs of blanks as one. */
static void put_stretch(builder *b, const ct_syntax *s, uint32_t from, uint32_t to, ct_text *text)
{
    const char *source = ct_source_get(b->ctx, s->source)->text;
    for (const char *at = source + from; at < source + to; at++) {
        bool blank = *at == ' ' || *at == '\t' || *at == '\n' || *at == '\r';
        if (!blank)
            ct_put_char(text, *at);
        else if (text->length && text->at[text->length - 1] != ' ')
            ct_put_char(text, ' ');
    }
}

/* Writes from *done up to each hole below n, and its value in place of the braces. The expression
 * itself is never printed: what it stands for may be shared a thousandfold. */
static void put_holes(builder *b, const where *w, ct_node n, uint32_t *done, ct_text *text)
{
    const ct_syntax_node *node = ct_at(w->s, n);
    int64_t value;
    if (node->kind == CT_NODE_HOLE &&
        ct_lower_int(b, w, node->first, &value, "an index in a name")) {
        put_stretch(b, w->s, *done, node->at, text);
        ct_put_int(text, value);
        *done = node->at + node->length;
        return;
    }
    for (ct_node c = node->first; c; c = ct_at(w->s, c)->next)
        put_holes(b, w, c, done, text);
}

/* The expression as written, with holes filled. */
const char *ct_written(builder *b, const where *w, ct_node n)
{
    ct_text text = ct_text_new(b->arena);
    uint32_t done = ct_at(w->s, n)->at, end = done + ct_at(w->s, n)->length;
    put_holes(b, w, n, &done, &text);
    put_stretch(b, w->s, done, end, &text);
    return ct_text_string(&text);
}

/* `"omega_{n}"`: what stands in braces is an expression. */
static const char *fill_string(builder *b, const where *w, ct_node string)
{
    ct_text text = ct_text_new(b->arena);
    const char *at = ct_name_text(b->ctx, ct_at(w->s, string)->name);
    for (const char *open; (open = strchr(at, '{')); at++) {
        const char *close = strchr(open, '}');
        if (!close)
            break;
        ct_put_bytes(&text, at, (size_t)(open - at));
        at = close;
        uint32_t source = ct_source_add(b->ctx, ct_source_get(b->ctx, w->s->source)->path, open + 1,
                                        (size_t)(close - open) - 1);
        where inside = *w;
        inside.s = ct_parse_expression(b->ctx, source);
        int64_t value;
        if (inside.s->root &&
            ct_lower_int(b, &inside, inside.s->root, &value, "an index in a name"))
            ct_putf(&text, "%lld", (long long)value);
    }
    ct_put(&text, at);
    return ct_text_string(&text);
}

static const char *local_name(builder *b, const where *w, ct_node expr)
{
    ct_node alias = ct_at(w->s, expr)->next;
    if (!alias)
        return ct_written(b, w, expr);
    if (ct_at(w->s, alias)->kind == CT_NODE_STRING)
        return fill_string(b, w, alias);
    ct_name name = ct_expand_name(b, w, alias);
    return name ? ct_name_text(b->ctx, name) : "";
}

/* Inside of a subsystem X: `X.R.i` for R.i, `X.(R.i + 1)` for what is no path. */
static const char *output_name(builder *b, const where *w, ct_node expr)
{
    const char *name = local_name(b, w, expr);
    const char *owner = w->scope->prefix ? ct_name_text(b->ctx, w->scope->prefix) : NULL;
    bool whole = ct_at(w->s, expr)->next || ct_at(w->s, expr)->kind == CT_NODE_REF;
    if (!owner)
        return name;
    return ct_printf(b->ctx, whole ? "%s.%s" : "%s.(%s)", owner, name);
}

static const char *cell_label(builder *b, const char *name, shaped v, uint32_t i)
{
    if (v.rows * v.cols == 1)
        return name;
    if (v.cols == 1)
        return ct_printf(b->ctx, "%s[%u]", name, i + 1);
    return ct_printf(b->ctx, "%s[%u,%u]", name, i / v.cols + 1, i % v.cols + 1);
}

/* A model may show what one of its subsystems shows as well: that is one column. */
static void add_output(builder *b, const scope *s, ct_output o)
{
    ct_name name = ct_intern_text(b->ctx, o.name);
    uint64_t key = ct_pair(s->trial ? s->id : 0, name);
    uint32_t first = ct_map_get(&b->output_names, key);
    if (first && b->output_scope.at[first - 1] != s && b->output.at[first - 1].expr == o.expr)
        return;
    if (first) {
        ct_report_duplicate(b, name, o.place, b->output.at[first - 1].place);
        return;
    }
    if (b->output.count >= MOST_OUTPUTS)
        ct_stop_at_limit(b, o.place, "outputs", MOST_OUTPUTS);
    CT_PUSH(b->arena, b->output, o);
    CT_PUSH(b->scratch, b->output_scope, s);
    ct_map_put(&b->output_names, key, b->output.count);
}

static void resolve_output(builder *b, const where *w, ct_node n)
{
    for (ct_node item = ct_at(w->s, n)->first; item; item = ct_at(w->s, item)->next) {
        ct_node expr = ct_at(w->s, item)->first;
        shaped v = ct_lower(b, w, expr);
        if (ct_is_broken(v) || v.word)
            continue;
        const char *name = output_name(b, w, expr);
        for (uint32_t i = 0; i < v.rows * v.cols; i++) {
            ct_output o = {
                cell_label(b, name, v, i), v.cell[i].expr, {{0}}, ct_place_of(w->s, item)};
            ct_infer_resolve(b->infer, v.cell[i].dim, &o.dim);
            add_output(b, w->scope, o);
        }
    }
}

/* ---- initial values and guesses */

static void resolve_initial(builder *b, const where *w, ct_node n)
{
    bool guess = ct_at(w->s, n)->kind == CT_NODE_GUESS;
    if (!guess && ct_at(w->s, n)->op) {
        b->model->initial_equilibrium = true;
        return;
    }
    for (ct_node key = ct_at(w->s, n)->first; key; key = ct_at(w->s, key)->next)
        ct_add_start(b, w, key, ct_read_start_path(b, w, ct_at(w->s, key)->first, UINT32_MAX),
                     guess);
}

/* ---- wishes for the tree */

static void report_wish(builder *b, const where *w, ct_node path, ct_name name)
{
    const char *text = ct_name_text(b->ctx, name);
    ct_suggestion near = ct_suggest(text);
    ct_suggest_names(b, w->scope, false, true, &near);
    ct_report *r = ct_error(b->ctx, "E229", ct_place_of(w->s, path),
                            "`%s` is not a component: it has no edge", text);
    if (ct_find_node(b, w->scope, name) != NO_NODE)
        ct_help(r, "`%s` is a node: name a component that is connected to it", text);
    else if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    ct_witness(r, text);
}

static void report_edges(builder *b, const where *w, ct_node path, uint32_t component)
{
    const ct_element *e = ct_element_of(b, component);
    const char *name = ct_name_text(b->ctx, b->component.at[component].name);
    ct_report *r;
    if (e->edge_count == 1)
        r = ct_error(b->ctx, "E229", ct_place_of(w->s, path), "`%s` has no such edge", name);
    else
        r = ct_error(b->ctx, "E229", ct_place_of(w->s, path), "`%s` has %u edges: say which one",
                     name, e->edge_count);
    for (uint32_t i = 0; i < e->edge_count; i++)
        ct_witness(r, ct_name_text(b->ctx, ct_edge_name(ct_current(b), component, i)));
    if (e->edge_count)
        ct_help(r, "write `%s`", ct_name_text(b->ctx, ct_edge_name(ct_current(b), component, 0)));
}

/* The edge of a component that is meant: by name, or the only one (of the domain). */
static uint32_t wished_edge(builder *b, const where *w, ct_node rest, uint32_t component,
                            uint32_t domain)
{
    const ct_element *e = ct_element_of(b, component);
    uint32_t found = UINT32_MAX, count = 0;
    ct_name name = 0;
    if (rest && !ct_field_name(b, w, rest, &name))
        return UINT32_MAX;
    for (uint32_t i = 0; i < e->edge_count; i++) {
        if ((name && e->edge[i].name != name) ||
            (domain != CT_NO_DOMAIN && e->edge[i].domain != domain))
            continue;
        found = i;
        count++;
    }
    return count == 1 ? found : UINT32_MAX;
}

static bool has_domain(builder *b, uint32_t component, uint32_t domain)
{
    const ct_element *e = ct_element_of(b, component);
    for (uint32_t i = 0; i < e->edge_count; i++)
        if (e->edge[i].domain == domain)
            return true;
    return false;
}

static void report_wrong_domain(builder *b, const where *w, ct_node path, uint32_t component,
                                uint32_t domain)
{
    const ct_element *e = ct_element_of(b, component);
    const char *name = ct_name_text(b->ctx, b->component.at[component].name);
    ct_report *r = ct_error(b->ctx, "E229", ct_place_of(w->s, path), "`%s` has no %s edge", name,
                            ct_domain_row_at(domain)->name);
    if (e->edge_count)
        ct_help(r, "it is %s: name it behind `%s:`", ct_domain_row_at(e->edge[0].domain)->name,
                ct_domain_row_at(e->edge[0].domain)->name);
    ct_witness(r, name);
}

static void resolve_wish(builder *b, const where *w, ct_node path, uint32_t domain)
{
    ct_node rest = 0, ref = ct_at(w->s, path)->first;
    ct_name name = 0;
    const scope *s;
    thing *t =
        ct_at(w->s, ref)->kind == CT_NODE_REF ? ct_walk_path(b, w, ref, &s, &name, &rest) : NULL;
    if ((t && t->kind == THING_BROKEN) || (t && ct_wish_mechanical(b, w, path, t, rest, domain)))
        return;
    if (!t || t->kind != THING_COMPONENT) {
        if (name)
            report_wish(b, w, path, name);
        return;
    }
    uint32_t edge = wished_edge(b, w, rest, t->index, domain);
    if (edge == UINT32_MAX && !rest && domain != CT_NO_DOMAIN && !has_domain(b, t->index, domain))
        report_wrong_domain(b, w, path, t->index, domain);
    else if (edge == UINT32_MAX)
        report_edges(b, w, path, t->index);
    else
        CT_PUSH(b->arena, b->wish, (ct_wish){t->index, edge, ct_place_of(w->s, path)});
}

static void resolve_tree(builder *b, const where *w, ct_node n)
{
    for (ct_node part = ct_at(w->s, n)->first; part; part = ct_at(w->s, part)->next) {
        uint32_t domain = CT_NO_DOMAIN;
        ct_name name = ct_at(w->s, part)->name;
        if (name && !ct_find_domain(b, name, ct_place_of(w->s, part), "", &domain))
            continue;
        for (ct_node path = ct_at(w->s, part)->first; path; path = ct_at(w->s, path)->next)
            resolve_wish(b, w, path, domain);
    }
}

/* ---- simulate */

static const struct run_row {
    const char *name;
    size_t offset;
    bool seconds;
} run_rows[] = {
    {"stop", offsetof(ct_run_settings, stop), true},
    {"start", offsetof(ct_run_settings, start), true},
    {"tol", offsetof(ct_run_settings, tol), false},
    {"atol", offsetof(ct_run_settings, atol), false},
    {"points", offsetof(ct_run_settings, points), false},
    {"step", offsetof(ct_run_settings, step), true},
};

enum { RUN_STOP, RUN_START, RUN_ROWS = sizeof run_rows / sizeof *run_rows };

static ct_expr *run_value(builder *b, size_t row)
{
    return (ct_expr *)((char *)&b->model->run + run_rows[row].offset);
}

static void set_run(builder *b, const where *w, ct_node key, ct_node expr, size_t row)
{
    ct_dim second = ct_dim_none();
    ct_expr *value = run_value(b, row);
    second.e[CT_SECOND] = run_rows[row].seconds;
    if (*value && w->scope == b->top) {
        ct_report_twice(b, ct_place_of(w->s, key), run_rows[row].name);
        return;
    }
    cell c = ct_lower_scalar(b, w, expr);
    if (!c.expr || !ct_demand_equal(b, c.dim, ct_term_known(second), ct_place_of(w->s, expr),
                                    "the value", run_rows[row].name))
        return;
    *value = c.expr;
    b->run_place[row] = ct_place_of(w->s, expr);
}

static void report_run(builder *b, size_t row, const char *what, double least)
{
    ct_report *r = ct_error(b->ctx, "E228", b->run_place[row], "`%s` must be greater than %s",
                            run_rows[row].name, what);
    ct_note(r, "here it is %.10g, and %s is %.10g", ct_model_value(b->model, *run_value(b, row)),
            what, least);
    ct_witness(r, run_rows[row].name);
}

/* Settings of a run that make no sense: it would end before it begins, or in no step. */
void ct_check_run(builder *b)
{
    ct_expr start = *run_value(b, RUN_START);
    double from = start ? ct_model_value(b->model, start) : 0;
    for (size_t row = 0; row < RUN_ROWS; row++) {
        ct_expr given = row == RUN_START ? 0 : *run_value(b, row);
        double value = given ? ct_model_value(b->model, given) : NAN;
        double least = row == RUN_STOP ? from : 0;
        if (value <= least)
            report_run(b, row, row == RUN_STOP ? "`start`" : "zero", least);
    }
}

static void set_method(builder *b, const where *w, ct_node key, ct_node expr)
{
    ct_name name = 0;
    bool plain = ct_plain_name(w->s, expr, &name);
    const char *word = plain ? ct_name_text(b->ctx, name) : "", *near;
    uint32_t row;
    if (b->model->run.method && w->scope == b->top) {
        ct_report_twice(b, ct_place_of(w->s, key), "method");
        return;
    }
    b->model->run.method = name;
    if (ct_word_find(ct_methods, word, &row))
        return;
    ct_report *r = ct_error(b->ctx, "E228", ct_place_of(w->s, expr), "there is no such method");
    ct_note(r, "methods are %s", ct_word_list(b->ctx, ct_methods));
    if ((near = ct_word_near(ct_methods, word)))
        ct_help(r, "did you mean `%s`?", near);
    ct_witness(r, "method");
}

static void resolve_run_key(builder *b, const where *w, ct_node key)
{
    ct_node path = ct_at(w->s, key)->first, expr = ct_at(w->s, path)->next;
    ct_name name;
    if (!ct_plain_name(w->s, ct_at(w->s, path)->first, &name))
        return;
    const char *text = ct_name_text(b->ctx, name);
    ct_suggestion near = ct_suggest(text);
    for (size_t i = 0; i < sizeof run_rows / sizeof *run_rows; i++) {
        ct_suggest_try(&near, run_rows[i].name);
        if (strcmp(run_rows[i].name, text) == 0) {
            set_run(b, w, key, expr, i);
            return;
        }
    }
    if (strcmp(text, "method") == 0) {
        set_method(b, w, key, expr);
        return;
    }
    ct_report *r =
        ct_error(b->ctx, "E204", ct_place_of(w->s, key), "`simulate` has no setting `%s`", text);
    if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    else
        ct_help(r, "settings are stop, start, tol, atol, points, step, method");
    ct_witness(r, text);
}

/* ---- plot */

static void resolve_plot(builder *b, const where *w, ct_node n)
{
    ct_node title = ct_child(w->s, n, CT_NODE_STRING);
    b->figures++;
    for (ct_node c = ct_at(w->s, n)->first; c; c = ct_at(w->s, c)->next) {
        if (ct_at(w->s, c)->kind != CT_NODE_CURVE)
            continue;
        ct_node expr = ct_at(w->s, c)->first, over = ct_at(w->s, expr)->next;
        ct_plotted curve = {.label = ct_written(b, w, expr),
                            .over_label = over ? ct_written(b, w, over) : NULL,
                            .title = title ? ct_name_text(b->ctx, ct_at(w->s, title)->name) : NULL,
                            .figure = b->figures};
        if (ct_plot_space(b, w, expr, over, curve) || ct_plot_beam(b, w, expr, over, curve))
            continue;
        cell y = ct_lower_scalar(b, w, expr), x = over ? ct_lower_scalar(b, w, over) : (cell){0};
        if (!y.expr || (over && !x.expr))
            continue;
        curve.expr = y.expr, curve.over = x.expr;
        ct_infer_resolve(b->infer, y.dim, &curve.dim);
        CT_PUSH(b->arena, b->curve, curve);
    }
}

static void resolve_statement(builder *b, const where *w, ct_node n)
{
    switch ((int)ct_at(w->s, n)->kind) {
    case CT_NODE_OUTPUT:
        resolve_output(b, w, n);
        break;
    case CT_NODE_INITIAL:
    case CT_NODE_GUESS:
        resolve_initial(b, w, n);
        break;
    case CT_NODE_TREE:
        resolve_tree(b, w, n);
        break;
    case CT_NODE_SIMULATE:
        for (ct_node key = ct_at(w->s, n)->first; key; key = ct_at(w->s, key)->next)
            resolve_run_key(b, w, key);
        break;
    case CT_NODE_WHEN:
    case CT_NODE_EVERY:
        ct_resolve_happening(b, w, n);
        break;
    default:
        resolve_plot(b, w, n);
        break;
    }
}

const pass ct_resolve_pass = {
    resolve_statement,
    KIND_BIT(OUTPUT) | KIND_BIT(INITIAL) | KIND_BIT(GUESS) | KIND_BIT(TREE) | KIND_BIT(SIMULATE) |
        KIND_BIT(PLOT) | KIND_BIT(WHEN) | KIND_BIT(EVERY),
    false,
};
