/* device.c - cards of devices: coupled inductors, subcircuits. */
#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "spice/passive.h"

/* n nodes; false after reporting. */
bool ct_sp_nodes(reader *r, cursor *c, ct_node *terminal, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (c->token.kind != TOKEN_WORD) {
            ct_sp_missing(r, c, "a node");
            return false;
        }
        terminal[i] = ct_sp_terminal(r, ct_sp_take(r, c));
    }
    return true;
}

/* Both ends at one node: nothing flows, or it flows in a circle. False after a warning. */
bool ct_sp_apart(reader *r, uint32_t index, const ct_node *terminal)
{
    if (r->node.at[terminal[0]].name != r->node.at[terminal[1]].name)
        return true;
    const char *name = ct_name_text(r->ctx, r->thing.at[index].name);
    ct_report *w = ct_warning(r->ctx, "W803", r->thing.at[index].place,
                              "`%s` has both ends at one node: it is left out", name);
    ct_witness(w, name);
    return false;
}

/* ---- coupled inductors -------------------------------------------------------------------------
 *
 * All inductors that K cards join, directly or through others, become one element with an edge for
 * each:  v_i = sum over j of  k_ij sqrt(L_i L_j) di_j/dt.
 */

enum { MOST_WINDINGS = 64 };

typedef struct winding {
    uint32_t thing;
    card card;
} winding;

typedef struct windings {
    winding of[MOST_WINDINGS];
    uint32_t count;
} windings;

/* The names of a K card, and where its factor stands; false after reporting. */
static bool read_coupling(reader *r, card k, windings *w, cursor *factor)
{
    cursor c = ct_sp_start(r, k.at, k.end);
    ct_sp_take(r, &c);
    w->count = 0;
    for (;;) {
        cursor ahead = c;
        token t = ct_sp_take(r, &ahead);
        uint32_t x = t.kind == TOKEN_WORD ? ct_sp_find_component(r, r->here, ct_sp_lower(r, t)) : 0;
        if (!x || r->thing.at[x].letter != 'l')
            break;
        if (w->count == MOST_WINDINGS) {
            ct_sp_error(r, "E902", ct_sp_place(r, t), "more than %d inductors are coupled",
                        MOST_WINDINGS);
            return false;
        }
        w->of[w->count++].thing = x;
        c = ahead;
    }
    *factor = c;
    if (w->count >= 2 && !ct_sp_at_end(&c))
        return true;
    ct_report *e = ct_sp_error(r, "E801", ct_sp_place(r, c.token),
                               "a K card names two or more inductors, then their coupling factor");
    (void)e;
    return false;
}

/* By numbers in the scope. Those of lower number stand for a group, which has the name of the first
 * card that joins its first inductors. */
static void join_two(reader *r, const number_list *owner, uint32_t *set, uint32_t a, uint32_t b)
{
    a = ct_sets_find(set, a);
    b = ct_sets_find(set, b);
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    ct_name *name = &r->thing.at[owner->at[low]].group;
    ct_sets_join(set, a, b);
    *name = *name ? *name : r->thing.at[owner->at[high]].group;
}

/* Marks what K cards join: group is then the name of their component, joined the first of them. */
void ct_sp_join_windings(reader *r, uint32_t in)
{
    windings w;
    cursor factor;
    const number_list owner = r->scope.at[in].owner;
    uint32_t *set = ct_sets_new(r->arena, owner.count + 1);
    for (uint32_t i = 0; i < owner.count; i++)
        r->thing.at[owner.at[i]].joined = i;
    for (uint32_t i = 0; i < owner.count; i++) {
        card k = r->card.at[r->scope.at[in].device.at[i]];
        if ((r->text[k.at] | 0x20) != 'k' || !read_coupling(r, k, &w, &factor))
            continue;
        uint32_t one = r->thing.at[w.of[0].thing].joined;
        ct_name *name = &r->thing.at[owner.at[ct_sets_find(set, one)]].group;
        *name = *name ? *name : r->thing.at[owner.at[i]].name;
        for (uint32_t j = 1; j < w.count; j++)
            join_two(r, &owner, set, one, r->thing.at[w.of[j].thing].joined);
    }
    for (uint32_t i = 0; i < owner.count; i++) {
        thing *own = &r->thing.at[owner.at[i]];
        own->joined = owner.at[ct_sets_find(set, i)];
        own->group = r->thing.at[own->joined].group;
    }
}

