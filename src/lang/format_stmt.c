/* format_stmt.c - statements on one line, and the heads of those with bodies: one row, one function
 * each. */
#include "lang/format.h"

#include <string.h>

static ct_node next_of(const ct_formatter *p, ct_node n)
{
    return ct_at(p->s, n)->next;
}

static ct_node_kind kind_of(const ct_formatter *p, ct_node n)
{
    return (ct_node_kind)ct_at(p->s, n)->kind;
}

static uint32_t end_of(const ct_formatter *p, ct_node n)
{
    return ct_at(p->s, n)->at + ct_at(p->s, n)->length;
}

static void put_title(ct_formatter *p, ct_node n)
{
    if (!n)
        return;
    ct_line_putc(p, ' ');
    ct_format_string(p, n);
}

/* ---- parts -------------------------------------------------------------------------------- */

static void put_limit(ct_formatter *p, ct_node n)
{
    static const char *const relations[] = {" < ", " <= ", " > ", " >= "};
    ct_line_put(p, relations[ct_at(p->s, n)->op]);
    ct_format_sum(p, ct_at(p->s, n)->first);
}

static void put_decl_part(ct_formatter *p, ct_node n)
{
    switch (kind_of(p, n)) {
    case CT_NODE_UNIT:
        ct_line_put(p, " : ");
        ct_line_name(p, ct_at(p->s, n)->name);
        break;
    case CT_NODE_SHAPE:
        ct_format_index(p, ct_at(p->s, n)->first);
        break;
    case CT_NODE_LIMIT:
        put_limit(p, n);
        break;
    case CT_NODE_VALUE:
        ct_line_put(p, " = ");
        ct_format_expr(p, ct_at(p->s, n)->first);
        break;
    case CT_NODE_STRING:
        put_title(p, n);
        break;
    default:
        ct_format_name(p, n);
    }
}

static void put_decl(ct_formatter *p, ct_node n)
{
    for (ct_node part = ct_at(p->s, n)->first; part; part = next_of(p, part))
        put_decl_part(p, part);
}

static void put_key(ct_formatter *p, ct_node n)
{
    ct_node path = ct_at(p->s, n)->first;
    ct_format_path(p, path);
    ct_line_put(p, ct_at(p->s, n)->op ? "(0) = " : " = ");
    ct_format_expr(p, next_of(p, path));
    if (kind_of(p, n) == CT_NODE_KEY && next_of(p, next_of(p, path))) {
        ct_line_put(p, " up to ");
        ct_format_expr(p, next_of(p, next_of(p, path)));
    }
}

static void put_item(ct_formatter *p, ct_node n)
{
    ct_node value = ct_at(p->s, n)->first, name = next_of(p, value);
    ct_format_expr(p, value);
    if (!name)
        return;
    ct_line_put(p, " as ");
    if (kind_of(p, name) == CT_NODE_STRING)
        ct_format_string(p, name);
    else
        ct_format_name(p, name);
}

static void put_edge(ct_formatter *p, ct_node n)
{
    ct_line_name(p, ct_at(p->s, n)->name);
    ct_line_open(p, '(');
    ct_format_list(p, ct_at(p->s, n)->first, ct_format_path);
    ct_line_close(p, ')');
}

static void put_formal(ct_formatter *p, ct_node n)
{
    ct_line_name(p, ct_at(p->s, n)->name);
    if (!ct_at(p->s, n)->first)
        return;
    ct_line_put(p, " : ");
    ct_format_name(p, ct_at(p->s, n)->first);
}

/* The children of one kind from `first` on, with commas; gives what follows them. */
static ct_node put_run(ct_formatter *p, ct_node first, ct_node_kind kind,
                       void (*one)(ct_formatter *p, ct_node n))
{
    ct_node n = first;
    while (n && kind_of(p, n) == kind) {
        one(p, n);
        n = next_of(p, n);
        if (n && kind_of(p, n) == kind)
            ct_line_break(p, ", ", CT_BREAK_COMMA);
    }
    return n;
}

/* ---- bodies ------------------------------------------------------------------------------- */

static const ct_enclosed no_body = {0};

