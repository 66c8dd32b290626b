/* sampled.c - what a discrete-time model is made from, and its matrices; see sampled.h. */
#include <math.h>
#include <string.h>

#include "study/sampled_make.h"

/* ---- messages */

static bool refuse(const ct_sampler *s, const ct_happening *h, const char *why, const char *help)
{
    const char *label = !h ? "" : h->code ? ct_name_text(s->ctx, h->owner) : h->label;
    ct_place place = !h ? (ct_place){0} : h->code ? h->code->place : h->place;
    ct_report *r = ct_error(s->ctx, "E580", place, "there is no discrete-time model%s%s%s",
                            h ? " of `" : "", label, h ? "`" : "");
    ct_note(r, "%s", why);
    if (help)
        ct_help(r, "%s", help);
    if (h)
        ct_witness(r, label);
    return false;
}

static bool refuse_rates(const ct_sampler *s, const ct_clock_rate *rate, uint32_t clocks)
{
    ct_report *r = ct_error(s->ctx, "E581", s->model->happening[s->act[0]].place,
                            "the clocks have no common period that is short enough");
    for (uint32_t i = 0; i < clocks && i < 5; i++) {
        const ct_happening *h = &s->model->happening[s->act[i]];
        ct_note(r, "`%s` has a period of %.9g s", h->label, rate[i].period);
        ct_witness(r, h->label);
    }
    ct_help(r, "take periods whose ratios are those of small whole numbers");
    return false;
}

/* ---- columns of the plant */

static uint32_t *list_columns(const ct_sampler *s, uint32_t count, const ct_name *name)
{
    uint32_t *column = CT_NEW_ARRAY(s->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < s->plant->m; k++)
            if (s->plant->input[k] == name[i])
                column[i] = k;
    return column;
}

static void list_inputs(ct_sampler *s)
{
    const ct_model *m = s->model;
    ct_name *input = CT_NEW_ARRAY(s->arena, ct_name, m->quantity_count + 1);
    ct_name *discrete = CT_NEW_ARRAY(s->arena, ct_name, m->quantity_count + 1);
    ct_name *before = CT_NEW_ARRAY(s->arena, ct_name, m->quantity_count + 1);
    for (uint32_t i = 0; i < m->quantity_count; i++) {
        if (m->quantity[i].kind == CT_INPUT)
            input[s->m++] = m->quantity[i].name;
        if (m->quantity[i].kind != CT_DISCRETE)
            continue;
        before[s->e] = ct_pre_symbol(s->ctx, m->quantity[i].name);
        discrete[s->e++] = m->quantity[i].name;
    }
    s->input = list_columns(s, s->m, input);
    s->held = list_columns(s, s->e, discrete);
    s->before = list_columns(s, s->e, before);
    s->discrete = discrete;
    s->dead = CT_NEW_ARRAY(s->arena, bool, s->e + 1);
}

/* ---- clocks */

static bool list_clocks(ct_sampler *s)
{
    const ct_model *m = s->model;
    uint32_t *act = CT_NEW_ARRAY(s->arena, uint32_t, m->happening_count + 1), clocks = 0;
    uint32_t *first = CT_NEW_ARRAY(s->arena, uint32_t, m->happening_count + 1), row = s->p;
    ct_clock_rate *rate = CT_NEW_ARRAY(s->arena, ct_clock_rate, m->happening_count + 1);
    for (uint32_t i = 0; i < m->happening_count; i++) {
        const ct_happening *h = &m->happening[i];
        if (!h->clock)
            continue;
        if (h->lag)
            return refuse(
                s, h, "a delay has no finite number of states",
                "leave it out and give its output as an input, or take a `tf` near to it");
        if (h->code)
            return refuse(s, h, "a controller in C has no derivatives that could be known",
                          "write it as `every`, or leave it out and give its outputs as inputs");
        rate[clocks].period = ct_model_value(m, h->condition);
        rate[clocks].offset = h->offset ? ct_model_value(m, h->offset) : 0;
        if (!(rate[clocks].period > 0) || !isfinite(rate[clocks].offset))
            return refuse(s, h, "its period is no time greater than zero", NULL);
        first[clocks] = row;
        act[clocks++] = i;
        for (uint32_t k = 0; k < h->assigned_count; k++)
            row += h->assigned[k].target != 0;
    }
    s->act = act;
    s->first = first;
    return ct_ticks_find(s->arena, rate, clocks, &s->ticks) || refuse_rates(s, rate, clocks);
}