/* Cards of a group: its inductors and K cards, as indices of devices of the scope. */
typedef struct group {
    ct_name name;
    number_list inductor, coupling;
} group;

/* The windings of a group, in order of their cards. */
static bool collect(reader *r, uint32_t in, const group *g, windings *w)
{
    w->count = 0;
    for (uint32_t i = 0; i < g->inductor.count; i++) {
        uint32_t k = g->inductor.at[i], t = r->scope.at[in].owner.at[k];
        if (w->count == MOST_WINDINGS) {
            ct_sp_error(r, "E902", r->thing.at[t].place, "more than %d inductors are coupled",
                        MOST_WINDINGS);
            return false;
        }
        w->of[w->count++] = (winding){t, r->card.at[r->scope.at[in].device.at[k]]};
    }
    return true;
}

static const char *indexed(reader *r, const char *stem, uint32_t i, uint32_t j)
{
    return ct_printf(r->ctx, j ? "%s_%u_%u" : "%s_%u", stem, i, j);
}

static ct_node rate_of(reader *r, ct_name edge)
{
    ct_node i = ct_sp_field(r, ct_sp_ref(r, edge), "i");
    return ct_sp_call(r, "der", &i, 1);
}

/* L_i di_i/dt + sum of k_ij sqrt(L_i L_j) di_j/dt */
static ct_node induced(reader *r, const windings *w, const bool *tied, uint32_t i)
{
    ct_node sum = 0;
    for (uint32_t j = 0; j < w->count; j++) {
        ct_node own = ct_sp_word_ref(r, indexed(r, "L", i + 1, 0)), term;
        if (j != i && !tied[i * MOST_WINDINGS + j])
            continue;
        if (j == i) {
            term = own;
        } else {
            ct_node other = ct_sp_word_ref(r, indexed(r, "L", j + 1, 0));
            ct_node both = ct_sp_product(r, own, other);
            uint32_t low = i < j ? i + 1 : j + 1, high = i < j ? j + 1 : i + 1;
            term = ct_sp_product(r, ct_sp_word_ref(r, indexed(r, "k", low, high)),
                                 ct_sp_call(r, "sqrt", &both, 1));
        }
        term = ct_sp_product(r, term, rate_of(r, r->thing.at[w->of[j].thing].name));
        sum = sum ? ct_sp_sum(r, sum, term) : term;
    }
    return sum;
}

static void put_id(reader *r, children *list, const char *name)
{
    ct_sp_add(r, list, ct_sp_node(r, CT_NODE_ID, ct_intern_text(r->ctx, name), 0));
}

static ct_node path_to(reader *r, const char *name)
{
    return ct_sp_node(r, CT_NODE_PATH, 0, ct_sp_word_ref(r, name));
}

/* element NAME: ports p_i, n_i, an edge for each inductor, its params and equations. */
static void write_element(reader *r, ct_name name, const windings *w, const bool *tied)
{
    children block = {0}, edges = {0}, params = {0};
    for (uint32_t i = 0; i < w->count; i++) {
        children ports = {0};
        put_id(r, &ports, indexed(r, "p", i + 1, 0));
        put_id(r, &ports, indexed(r, "n", i + 1, 0));
        ct_sp_add(r, &block,
                  ct_sp_node(r, CT_NODE_PORT, ct_intern_text(r->ctx, "electrical"), ports.first));
        ct_node ends[] = {path_to(r, indexed(r, "p", i + 1, 0)),
                          path_to(r, indexed(r, "n", i + 1, 0))};
        ct_sp_add(r, &edges,
                  ct_sp_list(r, CT_NODE_EDGE, r->thing.at[w->of[i].thing].name, ends, 2));
        ct_name own = ct_intern_text(r->ctx, indexed(r, "L", i + 1, 0));
        ct_sp_add(r, &params, ct_sp_decl(r, own, "H", 0));
        for (uint32_t j = i + 1; j < w->count; j++)
            if (tied[i * MOST_WINDINGS + j]) {
                own = ct_intern_text(r->ctx, indexed(r, "k", i + 1, j + 1));
                ct_sp_add(r, &params, ct_sp_decl(r, own, "1", 0));
            }
    }
    ct_sp_add(r, &block, ct_sp_node(r, CT_NODE_EDGES, 0, edges.first));
    ct_sp_add(r, &block, ct_sp_node(r, CT_NODE_PARAM, 0, params.first));
    for (uint32_t i = 0; i < w->count; i++) {
        ct_node v = ct_sp_field(r, ct_sp_ref(r, r->thing.at[w->of[i].thing].name), "v");
        ct_node both[] = {v, induced(r, w, tied, i)};
        ct_sp_add(r, &block, ct_sp_list(r, CT_NODE_EQUATION, 0, both, 2));
    }
    ct_node body = ct_sp_node(r, CT_NODE_BLOCK, 0, block.first);
    ct_sp_add(r, &r->systems, ct_sp_node(r, CT_NODE_ELEMENT, name, body));
}

