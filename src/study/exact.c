/* exact.c - the equations of a network in numbers, fields taken out and put back as two-ports.
 *
 *     rows     those of the system that no field made; s x = x' of each rate; what each port of a
 *              field has; rows of each field
 *     columns  unknowns of the system that are not inside of fields, rates too; v and i of ports,
 *              and four waves of each beam
 *
 * A field that is the same from both ends is told by what both have together and against each
 * other: sqrt(y) sinh(g/2) (v1 + v2) = sqrt(z) cosh(g/2) (i1 + i2), sqrt(y) cosh(g/2) (v1 - v2) =
 * sqrt(z) sinh(g/2) (i1 - i2), with g = sqrt(z) sqrt(y). These have no poles. A beam has a row for
 * each v and i of its ports, a sum of its waves, and one for each end that has no port.
 */
#include "study/exact.h"

#include <math.h>

#include "equations/driven.h"
#include "model/beam_wave.h"

enum { LINE_ROWS = 2, LINE_CELLS = 8 }; /* of a line: v1, i1, v2, i2 */

typedef struct wave {
    double c, g, l, r, tau;    /* of the whole length */
    const ct_field_line *beam; /* NULL: a line */
    ct_beam_wave bent;
    uint32_t ports, rows, cells, variables;
    uint32_t first_row, first_variable;
} wave;

typedef struct waves {
    CT_VEC(wave) at;
    CT_VEC(uint32_t) component;
} waves;

typedef struct maker {
    const ct_statespace *ss;
    const ct_system *system;
    const ct_model *model;
    ct_arena *arena;
    uint32_t n;
    uint32_t *column; /* per unknown: plus 1; 0: inside of a field */
    double *A, *W, *B, *E, *C, *D, *F;
    waves *field;
    uint32_t next;  /* row */
    ct_name inside; /* what was read that is inside of a field */
} maker;

/* ---- fields */

static bool refuse_field(const maker *m, uint32_t component, const char *why, const char *help)
{
    const ct_component *c = &m->model->component[component];
    ct_report *r = ct_error(m->model->ctx, "E424", c->place, "`%s` has no exact response",
                            ct_name_text(m->model->ctx, c->name));
    ct_note(r, "%s", why);
    ct_help(r, "%s", help);
    return false;
}

static uint32_t input_of(const maker *m, ct_name symbol, uint32_t *order)
{
    ct_name base = ct_base_symbol(m->model->symbols, symbol, order);
    for (uint32_t j = 0; j < m->ss->m; j++)
        if (m->ss->input[j] == base)
            return j;
    return UINT32_MAX;
}

/* Does it depend on inputs, or on variables of the model? */
static bool moves(const maker *m, ct_expr e)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(m->system->pool, e, &symbol), order;
    for (uint32_t i = 0; i < count; i++) {
        ct_symbol_kind kind = ct_symbol_of(m->model->symbols, symbol[i]).kind;
        if ((kind != CT_SYMBOL_PLAIN && kind != CT_SYMBOL_TIME) ||
            input_of(m, symbol[i], &order) != UINT32_MAX)
            return true;
    }
    return false;
}

static double value_of(const maker *m, uint32_t component, ct_expr e)
{
    return ct_model_value(m->model, ct_component_instance(m->model, component, e));
}

static uint32_t count_ends(const ct_field_line *line)
{
    uint32_t ends = 0;
    for (uint32_t i = 0; i < BEAM_ENDS; i++)
        ends += line->edge[i] != CT_NO_END_EDGE;
    return line->bends ? ends : 2;
}

/* What its exact response would lack; NULL: nothing. */
static const char *lack_of(const maker *m, uint32_t component, const ct_element *e,
                           const char **help)
{
    const ct_field_line *line = e->line;
    *help = "draw the finite model alone, without --exact";
    if (!line)
        return "it is not the same along its length, or has unsteady losses";
    if (e->along_count || moves(m, ct_component_instance(m->model, component, line->load)))
        return "its load depends on the place, on inputs or on variables";
    *help = "join two of them where the tap is";
    if (e->edge_count != count_ends(line))
        return "what is between its ends has no part in its impedances";
    *help = "write the damping of its material, or zeta = 0";
    if (value_of(m, component, line->zeta) != 0)
        return "a damping ratio zeta belongs to modes, and it has none";
    return NULL;
}

