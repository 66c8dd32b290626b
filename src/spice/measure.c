/* measure.c - .meas cards.
 *
 * Curves of runs in time and of sweeps become outputs of the model, those of .ac formulas of its
 * outputs. What is measured is worked out from the rows (api/measure.c).
 */
#include <math.h>
#include <string.h>

#include "spice/item.h"

/* ---- words -------------------------------------------------------------------------------------
 */

static const struct kind_row {
    const char *word;
    ct_meas_kind kind;
} kinds[] = {{"trig", CT_MEAS_DISTANCE},    {"when", CT_MEAS_WHEN},
             {"find", CT_MEAS_FIND},        {"deriv", CT_MEAS_SLOPE},
             {"derivative", CT_MEAS_SLOPE}, {"max", CT_MEAS_MAX},
             {"min", CT_MEAS_MIN},          {"pp", CT_MEAS_PP},
             {"avg", CT_MEAS_AVG},          {"rms", CT_MEAS_RMS},
             {"integ", CT_MEAS_INTEG},      {"integral", CT_MEAS_INTEG},
             {"max_at", CT_MEAS_MAX_AT},    {"min_at", CT_MEAS_MIN_AT},
             {"param", CT_MEAS_PARAM}};

bool ct_sp_is_measure_of(reader *r, cursor *c, ct_analysis_kind *kind)
{
    static const char *const words[] = {"tran", "op", "dc", "ac"};
    *kind = r->analysis.count ? r->analysis.at[0].kind : CT_OP;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ct_sp_is(r, c->token, words[i])) {
            ct_sp_take(r, c);
            *kind = (ct_analysis_kind)i;
            return true;
        }
    return ct_sp_is(r, c->token, "noise") || ct_sp_is(r, c->token, "sp") ? false : true;
}

/* ---- curves ------------------------------------------------------------------------------------
 */

/* The next item as a formula of the rows; 0 after reporting. */
static ct_node read_curve(reader *r, cursor *c)
{
    item i = ct_sp_next_item(r, c);
    if (i.end <= i.at) {
        ct_sp_missing(r, c, "what is measured");
        return 0;
    }
    return ct_sp_curve(r, &i);
}

/* ---- .. = number, and words
 * -------------------------------------------------------------------------- */

static bool read_count(reader *r, cursor *c, int direction, ct_crossing *x)
{
    double n;
    x->direction = direction;
    if (ct_sp_is(r, c->token, "last")) {
        ct_sp_take(r, c);
        x->number = 0;
        return true;
    }
    if (!ct_sp_next_number(r, c, "which crossing", &n))
        return false;
    x->number = n >= 1 && n < 1e9 ? (int)n : 1;
    return true;
}

/* name=value or, as LTspice has it, name value; false: it is none of these, or wrong (*bad). */
static bool read_option(reader *r, cursor *c, ct_meas *m, ct_crossing *x, bool *bad)
{
    const struct {
        const char *word;
        double *to;
    } numbers[] = {
        {"td", x ? &x->td : NULL}, {"at", x ? &x->at : NULL}, {"from", &m->from}, {"to", &m->to}};
    static const char *const turns[] = {"fall", "cross", "rise"};
    cursor ahead = *c;
    token word = ct_sp_take(r, &ahead);
    ct_sp_accept(r, &ahead, '=');
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].to && ct_sp_is(r, word, numbers[i].word)) {
            *c = ahead;
            *bad |= !ct_sp_next_number(r, c, "a number", numbers[i].to);
            return true;
        }
    for (int i = 0; i < 3; i++)
        if (x && ct_sp_is(r, word, turns[i])) {
            *c = ahead;
            *bad |= !read_count(r, c, i - 1, x);
            return true;
        }
    if (!x || !ct_sp_is(r, word, "val"))
        return false;
    *c = ahead;
    x->other = read_curve(r, c);
    *bad |= !x->other;
    return true;
}

static bool read_options(reader *r, cursor *c, ct_meas *m, ct_crossing *x)
{
    bool bad = false;
    while (!bad && !ct_sp_at_end(c)) {
        if (ct_sp_accept(r, c, ',') || read_option(r, c, m, x, &bad))
            continue;
        return true;
    }
    return !bad;
}

/* curve=value [rise=n ..], curve val=value .., or at=place. */
static bool read_crossing(reader *r, cursor *c, ct_meas *m, ct_crossing *x)
{
    *x = (ct_crossing){.at = NAN, .td = NAN, .number = 1};
    if (!ct_sp_is(r, c->token, "at")) {
        x->curve = read_curve(r, c);
        if (!x->curve)
            return false;
        if (ct_sp_accept(r, c, '=')) {
            x->other = read_curve(r, c);
            if (!x->other)
                return false;
        }
    }
    return read_options(r, c, m, x);
}

