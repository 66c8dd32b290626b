/* entry.c - what a declared value is: found when it is first read. */
#include "model/element.h"
#include "model/loop.h"

/* ---- what a definition names plainly */

/* A value, or the keys of a component. */
typedef struct task {
    entry *entry; /* NULL: a component */
    uint32_t component;
} task;

typedef CT_VEC(task) task_stack;

static bool names_field(const ct_syntax *s, const ct_syntax_node *ref)
{
    ct_node part = ref->first && !ref->name ? ct_at(s, ref->first)->next : ref->first;
    return part && ct_at(s, part)->kind == CT_NODE_FIELD;
}

static void push_name(builder *b, const where *w, const ct_syntax_node *node, bool all,
                      task_stack *stack)
{
    ct_name name = node->name ? node->name : ct_expand_name(b, w, node->first);
    bool path = names_field(w->s, node);
    entry *e = name && !path ? ct_find_entry(b, w->scope, name) : NULL;
    const thing *t = name && path && !all ? ct_find_thing(b, w->scope, name) : NULL;
    if (e && (all || e->state == ENTRY_NEW))
        CT_PUSH(b->scratch, *stack, (task){.entry = e});
    if (t && t->kind == THING_COMPONENT && b->component_state.at[t->index] == ENTRY_NEW)
        CT_PUSH(b->scratch, *stack, (task){.component = t->index});
}

static void push_names(builder *b, const where *w, ct_node n, bool all, task_stack *stack)
{
    const ct_syntax_node *node = ct_at(w->s, n);
    if (node->kind == CT_NODE_REF && w->scope)
        push_name(b, w, node, all, stack);
    for (ct_node c = node->first; c; c = ct_at(w->s, c)->next)
        push_names(b, w, c, all, stack);
}

static void push_definition(builder *b, entry *e, bool all, task_stack *stack)
{
    ct_node holder = e->decl ? ct_child(e->where->s, e->decl, CT_NODE_VALUE) : 0;
    if (e->given)
        push_names(b, e->given_where, e->given, all, stack);
    else if (holder)
        push_names(b, e->where, holder, all, stack);
}

/* ---- circles of definitions */

/* A shortest way from e back to itself, breadth first; each entry met remembers the one before. */
static void witness_circle(builder *b, entry *e, ct_report *r)
{
    task_stack queue = {0};
    CT_VEC(uint32_t) from = {0};
    ct_map seen;
    ct_map_init(&seen, b->scratch);
    CT_PUSH(b->scratch, queue, (task){.entry = e});
    CT_PUSH(b->scratch, from, 0);
    ct_witness(r, ct_name_text(b->ctx, e->full));
    for (uint32_t i = 0; i < queue.count; i++) {
        uint32_t known = queue.count;
        if (i && queue.at[i].entry == e) {
            for (uint32_t k = from.at[i]; k; k = from.at[k])
                ct_witness(r, ct_name_text(b->ctx, queue.at[k].entry->full));
            return;
        }
        if (ct_map_get(&seen, (uintptr_t)queue.at[i].entry))
            continue;
        ct_map_put(&seen, (uintptr_t)queue.at[i].entry, 1);
        push_definition(b, queue.at[i].entry, true, &queue);
        for (uint32_t k = known; k < queue.count; k++)
            CT_PUSH(b->scratch, from, i);
    }
}

static shaped report_circle(builder *b, entry *e, ct_place place)
{
    const char *name = ct_name_text(b->ctx, e->full);
    ct_report *r =
        ct_error(b->ctx, "E214", place, "the definition of `%s` leads back to itself", name);
    witness_circle(b, e, r);
    ct_help(r, "give one of them a value that does not depend on the others");
    return ct_broken_value();
}

/* ---- dimension and shape of a declaration */

enum { LARGEST_SIZE = 10000, MOST_CELLS = 1000000 };

static ct_dim_term declared_dim(builder *b, entry *e)
{
    ct_node unit_node = e->decl ? ct_child(e->where->s, e->decl, CT_NODE_UNIT) : 0;
    const ct_unit *unit = unit_node ? ct_known_unit(b, e->where->s, unit_node) : NULL;
    if (unit)
        return ct_term_known(unit->dim);
    return ct_term_unknown(b->infer, ct_infer_unknown(b->infer, e->full, e->place));
}

static bool read_size(builder *b, const where *w, ct_node n, uint32_t *size)
{
    int64_t value;
    if (!ct_lower_int(b, w, n, &value, "the size of a vector"))
        return false;
    if (value >= 1 && value <= LARGEST_SIZE) {
        *size = (uint32_t)value;
        return true;
    }
    ct_error(b->ctx, "E240", ct_place_of(w->s, n), "a size must lie between 1 and %d",
             LARGEST_SIZE);
    return false;
}

