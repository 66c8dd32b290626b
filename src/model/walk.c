/* walk.c - going through statements: blocks of `if` and `repeat` unfold here. */
#include "model/build.h"

enum { MOST_ROUNDS = 20000000, MOST_ERRORS = 500, MOST_RAISED = 2000 };

void ct_stop_at_limit(builder *b, ct_place place, const char *what, uint64_t most)
{
    ct_error(b->ctx, "E902", place, "more than %llu %s", (unsigned long long)most, what);
    ct_throw(b->ctx, CT_ERR_LIMIT);
}

/* Nobody reads the 501st error, and each may cost a search for what was meant. */
void ct_stop_after_errors(builder *b)
{
    if (b->ctx->diags.errors > MOST_ERRORS || b->ctx->diags.raised > MOST_RAISED)
        ct_throw(b->ctx, CT_ERR_MODEL);
}

static bool is_block(ct_node_kind kind)
{
    return kind == CT_NODE_REPEAT || kind == CT_NODE_IF_STMT;
}

/* Is there anything in a block for this pass? Saves a million empty rounds. */
static bool concerns(const ct_syntax *s, ct_node block, const pass *p)
{
    for (ct_node n = ct_at(s, block)->first; n; n = ct_at(s, n)->next) {
        ct_node_kind kind = (ct_node_kind)ct_at(s, n)->kind;
        if (kind == CT_NODE_BLOCK || kind == CT_NODE_FRAMES || is_block(kind)) {
            if (concerns(s, n, p))
                return true;
        } else if (kind < 64 && p->kinds >> kind & 1) {
            return true;
        }
    }
    return false;
}

/* Refuses before work is done: `ahead` is how often the statements around stand to be repeated, as
 * far as the first rounds of the repeats around tell. Rounds need not be alike: the first one of a
 * triangle (j = i..N) is twice the average. */
static void count_rounds(builder *b, uint64_t rounds, ct_place place)
{
    enum { UNEVEN = 4 };
    bool many = rounds > MOST_ROUNDS || rounds * b->ahead > UNEVEN * (uint64_t)MOST_ROUNDS;
    if (many || (b->rounds += rounds) > MOST_ROUNDS)
        ct_stop_at_limit(b, place, "rounds of `repeat`", MOST_ROUNDS);
}

/* The binding is used again for the next round when nothing was kept that refers to it. */
static env *walk_round(builder *b, const where *w, env *index, const env *now, ct_node block,
                       const pass *p)
{
    bool around = b->kept;
    where inside = *w;
    if (!index)
        index = CT_NEW(b->scratch, env);
    *index = *now;
    inside.env = index;
    b->kept = false;
    ct_walk_statements(b, &inside, ct_at(w->s, block)->first, p);
    env *again = b->kept ? NULL : index;
    b->kept |= around;
    return again;
}

static void walk_repeat(builder *b, const where *w, ct_node n, const pass *p)
{
    ct_node from_node = ct_at(w->s, n)->first, to_node = ct_at(w->s, from_node)->next;
    ct_node block = ct_at(w->s, to_node)->next;
    int64_t from, to;
    if (!block || !concerns(w->s, block, p) ||
        !ct_lower_int(b, w, from_node, &from, "the range of `repeat`") ||
        !ct_lower_int(b, w, to_node, &to, "the range of `repeat`"))
        return;
    if (to < from)
        return;
    uint64_t more = (uint64_t)to - (uint64_t)from, ahead = b->ahead;
    count_rounds(b, more, ct_place_of(w->s, n));
    b->ahead = ahead * (more + 1);
    env *index = NULL, now = {.name = ct_at(w->s, n)->name, .is_index = true, .up = w->env};
    for (uint64_t k = 0; k <= more; k++) {
        now.index = from + (int64_t)k;
        index = walk_round(b, w, index, &now, block, p);
        b->ahead = ahead;
    }
}

static void walk_branch(builder *b, const where *w, ct_node block, const pass *p)
{
    uint64_t ahead = b->ahead;
    b->ahead = 1; /* other rounds may take the other way */
    ct_walk_statements(b, w, ct_at(w->s, block)->first, p);
    b->ahead = ahead;
}

/* Of an element: in each mode other equations hold. True: it was such an `if`. */
static bool walk_modes(builder *b, const where *w, ct_node n, const pass *p)
{
    bool equations = p->kinds & KIND_BIT(EQUATION);
    if (!w->element || (!equations && concerns(w->s, n, p)))
        return false;
    if (!equations)
        return true; /* the pass over equations reads its condition */
    cell c = ct_lower_scalar(b, w, ct_at(w->s, n)->first);
    if (c.expr && ct_expr_is_number(b->pool, c.expr))
        return false;
    ct_read_branches(b, w, n, c.expr);
    return true;
}

static void walk_if(builder *b, const where *w, ct_node n, const pass *p)
{
    if (walk_modes(b, w, n, p))
        return;
    while (n && ct_at(w->s, n)->kind == CT_NODE_IF_STMT) {
        ct_node condition = ct_at(w->s, n)->first, yes = ct_at(w->s, condition)->next;
        ct_expr value;
        if (!ct_lower_const(b, w, condition, &value, "the condition of a structural `if`"))
            return;
        if (!ct_expr_is_zero(b->pool, value)) {
            walk_branch(b, w, yes, p);
            return;
        }
        n = ct_at(w->s, yes)->next;
    }
    if (n)
        walk_branch(b, w, n, p);
}

static void visit(builder *b, const where *w, ct_node n, const pass *p)
{
    b->passed = false;
    p->visit(b, w, n);
    b->kept |= !b->passed;
}

void ct_walk_one(builder *b, const where *w, ct_node n, const pass *p)
{
    ct_node_kind kind = (ct_node_kind)ct_at(w->s, n)->kind;
    ct_stop_after_errors(b);
    if (kind == CT_NODE_REPEAT)
        walk_repeat(b, w, n, p);
    else if (kind == CT_NODE_IF_STMT)
        walk_if(b, w, n, p);
    else if (kind < 64 && p->kinds >> kind & 1)
        visit(b, w, n, p);
}

void ct_walk_statements(builder *b, const where *w, ct_node first, const pass *p)
{
    if (!(w->s->kinds & (p->kinds | KIND_BIT(IF_STMT))))
        return; /* a condition is read by every pass, and may be wrong */
    for (ct_node n = first; n; n = ct_at(w->s, n)->next)
        if (!p->plain_first || !is_block((ct_node_kind)ct_at(w->s, n)->kind))
            ct_walk_one(b, w, n, p);
    for (ct_node n = p->plain_first ? first : 0; n; n = ct_at(w->s, n)->next)
        if (is_block((ct_node_kind)ct_at(w->s, n)->kind))
            ct_walk_one(b, w, n, p);
}
