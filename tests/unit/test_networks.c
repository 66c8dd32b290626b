/* test_networks.c - random networks: refused or not, invariant under what does not matter.
 *
 * Every right-hand side is evaluated at random states and inputs (with random derivatives of the
 * inputs), so that nothing depends on solvers. */
#include "test_networks_study.h"

/* ---- singular networks are refused, regular ones are not */

static void wild_network(network *n, uint64_t seed, style s)
{
    begin_network(n, seed, 2, 3);
    for (uint32_t i = 3 + below(9); i > 0; i--)
        add_anywhere(n, some_kind("", "n", n), s);
}

static bool known_refusal(const char *codes)
{
    static const char known[] = "E310 E311 E313 E314 E510 E511 ";
    for (const char *c = codes; *c; c += 5) {
        char code[8];
        snprintf(code, sizeof code, "%.5s", c);
        if (!strstr(known, code))
            return false;
    }
    return *codes;
}

static int failures;

/* Compares the program's answer with the rank test; true: accepted. */
static bool answer_is_right(const network *n, ct_form form, uint64_t seed)
{
    char *text = write_network(n, NULL, NULL);
    study s = study_text(text, form, NULL);
    bool regular = is_well_posed(n), accepted = s.reduced != NULL;
    if (accepted != regular || (!accepted && !known_refusal(s.code))) {
        failures++;
        printf("seed %llu form %d: %s, but cotree says %s\n%s%s\n", (unsigned long long)seed,
               (int)form, regular ? "regular" : "singular", accepted ? "yes" : s.code, text,
               errors_of(&s));
    }
    close_study(&s);
    free(text);
    return accepted;
}

static void test_refusals(void **state)
{
    (void)state;
    network n;
    int accepted = 0, count = cases_of(900);
    failures = 0;
    for (int i = 0; i < count; i++) {
        wild_network(&n, (uint64_t)i + 1, (style)(i % 3));
        accepted += answer_is_right(&n, (ct_form)(i / 3 % 3), (uint64_t)i + 1);
    }
    print_message("%d networks, %d accepted, %d answers wrong\n", count, accepted, failures);
    assert_int_equal(failures, 0);
}

/* ---- what does not matter */

/* A network in another guise, with the values that its variables must have. */
typedef struct variant {
    const char *what;
    network n;
    solution want;
    ct_form form;
    wish_fn *wish;
} variant;

static void turn_parts(variant *v)
{
    for (int i = 0; i < v->n.parts; i++) {
        if (!has(v->n.part[i].kind, 'r') || one_in(2))
            continue;
        v->n.part[i].turned = true;
        v->want.across[i][0] *= -1;
        v->want.through[i][0] *= -1;
        v->want.position[i] *= -1;
    }
}

/* Other names, in another order of the alphabet. */
static void rename_all(variant *v)
{
    for (int i = 0; i < v->n.parts; i++)
        snprintf(v->n.part[i].name, sizeof v->n.part[i].name, "%c%d_%d", 'A' + (i * 7 + 3) % 26,
                 (i * 5 + 2) % 11, i);
    for (int i = 0; i < v->n.nodes; i++)
        snprintf(v->n.node[i].name, sizeof v->n.node[i].name, "%c_%d", 'z' - (i * 11 + 5) % 26, i);
}

static void permute(variant *v)
{
    shuffle(v->n.order, v->n.parts);
    v->n.late = true;
}

static void use_symbols(variant *v)
{
    for (int i = 0; i < v->n.parts; i++)
        v->n.part[i].symbolic = !v->n.part[i].symbolic;
}

/* Two in series: a quarter and three quarters of a resistance, twice a conductance each. */
static void split_one(variant *v)
{
    int at = (int)below((uint32_t)v->n.parts), tries = 0;
    while (!has(v->n.part[at].kind, 'R') && !has(v->n.part[at].kind, 'G') && tries++ < MOST_PARTS)
        at = (at + 1) % v->n.parts;
    part *p = &v->n.part[at];
    bool conducts = has(p->kind, 'G');
    if (tries >= MOST_PARTS)
        return;
    int old = p->value[0], middle = new_node(&v->n, p->kind->domain[0]), k = v->n.parts;
    double share = conducts ? 0.5 : 0.25, sign = p->kind->domain[0] >= TRANS ? 1 : -1;
    part *q = new_part(&v->n, p->kind);
    q->node[0] = middle;
    q->node[1] = p->node[1];
    p->node[1] = middle;
    p->value[0] = conducts ? 2 * old : old / 4;
    q->value[0] = conducts ? 2 * old : old - old / 4;
    v->want.through[k][0] = v->want.through[at][0];
    v->want.across[k][0] = (1 - share) * v->want.across[at][0];
    v->want.across[at][0] *= share;
    v->want.potential[middle] = v->want.potential[p->node[0]] + sign * v->want.across[at][0];
}

