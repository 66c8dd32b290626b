/* equations_events.c - events of the model below its equations. */
#include "export/equations_make.h"

enum { MOST_EVENTS = 200 };

static void put_assignment(const ct_model *m, const ct_assignment *a, ct_text *out)
{
    if (a->target) {
        ct_expr_put_some(m->pool, out, a->target);
        ct_put(out, " := ");
        ct_expr_put_some(m->pool, out, a->value);
    } else {
        ct_putf(out, "stop \"%s\"", a->why);
    }
}

static const char *line_of(maker *m, const ct_happening *h)
{
    ct_text text = ct_text_new(m->arena);
    ct_put(&text, h->label);
    if (h->offset) {
        ct_put(&text, " offset ");
        ct_expr_put_some(m->model->pool, &text, h->offset);
    }
    for (uint32_t i = 0; i < h->assigned_count; i++) {
        ct_put(&text, i ? "; " : ": ");
        put_assignment(m->model, &h->assigned[i], &text);
    }
    return ct_text_string(&text);
}

void ct_show_events(maker *m)
{
    const ct_model *model = m->model;
    uint32_t count = model->happening_count < MOST_EVENTS ? model->happening_count : MOST_EVENTS;
    const char **line = CT_NEW_ARRAY(m->arena, const char *, count + 1);
    for (uint32_t i = 0; i < count; i++)
        line[i] = line_of(m, &model->happening[i]);
    ct_equation_group g = {.kind = CT_GROUP_REMARK,
                           .title = "Events",
                           .line = line,
                           .line_count = count,
                           .total = model->happening_count};
    if (count)
        CT_PUSH(m->arena, m->group, g);
}
