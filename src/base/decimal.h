/* decimal.h - numbers as text, fast and without the locale. */
#ifndef CT_BASE_DECIMAL_H
#define CT_BASE_DECIMAL_H

#include <stddef.h>

enum { CT_DECIMAL_ROOM = 32 };

/* Writes what printf("%.17g") writes in the C locale, without the final zero; returns its length.
 * Not-a-numbers are `nan`, whatever their sign. */
size_t ct_decimal_write(char text[CT_DECIMAL_ROOM], double value);

/* As %g of the C locale with the fewest digits, but no less than `least`, that give this number
 * again. */
enum { CT_USUAL_DIGITS = 15 };
void ct_decimal_shortest(char text[CT_DECIMAL_ROOM], double value, int least);

#endif
