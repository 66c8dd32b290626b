/* equations_name.c - names for what would make equations long.
 *
 * Expressions are shared, but are printed as trees: a chain of n nodes that each use the one before
 * twice would take 2^n characters. So the length as a tree is counted first, with floating-point
 * numbers, which saturate by themselves. In equations that come out long, what is used more than
 * once gets a name z1, z2, .. and is defined above; so do large operands of what is still too long.
 */
#include <stdlib.h>
#include <string.h>

#include "export/equations_make.h"

enum { LONG_EQUATION = 300, SHORT_PART = 24, LEAST_GAIN = 48, NAME_LENGTH = 3 };

typedef struct node_row {
    ct_expr e, out;
    double length; /* as a tree, with names in place */
    uint32_t uses;
    ct_name name; /* 0: none */
} node_row;

typedef struct namer {
    maker *m;
    ct_pool *pool;
    CT_VEC(node_row) node; /* operands before users */
    ct_map index;          /* node -> index plus 1 */
    const char *stem;
} namer;

static node_row *row_of(namer *n, ct_expr e)
{
    return &n->node.at[ct_map_get(&n->index, e) - 1];
}

static void note_node(void *user, ct_expr e)
{
    namer *n = user;
    CT_PUSH(n->m->arena, n->node, (node_row){.e = e, .out = e});
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
        return ct_name_length(n->m->model->ctx, ct_expr_name(n->pool, e));
    double length = kind == CT_EXPR_CALL ? 6 : 2;
    for (uint32_t i = 0; i < ct_expr_arity(n->pool, e); i++)
        length += part_length(n, ct_expr_operand(n->pool, e, i)) + 2;
    return length;
}

static double equation_length(namer *n, const ct_equation *e)
{
    double length = 3;
    const ct_side *side[] = {&e->left, &e->right};
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < side[k]->count; i++) {
            length += part_length(n, side[k]->term[i].factor) + 3;
            length += side[k]->term[i].core ? part_length(n, side[k]->term[i].core) : 0;
        }
    }
    return length;
}

/* ---- which equations are long */

typedef CT_VEC(ct_expr *) root_list;

static void add_roots(maker *m, ct_equation *e, root_list *roots)
{
    const ct_side *side[] = {&e->left, &e->right};
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < side[k]->count; i++) {
            CT_PUSH(m->arena, *roots, &side[k]->term[i].factor);
            if (side[k]->term[i].core)
                CT_PUSH(m->arena, *roots, &side[k]->term[i].core);
        }
    }
}

static void load(namer *n, const root_list *roots)
{
    ct_expr *list = CT_NEW_ARRAY(n->m->arena, ct_expr, roots->count + 1);
    for (uint32_t i = 0; i < roots->count; i++)
        list[i] = *roots->at[i];
    ct_map_init(&n->index, n->m->arena);
    n->node.count = 0;
    ct_expr_walk(n->pool, list, roots->count, note_node, n);
}

/* Loads all equations; gives the roots of the long ones. */
static root_list long_roots(namer *n)
{
    maker *m = n->m;
    root_list all = {0}, found = {0};
    for (uint32_t i = 0; i < m->group.count; i++)
        for (uint32_t k = 0; k < m->group.at[i].count; k++)
            add_roots(m, &m->group.at[i].equation[k], &all);
    load(n, &all);
    for (uint32_t i = 0; i < n->node.count; i++)
        n->node.at[i].length = length_of(n, n->node.at[i].e);
    for (uint32_t i = 0; i < m->group.count; i++)
        for (uint32_t k = 0; k < m->group.at[i].count; k++)
            if (equation_length(n, &m->group.at[i].equation[k]) > LONG_EQUATION)
                add_roots(m, &m->group.at[i].equation[k], &found);
    return found;
}

/* ---- which nodes get names */

static void count_node_uses(void *user, ct_expr e)
{
    namer *n = user;
    for (uint32_t k = 0; k < ct_expr_arity(n->pool, e); k++)
        row_of(n, ct_expr_operand(n->pool, e, k))->uses++;
}

/* In long equations only. */
static void count_uses(namer *n, const root_list *roots)
{
    ct_expr *list = CT_NEW_ARRAY(n->m->arena, ct_expr, roots->count + 1);
    for (uint32_t i = 0; i < roots->count; i++)
        row_of(n, list[i] = *roots->at[i])->uses++;
    ct_expr_walk(n->pool, list, roots->count, count_node_uses, n);
}

