/* spanning_trees.c - how many trees there are to choose from: Kirchhoff's matrix-tree theorem,
 * det([A][A]^T), where [A] lacks one row per part; a graph in several parts has the product of the
 * numbers of its parts.
 *
 * The determinant is exact: Bareiss' elimination keeps integers, and every division in it leaves no
 * remainder. GMP's memory is not the context's, so nothing is taken from an arena (which may throw)
 * while a number lives.
 */
#include <gmp.h>
#include <math.h>

#include "graph/forest.h"
#include "base/sets.h"

typedef struct laplacian {
    const ct_graph *graph;
    uint32_t domain, size;
    uint32_t *place; /* per node: row + 1; 0: left out */
    mpz_t *at;       /* size x size; only column >= row is used */
    char *digits;
} laplacian;

static mpz_t *entry(const laplacian *l, uint32_t i, uint32_t j)
{
    return i <= j ? &l->at[(size_t)i * l->size + j] : &l->at[(size_t)j * l->size + i];
}

/* One node of each part is left out: the datum where there is one, else the smallest. */
static void number_nodes(laplacian *l, ct_arena *scratch)
{
    const ct_graph *g = l->graph;
    uint32_t *sets = ct_sets_new(scratch, g->node_count);
    bool *has_root = CT_NEW_ARRAY(scratch, bool, g->node_count);
    l->place = CT_NEW_ARRAY(scratch, uint32_t, g->node_count);
    for (uint32_t e = 0; e < g->edge_count; e++)
        ct_sets_join(sets, g->edge[e].tail, g->edge[e].head);
    for (uint32_t v = 0; v < g->node_count; v++)
        if (g->node[v].datum)
            has_root[ct_sets_find(sets, v)] = true;
    for (uint32_t v = 0; v < g->node_count; v++) {
        uint32_t part = ct_sets_find(sets, v);
        bool root = has_root[part] ? g->node[v].datum : part == v;
        if (g->node[v].domain == l->domain && !root)
            l->place[v] = ++l->size;
    }
}

/* The product of the diagonal bounds the determinant (Hadamard); its digits, with room to spare. */
static size_t digit_bound(const laplacian *l, ct_arena *scratch)
{
    const ct_graph *g = l->graph;
    const double rounded_up = 1e-6; /* of a logarithm */
    double *degree = CT_NEW_ARRAY(scratch, double, (size_t)l->size + 1), digits = 3;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        if (g->edge[e].tail == g->edge[e].head)
            continue;
        degree[l->place[g->edge[e].tail]]++;
        degree[l->place[g->edge[e].head]]++;
    }
    for (uint32_t i = 1; i <= l->size; i++)
        digits += log10(degree[i] + 1) + rounded_up;
    return (size_t)digits + 1;
}

static void fill(laplacian *l)
{
    const ct_graph *g = l->graph;
    for (size_t i = 0; i < (size_t)l->size * l->size; i++)
        mpz_init(l->at[i]);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t i = l->place[g->edge[e].tail], j = l->place[g->edge[e].head];
        if (g->edge[e].tail == g->edge[e].head)
            continue;
        if (i)
            mpz_add_ui(*entry(l, i - 1, i - 1), *entry(l, i - 1, i - 1), 1);
        if (j)
            mpz_add_ui(*entry(l, j - 1, j - 1), *entry(l, j - 1, j - 1), 1);
        if (i && j)
            mpz_sub_ui(*entry(l, i - 1, j - 1), *entry(l, i - 1, j - 1), 1);
    }
}

/* One step of Bareiss: a_ij <- (a_kk a_ij - a_ik a_kj) / previous pivot. The matrix is symmetric
 * and positive definite, so that no pivot is zero and half of it is enough. */
static void eliminate(laplacian *l, uint32_t k)
{
    mpz_t *pivot = entry(l, k, k), *previous = k ? entry(l, k - 1, k - 1) : NULL;
    for (uint32_t i = k + 1; i < l->size; i++)
        for (uint32_t j = i; j < l->size; j++) {
            mpz_t *a = entry(l, i, j);
            if (mpz_sgn(*a))
                mpz_mul(*a, *a, *pivot);
            if (mpz_sgn(*entry(l, k, i)) && mpz_sgn(*entry(l, k, j)))
                mpz_submul(*a, *entry(l, k, i), *entry(l, k, j));
            if (previous && mpz_sgn(*a))
                mpz_divexact(*a, *a, *previous);
        }
}

static void determinant(laplacian *l)
{
    fill(l);
    for (uint32_t k = 0; k + 1 < l->size; k++)
        eliminate(l, k);
    mpz_get_str(l->digits, 10, *entry(l, l->size - 1, l->size - 1));
    for (size_t i = 0; i < (size_t)l->size * l->size; i++)
        mpz_clear(l->at[i]);
}

const char *ct_spanning_trees(const ct_graph *graph, uint32_t domain, uint32_t max_nodes)
{
    uint32_t nodes = 0;
    for (uint32_t v = 0; v < graph->node_count; v++)
        nodes += graph->node[v].domain == domain;
    if (nodes > max_nodes)
        return NULL;
    ct_arena *scratch = ct_arena_new(graph->ctx);
    laplacian l = {.graph = graph, .domain = domain};
    number_nodes(&l, scratch);
    const char *answer = "1"; /* no branch at all: the empty tree */
    if (l.size) {
        l.digits = CT_NEW_ARRAY(graph->arena, char, digit_bound(&l, scratch));
        l.at = CT_NEW_ARRAY(scratch, mpz_t, (size_t)l.size * l.size);
        determinant(&l);
        answer = l.digits;
    }
    ct_arena_free(scratch);
    return answer;
}
