/* parse.c - tokens and nodes for all parts of the parser, and where reading begins. */
#include "lang/parser.h"

#include <assert.h>

/* ---- tokens ------------------------------------------------------------------------------- */

void ct_advance(ct_parser *p)
{
    if (p->panic)
        return;
    p->last = p->token;
    ct_lex(&p->lex, &p->token);
}

bool ct_accept(ct_parser *p, uint8_t kind)
{
    if (!ct_is(p, kind))
        return false;
    ct_advance(p);
    return true;
}

void ct_expect(ct_parser *p, uint8_t kind, const char *wanted)
{
    if (!ct_accept(p, kind))
        ct_unexpected(p, wanted, NULL);
}

bool ct_at_statement_end(const ct_parser *p)
{
    return ct_is(p, CT_TOKEN_NEWLINE) || ct_is(p, ';') || ct_is(p, '}') || ct_is(p, CT_TOKEN_END);
}

/* ---- nodes -------------------------------------------------------------------------------- */

bool ct_enter(ct_parser *p)
{
    if (++p->depth <= CT_MAX_NESTING)
        return true;
    ct_fail(p, "E108", ct_token_place(p, p->token),
            ct_printf(p->ctx, "nested more than %d levels deep", (int)CT_MAX_NESTING),
            "name inner parts with `signal`, `const` or `system`");
    return false;
}

void ct_leave(ct_parser *p)
{
    p->depth--;
}

/* ---- entries ------------------------------------------------------------------------------ */

/* The first token of a text of this length. */
static void begin(ct_parser *p, uint32_t length)
{
    CT_RESERVE(p->lex.arena, p->node, 16 + length / 4); /* about what a text needs */
    CT_PUSH(p->lex.arena, p->node, (ct_syntax_node){0});
    ct_lex(&p->lex, &p->token);
    p->start = p->token.at;
}

static ct_parser *start(ct_context *ctx, uint32_t source)
{
    ct_arena *arena = ct_arena_new(ctx);
    ct_parser *p = CT_NEW(arena, ct_parser);
    p->ctx = ctx;
    ct_names_expect(ctx, ct_source_get(ctx, source)->length / 32);
    ct_lex_init(&p->lex, arena, source);
    p->broken = !ct_lex_check_bytes(&p->lex);
    begin(p, p->lex.length);
    return p;
}

static const ct_syntax *finish(ct_parser *p, ct_node root)
{
    ct_syntax *s = CT_NEW(p->lex.arena, ct_syntax);
    *s = (ct_syntax){
        .ctx = p->ctx,
        .arena = p->lex.arena,
        .source = p->lex.source,
        .node = p->node.at,
        .node_count = p->node.count,
        .root = root,
        .kinds = p->kinds,
        .comment = p->lex.comment.at,
        .comment_count = p->lex.comment.count,
        .broken = p->broken,
    };
    return s;
}

const ct_syntax *ct_parse(ct_context *ctx, uint32_t source)
{
    assert(source && source < ctx->sources.count);
    ct_parser *p = start(ctx, source);
    ct_children statements = {0};
    ct_read_statements(p, CT_TOKEN_END, &statements);
    ct_node root = ct_make(p, CT_NODE_FILE, 0, 0, statements);
    ct_edit(p, root)->length = p->lex.length;
    return finish(p, root);
}

ct_parser *ct_parser_new(ct_arena *arena)
{
    ct_parser *p = CT_NEW(arena, ct_parser);
    p->ctx = ct_arena_context(arena);
    ct_lex_init(&p->lex, arena, 0);
    return p;
}

const ct_syntax *ct_parse_statement(ct_parser *p, uint32_t source, uint32_t at, uint32_t length)
{
    *p = (ct_parser){.ctx = p->ctx, .lex = p->lex};
    ct_lex_begin(&p->lex, source, at);
    begin(p, length);
    ct_node statement = ct_read_statement(p);
    return finish(p, p->broken ? 0 : statement);
}

const ct_syntax *ct_parse_expression(ct_context *ctx, uint32_t source)
{
    ct_parser *p = start(ctx, source);
    ct_node root = ct_read_expr(p);
    while (ct_is(p, CT_TOKEN_NEWLINE))
        ct_advance(p);
    if (!ct_is(p, CT_TOKEN_END))
        ct_unexpected(p, "an operator or the end", NULL);
    return finish(p, p->broken ? 0 : root);
}

ct_node ct_child(const ct_syntax *s, ct_node n, ct_node_kind kind)
{
    for (ct_node child = s->node[n].first; child; child = s->node[child].next)
        if (s->node[child].kind == kind)
            return child;
    return 0;
}

uint32_t ct_child_count(const ct_syntax *s, ct_node n)
{
    uint32_t count = 0;
    for (ct_node c = ct_at(s, n)->first; c; c = ct_at(s, c)->next)
        count++;
    return count;
}

const char *ct_node_kind_text(ct_node_kind kind)
{
    static const char *const text[] = {"NONE",
#define CT_NODE_TEXT(name) #name,
                                       CT_NODE_LIST(CT_NODE_TEXT)
#undef CT_NODE_TEXT
    };
    return (size_t)kind < sizeof text / sizeof *text ? text[kind] : "NONE";
}
