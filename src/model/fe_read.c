/* fe_read.c - nodes and matrices of finite-element programs.
 *
 * Nodes: a line each, its number and its place. Matrices: Matrix Market, `coordinate` or `array`,
 * `real` or `integer`, `general` or `symmetric`.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "model/fe.h"

enum { MOST_FREEDOMS = 60000, MOST_ENTRIES = 40000000, MOST_VECTORS = 200 };

typedef struct lines {
    builder *b;
    ct_place place;
    const char *path, *at;
    uint32_t line;
    bool bad;
} lines;

static void complain(lines *l, const char *what)
{
    if (!l->bad) {
        ct_report *r =
            ct_error(l->b->ctx, "E635", l->place, "`%s`, line %u: %s", l->path, l->line, what);
        ct_witness(r, l->path);
    }
    l->bad = true;
}

static bool open_file(const ct_fe_source *from, lines *l)
{
    builder *b = from->b;
    const ct_syntax_node *n = ct_at(from->w->s, from->name);
    *l = (lines){.b = b, .place = ct_place_of(from->w->s, from->name)};
    if (n->kind != CT_NODE_STRING) {
        ct_report *r = ct_error(b->ctx, "E635", l->place, "this needs the name of a file");
        ct_help(r, "write it in quotes, as in mass = \"plate_mass.mtx\"");
        return false;
    }
    l->path = ct_name_text(b->ctx, n->name);
    const char *full = ct_find_beside(b, from->w, l->path);
    uint32_t source = full ? ct_load(b->ctx, full) : 0;
    if (!source) {
        ct_report *r = ct_error(b->ctx, "E635", l->place, "there is no file `%s`", l->path);
        ct_help(r, "it stands below the folder of the model, or in a folder given with -I");
        ct_witness(r, l->path);
        return false;
    }
    l->at = ct_source_get(b->ctx, source)->text;
    return true;
}

/* Goes to the next line that is not empty and no remark; false: the end. */
static bool next_line(lines *l, char remark)
{
    for (;;) {
        if (l->line)
            l->at += strcspn(l->at, "\n");
        if (l->line && *l->at)
            l->at++;
        l->line++;
        const char *text = l->at + strspn(l->at, " \t\r");
        if (!*text)
            return false;
        if (*text != '\n' && *text != remark)
            return true;
    }
}

/* The numbers of this line, at most `most`; commas count as blanks. */
static uint32_t read_numbers(lines *l, double *out, uint32_t most)
{
    const char *at = l->at;
    uint32_t count = 0;
    for (;;) {
        at += strspn(at, " \t\r,;");
        if (!*at || *at == '\n')
            return count;
        char *stop;
        double value = strtod(at, &stop);
        if (stop == at || isalpha((unsigned char)*at) || count == most) {
            complain(l, count == most ? "there are too many numbers" : "this is no number");
            return count;
        }
        if (!isfinite(value))
            complain(l, "a number is not finite");
        out[count++] = value;
        at = stop;
    }
}

static bool is_count(double x, double most)
{
    return x >= 1 && x <= most && x == floor(x);
}

/* ---- nodes */

bool ct_fe_read_nodes(const ct_fe_source *from, bool spatial, ct_fe_mesh *mesh)
{
    typedef double place3[3];
    lines l;
    uint32_t wanted = spatial ? 0 : 3; /* in space the first one tells whether there is a z */
    CT_VEC(int64_t) number = {0};
    CT_VEC(double) at = {0};
    builder *b = from->b;
    ct_map seen;
    ct_map_init(&seen, b->scratch);
    if (!open_file(from, &l))
        return false;
    while (!l.bad && next_line(&l, '#')) {
        double x[4] = {0};
        uint32_t count = read_numbers(&l, x, 4);
        wanted = wanted ? wanted : count == 3 ? 3 : 4;
        if ((count < wanted || (spatial && count > wanted)) && !l.bad)
            complain(&l, wanted == 3 && !spatial ? "a node has a number, x, y"
                         : wanted == 3           ? "the nodes before have a number, x, y, and no z"
                                                 : "a node has a number, x, y and z");
        if (!l.bad && !is_count(x[0], 1e9))
            complain(&l, "nodes have whole numbers from 1 on");
        if (!l.bad && ct_map_get(&seen, (uint32_t)x[0]))
            complain(&l, "this node is there already");
        if (number.count >= MOST_FREEDOMS)
            complain(&l, "there are too many nodes");
        if (l.bad)
            return false;
        CT_PUSH(b->arena, number, (int64_t)x[0]);
        ct_map_put(&seen, (uint32_t)x[0], number.count);
        for (int i = 0; i < 3; i++)
            CT_PUSH(b->arena, at, wanted == 4 || i < 2 ? x[i + 1] : 0);
    }
    if (!number.count)
        complain(&l, "there are no nodes");
    place3 *place = CT_NEW_ARRAY(b->arena, place3, number.count + 1);
    if (number.count)
        memcpy(place, at.at, sizeof *place * number.count);
    *mesh = (ct_fe_mesh){.count = number.count,
                         .number = number.at,
                         .at = (const double(*)[3])place,
                         .spatial = wanted == 4};
    return !l.bad;
}

