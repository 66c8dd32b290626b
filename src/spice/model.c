/* model.c - .model cards of diodes and transistors.
 *
 * A model becomes a system of library elements: the intrinsic device, its charges, and resistors in
 * series with it; what is zero is left out. Devices are instances of it, with their area or
 * width and length as keys. Each type is a table of the parameters that it knows.
 */
#include <math.h>
#include <string.h>

#include "spice/reader.h"

/* Parameters: what is done with them. */
typedef enum use {
    USE,    /* honoured; see the function that writes the model */
    HEAT,   /* only matters away from 27 degrees */
    NOISE,  /* only matters to noise */
    REFUSED /* has an effect that is not modelled: named in a warning */
} use;

typedef struct param_row {
    const char *name, *other; /* other: a second name, or NULL */
    use use;
} param_row;

enum { MOST_PARAMS = 80 };

typedef struct given {
    value v[MOST_PARAMS];
    token at[MOST_PARAMS]; /* length 0: not given */
} given;

typedef struct model_row {
    const char *type;
    char letter; /* of its devices */
    bool minus;  /* pnp, pmos: everything the other way round */
    const param_row *param;
    void (*write)(reader *r, const struct model_row *row, given *g);
    const char *ports[4];
    const char *const *instance; /* keys of devices; NULL-terminated */
} model_row;

static uint32_t find_param(const reader *r, const param_row *row, token name)
{
    for (uint32_t i = 0; row[i].name; i++)
        if (ct_sp_is(r, name, row[i].name) || (row[i].other && ct_sp_is(r, name, row[i].other)))
            return i;
    return UINT32_MAX;
}

/* ---- values of the card -------------------------------------------------------------------------
 */

typedef struct writing {
    reader *r;
    const model_row *row;
    given *g;
} writing;

static uint32_t number_of(const writing *w, const char *name)
{
    for (uint32_t i = 0; w->row->param[i].name; i++)
        if (strcmp(w->row->param[i].name, name) == 0)
            return i;
    return 0; /* not reached: names are those of the table */
}

static bool has(const writing *w, const char *name)
{
    return w->g->at[number_of(w, name)].length != 0;
}

/* Given, and not known to be zero. */
static bool counts(const writing *w, const char *name)
{
    const value *v = &w->g->v[number_of(w, name)];
    return has(w, name) && !(v->known && v->number == 0);
}

/* New nodes each time. */
static value get(const writing *w, const char *name, double usual)
{
    uint32_t i = number_of(w, name);
    token t = w->g->at[i];
    if (!t.length)
        return ct_sp_plain(ct_sp_real(w->r, usual, NULL), usual);
    ct_sp_here(w->r, ct_sp_place(w->r, t));
    return ct_sp_expression(w->r, t.at, t.at + t.length);
}

static double number(const writing *w, const char *name, double usual)
{
    uint32_t i = number_of(w, name);
    return has(w, name) ? w->g->v[i].number : usual;
}

/* key = value unit, when the card gives it. */
static void pass(const writing *w, children *keys, const char *key, const char *name,
                 const char *unit)
{
    if (has(w, name))
        ct_sp_add(w->r, keys, ct_sp_key(w->r, key, ct_sp_unit_of(w->r, get(w, name, 0), unit)));
}

/* value*factor unit with a key of the instance: AREA, W .. */
static ct_node scaled(const writing *w, value v, const char *factor, const char *unit)
{
    reader *r = w->r;
    ct_node n =
        ct_sp_list(r, CT_NODE_PRODUCT, 0, (ct_node[]){v.node, ct_sp_word_ref(r, factor)}, 2);
    return ct_sp_product(r, n, ct_sp_real(r, 1, unit));
}

static void pass_scaled(const writing *w, children *keys, const char *key, const char *name,
                        double usual, const char *unit)
{
    if (has(w, name) || usual > 0)
        ct_sp_add(w->r, keys, ct_sp_key(w->r, key, scaled(w, get(w, name, usual), "AREA", unit)));
}

static void put(const writing *w, const char *name, const char *type, const char *a, const char *b,
                children keys)
{
    reader *r = w->r;
    ct_node terminal[] = {ct_sp_word_ref(r, a), ct_sp_word_ref(r, b)};
    if (strstr(type, "capacitor"))
        ct_sp_link(r, r->here, (link){.name = ct_intern_text(r->ctx, name)}, terminal, 2);
    ct_sp_emit(r,
               ct_sp_component(r, ct_intern_text(r->ctx, name), type, terminal, 2, 2, keys.first));
}

