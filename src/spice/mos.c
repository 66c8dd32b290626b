/* mos.c - .model cards of MOS transistors, level 1. */
#include <math.h>
#include <string.h>

#include "spice/model.h"

static const double square_cm = 1e-4; /* in m^2: mobilities are given in cm^2/(V s) */
static const double as_none = 1e-30;  /* beside anything of a circuit; zero would divide */

/* ---- MOS transistors, level 1
 * ------------------------------------------------------------------------- */

const param_row ct_sp_mos_params[] = {
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
    {"tnom", NULL, USE},      {"ucrit", NULL, REFUSED}, {"uexp", NULL, REFUSED},
    {"utra", NULL, REFUSED},  {"vmax", NULL, REFUSED},  {"neff", NULL, REFUSED},
    {"nfs", NULL, REFUSED},   {"xj", NULL, REFUSED},    {"xqc", NULL, REFUSED},
    {"delta", NULL, REFUSED}, {"theta", NULL, REFUSED}, {"eta", NULL, REFUSED},
    {"kappa", NULL, REFUSED}, {"xl", NULL, REFUSED},    {"xw", NULL, REFUSED},
    {NULL, NULL, USE}};

static const double permittivity_of_oxide = 3.9 * 8.854214871e-12; /* F/m */

/* Flat band and threshold of a gate above a substrate with surface potential phi. */
static double threshold_of(const writing *w, double cox, double gamma, double phi)
{
    const double q = 1.6021918e-19, half_gap = 0.5 * ct_sp_energy_gap(w->nominal);
    double sign = w->row->minus ? -1 : 1, tpg = ct_sp_number_of(w, "tpg", 1), gate = 3.2;
    if (tpg != 0)
        gate = 3.25 + half_gap - sign * tpg * half_gap;
    double work = gate - (3.25 + half_gap + sign * 0.5 * phi);
    double flat = work - ct_sp_number_of(w, "nss", 0) * 1e4 * q / cox;
    return flat + sign * (gamma * sqrt(phi) + phi);
}

/* What SPICE works out from the process: KP of TOX and UO, GAMMA, PHI and VTO of NSUB. */
static void work_out(const writing *w)
{
    const double q = 1.6021918e-19, eps_si = 11.7 * 8.854214871e-12, ni = 1.45e16;
    double tox = ct_sp_number_of(w, "tox", 0), nsub = ct_sp_number_of(w, "nsub", 0) * 1e6;
    double cox = tox > 0 ? permittivity_of_oxide / tox : 0;
    if (!ct_sp_has(w, "kp") && cox > 0)
        ct_sp_set_number(w, "kp", ct_sp_number_of(w, "uo", 600) * square_cm * cox);
    if (!(cox > 0) || !(nsub > ni))
        return;
    double vt = ct_sp_thermal_voltage(w->nominal);
    if (!ct_sp_has(w, "phi"))
        ct_sp_set_number(w, "phi", fmax(2 * vt * log(nsub / ni), 0.1));
    if (!ct_sp_has(w, "gamma"))
        ct_sp_set_number(w, "gamma", sqrt(2 * eps_si * q * nsub) / cox);
    if (!ct_sp_has(w, "vto"))
        ct_sp_set_number(
            w, "vto",
            threshold_of(w, cox, ct_sp_number_of(w, "gamma", 0), ct_sp_number_of(w, "phi", 0.6)));
}

