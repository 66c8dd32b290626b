/* when.c - events: `when`, `every`, `pre`, what they assign.
 *
 * A block assigns all at once. In it the name of something that it assigns is the new value, and
 * pre(x) the one before; so each value is put in where another one names it, and what is left is
 * made of what was before.
 */
#include <string.h>

#include "model/element.h"

/* ---- discretes and pre() */

static uint64_t discrete_key(const scope *element, ct_name symbol)
{
    return ct_pair(element ? element->id : 0, symbol);
}

void ct_note_discrete(builder *b, const entry *e, ct_name symbol)
{
    ct_map_put(&b->discretes, discrete_key(e->hidden ? e->where->scope : NULL, symbol), 1);
}

ct_expr ct_component_discrete(builder *b, uint32_t component, uint32_t discrete)
{
    ct_name name = ct_own_discrete(ct_current(b), component, discrete);
    ct_map_put(&b->discretes, discrete_key(NULL, name), 1);
    return ct_expr_symbol(b->pool, name);
}

static bool is_discrete(builder *b, const where *w, ct_name symbol)
{
    return ct_map_get(&b->discretes, discrete_key(w->element ? w->scope : NULL, symbol));
}

static bool is_param(builder *b, const where *w, ct_name symbol)
{
    const entry *own = w->element ? ct_find_entry(b, w->scope, symbol) : NULL;
    return w->element ? own && own->kind == ENTRY_PARAM
                      : ct_map_get(&b->given, symbol) == ENTRY_PARAM + 1;
}

static shaped report_pre(builder *b, ct_place place, const char *why, const char *help)
{
    ct_report *r = ct_error(b->ctx, "E272", place, "%s", why);
    ct_help(r, "%s", help);
    ct_witness(r, "pre");
    return ct_broken_value();
}

/* Symbols of what was before; time and inputs have no memory. */
static ct_expr before(builder *b, const where *w, ct_expr e)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(b->pool, e, &symbol);
    ct_name *from = CT_NEW_ARRAY(b->scratch, ct_name, count + 1);
    ct_expr *to = CT_NEW_ARRAY(b->scratch, ct_expr, count + 1);
    uint32_t changed = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool input = !w->element && ct_map_get(&b->given, symbol[i]) == ENTRY_INPUT + 1;
        if (symbol[i] == b->name_t || input)
            return 0;
        if (is_param(b, w, symbol[i]))
            continue;
        ct_name pre = ct_pre_symbol(b->ctx, symbol[i]);
        ct_map_put(&b->pre_of, pre, symbol[i]);
        from[changed] = symbol[i];
        to[changed++] = ct_expr_symbol(b->pool, pre);
    }
    return changed ? ct_expr_substitute(b->pool, e, from, to, changed) : e;
}

shaped ct_lower_pre(builder *b, const where *w, ct_node call, ct_place place)
{
    ct_node argument = ct_at(w->s, call)->first;
    if (!w->in_event)
        return report_pre(b, place, "pre(x) has its place where an event assigns a value",
                          "write it to the right of `=` in `when` or `every`");
    if (!argument || ct_at(w->s, argument)->next)
        return report_pre(b, place, "pre(x) takes one value", "write pre(x)");
    shaped v = ct_lower(b, w, argument);
    if (ct_is_broken(v) || v.word)
        return ct_broken_value();
    cell *c;
    shaped out = ct_matrix_of(b, v.rows, v.cols, &c);
    for (uint32_t i = 0; i < v.rows * v.cols; i++) {
        c[i] = (cell){before(b, w, v.cell[i].expr), v.cell[i].dim};
        if (!c[i].expr)
            return report_pre(b, place, "pre(x) knows discretes and variables, no inputs or time",
                              "keep the value that you need in a discrete");
    }
    return out;
}

/* ---- targets */

typedef CT_VEC(ct_assignment) assignment_list;

static bool may_be_assigned(builder *b, const where *w, ct_expr e)
{
    if (ct_expr_kind_of(b->pool, e) != CT_EXPR_SYMBOL)
        return false;
    ct_name name = ct_expr_name(b->pool, e);
    if (is_discrete(b, w, name))
        return true;
    bool given = !w->element && ct_map_get(&b->given, name);
    return name != b->name_t && !given && !is_param(b, w, name);
}

