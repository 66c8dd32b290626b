/* grammar.h - random models: every statement kind, every library element, most of them good.
 *
 * A maker remembers what it declared, so that names mostly exist and terminals mostly have the
 * right domain; now and then it errs on purpose.
 */
#ifndef FUZZ_GRAMMAR_H
#define FUZZ_GRAMMAR_H

#include "fuzz/dice.h"
#include "model/model.h"

/* ---- the element library as the maker sees it */

enum { MOST_KINDS = 200, MOST_PLACES = 12 };

typedef struct element_kind {
    char name[40];
    uint32_t terminal_count, param_count;
    uint8_t group[MOST_PLACES], domain[MOST_PLACES];
    char param[MOST_PLACES][24];
    bool optional[MOST_PLACES];
} element_kind;

typedef struct element_kinds {
    element_kind at[MOST_KINDS];
    uint32_t count;
} element_kinds;

static inline void copy_kind(ct_context *ctx, const ct_element *e, element_kind *k)
{
    snprintf(k->name, sizeof k->name, "%s", ct_name_text(ctx, e->name));
    for (uint32_t i = 0; i < e->terminal_count && i < MOST_PLACES; i++) {
        k->group[i] = (uint8_t)e->terminal[i].group;
        k->domain[i] = e->terminal[i].domain < 5 ? (uint8_t)e->terminal[i].domain : 0;
        k->terminal_count++;
    }
    for (uint32_t i = 0; i < e->param_count && i < MOST_PLACES; i++) {
        snprintf(k->param[i], sizeof k->param[i], "%s", ct_name_text(ctx, e->param[i].name));
        k->optional[i] = e->param[i].fallback != 0;
        k->param_count++;
    }
}

typedef struct kinds_job {
    ct_context *ctx;
    element_kinds *kinds;
} kinds_job;

static inline void find_kinds(void *user)
{
    kinds_job *job = user;
    uint32_t count;
    const char *const *name = ct_library_names(job->ctx, &count);
    ct_pool *pool = ct_pool_new(job->ctx);
    for (uint32_t i = 0; i < count && i < MOST_KINDS; i++)
        copy_kind(job->ctx, ct_library_element(job->ctx, pool, name[i]),
                  &job->kinds->at[job->kinds->count++]);
}

/* ---- the maker */

enum { GROUND = 99 };

typedef struct maker {
    dice d;
    buffer *out;
    const element_kinds *kinds;
    uint32_t values, components, nodes, systems, elements, functions; /* declared so far */
    uint32_t depth;                                                   /* of blocks */
    uint32_t last_node;                                               /* a number, or GROUND */
} maker;

static const char *const domain_words[] = {"electrical", "hydraulic", "thermal", "translational",
                                           "rotational"};
static const char *const domain_letters = "ehtxr"; /* first letter of a node's name */

static inline void make_number(maker *m)
{
    static const char *const rare[] = {"0",
                                       "1e308",
                                       "1e-300",
                                       "1e400",
                                       "1e-400",
                                       "10 m",
                                       "5 V",
                                       "true",
                                       "2 kohm",
                                       "20 degC",
                                       "99999999999999999999"};
    if (chance(&m->d, 96))
        put(m->out, "%u.%u", chance(&m->d, 60) ? 0 : roll(&m->d, 100), 1 + roll(&m->d, 9));
    else
        put(m->out, "%s", PICK(&m->d, rare));
}

static inline void make_value_name(maker *m)
{
    if (m->values)
        put(m->out, "p%u", roll(&m->d, m->values + chance(&m->d, 1)));
    else
        put(m->out, "%s", chance(&m->d, 97) ? "t" : "unknown");
}

static inline void make_variable(maker *m)
{
    static const char *const variables[] = {"v", "i", "e.v", "e.i", "F", "x", "T", "q", "p", "w"};
    if (m->components && chance(&m->d, 10))
        put(m->out, "X%u.%s", roll(&m->d, m->components), PICK(&m->d, variables));
    else
        put(m->out, "e%u.v", roll(&m->d, 4));
}

static inline void make_expr(maker *m, uint32_t depth);

static inline void make_list(maker *m, uint32_t count, uint32_t depth, const char *between)
{
    for (uint32_t i = 0; i < count; i++) {
        put(m->out, "%s", i ? between : "");
        make_expr(m, depth);
    }
}

