/* c_head.c - the comment at the top of a C file, and its tables of names and numbers. */
#include "export/c.h"

#include <math.h>
#include <string.h>

#include "compile/write_c.h"

/* ---- texts */

static const ct_snippet *find_snippet(const char *name)
{
    const ct_snippet *at = ct_snippets;
    while (at->name && strcmp(at->name, name) != 0)
        at++;
    return at;
}

/* A line, with the name in place of the word MODEL. */
static void put_line(const ct_c_sheet *s, const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (i + 5 <= length && strncmp(line + i, "MODEL", 5) == 0) {
            ct_put(s->out, s->name);
            i += 4;
        } else {
            ct_put_char(s->out, line[i]);
        }
}

/* Lines that include headers of the sources are left out: what they give is there already. */
void ct_c_put_snippet(const ct_c_sheet *s, const char *name, const char *end)
{
    const char *line = find_snippet(name)->text;
    while (line && *line && !(end && strncmp(line, end, strlen(end)) == 0)) {
        size_t length = strcspn(line, "\n") + 1;
        if (strncmp(line, "#include \"", 10) != 0)
            put_line(s, line, length);
        line += length;
    }
}

/* A string of C. Question marks are escaped because of trigraphs. */
static void put_string(ct_text *out, const char *text)
{
    ct_put_char(out, '"');
    for (; *text; text++) {
        if (strchr("\"\\?", *text))
            ct_put_char(out, '\\');
        if ((unsigned char)*text < ' ')
            ct_putf(out, "\\%03o", (unsigned)*text);
        else
            ct_put_char(out, *text);
    }
    ct_put_char(out, '"');
}

/* Inside of a comment. */
void ct_c_put_words(ct_text *out, const char *text)
{
    for (; *text; text++) {
        ct_put_char(out, (unsigned char)*text < ' ' ? ' ' : *text);
        if ((*text == '*' && text[1] == '/') || (*text == '/' && text[1] == '*'))
            ct_put_char(out, ' ');
    }
}

/* ---- the comment */

enum { LONGEST_LIST = 60 };

void ct_c_put_list(const ct_c_sheet *s, const char *title, const char *array,
                   const ct_shown_value *list, uint32_t count)
{
    if (!count)
        return;
    ct_putf(s->out, " *\n * %s\n", title);
    for (uint32_t i = 0; i < count && i < LONGEST_LIST; i++) {
        ct_putf(s->out, " *     %s[%u]  ", array, i);
        ct_c_put_words(s->out, list[i].name);
        ct_putf(s->out, *list[i].unit ? " [%s]\n" : "\n", list[i].unit);
    }
    if (count > LONGEST_LIST)
        ct_putf(s->out, " *     and %u more: see the names below\n", count - LONGEST_LIST);
}

void ct_c_put_compiling(const ct_c_sheet *s, const char *end)
{
    const char *n = s->name;
    ct_putf(
        s->out,
        "Arrays must not overlap; each thread has its own work.\n"
        " *\n * Compile\n"
        " *     cc -std=c99 -O1 -ffp-contract=off -c %s.c\n"
        " *     cc -std=c99 -O1 -ffp-contract=off -D%s_MAIN %s.c -lm -o %s && ./%s > %s.csv\n"
        " * The second makes a program: ./%s [STOP [ROWS [STEPS]]], fixed steps of Runge-Kutta's\n"
        " * method.%s */\n",
        n, n, n, n, n, n, n, end);
}