static void report_target(builder *b, const where *w, ct_node path)
{
    const char *text = ct_written(b, w, path);
    ct_report *r =
        ct_error(b->ctx, "E270", ct_place_of(w->s, path), "`%s` cannot be assigned", text);
    ct_note(r, "an event gives new values to discretes, and to variables that are stored");
    ct_help(r, "declare what an event changes by `discrete`");
    ct_witness(r, text);
}

static bool add_assignment(builder *b, const where *w, ct_node path, shaped target, shaped value,
                           shaped written, ct_place place, assignment_list *list)
{
    const char *is = ct_written(b, w, path);
    if (target.rows != value.rows || target.cols != value.cols) {
        ct_error(b->ctx, "E240", place, "`%s` is %ux%u but its value is %ux%u", is, target.rows,
                 target.cols, value.rows, value.cols);
        return false;
    }
    for (uint32_t i = 0; i < target.rows * target.cols; i++) {
        if (!may_be_assigned(b, w, target.cell[i].expr)) {
            report_target(b, w, path);
            return false;
        }
        if (!ct_demand_place(b, value.cell[i], target.cell[i].dim, place, is))
            return false;
        ct_assignment a = {.target = target.cell[i].expr,
                           .value = value.cell[i].expr,
                           .written = ct_is_broken(written) ? 0 : written.cell[i].expr,
                           .place = place};
        CT_PUSH(b->arena, *list, a);
    }
    return true;
}

static bool is_stop(builder *b, const where *w, ct_node path)
{
    ct_name name;
    return ct_plain_name(w->s, ct_at(w->s, path)->first, &name) &&
           strcmp(ct_name_text(b->ctx, name), "stop") == 0 && !ct_find_entry(b, w->scope, name);
}

static bool read_stop(builder *b, const where *w, ct_node value, assignment_list *list)
{
    ct_place place = ct_place_of(w->s, value);
    if (ct_at(w->s, value)->kind != CT_NODE_STRING) {
        ct_report *r = ct_error(b->ctx, "E270", place, "`stop` takes a text: why the run ends");
        ct_help(r, "write stop = \"why\"");
        ct_witness(r, "stop");
        return false;
    }
    ct_assignment a = {.why = ct_name_text(b->ctx, ct_at(w->s, value)->name), .place = place};
    CT_PUSH(b->arena, *list, a);
    return true;
}

static bool read_assignment(builder *b, const where *w, ct_node n, bool clock,
                            assignment_list *list)
{
    ct_node path = ct_at(w->s, n)->first, expr = ct_at(w->s, path)->next;
    where inside = *w;
    if (is_stop(b, w, path))
        return read_stop(b, w, expr, list);
    shaped target = ct_read_start_path(b, w, path, UINT32_MAX);
    inside.in_event = true;
    shaped value = ct_lower(b, &inside, expr);
    if (ct_is_broken(target) || ct_is_broken(value))
        return false;
    if (target.word || value.word) {
        report_target(b, w, path);
        return false;
    }
    inside.at_tick = clock;
    shaped written = clock ? ct_lower_written(b, &inside, expr) : ct_broken_value();
    return add_assignment(b, w, path, target, value, written, ct_place_of(w->s, n), list);
}

/* ---- what names what is assigned beside it */

typedef struct block {
    builder *b;
    assignment_list list;
    ct_map index; /* target -> number + 1 */
    uint8_t *state;
    CT_VEC(uint32_t) stack;
} block;

static bool report_twice(block *k)
{
    builder *b = k->b;
    for (uint32_t i = 0; i < k->list.count; i++) {
        ct_expr target = k->list.at[i].target;
        if (!target)
            continue;
        ct_name name = ct_expr_name(b->pool, target);
        if (ct_map_get(&k->index, name)) {
            ct_report_twice(b, k->list.at[i].place, ct_name_text(b->ctx, name));
            return true;
        }
        ct_map_put(&k->index, name, i + 1);
    }
    return false;
}

