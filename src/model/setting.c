/* setting.c - space, gravity, coordinates; and the mechanism as a whole. */
#include <string.h>

#include "base/words.h"
#include "model/cable.h"
#include "model/fe.h"
#include "model/flexible.h"

/* ---- beginning and end */

static ct_dim dim_of(builder *b, const char *text)
{
    ct_unit unit = {.dim = ct_dim_none()};
    const char *problem, *hint;
    if (text)
        ct_unit_read(b->ctx, text, strlen(text), &unit, &problem, &hint);
    return unit.dim;
}

void ct_mech_begin(builder *b)
{
    struct mech *m = b->mech = CT_NEW(b->scratch, struct mech);
    ct_map_init(&m->frames, b->scratch);
    ct_map_init(&m->lumps, b->scratch);
    m->motions = CT_NEW(b->arena, ct_map);
    ct_map_init(m->motions, b->arena);
    for (uint32_t i = 0; i < CT_KEYS; i++)
        m->key_dim[i] = dim_of(b, ct_key_rows[i].unit);
    for (uint32_t i = 0; i < CT_MOTION_ROWS; i++)
        m->motion_dim[i] = dim_of(b, ct_motion_rows[i].unit);
    m->torque_dim = dim_of(b, "N.m");
    m->force_dim = dim_of(b, "N");
    m->energy_dim = dim_of(b, "J");
    ct_expr zero = ct_expr_int(b->pool, 0);
    m->gravity_value = (ct_vec3){{zero, zero, zero}};
    ct_add_body(b, b->name_ground, false, (part){.state = ENTRY_DONE});
}

/* Models have a few types of components. */
static bool is_mechanical_type(builder *b, ct_name word)
{
    uint32_t type;
    ct_name *known = &b->scalar_type[word % (sizeof b->scalar_type / sizeof *b->scalar_type)];
    if (word == *known)
        return false;
    *known = word;
    return ct_type_find(ct_name_text(b->ctx, word), &type);
}

static bool is_mechanical(builder *b, const ct_syntax *s, ct_node n)
{
    const ct_syntax_node *node = ct_at(s, n);
    switch ((int)node->kind) {
    case CT_NODE_SETTING:
    case CT_NODE_FRAMES:
        return true;
    case CT_NODE_FORMAL:
        return node->first &&
               strcmp(ct_name_text(b->ctx, ct_at(s, node->first)->name), "frame") == 0;
    case CT_NODE_COMPONENT:
        return is_mechanical_type(b, ct_at(s, ct_at(s, node->first)->next)->name);
    default:
        return false;
    }
}

/* `space = spatial`: known before anything else is read. */
static bool is_spatial(builder *b, const ct_syntax *s)
{
    for (ct_node n = 1; n < s->node_count && s->kinds & KIND_BIT(SETTING); n++) {
        const ct_syntax_node *node = ct_at(s, n);
        if (node->kind == CT_NODE_SETTING && strcmp(ct_name_text(b->ctx, node->name), "space") == 0)
            return strcmp(ct_name_text(b->ctx, ct_at(s, node->first)->name), "spatial") == 0;
    }
    return false;
}

void ct_note_mechanics(builder *b, const ct_syntax *s)
{
    const uint64_t kinds =
        KIND_BIT(SETTING) | KIND_BIT(FRAMES) | KIND_BIT(FORMAL) | KIND_BIT(COMPONENT);
    if (!(s->kinds & kinds))
        return;
    for (ct_node n = 1; n < s->node_count && !b->mech; n++)
        if (is_mechanical(b, s, n))
            ct_mech_begin(b);
    if (b->mech && s == b->main)
        b->mech->spatial = is_spatial(b, s);
}

mech_extent ct_mech_extent(const builder *b)
{
    const struct mech *m = b->mech;
    if (!m)
        return (mech_extent){0};
    return (mech_extent){m->body.count,  m->frame.count,  m->joint.count, m->load.count,
                         m->line.count,  m->motion.count, m->wish.count,  m->port.count,
                         m->shape.count, m->lump.count};
}