/* ---- what does not count */

/* Does anything but discretes that are not alive make this row? */
static bool is_alive(const ct_sampler *s, uint32_t row, const bool *alive)
{
    const ct_numbers *a = ct_statespace_numbers(s->plant);
    uint32_t cols = s->plant->m;
    for (uint32_t i = 0; i < s->n; i++)
        if (ct_sampled_at(a->C, s->n, row, i) != 0)
            return true;
    for (uint32_t i = 0; i < s->m; i++)
        if (ct_sampled_at(a->D[0], cols, row, s->input[i]) != 0)
            return true;
    for (uint32_t i = 0; i < s->e; i++)
        if (alive[i] && (ct_sampled_at(a->D[0], cols, row, s->held[i]) != 0 ||
                         ct_sampled_at(a->D[0], cols, row, s->before[i]) != 0))
            return true;
    return false;
}

uint32_t ct_sampled_discrete(const ct_sampler *s, ct_expr target)
{
    ct_name name = ct_expr_name(s->model->pool, target);
    uint32_t i = 0;
    while (i < s->e && s->discrete[i] != name)
        i++;
    return i;
}

typedef void (*visit)(ct_sampler *s, uint32_t discrete, uint32_t row, ct_expr value, bool *flag);

static void visit_sets(ct_sampler *s, visit call, bool *flag)
{
    for (uint32_t i = 0, clock = 0; i < s->model->happening_count; i++) {
        const ct_happening *h = &s->model->happening[i];
        uint32_t row = h->clock ? s->first[clock++] : 0;
        for (uint32_t k = 0; h->clock && k < h->assigned_count; k++) {
            const ct_assignment *a = &h->assigned[k];
            uint32_t d = a->target ? ct_sampled_discrete(s, a->target) : s->e;
            if (d < s->e)
                call(s, d, row, a->value, flag);
            row += a->target != 0;
        }
    }
}

static void note_set(ct_sampler *s, uint32_t d, uint32_t row, ct_expr value, bool *flag)
{
    (void)s, (void)row, (void)value;
    flag[d] = true;
}

static void note_alive(ct_sampler *s, uint32_t d, uint32_t row, ct_expr value, bool *flag)
{
    (void)value;
    flag[d] = flag[d] || is_alive(s, row, flag);
}

typedef struct finder {
    ct_pool *pool;
    bool found;
} finder;

static void find_jump(void *user, ct_expr e)
{
    finder *f = user;
    ct_op op;
    if (ct_expr_kind_of(f->pool, e) != CT_EXPR_CALL)
        return;
    op = ct_expr_op(f->pool, e);
    f->found |= op == CT_OP_FLOOR || op == CT_OP_MOD;
}

static void note_jump(ct_sampler *s, uint32_t d, uint32_t row, ct_expr value, bool *flag)
{
    finder f = {.pool = s->model->pool};
    (void)row;
    ct_expr_walk(f.pool, &value, 1, find_jump, &f);
    flag[d] |= f.found;
}

/* Discretes that no clock sets are held. Generators that nothing reaches and whose rules jump, as
 * those of noise do, are sources: what they give does not depend on the states. */
static void find_dead(ct_sampler *s)
{
    bool *set = CT_NEW_ARRAY(s->arena, bool, s->e + 1);
    bool *alive = CT_NEW_ARRAY(s->arena, bool, s->e + 1);
    bool *jumps = CT_NEW_ARRAY(s->arena, bool, s->e + 1);
    visit_sets(s, note_set, set);
    for (uint32_t i = 0; i <= s->e; i++) /* until it is handed on to all */
        visit_sets(s, note_alive, alive);
    visit_sets(s, note_jump, jumps);
    for (uint32_t i = 0; i < s->e; i++)
        s->dead[i] = !set[i] || (!alive[i] && jumps[i]);
}

