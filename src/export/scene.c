/* scene.c - what is drawn of a mechanism in space: shapes of bodies; of those without, links from
 * frame to frame; joints, springs. */
#include "export/scene.h"

#include <math.h>
#include <string.h>

static const uint32_t palette[] = {0x4e79a7, 0xf28e2b, 0x59a14f, 0xb07aa1,
                                   0x76b7b2, 0xe15759, 0xedc948, 0x9c755f};

void ct_scene_place(const ct_space_rows *rows, uint32_t row, uint32_t body, const double in[3],
                    double out[3])
{
    if (body == CT_GROUND_BODY) {
        memcpy(out, in, 3 * sizeof *out);
        return;
    }
    const double *p = rows->pose[row] + (size_t)(body - 1) * CT_POSE_COLUMNS, *R = p + 3;
    for (int i = 0; i < 3; i++)
        out[i] = p[i] + R[3 * i] * in[0] + R[3 * i + 1] * in[1] + R[3 * i + 2] * in[2];
}

/* ---- size */

typedef struct extent {
    double low[3], high[3];
} extent;

static void widen(extent *e, const double at[3])
{
    for (int i = 0; i < 3; i++)
        if (isfinite(at[i])) {
            e->low[i] = fmin(e->low[i], at[i]);
            e->high[i] = fmax(e->high[i], at[i]);
        }
}

static void set_size(ct_scene *s, const extent *e)
{
    double diagonal = 0;
    for (int i = 0; i < 3; i++) {
        bool any = e->low[i] <= e->high[i];
        s->center[i] = any ? (e->low[i] + e->high[i]) / 2 : 0;
        diagonal += any ? (e->high[i] - e->low[i]) * (e->high[i] - e->low[i]) : 0;
    }
    s->radius = diagonal > 0 ? sqrt(diagonal) / 2 : 1;
}

enum { MOST_MEASURED = 60 };

/* Points that matter, at some of the moments. */
static void measure(ct_scene *s, bool faces)
{
    const ct_space_rows *r = s->rows;
    const ct_mechanism *m = r->mechanism;
    extent e = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    uint32_t step = r->rows / MOST_MEASURED + 1;
    double at[3];
    for (uint32_t row = 0; row < r->rows; row += step) {
        for (uint32_t f = 0; f < m->frame_count; f++) {
            if (m->body[m->frame[f].body].number || m->body[m->frame[f].body].flex)
                continue;
            ct_scene_place(r, row, m->frame[f].body, r->frame[f].at, at);
            widen(&e, at);
        }
        for (uint32_t i = 1; i < m->body_count; i++) {
            if (m->body[i].number || m->body[i].flex)
                continue;
            ct_scene_place(r, row, i, r->com + (size_t)3 * i, at);
            widen(&e, at);
        }
        for (uint32_t i = 0; i < r->pieces; i++) {
            ct_scene_place(r, row, m->body_count + i, (const double[]){1, 0, 0}, at);
            widen(&e, at);
        }
        for (uint32_t i = 0; faces && i < s->face.count; i++) {
            ct_scene_place(r, row, s->face.at[i].body, s->vertex.at[s->face.at[i].first].x, at);
            widen(&e, at);
        }
    }
    set_size(s, &e);
}

/* ---- bodies without shapes */

static uint32_t color_of(const ct_scene *s, uint32_t shape, uint32_t body)
{
    const double *c = s->rows->color + (size_t)3 * shape;
    uint32_t out = 0;
    if (!(c[0] >= 0))
        return body == CT_GROUND_BODY ? 0xb0b7bf : palette[(body - 1) % 8];
    for (int i = 0; i < 3; i++)
        out = out << 8 | (uint32_t)lround(255 * fmin(fmax(c[i], 0), 1));
    return out;
}

static void put_link(ct_scene *s, uint32_t body, uint32_t frame)
{
    const double *com = s->rows->com + (size_t)3 * body;
    ct_scene_tube(s, body, com, s->rows->frame[frame].at, 0.012 * s->radius, 6,
                  palette[(body - 1) % 8]);
}

/* From the mass centre to all points where something is fastened. */
static void put_links(ct_scene *s, const bool *shaped)
{
    const ct_mechanism *m = s->rows->mechanism;
    bool *used = CT_NEW_ARRAY(s->arena, bool, m->frame_count + 1);
    for (uint32_t i = 0; i < m->joint_count; i++)
        used[m->joint[i].tail] = used[m->joint[i].head] = true;
    for (uint32_t i = 0; i < m->line_count; i++)
        used[m->line[i].tail] = used[m->line[i].head] = true;
    for (uint32_t i = 0; i < m->load_count; i++)
        used[m->load[i].tail] = used[m->load[i].head] = true;
    for (uint32_t f = 1; f < m->frame_count; f++) {
        uint32_t body = m->frame[f].body;
        bool own = body && m->body[body].frame == f;
        if (body && !shaped[body] && !m->body[body].flex && (used[f] || !own))
            put_link(s, body, f);
    }
    for (uint32_t i = 1; i < m->body_count; i++) {
        ct_pose_number at = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        double r = 0.03 * s->radius, radius[3] = {r, r, r};
        memcpy(at.at, s->rows->com + (size_t)3 * i, sizeof at.at);
        if (!shaped[i] && !m->body[i].number && !m->body[i].flex && !m->body[i].section)
            ct_scene_ball(s, i, &at, radius, palette[(i - 1) % 8]);
    }
}

