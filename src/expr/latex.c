/* latex.c - expressions as LaTeX, for math mode. */
#include <string.h>

#include "base/symbol.h"
#include "expr/printer.h"

/* ---- symbols */

static const char *const greek[] = {
    "alpha",   "beta",   "gamma", "delta",   "epsilon", "zeta",  "eta",   "theta", "iota",
    "kappa",   "lambda", "mu",    "nu",      "xi",      "pi",    "rho",   "sigma", "tau",
    "upsilon", "phi",    "chi",   "psi",     "omega",   "Gamma", "Delta", "Theta", "Lambda",
    "Xi",      "Pi",     "Sigma", "Upsilon", "Phi",     "Psi",   "Omega",
};

static bool is_greek(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof greek / sizeof *greek; i++)
        if (strlen(greek[i]) == length && memcmp(greek[i], word, length) == 0)
            return true;
    return false;
}

static void put_escaped(ct_text *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < ' ' || c == 0x7f)
            continue;
        if (c == '\\')
            ct_put(out, "\\backslash ");
        else if (c == '~' || c == '^' || c == '\'')
            ct_putf(out, c == '\'' ? "{}\\prime " : c == '~' ? "\\sim " : "\\wedge ");
        else if (strchr("#$%&_{}", c))
            ct_putf(out, "\\%c", c);
        else
            ct_put_char(out, (char)c);
    }
}

/* One letter is slanted, a Greek word is its letter, any other word stands upright. */
static void put_word(ct_text *out, const char *word, size_t length)
{
    bool upright = length > 1 && !is_greek(word, length);
    if (length == 0)
        ct_put(out, "{}");
    else if (is_greek(word, length))
        ct_put_char(out, '\\');
    ct_put(out, upright ? "\\mathrm{" : "");
    put_escaped(out, word, length);
    ct_put(out, upright ? "}" : "");
}

static void put_index(ct_text *out, const char *word, size_t length, bool *open)
{
    if (length == 0)
        return;
    ct_put(out, *open ? "," : "_{");
    if (is_greek(word, length))
        ct_put_char(out, '\\');
    put_escaped(out, word, length);
    *open = true;
}

/* How many letters of Kp, Kpos or Vin are the quantity, the rest telling which: 1; all of a word.
 */
static size_t quantity_letters(const char *word, size_t length)
{
    static const char *const words[] = {"Air",  "Area", "Cell", "Coil", "Flow", "Gain", "Gas",
                                        "Gear", "Heat", "Iron", "Load", "Loss", "Mass", "Mode",
                                        "Oil",  "Pump", "Rate", "Size", "Tank", "Temp", "Test",
                                        "Time", "Wall", "Wind", "Work"};
    bool one =
        length >= 2 && length <= 4 && word[0] >= 'A' && word[0] <= 'Z' && !is_greek(word, length);
    for (size_t i = 1; i < length; i++)
        one &= word[i] >= 'a' && word[i] <= 'z';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        one &= strlen(words[i]) != length || memcmp(words[i], word, length) != 0;
    return one ? 1 : length;
}

/* path.base12_rest[2]: the base, with the digits, the rest, the number and the path as indices */
static void put_symbol(ct_text *out, const char *name, const char *accent)
{
    ct_symbol_parts s = ct_symbol_split(name);
    const char *base = s.word, *line = memchr(base, '_', s.word_length);
    size_t all = s.word_length, rest = line ? (size_t)(line - base) : all, letters = rest;
    while (letters > 0 && base[letters - 1] >= '0' && base[letters - 1] <= '9')
        letters--;
    if (letters == 0)
        letters = rest = all; /* _x, or digits only: no base to hang an index on */
    if (*accent)
        ct_putf(out, "\\%s{", accent);
    size_t quantity = quantity_letters(base, letters);
    put_word(out, base, quantity);
    ct_put(out, *accent ? "}" : "");
    bool open = false;
    put_index(out, base + quantity, letters - quantity, &open);
    put_index(out, base + letters, rest - letters, &open);
    if (rest < all)
        put_index(out, base + rest + 1, all - rest - 1, &open);
    put_index(out, s.entry, s.entry_length, &open);
    put_index(out, s.path, s.path_length, &open);
    ct_put(out, open ? "}" : "");
}

