/* spatial.c - bodies in space: inertia tensors, turned frames, rotate(axis, angle), quaternions. */
#include <math.h>
#include <string.h>

#include "model/mech.h"

/* ---- rotate(z, 30 deg) */

static bool find_axis(builder *b, const where *w, ct_node expr, uint32_t *axis)
{
    static const char *const words[] = {"x", "y", "z"};
    ct_name name;
    const char *text = ct_plain_name(w->s, expr, &name) ? ct_name_text(b->ctx, name) : "";
    for (*axis = 0; *axis < 3; ++*axis)
        if (strcmp(words[*axis], text) == 0)
            return true;
    return false;
}

shaped ct_lower_rotate(builder *b, const where *w, ct_node call, ct_place place)
{
    ct_node axis_node = ct_at(w->s, call)->first;
    ct_node angle_node = axis_node ? ct_at(w->s, axis_node)->next : 0;
    uint32_t axis;
    if (!angle_node || ct_at(w->s, angle_node)->next || !find_axis(b, w, axis_node, &axis)) {
        ct_report *r = ct_error(b->ctx, "E222", place, "rotate takes an axis and an angle");
        ct_help(r, "write rotate(x, angle), rotate(y, angle) or rotate(z, angle)");
        ct_witness(r, "rotate");
        return ct_broken_value();
    }
    ct_dim_term none = ct_term_known(ct_dim_none());
    cell angle = ct_lower_scalar(b, w, angle_node), *c;
    if (!angle.expr || !ct_demand_place(b, angle, none, ct_place_of(w->s, angle_node), "an angle"))
        return ct_broken_value();
    ct_expr cosine = ct_expr_call1(b->pool, CT_OP_COS, angle.expr);
    ct_expr sine = ct_expr_call1(b->pool, CT_OP_SIN, angle.expr);
    shaped v = ct_matrix_of(b, 3, 3, &c);
    for (uint32_t i = 0; i < 9; i++)
        c[i] = (cell){ct_expr_int(b->pool, i == 4 * axis), none};
    uint32_t p = (axis + 1) % 3, q = (axis + 2) % 3;
    c[4 * p].expr = c[4 * q].expr = cosine;
    c[3 * q + p].expr = sine;
    c[3 * p + q].expr = ct_expr_neg(b->pool, sine);
    return v;
}

/* ---- quaternion(q0, q1, q2, q3): of any length */

static void fill_quaternion(builder *b, const ct_expr q[4], cell *c)
{
    ct_pool *pool = b->pool;
    ct_dim_term none = ct_term_known(ct_dim_none());
    ct_expr square = ct_expr_int(pool, 0);
    for (int i = 0; i < 4; i++)
        square = ct_expr_add(pool, square, ct_expr_mul(pool, q[i], q[i]));
    ct_expr two = ct_expr_div(pool, ct_expr_int(pool, 2), square);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t k = (i + 1) % 3, l = (i + 2) % 3;
        ct_expr own = ct_expr_add(pool, ct_expr_mul(pool, q[1 + k], q[1 + k]),
                                  ct_expr_mul(pool, q[1 + l], q[1 + l]));
        ct_expr both = ct_expr_mul(pool, q[1 + i], q[1 + k]),
                turn = ct_expr_mul(pool, q[0], q[1 + l]);
        own = ct_expr_sub(pool, ct_expr_int(pool, 1), ct_expr_mul(pool, two, own));
        c[4 * i] = (cell){own, none};
        c[3 * i + k] = (cell){ct_expr_mul(pool, two, ct_expr_sub(pool, both, turn)), none};
        c[3 * k + i] = (cell){ct_expr_mul(pool, two, ct_expr_add(pool, both, turn)), none};
    }
}

shaped ct_lower_quaternion(builder *b, const where *w, ct_node call, ct_place place)
{
    ct_expr q[4] = {0};
    uint32_t count = 0;
    cell *c;
    for (ct_node n = ct_at(w->s, call)->first; n; n = ct_at(w->s, n)->next, count++) {
        cell own = count < 4 ? ct_lower_scalar(b, w, n) : (cell){0};
        if (count < 4 && (!own.expr || !ct_demand_place(b, own, ct_term_known(ct_dim_none()),
                                                        ct_place_of(w->s, n), "a quaternion")))
            return ct_broken_value();
        q[count < 4 ? count : 3] = own.expr;
    }
    if (count != 4) {
        ct_report *r = ct_error(b->ctx, "E222", place, "quaternion takes four numbers");
        ct_help(r, "write quaternion(q0, q1, q2, q3), q0 = cos(angle/2) first");
        ct_witness(r, "quaternion");
        return ct_broken_value();
    }
    shaped v = ct_matrix_of(b, 3, 3, &c);
    fill_quaternion(b, q, c);
    return v;
}

/* ---- frames */

