/* bench_expr.c - nodes per second and bytes per node of the expression pool.
 *
 * Random DAGs of sums, products, quotients and circle functions over 40 symbols; operands are drawn
 * from all nodes made so far, as in the elimination of a large model. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "expr/expr.h"

enum { SYMBOLS = 40, WINDOW = 1024, INVERSE_EVERY = 128, CIRCLE_EVERY = 64, REPEATS = 5 };

typedef struct job {
    ct_context *ctx;
    uint32_t wanted;
    uint64_t calls, operands;
    double best, bytes; /* per node */
} job;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Sums and products stay short when the operands are neither: as in elimination, they are mixed. */
static ct_expr random_node(ct_pool *pool, const ct_expr *made, uint32_t count, uint64_t *state)
{
    uint64_t r = next_random(state);
    ct_expr a = made[next_random(state) % count], b = made[next_random(state) % count];
    bool sum = ct_expr_kind_of(pool, a) == CT_EXPR_PRODUCT;
    if (r % INVERSE_EVERY == 0)
        return ct_expr_div(pool, a, b);
    if (r % CIRCLE_EVERY == 1)
        return ct_expr_call1(pool, r & 64 ? CT_OP_SIN : CT_OP_COS, a);
    if (sum)
        return r & 32 ? ct_expr_add(pool, a, b) : ct_expr_sub(pool, a, b);
    return ct_expr_mul(pool, a, b);
}

/* Terms or factors, also below a sign: b - a is -1 * (a - b). */
static uint32_t size_of(const ct_pool *pool, ct_expr e)
{
    uint32_t size = ct_expr_arity(pool, e);
    if (ct_expr_kind_of(pool, e) == CT_EXPR_PRODUCT && size == 1)
        size = ct_expr_arity(pool, ct_expr_operand(pool, e, 0));
    return size;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A window of recent, small nodes: terms per node stay bounded however many nodes there are. */
static void run(void *user)
{
    job *j = user;
    ct_pool *pool = ct_pool_new(j->ctx);
    ct_expr leaf[SYMBOLS], window[WINDOW];
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < SYMBOLS; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "q%d", i);
        leaf[i] = ct_expr_symbol(pool, ct_intern(j->ctx, name, (size_t)length));
    }
    for (int i = 0; i < WINDOW; i++)
        window[i] = leaf[i % SYMBOLS];
    double start = seconds();
    while (ct_pool_count(pool) < j->wanted) {
        ct_expr e = random_node(pool, window, WINDOW, &state);
        bool small = e && !ct_expr_is_number(pool, e) && size_of(pool, e) <= 4;
        window[next_random(&state) % WINDOW] = small ? e : leaf[next_random(&state) % SYMBOLS];
        j->operands += e ? size_of(pool, e) : 0;
        j->calls++;
    }
    double spent = (seconds() - start) / ct_pool_count(pool);
    if (j->best == 0 || spent < j->best)
        j->best = spent;
    j->bytes = (double)ct_arena_bytes(ct_pool_arena(pool)) / ct_pool_count(pool);
    ct_pool_free(pool);
}

int main(void)
{
    static const uint32_t sizes[] = {10000, 100000, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        job j = {.wanted = sizes[i]};
        for (int k = 0; k < REPEATS; k++) {
            j.ctx = ct_context_new(NULL);
            ct_status status = j.ctx ? ct_protect(j.ctx, run, &j) : CT_ERR_MEMORY;
            ct_context_free(j.ctx);
            if (status == CT_OK)
                continue;
            fprintf(stderr, "bench_expr: %s\n", ct_status_text(status));
            return EXIT_FAILURE;
        }
        printf("%8" PRIu32
               " nodes: %4.0f ns and %5.1f bytes per node, %.2f nodes and %.1f operands per "
               "call, best of %d\n",
               j.wanted, 1e9 * j.best, j.bytes, REPEATS * (double)j.wanted / (double)j.calls,
               (double)j.operands / (double)j.calls, REPEATS);
    }
    return EXIT_SUCCESS;
}
