/* body.c - names of bodies, frames and joints; data of bodies and frames. */
#include <string.h>

#include "model/cable.h"
#include "model/fe.h"

/* ---- names */

bool ct_mech_type(builder *b, ct_name word, uint32_t *type)
{
    const char *text = ct_name_text(b->ctx, word);
    return b->mech && !ct_find_definition(b, word) && ct_type_find(text, type) &&
           (b->mech->spatial || !ct_type_is_spatial(text));
}

/* One group of terminals: `screw(nut, spindle)` is the joint, `screw(a, b | c, d)` the element. */
static bool has_one_group(const where *w, ct_node n)
{
    uint32_t groups = 0;
    for (ct_node p = ct_at(w->s, n)->first; p; p = ct_at(w->s, p)->next)
        groups += ct_at(w->s, p)->kind == CT_NODE_PORTS;
    return groups == 1;
}

bool ct_mech_type_at(builder *b, const where *w, ct_node n, uint32_t *type)
{
    if (!b->mech)
        return false;
    ct_name word = ct_at(w->s, ct_at(w->s, ct_at(w->s, n)->first)->next)->name;
    const char *text = ct_name_text(b->ctx, word);
    const definition *d = ct_find_definition(b, word);
    if (ct_mech_type(b, word, type))
        return true;
    return b->mech->spatial && d && d->library && ct_type_is_spatial(text) &&
           ct_type_find(text, type) && has_one_group(w, n);
}

static ct_vec3 zero_vector(builder *b)
{
    ct_expr zero = ct_expr_int(b->pool, 0);
    return (ct_vec3){{zero, zero, zero}};
}

uint32_t ct_find_frame(builder *b, uint32_t id, ct_name name)
{
    return ct_map_get(&b->mech->frames, ct_pair(id, name)) - 1;
}

/* `name` 0: the body's own frame. */
uint32_t ct_add_frame(builder *b, uint32_t body, uint32_t id, ct_name name, part p)
{
    struct mech *m = b->mech;
    ct_place place = p.node ? ct_place_of(p.where.s, p.node) : m->body.at[body].place;
    uint32_t old = name ? ct_find_frame(b, id, name) : NO_FRAME;
    if (old != NO_FRAME) {
        ct_report_duplicate(b, name, place, m->frame.at[old].place);
        return old;
    }
    ct_name full = m->body.at[body].name;
    if (name) {
        ct_name owner = body == CT_GROUND_BODY ? ct_full_name(b, p.where.scope, full) : full;
        full = ct_join_path(b, owner, name);
    }
    ct_frame f = {.name = full,
                  .body = body,
                  .at = zero_vector(b),
                  .turn = ct_expr_int(b->pool, 0),
                  .place = place};
    CT_PUSH(b->arena, m->frame, f);
    CT_PUSH(b->scratch, m->frame_part, p);
    if (name)
        ct_map_put(&m->frames, ct_pair(id, name), m->frame.count);
    return m->frame.count - 1;
}

uint32_t ct_add_body(builder *b, ct_name full, bool particle, part p)
{
    struct mech *m = b->mech;
    ct_expr zero = ct_expr_int(b->pool, 0);
    ct_body body = {.name = full,
                    .particle = particle,
                    .mass = zero,
                    .inertia = {zero, zero, zero, zero, zero, zero},
                    .com = zero_vector(b),
                    .frame = m->frame.count,
                    .place = p.node ? ct_place_of(p.where.s, p.node) : (ct_place){0}};
    CT_PUSH(b->arena, m->body, body);
    CT_PUSH(b->scratch, m->body_part, p);
    /* scopes count from 1: the upper half is for bodies */
    CT_PUSH(b->scratch, m->body_id, 0x80000000U | ++m->ids);
    part own = {.where = p.where, .state = ENTRY_DONE};
    ct_add_frame(b, m->body.count - 1, 0, 0, own);
    return m->body.count - 1;
}

/* ---- frames in braces */

static void visit_frame(builder *b, const where *w, ct_node n)
{
    ct_name name = ct_expand_name(b, w, ct_at(w->s, n)->first);
    if (!name)
        return;
    if (b->mech->frame.count >= MOST_VALUES)
        ct_stop_at_limit(b, ct_place_of(w->s, n), "frames", MOST_VALUES);
    ct_add_frame(b, b->mech->current, b->mech->current_id, name, (part){*w, n, ENTRY_NEW});
}

static const pass frame_pass = {visit_frame, KIND_BIT(FRAME), false};

static void read_frames(builder *b, const where *w, ct_node n, uint32_t body, uint32_t id)
{
    ct_node frames = ct_child(w->s, n, CT_NODE_FRAMES);
    if (!frames)
        return;
    b->mech->current = body;
    b->mech->current_id = id;
    ct_walk_statements(b, w, ct_at(w->s, frames)->first, &frame_pass);
}

