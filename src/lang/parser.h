/* parser.h - what the files of the parser share.
 *
 * Recursive descent, one token ahead. The first error of a statement starts a panic: from then on
 * the parser sees only CT_TOKEN_STOP, which no rule accepts, so that every rule ends at once and
 * silently; the statement loop drops the statement, skips to its end and goes on (recover.c).
 */
#ifndef CT_LANG_PARSER_H
#define CT_LANG_PARSER_H

#include "lang/lexer.h"

struct ct_parser {
    ct_context *ctx;
    ct_lexer lex;
    ct_token token; /* the next one, not yet taken */
    ct_token last;  /* the one taken before */
    ct_token stuck; /* where the panic began */
    CT_VEC(ct_syntax_node) node;
    uint64_t kinds;    /* of the nodes made so far: ct_syntax.kinds */
    uint32_t start;    /* of this statement or entry, in the text */
    uint32_t depth;    /* of nesting */
    uint32_t base;     /* open brackets outside this statement */
    bool panic;        /* an error was reported, the rest of the statement is skipped */
    bool suspect;      /* one was reported and read over: a further one may only follow from it */
    bool again;        /* `stuck` begins a new statement */
    bool broken;       /* any error */
    bool unclosed;     /* a missing `}` or `end` was reported at the end of the text */
    bool in_element;   /* items are allowed, `a = b` is an equation */
    bool in_list;      /* between [ ]: a sign that touches what follows it lacks a comma */
    uint32_t open_end; /* definitions that wait for their `end` */
    ct_node ready;     /* an operand that was read ahead, the first of its expression; 0: none */
};

/* ---- tokens (parse.c) */
void ct_advance(ct_parser *p);
bool ct_accept(ct_parser *p, uint8_t kind);
void ct_expect(ct_parser *p, uint8_t kind, const char *wanted);
bool ct_at_statement_end(const ct_parser *p);
static inline bool ct_is(const ct_parser *p, uint8_t kind)
{
    return p->token.kind == kind;
}
static inline ct_place ct_token_place(const ct_parser *p, ct_token token)
{
    return (ct_place){p->lex.source, token.at, token.length};
}

/* ---- nodes: made when their last token has been taken */
typedef struct ct_children {
    ct_node first, last;
} ct_children;

/* 0 is left out. */
static inline void ct_add(ct_parser *p, ct_children *children, ct_node child)
{
    if (!child)
        return;
    *(children->last ? &p->node.at[children->last].next : &children->first) = child;
    children->last = child;
}

static inline ct_node ct_make(ct_parser *p, ct_node_kind kind, uint32_t at, ct_name name,
                              ct_children children)
{
    uint32_t end = p->last.at + p->last.length, length = end > at ? end - at : 0;
    p->kinds |= kind < 64 ? (uint64_t)1 << kind : 0;
    CT_PUSH(p->lex.arena, p->node,
            (ct_syntax_node){(uint16_t)kind, 0, at, length, children.first, 0, name});
    return p->node.count - 1;
}

static inline ct_node ct_make_around(ct_parser *p, ct_node_kind kind, uint32_t at, ct_node child)
{
    return ct_make(p, kind, at, 0, (ct_children){child, child});
}

static inline ct_syntax_node *ct_edit(ct_parser *p, ct_node n)
{
    return &p->node.at[n];
}

/* Counts a level of nesting; false, and a panic, when there are too many. Always leave. */
bool ct_enter(ct_parser *p);
void ct_leave(ct_parser *p);

/* ---- errors (recover.c) */
/* Reports, unless the statement is given up already, and starts the panic. help may be NULL. */
void ct_fail(ct_parser *p, const char *code, ct_place place, const char *message,
             const char *help) CT_RARE;
/* Reports and reads on. */
void ct_complain(ct_parser *p, const char *code, ct_place place, const char *message,
                 const char *help) CT_RARE;
/* The next token does not fit; `wanted` says what would ("a name"). */
void ct_unexpected(ct_parser *p, const char *wanted, const char *help) CT_RARE;
void ct_panic(ct_parser *p); /* gives the statement up without a word */
/* After an error in the head of a block: ends the panic at its `{`, so that the statements of the
 * block are read for their own errors. False: the statement has none. */