/* Variables that a clock sets would jump by impulses. */
static bool check_targets(const ct_sampler *s)
{
    for (uint32_t i = 0; i < s->model->happening_count; i++) {
        const ct_happening *h = &s->model->happening[i];
        for (uint32_t k = 0; h->clock && k < h->assigned_count; k++)
            if (h->assigned[k].target && ct_sampled_discrete(s, h->assigned[k].target) == s->e)
                return refuse(s, h, "it sets what is stored, not only discretes",
                              "let it set a discrete that drives a source");
    }
    return true;
}

/* ---- the matrices */

/* States that are kept: all continuous ones; discretes and inputs of the period before when
 * something that is kept, or an output, remembers them. */
static bool matters(const ct_sampler *s, const bool *kept, uint32_t col)
{
    for (uint32_t i = 0; i < s->n + s->e; i++)
        if (kept[i] && ct_sampled_row(s->now, s, i)[col] != 0)
            return true;
    for (uint32_t i = 0; i < s->p; i++)
        if (ct_sampled_row(s->shown, s, i)[col] != 0)
            return true;
    return false;
}

static bool *find_kept(ct_sampler *s)
{
    uint32_t all = s->n + s->e + s->m;
    bool *kept = CT_NEW_ARRAY(s->arena, bool, all + 1), changed = true;
    for (uint32_t i = 0; i < all; i++)
        kept[i] = i < s->n || i >= s->n + s->e || !s->dead[i - s->n];
    while (changed) {
        changed = false;
        for (uint32_t i = s->n; i < all; i++) {
            if (!kept[i] || matters(s, kept, i))
                continue;
            kept[i] = false;
            changed = true;
        }
    }
    return kept;
}

static ct_name state_name(const ct_sampler *s, uint32_t i)
{
    if (i < s->n)
        return s->plant->state[i];
    if (i < s->n + s->e)
        return s->discrete[i - s->n];
    return ct_pre_symbol(s->ctx, s->plant->input[s->input[i - s->n - s->e]]);
}

typedef struct shape {
    const uint32_t *state; /* columns of what is kept */
    uint32_t n;
} shape;

static shape list_states(ct_sampler *s, ct_statespace *ss)
{
    const bool *kept = find_kept(s);
    uint32_t all = s->n + s->e + s->m, n = 0;
    uint32_t *column = CT_NEW_ARRAY(s->arena, uint32_t, all + 1);
    ct_name *name = CT_NEW_ARRAY(s->arena, ct_name, all + 1);
    for (uint32_t i = 0; i < all; i++) {
        if (!kept[i])
            continue;
        name[n] = state_name(s, i);
        column[n++] = i;
    }
    ss->state = name;
    ss->n = ss->differential = n;
    return (shape){column, n};
}

static void fill_row(const ct_sampler *s, const shape *h, const double *row, double *A, double *B)
{
    for (uint32_t c = 0; c < h->n; c++)
        A[c] = row[h->state[c]];
    for (uint32_t c = 0; c < s->m; c++)
        B[c] = row[ct_sampled_input(s, c)];
}

/* Without outputs the states are shown, as they are before the ticks. */
static void fill(ct_sampler *s, ct_statespace *ss, const shape *h)
{
    ct_numbers *a = CT_NEW(s->arena, ct_numbers);
    double *A = CT_NEW_ARRAY(s->arena, double, (size_t)h->n * h->n + 1);
    double *B = CT_NEW_ARRAY(s->arena, double, (size_t)h->n * s->m + 1);
    double *C = CT_NEW_ARRAY(s->arena, double, (size_t)ss->p * h->n + 1);
    double *D = CT_NEW_ARRAY(s->arena, double, (size_t)ss->p * s->m + 1);
    const double **list = CT_NEW_ARRAY(s->arena, const double *, 2);
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t from = h->state[i];
        if (from < s->n + s->e)
            fill_row(s, h, ct_sampled_row(s->now, s, from), A + (size_t)i * h->n,
                     B + (size_t)i * s->m);
        else
            B[(size_t)i * s->m + from - s->n - s->e] = 1;
    }
    for (uint32_t i = 0; i < ss->p; i++)
        if (s->p)
            fill_row(s, h, ct_sampled_row(s->shown, s, i), C + (size_t)i * h->n,
                     D + (size_t)i * s->m);
        else
            C[(size_t)i * h->n + i] = 1;
    list[0] = B, list[1] = D;
    *a = (ct_numbers){.A = A, .C = C, .B = &list[0], .D = &list[1], .n = h->n};
    ss->numbers = a;
    ss->A = (ct_entries){.rows = h->n, .cols = h->n};
    ss->C = (ct_entries){.rows = ss->p, .cols = h->n};
    ss->B = CT_NEW(s->arena, ct_entries);
    ss->D = CT_NEW(s->arena, ct_entries);
    *ss->B = (ct_entries){.rows = h->n, .cols = s->m};
    *ss->D = (ct_entries){.rows = ss->p, .cols = s->m};
}

