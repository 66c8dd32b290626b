/* output.c - .print .plot .probe .save: columns of the result; and expressions on such cards. */
#include <string.h>

#include "spice/expr.h"
#include "spice/item.h"

/* ---- items -------------------------------------------------------------------------------------
 */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Blanks end an item unless an operator stands before or behind them. */
static uint32_t item_end(const reader *r, uint32_t at, uint32_t end)
{
    uint32_t depth = 0;
    char last = 0, quote = 0;
    for (; at < end; at++) {
        char c = r->text[at];
        if (quote || c == '\'') {
            quote = c != '\'' ? quote : quote ? 0 : '\'';
            last = c;
            continue;
        }
        depth += c == '(' || c == '{';
        depth -= depth && (c == ')' || c == '}');
        if (!depth && (c == ',' || c == '='))
            return at;
        if (!depth && (is_blank(c) || c == ';')) {
            uint32_t next = ct_sp_skip(r->text, at, end);
            bool more = next < end && (strchr("+-*/^", r->text[next]) || strchr("+-*/^", last));
            if (!more)
                return at;
            at = next - 1;
            continue;
        }
        last = c;
    }
    return end;
}

static bool is_word(const reader *r, token t, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ct_sp_is(r, t, words[i]))
            return true;
    return false;
}

/* v(a), v(a,b), i(V1) and nothing else. */
static void find_probe(reader *r, item *i)
{
    static const char *const words[] = {"v", "i"};
    cursor c = ct_sp_start(r, i->at, i->end);
    token word = ct_sp_take(r, &c);
    if (!is_word(r, word, words, 2) || !ct_sp_accept(r, &c, '('))
        return;
    token a = ct_sp_take(r, &c), b = {0};
    bool voltage = ct_sp_is(r, word, "v");
    if (voltage && ct_sp_accept(r, &c, ','))
        b = ct_sp_take(r, &c);
    if (a.kind != TOKEN_WORD || (b.length && b.kind != TOKEN_WORD) || !ct_sp_accept(r, &c, ')') ||
        !ct_sp_at_end(&c))
        return;
    i->probe = voltage ? 'v' : 'i';
    i->a = a;
    i->b = b;
}

/* Words that stand alone, and functions of other programs: id(M1), @m1[gm], onoise. */
static bool is_known(reader *r, const item *i)
{
    cursor c = ct_sp_start(r, i->at, i->end);
    token word = ct_sp_take(r, &c);
    char first = r->text[word.at];
    if (word.kind != TOKEN_WORD || strchr("+-.0123456789", first))
        return true;
    if (c.token.kind == TOKEN_MARK && c.token.mark == '(')
        return ct_sp_is_function(r, word);
    return ct_sp_find_variable(r, MAIN, ct_sp_lower(r, word)) != 0 || ct_sp_is(r, word, "time") ||
           ct_sp_is(r, word, "temper") || strcspn(r->text + word.at, "*/+^") < word.length;
}

/* par('..'), (..), {..}, '..' around all of it. */
static void strip(reader *r, item *i)
{
    cursor c = ct_sp_start(r, i->at, i->end);
    token word = ct_sp_take(r, &c);
    if (ct_sp_is(r, word, "par") && ct_sp_accept(r, &c, '('))
        word = ct_sp_take(r, &c);
    bool whole = word.kind == TOKEN_EXPR &&
                 (ct_sp_at_end(&c) || (ct_sp_accept(r, &c, ')') && ct_sp_at_end(&c)));
    if (!whole)
        return;
    i->at = word.at;
    i->end = word.at + word.length;
}

item ct_sp_next_item(reader *r, cursor *c)
{
    item i = {.at = c->token.at - (c->token.kind == TOKEN_EXPR), .known = true};
    if (ct_sp_at_end(c) || (c->token.kind == TOKEN_MARK && c->token.mark == '=')) {
        i.end = i.at;
        return i;
    }
    i.end = item_end(r, i.at, c->end);
    *c = ct_sp_start(r, i.end, c->end);
    i.place = (ct_place){r->source, i.at, i.end > i.at ? i.end - i.at : 1};
    strip(r, &i);
    find_probe(r, &i);
    i.known = i.probe || is_known(r, &i);
    return i;
}

/* ---- labels and nodes --------------------------------------------------------------------------
 */

