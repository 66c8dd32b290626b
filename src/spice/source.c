/* source.c - independent sources: DC, AC and functions of time.
 *
 * A source is an input of the model (a param when `.dc` sweeps it). Corners of PULSE and PWL are
 * points of tables, which runs meet exactly.
 */
#include <math.h>
#include <string.h>

#include "spice/reader.h"

enum { MOST_VALUES = 100000 };

typedef struct values {
    CT_VEC(value) list;
    CT_VEC(token) from; /* where they stand: to read them again */
    bool repeats;       /* of PWL: from a time of the list on, */
    double again;       /* this one; */
    double delay;       /* all times are so much later */
} values;

/* The i-th value once more, as new nodes; NAN-safe default when it is not given. */
static value get(reader *r, const values *v, uint32_t i, double usual)
{
    if (i >= v->list.count)
        return ct_sp_plain(ct_sp_real(r, usual, NULL), usual);
    token t = v->from.at[i];
    return ct_sp_expression(r, t.at, t.at + t.length);
}

static bool all_plain(const values *v)
{
    for (uint32_t i = 0; i < v->list.count; i++)
        if (!v->list.at[i].plain)
            return false;
    return true;
}

static bool all_known(const values *v)
{
    for (uint32_t i = 0; i < v->list.count; i++)
        if (!v->list.at[i].known)
            return false;
    return true;
}

static double at(const values *v, uint32_t i, double usual)
{
    return i < v->list.count ? v->list.at[i].number : usual;
}

/* Time as a number: bare where only numbers stand beside it. */
static ct_node now(reader *r, bool plain)
{
    ct_node t = ct_sp_word_ref(r, "t");
    return plain ? t : ct_sp_quotient(r, t, ct_sp_real(r, 1, "s"));
}

static ct_node since(reader *r, bool plain, value delay)
{
    if (delay.plain && delay.known && delay.number == 0)
        return now(r, plain);
    return ct_sp_sum(r, now(r, plain), ct_sp_minus(r, delay.node));
}

static ct_node list_of(reader *r, const ct_node *n, uint32_t count)
{
    return ct_sp_node(r, CT_NODE_MATRIX, 0, ct_sp_list(r, CT_NODE_ROW, 0, n, count));
}

static ct_node table(reader *r, ct_node x, const ct_node *xs, const ct_node *ys, uint32_t count)
{
    ct_node part[] = {x, list_of(r, xs, count), list_of(r, ys, count)};
    return ct_sp_call(r, "table", part, 3);
}

static ct_node if_before(reader *r, bool plain, value delay, ct_node early, ct_node late)
{
    ct_node both[] = {now(r, plain), delay.node};
    ct_node condition = ct_sp_list(r, CT_NODE_COMPARE, 0, both, 2);
    r->node.at[condition].op = CT_LESS;
    return ct_sp_list(r, CT_NODE_IF, 0, (ct_node[]){condition, early, late}, 3);
}

static ct_node minus(reader *r, ct_node a, ct_node b)
{
    return ct_sp_sum(r, a, ct_sp_minus(r, b));
}

static bool is_zero(value v)
{
    return v.known && v.plain && v.number == 0;
}

/* ---- PULSE(v1 v2 td tr tf pw per) --------------------------------------------------------------
 *
 * As in SPICE: a time that is zero or missing is the step (edges) or the end of the run (width,
 * period), and a pulse that is longer than its period is cut off by the next one.
 */

/* A time of the pulse; SPICE takes another one where it is zero. */
static value time_of(reader *r, const values *v, uint32_t i, double usual)
{
    bool given = i < v->list.count && !(v->list.at[i].known && !(v->list.at[i].number > 0));
    return given ? get(r, v, i, usual) : ct_sp_plain(ct_sp_real(r, usual, NULL), usual);
}

static double end_of(const reader *r)
{
    return isnan(r->tstop) ? 1e30 : r->tstop;
}

/* An edge that is not given: the step; without one a tenth of the pulse, and short in the run. */
static double usual_edge(const reader *r, const values *v)
{
    double width = at(v, 5, 0);
    if (!r->automatic)
        return r->tstep;
    return width > 0 ? fmin(width / 10, r->tstop / 1000) : r->tstop / 1000;
}

