/* test_networks.h - random networks as text, and the same networks as numbers.
 *
 * A network is a list of parts between nodes of five domains. It is written in the model language
 * for the program, and its terminal equations stand a second time in the table of kinds, linear and
 * in the variable s of Laplace, for checks that share nothing with the program. */
#ifndef TEST_NETWORKS_H
#define TEST_NETWORKS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "equations/equations.h"
#include "unit/cases.h"

enum { MOST_PARTS = 32, MOST_NODES = 24, MOST_ROWS = 160, MOST_INPUT_ORDER = 5, MILLION = 1000000 };

/* ---- dice */

static uint64_t dice_state;

static inline uint32_t below(uint32_t limit)
{
    uint64_t z = dice_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 32) % limit;
}

static inline bool one_in(uint32_t n)
{
    return below(n) == 0;
}

static inline double symmetric(double size)
{
    return size * ((double)below(2000001) / 1e6 - 1);
}

/* ---- kinds of parts */

typedef enum domain { ELEC, HYDR, THERM, TRANS, ROT, DOMAINS } domain;

static const struct domain_row {
    const char *name, *across, *through, *position, *across_unit, *through_unit, *position_unit;
} domains[] = {
    {"electrical", "v", "i", NULL, "V", "A", NULL},
    {"hydraulic", "p", "q", NULL, "Pa", "m^3/s", NULL},
    {"thermal", "T", "Q", NULL, "K", "W", NULL},
    {"translational", "v", "F", "x", "m/s", "N", "m"},
    {"rotational", "w", "T", "theta", "rad/s", "N.m", "rad"},
};

/* Flags: A across driver, T through driver, r may be turned round, R and G split as a resistance or
 * a conductance, m one terminal, x reads its position, c stores by across and l by through, X
 * stores something else, n not linear, q flat at zero, 2 two-port, w only in wild networks. `$a`
 * stands for a value or parameter, `$u` for an input. Equations: terms of v1 i1 v2 i2 with factors
 * a b c, s, and h for one half. */
typedef struct kind {
    const char *type, *flags;
    domain domain[2];
    const char *edge[2], *keys, *equations;
} kind;

