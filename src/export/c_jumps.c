/* c_jumps.c - jumps of what is stored in a C file: tables, programs, and the parts that use them.
 */
#include "export/c.h"

/* What was, slacks and their ways: variables of the programs, in the work space. */
uint32_t ct_c_jump_variables(const ct_formulas *f)
{
    return f->jumps ? f->jumps->kept_count + 2 * f->jumps->slack_count : 0;
}

/* When that was, places then, how fast sources of positions moved, and w. */
uint32_t ct_c_jump_work(const ct_formulas *f)
{
    return f->jumps ? 2 + f->jumps->placed_count + f->algebraic_count : 0;
}

bool ct_c_put_jump_programs(ct_c_sheet *s, ct_text *out)
{
    const ct_formula_jumps *j = s->f->jumps;
    return !j || (ct_c_put_program(s, &j->look, "look", NULL, out) &&
                  ct_c_put_program(s, &j->miss, "miss", NULL, out) &&
                  ct_c_put_program(s, &j->go, "push_by", NULL, out) &&
                  (!j->burst_count || ct_c_put_program(s, &j->hold, "burst_by", NULL, out)) &&
                  (!j->kicks || ct_c_put_program(s, &j->kick, "kick", NULL, out)) &&
                  (!s->f->algebraic_count || ct_c_put_program(s, &j->stay, "stay", NULL, out)));
}

void ct_c_put_jump_sizes(const ct_c_sheet *s)
{
    const ct_formulas *f = s->f;
    const ct_formula_jumps *j = f->jumps;
    if (!j)
        return;
    const struct {
        const char *word;
        uint32_t size;
    } rows[] = {{"SLACKS", j->slack_count},
                {"KEPT", j->kept_count},
                {"PLACED", j->placed_count},
                {"UNKNOWNS", f->state_count + f->algebraic_count},
                {"AT_KEPT", f->memory + f->events->root.count},
                {"BURSTS", j->burst_count},
                {"AT_BEFORE", s->jump_work},
                {"AT_RUSHED", s->jump_work + 1 + j->placed_count},
                {"AT_OLD", s->jump_work + 2 + j->placed_count}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ct_putf(s->out, "    %s_%s = %u,\n", s->name, rows[i].word, rows[i].size);
    if (j->kicks)
        ct_putf(s->out, "    %s_BODIES = %d,\n", s->name, j->mechanical);
}

void ct_c_put_jump_data(const ct_c_sheet *s)
{
    const ct_formula_jumps *j = s->f->jumps;
    if (!j)
        return;
    ct_c_put_truths(s, "has_kept", j->has_kept, j->slack_count);
    ct_c_put_truths(s, "bent", j->bent, j->slack_count);
    if (j->burst_count)
        ct_c_put_truths(s, "placing", j->placing, j->slack_count);
}

void ct_c_put_jump_prepare(const ct_c_sheet *s)
{
    const ct_formula_jumps *j = s->f->jumps;
    const char *n = s->name;
    if (!j)
        return;
    ct_putf(s->out,
            "    %s_look_prepare(p, work);\n    %s_miss_prepare(p, work);\n"
            "    %s_push_by_prepare(p, work);\n",
            n, n, n);
    if (j->burst_count)
        ct_putf(s->out, "    %s_burst_by_prepare(p, work);\n", n);
    if (j->kicks)
        ct_putf(s->out, "    %s_kick_prepare(p, work);\n", n);
    if (s->f->algebraic_count)
        ct_putf(s->out, "    %s_stay_prepare(p, work);\n", n);
    ct_putf(s->out, "    work[%s_AT_BEFORE] = HUGE_VAL;\n", n);
}

/* The program with w, whether there is one or not. */
static void put_call(const ct_c_sheet *s, const char *word, const char *program)
{
    bool solves = s->f->algebraic_count;
    ct_putf(s->out,
            "static void %s_%s(double t, const double *x, const double *w, double *work, double "
            "*y)\n{\n    %s%s_%s(t, x, %swork, y);\n}\n\n",
            s->name, word, solves ? "" : "(void)w;\n    ", s->name, program, solves ? "w, " : "");
}

static void put_kick(const ct_c_sheet *s)
{
    const ct_formula_jumps *j = s->f->jumps;
    if (!j->kicks) {
        ct_c_put_snippet(s, "kick_none.txt", NULL);
        return;
    }
    put_call(s, "kicks", "kick");
    ct_putf(s->out,
            "static int %s_kick_rates(double t, const double *x, double *work, double *y)\n{\n"
            "    if (%s_settle(t, x, work))\n        return 4;\n"
            "    %s_equations(t, x, %swork, y);\n    return 0;\n}\n\n",
            s->name, s->name, s->name,
            s->f->algebraic_count ? ct_printf(s->f->model->ctx, "work + %s_AT_W, ", s->name) : "");
    ct_c_put_snippet(s, "kick_follow.txt", NULL);
    ct_c_put_snippet(s, "kick.txt", NULL);
}

/* In the order in which the parts call each other. */
void ct_c_put_jumps(const ct_c_sheet *s)
{
    const ct_formula_jumps *j = s->f->jumps;
    bool solves = s->f->algebraic_count;
    if (!j)
        return;
    put_call(s, "looks", "look");
    put_call(s, "misses", "miss");
    put_call(s, "goes", "push_by");
    ct_putf(s->out, "static double *%s_unknown(double *work)\n{\n    return work%s%s%s;\n}\n\n",
            s->name, solves ? " + " : "", solves ? s->name : "", solves ? "_AT_W" : "");
    ct_c_put_snippet(s, "slack.txt", NULL);
    if (solves || j->kicks)
        ct_c_put_snippet(s, "straight.txt", NULL);
    ct_c_put_snippet(s, solves ? "level.txt" : "level_none.txt", NULL);
    put_kick(s);
    if (j->burst_count)
        put_call(s, "holds", "burst_by");
    ct_c_put_snippet(s, j->burst_count ? "burst.txt" : "burst_none.txt", NULL);
    ct_c_put_snippet(s, "jump.txt", NULL);
    if (!s->f->modal)
        ct_c_put_snippet(s, "jump_all.txt", NULL);
}
