/* shadow.c - a model in one of its modes; see shadow.h. */
#include "model/shadow.h"

#include <string.h>

#include "model/law.h"

struct ct_shadows {
    const ct_model *model;
    ct_arena *arena;
    CT_VEC(ct_mode_item) item;
    CT_VEC(const ct_element *) element; /* those of the model, then those in modes */
    ct_settled_list made;
    bool unstarted; /* initial values of the model do not count */
};

bool ct_model_is_modal(const ct_model *m)
{
    for (uint32_t i = 0; i < m->component_count; i++)
        if (m->element[m->component[i].element]->law_count)
            return true;
    return false;
}

static const ct_element *element_of(const ct_model *m, uint32_t component)
{
    return m->element[m->component[component].element];
}

/* An IF stands before what it holds. */
static void add_item(ct_shadows *s, uint32_t component, uint32_t law, const ct_law *l)
{
    ct_mode_item item = {.kind = l->kind,
                         .gap = l->gap != 0,
                         .way = l->way,
                         .returns = l->kind == CT_LAW_PAIR && l->hold,
                         .component = component,
                         .law = law};
    for (uint32_t k = s->item.count; l->under && !item.under; k--)
        if (s->item.at[k - 1].law == l->under - 1)
            item.under = k;
    CT_PUSH(s->arena, s->item, item);
}

ct_shadows *ct_shadows_new(const ct_model *m)
{
    ct_arena *arena = ct_arena_new(m->ctx);
    ct_shadows *s = CT_NEW(arena, ct_shadows);
    *s = (ct_shadows){.model = m, .arena = arena};
    for (uint32_t i = 0; i < m->element_count; i++)
        CT_PUSH(arena, s->element, m->element[i]);
    for (uint32_t i = 0; i < m->component_count; i++) {
        const ct_element *e = element_of(m, i);
        for (uint32_t k = 0; k < e->law_count; k++)
            if (e->law[k].kind != CT_LAW_EQUATION)
                add_item(s, i, k, &e->law[k]);
    }
    return s;
}

void ct_shadows_start(ct_shadows *s, bool given)
{
    s->unstarted = !given;
}

const ct_mode_item *ct_shadow_items(const ct_shadows *s, uint32_t *count)
{
    *count = s->item.count;
    return s->item.at;
}

/* ---- elements */

/* Ways of all laws of a component; *next is its first item. */
static const uint8_t *ways_of(const ct_shadows *s, uint32_t *next, const uint8_t *way)
{
    uint32_t component = s->item.at[*next].component;
    uint8_t *own = CT_NEW_ARRAY(s->arena, uint8_t, element_of(s->model, component)->law_count + 1);
    for (; *next < s->item.count && s->item.at[*next].component == component; ++*next)
        own[s->item.at[*next].law] = way[*next];
    return own;
}

static uint32_t add_element(ct_shadows *s, ct_element *e)
{
    e->index = s->element.count;
    CT_PUSH(s->arena, s->element, e);
    return e->index;
}

static uint32_t element_in_mode(ct_shadows *s, const ct_element *from, const uint8_t *way)
{
    for (uint32_t i = 0; i < s->made.count; i++)
        if (s->made.at[i].from == from && memcmp(s->made.at[i].way, way, from->law_count) == 0)
            return s->made.at[i].to->index;
    ct_element *e = ct_element_in_mode(s->model, s->arena, from, way);
    CT_PUSH(s->arena, s->made, ((ct_settled_element){from, e, way}));
    return add_element(s, e);
}

/* ---- ties */

static ct_name edge_symbol(const ct_model *m, const ct_element *e, bool across)
{
    const ct_variable_row *row = ct_domain_row_at(e->edge[0].domain)->variable;
    for (uint32_t k = 0; k < CT_DOMAIN_VARIABLES && row[k].name; k++)
        if (row[k].order == 0 && row[k].across == across)
            return ct_template_variable(m, e, 0, k);
    return 0;
}

/* The same element with one more parameter, which its edge follows. */
static ct_element *tied_element(ct_shadows *s, const ct_element *from, bool across)
{
    const ct_model *m = s->model;
    ct_element *e = CT_NEW(s->arena, ct_element);
    ct_name *slot = CT_NEW_ARRAY(s->arena, ct_name, from->slot_count + 1);
    ct_element_param *param = CT_NEW_ARRAY(s->arena, ct_element_param, from->param_count + 1);
    ct_element_equation *row = CT_NEW(s->arena, ct_element_equation);
    *e = *from;
    if (from->slot_count)
        memcpy(slot, from->slot_name, from->slot_count * sizeof *slot);
    if (from->param_count)
        memcpy(param, from->param, from->param_count * sizeof *param);
    slot[e->slot_count] = ct_intern_text(m->ctx, "tied to");
    param[e->param_count] = (ct_element_param){
        .name = slot[e->slot_count], .rows = 1, .cols = 1, .slot = e->slot_count};
    *row = (ct_element_equation){ct_expr_symbol(m->pool, edge_symbol(m, e, across)),
                                 ct_expr_symbol(m->pool, slot[e->slot_count]), from->place};
    e->slot_name = slot, e->slot_count++;
    e->param = param, e->param_count++;
    e->equation = row, e->equation_count = 1;
    return e;
}

static void put_tie(ct_shadows *s, ct_component *c, ct_expr *value, uint32_t *used,
                    const ct_tie *tie)
{
    const ct_element *from = s->element.at[c->element];
    const ct_expr *given = s->model->param_value + c->value;
    c->element = add_element(s, tied_element(s, from, tie->across));
    if (from->slot_count)
        memcpy(value + *used, given, from->slot_count * sizeof *value);
    value[*used + from->slot_count] = tie->value;
    c->value = *used;
    *used += from->slot_count + 1;
}

