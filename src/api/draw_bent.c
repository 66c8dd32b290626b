/* draw_bent.c - bodies that bend, in pictures: deformations may be magnified.
 *
 * What a point of the body moved by bending is counted from its place when nothing bends, in the
 * axes of the body. What is fastened to it goes along, as far as joints lead on from the ground; a
 * loop that is closed by the way then has a gap. Cables and beams that are cut bend far: they are
 * shown as they are.
 */
#include <math.h>
#include <string.h>

#include "api/draw_bent.h"
#include "export/draw.h"
#include "export/scene.h"

/* ---- places when nothing bends */

typedef struct straight {
    ct_quantities quantities;
    ct_map bends; /* name of q -> 1 */
} straight;

static double look_up(const void *user, ct_name name)
{
    const straight *s = user;
    return ct_map_get(&s->bends, name) ? 0 : ct_look_up(&s->quantities, name);
}

static void find_magnified(const ct_mechanism *m, bool *magnified)
{
    for (uint32_t i = 0; i < m->body_count; i++)
        magnified[i] = m->body[i].flex && !m->body[i].cable && !m->body[i].flex->next;
    for (uint32_t i = 0; i < m->body_count; i++)
        if (m->body[i].flex)
            magnified[m->body[i].flex->next] = false;
}

/* From the ground on: what carries what. */
static void find_steps(ct_bent *b, ct_arena *arena)
{
    const ct_mechanism *m = b->mechanism;
    bool *found = CT_NEW_ARRAY(arena, bool, m->body_count + 1);
    ct_bent_step *step = CT_NEW_ARRAY(arena, ct_bent_step, m->body_count + 1);
    for (uint32_t root = 0; root < m->body_count; root++) {
        uint32_t from = b->steps;
        if (found[root])
            continue;
        found[root] = true;
        step[b->steps++] = (ct_bent_step){root, root, UINT32_MAX};
        for (; from < b->steps; from++)
            for (uint32_t i = 0; i < m->joint_count; i++) {
                uint32_t tail = m->frame[m->joint[i].tail].body, here = step[from].body;
                uint32_t head = m->frame[m->joint[i].head].body;
                uint32_t next = tail == here ? head : tail;
                if ((tail != here && head != here) || found[next])
                    continue;
                found[next] = true;
                step[b->steps++] = (ct_bent_step){next, here, i};
            }
    }
    b->step = step;
}

ct_bent ct_bent_new(const ct_simulator *s, ct_arena *arena)
{
    const ct_mechanism *m = s->model->mechanism;
    double *at = CT_NEW_ARRAY(arena, double, 3 * (size_t)m->frame_count + 1);
    double *turn = CT_NEW_ARRAY(arena, double, m->frame_count + 1);
    bool *magnified = CT_NEW_ARRAY(arena, bool, m->body_count + 1);
    straight rest = {.quantities = {s->model, s->value}};
    ct_map_init(&rest.bends, arena);
    for (uint32_t i = 0; i < m->body_count; i++)
        for (uint32_t k = 0; m->body[i].flex && k < m->body[i].flex->count; k++)
            ct_map_put(&rest.bends, m->body[i].flex->q[k], 1);
    for (uint32_t i = 0; i < m->frame_count; i++) {
        for (uint32_t k = 0; k < 3; k++)
            at[3 * (size_t)i + k] =
                ct_expr_value(s->model->pool, m->frame[i].at.c[k], look_up, &rest);
        if (!m->spatial)
            turn[i] = ct_expr_value(s->model->pool, m->frame[i].turn, look_up, &rest);
    }
    find_magnified(m, magnified);
    ct_bent b = {.mechanism = m,
                 .factor = s->magnified > 0 ? s->magnified : 1,
                 .at = at,
                 .turn = turn,
                 .magnified = magnified,
                 .shift = CT_NEW_ARRAY(arena, double, 3 * (size_t)m->body_count + 1)};
    if (b.factor != 1)
        find_steps(&b, arena);
    return b;
}

/* How far bending moves a frame, in ground axes. */
typedef void (*find_way)(const ct_bent *b, const double *row, uint32_t frame, double way[3]);

/* How far each body goes along. */
static void find_shifts(const ct_bent *b, const double *row, find_way way)
{
    const ct_mechanism *m = b->mechanism;
    for (uint32_t i = 0; i < b->steps; i++) {
        const ct_bent_step *s = &b->step[i];
        const ct_joint *j = s->joint == UINT32_MAX ? NULL : &m->joint[s->joint];
        double own[3] = {0}, *to = b->shift + (size_t)3 * s->body;
        bool bends = j && j->elastic && b->magnified[m->frame[j->tail].body];
        if (bends)
            way(b, row, j->tail, own);
        double sign = bends && m->frame[j->head].body != s->body ? -1 : 1;
        for (uint32_t k = 0; k < 3; k++)
            to[k] = (j ? b->shift[3 * (size_t)s->from + k] : 0) + sign * (b->factor - 1) * own[k];
    }
}

/* ---- the plane */

static void way_in_plane(const ct_bent *b, const double *frame, uint32_t index, double way[3])
{
    uint32_t body = b->mechanism->frame[index].body;
    const double *own = frame + (size_t)CT_FRAME_COLUMNS * b->mechanism->body[body].frame;
    const double *f = frame + (size_t)CT_FRAME_COLUMNS * index, *at = b->at + (size_t)3 * index;
    way[0] = f[0] - (own[0] + cos(own[2]) * at[0] - sin(own[2]) * at[1]);
    way[1] = f[1] - (own[1] + sin(own[2]) * at[0] + cos(own[2]) * at[1]);
    way[2] = 0;
}

