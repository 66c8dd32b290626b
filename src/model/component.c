/* component.c - keys of components, and reading their variables. */
#include <string.h>

#include "model/loop.h"
#include "model/key_slope.h"

const ct_element *ct_element_of(builder *b, uint32_t component)
{
    return b->element.at[b->component.at[component].element];
}

static shaped edge_variable(builder *b, uint32_t component, uint32_t edge, uint32_t row)
{
    const ct_element_edge *e = &ct_element_of(b, component)->edge[edge];
    cell *c;
    shaped v = ct_matrix_of(b, e->width, 1, &c);
    for (uint32_t i = 0; i < v.rows; i++) {
        ct_name name = ct_edge_variable(ct_current(b), component, edge + i, row);
        c[i] = (cell){ct_expr_symbol(b->pool, name), ct_term_known(b->dim[e->domain][row])};
    }
    return v;
}

static ct_expr own_symbol(builder *b, uint32_t component, uint32_t var)
{
    return ct_expr_symbol(b->pool, ct_own_variable(ct_current(b), component, var));
}

static bool has_keys(builder *b, const ct_element *e, ct_expr template)
{
    for (uint32_t s = 0; s < e->slot_count; s++)
        if (ct_expr_has(b->pool, template, e->slot_name[s]))
            return true;
    return false;
}

/* Its keys come first, or it takes their defaults; while they are found it depends on itself. */
static ct_expr own_signal(builder *b, uint32_t component, uint32_t signal)
{
    const ct_element *e = ct_element_of(b, component);
    if (b->component_state.at[component] == ENTRY_BUSY && has_keys(b, e, e->signal[signal].expr))
        return ct_loop_of_component(b, component, signal);
    ct_settle_component(b, component);
    e = ct_element_of(b, component);
    return ct_component_instance(ct_current(b), component, e->signal[signal].expr);
}

/* ---- dimensions of signal blocks: each use has its own */

/* An unknown of the element's text, as one of this component. */
static ct_dim_term open_unknown(builder *b, uint32_t component, ct_unknown u, ct_place place)
{
    ct_name name = ct_infer_name(b->infer, u) ? b->component.at[component].name : 0;
    uint64_t key = (uint64_t)component << 32 | u;
    ct_unknown own = ct_map_get(&b->open_dims, key);
    if (!own) {
        own = ct_infer_unknown(b->infer, name, place);
        ct_map_put(&b->open_dims, key, own);
    }
    return ct_term_unknown(b->infer, own);
}

static ct_dim_term open_dim(builder *b, uint32_t component, ct_dim_term open, ct_place place)
{
    ct_dim_term out = ct_term_known(open.known);
    if (!ct_element_of(b, component)->has_signal_port)
        return out;
    for (uint32_t i = 0; i < open.count; i++)
        out = ct_term_product(b->infer, out,
                              open_unknown(b, component, open.factor[i].unknown, place),
                              open.factor[i].power);
    return out;
}

/* An own unknown or signal of that name, a number or a vector; false: there is none. */
static bool read_named(builder *b, uint32_t component, const ct_element_named *list, uint32_t count,
                       ct_name name, ct_expr (*expr)(builder *b, uint32_t component, uint32_t i),
                       shaped *v)
{
    uint32_t i = 0;
    while (i < count && list[i].whole != name)
        i += list[i].rows * list[i].cols;
    if (i >= count)
        return false;
    cell *c;
    *v = ct_matrix_of(b, list[i].rows, list[i].cols, &c);
    for (uint32_t k = 0; k < v->rows * v->cols; k++)
        c[k] = (cell){expr(b, component, i + k),
                      open_dim(b, component, list[i + k].open, list[i + k].place)};
    return true;
}

/* ---- reading */

static shaped report_division(builder *b, uint32_t component, const ct_element_param *p,
                              ct_place place)
{
    const char *owner = ct_name_text(b->ctx, b->component.at[component].name);
    ct_report *r = ct_error(b->ctx, "E223", place, "the default of `%s.%s` divides by zero", owner,
                            ct_name_text(b->ctx, p->name));
    ct_witness(r, owner);
    return ct_broken_value();
}