static wave line_of(const maker *m, uint32_t component, const ct_field_line *line)
{
    wave w = {.ports = 2, .rows = LINE_ROWS, .cells = LINE_CELLS, .variables = 4};
    double *to[] = {&w.c, &w.g, &w.l, &w.r, &w.tau};
    const ct_expr from[] = {line->c, line->g, line->l, line->r, line->tau};
    double length = value_of(m, component, line->length);
    for (size_t i = 0; i < 5; i++)
        *to[i] = value_of(m, component, from[i]) * (i < 4 ? length : 1);
    return w;
}

static wave beam_of(const maker *m, uint32_t component, const ct_element *e)
{
    const ct_field_line *line = e->line;
    wave w = {.beam = line, .ports = e->edge_count};
    ct_beam_wave *b = &w.bent;
    double *to[] = {&b->c, &b->g, &b->l, &b->tau, &b->shear, &b->rotary, &b->tension, &b->length};
    const ct_expr from[] = {line->c,     line->g,      line->l,       line->tau,
                            line->shear, line->rotary, line->tension, line->length};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        w.c += *to[i] = value_of(m, component, from[i]);
    w.rows = BEAM_ENDS + w.ports; /* a row for each v and i, one for an end without a port */
    w.cells = w.rows * BEAM_ENDS;
    w.variables = 2 * w.ports + BEAM_ENDS;
    return w;
}

static bool take_field(maker *m, uint32_t component, const ct_element *e)
{
    const char *help, *lack = lack_of(m, component, e, &help);
    if (lack)
        return refuse_field(m, component, lack, help);
    wave w = e->line->bends ? beam_of(m, component, e) : line_of(m, component, e->line);
    if (!isfinite(w.c + w.g + w.l + w.r + w.tau))
        return refuse_field(m, component,
                            "its equations have no numbers: they depend on inputs, "
                            "or on time",
                            "give its keys numbers");
    CT_PUSH(m->arena, m->field->at, w);
    CT_PUSH(m->arena, m->field->component, component);
    return true;
}

static bool is_field(const maker *m, uint32_t component)
{
    return component < m->model->component_count &&
           m->model->element[m->model->component[component].element]->is_field;
}

static bool take_fields(maker *m)
{
    for (uint32_t i = 0; i < m->model->component_count; i++)
        if (is_field(m, i) && !take_field(m, i, m->model->element[m->model->component[i].element]))
            return false;
    return true;
}

/* ---- columns */

static uint32_t base_of(const ct_system *s, uint32_t unknown)
{
    while (s->unknown[unknown].kind == CT_UNKNOWN_RATE)
        unknown = s->unknown[unknown].owner;
    return unknown;
}

static void number_columns(maker *m)
{
    const ct_system *s = m->system;
    m->column = CT_NEW_ARRAY(m->arena, uint32_t, s->unknown_count + 1);
    for (uint32_t u = 1; u < s->unknown_count; u++) {
        const ct_unknown_row *base = &s->unknown[base_of(s, u)];
        if (base->kind != CT_UNKNOWN_OWN || !is_field(m, base->owner))
            m->column[u] = ++m->n;
    }
    for (uint32_t i = 0; i < m->field->at.count; i++) {
        m->field->at.at[i].first_variable = m->n;
        m->n += m->field->at.at[i].variables;
    }
    for (uint32_t i = m->field->at.count, row = m->n; i-- > 0;)
        m->field->at.at[i].first_row = row -= m->field->at.at[i].rows;
}

/* How many rows all fields and their ports have. */
static uint32_t field_rows(const maker *m)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < m->field->at.count; i++)
        rows += 2 * m->field->at.at[i].ports + m->field->at.at[i].rows;
    return rows;
}

