/* result.h - results of runs and points as figures and texts. */
#ifndef CT_EXPORT_RESULT_H
#define CT_EXPORT_RESULT_H

#include "export/table.h"

ct_table ct_rows_table(const ct_rows *rows);
/* Those of the model's `plot` statements, or of all outputs. */
const ct_figure *ct_result_figures(const ct_result *result, ct_arena *arena, uint32_t *count);

/* How a terminal wants it. */
typedef struct ct_result_look {
    uint32_t width; /* characters */
    bool colour;
} ct_result_look;

#define RESULT_FORMAT(word, endings, writer, help)                                                 \
    void writer(const ct_result *result, const ct_result_look *look, ct_text *out);
#include "export/formats.def"

/* False: no such format; NULL: CSV. */
bool ct_result_put(const ct_result *result, const char *format, const ct_result_look *look,
                   ct_text *out);

/* `more` are further numbers by name. */
void ct_sizes_put_json(const ct_context *ctx, const ct_sizes *sizes, const ct_state_value *more,
                       uint32_t count, ct_text *out);

void ct_point_put_json(const ct_context *ctx, const ct_point *point, ct_text *out);
void ct_point_put_text(const ct_point *point, ct_text *out);

#endif
