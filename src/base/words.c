/* words.c - looks up words in tables, and lists them for messages. */
#include "base/words.h"

#include <string.h>

#include "base/context.h"
#include "base/suggest.h"

bool ct_word_find(const ct_word *words, const char *word, uint32_t *row)
{
    for (*row = 0; words[*row].word; ++*row)
        if (!word || strcmp(words[*row].word, word) == 0)
            return true;
    return false;
}

const char *ct_word_list(ct_context *ctx, const ct_word *words)
{
    ct_text out = ct_text_new(ctx->base);
    for (uint32_t i = 0; words[i].word; i++) {
        ct_put(&out, i ? ", " : "");
        ct_put(&out, words[i].word);
    }
    return ct_text_string(&out);
}

const char *ct_word_near(const ct_word *words, const char *typed)
{
    ct_suggestion near = ct_suggest(typed);
    for (uint32_t i = 0; words[i].word; i++)
        ct_suggest_try(&near, words[i].word);
    return near.best;
}
