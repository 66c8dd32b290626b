/* probe.c - voltages and currents of the circuit, and values that stand on cards. */
#include <math.h>
#include <string.h>

#include "spice/reader.h"

/* ---- variables of the circuit ---------------------------------------------------------------- */

/* `x1.x2.name`: into the instances; the last part is left. */
static bool enter(reader *r, token *name, uint32_t *in, ct_node *ref)
{
    *in = r->here;
    *ref = 0;
    for (uint32_t i = 0; i < name->length; i++) {
        if (r->text[name->at + i] != '.')
            continue;
        token part = {TOKEN_WORD, 0, name->at, i};
        uint32_t t = ct_sp_find_component(r, *in, ct_sp_lower(r, part));
        if (!t || !r->thing.at[t].inside || r->scope.at[r->thing.at[t].inside].kind != SCOPE_SUBCKT)
            return false;
        ct_name own = r->thing.at[t].name;
        *ref = *ref ? ct_sp_field(r, *ref, ct_name_text(r->ctx, own)) : ct_sp_ref(r, own);
        *in = r->thing.at[t].inside;
        name->at += i + 1;
        name->length -= i + 1;
        i = UINT32_MAX;
    }
    return true;
}

static ct_node follow(reader *r, ct_node ref, ct_name name)
{
    return ref ? ct_sp_field(r, ref, ct_name_text(r->ctx, name)) : ct_sp_ref(r, name);
}

/* NAME.v; 0: ground, or after reporting (*bad). */
static ct_node potential(reader *r, token name, bool *bad)
{
    uint32_t in;
    ct_node ref;
    bool ground = false;
    token last = name;
    uint32_t wire = 0;
    if (enter(r, &last, &in, &ref))
        wire = ct_sp_find_wire(r, in, ct_sp_lower(r, last), &ground);
    if (wire)
        return ct_sp_field(r, follow(r, ref, r->thing.at[wire].name), "v");
    if (!ground && in == r->here && r->scope.at[in].state == STATE_BUSY && !ref && last.length) {
        wire = ct_sp_wire(r, in, last); /* perhaps a card further on connects it */
        return ct_sp_field(r, ct_sp_ref(r, r->thing.at[wire].name), "v");
    }
    if (!ground) {
        ct_report *e = ct_sp_error(r, "E211", ct_sp_place(r, name), "there is no node `%s`",
                                   ct_sp_text(r, name));
        ct_witness(e, ct_sp_text(r, name));
        *bad = true;
    }
    return 0;
}

ct_node ct_sp_voltage(reader *r, token a, token b)
{
    bool bad = false;
    ct_node plus = potential(r, a, &bad), minus = b.length ? potential(r, b, &bad) : 0;
    if (minus)
        minus = ct_sp_minus(r, minus);
    if (plus && minus)
        return ct_sp_sum(r, plus, minus);
    return plus ? plus : minus ? minus : bad ? 0 : ct_sp_real(r, 0, "V");
}

ct_node ct_sp_current(reader *r, token name)
{
    uint32_t in, t = 0;
    ct_node ref;
    token last = name;
    if (enter(r, &last, &in, &ref))
        t = ct_sp_find_component(r, in, ct_sp_lower(r, last));
    if (!t || !strchr("vrclihbefg", r->thing.at[t].letter)) {
        ct_report *e = ct_sp_error(r, t ? "E802" : "E211", ct_sp_place(r, name),
                                   t ? "the current of `%s` cannot be read" : "there is no `%s`",
                                   ct_sp_text(r, name));
        ct_help(e, "put a voltage source of 0 V in series and read its current");
        ct_witness(e, ct_sp_text(r, name));
        return 0;
    }
    const thing *x = &r->thing.at[t];
    if (x->group) {
        ref = follow(r, ref, x->group);
        return ct_sp_field(r, ct_sp_field(r, ref, ct_name_text(r->ctx, x->name)), "i");
    }
    ref = follow(r, ref, x->name);
    if (x->two_port)
        ref = ct_sp_field(r, ref, "e");
    return ct_sp_field(r, ref, "i");
}

/* ---- values on cards ------------------------------------------------------------------------- */

value ct_sp_value(reader *r, cursor *c, const char *what)
{
    token t = c->token;
    if (t.kind != TOKEN_WORD && t.kind != TOKEN_EXPR) {
        ct_sp_missing(r, c, what);
        *c = ct_sp_start(r, c->end, c->end); /* or who takes values until the end would not end */
        return ct_sp_plain(ct_sp_real(r, 0, NULL), 0);
    }
    ct_sp_take(r, c);
    value v = ct_sp_expression(r, t.at, t.at + t.length);
    return v;
}

/* Numbers of params of the main circuit. A long chain of params that are declared the wrong way
 * round stays unknown: nothing here may nest as deeply as the user likes. */
bool ct_sp_solve_variable(reader *r, uint32_t index, double *number)
{
    variable *v = &r->variable.at[index];
    v->decides |= r->deciding;
    if (v->is_extra) {
        uint32_t outer = ct_sp_get(&r->value, MAIN, v->lower);
        if (!outer || !v->global)
            return false;
        return ct_sp_solve_variable(r, outer, number);
    }
    if (!v->seen && !v->stepped && v->end && v->main && r->solving < DEEPEST) {
        uint32_t here_now = r->here, at = r->at, width = r->width;
        bool following = r->following;
        r->following = false;
        v->seen = true;
        r->solving++;
        r->here = MAIN;
        value x = ct_sp_expression(r, v->at, v->end);
        r->following = following;
        r->here = here_now;
        r->at = at;
        r->width = width;
        r->solving--;
        v = &r->variable.at[index];
        v->known = x.known;
        v->number = x.number;
    }
    *number = v->number;
    return v->known;
}

bool ct_sp_known(reader *r, const value *v, ct_place place, const char *what, double *number)
{
    *number = v->number;
    if (v->known && isfinite(v->number))
        return true;
    ct_report *e = ct_sp_error(r, "E215", place, "%s must be a number that is known early", what);
    ct_help(e, "use numbers and .param values");
    return false;
}
