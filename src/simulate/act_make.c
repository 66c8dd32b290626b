/* act_make.c - what events of the model need: programs, and the states that they assign. */
#include "simulate/act.h"
#include "simulate/holding.h"

static bool report_no_state(const ct_machine *m, const ct_set *s)
{
    ct_text text = ct_text_new(m->ctx->base);
    ct_expr_put(m->pool, &text, s->of->target);
    const char *name = ct_text_string(&text);
    ct_report *r =
        ct_error(m->ctx, "E550", s->of->place, "`%s` is no state: an event cannot set it", name);
    ct_note(r, "what nothing stores follows from what is stored, and from sources");
    ct_help(r, "assign what stores: the voltage of a capacitor, the current of an inductor, the "
               "speed of a mass or joint; or let a source depend on a discrete");
    ct_witness(r, name);
    return false;
}

/* A place, which moves alone; speeds move with what they carry, by an impulse. */
static bool is_free(const ct_machine *m, uint32_t state)
{
    return !m->invariant_count || m->speed_state[state];
}

/* No impulse moves a speed that its loop locks: one of its constraints tells. */
static bool is_locked(const ct_machine *m, const ct_act *a, const ct_set *s)
{
    ct_name name = ct_expr_name(m->pool, s->variable);
    for (uint32_t i = 0; i < m->invariant_count; i++)
        if (m->speed_invariant[i] && ct_expr_has(m->pool, m->invariant[i], name)) {
            ct_report_held(m, a, s, i, "");
            return true;
        }
    return false;
}

/* Of a mechanism: impulses do not move it. */
static bool is_speed(const ct_machine *m, const ct_set *s)
{
    const ct_mechanism *mech = m->model->mechanism;
    uint32_t found =
        mech ? ct_map_get(mech->motion_by_name, ct_expr_name(m->pool, s->of->target)) : 0;
    ct_motion_kind kind = found ? mech->motion[found - 1].kind : CT_MOTION_KINDS;
    return kind == CT_MOTION_VELOCITY || kind == CT_MOTION_SPIN || kind == CT_MOTION_SPIN_OWN ||
           kind == CT_MOTION_TURN_SPEED || kind == CT_MOTION_SLIDE_SPEED ||
           kind == CT_MOTION_JOINT_SPIN;
}

static bool find_target(const ct_machine *m, const ct_act *a, const ct_set *s, uint32_t *index)
{
    bool symbol = ct_expr_kind_of(m->pool, s->variable) == CT_EXPR_SYMBOL;
    uint32_t z = symbol ? ct_map_get(&m->z_index, ct_expr_name(m->pool, s->variable)) : 0;
    *index = s->discrete ? s->discrete - 1 : s->push ? s->push - 1 : z - 1;
    bool free = z && z <= m->n && (s->of->renames || is_free(m, z - 1));
    if (s->discrete || s->push)
        return true;
    if (!free && is_speed(m, s)) {
        ct_report_held(m, a, s, UINT32_MAX, "");
        return false;
    }
    return free ? s->of->renames || !is_locked(m, a, s) : report_no_state(m, s);
}

static bool make_act(ct_machine *m, const ct_act *a, const ct_program **value,
                     const uint32_t **state)
{
    ct_expr_list list = {0};
    uint32_t *index = CT_NEW_ARRAY(m->arena, uint32_t, a->set_count + 1);
    for (uint32_t i = 0; i < a->set_count; i++) {
        CT_PUSH(m->arena, list, a->set[i].value);
        m->reads_forces |= ct_reads_pushes(m->driven, a->set[i].value);
        if (!find_target(m, a, &a->set[i], &index[i]))
            return false;
    }
    *value = ct_machine_program(m, list.at, list.count, m->forced);
    *state = index;
    return *value != NULL;
}

/* A quantity, its rate, and the sum of its terms and its slope by time: rounding errors go with
 * these. */
static void push_turn(const ct_machine *m, ct_expr e, ct_expr_list *turn)
{
    ct_expr sum = ct_expr_int(m->pool, 0);
    for (uint32_t i = 0; i < m->n; i++) {
        ct_expr own = ct_expr_symbol(m->pool, m->z[i]), slope = ct_partial(m, e, m->z[i]);
        if (ct_expr_is_zero(m->pool, slope))
            continue;
        own = ct_expr_mul(m->pool, slope, own);
        sum = ct_expr_add(m->pool, sum, ct_expr_call1(m->pool, CT_OP_ABS, own));
    }
    CT_PUSH(m->arena, *turn, e);
    CT_PUSH(m->arena, *turn, ct_rate_along(m, e, m->kept));
    CT_PUSH(m->arena, *turn, sum);
    CT_PUSH(m->arena, *turn, ct_partial(m, e, m->time));
}

