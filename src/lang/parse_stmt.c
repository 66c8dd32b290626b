/* parse_stmt.c - statements that begin with a word of their own: one row, one function each. */
#include "lang/parser.h"

#include <string.h>

/* ---- parts -------------------------------------------------------------------------------- */

static ct_node read_limit(ct_parser *p)
{
    uint32_t at = p->token.at;
    ct_comparison relation = ct_is(p, '<')                      ? CT_LESS
                             : ct_is(p, CT_TOKEN_LESS_EQUAL)    ? CT_LESS_EQUAL
                             : ct_is(p, CT_TOKEN_GREATER_EQUAL) ? CT_GREATER_EQUAL
                                                                : CT_GREATER;
    ct_advance(p);
    ct_node n = ct_make_around(p, CT_NODE_LIMIT, at, ct_read_sum(p));
    ct_edit(p, n)->op = (uint16_t)relation;
    return n;
}

static bool at_limit(const ct_parser *p)
{
    return ct_is(p, '<') || ct_is(p, '>') || ct_is(p, CT_TOKEN_LESS_EQUAL) ||
           ct_is(p, CT_TOKEN_GREATER_EQUAL);
}

static void read_shape(ct_parser *p, ct_children *parts)
{
    if (!ct_is(p, '['))
        return;
    uint32_t at = p->token.at;
    ct_children sizes = {0};
    ct_read_index(p, &sizes);
    ct_add(p, parts, ct_make(p, CT_NODE_SHAPE, at, 0, sizes));
}

/* `: unit[n, m]`, from the colon on; or `[n, m]` alone: each entry with a dimension of its own. */
static void read_quantity(ct_parser *p, ct_children *parts)
{
    if (ct_is(p, '[')) {
        read_shape(p, parts);
        return;
    }
    if (!ct_accept(p, ':'))
        return;
    bool unit = ct_is(p, CT_TOKEN_NUMBER) || (ct_unit_follows(p) && !p->token.line);
    if (!unit)
        ct_unexpected(p, "a unit", "write a unit such as `V` or `1/s`, or leave out the `:`");
    ct_add(p, parts, ct_read_unit(p));
    read_shape(p, parts);
}

/* `R = 2,5 V`, `R = 1,000 ohm`: a comma inside of a number. */
static void check_number_comma(ct_parser *p)
{
    const char *text = p->lex.text;
    uint32_t comma = p->last.at, start = comma;
    while (start && text[start - 1] >= '0' && text[start - 1] <= '9')
        start--;
    if (p->panic || p->last.kind != ',' || !ct_is(p, CT_TOKEN_NUMBER) || p->token.gap ||
        start == comma)
        return;
    int before = (int)(comma - start), after = (int)p->token.length;
    const char *whole = text + start, *rest = text + p->token.at;
    ct_fail(p, "E107", (ct_place){p->lex.source, start, p->token.at + p->token.length - start},
            ct_printf(p->ctx, "a number has no comma: `%.*s,%.*s`", before, whole, after, rest),
            after == 3 ? ct_printf(p->ctx, "write `%.*s%.*s`, or `%.*s.%.*s` for a decimal point",
                                   before, whole, after, rest, before, whole, after, rest)
                       : ct_printf(p->ctx, "write `%.*s.%.*s`", before, whole, after, rest));
}

static ct_node read_decl(ct_parser *p)
{
    check_number_comma(p);
    uint32_t at = p->token.at;
    ct_children parts = {0};
    ct_add(p, &parts, ct_read_name(p, CT_NAME_VALUE, "a name"));
    read_quantity(p, &parts);
    while (at_limit(p))
        ct_add(p, &parts, read_limit(p));
    uint32_t value = p->token.at;
    if (ct_accept(p, '='))
        ct_add(p, &parts, ct_make_around(p, CT_NODE_VALUE, value, ct_read_expr(p)));
    if (ct_is(p, CT_TOKEN_STRING))
        ct_add(p, &parts, ct_read_string(p, ""));
    if (!ct_is(p, ',') && !ct_at_statement_end(p))
        ct_unexpected(p, "`:`, `=`, `,` or the end of the statement", NULL);
    return ct_make(p, CT_NODE_DECL, at, 0, parts);
}

