/* loop.c - algebraic loops of signals: a signal that depends on itself becomes an unknown with an
 * equation, so that the loop is solved with the rest of the model.
 *
 * The unknown is the own unknown of a component of the library element `loop`, `y = u`, whose
 * symbol is the name of the signal. Its value may not be known while the loop is walked through;
 * so components are made when all is resolved. */
#include "model/loop.h"

static const uint32_t not_of_component = UINT32_MAX;

static const loop *find(builder *b, ct_name name)
{
    uint32_t i = ct_map_get(&b->loops_by_name, name);
    return i ? &b->loop.at[i - 1] : NULL;
}

static void add(builder *b, loop l)
{
    CT_PUSH(b->scratch, b->loop, l);
    ct_map_put(&b->loops_by_name, l.name, b->loop.count);
}

/* ---- `signal s`, read while it is being found */

shaped ct_loop_of_entry(builder *b, entry *e)
{
    if (e->looped)
        return e->value;
    ct_dim_term dim = ct_term_unknown(b->infer, ct_infer_unknown(b->infer, e->full, e->place));
    e->looped = true;
    e->value = ct_scalar(b, ct_expr_symbol(b->pool, e->full), dim);
    return e->value;
}

/* It was found: what was read of it is the unknown, and this its equation. */
shaped ct_close_entry_loop(builder *b, entry *e, shaped found)
{
    shaped unknown = e->value;
    if (ct_is_broken(found))
        return found;
    if (found.rows != 1 || found.cols != 1) {
        ct_report *r = ct_error(b->ctx, "E214", e->place,
                                "the definition of `%s` leads back to itself, and it is no number",
                                ct_name_text(b->ctx, e->full));
        ct_help(r, "loops of signals are solved for numbers: name its entries one by one");
        return ct_broken_value();
    }
    if (!ct_demand_equal(b, unknown.cell->dim, found.cell->dim, e->place, "the signal",
                         "its value"))
        return ct_broken_value();
    loop l = {.name = e->full,
              .value = found.cell->expr,
              .place = e->place,
              .component = not_of_component};
    add(b, l);
    return unknown;
}

/* ---- `C1.y`, read while the ports of C1 are being found */

ct_expr ct_loop_of_component(builder *b, uint32_t component, uint32_t signal)
{
    const ct_component *c = &b->component.at[component];
    const ct_element_named *s = &b->element.at[c->element]->signal[signal];
    ct_name name = ct_join_path(b, c->name, s->name);
    if (!find(b, name))
        add(b, (loop){.name = name, .component = component, .signal = signal, .place = c->place});
    return ct_expr_symbol(b->pool, name);
}

/* ---- when all is resolved */

typedef CT_VEC(uint32_t) index_list;

/* The loops that a value needs at once: not behind an integral. */
static void list_needs(builder *b, ct_expr value, index_list *needs)
{
    CT_VEC(ct_expr) stack = {0};
    ct_map seen;
    ct_map_init(&seen, b->scratch);
    CT_PUSH(b->scratch, stack, value);
    while (stack.count) {
        ct_expr e = stack.at[--stack.count];
        if (ct_map_get(&seen, e))
            continue;
        ct_map_put(&seen, e, 1);
        ct_expr_kind kind = ct_expr_kind_of(b->pool, e);
        uint32_t l =
            kind == CT_EXPR_SYMBOL ? ct_map_get(&b->loops_by_name, ct_expr_name(b->pool, e)) : 0;
        if (l)
            CT_PUSH(b->scratch, *needs, l - 1);
        bool state = kind == CT_EXPR_CALL && ct_expr_op(b->pool, e) == CT_OP_INTEGRAL;
        for (uint32_t i = state ? 0 : ct_expr_arity(b->pool, e); i-- > 0;)
            CT_PUSH(b->scratch, stack, ct_expr_operand(b->pool, e, i));
    }
}

/* Takes away what needs nothing of the others, again and again: loops are left. */
static const uint32_t *count_needs(builder *b)
{
    uint32_t n = b->loop.count, *open = CT_NEW_ARRAY(b->scratch, uint32_t, n + 1);
    index_list *users = CT_NEW_ARRAY(b->scratch, index_list, n + 1), done = {0};
    for (uint32_t i = 0; i < n; i++) {
        index_list needs = {0};
        list_needs(b, b->loop.at[i].value, &needs);
        open[i] = needs.count;
        for (uint32_t k = 0; k < needs.count; k++)
            CT_PUSH(b->scratch, users[needs.at[k]], i);
        if (!needs.count)
            CT_PUSH(b->scratch, done, i);
    }
    for (uint32_t i = 0; i < done.count; i++)
        for (uint32_t k = 0; k < users[done.at[i]].count; k++)
            if (--open[users[done.at[i]].at[k]] == 0)
                CT_PUSH(b->scratch, done, users[done.at[i]].at[k]);
    return open;
}

static void report(builder *b)
{
    enum { MOST = 8 };
    const uint32_t *open = count_needs(b);
    uint32_t told = 0;
    for (uint32_t i = 0; i < b->loop.count && told < MOST; i++) {
        if (!open[i])
            continue;
        const char *name = ct_name_text(b->ctx, b->loop.at[i].name);
        ct_report *r = ct_warning(b->ctx, "W217", b->loop.at[i].place,
                                  "algebraic loop: `%s` depends on itself at once", name);
        ct_note(r, "it is solved as an equation, with all that it is made of; a loop may have no "
                   "solution, or several");
        ct_witness(r, name);
        told++;
    }
}

static void add_component(builder *b, const ct_element *e, const loop *l, ct_expr value)
{
    ct_component c = {l->name, e->index, b->terminal_node.count, b->param_value.count, l->place};
    CT_PUSH(b->arena, b->terminal_node, 0);
    CT_PUSH(b->arena, b->param_value, value);
    CT_PUSH(b->arena, b->component, c);
    CT_PUSH(b->scratch, b->pending, (pending){0, 0});
    CT_PUSH(b->scratch, b->component_state, ENTRY_DONE);
    CT_PUSH(b->arena, b->component_flag, CT_COMPONENT_INSIDE | CT_COMPONENT_LOOP);
}

void ct_close_loops(builder *b)
{
    if (!b->loop.count)
        return;
    const ct_element *e = ct_plain_element(b, ct_library_definition(b, "loop"));
    for (uint32_t i = 0; i < b->loop.count; i++) {
        loop *l = &b->loop.at[i];
        if (l->component != not_of_component)
            l->value =
                ct_component_instance(ct_current(b), l->component,
                                      ct_element_of(b, l->component)->signal[l->signal].expr);
        if (l->value)
            add_component(b, e, l, l->value);
        else
            l->value = ct_expr_int(b->pool, 0); /* it divides by zero, which was said */
    }
    report(b);
}