/* rise, rise + width, rise + width + fall, and a period more, so that what is later than the fall
 * is low however long the period: behind `from`, as numbers where they are known. */
static void put_edges(reader *r, const values *v, bool known, double from, ct_node *x)
{
    static const uint32_t order[] = {3, 5, 4, 6};
    const double edge = usual_edge(r, v), usual[] = {0, 0, 0, edge, edge, end_of(r), end_of(r)};
    for (uint32_t i = 0; i < 4; i++) {
        children sum = {0};
        for (uint32_t j = 0; j <= i && !known; j++)
            ct_sp_add(r, &sum, time_of(r, v, order[j], usual[order[j]]).node);
        from += known ? time_of(r, v, order[i], usual[order[i]]).number : 0;
        x[i] = known ? ct_sp_real(r, from, NULL)
               : i   ? ct_sp_node(r, CT_NODE_SUM, 0, sum.first)
                     : sum.first;
    }
}

/* A table over the time in a period; over time itself if there is no period. */
static ct_node pulse(reader *r, const values *v, bool plain, ct_place place)
{
    bool known = plain && all_known(v), once = known && !(at(v, 6, 0) > 0);
    double delay = once ? at(v, 2, 0) : 0;
    ct_node x[6] = {ct_sp_real(r, delay - 1, NULL), ct_sp_real(r, delay, NULL)}, y[6];
    (void)place;
    for (uint32_t i = 0; i < 6; i++)
        y[i] = get(r, v, i == 2 || i == 3, 0).node;
    put_edges(r, v, known, delay, x + 2);
    if (once)
        return table(r, now(r, true), x, y, 6);
    ct_node part[] = {since(r, plain, get(r, v, 2, 0)), time_of(r, v, 6, end_of(r)).node};
    ct_node late = table(r, ct_sp_call(r, "mod", part, 2), x + 1, y + 1, 5);
    if (is_zero(get(r, v, 2, 0)))
        return late;
    return if_before(r, plain, get(r, v, 2, 0), get(r, v, 0, 0).node, late);
}

/* ---- SIN, EXP, SFFM, PWL -----------------------------------------------------------------------
 */

static ct_node exponential(reader *r, ct_node x)
{
    return ct_sp_call(r, "exp", &x, 1);
}

static ct_node turns(reader *r, value frequency, ct_node t)
{
    ct_node part[] = {ct_sp_real(r, 2, NULL), ct_sp_word_ref(r, "pi"), frequency.node, t};
    return ct_sp_list(r, CT_NODE_PRODUCT, 0, part, 4);
}

/* phase in degrees */
static ct_node with_phase(reader *r, const values *v, uint32_t i, ct_node angle)
{
    value phase = get(r, v, i, 0);
    if (is_zero(phase))
        return angle;
    ct_node radians = ct_sp_quotient(r, ct_sp_product(r, phase.node, ct_sp_word_ref(r, "pi")),
                                     ct_sp_real(r, 180, NULL));
    return angle ? ct_sp_sum(r, angle, radians) : radians;
}

/* SIN(vo va freq td theta phase) */
static ct_node sine(reader *r, const values *v, bool plain, ct_place place)
{
    (void)place;
    double usual = isnan(r->tstop) ? 1 : 1 / r->tstop;
    value td = get(r, v, 3, 0), theta = get(r, v, 4, 0), phase = get(r, v, 5, 0);
    ct_node angle = turns(r, get(r, v, 2, usual), since(r, plain, td));
    angle = with_phase(r, v, 5, angle);
    ct_node wave =
        ct_sp_list(r, CT_NODE_PRODUCT, 0,
                   (ct_node[]){get(r, v, 1, 0).node, ct_sp_call(r, "sin", &angle, 1)}, 2);
    if (!is_zero(theta)) {
        ct_node x = ct_sp_minus(r, ct_sp_product(r, since(r, plain, get(r, v, 3, 0)), theta.node));
        wave = ct_sp_product(r, wave, exponential(r, x));
    }
    value offset = get(r, v, 0, 0);
    ct_node late = is_zero(offset) ? wave : ct_sp_sum(r, offset.node, wave);
    value delay = get(r, v, 3, 0);
    if (is_zero(delay))
        return late;
    ct_node early = get(r, v, 0, 0).node;
    if (!is_zero(phase)) {
        ct_node still = with_phase(r, v, 5, 0);
        early = ct_sp_sum(r, early,
                          ct_sp_product(r, get(r, v, 1, 0).node, ct_sp_call(r, "sin", &still, 1)));
    }
    return if_before(r, plain, delay, early, late);
}

