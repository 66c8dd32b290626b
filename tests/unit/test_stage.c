/* test_stage.c - equations as a stage: events are listed before a machine is made, and readers
 * change nothing of what was published.
 */
#include "equations/driven.h"
#include "export/code.h"
#include "export/equations.h"
#include "simulate/machine.h"
#include "study/statespace.h"
#include "test_simulate.h"

typedef struct stage_job {
    ct_context *ctx;
    const char *path;
    ct_purpose purpose;
    bool done;
} stage_job;

static const ct_tree *tree_of(ct_context *ctx, const char *path)
{
    const ct_model *model = ct_model_build(ct_parse(ctx, ct_load(ctx, path)), NULL);
    const ct_graph *graph = ct_graph_build(model);
    ct_tree_def tree = {.complete = true};
    ct_graph_wishes(graph, model, true, &tree);
    return ct_tree_select(graph, &tree);
}

static void run_job(stage_job job, void (*body)(void *))
{
    job.ctx = ct_context_new(NULL);
    assert_int_equal(ct_protect(job.ctx, body, &job), CT_OK);
    assert_true(job.done);
    ct_context_free(job.ctx);
}

/* ---- readers */

/* All that may be written to: values on demand, the maps and memory of the makers. */
typedef struct picture {
    ct_expr *value;
    size_t bytes;
    ct_reduced reduced;
    ct_system system;
} picture;

static picture picture_of(const ct_equations *e)
{
    const ct_reduced *r = e->reduced;
    uint32_t count = r->system->unknown_count;
    picture p = {.bytes = ct_arena_bytes(r->arena) + ct_arena_bytes(r->system->arena),
                 .reduced = *r,
                 .system = *r->system};
    p.value = CT_NEW_ARRAY(e->model->ctx->base, ct_expr, count);
    memcpy(p.value, r->value, count * sizeof *p.value);
    return p;
}

static void read_all(void *user)
{
    stage_job *job = user;
    const ct_tree *tree = tree_of(job->ctx, job->path);
    const ct_equations *e = ct_equations_new(tree, CT_FORM_NODAL, job->purpose);
    picture before = picture_of(e);
    ct_machine *machine = ct_machine_new(e);
    assert_non_null(machine);
    ct_rig *rig = ct_rig_new(machine, NULL);
    const ct_point *point = ct_evaluate(rig, 0.1, NULL, 0, job->ctx->base);
    assert_non_null(ct_point_bodies(rig, point, job->ctx->base));
    if (job->purpose == CT_FOR_READERS) {
        ct_equations_def def = {0};
        assert_non_null(ct_equations_list(e, &def));
        assert_non_null(ct_statespace_new(e, NULL));
    }
    picture after = picture_of(e);
    assert_memory_equal(before.value, after.value,
                        e->reduced->system->unknown_count * sizeof *before.value);
    assert_int_equal(before.bytes, after.bytes);
    assert_memory_equal(&before.reduced, &after.reduced, sizeof before.reduced);
    assert_memory_equal(&before.system, &after.system, sizeof before.system);
    job->done = true;
}

static void test_readers(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "models/rc_network/model.lg", "models/dependent_capacitor_EF/model.lg",
        "models/slider_crank/model.lg", "models/four_bar/model.lg", "models/drive_line/model.lg"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        for (int k = 0; k < 2; k++)
            run_job((stage_job){.path = paths[i], .purpose = k ? CT_FOR_READERS : CT_FOR_A_RUN},
                    read_all);
}

/* ---- one derivation, for the eye and for runs */

static bool has_mark(const ct_equations *e, ct_expr of)
{
    const ct_symbols *symbols = e->model->symbols;
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(e->pool, of, &symbol), order;
    for (uint32_t i = 0; i < count; i++) {
        ct_name base = ct_base_symbol(symbols, symbol[i], &order);
        if ((order && ct_is_time(symbols, base)) ||
            ct_symbol_of(symbols, base).kind == CT_SYMBOL_SLACK)
            return true;
    }
    return false;
}

static uint32_t count_marks(const ct_equations *e, const ct_reduced *r)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->state_count; i++)
        count += has_mark(e, r->rate[i]);
    for (uint32_t i = 0; i < r->constraint_count; i++)
        count += has_mark(e, r->constraint[i]);
    for (uint32_t i = 0; i < r->system->unknown_count; i++)
        count += r->value[i] && has_mark(e, r->value[i]);
    for (uint32_t i = 0; i < r->step_count; i++)
        count += has_mark(e, r->step[i].row.rest);
    return count;
}

/* Slacks and rates of time stand in what a run reads, and not in what is shown. */
static void look_twice(void *user)
{
    stage_job *job = user;
    const ct_tree *tree = tree_of(job->ctx, job->path);
    const ct_equations *e = ct_equations_new(tree, CT_FORM_NODAL, CT_FOR_READERS);
    assert_int_equal(count_marks(e, e->reduced), 0);
    assert_int_equal(e->reduced->slack_count, 0);
    assert_ptr_equal(e->reduced->state, e->moving->state);
    assert_ptr_equal(e->reduced->algebraic, e->moving->algebraic);
    assert_true((e->reduced != e->moving) == (e->moving->slack_count > 0));
    assert_true((e->reduced != e->moving) == (count_marks(e, e->moving) > 0));
    job->done = e->moving->slack_count == (job->purpose == CT_FOR_A_RUN);
}

