/* field.c - the text of a field: its equations, its ends, and which finite model is asked for. */
#include "model/field.h"

#include <string.h>

static const char *text_of(const field *f, ct_name name)
{
    return ct_name_text(f->b->ctx, name);
}

static ct_report *refuse(field *f, ct_place place, const char *what)
{
    ct_element_fail(f->es);
    return ct_error(f->b->ctx, "E410", place, "%s", what);
}

/* ---- names inside of the equations */

static const char *const form_text[FIELD_FORMS] = {"%s(x)", "%s'(x)", "der %s(x)", "der %s'(x)"};

static void name_symbols(field *f, uint32_t variable, ct_name name)
{
    for (uint32_t k = 0; k < FIELD_FORMS; k++) /* no user can write such a name */
        f->symbol[variable][k] = ct_intern_text(
            f->b->ctx, ct_printf(f->b->ctx, form_text[k], ct_name_text(f->b->ctx, name)));
}

static ct_dim_term open_dim(builder *b, ct_name name, ct_place place)
{
    return ct_term_unknown(b->infer, ct_infer_unknown(b->infer, name, place));
}

static const env *bind(field *f, const env *up, ct_name name, ct_expr e, ct_dim_term dim)
{
    env *bound = CT_NEW(f->b->scratch, env);
    *bound = (env){.name = name, .value = ct_scalar(f->b, e, dim), .up = up};
    return bound;
}

/* The variables, half of them across, half of them through, and the axis; gives their names. */
static const env *bind_variables(field *f, const where *w, ct_node n, ct_node *range)
{
    builder *b = f->b;
    const env *up = w->env;
    uint32_t count = 0;
    ct_node id = ct_at(w->s, n)->first;
    for (; ct_at(w->s, id)->kind == CT_NODE_ID; id = ct_at(w->s, id)->next, count++) {
        if (count >= FIELD_VARIABLES)
            continue;
        ct_name name = ct_at(w->s, id)->name;
        name_symbols(f, count, name);
        f->name[count] = name;
        f->dim[count] = open_dim(b, name, ct_place_of(w->s, id));
        up = bind(f, up, name, ct_expr_symbol(b->pool, f->symbol[count][PLAIN]), f->dim[count]);
    }
    f->order = count / 2;
    if (count != 2 && count != 4) {
        ct_report *r = refuse(f, ct_place_of(w->s, n), "a field has two variables, or four");
        ct_note(r, "first what is across, then what is through: `field p, q over x = 0..length`");
    }
    for (uint32_t k = 0; k < 2; k++)
        f->es->out->rest_name[k] = f->order == 1 ? f->name[k] : 0;
    f->axis = ct_at(w->s, n)->name;
    f->axis_dim = open_dim(b, f->axis, f->place);
    f->x = ct_expr_symbol(b->pool, ct_intern_text(b->ctx, "x(x)"));
    *range = id;
    return bind(f, up, f->axis, f->x, f->axis_dim);
}

/* ---- diff and der */

static bool find_symbol(const field *f, ct_expr e, uint32_t form, uint32_t *variable)
{
    if (ct_expr_kind_of(f->b->pool, e) != CT_EXPR_SYMBOL)
        return false;
    ct_name name = ct_expr_name(f->b->pool, e);
    for (*variable = 0; *variable < 2 * f->order; ++*variable)
        if (f->symbol[*variable][form] == name)
            return true;
    return false;
}

static shaped form_of(field *f, uint32_t variable, field_form form, ct_dim_term dim)
{
    return ct_scalar(f->b, ct_expr_symbol(f->b->pool, f->symbol[variable][form]), dim);
}

bool ct_field_call(builder *b, const where *w, const char *word, const shaped *argument,
                   uint32_t count, ct_place place, shaped *value)
{
    field *f = w->element ? w->element->field : NULL;
    bool slope = strcmp(word, "diff") == 0, rate = strcmp(word, "der") == 0;
    if (!f || (!slope && !rate) || count != 1u + slope || argument[0].rows * argument[0].cols != 1)
        return false;
    cell c = argument[0].cell[0];
    uint32_t i;
    ct_dim second = ct_dim_none();
    second.e[CT_SECOND] = 1;
    if (slope && find_symbol(f, c.expr, PLAIN, &i) && argument[1].rows * argument[1].cols == 1 &&
        argument[1].cell[0].expr == f->x) {
        *value = form_of(f, i, SLOPE, ct_term_product(b->infer, c.dim, f->axis_dim, -1));
        return true;
    }
    bool plain = rate && find_symbol(f, c.expr, PLAIN, &i);
    if (plain || (rate && find_symbol(f, c.expr, SLOPE, &i))) {
        ct_dim_term dim = ct_term_product(b->infer, c.dim, ct_term_known(second), -1);
        *value = form_of(f, i, plain ? RATE : SLOPE_RATE, dim);
        return true;
    }
    if (!rate)
        return false;
    ct_report *r = refuse(f, place, "in a field der() takes one of its variables");
    ct_help(r, "put factors before it: `c*der(p)`");
    *value = ct_broken_value();
    return true;
}