static shaped read_key(builder *b, uint32_t component, const ct_element_param *p, ct_place place)
{
    if (b->component_state.at[component] == ENTRY_BUSY) {
        const char *name = ct_name_text(b->ctx, b->component.at[component].name);
        ct_report *r =
            ct_error(b->ctx, "E214", place, "the keys of `%s` lead back to themselves", name);
        ct_witness(r, name);
        return ct_broken_value();
    }
    ct_resolve_component(b, component);
    ct_dim_term dim = p->has_dim ? ct_term_known(p->dim)
                                 : ct_term_unknown(b->infer, ct_infer_unknown(b->infer, 0, place));
    const ct_expr *value = ct_component_params(ct_current(b), component) + p->slot;
    cell *c;
    shaped v = ct_matrix_of(b, p->rows, p->cols, &c);
    for (uint32_t i = 0; i < p->rows * p->cols; i++) {
        if (!value[i])
            return report_division(b, component, p, place);
        c[i] = (cell){value[i], dim};
    }
    return v;
}

static shaped report_variable(builder *b, uint32_t component, ct_name name, ct_place place)
{
    const ct_element *e = ct_element_of(b, component);
    const char *text = ct_name_text(b->ctx, name);
    const char *owner = ct_name_text(b->ctx, b->component.at[component].name);
    ct_suggestion near = ct_suggest(text);
    ct_text list = ct_text_new(b->ctx->base);
    for (uint32_t i = 0; i < e->edge_count; i++) {
        const ct_variable_row *row = ct_domain_row_at(e->edge[i].domain)->variable;
        for (int k = 0; k < CT_DOMAIN_VARIABLES && row[k].name; k++) {
            ct_suggest_try(&near, row[k].name);
            ct_putf(&list, "%s%s%s%s", list.length ? ", " : "",
                    e->edge_count > 1 ? ct_name_text(b->ctx, e->edge[i].name) : "",
                    e->edge_count > 1 ? "." : "", row[k].name);
        }
    }
    for (uint32_t i = 0; i < e->param_count; i++)
        ct_suggest_try(&near, ct_name_text(b->ctx, e->param[i].name));
    ct_report *r = ct_error(b->ctx, "E212", place, "`%s` has no variable `%s`", owner, text);
    const char *type = ct_name_text(b->ctx, e->name);
    ct_note(r, "%s %s has %s", ct_article(type), type, ct_text_string(&list));
    if (near.best)
        ct_help(r, "did you mean `%s.%s`?", owner, near.best);
    ct_witness(r, owner);
    return ct_broken_value();
}

static shaped report_ambiguous(builder *b, uint32_t component, ct_name name, ct_place place)
{
    const ct_element *e = ct_element_of(b, component);
    const char *owner = ct_name_text(b->ctx, b->component.at[component].name);
    ct_report *r = ct_error(b->ctx, "E213", place, "`%s` has several edges with a variable `%s`",
                            owner, ct_name_text(b->ctx, name));
    for (uint32_t i = 0; i < e->edge_count; i++)
        ct_witness(r, ct_name_text(b->ctx, ct_edge_name(ct_current(b), component, i)));
    ct_help(r, "name the edge, as in `%s.%s.%s`", owner, ct_name_text(b->ctx, e->edge[0].name),
            ct_name_text(b->ctx, name));
    return ct_broken_value();
}

/* The only edge with such a variable. */
static shaped read_any_edge(builder *b, uint32_t component, ct_name name, ct_place place)
{
    const ct_element *e = ct_element_of(b, component);
    uint32_t found = 0, edge = 0;
    int row = -1;
    for (uint32_t i = 0; i < e->edge_count; i += e->edge[i].width) {
        int k = ct_domain_variable(e->edge[i].domain, ct_name_text(b->ctx, name));
        if (k < 0)
            continue;
        if (found++ && e->is_field)
            continue; /* of a field: that of its begin */
        edge = i;
        row = k;
    }
    if (found == 0)
        return report_variable(b, component, name, place);
    return found > 1 && !e->is_field ? report_ambiguous(b, component, name, place)
                                     : edge_variable(b, component, edge, (uint32_t)row);
}

