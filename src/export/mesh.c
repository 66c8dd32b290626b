/* mesh.c - triangles of STL and OBJ files, for pictures; fine ones are made coarse. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "export/scene.h"

enum { MOST_TRIANGLES = 5000, MOST_LEVELS = 4 };

typedef struct mesh {
    ct_arena *arena;
    CT_VEC(ct_vertex) point; /* three for each triangle */
} mesh;

/* ---- finding the file */

static uint32_t try_file(ct_context *ctx, const char *folder, const char *rest)
{
    bool slash = *folder && folder[strlen(folder) - 1] != '/';
    return ct_load(ctx, ct_printf(ctx, "%s%s%s", folder, slash ? "/" : "", rest));
}

/* `package://robot/meshes/a.stl` is looked for as robot/meshes/a.stl and meshes/a.stl, in the
 * folder of the model and those above it: nobody tells where the package is. */
static uint32_t try_package(ct_context *ctx, const char *folder, const char *rest)
{
    const char *inside = strchr(rest, '/'), *up = "";
    uint32_t found = 0;
    for (int level = 0; level < MOST_LEVELS && !found; level++) {
        const char *at = ct_printf(ctx, "%s%s", folder, up);
        found = try_file(ctx, at, rest);
        if (!found && inside)
            found = try_file(ctx, at, inside + 1);
        up = ct_printf(ctx, "../%s", up);
    }
    return found;
}

static uint32_t find_file(ct_context *ctx, const ct_shape *of)
{
    ct_place place = ct_source_origin(ctx, of->place);
    const char *model = ct_source_get(ctx, place.source)->path, *slash = strrchr(model, '/');
    const char *folder =
        slash ? ct_printf(ctx, "%.*s", (int)(slash - model) + 1, model) : ct_printf(ctx, "%s", "");
    const char *file = of->file, *scheme = strstr(file, "://");
    if (scheme && strncmp(file, "file://", 7) != 0)
        return try_package(ctx, folder, scheme + 3);
    file = scheme ? scheme + 3 : file;
    uint32_t found = try_file(ctx, *file == '/' ? "" : folder, file);
    for (size_t i = 0; !found && i < ctx->def.include_dir_count; i++)
        found = try_file(ctx, ctx->def.include_dirs[i], file);
    return found;
}

/* ---- STL */

