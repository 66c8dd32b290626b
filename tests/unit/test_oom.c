/* test_oom.c - memory that runs out at every place: no crash, no leak, and the same result
 * afterwards.
 *
 * A run is the whole chain: read, build, graph, tree, texts of all kinds, diagnostics. It is made
 * with an allocator that refuses the n-th request, once or from then on, for every n until the run
 * never asks that often. Each refusal must end in CT_ERR_MEMORY or be of no consequence; a stage
 * that was refused once is called again in the same context and must give what it always gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/dice.h"
#include "unit/effort.h"

#include <cotree/cotree.h>

/* of one model in one mode: 10 models, 3 modes. Sanitizers try fewer places in the same time. */
enum { SWEEP_MILLISECONDS = 1200 };

enum { EVERY_ONE = 300 }; /* step 1 up to here, then growing */

/* ---- models: a file below the root, or a text */

static const char user_elements[] =
    "model users \"elements of the user with vars, choices and vectors\"\n"
    "element coil \"coil with losses\"\n"
    "  port p, n : electrical\n  edge e(p, n)\n  param L : H > 0, R : ohm >= 0 = 0\n"
    "  choice kind = plain | lossy\n  var flux : Wb\n"
    "  flux = L*e.i\n  e.v = der(flux) + R*e.i\nend\n"
    "element two_coils\n  port a, b : electrical\n  port c, d : electrical\n"
    "  edge e1(a, b), e2(c, d)\n  param M : H[2, 2] = [2, 1; 1, 3] H\n"
    "  [e1.v, e2.v] = M*[der(e1.i), der(e2.i)]\nend\n"
    "function twice(x) = 2*x\nparam R0 = 5 ohm\n"
    "V1 : vsource(a, ground)  v = twice(sin(2*pi*50*t))\n"
    "L1 : coil(a, b)  L = 1 mH, R = twice(R0)\nL2 : two_coils(b, ground | c, ground)\n"
    "R1 : resistor(c, ground)  R = R0\noutput L1.flux, L2.e1.v, R1.i\n";

static const char systems_repeat[] =
    "model cells \"systems in systems, repeat, if\"\nconst N = 3, odd = true\n"
    "system cell(p, n : electrical, u : signal) \"one cell\"\n  param R = 1 ohm\n"
    "  R1 : resistor(p, m)  R = R\n  C1 : capacitor(m, n)  C = 1 uF, v(0) = u\nend\n"
    "system pair(p, n : electrical)\n  A : cell(p, q, 1 V)  R = 2 ohm\n  B : cell(q, n, 2 V)\nend\n"
    "V1 : vsource(k0, ground)  v = 1 V\n"
    "repeat i = 1..N {\n  P{i} : pair(k{i-1}, k{i})\n"
    "  if i < 3 and odd { G{i} : resistor(k{i}, ground)  R = i*1 kohm } else "
    "{ L{i} : inductor(k{i}, ground)  L = 1 H }\n}\n"
    "tree V1, P1.A.C1\noutput P{N}.A.C1.v as \"last{N}\", k1.v\nplot k{N}.v over t \"end\"\n"
    "simulate stop = 1 ms, tol = 1e-6\n";

static const char bad_model[] =
    "model bad\nparam R = 1 kohm, C = Q\nV1 : vsource(a, ground) v = 5 V\nR1 : resistr(a, b) R = "
    "R\n"
    "R1 : resistor(a, b) R = RR\nC1 : capacitor(b) C = 1 F\nL1 : inductor(b, ground) L = [1, 2] H, "
    "M = 3\n"
    "x = = 3\nrepeat i = 1..k { S{i} : spring(b, ground) k = 1 }\noutput R9.i, foo(1)\ntree Z\n";

static const char big_numbers[] =
    "model big\nconst a = 123456789012345678901234567890, b = a*a*a/7, c = b^40 + 1/3\n"
    "param x = 1e300, y = 1e-300\nV1 : vsource(n, ground)  v = c/c^2*1 V\n"
    "R1 : resistor(n, ground)  R = (x*y + c - c)*1 ohm\n"
    "R2 : resistor(n, ground)  R = 0.1234567890123456789012345678901234567890\n"
    "output R1.i*sqrt(2)^81\n";

