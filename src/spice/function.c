/* function.c - functions of expressions: rows of those that SPICE has, and calls of them.
 *
 * What the language lacks is in library/semiconductors.lg. SPICE has two evaluators, and a few
 * functions differ: one for numbers of cards and params, one for sources that follow the circuit.
 */
#include <math.h>
#include <string.h>

#include "expr/expr.h"
#include "spice/expr.h"

/* ---- values of numbers ---------------------------------------------------------------------- */

static double sign_of(double x)
{
    return (x > 0) - (x < 0);
}

static double step_of(double x)
{
    return 0.5 * (1 + sign_of(x));
}

static double ramp_of(double x)
{
    return fmax(x, 0);
}

static double ramp_to_one_of(double x)
{
    return fmin(fmax(x, 0), 1);
}

static double decibels_of(double x)
{
    return 20 * log10(fabs(x));
}

static double phase_of(double x)
{
    return x < 0 ? 3.14159265358979323846 : 0;
}

static double itself(double x)
{
    return x;
}

static double nothing_of(double x)
{
    return 0 * x;
}

static double square_of(double x)
{
    return x * x;
}

static double size_to(double x, double y)
{
    return pow(fabs(x), y);
}

static double signed_to(double x, double y)
{
    return x < 0 ? -pow(-x, y) : pow(x, y);
}

typedef struct row {
    const char *spice, *own;
    double (*at)(double);           /* of one argument, */
    double (*both)(double, double); /* or of two */
} row;

/* own NULL: the operator ^. */
static const row of_cards[] = {
    {"exp", "exp", exp, NULL}, {"pow", NULL, NULL, pow}, {"pwr", "spice_pow", NULL, size_to}};

/* Those that are called, or do, as in the language are not listed: see call_function. */
static const row rows[] = {
    {"arctan", "atan", atan, NULL},
    {"acosh", "spice_acosh", acosh, NULL},
    {"atanh", "spice_atanh", atanh, NULL},
    {"exp", "spice_exp", exp, NULL},
    {"ln", "log", log, NULL},
    {"log10", "spice_log10", log10, NULL},
    {"sqr", "spice_square", square_of, NULL},
    {"sgn", "sign", sign_of, NULL},
    {"u", "spice_step", step_of, NULL},
    {"stp", "spice_step", step_of, NULL},
    {"u2", "spice_ramp_to_one", ramp_to_one_of, NULL},
    {"uramp", "spice_ramp", ramp_of, NULL},
    {"ceil", "spice_ceil", ceil, NULL},
    {"int", "spice_int", trunc, NULL},
    {"trunc", "spice_int", trunc, NULL},
    {"nint", "spice_nint", nearbyint, NULL},
    {"round", "spice_round", round, NULL},
    {"db", "spice_db", decibels_of, NULL},
    {"mag", "abs", fabs, NULL},
    {"ph", "spice_phase", phase_of, NULL},
    {"phase", "spice_phase", phase_of, NULL},
    {"cph", "spice_phase", phase_of, NULL},
    {"re", "spice_real", itself, NULL},
    {"real", "spice_real", itself, NULL},
    {"im", "spice_imaginary", nothing_of, NULL},
    {"img", "spice_imaginary", nothing_of, NULL},
    {"imag", "spice_imaginary", nothing_of, NULL},
    {"pow", "spice_pow", NULL, size_to},
    {"pwr", "spice_pwr", NULL, signed_to},
};

/* eq0(x) .. le0(x): 1 or 0. */
static const struct comparison {
    const char *spice;
    uint16_t op;
} comparisons[] = {{"eq0", CT_EQUAL}, {"ne0", CT_UNEQUAL},       {"gt0", CT_GREATER},
                   {"lt0", CT_LESS},  {"ge0", CT_GREATER_EQUAL}, {"le0", CT_LESS_EQUAL}};

/* ---- calls ---------------------------------------------------------------------------------- */

static operand call(parsing *p, const char *name, const operand *a, uint32_t count, double number)
{
    ct_node *node = CT_NEW_ARRAY(p->r->arena, ct_node, count + 1);
    operand out = {.v = {.plain = true, .known = true, .number = number}};
    for (uint32_t i = 0; i < count; i++) {
        node[i] = a[i].v.node;
        out.v.plain &= a[i].v.plain;
        out.v.known &= a[i].v.known;
    }
    out.v.node = name ? ct_sp_call(p->r, name, node, count)
                      : ct_sp_list(p->r, CT_NODE_POWER, 0, node, count);
    return out;
}

