/* varied.c - storage whose factor is varied from outside: `i = C dv/dt` with a C that moves.
 *
 * What is stored is then not kept: of a capacitor that is pulled apart the charge stays, and not
 * the voltage. Laws in that form are meant for constants, and for factors that depend on the own
 * variable (dq/dv). d(C v)/dt keeps it; where C jumps, C v is an unknown (formulate/rates.c).
 */
#include "model/build.h"

typedef struct seeker {
    const ct_model *m;
    uint32_t component;
    ct_name key;   /* stands for a value that could not be read */
    ct_name found; /* 0: nothing moves it */
    bool jumps;    /* it has a condition, or something moves it that may jump */
} seeker;

/* Of the component itself? */
static bool is_own(const seeker *s, ct_name name)
{
    uint32_t order;
    ct_symbol is = ct_symbol_of(s->m->symbols, ct_base_symbol(s->m->symbols, name, &order));
    return (is.kind == CT_SYMBOL_EDGE || is.kind == CT_SYMBOL_OWN) && is.owner == s->component;
}

static void seek_mover(void *user, ct_expr e)
{
    seeker *s = user;
    if (s->found || ct_expr_kind_of(s->m->pool, e) != CT_EXPR_SYMBOL)
        return;
    ct_name name = ct_expr_name(s->m->pool, e);
    uint32_t q = ct_map_get(s->m->quantity_by_name, name);
    if (q ? s->m->quantity[q - 1].kind != CT_PARAM : !is_own(s, name) && name != s->key)
        s->found = name;
}

static bool is_condition(ct_op op)
{
    return op == CT_OP_SIGN || op == CT_OP_FLOOR || op == CT_OP_STEP || op == CT_OP_PULSE ||
           (op >= CT_OP_LESS && op <= CT_OP_UNEQUAL);
}

/* An input may do anything; conditions on own variables are part of what is stored by these. */
static void seek_jump(void *user, ct_expr e)
{
    seeker *s = user;
    ct_pool *pool = s->m->pool;
    ct_expr_kind kind = ct_expr_kind_of(pool, e);
    const ct_name *symbol;
    uint32_t q =
        kind == CT_EXPR_SYMBOL ? ct_map_get(s->m->quantity_by_name, ct_expr_name(pool, e)) : 0;
    ct_quantity_kind is = q ? s->m->quantity[q - 1].kind : CT_PARAM;
    s->jumps |= is == CT_INPUT || (is == CT_DISCRETE && !s->m->quantity[q - 1].lag);
    if (s->jumps || kind != CT_EXPR_CALL || !is_condition(ct_expr_op(pool, e)))
        return;
    uint32_t count = ct_expr_symbols(pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        q = ct_map_get(s->m->quantity_by_name, symbol[i]);
        s->jumps |= q ? s->m->quantity[q - 1].kind != CT_PARAM : !is_own(s, symbol[i]);
    }
}

bool ct_jumps_from_outside(const ct_model *m, uint32_t component, ct_expr e)
{
    seeker s = {.m = m, .component = component};
    ct_expr_walk(m->pool, &e, 1, seek_jump, &s);
    return s.jumps;
}

/* Is the law of the only edge `one = p der(other)`? */
static bool is_factor(const ct_model *m, const ct_element *e, const ct_element_param *p)
{
    if (ct_expr_has(m->pool, e->equation[0].left, p->name))
        return false;
    ct_expr slope = ct_expr_diff(m->pool, e->equation[0].right, p->name);
    return slope && ct_expr_kind_of(m->pool, slope) == CT_EXPR_CALL &&
           ct_expr_op(m->pool, slope) == CT_OP_DER;
}

static void warn(const ct_model *m, uint32_t index, const ct_element_param *p, ct_name mover)
{
    const char *name = ct_name_text(m->ctx, m->component[index].name);
    const char *key = ct_name_text(m->ctx, p->name);
    ct_report *r = ct_warning(m->ctx, "W583", m->component[index].place,
                              "%s of `%s` moves with %s, and its law is not that of what is stored",
                              key, name, ct_name_text(m->ctx, mover));
    ct_note(r,
            "with a factor %s that changes from outside, %s times a rate does not keep charge, "
            "flux, volume or heat",
            key, key);
    ct_help(r,
            "take `variable_capacitor` or `variable_inductor`, or an element of your own with "
            "`der(%s*..)`",
            key);
    ct_witness(r, name);
}

void ct_warn_varied(const ct_model *m, uint32_t index)
{
    const ct_element *e = m->element[m->component[index].element];
    if (e->edge_count != 1 || e->equation_count != 1 || e->law_count)
        return;
    const ct_expr *slot = ct_component_params(m, index);
    for (uint32_t i = 0; i < e->param_count; i++) {
        const ct_element_param *p = &e->param[i];
        ct_expr value = p->rows * p->cols == 1 ? slot[p->slot] : 0;
        if (!value || ct_expr_is_number(m->pool, value))
            continue;
        seeker s = {.m = m, .component = index, .key = p->name};
        ct_expr_walk(m->pool, &value, 1, seek_mover, &s);
        if (s.found && is_factor(m, e, p))
            warn(m, index, p, s.found);
    }
}
