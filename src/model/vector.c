/* vector.c - vector nodes, and elements on them.
 *
 * A vector node is n nodes that stand one after the other, and an element on it has n edges for
 * each one of its text: graph, tree and equations meet scalars only. The text is read in one of two
 * ways. When all keys are numbers or vectors, the entries do not meet: each equation is read once
 * for each entry (`spread`). When a key is a matrix, an edge's variable is a vector, and the
 * equations are read once, as equations of matrices.
 */
#include "model/element.h"

enum { WIDEST = UINT8_MAX };

uint32_t ct_width_of(uint64_t widths, uint32_t group)
{
    uint32_t width = (uint32_t)(widths >> (8 * (group % 8)) & 255);
    return width ? width : 1;
}

ct_name ct_entry_name(builder *b, ct_name name, uint32_t width, uint32_t part)
{
    return ct_cell_name(b, name, width, 1, part);
}

/* ---- nodes */

static void add_vector_node(builder *b, const where *w, ct_node c, uint32_t domain, uint32_t width)
{
    ct_name name = ct_at(w->s, c)->kind == CT_NODE_NAME ? ct_expand_name(b, w, c) : 0;
    ct_place place = ct_place_of(w->s, c);
    if (!name)
        return;
    uint32_t known = ct_find_node(b, w->scope, name);
    if (known != NO_NODE) {
        ct_error(b->ctx, "E201", place, "node `%s` is declared twice", ct_name_text(b->ctx, name));
        return;
    }
    uint32_t first = ct_new_node(b, w->scope, name, domain, true, place);
    ct_name whole = b->node.at[first].name;
    for (uint32_t i = 1; i < width; i++)
        CT_PUSH(b->arena, b->node, b->node.at[first]);
    for (uint32_t i = 0; i < width; i++) {
        ct_model_node *n = &b->node.at[first + i];
        n->whole = whole, n->width = (uint8_t)width, n->part = (uint8_t)i;
        n->name = ct_entry_symbol(b->model->symbols, whole, i + 1);
    }
    b->wide = true;
}

static void declare_vector_nodes(builder *b, const where *w, ct_node n)
{
    ct_node size = ct_child(w->s, n, CT_NODE_SIZE);
    uint32_t domain;
    int64_t width;
    if (!size || !ct_find_domain(b, ct_at(w->s, n)->name, ct_place_of(w->s, n), "", &domain) ||
        !ct_lower_int(b, w, ct_at(w->s, size)->first, &width, "the size of a vector node"))
        return;
    if (width < 1 || width > WIDEST) {
        ct_error(b->ctx, "E240", ct_place_of(w->s, size), "a size must lie between 1 and %d",
                 WIDEST);
        return;
    }
    for (ct_node c = ct_at(w->s, n)->first; c; c = ct_at(w->s, c)->next)
        add_vector_node(b, w, c, domain, (uint32_t)width);
}

const pass ct_vector_pass = {declare_vector_nodes, KIND_BIT(NODES), false};

/* ---- how wide the ports of a component are */

static uint32_t width_of_terminal(builder *b, const where *w, ct_node terminal)
{
    ct_name name;
    ct_node rest;
    if (ct_at(w->s, terminal)->kind != CT_NODE_REF || !ct_ref_name(b, w, terminal, &name, &rest) ||
        rest)
        return 0;
    uint32_t node = ct_find_node(b, w->scope, name);
    return node < GROUND_NODE ? b->node.at[node].width : 0;
}

static uint32_t width_of_port(builder *b, const where *w, ct_node ports)
{
    uint32_t width = 0;
    for (ct_node t = ct_at(w->s, ports)->first; t && !width; t = ct_at(w->s, t)->next)
        width = width_of_terminal(b, w, t);
    return width;
}

uint64_t ct_port_widths(builder *b, const where *w, ct_node component)
{
    uint64_t widths = 0;
    uint32_t group = 0;
    for (ct_node p = b->wide ? ct_at(w->s, component)->first : 0; p; p = ct_at(w->s, p)->next) {
        if (ct_at(w->s, p)->kind != CT_NODE_PORTS || group >= 8)
            continue;
        widths |= (uint64_t)width_of_port(b, w, p) << (8 * group++);
    }
    return widths;
}

/* ---- shapes of keys: they decide how the text is read */

