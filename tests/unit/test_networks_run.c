/* test_networks_run.c - runs of random networks: power, energy, other guises, and for linear ones
 * the matrix exponential. */
#include <signal.h>

#include "test_networks_study.h"

/* A run reports after some 1e5 steps of such a network; all of them here end before their first
 * report. */
enum { ROWS = 21, MOST_REPORTS = 5 };

static int failures;

static void complain(uint64_t seed, const char *what, const char *text)
{
    failures++;
    printf("seed %llu: %s\n%s\n", (unsigned long long)seed, what, text);
}

/* ---- one run */

/* A run that grows beyond all bounds takes ever smaller steps: it is broken off. */
static volatile sig_atomic_t late;

static void count_report(void *user, double time, double start, double stop)
{
    int *reports = user;
    (void)time, (void)start, (void)stop;
    late = ++*reports > MOST_REPORTS;
}

typedef struct tape {
    int rows, cols;
    double value[ROWS * (MOST_ROWS + 2)];
    char message[400]; /* what went wrong */
} tape;

static double at(const tape *t, int row, int col)
{
    return t->value[row * t->cols + col];
}

static void keep_rows(tape *t, const ct_rows *rows)
{
    t->rows = rows->count < ROWS ? (int)rows->count : ROWS;
    t->cols = (int)rows->cols;
    assert_true(t->cols <= MOST_ROWS + 2);
    memcpy(t->value, rows->value, (size_t)t->rows * rows->cols * sizeof *t->value);
}

static ct_simulation_def tight_def(double stop)
{
    static double times[ROWS];
    ct_simulation_def def = ct_default_simulation_def();
    for (int i = 0; i < ROWS; i++)
        times[i] = stop * i / (ROWS - 1);
    def.start = 0;
    def.stop = stop;
    def.tol = 1e-11;
    def.atol = 1e-13;
    def.times = times;
    def.time_count = ROWS;
    def.interrupted = &late;
    def.progress = count_report;
    return def;
}

/* Runs what the study holds; false: the message says why not. */
static bool run_study(study *s, double stop, tape *t)
{
    static const char *const form[] = {"nodal", "branch-chord", "tableau"};
    ct_simulator *simulator;
    ct_simulation_def def = tight_def(stop);
    const ct_result *result = NULL;
    t->message[0] = '\0';
    t->rows = 0;
    bool good = s->tree && ct_make_simulator(s->ctx, s->tree, form[s->form], &simulator) == CT_OK;
    int reports = 0;
    late = 0;
    def.user = &reports;
    good = good && ct_run(s->ctx, simulator, &def, &result) == CT_OK;
    if (good && result->interrupted)
        snprintf(t->message, sizeof t->message, "not done after %d reports", reports);
    else if (good)
        keep_rows(t, &result->outputs);
    else
        snprintf(t->message, sizeof t->message, "%.390s", errors_of(s));
    return !t->message[0];
}

static bool run_text(const char *text, ct_form form, double stop, tape *t)
{
    study s = study_text(text, form, NULL);
    bool good = run_study(&s, stop, t);
    close_study(&s);
    return good;
}

/* ---- texts for runs */

/* Inputs and their first two derivatives vanish at the start: rest is consistent. */
static void smooth_drive(FILE *out, int i)
{
    fprintf(out, " = %d.%d*sin(%d*t)^3", 1 + i % 2, i % 10, 1 + i % 4);
}

static void constant_drive(FILE *out, int i)
{
    fprintf(out, " = %s%d.%d", i % 3 ? "" : "-", 1 + i % 2, i % 10);
}

/* Power into all that does not store, integrated; heat aside. */
static void put_losses(FILE *out, const network *n)
{
    int count = 0;
    for (int i = 0; i < n->parts; i++) {
        const part *p = &n->part[i];
        bool stores =
            has(p->kind, 'c') || has(p->kind, 'l') || (has(p->kind, 'x') && !has(p->kind, 'A'));
        for (int e = 0; e < edges_of(p->kind); e++) {
            const struct domain_row *d = &domains[p->kind->domain[e]];
            if (stores || p->kind->domain[e] == THERM)
                continue;
            fprintf(out, "%s%s.%s.%s*%s.%s.%s", count++ ? " + " : "output integral(", p->name,
                    p->kind->edge[e], d->across, p->name, p->kind->edge[e], d->through);
        }
    }
    fprintf(out, count ? ") as lost\n" : "output 0 as lost\n");
}

/* Random initial values for the states of the usual formulation. */
static void put_initials(FILE *out, const network *n, const study *s)
{
    output_row row[MOST_ROWS];
    char symbol[64], path[64];
    int count = list_rows(n, row);
    for (uint32_t k = 0; k < s->reduced->state_count; k++)
        for (int i = 0; i < count; i++) {
            row_symbol(n, &row[i], false, symbol, sizeof symbol);
            if (strcmp(symbol, unknown_name(s, s->reduced->state[k])) != 0)
                continue;
            row_symbol(n, &row[i], true, path, sizeof path);
            fprintf(out, "initial %s = %.3f\n", path, symmetric(1));
        }
}

