/* bipolar.c - .model cards of diodes and bipolar transistors. */
#include <math.h>
#include <string.h>

#include "spice/model.h"

/* ---- diode
 * --------------------------------------------------------------------------------------- */

const param_row ct_sp_diode_params[] = {
    {"is", "js", USE},      {"n", NULL, USE},        {"bv", "vb", USE},
    {"ibv", "ib", USE},     {"nbv", NULL, USE},      {"rs", NULL, USE},
    {"tt", NULL, USE},      {"cjo", "cj0", USE},     {"vj", "pb", USE},
    {"m", "mj", USE},       {"fc", NULL, USE},       {"level", NULL, USE},
    {"cj", NULL, USE},      {"eg", NULL, USE},       {"xti", NULL, USE},
    {"tnom", "tref", USE},  {"tcv", NULL, USE},      {"trs", "trs1", USE},
    {"trs2", NULL, USE},    {"tbv1", NULL, FROZEN},  {"tbv2", NULL, FROZEN},
    {"tt1", NULL, USE},     {"tt2", NULL, USE},      {"tm1", NULL, USE},
    {"tm2", NULL, USE},     {"cta", NULL, FROZEN},   {"ctp", NULL, FROZEN},
    {"kf", NULL, NOISE},    {"af", NULL, NOISE},     {"isr", NULL, USE},
    {"nr", NULL, USE},      {"ikf", NULL, USE},      {"ikr", NULL, USE},
    {"jsw", NULL, REFUSED}, {"cjsw", NULL, REFUSED}, {"cjp", NULL, REFUSED},
    {"php", NULL, REFUSED}, {"mjsw", NULL, REFUSED}, {NULL, NULL, USE}};

static void junction_keys(const writing *w, children *keys, const char *vj, const char *m)
{
    ct_sp_pass(w, keys, "VJ", vj, "V");
    ct_sp_pass(w, keys, "M", m, "1");
    ct_sp_pass(w, keys, "FC", "fc", "1");
}

/* Recombination and high injection: another law, and another charge. */
static bool is_full(const writing *w)
{
    return ct_sp_counts(w, "isr") || ct_sp_counts(w, "ikf") || ct_sp_counts(w, "ikr");
}

static void diffusion_keys(const writing *w, children *keys)
{
    ct_sp_pass_scaled(w, keys, "IS", "is", 1e-14, "A");
    ct_sp_pass(w, keys, "N", "n", "1");
    if (ct_sp_counts(w, "isr")) {
        ct_sp_pass_scaled(w, keys, "ISR", "isr", 0, "A");
        ct_sp_pass(w, keys, "NR", "nr", "1");
        ct_sp_pass(w, keys, "VJ", "vj", "V");
        ct_sp_pass(w, keys, "M", "m", "1");
    }
    if (ct_sp_counts(w, "ikf"))
        ct_sp_pass_scaled(w, keys, "IKF", "ikf", 0, "A");
    ct_sp_put_thermal(w, keys);
}

void ct_sp_write_diode(const writing *w)
{
    ct_sp_heat_diode(w);
    const char *a = ct_sp_put_contact(w, "rs", "a", "ai");
    children keys = {0};
    diffusion_keys(w, &keys);
    if (ct_sp_counts(w, "ikr"))
        ct_sp_pass_scaled(w, &keys, "IKR", "ikr", 0, "A");
    bool breaks = ct_sp_counts(w, "bv") && ct_sp_number_of(w, "bv", 0) < 1e29;
    if (breaks) {
        ct_sp_pass(w, &keys, "BV", "bv", "V");
        value ibv = ct_sp_get_param(w, "ibv", 1e-3); /* of the device, whatever its area */
        ibv.node = ct_sp_per_device(w, ibv.node, false);
        ibv.plain &= !w->r->parallel;
        if (ct_sp_has(w, "ibv") || w->r->parallel)
            ct_sp_add(w->r, &keys, ct_sp_key(w->r, "IBV", ct_sp_unit_of(w->r, ibv, "A")));
        ct_sp_pass(w, &keys, "NBV", "nbv", "1");
    }
    ct_sp_put_part(w, "D",
                   is_full(w) ? "spice_diode_full"
                   : breaks   ? "spice_zener"
                              : "spice_diode",
                   a, "k", keys);
    if (!ct_sp_has_charges(w))
        return;
    const char *cj = ct_sp_counts(w, "cjo") ? "cjo" : "cj";
    if (ct_sp_counts(w, cj)) {
        keys = (children){0};
        ct_sp_pass_scaled(w, &keys, "CJ", cj, 0, "F");
        junction_keys(w, &keys, "vj", "m");
        ct_sp_put_part(w, "CJ", "junction_capacitor", a, "k", keys);
    }
    if (ct_sp_counts(w, "tt")) {
        keys = (children){0};
        ct_sp_pass(w, &keys, "TT", "tt", "s");
        diffusion_keys(w, &keys);
        ct_sp_put_part(w, "CD", is_full(w) ? "injection_capacitor" : "diffusion_capacitor", a, "k",
                       keys);
    }
}

