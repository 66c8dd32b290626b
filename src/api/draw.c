/* draw.c - the public call that draws bodies and joints. */
#include <math.h>
#include <string.h>

#include <cotree/cotree.h>

#include "api/draw_bent.h"
#include "api/status.h"
#include "export/draw.h"
#include "export/scene.h"
#include "runner/runner.h"

typedef struct draw_job {
    ct_context *ctx;
    ct_simulator *s;
    const ct_result *result;
    ct_drawing how;
    ct_arena *arena;
    ct_motion_rows rows;
    double *time; /* of rows, while they are filled in */
    const double **frame, **load;
    ct_bent bent;
    uint32_t pieces; /* of what bends in space */
    const uint32_t *piece_body;
    const char *text;
    size_t length;
} draw_job;

static double number(const ct_simulator *s, ct_expr e)
{
    double value = ct_value_with(s->model, s->value, e);
    return isfinite(value) ? value : 0;
}

static void read_data(draw_job *job)
{
    const ct_mechanism *m = job->rows.mechanism;
    double *com = CT_NEW_ARRAY(job->arena, double, 2 * (size_t)m->body_count + 1);
    double *axis = CT_NEW_ARRAY(job->arena, double, 2 * (size_t)m->joint_count + 1);
    for (uint32_t i = 0; i < m->body_count; i++)
        for (uint32_t k = 0; i && k < 2; k++)
            com[2 * i + k] = number(job->s, m->body[i].com.c[k]);
    for (uint32_t i = 0; i < m->joint_count; i++) {
        for (uint32_t k = 0; k < 2; k++)
            axis[2 * i + k] = number(job->s, m->joint[i].axis.c[k]);
        if (axis[2 * i] == 0 && axis[2 * i + 1] == 0)
            axis[2 * i] = 1;
    }
    job->rows.com = com, job->rows.axis = axis;
}

/* The joint that each node moves with, plus 1. */
static uint32_t *joints_of_nodes(draw_job *job)
{
    const ct_model *m = job->s->model;
    uint32_t *joint = CT_NEW_ARRAY(job->arena, uint32_t, m->node_count + 1);
    for (uint32_t i = 0; i < m->mechanism->joint_count; i++) {
        const ct_joint *j = &m->mechanism->joint[i];
        const ct_expr load[] = {j->load[CT_TURN], j->load[CT_SLIDE]};
        for (int k = 0; k < 2; k++)
            if (load[k]) {
                ct_symbol s = ct_symbol_of(m->symbols, ct_expr_name(m->pool, load[k]));
                joint[m->terminal_node[m->component[s.owner].node]] = i + 1;
            }
    }
    return joint;
}

static bool is_spring(const ct_model *m, const ct_component *c)
{
    static const char *const words[] = {"spring", "torsion_spring", "strut"};
    const char *own = ct_name_text(m->ctx, m->element[c->element]->name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(own, words[i]) == 0)
            return true;
    return false;
}

static void find_springs(draw_job *job)
{
    const ct_model *m = job->s->model;
    bool *sprung = CT_NEW_ARRAY(job->arena, bool, m->mechanism->joint_count + 1);
    uint32_t *joint = joints_of_nodes(job);
    for (uint32_t i = 0; i < m->component_count; i++) {
        const ct_component *c = &m->component[i];
        for (uint32_t k = 0; is_spring(m, c) && k < m->element[c->element]->terminal_count; k++)
            if (joint[m->terminal_node[c->node + k]])
                sprung[joint[m->terminal_node[c->node + k]] - 1] = true;
    }
    job->rows.sprung = sprung;
}

static void open_rows(draw_job *job, uint32_t count)
{
    job->rows.rows = count;
    job->rows.time = job->time = CT_NEW_ARRAY(job->arena, double, count + 1);
    job->rows.frame = job->frame = CT_NEW_ARRAY(job->arena, const double *, count + 1);
    job->rows.load = job->load = CT_NEW_ARRAY(job->arena, const double *, count + 1);
}