static void put_usage(const ct_c_sheet *s)
{
    const char *n = s->name;
    ct_putf(s->out,
            " *\n * Use\n"
            " *     double work[%s_WORK], p[%s_PARAMETERS], x[...], dxdt[...], y[...];\n"
            " *     copy %s_parameter_value to p and %s_start_state to x\n"
            " *     %s_prepare(p, work);              once, and again when p has changed\n"
            " *     %s_rhs(t, x, dxdt, work);         at every step\n"
            " *     %s_outputs(t, x, y, work);\n",
            n, n, n, n, n, n, n);
    if (s->f->invariant_count)
        ct_putf(
            s->out,
            " *     %s_project(t, x, work);           after every step: closes the loops again\n",
            n);
    if (ct_c_has_events(s->f))
        ct_putf(s->out,
                " * Where something jumps or bends (%s_EVENTS conditions, %s_MOMENTS times)\n"
                " *     %s_keep(t, x, work);              before a step: its sides are kept\n"
                " *     %s_conditions(t, x, g, work);     a change of sign is an event: end there\n"
                " *     %s_next_moment(t, work);          end there, too\n"
                " *     %s_release(work);                 sides as they are, as after prepare\n",
                n, n, n, n, n, n);
    if (ct_c_has_events(s->f) && s->f->angles.output_count)
        ct_putf(s->out,
                " *     %s_angles(t, x, a, work);         %s_ANGLES arguments of sines in them: "
                "look at\n"
                " *                                       conditions before one changes by 0.3\n",
                n, n);
    if (s->f->jumps)
        ct_putf(
            s->out,
            " * What is stored jumps where something jumps\n"
            " *     %s_remember(t, x, work);          just before, sides kept\n"
            " *     %s_jump(t, x, work);              just after: x is moved; 0, 4: the impulse "
            "has\n"
            " *                                       no size, 1: fails\n",
            n, n);
    if (s->f->acts)
        ct_putf(
            s->out,
            " * What `when` and `every` do\n"
            " *     %s_happen(t, x, work);            at the start, at moments (see them just\n"
            " *                                       after) and after events: x is set; 0, or 2: "
            "the\n"
            " *                                       run ends, 1: fails\n",
            n);
    ct_put(s->out, " * A function that fails returns 1. ");
    ct_c_put_compiling(s, " With contraction off (no fused multiply-add) and without -ffast-math "
                          "the values\n * are those of Cotree bit for bit.");
}

static void put_prototypes(const ct_c_sheet *s)
{
    const char *n = s->name;
    ct_putf(s->out,
            "void %s_prepare(const double *p, double *work);\n"
            "int %s_rhs(double t, const double *x, double *dxdt, double *work);\n"
            "int %s_outputs(double t, const double *x, double *y, double *work);\n"
            "int %s_project(double t, double *x, double *work);\n",
            n, n, n, n);
    if (s->f->invariant_count)
        ct_putf(
            s->out,
            "/* c = 0: positions and velocities of closed loops; their slopes by x stand in\n"
            " * columns: column j has the rows %s_c_row[%s_c_start[j]] .. */\n"
            "void %s_constraints(double t, const double *x, double *c, double *work);\n"
            "void %s_constraints_slope(double t, const double *x, double *slope, double *work);\n",
            n, n, n, n);
    if (ct_c_has_events(s->f))
        ct_putf(s->out,
                "int %s_keep(double t, const double *x, double *work);\n"
                "void %s_release(double *work);\n"
                "int %s_conditions(double t, const double *x, double *g, double *work);\n"
                "double %s_next_moment(double t, const double *work); /* HUGE_VAL: none */\n",
                n, n, n, n);
    if (ct_c_has_events(s->f) && s->f->angles.output_count)
        ct_putf(s->out, "int %s_angles(double t, const double *x, double *a, double *work);\n", n);
    if (s->f->jumps)
        ct_putf(s->out,
                "int %s_remember(double t, const double *x, double *work);\n"
                "int %s_jump(double t, double *x, double *work);\n",
                n, n);
    if (s->f->acts)
        ct_putf(s->out, "int %s_happen(double t, double *x, double *work);\n", n);
    ct_put_char(s->out, '\n');
}

void ct_c_put_title(const ct_c_sheet *s)
{
    const char *title = s->f->model->title;
    ct_putf(s->out, "/* %s.c", s->name);
    if (title) {
        ct_put(s->out, " - ");
        ct_c_put_words(s->out, title);
    }
    ct_putf(s->out, "\n * Made by Cotree %s from a model text; do not edit.\n *\n", CT_VERSION);
}

void ct_c_put_includes(const ct_c_sheet *s)
{
    ct_putf(s->out, "#include <math.h>\n%s\n",
            s->calls & CT_C_TABLE ? "#include <stdbool.h>\n#include <stdint.h>\n" : "");
    ct_put(s->out, "#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n#endif\n\n");
}

