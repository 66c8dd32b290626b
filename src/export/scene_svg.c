/* scene_svg.c - a scene as a still picture: faces from far to near, in perspective or from the
 * front, the side and above. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/scene.h"
#include "export/svg.h"

static const double page = 560, title_height = 36, fill = 0.44;

/* Directions of the picture: to the right, up, towards the eye. */
typedef struct camera {
    double right[3], up[3], eye[3];
    double left, top, side; /* the square that it is drawn in */
    double distance;        /* of the eye from the centre, in radii; 0: parallel */
    const char *title;
} camera;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Two directions of the floor, with `up` right-handed: x, y where up is z. */
static void floor_axes(const double up[3], double x[3], double y[3])
{
    const double first[3] = {fabs(up[0]) < 0.9, 0, fabs(up[0]) < 0.9 ? 0 : 1};
    double along = dot(first, up), size = 0;
    for (int i = 0; i < 3; i++)
        x[i] = first[i] - along * up[i], size += x[i] * x[i];
    for (int i = 0; i < 3; i++)
        x[i] /= sqrt(size);
    cross(up, x, y);
}

/* From azimuth and height above the floor. */
static camera camera_at(const ct_scene *s, double azimuth, double height, double distance)
{
    double x[3], y[3];
    camera c = {.distance = distance, .side = page, .top = title_height};
    floor_axes(s->rows->up, x, y);
    for (int i = 0; i < 3; i++) {
        double out = cos(azimuth) * x[i] + sin(azimuth) * y[i];
        c.eye[i] = cos(height) * out + sin(height) * s->rows->up[i];
        c.right[i] = -sin(azimuth) * x[i] + cos(azimuth) * y[i];
    }
    cross(c.eye, c.right, c.up);
    return c;
}

/* Pixels; returns the depth, larger is nearer. */
static double project(const ct_scene *s, const camera *c, const double at[3], double out[2])
{
    double d[3], x, y, z;
    for (int i = 0; i < 3; i++)
        d[i] = (at[i] - s->center[i]) / s->radius;
    x = dot(d, c->right), y = dot(d, c->up), z = dot(d, c->eye);
    double scale = fill * c->side;
    if (c->distance > 0)
        scale *= c->distance / fmax(c->distance - z, 0.1);
    out[0] = c->left + c->side / 2 + scale * x;
    out[1] = c->top + c->side / 2 - scale * y;
    return z;
}

/* ---- faces */

typedef struct drawn {
    double depth, shade;
    uint32_t face;
} drawn;

static int nearer(const void *a, const void *b)
{
    const drawn *p = a, *q = b;
    if (p->depth != q->depth)
        return p->depth < q->depth ? -1 : 1;
    return p->face < q->face ? -1 : p->face > q->face;
}

/* Newell's normal of a polygon, in ground axes. */
static void normal_of(const ct_scene *s, const ct_face *f, double n[3], double middle[3])
{
    double a[3], b[3];
    n[0] = n[1] = n[2] = middle[0] = middle[1] = middle[2] = 0;
    ct_scene_place(s->rows, 0, f->body, s->vertex.at[f->first + f->count - 1].x, a);
    for (uint32_t i = 0; i < f->count; i++) {
        ct_scene_place(s->rows, 0, f->body, s->vertex.at[f->first + i].x, b);
        for (int k = 0; k < 3; k++) {
            int p = (k + 1) % 3, q = (k + 2) % 3;
            n[k] += (a[p] - b[p]) * (a[q] + b[q]);
            middle[k] += b[k] / f->count;
        }
        memcpy(a, b, sizeof a);
    }
}

/* Is its outside seen? */
static bool look_at(const ct_scene *s, const camera *c, uint32_t index, drawn *out)
{
    double n[3], middle[3], to_eye[3], light[3], size;
    normal_of(s, &s->face.at[index], n, middle);
    for (int i = 0; i < 3; i++) {
        double eye = s->center[i] + c->distance * s->radius * c->eye[i];
        to_eye[i] = c->distance > 0 ? eye - middle[i] : c->eye[i];
        light[i] = 0.5 * c->eye[i] + 0.7 * s->rows->up[i] + 0.3 * c->right[i];
    }
    size = sqrt(dot(n, n));
    if (!(size > 0) || dot(n, to_eye) <= 0)
        return false;
    double pixel[2], bright = dot(n, light) / (size * sqrt(dot(light, light)));
    *out = (drawn){project(s, c, middle, pixel), 0.62 + 0.38 * fmax(bright, 0), index};
    return isfinite(out->depth);
}

static void put_color(ct_text *out, uint32_t color, double shade)
{
    unsigned r = (unsigned)((color >> 16 & 255) * shade),
             g = (unsigned)((color >> 8 & 255) * shade), b = (unsigned)((color & 255) * shade);
    ct_putf(out, "#%02x%02x%02x", r, g, b);
}

static void put_face(const ct_scene *s, const camera *c, const drawn *d, ct_text *out)
{
    const ct_face *f = &s->face.at[d->face];
    ct_put(out, "<path d=\"");
    for (uint32_t i = 0; i < f->count; i++) {
        double at[3], pixel[2];
        ct_scene_place(s->rows, 0, f->body, s->vertex.at[f->first + i].x, at);
        project(s, c, at, pixel);
        ct_put(out, i ? "L" : "M");
        ct_svg_point(out, pixel[0], pixel[1]);
    }
    ct_put(out, "Z\" fill=\"");
    put_color(out, f->color, d->shade);
    ct_put(out, "\" stroke=\"");
    put_color(out, f->color, d->shade);
    ct_put(out, "\"/>\n");
}

