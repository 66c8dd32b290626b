/* analysis.c - cards that say what is computed: .tran .ac .dc .op .tf .options .ic .nodeset. */
#include <math.h>
#include <string.h>

#include "spice/item.h"

ct_analysis_kind ct_sp_kind(const reader *r)
{
    if (r->wanted == CT_SPICE_USUAL)
        return CT_TRAN;
    return r->wanted < r->analysis.count ? r->analysis.at[r->wanted].kind : CT_OP;
}

/* ---- numbers -----------------------------------------------------------------------------------
 */

bool ct_sp_next_number(reader *r, cursor *c, const char *what, double *number)
{
    token t = c->token;
    if (ct_sp_at_end(c)) {
        ct_sp_missing(r, c, what);
        return false;
    }
    value v = ct_sp_value(r, c, what);
    return ct_sp_known(r, &v, ct_sp_place(r, t), what, number);
}

bool ct_sp_wrong(reader *r, token word, const char *what)
{
    ct_sp_error(r, "E224", ct_sp_place(r, word), "%s", what);
    return false;
}

/* ---- .tran tstep tstop [tstart [tmax]] [uic]
 *
 * `.tran tstop` alone, and a step of zero: rows as usual, and edges that are not given are short.
 */

enum { USUAL_ROWS = 500 };

static bool read_times(reader *r, cursor *c, ct_analysis *a, bool *uic)
{
    double time[4];
    int count = 0;
    while (!ct_sp_at_end(c)) {
        if (ct_sp_is(r, c->token, "uic")) {
            ct_sp_take(r, c);
            *uic = true;
        } else if (ct_sp_is(r, c->token, "startup") || ct_sp_is(r, c->token, "steady")) {
            ct_sp_ignored(r, ct_sp_take(r, c), "is not supported: the word is left out");
        } else if (count == 4) {
            ct_sp_rest(r, c);
            return false;
        } else if (!ct_sp_next_number(r, c, "a time", &time[count++])) {
            return false;
        }
    }
    if (!count) {
        ct_sp_missing(r, c, "the end");
        return false;
    }
    a->step = count > 1 ? time[0] : 0;
    a->stop = time[count > 1];
    a->start = count > 2 ? time[2] : 0;
    a->largest = count > 3 ? time[3] : NAN;
    return true;
}

static bool read_tran(reader *r, cursor *c, token word, ct_analysis *a)
{
    bool uic = false;
    a->kind = CT_TRAN;
    if (!read_times(r, c, a, &uic))
        return false;
    if (!(a->stop > 0) || !(a->start >= 0) || !(a->start < a->stop))
        return ct_sp_wrong(r, word, "a run ends after its beginning");
    if (!(a->step >= 0))
        return ct_sp_wrong(r, word, "the step of the rows must not be negative");
    bool automatic = a->step == 0;
    if (automatic)
        a->step = (a->stop - a->start) / USUAL_ROWS;
    if ((a->stop - a->start) / a->step > 1e8)
        return ct_sp_wrong(r, word, "the step is too small: a run has at most 100 million rows");
    bool mine = r->wanted == CT_SPICE_USUAL ? isnan(r->tstop) : r->wanted == r->analysis.count;
    if (!mine)
        return true;
    r->tstep = a->step;
    r->automatic = automatic;
    r->tstop = a->stop;
    r->step = a->largest > 0 ? a->largest : NAN;
    r->uic = uic;
    return true;
}

/* ---- .ac dec|oct|lin n from to
 * ------------------------------------------------------------------- */