/* Factors of the K cards of a group as keys. */
static void read_factors(reader *r, uint32_t in, const group *g, const windings *w, bool *tied,
                         children *keys)
{
    for (uint32_t i = 0; i < g->coupling.count; i++) {
        card k = r->card.at[r->scope.at[in].device.at[g->coupling.at[i]]];
        windings named;
        cursor factor;
        if (!read_coupling(r, k, &named, &factor))
            continue;
        for (uint32_t a = 0; a < named.count; a++)
            for (uint32_t b = a + 1; b < named.count; b++) {
                uint32_t x = 0, y = 0;
                for (uint32_t n = 0; n < w->count; n++) {
                    x = w->of[n].thing == named.of[a].thing ? n : x;
                    y = w->of[n].thing == named.of[b].thing ? n : y;
                }
                uint32_t low = x < y ? x : y, high = x < y ? y : x;
                if (low == high || tied[low * MOST_WINDINGS + high]) {
                    ct_sp_error(r, "E201", (ct_place){r->source, k.at, 1},
                                "two inductors are coupled twice");
                    continue;
                }
                cursor c = factor;
                value v = ct_sp_value(r, &c, "the coupling factor");
                ct_sp_rest(r, &c);
                tied[low * MOST_WINDINGS + high] = tied[high * MOST_WINDINGS + low] = true;
                ct_sp_add(r, keys, ct_sp_key(r, indexed(r, "k", low + 1, high + 1), v.node));
            }
    }
}

static void write_group(reader *r, uint32_t in, const group *g)
{
    windings *w = CT_NEW(r->arena, windings);
    bool *tied = CT_NEW_ARRAY(r->arena, bool, (size_t)MOST_WINDINGS *MOST_WINDINGS);
    if (!collect(r, in, g, w))
        return;
    children keys = {0}, ports = {0};
    read_factors(r, in, g, w, tied, &keys);
    for (uint32_t i = 0; i < w->count; i++) {
        ct_node terminal[2];
        passive p = {0};
        card k = w->of[i].card;
        ct_sp_here(r, r->thing.at[w->of[i].thing].place);
        cursor c = ct_sp_start(r, k.at, k.end);
        ct_sp_take(r, &c);
        if (!ct_sp_nodes(r, &c, terminal, 2))
            return;
        const passive_row *row = ct_sp_passive_of('l');
        ct_place place = r->thing.at[w->of[i].thing].place;
        ct_sp_read_passive(r, &c, row, &p);
        ct_sp_here(r, place);
        ct_sp_add(r, &ports, ct_sp_list(r, CT_NODE_PORTS, 0, terminal, 2));
        if (!ct_sp_finish_passive(r, row, &p, place))
            return;
        ct_node henry = ct_sp_unit_of(r, ct_sp_passive_value(r, row, &p), "H");
        ct_sp_here(r, place);
        ct_sp_add(r, &keys, ct_sp_key(r, indexed(r, "L", i + 1, 0), henry));
        if (p.has_start && r->uic) {
            ct_node key = ct_sp_start_key(r, ct_name_text(r->ctx, r->thing.at[w->of[i].thing].name),
                                          ct_sp_unit_of(r, p.start, "A"));
            ct_node path = r->node.at[key].first;
            ct_sp_field(r, r->node.at[path].first, "i");
            ct_sp_add(r, &keys, key);
        }
    }
    ct_name type = ct_intern_format(r->ctx, "%s_windings", ct_name_text(r->ctx, g->name));
    type = ct_sp_claim_definition(r, false, type);
    write_element(r, type, w, tied);
    children all = {0};
    ct_sp_add(r, &all, ct_sp_node(r, CT_NODE_NAME, g->name, 0));
    ct_sp_add(r, &all, ct_sp_node(r, CT_NODE_ID, type, 0));
    ct_sp_add(r, &all, ports.first);
    ct_sp_add(r, &all, keys.first);
    ct_sp_emit(r, ct_sp_node(r, CT_NODE_COMPONENT, 0, all.first));
}