static float float_at(const char *at)
{
    unsigned char b[4];
    memcpy(b, at, sizeof b);
    uint32_t bits =
        (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

static bool read_binary(mesh *m, const char *text, size_t length)
{
    if (length < 84)
        return false;
    unsigned char n[4];
    memcpy(n, text + 80, sizeof n);
    uint64_t count =
        (uint64_t)n[0] | (uint64_t)n[1] << 8 | (uint64_t)n[2] << 16 | (uint64_t)n[3] << 24;
    if (84 + 50 * count != length)
        return false;
    for (uint64_t i = 0; i < 3 * count; i++) {
        const char *at = text + 84 + 50 * (i / 3) + 12 + 12 * (i % 3);
        ct_vertex v = {{float_at(at), float_at(at + 4), float_at(at + 8)}};
        CT_PUSH(m->arena, m->point, v);
    }
    return count > 0;
}

static bool read_three(const char **at, double out[3])
{
    for (int i = 0; i < 3; i++) {
        char *end;
        out[i] = strtod(*at, &end);
        if (end == *at)
            return false;
        *at = end;
    }
    return true;
}

static bool read_stl(mesh *m, const char *text, size_t length)
{
    if (read_binary(m, text, length))
        return true;
    for (const char *at = text; (at = strstr(at, "vertex")) != NULL;) {
        ct_vertex v;
        at += strlen("vertex");
        if (!read_three(&at, v.x))
            return false;
        CT_PUSH(m->arena, m->point, v);
    }
    return m->point.count > 0 && m->point.count % 3 == 0;
}

/* ---- OBJ */

typedef struct obj {
    mesh *m;
    CT_VEC(ct_vertex) v;
} obj;

/* `f 1/2/3 4//5 -1`: the first number of each; corners of a fan. */
static bool read_face(obj *o, const char *at)
{
    uint32_t corner[3], count = 0;
    for (;;) {
        char *end;
        while (*at == ' ' || *at == '\t')
            at++;
        if (!*at || *at == '\n' || *at == '\r')
            return count >= 3;
        long index = strtol(at, &end, 10);
        long long from = index < 0 ? (long long)o->v.count + index : (long long)index - 1;
        if (end == at || from < 0 || from >= o->v.count)
            return false;
        corner[count < 2 ? count : 2] = (uint32_t)from;
        if (++count >= 3) {
            for (int i = 0; i < 3; i++)
                CT_PUSH(o->m->arena, o->m->point, o->v.at[corner[i]]);
            corner[1] = corner[2];
        }
        at = end;
        while (*at && !strchr(" \t\r\n", *at))
            at++;
    }
}

static bool read_obj(mesh *m, const char *text, size_t length)
{
    obj o = {.m = m};
    (void)length;
    for (const char *line = text; line && *line;) {
        const char *at = line + strspn(line, " \t");
        if (at[0] == 'v' && (at[1] == ' ' || at[1] == '\t')) {
            ct_vertex v;
            at++;
            if (!read_three(&at, v.x))
                return false;
            CT_PUSH(m->arena, o.v, v);
        } else if (at[0] == 'f' && (at[1] == ' ' || at[1] == '\t')) {
            if (!read_face(&o, at + 1))
                return false;
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return m->point.count > 0;
}

/* ---- fewer triangles: corners that share a cell of a grid become one */

typedef struct grid {
    double low[3], step;
    ct_map cells;
} grid;

static uint64_t cell_of(const grid *g, const ct_vertex *v)
{
    uint64_t key = 0;
    for (int i = 0; i < 3; i++)
        key = key << 20 | (uint64_t)fmin((v->x[i] - g->low[i]) / g->step, 1e6);
    return key + 1;
}

/* From the triangles of one list to those of another. */
static void coarsen(const mesh *from, grid *g, mesh *to)
{
    ct_map_init(&g->cells, to->arena);
    for (uint32_t i = 0; i + 2 < from->point.count; i += 3) {
        uint32_t same[3];
        for (uint32_t k = 0; k < 3; k++) {
            uint64_t key = cell_of(g, &from->point.at[i + k]);
            same[k] = ct_map_get(&g->cells, key);
            if (!same[k])
                ct_map_put(&g->cells, key, same[k] = i + k + 1);
        }
        if (same[0] == same[1] || same[1] == same[2] || same[2] == same[0])
            continue;
        for (uint32_t k = 0; k < 3; k++)
            CT_PUSH(to->arena, to->point, from->point.at[same[k] - 1]);
    }
}

static void measure(const mesh *m, grid *g, double *size)
{
    double high[3];
    *size = 0;
    for (int i = 0; i < 3; i++) {
        g->low[i] = INFINITY, high[i] = -INFINITY;
        for (uint32_t k = 0; k < m->point.count; k++) {
            g->low[i] = fmin(g->low[i], m->point.at[k].x[i]);
            high[i] = fmax(high[i], m->point.at[k].x[i]);
        }
        *size = fmax(*size, high[i] - g->low[i]);
    }
}

static void make_coarse(mesh *m)
{
    grid g;
    double size;
    measure(m, &g, &size);
    for (double cells = 60; m->point.count > 3 * MOST_TRIANGLES && cells > 4 && size > 0;
         cells *= 0.75) {
        mesh fewer = {.arena = m->arena};
        g.step = size / cells;
        coarsen(m, &g, &fewer);
        *m = fewer;
    }
}

/* ---- into the scene */

static void put_triangles(ct_scene *s, const mesh *m, uint32_t shape, uint32_t color)
{
    const ct_shape *of = &s->rows->mechanism->shape[shape];
    const ct_pose_number *f = &s->rows->frame[of->frame];
    const double *scale = s->rows->size + (size_t)3 * shape;
    for (uint32_t i = 0; i < m->point.count; i++) {
        ct_vertex v;
        const double *x = m->point.at[i].x;
        for (int k = 0; k < 3; k++)
            v.x[k] = f->at[k] + f->R[3 * k] * scale[0] * x[0] + f->R[3 * k + 1] * scale[1] * x[1] +
                     f->R[3 * k + 2] * scale[2] * x[2];
        CT_PUSH(s->arena, s->vertex, v);
        if (i % 3 == 2)
            CT_PUSH(s->arena, s->face,
                    (ct_face){s->rows->mechanism->frame[of->frame].body, s->vertex.count - 3, 3,
                              color});
    }
}

static bool all_finite(const mesh *m)
{
    for (uint32_t i = 0; i < m->point.count; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(m->point.at[i].x[k]))
                return false;
    return true;
}

bool ct_scene_mesh(ct_scene *s, uint32_t shape, uint32_t color)
{
    ct_context *ctx = s->rows->ctx;
    const ct_shape *of = &s->rows->mechanism->shape[shape];
    static const char *const known[] = {".stl", ".obj", NULL};
    bool stl = ct_has_ending(of->file, (const char *const[]){".stl", NULL});
    uint32_t source = ct_has_ending(of->file, known) ? find_file(ctx, of) : 0;
    if (!source)
        return false;
    const ct_source *text = ct_source_get(ctx, source);
    mesh m = {.arena = ct_arena_new(ctx)};
    bool good = (stl ? read_stl : read_obj)(&m, text->text, text->length) && all_finite(&m);
    if (good) {
        make_coarse(&m);
        put_triangles(s, &m, shape, color);
    }
    ct_arena_free(m.arena);
    return good;
}
