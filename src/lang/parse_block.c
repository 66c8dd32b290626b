/* parse_block.c - the loop over statements, and statements that hold others in braces. */
#include "lang/parser.h"

#include <string.h>

/* ---- blocks ------------------------------------------------------------------------------- */

/* A closing word or bracket that closes nothing here. */
static bool skip_stray(ct_parser *p)
{
    if (ct_is(p, '}') && p->token.stray) {
        ct_complain(p, "E106", ct_token_place(p, p->token), "`}` closes nothing",
                    "remove it, or write its `{`");
        ct_advance(p);
        return true;
    }
    bool name = ct_lex_peek(&p->lex, p->token.at + p->token.length) == ':';
    if (ct_is(p, CT_TOKEN_END_WORD) && p->open_end == 0 && !name) {
        ct_complain(p, "E109", ct_token_place(p, p->token), "`end` closes nothing",
                    "only `system` and `element` have an `end`");
        ct_advance(p);
        return true;
    }
    return false;
}

static bool ends_statements(const ct_parser *p, uint8_t end_kind)
{
    if (ct_is(p, end_kind) || ct_is(p, CT_TOKEN_END))
        return true;
    if (ct_is(p, CT_TOKEN_END_WORD)) /* of a definition around this block */
        return end_kind == '}' && p->open_end > 0;
    return ct_is(p, '}') && !p->token.stray;
}

/* A statement word is a name where `:`, `=`, `.` or a touching `[` follows; `if` is reserved. */
static bool begins_with_word(const ct_parser *p)
{
    if (ct_is(p, CT_TOKEN_IF))
        return true;
    if (!ct_keyword_has(&p->lex, p->token.name, CT_KEYWORD_STATEMENT) || p->token.hole)
        return false;
    uint32_t end = p->token.at + p->token.length;
    char next = ct_lex_peek(&p->lex, end);
    return next != ':' && next != '.' && p->lex.text[end] != '[' &&
           !ct_lex_peek_assign(&p->lex, end);
}

ct_node ct_read_statement(ct_parser *p)
{
    ct_token word = p->token;
    p->start = word.at;
    bool named =
        word.kind == CT_TOKEN_WORD || word.kind == CT_TOKEN_IF || word.kind == CT_TOKEN_GROUND;
    if (!named || !begins_with_word(p))
        return ct_read_other_statement(p);
    ct_advance(p);
    return ct_read_word_statement(p, word);
}

/* What other languages write for `else if`. */
static bool is_else_if(const ct_parser *p)
{
    static const char *const words[] = {"elif", "elsif", "elseif"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ct_is(p, CT_TOKEN_WORD) && strcmp(ct_name_text(p->ctx, p->token.name), words[i]) == 0)
            return true;
    return false;
}

static void check_statement_end(ct_parser *p, ct_node n)
{
    if (p->panic || ct_at_statement_end(p))
        return;
    ct_node_kind kind = ct_edit(p, n)->kind;
    ct_node value = kind == CT_NODE_SETTING ? ct_edit(p, n)->first : 0;
    bool call = value && ct_edit(p, value)->kind == CT_NODE_REF && p->last.kind == ')' &&
                ct_is(p, CT_TOKEN_WORD);
    if (p->token.stray && !p->suspect && (ct_is(p, ')') || ct_is(p, ']')))
        ct_fail(p, "E106", ct_token_place(p, p->token),
                ct_printf(p->ctx, "%s closes nothing", ct_token_text(p, p->token)),
                "remove it, or write its partner");
    else if (kind == CT_NODE_IF_STMT && is_else_if(p))
        ct_unexpected(p, "the end of the statement", "write `else if`");
    else if (call)
        ct_fail(p, "E113", ct_token_place(p, p->token), "a component is written with `:`",
                ct_printf(p->ctx, "write `%s : ...`", ct_name_text(p->ctx, ct_edit(p, n)->name)));
    else
        ct_unexpected(p, "the end of the statement", NULL);
}

void ct_read_statements(ct_parser *p, uint8_t end_kind, ct_children *children)
{
    uint32_t base = p->base;
    bool opens = ct_is(p, '(') || ct_is(p, '[') || ct_is(p, '{');
    p->base = p->lex.open.count - opens;
    for (;;) {
        while (ct_is(p, CT_TOKEN_NEWLINE) || ct_is(p, ';'))
            ct_advance(p);
        p->suspect = false;
        if (ends_statements(p, end_kind))
            break;
        if (skip_stray(p))
            continue;
        ct_node statement = ct_read_statement(p);
        check_statement_end(p, statement);
        if (p->panic)
            ct_recover(p, false);
        else
            ct_add(p, children, statement);
    }
    p->base = base;
}

