/* initialise_jump.c - the start of networks whose storage is tied: a jump from what was stored
 * before.
 *
 * Storage without a value is empty before the start, and sources are zero: they jump to what they
 * are. A value that is given holds after that jump, so what its storage held before is sought.
 * Guesses of storage are met in the same way where that can be; else the jump begins from them.
 */
#include <math.h>
#include <string.h>

#include "simulate/initialise.h"
#include "simulate/jump.h"

static const double least_pivot = 1e-9; /* of entries that are 1 where a value keeps itself */
static const double least_step = 1e-6;  /* of a difference */

enum { MOST_GIVEN = 64 };
static const double met = 1e-12; /* of a given value */

/* A value that is given: of a state, or of storage that depends on others. */
typedef struct known {
    uint32_t state, kept; /* which; UINT32_MAX: it is the other */
    uint32_t factor;      /* the start, where that is stored with a factor, or by another;
                             UINT32_MAX: none */
    double value;
} known;

typedef struct opening {
    initialising *in;
    double *z, *kept; /* before the start */
    double *after;    /* z after it */
    double *kept_after;
    CT_VEC(known) known;
    uint32_t sought[MOST_GIVEN], sought_count; /* known values that the jump would change */
} opening;

static double *place_of(const known *k, double *z, double *kept)
{
    return k->state != UINT32_MAX ? &z[k->state] : &kept[k->kept];
}

/* 0: it is more than a symbol. */
static ct_name name_of(const ct_machine *m, ct_expr e)
{
    return ct_expr_kind_of(m->pool, e) == CT_EXPR_SYMBOL ? ct_expr_name(m->pool, e) : 0;
}

/* The state that a start is written as, plus 1; 0: none. */
static uint32_t state_of(const ct_machine *m, uint32_t start)
{
    uint32_t z = ct_map_get(&m->z_index, name_of(m, m->start[start]));
    return z <= m->n ? z : 0;
}

/* What stores a variable: itself, or with its factor, where that may jump. */
static bool stores(const ct_machine *m, ct_name unknown, ct_name name)
{
    const ct_symbols *all = m->model->symbols;
    ct_symbol own = ct_symbol_of(all, unknown), of = ct_symbol_of(all, name);
    return unknown && name &&
           (unknown == name || (own.kind == CT_SYMBOL_STORED && of.kind == CT_SYMBOL_EDGE &&
                                own.owner == of.owner && own.part == of.part));
}

/* A state of the same component, plus 1; 0: none. Windings without leakage store by one current,
 * the other one follows from it and from what is tied to it. */
static uint32_t partner_of(const ct_machine *m, ct_name name)
{
    const ct_symbols *all = m->model->symbols;
    ct_symbol of = ct_symbol_of(all, name);
    for (uint32_t i = 0; of.kind == CT_SYMBOL_EDGE && i < m->n; i++) {
        ct_symbol own = ct_symbol_of(all, m->z[i]);
        if (own.kind == CT_SYMBOL_EDGE && own.owner == of.owner && m->z[i] != name)
            return i + 1;
    }
    return 0;
}

/* What it is the value of: of what stores, though a state may be equal to it. */
static known known_of(const opening *o, uint32_t start)
{
    const ct_machine *m = o->in->m;
    known k = {UINT32_MAX, UINT32_MAX, UINT32_MAX, o->in->value[start]};
    ct_name name = name_of(m, m->model->start[start].variable);
    for (uint32_t d = 0; d < m->jumps->kept.count; d++)
        if (stores(m, m->jumps->kept.at[d], name))
            k.kept = d, k.factor = m->jumps->kept.at[d] == name ? UINT32_MAX : start;
    for (uint32_t i = 0; i < m->n + m->m && k.kept == UINT32_MAX; i++)
        if (m->z[i] != name && stores(m, m->z[i], name))
            return (known){i, UINT32_MAX, start, k.value};
    if (k.kept == UINT32_MAX && state_of(m, start))
        k.state = state_of(m, start) - 1;
    uint32_t partner = k.state == UINT32_MAX && k.kept == UINT32_MAX ? partner_of(m, name) : 0;
    if (partner)
        k.state = partner - 1, k.factor = start;
    return k;
}

/* guesses: hold, too; else they only are what was stored before. */
static void list_known(opening *o, bool guesses)
{
    const initialising *in = o->in;
    const ct_machine *m = in->m;
    for (uint32_t i = 0; i < m->model->start_count; i++)
        if (state_of(m, i)) /* set already, and empty if it only is equal */
            o->z[state_of(m, i) - 1] = 0;
    for (uint32_t i = 0; i < m->model->start_count; i++) {
        known k = known_of(o, i);
        if (k.state == UINT32_MAX && k.kept == UINT32_MAX)
            continue;
        *place_of(&k, o->z, o->kept) = k.factor == UINT32_MAX ? k.value : 0;
        if (guesses || !m->model->start[i].guess)
            CT_PUSH(in->arena, o->known, k);
    }
}

static bool jump(opening *o)
{
    ct_rig *rig = o->in->rig;
    memcpy(o->after, o->z, (o->in->m->n + o->in->m->m) * sizeof *o->z);
    ct_jump_remember(rig, o->in->t, o->z);
    memcpy(ct_jump_kept(rig), o->kept, o->in->m->jumps->kept.count * sizeof *o->kept);
    ct_run_stats stats = {.culprit = UINT32_MAX};
    if (ct_jump_at_start(rig, o->in->t, o->after) != CT_SOLVED)
        return false;
    if (o->in->m->m && /* what is given, or depends on others, is read from w */
        ct_solve_algebraic(o->in->m->ctx, &rig->free, o->in->t, o->after, true, &stats) !=
            CT_SOLVED)
        return false;
    ct_jump_remember(rig, o->in->t, o->after);
    memcpy(o->kept_after, ct_jump_kept(rig), o->in->m->jumps->kept.count * sizeof *o->kept);
    return true;
}

