/* fe_frame.c - frames on nodes: which nodes a frame holds, and how it moves with them.
 *
 * A frame on one node with turns moves as that node. One on several nodes moves as the rigid body
 * that fits their motion best, turns weighted by the square of their mean distance; where something
 * holds the frame, its nodes move as one rigid piece.
 */
#include <math.h>
#include <string.h>

#include "model/fe.h"

static const double least_pivot = 1e-12;

static ct_report *complain(builder *b, const ct_fe_frame *f, const char *what)
{
    const char *name = ct_name_text(b->ctx, b->mech->frame.at[f->frame].name);
    ct_report *r = ct_error(b->ctx, "E639", f->place, "`%s` %s", name, what);
    ct_witness(r, name);
    return r;
}

/* ---- nodes */

static bool find_number(const ct_fe_mesh *mesh, int64_t number, uint32_t *node)
{
    for (uint32_t i = 0; i < mesh->count; i++)
        if (mesh->number[i] == number)
            return *node = i, true;
    return false;
}

static bool read_list(builder *b, const where *w, ct_node call, const ct_fe_mesh *mesh,
                      ct_fe_frame *f)
{
    CT_VEC(uint32_t) node = {0};
    for (ct_node n = ct_at(w->s, call)->first; n; n = ct_at(w->s, n)->next) {
        int64_t number = 0;
        uint32_t found = 0;
        if (!ct_lower_int(b, w, n, &number, "the number of a node"))
            return false;
        if (!find_number(mesh, number, &found)) {
            ct_report *r = complain(b, f, "holds a node that is not there");
            ct_note(r, "there is no node %lld among %u", (long long)number, mesh->count);
            return false;
        }
        CT_PUSH(b->arena, node, found);
    }
    f->node = node.at;
    f->count = node.count;
    if (!node.count)
        ct_help(complain(b, f, "holds no node"), "write nodes(12), or nodes(12, 13, 14)");
    return node.count > 0;
}

static double apart(const double a[3], const double c[3])
{
    return hypot(hypot(a[0] - c[0], a[1] - c[1]), a[2] - c[2]);
}

/* The node at a place. */
static bool find_place(builder *b, const ct_fe_mesh *mesh, const double at[3], ct_fe_frame *f)
{
    const double same = 1e-6; /* of the size of the body */
    uint32_t best = 0, *node = CT_NEW(b->arena, uint32_t);
    double size = 0;
    for (uint32_t i = 0; i < mesh->count; i++) {
        size = fmax(size, apart(mesh->at[i], mesh->at[0]));
        if (apart(mesh->at[i], at) < apart(mesh->at[best], at))
            best = i;
    }
    *node = best;
    f->node = node;
    f->count = 1;
    if (apart(mesh->at[best], at) <= same * size)
        return true;
    ct_report *r = complain(b, f, "is at no node");
    ct_note(r, "the nearest one is node %lld at [%.10g, %.10g, %.10g] m",
            (long long)mesh->number[best], mesh->at[best][0], mesh->at[best][1], mesh->at[best][2]);
    ct_help(r, "write its place, or nodes(%lld)", (long long)mesh->number[best]);
    return false;
}

static bool read_place(builder *b, const where *w, ct_node expr, const ct_fe_mesh *mesh,
                       ct_fe_frame *f)
{
    ct_frame seat = b->mech->frame.at[f->frame];
    size_t before = ct_errors_raised(b->ctx);
    double at[3];
    ct_read_seat(b, w, expr, &seat);
    if (ct_errors_raised(b->ctx) != before)
        return false;
    for (int i = 0; i < 3; i++) {
        if (!ct_expr_is_number(b->pool, seat.at.c[i])) {
            ct_help(complain(b, f, "is at a place that changes with a parameter"),
                    "nodes have fixed places: write numbers, or nodes(12)");
            return false;
        }
        at[i] = ct_expr_to_double(b->pool, seat.at.c[i]);
    }
    b->mech->frame.at[f->frame] = seat;
    return find_place(b, mesh, at, f);
}

