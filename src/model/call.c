/* call.c - functions: those of the operator table, a few with rules of their own, and the user's.
 */
#include <math.h>
#include <string.h>

#include "model/field.h"
#include "model/key_slope.h"

enum {
    MOST_ARGUMENTS = CT_MOST_CHAINED,
    MOST_CALLS = 5000000,
    MOST_UNFOLDED = 200000, /* below one call: functions that call others twice double each time */
};

static ct_dim_term no_dim(void)
{
    return ct_term_known(ct_dim_none());
}

static ct_dim_term seconds(builder *b, ct_dim_term dim, double power)
{
    ct_dim s = ct_dim_none();
    s.e[CT_SECOND] = 1;
    return ct_term_product(b->infer, dim, ct_term_known(s), power);
}

static bool demand_pure(builder *b, const cell *c, uint32_t count, ct_place place)
{
    for (uint32_t i = 0; i < count; i++)
        if (!ct_demand_place(b, c[i], no_dim(), place, "what the function takes"))
            return false;
    return true;
}

static bool demand_all(builder *b, const cell *c, uint32_t count, ct_dim_term dim, ct_place place,
                       const char *is)
{
    for (uint32_t i = 0; i < count; i++)
        if (!ct_demand_equal(b, c[i].dim, dim, place, "an argument", is))
            return false;
    return true;
}

static bool apply_rule(builder *b, const ct_function *f, const cell *c, uint32_t count,
                       ct_place place, ct_dim_term *dim)
{
    *dim = no_dim();
    switch (f->rule) {
    case CT_RULE_ONE:
        return demand_pure(b, c, count, place);
    case CT_RULE_SAME:
        *dim = ct_settled(b, c[0].dim);
        return demand_all(b, c + 1, count - 1, *dim, place, "the first one");
    case CT_RULE_RATIO:
        return demand_all(b, c + 1, count - 1, c[0].dim, place, "the first one");
    case CT_RULE_ANY:
        return true;
    case CT_RULE_ROOT:
        *dim = ct_term_product(b->infer, no_dim(), c[0].dim, 0.5);
        return true;
    case CT_RULE_RATE:
        *dim = seconds(b, c[0].dim, -1);
        return true;
    case CT_RULE_INTEGRAL:
        *dim = seconds(b, c[0].dim, 1);
        return true;
    case CT_RULE_NONE:
        break;
    }
    return false;
}

/* min(a, b, c) is min(min(a, b), c). */
static ct_expr build_call(builder *b, const ct_function *f, const cell *c, uint32_t count)
{
    ct_expr operands[4];
    if (f->most > 4) {
        ct_expr e = c[0].expr;
        for (uint32_t i = 1; i < count; i++)
            e = ct_expr_call2(b->pool, f->op, e, c[i].expr);
        return e;
    }
    bool rate = f->rule == CT_RULE_RATE || f->rule == CT_RULE_INTEGRAL;
    for (uint32_t i = 0; i < count; i++)
        operands[i] = rate ? ct_off_tick(b, c[i].expr) : c[i].expr;
    return ct_expr_call(b->pool, f->op, operands, count);
}

static double no_symbol(const void *user, ct_name symbol)
{
    (void)user, (void)symbol;
    return NAN;
}

/* A function of numbers must have a value: not sqrt(-4). Others are judged when values are known.
 */
static bool has_value(builder *b, const ct_function *f, const cell *c, uint32_t count, ct_expr e)
{
    if (f->rule == CT_RULE_RATE || f->rule == CT_RULE_INTEGRAL)
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (!ct_expr_is_number(b->pool, c[i].expr))
            return true;
    return isfinite(ct_expr_value(b->pool, e, no_symbol, NULL));
}

static shaped call_scalars(builder *b, const ct_function *f, const cell *c, uint32_t count,
                           ct_place place)
{
    ct_dim_term dim;
    if (!apply_rule(b, f, c, count, place, &dim))
        return ct_broken_value();
    ct_expr e = build_call(b, f, c, count);
    if (!e || !has_value(b, f, c, count, e)) {
        ct_error(b->ctx, "E223", place, "`%s` has no value here", f->word);
        return ct_broken_value();
    }
    return ct_scalar(b, e, dim);
}

static shaped report_count(builder *b, const char *word, uint32_t least, uint32_t most,
                           uint32_t count, ct_place place)
{
    ct_report *r;
    if (least == most)
        r = ct_error(b->ctx, "E222", place, "`%s` takes %u argument%s, not %u", word, least,
                     least == 1 ? "" : "s", count);
    else
        r = ct_error(b->ctx, "E222", place, "`%s` takes at least %u arguments, not %u", word, least,
                     count);
    ct_witness(r, word);
    return ct_broken_value();
}

/* A function of one argument works on each entry of a vector. */
static shaped call_each(builder *b, const ct_function *f, shaped x, ct_place place)
{
    cell *c;
    shaped v = ct_matrix_of(b, x.rows, x.cols, &c);
    for (uint32_t i = 0; i < x.rows * x.cols; i++) {
        shaped one = call_scalars(b, f, &x.cell[i], 1, place);
        if (ct_is_broken(one))
            return one;
        c[i] = one.cell[0];
    }
    return v;
}