static const row *find_row(const row *list, size_t count, const char *name, uint32_t given)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i].spice) == 0 && given == (list[i].at ? 1 : 2))
            return &list[i];
    return NULL;
}

static bool call_row(parsing *p, const char *name, const arguments *a, operand *out)
{
    uint32_t given = a->list.count;
    const row *found = NULL;
    if (!p->r->following)
        found = find_row(of_cards, sizeof of_cards / sizeof *of_cards, name, given);
    if (!found)
        found = find_row(rows, sizeof rows / sizeof *rows, name, given);
    if (!found)
        return false;
    const operand *x = a->list.at;
    double number = given == 1 ? found->at(x->v.number) : found->both(x[0].v.number, x[1].v.number);
    *out = call(p, found->own, x, given, number);
    return true;
}

/* A function of the language, by its row of ops.def. What depends on time has other names here. */
static bool call_function(parsing *p, const char *name, const arguments *a, operand *out)
{
    ct_function f;
    double x[CT_MOST_CHAINED];
    uint32_t count = a->list.count;
    bool known = ct_function_find(name, &f) && f.rule != CT_RULE_RATE &&
                 f.rule != CT_RULE_INTEGRAL && f.op != CT_OP_PRE;
    if (!known || count < f.least || count > f.most)
        return false;
    for (uint32_t i = 0; i < count; i++)
        x[i] = a->list.at[i].v.number;
    bool chain = f.least < f.most; /* min(a, b, c) is min(min(a, b), c) */
    double number = chain ? x[0] : ct_op_value(f.op, x, count);
    for (uint32_t i = 1; i < count && chain; i++)
        number = ct_op_value(f.op, (double[]){number, x[i]}, 2);
    *out = call(p, name, a->list.at, count, number);
    return true;
}

static bool call_comparison(parsing *p, const char *name, const arguments *a, operand *out)
{
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons && a->list.count == 1; i++) {
        if (strcmp(name, comparisons[i].spice) != 0)
            continue;
        operand c = {.logic = true};
        ct_node both[] = {a->list.at[0].v.node, ct_sp_real(p->r, 0, NULL)};
        c.v.node = ct_sp_list(p->r, CT_NODE_COMPARE, 0, both, 2);
        p->r->node.at[c.v.node].op = comparisons[i].op;
        operand one = {.v = ct_sp_plain(ct_sp_real(p->r, 1, NULL), 1)};
        operand zero = {.v = ct_sp_plain(ct_sp_real(p->r, 0, NULL), 0)};
        *out = ct_sp_choose(p, c, one, zero);
        return true;
    }
    return false;
}

/* ---- tables --------------------------------------------------------------------------------- */

