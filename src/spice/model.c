/* model.c - .model cards of devices: their values, and the devices that name them. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "spice/model.h"
#include "spice/passive.h"

static uint32_t find_param(const reader *r, const param_row *row, token name)
{
    for (uint32_t i = 0; row[i].name; i++)
        if (ct_sp_is(r, name, row[i].name) || (row[i].other && ct_sp_is(r, name, row[i].other)))
            return i;
    return UINT32_MAX;
}

/* ---- values of the card -------------------------------------------------------------------------
 */

static uint32_t index_of(const writing *w, const char *name)
{
    for (uint32_t i = 0; w->row->param[i].name; i++)
        if (strcmp(w->row->param[i].name, name) == 0)
            return i;
    assert(false); /* names are those of the table */
    return 0;
}

bool ct_sp_has(const writing *w, const char *name)
{
    uint32_t i = index_of(w, name);
    return w->g->at[i].length != 0 || w->g->replaced[i];
}

/* Given, and not known to be zero. */
bool ct_sp_counts(const writing *w, const char *name)
{
    const value *v = &w->g->v[index_of(w, name)];
    return ct_sp_has(w, name) && !(v->known && v->number == 0);
}

/* New nodes each time. */
value ct_sp_get_param(const writing *w, const char *name, double usual)
{
    uint32_t i = index_of(w, name);
    token t = w->g->at[i];
    if (w->g->replaced[i] || !t.length) {
        double x = w->g->replaced[i] ? w->g->v[i].number : usual;
        return ct_sp_plain(ct_sp_real(w->r, x, NULL), x);
    }
    ct_sp_here(w->r, ct_sp_place(w->r, t));
    return ct_sp_expression(w->r, t.at, t.at + t.length);
}

double ct_sp_early_number(const writing *w, const char *name, double usual)
{
    uint32_t i = index_of(w, name);
    double x = usual;
    if (ct_sp_has(w, name) && !ct_sp_known(w->r, &w->g->v[i], ct_sp_place(w->r, w->g->at[i]),
                                           "a parameter that depends on temperature", &x))
        return usual;
    return x;
}

void ct_sp_set_number(const writing *w, const char *name, double number)
{
    uint32_t i = index_of(w, name);
    w->g->v[i] = (value){.plain = true, .known = true, .number = number};
    w->g->replaced[i] = true;
}

double ct_sp_number_of(const writing *w, const char *name, double usual)
{
    uint32_t i = index_of(w, name);
    return ct_sp_has(w, name) ? w->g->v[i].number : usual;
}

/* key = value unit, when the card gives it. */
void ct_sp_pass(const writing *w, children *keys, const char *key, const char *name,
                const char *unit)
{
    if (ct_sp_has(w, name))
        ct_sp_add(w->r, keys,
                  ct_sp_key(w->r, key, ct_sp_unit_of(w->r, ct_sp_get_param(w, name, 0), unit)));
}

/* value*factor unit with a key of the instance: AREA, W .. */
ct_node ct_sp_scaled(const writing *w, value v, const char *factor, const char *unit)
{
    reader *r = w->r;
    ct_node n =
        ct_sp_list(r, CT_NODE_PRODUCT, 0, (ct_node[]){v.node, ct_sp_word_ref(r, factor)}, 2);
    return ct_sp_product(r, n, ct_sp_real(r, 1, unit));
}

void ct_sp_pass_scaled(const writing *w, children *keys, const char *key, const char *name,
                       double usual, const char *unit)
{
    if (ct_sp_has(w, name) || usual > 0)
        ct_sp_add(
            w->r, keys,
            ct_sp_key(w->r, key, ct_sp_scaled(w, ct_sp_get_param(w, name, usual), "AREA", unit)));
}

void ct_sp_put_part(const writing *w, const char *name, const char *type, const char *a,
                    const char *b, children keys)
{
    reader *r = w->r;
    ct_node terminal[] = {ct_sp_word_ref(r, a), ct_sp_word_ref(r, b)};
    if (strstr(type, "capacitor"))
        ct_sp_link(r, r->here, (link){.name = ct_intern_text(r->ctx, name)}, terminal, 2);
    ct_sp_emit(r,
               ct_sp_component(r, ct_intern_text(r->ctx, name), type, terminal, 2, 2, keys.first));
}

