/* cards.c - sorting the cards: definitions and names first, so that their order never matters. */
#include <stdarg.h>
#include <string.h>

#include "spice/reader.h"

/* ---- complaints ------------------------------------------------------------------------------ */

ct_report *ct_sp_error(reader *r, const char *code, ct_place place, const char *format, ...)
{
    va_list arguments;
    ct_text text = ct_text_new(r->ctx->base);
    va_start(arguments, format);
    ct_vputf(&text, format, arguments);
    va_end(arguments);
    r->broken = true;
    return ct_error(r->ctx, code, place, "%s", ct_text_string(&text));
}

void ct_sp_missing(reader *r, const cursor *c, const char *what)
{
    token t = c->token;
    ct_place place = ct_sp_place(r, t);
    if (t.kind == TOKEN_END) /* the last character of the card */
        for (place.at = c->end; place.at && strchr(" \t\r\n", r->text[place.at - 1]);)
            place.at--;
    if (t.kind == TOKEN_END && place.at)
        place = (ct_place){r->source, place.at - 1, 1};
    ct_sp_error(r, "E801", place,
                t.kind == TOKEN_END ? "the card breaks off: %s is missing" : "%s is missing here",
                what);
}

void ct_sp_ignored(reader *r, token t, const char *why)
{
    ct_report *w = ct_warning(r->ctx, "W803", ct_sp_place(r, t), "`%s` %s", ct_sp_text(r, t), why);
    ct_witness(w, ct_sp_text(r, t));
}

void ct_sp_rest(reader *r, cursor *c)
{
    if (!ct_sp_at_end(c))
        ct_sp_error(r, "E801", ct_sp_place(r, c->token), "nothing more is expected on this card");
}

/* ---- definitions ----------------------------------------------------------------------------- */

/* name=value name=value ..: params of a scope. */
static void read_params(reader *r, cursor *c, uint32_t in)
{
    token name;
    while (!ct_sp_at_end(c)) {
        if (ct_sp_accept(r, c, ','))
            continue;
        if (!ct_sp_assignment(r, c, &name)) {
            ct_sp_error(r, "E801", ct_sp_place(r, c->token), "parameters are written name=value");
            return;
        }
        token v = ct_sp_take(r, c);
        if (v.kind != TOKEN_WORD && v.kind != TOKEN_EXPR) {
            ct_sp_missing(r, c, "a value");
            return;
        }
        uint32_t end = v.at + v.length;
        /* without braces an expression may hold brackets and go on */
        while (v.kind == TOKEN_WORD && c->token.kind == TOKEN_MARK && c->token.mark == '(') {
            uint32_t depth = 0;
            do {
                token t = ct_sp_take(r, c);
                depth += t.kind == TOKEN_MARK && t.mark == '(';
                depth -= t.kind == TOKEN_MARK && t.mark == ')';
                end = t.at + t.length;
            } while (depth && !ct_sp_at_end(c));
            cursor ahead = *c;
            token more = ct_sp_take(r, &ahead);
            if (more.kind == TOKEN_WORD && strchr("+-*/^", r->text[more.at])) {
                *c = ahead;
                end = more.at + more.length;
            }
        }
        ct_sp_add_variable(r, in, name, v.at, end);
    }
}

/* f(a, b) expression  or  f(a, b) = expression */
static void read_function(reader *r, cursor *c, uint32_t in)
{
    token name = ct_sp_take(r, c);
    if (name.kind != TOKEN_WORD || !ct_sp_accept(r, c, '(')) {
        ct_sp_error(r, "E801", ct_sp_place(r, name), "a function is written .func f(a, b) {..}");
        return;
    }
    uint32_t f = ct_sp_new_scope(r, SCOPE_FUNCTION, in, name);
    while (c->token.kind == TOKEN_WORD) {
        ct_sp_add_variable(r, f, ct_sp_take(r, c), 0, 0);
        ct_sp_accept(r, c, ',');
    }
    if (!ct_sp_accept(r, c, ')'))
        ct_sp_missing(r, c, "`)`");
    ct_sp_accept(r, c, '=');
    token t = c->token;
    if (t.kind == TOKEN_END)
        ct_sp_missing(r, c, "the expression of the function");
    r->scope.at[f].head =
        t.kind == TOKEN_EXPR ? (card){t.at, t.at + t.length} : (card){t.at, c->end};
}

