/* flexible.c - `flexible`: keys of a beam that moves as a body, and frames on its sections.
 *
 * A frame on it belongs to a body without mass, the section: that is welded to a frame of the beam
 * whose place and turn follow the coordinates of the shape. Joints and loads then meet rigid bodies
 * only.
 */
#include "model/flexible.h"

#include <string.h>

#include "base/words.h"

enum { MOST_SEGMENTS = 200 };

/* ---- keys */

static const ct_word shape_words[] = {{"polynomial", "", ""}, {"modal", "", ""}, {0}};
static const ct_word reference_words[] = {
    {"clamped", "", ""}, {"chord", "", ""}, {"mean", "", ""}, {0}};
static const ct_word theory_words[] = {{"rayleigh", "", ""}, {"euler_bernoulli", "", ""}, {0}};
static const ct_word switch_words[] = {{"off", "", ""}, {"on", "", ""}, {0}};

void ct_read_body_word(builder *b, const where *w, ct_node expr, const ct_word *words,
                       const char *key, uint32_t *row)
{
    ct_name name;
    const char *text = ct_plain_name(w->s, expr, &name) ? ct_name_text(b->ctx, name) : "";
    if (ct_word_find(words, text, row))
        return;
    *row = 0;
    ct_report *r =
        ct_error(b->ctx, "E630", ct_place_of(w->s, expr), "`%s` has no such choice", key);
    ct_note(r, "choices are %s", ct_word_list(b->ctx, words));
    const char *near = ct_word_near(words, text);
    if (near)
        ct_help(r, "did you mean `%s`?", near);
    ct_witness(r, text);
}

void ct_read_count(builder *b, const where *w, ct_node expr, const ct_count_limits *limits,
                   ct_name owner, int64_t *count)
{
    int64_t value = limits->least;
    if (!ct_lower_int(b, w, expr, &value, ct_printf(b->ctx, "a number of %s", limits->things)))
        return;
    if (value >= limits->least && value <= limits->most) {
        *count = value;
        return;
    }
    ct_report *r =
        ct_error(b->ctx, limits->code, ct_place_of(w->s, expr),
                 "`%s` = %lld: from %lld to %lld %s are possible", limits->key, (long long)value,
                 (long long)limits->least, (long long)limits->most, limits->things);
    ct_help(r, "%s", value < limits->least && limits->few ? limits->few : limits->advice);
    ct_witness(r, ct_name_text(b->ctx, owner));
}

void ct_read_shape_count(builder *b, const where *w, ct_node expr, const char *key, int64_t least,
                         ct_name owner, int64_t *count)
{
    const char *few = least > 0 ? "a beam that does not bend is a `body`" : NULL;
    const char *advice = "3 to 6 shapes are mostly enough; for more cut the beam into several";
    ct_count_limits limits = {"E631", key, "shapes", least, CT_MOST_SHAPES, few, advice};
    ct_read_count(b, w, expr, &limits, owner, count);
}

static const ct_count_limits segment_limits = {
    "E645",
    "segments",
    "segments",
    1,
    MOST_SEGMENTS,
    NULL,
    "a beam that bends by a quarter of a turn needs about four"};

