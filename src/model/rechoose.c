/* rechoose.c - angles of a joint that are exchanged for others before they become singular.
 *
 * Three turns about p1, p2, p3 are singular where the first and the third axis align. A joint that
 * may re-choose them has angles p of its own, and a chart c, 0 or 1:
 *
 *     R = C^c R1(p1) R2(p2) R3(p3),    C: a quarter turn about the second axis
 *
 * What is singular in one chart is as far from that as can be in the other. So an event changes c
 * where the first and third axis come near to each other, and sets p and its rates so that R and
 * omega stay. What the user reads, q, are the angles of R itself.
 */
#include "model/mech.h"

typedef struct rotation {
    ct_expr at[3][3]; /* row, column */
} rotation;

typedef struct chart {
    ct_pool *pool;
    uint32_t axis[3];
    ct_expr p[3], dp[3];
    ct_expr zero, one;
    int sense; /* of the axes: p3.(p1 x p2); 0: the third is the first */
} chart;

static ct_expr call(const chart *k, ct_op op, ct_expr e)
{
    return ct_expr_call1(k->pool, op, e);
}

/* About a coordinate axis. */
static rotation about(const chart *k, uint32_t axis, ct_expr c, ct_expr s)
{
    uint32_t i = (axis + 1) % 3, j = (axis + 2) % 3;
    rotation r;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            r.at[a][b] = a == b ? k->one : k->zero;
    r.at[i][i] = r.at[j][j] = c;
    r.at[j][i] = s;
    r.at[i][j] = ct_expr_neg(k->pool, s);
    return r;
}

static rotation turned(const chart *k, int which, ct_expr angle)
{
    return about(k, k->axis[which], call(k, CT_OP_COS, angle), call(k, CT_OP_SIN, angle));
}

static rotation product(const chart *k, const rotation *a, const rotation *b)
{
    rotation r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            r.at[i][j] = k->zero;
            for (int l = 0; l < 3; l++)
                r.at[i][j] = ct_expr_add(k->pool, r.at[i][j],
                                         ct_expr_mul(k->pool, a->at[i][l], b->at[l][j]));
        }
    return r;
}

static ct_vec3 column(const rotation *r, uint32_t j)
{
    return (ct_vec3){{r->at[0][j], r->at[1][j], r->at[2][j]}};
}

static ct_expr dot(const chart *k, const ct_vec3 *a, const ct_vec3 *b)
{
    ct_expr sum = k->zero;
    for (int i = 0; i < 3; i++)
        sum = ct_expr_add(k->pool, sum, ct_expr_mul(k->pool, a->c[i], b->c[i]));
    return sum;
}

static ct_vec3 cross(const chart *k, const ct_vec3 *a, const ct_vec3 *b)
{
    ct_vec3 out;
    for (int i = 0; i < 3; i++) {
        int m = (i + 1) % 3, n = (i + 2) % 3;
        out.c[i] = ct_expr_sub(k->pool, ct_expr_mul(k->pool, a->c[m], b->c[n]),
                               ct_expr_mul(k->pool, a->c[n], b->c[m]));
    }
    return out;
}

/* ---- angles of a rotation, as in mechanics/angles.c */

static ct_expr signed_by(const chart *k, int sign, ct_expr e)
{
    return sign < 0 ? ct_expr_neg(k->pool, e) : e;
}

static ct_expr angle(const chart *k, ct_expr sine, ct_expr cosine)
{
    return ct_expr_call2(k->pool, CT_OP_ATAN2, sine, cosine);
}

static ct_expr length(const chart *k, ct_expr a, ct_expr b)
{
    return call(k, CT_OP_SQRT,
                ct_expr_add(k->pool, ct_expr_mul(k->pool, a, a), ct_expr_mul(k->pool, b, b)));
}

/* The axis across two others, and its sign in a x b. */
static uint32_t across(uint32_t a, uint32_t b, int *sign)
{
    *sign = (a + 1) % 3 == b ? 1 : -1;
    return 3 - a - b;
}

