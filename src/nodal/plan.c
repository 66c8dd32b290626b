/* plan.c - coefficients of all components, by elements and their parameters. */
#include <math.h>
#include <string.h>

#include "nodal/law.h"

/* ---- values */

/* Reads parameters alone? A function such as min() may hide what it cannot see. */
static bool is_constant(net *n, ct_expr e)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(n->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t q = ct_map_get(n->model->quantity_by_name, symbol[i]);
        if (!q || n->model->quantity[q - 1].kind != CT_PARAM)
            return false;
    }
    return true;
}

bool ct_net_number(net *n, ct_expr e, double *value)
{
    if (ct_expr_is_number(n->pool, e)) {
        *value = ct_expr_to_double(n->pool, e);
        return isfinite(*value);
    }
    uint32_t known = ct_map_get(&n->known, e);
    if (!known) {
        ct_quantities params = {n->model, n->value};
        double v = is_constant(n, e) ? ct_expr_value(n->pool, e, ct_look_up, &params) : NAN;
        CT_PUSH(n->arena, n->known_value, v);
        ct_map_put(&n->known, e, known = n->known_value.count);
    }
    *value = n->known_value.at[known - 1];
    return isfinite(*value);
}

/* Inputs are replaced by what drives them, which may read inputs in turn. */
static ct_expr timed(net *n, ct_expr e, bool apart)
{
    enum { MOST_ROUNDS = 16 };
    for (int round = 0; round < MOST_ROUNDS && e; round++) {
        const ct_name *symbol;
        uint32_t count = ct_expr_symbols(n->pool, e, &symbol);
        name_list from = {0};
        expr_list to = {0};
        for (uint32_t i = 0; i < count; i++) {
            uint32_t q = ct_map_get(n->model->quantity_by_name, symbol[i]);
            const ct_quantity *at = q ? &n->model->quantity[q - 1] : NULL;
            if (symbol[i] == n->time || (at && at->kind == CT_PARAM))
                continue;
            if (!at || at->kind != CT_INPUT)
                return 0;
            if (apart)
                continue;
            CT_PUSH(n->scratch, from, symbol[i]);
            CT_PUSH(n->scratch, to, at->value ? at->value : ct_expr_int(n->pool, 0));
        }
        if (!from.count)
            return e;
        e = ct_expr_substitute(n->pool, e, from.at, to.at, from.count);
    }
    return 0;
}

ct_expr ct_net_timed(net *n, ct_expr e)
{
    return timed(n, e, n->apart);
}

ct_expr ct_net_driven(net *n, ct_expr e)
{
    return timed(n, e, false);
}

uint32_t ct_net_wave(net *n, ct_expr e)
{
    uint32_t known = ct_map_get(&n->wave_of, e);
    if (known)
        return known;
    CT_PUSH(n->arena, n->wave, e);
    ct_map_put(&n->wave_of, e, n->wave.count);
    return n->wave.count; /* u[0] is the number 1 */
}

/* ---- variants */

static uint64_t given_slots(const ct_model *m, uint32_t component)
{
    const ct_component *c = &m->component[component];
    uint32_t count = m->element[c->element]->slot_count;
    uint64_t given = 0;
    for (uint32_t i = 0; i < count; i++)
        given |= (uint64_t)(m->param_value[c->value + i] != 0) << i;
    return given;
}

/* Orders that a row may hold: across -1 to 1, others 0 and 1. */
static bool terms_fit(const ct_split *s, uint32_t equations)
{
    for (uint32_t i = 0; i < equations; i++)
        for (uint32_t k = 0; k < s->row[i].term_count; k++) {
            const ct_split_term *t = &s->row[i].term[k];
            bool position = t->edge != UINT32_MAX && t->across && t->order == -1;
            if (t->order > 1 || (t->order < 0 && !position))
                return false;
        }
    return true;
}

