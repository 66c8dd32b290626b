/* shape.c - parts of bodies in space: box(...), cylinder(...), inertia(...) between the frames of a
 * body add to its mass and inertia, and shapes are drawn.
 *
 * A part stands in the braces of a body like a frame, and is one: its centre, with its own axes.
 */
#include <string.h>

#include "model/mech.h"

enum { SIZE_VECTOR, SIZE_NUMBERS, SIZE_FILE, SIZE_NONE };

static const struct shape_row {
    const char *word;
    ct_shape_kind kind;
    int size;
    const char *argument[3]; /* in the order of writing */
    const char *use;
} rows[] = {
    {"box", CT_SHAPE_BOX, SIZE_VECTOR, {"size"}, "box([x, y, z])"},
    {"cylinder", CT_SHAPE_CYLINDER, SIZE_NUMBERS, {"radius", "length"}, "cylinder(radius, length)"},
    {"sphere", CT_SHAPE_SPHERE, SIZE_NUMBERS, {"radius"}, "sphere(radius)"},
    {"capsule", CT_SHAPE_CAPSULE, SIZE_NUMBERS, {"radius", "length"}, "capsule(radius, length)"},
    {"ellipsoid", CT_SHAPE_ELLIPSOID, SIZE_VECTOR, {"radii"}, "ellipsoid([rx, ry, rz])"},
    {"mesh", CT_SHAPE_MESH, SIZE_FILE, {"file", "scale"}, "mesh(\"file.stl\")"},
    {"inertia", CT_SHAPE_NONE, SIZE_NONE, {"m", "I"}, "inertia(m, I)"},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* What else stands in the brackets. */
static const char *const options[] = {"at", "m", "density", "color"};

/* ---- finding them */

static const struct shape_row *row_of(builder *b, const where *w, ct_node expr, ct_node *call)
{
    const ct_syntax_node *ref = ct_at(w->s, expr);
    *call = ref->kind == CT_NODE_REF && ref->name ? ref->first : 0;
    if (!*call || ct_at(w->s, *call)->kind != CT_NODE_CALL || ct_at(w->s, *call)->next)
        return NULL;
    const char *word = ct_name_text(b->ctx, ref->name);
    for (uint32_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].word, word) == 0)
            return &rows[i];
    return NULL;
}

bool ct_is_shape(builder *b, const where *w, ct_node expr)
{
    ct_node call;
    return b->mech->spatial && row_of(b, w, expr, &call);
}

/* ---- arguments */

typedef struct arguments {
    const struct shape_row *row;
    ct_node own[3], at, mass, density, color; /* expressions; 0: not given */
} arguments;

static ct_node *slot_of(arguments *a, const char *word)
{
    ct_node *const more[] = {&a->at, &a->mass, &a->density, &a->color};
    for (uint32_t i = 0; i < 3 && a->row->argument[i]; i++)
        if (strcmp(a->row->argument[i], word) == 0)
            return &a->own[i];
    bool inertia = a->row->kind == CT_SHAPE_NONE;
    for (uint32_t i = 0; i < (inertia ? 1U : 4U); i++)
        if (strcmp(options[i], word) == 0)
            return more[i];
    return NULL;
}

static bool report_argument(builder *b, const where *w, ct_node n, const arguments *a,
                            const char *problem)
{
    ct_report *r = ct_error(b->ctx, "E222", ct_place_of(w->s, n), "`%s` %s", a->row->word, problem);
    bool inertia = a->row->kind == CT_SHAPE_NONE;
    ct_help(r, "write %s%s", a->row->use,
            inertia ? ", and perhaps at = frame(...)"
                    : ", and perhaps at = frame(...), density = ..., m = ..., color = [r, g, b]");
    ct_witness(r, a->row->word);
    return false;
}

static bool sort_arguments(builder *b, const where *w, ct_node expr, ct_node call, arguments *a)
{
    uint32_t count = 0;
    for (ct_node n = ct_at(w->s, call)->first; n; n = ct_at(w->s, n)->next) {
        bool named = ct_at(w->s, n)->kind == CT_NODE_ARG;
        const char *word = named       ? ct_name_text(b->ctx, ct_at(w->s, n)->name)
                           : count < 3 ? a->row->argument[count++]
                                       : NULL;
        ct_node *slot = word ? slot_of(a, word) : NULL;
        if (!slot || *slot)
            return report_argument(b, w, n, a, slot ? "has this twice" : "does not have this");
        *slot = named ? ct_at(w->s, n)->first : n;
    }
    bool needs_second = a->row->size == SIZE_NUMBERS && a->row->argument[1];
    if (!a->own[0] || (needs_second && !a->own[1]))
        return report_argument(b, w, expr, a, "needs more");
    if (a->mass && a->density)
        return report_argument(b, w, a->density, a, "has a mass already: leave out the density");
    if (a->row->kind == CT_SHAPE_MESH && a->density)
        return report_argument(b, w, a->density, a, "is drawn only: give its body a mass");
    return true;
}

