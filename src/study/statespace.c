/* statespace.c - from a reduced system to its matrices: differentiate, then eliminate.
 *
 *     rows     rates f, outputs h, residuals g
 *     columns  states x, unknowns w, inputs u, u', .., and the constant
 *
 * Where numbers are wanted, expressions serve as long as they are small, because they know what is
 * exactly zero. Else derivatives and elimination are in numbers.
 */
#include "study/statespace.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "equations/driven.h"
#include "study/at_point.h"
#include "study/independent.h"
#include "study/schur.h"
#include "study/whole.h"

enum {
    MOST_CELLS = 2000000, /* computed in the elimination of w */
    FEW_CELLS = 5000,     /* the same on the way to numbers, and */
    MOST_STATES = 2000,   /* of a network; with more all unknowns are kept, else A is full */
    FEW_NODES = 4000      /* nodes of derivatives, besides two for each of the rows' own */
};

typedef struct maker {
    ct_statespace *ss;
    const ct_reduced *r;
    const ct_whole *whole; /* all equations; NULL: the reduced ones */
    const ct_model *model;
    ct_context *ctx;
    ct_arena *arena;
    ct_pool *pool;
    ct_name time;
    const ct_statespace_def *def;
    uint32_t n, k, m, p; /* states, unknowns w, inputs, outputs */
    ct_expr *row;        /* f, h, g */
    uint32_t rows;
    ct_name *col; /* x, w, u, u', .. */
    uint32_t cols;
    ct_entry *entry; /* by columns */
    uint32_t entry_count;
    const ct_expr *tangent; /* per row: its differential; NULL: differentiated in symbols */
    ct_expr *constant;      /* per row; NULL: not linear */
    ct_schur schur;
} maker;

static ct_name unknown_name(const maker *m, uint32_t unknown)
{
    return m->r->system->unknown[unknown].name;
}

/* ---- rows */

static ct_expr rate_row(const maker *m, uint32_t state)
{
    const ct_unknown_row *unknown = m->r->system->unknown;
    return m->whole ? ct_expr_symbol(m->pool, unknown[unknown[m->r->state[state]].rate].name)
                    : m->r->rate[state];
}

static ct_expr output_row(const maker *m, uint32_t output)
{
    const ct_output *o = &m->model->output[output];
    return m->whole ? ct_reduced_open(m->r, o->expr, o->place)
                    : ct_reduced_express(m->r, o->expr, o->place);
}

/* Outputs, or all states when the model names none. */
static bool list_rows(maker *m)
{
    const ct_model *model = m->model;
    bool good = true;
    m->p = model->output_count ? model->output_count : m->n;
    m->rows = m->n + m->p + m->k;
    m->row = CT_NEW_ARRAY(m->arena, ct_expr, m->rows + 1);
    const char **name = CT_NEW_ARRAY(m->arena, const char *, m->p + 1);
    for (uint32_t i = 0; i < m->n; i++)
        m->row[i] = rate_row(m, i);
    for (uint32_t i = 0; i < m->p; i++) {
        ct_name state = model->output_count ? 0 : unknown_name(m, m->r->state[i]);
        name[i] = state ? ct_name_text(m->ctx, state) : model->output[i].name;
        m->row[m->n + i] = state ? ct_expr_symbol(m->pool, state) : output_row(m, i);
        good &= m->row[m->n + i] != 0;
    }
    for (uint32_t i = 0; i < m->k; i++)
        m->row[m->n + m->p + i] = m->whole ? m->whole->row[i] : m->r->residual[i];
    m->ss->output = name;
    return good;
}

/* ---- columns */

/* How often an input is differentiated; UINT32_MAX: it is none. */
static uint32_t input_order(const maker *m, ct_name symbol)
{
    uint32_t order;
    ct_name base = ct_base_symbol(m->model->symbols, symbol, &order);
    uint32_t q = ct_map_get(m->model->quantity_by_name, base);
    return q && m->model->quantity[q - 1].kind == CT_INPUT ? order : UINT32_MAX;
}