static const kind kinds[] = {
    {"resistor", "rR", {ELEC, ELEC}, {"e", NULL}, "R = $a", "+v1 -a.i1"},
    {"conductor", "rG", {ELEC, ELEC}, {"e", NULL}, "G = $a", "+i1 -a.v1"},
    {"capacitor", "rc", {ELEC, ELEC}, {"e", NULL}, "C = $a", "+i1 -a.s.v1"},
    {"inductor", "rl", {ELEC, ELEC}, {"e", NULL}, "L = $a", "+v1 -a.s.i1"},
    {"vsource", "rA", {ELEC, ELEC}, {"e", NULL}, "v = $u", "+v1"},
    {"isource", "rT", {ELEC, ELEC}, {"e", NULL}, "i = $u", "+i1"},
    {"ammeter", "rAw", {ELEC, ELEC}, {"e", NULL}, "", "+v1"},
    {"voltmeter", "rTw", {ELEC, ELEC}, {"e", NULL}, "", "+i1"},
    {"diode", "n", {ELEC, ELEC}, {"e", NULL}, "Is = $a, Vt = 0.5, Gmin = 0.1", "+i1 -a.v1"},
    {"varicap", "rnX", {ELEC, ELEC}, {"e", NULL}, "C = $a, v0 = 2", "+i1 -a.s.v1"},
    {"fluid_resistor", "rR", {HYDR, HYDR}, {"e", NULL}, "R = $a", "+v1 -a.i1"},
    {"fluid_leakage", "rG", {HYDR, HYDR}, {"e", NULL}, "G = $a", "+i1 -a.v1"},
    {"accumulator", "rc", {HYDR, HYDR}, {"e", NULL}, "C = $a", "+i1 -a.s.v1"},
    {"fluid_inertance", "rl", {HYDR, HYDR}, {"e", NULL}, "I = $a", "+v1 -a.s.i1"},
    {"pressure_source", "rA", {HYDR, HYDR}, {"e", NULL}, "p = $u", "+v1"},
    {"flow_source", "rT", {HYDR, HYDR}, {"e", NULL}, "q = $u", "+i1"},
    {"fluid_resistor", "rnq", {HYDR, HYDR}, {"e", NULL}, "R = $a, k = 2", "+v1 -a.i1"},
    {"orifice", "rn", {HYDR, HYDR}, {"e", NULL}, "A = $a, rho = 2, pt = 0.5", "+i1 -a.v1"},
    {"thermal_resistor", "rR", {THERM, THERM}, {"e", NULL}, "R = $a", "+v1 -a.i1"},
    {"thermal_capacitor", "rc", {THERM, THERM}, {"e", NULL}, "C = $a", "+i1 -a.s.v1"},
    {"temperature_source", "rA", {THERM, THERM}, {"e", NULL}, "T = $u", "+v1"},
    {"heat_source", "rT", {THERM, THERM}, {"e", NULL}, "Q = $u", "+i1"},
    {"mass", "mc", {TRANS, TRANS}, {"e", NULL}, "m = $a", "+i1 -a.s.v1"},
    {"inerter", "rc", {TRANS, TRANS}, {"e", NULL}, "b = $a", "+i1 -a.s.v1"},
    {"spring", "rx", {TRANS, TRANS}, {"e", NULL}, "k = $a", "+s.i1 -a.v1"},
    {"damper", "rG", {TRANS, TRANS}, {"e", NULL}, "d = $a", "+i1 -a.v1"},
    {"velocity_source", "rA", {TRANS, TRANS}, {"e", NULL}, "v = $u", "+v1"},
    {"position_source", "rAx", {TRANS, TRANS}, {"e", NULL}, "x = $u", "+v1"},
    {"force", "rT", {TRANS, TRANS}, {"e", NULL}, "F = $u", "+i1"},
    {"soft_damper", "rn", {TRANS, TRANS}, {"e", NULL}, "d = $a, v0 = 1.5", "+i1 -a.v1"},
    {"hard_spring", "rxnX", {TRANS, TRANS}, {"e", NULL}, "k = $a", "+s.i1 -a.v1"},
    {"inertia", "mc", {ROT, ROT}, {"e", NULL}, "J = $a", "+i1 -a.s.v1"},
    {"torsion_spring", "rx", {ROT, ROT}, {"e", NULL}, "k = $a", "+s.i1 -a.v1"},
    {"torsion_damper", "rG", {ROT, ROT}, {"e", NULL}, "d = $a", "+i1 -a.v1"},
    {"speed_source", "rA", {ROT, ROT}, {"e", NULL}, "w = $u", "+v1"},
    {"angle_source", "rAx", {ROT, ROT}, {"e", NULL}, "theta = $u", "+v1"},
    {"torque", "rT", {ROT, ROT}, {"e", NULL}, "T = $u", "+i1"},
    {"torsion_friction", "rn", {ROT, ROT}, {"e", NULL}, "Tc = $a, w0 = 1, B = 0.2", "+i1 -a.v1"},

    {"transformer", "2", {ELEC, ELEC}, {"e1", "e2"}, "n = $a", "+v1 -a.v2; +i2 +a.i1"},
    {"gyrator", "2", {ELEC, ELEC}, {"e1", "e2"}, "r = $a", "+v1 -a.i2; +v2 +a.i1"},
    {"coupled_inductors",
     "2X",
     {ELEC, ELEC},
     {"e1", "e2"},
     "L1 = $a, L2 = $a, k = 0.5",
     "+v1 -a.s.i1 -a.h.s.i2; +v2 -a.h.s.i1 -a.s.i2"},
    {"vccs", "2", {ELEC, ELEC}, {"c", "e"}, "gm = $a", "+i1; +i2 -a.v1"},
    {"vcvs", "2w", {ELEC, ELEC}, {"c", "e"}, "gain = $a", "+i1; +v2 -a.v1"},
    {"ccvs", "2w", {ELEC, ELEC}, {"c", "e"}, "rm = $a", "+v1; +v2 -a.i1"},
    {"cccs", "2w", {ELEC, ELEC}, {"c", "e"}, "gain = $a", "+v1; +i2 -a.i1"},
    {"opamp", "2w", {ELEC, ELEC}, {"inp", "outp"}, "", "+v1; +i1"},
    {"dc_motor", "2", {ELEC, ROT}, {"e", "m"}, "Kv = $a, R = $b", "+v1 -a.v2 -b.i1; +i2 +a.i1"},
    {"dc_motor",
     "2X",
     {ELEC, ROT},
     {"e", "m"},
     "Kv = $a, L = $b, B = $c",
     "+v1 -a.v2 -b.s.i1; +i2 +a.i1 -c.v2"},
    {"voice_coil", "2", {ELEC, TRANS}, {"e", "m"}, "K = $a", "+v1 -a.v2; +i2 +a.i1"},
    {"gear", "2", {ROT, ROT}, {"e1", "e2"}, "n = $a", "+v1 -a.v2; +i2 +a.i1"},
    {"lever", "2", {TRANS, TRANS}, {"e1", "e2"}, "n = $a", "+v1 -a.v2; +i2 +a.i1"},
    {"rack", "2", {ROT, TRANS}, {"s", "m"}, "r = $a", "+v2 -a.v1; +i1 +a.i2"},
    {"cylinder", "2", {HYDR, TRANS}, {"e", "m"}, "A = $a", "+i1 -a.v2; +i2 +a.v1"},
    {"pump", "2", {HYDR, ROT}, {"e", "s"}, "D = $a, G = $b", "+i1 -a.v2 -b.v1; +i2 +a.v1"},
    {"transformer", "2", {HYDR, ELEC}, {"e1", "e2"}, "n = $a", "+v1 -a.v2; +i2 +a.i1"},
    {"gyrator", "2", {ROT, TRANS}, {"e1", "e2"}, "r = $a", "+v1 -a.i2; +v2 +a.i1"},
    {"pressure_intensifier", "2", {HYDR, HYDR}, {"e1", "e2"}, "n = $a", "+v1 -a.v2; +i2 +a.i1"},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static const char user_elements[] = "element varicap \"C grows with v\"\n"
                                    "  port p, n : electrical\n"
                                    "  edge e(p, n)\n"
                                    "  param C : F > 0, v0 : V > 0\n"
                                    "  e.i = C*(1 + (e.v/v0)^2)*der(e.v)\n"
                                    "end\n"
                                    "element soft_damper \"its force nearly saturates\"\n"
                                    "  port ends : translational(a, b)\n"
                                    "  edge e(a, b)\n"
                                    "  param d : N.s/m > 0, v0 : m/s > 0\n"
                                    "  e.F = d*(v0*tanh(e.v/v0) + e.v/5)\n"
                                    "end\n"
                                    "element hard_spring \"stiffness grows\"\n"
                                    "  port ends : translational(a, b)\n"
                                    "  edge e(a, b)\n"
                                    "  param k : N/m > 0, x0 : m > 0 = 1 m\n"
                                    "  e.F = k*e.x*(1 + (e.x/x0)^2)\n"
                                    "end\n";

static inline bool has(const kind *k, char flag)
{
    return strchr(k->flags, flag) != NULL;
}

static inline int edges_of(const kind *k)
{
    return has(k, '2') ? 2 : 1;
}

/* ---- networks */

typedef struct part {
    const kind *kind;
    char name[32];
    int node[4];   /* tail, head of the first edge, then of the second */
    int value[3];  /* a, b, c in millionths */
    bool symbolic; /* values are parameters */
    bool turned;   /* written with its terminals exchanged */
} part;

typedef struct network {
    part part[MOST_PARTS];
    struct {
        domain domain;
        char name[32];
    } node[MOST_NODES];
    int parts, nodes;
    int datum[DOMAINS];    /* node; -1: domain is not in use */
    int order[MOST_PARTS]; /* of statements */
    bool generic;          /* no value is special */
    bool late;             /* parameters and inputs are declared at the end */
} network;

static inline int new_node(network *n, domain d)
{
    int i = n->nodes++;
    assert_true(i < MOST_NODES);
    n->node[i].domain = d;
    snprintf(n->node[i].name, sizeof n->node[i].name, "n%d", i);
    return i;
}

static inline part *new_part(network *n, const kind *k)
{
    int i = n->parts++;
    assert_true(i < MOST_PARTS);
    part *p = &n->part[i];
    *p = (part){.kind = k};
    snprintf(p->name, sizeof p->name, "X%d", i);
    n->order[i] = i;
    return p;
}

static inline bool is_datum(const network *n, int node)
{
    return n->datum[n->node[node].domain] == node;
}

static inline bool is_used(const network *n, int node)
{
    for (int i = 0; i < n->parts; i++)
        for (int k = 0; k < 2 * edges_of(n->part[i].kind); k++)
            if (n->part[i].node[k] == node)
                return true;
    return false;
}

static inline const char *node_name(const network *n, int node)
{
    return is_datum(n, node) ? "ground" : n->node[node].name;
}

/* ---- text */

static inline void put_value(FILE *out, const part *p, int which)
{
    fprintf(out, "%d.%06d", p->value[which] / MILLION, p->value[which] % MILLION);
}

static inline void put_keys(FILE *out, const network *n, const part *p)
{
    for (const char *c = p->kind->keys; *c; c++) {
        if (*c != '$')
            fputc(*c, out);
        else if (*++c == 'u')
            fprintf(out, "%su%d", p->turned ? "-" : "", (int)(p - n->part));
        else if (p->symbolic)
            fprintf(out, "%c%d", *c, (int)(p - n->part));
        else
            put_value(out, p, *c - 'a');
    }
}

static inline void put_part(FILE *out, const network *n, const part *p)
{
    const char *at[4];
    for (int i = 0; i < 2 * edges_of(p->kind); i++)
        at[p->turned ? i ^ 1 : i] = node_name(n, p->node[i]);
    fprintf(out, "%s : %s(", p->name, p->kind->type);
    if (has(p->kind, 'm'))
        fprintf(out, "%s)  ", at[1]);
    else if (has(p->kind, '2'))
        fprintf(out, "%s, %s | %s, %s)  ", at[0], at[1], at[2], at[3]);
    else
        fprintf(out, "%s, %s)  ", at[0], at[1]);
    put_keys(out, n, p);
    fputc('\n', out);
}

static inline const char *input_unit(const kind *k)
{
    const struct domain_row *d = &domains[k->domain[0]];
    return has(k, 'x') ? d->position_unit : has(k, 'A') ? d->across_unit : d->through_unit;
}

/* What drives input i in a run. */
typedef void put_drive_fn(FILE *out, int part);

/* An element of any domain needs to be told that of its nodes when nothing else is there. */
static inline void put_nodes(FILE *out, const network *n)
{
    for (int i = 0; i < n->nodes; i++)
        if (!is_datum(n, i) && is_used(n, i))
            fprintf(out, "node %s : %s\n", n->node[i].name, domains[n->node[i].domain].name);
}

static inline void put_declarations(FILE *out, const network *n, put_drive_fn *drive)
{
    for (int i = 0; i < n->parts; i++) {
        const part *p = &n->part[i];
        for (int v = 0; v < 3; v++) {
            char mark[] = {'$', (char)('a' + v), '\0'};
            if (!p->symbolic || !strstr(p->kind->keys, mark))
                continue;
            fprintf(out, "param %c%d = ", 'a' + v, i);
            put_value(out, p, v);
            fputc('\n', out);
        }
        if (!strstr(p->kind->keys, "$u"))
            continue;
        fprintf(out, "input u%d : %s", i, input_unit(p->kind));
        if (drive)
            drive(out, i);
        fputc('\n', out);
    }
}

/* ---- outputs: all variables of all edges, then the potentials of nodes */

typedef enum row_kind { ACROSS, THROUGH, POSITION, POTENTIAL } row_kind;

typedef struct output_row {
    row_kind kind;
    int index, edge; /* part or node */
} output_row;

static inline int list_rows(const network *n, output_row *row)
{
    int count = 0;
    for (int i = 0; i < n->parts; i++) {
        for (int e = 0; e < edges_of(n->part[i].kind); e++) {
            row[count++] = (output_row){ACROSS, i, e};
            row[count++] = (output_row){THROUGH, i, e};
        }
        if (has(n->part[i].kind, 'x'))
            row[count++] = (output_row){POSITION, i, 0};
    }
    for (int i = 0; i < n->nodes; i++)
        if (!is_datum(n, i) && is_used(n, i))
            row[count++] = (output_row){POTENTIAL, i, 0};
    assert_true(count <= MOST_ROWS);
    return count;
}

static inline domain domain_of(const network *n, const output_row *r)
{
    return r->kind == POTENTIAL ? n->node[r->index].domain
                                : n->part[r->index].kind->domain[r->edge];
}

/* The path with its edge, which no key hides; or the program's own symbol. */
static inline void row_symbol(const network *n, const output_row *r, bool path, char *out,
                              size_t room)
{
    const struct domain_row *d = &domains[domain_of(n, r)];
    const char *variable = r->kind == THROUGH    ? d->through
                           : r->kind == POSITION ? d->position
                                                 : d->across;
    if (r->kind == POTENTIAL)
        snprintf(out, room, "%s.%s", n->node[r->index].name, variable);
    else if (path || has(n->part[r->index].kind, '2'))
        snprintf(out, room, "%s.%s.%s", n->part[r->index].name,
                 n->part[r->index].kind->edge[r->edge], variable);
    else
        snprintf(out, room, "%s.%s", n->part[r->index].name, variable);
}

static inline void put_outputs(FILE *out, const network *n)
{
    output_row row[MOST_ROWS];
    char symbol[64];
    int count = list_rows(n, row);
    for (int i = 0; i < count; i++) {
        row_symbol(n, &row[i], true, symbol, sizeof symbol);
        fprintf(out, "output %s\n", symbol);
    }
}

/* The model as text, to be freed; `extra` stands at its end. */
static inline char *write_network(const network *n, put_drive_fn *drive, const char *extra)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    fprintf(out, "model random\n");
    if (!n->late)
        put_declarations(out, n, drive);
    for (int i = 0; i < n->parts; i++)
        put_part(out, n, &n->part[n->order[i]]);
    if (n->late)
        put_declarations(out, n, drive);
    put_nodes(out, n);
    put_outputs(out, n);
    fprintf(out, "%s%s", extra ? extra : "", user_elements);
    fclose(out);
    return text;
}