void ct_c_put_table_prototype(const ct_c_sheet *s)
{
    if (s->calls & CT_C_TABLE)
        ct_put(s->out, "static double ct_table_value(const double *v, uint32_t count, "
                       "int derivative);\n\n");
}

void ct_c_put_head(const ct_c_sheet *s)
{
    const ct_formulas *f = s->f;
    ct_c_put_title(s);
    ct_putf(s->out, " * x' = f(t, x), y = h(t, x): %u statements for each f.\n", s->statements);
    if (f->algebraic_count)
        ct_put(s->out, " * Algebraic equations 0 = g(t, x, w) are solved for w at every call.\n");
    if (f->invariant_count)
        ct_putf(s->out, " * Closed loops: %u constraints c(t, x) = 0.\n", f->invariant_count);
    ct_c_put_list(s, "States", "x", f->state, f->state_count);
    ct_c_put_list(s, "Algebraic unknowns", "w", f->algebraic, f->algebraic_count);
    ct_c_put_list(s, "Parameters", "p", f->parameter, f->parameter_count);
    ct_c_put_list(s, "Outputs", "y", f->output, f->output_count);
    ct_c_put_list(s, "Discretes", "work", f->discrete, f->discrete_count);
    put_usage(s);
    ct_c_put_includes(s);
    put_prototypes(s);
    ct_c_put_table_prototype(s);
}

/* ---- names and numbers */

void ct_c_put_texts(const ct_c_sheet *s, const char *what, const ct_shown_value *list,
                    uint32_t count, bool units)
{
    ct_putf(s->out, "const char *const %s_%s[] = {\n", s->name, what);
    for (uint32_t i = 0; i < count; i++) {
        ct_put(s->out, "    ");
        put_string(s->out, units ? list[i].unit : list[i].name);
        ct_put(s->out, ",\n");
    }
    ct_put(s->out, "    0};\n");
}

void ct_c_put_numbers(const ct_c_sheet *s, const char *what, const ct_shown_value *list,
                      uint32_t count)
{
    ct_putf(s->out, "const double %s_%s[] = {\n", s->name, what);
    for (uint32_t i = 0; i < count; i++) {
        ct_put(s->out, "    ");
        ct_put_c_number(s->out, list[i].value);
        ct_put(s->out, ", /* ");
        ct_c_put_words(s->out, list[i].name);
        ct_put(s->out, " */\n");
    }
    ct_put(s->out, "    0};\n");
}

static void put_integers(const ct_c_sheet *s, const char *what, const uint32_t *list,
                         uint32_t count)
{
    ct_putf(s->out, "const int %s_%s[] = {", s->name, what);
    for (uint32_t i = 0; i < count; i++)
        ct_putf(s->out, "%s%u,", i % 16 == 0 ? "\n    " : " ", list[i]);
    ct_put(s->out, count % 16 == 0 ? "\n    0};\n" : " 0};\n");
}

void ct_c_put_indices(const ct_c_sheet *s, const char *what, const uint32_t *list, uint32_t count)
{
    ct_put(s->out, "static ");
    put_integers(s, what, list, count);
}

