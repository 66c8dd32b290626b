/* element.c - an element's text becomes a template: terminals, edges, parameters, equations.
 *
 * The values inside of an element (params, consts, signals, own unknowns, choices) are entries of a
 * scope, exactly as those of a model; only paths differ: `e.v` is a variable of an edge.
 */
#include "model/field.h"

#include "model/law.h"
#include "model/key_slope.h"

#include <stdlib.h>

static const char *text_of(builder *b, ct_name name)
{
    return ct_name_text(b->ctx, name);
}

/* ---- equations */

static void add_law(builder *b, const where *w, ct_law law)
{
    law.under = w->element->under;
    law.way = w->element->way;
    CT_PUSH(b->arena, w->element->law, law);
}

static void add_equations(builder *b, const where *w, ct_node n, shaped left, shaped right)
{
    ct_place place = ct_place_of(w->s, n);
    for (uint32_t i = 0; i < left.rows * left.cols; i++) {
        if (!ct_demand_equal(b, left.cell[i].dim, right.cell[i].dim, place, "the left side",
                             "the right side"))
            ct_element_fail(w->element);
        add_law(b, w,
                (ct_law){.kind = CT_LAW_EQUATION,
                         .a = left.cell[i].expr,
                         .b = right.cell[i].expr,
                         .place = place});
    }
}

static void read_equation(builder *b, const where *w, ct_node n)
{
    ct_node first = ct_at(w->s, n)->first;
    shaped left = ct_lower_value(b, w, first),
           right = ct_lower_value(b, w, ct_at(w->s, first)->next);
    if (ct_is_broken(left) || ct_is_broken(right)) {
        ct_element_fail(w->element);
        return;
    }
    if (left.rows != right.rows || left.cols != right.cols) {
        ct_report *r =
            ct_error(b->ctx, "E240", ct_blamed(b, ct_place_of(w->s, n)),
                     "the sides are %ux%u and %ux%u", left.rows, left.cols, right.rows, right.cols);
        if (b->blame.length)
            ct_note_place(b, r, "in the equation of", ct_place_of(w->s, n));
        ct_element_fail(w->element);
        return;
    }
    add_equations(b, w, n, left, right);
}

/* What an impact makes of `a` is a discrete without a name that a text could have. */
static ct_expr own_rebound(builder *b, const where *w, ct_node n, cell a)
{
    element_scope *es = w->element;
    ct_name name = ct_intern_text(b->ctx, ct_printf(b->ctx, "rebound %u", (unsigned)es->law.count));
    ct_element_named d = ct_single_named(name, ct_expr_int(b->pool, 0), ct_place_of(w->s, n));
    ct_infer_resolve(b->infer, a.dim, &d.dim);
    CT_PUSH(b->arena, es->discrete, d);
    return ct_expr_symbol(b->pool, name);
}

static bool check_limits(builder *b, const where *w, ct_node n, const cell *part, uint32_t count,
                         bool slip)
{
    ct_place place = ct_place_of(w->s, n);
    bool good = slip || count < 3 ||
                ct_demand_place(b, part[2], ct_term_known(ct_dim_none()), place, "restitution");
    for (uint32_t i = 2; i < count && slip; i++)
        good &= ct_demand_equal(b, part[i].dim, part[1].dim, place, "the limit", "what it limits");
    return good;
}

/* `pair a, b, restitution, gap` and `slip a, b, limit, hold`: scalars. */
static void read_law(builder *b, const where *w, ct_node n)
{
    bool slip = ct_at(w->s, n)->kind == CT_NODE_SLIP;
    cell part[4] = {{0}};
    uint32_t count = 0;
    for (ct_node e = ct_at(w->s, n)->first; e && count < 4; e = ct_at(w->s, e)->next) {
        part[count] = ct_lower_scalar(b, w, e);
        if (!part[count++].expr) {
            ct_element_fail(w->element);
            return;
        }
    }
    if (!check_limits(b, w, n, part, count, slip))
        ct_element_fail(w->element);
    add_law(b, w,
            (ct_law){.kind = slip ? CT_LAW_SLIP : CT_LAW_PAIR,
                     .a = part[0].expr,
                     .b = part[1].expr,
                     .limit = part[2].expr,
                     .hold = slip        ? part[count > 3 ? 3 : 2].expr
                             : count > 2 ? own_rebound(b, w, n, part[0])
                                         : 0,
                     .gap = slip ? 0 : part[3].expr,
                     .place = ct_place_of(w->s, n)});
}

