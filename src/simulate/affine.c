/* affine.c - equations of a rig as a linear system with constant coefficients, where they are one.
 *
 * From one break to the next each node of the expressions is c z + q(tau), with numbers c and a sum
 * q of terms amplitude * tau^k * exp(rate*tau), rates complex, tau the time since the break; or it
 * is neither, and then the system is not linear, unless that branch is not taken. What jumps with
 * time alone (comparisons, floor, mod, the pieces of a table) keeps its value from break to break,
 * so that one look a little after the break tells it.
 */
#include "simulate/affine.h"

#include <math.h>
#include <string.h>

#include "simulate/exp_sum.h"

enum { MOST_UNKNOWNS = 320, MOST_NODES = 8000 };
static const double look_ahead =
    1e-10; /* of the stretch: where comparisons of time are looked at */

typedef struct node {
    ct_expr_kind kind;
    ct_op op;
    uint32_t first, count; /* of its operands in the list */
    double constant;       /* of a number, sum or product */
    uint32_t z;            /* symbol: index + 1 of a variable of programs; 0: a constant */
    uint32_t row;          /* of its coefficients + 1; 0: never depends on z */
    bool bent;             /* never linear, whatever the side of conditions */
} node;

typedef struct operand {
    uint32_t node;
    double number; /* coefficient of a term, exponent of a factor */
} operand;

struct ct_affine_form {
    ct_rig *rig;
    uint32_t size, widest; /* unknowns; most operands of a call */
    CT_VEC(node) node;
    CT_VEC(operand) operand;
    CT_VEC(uint32_t) root;
    ct_map index;  /* expression -> node + 1 */
    bool never;    /* a symbol has no value */
    ct_exp_sum *q; /* of each node */
    bool *bad;     /* of each node: it is not linear */
    bool *linear;  /* of each node: coefficients are there */
    double *c;     /* rows of coefficients */
    double *value; /* of operands of a call */
    double t, tau; /* of the break; from there to where comparisons are looked at */
    double *slope, *force, *drift, *s;
};

/* ---- the nodes, once */

static uint32_t node_of(const ct_affine_form *f, ct_expr e)
{
    return ct_map_get(&f->index, e) - 1;
}

static void read_symbol(ct_affine_form *f, ct_expr e, node *n)
{
    const ct_machine *m = f->rig->machine;
    ct_name name = ct_expr_name(m->pool, e);
    uint32_t parameter = ct_map_get(&m->parameter_index, name);
    n->z = ct_map_get(&m->z_index, name);
    n->constant = parameter ? f->rig->parameter[parameter - 1] : 0;
    n->row = n->z && n->z <= f->size;
    f->never |= !n->z && !parameter;
}

/* One of its operands is chosen, or its sign. */
static bool chooses(ct_op op)
{
    return op == CT_OP_IF || op == CT_OP_ABS || op == CT_OP_MIN || op == CT_OP_MAX ||
           op == CT_OP_CLAMP;
}

/* Products of variables, powers, functions of them; of a choice only what decides counts. */
static bool is_bent(const ct_affine_form *f, const node *n)
{
    uint32_t linear = 0;
    bool bent = false;
    for (uint32_t i = 0; i < n->count; i++) {
        const operand *o = &f->operand.at[n->first + i];
        const node *of = &f->node.at[o->node];
        linear += of->row != 0;
        bent |= of->bent && !(n->kind == CT_EXPR_CALL && n->op == CT_OP_IF && i > 0);
        bent |= of->row && n->kind == CT_EXPR_PRODUCT && o->number != 1;
    }
    return bent || (n->kind == CT_EXPR_PRODUCT && linear > 1) ||
           (n->kind == CT_EXPR_CALL && linear && !chooses(n->op));
}

