/* field_space.c - a field along its length, for pictures: `plot B1.v over x`.
 *
 * A finite model knows its variables everywhere: shapes times coordinates. Such a plot is as many
 * curves over time as there are places; what they are is asked for only where a plot wants it.
 */
#include "model/field.h"

/* ---- values at places */

static ct_name position_name(const field *f)
{
    const char *name = ct_domain_row_at(f->domain)->variable[2].name;
    return name ? ct_intern_text(f->b->ctx, name) : 0;
}

static ct_dim dim_of(const field *f, field_sight sight)
{
    ct_dim dim = ct_dim_none(), second = ct_dim_none();
    second.e[CT_SECOND] = 1;
    if (sight == SEE_POSITION)
        return ct_dim_product(f->b->dim[f->domain][0], second, 1);
    ct_infer_resolve(f->b->infer, f->dim[sight], &dim);
    return dim;
}

void ct_field_see(field *f, field_sight sight, const void *model,
                  ct_expr (*value)(const void *model, field_sight sight, double s))
{
    if (!f->b->spaces)
        return;
    ct_expr *at = CT_NEW_ARRAY(f->b->arena, ct_expr, CT_FIELD_PLACES);
    for (uint32_t i = 0; i < CT_FIELD_PLACES; i++)
        at[i] = value(model, sight, (double)i / (CT_FIELD_PLACES - 1));
    ct_name name = sight == SEE_POSITION ? position_name(f) : f->name[sight];
    CT_PUSH(f->b->arena, f->space, ((ct_field_space){name, dim_of(f, sight), at}));
}

/* ---- plots */

void ct_find_spaces(builder *b, const ct_syntax *s)
{
    ct_name name;
    for (ct_node n = 1; n < s->node_count && s->kinds & KIND_BIT(CURVE) && !b->spaces; n++) {
        ct_node expr = ct_at(s, n)->kind == CT_NODE_CURVE ? ct_at(s, n)->first : 0;
        ct_node over = expr ? ct_at(s, expr)->next : 0;
        b->spaces = over && ct_plain_name(s, over, &name);
    }
}

/* `B1.v` and `a.B1.v`: the component, and the name behind it. */
static bool find_component(builder *b, const where *w, ct_node n, uint32_t *component,
                           ct_name *variable)
{
    ct_name name;
    ct_node rest;
    if (ct_at(w->s, n)->kind != CT_NODE_REF || !ct_ref_name(b, w, n, &name, &rest))
        return false;
    thing *t = ct_find_thing(b, w->scope, name);
    while (t && rest && ct_at(w->s, rest)->kind == CT_NODE_FIELD) {
        if (!ct_field_name(b, w, rest, variable))
            return false;
        *component = t->index;
        if (t->kind == THING_COMPONENT)
            return !ct_at(w->s, rest)->next;
        if (t->kind != THING_SYSTEM)
            return false;
        t = ct_find_thing(b, t->scope, *variable);
        rest = ct_at(w->s, rest)->next;
    }
    return false;
}

static void report_blind(builder *b, const where *w, ct_node n, const ct_element *e, ct_name wanted)
{
    const char *axis = ct_name_text(b->ctx, e->space_axis);
    ct_text text = ct_text_new(b->ctx->base);
    ct_report *r = ct_error(b->ctx, "E277", ct_place_of(w->s, n), "`%s` is not known along `%s`",
                            ct_name_text(b->ctx, wanted), axis);
    for (uint32_t i = 0; i < e->space_count; i++)
        ct_putf(&text, "%s%s", i ? ", " : "", ct_name_text(b->ctx, e->space[i].name));
    if (e->space_count)
        ct_note(r, "known along it are %s", ct_text_string(&text));
    else
        ct_note(r, "method = delay knows what happens at the ends");
    if (!e->space_count)
        ct_help(r, "write method = modal or cells");
}

/* Of the coordinates of modes: what the field is where one of them is 1. */
static void push_shape(builder *b, uint32_t component, const ct_field_space *space, ct_name own,
                       ct_plotted curve)
{
    const ct_model *m = ct_current(b);
    ct_expr *shape = CT_NEW_ARRAY(b->arena, ct_expr, CT_FIELD_PLACES);
    for (uint32_t k = 0; k < CT_FIELD_PLACES; k++) {
        ct_expr factor, rest;
        bool linear = ct_expr_linear(b->pool, space->value[k], &own, 1, &factor, &rest);
        shape[k] = linear ? ct_component_instance(m, component, factor) : ct_expr_int(b->pool, 0);
    }
    curve.shape = shape;
    curve.expr = ct_expr_int(b->pool, 0);
    CT_PUSH(b->arena, b->curve, curve);
}

/* `plot B1.modes over x`: the lowest ones, rigid motion among them. */
static bool plot_modes(builder *b, uint32_t component, const ct_element *e, ct_plotted curve)
{
    enum { MOST_SHAPES = 6 };
    bool modal = false, found = false;
    ct_name whole[] = {ct_intern_text(b->ctx, "q"), ct_intern_text(b->ctx, "eta")};
    for (uint32_t i = 0; i < e->signal_count; i++)
        modal |= e->signal[i].whole == ct_intern_text(b->ctx, "omega") ||
                 e->signal[i].whole == ct_intern_text(b->ctx, "tau");
    const ct_field_space *space = e->space_count ? &e->space[e->space_count - 1] : NULL;
    if (space && space->name == e->rest_name[1])
        space = e->space;
    curve.place = ct_component_instance(ct_current(b), component, e->length);
    for (uint32_t i = 0, count = 0; modal && space && i < e->var_count; i++) {
        if ((e->var[i].whole != whole[0] && e->var[i].whole != whole[1]) || count == MOST_SHAPES)
            continue;
        curve.label = ct_printf(b->ctx, "mode %u", (unsigned)++count);
        push_shape(b, component, space, e->var[i].name, curve);
        found = true;
    }
    return found;
}

bool ct_plot_space(builder *b, const where *w, ct_node expr, ct_node over, ct_plotted curve)
{
    uint32_t component;
    ct_name axis, variable;
    if (!over || !ct_plain_name(w->s, over, &axis) ||
        !find_component(b, w, expr, &component, &variable))
        return false;
    const ct_element *e = ct_element_of(b, component);
    if (!e->is_field || e->broken || axis != e->space_axis || ct_find_entry(b, w->scope, axis))
        return e->broken;
    const ct_model *m = ct_current(b);
    if (variable == ct_intern_text(b->ctx, "modes") && plot_modes(b, component, e, curve))
        return true;
    for (uint32_t i = 0; i < e->space_count; i++) {
        const ct_field_space *space = &e->space[i];
        if (space->name != variable)
            continue;
        curve.dim = space->dim;
        for (int64_t k = 0; k < CT_FIELD_PLACES; k++) {
            ct_expr part = ct_expr_ratio(b->pool, k, CT_FIELD_PLACES - 1);
            curve.expr = ct_component_instance(m, component, space->value[k]);
            curve.place = ct_component_instance(m, component, e->length);
            curve.place = ct_expr_mul(b->pool, part, curve.place);
            CT_PUSH(b->arena, b->curve, curve);
        }
        return true;
    }
    report_blind(b, w, expr, e, variable);
    return true;
}