/* On vector nodes whose entries do not meet, once for each (vector.c). */
static void read_rows(builder *b, const where *w, ct_node n)
{
    element_scope *es = w->element;
    bool equation = ct_at(w->s, n)->kind == CT_NODE_EQUATION;
    for (es->entry = es->spread > 0; es->entry <= es->spread; es->entry++)
        (equation ? read_equation : read_law)(b, w, n);
    es->entry = 0;
}

static void refuse_item(builder *b, const where *w, ct_node n)
{
    ct_element_fail(w->element);
    if (w->s->broken)
        return; /* an `end` may be missing */
    ct_report *r =
        ct_error(b->ctx, "E404", ct_place_of(w->s, n), "this statement has no place in an element");
    ct_help(r,
            "an element has ports, edges, params and equations; a `system` is made of components");
}

static const pass equation_pass = {read_rows, KIND_BIT(EQUATION) | KIND_BIT(PAIR) | KIND_BIT(SLIP),
                                   false};

/* Each branch has laws of its own, as many equations as the other. */
void ct_read_branches(builder *b, const where *w, ct_node n, ct_expr condition)
{
    element_scope *es = w->element;
    uint32_t under = es->under, own = es->law.count + 1;
    uint8_t way = es->way;
    if (!condition) {
        ct_element_fail(es);
        return;
    }
    add_law(b, w, (ct_law){.kind = CT_LAW_IF, .a = condition, .place = ct_place_of(w->s, n)});
    ct_node yes = ct_at(w->s, ct_at(w->s, n)->first)->next, no = ct_at(w->s, yes)->next;
    es->under = own;
    es->way = CT_WAY_FIRST;
    ct_walk_statements(b, w, ct_at(w->s, yes)->first, &equation_pass);
    es->way = CT_WAY_SECOND;
    if (no && ct_at(w->s, no)->kind == CT_NODE_IF_STMT)
        ct_walk_one(b, w, no, &equation_pass);
    else if (no)
        ct_walk_statements(b, w, ct_at(w->s, no)->first, &equation_pass);
    es->under = under;
    es->way = way;
    uint32_t first = ct_law_rows(es->law.at, es->law.count, own, CT_WAY_FIRST);
    uint32_t second = ct_law_rows(es->law.at, es->law.count, own, CT_WAY_SECOND);
    if (first == second || es->out->broken)
        return;
    ct_element_fail(es);
    ct_report *r = ct_error(b->ctx, "E401", ct_place_of(w->s, n),
                            "the branches of `if` have %u and %u equations", first, second);
    ct_note(r, "which of them holds depends on more than constants: each is a mode of the element, "
               "with as many equations as the other");
    ct_help(r, "write as many equations behind `else`");
    ct_witness(r, text_of(b, es->out->name));
}

static const pass event_pass = {ct_resolve_happening, KIND_BIT(WHEN) | KIND_BIT(EVERY), false};
static const pass refuse_pass = {refuse_item,
                                 KIND_BIT(COMPONENT) | KIND_BIT(NODES) | KIND_BIT(GROUND) |
                                     KIND_BIT(TREE) | KIND_BIT(OUTPUT) | KIND_BIT(INITIAL) |
                                     KIND_BIT(GUESS) | KIND_BIT(SIMULATE) | KIND_BIT(PLOT) |
                                     KIND_BIT(SETTING) | KIND_BIT(SYSTEM) | KIND_BIT(ELEMENT) |
                                     KIND_BIT(USE) | KIND_BIT(MODEL) | KIND_BIT(FUNCTION),
                                 false};

/* ---- the template */

static const char *doc_of(builder *b, const entry *e)
{
    ct_node doc = e->decl ? ct_child(e->where->s, e->decl, CT_NODE_STRING) : 0;
    return doc ? text_of(b, ct_at(e->where->s, doc)->name) : NULL;
}

static const ct_expr *cells_of(builder *b, shaped v)
{
    ct_expr *cells = CT_NEW_ARRAY(b->arena, ct_expr, v.rows * v.cols);
    for (uint32_t i = 0; i < v.rows * v.cols; i++)
        cells[i] = v.cell[i].expr;
    return cells;
}

