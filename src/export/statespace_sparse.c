/* statespace_sparse.c - large networks in numbers: matrices as lists of what is not zero. */
#include <string.h>

#include "export/code.h"
#include "export/statespace.h"

/* W, then the others in their order; NULL: no more. */
static const ct_entries *part_at(const ct_statespace *ss, uint32_t part, const char **name)
{
    *name = "W";
    return part ? ct_statespace_part(ss, part - 1, name) : &ss->W;
}

static const char law[] = "W x' = A x + B u + E u',   y = C x + D u + F u'";

/* ---- text */

typedef const char *(*name_at)(const ct_sheet *s, uint32_t i);

static void put_list(const ct_sheet *s, const char *title, uint32_t count, name_at at, ct_text *out)
{
    ct_putf(out, "\n%s\n", title);
    for (uint32_t i = 0; i < count; i++)
        ct_putf(out, "    %u  %s\n", i + 1, at(s, i));
}

static void put_point(const ct_sheet *s, ct_text *out)
{
    const ct_point *p = s->ss->point;
    ct_putf(out, "\noperating point at t = %.9g s\n", p->time);
    for (uint32_t i = 0; i < p->state_count; i++)
        ct_putf(out, "    %s = %.9g\n", p->state[i], p->x[i]);
    for (uint32_t i = 0; i < s->ss->m; i++)
        ct_putf(out, "    %s = %.9g\n", ct_sheet_input(s, i), s->ss->at_value[i]);
}

static bool put_text(const ct_sheet *s, ct_text *out)
{
    const ct_statespace *ss = s->ss;
    const ct_model *m = ss->model;
    const ct_entries *e;
    const char *name = ct_name_text(s->ctx, m->name);
    if (*name || m->title)
        ct_putf(out, "%s%s%s\n\n", name, *name && m->title ? ": " : "", m->title ? m->title : "");
    ct_putf(out, "%s\nx: %s. Rows, columns and entries that are not 0:\n", law,
            ss->whole ? "states, then all other unknowns" : "unknowns of nodal analysis");
    if (!ss->linear)
        ct_put(out, "The model is not linear: this holds for small deviations from an operating "
                    "point.\n");
    put_list(s, "states x", ss->n, ct_sheet_state, out);
    put_list(s, "inputs u", ss->m, ct_sheet_input, out);
    put_list(s, "outputs y", ss->p, ct_sheet_output, out);
    for (uint32_t i = 0; (e = part_at(ss, i, &name)); i++) {
        ct_putf(out, "\n%s (%u x %u)\n", name, e->rows, e->cols);
        for (uint32_t k = 0; k < e->count; k++)
            ct_putf(out, "    %u %u %.9g\n", e->entry[k].row + 1, e->entry[k].col + 1,
                    e->entry[k].number);
    }
    if (s->lti)
        ct_sheet_put_lti_text(s, out);
    put_point(s, out);
    return true;
}

static bool put_latex(const ct_sheet *s, ct_text *out)
{
    bool whole = s->show->standalone;
    ct_put(out, whole ? "\\documentclass{article}\n\\begin{document}\n" : "");
    ct_put(out, "\\begin{verbatim}\n");
    put_text(s, out);
    ct_put(out, "\\end{verbatim}\n");
    ct_put(out, whole ? "\\end{document}\n" : "");
    return true;
}

/* ---- JSON: lists of rows and columns, which count from 0, and values */

static void put_entries_json(const ct_entries *e, const char *name, ct_json *j)
{
    ct_json_line(j, 1);
    ct_json_open(j, name, '{');
    ct_json_int(j, "rows", e->rows);
    ct_json_int(j, "cols", e->cols);
    ct_json_open(j, "row", '[');
    for (uint32_t k = 0; k < e->count; k++)
        ct_json_int(j, NULL, e->entry[k].row);
    ct_json_close(j, ']');
    ct_json_open(j, "col", '[');
    for (uint32_t k = 0; k < e->count; k++)
        ct_json_int(j, NULL, e->entry[k].col);
    ct_json_close(j, ']');
    ct_json_open(j, "value", '[');
    for (uint32_t k = 0; k < e->count; k++)
        ct_json_number(j, NULL, e->entry[k].number);
    ct_json_close(j, ']');
    ct_json_close(j, '}');
}

static void put_names_json(const ct_sheet *s, const char *key, uint32_t count, name_at at,
                           ct_json *j)
{
    ct_json_line(j, 1);
    ct_json_open(j, key, '[');
    for (uint32_t i = 0; i < count; i++)
        ct_json_text(j, NULL, at(s, i));
    ct_json_close(j, ']');
}

static bool put_json(const ct_sheet *s, ct_text *out)
{
    const ct_statespace *ss = s->ss;
    const ct_entries *e;
    const char *name;
    ct_json j = ct_json_new(out, " ");
    ct_json_open(&j, NULL, '{');
    ct_json_text(&j, "model", ct_name_text(s->ctx, ss->model->name));
    ct_json_bool(&j, "linear", ss->linear);
    ct_json_bool(&j, "sparse", true);
    put_names_json(s, "states", ss->n, ct_sheet_state, &j);
    put_names_json(s, "inputs", ss->m, ct_sheet_input, &j);
    put_names_json(s, "outputs", ss->p, ct_sheet_output, &j);
    for (uint32_t i = 0; (e = part_at(ss, i, &name)); i++)
        put_entries_json(e, name, &j);
    if (s->lti)
        ct_sheet_put_lti_json(s, &j);
    ct_sheet_put_point_json(s, &j);
    ct_json_end(&j, s->ctx);
    return true;
}

