/* test_networks_study.h - a network taken through the stages, and its variables at a point. */
#ifndef TEST_NETWORKS_STUDY_H
#define TEST_NETWORKS_STUDY_H

#include "test_networks.h"

/* ---- through the stages */

typedef struct study {
    ct_context *ctx;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    const ct_system *system;
    const ct_reduced *reduced; /* NULL: refused */
    ct_form form;
    char code[64]; /* of the errors */
    ct_expr output[MOST_ROWS];
    double *value; /* per name of the context; NaN: none */
    double ghost;  /* for names without value */
    uint32_t names;
} study;

static inline void reduce_study(void *user)
{
    study *s = user;
    const ct_equations *e = ct_equations_new(s->tree, s->form, CT_FOR_READERS);
    s->reduced = e ? ct_reduced_view(e->reduced, e->arena) : NULL;
    s->system = e ? e->reduced->system : NULL;
}

static inline void express_outputs(void *user)
{
    study *s = user;
    for (uint32_t i = 0; i < s->model->output_count && i < MOST_ROWS; i++)
        s->output[i] =
            ct_reduced_express(s->reduced, s->model->output[i].expr, s->model->output[i].place);
}

static inline void note_codes(study *s)
{
    for (size_t i = 0; i < ct_diag_count(s->ctx); i++) {
        const ct_diag *d = ct_diag_at(s->ctx, i);
        size_t length = strlen(s->code);
        if (d->severity == CT_ERROR && !strstr(s->code, d->code) && length < 56)
            snprintf(s->code + length, sizeof s->code - length, "%s ", d->code);
    }
}

/* Wishes for the tree are made when the graph is known; NULL: the usual tree. */
typedef ct_tree_choice wish_fn(const ct_graph *graph);

static inline study study_text(const char *text, ct_form form, wish_fn *wish)
{
    study s = {.ctx = ct_context_new(NULL), .form = form};
    const ct_syntax *syntax;
    ct_build_def def = ct_default_build_def();
    ct_tree_choice choice = ct_default_tree_choice();
    bool good = ct_read_text(s.ctx, "random.lg", text, strlen(text), &syntax) == CT_OK &&
                ct_build(s.ctx, syntax, &def, &s.model) == CT_OK &&
                ct_make_graph(s.ctx, s.model, &s.graph) == CT_OK;
    if (good && wish)
        choice = wish(s.graph);
    if (good && ct_choose_tree(s.ctx, s.graph, &choice, &s.tree) == CT_OK)
        assert_int_equal(ct_protect(s.ctx, reduce_study, &s), CT_OK);
    if (s.reduced)
        assert_int_equal(ct_protect(s.ctx, express_outputs, &s), CT_OK);
    note_codes(&s);
    return s;
}

static inline void close_study(study *s)
{
    free(s->value);
    ct_context_free(s->ctx);
}

static inline const char *errors_of(study *s)
{
    const char *text = "";
    ct_diag_render(s->ctx, CT_DIAG_TEXT, &text);
    return text;
}

/* ---- points */

typedef struct point {
    double input[MOST_PARTS][MOST_INPUT_ORDER]; /* u, u', u'', ... of the source at that part */
} point;

static inline void give(study *s, const char *symbol, double value)
{
    ct_name name = ct_intern_text(s->ctx, symbol);
    if (name < s->names)
        s->value[name] = value;
}

static inline double taken(const study *s, const char *symbol)
{
    ct_name name = ct_intern_text(s->ctx, symbol);
    return name < s->names ? s->value[name] : NAN;
}

static inline void give_inputs(study *s, const point *at)
{
    char symbol[64], inner[48];
    for (int i = 0; i < MOST_PARTS; i++) {
        snprintf(symbol, sizeof symbol, "u%d", i);
        for (int order = 0; order < MOST_INPUT_ORDER; order++) {
            give(s, symbol, at->input[i][order]);
            snprintf(inner, sizeof inner, "%.40s", symbol);
            snprintf(symbol, sizeof symbol, "der(%s)", inner);
        }
    }
}