static const char unit_errors[] =
    "model units\nparam m = 2 kg, x\nV1 : vsource(a, ground)  v = 3 A\n"
    "R1 : resistor(a, b)  R = m*x + 1 s\nR2 : resistor(b, ground)  R = 10 V\n"
    "C1 : capacitor(b, ground)  C = sin(2 m)\nM1 : mass(k)  m = m + 1 m\noutput R1.v + R1.i\n"
    "S1 : spring(k, ground)  k = x\nS2 : spring(k, ground)  k = 1 N/m, l0 = x\n";

static const char ladder[] =
    "model ladder\nconst N = 20\nparam R0 = 1 kohm, C0 = 1 uF\ninput u : V = 1\n"
    "V1 : vsource(n0, ground)  v = u\n"
    "repeat i = 1..N {\n  R{i} : resistor(n{i-1}, n{i})  R = R0\n"
    "  C{i} : capacitor(n{i}, ground)  C = C0\n}\noutput n{N}.v\n";

static const struct sample {
    const char *name, *path, *text;
    ct_status status; /* of the last stage that ran */
    const char *last; /* format; drawings of many edges take long */
} samples[] = {
    {"rc_network", "models/rc_network/model.lg", NULL, CT_OK, "svg"},
    {"vibrating_1d", "models/vibrating_1d/model.lg", NULL, CT_OK, "svg"},
    {"motor", "tests/drafts/dc_motor_gear_load.lg", NULL, CT_OK, "svg"},
    {"induction_motor", "tests/drafts/induction_motor.lg", NULL, CT_OK, "svg"},
    {"user elements", NULL, user_elements, CT_OK, "svg"},
    {"systems and repeat", NULL, systems_repeat, CT_OK, "svg"},
    {"bad model", NULL, bad_model, CT_ERR_SYNTAX, "svg"},
    {"big numbers", NULL, big_numbers, CT_OK, "svg"},
    {"unit errors", NULL, unit_errors, CT_ERR_MODEL, "svg"},
    {"ladder of 20", NULL, ladder, CT_OK, "dot"},
    {"netlist", "tests/spice/hierarchy.cir", NULL, CT_OK, "dot"},
};

/* ---- the allocator */

typedef struct quota {
    size_t asked, refuse_at; /* requests so far; the one refused, from 1 (0: none) */
    bool forever;
    size_t blocks, held;
} quota;

static bool refuses(quota *q)
{
    q->asked++;
    return q->refuse_at && (q->forever ? q->asked >= q->refuse_at : q->asked == q->refuse_at);
}

static void *quota_realloc(void *user, void *block, size_t old_size, size_t new_size)
{
    quota *q = user;
    if (new_size == 0) {
        q->blocks -= block != NULL;
        q->held -= old_size;
        free(block);
        return NULL;
    }
    if (refuses(q))
        return NULL;
    void *moved = realloc(block, new_size);
    if (!moved)
        return NULL;
    q->blocks += block == NULL;
    q->held = q->held - old_size + new_size;
    return moved;
}

/* ---- the chain, each stage tried a second time when memory was refused once */

typedef struct run {
    const char *text;
    size_t shift; /* bytes held before: moves the places where an arena asks for more */
    ct_context *ctx;
    quota memory;
    bool retry;
    const char *last;
    buffer result; /* all texts, one behind the other */
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    const char *shown;
    size_t length;
    int way; /* of showing */
} run;

static ct_status shift_stage(run *r)
{
    char *blanks = malloc(r->shift + 1);
    const ct_syntax *nothing;
    memset(blanks, ' ', r->shift);
    ct_status status = ct_read_text(r->ctx, "shift.lg", blanks, r->shift, &nothing);
    free(blanks);
    return status;
}

static ct_status read_stage(run *r)
{
    const char *name = strstr(r->text, ".subckt") ? "oom.cir" : "oom.lg";
    return ct_read_text(r->ctx, name, r->text, strlen(r->text), &r->syntax);
}

