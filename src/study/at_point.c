/* at_point.c - values that are exact at an operating point are put into symbolic entries.
 *
 * A point is known in numbers only. A variable that is zero there, or a part of a turn, is taken as
 * exactly that: the point of a search is near it by rounding. Other numbers are exact when somebody
 * gave them, with `--state` or as the constant value of an input; what was computed depends on
 * parameters that stay symbols, and so does not go in. A trial tells whether all entries keep their
 * values: a current of 1e-12 A can be all that there is.
 */
#include "study/at_point.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"

static const double near_zero = 1e-20, near_turn = 1e-8;
static const double still = 1e-9; /* a coordinate, or its speed; a current can be that small */
static const double own_change = 1e-7, other_change = 1e-9; /* of an entry by what was put in */

typedef struct putting {
    const ct_statespace_def *def;
    const ct_model *model;
    ct_context *ctx;
    ct_arena *arena;
    ct_pool *pool;
    ct_name time;
    ct_entry *entry;
    uint32_t count;
    ct_expr *before, *after; /* values of the entries */
    double *was, *is;
    double *in_row, *in_column; /* the largest numbers there */
    CT_VEC(ct_name) symbol;     /* those with an exact value */
    CT_VEC(ct_expr) value;
} putting;

/* ---- exact values */

static ct_expr part_of_turn(ct_pool *pool, double number)
{
    const double part = 3.14159265358979323846 / 12;
    double times = round(number / part);
    if (!(fabs(times) >= 1 && fabs(times) <= 1200) ||
        fabs(number - times * part) > near_turn * fabs(number))
        return 0;
    ct_expr pi = ct_expr_call(pool, CT_OP_PI, NULL, 0);
    return ct_expr_mul(pool, ct_expr_ratio(pool, (int64_t)times, 12), pi);
}

/* As it was written, when six digits say it all. */
static ct_expr short_number(ct_pool *pool, double number)
{
    const double two_ulps = 4e-16;
    char text[40];
    int length = snprintf(text, sizeof text, "%.6g", fabs(number));
    double back;
    if (sscanf(text, "%lf", &back) != 1 || fabs(back - fabs(number)) > two_ulps * back)
        return 0;
    ct_expr e = ct_expr_decimal(pool, text, (size_t)length);
    return e && number < 0 ? ct_expr_neg(pool, e) : e;
}

/* By `--state`, as a constant input, or the time itself. */
static bool is_given(const putting *p, ct_name symbol)
{
    const char *text = ct_name_text(p->ctx, symbol);
    uint32_t q = ct_map_get(p->model->quantity_by_name, symbol);
    if (symbol == p->time)
        return true;
    if (q && p->model->quantity[q - 1].value)
        return ct_expr_is_number(p->model->pool, p->model->quantity[q - 1].value);
    for (uint32_t i = 0; i < p->def->given_count; i++)
        if (strcmp(p->def->given[i].name, text) == 0)
            return true;
    return false;
}

static ct_expr exact_value(const putting *p, ct_name symbol, double number)
{
    bool given = is_given(p, symbol);
    bool moves = ct_symbol_of(p->model->symbols, symbol).kind == CT_SYMBOL_COORDINATE;
    if (number == 0 || (!given && fabs(number) < (moves ? still : near_zero)))
        return ct_expr_int(p->pool, 0);
    ct_expr turn = part_of_turn(p->pool, number);
    return turn ? turn : given ? short_number(p->pool, number) : 0;
}

/* ---- variables */

static void take_symbol(void *user, ct_expr e)
{
    putting *p = user;
    if (ct_expr_kind_of(p->pool, e) != CT_EXPR_SYMBOL)
        return;
    ct_name name = ct_expr_name(p->pool, e);
    uint32_t q = ct_map_get(p->model->quantity_by_name, name);
    if (!q || p->model->quantity[q - 1].kind != CT_PARAM)
        CT_PUSH(p->arena, p->symbol, name);
}