/* `nodes(1, 2)`, a place, or frame(place, turn) */
static bool read_nodes(builder *b, const part *p, const ct_fe_mesh *mesh, ct_fe_frame *f)
{
    const where *w = &p->where;
    ct_node expr = ct_at(w->s, ct_at(w->s, p->node)->first)->next;
    const ct_syntax_node *ref = ct_at(w->s, expr);
    bool list = ref->kind == CT_NODE_REF && ref->name && ref->first &&
                ct_at(w->s, ref->first)->kind == CT_NODE_CALL &&
                strcmp(ct_name_text(b->ctx, ref->name), "nodes") == 0;
    f->place = ct_place_of(w->s, expr);
    return list ? read_list(b, w, ref->first, mesh, f) : read_place(b, w, expr, mesh, f);
}

/* ---- motion */

/* Motion of node i, 3 displacements and 3 turns, for unit motion k of the frame. */
static double carried(const double arm[3], uint32_t i, uint32_t k)
{
    if (i >= 3 || k < 3)
        return i == k;
    uint32_t axis = k - 3; /* e_k x arm */
    return i == axis ? 0 : i == (axis + 1) % 3 ? -arm[(axis + 2) % 3] : arm[(axis + 1) % 3];
}

/* a x = b for several b, by rows; false: a is singular. */
static bool solve6(double a[6][6], double *b, uint32_t cols, const bool used[6])
{
    double size = 0;
    for (int i = 0; i < 6; i++)
        size = fmax(size, a[i][i]);
    for (int k = 0; k < 6; k++) {
        if (!used[k])
            continue;
        if (!(a[k][k] > least_pivot * size)) /* it is positive: pivots need no exchange */
            return false;
        for (int i = 0; i < 6; i++) {
            double by = i == k || !used[i] ? 0 : a[i][k] / a[k][k];
            for (int j = 0; j < 6 && by != 0; j++)
                a[i][j] -= by * a[k][j];
            for (uint32_t j = 0; j < cols && by != 0; j++)
                b[(size_t)i * cols + j] -= by * b[(size_t)k * cols + j];
        }
    }
    for (int k = 0; k < 6; k++)
        for (uint32_t j = 0; j < cols; j++)
            b[(size_t)k * cols + j] = used[k] ? b[(size_t)k * cols + j] / a[k][k] : 0;
    return true;
}

static void find_mean(const ct_fe_mesh *mesh, ct_fe_frame *f, double *spread)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        f->at[k] = 0;
        for (uint32_t i = 0; i < f->count; i++)
            f->at[k] += mesh->at[f->node[i]][k] / f->count;
    }
    for (uint32_t i = 0; i < f->count; i++)
        sum += pow(apart(mesh->at[f->node[i]], f->at), 2) / f->count;
    *spread = sum > 0 ? sum : 1;
}

static double weight_of(const ct_fe_mesh *mesh, uint32_t i, double spread)
{
    bool flat = !mesh->spatial && i != 0 && i != 1 && i != 5;
    return flat || (i >= 3 && !ct_fe_turns(mesh)) ? 0 : i < 3 ? 1 : spread;
}

static bool fit_motion(builder *b, const ct_fe_mesh *mesh, ct_fe_frame *f)
{
    double normal[6][6] = {{0}}, spread;
    uint32_t cols = 6 * f->count;
    double *fit = CT_NEW_ARRAY(b->arena, double, (size_t)6 * cols);
    find_mean(mesh, f, &spread);
    double length = sqrt(spread);
    for (uint32_t n = 0; n < cols; n++) {
        double arm[3], unit[6], weight = weight_of(mesh, n % 6, spread);
        for (int k = 0; k < 3; k++)
            arm[k] = mesh->at[f->node[n / 6]][k] - f->at[k];
        for (uint32_t k = 0; k < 6; k++) /* turns times a length */
            unit[k] = carried(arm, n % 6, k) / (k < 3 ? 1 : length);
        for (uint32_t k = 0; k < 6; k++) {
            fit[(size_t)k * cols + n] = weight * unit[k];
            for (uint32_t j = 0; j < 6; j++)
                normal[k][j] += weight * unit[k] * unit[j];
        }
    }
    const bool deep = mesh->spatial, used[6] = {true, true, deep, deep, deep, true};
    if (!solve6(normal, fit, cols, used)) {
        ct_report *r = complain(b, f, "does not turn with its nodes");
        ct_note(r, "these nodes have displacements only, and lie %s",
                mesh->spatial ? "on a line" : "in one point");
        ct_help(r, "name %s: nodes(12, 13%s)",
                mesh->spatial ? "three nodes or more that span a plane" : "two nodes or more",
                mesh->spatial ? ", 14" : "");
        return false;
    }
    for (uint32_t k = 3; k < 6; k++)
        for (uint32_t n = 0; n < cols; n++)
            fit[(size_t)k * cols + n] /= length;
    f->fit = fit;
    return true;
}

