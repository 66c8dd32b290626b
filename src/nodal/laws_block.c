/* laws_block.c - evaluation of laws, block by block; those that hardly move are followed by their
 * tangents. */
#include <math.h>
#include <string.h>

#include "nodal/law.h"

/* -O2 of gcc leaves loops of unknown length scalar. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

typedef struct block {
    laws *w;
    law_group *g;
    uint32_t first; /* component */
    double alpha;
    const double *base;
    double *x, *variable; /* inputs as z has them; as they are evaluated, and rates */
    double *out, *row;    /* results; F, along the tangent where that leads to z */
    double *slope, *room_of_variable, *room_of_out;
    uint32_t limited;
    bool tangent; /* it is evaluated beside x */
} block;

/* Inputs with which a block was evaluated last, field by field. */
static double *at_of(const law_group *g, uint32_t first)
{
    return g->at + (size_t)first * g->l->input_count;
}

/* Limiting of junction voltages, for any exponential: far up it moves as its value does. */
static double limited(double u, double before, double critical)
{
    if (u <= critical || fabs(u - before) <= 2)
        return u;
    if (before <= 0)
        return log(u);
    return u > before - 1 ? before + log1p(u - before) : critical;
}

/* Of inputs that were at `at` before. */
static void limit_inputs(block *b, const double *at)
{
    const law_group *g = b->g;
    for (uint32_t k = 0; k < g->l->limit_count; k++) {
        size_t j = (size_t)g->l->limit[k].input * CT_LANES, of = k * (size_t)g->room + b->first;
        for (uint32_t l = 0; l < CT_LANES; l++) {
            double slope = g->slope[of + l], beside = g->offset[of + l];
            double *x = &b->variable[j + l], u = slope * *x + beside;
            if (u <= g->critical[of + l])
                continue;
            double now = limited(u, slope * at[j + l] + beside, g->critical[of + l]);
            if (now != u) {
                *x = (now - beside) / slope;
                b->limited++;
            }
        }
    }
}

static void gather_lanes(const laws *w, const law_group *g, uint32_t input, uint32_t first,
                         double *restrict to)
{
    const uint32_t *plus = g->plus + input * (size_t)g->room + first;
    const uint32_t *minus = g->minus + input * (size_t)g->room + first;
    for (int l = 0; l < CT_LANES; l++)
        to[l] = w->x[plus[l]] - w->x[minus[l]];
}

static void gather_inputs(block *b)
{
    for (uint32_t j = 0; j < b->g->l->input_count; j++)
        gather_lanes(b->w, b->g, j, b->first, b->x + j * (size_t)CT_LANES);
}

/* Are all lanes of x so near to `at`? By signs; compilers make numbers one by one of a loop that
 * follows a gathering. What is not a number is found in the residual. */
#ifdef __GNUC__
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t signs __attribute__((vector_size(16)));

static inline pair size_of(pair x)
{
    return (pair)((signs)x & INT64_MAX);
}

static bool lanes_near(const double *x, const double *at, double rel, double least)
{
    signs any = {0, 0};
    for (int l = 0; l < CT_LANES; l += 2) {
        pair here = *(const pair *)(x + l), there = *(const pair *)(at + l);
        any |= (signs)(rel * size_of(here) + least - size_of(here - there));
    }
    return (any[0] | any[1]) >= 0;
}
#else
static bool lanes_near(const double *x, const double *at, double rel, double least)
{
    int far = 0;
    for (int l = 0; l < CT_LANES; l++)
        far |= rel * fabs(x[l]) + least < fabs(x[l] - at[l]);
    return !far;
}
#endif

/* Have inputs hardly moved since the law was evaluated? Its tangent will do then. */
static bool may_rest(const laws *w, const law_group *g, uint32_t first)
{
    return !g->l->rate_count && w->slack != 0 && (g->state[first / CT_LANES] & BLOCK_KNOWN);
}

static bool inputs_rest(const block *b)
{
    const law_group *g = b->g;
    if (!may_rest(b->w, g, b->first))
        return false;
    for (uint32_t j = 0; j < g->l->input_count; j++)
        if (!lanes_near(b->x + j * (size_t)CT_LANES, at_of(g, b->first) + j * (size_t)CT_LANES,
                        b->w->slack, b->w->least_slack))
            return false;
    return true;
}

