/* lti_merit.c - margins of loops and measures of steps as text and JSON. */
#include "study/lti_merit.h"

#include <math.h>
#include <string.h>

#include "export/lti_show.h"

static const double pi = 3.14159265358979323846;

/* ---- numbers ------------------------------------------------------------------------------- */

/* `  phase margin  32.6 deg`; a dash for what is not there. */
static void put_line(ct_text *out, const char *what, double value, const char *unit)
{
    ct_putf(out, "  %-14s ", what);
    if (isfinite(value))
        ct_putf(out, "%.6g%s%s", value + 0.0, *unit ? " " : "", unit); /* no -0 */
    else
        ct_put(out, isnan(value) ? "-" : "infinite");
}

static void put_frequency(ct_text *out, double omega)
{
    ct_putf(out, "%.6g rad/s (%.6g Hz)", omega, omega / (2 * pi));
}

/* Calls `put` for each input and output, with memory of its own. */
typedef void (*put_channel)(ct_arena *arena, const ct_lti *lti, const ct_lti_names *names,
                            uint32_t i, uint32_t j, ct_text *out);

static void put_all(const ct_lti *lti, const ct_lti_names *names, put_channel put, ct_text *out)
{
    for (uint32_t i = 0; i < lti->p; i++)
        for (uint32_t j = 0; j < lti->m; j++) {
            ct_arena *arena = ct_arena_new(ct_arena_context(out->arena));
            put(arena, lti, names, i, j, out);
            ct_arena_free(arena);
        }
}

/* ---- margins ------------------------------------------------------------------------------- */

/* One line for each crossing; the smallest margin is not always the first. */
static void put_crossings(ct_text *out, const char *what, const ct_margin *crossing, uint32_t count,
                          const char *unit)
{
    if (!count) {
        put_line(out, what, INFINITY, unit);
        ct_put_char(out, '\n');
    }
    for (uint32_t k = 0; k < count; k++) {
        put_line(out, k ? "" : what, crossing[k].margin, unit);
        ct_put(out, " at ");
        put_frequency(out, crossing[k].omega);
        ct_put_char(out, '\n');
    }
}

static void put_margins(ct_arena *arena, const ct_lti *lti, const ct_lti_names *names, uint32_t i,
                        uint32_t j, ct_text *out)
{
    ct_margins m = ct_lti_margins(arena, lti, i, j);
    ct_putf(out, "%s%s / %s as an open loop\n", i || j ? "\n" : "", names->output[i],
            names->input[j]);
    put_crossings(out, "gain margin", m.gain, m.gain_count, "dB");
    put_crossings(out, "phase margin", m.phase, m.phase_count, "deg");
    put_line(out, "delay margin", m.delay, "s");
    ct_putf(out, "\n  %-14s ", "bandwidth");
    if (isfinite(m.bandwidth))
        put_frequency(out, m.bandwidth);
    else
        ct_put(out, "-");
    ct_putf(out, "\n  %-14s %s\n", "closed loop",
            !m.known    ? "has no solution"
            : m.vague   ? "not known: delays turn further than their approximation"
            : m.mixed   ? "not stable, or a mode outside of it does not die out"
            : !m.stable ? "not stable"
            : m.apart   ? "stable, but a mode outside of it does not die out"
                        : "stable");
}

static void put_json_crossings(ct_json *j, const char *key, const char *margin,
                               const ct_margin *crossing, uint32_t count)
{
    ct_json_line(j, 3);
    ct_json_open(j, key, '[');
    for (uint32_t k = 0; k < count; k++) {
        ct_json_open(j, NULL, '{');
        ct_json_number(j, "omega", crossing[k].omega);
        ct_json_number(j, margin, crossing[k].margin);
        ct_json_close(j, '}');
    }
    ct_json_close(j, ']');
}

static void put_margins_json(const ct_margins *m, ct_json *j)
{
    const ct_margin *gain = ct_smallest_crossing(m->gain, m->gain_count);
    const ct_margin *phase = ct_smallest_crossing(m->phase, m->phase_count);
    ct_json_number(j, "gain_margin", gain ? gain->margin : INFINITY);
    ct_json_number(j, "phase_margin", phase ? phase->margin : INFINITY);
    ct_json_number(j, "delay_margin", m->delay);
    ct_json_number(j, "bandwidth", m->bandwidth);
    if (m->known && !m->vague)
        ct_json_bool(j, "closed_loop_stable", m->stable);
    else
        ct_json_raw(j, "closed_loop_stable", NULL);
    ct_json_bool(j, "modes_outside_die_out", !m->apart);
    put_json_crossings(j, "phase_crossovers", "gain_margin", m->gain, m->gain_count);
    put_json_crossings(j, "gain_crossovers", "phase_margin", m->phase, m->phase_count);
}

