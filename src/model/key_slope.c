/* key_slope.c - partial derivatives of what keys give.
 *
 * In an element `diff(E, m.x)` and the gradient of an energy are found once, in its text, where a
 * key E is a symbol. A component whose E depends on its own m.x needs the chain rule: its template
 * is made anew, with a symbol `diff(E, m.x)` in it, whose value is found when all is put in.
 */
#include "model/key_slope.h"

#include "model/element.h"
#include "model/energy.h"

/* ---- in the text of an element */

static bool differs(const element_scope *es, ct_name slot)
{
    for (uint32_t i = 0; i < es->differed.count; i++)
        if (es->differed.at[i] == slot)
            return true;
    return false;
}

static bool is_slot(const element_scope *es, ct_name symbol)
{
    for (uint32_t i = 0; i < es->slot_name.count; i++)
        if (es->slot_name.at[i] == symbol)
            return true;
    for (uint32_t i = 0; i < es->slope.count; i++)
        if (es->slope.at[i].name == symbol)
            return true;
    return false;
}

/* Params are listed when the text has been read, entries before. */
void ct_note_slots(builder *b, element_scope *es, ct_expr f)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(b->pool, f, &symbol);
    for (uint32_t i = 0; i < count; i++)
        if (!differs(es, symbol[i]))
            CT_PUSH(b->arena, es->differed, symbol[i]);
}

static ct_name slope_name(builder *b, ct_name of, ct_name by)
{
    return ct_intern_format(b->ctx, "diff(%s, %s)", ct_name_text(b->ctx, of),
                            ct_name_text(b->ctx, by));
}

static ct_name find_slope(const element_scope *es, ct_name of, ct_name by)
{
    for (uint32_t i = 0; i < es->slope.count; i++)
        if (es->slope.at[i].of == of && es->slope.at[i].by == by)
            return es->slope.at[i].name;
    return 0;
}

/* A slope depends on what its key depends on. */
static void add_second(builder *b, element_scope *es, ct_name slope, ct_name by)
{
    ct_name of = slope;
    for (uint32_t i = es->slope.count; i > 0; i--)
        if (es->slope.at[i - 1].name == of)
            of = es->slope.at[i - 1].of;
    if (of == slope || !find_slope(es, of, by) || find_slope(es, slope, by))
        return;
    CT_PUSH(b->arena, es->slope, ((ct_key_slope){slope, by, slope_name(b, slope, by)}));
}

bool ct_moves_by(builder *b, const element_scope *es, ct_expr f, ct_name x)
{
    for (uint32_t i = 0; i < es->slope.count; i++)
        if (es->slope.at[i].by == x && ct_expr_has(b->pool, f, es->slope.at[i].of))
            return true;
    return ct_expr_has(b->pool, f, x);
}

ct_expr ct_slope_by(builder *b, element_scope *es, ct_expr f, ct_name x)
{
    ct_pool *pool = b->pool;
    ct_expr sum = ct_expr_diff(pool, f, x);
    ct_note_slots(b, es, f);
    for (uint32_t i = 0, count = es->slope.count; i < count; i++)
        if (ct_expr_has(pool, f, es->slope.at[i].name))
            add_second(b, es, es->slope.at[i].name, x);
    for (uint32_t i = 0; i < es->slope.count && sum; i++) {
        const ct_key_slope s = es->slope.at[i];
        if (s.by != x || !ct_expr_has(pool, f, s.of))
            continue;
        ct_expr part = ct_expr_diff(pool, f, s.of);
        sum = part ? ct_expr_add(pool, sum, ct_expr_mul(pool, part, ct_expr_symbol(pool, s.name)))
                   : 0;
    }
    return sum;
}

/* ---- in a model */

