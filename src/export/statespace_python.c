/* statespace_python.c - a module for numpy: matrices(**params), and a StateSpace for scipy. */
#include <stdlib.h>
#include <string.h>

#include "export/statespace_code.h"

enum { WIDEST = 88 }; /* columns of the imports */

static const char *const reserved[] = {
    "and",    "as",    "assert", "async",    "await",   "break", "class",  "continue",
    "def",    "del",   "elif",   "else",     "except",  "False", "for",    "from",
    "global", "if",    "import", "in",       "is",      "None",  "not",    "or",
    "pass",   "raise", "return", "True",     "try",     "while", "lambda", "yield",
    "with",   "float", "bool",   "nonlocal", "finally", "np",    NULL};

static const ct_code_dialect python = {
    .language = {reserved, ct_op_python, "**", ""},
    .name = "Python",
    .absent = "None",
    .infinite = "np.inf",
    .given = "_value(_given, \"",
    .given_name = "\", ",
    .matrix = "_",
    .zeros = "np.zeros((",
    .zeros_end = "))",
    .open = "[",
    .close = "]",
};

static void put_names(const ct_sheet *s, const char *name, uint32_t count,
                      const char *(*at)(const ct_sheet *s, uint32_t i), ct_text *out)
{
    ct_putf(out, "%s = [", name);
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, i ? ", " : "");
        ct_put_json(out, at(s, i));
    }
    ct_put(out, "]\n");
}

static int by_word(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What the rows of ops.def take from the module math. */
static void put_imports(ct_text *out)
{
    static const char head[] = "from math import (";
    const char *word[CT_OP_COUNT];
    size_t count = 0, at = sizeof head - 1;
    for (int op = 0; op < CT_OP_COUNT; op++) {
        const char *spelling = ct_op_python((ct_op)op);
        if (spelling && strcmp(spelling, "math") == 0)
            word[count++] = ct_op_word((ct_op)op);
    }
    qsort(word, count, sizeof *word, by_word);
    ct_put(out, head);
    for (size_t i = 0; i < count; i++) {
        bool full = at + strlen(word[i]) + 2 > WIDEST;
        ct_put(out, !i ? "" : full ? ",\n                  " : ", ");
        at = (full ? sizeof head - 1 : at) + strlen(word[i]) + 2;
        ct_put(out, word[i]);
    }
    ct_put(out, ")\n");
}

static void put_head(const ct_sheet *s, const ct_code_values *values, ct_code_writer *code,
                     ct_text *out)
{
    const ct_model *m = s->ss->model;
    ct_putf(out, "\"\"\"State space of the model %s.\n\n",
            ct_program_name(s->ctx, m->name, code->arena));
    ct_put(out,
           s->ss->period > 0
               ? "    x[k+1] = A x[k] + B u[k],   y[k] = C x[k] + D u[k],   t_k = OFFSET + k DT"
                 "\n\nmatrices() gives A, B, C, D. Written by cotree statespace.\n\"\"\"\n"
               : "    x' = A x + B u + E u',   y = C x + D u + F u'\n\n"
                 "matrices(R=5, ...) gives A, B, C, D, E, F for values of parameters; those "
                 "not given have\nthe values of the model. Written by cotree "
                 "statespace.\n\"\"\"\n");
    ct_put(out, "from collections import namedtuple\n");
    put_imports(out);
    ct_put(out, "\nimport numpy as np\n\n");
    put_names(s, "STATES", s->n, ct_sheet_state, out);
    put_names(s, "INPUTS", s->ss->m, ct_sheet_input, out);
    put_names(s, "OUTPUTS", s->ss->p, ct_sheet_output, out);
    if (s->ss->period > 0) {
        ct_put(out, "DT = ");
        ct_put_number(out, s->ss->period);
        ct_put(out, "\nOFFSET = ");
        ct_put_number(out, s->ss->offset);
        ct_put(out, "\n");
    }
    ct_put(out, "# keyword of matrices(): name in the model\nPARAMETERS = {");
    for (uint32_t i = 0; i < values->count; i++) {
        ct_putf(out, "%s\n    ", i ? "," : "");
        ct_put_json(out, ct_code_name(code, values->at[i].symbol));
        ct_put(out, ": ");
        ct_put_json(out, ct_name_text(s->ctx, values->at[i].symbol));
    }
    ct_put(out, "}\n\nMatrices = namedtuple(\"Matrices\", \"");
    for (uint32_t i = 0; i < s->matrix_count; i++)
        ct_putf(out, "%s%s", i ? " " : "", s->matrix[i].name);
    ct_put(out, s->n > s->ss->differential ? " W\")\n\n\n" : "\")\n\n\n");
}

static void put_helpers(ct_text *out)
{
    ct_put(out, "def sign(a):\n    return float((a > 0) - (a < 0))\n\n\n"
                "def mod(a, b):\n    return a - b*floor(a/b)\n\n\n"
                "def _value(given, name, usual):\n"
                "    if name in given:\n        return given[name]\n"
                "    if usual is None:\n"
                "        raise TypeError(f\"{name} needs a value: matrices({name}=...)\")\n"
                "    return usual\n\n\n");
}

static void put_body(const ct_sheet *s, const ct_code_values *values, ct_code_writer *code,
                     ct_text *out)
{
    ct_put(out, "def matrices(**_given):\n"
                "    for _name in _given:\n        if _name not in PARAMETERS:\n"
                "            raise TypeError(f\"there is no parameter {_name}\")\n");
    ct_sheet_put_values(s, &python, values, code);
    ct_sheet_put_parts(s, code);
    ct_sheet_put_matrices(s, &python, code);
    if (s->n > s->ss->differential)
        ct_putf(out, "    _W = np.diag([1.0]*%u + [0.0]*%u)\n", s->ss->differential,
                s->n - s->ss->differential);
    ct_put(out, "    return Matrices(");
    for (uint32_t i = 0; i < s->matrix_count; i++)
        ct_putf(out, "%s_%s", i ? ", " : "", s->matrix[i].name);
    ct_put(out, s->n > s->ss->differential ? ", _W)\n" : ")\n");
}

/* Only the usual form has a class in scipy and in python-control. */
static void put_systems(const ct_sheet *s, ct_text *out)
{
    bool usual = s->n == s->ss->differential && s->n;
    for (uint32_t i = 0; i < s->matrix_count; i++)
        usual &= (s->matrix[i].name[0] != 'E' && s->matrix[i].name[0] != 'F') ||
                 ct_sheet_is_zero(&s->matrix[i]);
    if (!usual)
        return;
    const char *dt = s->ss->period > 0 ? ", dt=DT" : "";
    ct_putf(
        out,
        "\n\ndef statespace(**params):\n"
        "    \"\"\"For scipy.signal; of python-control: control.ss(m.A, m.B, m.C, m.D%s).\"\"\"\n"
        "    from scipy.signal import StateSpace\n\n"
        "    m = matrices(**params)\n    return StateSpace(m.A, m.B, m.C, m.D%s)\n",
        s->ss->period > 0 ? ", DT" : "", dt);
}

bool ct_sheet_put_python(const ct_sheet *s, ct_text *out)
{
    ct_code_writer code = ct_code_new(s->ctx, s->arena, &python.language, out);
    ct_code_values values = {0};
    if (!s->ss->numbers)
        values = ct_sheet_values(s);
    put_head(s, &values, &code, out);
    put_helpers(out);
    put_body(s, &values, &code, out);
    put_systems(s, out);
    return ct_sheet_code_done(s, &code, python.name);
}
