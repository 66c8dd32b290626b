/* c_modes.c - a model with modes as one C file: a part for each mode, made as the file of a model
 * without them; a table of these; and what goes from one to the other. */
#include "export/c.h"

#include <math.h>

#include "compile/write_c.h"
#include "export/code.h"
#include "model/shadow.h"

/* ---- a part */

static const char *put_w(const ct_c_sheet *s)
{
    return s->f->algebraic_count ? ct_printf(s->f->model->ctx, "work + %s_AT_W, ", s->name) : "";
}

bool ct_c_put_mode_programs(ct_c_sheet *s, ct_text *out)
{
    const ct_mode_formulas *m = s->mode;
    return !m || (ct_c_put_program(s, &m->watch, "watch", NULL, out) &&
                  (!m->source || (ct_c_put_program(s, &m->slopes, "all_slope", NULL, out) &&
                                  ct_c_put_program(s, &m->by_watches, "watch_slope", NULL, out))));
}

void ct_c_put_mode_prepare(const ct_c_sheet *s)
{
    if (!s->mode)
        return;
    ct_putf(s->out, "    %s_watch_prepare(p, work);\n", s->name);
    if (s->mode->source)
        ct_putf(s->out,
                "    %s_all_slope_prepare(p, work);\n    %s_watch_slope_prepare(p, work);\n",
                s->name, s->name);
}

static void put_part_prototypes(const ct_c_sheet *s)
{
    const char *n = s->name;
    ct_putf(s->out,
            "static void %s_prepare(const double *p, double *work);\n"
            "static int %s_rhs(double t, const double *x, double *dxdt, double *work);\n"
            "static int %s_outputs(double t, const double *x, double *y, double *work);\n"
            "static int %s_project(double t, double *x, double *work);\n"
            "static int %s_keep(double t, const double *x, double *work);\n"
            "static void %s_release(double *work);\n"
            "static int %s_conditions(double t, const double *x, double *g, double *work);\n"
            "static double %s_next_moment(double t, const double *work);\n",
            n, n, n, n, n, n, n, n);
    if (s->f->angles.output_count)
        ct_putf(s->out,
                "static int %s_angles(double t, const double *x, double *a, double *work);\n", n);
    if (s->f->jumps)
        ct_putf(s->out, "static int %s_remember(double t, const double *x, double *work);\n", n);
    if (s->f->invariant_count)
        ct_putf(s->out,
                "static void %s_constraints(double t, const double *x, double *c, double *work);\n"
                "static void %s_constraints_slope(double t, const double *x, double *slope, double "
                "*work);\n",
                n, n);
    ct_put_char(s->out, '\n');
}

/* NAME is a program that reads w, too, where there is one. */
static void put_alias(const ct_c_sheet *s, const char *name, const char *program)
{
    ct_putf(s->out,
            "static void %s_%s(double t, const double *x, double *work, double *y)\n{\n"
            "    %s_%s(t, x, %swork, y);\n}\n\n",
            s->name, name, s->name, program, put_w(s));
}

static void put_part_functions(const ct_c_sheet *s)
{
    ct_c_put_functions(s);
    ct_c_put_snippet(s, s->f->jumps ? "mode_enter.txt" : "mode_enter_plain.txt", NULL);
    put_alias(s, "watched", "watch");
    if (ct_c_has_rest(s->f)) {
        ct_putf(s->out, "enum { %s_WATCHED = %u };\n\n", s->name, s->mode->watch.output_count);
        ct_c_put_snippet(s, "shock.txt", NULL);
    }
    if (!s->mode->source)
        return;
    put_alias(s, "rates", "equations");
    put_alias(s, "slopes", "all_slope");
    put_alias(s, "watch_slopes", "watch_slope");
}

/* -1: none. */
static void put_numbers(const ct_c_sheet *s, const char *what, const uint32_t *list, uint32_t count)
{
    ct_putf(s->out, "static const int %s_%s[] = {", s->name, what);
    for (uint32_t i = 0; i < count; i++)
        ct_putf(s->out, "%d, ", list[i] == UINT32_MAX ? -1 : (int)list[i]);
    ct_put(s->out, "0};\n");
}

/* As the choice of modes reads them; UINT32_MAX: none. */
static void put_counts(const ct_c_sheet *s, const char *what, const uint32_t *list, uint32_t count)
{
    ct_putf(s->out, "static const uint32_t %s_%s[] = {", s->name, what);
    for (uint32_t i = 0; i < count; i++)
        ct_putf(s->out, list[i] == UINT32_MAX ? "UINT32_MAX, " : "%u, ", list[i]);
    ct_put(s->out, "0};\n");
}