static ct_enclosed braces(ct_formatter *p, ct_node first, uint32_t open, uint32_t end)
{
    ct_line_put(p, " {");
    return (ct_enclosed){first, open + 1, end ? end - 1 : 0, "}"};
}

ct_enclosed ct_format_block_head(ct_formatter *p, ct_node block)
{
    const ct_syntax_node *b = ct_at(p->s, block);
    return braces(p, b->first, b->at, end_of(p, block));
}

static ct_enclosed definition_body(ct_formatter *p, ct_node n)
{
    ct_node block = ct_child(p->s, n, CT_NODE_BLOCK);
    const ct_syntax_node *b = ct_at(p->s, block);
    return (ct_enclosed){b->first, b->at, end_of(p, block), "end"};
}

static bool comment_between(const ct_formatter *p, uint32_t from, uint32_t to)
{
    for (uint32_t i = p->comment; i < p->s->comment_count && p->s->comment[i].at < to; i++)
        if (p->s->comment[i].at > from)
            return true;
    return false;
}

static void put_frame(ct_formatter *p, ct_node n)
{
    ct_node name = ct_at(p->s, n)->first;
    ct_format_name(p, name);
    ct_line_put(p, " = ");
    ct_format_expr(p, next_of(p, name));
}

/* Frames on the same line if they fit and hold neither repeat nor comment. */
static ct_enclosed put_frames(ct_formatter *p, ct_node frames, const char *gap)
{
    const ct_syntax_node *f = ct_at(p->s, frames);
    size_t head = p->line.length;
    bool block =
        ct_child(p->s, frames, CT_NODE_REPEAT) || comment_between(p, f->at, end_of(p, frames));
    if (!block) {
        ct_line_put(p, gap);
        ct_line_put(p, f->first ? "{ " : "{");
        ct_format_list(p, f->first, put_frame);
        ct_line_put(p, " }");
        if (p->line.length + p->indent <= CT_LINE_WIDTH || !f->first)
            return no_body;
        ct_line_cut(p, head);
    }
    return braces(p, f->first, f->at, end_of(p, frames));
}

/* ---- statements --------------------------------------------------------------------------- */

static ct_enclosed put_model(ct_formatter *p, ct_node n)
{
    ct_line_put(p, "model ");
    ct_line_name(p, ct_at(p->s, n)->name);
    put_title(p, ct_at(p->s, n)->first);
    return no_body;
}

static ct_enclosed put_list_statement(ct_formatter *p, ct_node n, const char *word,
                                      void (*one)(ct_formatter *p, ct_node n))
{
    ct_line_put(p, word);
    ct_format_list(p, ct_at(p->s, n)->first, one);
    return no_body;
}

static const char *decl_word(ct_node_kind kind)
{
    switch (kind) {
    case CT_NODE_PARAM:
        return "param ";
    case CT_NODE_CONST:
        return "const ";
    case CT_NODE_INPUT:
        return "input ";
    case CT_NODE_SIGNAL:
        return "signal ";
    case CT_NODE_DISCRETE:
        return "discrete ";
    default:
        return "var ";
    }
}

static ct_enclosed put_decls(ct_formatter *p, ct_node n)
{
    return put_list_statement(p, n, decl_word(kind_of(p, n)), put_decl);
}

static ct_enclosed put_function(ct_formatter *p, ct_node n)
{
    ct_line_put(p, "function ");
    ct_line_name(p, ct_at(p->s, n)->name);
    ct_line_open(p, '(');
    ct_node value = put_run(p, ct_at(p->s, n)->first, CT_NODE_ID, ct_format_name);
    ct_line_close(p, ')');
    ct_line_break(p, " = ", CT_BREAK_OPERATOR);
    ct_format_expr(p, value);
    return no_body;
}

static ct_enclosed put_output(ct_formatter *p, ct_node n)
{
    return put_list_statement(p, n, "output ", put_item);
}

static ct_enclosed put_simulate(ct_formatter *p, ct_node n)
{
    return put_list_statement(p, n, "simulate ", put_key);
}

static ct_enclosed put_guess(ct_formatter *p, ct_node n)
{
    return put_list_statement(p, n, "guess ", put_key);
}