/* Are inputs so near to where the law was evaluated? */
static bool are_near(const laws *w, const law_group *g, uint32_t first, double rel, double least)
{
    for (uint32_t j = 0; j < g->l->input_count; j++) {
        double x[CT_LANES];
        gather_lanes(w, g, j, first, x);
        if (!lanes_near(x, at_of(g, first) + j * (size_t)CT_LANES, rel, least))
            return false;
    }
    return true;
}

static bool rests(const laws *w, const law_group *g, uint32_t first)
{
    return may_rest(w, g, first) && are_near(w, g, first, w->slack, w->least_slack);
}

/* So well that places may still move by CT_LAWS_DOZE. */
static bool rests_well(const laws *w, const law_group *g, uint32_t first)
{
    return are_near(w, g, first, 0.5 * w->slack, (1 - 2 * CT_LAWS_DOZE) * w->least_slack);
}

static bool sleeps(const law_group *g, uint32_t first)
{
    return (g->state[first / CT_LANES] & (BLOCK_SETTLED | BLOCK_AWAKE)) == BLOCK_SETTLED;
}

static void take_kept(block *b)
{
    const law_group *g = b->g;
    b->variable = at_of(g, b->first);
    b->out = g->kept + (size_t)b->first * g->l->output_count;
    b->tangent = true;
}

static void take_rates(block *b)
{
    const law_group *g = b->g;
    for (uint32_t k = 0; k < g->l->rate_count; k++) {
        const double *x = &b->variable[g->l->rated[k] * CT_LANES];
        double *rate = &b->variable[(g->l->input_count + k) * CT_LANES];
        const double *base = b->base ? b->base + g->charge + k * (size_t)g->room + b->first : NULL;
        const double *from =
            b->w->stored0 + g->charge - b->w->size + k * (size_t)g->room + b->first;
        for (uint32_t l = 0; l < CT_LANES; l++)
            rate[l] = base ? b->alpha * (x[l] - from[l] - base[l]) : 0;
    }
}

static void take_inputs(block *b, bool fresh)
{
    const law_group *g = b->g;
    size_t bytes = (size_t)g->l->input_count * CT_LANES * sizeof *b->x;
    double *at = at_of(g, b->first);
    if (!fresh && g->l->limit_count) {
        b->variable = b->room_of_variable;
        memcpy(b->variable, b->x, bytes);
        limit_inputs(b, at);
        memcpy(at, b->variable, bytes);
    } else {
        memcpy(at, b->x, bytes);
    }
    b->variable = at;
    if (!g->l->rate_count)
        return;
    b->variable = b->room_of_variable;
    memcpy(b->variable, at, bytes);
    take_rates(b);
}

/* Lanes with the parameters of those before need no preparation. */
static void prepare(block *b)
{
    law_group *g = b->g;
    uint32_t count = g->l->parameter_count;
    double *p = b->room_of_out; /* large enough */
    bool same = g->prepared && (g->alike || g->prepared == g->parameter + b->first);
    if (same)
        return;
    same = g->prepared != NULL;
    for (uint32_t k = 0; k < count; k++) {
        const double *from = &g->parameter[k * (size_t)g->room + b->first];
        same = same && memcmp(from, g->prepared + k * (size_t)g->room, CT_LANES * sizeof *p) == 0;
        memcpy(p + k * CT_LANES, from, CT_LANES * sizeof *p);
    }
    if (!same)
        ct_lanes_prepare(g->l->program, p, g->work);
    g->prepared = g->parameter + b->first;
}

/* What reads no rates leaves its results where they are kept. */
static void run_block(block *b, bool fresh)
{
    law_group *g = b->g;
    const law *l = g->l;
    prepare(b);
    take_inputs(b, fresh);
    b->out = l->rate_count ? b->room_of_out : g->kept + (size_t)b->first * l->output_count;
    ct_lanes_run(l->program, b->variable, b->out, g->work);
    b->tangent = b->limited > 0;
    if (!l->rate_count)
        g->state[b->first / CT_LANES] |= BLOCK_KNOWN | BLOCK_TOUCHED;
}