static bool read_ac(reader *r, cursor *c, token word, ct_analysis *a)
{
    static const char *const scales[] = {"dec", "oct", "lin"};
    int scale = 0;
    while (scale < 3 && !ct_sp_is(r, c->token, scales[scale]))
        scale++;
    if (scale == 3)
        return !ct_sp_error(
            r, "E801", ct_sp_place(r, word),
            ".ac is written dec, oct or lin, then points, first and last frequency");
    ct_sp_take(r, c);
    a->kind = CT_AC;
    a->scale = (ct_ac_scale)scale;
    if (!ct_sp_next_number(r, c, "the number of points", &a->points) ||
        !ct_sp_next_number(r, c, "the first frequency", &a->from) ||
        !ct_sp_next_number(r, c, "the last frequency", &a->to))
        return false;
    ct_sp_rest(r, c);
    if (!(a->from > 0) || !(a->to >= a->from) || !(a->points >= 1 && a->points <= 1e6))
        return ct_sp_wrong(r, word,
                           "frequencies are positive and rise, and there are points between them");
    return true;
}

/* ---- .dc name from to by [name from to by]
 * ---------------------------------------------------------- */

/* Sources and params are swept within the model, other things by runs. */
static bool read_sweep(reader *r, cursor *c, token word, ct_analysis *a)
{
    target t;
    if (!ct_sp_read_sweep(r, c, word, &t))
        return false;
    bool source = t.kind == STEP_DEVICE && strchr("vi", r->thing.at[t.index].letter);
    if (t.kind != STEP_PARAM && !source) {
        CT_PUSH(r->arena, r->stepped, t);
        return true;
    }
    ct_name name = source ? r->thing.at[t.index].input : r->variable.at[t.index].name;
    t.sweep.name = ct_name_text(r->ctx, name);
    a->swept[a->swept_count++] = t.sweep;
    return true;
}

static bool read_dc(reader *r, cursor *c, token word, ct_analysis *a)
{
    a->kind = CT_DC;
    if (!read_sweep(r, c, word, a))
        return false;
    if (!ct_sp_at_end(c) && !read_sweep(r, c, word, a))
        return false;
    ct_sp_rest(r, c);
    return true;
}

/* ---- .options, .temp
 * -------------------------------------------------------------------------------- */

static void read_temperature(reader *r, token name, const value *v, double *to)
{
    double x;
    if (!ct_sp_known(r, v, ct_sp_place(r, name), "the temperature", &x))
        return;
    if (x > -273.15)
        *to = x;
    else
        ct_sp_wrong(r, name, "temperatures in degrees Celsius are above -273.15");
}

static void read_options(reader *r, cursor *c)
{
    token name;
    while (!ct_sp_at_end(c)) {
        if (ct_sp_accept(r, c, ','))
            continue;
        if (!ct_sp_assignment(r, c, &name)) {
            ct_sp_ignored(r, ct_sp_take(r, c), "has no effect here: the option is left out");
            continue;
        }
        token t = c->token;
        bool number = t.kind == TOKEN_EXPR || strchr("0123456789.+-", r->text[t.at]);
        value v = {0};
        if (number)
            v = ct_sp_value(r, c, "a value");
        else
            ct_sp_take(r, c);
        bool positive = v.known && v.number > 0;
        if (ct_sp_is(r, name, "reltol") && positive)
            r->reltol = v.number;
        else if (ct_sp_is(r, name, "vntol") && positive)
            r->vntol = v.number;
        else if (ct_sp_is(r, name, "temp"))
            read_temperature(r, name, &v, &r->temperature);
        else if (ct_sp_is(r, name, "tnom"))
            read_temperature(r, name, &v, &r->nominal);
        else
            ct_sp_ignored(r, name, "has no effect here: the option is left out");
    }
}

/* ---- .tf output source
 * ----------------------------------------------------------------------------- */

static bool read_tf(reader *r, cursor *c, ct_analysis *a)
{
    a->kind = CT_TF;
    item i = ct_sp_next_item(r, c);
    token source = ct_sp_take(r, c);
    uint32_t x =
        source.kind == TOKEN_WORD ? ct_sp_find_component(r, MAIN, ct_sp_lower(r, source)) : 0;
    if (!i.probe || !x || !strchr("vi", r->thing.at[x].letter)) {
        ct_sp_error(r, "E801", ct_sp_place(r, source),
                    ".tf is written v(a), v(a,b) or i(V2), then a source of the main circuit");
        return false;
    }
    ct_sp_rest(r, c);
    if (r->wanted == r->analysis.count)
        r->tf = (transfer){i.probe, i.a, i.b, source};
    return true;
}

