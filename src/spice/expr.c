/* expr.c - {expressions} as trees.
 *
 * SPICE knows no dimensions: v(a) is a number. So it becomes a.v/1 V, and what is made of such
 * numbers is multiplied by the unit of its place. Numbers are followed along, for what must be
 * known early (times of analyses, resistances that are left out at zero).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spice/reader.h"

typedef struct parsing {
    reader *r;
    uint32_t at, end, depth;
    bool failed;
} parsing;

/* A value, or a condition. */
typedef struct operand {
    value v;
    bool logic;
} operand;

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

static operand nothing(parsing *p)
{
    return (operand){.v = {.node = ct_sp_real(p->r, 0, NULL), .plain = true}};
}

static operand fail(parsing *p, uint32_t from, uint32_t width, const char *code, const char *what)
{
    if (!p->failed)
        ct_sp_error(p->r, code, (ct_place){p->r->source, from, width ? width : 1}, "%s", what);
    p->failed = true;
    p->at = p->end;
    return nothing(p);
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
        return fail(p, from, p->at - from, "E806",
                    "names of nodes or sources stand in v() and i()");
    p->at = close + 1;
    here(p, from);
    ct_node n = voltage ? ct_sp_voltage(r, a, b) : ct_sp_current(r, a);
    if (!n) {
        p->failed = true;
        return nothing(p);
    }
    here(p, from);
    n = ct_sp_quotient(r, n, ct_sp_real(r, 1, voltage ? "V" : "A"));
    return (operand){.v = {.node = n}};
}

/* ---- functions ------------------------------------------------------------------------------ */

static double sign_of(double x)
{
    return (x > 0) - (x < 0);
}

static double step_of(double x)
{
    return x > 0;
}

/* Those of one argument that the language has, too. */
static const struct one_row {
    const char *spice, *own;
    double (*at)(double);
} ones[] = {{"sin", "sin", sin},      {"cos", "cos", cos},       {"tan", "tan", tan},
            {"asin", "asin", asin},   {"acos", "acos", acos},    {"atan", "atan", atan},
            {"arctan", "atan", atan}, {"sinh", "sinh", sinh},    {"cosh", "cosh", cosh},
            {"tanh", "tanh", tanh},   {"asinh", "asinh", asinh}, {"exp", "exp", exp},
            {"ln", "log", log},       {"log", "log", log},       {"sqrt", "sqrt", sqrt},
            {"abs", "abs", fabs},     {"sgn", "sign", sign_of},  {"sign", "sign", sign_of},
            {"u", "step", step_of},   {"floor", "floor", floor}};

static double atan2_of(double y, double x)
{
    return atan2(y, x);
}

static const struct two_row {
    const char *spice, *own;
    double (*at)(double, double);
} twos[] = {{"min", "min", fmin}, {"max", "max", fmax}, {"atan2", "atan2", atan2_of}};

enum { MOST_ARGUMENTS = 4096 };

typedef struct arguments {
    CT_VEC(operand) list;
} arguments;

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
    fail(p, p->at, 1, "E806", "a comma or a closing bracket is missing");
    return false;
}

static operand call(parsing *p, const char *name, const operand *a, uint32_t count, double number)
{
    ct_node *node = CT_NEW_ARRAY(p->r->arena, ct_node, count + 1);
    operand out = {.v = {.plain = true, .known = true, .number = number}};
    for (uint32_t i = 0; i < count; i++) {
        node[i] = a[i].v.node;
        out.v.plain &= a[i].v.plain;
        out.v.known &= a[i].v.known;
    }
    out.v.node = ct_sp_call(p->r, name, node, count);
    return out;
}

static operand number(parsing *p, double x)
{
    return (operand){.v = ct_sp_plain(ct_sp_real(p->r, x, NULL), x)};
}

static operand power(parsing *p, operand a, operand b)
{
    ct_node part[] = {a.v.node, b.v.node};
    return join(&a, &b, ct_sp_list(p->r, CT_NODE_POWER, 0, part, 2), pow(a.v.number, b.v.number));
}

static operand times(parsing *p, operand a, operand b)
{
    return join(&a, &b, ct_sp_list(p->r, CT_NODE_PRODUCT, 0, (ct_node[]){a.v.node, b.v.node}, 2),
                a.v.number * b.v.number);
}

static operand choose(parsing *p, operand c, operand a, operand b)
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