/* A derivative by an input, that by its rate in it. */
static void sum_entry(const block *b, const law_entry *at, double *restrict to)
{
    const double *by = b->out + at->by * (size_t)CT_LANES;
    const double *rate = b->out + at->by_rate * (size_t)CT_LANES;
    if (at->by && at->by_rate)
        for (int i = 0; i < CT_LANES; i++)
            to[i] = by[i] + b->alpha * rate[i];
    else
        for (int i = 0; i < CT_LANES; i++)
            to[i] = at->by ? by[i] : b->alpha * rate[i];
}

/* Without rates derivatives are results as they are. */
static void sum_entries(block *b)
{
    const law *l = b->g->l;
    double *to = b->slope;
    for (const law_entry *at = l->entry; at < l->entry + l->entry_count; at++, to += CT_LANES)
        sum_entry(b, at, to);
}

/* F, along its tangent to z. */
static void follow_tangent(block *b)
{
    const law *l = b->g->l;
    memcpy(b->row, b->out, l->row_count * CT_LANES * sizeof *b->row);
    for (uint32_t e = 0; e < l->entry_count; e++) {
        const law_entry *at = &l->entry[e];
        size_t of = l->rate_count ? e : at->by;
        const double *slope = b->slope + of * CT_LANES;
        double *row = b->row + at->row * (size_t)CT_LANES;
        const double *x = b->x + at->input * (size_t)CT_LANES;
        const double *from = b->variable + at->input * (size_t)CT_LANES;
        for (int i = 0; i < CT_LANES; i++)
            row[i] += slope[i] * (x[i] - from[i]);
    }
}

static void scatter(const law_list *list, uint32_t block_index, const double *from, double *to)
{
    const law_item *item = list->item + list->start[2 * block_index];
    const law_item *minus = list->item + list->start[2 * block_index + 1];
    const law_item *end = list->item + list->start[2 * block_index + 2];
    for (; item + 1 < minus; item += 2) {
        to[item[0].to] += from[item[0].from];
        to[item[1].to] += from[item[1].from];
    }
    for (; item < minus; item++)
        to[item->to] += from[item->from];
    for (; item + 1 < end; item += 2) {
        to[item[0].to] -= from[item[0].from];
        to[item[1].to] -= from[item[1].from];
    }
    for (; item < end; item++)
        to[item->to] -= from[item->from];
}

size_t ct_laws_space(const law *l)
{
    uint32_t inputs = l->input_count, results = l->row_count + 2 * l->entry_count;
    return (size_t)CT_LANES * (2 * inputs + l->rate_count + results + l->parameter_count +
                               l->entry_count + l->row_count);
}

static block open_block(laws *w, law_group *g)
{
    const law *l = g->l;
    block b = {.w = w, .g = g, .x = g->space};
    b.room_of_variable = b.x + l->input_count * CT_LANES;
    b.slope = b.room_of_variable + (l->input_count + l->rate_count) * CT_LANES;
    b.row = b.slope + l->entry_count * CT_LANES;
    b.room_of_out = b.row + l->row_count * CT_LANES;
    return b;
}

static void evaluate_block(block *b, bool fresh, bool matrix, double *residual)
{
    law_group *g = b->g;
    double *room_of_slope = b->slope;
    b->limited = 0;
    b->tangent = false;
    gather_inputs(b);
    if (inputs_rest(b))
        take_kept(b);
    else
        run_block(b, fresh);
    if (!g->l->rate_count)
        b->slope = b->out;
    else if (matrix || b->tangent)
        sum_entries(b);
    if (b->tangent)
        follow_tangent(b);
    if (matrix)
        scatter(&g->value, b->first / CT_LANES, b->slope, b->w->linear->value);
    scatter(&g->row, b->first / CT_LANES, b->tangent ? b->row : b->out, residual);
    b->slope = room_of_slope;
}

