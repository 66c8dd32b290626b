/* blocks.c - small sets of rows that are linear in as many unknowns, with factors that hold states:
 * inductances that turn with a rotor, masses behind mechanisms.
 *
 * No single factor is a safe divisor there, but the determinant is: where it vanishes, the model
 * itself is singular. The solution is written by Cramer's rule with shared minors. A determinant
 * that is zero everywhere means that the rows bind the states: their combination without the
 * unknowns takes the place of one of them.
 */
#include <string.h>

#include "reduce/engine.h"

typedef struct block {
    uint32_t row[MOST_BLOCK], unknown[MOST_BLOCK];
    uint32_t rows, unknowns;
} block;

static bool is_open(const engine *g, uint32_t u)
{
    column_fate fate = g->col[u].fate;
    return g->col[u].kind != COLUMN_STATE && (fate == FATE_OPEN || fate == FATE_LEFT);
}

static bool add_once(uint32_t *list, uint32_t *count, uint32_t value)
{
    for (uint32_t i = 0; i < *count; i++)
        if (list[i] == value)
            return true;
    if (*count == MOST_BLOCK)
        return false;
    list[(*count)++] = value;
    return true;
}

/* The unknowns of a row; false: too many, or it is not linear in them. */
static bool add_unknowns(engine *g, block *b, const row *r)
{
    for (uint32_t i = 0; i < r->nonlinear.count; i++)
        if (is_open(g, r->nonlinear.at[i]))
            return false;
    for (uint32_t i = 0; i < r->term_count; i++)
        if (is_open(g, r->term[i].unknown) &&
            !add_once(b->unknown, &b->unknowns, r->term[i].unknown))
            return false;
    return true;
}

/* The rows of an unknown; false: one of them holds it in another way, or it has too many. */
static bool add_rows(engine *g, block *b, uint32_t unknown)
{
    const column *c = &g->col[unknown];
    if (c->nonlinear || c->count > MOST_BLOCK)
        return false;
    for (uint32_t i = 0; i < c->rows.count; i++) {
        const row *r = &g->row.at[c->rows.at[i]];
        if (r->live && ct_find_term(r, unknown) != NONE &&
            !add_once(b->row, &b->rows, c->rows.at[i]))
            return false;
    }
    return true;
}

/* Everything that hangs together with a row. */
static bool find_block(engine *g, uint32_t index, block *b)
{
    *b = (block){.row = {index}, .rows = 1};
    uint32_t rows = 0, unknowns = 0;
    while (rows < b->rows || unknowns < b->unknowns) {
        bool good = rows < b->rows ? add_unknowns(g, b, &g->row.at[b->row[rows++]])
                                   : add_rows(g, b, b->unknown[unknowns++]);
        if (!good)
            return false;
    }
    return b->unknowns && b->rows == b->unknowns;
}

/* Minus what a row holds beside the unknowns of the block. */
static ct_expr right_side(engine *g, const row *r)
{
    g->part.count = 0;
    for (uint32_t i = 0; i < r->term_count; i++)
        if (!is_open(g, r->term[i].unknown))
            CT_PUSH(
                g->arena, g->part,
                ct_expr_mul(g->pool, r->term[i].factor, ct_engine_symbol(g, r->term[i].unknown)));
    CT_PUSH(g->arena, g->part, r->rest);
    return ct_expr_neg(g->pool, ct_expr_sum(g->pool, g->part.at, g->part.count));
}

static void fill(engine *g, const block *b, ct_expr *entry)
{
    uint32_t n = b->rows;
    for (uint32_t i = 0; i < n; i++) {
        const row *r = &g->row.at[b->row[i]];
        for (uint32_t k = 0; k < n; k++) {
            uint32_t at = ct_find_term(r, b->unknown[k]);
            entry[i * (n + 1) + k] = at == NONE ? g->zero : r->term[at].factor;
        }
        entry[i * (n + 1) + n] = right_side(g, r);
    }
}

static void keep_determinant(engine *g, const block *b, ct_expr value)
{
    block_divisor d = {.value = value, .count = b->unknowns};
    memcpy(d.unknown, b->unknown, b->unknowns * sizeof *b->unknown);
    if (g->defined.count)
        CT_PUSH(g->arena, g->determinant, d);
}

static void replace(engine *g, const block *b, const ct_expr *whole)
{
    uint32_t n = b->rows, fresh[MOST_BLOCK];
    if (ct_factor_risk(g, whole[n]) == 1)
        CT_PUSH(g->arena, g->divisor, whole[n]);
    else
        keep_determinant(g, b, whole[n]);
    for (uint32_t i = 0; i < n; i++) {
        ct_expr value = ct_expr_div(g->pool, whole[i], whole[n]);
        ct_term term = {b->unknown[i], g->one};
        /* The right side stood in the last column, not in that of the unknown. */
        fresh[i] = ct_replace_row(g, b->row[i], &term, 1,
                                  (n - 1 - i) % 2 ? value : ct_expr_neg(g->pool, value));
    }
    for (uint32_t i = 0; i < n; i++)
        ct_eliminate(g, b->unknown[i], fresh[i]);
}

/* The determinant is zero: one row becomes what the rows say without the unknowns. */
static void combine(engine *g, const block *b, const ct_expr *entry)
{
    ct_expr own[MOST_BLOCK * MOST_BLOCK], sum = g->zero;
    uint32_t n = b->rows;
    dependency d;
    for (uint32_t i = 0; i < n; i++)
        memcpy(own + i * n, entry + i * (n + 1), n * sizeof *own);
    if (!ct_find_dependency(g, own, n, n, &d))
        return;
    for (uint32_t i = 0; i < d.rows; i++)
        sum = ct_expr_add(g->pool, sum,
                          ct_expr_mul(g->pool, d.factor[i], entry[d.row[i] * (n + 1) + n]));
    ct_replace_row(g, b->row[d.row[d.rows - 1]], NULL, 0, sum);
}

/* A row that holds but one unknown, though others hold it, too. */
static bool find_single(engine *g, uint32_t index, block *b)
{
    *b = (block){.row = {index}, .rows = 1};
    return add_unknowns(g, b, &g->row.at[index]) && b->unknowns == 1 &&
           !g->col[b->unknown[0]].nonlinear;
}

typedef bool finder(engine *g, uint32_t index, block *b);

static bool solve(engine *g, uint32_t index, finder *find)
{
    ct_expr entry[MOST_BLOCK * (MOST_BLOCK + 1)], determinant[MOST_BLOCK + 1];
    block b;
    if (!g->row.at[index].live || g->row.at[index].hidden || !find(g, index, &b))
        return false;
    fill(g, &b, entry);
    ct_without_column(g, entry, b.rows, determinant);
    ct_expr whole = determinant[b.rows];
    if (ct_expr_is_zero(g->pool, whole)) {
        combine(g, &b, entry);
        return true;
    }
    if (ct_factor_risk(g, whole) < 2 && ct_factor_vanishes(g, whole))
        return false;
    replace(g, &b, determinant);
    return true;
}

static bool solve_all(engine *g, finder *find)
{
    bool changed = false;
    uint32_t count = g->row.count;
    for (uint32_t i = 0; i < count; i++)
        changed |= solve(g, i, find);
    return changed;
}

/* The smallest first: what a row says alone does not have to pass through a determinant. */
bool ct_solve_blocks(engine *g)
{
    return solve_all(g, find_single) || solve_all(g, find_block);
}
