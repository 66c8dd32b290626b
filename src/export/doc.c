/* doc.c - prints the list of elements, and the page of one or of a function. */
#include "export/doc.h"

#include <string.h>

#include "base/suggest.h"
#include "graph/classify.h"
#include "graph/graph.h"
#include "model/builtin.h"
#include "model/library.h"
#include "model/model.h"

static const char *text_of(ct_context *ctx, ct_name name)
{
    return ct_name_text(ctx, name);
}

/* ---- the list */

static void put_title(ct_text *out, const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const char *name = slash ? slash + 1 : path;
    ct_putf(out, "%s%.*s\n", out->length ? "\n" : "", (int)(dot - name), name);
}

static void put_row(ct_context *ctx, const ct_syntax *s, ct_node n, ct_text *out)
{
    ct_node help = ct_child(s, n, CT_NODE_STRING);
    const char *name = text_of(ctx, ct_at(s, n)->name);
    ct_putf(out, "  %-22s %s\n", name, help ? text_of(ctx, ct_at(s, help)->name) : "");
}

void ct_doc_list(ct_context *ctx, ct_text *out)
{
    for (const ct_library_text *t = ct_library_texts; t->path; t++) {
        const ct_syntax *s = ct_parse(ctx, ct_source_refer(ctx, t->path, t->text, t->length));
        put_title(out, t->path);
        for (ct_node n = ct_at(s, s->root)->first; n; n = ct_at(s, n)->next)
            if (ct_at(s, n)->kind == CT_NODE_ELEMENT || ct_at(s, n)->kind == CT_NODE_SYSTEM)
                put_row(ctx, s, n, out);
    }
    ct_put(out, "\nmechanisms\n");
    for (uint32_t i = 0; i < CT_TYPES; i++)
        ct_putf(out, "  %-22s %s\n", ct_type_word(i), ct_type_help(i));
    ct_put(out, "\ncotree doc ELEMENT shows one of them, cotree doc CODE explains a message.\n");
}

/* ---- one element */

static void put_use(ct_context *ctx, const ct_element *e, ct_text *out)
{
    ct_putf(out, "    NAME : %s(", text_of(ctx, e->name));
    for (uint32_t i = 0; i < e->terminal_count; i++) {
        const ct_terminal *t = &e->terminal[i];
        bool same = i && t->group == t[-1].group;
        if (!t->frame || !same)
            ct_putf(out, "%s%s",
                    i == 0 ? ""
                    : same ? ", "
                           : " | ",
                    t->frame ? "frame, frame" : text_of(ctx, t->name));
    }
    ct_put(out, ")");
    for (uint32_t i = 0, shown = 0; i < e->param_count; i++)
        if (!e->param[i].is_signal && !ct_default_of(&e->param[i], 0))
            ct_putf(out, "%s %s = ...", shown++ ? "," : " ", text_of(ctx, e->param[i].name));
    if (e->grounded)
        ct_putf(out, "\n    NAME : %s(%s) ...   %s is then the ground", text_of(ctx, e->name),
                text_of(ctx, e->terminal[0].name), text_of(ctx, e->terminal[1].name));
    ct_put(out, "\n");
}

static void put_limits(ct_pool *pool, const ct_element_param *p, ct_text *out)
{
    static const char *const relation[] = {"<", "<=", ">", ">=", "==", "!="};
    for (uint32_t i = 0; i < p->limit_count; i++) {
        ct_putf(out, " %s ", relation[p->limit[i].relation]);
        ct_expr_put(pool, out, p->limit[i].bound);
    }
}

static void put_param(ct_context *ctx, ct_pool *pool, const ct_element_param *p, ct_text *out)
{
    ct_text head = ct_text_new(out->arena);
    ct_put(&head, text_of(ctx, p->name));
    if (p->has_dim && !ct_dim_is_one(p->dim)) {
        ct_put(&head, " : ");
        ct_dim_put(&head, p->dim);
    }
    put_limits(pool, p, &head);
    if (p->fallback) {
        ct_put(&head, " = ");
        ct_expr_put(pool, &head, p->fallback);
    }
    ct_putf(out, "    %-34s %s\n", ct_text_string(&head), p->doc ? p->doc : "");
}

