/* past.c - delays in a run; see past.h. */
#include "simulate/past.h"

#include <math.h>
#include <string.h>

#include "simulate/act.h"

static const double same_time = 1e-13; /* of the largest time */
static const double felt_jump = 1e-7;  /* of the signal: less is error of the run */

enum {
    NODES = 8,   /* of a polynomial, strictly inside of its piece */
    DEEPEST = 7, /* halvings of a step whose signal is not a polynomial yet */
    SMOOTH = 6,  /* a kink that was handed on so often can no longer be felt */
    MANY = 4096, /* pieces, before old ones are dropped */
    MOST_RATIO = 10000000
};

typedef struct piece {
    double from, to, value[NODES];
} piece;

/* What one signal was; rigs of the modes of a run share it. */
typedef struct trace {
    double delay, before; /* its value until the first of the past arrives */
    CT_VEC(piece) piece;
    uint32_t recent, first; /* piece that was read last; first one of the last step */
} trace;

typedef struct lag {
    uint32_t act, discrete;
    double *work, *value;
    piece next; /* being made */
    trace *of;
} lag;

/* A time at which a delayed value jumps or bends. */
typedef struct handed {
    double time;
    uint32_t times; /* that it was handed on since a jump */
} handed;

/* What is common to all signals; shared likewise. */
typedef struct course {
    ct_arena *arena;
    double start, tolerance;
    CT_VEC(handed) ahead;
    uint32_t fresh; /* of these: made by the stretch that has just begun; count: none */
    bool begun;
} course;

struct ct_past {
    lag *lag;
    uint32_t count;
    double node[NODES], weight[NODES]; /* of Chebyshev, from -1 to 1; barycentric */
    double *z;
    course *course;
};

static uint32_t count_lags(const ct_driven *d)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->act_count; i++)
        count += d->act[i].of->lag;
    return count;
}

static void set_nodes(ct_past *p)
{
    const double turn = 3.14159265358979323846 / (2 * NODES);
    for (int i = 0; i < NODES; i++) {
        p->node[i] = cos((2 * i + 1) * turn);
        p->weight[i] = (i % 2 ? -1 : 1) * sin((2 * i + 1) * turn);
    }
}

ct_past *ct_past_new(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    uint32_t count = m->acts ? count_lags(m->driven) : 0;
    if (!count)
        return NULL;
    ct_arena *kept =
        m->model->watch ? ct_arena_new(m->ctx) : rig->arena; /* modes leave their rigs */
    ct_past *p = CT_NEW(rig->arena, ct_past);
    p->lag = CT_NEW_ARRAY(rig->arena, lag, count);
    p->z = CT_NEW_ARRAY(rig->arena, double, m->n + m->m + 1);
    for (uint32_t i = 0; i < m->driven->act_count; i++) {
        if (!m->driven->act[i].of->lag)
            continue;
        p->lag[p->count++] = (lag){.act = i,
                                   .discrete = m->acts->state[i][0],
                                   .work = ct_rig_prepared(rig, m->acts->value[i]),
                                   .value = CT_NEW_ARRAY(rig->arena, double, 2),
                                   .of = CT_NEW(kept, trace)};
    }
    p->course = CT_NEW(kept, course);
    p->course->arena = kept;
    set_nodes(p);
    return p;
}

/* ---- a run */

void ct_past_begin(ct_rig *rig, double start)
{
    ct_past *p = rig->past;
    if (!p)
        return;
    course *c = p->course;
    c->start = start;
    c->begun = true;
    c->ahead.count = c->fresh = 0;
    for (uint32_t i = 0; i < p->count; i++)
        p->lag[i].of->piece.count = p->lag[i].of->recent = 0;
}

void ct_past_end(ct_rig *rig)
{
    if (rig->past)
        rig->past->course->begun = false;
}

/* Both have the same delays in the same order: those of the model. */
void ct_past_share(ct_rig *rig, const ct_rig *from)
{
    if (!rig->past || !from->past)
        return;
    rig->past->course = from->past->course;
    for (uint32_t i = 0; i < rig->past->count; i++)
        rig->past->lag[i].of = from->past->lag[i].of;
}

bool ct_past_take(ct_rig *rig, uint32_t act, double delay, double span)
{
    const ct_machine *m = rig->machine;
    const ct_happening *h = m->driven->act[act].of;
    ct_past *p = rig->past;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->lag[i].act == act) {
            double start = rig->value[m->driven->discrete[p->lag[i].discrete]];
            p->lag[i].of->delay = delay;
            p->lag[i].of->before = isnan(start) ? 0 : start;
        }
    if (delay > 0 && isfinite(delay) && span <= MOST_RATIO * delay)
        return true;
    const char *owner = ct_name_text(m->ctx, h->owner);
    ct_report *r = ct_error(m->ctx, "E584", h->place, "the delay of `%s` is %.6g s", owner, delay);
    ct_note(r, "steps are not longer than a delay, and the run takes %.6g s", span);
    ct_help(r, "a delay is a time greater than zero; leave the block out where there is none");
    ct_witness(r, owner);
    return false;
}

