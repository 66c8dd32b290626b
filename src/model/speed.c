/* speed.c - speed constraints of the user: the reactions that they bring.
 *
 * `speed_constraint` holds c = a.u + b at zero, linear in speeds u of frames and joints, with a and
 * b of positions and time. Its reaction takes no power in motions that it allows: to each speed
 * belongs the load lambda dc/du [McPhee-2, section 4.5]. What is a force on a frame, a torque, or
 * acts on the freedom of a joint becomes a load as those that are written; rows and loads meet in
 * `reduce`.
 */
#include <string.h>

#include "model/mech.h"

typedef struct reaction {
    builder *b;
    const where *w;
    ct_component of;
    ct_expr speed, lambda;
    uint32_t first, count; /* loads in the list of vectors; of all */
} reaction;

static bool is_speed(ct_motion_kind kind)
{
    return kind == CT_MOTION_VELOCITY || kind == CT_MOTION_SPIN || kind == CT_MOTION_SPIN_OWN ||
           kind == CT_MOTION_TURN_SPEED || kind == CT_MOTION_SLIDE_SPEED ||
           kind == CT_MOTION_JOINT_SPIN;
}

static bool is_place(ct_motion_kind kind)
{
    return kind == CT_MOTION_POSITION || kind == CT_MOTION_ANGLE || kind == CT_MOTION_AXES ||
           kind == CT_MOTION_TURN || kind == CT_MOTION_SLIDE || kind == CT_MOTION_JOINT_AXES ||
           kind == CT_MOTION_LENGTH || kind == CT_MOTION_BEND;
}

static const ct_motion *motion_of(const builder *b, ct_name symbol)
{
    uint32_t known = ct_map_get(b->mech->motions, symbol);
    return known && known <= b->mech->motion.count ? &b->mech->motion.at[known - 1] : NULL;
}

/* ---- messages */

static void report_other(reaction *r, ct_name symbol)
{
    const char *name = ct_name_text(r->b->ctx, symbol);
    ct_report *e =
        ct_error(r->b->ctx, "E620", r->of.place,
                 "a speed constraint reads `%s`, which is neither place nor speed", name);
    ct_note(e, "it ties speeds v, w, omega of bodies, frames and joints, with factors of places, "
               "params and time");
    ct_help(e, "tie 1-D parts by gear, lever or transformer; let loads and accelerations be");
    ct_witness(e, ct_name_text(r->b->ctx, r->of.name));
}

static void report_curved(reaction *r, ct_name symbol)
{
    const char *name = ct_name_text(r->b->ctx, symbol);
    ct_report *e =
        ct_error(r->b->ctx, "E621", r->of.place, "a speed constraint is not linear in `%s`", name);
    ct_note(e, "its reaction is lambda times the factor of each speed, which must not hold speeds");
    ct_help(e, "write a sum of speeds with factors of places, params and time");
    ct_witness(e, ct_name_text(r->b->ctx, r->of.name));
}

static void report_none(reaction *r)
{
    ct_report *e = ct_error(r->b->ctx, "E622", r->of.place, "a speed constraint holds no speed");
    ct_help(e, "let it read v, w or omega of bodies, frames or joints");
    ct_witness(e, ct_name_text(r->b->ctx, r->of.name));
}

/* ---- what it may read */

static bool reads_known(reaction *r, ct_name symbol)
{
    const builder *b = r->b;
    const ct_motion *x = motion_of(b, symbol);
    return x ? is_speed(x->kind) || is_place(x->kind)
             : symbol == b->name_t || ct_map_get(&b->given, symbol) != 0;
}

/* Reports what a constraint cannot be made of. */
static bool check(reaction *r)
{
    ct_pool *pool = r->b->pool;
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(pool, r->speed, &symbol);
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        const ct_motion *x = motion_of(r->b, symbol[i]);
        if (!reads_known(r, symbol[i])) {
            report_other(r, symbol[i]);
            return false;
        }
        any |= x && is_speed(x->kind);
    }
    if (!any)
        report_none(r);
    return any;
}

static bool is_linear(reaction *r, ct_expr factor)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(r->b->pool, factor, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        const ct_motion *x = motion_of(r->b, symbol[i]);
        if (x && is_speed(x->kind)) {
            report_curved(r, symbol[i]);
            return false;
        }
    }
    return true;
}

/* ---- loads */

static ct_name load_name(reaction *r)
{
    const char *name = ct_name_text(r->b->ctx, r->of.name);
    return ct_intern_text(r->b->ctx, ct_printf(r->b->ctx, "%s.F%u", name, ++r->count));
}

