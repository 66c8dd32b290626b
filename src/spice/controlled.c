/* controlled.c - sources that follow the circuit: E F G H B. */
#include <math.h>
#include <string.h>

#include "spice/reader.h"

/* A source whose value is an expression. */
static void write_follower(reader *r, uint32_t index, const ct_node *terminal, bool voltage,
                           value v, ct_place whole)
{
    ct_sp_here(r, whole);
    ct_node expr = ct_sp_unit_of(r, v, voltage ? "V" : "A");
    ct_node key = ct_sp_key(r, voltage ? "v" : "i", expr);
    ct_sp_emit(r, ct_sp_component(r, r->thing.at[index].name, voltage ? "vsource" : "isource",
                                  terminal, 2, 2, key));
}

/* ---- POLY(n) ----------------------------------------------------------------------------------
 */

enum { MOST_CONTROLS = 20 };

typedef struct controls {
    token a[MOST_CONTROLS], b[MOST_CONTROLS]; /* b: of voltages */
    uint32_t count;
    bool voltage;
} controls;

/* v(a,b) or i(V) as a number; new nodes each time. */
static ct_node control_of(reader *r, const controls *x, uint32_t i)
{
    ct_node n = x->voltage ? ct_sp_voltage(r, x->a[i], x->b[i]) : ct_sp_current(r, x->a[i]);
    return n ? ct_sp_quotient(r, n, ct_sp_real(r, 1, x->voltage ? "V" : "A")) : 0;
}

static bool read_controls(reader *r, cursor *c, controls *x)
{
    for (uint32_t i = 0; i < x->count; i++) {
        while (ct_sp_accept(r, c, ',') || ct_sp_accept(r, c, '(') || ct_sp_accept(r, c, ')'))
            ;
        x->a[i] = ct_sp_take(r, c);
        while (ct_sp_accept(r, c, ','))
            ;
        x->b[i] = x->voltage ? ct_sp_take(r, c) : (token){0};
        if (x->a[i].kind != TOKEN_WORD || (x->voltage && x->b[i].kind != TOKEN_WORD)) {
            ct_sp_missing(r, c, x->voltage ? "a control node" : "a controlling source");
            return false;
        }
    }
    while (ct_sp_accept(r, c, ',') || ct_sp_accept(r, c, ')'))
        ;
    return true;
}

/* The k-th monomial: 1, x1 .. xn, x1 x1, x1 x2, .. ; of one variable all powers. 0: too many. */
static ct_node monomial(reader *r, const controls *x, uint32_t k, ct_node coefficient)
{
    uint32_t n = x->count;
    if (k == 0)
        return coefficient;
    if (n == 1) {
        ct_node part[] = {control_of(r, x, 0), ct_sp_real(r, k, NULL)};
        ct_node power = k == 1 ? part[0] : ct_sp_list(r, CT_NODE_POWER, 0, part, 2);
        return ct_sp_list(r, CT_NODE_PRODUCT, 0, (ct_node[]){coefficient, power}, 2);
    }
    if (k <= n) {
        ct_node part[] = {coefficient, control_of(r, x, k - 1)};
        return ct_sp_list(r, CT_NODE_PRODUCT, 0, part, 2);
    }
    for (uint32_t i = 0, at = n + 1; i < n; i++)
        for (uint32_t j = i; j < n; j++, at++)
            if (at == k) {
                ct_node part[] = {coefficient, control_of(r, x, i), control_of(r, x, j)};
                return ct_sp_list(r, CT_NODE_PRODUCT, 0, part, 3);
            }
    return 0;
}

static value read_poly(reader *r, cursor *c, controls *x, ct_place place, bool *good)
{
    children sum = {0};
    uint32_t k = 0;
    *good = false;
    for (; !ct_sp_at_end(c); k++) {
        value p = ct_sp_value(r, c, "a coefficient");
        if (x->count == 1 && k == 0 && ct_sp_at_end(c))
            k = 1; /* a single one is the gain */
        if (p.known && p.plain && p.number == 0)
            continue;
        ct_node term = monomial(r, x, k, p.node);
        if (!term) {
            ct_sp_error(r, "E802", place, "POLY of several variables is supported to second order");
            return (value){0};
        }
        ct_sp_add(r, &sum, term);
    }
    *good = true;
    if (!sum.first)
        return ct_sp_plain(ct_sp_real(r, 0, NULL), 0);
    ct_node n = sum.first == sum.last ? sum.first : ct_sp_node(r, CT_NODE_SUM, 0, sum.first);
    return (value){.node = n};
}

/* ---- E F G H -----------------------------------------------------------------------------------
 */

