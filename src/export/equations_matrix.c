/* equations_matrix.c - equations between vectors, with named matrices.
 *
 * Variables `x[1]`, `x[2]`, .. are the entries of a vector x, as their records tell. Equations that
 * follow each other and have the entries of one vector in turn become one equation between vectors:
 * the coefficients of each vector are a matrix, and what is not linear is a vector of its own.
 * Nothing is lost: multiplied out, it is the equations it was made from.
 *
 * Of a tableau the equations are counted as in [Alipourazadi, table 4-4]: without sources, without
 * rates of positions, and without ends at rest, whose edges close no loop with others.
 */
#include <stdlib.h>
#include <string.h>

#include "export/equations_make.h"
#include "export/parts.h"

/* ---- vectors */

/* A variable as entry of a vector; size 1: a variable that is none. */
typedef struct entry_of {
    uint32_t vector; /* index in the table */
    uint32_t index;  /* from 0 */
} entry_of;

typedef struct vector_row {
    ct_name base; /* the vector, or the variable itself */
    uint32_t rate, size;
    bool used;
} vector_row;

typedef struct stretch { /* a place in the coefficients of one block */
    uint32_t vector, row, col;
    ct_expr value;
    bool right;
} stretch;

typedef struct matrix_maker {
    maker *m;
    CT_VEC(vector_row) vector;
    CT_VEC(ct_named_matrix) matrix;
    ct_map by_base; /* base and rate -> index plus 1 */
    ct_map sizes;   /* vector -> largest index */
    uint32_t matrices, vectors;
    const char *matrix_stem, *vector_stem;
} matrix_maker;

static void note_size(matrix_maker *k, ct_name name)
{
    ct_symbol s = ct_symbol_of(k->m->model->symbols, name);
    if (s.vector && ct_map_get(&k->sizes, s.vector) < s.index)
        ct_map_put(&k->sizes, s.vector, s.index);
}

static void note_sizes(matrix_maker *k)
{
    const ct_system *s = k->m->system;
    for (uint32_t u = 1; u < s->unknown_count; u++)
        note_size(k, s->unknown[u].name);
    for (uint32_t i = 0; i < k->m->list->input_count; i++)
        note_size(k, k->m->list->input[i]);
}

static entry_of entry_named(matrix_maker *k, ct_name name)
{
    vector_row v = {.size = 1};
    uint32_t index = 1;
    v.base = ct_base_symbol(k->m->model->symbols, name, &v.rate);
    ct_symbol s = ct_symbol_of(k->m->model->symbols, v.base);
    uint32_t size = s.vector ? ct_map_get(&k->sizes, s.vector) : 0;
    if (size > 1)
        v.base = s.vector, v.size = size, index = s.index;
    uint64_t key = (uint64_t)v.base << 8 | v.rate;
    uint32_t at = ct_map_get(&k->by_base, key);
    if (!at) {
        CT_PUSH(k->m->arena, k->vector, v);
        ct_map_put(&k->by_base, key, at = k->vector.count);
    }
    return (entry_of){at - 1, index - 1};
}

/* ---- terms of one equation */

static ct_expr term_value(const maker *m, const ct_side_term *t)
{
    return t->core ? ct_expr_mul(m->pool, t->factor, t->core) : t->factor;
}

typedef struct block {
    const ct_equation *row;
    uint32_t rows;
    CT_VEC(stretch) at; /* coefficients in order of rows */
    ct_expr *rest[2];   /* of the left and right sides, for each row */
} block;

static void read_side(matrix_maker *k, block *b, uint32_t row, bool right)
{
    maker *m = k->m;
    const ct_side *side = right ? &b->row[row].right : &b->row[row].left;
    for (uint32_t i = 0; i < side->count; i++) {
        ct_name variable;
        ct_expr value = term_value(m, &side->term[i]), coefficient;
        if (!ct_term_coefficient(m, value, &variable, &coefficient)) {
            b->rest[right][row] = ct_expr_add(m->pool, b->rest[right][row], value);
            continue;
        }
        entry_of e = entry_named(k, variable);
        CT_PUSH(m->arena, b->at, ((stretch){e.vector, row, e.index, coefficient, right}));
    }
}

