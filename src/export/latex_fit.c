/* latex_fit.c - breaks formulas of LaTeX into lines that fit.
 *
 * TeX does not break displayed formulas. A formula, as expr/latex.c writes it, is read into nodes:
 * brackets, fractions and roots with what is inside of them. Lines are broken before operators,
 * else between factors; a bracket that is wider than a line becomes one of fixed size, inside of
 * which lines may be broken, and so do fractions, roots and cases, written in a row.
 */
#include "export/latex_fit.h"

#include <string.h>

#include "base/vec.h"

typedef enum node_kind {
    LEAF,     /* text as it is */
    OPERATOR, /* + - = <: a line may break before it */
    FACTOR,   /* thin space between factors, or a comma: a line may break behind it */
    BRACKET,  /* \left( .. \right) */
    FRACTION, /* two PARTs */
    ROOT,
    CASES,
    PART,   /* { .. } of a fraction or root */
    BRACES, /* { .. } of anything else: never broken */
    SCRIPT, /* ^{ .. } and _{ .. } */
    ROW,    /* `&` and `\\` of cases */
} node_kind;

typedef struct node {
    node_kind kind;
    uint32_t from, to; /* in the text */
    uint32_t parent, next, first, last;
    double width;
} node;

typedef struct fitter {
    ct_arena *arena;
    const char *text;
    CT_VEC(node) node; /* [0]: the whole; children stand behind their parents */
    ct_text *out;
    double x, room;
} fitter;

static const double indent = 12, script = 0.75;

/* ---- reading */

static uint32_t add(fitter *f, uint32_t parent, node_kind kind, uint32_t from, uint32_t to,
                    double width)
{
    uint32_t index = f->node.count;
    CT_PUSH(f->arena, f->node, (node){kind, from, to, parent, 0, 0, 0, width});
    if (!index)
        return index;
    node *p = &f->node.at[parent];
    if (p->last)
        f->node.at[p->last].next = index;
    else
        p->first = index;
    p->last = index;
    return index;
}

static bool is_letter(char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static uint32_t command_length(const char *at)
{
    uint32_t n = 1;
    while (is_letter(at[n]))
        n++;
    return n == 1 && at[1] ? 2 : n;
}

static bool is_command(const char *at, uint32_t length, const char *word)
{
    return strlen(word) == length && strncmp(at, word, length) == 0;
}

/* Widths of Computer Modern, a little generous. */
static double char_width(char c)
{
    if (strchr("()[]", c))
        return 4;
    if (strchr(".,:;!'|", c))
        return c == ',' ? 4.8 : 3;
    if (c >= '0' && c <= '9')
        return 5.05;
    if (strchr("mwMW", c))
        return 9;
    if (strchr("ijltfr", c))
        return 4.5;
    return (c >= 'A' && c <= 'Z')              ? 7.6
           : c == ' '                          ? 0
           : ((unsigned char)c & 0xc0) == 0x80 ? 0
                                               : 5.8;
}

static double command_width(const char *at, uint32_t length)
{
    static const struct {
        const char *word;
        double width;
    } known[] = {
        {"\\,", 1.7},   {"\\;", 2.8},   {"\\quad", 10},  {"\\cdot", 7.2}, {"\\times", 12.2},
        {"\\int", 8},   {"\\sum", 12},  {"\\mathrm", 0}, {"\\text", 0},   {"\\operatorname", 1.7},
        {"\\dot", 0},   {"\\ddot", 0},  {"\\vec", 0},    {"\\mathbf", 0}, {"\\le", 13.4},
        {"\\ge", 13.4}, {"\\ne", 13.4}, {"\\land", 11},  {"\\lor", 11},   {"\\ ", 3.4},
        {"\\\\", 0},    {"\\lnot", 7}};
    static const char *const words[] = {"\\sin",  "\\cos",    "\\tan",    "\\exp",   "\\log",
                                        "\\ln",   "\\min",    "\\max",    "\\sinh",  "\\cosh",
                                        "\\tanh", "\\arcsin", "\\arccos", "\\arctan"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_command(at, length, known[i].word))
            return known[i].width;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_command(at, length, words[i]))
            return 5.2 * (length - 1) + 1.7;
    return 7; /* a Greek letter */
}

typedef struct reading {
    fitter *f;
    uint32_t at, open;  /* the node that is being filled */
    bool after_operand; /* a sign is then an operator */
} reading;

static void begin(reading *r, node_kind kind, uint32_t length, double width)
{
    r->open = add(r->f, r->open, kind, r->at, 0, width);
    r->at += length;
    r->after_operand = false;
}

