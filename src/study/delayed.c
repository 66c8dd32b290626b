/* delayed.c - linear models with transport delays; see delayed.h.
 *
 * The plant of the held model has what is delayed, d, among its inputs, and what goes into the
 * delays, v, among its outputs:
 *
 *     x' = A x + B u + G d,   v = H x + J u + K d,   y = C x + D u + L d,   d = exp(-s T) v
 */
#include "study/delayed.h"

#include <math.h>
#include <string.h>

#include "model/held.h"

static const double no_pivot = 1e-12; /* beside entries of size 1 */

typedef struct lag {
    const ct_happening *of;
    uint32_t column, row; /* of the plant: its value; what goes into it */
    double time;
} lag;

typedef struct delayer {
    const ct_statespace *plant;
    const ct_model *model; /* with its delays */
    ct_context *ctx;
    ct_arena *arena;
    lag *lag;
    uint32_t count;
    const uint32_t *input; /* columns of the plant */
    uint32_t m, p;
    const uint32_t *state; /* of the plant that are kept */
    uint32_t n;
    uint32_t order; /* of Pade approximations */
} delayer;

bool ct_model_is_delayed(const ct_model *m)
{
    bool any = false;
    for (uint32_t i = 0; i < m->happening_count; i++) {
        if (m->happening[i].clock && !m->happening[i].lag)
            return false;
        any |= m->happening[i].lag;
    }
    return any;
}

/* ---- what there is */

static bool refuse(const delayer *d, const ct_happening *h, const char *why)
{
    const char *owner = ct_name_text(d->ctx, h->owner);
    ct_report *r =
        ct_error(d->ctx, "E595", h->place, "there is no linear model with the delay `%s`", owner);
    ct_note(r, "%s", why);
    ct_help(r, "leave it out and give its output as an input, or take a `tf` near to it");
    ct_witness(r, owner);
    return false;
}

static uint32_t column_of(const delayer *d, ct_name name)
{
    uint32_t k = 0;
    while (k < d->plant->m && d->plant->input[k] != name)
        k++;
    return k;
}

static void list_inputs(delayer *d)
{
    const ct_model *m = d->model;
    uint32_t *input = CT_NEW_ARRAY(d->arena, uint32_t, m->quantity_count + 1);
    for (uint32_t i = 0; i < m->quantity_count; i++)
        if (m->quantity[i].kind == CT_INPUT)
            input[d->m++] = column_of(d, m->quantity[i].name);
    d->input = input;
}

static bool list_lags(delayer *d)
{
    const ct_model *m = d->model;
    uint32_t row = m->output_count;
    d->lag = CT_NEW_ARRAY(d->arena, lag, m->happening_count + 1);
    for (uint32_t i = 0; i < m->happening_count; i++) {
        const ct_happening *h = &m->happening[i];
        if (!h->lag)
            continue;
        ct_name target = ct_expr_name(m->pool, h->assigned[0].target);
        lag *l = &d->lag[d->count++];
        *l = (lag){h, column_of(d, target), row++, ct_model_value(m, h->condition)};
        if (!(l->time > 0) || !isfinite(l->time) || l->column == d->plant->m)
            return refuse(d, h, "its time is not known to be greater than zero");
    }
    return true;
}

static void list_states(delayer *d)
{
    uint32_t *state = CT_NEW_ARRAY(d->arena, uint32_t, ct_statespace_numbers(d->plant)->n + 1);
    for (uint32_t i = 0; i < ct_statespace_numbers(d->plant)->n; i++)
        if (ct_use_of(d->model, d->plant->state[i]) != CT_OWN_AGE)
            state[d->n++] = i;
    d->state = state;
}

