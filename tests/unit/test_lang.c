/* The language: texts to trees, messages, canonical texts (src/lang). Stress: test_lang_stress.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/codes.h"
#include "lang/syntax.h"

/* ---- reading a text ------------------------------------------------------------------------ */

typedef struct reading {
    ct_context *ctx;
    const char *text;
    size_t length;
    bool expression;
    const ct_syntax *s;
    const char *dump, *format;
} reading;

static void read_body(void *user)
{
    reading *r = user;
    uint32_t source = ct_source_add(r->ctx, "test.lg", r->text, r->length);
    r->s = r->expression ? ct_parse_expression(r->ctx, source) : ct_parse(r->ctx, source);
    ct_text dump = ct_text_new(r->s->arena), format = ct_text_new(r->s->arena);
    ct_syntax_dump(r->s, &dump);
    ct_format(r->s, &format);
    r->dump = ct_text_string(&dump);
    r->format = ct_text_string(&format);
}

static reading read_bytes(const char *text, size_t length)
{
    reading r = {.ctx = ct_context_new(NULL), .text = text, .length = length};
    assert_int_equal(ct_protect(r.ctx, read_body, &r), CT_OK);
    return r;
}

static reading read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

static reading read_expression(const char *text)
{
    reading r = {.ctx = ct_context_new(NULL), .text = text, .length = strlen(text)};
    r.expression = true;
    assert_int_equal(ct_protect(r.ctx, read_body, &r), CT_OK);
    return r;
}

/* "E107 1:5+2; E111 2:3+1": code, line, column, width of every report. */
static const char *reports(const reading *r)
{
    ct_text text = ct_text_new(r->ctx->base);
    for (size_t i = 0; i < ct_diag_count(r->ctx); i++) {
        const ct_diag *d = ct_diag_at(r->ctx, i);
        ct_putf(&text, "%s%s %u:%u+%u", i ? "; " : "", d->code, d->line, d->column, d->width);
    }
    return ct_text_string(&text);
}

static void fail_case(const char *name, const char *got, const char *want)
{
    fail_msg("%s\n--- got\n%s\n--- want\n%s", name, got, want);
}

static void expect_same(const char *name, const char *got, const char *want)
{
    if (strcmp(got, want) != 0)
        fail_case(name, got, want);
}

/* A tree on one line, as nested brackets: (SUM (REF a) (NEG (REF b))). */
static void put_compact(const ct_syntax *s, ct_node n, ct_text *out)
{
    static const char *const relations[] = {"<", "<=", ">", ">=", "==", "!="};
    const ct_syntax_node *node = ct_at(s, n);
    ct_putf(out, "(%s", ct_node_kind_text((ct_node_kind)node->kind));
    if (node->kind == CT_NODE_COMPARE || node->kind == CT_NODE_LIMIT)
        ct_putf(out, " %s", relations[node->op]);
    else if (node->op)
        ct_putf(out, " %u", node->op);
    if (node->name)
        ct_putf(out, " %s", ct_name_text(s->ctx, node->name));
    for (ct_node child = node->first; child; child = ct_at(s, child)->next) {
        ct_put_char(out, ' ');
        put_compact(s, child, out);
    }
    ct_put_char(out, ')');
}

static const char *compact(const ct_syntax *s)
{
    ct_text out = ct_text_new(s->arena);
    bool file = s->root && ct_at(s, s->root)->kind == CT_NODE_FILE;
    ct_node first = file ? ct_at(s, s->root)->first : s->root;
    for (ct_node n = first; n; n = file ? ct_at(s, n)->next : 0) {
        if (n != first)
            ct_put_char(&out, ' ');
        put_compact(s, n, &out);
    }
    return ct_text_string(&out);
}

typedef struct pair {
    const char *text, *want;
} pair;

/* ---- expressions --------------------------------------------------------------------------- */