static void put_way(const ct_c_sheet *s, uint32_t items)
{
    ct_putf(s->out, "static const uint8_t %s_way[] = {", s->name);
    for (uint32_t i = 0; i < items; i++)
        ct_putf(s->out, "%u, ", s->mode->way[i]);
    ct_put(s->out, "0};\n");
}

static void put_part_data(const ct_c_sheet *s, uint32_t items)
{
    const ct_formulas *f = s->f;
    const ct_mode_formulas *m = s->mode;
    ct_c_put_sizes(s);
    ct_c_put_texts(s, "state_name", f->state, f->state_count, false);
    if (f->algebraic_count)
        ct_c_put_numbers(s, "start_algebraic", f->algebraic, f->algebraic_count);
    ct_c_put_patterns(s);
    ct_c_put_event_data(s);
    if (f->discrete_count)
        ct_c_put_numbers(s, "start_discrete", f->discrete, f->discrete_count);
    ct_c_put_act_data(s);
    ct_c_put_jump_data(s);
    if (f->acts) {
        ct_putf(s->out, "static const double %s_start_time = ", s->name);
        ct_put_c_number(s->out, f->start);
        ct_put(s->out, ";\n");
    }
    put_counts(s, "used", m->used, m->used_count);
    put_numbers(s, "parameter", m->parameter, f->parameter_count);
    put_numbers(s, "record", m->record, f->state_count + f->algebraic_count);
    put_numbers(s, "kept", m->kept_record, f->jumps ? f->jumps->kept_count : 0);
    if (m->source) {
        put_counts(s, "source", m->source, items);
        put_counts(s, "start", m->slope->start, m->slope->cols + 1);
        put_counts(s, "row", m->slope->row, m->slope->count);
        put_counts(s, "watch_start", m->by_watch->start, m->by_watch->cols + 1);
        put_counts(s, "watch_row", m->by_watch->row, m->by_watch->count);
    }
    ct_put_char(s->out, '\n');
}

/* ---- the file */

typedef struct modal_sheet {
    ct_c_sheet own; /* of the whole */
    const ct_modal_formulas *f;
    ct_c_sheet *part;
    uint32_t states, most, events, angles, outputs, parts_work;
} modal_sheet;

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void put_title(const modal_sheet *m, uint32_t k)
{
    const ct_mode_formulas *mode = &m->f->mode[k];
    ct_text *out = m->own.out;
    bool any = false;
    ct_putf(out, " *     %u:", k);
    for (uint32_t i = 0; i < m->f->item_count; i++)
        if (mode->way[i] < CT_WAYS) {
            ct_put(out, any ? ", " : " ");
            ct_c_put_words(out, m->f->text[CT_WAYS * i + mode->way[i]]);
            any = true;
        }
    ct_put_char(out, '\n');
}

static bool put_part(modal_sheet *m, uint32_t k, ct_text *body)
{
    const ct_mode_formulas *mode = &m->f->mode[k];
    ct_c_sheet *s = &m->part[k];
    ct_text programs = ct_text_new(m->own.arena);
    *s = (ct_c_sheet){.f = mode->f,
                      .mode = mode,
                      .arena = m->own.arena,
                      .out = body,
                      .name = ct_printf(m->f->model->ctx, "%s_m%u", m->own.name, k)};
    put_way(s, m->f->item_count);
    if (!mode->f)
        return true;
    ct_c_check_size(mode->f);
    s->own_work = ct_c_held_work(mode->f);
    if (!ct_c_put_programs(s, &programs))
        return false;
    ct_c_find_envelope(s);
    ct_c_count_work(s);
    put_part_data(s, m->f->item_count);
    put_part_prototypes(s);
    ct_put_bytes(body, ct_text_string(&programs), programs.length);
    put_part_functions(s);
    m->own.calls |= s->calls;
    m->states = mode->source ? m->states : larger(m->states, mode->f->state_count);
    m->most = larger(m->most, mode->f->state_count + mode->f->algebraic_count);
    m->events = larger(m->events, ct_c_event_count(mode->f));
    m->angles = larger(m->angles, mode->f->angles.output_count);
    return true;
}

/* ---- tables */

