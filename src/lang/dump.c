/* dump.c - prints a syntax tree, for tests. */
#include "lang/syntax.h"

static const char *relation_text(unsigned op)
{
    static const char *const text[] = {"<", "<=", ">", ">=", "==", "!="};
    return op < sizeof text / sizeof *text ? text[op] : "?";
}

static void dump_node(const ct_syntax *s, ct_node n, size_t indent, ct_text *out)
{
    const ct_syntax_node *node = ct_at(s, n);
    ct_put_repeat(out, ' ', indent);
    ct_put(out, ct_node_kind_text((ct_node_kind)node->kind));
    if (node->kind == CT_NODE_COMPARE || node->kind == CT_NODE_LIMIT)
        ct_putf(out, " %s", relation_text(node->op));
    else if (node->op)
        ct_putf(out, " op=%u", (unsigned)node->op);
    if (node->kind == CT_NODE_STRING) {
        ct_put_char(out, ' ');
        ct_put_json(out, ct_name_text(s->ctx, node->name));
    } else if (node->name) {
        ct_putf(out, " %s", ct_name_text(s->ctx, node->name));
    }
    ct_put_char(out, '\n');
    for (ct_node child = node->first; child; child = ct_at(s, child)->next)
        dump_node(s, child, indent + 2, out);
}

void ct_syntax_dump(const ct_syntax *s, ct_text *out)
{
    if (s->root)
        dump_node(s, s->root, 0, out);
}