/* A value of the card that belongs to one device, for all in parallel. */
static ct_node of_all(const writing *w, const char *name, double usual, bool divide,
                      const char *unit)
{
    value v = ct_sp_get_param(w, name, usual);
    v.node = ct_sp_per_device(w, v.node, divide);
    v.plain &= !w->r->parallel;
    return ct_sp_unit_of(w->r, v, unit);
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
    if (ct_sp_counts(w, "js")) /* no area: the whole of IS */
        ct_sp_add(
            r, &keys,
            ct_sp_key(r, "IS",
                      ct_sp_list(r, CT_NODE_SUM, 0,
                                 (ct_node[]){times(w, area, ct_sp_get_param(w, "js", 0).node, "A"),
                                             ct_sp_real(r, as_none, "A")},
                                 2)));
    else
        ct_sp_add(r, &keys, ct_sp_key(r, "IS", of_all(w, "is", 1e-14, false, "A")));
    ct_sp_put_thermal(w, &keys);
    const char *name = ct_printf(r->ctx, "D%s", side);
    ct_sp_put_junction(w, name, "spice_diode", "b", node, keys);
    bool bottom = ct_sp_counts(w, cb) || ct_sp_counts(w, "cj");
    if (bottom) {
        keys = (children){0};
        ct_node c = ct_sp_counts(w, cb) ? of_all(w, cb, 0, false, "F")
                                        : times(w, area, ct_sp_get_param(w, "cj", 0).node, "F");
        if (!ct_sp_counts(w, cb)) /* without an area there is none: a trace keeps it positive */
            c = ct_sp_list(r, CT_NODE_SUM, 0, (ct_node[]){c, ct_sp_real(r, as_none, "F")}, 2);
        ct_sp_add(r, &keys, ct_sp_key(r, "CJ", c));
        ct_sp_add(r, &keys,
                  ct_sp_key(r, "VJ", ct_sp_unit_of(r, ct_sp_get_param(w, "pb", 0.8), "V")));
        ct_sp_add(r, &keys, ct_sp_key(r, "M", ct_sp_get_param(w, "mj", 0.5).node));
        ct_sp_pass(w, &keys, "FC", "fc", "1");
        ct_sp_put_junction(w, ct_printf(r->ctx, "CJ%s", side), "junction_capacitor", "b", node,
                           keys);
    }
    if (!ct_sp_counts(w, "cjsw"))
        return;
    keys = (children){0};
    ct_node c = times(w, rim, ct_sp_get_param(w, "cjsw", 0).node, "F");
    c = ct_sp_list(r, CT_NODE_SUM, 0, (ct_node[]){c, ct_sp_real(r, as_none, "F")}, 2);
    ct_sp_add(r, &keys, ct_sp_key(r, "CJ", c));
    ct_sp_add(r, &keys, ct_sp_key(r, "VJ", ct_sp_unit_of(r, ct_sp_get_param(w, "pb", 0.8), "V")));
    ct_sp_add(r, &keys, ct_sp_key(r, "M", ct_sp_get_param(w, "mjsw", 0.5).node));
    ct_sp_pass(w, &keys, "FC", "fc", "1");
    ct_sp_put_junction(w, ct_printf(r->ctx, "CW%s", side), "junction_capacitor", "b", node, keys);
}

/* RD or RS as they are, or RSH times the squares NRD or NRS. */
static const char *contact(const writing *w, const char *name, const char *outer, const char *inner,
                           const char *squares)
{
    reader *r = w->r;
    if (!ct_sp_counts(w, name) && !ct_sp_counts(w, "rsh"))
        return outer;
    children keys = {0};
    ct_node ohm = ct_sp_counts(w, name)
                      ? of_all(w, name, 0, true, "ohm")
                      : times(w, squares, ct_sp_get_param(w, "rsh", 0).node, "ohm");
    ct_sp_add(r, &keys, ct_sp_key(r, "R", ohm));
    ct_sp_put_part(w, name, "resistor", outer, inner, keys);
    return inner;
}

static void overlap(const writing *w, const char *name, const char *length, const char *a,
                    const char *b)
{
    reader *r = w->r;
    if (!ct_sp_counts(w, name))
        return;
    children keys = {0};
    ct_node one = ct_sp_get_param(w, name, 0).node;
    if (strcmp(length, "L") == 0) /* widths are those of all */
        one = ct_sp_per_device(w, one, false);
    ct_sp_add(r, &keys, ct_sp_key(r, "C", times(w, length, one, "F")));
    ct_sp_put_part(w, name, "capacitor", a, b, keys);
}

