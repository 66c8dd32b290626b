/* fe_shapes.c - from the matrices of a body to few shapes: checks, reduction, reference. */
#include <math.h>
#include <string.h>

#include "model/fe.h"

static const double same_mass = 1e-6, same_size = 1e-9, no_mass = 1e-20; /* of another */

/* ---- motions as a whole */

/* Column of a node's displacement or turn, 0..5; UINT32_MAX: it has none. */
static uint32_t freedom_of(const ct_fe_mesh *mesh, uint32_t i)
{
    if (mesh->spatial)
        return i < mesh->freedoms ? i : UINT32_MAX;
    return i < 2 ? i : i == 5 && mesh->freedoms == 3 ? 2 : UINT32_MAX;
}

void ct_fe_rigid(const ct_fe_mesh *mesh, bool turn, uint32_t axis, const double origin[3],
                 double *out)
{
    uint32_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (uint32_t n = 0; n < mesh->count; n++)
        for (uint32_t i = 0; i < 6; i++) {
            uint32_t at = freedom_of(mesh, i);
            if (at == UINT32_MAX)
                continue;
            double arm[3];
            for (int k = 0; k < 3; k++)
                arm[k] = mesh->at[n][k] - origin[k];
            double value = i >= 3 ? turn && i - 3 == axis : !turn && i == axis;
            if (turn && i == u)
                value = -arm[v];
            if (turn && i == v)
                value = arm[u];
            out[(size_t)n * mesh->freedoms + at] = value;
        }
}

static bool is_used(const ct_fe_mesh *mesh, bool turn, uint32_t axis)
{
    return mesh->spatial || (turn ? axis == 2 : axis < 2);
}

/* ---- checks */

static ct_report *complain(builder *b, const char *code, const ct_body *body, ct_place place,
                           const char *what)
{
    const char *name = ct_name_text(b->ctx, body->name);
    ct_report *r = ct_error(b->ctx, code, place, "%s of `%s` %s", "matrices", name, what);
    ct_witness(r, name);
    return r;
}

static bool strains(const ct_symmetric *a, const double *x, double *y, double *rest)
{
    const double rounding = 1e-7;
    double most = 0, size = 0;
    ct_symmetric_times(a, x, y);
    for (uint32_t c = 0; c < a->n; c++) {
        double sum = 0;
        for (int k = a->start[c]; k < a->start[c + 1]; k++)
            sum += fabs(a->value[k] * x[a->row[k]]);
        size = fmax(size, sum);
        most = fmax(most, fabs(y[c]));
    }
    *rest = size > 0 ? most / size : 0;
    return *rest > rounding;
}

static const char *const axis_word[] = {"x", "y", "z"};

static bool check_rigid(builder *b, const struct ct_fe_data *fe, const ct_body *body,
                        ct_place place)
{
    static const double origin[3];
    double *x = CT_NEW_ARRAY(b->scratch, double, 2 * (size_t)fe->mesh.size + 1),
           *y = x + fe->mesh.size;
    for (uint32_t i = 0; i < 6; i++) {
        double rest;
        if (!is_used(&fe->mesh, i >= 3, i % 3))
            continue;
        ct_fe_rigid(&fe->mesh, i >= 3, i % 3, origin, x);
        if (!strains(&fe->stiffness, x, y, &rest))
            continue;
        ct_report *r = complain(b, "E638", body, place, "strain a motion as a whole");
        ct_note(r, "the stiffness resists a %s %s %s: %.3g of its forces remain",
                i < 3 ? "displacement" : "turn", i < 3 ? "along" : "about", axis_word[i % 3], rest);
        ct_help(r, "give those of the free body, without supports; nodes in metres, in the order "
                   "of the matrices");
        return false;
    }
    return true;
}

/* It weighs the same in all directions, and something. */
static bool check_mass(builder *b, const struct ct_fe_data *fe, const ct_body *body, ct_place place)
{
    static const double origin[3];
    double *x = CT_NEW_ARRAY(b->scratch, double, 2 * (size_t)fe->mesh.size + 1),
           *y = x + fe->mesh.size;
    double mass[3] = {0};
    for (uint32_t i = 0; i < ct_fe_slides(&fe->mesh); i++) {
        ct_fe_rigid(&fe->mesh, false, i, origin, x);
        ct_symmetric_times(&fe->mass, x, y);
        for (uint32_t k = 0; k < fe->mesh.size; k++)
            mass[i] += x[k] * y[k];
        if (mass[i] > 0 && fabs(mass[i] - mass[0]) <= same_mass * mass[0])
            continue;
        bool none = !(mass[i] > 0);
        ct_report *r = complain(b, none ? "E637" : "E638", body, place,
                                none ? "have no mass" : "weigh differently in two directions");
        ct_note(r, "along x %.10g kg, along %s %.10g kg", mass[0], axis_word[i], mass[i]);
        ct_help(r, "degrees of freedom go node by node: %s",
                fe->mesh.spatial ? "x, y, z, or x, y, z and three turns" : "x, y, or x, y, turn");
        return false;
    }
    return true;
}

