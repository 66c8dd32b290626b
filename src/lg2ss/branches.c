/* branches.c - checks the two matrices, pairs two-ports and finds the reference nodes. */
#include "lg2ss/branches.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/sets.h"

/* The columns of a matrix, as messages call them. */
typedef struct layout {
    const char *matrix, *shape;
    const char *column[4];
    uint32_t columns;
    int64_t types;
    const char *type_help;
} layout;

static const layout graph_layout = {
    "LG matrix",
    "[branch, tail node, head node, element type]",
    {"branch number", "tail node", "head node", "element type"},
    4,
    CT_LG_TYPES - 1,
    "1 A-type (C), 2 T-type (L), 3 D-type (R), 4 A-type source, 5 T-type source, 6 transformer, 7 "
    "gyrator",
};
static const layout output_layout = {
    "output matrix",
    "[output, branch, output type]",
    {"output number", "branch number", "output type"},
    3,
    CT_LG_VARIABLES - 1,
    "1 across variable, 2 through variable, 3 integrated across variable, 4 integrated through "
    "variable",
};

typedef struct checker {
    ct_context *ctx;
    ct_arena *arena;
    ct_lg_system *system;
    const ct_lg_matrix *matrix;
    const layout *layout;
} checker;

/* ---- shape ----------------------------------------------------------------------------------- */

static ct_place row_place(const ct_lg_matrix *m, uint32_t row)
{
    return ct_place_join(m->entry[m->first[row]].place, m->entry[m->first[row + 1] - 1].place);
}

static bool check_columns(const checker *c, uint32_t row)
{
    uint32_t have = c->matrix->first[row + 1] - c->matrix->first[row];
    if (have == c->layout->columns)
        return true;
    ct_report *r = ct_error(c->ctx, "E702", row_place(c->matrix, row),
                            "row %u of the %s has %u column%s instead of %u", (unsigned)row + 1,
                            c->layout->matrix, (unsigned)have, have == 1 ? "" : "s",
                            (unsigned)c->layout->columns);
    ct_help(r, "a row is %s", c->layout->shape);
    return false;
}

static const ct_lg_entry *cell(const checker *c, uint32_t row, uint32_t column)
{
    return &c->matrix->entry[c->matrix->first[row] + column];
}

static bool check_cell(const checker *c, uint32_t row, uint32_t column)
{
    const ct_lg_entry *e = cell(c, row, column);
    if (e->value > 0)
        return true;
    ct_report *r = ct_error(c->ctx, "E703", e->place,
                            "row %u, column %u: the %s must be a whole number from 1 to 10^9",
                            (unsigned)row + 1, (unsigned)column + 1, c->layout->column[column]);
    ct_help(r, "a row is %s", c->layout->shape);
    return false;
}

static bool check_type(const checker *c, uint32_t row)
{
    uint32_t last = c->layout->columns - 1;
    const ct_lg_entry *e = cell(c, row, last);
    if (e->value <= c->layout->types)
        return true;
    ct_report *r = ct_error(c->ctx, "E704", e->place, "row %u, column %u: there is no %s %lld",
                            (unsigned)row + 1, (unsigned)last + 1, c->layout->column[last],
                            (long long)e->value);
    ct_help(r, "%ss are %s", c->layout->column[last], c->layout->type_help);
    return false;
}

static bool check_row(const checker *c, uint32_t row)
{
    if (!check_columns(c, row))
        return false;
    bool good = true;
    for (uint32_t column = 0; column < c->layout->columns; column++)
        good = check_cell(c, row, column) && good;
    return good && check_type(c, row);
}

static bool check_shape(const checker *c)
{
    bool good = true;
    for (uint32_t row = 0; row < c->matrix->rows; row++)
        good = check_row(c, row) && good;
    return good;
}

/* ---- branches -------------------------------------------------------------------------------- */

static bool is_two_port(ct_lg_type type)
{
    return type == CT_LG_TRANSFORMER || type == CT_LG_GYRATOR;
}

static void take_branches(const checker *c)
{
    ct_lg_system *s = c->system;
    s->branch_count = c->matrix->rows;
    s->branch = CT_NEW_ARRAY(c->arena, ct_lg_branch, s->branch_count);
    for (uint32_t row = 0; row < c->matrix->rows; row++)
        s->branch[row] = (ct_lg_branch){.number = (uint32_t)cell(c, row, 0)->value,
                                        .tail = (uint32_t)cell(c, row, 1)->value,
                                        .head = (uint32_t)cell(c, row, 2)->value,
                                        .type = (ct_lg_type)cell(c, row, 3)->value,
                                        .place = row_place(c->matrix, row)};
}

