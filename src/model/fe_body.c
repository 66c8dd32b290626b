/* fe_body.c - `fe_body`: a body whose matrices a finite-element program made. */
#include <string.h>

#include "base/words.h"
#include "model/fe.h"

static const ct_word reference_words[] = {{"clamped", "", ""}, {"mean", "", ""}, {0}};

typedef struct reading {
    builder *b;
    const where *w;
    const ct_body *body;
    struct ct_fe_data *fe;
    ct_node file[4]; /* nodes, mass, stiffness, vectors; 0: not given */
} reading;

/* ---- keys */

static void read_key(reading *r, ct_key_kind kind, ct_node expr)
{
    builder *b = r->b;
    struct ct_fe_data *fe = r->fe;
    if (kind >= CT_KEY_FE_NODES && kind <= CT_KEY_FE_VECTORS)
        r->file[kind - CT_KEY_FE_NODES] = expr;
    else if (kind == CT_KEY_FE_MODES)
        ct_read_shape_count(b, r->w, expr, ct_key_rows[kind].word, 0, r->body->name, &fe->modes);
    else if (kind == CT_KEY_FE_REFERENCE)
        ct_read_body_word(b, r->w, expr, reference_words, ct_key_rows[kind].word, &fe->reference);
    else if (ct_read_number(b, r->w, expr, b->mech->key_dim[kind], "damping", &fe->damping))
        ct_is_fixed(b, fe->damping, false, 0, "a body", ct_place_of(r->w->s, expr));
}

static bool read_keys(reading *r, const part *p)
{
    size_t before = ct_errors_raised(r->b->ctx);
    ct_key_reader k = {.of = p, .type = CT_TYPE_FE, .owner = r->body->name};
    while (ct_next_key(r->b, &k))
        read_key(r, k.kind, k.expr);
    for (uint32_t i = 0; i < 3 && ct_errors_raised(r->b->ctx) == before; i++)
        if (!r->file[i])
            ct_report_missing_key(r->b, r->body, CT_TYPE_FE, (ct_key_kind)(CT_KEY_FE_NODES + i));
    return ct_errors_raised(r->b->ctx) == before;
}

/* ---- files */

static ct_fe_source source_of(const reading *r, uint32_t file)
{
    return (ct_fe_source){r->b, r->w, r->file[file]};
}

static bool report_size(reading *r, uint32_t file, uint32_t size, const char *fit)
{
    const char *path = ct_name_text(r->b->ctx, ct_at(r->w->s, r->file[file])->name);
    ct_report *out = ct_error(r->b->ctx, "E636", ct_place_of(r->w->s, r->file[file]),
                              "`%s` has %u rows, which %s", path, size, fit);
    ct_note(out, "%u nodes have %s", r->fe->mesh.count,
            r->fe->mesh.spatial ? "x, y, z, or x, y, z and three turns each"
                                : "x, y, or x, y and a turn each");
    ct_witness(out, path);
    return false;
}

static bool read_files(reading *r)
{
    struct ct_fe_data *fe = r->fe;
    ct_fe_source nodes = source_of(r, 0), mass = source_of(r, 1), stiffness = source_of(r, 2),
                 vectors = source_of(r, 3);
    ct_fe_mesh *mesh = &fe->mesh;
    if (!ct_fe_read_nodes(&nodes, r->b->mech->spatial, mesh) ||
        !ct_fe_read_symmetric(&mass, "mass", &fe->mass) ||
        !ct_fe_read_symmetric(&stiffness, "stiffness", &fe->stiffness))
        return false;
    uint32_t slides = ct_fe_slides(mesh), both = mesh->spatial ? 6 : 3, n = fe->mass.n;
    if (n != mesh->count * slides && n != mesh->count * both)
        return report_size(r, 1, n, "does not fit the nodes");
    mesh->freedoms = n / mesh->count;
    mesh->size = n;
    if (fe->stiffness.n != n)
        return report_size(r, 2, fe->stiffness.n, "does not fit the mass");
    if (r->file[3] && !ct_fe_read_vectors(&vectors, &fe->given))
        return false;
    return !r->file[3] || fe->given.n == n ||
           report_size(r, 3, fe->given.n, "does not fit the mass");
}

void ct_read_fe(builder *b, const part *p, uint32_t index, ct_body *body)
{
    struct ct_fe_data *fe = CT_NEW(b->arena, struct ct_fe_data);
    *fe = (struct ct_fe_data){.index = index, .modes = 6, .damping = ct_expr_int(b->pool, 0)};
    reading r = {.b = b, .w = &p->where, .body = body, .fe = fe};
    if (!read_keys(&r, p) || !read_files(&r) || !ct_fe_read_frames(b, fe, body) ||
        !ct_fe_reduce(b, fe, body, ct_place_of(p->where.s, r.file[2])))
        return;
    ct_form_fe(b, fe, body);
    CT_PUSH(b->scratch, b->mech->fe, fe);
}

/* ---- frames */

void ct_read_fe_frame(builder *b, uint32_t frame, ct_frame *f)
{
    uint32_t body = f->body;
    ct_resolve_body(b, body);
    *f = b->mech->frame.at[frame]; /* its turn */
    for (uint32_t i = 0; i < b->mech->fe.count; i++) {
        const struct ct_fe_data *fe = b->mech->fe.at[i];
        for (uint32_t k = 0; k < fe->frame_count && fe->index == body; k++) {
            if (fe->frame[k].frame != frame)
                continue;
            ct_expr zero = ct_expr_int(b->pool, 0);
            ct_section s = ct_fe_section(b, fe, &fe->frame[k]);
            bool fixed = k == 0 && !fe->reference;
            f->at = fixed ? s.at : (ct_vec3){{zero, zero, zero}};
            if (!fixed)
                f->body = ct_add_section(b, body, f, &s);
        }
    }
}
