/* switch.c - cards S and W: switches that a voltage or a current controls.
 *
 * SW and CSW of SPICE switch at a threshold; VSWITCH and CSWITCH of PSpice go from ROFF to RON
 * smoothly while the control goes from VOFF to VON. Either type takes either set of parameters:
 * what is given decides. With hysteresis the switch remembers on which side it was.
 */
#include <math.h>

#include "spice/model.h"

const param_row ct_sp_switch_params[] = {
    {"ron", NULL, USE},  {"roff", NULL, USE},   {"vt", "it", USE}, {"vh", "ih", USE},
    {"von", "ion", USE}, {"voff", "ioff", USE}, {NULL, NULL, USE}};

static bool is_smooth(const writing *w)
{
    return ct_sp_has(w, "von") || ct_sp_has(w, "voff") ||
           (w->row->minus && !ct_sp_has(w, "vt") && !ct_sp_has(w, "vh"));
}

static ct_node times_unit(reader *r, ct_node n, const char *unit)
{
    return ct_sp_list(r, CT_NODE_PRODUCT, 0, (ct_node[]){n, ct_sp_real(r, 1, unit)}, 2);
}

/* (control - VOFF)/(VON - VOFF) */
static ct_node share(const writing *w, ct_node control, const char *unit, double usual)
{
    reader *r = w->r;
    ct_node off = times_unit(r, ct_sp_get_param(w, "voff", 0).node, unit);
    ct_node above = ct_sp_list(r, CT_NODE_SUM, 0, (ct_node[]){control, ct_sp_minus(r, off)}, 2);
    ct_node on = ct_sp_get_param(w, "von", usual).node;
    ct_node less = ct_sp_minus(r, ct_sp_get_param(w, "voff", 0).node);
    ct_node range = ct_sp_list(r, CT_NODE_SUM, 0, (ct_node[]){on, less}, 2);
    ct_node part[] = {above, ct_sp_node(r, CT_NODE_INV, 0, times_unit(r, range, unit))};
    return ct_sp_list(r, CT_NODE_PRODUCT, 0, part, 2);
}

static ct_node is_above(const writing *w, ct_node control, const char *unit)
{
    reader *r = w->r;
    ct_node both[] = {control, ct_sp_unit_of(r, ct_sp_get_param(w, "vt", 0), unit)};
    ct_node on = ct_sp_list(r, CT_NODE_COMPARE, 0, both, 2);
    r->node.at[on].op = CT_GREATER;
    return on;
}

/* (control - VT)/VH */
static ct_node excess(const writing *w, ct_node control, const char *unit)
{
    reader *r = w->r;
    ct_node vt = ct_sp_minus(r, times_unit(r, ct_sp_get_param(w, "vt", 0).node, unit));
    ct_node above = ct_sp_list(r, CT_NODE_SUM, 0, (ct_node[]){control, vt}, 2);
    ct_node half = times_unit(r, ct_sp_get_param(w, "vh", 0).node, unit);
    ct_node part[] = {above, ct_sp_node(r, CT_NODE_INV, 0, half)};
    return ct_sp_list(r, CT_NODE_PRODUCT, 0, part, 2);
}

/* Points of .dc do not know of each other. */
static void warn_of_sweep(reader *r, token model)
{
    if (ct_sp_kind(r) == CT_DC)
        ct_sp_ignored(r, model,
                      "has hysteresis: each point of .dc begins as the card says, not as "
                      "the point before it ended");
}

static void put_hysteresis(const writing *w, children *keys, ct_node control, const char *unit,
                           bool closed)
{
    reader *r = w->r;
    ct_sp_add(r, keys, ct_sp_key(r, "x", excess(w, control, unit)));
    ct_sp_put_key(w, keys, "START", closed ? 1 : -1, NULL);
}

static void put_ohms(const writing *w, children *keys, const char *key, const char *name,
                     double usual)
{
    value v = ct_sp_get_param(w, name, usual);
    ct_sp_add(w->r, keys, ct_sp_key(w->r, key, ct_sp_unit_of(w->r, v, "ohm")));
}

typedef enum law { SHARP, SMOOTH, LATCHING, NO_LAW } law;

static law law_of(const writing *w, token model)
{
    if (is_smooth(w))
        return SMOOTH;
    double width = ct_sp_number_of(w, "vh", 0);
    if (!ct_sp_counts(w, "vh"))
        return SHARP;
    if (!(width < 0))
        return LATCHING;
    ct_report *e = ct_sp_error(w->r, "E802", ct_sp_place(w->r, model),
                               "a negative hysteresis of a switch is not supported");
    ct_help(e, "use a model with VON and VOFF for a smooth one");
    return NO_LAW;
}

/* The type of the element, and its keys; NULL after reporting. */
static const char *write_keys(reader *r, token model, char letter, bool closed, ct_node control,
                              children *keys)
{
    static const char *const types[] = {"switch", "smooth_switch", "hysteresis_switch", NULL};
    uint32_t m = ct_sp_model_named(r, model, letter);
    if (!m) {
        ct_sp_report_model(r, model, letter);
        return NULL;
    }
    const writing w = ct_sp_open_model(r, m);
    const char *unit = letter == 's' ? "V" : "A";
    law kind = law_of(&w, model);
    if (kind == LATCHING) {
        warn_of_sweep(r, model);
        put_hysteresis(&w, keys, control, unit, closed);
    } else if (kind == SMOOTH) {
        const double volts = 1, amperes = 1e-3; /* usual widths of the change */
        double usual = letter == 's' ? volts : amperes;
        ct_sp_add(r, keys, ct_sp_key(r, "x", share(&w, control, unit, usual)));
    } else if (kind == SHARP) {
        ct_sp_add(r, keys, ct_sp_key(r, "on", is_above(&w, control, unit)));
    }
    put_ohms(&w, keys, "Ron", "ron", 1);
    put_ohms(&w, keys, "Roff", "roff", kind == SMOOTH ? 1e6 : 1e12);
    return types[kind];
}

void ct_sp_write_switch(reader *r, uint32_t index, cursor *c, char letter)
{
    ct_node terminal[2], control = 0;
    ct_place whole = {r->source, r->at, r->width};
    if (!ct_sp_nodes(r, c, terminal, 2))
        return;
    token a = ct_sp_take(r, c), b = letter == 's' ? ct_sp_take(r, c) : (token){0};
    token model = ct_sp_take(r, c);
    if (a.kind != TOKEN_WORD || (letter == 's' && b.kind != TOKEN_WORD) ||
        model.kind != TOKEN_WORD) {
        ct_sp_missing(r, c,
                      letter == 's' ? "a control node or the model" : "a source or the model");
        return;
    }
    ct_sp_here(r, whole);
    control = letter == 's' ? ct_sp_voltage(r, a, b) : ct_sp_current(r, a);
    if (!control)
        return;
    bool closed = ct_sp_is(r, c->token, "on");
    if (closed || ct_sp_is(r, c->token, "off"))
        ct_sp_take(r, c);
    ct_sp_rest(r, c);
    children keys = {0};
    ct_sp_here(r, whole);
    const char *type = write_keys(r, model, letter, closed, control, &keys);
    if (type)
        ct_sp_emit(r,
                   ct_sp_component(r, r->thing.at[index].name, type, terminal, 2, 2, keys.first));
}