static void visit(void *user, ct_expr e)
{
    ct_affine_form *f = user;
    ct_pool *pool = f->rig->machine->pool;
    ct_arena *arena = f->rig->arena;
    node n = {.kind = ct_expr_kind_of(pool, e), .first = f->operand.count};
    bool scaled = n.kind == CT_EXPR_SUM || n.kind == CT_EXPR_PRODUCT;
    if (f->node.count >= MOST_NODES)
        f->never = true;
    if (f->never)
        return;
    n.count = ct_expr_arity(pool, e);
    f->widest = n.count > f->widest ? n.count : f->widest;
    for (uint32_t i = 0; i < n.count; i++) {
        double number = scaled ? ct_expr_to_double(pool, ct_expr_coefficient(pool, e, i)) : 1;
        operand o = {node_of(f, ct_expr_operand(pool, e, i)), number};
        n.row |= f->node.at[o.node].row;
        CT_PUSH(arena, f->operand, o);
    }
    if (n.kind == CT_EXPR_SYMBOL)
        read_symbol(f, e, &n);
    else if (n.kind == CT_EXPR_CALL)
        n.op = ct_expr_op(pool, e);
    else
        n.constant = ct_expr_to_double(pool, scaled ? ct_expr_constant(pool, e) : e);
    n.bent = is_bent(f, &n);
    CT_PUSH(arena, f->node, n);
    ct_map_put(&f->index, e, f->node.count);
}

static void take_memory(ct_affine_form *f)
{
    ct_arena *arena = f->rig->arena;
    uint32_t rows = 0, forces = CT_MOST_FORCES;
    for (uint32_t i = 0; i < f->node.count; i++)
        if (f->node.at[i].row)
            f->node.at[i].row = ++rows;
    f->q = CT_NEW_ARRAY(arena, ct_exp_sum, f->node.count);
    f->bad = CT_NEW_ARRAY(arena, bool, f->node.count);
    f->linear = CT_NEW_ARRAY(arena, bool, f->node.count);
    f->c = CT_NEW_ARRAY(arena, double, (size_t)rows * f->size);
    f->value = CT_NEW_ARRAY(arena, double, f->widest);
    f->slope = CT_NEW_ARRAY(arena, double, (size_t)f->size * f->size);
    f->force = CT_NEW_ARRAY(arena, double, (size_t)f->size *forces);
    f->drift = CT_NEW_ARRAY(arena, double, (size_t)forces *forces);
    f->s = CT_NEW_ARRAY(arena, double, forces);
}

ct_affine_form *ct_affine_form_new(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    uint32_t size = m->n + m->m;
    if (m->n == 0 || size > MOST_UNKNOWNS || m->invariant_count)
        return NULL;
    ct_affine_form *f = CT_NEW(rig->arena, ct_affine_form);
    *f = (ct_affine_form){.rig = rig, .size = size};
    ct_map_init(&f->index, rig->arena);
    ct_expr_walk(m->pool, m->kept, size, visit, f);
    if (f->never)
        return NULL;
    for (uint32_t i = 0; i < size; i++) {
        CT_PUSH(rig->arena, f->root, node_of(f, m->kept[i]));
        if (f->node.at[f->root.at[i]].bent)
            return NULL;
    }
    take_memory(f);
    return f;
}

/* ---- one node */

static double *row_of(const ct_affine_form *f, uint32_t i)
{
    return f->c + (size_t)(f->node.at[i].row - 1) * f->size;
}

static const operand *operand_of(const ct_affine_form *f, const node *n, uint32_t i)
{
    return &f->operand.at[n->first + i];
}

/* Node i += factor * node k. */
static bool add_node(ct_affine_form *f, uint32_t i, uint32_t k, double factor)
{
    if (f->linear[k]) {
        double *to = row_of(f, i);
        const double *from = row_of(f, k);
        for (uint32_t j = 0; j < f->size; j++)
            to[j] = (f->linear[i] ? to[j] : 0) + factor * from[j];
        f->linear[i] = true;
    }
    return !f->bad[k] && ct_exp_add_scaled(&f->q[i], &f->q[k], factor);
}

static bool put_symbol(ct_affine_form *f, uint32_t i)
{
    const node *n = &f->node.at[i];
    ct_exp_sum *q = &f->q[i];
    if (!n->z || n->z > f->size + 1) {
        ct_exp_set(q, n->z ? f->rig->variable[n->z - 1] : n->constant);
        return true;
    }
    if (n->z == f->size + 1) {
        ct_exp_set(q, f->t);
        return ct_exp_add(q, (ct_exp_term){0, 0, 1, 1});
    }
    double *c = row_of(f, i);
    memset(c, 0, f->size * sizeof *c);
    c[n->z - 1] = 1;
    f->linear[i] = true;
    return true;
}