/* Names are numbered from 1; all that expressions hold exist by now. */
static inline void open_point(study *s, const point *at)
{
    s->names = s->ctx->names.count + 1;
    s->value = malloc(s->names * sizeof *s->value);
    assert_non_null(s->value);
    for (uint32_t i = 0; i < s->names; i++)
        s->value[i] = NAN;
    for (uint32_t i = 0; i < s->model->quantity_count; i++)
        s->value[s->model->quantity[i].name] = s->model->quantity_value[i];
    give_inputs(s, at);
    give(s, "t", 0.25);
}

static inline const char *unknown_name(const study *s, uint32_t unknown)
{
    return ct_name_text(s->ctx, s->system->unknown[unknown].name);
}

static inline double look_up(const void *user, ct_name symbol)
{
    const study *s = user;
    bool known = symbol < s->names && !isnan(s->value[symbol]);
    return known ? s->value[symbol] : s->ghost;
}

static inline double value_with(study *s, ct_expr e, double ghost)
{
    s->ghost = ghost;
    return ct_expr_value(s->system->pool, e, look_up, s);
}

/* Nodes are shared by value, so that one may hold a symbol on which it does not depend: a ghost, as
 * u in (x + u) - u. NaN: it does depend on something that has no value. */
static inline double value_of(study *s, ct_expr e)
{
    double value = e ? value_with(s, e, NAN) : NAN;
    if (!e || !isnan(value))
        return value;
    value = value_with(s, e, 0);
    return fabs(value - value_with(s, e, 0.75)) <= 1e-12 * (1 + fabs(value)) ? value : NAN;
}

/* ---- dense matrices by rows */

/* b becomes the solution; false: singular. */
static inline bool solve_dense(double *a, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        for (int j = 0; j < n; j++) {
            double keep = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = keep;
        }
        double keep = b[k];
        b[k] = b[best];
        b[best] = keep;
        if (!(fabs(a[k * n + k]) > 1e-300))
            return false;
        for (int i = 0; i < n; i++) {
            double f = i == k ? 0 : a[i * n + k] / a[k * n + k];
            for (int j = k; j < n && f != 0; j++)
                a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = 0; k < n; k++)
        b[k] /= a[k * n + k];
    return true;
}

/* ---- algebraic unknowns by Newton's method, damped */

enum { MOST_ALGEBRAIC = 40 };

typedef struct newton {
    study *s;
    int n;
    ct_expr slope[MOST_ALGEBRAIC * MOST_ALGEBRAIC];
    double a[MOST_ALGEBRAIC * MOST_ALGEBRAIC], w[MOST_ALGEBRAIC], step[MOST_ALGEBRAIC];
} newton;

static inline void place_algebraic(newton *x, double share)
{
    for (int i = 0; i < x->n; i++)
        x->s->value[x->s->system->unknown[x->s->reduced->algebraic[i]].name] =
            x->w[i] - share * x->step[i];
}

static inline double residual_size(newton *x, double *residual)
{
    double size = 0;
    for (int i = 0; i < x->n; i++) {
        double g = value_of(x->s, x->s->reduced->residual[i]);
        if (residual)
            residual[i] = g;
        size += g * g;
    }
    return isnan(size) ? INFINITY : sqrt(size);
}

static inline void find_slopes(void *user)
{
    newton *x = user;
    const ct_reduced *r = x->s->reduced;
    for (int i = 0; i < x->n; i++)
        for (int k = 0; k < x->n; k++)
            x->slope[i * x->n + k] = ct_expr_diff(x->s->system->pool, r->residual[i],
                                                  x->s->system->unknown[r->algebraic[k]].name);
}

static inline bool newton_step(newton *x)
{
    double before = residual_size(x, x->step), share = 1;
    for (int i = 0; i < x->n * x->n; i++)
        x->a[i] = value_of(x->s, x->slope[i]);
    if (!solve_dense(x->a, x->step, x->n))
        return false;
    place_algebraic(x, share);
    while (share > 1e-6 && residual_size(x, NULL) > before * (1 - share / 4) && before > 1e-13)
        place_algebraic(x, share /= 2);
    for (int i = 0; i < x->n; i++)
        x->w[i] -= share * x->step[i];
    return true;
}

/* From the values that the unknowns have now; false: it does not converge, or only slowly, to a
 * double root such as that of q*abs(q) = 0. */