void ct_latex_symbol(ct_text *out, const char *name)
{
    put_symbol(out, name, "");
}

/* ---- expressions */

/* How often a symbol is differentiated in der(der(x)): 0 when e is something else. */
static int count_dots(const ct_pool *pool, ct_expr e, ct_expr *symbol)
{
    int dots = 0;
    for (; ct_is_call(pool, e, CT_OP_DER) && dots < 3; dots++)
        e = ct_expr_operand(pool, e, 0);
    *symbol = e;
    return ct_is(pool, e, CT_EXPR_SYMBOL) ? dots : 0;
}

/* What ends with an open side, as an integral does, is put in brackets inside a product; a power of
 * ten cannot take another exponent. */
static int latex_strength(const ct_pool *pool, ct_expr e)
{
    ct_expr symbol;
    bool open = ct_is_call(pool, e, CT_OP_INTEGRAL) ||
                (ct_is_call(pool, e, CT_OP_DER) && !count_dots(pool, e, &symbol));
    int strength = ct_strength_of(pool, e);
    if (strength == CT_BIND_ATOM && ct_expr_is_number(pool, e) &&
        ct_number_is_scaled(ct_number_at(pool, e)))
        return CT_BIND_PRODUCT;
    return open ? CT_BIND_SUM : strength;
}

/* The only factor on its side of the bar, when it has no exponent: it needs no brackets. 0: none.
 */
static ct_expr lone_factor(ct_pool *pool, ct_expr e, bool below)
{
    if (!ct_is(pool, e, CT_EXPR_PRODUCT))
        return below ? 0 : e;
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++) {
        ct_expr power = ct_expr_coefficient(pool, e, i);
        if (power == (below ? CT_MINUS_ONE : CT_ONE))
            return ct_expr_operand(pool, e, i);
    }
    return 0;
}

/* The factors above or below the bar, with that part of the constant; a 1 is left out before them.
 */
static void say_side(ct_printer *p, ct_expr e, ct_expr c, bool below, uint32_t count, bool bar)
{
    const ct_number *n = ct_number_at(p->pool, c);
    bool split = ct_is_bar(p, c), one = below || c == CT_ONE || c == CT_MINUS_ONE;
    if (split)
        one = !below && n->form == CT_SMALL && (n->num == 1 || n->num == -1);
    if (split && !(one && count))
        CT_PUSH(p->arena, p->todo, (ct_piece){.kind = CT_PIECE_PART, .c = c, .bind = below});
    else if (!(one && count))
        ct_say_piece(p, CT_PIECE_NUMBER, 0, c);
    if (count == 0)
        return;
    ct_expr lone = bar && one && count == 1 ? lone_factor(p->pool, e, below) : 0;
    ct_say(p, one ? "" : " \\, ");
    if (lone)
        ct_say_expr(p, lone, CT_BIND_IF);
    else
        ct_say_side(p, e, below, " \\, ");
}

static void say_product(ct_printer *p, ct_expr e, ct_expr c)
{
    ct_sides sides = ct_count_sides(p->pool, e);
    bool bar = sides.below > 0 || ct_is_bar(p, c);
    ct_say(p, bar ? "\\frac{" : "");
    say_side(p, e, c, false, sides.above, bar);
    if (!bar)
        return;
    ct_say(p, "}{");
    say_side(p, e, c, true, sides.below, bar);
    ct_say(p, "}");
}