/* ---- bipolar transistors
 * ---------------------------------------------------------------------------- */

const param_row ct_sp_bipolar_params[] = {
    {"is", NULL, USE},   {"bf", NULL, USE},   {"nf", NULL, USE},      {"vaf", "va", USE},
    {"ikf", "ik", USE},  {"ise", NULL, USE},  {"ne", NULL, USE},      {"br", NULL, USE},
    {"nr", NULL, USE},   {"var", "vb", USE},  {"ikr", NULL, USE},     {"isc", NULL, USE},
    {"nc", NULL, USE},   {"rb", NULL, USE},   {"re", NULL, USE},      {"rc", NULL, USE},
    {"cje", NULL, USE},  {"vje", "pe", USE},  {"mje", "me", USE},     {"tf", NULL, USE},
    {"cjc", NULL, USE},  {"vjc", "pc", USE},  {"mjc", "mc", USE},     {"xcjc", NULL, USE},
    {"tr", NULL, USE},   {"cjs", "ccs", USE}, {"vjs", "ps", USE},     {"mjs", "ms", USE},
    {"fc", NULL, USE},   {"subs", NULL, USE}, {"level", NULL, USE},   {"eg", NULL, USE},
    {"xti", "pt", USE},  {"xtb", "tb", USE},  {"tnom", "tref", USE},  {"kf", NULL, NOISE},
    {"af", NULL, NOISE}, {"rbm", NULL, USE},  {"irb", NULL, USE},     {"xtf", NULL, USE},
    {"vtf", NULL, USE},  {"itf", NULL, USE},  {"ptf", NULL, REFUSED}, {"nk", NULL, REFUSED},
    {NULL, NULL, USE}};

static void bipolar_charge(const writing *w, const char *name, const char *cj, const char *vj,
                           const char *mj, const char *a, const char *b, double share)
{
    children keys = {0};
    value c = ct_sp_get_param(w, cj, 0);
    if (share != 1)
        c.node = ct_sp_product(w->r, c.node, ct_sp_real(w->r, share, NULL));
    ct_sp_add(w->r, &keys, ct_sp_key(w->r, "CJ", ct_sp_scaled(w, c, "AREA", "F")));
    bool substrate = strcmp(cj, "cjs") == 0;
    ct_sp_add(w->r, &keys,
              ct_sp_key(w->r, "VJ", ct_sp_unit_of(w->r, ct_sp_get_param(w, vj, 0.75), "V")));
    ct_sp_add(w->r, &keys,
              ct_sp_key(w->r, "M",
                        ct_sp_unit_of(w->r, ct_sp_get_param(w, mj, substrate ? 0 : 0.33), "1")));
    if (!substrate)
        ct_sp_pass(w, &keys, "FC", "fc", "1");
    else
        ct_sp_put_key(w, &keys, "FC", 0, NULL);
    ct_sp_put_junction(w, name, "junction_capacitor", a, b, keys);
}

static void transit(const writing *w, const char *name, const char *time, const char *n,
                    const char *a, const char *b)
{
    children keys = {0};
    ct_sp_pass(w, &keys, "TT", time, "s");
    ct_sp_pass_scaled(w, &keys, "IS", "is", 1e-16, "A");
    ct_sp_pass(w, &keys, "N", n, "1");
    ct_sp_put_thermal(w, &keys);
    ct_sp_put_junction(w, name, "diffusion_capacitor", a, b, keys);
}

