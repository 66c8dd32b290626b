/* format_expr.c - puts expressions and names into the line, with no more brackets than needed. */
#include "lang/format.h"

#include <string.h>

#include "lang/lexer.h"

/* Strength of an expression; one that is weaker than its place asks for stands in brackets. */
enum strength { IF, OR, AND, NOT, COMPARE, SUM, PRODUCT, NEG, POWER, OPERAND };

static const uint8_t strengths[] = {
    [CT_NODE_IF] = IF,           [CT_NODE_OR] = OR,        [CT_NODE_AND] = AND,
    [CT_NODE_NOT] = NOT,         [CT_NODE_SUM] = SUM,      [CT_NODE_COMPARE] = COMPARE,
    [CT_NODE_PRODUCT] = PRODUCT, [CT_NODE_NEG] = NEG,      [CT_NODE_POWER] = POWER,
    [CT_NODE_NUMBER] = OPERAND,  [CT_NODE_BOOL] = OPERAND, [CT_NODE_STRING] = OPERAND,
    [CT_NODE_MATRIX] = OPERAND,  [CT_NODE_REF] = OPERAND,
};

static void put_expr(ct_formatter *p, ct_node n, enum strength least);

static ct_node next_of(const ct_formatter *p, ct_node n)
{
    return ct_at(p->s, n)->next;
}

static ct_node first_of(const ct_formatter *p, ct_node n)
{
    return ct_at(p->s, n)->first;
}

/* `2 m^2` has the unit m^2: to square 2 m needs brackets, so that a unit weakens its operand. */
static enum strength strength_of(const ct_formatter *p, ct_node n)
{
    enum strength s = strengths[ct_at(p->s, n)->kind];
    return s == OPERAND && ct_child(p->s, n, CT_NODE_UNIT) ? POWER : s;
}

/* ---- names, strings ----------------------------------------------------------------------- */

static void put_hole(ct_formatter *p, ct_node n)
{
    bool compact = p->compact;
    p->compact = true;
    ct_line_putc(p, '{');
    put_expr(p, first_of(p, n), IF);
    ct_line_putc(p, '}');
    p->compact = compact;
}

void ct_format_name(ct_formatter *p, ct_node n)
{
    const ct_syntax_node *node = ct_at(p->s, n);
    if (node->name)
        ct_line_name(p, node->name);
    for (ct_node part = node->first; part; part = next_of(p, part)) {
        if (ct_at(p->s, part)->kind == CT_NODE_HOLE)
            put_hole(p, part);
        else
            ct_line_name(p, ct_at(p->s, part)->name);
    }
}

void ct_format_string(ct_formatter *p, ct_node n)
{
    static const char special[] = "\"\\\n\t", letter[] = "\"\\nt";
    ct_line_putc(p, '"');
    for (const char *c = ct_name_text(p->s->ctx, ct_at(p->s, n)->name); *c; c++) {
        const char *found = strchr(special, *c);
        if (found)
            ct_line_putc(p, '\\');
        ct_line_putc(p, found ? letter[found - special] : *c);
    }
    ct_line_putc(p, '"');
}

static void put_unit(ct_formatter *p, ct_node n)
{
    ct_node unit = ct_child(p->s, n, CT_NODE_UNIT);
    if (!unit)
        return;
    ct_line_putc(p, ' ');
    ct_line_name(p, ct_at(p->s, unit)->name);
    p->after_unit = true;
}

/* ---- operands ----------------------------------------------------------------------------- */

void ct_format_list(ct_formatter *p, ct_node first, void (*one)(ct_formatter *p, ct_node n))
{
    for (ct_node n = first; n; n = next_of(p, n)) {
        one(p, n);
        if (next_of(p, n))
            ct_line_break(p, ", ", CT_BREAK_COMMA);
    }
}

static void put_argument(ct_formatter *p, ct_node n)
{
    bool named = ct_at(p->s, n)->kind == CT_NODE_ARG;
    if (named) {
        ct_line_name(p, ct_at(p->s, n)->name);
        ct_line_put(p, " = ");
    }
    put_expr(p, named ? first_of(p, n) : n, IF);
}

