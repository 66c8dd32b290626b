/* lti_show.h - linear systems as figures and tables. */
#ifndef CT_EXPORT_LTI_SHOW_H
#define CT_EXPORT_LTI_SHOW_H

#include "base/json.h"
#include "export/table.h"
#include "study/lti.h"

typedef struct ct_lti_names {
    const char *title;                                  /* of the system; may be NULL */
    const char *const *input, *const *output;           /* as many as the system has */
    const char *const *input_unit, *const *output_unit; /* "" or "1": none; may be NULL */
    double period; /* of a discrete-time model, in s: roots are in z; 0: in s */
} ct_lti_names;

typedef enum ct_lti_plot {
    CT_LTI_BODE, /* magnitude above phase */
    CT_LTI_NYQUIST,
    CT_LTI_STEP,
    CT_LTI_IMPULSE
} ct_lti_plot;

/* Zeros choose what shows all modes. */
typedef struct ct_lti_plot_def {
    bool hz;             /* frequencies in Hz, not rad/s; also `from` and `to` */
    double from, to;     /* of the frequency */
    double stop;         /* of the time, s */
    uint32_t points;     /* of numbers: rows at so many equal intervals; 0: as a picture has them */
    ct_lti_sweep *exact; /* what the system is near to: frequency responses beside its own; NULL:
                            nothing */
} ct_lti_plot_def;

/* The frequencies in rad/s: those given, else those that show all modes. */
void ct_lti_plot_range(ct_arena *arena, const ct_lti *lti, const ct_lti_plot_def *def, double *from,
                       double *to);

/* Figures, one group for each input, with a curve for each output. */
const ct_figure *ct_lti_figures(ct_arena *arena, const ct_lti *lti, const ct_lti_names *names,
                                ct_lti_plot plot, const ct_lti_plot_def *def, uint32_t *count);

/* They as one SVG picture (lti_plot.c), or the curves as numbers (lti_numbers.c): one column of
 * frequency or time, then one or two for each input and output. */
typedef void (*ct_lti_writer)(const ct_lti *lti, const ct_lti_names *names, ct_lti_plot plot,
                              const ct_lti_plot_def *def, ct_text *out);
#define RESPONSE_FORMAT(word, endings, writer, help)                                               \
    void writer(const ct_lti *lti, const ct_lti_names *names, ct_lti_plot plot,                    \
                const ct_lti_plot_def *def, ct_text *out);
#include "export/formats.def"
ct_lti_writer ct_response_writer_of(const char *format); /* NULL: svg; gives NULL: no such one */

/* Margins of each transfer function as an open loop; measures of each answer to a step. In JSON
 * lists `margins` and `steps`. */
void ct_lti_put_margins(const ct_lti *lti, const ct_lti_names *names, ct_text *out);
void ct_lti_put_margins_json(const ct_lti *lti, const ct_lti_names *names, ct_json *j);
void ct_lti_put_steps(const ct_lti *lti, const ct_lti_names *names, ct_text *out);
void ct_lti_put_steps_json(const ct_lti *lti, const ct_lti_names *names, ct_json *j);

/* Tables: one line a root, a pair in one line. */
void ct_lti_put_poles(const ct_lti *lti, const ct_lti_names *names, ct_text *out);
void ct_lti_put_roots(const char *title, const ct_mode *mode, uint32_t count,
                      const ct_lti_names *names, ct_text *out);
void ct_lti_put_zeros(const ct_lti *lti, const ct_lti_names *names, ct_text *out);
/* Why there are no zeros (ct_transfer.right). */
const char *ct_lti_lost(const ct_lti *lti);
void ct_lti_put_ranks(const ct_lti *lti, ct_text *out);
/* `y / u = (2 s + 1) / (s^2 + 3 s + 2)` for each input and output. */
void ct_lti_put_transfers(const ct_lti *lti, const ct_lti_names *names, ct_text *out);

#endif
