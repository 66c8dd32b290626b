/* key.c - keys of bodies, joints and loads: their values, dimensions and sizes. */
#include <string.h>

#include "model/mech.h"

/* ---- values */

static void report_size(builder *b, ct_place place, const char *is, ct_name owner, shaped v)
{
    uint32_t size = v.rows * v.cols, want = ct_vector_size(b);
    ct_report *r = size == 1 ? ct_error(b->ctx, "E263", place,
                                        "%s is a vector of %u components, not a number", is, want)
                             : ct_error(b->ctx, "E263", place, "%s has %u components in %s, not %u",
                                        is, want, want == 2 ? "the plane" : "space", size);
    ct_help(r, "%swrite %s", size == 3 && want == 2 ? "leave out z: " : "", ct_vector_text(b));
    ct_witness(r, ct_name_text(b->ctx, owner));
}

bool ct_read_vector(builder *b, const where *w, ct_node expr, ct_dim_term dim, const char *is,
                    bool fixed, ct_name owner, ct_vec3 *out)
{
    shaped v = ct_lower(b, w, expr);
    ct_place place = ct_place_of(w->s, expr);
    if (ct_is_broken(v))
        return false;
    bool flat = b->mech->spatial && v.rows == 2; /* z is zero */
    if (v.word || (v.rows != ct_vector_size(b) && !flat) || v.cols != 1) {
        report_size(b, place, is, owner, v);
        return false;
    }
    for (uint32_t i = 0; i < v.rows; i++) {
        if (!ct_demand_place(b, v.cell[i], dim, place, is) ||
            (fixed && !ct_is_fixed(b, v.cell[i].expr, false, 0, is, place)))
            return false;
        out->c[i] = v.cell[i].expr;
    }
    if (flat)
        out->c[2] = ct_expr_int(b->pool, 0);
    return true;
}

bool ct_read_number(builder *b, const where *w, ct_node expr, ct_dim dim, const char *is,
                    ct_expr *out)
{
    const ct_syntax_node *n = ct_at(w->s, expr);
    if (n->kind == CT_NODE_NUMBER && !n->first && !b->def->strict_units) {
        ct_expr e = ct_lower_decimal(b, w, expr); /* a bare number takes the dimension */
        *out = e ? e : *out;
        return e != 0;
    }
    cell c = ct_lower_scalar(b, w, expr);
    if (!c.expr || !ct_demand_place(b, c, ct_term_known(dim), ct_place_of(w->s, expr), is))
        return false;
    *out = c.expr;
    return true;
}

bool ct_reads_freedom(builder *b, ct_name own, ct_name symbol)
{
    uint32_t found = ct_map_get(b->mech->motions, symbol);
    if (!found || found > b->mech->motion.count)
        return false;
    const ct_motion *x = &b->mech->motion.at[found - 1];
    bool freedom = x->kind == CT_MOTION_TURN || x->kind == CT_MOTION_SLIDE;
    const ct_joint *j = freedom ? &b->mech->joint.at[x->object] : NULL;
    return j && (j->name != own || (ct_joint_is_guided(j->kind) && x->kind == CT_MOTION_SLIDE));
}

bool ct_is_fixed(builder *b, ct_expr e, bool time, ct_name follows, const char *what,
                 ct_place place)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_symbols(b->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kind = ct_map_get(&b->given, symbol[i]);
        bool known = kind == ENTRY_PARAM + 1;
        if (known || (time && (kind == ENTRY_INPUT + 1 || symbol[i] == b->name_t)) ||
            (follows && ct_reads_freedom(b, follows, symbol[i])))
            continue;
        const char *name = ct_name_text(b->ctx, symbol[i]);
        ct_report *r;
        if (time) {
            r = ct_error(b->ctx, "E265", place, "a driver cannot follow `%s`, a variable", name);
            ct_help(r, "a driver is made of time, params and inputs, that of `beta` or `s` also of "
                       "`beta` and `s` of other joints; let a torque or force follow variables");
        } else {
            r = ct_error(b->ctx, "E215", place, "%s depends on `%s`, which changes during a run",
                         what, name);
            ct_help(r, "data of bodies, frames and joints are made of params");
        }
        ct_witness(r, name);
        return false;
    }
    return true;
}

/* ---- names of keys */

bool ct_plain_key(builder *b, const where *w, ct_node key, ct_name *name, ct_node *expr)
{
    ct_node path = ct_at(w->s, key)->first;
    *expr = ct_at(w->s, path)->next;
    if (ct_plain_name(w->s, ct_at(w->s, path)->first, name))
        return true;
    ct_report *r =
        ct_error(b->ctx, "E204", ct_place_of(w->s, path), "a key is the name of a parameter");
    ct_help(r, "for an initial value write (0) behind the variable");
    return false;
}

