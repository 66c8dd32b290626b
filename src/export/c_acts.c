/* c_acts.c - `when` and `every` in a C file: tables, programs, and the parts that use them. */
#include "export/c.h"

#include "simulate/impact.h"

static uint32_t clocks_of(const ct_formulas *f)
{
    return f->acts ? f->acts->count - f->acts->when_count : 0;
}

enum { BLOW = 9 }; /* numbers of each push, see pushes.txt */

/* Behind each other: truths before, ticks, clocks, whether it has begun, blows, and of all of them
 * how many were close, and when the last one was; impulses of the last instant. */
uint32_t ct_c_act_work(const ct_formulas *f)
{
    return f->acts
               ? f->acts->when_count + 3 * clocks_of(f) + 1 + (BLOW + 1) * f->acts->push_count + 2
               : 0;
}

bool ct_c_put_act_programs(ct_c_sheet *s, ct_text *out)
{
    const ct_formula_acts *a = s->f->acts;
    if (!a)
        return true;
    bool good = ct_c_put_program(s, &a->truth, "truth", NULL, out) &&
                ct_c_put_program(s, &a->clock, "clock", NULL, out);
    for (uint32_t i = 0; i < a->count && good; i++)
        good =
            ct_c_put_program(s, &a->value[i], ct_printf(s->f->model->ctx, "value%u", i), NULL, out);
    return good &&
           (!a->push_count || (ct_c_put_program(s, &a->pushed, "pushed_at", NULL, out) &&
                               ct_c_put_program(s, &a->gradient, "gradient_at", NULL, out) &&
                               ct_c_put_program(s, &a->move, "move_at", NULL, out))) &&
           (!a->contacts || ct_c_put_program(s, &a->gap, "gap_at", NULL, out));
}

