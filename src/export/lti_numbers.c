/* lti_numbers.c - frequency responses, steps and impulses of linear systems as CSV and JSON. */
#include "export/lti_show.h"
#include "study/lti_merit.h"

static const double pi = 3.14159265358979323846;

enum { EVEN = 501, TIMES = 601 };

/* Curves over one column x; those of one input and output stand together. */
typedef struct sheet {
    ct_arena *arena;
    const ct_lti *lti;
    const ct_lti_names *names;
    ct_lti_plot_def def;
    const double *x;
    uint32_t count, parts;
    double **column; /* per input, output and part */
} sheet;

static double **columns_of(const sheet *s, uint32_t i, uint32_t j)
{
    return s->column + ((size_t)j * s->lti->p + i) * s->parts;
}

static void make_columns(sheet *s)
{
    size_t total = (size_t)s->lti->p * s->lti->m * s->parts;
    s->column = CT_NEW_ARRAY(s->arena, double *, total);
    for (size_t k = 0; k < total; k++)
        s->column[k] = CT_NEW_ARRAY(s->arena, double, s->count);
}

/* Even alone when their number is given, else closer around each mode. */
static void choose_frequencies(sheet *s)
{
    double from, to;
    ct_lti_plot_range(s->arena, s->lti, &s->def, &from, &to);
    uint32_t even = s->def.points ? s->def.points + 1 : EVEN;
    ct_transfer modes = {.period = s->lti->period};
    if (!s->def.points)
        modes.pole = ct_lti_poles(s->arena, s->lti, &modes.pole_count);
    s->x = ct_transfer_samples(s->arena, &modes, from, to, even, &s->count);
}

/* Two columns of a curve at these frequencies. */
typedef void two_columns(ct_locus *curve, const double *omega, uint32_t count, double *first,
                         double *second);

static void nyquist(ct_locus *curve, const double *omega, uint32_t count, double *real,
                    double *imaginary)
{
    for (uint32_t k = 0; k < count; k++) {
        double complex value = ct_locus_at(curve, omega[k]);
        real[k] = creal(value);
        imaginary[k] = cimag(value);
    }
}

static void bode(ct_locus *curve, const double *omega, uint32_t count, double *decibel,
                 double *degree)
{
    ct_locus_span(curve, omega[0], omega[count - 1]);
    ct_locus_bode(curve, omega, count, decibel, degree);
}

static void fill_curves(sheet *s, two_columns *fill)
{
    ct_locus *curve = NULL;
    choose_frequencies(s);
    make_columns(s);
    for (uint32_t j = 0; j < s->lti->m; j++)
        for (uint32_t i = 0; i < s->lti->p; i++) {
            curve = ct_locus_new(s->arena, s->lti, i, j, curve);
            double **column = columns_of(s, i, j);
            fill(curve, s->x, s->count, column[0], column[1]);
            if (s->def.exact)
                fill(ct_locus_near(curve, s->def.exact), s->x, s->count, column[2], column[3]);
        }
}

static void fill_bode(sheet *s)
{
    fill_curves(s, bode);
}

static void fill_nyquist(sheet *s)
{
    fill_curves(s, nyquist);
}

static void fill_time(sheet *s, bool step)
{
    uint32_t p = s->lti->p;
    double stop = s->def.stop > 0 ? s->def.stop : ct_lti_horizon(s->arena, s->lti);
    uint32_t most = s->def.points ? s->def.points + 1 : TIMES;
    s->x = ct_lti_times(s->arena, s->lti, stop, most, &s->count);
    double *all = CT_NEW_ARRAY(s->arena, double, (size_t)s->count *p);
    make_columns(s);
    for (uint32_t j = 0; j < s->lti->m; j++) {
        (step ? ct_lti_step : ct_lti_impulse)(s->arena, s->lti, j, s->x, s->count, all);
        for (size_t k = 0; k < s->count; k++)
            for (uint32_t i = 0; i < p; i++)
                columns_of(s, i, j)[0][k] = all[k * p + i];
    }
}

static void fill_step(sheet *s)
{
    fill_time(s, true);
}

static void fill_impulse(sheet *s)
{
    fill_time(s, false);
}

static const struct kind {
    const char *word, *part[4]; /* of JSON; in CSV the part stands around the names */
    bool time;
    void (*fill)(sheet *s);
} kinds[] = {
    [CT_LTI_BODE] = {"bode", {"dB", "deg", "exact_dB", "exact_deg"}, false, fill_bode},
    [CT_LTI_NYQUIST] = {"nyquist", {"re", "im", "exact_re", "exact_im"}, false, fill_nyquist},
    [CT_LTI_STEP] = {"step", {"value"}, true, fill_step},
    [CT_LTI_IMPULSE] = {"impulse", {"value"}, true, fill_impulse},
};