/* ---- rows */

/* Where a row of numbers goes: factors of unknowns, inputs, and rates of inputs. */
typedef struct side {
    double *x, *u, *du, sign;
} side;

static side next_row(maker *m, double sign)
{
    size_t row = m->next++;
    return (side){m->A + row * m->n, m->B + row * m->ss->m, m->E + row * m->ss->m, sign};
}

static bool put_unknown(maker *m, side to, uint32_t unknown, double factor)
{
    uint32_t column = m->column[unknown];
    if (!column)
        m->inside = m->system->unknown[unknown].name;
    else
        to.x[column - 1] += to.sign * factor;
    return column && isfinite(factor);
}

static bool put_symbol(maker *m, side to, ct_name symbol, double factor)
{
    uint32_t order, unknown = ct_index_get(m->system->unknown_by_name, symbol);
    if (unknown)
        return put_unknown(m, to, unknown, factor);
    uint32_t j = input_of(m, symbol, &order);
    if (order > 1 || !isfinite(factor))
        return false;
    (order ? to.du : to.u)[j] += to.sign * factor;
    return true;
}

static ct_name_list variables_in(const maker *m, ct_expr e)
{
    ct_name_list list = {0};
    const ct_name *symbol;
    uint32_t order, count = ct_expr_symbols(m->system->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++)
        if (ct_index_get(m->system->unknown_by_name, symbol[i]) ||
            input_of(m, symbol[i], &order) != UINT32_MAX)
            CT_PUSH(m->arena, list, symbol[i]);
    return list;
}

/* False: not linear, or it reads what is inside of a field (then m->inside). */
static bool put_expr(maker *m, side to, ct_expr e)
{
    ct_name_list list = variables_in(m, e);
    ct_expr *factor = CT_NEW_ARRAY(m->arena, ct_expr, list.count + 1), rest;
    if (!ct_expr_linear(m->system->pool, e, list.at, list.count, factor, &rest))
        return false;
    for (uint32_t i = 0; i < list.count; i++)
        if (!put_symbol(m, to, list.at[i], ct_model_value(m->model, factor[i])))
            return false;
    return true;
}

static bool put_row(maker *m, const ct_row *row)
{
    side to = next_row(m, -1);
    const ct_term *term = m->system->term + row->first;
    for (uint32_t k = 0; k < row->count; k++)
        if (!put_unknown(m, to, term[k].unknown, ct_model_value(m->model, term[k].factor)))
            return false;
    return put_expr(m, to, row->rest);
}

static bool refuse(const maker *m, const char *what, ct_place place)
{
    ct_context *ctx = m->model->ctx;
    if (m->inside) {
        ct_report *r = ct_error(ctx, "E426", place, "%s reads `%s`, which is inside of a field",
                                what, ct_name_text(ctx, m->inside));
        ct_note(r, "only the finite model has it");
        ct_help(r, "name outputs outside of fields, as in `output R1.v`");
        return false;
    }
    ct_report *r = ct_error(ctx, "E425", place, "%s is not linear, or depends on time", what);
    ct_note(r, "the exact response is solved from equations of constant numbers");
    ct_help(r, "draw the finite model alone, without --exact");
    return false;
}

static bool refuse_row(const maker *m, const ct_row *row)
{
    const ct_model *model = m->model;
    if (row->origin != CT_FROM_TERMINAL)
        return refuse(m, "an equation", (ct_place){0});
    const ct_component *c = &model->component[row->origin_index];
    return refuse(m, ct_printf(model->ctx, "`%s`", ct_name_text(model->ctx, c->name)), c->place);
}