ct_node ct_read_decls(ct_parser *p, ct_node_kind kind, uint32_t at)
{
    ct_children decls = {0};
    do
        ct_add(p, &decls, read_decl(p));
    while (ct_accept(p, ','));
    return ct_make(p, kind, at, 0, decls);
}

/* `(0)` behind a key: an initial value. */
static bool accept_at_start(ct_parser *p)
{
    if (!ct_accept(p, '('))
        return false;
    bool zero =
        ct_is(p, CT_TOKEN_NUMBER) && p->token.length == 1 && p->lex.text[p->token.at] == '0';
    if (!zero)
        ct_unexpected(p, "`0`", "only values at the start can be given: `x(0) = ...`");
    ct_advance(p);
    ct_expect(p, ')', "`)`");
    return true;
}

/* `R = 1 L = 2`: the key that follows was read as a unit. */
static void check_key_end(ct_parser *p)
{
    bool key =
        ct_is(p, CT_TOKEN_WORD) && ct_lex_peek_assign(&p->lex, p->token.at + p->token.length);
    bool unit = p->last.kind == CT_TOKEN_UNIT && ct_is(p, '=');
    if (p->suspect || (!key && !unit))
        return;
    ct_token next = key ? p->token : p->last;
    ct_fail(p, "E111", ct_token_place(p, next),
            ct_printf(p->ctx, "comma missing before %s", ct_token_text(p, next)),
            "separate keys with a comma");
}

/* Only an accuracy reaches up to something. */
static void check_accuracy(ct_parser *p, uint32_t key)
{
    if (strncmp(p->lex.text + key, "accuracy", 8) != 0)
        ct_unexpected(p, "`,` or the end of the statement",
                      "`up to` belongs to `accuracy = 1e-3 up to 200 Hz`");
}

static ct_node read_key(ct_parser *p)
{
    check_number_comma(p);
    uint32_t at = p->token.at;
    ct_children parts = {0};
    ct_add(p, &parts, ct_read_path(p));
    bool start = accept_at_start(p);
    ct_expect(p, '=', "`=`");
    ct_add(p, &parts, ct_read_expr(p));
    if (ct_up_to_follows(p)) {
        check_accuracy(p, at);
        ct_advance(p);
        ct_advance(p);
        ct_add(p, &parts, ct_read_expr(p));
    }
    check_key_end(p);
    ct_node n = ct_make(p, CT_NODE_KEY, at, 0, parts);
    ct_edit(p, n)->op = start;
    return n;
}

void ct_read_keys(ct_parser *p, ct_children *children)
{
    do
        ct_add(p, children, read_key(p));
    while (ct_accept(p, ','));
}

/* ---- statements --------------------------------------------------------------------------- */

static ct_node read_model(ct_parser *p, uint32_t at)
{
    ct_name name = ct_read_word(p, CT_NAME_THING, "the model's name");
    ct_children title = {0};
    if (ct_is(p, CT_TOKEN_STRING))
        ct_add(p, &title, ct_read_string(p, ""));
    return ct_make(p, CT_NODE_MODEL, at, name, title);
}

static ct_node read_param(ct_parser *p, uint32_t at)
{
    return ct_read_decls(p, CT_NODE_PARAM, at);
}

static ct_node read_const(ct_parser *p, uint32_t at)
{
    return ct_read_decls(p, CT_NODE_CONST, at);
}

static ct_node read_input(ct_parser *p, uint32_t at)
{
    return ct_read_decls(p, CT_NODE_INPUT, at);
}

static ct_node read_signal(ct_parser *p, uint32_t at)
{
    return ct_read_decls(p, CT_NODE_SIGNAL, at);
}

static ct_node read_discrete(ct_parser *p, uint32_t at)
{
    return ct_read_decls(p, CT_NODE_DISCRETE, at);
}

static ct_node read_var(ct_parser *p, uint32_t at)
{
    return ct_read_decls(p, CT_NODE_VAR, at);
}

static ct_node read_function(ct_parser *p, uint32_t at)
{
    ct_name name = ct_read_word(p, CT_NAME_VALUE, "the function's name");
    ct_children parts = {0};
    ct_expect(p, '(', "`(`");
    do
        ct_add(p, &parts, ct_read_id(p, CT_NAME_VALUE, "the name of an argument"));
    while (ct_accept(p, ','));
    ct_expect(p, ')', "`,` or `)`");
    ct_expect(p, '=', "`=`");
    ct_add(p, &parts, ct_read_expr(p));
    return ct_make(p, CT_NODE_FUNCTION, at, name, parts);
}