static inline void make_call(maker *m, uint32_t depth)
{
    static const struct {
        const char *word;
        uint32_t arguments;
    } calls[] = {{"sin", 1},   {"cos", 1},       {"exp", 1},      {"sqrt", 1}, {"abs", 1},
                 {"min", 2},   {"max", 3},       {"atan2", 2},    {"sign", 1}, {"clamp", 3},
                 {"mod", 2},   {"floor", 1},     {"log", 1},      {"tanh", 1}, {"step", 1},
                 {"pulse", 3}, {"der", 1},       {"integral", 1}, {"diff", 2}, {"norm", 1},
                 {"dot", 2},   {"transpose", 1}, {"pre", 1}};
    uint32_t k = roll(&m->d, sizeof calls / sizeof *calls);
    if (m->functions && chance(&m->d, 25))
        put(m->out, "f%u(", roll(&m->d, m->functions));
    else
        put(m->out, "%s(", calls[k].word);
    make_list(m, calls[k].arguments, depth, ", ");
    put(m->out, ")");
}

static inline void make_operation(maker *m, uint32_t depth)
{
    static const char *const between[] = {" + ", " - ",  "*",    "/",     "^",
                                          " < ", " >= ", " == ", " and ", " or "};
    uint32_t k = roll(&m->d, chance(&m->d, 90) ? 4 : 10);
    put(m->out, "(");
    make_list(m, k < 4 ? 2 + roll(&m->d, 2) : 2, depth, between[k]);
    put(m->out, ")");
}

static inline void make_choice(maker *m, uint32_t depth)
{
    put(m->out, "(if ");
    make_list(m, 2, depth, chance(&m->d, 50) ? " < " : " > ");
    put(m->out, " then ");
    make_list(m, 2, depth, " else ");
    put(m->out, ")");
}

static inline void make_matrix(maker *m, uint32_t depth)
{
    uint32_t rows = 1 + roll(&m->d, 3), cols = 1 + roll(&m->d, 3);
    put(m->out, "[");
    for (uint32_t i = 0; i < rows; i++) {
        put(m->out, "%s", i ? "; " : "");
        make_list(m, cols, depth, ", ");
    }
    put(m->out, chance(&m->d, 5) ? "][%u]" : "]", 1 + roll(&m->d, 3));
}

static inline void make_expr(maker *m, uint32_t depth)
{
    static const struct {
        void (*make)(maker *m, uint32_t depth);
        uint32_t percent;
    } deeper[] = {{make_operation, 18}, {make_call, 10}, {make_choice, 3}, {make_matrix, 2}};
    uint32_t at = roll(&m->d, 100);
    for (size_t i = 0; depth && i < sizeof deeper / sizeof *deeper; i++) {
        if (at < deeper[i].percent) {
            deeper[i].make(m, depth - 1);
            return;
        }
        at -= deeper[i].percent;
    }
    if (at < 10)
        make_value_name(m);
    else if (at < 13)
        make_variable(m);
    else
        make_number(m);
}

/* ---- components */

/* Rarely of another domain, rarely the node that was named last. */
static inline void make_terminal(maker *m, uint32_t domain)
{
    uint32_t node = chance(&m->d, 25) ? GROUND : roll(&m->d, 4);
    if (node == m->last_node && chance(&m->d, 97))
        node = node == GROUND ? roll(&m->d, 4) : GROUND;
    if (chance(&m->d, 1))
        domain = roll(&m->d, 5);
    if (node == GROUND)
        put(m->out, "ground");
    else
        put(m->out, "%c%u", domain_letters[domain], node);
    m->last_node = node;
}

static inline void make_terminals(maker *m, const element_kind *k)
{
    put(m->out, "(");
    for (uint32_t i = 0; i < k->terminal_count; i++) {
        put(m->out, "%s", !i ? "" : k->group[i] == k->group[i - 1] ? ", " : " | ");
        make_terminal(m, k->domain[i]);
    }
    put(m->out, ")");
}

static inline void make_keys(maker *m, const element_kind *k)
{
    bool first = true;
    for (uint32_t i = 0; i < k->param_count; i++) {
        if (chance(&m->d, k->optional[i] ? 80 : 1))
            continue;
        put(m->out, "%s %s = ", first ? " " : ",", k->param[i]);
        make_expr(m, chance(&m->d, 20) ? 3 : 0);
        first = false;
    }
}

static inline void make_library_component(maker *m)
{
    const element_kind *k = &m->kinds->at[roll(&m->d, m->kinds->count)];
    put(m->out, "X%u : %s", m->components++, k->name);
    make_terminals(m, k);
    make_keys(m, k);
    put(m->out, "\n");
}

