/* lower.c - from the syntax of an expression to its value: shape, expression, dimension. */
#include <math.h>
#include <string.h>

#include "model/element.h"

enum { DEEPEST = 900 };

typedef shaped lower_fn(builder *b, const where *w, ct_node n);

static ct_dim_term no_dim(void)
{
    return ct_term_known(ct_dim_none());
}

/* ---- numbers and units */

uint32_t ct_find_unit(builder *b, ct_name text, const char **problem, const char **hint)
{
    uint32_t index = ct_map_get(&b->units, text);
    ct_unit unit;
    if (index || !ct_unit_read(b->ctx, ct_name_text(b->ctx, text), ct_name_length(b->ctx, text),
                               &unit, problem, hint))
        return index;
    CT_PUSH(b->scratch, b->unit, unit);
    ct_map_put(&b->units, text, b->unit.count);
    return b->unit.count;
}

const ct_unit *ct_known_unit(builder *b, const ct_syntax *s, ct_node n)
{
    const char *problem, *hint;
    uint32_t index = ct_find_unit(b, ct_at(s, n)->name, &problem, &hint);
    if (index)
        return &b->unit.at[index - 1];
    if (s->broken)
        return NULL; /* the parser has said so */
    ct_report *r = ct_error(b->ctx, "E105", ct_place_of(s, n), "%s", problem);
    if (hint)
        ct_help(r, "did you mean `%s`?", hint);
    return NULL;
}

static ct_expr pi_power(builder *b, int power)
{
    ct_expr pi = ct_expr_call(b->pool, CT_OP_PI, NULL, 0);
    return ct_expr_pow(b->pool, pi, ct_expr_int(b->pool, power));
}

ct_expr ct_in_si(builder *b, ct_expr e, const ct_unit *unit)
{
    if (unit->num != unit->den)
        e = ct_expr_mul(b->pool, e, ct_expr_ratio(b->pool, unit->num, unit->den));
    if (unit->pi_power)
        e = ct_expr_mul(b->pool, e, pi_power(b, unit->pi_power));
    if (unit->absolute)
        e = ct_expr_add(b->pool, e, ct_expr_ratio(b->pool, 27315, 100));
    return e;
}

/* The same few are met again and again. */
ct_expr ct_decimal(builder *b, ct_name text)
{
    enum { MOST_DECIMALS = 10000 };
    ct_expr e = ct_map_get(&b->decimals, text);
    if (e)
        return e;
    e = ct_expr_decimal(b->pool, ct_name_text(b->ctx, text), ct_name_length(b->ctx, text));
    e = e && !isinf(ct_expr_to_double(b->pool, e)) ? e : 0;
    if (e && b->decimals.count < MOST_DECIMALS)
        ct_map_put(&b->decimals, text, e);
    return e;
}

ct_expr ct_lower_decimal(builder *b, const where *w, ct_node n)
{
    const ct_syntax_node *number = ct_at(w->s, n);
    const char *text = ct_name_text(b->ctx, number->name);
    ct_expr e = ct_decimal(b, number->name);
    if (e)
        return e;
    ct_error(b->ctx, "E104", ct_place_of(w->s, n), "`%.30s%s` is beyond the range of numbers", text,
             ct_name_length(b->ctx, number->name) > 30 ? "..." : "");
    return 0;
}

/* The sign belongs to the number: the zero of its unit may lie elsewhere. */
static shaped signed_number(builder *b, const where *w, ct_node n, bool negative)
{
    const ct_syntax_node *number = ct_at(w->s, n);
    ct_expr e = ct_lower_decimal(b, w, n);
    if (!e)
        return ct_broken_value();
    if (negative)
        e = ct_expr_neg(b->pool, e);
    if (!number->first) {
        ct_unknown u = ct_infer_unknown(b->infer, 0, ct_place_of(w->s, n));
        return ct_scalar(b, e, ct_term_unknown(b->infer, u));
    }
    const ct_unit *unit = ct_known_unit(b, w->s, number->first);
    return unit ? ct_scalar(b, ct_in_si(b, e, unit), ct_term_known(unit->dim)) : ct_broken_value();
}

