/* lookout.c - zeros of functions of time, one after the other; see lookout.h.
 *
 * A stack of boxes is worked off from left to right. Where the range of the function, or its mean
 * value form, has no zero there is none; where the slope has none, two signs tell; other boxes are
 * halved, until nothing is left of them but rounding.
 */
#include "simulate/lookout.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "simulate/timed.h"

enum { DEEPEST = 200, MOST_BOXES = 2000000 };
static const double narrowest = 1e-13; /* of the largest time */

typedef struct box {
    double low, high;
} box;

typedef struct lookout {
    ct_timed value, slope;
    ct_op op;
    bool kink;
    bool leaps; /* within the run: at moments that are known besides */
    uint32_t root;
    double known; /* sum of what it reads besides: has it changed? */
    box stack[DEEPEST];
    uint32_t depth;
    box spare;                 /* a candidate that was found ahead; NaN: none */
    double begin, next, after; /* the gap; where the next one begins */
    double operand;            /* in the gap */
    uint64_t passed;           /* zeros */
} lookout;

struct ct_lookouts {
    uint32_t count;
    lookout *at;
    uint32_t *of_root;   /* + 1 */
    ct_map of_condition; /* + 1 */
    const ct_pool *pool;
    double start, stop;
    bool on, shared; /* shared: with those of other rigs */
};

/* ---- making */

static bool make(ct_rig *rig, uint32_t root, lookout *k)
{
    const ct_machine *m = rig->machine;
    const ct_event *e = &m->events.root.at[root];
    *k = (lookout){.root = root, .op = e->op, .kink = e->kind == CT_EVENT_KINK};
    if (ct_expr_is_number(m->pool, e->condition) || !ct_timed_make(rig, e->condition, &k->value))
        return false;
    ct_expr slope = ct_expr_diff(m->pool, e->condition, m->time);
    if (slope)
        ct_timed_make(rig, slope, &k->slope);
    return true;
}

ct_lookouts *ct_lookouts_new(ct_rig *rig)
{
    uint32_t roots = rig->machine->events.root.count, timed = 0;
    for (uint32_t i = 0; i < roots; i++)
        timed += rig->machine->events.root.at[i].timed;
    if (!timed)
        return NULL;
    ct_lookouts *l = CT_NEW(rig->arena, ct_lookouts);
    l->at = CT_NEW_ARRAY(rig->arena, lookout, timed);
    l->of_root = CT_NEW_ARRAY(rig->arena, uint32_t, roots);
    l->pool = rig->machine->pool;
    ct_map_init(&l->of_condition, rig->arena);
    for (uint32_t i = 0; i < roots; i++)
        if (rig->machine->events.root.at[i].timed && make(rig, i, &l->at[l->count])) {
            l->of_root[i] = ++l->count;
            ct_map_put(&l->of_condition, rig->machine->events.root.at[i].condition, l->count);
        }
    return l->count ? l : NULL;
}

/* ---- sides */

static bool has_zero(const lookout *k, ct_bounds v)
{
    if (k->op == CT_OP_FLOOR)
        return !(floor(v.low) == floor(v.high));
    return !(v.low > 0 || v.high < 0);
}

static double side_at(lookout *k, double t)
{
    double v = ct_timed_at(&k->value, t);
    return k->op == CT_OP_FLOOR ? floor(v) : v >= 0;
}

/* ---- boxes */

typedef enum verdict { EMPTY, MONOTONE, ROUNDING, OPEN } verdict;

/* The mean value form is as wide as the slope and the box, the range as what cancels in it. */
static verdict judge(lookout *k, double low, double high)
{
    bool jumps, other;
    ct_bounds v = ct_timed_range(&k->value, low, high, &jumps);
    if (!has_zero(k, v))
        return EMPTY;
    if (jumps || !k->slope.plan || !isfinite(v.low) || !isfinite(v.high)) /* a pole is no zero */
        return OPEN;
    ct_bounds d = ct_timed_range(&k->slope, low, high, &other);
    double middle = low + (high - low) / 2, half = fmax(middle - low, high - middle);
    ct_bounds c = ct_timed_range(&k->value, middle, middle, &other);
    double reach = fmax(fabs(d.low), fabs(d.high)) * half;
    ct_bounds mean = {fmax(v.low, c.low - reach), fmin(v.high, c.high + reach)};
    if (!has_zero(k, mean))
        return EMPTY;
    if (d.low > 0 || d.high < 0)
        return MONOTONE;
    return reach <= 4 * (c.high - c.low) ? ROUNDING : OPEN;
}

