/* field_beam_accuracy.c - how many modes or cells of a beam an accuracy asks for.
 *
 * As for lines, scattering is compared: with U and V, what is across and through at the ports for
 * some set of columns, it is (r U - V/r)(r U + V/r)^-1, which has no poles. The columns are waves
 * of the exact beam, and of the chain of links; of modes they are what is given, deflections of
 * held ports and forces of free ones. Slopes are scaled by the length. The estimate is the norm of
 * all entries, which is not below the largest singular value.
 */
#include <math.h>
#include <string.h>

#include "model/beam_wave.h"
#include "model/field.h"

typedef double complex square[BEAM_ENDS][BEAM_ENDS];

typedef struct beam_search {
    ct_beam_wave wave;
    uint32_t ports, port[BEAM_ENDS]; /* end coordinates that have an edge */
    bool held[BEAM_ENDS], bare, cells;
    double mass, loss, compliance; /* of the whole beam, in units of its shapes */
    double omega, surge[BEAM_ENDS];
    uint32_t points;
    ct_beam beam;
    double *square,
        *seen[BEAM_ENDS]; /* of each mode: b^4; its share of an end, or its value there */
} beam_search;

enum { MOST = 400, MOST_FOUND = 100, MOST_CELLS = 500 };

/* ---- scattering */

/* Solves a x = b for all columns; both are lost. */
static void solve(uint32_t n, square a, square b)
{
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++)
            best = cabs(a[i][k]) > cabs(a[best][k]) ? i : best;
        for (uint32_t j = 0; j < n; j++) {
            double complex x = a[k][j], y = b[k][j];
            a[k][j] = a[best][j], a[best][j] = x;
            b[k][j] = b[best][j], b[best][j] = y;
        }
        for (uint32_t i = 0; i < n; i++) {
            double complex factor = i == k ? 0 : a[i][k] / a[k][k];
            for (uint32_t j = 0; j < n && i != k; j++)
                a[i][j] -= factor * a[k][j], b[i][j] -= factor * b[k][j];
        }
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            b[i][j] /= a[i][i];
}

/* Of n columns; rows behind those of the ports are what must vanish. */
static void scatter(const beam_search *x, uint32_t n, square across, square through, square out)
{
    square sum, unit = {{0}};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            bool port = i < x->ports;
            double r = port ? sqrt(x->surge[x->port[i]]) : 1;
            sum[i][j] = r * across[i][j] + (port ? through[i][j] / r : 0);
            unit[i][j] = i == j && port;
        }
    solve(n, sum, unit);
    for (uint32_t i = 0; i < x->ports; i++)
        for (uint32_t j = 0; j < x->ports; j++) {
            double r = sqrt(x->surge[x->port[i]]);
            out[i][j] = 0;
            for (uint32_t k = 0; k < n; k++)
                out[i][j] += (r * across[i][k] - through[i][k] / r) * unit[k][j];
        }
}

/* ---- the exact beam, and the chain */

static void by_waves(const beam_search *x, const ct_beam_ends *e, square out)
{
    square across = {{0}}, through = {{0}};
    uint32_t ports = 0, rest = x->ports;
    for (uint32_t i = 0; i < BEAM_ENDS; i++) {
        bool port = ports < x->ports && x->port[ports] == i;
        double lever = i % 2 ? x->wave.length : 1;
        uint32_t row = port ? ports++ : rest++;
        for (uint32_t k = 0; k < BEAM_ENDS; k++) {
            across[row][k] = e->across[i][k] * lever, through[row][k] = e->through[i][k] / lever;
            if (!port && !x->held[i])
                across[row][k] = through[row][k] / x->surge[i]; /* free of force */
        }
    }
    scatter(x, BEAM_ENDS, across, through, out);
}

/* ---- modes */

/* What does not depend on frequency, of n modes. */
typedef struct finite {
    uint32_t n;
    double still[BEAM_ENDS][BEAM_ENDS]; /* inertia, compliance, or shape, by ports: at_once() */
    double stiff[BEAM_ENDS][BEAM_ENDS]; /* between held ports */
} finite;