static const pair expression_cases[] = {
    {"1", "(NUMBER 1)"},
    {"1.5e-3", "(NUMBER 1.5e-3)"},
    {"1E+3", "(NUMBER 1E+3)"},
    {"true", "(BOOL 1)"},
    {"false", "(BOOL)"},
    {"\"a b\"", "(STRING a b)"},
    {"\"\"", "(STRING)"},
    {"\"q\\\"b\\\\n\\n\"", "(STRING q\"b\\n\n)"},
    {"a - b + c", "(SUM (REF a) (NEG (REF b)) (REF c))"},
    {"a - (b + c)", "(SUM (REF a) (NEG (SUM (REF b) (REF c))))"},
    {"(a + b) + c", "(SUM (SUM (REF a) (REF b)) (REF c))"},
    {"a/b*c/d", "(PRODUCT (REF a) (INV (REF b)) (REF c) (INV (REF d)))"},
    {"a + b*c", "(SUM (REF a) (PRODUCT (REF b) (REF c)))"},
    {"-2^2", "(NEG (POWER (NUMBER 2) (NUMBER 2)))"},
    {"-a*b", "(PRODUCT (NEG (REF a)) (REF b))"},
    {"a*-b", "(PRODUCT (REF a) (NEG (REF b)))"},
    {"a^b^c", "(POWER (REF a) (POWER (REF b) (REF c)))"},
    {"a^-b^c", "(POWER (REF a) (NEG (POWER (REF b) (REF c))))"},
    {"(a^b)^c", "(POWER (POWER (REF a) (REF b)) (REF c))"},
    {"+a - +b", "(SUM (REF a) (NEG (REF b)))"},
    {"--a", "(NEG (NEG (REF a)))"},
    {"a or b and not c == d + 1", "(OR (REF a) (AND (REF b) (NOT (COMPARE == (REF c) (SUM (REF d) "
                                  "(NUMBER 1))))))"},
    {"not not a", "(NOT (NOT (REF a)))"},
    {"(a < b) == c", "(COMPARE == (COMPARE < (REF a) (REF b)) (REF c))"},
    {"a >= b", "(COMPARE >= (REF a) (REF b))"},
    {"a != b", "(COMPARE != (REF a) (REF b))"},
    {"if a then b else if c then d else e", "(IF (REF a) (REF b) (IF (REF c) (REF d) (REF e)))"},
    {"(if a then 1 else 2) + 3", "(SUM (IF (REF a) (NUMBER 1) (NUMBER 2)) (NUMBER 3))"},
    {"[]", "(MATRIX)"},
    {"[a, b]", "(MATRIX (ROW (REF a) (REF b)))"},
    {"[a, b; c, d]", "(MATRIX 1 (ROW (REF a) (REF b)) (ROW (REF c) (REF d)))"},
    {"[a - b, c -\n d, e-f, (g -h)]",
     "(MATRIX (ROW (SUM (REF a) (NEG (REF b))) (SUM (REF c) (NEG (REF d))) (SUM (REF e) (NEG "
     "(REF f))) (SUM (REF g) (NEG (REF h)))))"},
    {"q[2]", "(REF q (INDEX (NUMBER 2)))"},
    {"R[1,3]", "(REF R (INDEX (NUMBER 1) (NUMBER 3)))"},
    {"a.b.c[1].d", "(REF a (FIELD b) (FIELD c) (INDEX (NUMBER 1)) (FIELD d))"},
    {"kinetic()", "(REF kinetic (CALL))"},
    {"f(a, b + 1)", "(REF f (CALL (REF a) (SUM (REF b) (NUMBER 1))))"},
    {"table(x, [1], method = cubic)",
     "(REF table (CALL (REF x) (MATRIX (ROW (NUMBER 1))) (ARG method (REF cubic))))"},
    {"f(a == b)", "(REF f (CALL (COMPARE == (REF a) (REF b))))"},
    {"n{i-1}", "(REF (NAME (ID n) (HOLE (SUM (REF i) (NEG (NUMBER 1))))))"},
    {"a{i}_2{j}b.c{k}", "(REF (NAME (ID a) (HOLE (REF i)) (ID _2) (HOLE (REF j)) (ID b)) "
                        "(FIELD (NAME (ID c) (HOLE (REF k)))))"},
    {"ground.O", "(REF ground (FIELD O))"},
    {"a\n", "(REF a)"},
    {"a # comment", "(REF a)"},
    /* units bind first */
    {"10 uF", "(NUMBER 10 (UNIT uF))"},
    {"10uF", "(NUMBER 10 (UNIT uF))"},
    {"200 N/m", "(NUMBER 200 (UNIT N/m))"},
    {"200 N / m", "(PRODUCT (NUMBER 200 (UNIT N)) (INV (REF m)))"},
    {"200 N*m", "(PRODUCT (NUMBER 200 (UNIT N)) (REF m))"},
    {"2 m^2", "(NUMBER 2 (UNIT m^2))"},
    {"2 m ^2", "(POWER (NUMBER 2 (UNIT m)) (NUMBER 2))"},
    {"30 s^-1", "(NUMBER 30 (UNIT s^-1))"},
    {"5 mm-2 mm", "(SUM (NUMBER 5 (UNIT mm)) (NEG (NUMBER 2 (UNIT mm))))"},
    {"60 mV.s/rad + 1", "(SUM (NUMBER 60 (UNIT mV.s/rad)) (NUMBER 1))"},
    {"[0, -9.81] m/s^2", "(MATRIX (ROW (NUMBER 0) (NEG (NUMBER 9.81))) (UNIT m/s^2))"},
    {"(1 V)/s", "(PRODUCT (NUMBER 1 (UNIT V)) (INV (REF s)))"},
    {"if 1 then 0 else 3", "(IF (NUMBER 1) (NUMBER 0) (NUMBER 3))"},
    {"10 and 5 or 3", "(OR (AND (NUMBER 10) (NUMBER 5)) (NUMBER 3))"},
    {"f(2 V, 3)", "(REF f (CALL (NUMBER 2 (UNIT V)) (NUMBER 3)))"},
    {"20 degC", "(NUMBER 20 (UNIT degC))"},
};