static void put_matrix(ct_formatter *p, ct_node n)
{
    ct_line_open(p, '[');
    for (ct_node row = first_of(p, n); row; row = next_of(p, row)) {
        if (ct_at(p->s, row)->kind != CT_NODE_ROW)
            break;
        if (row != first_of(p, n))
            ct_line_break(p, "; ", CT_BREAK_ROW);
        ct_format_list(p, first_of(p, row), ct_format_expr);
    }
    ct_line_close(p, ']');
    put_unit(p, n);
}

void ct_format_index(ct_formatter *p, ct_node first)
{
    ct_line_open(p, '[');
    for (ct_node n = first; n; n = next_of(p, n)) {
        put_expr(p, n, IF);
        if (next_of(p, n))
            ct_line_putc(p, ',');
    }
    ct_line_close(p, ']');
}

static void put_suffix(ct_formatter *p, ct_node n)
{
    const ct_syntax_node *node = ct_at(p->s, n);
    if (node->kind == CT_NODE_FIELD) {
        ct_line_putc(p, '.');
        if (node->name)
            ct_line_name(p, node->name);
        else
            ct_format_name(p, node->first);
        return;
    }
    if (node->kind == CT_NODE_INDEX) {
        ct_format_index(p, node->first);
        return;
    }
    ct_line_open(p, '(');
    ct_format_list(p, node->first, put_argument);
    ct_line_close(p, ')');
}

static void put_reference(ct_formatter *p, ct_node n)
{
    const ct_syntax_node *node = ct_at(p->s, n);
    ct_node suffix = node->first;
    if (node->name) {
        ct_line_name(p, node->name);
    } else {
        ct_format_name(p, suffix);
        suffix = next_of(p, suffix);
    }
    for (; suffix; suffix = next_of(p, suffix))
        put_suffix(p, suffix);
}

/* A statement word at the begin of an equation is one unless `.` or `[` follows. */
static bool needs_guard(const ct_formatter *p, ct_node n)
{
    const ct_syntax_node *node = ct_at(p->s, n);
    ct_node_kind suffix = node->first ? ct_at(p->s, node->first)->kind : CT_NODE_NONE;
    if (!p->statement_word || !node->name || suffix == CT_NODE_FIELD || suffix == CT_NODE_INDEX)
        return false;
    size_t count;
    const ct_keyword *list = ct_keyword_list(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].text, ct_name_text(p->s->ctx, node->name)) == 0)
            return list[i].roles & CT_KEYWORD_STATEMENT;
    return false;
}

static void put_operand(ct_formatter *p, ct_node n)
{
    const ct_syntax_node *node = ct_at(p->s, n);
    if (node->kind == CT_NODE_NUMBER) {
        ct_line_name(p, node->name);
        put_unit(p, n);
    } else if (node->kind == CT_NODE_BOOL) {
        ct_line_put(p, node->op ? "true" : "false");
    } else if (node->kind == CT_NODE_STRING) {
        ct_format_string(p, n);
    } else if (node->kind == CT_NODE_MATRIX) {
        put_matrix(p, n);
    } else {
        put_reference(p, n);
    }
}

/* ---- operators ---------------------------------------------------------------------------- */

/* A sign that belongs to its number stays with it: `a + -10 degC` is not `a - 10 degC`. */
static void put_sum(ct_formatter *p, ct_node n)
{
    ct_node term = first_of(p, n);
    put_expr(p, term, PRODUCT);
    while ((term = next_of(p, term))) {
        bool minus = ct_at(p->s, term)->kind == CT_NODE_NEG && !ct_at(p->s, term)->op;
        if (p->compact)
            ct_line_putc(p, minus ? '-' : '+');
        else
            ct_line_break(p, minus ? " - " : " + ", CT_BREAK_OPERATOR);
        put_expr(p, minus ? first_of(p, term) : term, PRODUCT);
    }
}

static void put_product(ct_formatter *p, ct_node n)
{
    ct_node factor = first_of(p, n);
    bool inverse = ct_at(p->s, factor)->kind == CT_NODE_INV; /* not of the parser: trees by hand */
    if (inverse)
        ct_line_put(p, "1/");
    put_expr(p, inverse ? first_of(p, factor) : factor, NEG);
    while ((factor = next_of(p, factor))) {
        bool over = ct_at(p->s, factor)->kind == CT_NODE_INV;
        ct_line_put(p, !over ? "*" : p->after_unit ? " / " : "/");
        put_expr(p, over ? first_of(p, factor) : factor, NEG);
    }
}