/* Takes the `}` of a block, or says that it is missing. */
static void close_block(ct_parser *p, ct_bracket open)
{
    if (p->panic || ct_accept(p, '}'))
        return;
    uint32_t line = ct_line_of(p, open.at);
    if (!p->unclosed)
        ct_complain(p, "E106", (ct_place){p->lex.source, open.at, 1},
                    ct_printf(p->ctx, "`{` of line %u is not closed", line), "write the `}`");
    p->unclosed = ct_is(p, CT_TOKEN_END);
    if (p->lex.open.count)
        ct_lex_close(&p->lex, p->lex.open.count - 1);
}

ct_node ct_read_block(ct_parser *p)
{
    bool failed = p->panic && ct_skip_to_block(p);
    ct_bracket open = {p->token.at, '{'};
    ct_children statements = {0};
    if (!ct_is(p, '{')) {
        ct_unexpected(p, "`{`", NULL);
        return 0;
    }
    if (ct_enter(p)) {
        ct_advance(p);
        ct_read_statements(p, '}', &statements);
        close_block(p, open);
    }
    ct_leave(p);
    if (failed)
        ct_panic(p);
    return ct_make(p, CT_NODE_BLOCK, open.at, 0, statements);
}

/* ---- statements with blocks --------------------------------------------------------------- */

/* `i = 1..n`; the values become children. */
static ct_name read_range(ct_parser *p, ct_children *parts)
{
    ct_name index = ct_read_word(p, CT_NAME_VALUE, "the name of the index");
    ct_expect(p, '=', "`=`");
    ct_add(p, parts, ct_read_expr(p));
    if (!ct_is(p, CT_TOKEN_RANGE))
        ct_unexpected(p, "`..`", ct_is(p, ':') ? "a range is written `1..3`" : NULL);
    ct_advance(p);
    ct_add(p, parts, ct_read_expr(p));
    return index;
}

ct_node ct_read_repeat(ct_parser *p, uint32_t at)
{
    ct_children parts = {0};
    ct_name index = read_range(p, &parts);
    ct_add(p, &parts, ct_read_block(p));
    return ct_make(p, CT_NODE_REPEAT, at, index, parts);
}

ct_node ct_read_if(ct_parser *p, uint32_t at)
{
    ct_children parts = {0};
    ct_add(p, &parts, ct_read_expr(p));
    ct_check_condition(p);
    if (ct_is(p, CT_TOKEN_THEN))
        ct_unexpected(p, "`{`", "a choice between statements is `if CONST { ... } else { ... }`");
    ct_add(p, &parts, ct_read_block(p));
    if (ct_accept(p, CT_TOKEN_ELSE)) {
        uint32_t otherwise = p->token.at;
        if (!ct_is(p, CT_TOKEN_IF)) {
            ct_add(p, &parts, ct_read_block(p));
        } else if (ct_enter(p)) {
            ct_advance(p);
            ct_add(p, &parts, ct_read_if(p, otherwise));
            ct_leave(p);
        } else {
            ct_leave(p);
        }
    }
    return ct_make(p, CT_NODE_IF_STMT, at, 0, parts);
}

static bool at_repeat(const ct_parser *p)
{
    uint32_t end = p->token.at + p->token.length;
    return ct_is(p, CT_TOKEN_WORD) && p->token.length == 6 &&
           memcmp(p->lex.text + p->token.at, "repeat", 6) == 0 && !ct_lex_peek_assign(&p->lex, end);
}

/* The `}`, or what shows that it was forgotten. */
static bool ends_entries(const ct_parser *p, bool frames)
{
    if (ct_is(p, '}') || ct_is(p, CT_TOKEN_END) || ct_is(p, CT_TOKEN_END_WORD))
        return true;
    return p->token.line && ct_looks_like_statement(p, p->token) && !(frames && at_repeat(p));
}

/* Entries of { } that are no statements. Each ends at a line break, `;` or, in frames, a comma. */
static void read_entries(ct_parser *p, ct_node (*entry)(ct_parser *p), bool frames,
                         ct_children *children)
{
    uint32_t base = p->base;
    ct_bracket open = {p->token.at, '{'};
    p->base = p->lex.open.count;
    ct_advance(p);
    while (!ends_entries(p, frames)) {
        bool comma = frames && ct_is(p, ',');
        if (comma || ct_is(p, CT_TOKEN_NEWLINE) || ct_is(p, ';')) {
            ct_advance(p);
            continue;
        }
        p->suspect = false;
        p->start = p->token.at;
        ct_node n = entry(p);
        if (!ct_at_statement_end(p) && !(frames && ct_is(p, ',')))
            ct_unexpected(p, frames ? "`,`, a new line or `}`" : "a new line or `}`", NULL);
        if (p->panic)
            ct_recover(p, frames);
        else
            ct_add(p, children, n);
    }
    p->base = base;
    close_block(p, open);
}

