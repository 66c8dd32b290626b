/* equations_name.c - names for what would make equations long. */
#include "export/equations_make.h"
#include "export/parts.h"

/* Characters around the terms of an equation. */
static uint32_t room_of(uint32_t terms)
{
    return 3 + 3 * terms;
}

static void add_side(ct_parts *parts, const ct_side *side)
{
    for (uint32_t i = 0; i < side->count; i++) {
        ct_parts_add(parts, &side->term[i].factor);
        if (side->term[i].core)
            ct_parts_add(parts, &side->term[i].core);
    }
}

static void add_equation(ct_parts *parts, const ct_equation *e)
{
    ct_parts_group(parts, room_of(e->left.count + e->right.count));
    add_side(parts, &e->left);
    add_side(parts, &e->right);
}

static void add_sides(ct_parts *parts, const ct_side *side, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ct_parts_group(parts, room_of(side[i].count));
        add_side(parts, &side[i]);
    }
}

/* A core that was a sum may be -z now: it goes to the factor, with its sign. */
static void join_factors(const maker *m, const ct_side *side)
{
    for (uint32_t i = 0; i < side->count; i++) {
        ct_side_term *t = &side->term[i];
        bool product = t->core && ct_expr_kind_of(m->pool, t->core) == CT_EXPR_PRODUCT;
        if (product && !ct_is_turned(m->pool, t->core))
            *t = (ct_side_term){ct_expr_mul(m->pool, t->factor, t->core), 0};
    }
}

static void define(maker *m, const ct_parts *parts)
{
    for (uint32_t i = 0; i < parts->part.count; i++) {
        const ct_part *p = &parts->part.at[i];
        ct_equation e = {.left = ct_side_of(m, ct_expr_symbol(m->pool, p->name)),
                         .right = ct_side_of(m, p->value)};
        CT_PUSH(m->arena, m->definition, (ct_definition){p->name, e});
    }
}

/* ---- matrices of bodies: whole expressions, unless they are very long */

static const double long_entry = 4000;

static void add_matrix(ct_parts *parts, const ct_shown_matrix *a)
{
    for (uint32_t i = 0; i < a->start[a->rows]; i++) {
        ct_parts_group(parts, 0);
        ct_parts_add(parts, &a->entry[i]);
    }
}

static void name_in_motion(maker *m, ct_shown_motion *motion)
{
    ct_parts parts = ct_parts_new(m->model, m->arena, m->pool);
    parts.longest = long_entry;
    parts.before = m->definition.count;
    add_matrix(&parts, &motion->mass);
    add_matrix(&parts, &motion->jacobian);
    add_sides(&parts, motion->force, motion->mass.rows);
    add_sides(&parts, motion->position, motion->jacobian.rows);
    ct_parts_run(&parts);
    define(m, &parts);
}

/* Entries of named matrices, one by one. */
static void add_named(maker *m, ct_parts *parts)
{
    for (uint32_t i = 0; i < m->list->matrix_count; i++)
        for (uint32_t k = 0; k < m->list->matrix[i].count; k++) {
            ct_parts_group(parts, 0);
            ct_parts_add(parts, &m->list->matrix[i].entry[k].value);
        }
}

void ct_name_intermediates(maker *m)
{
    ct_parts parts = ct_parts_new(m->model, m->arena, m->pool);
    for (uint32_t i = 0; i < m->group.count; i++)
        for (uint32_t k = 0; k < m->group.at[i].count; k++)
            add_equation(&parts, &m->group.at[i].equation[k]);
    add_named(m, &parts);
    ct_parts_run(&parts);
    define(m, &parts);
    for (uint32_t i = 0; parts.part.count && i < m->group.count; i++)
        for (uint32_t k = 0; k < m->group.at[i].count; k++) {
            join_factors(m, &m->group.at[i].equation[k].left);
            join_factors(m, &m->group.at[i].equation[k].right);
            ct_side_lead(m, m->group.at[i].equation[k].right);
        }
    if (m->list->motion && m->def.format == CT_EQUATIONS_JSON)
        name_in_motion(m, m->list->motion);
}
