/* lexer.h - model text to tokens, one at a time.
 *
 * The lexer knows where statements end (it keeps the open brackets and the last token) and reads
 * units when the parser says that one may stand there. It reports nothing: a text that is no token
 * gives CT_TOKEN_BAD, and `problem` says why, so that tokens skipped after an error stay silent.
 */
#ifndef CT_LANG_LEXER_H
#define CT_LANG_LEXER_H

#include "base/hash.h"
#include "base/vec.h"
#include "lang/syntax.h"

/* Tokens of one character are that character. */
enum ct_token_kind {
    CT_TOKEN_END = 128, /* of the text */
    CT_TOKEN_BAD,
    CT_TOKEN_STOP, /* what a parser in panic sees */
    CT_TOKEN_NEWLINE,
    CT_TOKEN_WORD,
    CT_TOKEN_NUMBER,
    CT_TOKEN_STRING,
    CT_TOKEN_UNIT,
    CT_TOKEN_HOLE, /* a `{` that touches the name before it */
    CT_TOKEN_RANGE,
    CT_TOKEN_EQUAL,
    CT_TOKEN_UNEQUAL,
    CT_TOKEN_LESS_EQUAL,
    CT_TOKEN_GREATER_EQUAL,
    /* reserved words */
    CT_TOKEN_IF,
    CT_TOKEN_THEN,
    CT_TOKEN_ELSE,
    CT_TOKEN_AND,
    CT_TOKEN_OR,
    CT_TOKEN_NOT,
    CT_TOKEN_AS,
    CT_TOKEN_OVER,
    CT_TOKEN_TRUE,
    CT_TOKEN_FALSE,
    CT_TOKEN_END_WORD,
    CT_TOKEN_GROUND,
};

typedef struct ct_token {
    uint8_t kind;
    bool gap;   /* something blank stands before it */
    bool line;  /* it is the first of its line */
    bool stray; /* a closing bracket without its partner */
    bool hole;  /* a word with `{` right after it */
    uint32_t at, length;
    ct_name name; /* of words; of strings without quotes, escapes resolved */
} ct_token;

typedef struct ct_bracket {
    uint32_t at;
    uint8_t kind; /* ( [ { or CT_TOKEN_HOLE */
} ct_bracket;

/* Why the last token is bad. No code: the bytes were reported before reading began. */
typedef struct ct_lex_problem {
    const char *code, *message, *help;
    uint32_t at, length;
} ct_lex_problem;

typedef struct ct_unit_verdict {
    const char *problem, *hint; /* no problem: it is a unit */
} ct_unit_verdict;

typedef struct ct_lexer {
    ct_context *ctx;
    ct_arena *arena;
    const char *text;
    uint32_t source, length;
    uint32_t at; /* of the next byte */
    uint8_t previous;
    bool previous_hole;
    ct_lex_problem problem;
    CT_VEC(ct_bracket) open;
    CT_VEC(ct_comment) comment;
    ct_index word;     /* reserved and statement words: name -> number in the table of words */
    ct_name last_word; /* no later name is one of them */
    ct_index unit;     /* names that stood for units -> number of the verdict, from 1 */
    CT_VEC(ct_unit_verdict) verdict;
} ct_lexer;

void ct_lex_init(ct_lexer *lx, ct_arena *arena, uint32_t source);
/* Goes on with another text, from `at` on; what it knows of words and units stays. */
void ct_lex_begin(ct_lexer *lx, uint32_t source, uint32_t at);
void ct_lex(ct_lexer *lx, ct_token *token);

/* Reports invalid UTF-8 and zero bytes of the whole text (E101); false when there are some. */
bool ct_lex_check_bytes(const ct_lexer *lx);

/* Reads the text at `at` as a unit token, whatever it is; ct_lex() goes on behind it. */
ct_token ct_lex_unit(ct_lexer *lx, uint32_t at);
ct_token ct_lex_as_unit(ct_lexer *lx, ct_token word); /* the same for the token just read */
/* True if this unit token names a unit; else *problem and *hint as of ct_unit_read(). */
bool ct_lex_is_unit(ct_lexer *lx, ct_name text, const char **problem, const char **hint);

/* The rest of a name behind the `}` of its hole, maybe empty. */
ct_token ct_lex_name_tail(ct_lexer *lx);

/* The next byte that is not blank, on this line; 0 at the end of the text. */
char ct_lex_peek(const ct_lexer *lx, uint32_t at);
/* Whether a `=` (not `==`) comes next. */
bool ct_lex_peek_assign(const ct_lexer *lx, uint32_t at);
/* Where the name at `at` ends, with its holes. */
uint32_t ct_lex_skip_name(const ct_lexer *lx, uint32_t at);
/* Where the word at `at` ends; `at`: there is none. */
extern const bool ct_word_characters[256];
static inline uint32_t ct_lex_word_end(const ct_lexer *lx, uint32_t at)
{
    while (ct_word_characters[(unsigned char)lx->text[at]])
        at++;
    return at;
}
uint32_t ct_lex_number_end(const ct_lexer *lx, uint32_t at); /* 0: it goes wrong there */
bool ct_lex_goes_on(const ct_lexer *lx);    /* would a unit go on with the next byte? */
bool ct_lex_break_ends(const ct_lexer *lx); /* does the line break here end the statement? */
/* Forgets brackets until only `count` are open. */
void ct_lex_close(ct_lexer *lx, uint32_t count);

/* words.c: the words that mean something. */
typedef enum ct_keyword_role {
    CT_KEYWORD_RESERVED = 1,
    CT_KEYWORD_VALUE = 2, /* reserved among values: t, pi */
    CT_KEYWORD_STATEMENT = 4,
    CT_KEYWORD_DOMAIN = 8,
} ct_keyword_role;

typedef struct ct_keyword {
    const char *text;
    uint8_t roles, token; /* token: of reserved words */
} ct_keyword;

void ct_keywords_init(ct_lexer *lx);
const ct_keyword *ct_keyword_row(uint32_t number); /* of the table, from 1; NULL: 0 */
static inline const ct_keyword *ct_keyword_find(const ct_lexer *lx, ct_name name)
{ /* NULL: an ordinary name */
    return name <= lx->last_word ? ct_keyword_row(ct_index_get(&lx->word, name)) : NULL;
}
bool ct_keyword_has(const ct_lexer *lx, ct_name name, ct_keyword_role role);
const ct_keyword *ct_keyword_list(size_t *count);

#endif