/* `C2.e.charge`: an own unknown that an energy asked for. */
static bool read_stored(builder *b, uint32_t component, uint32_t edge, ct_name name, shaped *v)
{
    const ct_element *e = ct_element_of(b, component);
    return read_named(b, component, e->var, e->var_count, ct_join_path(b, e->edge[edge].name, name),
                      own_symbol, v);
}

static shaped read_edge(builder *b, const where *w, uint32_t component, uint32_t edge,
                        ct_node field)
{
    ct_name name;
    if (!field || ct_at(w->s, field)->kind != CT_NODE_FIELD || !ct_field_name(b, w, field, &name)) {
        ct_error(b->ctx, "E212", ct_place_of(w->s, field),
                 "an edge is not a value: name one of its variables");
        return ct_broken_value();
    }
    const ct_element *e = ct_element_of(b, component);
    int row = ct_domain_variable(e->edge[edge].domain, ct_name_text(b->ctx, name));
    shaped stored;
    if (row < 0 && read_stored(b, component, edge, name, &stored))
        return ct_with_postfix(b, w, ct_at(w->s, field)->next, stored);
    if (row < 0)
        return report_variable(b, component, name, ct_place_of(w->s, field));
    return ct_with_postfix(b, w, ct_at(w->s, field)->next,
                           edge_variable(b, component, edge, (uint32_t)row));
}

static shaped read_single(builder *b, uint32_t component, ct_name name, ct_place place)
{
    const ct_element *e = ct_element_of(b, component);
    for (uint32_t i = 0; i < e->param_count; i++)
        if (e->param[i].name == name)
            return read_key(b, component, &e->param[i], place);
    shaped v;
    if (read_named(b, component, e->var, e->var_count, name, own_symbol, &v) ||
        read_named(b, component, e->signal, e->signal_count, name, own_signal, &v) ||
        read_named(b, component, e->discrete, e->discrete_count, name, ct_component_discrete, &v))
        return v;
    for (uint32_t i = 0; i < e->edge_count; i++)
        if (read_stored(b, component, i, name, &v))
            return v;
    return read_any_edge(b, component, name, place);
}

/* `R2.i`, `M1.e.i`, `f1.F` (a key hides a variable), `M.w` (own unknown), `F.stuck` (signal). */
shaped ct_read_component(builder *b, const where *w, uint32_t component, ct_node field)
{
    const ct_element *e = ct_element_of(b, component);
    ct_name name;
    if (!ct_field_name(b, w, field, &name))
        return ct_broken_value();
    ct_node next = ct_at(w->s, field)->next;
    bool more = next && ct_at(w->s, next)->kind == CT_NODE_FIELD;
    for (uint32_t i = 0; i < e->edge_count; i++)
        if (e->edge[i].whole == name && more)
            return read_edge(b, w, component, i, next);
    return ct_with_postfix(b, w, next, read_single(b, component, name, ct_place_of(w->s, field)));
}

static shaped report_node_variable(builder *b, const where *w, ct_node field,
                                   const ct_model_node *node)
{
    const char *name = ct_name_text(b->ctx, node->name);
    ct_report *r =
        ct_error(b->ctx, "E212", ct_place_of(w->s, field), "node `%s` has no such variable", name);
    if (node->domain == CT_NO_DOMAIN) {
        ct_note(r, "no element is connected to it, and it has no domain");
    } else {
        const ct_domain_row *d = ct_domain_row_at(node->domain);
        ct_note(r, "it is %s: a node has across variables only, here `%s.%s`", d->name, name,
                d->variable[0].name);
    }
    ct_witness(r, name);
    return ct_broken_value();
}