static void put_faces(const ct_scene *s, const camera *c, ct_text *out)
{
    drawn *list = CT_NEW_ARRAY(s->arena, drawn, s->face.count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->face.count; i++)
        count += look_at(s, c, i, &list[count]);
    if (count)
        qsort(list, count, sizeof *list, nearer);
    ct_put(out, "<g stroke-width=\"0.6\" stroke-linejoin=\"round\">\n");
    for (uint32_t i = 0; i < count; i++)
        put_face(s, c, &list[i], out);
    ct_put(out, "</g>\n");
}

/* ---- floor, bars, names, forces */

static void put_line(const ct_scene *s, const camera *c, const double a[3], const double b[3],
                     ct_text *out)
{
    double p[2], q[2];
    project(s, c, a, p);
    project(s, c, b, q);
    ct_put(out, "M");
    ct_svg_point(out, p[0], p[1]);
    ct_put(out, "L");
    ct_svg_point(out, q[0], q[1]);
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(double wanted)
{
    double ten = pow(10, floor(log10(wanted)));
    return (wanted / ten < 2 ? 1 : wanted / ten < 5 ? 2 : 5) * ten;
}

static void put_floor(const ct_scene *s, const camera *c, ct_text *out)
{
    double x[3], y[3], a[3], b[3], step = round_step(s->radius / 3);
    floor_axes(s->rows->up, x, y);
    double cx = step * nearbyint(dot(s->center, x) / step),
           cy = step * nearbyint(dot(s->center, y) / step);
    ct_put(out, "<path fill=\"none\" stroke=\"#d5dbe1\" stroke-width=\"0.8\" d=\"");
    for (int side = 0; side < 2; side++)
        for (int k = -5; k <= 5; k++) {
            for (int i = 0; i < 3; i++) {
                double base = s->low * s->rows->up[i] + cx * x[i] + cy * y[i];
                const double *along = side ? x : y, *across = side ? y : x;
                a[i] = base + step * (k * across[i] - 5 * along[i]);
                b[i] = base + step * (k * across[i] + 5 * along[i]);
            }
            put_line(s, c, a, b, out);
        }
    ct_put(out, "\"/>\n");
}

static void put_bars(const ct_scene *s, const camera *c, ct_text *out)
{
    if (!s->bar.count)
        return;
    ct_put(out, "<path fill=\"none\" stroke=\"#b33\" stroke-width=\"2.5\" "
                "stroke-dasharray=\"5 3\" d=\"");
    for (uint32_t i = 0; i < s->bar.count; i++) {
        const ct_bar *bar = &s->bar.at[i];
        double a[3], b[3];
        ct_scene_place(s->rows, 0, bar->body[0], bar->at[0], a);
        ct_scene_place(s->rows, 0, bar->body[1], bar->at[1], b);
        put_line(s, c, a, b, out);
    }
    ct_put(out, "\"/>\n");
}

static void put_names(const ct_scene *s, const camera *c, ct_text *out)
{
    const ct_mechanism *m = s->rows->mechanism;
    for (uint32_t i = 1; i < m->body_count; i++) {
        double at[3], pixel[2];
        if (m->body[i].number)
            continue;
        ct_scene_place(s->rows, 0, i, s->rows->com + (size_t)3 * i, at);
        project(s, c, at, pixel);
        ct_put(out, "<text font-size=\"11\" text-anchor=\"middle\" stroke=\"#fff\" "
                    "stroke-width=\"2.5\" paint-order=\"stroke\"");
        ct_svg_attribute(out, "x", pixel[0]);
        ct_svg_attribute(out, "y", pixel[1]);
        ct_put(out, ">");
        ct_svg_escaped(out, ct_name_text(s->rows->ctx, m->body[i].name));
        ct_put(out, "</text>\n");
    }
}

static void put_view(const ct_scene *s, const camera *c, ct_text *out)
{
    put_floor(s, c, out);
    put_faces(s, c, out);
    put_bars(s, c, out);
    if (s->rows->names)
        put_names(s, c, out);
    if (!c->title)
        return;
    ct_put(out, "<text fill=\"#5a6470\"");
    ct_svg_attribute(out, "x", c->left + 12);
    ct_svg_attribute(out, "y", c->top + 20);
    ct_putf(out, ">%s</text>\n", c->title);
}

void ct_scene_svg(const ct_scene *s, ct_text *out)
{
    static const double quarter = 1.57079632679489661923;
    static const struct {
        double azimuth, height, distance;
        const char *title;
    } view[] = {{-0.9, 0.35, 4, "perspective"},
                {-1, 0, 0, "from the front"},
                {0, 0, 0, "from the side"},
                {-1, 1, 0, "from above"}};
    uint32_t count = s->rows->views ? 4 : 1;
    double side = s->rows->views ? page * 0.7 : page, columns = s->rows->views ? 2 : 1;
    ct_putf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"13\">\n",
            columns * side, title_height + columns * side, columns * side,
            title_height + columns * side);
    ct_put(out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
                "<text x=\"16\" y=\"24\" font-weight=\"bold\">");
    ct_svg_escaped(out, s->rows->title);
    ct_put(out, "</text>\n");
    for (uint32_t i = 0; i < count; i++) {
        double unit = view[i].distance > 0 ? 1 : quarter;
        camera c = camera_at(s, view[i].azimuth * unit, view[i].height * unit, view[i].distance);
        c.side = side;
        c.left = i % 2 ? side : 0;
        c.top = title_height + (i / 2 ? side : 0);
        c.title = count > 1 ? view[i].title : NULL;
        put_view(s, &c, out);
    }
    ct_put(out, "</svg>\n");
}