/* (to - from)*(1 - exp(-(t - delay)/tau)) */
static ct_node approach(reader *r, const values *v, bool plain, uint32_t from, uint32_t to,
                        value delay, value tau)
{
    ct_node rest =
        exponential(r, ct_sp_minus(r, ct_sp_quotient(r, since(r, plain, delay), tau.node)));
    ct_node share = ct_sp_sum(r, ct_sp_real(r, 1, NULL), ct_sp_minus(r, rest));
    return ct_sp_product(r, minus(r, get(r, v, to, 0).node, get(r, v, from, 0).node), share);
}

static value second_delay(reader *r, const values *v)
{
    if (v->list.count > 4)
        return get(r, v, 4, 0);
    value first = get(r, v, 2, 0);
    first.node = ct_sp_sum(r, first.node, ct_sp_real(r, r->tstep, NULL));
    first.number += r->tstep;
    return first;
}

/* EXP(v1 v2 td1 tau1 td2 tau2) */
static ct_node exp_source(reader *r, const values *v, bool plain, ct_place place)
{
    (void)place;
    double step = r->tstep;
    ct_node late =
        ct_sp_list(r, CT_NODE_SUM, 0,
                   (ct_node[]){get(r, v, 0, 0).node,
                               approach(r, v, plain, 0, 1, get(r, v, 2, 0), get(r, v, 3, step)),
                               approach(r, v, plain, 1, 0, second_delay(r, v), get(r, v, 5, step))},
                   3);
    ct_node middle = ct_sp_sum(r, get(r, v, 0, 0).node,
                               approach(r, v, plain, 0, 1, get(r, v, 2, 0), get(r, v, 3, step)));
    ct_node inner = if_before(r, plain, second_delay(r, v), middle, late);
    return if_before(r, plain, get(r, v, 2, 0), get(r, v, 0, 0).node, inner);
}

/* SFFM(vo va fc mdi fs): vo + va sin(2 pi fc t + mdi sin(2 pi fs t)) */
static ct_node sffm(reader *r, const values *v, bool plain, ct_place place)
{
    (void)place;
    double usual = isnan(r->tstop) ? 1 : 1 / r->tstop;
    ct_node inner = turns(r, get(r, v, 4, usual), now(r, plain));
    ct_node swing = ct_sp_product(r, get(r, v, 3, 0).node, ct_sp_call(r, "sin", &inner, 1));
    ct_node angle = ct_sp_sum(r, turns(r, get(r, v, 2, usual), now(r, plain)), swing);
    ct_node wave =
        ct_sp_list(r, CT_NODE_PRODUCT, 0,
                   (ct_node[]){get(r, v, 1, 0).node, ct_sp_call(r, "sin", &angle, 1)}, 2);
    return ct_sp_sum(r, get(r, v, 0, 0).node, wave);
}

/* AM(va vo mf fc td): va (vo + sin(2 pi mf (t - td))) sin(2 pi fc (t - td)), zero before td */
static ct_node am(reader *r, const values *v, bool plain, ct_place place)
{
    (void)place;
    double usual = isnan(r->tstop) ? 1 : 1 / r->tstop;
    ct_node slow = turns(r, get(r, v, 2, usual), since(r, plain, get(r, v, 4, 0)));
    ct_node fast = turns(r, get(r, v, 3, 0), since(r, plain, get(r, v, 4, 0)));
    ct_node size[] = {get(r, v, 1, 0).node, ct_sp_call(r, "sin", &slow, 1)};
    ct_node part[] = {get(r, v, 0, 0).node, ct_sp_list(r, CT_NODE_SUM, 0, size, 2),
                      ct_sp_call(r, "sin", &fast, 1)};
    ct_node late = ct_sp_list(r, CT_NODE_PRODUCT, 0, part, 3);
    value delay = get(r, v, 4, 0);
    return is_zero(delay) ? late : if_before(r, plain, delay, ct_sp_real(r, 0, NULL), late);
}

