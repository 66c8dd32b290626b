/* parse_name.c - reads names with holes, strings, paths and units. */
#include "lang/parser.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"

/* ---- names -------------------------------------------------------------------------------- */

bool ct_is_reserved(uint8_t kind)
{
    return kind >= CT_TOKEN_IF && kind <= CT_TOKEN_GROUND;
}

static void complain_reserved(ct_parser *p)
{
    const char *word = ct_name_text(p->ctx, p->token.name);
    ct_complain(p, "E110", ct_token_place(p, p->token),
                ct_printf(p->ctx, "`%s` is a reserved word", word),
                ct_printf(p->ctx, "take another name, such as `%s_`", word));
}

void ct_fail_reserved(ct_parser *p)
{
    complain_reserved(p);
    ct_panic(p);
}

/* The word that a declaration names; reserved ones are reported and taken. */
static bool check_declared(ct_parser *p, ct_name_use use, const char *wanted)
{
    bool value = ct_is(p, CT_TOKEN_WORD) && use == CT_NAME_VALUE && !p->token.hole &&
                 ct_keyword_has(&p->lex, p->token.name, CT_KEYWORD_VALUE);
    if (ct_is_reserved(p->token.kind) || value)
        complain_reserved(p);
    else if (!ct_is(p, CT_TOKEN_WORD))
        ct_unexpected(p, wanted, NULL);
    return !p->panic;
}

ct_name ct_read_word(ct_parser *p, ct_name_use use, const char *wanted)
{
    if (!check_declared(p, use, wanted))
        return 0;
    ct_name name = p->token.name;
    ct_advance(p);
    if (ct_is(p, CT_TOKEN_HOLE))
        ct_unexpected(p, wanted, NULL);
    return name;
}

ct_node ct_read_id(ct_parser *p, ct_name_use use, const char *wanted)
{
    uint32_t at = p->token.at;
    ct_name name = ct_read_word(p, use, wanted);
    return ct_make(p, CT_NODE_ID, at, name, (ct_children){0});
}

static ct_node make_text_part(ct_parser *p, ct_token token)
{
    p->last = token;
    return token.name ? ct_make(p, CT_NODE_ID, token.at, token.name, (ct_children){0}) : 0;
}

/* `{expr}` and the text right behind it. */
static void read_hole(ct_parser *p, ct_children *parts)
{
    uint32_t at = p->token.at;
    bool in_list = p->in_list;
    p->in_list = false;
    if (ct_lex_peek(&p->lex, at + 1) == '\n' || ct_lex_peek(&p->lex, at + 1) == '#')
        ct_unexpected(p, "", NULL);
    ct_advance(p);
    ct_node value = ct_read_expr(p);
    p->in_list = in_list;
    if (ct_is(p, '=') || ct_is(p, ':'))
        ct_fail(p, "E107", (ct_place){p->lex.source, at, 1},
                "this `{` touches a name and so belongs to it", "write a space before `{`");
    if (!ct_is(p, '}')) {
        ct_unexpected(p, "`}`", NULL);
        return;
    }
    p->last = p->token;
    ct_add(p, parts, ct_make_around(p, CT_NODE_HOLE, at, value));
    ct_token tail = ct_lex_name_tail(&p->lex);
    if (tail.name)
        ct_add(p, parts, make_text_part(p, tail));
    ct_token end = p->last;
    ct_advance(p);
    p->last = end;
}

/* NAME of the next word and its holes */
static ct_node read_template(ct_parser *p)
{
    ct_token word = p->token;
    ct_children parts = {0};
    ct_advance(p);
    if (!word.hole)
        return ct_make(p, CT_NODE_NAME, word.at, word.name, parts);
    ct_add(p, &parts, make_text_part(p, word));
    while (ct_is(p, CT_TOKEN_HOLE))
        read_hole(p, &parts);
    return ct_make(p, CT_NODE_NAME, word.at, 0, parts);
}

ct_node ct_read_name(ct_parser *p, ct_name_use use, const char *wanted)
{
    return check_declared(p, use, wanted) ? read_template(p) : 0;
}