/* table(x, x1, y1, x2, y2, ..): flat beyond its ends; pwl(...) goes on straight. */
static operand read_table(parsing *p, const arguments *a, bool flat)
{
    uint32_t points = (a->list.count - 1) / 2;
    ct_node *part = CT_NEW_ARRAY(p->r->arena, ct_node, 2 * points + 1);
    for (uint32_t i = 0; i < points; i++) {
        part[i] = a->list.at[1 + 2 * i].v.node;
        part[points + i] = a->list.at[2 + 2 * i].v.node;
    }
    /* the ends stand in the tree twice: they are made again as numbers */
    double low = a->list.at[1].v.number, high = a->list.at[2 * points - 1].v.number;
    operand ends[3] = {a->list.at[0],
                       {.v = ct_sp_plain(ct_sp_real(p->r, low, NULL), low)},
                       {.v = ct_sp_plain(ct_sp_real(p->r, high, NULL), high)}};
    ct_node x = ct_sp_list(p->r, CT_NODE_ROW, 0, part, points);
    ct_node y = ct_sp_list(p->r, CT_NODE_ROW, 0, part + points, points);
    operand all[3] = {flat ? call(p, "clamp", ends, 3, 0) : ends[0],
                      {.v = {.node = ct_sp_node(p->r, CT_NODE_MATRIX, 0, x)}},
                      {.v = {.node = ct_sp_node(p->r, CT_NODE_MATRIX, 0, y)}}};
    return call(p, "table", all, 3, 0);
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

/* ---- those with rules of their own ---------------------------------------------------------- */

/* The integral begins with the run: the operating point that it starts at has it at zero. */
static operand since_start(parsing *p, operand x)
{
    reader *r = p->r;
    ct_node both[] = {ct_sp_word_ref(r, "t"), ct_sp_real(r, 0, "s")};
    operand later = {.v.node = ct_sp_list(r, CT_NODE_COMPARE, 0, both, 2), .logic = true};
    r->node.at[later.v.node].op = CT_GREATER;
    operand zero = {.v = ct_sp_plain(ct_sp_real(r, 0, NULL), 0)};
    return ct_sp_choose(p, later, x, zero);
}

/* d/dt x, or its integral: numbers, so that seconds come in. */
static operand call_rate(parsing *p, const operand *given, bool rate)
{
    reader *r = p->r;
    ct_analysis_kind kind = ct_sp_kind(r);
    if (!rate && kind != CT_TRAN && kind != CT_AC)
        return (operand){.v = ct_sp_plain(ct_sp_real(r, 0, NULL), 0)};
    operand x = !rate && kind == CT_TRAN && !r->uic ? since_start(p, *given) : *given;
    operand out = call(p, rate ? "der" : "integral", &x, 1, 0);
    ct_node second = ct_sp_real(p->r, 1, "s");
    out.v.node =
        rate ? ct_sp_product(p->r, out.v.node, second) : ct_sp_quotient(p->r, out.v.node, second);
    out.v.plain = out.v.known = false;
    return out;
}

static bool call_special(parsing *p, const char *name, const arguments *a, operand *out)
{
    const operand *x = a->list.at;
    uint32_t count = a->list.count;
    if (count == 3 && (strcmp(name, "if") == 0 || strcmp(name, "ternary_fcn") == 0))
        *out = ct_sp_choose(p, x[0], x[1], x[2]);
    else if (count == 3 && strcmp(name, "limit") == 0)
        *out = call(p, "clamp", x, 3, fmin(fmax(x[0].v.number, x[1].v.number), x[2].v.number));
    else if (count == 1 && strcmp(name, "ddt") == 0)
        *out = call_rate(p, x, true);
    else if (count == 1 && (strcmp(name, "sdt") == 0 || strcmp(name, "idt") == 0))
        *out = call_rate(p, x, false);
    else if ((strcmp(name, "table") == 0 || strcmp(name, "pwl") == 0) && known_table(a))
        *out = read_table(p, a, name[0] == 't');
    else
        return false;
    return true;
}

/* A function of .func. */
static operand call_own(parsing *p, uint32_t f, const arguments *a, uint32_t from)
{
    reader *r = p->r;
    ct_place place = {r->source, from, p->at - from};
    if (!ct_sp_need(r, f, place)) {
        p->failed = true;
        return ct_sp_nothing(p);
    }
    children list = {0};
    const number_list *wanted = &r->scope.at[f].variable;
    uint32_t given = 0;
    for (uint32_t i = 0; i < wanted->count; i++)
        given += !r->variable.at[wanted->at[i]].is_extra;
    if (given != a->list.count)
        return ct_sp_fail(p, from, p->at - from, "E222",
                          ct_printf(r->ctx, "`%s` takes %u arguments, not %u",
                                    ct_name_text(r->ctx, r->scope.at[f].name), given,
                                    a->list.count));
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

operand ct_sp_apply(parsing *p, token word, const arguments *a)
{
    reader *r = p->r;
    const char *name = ct_name_text(r->ctx, ct_sp_lower(r, word));
    uint32_t own = ct_sp_find_scope(r, SCOPE_FUNCTION, r->here, ct_sp_lower(r, word));
    operand out;
    if (own)
        return call_own(p, own, a, word.at);
    if (call_row(p, name, a, &out) || call_comparison(p, name, a, &out) ||
        call_special(p, name, a, &out) || call_function(p, name, a, &out))
        return out;
    uint32_t count = a->list.count;
    return ct_sp_fail(p, word.at, word.length, "E220",
                      ct_printf(r->ctx, "there is no function `%s` of %u argument%s",
                                ct_sp_text(r, word), count, count == 1 ? "" : "s"));
}

bool ct_sp_is_named(reader *r, token word)
{
    static const char *const special[] = {"if",  "ternary_fcn", "limit", "ddt",
                                          "sdt", "idt",         "table", "pwl"};
    const char *name = ct_name_text(r->ctx, ct_sp_lower(r, word));
    bool found = ct_sp_find_scope(r, SCOPE_FUNCTION, r->here, ct_sp_lower(r, word)) != 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        found |= strcmp(name, rows[i].spice) == 0;
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        found |= strcmp(name, comparisons[i].spice) == 0;
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        found |= strcmp(name, special[i]) == 0;
    return found;
}