static ct_enclosed put_initial(ct_formatter *p, ct_node n)
{
    if (!ct_at(p->s, n)->op)
        return put_list_statement(p, n, "initial ", put_key);
    ct_line_put(p, "initial equilibrium");
    return no_body;
}

static ct_enclosed put_edges(ct_formatter *p, ct_node n)
{
    return put_list_statement(p, n, "edge ", put_edge);
}

static ct_enclosed put_use(ct_formatter *p, ct_node n)
{
    return put_list_statement(p, n, "use ", ct_format_string);
}

static ct_enclosed put_remark(ct_formatter *p, ct_node n)
{
    return put_list_statement(p, n, "remark ", ct_format_string);
}

static ct_enclosed put_undetermined(ct_formatter *p, ct_node n)
{
    return put_list_statement(p, n, "undetermined ", ct_format_string);
}

static ct_enclosed put_source(ct_formatter *p, ct_node n)
{
    return put_list_statement(p, n, "source ", ct_format_string);
}

static ct_enclosed put_energy(ct_formatter *p, ct_node n)
{
    static const char *const word[] = {"energy ", "coenergy ", "loss "};
    return put_list_statement(p, n, word[ct_at(p->s, n)->op], ct_format_expr);
}

static void put_curve(ct_formatter *p, ct_node n)
{
    ct_node value = ct_at(p->s, n)->first;
    ct_format_expr(p, value);
    if (!next_of(p, value))
        return;
    ct_line_put(p, " over ");
    ct_format_expr(p, next_of(p, value));
}

static ct_enclosed put_plot(ct_formatter *p, ct_node n)
{
    ct_line_put(p, "plot ");
    put_title(p, put_run(p, ct_at(p->s, n)->first, CT_NODE_CURVE, put_curve));
    return no_body;
}

static ct_enclosed put_nodes(ct_formatter *p, ct_node n)
{
    ct_line_put(p, "node ");
    ct_node size = put_run(p, ct_at(p->s, n)->first, CT_NODE_NAME, ct_format_name);
    ct_line_put(p, " : ");
    ct_line_name(p, ct_at(p->s, n)->name);
    if (size)
        ct_format_index(p, ct_at(p->s, size)->first);
    return no_body;
}

static ct_enclosed put_tree(ct_formatter *p, ct_node n)
{
    ct_line_put(p, "tree ");
    for (ct_node part = ct_at(p->s, n)->first; part; part = next_of(p, part)) {
        if (ct_at(p->s, part)->name) {
            ct_line_name(p, ct_at(p->s, part)->name);
            ct_line_put(p, ": ");
        }
        ct_format_list(p, ct_at(p->s, part)->first, ct_format_path);
        if (next_of(p, part))
            ct_line_put(p, "; ");
    }
    return no_body;
}

static ct_enclosed put_ground(ct_formatter *p, ct_node n)
{
    ct_node frames = ct_at(p->s, n)->first;
    ct_line_put(p, "ground");
    if (ct_at(p->s, n)->name) {
        ct_line_putc(p, ' ');
        ct_line_name(p, ct_at(p->s, n)->name);
    }
    return frames ? put_frames(p, frames, " ") : no_body;
}

static ct_enclosed put_repeat(ct_formatter *p, ct_node n)
{
    ct_node from = ct_at(p->s, n)->first, to = next_of(p, from);
    ct_line_put(p, "repeat ");
    ct_line_name(p, ct_at(p->s, n)->name);
    ct_line_put(p, " = ");
    ct_format_expr(p, from);
    ct_line_put(p, "..");
    ct_format_expr(p, to);
    return ct_format_block_head(p, next_of(p, to));
}

static ct_enclosed put_if(ct_formatter *p, ct_node n)
{
    ct_node condition = ct_at(p->s, n)->first;
    ct_line_put(p, "if ");
    ct_format_expr(p, condition);
    return ct_format_block_head(p, next_of(p, condition));
}

/* Where the `{` of an event stands: behind the condition, its brackets and comments. */
static uint32_t find_brace(const ct_formatter *p, uint32_t at)
{
    const char *text = p->source->text;
    while (at < p->source->length && text[at] != '{')
        at += text[at] == '#' ? (uint32_t)strcspn(text + at, "\n") : 1;
    return at;
}

