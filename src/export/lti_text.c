/* lti_text.c - poles, zeros, gains and transfer functions of linear systems as text. */
#include <math.h>
#include <string.h>

#include "export/lti_show.h"

static const double pi = 3.14159265358979323846;

/* ---- tables -------------------------------------------------------------------------------- */

typedef struct sheet {
    ct_arena *arena;
    uint32_t rows, cols;
    const char **cell; /* row by row; the first has the names of the columns */
} sheet;

static sheet sheet_new(ct_arena *arena, uint32_t rows, uint32_t cols)
{
    sheet s = {.arena = arena, .cols = cols};
    s.cell = CT_NEW_ARRAY(arena, const char *, (size_t)rows *cols);
    return s;
}

static void add_row(sheet *s, const char *const *cell)
{
    memcpy(s->cell + (size_t)s->rows++ * s->cols, cell, s->cols * sizeof *cell);
}

/* The first column to the left, the others to the right. */
static void put_sheet(const sheet *s, ct_text *out)
{
    size_t *width = CT_NEW_ARRAY(s->arena, size_t, s->cols);
    for (size_t i = 0; i < (size_t)s->rows * s->cols; i++) {
        size_t own = ct_text_width(s->cell[i]);
        width[i % s->cols] = own > width[i % s->cols] ? own : width[i % s->cols];
    }
    for (size_t i = 0; i < s->rows; i++) {
        size_t air = 0; /* none before the end of a line */
        for (size_t c = 0; c < s->cols; c++) {
            const char *text = s->cell[i * s->cols + c];
            size_t more = width[c] - ct_text_width(text);
            air += 2 + (c ? more : 0);
            if (*text) {
                ct_put_repeat(out, ' ', air);
                ct_put(out, text);
                air = 0;
            }
            air += c ? 0 : more;
        }
        ct_put_char(out, '\n');
    }
}

/* ---- numbers ------------------------------------------------------------------------------- */

static void put_number(ct_text *out, double value)
{
    if (isfinite(value))
        ct_putf(out, "%.6g", value + 0.0); /* no -0 */
    else
        ct_put(out, isnan(value) ? "-" : value > 0 ? "infinite" : "-infinite");
}

static const char *number(ct_arena *arena, double value)
{
    ct_text text = ct_text_new(arena);
    put_number(&text, value);
    return ct_text_string(&text);
}

/* `-2 ± 19.9i` for a pair, `±3i`, `-5` */
static const char *root_text(ct_arena *arena, const ct_mode *mode)
{
    ct_text text = ct_text_new(arena);
    if (mode->im == 0 || mode->re != 0)
        put_number(&text, mode->re);
    if (mode->im != 0) {
        ct_put(&text, mode->re != 0 ? " \xc2\xb1 " : "\xc2\xb1");
        put_number(&text, fabs(mode->im));
        ct_put_char(&text, 'i');
    }
    return ct_text_string(&text);
}

static const char *letter(const ct_lti_names *names)
{
    return names->period > 0 ? "z" : "s";
}

/* ---- roots --------------------------------------------------------------------------------- */

static void put_modes(ct_arena *arena, const ct_lti_names *names, const ct_mode *root,
                      uint32_t count, ct_text *out)
{
    ct_mode *mode = CT_NEW_ARRAY(arena, ct_mode, count + 1);
    for (uint32_t i = 0; i < count; i++)
        mode[i] = names->period > 0 ? ct_mode_sampled(root[i], names->period) : root[i];
    const char *const head[] = {letter(names), "damping", "frequency [rad/s]", "[Hz]",
                                "time constant [s]"};
    sheet s = sheet_new(arena, count + 1, 5);
    add_row(&s, head);
    for (uint32_t i = 0; i < count; i++) {
        if (mode[i].im < 0)
            continue; /* stands with its partner */
        const char *const cell[] = {root_text(arena, &mode[i]), number(arena, mode[i].damping),
                                    number(arena, mode[i].frequency),
                                    number(arena, mode[i].frequency / (2 * pi)),
                                    isinf(mode[i].time) ? "-" : number(arena, mode[i].time)};
        add_row(&s, cell);
    }
    put_sheet(&s, out);
}

void ct_lti_put_poles(const ct_lti *lti, const ct_lti_names *names, ct_text *out)
{
    ct_arena *arena = ct_arena_new(ct_arena_context(out->arena));
    uint32_t count;
    const ct_mode *mode = ct_lti_poles(arena, lti, &count);
    if (count) {
        ct_put(out, "poles\n");
        put_modes(arena, names, mode, count, out);
    } else {
        ct_put(out, "no poles\n");
    }
    ct_arena_free(arena);
}

void ct_lti_put_roots(const char *title, const ct_mode *mode, uint32_t count,
                      const ct_lti_names *names, ct_text *out)
{
    ct_arena *arena = ct_arena_new(ct_arena_context(out->arena));
    ct_putf(out, "%s\n", title);
    put_modes(arena, names, mode, count, out);
    ct_arena_free(arena);
}