static void threshold_keys(const writing *w, children *keys)
{
    ct_sp_pass(w, keys, "VTO", "vto", "V");
    ct_sp_pass(w, keys, "GAMMA", "gamma", "V^0.5");
    ct_sp_pass(w, keys, "PHI", "phi", "V");
}

/* Less the lateral diffusion at both ends. */
static ct_node channel_length(const writing *w)
{
    reader *r = w->r;
    ct_node length = ct_sp_word_ref(r, "L");
    if (!ct_sp_counts(w, "ld"))
        return length;
    ct_node both =
        ct_sp_list(r, CT_NODE_PRODUCT, 0,
                   (ct_node[]){ct_sp_real(r, 2, NULL), ct_sp_get_param(w, "ld", 0).node}, 2);
    return ct_sp_sum(r, length, ct_sp_minus(r, both));
}

/* From the gate to the channel: TOX makes it. */
static void gate(const writing *w, const char *d, const char *s)
{
    reader *r = w->r;
    if (!ct_sp_counts(w, "tox") || !ct_sp_has_charges(w))
        return;
    children keys = {0};
    ct_node part[] = {ct_sp_real(r, permittivity_of_oxide, NULL),
                      ct_sp_node(r, CT_NODE_INV, 0, ct_sp_get_param(w, "tox", 0).node),
                      ct_sp_word_ref(r, "W"), channel_length(w), ct_sp_real(r, 1, "F")};
    ct_sp_add(r, &keys, ct_sp_key(r, "COX", ct_sp_list(r, CT_NODE_PRODUCT, 0, part, 5)));
    threshold_keys(w, &keys);
    if (w->row->minus)
        ct_sp_add(r, &keys, ct_sp_key(r, "P", ct_sp_real(r, -1, NULL)));
    ct_node terminal[] = {ct_sp_word_ref(r, "g"), ct_sp_word_ref(r, d), ct_sp_word_ref(r, s),
                          ct_sp_word_ref(r, "b")};
    ct_sp_emit(r, ct_sp_component(r, ct_intern_text(r->ctx, "CG"), "gate_capacitor", terminal, 4, 4,
                                  keys.first));
}

void ct_sp_write_mos(const writing *w)
{
    reader *r = w->r;
    work_out(w);
    ct_sp_heat_mos(w);
    const char *d = contact(w, "rd", "d", "di", "NRD"), *s = contact(w, "rs", "s", "si", "NRS");
    children keys = {0};
    threshold_keys(w, &keys);
    ct_sp_pass(w, &keys, "KP", "kp", "A/V^2");
    ct_sp_pass(w, &keys, "LAMBDA", "lambda", "1/V");
    ct_sp_add(r, &keys, ct_sp_key(r, "W", times(w, "W", ct_sp_real(r, 1, "m"), NULL)));
    ct_node length[] = {channel_length(w), ct_sp_real(r, 1, "m")};
    ct_sp_add(r, &keys, ct_sp_key(r, "L", ct_sp_list(r, CT_NODE_PRODUCT, 0, length, 2)));
    /* the junctions to the bulk have it: a channel that is off carries nothing */
    ct_sp_add(r, &keys, ct_sp_key(r, "GMIN", ct_sp_real(r, 0, "S")));
    const char *const terminal[] = {d, "g", s, "b"};
    ct_sp_put_transistor(w, "M", terminal, 4, keys);
    bulk(w, "D", d, "cbd", "AD", "PD");
    bulk(w, "S", s, "cbs", "AS", "PS");
    overlap(w, "cgso", "W", "g", s);
    overlap(w, "cgdo", "W", "g", d);
    overlap(w, "cgbo", "L", "g", "b");
    gate(w, d, s);
}