static void find_orders(maker *m)
{
    ct_name_list found = ct_symbols_of(m->pool, m->arena, m->row, m->rows);
    m->ss->orders = 2;
    for (uint32_t i = 0; i < found.count; i++) {
        uint32_t order = input_order(m, found.at[i]);
        if (order != UINT32_MAX && order >= m->ss->orders)
            m->ss->orders = order + 1;
    }
}

static void list_inputs(maker *m)
{
    ct_name_list list = {0};
    for (uint32_t i = 0; i < m->model->quantity_count; i++)
        if (m->model->quantity[i].kind == CT_INPUT)
            CT_PUSH(m->arena, list, m->model->quantity[i].name);
    m->ss->input = list.at;
    m->m = list.count;
}

static void list_columns(maker *m)
{
    ct_statespace *ss = m->ss;
    uint32_t inputs = m->n + m->k;
    list_inputs(m);
    find_orders(m);
    m->cols = inputs + ss->orders * m->m;
    m->col = CT_NEW_ARRAY(m->arena, ct_name, m->cols + 1);
    for (uint32_t i = 0; i < m->n; i++)
        m->col[i] = unknown_name(m, m->r->state[i]);
    for (uint32_t i = 0; i < m->k; i++)
        m->col[m->n + i] = unknown_name(m, m->whole ? m->whole->unknown[i] : m->r->algebraic[i]);
    for (uint32_t i = 0; i < ss->orders * m->m; i++)
        m->col[inputs + i] =
            i < m->m ? ss->input[i] : ct_rate_symbol(m->model->symbols, m->col[inputs + i - m->m]);
}

/* ---- derivatives */

static bool is_numeric(const maker *m)
{
    return m->def && m->def->wanted != CT_SYMBOLS;
}

static bool is_either(const maker *m)
{
    return m->def && m->def->wanted == CT_EITHER;
}

static bool report_culprit(maker *m, ct_expr culprit)
{
    ct_text text = ct_text_new(m->ctx->base);
    if (culprit)
        ct_expr_put(m->pool, &text, culprit);
    ct_report *r =
        ct_error(m->ctx, "E533", (ct_place){0}, "%s cannot be linearised",
                 text.length && text.length < 200 ? ct_text_string(&text) : "an expression");
    ct_note(r, "state-space matrices are derivatives, and it has none");
    return false;
}

static void take_entries(maker *m, const ct_jacobian *j, const double *number)
{
    m->entry_count = 0;
    m->entry = CT_NEW_ARRAY(m->arena, ct_entry, j->count + 1);
    for (uint32_t c = 0; c < j->cols; c++)
        for (uint32_t at = j->start[c]; at < j->start[c + 1]; at++) {
            ct_entry e = {j->row[at], c, number ? 0 : j->entry[at], number ? number[at] : NAN};
            if (number ? number[at] != 0 : !ct_expr_is_zero(m->pool, e.value))
                m->entry[m->entry_count++] = e;
        }
}

static bool differentiate_numbers(maker *m)
{
    ct_expr culprit = 0;
    const ct_tangents *t = ct_tangents_at(m->def->rig, m->def->point, NULL, m->row, m->rows, m->col,
                                          m->cols, m->arena, &culprit);
    if (!t)
        return culprit && report_culprit(m, culprit);
    m->ss->by_numbers = true;
    m->tangent = t->row;
    m->ss->effort = ct_program_effort(t);
    take_entries(m, t->pattern, t->value);
    return true;
}

/* False without report: it would become too large. */
static bool differentiate_symbols(maker *m, bool *failed)
{
    ct_expr culprit = 0;
    uint32_t most = UINT32_MAX;
    if (is_either(m))
        most = FEW_NODES + 2 * ct_count_nodes(m->pool, m->row, m->rows);
    const ct_jacobian *j =
        ct_jacobian_within(m->arena, m->pool, m->row, m->rows, m->col, m->cols, most, &culprit);
    *failed = !j && culprit;
    if (*failed)
        report_culprit(m, culprit);
    if (!j)
        return false;
    take_entries(m, j, NULL);
    m->ss->effort = ct_symbolic_effort(m->pool, j);
    return true;
}