const char *ct_lti_lost(const ct_lti *lti)
{
    return lti->n > CT_LTI_FACTORS
               ? "not given, there are too many states (--bode needs none)"
               : "not given, they are lost in rounding errors (--bode needs none)";
}

static void put_channel_zeros(ct_arena *arena, const ct_lti *lti, const ct_lti_names *names,
                              uint32_t i, uint32_t j, ct_text *out)
{
    ct_transfer t = ct_lti_transfer(arena, lti, i, j);
    const char *y = names->output[i], *u = names->input[j];
    if (!t.right) {
        ct_putf(out, "zeros of %s / %s: %s\n", y, u, ct_lti_lost(lti));
    } else if (t.gain == 0) {
        ct_putf(out, "%s / %s is zero\n", y, u);
    } else if (t.zero_count == 0) {
        ct_putf(out, "no zeros of %s / %s\n", y, u);
    } else {
        ct_putf(out, "zeros of %s / %s\n", y, u);
        put_modes(arena, names, t.zero, t.zero_count, out);
    }
}

void ct_lti_put_zeros(const ct_lti *lti, const ct_lti_names *names, ct_text *out)
{
    for (uint32_t i = 0; i < lti->p; i++)
        for (uint32_t j = 0; j < lti->m; j++) {
            ct_arena *arena = ct_arena_new(ct_arena_context(out->arena));
            put_channel_zeros(arena, lti, names, i, j, out);
            ct_arena_free(arena);
        }
    if (lti->p < 2 || lti->m < 2 || lti->n > CT_LTI_FACTORS)
        return;
    ct_arena *arena = ct_arena_new(ct_arena_context(out->arena));
    uint32_t count;
    const ct_mode *zero = ct_lti_zeros(arena, lti, CT_LTI_ALL, CT_LTI_ALL, &count);
    ct_put(out, count ? "zeros of the whole system\n" : "no zeros of the whole system\n");
    if (count)
        put_modes(arena, names, zero, count, out);
    ct_arena_free(arena);
}

void ct_lti_put_ranks(const ct_lti *lti, ct_text *out)
{
    if (lti->n > CT_LTI_FACTORS) {
        ct_putf(out, "%u states: too many to tell which are controllable and observable\n", lti->n);
        return;
    }
    ct_lti_rank rank = ct_lti_ranks(out->arena, lti);
    ct_putf(out, "%u state%s: ", rank.states, rank.states == 1 ? "" : "s");
    if (!lti->m) /* nothing to control it with */
        ct_putf(out, "%u observable\n", rank.observable);
    else
        ct_putf(out, "%u controllable, %u observable, %u both\n", rank.controllable,
                rank.observable, rank.minimal);
}

/* ---- transfer functions -------------------------------------------------------------------- */

static void put_term(ct_text *out, double factor, uint32_t power, bool first, const char *s)
{
    if (!first)
        ct_put(out, factor < 0 ? " - " : " + ");
    else if (factor < 0)
        ct_put_char(out, '-');
    if (power == 0 || fabs(factor) != 1)
        put_number(out, fabs(factor));
    if (power)
        ct_putf(out, fabs(factor) != 1 ? " %s" : "%s", s);
    if (power > 1)
        ct_putf(out, "^%u", power);
}

static void put_polynomial(ct_text *out, const double *c, uint32_t count, const char *s)
{
    bool first = true;
    for (uint32_t k = 0; k < count; k++)
        if (c[k] != 0) {
            put_term(out, c[k], count - 1 - k, first, s);
            first = false;
        }
    ct_put(out, first ? "0" : "");
}

static uint32_t count_terms(const double *c, uint32_t count)
{
    uint32_t terms = 0;
    for (uint32_t k = 0; k < count; k++)
        terms += c[k] != 0;
    return terms;
}

static void put_part(ct_text *out, const double *c, uint32_t count, const char *s)
{
    bool several = count_terms(c, count) > 1;
    ct_put(out, several ? "(" : "");
    put_polynomial(out, c, count, s);
    ct_put(out, several ? ")" : "");
}

void ct_lti_put_transfers(const ct_lti *lti, const ct_lti_names *names, ct_text *out)
{
    for (uint32_t i = 0; i < lti->p; i++)
        for (uint32_t j = 0; j < lti->m; j++) {
            ct_arena *arena = ct_arena_new(ct_arena_context(out->arena));
            ct_transfer t = ct_lti_transfer(arena, lti, i, j);
            ct_putf(out, "%s / %s = ", names->output[i], names->input[j]);
            if (!t.right) {
                ct_put(out, ct_lti_lost(lti));
            } else if (t.den_count == 0) {
                ct_put(out, "not given, its coefficients leave the range of numbers");
            } else if (t.den_count == 1) {
                put_polynomial(out, t.num, t.num_count, letter(names));
            } else {
                put_part(out, t.num, t.num_count, letter(names));
                ct_put(out, " / ");
                put_part(out, t.den, t.den_count, letter(names));
            }
            ct_put_char(out, '\n');
            ct_arena_free(arena);
        }
}