static void end(reading *r, uint32_t length)
{
    node *n = &r->f->node.at[r->open];
    r->at += length;
    n->to = r->at;
    if (n->parent != r->open)
        r->open = n->parent;
    node_kind up = r->f->node.at[r->open].kind;
    bool whole = up == FRACTION && r->f->node.at[r->open].last != r->f->node.at[r->open].first;
    if (whole || up == ROOT) /* has all its parts */
        end(r, 0);
    r->after_operand = true;
}

static void leaf(reading *r, node_kind kind, uint32_t length, double width)
{
    add(r->f, r->open, kind, r->at, r->at + length, width);
    r->at += length;
    r->after_operand = kind == LEAF;
}

static void read_command(reading *r)
{
    const char *at = r->f->text + r->at;
    uint32_t length = command_length(at);
    if (is_command(at, length, "\\left"))
        begin(r, BRACKET, length + 1, 10);
    else if (is_command(at, length, "\\right"))
        end(r, length + 1);
    else if (is_command(at, length, "\\frac"))
        begin(r, FRACTION, length, 3);
    else if (is_command(at, length, "\\sqrt"))
        begin(r, ROOT, length, 9);
    else if (strncmp(at, "\\begin{cases}", 13) == 0)
        begin(r, CASES, 13, 20);
    else if (strncmp(at, "\\end{cases}", 11) == 0)
        end(r, 11);
    else if (is_command(at, length, "\\,"))
        leaf(r, FACTOR, length, 1.7);
    else if (is_command(at, length, "\\\\"))
        leaf(r, ROW, length, 0);
    else if (is_command(at, length, "\\le") || is_command(at, length, "\\ge"))
        leaf(r, OPERATOR, length, 13.4);
    else
        leaf(r, LEAF, length, command_width(at, length));
}

static void read_char(reading *r)
{
    char c = r->f->text[r->at];
    bool sign = (c == '+' || c == '-') && r->after_operand;
    if (c == ' ')
        add(r->f, r->open, LEAF, r->at, r->at + 1, 0), r->at++;
    else if (sign || c == '=' || c == '<' || c == '>')
        leaf(r, OPERATOR, 1, 13.4);
    else if (c == ',')
        leaf(r, FACTOR, 1, 4.8);
    else if (c == '&')
        leaf(r, ROW, 1, 10);
    else
        leaf(r, LEAF, 1, c == '+' || c == '-' ? 8 : char_width(c));
}

static void read_all(fitter *f)
{
    reading r = {.f = f};
    add(f, 0, PART, 0, 0, 0);
    while (f->text[r.at]) {
        char c = f->text[r.at];
        node_kind up = f->node.at[r.open].kind;
        if (c == '\\')
            read_command(&r);
        else if ((c == '^' || c == '_') && f->text[r.at + 1] == '{')
            begin(&r, SCRIPT, 2, 0.5);
        else if (c == '{')
            begin(&r, up == FRACTION || up == ROOT ? PART : BRACES, 1, 0);
        else if (c == '}')
            end(&r, 1);
        else
            read_char(&r);
    }
    f->node.at[0].to = r.at;
}

/* ---- widths: children stand behind their parents */

static void measure(fitter *f)
{
    uint32_t count = f->node.count;
    double *inside = CT_NEW_ARRAY(f->arena, double, count);
    for (uint32_t i = count; i-- > 0;) {
        node *n = &f->node.at[i];
        n->width += (n->kind == SCRIPT ? script : 1) * inside[i];
        double *up = &inside[n->parent];
        if (i && f->node.at[n->parent].kind == FRACTION)
            *up = *up > n->width ? *up : n->width;
        else if (i)
            *up += n->width;
    }
}

/* ---- writing */

static void put_range(fitter *f, uint32_t from, uint32_t to)
{
    ct_put_bytes(f->out, f->text + from, to - from);
}

static void new_line(fitter *f, const char *sign)
{
    ct_putf(f->out, " \\\\\n&\\quad %s", sign);
    f->x = indent + (*sign ? 12 : 0);
}

/* What stands between this place and the next at which the line may break. */
static double stretch(const fitter *f, uint32_t from, bool factors)
{
    double width = 0;
    for (uint32_t i = from; i; i = f->node.at[i].next) {
        const node *n = &f->node.at[i];
        if (n->kind == OPERATOR || n->kind == ROW || (factors && n->kind == FACTOR))
            break;
        width += n->width;
    }
    return width;
}

static bool can_open(const node *n)
{
    return n->kind == BRACKET || n->kind == FRACTION || n->kind == ROOT || n->kind == CASES;
}

/* Lists of children that are being written, outermost first. */
typedef struct frame {
    uint32_t next;     /* child that comes next */
    const char *after; /* when the list is done */
} frame;

typedef CT_VEC(frame) frame_list;

