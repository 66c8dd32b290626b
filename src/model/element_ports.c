/* element_ports.c - the outside of an element: ports, edges, choices, and paths to edges. */
#include <string.h>

#include "model/element.h"

static const char *text_of(builder *b, ct_name name)
{
    return ct_name_text(b->ctx, name);
}

/* ---- which keys decide about the structure */

/* CHOICE or CONST when the element declares such a name, else NONE. */
ct_node_kind ct_option_kind(const definition *d, ct_name name)
{
    const ct_syntax *s = d->s;
    ct_node block = ct_child(s, d->node, CT_NODE_BLOCK);
    for (ct_node n = block ? ct_at(s, block)->first : 0; n; n = ct_at(s, n)->next) {
        if (ct_at(s, n)->kind == CT_NODE_CHOICE && ct_at(s, n)->name == name)
            return CT_NODE_CHOICE;
        if (ct_at(s, n)->kind != CT_NODE_CONST)
            continue;
        for (ct_node c = ct_at(s, n)->first; c; c = ct_at(s, c)->next)
            if (ct_at(s, ct_at(s, c)->first)->name == name)
                return CT_NODE_CONST;
    }
    return CT_NODE_NONE;
}

bool ct_element_option(const definition *d, ct_name name)
{
    return ct_option_kind(d, name) != CT_NODE_NONE;
}

bool ct_option_key(const definition *d, const where *w, ct_node key, ct_name *name, ct_node *expr)
{
    if (ct_at(w->s, key)->kind != CT_NODE_KEY || ct_at(w->s, key)->op)
        return false;
    ct_node path = ct_at(w->s, key)->first;
    *expr = ct_at(w->s, path)->next;
    return ct_plain_name(w->s, ct_at(w->s, path)->first, name) && ct_element_option(d, *name);
}

/* ---- ports and edges */

ct_name ct_edge_with(const element_scope *es, const char *variable)
{
    for (uint32_t i = 0; i < es->edge.count; i++)
        if (ct_domain_variable(es->edge.at[i].domain, variable) >= 0)
            return es->edge.at[i].whole;
    return 0;
}

bool ct_is_choice_word(const where *w, ct_name name)
{
    for (uint32_t i = 0; i < w->element->word.count; i++)
        if (w->element->word.at[i] == name)
            return true;
    return false;
}

uint32_t ct_element_terminal(const element_scope *es, ct_name name)
{
    for (uint32_t i = 0; i < es->terminal.count; i++)
        if (es->terminal.at[i].whole == name)
            return i;
    return UINT32_MAX;
}

void ct_element_fail(element_scope *es)
{
    es->out->broken = true;
}

static void add_terminal(builder *b, const where *w, ct_node id, uint32_t domain)
{
    element_scope *es = w->element;
    ct_name name = ct_at(w->s, id)->name;
    if (ct_element_terminal(es, name) != UINT32_MAX) {
        ct_error(b->ctx, "E201", ct_place_of(w->s, id), "terminal `%s` is declared twice",
                 text_of(b, name));
        ct_element_fail(es);
        return;
    }
    bool generic = ct_at(w->s, w->element->port)->name == ct_intern_text(b->ctx, "any");
    ct_terminal t = {.domain = domain, .generic = generic, .group = es->groups, .whole = name};
    t.width = domain == CT_SIGNAL_PORT ? 1 : ct_width_of(es->widths, es->groups);
    for (uint32_t i = 0; i < t.width; i++) {
        t.name = ct_entry_name(b, name, t.width, i);
        CT_PUSH(b->arena, es->terminal, t);
    }
}

static bool port_domain(builder *b, const where *w, ct_node n, uint32_t *domain)
{
    const char *text = text_of(b, ct_at(w->s, n)->name);
    if (strcmp(text, "signal") == 0) {
        *domain = CT_SIGNAL_PORT;
        return true;
    }
    if (strcmp(text, "any") == 0) {
        *domain = (uint32_t)(w->element->domains >> (8 * (w->element->groups % 8)) & 255);
        w->element->out->generic = true;
        return true;
    }
    return ct_find_domain(b, ct_at(w->s, n)->name, ct_place_of(w->s, n), ", or signal", domain);
}