static void read_model(reader *r, cursor *c, uint32_t in)
{
    token name = ct_sp_take(r, c), type = ct_sp_take(r, c);
    if (name.kind != TOKEN_WORD || type.kind != TOKEN_WORD) {
        ct_sp_missing(r, c, "the name or the type of the model");
        return;
    }
    uint32_t m = ct_sp_new_scope(r, SCOPE_MODEL, in, name);
    r->scope.at[m].head = (card){c->token.at, c->end};
    if (!ct_sp_find_model(r, type, &r->scope.at[m])) {
        ct_report *e = ct_sp_error(r, "E802", ct_sp_place(r, type),
                                   "models of type `%s` are not supported", ct_sp_text(r, type));
        ct_note(e,
                "types are d, npn, pnp, nmos, pmos, njf, pjf, r, c, l, sw, csw, vswitch, cswitch");
    }
}

static uint32_t read_subckt(reader *r, cursor *c, uint32_t in)
{
    token name = ct_sp_take(r, c), key;
    if (name.kind != TOKEN_WORD) {
        ct_sp_missing(r, c, "the name of the subcircuit");
        name = (token){TOKEN_WORD, 0, name.at, 0};
    }
    uint32_t s = ct_sp_new_scope(r, SCOPE_SUBCKT, in, name);
    cursor ahead = *c;
    while (c->token.kind == TOKEN_WORD && !ct_sp_assignment(r, &ahead, &key)) {
        token port = ct_sp_take(r, c);
        ahead = *c;
        if (ct_sp_is(r, port, "params:"))
            break;
        bool ground;
        ct_name lower = ct_sp_lower(r, port);
        bool twice = ct_sp_find_wire(r, s, lower, &ground) != 0;
        ground = ct_sp_is(r, port, "0"); /* gnd may be a node of its own */
        if (twice || ground) {
            ct_sp_error(r, "E801", ct_sp_place(r, port), "`%s` cannot be a node of a subcircuit%s",
                        ct_sp_text(r, port), ground ? "" : " twice");
            continue;
        }
        uint32_t wire = ct_sp_new_wire(r, s, port);
        CT_PUSH(r->arena, r->scope.at[s].port, r->thing.at[wire].name);
        r->scope.at[s].nodes++;
        ahead = *c;
    }
    read_params(r, c, s);
    return s;
}

/* Nodes that are the same in all subcircuits; those of a subcircuit's own card stay its own. */
static void read_global(reader *r, cursor *c)
{
    while (c->token.kind == TOKEN_WORD)
        ct_map_put(&r->global, ct_sp_lower(r, ct_sp_take(r, c)), 1);
    ct_sp_rest(r, c);
}

/* ---- sorting --------------------------------------------------------------------------------- */

static void begin_subckt(reader *r, cursor *c, number_list *open)
{
    uint32_t in = open->at[open->count - 1], s;
    if (open->count >= DEEPEST) {
        ct_sp_error(r, "E902", ct_sp_place(r, c->token), "subcircuits are nested too deeply");
        ct_throw(r->ctx, CT_ERR_LIMIT);
    }
    s = read_subckt(r, c, in);
    CT_PUSH(r->arena, *open, s);
}

static void end_subckt(reader *r, token word, number_list *open)
{
    if (open->count > 1)
        open->count--;
    else
        ct_sp_error(r, "E807", ct_sp_place(r, word), "there is no .subckt that this could end");
}

static bool is_one_of(const reader *r, token t, const char *words)
{
    char word[24];
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, " ");
        memcpy(word, at, length);
        word[length] = '\0';
        if (ct_sp_is(r, t, word))
            return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

/* A card with a dot; false: it is of a kind that is not known. */
static bool sort_dot(reader *r, uint32_t index, cursor *c, token word, number_list *open)
{
    uint32_t in = open->at[open->count - 1];
    if (ct_sp_is(r, word, ".subckt"))
        begin_subckt(r, c, open);
    else if (ct_sp_is(r, word, ".ends"))
        end_subckt(r, word, open);
    else if (ct_sp_is(r, word, ".param") || ct_sp_is(r, word, ".params") ||
             ct_sp_is(r, word, ".csparam")) {
        cursor ahead = *c;
        ct_sp_take(r, &ahead);
        if (ahead.token.kind == TOKEN_MARK && ahead.token.mark == '(')
            read_function(r, c, in);
        else
            read_params(r, c, in);
    } else if (ct_sp_is(r, word, ".func"))
        read_function(r, c, in);
    else if (ct_sp_is(r, word, ".model"))
        read_model(r, c, in);
    else if (ct_sp_is(r, word, ".global"))
        read_global(r, c);
    else if (in != MAIN && is_one_of(r, word, ".ic .nodeset"))
        CT_PUSH(r->arena, r->scope.at[in].start, index);
    else if (is_one_of(r, word,
                       ".tran .ac .dc .op .ic .nodeset .options .option .opt .print .plot "
                       ".probe .save .temp .step .meas .measure .tf"))
        CT_PUSH(r->arena, r->control, index);
    else
        return is_one_of(r, word, ".endl .end .title .include .inc .lib .backanno");
    return true;
}