/* Derivatives of inputs and of what is delayed do not go through a delay here. */
static bool check_plant(const delayer *d)
{
    const ct_statespace *p = d->plant;
    size_t rows = ct_statespace_numbers(p)->n, outputs = p->p;
    bool rates = ct_statespace_numbers(p)->W != NULL;
    for (uint32_t k = 1; k < p->orders; k++) {
        for (size_t i = 0; i < rows * p->m; i++)
            rates |= ct_statespace_numbers(p)->B[k] && ct_statespace_numbers(p)->B[k][i] != 0;
        for (size_t i = 0; i < outputs * p->m; i++)
            rates |= ct_statespace_numbers(p)->D[k] && ct_statespace_numbers(p)->D[k][i] != 0;
    }
    return !rates || refuse(d, d->lag[0].of,
                            "storage is tied to a source, or algebraic equations are singular: its "
                            "matrices have more than states and inputs");
}

static double entry(const double *matrix, uint32_t cols, uint32_t row, uint32_t col)
{
    return matrix ? matrix[(size_t)row * cols + col] : 0;
}

/* ---- what is delayed, as unknowns of its own: exact responses */

typedef struct turns {
    const double *time, *own; /* per delay: T, and how v depends on its own d */
    uint32_t count;
} turns;

static void fill_turns(const void *user, double complex s, double complex *value)
{
    const turns *t = user;
    for (uint32_t k = 0; k < t->count; k++)
        value[k] = cexp(s * t->time[k]) - t->own[k];
}

/* Columns x, then d; rows of a matrix of the plant by states (`of_x`) and inputs (`of_u`). */
static void fill_row(const delayer *d, const double *of_x, const double *of_u, uint32_t row,
                     double *by_x, double *by_u)
{
    const ct_statespace *p = d->plant;
    for (uint32_t i = 0; i < d->n; i++)
        by_x[i] = entry(of_x, ct_statespace_numbers(p)->n, row, d->state[i]);
    for (uint32_t k = 0; k < d->count; k++)
        by_x[d->n + k] = entry(of_u, p->m, row, d->lag[k].column);
    for (uint32_t j = 0; j < d->m; j++)
        by_u[j] = entry(of_u, p->m, row, d->input[j]);
}

/* W (x, d)' = A (x, d) + B u with d's rows H x + J u + K d - d/exp(-s T) = 0. */
static ct_lti open_form(const delayer *d)
{
    const ct_numbers *a = ct_statespace_numbers(d->plant);
    size_t n = d->n, size = n + d->count;
    double *A = CT_NEW_ARRAY(d->arena, double, size *size + 1),
           *W = CT_NEW_ARRAY(d->arena, double, size *size + 1),
           *B = CT_NEW_ARRAY(d->arena, double, size * d->m + 1),
           *C = CT_NEW_ARRAY(d->arena, double, d->p *size + 1),
           *D = CT_NEW_ARRAY(d->arena, double, (size_t)d->p * d->m + 1);
    for (size_t i = 0; i < n; i++) {
        fill_row(d, a->A, a->B[0], d->state[i], A + i * size, B + i * d->m);
        W[i * size + i] = 1;
    }
    for (size_t k = 0; k < d->count; k++)
        fill_row(d, a->C, a->D[0], d->lag[k].row, A + (n + k) * size, B + (n + k) * d->m);
    for (uint32_t i = 0; i < d->p; i++)
        if (d->model->output_count)
            fill_row(d, a->C, a->D[0], i, C + i * size, D + (size_t)i * d->m);
        else
            C[i * size + i] = 1; /* states are shown */
    return (ct_lti){
        .n = (uint32_t)size, .m = d->m, .p = d->p, .A = A, .B = B, .C = C, .D = D, .W = W};
}

static ct_lti_sweep *exact_response(const delayer *d, const ct_lti *open)
{
    uint32_t *place = CT_NEW_ARRAY(d->arena, uint32_t, d->count);
    double *time = CT_NEW_ARRAY(d->arena, double, d->count),
           *own = CT_NEW_ARRAY(d->arena, double, d->count), sum = 0;
    size_t size = open->n;
    double *A = CT_NEW_ARRAY(d->arena, double, size *size + 1);
    ct_lti lti = *open;
    memcpy(A, open->A, size * size * sizeof *A);
    for (uint32_t k = 0; k < d->count; k++) {
        place[k] = d->n + k;
        time[k] = d->lag[k].time;
        own[k] = A[place[k] * size + place[k]];
        A[place[k] * size + place[k]] = 0;
        sum += time[k];
    }
    lti.A = A;
    turns *t = CT_NEW(d->arena, turns);
    *t = (turns){time, own, d->count};
    ct_lti_cells cells = {d->count, place, place, fill_turns, t, sum};
    return ct_lti_sweep_new(d->arena, &lti, &cells);
}

