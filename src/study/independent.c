/* independent.c - a mechanism with closed loops in independent coordinates.
 *
 * Loops tie states: c(x, t) = 0. As many states as there are ties become algebraic unknowns with
 * the ties as their equations; those that stay are chosen at the operating point, so that the ties
 * can be solved for the others as well as possible. States whose initial values the model gives
 * are kept where that is possible.
 */
#include "study/independent.h"

#include <math.h>
#include <string.h>

typedef struct choosing {
    const ct_reduced *r;
    ct_arena *arena;
    uint32_t rows, cols;
    ct_expr *tie;
    double *a;        /* derivatives of ties by states, row by row */
    bool *position;   /* per state: a coordinate, no speed */
    bool *given;      /* per state: the model gives its start */
    uint32_t *row_of; /* per state: tie that determines it, plus 1 */
} choosing;

static ct_name state_name(const choosing *c, uint32_t i)
{
    return c->r->system->unknown[c->r->state[i]].name;
}

static bool express_ties(choosing *c)
{
    for (uint32_t i = 0; i < c->rows; i++) {
        c->tie[i] = ct_reduced_express(c->r, c->r->invariant[i].expr, c->r->invariant[i].place);
        if (!c->tie[i])
            return false;
    }
    return true;
}

/* At the operating point; without one, by fingerprints: any pivot that does not vanish will do. */
static const ct_jacobian *derivatives(choosing *c, const ct_statespace_def *def, const ct_name *by,
                                      const double **value)
{
    ct_pool *pool = c->r->system->pool;
    ct_expr culprit;
    if (def && def->rig) {
        const ct_tangents *t = ct_tangents_at(def->rig, def->point, NULL, c->tie, c->rows, by,
                                              c->cols, c->arena, &culprit);
        *value = t ? t->value : NULL;
        return t ? t->pattern : NULL;
    }
    const ct_jacobian *j = ct_jacobian_new(c->arena, pool, c->tie, c->rows, by, c->cols, &culprit);
    double *number = j ? CT_NEW_ARRAY(c->arena, double, j->count + 1) : NULL;
    for (uint32_t k = 0; j && k < j->count; k++)
        number[k] = ct_expr_is_number(pool, j->entry[k])
                        ? ct_expr_to_double(pool, j->entry[k])
                        : (double)ct_expr_fingerprint(pool, j->entry[k]) * 0x1p-61;
    *value = number;
    return j;
}

static bool differentiate(choosing *c, const ct_statespace_def *def)
{
    ct_name *by = CT_NEW_ARRAY(c->arena, ct_name, c->cols + 1);
    const double *value;
    for (uint32_t i = 0; i < c->cols; i++)
        by[i] = state_name(c, i);
    const ct_jacobian *j = derivatives(c, def, by, &value);
    if (!j)
        return false;
    for (uint32_t col = 0; col < c->cols; col++)
        for (uint32_t k = j->start[col]; k < j->start[col + 1]; k++)
            c->a[(size_t)j->row[k] * c->cols + col] = value[k];
    return true;
}

static void note_states(choosing *c)
{
    const ct_model *m = c->r->system->model;
    ct_map given;
    ct_map_init(&given, c->arena);
    for (uint32_t i = 0; i < m->start_count; i++)
        if (!m->start[i].guess && ct_expr_kind_of(m->pool, m->start[i].variable) == CT_EXPR_SYMBOL)
            ct_map_put(&given, ct_expr_name(m->pool, m->start[i].variable), 1);
    for (uint32_t i = 0; i < c->cols; i++) {
        c->given[i] = ct_map_get(&given, state_name(c, i)) != 0;
        c->position[i] = c->r->system->unknown[c->r->state[i]].coordinate;
    }
}

/* Gauss with the largest entry of each row; ties of speeds determine speeds. */
static bool choose(choosing *c)
{
    const double zero = 1e-9, unwilling = 1e-3; /* what is given stays, unless nothing else does */
    for (uint32_t i = 0; i < c->rows; i++) {
        const double *a = c->a + (size_t)i * c->cols;
        bool speed = c->r->invariant[i].speed;
        double best = zero;
        uint32_t pivot = UINT32_MAX;
        for (uint32_t k = 0; k < c->cols; k++) {
            double size = fabs(a[k]) * (c->given[k] ? unwilling : 1);
            if (c->row_of[k] || (speed && c->position[k]) || !(size > best))
                continue;
            best = size;
            pivot = k;
        }
        if (pivot == UINT32_MAX)
            return false;
        c->row_of[pivot] = i + 1;
        for (uint32_t l = i + 1; l < c->rows; l++) {
            double *b = c->a + (size_t)l * c->cols, factor = b[pivot] / a[pivot];
            for (uint32_t k = 0; factor != 0 && k < c->cols; k++)
                b[k] -= factor * a[k];
        }
    }
    return true;
}

static const ct_reduced *rewrite(const choosing *c)
{
    const ct_reduced *r = c->r;
    ct_reduced *out = CT_NEW(c->arena, ct_reduced);
    uint32_t n = r->state_count, k = r->algebraic_count, kept = 0, left = k;
    uint32_t *state = CT_NEW_ARRAY(c->arena, uint32_t, n + 1);
    uint32_t *algebraic = CT_NEW_ARRAY(c->arena, uint32_t, n + k + 1);
    ct_expr *rate = CT_NEW_ARRAY(c->arena, ct_expr, n + 1);
    ct_expr *residual = CT_NEW_ARRAY(c->arena, ct_expr, n + k + 1);
    if (k) {
        memcpy(algebraic, r->algebraic, k * sizeof *algebraic);
        memcpy(residual, r->residual, k * sizeof *residual);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (c->row_of[i]) {
            algebraic[left] = r->state[i];
            residual[left++] = c->tie[c->row_of[i] - 1];
        } else {
            state[kept] = r->state[i];
            rate[kept++] = r->rate[i];
        }
    }
    *out = *r;
    out->state = state, out->rate = rate, out->state_count = kept;
    out->algebraic = algebraic, out->residual = residual, out->algebraic_count = left;
    return out;
}

const ct_reduced *ct_independent(const ct_reduced *r, const ct_statespace_def *def, ct_arena *arena)
{
    uint32_t rows = r->invariant_count, cols = r->state_count;
    choosing c = {.r = r, .arena = arena, .rows = rows, .cols = cols};
    if (!rows)
        return r;
    c.tie = CT_NEW_ARRAY(arena, ct_expr, rows);
    c.a = CT_NEW_ARRAY(arena, double, (size_t)rows *cols);
    c.position = CT_NEW_ARRAY(arena, bool, cols + 1);
    c.given = CT_NEW_ARRAY(arena, bool, cols + 1);
    c.row_of = CT_NEW_ARRAY(arena, uint32_t, cols + 1);
    note_states(&c);
    if (!express_ties(&c))
        return NULL;
    if (!differentiate(&c, def) || !choose(&c)) {
        ct_report *e = ct_error(r->system->model->ctx, "E533", (ct_place){0},
                                "the closed loops cannot be linearised at this point");
        ct_note(e, "it is a singular position: the loops do not determine the motion there");
        ct_help(e, "choose another operating point");
        return NULL;
    }
    return rewrite(&c);
}