/* table(x, x1, y1, x2, y2, ..): flat beyond its ends. */
static operand read_table(parsing *p, const arguments *a)
{
    uint32_t points = (a->list.count - 1) / 2;
    ct_node *row = CT_NEW_ARRAY(p->r->arena, ct_node, 2 * points + 1);
    for (uint32_t i = 0; i < points; i++) {
        row[i] = a->list.at[1 + 2 * i].v.node;
        row[points + i] = a->list.at[2 + 2 * i].v.node;
    }
    ct_node low = row[0], high = row[points - 1];
    operand ends[3] = {a->list.at[0], {.v = {.node = low}}, {.v = {.node = high}}};
    /* the ends stand in the tree twice: they are made again as numbers where they are known */
    ends[1] = number(p, a->list.at[1].v.number);
    ends[2] = number(p, a->list.at[2 * points - 1].v.number);
    ct_node x = ct_sp_list(p->r, CT_NODE_ROW, 0, row, points);
    ct_node y = ct_sp_list(p->r, CT_NODE_ROW, 0, row + points, points);
    operand part[3] = {call(p, "clamp", ends, 3, 0),
                       {.v = {.node = ct_sp_node(p->r, CT_NODE_MATRIX, 0, x)}},
                       {.v = {.node = ct_sp_node(p->r, CT_NODE_MATRIX, 0, y)}}};
    return call(p, "table", part, 3, 0);
}

static bool known_table(const arguments *a)
{
    if (a->list.count < 5 || a->list.count % 2 == 0)
        return false;
    for (uint32_t i = 1; i < a->list.count; i++)
        if (!a->list.at[i].v.known)
            return false;
    return true;
}

/* A copy of the expression between two places of the text: it is read again. */
static operand again(parsing *p, uint32_t from, uint32_t to)
{
    parsing q = {.r = p->r, .at = from, .end = to, .depth = p->depth};
    operand out = read_ternary(&q);
    p->failed |= q.failed;
    return out;
}

static operand special(parsing *p, const char *name, const arguments *a, uint32_t inside)
{
    const operand *x = a->list.at;
    uint32_t count = a->list.count, close = p->at - 1;
    if (count == 1 && strcmp(name, "log10") == 0) {
        operand log_x = call(p, "log", x, 1, log(x->v.number)), ten = number(p, 10);
        ct_node n = ct_sp_quotient(p->r, log_x.v.node, call(p, "log", &ten, 1, 0).v.node);
        log_x.v.node = n;
        log_x.v.number = log10(x->v.number);
        return log_x;
    }
    if (count == 2 && strcmp(name, "pow") == 0)
        return power(p, x[0], x[1]);
    if (count == 2 && strcmp(name, "pwr") == 0) { /* keeps the sign of x */
        operand size = call(p, "abs", &x[0], 1, fabs(x[0].v.number));
        operand other = again(p, inside, close); /* up to the comma */
        operand sign = call(p, "sign", &other, 1, sign_of(other.v.number));
        return times(p, sign, power(p, size, x[1]));
    }
    if (count == 3 && (strcmp(name, "if") == 0 || strcmp(name, "ternary_fcn") == 0))
        return choose(p, x[0], x[1], x[2]);
    if (count == 3 && strcmp(name, "limit") == 0)
        return call(p, "clamp", x, 3, fmin(fmax(x[0].v.number, x[1].v.number), x[2].v.number));
    if (count == 1 && strcmp(name, "uramp") == 0) {
        operand both[2] = {x[0], number(p, 0)};
        return call(p, "max", both, 2, fmax(x[0].v.number, 0));
    }
    if (count == 1 && strcmp(name, "ceil") == 0) {
        operand minus = negative(p, x[0]);
        return negative(p, call(p, "floor", &minus, 1, floor(minus.v.number)));
    }
    if (count == 1 && (strcmp(name, "nint") == 0 || strcmp(name, "round") == 0)) {
        operand half = number(p, 0.5);
        operand sum =
            join(&x[0], &half, ct_sp_sum(p->r, x[0].v.node, half.v.node), x[0].v.number + 0.5);
        return call(p, "floor", &sum, 1, floor(sum.v.number));
    }
    if (count == 1 && (strcmp(name, "int") == 0 || strcmp(name, "trunc") == 0)) {
        operand size = call(p, "abs", &x[0], 1, fabs(x[0].v.number));
        operand whole = call(p, "floor", &size, 1, floor(size.v.number));
        operand other = again(p, inside, close);
        return times(p, call(p, "sign", &other, 1, sign_of(other.v.number)), whole);
    }
    if (count == 1 &&
        (strcmp(name, "ddt") == 0 || strcmp(name, "sdt") == 0 || strcmp(name, "idt") == 0)) {
        bool rate = name[0] == 'd';
        operand out = call(p, rate ? "der" : "integral", x, 1, 0);
        ct_node second = ct_sp_real(p->r, 1, "s");
        out.v.node = rate ? ct_sp_product(p->r, out.v.node, second)
                          : ct_sp_quotient(p->r, out.v.node, second);
        out.v.plain = out.v.known = false;
        return out;
    }
    if ((strcmp(name, "table") == 0 || strcmp(name, "pwl") == 0) && known_table(a))
        return read_table(p, a);
    return (operand){0};
}