void ct_c_put_act_sizes(const ct_c_sheet *s)
{
    const ct_formula_acts *a = s->f->acts;
    uint32_t clocks = clocks_of(s->f), at = s->act_work;
    if (s->f->discrete_count || a)
        ct_putf(s->out, "    %s_DISCRETES = %u,\n", s->name, s->f->discrete_count);
    if (!a)
        return;
    const struct {
        const char *word;
        uint32_t size;
    } rows[] = {{"ACTS", a->count},
                {"WHENS", a->when_count},
                {"CLOCKS", clocks},
                {"PUSHES", a->push_count},
                {"MOST_SETS", a->most_sets},
                {"AT_WAS", at},
                {"AT_TICK", at + a->when_count},
                {"AT_CLOCK", at + a->when_count + clocks},
                {"AT_BEGUN", at + a->when_count + 3 * clocks},
                {"AT_BLOW", at + a->when_count + 3 * clocks + 1},
                {"AT_CLOSE", at + a->when_count + 3 * clocks + 1 + BLOW * a->push_count},
                {"AT_IMPULSE", at + a->when_count + 3 * clocks + 1 + BLOW * a->push_count + 2},
                {"CONTACTS", a->contacts ? a->contacts->count : 0},
                {"AT_FORCE", 2 * s->f->discrete_count + s->f->events->root.count +
                                 ct_c_jump_variables(s->f) + 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ct_putf(s->out, "    %s_%s = %u,\n", s->name, rows[i].word, rows[i].size);
    if (a->push_count && !s->f->jumps)
        ct_putf(s->out, "    %s_UNKNOWNS = %u,\n", s->name,
                s->f->state_count + s->f->algebraic_count);
}

static void put_push_data(const ct_c_sheet *s)
{
    const ct_formula_acts *a = s->f->acts;
    uint32_t contacts = a->contacts ? a->contacts->count : 0;
    uint32_t *list = CT_NEW_ARRAY(s->arena, uint32_t, 3 * contacts + a->push_count + 1);
    if (!a->push_count)
        return;
    for (uint32_t i = 0; i < a->push_count; i++) /* 0: none */
        list[i] = a->push_when[i] == UINT32_MAX ? 0 : a->push_when[i] + 1;
    ct_c_put_indices(s, "push_when", list, a->push_count);
    ct_c_put_truths(s, "masked", a->masked, s->f->events->root.count * a->push_count);
    for (uint32_t i = 0; i < contacts; i++) {
        list[3 * i] = a->contacts->at[i].act;
        list[3 * i + 1] = a->contacts->at[i].push;
        list[3 * i + 2] = a->contacts->at[i].rule == CT_IMPACT_NEWTON ? 0 : 1;
    }
    if (contacts)
        ct_c_put_indices(s, "contact", list, 3 * contacts);
}

void ct_c_put_act_data(const ct_c_sheet *s)
{
    const ct_formula_acts *a = s->f->acts;
    uint32_t sets = 0;
    if (!a)
        return;
    ct_shown_value *shown = CT_NEW_ARRAY(s->arena, ct_shown_value, a->count);
    bool *ticks = CT_NEW_ARRAY(s->arena, bool, a->count),
         *ends = CT_NEW_ARRAY(s->arena, bool, a->count);
    uint32_t *first = CT_NEW_ARRAY(s->arena, uint32_t, a->count + 1),
             *kind = CT_NEW_ARRAY(s->arena, uint32_t, a->set_count + 1),
             *target = CT_NEW_ARRAY(s->arena, uint32_t, a->set_count + 1);
    for (uint32_t i = 0; i < a->count; i++) {
        const ct_act *act = &a->act[i];
        shown[i].name = act->of->label;
        ticks[i] = act->of->clock;
        ends[i] = act->why != NULL;
        for (uint32_t k = 0; k < act->set_count; k++) {
            kind[sets] = act->set[k].discrete      ? 0
                         : act->set[k].push        ? 2
                         : act->set[k].of->renames ? 3
                                                   : 1;
            target[sets++] = a->target[i][k];
        }
        first[i + 1] = sets;
    }
    ct_c_put_texts(s, "act_text", shown, a->count, false);
    ct_c_put_truths(s, "act_ticks", ticks, a->count);
    ct_c_put_truths(s, "act_ends", ends, a->count);
    ct_c_put_truths(s, "act_sees", a->sees, a->count);
    ct_c_put_truths(s, "act_moves", a->moves, s->f->discrete_count);
    ct_c_put_indices(s, "act_set", first, a->count + 1);
    ct_c_put_indices(s, "set_kind", kind, sets);
    ct_c_put_indices(s, "set_target", target, sets);
    put_push_data(s);
}

void ct_c_put_act_prepare(const ct_c_sheet *s)
{
    const ct_formula_acts *a = s->f->acts;
    const char *n = s->name;
    if (s->f->discrete_count)
        ct_putf(s->out,
                "    for (int i = 0; i < %s_DISCRETES; i++)\n"
                "        work[i] = work[%s_DISCRETES + i] = %s_start_discrete[i];\n",
                n, n, n);
    if (!a)
        return;
    ct_putf(s->out, "    %s_truth_prepare(p, work);\n    %s_clock_prepare(p, work);\n", n, n);
    for (uint32_t i = 0; i < a->count; i++)
        ct_putf(s->out, "    %s_value%u_prepare(p, work);\n", n, i);
    if (a->push_count)
        ct_putf(s->out,
                "    %s_pushed_at_prepare(p, work);\n    %s_gradient_at_prepare(p, work);\n"
                "    %s_move_at_prepare(p, work);\n",
                n, n, n);
    if (a->contacts)
        ct_putf(s->out, "    %s_gap_at_prepare(p, work);\n", n);
    ct_putf(s->out,
            "    for (int i = %s_AT_WAS; i < %s_AT_BLOW; i++)\n        work[i] = 0;\n"
            "    %s_begin_blows(work);\n"
            "    %s_clock(0, p, %swork, work + %s_AT_CLOCK);\n"
            "    for (int i = 0; i < %s_CLOCKS; i++)\n"
            "        while (%s_tick(i, work[%s_AT_TICK + i], work) < %s_start_time)\n"
            "            work[%s_AT_TICK + i] += 1;\n",
            n, n, n, n, s->f->algebraic_count ? "p, " : "", n, n, n, n, n, n);
}

/* Programs by their number, and with w where there is one. */
static void put_calls(const ct_c_sheet *s)
{
    const ct_formula_acts *a = s->f->acts;
    const char *n = s->name,
               *w = s->f->algebraic_count ? ct_printf(s->f->model->ctx, "work + %s_AT_W, ", n) : "";
    ct_putf(s->out,
            "static void %s_truths(double t, const double *x, double *work, double *y)\n{\n"
            "    %s_truth(t, x, %swork, y);\n}\n\n"
            "/* Times at which something jumps may depend on discretes. */\n"
            "static void %s_moments(double t, const double *x, double *work)\n{\n"
            "    %s_moment(t, x, %swork, work + %s_AT_MOMENT);\n}\n\n"
            "static void %s_values(int act, double t, const double *x, double *work, double *y)\n"
            "{\n    switch (act) {\n",
            n, n, w, n, n, w, n, n);
    for (uint32_t i = 0; i < a->count; i++)
        ct_putf(s->out, "    case %u:\n        %s_value%u(t, x, %swork, y);\n        break;\n", i,
                n, i, w);
    ct_put(s->out, "    }\n}\n\n");
}

/* The same of impulses; where what is set reads w, that is solved for. */
static void put_push_calls(const ct_c_sheet *s)
{
    const ct_formula_acts *a = s->f->acts;
    const char *const words[] = {a->push_reads ? NULL : "pushed", a->push_reads ? NULL : "gradient",
                                 a->contacts ? "gap" : NULL};
    const char *n = s->name,
               *w = s->f->algebraic_count ? ct_printf(s->f->model->ctx, "work + %s_AT_W, ", n) : "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i])
            ct_putf(s->out,
                    "static void %s_%s(double t, const double *x, double *work, double *y)\n{\n"
                    "    %s_%s_at(t, x, %swork, y);\n}\n\n",
                    n, words[i], n, words[i], w);
    if (a->push_reads)
        ct_c_put_snippet(s, "gradient_solved.txt", NULL);
    ct_c_put_snippet(s, s->f->algebraic_count ? "move_solved.txt" : "move.txt", NULL);
    ct_c_put_snippet(s, "push_to.txt", NULL);
}

void ct_c_put_acts(const ct_c_sheet *s)
{
    if (!s->f->acts)
        return;
    put_calls(s);
    if (s->f->acts->push_count)
        put_push_calls(s);
    ct_c_put_snippet(s, s->f->acts->push_count ? "pushes.txt" : "pushes_none.txt", NULL);
    if (s->f->acts->push_count)
        ct_c_put_snippet(s, s->f->acts->contacts ? "impacts.txt" : "impacts_none.txt", NULL);
    if (s->f->acts->push_count)
        ct_c_put_snippet(s, "rests.txt", NULL);
    ct_c_put_snippet(s, "acts.txt", NULL);
    ct_c_put_snippet(s, s->f->modal ? "acts_mode.txt" : "acts_all.txt", NULL);
}
