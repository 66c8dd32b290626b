/* format_line.c - one line of the formatter, and where it is broken. */
#include "lang/format.h"

#include <string.h>

void ct_line_put(ct_formatter *p, const char *text)
{
    ct_put(&p->line, text);
    p->after_unit = p->statement_word = false;
}

void ct_line_putc(ct_formatter *p, char c)
{
    ct_put_char(&p->line, c);
    p->after_unit = p->statement_word = false;
}

void ct_line_name(ct_formatter *p, ct_name name)
{
    ct_line_put(p, ct_name_text(p->s->ctx, name));
}

void ct_line_open(ct_formatter *p, char bracket)
{
    ct_line_putc(p, bracket);
    p->brackets++;
}

void ct_line_close(ct_formatter *p, char bracket)
{
    ct_line_putc(p, bracket);
    p->brackets--;
}

void ct_line_break(ct_formatter *p, const char *text, ct_break_rank rank)
{
    ct_line_put(p, text);
    ct_break_place place = {(uint32_t)p->line.length, 3 * p->brackets + (uint32_t)rank};
    if (!p->compact)
        CT_PUSH(p->s->arena, p->breaks, place);
}

void ct_line_cut(ct_formatter *p, size_t length)
{
    p->line.length = length;
    while (p->breaks.count && p->breaks.at[p->breaks.count - 1].at > length)
        p->breaks.count--;
}

/* The best break for a line that begins at `start`, has room for `room` bytes and may use the
 * breaks from `next` on: the outermost one in the second half, the last of these; else any. */
static uint32_t choose_break(const ct_formatter *p, uint32_t next, size_t start, size_t room)
{
    uint32_t best = next;
    for (uint32_t i = next + 1; i < p->breaks.count && p->breaks.at[i].at <= start + room + 1;
         i++) {
        bool early = p->breaks.at[best].at < start + room / 2;
        if (early || p->breaks.at[i].level <= p->breaks.at[best].level)
            best = i;
    }
    return best;
}

static void put_piece(ct_formatter *p, size_t start, size_t end, size_t indent)
{
    while (end > start && p->line.at[end - 1] == ' ')
        end--;
    ct_put_repeat(p->out, ' ', indent);
    ct_put_bytes(p->out, p->line.at + start, end - start);
}

void ct_line_flush(ct_formatter *p)
{
    size_t start = 0, indent = p->indent;
    uint32_t next = 0;
    while (p->line.length - start + indent > CT_LINE_WIDTH && next < p->breaks.count) {
        next = choose_break(p, next, start, CT_LINE_WIDTH - indent);
        size_t end = p->breaks.at[next++].at;
        put_piece(p, start, end, indent);
        ct_put_char(p->out, '\n');
        start = end;
        indent = p->indent + CT_CONTINUATION;
    }
    put_piece(p, start, p->line.length, indent);
    p->line.length = 0;
    p->breaks.count = 0;
    p->after_unit = false;
}
