/* format.h - what the files of the formatter share.
 *
 * A statement is first put into `line`, with the places where it may be broken; then its comments
 * and the line itself go to `out`.
 */
#ifndef CT_LANG_FORMAT_H
#define CT_LANG_FORMAT_H

#include "base/vec.h"
#include "lang/syntax.h"

typedef struct ct_break_place {
    uint32_t at;    /* where the next line would begin */
    uint32_t level; /* lower ones are better */
} ct_break_place;

typedef struct ct_formatter {
    const ct_syntax *s;
    const ct_source *source;
    ct_text *out, line;
    CT_VEC(ct_break_place) breaks;
    uint32_t brackets;   /* open in the line */
    bool compact;        /* in the hole of a name: no blanks, no breaks */
    bool after_unit;     /* a `/` now needs blanks, else it would belong to the unit */
    bool statement_word; /* a statement word here would be taken for one: it needs brackets */
    uint32_t comment;    /* the next one */
    uint32_t cursor;     /* end of what was printed last, in the source */
    uint32_t indent;
    bool fresh; /* nothing was printed in this block yet */
} ct_formatter;

/* ---- the line (format_line.c) */
void ct_line_put(ct_formatter *p, const char *text);
void ct_line_putc(ct_formatter *p, char c);
void ct_line_name(ct_formatter *p, ct_name name);
void ct_line_open(ct_formatter *p, char bracket);
void ct_line_close(ct_formatter *p, char bracket);
/* Text with a blank and a place to break behind it: ", " or " + ". */
typedef enum ct_break_rank { CT_BREAK_ROW, CT_BREAK_COMMA, CT_BREAK_OPERATOR } ct_break_rank;
void ct_line_break(ct_formatter *p, const char *text, ct_break_rank rank);
void ct_line_cut(ct_formatter *p, size_t length); /* takes back what was put after this length */
void ct_line_flush(ct_formatter *p);              /* to out, without the last newline */

enum { CT_LINE_WIDTH = 100, CT_INDENT = 2, CT_CONTINUATION = 4 };

/* ---- expressions and names (format_expr.c) */
void ct_format_expr(ct_formatter *p, ct_node n);
void ct_format_sum(ct_formatter *p, ct_node n);       /* as strong as a sum, else in brackets */
void ct_format_left_side(ct_formatter *p, ct_node n); /* of an equation */
void ct_format_list(ct_formatter *p, ct_node first, void (*one)(ct_formatter *p, ct_node n));
void ct_format_index(ct_formatter *p, ct_node first); /* `[1,3]` */
void ct_format_name(ct_formatter *p, ct_node n);      /* NAME or ID */
void ct_format_path(ct_formatter *p, ct_node n);
void ct_format_string(ct_formatter *p, ct_node n);

/* ---- heads of statements (format_stmt.c) */
/* What stands in braces, or between head and `end`, one entry a line. */
typedef struct ct_enclosed {
    ct_node first;
    uint32_t open, close; /* end of the head, begin of the closer; in the source */
    const char *closer;   /* NULL: no body */
} ct_enclosed;

/* Puts the statement, or the head of one with a body, into the line. */
ct_enclosed ct_format_head(ct_formatter *p, ct_node n);
ct_enclosed ct_format_block_head(ct_formatter *p, ct_node block); /* ` {` */

#endif
