/* element_keys.c - constants of an element that follow from the keys of its component:
 * `const n = size(den)` is the number of entries of a key, `rows(A)` that of its rows, `given(Ki)`
 * is 1 when it is given. */
#include <string.h>

#include "model/element.h"

bool ct_asks_for_key(const char *word)
{
    return strcmp(word, "size") == 0 || strcmp(word, "given") == 0 || strcmp(word, "rows") == 0;
}

/* ---- which keys the constants ask for */

static ct_name asked_key(builder *b, const ct_syntax *s, ct_node ref)
{
    const ct_syntax_node *n = ct_at(s, ref);
    ct_name name = 0;
    if (n->kind != CT_NODE_REF || !n->name || !n->first ||
        ct_at(s, n->first)->kind != CT_NODE_CALL || !ct_asks_for_key(ct_name_text(b->ctx, n->name)))
        return 0;
    ct_node argument = ct_at(s, n->first)->first;
    return argument && ct_plain_name(s, argument, &name) ? name : 0;
}

/* Depth is that of expressions, which the parser limits. */
void ct_list_asked(builder *b, definition *d, ct_node n)
{
    ct_name key = asked_key(b, d->s, n);
    if (key)
        CT_PUSH(b->scratch, d->asked, key);
    for (ct_node c = ct_at(d->s, n)->first; c; c = ct_at(d->s, c)->next)
        ct_list_asked(b, d, c);
}

/* ---- what a component gives */

static ct_node key_value(const where *w, ct_node component, ct_name key)
{
    ct_name name;
    for (ct_node k = ct_at(w->s, component)->first; k; k = ct_at(w->s, k)->next) {
        if (ct_at(w->s, k)->kind != CT_NODE_KEY || ct_at(w->s, k)->op)
            continue;
        ct_node path = ct_at(w->s, k)->first;
        if (ct_plain_name(w->s, ct_at(w->s, path)->first, &name) && name == key)
            return ct_at(w->s, path)->next;
    }
    return 0;
}

/* A list is counted as it stands: what is in it may not be known yet. */
int64_t ct_key_extent(builder *b, const where *w, ct_node component, ct_name key)
{
    ct_node value = component ? key_value(w, component, key) : 0;
    if (!value)
        return 0;
    if (ct_at(w->s, value)->kind == CT_NODE_MATRIX) {
        ct_node first = ct_child(w->s, value, CT_NODE_ROW);
        uint32_t unit = ct_child(w->s, value, CT_NODE_UNIT) != 0;
        uint32_t rows = ct_child_count(w->s, value) - unit, cols = ct_child_count(w->s, first);
        bool matrix = ct_at(w->s, value)->op;
        return matrix ? rows + ((int64_t)cols << 16) : cols + (1 << 16);
    }
    shaped v = ct_lower(b, w, value);
    return ct_is_broken(v) ? 1 + (1 << 16) : v.rows + ((int64_t)v.cols << 16);
}

/* Without a component, for the manual, every key has two rows and one column. */
shaped ct_lower_key_size(builder *b, const where *w, ct_node call, const char *word, ct_place place)
{
    const element_scope *es = w->element;
    ct_node argument = ct_at(w->s, call)->first;
    ct_name key;
    if (!argument || !ct_plain_name(w->s, argument, &key)) {
        ct_report *r =
            ct_error(b->ctx, "E220", place, "%s() needs the name of a key of this element", word);
        ct_help(r, "write `const n = size(den)`, where `den` is a param");
        return ct_broken_value();
    }
    int64_t shape = es->component ? ct_key_extent(b, es->outer, es->component, key) : 0;
    int64_t rows = shape ? shape & 65535 : 2, cols = shape ? shape >> 16 : 1;
    int64_t value = word[0] == 's' ? rows * cols : word[0] == 'r' ? rows : shape != 0;
    return ct_scalar(b, ct_expr_int(b->pool, value), ct_term_known(ct_dim_none()));
}
