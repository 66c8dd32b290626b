/* passive.c - cards of R, C and L: values, models with geometry, temperature, m= in parallel. */
#include <math.h>
#include <string.h>

#include "spice/model.h"
#include "spice/passive.h"

static const double vacuum = 8.854214871e-12; /* F/m, as ngspice has it */

/* ---- models ------------------------------------------------------------------------------------
 */

const param_row ct_sp_resistor_params[] = {
    {"r", "res", USE},   {"rsh", NULL, USE},    {"narrow", NULL, USE}, {"short", NULL, USE},
    {"defw", NULL, USE}, {"l", "defl", USE},    {"tc1", "tc1r", USE},  {"tc2", "tc2r", USE},
    {"tce", NULL, USE},  {"tnom", "tref", USE}, {"kf", NULL, NOISE},   {"af", NULL, NOISE},
    {NULL, NULL, USE}};

const param_row ct_sp_capacitor_params[] = {
    {"cap", "c", USE},    {"cj", NULL, USE},     {"cjsw", NULL, USE}, {"narrow", NULL, USE},
    {"short", NULL, USE}, {"defw", NULL, USE},   {"l", "defl", USE},  {"tc1", NULL, USE},
    {"tc2", NULL, USE},   {"tnom", "tref", USE}, {"di", NULL, USE},   {"thick", NULL, USE},
    {NULL, NULL, USE}};

const param_row ct_sp_inductor_params[] = {{"ind", "l", USE},        {"tc1", NULL, USE},
                                           {"tc2", NULL, USE},       {"tnom", "tref", USE},
                                           {"csect", NULL, REFUSED}, {"length", NULL, REFUSED},
                                           {"dia", NULL, REFUSED},   {"nt", NULL, REFUSED},
                                           {"mu", NULL, REFUSED},    {NULL, NULL, USE}};

static const passive_row passives[] = {{'r', "resistor", "R", "ohm", NULL, "r"},
                                       {'c', "capacitor", "C", "F", "v", "cap"},
                                       {'l', "inductor", "L", "H", "i", "ind"}};

const passive_row *ct_sp_passive_of(char letter)
{
    for (size_t i = 0; i < sizeof passives / sizeof *passives; i++)
        if (passives[i].letter == letter)
            return &passives[i];
    return NULL;
}

/* ---- keys -------------------------------------------------------------------------------------
 */

static const char *const heats[] = {"tc1", "tc2", "tce", "temp", "dtemp"};

static void put_heat(reader *r, passive *p, token name, const value *v, int i)
{
    ct_sp_known(r, v, ct_sp_place(r, name), "a temperature coefficient", &p->heat[i]);
    p->has_heat[i] = true;
}

/* tc= may give two, with or without a comma. */
static bool read_heat(reader *r, cursor *c, token name, const value *v, passive *p)
{
    bool pair = ct_sp_is(r, name, "tc");
    for (int i = 0; i < HEATS; i++) {
        if (!ct_sp_is(r, name, heats[i]) && !(pair && i == TC1))
            continue;
        put_heat(r, p, name, v, i);
        bool more =
            pair && (ct_sp_accept(r, c, ',') || (c->token.kind == TOKEN_WORD &&
                                                 strchr("0123456789.+-", r->text[c->token.at])));
        if (more) {
            value second = ct_sp_value(r, c, "the second coefficient");
            put_heat(r, p, name, &second, TC2);
        }
        return true;
    }
    return false;
}

static void read_key(reader *r, cursor *c, const passive_row *row, token name, passive *p)
{
    const char *key = ct_name_text(r->ctx, ct_sp_lower(r, name));
    bool own = strlen(key) == 1 && key[0] == row->letter;
    token at = c->token;
    value v = ct_sp_value(r, c, "a value");
    if (own && !p->given && !(row->letter == 'l' && p->model)) {
        p->v = v;
        p->given = true;
    } else if (strcmp(key, "ic") == 0 && row->start) {
        ct_sp_check_start(r, name);
        p->start = v;
        p->has_start = true;
    } else if (strcmp(key, "l") == 0 || strcmp(key, "w") == 0) {
        *(key[0] == 'l' ? &p->l : &p->w) = at;
    } else if (strcmp(key, "m") == 0 || strcmp(key, "scale") == 0) {
        *(key[0] == 'm' ? &p->m : &p->scale) = at;
    } else if (!read_heat(r, c, name, &v, p) && strcmp(key, "noisy") != 0) {
        ct_sp_ignored(r, name, "is not supported: the parameter is left out");
    }
}

