/* jacobian.c - sparse symbolic Jacobian.
 *
 * The gradient of a row is accumulated in reverse over the DAG below it: each node gets its
 * adjoint, the derivative of the row by the node, as a sum of one term per use; so a row costs what
 * its DAG has nodes, however many symbols there are. Two kinds of nodes get a gradient of their
 * own, which all their users share and below which no row descends:
 *
 *   choices  operators with an `if` in the differential. Their gradient is the choice between those
 *            of their operands: as 0 * (derivative of the branch not taken) it could be 0 * inf.
 *   hubs     nodes with several users and few symbols, but a large DAG of their own, which else
 *            every row would walk through. */
#include <string.h>

#include "compile/program.h"
#include "expr/pool.h"

/* Supports are known up to FEW columns. A gradient instead of a walk pays from HUB_GAIN nodes per
 * column on. */
enum { FEW = 32, MANY = FEW + 1, HUB_GAIN = 4 };

/* An entry of a gradient; the column by the node of its symbol. */
typedef struct entry {
    uint32_t column;
    ct_expr e;
} entry;

typedef CT_VEC(entry) entry_list;

/* Kinds of nodes: without a column inside, with one, the symbol of one, with a known gradient. */
enum { PASSIVE, ACTIVE, COLUMN, CUT };

typedef struct node {
    ct_expr e;
    uint8_t kind;
    bool needed;                /* for some row, through differentials */
    bool claimed;               /* some user counts it in its size */
    uint32_t col;               /* of a COLUMN */
    uint32_t support, columns;  /* where it begins, how many, MANY: not known */
    uint32_t size, users;       /* nodes below it and not below a cut, those shared once only */
    uint32_t gradient, entries; /* of a CUT, once known */
    uint32_t seen;              /* by the descent of this number */
    uint32_t terms;             /* of the adjoint: a list; 0: none */
} node;

typedef struct term {
    ct_expr e;
    uint32_t next;
} term;

typedef struct visit {
    uint32_t node, operand;
} visit;

typedef struct differ {
    ct_arena *arena; /* scratch */
    ct_pool *pool;
    ct_walk *walk; /* its memo is the index in node */
    node *node;
    uint32_t count, descent;
    CT_VEC(uint32_t) support;
    entry_list gradient; /* of the cuts */
    entry_list found;    /* the gradient just accumulated */
    CT_VEC(term) term;   /* term.at[0] is unused */
    CT_VEC(ct_expr) list;
    CT_VEC(uint32_t) order;
    CT_VEC(visit) stack;
    ct_expr *choice;          /* three differentials per column */
    CT_VEC(uint32_t) touched; /* nodes of the columns that have some */
    ct_expr culprit;
    uint32_t most; /* nodes of the pool that may be there in the end */
} differ;

static bool goes_on(const differ *d)
{
    return !d->culprit && ct_pool_count(d->pool) <= d->most;
}

/* ---- what depends on what */

static node *operand_node(const differ *d, const node *n, uint32_t i)
{
    return &d->node[d->walk->memo[ct_expr_operand(d->pool, n->e, i)].e];
}

/* Whether the differential of a call reads that of operand i. Without one all count: such a call
 * has no derivative, except der(x), a variable beside x. */
static bool operand_matters(const differ *d, ct_expr e, uint32_t i)
{
    if (!ct_is(d->pool, e, CT_EXPR_CALL))
        return true;
    const ct_op_row *row = ct_op_at(ct_expr_op(d->pool, e));
    if (!row->differential)
        return !(ct_is_call(d->pool, e, CT_OP_DER) &&
                 ct_is(d->pool, ct_expr_operand(d->pool, e, 0), CT_EXPR_SYMBOL));
    char mark[3] = {(char)('a' + i), '\'', '\0'};
    return row->arity < 0 || strstr(row->differential, mark);
}

static bool is_choice(const differ *d, ct_expr e)
{
    if (!ct_is(d->pool, e, CT_EXPR_CALL))
        return false;
    const char *differential = ct_op_at(ct_expr_op(d->pool, e))->differential;
    return differential && strstr(differential, "if ");
}

/* Merges the sorted columns of x into those of n; the support of n is the last of the list. */
static void join_support(differ *d, node *n, const node *x)
{
    if (n->columns == MANY || x->columns == MANY) {
        n->columns = MANY;
        return;
    }
    uint32_t merged[2 * FEW], count = 0, i = 0, k = 0;
    const uint32_t *a = d->support.at + n->support, *b = d->support.at + x->support;
    while (i < n->columns || k < x->columns) {
        bool left = k == x->columns || (i < n->columns && a[i] <= b[k]);
        uint32_t col = left ? a[i++] : b[k++];
        if (count == 0 || merged[count - 1] != col)
            merged[count++] = col;
    }
    n->columns = count > FEW ? MANY : count;
    d->support.count = n->support;
    for (i = 0; i < count && n->columns != MANY; i++)
        CT_PUSH(d->arena, d->support, merged[i]);
}