static shaped call_row(builder *b, const ct_function *f, const shaped *argument, uint32_t count,
                       ct_place place)
{
    cell c[MOST_ARGUMENTS];
    if (count < f->least || count > f->most)
        return report_count(b, f->word, f->least, f->most, count, place);
    if (count == 1)
        return call_each(b, f, argument[0], place);
    for (uint32_t i = 0; i < count; i++) {
        if (argument[i].rows * argument[i].cols != 1) {
            ct_error(b->ctx, "E241", place, "`%s` takes numbers, not vectors", f->word);
            return ct_broken_value();
        }
        c[i] = argument[i].cell[0];
    }
    return call_scalars(b, f, c, count, place);
}

/* ---- user's functions */

static uint32_t count_formals(const ct_syntax *s, ct_node function)
{
    uint32_t count = 0;
    for (ct_node c = ct_at(s, function)->first; c && ct_at(s, c)->kind == CT_NODE_ID;
         c = ct_at(s, c)->next)
        count++;
    return count;
}

static shaped report_endless(builder *b, const definition *d, ct_place place)
{
    const char *name = ct_name_text(b->ctx, d->name);
    ct_report *r = ct_error(b->ctx, "E221", place, "function `%s` calls itself", name);
    ct_witness(r, name);
    return ct_broken_value();
}

static void count_call(builder *b, const where *w, ct_place place)
{
    b->unfolded = w->in_function ? b->unfolded + 1 : 0;
    if (b->unfolded > MOST_UNFOLDED)
        ct_stop_at_limit(b, place, "calls of functions below one", MOST_UNFOLDED);
    if (++b->calls > MOST_CALLS)
        ct_stop_at_limit(b, place, "calls of functions", MOST_CALLS);
}

static shaped call_user(builder *b, const where *w, definition *d, const shaped *argument,
                        uint32_t count, ct_place place)
{
    uint32_t want = count_formals(d->s, d->node);
    if (want != count)
        return report_count(b, ct_name_text(b->ctx, d->name), want, want, count, place);
    if (d->busy)
        return report_endless(b, d, place);
    count_call(b, w, place);
    const env *bound = NULL;
    ct_node formal = ct_at(d->s, d->node)->first;
    for (uint32_t i = 0; i < count; i++, formal = ct_at(d->s, formal)->next) {
        env *e = CT_NEW(b->scratch, env);
        *e = (env){.name = ct_at(d->s, formal)->name, .value = argument[i], .up = bound};
        bound = e;
    }
    where inside = {.s = d->s,
                    .env = bound,
                    .in_function = true,
                    .caller = w->element ? w->element : w->caller};
    d->busy = true;
    shaped v = ct_lower(b, &inside, formal);
    d->busy = false;
    return v;
}

/* ---- diff(f, x): partial derivative by a symbol */

static shaped call_diff(builder *b, const where *w, const shaped *argument, uint32_t count,
                        ct_place place)
{
    if (count != 2)
        return report_count(b, "diff", 2, 2, count, place);
    shaped f = argument[0], x = argument[1];
    if (x.rows * x.cols != 1 || ct_expr_kind_of(b->pool, x.cell->expr) != CT_EXPR_SYMBOL) {
        ct_report *r =
            ct_error(b->ctx, "E226", place, "diff(f, x) needs a variable or parameter as x");
        ct_help(r, "for the derivative in time write der(f)");
        return ct_broken_value();
    }
    cell *c;
    shaped v = ct_matrix_of(b, f.rows, f.cols, &c);
    ct_name symbol = ct_expr_name(b->pool, x.cell->expr);
    for (uint32_t i = 0; i < f.rows * f.cols; i++) {
        c[i].expr = ct_slope_of(b, w, f.cell[i].expr, symbol, place);
        c[i].dim = ct_term_product(b->infer, f.cell[i].dim, x.cell->dim, -1);
        if (!c[i].expr) {
            ct_error(b->ctx, "E226", place, "this cannot be differentiated by `%s`",
                     ct_name_text(b->ctx, symbol));
            return ct_broken_value();
        }
    }
    return v;
}

/* ---- the call itself */

static bool read_method(builder *b, const where *w, ct_node arg, ct_name *method)
{
    static const char *const words[] = {"linear", "cubic"};
    ct_place place = ct_place_of(w->s, arg);
    const char *key = ct_name_text(b->ctx, ct_at(w->s, arg)->name);
    if (strcmp(key, "method") == 0 && ct_plain_name(w->s, ct_at(w->s, arg)->first, method))
        for (int i = 0; i < 2; i++)
            if (strcmp(ct_name_text(b->ctx, *method), words[i]) == 0)
                return true;
    ct_report *r = ct_error(b->ctx, "E204", place, "unknown argument `%s`", key);
    ct_help(r, "write method = linear or method = cubic");
    return false;
}