static void add_signal_port(builder *b, const where *w, ct_node id)
{
    entry *e = ct_add_entry(b, w->scope, ENTRY_PARAM, ct_at(w->s, id)->name, ct_place_of(w->s, id));
    if (e)
        e->where = ct_share_where(b, w);
}

/* A port that takes two frames, and names what moves between them: the way of the head in the axes
 * of the tail, and turns. */
typedef struct frame_port {
    const char *word;
    uint32_t least, most, ways; /* edges; the first of them are translational */
    uint8_t spaces;
    const char *help;
} frame_port;

static const frame_port frame_ports[] = {
    {"frame", 2, 3, 2, CT_IN_BOTH, "write port way : frame(x, y) or port way : frame(x, y, turn)"},
    {"axes", 6, 6, 3, CT_IN_SPACE, "write port way : axes(x, y, z, turn1, bend, turn2)"},
};

static const frame_port *find_frame_port(const char *word)
{
    for (size_t i = 0; i < sizeof frame_ports / sizeof *frame_ports; i++)
        if (strcmp(frame_ports[i].word, word) == 0)
            return &frame_ports[i];
    return NULL;
}

static void report_frame_port(builder *b, const where *w, ct_node n, const frame_port *p)
{
    ct_report *r = ct_error(b->ctx, "E403", ct_place_of(w->s, n),
                            "a port between two frames names two edges, or three%s",
                            p->most > 3 ? "; with `axes` six" : "");
    ct_note(r, p->most > 3 ? "three are the way of the head in the tail's axes, then turns about z "
                             "of the tail, the line across both z, and z of the head"
                           : "the first two are the way of the head in x and y of the tail's axes, "
                             "the third its turn");
    ct_help(r, "%s", p->help);
    ct_element_fail(w->element);
}

/* One edge of a port between frames, with terminals of its own. */
static void add_frame_edge(builder *b, const where *w, ct_node id, const char *domain,
                           uint8_t spaces)
{
    element_scope *es = w->element;
    ct_terminal t = {.group = es->groups, .width = 1, .frame = true, .spaces = spaces};
    ct_element_edge e = {.name = ct_at(w->s, id)->name,
                         .whole = ct_at(w->s, id)->name,
                         .width = 1,
                         .tail = es->terminal.count,
                         .head = es->terminal.count + 1};
    static const char *const ends[] = {"tail", "head"};
    ct_domain_find(domain, &t.domain);
    e.domain = t.domain;
    for (int i = 0; i < 2; i++) {
        t.name = t.whole = ct_join_path(b, e.name, ct_intern_text(b->ctx, ends[i]));
        CT_PUSH(b->arena, es->terminal, t);
    }
    CT_PUSH(b->arena, es->edge, e);
}

static void read_frame_port(builder *b, const where *w, ct_node n, const frame_port *p)
{
    ct_node list = ct_child(w->s, n, CT_NODE_TERMINALS);
    uint32_t count = 0;
    for (ct_node id = list ? ct_at(w->s, list)->first : 0; id; id = ct_at(w->s, id)->next)
        if (ct_at(w->s, id)->kind == CT_NODE_ID && ++count <= p->most)
            add_frame_edge(b, w, id, count <= p->ways ? "translational" : "rotational", p->spaces);
    if (count < p->least || count > p->most)
        report_frame_port(b, w, n, p);
    w->element->groups++;
}

