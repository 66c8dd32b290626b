/* c.c - the order of the file: comment and numbers (c_head.c), functions made from the programs
 * (compile/write_c.c), then those a user calls. */
#include "export/c.h"

#include <string.h>

#include "compile/write_c.h"
#include "export/code.h"

enum { MOST_ALGEBRAIC = 1000 };

/* ---- names */

static const char *const *rate_notes(const ct_c_sheet *s)
{
    const ct_formulas *f = s->f;
    const char **note = CT_NEW_ARRAY(s->arena, const char *, f->state_count + f->algebraic_count);
    for (uint32_t i = 0; i < f->state_count; i++)
        note[i] = ct_printf(f->model->ctx, "der(%s)", f->state[i].name);
    for (uint32_t i = 0; i < f->algebraic_count; i++)
        note[f->state_count + i] = "= 0";
    return note;
}

static const char *const *output_notes(const ct_c_sheet *s)
{
    const ct_formulas *f = s->f;
    const char **note = CT_NEW_ARRAY(s->arena, const char *, f->output_count);
    for (uint32_t i = 0; i < f->output_count; i++)
        note[i] = f->output[i].name;
    return note;
}

/* ---- functions from programs */

bool ct_c_put_program(ct_c_sheet *s, const ct_program_def *def, const char *name,
                      const char *const *note, ct_text *out)
{
    const ct_formulas *f = s->f;
    ct_expr stranger;
    ct_c_program program = {.def = *def,
                            .x_count = f->state_count,
                            .w_count = f->algebraic_count,
                            .name = ct_printf(f->model->ctx, "%s_%s", s->name, name),
                            .note = note,
                            .work = s->own_work};
    if (!ct_program_put_c(&program, s->arena, out, &stranger))
        return false;
    s->own_work = program.work_end;
    s->calls |= program.calls;
    if (def == &f->equations)
        s->statements = program.statements;
    return true;
}

/* A program that sides of conditions change is there twice. */
static bool put_sided(ct_c_sheet *s, const ct_program_def *free, const ct_program_def *kept,
                      const char *name, const char *const *note, ct_text *out)
{
    ct_context *ctx = s->f->model->ctx;
    if (!s->f->holds)
        return ct_c_put_program(s, free, name, note, out);
    return ct_c_put_program(s, free, ct_printf(ctx, "%s_free", name), note, out) &&
           ct_c_put_program(s, kept, ct_printf(ctx, "%s_kept", name), note, out);
}

bool ct_c_put_programs(ct_c_sheet *s, ct_text *out)
{
    const ct_formulas *f = s->f;
    bool good = put_sided(s, &f->equations, &f->kept, "equations", rate_notes(s), out) &&
                ct_c_put_program(s, &f->outputs, "observe", output_notes(s), out);
    if (good && f->slope)
        good = put_sided(s, &f->slopes, &f->kept_slopes, "slope", NULL, out);
    if (good && f->invariant_count)
        good = ct_c_put_program(s, &f->invariants, "c", NULL, out) &&
               ct_c_put_program(s, &f->invariant_slopes, "c_slope", NULL, out);
    if (good && ct_c_has_events(f))
        good = ct_c_put_program(s, &f->conditions, "condition", NULL, out) &&
               (!f->angles.output_count || ct_c_put_program(s, &f->angles, "angle", NULL, out)) &&
               ct_c_put_program(s, &f->moments, "moment", NULL, out);
    return good && ct_c_put_act_programs(s, out) && ct_c_put_jump_programs(s, out) &&
           ct_c_put_mode_programs(s, out);
}

/* ---- the envelope of J J^T: row i begins where the first row begins that shares a column */

void ct_c_find_envelope(ct_c_sheet *s)
{
    const ct_jacobian *j = s->f->invariant_slope;
    if (!j)
        return;
    s->normal_first = CT_NEW_ARRAY(s->arena, uint32_t, j->rows);
    s->normal_begin = CT_NEW_ARRAY(s->arena, uint32_t, j->rows);
    for (uint32_t i = 0; i < j->rows; i++)
        s->normal_first[i] = i;
    for (uint32_t k = 0; k < j->cols; k++)
        for (uint32_t a = j->start[k]; a < j->start[k + 1]; a++)
            if (j->row[j->start[k]] < s->normal_first[j->row[a]])
                s->normal_first[j->row[a]] = j->row[j->start[k]];
    for (uint32_t i = 0; i < j->rows; i++) {
        s->normal_begin[i] = s->normal;
        s->normal += i - s->normal_first[i] + 1;
    }
}