/* ---- code: triplets of row, column, value */

static void put_triplets(const ct_entries *e, uint32_t first, const char *before, const char *after,
                         ct_text *out)
{
    for (uint32_t k = 0; k < e->count; k++) {
        ct_putf(out, "%s%u, %u, ", before, e->entry[k].row + first, e->entry[k].col + first);
        ct_put_number(out, e->entry[k].number);
        ct_put(out, after);
    }
}

static void put_matlab_text(ct_text *out, const char *text)
{
    ct_put(out, "'");
    for (; *text; text++)
        ct_putf(out, *text == '\'' ? "''" : "%c", *text);
    ct_put(out, "'");
}

static void put_quoted(const ct_sheet *s, uint32_t count, name_at at,
                       void (*put)(ct_text *out, const char *text), ct_text *out)
{
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, i ? ", " : "");
        put(out, at(s, i));
    }
}

static bool put_matlab(const ct_sheet *s, ct_text *out)
{
    const ct_statespace *ss = s->ss;
    const ct_entries *e;
    const char *name = ct_program_name(s->ctx, ss->model->name, s->arena), *matrix;
    ct_putf(out, "function sys = %s()\n%%%s  Sparse state space of the model %s: %s\n", name, name,
            name, law);
    ct_putf(out, "%%   With E and F zero: sparss(sys.A, sys.B, sys.C, sys.D, sys.W). Written by "
                 "cotree statespace.\n");
    for (uint32_t i = 0; (e = part_at(ss, i, &matrix)); i++) {
        ct_putf(out, "    sys.%s = triplets(%u, %u, [\n", matrix, e->rows, e->cols);
        put_triplets(e, 1, "        ", "\n", out);
        ct_put(out, "        ]);\n");
    }
    ct_put(out, "    sys.states = {");
    put_quoted(s, ss->n, ct_sheet_state, put_matlab_text, out);
    ct_put(out, "};\n    sys.inputs = {");
    put_quoted(s, ss->m, ct_sheet_input, put_matlab_text, out);
    ct_put(out, "};\n    sys.outputs = {");
    put_quoted(s, ss->p, ct_sheet_output, put_matlab_text, out);
    ct_put(out, "};\nend\n\nfunction m = triplets(rows, cols, list)\n"
                "    list = reshape(list, [], 3);\n"
                "    m = sparse(list(:, 1), list(:, 2), list(:, 3), rows, cols);\nend\n");
    return true;
}

static bool put_python(const ct_sheet *s, ct_text *out)
{
    const ct_statespace *ss = s->ss;
    const ct_entries *e;
    const char *name = ct_program_name(s->ctx, ss->model->name, s->arena), *matrix;
    ct_putf(out, "\"\"\"Sparse state space of the model %s.\n\n    %s\n\n", name, law);
    ct_put(out, "matrices() gives A, B, C, D, E, F, W. Written by cotree statespace.\n\"\"\"\n"
                "from collections import namedtuple\n\nfrom scipy.sparse import coo_matrix\n\n"
                "STATES = [");
    put_quoted(s, ss->n, ct_sheet_state, ct_put_json, out);
    ct_put(out, "]\nINPUTS = [");
    put_quoted(s, ss->m, ct_sheet_input, ct_put_json, out);
    ct_put(out, "]\nOUTPUTS = [");
    put_quoted(s, ss->p, ct_sheet_output, ct_put_json, out);
    ct_put(out, "]\n\nMatrices = namedtuple(\"Matrices\", \"A B C D E F W\")\n\n"
                "# shape, then row, column and value of what is not zero\nENTRIES = {\n");
    for (uint32_t i = 0; (e = part_at(ss, i, &matrix)); i++) {
        ct_putf(out, "    \"%s\": ((%u, %u), [\n", matrix, e->rows, e->cols);
        put_triplets(e, 0, "        (", "),\n", out);
        ct_put(out, "    ]),\n");
    }
    ct_put(out, "}\n\n\ndef _matrix(name):\n    shape, entries = ENTRIES[name]\n"
                "    row, col, value = zip(*entries) if entries else ((), (), ())\n"
                "    return coo_matrix((value, (row, col)), shape=shape).tocsc()\n\n\n"
                "def matrices():\n    return Matrices(*(_matrix(name) for name in "
                "Matrices._fields))\n");
    return true;
}

bool ct_sheet_put_sparse(const ct_sheet *s, const char *format, ct_text *out)
{
    static const struct {
        const char *word;
        bool (*put)(const ct_sheet *s, ct_text *out);
    } writer[] = {{"text", put_text},     {"latex", put_latex},   {"json", put_json},
                  {"matlab", put_matlab}, {"python", put_python}, {NULL, NULL}};
    uint32_t i = 0;
    while (writer[i].word && strcmp(writer[i].word, format) != 0)
        i++;
    return writer[i].word && writer[i].put(s, out);
}