static ct_enclosed put_event(ct_formatter *p, ct_node n)
{
    ct_node condition = ct_at(p->s, n)->first;
    ct_line_put(p, kind_of(p, n) == CT_NODE_WHEN ? "when " : "every ");
    ct_format_expr(p, condition);
    if (next_of(p, condition) && kind_of(p, next_of(p, condition)) != CT_NODE_ASSIGN) {
        condition = next_of(p, condition);
        ct_line_put(p, " offset ");
        ct_format_expr(p, condition);
    }
    return braces(p, next_of(p, condition), find_brace(p, end_of(p, condition)), end_of(p, n));
}

/* The equations of a field stand behind its range. */
static ct_enclosed put_equations(ct_formatter *p, ct_node n, ct_node last)
{
    return braces(p, next_of(p, last), find_brace(p, end_of(p, last)), end_of(p, n));
}

static ct_enclosed put_field(ct_formatter *p, ct_node n)
{
    ct_line_put(p, "field ");
    ct_node from = put_run(p, ct_at(p->s, n)->first, CT_NODE_ID, ct_format_name);
    ct_line_put(p, " over ");
    ct_line_name(p, ct_at(p->s, n)->name);
    ct_line_put(p, " = ");
    ct_format_expr(p, from);
    ct_line_put(p, "..");
    ct_format_expr(p, next_of(p, from));
    return put_equations(p, n, next_of(p, from));
}

static ct_enclosed put_at(ct_formatter *p, ct_node n)
{
    ct_line_put(p, "at ");
    ct_line_name(p, ct_at(p->s, n)->name);
    ct_line_put(p, " = ");
    ct_format_expr(p, ct_at(p->s, n)->first);
    return put_equations(p, n, ct_at(p->s, n)->first);
}

static ct_enclosed put_system(ct_formatter *p, ct_node n)
{
    ct_line_put(p, "system ");
    ct_line_name(p, ct_at(p->s, n)->name);
    ct_line_open(p, '(');
    put_run(p, ct_at(p->s, n)->first, CT_NODE_FORMAL, put_formal);
    ct_line_close(p, ')');
    put_title(p, ct_child(p->s, n, CT_NODE_STRING));
    return definition_body(p, n);
}

static ct_enclosed put_element(ct_formatter *p, ct_node n)
{
    ct_line_put(p, "element ");
    ct_line_name(p, ct_at(p->s, n)->name);
    put_title(p, ct_child(p->s, n, CT_NODE_STRING));
    return definition_body(p, n);
}

static ct_enclosed put_setting(ct_formatter *p, ct_node n)
{
    ct_line_name(p, ct_at(p->s, n)->name);
    ct_line_put(p, " = ");
    ct_format_expr(p, ct_at(p->s, n)->first);
    return no_body;
}

static ct_node put_terminals(ct_formatter *p, ct_node first)
{
    ct_node n = first;
    if (!n || kind_of(p, n) != CT_NODE_PORTS)
        return n;
    ct_line_open(p, '(');
    for (; n && kind_of(p, n) == CT_NODE_PORTS; n = next_of(p, n)) {
        if (n != first)
            ct_line_break(p, " | ", CT_BREAK_ROW);
        ct_format_list(p, ct_at(p->s, n)->first, ct_format_expr);
    }
    ct_line_close(p, ')');
    return n;
}

static ct_enclosed put_component(ct_formatter *p, ct_node n)
{
    ct_node name = ct_at(p->s, n)->first, type = next_of(p, name);
    ct_format_name(p, name);
    ct_line_put(p, " : ");
    ct_format_name(p, type);
    ct_node rest = put_terminals(p, next_of(p, type));
    if (rest && kind_of(p, rest) == CT_NODE_KEY) {
        ct_line_put(p, "  ");
        rest = put_run(p, rest, CT_NODE_KEY, put_key);
    }
    return rest ? put_frames(p, rest, "  ") : no_body;
}