/* A key of a component on vector nodes may be a vector or matrix; an own unknown has one cell for
 * each entry. */
static bool vector_shape(const entry *e, uint32_t *rows, uint32_t *cols)
{
    const element_scope *es = e->where->element;
    if (!es || !es->widths)
        return false;
    const key_shape *k = e->kind == ENTRY_PARAM ? ct_key_shape(es, e->name) : NULL;
    bool own = e->kind == ENTRY_VAR && es->spread;
    *rows = k ? k->rows : es->spread;
    *cols = k ? k->cols : 1;
    return k || own;
}

static bool declared_shape(builder *b, entry *e, uint32_t *rows, uint32_t *cols)
{
    ct_node shape = e->decl ? ct_child(e->where->s, e->decl, CT_NODE_SHAPE) : 0;
    if (vector_shape(e, rows, cols)) {
        const key_shape *k =
            e->kind == ENTRY_PARAM ? ct_key_shape(e->where->element, e->name) : NULL;
        return !k || shape || ct_shape_fits(b, e->where->element, k);
    }
    ct_node first = shape ? ct_at(e->where->s, shape)->first : 0;
    *rows = *cols = 0;
    if (!first)
        return true;
    ct_node second = ct_at(e->where->s, first)->next;
    *cols = 1;
    if (!read_size(b, e->where, first, rows) || (second && !read_size(b, e->where, second, cols)))
        return false;
    b->cells += (uint64_t)*rows * *cols;
    if (b->cells > MOST_CELLS)
        ct_stop_at_limit(b, e->place, "entries of vectors and matrices", MOST_CELLS);
    return true;
}

/* ---- the definition itself */

/* The last one counts. */
static const ct_override *find_override(builder *b, const entry *e)
{
    bool open = !e->hidden && e->kind != ENTRY_SIGNAL;
    for (uint32_t i = b->def->override_count; open && i > 0; i--)
        if (ct_intern_text(b->ctx, b->def->override[i - 1].name) == e->full)
            return &b->def->override[i - 1];
    return NULL;
}

static shaped lower_override(builder *b, const ct_override *o)
{
    const char *path = ct_printf(b->ctx, "--set %s", o->name);
    uint32_t length = 0;
    while (o->expr[length])
        length++;
    const ct_syntax *s = ct_parse_expression(b->ctx, ct_source_add(b->ctx, path, o->expr, length));
    where w = {.s = s, .scope = b->top};
    return s->root ? ct_lower(b, &w, s->root) : ct_broken_value();
}

/* Value by which the name is defined: from outside, or as declared. False: it has none. */
static bool lower_definition(builder *b, entry *e, shaped *value, ct_place *place)
{
    const ct_override *o = b->def->override_count ? find_override(b, e) : NULL;
    ct_node holder = e->decl ? ct_child(e->where->s, e->decl, CT_NODE_VALUE) : 0;
    ct_node expr = holder ? ct_at(e->where->s, holder)->first : 0;
    if (o) {
        *place = e->place;
        *value = lower_override(b, o);
    } else if (e->given) {
        *place = ct_place_of(e->given_where->s, e->given);
        *value = ct_lower(b, e->given_where, e->given);
    } else if (expr) {
        *place = ct_place_of(e->where->s, expr);
        *value = ct_lower(b, e->where, expr);
    } else {
        return false;
    }
    return true;
}

/* A bare number needs no inference: it takes the dimension that is declared. False: it is none. */
static bool lower_bare_number(builder *b, const entry *e, ct_dim_term dim, shaped *value,
                              ct_place *place)
{
    const where *w = e->given ? e->given_where : e->where;
    ct_node holder = e->given || !e->decl ? 0 : ct_child(w->s, e->decl, CT_NODE_VALUE);
    ct_node at = e->given ? e->given : holder ? ct_at(w->s, holder)->first : 0;
    if (!at || dim.count || b->def->override_count || b->def->strict_units || b->written ||
        ct_at(w->s, at)->kind != CT_NODE_NUMBER || ct_at(w->s, at)->first)
        return false;
    ct_expr number = ct_decimal(b, ct_at(w->s, at)->name);
    if (number)
        *value = ct_scalar(b, number, dim);
    *place = ct_place_of(w->s, at);
    return number != 0;
}