static char *extra_text(const network *n, const study *s, bool losses)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    if (s)
        put_initials(out, n, s);
    if (losses)
        put_losses(out, n);
    fclose(out);
    return text;
}

/* ---- power and energy */

static bool has_energy(const network *n)
{
    for (int i = 0; i < n->parts; i++)
        if (has(n->part[i].kind, 'X'))
            return false;
    return true;
}

/* Columns of the tape stand in the order of list_rows(). */
static void read_row(const network *n, const tape *t, int row, solution *x)
{
    output_row list[MOST_ROWS];
    int count = list_rows(n, list);
    memset(x, 0, sizeof *x);
    for (int i = 0; i < count; i++)
        *solution_at(x, &list[i]) = at(t, row, i + 1);
}

static double energy_of(const network *n, const solution *x)
{
    double energy = 0;
    for (int i = 0; i < n->parts; i++) {
        const kind *k = n->part[i].kind;
        double a = (double)n->part[i].value[0] / MILLION, v = 0;
        if (k->domain[0] == THERM)
            continue;
        if (has(k, 'c'))
            v = x->across[i][0];
        else if (has(k, 'l'))
            v = x->through[i][0];
        else if (has(k, 'x') && !has(k, 'A'))
            v = x->position[i];
        energy += a * v * v / 2;
    }
    return energy;
}

static double tellegen(const network *n, const solution *x)
{
    double sum[DOMAINS] = {0}, size[DOMAINS] = {0}, worst = 0;
    for (int i = 0; i < n->parts; i++)
        for (int e = 0; e < edges_of(n->part[i].kind); e++) {
            double power = x->across[i][e] * x->through[i][e];
            sum[n->part[i].kind->domain[e]] += power;
            size[n->part[i].kind->domain[e]] += fabs(power);
        }
    for (int d = 0; d < DOMAINS; d++)
        worst = fmax(worst, fabs(sum[d]) / (size[d] + 1e-12));
    return worst;
}

typedef struct balance {
    double power, energy; /* worst relative errors */
} balance;

static balance balance_of(const network *n, const tape *t)
{
    static solution x;
    balance worst = {0, 0};
    double start = 0, most = 1e-3;
    for (int r = 0; r < t->rows; r++) {
        read_row(n, t, r, &x);
        worst.power = fmax(worst.power, tellegen(n, &x));
        double energy = energy_of(n, &x), lost = at(t, r, t->cols - 1);
        start = r ? start : energy;
        most = fmax(most, fmax(energy, fabs(lost)));
        worst.energy = fmax(worst.energy, fabs(energy - start + lost) / most);
    }
    return worst;
}

/* ---- the same run in other guises */

/* Largest difference of two runs against the size of the column, with a part of the size of all. */
static double difference(const tape *a, const tape *b)
{
    double worst = 0, all = 1e-3;
    if (a->rows != b->rows || a->cols != b->cols)
        return INFINITY;
    for (int i = 0; i < a->rows; i++)
        for (int c = 1; c < a->cols; c++)
            all = fmax(all, fabs(at(a, i, c)));
    for (int c = 1; c < a->cols; c++) {
        double size = 0, most = 0;
        for (int i = 0; i < a->rows; i++) {
            size = fmax(size, fabs(at(a, i, c)));
            double d = fabs(at(a, i, c) - at(b, i, c));
            most = fmax(most, isnan(d) ? INFINITY : d);
        }
        worst = fmax(worst, most / (size + 1e-2 * all));
    }
    return worst;
}

static double largest(const tape *t)
{
    double size = 0;
    for (int i = 0; i < t->rows; i++)
        for (int c = 1; c < t->cols; c++)
            size = fmax(size, fabs(at(t, i, c)));
    return size;
}

typedef struct tally {
    int networks, refused, unstable;
    double power, energy, guise;
} tally;

static void compare_run(const tape *base, const char *text, ct_form form, const char *what,
                        uint64_t seed, tally *count)
{
    static tape other;
    char message[600];
    if (!run_text(text, form, at(base, base->rows - 1, 0), &other)) {
        snprintf(message, sizeof message, "%s: %s", what, other.message);
        complain(seed, message, text);
        return;
    }
    double d = difference(base, &other);
    count->guise = fmax(count->guise, d);
    if (d < 1e-8)
        return;
    snprintf(message, sizeof message, "%s: differs by %.3g", what, d);
    complain(seed, message, text);
}

