/* expr.c - {expressions} as trees.
 *
 * SPICE knows no dimensions: v(a) is a number. So it becomes a.v/1 V, and what is made of such
 * numbers is multiplied by the unit of its place. Numbers are followed along, for what must be
 * known early (times of analyses, resistances that are left out at zero).
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "spice/expr.h"

static operand read_ternary(parsing *p);

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_name(char c)
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_' || (c >= '0' && c <= '9');
}

static void blank(parsing *p)
{
    p->at = ct_sp_skip(p->r->text, p->at, p->end);
}

static char peek(parsing *p)
{
    blank(p);
    return p->at < p->end ? p->r->text[p->at] : '\0';
}

static bool accept(parsing *p, const char *mark)
{
    size_t length = strlen(mark);
    blank(p);
    if (p->failed || p->end - p->at < length || memcmp(p->r->text + p->at, mark, length) != 0)
        return false;
    p->at += (uint32_t)length;
    return true;
}

static void here(parsing *p, uint32_t from)
{
    ct_sp_here(p->r, (ct_place){p->r->source, from, p->at > from ? p->at - from : 1});
}

operand ct_sp_nothing(parsing *p)
{
    return (operand){.v = {.node = ct_sp_real(p->r, 0, NULL), .plain = true}};
}

operand ct_sp_fail(parsing *p, uint32_t from, uint32_t width, const char *code, const char *what)
{
    if (!p->failed)
        ct_sp_error(p->r, code, (ct_place){p->r->source, from, width ? width : 1}, "%s", what);
    p->failed = true;
    p->at = p->end;
    return ct_sp_nothing(p);
}

/* ---- combining ------------------------------------------------------------------------------ */

static operand as_number(parsing *p, operand a)
{
    if (!a.logic)
        return a;
    ct_node part[] = {a.v.node, ct_sp_real(p->r, 1, NULL), ct_sp_real(p->r, 0, NULL)};
    a.v.node = ct_sp_list(p->r, CT_NODE_IF, 0, part, 3);
    a.v.plain = a.logic = false;
    return a;
}

static operand as_condition(parsing *p, operand a)
{
    if (a.logic)
        return a;
    ct_node part[] = {a.v.node, ct_sp_real(p->r, 0, NULL)};
    a.v.node = ct_sp_list(p->r, CT_NODE_COMPARE, 0, part, 2);
    p->r->node.at[a.v.node].op = CT_UNEQUAL;
    a.v.number = a.v.number != 0;
    a.logic = true;
    return a;
}

static operand join(const operand *a, const operand *b, ct_node node, double number)
{
    value v = {node, a->v.plain && b->v.plain, a->v.known && b->v.known, number};
    return (operand){v, false};
}

/* v(a), v(a,b), i(V1): without dimension. */
static operand read_probe(parsing *p, uint32_t from, bool voltage)
{
    reader *r = p->r;
    uint32_t close = p->at;
    while (close < p->end && r->text[close] != ')')
        close++;
    cursor c = ct_sp_start(r, p->at, close);
    token a = ct_sp_take(r, &c), b = {0};
    if (voltage && ct_sp_accept(r, &c, ','))
        b = ct_sp_take(r, &c);
    if (close == p->end || a.kind != TOKEN_WORD || !ct_sp_at_end(&c))
        return ct_sp_fail(p, from, p->at - from, "E806",
                          "names of nodes or sources stand in v() and i()");
    p->at = close + 1;
    here(p, from);
    ct_node n = voltage ? ct_sp_voltage(r, a, b) : ct_sp_current(r, a);
    if (!n) {
        p->failed = true;
        return ct_sp_nothing(p);
    }
    here(p, from);
    if (r->formula) {
        const char *label =
            ct_printf(r->ctx, "%c(%.*s%s%.*s)", voltage ? 'v' : 'i', (int)a.length, r->text + a.at,
                      b.length ? "," : "", (int)b.length, r->text + b.at);
        return (operand){.v = {.node = ct_sp_output_column(r, n, label)}};
    }
    n = ct_sp_quotient(r, n, ct_sp_real(r, 1, voltage ? "V" : "A"));
    return (operand){.v = {.node = n}};
}

/* vm, vp, vdb, vr, vi and the same of i: what of the phasor. NULL: it is v or i itself. */
static bool is_probe(const reader *r, token word, const char **function)
{
    static const struct {
        const char *ending, *function;
    } rows[] = {{"", NULL},
                {"m", "abs"},
                {"mag", "abs"},
                {"p", "spice_phase"},
                {"ph", "spice_phase"},
                {"db", "spice_db"},
                {"r", "spice_real"},
                {"re", "spice_real"},
                {"i", "spice_imaginary"},
                {"im", "spice_imaginary"}};
    char first = word.length ? lower(r->text[word.at]) : 0;
    token rest = {TOKEN_WORD, 0, word.at + 1, word.length - 1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows && (first == 'v' || first == 'i'); i++)
        if (ct_sp_is(r, rest, rows[i].ending)) {
            *function = rows[i].function;
            return true;
        }
    return false;
}

