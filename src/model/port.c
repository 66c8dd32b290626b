/* port.c - 1-D components on joints and along lines between frames.
 *
 * A freedom of a joint, and the line of two frames, become a node of the scalar graph: a source
 * keeps it at the angle, slide or length that the mechanism has, and what flows through the source
 * is the load that the mechanism feels.
 */
#include <string.h>

#include "model/mech.h"

/* ---- what stands in the brackets */

static bool has_field(const ct_syntax *s, ct_node expr)
{
    const ct_syntax_node *ref = ct_at(s, expr);
    for (ct_node c = ref->first; c; c = ct_at(s, c)->next)
        if (ct_at(s, c)->kind == CT_NODE_FIELD)
            return true;
    return false;
}

static terminals_kind terminal_kind(builder *b, const where *w, ct_node expr)
{
    const scope *s;
    ct_name name;
    ct_node rest = 0;
    if (ct_at(w->s, expr)->kind != CT_NODE_REF)
        return TERMINALS_PLAIN;
    thing *t = ct_walk_path(b, w, expr, &s, &name, &rest);
    if (t && t->kind == THING_JOINT)
        return TERMINALS_JOINT;
    if (t && (t->kind == THING_BODY || t->kind == THING_FRAME))
        return TERMINALS_FRAMES;
    if (ct_tap_node(b, w, expr) != NO_NODE)
        return TERMINALS_PLAIN;
    return has_field(w->s, expr) ? TERMINALS_FRAMES : TERMINALS_PLAIN;
}

terminals_kind ct_terminals_kind(builder *b, const where *w, ct_node ports)
{
    terminals_kind kind = TERMINALS_PLAIN;
    if (!b->mech)
        return kind;
    for (ct_node t = ct_at(w->s, ports)->first; t; t = ct_at(w->s, t)->next) {
        terminals_kind k = terminal_kind(b, w, t);
        kind = k > kind ? k : kind;
    }
    return kind;
}

bool ct_is_mechanical(builder *b, const where *w, ct_node component)
{
    if (!b->mech)
        return false;
    for (ct_node p = ct_at(w->s, component)->first; p; p = ct_at(w->s, p)->next)
        if (ct_at(w->s, p)->kind == CT_NODE_PORTS && ct_terminals_kind(b, w, p) != TERMINALS_PLAIN)
            return true;
    return false;
}

/* ---- the port itself: a library source between ground and a node of its own */

/* A source between ground and a node. */
static void add_source(builder *b, const where *w, ct_name name, const ct_element *e, uint32_t node,
                       ct_expr value, ct_place place)
{
    ct_component c = {name, e->index, b->terminal_node.count, b->param_value.count, place};
    uint32_t datum = ct_datum_node(b, e->terminal[0].domain, place);
    CT_PUSH(b->arena, b->terminal_node, datum);
    CT_PUSH(b->arena, b->terminal_node, node);
    CT_PUSH(b->arena, b->param_value, value);
    CT_PUSH(b->arena, b->component, c);
    CT_PUSH(b->scratch, b->pending, (pending){ct_keep_where(b, w), 0});
    CT_PUSH(b->scratch, b->component_state, ENTRY_DONE);
}

static uint32_t add_port(builder *b, const where *w, ct_name name, const char *source,
                         ct_expr value, ct_place place)
{
    const ct_element *e = ct_plain_element(b, ct_library_definition(b, source));
    ct_model_node node = {.name = ct_join_path(b, name, ct_intern_text(b->ctx, "b")),
                          .domain = (uint8_t)e->terminal[0].domain,
                          .declared = true,
                          .place = place};
    CT_PUSH(b->arena, b->node, node);
    uint32_t index = b->node.count - 1;
    add_source(b, w, name, e, index, value, place);
    CT_PUSH(b->arena, b->component_flag, CT_COMPONENT_INSIDE | CT_COMPONENT_PORT);
    return index;
}