static bool differentiate(maker *m)
{
    bool failed = false, numbers = m->def && m->def->wanted == CT_NUMBERS;
    if (!numbers && differentiate_symbols(m, &failed))
        return true;
    return !failed && differentiate_numbers(m);
}

static ct_expr *entry_values(const maker *m)
{
    ct_expr *e = CT_NEW_ARRAY(m->arena, ct_expr, m->entry_count + 1);
    for (uint32_t i = 0; i < m->entry_count; i++)
        e[i] = m->entry[i].value;
    return e;
}

/* Symbols of columns, and time, that stand in the entries. */
static ct_name_list variables_in(maker *m, const ct_expr *e, uint32_t count)
{
    ct_name_list found = ct_symbols_of(m->pool, m->arena, e, count), kept = {0};
    ct_map column;
    ct_map_init(&column, m->arena);
    for (uint32_t i = 0; i < m->cols; i++)
        ct_map_put(&column, m->col[i], i + 1);
    ct_map_put(&column, m->time, m->cols + 1);
    for (uint32_t i = 0; i < found.count; i++)
        if (ct_map_get(&column, found.at[i]))
            CT_PUSH(m->arena, kept, found.at[i]);
    return kept;
}

/* Expressions of equal value share a node, which may hold symbols on which the value does not
 * depend. They are put to zero, so that they are not shown. */
static void drop_ghosts(maker *m, ct_expr *e, const ct_name_list *ghost)
{
    ct_expr *zero = CT_NEW_ARRAY(m->arena, ct_expr, ghost->count + 1);
    ct_expr *out = CT_NEW_ARRAY(m->arena, ct_expr, m->entry_count + 1);
    for (uint32_t i = 0; i < ghost->count; i++)
        zero[i] = ct_expr_int(m->pool, 0);
    ct_expr_substitute_all(m->pool, e, out, m->entry_count, ghost->at, zero, ghost->count);
    for (uint32_t i = 0; i < m->entry_count; i++)
        if (out[i])
            m->entry[i].value = out[i];
}

/* Does a value depend on these symbols? Others in their place tell: derivatives do not, because
 * those of sign(x) are zero. */
static bool depends(maker *m, const ct_expr *e, uint32_t count, const ct_name *symbol,
                    uint32_t symbols)
{
    ct_expr *other = CT_NEW_ARRAY(m->arena, ct_expr, symbols + 1);
    ct_expr *out = CT_NEW_ARRAY(m->arena, ct_expr, count + 1);
    for (uint32_t i = 0; i < symbols; i++) {
        const char *text = ct_printf(m->ctx, "other %s", ct_name_text(m->ctx, symbol[i]));
        other[i] = ct_expr_symbol(m->pool, ct_intern_text(m->ctx, text));
    }
    ct_expr_substitute_all(m->pool, e, out, count, symbol, other, symbols);
    for (uint32_t i = 0; i < count; i++)
        if (out[i] != e[i])
            return true;
    return false;
}

/* Variables with a derivative that is not zero need no such trial. */
static void sort_variables(maker *m, const ct_expr *e, const ct_name_list *all, ct_name_list *ghost,
                           ct_name_list *real)
{
    ct_expr culprit;
    const ct_jacobian *j =
        ct_jacobian_new(m->arena, m->pool, e, m->entry_count, all->at, all->count, &culprit);
    ct_name_list maybe = {0};
    for (uint32_t i = 0; i < all->count; i++)
        if (j && j->start[i] == j->start[i + 1])
            CT_PUSH(m->arena, maybe, all->at[i]);
        else
            CT_PUSH(m->arena, *real, all->at[i]);
    bool all_ghosts = !depends(m, e, m->entry_count, maybe.at, maybe.count);
    for (uint32_t i = 0; i < maybe.count; i++)
        if (all_ghosts || !depends(m, e, m->entry_count, &maybe.at[i], 1))
            CT_PUSH(m->arena, *ghost, maybe.at[i]);
        else
            CT_PUSH(m->arena, *real, maybe.at[i]);
}