static void test_expressions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expression_cases / sizeof *expression_cases; i++) {
        const pair *c = &expression_cases[i];
        reading r = read_expression(c->text);
        expect_same(c->text, reports(&r), "");
        expect_same(c->text, compact(r.s), c->want);
        ct_context_free(r.ctx);
    }
}

/* ---- statements ---------------------------------------------------------------------------- */

static const pair statement_cases[] = {
    {"", ""},
    {"\n;;\n# only a comment\n", ""},
    {"model rc \"title\"", "(MODEL rc (STRING title))"},
    {"\xef\xbb\xbfmodel rc", "(MODEL rc)"},
    {"param a, b = 1", "(PARAM (DECL (NAME a)) (DECL (NAME b) (VALUE (NUMBER 1))))"},
    {"param Kp : 1/s = 20", "(PARAM (DECL (NAME Kp) (UNIT 1/s) (VALUE (NUMBER 20))))"},
    {"param R:ohm>=0=0 \"doc\"", "(PARAM (DECL (NAME R) (UNIT ohm) (LIMIT >= (NUMBER 0)) (VALUE "
                                 "(NUMBER 0)) (STRING doc)))"},
    {"param x > 0 < 2*a", "(PARAM (DECL (NAME x) (LIMIT > (NUMBER 0)) (LIMIT < (PRODUCT (NUMBER 2) "
                          "(REF a)))))"},
    {"var x : m^2/V/s = 1e-14", "(VAR (DECL (NAME x) (UNIT m^2/V/s) (VALUE (NUMBER 1e-14))))"},
    {"input u : V[3] = 0",
     "(INPUT (DECL (NAME u) (UNIT V) (SHAPE (NUMBER 3)) (VALUE (NUMBER 0))))"},
    {"param A : N/m[2,n]", "(PARAM (DECL (NAME A) (UNIT N/m) (SHAPE (NUMBER 2) (REF n))))"},
    {"const n{i} = 3", "(CONST (DECL (NAME (ID n) (HOLE (REF i))) (VALUE (NUMBER 3))))"},
    {"function f(a, b) =\n a + b", "(FUNCTION f (ID a) (ID b) (SUM (REF a) (REF b)))"},
    {"output a.v as x, 5 as \"y{i}\", b",
     "(OUTPUT (ITEM (REF a (FIELD v)) (NAME x)) (ITEM (NUMBER 5) (STRING y{i})) (ITEM (REF b)))"},
    {"use \"a.lg\"", "(USE (STRING a.lg))"},
    {"plot a, 3 over t \"x\"", "(PLOT (CURVE (REF a)) (CURVE (NUMBER 3) (REF t)) (STRING x))"},
    {"simulate stop = 50 ms, tol = 1e-8",
     "(SIMULATE (KEY (PATH (REF stop)) (NUMBER 50 (UNIT ms))) (KEY (PATH (REF tol)) (NUMBER "
     "1e-8)))"},
    {"initial equilibrium", "(INITIAL 1)"},
    {"initial a.v = 1", "(INITIAL (KEY (PATH (REF a (FIELD v))) (NUMBER 1)))"},
    {"guess a.q[2] = 1", "(GUESS (KEY (PATH (REF a (FIELD q) (INDEX (NUMBER 2)))) (NUMBER 1)))"},
    {"node q, z{i} : translational[2]",
     "(NODES translational (NAME q) (NAME (ID z) (HOLE (REF i))) "
     "(SIZE (NUMBER 2)))"},
    {"tree a, b.e", "(TREE (TREE_PART (PATH (REF a)) (PATH (REF b (FIELD e)))))"},
    {"tree translational: a; rotational: b; c : body",
     "(TREE (TREE_PART translational (PATH (REF a))) (TREE_PART rotational (PATH (REF b)))) "
     "(COMPONENT (NAME c) (ID body))"},
    {"ground g", "(GROUND g)"},
    {"ground{ O = [0, 1] }",
     "(GROUND (FRAMES (FRAME (NAME O) (MATRIX (ROW (NUMBER 0) (NUMBER 1))))))"},
    {"repeat i = 1..N { a = i }", "(REPEAT i (NUMBER 1) (REF N) (BLOCK (SETTING a (REF i))))"},
    {"if a { } else if b { } else { x = 1 }",
     "(IF_STMT (REF a) (BLOCK) (IF_STMT (REF b) (BLOCK) (BLOCK (SETTING x (NUMBER 1)))))"},
    {"when a.x < 0 { a.v = -e*pre(a.v); n = 1 }",
     "(WHEN (COMPARE < (REF a (FIELD x)) (NUMBER 0)) (ASSIGN (PATH (REF a (FIELD v))) (PRODUCT "
     "(NEG "
     "(REF e)) (REF pre (CALL (REF a (FIELD v)))))) (ASSIGN (PATH (REF n)) (NUMBER 1)))"},
    {"every 1 ms { y = 2 }", "(EVERY (NUMBER 1 (UNIT ms)) (ASSIGN (PATH (REF y)) (NUMBER 2)))"},
    {"system s(p, n : electrical, r : signal) \"t\"\nx : y\nend",
     "(SYSTEM s (FORMAL p) (FORMAL n (ID electrical)) (FORMAL r (ID signal)) (STRING t) (BLOCK "
     "(COMPONENT (NAME x) (ID y))))"},
    {"element e \"t\"\nport p, n : electrical\nport s : rotational(a, b)\nedge e(p, ground)\n"
     "choice m = a | b\nundetermined \"u\"\nsource \"s\"\nend",
     "(ELEMENT e (STRING t) (BLOCK (PORT electrical (ID p) (ID n)) (PORT rotational (ID s) "
     "(TERMINALS (ID a) (ID b))) (EDGES (EDGE e (PATH (REF p)) (PATH (REF ground)))) (CHOICE m (ID "
     "a) (ID b)) (UNDETERMINED (STRING u)) (SOURCE (STRING s))))"},
    {"element e\nx = 1\n[a, b] = c\nsource = 2\nedge.v = 3\nend",
     "(ELEMENT e (BLOCK (EQUATION (REF x) (NUMBER 1)) (EQUATION (MATRIX (ROW (REF a) (REF b))) "
     "(REF "
     "c)) (EQUATION (REF source) (NUMBER 2)) (EQUATION (REF edge (FIELD v)) (NUMBER 3))))"},
    {"space = planar", "(SETTING space (REF planar))"},
    {"R1 : resistor(a, b)  R = 1 kohm", "(COMPONENT (NAME R1) (ID resistor) (PORTS (REF a) (REF "
                                        "b)) (KEY (PATH (REF R)) (NUMBER 1 (UNIT kohm))))"},
    {"M : dc_motor(a, ground | J)  der(q)(0) = 1, e.i(0) = 2",
     "(COMPONENT (NAME M) (ID dc_motor) (PORTS (REF a) (REF ground)) (PORTS (REF J)) (KEY 1 (PATH "
     "(DER (PATH (REF q)))) (NUMBER 1)) (KEY 1 (PATH (REF e (FIELD i))) (NUMBER 2)))"},
    {"b : body { repeat i = 1..2 { P{i} = i } Q = 1 }", NULL}, /* needs a separator */
    {"b : body { repeat i = 1..2 { P{i} = i }, Q = 1 }",
     "(COMPONENT (NAME b) (ID body) (FRAMES (REPEAT i (NUMBER 1) (NUMBER 2) (FRAMES (FRAME (NAME "
     "(ID P) (HOLE (REF i))) (REF i)))) (FRAME (NAME Q) (NUMBER 1))))"},
    /* statement words as names */
    {"output : body", "(COMPONENT (NAME output) (ID body))"},
    {"model = 1", "(SETTING model (NUMBER 1))"},
    {"t : body", "(COMPONENT (NAME t) (ID body))"},
    {"output [a, b]", "(OUTPUT (ITEM (MATRIX (ROW (REF a) (REF b)))))"},
    {"repeat{i} : body", "(COMPONENT (NAME (ID repeat) (HOLE (REF i))) (ID body))"},
    /* where statements go on */
    {"x = a +\n b", "(SETTING x (SUM (REF a) (REF b)))"},
    {"x = (a\n + b)", "(SETTING x (SUM (REF a) (REF b)))"},
    {"x = [a,\n\n b]\r\ny = 1\r\n",
     "(SETTING x (MATRIX (ROW (REF a) (REF b)))) (SETTING y (NUMBER 1))"},
    {"output a, # why\n  b", "(OUTPUT (ITEM (REF a)) (ITEM (REF b)))"},
    {"x = if a\n then b\n\n# c\n else\n c", "(SETTING x (IF (REF a) (REF b) (REF c)))"},
    {"b : body\n# c\n\n{ A = 1\n B = 2 }",
     "(COMPONENT (NAME b) (ID body) (FRAMES (FRAME (NAME A) (NUMBER 1)) (FRAME (NAME B) (NUMBER "
     "2))))"},
    {"if a\n{\n}\nelse\n{\n}", "(IF_STMT (REF a) (BLOCK) (BLOCK))"},
    {"x = 1; y = 2", "(SETTING x (NUMBER 1)) (SETTING y (NUMBER 2))"},
    {"x = a and\n not\n b", "(SETTING x (AND (REF a) (NOT (REF b))))"},
};