/* ---- matrices */

typedef struct header {
    bool array, symmetric;
    uint32_t rows, cols;
    size_t entries; /* of the file */
} header;

static bool read_word(const char **at, const char *word)
{
    *at += strspn(*at, " \t");
    size_t n = strlen(word);
    for (size_t i = 0; i < n; i++)
        if (tolower((unsigned char)(*at)[i]) != word[i])
            return false;
    *at += n;
    return true;
}

static void read_header(lines *l, header *h)
{
    const char *at = l->at;
    l->line = 1;
    double size[3] = {0};
    if (!read_word(&at, "%%matrixmarket") || !read_word(&at, "matrix")) {
        complain(l, "this is no Matrix Market file: it begins with %%MatrixMarket matrix");
        return;
    }
    h->array = read_word(&at, "array");
    bool kind = h->array || read_word(&at, "coordinate");
    kind &= read_word(&at, "real") || read_word(&at, "integer") || read_word(&at, "double");
    h->symmetric = read_word(&at, "symmetric");
    if (!kind || !(h->symmetric || read_word(&at, "general"))) {
        complain(l, "matrices are coordinate or array, real or integer, general or symmetric");
        return;
    }
    uint32_t count = next_line(l, '%') ? read_numbers(l, size, 3) : 0;
    if (l->bad)
        return;
    bool good = count == (h->array ? 2 : 3) && is_count(size[0], MOST_FREEDOMS) &&
                is_count(size[1], MOST_FREEDOMS);
    good = good && (!h->symmetric || size[0] == size[1]);
    double whole = size[0] * size[1], lower = size[0] * (size[0] + 1) / 2;
    double entries = !good ? 0 : !h->array ? size[2] : h->symmetric ? lower : whole;
    if (!good || !(entries >= 0 && entries <= MOST_ENTRIES && entries == floor(entries))) {
        complain(l, h->array ? "its size is two whole numbers: rows and columns"
                             : "its size is three whole numbers: rows, columns and entries");
        return;
    }
    h->rows = (uint32_t)size[0], h->cols = (uint32_t)size[1], h->entries = (size_t)entries;
}

static bool open_matrix(const ct_fe_source *from, lines *l, header *h)
{
    *h = (header){0};
    if (!open_file(from, l))
        return false;
    read_header(l, h);
    return !l->bad;
}

typedef struct entry3 {
    uint32_t row, col;
    double value;
} entry3;

/* An entry, or the next one of an array by columns. */
static bool read_entry(lines *l, const header *h, entry3 *e)
{
    double x[3];
    if (!next_line(l, '%')) {
        complain(l, "the file ends before its last entry");
        return false;
    }
    uint32_t count = read_numbers(l, x, h->array ? 1 : 3);
    if (l->bad)
        return false;
    if (count < (h->array ? 1 : 3))
        complain(l, h->array ? "an entry is a number" : "an entry is row, column and value");
    else if (h->array)
        e->value = x[0];
    else if (!is_count(x[0], h->rows) || !is_count(x[1], h->cols))
        complain(l, "an entry lies outside of the matrix");
    else
        *e = (entry3){(uint32_t)x[0] - 1, (uint32_t)x[1] - 1, x[2]};
    return !l->bad;
}

static void step(const header *h, entry3 *e)
{
    if (!h->array || ++e->row < h->rows)
        return;
    e->col++;
    e->row = h->symmetric ? e->col : 0;
}

/* All of them; of a symmetric file also the other triangle. */
static entry3 *read_entries(lines *l, const header *h, size_t *count)
{
    entry3 *list = CT_NEW_ARRAY(l->b->scratch, entry3, 2 * h->entries + h->rows + 1);
    entry3 e = {0};
    *count = 0;
    for (size_t i = 0; i < h->entries && !l->bad; i++) {
        if (!read_entry(l, h, &e))
            break;
        if (e.value != 0) {
            list[(*count)++] = e;
            if (h->symmetric && e.row != e.col)
                list[(*count)++] = (entry3){e.col, e.row, e.value};
        }
        step(h, &e);
    }
    return list;
}