/* Does a default name anything? */
static bool is_computed(builder *b, shaped v)
{
    for (uint32_t i = 0; i < v.rows * v.cols; i++)
        if (!ct_expr_is_number(b->pool, v.cell[i].expr))
            return true;
    return false;
}

static void take_slots(builder *b, element_scope *es, const entry *e)
{
    shaped v = e->value;
    for (uint32_t i = 0; i < v.rows * v.cols; i++)
        CT_PUSH(b->arena, es->slot_name, ct_expr_name(b->pool, v.cell[i].expr));
    es->out->slot_count = es->slot_name.count;
    if (is_computed(b, e->definition))
        CT_PUSH(b->scratch, es->computed, (ranked){e->rank, es->param.count});
}

static void take_param(builder *b, element_scope *es, const entry *e)
{
    ct_element_param p = {.name = e->name,
                          .limit = e->limit,
                          .limit_count = e->limit_count,
                          .rows = e->value.rows,
                          .cols = e->value.cols,
                          .slot = es->out->slot_count,
                          .doc = doc_of(b, e),
                          .place = e->place,
                          .is_signal = !e->decl};
    p.has_dim = ct_infer_resolve(b->infer, e->value.cell->dim, &p.dim);
    p.open = ct_infer_free(b->infer, e->value.cell->dim);
    p.mixed = e->value.rows * e->value.cols > 1 && !p.has_dim;
    if (e->definition.rows == 1 && e->definition.cols == 1)
        p.fallback = e->definition.cell->expr;
    else if (e->definition.rows)
        p.cell_fallback = cells_of(b, e->definition);
    take_slots(b, es, e);
    es->out->limited |= e->limit_count > 0;
    if (p.is_signal) {
        es->terminal.at[ct_element_terminal(es, e->name)].slot = p.slot;
        es->out->has_signal_port = true;
    }
    CT_PUSH(b->arena, es->param, p);
}

/* Words that own unknowns of the library say their use by. */
static ct_own_use use_of(const builder *b, const ct_element *e, ct_name name)
{
    if (name == ct_intern_text(b->ctx, "itself"))
        return CT_OWN_ITSELF;
    return name == ct_intern_text(b->ctx, "age") && ct_is_delay(b, e) ? CT_OWN_AGE : CT_OWN_PLAIN;
}

static void take_named(builder *b, element_scope *es, const entry *e)
{
    uint32_t rows = e->value.rows, cols = e->value.cols;
    for (uint32_t i = 0; i < rows * cols; i++) {
        ct_element_named n = {.name = ct_cell_name(b, e->name, rows, cols, i),
                              .whole = e->name,
                              .rows = rows,
                              .cols = cols,
                              .part = i,
                              .expr = e->value.cell[i].expr,
                              .place = e->place};
        if (e->kind == ENTRY_VAR)
            n.use = use_of(b, es->out, n.name);
        ct_infer_resolve(b->infer, e->value.cell[i].dim, &n.dim);
        n.open = ct_infer_free(b->infer, e->value.cell[i].dim);
        if (e->kind == ENTRY_DISCRETE && e->definition.rows)
            n.expr = e->definition.cell[i].expr;
        if (e->kind == ENTRY_VAR)
            CT_PUSH(b->arena, es->var, n);
        else if (e->kind == ENTRY_DISCRETE)
            CT_PUSH(b->arena, es->discrete, n);
        else
            CT_PUSH(b->arena, es->signal, n);
    }
}

static void take_entries(builder *b, element_scope *es, uint32_t first, const scope *s)
{
    for (uint32_t i = first; i < b->entry.count; i++) {
        entry *e = b->entry.at[i];
        if (ct_find_entry(b, s, e->name) != e)
            continue;
        ct_resolve_entry(b, e);
        if (ct_is_broken(e->value))
            ct_element_fail(es);
        else if (e->kind == ENTRY_PARAM)
            take_param(b, es, e);
        else if (e->kind == ENTRY_VAR || e->kind == ENTRY_SIGNAL || e->kind == ENTRY_DISCRETE)
            take_named(b, es, e);
    }
}

