/* dynamics_regroup.c - what a joint lets two bodies exchange, as formulas.
 *
 * Mass along the axis of a revolute joint may be counted to either of its bodies, and no motion
 * tells which: its moments of order 0, 1, 2 about a point p, along e, are
 *
 *     m = 1, m c = p, I = p.p 1 - p p^T      m c = e, I = 2 p.e 1 - p e^T - e p^T      I = e.e 1 -
 * e e^T
 *
 * A prismatic joint keeps axes parallel: both may have any tensor of inertia; a weld exchanges all,
 * a ball the mass at its point, what turns and slides about one direction the last row. One body
 * with plus, the other with minus is a sum of parameters that no motion tells. So are first moments
 * along the only direction n that a body turns about, and tensors T with n.T n = 0; and all first
 * moments of what turns about a fixed axis along gravity. Elimination from the ground outward gives
 * what each dependent parameter adds to the others.
 */
#include <math.h>
#include <string.h>

#include "export/dynamics_regroup.h"
#include "simplify/simplify.h"

static const double least_pivot = 1e-9; /* entries are of size 1 */

enum { OWN = 10, MOST_ROWS = 20 };

static const double agrees = 1e-6; /* with the sums that numbers told */

/* How a body turns: not, about one direction in its axes, about several. */
typedef struct turning {
    enum { NEVER, ABOUT_ONE, ABOUT_MANY } how;
    ct_vec3 n;
} turning;

typedef struct exchange {
    const ct_regroup *x;
    ct_pool *pool;
    ct_expr zero, one;
    ct_expr **row; /* by dependent column; NULL: none yet */
    bool *seen;    /* by body */
    turning *turn;
} exchange;

/* ---- vectors */

static ct_expr product(ct_pool *pool, ct_expr a, ct_expr b)
{
    return ct_expr_mul(pool, a, b);
}

static ct_expr dot(ct_pool *pool, const ct_vec3 *a, const ct_vec3 *b)
{
    ct_expr sum = product(pool, a->c[0], b->c[0]);
    for (int i = 1; i < 3; i++)
        sum = ct_expr_add(pool, sum, product(pool, a->c[i], b->c[i]));
    return sum;
}

/* A direction in the axes of a frame, in those of its body. */
static ct_vec3 in_body(const exchange *k, const ct_frame *f, const ct_vec3 *v)
{
    ct_vec3 out = *v;
    for (int i = 0; i < 3 && f->axes; i++) {
        out.c[i] = k->zero;
        for (int j = 0; j < 3; j++)
            out.c[i] = ct_expr_add(k->pool, out.c[i], product(k->pool, v->c[j], f->axes[j].c[i]));
    }
    return out;
}

/* ---- moments, added to the columns of a body */