static void test_one_derivation(void **state)
{
    (void)state;
    run_job((stage_job){.path = "models/rc_network/model.lg"}, look_twice);
    run_job((stage_job){.path = "models/four_bar/model.lg"}, look_twice);
    run_job((stage_job){.path = "models/dependent_capacitor_EF/model.lg", .purpose = CT_FOR_A_RUN},
            look_twice);
}

/* ---- events */

static bool list_nothing(const ct_equations *draft, ct_driven *driven, void *user, bool *keep)
{
    (void)draft, (void)user;
    ct_list_parameters(driven, NULL, 0);
    *keep = false;
    return true;
}

static void count_kinds(const ct_events *e, uint32_t count[4])
{
    for (uint32_t i = 0; i < e->root.count; i++)
        count[e->root.at[i].kind]++;
    for (uint32_t i = 0; i < e->moment.count; i++)
        count[e->moment.at[i].kind]++;
}

/* A kink, two sides, a time, two trains of times: published with the equations, and those of the
 * machine are the same records. */
static void read_events(void *user)
{
    stage_job *job = user;
    const ct_tree *tree = tree_of(job->ctx, job->path);
    const ct_equations *e = ct_equations_read(tree, CT_FORM_NODAL, (ct_reader){list_nothing, NULL});
    uint32_t count[4] = {0};
    assert_non_null(e->driven);
    assert_true(e->driven->closed);
    count_kinds(&e->driven->events, count);
    assert_int_equal(count[CT_EVENT_SIDE], 2);
    assert_int_equal(count[CT_EVENT_KINK], 1);
    assert_int_equal(count[CT_EVENT_BREAK], 1);
    assert_int_equal(count[CT_EVENT_TURNS], 2);
    const ct_machine *machine = ct_machine_of_tree(tree, CT_FORM_NODAL, false);
    const ct_driven *own = machine->equations->driven;
    assert_ptr_equal(machine->driven, own);
    assert_ptr_equal(machine->events.root.at, own->events.root.at);
    assert_ptr_equal(machine->events.moment.at, own->events.moment.at);
    job->done = true;
}

static void test_events(void **state)
{
    (void)state;
    run_job((stage_job){.path = "tests/golden/events.lg"}, read_events);
}

/* What drives an input is not kept by closed equations. */
static void drive_late(void *user)
{
    stage_job *job = user;
    const ct_tree *tree = tree_of(job->ctx, job->path);
    const ct_equations *e = ct_equations_new(tree, CT_FORM_NODAL, CT_FOR_READERS);
    const ct_machine *m = ct_machine_new(e);
    uint32_t before = m->driven->driver->count;
    for (uint32_t i = 0; i < m->model->quantity_count; i++) {
        ct_expr rate =
            ct_expr_symbol(m->pool, ct_rate_symbol(m->model->symbols, m->model->quantity[i].name));
        if (m->model->quantity[i].kind != CT_INPUT)
            continue;
        assert_true(ct_drive_all(m->driven, &rate, 1));
        job->done = true;
    }
    assert_int_equal(m->driven->driver->count, before);
}

static void test_late_inputs(void **state)
{
    (void)state;
    run_job((stage_job){.path = "models/dc_motor_gear_load/model.lg"}, drive_late);
}

/* ---- code */

/* c.v*(4 cos^2 + 4 sin^2 + 3/7): the bracket is a number, whatever the angle is called. */
static void write_code(void *user)
{
    static const char *const reserved[] = {NULL};
    static const ct_code_language language = {reserved, ct_op_python, "**", ""};
    stage_job *job = user;
    ct_pool *pool = ct_pool_new(job->ctx);
    ct_text out = ct_text_new(job->ctx->base);
    ct_code_writer code = ct_code_new(job->ctx, job->ctx->base, &language, &out);
    ct_expr angle = ct_expr_symbol(pool, ct_intern_text(job->ctx, "J.beta"));
    ct_expr four = ct_expr_int(pool, 4), two = ct_expr_int(pool, 2);
    ct_expr c = ct_expr_pow(pool, ct_expr_call1(pool, CT_OP_COS, angle), two);
    ct_expr s = ct_expr_pow(pool, ct_expr_call1(pool, CT_OP_SIN, angle), two);
    ct_expr term[] = {ct_expr_mul(pool, four, c), ct_expr_mul(pool, four, s),
                      ct_expr_ratio(pool, 3, 7)};
    ct_expr speed = ct_expr_symbol(pool, ct_intern_text(job->ctx, "c.v"));
    const char *text =
        ct_code_expr(&code, pool, ct_expr_mul(pool, speed, ct_expr_sum(pool, term, 3)));
    assert_null(strstr(text, "J.beta"));
    assert_non_null(strstr(text, "c_v"));
    job->done = true;
}

static void test_code(void **state)
{
    (void)state;
    run_job((stage_job){0}, write_code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers), cmocka_unit_test(test_one_derivation),
        cmocka_unit_test(test_events),  cmocka_unit_test(test_late_inputs),
        cmocka_unit_test(test_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