static ct_name port_name(builder *b, ct_name owner, const char *freedom)
{
    const char *text = ct_name_text(b->ctx, owner);
    return ct_intern_text(b->ctx, freedom ? ct_printf(b->ctx, "%s.%s.port", text, freedom)
                                          : ct_printf(b->ctx, "%s.port", text));
}

static ct_expr through(builder *b, ct_name port, const char *variable)
{
    return ct_expr_symbol(b->pool, ct_join_path(b, port, ct_intern_text(b->ctx, variable)));
}

/* `beta`, `s`; one of several: `q[2]`, `s[1]`. */
static const char *freedom_word(builder *b, const ct_joint *j, uint32_t freedom)
{
    bool turn = freedom < CT_SLIDE;
    uint32_t turns = ct_joint_turns(j->kind, b->mech->spatial);
    uint32_t slides = ct_joint_slides(j->kind, b->mech->spatial);
    if ((turn ? turns : slides) == 1)
        return turn ? "beta" : "s";
    return ct_printf(b->ctx, "%s[%u]", turn ? "q" : "s", freedom - (turn ? CT_TURN : CT_SLIDE) + 1);
}

static uint32_t freedom_node(builder *b, const where *w, uint32_t index, uint32_t freedom)
{
    struct mech *m = b->mech;
    ct_joint *j = &m->joint.at[index];
    uint32_t *node = &m->joint_nodes.at[index].of[freedom];
    if (!*node) {
        bool turn = freedom < CT_SLIDE;
        const char *word = freedom_word(b, j, freedom);
        bool several =
            ct_joint_turns(j->kind, m->spatial) + ct_joint_slides(j->kind, m->spatial) > 1;
        ct_name name = port_name(b, j->name, several ? word : NULL);
        ct_expr value = ct_motion_symbol(b, ct_join_path(b, j->name, ct_intern_text(b->ctx, word)),
                                         turn ? CT_MOTION_TURN : CT_MOTION_SLIDE, index,
                                         freedom - (turn ? CT_TURN : CT_SLIDE));
        *node =
            add_port(b, w, name, turn ? "angle_source" : "position_source", value, j->place) + 1;
        m->joint.at[index].load[freedom] = through(b, name, turn ? "T" : "F");
    }
    return *node - 1;
}

void ct_push_freedom(builder *b, const where *w, uint32_t joint, uint32_t freedom, ct_name name,
                     ct_expr value, ct_place place)
{
    const char *word = freedom < CT_SLIDE ? "torque" : "force";
    uint32_t node = freedom_node(b, w, joint, freedom);
    add_source(b, w, name, ct_plain_element(b, ct_library_definition(b, word)), node, value, place);
    CT_PUSH(b->arena, b->component_flag, CT_COMPONENT_INSIDE);
}

/* ---- components on joints */

static ct_report *report_joint(builder *b, const where *w, ct_node expr, const char *what,
                               ct_name component, ct_name joint)
{
    ct_report *r = ct_error(b->ctx, "E267", ct_place_of(w->s, expr), "%s", what);
    ct_witness(r, ct_name_text(b->ctx, component));
    ct_witness(r, ct_name_text(b->ctx, joint));
    return r;
}

/* `J2.s`, `J2.beta`, `J5.s[2]`, `J5.q[1]`: which freedom. False after a message. */
static bool named_freedom(builder *b, const where *w, ct_node rest, bool *turn, uint32_t *axis)
{
    ct_name name;
    int64_t value = 1;
    if (!ct_field_name(b, w, rest, &name))
        return false;
    const char *word = ct_name_text(b->ctx, name);
    bool several = strcmp(word, "q") == 0 || strcmp(word, "s") == 0;
    *turn = strcmp(word, "beta") == 0 || strcmp(word, "q") == 0;
    ct_node index = ct_at(w->s, rest)->next;
    bool plain = !index || (ct_at(w->s, index)->kind == CT_NODE_INDEX &&
                            !ct_at(w->s, index)->next && several);
    if (index && plain && !ct_lower_int(b, w, ct_at(w->s, index)->first, &value, "an index"))
        return false;
    *axis = (uint32_t)value - 1;
    if (plain && (*turn || several) && value >= 1 && value <= 3)
        return true;
    ct_report *r =
        ct_error(b->ctx, "E267", ct_place_of(w->s, rest),
                 "a freedom of a joint is `beta` or `s`; one of several `s[1]`, `q[1]`, ...");
    ct_witness(r, word);
    return false;
}