void ct_sp_put_transistor(const writing *w, const char *name, const char *const *node,
                          uint32_t count, children keys)
{
    enum { MOST_NODES = sizeof w->row->ports / sizeof *w->row->ports };
    reader *r = w->r;
    ct_node terminal[MOST_NODES];
    for (uint32_t i = 0; i < count; i++)
        terminal[i] = ct_sp_word_ref(r, node[i]);
    ct_sp_emit(r, ct_sp_component(r, ct_intern_text(r->ctx, name),
                                  ct_printf(r->ctx, "spice_%s", w->row->type), terminal, count,
                                  count, keys.first));
}

const char *ct_sp_put_contact(const writing *w, const char *name, const char *outer,
                              const char *inner)
{
    reader *r = w->r;
    if (!ct_sp_counts(w, name))
        return outer;
    children keys = {0};
    ct_node n = ct_sp_quotient(r, ct_sp_get_param(w, name, 0).node, ct_sp_word_ref(r, "AREA"));
    ct_sp_add(r, &keys, ct_sp_key(r, "R", ct_sp_product(r, n, ct_sp_real(r, 1, "ohm"))));
    ct_sp_put_part(w, name, "resistor", outer, inner, keys);
    return inner;
}

/* Anode and cathode change places in complementary types. */
void ct_sp_put_junction(const writing *w, const char *name, const char *type, const char *a,
                        const char *b, children keys)
{
    ct_sp_put_part(w, name, type, w->row->minus ? b : a, w->row->minus ? a : b, keys);
}

void ct_sp_put_key(const writing *w, children *keys, const char *key, double x, const char *unit)
{
    ct_sp_add(w->r, keys, ct_sp_key(w->r, key, ct_sp_real(w->r, x, unit)));
}

bool ct_sp_has_charges(const writing *w)
{
    ct_analysis_kind kind = ct_sp_kind(w->r);
    return kind == CT_TRAN || kind == CT_AC;
}

/* ---- the table of types
 * ---------------------------------------------------------------------------------- */

static const char *const area_keys[] = {"AREA", NULL};
static const char *const mos_keys[] = {"W", "L", "AD", "AS", "PD", "PS", "NRD", "NRS", NULL};
static const double mos_usual[] = {1e-4, 1e-4, 0, 0, 0, 0, 1, 1};

static const model_row models[] = {
    {"d", 'd', false, ct_sp_diode_params, ct_sp_write_diode, {"a", "k"}, area_keys},
    {"npn", 'q', false, ct_sp_bipolar_params, ct_sp_write_bipolar, {"c", "b", "e"}, area_keys},
    {"pnp", 'q', true, ct_sp_bipolar_params, ct_sp_write_bipolar, {"c", "b", "e"}, area_keys},
    {"nmos", 'm', false, ct_sp_mos_params, ct_sp_write_mos, {"d", "g", "s", "b"}, mos_keys},
    {"pmos", 'm', true, ct_sp_mos_params, ct_sp_write_mos, {"d", "g", "s", "b"}, mos_keys},
    {"njf", 'j', false, ct_sp_jfet_params, ct_sp_write_jfet, {"d", "g", "s"}, area_keys},
    {"pjf", 'j', true, ct_sp_jfet_params, ct_sp_write_jfet, {"d", "g", "s"}, area_keys},
    {"r", 'r', false, ct_sp_resistor_params, NULL, {NULL}, NULL},
    {"res", 'r', false, ct_sp_resistor_params, NULL, {NULL}, NULL},
    {"c", 'c', false, ct_sp_capacitor_params, NULL, {NULL}, NULL},
    {"cap", 'c', false, ct_sp_capacitor_params, NULL, {NULL}, NULL},
    {"l", 'l', false, ct_sp_inductor_params, NULL, {NULL}, NULL},
    {"ind", 'l', false, ct_sp_inductor_params, NULL, {NULL}, NULL},
    {"sw", 's', false, ct_sp_switch_params, NULL, {NULL}, NULL},
    {"vswitch", 's', true, ct_sp_switch_params, NULL, {NULL}, NULL},
    {"csw", 'w', false, ct_sp_switch_params, NULL, {NULL}, NULL},
    {"iswitch", 'w', true, ct_sp_switch_params, NULL, {NULL}, NULL},
    {"cswitch", 'w', true, ct_sp_switch_params, NULL, {NULL}, NULL}};

