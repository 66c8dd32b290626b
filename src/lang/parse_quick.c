/* parse_quick.c - the short way for what large texts are made of: a component on one line whose
 * terminals are plain names and whose keys are numbers or plain names. It makes the same nodes and
 * meets names in the same order as the long way; what does not fit goes that way, which also does
 * all reporting. */
#include "lang/parser.h"

#include <string.h>

static char skip_blanks(ct_parser *p)
{
    const char *text = p->lex.text;
    uint32_t at = p->lex.at;
    while (text[at] <= ' ' && (text[at] == ' ' || text[at] == '\t')) /* most often there is none */
        at++;
    p->lex.at = at;
    return text[at];
}

static bool take(ct_parser *p, char c)
{
    if (skip_blanks(p) != c)
        return false;
    p->lex.at++;
    return true;
}

/* `=`, and not `==` */
static bool take_assign(ct_parser *p)
{
    return take(p, '=') && p->lex.text[p->lex.at] != '=';
}

/* Only where it stands matters of a token that was taken. */
static void set_last(ct_parser *p, uint8_t kind, uint32_t at)
{
    p->last.kind = kind;
    p->last.at = at;
    p->last.length = p->lex.at - at;
}

/* A word without holes that is not reserved, unless this one is allowed; 0: something else. */
static ct_name take_word(ct_parser *p, uint8_t allowed)
{
    char first = skip_blanks(p);
    uint32_t at = p->lex.at, end = ct_lex_word_end(&p->lex, at);
    if (end == at || (first >= '0' && first <= '9') || p->lex.text[end] == '{')
        return 0;
    ct_name name = ct_intern(p->ctx, p->lex.text + at, end - at);
    const ct_keyword *word = ct_keyword_find(&p->lex, name);
    if (word && word->token && word->token != allowed)
        return 0;
    p->lex.at = end;
    set_last(p, CT_TOKEN_WORD, at);
    return name;
}

static ct_node make_leaf(ct_parser *p, ct_node_kind kind, ct_name name)
{
    return ct_make(p, kind, p->last.at, name, (ct_children){0});
}

static bool read_terminals(ct_parser *p, ct_children *parts)
{
    ct_children terminals = {0};
    if (!take(p, '('))
        return false;
    skip_blanks(p);
    uint32_t at = p->lex.at;
    do {
        ct_name name = take_word(p, CT_TOKEN_GROUND);
        if (!name)
            return false;
        ct_add(p, &terminals, make_leaf(p, CT_NODE_REF, name));
    } while (take(p, ','));
    ct_add(p, parts, ct_make(p, CT_NODE_PORTS, at, 0, terminals));
    uint32_t close = p->lex.at;
    if (!take(p, ')'))
        return false;
    set_last(p, ')', close);
    return true;
}

/* A unit that is one word; `up to` is none. */
static bool read_plain_unit(ct_parser *p, ct_children *number)
{
    const char *problem, *hint;
    ct_name name = take_word(p, 0);
    bool plain =
        name && !ct_lex_goes_on(&p->lex) && !ct_keyword_has(&p->lex, name, CT_KEYWORD_VALUE);
    if (!plain || !ct_lex_is_unit(&p->lex, name, &problem, &hint))
        return false;
    p->last.kind = CT_TOKEN_UNIT;
    ct_add(p, number, make_leaf(p, CT_NODE_UNIT, name));
    return true;
}

static ct_node read_plain_number(ct_parser *p)
{
    uint32_t at = p->lex.at, end = ct_lex_number_end(&p->lex, at);
    ct_children unit = {0};
    if (!end)
        return 0;
    ct_name name = ct_intern(p->ctx, p->lex.text + at, end - at);
    p->lex.at = end;
    set_last(p, CT_TOKEN_NUMBER, at);
    char next = skip_blanks(p);
    bool ends = next == ',' || next == '\n' || next == '\r';
    if (!ends && !read_plain_unit(p, &unit))
        return 0;
    return ct_make(p, CT_NODE_NUMBER, at, name, unit);
}

static bool read_plain_key(ct_parser *p, ct_children *parts)
{
    ct_children key = {0};
    ct_name name = take_word(p, 0);
    uint32_t at = p->last.at;
    if (!name)
        return false;
    ct_add(p, &key, ct_make_around(p, CT_NODE_PATH, at, make_leaf(p, CT_NODE_REF, name)));
    if (!take_assign(p))
        return false;
    char first = skip_blanks(p);
    bool number = first >= '0' && first <= '9';
    ct_name word = number ? 0 : take_word(p, 0);
    ct_node value = number ? read_plain_number(p) : word ? make_leaf(p, CT_NODE_REF, word) : 0;
    ct_add(p, &key, value);
    ct_add(p, parts, ct_make(p, CT_NODE_KEY, at, 0, key));
    return value != 0;
}

/* A line that begins with a word ends the statement before it, unless it is `then` or `else`. */
static bool next_line_begins(const ct_parser *p)
{
    char next = p->lex.text[p->lex.at + 1];
    return ct_word_characters[(unsigned char)next] && next != 't' && next != 'e' &&
           p->lex.open.count == p->base;
}

/* The line break that ends the statement becomes the next token. */
static bool take_line_end(ct_parser *p)
{
    uint32_t end = p->last.at + p->last.length;
    skip_blanks(p);
    p->lex.at += p->lex.text[p->lex.at] == '\r';
    p->lex.previous = p->last.kind;
    if (p->lex.text[p->lex.at] != '\n' || !(next_line_begins(p) || ct_lex_break_ends(&p->lex)))
        return false;
    p->token =
        (ct_token){.kind = CT_TOKEN_NEWLINE, .gap = p->lex.at > end, .at = p->lex.at, .length = 1};
    p->lex.at++;
    p->lex.previous = CT_TOKEN_NEWLINE;
    p->lex.previous_hole = false;
    return true;
}

static ct_node read_line(ct_parser *p)
{
    ct_token first = p->token;
    ct_children parts = {0};
    p->last = first;
    if (!take(p, ':') || p->lex.text[p->lex.at] == '=')
        return 0;
    ct_add(p, &parts, make_leaf(p, CT_NODE_REF, first.name));
    ct_edit(p, parts.first)->kind = CT_NODE_NAME; /* as of any reference before a colon */
    ct_name type = take_word(p, 0);
    if (!type)
        return 0;
    ct_add(p, &parts, make_leaf(p, CT_NODE_ID, type));
    if (!read_terminals(p, &parts))
        return 0;
    bool keys = ct_word_characters[(unsigned char)skip_blanks(p)];
    while (keys) {
        if (!read_plain_key(p, &parts))
            return 0;
        keys = take(p, ',');
    }
    ct_node n = ct_make(p, CT_NODE_COMPONENT, first.at, 0, parts);
    return take_line_end(p) ? n : 0;
}

ct_node ct_read_quick_component(ct_parser *p)
{
    ct_token token = p->token, last = p->last;
    uint32_t at = p->lex.at, count = p->node.count;
    uint64_t kinds = p->kinds;
    uint8_t previous = p->lex.previous;
    bool plain = token.kind == CT_TOKEN_WORD && !token.hole && !p->in_element && !p->panic &&
                 p->depth + 2 < CT_MAX_NESTING;
    ct_node n = plain ? read_line(p) : 0;
    if (n)
        return n;
    p->token = token, p->last = last;
    p->lex.at = at, p->lex.previous = previous;
    p->node.count = count, p->kinds = kinds;
    return 0;
}