static void read_block(matrix_maker *k, block *b)
{
    ct_expr zero = ct_expr_int(k->m->pool, 0);
    for (int right = 0; right < 2; right++) {
        b->rest[right] = CT_NEW_ARRAY(k->m->arena, ct_expr, b->rows);
        for (uint32_t i = 0; i < b->rows; i++)
            b->rest[right][i] = zero;
    }
    for (uint32_t i = 0; i < b->rows; i++) {
        read_side(k, b, i, false);
        read_side(k, b, i, true);
    }
}

/* ---- matrices */

static int by_place(const void *a, const void *b)
{
    const ct_named_entry *x = a, *y = b;
    return x->row != y->row ? (x->row < y->row ? -1 : 1) : (x->col > y->col) - (x->col < y->col);
}

typedef CT_VEC(ct_named_entry) entry_list;

static void sort_entries(ct_named_entry *entry, uint32_t count)
{
    if (count)
        qsort(entry, count, sizeof *entry, by_place);
}

/* Equal but for a sign, or as the transpose of it. */
static bool is_like(const maker *m, const ct_named_matrix *a, const entry_list *e, uint32_t rows,
                    uint32_t cols, bool transposed, int sign)
{
    if (a->count != e->count || (transposed ? a->cols : a->rows) != rows ||
        (transposed ? a->rows : a->cols) != cols)
        return false;
    for (uint32_t i = 0; i < e->count; i++) {
        const ct_named_entry *x = transposed ? &a->transposed[i] : &a->entry[i];
        ct_expr value = sign < 0 ? ct_expr_neg(m->pool, x->value) : x->value;
        if (x->row != e->at[i].row || x->col != e->at[i].col || value != e->at[i].value)
            return false;
    }
    return true;
}

static const ct_named_entry *turned(const maker *m, const entry_list *e)
{
    ct_named_entry *t = CT_NEW_ARRAY(m->arena, ct_named_entry, e->count + 1);
    for (uint32_t i = 0; i < e->count; i++)
        t[i] = (ct_named_entry){e->at[i].col, e->at[i].row, e->at[i].value};
    sort_entries(t, e->count);
    return t;
}

/* The matrix that this one is, or is the transpose of, but for a sign; 0: none. */
static uint32_t find_like(const matrix_maker *k, const entry_list *e, uint32_t rows, uint32_t cols,
                          bool transposed, int *sign)
{
    for (uint32_t i = 0; i < k->matrix.count; i++)
        for (*sign = 1; *sign >= -1; *sign -= 2)
            if (is_like(k->m, &k->matrix.at[i], e, rows, cols, transposed, *sign))
                return i + 1;
    return 0;
}

static ct_name next_name(matrix_maker *k, bool rest)
{
    ct_context *ctx = k->m->model->ctx;
    return ct_intern_text(ctx, rest ? ct_printf(ctx, "%s%u", k->vector_stem, ++k->vectors)
                                    : ct_printf(ctx, "%s%u", k->matrix_stem, ++k->matrices));
}

/* The symbol of a matrix with its sign; the matrix is made when there is none like it yet. */
static ct_expr name_matrix(matrix_maker *k, const entry_list *e, uint32_t rows, uint32_t cols,
                           bool rest)
{
    maker *m = k->m;
    int sign;
    uint32_t like = find_like(k, e, rows, cols, false, &sign);
    if (like) {
        ct_expr symbol = ct_expr_symbol(m->pool, k->matrix.at[like - 1].name);
        return sign < 0 ? ct_expr_neg(m->pool, symbol) : symbol;
    }
    like = rest ? 0 : find_like(k, e, rows, cols, true, &sign);
    ct_named_matrix a = {.name = next_name(k, rest),
                         .rows = rows,
                         .cols = cols,
                         .entry = e->at,
                         .transposed = turned(m, e),
                         .count = e->count,
                         .like = like,
                         .minus = like && sign < 0};
    CT_PUSH(m->arena, k->matrix, a);
    return ct_expr_symbol(m->pool, a.name);
}