static const char *label_of(reader *r, const item *i)
{
    if (i->probe)
        return ct_printf(r->ctx, "%c(%.*s%s%.*s)", i->probe, (int)i->a.length, r->text + i->a.at,
                         i->b.length ? "," : "", (int)i->b.length, r->text + i->b.at);
    ct_text out = ct_text_new(r->ctx->base);
    for (uint32_t k = ct_sp_skip(r->text, i->at, i->end); k < i->end;
         k = ct_sp_skip(r->text, k + 1, i->end))
        ct_put_char(&out, r->text[k]);
    return ct_text_string(&out);
}

static ct_node probe_of(reader *r, const item *i)
{
    ct_sp_here(r, ct_sp_place(r, i->a));
    return i->probe == 'v' ? ct_sp_voltage(r, i->a, i->b) : ct_sp_current(r, i->a);
}

ct_node ct_sp_curve(reader *r, const item *i)
{
    if (!i->probe && ct_sp_kind(r) == CT_AC)
        return ct_sp_formula(r, i->at, i->end);
    if (i->probe) {
        ct_node n = probe_of(r, i);
        return n ? ct_sp_output_column(r, n, label_of(r, i)) : 0;
    }
    bool before = r->broken;
    r->broken = false;
    value v = ct_sp_expression(r, i->at, i->end);
    bool bad = r->broken;
    r->broken |= before;
    if (bad)
        return 0;
    return v.known ? ct_sp_real(r, v.number, NULL) : ct_sp_output_column(r, v.node, label_of(r, i));
}

/* ---- columns -----------------------------------------------------------------------------------
 */

/* Of .ac a formula of outputs, of the others an output. */
static void add_column(reader *r, ct_node n, const char *label, bool is_formula)
{
    if (!n)
        return;
    if (ct_sp_kind(r) != CT_AC) {
        ct_sp_output_column(r, n, label);
        return;
    }
    for (uint32_t i = 0; i < r->column.count; i++)
        if (strcmp(r->column.at[i].name, label) == 0)
            return;
    ct_node formula = is_formula ? n : ct_sp_output_column(r, n, label);
    ct_ac_column column = {label, formula, ct_sp_formula_is_real(r, formula)};
    CT_PUSH(r->arena, r->column, column);
}

void ct_sp_add_all_outputs(reader *r)
{
    for (uint32_t i = 0; i < r->wires.count; i++) {
        thing t = r->thing.at[r->wires.at[i]];
        ct_node v = ct_sp_field(r, ct_sp_ref(r, t.name), "v");
        const char *text = ct_printf(r->ctx, "v(%.*s)", (int)t.place.length, r->text + t.place.at);
        add_column(r, v, text, false);
    }
    for (uint32_t i = 0; i < r->scope.at[MAIN].device.count; i++) {
        card k = r->card.at[r->scope.at[MAIN].device.at[i]];
        if ((r->text[k.at] | 0x20) != 'v')
            continue;
        cursor c = ct_sp_start(r, k.at, k.end);
        token name = c.token;
        add_column(r, ct_sp_current(r, name),
                   ct_printf(r->ctx, "i(%.*s)", (int)name.length, r->text + name.at), false);
    }
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

static void read_item(reader *r, cursor *c)
{
    item i = ct_sp_next_item(r, c);
    const char *label = NULL;
    if (c->token.kind == TOKEN_MARK && c->token.mark == '=') { /* name=expression */
        label = label_of(r, &i);
        ct_sp_take(r, c);
        i = ct_sp_next_item(r, c);
    }
    if (i.end <= i.at)
        return;
    token whole = {TOKEN_WORD, 0, i.place.at, i.place.length};
    if (!i.known) {
        ct_sp_ignored(r, whole, "cannot be written: the output is left out");
        return;
    }
    label = label ? label : label_of(r, &i);
    ct_sp_here(r, i.place);
    if (i.probe)
        add_column(r, probe_of(r, &i), label, false);
    else if (ct_sp_kind(r) == CT_AC)
        add_column(r, ct_sp_formula(r, i.at, i.end), label, true);
    else
        add_column(r, ct_sp_expression(r, i.at, i.end).node, label, false);
}

void ct_sp_read_outputs(reader *r, cursor *c)
{
    static const char *const everything[] = {"all", "allv", "v(*)"};
    bool mine;
    if (is_type(r, c->token, &mine)) {
        ct_sp_take(r, c);
        if (!mine)
            return;
    }
    while (!ct_sp_at_end(c)) {
        if (is_word(r, c->token, everything, 3)) {
            ct_sp_take(r, c);
            r->all_wanted = true;
        } else if (c->token.kind == TOKEN_MARK && c->token.mark != '(') {
            ct_sp_take(r, c);
        } else {
            read_item(r, c);
        }
    }
}
