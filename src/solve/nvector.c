/* nvector.c - vectors for SUNDIALS and the table of their operations. */
#include "solve/nvector.h"

#include <math.h>
#include <string.h>

#include "solve/nvector_kernel.h"

/* Header, description and numbers in one block. */
typedef struct vector {
    struct _generic_N_Vector base; /* content points to this very vector */
    ct_vectors *family;
    uint32_t n;
    double data[];
} vector;

static vector *of(N_Vector v)
{
    return v->content;
}

double *ct_nvector_data(N_Vector v)
{
    return of(v)->data;
}

static size_t bytes_of(uint32_t n)
{
    return sizeof(vector) + n * sizeof(double);
}

static N_Vector set_up(vector *v, ct_vectors *family)
{
    memset(v, 0, bytes_of(family->n));
    v->base = (struct _generic_N_Vector){v, &family->ops, family->sundials};
    v->family = family;
    v->n = family->n;
    return &v->base;
}

N_Vector ct_vectors_take(ct_vectors *vectors)
{
    vector *v = ct_context_try_realloc(vectors->ctx, NULL, 0, bytes_of(vectors->n));
    if (v)
        return set_up(v, vectors);
    vectors->failed = true;
    return vectors->spare;
}

static N_Vector clone(N_Vector v)
{
    return ct_vectors_take(of(v)->family);
}

static void destroy(N_Vector v)
{
    ct_vectors *family = of(v)->family;
    if (v != family->spare)
        ct_context_release(family->ctx, of(v), bytes_of(family->n));
}

static N_Vector_ID identify(N_Vector v)
{
    (void)v;
    return SUNDIALS_NVEC_CUSTOM;
}

static void space(N_Vector v, sunindextype *reals, sunindextype *integers)
{
    *reals = of(v)->n;
    *integers = 2;
}

static sunindextype length(N_Vector v)
{
    return of(v)->n;
}

/* ---- elementwise: z may be one of the operands ---------------------------------------------- */

static void linear_sum(realtype a, N_Vector x, realtype b, N_Vector y, N_Vector z)
{
    uint32_t n = of(z)->n;
    if (x == y)
        ct_kernel_scale(n, a + b, of(x)->data, of(z)->data);
    else if (z == y)
        ct_kernel_add(n, a, of(x)->data, b, of(y)->data);
    else if (z == x)
        ct_kernel_add(n, b, of(y)->data, a, of(x)->data);
    else
        ct_kernel_sum(n, a, of(x)->data, b, of(y)->data, of(z)->data);
}

static void scale(realtype c, N_Vector x, N_Vector z)
{
    ct_kernel_scale(of(z)->n, c, of(x)->data, of(z)->data);
}

static void constant(realtype c, N_Vector z)
{
    double *at = of(z)->data;
    for (uint32_t i = 0; i < of(z)->n; i++)
        at[i] = c;
}

#define ELEMENTWISE(name, expression)                                                              \
    static void name(N_Vector x, N_Vector y, N_Vector z)                                           \
    {                                                                                              \
        const double *a = of(x)->data, *b = of(y)->data;                                           \
        double *c = of(z)->data;                                                                   \
        for (uint32_t i = 0, n = of(z)->n; i < n; i++)                                             \
            c[i] = expression;                                                                     \
    }
ELEMENTWISE(product, a[i] * b[i])
ELEMENTWISE(quotient, a[i] / b[i])
#undef ELEMENTWISE

static void absolute(N_Vector x, N_Vector z)
{
    for (uint32_t i = 0; i < of(z)->n; i++)
        of(z)->data[i] = fabs(of(x)->data[i]);
}

static void inverse(N_Vector x, N_Vector z)
{
    const double *a = of(x)->data;
    double *c = of(z)->data;
    for (uint32_t i = 0, n = of(z)->n; i < n; i++)
        c[i] = 1 / a[i];
}

static void add_constant(N_Vector x, realtype b, N_Vector z)
{
    const double *a = of(x)->data;
    double *c = of(z)->data;
    for (uint32_t i = 0, n = of(z)->n; i < n; i++)
        c[i] = a[i] + b;
}

/* ---- reductions ----------------------------------------------------------------------------- */

static realtype dot(N_Vector x, N_Vector y)
{
    return ct_kernel_dot(of(x)->n, of(x)->data, of(y)->data);
}

static realtype largest(N_Vector x)
{
    double most = 0;
    for (uint32_t i = 0; i < of(x)->n; i++)
        most = fmax(most, fabs(of(x)->data[i]));
    return most;
}

static realtype smallest(N_Vector x)
{
    const double *a = of(x)->data;
    double least = INFINITY;
    for (uint32_t i = 0, n = of(x)->n; i < n; i++)
        least = a[i] < least ? a[i] : least;
    return least;
}

/* SUNDIALS asks for the root mean square to judge errors. In a large system where little moves at a
 * time that would let those few be wrong by many tolerances: the largest is what counts. */
static realtype weighted_most(N_Vector x, N_Vector w)
{
    return ct_kernel_most(of(x)->n, of(x)->data, of(w)->data);
}

static realtype weighted_most_masked(N_Vector x, N_Vector w, N_Vector id)
{
    double most = 0;
    for (uint32_t i = 0; i < of(x)->n; i++)
        if (of(id)->data[i] > 0)
            most = fmax(most, fabs(of(x)->data[i] * of(w)->data[i]));
    return most;
}