static inline void make_user_component(maker *m)
{
    bool element = m->elements && chance(&m->d, 50);
    uint32_t count = element ? m->elements : m->systems;
    if (!count) {
        make_library_component(m);
        return;
    }
    put(m->out, "X%u : %s%u(e%u, ", m->components++, element ? "el" : "sy", roll(&m->d, count),
        m->last_node = roll(&m->d, 4));
    make_terminal(m, 0);
    put(m->out, chance(&m->d, 40) ? ")  k = %u\n" : ")\n", roll(&m->d, 9));
}

/* Makes islands rarer: ties all nodes of a domain to ground. */
static inline void make_ties(maker *m)
{
    static const char *const tie[] = {
        "resistor(%c%u, ground)  R = 1", "fluid_leakage(%c%u, ground)  G = 1",
        "thermal_resistor(%c%u, ground)  R = 1", "damper(ground, %c%u)  d = 1",
        "torsion_damper(ground, %c%u)  d = 1"};
    for (uint32_t domain = 0; domain < 5; domain++)
        for (uint32_t i = 0; i < 4; i++) {
            char text[80];
            bool used;
            snprintf(text, sizeof text, "%c%u", domain_letters[domain], i);
            used = strstr(m->out->at, text) != NULL;
            if (!used || chance(&m->d, 5))
                continue;
            char line[80];
            snprintf(line, sizeof line, "tie%u%u : %s\n", domain, i, tie[domain]);
            put(m->out, line, domain_letters[domain], i);
        }
}

/* ---- statements */

static inline void make_values(maker *m)
{
    static const char *const words[] = {"param", "param", "param", "const", "input", "signal"};
    static const char *const units[] = {"", "", "", " : V", " : ohm", " : m", " : 1/s", " : V[2]"};
    put(m->out, "%s p%u%s", PICK(&m->d, words), m->values, PICK(&m->d, units));
    if (chance(&m->d, 10))
        put(m->out, " >= 0");
    if (chance(&m->d, 95)) {
        put(m->out, " = ");
        make_expr(m, chance(&m->d, 30) ? 3 : 0);
    }
    m->values++;
    put(m->out, chance(&m->d, 10) ? " \"a text\"\n" : "\n");
}

static inline void make_function(maker *m)
{
    put(m->out, "function f%u(x, y) = x*", m->functions);
    make_expr(m, 2);
    put(m->out, "%s\n", chance(&m->d, 90) ? " + y" : " + f0(x, y)");
    m->functions++;
}

static inline void make_output(maker *m)
{
    put(m->out, chance(&m->d, 80) ? "output " : "plot ");
    make_expr(m, 2);
    if (chance(&m->d, 20))
        put(m->out, ", X%u.v", roll(&m->d, m->components + 1));
    put(m->out, chance(&m->d, 10) ? " as y%u\n" : "\n", roll(&m->d, 9));
}

static inline void make_node(maker *m)
{
    uint32_t domain = roll(&m->d, 5);
    put(m->out, "node %c%u : %s\n", domain_letters[domain], roll(&m->d, 5),
        domain_words[chance(&m->d, 95) ? domain : roll(&m->d, 5)]);
}

static inline void make_wish(maker *m)
{
    static const char *const forms[] = {"tree X%u\n",
                                        "tree X%u, X0\n",
                                        "tree X%u.e\n",
                                        "initial X%u.v = 1\n",
                                        "guess X%u.i = 2\n",
                                        "initial equilibrium # %u\n",
                                        "tree electrical: X%u\n"};
    put(m->out, PICK(&m->d, forms), roll(&m->d, m->components + 1));
}

static inline void make_setting(maker *m)
{
    static const char *const lines[] = {"simulate stop = 1 s, points = 10",
                                        "simulate tol = 1e-6, method = bdf",
                                        "ground g",
                                        "# a comment",
                                        "use \"used.lg\"",
                                        "use \"used.lg\"\nU : used_resistor(e1, ground)",
                                        "space = planar",
                                        "when t > 1 { y = 2 }",
                                        "every 1 ms { y = 2 }",
                                        "discrete y = 1",
                                        "B : body m = 1 kg { P = [0, 1] }",
                                        "output 1 as \"y{1+1}\""};
    put(m->out, "%s\n", lines[roll(&m->d, chance(&m->d, 95) ? 6 : 12)]);
}

static inline void make_statements(maker *m, uint32_t count);

