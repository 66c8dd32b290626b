/* jfet.c - .model cards of junction field-effect transistors, level 1. */
#include "spice/model.h"

const param_row ct_sp_jfet_params[] = {
    {"level", NULL, USE},   {"vto", "vt0", USE},   {"beta", NULL, USE},      {"lambda", NULL, USE},
    {"rd", NULL, USE},      {"rs", NULL, USE},     {"cgs", NULL, USE},       {"cgd", NULL, USE},
    {"pb", NULL, USE},      {"is", NULL, USE},     {"b", NULL, USE},         {"fc", NULL, USE},
    {"tnom", NULL, USE},    {"tcv", NULL, USE},    {"vtotc", NULL, USE},     {"bex", NULL, USE},
    {"betatce", NULL, USE}, {"xti", NULL, USE},    {"eg", NULL, USE},        {"kf", NULL, NOISE},
    {"af", NULL, NOISE},    {"nlev", NULL, NOISE}, {"gdsnoi", NULL, NOISE},  {"n", NULL, REFUSED},
    {"isr", NULL, REFUSED}, {"nr", NULL, REFUSED}, {"alpha", NULL, REFUSED}, {"vk", NULL, REFUSED},
    {"m", NULL, REFUSED},   {NULL, NULL, USE}};

/* From the gate to one end of the channel: diode and charge. */
static void gate(const writing *w, const char *side, const char *charge, const char *node)
{
    reader *r = w->r;
    children keys = {0};
    ct_sp_pass_scaled(w, &keys, "IS", "is", 1e-14, "A");
    ct_sp_put_thermal(w, &keys);
    ct_sp_put_junction(w, ct_printf(r->ctx, "D%s", side), "spice_diode", "g", node, keys);
    if (!ct_sp_counts(w, charge) || !ct_sp_has_charges(w))
        return;
    keys = (children){0};
    ct_sp_pass_scaled(w, &keys, "CJ", charge, 0, "F");
    ct_sp_pass(w, &keys, "VJ", "pb", "V");
    ct_sp_pass(w, &keys, "FC", "fc", "1");
    ct_sp_put_junction(w, ct_printf(r->ctx, "C%s", side), "junction_capacitor", "g", node, keys);
}

/* (1 - B)/(PB - VTO): what the doping profile adds to the square law, by the values of the card. */
static double cubic_share(const writing *w)
{
    double b = ct_sp_early_number(w, "b", 1);
    double range = ct_sp_early_number(w, "pb", 1) - ct_sp_early_number(w, "vto", -2);
    return b != 1 && range != 0 ? (1 - b) / range : 0;
}

void ct_sp_write_jfet(const writing *w)
{
    double cubic = cubic_share(w);
    ct_sp_heat_jfet(w);
    const char *d = ct_sp_put_contact(w, "rd", "d", "di"),
               *s = ct_sp_put_contact(w, "rs", "s", "si");
    children keys = {0};
    ct_sp_pass(w, &keys, "VTO", "vto", "V");
    ct_sp_pass_scaled(w, &keys, "BETA", "beta", 1e-4, "A/V^2");
    ct_sp_pass(w, &keys, "LAMBDA", "lambda", "1/V");
    ct_sp_pass(w, &keys, "B", "b", "1");
    if (cubic != 0)
        ct_sp_put_key(w, &keys, "C", cubic, "1/V");
    const char *const terminal[] = {d, "g", s};
    ct_sp_put_transistor(w, "J", terminal, 3, keys);
    gate(w, "GS", "cgs", s);
    gate(w, "GD", "cgd", d);
}
