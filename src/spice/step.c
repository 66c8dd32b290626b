/* step.c - .step, and lists of values that .step and .dc go through.
 *
 * A run of .step is a tree of its own: the netlist is read again with the values of that run in
 * place of those in the text, so that everything that depends on them follows.
 */
#include <math.h>
#include <string.h>

#include "spice/reader.h"

enum { MOST_RUNS = 1000000, MOST_VALUES = 10000000 };

/* ---- values ------------------------------------------------------------------------------------
 */

typedef CT_VEC(double) double_list;

static void put(reader *r, double_list *list, double x)
{
    CT_PUSH(r->keep, *list, x);
}

static bool put_line(reader *r, token word, double from, double to, double by, double_list *list)
{
    double steps = to == from ? 0 : (to - from) / by;
    if (!(steps >= 0 && steps < MOST_VALUES))
        return ct_sp_wrong(r, word,
                           "the step leads from the first value to the last in 1e7 steps at most");
    double count = ct_whole_steps(steps);
    for (double i = 0; i <= count; i++)
        put(r, list, from + i * (to == from ? 0 : by));
    return true;
}

static bool put_powers(reader *r, token word, double base, const double *x, double_list *list)
{
    double count = log(x[1] / x[0]) / log(base) * x[2];
    if (!(x[0] > 0) || !(x[2] > 0) || !(count >= 0 && count < MOST_VALUES))
        return ct_sp_wrong(r, word,
                           "values of dec and oct are positive and rise, with points "
                           "between them");
    count = ct_whole_steps(count);
    for (double i = 0; i <= count; i++)
        put(r, list, x[0] * pow(base, i / x[2]));
    return true;
}

static const char *const scales[] = {"lin", "dec", "oct", "list"};
enum { LIN, DEC, OCT, LIST, NO_SCALE };

static int take_scale(reader *r, cursor *c)
{
    for (int i = 0; i < NO_SCALE; i++)
        if (ct_sp_is(r, c->token, scales[i])) {
            ct_sp_take(r, c);
            return i;
        }
    return NO_SCALE;
}

static bool read_values(reader *r, cursor *c, token word, int scale, double_list *list)
{
    double x[3];
    while (scale == LIST && !ct_sp_at_end(c)) {
        if (ct_sp_accept(r, c, ','))
            continue;
        if (!ct_sp_next_number(r, c, "a value", &x[0]))
            return false;
        put(r, list, x[0]);
    }
    if (scale == LIST)
        return list->count || ct_sp_wrong(r, word, "the list has no values");
    if (!ct_sp_next_number(r, c, "the first value", &x[0]) ||
        !ct_sp_next_number(r, c, "the last value", &x[1]) ||
        !ct_sp_next_number(r, c, scale >= DEC && scale < LIST ? "the number of points" : "the step",
                           &x[2]))
        return false;
    return scale == DEC   ? put_powers(r, word, 10, x, list)
           : scale == OCT ? put_powers(r, word, 2, x, list)
                          : put_line(r, word, x[0], x[1], x[2], list);
}

/* ---- what is changed --------------------------------------------------------------------------
 */

static bool report_unknown(reader *r, token name, uint32_t owner)
{
    ct_report *e = ct_sp_error(r, owner ? "E802" : "E803", ct_sp_place(r, name),
                               owner ? "`%s` cannot be stepped or swept"
                                     : "there is no source or parameter `%s`",
                               ct_sp_text(r, name));
    ct_note(e, "sources, R, C, L and parameters of the main circuit, and temp can");
    ct_witness(e, ct_sp_text(r, name));
    return false;
}

