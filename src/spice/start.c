/* start.c - .ic and .nodeset, and what `uic` makes of them.
 *
 * Without `uic` a node of .ic is held while the operating point is found (spice_start).
 * With `uic` SPICE takes the voltages of nodes as given by .ic, all others as zero, and capacitors
 * start with the differences. So a capacitor at a node that is given gets a start of its own, also
 * inside of subcircuits and models; those between other nodes are empty anyway, and one that closes
 * a circuit with sources and other starts has what is left. At a node that no
 * capacitor touches nothing is stored: there the search for the first point begins.
 */
#include <string.h>

#include "base/sets.h"
#include "spice/reader.h"

void ct_sp_link(reader *r, uint32_t in, link l, const ct_node *terminal, uint32_t count)
{
    if (!r->uic)
        return;
    l.terminal = CT_NEW_ARRAY(r->arena, ct_name, count + 1);
    l.count = count;
    for (uint32_t i = 0; i < count; i++)
        l.terminal[i] = r->node.at[terminal[i]].name;
    CT_PUSH(r->arena, r->scope.at[in].link, l);
}

/* The voltage of a node at the start. */
typedef struct potential {
    double value;
    bool given;
    ct_name node; /* in full */
} potential;

/* A capacitor and how it begins. */
typedef struct begin {
    ct_node ref; /* its voltage */
    double volts;
    ct_name a, b;
    enum { FIXED, STRONG, WEAK } kind; /* by ic= or a source; nodes known; one of them is not */
} begin;

typedef struct walk {
    reader *r;
    ct_map given; /* `X1.X2.node` -> index + 1 */
    ct_map inner; /* instances that hold a given node: `X1.X2` -> 1 */
    CT_VEC(double) value;
    ct_name path[DEEPEST + 2]; /* of the instance, and its name in full */
    ct_name full[DEEPEST + 2];
    uint32_t depth, count;
    bool collecting; /* only .ic cards of subcircuits */
    ct_map touched;  /* nodes with a capacitor */
    CT_VEC(begin) start;
    ct_map number; /* node -> its number from 1, among those that may have a start */
    uint32_t numbered;
} walk;

static ct_name extend(walk *w, ct_name prefix, ct_name name)
{
    ct_context *ctx = w->r->ctx;
    return prefix
               ? ct_intern_format(ctx, "%s.%s", ct_name_text(ctx, prefix), ct_name_text(ctx, name))
               : name;
}

static bool is_ground(const walk *w, ct_name node)
{
    return strcmp(ct_name_text(w->r->ctx, node), "ground") == 0;
}

static potential potential_of(walk *w, ct_map *port, const potential *outer, ct_name name)
{
    uint32_t k = ct_map_get(port, name);
    if (k)
        return outer[k - 1];
    ct_name full = is_ground(w, name) ? name : extend(w, w->full[w->depth], name);
    k = ct_map_get(&w->given, full);
    return (potential){k ? w->value.at[k - 1] : 0, k != 0, full};
}

/* X1.C1.v */
static ct_node variable_of(walk *w, ct_name component)
{
    reader *r = w->r;
    ct_node ref = 0;
    for (uint32_t i = 1; i <= w->depth; i++)
        ref =
            ref ? ct_sp_field(r, ref, ct_name_text(r->ctx, w->path[i])) : ct_sp_ref(r, w->path[i]);
    ref = ref ? ct_sp_field(r, ref, ct_name_text(r->ctx, component)) : ct_sp_ref(r, component);
    return ct_sp_field(r, ref, "v");
}

static void note_start(walk *w, const link *l, const potential *at)
{
    begin s = {.volts = at[0].value - at[1].value, .a = at[0].node, .b = at[1].node};
    bool known = true;
    for (int i = 0; i < 2; i++)
        known &= at[i].given || is_ground(w, at[i].node);
    s.kind = l->has_start ? FIXED : known ? STRONG : WEAK;
    if (s.kind != FIXED && !at[0].given && !at[1].given)
        return;
    s.ref = s.kind == FIXED ? 0 : variable_of(w, l->name);
    CT_PUSH(w->r->arena, w->start, s);
}

static uint32_t number_of(walk *w, ct_name node)
{
    uint32_t found = ct_map_get(&w->number, node);
    if (!found)
        ct_map_put(&w->number, node, found = ++w->numbered);
    return found - 1;
}

/* Sources and ic= hold; then what is known on both sides; a capacitor that closes a circuit of
 * these has the voltage that is left for it. */
static void put_starts(walk *w)
{
    reader *r = w->r;
    uint32_t *set = ct_sets_new(r->arena, 2 * w->start.count + 1);
    for (int kind = FIXED; kind <= WEAK; kind++)
        for (uint32_t i = 0; i < w->start.count; i++) {
            begin s = w->start.at[i];
            if ((int)s.kind != kind || !ct_sets_join(set, number_of(w, s.a), number_of(w, s.b)) ||
                kind == FIXED)
                continue;
            ct_node part[] = {ct_sp_node(r, CT_NODE_PATH, 0, s.ref), ct_sp_real(r, s.volts, "V")};
            ct_sp_add(r, &r->starts, ct_sp_list(r, CT_NODE_KEY, 0, part, 2));
        }
}