void ct_mech_cut(builder *b, const mech_extent *e)
{
    struct mech *m = b->mech;
    if (!m)
        return;
    m->body.count = m->body_part.count = m->body_id.count = e->body;
    m->frame.count = m->frame_part.count = e->frame;
    m->joint.count = m->joint_part.count = m->joint_nodes.count = e->joint;
    m->load.count = m->load_part.count = e->load;
    m->line.count = e->line;
    m->motion.count = e->motion;
    m->wish.count = e->wish;
    m->port.count = e->port;
    m->shape.count = e->shape;
    m->lump.count = e->lump;
    while (m->beam.count && m->beam.at[m->beam.count - 1]->index >= e->body)
        m->beam.count--;
    while (m->fe.count && m->fe.at[m->fe.count - 1]->index >= e->body)
        m->fe.count--;
    while (m->cable.count && m->cable.at[m->cable.count - 1]->index >= e->body)
        m->cable.count--;
}

static const ct_mechanism *whole(builder *b)
{
    const struct mech *m = b->mech;
    ct_mechanism *out = CT_NEW(b->arena, ct_mechanism);
    *out = (ct_mechanism){
        .spatial = m->spatial,
        .gravity = m->gravity_value,
        .coordinates = m->coordinates,
        .coordinates_place = m->coordinates_place,
        .place = m->space_place,
        .body = m->body.at,
        .frame = m->frame.at,
        .joint = m->joint.at,
        .load = m->load.at,
        .speed = m->speed.at,
        .line = m->line.at,
        .motion = m->motion.at,
        .wish = m->wish.at,
        .shape = m->shape.at,
        .body_count = m->body.count,
        .frame_count = m->frame.count,
        .joint_count = m->joint.count,
        .load_count = m->load.count,
        .speed_count = m->speed.count,
        .line_count = m->line.count,
        .motion_count = m->motion.count,
        .wish_count = m->wish.count,
        .shape_count = m->shape.count,
        .motion_by_name = m->motions,
    };
    return out;
}

/* NULL: there is none. */
const ct_mechanism *ct_finish_mech(builder *b)
{
    bool any = b->mech && (b->mech->body.count > 1 || b->mech->joint.count);
    return any ? whole(b) : NULL;
}

/* ---- settings */

const ct_word ct_coordinate_words[] = {
    {"auto", "", "joint, or absolute where that gives fewer equations"},
    {"joint", "", "of joints"},
    {"absolute", "", "of bodies"},
    {0},
};

static bool word_of(builder *b, const where *w, ct_node expr, const ct_word *words, uint32_t *row)
{
    ct_name name;
    const char *text = ct_plain_name(w->s, expr, &name) ? ct_name_text(b->ctx, name) : "";
    if (ct_word_find(words, text, row))
        return true;
    ct_report *r = ct_error(b->ctx, "E228", ct_place_of(w->s, expr), "there is no such choice");
    ct_note(r, "choices are %s", ct_word_list(b->ctx, words));
    const char *near = ct_word_near(words, text);
    if (near)
        ct_help(r, "did you mean `%s`?", near);
    ct_witness(r, text);
    return false;
}

static bool again(builder *b, ct_place *first, ct_place place, const char *name)
{
    bool known = first->source != 0;
    if (known)
        ct_report_twice(b, place, name);
    else
        *first = place;
    return known;
}

/* False: no setting of a mechanism. */
bool ct_mech_setting(builder *b, const where *w, ct_node n)
{
    static const ct_word spaces[] = {{"planar", "", ""}, {"spatial", "", ""}, {0}};
    const char *name = ct_name_text(b->ctx, ct_at(w->s, n)->name);
    ct_node expr = ct_at(w->s, n)->first;
    struct mech *m = b->mech;
    ct_place place = ct_place_of(w->s, n);
    uint32_t choice;
    bool space = strcmp(name, "space") == 0, gravity = strcmp(name, "gravity") == 0;
    if (!space && !gravity && strcmp(name, "coordinates") != 0)
        return false;
    if (w->scope != b->top) {
        ct_report *r = ct_error(b->ctx, "E228", place, "`%s` belongs to the model", name);
        ct_help(r, "write it outside of the system");
        ct_witness(r, name);
    } else if (gravity && m->gravity.node) {
        ct_report_twice(b, place, name);
    } else if (gravity) {
        m->gravity = (part){*w, expr, ENTRY_NEW};
    } else if (space && !again(b, &m->space_place, place, name)) {
        m->spaced = true;
        word_of(b, w, expr, spaces, &choice);
    } else if (!space && !again(b, &m->coordinates_place, place, name) &&
               word_of(b, w, expr, ct_coordinate_words, &choice)) {
        m->coordinates = (ct_coordinates)choice;
    }
    return true;
}

