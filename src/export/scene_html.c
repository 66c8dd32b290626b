/* scene_html.c - a scene as one page that needs nothing else: it can be turned, moved in time, with
 * traces and forces. */
#include <math.h>
#include <string.h>

#include "export/c.h"
#include "export/scene.h"
#include "export/svg.h"

enum { MOST_MOMENTS = 300 };

static const char *find_page(void)
{
    const ct_snippet *at = ct_snippets;
    while (at->name && strcmp(at->name, "scene.txt") != 0)
        at++;
    return at->text;
}

static void put_number(ct_text *out, double x)
{
    ct_putf(out, "%.5g", isfinite(x) ? x + 0.0 : 0.0);
}

static void put_numbers(ct_text *out, const double *x, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, i ? "," : "");
        put_number(out, x[i]);
    }
}

/* JSON, and nothing that could end the script. */
static void put_string(ct_text *out, const char *text)
{
    size_t before = out->length;
    ct_put_json(out, text);
    for (size_t i = before; i < out->length; i++)
        if (out->at[i] == '<')
            out->at[i] = ' ';
}

/* ---- bodies: name, mass centre, triangles as [color, x, y, z, ...] */

static void put_faces(const ct_scene *s, const uint32_t *first, const uint32_t *next, uint32_t body,
                      ct_text *out)
{
    bool any = false;
    for (uint32_t i = first[body]; i != UINT32_MAX; i = next[i]) {
        const ct_face *f = &s->face.at[i];
        ct_putf(out, "%s[%u", any ? "," : "", f->color);
        for (uint32_t k = 0; k < f->count; k++) {
            ct_put(out, ",");
            put_numbers(out, s->vertex.at[f->first + k].x, 3);
        }
        ct_put(out, "]");
        any = true;
    }
}

static void put_bodies(const ct_scene *s, ct_text *out)
{
    const ct_mechanism *m = s->rows->mechanism;
    uint32_t count = m->body_count + s->rows->pieces;
    uint32_t *first = CT_NEW_ARRAY(s->arena, uint32_t, count + 1);
    uint32_t *next = CT_NEW_ARRAY(s->arena, uint32_t, s->face.count + 1);
    for (uint32_t i = 0; i < count; i++)
        first[i] = UINT32_MAX;
    for (uint32_t i = s->face.count; i-- > 0;) {
        next[i] = first[s->face.at[i].body];
        first[s->face.at[i].body] = i;
    }
    ct_put(out, "bodies:[");
    static const double none[3];
    for (uint32_t i = 0; i < count; i++) {
        bool named = i < m->body_count && !m->body[i].number;
        ct_put(out, i ? ",\n{name:" : "\n{name:");
        put_string(out, named ? ct_name_text(s->rows->ctx, m->body[i].name) : "");
        ct_put(out, ",com:[");
        put_numbers(out, i < m->body_count ? s->rows->com + (size_t)3 * i : none, 3);
        ct_put(out, "],faces:[");
        put_faces(s, first, next, i, out);
        ct_put(out, "]}");
    }
    ct_put(out, "],\n");
}

/* ---- motion */

static uint32_t row_of(const ct_scene *s, uint32_t moment, uint32_t count)
{
    return count < 2 ? 0 : (uint32_t)((uint64_t)moment * (s->rows->rows - 1) / (count - 1));
}

static void put_motion(const ct_scene *s, ct_text *out)
{
    const ct_space_rows *r = s->rows;
    uint32_t count = r->rows < MOST_MOMENTS ? r->rows : MOST_MOMENTS;
    uint32_t bodies = r->mechanism->body_count - 1 + r->pieces;
    ct_put(out, "time:[");
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, i ? "," : "");
        put_number(out, r->time[row_of(s, i, count)]);
    }
    ct_put(out, "],\npose:[");
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, i ? ",\n[" : "\n[");
        put_numbers(out, r->pose[row_of(s, i, count)], bodies * CT_POSE_COLUMNS);
        ct_put(out, "]");
    }
    ct_put(out, "],\nforce:[");
    for (uint32_t i = 0; i < count && r->mechanism->load_count; i++) {
        ct_put(out, i ? ",[" : "[");
        put_numbers(out, r->load[row_of(s, i, count)], r->mechanism->load_count * CT_FORCE_COLUMNS);
        ct_put(out, "]");
    }
    ct_put(out, "],\n");
}

/* Bars as [body, point, body, point]; loads as [body, point, torque?]. */
static void put_lines(const ct_scene *s, ct_text *out)
{
    const ct_mechanism *m = s->rows->mechanism;
    ct_put(out, "bars:[");
    for (uint32_t i = 0; i < s->bar.count; i++) {
        const ct_bar *b = &s->bar.at[i];
        ct_putf(out, "%s[%u,", i ? "," : "", b->body[0]);
        put_numbers(out, b->at[0], 3);
        ct_putf(out, ",%u,", b->body[1]);
        put_numbers(out, b->at[1], 3);
        ct_put(out, "]");
    }
    ct_put(out, "],\nloads:[");
    for (uint32_t i = 0; i < m->load_count; i++) {
        uint32_t head = m->load[i].head;
        ct_putf(out, "%s[%u,", i ? "," : "", m->frame[head].body);
        put_numbers(out, s->rows->frame[head].at, 3);
        ct_putf(out, ",%d]", m->load[i].torque);
    }
    ct_put(out, "],\n");
}

/* What leaves traces besides mass centres: frames that have a name of their own. */
static void put_points(const ct_scene *s, ct_text *out)
{
    const ct_mechanism *m = s->rows->mechanism;
    bool any = false;
    ct_put(out, "points:[");
    for (uint32_t i = 0; i < m->frame_count; i++) {
        const ct_body *body = &m->body[m->frame[i].body];
        if (m->frame[i].body == CT_GROUND_BODY || body->frame == i || !m->frame[i].name ||
            body->flexible || body->section)
            continue;
        ct_putf(out, "%s[%u,", any ? "," : "", m->frame[i].body);
        put_numbers(out, s->rows->frame[i].at, 3);
        ct_put(out, "]");
        any = true;
    }
    ct_put(out, "],\n");
}

static void put_data(const ct_scene *s, ct_text *out)
{
    ct_put(out, "const S={title:");
    put_string(out, s->rows->title);
    ct_put(out, ",center:[");
    put_numbers(out, s->center, 3);
    ct_put(out, "],up:[");
    put_numbers(out, s->rows->up, 3);
    ct_put(out, "],radius:");
    put_number(out, s->radius);
    ct_put(out, ",low:");
    put_number(out, s->low);
    ct_putf(out, ",names:%d,\n", s->rows->names);
    put_bodies(s, out);
    put_motion(s, out);
    put_lines(s, out);
    put_points(s, out);
    ct_put(out, "};\n");
}

/* The page, with its title and data where it has the words TITLE and DATA in lines of their own. */
void ct_scene_html(const ct_scene *s, ct_text *out)
{
    for (const char *line = find_page(); line && *line;) {
        size_t length = strcspn(line, "\n") + 1;
        if (strncmp(line, "DATA\n", length) == 0)
            put_data(s, out);
        else if (strncmp(line, "TITLE\n", length) == 0)
            ct_svg_escaped(out, s->rows->title);
        else
            ct_put_bytes(out, line, length);
        line += length;
    }
}