static double still_of(const beam_search *x, uint32_t n, uint32_t to, uint32_t from)
{
    const ct_beam *b = &x->beam;
    double rest = 0;
    if (x->held[to] != x->held[from]) /* forces of free ports reach held ones, and back */
        return x->held[to] ? -ct_beam_shape_at(b, to, (int)(from % 2), from / 2)
                           : ct_beam_shape_at(b, from, (int)(to % 2), to / 2);
    if (x->held[to] && !x->bare)
        return ct_beam_mass(b, to, from);
    for (uint32_t k = x->held[to] ? 0 : b->rigid; k < n; k++)
        rest += x->seen[to][k] * x->seen[from][k] / (x->held[to] ? 1 : x->square[k]);
    return x->held[to] ? rest : x->bare ? 0 : b->compliance[to][from] - rest;
}

static finite finite_of(const beam_search *x, uint32_t n)
{
    finite m = {.n = n};
    for (uint32_t i = 0; i < x->ports; i++)
        for (uint32_t j = 0; j < x->ports; j++) {
            uint32_t to = x->port[i], from = x->port[j];
            m.still[i][j] = still_of(x, n, to, from);
            if (x->held[to] && x->held[from])
                m.stiff[i][j] = ct_beam_stiffness(&x->beam, to, from);
        }
    return m;
}

/* Positions of free ports and forces of held ones answer positions of held ports and forces of free
 * ones. A mode is driven by its share of what moves, or where it is pushed. */
static double complex answer(const beam_search *x, const finite *m, uint32_t i, uint32_t j,
                             const double complex *own, double complex inertia,
                             double complex stiff)
{
    uint32_t to = x->port[i], from = x->port[j];
    double complex up = x->held[to] ? inertia : 1, down = x->held[from] ? -inertia : 1, sum = 0;
    for (uint32_t k = 0; k < m->n; k++)
        sum += x->seen[to][k] * x->seen[from][k] * own[k];
    double complex direct = m->still[i][j];
    if (x->held[to] && x->held[from])
        direct = inertia * direct + stiff * m->stiff[i][j];
    else if (!x->held[to] && !x->held[from])
        direct /= stiff;
    return direct + up * down * sum;
}

static void by_modes(const beam_search *x, double complex s, const finite *m, square out)
{
    double complex inertia = x->mass * s * s + x->loss * s;
    double complex stiff = (1 + x->wave.tau * s) / x->compliance;
    double complex own[MOST + 2]; /* with two of rigid motion */
    square across, through;
    for (uint32_t k = 0; k < m->n; k++)
        own[k] = 1 / (inertia + stiff * x->square[k]);
    for (uint32_t i = 0; i < x->ports; i++)
        for (uint32_t j = 0; j < x->ports; j++) {
            double complex a = answer(x, m, i, j, own, inertia, stiff);
            bool held = x->held[x->port[i]];
            across[i][j] = held ? (i == j) * s : a * s;
            through[i][j] = held ? a : i == j;
        }
    scatter(x, x->ports, across, through, out);
}

/* ---- the number */

/* Exactly at a resonance of a finite model its parts are infinite. */
static const double off_resonance = 0.0072973525693;

static double error_of(const beam_search *x, uint32_t n)
{
    double worst = 0;
    finite m = x->cells ? (finite){.n = n} : finite_of(x, n);
    for (uint32_t i = 1; i <= x->points; i++) {
        double complex s = I * (x->omega * (i + off_resonance) / x->points);
        double sum = 0;
        square right, have;
        ct_beam_ends exact = ct_beam_wave_at(&x->wave, s), links;
        by_waves(x, &exact, right);
        if (x->cells)
            links = ct_beam_links_at(&x->wave, s, x->held, n), by_waves(x, &links, have);
        else
            by_modes(x, s, &m, have);
        for (uint32_t j = 0; j < x->ports; j++)
            for (uint32_t k = 0; k < x->ports; k++)
                sum += pow(cabs(right[j][k] - have[j][k]), 2);
        worst = fmax(worst, sqrt(sum));
    }
    return worst;
}

static bool read_wave(field *f, ct_beam_wave *w)
{
    field_numbers inner = {.f = f};
    const field_law *law = &f->law;
    ct_expr tension = law->tension;
    double *to[] = {&w->c, &w->g, &w->l, &w->tau, &w->shear, &w->rotary, &w->length};
    const ct_expr from[] = {law->c, law->g, law->l, law->tau, law->shear, law->rotary, f->length};
    double sum = 0;
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        sum += *to[i] = ct_field_value(&inner, from[i]);
    w->tension = tension ? ct_field_value(&inner, tension) : 0;
    return isfinite(sum + w->tension) && w->c > 0 && w->l > 0 && w->length > 0;
}