/* `left = expr`, of which the left side was read. */
static ct_node read_sides(ct_parser *p, ct_node_kind kind, uint32_t at, ct_node left)
{
    ct_children sides = {0};
    ct_add(p, &sides, left);
    ct_expect(p, '=', "`=`");
    ct_add(p, &sides, ct_read_expr(p));
    return ct_make(p, kind, at, 0, sides);
}

/* { entries } behind what may have failed. */
static void read_braces(ct_parser *p, ct_node (*entry)(ct_parser *p), bool frames,
                        ct_children *children)
{
    bool failed = p->panic && ct_skip_to_block(p);
    if (ct_is(p, '{'))
        read_entries(p, entry, frames, children);
    else
        ct_unexpected(p, "`{`", NULL);
    if (failed)
        ct_panic(p);
}

static ct_node read_assignment(ct_parser *p)
{
    uint32_t at = p->token.at;
    return read_sides(p, CT_NODE_ASSIGN, at, ct_read_path(p));
}

static bool at_offset(const ct_parser *p)
{
    return ct_is(p, CT_TOKEN_WORD) && strcmp(ct_name_text(p->ctx, p->token.name), "offset") == 0;
}

static ct_node read_event(ct_parser *p, ct_node_kind kind, uint32_t at)
{
    ct_children parts = {0};
    ct_add(p, &parts, ct_read_expr(p));
    ct_check_condition(p);
    if (kind == CT_NODE_EVERY && at_offset(p)) {
        ct_advance(p);
        ct_add(p, &parts, ct_read_expr(p));
    }
    read_braces(p, read_assignment, false, &parts);
    return ct_make(p, kind, at, 0, parts);
}

ct_node ct_read_when(ct_parser *p, uint32_t at)
{
    return read_event(p, CT_NODE_WHEN, at);
}

ct_node ct_read_every(ct_parser *p, uint32_t at)
{
    return read_event(p, CT_NODE_EVERY, at);
}

/* ---- fields ------------------------------------------------------------------------------- */

static ct_node read_equation(ct_parser *p)
{
    uint32_t at = p->token.at;
    return read_sides(p, CT_NODE_EQUATION, at, ct_read_expr(p));
}

/* `field p, q over x = 0..length { equations }` */
ct_node ct_read_field(ct_parser *p, uint32_t at)
{
    ct_children parts = {0};
    do
        ct_add(p, &parts, ct_read_id(p, CT_NAME_VALUE, "a variable of the field"));
    while (ct_accept(p, ','));
    ct_expect(p, CT_TOKEN_OVER, "`,` or `over`");
    ct_name axis = read_range(p, &parts);
    read_braces(p, read_equation, true, &parts);
    return ct_make(p, CT_NODE_CONTINUUM, at, axis, parts);
}

/* `at x = 0 { equations }` */
ct_node ct_read_at(ct_parser *p, uint32_t at)
{
    ct_children parts = {0};
    ct_name axis = ct_read_word(p, CT_NAME_VALUE, "the axis of the field");
    ct_expect(p, '=', "`=`");
    ct_add(p, &parts, ct_read_expr(p));
    read_braces(p, read_equation, true, &parts);
    return ct_make(p, CT_NODE_AT, at, axis, parts);
}

/* ---- frames ------------------------------------------------------------------------------- */

static ct_node read_frame(ct_parser *p)
{
    uint32_t at = p->token.at;
    if (at_repeat(p)) {
        ct_children parts = {0};
        ct_advance(p);
        ct_name index = read_range(p, &parts);
        ct_add(p, &parts, ct_read_frames(p));
        return ct_make(p, CT_NODE_REPEAT, at, index, parts);
    }
    return read_sides(p, CT_NODE_FRAME, at, ct_read_name(p, CT_NAME_THING, "the name of a frame"));
}

ct_node ct_read_frames(ct_parser *p)
{
    uint32_t at = p->token.at;
    ct_children frames = {0};
    if (!ct_is(p, '{'))
        ct_unexpected(p, "`{`", NULL);
    else if (ct_enter(p))
        read_entries(p, read_frame, true, &frames);
    ct_leave(p);
    return ct_make(p, CT_NODE_FRAMES, at, 0, frames);
}