/* Does the element's port fit a joint at all? */
static bool port_fits(builder *b, const where *w, const ct_element *e, ct_node ports, uint32_t at,
                      uint32_t size, ct_name component, ct_name joint)
{
    ct_node first = ct_at(w->s, ports)->first;
    const char *type = ct_name_text(b->ctx, e->name), *j = ct_name_text(b->ctx, joint);
    uint32_t rotational = 0, translational = 0, domain = e->terminal[at].domain;
    ct_domain_find("rotational", &rotational);
    ct_domain_find("translational", &translational);
    ct_report *r;
    if (domain != rotational && domain != translational) {
        r = report_joint(
            b, w, first,
            ct_printf(b->ctx, "`%s` is a joint, but this port is %s", j,
                      domain == CT_SIGNAL_PORT ? "a signal" : ct_domain_row_at(domain)->name),
            component, joint);
        ct_help(r, "a joint stands for a rotational or translational port");
        return false;
    }
    if (size == 1) {
        r = report_joint(
            b, w, first,
            ct_printf(b->ctx, "`%s` moves against the ground: it cannot hold a joint", type),
            component, joint);
        ct_help(r, domain == rotational
                       ? "add it to the body's I; a geared rotor is an inertia behind a gear on "
                         "the joint"
                       : "add it to the body's m; between two moving points use an inerter");
        return false;
    }
    if (size != 2 || ct_at(w->s, first)->next) {
        r = report_joint(b, w, first, "a joint stands for both terminals of a port", component,
                         joint);
        ct_help(r, "write %s(%s), with the joint alone between the bars", type, j);
        return false;
    }
    return true;
}

/* The domain that the named freedom, or the only one, offers; CT_NO_DOMAIN: open. */
uint32_t ct_joint_domain(builder *b, const where *w, ct_node expr)
{
    const scope *s;
    ct_name name;
    ct_node rest = 0;
    uint32_t rotational = 0, translational = 0;
    thing *t = b->mech && ct_at(w->s, expr)->kind == CT_NODE_REF
                   ? ct_walk_path(b, w, expr, &s, &name, &rest)
                   : NULL;
    if (!t || t->kind != THING_JOINT)
        return CT_NO_DOMAIN;
    ct_domain_find("rotational", &rotational);
    ct_domain_find("translational", &translational);
    ct_joint_kind kind = b->mech->joint.at[t->index].kind;
    uint32_t turns = ct_joint_turns(kind, b->mech->spatial);
    if (rest && ct_field_name(b, w, rest, &name))
        return strcmp(ct_name_text(b->ctx, name), "beta") == 0 ||
                       strcmp(ct_name_text(b->ctx, name), "q") == 0
                   ? rotational
                   : translational;
    if (turns && ct_joint_slides(kind, b->mech->spatial))
        return CT_NO_DOMAIN;
    return turns ? rotational : translational;
}

static void report_missing_freedom(builder *b, const where *w, ct_node expr, bool turn,
                                   ct_name component, const ct_joint *j)
{
    const ct_joint_type *type = &ct_joint_types[j->kind];
    const char *name = ct_name_text(b->ctx, j->name);
    ct_report *r =
        report_joint(b, w, expr,
                     ct_printf(b->ctx, "`%s` is %s %s joint: it does not %s", name,
                               ct_article(type->word), type->word, turn ? "turn" : "slide"),
                     component, j->name);
    if (turn ? ct_joint_slides(j->kind, b->mech->spatial)
             : ct_joint_turns(j->kind, b->mech->spatial))
        ct_help(r, "it takes %s elements", turn ? "translational" : "rotational");
    else
        ct_help(r, "nothing is free there; act on another joint, or between frames");
}