/* -x: a name for x is enough. */
static bool is_wrapper(const namer *n, ct_expr e)
{
    return ct_expr_kind_of(n->pool, e) == CT_EXPR_PRODUCT && ct_expr_arity(n->pool, e) == 1 &&
           ct_expr_is_one(n->pool, ct_expr_coefficient(n->pool, e, 0));
}

enum { UNNAMED_YET = 1 }; /* numbers follow in the order of definition */

static bool is_taken(const maker *m, const char *stem)
{
    size_t length = strlen(stem);
    for (uint32_t i = 0; i < m->model->quantity_count; i++) {
        const char *text = ct_name_text(m->model->ctx, m->model->quantity[i].name);
        if (strncmp(text, stem, length) == 0 &&
            strspn(text + length, "0123456789") == strlen(text + length))
            return true;
    }
    return false;
}

/* z, or zz when the model has a z or z1 of its own, ... */
static const char *free_stem(const maker *m)
{
    const char *stem = "z";
    while (is_taken(m, stem))
        stem = ct_printf(m->model->ctx, "%sz", stem);
    return stem;
}

/* Operands from the largest on, until the node is short. */
static void shorten(namer *n, node_row *r)
{
    uint32_t arity = ct_expr_arity(n->pool, r->e);
    for (uint32_t turn = 0; turn < arity && r->length > LONG_EQUATION; turn++) {
        node_row *largest = NULL;
        for (uint32_t i = 0; i < arity; i++) {
            node_row *o = row_of(n, ct_expr_operand(n->pool, r->e, i));
            if (!o->name && !is_leaf(n, o->e) && (!largest || o->length > largest->length))
                largest = o;
        }
        if (!largest || largest->length < LONG_EQUATION / 4)
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
        if (r->length > LONG_EQUATION)
            shorten(n, r);
        bool shared = r->uses > 1 && r->length >= SHORT_PART && !is_wrapper(n, r->e);
        if (shared && (r->uses - 1) * r->length >= LEAST_GAIN)
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
    ct_expr *part = CT_NEW_ARRAY(n->m->arena, ct_expr, count + 1);
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
    maker *m = n->m;
    ct_context *ctx = m->model->ctx;
    const char *text = ct_printf(ctx, "%s%u", n->stem, m->definition.count + 1);
    r->name = ct_intern_text(ctx, text);
    ct_equation e = {.left = ct_side_of(m, ct_expr_symbol(m->pool, r->name)),
                     .right = ct_side_of(m, r->out)};
    CT_PUSH(m->arena, m->definition, (ct_definition){r->name, e});
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

/* A core that was a sum may be -z now: it goes to the factor, with its sign. */
static void replace_in_side(namer *n, const ct_side *side)
{
    for (uint32_t i = 0; i < side->count; i++) {
        ct_side_term *t = &side->term[i];
        t->factor = replaced_root(n, t->factor);
        if (!t->core)
            continue;
        t->core = replaced_root(n, t->core);
        if (ct_expr_kind_of(n->pool, t->core) == CT_EXPR_PRODUCT && !ct_is_turned(n->pool, t->core))
            *t = (ct_side_term){ct_expr_mul(n->pool, t->factor, t->core), 0};
    }
}

void ct_name_intermediates(maker *m)
{
    namer n = {.m = m, .pool = m->pool};
    root_list roots = long_roots(&n);
    if (!roots.count)
        return;
    n.stem = free_stem(m);
    count_uses(&n, &roots);
    choose_names(&n);
    for (uint32_t i = 0; i < n.node.count; i++) {
        node_row *r = &n.node.at[i];
        if (!is_leaf(&n, r->e))
            r->out = rebuild(&n, r->e);
        if (r->name)
            define(&n, r);
    }
    for (uint32_t i = 0; i < m->group.count; i++)
        for (uint32_t k = 0; k < m->group.at[i].count; k++) {
            replace_in_side(&n, &m->group.at[i].equation[k].left);
            replace_in_side(&n, &m->group.at[i].equation[k].right);
            ct_side_lead(m, m->group.at[i].equation[k].right);
        }
}