/* The inductor that tells the group of a card; 0: it belongs to none. */
static uint32_t member_of(reader *r, uint32_t in, uint32_t device)
{
    card k = r->card.at[r->scope.at[in].device.at[device]];
    uint32_t t = r->scope.at[in].owner.at[device];
    windings w;
    cursor factor;
    if ((r->text[k.at] | 0x20) == 'k')
        t = read_coupling(r, k, &w, &factor) ? w.of[0].thing : 0;
    else if ((r->text[k.at] | 0x20) != 'l')
        t = 0;
    return t && r->thing.at[t].group ? r->thing.at[t].joined : 0;
}

void ct_sp_write_mutual(reader *r, uint32_t in)
{
    ct_map number; /* root -> group + 1 */
    CT_VEC(group) all = {0};
    ct_map_init(&number, r->arena);
    for (uint32_t i = 0; i < r->scope.at[in].device.count; i++) {
        uint32_t root = member_of(r, in, i), n = root ? ct_map_get(&number, root) : 0;
        if (!root)
            continue;
        if (!n) {
            CT_PUSH(r->arena, all, (group){.name = r->thing.at[root].group});
            n = all.count;
            ct_map_put(&number, root, n);
        }
        group *g = &all.at[n - 1];
        bool coupling = (r->text[r->card.at[r->scope.at[in].device.at[i]].at] | 0x20) == 'k';
        if (coupling)
            CT_PUSH(r->arena, g->coupling, i);
        else
            CT_PUSH(r->arena, g->inductor, i);
    }
    for (uint32_t i = 0; i < all.count; i++)
        write_group(r, in, &all.at[i]);
}

/* ---- subcircuits ----------------------------------------------------------------------------- */

static void report_subckt(reader *r, token name)
{
    ct_report *e = ct_sp_error(r, "E202", ct_sp_place(r, name), "there is no subcircuit `%s`",
                               ct_sp_text(r, name));
    ct_witness(e, ct_sp_text(r, name));
}

static void read_instance_keys(reader *r, cursor *c, uint32_t inside, children *keys)
{
    token name, m = {0};
    while (!ct_sp_at_end(c)) {
        if (ct_sp_is(r, c->token, "params:") || ct_sp_accept(r, c, ',')) {
            if (ct_sp_is(r, c->token, "params:"))
                ct_sp_take(r, c);
            continue;
        }
        if (!ct_sp_assignment(r, c, &name)) {
            ct_sp_error(r, "E801", ct_sp_place(r, c->token), "parameters are written name=value");
            return;
        }
        ct_name lower = ct_sp_lower(r, name);
        uint32_t v = ct_sp_get(&r->value, inside, lower);
        token at = c->token;
        value x = ct_sp_value(r, c, "a value");
        if (v && !r->variable.at[v].is_extra)
            ct_sp_add(r, keys, ct_sp_key(r, ct_name_text(r->ctx, r->variable.at[v].name), x.node));
        else if (strcmp(ct_name_text(r->ctx, lower), "m") == 0)
            m = at;
        else {
            ct_report *e = ct_sp_error(r, "E204", ct_sp_place(r, name),
                                       "the subcircuit has no parameter `%s`", ct_sp_text(r, name));
            ct_witness(e, ct_sp_text(r, name));
        }
    }
    if (!r->scope.at[inside].multiplier)
        return;
    value all = ct_sp_parallel(r, m);
    const char *key = ct_name_text(r->ctx, r->variable.at[r->scope.at[inside].multiplier].name);
    ct_sp_add(r, keys, ct_sp_key(r, key, all.node ? all.node : ct_sp_real(r, 1, NULL)));
}

/* Sources inside of the instance are inputs `X1.V1` of what is around it. */
static void pass_phasors(reader *r, uint32_t inside, ct_name instance)
{
    for (uint32_t i = 0; i < r->scope.at[inside].phasor.count; i++) {
        ct_phasor p = r->scope.at[inside].phasor.at[i];
        p.input = ct_printf(r->ctx, "%s.%s", ct_name_text(r->ctx, instance), p.input);
        CT_PUSH(r->arena, r->scope.at[r->here].phasor, p);
    }
}

