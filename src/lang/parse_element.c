/* parse_element.c - components, settings and equations; definitions of elements and systems. */
#include "lang/parser.h"

#include <string.h>

#include "base/suggest.h"

/* ---- components --------------------------------------------------------------------------- */

static void read_ports(ct_parser *p, ct_children *parts)
{
    uint32_t open = p->token.at;
    if (!ct_accept(p, '('))
        return;
    bool empty = ct_is(p, ')');
    while (!empty && !p->panic) {
        uint32_t at = p->token.at;
        ct_children terminals = {0};
        ct_read_expr_list(p, &terminals);
        ct_add(p, parts, ct_make(p, CT_NODE_PORTS, at, 0, terminals));
        if (!ct_accept(p, '|'))
            break;
    }
    bool key =
        ct_is(p, CT_TOKEN_WORD) && ct_lex_peek_assign(&p->lex, p->token.at + p->token.length);
    if (key) {
        ct_fail(p, "E106", (ct_place){p->lex.source, open, 1},
                ct_printf(p->ctx, "`(` of line %u is not closed", (unsigned)ct_line_of(p, open)),
                ct_printf(p->ctx, "write `)` before %s", ct_token_text(p, p->token)));
        ct_lex_close(&p->lex, p->base);
    }
    ct_expect(p, ')', "`,`, `|` or `)`");
}

/* `G1 : ground(b)`, as in schematics. */
static void check_type(ct_parser *p)
{
    if (!ct_is(p, CT_TOKEN_GROUND))
        return;
    uint32_t end = p->token.at + p->token.length;
    const char *open = p->lex.text + end + strspn(p->lex.text + end, " (");
    uint32_t at = (uint32_t)(open - p->lex.text);
    ct_fail(p, "E110", ct_token_place(p, p->token), "`ground` is a node, not a component",
            ct_printf(p->ctx, "write `ground %.*s`: another name for ground",
                      (int)(ct_lex_skip_name(&p->lex, at) - at), open));
}

static ct_node read_component(ct_parser *p, ct_node name)
{
    uint32_t at = ct_edit(p, name)->at;
    ct_children parts = {0};
    ct_add(p, &parts, name);
    ct_advance(p);
    check_type(p);
    ct_add(p, &parts, ct_read_id(p, CT_NAME_THING, "the type of the component"));
    read_ports(p, &parts);
    if (ct_is(p, ',')) {
        ct_unexpected(p, "a key",
                      "no comma between the terminals and the keys: `vsource(a, b)  v = 1`");
        return ct_make(p, CT_NODE_COMPONENT, at, 0, parts);
    }
    if (ct_is(p, CT_TOKEN_WORD))
        ct_read_keys(p, &parts);
    else if (ct_is(p, CT_TOKEN_NUMBER) || ct_is(p, '['))
        ct_unexpected(p, "a key",
                      ct_printf(p->ctx, "say what it is the value of, as in `R = %.*s`",
                                (int)p->token.length, p->lex.text + p->token.at));
    if (ct_is(p, '{'))
        ct_add(p, &parts, ct_read_frames(p));
    return ct_make(p, CT_NODE_COMPONENT, at, 0, parts);
}

/* ---- statements without a word of their own ----------------------------------------------- */

static bool is_plain_reference(ct_parser *p, ct_node n)
{
    if (!n || ct_edit(p, n)->kind != CT_NODE_REF)
        return false;
    ct_node first = ct_edit(p, n)->first;
    return ct_edit(p, n)->name ? first == 0 : ct_edit(p, first)->next == 0;
}

/* The reference that stands before `:` as the name it is. */
static ct_node name_of_reference(ct_parser *p, ct_node reference)
{
    ct_syntax_node *r = ct_edit(p, reference);
    if (!r->name)
        return r->first;
    r->kind = CT_NODE_NAME;
    return reference;
}

/* What other languages begin such a statement with. */
static const struct foreign_word {
    const char *word, *ours;
} foreign_words[] = {
    {"import", "use"},      {"include", "use"},       {"using", "use"},    {"require", "use"},
    {"parameter", "param"}, {"constant", "const"},    {"let", "param"},    {"real", "param"},
    {"for", "repeat"},      {"loop", "repeat"},       {"while", "repeat"}, {"def", "function"},
    {"subckt", "system"},   {"component", "element"}, {"print", "output"}, {"state", "var"},
};

static const char *suggest_statement(const char *word)
{
    for (size_t i = 0; i < sizeof foreign_words / sizeof *foreign_words; i++)
        if (strcmp(foreign_words[i].word, word) == 0)
            return foreign_words[i].ours;
    size_t count;
    const ct_keyword *list = ct_keyword_list(&count);
    ct_suggestion s = ct_suggest(word);
    for (size_t i = 0; i < count; i++)
        if (list[i].roles & CT_KEYWORD_STATEMENT)
            ct_suggest_try(&s, list[i].text);
    return s.best;
}