void ct_lti_put_margins(const ct_lti *lti, const ct_lti_names *names, ct_text *out)
{
    put_all(lti, names, put_margins, out);
}

static void open_pair(ct_json *json, const ct_lti_names *names, uint32_t i, uint32_t j)
{
    if (i || j)
        ct_json_line(json, 2);
    ct_json_open(json, NULL, '{');
    ct_json_text(json, "output", names->output[i]);
    ct_json_text(json, "input", names->input[j]);
}

void ct_lti_put_margins_json(const ct_lti *lti, const ct_lti_names *names, ct_json *json)
{
    ct_json_line(json, 1);
    ct_json_open(json, "margins", '[');
    for (uint32_t i = 0; i < lti->p; i++)
        for (uint32_t j = 0; j < lti->m; j++) {
            ct_arena *arena = ct_arena_new(ct_arena_context(json->out->arena));
            ct_margins m = ct_lti_margins(arena, lti, i, j);
            open_pair(json, names, i, j);
            put_margins_json(&m, json);
            ct_json_close(json, '}');
            ct_arena_free(arena);
        }
    ct_json_close(json, ']');
}

/* ---- steps --------------------------------------------------------------------------------- */

static const char *unit_of(const ct_lti_names *names, uint32_t i)
{
    const char *unit = names->output_unit ? names->output_unit[i] : "";
    return strcmp(unit, "1") == 0 ? "" : unit;
}

static void put_peak(ct_text *out, const ct_step_merit *s, const char *unit)
{
    put_line(out, "largest value", s->peak, unit);
    if (isfinite(s->peak_time))
        ct_putf(out, " at %.6g s", s->peak_time);
    else if (isfinite(s->peak))
        ct_put(out, " in the end");
    ct_put_char(out, '\n');
}

static void put_steps(ct_arena *arena, const ct_lti *lti, const ct_lti_names *names, uint32_t i,
                      uint32_t j, ct_text *out)
{
    ct_step_merit s = ct_lti_step_merit(arena, lti, i, j);
    const char *unit = unit_of(names, i);
    ct_putf(out, "%s%s after a unit step of %s\n", i || j ? "\n" : "", names->output[i],
            names->input[j]);
    if (!s.known || !s.settles) {
        ct_put(out, s.known ? "  does not settle\n"
                            : "  not given, there are too many states (--step needs none)\n");
        return;
    }
    const struct {
        const char *what;
        double value;
        const char *unit;
    } row[] = {{"final value", s.final, unit},
               {"rise time", s.rise, "s"},
               {"settling time", s.settling, "s"},
               {"overshoot", 100 * s.overshoot, "%"},
               {"undershoot", 100 * s.undershoot, "%"}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        if (k == 4 && !(row[k].value > 0))
            continue; /* rare, so that its absence needs no line */
        put_line(out, row[k].what, row[k].value, row[k].unit);
        ct_put_char(out, '\n');
    }
    put_peak(out, &s, unit);
}

static void put_steps_json(const ct_step_merit *s, ct_json *j)
{
    if (s->known)
        ct_json_bool(j, "settles", s->settles);
    else
        ct_json_raw(j, "settles", NULL);
    ct_json_number(j, "final", s->final);
    ct_json_number(j, "rise_time", s->rise);
    ct_json_number(j, "settling_time", s->settling);
    ct_json_number(j, "overshoot", s->overshoot);
    ct_json_number(j, "undershoot", s->undershoot);
    ct_json_number(j, "peak", s->peak);
    ct_json_number(j, "peak_time", s->peak_time);
}

void ct_lti_put_steps(const ct_lti *lti, const ct_lti_names *names, ct_text *out)
{
    put_all(lti, names, put_steps, out);
}

void ct_lti_put_steps_json(const ct_lti *lti, const ct_lti_names *names, ct_json *json)
{
    ct_json_line(json, 1);
    ct_json_open(json, "steps", '[');
    for (uint32_t i = 0; i < lti->p; i++)
        for (uint32_t j = 0; j < lti->m; j++) {
            ct_step_merit s = ct_lti_step_merit(json->out->arena, lti, i, j);
            open_pair(json, names, i, j);
            put_steps_json(&s, json);
            ct_json_close(json, '}');
        }
    ct_json_close(json, ']');
}