static inline void make_repeat(maker *m)
{
    uint32_t kind = roll(&m->d, 4), at = m->components++;
    put(m->out, "repeat i = %u..%u {\n", roll(&m->d, 3), roll(&m->d, 6));
    if (kind == 0 && m->depth < 2) {
        m->depth++;
        make_statements(m, 1); /* the same names again and again: mostly an error */
        m->depth--;
    }
    put(m->out, "  X%u_{i} : resistor(e{i}, e{i+1})  R = ", at);
    make_expr(m, 1);
    put(m->out, "%s\n}\n", kind == 1 ? "*i" : "");
}

static inline void make_if(maker *m)
{
    if (m->depth > 2)
        return;
    m->depth++;
    put(m->out, "if %u < %u {\n", roll(&m->d, 3), roll(&m->d, 3));
    make_statements(m, 1 + roll(&m->d, 2));
    put(m->out, chance(&m->d, 40) ? "} else {\n" : "}\n");
    if (ends_with(m->out->at, "else {\n")) {
        make_statements(m, 1);
        put(m->out, "}\n");
    }
    m->depth--;
}

static inline void make_system(maker *m)
{
    maker inner = {.d = m->d, .out = m->out, .kinds = m->kinds, .depth = m->depth + 1};
    if (m->depth > 0)
        return;
    put(m->out, "system sy%u(e0, e1 : electrical)\nparam k = 1\n", m->systems);
    inner.systems = m->systems;
    inner.elements = m->elements;
    inner.functions = m->functions;
    make_statements(&inner, 1 + roll(&m->d, 4));
    put(m->out, "end\n");
    m->d = inner.d;
    m->systems++;
}

/* Equations: one for each edge and own unknown, mostly solved for one of the edge's variables. */
static inline void make_equation(maker *m, uint32_t edge)
{
    static const char *const forms[] = {
        "e%u.v = k*e%u.i",           "e%u.i = k*der(e%u.v)",
        "e%u.v = k*der(e%u.i)",      "e%u.v = k*e0.v + 0*e%u.v",
        "e%u.i = -k*e0.i + 0*e%u.i", "e%u.i = if e%u.v > 0 then k else 0",
        "e%u.v = k*integral(e%u.i)", "[e%u.v, e%u.i] = [0, 0]"};
    if (chance(&m->d, 90)) {
        put(m->out, "  ");
        put(m->out, PICK(&m->d, forms), edge, edge);
        put(m->out, "\n");
        return;
    }
    put(m->out, "  e%u.v = k*e%u.i*", edge, edge);
    make_expr(m, 2);
    put(m->out, "\n");
}

static inline void make_element(maker *m)
{
    uint32_t edges = 1 + roll(&m->d, 3), vars = roll(&m->d, 2);
    if (m->depth > 0)
        return;
    put(m->out, "element el%u \"of the user\"\n  port a, b : electrical\n  edge ", m->elements++);
    for (uint32_t i = 0; i < edges; i++)
        put(m->out, "%se%u(a, b)", i ? ", " : "", i);
    put(m->out, "\n  param k = %u\n", roll(&m->d, 3));
    for (uint32_t i = 0; i < vars; i++)
        put(m->out, "  var u%u : V\n  der(u%u) = (e0.v - u%u)/1 s\n", i, i, i);
    for (uint32_t i = 0; i < edges - chance(&m->d, 3); i++)
        make_equation(m, i);
    put(m->out, chance(&m->d, 30) ? "  undetermined \"why\"\nend\n" : "end\n");
}

static inline void make_statements(maker *m, uint32_t count)
{
    static const struct {
        void (*make)(maker *m);
        uint32_t weight;
    } kinds[] = {{make_library_component, 50},
                 {make_user_component, 8},
                 {make_values, 14},
                 {make_function, 3},
                 {make_output, 6},
                 {make_node, 2},
                 {make_wish, 3},
                 {make_setting, 5},
                 {make_repeat, 4},
                 {make_if, 3},
                 {make_system, 3},
                 {make_element, 4}};
    while (count--) {
        uint32_t at = roll(&m->d, 105), i = 0;
        for (; at >= kinds[i].weight; i++)
            at -= kinds[i].weight;
        kinds[i].make(m);
    }
}

static inline void grammar_text(dice *d, const element_kinds *kinds, buffer *out)
{
    maker m = {.d = *d, .out = out, .kinds = kinds};
    out->length = 0;
    put(out, "model random \"of the grammar\"\n");
    make_statements(&m, 1 + roll(&m.d, 12));
    make_ties(&m);
    *d = m.d;
}

#endif