/* A number is an angle about z, as in the plane. */
static shaped about_z(builder *b, cell angle)
{
    ct_expr cosine = ct_expr_call1(b->pool, CT_OP_COS, angle.expr);
    ct_expr sine = ct_expr_call1(b->pool, CT_OP_SIN, angle.expr);
    cell *c;
    shaped v = ct_matrix_of(b, 3, 3, &c);
    for (uint32_t i = 0; i < 9; i++)
        c[i] = (cell){ct_expr_int(b->pool, i == 8), angle.dim};
    c[0].expr = c[4].expr = cosine;
    c[3].expr = sine;
    c[1].expr = ct_expr_neg(b->pool, sine);
    return v;
}

static shaped read_turn(builder *b, const where *w, ct_node expr, const ct_frame *f)
{
    shaped v = ct_lower(b, w, expr);
    ct_place place = ct_place_of(w->s, expr);
    if (ct_is_broken(v))
        return v;
    if (!v.word && v.rows * v.cols == 1)
        v = about_z(b, v.cell[0]);
    if (v.word || v.rows != 3 || v.cols != 3) {
        ct_report *r = ct_error(b->ctx, "E263", place, "in space axes turn by a 3x3 matrix");
        ct_help(r, "write rotate(z, angle), or several of them: about the new axes each time");
        ct_witness(r, ct_name_text(b->ctx, f->name));
        return ct_broken_value();
    }
    for (uint32_t i = 0; i < 9; i++)
        if (!ct_demand_place(b, v.cell[i], ct_term_known(ct_dim_none()), place, "a rotation") ||
            !ct_is_fixed(b, v.cell[i].expr, false, 0, "a frame", place))
            return ct_broken_value();
    return v;
}

void ct_read_axes(builder *b, const where *w, ct_node turns, ct_frame *f)
{
    shaped all = {0};
    for (ct_node n = turns; n; n = ct_at(w->s, n)->next) {
        shaped v = read_turn(b, w, n, f);
        if (ct_is_broken(v))
            return;
        all = all.rows ? ct_matrix_product(b, all, v, ct_place_of(w->s, n)) : v;
    }
    if (!all.rows)
        return;
    ct_vec3 *axes = CT_NEW_ARRAY(b->arena, ct_vec3, 3);
    for (uint32_t i = 0; i < 9; i++)
        axes[i % 3].c[i / 3] = all.cell[i].expr;
    f->axes = axes;
}

/* ---- inertia: [Ixx, Iyy, Izz], or a symmetric matrix */

static void report_inertia(builder *b, ct_place place, const ct_body *body, const char *problem)
{
    const char *name = ct_name_text(b->ctx, body->name);
    ct_report *r = ct_error(b->ctx, "E263", place, "the inertia of `%s` %s", name, problem);
    ct_help(r, "write I = [Ixx, Iyy, Izz], or a symmetric matrix [a, b, c; b, d, e; c, e, f]");
    ct_witness(r, name);
}

void ct_read_inertia(builder *b, const where *w, ct_node expr, ct_body *body)
{
    static const uint8_t at[6] = {0, 4, 8, 1, 2, 5}, mirrored[6] = {0, 4, 8, 3, 6, 7};
    shaped v = ct_lower(b, w, expr);
    ct_place place = ct_place_of(w->s, expr);
    bool same = v.rows * v.cols == 1, diagonal = (v.rows == 3 && v.cols == 1) || same;
    if (ct_is_broken(v))
        return;
    if (v.word || (!diagonal && (v.rows != 3 || v.cols != 3))) {
        report_inertia(b, place, body, "has three axes in space");
        return;
    }
    for (uint32_t i = 0; i < (diagonal ? 3U : 6U); i++) {
        cell c = v.cell[same ? 0 : diagonal ? i : at[i]];
        if (!ct_demand_place(b, c, ct_term_known(b->mech->key_dim[CT_KEY_INERTIA]), place, "I") ||
            !ct_is_fixed(b, c.expr, false, 0, "a body", place))
            return;
        if (!diagonal && v.cell[mirrored[i]].expr != c.expr) {
            report_inertia(b, place, body, "is not symmetric");
            return;
        }
        body->inertia[i] = c.expr;
    }
}

/* ---- what numbers tell */

static const double rounding = 1e-9;

/* Has a symmetric matrix a negative direction? By its principal minors; NaN: not known, so no. */
static bool has_negative(const double a[6], double size)
{
    double minor[] = {a[0],
                      a[1],
                      a[2],
                      a[0] * a[1] - a[3] * a[3],
                      a[0] * a[2] - a[4] * a[4],
                      a[1] * a[2] - a[5] * a[5],
                      a[0] * (a[1] * a[2] - a[5] * a[5]) - a[3] * (a[3] * a[2] - a[5] * a[4]) +
                          a[4] * (a[3] * a[5] - a[1] * a[4])};
    for (int i = 0; i < 7; i++)
        if (minor[i] < -rounding * pow(size, i < 3 ? 1 : i < 6 ? 2 : 3))
            return true;
    return false;
}

