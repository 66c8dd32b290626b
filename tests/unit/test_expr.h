/* test_expr.h - what the tests of src/expr share: a pool, and a reader of expressions as text.
 *
 * The reader is written apart from the program's own, so that printing and reading back is a test.
 * It recurses, and knows numbers, names with dots, and the operators of the model language. */
#ifndef TEST_EXPR_H
#define TEST_EXPR_H

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expr/expr.h"

static ct_context *ctx;
static ct_pool *pool;
static const char *at; /* of the reader */

static ct_expr read_expression(void);

static inline ct_name name_of(const char *text)
{
    return ct_intern_text(ctx, text);
}

static bool take(const char *word)
{
    size_t length = strlen(word);
    while (*at == ' ')
        at++;
    if (strncmp(at, word, length) != 0)
        return false;
    if (isalpha((unsigned char)*word) && (isalnum((unsigned char)at[length]) || at[length] == '_'))
        return false;
    at += length;
    return true;
}

static ct_expr read_number(void)
{
    const char *from = at;
    while (isdigit((unsigned char)*at) || *at == '.')
        at++;
    if (*at == 'e' && (isdigit((unsigned char)at[1]) || at[1] == '-')) {
        at += 2;
        while (isdigit((unsigned char)*at))
            at++;
    }
    return ct_expr_decimal(pool, from, (size_t)(at - from));
}

static ct_expr read_arguments(ct_op op)
{
    ct_expr operand[64];
    uint32_t count = 0;
    do
        operand[count++] = read_expression();
    while (count < 64 && take(","));
    assert_true(take(")"));
    return ct_expr_call(pool, op, operand, count);
}

static ct_expr read_name(void)
{
    char word[64];
    int length = 0;
    while (isalnum((unsigned char)*at) || *at == '_' || *at == '.')
        word[length++] = *at++;
    word[length] = '\0';
    ct_op op;
    if (strcmp(word, "pi") == 0)
        return ct_expr_call(pool, CT_OP_PI, NULL, 0);
    if (!take("("))
        return ct_expr_symbol(pool, name_of(word));
    if (!ct_op_find(word, &op))
        fail_msg("no function %s", word);
    return read_arguments(op);
}

static ct_expr read_item(void)
{
    while (*at == ' ')
        at++;
    if (take("(")) {
        ct_expr inner = read_expression();
        assert_true(take(")"));
        return inner;
    }
    return isdigit((unsigned char)*at) || *at == '.' ? read_number() : read_name();
}

static ct_expr read_unary(void)
{
    if (take("-"))
        return ct_expr_neg(pool, read_unary());
    ct_expr base = read_item();
    return take("^") ? ct_expr_pow(pool, base, read_unary()) : base;
}

static ct_expr read_term(void)
{
    ct_expr all = read_unary();
    for (;;) {
        if (take("*"))
            all = ct_expr_mul(pool, all, read_unary());
        else if (take("/"))
            all = ct_expr_div(pool, all, read_unary());
        else
            return all;
    }
}

static ct_expr read_sum(void)
{
    ct_expr all = read_term();
    for (;;) {
        if (take("+"))
            all = ct_expr_add(pool, all, read_term());
        else if (take("-"))
            all = ct_expr_sub(pool, all, read_term());
        else
            return all;
    }
}

static ct_expr read_relation(void)
{
    static const ct_op relation[] = {CT_OP_LESS_EQUAL, CT_OP_GREATER_EQUAL, CT_OP_EQUAL,
                                     CT_OP_UNEQUAL,    CT_OP_LESS,          CT_OP_GREATER};
    if (take("not"))
        return ct_expr_call1(pool, CT_OP_NOT, read_relation());
    ct_expr left = read_sum();
    for (size_t i = 0; i < sizeof relation / sizeof *relation; i++)
        if (take(ct_op_word(relation[i])))
            return ct_expr_call2(pool, relation[i], left, read_sum());
    return left;
}

static ct_expr read_and(void)
{
    ct_expr all = read_relation();
    while (take("and"))
        all = ct_expr_call2(pool, CT_OP_AND, all, read_relation());
    return all;
}

static ct_expr read_expression(void)
{
    if (take("if")) {
        ct_expr x[3] = {read_expression()};
        assert_true(take("then"));
        x[1] = read_expression();
        assert_true(take("else"));
        x[2] = read_expression();
        return ct_expr_call(pool, CT_OP_IF, x, 3);
    }
    ct_expr all = read_and();
    while (take("or"))
        all = ct_expr_call2(pool, CT_OP_OR, all, read_and());
    return all;
}

static inline ct_expr read(const char *text)
{
    at = text;
    ct_expr e = read_expression();
    if (*at)
        fail_msg("left unread: \"%s\" of \"%s\"", at, text);
    return e;
}

static inline const char *text_of(ct_expr e)
{
    ct_text text = ct_text_new(ct_pool_arena(pool));
    ct_expr_put(pool, &text, e);
    return ct_text_string(&text);
}

static inline const char *latex_of(ct_expr e)
{
    ct_text text = ct_text_new(ct_pool_arena(pool));
    ct_expr_put_latex(pool, &text, e);
    return ct_text_string(&text);
}

static inline void renew_pool(void)
{
    ct_pool_free(pool);
    pool = ct_pool_new(ctx);
}

/* Outside ct_protect() a lack of memory aborts, which is what a test wants. */
static inline int open_pool(void **state)
{
    (void)state;
    ctx = ct_context_new(NULL);
    pool = ct_pool_new(ctx);
    return 0;
}

static inline int close_pool(void **state)
{
    (void)state;
    ct_context_free(ctx);
    pool = NULL;
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_pool, close_pool)

#endif