static void put_row(const modal_sheet *m, uint32_t k, uint32_t *work)
{
    const ct_mode_formulas *mode = &m->f->mode[k];
    const ct_formulas *f = mode->f;
    const char *n = m->part[k].name, *all = m->own.name;
    ct_text *out = m->own.out;
    if (!f) {
        ct_putf(out, "    {.way = %s_way},\n", n);
        return;
    }
    ct_putf(
        out,
        "    {%s_way, %s_used, %u, %u, %u, %s_AT_PARTS + %u, %s_AT_PARTS + %u, %u, %s%s, %u, %u,\n"
        "     %s_parameter, %s_record, %s_kept, %u, %s_prepare, %s_rhs, %s_outputs, "
        "%s_project,\n"
        "     %s_keep, %s_hold, %s_release, %s_settle, %s_conditions, %s_next_moment, "
        "%s_watched, %s_enter,\n",
        n, n, mode->used_count, f->state_count, f->state_count + f->algebraic_count, all, *work,
        all, *work + f->state_count, ct_c_event_count(f), f->algebraic_count ? n : "0",
        f->algebraic_count ? "_AT_W" : "", f->jumps ? f->memory + f->events->root.count : 0,
        f->jumps ? f->jumps->kept_count : 0, n, n, n, f->parameter_count, n, n, n, n, n, n, n, n, n,
        n, n, n);
    ct_putf(out,
            mode->source
                ? "     %s_source, %s_start, %s_row, %s_watch_start, %s_watch_row, %s_rates, "
                  "%s_slopes, %s_watch_slopes,\n     "
                : "     0, 0, 0, 0, 0, 0, 0, 0, ",
            n, n, n, n, n, n, n, n);
    ct_putf(out, f->acts ? "%s_AT_WAS, %s_act_now, %s_moments, " : "0, 0, 0, ", n, n, n);
    ct_putf(out, ct_c_has_rest(f) ? "%d, %s_shock, %s_struck, " : "0, 0, 0, ",
            f->acts && f->acts->tied, n, n);
    ct_putf(out, f->angles.output_count ? "%u, %s_angles},\n" : "0, 0},\n", f->angles.output_count,
            n);
    *work += f->state_count + m->part[k].work;
}

static bool has_restitution(const ct_modal_formulas *f)
{
    for (uint32_t i = 0; i < f->item_count; i++)
        if (f->item[i].returns)
            return true;
    return false;
}