static double miss_of(const opening *o, uint32_t i)
{
    const known *k = &o->known.at[i];
    if (k->factor != UINT32_MAX)
        return ct_rig_value_at(o->in->rig, o->in->t, o->after, o->in->m->start[k->factor]) -
               k->value;
    return *place_of(k, o->after, o->kept_after) - k->value;
}

/* Adds the known values that the jump changed; false: there are none, or too many. */
static bool add_sought(opening *o)
{
    double most = 0;
    uint32_t before = o->sought_count;
    for (uint32_t i = 0; i < o->known.count; i++)
        most = fmax(most, fabs(o->known.at[i].value) + fabs(miss_of(o, i)));
    for (uint32_t i = 0; i < o->known.count; i++) {
        bool listed = false;
        for (uint32_t k = 0; k < o->sought_count; k++)
            listed |= o->sought[k] == i;
        if (listed || fabs(miss_of(o, i)) <= met * most)
            continue;
        if (o->sought_count == MOST_GIVEN)
            return false;
        o->sought[o->sought_count++] = i;
    }
    return o->sought_count > before;
}

/* Gauss with the largest pivot of a column; false: singular. */
static bool solve(double *a, double *b, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++)
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        if (!(fabs(a[best * n + k]) > least_pivot))
            return false;
        for (uint32_t c = 0; c <= n && best != k; c++) {
            double *x = c < n ? &a[k * n + c] : &b[k], *y = c < n ? &a[best * n + c] : &b[best];
            double keep = *x;
            *x = *y;
            *y = keep;
        }
        for (uint32_t i = k + 1; i < n; i++) {
            double by = a[i * n + k] / a[k * n + k];
            for (uint32_t c = k; c < n; c++)
                a[i * n + c] -= by * a[k * n + c];
            b[i] -= by * b[k];
        }
    }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t c = k + 1; c < n; c++)
            b[k] -= a[k * n + c] * b[c];
        b[k] /= a[k * n + k];
    }
    return true;
}

/* One step of Newton's method for what was stored before. */
static bool correct(opening *o)
{
    uint32_t n = o->sought_count;
    double *a = CT_NEW_ARRAY(o->in->arena, double, (size_t)n *n + 1);
    double *b = CT_NEW_ARRAY(o->in->arena, double, n + 1);
    for (uint32_t i = 0; i < n; i++)
        b[i] = -miss_of(o, o->sought[i]);
    for (uint32_t c = 0; c < n; c++) {
        double *place = place_of(&o->known.at[o->sought[c]], o->z, o->kept), keep = *place;
        double by = fmax(fabs(keep), fmax(fabs(b[c]), least_step));
        *place += by;
        bool good = jump(o);
        *place = keep;
        for (uint32_t i = 0; i < n && good; i++)
            a[i * n + c] = (miss_of(o, o->sought[i]) + b[i]) / by;
        if (!good)
            return false;
    }
    if (!solve(a, b, n))
        return false;
    for (uint32_t c = 0; c < n; c++)
        *place_of(&o->known.at[o->sought[c]], o->z, o->kept) += b[c];
    return jump(o);
}

static bool all_met(const opening *o)
{
    double most = 0, miss = 0;
    for (uint32_t i = 0; i < o->known.count; i++) {
        most = fmax(most, fabs(o->known.at[i].value) + fabs(miss_of(o, i)));
        miss = fmax(miss, fabs(miss_of(o, i)));
    }
    return miss <= 1e3 * met * most;
}

/* What was integrated before the start does not count. */
static void take(const opening *o)
{
    const ct_machine *m = o->in->m;
    for (uint32_t i = 0; i < m->n + m->m; i++) {
        ct_symbol_kind kind = ct_symbol_of(m->model->symbols, m->z[i]).kind;
        if (i >= m->n || kind != CT_SYMBOL_INTEGRAL)
            o->in->z[i] = o->after[i];
    }
}

static bool open_with(opening *o, bool guesses)
{
    enum { ROUNDS = 20 };
    const ct_machine *m = o->in->m;
    memcpy(o->z, o->in->z, (m->n + m->m) * sizeof *o->z);
    memset(o->kept, 0, m->jumps->kept.count * sizeof *o->kept);
    o->known.count = o->sought_count = 0;
    list_known(o, guesses);
    if (!jump(o))
        return false;
    for (int round = 0; round < ROUNDS && !all_met(o); round++) {
        add_sought(o);
        if (!o->sought_count || !correct(o))
            return false;
    }
    return all_met(o);
}

bool ct_start_is_shared(const ct_machine *m, uint32_t start)
{
    uint32_t own = m->model->start_count;
    ct_name name =
        start < own ? name_of(m, m->model->start[start].variable) : m->empty.at[start - own];
    for (uint32_t i = 0; i < m->jumps->kept.count; i++)
        if (stores(m, m->jumps->kept.at[i], name))
            return true;
    return false;
}

bool ct_start_by_jump(initialising *in)
{
    const ct_machine *m = in->m;
    opening o = {.in = in};
    if (!in->rig->jumping || m->reduced->system->mechanics)
        return false;
    o.z = CT_NEW_ARRAY(in->arena, double, m->n + m->m + 1);
    o.after = CT_NEW_ARRAY(in->arena, double, m->n + m->m + 1);
    o.kept = CT_NEW_ARRAY(in->arena, double, m->jumps->kept.count + 1);
    o.kept_after = CT_NEW_ARRAY(in->arena, double, m->jumps->kept.count + 1);
    if (!open_with(&o, true) && !open_with(&o, false))
        return false;
    take(&o);
    return true;
}