ct_name ct_take_name(ct_parser *p, ct_children *parts)
{
    ct_token word = p->token;
    if (word.hole)
        ct_add(p, parts, read_template(p));
    else
        ct_advance(p);
    return word.hole ? 0 : word.name;
}

ct_node ct_read_string(ct_parser *p, const char *wanted)
{
    ct_token token = p->token;
    if (ct_accept(p, CT_TOKEN_STRING))
        return ct_make(p, CT_NODE_STRING, token.at, token.name, (ct_children){0});
    ct_unexpected(p, wanted, NULL);
    return 0;
}

/* ---- suffixes ----------------------------------------------------------------------------- */

static ct_node read_field(ct_parser *p)
{
    uint32_t at = p->token.at;
    ct_children template = {0};
    ct_advance(p);
    bool inner = ct_is(p, CT_TOKEN_GROUND); /* `leg1.ground.O` */
    bool good = inner || check_declared(p, CT_NAME_THING, "a name after `.`");
    ct_name plain = good ? ct_take_name(p, &template) : 0;
    return ct_make(p, CT_NODE_FIELD, at, plain, template);
}

void ct_read_index(ct_parser *p, ct_children *children)
{
    bool in_list = p->in_list;
    p->in_list = false;
    ct_advance(p);
    ct_read_expr_list(p, children);
    p->in_list = in_list;
    ct_expect(p, ']', "`,` or `]`");
}

bool ct_read_suffix(ct_parser *p, ct_children *parts)
{
    uint32_t at = p->token.at;
    ct_children index = {0};
    if (ct_is(p, '.')) {
        ct_add(p, parts, read_field(p));
        return true;
    }
    if (!ct_is(p, '['))
        return false;
    ct_read_index(p, &index);
    ct_add(p, parts, ct_make(p, CT_NODE_INDEX, at, 0, index));
    return true;
}

/* ---- paths -------------------------------------------------------------------------------- */

static ct_node read_der(ct_parser *p)
{
    uint32_t at = p->token.at;
    ct_node inner = 0;
    ct_advance(p);
    ct_advance(p);
    if (ct_enter(p))
        inner = ct_read_path(p);
    ct_leave(p);
    ct_expect(p, ')', "`)`");
    return ct_make_around(p, CT_NODE_DER, at, inner);
}

static ct_node read_path_ref(ct_parser *p)
{
    uint32_t at = p->token.at;
    ct_children parts = {0};
    bool good = ct_is(p, CT_TOKEN_GROUND) || check_declared(p, CT_NAME_THING, "a name");
    ct_name plain = good ? ct_take_name(p, &parts) : 0;
    while (ct_read_suffix(p, &parts))
        ;
    return ct_make(p, CT_NODE_REF, at, plain, parts);
}

ct_node ct_read_path(ct_parser *p)
{
    uint32_t at = p->token.at;
    bool der = ct_is(p, CT_TOKEN_WORD) && p->token.length == 3 &&
               memcmp(p->lex.text + at, "der", 3) == 0 && ct_lex_peek(&p->lex, at + 3) == '(';
    return ct_make_around(p, CT_NODE_PATH, at, der ? read_der(p) : read_path_ref(p));
}

/* ---- units -------------------------------------------------------------------------------- */

static bool may_begin_unit(char c)
{
    return (unsigned char)c >= 128 || c == '%';
}

/* `1e-3 up to 200 Hz` */
bool ct_up_to_follows(const ct_parser *p)
{
    const char *text = p->lex.text + p->token.at;
    if (!ct_is(p, CT_TOKEN_WORD) || p->token.length != 2 || memcmp(text, "up", 2) != 0)
        return false;
    const char *next = text + 2 + strspn(text + 2, " ");
    return next[0] == 't' && next[1] == 'o' && next[2] == ' ';
}