static void push(lookout *k, double low, double high)
{
    if (k->depth < DEEPEST && low < high)
        k->stack[k->depth++] = (box){low, high};
}

/* The first number whose side is another than that of low. */
static double first_beyond(lookout *k, double low, double high)
{
    double side = side_at(k, low);
    for (;;) {
        double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high))
            return high;
        *(side_at(k, middle) == side ? &low : &high) = middle;
    }
}

static double smallest(const ct_lookouts *l)
{
    return narrowest * fmax(fabs(l->start), fabs(l->stop));
}

/* A candidate: where it begins, and from where on nothing is in doubt. */
static bool take_box(const ct_lookouts *l, lookout *k, box b, box *found)
{
    double small = smallest(l);
    verdict v = judge(k, b.low, b.high);
    if (v == EMPTY || (v == MONOTONE && side_at(k, b.low) == side_at(k, b.high)))
        return false;
    if (v == MONOTONE) {
        double at = first_beyond(k, b.low, b.high);
        if (k->op == CT_OP_FLOOR)
            push(k, at, b.high);
        *found = (box){at, at};
        /* what is zero at the start itself, as sin(t), changes nowhere: its side is that beyond */
        return at - l->start > DBL_EPSILON * fmax(fabs(l->start), fabs(l->stop));
    }
    if (v == ROUNDING || b.high - b.low <= small || k->depth + 2 > DEEPEST) {
        *found = b;
        return true;
    }
    double middle = b.low + (b.high - b.low) / 2;
    push(k, middle, b.high);
    push(k, b.low, middle);
    return false;
}

static bool next_candidate(const ct_lookouts *l, lookout *k, box *found)
{
    for (uint32_t i = 0; k->depth && i < MOST_BOXES; i++)
        if (take_box(l, k, k->stack[--k->depth], found))
            return true;
    return false;
}

/* Candidates that touch are one; one that does not is kept for the next time. */
static void find_next(const ct_lookouts *l, lookout *k)
{
    box found = k->spare, more;
    k->next = k->after = INFINITY;
    k->spare.low = NAN;
    if (isnan(found.low) && !next_candidate(l, k, &found))
        return;
    while (found.low < found.high && next_candidate(l, k, &more)) {
        if (more.low > found.high) {
            k->spare = more;
            break;
        }
        found.high = more.high;
    }
    k->next = found.low;
    k->after = found.high;
}

/* The side is that of the middle of the gap. */
static void settle(const ct_lookouts *l, lookout *k)
{
    double end = fmin(k->next, fmax(l->stop, k->begin));
    k->operand = ct_timed_at(&k->value, k->begin + (end - k->begin) / 2);
}

/* A zero at the start itself is none ahead, on whichever side of it rounding puts the start. */
static void look_from(const ct_lookouts *l, lookout *k, double t)
{
    double small = smallest(l);
    k->depth = 0;
    k->spare.low = NAN;
    push(k, t, l->stop);
    k->begin = t;
    for (find_next(l, k); k->next <= t + small; find_next(l, k))
        k->begin = k->after > t + small ? k->after : t;
    settle(l, k);
}

static void move_on(const ct_lookouts *l, lookout *k)
{
    k->begin = k->after;
    k->passed++;
    find_next(l, k);
    settle(l, k);
}

/* ---- a run */

static double read_besides(const lookout *k)
{
    double sum = 0;
    for (uint32_t i = 0; k->value.loose && i < k->value.plan->symbol_count; i++)
        if (k->value.value[i])
            sum = sum * 0.7071 + *k->value.value[i];
    return sum;
}

/* What leaps is not asked beside modes. */
static bool is_asked(const ct_lookouts *l, const lookout *k)
{
    return !l->shared || !k->leaps;
}