static void put_ties(ct_shadows *s, ct_model *own, ct_component *component, const ct_tie *tie,
                     uint32_t count)
{
    const ct_model *m = s->model;
    uint32_t slots = 1, more = 0;
    for (uint32_t i = 0; i < m->component_count; i++) {
        uint32_t end = m->component[i].value + element_of(m, i)->slot_count;
        slots = end > slots ? end : slots;
    }
    for (uint32_t i = 0; i < count; i++)
        more += element_of(m, tie[i].component)->slot_count + 1;
    ct_expr *value = CT_NEW_ARRAY(s->arena, ct_expr, slots + more);
    memcpy(value, m->param_value, slots * sizeof *value);
    for (uint32_t i = 0; i < count; i++)
        put_tie(s, &component[tie[i].component], value, &slots, &tie[i]);
    own->param_value = value;
}

/* One more own unknown of the first component with modes, that passes as time does. */
static void put_clock(ct_shadows *s, ct_component *component)
{
    ct_pool *pool = s->model->pool;
    ct_component *c = &component[s->item.at[0].component];
    const ct_element *from = s->element.at[c->element];
    ct_element *e = CT_NEW(s->arena, ct_element);
    ct_element_named *var = CT_NEW_ARRAY(s->arena, ct_element_named, from->var_count + 1);
    ct_element_equation *row =
        CT_NEW_ARRAY(s->arena, ct_element_equation, from->equation_count + 1);
    ct_name name = ct_intern_text(s->model->ctx, "the clock");
    ct_expr symbol = ct_expr_symbol(pool, name);
    if (from->var_count)
        memcpy(var, from->var, from->var_count * sizeof *var);
    memcpy(row, from->equation, from->equation_count * sizeof *row);
    var[from->var_count] = ct_single_named(name, symbol, from->place);
    var[from->var_count].use = CT_OWN_CLOCK;
    row[from->equation_count] = (ct_element_equation){ct_expr_call1(pool, CT_OP_DER, symbol),
                                                      ct_expr_int(pool, 1), from->place};
    *e = *from;
    e->var = var, e->var_count++;
    e->equation = row, e->equation_count++;
    c->element = add_element(s, e);
}

/* ---- the model */

static void put_watches(ct_shadows *s, ct_model *own, const uint8_t *way, const ct_expr *record,
                        uint32_t record_count)
{
    const ct_model *m = s->model;
    uint32_t count = CT_WATCHES * s->item.count;
    ct_expr *watch = CT_NEW_ARRAY(s->arena, ct_expr, count + record_count + 1);
    for (uint32_t i = 0; i < s->item.count; i++) {
        const ct_mode_item *item = &s->item.at[i];
        const ct_law *law = &element_of(m, item->component)->law[item->law];
        const ct_expr part[CT_WATCHES] = {law->a, law->b, law->limit,
                                          law->kind == CT_LAW_PAIR ? law->gap : law->hold};
        bool stands = item->kind == CT_LAW_IF || /* any mode may ask for it */
                      ct_item_stands(s->item.at, i, way);
        for (int k = 0; k < CT_WATCHES; k++)
            watch[CT_WATCHES * i + (uint32_t)k] =
                stands && part[k] ? ct_component_instance(m, item->component, part[k])
                                  : ct_expr_int(m->pool, 0);
    }
    if (record_count)
        memcpy(watch + count, record, record_count * sizeof *watch);
    own->watch = watch;
    own->watch_count = count + record_count;
}

static void put_closed(ct_shadows *s, ct_model *own, const uint8_t *way)
{
    const ct_model *m = s->model;
    ct_closed *list = CT_NEW_ARRAY(s->arena, ct_closed, s->item.count + 1);
    for (uint32_t i = 0; i < s->item.count; i++) {
        const ct_mode_item *item = &s->item.at[i];
        const ct_law *law = &element_of(m, item->component)->law[item->law];
        if (item->gap && way[i] == CT_WAY_FIRST && ct_item_stands(s->item.at, i, way))
            list[own->closed_count++] =
                (ct_closed){item->component, ct_component_instance(m, item->component, law->gap)};
    }
    own->closed = list;
}

const ct_model *ct_shadow(ct_shadows *s, const uint8_t *way, const ct_expr *record,
                          uint32_t record_count, const ct_tie *tie, uint32_t tie_count,
                          bool clocked)
{
    const ct_model *m = s->model;
    ct_model *own = CT_NEW(s->arena, ct_model);
    ct_component *component = CT_NEW_ARRAY(s->arena, ct_component, m->component_count + 1);
    *own = *m;
    memcpy(component, m->component, m->component_count * sizeof *component);
    for (uint32_t next = 0; next < s->item.count;) {
        uint32_t c = s->item.at[next].component;
        component[c].element = element_in_mode(s, element_of(m, c), ways_of(s, &next, way));
    }
    if (tie_count)
        put_ties(s, own, component, tie, tie_count);
    if (clocked)
        put_clock(s, component);
    const ct_element **element = CT_NEW_ARRAY(s->arena, const ct_element *, s->element.count);
    memcpy(element, s->element.at, s->element.count * sizeof *element);
    own->component = component;
    own->element = element;
    own->element_count = s->element.count;
    put_watches(s, own, way, record, record_count);
    put_closed(s, own, way);
    if (s->unstarted)
        own->start_count = 0;
    return own;
}