static void add_vector(reaction *r, ct_vector_load wanted, uint32_t axis, ct_expr load)
{
    struct mech *m = r->b->mech;
    ct_expr zero = ct_expr_int(r->b->pool, 0);
    for (uint32_t i = r->first; i < m->load.count; i++) {
        ct_vector_load *l = &m->load.at[i];
        if (l->torque == wanted.torque && l->tail == wanted.tail && l->head == wanted.head &&
            l->axes == wanted.axes) {
            l->value.c[axis] = ct_expr_add(r->b->pool, l->value.c[axis], load);
            return;
        }
    }
    wanted.name = load_name(r);
    wanted.place = r->of.place;
    wanted.value = (ct_vec3){{zero, zero, zero}};
    wanted.value.c[axis] = load;
    CT_PUSH(r->b->arena, m->load, wanted);
    CT_PUSH(r->b->scratch, m->load_part, (part){*r->w, 0, ENTRY_DONE});
}

/* On the only turn or slide of a joint it acts by itself, on one of several beside elements. */
static void add_push(reaction *r, const ct_motion *x, ct_expr value)
{
    bool turn = x->kind == CT_MOTION_TURN_SPEED, deep = r->b->mech->spatial;
    uint32_t freedom = (turn ? CT_TURN : CT_SLIDE) + x->axis;
    ct_joint *j = &r->b->mech->joint.at[x->object];
    if ((turn ? ct_joint_turns(j->kind, deep) : ct_joint_slides(j->kind, deep)) > 1) {
        ct_push_freedom(r->b, r->w, x->object, freedom, load_name(r), value, r->of.place);
        return;
    }
    ct_expr *bound = &j->bound[freedom];
    *bound = *bound ? ct_expr_add(r->b->pool, *bound, value) : value;
}

/* The load that belongs to one speed. */
static void add_load(reaction *r, const ct_motion *x, ct_expr value)
{
    const uint32_t ground = CT_GROUND_FRAME;
    const ct_joint *j = x->kind == CT_MOTION_JOINT_SPIN ? &r->b->mech->joint.at[x->object] : NULL;
    ct_vector_load load = {
        .torque = x->kind != CT_MOTION_VELOCITY, .tail = ground, .head = x->object, .axes = ground};
    if (x->kind == CT_MOTION_TURN_SPEED || x->kind == CT_MOTION_SLIDE_SPEED) {
        add_push(r, x, value);
        return;
    }
    if (j)
        load.tail = j->tail, load.head = j->head;
    if (x->kind == CT_MOTION_SPIN_OWN || j)
        load.axes = load.head;
    add_vector(r, load, x->axis, value);
}

static void add_reaction(reaction *r)
{
    ct_pool *pool = r->b->pool;
    const ct_name *list;
    if (!check(r))
        return;
    uint32_t count = ct_expr_symbols(pool, r->speed, &list);
    ct_name *symbol = CT_NEW_ARRAY(r->b->scratch, ct_name, count + 1);
    memcpy(symbol, list, count * sizeof *symbol);
    for (uint32_t i = 0; i < count; i++) {
        const ct_motion *found = motion_of(r->b, symbol[i]);
        if (!found || !is_speed(found->kind))
            continue;
        ct_motion x = *found; /* lists grow */
        ct_expr factor = ct_expr_diff(pool, r->speed, symbol[i]);
        if (!is_linear(r, factor))
            return;
        add_load(r, &x, ct_expr_mul(pool, factor, r->lambda));
    }
    ct_speed_bound own = {r->of.name, ct_expr_name(pool, r->lambda), r->speed, r->of.place};
    CT_PUSH(r->b->arena, r->b->mech->speed, own);
}

void ct_constrain_speeds(builder *b)
{
    const ct_name word = ct_intern_text(b->ctx, "speed_constraint");
    uint32_t count = b->mech ? b->component.count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const ct_element *e = ct_element_of(b, i);
        if (e->name != word || e->broken || !e->param_count)
            continue;
        ct_component of = b->component.at[i];
        const where w = b->where.at[b->pending.at[i].where];
        ct_name lambda = ct_join_path(b, of.name, ct_intern_text(b->ctx, "lambda"));
        reaction r = {.b = b,
                      .w = &w,
                      .of = of,
                      .speed = b->param_value.at[of.value],
                      .lambda = ct_expr_symbol(b->pool, lambda),
                      .first = b->mech->load.count};
        if (r.speed)
            add_reaction(&r);
    }
}