static const char *x_name(const sheet *s, const struct kind *kind)
{
    return kind->time ? "time" : s->def.hz ? "frequency" : "omega";
}

/* The ends are those that were asked for, to the last digit. */
static void turn_to_hz(sheet *s)
{
    double *x = CT_NEW_ARRAY(s->arena, double, s->count + 1);
    for (uint32_t k = 0; k < s->count; k++)
        x[k] = s->x[k] / (2 * pi);
    if (s->count && s->def.from > 0)
        x[0] = s->def.from;
    if (s->count && s->def.to > 0)
        x[s->count - 1] = s->def.to;
    s->x = x;
}

static sheet sheet_new(ct_arena *arena, const ct_lti *lti, const ct_lti_names *names,
                       ct_lti_plot plot, const ct_lti_plot_def *def)
{
    sheet s = {.arena = arena, .lti = lti, .names = names};
    const struct kind *kind = &kinds[plot];
    if (def)
        s.def = *def;
    s.parts = kind->time ? 1 : s.def.exact ? 4 : 2;
    if (lti->p && lti->m)
        kind->fill(&s);
    if (!kind->time && s.def.hz)
        turn_to_hz(&s);
    return s;
}

/* ---- CSV */

/* `dB(y/u)`, `y/u` */
static const char *column_name(const sheet *s, const struct kind *kind, uint32_t i, uint32_t j,
                               uint32_t part)
{
    ct_text text = ct_text_new(s->arena);
    ct_putf(&text, kind->time ? "%.0s%s/%s" : "%s(%s/%s)", kind->part[part], s->names->output[i],
            s->names->input[j]);
    return ct_text_string(&text);
}

static void put_csv_rows(const sheet *s, uint32_t cols, ct_text *out)
{
    double *row = CT_NEW_ARRAY(s->arena, double, cols);
    for (uint32_t k = 0; k < s->count; k++) {
        row[0] = s->x[k];
        for (uint32_t c = 1; c < cols; c++)
            row[c] = s->column[c - 1][k];
        ct_csv_row(row, cols, out);
    }
}

void ct_lti_put_csv(const ct_lti *lti, const ct_lti_names *names, ct_lti_plot plot,
                    const ct_lti_plot_def *def, ct_text *out)
{
    ct_arena *arena = ct_arena_new(ct_arena_context(out->arena));
    const struct kind *kind = &kinds[plot];
    sheet s = sheet_new(arena, lti, names, plot, def);
    uint32_t cols = 1 + lti->p * lti->m * s.parts;
    const char **name = CT_NEW_ARRAY(arena, const char *, cols);
    name[0] = x_name(&s, kind);
    for (uint32_t c = 1; c < cols; c++) {
        uint32_t pair = (c - 1) / s.parts;
        name[c] = column_name(&s, kind, pair % lti->p, pair / lti->p, (c - 1) % s.parts);
    }
    ct_csv_header(name, cols, out);
    put_csv_rows(&s, cols, out);
    ct_arena_free(arena);
}

/* ---- JSON */

static void put_pair(const sheet *s, const struct kind *kind, uint32_t i, uint32_t j, ct_json *json)
{
    ct_json_line(json, 2);
    ct_json_open(json, NULL, '{');
    ct_json_text(json, "output", s->names->output[i]);
    ct_json_text(json, "input", s->names->input[j]);
    for (uint32_t part = 0; part < s->parts; part++) {
        ct_json_line(json, 3);
        ct_json_numbers(json, kind->part[part], columns_of(s, i, j)[part], s->count);
    }
    ct_json_close(json, '}');
}

void ct_lti_put_json(const ct_lti *lti, const ct_lti_names *names, ct_lti_plot plot,
                     const ct_lti_plot_def *def, ct_text *out)
{
    ct_arena *arena = ct_arena_new(ct_arena_context(out->arena));
    const struct kind *kind = &kinds[plot];
    sheet s = sheet_new(arena, lti, names, plot, def);
    ct_json json = ct_json_new(out, " ");
    ct_json_open(&json, NULL, '{');
    ct_json_text(&json, "response", kind->word);
    ct_json_text(&json, "unit", kind->time ? "s" : s.def.hz ? "Hz" : "rad/s");
    ct_json_line(&json, 1);
    ct_json_numbers(&json, x_name(&s, kind), s.x, s.count);
    ct_json_line(&json, 1);
    ct_json_open(&json, "responses", '[');
    for (uint32_t k = 0; k < lti->p * lti->m; k++)
        put_pair(&s, kind, k % lti->p, k / lti->p, &json);
    ct_json_close(&json, ']');
    ct_json_close(&json, '}');
    ct_put_char(out, '\n');
    ct_arena_free(arena);
}