static void test_statements(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof statement_cases / sizeof *statement_cases; i++) {
        const pair *c = &statement_cases[i];
        reading r = read_text(c->text);
        bool item = strncmp(c->text, "var ", 4) == 0; /* complains, but reads it */
        if (!c->want) {
            assert_true(r.s->broken);
        } else {
            expect_same(c->text, reports(&r), item ? "E117 1:1+3" : "");
            expect_same(c->text, compact(r.s), c->want);
        }
        ct_context_free(r.ctx);
    }
}

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
    {"param k : foo = 3", "E105 1:11+3", "foo", NULL},
    {"x = 1 foo + 2 baz", "E105 1:7+3; E105 1:15+3", "foo", NULL},
    {"x = 3 R2 : resistor(a, b)", "E105 1:7+2", "R2", NULL},
    {"x = (a", "E106 1:5+1", "`(` of line 1 is not closed", "`)`"},
    {"x = (a]", "E106 1:7+1", "`]` does not close the `(` of line 1", "`)`"},
    {"R1 : resistor(a, b\nR2 : resistor(a, b)", "E106 1:14+1", "`(` of line 1", "`)`"},
    {"R1 : resistor(a, b  R = 1", "E106 1:14+1", "`(` of line 1", "before `R`"},
    {"x = [1,\n 2\noutput y", "E106 1:5+1", "`[` of line 1", "`]`"},
    {"}", "E106 1:1+1", "closes nothing", NULL},
    {"x = a)", "E107 1:6+1", "found `)`", NULL},
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
    {"output a as then", "E110 1:13+4", "`then`", NULL},
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
    reading r = read_bytes("x = 1\0\ny = \"a\0\"\nz = 1", 21);
    expect_same("zero bytes", reports(&r), "E101 1:6+1; E101 2:7+1");
    ct_context_free(r.ctx);
}

