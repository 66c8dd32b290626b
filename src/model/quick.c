/* quick.c - the short way for what large models are made of: names with indices, and keys that are
 * numbers or plain params. What does not fit goes the long way, which also does all reporting. */
#include "model/build.h"

/* ---- whole numbers */

static bool is_plain_ref(const ct_syntax_node *n)
{
    return n->kind == CT_NODE_REF && n->name && !n->first;
}

/* Digits only, as many as surely fit. */
static bool digits(builder *b, const ct_syntax_node *n, int64_t *value)
{
    enum { MOST_DIGITS = 18 };
    const char *text = ct_name_text(b->ctx, n->name);
    uint32_t length = ct_name_length(b->ctx, n->name);
    *value = 0;
    if (n->first || length > MOST_DIGITS)
        return false;
    for (uint32_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *value = 10 * *value + (text[i] - '0');
    }
    return true;
}

/* A constant that is known to be a pure number: nothing is to be inferred from its use. */
static bool constant(builder *b, const where *w, ct_name name, int64_t *value)
{
    entry *e = w->scope && !w->in_function ? ct_find_entry(b, w->scope, name) : NULL;
    if (!e || e->kind != ENTRY_CONST || e->state != ENTRY_DONE || e->value.rows != 1 ||
        e->value.cols != 1)
        return false;
    ct_dim_term dim = ct_settled(b, e->value.cell->dim);
    return dim.count == 0 && ct_dim_is_one(dim.known) &&
           ct_expr_to_int(b->pool, e->value.cell->expr, value);
}

static bool named(builder *b, const where *w, ct_name name, int64_t *value)
{
    for (const env *e = w->env; e; e = e->up) {
        if (e->name != name)
            continue;
        *value = e->index;
        return e->is_index;
    }
    return name != b->name_pi && name != b->name_t && constant(b, w, name, value);
}

static bool folded(builder *b, const where *w, const ct_syntax_node *n, int64_t *value)
{
    bool sum = n->kind == CT_NODE_SUM;
    *value = !sum;
    for (ct_node c = n->first; c; c = ct_at(w->s, c)->next) {
        int64_t next;
        if (!ct_quick_int(b, w, c, &next) || (sum ? __builtin_add_overflow(*value, next, value)
                                                  : __builtin_mul_overflow(*value, next, value)))
            return false;
    }
    return true;
}

/* Nesting is bounded by the parser. */
bool ct_quick_int(builder *b, const where *w, ct_node at, int64_t *value)
{
    const ct_syntax_node *n = ct_at(w->s, at);
    switch ((int)n->kind) {
    case CT_NODE_NUMBER:
        return digits(b, n, value);
    case CT_NODE_REF:
        return is_plain_ref(n) && named(b, w, n->name, value);
    case CT_NODE_SUM:
    case CT_NODE_PRODUCT:
        return folded(b, w, n, value);
    case CT_NODE_NEG:
        if (!ct_quick_int(b, w, n->first, value) || *value == INT64_MIN)
            return false;
        *value = -*value;
        return true;
    default:
        return false;
    }
}

/* ---- keys */

/* A number with its unit, from memory if it was met before. */
static literal read_literal(builder *b, const where *w, const ct_syntax_node *n)
{
    enum { MOST_LITERALS = 10000 };
    ct_name unit = n->first ? ct_at(w->s, n->first)->name : 0;
    uint32_t known = ct_map_get(&b->literals, ct_pair(n->name, unit));
    if (known)
        return b->literal.at[known - 1];
    const char *problem, *hint;
    literal l = {0, unit ? ct_find_unit(b, unit, &problem, &hint) : 0};
    if (!unit || l.unit)
        l.expr = ct_decimal(b, n->name);
    if (l.expr && l.unit)
        l.expr = ct_in_si(b, l.expr, &b->unit.at[l.unit - 1]);
    if (l.expr && b->literal.count < MOST_LITERALS) {
        CT_PUSH(b->scratch, b->literal, l);
        ct_map_put(&b->literals, ct_pair(n->name, unit), b->literal.count);
    }
    return l;
}