static void name_all(ct_sampler *s, ct_statespace *ss, const shape *h)
{
    ct_name *input = CT_NEW_ARRAY(s->arena, ct_name, s->m + 1);
    double *value = CT_NEW_ARRAY(s->arena, double, s->m + 1);
    ss->p = s->p ? s->p : h->n;
    const char **output = CT_NEW_ARRAY(s->arena, const char *, ss->p + 1);
    for (uint32_t i = 0; i < s->m; i++) {
        input[i] = s->plant->input[s->input[i]];
        value[i] = s->plant->at_value[s->input[i]];
    }
    for (uint32_t i = 0; i < ss->p; i++)
        output[i] = s->p ? s->model->output[i].name : ct_name_text(s->ctx, ss->state[i]);
    ss->m = s->m;
    ss->input = ss->at_symbol = input;
    ss->at_value = value;
    ss->at_count = s->m;
    ss->output = output;
}

/* The point with the discretes beside the states. */
static const ct_point *whole_point(const ct_sampler *s)
{
    ct_point *point = CT_NEW(s->arena, ct_point);
    const ct_model *held = s->plant->reduced->system->model;
    uint32_t n = s->point->state_count;
    const char **name = CT_NEW_ARRAY(s->arena, const char *, n + s->e + 1);
    double *x = CT_NEW_ARRAY(s->arena, double, n + s->e + 1);
    *point = *s->point;
    for (uint32_t i = 0; i < n + s->e; i++) {
        name[i] = i < n ? point->state[i] : ct_name_text(s->ctx, s->discrete[i - n]);
        x[i] =
            i < n
                ? point->x[i]
                : held->quantity_value[ct_map_get(held->quantity_by_name, s->discrete[i - n]) - 1];
    }
    point->state = name;
    point->x = x;
    point->state_count = n + s->e;
    return point;
}

static ct_statespace *result(ct_sampler *s, const ct_reduced *reduced)
{
    ct_statespace *ss = CT_NEW(s->arena, ct_statespace);
    *ss = (ct_statespace){.model = reduced->system->model,
                          .reduced = reduced,
                          .arena = s->arena,
                          .pool = reduced->system->pool,
                          .orders = 1,
                          .by_numbers = true,
                          .linear = s->plant->linear,
                          .steady = s->plant->steady,
                          .period = s->ticks.period,
                          .offset = s->ticks.offset,
                          .effort = s->plant->effort};
    shape h = list_states(s, ss);
    name_all(s, ss, &h);
    fill(s, ss, &h);
    ss->point = whole_point(s);
    return ss;
}

/* ---- all of it */

static bool check_plant(const ct_sampler *s)
{
    const ct_statespace *p = s->plant;
    for (uint32_t k = 2; k < p->orders; k++)
        for (size_t i = 0; i < (size_t)s->n * p->m; i++)
            if (ct_statespace_numbers(p)->B[k][i] != 0)
                return refuse(s, NULL, "states depend on second derivatives of what is held",
                              "let the source change in a finite time");
    return !ct_statespace_numbers(p)->W ||
           refuse(s, NULL, "algebraic equations are singular at the operating point", NULL);
}

ct_statespace *ct_sampled_new(const ct_statespace *plant, const ct_reduced *reduced,
                              const ct_point *point)
{
    ct_sampler s = {.plant = plant,
                    .model = reduced->system->model,
                    .ctx = ct_arena_context(plant->arena),
                    .arena = plant->arena,
                    .point = point,
                    .n = ct_statespace_numbers(plant)->n,
                    .p = reduced->system->model->output_count};
    list_inputs(&s);
    if (!check_plant(&s) || !check_targets(&s) || !list_clocks(&s))
        return NULL;
    find_dead(&s);
    ct_sampled_pass(&s);
    return result(&s, reduced);
}
