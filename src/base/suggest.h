/* suggest.h - the name the user may have meant. */
#ifndef CT_BASE_SUGGEST_H
#define CT_BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/* Feed candidates one by one; best stays NULL while nothing is near. */
typedef struct ct_suggestion {
    const char *wanted, *best;
    size_t distance;
} ct_suggestion;

ct_suggestion ct_suggest(const char *wanted);
void ct_suggest_try(ct_suggestion *suggestion, const char *candidate); /* the first of equals */
void ct_suggest_any(ct_suggestion *suggestion, const char *candidate); /* in any order */

/* Is it what other programs call the reference node? gnd, GND, earth, 0 */
bool ct_means_ground(const char *name);

#endif
