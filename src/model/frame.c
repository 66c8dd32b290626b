/* frame.c - what a terminal of a joint stands for: a frame of a body, of the ground, of a port. */
#include <string.h>

#include "model/mech.h"

static bool is_field(const where *w, ct_node n)
{
    return n && ct_at(w->s, n)->kind == CT_NODE_FIELD;
}

/* Follows a path into subsystems; *s is where `name` stands, *rest what follows it. */
thing *ct_walk_path(builder *b, const where *w, ct_node ref, const scope **s, ct_name *name,
                    ct_node *rest)
{
    *s = w->scope;
    *name = 0;
    if (!ct_ref_name(b, w, ref, name, rest))
        return NULL;
    thing *t = ct_find_thing(b, *s, *name);
    while (t && t->kind == THING_SYSTEM && is_field(w, *rest)) {
        *s = t->scope;
        if (!ct_field_name(b, w, *rest, name))
            return NULL;
        t = ct_find_thing(b, *s, *name);
        *rest = ct_at(w->s, *rest)->next;
    }
    return t;
}

/* ---- messages */

enum { MOST_TRIED = 2000 };

static void suggest_frames(builder *b, uint32_t body, ct_suggestion *near)
{
    const struct mech *m = b->mech;
    uint32_t first = body == CT_GROUND_BODY ? 1 : m->body.at[body].frame + 1;
    for (uint32_t i = first; i < m->frame.count && i < first + MOST_TRIED; i++) {
        if (m->frame.at[i].body == body)
            ct_suggest_try(near, ct_last_word(b, m->frame.at[i].name));
        else if (body != CT_GROUND_BODY)
            break; /* frames of a body stand together */
    }
}

/* Another body, or the ground, with a frame of that name; 0: none. */
static ct_name owner_of(builder *b, const scope *s, uint32_t body, ct_name name)
{
    const struct mech *m = b->mech;
    if (body != CT_GROUND_BODY)
        return ct_find_frame(b, s->id, name) == NO_FRAME ? 0 : b->name_ground;
    for (uint32_t i = 1; i < m->body.count && i < MOST_TRIED; i++)
        if (ct_find_frame(b, m->body_id.at[i], name) != NO_FRAME)
            return m->body.at[i].name;
    return 0;
}

static void report_frame(builder *b, const where *w, const scope *s, ct_node field, uint32_t body,
                         ct_name name)
{
    const char *text = ct_name_text(b->ctx, name);
    const char *owner = ct_name_text(b->ctx, b->mech->body.at[body].name);
    ct_suggestion near = ct_suggest(text);
    if (b->partial)
        return;
    suggest_frames(b, body, &near);
    ct_name other = owner_of(b, s, body, name);
    ct_report *r =
        ct_error(b->ctx, "E261", ct_place_of(w->s, field), "`%s` has no frame `%s`", owner, text);
    if (other)
        ct_help(r, "`%s` is a frame of `%s`: write `%s.%s`", text, ct_name_text(b->ctx, other),
                ct_name_text(b->ctx, other), text);
    else if (near.best)
        ct_help(r, "did you mean `%s.%s`?", owner, near.best);
    else if (body == CT_GROUND_BODY)
        ct_help(r, "declare it: ground { %s = %s }", text, ct_vector_text(b));
    else
        ct_help(r, "declare it behind the body: { %s = %s }", text, ct_vector_text(b));
    ct_witness(r, owner);
}

static const char *kind_of(builder *b, const scope *s, ct_name name, const thing *t)
{
    if (!t)
        return ct_find_node(b, s, name) < GROUND_NODE ? "a node" : NULL;
    return t->kind == THING_JOINT       ? "a joint"
           : t->kind == THING_LOAD      ? "a load"
           : t->kind == THING_COMPONENT ? "a component"
           : t->kind == THING_SYSTEM    ? "a subsystem"
                                        : NULL;
}

static void report_no_frame(builder *b, const where *w, ct_node expr, const scope *s, ct_name name,
                            const thing *t)
{
    const char *text = ct_name_text(b->ctx, name), *kind = kind_of(b, s, name, t);
    if (b->partial || (t && t->kind == THING_BROKEN))
        return;
    ct_suggestion near = ct_suggest(text);
    ct_report *r;
    if (kind)
        r = ct_error(b->ctx, "E261", ct_place_of(w->s, expr), "`%s` is %s, not a frame", text,
                     kind);
    else
        r = ct_error(b->ctx, "E261", ct_place_of(w->s, expr), "there is no body `%s`", text);
    if (!kind)
        ct_suggest_names(b, s, false, true, &near);
    if (!kind && ct_means_ground(text))
        near.best = "ground";
    if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    else
        ct_help(r, "a frame is a body, one of its frames as in `crank.A`, `ground` or `ground.A`");
    ct_witness(r, text);
}

/* ---- lookup */

static uint32_t named_frame(builder *b, const where *w, const scope *s, ct_node field,
                            uint32_t body, uint32_t id)
{
    ct_name name;
    if (!is_field(w, field) || ct_at(w->s, field)->next) {
        ct_node wrong = is_field(w, field) ? ct_at(w->s, field)->next : field;
        ct_report *r =
            ct_error(b->ctx, "E261", ct_place_of(w->s, wrong), "a frame has no parts of its own");
        ct_help(r, "a frame is a body, one of its frames as in `crank.A`, `ground` or `ground.A`");
        return NO_FRAME;
    }
    if (!ct_field_name(b, w, field, &name))
        return NO_FRAME;
    uint32_t frame = ct_find_frame(b, id, name);
    if (frame == NO_FRAME)
        report_frame(b, w, s, field, body, name);
    return frame;
}

