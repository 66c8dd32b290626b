/* act_code.c - controllers in C: opening and calling the code of the user; blocks without value. */
#include <math.h>
#include <string.h>

#include "simulate/act.h"

static bool report_refused(const ct_machine *m, const ct_happening *h, const char *owner)
{
    ct_report *r = ct_error(m->ctx, "E560", h->code->place,
                            "`%s` is code in C, which may do anything: it is not run", owner);
    ct_help(r, "if you trust %s, run with --allow-native", h->code->source);
    ct_witness(r, owner);
    return false;
}

bool ct_code_open(const ct_rig *rig, uint32_t act, ct_foreign **code)
{
    const ct_machine *m = rig->machine;
    const ct_happening *h = m->driven->act[act].of;
    const char *owner = ct_name_text(m->ctx, h->owner);
    if (!m->ctx->def.allow_code)
        return report_refused(m, h, owner);
    ct_foreign_def def = {.source = h->code->source,
                          .function = h->code->function,
                          .inputs = h->code->inputs,
                          .outputs = h->code->outputs,
                          .states = h->code->states,
                          .inside = m->ctx->def.trust_code};
    ct_foreign_trouble trouble = {0};
    ct_foreign_close(*code);
    *code = ct_foreign_open(rig->arena, &def, &trouble);
    if (*code)
        return true;
    ct_report *r =
        ct_error(m->ctx, "E561", h->code->place, "controller `%s`: %s", owner, trouble.what);
    if (trouble.detail)
        ct_note(r, "%s", trouble.detail);
    ct_witness(r, owner);
    return false;
}

static const char *inputs_of(const ct_machine *m, const double *value, uint32_t count)
{
    ct_text text = ct_text_new(m->ctx->base);
    for (uint32_t i = 0; i < count && i < 8; i++)
        ct_putf(&text, "%s%.9g", i ? ", " : "", value[i]);
    ct_put(&text, count > 8 ? ", .." : "");
    return ct_text_string(&text);
}

typedef struct call {
    const ct_machine *machine;
    const ct_happening *of;
    double instant;
    const double *value;
} call;

static bool report_code(const call *c, const char *code, const char *what)
{
    const ct_machine *m = c->machine;
    const char *owner = ct_name_text(m->ctx, c->of->owner);
    ct_report *r = ct_error(m->ctx, code, c->of->code->place, "controller `%s` at t = %.9g s: %s",
                            owner, c->instant, what);
    ct_note(r, "its inputs were %s", inputs_of(m, c->value, c->of->code->inputs));
    ct_note(r, "the rows before are kept");
    if (strcmp(code, "E563") == 0)
        ct_help(r,
                "is it set in every case? What is read beyond inputs and states is no number, too");
    ct_witness(r, owner);
    return false;
}

bool ct_code_call(const ct_rig *rig, uint32_t act, ct_foreign *code, double instant, double *value)
{
    const ct_happening *h = rig->machine->driven->act[act].of;
    const ct_controller *c = h->code;
    call now = {rig->machine, h, instant, value};
    double *y = value + c->inputs;
    const char *problem = ct_foreign_call(code, instant, value, y);
    if (problem)
        return report_code(&now, "E562", problem);
    for (uint32_t i = 0; i < c->outputs; i++)
        if (!isfinite(y[i]))
            return report_code(&now, "E563",
                               ct_printf(rig->machine->ctx,
                                         isnan(y[i]) ? "output %u of `%s` is no number"
                                                     : "output %u of `%s` is infinite",
                                         (unsigned)i + 1, c->function));
    return true;
}

/* ---- blocks of the model */

typedef struct reader {
    const ct_rig *rig;
    ct_text text;
    uint32_t count;
} reader;

/* `C1.v = 0.51, u = nan`, the first few. */
static void list_read(void *user, ct_expr e)
{
    enum { MOST = 6 };
    reader *r = user;
    const ct_machine *m = r->rig->machine;
    if (ct_expr_kind_of(m->pool, e) != CT_EXPR_SYMBOL)
        return;
    ct_name name = ct_expr_name(m->pool, e);
    uint32_t z = ct_map_get(&m->z_index, name);
    if (!z || z > m->known || r->count++ >= MOST)
        return;
    const char *own = name == ct_tick_symbol(m->ctx) ? "t" : ct_name_text(m->ctx, name);
    ct_putf(&r->text, "%s%s = %.9g", r->count > 1 ? ", " : "", own, r->rig->variable[z - 1]);
}

bool ct_act_has_values(const ct_rig *rig, uint32_t act, double instant, const double *value)
{
    const ct_machine *m = rig->machine;
    const ct_act *a = &m->driven->act[act];
    for (uint32_t i = 0; i < a->set_count; i++) {
        if (!a->set[i].discrete || !isnan(value[i]))
            continue;
        reader read = {rig, ct_text_new(m->ctx->base), 0};
        const char *name = ct_name_text(m->ctx, ct_expr_name(m->pool, a->set[i].of->target));
        ct_expr_walk(m->pool, &a->set[i].value, 1, list_read, &read);
        ct_report *r = ct_error(m->ctx, "E596", a->set[i].of->place,
                                "`%s` has no value at t = %.9g s", name, instant);
        ct_note(r, "`%s` makes it no number", a->of->label);
        if (read.count)
            ct_note(r, "it was made of %s", ct_text_string(&read.text));
        ct_help(r, "look for the root or logarithm of something negative, and for a division of "
                   "zero by zero; the rows before are kept");
        ct_witness(r, name);
        return false;
    }
    return true;
}
