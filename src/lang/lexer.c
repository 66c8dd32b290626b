/* lexer.c - reads one token after the other. */
#include "lang/lexer.h"

#include <string.h>

#include "base/utf8.h"
#include "units/units.h"

/* ---- characters --------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

#define TEN(x)      x, x, x, x, x, x, x, x, x, x
#define ALPHABET(x) TEN(x), TEN(x), x, x, x, x, x, x
const bool ct_word_characters[256] = {
    ['0'] = TEN(1),
    ['A'] = ALPHABET(1),
    ['_'] = 1,
    ['a'] = ALPHABET(1),
};
#undef TEN
#undef ALPHABET

static bool is_word(char c)
{
    return ct_word_characters[(unsigned char)c];
}

static bool is_blank(const char *at)
{
    return *at == ' ' || *at == '\t' || (at[0] == '\r' && at[1] == '\n');
}

/* The text ends with a zero that is not part of it. */
static bool at_end(const ct_lexer *lx, uint32_t at)
{
    return at >= lx->length;
}

void ct_lex_init(ct_lexer *lx, ct_arena *arena, uint32_t source)
{
    *lx = (ct_lexer){.ctx = ct_arena_context(arena), .arena = arena};
    ct_keywords_init(lx);
    lx->unit.arena = arena;
    ct_lex_begin(lx, source, 0);
    if (strncmp(lx->text, "\xef\xbb\xbf", 3) == 0)
        lx->at = 3; /* byte order mark */
}

void ct_lex_begin(ct_lexer *lx, uint32_t source, uint32_t at)
{
    const ct_source *text = ct_source_get(lx->ctx, source);
    lx->source = source;
    lx->text = text->text;
    lx->length = text->length;
    lx->at = at;
    lx->previous = 0;
    lx->previous_hole = false;
    lx->open.count = 0;
    lx->comment.count = 0;
}

char ct_lex_peek(const ct_lexer *lx, uint32_t at)
{
    while (is_blank(lx->text + at))
        at++;
    return lx->text[at];
}

bool ct_lex_peek_assign(const ct_lexer *lx, uint32_t at)
{
    while (is_blank(lx->text + at))
        at++;
    return lx->text[at] == '=' && lx->text[at + 1] != '=';
}

uint32_t ct_lex_skip_name(const ct_lexer *lx, uint32_t at)
{
    at = ct_lex_word_end(lx, at);
    while (lx->text[at] == '{') {
        uint32_t close = at + (uint32_t)strcspn(lx->text + at, "}\n");
        if (lx->text[close] != '}')
            return at;
        at = ct_lex_word_end(lx, close + 1);
    }
    return at;
}

void ct_lex_close(ct_lexer *lx, uint32_t count)
{
    if (lx->open.count > count)
        lx->open.count = count;
}

/* ---- line ends ---------------------------------------------------------------------------- */

static uint32_t line_end(const ct_lexer *lx, uint32_t at)
{
    const char *end = memchr(lx->text + at, '\n', lx->length - at);
    uint32_t stop = end ? (uint32_t)(end - lx->text) : lx->length;
    return stop > at && lx->text[stop - 1] == '\r' ? stop - 1 : stop;
}

/* A statement goes on after these. */
static bool continues_after(uint8_t kind)
{
    switch (kind) {
    case ',':
    case '+':
    case '-':
    case '*':
    case '/':
    case '^':
    case '=':
    case '<':
    case '>':
    case '|':
    case CT_TOKEN_RANGE:
    case CT_TOKEN_EQUAL:
    case CT_TOKEN_UNEQUAL:
    case CT_TOKEN_LESS_EQUAL:
    case CT_TOKEN_GREATER_EQUAL:
    case CT_TOKEN_AND:
    case CT_TOKEN_OR:
    case CT_TOKEN_NOT:
    case CT_TOKEN_THEN:
    case CT_TOKEN_ELSE:
        return true;
    default:
        return false;
    }
}

/* Nothing was said since these, so that there is no statement to end. */
static bool nothing_since(uint8_t kind)
{
    return kind == 0 || kind == CT_TOKEN_NEWLINE || kind == ';' || kind == '{';
}