static const char *keys_of(builder *b, uint32_t type)
{
    ct_text list = ct_text_new(b->ctx->base);
    for (uint32_t i = 0; i < CT_KEYS; i++)
        if (ct_type_has_in(type, ct_key_rows[i].need, b->mech->spatial))
            ct_putf(&list, "%s%s", list.length ? ", " : "", ct_key_rows[i].word);
    return list.length ? ct_text_string(&list) : "none";
}

static bool is_driver(uint32_t row)
{
    return row >= CT_KEY_ANGLE && row <= CT_KEY_VELOCITY;
}

/* `beta` of a prismatic joint: the freedom is not there. */
static void report_freedom(builder *b, ct_place place, uint32_t type, uint32_t row, ct_name owner)
{
    const char *word = ct_type_word(type), *key = ct_key_rows[row].word;
    bool turn = ct_key_rows[row].need == CT_NEED_TURN;
    ct_report *r = ct_error(b->ctx, "E265", place, "a %s joint does not %s: it has no `%s`", word,
                            turn ? "turn" : "slide", key);
    ct_note(r, "its keys are %s", keys_of(b, type));
    if (ct_type_has_in(type, turn ? CT_NEED_SLIDE : CT_NEED_TURN, b->mech->spatial))
        ct_help(r, "drive it by `%s`", turn ? "s" : "beta");
    ct_witness(r, ct_name_text(b->ctx, owner));
}

static void report_key(builder *b, ct_place place, uint32_t type, const char *text, ct_name owner)
{
    const char *word = ct_type_word(type);
    ct_suggestion near = ct_suggest(text);
    for (uint32_t i = 0; i < CT_KEYS; i++)
        if (ct_type_has_in(type, ct_key_rows[i].need, b->mech->spatial))
            ct_suggest_try(&near, ct_key_rows[i].word);
    ct_report *r = ct_error(b->ctx, "E204", place, "`%s` has no parameter `%s`", word, text);
    ct_note(r, "it has %s", keys_of(b, type));
    if (type == CT_TYPE_PARTICLE && strcmp(text, "I") == 0)
        ct_help(r, "a particle has no orientation: make it a body");
    else if (type == CT_TYPE_PARTICLE && strcmp(text, "com") == 0)
        ct_help(r, "a particle is its own centre of mass");
    else if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    ct_witness(r, ct_name_text(b->ctx, owner));
}

/* Several types have a `length`: the row of this one, else any; CT_KEYS: none. */
static uint32_t find_key(const builder *b, uint32_t type, const char *text)
{
    uint32_t found = CT_KEYS;
    for (uint32_t i = 0; i < CT_KEYS; i++) {
        if (strcmp(ct_key_rows[i].word, text) != 0)
            continue;
        if (ct_type_has_in(type, ct_key_rows[i].need, b->mech->spatial))
            return i;
        found = found == CT_KEYS ? i : found;
    }
    return found;
}

_Static_assert(CT_KEYS <= 64, "a bit for each key");

bool ct_key_of(builder *b, const where *w, ct_node key, uint32_t type, ct_name owner,
               uint64_t *seen, ct_key_kind *kind, ct_node *expr)
{
    ct_name name;
    if (!ct_plain_key(b, w, key, &name, expr))
        return false;
    const char *text = ct_name_text(b->ctx, name);
    ct_place place = ct_place_of(w->s, key);
    uint32_t row = find_key(b, type, text);
    bool fits = row < CT_KEYS && ct_type_has_in(type, ct_key_rows[row].need, b->mech->spatial);
    if (!fits && type >= CT_TYPE_JOINTS && is_driver(row)) {
        report_freedom(b, place, type, row, owner);
    } else if (!fits) {
        report_key(b, place, type, text, owner);
    } else if (*seen >> row & 1) {
        ct_report_twice(b, place, text);
    } else {
        *seen |= (uint64_t)1 << row;
        *kind = (ct_key_kind)row;
        return true;
    }
    return false;
}

bool ct_next_key(builder *b, ct_key_reader *r)
{
    const where *w = &r->of->where;
    const ct_syntax *s = w->s;
    r->last = r->last ? ct_at(s, r->last)->next : ct_at(s, r->of->node)->first;
    for (; r->last; r->last = ct_at(s, r->last)->next)
        if (ct_at(s, r->last)->kind == CT_NODE_KEY && !ct_at(s, r->last)->op &&
            ct_key_of(b, w, r->last, r->type, r->owner, &r->seen, &r->kind, &r->expr))
            return true;
    return false;
}