static void read_port(builder *b, const where *w, ct_node n)
{
    uint32_t domain;
    ct_node terminals = ct_child(w->s, n, CT_NODE_TERMINALS);
    ct_node list = terminals ? terminals : n;
    w->element->port = n;
    const frame_port *frames = find_frame_port(text_of(b, ct_at(w->s, n)->name));
    if (frames) {
        read_frame_port(b, w, n, frames);
        return;
    }
    bool known = port_domain(b, w, n, &domain);
    if (!known)
        ct_element_fail(w->element);
    for (ct_node id = ct_at(w->s, list)->first; id; id = ct_at(w->s, id)->next) {
        if (ct_at(w->s, id)->kind != CT_NODE_ID)
            continue;
        if (!known) {
            CT_PUSH(b->scratch, w->element->lost, ct_at(w->s, id)->name);
            continue;
        }
        add_terminal(b, w, id, domain);
        if (domain == CT_SIGNAL_PORT)
            add_signal_port(b, w, id);
    }
    w->element->groups++;
}

static bool is_lost(const element_scope *es, ct_name name)
{
    for (uint32_t i = 0; i < es->lost.count; i++)
        if (es->lost.at[i] == name)
            return true;
    return false;
}

static void lose_edge(builder *b, element_scope *es, ct_name name)
{
    CT_PUSH(b->scratch, es->lost, name);
    ct_element_fail(es);
}

static bool edge_end(builder *b, const where *w, ct_node path, uint32_t *end, uint32_t *domain)
{
    ct_node ref = ct_at(w->s, path)->first;
    ct_name name;
    *end = CT_GROUND_TERMINAL;
    if (ct_plain_name(w->s, ref, &name) && name == b->name_ground)
        return true;
    *end = name ? ct_element_terminal(w->element, name) : UINT32_MAX;
    if (name && is_lost(w->element, name))
        return false;
    if (*end == UINT32_MAX || w->element->terminal.at[*end].domain == CT_SIGNAL_PORT) {
        ct_report *r = ct_error(b->ctx, "E403", ct_place_of(w->s, path),
                                "an edge joins two terminals of this element, or ground");
        ct_help(r, "declare the terminal with `port`");
        return false;
    }
    *domain = w->element->terminal.at[*end].domain;
    return true;
}

static uint32_t width_at(const element_scope *es, uint32_t terminal)
{
    return terminal == CT_GROUND_TERMINAL ? 0 : es->terminal.at[terminal].width;
}

/* One edge for each entry of its nodes. */
static void push_edges(builder *b, element_scope *es, ct_element_edge e)
{
    uint32_t tail = width_at(es, e.tail), head = width_at(es, e.head);
    if (tail && head && tail != head) {
        ct_error(b->ctx, "E240", e.place, "an edge joins %u entries with %u", tail, head);
        lose_edge(b, es, e.whole);
        return;
    }
    e.width = tail ? tail : head;
    for (e.part = 0; e.part < e.width; e.part++) {
        e.name = ct_entry_name(b, e.whole, e.width, e.part);
        CT_PUSH(b->arena, es->edge, e);
        e.tail += tail > 0, e.head += head > 0;
    }
}

static void read_edge_decl(builder *b, const where *w, ct_node n)
{
    element_scope *es = w->element;
    ct_node tail = ct_at(w->s, n)->first, head = ct_at(w->s, tail)->next;
    uint32_t from = CT_NO_DOMAIN, to = CT_NO_DOMAIN;
    ct_element_edge e = {.name = ct_at(w->s, n)->name, .place = ct_place_of(w->s, n)};
    e.whole = e.name;
    if (!edge_end(b, w, tail, &e.tail, &from) || !edge_end(b, w, head, &e.head, &to)) {
        lose_edge(b, es, e.name);
        return;
    }
    e.domain = from != CT_NO_DOMAIN ? from : to;
    bool mixed = from != CT_NO_DOMAIN && to != CT_NO_DOMAIN && from != to;
    if (mixed || e.domain == CT_NO_DOMAIN) {
        ct_error(b->ctx, "E403", e.place,
                 mixed ? "an edge joins terminals of one domain"
                       : "an edge from ground to ground means nothing");
        lose_edge(b, es, e.name);
        return;
    }
    for (uint32_t i = 0; i < es->edge.count; i++) {
        if (es->edge.at[i].whole != e.whole)
            continue;
        ct_error(b->ctx, "E201", e.place, "edge `%s` is declared twice", text_of(b, e.name));
        ct_element_fail(es);
    }
    push_edges(b, es, e);
}