/* Of conditions of acts that push. */
static bool make_turning(const ct_machine *m, ct_acts *acts)
{
    const ct_driven *d = m->driven;
    ct_expr_list turn = {0};
    CT_VEC(uint32_t) act = {0}, root = {0};
    for (uint32_t i = 0; i < d->act_count; i++) {
        bool pushes = false;
        for (uint32_t k = 0; k < d->act[i].set_count; k++)
            pushes |= d->act[i].set[k].push && !d->act[i].of->clock;
        for (uint32_t k = 0; pushes && k < m->events.root.count; k++) {
            if (!ct_expr_has(m->pool, d->act[i].condition, m->events.root.at[k].held))
                continue;
            push_turn(m, m->events.root.at[k].condition, &turn);
            CT_PUSH(m->arena, act, i);
            CT_PUSH(m->arena, root, k);
        }
    }
    acts->turning = ct_machine_program(m, turn.at, turn.count, m->forced);
    acts->turn_act = act.at;
    acts->turn_root = root.at;
    acts->turn_count = act.count;
    return acts->turning != NULL;
}

static bool make_pushes(const ct_machine *m, ct_acts *acts)
{
    const ct_driven *d = m->driven;
    ct_expr *variable = CT_NEW_ARRAY(m->arena, ct_expr, d->push_count + 1);
    for (uint32_t i = 0; i < d->act_count; i++)
        for (uint32_t k = 0; k < d->act[i].set_count; k++)
            if (d->act[i].set[k].push)
                variable[d->act[i].set[k].push - 1] = d->act[i].set[k].variable;
    acts->pushes = d->push_count ? ct_pushes_new(m, variable) : NULL;
    if (!acts->pushes && d->push_count)
        return false;
    if (acts->pushes && !make_turning(m, acts))
        return false;
    bool good;
    acts->contacts = ct_contacts_new(m, &good);
    return good;
}

/* ---- blocks that follow each other */

typedef struct reader {
    const ct_machine *machine;
    uint32_t first, last; /* of z */
    bool found;
} reader;

static void find_variable(void *user, ct_expr e)
{
    reader *r = user;
    const ct_machine *m = r->machine;
    if (ct_expr_kind_of(m->pool, e) != CT_EXPR_SYMBOL)
        return;
    uint32_t z = ct_map_get(&m->z_index, ct_expr_name(m->pool, e));
    r->found |= z > r->first && z <= r->last;
}

static bool reads(const ct_machine *m, const ct_expr *e, uint32_t count, uint32_t first,
                  uint32_t last)
{
    reader r = {m, first, last, false};
    ct_expr_walk(m->pool, e, count, find_variable, &r);
    return r.found;
}

/* Algebraic unknowns follow discretes at once; states do where storage jumps, and all does where
 * modes may change. */
static void find_followers(const ct_machine *m, ct_acts *acts)
{
    const ct_driven *d = m->driven;
    bool modal = m->model->watch_count;
    bool *sees = CT_NEW_ARRAY(m->arena, bool, d->act_count);
    bool *moves = CT_NEW_ARRAY(m->arena, bool, d->discrete_count + 1);
    uint32_t size = m->n + m->m;
    for (uint32_t i = 0; i < d->act_count; i++)
        for (uint32_t k = 0; k < d->act[i].set_count; k++)
            sees[i] |= modal || reads(m, &d->act[i].set[k].value, 1, m->jumps ? 0 : m->n, size);
    for (uint32_t i = 0; i < d->discrete_count; i++) {
        uint32_t own = size + 1 + i;
        moves[i] = m->jumps || reads(m, m->fg + m->n, m->m, own, own + 1) ||
                   reads(m, m->watch, m->model->watch_count, own, own + 1);
    }
    acts->sees = sees;
    acts->moves = moves;
}

bool ct_make_acts(ct_machine *m)
{
    const ct_driven *d = m->driven;
    ct_expr_list truth = {0}, clock = {0};
    if (!d->act_count)
        return true;
    ct_acts *acts = m->acts = CT_NEW(m->arena, ct_acts);
    const ct_program **value = CT_NEW_ARRAY(m->arena, const ct_program *, d->act_count);
    const uint32_t **state = CT_NEW_ARRAY(m->arena, const uint32_t *, d->act_count);
    for (uint32_t i = 0; i < d->act_count; i++) {
        const ct_act *a = &d->act[i];
        ct_expr offset = a->offset ? a->offset : ct_expr_int(m->pool, 0);
        if (!make_act(m, a, &value[i], &state[i]))
            return false;
        if (a->of->clock) {
            CT_PUSH(m->arena, clock, a->condition);
            CT_PUSH(m->arena, clock, offset);
        } else {
            CT_PUSH(m->arena, truth, a->condition);
        }
    }
    *acts = (ct_acts){.count = d->act_count,
                      .when_count = truth.count,
                      .truth = ct_machine_program(m, truth.at, truth.count, m->z_count),
                      .clock = ct_machine_program(m, clock.at, clock.count, 0),
                      .value = value,
                      .state = state};
    find_followers(m, acts);
    return acts->truth && acts->clock && make_pushes(m, acts);
}