/* Other forms, another order of statements; with initial values of the states of the first. */
static void check_guises(const network *n, const char *text, const char *extra, const tape *base,
                         uint64_t seed, tally *count)
{
    network other = *n;
    compare_run(base, text, CT_FORM_BRANCH_CHORD, "branch-chord", seed, count);
    compare_run(base, text, CT_FORM_TABLEAU, "tableau", seed, count);
    shuffle(other.order, other.parts);
    other.late = true;
    char *permuted = write_network(&other, smooth_drive, extra);
    compare_run(base, permuted, CT_FORM_NODAL, "another order", seed, count);
    free(permuted);
}

static void check_balance(const network *n, const tape *t, const char *text, uint64_t seed,
                          tally *count)
{
    char message[100];
    balance b = balance_of(n, t);
    count->power = fmax(count->power, b.power);
    if (has_energy(n))
        count->energy = fmax(count->energy, b.energy);
    if (b.power < 1e-10 && (!has_energy(n) || b.energy < 1e-7))
        return;
    snprintf(message, sizeof message, "power %.3g, energy %.3g", b.power, b.energy);
    complain(seed, message, text);
}

static void check_run(const network *n, uint64_t seed, tally *count)
{
    static tape t;
    char *plain = write_network(n, smooth_drive, NULL);
    study s = study_text(plain, CT_FORM_NODAL, NULL);
    count->networks++;
    count->refused += !s.reduced;
    if (s.reduced) {
        char *extra = extra_text(n, &s, true), *text = write_network(n, smooth_drive, extra);
        if (!run_text(text, CT_FORM_NODAL, 1.5, &t)) {
            complain(seed, t.message, text);
        } else if (largest(&t) > 1e5) {
            count->unstable++;
        } else {
            check_balance(n, &t, text, seed, count);
            check_guises(n, text, extra, &t, seed, count);
        }
        free(text);
        free(extra);
    }
    close_study(&s);
    free(plain);
}

static void check_runs(int total, uint64_t first, const char *unwanted)
{
    network n;
    tally count = {0};
    failures = 0;
    for (int i = 0; i < total; i++) {
        uint64_t seed = first + (uint64_t)i;
        sane_network(&n, seed, unwanted, (style)(seed % 3));
        check_run(&n, seed, &count);
    }
    print_message("%d networks: %d refused, %d grow too fast; worst power %.2g, energy %.2g, "
                  "guise %.2g; %d failures\n",
                  count.networks, count.refused, count.unstable, count.power, count.energy,
                  count.guise, failures);
    assert_int_equal(failures, 0);
}

static void test_linear_runs(void **state)
{
    (void)state;
    check_runs(cases_of(200), 1000, "n");
}

static void test_nonlinear_runs(void **state)
{
    (void)state;
    check_runs(cases_of(200), 5000, "q");
}

/* Seeds that once failed: large rationals, nodes shared with symbols that do not matter. */
static void test_known_seeds(void **state)
{
    (void)state;
    check_runs(1, 1712, "n");
    check_runs(1, 5672, "q");
    check_runs(1, 5831, "q");
}

/* ---- linear networks with constant inputs: the matrix exponential
 *
 *     x' = A x + b,   y = C x + d     with b, d from inputs that do not change
 *
 * [x; 1] goes with exp of the bordered matrix: Taylor's series after scaling, then squaring. */

enum { MOST_STATES = 40 };

typedef struct linear {
    int n; /* states; the bordered matrix is n + 1 wide */
    double a[(MOST_STATES + 1) * (MOST_STATES + 1)];
    double c[MOST_ROWS * (MOST_STATES + 1)];
} linear;

static void multiply(const double *a, const double *b, double *out, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += a[i * n + j] * b[j * n + k];
            out[i * n + k] = sum;
        }
}

/* out = exp(a t) */
static void exponential(const double *a, double t, double *out, int n)
{
    static double term[(MOST_STATES + 1) * (MOST_STATES + 1)],
        next[(MOST_STATES + 1) * (MOST_STATES + 1)], small[(MOST_STATES + 1) * (MOST_STATES + 1)];
    double norm = 0, scale = t;
    int squarings = 0, size = n * n;
    for (int i = 0; i < size; i++)
        norm = fmax(norm, fabs(a[i]) * n);
    for (; norm * scale > 0.25; scale /= 2)
        squarings++;
    for (int i = 0; i < size; i++) {
        small[i] = a[i] * scale;
        term[i] = out[i] = i % (n + 1) == 0;
    }
    for (int k = 1; k < 16; k++) {
        multiply(term, small, next, n);
        for (int i = 0; i < size; i++)
            out[i] += term[i] = next[i] / k;
    }
    for (; squarings > 0; squarings--) {
        multiply(out, out, next, n);
        memcpy(out, next, (size_t)size * sizeof *out);
    }
}