/* ---- matrices
 *
 * With z = s T, exp(-z) is near to P(-z)/P(z), P = sum of c_j z^j, c_j = (2N-j)! N!/((2N)! j!
 * (N-j)!). In states r with r_i' = r_(i+1)/T, r_N' = (v - sum of a_j r_(j+1))/T and a_j = c_j/c_N:
 *
 *     d = (-1)^N v + sum of ((-1)^j - (-1)^N) a_j r_(j+1) */

static void pade(double *a, int N)
{
    a[N] = 1;
    for (int j = N; j > 0; j--) /* c_(j-1)/c_j = j (2N-j+1)/(N-j+1) */
        a[j - 1] = a[j] * j * (2 * N - j + 1) / (N - j + 1);
}

/* A row over x, d becomes one over x, r: d = sign v + R r, v = (1 - sign K)^-1 (H x + J u + K R r).
 */
typedef struct closing {
    const delayer *d;
    const ct_lti *open;
    double *v_x, *v_u; /* rows of v over x, r and u */
    double *gain;      /* R, of each state of a delay */
    double sign;
    uint32_t n; /* x and r */
} closing;

static void add_delayed(const closing *c, const double *by_d, double *by_x, double *by_u)
{
    const delayer *d = c->d;
    for (uint32_t k = 0; k < d->count; k++) {
        for (uint32_t i = 0; by_d[k] != 0 && i < c->n; i++)
            by_x[i] += by_d[k] * c->sign * c->v_x[(size_t)k * c->n + i];
        for (uint32_t j = 0; by_d[k] != 0 && j < d->m; j++)
            by_u[j] += by_d[k] * c->sign * c->v_u[(size_t)k * d->m + j];
        for (uint32_t i = 0; i < d->order; i++)
            by_x[d->n + k * d->order + i] += by_d[k] * c->gain[i];
    }
}

/* Gauss and Jordan on [1 - sign K | H, K R | J]. */
static bool find_v(closing *c)
{
    const delayer *d = c->d;
    uint32_t L = d->count, width = L + c->n + d->m;
    double *t = CT_NEW_ARRAY(d->arena, double, (size_t)L *width);
    for (uint32_t k = 0; k < L; k++) {
        const double *row = c->open->A + (size_t)(d->n + k) * c->open->n;
        double *to = t + (size_t)k * width;
        for (uint32_t l = 0; l < L; l++) {
            to[l] = (k == l) - c->sign * row[d->n + l];
            for (uint32_t i = 0; i < d->order; i++)
                to[L + d->n + l * d->order + i] = row[d->n + l] * c->gain[i];
        }
        memcpy(to + L, row, d->n * sizeof *to);
        if (d->m)
            memcpy(to + L + c->n, c->open->B + (size_t)(d->n + k) * d->m, d->m * sizeof *to);
    }
    for (uint32_t k = 0; k < L; k++) {
        uint32_t best = k;
        for (uint32_t i = k; i < L; i++)
            best = fabs(t[(size_t)i * width + k]) > fabs(t[(size_t)best * width + k]) ? i : best;
        double pivot = t[(size_t)best * width + k];
        if (fabs(pivot) < no_pivot)
            return false;
        for (uint32_t i = 0; i < width; i++) {
            double own = t[(size_t)best * width + i] / pivot;
            t[(size_t)best * width + i] = t[(size_t)k * width + i];
            t[(size_t)k * width + i] = own;
        }
        for (uint32_t r = 0; r < L; r++) {
            double factor = r == k ? 0 : t[(size_t)r * width + k];
            for (uint32_t i = 0; factor != 0 && i < width; i++)
                t[(size_t)r * width + i] -= factor * t[(size_t)k * width + i];
        }
    }
    for (uint32_t k = 0; k < L; k++) {
        memcpy(c->v_x + (size_t)k * c->n, t + (size_t)k * width + L, c->n * sizeof *t);
        if (d->m)
            memcpy(c->v_u + (size_t)k * d->m, t + (size_t)k * width + L + c->n, d->m * sizeof *t);
    }
    return true;
}