double ct_past_step(const ct_rig *rig, double most, double tolerance)
{
    ct_past *p = rig->past;
    if (!p)
        return most;
    p->course->tolerance = tolerance;
    for (uint32_t i = 0; i < p->count; i++)
        most = most > 0 ? fmin(most, p->lag[i].of->delay) : p->lag[i].of->delay;
    return most;
}

void ct_past_rests(ct_rig *rig, uint32_t discrete, double value)
{
    const ct_machine *m = rig->machine;
    double *now = rig->variable + m->n + m->m + 1 + discrete;
    now[0] = now[m->driven->discrete_count] = value;
    for (uint32_t i = 0; i < rig->past->count; i++)
        if (rig->past->lag[i].discrete == discrete)
            rig->past->lag[i].of->before = value;
}

/* ---- reading */

static double interpolate(const ct_past *p, const piece *c, double t)
{
    double x = (2 * t - c->from - c->to) / (c->to - c->from), above = 0, below = 0;
    for (int i = 0; i < NODES; i++) {
        double apart = x - p->node[i];
        if (apart == 0)
            return c->value[i];
        above += p->weight[i] / apart * c->value[i];
        below += p->weight[i] / apart;
    }
    return above / below;
}

/* The piece that holds t, or the last one before it. */
static const piece *find(trace *l, double t)
{
    uint32_t low = 0, high = l->piece.count - 1;
    if (l->recent <= high && l->piece.at[l->recent].from <= t)
        low = l->recent;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (l->piece.at[middle].to < t)
            low = middle + 1;
        else
            high = middle;
    }
    l->recent = low;
    return &l->piece.at[low];
}

static double was(const ct_past *p, trace *l, double t)
{
    if (t < p->course->start || !l->piece.count)
        return l->before;
    const piece *c = find(l, t);
    return interpolate(p, c, fmin(fmax(t, c->from), c->to));
}

void ct_past_set(ct_rig *rig, double t)
{
    const ct_machine *m = rig->machine;
    ct_past *p = rig->past;
    double *discrete = rig->variable + m->n + m->m + 1;
    for (uint32_t i = 0; p->course->begun && i < p->count; i++) {
        lag *l = &p->lag[i];
        discrete[l->discrete] = discrete[m->driven->discrete_count + l->discrete] =
            was(p, l->of, t - l->of->delay);
    }
}

/* ---- breaks */

double ct_past_next(const ct_rig *rig, double t)
{
    const course *c = rig->past ? rig->past->course : NULL;
    double next = INFINITY;
    for (uint32_t i = 0; c && i < c->ahead.count; i++)
        if (c->ahead.at[i].time > t)
            next = fmin(next, c->ahead.at[i].time);
    return next;
}

static double hair_of(const ct_rig *rig, double t)
{
    return same_time * fmax(fabs(t), rig->span);
}

/* How often what breaks at t was handed on; those that are over are dropped. */
static uint32_t take_break(course *p, double t, double hair)
{
    uint32_t kept = 0, times = UINT32_MAX;
    for (uint32_t i = 0; i < p->ahead.count; i++) {
        handed h = p->ahead.at[i];
        if (fabs(h.time - t) <= hair && h.times < times)
            times = h.times;
        if (h.time > t + hair)
            p->ahead.at[kept++] = h;
    }
    p->ahead.count = kept;
    return times == UINT32_MAX ? 0 : times;
}

static bool is_known(const course *p, double t, double hair)
{
    for (uint32_t i = 0; i < p->ahead.count; i++)
        if (fabs(p->ahead.at[i].time - t) <= hair)
            return true;
    return false;
}

void ct_past_break(void *user, double t)
{
    ct_rig *rig = user;
    ct_past *p = rig->past;
    double hair = hair_of(rig, t);
    course *c = p->course;
    uint32_t times = take_break(c, t, hair);
    c->fresh = c->ahead.count;
    for (uint32_t i = 0; i < p->count && times < SMOOTH; i++) {
        double later = t + p->lag[i].of->delay;
        if (!is_known(c, later, hair))
            CT_PUSH(c->arena, c->ahead, ((handed){later, times + 1}));
    }
}

/* ---- writing */

typedef struct recorder {
    ct_rig *rig;
    ct_point_at at;
    void *of;
} recorder;