static void fail_missing_colon(ct_parser *p, const char *name)
{
    ct_fail(p, "E113", ct_token_place(p, p->token),
            ct_printf(p->ctx, "`:` missing before %s", ct_token_text(p, p->token)),
            ct_printf(p->ctx, "a component is written `%s : TYPE(terminals)  key = value`", name));
}

/* `R1 resistor(a, b)`, `ouput x`, `nonsense`: neither `:` nor `=` follows the first word. A
 * misspelt definition is read as one, else its whole body would be reported. */
static ct_node read_unknown(ct_parser *p, ct_token first)
{
    const char *text = ct_name_text(p->ctx, first.name);
    const char *meant = suggest_statement(text);
    bool typed = ct_is(p, CT_TOKEN_WORD);
    bool call = typed && ct_lex_peek(&p->lex, p->token.at + p->token.length) == '(';
    bool system = meant && strcmp(meant, "system") == 0;
    bool element = meant && strcmp(meant, "element") == 0;
    bool function = meant && strcmp(meant, "function") == 0;
    if (typed && (call || !meant) && !function && !system) {
        fail_missing_colon(p, text);
        return 0;
    }
    ct_complain(p, "E116", ct_token_place(p, first),
                ct_printf(p->ctx, "`%s` begins no statement", text),
                meant ? ct_printf(p->ctx, "did you mean `%s`?", meant)
                      : "a component is written `NAME : TYPE(terminals)  key = value`");
    if (typed && (system || element))
        return system ? ct_read_system(p, first.at) : ct_read_element(p, first.at);
    ct_panic(p);
    return 0;
}

static void fail_equation(ct_parser *p, ct_node left)
{
    bool path = ct_edit(p, left)->kind == CT_NODE_REF;
    ct_place place = {p->lex.source, ct_edit(p, left)->at, ct_edit(p, left)->length};
    ct_fail(p, "E117", place, "an equation stands in an element only",
            path ? "for a value at the start write `initial PATH = VALUE`"
                 : "write it between `element NAME` and `end`");
}

static ct_node read_after_equal(ct_parser *p, ct_node left, uint32_t at)
{
    bool plain = is_plain_reference(p, left) && ct_edit(p, left)->name;
    if (!p->in_element && !plain)
        fail_equation(p, left);
    ct_children sides = {0};
    ct_name name = plain ? ct_edit(p, left)->name : 0;
    if (p->in_element)
        ct_add(p, &sides, left);
    else if (left == p->node.count - 1)
        p->node.count--; /* only its name is needed */
    ct_advance(p);
    ct_add(p, &sides, ct_read_expr(p));
    return p->in_element ? ct_make(p, CT_NODE_EQUATION, at, 0, sides)
                         : ct_make(p, CT_NODE_SETTING, at, name, sides);
}

/* A comparison written `==` where an equation or a setting with one `=` is meant. */
static bool fail_double_equal(ct_parser *p, ct_node left)
{
    const ct_syntax_node *n = left ? ct_edit(p, left) : NULL;
    if (!n || n->kind != CT_NODE_COMPARE || n->op != CT_EQUAL)
        return false;
    ct_fail(p, "E115", (ct_place){p->lex.source, n->at, n->length}, "`==` compares",
            "write one `=` to set or to equate");
    return true;
}

/* `R[1] : resistor(a, b)` */
static void fail_indexed(ct_parser *p, ct_node left)
{
    ct_node index = left ? ct_edit(p, left)->first : 0;
    bool indexed = index && ct_edit(p, left)->kind == CT_NODE_REF && ct_edit(p, left)->name &&
                   ct_edit(p, index)->kind == CT_NODE_INDEX && !ct_edit(p, index)->next;
    if (!indexed)
        return;
    const ct_syntax_node *i = ct_edit(p, index), *n = ct_edit(p, left);
    ct_fail(p, "E107", (ct_place){p->lex.source, n->at, n->length},
            "a name has its index in braces",
            ct_printf(p->ctx, "write `%s{%.*s}`", ct_name_text(p->ctx, n->name), (int)i->length - 2,
                      p->lex.text + i->at + 1));
}