static bool has_angles(builder *b, uint32_t joint)
{
    ct_resolve_joint(b, joint);
    return b->mech->joint.at[joint].angles;
}

static uint32_t joint_node(builder *b, const where *w, ct_node expr, uint32_t index, ct_node rest,
                           uint32_t domain, ct_name component)
{
    const ct_joint *j = &b->mech->joint.at[index];
    uint32_t rotational = 0, axis = 0;
    uint32_t turns = ct_joint_turns(j->kind, b->mech->spatial);
    uint32_t slides = ct_joint_slides(j->kind, b->mech->spatial);
    ct_domain_find("rotational", &rotational);
    bool turn = domain == rotational, named = turn;
    if (rest && !named_freedom(b, w, rest, &named, &axis))
        return NO_NODE;
    if (axis >= (turn ? turns : slides)) {
        report_missing_freedom(b, w, expr, turn, component, j);
        return NO_NODE;
    }
    if (rest && named != turn) {
        ct_report *r = report_joint(b, w, expr,
                                    ct_printf(b->ctx, "this freedom is %s, the port is %s",
                                              named ? "rotational" : "translational",
                                              ct_domain_row_at(domain)->name),
                                    component, j->name);
        ct_help(r, "write `%s.%s`", ct_name_text(b->ctx, j->name), turn ? "beta" : "s");
        return NO_NODE;
    }
    if ((turn ? turns : slides) > 1 && !rest) {
        const char *name = ct_name_text(b->ctx, j->name), *word = turn ? "q" : "s";
        ct_report *r = report_joint(b, w, expr,
                                    turn ? "this joint turns about several axes"
                                         : "this joint slides in several directions",
                                    component, j->name);
        ct_help(r, "write `%s.%s[1]` or `%s.%s[2]`", name, word, name, word);
        return NO_NODE;
    }
    if (turn && turns > 1 && !has_angles(b, index)) {
        ct_report *r =
            report_joint(b, w, expr, "the turn of this joint is a quaternion", component, j->name);
        ct_help(r, "add angles = zxz (or xyz, ...) to `%s`", ct_name_text(b->ctx, j->name));
        return NO_NODE;
    }
    return freedom_node(b, w, index, axis + (turn ? CT_TURN : CT_SLIDE));
}

static ct_node first_joint(builder *b, const where *w, ct_node ports)
{
    ct_node t = ct_at(w->s, ports)->first;
    while (terminal_kind(b, w, t) != TERMINALS_JOINT)
        t = ct_at(w->s, t)->next;
    return t;
}

static bool hold_joint(builder *b, const where *w, const ct_element *e, ct_node ports, uint32_t at,
                       uint32_t size, ct_name component, uint32_t *node)
{
    const scope *s;
    ct_name name;
    ct_node rest = 0, expr = first_joint(b, w, ports);
    uint32_t index = ct_walk_path(b, w, expr, &s, &name, &rest)->index;
    ct_name joint = b->mech->joint.at[index].name;
    if (!port_fits(b, w, e, ports, at, size, component, joint))
        return false;
    uint32_t domain = e->terminal[at].domain;
    node[1] = joint_node(b, w, expr, index, rest, domain, component);
    node[0] = node[1] == NO_NODE ? NO_NODE : ct_datum_node(b, domain, ct_place_of(w->s, expr));
    return node[1] != NO_NODE;
}

/* ---- components along lines */