/* Rows of x or y, over x and r. */
static void close_row(const closing *c, const double *row, const double *inputs, double *by_x,
                      double *by_u)
{
    if (c->d->n)
        memcpy(by_x, row, c->d->n * sizeof *row);
    if (c->d->m)
        memcpy(by_u, inputs, c->d->m * sizeof *row);
    add_delayed(c, row + c->d->n, by_x, by_u);
}

static void delay_rows(const closing *c, uint32_t k, const double *a, double *A, double *B)
{
    const delayer *d = c->d;
    uint32_t N = d->order, first = d->n + k * N;
    double rate = 1 / d->lag[k].time;
    for (uint32_t i = 0; i + 1 < N; i++)
        A[(size_t)(first + i) * c->n + first + i + 1] = rate;
    double *last = A + (size_t)(first + N - 1) * c->n;
    for (uint32_t i = 0; i < c->n; i++)
        last[i] = rate * c->v_x[(size_t)k * c->n + i];
    for (uint32_t i = 0; i < N; i++)
        last[first + i] -= rate * a[i];
    for (uint32_t j = 0; j < d->m; j++)
        B[(size_t)(first + N - 1) * d->m + j] = rate * c->v_u[(size_t)k * d->m + j];
}

static ct_numbers *close_form(const delayer *d, const ct_lti *open)
{
    uint32_t N = d->order, n = d->n + d->count * N;
    double a[CT_MOST_PADE + 1];
    closing c = {.d = d, .open = open, .n = n, .sign = N % 2 ? -1 : 1};
    c.v_x = CT_NEW_ARRAY(d->arena, double, (size_t)d->count *n + 1);
    c.v_u = CT_NEW_ARRAY(d->arena, double, (size_t)d->count * d->m + 1);
    c.gain = CT_NEW_ARRAY(d->arena, double, N);
    double *A = CT_NEW_ARRAY(d->arena, double, (size_t)n *n + 1),
           *B = CT_NEW_ARRAY(d->arena, double, (size_t)n * d->m + 1),
           *C = CT_NEW_ARRAY(d->arena, double, (size_t)d->p *n + 1),
           *D = CT_NEW_ARRAY(d->arena, double, (size_t)d->p * d->m + 1);
    pade(a, (int)N);
    for (uint32_t j = 0; j < N; j++)
        c.gain[j] = ((j % 2 ? -1 : 1) - c.sign) * a[j];
    if (!find_v(&c))
        return NULL;
    for (uint32_t i = 0; i < d->n; i++)
        close_row(&c, open->A + (size_t)i * open->n, open->B + (size_t)i * d->m, A + (size_t)i * n,
                  B + (size_t)i * d->m);
    for (uint32_t k = 0; k < d->count; k++)
        delay_rows(&c, k, a, A, B);
    for (uint32_t i = 0; i < d->p; i++)
        close_row(&c, open->C + (size_t)i * open->n, open->D + (size_t)i * d->m, C + (size_t)i * n,
                  D + (size_t)i * d->m);
    ct_numbers *out = CT_NEW(d->arena, ct_numbers);
    const double **list = CT_NEW_ARRAY(d->arena, const double *, 2);
    list[0] = B, list[1] = D;
    *out = (ct_numbers){.A = A, .C = C, .B = &list[0], .D = &list[1], .n = n};
    return out;
}

/* ---- all of it */

/* Its component, or where that has several the value. */
static const char *lag_name(const delayer *d, uint32_t k)
{
    const ct_happening *h = d->lag[k].of;
    for (uint32_t i = 0; i < d->count; i++)
        if (i != k && d->lag[i].of->owner == h->owner)
            return ct_name_text(d->ctx, ct_expr_name(d->model->pool, h->assigned[0].target));
    return ct_name_text(d->ctx, h->owner);
}