/* One step: a frame, or the port that stands for one (*port). */
static uint32_t look_up(builder *b, const where *w, ct_node expr, frame_port **port)
{
    const scope *s;
    ct_name name = 0;
    ct_node rest = 0;
    if (ct_at(w->s, expr)->kind != CT_NODE_REF) {
        ct_report *r = ct_error(b->ctx, "E261", ct_place_of(w->s, expr), "this is not a frame");
        ct_help(r, "a frame is a body, one of its frames as in `crank.A`, `ground` or `ground.A`");
        return NO_FRAME;
    }
    thing *t = ct_walk_path(b, w, expr, &s, &name, &rest);
    if (!name)
        return NO_FRAME;
    if (!t && ct_find_node(b, s, name) == GROUND_NODE)
        return rest ? named_frame(b, w, s, rest, CT_GROUND_BODY, s->id) : CT_GROUND_FRAME;
    if (t && t->kind == THING_BODY)
        return rest ? named_frame(b, w, s, rest, t->index, b->mech->body_id.at[t->index])
                    : b->mech->body.at[t->index].frame;
    if (t && t->kind == THING_FRAME && !rest)
        return *port = &b->mech->port.at[t->index], (*port)->frame;
    report_no_frame(b, w, expr, s, name, t);
    return NO_FRAME;
}

static uint32_t report_circle(builder *b, const where *w, ct_node expr)
{
    ct_error(b->ctx, "E214", ct_place_of(w->s, expr), "this frame leads back to itself");
    return NO_FRAME;
}

/* Ports lead outwards, or to a neighbour whose port leads on: a chain, not a recursion. */
uint32_t ct_frame_of(builder *b, const where *w, ct_node expr)
{
    CT_VEC(frame_port *) chain = {0};
    uint32_t frame;
    for (;;) {
        frame_port *port = NULL;
        frame = look_up(b, w, expr, &port);
        if (!port || frame != NO_FRAME)
            break;
        if (port->busy) {
            frame = report_circle(b, w, expr);
            break;
        }
        port->busy = true;
        CT_PUSH(b->scratch, chain, port);
        w = &port->where;
        expr = port->expr;
    }
    for (uint32_t i = 0; i < chain.count; i++) {
        chain.at[i]->frame = frame;
        chain.at[i]->busy = false;
    }
    return frame;
}

/* ---- ports of subsystems */

void ct_bind_frame(builder *b, const where *w, ct_node expr, scope *inner, ct_name name,
                   ct_place place)
{
    CT_PUSH(b->scratch, b->mech->port, (frame_port){*w, expr, NO_FRAME, false});
    ct_add_thing(b, inner, name,
                 (thing){.kind = THING_FRAME, .index = b->mech->port.count - 1, .place = place});
}

/* Of a system that nothing uses: a body of its own. */
void ct_bind_open_frame(builder *b, scope *inner, ct_name name, ct_place place)
{
    uint32_t body = ct_add_body(b, ct_full_name(b, inner, name), false,
                                (part){.where = {.scope = inner}, .state = ENTRY_DONE});
    ct_add_thing(b, inner, name, (thing){.kind = THING_BODY, .index = body, .place = place});
}

/* ---- the two ends of a joint, load or line */

bool ct_apart(builder *b, uint32_t tail, uint32_t head, ct_name owner, ct_place place)
{
    const struct mech *m = b->mech;
    uint32_t body = m->frame.at[tail].body;
    if (body != m->frame.at[head].body)
        return true;
    const char *text = ct_name_text(b->ctx, owner);
    const char *name = ct_name_text(b->ctx, m->body.at[body].name);
    ct_report *r = ct_error(b->ctx, "E262", place, "both ends of `%s` belong to `%s`", text, name);
    ct_note(r, "`%s` and `%s` never move against each other",
            ct_name_text(b->ctx, m->frame.at[tail].name),
            ct_name_text(b->ctx, m->frame.at[head].name));
    ct_help(r, "connect frames of two bodies, or of a body and the ground");
    ct_witness(r, text);
    ct_witness(r, name);
    return false;
}

bool ct_two_ends(builder *b, const where *w, ct_node n, ct_name owner, uint32_t *tail,
                 uint32_t *head)
{
    ct_node ports = ct_child(w->s, n, CT_NODE_PORTS), first, second, next;
    first = ports ? ct_at(w->s, ports)->first : 0;
    second = first ? ct_at(w->s, first)->next : 0;
    next = ports ? ct_at(w->s, ports)->next : 0;
    bool groups = next && ct_at(w->s, next)->kind == CT_NODE_PORTS;
    if (!second || ct_at(w->s, second)->next || groups) {
        const char *type =
            ct_name_text(b->ctx, ct_at(w->s, ct_at(w->s, ct_at(w->s, n)->first)->next)->name);
        ct_report *r = ct_error(b->ctx, "E207", ct_place_of(w->s, n), "`%s` has 2 terminals", type);
        ct_help(r, "write %s(tail, head): two frames", type);
        ct_witness(r, ct_name_text(b->ctx, owner));
        return false;
    }
    *tail = ct_frame_of(b, w, first);
    *head = ct_frame_of(b, w, second);
    return *tail != NO_FRAME && *head != NO_FRAME;
}

bool ct_two_frames(builder *b, const where *w, ct_node n, ct_name owner, uint32_t *tail,
                   uint32_t *head)
{
    return ct_two_ends(b, w, n, owner, tail, head) &&
           ct_apart(b, *tail, *head, owner, ct_place_of(w->s, n));
}