static bool check_status(builder *b, ct_craig_status status, const ct_body *body, ct_place place)
{
    if (status == CT_CRAIG_DONE)
        return true;
    bool loose = status == CT_CRAIG_LOOSE, heavy = status == CT_CRAIG_WEIGHT;
    ct_report *r = complain(b, "E637", body, place,
                            loose   ? "leave a part of it loose"
                            : heavy ? "have a negative mass"
                                    : "have a negative stiffness");
    if (loose)
        ct_note(r, "with its frames held, some motion takes no force: a part is not connected");
    else
        ct_note(r, "with its frames held, some motion has less than no %s energy",
                heavy ? "kinetic" : "strain");
    return false;
}

/* ---- what frames do to nodes */

static void move_frame(const ct_fe_mesh *mesh, const ct_fe_frame *f, bool turn, uint32_t axis,
                       double *scratch, double *out)
{
    ct_fe_rigid(mesh, turn, axis, f->at, scratch);
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < mesh->freedoms; k++) {
            size_t at = (size_t)f->node[i] * mesh->freedoms + k;
            out[at] = scratch[at];
        }
}

/* Motions of all held frames but the first, and what is held. */
static ct_shape_set make_motions(builder *b, const struct ct_fe_data *fe, bool *held)
{
    const ct_fe_mesh *mesh = &fe->mesh;
    ct_shape_set out = {
        mesh->size, 0,
        CT_NEW_ARRAY(b->scratch, double, (size_t)6 * fe->frame_count * mesh->size + 1)};
    double *scratch = CT_NEW_ARRAY(b->scratch, double, mesh->size + 1);
    for (uint32_t i = 0; i < fe->frame_count; i++) {
        const ct_fe_frame *f = &fe->frame[i];
        for (uint32_t k = 0; k < f->count * mesh->freedoms && f->boundary; k++)
            held[(size_t)f->node[k / mesh->freedoms] * mesh->freedoms + k % mesh->freedoms] = true;
        for (uint32_t k = 0; k < 6 && f->boundary && i; k++)
            if (is_used(mesh, k >= 3, k % 3))
                move_frame(mesh, f, k >= 3, k % 3, scratch,
                           out.at + (size_t)out.count++ * mesh->size);
    }
    return out;
}

void ct_fe_motion(const ct_fe_mesh *mesh, const ct_fe_frame *f, const double *shape, double out[6])
{
    for (uint32_t k = 0; k < 6; k++) {
        out[k] = 0;
        for (uint32_t i = 0; i < 6 * f->count; i++) {
            uint32_t at = freedom_of(mesh, i % 6);
            if (at != UINT32_MAX)
                out[k] += f->fit[(size_t)k * 6 * f->count + i] *
                          shape[(size_t)f->node[i / 6] * mesh->freedoms + at];
        }
    }
}

/* ---- reference */

/* Given vectors: the first frame stays where it is. */
static void hold_first(builder *b, const struct ct_fe_data *fe, ct_shape_set *s)
{
    const ct_fe_mesh *mesh = &fe->mesh;
    double *x = CT_NEW_ARRAY(b->scratch, double, mesh->size + 1);
    for (uint32_t i = 0; i < s->count; i++) {
        double *to = s->at + (size_t)i * mesh->size, motion[6];
        ct_fe_motion(mesh, &fe->frame[0], to, motion);
        for (uint32_t k = 0; k < 6; k++) {
            if (!is_used(mesh, k >= 3, k % 3))
                continue;
            ct_fe_rigid(mesh, k >= 3, k % 3, fe->frame[0].at, x);
            for (uint32_t n = 0; n < mesh->size; n++)
                to[n] -= motion[k] * x[n];
        }
    }
}