/* Points from `first` on, their times later by `shift`, as a table over x: flat beyond its ends. */
static ct_node pwl_table(reader *r, const values *v, uint32_t first, double shift, ct_node over)
{
    uint32_t points = v->list.count / 2, count = 0;
    ct_node *x = CT_NEW_ARRAY(r->arena, ct_node, points + 2);
    ct_node *y = CT_NEW_ARRAY(r->arena, ct_node, points + 2);
    for (uint32_t i = first; i < points; i++) {
        double time = at(v, 2 * i, 0) + shift;
        if (i == first) {
            x[count] = ct_sp_real(r, time - 1, NULL);
            y[count++] = get(r, v, 2 * i + 1, 0).node;
        }
        x[count] = ct_sp_real(r, time, NULL);
        y[count++] = get(r, v, 2 * i + 1, 0).node;
    }
    x[count] = ct_sp_real(r, at(v, 2 * points - 2, 0) + shift + 1, NULL);
    y[count++] = get(r, v, 2 * points - 1, 0).node;
    return table(r, over, x, y, count);
}

/* What repeats stands over the time in a period, as in PULSE. */
static ct_node pwl_again(reader *r, const values *v, bool plain, ct_place place)
{
    uint32_t points = v->list.count / 2, first = 0;
    double period = at(v, 2 * points - 2, 0) - v->again, start = v->delay + v->again;
    while (first < points && at(v, 2 * first, 0) != v->again)
        first++;
    if (first >= points || !(period > 0)) {
        ct_sp_error(r, "E228", place, "`r` of PWL must be one of its times, before the last one");
        return ct_sp_real(r, 0, NULL);
    }
    value from = ct_sp_plain(ct_sp_real(r, start, NULL), start);
    ct_node part[] = {since(r, plain, from), ct_sp_real(r, period, NULL)};
    ct_node late = pwl_table(r, v, first, -v->again, ct_sp_call(r, "mod", part, 2));
    if (start == 0)
        return late;
    from.node = ct_sp_real(r, start, NULL);
    return if_before(r, plain, from, pwl_table(r, v, 0, v->delay, now(r, plain)), late);
}

/* PWL(t1 v1 t2 v2 ..) [r=..] [td=..] */
static ct_node pwl(reader *r, const values *v, bool plain, ct_place place)
{
    uint32_t points = v->list.count / 2;
    if (v->list.count % 2 || !points || !all_known(v)) {
        ct_sp_error(r, v->list.count % 2 || !points ? "E801" : "E215", place,
                    v->list.count % 2 || !points ? "PWL takes pairs of a time and a value"
                                                 : "times of PWL must be known early");
        return ct_sp_real(r, 0, NULL);
    }
    for (uint32_t i = 1; i < points; i++)
        if (at(v, 2 * i, 0) <= at(v, 2 * i - 2, 0)) {
            ct_sp_error(r, "E228", ct_sp_place(r, v->from.at[2 * i]), "times of PWL must rise");
            return ct_sp_real(r, 0, NULL);
        }
    return v->repeats ? pwl_again(r, v, plain, place) : pwl_table(r, v, 0, v->delay, now(r, plain));
}

static const struct wave_row {
    const char *name;
    uint32_t least, most; /* values */
    ct_node (*write)(reader *r, const values *v, bool plain, ct_place place);
    int start; /* which value it has at first; -1: zero */
} waves[] = {{"pulse", 2, 7, pulse, 0},    {"sin", 2, 6, sine, 0},
             {"sine", 2, 6, sine, 0}, /* as LTspice writes it */
             {"exp", 2, 6, exp_source, 0}, {"sffm", 2, 5, sffm, 0},
             {"am", 3, 5, am, -1},         {"pwl", 2, MOST_VALUES, pwl, 1}};

/* ---- cards -------------------------------------------------------------------------------------
 */

typedef struct drive {
    bool has_dc, has_ac;
    token dc, m; /* m: so many in parallel */
    value magnitude, phase;
    const struct wave_row *wave;
    values v;
    ct_place place;
} drive;

/* Rser=.. of LTspice; dc= and ac= are known. */
static bool is_key(const reader *r, cursor c)
{
    token name;
    return ct_sp_assignment(r, &c, &name) && !ct_sp_is(r, name, "dc") && !ct_sp_is(r, name, "ac");
}

