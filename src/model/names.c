/* names.c - names with holes, and full names of things inside subsystems. */
#include <string.h>

#include "model/build.h"

static bool put_hole(builder *b, const where *w, ct_node hole, ct_text *text)
{
    int64_t value;
    ct_node expr = ct_at(w->s, hole)->first;
    if (!ct_lower_int(b, w, expr, &value, "an index in a name"))
        return false;
    if (value < 0) {
        ct_report *r = ct_error(b->ctx, "E216", ct_place_of(w->s, expr),
                                "an index in a name must not be negative: %lld", (long long)value);
        ct_help(r, "a name has letters and digits only: add a number to the index");
    }
    ct_put_int(text, value);
    return value >= 0;
}

static ct_name expand_template(builder *b, const where *w, ct_node first)
{
    char buffer[128];
    ct_text text = {.arena = b->scratch, .at = buffer, .room = sizeof buffer};
    buffer[0] = '\0';
    for (ct_node part = first; part; part = ct_at(w->s, part)->next) {
        const ct_syntax_node *p = ct_at(w->s, part);
        if (p->kind == CT_NODE_ID)
            ct_put_bytes(&text, ct_name_text(b->ctx, p->name), ct_name_length(b->ctx, p->name));
        else if (!put_hole(b, w, part, &text))
            return 0;
    }
    return ct_intern(b->ctx, text.at, text.length);
}

ct_name ct_expand_name(builder *b, const where *w, ct_node n)
{
    const ct_syntax_node *name = ct_at(w->s, n);
    return name->name ? name->name : expand_template(b, w, name->first);
}

ct_name ct_join_path(builder *b, ct_name prefix, ct_name name)
{
    if (!prefix)
        return name;
    char buffer[128];
    ct_text text = {.arena = b->scratch, .at = buffer, .room = sizeof buffer};
    ct_put_bytes(&text, ct_name_text(b->ctx, prefix), ct_name_length(b->ctx, prefix));
    ct_put_char(&text, '.');
    ct_put_bytes(&text, ct_name_text(b->ctx, name), ct_name_length(b->ctx, name));
    return ct_intern(b->ctx, text.at, text.length);
}

const char *ct_last_word(const builder *b, ct_name path)
{
    const char *dot = strrchr(ct_name_text(b->ctx, path), '.');
    return dot ? dot + 1 : ct_name_text(b->ctx, path);
}

ct_name ct_full_name(builder *b, const scope *s, ct_name name)
{
    return ct_join_path(b, s->prefix, name);
}

bool ct_plain_name(const ct_syntax *s, ct_node n, ct_name *name)
{
    const ct_syntax_node *ref = ct_at(s, n);
    if (ref->kind != CT_NODE_REF || !ref->name || ref->first)
        return false;
    *name = ref->name;
    return true;
}

const char *ct_article(const char *word)
{
    return *word && strchr("aeiouAEIOU", *word) ? "an" : "a";
}

bool ct_find_domain(builder *b, ct_name name, ct_place place, const char *others, uint32_t *domain)
{
    const char *text = ct_name_text(b->ctx, name);
    if (ct_domain_find(text, domain))
        return true;
    uint32_t count;
    const ct_domain_row *rows = ct_domain_list(&count);
    ct_suggestion near = ct_suggest(text);
    for (uint32_t i = 0; i < count; i++)
        ct_suggest_try(&near, rows[i].name);
    ct_report *r = ct_error(b->ctx, "E208", place, "there is no domain `%s`", text);
    ct_note(r, "domains are electrical, hydraulic, thermal, translational, rotational%s", others);
    if (near.best)
        ct_help(r, "did you mean `%s`?", near.best);
    ct_witness(r, text);
    return false;
}

/* First name of a reference, and what follows it. */
bool ct_ref_name(builder *b, const where *w, ct_node ref, ct_name *name, ct_node *rest)
{
    const ct_syntax_node *r = ct_at(w->s, ref);
    *name = r->name ? r->name : ct_expand_name(b, w, r->first);
    *rest = r->name ? r->first : ct_at(w->s, r->first)->next;
    return *name != 0;
}

bool ct_field_name(builder *b, const where *w, ct_node field, ct_name *name)
{
    const ct_syntax_node *f = ct_at(w->s, field);
    *name = f->name ? f->name : ct_expand_name(b, w, f->first);
    return *name != 0;
}
