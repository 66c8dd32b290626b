/* printer.c - the stack of pieces that both printers work off. */
#include "expr/printer.h"

bool ct_is_bar(const ct_printer *p, ct_expr number)
{
    const ct_number *n = ct_number_at(p->pool, number);
    return ct_number_is_fraction(n) && !(p->rounds && ct_number_is_long(n));
}

void ct_say_number(ct_printer *p, ct_expr number, ct_number_style style)
{
    const ct_number *n = ct_number_at(p->pool, number);
    if (p->rounds && ct_number_is_long(n))
        ct_number_put_rounded(p->out, n, style);
    else
        ct_number_put(p->out, n, style);
}

static void expand(ct_printer *p, const ct_piece *piece, const ct_print_style *style)
{
    switch (piece->kind) {
    case CT_PIECE_TEXT:
        return;
    case CT_PIECE_EXPR:
        style->expr(p, piece->e, piece->bind);
        return;
    case CT_PIECE_TERM:
        style->product(p, piece->e, piece->c);
        return;
    case CT_PIECE_POWER:
        style->power(p, piece->e, piece->c);
        return;
    case CT_PIECE_NUMBER:
        ct_say_number(p, piece->c, style->number);
        return;
    case CT_PIECE_REST:
        ct_say_rest(p, piece);
        return;
    case CT_PIECE_PART:
        ct_number_put_part(p->out, ct_number_at(p->pool, piece->c), piece->bind);
    }
}

bool ct_print(ct_pool *pool, ct_text *out, ct_expr e, size_t most, bool rounds,
              const ct_print_style *style)
{
    ct_printer p = {.pool = pool, .arena = ct_arena_new(pool->ctx), .out = out, .rounds = rounds};
    size_t begin = out->length;
    if (e)
        ct_say_expr(&p, e, CT_BIND_IF);
    while (p.todo.count > 0 && out->length - begin <= most) {
        ct_piece piece = p.todo.at[--p.todo.count];
        p.first = p.todo.count;
        if (piece.kind == CT_PIECE_TEXT)
            ct_put(out, piece.text);
        else
            expand(&p, &piece, style);
        for (uint32_t i = p.first, k = p.todo.count; i + 1 < k; i++) { /* the first one on top */
            ct_piece last = p.todo.at[--k];
            p.todo.at[k] = p.todo.at[i];
            p.todo.at[i] = last;
        }
    }
    bool all = p.todo.count == 0;
    ct_arena_free(p.arena);
    return all;
}

void ct_say(ct_printer *p, const char *text)
{
    CT_PUSH(p->arena, p->todo, (ct_piece){.kind = CT_PIECE_TEXT, .text = text});
}

void ct_say_expr(ct_printer *p, ct_expr e, int bind)
{
    CT_PUSH(p->arena, p->todo, (ct_piece){.kind = CT_PIECE_EXPR, .e = e, .bind = bind});
}

void ct_say_piece(ct_printer *p, ct_piece_kind kind, ct_expr e, ct_expr c)
{
    CT_PUSH(p->arena, p->todo, (ct_piece){.kind = kind, .e = e, .c = c});
}

bool ct_is_half(const ct_pool *pool, ct_expr number)
{
    const ct_number *n = ct_number_at(pool, number);
    return n->form == CT_SMALL && n->den == 2 && (n->num == 1 || n->num == -1);
}

static int product_strength(const ct_pool *pool, const uint32_t *word, uint32_t count)
{
    if (ct_num_sign(pool, word[0]) < 0)
        return CT_BIND_SUM;
    if (count > 1 || word[0] != CT_ONE || ct_num_sign(pool, word[2]) < 0)
        return CT_BIND_PRODUCT;
    return ct_is_half(pool, word[2]) ? CT_BIND_ATOM : CT_BIND_POWER;
}

int ct_strength_of(const ct_pool *pool, ct_expr e)
{
    const ct_expr_node *node = ct_node_at(pool, e);
    switch ((ct_expr_kind)node->kind) {
    case CT_EXPR_NUMBER:
        if (ct_num_sign(pool, e) < 0)
            return CT_BIND_SUM;
        return ct_number_is_fraction(ct_number_at(pool, e)) ? CT_BIND_PRODUCT : CT_BIND_ATOM;
    case CT_EXPR_SYMBOL:
        return CT_BIND_ATOM;
    case CT_EXPR_SUM:
        return CT_BIND_SUM;
    case CT_EXPR_PRODUCT:
        return product_strength(pool, pool->word.at + node->first, node->count);
    case CT_EXPR_CALL:
        break;
    }
    int strength = ct_op_at((ct_op)node->op)->strength;
    return strength ? strength : CT_BIND_ATOM;
}