static ct_status build_stage(run *r)
{
    return ct_build(r->ctx, r->syntax, NULL, &r->model);
}

static ct_status graph_stage(run *r)
{
    return ct_make_graph(r->ctx, r->model, &r->graph);
}

static ct_status tree_stage(run *r)
{
    return ct_choose_tree(r->ctx, r->graph, NULL, &r->tree);
}

static ct_status show_stage(run *r)
{
    return ct_show_graph(r->ctx, r->graph, r->tree,
                         ct_word_at(CT_WORD_GRAPH_FORMAT, (size_t)r->way)->word, &r->shown,
                         &r->length);
}

static ct_status dump_stage(run *r)
{
    return ct_dump_model(r->ctx, r->model, &r->shown);
}

static ct_status format_stage(run *r)
{
    return ct_format_text(r->ctx, r->syntax, &r->shown);
}

static ct_status syntax_stage(run *r)
{
    return ct_dump_syntax(r->ctx, r->syntax, &r->shown);
}

static ct_status render_stage(run *r)
{
    return ct_diag_render(r->ctx, (ct_diag_style)r->way, &r->shown);
}

static ct_status try(run *r, ct_status (*stage)(run *r))
{
    ct_status status = stage(r);
    return status == CT_ERR_MEMORY && r->retry ? stage(r) : status;
}

static ct_status try_text(run *r, ct_status (*stage)(run *r))
{
    ct_status status = try(r, stage);
    if (status == CT_OK)
        buffer_put(&r->result, r->shown, strlen(r->shown));
    return status;
}

static ct_status show_results(run *r)
{
    ct_status status = try_text(r, dump_stage);
    bool more = true;
    for (r->way = 0; more && status == CT_OK; r->way++) {
        more = strcmp(ct_word_at(CT_WORD_GRAPH_FORMAT, (size_t)r->way)->word, r->last) != 0;
        status = try_text(r, show_stage);
    }
    return status;
}

static ct_status show_syntax(run *r)
{
    ct_status status = try_text(r, format_stage);
    if (status == CT_OK)
        status = try_text(r, syntax_stage);
    for (r->way = CT_DIAG_TEXT; r->way <= CT_DIAG_JSON && status == CT_OK; r->way++)
        status = try_text(r, render_stage);
    return status;
}

/* After errors in the text what remains is built all the same, as the command line does. */
static ct_status run_stages(run *r)
{
    ct_status (*const stages[])(run *) = {build_stage, graph_stage, tree_stage};
    ct_status status = try(r, shift_stage), after;
    if (status == CT_OK)
        status = try(r, read_stage);
    if (status == CT_ERR_MEMORY)
        return status;
    if (status == CT_ERR_SYNTAX && try(r, build_stage) == CT_ERR_MEMORY)
        return CT_ERR_MEMORY;
    for (int i = 0; i < 3 && status == CT_OK; i++)
        status = try(r, stages[i]);
    if (status == CT_OK)
        status = show_results(r);
    if (status == CT_ERR_MEMORY)
        return status;
    after = show_syntax(r);
    return after == CT_OK ? status : after;
}

static ct_status run_all(run *r)
{
    ct_context_def def = ct_default_context_def();
    def.realloc = quota_realloc;
    def.realloc_user = &r->memory;
    r->result.length = 0;
    r->ctx = ct_context_new(&def);
    ct_status status = r->ctx ? run_stages(r) : CT_ERR_MEMORY;
    ct_context_free(r->ctx);
    return status;
}

/* ---- sweeps */

static run reference_run(const struct sample *s, const char *text)
{
    run r = {.text = text, .last = s->last};
    ct_status status = run_all(&r);
    if (status != s->status)
        fail_msg("%s: ends with `%s`:\n%s", s->name, ct_status_text(status), r.result.at);
    assert_int_equal(r.memory.blocks, 0);
    return r;
}