/* `value={..}`, `vol='..'`, `cur='..'`: to the end of the card. */
static bool read_expression(reader *r, cursor *c, value *v)
{
    token name;
    cursor ahead = *c;
    if (ct_sp_is(r, c->token, "value") || ct_sp_is(r, c->token, "vol") ||
        ct_sp_is(r, c->token, "cur")) {
        if (!ct_sp_assignment(r, &ahead, &name))
            ct_sp_take(r, &ahead);
        token t = ahead.token;
        *v = ct_sp_following(r, t.at, t.kind == TOKEN_EXPR ? t.at + t.length : c->end);
        return true;
    }
    return false;
}

/* In braces, or all that stands before `=`. */
static token table_argument(reader *r, cursor *c)
{
    token x = ct_sp_take(r, c), last = x;
    while (x.kind == TOKEN_WORD && !ct_sp_at_end(c) && c->token.mark != '=')
        last = ct_sp_take(r, c);
    x.length = last.at + last.length - x.at;
    x.kind = x.kind == TOKEN_WORD ? TOKEN_EXPR : x.kind;
    return x;
}

/* `table {expression} = (x1, y1) (x2, y2) ..` */
static bool read_table(reader *r, cursor *c, value *v, ct_place place)
{
    if (!ct_sp_is(r, c->token, "table"))
        return false;
    ct_sp_take(r, c);
    token x = table_argument(r, c);
    ct_sp_accept(r, c, '=');
    CT_VEC(value) point = {0};
    while (!ct_sp_at_end(c)) {
        if (ct_sp_accept(r, c, '(') || ct_sp_accept(r, c, ')') || ct_sp_accept(r, c, ','))
            continue;
        value p = ct_sp_value(r, c, "a value");
        CT_PUSH(r->arena, point, p);
    }
    uint32_t count = point.count / 2;
    *v = ct_sp_plain(ct_sp_real(r, 0, NULL), 0);
    bool good = x.kind == TOKEN_EXPR && count && point.count % 2 == 0;
    for (uint32_t i = 0; i < point.count; i++)
        good &= point.at[i].known;
    if (!good) {
        ct_sp_error(r, "E801", place, "TABLE takes {expression} = (x1, y1) (x2, y2) ..");
        return true;
    }
    ct_node *n = CT_NEW_ARRAY(r->arena, ct_node, 2 * count + 1);
    for (uint32_t i = 0; i < count; i++) {
        n[i] = point.at[2 * i].node;
        n[count + i] = point.at[2 * i + 1].node;
    }
    ct_node ends[] = {ct_sp_following(r, x.at, x.at + x.length).node,
                      ct_sp_real(r, point.at[0].number, NULL),
                      ct_sp_real(r, point.at[2 * count - 2].number, NULL)};
    ct_node part[] = {
        ct_sp_call(r, "clamp", ends, 3),
        ct_sp_node(r, CT_NODE_MATRIX, 0, ct_sp_list(r, CT_NODE_ROW, 0, n, count)),
        ct_sp_node(r, CT_NODE_MATRIX, 0, ct_sp_list(r, CT_NODE_ROW, 0, n + count, count))};
    *v = count == 1 ? point.at[1] : (value){.node = ct_sp_call(r, "table", part, 3)};
    return true;
}

static bool read_count(reader *r, cursor *c, controls *x)
{
    double count = 1;
    if (!ct_sp_is(r, c->token, "poly"))
        return true;
    ct_place place = ct_sp_place(r, ct_sp_take(r, c));
    bool open = ct_sp_accept(r, c, '(');
    value v = ct_sp_value(r, c, "the number of variables");
    if (!open || !ct_sp_accept(r, c, ')')) {
        ct_sp_error(r, "E801", place, "the number of variables is written POLY(n)");
        return false;
    }
    if (!ct_sp_known(r, &v, place, "the number of variables", &count))
        return false;
    if (!(count >= 1 && count <= MOST_CONTROLS && count == floor(count))) {
        ct_sp_error(r, "E801", place, "POLY(n) takes 1 to %d variables", MOST_CONTROLS);
        return false;
    }
    x->count = (uint32_t)count;
    return true;
}

/* gain of one control: an element of its own where there is one, since the graph then knows it. */
static bool write_linear(reader *r, uint32_t index, const ct_node *output, const controls *x,
                         value gain, token m, bool voltage, ct_place whole)
{
    if (!x->voltage)
        return false;
    value all = voltage ? (value){0} : ct_sp_parallel(r, m);
    if (all.node)
        gain =
            (value){.node = ct_sp_list(r, CT_NODE_PRODUCT, 0, (ct_node[]){gain.node, all.node}, 2)};
    ct_node terminal[] = {ct_sp_terminal(r, x->a[0]), ct_sp_terminal(r, x->b[0]), output[0],
                          output[1]};
    ct_sp_here(r, whole);
    ct_node key =
        voltage ? ct_sp_key(r, "gain", gain.node) : ct_sp_key(r, "gm", ct_sp_unit_of(r, gain, "S"));
    r->thing.at[index].two_port = true;
    ct_sp_emit(r, ct_sp_component(r, r->thing.at[index].name, voltage ? "vcvs" : "vccs", terminal,
                                  4, 2, key));
    return true;
}