static void read_key(builder *b, const where *w, ct_key_kind kind, ct_node expr, ct_name owner,
                     struct ct_beam_data *beam)
{
    ct_expr *value[CT_KEYS] = {
        [CT_KEY_BEAM_LENGTH] = &beam->length, [CT_KEY_AREA] = &beam->area,
        [CT_KEY_SECOND_Z] = &beam->second[0], [CT_KEY_SECOND_Y] = &beam->second[1],
        [CT_KEY_TORSION] = &beam->torsion,    [CT_KEY_MODULUS] = &beam->modulus,
        [CT_KEY_SHEAR] = &beam->shear,        [CT_KEY_DENSITY] = &beam->density,
        [CT_KEY_DAMPING] = &beam->damping,    [CT_KEY_SLOWED] = &beam->slowed};
    const char *word = ct_key_rows[kind].word;
    if (value[kind]) {
        ct_expr e = 0;
        if (ct_read_number(b, w, expr, b->mech->key_dim[kind], word, &e) &&
            ct_is_fixed(b, e, false, 0, "a body", ct_place_of(w->s, expr)))
            *value[kind] = e;
    } else if (kind == CT_KEY_BENDING || kind == CT_KEY_STRETCH || kind == CT_KEY_TWIST) {
        ct_read_shape_count(b, w, expr, word, kind == CT_KEY_BENDING && !b->mech->spatial, owner,
                            kind == CT_KEY_BENDING   ? &beam->bend
                            : kind == CT_KEY_STRETCH ? &beam->stretch
                                                     : &beam->twist);
    } else if (kind == CT_KEY_SEGMENTS) {
        ct_read_count(b, w, expr, &segment_limits, owner, &beam->segments);
    } else if (kind == CT_KEY_SHAPES) {
        ct_read_body_word(b, w, expr, shape_words, word, &beam->shapes);
    } else if (kind == CT_KEY_REFERENCE) {
        ct_read_body_word(b, w, expr, reference_words, word, &beam->reference);
    } else if (kind == CT_KEY_THEORY) {
        ct_read_body_word(b, w, expr, theory_words, word, &beam->theory);
    } else {
        ct_read_body_word(b, w, expr, switch_words, word, &beam->stiffening);
    }
}

static bool is_missing(builder *b, const struct ct_beam_data *beam, uint64_t seen, ct_key_kind key)
{
    bool twists = key == CT_KEY_TORSION || key == CT_KEY_SHEAR;
    if (key == CT_KEY_SECOND_Y || (twists && (!b->mech->spatial || !beam->twist)))
        return false;
    return !(seen >> key & 1);
}

void ct_report_missing_key(builder *b, const ct_body *body, uint32_t type, ct_key_kind key)
{
    const ct_key_row *row = &ct_key_rows[key];
    const char *name = ct_name_text(b->ctx, body->name);
    ct_report *r = ct_error(b->ctx, "E632", body->place, "`%s` has no `%s`", name, row->word);
    if (row->unit)
        ct_note(r, "%s: %s [%s]", row->word, row->help, row->unit);
    else
        ct_note(r, "%s: %s", row->word, row->help);
    ct_help(r, "write %s : %s %s = ...", name, ct_type_word(type), row->word);
    ct_witness(r, name);
}

/* What has no default must be given. */
static bool has_keys(builder *b, const struct ct_beam_data *beam, uint64_t seen,
                     const ct_body *body)
{
    for (uint32_t k = CT_KEY_BEAM_LENGTH; k <= CT_KEY_DENSITY; k++) {
        if (!is_missing(b, beam, seen, (ct_key_kind)k))
            continue;
        ct_report_missing_key(b, body, CT_TYPE_FLEXIBLE, (ct_key_kind)k);
        return false;
    }
    return true;
}

/* ---- shapes */

static void add_ways(struct ct_beam_data *beam, ct_basis basis, ct_way way)
{
    for (uint32_t i = 0; i < basis.count; i++)
        beam->coordinate[beam->count++] = (ct_bend){way, &basis.shape[i], basis.exact, 0};
}

static void make_shapes(builder *b, struct ct_beam_data *beam)
{
    ct_beam_reference reference = (ct_beam_reference)beam->reference;
    ct_basis bending = ct_basis_bending(b->arena, (uint32_t)beam->bend, beam->shapes, reference);
    beam->coordinate = CT_NEW_ARRAY(b->arena, ct_bend, 4 * CT_MOST_SHAPES + 1);
    add_ways(beam, bending, CT_WAY_Y);
    add_ways(beam, ct_basis_along(b->arena, (uint32_t)beam->stretch, reference), CT_WAY_X);
    beam->flat = beam->count;
    if (b->mech->spatial)
        add_ways(beam, bending, CT_WAY_Z);
    add_ways(beam, ct_basis_along(b->arena, (uint32_t)beam->twist, reference), CT_WAY_TWIST);
}

static bool has_few(builder *b, const struct ct_beam_data *beam, const ct_body *body)
{
    if (beam->count <= CT_MOST_SHAPES && beam->count)
        return true;
    const char *name = ct_name_text(b->ctx, body->name);
    ct_report *r =
        ct_error(b->ctx, "E631", body->place, "`%s` has %u shapes: from 1 to %d are possible", name,
                 beam->count, CT_MOST_SHAPES);
    ct_help(r, "a beam that does not bend is a `body`");
    ct_witness(r, name);
    return false;
}