static void take_shapes(field *f, beam_search *x, const field_shapes *s)
{
    const ct_beam_wave *w = &x->wave;
    uint32_t n = s->beam.count;
    x->beam = s->beam;
    x->square = CT_NEW_ARRAY(f->b->scratch, double, n + 1);
    for (uint32_t k = 0; k < n; k++)
        x->square[k] = pow(x->beam.mode[k].b, 4);
    for (uint32_t i = 0; i < x->ports; i++) {
        uint32_t end = x->port[i];
        x->seen[end] = CT_NEW_ARRAY(f->b->scratch, double, n + 1);
        for (uint32_t k = 0; k < n; k++)
            x->seen[end][k] = x->held[end]
                                  ? ct_beam_share(&x->beam, end, k)
                                  : ct_beam_mode_at(&x->beam.mode[k], (int)(end % 2), end / 2);
    }
    x->mass = s->found ? 1 : w->c * w->length;
    x->loss = s->found ? 0 : w->g * w->length;
    x->compliance = s->found ? 1 : w->l * pow(w->length, 3);
}

/* The least number up to `most`, of modes without the rigid ones; 0: not reached, or reported. */
static uint32_t least_number(field *f, beam_search *x, bool found, double accuracy, uint32_t most)
{
    uint32_t low = x->cells ? 2 : 0, high = 4; /* ends of a chain are apart from three cells on */
    for (;; low = high, high = 2 * high < most ? 2 * high : most) {
        field_shapes s = {.found = found};
        if (!x->cells && !ct_field_find_shapes(f, x->held, high, &s))
            return 0;
        if (!x->cells)
            take_shapes(f, x, &s);
        if (error_of(x, high + x->beam.rigid) <= accuracy)
            break;
        if (high == most)
            return 0;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (error_of(x, middle + x->beam.rigid) > accuracy)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void set_surge(beam_search *x)
{
    double wave = sqrt(x->omega * sqrt(x->wave.c * x->wave.l)), length = x->wave.length;
    for (uint32_t i = 0; i < BEAM_ENDS; i++)
        x->surge[i] = (i % 2 ? wave / (length * length) : pow(wave, 3)) / (x->wave.l * x->omega);
    x->points = 20 + (uint32_t)fmin(10 * wave * length / 3.14159265358979323846, 2000);
}

static void find_ports(const field *f, const bool *fixed, beam_search *x)
{
    memcpy(x->held, fixed, sizeof x->held);
    for (uint32_t end = 0; end < BEAM_ENDS; end++)
        for (uint32_t i = 0; i < f->port.count; i++) {
            const field_port *p = &f->port.at[i];
            if (p->end == 2 || 2 * p->end + p->row != end)
                continue;
            x->port[x->ports++] = end;
            x->held[end] = p->held;
        }
}

static uint32_t refuse_number(field *f, ct_place place, uint32_t most, const char *of)
{
    ct_report *r = ct_error(f->b->ctx, "E413", place, "this accuracy would take more than %u %s",
                            (unsigned)most, of);
    ct_help(r, "ask for less, or up to a lower frequency");
    ct_element_fail(f->es);
    return 1;
}

uint32_t ct_field_choose_beam(field *f, const bool *fixed, bool found, bool cells)
{
    beam_search x = {.bare = ct_field_is_bare(f), .cells = cells};
    field_wish wish;
    if (!ct_field_read_accuracy(f, &wish))
        return 1;
    bool known = read_wave(f, &x.wave);
    if (!known || (x.wave.tension != 0 && !cells && !ct_field_is_loaded(f)))
        return ct_field_refuse_accuracy(
            f, wish.place,
            known ? "an accuracy needs an axial force that is part of the shapes"
                  : "an accuracy needs numbers for all parameters",
            known ? "write axial = constant" : "give them values, or the number of modes");
    x.omega = wish.omega;
    find_ports(f, fixed, &x);
    set_surge(&x);
    uint32_t most = cells ? MOST_CELLS : found ? MOST_FOUND : MOST;
    uint32_t n = least_number(f, &x, found, wish.accuracy, most);
    if (f->es->out->broken)
        return 1;
    if (!n)
        return refuse_number(f, wish.place, most, cells ? "cells" : "modes");
    ct_field_tell_accuracy(f, n, error_of(&x, n + x.beam.rigid));
    return n;
}
