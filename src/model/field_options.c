/* field_options.c - choices and numbers of a field: modes, cells, ends, unsteady losses. */
#include <string.h>

#include "model/field.h"

ct_name ct_field_word(field *f, const char *name)
{
    entry *e = ct_find_entry(f->b, f->w->scope, ct_intern_text(f->b->ctx, name));
    return e && e->kind == ENTRY_CHOICE ? e->value.word : 0;
}

bool ct_field_is_word(field *f, const char *name, const char *word)
{
    ct_name have = ct_field_word(f, name);
    return have && strcmp(ct_name_text(f->b->ctx, have), word) == 0;
}

bool ct_field_is_bare(field *f)
{
    return ct_field_is_word(f, "residual", "none");
}

uint32_t ct_field_number(field *f, const char *name, uint32_t usual)
{
    enum { MOST = 20000 };
    int64_t value = usual;
    entry *e = ct_find_entry(f->b, f->w->scope, ct_intern_text(f->b->ctx, name));
    shaped v = e && e->kind == ENTRY_CONST ? ct_read_entry(f->b, e, e->place) : ct_broken_value();
    if (ct_is_broken(v))
        return usual;
    if (!ct_expr_to_int(f->b->pool, v.cell->expr, &value) || value < 1 || value > MOST) {
        ct_report *r = ct_error(f->b->ctx, "E411", ct_value_place(e),
                                "`%s` must be a whole number from 1 to %d", name, MOST);
        ct_witness(r, name);
        ct_element_fail(f->es);
        return usual;
    }
    return (uint32_t)value;
}

/* ---- ends */

/* What the words of `ends` say, for the deflection or for the slope. */
static const struct end_word {
    const char *word;
    bool held[2];
} end_words[] = {
    {"fixed", {true, true}},   {"held", {true, true}},     {"clamped", {true, true}},
    {"pinned", {true, false}}, {"sliding", {false, true}}, {"free", {false, false}},
};

/* `clamped_free`: the word before and the word behind the bar. */
bool ct_field_word_holds(const char *ends, uint32_t end, uint32_t row)
{
    const char *bar = strchr(ends, '_');
    const char *word = end && bar ? bar + 1 : ends;
    for (size_t i = 0; i < sizeof end_words / sizeof *end_words; i++)
        if (strncmp(word, end_words[i].word, strlen(end_words[i].word)) == 0)
            return end_words[i].held[row];
    return false;
}

const char *ct_field_ends(field *f)
{
    ct_name ends = ct_field_word(f, "ends");
    return ends && strchr(ct_name_text(f->b->ctx, ends), '_') ? ct_name_text(f->b->ctx, ends)
                                                              : NULL;
}

void ct_field_choose_ends(field *f)
{
    const char *ends = ct_field_ends(f);
    bool across = ct_field_is_word(f, "causality", "pressure"),
         through = ct_field_is_word(f, "causality", "flow");
    f->open = !ends && !across && !through && !f->es->ends;
    for (uint32_t i = 0; i < f->port.count; i++) {
        field_port *p = &f->port.at[i];
        p->held = f->es->ends >> (1 + p->edge % 63) & 1;
        if (ends || across || through)
            p->held = ends ? ct_field_word_holds(ends, p->end, p->row) : across;
        p->held = (p->held || f->open) && p->end < 2; /* until the tree decides: all held */
    }
}

/* ---- unsteady losses */

static void refuse_bank(field *f, const char *key, const char *code, const char *what)
{
    ct_place place = ct_field_key_place(f, ct_intern_text(f->b->ctx, key));
    ct_report *r = ct_error(f->b->ctx, code, place, "%s", what);
    ct_witness(r, key);
    ct_element_fail(f->es);
}

/* `losses = unsteady`: how many flows stand for one. */
void ct_field_choose_bank(field *f)
{
    ct_pool *p = f->b->pool;
    const field_law *law = &f->law;
    if (!ct_field_is_word(f, "losses", "unsteady"))
        return;
    f->bank = ct_field_number(f, "branches", 6);
    if (f->positions || ct_expr_is_zero(p, law->l) || ct_expr_is_zero(p, law->r) ||
        !ct_expr_is_zero(p, law->tau))
        refuse_bank(f, "losses", "E410",
                    "unsteady losses are those of a flow with inertia and friction");
    else if (ct_field_has_accuracy(f))
        refuse_bank(f, "accuracy", "E410", "an accuracy is known with steady losses only");
    else if (f->bank < 2 || f->bank > CT_FIELD_BANK)
        refuse_bank(f, "branches", "E411", "`branches` must be a whole number from 2 to 12");
}
