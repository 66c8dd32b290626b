/* hint.c - what to say about a unit that cannot be read, and what may have been meant. */
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/suggest.h"
#include "base/text.h"
#include "units/table.h"

enum { LONGEST_SHOWN = 40, LONGEST_SYMBOL = 16 };

typedef struct pair {
    const char *wrong, *right;
} pair;

static const pair spellings[] = {
#define SPELLING(wrong, right) {wrong, right},
#include "units/units.def"
};

static const pair rewrites[] = {
#define REWRITE(wrong, right) {wrong, right},
#include "units/units.def"
};

/* Words that deserve an answer of their own. */
static const pair answers[] = {
    {"pi", "a unit was expected, but `pi` is a number: write 2*pi"},
    {"t", "a unit was expected, but `t` is the time: write 2*t (1000 kg are a `tonne`)"},
    {"eV", "unknown unit `eV` (it is 1.602176634e-19 J)"},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

typedef struct explainer {
    ct_context *ctx;
    const char *text;
    size_t length;
    ct_unit_fault fault;
    const char *word; /* the faulty stretch, zero-terminated, cut when very long */
} explainer;

static const char *shown(ct_context *ctx, const char *at, size_t length)
{
    size_t keep = length;
    if (keep > LONGEST_SHOWN) {
        keep = LONGEST_SHOWN;
        while (keep && ((unsigned char)at[keep] & 0xc0) == 0x80)
            keep--; /* not in the middle of a character */
    }
    const char *word = ct_arena_copy(ctx->base, at, keep);
    return keep == length ? word : ct_printf(ctx, "%s...", word);
}

static bool is_unit(const char *text, size_t length, const char **fault_at)
{
    ct_unit unit;
    ct_unit_fault fault = {0};
    bool good = length && ct_unit_parse(text, length, &unit, &fault);
    *fault_at = fault.at;
    return good;
}

/* The whole text with the faulty stretch replaced; only the replacement if there are more faults
 * further on; NULL if that is no unit either. */
static const char *replaced(const explainer *x, const char *replacement)
{
    ct_text text = ct_text_new(x->ctx->base);
    const char *after = x->fault.at + x->fault.length, *fault_at, *alone;
    ct_put_bytes(&text, x->text, (size_t)(x->fault.at - x->text));
    ct_put(&text, replacement);
    size_t done = text.length;
    ct_put_bytes(&text, after, (size_t)(x->text + x->length - after));
    if (is_unit(text.at, text.length, &fault_at))
        return text.at;
    bool further = fault_at >= text.at + done;
    return further && is_unit(replacement, strlen(replacement), &alone) ? replacement : NULL;
}

static const pair *rewrite_at(const char *at, const char *end)
{
    for (size_t i = 0; i < COUNT(rewrites); i++) {
        size_t length = strlen(rewrites[i].wrong);
        if (length <= (size_t)(end - at) && memcmp(at, rewrites[i].wrong, length) == 0)
            return &rewrites[i];
    }
    return NULL;
}

/* Signs used elsewhere: `kN*m`, `m²`, `s-1`. */
static const char *hint_signs(const explainer *x)
{
    ct_text text = ct_text_new(x->ctx->base);
    for (const char *at = x->text, *end = at + x->length; at < end;) {
        const pair *row = rewrite_at(at, end);
        if (row)
            ct_put(&text, row->right);
        else
            ct_put_char(&text, *at);
        at += row ? strlen(row->wrong) : 1;
    }
    const char *fault_at;
    return is_unit(text.at, text.length, &fault_at) ? text.at : NULL;
}

static bool same_word(const char *word, size_t length, const char *wrong)
{
    return strlen(wrong) == length && strncasecmp(word, wrong, length) == 0;
}

/* Names and habits: `volts`, `sec`, `Nm`; short ones count only in their own case. */
static const char *spelling_of(const char *word, size_t length)
{
    for (size_t i = 0; i < COUNT(spellings); i++)
        if (strcmp(word, spellings[i].wrong) == 0)
            return spellings[i].right;
    size_t singular = length > 3 && word[length - 1] == 's' ? length - 1 : length;
    for (size_t i = 0; length > 2 && i < COUNT(spellings); i++)
        if (same_word(word, length, spellings[i].wrong) ||
            same_word(word, singular, spellings[i].wrong))
            return spellings[i].right;
    return NULL;
}

/* The same behind a prefix: `kNm`, `millimeters`. */
static const char *hint_behind(const explainer *x, const char *prefix, const char *symbol)
{
    size_t length = strlen(prefix);
    int (*compare)(const char *, const char *, size_t) = length > 2 ? strncasecmp : strncmp;
    if (compare(x->word, prefix, length) != 0)
        return NULL;
    const char *right = spelling_of(x->word + length, strlen(x->word + length));
    return right ? replaced(x, ct_printf(x->ctx, "%s%s", symbol, right)) : NULL;
}

static const char *hint_spelling(const explainer *x)
{
    const char *right = spelling_of(x->word, strlen(x->word));
    const char *hint = right ? replaced(x, right) : NULL;
    for (size_t i = 0; !hint && i < ct_prefix_row_count; i++) {
        const ct_prefix_row *row = &ct_prefix_rows[i];
        hint = hint_behind(x, row->name, row->symbol);
        if (!hint)
            hint = hint_behind(x, row->symbol, row->symbol);
    }
    return hint;
}

/* ---- nearest symbol ------------------------------------------------------------------------ */

typedef struct nearest {
    ct_suggestion suggestion;
    size_t differing; /* letters in the wrong case, of best */
    char best[LONGEST_SYMBOL];
} nearest;

/* Calls try_one with every symbol, those without prefix first. */
static void each_symbol(nearest *n, void (*try_one)(nearest *, const char *))
{
    for (size_t p = 0; p <= ct_prefix_row_count; p++) {
        for (size_t u = 0; u < ct_unit_row_count; u++) {
            char symbol[LONGEST_SYMBOL] = "";
            if (p && !ct_unit_rows[u].prefixes)
                continue;
            strcpy(symbol, p ? ct_prefix_rows[p - 1].symbol : "");
            strcat(symbol, ct_unit_rows[u].symbol);
            try_one(n, symbol);
        }
    }
}

/* `KHz`, `MPA`: the symbol that differs in the case of the fewest letters. */
static void try_case(nearest *n, const char *symbol)
{
    const char *wanted = n->suggestion.wanted;
    if (strcasecmp(wanted, symbol) != 0)
        return;
    size_t differing = 0;
    for (size_t i = 0; wanted[i]; i++)
        differing += wanted[i] != symbol[i];
    if (differing < n->differing) {
        n->differing = differing;
        strcpy(n->best, symbol);
    }
}

static void try_edits(nearest *n, const char *symbol)
{
    ct_suggest_try(&n->suggestion, symbol);
    if (n->suggestion.best == symbol)
        n->suggestion.best = strcpy(n->best, symbol);
}

static const char *hint_nearest(const explainer *x, void (*try_one)(nearest *, const char *))
{
    nearest n = {ct_suggest(x->word), SIZE_MAX, ""};
    if (n.suggestion.distance > 3)
        n.suggestion.distance = 3; /* symbols are short: three changes make any of them */
    each_symbol(&n, try_one);
    return n.best[0] ? replaced(x, ct_printf(x->ctx, "%s", n.best)) : NULL;
}

/* ---- putting it together ------------------------------------------------------------------- */

static bool after_slash(const explainer *x)
{
    return x->fault.at > x->text && x->fault.at[-1] == '/';
}

/* `s2`: a power without its sign, unless it is the name of a parameter. */
static const char *hint_power(const explainer *x)
{
    size_t symbol = strcspn(x->word, "0123456789");
    const char *digits = x->word + symbol;
    ct_unit unit;
    if (strlen(digits) != 1 || !strchr("234", *digits) || !ct_unit_symbol(x->word, symbol, &unit))
        return NULL;
    return replaced(x, ct_printf(x->ctx, "%.*s^%s", (int)symbol, x->word, digits));
}

static const ct_prefix_row *bare_prefix(const char *word)
{
    for (size_t i = 0; i < ct_prefix_row_count; i++)
        if (strcmp(ct_prefix_rows[i].symbol, word) == 0)
            return &ct_prefix_rows[i];
    return NULL;
}

static bool is_name(const char *word)
{
    return strpbrk(word, "0123456789_") != NULL;
}

static const char *find_hint(const explainer *x)
{
    const char *hint = hint_signs(x);
    if (!hint)
        hint = hint_spelling(x);
    if (!hint && is_name(x->word))
        return hint_power(x);
    if (!hint)
        hint = hint_nearest(x, try_case);
    if (!hint && strlen(x->word) > 2) /* every pair of letters is near some symbol */
        hint = hint_nearest(x, try_edits);
    return hint;
}

/* `200 N/k1` may be meant as a division. */
static const char *advice(const explainer *x, bool likely)
{
    return likely && after_slash(x) ? " (to divide by a parameter put spaces around the `/`)" : "";
}

static void explain_unknown(const explainer *x, const char **problem, const char **hint)
{
    for (size_t i = 0; i < COUNT(answers); i++)
        if (strcmp(x->word, answers[i].wrong) == 0) {
            *problem = answers[i].right;
            return;
        }
    const ct_prefix_row *prefix = bare_prefix(x->word);
    if (prefix) {
        *hint = replaced(x, prefix->example);
        *problem = ct_printf(x->ctx, "`%s` is a prefix without a unit%s", x->word, advice(x, true));
        return;
    }
    *hint = find_hint(x);
    const char *more = advice(x, !*hint || is_name(x->word));
    *problem = ct_printf(x->ctx, "unknown unit `%s`%s", x->word, more);
}

static const struct fault_words {
    const char *before, *after;
} fault_words[] = {
#define CT_UNIT_FAULT_WORDS(name, before, after) {before, after},
    CT_UNIT_FAULT_LIST(CT_UNIT_FAULT_WORDS)
#undef CT_UNIT_FAULT_WORDS
};

void ct_unit_explain(ct_context *ctx, const char *text, size_t length, ct_unit_fault fault,
                     const char **problem, const char **hint)
{
    explainer x = {ctx, text, length, fault, shown(ctx, fault.at, fault.length)};
    if (fault.kind == CT_FAULT_UNKNOWN) {
        explain_unknown(&x, problem, hint);
        return;
    }
    const struct fault_words *words = &fault_words[fault.kind];
    *problem = words->after ? ct_printf(ctx, "%s%s%s", words->before, x.word, words->after)
                            : words->before;
    *hint = fault.kind == CT_FAULT_ABSOLUTE ? replaced(&x, "K") : hint_signs(&x);
}