/* `100 1/s`, as units without a numerator are shown */
static bool inverse_follows(const ct_parser *p)
{
    const char *text = p->lex.text + p->token.at;
    return ct_is(p, CT_TOKEN_NUMBER) && p->token.length == 1 && text[0] == '1' && text[1] == '/' &&
           isalpha((unsigned char)text[2]);
}

bool ct_unit_follows(const ct_parser *p)
{
    if (p->token.line || p->token.hole || ct_up_to_follows(p))
        return false;
    return ct_is(p, CT_TOKEN_WORD) || inverse_follows(p) ||
           (ct_is(p, CT_TOKEN_BAD) && p->lex.problem.code &&
            may_begin_unit(p->lex.text[p->token.at]));
}

/* The last slash behind which the unit goes wrong: `N/k1`; NULL if there is none. */
static const char *find_division(ct_parser *p, ct_token unit)
{
    enum { LONGEST = 100 }; /* longer ones are no slip of the pen */
    const char *text = p->lex.text + unit.at, *slash = NULL, *problem, *hint;
    for (uint32_t i = 0; i < unit.length && unit.length < LONGEST; i++)
        if (text[i] == '/' && ct_lex_is_unit(&p->lex, ct_intern(p->ctx, text, i), &problem, &hint))
            slash = text + i;
    return slash;
}

/* What to write instead of a unit that is none. `before` is the number, "" for a list. */
static const char *unit_help(ct_parser *p, ct_token unit, const char *hint, const char *before)
{
    const char *text = p->lex.text + unit.at, *end = text + unit.length;
    const char *slash = find_division(p, unit);
    size_t plain = ct_lex_skip_name(&p->lex, unit.at) - unit.at;
    if (*end == '(' && strchr("/.^", end[-1]))
        return end[-1] == '/'
                   ? "units have no brackets: write `J/kg/K` for J/(kg.K); to divide by a "
                     "value, put spaces around the slash"
                   : "units have no brackets: write `m^0.5` for a root";
    if (slash)
        return ct_printf(p->ctx,
                         "to divide by a value, put spaces around the slash: `%s%.*s / %.*s`",
                         before, (int)(slash - text), text, (int)(end - slash - 1), slash + 1);
    if (hint)
        return ct_printf(p->ctx, "did you mean `%s`?", hint);
    if (plain == unit.length && *before)
        return ct_printf(p->ctx, "to multiply by a value, write `%.*s*%.*s`",
                         (int)strlen(before) - 1, before, (int)plain, text);
    return NULL;
}

/* Bytes that are no text were reported before reading began. */
static bool is_text(const ct_parser *p, ct_token token)
{
    const char *at = p->lex.text + token.at, *end = at + token.length;
    uint32_t length = 1;
    for (; at < end && length; at += length)
        length = ct_utf8_length(at, (size_t)(end - at));
    return length != 0;
}

static void check_unit(ct_parser *p, ct_token unit)
{
    if (!is_text(p, unit)) {
        ct_panic(p);
        return;
    }
    const char *problem = NULL, *hint = NULL, *before = "";
    ct_token number = p->last;
    bool after_number = number.kind == CT_TOKEN_NUMBER;
    bool value = after_number && ct_keyword_has(&p->lex, unit.name, CT_KEYWORD_VALUE);
    if (!value && ct_lex_is_unit(&p->lex, unit.name, &problem, &hint))
        return;
    if (after_number)
        before = ct_printf(p->ctx, "%.*s ", (int)number.length, p->lex.text + number.at);
    if (value)
        hint = NULL;
    if (value || !problem)
        problem = ct_printf(p->ctx, "%s is no unit", ct_token_text(p, unit));
    ct_complain(p, "E105", ct_token_place(p, unit), problem, unit_help(p, unit, hint, before));
}

ct_node ct_read_unit(ct_parser *p)
{
    if (p->panic)
        return 0;
    ct_token unit = ct_lex_as_unit(&p->lex, p->token);
    check_unit(p, unit);
    if (p->panic)
        return 0;
    p->token = unit;
    ct_advance(p);
    return ct_make(p, CT_NODE_UNIT, unit.at, unit.name, (ct_children){0});
}