/* ---- ends */

/* Which edge, and whether its across (0) or through (1) variable: -1: neither. */
static int edge_variable(const field *f, ct_expr e, uint32_t *edge)
{
    if (ct_expr_kind_of(f->b->pool, e) != CT_EXPR_SYMBOL)
        return -1;
    ct_name name = ct_expr_name(f->b->pool, e);
    for (*edge = 0; *edge < f->es->edge.count; ++*edge) {
        const ct_element_edge *at = &f->es->edge.at[*edge];
        for (int k = 0; k < 2; k++) {
            const char *row = ct_domain_row_at(at->domain)->variable[k].name;
            if (name == ct_join_path(f->b, at->name, ct_intern_text(f->b->ctx, row)))
                return k;
        }
    }
    return -1;
}

static field_port *port_of(field *f, uint32_t edge, uint32_t end, ct_place place)
{
    for (uint32_t i = 0; i < f->port.count; i++)
        if (f->port.at[i].edge == edge)
            return f->port.at[i].end == end ? &f->port.at[i] : NULL;
    field_port p = {.edge = edge, .row = UINT32_MAX, .end = end, .text = place};
    p.place = ct_expr_int(f->b->pool, end);
    CT_PUSH(f->b->scratch, f->port, p);
    return &f->port.at[f->port.count - 1];
}

/* `ea.p = p`, `eb.q = -q`: what flows into the element. */
static bool take_end(field *f, uint32_t end, ct_expr left, ct_expr right, ct_place place)
{
    uint32_t edge, variable;
    int k = edge_variable(f, left, &edge);
    ct_expr inward = k == 1 && end == 1 ? ct_expr_neg(f->b->pool, right) : right;
    if (k < 0 || !find_symbol(f, inward, PLAIN, &variable) || variable / f->order != (uint32_t)k)
        return false;
    field_port *p = port_of(f, edge, end, place);
    uint32_t row = variable % f->order;
    if (!p || (p->row != UINT32_MAX && p->row != row))
        return false;
    p->row = row;
    return true;
}

static void read_end_equation(field *f, const where *w, ct_node n, uint32_t end)
{
    ct_node first = ct_at(w->s, n)->first;
    ct_place place = ct_place_of(w->s, n);
    cell left = ct_lower_scalar(f->b, w, first),
         right = ct_lower_scalar(f->b, w, ct_at(w->s, first)->next);
    if (!left.expr || !right.expr ||
        !ct_demand_equal(f->b, left.dim, right.dim, place, "the left side", "the right side")) {
        ct_element_fail(f->es);
        return;
    }
    if (take_end(f, end, left.expr, right.expr, place) ||
        take_end(f, end, right.expr, left.expr, place))
        return;
    ct_report *r = refuse(f, place, "an end joins a variable of an edge to one of the field");
    ct_note(r, "across to across, through to what flows into the element: `e.q = q` at the begin, "
               "`e.q = -q` at the end");
}

/* `at x = 0`, `at x = length` */
static void read_end(field *f, const where *w, ct_node n)
{
    ct_node expr = ct_at(w->s, n)->first;
    cell c = ct_lower_scalar(f->b, w, expr);
    if (!c.expr) {
        ct_element_fail(f->es);
        return;
    }
    bool begin = ct_expr_is_zero(f->b->pool, c.expr);
    if (ct_at(w->s, n)->name != f->axis || (!begin && c.expr != f->length)) {
        ct_report *r =
            refuse(f, ct_place_of(w->s, n), "an end lies at the begin or the end of the field");
        ct_help(r, "write `at %s = 0` and `at %s = ` with the length", text_of(f, f->axis),
                text_of(f, f->axis));
        return;
    }
    for (ct_node e = ct_at(w->s, expr)->next; e; e = ct_at(w->s, e)->next)
        read_end_equation(f, w, e, !begin);
}