/* By columns, rows ascending, the diagonal always there; what stands twice is added. */
static void sort_columns(builder *b, entry3 *list, size_t count, uint32_t n, ct_symmetric *out)
{
    for (uint32_t i = 0; i < n; i++)
        list[count++] = (entry3){i, i, 0};
    int *start = CT_NEW_ARRAY(b->arena, int, n + 2), *next = CT_NEW_ARRAY(b->scratch, int, n + 2);
    entry3 *by_row = CT_NEW_ARRAY(b->scratch, entry3, count + 1);
    int *row = CT_NEW_ARRAY(b->arena, int, count + 1);
    double *value = CT_NEW_ARRAY(b->arena, double, count + 1);
    for (size_t i = 0; i < count; i++)
        next[list[i].row + 1]++;
    for (uint32_t i = 0; i < n; i++)
        next[i + 1] += next[i];
    for (size_t i = 0; i < count; i++)
        by_row[next[list[i].row]++] = list[i];
    for (size_t i = 0; i < count; i++)
        start[list[i].col + 1]++;
    for (uint32_t i = 0; i < n; i++) {
        start[i + 1] += start[i];
        next[i] = start[i];
    }
    for (size_t i = 0; i < count; i++) {
        const entry3 *e = &by_row[i];
        bool again = next[e->col] > start[e->col] && row[next[e->col] - 1] == (int)e->row;
        int at = again ? next[e->col] - 1 : next[e->col]++;
        row[at] = (int)e->row;
        value[at] += e->value;
    }
    int to = 0;
    for (uint32_t c = 0; c < n; c++) {
        int from = start[c], end = next[c];
        start[c] = to;
        for (; from < end; from++, to++)
            row[to] = row[from], value[to] = value[from];
    }
    start[n] = to;
    *out = (ct_symmetric){n, start, row, value};
}

static double entry_at(const ct_symmetric *a, int row, uint32_t col)
{
    int low = a->start[col], high = a->start[col + 1];
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (a->row[mid] < row)
            low = mid + 1;
        else
            high = mid;
    }
    return low < a->start[col + 1] && a->row[low] == row ? a->value[low] : 0;
}

/* a_ij against a_ji, to rounding of the largest entry. */
static bool is_even(lines *l, const char *what, const ct_symmetric *a)
{
    const double rounding = 1e-10;
    double most = 0;
    for (int i = 0; i < a->start[a->n]; i++)
        most = fmax(most, fabs(a->value[i]));
    for (uint32_t c = 0; c < a->n; c++)
        for (int i = a->start[c]; i < a->start[c + 1]; i++) {
            double other = entry_at(a, (int)c, (uint32_t)a->row[i]);
            if (!(fabs(other - a->value[i]) > rounding * most))
                continue;
            ct_report *r = ct_error(l->b->ctx, "E637", l->place, "the %s of `%s` is not symmetric",
                                    what, l->path);
            ct_note(r, "entry %d, %u is %.10g, entry %u, %d is %.10g", a->row[i] + 1, c + 1,
                    a->value[i], c + 1, a->row[i] + 1, other);
            ct_witness(r, l->path);
            return false;
        }
    return true;
}

/* The mean of both triangles: pattern and values are then symmetric exactly. */
static void make_even(builder *b, ct_symmetric *a)
{
    size_t count = 0, most = 2 * (size_t)a->start[a->n] + a->n + 1;
    entry3 *list = CT_NEW_ARRAY(b->scratch, entry3, most);
    for (uint32_t c = 0; c < a->n; c++)
        for (int i = a->start[c]; i < a->start[c + 1]; i++) {
            uint32_t row = (uint32_t)a->row[i];
            list[count++] = (entry3){row, c, a->value[i] / 2};
            list[count++] = (entry3){c, row, a->value[i] / 2};
        }
    sort_columns(b, list, count, a->n, a);
}

bool ct_fe_read_symmetric(const ct_fe_source *from, const char *what, ct_symmetric *out)
{
    lines l;
    header h;
    size_t count;
    if (!open_matrix(from, &l, &h))
        return false;
    if (h.rows != h.cols) {
        ct_report *r =
            ct_error(from->b->ctx, "E636", l.place, "the %s of `%s` is no square", what, l.path);
        ct_note(r, "it has %u rows and %u columns", h.rows, h.cols);
        ct_witness(r, l.path);
        return false;
    }
    entry3 *list = read_entries(&l, &h, &count);
    if (l.bad)
        return false;
    sort_columns(from->b, list, count, h.rows, out);
    if (!is_even(&l, what, out))
        return false;
    if (!h.symmetric)
        make_even(from->b, out);
    return true;
}

bool ct_fe_read_vectors(const ct_fe_source *from, ct_shape_set *out)
{
    lines l;
    header h;
    size_t count;
    if (!open_matrix(from, &l, &h))
        return false;
    if (h.cols > MOST_VECTORS)
        complain(&l, "there are too many vectors");
    if (l.bad)
        return false;
    entry3 *list = read_entries(&l, &h, &count);
    *out = (ct_shape_set){h.rows, h.cols,
                          CT_NEW_ARRAY(from->b->arena, double, (size_t)h.rows *h.cols + 1)};
    for (size_t i = 0; i < count; i++)
        out->at[(size_t)list[i].col * h.rows + list[i].row] += list[i].value;
    return !l.bad;
}