static bool put_sum(ct_affine_form *f, uint32_t i)
{
    const node *n = &f->node.at[i];
    bool good = true;
    ct_exp_set(&f->q[i], n->constant);
    for (uint32_t k = 0; k < n->count && good; k++)
        good = add_node(f, i, operand_of(f, n, k)->node, operand_of(f, n, k)->number);
    return good;
}

/* q^exponent */
static bool power_of(const ct_exp_sum *q, double exponent, ct_exp_sum *out)
{
    double value;
    if (ct_exp_is_number(q, &value)) {
        ct_exp_set(out, exponent == -1 ? 1 / value : pow(value, exponent));
        return true;
    }
    bool good = exponent >= 1 && exponent <= CT_MOST_EXP_POWER && exponent == floor(exponent);
    *out = *q;
    for (int k = 1; good && k < (int)exponent; k++) {
        ct_exp_sum before = *out;
        good = ct_exp_product(&before, q, out);
    }
    return good;
}

/* One factor may depend on z; then the others are numbers. */
static bool put_product(ct_affine_form *f, uint32_t i)
{
    const node *n = &f->node.at[i];
    ct_exp_sum all, factor, before;
    uint32_t linear = UINT32_MAX;
    double number;
    ct_exp_set(&all, n->constant);
    for (uint32_t k = 0; k < n->count; k++) {
        const operand *o = operand_of(f, n, k);
        if (f->bad[o->node])
            return false;
        if (f->linear[o->node]) {
            if (linear != UINT32_MAX || o->number != 1)
                return false;
            linear = o->node;
            continue;
        }
        before = all;
        if (!power_of(&f->q[o->node], o->number, &factor) ||
            !ct_exp_product(&before, &factor, &all))
            return false;
    }
    if (linear == UINT32_MAX) {
        f->q[i] = all;
        return true;
    }
    return ct_exp_is_number(&all, &number) && add_node(f, i, linear, number);
}

/* ---- calls */

/* Values of the operands from the first on where comparisons are looked at; false: they depend on
 * z, or change and must not. */
static bool look(ct_affine_form *f, const node *n, uint32_t first, bool may_change)
{
    for (uint32_t k = first; k < n->count; k++) {
        uint32_t o = operand_of(f, n, k)->node;
        if (f->bad[o] || f->linear[o])
            return false;
        bool number = ct_exp_is_number(&f->q[o], &f->value[k]);
        if (!number && !may_change)
            return false;
        if (!number)
            f->value[k] = ct_exp_at(&f->q[o], f->tau);
    }
    return true;
}

/* A call whose value stays from break to break, or whose operands are numbers. */
static bool put_value(ct_affine_form *f, uint32_t i, bool may_change)
{
    const node *n = &f->node.at[i];
    if (!look(f, n, 0, may_change))
        return false;
    ct_exp_set(&f->q[i], ct_op_value(n->op, f->value, n->count));
    return true;
}

/* The piece of a curve of lines. */
static bool put_piece(ct_affine_form *f, uint32_t i)
{
    const node *n = &f->node.at[i];
    uint32_t x = operand_of(f, n, 0)->node;
    if (!look(f, n, 1, false) || f->bad[x] || f->linear[x] || f->value[n->count - 1] != 0)
        return false;
    f->value[0] = ct_exp_at(&f->q[x], f->tau);
    double y = ct_op_value(CT_OP_TABLE, f->value, n->count);
    double slope = ct_op_value(CT_OP_TABLE_SLOPE, f->value, n->count);
    ct_exp_set(&f->q[i], y - slope * f->value[0]);
    return add_node(f, i, x, slope);
}

/* exp, sin, .. of value + slope*tau */
static bool put_wave(ct_affine_form *f, uint32_t i)
{
    const node *n = &f->node.at[i];
    uint32_t o = operand_of(f, n, 0)->node;
    ct_exp_sum *q = &f->q[i];
    double value, slope;
    if (f->bad[o] || f->linear[o] || !ct_exp_is_line(&f->q[o], &value, &slope))
        return false;
    double up = exp(value), down = n->op == CT_OP_SINH ? -exp(-value) : exp(-value);
    switch ((int)n->op) {
    case CT_OP_SIN:
        return ct_exp_add(q, (ct_exp_term){0, slope, 0, sin(value) - I * cos(value)});
    case CT_OP_COS:
        return ct_exp_add(q, (ct_exp_term){0, slope, 0, cos(value) + I * sin(value)});
    case CT_OP_EXP:
        return ct_exp_add(q, (ct_exp_term){slope, 0, 0, up});
    default:
        return ct_exp_add(q, (ct_exp_term){slope, 0, 0, up / 2}) &&
               ct_exp_add(q, (ct_exp_term){-slope, 0, 0, down / 2});
    }
}