static void visit_end(builder *b, const where *w, ct_node n)
{
    (void)b;
    read_end(w->element->field, w, n);
}

static const pass end_pass = {visit_end, KIND_BIT(AT), false};

/* Each end has an edge for each across variable; slopes of a beam may do without. */
static bool ends_fit(field *f)
{
    uint32_t count[FIELD_VARIABLES / 2] = {0, 0};
    for (uint32_t i = 0; i < f->port.count; i++) {
        const field_port *p = &f->port.at[i];
        if (p->row > 1)
            return false;
        count[p->row]++;
        if (p->row == 0)
            f->domain = f->es->edge.at[p->edge].domain;
    }
    bool slopes = f->order == 1 ? count[1] == 0 : count[1] == 0 || count[1] == 2;
    return count[0] == 2 && slopes && f->port.count == f->es->edge.count;
}

static void read_ends(field *f, const where *w, ct_node first)
{
    ct_walk_statements(f->b, w, first, &end_pass);
    if (f->es->out->broken || ends_fit(f))
        return;
    ct_report *r = refuse(f, f->place, "each end has an edge for each across variable");
    ct_note(r, "the field has %u, and the element %u edges, %u of them at its ends", 2 * f->order,
            f->es->edge.count, f->port.count);
}

/* ---- equations */

/* One equation as sum of coefficients times forms of variables, and a rest. */
typedef struct field_row {
    ct_expr factor[FIELD_VARIABLES][FIELD_FORMS], rest;
    ct_place place;
} field_row;

static bool read_row(field *f, const where *w, ct_node n, field_row *row)
{
    ct_node first = ct_at(w->s, n)->first;
    row->place = ct_place_of(w->s, n);
    cell left = ct_lower_scalar(f->b, w, first),
         right = ct_lower_scalar(f->b, w, ct_at(w->s, first)->next);
    if (!left.expr || !right.expr ||
        !ct_demand_equal(f->b, left.dim, right.dim, row->place, "the left side", "the right side"))
        return false;
    ct_expr e = ct_expr_sub(f->b->pool, left.expr, right.expr);
    if (ct_expr_linear(f->b->pool, e, f->symbol[0], 2 * f->order * FIELD_FORMS, row->factor[0],
                       &row->rest))
        return true;
    refuse(f, row->place, "the equations of a field must be linear in its variables");
    return false;
}

static bool has(const field *f, const field_row *row, uint32_t variable, field_form form)
{
    return !ct_expr_is_zero(f->b->pool, row->factor[variable][form]);
}

/* The equation that has the slope of this variable and of no other. */
static field_row *row_with_slope(const field *f, field_row *row, uint32_t count, uint32_t variable)
{
    for (uint32_t i = 0; i < count; i++) {
        bool others = false;
        for (uint32_t k = 0; k < 2 * f->order; k++)
            others |=
                k != variable && (has(f, &row[i], k, SLOPE) || has(f, &row[i], k, SLOPE_RATE));
        if (!others && has(f, &row[i], variable, SLOPE))
            return &row[i];
    }
    return NULL;
}

/* Takes a coefficient out, divided by that of the slope: -slope = sum of them. */
static ct_expr take(const field *f, field_row *row, uint32_t slope_of, uint32_t variable,
                    field_form form)
{
    ct_pool *p = f->b->pool;
    ct_expr e = ct_expr_div(p, row->factor[variable][form], row->factor[slope_of][SLOPE]);
    row->factor[variable][form] = ct_expr_int(p, 0);
    return e;
}

/* What is left over has no place in such a field. */
static bool is_spent(const field *f, const field_row *row, uint32_t slope_of, bool load)
{
    for (uint32_t i = 0; i < 2 * f->order; i++)
        for (uint32_t k = 0; k < FIELD_FORMS; k++)
            if (!(i == slope_of && k == SLOPE) && has(f, row, i, (field_form)k))
                return false;
    return load || ct_expr_is_zero(f->b->pool, row->rest);
}

