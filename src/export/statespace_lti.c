/* statespace_lti.c - poles, zeros, transfer functions and responses of a state space in numbers. */
#include <string.h>

#include "export/statespace.h"
#include "study/exact.h"

static ct_lti_names names_of(const ct_statespace *ss, ct_arena *arena)
{
    const ct_model *m = ss->model;
    const char **input = CT_NEW_ARRAY(arena, const char *, ss->m + 1);
    const char **unit = CT_NEW_ARRAY(arena, const char *, ss->p + 1);
    for (uint32_t i = 0; i < ss->m; i++)
        input[i] = ct_name_text(m->ctx, ss->input[i]);
    for (uint32_t i = 0; i < ss->p; i++) {
        unit[i] =
            m->output_count ? ct_expr_unit(m, m->output[i].expr) : ct_symbol_unit(m, ss->state[i]);
        if (!unit[i])
            unit[i] = ct_dim_text(arena, m->output[i].dim);
    }
    return (ct_lti_names){.title = m->title ? m->title : ct_name_text(m->ctx, m->name),
                          .input = input,
                          .output = ss->output,
                          .output_unit = unit,
                          .period = ss->period};
}

/* What responses and margins are those of. */
static ct_lti curves_of(const ct_statespace *ss, const ct_lti *lti)
{
    ct_lti curves = ss->period > 0 ? ct_lti_of_ticks(ss->arena, lti, ss->period) : *lti;
    curves.exact = ss->delayed;
    return curves;
}

static void warn_of_time(const ct_statespace *ss)
{
    ct_context *ctx = ss->model->ctx;
    ct_report *r = ct_warning(ctx, "W278", (ct_place){0},
                              "the picture over time shows the finite model alone");
    ct_note(r, "exact responses are those over frequency");
    ct_help(r, "draw --bode; over time, fields without losses are exact in a run with "
               "`method = delay`");
}

bool ct_statespace_put_response(const ct_statespace *ss, ct_response response,
                                const ct_response_choice *choice, ct_text *out)
{
    static const ct_lti_plot plot[] = {[CT_BODE] = CT_LTI_BODE,
                                       [CT_NYQUIST] = CT_LTI_NYQUIST,
                                       [CT_STEP_RESPONSE] = CT_LTI_STEP,
                                       [CT_IMPULSE_RESPONSE] = CT_LTI_IMPULSE};
    ct_lti lti;
    ct_lti_plot_def def = {choice->hz,   choice->from,   choice->to,
                           choice->stop, choice->points, NULL};
    if (choice->exact && !ss->reduced)
        return false;
    bool of_time = response == CT_STEP_RESPONSE || response == CT_IMPULSE_RESPONSE;
    if ((choice->exact && !ct_statespace_continuous(ss, "exact responses")) ||
        !ct_statespace_lti(ss, &lti))
        return false;
    lti = curves_of(ss, &lti);
    def.exact = of_time ? NULL : ss->delayed;
    if (choice->exact && of_time)
        warn_of_time(ss);
    if (choice->exact && !of_time &&
        (!ct_statespace_has_exact(ss) || !(def.exact = ct_exact_sweep(ss, ss->arena))))
        return false;
    ct_lti_names names = names_of(ss, ss->arena);
    ct_response_writer_of(choice->format)(&lti, &names, plot[response], &def, out);
    return true;
}

/* Poles with fields as they are, near those of the finite model; 0: there are none. */
static uint32_t exact_poles(const ct_sheet *s, ct_mode **out)
{
    uint32_t count;
    if (!s->show->exact || !s->show->poles || !ct_sheet_all_exact(s))
        return 0;
    const ct_mode *pole = ct_lti_poles(s->arena, s->lti, &count);
    *out = CT_NEW_ARRAY(s->arena, ct_mode, count + 1);
    memcpy(*out, pole, count * sizeof *pole);
    return ct_exact_roots(s->ss, s->arena, *out, count);
}

/* ---- text */

