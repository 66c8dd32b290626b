/* wave.c - card T: a lossless line by its impedance and its delay.
 *
 * T1 p1 n1 p2 n2 Z0=.. and TD=.., or F=.. with NL=.. (wavelengths at that frequency, usual 1/4).
 */
#include "spice/reader.h"

enum { Z0, TD, FREQUENCY, WAVELENGTHS, KEYS };

typedef struct wave {
    value of[KEYS];
    bool has[KEYS];
} wave;

static bool read_wave(reader *r, cursor *c, wave *w)
{
    static const char *const keys[KEYS] = {"z0", "td", "f", "nl"};
    token name;
    while (ct_sp_assignment(r, c, &name)) {
        int k = 0;
        while (k < KEYS && !ct_sp_is(r, name, keys[k]))
            k++;
        value v = ct_sp_value(r, c, "a value");
        if (k < KEYS) {
            w->of[k] = v;
            w->has[k] = true;
            continue;
        }
        ct_sp_ignored(r, name, "of a line is not supported: it is left out");
        while (ct_sp_accept(r, c, ',')) /* ic=v1,i1,v2,i2 */
            ct_sp_value(r, c, "a value");
    }
    if (!ct_sp_at_end(c))
        ct_sp_rest(r, c);
    else if (!w->has[Z0])
        ct_sp_missing(r, c, "the impedance Z0=");
    else if (!w->has[TD] && !w->has[FREQUENCY])
        ct_sp_missing(r, c, "the delay TD=, or F= with NL=,");
    return ct_sp_at_end(c) && w->has[Z0] && (w->has[TD] || w->has[FREQUENCY]);
}

static ct_node delay_of(reader *r, const wave *w)
{
    const double quarter = 0.25;
    if (w->has[TD])
        return ct_sp_unit_of(r, w->of[TD], "s");
    ct_node count = w->has[WAVELENGTHS] ? w->of[WAVELENGTHS].node : ct_sp_real(r, quarter, NULL);
    return ct_sp_quotient(r, count, ct_sp_unit_of(r, w->of[FREQUENCY], "Hz"));
}

void ct_sp_write_line(reader *r, uint32_t index, cursor *c)
{
    ct_node terminal[4];
    wave w = {0};
    ct_place whole = {r->source, r->at, r->width};
    if (!ct_sp_nodes(r, c, terminal, 4) || !read_wave(r, c, &w))
        return;
    ct_sp_here(r, whole);
    children keys = {0};
    ct_sp_add(r, &keys, ct_sp_key(r, "Z", ct_sp_unit_of(r, w.of[Z0], "ohm")));
    ct_sp_add(r, &keys, ct_sp_key(r, "T", delay_of(r, &w)));
    ct_sp_emit(r, ct_sp_component(r, r->thing.at[index].name, "two_wire_line", terminal, 4, 4,
                                  keys.first));
}