static bool take_line(field *f, field_row *stores, field_row *flows)
{
    ct_pool *p = f->b->pool;
    f->law.c = take(f, stores, 1, 0, RATE), f->law.g = take(f, stores, 1, 0, PLAIN);
    f->law.load = ct_expr_div(p, stores->rest, stores->factor[1][SLOPE]);
    f->law.l = take(f, flows, 0, 1, RATE), f->law.r = take(f, flows, 0, 1, PLAIN);
    f->law.tau = take(f, flows, 0, 0, SLOPE_RATE);
    return is_spent(f, stores, 1, true) && is_spent(f, flows, 0, false);
}

/* v, w, F, T: deflection speed, turning rate, shear force and moment of a beam. */
static bool take_beam(field *f, field_row *row, uint32_t count)
{
    enum { V, W, F, T };
    ct_pool *p = f->b->pool;
    field_row *at[FIELD_VARIABLES];
    for (uint32_t i = 0; i < FIELD_VARIABLES; i++)
        if (!(at[i] = row_with_slope(f, row, count, i)))
            return false;
    f->law.c = take(f, at[F], F, V, RATE), f->law.g = take(f, at[F], F, V, PLAIN);
    f->law.load = ct_expr_div(p, at[F]->rest, at[F]->factor[F][SLOPE]);
    ct_expr turn = take(f, at[V], V, W, PLAIN), lever = take(f, at[T], T, F, PLAIN);
    ct_expr late = take(f, at[V], V, V, SLOPE_RATE), turned = take(f, at[V], V, W, RATE);
    f->law.shear = take(f, at[V], V, F, RATE);
    f->law.rotary = take(f, at[T], T, W, RATE);
    f->law.l = take(f, at[W], W, T, RATE), f->law.r = ct_expr_int(p, 0);
    f->law.tau = take(f, at[W], W, W, SLOPE_RATE);
    f->law.tension = ct_field_param(f, "tension");
    bool spent = is_spent(f, at[F], F, true);
    for (uint32_t i = 0; i < FIELD_VARIABLES; i++)
        spent &= i == F || is_spent(f, at[i], i, false);
    bool like_bending = late == f->law.tau && ct_expr_neg(p, turned) == late;
    bool stiff = ct_expr_is_zero(p, late) && ct_expr_is_zero(p, turned);
    bool damped = ct_expr_is_zero(p, f->law.shear) ? stiff : like_bending;
    return spent && damped && ct_expr_is_one(p, ct_expr_neg(p, turn)) && ct_expr_is_one(p, lever);
}

static void report_form(field *f)
{
    ct_report *r = refuse(f, f->place,
                          f->order == 1 ? "these equations are not those of a line"
                                        : "these equations are not those of a beam");
    if (f->order == 2) {
        ct_note(
            r, "a field v, w, F, T has -diff(F, x) = c*der(v) + load, -diff(v, x) = -w + h*der(F), "
               "-diff(T, x) = F + j*der(w) and -diff(w, x) = der(T)/k");
        ct_note(r, "material damping acts on bending and shear alike: tau*der(diff(w, x)) and "
                   "tau*(der(diff(v, x)) - der(w))");
        return;
    }
    ct_note(r, "a field p, q has -diff(q, x) = c*der(p) + g*p + load and -diff(p, x) = l*der(q) + "
               "r*q; the second may have tau*der(diff(p, x)), too");
}

static void read_equations(field *f, const where *w, ct_node first)
{
    field_row row[FIELD_VARIABLES];
    uint32_t count = 0;
    bool good = true;
    for (ct_node n = first; n; n = ct_at(w->s, n)->next, count++)
        good &= count >= 2 * f->order || read_row(f, w, n, &row[count]);
    if (!good)
        ct_element_fail(f->es);
    if (f->es->out->broken)
        return;
    bool known = count == 2 * f->order;
    if (known && f->order == 1) {
        field_row *stores = row_with_slope(f, row, count, 1);
        field_row *flows = row_with_slope(f, row, count, 0);
        known = stores && flows && take_line(f, stores, flows);
    } else if (known) {
        known = take_beam(f, row, count);
    }
    if (!known)
        report_form(f);
}

/* ---- finite models */

static bool depends_on_place(field *f)
{
    const ct_expr part[] = {f->law.c,   f->law.g,      f->law.l,     f->law.r,
                            f->law.tau, f->law.rotary, f->law.shear, f->law.tension};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (part[i] && ct_field_moves(f, part[i]))
            return true;
    return false;
}