/* Linear when no entry depends on a state, an unknown or an input. */
static void find_linear(maker *m)
{
    ct_expr *e = entry_values(m);
    ct_name_list variable = variables_in(m, e, m->entry_count), ghost = {0}, real = {0};
    if (variable.count)
        sort_variables(m, e, &variable, &ghost, &real);
    m->ss->steady = real.count == 0;
    m->ss->linear = real.count == 0 || (real.count == 1 && real.at[0] == m->time);
    if (ghost.count)
        drop_ghosts(m, e, &ghost);
}

/* The same of what is not shown: entries, or differentials of rows. */
static void test_linear(maker *m, const ct_expr *e, uint32_t count)
{
    ct_name_list variable = variables_in(m, e, count);
    uint32_t moving = 0;
    for (uint32_t i = 0; i < variable.count; i++)
        if (variable.at[i] != m->time)
            variable.at[moving++] = variable.at[i];
    m->ss->linear = !moving || !depends(m, e, count, variable.at, moving);
    m->ss->steady =
        m->ss->linear && (moving == variable.count || !depends(m, e, count, &m->time, 1));
}

/* What is left of the rows at x = 0, w = 0, u = 0; none when that cannot be computed. */
static void find_constants(maker *m)
{
    ct_expr *zero = CT_NEW_ARRAY(m->arena, ct_expr, m->cols + 1);
    m->constant = CT_NEW_ARRAY(m->arena, ct_expr, m->rows + 1);
    for (uint32_t i = 0; i < m->cols; i++)
        zero[i] = ct_expr_int(m->pool, 0);
    ct_expr_substitute_all(m->pool, m->row, m->constant, m->rows, m->col, zero, m->cols);
}

/* Entries that vanish at the point are dropped. */
static void put_in_point(maker *m)
{
    uint32_t kept = 0;
    ct_put_in_exact(m->def, m->model, m->arena, m->pool, m->entry, m->entry_count, m->constant,
                    m->rows);
    for (uint32_t i = 0; i < m->entry_count; i++)
        if (!ct_expr_is_zero(m->pool, m->entry[i].value))
            m->entry[kept++] = m->entry[i];
    m->entry_count = kept;
}

/* ---- elimination of w */

/* Values of the entries at the point that the caller gave. */
static bool set_numbers(maker *m)
{
    const ct_statespace_def *def = m->def;
    double *number = CT_NEW_ARRAY(m->arena, double, m->entry_count + 1);
    bool known = def && def->rig && m->k &&
                 ct_values_at(def->rig, def->point, entry_values(m), m->entry_count, number);
    for (uint32_t i = 0; known && i < m->entry_count; i++)
        m->entry[i].number = number[i];
    return known;
}

static uint64_t most_cells(const maker *m)
{
    if (m->ss->by_numbers)
        return UINT64_MAX;
    return m->def && m->def->budget ? m->def->budget : is_either(m) ? FEW_CELLS : MOST_CELLS;
}

static void load(maker *m)
{
    ct_schur *s = &m->schur;
    *s = (ct_schur){.arena = m->arena,
                    .pool = m->ss->by_numbers ? NULL : m->pool,
                    .row = CT_NEW_ARRAY(m->arena, ct_cells, m->rows + 1),
                    .rows = m->rows,
                    .cols = m->cols + 1,
                    .pivot_row = m->n + m->p,
                    .first_col = m->n,
                    .last_col = m->n + m->k,
                    .budget = most_cells(m)};
    for (uint32_t i = 0; i < m->entry_count; i++) {
        const ct_entry *e = &m->entry[i];
        CT_PUSH(m->arena, s->row[e->row],
                (ct_cell){e->col, e->value, e->number, fabs(e->number), 0});
    }
    for (uint32_t i = 0; m->constant && i < m->rows; i++)
        if (m->constant[i] && !ct_expr_is_zero(m->pool, m->constant[i]))
            CT_PUSH(m->arena, s->row[i], (ct_cell){m->cols, m->constant[i], NAN, NAN, 0});
}