static operand call_own(parsing *p, uint32_t f, const arguments *a, uint32_t from)
{
    reader *r = p->r;
    ct_place place = {r->source, from, p->at - from};
    if (!ct_sp_need(r, f, place)) {
        p->failed = true;
        return nothing(p);
    }
    children list = {0};
    const number_list *wanted = &r->scope.at[f].variable;
    uint32_t given = 0;
    for (uint32_t i = 0; i < wanted->count; i++)
        given += !r->variable.at[wanted->at[i]].is_extra;
    if (given != a->list.count)
        return fail(p, from, p->at - from, "E222",
                    ct_printf(r->ctx, "`%s` takes %u arguments, not %u",
                              ct_name_text(r->ctx, r->scope.at[f].name), given, a->list.count));
    for (uint32_t i = 0; i < a->list.count; i++)
        ct_sp_add(r, &list, a->list.at[i].v.node);
    for (uint32_t i = 0; i < r->scope.at[f].variable.count; i++) {
        variable v = r->variable.at[r->scope.at[f].variable.at[i]];
        uint32_t mine = v.is_extra ? ct_sp_find_variable(r, r->here, v.lower) : 0;
        if (mine)
            ct_sp_add(r, &list, ct_sp_ref(r, r->variable.at[mine].name));
    }
    ct_node n = ct_sp_node(r, CT_NODE_CALL, 0, list.first);
    return (operand){.v = {.node = ct_sp_node(r, CT_NODE_REF, r->scope.at[f].name, n)}};
}

static operand read_call(parsing *p, token word)
{
    reader *r = p->r;
    const char *name = ct_name_text(r->ctx, ct_sp_lower(r, word));
    if (strcmp(name, "v") == 0 || strcmp(name, "i") == 0)
        return read_probe(p, word.at, name[0] == 'v');
    arguments a = {0};
    uint32_t inside = p->at;
    if (!read_arguments(p, &a))
        return nothing(p);
    for (uint32_t i = 0; i < a.list.count; i++)
        if (strcmp(name, "if") != 0 && strcmp(name, "ternary_fcn") != 0)
            a.list.at[i] = as_number(p, a.list.at[i]);
    here(p, word.at);
    uint32_t own = ct_sp_find_scope(r, SCOPE_FUNCTION, r->here, ct_sp_lower(r, word));
    if (own)
        return call_own(p, own, &a, word.at);
    const operand *x = a.list.at;
    for (size_t i = 0; i < sizeof ones / sizeof *ones && a.list.count == 1; i++)
        if (strcmp(name, ones[i].spice) == 0)
            return call(p, ones[i].own, x, 1, ones[i].at(x->v.number));
    for (size_t i = 0; i < sizeof twos / sizeof *twos && a.list.count == 2; i++)
        if (strcmp(name, twos[i].spice) == 0)
            return call(p, twos[i].own, x, 2, twos[i].at(x[0].v.number, x[1].v.number));
    operand out = special(p, name, &a, inside);
    if (out.v.node)
        return out;
    return fail(p, word.at, word.length, "E220",
                ct_printf(r->ctx, "there is no function `%s` of %u argument%s", ct_sp_text(r, word),
                          a.list.count, a.list.count == 1 ? "" : "s"));
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
    uint32_t v = ct_sp_find_variable(r, r->here, ct_sp_lower(r, word));
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
        return number(p, 27);
    ct_report *e = p->failed ? NULL
                             : ct_sp_error(r, "E210", ct_sp_place(r, word),
                                           "there is no parameter `%s`", ct_sp_text(r, word));
    if (e) {
        ct_help(e, "declare it: .param %s=...; the voltage of a node is v(%s)", ct_sp_text(r, word),
                ct_sp_text(r, word));
        ct_witness(e, ct_sp_text(r, word));
    }
    p->failed = true;
    return nothing(p);
}

