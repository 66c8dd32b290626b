/* result_events.c - what events of the model did in a run: when, and values before and after. */
#include "base/json.h"
#include "export/result.h"

void ct_result_put_events(const ct_result *result, const ct_result_look *look, ct_text *out)
{
    (void)look;
    for (uint64_t i = 0; i < result->event_count; i++) {
        const ct_event_row *e = &result->event[i];
        ct_putf(out, "t = %.12g s  %s\n", e->time, e->what);
        for (uint32_t k = 0; k < e->change_count; k++)
            ct_putf(out, "    %s: %.12g -> %.12g\n", e->change[k].name, e->change[k].before,
                    e->change[k].after);
    }
    if (result->ended)
        ct_putf(out, "t = %.12g s  stop: %s\n", result->effort.last_time, result->ended);
    if (!result->event_count)
        ct_put(out, "no events\n");
}

static void put_change(ct_json *j, const ct_event_change *c)
{
    ct_json_open(j, NULL, '{');
    ct_json_text(j, "name", c->name);
    ct_json_number(j, "before", c->before);
    ct_json_number(j, "after", c->after);
    ct_json_close(j, '}');
}

void ct_result_put_events_json(const ct_result *result, const ct_result_look *look, ct_text *out)
{
    ct_json j = ct_json_new(out, " ");
    (void)look;
    ct_json_open(&j, NULL, '{');
    ct_json_open(&j, "events", '[');
    for (uint64_t i = 0; i < result->event_count; i++) {
        const ct_event_row *e = &result->event[i];
        ct_json_line(&j, 1);
        ct_json_open(&j, NULL, '{');
        ct_json_number(&j, "time", e->time);
        ct_json_text(&j, "what", e->what);
        ct_json_open(&j, "changes", '[');
        for (uint32_t k = 0; k < e->change_count; k++)
            put_change(&j, &e->change[k]);
        ct_json_close(&j, ']');
        ct_json_close(&j, '}');
    }
    ct_json_close(&j, ']');
    ct_json_text(&j, "ended", result->ended);
    ct_json_end(&j, ct_arena_context(out->arena));
}