/* The operand that such a call equals in this stretch. */
static bool put_choice(ct_affine_form *f, uint32_t i)
{
    const node *n = &f->node.at[i];
    double value[3] = {0};
    uint32_t o[3] = {0}, chosen = 0;
    for (uint32_t k = 0; k < n->count && k < 3; k++) {
        o[k] = operand_of(f, n, k)->node;
        bool decides = n->op != CT_OP_IF || k == 0;
        if (decides && (f->bad[o[k]] || f->linear[o[k]]))
            return false;
        value[k] = decides ? ct_exp_at(&f->q[o[k]], f->tau) : 0;
    }
    if (n->op == CT_OP_IF)
        chosen = value[0] != 0 ? 1 : 2;
    else if (n->op == CT_OP_MIN)
        chosen = value[1] < value[0];
    else if (n->op == CT_OP_MAX)
        chosen = value[1] > value[0];
    else if (n->op == CT_OP_CLAMP)
        chosen = value[0] < value[1] ? 1 : value[0] > value[2] ? 2 : 0;
    return add_node(f, i, o[chosen], n->op == CT_OP_ABS && value[0] < 0 ? -1 : 1);
}

/* a - b*floor(a/b) */
static bool put_mod(ct_affine_form *f, uint32_t i)
{
    const node *n = &f->node.at[i];
    uint32_t a = operand_of(f, n, 0)->node, b = operand_of(f, n, 1)->node;
    double period;
    if (f->bad[a] || f->bad[b] || f->linear[a] || f->linear[b] ||
        !ct_exp_is_number(&f->q[b], &period))
        return false;
    double turns = floor(ct_exp_at(&f->q[a], f->tau) / period);
    return add_node(f, i, a, 1) && ct_exp_add(&f->q[i], (ct_exp_term){0, 0, 0, -turns * period});
}

static bool put_call(ct_affine_form *f, uint32_t i)
{
    if (put_value(f, i, false))
        return true;
    f->q[i].count = 0;
    switch ((int)f->node.at[i].op) {
    case CT_OP_SIN:
    case CT_OP_COS:
    case CT_OP_EXP:
    case CT_OP_SINH:
    case CT_OP_COSH:
        return put_wave(f, i);
    case CT_OP_IF:
    case CT_OP_ABS:
    case CT_OP_MIN:
    case CT_OP_MAX:
    case CT_OP_CLAMP:
        return put_choice(f, i);
    case CT_OP_MOD:
        return put_mod(f, i);
    case CT_OP_TABLE:
        return put_piece(f, i);
    case CT_OP_TABLE_SLOPE:
    case CT_OP_SIGN:
    case CT_OP_FLOOR:
    case CT_OP_STEP:
    case CT_OP_PULSE:
    case CT_OP_LESS:
    case CT_OP_LESS_EQUAL:
    case CT_OP_GREATER:
    case CT_OP_GREATER_EQUAL:
    case CT_OP_EQUAL:
    case CT_OP_UNEQUAL:
    case CT_OP_AND:
    case CT_OP_OR:
    case CT_OP_NOT:
        return put_value(f, i, true);
    default:
        return false;
    }
}

static bool put_node(ct_affine_form *f, uint32_t i)
{
    f->q[i].count = 0;
    f->linear[i] = false;
    switch (f->node.at[i].kind) {
    case CT_EXPR_SYMBOL:
        return put_symbol(f, i);
    case CT_EXPR_SUM:
        return put_sum(f, i);
    case CT_EXPR_PRODUCT:
        return put_product(f, i);
    case CT_EXPR_CALL:
        return put_call(f, i);
    default:
        ct_exp_set(&f->q[i], f->node.at[i].constant);
        return true;
    }
}