/* ---- random networks */

typedef enum style { TENTHS, ONES, SYMBOLS } style;

static inline void give_values(part *p, style s)
{
    p->symbolic = s == SYMBOLS && !one_in(5);
    for (int v = 0; v < 3; v++)
        p->value[v] = s == ONES     ? MILLION
                      : s == TENTHS ? MILLION / 10 * (3 + (int)below(25))
                                    : MILLION / 4 + 4 * (int)below(600000);
}

static inline const kind *some_kind(const char *wanted, const char *unwanted, const network *n)
{
    for (;;) {
        const kind *k = &kinds[below(KINDS)];
        bool fits = n->datum[k->domain[0]] >= 0 && n->datum[k->domain[1]] >= 0;
        for (const char *c = wanted; *c; c++)
            fits &= has(k, *c);
        for (const char *c = unwanted; *c; c++)
            fits &= !has(k, *c);
        if (fits)
            return k;
    }
}

static inline const kind *named_kind(const char *type)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].type, type) == 0)
            return &kinds[i];
    fail_msg("no kind %s", type);
    return NULL;
}

static inline int some_node(const network *n, domain d, int other_than)
{
    for (;;) {
        int i = (int)below((uint32_t)n->nodes);
        if (n->node[i].domain == d && i != other_than)
            return i;
    }
}