shaped ct_read_node(builder *b, const where *w, uint32_t node, ct_node field)
{
    ct_name name;
    if (!ct_field_name(b, w, field, &name))
        return ct_broken_value();
    const ct_model_node *n = &b->node.at[node];
    int row =
        n->domain != CT_NO_DOMAIN ? ct_domain_variable(n->domain, ct_name_text(b->ctx, name)) : -1;
    const ct_variable_row *variable = row < 0 ? NULL : &ct_domain_row_at(n->domain)->variable[row];
    if (!variable || !variable->across)
        return report_node_variable(b, w, field, n);
    cell *c;
    shaped value = ct_matrix_of(b, n->width ? n->width : 1, 1, &c);
    for (uint32_t i = 0; i < value.rows; i++) {
        ct_name symbol = ct_node_variable(ct_current(b), node + i, (uint32_t)row);
        c[i] = (cell){ct_expr_symbol(b->pool, symbol), ct_term_known(b->dim[n->domain][row])};
    }
    return ct_with_postfix(b, w, ct_at(w->s, field)->next, value);
}

/* ---- keys */

static const ct_element_param *find_param(const ct_element *e, ct_name name)
{
    for (uint32_t i = 0; i < e->param_count; i++)
        if (e->param[i].name == name && !e->param[i].is_signal)
            return &e->param[i];
    return NULL;
}

static void report_key(builder *b, const where *w, ct_node key, uint32_t component, ct_name name)
{
    const ct_element *e = ct_element_of(b, component);
    const char *text = ct_name_text(b->ctx, name), *type = ct_name_text(b->ctx, e->name);
    ct_suggestion near = ct_suggest(text);
    ct_text list = ct_text_new(b->ctx->base);
    for (uint32_t i = 0; i < e->param_count; i++) {
        ct_suggest_try(&near, ct_name_text(b->ctx, e->param[i].name));
        ct_putf(&list, "%s%s", i ? ", " : "", ct_name_text(b->ctx, e->param[i].name));
    }
    ct_report *r =
        ct_error(b->ctx, "E204", ct_place_of(w->s, key), "`%s` has no parameter `%s`", type, text);
    ct_note(r, "it has %s", e->param_count ? ct_text_string(&list) : "none");
    if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    ct_witness(r, ct_name_text(b->ctx, b->component.at[component].name));
}

static bool store_cells(builder *b, uint32_t component, const ct_element_param *p, shaped v,
                        ct_place place)
{
    const char *name = ct_name_text(b->ctx, p->name);
    bool row = v.cols == 1 && p->rows == 1 && v.rows == p->cols; /* [a, b] where a row belongs */
    if (v.word || (!row && (v.rows != p->rows || v.cols != p->cols))) {
        ct_error(b->ctx, "E240", place, "`%s` is %ux%u, not %ux%u", name, p->rows, p->cols, v.rows,
                 v.cols);
        return false;
    }
    for (uint32_t i = 0; i < v.rows * v.cols; i++) {
        bool asks = p->has_dim || (ct_element_of(b, component)->has_signal_port && !p->mixed);
        if (asks &&
            !ct_demand_place(b, v.cell[i], open_dim(b, component, p->open, place), place, name))
            return false;
        b->param_value.at[b->component.at[component].value + p->slot + i] = v.cell[i].expr;
    }
    return true;
}

/* A bare number needs no dimension check: it takes the one of its place. */
static bool store_bare_number(builder *b, const where *w, uint32_t component,
                              const ct_element_param *p, ct_node expr)
{
    const ct_syntax_node *n = ct_at(w->s, expr);
    if (n->kind != CT_NODE_NUMBER || n->first || b->def->strict_units || p->rows * p->cols != 1)
        return false;
    ct_expr e = ct_lower_decimal(b, w, expr);
    if (e)
        b->param_value.at[b->component.at[component].value + p->slot] = e;
    return e != 0;
}