static void read_gravity(builder *b)
{
    struct mech *m = b->mech;
    ct_dim dim = dim_of(b, "m/s^2");
    if (!m->gravity.node || m->gravity.state == ENTRY_DONE)
        return;
    m->gravity.state = ENTRY_DONE;
    ct_read_vector(b, &m->gravity.where, m->gravity.node, ct_term_known(dim), "gravity", true,
                   ct_intern_text(b->ctx, "gravity"), &m->gravity_value);
}

/* `gravity` pulls at bodies: a 1-D mass would not feel it, and nobody would know. */
static void demand_bodies(builder *b)
{
    const struct mech *m = b->mech;
    bool gravity = m->gravity.node != 0;
    if (b->partial || m->body.count > 1 || (!gravity && !m->coordinates_place.source))
        return;
    ct_place place =
        gravity ? ct_place_of(m->gravity.where.s, m->gravity.node) : m->coordinates_place;
    const char *name = gravity ? "gravity" : "coordinates";
    ct_report *r =
        ct_error(b->ctx, "E228", place, "`%s` is for bodies, and the model has none", name);
    if (gravity)
        ct_help(r, "the weight of a 1-D mass is a force: W : force(ground, a) F = -m*g");
    else
        ct_help(r, "leave it out; `tree` chooses the branches of other graphs");
    ct_witness(r, name);
}

static void demand_space(builder *b)
{
    const struct mech *m = b->mech;
    bool body = m->body.count > 1;
    if (m->spaced || b->partial || (!body && !m->joint.count))
        return;
    ct_place place = body ? m->body.at[1].place : m->joint.at[0].place;
    ct_name name = body ? m->body.at[1].name : m->joint.at[0].name;
    ct_report *r = ct_error(b->ctx, "E260", place, "bodies and joints need a space to move in");
    ct_help(r, "add the line: space = planar");
    ct_witness(r, ct_name_text(b->ctx, name));
}

/* ---- all data */

void ct_resolve_mech(builder *b, const mech_extent *from)
{
    struct mech *m = b->mech;
    if (!m)
        return;
    if (!from->body) {
        read_gravity(b);
        demand_space(b);
        demand_bodies(b);
    }
    for (uint32_t i = from->body; i < m->body.count; i++) {
        ct_stop_after_errors(b);
        ct_resolve_body(b, i);
        ct_resolve_part_starts(b, &m->body_part.at[i], (thing){.kind = THING_BODY, .index = i});
    }
    for (uint32_t i = from->frame; i < m->frame.count; i++) {
        ct_stop_after_errors(b);
        ct_resolve_frame(b, i);
    }
    for (uint32_t i = from->joint; i < m->joint.count; i++) {
        ct_stop_after_errors(b);
        ct_resolve_joint(b, i);
        ct_resolve_part_starts(b, &m->joint_part.at[i], (thing){.kind = THING_JOINT, .index = i});
    }
    for (uint32_t i = from->load; i < m->load.count; i++) {
        ct_stop_after_errors(b);
        ct_resolve_load(b, i);
    }
}

/* ---- branches */

static bool report_branch(builder *b, ct_place place, ct_name name, const char *why)
{
    const char *text = ct_name_text(b->ctx, name);
    ct_report *r = ct_error(b->ctx, "E229", place, "`%s` %s", text, why);
    ct_help(r, "name joints and bodies behind `translational:` and `rotational:`");
    ct_witness(r, text);
    return true;
}