/* What shapes the base, and the charge of its carriers. */
static void base_keys(const writing *w, children *keys)
{
    static const char *const infinite[][2] = {{"VAF", "vaf"}, {"VAR", "var"}};
    static const char *const area[][2] = {{"IKF", "ikf"}, {"IKR", "ikr"}};
    ct_sp_pass_scaled(w, keys, "IS", "is", 1e-16, "A");
    ct_sp_pass(w, keys, "NF", "nf", "1");
    ct_sp_pass(w, keys, "NR", "nr", "1");
    ct_sp_put_thermal(w, keys);
    for (int i = 0; i < 2; i++)
        if (ct_sp_counts(w, infinite[i][1]))
            ct_sp_pass(w, keys, infinite[i][0], infinite[i][1], "V");
    for (int i = 0; i < 2; i++)
        if (ct_sp_counts(w, area[i][1]))
            ct_sp_pass_scaled(w, keys, area[i][0], area[i][1], 0, "A");
}

/* The transit charge depends on the voltage from base to collector, too: beside CJE its rate would
 * be that of a voltage which nothing stores. */
static void put_trace(const writing *w, const char *b, const char *c)
{
    children keys = {0};
    ct_sp_put_key(w, &keys, "C", 1e-18, "F");
    ct_sp_put_part(w, "CT", "capacitor", b, c, keys);
}

/* A plain diffusion capacitance where nothing else than the junction's voltage matters: false. */
static bool forward_transit(const writing *w, const char *b, const char *c, const char *e)
{
    static const char *const bent[] = {"vaf", "var", "ikf", "ikr", "xtf"};
    reader *r = w->r;
    children keys = {0};
    bool plain = true, minus = w->row->minus;
    for (size_t i = 0; i < sizeof bent / sizeof *bent; i++)
        plain &= !ct_sp_counts(w, bent[i]);
    if (plain) {
        transit(w, "TF", "tf", "nf", b, e);
        return false;
    }
    ct_sp_pass(w, &keys, "TF", "tf", "s");
    base_keys(w, &keys);
    if (ct_sp_counts(w, "xtf")) {
        ct_sp_pass(w, &keys, "XTF", "xtf", "1");
        if (ct_sp_counts(w, "vtf"))
            ct_sp_pass(w, &keys, "VTF", "vtf", "V");
        if (ct_sp_counts(w, "itf"))
            ct_sp_pass_scaled(w, &keys, "ITF", "itf", 0, "A");
    }
    ct_node terminal[] = {ct_sp_word_ref(r, minus ? e : b), ct_sp_word_ref(r, minus ? b : e),
                          ct_sp_word_ref(r, minus ? c : b), ct_sp_word_ref(r, minus ? b : c)};
    ct_sp_emit(r, ct_sp_component(r, ct_intern_text(r->ctx, "TF"), "transit_capacitor", terminal, 4,
                                  4, keys.first));
    return true;
}

/* A vertical transistor has its collector at the substrate, a lateral one its base. */
static bool is_lateral(const writing *w)
{
    return ct_sp_number_of(w, "subs", w->row->minus ? -1 : 1) < 0;
}

/* GMIN lies across the junction to the substrate as well: it holds nodes between transistors that
 * are off. */
static void substrate(const writing *w, const char *b, const char *c)
{
    reader *r = w->r;
    children keys = {0};
    CT_PUSH(r->arena, r->scope.at[r->here].port, ct_intern_text(r->ctx, "s"));
    ct_sp_add(r, &keys, ct_sp_key(r, "R", ct_sp_real(r, 1e12, "ohm")));
    ct_sp_put_part(w, "GS", "resistor", is_lateral(w) ? b : c, "s", keys);
}