/* Those of the network, as far as there is room; false after reporting. */
static bool put_network(maker *m)
{
    const ct_system *s = m->system;
    for (uint32_t i = 0; i < s->row_count; i++) {
        const ct_row *row = &s->row[i];
        if (row->origin == CT_FROM_TERMINAL && is_field(m, row->origin_index))
            continue;
        if (m->next == m->n)
            return refuse(m, "the network", (ct_place){0});
        if (!put_row(m, row))
            return refuse_row(m, row);
    }
    for (uint32_t u = 1; u < s->unknown_count; u++) {
        if (s->unknown[u].kind != CT_UNKNOWN_RATE || !m->column[u])
            continue;
        if (m->next == m->n)
            return refuse(m, "the network", (ct_place){0});
        m->W[(size_t)m->next * m->n + m->column[s->unknown[u].owner] - 1] = 1;
        next_row(m, 1).x[m->column[u] - 1] = 1;
    }
    if (m->next + field_rows(m) == m->n)
        return true;
    return refuse(m, "the network", (ct_place){0});
}

/* v and i of the ports, as the network has them. */
static bool put_ports(maker *m, uint32_t field)
{
    uint32_t component = m->field->component.at[field];
    ct_place place = m->model->component[component].place;
    const wave *w = &m->field->at.at[field];
    for (uint32_t k = 0; k < 2 * w->ports; k++) {
        ct_name name = ct_edge_variable(m->model, component, k / 2, k % 2);
        ct_expr e = ct_system_express(m->system, ct_expr_symbol(m->system->pool, name), place);
        side to = next_row(m, 1);
        to.x[w->first_variable + k] = -1;
        if (!e)
            return false;
        if (!put_expr(m, to, e))
            return refuse(m, ct_name_text(m->model->ctx, name), place);
    }
    return true;
}

/* Outputs, or all states when the model names none. */
static bool put_outputs(maker *m)
{
    const ct_statespace *ss = m->ss;
    bool named = m->model->output_count;
    for (size_t i = 0; i < ss->p; i++) {
        side to = {m->C + i * m->n, m->D + i * ss->m, m->F + i * ss->m, 1};
        ct_place place = named ? m->model->output[i].place : (ct_place){0};
        ct_expr e =
            named ? m->model->output[i].expr : ct_expr_symbol(m->system->pool, ss->state[i]);
        e = ct_system_express(m->system, e, place);
        if (!e)
            return false;
        if (!put_expr(m, to, e))
            return refuse(m, ct_printf(m->model->ctx, "the output `%s`", ss->output[i]), place);
    }
    return true;
}

/* ---- two-ports */

/* Both rows divided by exp(g/2). */
static void fill_line(const wave *a, double complex s, double complex *value)
{
    const double far = 300;
    double complex z = csqrt((a->l * s + a->r) / (1 + a->tau * s)), y = csqrt(a->c * s + a->g);
    double complex half = z * y / 2, shrunk = cexp(-half);
    bool long_one = creal(half) > far;
    double complex sh = long_one ? 0.5 : csinh(half) * shrunk;
    double complex ch = long_one ? 0.5 : ccosh(half) * shrunk;
    value[0] = value[2] = y * sh;
    value[1] = value[3] = -z * ch;
    value[4] = y * ch, value[6] = -value[4];
    value[5] = -z * sh, value[7] = -value[5];
}

/* Rows of a beam that have a port variable, each coordinate of an end in turn; else one row. */
static void fill_beam(const wave *a, double complex s, double complex *value)
{
    ct_beam_ends ends = ct_beam_wave_at(&a->bent, s);
    for (uint32_t i = 0; i < BEAM_ENDS; i++) {
        bool port = a->beam->edge[i] != CT_NO_END_EDGE;
        for (uint32_t k = 0; k < BEAM_ENDS && (port || a->beam->fixed[i]); k++)
            *value++ = ends.across[i][k];
        for (uint32_t k = 0; k < BEAM_ENDS && (port || !a->beam->fixed[i]); k++)
            *value++ = ends.through[i][k];
    }
}

static void fill(const void *user, double complex s, double complex *value)
{
    const waves *w = user;
    for (uint32_t i = 0; i < w->at.count; value += w->at.at[i++].cells)
        (w->at.at[i].beam ? fill_beam : fill_line)(&w->at.at[i], s, value);
}