/* The same number on the whole diagonal; 0: not so. */
static ct_expr multiple_of_unit(const entry_list *e, uint32_t rows, uint32_t cols)
{
    if (rows != cols || e->count != rows)
        return 0;
    for (uint32_t i = 0; i < rows; i++)
        if (e->at[i].row != i || e->at[i].col != i || e->at[i].value != e->at[0].value)
            return 0;
    return e->at[0].value;
}

/* ---- a block as one equation */

static ct_expr core_of(const maker *m, ct_name name, uint32_t rate)
{
    ct_expr e = ct_expr_symbol(m->pool, name);
    for (; rate > 0; rate--)
        e = ct_expr_call1(m->pool, CT_OP_DER, e);
    return e;
}

/* A vector stands on the right as soon as one of its terms does. */
static bool is_right(const block *b, uint32_t vector)
{
    for (uint32_t i = 0; i < b->at.count; i++)
        if (b->at.at[i].vector == vector && b->at.at[i].right)
            return true;
    return false;
}

/* Coefficients of one vector in a block, those at the same place added, with the sign of its side.
 */
static entry_list gather(const maker *m, const block *b, uint32_t vector, bool right)
{
    entry_list sum = {0}, all = {0};
    for (uint32_t i = 0; i < b->at.count; i++) {
        const stretch *s = &b->at.at[i];
        ct_expr value = s->right == right ? s->value : ct_expr_neg(m->pool, s->value);
        if (s->vector == vector)
            CT_PUSH(m->arena, all, ((ct_named_entry){s->row, s->col, value}));
    }
    sort_entries(all.at, all.count);
    for (uint32_t i = 0; i < all.count; i++) {
        ct_named_entry *last = sum.count ? &sum.at[sum.count - 1] : NULL;
        if (last && last->row == all.at[i].row && last->col == all.at[i].col)
            last->value = ct_expr_add(m->pool, last->value, all.at[i].value);
        else
            CT_PUSH(m->arena, sum, all.at[i]);
    }
    return sum;
}

static bool has_one_column(const entry_list *e)
{
    for (uint32_t i = 1; i < e->count; i++)
        if (e->at[i].col != e->at[0].col)
            return false;
    return true;
}

static void add_vector(matrix_maker *k, const block *b, uint32_t vector, bool right, side_list *out)
{
    maker *m = k->m;
    vector_row *v = &k->vector.at[vector];
    entry_list e = gather(m, b, vector, right);
    ct_name name = v->base;
    uint32_t cols = v->size;
    if (v->size > 1 && has_one_column(&e) && e.count) { /* one entry of it */
        name = ct_entry_symbol(m->model->symbols, v->base, e.at[0].col + 1);
        cols = 1;
        for (uint32_t i = 0; i < e.count; i++)
            e.at[i].col = 0;
    }
    ct_expr factor = multiple_of_unit(&e, b->rows, cols);
    if (!factor)
        factor = name_matrix(k, &e, b->rows, cols, false);
    v->used |= cols > 1;
    CT_PUSH(m->arena, *out, ((ct_side_term){factor, core_of(m, name, v->rate)}));
}

static void add_rest(matrix_maker *k, const block *b, bool right, side_list *out)
{
    maker *m = k->m;
    entry_list e = {0};
    for (uint32_t i = 0; i < b->rows; i++)
        if (!ct_expr_is_zero(m->pool, b->rest[right][i]))
            CT_PUSH(m->arena, e, ((ct_named_entry){i, 0, b->rest[right][i]}));
    if (!e.count)
        return;
    if (b->rows == 1)
        ct_side_split(m, out, e.at[0].value);
    else
        CT_PUSH(m->arena, *out, ((ct_side_term){name_matrix(k, &e, b->rows, 1, true), 0}));
}

