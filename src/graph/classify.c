/* classify.c - how an edge behaves in a tree, read off its terminal equations.
 *
 * Each equation is matched with the edge (or own unknown) that it says most about. What it says
 * then decides, by the highest derivatives of the edge's own variables [Diaz, eq. 14]:
 *
 *     only across variables       across driver       v = E(t)
 *     across higher than through  accumulator         i = C dv/dt,  F = m a
 *     equal orders                dissipator          v = R i
 *     through higher than across  delay               v = L di/dt,  F = k x
 *     only through variables      through driver      i = I(t)
 *
 * Where two equations can be exchanged between two edges with the same right, the edges are tied:
 * transformers (one is an across driver, the other a through driver, either way round), gyrators
 * (both or none), nullors.
 */
#include "graph/classify.h"

#include <limits.h>

#include "base/vec.h"
#include "graph/graph.h"

enum { ABSENT = INT_MIN, SAME_RIGHT = 4 };

/* Highest orders of an edge's variables (or of an own unknown: across) in one equation. */
typedef struct orders {
    int across, through;
} orders;

typedef struct case_key {
    uint32_t element;
    uint64_t zeros; /* parameters that are exactly zero, by slot */
} case_key;

struct ct_classifier {
    const ct_model *m;
    ct_arena *arena;
    CT_VEC(case_key) key;
    CT_VEC(const ct_edge_classes *) classes;
    ct_map by_key; /* hash -> index + 1; a clash is settled by comparing keys */
};

/* ---- orders of variables in the equations */

typedef struct reader {
    ct_classifier *c;
    const ct_element *e;
    uint32_t size; /* edges and own unknowns */
    orders *at;    /* size x size: equation, object */
    ct_map object; /* symbol -> object * 8 + variable + 1 */
} reader;

static void name_objects(reader *r)
{
    const ct_model *m = r->c->m;
    ct_map_init(&r->object, r->c->arena);
    for (uint32_t i = 0; i < r->e->edge_count; i++) {
        const ct_variable_row *row = ct_domain_row_at(r->e->edge[i].domain)->variable;
        const char *edge = ct_name_text(m->ctx, r->e->edge[i].name);
        for (uint32_t k = 0; k < CT_DOMAIN_VARIABLES && row[k].name; k++)
            ct_map_put(&r->object, ct_intern_joined(m->ctx, edge, ".", row[k].name), i * 8 + k + 1);
    }
    for (uint32_t i = 0; i < r->e->var_count; i++)
        ct_map_put(&r->object, r->e->var[i].name, (r->e->edge_count + i) * 8 + 1);
}

static void note_symbol(reader *r, orders *row, ct_name symbol, int shift)
{
    uint32_t code = ct_map_get(&r->object, symbol);
    if (!code)
        return;
    uint32_t object = (code - 1) / 8, k = (code - 1) % 8;
    bool across = true;
    if (object < r->e->edge_count) {
        const ct_variable_row *v = &ct_domain_row_at(r->e->edge[object].domain)->variable[k];
        across = v->across;
        shift += v->order;
    }
    int *highest = across ? &row[object].across : &row[object].through;
    if (shift > *highest)
        *highest = shift;
}

typedef struct visit {
    ct_expr e;
    int shift; /* time derivatives taken around it */
} visit;

static int shift_of(const ct_pool *pool, ct_expr e)
{
    if (ct_expr_kind_of(pool, e) != CT_EXPR_CALL)
        return 0;
    return ct_expr_op(pool, e) == CT_OP_DER ? 1 : ct_expr_op(pool, e) == CT_OP_INTEGRAL ? -1 : 0;
}