static void write_instance(reader *r, uint32_t index, cursor *c)
{
    CT_VEC(ct_node) terminal = {0};
    token name = {0}, key;
    cursor ahead = *c;
    uint32_t at = r->at, width = r->width;
    while (c->token.kind == TOKEN_WORD && !ct_sp_is(r, c->token, "params:") &&
           !ct_sp_assignment(r, &ahead, &key)) {
        if (name.length)
            CT_PUSH(r->arena, terminal, ct_sp_terminal(r, name));
        name = ct_sp_take(r, c);
        ahead = *c;
    }
    if (!name.length) {
        ct_sp_missing(r, c, "the name of the subcircuit");
        return;
    }
    uint32_t inside = ct_sp_find_scope(r, SCOPE_SUBCKT, r->here, ct_sp_lower(r, name));
    if (!inside) {
        report_subckt(r, name);
        return;
    }
    if (!ct_sp_need(r, inside, ct_sp_place(r, name)))
        return;
    if (terminal.count != r->scope.at[inside].nodes) {
        ct_report *e =
            ct_sp_error(r, "E207", ct_sp_place(r, name), "`%s` has %u nodes, but %u are given",
                        ct_sp_text(r, name), r->scope.at[inside].nodes, terminal.count);
        ct_witness(e, ct_name_text(r->ctx, r->thing.at[index].name));
        return;
    }
    r->thing.at[index].inside = inside;
    for (uint32_t i = 0; i < r->scope.at[inside].outer.count; i++)
        CT_PUSH(r->arena, terminal, 0);
    ct_sp_pass_globals(r, inside, terminal.at + r->scope.at[inside].nodes);
    children keys = {0};
    read_instance_keys(r, c, inside, &keys);
    ct_sp_here(r, (ct_place){r->source, at, width});
    ct_sp_pass_extras(r, inside, &keys);
    pass_phasors(r, inside, r->thing.at[index].name);
    ct_sp_link(r, r->here, (link){.name = r->thing.at[index].name, .inside = inside}, terminal.at,
               terminal.count);
    ct_sp_emit(r, ct_sp_component(r, r->thing.at[index].name,
                                  ct_name_text(r->ctx, r->scope.at[inside].name), terminal.at,
                                  terminal.count, terminal.count, keys.first));
}

/* ---- all ------------------------------------------------------------------------------------- */

static void write_one(reader *r, card k, uint32_t index, cursor c)
{
    char letter = r->thing.at[index].letter;
    const char *first = r->text + k.at, *line = memchr(first, '\n', k.end - k.at);
    ct_sp_here(r, (ct_place){r->source, k.at, line ? (uint32_t)(line - first) : k.end - k.at});
    const passive_row *row = ct_sp_passive_of(letter);
    if (row && !r->thing.at[index].group)
        ct_sp_write_passive(r, index, &c, row);
    else if (letter == 'v' || letter == 'i')
        ct_sp_write_source(r, index, &c, letter);
    else if (letter == 'b')
        ct_sp_write_behaviour(r, index, &c);
    else if (strchr("efgh", letter))
        ct_sp_write_controlled(r, index, &c, letter);
    else if (strchr("dqmj", letter))
        ct_sp_write_semiconductor(r, index, &c, letter);
    else if (letter == 's' || letter == 'w')
        ct_sp_write_switch(r, index, &c, letter);
    else if (letter == 't')
        ct_sp_write_line(r, index, &c);
    else if (letter == 'x')
        write_instance(r, index, &c);
}

/* What is read without a message is part of the model; couplings and coupled inductors come as
 * groups. */
static void write_device(reader *r, card k, uint32_t index)
{
    cursor c = ct_sp_start(r, k.at, k.end);
    token name = ct_sp_take(r, &c);
    ct_node last = r->scope.at[r->here].last;
    size_t told = ct_diag_count(r->ctx);
    write_one(r, k, index, c);
    bool grouped = r->thing.at[index].group || r->thing.at[index].letter == 'k';
    if (last == r->scope.at[r->here].last && !grouped && told == ct_diag_count(r->ctx) &&
        !ct_error_count(r->ctx))
        ct_sp_error(r, "E801", ct_sp_place(r, name), "this card cannot be read");
}

void ct_sp_write_devices(reader *r, uint32_t in)
{
    for (uint32_t i = 0; i < r->scope.at[in].device.count; i++)
        write_device(r, r->card.at[r->scope.at[in].device.at[i]], r->scope.at[in].owner.at[i]);
}