void ct_report_twice(builder *b, ct_place place, const char *name)
{
    ct_witness(ct_error(b->ctx, "E205", place, "`%s` is given twice", name), name);
}

static void resolve_key(builder *b, const where *w, ct_node key, uint32_t component, definition *d)
{
    ct_node path = ct_at(w->s, key)->first, expr = ct_at(w->s, path)->next;
    ct_name name;
    if (ct_at(w->s, key)->op)
        return; /* an initial value: comes later */
    if (!ct_plain_name(w->s, ct_at(w->s, path)->first, &name)) {
        ct_report *r =
            ct_error(b->ctx, "E204", ct_place_of(w->s, path), "a key is the name of a parameter");
        ct_help(r, "for an initial value write (0) behind the variable");
        return;
    }
    const ct_element_param *p = find_param(ct_element_of(b, component), name);
    if (!p) {
        if (ct_controller_of(b, component) && ct_is_controller_word(b, name))
            return;
        bool accuracy =
            ct_element_of(b, component)->is_field && name == ct_intern_text(b->ctx, "accuracy");
        if (!accuracy && (!d || !ct_element_option(d, name)))
            report_key(b, w, key, component, name);
        return;
    }
    if (b->param_value.at[b->component.at[component].value + p->slot]) {
        ct_report_twice(b, ct_place_of(w->s, key), ct_name_text(b->ctx, name));
        return;
    }
    if (store_bare_number(b, w, component, p, expr))
        return;
    shaped v = ct_lower(b, w, expr);
    bool stored = !ct_is_broken(v) && store_cells(b, component, p, v, ct_place_of(w->s, expr));
    if (!stored) /* a symbol in its place: the message is given, the parameter is not missing */
        b->param_value.at[b->component.at[component].value + p->slot] =
            ct_expr_symbol(b->pool, name);
}

static bool demand_port(builder *b, uint32_t component, uint32_t slot, cell value, ct_place place)
{
    enum { MOST_FACTORS = 16 }; /* of a long chain of gains without units, which would never end */
    const ct_element *e = ct_element_of(b, component);
    uint32_t i = 0;
    if (ct_infer_free(b->infer, value.dim).count > MOST_FACTORS)
        return true;
    while (!e->param[i].is_signal || e->param[i].slot != slot)
        i++;
    return ct_demand_place(b, value, open_dim(b, component, e->param[i].open, place), place,
                           "this port");
}

/* Values of signal ports stand between the brackets. */
static void resolve_signal_ports(builder *b, const where *w, ct_node n, uint32_t component)
{
    const ct_element *e = ct_element_of(b, component);
    uint32_t at = 0;
    for (ct_node p = ct_at(w->s, n)->first; p; p = ct_at(w->s, p)->next) {
        if (ct_at(w->s, p)->kind != CT_NODE_PORTS)
            continue;
        for (ct_node t = ct_at(w->s, p)->first; t && at < e->terminal_count;
             t = ct_at(w->s, t)->next, at++) {
            if (e->terminal[at].domain != CT_SIGNAL_PORT)
                continue;
            cell c = ct_lower_scalar(b, w, t);
            if (c.expr && !demand_port(b, component, e->terminal[at].slot, c, ct_place_of(w->s, t)))
                c.expr = 0;
            uint32_t slot = b->component.at[component].value + e->terminal[at].slot;
            b->param_value.at[slot] =
                c.expr ? c.expr : ct_expr_symbol(b->pool, e->terminal[at].name);
            ct_keep_input_written(b, w, e, t, slot);
        }
    }
}

static void report_missing_keys(builder *b, uint32_t component)
{
    const ct_element *e = ct_element_of(b, component);
    const ct_component *c = &b->component.at[component];
    for (uint32_t i = 0; i < e->param_count; i++) {
        const ct_element_param *p = &e->param[i];
        if (ct_default_of(p, 0) || b->param_value.at[c->value + p->slot])
            continue;
        const char *name = ct_name_text(b->ctx, p->name), *owner = ct_name_text(b->ctx, c->name);
        ct_report *r =
            ct_error(b->ctx, "E206", c->place, "`%s` needs a value for `%s`", owner, name);
        if (p->doc)
            ct_note(r, "%s: %s", name, p->doc);
        ct_help(r, "add %s = ...; a `param` without value keeps it symbolic", name);
        ct_witness(r, owner);
    }
}