static const uint8_t entry[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

static void add(const exchange *k, ct_expr *row, uint32_t column, int sign, ct_expr value)
{
    row[column] = sign > 0 ? ct_expr_add(k->pool, row[column], value)
                           : ct_expr_sub(k->pool, row[column], value);
}

/* factor (a.b 1 - (a b^T + b a^T)/2) */
static void add_tensor(const exchange *k, ct_expr *column, int sign, ct_expr factor,
                       const ct_vec3 *a, const ct_vec3 *b)
{
    ct_expr both = dot(k->pool, a, b), half = ct_expr_ratio(k->pool, 1, 2);
    for (int i = 0; i < 6; i++) {
        int r = entry[i][0], c = entry[i][1];
        ct_expr pair = ct_expr_add(k->pool, product(k->pool, a->c[r], b->c[c]),
                                   product(k->pool, b->c[r], a->c[c]));
        ct_expr own = ct_expr_neg(k->pool, product(k->pool, half, pair));
        if (r == c)
            own = ct_expr_add(k->pool, own, both);
        add(k, column, 4 + (uint32_t)i, sign, product(k->pool, factor, own));
    }
}

static void add_point(const exchange *k, ct_expr *column, int sign, const ct_vec3 *p)
{
    add(k, column, 0, sign, k->one);
    for (uint32_t i = 0; i < 3; i++)
        add(k, column, 1 + i, sign, p->c[i]);
    add_tensor(k, column, sign, k->one, p, p);
}

static void add_dipole(const exchange *k, ct_expr *column, int sign, const ct_vec3 *p,
                       const ct_vec3 *e)
{
    for (uint32_t i = 0; i < 3; i++)
        add(k, column, 1 + i, sign, e->c[i]);
    add_tensor(k, column, sign, ct_expr_int(k->pool, 2), p, e);
}

/* a b^T + b a^T */
static void add_pair(const exchange *k, ct_expr *column, int sign, const ct_vec3 *a,
                     const ct_vec3 *b)
{
    for (int i = 0; i < 6; i++) {
        int r = entry[i][0], c = entry[i][1];
        ct_expr own = ct_expr_add(k->pool, product(k->pool, a->c[r], b->c[c]),
                                  product(k->pool, b->c[r], a->c[c]));
        add(k, column, 4 + (uint32_t)i, sign, own);
    }
}

/* ---- rows of a joint */

static ct_vec3 unit(const exchange *k, uint32_t i)
{
    ct_vec3 v = {{k->zero, k->zero, k->zero}};
    v.c[i] = k->one;
    return v;
}

enum { POINT = 1, ALONG = 2, ACROSS = 4, TENSORS = 8, WAYS = 16 };

static unsigned exchanged(ct_joint_kind kind)
{
    switch (kind) {
    case CT_JOINT_REVOLUTE:
        return POINT | ALONG | ACROSS;
    case CT_JOINT_PRISMATIC:
        return TENSORS;
    case CT_JOINT_WELD:
        return POINT | WAYS | TENSORS;
    case CT_JOINT_SPHERICAL:
    case CT_JOINT_GIMBAL:
    case CT_JOINT_UNIVERSAL:
        return POINT;
    case CT_JOINT_CYLINDRICAL:
    case CT_JOINT_PLANAR:
        return ACROSS;
    default:
        return 0;
    }
}

typedef struct end {
    const ct_frame *f;
    ct_vec3 e, axis[3];
    int sign;
} end;

static ct_expr *columns_of(ct_expr *row, const end *x)
{
    return row + (size_t)(x->f->body - 1) * OWN;
}

static void add_one(const exchange *k, ct_expr *row, const end *x, unsigned what, uint32_t i)
{
    ct_expr *column = x->f->body ? columns_of(row, x) : NULL;
    if (!column)
        return;
    if (what == POINT)
        add_point(k, column, x->sign, &x->f->at);
    else if (what == ALONG)
        add_dipole(k, column, x->sign, &x->f->at, &x->e);
    else if (what == ACROSS)
        add_tensor(k, column, x->sign, k->one, &x->e, &x->e);
    else if (what == WAYS)
        add_dipole(k, column, x->sign, &x->f->at, &x->axis[i]);
    else
        add_pair(k, column, x->sign, &x->axis[entry[i][0]], &x->axis[entry[i][1]]);
}

static ct_expr *new_row(const exchange *k)
{
    ct_expr *row = CT_NEW_ARRAY(k->x->arena, ct_expr, k->x->columns + 1);
    for (uint32_t i = 0; i < k->x->columns; i++)
        row[i] = k->zero;
    return row;
}

static uint32_t list_rows(const exchange *k, const ct_joint *j, ct_expr *out[MOST_ROWS])
{
    static const struct {
        unsigned what, count;
    } all[] = {{POINT, 1}, {ALONG, 1}, {ACROSS, 1}, {WAYS, 3}, {TENSORS, 6}};
    const ct_mechanism *m = k->x->mechanism;
    end two[2] = {{.f = &m->frame[j->head], .sign = 1}, {.f = &m->frame[j->tail], .sign = -1}};
    uint32_t rows = 0;
    for (int i = 0; i < 2; i++) {
        two[i].e = in_body(k, two[i].f, &j->axis);
        for (uint32_t a = 0; a < 3; a++) {
            ct_vec3 own = unit(k, a);
            two[i].axis[a] = in_body(k, two[i].f, &own);
        }
    }
    for (size_t w = 0; w < sizeof all / sizeof *all; w++)
        for (uint32_t i = 0; i < all[w].count && exchanged(j->kind) & all[w].what; i++) {
            out[rows] = new_row(k);
            add_one(k, out[rows], &two[0], all[w].what, i);
            add_one(k, out[rows++], &two[1], all[w].what, i);
        }
    return rows;
}

/* ---- what bodies turn about */

static bool are_parallel(const exchange *k, const ct_vec3 *a, const ct_vec3 *b)
{
    for (int i = 0; i < 3; i++) {
        int p = (i + 1) % 3, q = (i + 2) % 3;
        ct_expr across = ct_expr_sub(k->pool, product(k->pool, a->c[p], b->c[q]),
                                     product(k->pool, a->c[q], b->c[p]));
        if (across != k->zero)
            return false;
    }
    return true;
}

/* A direction of one body in the axes of the other, where the joint lets their frames agree. */
static ct_vec3 carried(const exchange *k, const ct_frame *from, const ct_frame *to,
                       const ct_vec3 *v)
{
    ct_vec3 own = *v;
    for (int i = 0; i < 3 && from->axes; i++)
        own.c[i] = dot(k->pool, &from->axes[i], v);
    return in_body(k, to, &own);
}

/* That of the outer body of a joint, from that of the inner one. */
static turning turning_of(const exchange *k, const ct_joint *j, const ct_frame *inner,
                          const ct_frame *outer)
{
    const turning *before = &k->turn[inner->body];
    uint32_t turns = ct_joint_turns(j->kind, true);
    ct_vec3 own = in_body(k, inner, &j->axis), there = in_body(k, outer, &j->axis);
    if (turns > 1 || before->how == ABOUT_MANY || ct_joint_rolls(j->kind))
        return (turning){.how = ABOUT_MANY};
    if (!turns)
        return (turning){before->how, carried(k, inner, outer, &before->n)};
    if (before->how == ABOUT_ONE && !are_parallel(k, &own, &before->n))
        return (turning){.how = ABOUT_MANY};
    return (turning){ABOUT_ONE, there};
}

/* n.E n of a tensor with ones at an entry and its mirror image. */
static ct_expr seen_by(const exchange *k, const ct_vec3 *n, int at)
{
    int r = entry[at][0], c = entry[at][1];
    ct_expr both = product(k->pool, n->c[r], n->c[c]);
    return r == c ? both : product(k->pool, ct_expr_int(k->pool, 2), both);
}

static uint32_t list_unseen(const exchange *k, uint32_t body, ct_expr **out)
{
    const ct_vec3 *n = &k->turn[body].n;
    uint32_t first = (body - 1) * OWN, rows = 0;
    int most = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(k->x->value(k->x->user, n->c[i])) > fabs(k->x->value(k->x->user, n->c[most])))
            most = i;
    out[rows] = new_row(k);
    for (uint32_t i = 0; i < 3; i++)
        out[rows][first + 1 + i] = n->c[i];
    rows++;
    for (int i = 0; i < 6; i++) {
        if (i == most)
            continue;
        out[rows] = new_row(k);
        out[rows][first + 4 + (uint32_t)i] = seen_by(k, n, most);
        out[rows++][first + 4 + (uint32_t)most] = ct_expr_neg(k->pool, seen_by(k, n, i));
    }
    return rows;
}