static inline bool solve_algebraic(study *s)
{
    static newton x;
    x.s = s;
    x.n = (int)s->reduced->algebraic_count;
    if (x.n == 0)
        return true;
    assert_true(x.n <= MOST_ALGEBRAIC);
    for (int i = 0; i < x.n; i++)
        x.w[i] = s->value[s->system->unknown[s->reduced->algebraic[i]].name];
    assert_int_equal(ct_protect(s->ctx, find_slopes, &x), CT_OK);
    for (int round = 0; round < 60; round++) {
        double step = 0, size = 1;
        if (!newton_step(&x))
            return false;
        for (int i = 0; i < x.n; i++) {
            step = fmax(step, fabs(x.step[i]));
            size = fmax(size, fabs(x.w[i]));
        }
        if (step < 1e-12 * size)
            return round < 40 && residual_size(&x, NULL) < 1e-9;
    }
    return false;
}

/* ---- all variables of a network at a point */

typedef struct solution {
    double across[MOST_PARTS][2], through[MOST_PARTS][2], position[MOST_PARTS],
        potential[MOST_NODES];
} solution;

static inline double *solution_at(solution *x, const output_row *r)
{
    switch (r->kind) {
    case ACROSS:
        return &x->across[r->index][r->edge];
    case THROUGH:
        return &x->through[r->index][r->edge];
    case POSITION:
        return &x->position[r->index];
    case POTENTIAL:
        return &x->potential[r->index];
    }
    return NULL;
}

static inline void read_outputs(study *s, const network *n, solution *x)
{
    output_row row[MOST_ROWS];
    int count = list_rows(n, row);
    memset(x, 0, sizeof *x);
    for (int i = 0; i < count; i++)
        *solution_at(x, &row[i]) = value_of(s, s->output[i]);
}

/* Value of the variable of that symbol; NaN: the network has no such variable. */
static inline double variable_of(const network *n, solution *x, const char *symbol)
{
    output_row row[MOST_ROWS];
    char own[64];
    int count = list_rows(n, row);
    for (int i = 0; i < count; i++) {
        row_symbol(n, &row[i], false, own, sizeof own);
        if (strcmp(own, symbol) == 0)
            return *solution_at(x, &row[i]);
    }
    return NAN;
}

/* Random states and inputs; false: the algebraic unknowns were not found. */
static inline bool random_point(study *s, const network *n, point *at, solution *x)
{
    for (int i = 0; i < MOST_PARTS; i++)
        for (int k = 0; k < MOST_INPUT_ORDER; k++)
            at->input[i][k] = symmetric(2);
    open_point(s, at);
    for (uint32_t i = 0; i < s->reduced->state_count; i++)
        give(s, unknown_name(s, s->reduced->state[i]), symmetric(2));
    for (int trial = 0; trial < 12; trial++) {
        for (uint32_t i = 0; i < s->reduced->algebraic_count; i++)
            give(s, unknown_name(s, s->reduced->algebraic[i]), symmetric(trial + 0.5));
        if (!solve_algebraic(s))
            continue;
        read_outputs(s, n, x);
        return true;
    }
    return false;
}

/* ---- regular or singular: the tableau over potentials, across and through variables
 *
 *     sum of through variables = 0   at every node but the datum
 *     across - (tail - head) = 0     (mechanical: head - tail)
 *     terminal equations
 *
 * at a random s, modulo a prime. */

enum { MOST_COLUMNS = MOST_NODES + 4 * MOST_PARTS };

typedef struct pencil {
    uint64_t prime, s;
    int columns, rows, first_across, first_through;
    uint64_t at[MOST_COLUMNS][MOST_COLUMNS];
} pencil;

static inline uint64_t power_mod(uint64_t base, uint64_t exponent, uint64_t prime)
{
    uint64_t result = 1;
    for (; exponent; exponent >>= 1, base = base * base % prime)
        if (exponent & 1)
            result = result * base % prime;
    return result;
}

static inline void add_mod(pencil *m, int column, uint64_t value)
{
    m->at[m->rows][column] = (m->at[m->rows][column] + value) % m->prime;
}