/* At the key that depends on the place. */
static ct_report *refuse_moving(field *f, const char *what)
{
    return refuse(f, ct_field_key_place(f, f->moving.count ? f->moving.at[0] : 0), what);
}

static const char same_along[] = "an accuracy needs a field that is the same along its length";

static void refuse_accuracy(field *f, const char *what)
{
    ct_name key = ct_intern_text(f->b->ctx, "accuracy");
    ct_report *r = refuse(f, ct_field_key_place(f, key), what);
    ct_help(r, "write `modes = 8` or `cells = 20` instead of the accuracy");
}

static bool is_zero(const field *f, ct_expr e)
{
    return ct_expr_is_zero(f->b->pool, e);
}

/* Shapes that depend on values: of beams with shear or rotary inertia, and of what varies. */
static void check_found(field *f, uint32_t modes)
{
    enum { MOST_FOUND = 100 };
    if (ct_field_moves(f, f->law.tau) || !is_zero(f, f->law.g))
        refuse(f, f->place,
               "damping that varies along the field, or acts on it from outside, needs "
               "a field that is the same along its length");
    if (modes <= MOST_FOUND)
        return;
    ct_report *r = ct_error(f->b->ctx, "E411", f->place,
                            "modes of this element are found by numbers: at most %d", MOST_FOUND);
    ct_help(r, "a uniform beam with theory = euler, and any uniform line, may have more");
    ct_element_fail(f->es);
}

/* Without shear fourth differences of deflections stand for forces: what is rounded off their
 * factors grows with the fourth power of the number, up to 7e-5 of the stiffness of 1000 cells. */
static void check_cells(field *f, uint32_t cells)
{
    enum { MOST_LINKS = 1000 };
    bool many = cells > MOST_LINKS && is_zero(f, f->law.shear);
    if (f->es->out->broken || (cells >= 2 && !many))
        return;
    ct_place place = ct_field_key_place(f, ct_intern_text(f->b->ctx, "cells"));
    ct_report *r = many ? ct_error(f->b->ctx, "E411", place,
                                   "a beam without shear has at most %d cells", MOST_LINKS)
                        : ct_error(f->b->ctx, "E411", place, "a beam has at least 2 cells");
    if (many)
        ct_help(r, "rounding errors grow with the fourth power of the number: write fewer, or "
                   "method = modal");
    ct_witness(r, "cells");
    ct_element_fail(f->es);
}

static void make_links(field *f, const bool *fixed)
{
    uint32_t cells = ct_field_has_accuracy(f) ? ct_field_choose_beam(f, fixed, false, true)
                                              : ct_field_number(f, "cells", 20);
    check_cells(f, cells);
    if (f->es->out->broken)
        return;
    f->es->out->ratio = ct_field_param(f, "zeta");
    if (!depends_on_place(f))
        ct_field_keep_beam(f, fixed);
    ct_field_beam_cells(f, cells, fixed);
    ct_field_finish(f);
}

static void make_beam(field *f)
{
    const char *ends = ct_field_ends(f);
    bool fixed[FIELD_VARIABLES] = {false}; /* slopes without an edge: what `ends` says */
    for (uint32_t i = 0; i < 2; i++)
        fixed[2 * i + 1] = ends && ct_field_word_holds(ends, i, 1);
    f->positions = true;
    bool cells = ct_field_is_word(f, "method", "cells"), varies = depends_on_place(f);
    bool accuracy = ct_field_has_accuracy(f);
    if (accuracy && varies)
        refuse_accuracy(f, same_along);
    if (cells) {
        make_links(f, fixed);
        return;
    }
    bool found =
        varies || !is_zero(f, f->law.rotary) || !is_zero(f, f->law.shear) || ct_field_is_loaded(f);
    if (f->law.tension && !ct_field_is_loaded(f) && ct_field_moves(f, f->law.tension)) {
        ct_report *r = refuse_moving(f, "an axial force that varies along the beam has shapes");
        ct_help(r, "write axial = constant, or method = cells");
    }
    if (f->es->out->broken)
        return;
    uint32_t modes =
        accuracy ? ct_field_choose_beam(f, fixed, found, false) : ct_field_number(f, "modes", 8);
    if (found)
        check_found(f, modes);
    if (f->es->out->broken)
        return;
    if (!depends_on_place(f))
        ct_field_keep_beam(f, fixed);
    ct_field_beam_modes(f, modes, !ct_field_is_bare(f), fixed, found);
    ct_field_finish(f);
}