void ct_resolve_component(builder *b, uint32_t component)
{
    if (b->component_state.at[component] != ENTRY_NEW)
        return;
    b->component_state.at[component] = ENTRY_BUSY;
    const pending job = b->pending.at[component];
    const where here = b->where.at[job.where], *w = &here;
    definition *d = NULL;
    size_t errors = ct_errors_raised(b->ctx);
    const where along = ct_along_where(b, w, ct_element_of(b, component), ct_expr_int(b->pool, 0));
    for (ct_node key = ct_at(w->s, job.node)->first; key; key = ct_at(w->s, key)->next) {
        if (ct_at(w->s, key)->kind != CT_NODE_KEY)
            continue;
        if (!d)
            d = ct_find_definition(b, ct_element_of(b, component)->name);
        resolve_key(b, &along, key, component, d);
    }
    ct_resolve_taps(b, w, job.node, component);
    ct_resolve_along(b, w, job.node, component);
    if (ct_element_of(b, component)->has_signal_port)
        resolve_signal_ports(b, w, job.node, component);
    if (ct_errors_raised(b->ctx) == errors) /* else the missing one may just be misspelt */
        report_missing_keys(b, component);
    ct_settle_slopes(b, component, w, job.node);
    b->component_state.at[component] = ENTRY_DONE;
}

/* ---- initial values */

static cell rate_of(builder *b, cell c)
{
    ct_dim second = ct_dim_none();
    second.e[CT_SECOND] = 1;
    return (cell){ct_expr_call1(b->pool, CT_OP_DER, c.expr),
                  ct_term_product(b->infer, c.dim, ct_term_known(second), -1)};
}

shaped ct_der_of(builder *b, shaped v)
{
    return ct_is_broken(v) || v.word ? ct_broken_value() : ct_matrix_map(b, v, rate_of);
}

shaped ct_read_start_path(builder *b, const where *w, ct_node path, uint32_t component)
{
    ct_node inner = ct_at(w->s, path)->first;
    if (ct_at(w->s, inner)->kind == CT_NODE_DER)
        return ct_der_of(b, ct_read_start_path(b, w, ct_at(w->s, inner)->first, component));
    if (component == UINT32_MAX)
        return ct_lower(b, w, inner);
    ct_name name;
    ct_node rest;
    if (!ct_ref_name(b, w, inner, &name, &rest))
        return ct_broken_value();
    const ct_element *e = ct_element_of(b, component);
    for (uint32_t i = 0; i < e->edge_count; i++)
        if (e->edge[i].whole == name && rest && ct_at(w->s, rest)->kind == CT_NODE_FIELD)
            return read_edge(b, w, component, i, rest);
    shaped own;
    if (read_named(b, component, e->var, e->var_count, name, own_symbol, &own))
        return ct_with_postfix(b, w, rest, own);
    return ct_with_postfix(b, w, rest, read_any_edge(b, component, name, ct_place_of(w->s, inner)));
}

static const char *expr_text(builder *b, ct_expr e)
{
    ct_text text = ct_text_new(b->ctx->base);
    ct_expr_put(b->pool, &text, e);
    return ct_text_string(&text);
}