/* On an axis of the ground along gravity. */
static uint32_t list_upright(const exchange *k, const ct_joint *j, const ct_frame *inner,
                             const ct_frame *outer, ct_expr **out)
{
    ct_vec3 e = in_body(k, inner, &j->axis);
    if (inner->body || j->kind != CT_JOINT_REVOLUTE ||
        !are_parallel(k, &e, &k->x->mechanism->gravity))
        return 0;
    for (uint32_t i = 0; i < 3; i++) {
        ct_vec3 way = unit(k, i);
        out[i] = new_row(k);
        add_dipole(k, out[i] + (size_t)(outer->body - 1) * OWN, 1, &outer->at, &way);
    }
    return 3;
}

/* ---- elimination */

/* Takes `factor` times another row away. */
static void take_away(const exchange *k, ct_expr *row, const ct_expr *other, ct_expr factor)
{
    for (uint32_t i = 0; i < k->x->columns; i++)
        if (other[i] != k->zero)
            row[i] = ct_expr_sub(k->pool, row[i], product(k->pool, factor, other[i]));
}

static void clear_known(const exchange *k, ct_expr *row)
{
    for (uint32_t i = 0; i < k->x->columns; i++)
        if (k->x->of[i] == CT_WITHOUT)
            row[i] = k->zero;
    for (uint32_t i = 0; i < k->x->columns; i++)
        if (row[i] != k->zero && k->row[i])
            take_away(k, row, k->row[i], row[i]);
}

/* The dependent column of these rows with the largest entry; false: there is none. */
static bool find_pivot(const exchange *k, ct_expr **row, uint32_t count, uint32_t *at,
                       uint32_t *column)
{
    double best = least_pivot;
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t i = 0; i < k->x->columns; i++) {
            if (k->x->of[i] != CT_DEPENDS || row[r][i] == k->zero || k->row[i])
                continue;
            double size = fabs(k->x->value(k->x->user, row[r][i]));
            if (size <= best)
                continue;
            best = size;
            *at = r;
            *column = i;
        }
    return best > least_pivot;
}