/* ---- calls ---------------------------------------------------------------------------------- */

enum { MOST_ARGUMENTS = 4096 };

static bool read_arguments(parsing *p, arguments *a)
{
    if (accept(p, ")"))
        return true;
    while (!p->failed && a->list.count < MOST_ARGUMENTS) {
        operand x = read_ternary(p);
        CT_PUSH(p->r->arena, a->list, x);
        if (accept(p, ")"))
            return true;
        if (!accept(p, ","))
            break;
    }
    ct_sp_fail(p, p->at, 1, "E806", "a comma or a closing bracket is missing");
    return false;
}

static operand power(parsing *p, operand a, operand b)
{
    ct_node part[] = {a.v.node, b.v.node};
    return join(&a, &b, ct_sp_list(p->r, CT_NODE_POWER, 0, part, 2), pow(a.v.number, b.v.number));
}

operand ct_sp_choose(parsing *p, operand c, operand a, operand b)
{
    c = as_condition(p, c);
    a = as_number(p, a);
    b = as_number(p, b);
    ct_node part[] = {c.v.node, a.v.node, b.v.node};
    operand out = join(&a, &b, ct_sp_list(p->r, CT_NODE_IF, 0, part, 3),
                       c.v.number != 0 ? a.v.number : b.v.number);
    out.v.known &= c.v.known;
    out.v.plain = false; /* the condition may have none */
    return out;
}

static operand negative(parsing *p, operand a)
{
    a.v.node = ct_sp_minus(p->r, a.v.node);
    a.v.number = -a.v.number;
    return a;
}

bool ct_sp_is_function(reader *r, token word)
{
    const char *function;
    return is_probe(r, word, &function) || ct_sp_is_named(r, word);
}

static operand read_call(parsing *p, token word)
{
    reader *r = p->r;
    bool choice = ct_sp_is(r, word, "if") || ct_sp_is(r, word, "ternary_fcn");
    const char *function;
    bool own = ct_sp_find_scope(r, SCOPE_FUNCTION, r->here, ct_sp_lower(r, word)) != 0;
    if (!own && is_probe(r, word, &function)) {
        operand x = read_probe(p, word.at, lower(r->text[word.at]) == 'v');
        if (function && !p->failed)
            x.v.node = ct_sp_call(r, function, &x.v.node, 1);
        return x;
    }
    arguments a = {0};
    if (!read_arguments(p, &a))
        return ct_sp_nothing(p);
    for (uint32_t i = 0; i < a.list.count && !choice; i++)
        a.list.at[i] = as_number(p, a.list.at[i]);
    here(p, word.at);
    return ct_sp_apply(p, word, &a);
}

/* ---- names ---------------------------------------------------------------------------------- */

static operand read_word(parsing *p)
{
    reader *r = p->r;
    token word = {TOKEN_WORD, 0, p->at, 0};
    while (p->at < p->end && is_name(r->text[p->at]))
        p->at++;
    word.length = p->at - word.at;
    if (accept(p, "("))
        return read_call(p, word);
    here(p, word.at);
    ct_sp_here(r, ct_sp_place(r, word));
    uint32_t m = r->formula ? ct_map_get(&r->measured, ct_sp_lower(r, word)) : 0;
    if (m) {
        operand out = {.v = {.node = ct_sp_node(r, CT_NODE_REF, m - 1, 0)}};
        r->node.at[out.v.node].op = CT_FORMULA_MEASURE;
        return out;
    }
    uint32_t v = ct_sp_find_variable(r, r->here, ct_sp_lower(r, word));
    double number;
    if (v && r->formula && ct_sp_solve_variable(r, v, &number))
        return (operand){.v = ct_sp_plain(ct_sp_real(r, number, NULL), number)};
    if (v) {
        operand out = {.v = {.node = ct_sp_ref(r, r->variable.at[v].name)}};
        out.v.known = ct_sp_solve_variable(r, v, &out.v.number);
        return out;
    }
    if (ct_sp_is(r, word, "time")) {
        ct_node t = ct_sp_quotient(r, ct_sp_word_ref(r, "t"), ct_sp_real(r, 1, "s"));
        return (operand){.v = {.node = t}};
    }
    if (ct_sp_is(r, word, "pi"))
        return (operand){.v = ct_sp_plain(ct_sp_word_ref(r, "pi"), 3.14159265358979323846)};
    if (ct_sp_is(r, word, "temper"))
        return (operand){.v = ct_sp_plain(ct_sp_real(r, r->temperature, NULL), r->temperature)};
    ct_report *e = p->failed ? NULL
                             : ct_sp_error(r, "E210", ct_sp_place(r, word),
                                           "there is no parameter `%s`", ct_sp_text(r, word));
    if (e) {
        ct_help(e, "declare it: .param %s=...; the voltage of a node is v(%s)", ct_sp_text(r, word),
                ct_sp_text(r, word));
        ct_witness(e, ct_sp_text(r, word));
    }
    p->failed = true;
    return ct_sp_nothing(p);
}