/* b, c, e: inner nodes. */
static void bipolar_charges(const writing *w, const char *b, const char *c, const char *e)
{
    if (ct_sp_counts(w, "cje"))
        bipolar_charge(w, "CE", "cje", "vje", "mje", b, e, 1);
    double inner = fmin(fmax(ct_sp_number_of(w, "xcjc", 1), 0), 1);
    if (ct_sp_counts(w, "cjc") && inner > 0)
        bipolar_charge(w, "CC", "cjc", "vjc", "mjc", b, c, inner);
    if (ct_sp_counts(w, "cjc") && inner < 1)
        bipolar_charge(w, "CX", "cjc", "vjc", "mjc", "b", c, 1 - inner);
    bool lateral = is_lateral(w);
    if (ct_sp_counts(w, "cjs"))
        bipolar_charge(w, "CS", "cjs", "vjs", "mjs", lateral ? b : "s", lateral ? "s" : c, 1);
    if (ct_sp_counts(w, "tf") && forward_transit(w, b, c, e) && ct_sp_counts(w, "cje") &&
        !(ct_sp_counts(w, "cjc") && inner > 0))
        put_trace(w, b, c);
    if (ct_sp_counts(w, "tr"))
        transit(w, "TR", "tr", "nr", b, c);
}

/* Gains and leakage: what the base itself takes. */
static void current_keys(const writing *w, children *keys)
{
    static const char *const plain[][2] = {{"BF", "bf"}, {"BR", "br"}, {"NE", "ne"}, {"NC", "nc"}};
    static const char *const area[][2] = {{"ISE", "ise"}, {"ISC", "isc"}};
    for (int i = 0; i < 4; i++)
        ct_sp_pass(w, keys, plain[i][0], plain[i][1], "1");
    for (int i = 0; i < 2; i++)
        if (ct_sp_counts(w, area[i][1]))
            ct_sp_pass_scaled(w, keys, area[i][0], area[i][1], 0, "A");
}

static ct_node resistance(const writing *w, const char *name)
{
    reader *r = w->r;
    ct_node n = ct_sp_quotient(r, ct_sp_get_param(w, name, 0).node, ct_sp_word_ref(r, "AREA"));
    return ct_sp_product(r, n, ct_sp_real(r, 1, "ohm"));
}

/* A resistance that falls from RB to RBM as carriers fill the base, or as current crowds (IRB). c
 * and e are inner nodes; the inner base is returned. */
static const char *put_base(const writing *w, const char *c, const char *e)
{
    reader *r = w->r;
    const char *b = "bi";
    bool falls = ct_sp_counts(w, "rb") && ct_sp_has(w, "rbm") &&
                 ct_sp_number_of(w, "rbm", 0) != ct_sp_number_of(w, "rb", 0);
    if (!falls)
        return ct_sp_put_contact(w, "rb", "b", b);
    bool crowds = ct_sp_counts(w, "irb"), minus = w->row->minus;
    children keys = {0};
    ct_sp_add(r, &keys, ct_sp_key(r, "RB", resistance(w, "rb")));
    ct_sp_add(r, &keys, ct_sp_key(r, "RBM", resistance(w, "rbm")));
    if (crowds) {
        ct_sp_pass_scaled(w, &keys, "IRB", "irb", 0, "A");
        ct_sp_pass_scaled(w, &keys, "IS", "is", 1e-16, "A");
        ct_sp_pass(w, &keys, "NF", "nf", "1");
        ct_sp_pass(w, &keys, "NR", "nr", "1");
        ct_sp_put_thermal(w, &keys);
        current_keys(w, &keys);
    } else {
        base_keys(w, &keys);
    }
    const char *node[] = {"b", b, minus ? e : b, minus ? b : e, minus ? c : b, minus ? b : c};
    ct_node terminal[6];
    for (int i = 0; i < 6; i++)
        terminal[i] = ct_sp_word_ref(r, node[i]);
    ct_sp_emit(r, ct_sp_component(r, ct_intern_text(r->ctx, "RB"),
                                  crowds ? "spice_crowded_base" : "spice_base", terminal, 6, 6,
                                  keys.first));
    return b;
}

void ct_sp_write_bipolar(const writing *w)
{
    ct_sp_heat_bipolar(w);
    const char *c = ct_sp_put_contact(w, "rc", "c", "ci");
    const char *b = put_base(w, c, ct_sp_counts(w, "re") ? "ei" : "e");
    const char *e = ct_sp_put_contact(w, "re", "e", "ei");
    children keys = {0};
    base_keys(w, &keys);
    current_keys(w, &keys);
    const char *const terminal[] = {c, b, e};
    ct_sp_put_transistor(w, "Q", terminal, 3, keys);
    substrate(w, b, c);
    if (ct_sp_has_charges(w))
        bipolar_charges(w, b, c, e);
}