/* Defaults put in, until none is left; they form no circles. */
void ct_net_with_defaults(net *n, const variant *v, ct_expr *e, uint32_t count)
{
    const ct_element *el = v->element;
    name_list from = {0};
    expr_list to = {0};
    for (uint32_t k = 0; k < el->param_count; k++)
        if (!(v->given >> el->param[k].slot & 1) && el->param[k].fallback) {
            CT_PUSH(n->scratch, from, el->param[k].name);
            CT_PUSH(n->scratch, to, el->param[k].fallback);
        }
    ct_expr *next = CT_NEW_ARRAY(n->scratch, ct_expr, count + 1);
    for (uint32_t round = 0; from.count && round <= from.count; round++) {
        ct_expr_substitute_all(n->pool, e, next, count, from.at, to.at, from.count);
        if (memcmp(next, e, count * sizeof *e) == 0)
            break;
        memcpy(e, next, count * sizeof *e);
    }
}

static bool list_symbols(net *n, variant *v)
{
    const ct_element *e = v->element;
    ct_name *symbol = CT_NEW_ARRAY(n->arena, ct_name, e->param_count + 2);
    v->slot = CT_NEW_ARRAY(n->arena, uint32_t, e->param_count + 1);
    for (uint32_t k = 0; k < e->param_count; k++) {
        if (e->param[k].rows * e->param[k].cols != 1 || e->param[k].slot >= 64)
            return false;
        if (!(v->given >> e->param[k].slot & 1))
            continue;
        v->slot[v->symbol_count] = e->param[k].slot;
        symbol[v->symbol_count++] = e->param[k].name;
    }
    symbol[v->symbol_count] = n->time;
    v->symbol = symbol;
    return true;
}

/* All factors, then all rests; false: one is none, or a factor moves. */
static bool list_outputs(net *n, variant *v, expr_list *out)
{
    uint32_t equations = v->element->equation_count;
    for (uint32_t i = 0; i < equations; i++)
        for (uint32_t k = 0; k < v->split->row[i].term_count; k++)
            CT_PUSH(n->scratch, *out, v->split->row[i].term[k].factor);
    v->factor_count = out->count;
    for (uint32_t i = 0; i < equations; i++)
        CT_PUSH(n->scratch, *out, v->split->row[i].rest);
    ct_net_with_defaults(n, v, out->at, out->count);
    for (uint32_t i = 0; i < out->count; i++) {
        ct_expr e = out->at[i];
        bool timed = e && ct_expr_has(n->pool, e, n->time);
        if (!e || (timed && i < v->factor_count))
            return false;
        v->timed |= timed;
        for (uint32_t s = 0; s < v->symbol_count && i < v->factor_count; s++)
            if (ct_expr_has(n->pool, e, v->symbol[s]))
                v->in_factor |= (uint64_t)1 << v->slot[s];
    }
    v->rest = CT_NEW_ARRAY(n->arena, ct_expr, equations + 1);
    memcpy(v->rest, out->at + v->factor_count, equations * sizeof *v->rest);
    return true;
}

static bool compile(net *n, variant *v)
{
    expr_list out = {0};
    ct_expr stranger;
    if (!list_outputs(n, v, &out))
        return false;
    ct_program_def def = {.pool = n->pool,
                          .variable = v->symbol,
                          .variable_count = v->symbol_count + 1,
                          .output = out.at,
                          .output_count = out.count};
    v->program = ct_program_new(n->arena, &def, &stranger);
    if (!v->program)
        return false;
    v->work = CT_NEW_ARRAY(n->arena, double, ct_program_work(v->program) + 1);
    ct_program_prepare(v->program, NULL, v->work);
    return true;
}

static variant *make_variant(net *n, const ct_element *e, const ct_split *split, uint64_t given)
{
    variant *v = CT_NEW(n->arena, variant);
    *v = (variant){.element = e, .split = split, .given = given, .last = UINT32_MAX};
    if (e->slot_count > 64 || !list_symbols(n, v))
        return NULL;
    v->value = CT_NEW_ARRAY(n->arena, double, v->symbol_count + 1);
    if (split->plain && terms_fit(split, e->equation_count) && compile(n, v))
        return v;
    v->program = NULL;
    return n->lawful ? v : NULL;
}

static variant *find_variant(net *n, uint32_t component, variant **first)
{
    const ct_model *m = n->model;
    uint32_t index = m->component[component].element;
    const ct_element *e = m->element[index];
    uint64_t given = e->slot_count <= 64 ? given_slots(m, component) : 0;
    for (variant *v = first[index]; v; v = v->next)
        if (v->given == given)
            return v;
    const ct_split *split = first[index] ? first[index]->split : ct_split_element(m, e, n->arena);
    variant *v = make_variant(n, e, split, given);
    if (v) {
        v->next = first[index];
        first[index] = v;
    }
    return v;
}

