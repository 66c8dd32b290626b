/* statespace_exact.c - impedances of fields as they are, without modes or cells. */
#include "export/statespace.h"

static const char gamma_text[] = "gamma", zc_text[] = "Zc";

typedef struct exact {
    ct_expr gamma, zc; /* over s and params */
} exact;

static const ct_model *model_of(const ct_sheet *s)
{
    return s->ss->reduced->system->model;
}

static ct_expr root_of(ct_pool *p, ct_expr e)
{
    return ct_expr_pow(p, e, ct_expr_ratio(p, 1, 2));
}

/* Two roots, not one of the product: that is wrong where s is not on the axis. */
static exact exact_of(const ct_model *m, uint32_t component)
{
    const ct_field_line *line = m->element[m->component[component].element]->line;
    ct_pool *p = m->pool;
    ct_expr s = ct_expr_symbol(p, ct_intern_text(m->ctx, "s")), part[6];
    const ct_expr given[] = {line->c, line->g, line->l, line->r, line->tau, line->length};
    for (size_t i = 0; i < 6; i++)
        part[i] = ct_component_instance(m, component, given[i]);
    ct_expr shunt = ct_expr_add(p, ct_expr_mul(p, part[0], s), part[1]);
    ct_expr series = ct_expr_add(p, ct_expr_mul(p, part[2], s), part[3]);
    ct_expr lag = ct_expr_add(p, ct_expr_int(p, 1), ct_expr_mul(p, part[4], s));
    ct_expr one = root_of(p, ct_expr_div(p, series, lag)), two = root_of(p, shunt);
    return (exact){ct_expr_mul(p, part[5], ct_expr_mul(p, one, two)), ct_expr_div(p, one, two)};
}

/* A field as a whole, not one that a key or its own text makes another at each place. */
static const ct_element *field_of(const ct_model *m, uint32_t component)
{
    const ct_element *e = m->element[m->component[component].element];
    return e->is_field ? e : NULL;
}

/* Why it has no impedances of its own; NULL: it has. */
static const char *lack_of(const ct_model *m, uint32_t component, const ct_element *e)
{
    if (!e->line)
        return "none: it bends, is not the same along its length, or has unsteady losses";
    bool ratio = ct_model_value(m, ct_component_instance(m, component, e->line->zeta)) != 0;
    return ratio ? "none: a damping ratio zeta belongs to modes, and it has none" : NULL;
}

static void put_line(ct_pool *pool, const char *name, ct_expr e, ct_text *out)
{
    ct_putf(out, "        %s = ", name);
    ct_expr_put_read(pool, out, e);
    ct_put(out, "\n");
}

void ct_sheet_put_exact_text(const ct_sheet *s, ct_text *out)
{
    const ct_model *m = model_of(s);
    ct_put(out,
           "\nexact impedances: across at both ends = [Z11, Z12; Z12, Z11] times what flows in\n");
    for (uint32_t i = 0; i < m->component_count; i++) {
        const ct_element *e = field_of(m, i);
        if (!e)
            continue;
        const char *lack = lack_of(m, i, e);
        ct_putf(out, "    %s", ct_name_text(m->ctx, m->component[i].name));
        if (lack) {
            ct_putf(out, "  %s\n", lack);
            continue;
        }
        exact x = exact_of(m, i);
        ct_put(out, "\n");
        put_line(m->pool, gamma_text, x.gamma, out);
        put_line(m->pool, zc_text, x.zc, out);
        ct_put(out, "        Z11 = Zc*coth(gamma), Z12 = Zc/sinh(gamma)\n");
    }
}

static void put_text(ct_arena *arena, ct_pool *pool, const char *key, ct_expr e, ct_json *j)
{
    ct_text text = ct_text_new(arena);
    ct_expr_put(pool, &text, e);
    ct_json_text(j, key, ct_text_string(&text));
}

void ct_sheet_put_exact_json(const ct_sheet *s, ct_json *j)
{
    const ct_model *m = model_of(s);
    ct_json_line(j, 1);
    ct_json_open(j, "exact", '[');
    for (uint32_t i = 0; i < m->component_count; i++) {
        const ct_element *e = field_of(m, i);
        if (!e || lack_of(m, i, e))
            continue;
        exact x = exact_of(m, i);
        ct_json_open(j, NULL, '{');
        ct_json_text(j, "element", ct_name_text(m->ctx, m->component[i].name));
        put_text(s->arena, m->pool, gamma_text, x.gamma, j);
        put_text(s->arena, m->pool, zc_text, x.zc, j);
        ct_json_text(j, "Z11", "Zc*coth(gamma)");
        ct_json_text(j, "Z12", "Zc/sinh(gamma)");
        ct_json_close(j, '}');
    }
    ct_json_close(j, ']');
}

bool ct_statespace_has_exact(const ct_statespace *ss)
{
    const ct_model *m = ss->reduced->system->model;
    for (uint32_t i = 0; i < m->component_count; i++)
        if (field_of(m, i))
            return true;
    ct_report *r = ct_error(m->ctx, "E422", (ct_place){0}, "the model has no field");
    ct_note(r, "exact impedances are those of elements that are spread along a line");
    ct_help(r, "leave out --exact");
    return false;
}