/* A row of our own, where something bends. */
static const double *bent_row(draw_job *job, const double *frame)
{
    const ct_mechanism *m = job->rows.mechanism;
    size_t bodies = m->spatial ? (size_t)(m->body_count - 1) * CT_POSE_COLUMNS
                               : (size_t)m->frame_count * CT_FRAME_COLUMNS;
    size_t loads = (size_t)m->load_count * (m->spatial ? CT_FORCE_COLUMNS : CT_LOAD_COLUMNS);
    size_t pieces = (size_t)job->pieces * CT_POSE_COLUMNS;
    double *own = CT_NEW_ARRAY(job->arena, double, bodies + pieces + loads + 1);
    memcpy(own, frame, bodies * sizeof *own);
    memcpy(own + bodies + pieces, frame + bodies, loads * sizeof *own);
    if (m->spatial)
        ct_bent_in_space(&job->bent, own, frame + bodies + loads);
    else
        ct_bent_in_plane(&job->bent, own);
    return own;
}

static void set_row(draw_job *job, uint32_t row, double t, const double *frame)
{
    const ct_mechanism *m = job->rows.mechanism;
    job->time[row] = t;
    if (job->pieces || (!m->spatial && job->bent.factor != 1))
        frame = bent_row(job, frame);
    job->frame[row] = frame;
    job->load[row] =
        frame + (m->spatial ? (size_t)(m->body_count - 1 + job->pieces) * CT_POSE_COLUMNS
                            : (size_t)m->frame_count * CT_FRAME_COLUMNS);
}

/* Behind outputs and curves stands what a picture needs. */
static uint32_t curve_columns(const ct_model *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->curve_count; i++)
        count += m->curve[i].over ? 2 : 1;
    return count;
}

static bool read_start(draw_job *job)
{
    const ct_point *p = ct_simulator_at(job->s, 0, NULL, 0, job->arena);
    if (!p)
        return false;
    open_rows(job, 1);
    set_row(job, 0, 0, p->y + p->output_count + curve_columns(job->s->model));
    return true;
}

static bool read_run(draw_job *job)
{
    const ct_rows *rows = &job->result->simulation->curves;
    uint32_t first = 1 + curve_columns(job->s->model);
    uint32_t count = rows->count < UINT32_MAX ? (uint32_t)rows->count : UINT32_MAX;
    open_rows(job, count);
    for (uint32_t r = 0; r < count; r++) {
        const double *at = rows->value + (size_t)r * rows->cols;
        set_row(job, r, at[0], at + first);
    }
    return count > 0 || read_start(job); /* a run may be interrupted before its first row */
}

/* ---- in space */

static void read_vectors(draw_job *job, ct_space_rows *r)
{
    const ct_mechanism *m = r->mechanism;
    double *com = CT_NEW_ARRAY(job->arena, double, 3 * (size_t)m->body_count + 1);
    double *axis = CT_NEW_ARRAY(job->arena, double, 3 * (size_t)m->joint_count + 1);
    double *size = CT_NEW_ARRAY(job->arena, double, 3 * (size_t)m->shape_count + 1);
    double *color = CT_NEW_ARRAY(job->arena, double, 3 * (size_t)m->shape_count + 1);
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t i = 1; i < m->body_count; i++)
            com[3 * i + k] = number(job->s, m->body[i].com.c[k]);
        for (uint32_t i = 0; i < m->joint_count; i++)
            axis[3 * i + k] = number(job->s, m->joint[i].axis.c[k]);
        for (uint32_t i = 0; i < m->shape_count; i++) {
            size[3 * i + k] = number(job->s, m->shape[i].size[k]);
            color[3 * i + k] = m->shape[i].color[k] ? number(job->s, m->shape[i].color[k]) : -1;
        }
    }
    r->com = com, r->axis = axis, r->size = size, r->color = color;
}