static bool line_fits(builder *b, const where *w, const ct_element *e, ct_node ports, uint32_t at,
                      uint32_t size, ct_name component)
{
    ct_node first = ct_at(w->s, ports)->first, second = ct_at(w->s, first)->next;
    const char *type = ct_name_text(b->ctx, e->name);
    uint32_t translational = 0, domain = e->terminal[at].domain;
    ct_domain_find("translational", &translational);
    ct_report *r = NULL;
    if (domain != translational) {
        r = ct_error(b->ctx, "E268", ct_place_of(w->s, first),
                     "between frames act translational elements; this port is %s",
                     domain == CT_SIGNAL_PORT ? "a signal" : ct_domain_row_at(domain)->name);
        ct_help(r, "let a rotational element hold a joint, as in %s(J1)", type);
    } else if (size == 1) {
        r = ct_error(b->ctx, "E268", ct_place_of(w->s, first),
                     "`%s` belongs to the 1-D mechanics: it cannot hold a frame", type);
        ct_help(r, "add it to the body's m, or weld a particle to the frame");
    } else if (size != 2 || !second || ct_at(w->s, second)->next) {
        r = ct_error(b->ctx, "E268", ct_place_of(w->s, first), "a line has two ends");
        ct_help(r, "write %s(frame, frame)", type);
    }
    if (r)
        ct_witness(r, ct_name_text(b->ctx, component));
    return !r;
}

/* A node at the other end? It cannot be a frame. */
static bool no_node(builder *b, const where *w, ct_node expr, ct_name component)
{
    ct_name name;
    uint32_t node = ct_plain_name(w->s, expr, &name) ? ct_find_node(b, w->scope, name) : NO_NODE;
    bool frame = terminal_kind(b, w, expr) == TERMINALS_FRAMES || node == GROUND_NODE ||
                 ct_at(w->s, expr)->kind != CT_NODE_REF;
    if (frame)
        return true;
    ct_report *r = ct_error(b->ctx, "E268", ct_place_of(w->s, expr),
                            "one end is a frame, but `%.*s` is not", (int)ct_at(w->s, expr)->length,
                            ct_source_get(b->ctx, w->s->source)->text + ct_at(w->s, expr)->at);
    ct_help(r, "both ends must be frames (of bodies or the ground), or both nodes");
    ct_witness(r, ct_name_text(b->ctx, component));
    return false;
}

static bool hold_line(builder *b, const where *w, const ct_element *e, ct_node ports, uint32_t at,
                      uint32_t size, ct_name component, uint32_t *node)
{
    struct mech *m = b->mech;
    if (!line_fits(b, w, e, ports, at, size, component))
        return false;
    ct_node first = ct_at(w->s, ports)->first, second = ct_at(w->s, first)->next;
    if (!no_node(b, w, first, component) || !no_node(b, w, second, component))
        return false;
    ct_place place = ct_place_of(w->s, ports);
    ct_line line = {component, ct_frame_of(b, w, first), ct_frame_of(b, w, second), 0, place};
    if (line.tail == NO_FRAME || line.head == NO_FRAME ||
        !ct_apart(b, line.tail, line.head, component, place))
        return false;
    if (e->terminal[at].group)
        line.name = ct_join_path(b, component, e->terminal[at].name);
    ct_name name = port_name(b, line.name, NULL);
    ct_expr length = ct_motion_symbol(b, ct_join_path(b, name, ct_intern_text(b->ctx, "length")),
                                      CT_MOTION_LENGTH, m->line.count, 0);
    node[1] = add_port(b, w, name, "position_source", length, place);
    node[0] = ct_datum_node(b, e->terminal[at].domain, place);
    line.load = through(b, name, "F");
    CT_PUSH(b->arena, m->line, line);
    return true;
}

/* ---- components that have a port for what moves between two frames */