/* All signals at a time: the point costs more than they do. */
static void signals_at(const recorder *r, double t)
{
    const ct_machine *m = r->rig->machine;
    ct_past *p = r->rig->past;
    r->at(r->of, t, p->z);
    memcpy(r->rig->variable, p->z, (m->n + m->m) * sizeof *p->z);
    r->rig->variable[m->n + m->m] = t;
    ct_past_set(r->rig, t);
    for (uint32_t i = 0; i < p->count; i++)
        ct_program_run(m->acts->value[p->lag[i].act], r->rig->variable, p->lag[i].value,
                       p->lag[i].work);
}

/* What a polynomial may be off, in tolerances of the run: its error adds to that of the steps. */
static const double piece_share = 0.01;
static const double no_size = 1e-300; /* for signals that are zero */

/* How far polynomials are from their signals between their nodes, in what is allowed. */
static double defect(const recorder *r, double from, double to)
{
    static const double probe[] = {0.07, 0.31, 0.64, 0.93};
    const ct_past *p = r->rig->past;
    double worst = 0;
    for (int k = 0; k < 4; k++) {
        double t = from + probe[k] * (to - from);
        signals_at(r, t);
        for (uint32_t i = 0; i < p->count; i++) {
            const piece *c = &p->lag[i].next;
            double size = 0;
            for (int j = 0; j < NODES; j++)
                size = fmax(size, fabs(c->value[j]));
            worst = fmax(worst, fabs(interpolate(p, c, t) - p->lag[i].value[0]) /
                                    (piece_share * p->course->tolerance * size + no_size));
        }
    }
    return worst;
}

static void set_pieces(const recorder *r, double from, double to)
{
    ct_past *p = r->rig->past;
    for (uint32_t i = 0; i < p->count; i++)
        p->lag[i].next = (piece){.from = from, .to = to};
    for (int j = 0; j < NODES; j++) {
        signals_at(r, 0.5 * (from + to + p->node[j] * (to - from)));
        for (uint32_t i = 0; i < p->count; i++)
            p->lag[i].next.value[j] = p->lag[i].value[0];
    }
}

/* Halves of a step until they are polynomials, or what they are not is noise that halves do not
 * make less: of the size of the tolerance, as waves of many periods are not; depth is small.
 * `before`: the defect of the whole. */
static void record(const recorder *r, double from, double to, int depth, double before)
{
    const double step_errors = 10; /* tolerances: what a step's own error may seem to be */
    const double most_noise = step_errors / piece_share;
    ct_past *p = r->rig->past;
    double middle = 0.5 * (from + to);
    set_pieces(r, from, to);
    bool halves = depth < DEEPEST && middle > from && middle < to;
    double off = halves ? defect(r, from, to) : 0;
    if (off > 1 && (off < 0.5 * before || off > most_noise)) {
        record(r, from, middle, depth + 1, off);
        record(r, middle, to, depth + 1, off);
        return;
    }
    for (uint32_t i = 0; i < p->count; i++)
        CT_PUSH(p->course->arena, p->lag[i].of->piece, p->lag[i].next);
}

/* What is older than the delay is read no more. */
static void drop_old(trace *l, double t)
{
    uint32_t old = 0;
    if (l->piece.count < MANY)
        return;
    while (old < l->piece.count && l->piece.at[old].to < t - l->delay)
        old++;
    if (old < MANY / 2)
        return;
    l->piece.count -= old;
    memmove(l->piece.at, l->piece.at + old, l->piece.count * sizeof *l->piece.at);
    l->recent = 0;
}

/* Does the signal jump where the stretch begins? */
static bool jumps(const ct_past *p, const trace *l)
{
    const piece *after = &l->piece.at[l->first], *last = l->first ? after - 1 : NULL;
    double now = interpolate(p, after, after->from);
    double then = last ? interpolate(p, last, last->to) : l->before;
    return fabs(now - then) > felt_jump * fmax(fabs(now), fabs(then));
}

void ct_past_passed(void *user, double from, double to, ct_point_at at, void *of)
{
    ct_rig *rig = user;
    ct_past *p = rig->past;
    course *c = p->course;
    bool jump = false;
    for (uint32_t i = 0; i < p->count; i++) {
        drop_old(p->lag[i].of, from);
        p->lag[i].of->first = p->lag[i].of->piece.count;
    }
    if (to > from)
        record(&(recorder){rig, at, of}, from, to, 0, INFINITY);
    for (uint32_t i = 0; i < p->count && to > from; i++)
        jump |= jumps(p, p->lag[i].of);
    for (uint32_t i = c->fresh; jump && i < c->ahead.count; i++)
        c->ahead.at[i].times = 0;
    c->fresh = c->ahead.count;
}