static void read_choice(builder *b, const where *w, ct_node n)
{
    element_scope *es = w->element;
    ct_name chosen = ct_at(w->s, ct_at(w->s, n)->first)->name, name;
    ct_node expr;
    bool fits = true, given = false;
    ct_place place = ct_place_of(w->s, n);
    ct_node key = es->component ? ct_at(es->outer->s, es->component)->first : 0;
    for (; key; key = ct_at(es->outer->s, key)->next) {
        if (!ct_option_key(es->d, es->outer, key, &name, &expr) || name != ct_at(w->s, n)->name)
            continue;
        place = ct_place_of(es->outer->s, expr);
        given = true;
        fits = ct_plain_name(es->outer->s, expr, &chosen);
    }
    bool known = false;
    ct_text list = ct_text_new(b->ctx->base);
    for (ct_node id = ct_at(w->s, n)->first; id; id = ct_at(w->s, id)->next) {
        known |= ct_at(w->s, id)->name == chosen;
        ct_putf(&list, "%s%s", list.length ? ", " : "", text_of(b, ct_at(w->s, id)->name));
        CT_PUSH(b->scratch, es->word, ct_at(w->s, id)->name);
    }
    if (given && (!fits || !known)) {
        ct_report *r = ct_error(b->ctx, "E204", place, "`%s` must be one of %s",
                                text_of(b, ct_at(w->s, n)->name), ct_text_string(&list));
        ct_witness(r, text_of(b, ct_at(w->s, n)->name));
        ct_element_fail(es);
    }
    entry *e = ct_add_entry(b, w->scope, ENTRY_CHOICE, ct_at(w->s, n)->name, ct_place_of(w->s, n));
    if (e)
        e->value = (shaped){.word = chosen};
}

static void read_structure(builder *b, const where *w, ct_node n)
{
    ct_element *out = w->element->out;
    ct_node first = ct_at(w->s, n)->first;
    switch ((int)ct_at(w->s, n)->kind) {
    case CT_NODE_PORT:
        read_port(b, w, n);
        break;
    case CT_NODE_CHOICE:
        read_choice(b, w, n);
        break;
    case CT_NODE_SOURCE:
        out->source = text_of(b, ct_at(w->s, first)->name);
        break;
    case CT_NODE_REMARK:
        out->remark = text_of(b, ct_at(w->s, first)->name);
        break;
    case CT_NODE_UNDETERMINED:
        out->undetermined = text_of(b, ct_at(w->s, first)->name);
        break;
    default:
        break;
    }
}

static void read_edges(builder *b, const where *w, ct_node n)
{
    for (ct_node e = ct_at(w->s, n)->first; e; e = ct_at(w->s, e)->next)
        read_edge_decl(b, w, e);
}

/* ---- paths: `e.v` */

static shaped report_edge(builder *b, const where *w, ct_name name, ct_place place)
{
    if (is_lost(w->element, name) || b->partial)
        return ct_broken_value();
    ct_suggestion near = ct_suggest(text_of(b, name));
    for (uint32_t i = 0; i < w->element->edge.count; i++)
        ct_suggest_try(&near, text_of(b, w->element->edge.at[i].whole));
    ct_report *r =
        ct_error(b->ctx, "E211", place, "this element has no edge `%s`", text_of(b, name));
    if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    else
        ct_note(r, "an element sees its own edges, parameters and signals only");
    ct_witness(r, text_of(b, name));
    return ct_broken_value();
}

/* `across` and `through` stand for the domain's own names: the first two rows of every domain. */
static int own_row(uint32_t domain, const char *name)
{
    if (strcmp(name, "across") == 0)
        return 0;
    return strcmp(name, "through") == 0 ? 1 : ct_domain_variable(domain, name);
}