/* The next line that says something starts with `{`, `then` or `else`. */
static bool continues_before(const ct_lexer *lx, uint32_t at)
{
    while (is_blank(lx->text + at) || lx->text[at] == '\n' || lx->text[at] == '#')
        at = lx->text[at] == '#' ? line_end(lx, at) : at + 1;
    if (lx->text[at] == '{')
        return true;
    if (lx->text[at] != 't' && lx->text[at] != 'e')
        return false;
    if (strncmp(lx->text + at, "then", 4) != 0 && strncmp(lx->text + at, "else", 4) != 0)
        return false;
    return !is_word(lx->text[at + 4]);
}

bool ct_lex_break_ends(const ct_lexer *lx)
{
    uint8_t inside = lx->open.count ? lx->open.at[lx->open.count - 1].kind : 0;
    if (inside == CT_TOKEN_HOLE)
        return true;
    if (inside == '(' || inside == '[' || nothing_since(lx->previous))
        return false;
    return !continues_after(lx->previous) && !continues_before(lx, lx->at);
}

static void read_comment(ct_lexer *lx)
{
    uint32_t at = lx->at;
    lx->at = line_end(lx, at);
    bool again = lx->comment.count && lx->comment.at[lx->comment.count - 1].at >= at;
    if (!again) /* the parser may step back */
        CT_PUSH(lx->arena, lx->comment, ((ct_comment){at, lx->at - at}));
}

/* True at a line break that ends a statement. */
static bool skip_blanks(ct_lexer *lx, ct_token *token)
{
    token->line = lx->previous == 0 || lx->previous == CT_TOKEN_NEWLINE;
    for (;;) {
        if (is_blank(lx->text + lx->at)) {
            lx->at++;
        } else if (lx->text[lx->at] == '#') {
            read_comment(lx);
        } else if (lx->text[lx->at] == '\n') {
            if (ct_lex_break_ends(lx))
                return true;
            lx->at++;
            token->line = true;
        } else {
            return false;
        }
        token->gap = true;
    }
}

/* ---- tokens ------------------------------------------------------------------------------- */

static void bad(ct_lexer *lx, ct_token *token, const char *code, const char *message,
                const char *help)
{
    token->kind = CT_TOKEN_BAD;
    lx->problem = (ct_lex_problem){code, message, help, token->at, lx->at - token->at};
}

static const char *quote(ct_lexer *lx, uint32_t at, uint32_t length)
{
    return ct_printf(lx->ctx, "`%.*s`", (int)length, lx->text + at);
}

static void read_word(ct_lexer *lx, ct_token *token)
{
    lx->at = ct_lex_word_end(lx, lx->at);
    token->kind = CT_TOKEN_WORD;
    token->name = ct_intern(lx->ctx, lx->text + token->at, lx->at - token->at);
    const ct_keyword *word = ct_keyword_find(lx, token->name);
    if (word && word->token)
        token->kind = word->token;
    else
        token->hole = lx->text[lx->at] == '{';
}

static uint32_t skip_digits(const ct_lexer *lx, uint32_t at)
{
    while (is_digit(lx->text[at]))
        at++;
    return at;
}

static void bad_number(ct_lexer *lx, ct_token *token)
{
    while (is_word(lx->text[lx->at]) || (lx->text[lx->at] == '.' && lx->text[lx->at + 1] != '.'))
        lx->at++;
    bad(lx, token, "E104",
        ct_printf(lx->ctx, "%s is no number", quote(lx, token->at, lx->at - token->at)),
        "numbers look like 12, 0.5, 1e-6 or 1.5e3");
}

/* What may not touch the end of a number: `1.2.3`, `5.`, `1e`, `0x1F`, `1_000`. */
static bool number_goes_wrong(const ct_lexer *lx, uint32_t at, uint32_t end)
{
    const char *next = lx->text + end;
    if (next[0] == '.')
        return next[1] != '.';
    if (next[0] == 'e' || next[0] == 'E')
        return !is_letter(next[1]);
    bool hex = end - at == 1 && lx->text[at] == '0' && next[0] == 'x';
    return next[0] == '_' || hex;
}

static uint32_t skip_number(const ct_lexer *lx, uint32_t at)
{
    const char *text = lx->text;
    at = skip_digits(lx, at);
    if (text[at] == '.' && is_digit(text[at + 1]))
        at = skip_digits(lx, at + 1);
    if (text[at] == 'e' || text[at] == 'E') {
        uint32_t power = at + 1 + (text[at + 1] == '+' || text[at + 1] == '-');
        if (is_digit(text[power]))
            at = skip_digits(lx, power);
    }
    return at;
}