/* ---- forces: tau^k/k! exp(a tau), and with sine and cosine, as states of their own */

typedef struct family {
    double a, w;
    uint32_t powers, first;
} family;

static uint32_t width(const family *g)
{
    return g->w > 0 ? 2 : 1;
}

/* false: too many. */
static bool list_families(const ct_affine_form *f, family *list, uint32_t *count)
{
    for (uint32_t r = 0; r < f->size; r++) {
        const ct_exp_sum *q = &f->q[f->root.at[r]];
        for (uint32_t i = 0; i < q->count; i++) {
            const ct_exp_term *t = &q->at[i];
            uint32_t k = 0;
            while (k < *count && (list[k].a != t->a || list[k].w != t->w))
                k++;
            if (k == CT_MOST_FORCES)
                return false;
            if (k == *count)
                list[(*count)++] = (family){t->a, t->w, 0, 0};
            list[k].powers = t->power + 1 > list[k].powers ? t->power + 1 : list[k].powers;
        }
    }
    return true;
}

/* Places of the families; how many forces there are, 0: none or too many. */
static uint32_t place_families(family *list, uint32_t count)
{
    uint32_t forces = 0;
    for (uint32_t k = 0; k < count; k++) {
        list[k].first = forces;
        forces += list[k].powers * width(&list[k]);
    }
    return forces;
}

/* C_k' = a C_k - w S_k + C_(k-1), S_k' = a S_k + w C_k + S_(k-1) */
static void set_drift(ct_affine_form *f, const family *g, uint32_t forces)
{
    uint32_t wide = width(g);
    for (uint32_t i = 0; i < g->powers * wide; i++) {
        double *row = f->drift + (size_t)(g->first + i) * forces + g->first;
        row[i] = g->a;
        if (wide == 2)
            row[i % 2 ? i - 1 : i + 1] = i % 2 ? g->w : -g->w;
        if (i >= wide)
            row[i - wide] = 1;
    }
    f->s[g->first] = 1;
}

static void set_force(ct_affine_form *f, uint32_t r, const ct_exp_term *t, const family *g,
                      uint32_t forces)
{
    double *to = f->force + (size_t)r * forces + g->first + t->power * width(g);
    double factorial = tgamma(t->power + 1.0);
    to[0] = factorial * creal(t->amp);
    if (g->w > 0)
        to[1] = -factorial * cimag(t->amp);
}

static bool gather_forces(ct_affine_form *f, ct_affine *out)
{
    family list[CT_MOST_FORCES];
    uint32_t count = 0, forces;
    if (!list_families(f, list, &count))
        return false;
    forces = out->forces = place_families(list, count);
    if (forces > CT_MOST_FORCES)
        return false;
    memset(f->force, 0, (size_t)f->size * forces * sizeof *f->force);
    memset(f->drift, 0, (size_t)forces * forces * sizeof *f->drift);
    memset(f->s, 0, forces * sizeof *f->s);
    for (uint32_t k = 0; k < count; k++)
        set_drift(f, &list[k], forces);
    for (uint32_t r = 0; r < f->size; r++)
        for (uint32_t i = 0; i < f->q[f->root.at[r]].count; i++) {
            const ct_exp_term *t = &f->q[f->root.at[r]].at[i];
            uint32_t k = 0;
            while (list[k].a != t->a || list[k].w != t->w)
                k++;
            set_force(f, r, t, &list[k], forces);
        }
    return true;
}

bool ct_affine_between(void *user, double t, double end, ct_affine *out)
{
    ct_rig *rig = user;
    ct_affine_form *f = rig->affine;
    f->t = t;
    f->tau = look_ahead * (end - t);
    for (uint32_t i = 0; i < f->node.count; i++)
        f->bad[i] = !put_node(f, i);
    for (uint32_t r = 0; r < f->size; r++) {
        uint32_t i = f->root.at[r];
        double *row = f->slope + (size_t)r * f->size;
        if (f->bad[i])
            return false;
        if (f->linear[i])
            memcpy(row, row_of(f, i), f->size * sizeof *row);
        else
            memset(row, 0, f->size * sizeof *row);
    }
    *out = (ct_affine){.slope = f->slope, .force = f->force, .drift = f->drift, .s = f->s};
    return gather_forces(f, out);
}