bool ct_sp_find_model(reader *r, token type, scope *s)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (ct_sp_is(r, type, models[i].type)) {
            s->model = &models[i];
            r->passive_models |= ct_sp_passive_of(models[i].letter) != NULL;
            return true;
        }
    return false;
}

static double temperature_in(const reader *r, const scope *s)
{
    return isnan(s->temperature) ? r->temperature : s->temperature;
}

/* What LTspice notes about a part: nothing of the circuit. */
static bool is_remark(const reader *r, token name)
{
    static const char *const words[] = {"mfg", "type", "vceo", "icrating", "iave", "vpk", "irms"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ct_sp_is(r, name, words[i]))
            return true;
    return false;
}

static void read_card(reader *r, const scope *s, given *g)
{
    cursor c = ct_sp_start(r, s->head.at, s->head.end);
    token name;
    while (!ct_sp_at_end(&c)) {
        if (ct_sp_accept(r, &c, '(') || ct_sp_accept(r, &c, ')') || ct_sp_accept(r, &c, ','))
            continue;
        if (!ct_sp_assignment(r, &c, &name)) {
            ct_sp_error(r, "E801", ct_sp_place(r, c.token), "parameters are written name=value");
            return;
        }
        token t = c.token;
        uint32_t i = find_param(r, s->model->param, name);
        if (i == UINT32_MAX && (t.kind == TOKEN_WORD || t.kind == TOKEN_STRING)) {
            if (!is_remark(r, name))
                ct_sp_ignored(r, name, "is not modelled: the parameter is left out");
            ct_sp_take(r, &c); /* it may be a word, as in mfg=acme */
            continue;
        }
        value v = ct_sp_value(r, &c, "a value");
        if (i == UINT32_MAX || s->model->param[i].use == REFUSED) {
            bool harmless = v.known && v.number == 0 && i != UINT32_MAX;
            if (!harmless)
                ct_sp_ignored(r, name, "is not modelled: the parameter is left out");
            continue;
        }
        bool frozen = s->model->param[i].use == FROZEN && !(v.known && v.number == 0);
        if (frozen && temperature_in(r, s) != r->nominal)
            ct_sp_ignored(r, name, "is not modelled: the parameter is left out");
        g->v[i] = v;
        g->at[i] = t;
    }
}

/* Has the model a key M: how many devices lie in parallel? Those with an area alone need none. */
static bool counts_devices(const reader *r, const model_row *row)
{
    return r->parallel && (row->letter == 'd' || row->letter == 'm');
}

ct_node ct_sp_per_device(const writing *w, ct_node n, bool divide)
{
    reader *r = w->r;
    if (!counts_devices(r, w->row))
        return n;
    ct_node m = ct_sp_word_ref(r, "M");
    m = divide ? ct_sp_node(r, CT_NODE_INV, 0, m) : m;
    return ct_sp_list(r, CT_NODE_PRODUCT, 0, (ct_node[]){n, m}, 2);
}

writing ct_sp_open_model(reader *r, uint32_t index)
{
    const scope s = r->scope.at[index];
    given *g = s.card ? s.card : CT_NEW(r->arena, given);
    if (!s.card)
        read_card(r, &s, g);
    r->scope.at[index].card = g; /* many devices may name one model */
    return (writing){r, s.model, g, r->temperature, r->nominal};
}

static bool is_level_one(reader *r, const model_row *row, const given *g)
{
    for (uint32_t i = 0; row->param[i].name; i++) {
        if (strcmp(row->param[i].name, "level") != 0 || !g->at[i].length)
            continue;
        bool same = g->v[i].known && g->v[i].number == 1;
        if (!same)
            ct_sp_error(r, "E802", ct_sp_place(r, g->at[i]), "only level 1 is supported");
        return same;
    }
    return true;
}