static void report_dot(reader *r, token word)
{
    bool harmless = is_one_of(r, word,
                              ".four .fourier .noise .pz .sens .disto .width "
                              ".alter .data .endc .sp .pss .psd");
    if (harmless) {
        ct_sp_ignored(r, word, "is not supported: this card is left out");
        return;
    }
    ct_report *e =
        ct_sp_error(r, "E802", ct_sp_place(r, word), "`%s` is not supported", ct_sp_text(r, word));
    ct_witness(e, ct_sp_text(r, word));
}

/* `.control` .. `.endc` is a program for the shell of ngspice. */
static uint32_t skip_control(reader *r, uint32_t index, token word)
{
    ct_sp_ignored(r, word, "is not supported: the lines up to .endc are left out");
    while (++index < r->card.count) {
        cursor c = ct_sp_start(r, r->card.at[index].at, r->card.at[index].end);
        if (ct_sp_is(r, c.token, ".endc"))
            return index;
    }
    ct_sp_error(r, "E807", ct_sp_place(r, word), ".control has no .endc");
    return index;
}

/* Does a card say how many of its device lie in parallel? */
static bool has_multiplier(const reader *r, cursor c)
{
    token name;
    while (!ct_sp_at_end(&c)) {
        if (ct_sp_assignment(r, &c, &name) && ct_sp_is(r, name, "m"))
            return true;
        ct_sp_take(r, &c);
    }
    return false;
}

static void sort_device(reader *r, uint32_t index, token name, uint32_t in)
{
    char letter = r->text[name.at];
    if (name.kind != TOKEN_WORD || !strchr("rclkviefghbdqmjxswtRCLKVIEFGHBDQMJXSWT", letter)) {
        ct_report *e = ct_sp_error(r, "E802", ct_sp_place(r, name),
                                   "`%s`: there is no such device, or it is not supported",
                                   ct_sp_text(r, name));
        ct_note(e, "devices are told by their first letter: R C L K V I E F G H B D Q M J S W T X");
        return;
    }
    uint32_t owner = ct_sp_add_component(r, in, name);
    if (!owner)
        return;
    if (strchr("dmxDMX", letter) && !r->parallel_x &&
        has_multiplier(r, ct_sp_start(r, name.at, r->card.at[index].end))) {
        r->parallel = true;
        r->parallel_x |= (letter | 0x20) == 'x';
    }
    CT_PUSH(r->arena, r->scope.at[in].device, index);
    CT_PUSH(r->arena, r->scope.at[in].owner, owner);
}

static bool is_value_card(const reader *r, token word)
{
    return is_one_of(r, word, ".param .params .csparam .func");
}

/* Beside branches: params and functions of the main circuit that stand in none of them. */
static void sort_values(reader *r)
{
    uint32_t inside = 0;
    number_list open = {0};
    CT_PUSH(r->arena, open, MAIN);
    for (uint32_t i = 0; i < r->card.count; i++) {
        cursor c = ct_sp_start(r, r->card.at[i].at, r->card.at[i].end);
        token word = ct_sp_take(r, &c);
        inside += is_one_of(r, word, ".if .subckt .control");
        inside -= inside && is_one_of(r, word, ".endif .ends .endc");
        if (!inside && is_value_card(r, word))
            sort_dot(r, i, &c, word, &open);
    }
}

void ct_sp_sort_cards(reader *r)
{
    number_list open = {0};
    branches ifs = {0};
    token last = {0};
    bool branched = ct_sp_has_branches(r);
    if (branched)
        sort_values(r);
    CT_PUSH(r->arena, open, MAIN);
    for (uint32_t i = 0; i < r->card.count; i++) {
        card k = r->card.at[i];
        cursor c = ct_sp_start(r, k.at, k.end);
        token word = ct_sp_take(r, &c);
        bool dot = r->text[word.at] == '.' && word.kind == TOKEN_WORD;
        uint32_t in = open.at[open.count - 1];
        if ((dot && ct_sp_branch(r, &ifs, &c, word, in)) || ct_sp_is_skipped(&ifs))
            continue;
        if (branched && !ifs.count && in == MAIN && is_value_card(r, word))
            continue;
        if (!dot)
            sort_device(r, i, word, in);
        else if (ct_sp_is(r, word, ".control"))
            i = skip_control(r, i, word);
        else if (!sort_dot(r, i, &c, word, &open))
            report_dot(r, word);
        if (ct_sp_is(r, word, ".subckt"))
            last = word;
    }
    if (open.count > 1)
        ct_sp_error(r, "E807", ct_sp_place(r, last), ".subckt has no .ends");
    if (ifs.count)
        ct_sp_error(r, "E807", ct_sp_place(r, ifs.at[ifs.count - 1].word), ".if has no .endif");
}