static void read_wave(reader *r, cursor *c, drive *d, const struct wave_row *row)
{
    d->wave = row;
    d->place = ct_sp_place(r, ct_sp_take(r, c));
    bool bracket = ct_sp_accept(r, c, '(');
    while (c->token.kind == TOKEN_WORD || c->token.kind == TOKEN_EXPR ||
           (c->token.kind == TOKEN_MARK && c->token.mark == ',')) {
        if (ct_sp_accept(r, c, ','))
            continue;
        if (!bracket &&
            (ct_sp_is(r, c->token, "ac") || ct_sp_is(r, c->token, "dc") || is_key(r, *c)))
            break;
        token t = c->token;
        value x = ct_sp_value(r, c, "a value");
        CT_PUSH(r->arena, d->v.list, x);
        CT_PUSH(r->arena, d->v.from, t);
    }
    if (bracket && !ct_sp_accept(r, c, ')'))
        ct_sp_missing(r, c, "`)`");
    uint32_t count = d->v.list.count;
    if (count < row->least || count > row->most)
        ct_sp_error(r, "E801", d->place, "%s takes %u to %u values, not %u", row->name, row->least,
                    row->most, count);
}

static bool begins_value(const reader *r, const cursor *c)
{
    return c->token.kind == TOKEN_EXPR ||
           (c->token.kind == TOKEN_WORD && strchr("0123456789.+-", r->text[c->token.at]));
}

static void read_ac(reader *r, cursor *c, drive *d)
{
    d->has_ac = true;
    d->magnitude = d->phase = ct_sp_plain(0, 0);
    d->magnitude.number = 1;
    d->place = ct_sp_place(r, ct_sp_take(r, c));
    ct_sp_accept(r, c, '=');
    if (begins_value(r, c))
        d->magnitude = ct_sp_value(r, c, "the amplitude");
    if (begins_value(r, c))
        d->phase = ct_sp_value(r, c, "the phase");
}

/* r=.. or td=.. behind a PWL: true. As in SPICE, a negative r repeats nothing. */
static bool read_again(reader *r, cursor *c, drive *d)
{
    token name;
    bool delay = ct_sp_is(r, c->token, "td");
    if (!d->wave || d->wave->write != pwl || (!delay && !ct_sp_is(r, c->token, "r")))
        return false;
    cursor old = *c;
    if (!ct_sp_assignment(r, c, &name)) {
        *c = old;
        return false;
    }
    ct_place place = ct_sp_place(r, c->token);
    value x = ct_sp_value(r, c, "a time");
    double time = 0;
    if (!ct_sp_known(r, &x, place, delay ? "td of PWL" : "r of PWL", &time))
        return true;
    if (delay)
        d->v.delay = time;
    else
        d->v.again = time;
    d->v.repeats |= !delay && time >= 0;
    return true;
}

static void read_drive(reader *r, cursor *c, drive *d)
{
    while (!ct_sp_at_end(c)) {
        const struct wave_row *row = NULL;
        for (size_t i = 0; i < sizeof waves / sizeof *waves; i++)
            row = ct_sp_is(r, c->token, waves[i].name) ? &waves[i] : row;
        token name;
        if (ct_sp_is(r, c->token, "m") && ct_sp_assignment(r, c, &name)) {
            d->m = c->token;
            ct_sp_value(r, c, "a value");
        } else if (read_again(r, c, d)) {
            continue;
        } else if (!row && is_key(r, *c)) {
            ct_report *e =
                ct_sp_error(r, "E802", ct_sp_place(r, c->token),
                            "`%s` of a source is not supported", ct_sp_text(r, c->token));
            ct_help(e, "write what it stands for as a device of its own");
            return;
        } else if (row && !d->wave) {
            read_wave(r, c, d, row);
        } else if (ct_sp_is(r, c->token, "ac")) {
            read_ac(r, c, d);
        } else if (ct_sp_is(r, c->token, "dc")) {
            ct_sp_take(r, c);
            ct_sp_accept(r, c, '=');
        } else if (!d->has_dc && (c->token.kind == TOKEN_WORD || c->token.kind == TOKEN_EXPR)) {
            d->has_dc = true;
            d->dc = c->token;
            ct_sp_value(r, c, "a value");
        } else {
            ct_sp_error(r, "E801", ct_sp_place(r, c->token),
                        "this is no part of a source: DC, AC, PULSE, SIN, EXP, PWL, SFFM or AM");
            return;
        }
    }
}