/* Values of the arguments in order; a named one goes to *method. False after an error. */
static bool read_arguments(builder *b, const where *w, ct_node call, shaped *argument,
                           uint32_t *count, ct_name *method, bool table)
{
    bool good = true;
    *count = 0;
    for (ct_node a = ct_at(w->s, call)->first; a; a = ct_at(w->s, a)->next) {
        if (ct_at(w->s, a)->kind == CT_NODE_ARG) {
            good &= read_method(b, w, a, method);
            continue;
        }
        if (*count == MOST_ARGUMENTS) {
            ct_error(b->ctx, "E222", ct_place_of(w->s, a), "more than %d arguments",
                     MOST_ARGUMENTS);
            return false;
        }
        if (table && ct_at(w->s, a)->kind == CT_NODE_STRING) { /* a file with its points */
            uint32_t lists = ct_read_table(b, w, a, argument, *count);
            *count += lists;
            good &= lists > 0;
            continue;
        }
        shaped v = ct_lower_value(b, w, a);
        good &= !ct_is_broken(v);
        argument[(*count)++] = v;
    }
    return good;
}

bool ct_is_builtin(const char *word)
{
    ct_function f;
    if (ct_function_find(word, &f))
        return true;
    for (const char *const *own = ct_special_functions; *own; own++)
        if (strcmp(*own, word) == 0)
            return true;
    return false;
}

static shaped report_unknown(builder *b, const where *w, ct_name name, ct_place place)
{
    const char *text = ct_name_text(b->ctx, name);
    ct_suggestion near = ct_suggest(text);
    ct_function f;
    for (int op = 0; op < CT_OP_COUNT; op++)
        if (ct_function_of((ct_op)op, &f))
            ct_suggest_try(&near, f.word);
    for (const char *const *own = ct_special_functions; *own; own++)
        ct_suggest_try(&near, *own);
    ct_read_whole_library(b);
    for (uint32_t i = 0; i < b->definition.count; i++)
        if (ct_at(b->definition.at[i]->s, b->definition.at[i]->node)->kind == CT_NODE_FUNCTION)
            ct_suggest_try(&near, ct_name_text(b->ctx, b->definition.at[i]->name));
    ct_report *r = ct_error(b->ctx, "E220", place, "there is no function `%s`", text);
    if (w->scope && ct_find_entry(b, w->scope, name))
        ct_help(r, "`%s` is a value: for a product write `%s*(...)`", text, text);
    else if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    ct_witness(r, text);
    return ct_broken_value();
}

/* kinetic(), potential(); `frame` has its place behind a body. */
static shaped call_mechanical(builder *b, const char *word, uint32_t count, ct_place place)
{
    if (strcmp(word, "frame") == 0) {
        ct_report *r = ct_error(b->ctx, "E220", place, "frame(...) is no value");
        ct_help(r, "it stands behind a body or ground: { A = frame([x, y], angle) }");
        ct_witness(r, word);
        return ct_broken_value();
    }
    if (count)
        return report_count(b, word, 0, 0, count, place);
    return ct_read_energy(b, strcmp(word, "kinetic") == 0, place);
}

shaped ct_lower_call(builder *b, const where *w, ct_node ref, ct_name name, ct_node call)
{
    const char *word = ct_name_text(b->ctx, name);
    ct_place place = ct_place_of(w->s, ref);
    if (w->element && ct_asks_for_key(word) && !ct_find_function(b, name))
        return ct_lower_key_size(b, w, call, word, place);
    if (strcmp(word, "pre") == 0)
        return ct_lower_pre(b, w, call, place);
    if (strcmp(word, "rotate") == 0 && !ct_find_function(b, name))
        return ct_lower_rotate(b, w, call, place);
    if (strcmp(word, "quaternion") == 0 && !ct_find_function(b, name))
        return ct_lower_quaternion(b, w, call, place);
    shaped *argument = CT_NEW_ARRAY(b->scratch, shaped, MOST_ARGUMENTS);
    uint32_t count;
    ct_name method = 0;
    if (!read_arguments(b, w, call, argument, &count, &method, strcmp(word, "table") == 0))
        return ct_broken_value();
    definition *user = ct_find_function(b, name);
    if (user)
        return call_user(b, w, user, argument, count, place);
    shaped own;
    if (w->element && ct_field_call(b, w, word, argument, count, place, &own))
        return own;
    if (strcmp(word, "diff") == 0)
        return call_diff(b, w, argument, count, place);
    if (strcmp(word, "table") == 0)
        return ct_call_table(b, argument, count, method, place);
    ct_function f;
    if (ct_function_find(word, &f))
        return call_row(b, &f, argument, count, place);
    if (strcmp(word, "kinetic") == 0 || strcmp(word, "potential") == 0 ||
        strcmp(word, "frame") == 0)
        return call_mechanical(b, word, count, place);
    bool known;
    shaped v = ct_matrix_call(b, word, argument, count, place, &known);
    return known ? v : report_unknown(b, w, name, place);
}