static void add_operand(differ *d, node *n, node *x)
{
    if (x->kind == PASSIVE)
        return;
    n->kind = ACTIVE;
    join_support(d, n, x);
    if (x->kind == ACTIVE && !x->claimed) {
        n->size += x->size;
        x->claimed = true;
    }
}

static bool is_hub(const node *n)
{
    return n->users > 1 && n->columns != MANY && n->size / HUB_GAIN >= n->columns;
}

static void classify(differ *d, node *n)
{
    if (n->kind == COLUMN) {
        n->support = d->support.count;
        n->columns = 1;
        CT_PUSH(d->arena, d->support, n->col);
        return;
    }
    n->support = d->support.count;
    n->size = 1;
    if (ct_expr_kind_of(d->pool, n->e) > CT_EXPR_SYMBOL)
        for (uint32_t i = 0; i < ct_expr_arity(d->pool, n->e); i++)
            if (operand_matters(d, n->e, i))
                add_operand(d, n, operand_node(d, n, i));
}

static void use(node *n)
{
    n->needed = true;
    n->users++;
}

/* From the rows downwards, through the operands whose differential is read. */
static void find_needed(differ *d, const ct_expr *f, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++)
        if (f[i])
            use(&d->node[d->walk->memo[f[i]].e]);
    for (uint32_t k = d->count; k-- > 0;) {
        const node *n = &d->node[k];
        if (!n->needed || ct_expr_kind_of(d->pool, n->e) <= CT_EXPR_SYMBOL)
            continue;
        for (uint32_t i = 0; i < ct_expr_arity(d->pool, n->e); i++)
            if (operand_matters(d, n->e, i))
                use(operand_node(d, n, i));
    }
}

static void list_nodes(differ *d)
{
    d->count = d->walk->order.count;
    d->node = CT_NEW_ARRAY(d->arena, node, d->count);
    for (uint32_t i = 0; i < d->count; i++) {
        d->node[i].e = d->walk->order.at[i];
        d->walk->memo[d->node[i].e].e = i;
    }
}

static void mark_columns(differ *d, const ct_name *x, uint32_t cols)
{
    for (uint32_t j = 0; j < cols; j++) {
        ct_expr symbol = ct_expr_symbol(d->pool, x[j]);
        if (!ct_walk_met(d->walk, symbol))
            continue;
        node *n = &d->node[d->walk->memo[symbol].e];
        n->kind = COLUMN;
        n->col = j;
    }
}

/* ---- reverse accumulation */

static void push_term(differ *d, node *n, ct_expr e)
{
    if (e == CT_ZERO)
        return;
    CT_PUSH(d->arena, d->term, (term){e, n->terms});
    n->terms = d->term.count - 1;
}

static ct_expr take_adjoint(differ *d, node *n)
{
    d->list.count = 0;
    for (uint32_t i = n->terms; i; i = d->term.at[i].next)
        CT_PUSH(d->arena, d->list, d->term.at[i].e);
    n->terms = 0;
    return d->list.count == 1 ? d->list.at[0] : ct_expr_sum(d->pool, d->list.at, d->list.count);
}

static void spread_sum(differ *d, const node *n, ct_expr adjoint)
{
    for (uint32_t i = 0; i < ct_expr_arity(d->pool, n->e); i++) {
        node *x = operand_node(d, n, i);
        if (x->kind != PASSIVE)
            push_term(d, x, ct_expr_mul(d->pool, ct_expr_coefficient(d->pool, n->e, i), adjoint));
    }
}

static ct_expr power_of(ct_pool *pool, ct_expr e, uint32_t i)
{
    return ct_expr_pow(pool, ct_expr_operand(pool, e, i), ct_expr_coefficient(pool, e, i));
}

/* c p x^(p-1) times the other factors: those before i, and those after it. */
static ct_expr product_term(ct_pool *pool, ct_expr e, uint32_t i, ct_expr before, ct_expr after,
                            ct_expr adjoint)
{
    ct_expr x = ct_expr_operand(pool, e, i), p = ct_expr_coefficient(pool, e, i);
    ct_expr factor[6] = {ct_expr_constant(pool, e), p, before, after, adjoint};
    factor[5] = ct_expr_pow(pool, x, ct_num_add(pool, p, CT_MINUS_ONE));
    return ct_expr_product(pool, factor, 6);
}