/* Params by what defines them, as long as that names others. */
static ct_expr by_definitions(builder *b, ct_expr f)
{
    for (uint32_t i = b->entry.count; i > 0; i--) {
        const entry *e = b->entry.at[i - 1];
        bool defined = e->kind == ENTRY_PARAM && !e->hidden && e->state == ENTRY_DONE &&
                       !ct_is_broken(e->value) && !ct_is_broken(e->definition) &&
                       !e->definition.word;
        for (uint32_t k = 0; defined && k < e->value.rows * e->value.cols; k++) {
            ct_name symbol = ct_expr_name(b->pool, e->value.cell[k].expr);
            ct_expr value = e->definition.cell[k].expr;
            if (!ct_expr_is_number(b->pool, value) && ct_expr_has(b->pool, f, symbol)) {
                f = ct_expr_substitute(b->pool, f, &symbol, &value, 1);
                i = b->entry.count + 1; /* it may name one that was passed */
                break;
            }
        }
    }
    return f;
}

static void warn_zero(builder *b, ct_expr f, ct_name x, ct_place place)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(b->pool, f, &symbol), i = 0;
    while (i < count && ct_map_get(&b->given, symbol[i]))
        i++;
    if (i == count)
        return;
    const char *name = ct_name_text(b->ctx, x), *other = ct_name_text(b->ctx, symbol[i]);
    ct_report *r =
        ct_warning(b->ctx, "W650", place, "this is no function of `%s`: diff gives 0", name);
    ct_note(r,
            "a partial derivative is by a variable that is written in it, such as `%s`; another "
            "one may move together with it and is not the same",
            other);
    ct_witness(r, name);
}

ct_expr ct_slope_of(builder *b, const where *w, ct_expr f, ct_name x, ct_place place)
{
    if (w->element || w->caller)
        return ct_slope_by(b, w->element ? w->element : w->caller, f, x);
    if (ct_map_get(&b->given, x) == ENTRY_PARAM + 1) {
        ct_expr whole = by_definitions(b, f);
        f = ct_expr_has(b->pool, whole, x) ? whole : f;
    }
    if (!ct_expr_has(b->pool, f, x))
        warn_zero(b, f, x, place);
    return ct_expr_diff(b->pool, f, x);
}

void ct_publish_slopes(builder *b, element_scope *es)
{
    CT_VEC(ct_name) slot = {0};
    for (uint32_t i = 0; i < es->differed.count; i++)
        if (is_slot(es, es->differed.at[i]))
            CT_PUSH(b->arena, slot, es->differed.at[i]);
    es->out->differed = slot.at, es->out->differed_count = slot.count;
    es->out->slope = es->slope.at, es->out->slope_count = es->slope.count;
    es->out->from_energy = es->energy[CT_ENERGY] || es->energy[CT_COENERGY];
}

/* ---- of a component */

typedef struct reading {
    builder *b;
    const ct_model *m;
    const ct_element *e;
    uint32_t component;
    CT_VEC(ct_key_slope) slope;
    ct_name foreign; /* another variable that moves a key; 0: none */
    ct_name key;     /* which key that is */
} reading;

/* What the component itself calls the symbol; 0: it is none of its own. */
static ct_name own_name(const reading *r, ct_name symbol)
{
    ct_symbol s = ct_symbol_of(r->m->symbols, symbol);
    if (s.owner != r->component)
        return 0;
    if (s.kind == CT_SYMBOL_EDGE)
        return ct_template_variable(r->m, r->e, s.part, s.variable);
    return s.kind == CT_SYMBOL_OWN ? r->e->var[s.part].name : 0;
}

/* The component that keeps a node at the motion of a joint; its value. */
static ct_expr port_value(const ct_model *m, uint32_t node)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        const ct_component *c = &m->component[i];
        if (m->component_flag[i] & CT_COMPONENT_PORT && m->terminal_node[c->node + 1] == node)
            return m->param_value[c->value];
    }
    return 0;
}

static uint32_t node_of(const reading *r, uint32_t terminal)
{
    uint32_t first = r->m->component[r->component].node;
    return terminal == CT_GROUND_TERMINAL ? UINT32_MAX : r->m->terminal_node[first + terminal];
}

static bool is_datum(const reading *r, uint32_t node)
{
    return node == UINT32_MAX || r->m->node[node].datum;
}

/* Is the variable of this edge, whose one end is ground, the symbol, or turned round? 0: neither.
 */
