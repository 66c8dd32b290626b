/* words.c - the words with a meaning of their own, one row each. */
#include "lang/lexer.h"

/* One row a word. Statement words are names where `:`, `=`, `.` or `[` follows. */
static const ct_keyword words[] = {
    {"if", CT_KEYWORD_RESERVED | CT_KEYWORD_STATEMENT, CT_TOKEN_IF},
    {"then", CT_KEYWORD_RESERVED, CT_TOKEN_THEN},
    {"else", CT_KEYWORD_RESERVED, CT_TOKEN_ELSE},
    {"and", CT_KEYWORD_RESERVED, CT_TOKEN_AND},
    {"or", CT_KEYWORD_RESERVED, CT_TOKEN_OR},
    {"not", CT_KEYWORD_RESERVED, CT_TOKEN_NOT},
    {"as", CT_KEYWORD_RESERVED, CT_TOKEN_AS},
    {"over", CT_KEYWORD_RESERVED, CT_TOKEN_OVER},
    {"true", CT_KEYWORD_RESERVED, CT_TOKEN_TRUE},
    {"false", CT_KEYWORD_RESERVED, CT_TOKEN_FALSE},
    {"end", CT_KEYWORD_RESERVED, CT_TOKEN_END_WORD},
    {"ground", CT_KEYWORD_RESERVED | CT_KEYWORD_STATEMENT, CT_TOKEN_GROUND},
    {"t", CT_KEYWORD_VALUE, 0},
    {"pi", CT_KEYWORD_VALUE, 0},
    {"model", CT_KEYWORD_STATEMENT, 0},
    {"param", CT_KEYWORD_STATEMENT, 0},
    {"const", CT_KEYWORD_STATEMENT, 0},
    {"input", CT_KEYWORD_STATEMENT, 0},
    {"signal", CT_KEYWORD_STATEMENT, 0},
    {"discrete", CT_KEYWORD_STATEMENT, 0},
    {"var", CT_KEYWORD_STATEMENT, 0},
    {"function", CT_KEYWORD_STATEMENT, 0},
    {"output", CT_KEYWORD_STATEMENT, 0},
    {"use", CT_KEYWORD_STATEMENT, 0},
    {"plot", CT_KEYWORD_STATEMENT, 0},
    {"simulate", CT_KEYWORD_STATEMENT, 0},
    {"guess", CT_KEYWORD_STATEMENT, 0},
    {"initial", CT_KEYWORD_STATEMENT, 0},
    {"node", CT_KEYWORD_STATEMENT, 0},
    {"tree", CT_KEYWORD_STATEMENT, 0},
    {"repeat", CT_KEYWORD_STATEMENT, 0},
    {"when", CT_KEYWORD_STATEMENT, 0},
    {"every", CT_KEYWORD_STATEMENT, 0},
    {"system", CT_KEYWORD_STATEMENT, 0},
    {"element", CT_KEYWORD_STATEMENT, 0},
    {"port", CT_KEYWORD_STATEMENT, 0},
    {"edge", CT_KEYWORD_STATEMENT, 0},
    {"choice", CT_KEYWORD_STATEMENT, 0},
    {"undetermined", CT_KEYWORD_STATEMENT, 0},
    {"source", CT_KEYWORD_STATEMENT, 0},
    {"remark", CT_KEYWORD_STATEMENT, 0},
    {"energy", CT_KEYWORD_STATEMENT, 0},
    {"coenergy", CT_KEYWORD_STATEMENT, 0},
    {"loss", CT_KEYWORD_STATEMENT, 0},
    {"pair", CT_KEYWORD_STATEMENT, 0},
    {"slip", CT_KEYWORD_STATEMENT, 0},
    {"field", CT_KEYWORD_STATEMENT, 0},
    {"at", CT_KEYWORD_STATEMENT, 0},
    {"electrical", CT_KEYWORD_DOMAIN, 0},
    {"hydraulic", CT_KEYWORD_DOMAIN, 0},
    {"thermal", CT_KEYWORD_DOMAIN, 0},
    {"translational", CT_KEYWORD_DOMAIN, 0},
    {"rotational", CT_KEYWORD_DOMAIN, 0},
    {"planar", CT_KEYWORD_DOMAIN, 0},
    {"spatial", CT_KEYWORD_DOMAIN, 0},
};

enum { WORD_COUNT = sizeof words / sizeof *words };

void ct_keywords_init(ct_lexer *lx)
{
    lx->word.arena = lx->arena;
    for (uint32_t i = 0; i < WORD_COUNT; i++) {
        ct_name name = ct_intern_text(lx->ctx, words[i].text);
        ct_index_put(&lx->word, name, i + 1);
        lx->last_word = name > lx->last_word ? name : lx->last_word;
    }
}

const ct_keyword *ct_keyword_row(uint32_t number)
{
    return number ? &words[number - 1] : NULL;
}

bool ct_keyword_has(const ct_lexer *lx, ct_name name, ct_keyword_role role)
{
    const ct_keyword *word = ct_keyword_find(lx, name);
    return word && (word->roles & (unsigned)role);
}

const ct_keyword *ct_keyword_list(size_t *count)
{
    *count = WORD_COUNT;
    return words;
}

const char *const ct_special_functions[] = {"diff",  "table",   "transpose", "dot",    "cross",
                                            "norm",  "kinetic", "potential", "rotate", "quaternion",
                                            "frame", "pre",     NULL};