static bool has_operator(const fitter *f, uint32_t list)
{
    for (uint32_t i = f->node.at[list].first; i; i = f->node.at[i].next)
        if (f->node.at[i].kind == OPERATOR)
            return true;
    return false;
}

/* (a)/(b), in brackets of its own when factors follow. */
static void open_fraction(fitter *f, frame_list *todo, const node *n)
{
    uint32_t above = n->first, below = n->last;
    uint32_t next = n->next;
    while (next && f->text[f->node.at[next].from] == ' ')
        next = f->node.at[next].next;
    bool alone = !next || f->node.at[next].kind == OPERATOR;
    bool sum = has_operator(f, above);
    CT_PUSH(f->arena, *todo, (frame){0, alone ? "" : " \\bigr]"});
    CT_PUSH(f->arena, *todo, (frame){f->node.at[below].first, "\\bigr)"});
    CT_PUSH(f->arena, *todo, (frame){0, "\\big/ \\bigl("});
    CT_PUSH(f->arena, *todo, (frame){f->node.at[above].first, sum ? "\\bigr) " : " "});
    ct_put(f->out, alone ? "" : "\\bigl[ ");
    ct_put(f->out, sum ? "\\bigl(" : "");
    f->x += 12;
}

static void open_node(fitter *f, frame_list *todo, const node *n)
{
    char c = f->text[n->from + 5]; /* behind \left */
    if (n->kind == FRACTION) {
        open_fraction(f, todo, n);
    } else if (n->kind == BRACKET) {
        ct_putf(f->out, "\\bigl%c", c);
        CT_PUSH(f->arena, *todo,
                (frame){n->first, c == '|'   ? "\\bigr|"
                                  : c == '[' ? "\\bigr]"
                                             : "\\bigr)"});
    } else if (n->kind == CASES) {
        ct_put(f->out, "\\bigl\\{");
        CT_PUSH(f->arena, *todo, (frame){n->first, "\\bigr\\}"});
    } else {
        ct_put(f->out, "\\bigl(");
        CT_PUSH(f->arena, *todo, (frame){f->node.at[n->first].first, "\\bigr)^{1/2}"});
    }
    f->x += 6;
}

static bool is_full(const fitter *f, double width)
{
    return f->x + width > f->room && f->x > indent + 24;
}

/* Before an operator whose term does not fit here: when it fits into a line of its own, or when
 * not even its first factor does. */
static bool breaks_before(const fitter *f, const node *n)
{
    double term = n->width + stretch(f, n->next, false);
    if (n->kind != OPERATOR || !is_full(f, term))
        return false;
    return term <= f->room - indent || is_full(f, n->width + stretch(f, n->next, true));
}

/* Between factors a times sign begins the line; a comma or the next case does not need one. */
static bool put_boundary(fitter *f, const node *n)
{
    bool space = n->kind == FACTOR && f->text[n->from] == '\\';
    bool row = n->kind == ROW && f->text[n->from] != '&';
    bool full = is_full(f, n->width + stretch(f, n->next, !row));
    if (n->kind != FACTOR && n->kind != ROW)
        return false;
    if (n->kind == ROW)
        ct_put(f->out, row ? ";\\; " : "\\;");
    else if (!space || !full)
        put_range(f, n->from, n->to);
    f->x += n->width;
    if (full)
        new_line(f, space ? "{}\\times " : "");
    return true;
}

static void put_node(fitter *f, frame_list *todo, uint32_t index)
{
    const node *n = &f->node.at[index];
    if (breaks_before(f, n))
        new_line(f, "");
    if (put_boundary(f, n))
        return;
    if (can_open(n) && f->x + n->width > f->room) {
        open_node(f, todo, n);
        return;
    }
    put_range(f, n->from, n->to);
    f->x += n->width;
}

static void write_all(fitter *f)
{
    frame_list todo = {0};
    CT_PUSH(f->arena, todo, (frame){f->node.at[0].first, ""});
    while (todo.count) {
        frame *top = &todo.at[todo.count - 1];
        uint32_t index = top->next;
        if (!index) {
            ct_put(f->out, top->after);
            f->x += *top->after ? 5 : 0;
            todo.count--;
            continue;
        }
        top->next = f->node.at[index].next;
        put_node(f, &todo, index);
    }
}

static void read_formula(fitter *f)
{
    read_all(f);
    measure(f);
}

double ct_latex_width(ct_arena *arena, const char *math)
{
    fitter f = {.arena = arena, .text = math};
    read_formula(&f);
    return f.node.at[0].width;
}

void ct_latex_fit(ct_arena *arena, const char *math, double from, double room, ct_text *out)
{
    fitter f = {.arena = arena, .text = math, .out = out, .x = from, .room = room};
    read_formula(&f);
    write_all(&f);
}