static void join_origins(maker *m, const block *b, ct_equation *out)
{
    origin_list all = {0};
    for (uint32_t r = 0; r < b->rows; r++)
        for (uint32_t i = 0; i < b->row[r].origin_count; i++) {
            ct_origin o = b->row[r].origin[i];
            bool met = false;
            for (uint32_t k = 0; k < all.count && !met; k++)
                met = all.at[k].kind == o.kind &&
                      strcmp(ct_origin_name(m->list, all.at[k]), ct_origin_name(m->list, o)) == 0;
            if (!met)
                CT_PUSH(m->arena, all, o);
        }
    out->origin = all.at, out->origin_count = all.count;
}

static ct_equation equation_of(matrix_maker *k, block *b)
{
    side_list side[2] = {{0}, {0}};
    ct_equation out = {.note = b->row[0].note};
    read_block(k, b);
    for (uint32_t i = 0; i < b->at.count; i++) {
        bool met = false;
        for (uint32_t j = 0; j < i && !met; j++)
            met = b->at.at[j].vector == b->at.at[i].vector;
        bool right = is_right(b, b->at.at[i].vector);
        if (!met)
            add_vector(k, b, b->at.at[i].vector, right, &side[right]);
    }
    add_rest(k, b, false, &side[0]);
    add_rest(k, b, true, &side[1]);
    out.left = (ct_side){side[0].at, side[0].count};
    out.right = (ct_side){side[1].at, side[1].count};
    join_origins(k->m, b, &out);
    return out;
}

/* ---- blocks */

/* The entry of a vector that a term on the left side has; false: none. */
static bool entry_in(matrix_maker *k, const ct_equation *e, uint32_t term, entry_of *at)
{
    ct_name variable;
    ct_expr coefficient;
    if (!ct_term_coefficient(k->m, term_value(k->m, &e->left.term[term]), &variable, &coefficient))
        return false;
    *at = entry_named(k, variable);
    return true;
}

/* The equation has this entry of the vector, on its left side. */
static bool has_entry(matrix_maker *k, const ct_equation *e, uint32_t vector, uint32_t index)
{
    for (uint32_t i = 0; i < e->left.count; i++) {
        entry_of at;
        if (entry_in(k, e, i, &at) && at.vector == vector && at.index == index)
            return true;
    }
    return false;
}

/* How many equations from here on have the entries of a vector in turn, all of them. */
static uint32_t block_from(matrix_maker *k, const ct_equation *e, uint32_t left)
{
    for (uint32_t i = 0; i < e->left.count; i++) {
        entry_of at;
        if (!entry_in(k, e, i, &at))
            continue;
        uint32_t size = k->vector.at[at.vector].size, n = 1;
        if (at.index != 0 || size < 2 || size > left)
            continue;
        while (n < size && has_entry(k, &e[n], at.vector, n))
            n++;
        if (n == size)
            return size;
    }
    return 1;
}

static void make_group(matrix_maker *k, ct_equation_group *g)
{
    CT_VEC(ct_equation) all = {0};
    for (uint32_t i = 0; i < g->count;) {
        block b = {.row = &g->equation[i], .rows = block_from(k, &g->equation[i], g->count - i)};
        ct_equation e = equation_of(k, &b);
        CT_PUSH(k->m->arena, all, e);
        i += b.rows;
    }
    g->equation = all.at, g->count = g->total = all.count;
}

/* ---- what is not counted */

/* All edges are one edge, and that a driver: transformers have two. */
static bool is_driver(const maker *m, uint32_t component)
{
    const ct_graph *g = m->system->graph;
    const ct_element *e = m->model->element[m->model->component[component].element];
    uint32_t first = m->first_edge[component];
    for (uint32_t i = 0; i < e->edge_count; i++) {
        uint8_t class = g->edge[first + i].class;
        if (e->edge[i].whole != e->edge[0].whole ||
            (class != CT_ACROSS_DRIVER && class != CT_THROUGH_DRIVER))
            return false;
    }
    return e->edge_count > 0;
}

static bool is_rest(const maker *m, uint32_t edge)
{
    const ct_graph_edge *e = &m->system->graph->edge[edge];
    return e->tail == e->head;
}