/* Anode and cathode change places in complementary types. */
static void put_junction(const writing *w, const char *name, const char *type, const char *a,
                         const char *b, children keys)
{
    put(w, name, type, w->row->minus ? b : a, w->row->minus ? a : b, keys);
}

/* A resistor in series when the card gives one: the inner node, else the outer. */
static const char *behind(const writing *w, const char *name, const char *outer, const char *inner)
{
    reader *r = w->r;
    if (!counts(w, name))
        return outer;
    children keys = {0};
    ct_node n = ct_sp_quotient(r, get(w, name, 0).node, ct_sp_word_ref(r, "AREA"));
    ct_sp_add(r, &keys, ct_sp_key(r, "R", ct_sp_product(r, n, ct_sp_real(r, 1, "ohm"))));
    put(w, name, "resistor", outer, inner, keys);
    return inner;
}

/* ---- diode
 * --------------------------------------------------------------------------------------- */

static const param_row diode_params[] = {
    {"is", "js", USE},       {"n", NULL, USE},       {"bv", "vb", USE},
    {"ibv", "ib", USE},      {"nbv", NULL, USE},     {"rs", NULL, USE},
    {"tt", NULL, USE},       {"cjo", "cj0", USE},    {"vj", "pb", USE},
    {"m", "mj", USE},        {"fc", NULL, USE},      {"level", NULL, USE},
    {"cj", NULL, USE},       {"eg", NULL, HEAT},     {"xti", NULL, HEAT},
    {"tnom", NULL, HEAT},    {"tref", NULL, HEAT},   {"tcv", NULL, HEAT},
    {"trs", NULL, HEAT},     {"trs1", NULL, HEAT},   {"trs2", NULL, HEAT},
    {"tbv1", NULL, HEAT},    {"tbv2", NULL, HEAT},   {"tt1", NULL, HEAT},
    {"tt2", NULL, HEAT},     {"tm1", NULL, HEAT},    {"tm2", NULL, HEAT},
    {"cta", NULL, HEAT},     {"ctp", NULL, HEAT},    {"kf", NULL, NOISE},
    {"af", NULL, NOISE},     {"isr", NULL, REFUSED}, {"nr", NULL, REFUSED},
    {"ikf", NULL, REFUSED},  {"ikr", NULL, REFUSED}, {"jsw", NULL, REFUSED},
    {"cjsw", NULL, REFUSED}, {"cjp", NULL, REFUSED}, {"php", NULL, REFUSED},
    {"mjsw", NULL, REFUSED}, {NULL, NULL, USE}};

static void junction_keys(const writing *w, children *keys, const char *vj, const char *m)
{
    pass(w, keys, "VJ", vj, "V");
    pass(w, keys, "M", m, "1");
    pass(w, keys, "FC", "fc", "1");
}

static void write_diode(reader *r, const model_row *row, given *g)
{
    const writing w = {r, row, g};
    const char *a = behind(&w, "rs", "a", "ai");
    children keys = {0};
    pass_scaled(&w, &keys, "IS", "is", 1e-14, "A");
    pass(&w, &keys, "N", "n", "1");
    bool breaks = counts(&w, "bv") && number(&w, "bv", 0) < 1e29;
    if (breaks) {
        pass(&w, &keys, "BV", "bv", "V");
        pass(&w, &keys, "IBV", "ibv", "A"); /* of the device, whatever its area */
        pass(&w, &keys, "NBV", "nbv", "1");
    }
    put(&w, "D", breaks ? "spice_zener" : "spice_diode", a, "k", keys);
    const char *cj = counts(&w, "cjo") ? "cjo" : "cj";
    if (counts(&w, cj)) {
        keys = (children){0};
        pass_scaled(&w, &keys, "CJ", cj, 0, "F");
        junction_keys(&w, &keys, "vj", "m");
        put(&w, "CJ", "junction_capacitor", a, "k", keys);
    }
    if (counts(&w, "tt")) {
        keys = (children){0};
        pass(&w, &keys, "TT", "tt", "s");
        pass_scaled(&w, &keys, "IS", "is", 1e-14, "A");
        pass(&w, &keys, "N", "n", "1");
        put(&w, "CD", "diffusion_capacitor", a, "k", keys);
    }
}

/* ---- bipolar transistors
 * ---------------------------------------------------------------------------- */

