/* test_lang_errors.c - messages about texts that cannot be read, and where reading goes on
 * (src/lang/recover.c). */
#include "test_lang.h"

#include "base/codes.h"

/* ---- messages ------------------------------------------------------------------------------ */

/* help: a part of it. Every text has `z = 1` as last line, which must survive. */
static const struct message_case {
    const char *text, *reports, *message, *help;
} message_cases[] = {
    {"x = 1 \xff\xfe", "E101 1:7+2", "0xFF", "UTF-8"},
    {"# \xc3(", "E101 1:3+1", "0xC3", NULL},
    {"x = $", "E102 1:5+1", "unexpected `$`", NULL},
    {"x = a && b", "E102 1:7+2", "`&&`", "`and`"},
    {"x = a ** b", "E102 1:7+2", "`**`", "`^`"},
    {"x = a // b", "E102 1:7+2", "`//`", "`#`"},
    {"x = a \xe2\x88\x92 b", "E102 1:7+1", "unexpected", "`-`"},
    {"\xce\xb8 = 3", "E102 1:1+1", "unexpected", "A-Z"},
    {"x = a\x01", "E102 1:6+1", "0x01", NULL},
    {"x = \"abc", "E103 1:5+4", "closing quote", "same line"},
    {"x = 1.2.3", "E104 1:5+5", "`1.2.3`", "1e-6"},
    {"x = 5.", "E104 1:5+2", "`5.`", NULL},
    {"x = .5", "E104 1:5+2", "`.5`", "0.5"},
    {"x = 1e", "E104 1:5+2", "`1e`", NULL},
    {"x = 0x1F", "E104 1:5+4", "`0x1F`", NULL},
    {"x = 200 N/k1", "E105 1:9+4", "k1", "`200 N / k1`"},
    {"x = 2 pi", "E105 1:7+2", "`pi` is no unit", "`2*pi`"},
    {"x = 2 t", "E105 1:7+1", "`t` is no unit", "`2*t`"},
    {"x = 10 u", "E105 1:8+1", "u", "uF"},
    {"x = 3 x", "E105 1:7+1", "x", "`3*x`"},
    {"x = 10 J/(kg.K)", "E105 1:8+2", "", "brackets"},
    {"x = 24 cm/(k*A)", "E105 1:8+3", "", "spaces around the slash"},
    {"param k : foo = 3", "E105 1:11+3", "foo", NULL},
    {"x = 1 foo + 2 baz", "E105 1:7+3; E105 1:15+3", "foo", NULL},
    {"x = 3 R2 : resistor(a, b)", "E105 1:7+2", "R2", NULL},
    {"x = (a", "E106 1:5+1", "`(` of line 1 is not closed", "`)`"},
    {"x = (a]", "E106 1:7+1", "`]` does not close the `(` of line 1", "`)`"},
    {"R1 : resistor(a, b\nR2 : resistor(a, b)", "E106 1:14+1", "`(` of line 1", "`)`"},
    {"R1 : resistor(a, b  R = 1", "E106 1:14+1", "`(` of line 1", "before `R`"},
    {"x = [1,\n 2\noutput y", "E106 1:5+1", "`[` of line 1", "`]`"},
    {"}", "E106 1:1+1", "closes nothing", NULL},
    {"x = a)", "E106 1:6+1", "closes nothing", "remove it"},
    {"x = ", "E107 2:1+1", "`z` looks like a new statement", "operator"},
    {"x = (a +)", "E107 1:9+1", "expected an expression", NULL},
    {"x = * 2", "E107 1:5+1", "found `*`", NULL},
    {"x = 1 + if a then b else c", "E107 1:9+2", "operand", "brackets"},
    {"x = if a then b", "E107 1:16+1", "expected `else`", "both"},
    {"x = |a|", "E107 1:5+1", "found `|`", "abs(x)"},
    {"param V 5", "E107 1:9+1", "found `5`", NULL},
    {"repeat i = 1..N{ x = 1 }", "E107 1:16+1", "touches", "space before"},
    {"repeat i = 1..N{\n x = 1\n}", "E107 1:16+1", "touches `N`", "space before"},
    {"b : body{ A = 1 }", "E107 1:9+1", "touches `body`", "space before"},
    {"output a,\nR2 : resistor(a, b)", "E107 2:1+2", "looks like a new statement", "comma"},
    {"if a then b = 1", "E107 1:6+4", "expected `{`", "if CONST {"},
    {"else { }", "E107 1:1+4", "found `else`", "`if`"},
    {"R1 : resistor(a, b)  x(1) = 1", "E107 1:24+1", "expected `0`", "start"},
    {"R1 : resistor(a, b)  R == 1", "E107 1:24+2", "found `==`", "one `=`"},
    {"R1 : resistor(a, )", "E107 1:18+1", "found `)`", NULL},
    {"x = a.3", "E107 1:7+1", "name after `.`", NULL},
    {"element e\nx = 1", "E109 1:9+1", "element `e` has no `end`", "line 1"},
    {"end", "E109 1:1+3", "closes nothing", "`element`"},
    {"param end = 3", "E110 1:7+3", "`end`", "`end_`"},
    {"param t = 3, pi = 4", "E110 1:7+1; E110 1:14+2", "`t`", "`t_`"},
    {"ground : body", "E110 1:1+6", "reserved", NULL},
    {"output a as over", "E110 1:13+4", "`over`", NULL},
    {"x = a.end", "E110 1:7+3", "`end`", NULL},
    {"x = [0 -1]", "E111 1:8+1", "comma missing", "comma"},
    {"x = [1 2]", "E111 1:8+1", "before `2`", "comma"},
    {"x = [a, b c]", "E111 1:11+1", "before `c`", "comma"},
    {"x = f(a b)", "E111 1:9+1", "before `b`", "comma"},
    {"R1 : resistor(a b)", "E111 1:17+1", "before `b`", "comma"},
    {"x = [[1] [2]]", "E111 1:10+1", "before `[`", "comma"},
    {"R1 : r(a, b)  R = 1 L = 2", "E111 1:21+1", "before `L`", "comma"},
    {"R1 : r(a, b)  R = a C = 2", "E111 1:21+1", "before `C`", "comma"},
    {"x = \"a\\q\"", "E112 1:7+2", "`\\q`", NULL},
    {"R1 resistor(a, b)  R = 1", "E113 1:4+8", "`:` missing", "`R1 : TYPE"},
    {"R1 = resistor(a, b)  R = 1", "E113 1:22+1", "with `:`", "`R1 : "},
    {"x = a < b < c", "E114 1:11+1", "chain", "and"},
    {"x = if a = b then 1 else 2", "E115 1:10+1", "`=`", "`==`"},
    {"if a = b { y = 1 }", "E115 1:6+1", "`=`", "`==`"},
    {"when a = b { y = 1 }", "E115 1:8+1", "`=`", "`==`"},
    {"x == 3", "E115 1:1+6", "`==`", "one `=`"},
    {"ouput x", "E116 1:1+5", "`ouput`", "`output`"},
    {"functoin f(a) = a", "E116 1:1+8", "`functoin`", "`function`"},
    {"nonsense", "E116 1:1+8", "begins no statement", "NAME : TYPE"},
    {"port a : electrical", "E117 1:1+4", "`port`", "element"},
    {"a.v = 3", "E117 1:1+3", "equation", "initial"},
    {"a + b = 3", "E117 1:1+5", "equation", "element"},
};