void ct_read_flexible(builder *b, const part *p, uint32_t index, ct_body *body)
{
    ct_expr zero = ct_expr_int(b->pool, 0);
    struct ct_beam_data *beam = CT_NEW(b->arena, struct ct_beam_data);
    *beam = (struct ct_beam_data){.second = {zero, zero},
                                  .torsion = zero,
                                  .shear = zero,
                                  .damping = zero,
                                  .slowed = ct_expr_int(b->pool, 1),
                                  .bend = 3,
                                  .segments = 1,
                                  .stiffening = 1,
                                  .owner = body->name,
                                  .index = index};
    size_t before = ct_errors_raised(b->ctx);
    ct_key_reader k = {.of = p, .type = CT_TYPE_FLEXIBLE, .owner = body->name};
    while (ct_next_key(b, &k))
        read_key(b, &p->where, k.kind, k.expr, body->name, beam);
    if (!(k.seen >> CT_KEY_SECOND_Y & 1)) /* a text of the plane in space */
        beam->second[1] = beam->second[0];
    if (ct_errors_raised(b->ctx) != before || !has_keys(b, beam, k.seen, body))
        return;
    make_shapes(b, beam);
    if (!has_few(b, beam, body))
        return;
    beam->whole = beam->length;
    beam->length = ct_expr_div(b->pool, beam->whole, ct_expr_int(b->pool, beam->segments));
    ct_form_flexible(b, beam, body);
    CT_PUSH(b->scratch, b->mech->beam, beam);
    ct_cut_beam(b, beam, body);
}

/* ---- frames */

const struct ct_beam_data *ct_beam_of(builder *b, uint32_t body)
{
    for (uint32_t i = 0; i < b->mech->beam.count; i++)
        if (b->mech->beam.at[i]->index == body)
            return b->mech->beam.at[i];
    return NULL;
}

bool ct_part_of_length(builder *b, ct_expr length, const ct_frame *f, ct_place place, double *s)
{
    const char *name = ct_name_text(b->ctx, f->name);
    ct_expr ratio = ct_expr_div(b->pool, f->at.c[0], length);
    ct_report *r;
    if (!ratio || !ct_expr_is_number(b->pool, ratio)) {
        r = ct_error(b->ctx, "E633", place, "the place of `%s` is no fixed part of the length",
                     name);
        ct_note(r, "shapes are known at parts of the length that do not change with parameters");
        ct_help(r, "write it as a multiple of what `length` is, as in 0.5*L");
        ct_witness(r, name);
        return false;
    }
    *s = ct_expr_to_double(b->pool, ratio);
    if (*s >= 0 && *s <= 1)
        return true;
    r = ct_error(b->ctx, "E634", place, "`%s` lies outside of the beam: at %.10g of its length",
                 name, *s);
    ct_help(r, "frames lie between 0 and `length`; weld a body to the end for what sticks out");
    ct_witness(r, name);
    return false;
}

/* In space: turned about z, then y, then x. */
static const ct_vec3 *turned_axes(builder *b, const ct_vec3 *turn)
{
    ct_pool *p = b->pool;
    ct_vec3 *axes = CT_NEW_ARRAY(b->arena, ct_vec3, 3);
    ct_expr s[3], c[3];
    for (int i = 0; i < 3; i++) {
        s[i] = ct_expr_call1(p, CT_OP_SIN, turn->c[i]);
        c[i] = ct_expr_call1(p, CT_OP_COS, turn->c[i]);
    }
    ct_expr ss = ct_expr_mul(p, s[1], s[0]), sc = ct_expr_mul(p, s[1], c[0]);
    axes[0] =
        (ct_vec3){{ct_expr_mul(p, c[2], c[1]), ct_expr_mul(p, s[2], c[1]), ct_expr_neg(p, s[1])}};
    axes[1] = (ct_vec3){{ct_expr_sub(p, ct_expr_mul(p, c[2], ss), ct_expr_mul(p, s[2], c[0])),
                         ct_expr_add(p, ct_expr_mul(p, s[2], ss), ct_expr_mul(p, c[2], c[0])),
                         ct_expr_mul(p, c[1], s[0])}};
    axes[2] = (ct_vec3){{ct_expr_add(p, ct_expr_mul(p, c[2], sc), ct_expr_mul(p, s[2], s[0])),
                         ct_expr_sub(p, ct_expr_mul(p, s[2], sc), ct_expr_mul(p, c[2], s[0])),
                         ct_expr_mul(p, c[1], c[0])}};
    return axes;
}

