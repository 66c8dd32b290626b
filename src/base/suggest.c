/* suggest.c - finds the nearest name by edit distance. */
#include "base/suggest.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 40 };

ct_suggestion ct_suggest(const char *wanted)
{
    size_t length = strlen(wanted);
    return (ct_suggestion){wanted, NULL, length < 3 ? 2 : (length + 5) / 3};
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Edits (insert, delete, replace, swap two neighbours) that turn a into b. */
static size_t edits(const char *a, size_t la, const char *b, size_t lb)
{
    size_t row[3][LONGEST + 1];
    for (size_t j = 0; j <= lb; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            now[j] = least(up[j] + 1, now[j - 1] + 1, up[j - 1] + (a[i - 1] != b[j - 1]));
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && up2[j - 2] + 1 < now[j])
                now[j] = up2[j - 2] + 1;
        }
    }
    return row[la % 3][lb];
}

/* Edits, if they are fewer than `most`. */
static size_t distance(const ct_suggestion *s, const char *candidate, size_t most)
{
    size_t la = strlen(s->wanted), lb = strlen(candidate);
    if (la > LONGEST || lb > LONGEST || lb == 0 || (la > lb ? la - lb : lb - la) >= most)
        return most;
    size_t d = strcasecmp(s->wanted, candidate) == 0 ? 0 : edits(s->wanted, la, candidate, lb);
    return d < most && d < lb ? d : most;
}

void ct_suggest_try(ct_suggestion *s, const char *candidate)
{
    size_t d = distance(s, candidate, s->distance);
    if (d < s->distance) {
        s->distance = d;
        s->best = candidate;
    }
}

void ct_suggest_any(ct_suggestion *s, const char *candidate)
{
    size_t most = s->distance + (s->best != NULL), d = distance(s, candidate, most);
    if (d < s->distance || (d < most && strcmp(candidate, s->best) < 0)) {
        s->distance = d;
        s->best = candidate;
    }
}

bool ct_means_ground(const char *name)
{
    static const char *const words[] = {"gnd", "ground", "earth", "0", "gnd0", "agnd", "dgnd"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(name, words[i]) == 0)
            return true;
    return false;
}