static ct_enclosed put_port(ct_formatter *p, ct_node n)
{
    ct_line_put(p, "port ");
    ct_node terminals = put_run(p, ct_at(p->s, n)->first, CT_NODE_ID, ct_format_name);
    ct_line_put(p, " : ");
    ct_line_name(p, ct_at(p->s, n)->name);
    if (terminals) {
        ct_line_open(p, '(');
        ct_format_list(p, ct_at(p->s, terminals)->first, ct_format_name);
        ct_line_close(p, ')');
    }
    return no_body;
}

static ct_enclosed put_choice(ct_formatter *p, ct_node n)
{
    ct_line_put(p, "choice ");
    ct_line_name(p, ct_at(p->s, n)->name);
    ct_line_put(p, " = ");
    for (ct_node word = ct_at(p->s, n)->first; word; word = next_of(p, word)) {
        ct_format_name(p, word);
        if (next_of(p, word))
            ct_line_break(p, " | ", CT_BREAK_COMMA);
    }
    return no_body;
}

static ct_enclosed put_equation(ct_formatter *p, ct_node n)
{
    ct_node left = ct_at(p->s, n)->first;
    ct_format_left_side(p, left);
    ct_line_break(p, " = ", CT_BREAK_OPERATOR);
    ct_format_expr(p, next_of(p, left));
    return no_body;
}

static ct_enclosed put_pair(ct_formatter *p, ct_node n)
{
    return put_list_statement(p, n, "pair ", ct_format_expr);
}

static ct_enclosed put_slip(ct_formatter *p, ct_node n)
{
    return put_list_statement(p, n, "slip ", ct_format_expr);
}

static ct_enclosed put_assignment(ct_formatter *p, ct_node n)
{
    put_key(p, n);
    return no_body;
}

static ct_enclosed put_frame_entry(ct_formatter *p, ct_node n)
{
    put_frame(p, n);
    return no_body;
}

/* ---- the table ---------------------------------------------------------------------------- */

static ct_enclosed (*const heads[])(ct_formatter *p, ct_node n) = {
    [CT_NODE_MODEL] = put_model,
    [CT_NODE_PARAM] = put_decls,
    [CT_NODE_CONST] = put_decls,
    [CT_NODE_INPUT] = put_decls,
    [CT_NODE_SIGNAL] = put_decls,
    [CT_NODE_DISCRETE] = put_decls,
    [CT_NODE_VAR] = put_decls,
    [CT_NODE_FUNCTION] = put_function,
    [CT_NODE_OUTPUT] = put_output,
    [CT_NODE_USE] = put_use,
    [CT_NODE_PLOT] = put_plot,
    [CT_NODE_SIMULATE] = put_simulate,
    [CT_NODE_GUESS] = put_guess,
    [CT_NODE_INITIAL] = put_initial,
    [CT_NODE_NODES] = put_nodes,
    [CT_NODE_TREE] = put_tree,
    [CT_NODE_GROUND] = put_ground,
    [CT_NODE_REPEAT] = put_repeat,
    [CT_NODE_IF_STMT] = put_if,
    [CT_NODE_WHEN] = put_event,
    [CT_NODE_EVERY] = put_event,
    [CT_NODE_SYSTEM] = put_system,
    [CT_NODE_ELEMENT] = put_element,
    [CT_NODE_SETTING] = put_setting,
    [CT_NODE_COMPONENT] = put_component,
    [CT_NODE_PORT] = put_port,
    [CT_NODE_EDGES] = put_edges,
    [CT_NODE_CHOICE] = put_choice,
    [CT_NODE_UNDETERMINED] = put_undetermined,
    [CT_NODE_SOURCE] = put_source,
    [CT_NODE_REMARK] = put_remark,
    [CT_NODE_ENERGY] = put_energy,
    [CT_NODE_EQUATION] = put_equation,
    [CT_NODE_PAIR] = put_pair,
    [CT_NODE_SLIP] = put_slip,
    [CT_NODE_CONTINUUM] = put_field,
    [CT_NODE_AT] = put_at,
    [CT_NODE_ASSIGN] = put_assignment,
    [CT_NODE_FRAME] = put_frame_entry,
};

ct_enclosed ct_format_head(ct_formatter *p, ct_node n)
{
    return heads[kind_of(p, n)](p, n);
}