static void report_negative(builder *b, ct_name owner, ct_place place)
{
    const char *name = ct_name_text(b->ctx, owner);
    ct_report *r = ct_error(b->ctx, "E224", place, "the inertia of `%s` is negative", name);
    ct_note(r, "a turn about some axis would have less than no energy");
    ct_witness(r, name);
}

static void warn_inertia(builder *b, ct_name owner, ct_place place)
{
    const char *name = ct_name_text(b->ctx, owner);
    ct_report *r =
        ct_warning(b->ctx, "W604", place, "no body has the inertia that `%s` is given", name);
    ct_note(r, "one of its principal moments is larger than the other two together");
    ct_help(r, "this is harmless where the body turns about this one axis only");
    ct_witness(r, name);
}

/* True: something was told. A body has sum m r r = (tr I)/2 - I, which has no negative direction,
 * too. */
static bool check_inertia(builder *b, const ct_expr inertia[6], ct_name owner, ct_place place)
{
    double a[6], moments[6], half = 0, size = 0;
    for (int i = 0; i < 6; i++) {
        a[i] = ct_model_value(b->model, inertia[i]);
        half += i < 3 ? a[i] / 2 : 0;
        size = fmax(size, fabs(a[i]));
    }
    for (int i = 0; i < 6; i++)
        moments[i] = i < 3 ? half - a[i] : -a[i];
    bool negative = has_negative(a, size), impossible = has_negative(moments, size);
    if (negative)
        report_negative(b, owner, place);
    else if (impossible)
        warn_inertia(b, owner, place);
    return negative || impossible;
}

/* ---- parts: the sum of a body could hide what is wrong with one of them */

static bool report_part(builder *b, uint32_t frame, ct_place place, const char *what)
{
    const char *name = ct_name_text(b->ctx, b->mech->frame.at[frame].name);
    ct_report *r = ct_error(b->ctx, "E224", place, "the %s of `%s` is negative", what, name);
    ct_witness(r, name);
    return true;
}

static bool check_shape(builder *b, const ct_shape *s)
{
    for (int i = 0; i < 3; i++)
        if (s->kind != CT_SHAPE_MESH && ct_model_value(b->model, s->size[i]) < 0)
            return report_part(b, s->frame, s->place, "size");
    return false;
}

static bool check_lump(builder *b, const ct_lump *l)
{
    if (ct_model_value(b->model, l->mass) < 0)
        return report_part(b, l->frame, l->place, "mass");
    return check_inertia(b, l->inertia, b->mech->frame.at[l->frame].name, l->place);
}

const bool *ct_check_parts(builder *b)
{
    const struct mech *m = b->mech;
    bool *bad = CT_NEW_ARRAY(b->scratch, bool, m->body.count + 1);
    for (uint32_t i = 0; i < m->shape.count; i++)
        bad[m->frame.at[m->shape.at[i].frame].body] |= check_shape(b, &m->shape.at[i]);
    for (uint32_t i = 0; i < m->lump.count; i++) {
        uint32_t body = m->frame.at[m->lump.at[i].frame].body;
        if (!bad[body])
            bad[body] = check_lump(b, &m->lump.at[i]);
    }
    return bad;
}

static void check_axes(builder *b, const ct_frame *f)
{
    double x[3][3], off = 0;
    for (int i = 0; i < 9; i++)
        x[i / 3][i % 3] = ct_model_value(b->model, f->axes[i / 3].c[i % 3]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const double *p = x[(i + 1) % 3], *q = x[(i + 2) % 3];
            double across = p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3];
            double inner = x[i][0] * x[k][0] + x[i][1] * x[k][1] + x[i][2] * x[k][2];
            off = fmax(off, fmax(fabs(across - x[i][k]), fabs(inner - (i == k))));
        }
    if (!(off > rounding))
        return;
    const char *name = ct_name_text(b->ctx, f->name);
    ct_report *r = ct_error(b->ctx, "E264", f->place, "the axes of `%s` are no rotation", name);
    ct_note(r, "they must be three unit vectors at right angles, right-handed");
    ct_help(r, "make them of rotate(x, angle), rotate(y, angle), rotate(z, angle)");
    ct_witness(r, name);
}

void ct_check_spatial(builder *b, const bool *bad)
{
    const struct mech *m = b->mech;
    for (uint32_t i = 1; i < m->body.count; i++) {
        const ct_body *body = &m->body.at[i];
        if (!bad[i] && !body->flexible && !body->section)
            check_inertia(b, body->inertia, body->name,
                          ct_key_place(b, &m->body_part.at[i], "I", body->place));
    }
    for (uint32_t i = 0; i < m->frame.count; i++)
        if (m->frame.at[i].axes)
            check_axes(b, &m->frame.at[i]);
}
