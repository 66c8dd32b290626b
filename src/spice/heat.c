/* heat.c - parameters of models at another temperature than the one at which they were measured.
 *
 * The laws are those of SPICE: energy gap of silicon, saturation currents, junction potentials and
 * capacitances, gains, mobility. They need numbers, so that parameters must be known early.
 */
#include <math.h>
#include <string.h>

#include "spice/model.h"

static const double zero_celsius = 273.15, reference = 300.15; /* K */
static const double boltzmann = 8.6173303e-5;                  /* eV/K */

double ct_sp_thermal_voltage(double celsius)
{
    return boltzmann * (celsius + zero_celsius);
}

/* Energy gap of silicon in eV, at a temperature in K. */
static double gap(double t)
{
    const double cold = 1.16, fall = 7.02e-4, bend = 1108; /* eV, eV/K, K: Varshni's */
    return cold - fall * t * t / (t + bend);
}

double ct_sp_energy_gap(double celsius)
{
    return gap(celsius + zero_celsius);
}

void ct_sp_put_thermal(const writing *w, children *keys)
{
    if (w->temperature != 27)
        ct_sp_put_key(w, keys, "VT", ct_sp_thermal_voltage(w->temperature), "V");
}

/* What a junction potential loses from the reference to the temperature t. */
static double potential_shift(double t)
{
    double vt = boltzmann * t;
    double arg = -gap(t) / (2 * vt) + 1.1150877 / (2 * boltzmann * reference);
    return -2 * vt * (1.5 * log(t / reference) + arg);
}

typedef struct heat {
    const writing *w;
    double t, nominal; /* K */
    double rise;
} heat;

static bool begin(const writing *w, heat *h)
{
    *h = (heat){w, w->temperature + zero_celsius, w->nominal + zero_celsius,
                w->temperature - w->nominal};
    return h->rise != 0 || w->nominal != 27;
}

static double number(const heat *h, const char *name, double usual)
{
    return ct_sp_early_number(h->w, name, usual);
}

static void set(const heat *h, const char *name, double x)
{
    ct_sp_set_number(h->w, name, x);
}

static void scale(const heat *h, const char *name, double factor)
{
    if (ct_sp_counts(h->w, name))
        set(h, name, factor * number(h, name, 0));
}

/* (1 + a dt + b dt^2) */
static double polynomial(const heat *h, const char *a, const char *b)
{
    return 1 + number(h, a, 0) * h->rise + number(h, b, 0) * h->rise * h->rise;
}

/* A junction potential at the reference, at the temperature, and the factor of its capacitance. */
typedef struct junction {
    double at_reference, potential;
} junction;

/* shift: what is taken off the nominal potential to find the one at the reference. */
static junction heat_potential(const heat *h, double potential, double shift)
{
    junction j = {.at_reference = (potential - shift) / (h->nominal / reference)};
    j.potential = h->t / reference * j.at_reference + potential_shift(h->t);
    return j;
}

static double capacitance_factor(const heat *h, const junction *j, double nominal, double m)
{
    double old = (nominal - j->at_reference) / j->at_reference;
    double fresh = (j->potential - j->at_reference) / j->at_reference;
    const double growth = 4e-4; /* of the area and the permittivity, 1/K */
    return (1 + m * (growth * (h->t - reference) - fresh)) /
           (1 + m * (growth * (h->nominal - reference) - old));
}

/* ---- diode ----------------------------------------------------------------------------------- */

void ct_sp_heat_diode(const writing *w)
{
    heat h;
    if (!begin(w, &h))
        return;
    double vt = boltzmann * h.t, n = number(&h, "n", 1), ratio = h.t / h.nominal;
    double growth =
        (ratio - 1) * number(&h, "eg", 1.11) / (n * vt) + number(&h, "xti", 3) / n * log(ratio);
    set(&h, "is", number(&h, "is", 1e-14) * exp(growth));
    scale(&h, "isr", exp(growth * n / number(&h, "nr", 2)));
    double vj = number(&h, "vj", 1), m = number(&h, "m", 0.5) * polynomial(&h, "tm1", "tm2");
    junction j = heat_potential(&h, vj, potential_shift(h.nominal));
    double factor = capacitance_factor(&h, &j, vj, m);
    scale(&h, "cjo", factor);
    scale(&h, "cj", factor);
    set(&h, "vj", j.potential);
    set(&h, "m", m);
    scale(&h, "rs", polynomial(&h, "trs", "trs2"));
    scale(&h, "tt", polynomial(&h, "tt1", "tt2"));
    if (ct_sp_counts(w, "bv"))
        set(&h, "bv", number(&h, "bv", 0) - number(&h, "tcv", 0) * h.rise);
}