/* ---- numbers of a component */

typedef struct sums {
    double position, across, across_rate, through, through_rate;
} sums;

static sums add_terms(const ct_split_row *row, const double *factor)
{
    sums s = {0};
    for (uint32_t k = 0; k < row->term_count; k++) {
        const ct_split_term *t = &row->term[k];
        double *to = !t->across      ? (t->order ? &s.through_rate : &s.through)
                     : t->order == 0 ? &s.across
                     : t->order < 0  ? &s.position
                                     : &s.across_rate;
        *to += factor[k];
    }
    return s;
}

/* One edge, one equation: which of the simple kinds it is. False: none. */
static bool simple_port(numbers *p, sums s)
{
    double rest = p->constant[0];
    bool moves = p->wave[0] != 0;
    if (s.position != 0) {
        if (s.across != 0 || s.across_rate != 0 || s.through_rate != 0 || s.through == 0 || moves)
            return false;
        p->kind = PORT_SPRING;
        p->k = -s.position / s.through;
        p->source = -rest / s.through;
        p->c = -1 / p->k;
        return true;
    }
    if (s.through_rate == 0 && s.through != 0) {
        p->kind = PORT_ADMITTANCE;
        p->g = -s.across / s.through;
        p->c = -s.across_rate / s.through;
        p->source = -rest / s.through;
        p->by = -1 / s.through;
        return true;
    }
    if (s.across == 0 || s.across_rate != 0)
        return false;
    p->kind = s.through_rate != 0 ? PORT_STORE : PORT_DRIVER;
    p->g = s.through / s.across;
    p->c = s.through_rate / s.across;
    p->by = p->kind == PORT_DRIVER ? -1 / s.across : 1 / s.across;
    p->source = rest * p->by;
    return true;
}

/* A rest that moves becomes a function of time. */
static bool take_rests(net *n, const variant *v, const ct_expr *given, uint64_t moving,
                       double *constant, uint32_t *wave)
{
    expr_list value = {0};
    for (uint32_t s = 0; s < v->symbol_count; s++)
        CT_PUSH(n->scratch, value, given[v->slot[s]]);
    for (uint32_t i = 0; i < v->element->equation_count; i++) {
        bool moves = v->timed && ct_expr_has(n->pool, v->rest[i], n->time);
        for (uint32_t s = 0; s < v->symbol_count && !moves; s++)
            moves = (moving >> v->slot[s] & 1) && ct_expr_has(n->pool, v->rest[i], v->symbol[s]);
        if (!moves)
            continue;
        ct_expr e = ct_expr_substitute(n->pool, v->rest[i], v->symbol, value.at, v->symbol_count);
        e = e ? ct_net_timed(n, e) : 0;
        if (!e)
            return false;
        constant[i] = 0;
        wave[i] = ct_net_wave(n, e);
    }
    return true;
}

/* Of given slots, in order; which of them move: these count as one. */
static uint64_t read_values(net *n, const variant *v, const ct_expr *given, double *value)
{
    uint64_t moving = 0;
    for (uint32_t s = 0; s < v->symbol_count; s++)
        if (!ct_net_number(n, given[v->slot[s]], &value[s])) {
            moving |= (uint64_t)1 << v->slot[s];
            value[s] = 1;
        }
    return moving;
}

/* Values of parameters, waves of those that move. */
static bool make_law_numbers(net *n, variant *v, const ct_expr *given, const double *value,
                             uint64_t moving, numbers *p)
{
    double *own = CT_NEW_ARRAY(n->arena, double, v->symbol_count + 1);
    uint32_t *wave = CT_NEW_ARRAY(n->arena, uint32_t, v->symbol_count + 1);
    memcpy(own, value, v->symbol_count * sizeof *own);
    for (uint32_t s = 0; s < v->symbol_count; s++) {
        if (!(moving >> v->slot[s] & 1))
            continue;
        ct_expr e = ct_net_timed(n, given[v->slot[s]]);
        if (!e)
            return false;
        wave[s] = ct_net_wave(n, e);
    }
    *p = (numbers){.v = v, .factor = own, .wave = wave, .kind = PORT_LAW};
    p->law = ct_law_of(n, v, moving);
    return p->law && (n->lawful >= CT_LAWFUL_ALL || p->law->limit_count || p->law->rate_count);
}