/* Products of the factors after each one make the work linear in their number. */
static void spread_product(differ *d, const node *n, ct_expr adjoint)
{
    ct_pool *pool = d->pool;
    uint32_t arity = ct_expr_arity(pool, n->e);
    ct_expr before = CT_ONE;
    CT_RESERVE(d->arena, d->list, arity + 1);
    ct_expr *after = d->list.at;
    after[arity - 1] = CT_ONE;
    for (uint32_t i = arity - 1; i > 0; i--)
        after[i - 1] = ct_expr_mul(pool, after[i], power_of(pool, n->e, i));
    for (uint32_t i = 0; i < arity; i++) {
        node *x = operand_node(d, n, i);
        if (x->kind != PASSIVE)
            push_term(d, x, product_term(pool, n->e, i, before, after[i], adjoint));
        before = ct_expr_mul(pool, before, power_of(pool, n->e, i));
    }
}

/* Of many operands only the first may vary: a table with varying points has no row in ops.def. */
static void spread_call(differ *d, const node *n, ct_expr adjoint)
{
    const ct_op_row *row = ct_op_at(ct_expr_op(d->pool, n->e));
    for (uint32_t i = 0; i < ct_expr_arity(d->pool, n->e); i++) {
        node *x = operand_node(d, n, i);
        if (x->kind == PASSIVE || !operand_matters(d, n->e, i))
            continue;
        ct_expr dx[3] = {CT_ZERO, CT_ZERO, CT_ZERO}, product = 0;
        if (i < 3)
            dx[i] = adjoint;
        if (row->differential && (i == 0 || row->arity >= 0))
            product = ct_read_differential(d->pool, row->differential, n->e, dx);
        if (!product)
            d->culprit = n->e;
        else
            push_term(d, x, product);
    }
}

/* The adjoint of a node becomes terms of what it uses; that of a cut, of its columns. */
static void spread(differ *d, const node *n, ct_expr adjoint)
{
    if (n->kind == CUT) {
        for (uint32_t i = 0; i < n->entries; i++) {
            entry g = d->gradient.at[n->gradient + i];
            push_term(d, &d->node[g.column], ct_expr_mul(d->pool, adjoint, g.e));
        }
        return;
    }
    if (ct_is(d->pool, n->e, CT_EXPR_SUM))
        spread_sum(d, n, adjoint);
    else if (ct_is(d->pool, n->e, CT_EXPR_PRODUCT))
        spread_product(d, n, adjoint);
    else
        spread_call(d, n, adjoint);
}

static void visit_node(differ *d, uint32_t k)
{
    node *n = &d->node[k];
    if (n->kind == PASSIVE || n->seen == d->descent)
        return;
    n->seen = d->descent;
    CT_PUSH(d->arena, d->stack, (visit){k, 0});
}

/* How many nodes may get a term from the adjoint of n. */
static uint32_t receivers(const differ *d, const node *n)
{
    if (n->kind == COLUMN)
        return 0;
    return n->kind == CUT ? n->entries : ct_expr_arity(d->pool, n->e);
}

static void visit_receiver(differ *d, const node *n, uint32_t i)
{
    if (n->kind == CUT)
        visit_node(d, d->gradient.at[n->gradient + i].column);
    else if (operand_matters(d, n->e, i))
        visit_node(d, (uint32_t)(operand_node(d, n, i) - d->node));
}

/* Lists the nodes that the gradient of the root passes through, each before what gives it a term.
 */
static void descend(differ *d, uint32_t root)
{
    d->descent++;
    d->order.count = 0;
    visit_node(d, root);
    while (d->stack.count > 0) {
        visit *v = &d->stack.at[d->stack.count - 1];
        const node *n = &d->node[v->node];
        if (v->operand < receivers(d, n)) {
            visit_receiver(d, n, v->operand++);
            continue;
        }
        CT_PUSH(d->arena, d->order, v->node);
        d->stack.count--;
    }
}

/* Leaves the gradient of the node in d->found. */
static void accumulate(differ *d, uint32_t root)
{
    d->found.count = 0;
    d->term.count = 1;
    descend(d, root);
    if (d->order.count > 0)
        push_term(d, &d->node[root], CT_ONE);
    for (uint32_t i = d->order.count; i-- > 0;) {
        uint32_t k = d->order.at[i];
        ct_expr adjoint = take_adjoint(d, &d->node[k]);
        if (adjoint == CT_ZERO)
            continue;
        if (d->node[k].kind == COLUMN)
            CT_PUSH(d->arena, d->found, (entry){k, adjoint});
        else
            spread(d, &d->node[k], adjoint);
    }
}

/* ---- gradients of the cuts */

/* The differentials of the operands, column by column. */
static void gather_choice(differ *d, const node *n)
{
    d->touched.count = 0;
    for (uint32_t i = 0; i < ct_expr_arity(d->pool, n->e); i++) {
        if (!operand_matters(d, n->e, i))
            continue;
        accumulate(d, (uint32_t)(operand_node(d, n, i) - d->node));
        for (uint32_t k = 0; k < d->found.count; k++) {
            entry g = d->found.at[k];
            ct_expr *dx = d->choice + 3 * (size_t)d->node[g.column].col;
            if (!dx[0]) {
                CT_PUSH(d->arena, d->touched, g.column);
                dx[0] = dx[1] = dx[2] = CT_ZERO;
            }
            dx[i] = g.e;
        }
    }
}

