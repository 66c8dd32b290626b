/* finite.c - outputs that have no value: a root of something negative, a division by zero. States
 * that are not finite end a run; outputs would only print as nan. */
#include "api/finite.h"

#include <math.h>

enum { MOST_TOLD = 20 };

/* Without outputs of the model the columns are its states, and have no place in the text. */
static ct_place place_of(const ct_model *m, uint32_t output, uint32_t count)
{
    return m->output_count == count ? m->output[output].place : (ct_place){0};
}

static void warn(const ct_model *m, ct_place place, const char *name, const char *where, double at,
                 uint64_t rows)
{
    ct_report *r =
        ct_warning(m->ctx, "W538", place, "`%s` has no finite value at %s = %.9g", name, where, at);
    if (rows > 1)
        ct_note(r, "it has none in %llu rows", (unsigned long long)rows);
    ct_help(r, "look for the root or logarithm of something negative, and for a division by zero");
    ct_witness(r, name);
}

void ct_warn_of_rows(const ct_model *m, const ct_rows *rows, uint32_t first)
{
    uint32_t outputs = rows->cols - first, told = 0;
    for (uint32_t c = first; c < rows->cols && told < MOST_TOLD; c++) {
        uint64_t bad = 0, at = 0;
        for (uint64_t i = rows->count; i-- > 0;)
            if (!isfinite(rows->value[i * rows->cols + c]))
                bad++, at = i;
        if (!bad)
            continue;
        told++;
        warn(m, place_of(m, c - first, outputs), rows->name[c], rows->name[0],
             rows->value[at * rows->cols], bad);
    }
}

void ct_warn_of_point(const ct_model *m, const ct_point *p)
{
    for (uint32_t i = 0, told = 0; i < p->output_count && told < MOST_TOLD; i++)
        if (!isfinite(p->y[i]) && ++told)
            warn(m, place_of(m, i, p->output_count), p->output[i], "time", p->time, 1);
}