static void eliminate(exchange *k, ct_expr **row, uint32_t count)
{
    uint32_t at = 0, column = 0;
    for (uint32_t r = 0; r < count; r++)
        clear_known(k, row[r]);
    ct_expr *made[MOST_ROWS];
    uint32_t done = 0;
    while (find_pivot(k, row, count, &at, &column)) {
        ct_expr *own = row[at], pivot = own[column];
        for (uint32_t i = 0; i < k->x->columns; i++)
            if (own[i] != k->zero)
                own[i] = ct_expr_div(k->pool, own[i], pivot);
        own[column] = k->one;
        row[at] = row[--count];
        for (uint32_t r = 0; r < count + done; r++) {
            ct_expr *other = r < count ? row[r] : made[r - count];
            if (other[column] == k->zero)
                continue;
            take_away(k, other, own, other[column]);
            other[column] = k->zero;
        }
        k->row[column] = made[done++] = own;
    }
}

static void cross_joint(exchange *k, const ct_joint *j, const ct_frame *inner,
                        const ct_frame *outer)
{
    ct_expr *row[MOST_ROWS];
    uint32_t rows = list_rows(k, j, row);
    k->turn[outer->body] = turning_of(k, j, inner, outer);
    if (k->turn[outer->body].how == ABOUT_ONE)
        rows += list_unseen(k, outer->body, row + rows);
    rows += list_upright(k, j, inner, outer, row + rows);
    eliminate(k, row, rows);
}

/* Joints from the ground outward; those that close no tree are left. */
static void walk(exchange *k)
{
    const ct_mechanism *m = k->x->mechanism;
    k->seen[0] = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < m->joint_count; i++) {
            const ct_joint *j = &m->joint[i];
            const ct_frame *tail = &m->frame[j->tail], *head = &m->frame[j->head];
            if (k->seen[tail->body] == k->seen[head->body])
                continue;
            if (k->seen[tail->body])
                cross_joint(k, j, tail, head);
            else
                cross_joint(k, j, head, tail);
            k->seen[tail->body] = k->seen[head->body] = more = true;
        }
    }
}

/* ---- what agrees with numbers */

static bool is_right(const exchange *k, uint32_t column, const double *weight)
{
    const ct_expr *row = k->row[column];
    for (uint32_t i = 0; row && i < k->x->columns; i++) {
        if (i == column)
            continue;
        double own = row[i] == k->zero ? 0 : -k->x->value(k->x->user, row[i]);
        double want = k->x->of[i] == CT_KEPT ? weight[i] : 0;
        if (!(fabs(own - want) <= agrees * (1 + fabs(want))))
            return false;
    }
    return row != NULL;
}

/* Is it a sum as it is written? */
static bool has_terms(const char *text)
{
    int depth = 0;
    for (const char *c = text; *c; c++) {
        depth += (*c == '(') - (*c == ')');
        if (depth == 0 && c > text && (*c == '+' || *c == '-') && c[-1] == ' ')
            return true;
    }
    return false;
}

const char **ct_regroup_factors(const ct_regroup *x, uint32_t column, const double *weight)
{
    exchange *k = x->made;
    if (!is_right(k, column, weight))
        return NULL;
    const char **text = CT_NEW_ARRAY(x->arena, const char *, x->columns + 1);
    for (uint32_t i = 0; i < x->columns; i++) {
        const ct_name *symbol;
        ct_expr e = k->row[column][i];
        if (i == column || e == k->zero || x->of[i] != CT_KEPT)
            continue;
        ct_pool *fresh = ct_pool_new(x->ctx);
        ct_simplifier *s =
            ct_simplifier_new(x->arena, k->pool, fresh, ct_default_simplify_budget());
        e = ct_simplify_full(s, ct_expr_neg(k->pool, e), NULL);
        ct_text out = ct_text_new(x->arena);
        ct_expr_put(fresh, &out, e);
        const char *own = ct_text_string(&out);
        if (ct_expr_symbols(fresh, e, &symbol))
            text[i] = has_terms(own) ? ct_printf(x->ctx, "(%s)", own) : own;
    }
    return text;
}

void ct_regroup_open(ct_regroup *x)
{
    exchange *k = CT_NEW(x->arena, exchange);
    *k = (exchange){.x = x, .pool = x->pool};
    k->zero = ct_expr_int(k->pool, 0);
    k->one = ct_expr_int(k->pool, 1);
    k->row = CT_NEW_ARRAY(x->arena, ct_expr *, x->columns + 1);
    k->seen = CT_NEW_ARRAY(x->arena, bool, x->mechanism->body_count + 1);
    k->turn = CT_NEW_ARRAY(x->arena, turning, x->mechanism->body_count + 1);
    k->turn[0] = (turning){NEVER, unit(k, 0)};
    x->made = k;
    walk(k);
}
