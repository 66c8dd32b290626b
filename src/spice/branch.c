/* branch.c - .if, .elseif, .else and .endif: which cards count.
 *
 * Conditions are numbers that are known early. Params of the main circuit that stand outside of
 * branches are read before them, so that the last card of a param counts, wherever it stands.
 */
#include "spice/reader.h"

bool ct_sp_has_branches(const reader *r)
{
    for (uint32_t i = 0; i < r->card.count; i++) {
        cursor c = ct_sp_start(r, r->card.at[i].at, r->card.at[i].end);
        if (ct_sp_is(r, c.token, ".if"))
            return true;
    }
    return false;
}

/* The rest of the card, in the scope of the subcircuit that is open. */
static bool is_true(reader *r, cursor *c, uint32_t in)
{
    token t = c->token;
    if (ct_sp_at_end(c)) {
        ct_sp_missing(r, c, "the condition");
        return false;
    }
    double number = 0;
    uint32_t here = r->here;
    r->here = in;
    r->deciding = true;
    ct_sp_here(r, ct_sp_place(r, t));
    value v = ct_sp_expression(r, t.at, t.kind == TOKEN_EXPR ? t.at + t.length : c->end);
    bool known = ct_sp_known(r, &v, ct_sp_place(r, t), "a condition", &number);
    r->deciding = false;
    r->here = here;
    return known && number != 0;
}

bool ct_sp_is_skipped(const branches *b)
{
    return b->count && !b->at[b->count - 1].on;
}

static bool report_stray(reader *r, token word)
{
    ct_sp_error(r, "E807", ct_sp_place(r, word), "there is no .if before this");
    return true;
}

bool ct_sp_branch(reader *r, branches *b, cursor *c, token word, uint32_t in)
{
    bool opens = ct_sp_is(r, word, ".if"), closes = ct_sp_is(r, word, ".endif");
    bool other = ct_sp_is(r, word, ".else"), more = ct_sp_is(r, word, ".elseif");
    if (!opens && !closes && !other && !more)
        return false;
    branch fresh = {.asked = !ct_sp_is_skipped(b), .word = word};
    if (opens)
        CT_PUSH(r->arena, *b, fresh);
    else if (!b->count)
        return report_stray(r, word);
    branch *top = &b->at[b->count - 1];
    if (closes) {
        b->count--;
    } else {
        top->on = top->asked && (other || is_true(r, c, in));
        top->asked &= !top->on; /* of several the first one counts */
    }
    return true;
}