static void report_particle_frames(builder *b, const where *w, ct_node frames, ct_name name)
{
    ct_report *r = ct_error(b->ctx, "E261", ct_place_of(w->s, frames),
                            "a particle is a point: it has no other frames");
    ct_help(r, "make `%s` a body, or connect its point itself", ct_name_text(b->ctx, name));
    ct_witness(r, ct_name_text(b->ctx, name));
}

/* ---- the pass over names */

static void count_part(builder *b, ct_place place)
{
    uint64_t all = (uint64_t)b->component.count + b->mech->body.count + b->mech->joint.count;
    if (all >= b->ctx->def.max_components)
        ct_stop_at_limit(b, place, "components", b->ctx->def.max_components);
}

static void name_body(builder *b, const where *w, ct_node n, ct_name name, uint32_t type)
{
    bool particle = type == CT_TYPE_PARTICLE;
    ct_node frames = ct_child(w->s, n, CT_NODE_FRAMES), ports = ct_child(w->s, n, CT_NODE_PORTS);
    ct_place place = ct_place_of(w->s, n);
    uint32_t body =
        ct_add_body(b, ct_full_name(b, w->scope, name), particle, (part){*w, n, ENTRY_NEW});
    ct_add_thing(b, w->scope, name, (thing){.kind = THING_BODY, .index = body, .place = place});
    b->mech->body.at[body].flexible = ct_type_has(type, CT_NEED_BENDS);
    b->mech->body.at[body].cable = type == CT_TYPE_CABLE;
    b->mech->body.at[body].meshed = type == CT_TYPE_FE;
    if (ports) {
        const char *text = ct_name_text(b->ctx, name);
        ct_report *r = ct_error(b->ctx, "E207", place, "a %s has no terminals", ct_type_word(type));
        ct_help(r, "joints connect it: J1 : revolute(ground, %s)", text);
        ct_witness(r, text);
    }
    if (particle && frames)
        report_particle_frames(b, w, frames, name);
    else
        read_frames(b, w, n, body, b->mech->body_id.at[body]);
}

static void name_joint(builder *b, const where *w, ct_node n, ct_name name, ct_joint_kind kind)
{
    struct mech *m = b->mech;
    ct_place place = ct_place_of(w->s, n);
    ct_joint j = {.name = ct_full_name(b, w->scope, name), .kind = kind, .place = place};
    j.axis = zero_vector(b);
    j.axis.c[0] = ct_expr_int(b->pool, 1);
    for (int i = 0; i < 3; i++)
        j.pin[i] = zero_vector(b);
    CT_PUSH(b->arena, m->joint, j);
    CT_PUSH(b->scratch, m->joint_part, (part){*w, n, ENTRY_NEW});
    CT_PUSH(b->scratch, m->joint_nodes, (joint_nodes){0});
    ct_add_thing(b, w->scope, name,
                 (thing){.kind = THING_JOINT, .index = m->joint.count - 1, .place = place});
    ct_add_numbers(b, &j);
}

static void name_part(builder *b, const where *w, ct_node n)
{
    uint32_t type;
    if (!ct_mech_type_at(b, w, n, &type))
        return;
    ct_name name = ct_expand_name(b, w, ct_at(w->s, n)->first);
    if (!name)
        return;
    count_part(b, ct_place_of(w->s, n));
    if (type >= CT_TYPE_JOINTS)
        name_joint(b, w, n, name, (ct_joint_kind)(type - CT_TYPE_JOINTS));
    else
        name_body(b, w, n, name, type);
}

static void visit_name(builder *b, const where *w, ct_node n)
{
    if (ct_at(w->s, n)->kind == CT_NODE_COMPONENT)
        name_part(b, w, n);
    else
        read_frames(b, w, n, CT_GROUND_BODY, w->scope->id);
}

const pass ct_mech_pass = {visit_name, KIND_BIT(COMPONENT) | KIND_BIT(GROUND), false};

/* ---- data of frames */

/* `frame([x, y], angle)`: its arguments. */
static bool is_frame_call(builder *b, const where *w, ct_node expr, ct_node *call)
{
    const ct_syntax_node *ref = ct_at(w->s, expr);
    *call = ref->kind == CT_NODE_REF && ref->name ? ref->first : 0;
    return *call && ct_at(w->s, *call)->kind == CT_NODE_CALL && !ct_at(w->s, *call)->next &&
           strcmp(ct_name_text(b->ctx, ref->name), "frame") == 0;
}

static void report_frame_call(builder *b, const where *w, ct_node expr)
{
    bool spatial = b->mech->spatial;
    ct_report *r = ct_error(b->ctx, "E222", ct_place_of(w->s, expr),
                            spatial ? "in space a frame is a point and turns of its axes"
                                    : "in the plane a frame is a point and an angle");
    ct_help(r, spatial ? "write frame([x, y, z], rotate(z, angle), ...)"
                       : "write frame([x, y], angle)");
    ct_witness(r, "frame");
}