static shaped lower_number(builder *b, const where *w, ct_node n)
{
    return signed_number(b, w, n, false);
}

static shaped lower_bool(builder *b, const where *w, ct_node n)
{
    return ct_scalar(b, ct_expr_int(b->pool, ct_at(w->s, n)->op), no_dim());
}

static shaped lower_string(builder *b, const where *w, ct_node n)
{
    ct_report *r = ct_error(b->ctx, "E225", ct_place_of(w->s, n), "a text cannot be a value here");
    ct_help(r, "write a number or an expression");
    return ct_broken_value();
}

/* ---- lists */

static bool in_unit(builder *b, cell *c, const ct_unit *unit, ct_place place)
{
    if (!ct_demand_equal(b, c->dim, no_dim(), place, "the entry", "its place before a unit"))
        return false;
    *c = (cell){ct_in_si(b, c->expr, unit), ct_term_known(unit->dim)};
    return true;
}

static bool fill_row(builder *b, const where *w, ct_node row, const ct_unit *unit, cell *c)
{
    bool good = true;
    for (ct_node e = ct_at(w->s, row)->first; e; e = ct_at(w->s, e)->next, c++) {
        *c = ct_lower_scalar(b, w, e);
        good &= c->expr != 0;
        if (c->expr && unit)
            good &= in_unit(b, c, unit, ct_place_of(w->s, e));
    }
    return good;
}

static shaped report_ragged(builder *b, const where *w, ct_node row, uint32_t want)
{
    uint32_t have = ct_child_count(w->s, row);
    ct_error(b->ctx, "E240", ct_place_of(w->s, row), "this row has %u entr%s, the first has %u",
             have, have == 1 ? "y" : "ies", want);
    return ct_broken_value();
}

static shaped lower_matrix(builder *b, const where *w, ct_node n)
{
    ct_node unit_node = ct_child(w->s, n, CT_NODE_UNIT), first = ct_child(w->s, n, CT_NODE_ROW);
    const ct_unit *unit = unit_node ? ct_known_unit(b, w->s, unit_node) : NULL;
    uint32_t rows = ct_child_count(w->s, n) - (unit_node != 0),
             cols = first ? ct_child_count(w->s, first) : 0;
    if ((unit_node && !unit) || !rows || !cols)
        return ct_broken_value();
    bool good = true;
    cell *c;
    shaped v = ct_matrix_of(b, rows, cols, &c);
    for (ct_node row = first; row && row != unit_node; row = ct_at(w->s, row)->next, c += cols) {
        if (ct_child_count(w->s, row) != cols)
            return report_ragged(b, w, row, cols);
        good &= fill_row(b, w, row, unit, c);
    }
    if (!ct_at(w->s, n)->op && rows == 1)
        v.rows = cols, v.cols = 1; /* [a, b, c] is a column */
    return good ? v : ct_broken_value();
}

/* ---- sums and products; long ones of scalars are built in one go */

static bool all_scalar(const shaped *v, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (v[i].rows != 1 || v[i].cols != 1)
            return false;
    return true;
}

/* Lowers all children; NULL after an error. */
static shaped *lower_children(builder *b, const where *w, ct_node n, uint32_t *count)
{
    *count = ct_child_count(w->s, n);
    shaped *v = CT_NEW_ARRAY(b->scratch, shaped, *count);
    bool good = true;
    uint32_t i = 0;
    for (ct_node c = ct_at(w->s, n)->first; c; c = ct_at(w->s, c)->next, i++) {
        v[i] = ct_lower_value(b, w, c);
        good &= !ct_is_broken(v[i]);
    }
    return good ? v : NULL;
}

static ct_expr *expressions_of(builder *b, const shaped *v, uint32_t count)
{
    ct_expr *e = CT_NEW_ARRAY(b->scratch, ct_expr, count);
    for (uint32_t i = 0; i < count; i++)
        e[i] = v[i].cell[0].expr;
    return e;
}