static void check_counts(builder *b, element_scope *es)
{
    ct_element *out = es->out;
    uint32_t want = es->edge.count + es->var.count;
    uint32_t have = ct_law_rows(es->law.at, es->law.count, 0, CT_WAY_FIRST);
    if (out->broken || want == have)
        return;
    ct_element_fail(es);
    if (es->d->s->broken)
        return; /* one may be lost to a syntax error */
    if (have < want && ct_report_missed(b, es))
        return;
    ct_report *r =
        ct_error(b->ctx, "E401", out->place, "element `%s` has too %s equations: %u, not %u",
                 text_of(b, out->name), have < want ? "few" : "many", have, want);
    ct_note(r,
            "one for each edge (%u) and one for each own unknown `var` (%u); vector equations "
            "count by rows",
            es->edge.count, es->var.count);
    ct_witness(r, text_of(b, out->name));
}

/* `X.v` must mean one thing: no own unknown or signal with the name of an edge's variable. */
static void check_names(builder *b, element_scope *es, const ct_element_named *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < es->edge.count; k++) {
            const char *name = text_of(b, list[i].whole);
            if (ct_domain_variable(es->edge.at[k].domain, name) < 0)
                continue;
            ct_report *r =
                ct_error(b->ctx, "E405", list[i].place, "`%s` is a variable of edge `%s` already",
                         name, text_of(b, es->edge.at[k].whole));
            ct_help(r, "choose another name");
            ct_witness(r, name);
            ct_element_fail(es);
            break;
        }
    }
}

static void check_terminals(builder *b, element_scope *es)
{
    for (uint32_t i = 0; i < es->terminal.count && !es->out->broken; i++) {
        bool used = es->terminal.at[i].domain == CT_SIGNAL_PORT;
        for (uint32_t k = 0; k < es->edge.count; k++)
            used |= es->edge.at[k].tail == i || es->edge.at[k].head == i;
        if (used)
            continue;
        const char *name = text_of(b, es->terminal.at[i].name);
        ct_report *r =
            ct_error(b->ctx, "E402", es->out->place, "no edge of `%s` touches its terminal `%s`",
                     text_of(b, es->out->name), name);
        ct_help(r, "add an edge to it, or remove it from the port");
        ct_witness(r, name);
        ct_element_fail(es);
    }
}