static void open(const ct_lookouts *l, lookout *k, double from)
{
    k->known = read_besides(k);
    ct_timed_range(&k->value, l->start, l->stop, &k->leaps);
    if (is_asked(l, k))
        look_from(l, k, from);
}

static void begin(ct_lookouts *l, double from, double to)
{
    l->start = from;
    l->stop = to;
    l->on = true;
    l->shared = false;
    for (uint32_t i = 0; i < l->count; i++)
        open(l, &l->at[i], from);
}

void ct_lookouts_begin(ct_rig *rig, double from, double to)
{
    if (rig->lookouts)
        begin(rig->lookouts, from, to);
}

void ct_lookouts_refresh(ct_rig *rig, double t)
{
    ct_lookouts *l = rig->lookouts;
    for (uint32_t i = 0; l && l->on && i < l->count; i++) {
        lookout *k = &l->at[i];
        double known = read_besides(k);
        if (known == k->known || !is_asked(l, k))
            continue;
        k->known = known;
        look_from(l, k, t);
    }
}

/* What the other one has found ahead is as good here, if it reads time alone. */
static bool adopt(const ct_rig *rig, lookout *k, const ct_lookouts *other)
{
    ct_expr condition = rig->machine->events.root.at[k->root].condition;
    uint32_t index = other && other->on && other->pool == rig->machine->pool
                         ? ct_map_get(&other->of_condition, condition)
                         : 0;
    const lookout *from = index ? &other->at[index - 1] : NULL;
    if (!from || !is_asked(other, from) || from->op != k->op || k->value.loose)
        return false;
    memcpy(k->stack, from->stack, from->depth * sizeof *k->stack);
    k->leaps = from->leaps;
    k->known = from->known;
    k->depth = from->depth;
    k->spare = from->spare;
    k->begin = from->begin;
    k->next = from->next;
    k->after = from->after;
    k->operand = from->operand;
    k->passed = from->passed;
    return true;
}

void ct_lookouts_follow(ct_rig *rig, const ct_rig *from, double t, double start, double stop)
{
    ct_lookouts *l = rig->lookouts, *other = from && from != rig ? from->lookouts : NULL;
    if (!l || (!l->on && !(t < stop)))
        return;
    bool anew = !l->on;
    l->start = start;
    l->stop = stop;
    l->on = l->shared = true;
    for (uint32_t i = 0; i < l->count && (anew || other); i++)
        if (!adopt(rig, &l->at[i], other) && anew)
            open(l, &l->at[i], l->at[i].value.loose ? t : start);
    ct_lookouts_refresh(rig, t);
}

void ct_lookouts_end(ct_rig *rig)
{
    if (rig->lookouts)
        rig->lookouts->on = false;
}

uint32_t ct_lookouts_busiest(const ct_rig *rig)
{
    const ct_lookouts *l = rig->lookouts;
    const lookout *most = NULL;
    for (uint32_t i = 0; l && i < l->count; i++)
        if (!most || l->at[i].passed > most->passed)
            most = &l->at[i];
    return most ? most->root : UINT32_MAX;
}

bool ct_lookout_side(ct_rig *rig, uint32_t root, double t, double *operand)
{
    ct_lookouts *l = rig->lookouts;
    uint32_t index = l && l->on ? l->of_root[root] : 0;
    if (!index)
        return false;
    lookout *k = &l->at[index - 1];
    if (l->shared && (k->value.loose || !is_asked(l, k)))
        return false;
    while (k->next <= t)
        move_on(l, k);
    if (t < k->begin)
        return false;
    *operand = k->operand;
    return true;
}

double ct_lookouts_next(const ct_rig *rig, double t, bool jumps)
{
    ct_lookouts *l = rig->lookouts;
    double next = INFINITY;
    for (uint32_t i = 0; l && l->on && i < l->count; i++) {
        lookout *k = &l->at[i];
        if ((jumps && k->kink) || !is_asked(l, k))
            continue;
        while (k->next <= t)
            move_on(l, k);
        next = fmin(next, k->begin > t ? k->begin : k->next);
    }
    return next;
}