uint32_t ct_lex_number_end(const ct_lexer *lx, uint32_t at)
{
    uint32_t end = skip_number(lx, at);
    return number_goes_wrong(lx, at, end) ? 0 : end;
}

static void read_number(ct_lexer *lx, ct_token *token)
{
    token->kind = CT_TOKEN_NUMBER;
    lx->at = skip_number(lx, token->at);
    if (number_goes_wrong(lx, token->at, lx->at))
        bad_number(lx, token);
    else
        token->name = ct_intern(lx->ctx, lx->text + token->at, lx->at - token->at);
}

static const char *resolve_escape(char c)
{
    static const char written[] = "\"\\nt";
    static const char *const meant[] = {"\"", "\\", "\n", "\t"};
    const char *found = c ? strchr(written, c) : NULL;
    return found ? meant[found - written] : NULL;
}

/* The text between the quotes; false at an unknown escape, which is then the problem. */
static bool resolve_string(ct_lexer *lx, ct_token *token, uint32_t end)
{
    ct_text text = ct_text_new(lx->arena);
    for (uint32_t i = token->at + 1; i < end; i++) {
        if (lx->text[i] != '\\') {
            ct_put_char(&text, lx->text[i]);
            continue;
        }
        const char *meant = resolve_escape(lx->text[++i]);
        if (!meant) {
            bad(lx, token, "E112", ct_printf(lx->ctx, "unknown escape %s", quote(lx, i - 1, 2)),
                "strings know \\\", \\\\, \\n and \\t; write a backslash as \\\\");
            lx->problem.at = i - 1;
            lx->problem.length = 2;
            return false;
        }
        ct_put(&text, meant);
    }
    token->name = ct_intern(lx->ctx, ct_text_string(&text), text.length);
    return true;
}

static void read_string(ct_lexer *lx, ct_token *token)
{
    uint32_t stop = line_end(lx, lx->at), at = lx->at + 1;
    bool escapes = false;
    for (; at < stop && lx->text[at] != '"'; at++) {
        escapes |= lx->text[at] == '\\';
        at += lx->text[at] == '\\' && at + 1 < stop;
    }
    token->kind = CT_TOKEN_STRING;
    lx->at = at < stop ? at + 1 : stop;
    if (at >= stop)
        bad(lx, token, "E103", "string without closing quote", "end it with `\"` on the same line");
    else if (escapes)
        resolve_string(lx, token, at);
    else
        token->name = ct_intern(lx->ctx, lx->text + token->at + 1, at - token->at - 1);
}

/* What other languages and word processors write, and what to write here. */
static const struct lookalike {
    const char *text, *help;
} lookalikes[] = {
    {"&&", "write `and`"},
    {"&", "write `and`"},
    {"||", "write `or`"},
    {"!", "write `not`"},
    {"**", "write `^` for powers"},
    {"//", "`#` starts a comment"},
    {"/*", "`#` starts a comment"},
    {"%", "`#` starts a comment"},
    {":=", "write `=`"},
    {"<>", "write `!=`"},
    {"'", "strings stand in double quotes"},
    {"\\", "a line goes on inside brackets and after a comma or an operator"},
    {"\xe2\x88\x92", "write `-`"},                                  /* minus sign */
    {"\xe2\x80\x93", "write `-`"},                                  /* en dash */
    {"\xc3\x97", "write `*`"},                                      /* times */
    {"\xc2\xb7", "write `*`, or `.` in a unit"},                    /* middle dot */
    {"\xe2\x80\x9c", "strings stand in plain double quotes"},       /* curly quotes */
    {"\xe2\x80\x9d", "strings stand in plain double quotes"},       /* curly quotes */
    {"\xe2\x89\xa4", "write `<=`"},                                 /* less or equal */
    {"\xe2\x89\xa5", "write `>=`"},                                 /* greater or equal */
    {"\xe2\x89\xa0", "write `!=`"},                                 /* unequal */
    {"\xc2\xb2", "write `^2`"},                                     /* squared */
    {"\xc2\xb3", "write `^3`"},                                     /* cubed */
    {"\xc2\xa0", "this is a non-breaking space: write a plain one"} /* nbsp */
};