/* Slopes of e by the states, then its value at zero states. */
typedef struct slope_job {
    study *s;
    ct_expr e;
    double *row;
} slope_job;

static void find_slope(void *user)
{
    slope_job *job = user;
    const ct_reduced *r = job->s->reduced;
    for (uint32_t k = 0; k < r->state_count; k++) {
        ct_expr slope =
            ct_expr_diff(job->s->system->pool, job->e, job->s->system->unknown[r->state[k]].name);
        job->row[k] = value_of(job->s, slope);
    }
    job->row[r->state_count] = value_of(job->s, job->e);
}

static void linear_row(study *s, ct_expr e, double *row)
{
    slope_job job = {s, e, row};
    assert_int_equal(ct_protect(s->ctx, find_slope, &job), CT_OK);
}

static void make_linear(study *s, const network *n, linear *m)
{
    point u = {0};
    const ct_reduced *r = s->reduced;
    int wide = (int)r->state_count + 1;
    for (int i = 0; i < n->parts; i++)
        u.input[i][0] = (i % 3 ? 1 : -1) * (1 + i % 2 + i % 10 / 10.0);
    open_point(s, &u);
    for (uint32_t k = 0; k < r->state_count; k++)
        give(s, unknown_name(s, r->state[k]), 0);
    m->n = wide - 1;
    memset(m->a, 0, sizeof m->a);
    for (uint32_t k = 0; k < r->state_count; k++)
        linear_row(s, r->rate[k], &m->a[(int)k * wide]);
    for (uint32_t i = 0; i < s->model->output_count; i++)
        linear_row(s, s->output[i], &m->c[(int)i * wide]);
}

/* Values of the states in a row of the run. */
static void read_states(const study *s, const network *n, const tape *t, int row, double *x)
{
    static solution all;
    read_row(n, t, row, &all);
    for (uint32_t k = 0; k < s->reduced->state_count; k++)
        x[k] = variable_of(n, &all, unknown_name(s, s->reduced->state[k]));
    x[s->reduced->state_count] = 1;
}

static void predict(const linear *m, const tape *t, const double *x0, tape *out)
{
    static double e[(MOST_STATES + 1) * (MOST_STATES + 1)];
    double x[MOST_STATES + 1];
    int wide = m->n + 1;
    out->rows = t->rows;
    out->cols = t->cols;
    for (int r = 0; r < t->rows; r++) {
        exponential(m->a, at(t, r, 0), e, wide);
        for (int i = 0; i < wide; i++) {
            x[i] = 0;
            for (int k = 0; k < wide; k++)
                x[i] += e[i * wide + k] * x0[k];
        }
        out->value[r * t->cols] = at(t, r, 0);
        for (int c = 1; c < t->cols; c++) {
            double sum = 0;
            for (int k = 0; k < wide; k++)
                sum += m->c[(c - 1) * wide + k] * x[k];
            out->value[r * t->cols + c] = sum;
        }
    }
}

static void check_exponential(const network *n, uint64_t seed, tally *count)
{
    static tape t, want;
    static linear m;
    double x0[MOST_STATES + 1];
    char *plain = write_network(n, constant_drive, NULL), message[500];
    study first = study_text(plain, CT_FORM_NODAL, NULL);
    count->networks++;
    count->refused += !first.reduced;
    if (first.reduced) {
        char *extra = extra_text(n, &first, false), *text = write_network(n, constant_drive, extra);
        study s = study_text(text, CT_FORM_NODAL, NULL);
        if (!run_study(&s, 1, &t)) {
            complain(seed, t.message, text);
        } else if (largest(&t) > 1e5) {
            count->unstable++;
        } else {
            make_linear(&s, n, &m);
            read_states(&s, n, &t, 0, x0);
            predict(&m, &t, x0, &want);
            double d = difference(&want, &t);
            count->guise = fmax(count->guise, d);
            snprintf(message, sizeof message, "differs by %.3g from the exponential", d);
            if (!(d < 1e-10))
                complain(seed, message, text);
        }
        close_study(&s);
        free(text);
        free(extra);
    }
    close_study(&first);
    free(plain);
}

static void test_exponential(void **state)
{
    (void)state;
    network n;
    tally count = {0};
    failures = 0;
    for (int i = 0; i < cases_of(300); i++) {
        sane_network(&n, (uint64_t)i + 9000, "n", (style)(i % 3));
        check_exponential(&n, (uint64_t)i + 9000, &count);
    }
    print_message("%d networks: %d refused, %d grow too fast; worst difference %.2g; %d failures\n",
                  count.networks, count.refused, count.unstable, count.guise, failures);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_runs),
        cmocka_unit_test(test_nonlinear_runs),
        cmocka_unit_test(test_known_seeds),
        cmocka_unit_test(test_exponential),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
