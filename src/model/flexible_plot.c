/* flexible_plot.c - a beam along its axis, for pictures: `plot boom.deflection over x`, and its
 * shapes: `plot boom.shapes over x`. */
#include <string.h>

#include "model/flexible.h"

enum { MOST_DRAWN = 6 };

/* `boom.deflection`: the beam, and the name behind it; NULL: none. */
static const struct ct_beam_data *find_beam(builder *b, const where *w, ct_node n,
                                            const char **variable)
{
    ct_name name, behind;
    ct_node rest;
    if (ct_at(w->s, n)->kind != CT_NODE_REF || !ct_ref_name(b, w, n, &name, &rest) || !rest ||
        ct_at(w->s, rest)->kind != CT_NODE_FIELD || ct_at(w->s, rest)->next)
        return NULL;
    thing *t = ct_find_thing(b, w->scope, name);
    if (!t || t->kind != THING_BODY || !ct_field_name(b, w, rest, &behind))
        return NULL;
    ct_resolve_body(b, t->index);
    const struct ct_beam_data *beam = ct_beam_of(b, t->index);
    *variable = ct_name_text(b->ctx, behind);
    return beam && beam->segments == 1 ? beam : NULL;
}

static void plot_shapes(builder *b, const struct ct_beam_data *beam, ct_plotted curve)
{
    curve.place = beam->length;
    curve.expr = ct_expr_int(b->pool, 0);
    for (uint32_t i = 0; i < beam->count && i < MOST_DRAWN; i++) {
        const ct_bend *a = &beam->coordinate[i];
        ct_expr *shape = CT_NEW_ARRAY(b->arena, ct_expr, CT_FIELD_PLACES);
        if (a->way != CT_WAY_Y)
            continue;
        for (uint32_t k = 0; k < CT_FIELD_PLACES; k++)
            shape[k] =
                ct_expr_real(b->pool, ct_basis_at(a->shape, 0, (double)k / (CT_FIELD_PLACES - 1)));
        curve.shape = shape;
        curve.label = ct_printf(b->ctx, "shape %u", (unsigned)i + 1);
        CT_PUSH(b->arena, b->curve, curve);
    }
}

static void plot_deflection(builder *b, const struct ct_beam_data *beam, uint32_t axis,
                            ct_plotted curve)
{
    curve.dim = b->mech->key_dim[CT_KEY_COM];
    for (uint32_t i = 0; i < beam->count; i++)
        ct_motion_symbol(b, beam->flex->q[i], CT_MOTION_BEND, beam->index, i);
    for (int64_t k = 0; k < CT_FIELD_PLACES; k++) {
        double s = (double)k / (CT_FIELD_PLACES - 1);
        curve.expr = ct_section_at(b, beam, s).at.c[axis];
        curve.place =
            ct_expr_mul(b->pool, ct_expr_ratio(b->pool, k, CT_FIELD_PLACES - 1), beam->length);
        CT_PUSH(b->arena, b->curve, curve);
    }
}

bool ct_plot_beam(builder *b, const where *w, ct_node expr, ct_node over, ct_plotted curve)
{
    ct_name axis;
    const char *variable;
    if (!b->mech || !over || !ct_plain_name(w->s, over, &axis) ||
        strcmp(ct_name_text(b->ctx, axis), "x") != 0 || ct_find_entry(b, w->scope, axis))
        return false;
    const struct ct_beam_data *beam = find_beam(b, w, expr, &variable);
    bool across = beam && strcmp(variable, "deflection") == 0;
    bool aside = beam && b->mech->spatial && strcmp(variable, "deflection_z") == 0;
    if (beam && strcmp(variable, "shapes") == 0)
        plot_shapes(b, beam, curve);
    else if (across || aside)
        plot_deflection(b, beam, across ? 1 : 2, curve);
    else
        return false;
    return true;
}
