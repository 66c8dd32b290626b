/* range.c - limits of parameters: `R : ohm >= 0`. */
#include <math.h>

#include "model/build.h"

static const char *const relation_text[] = {"<", "<=", ">", ">=", "==", "!="};

const ct_limit *ct_read_limits(builder *b, const where *w, ct_node decl, ct_dim_term dim,
                               uint32_t *count)
{
    CT_VEC(ct_limit) list = {0};
    for (ct_node n = ct_at(w->s, decl)->first; n; n = ct_at(w->s, n)->next) {
        if (ct_at(w->s, n)->kind != CT_NODE_LIMIT)
            continue;
        ct_node expr = ct_at(w->s, n)->first;
        cell c = ct_lower_scalar(b, w, expr);
        if (!c.expr ||
            !ct_demand_equal(b, c.dim, dim, ct_place_of(w->s, expr), "the limit", "its parameter"))
            continue;
        CT_PUSH(b->arena, list, (ct_limit){(ct_comparison)ct_at(w->s, n)->op, c.expr});
    }
    *count = list.count;
    return list.at;
}

bool ct_limit_holds(double value, ct_comparison relation, double bound)
{
    switch (relation) {
    case CT_LESS:
        return value < bound;
    case CT_LESS_EQUAL:
        return value <= bound;
    case CT_GREATER:
        return value > bound;
    case CT_GREATER_EQUAL:
        return value >= bound;
    case CT_EQUAL:
        return value == bound;
    case CT_UNEQUAL:
        return value != bound;
    }
    return true;
}

const char *ct_limit_text(ct_comparison relation)
{
    return relation_text[relation];
}

typedef struct checker {
    builder *b;
    const ct_model *m;
    ct_expr **good; /* of each element and param: the last value that was within its limits */
} checker;

/* Values that depend on time, inputs or variables cannot be judged here; they are NaN. */
static bool violated(const checker *c, ct_expr value, const ct_limit *limit, double *v,
                     double *bound)
{
    *v = ct_model_value(c->m, value);
    *bound = limit->bound ? ct_model_value(c->m, limit->bound) : NAN;
    return !isnan(*v) && !isnan(*bound) && !ct_limit_holds(*v, limit->relation, *bound);
}

static ct_report *report_range(const checker *c, ct_place place, const char *owner, ct_name name,
                               ct_dim dim, double value, ct_comparison relation, double bound,
                               const char *doc)
{
    ct_context *ctx = c->b->ctx;
    ct_text unit = ct_text_new(ctx->base);
    if (!ct_dim_is_one(dim)) {
        ct_put_char(&unit, ' ');
        ct_dim_put(&unit, dim);
    }
    const char *text = ct_name_text(ctx, name);
    ct_report *r =
        ct_error(ctx, "E224", place, "`%s` = %.10g%s is out of range: it must be %s %.10g", text,
                 value, ct_text_string(&unit), ct_limit_text(relation), bound);
    if (doc)
        ct_note(r, "%s: %s", text, doc);
    ct_witness(r, owner);
    return r;
}

ct_place ct_param_place(const builder *b, uint32_t index, ct_name param)
{
    const pending *job = &b->pending.at[index];
    const ct_syntax *s = b->where.at[job->where].s;
    for (ct_node key = ct_at(s, job->node)->first; key; key = ct_at(s, key)->next) {
        ct_name name;
        if (ct_at(s, key)->kind != CT_NODE_KEY || ct_at(s, key)->op)
            continue;
        ct_node path = ct_at(s, key)->first;
        if (ct_plain_name(s, ct_at(s, path)->first, &name) && name == param)
            return ct_place_of(s, ct_at(s, path)->next);
    }
    return b->component.at[index].place;
}

/* A limit names other parameters of the element: their values in this component count. */
static ct_limit own_limit(const checker *c, uint32_t index, ct_limit limit)
{
    if (!ct_expr_is_number(c->m->pool, limit.bound))
        limit.bound = ct_component_instance(c->m, index, limit.bound);
    return limit;
}

static bool is_no_less_than_zero(const checker *c, const ct_limit *limit)
{
    return (limit->relation == CT_GREATER || limit->relation == CT_GREATER_EQUAL) &&
           ct_expr_is_zero(c->m->pool, limit->bound);
}