static int same_as_edge(const reading *r, uint32_t edge, uint32_t row, ct_name symbol)
{
    const ct_element_edge *e = &r->e->edge[edge];
    uint32_t tail = node_of(r, e->tail), head = node_of(r, e->head);
    bool at_tail = is_datum(r, head);
    if (at_tail == is_datum(r, tail) || r->m->node[at_tail ? tail : head].width)
        return 0;
    uint32_t node = at_tail ? tail : head;
    const ct_domain_row *d = ct_domain_row_at(e->domain);
    ct_expr joint = d->variable[row].order < 0 ? port_value(r->m, node) : 0;
    bool same = joint && ct_expr_kind_of(r->m->pool, joint) == CT_EXPR_SYMBOL &&
                ct_expr_name(r->m->pool, joint) == symbol;
    if (!same && ct_node_variable(r->m, node, row) != symbol)
        return 0;
    return at_tail != d->across_head_minus_tail ? 1 : -1;
}

/* A key may name the node or the joint where it means the edge that lies on it. */
static ct_expr in_own_words(const reading *r, ct_expr value, ct_name symbol)
{
    for (uint32_t i = 0; i < r->e->edge_count; i++) {
        const ct_domain_row *d = ct_domain_row_at(r->e->edge[i].domain);
        for (uint32_t k = 0; k < CT_DOMAIN_VARIABLES && d->variable[k].name; k++) {
            int sign = d->variable[k].across ? same_as_edge(r, i, k, symbol) : 0;
            if (!sign)
                continue;
            ct_expr own = ct_expr_symbol(r->m->pool, ct_edge_variable(r->m, r->component, i, k));
            own = sign > 0 ? own : ct_expr_neg(r->m->pool, own);
            return ct_expr_substitute(r->m->pool, value, &symbol, &own, 1);
        }
    }
    return value;
}

static bool is_unknown(const ct_model *m, ct_name symbol)
{
    ct_symbol s = ct_symbol_of(m->symbols, symbol);
    return s.kind == CT_SYMBOL_EDGE || s.kind == CT_SYMBOL_NODE || s.kind == CT_SYMBOL_OWN ||
           s.kind == CT_SYMBOL_COORDINATE;
}

static void add_slope(reading *r, ct_name slot, ct_name own)
{
    for (uint32_t i = 0; i < r->slope.count; i++)
        if (r->slope.at[i].of == slot && r->slope.at[i].by == own)
            return;
    CT_PUSH(r->b->arena, r->slope, ((ct_key_slope){slot, own, slope_name(r->b, slot, own)}));
}

static void read_slot(reading *r, ct_name slot, ct_expr *value)
{
    const ct_name *list;
    uint32_t count = ct_expr_symbols(r->m->pool, *value, &list);
    ct_name *symbol = CT_NEW_ARRAY(r->b->scratch, ct_name, count + 1);
    for (uint32_t i = 0; i < count; i++)
        symbol[i] = list[i];
    for (uint32_t i = 0; i < count; i++)
        if (!own_name(r, symbol[i]))
            *value = in_own_words(r, *value, symbol[i]);
    count = ct_expr_symbols(r->m->pool, *value, &list);
    for (uint32_t i = 0; i < count; i++) {
        ct_name own = own_name(r, list[i]);
        if (own)
            add_slope(r, slot, own);
        else if (is_unknown(r->m, list[i]) && !r->foreign)
            r->foreign = list[i], r->key = slot;
    }
}

/* The position of its first mechanical edge, for advice; else any variable. */
static const char *some_variable(const reading *r)
{
    uint32_t edge = 0, row = 0;
    for (uint32_t i = 0; i < r->e->edge_count && !row; i++)
        for (uint32_t k = 2; k < CT_DOMAIN_VARIABLES && !row; k++)
            if (ct_domain_row_at(r->e->edge[i].domain)->variable[k].order < 0)
                edge = i, row = k;
    return ct_name_text(r->b->ctx, ct_edge_variable(r->m, r->component, edge, row));
}

