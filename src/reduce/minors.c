/* minors.c - small matrices of expressions: rank, left null vectors, determinants.
 *
 * The rank is that at a random point of GF(p), by the fingerprints of the entries. Determinants are
 * expanded along rows, with minors shared: no division, so that only the determinant itself must
 * not vanish, not some pivot on the way.
 */
#include <string.h>

#include "expr/field.h"
#include "reduce/engine.h"

/* ---- rank */

typedef struct ladder {
    uint64_t *at;    /* rows x (columns + rows): entries, then how the row was combined */
    uint32_t *pivot; /* column per row; NONE: it depends on those above */
    uint32_t rows, columns, width;
} ladder;

static void subtract(const ladder *l, uint32_t target, uint32_t source)
{
    uint64_t *t = l->at + (size_t)target * l->width, *s = l->at + (size_t)source * l->width;
    uint64_t scale =
        ct_field_neg(ct_field_mul(t[l->pivot[source]], ct_field_inv(s[l->pivot[source]])));
    for (uint32_t k = 0; scale && k < l->width; k++)
        t[k] = ct_field_add(t[k], ct_field_mul(scale, s[k]));
}

static void find_pivot(const ladder *l, uint32_t index)
{
    const uint64_t *t = l->at + (size_t)index * l->width;
    for (uint32_t k = 0; k < index; k++)
        if (l->pivot[k] != NONE)
            subtract(l, index, k);
    l->pivot[index] = NONE;
    for (uint32_t k = 0; k < l->columns && l->pivot[index] == NONE; k++)
        if (t[k])
            l->pivot[index] = k;
}

static uint32_t dependent_row(engine *g, const ct_expr *entry, uint32_t rows, uint32_t columns,
                              bool *in_support, uint32_t *chosen)
{
    ladder l = {.pivot = chosen, .rows = rows, .columns = columns, .width = columns + rows};
    size_t size = (size_t)rows * l.width * sizeof *l.at;
    uint32_t found = NONE;
    l.at = ct_arena_alloc(g->scratch, size);
    for (uint32_t i = 0; i < rows && found == NONE; i++) {
        uint64_t *t = l.at + (size_t)i * l.width;
        for (uint32_t k = 0; k < columns; k++)
            t[k] = ct_expr_fingerprint(g->pool, entry[i * columns + k]);
        t[columns + i] = 1;
        find_pivot(&l, i);
        if (chosen[i] != NONE)
            continue;
        found = i;
        for (uint32_t k = 0; k < rows; k++)
            in_support[k] = t[columns + k] != 0;
    }
    ct_arena_release(g->scratch, l.at, size);
    return found;
}

/* ---- determinants */

static uint32_t bits_of(uint32_t mask)
{
    uint32_t count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

/* Of the first rows, as many as the mask has columns: expanded along the last of them. */
static ct_expr expand(engine *g, const ct_expr *entry, uint32_t columns, const ct_expr *minor,
                      uint32_t mask)
{
    uint32_t last = bits_of(mask) - 1, place = 0;
    g->part.count = 0;
    for (uint32_t k = 0; k < columns; k++) {
        if (!(mask >> k & 1))
            continue;
        ct_expr part = ct_expr_mul(g->pool, entry[last * columns + k], minor[mask & ~(1u << k)]);
        CT_PUSH(g->arena, g->part, (last - place) % 2 ? ct_expr_neg(g->pool, part) : part);
        place++;
    }
    return ct_expr_sum(g->pool, g->part.at, g->part.count);
}

void ct_without_column(engine *g, const ct_expr *entry, uint32_t rows, ct_expr *out)
{
    uint32_t columns = rows + 1, all = (1u << columns) - 1;
    ct_expr minor[1 << (MOST_BLOCK + 1)] = {g->one};
    for (uint32_t mask = 1; mask < all; mask++)
        minor[mask] = expand(g, entry, columns, minor, mask);
    for (uint32_t k = 0; k < columns; k++)
        out[k] = minor[all & ~(1u << k)];
}

/* ---- left null vectors */

static void gather(const ct_expr *entry, uint32_t columns, const dependency *d, ct_expr *own)
{
    for (uint32_t i = 0; i < d->rows && columns; i++)
        memcpy(own + i * columns, entry + d->row[i] * columns, columns * sizeof *own);
}

/* Columns that make all rows but the last independent; then the factors, by determinants. */
static void find_factors(engine *g, const ct_expr *entry, uint32_t columns, dependency *d)
{
    ct_expr *own = CT_NEW_ARRAY(g->scratch, ct_expr, d->rows * columns + 1);
    ct_expr turned[MOST_BLOCK * (MOST_BLOCK + 1)], *next = turned;
    bool again[MOST_BLOCK + 1];
    gather(entry, columns, d, own);
    dependent_row(g, own, d->rows, columns, again, d->column);
    for (uint32_t c = 0; c + 1 < d->rows; c++)
        for (uint32_t i = 0; i < d->rows; i++)
            *next++ = own[i * columns + d->column[c]];
    ct_without_column(g, turned, d->rows - 1, d->factor);
    for (uint32_t i = 1; i < d->rows; i += 2)
        d->factor[i] = ct_expr_neg(g->pool, d->factor[i]);
}

bool ct_find_dependency(engine *g, const ct_expr *entry, uint32_t rows, uint32_t columns,
                        dependency *d)
{
    bool *in_support = CT_NEW_ARRAY(g->scratch, bool, rows + 1);
    uint32_t *chosen = CT_NEW_ARRAY(g->scratch, uint32_t, rows + 1);
    if (dependent_row(g, entry, rows, columns, in_support, chosen) == NONE)
        return false;
    d->rows = 0;
    for (uint32_t i = 0; i < rows; i++) {
        if (in_support[i] && d->rows <= MOST_BLOCK)
            d->row[d->rows] = i;
        d->rows += in_support[i];
    }
    if (d->rows <= MOST_BLOCK + 1)
        find_factors(g, entry, columns, d);
    return true;
}