static shaped shape_of_key(builder *b, const where *w, ct_node expr)
{
    if (ct_at(w->s, expr)->kind != CT_NODE_MATRIX)
        return ct_lower(b, w, expr);
    shaped v = {0};
    ct_node first = ct_child(w->s, expr, CT_NODE_ROW); /* entries may read what is not made yet */
    for (ct_node row = first; row; row = ct_at(w->s, row)->next)
        v.rows += ct_at(w->s, row)->kind == CT_NODE_ROW;
    for (ct_node c = first ? ct_at(w->s, first)->first : 0; c; c = ct_at(w->s, c)->next)
        v.cols++;
    if (!ct_at(w->s, expr)->op && v.rows == 1)
        v.rows = v.cols, v.cols = 1;
    return v;
}

/* A ratio [a, b] between one entry and several is a row. */
static void turn_row(uint64_t widths, key_shape *k)
{
    uint32_t other = ct_width_of(widths, 1);
    if (ct_width_of(widths, 0) == 1 && other > 1 && k->cols == 1 && k->rows == other)
        k->cols = k->rows, k->rows = 1;
}

uint32_t ct_key_shapes(builder *b, const where *w, ct_node component, uint64_t widths,
                       const key_shape **shapes)
{
    CT_VEC(key_shape) list = {0};
    for (ct_node key = ct_at(w->s, component)->first; key; key = ct_at(w->s, key)->next) {
        ct_name name;
        ct_node path = ct_at(w->s, key)->first;
        if (ct_at(w->s, key)->kind != CT_NODE_KEY || ct_at(w->s, key)->op ||
            !ct_plain_name(w->s, ct_at(w->s, path)->first, &name))
            continue;
        shaped v = shape_of_key(b, w, ct_at(w->s, path)->next);
        if (v.word || v.rows * v.cols <= 1)
            continue;
        key_shape k = {name, v.rows, v.cols, ct_place_of(w->s, ct_at(w->s, path)->next)};
        turn_row(widths, &k);
        CT_PUSH(b->scratch, list, k);
    }
    *shapes = list.at;
    return list.count;
}

const key_shape *ct_key_shape(const element_scope *es, ct_name name)
{
    for (uint32_t i = 0; i < es->shape_count; i++)
        if (es->shape[i].name == name)
            return &es->shape[i];
    return NULL;
}

/* One, or the entries of some port. */
static bool fits_a_port(const element_scope *es, uint32_t size)
{
    bool fits = size == 1;
    for (uint32_t g = 0; g < es->groups && g < 8; g++)
        fits |= size == ct_width_of(es->widths, g);
    return fits;
}

bool ct_shape_fits(builder *b, const element_scope *es, const key_shape *k)
{
    if (fits_a_port(es, k->rows) && fits_a_port(es, k->cols))
        return true;
    const char *name = ct_name_text(b->ctx, k->name);
    uint32_t width = ct_width_of(es->widths, 0);
    ct_report *r = ct_error(b->ctx, "E421", k->place, "`%s` is %ux%u, but the nodes have %u entr%s",
                            name, k->rows, k->cols, width, width == 1 ? "y" : "ies");
    ct_help(r, "give a number, a vector with one entry for each, or a matrix of %ux%u", width,
            width);
    ct_witness(r, name);
    return false;
}

/* Do the entries stay apart? Then `entries` of them, else 0. */
uint32_t ct_spread_of(const element_scope *es)
{
    uint32_t width = ct_width_of(es->widths, 0);
    for (uint32_t g = 1; g < es->groups && g < 8; g++)
        if (ct_width_of(es->widths, g) != width)
            return 0;
    for (uint32_t i = 0; i < es->shape_count; i++)
        if (es->shape[i].cols > 1)
            return 0;
    return width > 1 ? width : 0;
}

/* What one entry sees of a value that has one cell for each. */
shaped ct_entry_value(builder *b, const element_scope *es, shaped v)
{
    if (!es->entry || v.rows != es->spread || v.cols != 1)
        return v;
    return ct_scalar(b, v.cell[es->entry - 1].expr, v.cell[es->entry - 1].dim);
}

/* ---- scalars beside vectors */

/* In a sum of vectors a number stands for each entry: `k*(e.x - l0)` with l0 = 0. */
void ct_fill_sum(builder *b, shaped *v, uint32_t count)
{
    uint32_t rows = 1;
    for (uint32_t i = 0; i < count; i++)
        rows = v[i].cols == 1 && v[i].rows > rows ? v[i].rows : rows;
    for (uint32_t i = 0; i < count; i++) {
        if (v[i].rows != 1 || v[i].cols != 1)
            continue;
        cell *c, scalar = v[i].cell[0];
        v[i] = ct_matrix_of(b, rows, 1, &c);
        for (uint32_t k = 0; k < rows; k++)
            c[k] = scalar;
    }
}
