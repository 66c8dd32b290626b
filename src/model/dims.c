/* dims.c - demanding equal dimensions, and saying clearly when they are not. */
#include <string.h>

#include "model/build.h"

ct_dim_term ct_settled(builder *b, ct_dim_term t)
{
    ct_dim dim;
    if (t.count && ct_infer_resolve(b->infer, t, &dim))
        return ct_term_known(dim);
    return t;
}

static const char *dim_text(builder *b, ct_dim dim)
{
    ct_text text = ct_text_new(b->ctx->base);
    const char *quantity = ct_dim_quantity(dim);
    if (ct_dim_is_one(dim))
        return "dimensionless";
    ct_dim_put(&text, dim);
    if (quantity)
        ct_putf(&text, " (%s)", quantity);
    return ct_text_string(&text);
}

static void note_culprit(builder *b, ct_report *r, const ct_dim_conflict *c)
{
    if (!c->culprit || !ct_infer_name(b->infer, c->culprit))
        return;
    const char *name = ct_name_text(b->ctx, ct_infer_name(b->infer, c->culprit));
    uint32_t line, column;
    ct_place earlier = ct_source_origin(b->ctx, c->earlier);
    const ct_source *source = ct_source_get(b->ctx, earlier.source);
    ct_source_locate(source, earlier.at, &line, &column);
    ct_note(r, "`%s` got its dimension from its use at %s:%u:%u", name, source->path, line, column);
    ct_help(r, "give `%s` a unit where it is declared, or correct one of the two uses", name);
    ct_witness(r, name);
}

bool ct_demand_equal(builder *b, ct_dim_term a, ct_dim_term x, ct_place place, const char *a_is,
                     const char *x_is)
{
    ct_dim_conflict c = {.a = a.known, .b = x.known};
    if (a.count == 0 && x.count == 0 ? ct_dim_equal(a.known, x.known)
                                     : ct_infer_equal(b->infer, a, x, place, &c))
        return true;
    ct_report *r = ct_error(b->ctx, "E230", place, "dimensions disagree: %s is %s, %s is %s", a_is,
                            dim_text(b, c.a), x_is, dim_text(b, c.b));
    note_culprit(b, r, &c);
    return false;
}

/* A number without unit, or an expression of t with such numbers. */
static bool is_bare(builder *b, ct_expr e, ct_dim dim)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(b->pool, e, &symbol);
    bool timed = count == 1 && symbol[0] == b->name_t;
    if (timed)
        dim.e[CT_SECOND] = 0;
    return ct_dim_is_one(dim) && (count == 0 || timed);
}

bool ct_demand_place(builder *b, cell value, ct_dim_term want, ct_place place, const char *is)
{
    ct_dim_term have = ct_settled(b, value.dim), there = ct_settled(b, want);
    bool known = have.count == 0 && there.count == 0;
    if (known && ct_dim_equal(have.known, there.known))
        return true;
    if (known && is_bare(b, value.expr, have.known))
        return true;
    return ct_demand_equal(b, value.dim, want, place, "the value", is);
}

static bool in_library(builder *b, ct_place place)
{
    return strncmp(ct_source_get(b->ctx, place.source)->path, "library/", 8) == 0;
}

/* Numbers without unit whose place gave them a dimension, for --strict-units. */
void ct_report_inferred(builder *b)
{
    for (ct_unknown u = 1; u <= ct_infer_count(b->infer); u++) {
        ct_dim dim;
        ct_place place = ct_infer_place(b->infer, u);
        bool known = ct_infer_resolve(b->infer, ct_term_unknown(b->infer, u), &dim);
        if (!known || ct_dim_is_one(dim) || !place.source || ct_infer_name(b->infer, u) ||
            in_library(b, place))
            continue;
        ct_report *r =
            ct_warning(b->ctx, "W231", place, "this number is taken as %s", dim_text(b, dim));
        ct_help(r, "write its unit");
    }
}