/* ---- operators ------------------------------------------------------------------------------ */

static operand read_primary(parsing *p)
{
    char c = peek(p);
    uint32_t from = p->at;
    if (p->failed || ++p->depth > CT_MAX_NESTING)
        return fail(p, from, 1, "E108", "brackets are nested too deeply");
    operand out;
    double x;
    if (c == '(') {
        p->at++;
        out = read_ternary(p);
        if (!accept(p, ")"))
            out = fail(p, from, 1, "E106", "this bracket is not closed");
    } else if (c == '{' || c == '\'') {
        p->at++;
        out = read_ternary(p);
        if (!accept(p, c == '{' ? "}" : "'"))
            out = fail(p, from, 1, "E106", "this bracket is not closed");
    } else if ((c >= '0' && c <= '9') || c == '.') {
        uint32_t used;
        ct_name name = ct_sp_number(p->r, p->at, p->end, &x, &used);
        if (!name)
            return fail(p, from, 1, "E104", "this is no number");
        p->at = used;
        here(p, from);
        out = (operand){.v = ct_sp_plain(ct_sp_node(p->r, CT_NODE_NUMBER, name, 0), x)};
    } else if (c && is_name(c)) {
        out = read_word(p);
    } else {
        out = fail(p, from, 1, "E806", c ? "a value is missing here" : "the expression breaks off");
    }
    p->depth--;
    return out;
}

static operand read_unary(parsing *p);

static operand read_power(parsing *p)
{
    operand a = read_primary(p);
    uint32_t from = p->at;
    if (!accept(p, "**") && !accept(p, "^"))
        return a;
    a = as_number(p, a);
    if (++p->depth > CT_MAX_NESTING)
        return fail(p, from, 1, "E108", "brackets are nested too deeply");
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
            return fail(p, from, 1, "E806", "there is no operator %");
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

static operand read_conjunction(parsing *p)
{
    operand a = read_relation(p);
    children list = {0};
    while (accept(p, "&&") || accept(p, "&")) {
        if (!list.first)
            a = as_condition(p, a), list = (children){a.v.node, a.v.node};
        operand b = as_condition(p, read_relation(p));
        ct_sp_add(p->r, &list, b.v.node);
        a = join(&a, &b, 0, a.v.number != 0 && b.v.number != 0);
    }
    if (list.first)
        a = (operand){a.v, true}, a.v.node = ct_sp_node(p->r, CT_NODE_AND, 0, list.first);
    return a;
}

static operand read_disjunction(parsing *p)
{
    operand a = read_conjunction(p);
    children list = {0};
    while (accept(p, "||") || accept(p, "|")) {
        if (!list.first)
            a = as_condition(p, a), list = (children){a.v.node, a.v.node};
        operand b = as_condition(p, read_conjunction(p));
        ct_sp_add(p->r, &list, b.v.node);
        a = join(&a, &b, 0, a.v.number != 0 || b.v.number != 0);
    }
    if (list.first)
        a = (operand){a.v, true}, a.v.node = ct_sp_node(p->r, CT_NODE_OR, 0, list.first);
    return a;
}

static operand read_ternary(parsing *p)
{
    if (++p->depth > CT_MAX_NESTING)
        return fail(p, p->at, 1, "E108", "brackets are nested too deeply");
    operand c = read_disjunction(p);
    if (accept(p, "?")) {
        operand a = read_ternary(p);
        if (!accept(p, ":"))
            fail(p, p->at, 1, "E806", "behind `?` two values stand, with `:` between them");
        operand b = read_ternary(p);
        c = choose(p, c, a, b);
    }
    p->depth--;
    return c;
}

value ct_sp_expression(reader *r, uint32_t at, uint32_t end)
{
    parsing p = {.r = r, .at = at, .end = end};
    operand out = as_number(&p, read_ternary(&p));
    if (!p.failed && peek(&p))
        fail(&p, p.at, 1, "E806", "the expression should end here, or an operator is missing");
    return out.v;
}
