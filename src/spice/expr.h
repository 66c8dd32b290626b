/* expr.h - what expr.c and function.c share: an expression that is being read. */
#ifndef CT_SPICE_EXPR_H
#define CT_SPICE_EXPR_H

#include "spice/reader.h"

typedef struct parsing {
    reader *r;
    uint32_t at, end, depth;
    bool failed;
} parsing;

/* A value, or a condition. */
typedef struct operand {
    value v;
    bool logic;
} operand;

typedef struct arguments {
    CT_VEC(operand) list;
} arguments;

operand ct_sp_nothing(parsing *p);
operand ct_sp_fail(parsing *p, uint32_t from, uint32_t width, const char *code, const char *what);
operand ct_sp_choose(parsing *p, operand condition, operand a, operand b);
bool ct_sp_is_function(reader *r, token word); /* can it be called? v(..) and the like as well */
bool ct_sp_is_named(reader *r, token word);    /* the same without these */
/* A call of the function `word` with arguments that are read; functions of .func come first. */
operand ct_sp_apply(parsing *p, token word, const arguments *a);

#endif