static void put_series(ct_formatter *p, ct_node n, const char *word, enum strength least)
{
    for (ct_node operand = first_of(p, n); operand; operand = next_of(p, operand)) {
        put_expr(p, operand, least);
        if (next_of(p, operand))
            ct_line_break(p, word, CT_BREAK_OPERATOR);
    }
}

static void put_comparison(ct_formatter *p, ct_node n)
{
    static const char *const relations[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
    ct_node left = first_of(p, n);
    put_expr(p, left, SUM);
    ct_line_break(p, relations[ct_at(p->s, n)->op], CT_BREAK_OPERATOR);
    put_expr(p, next_of(p, left), SUM);
}

static void put_if(ct_formatter *p, ct_node n)
{
    ct_node condition = first_of(p, n), yes = next_of(p, condition);
    ct_line_put(p, "if ");
    put_expr(p, condition, IF);
    ct_line_break(p, " then ", CT_BREAK_COMMA);
    put_expr(p, yes, IF);
    ct_line_break(p, " else ", CT_BREAK_COMMA);
    put_expr(p, next_of(p, yes), IF);
}

static void put_negative(ct_formatter *p, ct_node n, ct_node first)
{
    const ct_syntax_node *number = ct_at(p->s, first);
    bool apart = number->kind == CT_NODE_NUMBER && number->first && !ct_at(p->s, n)->op;
    ct_line_put(p, apart ? "-(" : "-");
    put_expr(p, first, NEG);
    if (apart)
        ct_line_putc(p, ')');
}

static void put_plain(ct_formatter *p, ct_node n)
{
    ct_node first = first_of(p, n);
    switch (strengths[ct_at(p->s, n)->kind]) {
    case IF:
        put_if(p, n);
        break;
    case OR:
        put_series(p, n, " or ", AND);
        break;
    case AND:
        put_series(p, n, " and ", NOT);
        break;
    case NOT:
        ct_line_put(p, "not ");
        put_expr(p, first, NOT);
        break;
    case COMPARE:
        put_comparison(p, n);
        break;
    case SUM:
        put_sum(p, n);
        break;
    case PRODUCT:
        put_product(p, n);
        break;
    case NEG:
        put_negative(p, n, first);
        break;
    case POWER:
        put_expr(p, first, OPERAND);
        ct_line_putc(p, '^');
        put_expr(p, next_of(p, first), NEG);
        break;
    default:
        put_operand(p, n);
    }
}

static void put_expr(ct_formatter *p, ct_node n, enum strength least)
{
    bool brackets =
        strength_of(p, n) < least || (ct_at(p->s, n)->kind == CT_NODE_REF && needs_guard(p, n));
    if (brackets)
        ct_line_open(p, '(');
    put_plain(p, n);
    if (brackets)
        ct_line_close(p, ')');
}

void ct_format_expr(ct_formatter *p, ct_node n)
{
    put_expr(p, n, IF);
}

void ct_format_sum(ct_formatter *p, ct_node n)
{
    put_expr(p, n, SUM);
}

/* `source = 1` is safe: `=` follows. `ground` never is. */
void ct_format_left_side(ct_formatter *p, ct_node n)
{
    const ct_syntax_node *node = ct_at(p->s, n);
    bool alone = node->kind == CT_NODE_REF && node->name && !node->first;
    bool ground = alone && strcmp(ct_name_text(p->s->ctx, node->name), "ground") == 0;
    p->statement_word = !alone || ground;
    put_expr(p, n, OR);
}

void ct_format_path(ct_formatter *p, ct_node n)
{
    ct_node inner = first_of(p, n);
    if (ct_at(p->s, inner)->kind != CT_NODE_DER) {
        put_reference(p, inner);
        return;
    }
    ct_line_put(p, "der(");
    ct_format_path(p, first_of(p, inner));
    ct_line_putc(p, ')');
}