/* Which keys of devices are read by nodes from `from` on? */
static uint32_t keys_read(const reader *r, const model_row *row, ct_node from)
{
    uint32_t found = 1; /* the statement has one at least */
    for (ct_node n = from; n < r->node.count; n++)
        for (uint32_t i = 0; r->node.at[n].kind == CT_NODE_REF && row->instance && row->instance[i];
             i++)
            if (strcmp(ct_name_text(r->ctx, r->node.at[n].name), row->instance[i]) == 0)
                found |= (uint32_t)1 << i;
    return found;
}

/* Each device has a value of its own of a param: what none gives is a const, or nothing at all. */
static void settle_keys(reader *r, scope s)
{
    const char *const *key = s.model->instance;
    children params = {0}, consts = {0};
    for (ct_node d = r->node.at[s.keys].first, next; d; d = next) {
        uint32_t bit = 0; /* behind the keys: how many lie in parallel */
        next = r->node.at[d].next;
        r->node.at[d].next = 0;
        if (key && *key)
            bit = (uint32_t)1 << (key++ - s.model->instance);
        if (!bit || (s.given & bit))
            ct_sp_add(r, &params, d);
        else if (s.read & bit)
            ct_sp_add(r, &consts, d);
    }
    ct_sp_here(r, s.place);
    ct_node other = ct_sp_node(r, CT_NODE_CONST, 0, consts.first);
    ct_node *first = &r->node.at[s.keys].first;
    if (!params.first) {
        r->node.at[s.keys].kind = CT_NODE_CONST;
        *first = consts.first;
        return;
    }
    *first = params.first;
    if (!consts.first)
        return;
    r->node.at[other].next = r->node.at[s.keys].next;
    r->node.at[s.keys].next = other;
}

void ct_sp_settle_keys(reader *r)
{
    for (uint32_t k = 0; k < r->scope.count; k++)
        if (r->scope.at[k].keys && r->scope.at[k].model->instance)
            settle_keys(r, r->scope.at[k]);
}

void ct_sp_write_model(reader *r, uint32_t index)
{
    const scope s = r->scope.at[index];
    given *g = CT_NEW(r->arena, given);
    read_card(r, &s, g);
    if (!is_level_one(r, s.model, g))
        return;
    ct_sp_here(r, s.place);
    children params = {0};
    for (uint32_t i = 0; s.model->instance && s.model->instance[i]; i++) {
        ct_name name = ct_intern_text(r->ctx, s.model->instance[i]);
        double usual = s.model->instance == mos_keys ? mos_usual[i] : 1;
        ct_sp_set(&r->value_taken, index, name, 1);
        ct_sp_add(r, &params, ct_sp_decl(r, name, "1", ct_sp_real(r, usual, NULL)));
    }
    if (counts_devices(r, s.model)) {
        ct_sp_set(&r->value_taken, index, ct_intern_text(r->ctx, "M"), 1);
        ct_sp_add(r, &params,
                  ct_sp_decl(r, ct_intern_text(r->ctx, "M"), "1", ct_sp_real(r, 1, NULL)));
    }
    ct_node keys = ct_sp_node(r, CT_NODE_PARAM, 0, params.first);
    ct_sp_emit(r, keys);
    for (uint32_t i = 0; i < 4 && s.model->ports[i]; i++)
        CT_PUSH(r->arena, r->scope.at[index].port, ct_intern_text(r->ctx, s.model->ports[i]));
    writing w = {r, s.model, g, temperature_in(r, &s), r->nominal};
    w.nominal = ct_sp_early_number(&w, "tnom", r->nominal);
    s.model->write(&w);
    r->scope.at[index].keys = keys;
    r->scope.at[index].read = keys_read(r, s.model, keys + 1);
}

/* ---- devices
 * -----------------------------------------------------------------------------------------------
 */