static void report_circle(block *k, uint32_t first)
{
    builder *b = k->b;
    const ct_assignment *a = &k->list.at[first];
    const char *name = ct_name_text(b->ctx, ct_expr_name(b->pool, a->target));
    ct_report *r =
        ct_error(b->ctx, "E271", a->place, "the new value of `%s` leads back to itself", name);
    uint32_t at = k->stack.count;
    while (at && k->stack.at[at - 1] != first)
        at--;
    ct_witness(r, name);
    for (; at < k->stack.count; at++)
        if (k->state[k->stack.at[at]] == ENTRY_BUSY)
            ct_witness(
                r, ct_name_text(b->ctx, ct_expr_name(b->pool, k->list.at[k->stack.at[at]].target)));
    ct_note(r, "in an event the name of what it assigns is the new value");
    ct_help(r, "write pre(%s) for the value before", name);
}

/* Puts what it names on the stack; false after reporting. */
static bool push_named(block *k, uint32_t i)
{
    const ct_name *symbol;
    uint32_t count =
        k->list.at[i].target ? ct_expr_symbols(k->b->pool, k->list.at[i].value, &symbol) : 0;
    for (uint32_t s = 0; s < count; s++) {
        uint32_t other = ct_map_get(&k->index, symbol[s]);
        if (other && k->state[other - 1] == ENTRY_BUSY) {
            report_circle(k, other - 1);
            return false;
        }
        if (other && k->state[other - 1] == ENTRY_NEW)
            CT_PUSH(k->b->scratch, k->stack, other - 1);
    }
    return true;
}

static ct_expr with_others(block *k, ct_expr value, bool written)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(k->b->pool, value, &symbol), changed = 0;
    ct_name *from = CT_NEW_ARRAY(k->b->scratch, ct_name, count + 1);
    ct_expr *to = CT_NEW_ARRAY(k->b->scratch, ct_expr, count + 1);
    for (uint32_t s = 0; s < count; s++) {
        uint32_t other = ct_map_get(&k->index, symbol[s]);
        if (!other)
            continue;
        const ct_assignment *a = &k->list.at[other - 1];
        from[changed] = symbol[s];
        to[changed++] = written && a->written ? a->written : a->value;
    }
    return changed ? ct_expr_substitute(k->b->pool, value, from, to, changed) : value;
}

static void put_in(block *k, uint32_t i)
{
    ct_assignment *a = &k->list.at[i];
    if (!a->target)
        return;
    a->value = with_others(k, a->value, false);
    if (a->written)
        a->written = with_others(k, a->written, true);
}

static bool sort_out(block *k, uint32_t wanted)
{
    CT_PUSH(k->b->scratch, k->stack, wanted);
    while (k->stack.count) {
        uint32_t i = k->stack.at[k->stack.count - 1];
        if (k->state[i] == ENTRY_NEW) {
            k->state[i] = ENTRY_BUSY;
            if (!push_named(k, i))
                return false;
            continue;
        }
        k->stack.count--;
        if (k->state[i] == ENTRY_BUSY)
            put_in(k, i);
        k->state[i] = ENTRY_DONE;
    }
    return true;
}

/* Before the instant variables are what they are; of discretes others may be newer. */
static ct_expr forget_pre(builder *b, const where *w, ct_expr value)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(b->pool, value, &symbol), changed = 0;
    ct_name *from = CT_NEW_ARRAY(b->scratch, ct_name, count + 1);
    ct_expr *to = CT_NEW_ARRAY(b->scratch, ct_expr, count + 1);
    for (uint32_t s = 0; s < count; s++) {
        ct_name of = ct_map_get(&b->pre_of, symbol[s]);
        if (!of || is_discrete(b, w, of))
            continue;
        from[changed] = symbol[s];
        to[changed++] = ct_expr_symbol(b->pool, of);
    }
    return changed ? ct_expr_substitute(b->pool, value, from, to, changed) : value;
}

static bool make_block(builder *b, const where *w, block *k)
{
    ct_map_init(&k->index, b->scratch);
    k->state = CT_NEW_ARRAY(b->scratch, uint8_t, k->list.count + 1);
    bool good = !report_twice(k);
    for (uint32_t i = 0; i < k->list.count && good; i++)
        good = sort_out(k, i);
    for (uint32_t i = 0; i < k->list.count && good; i++)
        if (k->list.at[i].target) {
            ct_assignment *a = &k->list.at[i];
            a->value = forget_pre(b, w, a->value);
            a->written = a->written ? forget_pre(b, w, a->written) : 0;
        }
    return good;
}

/* ---- conditions and clocks */