static shaped sum_of_scalars(builder *b, const where *w, ct_node n, const shaped *v, uint32_t count)
{
    ct_dim_term dim = v[0].cell[0].dim;
    ct_node child = ct_at(w->s, n)->first;
    for (uint32_t i = 1; i < count; i++) {
        child = ct_at(w->s, child)->next;
        ct_dim_term next = v[i].cell[0].dim;
        ct_place place = ct_place_of(w->s, child);
        if (!ct_demand_equal(b, dim, next, place, "what stands before", "this term"))
            return ct_broken_value();
        if (dim.count)
            dim = next;
    }
    ct_expr *e = expressions_of(b, v, count), sum = b->written ? e[0] : 0;
    for (uint32_t i = 1; i < count && b->written; i++)
        sum = ct_written_sum(b, sum, e[i]);
    return ct_scalar(b, b->written ? sum : ct_expr_sum(b->pool, e, count), dim);
}

static shaped lower_sum(builder *b, const where *w, ct_node n)
{
    uint32_t count;
    shaped *v = lower_children(b, w, n, &count);
    if (!v)
        return ct_broken_value();
    if (all_scalar(v, count))
        return sum_of_scalars(b, w, n, v, count);
    if (w->element && w->element->widths)
        ct_fill_sum(b, v, count);
    shaped total = v[0];
    for (uint32_t i = 1; i < count && !ct_is_broken(total); i++)
        total = ct_matrix_sum(b, total, v[i], ct_place_of(w->s, n));
    return total;
}

/* A number, its opposite or its inverse. */
static bool is_literal(const ct_syntax *s, ct_node n, bool *unit)
{
    while (ct_at(s, n)->kind == CT_NODE_NEG || ct_at(s, n)->kind == CT_NODE_INV)
        n = ct_at(s, n)->first;
    bool number = ct_at(s, n)->kind == CT_NODE_NUMBER;
    *unit |= number && ct_at(s, n)->first;
    return number;
}

/* `2*5 V`: next to numbers with a unit, and nothing else, the others are pure numbers. */
static bool is_scaled(const where *w, ct_node n)
{
    bool unit = false;
    for (ct_node c = ct_at(w->s, n)->first; c; c = ct_at(w->s, c)->next)
        if (!is_literal(w->s, c, &unit))
            return false;
    return unit;
}

/* Does a parameter stand in the term whose dimension is still open? */
static bool names_open(builder *b, ct_dim_term t)
{
    t = ct_settled(b, t);
    for (uint32_t i = 0; i < t.count; i++)
        if (ct_infer_name(b->infer, t.factor[i].unknown))
            return true;
    return false;
}

/* `2*x` has the dimension of x: beside a parameter whose dimension is still open, numbers are pure.
 */
static ct_dim_term product_dim(builder *b, const where *w, ct_node n, const shaped *v,
                               uint32_t count)
{
    bool open = false, unit = false;
    ct_dim_term dim = no_dim();
    for (uint32_t i = 0; i < count && !open; i++)
        open = names_open(b, v[i].cell[0].dim);
    ct_node child = ct_at(w->s, n)->first;
    for (uint32_t i = 0; i < count; i++, child = ct_at(w->s, child)->next) {
        bool pure = open && is_literal(w->s, child, &unit) && v[i].cell[0].dim.count;
        if (!pure)
            dim = ct_term_product(b->infer, dim, v[i].cell[0].dim, 1);
    }
    return dim;
}

/* As written: from the left, and a division is one. Its divisor was lowered inverted. */
static ct_expr product_of(builder *b, const where *w, ct_node n, const shaped *v, uint32_t count)
{
    ct_expr *e = expressions_of(b, v, count);
    if (!b->written)
        return ct_expr_product(b->pool, e, count);
    ct_expr product = e[0];
    ct_node child = ct_at(w->s, n)->first;
    for (uint32_t i = 1; i < count && product; i++) {
        child = ct_at(w->s, child)->next;
        bool divides = ct_at(w->s, child)->kind == CT_NODE_INV;
        ct_expr y = divides ? ct_lower_scalar(b, w, ct_at(w->s, child)->first).expr : e[i];
        product = y ? ct_written_product(b, product, y, divides) : 0;
    }
    return product;
}

