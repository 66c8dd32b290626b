/* field_along.c - keys that depend on the place: `A = 1e-4*(1 - x/2)`, `load = 3*x*sin(t)`.
 *
 * Such a key has a value at each place where the finite model asks for it. The template has a param
 * of its own for each; the component gives them, with x bound to the place.
 */
#include "model/field.h"

/* ---- does a key name the axis? */

static bool names(const ct_syntax *s, ct_node n, ct_name axis)
{
    if (ct_at(s, n)->kind == CT_NODE_REF && ct_at(s, n)->name == axis && !ct_at(s, n)->first)
        return true;
    for (ct_node c = ct_at(s, n)->first; c; c = ct_at(s, c)->next)
        if (names(s, c, axis))
            return true;
    return false;
}

/* The name of the key when it depends on the place; 0: it does not. */
static ct_name moving_key(builder *b, const where *w, ct_node key, ct_name axis)
{
    ct_name name;
    if (ct_at(w->s, key)->kind != CT_NODE_KEY || ct_at(w->s, key)->op ||
        ct_find_entry(b, w->scope, axis))
        return 0;
    ct_node path = ct_at(w->s, key)->first;
    if (!ct_plain_name(w->s, ct_at(w->s, path)->first, &name))
        return 0;
    return names(w->s, ct_at(w->s, path)->next, axis) ? name : 0;
}

bool ct_moves_along(builder *b, const definition *d, const where *w, ct_node component)
{
    ct_node block = ct_child(d->s, d->node, CT_NODE_BLOCK);
    ct_node n = block ? ct_child(d->s, block, CT_NODE_CONTINUUM) : 0;
    for (ct_node key = ct_at(w->s, component)->first; n && key; key = ct_at(w->s, key)->next)
        if (moving_key(b, w, key, ct_at(d->s, n)->name))
            return true;
    return false;
}

/* ---- in the element */

void ct_field_find_moving(field *f)
{
    const element_scope *es = f->es;
    ct_name name;
    for (ct_node key = es->component ? ct_at(es->outer->s, es->component)->first : 0; key;
         key = ct_at(es->outer->s, key)->next)
        if ((name = moving_key(f->b, es->outer, key, f->axis)))
            CT_PUSH(f->b->scratch, f->moving, name);
    f->es->out->axis = f->moving.count ? f->axis : 0;
    f->es->out->length = f->length;
}

/* The path of a key of the component with this plain name; 0: it has none. */
ct_node ct_field_key(const field *f, ct_name name)
{
    const element_scope *es = f->es;
    ct_name given;
    for (ct_node key = es->component ? ct_at(es->outer->s, es->component)->first : 0; key;
         key = ct_at(es->outer->s, key)->next) {
        if (ct_at(es->outer->s, key)->kind != CT_NODE_KEY || ct_at(es->outer->s, key)->op)
            continue;
        ct_node path = ct_at(es->outer->s, key)->first;
        if (ct_plain_name(es->outer->s, ct_at(es->outer->s, path)->first, &given) && given == name)
            return path;
    }
    return 0;
}

ct_place ct_field_key_place(const field *f, ct_name name)
{
    ct_node path = name ? ct_field_key(f, name) : 0;
    return path ? ct_place_of(f->es->outer->s, path) : f->place;
}

bool ct_field_moves(field *f, ct_expr e)
{
    bool moves = ct_expr_has(f->b->pool, e, ct_expr_name(f->b->pool, f->x));
    for (uint32_t i = 0; i < f->moving.count; i++)
        moves |= ct_expr_has(f->b->pool, e, f->moving.at[i]);
    return moves;
}

/* The param that stands for a key at a place; made when it is first asked for. */
static ct_expr param_at(field *f, ct_name key, ct_expr place)
{
    builder *b = f->b;
    for (uint32_t i = 0; i < f->along.count; i++)
        if (f->along.at[i].key == key && f->along.at[i].place == place)
            return ct_expr_symbol(b->pool, f->es->slot_name.at[f->along.at[i].slot]);
    ct_name name = ct_intern_text(b->ctx, ct_printf(b->ctx, "%s at %.9g of the length",
                                                    ct_name_text(b->ctx, key),
                                                    ct_expr_to_double(b->pool, place)));
    ct_element_param p = {.name = name, .rows = 1, .cols = 1, .slot = f->es->out->slot_count};
    ct_along at = {key, p.slot, f->es->param.count, place};
    p.place = f->place;
    CT_PUSH(b->arena, f->es->param, p);
    CT_PUSH(b->arena, f->es->slot_name, name);
    f->es->out->slot_count = f->es->slot_name.count;
    CT_PUSH(b->arena, f->along, at);
    f->es->out->along = f->along.at, f->es->out->along_count = f->along.count;
    return ct_expr_symbol(b->pool, name);
}

ct_expr ct_field_at(field *f, ct_expr e, ct_expr place)
{
    ct_pool *p = f->b->pool;
    ct_name axis = ct_expr_name(p, f->x);
    ct_expr x = ct_expr_mul(p, place, f->length);
    if (!e)
        return 0;
    e = ct_expr_substitute(p, e, &axis, &x, 1);
    for (uint32_t i = 0; i < f->moving.count; i++)
        if (ct_expr_has(p, e, f->moving.at[i])) {
            ct_expr own = param_at(f, f->moving.at[i], place);
            e = ct_expr_substitute(p, e, &f->moving.at[i], &own, 1);
        }
    return e;
}

/* Limits and dimensions are those of the key itself. */
void ct_along_like_keys(builder *b, element_scope *es)
{
    for (uint32_t i = 0; i < es->out->along_count; i++) {
        const ct_along *a = &es->out->along[i];
        for (uint32_t k = 0; k < es->param.count; k++) {
            const ct_element_param *key = &es->param.at[k];
            ct_element_param *own = &es->param.at[a->param];
            if (key->name != a->key)
                continue;
            own->limit = key->limit, own->limit_count = key->limit_count;
            own->has_dim = key->has_dim, own->dim = key->dim;
            own->doc = ct_printf(b->ctx, "%s along the element", ct_name_text(b->ctx, a->key));
        }
    }
}

/* ---- in the component */

where ct_along_where(builder *b, const where *w, const ct_element *e, ct_expr x)
{
    where inside = *w;
    if (!e->is_field || !e->axis)
        return inside;
    env *bound = CT_NEW(b->scratch, env);
    ct_dim metre = ct_dim_none();
    metre.e[CT_METRE] = 1;
    *bound = (env){.name = e->axis, .value = ct_scalar(b, x, ct_term_known(metre)), .up = w->env};
    inside.env = bound;
    return inside;
}

void ct_resolve_along(builder *b, const where *w, ct_node n, uint32_t component)
{
    const ct_element *e = ct_element_of(b, component);
    for (ct_node key = e->along_count ? ct_at(w->s, n)->first : 0; key;
         key = ct_at(w->s, key)->next) {
        ct_name name = moving_key(b, w, key, e->axis);
        for (uint32_t i = 0; i < e->along_count && name; i++) {
            const ct_along *a = &e->along[i];
            if (a->key != name)
                continue;
            ct_expr x = ct_expr_mul(b->pool, a->place, e->length);
            where inside =
                ct_along_where(b, w, e, ct_component_instance(ct_current(b), component, x));
            cell c = ct_lower_scalar(b, &inside, ct_at(w->s, ct_at(w->s, key)->first)->next);
            b->param_value.at[b->component.at[component].value + a->slot] =
                c.expr ? c.expr : ct_expr_symbol(b->pool, name);
        }
    }
}
