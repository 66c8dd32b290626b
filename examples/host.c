/* host.c - a program that uses Cotree through its public interface alone: it reads a model, lists
 * its states, walks an equation, and runs the model in two threads with two values of a parameter.
 *
 *     gcc host.c -o host $(pkg-config --static --cflags --libs cotree) -pthread
 *     ./host MODEL PARAMETER FACTOR
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cotree/cotree.h>

/* ---- reading */

typedef struct host {
    ct_context *ctx;
    const ct_tree *tree;
    const ct_equations *equations;
    ct_simulator *simulator;
} host;

static int fail(ct_context *ctx, ct_status status)
{
    const char *text;
    if (ct_diag_render(ctx, CT_DIAG_TEXT, &text) == CT_OK)
        fputs(text, stderr);
    fprintf(stderr, "host: %s\n", ct_status_text(status));
    return 1;
}

static ct_status read_model(host *h, const char *path)
{
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    ct_status status = ct_read_file(h->ctx, path, &syntax);
    if (status == CT_OK)
        status = ct_build(h->ctx, syntax, NULL, &model);
    if (status == CT_OK)
        status = ct_make_graph(h->ctx, model, &graph);
    if (status == CT_OK)
        status = ct_choose_tree(h->ctx, graph, NULL, &h->tree);
    if (status == CT_OK)
        status = ct_derive(h->ctx, h->tree, NULL, &h->equations);
    if (status == CT_OK)
        status = ct_make_simulator(h->ctx, h->tree, NULL, &h->simulator);
    return status;
}

/* ---- what the equations are about */

static void list(const host *h, ct_variable_kind kind, const char *title)
{
    const ct_variable *v;
    for (size_t i = 0; (v = ct_variable_at(h->equations, kind, i)); i++) {
        const char *file, *text;
        uint32_t line, column;
        printf("%s %s [%s]", title, v->name, v->unit);
        if (ct_show_expr(h->ctx, h->equations, v->start ? v->start : v->value, &text) == CT_OK)
            printf(" %s %s", v->start ? "starts at" : "=", text);
        if (!isnan(v->number))
            printf(" (%g)", v->number);
        if (ct_locate(h->ctx, v->place, &file, &line, &column))
            printf("  line %u", line);
        printf("\n");
    }
}

/* ---- an equation, node by node */

static void indent(int depth)
{
    printf("%*s", 4 * depth, "");
}

static void walk(const ct_equations *e, ct_expr x, int depth)
{
    static const char *const kinds[] = {"number", "symbol", "sum", "product", "call"};
    ct_expr_view v = ct_expr_at(e, x);
    printf("%s", kinds[v.kind]);
    if (v.word)
        printf(" %s", v.word);
    if (v.kind == CT_EXPR_NUMBER || v.kind == CT_EXPR_SUM || v.kind == CT_EXPR_PRODUCT)
        printf(" %g", v.number);
    printf("\n");
    for (uint32_t i = 0; i < v.count; i++) {
        double factor;
        ct_expr operand = ct_operand_at(e, x, i, &factor);
        indent(depth + 1);
        if (factor != 1)
            printf("%s%g ", v.kind == CT_EXPR_SUM ? "" : "^", factor);
        walk(e, operand, depth + 1);
    }
}

/* ---- two threads */

typedef struct worker {
    ct_context *ctx;
    ct_simulator *simulator;
    const ct_result *result;
    ct_status status;
} worker;

static void *work(void *user)
{
    worker *w = user;
    w->status = ct_run(w->ctx, w->simulator, NULL, &w->result);
    return NULL;
}

static ct_status open_worker(worker *w, const host *h, const char *parameter, double value)
{
    w->ctx = ct_context_new(NULL);
    if (!w->ctx)
        return CT_ERR_MEMORY;
    ct_status status = ct_clone_simulator(h->simulator, w->ctx, &w->simulator);
    return status == CT_OK ? ct_set_parameter(w->ctx, w->simulator, parameter, value) : status;
}

static void print_end(const worker *w, double value)
{
    const ct_rows *rows = &w->result->outputs;
    const double *last = rows->value + (rows->count - 1) * rows->cols;
    printf("with %g:", value);
    for (uint32_t i = 0; i < rows->cols; i++)
        printf(" %s = %.6g", rows->name[i], last[i]);
    printf("\n");
}

static int run_both(const host *h, const char *parameter, double first, double second)
{
    double value[2] = {first, second};
    worker w[2] = {{0}};
    pthread_t thread[2];
    ct_status status = CT_OK;
    for (int i = 0; i < 2 && status == CT_OK; i++)
        status = open_worker(&w[i], h, parameter, value[i]);
    int started = 0;
    while (status == CT_OK && started < 2 &&
           pthread_create(&thread[started], NULL, work, &w[started]) == 0)
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 2; i++) {
        if (i < started && w[i].status == CT_OK)
            print_end(&w[i], value[i]);
        else if (w[i].ctx)
            fail(w[i].ctx, status == CT_OK ? w[i].status : status);
        ct_context_free(w[i].ctx);
    }
    return started < 2 || w[0].status != CT_OK || w[1].status != CT_OK;
}

/* ---- */

static const ct_variable *find_parameter(const host *h, const char *name)
{
    const ct_variable *v;
    for (size_t i = 0; (v = ct_variable_at(h->equations, CT_VARIABLE_PARAMETER, i)); i++)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

static int use(const host *h, const char *parameter, double factor)
{
    const ct_variable *p = find_parameter(h, parameter);
    list(h, CT_VARIABLE_STATE, "state");
    list(h, CT_VARIABLE_ALGEBRAIC, "unknown");
    list(h, CT_VARIABLE_INPUT, "input");
    list(h, CT_VARIABLE_OUTPUT, "output");
    list(h, CT_VARIABLE_PARAMETER, "parameter");
    if (ct_rate_at(h->equations, 0)) {
        printf("the rate of %s: ", ct_variable_at(h->equations, CT_VARIABLE_STATE, 0)->name);
        walk(h->equations, ct_rate_at(h->equations, 0), 0);
    }
    if (!p) {
        fprintf(stderr, "host: there is no parameter %s\n", parameter);
        return 1;
    }
    return run_both(h, parameter, p->number, factor * p->number);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: host MODEL PARAMETER FACTOR\n");
        return 2;
    }
    host h = {.ctx = ct_context_new(NULL)};
    if (!h.ctx)
        return 70;
    ct_status status = read_model(&h, argv[1]);
    int code = status == CT_OK ? use(&h, argv[2], atof(argv[3])) : fail(h.ctx, status);
    ct_context_free(h.ctx);
    return code;
}