/* m=: so many in parallel; length 0: not given. */
static token read_multiplier(reader *r, cursor *c)
{
    token name, at = {0};
    if (!ct_sp_is(r, c->token, "m") || !ct_sp_assignment(r, c, &name))
        return at;
    at = c->token;
    ct_sp_value(r, c, "a value");
    return at;
}

/* A current that is an expression: what it reads may be that of one instance or of all. */
static void warn_of_instances(reader *r, bool voltage, ct_place place)
{
    if (voltage || !r->scope.at[r->here].multiplier)
        return;
    ct_report *w = ct_warning(r->ctx, "W803", place,
                              "m= of instances does not multiply the current of this source");
    ct_help(w, "write its factor into the expression, or use several instances");
}

/* `E1 a b VCVS c d gain`: the kind by its word, too. A node or source may have that name: then the
 * card ends where the gain would stand. */
static void skip_kind(const reader *r, cursor *c, char letter)
{
    static const struct kind {
        char letter;
        const char *word;
        int controls;
    } kinds[] = {{'e', "vcvs", 2}, {'g', "vccs", 2}, {'f', "cccs", 1}, {'h', "ccvs", 1}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].letter != letter || !ct_sp_is(r, c->token, kinds[i].word))
            continue;
        cursor ahead = *c, behind;
        ct_sp_take(r, &ahead);
        behind = ahead;
        for (int k = 0; k < kinds[i].controls; k++)
            ct_sp_take(r, &ahead);
        token gain = ahead.token, name;
        if (!ct_sp_at_end(&ahead) &&
            (gain.kind != TOKEN_WORD || !ct_sp_assignment(r, &ahead, &name)))
            *c = behind;
        return;
    }
}

void ct_sp_write_controlled(reader *r, uint32_t index, cursor *c, char letter)
{
    ct_node terminal[2];
    ct_place whole = {r->source, r->at, r->width};
    bool voltage = letter == 'e' || letter == 'h', good, poly;
    controls x = {.count = 1, .voltage = letter == 'e' || letter == 'g'};
    value v;
    if (!ct_sp_nodes(r, c, terminal, 2))
        return;
    skip_kind(r, c, letter);
    ct_place place = ct_sp_place(r, c->token);
    if (ct_sp_is(r, c->token, "laplace") || ct_sp_is(r, c->token, "freq")) {
        ct_sp_error(r, "E802", place, "LAPLACE and FREQ are not supported");
        return;
    }
    if (x.voltage && (read_expression(r, c, &v) || read_table(r, c, &v, place))) {
        warn_of_instances(r, voltage, place);
        write_follower(r, index, terminal, voltage, v, whole);
        return;
    }
    poly = ct_sp_is(r, c->token, "poly");
    if (!read_count(r, c, &x) || !read_controls(r, c, &x))
        return;
    if (ct_sp_at_end(c)) {
        ct_sp_missing(r, c, "the gain");
        return;
    }
    if (!poly) {
        value gain = ct_sp_value(r, c, "the gain");
        token m = read_multiplier(r, c);
        ct_sp_rest(r, c);
        if (write_linear(r, index, terminal, &x, gain, m, voltage, whole))
            return;
        ct_node control = control_of(r, &x, 0);
        if (!control)
            return;
        if (m.length && !voltage) {
            ct_node all[] = {gain.node, ct_sp_expression(r, m.at, m.at + m.length).node};
            gain.node = ct_sp_list(r, CT_NODE_PRODUCT, 0, all, 2);
        }
        ct_node n = ct_sp_list(r, CT_NODE_PRODUCT, 0, (ct_node[]){gain.node, control}, 2);
        write_follower(r, index, terminal, voltage, (value){.node = n}, whole);
        return;
    }
    v = read_poly(r, c, &x, place, &good);
    if (good && x.voltage)
        warn_of_instances(r, voltage, place);
    if (good)
        write_follower(r, index, terminal, voltage, v, whole);
}

/* B1 a b V=expression or I=expression: the rest of the card. */
void ct_sp_write_behaviour(reader *r, uint32_t index, cursor *c)
{
    ct_node terminal[2];
    token name;
    ct_place whole = {r->source, r->at, r->width};
    if (!ct_sp_nodes(r, c, terminal, 2))
        return;
    if (!ct_sp_assignment(r, c, &name) || (!ct_sp_is(r, name, "v") && !ct_sp_is(r, name, "i"))) {
        ct_sp_error(r, "E801", ct_sp_place(r, c->token), "a B source is written V=.. or I=..");
        return;
    }
    uint32_t at = c->token.at - (c->token.kind == TOKEN_EXPR);
    value v = ct_sp_following(r, at, c->end);
    warn_of_instances(r, ct_sp_is(r, name, "v"), whole);
    write_follower(r, index, terminal, ct_sp_is(r, name, "v"), v, whole);
}