/* A number among the factors gets a dot, so that it does not run into its neighbour. */
static void say_power(ct_printer *p, ct_expr x, ct_expr power)
{
    const ct_number *n = ct_number_at(p->pool, power);
    if (power == CT_ONE || power == CT_MINUS_ONE) {
        ct_say_expr(p, x, CT_BIND_POWER);
    } else if (ct_is_half(p->pool, power)) {
        ct_say(p, "\\sqrt{");
        ct_say_expr(p, x, CT_BIND_IF);
        ct_say(p, "}");
    } else {
        ct_say(p, ct_expr_is_number(p->pool, x) ? "{\\cdot} " : "");
        ct_say_expr(p, x, CT_BIND_ATOM);
        ct_say(p, "^{");
        ct_say_piece(p, CT_PIECE_PART, 0, power);
        if (!ct_number_is_integer(n)) {
            ct_say(p, "/");
            CT_PUSH(p->arena, p->todo, (ct_piece){.kind = CT_PIECE_PART, .c = power, .bind = 1});
        }
        ct_say(p, "}");
    }
}

static void say_operands(ct_printer *p, ct_expr e)
{
    for (uint32_t i = 0; i < ct_expr_arity(p->pool, e); i++) {
        ct_say(p, i ? ", " : "");
        ct_say_expr(p, ct_expr_operand(p->pool, e, i), CT_BIND_IF);
    }
}

/* Fills the template of the row. */
static void say_call(ct_printer *p, ct_expr e)
{
    const ct_op_row *row = ct_op_at(ct_expr_op(p->pool, e));
    for (const char *at = row->latex; *at;) {
        size_t plain = strcspn(at, "#");
        if (plain)
            ct_say(p, ct_arena_copy(p->arena, at, plain));
        at += plain;
        if (*at && at[1] == '*')
            say_operands(p, e);
        else if (*at)
            ct_say_expr(p, ct_expr_operand(p->pool, e, (uint32_t)(at[1] - '1')),
                        ct_operand_bind(row, (uint32_t)(at[1] - '1')));
        at += *at ? 2 : 0;
    }
}

static bool put_dotted(ct_printer *p, ct_expr e)
{
    static const char *const accent[] = {"", "dot", "ddot", "dddot"};
    ct_expr symbol;
    int dots = count_dots(p->pool, e, &symbol);
    if (!ct_is(p->pool, e, CT_EXPR_SYMBOL) && dots == 0)
        return false;
    put_symbol(p->out, ct_name_text(p->pool->ctx, ct_expr_name(p->pool, symbol)), accent[dots]);
    return true;
}

static void say_expr(ct_printer *p, ct_expr e)
{
    ct_pool *pool = p->pool;
    ct_expr_kind kind = ct_expr_kind_of(pool, e);
    if (kind == CT_EXPR_NUMBER) {
        ct_say(p, ct_num_sign(pool, e) < 0 ? "-" : "");
        ct_say_piece(p, CT_PIECE_NUMBER, 0, e);
    } else if (kind == CT_EXPR_SUM || ct_is_turned_sum(pool, e)) {
        ct_say_sum(p, e);
    } else if (kind == CT_EXPR_PRODUCT) {
        ct_say(p, ct_num_sign(pool, ct_expr_constant(pool, e)) < 0 ? "-" : "");
        say_product(p, e, ct_expr_constant(pool, e));
    } else if (!put_dotted(p, e)) {
        say_call(p, e);
    }
}

static void say_bound(ct_printer *p, ct_expr e, int bind)
{
    if (latex_strength(p->pool, e) >= bind) {
        say_expr(p, e);
        return;
    }
    ct_say(p, "\\left(");
    ct_say_expr(p, e, CT_BIND_IF);
    ct_say(p, "\\right)");
}

static const ct_print_style style = {say_bound, say_product, say_power, CT_NUMBER_LATEX};

void ct_expr_put_latex(ct_pool *pool, ct_text *out, ct_expr e)
{
    ct_print(pool, out, e, SIZE_MAX, true, &style);
}