/* `and` and `or` group to the left, relations do not chain, a power wants atoms. */
int ct_operand_bind(const ct_op_row *row, uint32_t operand)
{
    if (row->strength == CT_BIND_FUNCTION || row->strength == CT_BIND_IF)
        return CT_BIND_IF;
    bool same = row->strength == CT_BIND_NOT || (row->traits & CT_CHAIN && operand == 0);
    return same ? row->strength : row->strength + 1;
}

/* ---- sums */

bool ct_is_turned_sum(const ct_pool *pool, ct_expr e)
{
    const ct_expr_node *node = ct_node_at(pool, e);
    if (node->kind != CT_EXPR_PRODUCT)
        return false;
    const uint32_t *word = pool->word.at + node->first;
    return node->count == 1 && word[0] == CT_MINUS_ONE && word[2] == CT_ONE &&
           ct_is(pool, word[1], CT_EXPR_SUM);
}

static bool is_minus(const ct_pool *pool, ct_expr c, bool flip)
{
    return (ct_num_sign(pool, c) < 0) != flip;
}

static void say_term(ct_printer *p, ct_expr sum, uint32_t i, bool flip, bool first)
{
    bool constant = i == ct_expr_arity(p->pool, sum);
    ct_expr c = constant ? ct_expr_constant(p->pool, sum) : ct_expr_coefficient(p->pool, sum, i);
    bool minus = is_minus(p->pool, c, flip);
    ct_say(p, first ? (minus ? "-" : "") : minus ? " - " : " + ");
    if (constant)
        ct_say_piece(p, CT_PIECE_NUMBER, 0, c);
    else
        ct_say_piece(p, CT_PIECE_TERM, ct_expr_operand(p->pool, sum, i), c);
}

static ct_expr sum_of(ct_pool *pool, ct_expr e, bool *flip)
{
    *flip = ct_is(pool, e, CT_EXPR_PRODUCT);
    return *flip ? ct_expr_operand(pool, e, 0) : e;
}

static uint32_t count_terms(ct_pool *pool, ct_expr sum)
{
    return ct_expr_arity(pool, sum) + (ct_expr_constant(pool, sum) != CT_ZERO);
}

/* The first term without a minus begins, the constant is the last one. */
void ct_say_sum(ct_printer *p, ct_expr e)
{
    ct_pool *pool = p->pool;
    bool flip;
    ct_expr sum = sum_of(pool, e, &flip);
    uint32_t terms = ct_expr_arity(pool, sum), all = count_terms(pool, sum), start = 0;
    for (start = 0; start < all; start++) {
        ct_expr c =
            start < terms ? ct_expr_coefficient(pool, sum, start) : ct_expr_constant(pool, sum);
        if (!is_minus(pool, c, flip))
            break;
    }
    if (start == all)
        start = 0;
    say_term(p, sum, start, flip, true);
    CT_PUSH(p->arena, p->todo, (ct_piece){.kind = CT_PIECE_REST, .e = e, .bind = (int)start});
}

/* Term by term, because the text may end before the last of many. */
void ct_say_rest(ct_printer *p, const ct_piece *rest)
{
    bool flip;
    ct_expr sum = sum_of(p->pool, rest->e, &flip);
    uint32_t i = rest->c + (rest->c == (uint32_t)rest->bind);
    if (i >= count_terms(p->pool, sum))
        return;
    say_term(p, sum, i, flip, false);
    CT_PUSH(p->arena, p->todo,
            (ct_piece){.kind = CT_PIECE_REST, .e = rest->e, .c = i + 1, .bind = rest->bind});
}

/* ---- products */

ct_sides ct_count_sides(ct_pool *pool, ct_expr e)
{
    ct_sides sides = {0, 0};
    if (!ct_is(pool, e, CT_EXPR_PRODUCT))
        return (ct_sides){1, 0};
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++)
        ++*(ct_num_sign(pool, ct_expr_coefficient(pool, e, i)) < 0 ? &sides.below : &sides.above);
    return sides;
}

void ct_say_side(ct_printer *p, ct_expr e, bool below, const char *between)
{
    ct_pool *pool = p->pool;
    bool first = true;
    if (!ct_is(pool, e, CT_EXPR_PRODUCT)) {
        ct_say_piece(p, CT_PIECE_POWER, e, CT_ONE);
        return;
    }
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++) {
        ct_expr power = ct_expr_coefficient(pool, e, i);
        if ((ct_num_sign(pool, power) < 0) != below)
            continue;
        ct_say(p, first ? "" : between);
        ct_say_piece(p, CT_PIECE_POWER, ct_expr_operand(pool, e, i), power);
        first = false;
    }
}