void ct_sheet_put_lti_text(const ct_sheet *s, ct_text *out)
{
    ct_lti_names names = names_of(s->ss, s->arena);
    if (s->show->poles) {
        ct_put(out, "\n");
        ct_lti_put_poles(s->lti, &names, out);
        ct_put(out, "\n");
        ct_mode *exact;
        uint32_t count = exact_poles(s, &exact);
        if (count) {
            ct_lti_put_roots("poles with fields as they are", exact, count, &names, out);
            ct_put(out, "\n");
        }
        ct_lti_put_ranks(s->lti, out);
    }
    if (s->show->zeros) {
        ct_put(out, "\n");
        ct_lti_put_zeros(s->lti, &names, out);
    }
    if (s->show->transfer) {
        ct_put(out, "\n");
        ct_lti_put_transfers(s->lti, &names, out);
    }
    ct_lti curves = s->lti ? curves_of(s->ss, s->lti) : (ct_lti){0};
    if (s->show->margins) {
        ct_put(out, "\n");
        ct_lti_put_margins(&curves, &names, out);
    }
    if (s->show->steps) {
        ct_put(out, "\n");
        ct_lti_put_steps(&curves, &names, out);
    }
}

/* ---- JSON */

static void put_modes(const ct_sheet *s, const char *key, const ct_mode *root, uint32_t count,
                      ct_json *j)
{
    ct_json_open(j, key, '[');
    for (uint32_t i = 0; i < count; i++) {
        double period = s->ss->period;
        ct_mode mode = period > 0 ? ct_mode_sampled(root[i], period) : root[i];
        ct_json_open(j, NULL, '{');
        ct_json_number(j, "re", mode.re);
        ct_json_number(j, "im", mode.im);
        ct_json_number(j, "frequency", mode.frequency);
        ct_json_number(j, "damping", mode.damping);
        ct_json_number(j, "time", mode.time);
        ct_json_close(j, '}');
    }
    ct_json_close(j, ']');
}

static void put_zeros(const ct_sheet *s, ct_json *j)
{
    ct_json_line(j, 1);
    ct_json_open(j, "zeros", '[');
    for (uint32_t i = 0; i < s->ss->p * s->ss->m; i++) {
        ct_transfer t = ct_lti_transfer(s->arena, s->lti, i / s->ss->m, i % s->ss->m);
        ct_sheet_open_pair(s, i, j);
        if (t.right)
            put_modes(s, "zeros", t.zero, t.zero_count, j);
        else
            ct_json_raw(j, "zeros", NULL);
        ct_json_close(j, '}');
    }
    ct_json_close(j, ']');
}

static void put_transfers(const ct_sheet *s, ct_json *j)
{
    ct_json_line(j, 1);
    ct_json_open(j, "transfer_functions", '[');
    for (uint32_t i = 0; i < s->ss->p * s->ss->m; i++) {
        ct_transfer t = ct_lti_transfer(s->arena, s->lti, i / s->ss->m, i % s->ss->m);
        ct_sheet_open_pair(s, i, j);
        if (t.den_count) {
            ct_json_numbers(j, "num", t.num, t.num_count);
            ct_json_numbers(j, "den", t.den, t.den_count);
        } else {
            ct_json_raw(j, "num", NULL);
            ct_json_raw(j, "den", NULL);
        }
        ct_json_close(j, '}');
    }
    ct_json_close(j, ']');
}

void ct_sheet_put_lti_json(const ct_sheet *s, ct_json *j)
{
    if (s->show->poles) {
        uint32_t count;
        const ct_mode *pole = ct_lti_poles(s->arena, s->lti, &count);
        ct_json_line(j, 1);
        put_modes(s, "poles", pole, count, j);
        ct_mode *exact;
        if ((count = exact_poles(s, &exact)))
            put_modes(s, "exact_poles", exact, count, j);
    }
    if (s->show->zeros)
        put_zeros(s, j);
    if (s->show->transfer)
        put_transfers(s, j);
    ct_lti_names names = names_of(s->ss, s->arena);
    ct_lti curves = s->lti ? curves_of(s->ss, s->lti) : (ct_lti){0};
    if (s->show->margins)
        ct_lti_put_margins_json(&curves, &names, j);
    if (s->show->steps)
        ct_lti_put_steps_json(&curves, &names, j);
}