static void make_waves(field *f)
{
    f->es->out->open = false;
    if (depends_on_place(f))
        refuse_moving(f, "a delay needs a field that is the same along its length");
    else if (is_zero(f, f->law.c) || is_zero(f, f->law.l))
        refuse(f, f->place, "a field without waves has no delay");
    else if (ct_field_has_accuracy(f))
        refuse(f, ct_field_key_place(f, ct_intern_text(f->b->ctx, "accuracy")),
               "method = delay is exact: it has no accuracy");
    if (f->es->out->broken)
        return;
    ct_field_keep_line(f);
    ct_field_line_delay(f);
    ct_field_finish(f);
}

/* A bar, a shaft or a string whose section varies. */
static void make_varying(field *f)
{
    static const bool fixed[FIELD_VARIABLES] = {false, true, false, true};
    uint32_t modes = ct_field_number(f, "modes", 8);
    if (ct_field_has_accuracy(f))
        refuse_accuracy(f, same_along);
    check_found(f, modes);
    if (f->es->out->broken)
        return;
    ct_field_beam_modes(f, modes, !ct_field_is_bare(f), fixed, true);
    ct_field_finish(f);
}

static void make_line(field *f)
{
    bool cells = ct_field_is_word(f, "method", "cells");
    if (ct_field_is_word(f, "method", "delay")) {
        make_waves(f);
        return;
    }
    f->positions = ct_domain_row_at(f->domain)->variable[2].name && is_zero(f, f->law.r) &&
                   !is_zero(f, f->law.l);
    ct_field_choose_bank(f);
    if (!cells && f->positions && depends_on_place(f)) {
        make_varying(f);
        return;
    }
    if (!cells && depends_on_place(f)) {
        ct_report *r = refuse_moving(f, "modes need a field that is the same along its length");
        ct_help(r, "write method = cells");
    }
    bool accuracy = ct_field_has_accuracy(f);
    if (accuracy && depends_on_place(f))
        refuse_accuracy(f, same_along);
    if (f->es->out->broken)
        return;
    uint32_t count = accuracy ? ct_field_choose_number(f, cells)
                              : ct_field_number(f, cells ? "cells" : "modes", cells ? 20 : 8);
    if (f->es->out->broken)
        return;
    if (!depends_on_place(f) && !f->bank)
        ct_field_keep_line(f);
    if (cells)
        f->es->out->ratio = ct_field_param(f, "zeta"), ct_field_line_cells(f, count);
    else
        ct_field_line_modes(f, count, !ct_field_is_bare(f));
    ct_field_finish(f);
}

void ct_make_field(builder *b, const where *w, ct_node first)
{
    ct_node n = first, range;
    while (n && ct_at(w->s, n)->kind != CT_NODE_CONTINUUM)
        n = ct_at(w->s, n)->next;
    if (!n || w->element->out->broken)
        return;
    field *f = CT_NEW(b->scratch, field);
    *f = (field){.b = b, .w = w, .es = w->element, .place = ct_place_of(w->s, n)};
    f->es->out->is_field = true;
    where inside = *w;
    inside.env = bind_variables(f, w, n, &range);
    cell from = ct_lower_scalar(b, w, range), to = ct_lower_scalar(b, w, ct_at(w->s, range)->next);
    if (!from.expr || !to.expr || !ct_expr_is_zero(b->pool, from.expr) ||
        !ct_demand_equal(b, f->axis_dim, to.dim, f->place, "the axis", "its range"))
        refuse(f, ct_place_of(w->s, range), "a field begins at 0");
    f->length = f->es->out->length = to.expr;
    f->es->out->space_axis = f->axis;
    if (f->es->out->broken)
        return;
    f->es->field = f;
    read_ends(f, &inside, first);
    if (!f->es->out->broken)
        ct_field_find_moving(f);
    if (!f->es->out->broken)
        ct_field_add_taps(f);
    if (!f->es->out->broken)
        read_equations(f, &inside, ct_at(w->s, ct_at(w->s, range)->next)->next);
    f->es->field = NULL;
    if (f->es->out->broken)
        return;
    ct_field_choose_ends(f);
    f->edge_equation = CT_NEW_ARRAY(b->arena, uint32_t, f->es->edge.count);
    f->es->out->open = f->open;
    if (f->order == 1)
        make_line(f);
    else
        make_beam(f);
}
