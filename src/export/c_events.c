/* c_events.c - events in a C file: tables, and what chooses between sides that are kept and sides
 * as they are. */
#include "export/c.h"

/* As the switch of events.txt counts them; others, kinks among them, are signs. */
static uint32_t side_kind(ct_op op)
{
    static const ct_op kinds[][2] = {{CT_OP_STEP, CT_OP_GREATER_EQUAL},
                                     {CT_OP_LESS, CT_OP_LESS},
                                     {CT_OP_LESS_EQUAL, CT_OP_LESS_EQUAL},
                                     {CT_OP_GREATER, CT_OP_GREATER},
                                     {CT_OP_EQUAL, CT_OP_EQUAL},
                                     {CT_OP_UNEQUAL, CT_OP_UNEQUAL},
                                     {CT_OP_FLOOR, CT_OP_FLOOR}};
    uint32_t i = 0;
    while (i < sizeof kinds / sizeof *kinds && kinds[i][0] != op && kinds[i][1] != op)
        i++;
    return i;
}

bool ct_c_has_events(const ct_formulas *f)
{
    return f->events->root.count || f->events->moment.count || f->acts || f->modal;
}

/* Does what impulses set come to rest? That it is held is one more condition. */
bool ct_c_has_rest(const ct_formulas *f)
{
    return f->acts && f->acts->push_count;
}

uint32_t ct_c_event_count(const ct_formulas *f)
{
    return f->events->root.count + ct_c_has_rest(f);
}

static const char *event_text(const ct_c_sheet *s, const ct_event *e)
{
    ct_text text = ct_text_new(s->arena);
    ct_putf(&text, "%s of ", ct_op_word(e->op));
    ct_expr_put_some(s->f->model->pool, &text, e->condition);
    return ct_text_string(&text);
}

void ct_c_put_event_data(const ct_c_sheet *s)
{
    const ct_events *e = s->f->events;
    uint32_t roots = e->root.count, moments = e->moment.count;
    if (!ct_c_has_events(s->f))
        return;
    ct_shown_value *shown = CT_NEW_ARRAY(s->arena, ct_shown_value, roots + 1);
    uint32_t *kind = CT_NEW_ARRAY(s->arena, uint32_t, roots + 1);
    bool *jumps = CT_NEW_ARRAY(s->arena, bool, roots + 1),
         *turns = CT_NEW_ARRAY(s->arena, bool, moments + 1);
    for (uint32_t i = 0; i < roots; i++) {
        shown[i].name = event_text(s, &e->root.at[i]);
        kind[i] = side_kind(e->root.at[i].op);
        jumps[i] = e->root.at[i].kind == CT_EVENT_SIDE;
    }
    for (uint32_t i = 0; i < moments; i++)
        turns[i] = e->moment.at[i].kind == CT_EVENT_TURNS;
    shown[roots].name = "what rests is held";
    jumps[roots] = true;
    ct_c_put_texts(s, "event_text", shown, ct_c_event_count(s->f), false);
    ct_c_put_public_truths(s, "event_jumps", jumps, ct_c_event_count(s->f));
    ct_c_put_indices(s, "event_kind", kind, roots);
    ct_c_put_truths(s, "moment_turns", turns, moments);
}

/* ---- functions */

/* NAME(..): NAME_kept when sides are kept, else NAME_free. */
static void put_choice(const ct_c_sheet *s, const char *word)
{
    bool solves = s->f->algebraic_count;
    const char *n = s->name, *give = solves ? "t, x, w, work, y" : "t, x, work, y";
    ct_putf(s->out,
            "static void %s_%s(double t, const double *x, %sdouble *work, double *y)\n{\n"
            "    if (work[%s_KEEPS] != 0)\n        %s_%s_kept(%s);\n    else\n"
            "        %s_%s_free(%s);\n}\n\n",
            n, word, solves ? "const double *w, " : "", n, n, word, give, n, word, give);
}

void ct_c_put_choices(const ct_c_sheet *s)
{
    if (!s->f->holds)
        return;
    put_choice(s, "equations");
    if (s->f->algebraic_count)
        put_choice(s, "slope");
}

void ct_c_put_events(const ct_c_sheet *s)
{
    const char *n = s->name;
    bool solves = s->f->algebraic_count;
    ct_c_put_snippet(s, ct_c_has_rest(s->f) ? "rest_ahead.txt" : "rest_none.txt", NULL);
    ct_putf(s->out,
            "static int %s_settle(double t, const double *x, double *work)\n{\n    %s\n}\n\n"
            "static void %s_operands(double t, const double *x, double *work, double *r)\n{\n"
            "    %s_set_forces(t, x, work);\n    %s_condition(t, x, %swork, r);\n}\n\n",
            n,
            solves ? ct_printf(s->f->model->ctx, "return %s_solve(t, x, work);", n)
                   : "return (void)t, (void)x, (void)work, 0;",
            n, n, n, solves ? ct_printf(s->f->model->ctx, "work + %s_AT_W, ", n) : "");
    if (s->f->angles.output_count)
        ct_putf(s->out,
                "int %s_angles(double t, const double *x, double *a, double *work)\n{\n"
                "    if (%s_settle(t, x, work))\n        return 1;\n"
                "    %s_set_forces(t, x, work);\n    %s_angle(t, x, %swork, a);\n"
                "    return 0;\n}\n\n",
                n, n, n, n, solves ? ct_printf(s->f->model->ctx, "work + %s_AT_W, ", n) : "");
    ct_c_put_snippet(s, s->f->acts ? "ticks.txt" : "ticks_none.txt", NULL);
    ct_c_put_snippet(s, "events.txt", NULL);
}

void ct_c_put_go(const ct_c_sheet *s, uint32_t angles)
{
    ct_c_put_snippet(s, "go_try.txt", NULL);
    ct_c_put_snippet(s, angles ? "window.txt" : "window_none.txt", NULL);
    ct_c_put_snippet(s, "go_events.txt", NULL);
}
