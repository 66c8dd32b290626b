/* svg.h - pieces of SVG text that all pictures share. Nothing here depends on the locale. */
#ifndef CT_EXPORT_SVG_H
#define CT_EXPORT_SVG_H

#include "base/text.h"

void ct_svg_number(ct_text *out, double value); /* one digit after the point, if any */
void ct_svg_point(ct_text *out, double x, double y);
void ct_svg_fine_point(ct_text *out, double x, double y); /* two digits, for smooth curves */
void ct_svg_attribute(ct_text *out, const char *name, double value); /* ` name="value"` */

/* A text without what XML would misread; bytes that are no characters become U+FFFD. */
void ct_svg_escaped(ct_text *out, const char *text);

/* Estimate of the width in a wide sans-serif face; rather too much than too little. */
double ct_svg_text_width(const char *text, double font_size);

/* The text itself, or as much of it as fits, with an ellipsis. */
const char *ct_svg_shortened(ct_arena *arena, const char *text, double font_size, double width);

#endif