/* ---- operators ------------------------------------------------------------------------------ */

static operand read_primary(parsing *p)
{
    char c = peek(p);
    uint32_t from = p->at;
    if (p->failed || ++p->depth > CT_MAX_NESTING)
        return ct_sp_fail(p, from, 1, "E108", "brackets are nested too deeply");
    operand out;
    double x;
    if (c == '(') {
        p->at++;
        out = read_ternary(p);
        if (!accept(p, ")"))
            out = ct_sp_fail(p, from, 1, "E106", "this bracket is not closed");
    } else if (c == '{' || c == '\'') {
        p->at++;
        out = read_ternary(p);
        if (!accept(p, c == '{' ? "}" : "'"))
            out = ct_sp_fail(p, from, 1, "E106", "this bracket is not closed");
    } else if ((c >= '0' && c <= '9') || c == '.') {
        uint32_t used;
        ct_name name = ct_sp_number(p->r, p->at, p->end, &x, &used);
        if (!name)
            return ct_sp_fail(p, from, 1, "E104", "this is no number");
        p->at = used;
        here(p, from);
        out = (operand){.v = ct_sp_plain(ct_sp_node(p->r, CT_NODE_NUMBER, name, 0), x)};
    } else if (c && is_name(c)) {
        out = read_word(p);
    } else {
        out = ct_sp_fail(p, from, 1, "E806",
                         c ? "a value is missing here" : "the expression breaks off");
    }
    p->depth--;
    return out;
}

static operand read_unary(parsing *p);

static operand read_power(parsing *p)
{
    operand a = read_primary(p);
    if (p->failed || (!accept(p, "**") && !accept(p, "^")))
        return a;
    a = as_number(p, a);
    p->depth++; /* no deeper than the operand before was */
    operand b = as_number(p, read_unary(p));
    p->depth--;
    return power(p, a, b);
}

static operand read_unary(parsing *p)
{
    uint32_t minus = 0, not = 0, from = p->at;
    for (char c = peek(p); c == '-' || c == '+' || c == '!'; c = peek(p)) {
        if (c == '!' && p->r->text[p->at + 1] == '=')
            break;
        minus += c == '-';
        not += c == '!';
        p->at++;
    }
    operand a = read_power(p);
    here(p, from);
    if (minus % 2)
        a = negative(p, as_number(p, a));
    if (not ) {
        a = as_condition(p, a);
        if (not % 2) {
            a.v.node = ct_sp_node(p->r, CT_NODE_NOT, 0, a.v.node);
            a.v.number = a.v.number == 0;
        }
    }
    return a;
}

/* a*b/c: one node with many children. */
static operand read_term(parsing *p)
{
    operand a = read_unary(p);
    children list = {a.v.node, a.v.node};
    uint32_t from = p->at;
    bool many = false;
    for (;;) {
        char c = peek(p);
        bool twice = p->at + 1 < p->end && p->r->text[p->at + 1] == '*';
        if (p->failed || (c != '*' && c != '/' && c != '%') || (c == '*' && twice))
            break;
        p->at++;
        operand b = as_number(p, read_unary(p));
        if (!many)
            a = as_number(p, a), list = (children){a.v.node, a.v.node};
        if (c == '%')
            return ct_sp_fail(p, from, 1, "E806", "there is no operator %");
        ct_sp_add(p->r, &list, c == '/' ? ct_sp_node(p->r, CT_NODE_INV, 0, b.v.node) : b.v.node);
        a = join(&a, &b, 0, c == '*' ? a.v.number * b.v.number : a.v.number / b.v.number);
        many = true;
    }
    if (many)
        a.v.node = ct_sp_node(p->r, CT_NODE_PRODUCT, 0, list.first);
    return a;
}