/* Entries in symbols whose elimination grows are eliminated in numbers. */
static void eliminate(maker *m)
{
    bool known = !m->tangent && set_numbers(m);
    load(m);
    ct_schur_run(&m->schur);
    if (m->schur.budget || !known || !is_either(m))
        return;
    m->ss->by_numbers = true;
    load(m);
    ct_schur_run(&m->schur);
}

/* ---- matrices */

typedef struct range {
    uint32_t first, count;
} range;

/* Rows in the order given; columns of a stretch, numbered by `place`. */
static ct_entries extract(maker *m, const uint32_t *row, uint32_t rows, range cols,
                          const uint32_t *place)
{
    ct_entries out = {.rows = rows, .cols = cols.count};
    CT_VEC(ct_entry) list = {0};
    for (uint32_t i = 0; i < rows; i++) {
        const ct_cells *cells = &m->schur.row[row[i]];
        for (uint32_t k = 0; k < cells->count; k++) {
            uint32_t c = cells->at[k].col;
            if (c < cols.first || c >= cols.first + cols.count)
                continue;
            uint32_t at = place ? place[c] : c - cols.first;
            CT_PUSH(m->arena, list, (ct_entry){i, at, cells->at[k].value, cells->at[k].number});
        }
    }
    out.entry = list.at;
    out.count = list.count;
    return out;
}

/* States, then unknowns that stay. */
static void name_states(maker *m, uint32_t *place)
{
    ct_statespace *ss = m->ss;
    ct_name *state = CT_NEW_ARRAY(m->arena, ct_name, m->n + m->k + 1);
    for (uint32_t c = 0; c < m->n + m->k; c++) {
        if (m->schur.col_gone[c])
            continue;
        place[c] = ss->n;
        state[ss->n++] = m->col[c];
    }
    ss->state = state;
    ss->differential = m->n;
}

static void fill(maker *m)
{
    ct_statespace *ss = m->ss;
    uint32_t *place = CT_NEW_ARRAY(m->arena, uint32_t, m->cols + 1), left = 0;
    uint32_t *rate = CT_NEW_ARRAY(m->arena, uint32_t, m->rows + 1);
    uint32_t *output = CT_NEW_ARRAY(m->arena, uint32_t, m->p + 1);
    name_states(m, place);
    for (uint32_t i = 0; i < m->n; i++)
        rate[left++] = i;
    for (uint32_t i = 0; i < m->p; i++)
        output[i] = m->n + i;
    for (uint32_t i = m->n + m->p; i < m->rows; i++)
        if (!m->schur.row_used[i])
            rate[left++] = i;
    range x = {0, m->n + m->k}, one = {m->cols, 1};
    ss->A = extract(m, rate, left, x, place);
    ss->C = extract(m, output, m->p, x, place);
    ss->A.cols = ss->C.cols = ss->n;
    for (uint32_t k = 0; k < ss->orders; k++) {
        range u = {m->n + m->k + k * m->m, m->m};
        ss->B[k] = extract(m, rate, left, u, NULL);
        ss->D[k] = extract(m, output, m->p, u, NULL);
    }
    ss->a = extract(m, rate, left, one, NULL);
    ss->c = extract(m, output, m->p, one, NULL);
    ss->m = m->m;
    ss->p = m->p;
    ss->given_up = !m->schur.budget;
}

/* ---- all equations, in numbers */

static bool all_gone(const maker *m)
{
    for (uint32_t c = m->n; c < m->n + m->k; c++)
        if (!m->schur.col_gone[c])
            return false;
    return true;
}

/* Second derivatives of inputs that cancel are none. */
static void drop_orders(ct_statespace *ss)
{
    while (ss->orders > 2 && !ss->B[ss->orders - 1].count && !ss->D[ss->orders - 1].count)
        ss->orders--;
}