/* One refusal; true: the run never asked that often. */
static bool refuse(const struct sample *s, const run *reference, size_t n, bool forever, run *r)
{
    r->memory = (quota){.refuse_at = n, .forever = forever};
    r->retry = !forever;
    ct_status status = run_all(r);
    if (r->memory.blocks || r->memory.held)
        fail_msg("%s: request %zu refused: %zu blocks of %zu bytes leaked", s->name, n,
                 r->memory.blocks, r->memory.held);
    bool enough = r->memory.asked < n;
    if (status == CT_ERR_MEMORY && !enough && (forever || !r->ctx))
        return false;
    if (status != s->status)
        fail_msg("%s: request %zu refused %s: ends with `%s`", s->name, n,
                 forever ? "for good" : "once", ct_status_text(status));
    if (r->result.length != reference->result.length ||
        memcmp(r->result.at, reference->result.at, r->result.length) != 0)
        fail_msg("%s: request %zu refused %s: another result:\n%s", s->name, n,
                 forever ? "for good" : "once", r->result.at);
    return enough;
}

/* As many requests as the time allows: all of the first ones, then evenly spread. */
static void sweep(const struct sample *s, const run *reference, size_t shift, bool forever)
{
    size_t total = reference->memory.asked, tried = 0, step = 1;
    double start = effort_clock(), spent = 0;
    run r = {.text = reference->text, .shift = shift, .last = s->last};
    for (size_t n = 1; !refuse(s, reference, n, forever, &r); n += step) {
        spent = 1e3 * (effort_clock() - start);
        double room = SWEEP_MILLISECONDS - spent, each = spent / (double)++tried;
        if (n >= EVERY_ONE && n < total)
            step = room > each ? 1 + (size_t)((double)(total - n) * each / room) : total - n;
    }
    print_message("%-20s refused %-8s %4zu of %4zu requests, %4.0f ms\n", s->name,
                  forever ? "for good" : "once", tried, total, spent);
    free(r.result.at);
}

static void test_sweep(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *s = &samples[i];
        char path[LONGEST_PATH];
        buffer file = {0};
        snprintf(path, sizeof path, "%s/%s", COTREE_ROOT, s->path ? s->path : "");
        if (s->path && !read_whole(path, &file))
            fail_msg("%s cannot be read", path);
        run reference = reference_run(s, s->path ? file.at : s->text);
        sweep(s, &reference, 0, true);
        for (size_t shift = 0; shift <= 2000; shift += 2000)
            sweep(s, &reference, shift, false);
        free(reference.result.at);
        free(file.at);
    }
}

/* Without any refusal a second call of a stage gives what the first one gave. */
static void test_twice(void **state)
{
    (void)state;
    static const char *const texts[] = {bad_model, unit_errors};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        run r = {.text = texts[i], .ctx = ct_context_new(NULL)};
        read_stage(&r);
        ct_status first = build_stage(&r), second = build_stage(&r);
        assert_int_equal(first, CT_ERR_MODEL);
        assert_int_equal(second, CT_ERR_MODEL);
        assert_null(r.model);
        ct_context_free(r.ctx);
    }
}

/* ---- a limit is told, not met */

static void test_limit(void **state)
{
    (void)state;
    static const char text[] =
        "model large\nV1 : vsource(n0, ground)  v = 1 V\n"
        "repeat i = 1..1000000 { R{i} : resistor(n{i-1}, n{i})  R = 1 ohm }\n";
    ct_context_def def = ct_default_context_def();
    def.max_bytes = 20000000;
    ct_context *ctx = ct_context_new(&def);
    const ct_syntax *syntax;
    const ct_model *model;
    const char *shown;
    assert_int_equal(ct_read_text(ctx, "large.lg", text, strlen(text), &syntax), CT_OK);
    assert_int_equal(ct_build(ctx, syntax, NULL, &model), CT_ERR_LIMIT);
    assert_true(ct_context_bytes(ctx) <= def.max_bytes);
    assert_int_equal(ct_diag_render(ctx, CT_DIAG_TEXT, &shown), CT_OK);
    assert_non_null(strstr(shown, "error[E902]: this needs more than 20 MB of memory"));
    ct_context_free(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_twice), cmocka_unit_test(test_sweep),
                                       cmocka_unit_test(test_limit)};
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