static void check_count(walk *w)
{
    uint32_t most = w->r->ctx->def.max_components;
    if (++w->count <= most)
        return;
    ct_error(w->r->ctx, "E902", (ct_place){0}, "more than %u components have a start", most);
    ct_throw(w->r->ctx, CT_ERR_LIMIT);
}

static void walk_scope(walk *w, uint32_t in, const potential *outer);

/* The instance is entered only if a node of it is given. */
static void enter(walk *w, const link *l, const potential *at)
{
    ct_name full = extend(w, w->full[w->depth], l->name);
    bool any = ct_map_get(&w->inner, full) != 0 || w->r->inner_starts;
    for (uint32_t i = 0; i < l->count; i++)
        any |= at[i].given;
    if (!any || w->depth > DEEPEST)
        return;
    w->depth++;
    w->path[w->depth] = l->name;
    w->full[w->depth] = full;
    walk_scope(w, l->inside, at);
    w->depth--;
}

/* Nodes that the .ic cards of the subcircuit give. */
static void collect(walk *w, uint32_t in, ct_map *port, const potential *outer)
{
    for (uint32_t i = 0; i < w->r->scope.at[in].held.count; i++) {
        inner_start s = w->r->scope.at[in].held.at[i];
        ct_name node = potential_of(w, port, outer, s.node).node;
        if (is_ground(w, node) || ct_map_get(&w->given, node))
            continue;
        CT_PUSH(w->r->arena, w->value, s.value);
        ct_map_put(&w->given, node, w->value.count);
    }
}

static void walk_scope(walk *w, uint32_t in, const potential *outer)
{
    reader *r = w->r;
    ct_map port;
    ct_map_init(&port, r->arena);
    for (uint32_t i = 0; i < r->scope.at[in].port.count; i++)
        ct_map_put(&port, r->scope.at[in].port.at[i], i + 1);
    if (w->collecting)
        collect(w, in, &port, outer);
    for (uint32_t i = 0; i < r->scope.at[in].link.count; i++) {
        link l = r->scope.at[in].link.at[i];
        potential *at = CT_NEW_ARRAY(r->arena, potential, l.count + 1);
        for (uint32_t k = 0; k < l.count; k++)
            at[k] = potential_of(w, &port, outer, l.terminal[k]);
        check_count(w);
        if (l.inside)
            enter(w, &l, at);
        if (l.inside || w->collecting)
            continue;
        for (uint32_t k = 0; k < 2 && !l.is_source; k++)
            ct_map_put(&w->touched, at[k].node, 1);
        note_start(w, &l, at);
    }
}

/* ---- cards ----------------------------------------------------------------------------------- */

static ct_node put_node(reader *r, ct_node ref, value x)
{
    ct_node part[] = {ct_sp_node(r, CT_NODE_PATH, 0, ref), ct_sp_unit_of(r, x, "V")};
    return ct_sp_list(r, CT_NODE_KEY, 0, part, 2);
}

/* v(node) = value: its variable, or 0 after reporting, or at ground. */
static ct_node next_start(reader *r, cursor *c, value *x, token *at)
{
    token v = ct_sp_take(r, c);
    bool good = ct_sp_is(r, v, "v") && ct_sp_accept(r, c, '(');
    token node = *at = ct_sp_take(r, c);
    good = good && ct_sp_accept(r, c, ')') && ct_sp_accept(r, c, '=');
    if (!good) {
        ct_sp_error(r, "E801", ct_sp_place(r, v), "initial values are written v(node)=value");
        *c = ct_sp_start(r, c->end, c->end);
        return 0;
    }
    *x = ct_sp_value(r, c, "a value");
    ct_sp_accept(r, c, ',');
    ct_sp_here(r, ct_sp_place(r, node));
    ct_node ref = ct_sp_voltage(r, node, (token){0});
    return ref && r->node.at[ref].kind == CT_NODE_REF ? ref : 0;
}

/* Holds a node of the circuit that is written at x; false: it is none. */
static bool hold(reader *r, const char *element, const char *prefix, token at, value x)
{
    bool ground;
    if (!ct_sp_find_wire(r, r->here, ct_sp_lower(r, at), &ground))
        return false;
    ct_node terminal[] = {ct_sp_terminal(r, at), ct_sp_word_ref(r, "ground")};
    ct_name name = ct_sp_claim_component(
        r, ct_intern_format(r->ctx, "%s_%s", prefix,
                            ct_name_text(r->ctx, r->node.at[terminal[0]].name)));
    ct_sp_emit(r, ct_sp_component(r, name, element, terminal, 2, 2,
                                  ct_sp_key(r, "v", ct_sp_unit_of(r, x, "V"))));
    return true;
}

