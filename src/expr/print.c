/* print.c - expressions as text of the model language. */
#include "expr/printer.h"

/* |c|*e as c*x*y/(z*w); a fraction c goes below when nothing stands above: 2/(3*z). */
static void say_product(ct_printer *p, ct_expr e, ct_expr c)
{
    ct_sides sides = ct_count_sides(p->pool, e);
    bool one = c == CT_ONE || c == CT_MINUS_ONE;
    bool split = sides.above == 0 && ct_is_bar(p, c);
    if (split)
        ct_say_piece(p, CT_PIECE_PART, 0, c);
    else if (!one || sides.above == 0)
        ct_say_piece(p, CT_PIECE_NUMBER, 0, c);
    if (sides.above > 0) {
        ct_say(p, one ? "" : "*");
        ct_say_side(p, e, false, "*");
    }
    if (sides.below == 0)
        return;
    bool brackets = sides.below + split > 1;
    ct_say(p, brackets ? "/(" : "/");
    if (split) {
        CT_PUSH(p->arena, p->todo, (ct_piece){.kind = CT_PIECE_PART, .c = c, .bind = 1});
        ct_say(p, "*");
    }
    ct_say_side(p, e, true, "*");
    ct_say(p, brackets ? ")" : "");
}

static void say_power(ct_printer *p, ct_expr x, ct_expr power)
{
    if (power == CT_ONE || power == CT_MINUS_ONE) {
        ct_say_expr(p, x, CT_BIND_POWER);
    } else if (ct_is_half(p->pool, power)) {
        ct_say(p, "sqrt(");
        ct_say_expr(p, x, CT_BIND_IF);
        ct_say(p, ")");
    } else {
        bool brackets = ct_is_bar(p, power);
        ct_say_expr(p, x, CT_BIND_ATOM);
        ct_say(p, brackets ? "^(" : "^");
        ct_say_piece(p, CT_PIECE_NUMBER, 0, power);
        ct_say(p, brackets ? ")" : "");
    }
}

static void say_function(ct_printer *p, ct_expr e, const ct_op_row *row)
{
    ct_say(p, row->word);
    if (row->arity == 0)
        return;
    ct_say(p, "(");
    for (uint32_t i = 0; i < ct_expr_arity(p->pool, e); i++) {
        ct_say(p, i ? ", " : "");
        ct_say_expr(p, ct_expr_operand(p->pool, e, i), CT_BIND_IF);
    }
    ct_say(p, ")");
}

static void say_call(ct_printer *p, ct_expr e)
{
    static const char *const choice[] = {"if ", " then ", " else "};
    const ct_op_row *row = ct_op_at(ct_expr_op(p->pool, e));
    if (row->strength == CT_BIND_FUNCTION) {
        say_function(p, e, row);
        return;
    }
    bool spaced = row->strength != CT_BIND_POWER;
    for (uint32_t i = 0; i < ct_expr_arity(p->pool, e); i++) {
        if (row->arity == 3)
            ct_say(p, choice[i]);
        if (row->arity == 1 || (row->arity == 2 && i == 1)) {
            ct_say(p, spaced && row->arity == 2 ? " " : "");
            ct_say(p, row->word);
            ct_say(p, spaced ? " " : "");
        }
        ct_say_expr(p, ct_expr_operand(p->pool, e, i), ct_operand_bind(row, i));
    }
}

static void say_expr(ct_printer *p, ct_expr e)
{
    ct_pool *pool = p->pool;
    switch (ct_expr_kind_of(pool, e)) {
    case CT_EXPR_NUMBER:
        ct_say(p, ct_num_sign(pool, e) < 0 ? "-" : "");
        ct_say_piece(p, CT_PIECE_NUMBER, 0, e);
        return;
    case CT_EXPR_SYMBOL:
        ct_say(p, ct_name_text(pool->ctx, ct_expr_name(pool, e)));
        return;
    case CT_EXPR_SUM:
        ct_say_sum(p, e);
        return;
    case CT_EXPR_PRODUCT:
        if (ct_is_turned_sum(pool, e)) {
            ct_say_sum(p, e);
            return;
        }
        ct_say(p, ct_num_sign(pool, ct_expr_constant(pool, e)) < 0 ? "-" : "");
        say_product(p, e, ct_expr_constant(pool, e));
        return;
    case CT_EXPR_CALL:
        say_call(p, e);
    }
}

static void say_bound(ct_printer *p, ct_expr e, int bind)
{
    bool brackets = ct_strength_of(p->pool, e) < bind;
    ct_say(p, brackets ? "(" : "");
    say_expr(p, e);
    ct_say(p, brackets ? ")" : "");
}

static const ct_print_style style = {say_bound, say_product, say_power, CT_NUMBER_PLAIN};

void ct_expr_put(ct_pool *pool, ct_text *out, ct_expr e)
{
    ct_print(pool, out, e, SIZE_MAX, false, &style);
}

void ct_expr_put_read(ct_pool *pool, ct_text *out, ct_expr e)
{
    ct_print(pool, out, e, SIZE_MAX, true, &style);
}

bool ct_expr_put_within(ct_pool *pool, ct_text *out, ct_expr e, size_t most)
{
    return ct_print(pool, out, e, most, false, &style);
}

/* Shared parts are written each time: a text that grows too long ends early. How many nodes are
 * left is not counted, because a chain of signals would be counted from each of them. */
void ct_expr_put_some(ct_pool *pool, ct_text *out, ct_expr e)
{
    enum { MOST_BYTES = 500 };
    if (!ct_expr_put_within(pool, out, e, MOST_BYTES))
        ct_put(out, "…");
}