static ct_node read_output_item(ct_parser *p)
{
    uint32_t at = p->token.at;
    ct_children parts = {0};
    ct_add(p, &parts, ct_read_expr(p));
    if (ct_accept(p, CT_TOKEN_AS))
        ct_add(p, &parts,
               ct_is(p, CT_TOKEN_STRING) ? ct_read_string(p, "")
                                         : ct_read_name(p, CT_NAME_THING, "a name or a string"));
    return ct_make(p, CT_NODE_ITEM, at, 0, parts);
}

static ct_node read_output(ct_parser *p, uint32_t at)
{
    ct_children items = {0};
    do
        ct_add(p, &items, read_output_item(p));
    while (ct_accept(p, ','));
    return ct_make(p, CT_NODE_OUTPUT, at, 0, items);
}

static ct_node read_use(ct_parser *p, uint32_t at)
{
    return ct_make_around(p, CT_NODE_USE, at, ct_read_string(p, "a file name in quotes"));
}

static ct_node read_curve(ct_parser *p)
{
    uint32_t at = p->token.at;
    ct_children parts = {0};
    ct_add(p, &parts, ct_read_expr(p));
    if (ct_accept(p, CT_TOKEN_OVER))
        ct_add(p, &parts, ct_read_expr(p));
    return ct_make(p, CT_NODE_CURVE, at, 0, parts);
}

static ct_node read_plot(ct_parser *p, uint32_t at)
{
    ct_children parts = {0};
    do
        ct_add(p, &parts, read_curve(p));
    while (ct_accept(p, ','));
    if (ct_is(p, CT_TOKEN_STRING))
        ct_add(p, &parts, ct_read_string(p, ""));
    return ct_make(p, CT_NODE_PLOT, at, 0, parts);
}

static ct_node read_key_statement(ct_parser *p, ct_node_kind kind, uint32_t at)
{
    ct_children keys = {0};
    ct_read_keys(p, &keys);
    return ct_make(p, kind, at, 0, keys);
}

static ct_node read_simulate(ct_parser *p, uint32_t at)
{
    if (ct_is(p, CT_TOKEN_NUMBER)) {
        size_t length = strcspn(p->lex.text + p->token.at, "\n;#,}");
        for (; length && strchr(" \t\r", p->lex.text[p->token.at + length - 1]); length--)
            ;
        ct_unexpected(p, "a key",
                      ct_printf(p->ctx, "say what it is: `simulate stop = %.*s`",
                                length < 40 ? (int)length : 0, p->lex.text + p->token.at));
    }
    return read_key_statement(p, CT_NODE_SIMULATE, at);
}

static ct_node read_guess(ct_parser *p, uint32_t at)
{
    return read_key_statement(p, CT_NODE_GUESS, at);
}

static ct_node read_initial(ct_parser *p, uint32_t at)
{
    uint32_t end = p->token.at + p->token.length;
    bool word =
        ct_is(p, CT_TOKEN_WORD) && strcmp(ct_name_text(p->ctx, p->token.name), "equilibrium") == 0;
    if (!word || !strchr("\n;#}", ct_lex_peek(&p->lex, end)))
        return read_key_statement(p, CT_NODE_INITIAL, at);
    ct_advance(p);
    ct_node n = ct_make(p, CT_NODE_INITIAL, at, 0, (ct_children){0});
    ct_edit(p, n)->op = 1;
    return n;
}

static ct_node read_nodes(ct_parser *p, uint32_t at)
{
    ct_children parts = {0};
    do
        ct_add(p, &parts, ct_read_name(p, CT_NAME_THING, "the name of a node"));
    while (ct_accept(p, ','));
    ct_expect(p, ':', "`,` or `:` and a domain");
    ct_name domain = ct_read_word(p, CT_NAME_THING, "a domain");
    uint32_t size = p->token.at;
    if (ct_accept(p, '[')) {
        ct_node value = ct_read_expr(p);
        ct_expect(p, ']', "`]`");
        ct_add(p, &parts, ct_make_around(p, CT_NODE_SIZE, size, value));
    }
    return ct_make(p, CT_NODE_NODES, at, domain, parts);
}

