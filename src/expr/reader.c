/* reader.c - reads the differentials of ops.def.
 *
 * The language is that of models without units. Expressions are built at once, on the operands of
 * one call; the texts are short and fixed, so that the reader may recurse. A text that it does not
 * understand gives no differential (0), and a test reads them all. */
#include <string.h>

#include "expr/pool.h"

typedef struct reader {
    ct_pool *pool;
    const char *at;
    ct_expr y;         /* the call whose differential is read */
    const ct_expr *dx; /* differentials of its operands */
} reader;

enum { MOST_OPERANDS = 8, LONGEST_WORD = 31 };

static ct_expr read_choice(reader *r);

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9');
}

/* Takes a word or sign; a word must end where it does. */
static bool accept(reader *r, const char *word)
{
    size_t length = strlen(word);
    while (*r->at == ' ')
        r->at++;
    if (strncmp(r->at, word, length) != 0 || (is_letter(word[0]) && is_letter(r->at[length])))
        return false;
    r->at += length;
    return true;
}

static ct_expr read_all_operands(reader *r, ct_op op)
{
    uint32_t count = ct_expr_arity(r->pool, r->y);
    ct_expr *x = CT_NEW_ARRAY(r->pool->arena, ct_expr, count);
    for (uint32_t i = 0; i < count; i++)
        x[i] = ct_expr_operand(r->pool, r->y, i);
    return accept(r, ")") ? ct_expr_call(r->pool, op, x, count) : 0;
}

static ct_expr read_call(reader *r, ct_op op)
{
    ct_expr x[MOST_OPERANDS];
    uint32_t count = 0;
    if (!accept(r, "("))
        return ct_op_arity(op) == 0 ? ct_expr_call(r->pool, op, NULL, 0) : 0;
    if (accept(r, "*"))
        return read_all_operands(r, op);
    do
        x[count++] = read_choice(r);
    while (count < MOST_OPERANDS && accept(r, ","));
    return accept(r, ")") ? ct_expr_call(r->pool, op, x, count) : 0;
}

static ct_expr read_word(reader *r)
{
    char word[LONGEST_WORD + 1];
    size_t length = 0;
    while (is_letter(r->at[length]) && length < LONGEST_WORD)
        length++;
    memcpy(word, r->at, length);
    word[length] = '\0';
    r->at += length;
    uint32_t operand = (uint32_t)(word[0] - 'a');
    ct_op op;
    if (length == 1 && word[0] == 'y')
        return r->y;
    if (length == 1 && operand < ct_expr_arity(r->pool, r->y))
        return accept(r, "'") ? r->dx[operand] : ct_expr_operand(r->pool, r->y, operand);
    return ct_op_find(word, &op) ? read_call(r, op) : 0;
}

static size_t count_digits(const char *text)
{
    size_t count = 0;
    while (text[count] >= '0' && text[count] <= '9')
        count++;
    return count;
}

/* 12, 0.5, 1e-3: exact. */
static ct_expr read_number(reader *r)
{
    const char *text = r->at;
    r->at += count_digits(r->at);
    if (*r->at == '.')
        r->at += 1 + count_digits(r->at + 1);
    if (*r->at == 'e') {
        size_t sign = r->at[1] == '-' || r->at[1] == '+' ? 2 : 1, more = count_digits(r->at + sign);
        r->at += more ? sign + more : 0;
    }
    return ct_expr_decimal(r->pool, text, (size_t)(r->at - text));
}

static ct_expr read_item(reader *r)
{
    if (accept(r, "(")) {
        ct_expr inner = read_choice(r);
        return accept(r, ")") ? inner : 0;
    }
    return count_digits(r->at) ? read_number(r) : read_word(r);
}

static ct_expr read_power(reader *r)
{
    if (accept(r, "-"))
        return ct_expr_neg(r->pool, read_power(r));
    ct_expr base = read_item(r);
    return accept(r, "^") ? ct_expr_pow(r->pool, base, read_power(r)) : base;
}

static ct_expr read_product(reader *r)
{
    ct_expr all = read_power(r);
    for (;;) {
        if (accept(r, "*"))
            all = ct_expr_mul(r->pool, all, read_power(r));
        else if (accept(r, "/"))
            all = ct_expr_div(r->pool, all, read_power(r));
        else
            return all;
    }
}

static ct_expr read_sum(reader *r)
{
    ct_expr all = read_product(r);
    for (;;) {
        if (accept(r, "+"))
            all = ct_expr_add(r->pool, all, read_product(r));
        else if (accept(r, "-"))
            all = ct_expr_sub(r->pool, all, read_product(r));
        else
            return all;
    }
}

static ct_expr read_relation(reader *r)
{
    static const ct_op ops[] = {CT_OP_LESS_EQUAL, CT_OP_GREATER_EQUAL, CT_OP_EQUAL,
                                CT_OP_UNEQUAL,    CT_OP_LESS,          CT_OP_GREATER};
    if (accept(r, "not"))
        return ct_expr_call1(r->pool, CT_OP_NOT, read_relation(r));
    ct_expr left = read_sum(r);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (accept(r, ct_op_word(ops[i])))
            return ct_expr_call2(r->pool, ops[i], left, read_sum(r));
    return left;
}

static ct_expr read_and(reader *r)
{
    ct_expr all = read_relation(r);
    while (accept(r, "and"))
        all = ct_expr_call2(r->pool, CT_OP_AND, all, read_relation(r));
    return all;
}

static ct_expr read_or(reader *r)
{
    ct_expr all = read_and(r);
    while (accept(r, "or"))
        all = ct_expr_call2(r->pool, CT_OP_OR, all, read_and(r));
    return all;
}

static ct_expr read_choice(reader *r)
{
    if (!accept(r, "if"))
        return read_or(r);
    ct_expr x[3] = {read_choice(r)};
    if (!accept(r, "then"))
        return 0;
    x[1] = read_choice(r);
    if (!accept(r, "else"))
        return 0;
    x[2] = read_choice(r);
    return ct_expr_call(r->pool, CT_OP_IF, x, 3);
}

ct_expr ct_read_differential(ct_pool *pool, const char *text, ct_expr y, const ct_expr *dx)
{
    reader r = {pool, text, y, dx};
    ct_expr result = read_choice(&r);
    return *r.at ? 0 : result;
}
