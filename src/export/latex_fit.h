/* latex_fit.h - formulas of LaTeX that stay on the page. */
#ifndef CT_EXPORT_LATEX_FIT_H
#define CT_EXPORT_LATEX_FIT_H

#include "base/text.h"

/* About how wide a formula is set, in points of a font of 10 points. */
double ct_latex_width(ct_arena *arena, const char *math);

/* Writes a formula as lines of align*, from the column at `&` on. It begins at `from`, and no line
 * is wider than `room`, both in points. */
void ct_latex_fit(ct_arena *arena, const char *math, double from, double room, ct_text *out);

#endif
