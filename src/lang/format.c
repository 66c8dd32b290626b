/* format.c - the whole text: entries in the order of the source, with their comments and blank
 * lines. */
#include "lang/format.h"

#include <string.h>

/* ---- comments and blank lines ------------------------------------------------------------- */

static uint32_t count_lines(const ct_formatter *p, uint32_t from, uint32_t to)
{
    uint32_t lines = 0;
    for (uint32_t i = from; i < to && i < p->source->length; i++)
        lines += p->source->text[i] == '\n';
    return lines;
}

/* Groups stay apart: what had a blank line before it gets one. */
static void put_gap(ct_formatter *p, uint32_t at)
{
    if (!p->fresh && count_lines(p, p->cursor, at) > 1)
        ct_put_char(p->out, '\n');
    p->fresh = false;
}

static bool comment_before(const ct_formatter *p, uint32_t at)
{
    return p->comment < p->s->comment_count && p->s->comment[p->comment].at < at;
}

static void put_comment(ct_formatter *p)
{
    const ct_comment *c = &p->s->comment[p->comment++];
    uint32_t length = c->length;
    while (length && strchr(" \t\r", p->source->text[c->at + length - 1]))
        length--;
    ct_put_bytes(p->out, p->source->text + c->at, length);
    if (c->at + c->length > p->cursor)
        p->cursor = c->at + c->length;
}

/* Comments on lines of their own. */
static void put_comments_before(ct_formatter *p, uint32_t at)
{
    while (comment_before(p, at)) {
        put_gap(p, p->s->comment[p->comment].at);
        ct_put_repeat(p->out, ' ', p->indent);
        put_comment(p);
        ct_put_char(p->out, '\n');
    }
}

/* Comments inside a statement have lost their place: they stand before it. */
static void put_comments_inside(ct_formatter *p, uint32_t end)
{
    while (comment_before(p, end)) {
        ct_put_repeat(p->out, ' ', p->indent);
        put_comment(p);
        ct_put_char(p->out, '\n');
    }
}

static bool only_separators(const ct_formatter *p, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (!strchr(" \t\r;,", p->source->text[i]))
            return false;
    return true;
}

/* Ends the line of what ended at `end`, with the comment behind it. */
static void end_line(ct_formatter *p, uint32_t end)
{
    if (end > p->cursor)
        p->cursor = end;
    if (p->comment < p->s->comment_count) {
        uint32_t at = p->s->comment[p->comment].at;
        if (at >= end && only_separators(p, end, at)) {
            ct_put(p->out, "  ");
            put_comment(p);
        }
    }
    ct_put_char(p->out, '\n');
}

/* ---- entries ------------------------------------------------------------------------------ */

static void put_entry(ct_formatter *p, ct_node n);

/* The entries of a body and the comments up to its end. */
static void put_entries(ct_formatter *p, ct_node first, uint32_t end)
{
    p->fresh = true;
    for (ct_node n = first; n; n = ct_at(p->s, n)->next)
        put_entry(p, n);
    put_comments_before(p, end);
    p->fresh = false;
}

static void put_body(ct_formatter *p, ct_enclosed body)
{
    p->indent += CT_INDENT;
    put_entries(p, body.first, body.close);
    p->indent -= CT_INDENT;
}

/* The blocks after the first one of an `if`. Comments before their `{` end the block before. */
static void put_otherwise(ct_formatter *p, ct_node n)
{
    ct_node block = ct_at(p->s, ct_at(p->s, n)->first)->next;
    ct_node other = ct_at(p->s, block)->next;
    while (other) {
        bool chain = ct_at(p->s, other)->kind == CT_NODE_IF_STMT;
        ct_line_put(p, chain ? "} else " : "} else");
        ct_enclosed body = chain ? ct_format_head(p, other) : ct_format_block_head(p, other);
        p->indent += CT_INDENT;
        put_comments_before(p, body.open);
        p->indent -= CT_INDENT;
        ct_line_flush(p);
        end_line(p, body.open);
        put_body(p, body);
        block = chain ? ct_at(p->s, ct_at(p->s, other)->first)->next : 0;
        other = chain ? ct_at(p->s, block)->next : 0;
    }
}

static void put_entry(ct_formatter *p, ct_node n)
{
    const ct_syntax_node *node = ct_at(p->s, n);
    uint32_t end = node->at + node->length;
    ct_enclosed body = ct_format_head(p, n);
    put_comments_before(p, node->at);
    put_gap(p, node->at);
    put_comments_inside(p, body.closer ? body.open : end);
    ct_line_flush(p);
    end_line(p, body.closer ? body.open : end);
    if (!body.closer)
        return;
    put_body(p, body);
    if (node->kind == CT_NODE_IF_STMT)
        put_otherwise(p, n);
    ct_put_repeat(p->out, ' ', p->indent);
    ct_put(p->out, body.closer);
    end_line(p, end);
}

void ct_format(const ct_syntax *s, ct_text *out)
{
    ct_formatter p = {.s = s, .source = ct_source_get(s->ctx, s->source), .out = out};
    p.line = ct_text_new(s->arena);
    if (!s->root)
        return;
    if (ct_at(s, s->root)->kind == CT_NODE_FILE) {
        put_entries(&p, ct_at(s, s->root)->first, UINT32_MAX);
        return;
    }
    ct_format_expr(&p, s->root);
    ct_put_bytes(out, p.line.at, p.line.length);
}