void ct_sp_read_passive(reader *r, cursor *c, const passive_row *row, passive *p)
{
    token name;
    while (!ct_sp_at_end(c)) {
        bool possible = r->passive_models && !p->model;
        uint32_t m = possible ? ct_sp_model_named(r, c->token, row->letter) : 0;
        if (ct_sp_assignment(r, c, &name)) {
            read_key(r, c, row, name, p);
        } else if (m) {
            p->model = m;
            ct_sp_take(r, c);
        } else if (!p->given) {
            p->v = ct_sp_value(r, c, "a value");
            p->given = true;
        } else {
            ct_sp_rest(r, c);
            p->given = false;
            p->model = 0;
            return;
        }
    }
    if (!p->given && !p->model)
        ct_sp_missing(r, c, "the value");
}

/* ---- values -----------------------------------------------------------------------------------
 */

static ct_node again(reader *r, token t)
{
    return ct_sp_expression(r, t.at, t.at + t.length).node;
}

/* A side of the area less what the edges take: of the device, or the usual one of the model. */
static ct_node side(const writing *w, token own, const char *usual, double otherwise,
                    const char *edge, double times)
{
    reader *r = w->r;
    ct_node all = own.length ? again(r, own) : ct_sp_get_param(w, usual, otherwise).node;
    if (!ct_sp_counts(w, edge))
        return all;
    ct_node part[] = {ct_sp_real(r, times, NULL), ct_sp_get_param(w, edge, 0).node};
    ct_node less = ct_sp_minus(r, ct_sp_list(r, CT_NODE_PRODUCT, 0, part, 2));
    return ct_sp_list(r, CT_NODE_SUM, 0, (ct_node[]){all, less}, 2);
}

/* RSH squares; SPICE takes the edges off twice. */
static ct_node resistance(const writing *w, const passive *p)
{
    ct_node length = side(w, p->l, "l", 10e-6, "short", 2);
    ct_node width = side(w, p->w, "defw", 10e-6, "narrow", 2);
    ct_node part[] = {ct_sp_get_param(w, "rsh", 0).node, length,
                      ct_sp_node(w->r, CT_NODE_INV, 0, width)};
    return ct_sp_list(w->r, CT_NODE_PRODUCT, 0, part, 3);
}

/* CJ area + CJSW rim; CJ may be that of an insulator. */
static ct_node capacitance(const writing *w, const passive *p)
{
    reader *r = w->r;
    double thick = ct_sp_number_of(w, "thick", 0), di = ct_sp_number_of(w, "di", 3.9);
    if (!ct_sp_counts(w, "cj") && thick > 0)
        ct_sp_set_number(w, "cj", di * vacuum / thick);
    children sum = {0};
    ct_node area[] = {ct_sp_get_param(w, "cj", 0).node, side(w, p->l, "l", 10e-6, "short", 1),
                      side(w, p->w, "defw", 10e-6, "narrow", 1)};
    ct_sp_add(r, &sum, ct_sp_list(r, CT_NODE_PRODUCT, 0, area, 3));
    ct_node rim[] = {side(w, p->l, "l", 10e-6, "short", 1),
                     side(w, p->w, "defw", 10e-6, "narrow", 1)};
    ct_node all[] = {ct_sp_real(r, 2, NULL), ct_sp_get_param(w, "cjsw", 0).node,
                     ct_sp_list(r, CT_NODE_SUM, 0, rim, 2)};
    ct_sp_add(r, &sum, ct_sp_list(r, CT_NODE_PRODUCT, 0, all, 3));
    return ct_sp_node(r, CT_NODE_SUM, 0, sum.first);
}

/* What the model alone says; false after reporting. */
static bool take_from_model(const writing *w, const passive_row *row, passive *p, ct_place place)
{
    if (ct_sp_has(w, row->plain)) {
        p->v = ct_sp_get_param(w, row->plain, 0);
        return p->given = true;
    }
    bool square = row->letter == 'r' && ct_sp_counts(w, "rsh");
    bool area = row->letter == 'c' &&
                (ct_sp_counts(w, "cj") || ct_sp_counts(w, "cjsw") || ct_sp_counts(w, "thick"));
    if (!square && !area) {
        ct_sp_error(w->r, "E801", place, "neither the card nor its model gives the value");
        return false;
    }
    p->v = (value){.node = square ? resistance(w, p) : capacitance(w, p)};
    return p->given = true;
}

static void take_heat(const writing *w, const passive_row *row, passive *p)
{
    for (int i = TC1; i <= (row->letter == 'r' ? TCE : TC2); i++)
        if (!p->has_heat[i])
            p->heat[i] = ct_sp_early_number(w, heats[i], 0);
    p->nominal = ct_sp_early_number(w, "tnom", w->r->nominal);
}