static void add_phasor(reader *r, const drive *d, uint32_t index, const value *m)
{
    double size, degrees, many = 1;
    if (!ct_sp_known(r, &d->magnitude, d->place, "the amplitude", &size) ||
        !ct_sp_known(r, &d->phase, d->place, "the phase", &degrees))
        return;
    if (m && !ct_sp_known(r, m, d->place, "m", &many))
        return;
    size *= many;
    double angle = degrees * 3.14159265358979323846 / 180;
    ct_phasor p = {ct_name_text(r->ctx, r->thing.at[index].input), size * cos(angle),
                   size * sin(angle)};
    CT_PUSH(r->arena, r->scope.at[r->here].phasor, p);
}

/* What the source does in this analysis. */
static value value_of(reader *r, const drive *d, const thing *t)
{
    if (t->stepped && d->wave && r->in_time)
        ct_sp_ignored(r, (token){TOKEN_WORD, 0, t->place.at, t->place.length},
                      "has a waveform: steps of its DC value have no effect in time");
    else if (t->stepped)
        return ct_sp_plain(ct_sp_real(r, t->number, NULL), t->number);
    bool bad = d->wave && (d->v.list.count < d->wave->least || d->v.list.count > d->wave->most);
    if (bad)
        return ct_sp_plain(ct_sp_real(r, 0, NULL), 0);
    bool plain = all_plain(&d->v);
    if (d->wave && r->in_time)
        return (value){.node = d->wave->write(r, &d->v, plain, d->place), .plain = plain};
    if (d->has_dc)
        return ct_sp_expression(r, d->dc.at, d->dc.at + d->dc.length);
    return d->wave && d->wave->start >= 0 ? get(r, &d->v, (uint32_t)d->wave->start, 0)
                                          : ct_sp_plain(ct_sp_real(r, 0, NULL), 0);
}

static bool is_swept(const reader *r, ct_name name)
{
    if (r->wanted >= r->analysis.count || r->here != MAIN)
        return false;
    const ct_analysis *a = &r->analysis.at[r->wanted];
    for (uint32_t i = 0; i < a->swept_count; i++)
        if (strcmp(a->swept[i].name, ct_name_text(r->ctx, name)) == 0)
            return true;
    return false;
}

void ct_sp_write_source(reader *r, uint32_t index, cursor *c, char letter)
{
    ct_node terminal[2];
    drive d = {0};
    ct_place whole = {r->source, r->at, r->width};
    const char *unit = letter == 'v' ? "V" : "A";
    if (!ct_sp_nodes(r, c, terminal, 2))
        return;
    read_drive(r, c, &d);
    ct_sp_here(r, whole);
    const thing own = r->thing.at[index];
    value v = value_of(r, &d, &own), m = ct_sp_parallel(r, d.m);
    if (letter == 'i' && m.node)
        v = (value){.node = ct_sp_list(r, CT_NODE_PRODUCT, 0, (ct_node[]){v.node, m.node}, 2)};
    if (letter == 'i' && !ct_sp_apart(r, index, terminal))
        return;
    if (d.has_ac)
        add_phasor(r, &d, index, letter == 'i' && m.node ? &m : NULL);
    ct_sp_here(r, whole);
    ct_name name = r->thing.at[index].name, input = r->thing.at[index].input;
    ct_node decl = ct_sp_decl(r, input, unit, ct_sp_unit_of(r, v, unit));
    ct_sp_emit(r, ct_sp_node(r, is_swept(r, input) ? CT_NODE_PARAM : CT_NODE_INPUT, 0, decl));
    if (letter == 'v')
        ct_sp_link(r, r->here, (link){.name = name, .has_start = true, .is_source = true}, terminal,
                   2);
    ct_node key = ct_sp_key(r, letter == 'v' ? "v" : "i", ct_sp_ref(r, input));
    ct_sp_emit(
        r, ct_sp_component(r, name, letter == 'v' ? "vsource" : "isource", terminal, 2, 2, key));
}