/* One term such as "-a.s.v1"; returns what follows it. */
static inline const char *add_term(pencil *m, const part *p, int first_edge, const char *c)
{
    uint64_t factor = *c++ == '-' ? m->prime - 1 : 1;
    for (; c[1] == '.'; c += 2) {
        uint64_t f = m->s;
        if (*c == 'h')
            f = power_mod(2, m->prime - 2, m->prime);
        else if (*c != 's')
            f = (uint64_t)p->value[*c - 'a'] * power_mod(MILLION, m->prime - 2, m->prime) %
                m->prime;
        factor = factor * f % m->prime;
    }
    int base = *c == 'v' ? m->first_across : m->first_through;
    add_mod(m, base + first_edge + (c[1] - '1'), factor);
    return c + 2;
}

static inline void add_terminal_rows(pencil *m, const part *p, int first_edge)
{
    for (const char *c = p->kind->equations; *c;) {
        if (*c == '+' || *c == '-')
            c = add_term(m, p, first_edge, c);
        else
            m->rows += *c++ == ';';
    }
    m->rows++;
}

static inline bool is_regular(pencil *m)
{
    for (int k = 0; k < m->columns; k++) {
        int pivot = k;
        while (pivot < m->rows && !m->at[pivot][k])
            pivot++;
        if (pivot == m->rows)
            return false;
        for (int j = k; j < m->columns; j++) {
            uint64_t keep = m->at[k][j];
            m->at[k][j] = m->at[pivot][j];
            m->at[pivot][j] = keep;
        }
        uint64_t inverse = power_mod(m->at[k][k], m->prime - 2, m->prime);
        for (int i = k + 1; i < m->rows; i++) {
            uint64_t f = m->at[i][k] ? m->prime - m->at[i][k] * inverse % m->prime : 0;
            for (int j = k; j < m->columns && f; j++)
                m->at[i][j] = (m->at[i][j] + f * m->at[k][j]) % m->prime;
        }
    }
    return true;
}

static inline void add_edge_rows(pencil *m, const network *n, const int *column)
{
    int edge = 0;
    for (int i = 0; i < n->parts; i++)
        for (int e = 0; e < edges_of(n->part[i].kind); e++, edge++, m->rows++) {
            const int *node = &n->part[i].node[2 * e];
            bool mechanical = n->part[i].kind->domain[e] >= TRANS;
            add_mod(m, m->first_across + edge, 1);
            for (int k = 0; k < 2; k++)
                if (column[node[k]] >= 0)
                    add_mod(m, column[node[k]], (k == 0) == mechanical ? 1 : m->prime - 1);
        }
}

static inline void add_node_rows(pencil *m, const network *n, const int *column)
{
    for (int v = 0; v < n->nodes; v++) {
        int edge = 0;
        for (int i = 0; i < n->parts; i++)
            for (int e = 0; e < edges_of(n->part[i].kind); e++, edge++)
                for (int k = 0; k < 2; k++)
                    if (column[v] >= 0 && n->part[i].node[2 * e + k] == v)
                        add_mod(m, m->first_through + edge, k ? m->prime - 1 : 1);
        m->rows += column[v] >= 0;
    }
}

static inline bool regular_modulo(const network *n, uint64_t prime)
{
    static pencil m;
    int column[MOST_NODES], edges = 0, first_edge = 0;
    memset(&m, 0, sizeof m);
    m.prime = prime;
    m.s = 2 + below(2000000000);
    for (int i = 0; i < n->parts; i++)
        edges += edges_of(n->part[i].kind);
    for (int v = 0; v < n->nodes; v++)
        column[v] = is_datum(n, v) || !is_used(n, v) ? -1 : m.first_across++;
    m.first_through = m.first_across + edges;
    m.columns = m.first_through + edges;
    add_node_rows(&m, n, column);
    add_edge_rows(&m, n, column);
    for (int i = 0; i < n->parts; i++) {
        add_terminal_rows(&m, &n->part[i], first_edge);
        first_edge += edges_of(n->part[i].kind);
    }
    assert_int_equal(m.rows, m.columns);
    return is_regular(&m);
}

/* A wrong "singular" has a chance below 1e-15. */
static inline bool is_well_posed(const network *n)
{
    return regular_modulo(n, 2147483647) || regular_modulo(n, 2147483629);
}

#endif