/* What the solvers of the file need behind the programs' part of the work space: newton.txt,
 * project.txt. */
void ct_c_count_work(ct_c_sheet *s)
{
    const ct_formulas *f = s->f;
    uint32_t m = f->algebraic_count;
    s->solve_work = s->own_work;
    if (m)
        s->solve_work += 6 * m + f->state_count + f->slope->count + m * m;
    s->work = s->solve_work;
    if (f->invariant_count)
        s->work += f->invariant_count + f->invariant_slope->count + s->normal;
    s->event_work = s->work;
    s->act_work = s->work += f->events->root.count + 2 * f->events->moment.count;
    s->jump_work = s->work += ct_c_act_work(f);
    s->work += ct_c_jump_work(f);
}

/* Elimination in the file is dense. */
void ct_c_check_size(const ct_formulas *f)
{
    ct_context *ctx = f->model->ctx;
    if (f->algebraic_count <= MOST_ALGEBRAIC)
        return;
    ct_report *r = ct_error(ctx, "E902", (ct_place){0}, "%u algebraic unknowns, more than %d",
                            f->algebraic_count, MOST_ALGEBRAIC);
    ct_note(r,
            "an exported file solves its algebraic equations by dense elimination, at every call");
    ct_help(r, "use `cotree run`, which knows sparse matrices");
    ct_throw(ctx, CT_ERR_LIMIT);
}

/* ---- functions for the user */

enum { CIRCLES = CT_C_SIN | CT_C_COS | CT_C_SINCOS, EXPONENTIALS = CT_C_EXP | CT_C_LOG };