/* ---- formulas */

static ct_expr mul(builder *b, ct_expr x, ct_expr y)
{
    return ct_expr_mul(b->pool, x, y);
}

static ct_expr add(builder *b, ct_expr x, ct_expr y)
{
    return ct_expr_add(b->pool, x, y);
}

static ct_expr part_of(builder *b, int64_t num, int64_t den, ct_expr x)
{
    return mul(b, ct_expr_ratio(b->pool, num, den), x);
}

static ct_expr square(builder *b, ct_expr x)
{
    return mul(b, x, x);
}

static ct_expr pi_times(builder *b, ct_expr x)
{
    return mul(b, ct_expr_call(b->pool, CT_OP_PI, NULL, 0), x);
}

static ct_expr ball_of(builder *b, ct_expr x, ct_expr y, ct_expr z)
{
    return part_of(b, 4, 3, pi_times(b, mul(b, x, mul(b, y, z))));
}

static ct_expr disc_of(builder *b, const ct_expr s[3])
{
    return pi_times(b, mul(b, square(b, s[0]), s[1]));
}

static ct_expr volume(builder *b, const ct_shape *s)
{
    switch (s->kind) {
    case CT_SHAPE_BOX:
        return mul(b, s->size[0], mul(b, s->size[1], s->size[2]));
    case CT_SHAPE_CYLINDER:
        return disc_of(b, s->size);
    case CT_SHAPE_SPHERE:
        return ball_of(b, s->size[0], s->size[0], s->size[0]);
    case CT_SHAPE_CAPSULE:
        return add(b, disc_of(b, s->size), ball_of(b, s->size[0], s->size[0], s->size[0]));
    default:
        return ball_of(b, s->size[0], s->size[1], s->size[2]);
    }
}

/* Of three squares: m/den (y^2 + z^2), ... */
static void set_ellipsoid(builder *b, const ct_shape *s, int64_t den, ct_expr I[6])
{
    ct_expr q[3];
    for (int i = 0; i < 3; i++)
        q[i] = square(b, s->size[s->kind == CT_SHAPE_SPHERE ? 0 : i]);
    for (int i = 0; i < 3; i++)
        I[i] = part_of(b, 1, den, add(b, q[(i + 1) % 3], q[(i + 2) % 3]));
}

static void set_round(ct_expr I[6], ct_expr across, ct_expr along)
{
    I[0] = I[1] = across;
    I[2] = along;
}

/* Two half balls at the ends of a cylinder, by their parts f and 1 - f of the mass. */
static void set_capsule(builder *b, const ct_shape *s, ct_expr I[6])
{
    ct_expr r = s->size[0], l = s->size[1], rr = square(b, r), ll = square(b, l);
    ct_expr all = add(b, l, part_of(b, 4, 3, r));
    ct_expr f = ct_expr_div(b->pool, l, all);
    ct_expr g = ct_expr_sub(b->pool, ct_expr_int(b->pool, 1), f);
    ct_expr bar = add(b, part_of(b, 1, 12, ll), part_of(b, 1, 4, rr));
    ct_expr caps =
        add(b, add(b, part_of(b, 2, 5, rr), part_of(b, 1, 4, ll)), part_of(b, 3, 8, mul(b, l, r)));
    set_round(I, add(b, mul(b, f, bar), mul(b, g, caps)),
              add(b, mul(b, f, part_of(b, 1, 2, rr)), mul(b, g, part_of(b, 2, 5, rr))));
}

/* Inertia about its centre over its mass. */
static void set_inertia(builder *b, const ct_shape *s, ct_expr I[6])
{
    ct_expr rr = square(b, s->size[0]);
    if (s->kind == CT_SHAPE_BOX)
        set_ellipsoid(b, s, 12, I);
    else if (s->kind == CT_SHAPE_CAPSULE)
        set_capsule(b, s, I);
    else if (s->kind == CT_SHAPE_CYLINDER)
        set_round(I, add(b, part_of(b, 1, 4, rr), part_of(b, 1, 12, square(b, s->size[1]))),
                  part_of(b, 1, 2, rr));
    else
        set_ellipsoid(b, s, 5, I);
}

