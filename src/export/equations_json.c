/* Keys: see equations.h. */
#include "export/equations_make.h"

static void put_names(const ct_equation_list *list, const char *key, const ct_name *name,
                      uint32_t count, ct_text *out)
{
    ct_putf(out, "\"%s\": [", key);
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, i ? ", " : "");
        ct_put_json(out, ct_name_text(list->reduced->system->model->ctx, name[i]));
    }
    ct_put(out, "],\n ");
}

static void put_equation(const ct_equation_list *list, const ct_equation *e, ct_text *scratch,
                         ct_text *out)
{
    for (int latex = 0; latex < 2; latex++) {
        scratch->length = 0;
        ct_equation_put(list, e, latex, scratch);
        ct_put(out, latex ? ", \"latex\": " : "{\"text\": ");
        ct_put_json(out, ct_text_string(scratch));
    }
    ct_put(out, ", \"origin\": [");
    for (uint32_t i = 0; i < e->origin_count; i++) {
        scratch->length = 0;
        ct_putf(scratch, "%s %s", ct_origin_text(list, e->origin[i]),
                ct_origin_name(list, e->origin[i]));
        ct_put(out, i ? ", " : "");
        ct_put_json(out, ct_text_string(scratch));
    }
    ct_put(out, "]");
    if (e->note) {
        ct_put(out, ", \"note\": ");
        ct_put_json(out, e->note);
    }
    ct_put(out, "}");
}

static void put_equations(const ct_equation_list *list, const ct_equation_group *g, bool *first,
                          ct_text *scratch, ct_text *out)
{
    for (uint32_t i = 0; i < g->count; i++) {
        ct_put(out, *first ? "\n  " : ",\n  ");
        *first = false;
        put_equation(list, &g->equation[i], scratch, out);
    }
}

static void put_kind(const ct_equation_list *list, const char *key, ct_group_kind kind,
                     ct_text *scratch, ct_text *out)
{
    bool first = true;
    ct_putf(out, "\"%s\": [", key);
    for (uint32_t i = 0; i < list->group_count; i++)
        if (list->group[i].kind == kind)
            put_equations(list, &list->group[i], &first, scratch, out);
    ct_put(out, "],\n ");
}

static void put_definitions(const ct_equation_list *list, ct_text *scratch, ct_text *out)
{
    ct_put(out, "\"definitions\": [");
    for (uint32_t i = 0; i < list->definition_count; i++) {
        ct_put(out, i ? ",\n  " : "\n  ");
        put_equation(list, &list->definition[i].equation, scratch, out);
    }
    ct_put(out, "],\n ");
}

static void put_trace(const ct_equation_list *list, ct_text *scratch, ct_text *out)
{
    bool first = true;
    ct_put(out, "\"trace\": [");
    for (uint32_t i = 0; i < list->group_count; i++) {
        const ct_equation_group *g = &list->group[i];
        bool none = true;
        if (g->kind != CT_GROUP_TRACE)
            continue;
        ct_put(out, first ? "\n {\"title\": " : ",\n {\"title\": ");
        first = false;
        ct_put_json(out, g->title);
        ct_put(out, ", ");
        if (g->name)
            put_names(list, "names", g->name, g->name_count, out);
        ct_put(out, "\"equations\": [");
        put_equations(list, g, &none, scratch, out);
        ct_put(out, "]}");
    }
    ct_put(out, "],\n ");
}

void ct_equations_put_json(const ct_equation_list *list, ct_text *out)
{
    ct_text scratch = ct_text_new(list->arena);
    ct_put(out, "{");
    put_names(list, "coordinates", list->coordinate, list->coordinate_count, out);
    put_names(list, "speeds", list->speed, list->speed_count, out);
    ct_put(out,
           "\"multipliers\": [],\n "); /* of the multibody domains, which have no equations yet */
    put_names(list, "states", list->unknown, list->reduced->state_count, out);
    put_names(list, "algebraic", list->unknown + list->reduced->state_count,
              list->reduced->algebraic_count, out);
    put_names(list, "parameters", list->parameter, list->parameter_count, out);
    put_names(list, "inputs", list->input, list->input_count, out);
    if (list->def.trace)
        put_trace(list, &scratch, out);
    put_definitions(list, &scratch, out);
    put_kind(list, "equations", CT_GROUP_EQUATION, &scratch, out);
    put_kind(list, "constraints", CT_GROUP_CONSTRAINT, &scratch, out);
    put_kind(list, "outputs", CT_GROUP_VALUE, &scratch, out);
    ct_putf(out, "\"counts\": {\"differential\": %u, \"algebraic\": %u, \"dof\": %u},\n ",
            list->differential, list->algebraic, list->dof);
    ct_putf(out, "\"ops\": %llu}\n", (unsigned long long)list->ops);
}