static void put_variables(ct_context *ctx, const ct_element *e, ct_text *out)
{
    ct_put(out, "\nVariables\n");
    for (uint32_t i = 0; i < e->edge_count; i++) {
        const ct_domain_row *d = ct_domain_row_at(e->edge[i].domain);
        ct_put(out, "    ");
        for (int k = 0; k < CT_DOMAIN_VARIABLES && d->variable[k].name; k++)
            ct_putf(out, "%s%s.%s [%s]", k ? ", " : "", text_of(ctx, e->edge[i].name),
                    d->variable[k].name, d->variable[k].unit);
        ct_putf(out, "   (%s)\n", d->name);
    }
    for (uint32_t i = 0; i < e->var_count; i++)
        ct_putf(out, "    %s   (own unknown)\n", text_of(ctx, e->var[i].name));
    for (uint32_t i = 0; i < e->signal_count; i++)
        ct_putf(out, "    %s   (signal)\n", text_of(ctx, e->signal[i].name));
}

/* The class depends on parameters that are exactly zero; shown for all given symbolically. */
static void put_classes(ct_context *ctx, ct_pool *pool, const ct_element *e, ct_text *out)
{
    ct_expr *given = CT_NEW_ARRAY(out->arena, ct_expr, e->slot_count + 1);
    for (uint32_t i = 0; i < e->param_count; i++)
        for (uint32_t k = 0; k < e->param[i].rows * e->param[i].cols; k++)
            given[e->param[i].slot + k] = ct_expr_symbol(pool, e->param[i].name);
    ct_component c = {.name = e->name};
    const ct_element *const elements[] = {e};
    ct_model m = {.ctx = ctx,
                  .arena = out->arena,
                  .pool = pool,
                  .element = elements,
                  .element_count = 1,
                  .component = &c,
                  .component_count = 1,
                  .param_value = given};
    const ct_edge_classes *k = ct_classify(ct_classifier_new(&m, out->arena), 0);
    ct_put(out, "\nIn the tree\n");
    for (uint32_t i = 0; i < e->edge_count; i++)
        if (!k->tied[i])
            ct_putf(out, "    %s: %s\n", text_of(ctx, e->edge[i].name),
                    ct_tree_class_text((ct_tree_class)k->class[i]));
    if (k->tie == CT_TIE_ONE)
        ct_put(out, "    exactly one edge of the two-port is a branch\n");
    if (k->tie == CT_TIE_ALL)
        ct_put(out, "    all edges of the two-port are branches, or none\n");
}

static void put_equations(ct_pool *pool, const ct_element *e, ct_text *out)
{
    ct_put(out, "\nTerminal equations\n");
    for (uint32_t i = 0; i < e->equation_count; i++) {
        ct_put(out, "    ");
        ct_expr_put(pool, out, e->equation[i].left);
        ct_put(out, " = ");
        ct_expr_put(pool, out, e->equation[i].right);
        ct_put(out, "\n");
    }
}