static bool check_ends(const checker *c, uint32_t row)
{
    const ct_lg_branch *b = &c->system->branch[row];
    if (b->tail != b->head)
        return true;
    ct_report *r = ct_error(c->ctx, "E708", cell(c, row, 2)->place,
                            "row %u, column 3: branch %u goes from node %u to itself",
                            (unsigned)row + 1, (unsigned)b->number, (unsigned)b->tail);
    ct_help(r, "give its two ends different nodes");
    return false;
}

static bool lonely(const checker *c, uint32_t row, const char *why)
{
    const ct_lg_branch *b = &c->system->branch[row];
    const char *what = b->type == CT_LG_GYRATOR ? "gyrator" : "transformer";
    ct_report *r = ct_error(c->ctx, "E706", b->place, "row %u: branch %u is half a %s: %s",
                            (unsigned)row + 1, (unsigned)b->number, what, why);
    ct_help(r, "a two-port has two consecutive rows of one type; the second has the next number");
    return false;
}

/* Marks side b of the two-port that begins in this row. */
static bool pair_up(const checker *c, uint32_t row)
{
    ct_lg_branch *a = &c->system->branch[row], *b = a + 1;
    if (row + 1 == c->system->branch_count || b->type != a->type)
        return lonely(c, row, "the next row does not go on with it");
    if (b->number != a->number + 1)
        return lonely(c, row,
                      ct_printf(c->ctx, "the next row has number %u instead of %u",
                                (unsigned)b->number, (unsigned)a->number + 1));
    b->second = true;
    return true;
}

static bool check_branches(const checker *c)
{
    bool good = true;
    for (uint32_t row = 0; row < c->matrix->rows; row++) {
        const ct_lg_branch *b = &c->system->branch[row];
        good = check_ends(c, row) && good;
        if (is_two_port(b->type) && !b->second && !pair_up(c, row))
            return false;
    }
    return good;
}

static int compare_branches(const void *a, const void *b)
{
    uint32_t x = ((const ct_lg_branch *)a)->number, y = ((const ct_lg_branch *)b)->number;
    return (x > y) - (x < y);
}

static void sort_branches(const ct_lg_system *s)
{
    qsort(s->branch, s->branch_count, sizeof *s->branch, compare_branches);
}

static bool check_twice(const checker *c, const char *what, ct_place a, ct_place b, uint32_t number)
{
    ct_place later = a.at > b.at ? a : b;
    ct_report *r = ct_error(c->ctx, "E705", later, "the %s already has %s %u", c->layout->matrix,
                            what, (unsigned)number);
    ct_help(r, "give every row of the %s a number of its own", c->layout->matrix);
    return false;
}

static bool check_numbers(const checker *c)
{
    bool good = true;
    const ct_lg_branch *b = c->system->branch;
    for (uint32_t i = 1; i < c->system->branch_count; i++)
        if (b[i].number == b[i - 1].number)
            good = check_twice(c, "a branch", b[i - 1].place, b[i].place, b[i].number);
    return good;
}

/* ---- reference nodes ------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t index_of(const ct_lg_system *s, uint32_t node)
{
    const uint32_t *at = bsearch(&node, s->node, s->node_count, sizeof *s->node, compare_numbers);
    return (uint32_t)(at - s->node);
}

/* All nodes, ascending, each once. */
static void list_nodes(const checker *c)
{
    ct_lg_system *s = c->system;
    uint32_t ends = 2 * s->branch_count;
    s->node = CT_NEW_ARRAY(c->arena, uint32_t, ends);
    for (uint32_t i = 0; i < ends; i++)
        s->node[i] = i % 2 ? s->branch[i / 2].head : s->branch[i / 2].tail;
    qsort(s->node, ends, sizeof *s->node, compare_numbers);
    for (uint32_t i = 0; i < ends; i++)
        if (s->node_count == 0 || s->node[i] != s->node[s->node_count - 1])
            s->node[s->node_count++] = s->node[i];
}

/* A part that no branch joins to another needs a reference of its own; nothing flows through a
 * single connection with ground, so that its smallest node may be ground. */