/* v and i of ports in the rows of a beam. */
static void put_beam(maker *m, const wave *w)
{
    uint32_t row = w->first_row;
    for (uint32_t i = 0; i < BEAM_ENDS; i++) {
        uint32_t edge = w->beam->edge[i];
        for (uint32_t k = 0; k < 2 && edge != CT_NO_END_EDGE; k++)
            m->A[(size_t)row++ * m->n + w->first_variable + 2 * edge + k] = 1;
        row += edge == CT_NO_END_EDGE;
    }
}

static ct_lti_cells cells_of(maker *m)
{
    uint32_t count = 0, next = 0;
    for (uint32_t i = 0; i < m->field->at.count; i++)
        count += m->field->at.at[i].cells;
    uint32_t *row = CT_NEW_ARRAY(m->arena, uint32_t, count + 1);
    uint32_t *col = CT_NEW_ARRAY(m->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < m->field->at.count; i++) {
        const wave *w = &m->field->at.at[i];
        uint32_t first = w->first_variable + (w->beam ? 2 * w->ports : 0);
        for (uint32_t k = 0; k < w->cells; k++, next++)
            row[next] = w->first_row + k / 4, col[next] = first + k % 4;
        if (w->beam)
            put_beam(m, w);
    }
    return (ct_lti_cells){count, row, col, fill, m->field, 0};
}

/* ---- all */

static void make_room(maker *m)
{
    size_t n = m->n, in = m->ss->m, out = m->ss->p;
    m->A = CT_NEW_ARRAY(m->arena, double, n *n + 1);
    m->W = CT_NEW_ARRAY(m->arena, double, n *n + 1);
    m->B = CT_NEW_ARRAY(m->arena, double, n *in + 1);
    m->E = CT_NEW_ARRAY(m->arena, double, n *in + 1);
    m->C = CT_NEW_ARRAY(m->arena, double, out *n + 1);
    m->D = CT_NEW_ARRAY(m->arena, double, out *in + 1);
    m->F = CT_NEW_ARRAY(m->arena, double, out *in + 1);
}

static ct_lti_sweep *make_sweep(const ct_statespace *ss, ct_arena *arena, bool outputs)
{
    const ct_system *system = ct_system_view(ss->reduced->system, arena);
    maker m = {.ss = ss, .system = system, .model = system->model, .arena = arena};
    m.field = CT_NEW(arena, waves);
    if (!take_fields(&m))
        return NULL;
    number_columns(&m);
    make_room(&m);
    if (!put_network(&m))
        return NULL;
    for (uint32_t i = 0; i < m.field->at.count; i++)
        if (!put_ports(&m, i))
            return NULL;
    if (outputs && !put_outputs(&m))
        return NULL;
    ct_lti lti = {.n = m.n,
                  .m = ss->m,
                  .p = outputs ? ss->p : 0,
                  .A = m.A,
                  .B = m.B,
                  .C = m.C,
                  .D = m.D,
                  .E = m.E,
                  .F = m.F,
                  .W = m.W};
    ct_lti_cells cells = cells_of(&m);
    return ct_lti_sweep_new(arena, &lti, &cells);
}

ct_lti_sweep *ct_exact_sweep(const ct_statespace *ss, ct_arena *arena)
{
    return make_sweep(ss, arena, true);
}

/* Of what vibrates or fades; a pair is found once. */
uint32_t ct_exact_roots(const ct_statespace *ss, ct_arena *arena, ct_mode *mode, uint32_t count)
{
    uint32_t found = 0;
    ct_lti_sweep *sweep = make_sweep(ss, arena, false);
    for (uint32_t i = 0; sweep && i < count; i++) {
        double complex s = mode[i].re + I * mode[i].im;
        if (mode[i].im < 0 || !ct_lti_sweep_root(sweep, &s))
            continue;
        double size = cabs(s);
        mode[found++] = (ct_mode){creal(s), cimag(s), size, -creal(s) / size, -1 / creal(s)};
    }
    return found;
}
