/* field_numbers.c - values of params while a model is built, for fields whose finite model depends
 * on them: how many modes, and shapes of modes.
 */
#include <math.h>

#include "model/field.h"

static entry *find_quantity(builder *b, ct_name full)
{
    for (uint32_t i = 0; i < b->entry.count; i++)
        if (b->entry.at[i]->full == full && !b->entry.at[i]->hidden)
            return b->entry.at[i];
    return NULL;
}

/* What a key of the component says, with the axis at a place. */
static double value_of_key(const field_numbers *from, ct_node path)
{
    field *f = from->f;
    field_numbers next = *from;
    next.outer = f->es->outer;
    where inside =
        ct_along_where(f->b, f->es->outer, f->es->out, ct_expr_real(f->b->pool, from->x));
    ct_node expr = ct_at(f->es->outer->s, path)->next;
    return ct_field_value(&next, ct_lower_scalar(f->b, &inside, expr).expr);
}

static double look_up(const void *user, ct_name symbol)
{
    field_numbers next = *(const field_numbers *)user;
    field *f = next.f;
    if (++next.depth > 100)
        return NAN;
    if (!next.outer) {
        if (symbol == ct_expr_name(f->b->pool, f->x))
            return next.x;
        ct_node path = ct_field_key(f, symbol);
        if (path)
            return value_of_key(&next, path);
    }
    entry *e = next.outer ? find_quantity(f->b, symbol) : ct_find_entry(f->b, f->w->scope, symbol);
    if (!e || e->kind != ENTRY_PARAM)
        return NAN;
    e->frozen |= next.freezes;
    ct_read_entry(f->b, e, e->place);
    return e->definition.rows == 1 ? ct_field_value(&next, e->definition.cell->expr) : NAN;
}

double ct_field_value(const field_numbers *from, ct_expr e)
{
    return e ? ct_expr_value(from->f->b->pool, e, look_up, from) : NAN;
}