/* `den[3]`: a shape without unit, whose entries have dimensions of their own. */
static bool is_mixed(const entry *e)
{
    return e->decl && ct_child(e->where->s, e->decl, CT_NODE_SHAPE) &&
           !ct_child(e->where->s, e->decl, CT_NODE_UNIT);
}

/* A signal of an element on vector nodes has one cell for each entry. */
static bool lower_spread(builder *b, entry *e, shaped *value, ct_place *place)
{
    element_scope *es = e->where->element;
    uint32_t reading = es->entry;
    cell *c;
    shaped all = ct_matrix_of(b, es->spread, 1, &c);
    bool defined = true, good = true;
    for (es->entry = 1; es->entry <= es->spread && defined && good; es->entry++) {
        defined = lower_definition(b, e, value, place);
        good = !ct_is_broken(*value) && value->rows * value->cols == 1;
        if (defined && good)
            c[es->entry - 1] = value->cell[0];
    }
    es->entry = reading;
    if (defined && good)
        *value = all;
    return defined;
}

static bool check_cells(builder *b, shaped v, ct_dim_term dim, ct_place place, const entry *e)
{
    const char *is = ct_name_text(b->ctx, e->full);
    if (is_mixed(e))
        return true;
    for (uint32_t i = 0; i < v.rows * v.cols; i++)
        if (!ct_demand_place(b, v.cell[i], dim, place, is))
            return false;
    return true;
}

static bool check_definition(builder *b, entry *e, shaped v, ct_dim_term dim, ct_place place)
{
    if (v.word) {
        ct_error(b->ctx, "E210", place, "`%s` is not a value", ct_name_text(b->ctx, v.word));
        return false;
    }
    return check_cells(b, v, dim, place, e);
}

/* ---- what reading gives, by kind */

ct_name ct_cell_name(builder *b, ct_name name, uint32_t rows, uint32_t cols, uint32_t i)
{
    if (rows == 1 && cols == 1)
        return name;
    if (cols == 1)
        return ct_entry_symbol(b->model->symbols, name, i + 1);
    return ct_intern_format(b->ctx, "%s[%u,%u]", ct_name_text(b->ctx, name), i / cols + 1,
                            i % cols + 1);
}

ct_name ct_own_entry(builder *b, ct_name owner, const char *word, uint32_t i)
{
    return ct_owned_symbol(b->model->symbols, owner, (ct_member){word, i + 1});
}

/* A param has one value for a whole run: it is made of other params. So is the start of a discrete.
 */
static bool is_settled_early(builder *b, const entry *e, shaped value, ct_place place)
{
    for (uint32_t i = 0; i < value.rows * value.cols; i++) {
        const ct_name *symbol;
        uint32_t count = ct_expr_symbols(b->pool, value.cell[i].expr, &symbol);
        for (uint32_t k = 0; k < count; k++) {
            if (ct_map_get(&b->given, symbol[k]) == ENTRY_PARAM + 1)
                continue;
            const char *name = ct_name_text(b->ctx, e->full);
            bool discrete = e->kind == ENTRY_DISCRETE;
            ct_report *r = ct_error(
                b->ctx, "E215", place, "%s `%s` depends on `%s`, which changes during a run",
                discrete ? "the start of" : "param", name, ct_name_text(b->ctx, symbol[k]));
            ct_help(r, discrete   ? "a discrete begins with a value made of params, and changes in "
                                    "`when` and `every`"
                       : e->given ? "make it a signal port of the system"
                                  : "make it a signal");
            ct_witness(r, name);
            return false;
        }
    }
    return true;
}

/* A param or input is a symbol; what defines it is kept aside. */
static shaped make_symbols(builder *b, entry *e, bool defined, shaped value, ct_dim_term dim)
{
    uint32_t rows, cols;
    if (!declared_shape(b, e, &rows, &cols))
        return ct_broken_value();
    if (rows && vector_shape(e, &rows, &cols))
        defined = false; /* the key gives it */
    if (defined && rows && (value.rows != rows || value.cols != cols)) {
        ct_error(b->ctx, "E240", e->place, "`%s` is %ux%u but its value is %ux%u",
                 ct_name_text(b->ctx, e->full), rows, cols, value.rows, value.cols);
        return ct_broken_value();
    }
    rows = rows ? rows : defined ? value.rows : 1;
    cols = cols ? cols : defined ? value.cols : 1;
    if (defined)
        e->definition = value;
    cell *c;
    shaped v = ct_matrix_of(b, rows, cols, &c);
    for (uint32_t i = 0; i < rows * cols; i++) {
        ct_name name = ct_cell_name(b, e->full, rows, cols, i);
        c[i] = (cell){ct_expr_symbol(b->pool, name), dim};
        if (is_mixed(e))
            c[i].dim = defined
                           ? value.cell[i].dim
                           : ct_term_unknown(b->infer, ct_infer_unknown(b->infer, name, e->place));
        if (!e->hidden)
            ct_map_put(&b->given, name, (uint32_t)e->kind + 1);
        if (e->kind == ENTRY_DISCRETE)
            ct_note_discrete(b, e, name);
    }
    return v;
}