ct_node ct_read_other_statement(ct_parser *p)
{
    ct_node quick = ct_read_quick_component(p);
    if (quick)
        return quick;
    ct_token first = p->token;
    char next = ct_lex_peek(&p->lex, first.at + first.length);
    if (ct_is_reserved(first.kind) && (next == ':' || next == '='))
        ct_fail(p, "E110", ct_token_place(p, first),
                ct_printf(p->ctx, "%s is a reserved word", ct_token_text(p, first)),
                "take another name");
    if (first.kind == CT_TOKEN_ELSE)
        ct_unexpected(p, "a statement", "`else` follows the `}` of an `if`");
    if (!p->in_element && first.kind != CT_TOKEN_WORD && first.kind != CT_TOKEN_GROUND &&
        first.kind != '[' && first.kind != '(' && first.kind != '-')
        ct_unexpected(p, "a statement", NULL);
    ct_node left = ct_read_expr(p);
    if (ct_is(p, ':') && is_plain_reference(p, left))
        return read_component(p, name_of_reference(p, left));
    if (ct_is(p, ':'))
        fail_indexed(p, left);
    if (ct_is(p, '='))
        return read_after_equal(p, left, first.at);
    if (fail_double_equal(p, left))
        return 0;
    if (first.kind == CT_TOKEN_WORD && is_plain_reference(p, left) && !ct_is(p, CT_TOKEN_BAD))
        return read_unknown(p, first);
    ct_unexpected(p, p->in_element ? "`=`" : "`:` or `=`",
                  p->in_element ? NULL : "a component is written `NAME : TYPE(terminals)`");
    return 0;
}

/* ---- systems and elements ----------------------------------------------------------------- */

static ct_node read_formal(ct_parser *p)
{
    uint32_t at = p->token.at;
    ct_name name = ct_read_word(p, CT_NAME_THING, "the name of a terminal");
    ct_children domain = {0};
    if (ct_accept(p, ':'))
        ct_add(p, &domain, ct_read_id(p, CT_NAME_THING, "a domain, `frame` or `signal`"));
    return ct_make(p, CT_NODE_FORMAL, at, name, domain);
}

static void read_formals(ct_parser *p, ct_children *parts)
{
    ct_expect(p, '(', "`(`");
    if (!ct_is(p, ')'))
        do
            ct_add(p, parts, read_formal(p));
        while (ct_accept(p, ','));
    ct_expect(p, ')', "`,` or `)`");
}

static void take_end(ct_parser *p, const char *what, ct_token name)
{
    if (ct_accept(p, CT_TOKEN_END_WORD) || p->unclosed)
        return;
    ct_complain(p, "E109", ct_token_place(p, name),
                ct_printf(p->ctx, "%s %s has no `end`", what, ct_token_text(p, name)),
                ct_printf(p->ctx, "write `end` after its last line; it began in line %u",
                          (unsigned)ct_line_of(p, name.at)));
    p->unclosed = ct_is(p, CT_TOKEN_END);
}

/* What stands between the head and `end`. An error in the head does not hide the body. */
static ct_node read_body(ct_parser *p, bool in_element, const char *what, ct_token name)
{
    bool outer = p->in_element, failed = p->panic;
    uint32_t at = p->last.at + p->last.length;
    ct_children statements = {0};
    if (!failed && !ct_at_statement_end(p))
        ct_unexpected(p, "a new line", NULL);
    if (p->panic)
        ct_recover(p, false);
    p->in_element = in_element;
    p->open_end++;
    if (ct_enter(p)) {
        ct_read_statements(p, CT_TOKEN_END_WORD, &statements);
    } else {
        p->lex.at =
            p->lex.length; /* hundreds of definitions in each other: no text to go on with */
        p->unclosed = true;
    }
    ct_leave(p);
    p->open_end--;
    p->in_element = outer;
    uint32_t end = p->token.at;
    ct_node n = ct_make(p, CT_NODE_BLOCK, at, 0, statements);
    ct_edit(p, n)->length = end > at ? end - at : 0;
    take_end(p, what, name);
    return failed ? 0 : n;
}

ct_node ct_read_system(ct_parser *p, uint32_t at)
{
    ct_token first = p->token;
    ct_children parts = {0};
    ct_name name = ct_read_word(p, CT_NAME_THING, "the name of the system");
    read_formals(p, &parts);
    if (ct_is(p, CT_TOKEN_STRING))
        ct_add(p, &parts, ct_read_string(p, ""));
    ct_add(p, &parts, read_body(p, false, "system", first));
    return ct_make(p, CT_NODE_SYSTEM, at, name, parts);
}

ct_node ct_read_element(ct_parser *p, uint32_t at)
{
    ct_token first = p->token;
    ct_children parts = {0};
    ct_name name = ct_read_word(p, CT_NAME_THING, "the name of the element");
    if (ct_is(p, CT_TOKEN_STRING))
        ct_add(p, &parts, ct_read_string(p, ""));
    ct_add(p, &parts, read_body(p, true, "element", first));
    return ct_make(p, CT_NODE_ELEMENT, at, name, parts);
}