/* Row of what an edge stores, CT_STORED_ROWS: none of that name. */
static uint32_t stored_row(uint32_t domain, const char *name)
{
    const ct_stored_row *row = ct_domain_row_at(domain)->stored;
    uint32_t k = 0;
    while (k < CT_STORED_ROWS && !(row[k].name && strcmp(row[k].name, name) == 0))
        k++;
    return k;
}

/* The first reader makes it. */
static void keep_stored(builder *b, element_scope *es, stored s)
{
    for (uint32_t i = 0; i < es->stored.count; i++)
        if (es->stored.at[i].name == s.name)
            return;
    CT_PUSH(b->scratch, es->stored, s);
}

/* `e.charge`: one for each entry of the edge; false: there is no such thing. */
static bool read_stored(builder *b, element_scope *es, uint32_t edge, ct_name variable,
                        ct_place place, shaped *v)
{
    uint32_t domain = es->edge.at[edge].domain, row = stored_row(domain, text_of(b, variable));
    if (row == CT_STORED_ROWS)
        return false;
    const char *problem, *hint, *unit = ct_domain_row_at(domain)->stored[row].unit;
    uint32_t known = ct_find_unit(b, ct_intern_text(b->ctx, unit), &problem, &hint);
    ct_dim dim = b->unit.at[known - 1].dim; /* finding may have moved the list */
    cell *c;
    *v = ct_matrix_of(b, es->edge.at[edge].width, 1, &c);
    for (uint32_t k = 0; k < v->rows; k++) {
        stored s = {.edge = edge + k, .row = row, .dim = dim, .place = place};
        s.name = ct_join_path(b, es->edge.at[edge + k].name, variable);
        keep_stored(b, es, s);
        c[k] = (cell){ct_expr_symbol(b->pool, s.name), ct_term_known(dim)};
    }
    return true;
}

shaped ct_read_element_path(builder *b, const where *w, ct_name name, ct_node field, ct_place place)
{
    element_scope *es = w->element;
    ct_name variable;
    uint32_t i = 0;
    while (i < es->edge.count && es->edge.at[i].whole != name)
        i++;
    if (i == es->edge.count)
        return report_edge(b, w, name, place);
    if (!ct_field_name(b, w, field, &variable))
        return ct_broken_value();
    uint32_t domain = es->edge.at[i].domain;
    int row = own_row(domain, text_of(b, variable));
    shaped kept;
    if (row < 0 && read_stored(b, es, i, variable, ct_place_of(w->s, field), &kept))
        return ct_with_postfix(b, w, ct_at(w->s, field)->next, ct_entry_value(b, es, kept));
    if (row < 0) {
        const ct_domain_row *d = ct_domain_row_at(domain);
        ct_report *r =
            ct_error(b->ctx, "E212", ct_place_of(w->s, field), "%s %s edge has no variable `%s`",
                     ct_article(d->name), d->name, text_of(b, variable));
        ct_note(r, "it has %s and %s", d->variable[0].name, d->variable[1].name);
        return ct_broken_value();
    }
    variable = ct_intern_text(b->ctx, ct_domain_row_at(domain)->variable[row].name);
    cell *c;
    shaped v = ct_matrix_of(b, es->edge.at[i].width, 1, &c);
    for (uint32_t k = 0; k < v.rows; k++)
        c[k] = (cell){ct_expr_symbol(b->pool, ct_join_path(b, es->edge.at[i + k].name, variable)),
                      ct_term_known(b->dim[domain][row])};
    return ct_with_postfix(b, w, ct_at(w->s, field)->next, ct_entry_value(b, es, v));
}

const pass ct_structure_pass = {read_structure,
                                KIND_BIT(PORT) | KIND_BIT(CHOICE) | KIND_BIT(SOURCE) |
                                    KIND_BIT(UNDETERMINED) | KIND_BIT(REMARK),
                                false};
const pass ct_edge_pass = {read_edges, KIND_BIT(EDGES), false};