static const struct lookalike *find_lookalike(const char *text)
{
    for (size_t i = 0; i < sizeof lookalikes / sizeof *lookalikes; i++)
        if (strncmp(text, lookalikes[i].text, strlen(lookalikes[i].text)) == 0)
            return &lookalikes[i];
    return NULL;
}

static void read_unknown(ct_lexer *lx, ct_token *token)
{
    const char *text = lx->text + token->at;
    uint32_t length = ct_utf8_length(text, lx->length - token->at);
    const struct lookalike *known = length ? find_lookalike(text) : NULL;
    uint32_t known_length = known ? (uint32_t)strlen(known->text) : 0;
    lx->at = token->at + (known_length ? known_length : length ? length : 1);
    if (length == 0) {
        bad(lx, token, NULL, NULL, NULL); /* reported by ct_lex_check_bytes() */
        return;
    }
    const char *shown = (unsigned char)*text < ' ' || *text == 0x7f
                            ? ct_printf(lx->ctx, "control character 0x%02X", (unsigned)*text)
                            : quote(lx, token->at, lx->at - token->at);
    const char *help = known ? known->help
                       : (unsigned char)*text >= 128
                           ? "names use the letters A-Z, a-z, digits and _"
                           : NULL;
    bad(lx, token, "E102", ct_printf(lx->ctx, "unexpected %s", shown), help);
}

/* Tokens of one character. */
static const bool single[128] = {
    ['('] = true, [')'] = true, ['['] = true, [']'] = true, ['{'] = true,
    ['}'] = true, [','] = true, [';'] = true, [':'] = true, ['='] = true,
    ['<'] = true, ['>'] = true, ['+'] = true, ['-'] = true, ['*'] = true,
    ['/'] = true, ['^'] = true, ['|'] = true, ['.'] = true,
};

static uint8_t two_characters(const char *text)
{
    if (text[1] == '.')
        return text[0] == '.' ? CT_TOKEN_RANGE : 0;
    if (text[1] != '=')
        return 0;
    switch (text[0]) {
    case '=':
        return CT_TOKEN_EQUAL;
    case '!':
        return CT_TOKEN_UNEQUAL;
    case '<':
        return CT_TOKEN_LESS_EQUAL;
    case '>':
        return CT_TOKEN_GREATER_EQUAL;
    default:
        return 0;
    }
}

/* A token in front, but the two characters together are another language's. */
static bool is_foreign_pair(const char *text)
{
    static const char *const pairs[] = {"||", "**", "//", "/*", ":=", "<>"};
    bool may =
        text[0] == '|' || text[0] == '*' || text[0] == '/' || text[0] == ':' || text[0] == '<';
    if (!may || !text[1])
        return false;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (text[0] == pairs[i][0] && text[1] == pairs[i][1])
            return true;
    return false;
}

static void open_bracket(ct_lexer *lx, ct_token *token)
{
    if (lx->previous_hole && token->kind == '{')
        token->kind = CT_TOKEN_HOLE;
    CT_PUSH(lx->arena, lx->open, ((ct_bracket){token->at, token->kind}));
}

static void close_bracket(ct_lexer *lx, ct_token *token)
{
    uint8_t inside = lx->open.count ? lx->open.at[lx->open.count - 1].kind : 0;
    uint8_t wanted = inside == '(' ? ')' : inside == '[' ? ']' : inside ? '}' : 0;
    token->stray = wanted != token->kind;
    if (!token->stray)
        lx->open.count--;
}

/* `.5` where an operand should stand */
static bool starts_like_number(const ct_lexer *lx, const char *text)
{
    bool operand = lx->previous == CT_TOKEN_WORD || lx->previous == ')' || lx->previous == ']' ||
                   lx->previous == '}';
    return text[0] == '.' && is_digit(text[1]) && !operand;
}