static bool is_symbol(const maker *m, const ct_side *side, ct_name *name)
{
    if (side->count != 1)
        return false;
    ct_expr e = term_value(m, &side->term[0]);
    if (ct_expr_kind_of(m->pool, e) != CT_EXPR_SYMBOL)
        return false;
    *name = ct_expr_name(m->pool, e);
    return true;
}

typedef enum counted { COUNTED, SOURCE, RATE, AT_REST, COUNTED_KINDS } counted;

static counted kind_of(const maker *m, const ct_equation *e)
{
    uint32_t rate, edge;
    ct_name left, right;
    ct_origin from = e->origin_count ? e->origin[0] : (ct_origin){CT_FROM_MOTION, 0};
    if (from.kind == CT_FROM_CIRCUIT)
        return is_rest(m, from.index) ? AT_REST : COUNTED;
    if (from.kind != CT_FROM_TERMINAL)
        return from.kind == CT_FROM_POSITION ? RATE : COUNTED;
    if (is_driver(m, from.index))
        return SOURCE;
    if (!is_symbol(m, &e->left, &left))
        return COUNTED;
    edge = ct_map_get(&m->edge_of, left);
    if (edge && edge % 2 == 0 && is_rest(m, edge / 2 - 1))
        return AT_REST;
    ct_base_symbol(m->model->symbols, left, &rate);
    return rate && is_symbol(m, &e->right, &right) ? RATE : COUNTED;
}

/* Takes equations that are not counted out of the group, to the end of those before them. */
typedef CT_VEC(ct_equation) equation_list;

static void sort_out(maker *m, ct_equation_group *g, equation_list *other)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        counted kind = kind_of(m, &g->equation[i]);
        if (kind == COUNTED)
            g->equation[kept++] = g->equation[i];
        else
            CT_PUSH(m->arena, other[kind], g->equation[i]);
    }
    g->count = g->total = kept;
}

static void regroup(maker *m)
{
    static const char *const title[COUNTED_KINDS] = {"", "Sources", "Kinematics", "Ends at rest"};
    equation_list other[COUNTED_KINDS] = {{0}};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->group.count; i++)
        if (m->group.at[i].kind == CT_GROUP_EQUATION)
            sort_out(m, &m->group.at[i], other);
    for (uint32_t i = 0; i < m->group.count; i++)
        if (m->group.at[i].count || m->group.at[i].kind != CT_GROUP_EQUATION)
            m->group.at[kept++] = m->group.at[i];
    m->group.count = kept;
    for (uint32_t kind = SOURCE; kind < COUNTED_KINDS; kind++)
        if (other[kind].count)
            CT_PUSH(m->arena, m->group,
                    ((ct_equation_group){.kind = CT_GROUP_EQUATION,
                                         .title = title[kind],
                                         .equation = other[kind].at,
                                         .count = other[kind].count,
                                         .total = other[kind].count,
                                         .uncounted = true}));
}

/* ---- all of it */

static void keep_vectors(matrix_maker *k)
{
    maker *m = k->m;
    CT_VEC(ct_named_vector) all = {0};
    for (uint32_t i = 0; i < k->vector.count; i++) {
        const vector_row *v = &k->vector.at[i];
        bool met = !v->used;
        for (uint32_t j = 0; j < all.count && !met; j++)
            met = all.at[j].name == v->base;
        if (!met)
            CT_PUSH(m->arena, all, ((ct_named_vector){v->base, v->size}));
    }
    m->list->vector = all.at, m->list->vector_count = all.count;
    m->list->matrix = k->matrix.at, m->list->matrix_count = k->matrix.count;
}

void ct_make_matrices(maker *m)
{
    matrix_maker k = {.m = m};
    ct_map_init(&k.by_base, m->arena);
    ct_map_init(&k.sizes, m->arena);
    k.matrix_stem = ct_free_stem(m->model, "A"), k.vector_stem = ct_free_stem(m->model, "f");
    note_sizes(&k);
    if (m->def.form == CT_EQUATIONS_TABLEAU)
        regroup(m);
    for (uint32_t i = 0; i < m->group.count; i++)
        make_group(&k, &m->group.at[i]);
    keep_vectors(&k);
}