static const param_row bipolar_params[] = {
    {"is", NULL, USE},   {"bf", NULL, USE},      {"nf", NULL, USE},      {"vaf", "va", USE},
    {"ikf", "ik", USE},  {"ise", NULL, USE},     {"ne", NULL, USE},      {"br", NULL, USE},
    {"nr", NULL, USE},   {"var", "vb", USE},     {"ikr", NULL, USE},     {"isc", NULL, USE},
    {"nc", NULL, USE},   {"rb", NULL, USE},      {"re", NULL, USE},      {"rc", NULL, USE},
    {"cje", NULL, USE},  {"vje", "pe", USE},     {"mje", "me", USE},     {"tf", NULL, USE},
    {"cjc", NULL, USE},  {"vjc", "pc", USE},     {"mjc", "mc", USE},     {"xcjc", NULL, USE},
    {"tr", NULL, USE},   {"cjs", "ccs", USE},    {"vjs", "ps", USE},     {"mjs", "ms", USE},
    {"fc", NULL, USE},   {"level", NULL, USE},   {"eg", NULL, HEAT},     {"xti", "pt", HEAT},
    {"xtb", "tb", HEAT}, {"tnom", NULL, HEAT},   {"tref", NULL, HEAT},   {"kf", NULL, NOISE},
    {"af", NULL, NOISE}, {"rbm", NULL, REFUSED}, {"irb", NULL, REFUSED}, {"xtf", NULL, USE},
    {"vtf", NULL, USE},  {"itf", NULL, USE},     {"ptf", NULL, REFUSED}, {"nk", NULL, REFUSED},
    {NULL, NULL, USE}};

static void bipolar_charge(const writing *w, const char *name, const char *cj, const char *vj,
                           const char *mj, const char *a, const char *b, double share)
{
    children keys = {0};
    value c = get(w, cj, 0);
    if (share != 1)
        c.node = ct_sp_product(w->r, c.node, ct_sp_real(w->r, share, NULL));
    ct_sp_add(w->r, &keys, ct_sp_key(w->r, "CJ", scaled(w, c, "AREA", "F")));
    bool substrate = strcmp(cj, "cjs") == 0;
    ct_sp_add(w->r, &keys, ct_sp_key(w->r, "VJ", ct_sp_unit_of(w->r, get(w, vj, 0.75), "V")));
    ct_sp_add(w->r, &keys,
              ct_sp_key(w->r, "M", ct_sp_unit_of(w->r, get(w, mj, substrate ? 0 : 0.33), "1")));
    if (!substrate)
        pass(w, &keys, "FC", "fc", "1");
    put_junction(w, name, "junction_capacitor", a, b, keys);
}

static void transit(const writing *w, const char *name, const char *time, const char *n,
                    const char *a, const char *b)
{
    children keys = {0};
    pass(w, &keys, "TT", time, "s");
    pass_scaled(w, &keys, "IS", "is", 1e-16, "A");
    pass(w, &keys, "N", n, "1");
    put_junction(w, name, "diffusion_capacitor", a, b, keys);
}

/* What shapes the base, and the charge of its carriers. */
static void base_keys(const writing *w, children *keys)
{
    static const char *const infinite[][2] = {{"VAF", "vaf"}, {"VAR", "var"}};
    static const char *const area[][2] = {{"IKF", "ikf"}, {"IKR", "ikr"}};
    pass_scaled(w, keys, "IS", "is", 1e-16, "A");
    pass(w, keys, "NF", "nf", "1");
    pass(w, keys, "NR", "nr", "1");
    for (int i = 0; i < 2; i++)
        if (counts(w, infinite[i][1]))
            pass(w, keys, infinite[i][0], infinite[i][1], "V");
    for (int i = 0; i < 2; i++)
        if (counts(w, area[i][1]))
            pass_scaled(w, keys, area[i][0], area[i][1], 0, "A");
}

