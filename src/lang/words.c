/* words.c - the words with a meaning of their own, one row each. */
#include "lang/lexer.h"

/* One row a word. Statement words are names where `:`, `=`, `.` or `[` follows. */
static const ct_word words[] = {
    {"if", CT_WORD_RESERVED | CT_WORD_STATEMENT, CT_TOKEN_IF},
    {"then", CT_WORD_RESERVED, CT_TOKEN_THEN},
    {"else", CT_WORD_RESERVED, CT_TOKEN_ELSE},
    {"and", CT_WORD_RESERVED, CT_TOKEN_AND},
    {"or", CT_WORD_RESERVED, CT_TOKEN_OR},
    {"not", CT_WORD_RESERVED, CT_TOKEN_NOT},
    {"as", CT_WORD_RESERVED, CT_TOKEN_AS},
    {"over", CT_WORD_RESERVED, CT_TOKEN_OVER},
    {"true", CT_WORD_RESERVED, CT_TOKEN_TRUE},
    {"false", CT_WORD_RESERVED, CT_TOKEN_FALSE},
    {"end", CT_WORD_RESERVED, CT_TOKEN_END_WORD},
    {"ground", CT_WORD_RESERVED | CT_WORD_STATEMENT, CT_TOKEN_GROUND},
    {"t", CT_WORD_VALUE, 0},
    {"pi", CT_WORD_VALUE, 0},
    {"model", CT_WORD_STATEMENT, 0},
    {"param", CT_WORD_STATEMENT, 0},
    {"const", CT_WORD_STATEMENT, 0},
    {"input", CT_WORD_STATEMENT, 0},
    {"signal", CT_WORD_STATEMENT, 0},
    {"discrete", CT_WORD_STATEMENT, 0},
    {"var", CT_WORD_STATEMENT, 0},
    {"function", CT_WORD_STATEMENT, 0},
    {"output", CT_WORD_STATEMENT, 0},
    {"use", CT_WORD_STATEMENT, 0},
    {"plot", CT_WORD_STATEMENT, 0},
    {"simulate", CT_WORD_STATEMENT, 0},
    {"guess", CT_WORD_STATEMENT, 0},
    {"initial", CT_WORD_STATEMENT, 0},
    {"node", CT_WORD_STATEMENT, 0},
    {"tree", CT_WORD_STATEMENT, 0},
    {"repeat", CT_WORD_STATEMENT, 0},
    {"when", CT_WORD_STATEMENT, 0},
    {"every", CT_WORD_STATEMENT, 0},
    {"system", CT_WORD_STATEMENT, 0},
    {"element", CT_WORD_STATEMENT, 0},
    {"port", CT_WORD_STATEMENT, 0},
    {"edge", CT_WORD_STATEMENT, 0},
    {"choice", CT_WORD_STATEMENT, 0},
    {"undetermined", CT_WORD_STATEMENT, 0},
    {"source", CT_WORD_STATEMENT, 0},
    {"remark", CT_WORD_STATEMENT, 0},
    {"electrical", CT_WORD_DOMAIN, 0},
    {"hydraulic", CT_WORD_DOMAIN, 0},
    {"thermal", CT_WORD_DOMAIN, 0},
    {"translational", CT_WORD_DOMAIN, 0},
    {"rotational", CT_WORD_DOMAIN, 0},
    {"planar", CT_WORD_DOMAIN, 0},
    {"spatial", CT_WORD_DOMAIN, 0},
};

enum { WORD_COUNT = sizeof words / sizeof *words };

void ct_words_init(ct_lexer *lx)
{
    lx->word.arena = lx->arena;
    for (uint32_t i = 0; i < WORD_COUNT; i++)
        ct_index_put(&lx->word, ct_intern_text(lx->ctx, words[i].text), i + 1);
}

const ct_word *ct_word_find(const ct_lexer *lx, ct_name name)
{
    uint32_t found = ct_index_get(&lx->word, name);
    return found ? &words[found - 1] : NULL;
}

bool ct_word_has(const ct_lexer *lx, ct_name name, ct_word_role role)
{
    const ct_word *word = ct_word_find(lx, name);
    return word && (word->roles & (unsigned)role);
}

const ct_word *ct_word_list(size_t *count)
{
    *count = WORD_COUNT;
    return words;
}