static inline part *add_between(network *n, const kind *k, int tail, int head, style s)
{
    part *p = new_part(n, k);
    p->node[0] = tail;
    p->node[1] = head;
    give_values(p, s);
    return p;
}

static inline void add_anywhere(network *n, const kind *k, style s)
{
    part *p = new_part(n, k);
    for (int e = 0; e < edges_of(k); e++) {
        int head = some_node(n, k->domain[e], has(k, 'm') ? n->datum[k->domain[e]] : -1);
        p->node[2 * e + 1] = head;
        p->node[2 * e] = has(k, 'm') ? n->datum[k->domain[e]] : some_node(n, k->domain[e], head);
    }
    give_values(p, s);
}

static inline void open_domain(network *n, domain d, uint32_t most_nodes)
{
    if (n->datum[d] >= 0)
        return;
    n->datum[d] = new_node(n, d);
    for (uint32_t i = 0, count = 1 + below(most_nodes); i < count; i++)
        new_node(n, d);
}

static inline void begin_network(network *n, uint64_t seed, uint32_t most_domains,
                                 uint32_t most_nodes)
{
    memset(n, 0, sizeof *n);
    dice_state = seed * 0x2545f4914f6cdd1du;
    for (int d = 0; d < DOMAINS; d++)
        n->datum[d] = -1;
    for (uint32_t i = 0, count = 1 + below(most_domains); i < count; i++)
        open_domain(n, (domain)below(DOMAINS), most_nodes);
}