/* A plain diffusion capacitance where nothing else than the junction's voltage matters. */
static void forward_transit(const writing *w, const char *b, const char *c, const char *e)
{
    static const char *const bent[] = {"vaf", "var", "ikf", "ikr", "xtf"};
    reader *r = w->r;
    children keys = {0};
    bool plain = true, minus = w->row->minus;
    for (size_t i = 0; i < sizeof bent / sizeof *bent; i++)
        plain &= !counts(w, bent[i]);
    if (plain) {
        transit(w, "TF", "tf", "nf", b, e);
        return;
    }
    pass(w, &keys, "TF", "tf", "s");
    base_keys(w, &keys);
    if (counts(w, "xtf")) {
        pass(w, &keys, "XTF", "xtf", "1");
        if (counts(w, "vtf"))
            pass(w, &keys, "VTF", "vtf", "V");
        if (counts(w, "itf"))
            pass_scaled(w, &keys, "ITF", "itf", 0, "A");
    }
    ct_node terminal[] = {ct_sp_word_ref(r, minus ? e : b), ct_sp_word_ref(r, minus ? b : e),
                          ct_sp_word_ref(r, minus ? c : b), ct_sp_word_ref(r, minus ? b : c)};
    ct_sp_emit(r, ct_sp_component(r, ct_intern_text(r->ctx, "TF"), "transit_capacitor", terminal, 4,
                                  4, keys.first));
}

static void write_bipolar(reader *r, const model_row *row, given *g)
{
    const writing w = {r, row, g};
    const char *c = behind(&w, "rc", "c", "ci"), *b = behind(&w, "rb", "b", "bi");
    const char *e = behind(&w, "re", "e", "ei");
    children keys = {0};
    static const char *const plain[][2] = {{"BF", "bf"}, {"BR", "br"}, {"NE", "ne"}, {"NC", "nc"}};
    static const char *const area[][2] = {{"ISE", "ise"}, {"ISC", "isc"}};
    base_keys(&w, &keys);
    for (int i = 0; i < 4; i++)
        pass(&w, &keys, plain[i][0], plain[i][1], "1");
    for (int i = 0; i < 2; i++)
        if (counts(&w, area[i][1]))
            pass_scaled(&w, &keys, area[i][0], area[i][1], 0, "A");
    ct_node terminal[] = {ct_sp_word_ref(r, c), ct_sp_word_ref(r, b), ct_sp_word_ref(r, e)};
    ct_sp_emit(r,
               ct_sp_component(r, ct_intern_text(r->ctx, "Q"),
                               row->minus ? "spice_pnp" : "spice_npn", terminal, 3, 3, keys.first));
    if (counts(&w, "cje"))
        bipolar_charge(&w, "CE", "cje", "vje", "mje", b, e, 1);
    double inner = fmin(fmax(number(&w, "xcjc", 1), 0), 1);
    if (counts(&w, "cjc") && inner > 0)
        bipolar_charge(&w, "CC", "cjc", "vjc", "mjc", b, c, inner);
    if (counts(&w, "cjc") && inner < 1)
        bipolar_charge(&w, "CX", "cjc", "vjc", "mjc", "b", c, 1 - inner);
    if (counts(&w, "cjs")) {
        CT_PUSH(r->arena, r->scope.at[r->here].port, ct_intern_text(r->ctx, "s"));
        bipolar_charge(&w, "CS", "cjs", "vjs", "mjs", "s", c, 1);
    }
    if (counts(&w, "tf"))
        forward_transit(&w, b, c, e);
    if (counts(&w, "tr"))
        transit(&w, "TR", "tr", "nr", b, c);
}

/* ---- MOS transistors, level 1
 * ------------------------------------------------------------------------- */

static const param_row mos_params[] = {
    {"level", NULL, USE},     {"vto", "vt0", USE},      {"kp", NULL, USE},
    {"gamma", NULL, USE},     {"phi", NULL, USE},       {"lambda", NULL, USE},
    {"rd", NULL, USE},        {"rs", NULL, USE},        {"rsh", NULL, USE},
    {"cbd", NULL, USE},       {"cbs", NULL, USE},       {"is", NULL, USE},
    {"js", NULL, USE},        {"pb", NULL, USE},        {"cgso", NULL, USE},
    {"cgdo", NULL, USE},      {"cgbo", NULL, USE},      {"cj", NULL, USE},
    {"mj", NULL, USE},        {"cjsw", NULL, USE},      {"mjsw", NULL, USE},
    {"fc", NULL, USE},        {"tox", NULL, USE},       {"uo", "u0", USE},
    {"nsub", NULL, USE},      {"ld", NULL, USE},        {"tpg", NULL, USE},
    {"nss", NULL, USE},       {"kf", NULL, NOISE},      {"af", NULL, NOISE},
    {"tnom", NULL, HEAT},     {"ucrit", NULL, REFUSED}, {"uexp", NULL, REFUSED},
    {"utra", NULL, REFUSED},  {"vmax", NULL, REFUSED},  {"neff", NULL, REFUSED},
    {"nfs", NULL, REFUSED},   {"xj", NULL, REFUSED},    {"xqc", NULL, REFUSED},
    {"delta", NULL, REFUSED}, {"theta", NULL, REFUSED}, {"eta", NULL, REFUSED},
    {"kappa", NULL, REFUSED}, {"xl", NULL, REFUSED},    {"xw", NULL, REFUSED},
    {NULL, NULL, USE}};