static void read_orders(reader *r, ct_expr equation, orders *row)
{
    const ct_pool *pool = r->c->m->pool;
    CT_VEC(visit) stack = {0};
    ct_map seen;
    ct_map_init(&seen, r->c->arena);
    CT_PUSH(r->c->arena, stack, (visit){equation, 0});
    while (stack.count) {
        visit v = stack.at[--stack.count];
        uint64_t key = ct_pair(v.e, (uint32_t)(v.shift + 1000));
        if (ct_map_get(&seen, key))
            continue;
        ct_map_put(&seen, key, 1);
        if (ct_expr_kind_of(pool, v.e) == CT_EXPR_SYMBOL)
            note_symbol(r, row, ct_expr_name(pool, v.e), v.shift);
        int shift = v.shift + shift_of(pool, v.e);
        for (uint32_t i = 0; i < ct_expr_arity(pool, v.e); i++)
            CT_PUSH(r->c->arena, stack, (visit){ct_expr_operand(pool, v.e, i), shift});
    }
}

/* ---- structural zeros */

static uint64_t zeros_of(const ct_model *m, uint32_t component)
{
    uint32_t slots = m->element[m->component[component].element]->slot_count;
    const ct_expr *value = ct_component_params(m, component);
    uint64_t zeros = 0;
    for (uint32_t i = 0; i < slots && i < 64; i++)
        if (value[i] && ct_expr_is_zero(m->pool, value[i]))
            zeros |= (uint64_t)1 << i;
    return zeros;
}

static ct_expr with_zeros(const ct_model *m, const ct_element *e, uint64_t zeros, ct_expr equation)
{
    for (uint32_t k = 0; k < e->param_count; k++) {
        bool scalar = e->param[k].rows == 1 && e->param[k].cols == 1 && e->param[k].slot < 64;
        if (!scalar || !(zeros >> e->param[k].slot & 1))
            continue;
        ct_expr zero = ct_expr_int(m->pool, 0);
        ct_expr put_in = ct_expr_substitute(m->pool, equation, &e->param[k].name, &zero, 1);
        equation = put_in ? put_in : equation; /* 1/0: leave it, values are judged later */
    }
    return equation;
}

/* ---- matching equations with edges: assignment of greatest weight */

static int right_of(orders o)
{
    return (o.across != ABSENT) + (o.through != ABSENT);
}

static bool is_left_side(const reader *r, uint32_t equation, uint32_t object)
{
    ct_expr left = r->e->equation[equation].left;
    if (ct_expr_kind_of(r->c->m->pool, left) != CT_EXPR_SYMBOL)
        return false;
    uint32_t code = ct_map_get(&r->object, ct_expr_name(r->c->m->pool, left));
    return code && (code - 1) / 8 == object;
}

/* Among equals, the equation written `e.v = ...` goes to e. */
static int weight(const reader *r, uint32_t equation, uint32_t object)
{
    return SAME_RIGHT * right_of(r->at[equation * r->size + object]) +
           is_left_side(r, equation, object);
}

/* Hungarian method with potentials; owner[j] is the equation of object j. */
static void match(const reader *r, uint32_t *owner)
{
    uint32_t n = r->size;
    int *u = CT_NEW_ARRAY(r->c->arena, int, n + 1), *v = CT_NEW_ARRAY(r->c->arena, int, n + 1);
    uint32_t *p = CT_NEW_ARRAY(r->c->arena, uint32_t, n + 1),
             *way = CT_NEW_ARRAY(r->c->arena, uint32_t, n + 1);
    int *least = CT_NEW_ARRAY(r->c->arena, int, n + 1);
    bool *used = CT_NEW_ARRAY(r->c->arena, bool, n + 1);
    for (uint32_t i = 1; i <= n; i++) {
        uint32_t j0 = 0;
        p[0] = i;
        for (uint32_t j = 0; j <= n; j++)
            least[j] = INT_MAX, used[j] = false;
        do {
            used[j0] = true;
            uint32_t i0 = p[j0], j1 = 0;
            int delta = INT_MAX;
            for (uint32_t j = 1; j <= n; j++) {
                int cost = used[j] ? 0 : -weight(r, i0 - 1, j - 1) - u[i0] - v[j];
                if (!used[j] && cost < least[j])
                    least[j] = cost, way[j] = j0;
                if (!used[j] && least[j] < delta)
                    delta = least[j], j1 = j;
            }
            for (uint32_t j = 0; j <= n; j++) {
                if (used[j])
                    u[p[j]] += delta, v[j] -= delta;
                else
                    least[j] -= delta;
            }
            j0 = j1;
        } while (p[j0]);
        for (uint32_t j1; j0; j0 = j1)
            j1 = way[j0], p[j0] = p[j1];
    }
    for (uint32_t j = 1; j <= n; j++)
        owner[j - 1] = p[j] - 1;
}