static bool is_logic(const ct_pool *pool, ct_expr e)
{
    if (ct_expr_is_number(pool, e))
        return true;
    if (ct_expr_kind_of(pool, e) != CT_EXPR_CALL)
        return false;
    ct_op op = ct_expr_op(pool, e);
    return op == CT_OP_AND || op == CT_OP_OR || op == CT_OP_NOT ||
           (op >= CT_OP_LESS && op <= CT_OP_UNEQUAL);
}

static bool read_condition(builder *b, const where *w, ct_node n, ct_happening *h)
{
    cell c = ct_lower_scalar(b, w, n);
    h->condition = c.expr;
    if (c.expr && !is_logic(b->pool, c.expr))
        h->condition = ct_expr_call2(b->pool, CT_OP_UNEQUAL, c.expr, ct_expr_int(b->pool, 0));
    return c.expr != 0;
}

/* A time that is known before the run. */
static bool read_time(builder *b, const where *w, ct_node n, const char *is, ct_expr *value)
{
    ct_dim second = ct_dim_none();
    const ct_name *symbol;
    cell c = ct_lower_scalar(b, w, n);
    second.e[CT_SECOND] = 1;
    if (!c.expr || !ct_demand_place(b, c, ct_term_known(second), ct_place_of(w->s, n), is))
        return false;
    uint32_t count = ct_expr_symbols(b->pool, c.expr, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        if (is_param(b, w, symbol[i]))
            continue;
        ct_report *r = ct_error(b->ctx, "E215", ct_place_of(w->s, n),
                                "%s depends on `%s`, which changes during a run", is,
                                ct_name_text(b->ctx, symbol[i]));
        ct_help(r, "make it of params; what happens at other times is a `when`");
        ct_witness(r, ct_name_text(b->ctx, symbol[i]));
        return false;
    }
    *value = c.expr;
    return true;
}

static bool read_head(builder *b, const where *w, ct_node n, ct_happening *h)
{
    ct_node first = ct_at(w->s, n)->first, next = ct_at(w->s, first)->next;
    h->clock = ct_at(w->s, n)->kind == CT_NODE_EVERY;
    h->place = ct_place_of(w->s, first);
    h->label = ct_printf(b->ctx, "%s %s", h->clock ? "every" : "when", ct_written(b, w, first));
    if (!h->clock)
        return read_condition(b, w, first, h);
    if (!read_time(b, w, first, "the period of `every`", &h->condition))
        return false;
    return !next || ct_at(w->s, next)->kind == CT_NODE_ASSIGN ||
           read_time(b, w, next, "the offset of `every`", &h->offset);
}

/* `choice rule = sequential | newton | poisson` of the element. */
static ct_impact_rule rule_of(builder *b, const where *w)
{
    static const char *const words[] = {"sequential", "newton", "poisson"};
    const entry *e = w->element ? ct_find_entry(b, w->scope, ct_intern_text(b->ctx, "rule")) : NULL;
    for (int i = 0; e && e->kind == ENTRY_CHOICE && e->value.word && i < 3; i++)
        if (strcmp(words[i], ct_name_text(b->ctx, e->value.word)) == 0)
            return (ct_impact_rule)i;
    return CT_IMPACT_SEQUENTIAL;
}

void ct_resolve_happening(builder *b, const where *w, ct_node n)
{
    ct_happening h = {0};
    block k = {.b = b};
    bool good = read_head(b, w, n, &h);
    for (ct_node a = ct_at(w->s, n)->first; a; a = ct_at(w->s, a)->next)
        if (ct_at(w->s, a)->kind == CT_NODE_ASSIGN)
            good &= read_assignment(b, w, a, h.clock, &k.list);
    good = good && make_block(b, w, &k);
    h.assigned = k.list.at;
    h.assigned_count = k.list.count;
    h.rule = h.clock ? CT_IMPACT_SEQUENTIAL : rule_of(b, w);
    if (w->element && !good)
        ct_element_fail(w->element);
    else if (w->element)
        CT_PUSH(b->arena, w->element->happening, h);
    else if (good && !w->scope->trial)
        CT_PUSH(b->arena, b->happening, h);
}

/* ---- those of components */