static shaped lower_product(builder *b, const where *w, ct_node n)
{
    uint32_t count;
    shaped *v = lower_children(b, w, n, &count);
    if (!v)
        return ct_broken_value();
    if (all_scalar(v, count)) {
        ct_dim_term dim = product_dim(b, w, n, v, count);
        if (dim.count && is_scaled(w, n))
            dim = ct_term_known(dim.known);
        return ct_scalar(b, product_of(b, w, n, v, count), dim);
    }
    shaped total = v[0];
    for (uint32_t i = 1; i < count && !ct_is_broken(total); i++)
        total = ct_matrix_product(b, total, v[i], ct_place_of(w->s, n));
    return total;
}

static cell negative(builder *b, cell c)
{
    return (cell){ct_expr_neg(b->pool, c.expr), c.dim};
}

/* `a - 10 degC` takes 283.15 K off, which may not be what was meant. */
static void warn_of_offset(builder *b, const where *w, ct_node operand)
{
    ct_node_kind kind = (ct_node_kind)ct_at(w->s, operand)->kind;
    bool number = kind == CT_NODE_NUMBER || kind == CT_NODE_MATRIX;
    ct_node unit_node = number ? ct_child(w->s, operand, CT_NODE_UNIT) : 0;
    const ct_unit *unit = unit_node ? ct_known_unit(b, w->s, unit_node) : NULL;
    if (!unit || !unit->absolute)
        return;
    ct_report *r = ct_warning(b->ctx, "W232", ct_place_of(w->s, operand),
                              "this is an absolute temperature, counted from 0 K, and taken off");
    ct_note(r, "the difference of two temperatures is in K");
    ct_help(r, "for a step of so many kelvin write K in place of `%s`",
            ct_name_text(b->ctx, ct_at(w->s, unit_node)->name));
}

static shaped lower_neg(builder *b, const where *w, ct_node n)
{
    ct_node operand = ct_at(w->s, n)->first;
    if (ct_at(w->s, n)->op)
        return signed_number(b, w, operand, true);
    warn_of_offset(b, w, operand);
    shaped v = ct_lower_value(b, w, operand);
    return ct_is_broken(v) ? v : ct_matrix_map(b, v, negative);
}

static shaped lower_inv(builder *b, const where *w, ct_node n)
{
    cell c = ct_lower_scalar(b, w, ct_at(w->s, n)->first);
    if (!c.expr)
        return ct_broken_value();
    ct_expr e = ct_expr_div(b->pool, ct_expr_int(b->pool, 1), c.expr);
    if (!e)
        ct_error(b->ctx, "E223", ct_place_of(w->s, n), "division by zero");
    return ct_scalar(b, e, ct_term_product(b->infer, no_dim(), c.dim, -1));
}

/* With a number as exponent the dimension follows; else the base must be dimensionless, or the
 * result takes the dimension that its place asks for (flow laws such as R*p^(1/k)). */
static ct_dim_term power_dim(builder *b, cell base, cell exponent, ct_place place)
{
    if (ct_expr_is_number(b->pool, exponent.expr))
        return ct_term_product(b->infer, no_dim(), base.dim,
                               ct_expr_to_double(b->pool, exponent.expr));
    ct_dim_term dim = ct_settled(b, base.dim);
    if (dim.count == 0 && ct_dim_is_one(dim.known))
        return dim;
    return ct_term_unknown(b->infer, ct_infer_unknown(b->infer, 0, place));
}

static shaped lower_power(builder *b, const where *w, ct_node n)
{
    ct_node first = ct_at(w->s, n)->first;
    ct_place place = ct_place_of(w->s, n);
    cell base = ct_lower_scalar(b, w, first),
         exponent = ct_lower_scalar(b, w, ct_at(w->s, first)->next);
    if (!base.expr || !exponent.expr)
        return ct_broken_value();
    if (!ct_demand_place(b, exponent, no_dim(), place, "an exponent"))
        return ct_broken_value();
    ct_expr e = ct_expr_pow(b->pool, base.expr, exponent.expr);
    if (!e)
        ct_error(b->ctx, "E223", place, "zero to a negative power");
    return ct_scalar(b, e, power_dim(b, base, exponent, place));
}