uint32_t ct_add_section(builder *b, uint32_t of, const ct_frame *f, const ct_section *section)
{
    struct mech *m = b->mech;
    part done = {.state = ENTRY_DONE};
    ct_frame moving = {.name = f->name,
                       .body = of,
                       .at = section->at,
                       .turn = section->turn.c[2],
                       .place = f->place};
    if (m->spatial) {
        moving.turn = ct_expr_int(b->pool, 0);
        ct_vec3 *bend = CT_NEW(b->arena, ct_vec3);
        *bend = section->turn;
        moving.axes = turned_axes(b, bend);
        moving.bend = bend;
    }
    CT_PUSH(b->arena, m->frame, moving);
    CT_PUSH(b->scratch, m->frame_part, done);
    uint32_t tail = m->frame.count - 1, body = ct_add_body(b, f->name, false, done);
    m->body.at[body].section = true;
    m->body.at[body].place = f->place;
    m->frame.at[m->body.at[body].frame].place = f->place;
    ct_expr zero = ct_expr_int(b->pool, 0);
    ct_vec3 none = {{zero, zero, zero}}, along = {{ct_expr_int(b->pool, 1), zero, zero}};
    ct_joint j = {.name = f->name,
                  .kind = CT_JOINT_WELD,
                  .elastic = true,
                  .tail = tail,
                  .head = m->body.at[body].frame,
                  .axis = along,
                  .pin = {none, none, none},
                  .place = f->place};
    CT_PUSH(b->arena, m->joint, j);
    CT_PUSH(b->scratch, m->joint_part, done);
    CT_PUSH(b->scratch, m->joint_nodes, (joint_nodes){0});
    return body;
}

bool ct_read_axis_place(builder *b, const where *w, ct_node expr, ct_frame *f)
{
    const ct_syntax_node *n = ct_at(w->s, expr);
    bool call =
        n->kind == CT_NODE_REF && n->name && strcmp(ct_name_text(b->ctx, n->name), "frame") == 0;
    size_t before = ct_errors_raised(b->ctx);
    shaped v = call ? (shaped){0} : ct_lower(b, w, expr);
    if (!call && ct_is_broken(v))
        return false;
    if (call || v.rows * v.cols != 1)
        ct_read_seat(b, w, expr, f);
    else if (ct_read_number(b, w, expr, b->mech->key_dim[CT_KEY_COM], "a frame", &f->at.c[0]))
        ct_is_fixed(b, f->at.c[0], false, 0, "a frame", ct_place_of(w->s, expr));
    return ct_errors_raised(b->ctx) == before;
}

void ct_read_section(builder *b, const part *p, ct_frame *f)
{
    ct_node expr = ct_at(p->where.s, ct_at(p->where.s, p->node)->first)->next;
    ct_resolve_body(b, f->body);
    const struct ct_beam_data *beam = ct_beam_of(b, f->body);
    double s = 0;
    if (!ct_read_axis_place(b, &p->where, expr, f) || !beam ||
        !ct_part_of_length(b, beam->whole, f, ct_place_of(p->where.s, expr), &s))
        return;
    beam = ct_segment_at(beam, &s);
    f->at.c[0] = ct_expr_int(b->pool, 0);
    f->body = beam->index;
    if (s == 0 && beam->reference == CT_BEAM_CLAMPED)
        return;
    ct_section section = ct_section_at(b, beam, s);
    ct_frame own = *f;
    if (!ct_expr_is_zero(b->pool, f->at.c[1]) || !ct_expr_is_zero(b->pool, f->at.c[2]))
        own.name =
            ct_intern_text(b->ctx, ct_printf(b->ctx, "%s.section", ct_name_text(b->ctx, f->name)));
    f->body = ct_add_section(b, beam->index, &own, &section);
    b->mech->body.at[f->body].unbent = beam->shapes && /* modal */
                                       (s == 1 || (s == 0 && beam->reference != CT_BEAM_CLAMPED));
}