static void find_references(const checker *c)
{
    ct_lg_system *s = c->system;
    list_nodes(c);
    uint32_t *sets = ct_sets_new(c->arena, s->node_count), count = 0;
    for (uint32_t i = 0; i < s->branch_count; i++)
        ct_sets_join(sets, index_of(s, s->branch[i].tail), index_of(s, s->branch[i].head));
    for (uint32_t i = 0; i < 2 * s->branch_count; i++) {
        uint32_t *end = i % 2 ? &s->branch[i / 2].head : &s->branch[i / 2].tail;
        *end = sets[index_of(s, *end)] == index_of(s, *end) ? 0 : *end;
    }
    for (uint32_t i = 0; i < s->node_count; i++)
        if (sets[i] != i)
            s->node[count++] = s->node[i];
    s->node_count = count;
}

/* ---- outputs --------------------------------------------------------------------------------- */

static const ct_lg_branch *find_branch(const ct_lg_system *s, uint32_t number)
{
    ct_lg_branch wanted = {.number = number};
    return bsearch(&wanted, s->branch, s->branch_count, sizeof *s->branch, compare_branches);
}

static bool take_output(const checker *c, uint32_t row)
{
    const ct_lg_entry *e = cell(c, row, 1);
    const ct_lg_branch *b = find_branch(c->system, (uint32_t)e->value);
    if (b) {
        c->system->output[row] =
            (ct_lg_output){(uint32_t)cell(c, row, 0)->value, (uint32_t)(b - c->system->branch),
                           (ct_lg_variable)cell(c, row, 2)->value, row_place(c->matrix, row)};
        return true;
    }
    ct_report *r =
        ct_error(c->ctx, "E707", e->place, "row %u, column 2: the LG matrix has no branch %lld",
                 (unsigned)row + 1, (long long)e->value);
    ct_help(r, "a row is %s", c->layout->shape);
    return false;
}

static int compare_outputs(const void *a, const void *b)
{
    uint32_t x = ((const ct_lg_output *)a)->number, y = ((const ct_lg_output *)b)->number;
    return (x > y) - (x < y);
}

static bool take_outputs(const checker *c)
{
    ct_lg_system *s = c->system;
    bool good = true;
    s->output_count = c->matrix->rows;
    s->output = CT_NEW_ARRAY(c->arena, ct_lg_output, s->output_count);
    for (uint32_t row = 0; row < c->matrix->rows; row++)
        good = take_output(c, row) && good;
    if (!good)
        return false;
    if (s->output_count)
        qsort(s->output, s->output_count, sizeof *s->output, compare_outputs);
    const ct_lg_output *o = s->output;
    for (uint32_t i = 1; i < s->output_count; i++)
        if (o[i].number == o[i - 1].number)
            good = check_twice(c, "an output", o[i - 1].place, o[i].place, o[i].number);
    return good;
}

/* ---- both ------------------------------------------------------------------------------------ */

static bool read_graph(checker *c, const char *text)
{
    uint32_t source = ct_source_add(c->ctx, "LG matrix", text, strlen(text));
    c->layout = &graph_layout;
    c->matrix = ct_lg_matrix_read(c->ctx, c->arena, source);
    if (!c->matrix || !check_shape(c))
        return false;
    if (c->matrix->rows == 0) {
        ct_report *r = ct_error(c->ctx, "E709", (ct_place){source, 0, 1}, "the LG matrix is empty");
        ct_help(r, "a row is %s", c->layout->shape);
        return false;
    }
    take_branches(c);
    if (!check_branches(c))
        return false;
    sort_branches(c->system);
    return check_numbers(c);
}

static bool read_outputs(checker *c, const char *text)
{
    uint32_t source = ct_source_add(c->ctx, "output matrix", text, strlen(text));
    c->layout = &output_layout;
    c->matrix = ct_lg_matrix_read(c->ctx, c->arena, source);
    return c->matrix && check_shape(c) && take_outputs(c);
}

const ct_lg_system *ct_lg_system_read(ct_context *ctx, ct_arena *arena, const char *graph,
                                      const char *outputs)
{
    checker c = {.ctx = ctx, .arena = arena, .system = CT_NEW(arena, ct_lg_system)};
    if (!read_graph(&c, graph) || !read_outputs(&c, outputs))
        return NULL;
    find_references(&c);
    return c.system;
}