/* ---- in order
 * ------------------------------------------------------------------------------------------ */

static bool is_one_of(const reader *r, token word, const char *a, const char *b, const char *c)
{
    return ct_sp_is(r, word, a) || ct_sp_is(r, word, b) || ct_sp_is(r, word, c);
}

static void add_analysis(reader *r, cursor *c, token word)
{
    ct_analysis a = {.kind = CT_OP, .runs = 1};
    bool good = true;
    uint32_t steps = r->stepped.count;
    if (ct_sp_is(r, word, ".tran"))
        good = read_tran(r, c, word, &a);
    else if (ct_sp_is(r, word, ".ac"))
        good = read_ac(r, c, word, &a);
    else if (ct_sp_is(r, word, ".dc"))
        good = read_dc(r, c, word, &a);
    else if (ct_sp_is(r, word, ".tf"))
        good = read_tf(r, c, &a);
    else
        ct_sp_rest(r, c);
    a.stepped = ct_sp_list_steps(r);
    a.stepped_count = r->stepped.count;
    for (uint32_t i = 0; i < a.stepped_count; i++)
        a.runs *= a.stepped[i].count;
    if (r->wanted == r->analysis.count && r->run != CT_SPICE_NO_RUN)
        ct_sp_apply_run(r);
    r->stepped.count = steps;
    if (good)
        CT_PUSH(r->arena, r->analysis, a);
}

static void each_control(reader *r, void (*read)(reader *r, cursor *c, token word))
{
    for (uint32_t i = 0; i < r->control.count; i++) {
        card k = r->card.at[r->control.at[i]];
        cursor c = ct_sp_start(r, k.at, k.end);
        token word = ct_sp_take(r, &c);
        read(r, &c, word);
    }
}

static void read_setting(reader *r, cursor *c, token word)
{
    if (is_one_of(r, word, ".options", ".option", ".opt"))
        read_options(r, c);
    if (ct_sp_is(r, word, ".temp")) {
        value v = ct_sp_value(r, c, "a temperature");
        read_temperature(r, word, &v, &r->temperature);
        if (!ct_sp_at_end(c))
            ct_sp_ignored(r, c->token, "is left out: .temp takes one temperature, .step several");
    }
    if (ct_sp_is(r, word, ".step"))
        ct_sp_read_step(r, c, word);
}

static void read_analysis(reader *r, cursor *c, token word)
{
    if (is_one_of(r, word, ".tran", ".ac", ".dc") || is_one_of(r, word, ".op", ".tf", ".tf"))
        add_analysis(r, c, word);
}

static void count_measure(reader *r, cursor *c, token word)
{
    ct_analysis_kind kind;
    if (!is_one_of(r, word, ".meas", ".measure", ".measure"))
        return;
    if (!ct_sp_is_measure_of(r, c, &kind)) {
        ct_sp_ignored(r, c->token, "has no rows here: this measure is left out");
        return;
    }
    for (uint32_t i = 0; i < r->analysis.count; i++)
        r->analysis.at[i].measure_count += r->analysis.at[i].kind == kind;
}

static void read_all(reader *r)
{
    r->analysis.count = r->stepped.count = 0;
    r->tstop = NAN;
    each_control(r, read_setting);
    each_control(r, read_analysis);
    if (!r->analysis.count && r->stepped.count) {
        cursor nothing = ct_sp_start(r, r->length, r->length);
        add_analysis(r, &nothing, (token){0});
    }
    each_control(r, count_measure);
}

