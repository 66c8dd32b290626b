/* code.h - expressions as lines of a programming language: valid names, and names for what the
 * language cannot write inside of an expression. */
#ifndef CT_EXPORT_CODE_H
#define CT_EXPORT_CODE_H

#include "base/hash.h"
#include "base/vec.h"
#include "model/model.h"

typedef struct ct_code_language {
    const char *const *reserved; /* words besides functions that are no names; ends with NULL */
    const char *(*spelling)(ct_op op); /* a column of ops.def */
    const char *power;                 /* "**" */
    const char *line_end;              /* ";" */
} ct_code_language;

typedef struct ct_code_writer {
    ct_context *ctx;
    ct_arena *arena;
    ct_pool *pool;    /* of the expressions met last */
    ct_pool *written; /* of what is printed: where values are equal, a pool keeps the form that it
                         met first, which must not have names of the model */
    const ct_code_language *language;
    ct_text *out;
    const char *indent;
    ct_map name;      /* of symbols -> a valid one */
    ct_map used;      /* valid names */
    ct_map done;      /* node -> what is printed for it */
    uint32_t helper;  /* names q1, q2, .. so far */
    ct_expr stranger; /* what the language cannot express; 0: nothing so far */
} ct_code_writer;

ct_code_writer ct_code_new(ct_context *ctx, ct_arena *arena, const ct_code_language *language,
                           ct_text *out);
/* A model's name with what no name of a program may hold replaced; `model` where it has none. */
const char *ct_program_name(ct_context *ctx, ct_name model, ct_arena *arena);
const char *ct_code_name(ct_code_writer *code, ct_name symbol);
/* The expression as text; lines that it needs before are written to `out`. */
const char *ct_code_expr(ct_code_writer *code, ct_pool *pool, ct_expr e);

#endif