/* ---- bipolar transistors --------------------------------------------------------------------- */

static void heat_charge(const heat *h, const char *c, const char *v, const char *m, double usual)
{
    double potential = number(h, v, 0.75), mj = number(h, m, usual);
    junction j = heat_potential(h, potential, potential_shift(h->nominal));
    scale(h, c, capacitance_factor(h, &j, potential, mj));
    set(h, v, j.potential);
}

void ct_sp_heat_bipolar(const writing *w)
{
    heat h;
    if (!begin(w, &h))
        return;
    double vt = boltzmann * h.t, ratio = h.t / h.nominal;
    double growth = (ratio - 1) * number(&h, "eg", 1.11) / vt + number(&h, "xti", 3) * log(ratio);
    double gain = pow(ratio, number(&h, "xtb", 0));
    set(&h, "is", number(&h, "is", 1e-16) * exp(growth));
    set(&h, "bf", number(&h, "bf", 100) * gain);
    set(&h, "br", number(&h, "br", 1) * gain);
    scale(&h, "ise", exp(growth / number(&h, "ne", 1.5)) / gain);
    scale(&h, "isc", exp(growth / number(&h, "nc", 2)) / gain);
    heat_charge(&h, "cje", "vje", "mje", 0.33);
    heat_charge(&h, "cjc", "vjc", "mjc", 0.33);
    heat_charge(&h, "cjs", "vjs", "mjs", 0);
}

/* ---- MOS transistors ------------------------------------------------------------------------- */

static void heat_threshold(const heat *h)
{
    double type = h->w->row->minus ? -1 : 1, phi = number(h, "phi", 0.6);
    double gamma = number(h, "gamma", 0), vto = number(h, "vto", 0);
    double now = heat_potential(h, phi, potential_shift(h->nominal)).potential;
    double flat = vto - type * gamma * sqrt(phi) + 0.5 * (gap(h->nominal) - gap(h->t)) +
                  type * 0.5 * (now - phi);
    set(h, "vto", flat + type * gamma * sqrt(now));
    set(h, "phi", now);
}

void ct_sp_heat_mos(const writing *w)
{
    static const char *const bottom[] = {"cbd", "cbs", "cj"};
    heat h;
    if (!begin(w, &h))
        return;
    double vt = boltzmann * h.t, nominal = boltzmann * h.nominal, ratio = h.t / h.nominal;
    heat_threshold(&h);
    set(&h, "kp", number(&h, "kp", 2e-5) / (ratio * sqrt(ratio)));
    double growth = exp(-gap(h.t) / vt + gap(h.nominal) / nominal);
    set(&h, "is", number(&h, "is", 1e-14) * growth);
    scale(&h, "js", growth);
    double pb = number(&h, "pb", 0.8);
    junction j = heat_potential(&h, pb, potential_shift(h.nominal));
    for (int i = 0; i < 3; i++)
        scale(&h, bottom[i], capacitance_factor(&h, &j, pb, number(&h, "mj", 0.5)));
    scale(&h, "cjsw", capacitance_factor(&h, &j, pb, number(&h, "mjsw", 0.5)));
    set(&h, "pb", j.potential);
}

/* ---- junction field-effect transistors ---------------------------------------------------------
 */

void ct_sp_heat_jfet(const writing *w)
{
    heat h;
    if (!begin(w, &h))
        return;
    double vt = boltzmann * h.t, ratio = h.t / h.nominal;
    double growth = exp((ratio - 1) * number(&h, "eg", 1.11) / vt);
    if (ct_sp_has(w, "xti"))
        growth *= pow(ratio, number(&h, "xti", 3));
    set(&h, "is", number(&h, "is", 1e-14) * growth);
    double pb = number(&h, "pb", 1), fall = number(&h, "tcv", 0);
    junction j = heat_potential(&h, pb, potential_shift(h.nominal));
    scale(&h, "cgs", capacitance_factor(&h, &j, pb, 0.5));
    scale(&h, "cgd", capacitance_factor(&h, &j, pb, 0.5));
    set(&h, "pb", j.potential);
    if (ct_sp_has(w, "vtotc"))
        fall = -number(&h, "vtotc", 0);
    set(&h, "vto", number(&h, "vto", -2) - fall * h.rise);
    double gain = pow(ratio, number(&h, "bex", 0));
    if (ct_sp_has(w, "betatce"))
        gain = pow(1.01, number(&h, "betatce", 0) * h.rise);
    set(&h, "beta", number(&h, "beta", 1e-4) * gain);
}