/* Another node becomes ground, unless something stands on the ground by itself. */
static void move_datum(variant *v)
{
    bool fixed[DOMAINS] = {false};
    for (int i = 0; i < v->n.parts; i++)
        if (has(v->n.part[i].kind, 'm'))
            fixed[v->n.part[i].kind->domain[0]] = true;
    for (domain d = ELEC; d < DOMAINS; d++) {
        if (v->n.datum[d] < 0 || fixed[d])
            continue;
        int datum = some_node(&v->n, d, -1);
        if (!is_used(&v->n, datum))
            continue;
        double shift = v->want.potential[datum];
        for (int i = 0; i < v->n.nodes; i++)
            if (v->n.node[i].domain == d)
                v->want.potential[i] -= shift;
        v->n.datum[d] = datum;
    }
}

static void same(variant *v)
{
    (void)v;
}

/* ---- random trees: across drivers, then anything but through drivers */

static int root_of(const int *set, int i)
{
    while (set[i] != i)
        i = set[i];
    return i;
}

static ct_tree_choice random_tree(const ct_graph *g)
{
    static const char *name[2 * MOST_PARTS];
    int order[2 * MOST_PARTS], set[MOST_NODES + DOMAINS];
    ct_tree_choice choice = ct_default_tree_choice();
    choice.prefer = name;
    for (int i = 0; i < (int)g->edge_count; i++)
        order[i] = i;
    for (int i = 0; i < (int)g->node_count; i++)
        set[i] = i;
    shuffle(order, (int)g->edge_count);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < (int)g->edge_count; i++) {
            const ct_graph_edge *e = &g->edge[order[i]];
            int a = root_of(set, (int)e->tail), b = root_of(set, (int)e->head);
            bool now = (e->class == CT_ACROSS_DRIVER && !e->coupling) == (round == 0);
            if (!now || a == b || (e->class == CT_THROUGH_DRIVER && !e->coupling))
                continue;
            set[a] = b;
            name[choice.prefer_count++] = ct_name_text(g->ctx, e->name);
        }
    if (one_in(2))
        choice.prefer_count = below(choice.prefer_count + 1);
    return choice;
}

static const struct guise {
    const char *what;
    void (*change)(variant *v);
    ct_form form;
    wish_fn *wish;
} guises[] = {
    {"branch-chord form", same, CT_FORM_BRANCH_CHORD, NULL},
    {"tableau form", same, CT_FORM_TABLEAU, NULL},
    {"turned parts", turn_parts, CT_FORM_NODAL, NULL},
    {"other names", rename_all, CT_FORM_NODAL, NULL},
    {"other order", permute, CT_FORM_NODAL, NULL},
    {"parameters for numbers", use_symbols, CT_FORM_NODAL, NULL},
    {"a resistor in two", split_one, CT_FORM_NODAL, NULL},
    {"another ground", move_datum, CT_FORM_NODAL, NULL},
    {"another tree", same, CT_FORM_NODAL, random_tree},
    {"another tree, branch-chord", same, CT_FORM_BRANCH_CHORD, random_tree},
    {"another tree, tableau", same, CT_FORM_TABLEAU, random_tree},
};

enum { GUISES = sizeof guises / sizeof *guises };

/* ---- comparing */

static double size_of(const network *n, solution *x)
{
    output_row row[MOST_ROWS];
    int count = list_rows(n, row);
    double size = 1;
    for (int i = 0; i < count; i++)
        size = fmax(size, fabs(*solution_at(x, &row[i])));
    return size;
}

/* The first variable that is not as wanted; NULL: all are. */
/* Comparisons in which another tree divides by zero just there: few are allowed. */
static int undefined;