static bool make_linear_numbers(net *n, variant *v, const ct_expr *given, const double *value,
                                uint64_t moving, numbers *p)
{
    uint32_t equations = v->element->equation_count;
    if (moving & v->in_factor)
        return false;
    double *out = CT_NEW_ARRAY(n->arena, double, v->factor_count + equations + 1);
    uint32_t *wave = CT_NEW_ARRAY(n->arena, uint32_t, equations + 1);
    ct_program_run(v->program, value, out, v->work);
    *p = (numbers){
        .v = v, .factor = out, .constant = out + v->factor_count, .wave = wave, .kind = PORT_MANY};
    if (!take_rests(n, v, given, moving, out + v->factor_count, wave))
        return false;
    for (uint32_t i = 0; i < v->factor_count + equations; i++)
        if (!isfinite(out[i]))
            return false;
    const ct_element *e = v->element;
    if (e->edge_count == 1 && equations == 1 && e->var_count == 0)
        return simple_port(p, add_terms(&v->split->row[0], out));
    return true;
}

/* Values that are the same by other symbols give the same numbers, unless they are of functions of
 * time. */
static bool find_lately(variant *v, const double *value)
{
    uint32_t count = v->lately_count < CT_LATELY ? v->lately_count : CT_LATELY;
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(v->lately_value + i * v->symbol_count, value, v->symbol_count * sizeof *value) ==
            0) {
            v->last = v->lately[i];
            return true;
        }
    return false;
}

static void keep_lately(net *n, variant *v, const double *value)
{
    uint32_t i = v->lately_count++ % CT_LATELY;
    if (!v->lately_value)
        v->lately_value = CT_NEW_ARRAY(n->arena, double, CT_LATELY * v->symbol_count + 1);
    memcpy(v->lately_value + i * v->symbol_count, value, v->symbol_count * sizeof *value);
    v->lately[i] = v->last;
}

static bool make_numbers(net *n, variant *v, const ct_expr *given)
{
    numbers p;
    uint64_t moving = read_values(n, v, given, v->value);
    bool still = !moving && !v->timed;
    if (still && find_lately(v, v->value))
        return true;
    bool linear = v->program && make_linear_numbers(n, v, given, v->value, moving, &p);
    if (!linear && (!n->lawful || !make_law_numbers(n, v, given, v->value, moving, &p)))
        return false;
    CT_PUSH(n->arena, n->set, p);
    v->last = n->set.count - 1;
    if (still)
        keep_lately(n, v, v->value);
    return true;
}

static bool plan_component(net *n, uint32_t component, variant **first)
{
    const ct_model *m = n->model;
    variant *v = find_variant(n, component, first);
    if (!v)
        return false;
    const ct_expr *given = m->param_value + m->component[component].value;
    uint32_t slots = v->element->slot_count;
    bool same = v->last != UINT32_MAX && memcmp(v->last_given, given, slots * sizeof *given) == 0;
    if (!same && !make_numbers(n, v, given))
        return false;
    v->last_given = given;
    n->set_of[component] = v->last;
    n->law_count += n->set.at[v->last].kind == PORT_LAW;
    return true;
}

bool ct_net_plan(net *n)
{
    const ct_model *m = n->model;
    variant **first = CT_NEW_ARRAY(n->scratch, variant *, m->element_count + 1);
    n->set_of = CT_NEW_ARRAY(n->arena, uint32_t, m->component_count + 1);
    n->first_edge = CT_NEW_ARRAY(n->arena, uint32_t, m->component_count + 1);
    ct_map_init(&n->wave_of, n->arena);
    ct_map_init(&n->known, n->arena);
    uint32_t edge = 0;
    for (uint32_t c = 0; c < m->component_count; c++) {
        if (!plan_component(n, c, first))
            return false;
        n->first_edge[c] = edge;
        edge += m->element[m->component[c].element]->edge_count;
    }
    n->first_edge[m->component_count] = edge;
    return edge == n->graph->scalar_edge_count;
}