static ct_expr literal_for(builder *b, const where *w, const ct_syntax_node *n,
                           const ct_element_param *p)
{
    literal l = read_literal(b, w, n);
    bool fits = l.unit ? !p->has_dim || ct_dim_equal(b->unit.at[l.unit - 1].dim, p->dim)
                       : !b->def->strict_units;
    return fits ? l.expr : 0;
}

/* Can reading it neither fail nor tell anything? `param R0 = 1 kohm`, `param n : 1 = 2`, or what
 * was read before. */
static bool is_simple(builder *b, const entry *e)
{
    if (e->state == ENTRY_DONE)
        return true;
    if (e->state != ENTRY_NEW || !e->decl || b->def->override_count)
        return false;
    const ct_syntax *s = e->where->s;
    ct_node next = ct_at(s, ct_at(s, e->decl)->first)->next;
    bool unit = next && ct_at(s, next)->kind == CT_NODE_UNIT;
    next = unit ? ct_at(s, next)->next : next;
    bool plain = !next || (ct_at(s, next)->kind == CT_NODE_VALUE && !ct_at(s, next)->next);
    if (!plain || (unit ? b->def->strict_units : e->given != 0) || (!next && !e->given))
        return false;
    const ct_syntax_node *n =
        e->given ? ct_at(e->given_where->s, e->given) : ct_at(s, ct_at(s, next)->first);
    return n->kind == CT_NODE_NUMBER && !n->first == unit;
}

static const ct_dim *dim_of(builder *b, entry *e)
{
    ct_dim_term dim = e->settled ? (ct_dim_term){0} : ct_settled(b, e->value.cell->dim);
    if (!e->settled && dim.count == 0) {
        ct_dim *known = CT_NEW(b->scratch, ct_dim);
        *known = dim.known;
        e->settled = known;
    }
    return e->settled;
}

/* A param or const that is a number of its own; NULL: something else. */
static entry *scalar_named(builder *b, const where *w, ct_name name)
{
    for (const env *bound = w->env; bound; bound = bound->up)
        if (bound->name == name)
            return NULL;
    entry *e = name == b->name_t || name == b->name_pi ? NULL : ct_find_entry(b, w->scope, name);
    if (!e || (e->kind != ENTRY_PARAM && e->kind != ENTRY_CONST) || !is_simple(b, e))
        return NULL;
    shaped v = ct_read_entry(b, e, e->place);
    return ct_is_broken(v) || v.rows != 1 || v.cols != 1 ? NULL : e;
}

static ct_expr param_for(builder *b, const where *w, const ct_syntax_node *n,
                         const ct_element_param *p)
{
    entry *e = scalar_named(b, w, n->name);
    const ct_dim *dim = e && p->has_dim ? dim_of(b, e) : NULL;
    return e && (!p->has_dim || (dim && ct_dim_equal(*dim, p->dim))) ? e->value.cell->expr : 0;
}

/* What a product is made of. */
typedef struct product {
    ct_dim dim;
    bool bare, named; /* a number without unit, a param is among its factors */
} product;

/* A number or plain param, or one over it. */
static ct_expr factor_of(builder *b, const where *w, ct_node at, product *in)
{
    bool divides = ct_at(w->s, at)->kind == CT_NODE_INV;
    const ct_syntax_node *n = ct_at(w->s, divides ? ct_at(w->s, at)->first : at);
    const ct_dim *own = NULL;
    ct_expr value = 0;
    if (n->kind == CT_NODE_NUMBER) {
        literal l = read_literal(b, w, n);
        own = l.unit ? &b->unit.at[l.unit - 1].dim : NULL;
        in->bare |= !l.unit;
        value = l.expr;
    } else if (is_plain_ref(n)) {
        entry *e = scalar_named(b, w, n->name);
        own = e ? dim_of(b, e) : NULL;
        value = own ? e->value.cell->expr : 0;
        in->named = true;
    }
    if (own && !ct_dim_is_one(*own))
        in->dim = ct_dim_product(in->dim, *own, divides ? -1 : 1);
    return value && divides ? ct_expr_div(b->pool, ct_expr_int(b->pool, 1), value) : value;
}

/* `1e-14*AREA*1 A`: next to a param a bare number takes the dimension that is left; numbers alone
 * are for the long way. */