static const char *worst_variable(const network *n, solution *got, solution *want)
{
    static char text[160];
    output_row row[MOST_ROWS];
    char symbol[64];
    int count = list_rows(n, row);
    double size = size_of(n, want);
    for (int i = 0; i < count; i++) {
        double a = *solution_at(got, &row[i]), b = *solution_at(want, &row[i]);
        if (fabs(a - b) <= 1e-8 * (fabs(b) + 1e-2 * size))
            continue;
        if (isnan(a)) {
            assert_true(++undefined < 20);
            return NULL;
        }
        row_symbol(n, &row[i], false, symbol, sizeof symbol);
        snprintf(text, sizeof text, "%s is %.12g, not %.12g", symbol, a, b);
        return text;
    }
    return NULL;
}

/* States and guesses of algebraic unknowns by the wanted values; a state that is no variable of an
 * edge would be a mistake. */
static const char *place_variant(study *s, variant *v, const point *at)
{
    open_point(s, at);
    for (uint32_t i = 0; i < s->reduced->state_count; i++) {
        const char *name = unknown_name(s, s->reduced->state[i]);
        give(s, name, variable_of(&v->n, &v->want, name));
        if (isnan(taken(s, name)))
            return name;
    }
    for (uint32_t i = 0; i < s->reduced->algebraic_count; i++) {
        const char *name = unknown_name(s, s->reduced->algebraic[i]);
        double guess = variable_of(&v->n, &v->want, name);
        give(s, name, isnan(guess) ? 0.1 : guess);
    }
    return NULL;
}

static const char *broken_constraint(study *s)
{
    for (uint32_t i = 0; i < s->reduced->constraint_count; i++) {
        uint32_t u = s->reduced->dependent[i];
        s->value[s->system->unknown[u].name] = value_of(s, s->reduced->value[u]);
    }
    for (uint32_t i = 0; i < s->reduced->constraint_count; i++)
        if (!(fabs(value_of(s, s->reduced->constraint[i])) < 1e-7))
            return unknown_name(s, s->reduced->dependent[i]);
    return NULL;
}

static const char unsolved[] = "algebraic unknowns not found";

static const char *compare_variant(study *s, variant *v, const point *at)
{
    static char text[240];
    solution got;
    if (!s->reduced)
        return errors_of(s);
    const char *wrong = place_variant(s, v, at);
    if (!wrong && !solve_algebraic(s))
        return unsolved;
    read_outputs(s, &v->n, &got);
    wrong = wrong ? wrong : worst_variable(&v->n, &got, &v->want);
    if (wrong)
        return wrong;
    wrong = broken_constraint(s);
    snprintf(text, sizeof text, "constraint of %.100s", wrong ? wrong : "");
    return wrong ? text : NULL;
}

typedef struct tally {
    int networks, refused, unsolved, with_constraints, with_algebraic, trees_refused;
} tally;

static bool is_linear(const network *n)
{
    for (int i = 0; i < n->parts; i++)
        if (has(n->part[i].kind, 'n'))
            return false;
    return true;
}

static bool stores_nonlinearly(const network *n)
{
    for (int i = 0; i < n->parts; i++)
        if (has(n->part[i].kind, 'n') && has(n->part[i].kind, 'X'))
            return true;
    return false;
}

static void print_tree(const study *s)
{
    printf("# tree");
    for (uint32_t i = 0; s->tree && i < s->tree->branch_count; i++)
        printf("%s %s", i ? "," : "",
               ct_name_text(s->ctx, s->graph->edge[s->tree->branch[i]].name));
    printf("\n");
}

static void report_guise(const network *n, const variant *v, const study *s, const char *wrong,
                         const char *text, uint64_t seed)
{
    char *original = write_network(n, NULL, NULL);
    failures++;
    printf("seed %llu form %d: %s: %s\n%s", (unsigned long long)seed, (int)v->form, v->what, wrong,
           text);
    print_tree(s);
    printf("# from\n%s\n", original);
    free(original);
}

/* A tree that makes a nonlinear relation a constraint between states may be refused, or leave
 * equations of higher index. */