static shaped make_const(builder *b, entry *e, bool defined, shaped value, ct_place place)
{
    const char *name = ct_name_text(b->ctx, e->full);
    if (!defined && e->where->scope->trial)
        return ct_broken_value();
    if (!defined) {
        ct_report *r = ct_error(b->ctx, "E215", e->place, "const `%s` has no value", name);
        ct_help(r, "write const %s = ..., or make it a param", name);
        return ct_broken_value();
    }
    for (uint32_t i = 0; i < value.rows * value.cols; i++) {
        if (ct_expr_symbols(b->pool, value.cell[i].expr, &(const ct_name *){NULL}) == 0)
            continue;
        ct_report *r =
            ct_error(b->ctx, "E215", place, "const `%s` depends on a param or variable", name);
        ct_help(r, "make what it depends on a const, or `%s` a param", name);
        return ct_broken_value();
    }
    return value;
}

static shaped make_signal(builder *b, entry *e, bool defined, shaped value)
{
    if (!defined) {
        ct_error(b->ctx, "E215", e->place, "signal `%s` has no value",
                 ct_name_text(b->ctx, e->full));
        return ct_broken_value();
    }
    return value;
}

static shaped find_value(builder *b, entry *e)
{
    if (e->kind == ENTRY_CHOICE)
        return e->value;
    ct_dim_term dim = declared_dim(b, e);
    shaped value = {0};
    ct_place place = e->place;
    bool spread = e->kind == ENTRY_SIGNAL && e->where->element && e->where->element->spread;
    bool bare = !spread && lower_bare_number(b, e, dim, &value, &place);
    bool defined = bare || (spread ? lower_spread : lower_definition)(b, e, &value, &place);
    bool good =
        bare || !defined || (!ct_is_broken(value) && check_definition(b, e, value, dim, place));
    if (!good && (e->kind == ENTRY_CONST || e->kind == ENTRY_SIGNAL))
        return ct_broken_value();
    if (e->kind == ENTRY_CONST)
        return make_const(b, e, defined, value, place);
    if (e->kind == ENTRY_SIGNAL)
        return make_signal(b, e, defined, value);
    if (good && defined && (e->kind == ENTRY_PARAM || e->kind == ENTRY_DISCRETE) && !e->hidden)
        good = is_settled_early(b, e, value, place);
    bool shaped_itself = e->decl && ct_child(e->where->s, e->decl, CT_NODE_SHAPE);
    if (ct_is_broken(value) && defined && !shaped_itself)
        return ct_broken_value(); /* its shape is not known */
    return make_symbols(b, e, defined && good, value, dim);
}

/* ---- chains of definitions, without deep recursion: what a definition names comes first */

static void finish(builder *b, entry *e)
{
    e->state = ENTRY_BUSY;
    shaped found = find_value(b, e);
    e->value = e->looped ? ct_close_entry_loop(b, e, found) : found;
    e->rank = b->ranks++;
    e->state = ENTRY_DONE;
}

static bool is_new(builder *b, task t)
{
    return t.entry ? t.entry->state == ENTRY_NEW : b->component_state.at[t.component] == ENTRY_NEW;
}

static void push_needs(builder *b, task t, task_stack *stack)
{
    if (t.entry) {
        push_definition(b, t.entry, false, stack);
        return;
    }
    const pending job = b->pending.at[t.component];
    const where w = b->where.at[job.where];
    for (ct_node n = job.node ? ct_at(w.s, job.node)->first : 0; n; n = ct_at(w.s, n)->next)
        if (ct_at(w.s, n)->kind == CT_NODE_KEY || ct_at(w.s, n)->kind == CT_NODE_PORTS)
            push_names(b, &w, n, false, stack);
}

static uint64_t key_of(task t)
{
    return t.entry ? (uintptr_t)t.entry : 2 * (uint64_t)t.component + 1;
}

static void finish_task(builder *b, task t)
{
    if (is_new(b, t) && t.entry)
        finish(b, t.entry);
    else if (is_new(b, t))
        ct_resolve_component(b, t.component);
}