/* Passive parts reach every node; then more of them, sources and two-ports. */
static inline void connect_nodes(network *n, const char *unwanted, style s)
{
    for (int i = 0; i < n->nodes; i++) {
        domain d = n->node[i].domain;
        if (is_datum(n, i))
            continue;
        const kind *k;
        do
            k = some_kind("", unwanted, n);
        while (k->domain[0] != d || has(k, '2') || has(k, 'A') || has(k, 'T'));
        int tail =
            has(k, 'm') ? n->datum[d] : n->datum[d] + (int)below((uint32_t)(i - n->datum[d]));
        add_between(n, k, tail, i, s);
    }
}

/* Inverting amplifier: a resistor into its input node, something back from its output. */
static inline void add_amplifier(network *n, style s)
{
    int datum = n->datum[ELEC], from = some_node(n, ELEC, -1);
    int in = new_node(n, ELEC), out = new_node(n, ELEC);
    add_between(n, named_kind("resistor"), from, in, s);
    add_between(n, named_kind(one_in(2) ? "capacitor" : "resistor"), in, out, s);
    part *p = add_between(n, named_kind("opamp"), datum, in, s);
    p->node[2] = out;
    p->node[3] = datum;
    add_between(n, named_kind("resistor"), out, one_in(2) ? datum : from, s);
}