/* Nodes are held while the search begins, but for those inside of subcircuits. */
void ct_sp_read_guesses(reader *r, cursor *c)
{
    while (!ct_sp_at_end(c)) {
        value x;
        token at;
        ct_node ref = next_start(r, c, &x, &at);
        if (!ref)
            continue;
        if (r->here == MAIN)
            ct_sp_add(r, &r->guesses, put_node(r, ref, x));
        else
            ct_sp_emit(r, ct_sp_node(r, CT_NODE_GUESS, 0, put_node(r, ref, x)));
        if (!r->uic)
            hold(r, "spice_guess", "nodeset", at, x);
    }
}

/* Without `uic` nodes are held while the operating point is found, and released at the start. */
void ct_sp_hold_starts(reader *r, cursor *c)
{
    while (!ct_sp_at_end(c)) {
        value x;
        token at;
        if (next_start(r, c, &x, &at) && !hold(r, "spice_start", "ic", at, x))
            ct_sp_ignored(r, at, "is inside of a subcircuit: there `.ic` counts only with `uic`");
    }
}

/* With `uic`: kept for the instances of the subcircuit. */
static void keep_starts(reader *r, cursor *c)
{
    while (!ct_sp_at_end(c)) {
        value x;
        token at;
        ct_node ref = next_start(r, c, &x, &at);
        if (!ref)
            continue;
        ct_node field = r->node.at[ref].first;
        if (!x.known || r->node.at[field].next) {
            ct_sp_ignored(r, at,
                          x.known ? "is inside of another subcircuit: this `.ic` is left out"
                                  : "begins at no known number: this `.ic` is left out");
            continue;
        }
        inner_start s = {r->node.at[ref].name, x.number};
        CT_PUSH(r->arena, r->scope.at[r->here].held, s);
        r->inner_starts = true;
    }
}

void ct_sp_write_starts(reader *r, uint32_t index)
{
    r->scope.at[index].state = STATE_DONE; /* its nodes are known now */
    for (uint32_t i = 0; i < r->scope.at[index].start.count; i++) {
        card k = r->card.at[r->scope.at[index].start.at[i]];
        cursor c = ct_sp_start(r, k.at, k.end);
        bool guess = ct_sp_is(r, ct_sp_take(r, &c), ".nodeset");
        if (guess)
            ct_sp_read_guesses(r, &c);
        else if (r->uic)
            keep_starts(r, &c);
        else if (ct_sp_kind(r) == CT_TRAN)
            ct_sp_hold_starts(r, &c);
    }
    r->scope.at[index].state = STATE_BUSY;
}

/* X1.node.v: the name of the node in full, and marks of the instances around it. */
static ct_name full_name(walk *w, ct_node ref)
{
    reader *r = w->r;
    ct_name full = r->node.at[ref].name;
    for (ct_node n = r->node.at[ref].first; n && r->node.at[n].next; n = r->node.at[n].next) {
        ct_map_put(&w->inner, full, 1);
        full = extend(w, full, r->node.at[n].name);
    }
    return full;
}

typedef struct node_start {
    ct_node ref;
    value x;
} node_start;

/* Capacitors begin as the nodes say; a node that touches none is a guess. */
void ct_sp_read_starts(reader *r, const number_list *cards)
{
    walk *w = CT_NEW(r->arena, walk);
    CT_VEC(node_start) list = {0};
    w->r = r;
    ct_map *maps[] = {&w->given, &w->inner, &w->touched, &w->number};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        ct_map_init(maps[i], r->arena);
    for (uint32_t i = 0; i < cards->count; i++) {
        card k = r->card.at[cards->at[i]];
        cursor c = ct_sp_start(r, k.at, k.end);
        ct_sp_take(r, &c);
        while (!ct_sp_at_end(&c)) {
            node_start s;
            s.ref = next_start(r, &c, &s.x, &(token){0});
            if (!s.ref)
                continue;
            CT_PUSH(r->arena, list, s);
            if (!s.x.known)
                continue;
            CT_PUSH(r->arena, w->value, s.x.number);
            ct_map_put(&w->given, full_name(w, s.ref), w->value.count);
        }
    }
    if (!w->value.count && !list.count && !r->inner_starts)
        return;
    w->collecting = r->inner_starts;
    if (w->collecting)
        walk_scope(w, MAIN, NULL);
    w->collecting = false;
    walk_scope(w, MAIN, NULL);
    put_starts(w);
    for (uint32_t i = 0; i < list.count; i++) {
        node_start s = list.at[i];
        if (!s.x.known)
            ct_sp_add(r, &r->starts, put_node(r, s.ref, s.x));
        else if (!ct_map_get(&w->touched, full_name(w, s.ref)))
            ct_sp_add(r, &r->guesses, put_node(r, s.ref, s.x));
    }
}