/* ---- places and comments ------------------------------------------------------------------- */

static const struct place_case {
    const char *text;
    ct_node_kind kind;
    const char *stretch; /* of the first node of this kind */
} place_cases[] = {
    {"x = (a + b)*c", CT_NODE_PRODUCT, "(a + b)*c"},
    {"x = (a + b)*c", CT_NODE_SUM, "a + b"},
    {"x = a - b/c", CT_NODE_NEG, "- b/c"},
    {"x = a - b/c", CT_NODE_INV, "/c"},
    {"x = 5 N/m # c", CT_NODE_NUMBER, "5 N/m"},
    {"x = 5 N/m # c", CT_NODE_UNIT, "N/m"},
    {"x = 5 N/m # c", CT_NODE_SETTING, "x = 5 N/m"},
    {"x = n{i-1}_a.b + 1", CT_NODE_REF, "n{i-1}_a.b"},
    {"x = n{i-1}_a.b + 1", CT_NODE_NAME, "n{i-1}_a"},
    {"x = n{i-1}_a.b + 1", CT_NODE_HOLE, "{i-1}"},
    {"x = n{i-1}_a.b + 1", CT_NODE_FIELD, ".b"},
    {"x = f(a, b) + 1", CT_NODE_CALL, "(a, b)"},
    {"  R : r(a, b | c)  k = 1, l = 2  # c", CT_NODE_COMPONENT, "R : r(a, b | c)  k = 1, l = 2"},
    {"  R : r(a, b | c)  k = 1, l = 2", CT_NODE_PORTS, "a, b"},
    {"  R : r(a, b | c)  k = 1, l = 2", CT_NODE_KEY, "k = 1"},
    {"repeat i = 1..2 { x = 1 } # c", CT_NODE_REPEAT, "repeat i = 1..2 { x = 1 }"},
    {"repeat i = 1..2 { x = 1 } # c", CT_NODE_BLOCK, "{ x = 1 }"},
    {"param a, b : V >= 0 = 1 \"d\"", CT_NODE_LIMIT, ">= 0"},
    {"output a, b as c", CT_NODE_OUTPUT, "output a, b as c"},
    {"element e\nx = 1\nend", CT_NODE_ELEMENT, "element e\nx = 1\nend"},
    {"initial der(q) = 1", CT_NODE_DER, "der(q)"},
};

