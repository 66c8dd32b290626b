/* recover.c - errors: what is said about them, and where reading goes on. */
#include "lang/parser.h"

#include <string.h>

/* ---- saying ------------------------------------------------------------------------------- */

uint32_t ct_line_of(const ct_parser *p, uint32_t at)
{
    enum { READ = 1000 }; /* nobody reads more messages, and counting lines takes time */
    uint32_t line, column;
    if (p->ctx->diags.errors > READ)
        return 0;
    ct_source_locate(ct_source_get(p->ctx, p->lex.source), at, &line, &column);
    return line;
}

const char *ct_token_text(ct_parser *p, ct_token token)
{
    enum { SHOWN = 40 };
    if (token.kind == CT_TOKEN_END)
        return "the end of the text";
    if (token.kind == CT_TOKEN_NEWLINE)
        return "the end of the line";
    const char *text = p->lex.text + token.at;
    uint32_t length = token.length < SHOWN ? token.length : SHOWN;
    while (length && length < token.length && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--; /* not in the middle of a character */
    return ct_printf(p->ctx, "`%.*s%s`", (int)length, text, length < token.length ? "..." : "");
}

static void say(ct_parser *p, const char *code, ct_place place, const char *message,
                const char *help)
{
    ct_report *report = ct_error(p->ctx, code, place, "%s", message);
    if (help)
        ct_help(report, "%s", help);
    p->broken = true;
}

void ct_complain(ct_parser *p, const char *code, ct_place place, const char *message,
                 const char *help)
{
    if (p->panic)
        return;
    say(p, code, place, message, help);
    p->suspect = true;
}

void ct_panic(ct_parser *p)
{
    p->panic = true;
    p->broken = true;
    p->stuck = p->token;
    p->token.kind = CT_TOKEN_STOP;
}

void ct_fail(ct_parser *p, const char *code, ct_place place, const char *message, const char *help)
{
    if (p->panic)
        return;
    const ct_lex_problem *bad = &p->lex.problem;
    if (!ct_is(p, CT_TOKEN_BAD))
        say(p, code, place, message, help);
    else if (bad->code)
        say(p, bad->code, (ct_place){p->lex.source, bad->at, bad->length}, bad->message, bad->help);
    ct_panic(p);
}

/* ---- what is meant ------------------------------------------------------------------------ */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool ct_looks_like_statement(const ct_parser *p, ct_token token)
{
    if (token.kind == CT_TOKEN_END_WORD)
        return true;
    if (token.kind != CT_TOKEN_WORD && token.kind != CT_TOKEN_GROUND)
        return false;
    uint32_t end = ct_lex_skip_name(&p->lex, token.at);
    char next = ct_lex_peek(&p->lex, end);
    if (next == ':') {
        while (p->lex.text[end] != ':')
            end++;
        return is_letter(ct_lex_peek(&p->lex, end + 1));
    }
    bool word = ct_keyword_has(&p->lex, token.name, CT_KEYWORD_STATEMENT);
    return word && (is_letter(next) || next == '"');
}

static const ct_bracket *innermost(const ct_parser *p)
{
    uint32_t count = p->lex.open.count;
    return count > p->base ? &p->lex.open.at[count - 1] : NULL;
}

static bool is_closer(uint8_t kind)
{
    return kind == ')' || kind == ']' || kind == '}';
}

/* `name = ...` on a new line; in a call it could be an argument after a missing comma. */
static bool looks_like_setting(const ct_parser *p, const ct_bracket *open)
{
    char before = open->at ? p->lex.text[open->at - 1] : ' ';
    bool call = open->kind == '(' && !strchr(" \t\n(+-*/^=<>,", before);
    return !call && ct_is(p, CT_TOKEN_WORD) &&
           ct_lex_peek_assign(&p->lex, p->token.at + p->token.length);
}

/* A ( or [ that cannot be closed any more: a new statement, a wrong bracket or the end came. */
static bool bracket_stays_open(const ct_parser *p)
{
    const ct_bracket *open = innermost(p);
    if (!open || open->kind == '{' || open->kind == CT_TOKEN_HOLE)
        return false;
    return ct_is(p, CT_TOKEN_END) || (p->token.stray && is_closer(p->token.kind)) ||
           (p->token.line && (ct_looks_like_statement(p, p->token) || looks_like_setting(p, open)));
}

static void fail_open_bracket(ct_parser *p)
{
    const ct_bracket *open = innermost(p);
    unsigned line = ct_line_of(p, open->at);
    char closer = open->kind == '(' ? ')' : ']';
    ct_place place = {p->lex.source, open->at, 1};
    if (p->token.stray && p->token.kind != '}') {
        ct_fail(p, "E106", ct_token_place(p, p->token),
                ct_printf(p->ctx, "%s does not close the `%c` of line %u",
                          ct_token_text(p, p->token), open->kind, line),
                ct_printf(p->ctx, "write `%c`", closer));
        return;
    }
    ct_fail(p, "E106", place, ct_printf(p->ctx, "`%c` of line %u is not closed", open->kind, line),
            ct_printf(p->ctx, "write the `%c`", closer));
    if (p->stuck.line && p->stuck.kind == CT_TOKEN_WORD) {
        ct_lex_close(&p->lex, p->base);
        p->again = true;
    }
}

/* The line before ended with a comma or an operator, and a new statement was read as its rest:
 * steps back to it, so that it is not lost. */
static bool fail_continued(ct_parser *p)
{
    ct_token word = p->last;
    bool statement = ct_is(p, ':') || ct_is(p, '=');
    if (!statement || word.kind != CT_TOKEN_WORD || !word.line || word.at == p->start ||
        innermost(p))
        return false;
    ct_fail(p, "E107", ct_token_place(p, word),
            ct_printf(p->ctx, "%s looks like a new statement, but the line before goes on",
                      ct_token_text(p, word)),
            "a line that ends with a comma or an operator goes on in the next one");
    p->stuck = word;
    p->again = true;
    p->lex.at = word.at + word.length;
    return true;
}

static bool begins_operand(const ct_parser *p)
{
    return ct_is(p, CT_TOKEN_WORD) || ct_is(p, CT_TOKEN_NUMBER) || ct_is(p, CT_TOKEN_GROUND) ||
           ct_is(p, '[') || ct_is(p, CT_TOKEN_STRING);
}

static bool fail_missing_comma(ct_parser *p)
{
    const ct_bracket *open = innermost(p);
    bool opened_now = ct_is(p, '[') && open && open->at == p->token.at;
    if (opened_now)
        open = p->lex.open.count - p->base > 1 ? open - 1 : NULL;
    if (!open || (open->kind != '(' && open->kind != '[') || !begins_operand(p))
        return false;
    ct_fail(p, "E111", ct_token_place(p, p->token),
            ct_printf(p->ctx, "comma missing before %s", ct_token_text(p, p->token)),
            "separate entries with a comma");
    return true;
}

static void fail_touching_brace(ct_parser *p)
{
    ct_token name = p->last;
    ct_fail(p, "E107", ct_token_place(p, p->token),
            ct_printf(p->ctx, "this `{` touches %s and so belongs to it", ct_token_text(p, name)),
            "write a space before `{`");
}

static void fail_plainly(ct_parser *p, const char *wanted, const char *help)
{
    ct_place place = ct_token_place(p, p->token);
    if (ct_is(p, CT_TOKEN_NEWLINE) || ct_is(p, CT_TOKEN_END))
        place = (ct_place){p->lex.source, p->last.at + p->last.length, 1};
    if (ct_is(p, '=') && !help && strcmp(wanted, "an expression") != 0)
        help = "two values are compared with `==`";
    if (ct_is(p, CT_TOKEN_EQUAL) && strstr(wanted, "`=`"))
        help = "write one `=`";
    ct_fail(p, "E107", place,
            ct_printf(p->ctx, "expected %s, found %s", wanted, ct_token_text(p, p->token)), help);
}

/* From the particular to the general: the first that knows what went wrong says so. */
void ct_unexpected(ct_parser *p, const char *wanted, const char *help)
{
    bool comma = !help && strstr(wanted, "`,`");
    if (p->panic)
        return;
    if (p->suspect && !ct_is(p, CT_TOKEN_BAD))
        ct_panic(p); /* what follows from the first error is not worth a second */
    else if (ct_is(p, CT_TOKEN_HOLE))
        fail_touching_brace(p);
    else if (bracket_stays_open(p))
        fail_open_bracket(p);
    else if (!fail_continued(p) && !(comma && fail_missing_comma(p)))
        fail_plainly(p, wanted, help);
}

/* ---- going on ----------------------------------------------------------------------------- */

/* Closes what a stray bracket was probably meant to close. True at a `}` of an outer block. */
static bool close_stray(ct_parser *p, ct_token token)
{
    for (uint32_t i = p->lex.open.count; i > 0; i--) {
        uint8_t kind = p->lex.open.at[i - 1].kind;
        bool fits = token.kind == ')'   ? kind == '('
                    : token.kind == ']' ? kind == '['
                                        : kind == '{' || kind == CT_TOKEN_HOLE;
        if (!fits || (i <= p->base && token.kind != '}'))
            continue;
        ct_lex_close(&p->lex, i - 1);
        return i <= p->base;
    }
    const ct_bracket *open = innermost(p); /* `(a]`: the wrong one was typed */
    if (open && open->kind != '{')
        ct_lex_close(&p->lex, p->lex.open.count - 1);
    return false;
}

/* Inside ( ) or [ ] a line that looks like a statement shows that the bracket was forgotten. */
static bool forgot_bracket(ct_parser *p, ct_token token)
{
    const ct_bracket *open = innermost(p);
    if (!token.line || token.at == p->start || !ct_looks_like_statement(p, token))
        return false;
    if (!open)
        return true;
    if (open->kind == '{')
        return false;
    while (open && open->kind != '{') {
        ct_lex_close(&p->lex, p->lex.open.count - 1);
        open = innermost(p);
    }
    return open == NULL;
}

/* The line ends in a hole: either the name lacks its `}`, or the `{` was meant to open a block. */
static void end_line_in_hole(ct_parser *p, ct_token token)
{
    ct_bracket *open = &p->lex.open.at[p->lex.open.count - 1];
    uint32_t at = open->at + 1;
    while (at < token.at && strchr(" \t\r", p->lex.text[at]))
        at++;
    if (at == token.at || p->lex.text[at] == '#')
        open->kind = '{';
    else
        ct_lex_close(&p->lex, p->lex.open.count - 1);
}

/* Behind this comma the next frame begins. */
static bool entry_follows(const ct_parser *p)
{
    uint32_t at = p->lex.at;
    while (p->lex.text[at] && strchr(" \t\r\n", p->lex.text[at]))
        at++;
    return is_letter(p->lex.text[at]) && ct_lex_peek_assign(&p->lex, ct_lex_skip_name(&p->lex, at));
}

static bool ends_skipping(ct_parser *p, ct_token token, bool comma_ends)
{
    if (token.kind == CT_TOKEN_END || p->lex.open.count < p->base)
        return true;
    if (token.stray && close_stray(p, token))
        return true;
    const ct_bracket *open = innermost(p);
    if (token.kind == CT_TOKEN_NEWLINE && open && open->kind == CT_TOKEN_HOLE)
        end_line_in_hole(p, token);
    if (innermost(p) == NULL) {
        bool comma = comma_ends && token.kind == ',' && entry_follows(p);
        if (token.kind == CT_TOKEN_NEWLINE || token.kind == ';' || comma)
            return true;
    }
    return forgot_bracket(p, token);
}

/* `name =` on a new line after an operator: the operator was the error. After a comma it may be a
 * key of the statement that is skipped. */
static bool restarts(const ct_parser *p, ct_token token, uint8_t before)
{
    return token.line && token.kind == CT_TOKEN_WORD && before != ',' && !innermost(p) &&
           ct_lex_peek_assign(&p->lex, token.at + token.length);
}

void ct_recover(ct_parser *p, bool comma_ends)
{
    ct_token token = p->stuck;
    while (!p->again && !ends_skipping(p, token, comma_ends)) {
        uint8_t before = token.kind;
        ct_lex(&p->lex, &token);
        p->again = restarts(p, token, before);
    }
    if (p->lex.open.count < p->base)
        token.stray = false; /* it ends the block around */
    p->panic = p->suspect = p->again = false;
    if (token.kind == CT_TOKEN_END && p->lex.open.count > p->base)
        p->unclosed = true; /* what was skipped opened it */
    p->in_list = false;
    p->token = token;
}

bool ct_skip_to_block(ct_parser *p)
{
    ct_token token = p->stuck;
    if (p->depth >= CT_MAX_NESTING)
        return false;
    while (token.kind != '{' || p->lex.open.count != p->base + 1) {
        if (p->again || ends_skipping(p, token, false)) {
            p->stuck = token;
            return false;
        }
        ct_lex(&p->lex, &token);
    }
    p->panic = false;
    p->token = token;
    return true;
}