uint32_t ct_laws_group(laws *w, law_group *g, double alpha, const double *base, bool fresh,
                       bool matrix, double *residual)
{
    uint32_t all = 0;
    block b = open_block(w, g);
    b.alpha = alpha;
    b.base = base;
    for (uint32_t k = 0; k < g->busy_count; k++) {
        b.first = (g->busy[k] - g->first_block) * CT_LANES;
        if (g->state[b.first / CT_LANES] & BLOCK_SETTLED)
            continue;
        evaluate_block(&b, fresh, matrix, residual);
        all += b.limited;
    }
    return all;
}

static void put_rows(block *b, double sign, double *residual)
{
    ct_lanes_run(b->g->l->program, b->variable, b->out, b->g->work);
    for (uint32_t i = 0; i < b->g->l->row_count * CT_LANES; i++)
        b->out[i] *= sign;
    scatter(&b->g->row, b->first / CT_LANES, b->out, residual);
}

/* F with the rates that are added, without those it had. */
static void respond_block(block *b, const double *rate, double *residual)
{
    law_group *g = b->g;
    uint32_t inputs = g->l->input_count;
    prepare(b);
    gather_inputs(b);
    b->variable = b->room_of_variable;
    b->out = b->room_of_out;
    memcpy(b->variable, b->x, inputs * CT_LANES * sizeof *b->x);
    take_rates(b);
    put_rows(b, -1, residual);
    for (uint32_t k = 0; k < g->l->rate_count; k++)
        for (uint32_t i = 0; i < CT_LANES; i++)
            b->variable[(inputs + k) * CT_LANES + i] +=
                rate[g->charge + k * (size_t)g->room + b->first + i];
    put_rows(b, 1, residual);
}

void ct_laws_group_respond(laws *w, law_group *g, double alpha, const double *base,
                           const double *rate, double *residual)
{
    block b = open_block(w, g);
    b.alpha = alpha;
    b.base = base;
    for (uint32_t k = 0; k < g->busy_count; k++) {
        b.first = (g->busy[k] - g->first_block) * CT_LANES;
        respond_block(&b, rate, residual);
    }
}

uint32_t ct_laws_block(laws *w, law_group *g, uint32_t index, bool fresh, double *residual)
{
    block b = open_block(w, g);
    b.first = index * CT_LANES;
    evaluate_block(&b, fresh, true, residual);
    return b.limited;
}

/* Exponentials are negligible at both ends, or their arguments move by so little. */
static bool hardly_bends(const laws *w, const law_group *g, uint32_t first, double small)
{
    const double negligible = 35; /* below where they begin to matter */
    for (uint32_t k = 0; k < g->l->limit_count; k++) {
        size_t from = g->l->limit[k].input * (size_t)g->room + first;
        size_t of = k * (size_t)g->room + first;
        const double *left = at_of(g, first) + g->l->limit[k].input * (size_t)CT_LANES;
        int stays = 1;
        for (uint32_t l = 0; l < CT_LANES; l++) {
            double x = w->x[g->plus[from + l]] - w->x[g->minus[from + l]], at = left[l];
            double slope = g->slope[of + l], low = g->critical[of + l] - negligible;
            bool below =
                slope * x + g->offset[of + l] < low && slope * at + g->offset[of + l] < low;
            stays &= below | (fabs(slope * (x - at)) <= small);
        }
        if (!stays)
            return false;
    }
    return true;
}

bool ct_laws_group_holds(const laws *w, const law_group *g)
{
    for (uint32_t k = 0; k < g->busy_count; k++) {
        uint32_t first = (g->busy[k] - g->first_block) * CT_LANES;
        if (!sleeps(g, first) && !rests(w, g, first) &&
            !(g->l->straight && hardly_bends(w, g, first, sqrt(w->slack))))
            return false;
    }
    return true;
}

bool ct_laws_group_close(const laws *w, const law_group *g)
{
    const double small = 0.3; /* steps of Newton's method are 1 far up, however far it is */
    for (uint32_t k = 0; k < g->busy_count && g->l->limit_count; k++) {
        uint32_t first = (g->busy[k] - g->first_block) * CT_LANES;
        if (!sleeps(g, first) && !hardly_bends(w, g, first, small))
            return false;
    }
    return true;
}

/* ---- blocks that rest for long: their tangents are parts of the linear network */