/* False: no part of the mechanism. */
bool ct_wish_mechanical(builder *b, const where *w, ct_node path, const thing *t, ct_node rest,
                        uint32_t domain)
{
    ct_place place = ct_place_of(w->s, path);
    struct mech *m = b->mech;
    if (t->kind == THING_LOAD)
        return report_branch(b, place, m->load.at[t->index].name,
                             "is a load: it is never a branch");
    if (t->kind != THING_BODY && t->kind != THING_JOINT)
        return false;
    bool joint = t->kind == THING_JOINT;
    ct_name name = joint ? m->joint.at[t->index].name : m->body.at[t->index].name;
    uint32_t translational = 0, rotational = 0;
    ct_domain_find("translational", &translational);
    ct_domain_find("rotational", &rotational);
    ct_branch_wish wish = {joint ? CT_BRANCH_JOINT : CT_BRANCH_BODY, t->index,
                           domain == CT_NO_DOMAIN || domain == translational,
                           domain == CT_NO_DOMAIN || domain == rotational, place};
    if (rest)
        return report_branch(b, place, name, "is a branch as a whole");
    if (!wish.translational && !wish.rotational)
        return report_branch(b, place, name, "belongs to the mechanical graphs");
    if (!joint && m->body.at[t->index].particle && domain == rotational)
        return report_branch(b, place, name, "is a particle: it does not turn");
    CT_PUSH(b->arena, m->wish, wish);
    return true;
}

/* ---- limits */

ct_place ct_key_place(builder *b, const part *p, const char *word, ct_place other)
{
    const ct_syntax *s = p->where.s;
    for (ct_node key = ct_at(s, p->node)->first; key; key = ct_at(s, key)->next) {
        ct_name name;
        if (ct_at(s, key)->kind != CT_NODE_KEY || ct_at(s, key)->op)
            continue;
        ct_node path = ct_at(s, key)->first;
        if (ct_plain_name(s, ct_at(s, path)->first, &name) &&
            strcmp(ct_name_text(b->ctx, name), word) == 0)
            return ct_place_of(s, ct_at(s, path)->next);
    }
    return other;
}

static void check_value(builder *b, const part *p, ct_key_kind key, ct_expr value, ct_name owner,
                        ct_place place)
{
    const ct_key_row *row = &ct_key_rows[key];
    double x = ct_model_value(b->model, value);
    bool positive = strcmp(row->limit, "> 0") == 0;
    if (!(x < 0) && !(positive && x == 0))
        return;
    const char *name = ct_name_text(b->ctx, owner);
    const char *unit = strcmp(row->unit, "1") == 0 ? "" : ct_printf(b->ctx, " %s", row->unit);
    ct_report *r =
        ct_error(b->ctx, "E224", ct_key_place(b, p, row->word, place),
                 "`%s` = %.10g%s is out of range: it must be %s", row->word, x, unit, row->limit);
    ct_note(r, "%s of `%s`: %s", row->word, name, row->help);
    ct_witness(r, name);
}

void ct_check_key(builder *b, uint32_t index, ct_key_kind key, ct_expr value)
{
    const ct_body *body = &b->mech->body.at[index];
    check_value(b, &b->mech->body_part.at[index], key, value, body->name, body->place);
}

static void check_beam(builder *b, const struct ct_beam_data *beam)
{
    const struct {
        ct_key_kind key;
        ct_expr value;
    } row[] = {{CT_KEY_BEAM_LENGTH, beam->whole},  {CT_KEY_AREA, beam->area},
               {CT_KEY_SECOND_Z, beam->second[0]}, {CT_KEY_MODULUS, beam->modulus},
               {CT_KEY_DENSITY, beam->density},    {CT_KEY_DAMPING, beam->damping},
               {CT_KEY_SLOWED, beam->slowed},      {CT_KEY_SECOND_Y, beam->second[1]},
               {CT_KEY_TORSION, beam->torsion},    {CT_KEY_SHEAR, beam->shear}};
    uint32_t count = !b->mech->spatial ? 7 : beam->twist ? 10 : 8;
    for (uint32_t i = 0; i < count; i++)
        ct_check_key(b, beam->index, row[i].key, row[i].value);
}