uint32_t ct_sp_model_named(reader *r, token name, char letter)
{
    uint32_t m = name.kind == TOKEN_WORD
                     ? ct_sp_find_scope(r, SCOPE_MODEL, r->here, ct_sp_lower(r, name))
                     : 0;
    return m && r->scope.at[m].model && r->scope.at[m].model->letter == letter ? m : 0;
}

void ct_sp_report_model(reader *r, token name, char letter)
{
    uint32_t other = name.kind == TOKEN_WORD
                         ? ct_sp_find_scope(r, SCOPE_MODEL, r->here, ct_sp_lower(r, name))
                         : 0;
    if (other && !r->scope.at[other].model)
        return; /* told where it is defined */
    ct_report *e = ct_sp_error(r, "E202", ct_sp_place(r, name), "there is no model `%s` for a %c",
                               ct_sp_text(r, name), letter - 'a' + 'A');
    if (other)
        ct_note(e, "it is of type %s", r->scope.at[other].model->type);
    ct_witness(e, ct_sp_text(r, name));
}

/* The model at another temperature than that of the circuit is a system of its own. */
static uint32_t heated(reader *r, uint32_t m, double temperature)
{
    char text[CT_DECIMAL_ROOM];
    if (temperature == r->temperature)
        return m;
    uint64_t key = ct_pair(m, ct_intern(r->ctx, text, ct_decimal_write(text, temperature)));
    uint32_t found = ct_map_get(&r->heated, key);
    if (found)
        return found;
    scope s = r->scope.at[m];
    scope fresh = {.kind = s.kind, .parent = s.parent, .lower = s.lower, .place = s.place};
    fresh.head = s.head;
    fresh.model = s.model;
    fresh.temperature = temperature;
    fresh.name = ct_sp_claim_definition(r, false, s.name);
    CT_PUSH(r->arena, r->scope, fresh);
    ct_map_put(&r->heated, key, r->scope.count - 1);
    return r->scope.count - 1;
}

/* temp= and dtemp= of a device; its other keys are passed over. */
static double temperature_of(reader *r, cursor c)
{
    double found = r->temperature, x;
    token name;
    while (!ct_sp_at_end(&c)) {
        if (!ct_sp_assignment(r, &c, &name)) {
            ct_sp_take(r, &c);
            continue;
        }
        bool own = ct_sp_is(r, name, "temp"), more = ct_sp_is(r, name, "dtemp");
        if (!own && !more)
            continue;
        value v = ct_sp_value(r, &c, "a temperature");
        if (ct_sp_known(r, &v, ct_sp_place(r, name), "the temperature", &x))
            found = own ? x : r->temperature + x;
    }
    return found;
}

/* What a device says of itself: tokens of the keys that its model has, and of m=. */
typedef struct device_keys {
    token key[8], m; /* length 0: not given */
} device_keys;

static uint32_t key_named(const reader *r, const model_row *row, token name)
{
    for (uint32_t i = 0; row->instance[i]; i++) {
        char lower[8] = {0};
        for (size_t k = 0; row->instance[i][k] && k + 1 < sizeof lower; k++)
            lower[k] = (char)(row->instance[i][k] | 0x20);
        if (ct_sp_is(r, name, lower))
            return i;
    }
    return UINT32_MAX;
}

static void read_key(reader *r, cursor *c, const model_row *row, token name, device_keys *keys)
{
    uint32_t i = key_named(r, row, name);
    token at = c->token;
    ct_sp_value(r, c, "a value");
    while (ct_sp_is(r, name, "ic") && ct_sp_accept(r, c, ','))
        ct_sp_value(r, c, "a value");
    if (i != UINT32_MAX)
        keys->key[i] = at;
    else if (ct_sp_is(r, name, "m"))
        keys->m = at;
    else if (ct_sp_is(r, name, "ic"))
        ct_sp_ignored(r, name, "of a device is not supported: it is left out");
    else if (!ct_sp_is(r, name, "temp") && !ct_sp_is(r, name, "dtemp"))
        ct_sp_ignored(r, name, "is not supported: the parameter is left out");
}

