/* element_variant.c - one template of an element for each set of options. */
#include "model/field.h"
#include "model/key_slope.h"

typedef CT_VEC(ct_name) name_list;
typedef CT_VEC(ct_expr) expr_list;

static void collect_options(builder *b, definition *d, const where *w, ct_node component,
                            variant *v)
{
    name_list names = {0}, words = {0};
    expr_list values = {0};
    ct_node expr;
    ct_name name, word;
    for (ct_node key = ct_at(w->s, component)->first; key; key = ct_at(w->s, key)->next) {
        if (!ct_option_key(d, w, key, &name, &expr))
            continue;
        ct_expr value = 0;
        word = 0;
        if (ct_option_kind(d, name) == CT_NODE_CHOICE)
            ct_plain_name(w->s, expr, &word);
        else
            ct_lower_const(b, w, expr, &value, "a structural constant");
        CT_PUSH(b->scratch, names, name);
        CT_PUSH(b->scratch, words, word);
        CT_PUSH(b->scratch, values, value);
    }
    for (uint32_t i = 0; i < d->asked.count; i++) {
        CT_PUSH(b->scratch, names, d->asked.at[i]);
        CT_PUSH(b->scratch, words, 0);
        CT_PUSH(b->scratch, values,
                ct_expr_int(b->pool, ct_key_extent(b, w, component, d->asked.at[i])));
    }
    v->count = names.count;
    v->name = names.at, v->word = words.at, v->value = values.at;
}

static bool same_options(const variant *a, const variant *c)
{
    if (a->count != c->count || a->domains != c->domains || a->widths != c->widths ||
        a->ends != c->ends || a->taps != c->taps || a->shape_count != c->shape_count)
        return false;
    for (uint32_t i = 0; i < a->shape_count; i++)
        if (a->shape[i].name != c->shape[i].name || a->shape[i].rows != c->shape[i].rows ||
            a->shape[i].cols != c->shape[i].cols)
            return false;
    if (a->slope_count != c->slope_count)
        return false;
    for (uint32_t i = 0; i < a->slope_count; i++)
        if (a->slope[i].name != c->slope[i].name)
            return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->name[i] != c->name[i] || a->word[i] != c->word[i] || a->value[i] != c->value[i])
            return false;
    return true;
}

static const ct_element *find_variant(builder *b, definition *d, variant wanted, const where *w,
                                      ct_node component)
{
    for (variant *v = d->variants; v; v = v->next)
        if (same_options(v, &wanted) && (!v->element->own_numbers || v->own == wanted.own))
            return v->element;
    variant *v = CT_NEW(b->scratch, variant);
    *v = wanted;
    v->next = d->variants;
    d->variants = v;
    if (wanted.widths)
        b->blame = ct_place_of(w->s, component);
    v->element = ct_elaborate(b, d, w, component, &wanted);
    b->blame = (ct_place){0};
    return v->element;
}

void ct_know_element(builder *b, definition *d)
{
    ct_node block = ct_child(d->s, d->node, CT_NODE_BLOCK);
    ct_name any = ct_intern_text(b->ctx, "any");
    for (ct_node n = block ? ct_at(d->s, block)->first : 0; n; n = ct_at(d->s, n)->next) {
        ct_node_kind kind = (ct_node_kind)ct_at(d->s, n)->kind;
        d->generic |= kind == CT_NODE_PORT && ct_at(d->s, n)->name == any;
        d->options |= kind == CT_NODE_CONST || kind == CT_NODE_CHOICE;
        ct_list_asked(b, d, n);
        d->field |= kind == CT_NODE_CONTINUUM;
    }
    d->options |= d->asked.count > 0;
    d->known = true;
}

bool ct_is_generic(builder *b, definition *d)
{
    if (!d->known)
        ct_know_element(b, d);
    return d->generic;
}

/* Its number of modes depends on the values of its keys. */
static bool has_accuracy(builder *b, const where *w, ct_node component)
{
    ct_name name, accuracy = ct_intern_text(b->ctx, "accuracy");
    for (ct_node key = ct_at(w->s, component)->first; key; key = ct_at(w->s, key)->next)
        if (ct_at(w->s, key)->kind == CT_NODE_KEY &&
            ct_plain_name(w->s, ct_at(w->s, ct_at(w->s, key)->first)->first, &name) &&
            name == accuracy)
            return true;
    return false;
}

static ct_name component_name(builder *b, const where *w, ct_node component)
{
    return ct_full_name(b, w->scope, ct_expand_name(b, w, ct_at(w->s, component)->first));
}

/* What the tree has decided about the ends of a field; 0: nothing yet. */
static uint64_t held_ends(builder *b, ct_name component)
{
    uint32_t found = ct_map_get(&b->held, component);
    return found ? b->held_ends[found - 1].held : 0;
}

const ct_element *ct_element_variant(builder *b, definition *d, const where *w, ct_node component,
                                     uint64_t domains)
{
    variant wanted = {.domains = domains, .widths = ct_port_widths(b, w, component)};
    if (!d->known)
        ct_know_element(b, d);
    if (wanted.widths)
        wanted.shape_count = ct_key_shapes(b, w, component, wanted.widths, &wanted.shape);
    if (d->field)
        wanted.own = component_name(b, w, component), wanted.ends = held_ends(b, wanted.own);
    if (d->field && (ct_child(w->s, component, CT_NODE_FRAMES) || has_accuracy(b, w, component) ||
                     ct_moves_along(b, d, w, component)))
        wanted.taps = component;
    if (d->options)
        collect_options(b, d, w, component, &wanted);
    return find_variant(b, d, wanted, w, wanted.count || wanted.widths || d->field ? component : 0);
}

const ct_element *ct_plain_element(builder *b, definition *d)
{
    return find_variant(b, d, (variant){0}, NULL, 0);
}

const ct_element *ct_sloped_element(builder *b, const ct_element *e, const ct_key_slope *slope,
                                    uint32_t count, const where *w, ct_node component)
{
    definition *d = ct_find_definition(b, e->name);
    const variant *v = d->variants;
    while (v->element != e)
        v = v->next;
    variant wanted = *v;
    wanted.slope = slope, wanted.slope_count = count;
    return find_variant(b, d, wanted, w, component);
}