/* ---- items of elements -------------------------------------------------------------------- */

static void read_ids(ct_parser *p, ct_children *ids, const char *wanted)
{
    do
        ct_add(p, ids, ct_read_id(p, CT_NAME_THING, wanted));
    while (ct_accept(p, ','));
}

ct_node ct_read_port(ct_parser *p, uint32_t at)
{
    ct_children parts = {0};
    read_ids(p, &parts, "the name of a terminal");
    ct_expect(p, ':', "`,` or `:` and a domain");
    ct_name domain = ct_read_word(p, CT_NAME_THING, "a domain, `frame` or `signal`");
    uint32_t start = p->token.at;
    if (ct_accept(p, '(')) {
        ct_children terminals = {0};
        read_ids(p, &terminals, "the name of a terminal");
        ct_expect(p, ')', "`,` or `)`");
        ct_add(p, &parts, ct_make(p, CT_NODE_TERMINALS, start, 0, terminals));
    }
    return ct_make(p, CT_NODE_PORT, at, domain, parts);
}

static ct_node read_edge(ct_parser *p)
{
    uint32_t at = p->token.at;
    ct_children ends = {0};
    ct_name name = ct_read_word(p, CT_NAME_THING, "the name of an edge");
    ct_expect(p, '(', "`(`");
    ct_add(p, &ends, ct_read_path(p));
    ct_expect(p, ',', "`,`");
    ct_add(p, &ends, ct_read_path(p));
    ct_expect(p, ')', "`)`");
    return ct_make(p, CT_NODE_EDGE, at, name, ends);
}

ct_node ct_read_edges(ct_parser *p, uint32_t at)
{
    ct_children edges = {0};
    do
        ct_add(p, &edges, read_edge(p));
    while (ct_accept(p, ','));
    return ct_make(p, CT_NODE_EDGES, at, 0, edges);
}

ct_node ct_read_choice(ct_parser *p, uint32_t at)
{
    ct_children words = {0};
    ct_name name = ct_read_word(p, CT_NAME_VALUE, "the name of the choice");
    ct_expect(p, '=', "`=`");
    do
        ct_add(p, &words, ct_read_id(p, CT_NAME_THING, "a word"));
    while (ct_accept(p, '|'));
    return ct_make(p, CT_NODE_CHOICE, at, name, words);
}

ct_node ct_read_undetermined(ct_parser *p, uint32_t at)
{
    return ct_make_around(p, CT_NODE_UNDETERMINED, at, ct_read_string(p, "a text in quotes"));
}

ct_node ct_read_remark(ct_parser *p, uint32_t at)
{
    return ct_make_around(p, CT_NODE_REMARK, at, ct_read_string(p, "a text in quotes"));
}

ct_node ct_read_source(ct_parser *p, uint32_t at)
{
    return ct_make_around(p, CT_NODE_SOURCE, at, ct_read_string(p, "a text in quotes"));
}

static ct_node read_function(ct_parser *p, uint32_t at, ct_energy_kind kind)
{
    ct_node n = ct_make_around(p, CT_NODE_ENERGY, at, ct_read_expr(p));
    ct_edit(p, n)->op = (uint16_t)kind;
    return n;
}

ct_node ct_read_energy_item(ct_parser *p, uint32_t at)
{
    return read_function(p, at, CT_ENERGY);
}

ct_node ct_read_coenergy(ct_parser *p, uint32_t at)
{
    return read_function(p, at, CT_COENERGY);
}

ct_node ct_read_loss(ct_parser *p, uint32_t at)
{
    return read_function(p, at, CT_LOSS);
}

/* So many expressions, separated by commas. */
static ct_node read_law(ct_parser *p, ct_node_kind kind, uint32_t at, int least, int most)
{
    ct_children parts = {0};
    int count = 0;
    do {
        ct_add(p, &parts, ct_read_expr(p));
        count++;
    } while (count < most && ct_accept(p, ','));
    if (count < least)
        ct_unexpected(p, "`,`",
                      kind == CT_NODE_PAIR
                          ? "`pair a, b`: one of them is zero, the other not negative"
                          : "`slip v, F, limit`: F = limit sign(v), anything between at rest");
    return ct_make(p, kind, at, 0, parts);
}

ct_node ct_read_pair(ct_parser *p, uint32_t at)
{
    return read_law(p, CT_NODE_PAIR, at, 2, 4);
}

ct_node ct_read_slip(ct_parser *p, uint32_t at)
{
    return read_law(p, CT_NODE_SLIP, at, 3, 4);
}