bool ct_skip_to_block(ct_parser *p);
/* Ends the panic: skips to the end of the statement, or of the entry if commas end entries. */
void ct_recover(ct_parser *p, bool comma_ends);
/* `name : type`, `end`, or a statement word and what cannot follow it in an expression. */
bool ct_looks_like_statement(const ct_parser *p, ct_token token);
const char *ct_token_text(ct_parser *p, ct_token token); /* "`x`", "the end of the line" */
uint32_t ct_line_of(const ct_parser *p, uint32_t at);

/* ---- names and expressions (parse_name.c, parse_expr.c) */
typedef enum ct_name_use { CT_NAME_THING, CT_NAME_VALUE } ct_name_use;

bool ct_is_reserved(uint8_t kind);
void ct_fail_reserved(ct_parser *p); /* the next word cannot be a name */
ct_name ct_read_word(ct_parser *p, ct_name_use use, const char *wanted); /* plain, declared */
ct_node ct_read_id(ct_parser *p, ct_name_use use, const char *wanted);   /* ID */
ct_node ct_read_name(ct_parser *p, ct_name_use use, const char *wanted); /* NAME, declared */
/* The next word as a name, reserved or not; with holes 0, and its NAME goes to the parts. */
ct_name ct_take_name(ct_parser *p, ct_children *parts);
ct_node ct_read_string(ct_parser *p, const char *wanted);
ct_node ct_read_path(ct_parser *p);
ct_node ct_read_unit(ct_parser *p);
bool ct_unit_follows(const ct_parser *p);
bool ct_up_to_follows(const ct_parser *p); /* a number or a list was read */
ct_node ct_read_expr(ct_parser *p);
ct_node ct_read_sum(ct_parser *p);
void ct_read_expr_list(ct_parser *p, ct_children *children);
void ct_read_index(ct_parser *p, ct_children *children); /* [ list(expr) ] */
bool ct_read_suffix(ct_parser *p, ct_children *parts);   /* .name or [index]; false: neither */
void ct_check_condition(ct_parser *p);                   /* `=` where `==` is meant */

/* ---- statements */
/* Statements up to `end_kind` (`}`, CT_TOKEN_END_WORD or CT_TOKEN_END), which is not taken. */
void ct_read_statements(ct_parser *p, uint8_t end_kind, ct_children *children);
ct_node ct_read_statement(ct_parser *p);
ct_node ct_read_block(ct_parser *p);
ct_node ct_read_frames(ct_parser *p);
ct_node ct_read_decls(ct_parser *p, ct_node_kind kind, uint32_t at);
void ct_read_keys(ct_parser *p, ct_children *children);
/* A component that a single line holds, the next token behind it; 0: nothing has changed. */
ct_node ct_read_quick_component(ct_parser *p);
/* A component, a setting or an equation. */
ct_node ct_read_other_statement(ct_parser *p);
/* The statement that begins with this word, which has been taken; rows of a table. */
ct_node ct_read_word_statement(ct_parser *p, ct_token word);
ct_node ct_read_repeat(ct_parser *p, uint32_t at);
ct_node ct_read_if(ct_parser *p, uint32_t at);
ct_node ct_read_when(ct_parser *p, uint32_t at);
ct_node ct_read_every(ct_parser *p, uint32_t at);
ct_node ct_read_field(ct_parser *p, uint32_t at);
ct_node ct_read_at(ct_parser *p, uint32_t at);
ct_node ct_read_system(ct_parser *p, uint32_t at);
ct_node ct_read_element(ct_parser *p, uint32_t at);
ct_node ct_read_port(ct_parser *p, uint32_t at);
ct_node ct_read_edges(ct_parser *p, uint32_t at);
ct_node ct_read_choice(ct_parser *p, uint32_t at);
ct_node ct_read_undetermined(ct_parser *p, uint32_t at);
ct_node ct_read_remark(ct_parser *p, uint32_t at);
ct_node ct_read_energy_item(ct_parser *p, uint32_t at);
ct_node ct_read_coenergy(ct_parser *p, uint32_t at);
ct_node ct_read_loss(ct_parser *p, uint32_t at);
ct_node ct_read_pair(ct_parser *p, uint32_t at);
ct_node ct_read_slip(ct_parser *p, uint32_t at);
ct_node ct_read_source(ct_parser *p, uint32_t at);

#endif