/* Beside a source of the same name `param` tells which is meant. */
static bool find_target(reader *r, token name, bool param, target *t)
{
    ct_name lower = ct_sp_lower(r, name);
    uint32_t owner = ct_sp_find_component(r, MAIN, lower);
    uint32_t v = ct_sp_get(&r->value, MAIN, lower);
    bool device = owner && strchr("virlc", r->thing.at[owner].letter) && !(param && v);
    if (device)
        *t = (target){.kind = STEP_DEVICE, .index = owner};
    else if (v && r->variable.at[v].decides) {
        ct_sp_error(r, "E802", ct_sp_place(r, name),
                    "what an .if reads cannot be stepped or swept");
        return false;
    } else if (v)
        *t = (target){.kind = STEP_PARAM, .index = v};
    else if (ct_sp_is(r, name, "temp") || ct_sp_is(r, name, "temper"))
        *t = (target){.kind = STEP_TEMPERATURE};
    else
        return report_unknown(r, name, owner);
    t->sweep.name = ct_printf(r->ctx, "%.*s", (int)name.length, r->text + name.at);
    return true;
}

bool ct_sp_read_sweep(reader *r, cursor *c, token word, target *t)
{
    int scale = take_scale(r, c);
    bool param = ct_sp_is(r, c->token, "param");
    double_list list = {0};
    if (param)
        ct_sp_take(r, c);
    token name = ct_sp_take(r, c);
    if (name.kind != TOKEN_WORD) {
        ct_sp_missing(r, c, "what is stepped");
        return false;
    }
    cursor ahead = *c; /* model(parameter), or with a type before it */
    if (ct_sp_take(r, &ahead).kind == TOKEN_MARK)
        ahead = *c;
    if (ahead.token.kind == TOKEN_MARK && ahead.token.mark == '(') {
        ct_sp_error(r, "E802", ct_sp_place(r, name),
                    "parameters of models cannot be stepped: make it a .param");
        return false;
    }
    ct_sp_accept(r, c, '=');
    if (!find_target(r, name, param, t))
        return false;
    int behind = take_scale(r, c);
    if (!read_values(r, c, word, behind == NO_SCALE ? scale : behind, &list))
        return false;
    t->sweep.value = list.at;
    t->sweep.count = list.count;
    return true;
}

void ct_sp_read_step(reader *r, cursor *c, token word)
{
    target t;
    if (!ct_sp_read_sweep(r, c, word, &t))
        return;
    ct_sp_rest(r, c);
    double runs = t.sweep.count;
    for (uint32_t i = 0; i < r->stepped.count; i++)
        runs *= r->stepped.at[i].sweep.count;
    if (runs > MOST_RUNS)
        ct_sp_wrong(r, word, "there are more than a million runs");
    else
        CT_PUSH(r->arena, r->stepped, t);
}

/* ---- runs --------------------------------------------------------------------------------------
 */

ct_sweep *ct_sp_list_steps(reader *r)
{
    ct_sweep *list = CT_NEW_ARRAY(r->keep, ct_sweep, r->stepped.count + 1);
    for (uint32_t i = 0; i < r->stepped.count; i++)
        list[i] = r->stepped.at[i].sweep;
    return list;
}

static void set_target(reader *r, const target *t, double x)
{
    variable *v = &r->variable.at[t->index];
    thing *d = &r->thing.at[t->index];
    if (t->kind == STEP_TEMPERATURE) {
        r->temperature = x;
    } else if (t->kind == STEP_PARAM) {
        v->stepped = v->known = v->seen = true;
        v->number = x;
    } else {
        d->stepped = true;
        d->number = x;
    }
}

/* The last one runs fastest. Numbers that depend on what changes are found anew. */
void ct_sp_apply_run(reader *r)
{
    for (uint32_t i = 0; i < r->variable.count; i++)
        r->variable.at[i].seen = r->variable.at[i].known = r->variable.at[i].stepped;
    uint64_t run = r->run, later = 1;
    for (uint32_t i = 0; i < r->stepped.count; i++)
        later *= r->stepped.at[i].sweep.count;
    for (uint32_t i = 0; i < r->stepped.count; i++) {
        const target t = r->stepped.at[i];
        later /= t.sweep.count;
        set_target(r, &t, t.sweep.value[run / later % t.sweep.count]);
    }
}
