/* load.c - vector forces and torques between frames. */
#include <string.h>

#include "model/mech.h"

void ct_compose_load(builder *b, const where *w, ct_node n, ct_name name, bool torque)
{
    struct mech *m = b->mech;
    ct_place place = ct_place_of(w->s, n);
    ct_expr zero = ct_expr_int(b->pool, 0);
    ct_vector_load load = {.name = ct_full_name(b, w->scope, name),
                           .torque = torque,
                           .value = {{zero, zero, zero}},
                           .axes = CT_GROUND_FRAME,
                           .place = place};
    CT_PUSH(b->arena, m->load, load);
    CT_PUSH(b->scratch, m->load_part, (part){*w, n, ENTRY_NEW});
    ct_add_thing(b, w->scope, name,
                 (thing){.kind = THING_LOAD, .index = m->load.count - 1, .place = place});
}

/* ---- keys */

static void report_key(builder *b, ct_place place, const ct_vector_load *load, const char *text)
{
    const char *word = load->torque ? "torque" : "force", *value = load->torque ? "T" : "F";
    ct_suggestion near = ct_suggest(text);
    ct_suggest_try(&near, value);
    ct_suggest_try(&near, "axes");
    ct_report *r = ct_error(b->ctx, "E204", place, "`%s` has no parameter `%s`", word, text);
    ct_note(r, "between frames it has %s, axes", value);
    if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    ct_witness(r, ct_name_text(b->ctx, load->name));
}

static void read_axes(builder *b, const where *w, ct_node expr, ct_vector_load *load)
{
    ct_name name;
    const char *word = ct_plain_name(w->s, expr, &name) ? ct_name_text(b->ctx, name) : "";
    if (strcmp(word, "head") == 0)
        load->axes = load->head;
    else if (strcmp(word, "tail") == 0)
        load->axes = load->tail;
    else if (strcmp(word, "ground") != 0) {
        ct_report *r = ct_error(b->ctx, "E228", ct_place_of(w->s, expr), "there are no such axes");
        ct_help(r, "write axes = ground, axes = head or axes = tail");
        ct_witness(r, ct_name_text(b->ctx, load->name));
    }
}

static void report_along(builder *b, const where *w, ct_node expr, const ct_vector_load *load)
{
    const char *name = ct_name_text(b->ctx, load->name);
    ct_report *r = ct_error(b->ctx, "E263", ct_place_of(w->s, expr),
                            "a %s between frames is a vector of %u components",
                            load->torque ? "torque" : "force", ct_vector_size(b));
    if (load->torque)
        ct_help(r, "write T = [Tx, Ty, Tz]");
    else
        ct_help(r, "write F = %s; along the line of the two frames acts %s : strut(tail, head)",
                b->mech->spatial ? "[Fx, Fy, Fz]" : "[Fx, Fy]", name);
    ct_witness(r, name);
}

static void read_force(builder *b, const where *w, ct_node expr, ct_vector_load *load)
{
    shaped v = ct_lower(b, w, expr);
    ct_place place = ct_place_of(w->s, expr);
    bool single = v.rows * v.cols == 1;
    bool number = load->torque && (!b->mech->spatial || single); /* about z */
    bool flat = b->mech->spatial && !load->torque && v.rows == 2;
    uint32_t size = number ? 1 : flat ? 2 : ct_vector_size(b), first = number ? 2 : 0;
    ct_dim dim = load->torque ? b->mech->torque_dim : b->mech->force_dim;
    if (ct_is_broken(v))
        return;
    if (number && (v.word || !single)) {
        ct_report *r = ct_error(b->ctx, "E263", place, "in the plane a torque is a number");
        ct_witness(r, ct_name_text(b->ctx, load->name));
        return;
    }
    if (v.word || v.rows != size || v.cols != 1) {
        report_along(b, w, expr, load);
        return;
    }
    for (uint32_t i = 0; i < size; i++)
        if (ct_demand_place(b, v.cell[i], ct_term_known(dim), place, load->torque ? "T" : "F"))
            load->value.c[first + i] = v.cell[i].expr;
}

static void read_keys(builder *b, const part *p, ct_vector_load *load)
{
    const where *w = &p->where;
    const char *wanted = load->torque ? "T" : "F";
    bool given = false, axes = false;
    for (ct_node key = ct_at(w->s, p->node)->first; key; key = ct_at(w->s, key)->next) {
        ct_name name;
        ct_node expr;
        if (ct_at(w->s, key)->kind != CT_NODE_KEY || !ct_plain_key(b, w, key, &name, &expr))
            continue;
        const char *text = ct_name_text(b->ctx, name);
        bool value = strcmp(text, wanted) == 0, is_axes = strcmp(text, "axes") == 0;
        if ((value && given) || (is_axes && axes))
            ct_report_twice(b, ct_place_of(w->s, key), text);
        else if (value)
            given = true, read_force(b, w, expr, load);
        else if (is_axes)
            axes = true, read_axes(b, w, expr, load);
        else
            report_key(b, ct_place_of(w->s, key), load, text);
    }
    if (!given) {
        const char *name = ct_name_text(b->ctx, load->name);
        ct_report *r =
            ct_error(b->ctx, "E206", load->place, "`%s` needs a value for `%s`", name, wanted);
        ct_help(r,
                b->mech->spatial ? "add %s = [x, y, z]"
                : load->torque   ? "add %s = ..."
                                 : "add %s = [Fx, Fy]",
                wanted);
        ct_witness(r, name);
    }
}

/* A torque on what a system stands on, which is the ground: nothing turns. */
static bool is_idle(const builder *b, const where *w, const ct_vector_load *load)
{
    const ct_frame *frame = b->mech->frame.at;
    return load->torque && w->scope != b->top && frame[load->tail].body == CT_GROUND_BODY &&
           frame[load->head].body == CT_GROUND_BODY;
}

void ct_resolve_load(builder *b, uint32_t index)
{
    struct mech *m = b->mech;
    if (m->load_part.at[index].state != ENTRY_NEW)
        return;
    m->load_part.at[index].state = ENTRY_BUSY;
    const part p = m->load_part.at[index];
    ct_vector_load load = m->load.at[index];
    size_t errors = ct_errors_raised(b->ctx);
    if (ct_two_ends(b, &p.where, p.node, load.name, &load.tail, &load.head) &&
        !is_idle(b, &p.where, &load))
        ct_apart(b, load.tail, load.head, load.name, load.place);
    if (ct_errors_raised(b->ctx) == errors)
        read_keys(b, &p, &load);
    m->load.at[index] = load;
    m->load_part.at[index].state = ENTRY_DONE;
}