/* A controlled voltage behind a resistor. */
static inline void add_controlled(network *n, style s)
{
    int datum = n->datum[ELEC], out = new_node(n, ELEC);
    int control = some_node(n, ELEC, out), to = some_node(n, ELEC, out);
    part *p = add_between(n, named_kind("vcvs"), control, some_node(n, ELEC, control), s);
    p->node[2] = out;
    p->node[3] = datum;
    add_between(n, named_kind("resistor"), out, to, s);
}

static inline void shuffle(int *list, int count)
{
    for (int i = count; i > 1; i--) {
        int k = (int)below((uint32_t)i), keep = list[i - 1];
        list[i - 1] = list[k];
        list[k] = keep;
    }
}

/* Most of these are well-posed. */
static inline void sane_network(network *n, uint64_t seed, const char *unwanted, style s)
{
    char calm[16], passive[16];
    snprintf(calm, sizeof calm, "w%s", unwanted);
    snprintf(passive, sizeof passive, "w2AT%s", unwanted);
    begin_network(n, seed, 3, 4);
    connect_nodes(n, calm, s);
    for (uint32_t i = below(5); i > 0; i--)
        add_anywhere(n, some_kind("", passive, n), s);
    for (uint32_t i = 1 + below(2); i > 0; i--)
        add_anywhere(n, some_kind("T", calm, n), s);
    for (uint32_t i = below(3); i > 0; i--)
        add_anywhere(n, some_kind("A", calm, n), s);
    bool two_ports = false;
    for (int i = 0; i < KINDS; i++)
        two_ports |= has(&kinds[i], '2') && !has(&kinds[i], 'w') &&
                     n->datum[kinds[i].domain[0]] >= 0 && n->datum[kinds[i].domain[1]] >= 0;
    for (uint32_t i = two_ports ? below(4) : 0; i > 0; i--)
        add_anywhere(n, some_kind("2", calm, n), s);
    if (n->datum[ELEC] >= 0 && n->nodes < 12 && one_in(3))
        one_in(2) ? add_amplifier(n, s) : add_controlled(n, s);
    shuffle(n->order, n->parts);
    n->generic = s == SYMBOLS;
}

#endif
