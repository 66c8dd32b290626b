/* parts.c - names for what would make formulas long; see parts.h. */
#include "export/parts.h"

#include <string.h>

enum { NAME_LENGTH = 3 };

typedef struct node_row {
    ct_expr e, out;
    double whole;  /* characters as a tree */
    double length; /* the same with names in place */
    uint32_t uses;
    ct_name name; /* 0: none */
} node_row;

typedef struct namer {
    ct_parts *p;
    ct_pool *pool;
    CT_VEC(node_row) node; /* operands before users */
    ct_map index;          /* node -> index plus 1 */
    const char *stem;
} namer;

ct_parts ct_parts_new(const ct_model *model, ct_arena *arena, ct_pool *pool)
{
    return (ct_parts){.model = model,
                      .arena = arena,
                      .pool = pool,
                      .longest = 300,
                      .broken = 300,
                      .shortest = 24,
                      .least_gain = 48};
}

void ct_parts_group(ct_parts *p, double extra)
{
    CT_PUSH(p->arena, p->group, extra);
}

void ct_parts_add(ct_parts *p, ct_expr *root)
{
    CT_PUSH(p->arena, p->root, (struct ct_part_root){root, p->group.count - 1});
}

static node_row *row_of(namer *n, ct_expr e)
{
    return &n->node.at[ct_map_get(&n->index, e) - 1];
}

static void note_node(void *user, ct_expr e)
{
    namer *n = user;
    CT_PUSH(n->p->arena, n->node, (node_row){.e = e, .out = e});
    ct_map_put(&n->index, e, n->node.count);
}

static bool is_leaf(const namer *n, ct_expr e)
{
    return ct_expr_kind_of(n->pool, e) <= CT_EXPR_SYMBOL;
}

static double part_length(namer *n, ct_expr operand)
{
    const node_row *r = row_of(n, operand);
    return r->name ? NAME_LENGTH : r->length;
}

static double length_of(namer *n, ct_expr e)
{
    ct_expr_kind kind = ct_expr_kind_of(n->pool, e);
    if (kind == CT_EXPR_NUMBER)
        return 3;
    if (kind == CT_EXPR_SYMBOL)
        return ct_name_length(n->p->model->ctx, ct_expr_name(n->pool, e));
    double length = kind == CT_EXPR_CALL ? 6 : 2;
    for (uint32_t i = 0; i < ct_expr_arity(n->pool, e); i++)
        length += part_length(n, ct_expr_operand(n->pool, e, i)) + 2;
    return length;
}

/* ---- which formulas are long */

static void load(namer *n)
{
    ct_parts *p = n->p;
    ct_expr *list = CT_NEW_ARRAY(p->arena, ct_expr, p->root.count + 1);
    for (uint32_t i = 0; i < p->root.count; i++)
        list[i] = *p->root.at[i].at;
    ct_map_init(&n->index, p->arena);
    ct_expr_walk(n->pool, list, p->root.count, note_node, n);
    for (uint32_t i = 0; i < n->node.count; i++)
        n->node.at[i].whole = n->node.at[i].length = length_of(n, n->node.at[i].e);
}

typedef CT_VEC(ct_expr) expr_list;

/* Roots of the long formulas. */
static expr_list long_roots(namer *n)
{
    ct_parts *p = n->p;
    expr_list found = {0};
    for (uint32_t i = 0; i < p->root.count; i++)
        p->group.at[p->root.at[i].group] += part_length(n, *p->root.at[i].at);
    for (uint32_t i = 0; i < p->root.count; i++)
        if (p->group.at[p->root.at[i].group] > p->longest)
            CT_PUSH(p->arena, found, *p->root.at[i].at);
    return found;
}

/* ---- which nodes get names */

static void count_node_uses(void *user, ct_expr e)
{
    namer *n = user;
    for (uint32_t k = 0; k < ct_expr_arity(n->pool, e); k++)
        row_of(n, ct_expr_operand(n->pool, e, k))->uses++;
}

/* In long formulas only. */
static void count_uses(namer *n, const expr_list *roots)
{
    for (uint32_t i = 0; i < roots->count; i++)
        row_of(n, roots->at[i])->uses++;
    ct_expr_walk(n->pool, roots->at, roots->count, count_node_uses, n);
}

/* -x: a name for x is enough. */
static bool is_wrapper(const namer *n, ct_expr e)
{
    return ct_expr_kind_of(n->pool, e) == CT_EXPR_PRODUCT && ct_expr_arity(n->pool, e) == 1 &&
           ct_expr_is_one(n->pool, ct_expr_coefficient(n->pool, e, 0));
}

enum { UNNAMED_YET = 1 }; /* numbers follow in the order of definition */

static bool is_taken(const ct_model *m, const char *stem)
{
    size_t length = strlen(stem);
    for (uint32_t i = 0; i < m->quantity_count; i++) {
        const char *text = ct_name_text(m->ctx, m->quantity[i].name);
        if (strncmp(text, stem, length) == 0 &&
            strspn(text + length, "0123456789") == strlen(text + length))
            return true;
    }
    return false;
}

