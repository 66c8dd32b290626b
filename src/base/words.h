/* words.h - tables of words that a caller may choose from: forms, formats, methods, ...
 *
 * A table is an array of ct_word that ends with an empty row; the first row is the usual one.
 */
#ifndef CT_BASE_WORDS_H
#define CT_BASE_WORDS_H

#include "base/text.h"

/* The row of a word, NULL being the first; false: no such word. */
bool ct_word_find(const ct_word *words, const char *word, uint32_t *row);
/* `auto, rk, bdf` */
const char *ct_word_list(ct_context *ctx, const ct_word *words);
/* The word that was meant, or NULL. */
const char *ct_word_near(const ct_word *words, const char *typed);

#endif