/* ---- reading */

static bool read_number(builder *b, const where *w, ct_node expr, ct_dim dim, const char *is,
                        ct_expr *out)
{
    return ct_read_number(b, w, expr, dim, is, out) &&
           ct_is_fixed(b, *out, false, 0, is, ct_place_of(w->s, expr));
}

static bool read_sizes(builder *b, const where *w, const arguments *a, ct_name owner, ct_shape *s)
{
    ct_dim length = b->mech->key_dim[CT_KEY_COM];
    ct_vec3 v = {{s->size[0], s->size[1], s->size[2]}};
    bool good = true;
    if (a->row->size == SIZE_VECTOR)
        good = ct_read_vector(b, w, a->own[0], ct_term_known(length), a->row->argument[0], true,
                              owner, &v);
    for (uint32_t i = 0; i < 2 && a->row->size == SIZE_NUMBERS && a->row->argument[i]; i++)
        good &= read_number(b, w, a->own[i], length, a->row->argument[i], &v.c[i]);
    memcpy(s->size, v.c, sizeof s->size);
    return good;
}

static bool read_file(builder *b, const where *w, const arguments *a, ct_shape *s)
{
    const ct_syntax_node *n = ct_at(w->s, a->own[0]);
    ct_vec3 v = {{s->size[0], s->size[1], s->size[2]}};
    if (n->kind != CT_NODE_STRING)
        return report_argument(b, w, a->own[0], a, "needs the name of a file, in quotes");
    s->file = ct_name_text(b->ctx, n->name);
    v.c[0] = v.c[1] = v.c[2] = ct_expr_int(b->pool, 1);
    bool good = !a->own[1] ||
                ct_read_vector(b, w, a->own[1], ct_term_known(ct_dim_none()), "scale", true, 0, &v);
    memcpy(s->size, v.c, sizeof s->size);
    return good;
}

static bool read_color(builder *b, const where *w, const arguments *a, ct_shape *s)
{
    ct_vec3 v = {{0, 0, 0}};
    if (!a->color)
        return true;
    bool good =
        ct_read_vector(b, w, a->color, ct_term_known(ct_dim_none()), "a color", true, 0, &v);
    memcpy(s->color, v.c, sizeof s->color);
    return good;
}

static ct_dim density_of(builder *b)
{
    return ct_dim_product(b->mech->key_dim[CT_KEY_MASS], b->mech->key_dim[CT_KEY_COM], -3);
}

/* Mass and inertia of a shape; false: it has none, or an error is reported. */
static bool weigh(builder *b, const where *w, const arguments *a, const ct_shape *s, ct_lump *l)
{
    ct_expr density = 0;
    if (!a->mass && !a->density)
        return false;
    if (a->mass) {
        if (!read_number(b, w, a->mass, b->mech->key_dim[CT_KEY_MASS], "m", &l->mass))
            return false;
    } else {
        if (!read_number(b, w, a->density, density_of(b), "a density", &density))
            return false;
        l->mass = mul(b, density, volume(b, s));
    }
    if (s->kind == CT_SHAPE_MESH)
        return true;
    set_inertia(b, s, l->inertia);
    for (int i = 0; i < 3; i++)
        l->inertia[i] = mul(b, l->mass, l->inertia[i]);
    return true;
}

static bool read_lump(builder *b, const where *w, const arguments *a, ct_name owner, ct_lump *l)
{
    ct_body as_body = {.name = owner};
    memcpy(as_body.inertia, l->inertia, sizeof l->inertia);
    if (!read_number(b, w, a->own[0], b->mech->key_dim[CT_KEY_MASS], "m", &l->mass))
        return false;
    if (a->own[1])
        ct_read_inertia(b, w, a->own[1], &as_body);
    memcpy(l->inertia, as_body.inertia, sizeof l->inertia);
    return true;
}

void ct_read_shape(builder *b, const part *p, ct_node expr, uint32_t index, ct_frame *f)
{
    ct_node call;
    arguments a = {.row = row_of(b, &p->where, expr, &call)};
    const where *w = &p->where;
    ct_expr zero = ct_expr_int(b->pool, 0);
    ct_shape s = {.kind = a.row->kind, .frame = index, .size = {zero, zero, zero}};
    ct_lump l = {.frame = index, .mass = zero, .inertia = {zero, zero, zero, zero, zero, zero}};
    if (!sort_arguments(b, w, expr, call, &a))
        return;
    s.place = l.place = ct_place_of(w->s, expr);
    if (a.at)
        ct_read_seat(b, w, a.at, f);
    bool good = a.row->size == SIZE_FILE   ? read_file(b, w, &a, &s)
                : a.row->size == SIZE_NONE ? true
                                           : read_sizes(b, w, &a, f->name, &s);
    bool heavy = good && (s.kind == CT_SHAPE_NONE ? read_lump(b, w, &a, f->name, &l)
                                                  : weigh(b, w, &a, &s, &l));
    if (good && s.kind != CT_SHAPE_NONE && read_color(b, w, &a, &s))
        CT_PUSH(b->arena, b->mech->shape, s);
    if (!heavy)
        return;
    CT_PUSH(b->scratch, b->mech->lump, l);
    ct_map_put(&b->mech->lumps, index, b->mech->lump.count);
}

