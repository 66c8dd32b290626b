/* parse_expr.c - expressions, from weak to strong: if, or, and, not, comparison, sum, term, unary,
 * power, operand.
 */
#include "lang/parser.h"

#include <string.h>

/* ---- operands ----------------------------------------------------------------------------- */

static ct_node read_number(ct_parser *p)
{
    ct_token number = p->token;
    ct_children children = {0};
    ct_advance(p);
    if (ct_unit_follows(p))
        ct_add(p, &children, ct_read_unit(p));
    return ct_make(p, CT_NODE_NUMBER, number.at, number.name, children);
}

static ct_node read_bool(ct_parser *p)
{
    ct_token word = p->token;
    ct_advance(p);
    ct_node n = ct_make(p, CT_NODE_BOOL, word.at, 0, (ct_children){0});
    ct_edit(p, n)->op = word.kind == CT_TOKEN_TRUE;
    return n;
}

static ct_node read_parenthesis(ct_parser *p)
{
    bool in_list = p->in_list;
    p->in_list = false;
    ct_advance(p);
    ct_node inner = ct_read_expr(p);
    p->in_list = in_list;
    if (ct_is(p, ',') && inner)
        ct_unexpected(p, "`)`", "a vector stands in square brackets: `[x, y]`");
    ct_expect(p, ')', "`)`");
    return inner;
}

void ct_read_expr_list(ct_parser *p, ct_children *children)
{
    do
        ct_add(p, children, ct_read_expr(p));
    while (ct_accept(p, ','));
}

static ct_node read_row(ct_parser *p)
{
    uint32_t at = p->token.at;
    ct_children entries = {0};
    ct_read_expr_list(p, &entries);
    return ct_make(p, CT_NODE_ROW, at, 0, entries);
}

static ct_node read_matrix(ct_parser *p)
{
    uint32_t at = p->token.at;
    ct_children rows = {0};
    bool in_list = p->in_list, matrix = false;
    p->in_list = true;
    ct_advance(p);
    if (!ct_is(p, ']'))
        ct_add(p, &rows, read_row(p));
    while (ct_accept(p, ';')) {
        matrix = true;
        ct_add(p, &rows, read_row(p));
    }
    p->in_list = in_list;
    ct_expect(p, ']', "`,`, `;` or `]`");
    if (ct_unit_follows(p))
        ct_add(p, &rows, ct_read_unit(p));
    ct_node n = ct_make(p, CT_NODE_MATRIX, at, 0, rows);
    ct_edit(p, n)->op = matrix;
    return n;
}

/* ---- references --------------------------------------------------------------------------- */

static ct_node read_argument(ct_parser *p)
{
    ct_token word = p->token;
    bool named = ct_is(p, CT_TOKEN_WORD) && ct_lex_peek_assign(&p->lex, word.at + word.length);
    if (!named)
        return ct_read_expr(p);
    ct_advance(p);
    ct_advance(p);
    ct_children value = {0};
    ct_add(p, &value, ct_read_expr(p));
    return ct_make(p, CT_NODE_ARG, word.at, word.name, value);
}

static ct_node read_call(ct_parser *p)
{
    uint32_t at = p->token.at;
    ct_children arguments = {0};
    bool in_list = p->in_list;
    p->in_list = false;
    ct_advance(p);
    if (!ct_is(p, ')'))
        do
            ct_add(p, &arguments, read_argument(p));
        while (ct_accept(p, ','));
    p->in_list = in_list;
    ct_expect(p, ')', "`,` or `)`");
    return ct_make(p, CT_NODE_CALL, at, 0, arguments);
}

static ct_node read_reference(ct_parser *p)
{
    uint32_t at = p->token.at;
    ct_children parts = {0};
    ct_name plain = ct_take_name(p, &parts);
    for (;;) {
        if (ct_is(p, '('))
            ct_add(p, &parts, read_call(p));
        else if (!ct_read_suffix(p, &parts))
            return ct_make(p, CT_NODE_REF, at, plain, parts);
    }
}

/* A reserved word alone between commas or brackets was meant as a name: `resistor(over, b)`. */
static bool is_meant_as_name(const ct_parser *p)
{
    char next = ct_lex_peek(&p->lex, p->token.at + p->token.length);
    return ct_is_reserved(p->token.kind) && next && strchr(",)|]", next);
}