/* What bends. */
static void put_pieces(ct_scene *s)
{
    static const double from[3], to[3] = {1, 0, 0};
    for (uint32_t i = 0; i < s->rows->pieces; i++)
        ct_scene_tube(s, s->rows->mechanism->body_count + i, from, to, 0.012 * s->radius, 6,
                      palette[(s->rows->piece_body[i] - 1) % 8]);
}

/* ---- joints and lines */

/* A ball where it turns as it likes, else a pin or a rail along its axis. */
static void put_joint(ct_scene *s, uint32_t index)
{
    const ct_space_rows *r = s->rows;
    const ct_joint *j = &r->mechanism->joint[index];
    const ct_pose_number *f = &r->frame[j->tail];
    const double *axis = r->axis + (size_t)3 * index;
    uint32_t body = r->mechanism->frame[j->tail].body;
    uint32_t turns = ct_joint_turns(j->kind, true), slides = ct_joint_slides(j->kind, true);
    double from[3], to[3], half = 0.05 * s->radius, size = 0, ball = 0.035 * s->radius;
    const double radius[3] = {ball, ball, ball};
    for (int i = 0; i < 3; i++)
        size += axis[i] * axis[i];
    bool number = r->mechanism->body[r->mechanism->frame[j->head].body].number;
    if (number || turns + slides == 0 || turns + slides == 6)
        return;
    if (turns > 1 || !(size > 0)) {
        ct_scene_ball(s, body, f, radius, 0x5a6470);
        return;
    }
    for (int i = 0; i < 3; i++) {
        double e = f->R[3 * i] * axis[0] + f->R[3 * i + 1] * axis[1] + f->R[3 * i + 2] * axis[2];
        from[i] = f->at[i] - half * e / sqrt(size);
        to[i] = f->at[i] + half * e / sqrt(size);
    }
    ct_scene_tube(s, body, from, to, (turns ? 0.025 : 0.018) * s->radius, turns ? 12 : 4, 0x5a6470);
}

static void put_bars(ct_scene *s)
{
    const ct_mechanism *m = s->rows->mechanism;
    for (uint32_t i = 0; i < m->line_count; i++) {
        const ct_line *l = &m->line[i];
        ct_bar bar = {.body = {m->frame[l->tail].body, m->frame[l->head].body}, .spring = true};
        memcpy(bar.at[0], s->rows->frame[l->tail].at, sizeof bar.at[0]);
        memcpy(bar.at[1], s->rows->frame[l->head].at, sizeof bar.at[1]);
        CT_PUSH(s->arena, s->bar, bar);
    }
    for (uint32_t i = 0; i < m->joint_count; i++) {
        const ct_joint *j = &m->joint[i];
        ct_bar bar = {.body = {m->frame[j->tail].body, m->frame[j->head].body}};
        if (ct_joint_types[j->kind].picture != CT_PICTURE_ROD)
            continue;
        memcpy(bar.at[0], s->rows->frame[j->tail].at, sizeof bar.at[0]);
        memcpy(bar.at[1], s->rows->frame[j->head].at, sizeof bar.at[1]);
        CT_PUSH(s->arena, s->bar, bar);
    }
}

/* The lowest point of all moments: where the floor is. */
static void find_floor(ct_scene *s)
{
    const double *up = s->rows->up;
    double at[3], low = INFINITY;
    for (uint32_t row = 0; row < s->rows->rows; row += s->rows->rows / MOST_MEASURED + 1)
        for (uint32_t i = 0; i < s->face.count; i++) {
            const ct_face *f = &s->face.at[i];
            ct_scene_place(s->rows, row, f->body, s->vertex.at[f->first].x, at);
            double height = at[0] * up[0] + at[1] * up[1] + at[2] * up[2];
            low = isfinite(height) ? fmin(low, height) : low;
        }
    s->low = isfinite(low) ? low : 0;
}

ct_scene *ct_scene_new(const ct_space_rows *rows, ct_arena *arena)
{
    const ct_mechanism *m = rows->mechanism;
    ct_scene *s = CT_NEW(arena, ct_scene);
    bool *shaped = CT_NEW_ARRAY(arena, bool, m->body_count + 1);
    *s = (ct_scene){.rows = rows, .arena = arena};
    measure(s, false);
    for (uint32_t i = 0; i < m->shape_count; i++) {
        uint32_t body = m->frame[m->shape[i].frame].body;
        shaped[body] = true;
        ct_scene_shape(s, i, color_of(s, i, body));
    }
    put_links(s, shaped);
    put_pieces(s);
    for (uint32_t i = 0; i < m->joint_count; i++)
        if (!shaped[m->frame[m->joint[i].tail].body] || !shaped[m->frame[m->joint[i].head].body])
            put_joint(s, i);
    put_bars(s);
    measure(s, true);
    find_floor(s);
    return s;
}

void ct_draw_space(const ct_space_rows *rows, bool html, ct_text *out)
{
    ct_arena *arena = ct_arena_new(rows->ctx);
    ct_scene *s = ct_scene_new(rows, arena);
    if (s->lost) {
        ct_report *r = ct_warning(rows->ctx, "W855", s->lost_place, "%u mesh%s cannot be read: %s",
                                  s->lost_count, s->lost_count == 1 ? "" : "es", s->lost);
        ct_note(r, "drawn as boxes; files are looked for below the folder of the model");
    }
    if (html)
        ct_scene_html(s, out);
    else
        ct_scene_svg(s, out);
    ct_arena_free(arena);
}