/* Shapes without momentum: rigid motions are made orthonormal by the mass, one after the other. */
static void hold_mean(builder *b, const struct ct_fe_data *fe, ct_shape_set *s)
{
    static const double origin[3];
    const ct_fe_mesh *mesh = &fe->mesh;
    uint32_t n = mesh->size, count = 0;
    double *rigid = CT_NEW_ARRAY(b->scratch, double, (size_t)12 * n + 1), *times = rigid + 6 * n;
    for (uint32_t k = 0; k < 6; k++) {
        double *x = rigid + (size_t)count * n, *y = times + (size_t)count * n, size = 0;
        if (!is_used(mesh, k >= 3, k % 3))
            continue;
        ct_fe_rigid(mesh, k >= 3, k % 3, origin, x);
        for (uint32_t j = 0; j < 2 * count; j++) {
            double share = 0;
            for (uint32_t i = 0; i < n; i++)
                share += times[(size_t)(j % count) * n + i] * x[i];
            for (uint32_t i = 0; i < n; i++)
                x[i] -= share * rigid[(size_t)(j % count) * n + i];
        }
        ct_symmetric_times(&fe->mass, x, y);
        for (uint32_t i = 0; i < n; i++)
            size += x[i] * y[i];
        for (uint32_t i = 0; i < n; i++)
            x[i] /= sqrt(size), y[i] /= sqrt(size);
        count++;
    }
    for (uint32_t m = 0; m < s->count; m++)
        for (uint32_t j = 0; j < count; j++) {
            double share = 0, *to = s->at + (size_t)m * n;
            for (uint32_t i = 0; i < n; i++)
                share += times[(size_t)j * n + i] * to[i];
            for (uint32_t i = 0; i < n; i++)
                to[i] -= share * rigid[(size_t)j * n + i];
        }
}

/* The largest displacement of a shape is 1, so that its coordinate is in metres. */
static void scale_shapes(struct ct_fe_data *fe, double *mass_of)
{
    const ct_fe_mesh *mesh = &fe->mesh;
    for (uint32_t m = 0; m < fe->shape.count; m++) {
        double *x = fe->shape.at + (size_t)m * mesh->size, most = 0;
        for (uint32_t i = 0; i < mesh->size; i++)
            if (i % mesh->freedoms < ct_fe_slides(mesh) &&
                fabs(x[i]) > fabs(most) * (1 + same_size))
                most = x[i];
        for (uint32_t i = 0; i < mesh->size && most != 0; i++)
            x[i] /= most;
        mass_of[m] = most != 0 ? mass_of[m] / (most * most) : mass_of[m];
    }
}

static bool check_count(builder *b, const struct ct_fe_data *fe, const ct_body *body,
                        const double *mass_of)
{
    const char *name = ct_name_text(b->ctx, body->name);
    uint32_t n = fe->shape.count;
    if (n && n <= CT_MOST_SHAPES && mass_of[n - 1] > no_mass * mass_of[0])
        return true;
    if (n && n <= CT_MOST_SHAPES) {
        ct_report *r = complain(b, "E637", body, body->place, "have shapes without mass");
        ct_help(r, "give turns of nodes an inertia, or let frames hold nodes with mass");
        return false;
    }
    ct_report *r =
        ct_error(b->ctx, "E631", body->place, "`%s` has %u shapes: from 1 to %d are possible", name,
                 n, CT_MOST_SHAPES);
    ct_help(r,
            "its frames that joints or loads hold have %d each, besides the first; `modes` "
            "come to them",
            fe->mesh.spatial ? 6 : 3);
    ct_witness(r, name);
    return false;
}

bool ct_fe_reduce(builder *b, struct ct_fe_data *fe, const ct_body *body, ct_place place)
{
    uint32_t n = fe->mesh.size;
    if (!check_mass(b, fe, body, place) || !check_rigid(b, fe, body, place))
        return false;
    bool *held = CT_NEW_ARRAY(b->scratch, bool, n + 1);
    ct_shape_set motion = make_motions(b, fe, held);
    uint32_t most = motion.count + (uint32_t)fe->modes + fe->given.count;
    ct_shape_set *s = &fe->shape;
    *s = (ct_shape_set){n, 0, CT_NEW_ARRAY(b->arena, double, (size_t)n *most + 1)};
    bool own = fe->given.count == 0;
    if (!check_status(b,
                      ct_craig_shapes(b->scratch, &fe->mass, &fe->stiffness, held, &motion,
                                      own ? (uint32_t)fe->modes : 0, s),
                      body, place))
        return false;
    if (!own) {
        memcpy(s->at, fe->given.at, sizeof *s->at * n * fe->given.count);
        s->count = fe->given.count;
        hold_first(b, fe, s);
    }
    if (fe->reference)
        hold_mean(b, fe, s);
    double *mass_of = CT_NEW_ARRAY(b->arena, double, most + 1);
    ct_shapes_part(b->scratch, &fe->mass, &fe->stiffness, s, mass_of);
    if (!check_count(b, fe, body, mass_of))
        return false;
    scale_shapes(fe, mass_of);
    fe->mass_of = mass_of;
    return true;
}