/* ---- logic */

static shaped lower_logic(builder *b, const where *w, ct_node n, ct_op op)
{
    ct_node child = ct_at(w->s, n)->first;
    cell total = ct_lower_scalar(b, w, child);
    while (total.expr && (child = ct_at(w->s, child)->next)) {
        cell next = ct_lower_scalar(b, w, child);
        total.expr = next.expr ? ct_expr_call2(b->pool, op, total.expr, next.expr) : 0;
    }
    return ct_scalar(b, total.expr, no_dim());
}

static shaped lower_and(builder *b, const where *w, ct_node n)
{
    return lower_logic(b, w, n, CT_OP_AND);
}

static shaped lower_or(builder *b, const where *w, ct_node n)
{
    return lower_logic(b, w, n, CT_OP_OR);
}

static shaped lower_not(builder *b, const where *w, ct_node n)
{
    cell c = ct_lower_scalar(b, w, ct_at(w->s, n)->first);
    return ct_scalar(b, c.expr ? ct_expr_call1(b->pool, CT_OP_NOT, c.expr) : 0, no_dim());
}

static const ct_op relation_op[] = {
    [CT_LESS] = CT_OP_LESS,       [CT_LESS_EQUAL] = CT_OP_LESS_EQUAL,
    [CT_GREATER] = CT_OP_GREATER, [CT_GREATER_EQUAL] = CT_OP_GREATER_EQUAL,
    [CT_EQUAL] = CT_OP_EQUAL,     [CT_UNEQUAL] = CT_OP_UNEQUAL,
};

static shaped lower_compare(builder *b, const where *w, ct_node n)
{
    ct_node first = ct_at(w->s, n)->first, second = ct_at(w->s, first)->next;
    uint16_t relation = ct_at(w->s, n)->op;
    shaped x = ct_lower(b, w, first), y = ct_lower(b, w, second);
    if (ct_is_broken(x) || ct_is_broken(y))
        return ct_broken_value();
    if (x.word && y.word)
        return ct_scalar(b, ct_expr_int(b->pool, (x.word == y.word) == (relation == CT_EQUAL)),
                         no_dim());
    if (x.word || y.word || x.rows * x.cols != 1 || y.rows * y.cols != 1) {
        ct_error(b->ctx, "E241", ct_place_of(w->s, n), "only numbers can be compared");
        return ct_broken_value();
    }
    if (!ct_demand_equal(b, x.cell->dim, y.cell->dim, ct_place_of(w->s, n), "the left side",
                         "the right side"))
        return ct_broken_value();
    return ct_scalar(b, ct_expr_call2(b->pool, relation_op[relation], x.cell->expr, y.cell->expr),
                     no_dim());
}

static shaped choose(builder *b, ct_expr condition, shaped x, shaped y, ct_place place)
{
    if (x.rows != y.rows || x.cols != y.cols) {
        ct_error(b->ctx, "E240", place, "both branches must have the same shape");
        return ct_broken_value();
    }
    cell *c;
    shaped v = ct_matrix_of(b, x.rows, x.cols, &c);
    for (uint32_t i = 0; i < x.rows * x.cols; i++) {
        ct_dim_term d = x.cell[i].dim, e = y.cell[i].dim;
        if (!ct_demand_equal(b, d, e, place, "the value after then", "the value after else"))
            return ct_broken_value();
        const ct_expr operands[3] = {condition, x.cell[i].expr, y.cell[i].expr};
        c[i] = (cell){ct_expr_call(b->pool, CT_OP_IF, operands, 3), d.count ? e : d};
    }
    return v;
}

static shaped lower_if(builder *b, const where *w, ct_node n)
{
    ct_node first = ct_at(w->s, n)->first, second = ct_at(w->s, first)->next;
    cell condition = ct_lower_scalar(b, w, first);
    shaped x = ct_lower_value(b, w, second), y = ct_lower_value(b, w, ct_at(w->s, second)->next);
    if (!condition.expr || ct_is_broken(x) || ct_is_broken(y))
        return ct_broken_value();
    return choose(b, condition.expr, x, y, ct_place_of(w->s, n));
}