static void read_operator(ct_lexer *lx, ct_token *token)
{
    const char *text = lx->text + lx->at;
    unsigned char c = (unsigned char)*text;
    token->kind = two_characters(text);
    if (token->kind) {
        lx->at += 2;
    } else if (starts_like_number(lx, text)) {
        bad_number(lx, token);
    } else if (c >= 128 || !single[c] || is_foreign_pair(text)) {
        read_unknown(lx, token);
    } else {
        token->kind = c;
        lx->at++;
        if (c == '(' || c == '[' || c == '{')
            open_bracket(lx, token);
        else if (c == ')' || c == ']' || c == '}')
            close_bracket(lx, token);
    }
}

static void read_token(ct_lexer *lx, ct_token *token)
{
    char c = lx->text[lx->at];
    if (is_letter(c))
        read_word(lx, token);
    else if (is_digit(c))
        read_number(lx, token);
    else if (c == '"')
        read_string(lx, token);
    else
        read_operator(lx, token);
}

static void finish(ct_lexer *lx, ct_token *token)
{
    token->length = lx->at - token->at;
    lx->previous = token->kind;
    lx->previous_hole = token->hole;
}

void ct_lex(ct_lexer *lx, ct_token *token)
{
    *token = (ct_token){0};
    bool ends = skip_blanks(lx, token);
    token->at = lx->at;
    if (ends) {
        token->kind = CT_TOKEN_NEWLINE;
        lx->at++;
    } else if (at_end(lx, lx->at)) {
        token->kind = CT_TOKEN_END;
    } else {
        read_token(lx, token);
    }
    finish(lx, token);
}

ct_token ct_lex_name_tail(ct_lexer *lx)
{
    ct_token token = {.kind = CT_TOKEN_WORD, .at = lx->at};
    lx->at = ct_lex_word_end(lx, lx->at);
    token.hole = lx->text[lx->at] == '{';
    token.name = ct_intern(lx->ctx, lx->text + token.at, lx->at - token.at);
    finish(lx, &token);
    return token;
}

/* ---- units -------------------------------------------------------------------------------- */

/* A unit runs to the next blank, bracket, comma or operator other than . / ^ and a sign after ^. */
static bool in_unit(const char *text, uint32_t at)
{
    char c = text[at];
    if (is_word(c) || (unsigned char)c >= 128 || c == '%' || c == '/' || c == '^')
        return true;
    if (c == '.')
        return text[at + 1] != '.';
    return (c == '-' || c == '+') && text[at - 1] == '^';
}

bool ct_lex_goes_on(const ct_lexer *lx)
{
    return in_unit(lx->text, lx->at);
}

ct_token ct_lex_unit(ct_lexer *lx, uint32_t at)
{
    ct_token token = {.kind = CT_TOKEN_UNIT, .gap = true, .at = at};
    lx->at = at + 1;
    while (in_unit(lx->text, lx->at))
        lx->at++;
    token.name = ct_intern(lx->ctx, lx->text + at, lx->at - at);
    finish(lx, &token);
    return token;
}

ct_token ct_lex_as_unit(ct_lexer *lx, ct_token word)
{
    if (word.kind != CT_TOKEN_WORD || word.hole || lx->at != word.at + word.length ||
        in_unit(lx->text, lx->at))
        return ct_lex_unit(lx, word.at);
    word.kind = CT_TOKEN_UNIT;
    word.gap = true;
    word.line = word.stray = false;
    lx->previous = CT_TOKEN_UNIT;
    return word;
}

/* Looking for what was meant takes time, so that both answers are kept. */
static uint32_t judge_unit(ct_lexer *lx, const char *text, size_t length)
{
    ct_unit unit;
    ct_unit_verdict verdict = {NULL, NULL};
    if (length == 0 || !ct_unit_read(lx->ctx, text, length, &unit, &verdict.problem, &verdict.hint))
        verdict.problem = verdict.problem ? verdict.problem : "not a unit";
    else
        verdict.problem = NULL;
    CT_PUSH(lx->arena, lx->verdict, verdict);
    return lx->verdict.count;
}

bool ct_lex_is_unit(ct_lexer *lx, ct_name name, const char **problem, const char **hint)
{
    uint32_t known = ct_index_get(&lx->unit, name);
    if (!known) {
        known = judge_unit(lx, ct_name_text(lx->ctx, name), ct_name_length(lx->ctx, name));
        ct_index_put(&lx->unit, name, known);
    }
    *problem = lx->verdict.at[known - 1].problem;
    *hint = lx->verdict.at[known - 1].hint;
    return *problem == NULL;
}