/* ---- who holds them */

static void hold(struct ct_fe_data *fe, uint32_t frame)
{
    for (uint32_t i = 0; i < fe->frame_count; i++)
        fe->frame[i].boundary |= fe->frame[i].frame == frame;
}

static void hold_ends(builder *b, struct ct_fe_data *fe, const part *p, uint32_t tail,
                      uint32_t head, ct_name name)
{
    if (p->node && p->state != ENTRY_DONE &&
        !ct_two_ends(b, &p->where, p->node, name, &tail, &head))
        return;
    hold(fe, tail);
    hold(fe, head);
}

static void find_holders(builder *b, struct ct_fe_data *fe)
{
    const struct mech *m = b->mech;
    for (uint32_t i = 0; i < m->joint.count; i++)
        hold_ends(b, fe, &m->joint_part.at[i], m->joint.at[i].tail, m->joint.at[i].head,
                  m->joint.at[i].name);
    for (uint32_t i = 0; i < m->load.count; i++)
        hold_ends(b, fe, &m->load_part.at[i], m->load.at[i].tail, m->load.at[i].head,
                  m->load.at[i].name);
    for (uint32_t i = 0; i < m->line.count; i++) {
        hold(fe, m->line.at[i].tail);
        hold(fe, m->line.at[i].head);
    }
}

/* ---- all of them */

/* A node moves with one frame: the others would follow it. */
static bool are_apart(builder *b, const struct ct_fe_data *fe)
{
    uint32_t *holder = CT_NEW_ARRAY(b->scratch, uint32_t, fe->mesh.count + 1);
    for (uint32_t i = 0; i < fe->frame_count; i++)
        for (uint32_t k = 0; k < fe->frame[i].count && fe->frame[i].boundary; k++) {
            uint32_t *by = &holder[fe->frame[i].node[k]];
            if (*by && *by != i + 1) {
                ct_report *r = complain(b, &fe->frame[i], "holds a node of another frame");
                const char *other =
                    ct_name_text(b->ctx, b->mech->frame.at[fe->frame[*by - 1].frame].name);
                ct_note(r, "node %lld belongs to `%s`",
                        (long long)fe->mesh.number[fe->frame[i].node[k]], other);
                ct_help(r, "let `%s` take both joints, or frames of a body that is welded to it",
                        other);
                return false;
            }
            *by = i + 1;
        }
    return true;
}

bool ct_fe_read_frames(builder *b, struct ct_fe_data *fe, const ct_body *body)
{
    const struct mech *m = b->mech;
    uint32_t first = body->frame + 1, count = 0;
    while (first + count < m->frame.count && m->frame.at[first + count].body == fe->index)
        count++;
    fe->frame = CT_NEW_ARRAY(b->arena, ct_fe_frame, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        ct_fe_frame *f = &fe->frame[fe->frame_count];
        f->frame = first + i;
        part p = m->frame_part.at[first + i];
        if (!p.node)
            continue;
        if (!read_nodes(b, &p, &fe->mesh, f) || !fit_motion(b, &fe->mesh, f))
            return false;
        fe->frame_count++;
    }
    if (!fe->frame_count) {
        const char *name = ct_name_text(b->ctx, body->name);
        ct_report *r = ct_error(b->ctx, "E639", body->place, "`%s` has no frame", name);
        ct_help(r, "name a node that its own frame follows: { A = nodes(1) }");
        ct_witness(r, name);
        return false;
    }
    find_holders(b, fe);
    fe->frame[0].boundary = true;
    return are_apart(b, fe);
}
