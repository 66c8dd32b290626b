/* cable_body.c - `cable`: its keys and frames. */
#include "model/cable.h"

enum { MOST_ELEMENTS = 60 };

/* ---- keys */

static const ct_count_limits element_limits = {
    "E646",
    "elements",
    "elements",
    1,
    MOST_ELEMENTS,
    NULL,
    "four elements for each quarter of a turn are mostly enough"};

static void read_key(builder *b, const where *w, ct_key_kind kind, ct_node expr, ct_name owner,
                     struct ct_cable_data *c)
{
    ct_expr *value[CT_KEYS] = {[CT_KEY_BEAM_LENGTH] = &c->length, [CT_KEY_AREA] = &c->area,
                               [CT_KEY_SECOND_Z] = &c->second,    [CT_KEY_MODULUS] = &c->modulus,
                               [CT_KEY_DENSITY] = &c->density,    [CT_KEY_DAMPING] = &c->damping,
                               [CT_KEY_CABLE_ANGLE] = &c->angle};
    const char *word = ct_key_rows[kind].word;
    ct_dim dim = b->mech->key_dim[kind];
    if (kind == CT_KEY_CABLE_ELEMENTS)
        ct_read_count(b, w, expr, &element_limits, owner, &c->elements);
    else if (kind == CT_KEY_CABLE_ORIGIN)
        ct_read_vector(b, w, expr, ct_term_known(dim), word, true, owner, &c->origin);
    else if (ct_read_number(b, w, expr, dim, word, value[kind]))
        ct_is_fixed(b, *value[kind], false, 0, "a body", ct_place_of(w->s, expr));
}

static const ct_key_kind needed[] = {CT_KEY_BEAM_LENGTH, CT_KEY_AREA, CT_KEY_SECOND_Z,
                                     CT_KEY_MODULUS, CT_KEY_DENSITY};
enum { NEEDED = sizeof needed / sizeof *needed };

static bool read_keys(builder *b, const part *p, const ct_body *body, struct ct_cable_data *c)
{
    size_t before = ct_errors_raised(b->ctx);
    ct_key_reader k = {.of = p, .type = CT_TYPE_CABLE, .owner = body->name};
    while (ct_next_key(b, &k))
        read_key(b, &p->where, k.kind, k.expr, body->name, c);
    for (uint32_t i = 0; i < NEEDED && ct_errors_raised(b->ctx) == before; i++)
        if (!(k.seen >> needed[i] & 1))
            ct_report_missing_key(b, body, CT_TYPE_CABLE, needed[i]);
    return ct_errors_raised(b->ctx) == before;
}

/* ---- the body */

static bool is_planar(builder *b, const ct_body *body)
{
    if (!b->mech->spatial)
        return true;
    const char *name = ct_name_text(b->ctx, body->name);
    ct_report *r =
        ct_error(b->ctx, "E647", body->place, "`%s`: a cable moves in the plane only", name);
    ct_help(r, "in space take a beam: %s : flexible ..., segments = 8", name);
    ct_witness(r, name);
    return false;
}

/* It belongs to the ground. */
static uint32_t add_weld(builder *b, const ct_body *body)
{
    struct mech *m = b->mech;
    ct_expr zero = ct_expr_int(b->pool, 0);
    ct_vec3 none = {{zero, zero, zero}}, along = {{ct_expr_int(b->pool, 1), zero, zero}};
    const char *name = ct_name_text(b->ctx, body->name);
    ct_joint j = {.name = ct_intern_text(b->ctx, ct_printf(b->ctx, "%s.ground", name)),
                  .kind = CT_JOINT_WELD,
                  .tail = CT_GROUND_FRAME,
                  .head = body->frame,
                  .axis = along,
                  .pin = {none, none, none},
                  .place = body->place};
    CT_PUSH(b->arena, m->joint, j);
    CT_PUSH(b->scratch, m->joint_part, (part){.state = ENTRY_DONE});
    CT_PUSH(b->scratch, m->joint_nodes, (joint_nodes){0});
    return m->joint.count - 1;
}

void ct_read_cable(builder *b, const part *p, uint32_t index, ct_body *body)
{
    ct_expr zero = ct_expr_int(b->pool, 0);
    struct ct_cable_data *c = CT_NEW(b->arena, struct ct_cable_data);
    *c = (struct ct_cable_data){.index = index,
                                .damping = zero,
                                .angle = zero,
                                .origin = {{zero, zero, zero}},
                                .elements = 8};
    if (!is_planar(b, body) || !read_keys(b, p, body, c))
        return;
    c->weld = add_weld(b, body);
    ct_form_cable(b, c, body);
    CT_PUSH(b->scratch, b->mech->cable, c);
}

/* ---- frames */

void ct_read_cable_frame(builder *b, const part *p, ct_frame *f)
{
    ct_node expr = ct_at(p->where.s, ct_at(p->where.s, p->node)->first)->next;
    uint32_t body = f->body;
    double s = 0;
    ct_resolve_body(b, body);
    if (!ct_read_axis_place(b, &p->where, expr, f))
        return;
    for (uint32_t i = 0; i < b->mech->cable.count; i++) {
        struct ct_cable_data *c = b->mech->cable.at[i];
        if (c->index != body ||
            !ct_part_of_length(b, c->length, f, ct_place_of(p->where.s, expr), &s))
            continue;
        f->at.c[0] = ct_expr_int(b->pool, 0);
        ct_section section = ct_cable_section(b, c, s);
        f->body = ct_add_section(b, body, f, &section);
    }
}

/* ---- checks */

static void check_holders(builder *b, const struct ct_cable_data *c)
{
    const struct mech *m = b->mech;
    const ct_body *body = &m->body.at[c->index];
    for (uint32_t i = 0; i < m->joint.count; i++) {
        const ct_joint *j = &m->joint.at[i];
        if (i == c->weld || (j->tail != body->frame && j->head != body->frame))
            continue;
        const char *name = ct_name_text(b->ctx, body->name);
        ct_report *r = ct_error(b->ctx, "E648", j->place, "`%s` holds no point of `%s`",
                                ct_name_text(b->ctx, j->name), name);
        ct_note(r, "a cable has no frame of its own: all of it bends");
        ct_help(r, "name the point: %s : cable ... { A = 0 }, and take `%s.A`", name, name);
        ct_witness(r, name);
    }
}

void ct_check_cables(builder *b)
{
    const struct mech *m = b->mech;
    for (uint32_t i = 0; i < m->cable.count; i++) {
        const struct ct_cable_data *c = m->cable.at[i];
        const ct_expr value[NEEDED] = {c->length, c->area, c->second, c->modulus, c->density};
        for (uint32_t k = 0; k < NEEDED; k++)
            ct_check_key(b, c->index, needed[k], value[k]);
        ct_check_key(b, c->index, CT_KEY_DAMPING, c->damping);
        check_holders(b, c);
    }
}