/* Where the expression begins that is being read. */
static uint32_t start_of(const ct_parser *p)
{
    return p->ready ? p->node.at[p->ready].at : p->token.at;
}

static ct_node read_operand(ct_parser *p)
{
    ct_node ready = p->ready;
    p->ready = 0;
    if (ready)
        return ready;
    switch (p->token.kind) {
    case CT_TOKEN_NUMBER:
        return read_number(p);
    case CT_TOKEN_STRING:
        return ct_read_string(p, "a string");
    case CT_TOKEN_TRUE:
    case CT_TOKEN_FALSE:
        return read_bool(p);
    case CT_TOKEN_WORD:
    case CT_TOKEN_GROUND:
        return read_reference(p);
    case '(':
        return read_parenthesis(p);
    case '[':
        return read_matrix(p);
    case '|':
        ct_unexpected(p, "an expression", "the absolute value is `abs(x)`");
        return 0;
    case CT_TOKEN_IF:
        ct_unexpected(p, "an operand", "put brackets around `if ... then ... else ...`");
        return 0;
    default:
        if (is_meant_as_name(p))
            ct_fail_reserved(p);
        else
            ct_unexpected(p, "an expression", NULL);
        return 0;
    }
}

/* ---- operators ---------------------------------------------------------------------------- */

static ct_node read_unary(ct_parser *p);

static ct_node read_power(ct_parser *p)
{
    uint32_t at = start_of(p);
    ct_node base = read_operand(p), exponent = 0;
    if (!ct_accept(p, '^'))
        return base;
    if (ct_enter(p))
        exponent = read_unary(p);
    ct_leave(p);
    ct_children both = {0};
    ct_add(p, &both, base);
    ct_add(p, &both, exponent);
    return ct_make(p, CT_NODE_POWER, at, 0, both);
}

static ct_node read_unary(ct_parser *p)
{
    uint32_t at = p->token.at;
    if (p->ready)
        return read_power(p);
    while (ct_accept(p, '+'))
        at = p->token.at;
    if (!ct_accept(p, '-'))
        return read_power(p);
    ct_node operand = 0;
    bool number = ct_is(p, CT_TOKEN_NUMBER);
    if (ct_enter(p))
        operand = read_unary(p);
    ct_leave(p);
    ct_node n = ct_make_around(p, CT_NODE_NEG, at, operand);
    if (number && operand && ct_edit(p, operand)->kind == CT_NODE_NUMBER)
        ct_edit(p, n)->op = ct_edit(p, operand)->first != 0;
    return n;
}

/* One level of left-associative operators: `first plus x minus y ...` becomes one node; what stands
 * behind the inverse operator is wrapped. */
typedef struct level {
    ct_node (*operand)(ct_parser *p);
    uint8_t plain, inverse; /* tokens; inverse 0: none */
    ct_node_kind node, wrap;
} level;

/* `[0 -1]`: a sign with a blank before it and none behind it begins an entry. */
static void check_list_sign(ct_parser *p)
{
    ct_token sign = p->token;
    bool is_sign = sign.kind == '+' || sign.kind == '-';
    if (!p->in_list || !is_sign || !sign.gap)
        return;
    char next = p->lex.text[sign.at + 1];
    if (next == ' ' || next == '\t' || next == '\r' || next == '\n' || next == '#')
        return;
    ct_fail(p, "E111", ct_token_place(p, sign),
            ct_printf(p->ctx, "comma missing before this `%c`", sign.kind),
            "separate entries with a comma; for a sum put spaces on both sides, or none");
}

static ct_node read_level(ct_parser *p, const level *l)
{
    uint32_t at = start_of(p);
    ct_node first = l->operand(p);
    if (!ct_is(p, l->plain) && (!l->inverse || !ct_is(p, l->inverse)))
        return first;
    ct_children operands = {0};
    ct_add(p, &operands, first);
    while (ct_is(p, l->plain) || (l->inverse && ct_is(p, l->inverse))) {
        ct_token sign = p->token;
        check_list_sign(p);
        ct_advance(p);
        ct_node operand = l->operand(p);
        if (sign.kind == l->inverse)
            operand = ct_make_around(p, l->wrap, sign.at, operand);
        ct_add(p, &operands, operand);
    }
    return ct_make(p, l->node, at, 0, operands);
}