static bool frames_fit(builder *b, const where *w, const ct_element *e, uint32_t at, ct_node ports,
                       ct_name component)
{
    ct_node first = ct_at(w->s, ports)->first, second = first ? ct_at(w->s, first)->next : 0;
    const char *type = ct_name_text(b->ctx, e->name);
    ct_place place = ct_place_of(w->s, ports);
    ct_report *r = NULL;
    bool planar = e->terminal[at].spaces & CT_IN_PLANE;
    if (!b->mech || (!b->mech->spatial && !planar)) {
        r = ct_error(b->ctx, "E268", place, "`%s` lies between frames of bodies%s", type,
                     b->mech ? " in space" : "");
        ct_help(r, "write `space = %s` and declare bodies", planar ? "planar" : "spatial");
    } else if (!second || ct_at(w->s, second)->next) {
        r = ct_error(b->ctx, "E268", place, "`%s` lies between two frames", type);
        ct_help(r, "write %s(frame, frame)", type);
    }
    if (r)
        ct_witness(r, ct_name_text(b->ctx, component));
    return !r && no_node(b, w, first, component) && no_node(b, w, second, component);
}

enum { NO_AXIS = 3 };

static ct_vec3 unit_vector(builder *b, uint32_t along)
{
    ct_vec3 v;
    for (uint32_t i = 0; i < 3; i++)
        v.c[i] = ct_expr_int(b->pool, i == along);
    return v;
}

/* The way from tail to head is that of a joint which ties nothing; in space it turns about z of the
 * tail first.
 */
static bool hold_frames(builder *b, const where *w, const ct_element *e, ct_node ports, uint32_t at,
                        uint32_t size, ct_name component, uint32_t *node)
{
    static const uint32_t freedom[2][6] = {
        {CT_SLIDE, CT_SLIDE + 1, CT_TURN},
        {CT_SLIDE, CT_SLIDE + 1, CT_SLIDE + 2, CT_TURN, CT_TURN + 1, CT_TURN + 2}};
    static const uint8_t pins[2][3] = {{2, 1, 0}, {2, 0, 2}}; /* axes of turns in space */
    struct mech *m = b->mech;
    bool all = size == 12;
    if (!frames_fit(b, w, e, at, ports, component))
        return false;
    ct_node first = ct_at(w->s, ports)->first;
    ct_place place = ct_place_of(w->s, ports);
    ct_joint j = {.name = ct_join_path(b, component, ct_intern_text(b->ctx, "way")),
                  .kind = CT_JOINT_FREE,
                  .tail = ct_frame_of(b, w, first),
                  .head = ct_frame_of(b, w, ct_at(w->s, first)->next),
                  .axis = unit_vector(b, 0),
                  .angles = m->spatial,
                  .inside = true,
                  .place = place};
    if (j.tail == NO_FRAME || j.head == NO_FRAME || !ct_apart(b, j.tail, j.head, component, place))
        return false;
    for (uint32_t i = 0; i < 3; i++)
        j.pin[i] = unit_vector(b, m->spatial ? pins[all][i] : NO_AXIS);
    CT_PUSH(b->arena, m->joint, j);
    CT_PUSH(b->scratch, m->joint_part, (part){*w, 0, ENTRY_DONE});
    CT_PUSH(b->scratch, m->joint_nodes, (joint_nodes){0});
    for (uint32_t i = 0; i < size; i += 2) {
        node[i] = ct_datum_node(b, e->terminal[at + i].domain, place);
        node[i + 1] = freedom_node(b, w, m->joint.count - 1, freedom[all][i / 2]);
    }
    return true;
}

bool ct_connect_mechanical(builder *b, const where *w, const ct_element *e, ct_node ports,
                           uint32_t at, uint32_t size, ct_name component, uint32_t *node)
{
    if (e->terminal[at].frame)
        return hold_frames(b, w, e, ports, at, size, component, node);
    if (ct_terminals_kind(b, w, ports) == TERMINALS_JOINT)
        return hold_joint(b, w, e, ports, at, size, component, node);
    return hold_line(b, w, e, ports, at, size, component, node);
}

void ct_note_ports(const ct_model *m)
{
    for (uint32_t i = 0; m->mechanism && i < m->component_count; i++)
        if (m->component_flag[i] & CT_COMPONENT_PORT)
            ct_edge_variable(m, i, 0, 1);
}