static int by_rank(const void *a, const void *c)
{
    const ranked *x = a, *y = c;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static void publish_computed(builder *b, element_scope *es)
{
    uint32_t count = es->computed.count, *param = CT_NEW_ARRAY(b->arena, uint32_t, count + 1);
    if (count)
        qsort(es->computed.at, count, sizeof *es->computed.at, by_rank);
    for (uint32_t i = 0; i < count; i++)
        param[i] = es->computed.at[i].param;
    es->out->computed = param, es->out->computed_count = count;
    es->out->slot_name = es->slot_name.at;
}

typedef struct rate_search {
    ct_pool *pool;
    ct_name across;
    bool found;
} rate_search;

static void look_for_rate(void *user, ct_expr e)
{
    rate_search *s = user;
    if (ct_expr_kind_of(s->pool, e) == CT_EXPR_CALL && ct_expr_op(s->pool, e) == CT_OP_DER)
        s->found |= ct_expr_has(s->pool, ct_expr_operand(s->pool, e, 0), s->across);
}

/* One edge between two terminals whose law has the rate of its across variable: that is storage,
 * and its other end is nearly always ground. Mechanical storage has elements with one terminal. */
static bool stores_to_ground(builder *b, const element_scope *es)
{
    const ct_element_edge *e = es->edge.at;
    if (es->groups != 1 || es->terminal.count != 2 || es->edge.count != 1 || es->law.count != 1 ||
        e->tail != 0 || e->head != 1)
        return false;
    const ct_variable_row *v = ct_domain_row_at(e->domain)->variable;
    if (v[2].name) /* positions, too */
        return false;
    const char *name = ct_printf(b->ctx, "%s.%s", text_of(b, e->name), v[0].name);
    rate_search s = {.pool = b->pool, .across = ct_intern_text(b->ctx, name)};
    const ct_expr side[2] = {es->law.at[0].a, es->law.at[0].b};
    ct_expr_walk(b->pool, side, 2, look_for_rate, &s);
    return s.found;
}

/* Those of an element without modes are its laws; else one equation for all ways of each. */
static void publish_laws(builder *b, element_scope *es)
{
    ct_element *out = es->out;
    bool modal = false;
    for (uint32_t i = 0; i < es->law.count; i++)
        modal |= es->law.at[i].kind != CT_LAW_EQUATION;
    if (modal)
        out->law = es->law.at, out->law_count = es->law.count;
    ct_law_equations(b->ctx, b->arena, b->pool, es->law.at, es->law.count, NULL, &out->equation,
                     &out->equation_count);
}

static void publish(builder *b, element_scope *es)
{
    ct_element *out = es->out;
    publish_computed(b, es);
    publish_laws(b, es);
    out->terminal = es->terminal.at, out->terminal_count = es->terminal.count;
    out->edge = es->edge.at, out->edge_count = es->edge.count;
    out->param = es->param.at, out->param_count = es->param.count;
    out->var = es->var.at, out->var_count = es->var.count;
    out->signal = es->signal.at, out->signal_count = es->signal.count;
    out->discrete = es->discrete.at, out->discrete_count = es->discrete.count;
    out->happening = es->happening.at, out->happening_count = es->happening.count;
    out->group_count = es->groups;
    out->one_terminal =
        es->terminal.count && es->edge.count && es->terminal.count == es->terminal.at[0].width &&
        es->edge.count == es->edge.at[0].width && es->edge.at[0].tail == CT_GROUND_TERMINAL;
    out->grounded = stores_to_ground(b, es);
    ct_publish_slopes(b, es);
    out->index = b->element.count;
    CT_PUSH(b->arena, b->element, out);
}

static void bind_options(builder *b, element_scope *es, scope *s)
{
    ct_node key = es->component ? ct_at(es->outer->s, es->component)->first : 0, expr;
    ct_name name;
    for (; key; key = ct_at(es->outer->s, key)->next) {
        if (!ct_option_key(es->d, es->outer, key, &name, &expr) ||
            ct_option_kind(es->d, name) == CT_NODE_CHOICE)
            continue;
        entry *e = ct_find_entry(b, s, name)
                       ? NULL
                       : ct_add_entry(b, s, ENTRY_CONST, name, ct_place_of(es->outer->s, key));
        if (!e)
            continue;
        e->given_where = ct_share_where(b, es->outer);
        e->given = expr;
    }
}

const ct_element *ct_elaborate(builder *b, definition *d, const where *outer, ct_node component,
                               const variant *v)
{
    ct_node title = ct_child(d->s, d->node, CT_NODE_STRING),
            block = ct_child(d->s, d->node, CT_NODE_BLOCK);
    ct_node first = block ? ct_at(d->s, block)->first : 0;
    element_scope *es = CT_NEW(b->scratch, element_scope);
    *es = (element_scope){.d = d,
                          .out = CT_NEW(b->arena, ct_element),
                          .outer = outer,
                          .component = component,
                          .domains = v->domains,
                          .widths = v->widths,
                          .shape = v->shape,
                          .shape_count = v->shape_count,
                          .ends = v->ends};
    for (uint32_t i = 0; i < v->slope_count; i++)
        CT_PUSH(b->arena, es->slope, v->slope[i]);
    es->out->name = d->name;
    es->out->place = ct_place_of(d->s, d->node);
    es->out->help = title ? text_of(b, ct_at(d->s, title)->name) : NULL;
    scope *s = ct_new_scope(b, NULL, 0);
    s->element = true;
    uint32_t first_entry = b->entry.count;
    where inside = {.s = d->s, .scope = s, .element = es};
    bind_options(b, es, s);
    for (ct_node n = first; n; n = ct_at(d->s, n)->next) /* conditions around ports may read them */
        if (ct_at(d->s, n)->kind == CT_NODE_CONST)
            ct_declare_pass.visit(b, &inside, n);
    ct_walk_statements(b, &inside, first, &ct_structure_pass);
    es->spread = es->widths ? ct_spread_of(es) : 0;
    ct_walk_statements(b, &inside, first, &ct_declare_pass);
    ct_walk_statements(b, &inside, first, &ct_edge_pass);
    ct_walk_statements(b, &inside, first, &refuse_pass);
    ct_walk_statements(b, &inside, first, &equation_pass);
    ct_walk_statements(b, &inside, first, &ct_energy_pass);
    ct_make_field(b, &inside, first);
    ct_walk_statements(b, &inside, first, &event_pass);
    take_entries(b, es, first_entry, s);
    ct_along_like_keys(b, es);
    ct_derive_from_energy(b, es);
    check_counts(b, es);
    check_terminals(b, es);
    check_names(b, es, es->var.at, es->var.count);
    check_names(b, es, es->signal.at, es->signal.count);
    check_names(b, es, es->discrete.at, es->discrete.count);
    publish(b, es);
    return es->out;
}