static bool read_keys(reader *r, cursor *c, const model_row *row, device_keys *keys)
{
    token name;
    while (!ct_sp_at_end(c)) {
        if (ct_sp_is(r, c->token, "off")) {
            ct_sp_take(r, c); /* where the iteration begins: not needed */
        } else if (ct_sp_assignment(r, c, &name)) {
            read_key(r, c, row, name, keys);
        } else if (row->instance == area_keys && !keys->key[0].length) {
            keys->key[0] = c->token;
            ct_sp_value(r, c, "the area");
        } else {
            ct_sp_rest(r, c);
            return false;
        }
    }
    return true;
}

/* m devices in parallel: areas and widths grow, squares of contacts fall; lengths stay. */
static void write_key(reader *r, uint32_t index, const device_keys *keys, uint32_t i, children *out)
{
    const model_row *row = r->scope.at[index].model;
    const char *key = row->instance[i];
    token t = keys->key[i];
    value m = ct_sp_parallel(r, keys->m);
    bool length = strcmp(key, "L") == 0, squares = strncmp(key, "NR", 2) == 0;
    if (!t.length && (!m.node || length))
        return;
    double usual = row->instance == mos_keys ? mos_usual[i] : 1;
    ct_node n =
        t.length ? ct_sp_expression(r, t.at, t.at + t.length).node : ct_sp_real(r, usual, NULL);
    if (m.node && !length) {
        ct_node factor = squares ? ct_sp_node(r, CT_NODE_INV, 0, m.node) : m.node;
        n = ct_sp_list(r, CT_NODE_PRODUCT, 0, (ct_node[]){n, factor}, 2);
    }
    ct_sp_add(r, out, ct_sp_key(r, key, n));
    r->scope.at[index].given |= (uint32_t)1 << i;
}

static void write_keys(reader *r, uint32_t index, const device_keys *keys, children *out)
{
    const model_row *row = r->scope.at[index].model;
    for (uint32_t i = 0; row->instance[i]; i++)
        write_key(r, index, keys, i, out);
    value m = ct_sp_parallel(r, keys->m);
    if (m.node && counts_devices(r, row))
        ct_sp_add(r, out, ct_sp_key(r, "M", m.node));
}

void ct_sp_write_semiconductor(reader *r, uint32_t index, cursor *c, char letter)
{
    ct_node terminal[4];
    ct_place whole = {r->source, r->at, r->width};
    uint32_t count = letter == 'd' ? 2 : letter == 'm' ? 4 : 3;
    if (!ct_sp_nodes(r, c, terminal, count))
        return;
    if (letter == 'q' && !ct_sp_model_named(r, c->token, letter)) { /* a substrate? */
        cursor ahead = *c;
        token node = ct_sp_take(r, &ahead);
        if (node.kind == TOKEN_WORD && ct_sp_model_named(r, ahead.token, letter)) {
            terminal[count++] = ct_sp_terminal(r, node);
            *c = ahead;
        }
    }
    if (c->token.kind == TOKEN_END) {
        ct_sp_missing(r, c, "the model");
        return;
    }
    token name = ct_sp_take(r, c);
    uint32_t m = ct_sp_model_named(r, name, letter);
    if (!m) {
        ct_sp_report_model(r, name, letter);
        return;
    }
    m = heated(r, m, temperature_of(r, *c));
    if (letter == 'q' && count == 3)
        terminal[count++] = ct_sp_word_ref(r, "ground");
    if (!ct_sp_need(r, m, ct_sp_place(r, name)))
        return;
    children keys = {0};
    device_keys given_keys = {0};
    if (!read_keys(r, c, r->scope.at[m].model, &given_keys))
        return;
    write_keys(r, m, &given_keys, &keys);
    ct_sp_here(r, whole);
    ct_sp_pass_extras(r, m, &keys);
    count = r->scope.at[m].port.count;
    if (letter == 'd' && !ct_sp_apart(r, index, terminal))
        return;
    r->thing.at[index].inside = m;
    ct_sp_link(r, r->here, (link){.name = r->thing.at[index].name, .inside = m}, terminal, count);
    ct_sp_emit(r, ct_sp_component(r, r->thing.at[index].name,
                                  ct_name_text(r->ctx, r->scope.at[m].name), terminal, count, count,
                                  keys.first));
}