static bool at_domain(const ct_parser *p)
{
    return ct_is(p, CT_TOKEN_WORD) && !p->token.hole &&
           ct_lex_peek(&p->lex, p->token.at + p->token.length) == ':';
}

static ct_node read_tree_part(ct_parser *p)
{
    uint32_t at = p->token.at;
    ct_name domain = 0;
    ct_children paths = {0};
    if (at_domain(p)) {
        domain = p->token.name;
        ct_advance(p);
        ct_advance(p);
    }
    do
        ct_add(p, &paths, ct_read_path(p));
    while (ct_accept(p, ','));
    return ct_make(p, CT_NODE_TREE_PART, at, domain, paths);
}

/* `; rotational:` on the same line goes on; any other `;` ends the statement. */
static bool tree_goes_on(const ct_parser *p)
{
    if (!ct_is(p, ';'))
        return false;
    const char *text = p->lex.text;
    uint32_t at = p->lex.at;
    while (text[at] == ' ' || text[at] == '\t')
        at++;
    uint32_t end = ct_lex_skip_name(&p->lex, at);
    ct_name name = ct_intern(p->ctx, text + at, end - at);
    return ct_lex_peek(&p->lex, end) == ':' && ct_keyword_has(&p->lex, name, CT_KEYWORD_DOMAIN);
}

static ct_node read_tree(ct_parser *p, uint32_t at)
{
    ct_children parts = {0};
    ct_add(p, &parts, read_tree_part(p));
    while (tree_goes_on(p)) {
        ct_advance(p);
        ct_add(p, &parts, read_tree_part(p));
    }
    return ct_make(p, CT_NODE_TREE, at, 0, parts);
}

static ct_node read_ground(ct_parser *p, uint32_t at)
{
    ct_children frames = {0};
    ct_name alias = ct_is(p, CT_TOKEN_WORD) ? ct_read_word(p, CT_NAME_THING, "a name") : 0;
    if (ct_is(p, '{'))
        ct_add(p, &frames, ct_read_frames(p));
    if (!alias && !frames.first)
        ct_unexpected(p, "another name for ground, or frames in `{ }`", NULL);
    return ct_make(p, CT_NODE_GROUND, at, alias, frames);
}

/* ---- the table ---------------------------------------------------------------------------- */

static const struct statement {
    const char *word;
    ct_node (*read)(ct_parser *p, uint32_t at);
    bool item; /* only in elements */
} statements[] = {
    {"model", read_model, false},
    {"param", read_param, false},
    {"const", read_const, false},
    {"input", read_input, false},
    {"signal", read_signal, false},
    {"discrete", read_discrete, false},
    {"function", read_function, false},
    {"output", read_output, false},
    {"use", read_use, false},
    {"plot", read_plot, false},
    {"simulate", read_simulate, false},
    {"guess", read_guess, false},
    {"initial", read_initial, false},
    {"node", read_nodes, false},
    {"tree", read_tree, false},
    {"ground", read_ground, false},
    {"repeat", ct_read_repeat, false},
    {"if", ct_read_if, false},
    {"when", ct_read_when, false},
    {"every", ct_read_every, false},
    {"system", ct_read_system, false},
    {"element", ct_read_element, false},
    {"port", ct_read_port, true},
    {"edge", ct_read_edges, true},
    {"var", read_var, true},
    {"choice", ct_read_choice, true},
    {"undetermined", ct_read_undetermined, true},
    {"source", ct_read_source, true},
    {"remark", ct_read_remark, true},
    {"energy", ct_read_energy_item, true},
    {"coenergy", ct_read_coenergy, true},
    {"loss", ct_read_loss, true},
    {"pair", ct_read_pair, true},
    {"slip", ct_read_slip, true},
    {"field", ct_read_field, true},
    {"at", ct_read_at, true},
};

ct_node ct_read_word_statement(ct_parser *p, ct_token word)
{
    const char *text = ct_name_text(p->ctx, word.name);
    const struct statement *s = statements;
    while (strcmp(s->word, text) != 0) /* each statement word of words.c has its row */
        s++;
    if (s->item && !p->in_element)
        ct_complain(p, "E117", ct_token_place(p, word),
                    ct_printf(p->ctx, "`%s` stands in elements only", text),
                    "write it between `element NAME` and `end`");
    return s->read(p, word.at);
}
