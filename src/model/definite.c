/* definite.c - matrices as keys of vector elements: nothing stores or takes less than nothing. */
#include <math.h>
#include <string.h>

#include "model/build.h"
#include "model/split.h"

static const double rounding = 1e-9; /* of the largest entry */

typedef struct square {
    ct_arena *arena;
    uint32_t n;
    double *a; /* by rows */
    double size;
} square;

/* False: an entry is not known here. */
static bool read_square(const ct_model *m, const ct_expr *entry_of, square *s)
{
    s->a = CT_NEW_ARRAY(s->arena, double, (size_t)s->n * s->n);
    for (uint32_t i = 0; i < s->n * s->n; i++) {
        s->a[i] = entry_of[i] ? ct_model_value(m, entry_of[i]) : NAN;
        if (!isfinite(s->a[i]))
            return false;
        s->size = fmax(s->size, fabs(s->a[i]));
    }
    return true;
}

static bool is_symmetric(const square *s)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < i; k++)
            if (fabs(s->a[i * s->n + k] - s->a[k * s->n + i]) > rounding * s->size)
                return false;
    return true;
}

/* The largest entry of the diagonal from k on. */
static size_t find_pivot(const square *s, size_t k)
{
    size_t best = k;
    for (size_t i = k; i < s->n; i++)
        best = s->a[i * (s->n + 1)] > s->a[best * (s->n + 1)] ? i : best;
    return best;
}

static void exchange(square *s, size_t i, size_t k)
{
    for (size_t c = 0; i != k && c < s->n; c++) {
        double hand = s->a[i * s->n + c];
        s->a[i * s->n + c] = s->a[k * s->n + c];
        s->a[k * s->n + c] = hand;
    }
    for (size_t r = 0; i != k && r < s->n; r++) {
        double hand = s->a[r * s->n + i];
        s->a[r * s->n + i] = s->a[r * s->n + k];
        s->a[r * s->n + k] = hand;
    }
}

/* Of the symmetric part, which is all that powers see: by elimination with pivots of its diagonal.
 */
static bool has_negative(square *s)
{
    size_t n = s->n;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            s->a[i * n + k] = s->a[k * n + i] = (s->a[i * n + k] + s->a[k * n + i]) / 2;
    for (size_t k = 0; k < n; k++) {
        exchange(s, k, find_pivot(s, k));
        double pivot = s->a[k * (n + 1)];
        bool none = pivot <= rounding * s->size;
        for (size_t i = k; none && i < n * n; i++) /* all that is left must be zero */
            if (i / n >= k && i % n >= k && fabs(s->a[i]) > rounding * s->size)
                return true;
        for (size_t i = k + 1; !none && i < n; i++)
            for (size_t c = k + 1; c < n; c++)
                s->a[i * n + c] -= s->a[i * n + k] * s->a[k * n + c] / pivot;
    }
    return false;
}

/* Do its equations hold rates, or positions? */
static bool stores(const ct_model *m, const ct_element *e, ct_arena *arena)
{
    const ct_split *split = ct_split_element(m, e, arena);
    for (uint32_t i = 0; split->plain && i < e->equation_count; i++)
        for (uint32_t k = 0; k < split->row[i].term_count; k++)
            if (split->row[i].term[k].order != 0)
                return true;
    return false;
}

static void report_negative(builder *b, ct_place place, const char *key, const char *owner)
{
    ct_report *r = ct_error(b->ctx, "E420", place,
                            "the matrix `%s` of `%s` is negative in some direction", key, owner);
    ct_note(r, "along that direction it would hold less energy than none, or give power away");
    ct_help(r, "check the entries beside the diagonal: of [a, b; b, c] b^2 is at most a*c");
    ct_witness(r, owner);
}

static void warn_unsymmetric(builder *b, ct_place place, const char *key, const char *owner)
{
    ct_report *r =
        ct_warning(b->ctx, "W420", place, "the matrix `%s` of `%s` is not symmetric", key, owner);
    ct_note(r,
            "what it stores then depends on the way: round a closed way it gives or takes energy");
    ct_help(r, "write [a, b; b, c], or leave it if such a model is meant");
    ct_witness(r, owner);
}

void ct_check_definite(builder *b, const ct_element *e, const ct_element_param *p,
                       const ct_expr *entry_of, ct_place place, const char *owner)
{
    const char *key = ct_name_text(b->ctx, p->name);
    ct_arena *scratch = ct_arena_new(b->ctx);
    square s = {.arena = scratch, .n = p->rows};
    if (read_square(b->model, entry_of, &s)) {
        bool symmetric = is_symmetric(&s);
        if (has_negative(&s))
            report_negative(b, place, key, owner);
        else if (!symmetric && stores(b->model, e, scratch))
            warn_unsymmetric(b, place, key, owner);
    }
    ct_arena_free(scratch);
}