static const double permittivity_of_oxide = 3.9 * 8.854214871e-12; /* F/m */

/* What SPICE works out from the process: KP of TOX and UO, GAMMA and PHI of NSUB. */
typedef struct process {
    double kp, gamma, phi, vto;
} process;

static process work_out(const writing *w)
{
    const double q = 1.6021918e-19, vt = 0.025864186, eps_ox = permittivity_of_oxide,
                 eps_si = 11.7 * 8.854214871e-12, ni = 1.45e16;
    double tox = number(w, "tox", 0), nsub = number(w, "nsub", 0) * 1e6;
    double cox = tox > 0 ? eps_ox / tox : 0, sign = w->row->minus ? -1 : 1;
    process p = {number(w, "kp", 2e-5), number(w, "gamma", 0), number(w, "phi", 0.6),
                 number(w, "vto", 0)};
    if (!has(w, "kp") && cox > 0)
        p.kp = number(w, "uo", 600) * 1e-4 * cox;
    if (!(cox > 0) || !(nsub > ni))
        return p;
    if (!has(w, "phi"))
        p.phi = fmax(2 * vt * log(nsub / ni), 0.1);
    if (!has(w, "gamma"))
        p.gamma = sqrt(2 * eps_si * q * nsub) / cox;
    if (!has(w, "vto")) {
        double tpg = number(w, "tpg", 1), gate = 3.2, fermi = sign * 0.5 * p.phi;
        if (tpg != 0)
            gate = 3.25 + 0.5 * 1.1150877 - sign * tpg * 0.5 * 1.1150877;
        double work = gate - (3.25 + 0.5 * 1.1150877 + fermi);
        double flat = work - number(w, "nss", 0) * 1e4 * q / cox;
        p.vto = flat + sign * (p.gamma * sqrt(p.phi) + p.phi);
    }
    return p;
}

static void put_key(const writing *w, children *keys, const char *key, double x, const char *unit)
{
    ct_sp_add(w->r, keys, ct_sp_key(w->r, key, ct_sp_real(w->r, x, unit)));
}

static ct_node times(const writing *w, const char *key, ct_node n, const char *unit)
{
    ct_node k = ct_sp_word_ref(w->r, key);
    ct_node all = ct_sp_list(w->r, CT_NODE_PRODUCT, 0, (ct_node[]){n, k}, 2);
    return unit ? ct_sp_product(w->r, all, ct_sp_real(w->r, 1, unit)) : all;
}

/* Bulk junction to the drain or source: diode, bottom and side wall. */
static void bulk(const writing *w, const char *side, const char *node, const char *cb,
                 const char *area, const char *rim)
{
    reader *r = w->r;
    children keys = {0};
    if (counts(w, "js")) /* no area: the whole of IS */
        ct_sp_add(r, &keys,
                  ct_sp_key(r, "IS",
                            ct_sp_list(r, CT_NODE_SUM, 0,
                                       (ct_node[]){times(w, area, get(w, "js", 0).node, "A"),
                                                   ct_sp_real(r, 1e-30, "A")},
                                       2)));
    else
        ct_sp_add(r, &keys, ct_sp_key(r, "IS", ct_sp_unit_of(r, get(w, "is", 1e-14), "A")));
    const char *name = ct_printf(r->ctx, "D%s", side);
    put_junction(w, name, "spice_diode", "b", node, keys);
    bool bottom = counts(w, cb) || counts(w, "cj");
    if (bottom) {
        keys = (children){0};
        ct_node c = counts(w, cb) ? ct_sp_unit_of(r, get(w, cb, 0), "F")
                                  : times(w, area, get(w, "cj", 0).node, "F");
        if (!counts(w, cb)) /* without an area there is none: a trace keeps it positive */
            c = ct_sp_list(r, CT_NODE_SUM, 0, (ct_node[]){c, ct_sp_real(r, 1e-30, "F")}, 2);
        ct_sp_add(r, &keys, ct_sp_key(r, "CJ", c));
        ct_sp_add(r, &keys, ct_sp_key(r, "VJ", ct_sp_unit_of(r, get(w, "pb", 0.8), "V")));
        ct_sp_add(r, &keys, ct_sp_key(r, "M", get(w, "mj", 0.5).node));
        pass(w, &keys, "FC", "fc", "1");
        put_junction(w, ct_printf(r->ctx, "CJ%s", side), "junction_capacitor", "b", node, keys);
    }
    if (!counts(w, "cjsw"))
        return;
    keys = (children){0};
    ct_node c = times(w, rim, get(w, "cjsw", 0).node, "F");
    c = ct_sp_list(r, CT_NODE_SUM, 0, (ct_node[]){c, ct_sp_real(r, 1e-30, "F")}, 2);
    ct_sp_add(r, &keys, ct_sp_key(r, "CJ", c));
    ct_sp_add(r, &keys, ct_sp_key(r, "VJ", ct_sp_unit_of(r, get(w, "pb", 0.8), "V")));
    ct_sp_add(r, &keys, ct_sp_key(r, "M", get(w, "mjsw", 0.5).node));
    pass(w, &keys, "FC", "fc", "1");
    put_junction(w, ct_printf(r->ctx, "CW%s", side), "junction_capacitor", "b", node, keys);
}