/* Once more with the values of the run in place: times and lists may depend on them. */
void ct_sp_read_controls(reader *r)
{
    read_all(r);
    if (r->run != CT_SPICE_NO_RUN && r->wanted < r->analysis.count)
        read_all(r);
    r->in_time = ct_sp_kind(r) == CT_TRAN;
}

static void write_run(reader *r)
{
    children keys = {0};
    const struct {
        const char *key;
        double value;
        const char *unit;
    } rows[] = {{"stop", r->tstop, "s"},
                {"points", round(r->tstop / r->tstep), NULL},
                {"step", r->step, "s"},
                {"tol", r->reltol, NULL},
                {"atol", r->vntol, NULL}};
    const double given = 1e-300; /* 0 and NAN: by nobody */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value >= given)
            ct_sp_add(r, &keys,
                      ct_sp_key(r, rows[i].key, ct_sp_real(r, rows[i].value, rows[i].unit)));
    if (keys.first)
        ct_sp_emit(r, ct_sp_node(r, CT_NODE_SIMULATE, 0, keys.first));
}

static const char no_uic[] =
    "counts only with `uic` on the .tran card; the run starts at the operating point";

/* ic= of a device. */
void ct_sp_check_start(reader *r, token name)
{
    if (!r->uic && ct_sp_kind(r) == CT_TRAN)
        ct_sp_ignored(r, name, no_uic);
}

/* Of the analysis that the tree is for. */
static void read_measure(reader *r, cursor *c, token word)
{
    ct_analysis_kind kind;
    if (is_one_of(r, word, ".meas", ".measure", ".measure") && ct_sp_is_measure_of(r, c, &kind) &&
        kind == ct_sp_kind(r))
        ct_sp_read_measure(r, c);
}

void ct_sp_finish_controls(reader *r)
{
    number_list starts = {0};
    r->here = MAIN;
    for (uint32_t i = 0; i < r->control.count; i++) {
        card k = r->card.at[r->control.at[i]];
        cursor c = ct_sp_start(r, k.at, k.end);
        token word = ct_sp_take(r, &c);
        if (ct_sp_is(r, word, ".ic") && r->uic)
            CT_PUSH(r->arena, starts, r->control.at[i]);
        else if (ct_sp_is(r, word, ".ic") && ct_sp_kind(r) == CT_TRAN)
            ct_sp_hold_starts(r, &c);
        if (ct_sp_is(r, word, ".nodeset"))
            ct_sp_read_guesses(r, &c);
        if (ct_sp_kind(r) != CT_TF && (ct_sp_is(r, word, ".print") || ct_sp_is(r, word, ".plot") ||
                                       ct_sp_is(r, word, ".probe") || ct_sp_is(r, word, ".save")))
            ct_sp_read_outputs(r, &c);
    }
    ct_sp_read_starts(r, &starts);
    r->at = 0;
    r->width = 1;
    if (ct_sp_kind(r) == CT_TF)
        ct_sp_write_transfer(r);
    else if (!r->outputs.first || r->all_wanted)
        ct_sp_add_all_outputs(r);
    r->shown = r->output_count;
    if (r->wanted < r->analysis.count)
        each_control(r, read_measure);
    if (r->outputs.first)
        ct_sp_emit(r, ct_sp_node(r, CT_NODE_OUTPUT, 0, r->outputs.first));
    if (r->guesses.first)
        ct_sp_emit(r, ct_sp_node(r, CT_NODE_GUESS, 0, r->guesses.first));
    if (r->in_time && !r->uic) {
        ct_node rest = ct_sp_node(r, CT_NODE_INITIAL, 0, 0);
        r->node.at[rest].op = 1;
        ct_sp_emit(r, rest);
    } else if (r->in_time && r->starts.first) {
        ct_sp_emit(r, ct_sp_node(r, CT_NODE_INITIAL, 0, r->starts.first));
    }
    if (!isnan(r->tstop) && r->in_time)
        write_run(r);
}