/* Compilers complain of functions that nobody calls. */
static void put_unused(const ct_c_sheet *s)
{
    static const struct {
        uint32_t call, together; /* in one text */
        const char *name;
    } rows[] = {{CT_C_SIN, CIRCLES, "sin"},
                {CT_C_COS, CIRCLES, "cos"},
                {CT_C_SINCOS, CIRCLES, "sincos"},
                {CT_C_EXP, EXPONENTIALS, "exp"},
                {CT_C_LOG, EXPONENTIALS, "log"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((s->calls & rows[i].together) && !(s->calls & rows[i].call))
            ct_putf(s->out, "    (void)ct_%s;\n", rows[i].name);
}

static void put_prepare(const ct_c_sheet *s)
{
    const ct_formulas *f = s->f;
    bool events = ct_c_has_events(f), loops = f->invariant_count;
    const struct {
        const char *part;
        bool there;
    } rows[] = {{"equations", !f->holds},
                {"equations_free", f->holds},
                {"equations_kept", f->holds},
                {"observe", true},
                {"slope", f->slope && !f->holds},
                {"slope_free", f->slope && f->holds},
                {"slope_kept", f->slope && f->holds},
                {"c", loops},
                {"c_slope", loops},
                {"condition", events},
                {"angle", events && f->angles.output_count},
                {"moment", events}};
    ct_putf(s->out, "void %s_prepare(const double *p, double *work)\n{\n", s->name);
    put_unused(s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].there)
            ct_putf(s->out, "    %s_%s_prepare(p, work);\n", s->name, rows[i].part);
    if (f->algebraic_count)
        ct_putf(s->out,
                "    for (int i = 0; i < %s_ALGEBRAIC; i++)\n"
                "        work[%s_AT_W + i] = %s_start_algebraic[i];\n",
                s->name, s->name, s->name);
    ct_c_put_act_prepare(s);
    ct_c_put_jump_prepare(s);
    ct_c_put_mode_prepare(s);
    if (events)
        ct_putf(s->out,
                "    %s_moment(0, p, %swork, work + %s_AT_MOMENT);\n    %s_release(work);\n",
                s->name, f->algebraic_count ? "p, " : "", s->name, s->name);
    ct_put(s->out, "}\n\n");
}

static void put_constraints(const ct_c_sheet *s)
{
    const char *w =
        s->f->algebraic_count ? ct_printf(s->f->model->ctx, "work + %s_AT_W, ", s->name) : "";
    ct_putf(s->out,
            "void %s_constraints(double t, const double *x, double *c, double *work)\n{\n"
            "    %s_c(t, x, %swork, c);\n}\n\n"
            "void %s_constraints_slope(double t, const double *x, double *slope, double *work)\n{\n"
            "    %s_c_slope(t, x, %swork, slope);\n}\n\n",
            s->name, s->name, w, s->name, s->name, w);
}

static void put_no_jumps(const ct_c_sheet *s)
{
    ct_c_put_snippet(s, "remember_none.txt", NULL);
    if (!s->f->modal)
        ct_c_put_snippet(s, "jump_none.txt", NULL);
}

/* All but the run. */
void ct_c_put_functions(const ct_c_sheet *s)
{
    const ct_formulas *f = s->f;
    bool events = ct_c_has_events(f);
    ct_c_put_choices(s);
    if (f->algebraic_count)
        ct_c_put_snippet(s, "newton.txt", NULL);
    if (events) {
        ct_c_put_events(s);
        ct_c_put_jumps(s);
    }
    if (!f->jumps && f->acts)
        put_no_jumps(s);
    ct_c_put_acts(s);
    put_prepare(s);
    ct_c_put_snippet(s,
                     f->algebraic_count && ct_c_has_rest(f) ? "rhs_solved_rests.txt"
                     : f->algebraic_count                   ? "rhs_solved.txt"
                     : ct_c_has_rest(f)                     ? "rhs_rests.txt"
                                                            : "rhs.txt",
                     NULL);
    if (f->invariant_count)
        put_constraints(s);
    ct_c_put_snippet(s, f->invariant_count ? "project.txt" : "project_none.txt", NULL);
}

static void put_run(const ct_c_sheet *s)
{
    const ct_formulas *f = s->f;
    bool events = ct_c_has_events(f);
    ct_c_put_snippet(s, "step.txt", NULL);
    if (events && !f->jumps && !f->acts)
        put_no_jumps(s);
    ct_c_put_snippet(s, !events ? "go.txt" : f->acts ? "happen.txt" : "happen_none.txt", NULL);
    if (events) {
        ct_putf(s->out, "enum { %s_SKIPS = %d, %s_POSITIVE = 0 };\n\n", s->name,
                !f->acts && !f->jumps, s->name);
        ct_c_put_go(s, f->angles.output_count);
    }
    ct_c_put_snippet(s, "main_rows.txt", NULL);
    ct_c_put_snippet(s, "main_end.txt", NULL);
    ct_c_put_snippet(s, "main.txt", NULL);
}

/* Sources of ours that the programs call. */
void ct_c_put_helpers(const ct_c_sheet *s)
{
    if (s->calls & CIRCLES) {
        ct_put(s->out, "#define CT_SINCOS static\n");
        ct_c_put_snippet(s, "sincos.c", "/* ---- many at once");
    }
    if (s->calls & EXPONENTIALS) {
        ct_put(s->out, "#define CT_EXPLOG static\n");
        ct_c_put_snippet(s, "explog.c", "/* ---- four at once");
    }
    if (s->calls & CT_C_TABLE)
        ct_c_put_snippet(s, "table.c", NULL);
    if (ct_c_has_rest(s->f)) {
        ct_put(s->out, "#define CT_CHOICE static\n");
        ct_c_put_snippet(s, "impulse.c", NULL);
        if (s->f->acts->contacts)
            ct_c_put_snippet(s, "impact.c", NULL);
    }
}

/* Variables of programs that stand in the work space. */
uint32_t ct_c_held_work(const ct_formulas *f)
{
    return f->memory + ct_c_jump_variables(f) +
           (ct_c_has_events(f) ? f->events->root.count + 1 : 0) +
           (ct_c_has_rest(f) ? f->acts->push_count : 0);
}

bool ct_put_c(const ct_formulas *f, ct_arena *arena, ct_text *out)
{
    ct_c_sheet s = {.f = f,
                    .arena = arena,
                    .out = out,
                    .name = ct_program_name(f->model->ctx, f->model->name, arena)};
    ct_text programs = ct_text_new(arena);
    ct_c_check_size(f);
    s.own_work = ct_c_held_work(f);
    if (!ct_c_put_programs(&s, &programs))
        return false;
    ct_c_find_envelope(&s);
    ct_c_count_work(&s);
    ct_c_put_head(&s);
    ct_c_put_helpers(&s);
    ct_c_put_data(&s);
    ct_put_bytes(out, ct_text_string(&programs), programs.length);
    ct_c_put_functions(&s);
    put_run(&s);
    return true;
}