static void angles_of(const chart *k, const rotation *R, ct_expr q[3])
{
    uint32_t a = k->axis[0], b = k->axis[1], c = k->axis[2];
    int sign;
    if (!k->sense) { /* v = R a, u = R^T a; n = b x a */
        uint32_t n = across(b, a, &sign);
        ct_expr v = signed_by(k, sign, R->at[n][a]), u = signed_by(k, -sign, R->at[a][n]);
        q[0] = angle(k, R->at[b][a], v);
        q[1] = angle(k, length(k, R->at[b][a], v), R->at[a][a]);
        q[2] = angle(k, R->at[a][b], u);
        return;
    }
    uint32_t side = across(a, c, &sign); /* a x c */
    ct_expr v = signed_by(k, sign, R->at[side][c]), u = signed_by(k, sign, R->at[a][side]);
    q[0] = angle(k, v, R->at[c][c]);
    q[1] = angle(k, signed_by(k, k->sense, R->at[a][c]), length(k, v, R->at[c][c]));
    q[2] = angle(k, u, R->at[a][a]);
}

/* ---- rates */

static void axes_at(const chart *k, const ct_expr q[3], ct_vec3 axis[3])
{
    rotation first = turned(k, 0, q[0]), second = turned(k, 1, q[1]);
    rotation both = product(k, &first, &second), none = about(k, 0, k->one, k->zero);
    axis[0] = column(&none, k->axis[0]);
    axis[1] = column(&first, k->axis[1]);
    axis[2] = column(&both, k->axis[2]);
}

static void rates_of(const chart *k, const rotation *turn, const ct_expr q[3], ct_expr rate[3])
{
    ct_vec3 own[3], axis[3], omega = {{k->zero, k->zero, k->zero}};
    axes_at(k, k->p, own);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            omega.c[j] =
                ct_expr_add(k->pool, omega.c[j], ct_expr_mul(k->pool, k->dp[i], own[i].c[j]));
    ct_vec3 there;
    for (int i = 0; i < 3; i++) {
        ct_vec3 row = {{turn->at[i][0], turn->at[i][1], turn->at[i][2]}};
        there.c[i] = dot(k, &row, &omega);
    }
    axes_at(k, q, axis);
    for (int i = 0; i < 3; i++) {
        ct_vec3 n = cross(k, &axis[(i + 1) % 3], &axis[(i + 2) % 3]);
        rate[i] = ct_expr_div(k->pool, dot(k, &n, &there), dot(k, &n, &axis[i]));
    }
}

static rotation own_rotation(const chart *k)
{
    rotation r = turned(k, 0, k->p[0]);
    for (int i = 1; i < 3; i++) {
        rotation next = turned(k, i, k->p[i]);
        r = product(k, &r, &next);
    }
    return r;
}

/* Angles and rates of turn * R(p). */
static void seen_through(const chart *k, const rotation *turn, ct_expr q[3], ct_expr rate[3])
{
    rotation own = own_rotation(k), all = product(k, turn, &own);
    angles_of(k, &all, q);
    rates_of(k, turn, q, rate);
}

static chart chart_of(ct_pool *pool, const ct_joint *j)
{
    chart k = {.pool = pool, .zero = ct_expr_int(pool, 0), .one = ct_expr_int(pool, 1)};
    for (int i = 0; i < 3; i++) {
        for (uint32_t a = 0; a < 3; a++)
            if (ct_expr_is_one(pool, j->pin[i].c[a]))
                k.axis[i] = a;
        k.p[i] = ct_expr_symbol(pool, j->chart->p[i]);
        k.dp[i] = ct_expr_symbol(pool, j->chart->dp[i]);
    }
    if (k.axis[0] != k.axis[2])
        k.sense = (k.axis[0] + 1) % 3 == k.axis[1] ? 1 : -1;
    return k;
}

/* In the first chart p is q, with its whole turns. */
ct_expr ct_chart_angle(ct_pool *pool, const ct_joint *j, uint32_t i, int order)
{
    chart k = chart_of(pool, j);
    ct_expr c = ct_expr_symbol(pool, j->chart->which), q[3], rate[3];
    rotation turn = about(&k, k.axis[1], k.zero, k.one);
    seen_through(&k, &turn, q, rate);
    ct_expr first = order ? k.dp[i] : k.p[i], other = order ? rate[i] : q[i];
    return ct_expr_add(pool, ct_expr_mul(pool, ct_expr_sub(pool, k.one, c), first),
                       ct_expr_mul(pool, c, other));
}

/* ---- the event */