/* Elimination may divide by products that vanish from what is left. */
static void test_reduced(maker *m)
{
    maker own = *m;
    own.whole = NULL;
    own.k = m->r->algebraic_count;
    if (!list_rows(&own))
        return;
    list_columns(&own);
    ct_expr *symbol = CT_NEW_ARRAY(m->arena, ct_expr, own.cols + 1);
    ct_expr *row = CT_NEW_ARRAY(m->arena, ct_expr, own.rows + 1);
    for (uint32_t i = 0; i < own.cols; i++)
        symbol[i] = ct_expr_symbol(
            m->pool,
            ct_intern_text(m->ctx, ct_printf(m->ctx, "d %s", ct_name_text(m->ctx, own.col[i]))));
    if (!ct_expr_differentials(m->pool, own.row, row, own.rows, own.col, symbol, own.cols))
        test_linear(&own, row, own.rows);
}

/* False: not by this way, or after reporting. */
static bool make_whole(maker *m)
{
    ct_expr culprit;
    if (!m->whole || !is_numeric(m))
        return false;
    m->k = m->whole->count;
    if (!list_rows(m))
        return false;
    list_columns(m);
    const ct_slopes *j = ct_slopes_at(m->def, &m->whole->known, m->pool, m->row, m->rows, m->col,
                                      m->cols, m->arena, &culprit);
    if (!j)
        return false;
    m->ss->by_numbers = true;
    m->ss->effort = j->effort;
    take_entries(m, j->pattern, j->value);
    load(m);
    m->ss->whole = m->def->sparse && m->n > MOST_STATES;
    m->schur.budget *= !m->ss->whole;
    ct_schur_run(&m->schur);
    if (!m->ss->whole && !all_gone(m))
        return false;
    m->tangent = j->differential ? j->differential : j->pattern->entry;
    test_linear(m, m->tangent, j->differential ? m->rows : j->pattern->count);
    if (!m->ss->linear || !m->ss->steady)
        test_reduced(m);
    return true;
}

/* As derived; false after reporting. */
static bool make_reduced(maker *m)
{
    m->whole = NULL;
    m->ss->by_numbers = m->ss->whole = false;
    m->k = m->r->algebraic_count;
    if (!list_rows(m))
        return false;
    list_columns(m);
    if (!differentiate(m))
        return false;
    if (m->tangent)
        test_linear(m, m->tangent, m->rows);
    else if (is_either(m))
        test_linear(m, entry_values(m), m->entry_count);
    else
        find_linear(m);
    if (m->ss->linear && !is_numeric(m))
        find_constants(m);
    if (m->def && m->def->point && m->def->put_in)
        put_in_point(m);
    eliminate(m);
    return true;
}

ct_statespace *ct_statespace_new(const ct_equations *equations, const ct_statespace_def *def)
{
    assert(equations->reduced->closed); /* nothing is added to it any more */
    ct_context *ctx = equations->model->ctx;
    ct_arena *arena = ct_arena_new(ctx);
    ct_statespace *ss = CT_NEW(arena, ct_statespace);
    const ct_reduced *whole = ct_reduced_view(equations->reduced, arena);
    const ct_reduced *reduced = ct_independent(whole, def, arena);
    if (!reduced)
        return NULL;
    *ss = (ct_statespace){.model = reduced->system->model,
                          .reduced = reduced,
                          .arena = arena,
                          .pool = reduced->system->pool};
    maker m = {.ss = ss,
               .r = reduced,
               .model = reduced->system->model,
               .ctx = ctx,
               .arena = arena,
               .pool = ss->pool,
               .time = ct_intern_text(ctx, "t"),
               .def = def,
               .n = reduced->state_count};
    ct_statespace_def own = def ? *def : (ct_statespace_def){0};
    if (def && def->rig && (m.whole = ct_whole_new(whole, reduced, def, arena))) {
        own.point = ss->point = m.whole->point;
        m.def = &own;
    }
    if (!make_whole(&m) && !make_reduced(&m))
        return NULL;
    ss->B = CT_NEW_ARRAY(arena, ct_entries, ss->orders);
    ss->D = CT_NEW_ARRAY(arena, ct_entries, ss->orders);
    fill(&m);
    drop_orders(ss);
    if (ss->whole)
        ct_whole_keep(ss);
    return ss;
}
