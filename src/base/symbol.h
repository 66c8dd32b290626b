/* symbol.h - what a symbol stands for: a record beside its name.
 *
 * The name is the identity of a symbol; order of terms and fingerprints come from its text. Nobody
 * reads that text to find out what it means: who makes a symbol notes its record, once. Entries of
 * vectors are made here, whatever they stand for, and their records tell vector and number. A table
 * belongs to one model. Records are made when somebody needs them; a name without one has kind
 * CT_SYMBOL_PLAIN.
 */
#ifndef CT_BASE_SYMBOL_H
#define CT_BASE_SYMBOL_H

#include "base/name.h"
#include "base/vec.h"

typedef enum ct_symbol_kind {
    CT_SYMBOL_PLAIN, /* parameter, input, or nothing special */
    CT_SYMBOL_TIME,  /* t */
    CT_SYMBOL_EDGE,  /* owner: component, part: its edge, variable: row of the domain */
    CT_SYMBOL_NODE,  /* owner: node of the model, variable: row of the domain */
    CT_SYMBOL_OWN,   /* `var` of a component; owner: component, part: which, variable: its use */
    CT_SYMBOL_COORDINATE, /* of bodies and joints; part: 0 place, 1 speed; variable: an angle */
    CT_SYMBOL_INTEGRAL,   /* owner: the expression integral(...) */
    CT_SYMBOL_STORED,     /* e of der(e), where it jumps; owner: component, part: its equation */
    CT_SYMBOL_RATE,       /* der(...); owner: the symbol that is differentiated */
    CT_SYMBOL_SLACK,      /* what a constraint misses; owner: which. Zero but where it jumps */
} ct_symbol_kind;

typedef struct ct_symbol {
    uint32_t owner;
    uint16_t part;
    uint8_t kind, variable;
    ct_name rate;   /* symbol of its time derivative; 0: not made yet */
    ct_name vector; /* the one that it is an entry of; 0: none */
    uint32_t index; /* of the entry, from 1 */
} ct_symbol;

enum { CT_SYMBOL_PAGE = 1024 };

typedef struct ct_symbols {
    ct_context *ctx;
    ct_arena *arena;
    uint32_t **page; /* by name / CT_SYMBOL_PAGE: indices into record, 0: none; a page
                        without symbols is NULL, most names of large models are none */
    uint32_t pages;
    CT_VEC(ct_symbol) record; /* [0] is the plain one */
} ct_symbols;

ct_symbols *ct_symbols_new(ct_context *ctx, ct_arena *arena);

ct_symbols *ct_symbols_copy(const ct_symbols *from, ct_context *own, ct_arena *arena);

/* Notes what a symbol is; returns the name. What is noted already stays. */
ct_name ct_symbol_note(ct_symbols *symbols, ct_name name, ct_symbol record);

static inline ct_symbol ct_symbol_of(const ct_symbols *symbols, ct_name name)
{
    uint32_t page = name / CT_SYMBOL_PAGE;
    const uint32_t *index = page < symbols->pages ? symbols->page[page] : NULL;
    return symbols->record.at[index ? index[name % CT_SYMBOL_PAGE] : 0];
}

/* der(x), the one place where this name is made. */
ct_name ct_rate_symbol(ct_symbols *symbols, ct_name name);

/* x[3], the one place where names of entries are made; from 1. */
ct_name ct_entry_symbol(ct_symbols *symbols, ct_name vector, uint32_t index);

/* What a variable is called behind its owner: `v`, or its entry `v[2]`. */
typedef struct ct_member {
    const char *text;
    uint32_t index; /* 0: no entry */
} ct_member;

ct_name ct_owned_symbol(ct_symbols *symbols, ct_name owner, ct_member word); /* `crank.v[2]` */

/* `crank.v[2]` taken apart again, to typeset it: `crank`, `v`, `2`. A name of any other form is one
 * word. */
typedef struct ct_symbol_parts {
    const char *path, *word, *entry;
    size_t path_length, word_length, entry_length; /* 0: it has none */
} ct_symbol_parts;

ct_symbol_parts ct_symbol_split(const char *name);

/* The slack of a constraint, by its number: the one place where this name is made. */
ct_name ct_slack_symbol(ct_symbols *symbols, uint32_t number);

/* The symbol below all der( ), and how many there are. */
ct_name ct_base_symbol(const ct_symbols *symbols, ct_name name, uint32_t *order);

static inline bool ct_is_time(const ct_symbols *symbols, ct_name name)
{
    return ct_symbol_of(symbols, name).kind == CT_SYMBOL_TIME;
}

#endif