static void read_frames(draw_job *job, ct_space_rows *r)
{
    const ct_mechanism *m = r->mechanism;
    ct_pose_number *frame = CT_NEW_ARRAY(job->arena, ct_pose_number, m->frame_count + 1);
    for (uint32_t i = 0; i < m->frame_count; i++)
        for (uint32_t k = 0; k < 9; k++) {
            const ct_vec3 *axes = m->frame[i].axes;
            frame[i].at[k % 3] = job->bent.at[3 * (size_t)i + k % 3];
            frame[i].R[k] = axes ? number(job->s, axes[k % 3].c[k / 3]) : k % 4 == 0;
        }
    r->frame = frame;
}

/* Against gravity; z without. */
static void read_up(draw_job *job, ct_space_rows *r)
{
    double size = 0;
    for (int i = 0; i < 3; i++) {
        r->up[i] = -number(job->s, r->mechanism->gravity.c[i]);
        size += r->up[i] * r->up[i];
    }
    for (int i = 0; i < 3; i++)
        r->up[i] = size > 0 ? r->up[i] / sqrt(size) : i == 2;
}

static void draw_in_space(draw_job *job, ct_text *out)
{
    ct_space_rows r = {.ctx = job->ctx,
                       .mechanism = job->rows.mechanism,
                       .title = job->rows.title,
                       .rows = job->rows.rows,
                       .time = job->rows.time,
                       .pose = job->rows.frame,
                       .load = job->rows.load,
                       .pieces = job->pieces,
                       .piece_body = job->piece_body,
                       .names = job->how & CT_DRAWING_NAMES,
                       .views = job->how & CT_DRAWING_VIEWS};
    read_vectors(job, &r);
    read_frames(job, &r);
    read_up(job, &r);
    ct_draw_space(&r, job->how % CT_DRAWING_NAMES == CT_DRAWING_HTML, out);
}

static void draw(void *user)
{
    draw_job *job = user;
    const ct_model *model = job->s->model;
    if (model->mechanism->spatial && job->how % CT_DRAWING_NAMES == CT_DRAWING_SVG) {
        ct_report *r = ct_error(job->ctx, "E901", model->mechanism->place,
                                "in space SVG does not move: animations are pages");
        ct_help(r, "write to a file that ends with .html");
        return;
    }
    job->arena = ct_arena_new(job->ctx);
    job->rows = (ct_motion_rows){.ctx = job->ctx,
                                 .mechanism = model->mechanism,
                                 .title = model->title ? model->title
                                                       : ct_name_text(job->ctx, model->name)};
    job->bent = ct_bent_new(job->s, job->arena);
    if (model->mechanism->spatial)
        job->pieces = ct_bent_pieces(model->mechanism, job->arena, &job->piece_body);
    if (job->bent.factor != 1)
        job->rows.title =
            ct_printf(job->ctx, "%s (deformations %g times)", job->rows.title, job->bent.factor);
    read_data(job);
    find_springs(job);
    job->rows.names = job->how & CT_DRAWING_NAMES;
    if (!(job->result ? read_run(job) : read_start(job)))
        return;
    ct_text out = ct_text_new(job->ctx->base);
    if (model->mechanism->spatial)
        draw_in_space(job, &out);
    else
        ct_draw(&job->rows, (ct_draw_format)(job->how % CT_DRAWING_NAMES), &out);
    job->text = ct_text_string(&out);
    job->length = out.length;
    ct_arena_free(job->arena);
}

ct_status ct_show_drawing(ct_context *ctx, ct_simulator *simulator, const ct_result *result,
                          ct_drawing how, const char **text, size_t *length)
{
    draw_job job = {.ctx = ctx, .s = simulator, .result = result, .how = how};
    *text = NULL;
    ct_tell_length(length, 0);
    if (!simulator->model->mechanism)
        return CT_ERR_USAGE;
    ct_status status = ct_call(ctx, draw, &job);
    *text = job.text;
    ct_tell_length(length, job.length);
    return status == CT_OK && !job.text ? CT_ERR_MODEL : status;
}

ct_status ct_magnify_deformations(ct_simulator *simulator, double factor)
{
    if (!(factor > 0) || !isfinite(factor))
        return CT_ERR_USAGE;
    simulator->magnified = factor;
    return CT_OK;
}