/* ---- classes */

static ct_tree_class class_of(orders o)
{
    if (o.across == ABSENT)
        return CT_THROUGH_DRIVER; /* also an edge that no equation names: a norator */
    if (o.through == ABSENT)
        return CT_ACROSS_DRIVER;
    return o.across > o.through ? CT_ACCUMULATOR : o.across < o.through ? CT_DELAY : CT_DISSIPATOR;
}

static bool drives(ct_tree_class class)
{
    return class == CT_ACROSS_DRIVER || class == CT_THROUGH_DRIVER;
}

/* How edges i and j are tied when their equations may be exchanged. */
static ct_edge_tie tie_of(const reader *r, const uint32_t *owner, uint32_t i, uint32_t j)
{
    const orders *p = r->at + owner[i] * r->size, *q = r->at + owner[j] * r->size;
    if (right_of(p[i]) + right_of(q[j]) != right_of(p[j]) + right_of(q[i]))
        return CT_TIE_NONE;
    bool free_i = right_of(p[i]) + right_of(q[i]) == 0,
         free_j = right_of(p[j]) + right_of(q[j]) == 0;
    if (free_i || free_j)
        return free_i && free_j ? CT_TIE_NONE : CT_TIE_ONE; /* nullor */
    ct_tree_class a = class_of(p[i]), b = class_of(q[j]), a2 = class_of(q[i]), b2 = class_of(p[j]);
    if (!drives(a) || !drives(b) || !drives(a2) || !drives(b2) || a == a2 || b == b2)
        return CT_TIE_NONE;
    return a == b ? CT_TIE_ALL : CT_TIE_ONE;
}

/* In a group of more than two windings the across variables have one degree of freedom, so that one
 * edge is a branch; the matching alone would make all but one across drivers. */
static void tie_edges(const reader *r, const uint32_t *owner, uint8_t *tied, ct_edge_tie *tie)
{
    for (uint32_t i = 0; i < r->e->edge_count; i++) {
        for (uint32_t j = i + 1; j < r->e->edge_count; j++) {
            ct_edge_tie kind = tie_of(r, owner, i, j);
            if (kind == CT_TIE_NONE || (*tie != CT_TIE_NONE && *tie != kind))
                continue;
            *tie = kind;
            tied[i] = tied[j] = 1;
        }
    }
    for (uint32_t i = 0; i < r->e->edge_count && *tie == CT_TIE_ONE; i++)
        for (uint32_t j = 0; j < r->e->edge_count; j++) /* windings tied by their equations only */
            if (tied[i] && !tied[j] && drives(class_of(r->at[owner[j] * r->size + j])) &&
                right_of(r->at[owner[j] * r->size + i]))
                tied[j] = right_of(r->at[owner[i] * r->size + j]) > 0;
}

static bool reads_others(const reader *r, const uint32_t *owner, uint32_t edge)
{
    for (uint32_t j = 0; j < r->size; j++)
        if (j != edge && right_of(r->at[owner[edge] * r->size + j]))
            return true;
    return false;
}