/* A variable or its derivative, once. */
static bool can_start(builder *b, ct_expr e, bool guess, ct_place place)
{
    ct_expr_kind kind = ct_expr_kind_of(b->pool, e);
    bool der = kind == CT_EXPR_CALL && ct_expr_op(b->pool, e) == CT_OP_DER;
    bool given = kind == CT_EXPR_SYMBOL && (ct_expr_name(b->pool, e) == b->name_t ||
                                            ct_map_get(&b->given, ct_expr_name(b->pool, e)));
    if ((kind != CT_EXPR_SYMBOL && !der) || given) {
        ct_report *r = ct_error(b->ctx, "E212", place, "only a variable can have an initial value");
        ct_note(r, "`%s` is none", expr_text(b, e));
        return false;
    }
    uint64_t at = ct_pair(guess, e);
    if (ct_map_get(&b->started, at)) {
        ct_report_twice(b, place, ct_printf(b->ctx, "%s(0)", expr_text(b, e)));
        return false;
    }
    ct_map_put(&b->started, at, 1);
    return true;
}

void ct_add_start(builder *b, const where *w, ct_node key, shaped variable, bool guess)
{
    ct_node path = ct_at(w->s, key)->first, expr = ct_at(w->s, path)->next;
    ct_place place = ct_place_of(w->s, key);
    shaped value = ct_lower(b, w, expr), own = ct_shape_as_given(b, variable, value.rows);
    if (ct_is_broken(own) || ct_is_broken(value))
        return;
    if (own.word || value.word || own.rows != value.rows || own.cols != value.cols) {
        ct_error(b->ctx, "E240", place, "the initial value does not fit its variable");
        return;
    }
    for (uint32_t i = 0; i < value.rows * value.cols; i++) {
        cell v = own.cell[i], x = value.cell[i];
        if (can_start(b, v.expr, guess, place) &&
            ct_demand_place(b, x, v.dim, place, "the variable"))
            CT_PUSH(b->arena, b->start, (ct_start){v.expr, x.expr, guess, place});
    }
}

/* `T(0) = 20`: the whole field begins so. */
static bool start_field(builder *b, const where *w, ct_node key, uint32_t component)
{
    const ct_element *e = ct_element_of(b, component);
    ct_node path = ct_at(w->s, key)->first;
    ct_name name;
    if (!e->is_field || !ct_plain_name(w->s, ct_at(w->s, path)->first, &name) ||
        (name != e->rest_name[0] && name != e->rest_name[1]))
        return false;
    uint32_t k = name == e->rest_name[1], domain = e->edge[0].domain;
    ct_place place = ct_place_of(w->s, key);
    cell c = ct_lower_scalar(b, w, ct_at(w->s, path)->next);
    if (!c.expr || !ct_demand_place(b, c, ct_term_known(b->dim[domain][k]), place, "the field"))
        return true;
    for (uint32_t i = 0; i < e->rest_count; i++) {
        const ct_field_rest *r = &e->rest[i];
        ct_expr variable = ct_component_instance(ct_current(b), component, r->variable);
        ct_expr share = ct_component_instance(ct_current(b), component, r->share[k]);
        ct_expr value = ct_expr_mul(b->pool, share, c.expr);
        if (e->lags)
            CT_PUSH(b->arena, b->first_wave, ((ct_start){variable, value, false, place}));
        else if (!ct_expr_is_zero(b->pool, r->share[k]) && can_start(b, variable, r->guess, place))
            CT_PUSH(b->arena, b->start, (ct_start){variable, value, r->guess, place});
    }
    return true;
}

static void resolve_starts(builder *b, uint32_t component)
{
    const pending job = b->pending.at[component];
    const where here = b->where.at[job.where], *w = &here;
    for (ct_node key = ct_at(w->s, job.node)->first; key; key = ct_at(w->s, key)->next)
        if (ct_at(w->s, key)->kind == CT_NODE_KEY && ct_at(w->s, key)->op &&
            !start_field(b, w, key, component))
            ct_add_start(b, w, key, ct_read_start_path(b, w, ct_at(w->s, key)->first, component),
                         false);
}

void ct_resolve_components(builder *b, uint32_t first)
{
    for (uint32_t i = first; i < b->component.count; i++)
        ct_stop_after_errors(b), ct_resolve_component(b, i);
    for (uint32_t i = first; i < b->pending.count; i++)
        if (b->component_state.at[i] != ENTRY_QUICK)
            resolve_starts(b, i);
}