/* ---- sums */

/* R I R' */
static void turn_inertia(builder *b, const ct_vec3 *axes, ct_expr I[6])
{
    static const uint8_t at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    ct_expr out[6];
    for (int n = 0; n < 6; n++) {
        int i = n < 3 ? n : n < 5 ? 0 : 1, k = n < 3 ? n : n == 3 ? 1 : 2;
        out[n] = ct_expr_int(b->pool, 0);
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
                out[n] = add(b, out[n], mul(b, mul(b, axes[p].c[i], I[at[p][q]]), axes[q].c[k]));
    }
    memcpy(I, out, sizeof out);
}

/* Steiner: adds m (d.d 1 - d d) */
static void add_offset(builder *b, ct_expr mass, const ct_expr d[3], ct_expr I[6])
{
    for (int i = 0; i < 3; i++) {
        ct_expr q = add(b, square(b, d[(i + 1) % 3]), square(b, d[(i + 2) % 3]));
        I[i] = add(b, I[i], mul(b, mass, q));
    }
    for (int n = 3; n < 6; n++) {
        int i = n < 5 ? 0 : 1, k = n == 3 ? 1 : 2;
        I[n] = ct_expr_sub(b->pool, I[n], mul(b, mass, mul(b, d[i], d[k])));
    }
}

static bool is_zero(builder *b, ct_expr e)
{
    return e == ct_expr_int(b->pool, 0);
}

/* Adds a part at `at` to a body. Where only one of the two has mass, its centre stays exactly. */
static void add_lump(builder *b, ct_body *body, const ct_lump *l, const ct_vec3 *at)
{
    ct_expr total = add(b, body->mass, l->mass);
    ct_vec3 com = is_zero(b, l->mass) ? body->com : *at;
    if (!is_zero(b, l->mass) && !is_zero(b, body->mass))
        for (int i = 0; i < 3; i++) {
            ct_expr moment = add(b, mul(b, body->mass, body->com.c[i]), mul(b, l->mass, at->c[i]));
            ct_expr quotient = ct_expr_div(b->pool, moment, total);
            com.c[i] = quotient ? quotient : com.c[i];
        }
    ct_expr d[3];
    for (int i = 0; i < 3; i++)
        d[i] = ct_expr_sub(b->pool, body->com.c[i], com.c[i]);
    add_offset(b, body->mass, d, body->inertia);
    for (int i = 0; i < 3; i++)
        d[i] = ct_expr_sub(b->pool, at->c[i], com.c[i]);
    add_offset(b, l->mass, d, body->inertia);
    for (int i = 0; i < 6; i++)
        body->inertia[i] = add(b, body->inertia[i], l->inertia[i]);
    body->mass = total;
    body->com = com;
}

static const ct_lump *lump_of(const struct mech *m, uint32_t frame)
{
    uint32_t found = ct_map_get(&m->lumps, frame);
    bool good = found && found <= m->lump.count && m->lump.at[found - 1].frame == frame;
    return good ? &m->lump.at[found - 1] : NULL;
}

/* Frames of a body stand together behind its own one. */
void ct_add_parts(builder *b, uint32_t index, ct_body *body)
{
    struct mech *m = b->mech;
    for (uint32_t i = body->frame + 1; i < m->frame.count && m->frame.at[i].body == index; i++) {
        const part *p = &m->frame_part.at[i];
        ct_node expr = ct_at(p->where.s, ct_at(p->where.s, p->node)->first)->next;
        if (!ct_is_shape(b, &p->where, expr))
            continue;
        ct_resolve_frame(b, i);
        const ct_lump *found = lump_of(m, i);
        if (!found)
            continue;
        ct_lump l = *found;
        const ct_frame *f = &m->frame.at[i];
        if (f->axes)
            turn_inertia(b, f->axes, l.inertia);
        add_lump(b, body, &l, &f->at);
    }
}
