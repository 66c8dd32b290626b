/* test_solve_memory.c - memory running out at every allocation, and functions of the caller that
 * unwind. */
#include "unit/test_solve.h"

typedef struct budget {
    long left; /* allocations until failure; negative: no limit */
    long live;
} budget;

static void *count_realloc(void *user, void *block, size_t old_size, size_t new_size)
{
    budget *b = user;
    (void)old_size;
    if (new_size == 0) {
        b->live -= block != NULL;
        free(block);
        return NULL;
    }
    if (b->left == 0)
        return NULL;
    b->left -= b->left > 0;
    void *moved = realloc(block, new_size);
    b->live += !block && moved;
    return moved;
}

static void stiff(double t, const double *z, double *out)
{
    for (uint32_t i = 0; i < 30; i++)
        out[i] = -(i + 1.) * 1e4 * (z[i] - cos(t));
}

static void with_w(double t, const double *z, double *out)
{
    out[0] = z[1] - z[0];
    out[1] = z[0] + sin(t) - z[1];
}

static const small_system stiff_system = {.n = 30, .fg = stiff}; /* large enough for KLU */
static const small_system with_w_system = {.n = 1, .m = 1, .fg = with_w};

typedef struct trial {
    fixture *f;
    int kind;
    double *z;
    ct_solve_status status;
} trial;

static void run_trial(void *user)
{
    trial *c = user;
    ct_run_def def = ct_default_run_def();
    def.points = 5;
    if (c->kind < 3)
        c->status = integrate(c->f, def, c->z);
    else if (c->kind == 3)
        c->status = ct_solve_algebraic(c->f->ctx, &c->f->problem, 0, c->z, false, &c->f->stats);
    else
        c->status = ct_steady(c->f->ctx, &c->f->problem, 0, c->z, &c->f->stats);
}

/* kinds: 0 stiff, auto; 2 IDAS; 3 algebraic; 4 steady */
static void exhaust(int kind)
{
    budget b = {.left = -1};
    ct_context_def def = ct_default_context_def();
    def.realloc = count_realloc;
    def.realloc_user = &b;
    fixture *f = fixture_new(kind == 0 ? &stiff_system : &with_w_system);
    ct_context_free(f->ctx);
    f->ctx = ct_context_new(&def);
    long before = b.live, tries = 0;
    size_t bytes = ct_context_bytes(f->ctx);
    for (trial c = {.f = f, .kind = kind, .status = CT_NO_MEMORY_LEFT}; c.status != CT_SOLVED;) {
        double z[30] = {0};
        b.left = tries++;
        c.z = z;
        assert_int_equal(ct_protect(f->ctx, run_trial, &c), CT_OK);
        assert_true(c.status == CT_SOLVED || c.status == CT_NO_MEMORY_LEFT);
        assert_int_equal(b.live, before);
        assert_int_equal(ct_context_bytes(f->ctx), bytes);
    }
    print_message("kind %d: failed at %ld allocations\n", kind, tries - 1);
    assert_true(tries > 2);
    fixture_free(f);
    assert_int_equal(b.live, 0);
}

static void decay(double t, const double *z, double *out)
{
    (void)t;
    out[0] = -z[0];
}

static void test_out_of_memory(void **state)
{
    (void)state;
    const int kinds[] = {0, 2, 3, 4};
    for (size_t i = 0; i < 4; i++)
        exhaust(kinds[i]);
}

static bool throw_row(void *user, double t, const double *z, const double *dx)
{
    fixture *f = user;
    (void)z, (void)dx;
    if (t >= 0.5)
        ct_throw(f->ctx, CT_ERR_LIMIT);
    return true;
}

static void throwing_run(void *user)
{
    fixture *f = user;
    ct_run_def def = ct_default_run_def();
    double z[30] = {0};
    def.row = throw_row;
    def.row_user = f;
    ct_integrate(f->ctx, &f->problem, &def, z, &f->stats);
}

static void test_row_unwinds(void **state)
{
    (void)state;
    const small_system small = {.n = 1, .fg = decay};
    const small_system *systems[] = {&stiff_system, &with_w_system, &small};
    for (size_t i = 0; i < 3; i++) {
        fixture *f = fixture_new(systems[i]);
        size_t bytes = ct_context_bytes(f->ctx);
        assert_int_equal(ct_protect(f->ctx, throwing_run, f), CT_ERR_LIMIT);
        assert_int_equal(ct_context_bytes(f->ctx), bytes);
        CHECK_NEAR(f->stats.last_time, 0.5, 0.5);
        fixture_free(f);
    }
}

static void count_progress(void *user, double t)
{
    (void)t;
    ((fixture *)user)->stop_after++;
}

static bool ignore_row(void *user, double t, const double *z, const double *dx)
{
    (void)user, (void)t, (void)z, (void)dx;
    return true;
}

static void turning(double t, const double *z, double *out)
{
    (void)t;
    out[0] = z[1];
    out[1] = -z[0];
}

static void test_progress(void **state)
{
    (void)state;
    const small_system system = {.n = 2, .fg = turning};
    fixture *f = fixture_new(&system);
    ct_run_def def = ct_default_run_def();
    double z[2] = {1, 0};
    def.stop = 1e5;
    def.row = ignore_row;
    def.row_user = f;
    def.progress = count_progress;
    assert_int_equal(ct_integrate(f->ctx, &f->problem, &def, z, &f->stats), CT_SOLVED);
    print_message("%llu steps, %u reports\n", (unsigned long long)f->stats.steps, f->stop_after);
    assert_in_range(f->stop_after, 1, 1000);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_row_unwinds),
        cmocka_unit_test(test_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