static realtype weighted_length(N_Vector x, N_Vector w)
{
    return sqrt(ct_kernel_squares(of(x)->n, of(x)->data, of(w)->data));
}

static realtype sum_of_sizes(N_Vector x)
{
    double sum = 0;
    for (uint32_t i = 0; i < of(x)->n; i++)
        sum += fabs(of(x)->data[i]);
    return sum;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void compare(realtype c, N_Vector x, N_Vector z)
{
    for (uint32_t i = 0; i < of(z)->n; i++)
        of(z)->data[i] = fabs(of(x)->data[i]) >= c;
}

static booleantype inverse_test(N_Vector x, N_Vector z)
{
    bool regular = true;
    for (uint32_t i = 0; i < of(z)->n; i++) {
        if (of(x)->data[i] == 0)
            regular = false;
        else
            of(z)->data[i] = 1 / of(x)->data[i];
    }
    return regular;
}

/* c = 2, 1, -1, -2: x must be > 0, >= 0, <= 0, < 0; m marks where it is not. */
static booleantype constraint_mask(N_Vector c, N_Vector x, N_Vector m)
{
    bool kept = true;
    for (uint32_t i = 0; i < of(x)->n; i++) {
        double kind = of(c)->data[i], value = of(x)->data[i];
        bool broken = fabs(kind) > 1.5 ? value * kind <= 0 : fabs(kind) > 0.5 && value * kind < 0;
        of(m)->data[i] = broken;
        kept = kept && !broken;
    }
    return kept;
}

static realtype least_quotient(N_Vector numerator, N_Vector denominator)
{
    double least = 1.7976931348623157e308;
    for (uint32_t i = 0; i < of(numerator)->n; i++)
        if (of(denominator)->data[i] != 0)
            least = fmin(least, of(numerator)->data[i] / of(denominator)->data[i]);
    return least;
}

/* ---- fused: one pass over memory in blocks that stay in the cache --------------------------- */

enum { BLOCK = 512 };

static uint32_t block_length(uint32_t n, uint32_t from)
{
    return n - from < BLOCK ? n - from : BLOCK;
}

static int linear_combination(int count, realtype *c, N_Vector *x, N_Vector z)
{
    double sum[BLOCK];
    for (uint32_t from = 0, n = of(z)->n; from < n; from += BLOCK) {
        uint32_t width = block_length(n, from);
        ct_kernel_scale(width, c[0], of(x[0])->data + from, sum);
        for (int k = 1; k < count; k++)
            ct_kernel_add(width, c[k], of(x[k])->data + from, 1, sum);
        memcpy(of(z)->data + from, sum, width * sizeof *sum);
    }
    return 0;
}

static int scale_add_multi(int count, realtype *a, N_Vector x, N_Vector *y, N_Vector *z)
{
    for (uint32_t from = 0, n = of(x)->n; from < n; from += BLOCK) {
        uint32_t width = block_length(n, from);
        const double *common = of(x)->data + from;
        for (int k = 0; k < count; k++) {
            double *target = of(z[k])->data + from;
            if (z[k] == y[k])
                ct_kernel_add(width, a[k], common, 1, target);
            else
                ct_kernel_sum(width, a[k], common, 1, of(y[k])->data + from, target);
        }
    }
    return 0;
}

static int dot_multi(int count, N_Vector x, N_Vector *y, realtype *result)
{
    memset(result, 0, (size_t)count * sizeof *result);
    for (uint32_t from = 0, n = of(x)->n; from < n; from += BLOCK)
        for (int k = 0; k < count; k++)
            result[k] +=
                ct_kernel_dot(block_length(n, from), of(x)->data + from, of(y[k])->data + from);
    return 0;
}

static void set_elementwise(N_Vector_Ops ops)
{
    ops->nvlinearsum = linear_sum;
    ops->nvconst = constant;
    ops->nvprod = product;
    ops->nvdiv = quotient;
    ops->nvscale = scale;
    ops->nvabs = absolute;
    ops->nvinv = inverse;
    ops->nvaddconst = add_constant;
    ops->nvcompare = compare;
    ops->nvinvtest = inverse_test;
    ops->nvconstrmask = constraint_mask;
    ops->nvlinearcombination = linear_combination;
    ops->nvscaleaddmulti = scale_add_multi;
}

static void set_rest(N_Vector_Ops ops)
{
    ops->nvgetvectorid = identify;
    ops->nvclone = clone;
    ops->nvdestroy = destroy;
    ops->nvspace = space;
    ops->nvgetlength = length;
    ops->nvgetarraypointer = ct_nvector_data;
    ops->nvdotprod = dot;
    ops->nvmaxnorm = largest;
    ops->nvmin = smallest;
    ops->nvwrmsnorm = weighted_most;
    ops->nvwrmsnormmask = weighted_most_masked;
    ops->nvwl2norm = weighted_length;
    ops->nvl1norm = sum_of_sizes;
    ops->nvminquotient = least_quotient;
    ops->nvdotprodmulti = dot_multi;
}

void ct_vectors_init(ct_vectors *vectors, ct_arena *arena, uint32_t n)
{
    *vectors = (ct_vectors){.ctx = ct_arena_context(arena), .n = n};
    set_elementwise(&vectors->ops);
    set_rest(&vectors->ops);
    vectors->spare = set_up(ct_arena_alloc(arena, bytes_of(n)), vectors);
}