/* RD or RS as they are, or RSH times the squares NRD or NRS. */
static const char *contact(const writing *w, const char *name, const char *outer, const char *inner,
                           const char *squares)
{
    reader *r = w->r;
    if (!counts(w, name) && !counts(w, "rsh"))
        return outer;
    children keys = {0};
    ct_node ohm = counts(w, name) ? ct_sp_unit_of(r, get(w, name, 0), "ohm")
                                  : times(w, squares, get(w, "rsh", 0).node, "ohm");
    ct_sp_add(r, &keys, ct_sp_key(r, "R", ohm));
    put(w, name, "resistor", outer, inner, keys);
    return inner;
}

static void overlap(const writing *w, const char *name, const char *length, const char *a,
                    const char *b)
{
    reader *r = w->r;
    if (!counts(w, name))
        return;
    children keys = {0};
    ct_sp_add(r, &keys, ct_sp_key(r, "C", times(w, length, get(w, name, 0).node, "F")));
    put(w, name, "capacitor", a, b, keys);
}

/* The threshold and what it is made of: as given, or worked out. */
static void threshold_keys(const writing *w, const process *p, children *keys)
{
    static const char *const same[][3] = {
        {"VTO", "vto", "V"}, {"GAMMA", "gamma", "V^0.5"}, {"PHI", "phi", "V"}};
    const double worked_out[] = {p->vto, p->gamma, p->phi};
    for (int i = 0; i < 3; i++) {
        if (has(w, same[i][1]))
            pass(w, keys, same[i][0], same[i][1], same[i][2]);
        else
            put_key(w, keys, same[i][0], worked_out[i], same[i][2]);
    }
}

/* Less the lateral diffusion at both ends. */
static ct_node channel_length(const writing *w)
{
    reader *r = w->r;
    ct_node length = ct_sp_word_ref(r, "L");
    if (!counts(w, "ld"))
        return length;
    ct_node both = ct_sp_list(r, CT_NODE_PRODUCT, 0,
                              (ct_node[]){ct_sp_real(r, 2, NULL), get(w, "ld", 0).node}, 2);
    return ct_sp_sum(r, length, ct_sp_minus(r, both));
}

/* From the gate to the channel: TOX makes it. */
static void gate(const writing *w, const process *p, const char *d, const char *s)
{
    reader *r = w->r;
    if (!counts(w, "tox"))
        return;
    children keys = {0};
    ct_node part[] = {ct_sp_real(r, permittivity_of_oxide, NULL),
                      ct_sp_node(r, CT_NODE_INV, 0, get(w, "tox", 0).node), ct_sp_word_ref(r, "W"),
                      channel_length(w), ct_sp_real(r, 1, "F")};
    ct_sp_add(r, &keys, ct_sp_key(r, "COX", ct_sp_list(r, CT_NODE_PRODUCT, 0, part, 5)));
    threshold_keys(w, p, &keys);
    if (w->row->minus)
        ct_sp_add(r, &keys, ct_sp_key(r, "P", ct_sp_real(r, -1, NULL)));
    ct_node terminal[] = {ct_sp_word_ref(r, "g"), ct_sp_word_ref(r, d), ct_sp_word_ref(r, s),
                          ct_sp_word_ref(r, "b")};
    ct_sp_emit(r, ct_sp_component(r, ct_intern_text(r->ctx, "CG"), "gate_capacitor", terminal, 4, 4,
                                  keys.first));
}