static void put_sizes(const modal_sheet *m)
{
    const ct_modal_formulas *f = m->f;
    const struct {
        const char *word;
        uint32_t size;
    } rows[] = {{"STATES", m->states},
                {"PARAMETERS", f->parameter_count},
                {"OUTPUTS", m->outputs},
                {"MODES", f->mode_count},
                {"START_MODE", f->start_mode},
                {"ITEMS", f->item_count},
                {"RECORDS", f->record_count},
                {"MOST", m->most},
                {"EVENTS", m->events + 2 * f->item_count},
                {"ANGLES", m->angles},
                {"DISCRETES", m->own.f->discrete_count},
                {"REMEMBERS", ct_c_act_work(m->own.f)},
                {"MECHANISM", f->model->mechanism != NULL},
                {"RETURNS", has_restitution(f)}};
    ct_put(m->own.out, "enum {\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ct_putf(m->own.out, "    %s_%s = %u,\n", m->own.name, rows[i].word, rows[i].size);
    ct_putf(m->own.out, "    %s_ROWS = %u /* of a run */\n};\n\n", m->own.name, m->own.f->points);
}

static void put_doubles(const modal_sheet *m, const char *what, const double *list, uint32_t count)
{
    ct_putf(m->own.out, "static const double %s_%s[] = {", m->own.name, what);
    for (uint32_t i = 0; i < count; i++) {
        ct_put_c_number(m->own.out, list[i]);
        ct_put(m->own.out, ", ");
    }
    ct_put(m->own.out, "0};\n");
}

static void put_items(const modal_sheet *m)
{
    const ct_modal_formulas *f = m->f;
    ct_putf(m->own.out, "static const ct_mode_item %s_item[] = {\n", m->own.name);
    for (uint32_t i = 0; i < f->item_count; i++) {
        const ct_mode_item *item = &f->item[i];
        const char *kind = item->kind == CT_LAW_PAIR   ? "PAIR"
                           : item->kind == CT_LAW_SLIP ? "SLIP"
                                                       : "IF";
        ct_putf(m->own.out, "    {CT_LAW_%s, %d, %u, %u, %d, 0, 0},\n", kind, item->gap, item->way,
                item->under, item->returns);
    }
    ct_put(m->own.out, "};\n");
    ct_c_put_indices(&m->own, "item_returns", f->returns, f->item_count);
    put_doubles(m, "start_touch", f->touch, f->item_count);
    ct_shown_value *text = CT_NEW_ARRAY(m->own.arena, ct_shown_value, CT_WAYS * f->item_count + 1);
    for (uint32_t i = 0; i < CT_WAYS * f->item_count; i++)
        text[i].name = f->text[i];
    ct_c_put_texts(&m->own, "item_text", text, CT_WAYS * f->item_count, false);
}

static void put_tables(const modal_sheet *m)
{
    const ct_c_sheet *s = &m->own;
    const ct_formulas *start = s->f;
    uint32_t work = 0;
    double *x = CT_NEW_ARRAY(s->arena, double, m->states + 1);
    for (uint32_t i = 0; i < start->state_count; i++)
        x[i] = start->state[i].value;
    ct_putf(s->out, "const double %s_start_time = ", s->name);
    ct_put_c_number(s->out, start->start);
    ct_putf(s->out, ", %s_stop_time = ", s->name);
    ct_put_c_number(s->out, isnan(start->stop) ? start->start + 1 : start->stop);
    ct_put(s->out, ";\n");
    put_doubles(m, "start_state", x, m->states);
    put_doubles(m, "start_scale", m->f->scale, CT_WATCHES * m->f->item_count);
    put_doubles(m, "start_largest", m->f->largest, m->f->record_count);
    ct_c_put_texts(s, "parameter_name", m->f->parameter, m->f->parameter_count, false);
    ct_c_put_texts(s, "parameter_unit", m->f->parameter, m->f->parameter_count, true);
    ct_c_put_numbers(s, "parameter_value", m->f->parameter, m->f->parameter_count);
    ct_c_put_texts(s, "output_name", start->output, start->output_count, false);
    ct_c_put_texts(s, "output_unit", start->output, start->output_count, true);
    put_items(m);
    ct_put_char(s->out, '\n');
    ct_c_put_snippet(s, "mode_table.txt", NULL);
    ct_putf(s->out, "static const %s_table %s_modes[] = {\n", s->name, s->name);
    for (uint32_t k = 0; k < m->f->mode_count; k++)
        put_row(m, k, &work);
    ct_put(s->out, "};\n\n");
}

/* ---- the comment */

static void put_usage(const modal_sheet *m)
{
    const char *n = m->own.name;
    ct_putf(
        m->own.out,
        " *\n * Use\n"
        " *     double work[%s_WORK], p[%s_PARAMETERS], x[%s_STATES], ...;\n"
        " *     copy %s_parameter_value to p and %s_start_state to x\n"
        " *     %s_prepare(p, work);              once: the mode is that of the start\n"
        " *     %s_rhs(t, x, dxdt, work);         at every step, in the present mode\n"
        " *     %s_outputs(t, x, y, work);\n"
        " *     %s_project(t, x, work);           after every step\n"
        " *     %s_keep(t, x, work);              before a step: its sides are kept\n"
        " *     %s_conditions(t, x, g, work);     a change of sign is an event: end there\n"
        " *     %s_next_moment(t, work);          end there, too\n%s"
        " *     %s_remember(t, x, work);          there, just before,\n"
        " *     %s_jump(t, x, work);              and just after: the mode is chosen, x are its\n"
        " *                                       states; 0, 5: the mode was not exported (see\n"
        " *                                       %s_wanted), 4: an impulse has no size, 1: "
        "fails\n"
        " *     %s_mode(work), %s_states(work)    the present mode, and how many x it has\n",
        n, n, n, n, n, n, n, n, n, n, n, n,
        m->angles ? ct_printf(m->f->model->ctx,
                              " *     %s_angles(t, x, a, work);         what turns in conditions: "
                              "look at them\n *                                       before one "
                              "changes by 0.3\n",
                              n)
                  : "",
        n, n, n, n, n);
    ct_put(m->own.out, " * ");
    ct_c_put_compiling(&m->own, "");
}

static void put_prototypes(const modal_sheet *m)
{
    const char *n = m->own.name;
    ct_putf(m->own.out,
            "void %s_prepare(const double *p, double *work);\n"
            "int %s_mode(const double *work);\n"
            "int %s_states(const double *work);\n"
            "int %s_wanted(int item, const double *work);\n"
            "int %s_rhs(double t, const double *x, double *dxdt, double *work);\n"
            "int %s_outputs(double t, const double *x, double *y, double *work);\n"
            "int %s_project(double t, double *x, double *work);\n"
            "int %s_keep(double t, const double *x, double *work);\n"
            "void %s_release(double *work);\n"
            "int %s_conditions(double t, const double *x, double *g, double *work);\n"
            "double %s_next_moment(double t, const double *work); /* HUGE_VAL: none */\n"
            "int %s_remember(double t, const double *x, double *work);\n"
            "int %s_jump(double t, double *x, double *work);\n%s\n",
            n, n, n, n, n, n, n, n, n, n, n, n, n,
            m->angles ? ct_printf(m->f->model->ctx,
                                  "int %s_angles(double t, const double *x, double *a, double "
                                  "*work);\n",
                                  n)
                      : "");
}

static void put_head(const modal_sheet *m)
{
    const ct_modal_formulas *f = m->f;
    ct_text *out = m->own.out;
    ct_c_put_title(&m->own);
    ct_put(out,
           " * x' = f(t, x), y = h(t, x), with equations and states of their own in each mode.\n"
           " *\n * Modes\n");
    for (uint32_t k = 0; k < f->mode_count; k++)
        if (f->mode[k].f && !f->mode[k].source)
            put_title(m, k);
    ct_c_put_list(&m->own, "States at the start", "x", m->own.f->state, m->own.f->state_count);
    ct_c_put_list(&m->own, "Parameters", "p", f->parameter, f->parameter_count);
    ct_c_put_list(&m->own, "Outputs", "y", m->own.f->output, m->own.f->output_count);
    put_usage(m);
    ct_c_put_includes(&m->own);
    put_prototypes(m);
    ct_c_put_table_prototype(&m->own);
}

/* The sources of choice/, as they are. */
static void put_choice(const modal_sheet *m)
{
    const char *const texts[] = {"choice.h", "lasts.c",  "dense.c",  "lines.c",
                                 "bounce.c", "choose.c", "strike.c", NULL};
    ct_put(m->own.out, "#define CT_CHOICE static\n");
    for (uint32_t i = 0; texts[i]; i++)
        ct_c_put_snippet(&m->own, texts[i], NULL);
}

static void put_runtime(const modal_sheet *m)
{
    const char *const texts[] = {"modes.txt", "strike.txt",      "modes_user.txt",
                                 "step.txt",  "happen_none.txt", NULL};
    for (uint32_t i = 0; texts[i]; i++)
        ct_c_put_snippet(&m->own, texts[i], NULL);
    ct_putf(m->own.out, "enum { %s_SKIPS = 0, %s_POSITIVE = %u };\n\n", m->own.name, m->own.name,
            2 * m->f->item_count);
    if (m->angles)
        ct_c_put_snippet(&m->own, "modes_angles.txt", NULL);
    ct_c_put_go(&m->own, m->angles);
    ct_c_put_snippet(&m->own, "main_rows.txt", NULL);
    ct_c_put_snippet(&m->own, "modes_end.txt", NULL);
    ct_c_put_snippet(&m->own, "main.txt", NULL);
}

static void put_work_size(const modal_sheet *m)
{
    const char *n = m->own.name;
    uint32_t work = 0;
    for (uint32_t k = 0; k < m->f->mode_count; k++)
        work += m->f->mode[k].f ? m->f->mode[k].f->state_count + m->part[k].work : 0;
    ct_putf(m->own.out, "enum { %s_WORK = %s_AT_PARTS + %u };\n\n", n, n, work);
    ct_putf(m->own.out, "const int %s_event_jumps[] = {", n);
    for (uint32_t i = 0; i < m->events + 2 * m->f->item_count; i++)
        ct_put(m->own.out, "1, ");
    ct_put(m->own.out, "0};\n\n");
}

bool ct_put_c_modes(const ct_modal_formulas *f, ct_arena *arena, ct_text *out)
{
    modal_sheet m = {.f = f, .part = CT_NEW_ARRAY(arena, ct_c_sheet, f->mode_count + 1)};
    ct_text body = ct_text_new(arena);
    m.own = (ct_c_sheet){.f = f->mode[f->start_mode].f,
                         .arena = arena,
                         .out = out,
                         .name = ct_program_name(f->model->ctx, f->model->name, arena)};
    m.outputs = m.own.f->output_count;
    for (uint32_t k = 0; k < f->mode_count; k++)
        if (!put_part(&m, k, &body))
            return false;
    put_head(&m);
    ct_c_put_helpers(&m.own);
    put_choice(&m);
    ct_put_bytes(out, ct_text_string(&body), body.length);
    put_sizes(&m);
    put_tables(&m);
    put_work_size(&m);
    put_runtime(&m);
    return true;
}