/* Where the sine between the first and the third axis is a fifth. */
static ct_expr is_near(const chart *k)
{
    ct_expr apart = call(k, k->sense ? CT_OP_COS : CT_OP_SIN, k->p[1]);
    return ct_expr_call2(k->pool, CT_OP_LESS, ct_expr_mul(k->pool, apart, apart),
                         ct_expr_ratio(k->pool, 1, 25));
}

static void record_event(builder *b, const ct_joint *j)
{
    chart k = chart_of(b->pool, j);
    ct_expr c = ct_expr_symbol(b->pool, j->chart->which), q[3], rate[3];
    ct_expr sine = ct_expr_sub(b->pool, ct_expr_mul(b->pool, ct_expr_int(b->pool, 2), c), k.one);
    rotation turn = about(&k, k.axis[1], k.zero, sine);
    seen_through(&k, &turn, q, rate);
    ct_assignment *a = CT_NEW_ARRAY(b->arena, ct_assignment, 7);
    for (int i = 0; i < 3; i++) {
        a[i] = (ct_assignment){.target = k.p[i], .value = q[i], .place = j->place, .renames = true};
        a[3 + i] = (ct_assignment){
            .target = k.dp[i], .value = rate[i], .place = j->place, .renames = true};
    }
    a[6] = (ct_assignment){.target = c, .value = ct_expr_sub(b->pool, k.one, c), .place = j->place};
    const char *name = ct_name_text(b->ctx, j->name);
    ct_happening h = {.condition = is_near(&k),
                      .label = ct_printf(b->ctx, "%s: other angles", name),
                      .assigned = a,
                      .assigned_count = 7,
                      .place = j->place};
    CT_PUSH(b->arena, b->happening, h);
}

static void record_chart(builder *b, const ct_joint *j)
{
    ct_quantity q = {.name = j->chart->which,
                     .kind = CT_DISCRETE,
                     .dim = ct_dim_none(),
                     .symbol = ct_expr_symbol(b->pool, j->chart->which),
                     .value = ct_expr_int(b->pool, 0),
                     .place = j->place,
                     .value_place = j->place};
    CT_PUSH(b->arena, b->quantity, q);
}

void ct_record_charts(builder *b)
{
    for (uint32_t i = 0; b->mech && i < b->mech->joint.count; i++) {
        const ct_joint *j = &b->mech->joint.at[i];
        if (!j->chart)
            continue;
        record_chart(b, j);
        record_event(b, j);
    }
}

/* ---- where a joint is read */

static void refuse(builder *b, const ct_joint *j, const char *why, const char *help)
{
    const char *name = ct_name_text(b->ctx, j->name);
    ct_report *r =
        ct_error(b->ctx, "E615", j->place, "the angles of `%s` cannot be re-chosen: %s", name, why);
    ct_help(r, "%s", help);
    ct_witness(r, name);
}

void ct_open_chart(builder *b, uint32_t index, ct_joint *j)
{
    const char *name = ct_name_text(b->ctx, j->name);
    bool driven = false;
    for (int i = 0; i < CT_SLIDE; i++)
        driven |= j->drive[i] || j->rate[i];
    if (!j->angles || driven) {
        refuse(b, j, driven ? "one of them is driven" : "it has none",
               driven
                   ? "leave out `rechoose`: a driver prescribes the angles as they are"
                   : "leave out `rechoose`: a quaternion is nowhere singular; or add angles = zyx");
        return;
    }
    ct_chart *c = CT_NEW(b->arena, ct_chart);
    c->which = ct_intern_text(b->ctx, ct_printf(b->ctx, "%s.chart", name));
    for (uint32_t i = 0; i < 3; i++) {
        c->p[i] = ct_own_entry(b, j->name, "p", i);
        c->dp[i] = ct_own_entry(b, j->name, "dp", i);
        ct_motion_symbol(b, c->p[i], CT_MOTION_CHART, index, i);
        ct_motion_symbol(b, c->dp[i], CT_MOTION_CHART_SPEED, index, i);
    }
    j->chart = c;
}

void ct_check_chart(builder *b, const ct_joint *j)
{
    for (int i = 0; i < CT_SLIDE && j->chart; i++)
        if (j->load[i]) {
            refuse(b, j, "an element holds one of them",
                   "leave out `rechoose`, or let a torque(...) act that reads R or omega");
            return;
        }
}