/* Has what is added to z changed for any of its inputs? */
static bool is_moved(const laws *w, const law_group *g, uint32_t first)
{
    for (uint32_t j = 0; j < g->l->input_count; j++) {
        size_t from = j * (size_t)g->room + first;
        for (size_t i = from; i < from + CT_LANES; i++)
            if ((g->plus[i] >= w->size && w->moved[g->plus[i] - w->size]) ||
                (g->minus[i] >= w->size && w->moved[g->minus[i] - w->size]))
                return true;
    }
    return false;
}

/* Of the part that z has of an input of lane `lane`, which was at `at`. */
static double by_z(const laws *w, const law_group *g, size_t i, double at)
{
    at -= g->plus[i] < w->size ? 0 : w->settled[g->plus[i] - w->size];
    return at + (g->minus[i] < w->size ? 0 : w->settled[g->minus[i] - w->size]);
}

/* F(at) + slope (x - at), as slopes and what is left for z = 0. */
static void make_tangent(block *b, double sign)
{
    const law_group *g = b->g;
    const law *l = g->l;
    take_kept(b);
    for (uint32_t i = 0; i < l->output_count * CT_LANES; i++)
        b->room_of_out[i] = sign * b->out[i];
    b->out = b->room_of_out;
    for (const law_entry *e = l->entry; e < l->entry + l->entry_count; e++) {
        size_t from = e->input * (size_t)g->room + b->first;
        for (uint32_t i = 0; i < CT_LANES; i++)
            b->out[e->row * CT_LANES + i] -=
                b->out[e->by * CT_LANES + i] *
                by_z(b->w, g, from + i, b->variable[e->input * CT_LANES + i]);
    }
}

static void put_tangent(block *b, double sign)
{
    laws *w = b->w;
    ct_laws_forget(w);
    make_tangent(b, sign);
    scatter(&b->g->value, b->first / CT_LANES, b->out, w->steady);
    scatter(&b->g->row, b->first / CT_LANES, b->out, w->fixed);
}

void ct_laws_release(laws *w)
{
    bool moved = w->any_moved;
    w->any_moved = false;
    if (!w->settled_count)
        return;
    for (uint32_t i = 0; i < w->group.count; i++) {
        law_group *g = &w->group.at[i];
        block b = open_block(w, g);
        for (uint32_t k = 0; k < g->busy_count; k++) {
            uint8_t *state = &w->state[g->busy[k]];
            b.first = (g->busy[k] - g->first_block) * CT_LANES;
            if (!(*state & BLOCK_SETTLED) || !(*state & BLOCK_AWAKE) ||
                (rests(w, g, b.first) && !(moved && is_moved(w, g, b.first))))
                continue;
            put_tangent(&b, -1);
            *state &= (uint8_t)~BLOCK_SETTLED;
            w->settled_count--;
        }
    }
}

void ct_laws_settle(laws *w)
{
    ct_laws_forget(w);
    memcpy(w->steady, w->a, w->count * sizeof *w->a);
    memset(w->fixed, 0, w->size * sizeof *w->fixed);
    memcpy(w->settled, w->shift, w->place.count * sizeof *w->shift);
    w->settled_count = 0;
    for (uint32_t i = 0; i < w->group.count; i++) {
        law_group *g = &w->group.at[i];
        block b = open_block(w, g);
        for (; b.first < g->room; b.first += CT_LANES) {
            uint8_t *state = &g->state[b.first / CT_LANES];
            bool quiet = (*state & (BLOCK_KNOWN | BLOCK_TOUCHED)) == BLOCK_KNOWN;
            *state &= (uint8_t) ~(BLOCK_SETTLED | BLOCK_TOUCHED | BLOCK_AWAKE);
            if (!quiet || g->l->rate_count || is_moved(w, g, b.first))
                continue;
            if (!rests_well(w, g, b.first))
                *state |= BLOCK_AWAKE;
            put_tangent(&b, 1);
            *state |= BLOCK_SETTLED;
            w->settled_count++;
        }
    }
    memset(w->moved, 0, w->place.count * sizeof *w->moved);
    if (w->settled_count)
        ct_laws_sleep(w);
}