static void check_axis(builder *b, const part *p, const ct_joint *j)
{
    for (uint32_t i = 0; i < ct_vector_size(b); i++)
        if (ct_model_value(b->model, j->axis.c[i]) != 0)
            return;
    const char *name = ct_name_text(b->ctx, j->name);
    ct_report *r = ct_error(b->ctx, "E264", ct_key_place(b, p, "axis", j->place),
                            "the axis of `%s` has no direction: it is zero", name);
    ct_help(r, "write a direction, as in axis = %s", b->mech->spatial ? "[0, 0, 1]" : "[1, 0]");
    ct_witness(r, name);
}

/* A length or a radius; the lead of a screw may be negative: a left-hand thread. */
static void check_length(builder *b, const part *p, const ct_joint *j)
{
    uint32_t keys = ct_joint_types[j->kind].keys;
    ct_key_kind key = keys & CT_KEYS_RADIUS ? CT_KEY_RADIUS : CT_KEY_LENGTH;
    if (j->length && !(keys & CT_KEYS_LEAD))
        check_value(b, p, key, j->length, j->name, j->place);
}

static bool are_parallel(const builder *b, const ct_vec3 *u, const ct_vec3 *v)
{
    const double most_sine = 1e-6;
    double a[3], c[3], square = 0, across = 0;
    for (int i = 0; i < 3; i++) {
        a[i] = ct_model_value(b->model, u->c[i]);
        c[i] = ct_model_value(b->model, v->c[i]);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double own = a[j] * c[k] - a[k] * c[j];
        across += own * own;
        square += (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * c[i] * c[i];
    }
    return across <= most_sine * most_sine *
                         square; /* also where one of them is zero; not where one is unknown */
}

/* Turns about the same axis, one after the other, are one. */
static void check_pins(builder *b, const part *p, const ct_joint *j)
{
    uint32_t keys = ct_joint_types[j->kind].keys;
    uint32_t count = keys & CT_KEYS_THREE_AXES ? 3 : keys & CT_KEYS_TWO_AXES ? 2 : 0;
    for (uint32_t i = 1; b->mech->spatial && i < count; i++) {
        if (!are_parallel(b, &j->pin[i - 1], &j->pin[i]))
            continue;
        const char *name = ct_name_text(b->ctx, j->name);
        const char *key = ct_printf(b->ctx, "axis%u", i + 1);
        ct_report *r = ct_error(b->ctx, "E264", ct_key_place(b, p, key, j->place),
                                "axes %u and %u of `%s` have no two directions", i, i + 1, name);
        ct_help(r, "write two that cross, as in axis%u = x, axis%u = y", i, i + 1);
        ct_witness(r, name);
        return;
    }
}

/* Values out of range, when the parameters have numbers. */
void ct_check_mech(builder *b)
{
    const struct mech *m = b->mech;
    const bool *bad = m ? ct_check_parts(b) : NULL;
    for (uint32_t i = 1; m && i < m->body.count; i++) {
        const ct_body *body = &m->body.at[i];
        const part *p = &m->body_part.at[i];
        if (bad[i] || body->flexible)
            continue;
        check_value(b, p, CT_KEY_MASS, body->mass, body->name, body->place);
        if (!m->spatial)
            check_value(b, p, CT_KEY_INERTIA, body->inertia[2], body->name, body->place);
    }
    for (uint32_t i = 0; m && i < m->beam.count; i++)
        if (!m->beam.at[i]->segment)
            check_beam(b, m->beam.at[i]);
    if (m)
        ct_check_cables(b), ct_check_held_shapes(b);
    for (uint32_t i = 0; m && i < m->joint.count; i++) {
        const ct_joint *j = &m->joint.at[i];
        const part *p = &m->joint_part.at[i];
        ct_check_chart(b, j);
        check_length(b, p, j);
        check_pins(b, p, j);
        if (ct_joint_types[j->kind].keys & (CT_KEYS_AXIS | (m->spatial ? CT_KEYS_TURN : 0)))
            check_axis(b, p, j);
    }
    if (m && m->spatial)
        ct_check_spatial(b, bad);
    if (m)
        ct_check_lines(b);
}