static void write_mos(reader *r, const model_row *row, given *g)
{
    const writing w = {r, row, g};
    process p = work_out(&w);
    const char *d = contact(&w, "rd", "d", "di", "NRD"), *s = contact(&w, "rs", "s", "si", "NRS");
    children keys = {0};
    threshold_keys(&w, &p, &keys);
    if (has(&w, "kp"))
        pass(&w, &keys, "KP", "kp", "A/V^2");
    else
        put_key(&w, &keys, "KP", p.kp, "A/V^2");
    pass(&w, &keys, "LAMBDA", "lambda", "1/V");
    ct_sp_add(r, &keys, ct_sp_key(r, "W", times(&w, "W", ct_sp_real(r, 1, "m"), NULL)));
    ct_node length[] = {channel_length(&w), ct_sp_real(r, 1, "m")};
    ct_sp_add(r, &keys, ct_sp_key(r, "L", ct_sp_list(r, CT_NODE_PRODUCT, 0, length, 2)));
    ct_node terminal[] = {ct_sp_word_ref(r, d), ct_sp_word_ref(r, "g"), ct_sp_word_ref(r, s),
                          ct_sp_word_ref(r, "b")};
    ct_sp_emit(r, ct_sp_component(r, ct_intern_text(r->ctx, "M"),
                                  row->minus ? "spice_pmos" : "spice_nmos", terminal, 4, 4,
                                  keys.first));
    bulk(&w, "D", d, "cbd", "AD", "PD");
    bulk(&w, "S", s, "cbs", "AS", "PS");
    overlap(&w, "cgso", "W", "g", s);
    overlap(&w, "cgdo", "W", "g", d);
    overlap(&w, "cgbo", "L", "g", "b");
    gate(&w, &p, d, s);
}

/* ---- switches
 * ------------------------------------------------------------------------------------------ */

static const param_row switch_params[] = {{"ron", NULL, USE},
                                          {"roff", NULL, USE},
                                          {"vt", "it", USE},
                                          {"vh", "ih", USE},
                                          {NULL, NULL, USE}};

/* ---- the table of types
 * ---------------------------------------------------------------------------------- */

static const char *const area_keys[] = {"AREA", NULL};
static const char *const mos_keys[] = {"W", "L", "AD", "AS", "PD", "PS", "NRD", "NRS", NULL};
static const double mos_usual[] = {1e-4, 1e-4, 0, 0, 0, 0, 1, 1};

static const model_row models[] = {
    {"d", 'd', false, diode_params, write_diode, {"a", "k"}, area_keys},
    {"npn", 'q', false, bipolar_params, write_bipolar, {"c", "b", "e"}, area_keys},
    {"pnp", 'q', true, bipolar_params, write_bipolar, {"c", "b", "e"}, area_keys},
    {"nmos", 'm', false, mos_params, write_mos, {"d", "g", "s", "b"}, mos_keys},
    {"pmos", 'm', true, mos_params, write_mos, {"d", "g", "s", "b"}, mos_keys},
    {"sw", 's', false, switch_params, NULL, {NULL}, NULL},
    {"csw", 'w', false, switch_params, NULL, {NULL}, NULL}};

bool ct_sp_find_model(reader *r, token type, scope *s)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (ct_sp_is(r, type, models[i].type)) {
            s->model = &models[i];
            return true;
        }
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
        value v = ct_sp_value(r, &c, "a value");
        uint32_t i = find_param(r, s->model->param, name);
        if (i == UINT32_MAX || s->model->param[i].use == REFUSED) {
            bool harmless = v.known && v.number == 0 && i != UINT32_MAX;
            if (!harmless)
                ct_sp_ignored(r, name, "is not modelled: the parameter is left out");
            continue;
        }
        g->v[i] = v;
        g->at[i] = t;
    }
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
    ct_sp_emit(r, ct_sp_node(r, CT_NODE_PARAM, 0, params.first));
    for (uint32_t i = 0; i < 4 && s.model->ports[i]; i++)
        CT_PUSH(r->arena, r->scope.at[index].port, ct_intern_text(r->ctx, s.model->ports[i]));
    s.model->write(r, s.model, g);
}

/* ---- devices
 * -----------------------------------------------------------------------------------------------
 */