static bool has_last_line(const reading *r)
{
    return strstr(compact(r->s), "SETTING z") || strstr(compact(r->s), "EQUATION (REF z)");
}

static void test_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof message_cases / sizeof *message_cases; i++) {
        const struct message_case *c = &message_cases[i];
        char text[200];
        snprintf(text, sizeof text, "%s\nz = 1\n", c->text);
        reading r = read_text(text);
        expect_same(text, reports(&r), c->reports);
        const ct_diag *d = ct_diag_at(r.ctx, 0);
        if (!strstr(d->message, c->message))
            fail_case(text, d->message, c->message);
        if (c->help && (!d->help || !strstr(d->help, c->help)))
            fail_case(text, d->help ? d->help : "no help", c->help);
        assert_true(r.s->broken);
        if (!has_last_line(&r))
            fail_case(text, compact(r.s), "(SETTING z)");
        ct_context_free(r.ctx);
    }
}

/* One run reports all independent errors, and nothing that only follows from them. */
static const pair recovery_cases[] = {
    {"x = )\ny = 1\nz = * 2", "E107 1:5+1; E107 3:5+1"},
    {"R1 : r(a, b\nR2 : r(a b)\nR3 : r(a, b)  R = \nx = 3", "E106 1:7+1; E111 2:10+1; E107 4:1+1"},
    {"repeat i = 1.. {\n x = )\n y = (2\n}\nz = ]",
     "E107 1:16+1; E107 2:6+1; E106 3:6+1; E107 5:5+1"},
    {"element a b\n x = )\n y == 2\nend\nz = ]", "E107 1:11+1; E107 2:6+1; E115 3:2+6; E107 5:5+1"},
    {"system a(p n)\n x = )\nend\nz = ]", "E111 1:12+1; E107 2:6+1; E107 4:5+1"},
    {"b : body { A = ), B = 2 +, C = 1\n D = *\n}\nz = ]",
     "E107 1:16+1; E107 1:26+1; E107 2:6+1; E107 4:5+1"},
    {"when a { x = )\n y = 1\n z = * }\nz = ]", "E107 1:14+1; E107 3:6+1; E107 4:5+1"},
    {"element a\nrepeat i = 1..2 {\n x = 1\nend\nz = ]", "E106 2:17+1; E107 5:5+1"},
    {"if a {\n element e\n x = 1\n}\nz = ]", "E109 2:10+1; E107 5:5+1"},
    {"repeat i = 1..2 {\nrepeat j = 1..2 {\nx = 1", "E106 2:17+1"},
    {"x = [1, 2\ny = 3\nz = ]", "E106 1:5+1; E107 3:5+1"},
    {"x = f(\n a b,\n c)\ny = ]", "E111 2:4+1; E107 4:5+1"},
    {"x = 1 foo )\nz = ]", "E105 1:7+3; E107 2:5+1"},
    {"repeat i = 1..2 {\nend\nx = )\n}\nz = ]", "E109 2:1+3; E107 3:5+1; E107 5:5+1"},
    {"if a {\nelement e\nx = (1\n}\nz = ]", "E109 2:9+1; E106 3:5+1; E107 5:5+1"},
    {"b : body { A = 1\nB = 2\nc : body  m = )\nz = ]", "E106 1:10+1; E107 3:15+1; E107 4:5+1"},
    {"when a { x = 1\ny = 2\noutput x\nz = ]", "E106 1:8+1; E107 4:5+1"},
    {"b : body { A = ,1, 2], B = * }\nz = ]", "E107 1:16+1; E107 1:28+1; E107 2:5+1"},
    {"elment e\nport a, b : electrical\na.v = 1\nend\nz = ]", "E116 1:1+6; E107 5:5+1"},
    {"systm s(a)\nx = 1\nend\nz = ]", "E116 1:1+5; E107 4:5+1"},
    {"param a = ), b = 3\nz = ]", "E107 1:11+1; E107 2:5+1"},
};

static void test_recovery(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof recovery_cases / sizeof *recovery_cases; i++) {
        reading r = read_text(recovery_cases[i].text);
        expect_same(recovery_cases[i].text, reports(&r), recovery_cases[i].want);
        ct_context_free(r.ctx);
    }
}

static void test_zero_byte(void **state)
{
    (void)state;
    reading r = read_in(ct_context_new(NULL), "x = 1\0\ny = \"a\0\"\nz = 1", 21, READ_ALL);
    expect_same("zero bytes", reports(&r), "E101 1:6+1; E101 2:7+1");
    ct_context_free(r.ctx);
}

/* Every 1xx code has a case above (E108: test_lang_stress.c). */
static void test_codes_covered(void **state)
{
    (void)state;
    size_t count;
    const ct_message_code *codes = ct_code_list(&count);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(codes[i].code, "E1", 2) != 0 || strcmp(codes[i].code, "E108") == 0)
            continue;
        bool found = false;
        for (size_t k = 0; k < sizeof message_cases / sizeof *message_cases; k++)
            found |= strstr(message_cases[k].reports, codes[i].code) != NULL;
        if (!found)
            fail_msg("no case for %s", codes[i].code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_zero_byte),
        cmocka_unit_test(test_codes_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
