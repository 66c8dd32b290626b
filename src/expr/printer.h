/* printer.h - what the two printers share: a stack of pieces still to be written.
 *
 * A node is written by putting its pieces on the stack, so that depth costs memory, not stack. */
#ifndef CT_EXPR_PRINTER_H
#define CT_EXPR_PRINTER_H

#include "expr/pool.h"

typedef enum ct_piece_kind {
    CT_PIECE_TEXT,
    CT_PIECE_EXPR,   /* e, in brackets when it binds less than `bind` */
    CT_PIECE_TERM,   /* |c| * e */
    CT_PIECE_POWER,  /* e ^ |c| */
    CT_PIECE_NUMBER, /* |c| */
    CT_PIECE_REST,   /* of the sum e: its terms from c on, without term `bind` */
    CT_PIECE_PART,   /* numerator or (bind = 1) denominator of |c| */
} ct_piece_kind;

typedef struct ct_piece {
    ct_piece_kind kind;
    int bind;
    ct_expr e, c;
    const char *text;
} ct_piece;

typedef struct ct_printer {
    ct_pool *pool;
    ct_arena *arena; /* of the pieces; freed with the printing */
    ct_text *out;
    CT_VEC(ct_piece) todo; /* the last one comes next */
    uint32_t first;        /* of the pieces that the present one is replaced by */
    bool rounds;           /* long ratios become decimals of six digits */
} ct_printer;

/* What two printers do in their own ways: each replaces a piece by smaller ones, first to last. */
typedef struct ct_print_style {
    void (*expr)(ct_printer *p, ct_expr e, int bind);
    void (*product)(ct_printer *p, ct_expr e, ct_expr c);
    void (*power)(ct_printer *p, ct_expr e, ct_expr c);
    ct_number_style number;
} ct_print_style;

/* Writes e. Ends after about `most` bytes: false, there is more. */
bool ct_print(ct_pool *pool, ct_text *out, ct_expr e, size_t most, bool rounds,
              const ct_print_style *style);

/* Is it written with a bar? */
bool ct_is_bar(const ct_printer *p, ct_expr number);
void ct_say_number(ct_printer *p, ct_expr number, ct_number_style style);

void ct_say(ct_printer *p, const char *text);
void ct_say_expr(ct_printer *p, ct_expr e, int bind);
void ct_say_piece(ct_printer *p, ct_piece_kind kind, ct_expr e, ct_expr c);

int ct_strength_of(const ct_pool *pool, ct_expr e); /* how tightly its text binds */
int ct_operand_bind(const ct_op_row *row, uint32_t operand);
bool ct_is_half(const ct_pool *pool, ct_expr number);  /* 1/2 or -1/2 */
bool ct_is_turned_sum(const ct_pool *pool, ct_expr e); /* -1 * sum */
/* Terms with their signs; a product -1 * sum is written with the signs turned. */
void ct_say_sum(ct_printer *p, ct_expr e);
void ct_say_rest(ct_printer *p, const ct_piece *rest);

/* The factors of c*e by the side of the fraction bar they stand on. */
typedef struct ct_sides {
    uint32_t above, below;
} ct_sides;
ct_sides ct_count_sides(ct_pool *pool, ct_expr e);
void ct_say_side(ct_printer *p, ct_expr e, bool below, const char *between);

#endif