static uint32_t model_named(reader *r, token name, char letter)
{
    uint32_t m = name.kind == TOKEN_WORD
                     ? ct_sp_find_scope(r, SCOPE_MODEL, r->here, ct_sp_lower(r, name))
                     : 0;
    return m && r->scope.at[m].model && r->scope.at[m].model->letter == letter ? m : 0;
}

static void report_model(reader *r, token name, char letter)
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

static void read_keys(reader *r, cursor *c, const model_row *row, children *keys)
{
    token name;
    bool area = false;
    while (!ct_sp_at_end(c)) {
        if (ct_sp_is(r, c->token, "off")) {
            ct_sp_take(r, c); /* where the iteration begins: not needed */
        } else if (ct_sp_assignment(r, c, &name)) {
            const char *found = NULL;
            for (uint32_t i = 0; row->instance[i]; i++) {
                const char *lower = ct_name_text(r->ctx, ct_sp_lower(r, name)),
                           *own = row->instance[i];
                size_t k = 0;
                while (own[k] && (own[k] | 0x20) == lower[k])
                    k++;
                found = !own[k] && !lower[k] ? own : found;
            }
            bool pairs = ct_sp_is(r, name, "ic");
            value v = ct_sp_value(r, c, "a value");
            while (pairs && ct_sp_accept(r, c, ','))
                ct_sp_value(r, c, "a value");
            bool same = ct_sp_is(r, name, "temp") && v.known && v.number == 27;
            bool one = ct_sp_is(r, name, "m") && v.known && v.number == 1;
            if (found)
                ct_sp_add(r, keys, ct_sp_key(r, found, v.node));
            else if (!same && !one)
                ct_sp_ignored(r, name, "is not supported: the parameter is left out");
        } else if (row->instance == area_keys && !area) {
            area = true;
            ct_sp_add(r, keys, ct_sp_key(r, "AREA", ct_sp_value(r, c, "the area").node));
        } else {
            ct_sp_rest(r, c);
            return;
        }
    }
}

void ct_sp_write_semiconductor(reader *r, uint32_t index, cursor *c, char letter)
{
    ct_node terminal[4];
    ct_place whole = {r->source, r->at, r->width};
    uint32_t count = letter == 'd' ? 2 : letter == 'q' ? 3 : 4;
    if (!ct_sp_nodes(r, c, terminal, count))
        return;
    if (letter == 'q' && !model_named(r, c->token, letter)) { /* a substrate? */
        cursor ahead = *c;
        token node = ct_sp_take(r, &ahead);
        if (node.kind == TOKEN_WORD && model_named(r, ahead.token, letter)) {
            terminal[count++] = ct_sp_terminal(r, node);
            *c = ahead;
        }
    }
    token name = ct_sp_take(r, c);
    uint32_t m = model_named(r, name, letter);
    if (!m) {
        report_model(r, name, letter);
        return;
    }
    if (letter == 'q' && count == 3)
        terminal[count++] = ct_sp_word_ref(r, "ground");
    if (!ct_sp_need(r, m, ct_sp_place(r, name)))
        return;
    children keys = {0};
    read_keys(r, c, r->scope.at[m].model, &keys);
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

/* on = control > VT, Ron, Roff */
bool ct_sp_switch_keys(reader *r, token model, char letter, ct_node control, children *keys)
{
    uint32_t m = model_named(r, model, letter);
    if (!m) {
        report_model(r, model, letter);
        return false;
    }
    const scope s = r->scope.at[m];
    given *g = CT_NEW(r->arena, given);
    read_card(r, &s, g);
    const writing w = {r, s.model, g};
    if (counts(&w, "vh"))
        ct_sp_ignored(r, g->at[number_of(&w, "vh")], "(hysteresis) is not modelled");
    ct_node both[] = {control, ct_sp_unit_of(r, get(&w, "vt", 0), letter == 's' ? "V" : "A")};
    ct_node on = ct_sp_list(r, CT_NODE_COMPARE, 0, both, 2);
    r->node.at[on].op = CT_GREATER;
    ct_sp_add(r, keys, ct_sp_key(r, "on", on));
    ct_sp_add(r, keys, ct_sp_key(r, "Ron", ct_sp_unit_of(r, get(&w, "ron", 1), "ohm")));
    ct_sp_add(r, keys, ct_sp_key(r, "Roff", ct_sp_unit_of(r, get(&w, "roff", 1e12), "ohm")));
    return true;
}