static void test_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof place_cases / sizeof *place_cases; i++) {
        const struct place_case *c = &place_cases[i];
        reading r = read_text(c->text);
        const ct_syntax_node *found = NULL;
        for (uint32_t n = 1; n < r.s->node_count; n++)
            if (r.s->node[n].kind == c->kind && (!found || r.s->node[n].at < found->at))
                found = &r.s->node[n];
        assert_non_null(found);
        char got[100];
        snprintf(got, sizeof got, "%.*s", (int)found->length, c->text + found->at);
        expect_same(c->text, got, c->stretch);
        ct_context_free(r.ctx);
    }
}

static void test_comments(void **state)
{
    (void)state;
    reading r = read_text("# one\r\nx = 1 # two\nb : body\n# three\n{ A = \"#\" # four\n}");
    static const char *const want[] = {"# one", "# two", "# three", "# four"};
    assert_int_equal(r.s->comment_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(r.s->comment[i].length, strlen(want[i]));
        assert_memory_equal(r.text + r.s->comment[i].at, want[i], strlen(want[i]));
    }
    ct_context_free(r.ctx);
}

/* ---- canonical texts ----------------------------------------------------------------------- */

static const pair format_cases[] = {
    {"R1:resistor(a,b|c , d)R=1 kohm,v(0)=0 V",
     "R1 : resistor(a, b | c, d)  R = 1 kohm, v(0) = 0 V\n"},
    {"b:body{A=[1,2],B=3}", NULL}, /* `{` touches */
    {"b:body {A=[1,2]\nB=3}", "b : body  { A = [1, 2], B = 3 }\n"},
    {"ground {\nO=1\n}", "ground { O = 1 }\n"},
    {"x=a+b*c-d/e^-f", "x = a + b*c - d/e^-f\n"},
    {"x=((a))*((b+c))", "x = a*(b + c)\n"},
    {"x=(a+b)+(c+d)-(e+f)-(g*h)", "x = (a + b) + (c + d) - (e + f) - g*h\n"},
    {"x=-(a*b)*(-c)/(d*e)", "x = -(a*b)*-c/(d*e)\n"},
    {"x=(200 N)/m+(2 m)^2+[1,2] V/a", NULL},
    {"x=(200 N)/m+(2 m)^2+(3 V)*a", "x = 200 N / m + (2 m)^2 + 3 V*a\n"},
    {"x=(a^b)^c^(d^e)", "x = (a^b)^c^d^e\n"},
    {"x=not(a and(b or c))==d", "x = not (a and (b or c)) == d\n"},
    {"x=(not a)==b", "x = (not a) == b\n"},
    {"x=(if a then b else c)*2", "x = (if a then b else c)*2\n"},
    {"x=R[1 , 3]+f ( a,m=b )", "x = R[1,3] + f(a, m = b)\n"},
    {"x=n{ i - 1 }+\"a\\\"b\"", "x = n{i-1} + \"a\\\"b\"\n"},
    {"repeat i=1 .. N {x=1;y=2}", "repeat i = 1..N {\n  x = 1\n  y = 2\n}\n"},
    {"if a {} else if b {x=1} else {}", "if a {\n} else if b {\n  x = 1\n} else {\n}\n"},
    {"when(a>b){x=1}", "when a > b {\n  x = 1\n}\n"},
    {"element e\n(source)+x=1\n(ground)=2\n(if a then b else c)=3\nend",
     "element e\n  (source) + x = 1\n  (ground) = 2\n  (if a then b else c) = 3\nend\n"},
    {"# a\n\n\n\nx = 1 # b\n\n\n# c\ny = 2\n\n", "# a\n\nx = 1  # b\n\n# c\ny = 2\n"},
    {"param a = 1, # one\n b = 2 # two", "# one\nparam a = 1, b = 2  # two\n"},
    {"if a { # one\n} # two\nelse { # three\nx = 1 } # four",
     "if a {  # one\n  # two\n} else {  # three\n  x = 1\n}  # four\n"},
    {"b : body { # one\n A = 1, # two\n\n # three\n }",
     "b : body {  # one\n  A = 1  # two\n\n  # three\n}\n"},
    {"system s(a,b:electrical)\"t\" # one\nend # two",
     "system s(a, b : electrical) \"t\"  # one\nend  # two\n"},
    {"tree translational:a;rotational:b", "tree translational: a; rotational: b\n"},
    {"output [a,b] as x", "output [a, b] as x\n"},
    {"output "
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,cccccccccccccccccccccccccccc,"
     "ddddddddddddddd",
     "output aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, "
     "cccccccccccccccccccccccccccc,\n    ddddddddddddddd\n"},
};