static void check_param(const checker *c, uint32_t index, const ct_element *e,
                        const ct_element_param *p, const ct_expr *own, const ct_limit *template)
{
    const ct_limit limit = own_limit(c, index, *template);
    ct_name owner = c->m->component[index].name;
    bool matrix = p->rows == p->cols && e->edge_count &&
                  e->edge[0].width > 1; /* of a vector element: its diagonal */
    bool good = true;
    for (uint32_t i = 0; i < p->rows * p->cols; i += matrix ? p->cols + 1 : 1) {
        double value, bound;
        if (!own[i] || !violated(c, own[i], &limit, &value, &bound))
            continue;
        report_range(c, ct_param_place(c->b, index, p->name), ct_name_text(c->b->ctx, owner),
                     p->name, p->dim, value, limit.relation, bound, p->doc);
        good = false;
    }
    if (good && matrix && p->rows > 1 && is_no_less_than_zero(c, &limit))
        ct_check_definite(c->b, e, p, own, ct_param_place(c->b, index, p->name),
                          ct_name_text(c->b->ctx, owner));
}

/* Its value and limits need nothing else of the component; 0: they do. */
static ct_expr plain_value(const checker *c, uint32_t index, const ct_element_param *p)
{
    ct_expr given = c->m->param_value[c->m->component[index].value + p->slot];
    bool plain = p->rows * p->cols == 1;
    for (uint32_t i = 0; i < p->limit_count && plain; i++)
        plain = ct_expr_is_number(c->m->pool, p->limit[i].bound);
    if (!plain)
        return 0;
    return given || !p->fallback || !ct_expr_is_number(c->m->pool, p->fallback) ? given
                                                                                : p->fallback;
}

static void check_component(const checker *c, uint32_t index)
{
    uint32_t element = c->m->component[index].element;
    const ct_element *e = c->m->element[element];
    if (!e->limited)
        return;
    if (!c->good[element])
        c->good[element] = CT_NEW_ARRAY(c->b->scratch, ct_expr, e->param_count);
    size_t errors = ct_errors_raised(c->b->ctx);
    for (uint32_t i = 0; i < e->param_count; i++) {
        const ct_element_param *p = &e->param[i];
        if (e->along_count && ct_errors_raised(c->b->ctx) > errors)
            return; /* one place of a key tells enough */
        ct_expr plain = p->limit_count ? plain_value(c, index, p) : 0;
        if (!p->limit_count || (plain && plain == c->good[element][i]))
            continue;
        const ct_expr *own = plain ? &plain : ct_component_params(c->m, index) + p->slot;
        size_t before = ct_errors_raised(c->b->ctx);
        for (uint32_t k = 0; k < p->limit_count; k++)
            check_param(c, index, e, p, own, &p->limit[k]);
        c->good[element][i] = ct_errors_raised(c->b->ctx) == before ? plain : 0;
    }
}

static void check_quantity(const checker *c, const ct_quantity *q)
{
    for (uint32_t i = 0; i < q->limit_count; i++) {
        double value, bound;
        if (!q->value || !violated(c, q->value, &q->limit[i], &value, &bound))
            continue;
        ct_report *r = report_range(c, q->value_place, ct_name_text(c->b->ctx, q->name), q->name,
                                    q->dim, value, q->limit[i].relation, bound, NULL);
        ct_note_place(c->b, r, "declared at", q->place);
    }
}

/* A const of the model, a system or an element: a number already. */
static void check_const(const checker *c, const entry *e)
{
    for (uint32_t i = 0; i < e->limit_count * e->value.rows * e->value.cols; i++) {
        const ct_limit *limit = &e->limit[i % e->limit_count];
        cell at = e->value.cell[i / e->limit_count];
        double value, bound;
        ct_dim dim;
        bool judged = !e->hidden || ct_expr_is_number(c->m->pool, limit->bound);
        if (!judged || !violated(c, at.expr, limit, &value, &bound))
            continue;
        ct_infer_resolve(c->b->infer, at.dim, &dim);
        report_range(c, ct_value_place(e), ct_name_text(c->b->ctx, e->full), e->full, dim, value,
                     limit->relation, bound, NULL);
    }
}

void ct_check_ranges(builder *b)
{
    checker c = {b, ct_current(b), CT_NEW_ARRAY(b->scratch, ct_expr *, b->element.count)};
    for (uint32_t i = 0; i < b->entry.count; i++)
        if (b->entry.at[i]->kind == ENTRY_CONST)
            check_const(&c, b->entry.at[i]);
    for (uint32_t i = 0; i < c.m->quantity_count; i++)
        check_quantity(&c, &c.m->quantity[i]);
    for (uint32_t i = 0; i < c.m->component_count; i++) {
        check_component(&c, i);
        ct_warn_varied(c.m, i);
    }
}