/* A field says which equation is whose, and may have thousands of own unknowns. */
static const ct_edge_classes *classify_field(ct_classifier *c, const ct_element *e, uint64_t zeros)
{
    reader r = {.c = c, .e = e, .size = e->equation_count};
    uint8_t *class = CT_NEW_ARRAY(c->arena, uint8_t, e->edge_count + 1);
    uint8_t *tied = CT_NEW_ARRAY(c->arena, uint8_t, e->edge_count + 1);
    uint8_t *controlled = CT_NEW_ARRAY(c->arena, uint8_t, e->edge_count + 1);
    uint32_t *owner = CT_NEW_ARRAY(c->arena, uint32_t, e->edge_count + 1);
    r.at = CT_NEW_ARRAY(c->arena, orders, (size_t)r.size * e->edge_count + 1);
    for (uint32_t i = 0; i < r.size * e->edge_count; i++)
        r.at[i] = (orders){ABSENT, ABSENT};
    name_objects(&r);
    for (uint32_t i = 0; i < e->edge_count; i++) {
        const ct_element_equation *own = &e->equation[e->edge_equation[i]];
        ct_expr difference = ct_expr_sub(c->m->pool, own->left, own->right);
        owner[i] = i;
        read_orders(&r, with_zeros(c->m, e, zeros, difference), r.at + (size_t)i * r.size);
        class[i] = (uint8_t)class_of(r.at[(size_t)i * r.size + i]);
        if (e->open) /* between stores and flows: the tree decides what it is (ends.c) */
            class[i] = CT_DISSIPATOR;
        controlled[i] = reads_others(&r, owner, i);
    }
    ct_edge_classes *out = CT_NEW(c->arena, ct_edge_classes);
    *out = (ct_edge_classes){.class = class, .tied = tied, .controlled = controlled};
    return out;
}

static const ct_edge_classes *classify(ct_classifier *c, const ct_element *e, uint64_t zeros)
{
    if (e->edge_equation)
        return classify_field(c, e, zeros);
    reader r = {.c = c, .e = e, .size = e->equation_count};
    r.at = CT_NEW_ARRAY(c->arena, orders, r.size * r.size + 1);
    for (uint32_t i = 0; i < r.size * r.size; i++)
        r.at[i] = (orders){ABSENT, ABSENT};
    name_objects(&r);
    for (uint32_t i = 0; i < r.size; i++) {
        ct_expr difference = ct_expr_sub(c->m->pool, e->equation[i].left, e->equation[i].right);
        read_orders(&r, with_zeros(c->m, e, zeros, difference), r.at + i * r.size);
    }
    uint32_t *owner = CT_NEW_ARRAY(c->arena, uint32_t, r.size + 1);
    match(&r, owner);
    uint8_t *class = CT_NEW_ARRAY(c->arena, uint8_t, e->edge_count + 1);
    uint8_t *tied = CT_NEW_ARRAY(c->arena, uint8_t, e->edge_count + 1);
    uint8_t *controlled = CT_NEW_ARRAY(c->arena, uint8_t, e->edge_count + 1);
    ct_edge_classes *out = CT_NEW(c->arena, ct_edge_classes);
    for (uint32_t i = 0; i < e->edge_count; i++) {
        class[i] = (uint8_t)class_of(r.at[owner[i] * r.size + i]);
        controlled[i] = reads_others(&r, owner, i);
    }
    *out = (ct_edge_classes){.class = class, .tied = tied, .controlled = controlled};
    tie_edges(&r, owner, tied, &out->tie);
    return out;
}

ct_classifier *ct_classifier_new(const ct_model *m, ct_arena *arena)
{
    ct_classifier *c = CT_NEW(arena, ct_classifier);
    c->m = m;
    c->arena = arena;
    ct_map_init(&c->by_key, arena);
    return c;
}

const ct_edge_classes *ct_classify(ct_classifier *c, uint32_t component)
{
    case_key key = {c->m->component[component].element, zeros_of(c->m, component)};
    for (uint64_t salt = 0;; salt++) {
        uint64_t hash = ct_hash_mix(ct_hash_mix(key.element, key.zeros), salt);
        uint32_t index = ct_map_get(&c->by_key, hash);
        if (index && c->key.at[index - 1].element == key.element &&
            c->key.at[index - 1].zeros == key.zeros)
            return c->classes.at[index - 1];
        if (index)
            continue;
        CT_PUSH(c->arena, c->key, key);
        CT_PUSH(c->arena, c->classes, classify(c, c->m->element[key.element], key.zeros));
        ct_map_put(&c->by_key, hash, c->key.count);
        return c->classes.at[c->classes.count - 1];
    }
}