static operand read_sum(parsing *p)
{
    operand a = read_term(p);
    children list = {0};
    bool many = false;
    for (char c = peek(p); !p->failed && (c == '+' || c == '-'); c = peek(p)) {
        p->at++;
        operand b = as_number(p, read_term(p));
        if (!many)
            a = as_number(p, a), list = (children){a.v.node, a.v.node};
        ct_sp_add(p->r, &list, c == '-' ? ct_sp_minus(p->r, b.v.node) : b.v.node);
        a = join(&a, &b, 0, c == '+' ? a.v.number + b.v.number : a.v.number - b.v.number);
        many = true;
    }
    if (many)
        a.v.node = ct_sp_node(p->r, CT_NODE_SUM, 0, list.first);
    return a;
}

static bool compare(double a, double b, uint16_t op)
{
    switch (op) {
    case CT_LESS:
        return a < b;
    case CT_LESS_EQUAL:
        return a <= b;
    case CT_GREATER:
        return a > b;
    case CT_GREATER_EQUAL:
        return a >= b;
    default:
        return (a == b) == (op == CT_EQUAL);
    }
}

static operand read_relation(parsing *p)
{
    static const struct {
        const char *mark;
        uint16_t op;
    } rows[] = {{"==", CT_EQUAL},      {"!=", CT_UNEQUAL},       {"<>", CT_UNEQUAL},
                {"<=", CT_LESS_EQUAL}, {">=", CT_GREATER_EQUAL}, {"<", CT_LESS},
                {">", CT_GREATER}};
    operand a = read_sum(p);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!accept(p, rows[i].mark))
            continue;
        a = as_number(p, a);
        operand b = as_number(p, read_sum(p));
        a = join(&a, &b, ct_sp_list(p->r, CT_NODE_COMPARE, 0, (ct_node[]){a.v.node, b.v.node}, 2),
                 compare(a.v.number, b.v.number, rows[i].op));
        p->r->node.at[a.v.node].op = rows[i].op;
        a.logic = true;
        break;
    }
    return a;
}

/* a && b && ..; either: a || b || .. of such. */
static operand read_logic(parsing *p, bool either)
{
    static const char *const words[2][2] = {{"&&", "&"}, {"||", "|"}};
    operand a = either ? read_logic(p, false) : read_relation(p);
    children list = {0};
    while (accept(p, words[either][0]) || accept(p, words[either][1])) {
        if (!list.first)
            a = as_condition(p, a), list = (children){a.v.node, a.v.node};
        operand b = as_condition(p, either ? read_logic(p, false) : read_relation(p));
        bool left = a.v.number != 0, right = b.v.number != 0;
        ct_sp_add(p->r, &list, b.v.node);
        a = join(&a, &b, 0, either ? left || right : left && right);
    }
    if (!list.first)
        return a;
    a.logic = true;
    a.v.node = ct_sp_node(p->r, either ? CT_NODE_OR : CT_NODE_AND, 0, list.first);
    return a;
}

static operand read_ternary(parsing *p)
{
    if (++p->depth > CT_MAX_NESTING)
        return ct_sp_fail(p, p->at, 1, "E108", "brackets are nested too deeply");
    operand c = read_logic(p, true);
    if (accept(p, "?")) {
        operand a = read_ternary(p);
        if (!accept(p, ":"))
            ct_sp_fail(p, p->at, 1, "E806", "behind `?` two values stand, with `:` between them");
        operand b = read_ternary(p);
        c = ct_sp_choose(p, c, a, b);
    }
    p->depth--;
    return c;
}

/* Most values are a number and nothing else. */
static bool is_plain_number(reader *r, uint32_t at, uint32_t end, value *v)
{
    uint32_t used;
    double x;
    if (at >= end || !isdigit((unsigned char)r->text[at]))
        return false;
    ct_name name = ct_sp_number(r, at, end, &x, &used);
    if (used != end)
        return false;
    ct_sp_here(r, (ct_place){r->source, at, end - at});
    *v = ct_sp_plain(ct_sp_node(r, CT_NODE_NUMBER, name, 0), x);
    return true;
}

value ct_sp_expression(reader *r, uint32_t at, uint32_t end)
{
    value number;
    if (is_plain_number(r, at, end, &number))
        return number;
    parsing p = {.r = r, .at = at, .end = end};
    operand out = as_number(&p, read_ternary(&p));
    bool split = p.at > at && p.at < end && isdigit((unsigned char)r->text[p.at]) &&
                 isalpha((unsigned char)r->text[p.at - 1]); /* 4k7 */
    if (!p.failed && peek(&p))
        ct_sp_fail(&p, p.at, 1, "E806",
                   split ? "digits stand behind the suffix of a number: write 4.7k for 4k7"
                         : "the expression should end here, or an operator is missing");
    return out.v;
}

value ct_sp_following(reader *r, uint32_t at, uint32_t end)
{
    bool before = r->following;
    r->following = true;
    value v = ct_sp_expression(r, at, end);
    r->following = before;
    return v;
}