static void check_guise(const network *n, const solution *x, const point *at,
                        const struct guise *how, uint64_t seed, tally *count)
{
    static variant v;
    v = (variant){how->what, *n, *x, how->form, how->wish};
    if (how->wish && stores_nonlinearly(n))
        return; /* constraints that bend: beyond exact elimination */
    how->change(&v);
    char *text = write_network(&v.n, NULL, NULL);
    study s = study_text(text, v.form, v.wish);
    const char *wrong = compare_variant(&s, &v, at);
    bool given_up = !s.reduced || wrong == unsolved;
    bool special = how->change == use_symbols && !n->generic; /* symbols do not show it */
    if (given_up && (v.wish || special) && !is_linear(n)) {
        count->trees_refused++;
    } else if (wrong) {
        report_guise(n, &v, &s, wrong, text, seed);
    }
    close_study(&s);
    free(text);
}

/* ---- Tellegen: in every domain, across times through sums to zero over all edges. It is power,
 * but for heat; the sum vanishes there, too. */

static void check_tellegen(const network *n, const solution *x, uint64_t seed)
{
    double sum[DOMAINS] = {0}, size[DOMAINS] = {0};
    for (int i = 0; i < n->parts; i++)
        for (int e = 0; e < edges_of(n->part[i].kind); e++) {
            double power = x->across[i][e] * x->through[i][e];
            sum[n->part[i].kind->domain[e]] += power;
            size[n->part[i].kind->domain[e]] += fabs(power);
        }
    for (domain d = ELEC; d < DOMAINS; d++) {
        if (fabs(sum[d]) <= 1e-10 * size[d] + 1e-18)
            continue;
        failures++;
        printf("seed %llu: Tellegen, domain %d: %g of %g\n", (unsigned long long)seed, (int)d,
               sum[d], size[d]);
    }
}

static void check_network(const network *n, uint64_t seed, tally *count)
{
    static solution x;
    point at;
    char *text = write_network(n, NULL, NULL);
    study s = study_text(text, CT_FORM_NODAL, NULL);
    count->networks++;
    if (!s.reduced) {
        count->refused++;
        if (is_linear(n) && is_well_posed(n)) {
            failures++;
            printf("seed %llu: refused: %s%s\n", (unsigned long long)seed, s.code, text);
        }
    } else if (!random_point(&s, n, &at, &x)) {
        count->unsolved++;
    } else {
        count->with_constraints += s.reduced->constraint_count > 0;
        count->with_algebraic += s.reduced->algebraic_count > 0;
        check_tellegen(n, &x, seed);
        for (int i = 0; i < GUISES; i++)
            check_guise(n, &x, &at, &guises[i], seed, count);
    }
    close_study(&s);
    free(text);
}

static void check_networks(int total, const char *unwanted)
{
    network n;
    tally count = {0};
    failures = undefined = 0;
    for (int i = 0; i < total; i++) {
        sane_network(&n, (uint64_t)i + 1, unwanted, (style)(i % 3));
        check_network(&n, (uint64_t)i + 1, &count);
    }
    print_message("%d networks: %d refused, %d unsolved, %d with dependent states, %d with "
                  "algebraic unknowns, %d trees refused, %d undefined, %d failures\n",
                  count.networks, count.refused, count.unsolved, count.with_constraints,
                  count.with_algebraic, count.trees_refused, undefined, failures);
    assert_int_equal(failures, 0);
}

static void test_linear_guises(void **state)
{
    (void)state;
    check_networks(cases_of(300), "n");
}

static void test_nonlinear_guises(void **state)
{
    (void)state;
    check_networks(cases_of(300), "");
}

/* ---- states: what stores keeps its own variable, as the graph says */

static void test_storage_is_state(void **state)
{
    (void)state;
    static const char text[] = "model geared\nparam n = 2\nT1 : torque(ground, a)  T = 1 N.m\n"
                               "J1 : inertia(a)  J = 1 kg.m^2\nG1 : gear(a, ground | b, ground)  "
                               "n = n\nJ2 : inertia(b)  J = 3 kg.m^2\noutput b.w\n";
    for (int form = 0; form < 3; form++) {
        study s = study_text(text, (ct_form)form, NULL);
        assert_non_null(s.reduced);
        assert_int_equal(s.reduced->state_count, 1);
        assert_string_equal(unknown_name(&s, s.reduced->state[0]), "J2.w");
        close_study(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_storage_is_state),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_linear_guises),
        cmocka_unit_test(test_nonlinear_guises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