void ct_c_put_public_truths(const ct_c_sheet *s, const char *what, const bool *list, uint32_t count)
{
    uint32_t *number = CT_NEW_ARRAY(s->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        number[i] = list[i];
    put_integers(s, what, number, count);
}

void ct_c_put_truths(const ct_c_sheet *s, const char *what, const bool *list, uint32_t count)
{
    ct_put(s->out, "static ");
    ct_c_put_public_truths(s, what, list, count);
}

void ct_c_put_sizes(const ct_c_sheet *s)
{
    const ct_formulas *f = s->f;
    bool events = ct_c_has_events(f);
    const struct {
        const char *word;
        uint32_t size;
        bool needed;
    } rows[] = {{"STATES", f->state_count, true},
                {"PARAMETERS", f->parameter_count, true},
                {"OUTPUTS", f->output_count, true},
                {"WORK", s->work ? s->work : 1, true},
                {"ALGEBRAIC", f->algebraic_count, f->algebraic_count},
                {"SLOPES", f->slope ? f->slope->count : 0, f->algebraic_count},
                {"OWN_WORK", s->own_work, f->algebraic_count},
                {"CONSTRAINTS", f->invariant_count, f->invariant_count},
                {"CONSTRAINT_SLOPES", f->invariant_slope ? f->invariant_slope->count : 0,
                 f->invariant_count},
                {"NORMAL", s->normal, f->invariant_count},
                {"SOLVE_WORK", s->solve_work, f->invariant_count},
                {"EVENTS", ct_c_event_count(f), events},
                {"ANGLES", f->angles.output_count, events && f->angles.output_count},
                {"ROOTS", f->events->root.count, events},
                {"MOMENTS", f->events->moment.count, events},
                {"AT_SIDE", f->memory, events},
                {"KEEPS", f->memory + f->events->root.count + ct_c_jump_variables(f), events},
                {"AT_CONDITION", s->event_work, events},
                {"AT_MOMENT", s->event_work + f->events->root.count, events}};
    ct_put(s->out, "enum {\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].needed)
            ct_putf(s->out, "    %s_%s = %u,\n", s->name, rows[i].word, rows[i].size);
    ct_c_put_act_sizes(s);
    ct_c_put_jump_sizes(s);
    ct_putf(s->out, "    %s_ROWS = %u /* of a run */\n};\n\n", s->name, f->points);
}

void ct_c_put_patterns(const ct_c_sheet *s)
{
    const ct_formulas *f = s->f;
    if (f->slope) {
        ct_c_put_indices(s, "slope_start", f->slope->start, f->slope->cols + 1);
        ct_c_put_indices(s, "slope_row", f->slope->row, f->slope->count);
    }
    if (!f->invariant_count)
        return;
    ct_c_put_indices(s, "c_start", f->invariant_slope->start, f->invariant_slope->cols + 1);
    ct_c_put_indices(s, "c_row", f->invariant_slope->row, f->invariant_slope->count);
    ct_c_put_indices(s, "normal_first", s->normal_first, f->invariant_count);
    ct_c_put_indices(s, "normal_begin", s->normal_begin, f->invariant_count);
    ct_c_put_truths(s, "is_velocity", f->speed_invariant, f->invariant_count);
    ct_c_put_truths(s, "is_speed", f->speed_state, f->state_count);
}

void ct_c_put_data(const ct_c_sheet *s)
{
    const ct_formulas *f = s->f;
    ct_c_put_sizes(s);
    ct_putf(s->out, "const double %s_start_time = ", s->name);
    ct_put_c_number(s->out, f->start);
    ct_putf(s->out, ", %s_stop_time = ", s->name);
    ct_put_c_number(s->out, isnan(f->stop) ? f->start + 1 : f->stop);
    ct_put(s->out, ";\n");
    ct_c_put_texts(s, "state_name", f->state, f->state_count, false);
    ct_c_put_texts(s, "state_unit", f->state, f->state_count, true);
    ct_c_put_numbers(s, "start_state", f->state, f->state_count);
    if (f->algebraic_count) {
        ct_c_put_texts(s, "algebraic_name", f->algebraic, f->algebraic_count, false);
        ct_c_put_numbers(s, "start_algebraic", f->algebraic, f->algebraic_count);
    }
    ct_c_put_texts(s, "parameter_name", f->parameter, f->parameter_count, false);
    ct_c_put_texts(s, "parameter_unit", f->parameter, f->parameter_count, true);
    ct_c_put_numbers(s, "parameter_value", f->parameter, f->parameter_count);
    ct_c_put_texts(s, "output_name", f->output, f->output_count, false);
    ct_c_put_texts(s, "output_unit", f->output, f->output_count, true);
    ct_c_put_patterns(s);
    ct_c_put_event_data(s);
    if (f->discrete_count) {
        ct_c_put_texts(s, "discrete_name", f->discrete, f->discrete_count, false);
        ct_c_put_numbers(s, "start_discrete", f->discrete, f->discrete_count);
    }
    ct_c_put_act_data(s);
    ct_c_put_jump_data(s);
    ct_put_char(s->out, '\n');
}