/* A field by its waves, or the block of the library that has a past. */
bool ct_is_delay(const builder *b, const ct_element *e)
{
    if (e->lags)
        return true;
    const char *from = ct_source_get(b->ctx, e->place.source)->path;
    return strcmp(ct_name_text(b->ctx, e->name), "delay") == 0 && strncmp(from, "library", 7) == 0;
}

/* What was there before the start; parts of it may be given apart. */
static ct_expr first_of(builder *b, ct_expr symbol, ct_expr usual)
{
    bool given = false;
    for (uint32_t i = 0; i < b->first_wave.count; i++) {
        const ct_start *part = &b->first_wave.at[i];
        if (part->variable != symbol)
            continue;
        usual = given ? ct_expr_add(b->pool, usual, part->value) : part->value;
        given = true;
    }
    return usual;
}

static void record_discretes(builder *b, const ct_model *m, uint32_t component, const ct_element *e)
{
    for (uint32_t i = 0; i < e->discrete_count; i++) {
        const ct_element_named *d = &e->discrete[i];
        ct_name name = ct_own_discrete(m, component, i);
        ct_quantity q = {.name = name,
                         .kind = CT_DISCRETE,
                         .dim = d->dim,
                         .symbol = ct_expr_symbol(b->pool, name),
                         .lag = ct_is_delay(b, e),
                         .place = d->place,
                         .value_place = d->place};
        if (ct_expr_kind_of(b->pool, d->expr) != CT_EXPR_SYMBOL ||
            ct_expr_name(b->pool, d->expr) != d->name)
            q.value = first_of(b, q.symbol, ct_component_instance(m, component, d->expr));
        CT_PUSH(b->arena, b->quantity, q);
    }
}

/* With its inputs as they are written, which stand in for their values meanwhile. */
static ct_expr written_instance(builder *b, const ct_model *m, uint32_t component, ct_expr template)
{
    const ct_component *c = &m->component[component];
    uint32_t count = m->element[c->element]->slot_count;
    ct_expr *value = b->param_value.at + c->value;
    ct_expr *usual = CT_NEW_ARRAY(b->scratch, ct_expr, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        ct_expr written = ct_map_get(&b->written_inputs, c->value + i + 1);
        usual[i] = value[i];
        value[i] = ct_at_tick(b, written ? written : value[i]);
    }
    ct_expr e = ct_component_instance(m, component, template);
    for (uint32_t i = 0; i < count; i++)
        value[i] = usual[i];
    return e;
}

static void record_happening(builder *b, const ct_model *m, uint32_t component,
                             const ct_happening *from)
{
    ct_happening h = *from;
    h.owner = m->component[component].name;
    h.code = ct_controller_of(b, component);
    h.lag = h.clock && ct_is_delay(b, m->element[m->component[component].element]);
    h.label = ct_printf(b->ctx, "%s: %s", ct_name_text(b->ctx, h.owner), from->label);
    if (h.lag) {
        h.label = ct_printf(b->ctx, "%s: delay", ct_name_text(b->ctx, h.owner));
        h.place = m->component[component].place;
    }
    h.condition = ct_component_instance(m, component, from->condition);
    h.offset = from->offset ? ct_component_instance(m, component, from->offset) : 0;
    h.assigned = CT_NEW_ARRAY(b->arena, ct_assignment, h.assigned_count + 1);
    for (uint32_t i = 0; i < h.assigned_count; i++) {
        ct_assignment *a = &h.assigned[i];
        *a = from->assigned[i];
        a->target = a->target ? ct_component_instance(m, component, a->target) : 0;
        a->value = a->value ? ct_component_instance(m, component, a->value) : 0;
        a->written = a->written && !h.lag ? written_instance(b, m, component, a->written) : 0;
    }
    CT_PUSH(b->arena, b->happening, h);
}

void ct_instance_happenings(builder *b)
{
    const ct_model *m = ct_current(b);
    bool any = false;
    for (uint32_t i = 0; i < b->element.count; i++)
        any |= b->element.at[i]->discrete_count || b->element.at[i]->happening_count;
    for (uint32_t i = 0; any && i < m->component_count; i++) {
        const ct_element *e = m->element[m->component[i].element];
        if (e->broken)
            continue;
        record_discretes(b, m, i, e);
        for (uint32_t k = 0; k < e->happening_count; k++)
            record_happening(b, m, i, &e->happening[k]);
    }
}
