/* output.c - .print .plot .probe .save: columns of the result. */
#include <string.h>

#include "spice/reader.h"

static void add_output(reader *r, ct_node expr, const char *label)
{
    ct_name name = ct_intern_text(r->ctx, label);
    if (!expr || ct_map_get(&r->labels, name))
        return;
    ct_map_put(&r->labels, name, 1);
    ct_node text = ct_sp_node(r, CT_NODE_STRING, name, 0);
    ct_sp_add(r, &r->outputs, ct_sp_list(r, CT_NODE_ITEM, 0, (ct_node[]){expr, text}, 2));
}

void ct_sp_add_all_outputs(reader *r)
{
    for (uint32_t i = 0; i < r->wires.count; i++) {
        thing t = r->thing.at[r->wires.at[i]];
        ct_node v = ct_sp_field(r, ct_sp_ref(r, t.name), "v");
        const char *text = ct_printf(r->ctx, "v(%.*s)", (int)t.place.length, r->text + t.place.at);
        add_output(r, v, text);
    }
    for (uint32_t i = 0; i < r->scope.at[MAIN].device.count; i++) {
        card k = r->card.at[r->scope.at[MAIN].device.at[i]];
        if ((r->text[k.at] | 0x20) != 'v')
            continue;
        cursor c = ct_sp_start(r, k.at, k.end);
        token name = c.token;
        add_output(r, ct_sp_current(r, name),
                   ct_printf(r->ctx, "i(%.*s)", (int)name.length, r->text + name.at));
    }
}

/* v, vm, vp, vdb, vr, vi: of .ac all of them are written for each v. */
static bool is_probe(const reader *r, token t, char *letter)
{
    static const char *const words[] = {"v", "vm", "vp", "vdb", "vr", "vi", "vph",
                                        "i", "im", "ip", "idb", "ir", "ii", "iph"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ct_sp_is(r, t, words[i])) {
            *letter = words[i][0];
            return true;
        }
    return false;
}

static void read_probe(reader *r, cursor *c, char letter, token word)
{
    ct_sp_take(r, c); /* the bracket */
    token a = ct_sp_take(r, c), b = {0};
    if (letter == 'v' && ct_sp_accept(r, c, ','))
        b = ct_sp_take(r, c);
    if (a.kind != TOKEN_WORD || (b.length && b.kind != TOKEN_WORD) || !ct_sp_accept(r, c, ')')) {
        ct_sp_error(r, "E801", ct_sp_place(r, word), "outputs are written v(a), v(a,b) or i(V1)");
        return;
    }
    ct_sp_here(r, ct_sp_place(r, a));
    const char *label = ct_printf(r->ctx, "%c(%.*s%s%.*s)", letter, (int)a.length, r->text + a.at,
                                  b.length ? "," : "", (int)b.length, r->text + b.at);
    add_output(r, letter == 'v' ? ct_sp_voltage(r, a, b) : ct_sp_current(r, a), label);
}

static bool is_type(const reader *r, token t, bool *mine)
{
    static const struct {
        const char *word;
        ct_analysis_kind kind;
    } rows[] = {{"tran", CT_TRAN}, {"dc", CT_DC}, {"ac", CT_AC}, {"op", CT_OP}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ct_sp_is(r, t, rows[i].word)) {
            *mine = rows[i].kind == ct_sp_kind(r);
            return true;
        }
    *mine = false;
    return ct_sp_is(r, t, "noise") || ct_sp_is(r, t, "disto");
}

void ct_sp_read_outputs(reader *r, cursor *c)
{
    bool mine;
    char letter;
    if (is_type(r, c->token, &mine)) {
        ct_sp_take(r, c);
        if (!mine)
            return;
    }
    while (!ct_sp_at_end(c)) {
        token t = ct_sp_take(r, c);
        bool open = c->token.kind == TOKEN_MARK && c->token.mark == '(';
        if (t.kind == TOKEN_MARK)
            continue;
        if (open && is_probe(r, t, &letter)) {
            read_probe(r, c, letter, t);
        } else if (open && ct_sp_is(r, t, "par")) {
            ct_sp_take(r, c);
            token e = ct_sp_take(r, c);
            ct_sp_accept(r, c, ')');
            if (e.kind == TOKEN_EXPR)
                add_output(r, ct_sp_expression(r, e.at, e.at + e.length).node, ct_sp_text(r, e));
        } else if (t.kind == TOKEN_EXPR) {
            add_output(r, ct_sp_expression(r, t.at, t.at + t.length).node, ct_sp_text(r, t));
        } else if (ct_sp_is(r, t, "all") || ct_sp_is(r, t, "allv")) {
            r->all_wanted = true;
        } else {
            ct_sp_ignored(r, t, "cannot be written: the output is left out");
            while (open && !ct_sp_at_end(c) && !ct_sp_accept(r, c, ')'))
                ct_sp_take(r, c);
        }
    }
}