static void expect_round_trip(const char *name, const reading *r)
{
    reading again = read_text(r->format);
    expect_same(name, reports(&again), "");
    expect_same(name, again.dump, r->dump);
    expect_same(name, again.format, r->format);
    ct_context_free(again.ctx);
}

static void test_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof format_cases / sizeof *format_cases; i++) {
        const pair *c = &format_cases[i];
        reading r = read_text(c->text);
        if (c->want) {
            expect_same(c->text, reports(&r), "");
            expect_same(c->text, r.format, c->want);
            expect_round_trip(c->text, &r);
        } else {
            assert_true(r.s->broken);
        }
        ct_context_free(r.ctx);
    }
    for (size_t i = 0; i < sizeof statement_cases / sizeof *statement_cases; i++) {
        reading r = read_text(statement_cases[i].text);
        if (!r.s->broken)
            expect_round_trip(statement_cases[i].text, &r);
        ct_context_free(r.ctx);
    }
}

/* ---- the rest ------------------------------------------------------------------------------ */

static void test_parse_expression(void **state)
{
    (void)state;
    static const pair bad[] = {{"", "E107 1:1+1"},    {"a b", "E107 1:3+1"},   {"a;", "E107 1:2+1"},
                               {"1 +", "E107 1:4+1"}, {"x = 3", "E107 1:3+1"}, {"(a", "E106 1:1+1"},
                               {"a, b", "E107 1:2+1"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        reading r = read_expression(bad[i].text);
        expect_same(bad[i].text, reports(&r), bad[i].want);
        assert_int_equal(r.s->root, 0);
        ct_context_free(r.ctx);
    }
    reading r = read_expression("2*(a+b)");
    expect_same("format", r.format, "2*(a + b)");
    ct_context_free(r.ctx);
}

static void test_dump(void **state)
{
    (void)state;
    reading r = read_text("output a < 2 V as \"x\"\n");
    expect_same("dump", r.dump,
                "FILE\n  OUTPUT\n    ITEM\n      COMPARE <\n        REF a\n        NUMBER 2\n"
                "          UNIT V\n      STRING \"x\"\n");
    assert_int_equal(ct_child(r.s, r.s->root, CT_NODE_OUTPUT), ct_at(r.s, r.s->root)->first);
    assert_int_equal(ct_child(r.s, r.s->root, CT_NODE_MODEL), 0);
    ct_context_free(r.ctx);
}

/* Every 1xx code has a case above (E108: test_lang_stress.c). */
static void test_codes_covered(void **state)
{
    (void)state;
    size_t count;
    const ct_code *codes = ct_code_list(&count);
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
        cmocka_unit_test(test_expressions),      cmocka_unit_test(test_statements),
        cmocka_unit_test(test_messages),         cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_zero_byte),        cmocka_unit_test(test_places),
        cmocka_unit_test(test_comments),         cmocka_unit_test(test_format),
        cmocka_unit_test(test_parse_expression), cmocka_unit_test(test_dump),
        cmocka_unit_test(test_codes_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