const char *ct_free_stem(const ct_model *m, const char *letter)
{
    const char *stem = letter;
    while (is_taken(m, stem))
        stem = ct_printf(m->ctx, "%s%s", stem, letter);
    return stem;
}

/* Operands from the largest on, until the node is short. */
static void shorten(namer *n, node_row *r)
{
    uint32_t arity = ct_expr_arity(n->pool, r->e);
    for (uint32_t turn = 0; turn < arity && r->length > n->p->broken; turn++) {
        node_row *largest = NULL;
        for (uint32_t i = 0; i < arity; i++) {
            node_row *o = row_of(n, ct_expr_operand(n->pool, r->e, i));
            if (!o->name && !is_leaf(n, o->e) && (!largest || o->length > largest->length))
                largest = o;
        }
        if (!largest || largest->length < n->p->broken / 4)
            return;
        largest->name = UNNAMED_YET;
        r->length = length_of(n, r->e);
    }
}

static void choose_names(namer *n)
{
    for (uint32_t i = 0; i < n->node.count; i++) {
        node_row *r = &n->node.at[i];
        r->length = length_of(n, r->e);
        if (is_leaf(n, r->e) || !r->uses)
            continue;
        if (r->length > n->p->broken)
            shorten(n, r);
        bool shared = r->uses > 1 && r->length >= n->p->shortest && !is_wrapper(n, r->e);
        if (shared && (r->uses - 1) * r->length >= n->p->least_gain)
            r->name = UNNAMED_YET;
    }
}

/* ---- replacing */

static ct_expr replaced(namer *n, ct_expr operand)
{
    const node_row *r = row_of(n, operand);
    return r->name ? ct_expr_symbol(n->pool, r->name) : r->out;
}

static ct_expr rebuild(namer *n, ct_expr e)
{
    ct_expr_kind kind = ct_expr_kind_of(n->pool, e);
    uint32_t count = ct_expr_arity(n->pool, e);
    bool changed = false;
    ct_expr *part = CT_NEW_ARRAY(n->p->arena, ct_expr, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        ct_expr old = ct_expr_operand(n->pool, e, i);
        part[i] = replaced(n, old);
        changed |= part[i] != old;
        if (kind == CT_EXPR_SUM)
            part[i] = ct_expr_mul(n->pool, ct_expr_coefficient(n->pool, e, i), part[i]);
        else if (kind == CT_EXPR_PRODUCT)
            part[i] = ct_expr_pow(n->pool, part[i], ct_expr_coefficient(n->pool, e, i));
    }
    if (!changed)
        return e;
    if (kind == CT_EXPR_CALL)
        return ct_expr_call(n->pool, ct_expr_op(n->pool, e), part, count);
    part[count] = ct_expr_constant(n->pool, e);
    return kind == CT_EXPR_SUM ? ct_expr_sum(n->pool, part, count + 1)
                               : ct_expr_product(n->pool, part, count + 1);
}

static void define(namer *n, node_row *r)
{
    ct_parts *p = n->p;
    ct_context *ctx = p->model->ctx;
    const char *text = ct_printf(ctx, "%s%u", n->stem, p->before + p->part.count + 1);
    r->name = ct_intern_text(ctx, text);
    CT_PUSH(p->arena, p->part, (ct_part){r->name, r->out});
}

/* Nodes of one value are one node, the older one: what does not depend on the parts that have
 * names, such as 3*(a + b)/(a + b), would stay as long as it was. A name for an operand tells it
 * apart. */
static void put_names(namer *n, node_row *r)
{
    r->out = rebuild(n, r->e);
    for (uint32_t i = 0; i < ct_expr_arity(n->pool, r->e) && r->whole > n->p->broken; i++) {
        node_row *o = row_of(n, ct_expr_operand(n->pool, r->e, i));
        if (r->out != r->e)
            return;
        if (o->name || o->out == o->e)
            continue;
        define(n, o);
        r->out = rebuild(n, r->e);
    }
}

/* A product and its negative are different nodes; the name of one serves for the other. */
static ct_expr replaced_root(namer *n, ct_expr e)
{
    ct_expr turned = ct_expr_neg(n->pool, e);
    uint32_t own = ct_map_get(&n->index, e), other = ct_map_get(&n->index, turned);
    if (own && n->node.at[own - 1].name)
        return replaced(n, e);
    if (other && n->node.at[other - 1].name)
        return ct_expr_neg(n->pool, replaced(n, turned));
    return own ? replaced(n, e) : e;
}

void ct_parts_run(ct_parts *p)
{
    namer n = {.p = p, .pool = p->pool};
    load(&n);
    expr_list roots = long_roots(&n);
    if (!roots.count)
        return;
    n.stem = ct_free_stem(p->model, "z");
    count_uses(&n, &roots);
    choose_names(&n);
    for (uint32_t i = 0; i < n.node.count; i++) {
        node_row *r = &n.node.at[i];
        if (!is_leaf(&n, r->e))
            put_names(&n, r);
        if (r->name)
            define(&n, r);
    }
    for (uint32_t i = 0; i < p->root.count; i++)
        *p->root.at[i].at = replaced_root(&n, *p->root.at[i].at);
}