static void warn_foreign(const reading *r)
{
    ct_context *ctx = r->b->ctx;
    const char *name = ct_name_text(ctx, r->m->component[r->component].name);
    const char *key = ct_name_text(ctx, r->key), *mover = ct_name_text(ctx, r->foreign);
    ct_report *w =
        ct_warning(ctx, "W651", r->m->component[r->component].place,
                   "%s of `%s` moves with %s, which is no variable of it", key, name, mover);
    ct_note(w,
            "a partial derivative takes it as given: what moves %s from outside gives and takes "
            "power that no equation counts",
            key);
    ct_help(w, "write %s with a variable of its own, such as `%s`", key, some_variable(r));
    ct_witness(w, name);
}

/* ---- slopes of slopes come last */

static ct_expr value_of(const ct_name *symbol, const ct_expr *value, uint32_t count, ct_name name)
{
    while (count && symbol[count - 1] != name)
        count--;
    return count ? value[count - 1] : 0;
}

ct_expr ct_slope_value(const ct_model *m, const ct_key_slope *s, const ct_name *symbol,
                       const ct_expr *value, uint32_t count)
{
    ct_expr f = value_of(symbol, value, count, s->of), x = value_of(symbol, value, count, s->by);
    return ct_expr_diff(m->pool, f, ct_expr_name(m->pool, x));
}

/* The symbol of the model for an own variable that stands in the value. */
static ct_name symbol_for(const reading *r, ct_expr value, ct_name own)
{
    const ct_name *symbol;
    uint32_t i = ct_expr_symbols(r->m->pool, value, &symbol) - 1;
    while (i && own_name(r, symbol[i]) != own)
        i--;
    return symbol[i];
}

static bool check_slope(const reading *r, const ct_key_slope *s, ct_expr value)
{
    builder *b = r->b;
    ct_name owner = r->m->component[r->component].name, x = symbol_for(r, value, s->by);
    ct_expr slope = ct_expr_diff(b->pool, value, x);
    const char *key = ct_name_text(b->ctx, s->of), *name = ct_name_text(b->ctx, owner);
    ct_expr both[2] = {value, slope};
    const char *kink =
        slope && r->e->from_energy ? ct_find_kink(b->pool, both, 2, &x, 1, b->scratch) : NULL;
    if (slope && !kink)
        return true;
    ct_report *w = kink ? ct_error(b->ctx, "E417", r->m->component[r->component].place,
                                   "the energy of `%s` cannot be differentiated everywhere: `%s` "
                                   "in its %s jumps in its slope",
                                   name, kink, key)
                        : ct_error(b->ctx, "E226", r->m->component[r->component].place,
                                   "%s of `%s` cannot be differentiated by `%s`", key, name,
                                   ct_name_text(b->ctx, x));
    ct_witness(w, name);
    return false;
}

void ct_settle_slopes(builder *b, uint32_t component, const where *w, ct_node node)
{
    reading r = {.b = b, .m = ct_current(b), .component = component};
    ct_component *c = &b->component.at[component];
    r.e = b->element.at[c->element];
    if (!r.e->differed_count || c->node == NO_NODE) /* its terminals are wrong */
        return;
    for (uint32_t s = 0; s < r.e->slot_count; s++) {
        ct_expr *value = &b->param_value.at[c->value + s];
        bool wanted = false;
        for (uint32_t i = 0; i < r.e->differed_count; i++)
            wanted |= r.e->differed[i] == r.e->slot_name[s];
        if (wanted && *value && !ct_expr_is_number(b->pool, *value))
            read_slot(&r, r.e->slot_name[s], value);
    }
    if (r.foreign && r.e->edge_count)
        warn_foreign(&r);
    for (uint32_t i = 0; i < r.slope.count; i++)
        for (uint32_t s = 0; s < r.e->slot_count; s++)
            if (r.e->slot_name[s] == r.slope.at[i].of &&
                !check_slope(&r, &r.slope.at[i], b->param_value.at[c->value + s]))
                return;
    if (r.slope.count)
        c->element = ct_sloped_element(b, r.e, r.slope.at, r.slope.count, w, node)->index;
}
