/* dump.c - equations as text, for golden tests and curious users. */
#include "equations/driven.h"

static void put_expr(const ct_equations *e, ct_text *out, const char *before, ct_expr x)
{
    ct_put(out, before);
    ct_expr_put_some(e->pool, out, x);
}

static void put_variables(const ct_equations *e, ct_variable_kind kind, const char *word,
                          ct_text *out)
{
    for (uint32_t i = 0; i < e->variable_count[kind]; i++) {
        const ct_variable *v = &e->variable[kind][i];
        ct_putf(out, "%s %s", word, v->name);
        if (*v->unit)
            ct_putf(out, " : %s", v->unit);
        if (v->value)
            put_expr(e, out, " = ", v->value);
        if (v->start)
            put_expr(e, out, ", starts at ", v->start);
        ct_put(out, "\n");
    }
}

static void put_rates(const ct_equations *e, ct_text *out)
{
    for (uint32_t i = 0; i < e->reduced->state_count; i++) {
        ct_putf(out, "rate of %s", e->variable[CT_VARIABLE_STATE][i].name);
        put_expr(e, out, " = ", e->reduced->rate[i]);
        ct_put(out, "\n");
    }
}

static void put_residuals(const ct_equations *e, ct_text *out)
{
    const ct_reduced *r = e->reduced;
    for (uint32_t i = 0; i < r->algebraic_count; i++) {
        put_expr(e, out, "0 = ", r->residual[i]);
        ct_put(out, "\n");
    }
    for (uint32_t i = 0; i < r->constraint_count; i++) {
        ct_putf(out, "dependent %s",
                ct_name_text(e->model->ctx, r->system->unknown[r->dependent[i]].name));
        put_expr(e, out, ": 0 = ", r->constraint[i]);
        ct_put(out, "\n");
    }
}

static void put_invariants(const ct_equations *e, ct_text *out)
{
    const ct_system *s = e->reduced->system;
    for (uint32_t i = 0; i < s->invariant_count; i++) {
        put_expr(e, out, s->invariant[i].speed ? "invariant speed 0 = " : "invariant place 0 = ",
                 s->invariant[i].expr);
        ct_put(out, "\n");
    }
}

/* Of equations that were derived to be read: as a run would list them. */
static const ct_driven *driven_of(const ct_equations *e)
{
    ct_driven *own = e->driven ? NULL : ct_driven_new(e);
    if (!own)
        return e->driven;
    ct_list_parameters(own, NULL, 0);
    ct_driven_close(own);
    return own;
}

void ct_equations_dump(const ct_equations *e, ct_text *out)
{
    const ct_driven *driven = driven_of(e);
    ct_putf(out, "form %s\n", ct_form_word(e->form));
    put_variables(e, CT_VARIABLE_PARAMETER, "parameter", out);
    put_variables(e, CT_VARIABLE_INPUT, "input", out);
    put_variables(e, CT_VARIABLE_STATE, "state", out);
    put_variables(e, CT_VARIABLE_ALGEBRAIC, "algebraic", out);
    put_rates(e, out);
    put_residuals(e, out);
    put_invariants(e, out);
    if (driven) {
        ct_events_dump(e->pool, &driven->events, out);
        ct_acts_dump(driven, out);
    }
    put_variables(e, CT_VARIABLE_OUTPUT, "output", out);
}

void ct_events_dump(ct_pool *pool, const ct_events *events, ct_text *out)
{
    static const char *const kinds[] = {"side", "kink", "break", "turns"};
    for (uint32_t i = 0; i < events->root.count; i++) {
        const ct_event *e = &events->root.at[i];
        ct_putf(out, "event %s, %s of ", kinds[e->kind], ct_op_word(e->op));
        ct_expr_put_some(pool, out, e->condition);
        ct_put(out, "\n");
    }
    for (uint32_t i = 0; i < events->moment.count; i++) {
        const ct_event *e = &events->moment.at[i];
        ct_putf(out, "event %s%s at t*(", kinds[e->kind], e->smooth ? ", smooth" : "");
        ct_expr_put_some(pool, out, e->condition);
        ct_put(out, ") + (");
        ct_expr_put_some(pool, out, e->offset);
        ct_put(out, e->kind == CT_EVENT_BREAK ? ") = 0\n" : ") = 0, 1, 2 ..\n");
    }
    for (uint32_t i = 0; i < events->swing.count; i++) {
        ct_put(out, "swings by ");
        ct_expr_put_some(pool, out, events->swing.at[i]);
        ct_put(out, " rad/s\n");
    }
}