/* False: not all of them have a number. */
static bool find_values(putting *p, const ct_expr *constant, uint32_t constants)
{
    ct_expr_walk(p->pool, p->before, p->count, take_symbol, p);
    if (constant)
        ct_expr_walk(p->pool, constant, constants, take_symbol, p);
    uint32_t count = p->symbol.count, kept = 0;
    ct_expr *e = CT_NEW_ARRAY(p->arena, ct_expr, count + 1);
    double *number = CT_NEW_ARRAY(p->arena, double, count + 1);
    for (uint32_t i = 0; i < count; i++)
        e[i] = ct_expr_symbol(p->pool, p->symbol.at[i]);
    if (!count || !ct_values_at(p->def->rig, p->def->point, e, count, number))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        ct_expr value = isfinite(number[i]) ? exact_value(p, p->symbol.at[i], number[i]) : 0;
        if (!value)
            continue;
        p->symbol.at[kept++] = p->symbol.at[i];
        CT_PUSH(p->arena, p->value, value);
    }
    p->symbol.count = kept;
    return kept > 0;
}

/* ---- trials */

static bool numbers_of(const putting *p, const ct_expr *e, double *number)
{
    return ct_values_at(p->def->rig, p->def->point, e, p->count, number);
}

static void note_largest(putting *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        double *row = &p->in_row[p->entry[i].row], *column = &p->in_column[p->entry[i].col];
        *row = fmax(*row, fabs(p->was[i]));
        *column = fmax(*column, fabs(p->was[i]));
    }
}

static bool same_numbers(const putting *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        double change = fabs(p->is[i] - p->was[i]);
        double most = fmax(p->in_row[p->entry[i].row], p->in_column[p->entry[i].col]);
        if (!(change <= own_change * fabs(p->was[i])) && !(change <= other_change * most))
            return false;
    }
    return true;
}

static bool try_values(putting *p, uint32_t first, uint32_t count)
{
    ct_expr_substitute_all(p->pool, p->before, p->after, p->count, p->symbol.at + first,
                           p->value.at + first, count);
    for (uint32_t i = 0; i < p->count; i++)
        if (!p->after[i])
            return false;
    return numbers_of(p, p->after, p->is) && same_numbers(p);
}

static void keep_trial(putting *p)
{
    memcpy(p->before, p->after, p->count * sizeof *p->before);
}

/* All at once; where that changes something, one after the other. The values that went in come
 * first in the list. */
static void put_in(putting *p)
{
    uint32_t kept = 0;
    if (try_values(p, 0, p->symbol.count)) {
        keep_trial(p);
        return;
    }
    for (uint32_t i = 0; i < p->symbol.count; i++) {
        if (!try_values(p, i, 1))
            continue;
        keep_trial(p);
        p->symbol.at[kept] = p->symbol.at[i];
        p->value.at[kept++] = p->value.at[i];
    }
    p->symbol.count = kept;
}

static void put_into_constants(putting *p, ct_expr *constant, uint32_t constants)
{
    ct_expr *out = CT_NEW_ARRAY(p->arena, ct_expr, constants + 1);
    ct_expr_substitute_all(p->pool, constant, out, constants, p->symbol.at, p->value.at,
                           p->symbol.count);
    for (uint32_t i = 0; i < constants; i++)
        if (out[i])
            constant[i] = out[i];
}

void ct_put_in_exact(const ct_statespace_def *def, const ct_model *model, ct_arena *arena,
                     ct_pool *pool, ct_entry *entry, uint32_t entries, ct_expr *constant,
                     uint32_t constants)
{
    uint32_t rows = 0, cols = 0;
    for (uint32_t i = 0; i < entries; i++) {
        rows = entry[i].row >= rows ? entry[i].row + 1 : rows;
        cols = entry[i].col >= cols ? entry[i].col + 1 : cols;
    }
    putting p = {.def = def,
                 .model = model,
                 .ctx = model->ctx,
                 .arena = arena,
                 .pool = pool,
                 .time = ct_intern_text(model->ctx, "t"),
                 .entry = entry,
                 .count = entries,
                 .before = CT_NEW_ARRAY(arena, ct_expr, entries + 1),
                 .after = CT_NEW_ARRAY(arena, ct_expr, entries + 1),
                 .was = CT_NEW_ARRAY(arena, double, entries + 1),
                 .is = CT_NEW_ARRAY(arena, double, entries + 1),
                 .in_row = CT_NEW_ARRAY(arena, double, rows + 1),
                 .in_column = CT_NEW_ARRAY(arena, double, cols + 1)};
    for (uint32_t i = 0; i < entries; i++)
        p.before[i] = entry[i].value;
    if (!find_values(&p, constant, constants) || !numbers_of(&p, p.before, p.was))
        return;
    note_largest(&p);
    put_in(&p);
    for (uint32_t i = 0; i < entries; i++)
        entry[i].value = p.before[i];
    if (constant)
        put_into_constants(&p, constant, constants);
}