/* Its frames turn about it. */
static void turn_section(const ct_bent *b, const ct_joint *j, double *frame)
{
    const ct_mechanism *m = b->mechanism;
    uint32_t section = m->frame[j->head].body, beam = m->frame[j->tail].body;
    const double *at = frame + (size_t)CT_FRAME_COLUMNS * j->tail;
    const double *own = frame + (size_t)CT_FRAME_COLUMNS * m->body[beam].frame;
    double turn = (b->factor - 1) * (at[2] - own[2] - b->turn[j->tail]);
    for (uint32_t i = 0; i < m->frame_count; i++) {
        double *f = frame + (size_t)CT_FRAME_COLUMNS * i;
        double arm[2] = {f[0] - at[0], f[1] - at[1]};
        if (m->frame[i].body != section)
            continue;
        f[0] = at[0] + cos(turn) * arm[0] - sin(turn) * arm[1];
        f[1] = at[1] + sin(turn) * arm[0] + cos(turn) * arm[1];
        f[2] += turn;
    }
}

void ct_bent_in_plane(const ct_bent *b, double *frame)
{
    const ct_mechanism *m = b->mechanism;
    find_shifts(b, frame, way_in_plane);
    for (uint32_t i = 0; i < m->joint_count; i++)
        if (m->joint[i].elastic && b->magnified[m->frame[m->joint[i].tail].body])
            turn_section(b, &m->joint[i], frame);
    for (uint32_t i = 0; i < m->body_count; i++)
        for (uint32_t k = 0; b->magnified[i] && k < m->body[i].flex->line_count; k++) {
            uint32_t index = m->body[i].flex->line + k;
            double *f = frame + (size_t)CT_FRAME_COLUMNS * index, way[3];
            way_in_plane(b, frame, index, way);
            f[0] += (b->factor - 1) * way[0];
            f[1] += (b->factor - 1) * way[1];
        }
    for (uint32_t i = 0; i < m->frame_count; i++)
        for (uint32_t k = 0; k < 2; k++)
            frame[(size_t)CT_FRAME_COLUMNS * i + k] += b->shift[(size_t)3 * m->frame[i].body + k];
}

/* ---- space */

/* From where a frame of it would be without bending. */
static void way_from(const ct_bent *b, const double *pose, uint32_t index, const double at[3],
                     double way[3])
{
    uint32_t body = b->mechanism->frame[index].body;
    const double *p = pose + (size_t)(body - 1) * CT_POSE_COLUMNS, *R = p + 3;
    const double *own = b->at + (size_t)3 * index;
    for (int i = 0; i < 3; i++)
        way[i] = at[i] - (p[i] + R[3 * i] * own[0] + R[3 * i + 1] * own[1] + R[3 * i + 2] * own[2]);
}

/* The place of a section is that of its body. */
static void way_in_space(const ct_bent *b, const double *pose, uint32_t index, double way[3])
{
    const ct_mechanism *m = b->mechanism;
    for (uint32_t i = 0; i < m->joint_count; i++)
        if (m->joint[i].elastic && m->joint[i].tail == index)
            way_from(b, pose, index,
                     pose + (size_t)(m->frame[m->joint[i].head].body - 1) * CT_POSE_COLUMNS, way);
}

uint32_t ct_bent_pieces(const ct_mechanism *m, ct_arena *arena, const uint32_t **body)
{
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; i < m->body_count; i++)
        count +=
            m->body[i].flex && m->body[i].flex->line_count ? m->body[i].flex->line_count - 1 : 0;
    uint32_t *own = CT_NEW_ARRAY(arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < m->body_count; i++)
        for (uint32_t k = 1; m->body[i].flex && k < m->body[i].flex->line_count; k++)
            own[at++] = i;
    *body = own;
    return count;
}

/* Some axes across it. */
static void put_piece(const double a[3], const double b[3], double pose[12])
{
    double way[3], across[2][3], size = 0, side = 0;
    int least = 0;
    for (int i = 0; i < 3; i++) {
        way[i] = b[i] - a[i];
        size += way[i] * way[i];
        least = fabs(way[i]) < fabs(way[least]) ? i : least;
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        across[0][i] = way[j] * (k == least) - way[k] * (j == least);
        side += across[0][i] * across[0][i];
    }
    for (int i = 0; i < 3; i++)
        across[0][i] /= side > 0 ? sqrt(side) : 1;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        across[1][i] = way[j] * across[0][k] - way[k] * across[0][j];
        pose[i] = a[i];
        pose[3 + 3 * i] = way[i];
        pose[4 + 3 * i] = across[0][i];
        pose[5 + 3 * i] = across[1][i] / (size > 0 ? sqrt(size) : 1);
    }
}

void ct_bent_in_space(const ct_bent *b, double *pose, const double *point)
{
    const ct_mechanism *m = b->mechanism;
    double *piece = pose + (size_t)(m->body_count - 1) * CT_POSE_COLUMNS;
    find_shifts(b, pose, way_in_space);
    for (uint32_t i = 0; i < m->body_count; i++) {
        const ct_flex *f = m->body[i].flex;
        double before[3] = {0}, at[3], way[3] = {0};
        for (uint32_t k = 0; f && k < f->line_count; k++, point += 3) {
            if (b->magnified[i])
                way_from(b, pose, f->line + k, point, way);
            for (int c = 0; c < 3; c++)
                at[c] = point[c] + (b->factor - 1) * way[c] + b->shift[3 * (size_t)i + (size_t)c];
            if (k) {
                put_piece(before, at, piece);
                piece += CT_POSE_COLUMNS;
            }
            memcpy(before, at, sizeof before);
        }
    }
    for (uint32_t i = 1; i < m->body_count; i++)
        for (uint32_t k = 0; k < 3; k++)
            pose[(size_t)(i - 1) * CT_POSE_COLUMNS + k] += b->shift[(size_t)3 * i + k];
}