static ct_node read_term(ct_parser *p)
{
    static const level products = {read_unary, '*', '/', CT_NODE_PRODUCT, CT_NODE_INV};
    return read_level(p, &products);
}

ct_node ct_read_sum(ct_parser *p)
{
    static const level sums = {read_term, '+', '-', CT_NODE_SUM, CT_NODE_NEG};
    return read_level(p, &sums);
}

static int relation_of(uint8_t kind)
{
    switch (kind) {
    case '<':
        return CT_LESS;
    case CT_TOKEN_LESS_EQUAL:
        return CT_LESS_EQUAL;
    case '>':
        return CT_GREATER;
    case CT_TOKEN_GREATER_EQUAL:
        return CT_GREATER_EQUAL;
    case CT_TOKEN_EQUAL:
        return CT_EQUAL;
    case CT_TOKEN_UNEQUAL:
        return CT_UNEQUAL;
    default:
        return -1;
    }
}

static ct_node read_comparison(ct_parser *p)
{
    uint32_t at = start_of(p);
    ct_node left = ct_read_sum(p);
    int relation = relation_of(p->token.kind);
    if (relation < 0)
        return left;
    ct_advance(p);
    ct_children both = {0};
    ct_add(p, &both, left);
    ct_add(p, &both, ct_read_sum(p));
    if (relation_of(p->token.kind) >= 0)
        ct_fail(p, "E114", ct_token_place(p, p->token), "comparisons do not chain",
                "write `a < b and b < c`");
    ct_node n = ct_make(p, CT_NODE_COMPARE, at, 0, both);
    ct_edit(p, n)->op = (uint16_t)relation;
    return n;
}

static ct_node read_not(ct_parser *p)
{
    uint32_t at = p->token.at;
    if (p->ready || !ct_accept(p, CT_TOKEN_NOT))
        return read_comparison(p);
    ct_node operand = 0;
    if (ct_enter(p))
        operand = read_not(p);
    ct_leave(p);
    return ct_make_around(p, CT_NODE_NOT, at, operand);
}

static ct_node read_and(ct_parser *p)
{
    static const level ands = {read_not, CT_TOKEN_AND, 0, CT_NODE_AND, CT_NODE_NONE};
    return read_level(p, &ands);
}

static ct_node read_or(ct_parser *p)
{
    static const level ors = {read_and, CT_TOKEN_OR, 0, CT_NODE_OR, CT_NODE_NONE};
    return read_level(p, &ors);
}

void ct_check_condition(ct_parser *p)
{
    if (ct_is(p, '='))
        ct_fail(p, "E115", ct_token_place(p, p->token), "`=` in a condition",
                "write `==` to compare");
}

static ct_node read_if(ct_parser *p)
{
    uint32_t at = p->token.at;
    ct_children parts = {0};
    ct_advance(p);
    ct_add(p, &parts, ct_read_expr(p));
    ct_check_condition(p);
    ct_expect(p, CT_TOKEN_THEN, "`then`");
    ct_add(p, &parts, ct_read_expr(p));
    if (!ct_is(p, CT_TOKEN_ELSE))
        ct_unexpected(p, "`else`", "an expression needs a value for both cases");
    ct_advance(p);
    ct_add(p, &parts, ct_read_expr(p));
    return ct_make(p, CT_NODE_IF, at, 0, parts);
}

/* No operator: what was read is the whole expression. */
static bool ends_expression(const ct_parser *p)
{
    switch (p->token.kind) {
    case ',':
    case ')':
    case ':':
    case '=':
    case '}':
    case CT_TOKEN_NEWLINE:
        return true;
    default:
        return false;
    }
}

/* Most expressions are a name or a number alone: they need not go through all levels. */
static ct_node read_simple(ct_parser *p)
{
    if (!ct_is(p, CT_TOKEN_WORD) && !ct_is(p, CT_TOKEN_NUMBER))
        return read_or(p);
    ct_node n = read_operand(p);
    if (ends_expression(p))
        return n;
    p->ready = p->panic ? 0 : n;
    return p->panic ? n : read_or(p);
}

ct_node ct_read_expr(ct_parser *p)
{
    ct_node n = 0;
    if (ct_enter(p))
        n = ct_is(p, CT_TOKEN_IF) ? read_if(p) : read_simple(p);
    ct_leave(p);
    return n;
}