static void read_turned(builder *b, const where *w, ct_node expr, ct_node call, ct_frame *f)
{
    ct_node at = ct_at(w->s, call)->first, angle = at ? ct_at(w->s, at)->next : 0;
    bool named = at && (ct_at(w->s, at)->kind == CT_NODE_ARG ||
                        (angle && ct_at(w->s, angle)->kind == CT_NODE_ARG));
    if (!at || named || (!b->mech->spatial && angle && ct_at(w->s, angle)->next)) {
        report_frame_call(b, w, expr);
        return;
    }
    ct_dim_term length = ct_term_known(b->mech->key_dim[CT_KEY_COM]);
    ct_read_vector(b, w, at, length, "a frame", true, f->name, &f->at);
    if (b->mech->spatial)
        ct_read_axes(b, w, angle, f);
    else if (angle && ct_read_number(b, w, angle, ct_dim_none(), "an angle", &f->turn))
        ct_is_fixed(b, f->turn, false, 0, "a frame", ct_place_of(w->s, angle));
}

void ct_read_seat(builder *b, const where *w, ct_node expr, ct_frame *f)
{
    ct_node call;
    if (is_frame_call(b, w, expr, &call))
        read_turned(b, w, expr, call, f);
    else
        ct_read_vector(b, w, expr, ct_term_known(b->mech->key_dim[CT_KEY_COM]), "a frame", true,
                       f->name, &f->at);
}

bool ct_begin_part(builder *b, part *p, ct_name name)
{
    if (p->state == ENTRY_BUSY) {
        const char *text = ct_name_text(b->ctx, name);
        ct_report *r = ct_error(b->ctx, "E214", ct_place_of(p->where.s, p->node),
                                "the data of `%s` lead back to themselves", text);
        ct_witness(r, text);
    }
    if (p->state != ENTRY_NEW)
        return false;
    p->state = ENTRY_BUSY;
    return true;
}

void ct_resolve_frame(builder *b, uint32_t index)
{
    struct mech *m = b->mech;
    if (!ct_begin_part(b, &m->frame_part.at[index], m->frame.at[index].name))
        return;
    const part p = m->frame_part.at[index];
    ct_frame f = m->frame.at[index];
    ct_node expr = ct_at(p.where.s, ct_at(p.where.s, p.node)->first)->next;
    if (m->body.at[f.body].meshed)
        ct_read_fe_frame(b, index, &f);
    else if (m->body.at[f.body].cable)
        ct_read_cable_frame(b, &p, &f);
    else if (m->body.at[f.body].flexible)
        ct_read_section(b, &p, &f);
    else if (ct_is_shape(b, &p.where, expr))
        ct_read_shape(b, &p, expr, index, &f);
    else
        ct_read_seat(b, &p.where, expr, &f);
    m->frame.at[index] = f;
    m->frame_part.at[index].state = ENTRY_DONE;
}

/* ---- data of bodies */

static void read_body_key(builder *b, const where *w, ct_key_kind kind, ct_node expr, ct_body *body)
{
    const ct_dim *dim = &b->mech->key_dim[kind];
    const char *word = ct_key_rows[kind].word;
    ct_place place = ct_place_of(w->s, expr);
    ct_expr *single = kind == CT_KEY_MASS ? &body->mass : &body->inertia[2];
    if (kind == CT_KEY_COM)
        ct_read_vector(b, w, expr, ct_term_known(*dim), word, true, body->name, &body->com);
    else if (kind == CT_KEY_INERTIA && b->mech->spatial)
        ct_read_inertia(b, w, expr, body);
    else if (ct_read_number(b, w, expr, *dim, word, single))
        ct_is_fixed(b, *single, false, 0, "a body", place);
}

void ct_resolve_body(builder *b, uint32_t index)
{
    struct mech *m = b->mech;
    if (!ct_begin_part(b, &m->body_part.at[index], m->body.at[index].name))
        return;
    const part p = m->body_part.at[index];
    ct_body body = m->body.at[index];
    if (body.flexible)
        (body.meshed  ? ct_read_fe
         : body.cable ? ct_read_cable
                      : ct_read_flexible)(b, &p, index, &body);
    ct_key_reader k = {.of = &p, .type = ct_body_type(&body), .owner = body.name};
    while (!body.flexible && ct_next_key(b, &k))
        read_body_key(b, &p.where, k.kind, k.expr, &body);
    if (!body.flexible)
        ct_add_parts(b, index, &body);
    m->body.at[index] = body;
    m->body_part.at[index].state = ENTRY_DONE;
}