/* What the needs of `wanted` on the stack need is found before them. */
static void find_needs(builder *b, task wanted, task_stack *stack)
{
    ct_map seen;
    ct_map_init(&seen, b->scratch);
    while (stack->count) {
        task t = stack->at[stack->count - 1];
        uint64_t key = key_of(t);
        if (is_new(b, t) && key != key_of(wanted) && !ct_map_get(&seen, key)) {
            ct_map_put(&seen, key, 1);
            push_needs(b, t, stack);
            continue;
        }
        stack->count--;
        finish_task(b, t);
    }
}

/* Most values need no others. */
static void find_values(builder *b, task wanted)
{
    bool written = b->written;
    task_stack stack = {0};
    b->written = false;
    push_needs(b, wanted, &stack);
    if (stack.count)
        find_needs(b, wanted, &stack);
    finish_task(b, wanted);
    b->written = written;
}

/* A signal as it is written; loops are symbols. */
static shaped read_written(builder *b, entry *e)
{
    ct_place place;
    const element_scope *es = e->where->element;
    bool plain =
        e->kind == ENTRY_SIGNAL && !e->looped && !ct_is_broken(e->value) && !(es && es->spread);
    if (!plain)
        return e->value;
    if (!e->written.cell) {
        shaped v = {0};
        e->written = e->value; /* it may lead to itself */
        bool defined = lower_definition(b, e, &v, &place);
        if (defined && !ct_is_broken(v) && !v.word && v.rows == e->value.rows &&
            v.cols == e->value.cols)
            e->written = v;
    }
    return e->written;
}

void ct_settle_component(builder *b, uint32_t component)
{
    if (b->component_state.at[component] == ENTRY_NEW)
        find_values(b, (task){.component = component});
}

shaped ct_read_entry(builder *b, entry *e, ct_place place)
{
    if (e->state == ENTRY_BUSY && e->kind == ENTRY_SIGNAL && !e->hidden)
        return ct_loop_of_entry(b, e);
    if (e->state == ENTRY_BUSY)
        return report_circle(b, e, place);
    if (e->state == ENTRY_NEW)
        find_values(b, (task){.entry = e});
    return b->written ? read_written(b, e) : e->value;
}

/* Limits are no part of a definition: two values may limit each other. */
void ct_resolve_entry(builder *b, entry *e)
{
    ct_read_entry(b, e, e->place);
    if (e->decl && !ct_is_broken(e->value) && e->kind != ENTRY_CHOICE)
        e->limit = ct_read_limits(b, e->where, e->decl, e->value.cell->dim, &e->limit_count);
}

void ct_resolve_entries(builder *b, uint32_t first)
{
    for (uint32_t i = first; i < b->entry.count; i++)
        ct_resolve_entry(b, b->entry.at[i]);
}

ct_place ct_value_place(const entry *e)
{
    ct_node holder = e->decl ? ct_child(e->where->s, e->decl, CT_NODE_VALUE) : 0;
    if (e->given)
        return ct_place_of(e->given_where->s, e->given);
    return holder ? ct_place_of(e->where->s, ct_at(e->where->s, holder)->first) : e->place;
}

/* The values of the model in order of declaration, when all dimensions are settled. */
static void record(builder *b, const entry *e, uint32_t i)
{
    static const ct_quantity_kind kinds[] = {CT_PARAM, CT_PARAM, CT_INPUT, CT_SIGNAL, CT_DISCRETE};
    shaped v = e->value;
    bool signal = e->kind == ENTRY_SIGNAL;
    ct_quantity q = {.name = ct_cell_name(b, e->full, v.rows, v.cols, i),
                     .kind = kinds[e->kind],
                     .symbol = signal ? 0 : v.cell[i].expr,
                     .value = signal ? v.cell[i].expr : 0,
                     .limit = e->limit,
                     .limit_count = e->limit_count,
                     .frozen = e->frozen,
                     .place = e->place,
                     .value_place = ct_value_place(e)};
    if (!signal && e->definition.rows)
        q.value = e->definition.cell[i].expr;
    ct_infer_resolve(b->infer, v.cell[i].dim, &q.dim);
    CT_PUSH(b->arena, b->quantity, q);
}

void ct_record_quantities(builder *b)
{
    for (uint32_t k = 0; k < b->entry.count; k++) {
        const entry *e = b->entry.at[k];
        if (e->kind == ENTRY_CONST || ct_is_broken(e->value) || e->hidden)
            continue;
        for (uint32_t i = 0; i < e->value.rows * e->value.cols; i++)
            record(b, e, i);
    }
}