bool ct_sp_finish_passive(reader *r, const passive_row *row, passive *p, ct_place place)
{
    p->nominal = r->nominal;
    if (!p->model)
        return p->given;
    const writing w = ct_sp_open_model(r, p->model);
    if (p->given && row->letter == 'r' && ct_sp_has(&w, "r") && ct_sp_number_of(&w, "r", 1) != 1)
        ct_warning(r->ctx, "W803", place,
                   "the card gives a value: R of its model has no effect, as in SPICE");
    take_heat(&w, row, p);
    return p->given || take_from_model(&w, row, p, place);
}

/* What the value is multiplied by at its temperature. */
static double heat_factor(const reader *r, const passive *p)
{
    double t = r->temperature + p->heat[DTEMP];
    t = p->has_heat[TEMP] ? p->heat[TEMP] : t;
    double rise = t - p->nominal;
    if (p->heat[TCE] != 0)
        return pow(1.01, p->heat[TCE] * rise);
    return 1 + p->heat[TC1] * rise + p->heat[TC2] * rise * rise;
}

static void multiply(value *v, reader *r, ct_node factor, value by, bool inverse)
{
    factor = inverse ? ct_sp_node(r, CT_NODE_INV, 0, factor) : factor;
    v->node = ct_sp_list(r, CT_NODE_PRODUCT, 0, (ct_node[]){v->node, factor}, 2);
    v->plain &= by.plain;
    v->known &= by.known;
    v->number = inverse ? v->number / by.number : v->number * by.number;
}

value ct_sp_passive_value(reader *r, const passive_row *row, const passive *p)
{
    double factor = heat_factor(r, p);
    value v = p->v;
    if (factor != 1) {
        v.node = ct_sp_product(r, v.node, ct_sp_real(r, factor, NULL));
        v.number *= factor;
    }
    if (p->scale.length) {
        value s = ct_sp_expression(r, p->scale.at, p->scale.at + p->scale.length);
        multiply(&v, r, s.node, s, false);
    }
    value m = ct_sp_parallel(r, p->m);
    if (m.node)
        multiply(&v, r, m.node, m, row->letter != 'c');
    return v;
}

/* ---- cards ------------------------------------------------------------------------------------
 */

/* The library's resistor is not negative; a source that its own voltage controls may be. */
static void write_negative(reader *r, uint32_t index, const ct_node *terminal, value v)
{
    ct_node again_a = ct_sp_ref(r, r->node.at[terminal[0]].name);
    ct_node again_b = ct_sp_ref(r, r->node.at[terminal[1]].name);
    ct_node all[] = {terminal[0], terminal[1], again_a, again_b};
    v.node = ct_sp_node(r, CT_NODE_INV, 0, v.node);
    r->thing.at[index].two_port = true;
    ct_node one[] = {ct_sp_real(r, 1, "S"), v.node};
    ct_node key = ct_sp_key(r, "gm", ct_sp_list(r, CT_NODE_PRODUCT, 0, one, 2));
    ct_sp_emit(r, ct_sp_component(r, r->thing.at[index].name, "vccs", all, 4, 2, key));
}

static void write_positive(reader *r, uint32_t index, const passive_row *row,
                           const ct_node *terminal, const passive *p, value v)
{
    children keys = {0};
    ct_sp_add(r, &keys, ct_sp_key(r, row->key, ct_sp_unit_of(r, v, row->unit)));
    if (p->has_start && r->uic) {
        const char *unit = row->letter == 'c' ? "V" : "A";
        ct_sp_add(r, &keys, ct_sp_start_key(r, row->start, ct_sp_unit_of(r, p->start, unit)));
    }
    ct_name name = r->thing.at[index].name;
    if (row->letter == 'c')
        ct_sp_link(r, r->here, (link){.name = name, .has_start = p->has_start}, terminal, 2);
    ct_sp_emit(r, ct_sp_component(r, name, row->type, terminal, 2, 2, keys.first));
}

void ct_sp_write_passive(reader *r, uint32_t index, cursor *c, const passive_row *row)
{
    ct_node terminal[2];
    passive p = {0};
    ct_place whole = {r->source, r->at, r->width};
    if (!ct_sp_nodes(r, c, terminal, 2))
        return;
    ct_sp_read_passive(r, c, row, &p);
    ct_sp_here(r, whole);
    if (!ct_sp_finish_passive(r, row, &p, whole) || !ct_sp_apart(r, index, terminal))
        return;
    if (r->thing.at[index].stepped)
        p.v =
            ct_sp_plain(ct_sp_real(r, r->thing.at[index].number, NULL), r->thing.at[index].number);
    value v = ct_sp_passive_value(r, row, &p);
    ct_sp_here(r, whole);
    if (row->letter == 'r' && v.known && v.number < 0)
        write_negative(r, index, terminal, v);
    else
        write_positive(r, index, row, terminal, &p, v);
}