static void name_all(const delayer *d, ct_statespace *ss)
{
    ct_name *state = CT_NEW_ARRAY(d->arena, ct_name, ss->n + 1);
    ct_name *input = CT_NEW_ARRAY(d->arena, ct_name, d->m + 1);
    double *value = CT_NEW_ARRAY(d->arena, double, d->m + 1);
    const char **output = CT_NEW_ARRAY(d->arena, const char *, d->p + 1);
    for (uint32_t i = 0; i < d->n; i++)
        state[i] = d->plant->state[d->state[i]];
    for (uint32_t i = d->n; i < ss->n; i++) {
        uint32_t k = (i - d->n) / d->order, own = (i - d->n) % d->order + 1;
        state[i] = ct_owned_symbol(d->model->symbols, ct_intern_text(d->ctx, lag_name(d, k)),
                                   (ct_member){"pade", own});
    }
    for (uint32_t j = 0; j < d->m; j++) {
        input[j] = d->plant->input[d->input[j]];
        value[j] = d->plant->at_value[d->input[j]];
    }
    for (uint32_t i = 0; i < d->p; i++)
        output[i] =
            d->model->output_count ? d->model->output[i].name : ct_name_text(d->ctx, state[i]);
    ss->state = state;
    ss->input = ss->at_symbol = input;
    ss->at_value = value;
    ss->at_count = d->m;
    ss->output = output;
}

static void tell_order(const delayer *d)
{
    const ct_happening *h = d->lag[0].of;
    const char *owner = ct_name_text(d->ctx, h->owner);
    ct_report *r = ct_warning(d->ctx, "W582", h->place,
                              "the delay `%s` of %.6g s is a Pade approximation of order %u in the "
                              "matrices",
                              owner, d->lag[0].time, (unsigned)d->order);
    if (d->count > 1)
        ct_note(r, "so are the other delays, %u in all", (unsigned)d->count);
    ct_note(r, "poles, zeros, transfer functions and answers in time are those of it; frequency "
               "responses and margins have the delay as it is");
    ct_help(r, "another order: --pade N, up to %d", CT_MOST_PADE);
    ct_witness(r, owner);
}

static ct_entries shape(uint32_t rows, uint32_t cols)
{
    return (ct_entries){.rows = rows, .cols = cols};
}

ct_statespace *ct_delayed_new(const ct_statespace *plant, const ct_reduced *reduced,
                              const ct_point *point, uint32_t order)
{
    delayer d = {.plant = plant,
                 .order = order < CT_MOST_PADE ? order : CT_MOST_PADE,
                 .model = reduced->system->model,
                 .ctx = ct_arena_context(plant->arena),
                 .arena = plant->arena};
    list_inputs(&d);
    if (!list_lags(&d) || !check_plant(&d))
        return NULL;
    list_states(&d);
    d.p = d.model->output_count ? d.model->output_count : d.n;
    ct_lti open = open_form(&d);
    ct_numbers *numbers = close_form(&d, &open);
    if (!numbers) {
        refuse(&d, d.lag[0].of, "its output goes back into it without any loss");
        return NULL;
    }
    ct_statespace *ss = CT_NEW(d.arena, ct_statespace);
    *ss = (ct_statespace){.model = reduced->system->model,
                          .reduced = reduced,
                          .arena = d.arena,
                          .pool = reduced->system->pool,
                          .orders = 1,
                          .by_numbers = true,
                          .linear = plant->linear,
                          .steady = plant->steady,
                          .n = numbers->n,
                          .differential = numbers->n,
                          .m = d.m,
                          .p = d.p,
                          .numbers = numbers,
                          .point = ct_point_without(d.model, CT_OWN_AGE, point, d.arena),
                          .effort = plant->effort,
                          .delayed = exact_response(&d, &open)};
    ss->A = shape(ss->n, ss->n);
    ss->C = shape(ss->p, ss->n);
    ss->B = CT_NEW(d.arena, ct_entries);
    ss->D = CT_NEW(d.arena, ct_entries);
    *ss->B = shape(ss->n, ss->m);
    *ss->D = shape(ss->p, ss->m);
    name_all(&d, ss);
    tell_order(&d);
    return ss;
}