static bool is_complete(reader *r, cursor *c, const ct_crossing *x)
{
    if (!isnan(x->at) || (x->curve && x->other))
        return true;
    ct_sp_missing(r, c, "the value that is crossed");
    return false;
}

/* ---- kinds -------------------------------------------------------------------------------------
 */

static bool read_distance(reader *r, cursor *c, ct_meas *m)
{
    if (!read_crossing(r, c, m, &m->trig) || !is_complete(r, c, &m->trig))
        return false;
    if (!ct_sp_is(r, c->token, "targ")) {
        ct_sp_missing(r, c, "`targ`");
        return false;
    }
    ct_sp_take(r, c);
    return read_crossing(r, c, m, &m->targ) && is_complete(r, c, &m->targ);
}

/* A curve, and where: at a place or when something happens; of the others from and to. */
static bool read_curve_and_place(reader *r, cursor *c, ct_meas *m)
{
    m->curve = read_curve(r, c);
    m->targ = (ct_crossing){.at = NAN, .td = NAN, .number = 1};
    if (!m->curve || !read_options(r, c, m, &m->targ))
        return false;
    if (!ct_sp_is(r, c->token, "when"))
        return true;
    ct_sp_take(r, c);
    return read_crossing(r, c, m, &m->targ) && is_complete(r, c, &m->targ);
}

static bool has_column(const reader *r, ct_node k)
{
    const ct_syntax_node *n = &r->node.at[k];
    if (n->kind == CT_NODE_REF && n->op == CT_FORMULA_COLUMN)
        return true;
    for (ct_node c = n->kind == CT_NODE_REF && n->op ? 0 : n->first; c; c = r->node.at[c].next)
        if (has_column(r, c))
            return true;
    return false;
}

/* The rest of the card: an expression of measures before it. */
static bool read_param(reader *r, cursor *c, ct_meas *m)
{
    ct_sp_accept(r, c, '=');
    token t = c->token;
    bool whole = t.kind == TOKEN_EXPR || t.kind == TOKEN_STRING;
    m->curve = ct_sp_formula(r, t.at, whole ? t.at + t.length : c->end);
    if (m->curve && has_column(r, m->curve)) {
        ct_report *e = ct_sp_error(r, "E802", ct_sp_place(r, t),
                                   "an expression of .meas reads other measures, not curves");
        ct_help(e, "measure the curve by FIND .. AT= first");
        return false;
    }
    *c = ct_sp_start(r, c->end, c->end);
    return m->curve != 0;
}

static bool read_kind(reader *r, cursor *c, ct_meas *m)
{
    token word = ct_sp_take(r, c);
    const struct kind_row *found = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        found = ct_sp_is(r, word, kinds[i].word) ? &kinds[i] : found;
    if (!found) {
        ct_report *e = ct_sp_error(r, "E802", ct_sp_place(r, word),
                                   "`%s` is no measure that is supported", ct_sp_text(r, word));
        ct_note(e, "trig, when, find, deriv, max, min, pp, avg, rms, integ, max_at, min_at, param");
        return false;
    }
    m->kind = found->kind;
    switch (m->kind) {
    case CT_MEAS_DISTANCE:
        return read_distance(r, c, m);
    case CT_MEAS_WHEN:
        return read_crossing(r, c, m, &m->targ) && is_complete(r, c, &m->targ);
    case CT_MEAS_PARAM:
        return read_param(r, c, m);
    default:
        return read_curve_and_place(r, c, m);
    }
}

void ct_sp_read_measure(reader *r, cursor *c)
{
    token name = ct_sp_take(r, c);
    if (name.kind != TOKEN_WORD && name.kind != TOKEN_STRING) {
        ct_sp_missing(r, c, "the name of the measure");
        return;
    }
    ct_meas m = {.from = NAN, .to = NAN, .place = ct_sp_place(r, name)};
    m.name = ct_printf(r->ctx, "%.*s", (int)name.length, r->text + name.at);
    ct_sp_here(r, m.place);
    if (!read_kind(r, c, &m))
        return;
    ct_sp_rest(r, c);
    CT_PUSH(r->arena, r->measure, m);
    ct_map_put(&r->measured, ct_sp_lower(r, name), r->measure.count);
}