static ct_expr product_for(builder *b, const where *w, const ct_syntax_node *n,
                           const ct_element_param *p)
{
    enum { MOST_FACTORS = 8 };
    ct_expr factor[MOST_FACTORS];
    uint32_t count = 0;
    product in = {.dim = ct_dim_none()};
    for (ct_node c = n->first; c; c = ct_at(w->s, c)->next) {
        ct_expr next = count < MOST_FACTORS ? factor_of(b, w, c, &in) : 0;
        if (!next)
            return 0;
        factor[count++] = next;
    }
    bool fits = in.bare ? p->has_dim && in.named && !b->def->strict_units
                        : !p->has_dim || ct_dim_equal(in.dim, p->dim);
    return fits ? ct_expr_product(b->pool, factor, count) : 0;
}

static ct_expr negative(builder *b, ct_expr e)
{
    return e ? ct_expr_neg(b->pool, e) : 0;
}

static const ct_element_param *param_of(const ct_element *e, ct_name name)
{
    for (uint32_t i = 0; i < e->param_count; i++)
        if (e->param[i].name == name)
            return e->param[i].rows * e->param[i].cols == 1 ? &e->param[i] : NULL;
    return NULL;
}

static bool quick_key(builder *b, const where *w, ct_node key, const ct_element *e, ct_expr *value)
{
    ct_node path = ct_at(w->s, key)->first;
    const ct_syntax_node *name = ct_at(w->s, ct_at(w->s, path)->first);
    const ct_syntax_node *n = ct_at(w->s, ct_at(w->s, path)->next);
    const ct_element_param *p =
        ct_at(w->s, key)->op || !is_plain_ref(name) ? NULL : param_of(e, name->name);
    if (!p || value[p->slot])
        return false;
    const ct_syntax_node *inner = n->kind == CT_NODE_NEG ? ct_at(w->s, n->first) : NULL;
    if (n->kind == CT_NODE_NUMBER)
        value[p->slot] = literal_for(b, w, n, p);
    else if (inner && inner->kind == CT_NODE_NUMBER && !inner->first)
        value[p->slot] = negative(b, literal_for(b, w, inner, p));
    else if (is_plain_ref(n))
        value[p->slot] = param_for(b, w, n, p);
    else if (n->kind == CT_NODE_PRODUCT)
        value[p->slot] = product_for(b, w, n, p);
    return value[p->slot] != 0;
}

static bool is_complete(const ct_element *e, const ct_expr *value)
{
    for (uint32_t i = 0; i < e->param_count; i++)
        if (!ct_default_of(&e->param[i], 0) && !value[e->param[i].slot])
            return false;
    return true;
}

bool ct_quick_keys(builder *b, const where *w, ct_node n, const ct_element *e)
{
    ct_expr *value = b->param_value.at + b->component.at[b->component.count - 1].value;
    bool quick = !e->has_signal_port && !e->is_field;
    for (ct_node key = ct_at(w->s, n)->first; key && quick; key = ct_at(w->s, key)->next)
        if (ct_at(w->s, key)->kind == CT_NODE_KEY)
            quick = quick_key(b, w, key, e, value);
    if (quick && is_complete(e, value))
        return true;
    for (uint32_t i = 0; i < e->slot_count; i++)
        value[i] = 0; /* the long way begins anew */
    return false;
}

/* ---- where components stand */

static bool same_where(const where *a, const where *b)
{
    return a->s == b->s && a->scope == b->scope && a->env == b->env && a->element == b->element &&
           a->caller == b->caller && a->in_function == b->in_function &&
           a->in_event == b->in_event && a->at_tick == b->at_tick;
}

uint32_t ct_keep_where(builder *b, const where *w)
{
    if (!b->where.count || !same_where(&b->where.at[b->where.count - 1], w))
        CT_PUSH(b->scratch, b->where, *w);
    return b->where.count - 1;
}

/* Entries of an instance have two: that of their declaration, and that of its keys. */
const where *ct_share_where(builder *b, const where *w)
{
    const where *last = b->shared[0];
    if (last && same_where(last, w))
        return last;
    where *own = NULL;
    if (!b->shared[1] || !same_where(b->shared[1], w)) {
        own = CT_NEW(b->scratch, where);
        *own = *w;
    }
    b->shared[0] = own ? own : b->shared[1];
    b->shared[1] = last;
    return b->shared[0];
}