static void put_text(ct_context *ctx, const char *name, ct_text *out)
{
    const char *block = ct_library_block(ctx, name);
    ct_put(out, "\nText of the library\n");
    for (const char *at = block; at && *at;) {
        size_t length = strcspn(at, "\n");
        ct_putf(out, "    %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

static void put_element(ct_context *ctx, ct_pool *pool, const ct_element *e, ct_text *out)
{
    ct_putf(out, "%s - %s\n\n", text_of(ctx, e->name), e->help ? e->help : "");
    put_use(ctx, e, out);
    if (e->param_count)
        ct_put(out, "\nParameters\n");
    for (uint32_t i = 0; i < e->param_count; i++)
        put_param(ctx, pool, &e->param[i], out);
    put_variables(ctx, e, out);
    put_classes(ctx, pool, e, out);
    put_equations(pool, e, out);
    if (e->source)
        ct_putf(out, "\nSource\n    %s\n", e->source);
    put_text(ctx, text_of(ctx, e->name), out);
}

/* ---- bodies and joints */

static void put_key(const ct_key_row *k, ct_text *out)
{
    ct_text head = ct_text_new(out->arena);
    ct_put(&head, k->word);
    if (k->unit && strcmp(k->unit, "rad") != 0)
        ct_putf(&head, " : %s", k->unit);
    if (k->limit)
        ct_putf(&head, " %s", k->limit);
    if (k->fallback && k->need != CT_NEED_TURN && k->need != CT_NEED_SLIDE)
        ct_putf(&head, " = %s", k->fallback);
    ct_putf(out, "    %-34s %s\n", ct_text_string(&head), k->help);
}

static void put_built_in(ct_context *ctx, uint32_t type, ct_text *out)
{
    bool any = false;
    ct_putf(out, "%s - %s\n\n    NAME : %s%s\n", ct_type_word(type), ct_type_help(type),
            ct_type_word(type), ct_type_use(type));
    for (uint32_t i = 0; i < CT_KEYS; i++) {
        bool driver = ct_key_rows[i].need == CT_NEED_TURN || ct_key_rows[i].need == CT_NEED_SLIDE;
        if (!ct_type_has(type, ct_key_rows[i].need) ||
            (driver && !ct_type_has(type, CT_NEED_DRIVE)))
            continue;
        ct_put(out, any ? "" : "\nKeys\n");
        put_key(&ct_key_rows[i], out);
        any = true;
    }
    ct_put(out, "\nVariables\n");
    for (uint32_t i = 0; i < CT_MOTION_ROWS; i++) {
        const ct_motion_row *m = &ct_motion_rows[i];
        if (ct_type_has(type, m->need))
            ct_putf(out, "    %-34s %s%s\n",
                    ct_printf(ctx, "%s [%s]", m->word, m->unit ? m->unit : "N.m or N"), m->help,
                    m->space == CT_IN_BOTH    ? ""
                    : m->space == CT_IN_PLANE ? " (plane)"
                                              : " (space)");
    }
}

/* ---- functions of the language */

static const char *dimension_text(ct_op_rule rule)
{
    static const char *const text[] = {
        [CT_RULE_ONE] = "arguments and result have no dimension; angles are in rad",
        [CT_RULE_SAME] = "arguments and result have the same dimension",
        [CT_RULE_RATIO] = "arguments have the same dimension, the result has none",
        [CT_RULE_ANY] = "the argument may have any dimension, the result has none",
        [CT_RULE_ROOT] = "the result has the root of the argument's dimension",
        [CT_RULE_RATE] = "the result has the argument's dimension per second",
        [CT_RULE_INTEGRAL] = "the result has the argument's dimension times second"};
    return text[rule];
}

static void put_function(const ct_function *f, ct_text *out)
{
    const char *differential = ct_op_differential(f->op);
    ct_putf(out, "%s - a function of the model language\n\n    %s(", f->word, f->word);
    for (uint32_t i = 0; i < f->least; i++)
        ct_putf(out, "%s%c", i ? ", " : "", (char)('a' + i));
    ct_putf(out, "%s)\n\n    %s\n", f->most > f->least ? ", ..." : "", dimension_text(f->rule));
    if (differential)
        ct_putf(out, "\nDifferential\n    %s\n", differential);
    ct_put(out, "\nAll functions: part \"Expressions\" of docs/language.md.\n");
}

/* Elements whose names have the word in them: `motor` is in dc_motor; NULL: none. */
static const char *names_with(ct_context *ctx, const char *word, const char *const *names,
                              uint32_t count)
{
    ct_text text = ct_text_new(ctx->base);
    for (uint32_t i = 0; i < count + CT_TYPES && strlen(word) > 2; i++) {
        const char *name = i < count ? names[i] : ct_type_word(i - count);
        if (strstr(name, word) && text.length < 100)
            ct_putf(&text, "%s%s", text.length ? "`, `" : "", name);
    }
    return text.length ? ct_text_string(&text) : NULL;
}

bool ct_doc_element(ct_context *ctx, const char *name, ct_text *out, const char **near)
{
    ct_pool *pool = ct_pool_new(ctx);
    const ct_element *e = ct_library_element(ctx, pool, name);
    uint32_t count, type;
    if (e) {
        put_element(ctx, pool, e, out);
        if (ct_type_find(name, &type)) { /* `screw`: a joint has the name, too */
            ct_put(out, "\n");
            put_built_in(ctx, type, out);
        }
        return true;
    }
    ct_function function;
    if (ct_library_block(ctx, name)) { /* a system: its text says all */
        ct_putf(out, "%s - a system of the library, used like an element\n", name);
        return put_text(ctx, name, out), true;
    }
    if (ct_type_find(name, &type))
        return put_built_in(ctx, type, out), true;
    if (ct_function_find(name, &function))
        return put_function(&function, out), true;
    const char *const *names = ct_library_names(ctx, &count);
    ct_suggestion suggestion = ct_suggest(name);
    for (uint32_t i = 0; i < CT_TYPES; i++)
        ct_suggest_try(&suggestion, ct_type_word(i));
    for (uint32_t i = 0; i < count; i++)
        ct_suggest_try(&suggestion, names[i]);
    const char *inside = names_with(ctx, name, names, count);
    *near = inside ? inside : suggestion.best;
    return false;
}