static void choose(differ *d, const node *n)
{
    const char *differential = ct_op_at(ct_expr_op(d->pool, n->e))->differential;
    gather_choice(d, n);
    d->found.count = 0;
    for (uint32_t k = 0; k < d->touched.count; k++) {
        uint32_t column = d->touched.at[k];
        ct_expr *dx = d->choice + 3 * (size_t)d->node[column].col;
        ct_expr e = ct_read_differential(d->pool, differential, n->e, dx);
        dx[0] = 0;
        if (!e)
            d->culprit = n->e;
        else if (e != CT_ZERO)
            CT_PUSH(d->arena, d->found, (entry){column, e});
    }
}

static void cut(differ *d, uint32_t k)
{
    node *n = &d->node[k];
    if (is_choice(d, n->e))
        choose(d, n);
    else
        accumulate(d, k);
    n->gradient = d->gradient.count;
    n->entries = d->found.count;
    n->kind = CUT;
    for (uint32_t i = 0; i < d->found.count; i++)
        CT_PUSH(d->arena, d->gradient, d->found.at[i]);
}

static void classify_all(differ *d)
{
    for (uint32_t k = 0; k < d->count && goes_on(d); k++) {
        node *n = &d->node[k];
        if (!n->needed)
            continue;
        classify(d, n);
        if (n->kind == ACTIVE && (is_choice(d, n->e) || is_hub(n)))
            cut(d, k);
    }
}

/* ---- the matrix */

typedef struct place {
    uint32_t row, col;
    ct_expr e;
} place;

typedef CT_VEC(place) place_list;

static place_list list_places(differ *d, const ct_expr *f, uint32_t rows)
{
    place_list all = {0};
    for (uint32_t i = 0; i < rows && goes_on(d); i++) {
        if (!f[i])
            continue;
        accumulate(d, d->walk->memo[f[i]].e);
        for (uint32_t k = 0; k < d->found.count; k++) {
            entry g = d->found.at[k];
            CT_PUSH(d->arena, all, (place){i, d->node[g.column].col, g.e});
        }
    }
    return all;
}

/* Counting sort by columns; rows rise already. */
static ct_jacobian *compress(ct_arena *arena, const place_list *all, uint32_t rows, uint32_t cols)
{
    ct_jacobian *jacobian = CT_NEW(arena, ct_jacobian);
    uint32_t *start = CT_NEW_ARRAY(arena, uint32_t, cols + 2);
    uint32_t *row = CT_NEW_ARRAY(arena, uint32_t, all->count);
    ct_expr *e = CT_NEW_ARRAY(arena, ct_expr, all->count);
    for (uint32_t i = 0; i < all->count; i++)
        start[all->at[i].col + 2]++;
    for (uint32_t j = 1; j <= cols; j++)
        start[j + 1] += start[j];
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t at = start[all->at[i].col + 1]++;
        row[at] = all->at[i].row;
        e[at] = all->at[i].e;
    }
    *jacobian = (ct_jacobian){rows, cols, all->count, start, row, e};
    return jacobian;
}

const ct_jacobian *ct_jacobian_within(ct_arena *arena, ct_pool *pool, const ct_expr *f,
                                      uint32_t rows, const ct_name *x, uint32_t cols, uint32_t most,
                                      ct_expr *culprit)
{
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    differ d = {.arena = scratch, .pool = pool, .walk = ct_walk_begin(pool, f, rows)};
    uint32_t now = ct_pool_count(pool);
    d.most = most < UINT32_MAX - now ? now + most : UINT32_MAX;
    CT_PUSH(scratch, d.term, (term){0, 0});
    d.choice = CT_NEW_ARRAY(scratch, ct_expr, 3 * (size_t)cols);
    list_nodes(&d);
    mark_columns(&d, x, cols);
    find_needed(&d, f, rows);
    classify_all(&d);
    place_list all = list_places(&d, f, rows);
    ct_jacobian *jacobian = goes_on(&d) ? compress(arena, &all, rows, cols) : NULL;
    *culprit = d.culprit;
    ct_walk_end(pool, d.walk);
    ct_arena_free(scratch);
    return jacobian;
}

const ct_jacobian *ct_jacobian_new(ct_arena *arena, ct_pool *pool, const ct_expr *f, uint32_t rows,
                                   const ct_name *x, uint32_t cols, ct_expr *culprit)
{
    return ct_jacobian_within(arena, pool, f, rows, x, cols, UINT32_MAX, culprit);
}