static lower_fn *const lower_rows[] = {
    [CT_NODE_NUMBER] = lower_number,   [CT_NODE_BOOL] = lower_bool,
    [CT_NODE_STRING] = lower_string,   [CT_NODE_MATRIX] = lower_matrix,
    [CT_NODE_REF] = ct_lower_ref,      [CT_NODE_SUM] = lower_sum,
    [CT_NODE_PRODUCT] = lower_product, [CT_NODE_NEG] = lower_neg,
    [CT_NODE_INV] = lower_inv,         [CT_NODE_POWER] = lower_power,
    [CT_NODE_NOT] = lower_not,         [CT_NODE_AND] = lower_and,
    [CT_NODE_OR] = lower_or,           [CT_NODE_COMPARE] = lower_compare,
    [CT_NODE_IF] = lower_if,
};

static cell kept(builder *b, cell c)
{
    return (cell){ct_as_written(b, c.expr), c.dim};
}

/* Depth is bounded by the parser for one expression, and here over functions and definitions that
 * stand for others. */
shaped ct_lower(builder *b, const where *w, ct_node n)
{
    uint16_t kind = ct_at(w->s, n)->kind;
    if (kind >= sizeof lower_rows / sizeof *lower_rows || !lower_rows[kind])
        return ct_broken_value();
    if (b->depth >= DEEPEST) {
        ct_error(b->ctx, "E108", ct_place_of(w->s, n),
                 "definitions lead too deep into one another");
        return ct_broken_value();
    }
    b->depth++;
    shaped v = lower_rows[kind](b, w, n);
    b->depth--;
    return b->written && !ct_is_broken(v) && !v.word ? ct_matrix_map(b, v, kept) : v;
}

shaped ct_lower_value(builder *b, const where *w, ct_node n)
{
    shaped v = ct_lower(b, w, n);
    if (!v.word)
        return v;
    ct_error(b->ctx, "E210", ct_place_of(w->s, n), "`%s` is a choice, not a value",
             ct_name_text(b->ctx, v.word));
    return ct_broken_value();
}

cell ct_lower_scalar(builder *b, const where *w, ct_node n)
{
    shaped v = ct_lower(b, w, n);
    if (ct_is_broken(v))
        return (cell){0};
    if (v.word || v.rows != 1 || v.cols != 1) {
        ct_error(b->ctx, "E241", ct_place_of(w->s, n), "a single number is needed here");
        return (cell){0};
    }
    return v.cell[0];
}

bool ct_lower_const(builder *b, const where *w, ct_node n, ct_expr *value, const char *what)
{
    cell c = ct_lower_scalar(b, w, n);
    if (!c.expr)
        return false;
    *value = c.expr;
    if (ct_expr_is_number(b->pool, c.expr))
        return true;
    ct_report *r = ct_error(b->ctx, "E215", ct_place_of(w->s, n),
                            "%s must be known before the model is built", what);
    ct_note(r, "numbers, `const` names and indices of `repeat` are; params and variables are not");
    const ct_name *symbol;
    if (ct_expr_symbols(b->pool, c.expr, &symbol) &&
        ct_map_get(&b->given, symbol[0]) == ENTRY_PARAM + 1)
        ct_help(r, "declare it as `const %s`", ct_name_text(b->ctx, symbol[0]));
    return false;
}

bool ct_lower_int(builder *b, const where *w, ct_node n, int64_t *value, const char *what)
{
    ct_expr e;
    if (ct_quick_int(b, w, n, value))
        return true;
    if (!ct_lower_const(b, w, n, &e, what))
        return false;
    if (ct_expr_to_int(b->pool, e, value))
        return true;
    double number = ct_expr_to_double(b->pool, e);
    if (!(fabs(number) < 0x1p63)) {
        ct_error(b->ctx, "E902", ct_place_of(w->s, n), "%s is too large: %.10g", what, number);
        ct_throw(b->ctx, CT_ERR_LIMIT);
    }
    ct_error(b->ctx, "E216", ct_place_of(w->s, n), "%s must be a whole number, not %.10g", what,
             number);
    return false;
}
