/* statespace_matlab.c - a function file for MATLAB and Octave that gives a struct. */
#include <math.h>
#include <string.h>

#include "export/decimal.h"
#include "export/statespace_code.h"

static const char *const reserved[] = {"break",
                                       "case",
                                       "catch",
                                       "classdef",
                                       "continue",
                                       "else",
                                       "elseif",
                                       "end",
                                       "for",
                                       "function",
                                       "global",
                                       "if",
                                       "otherwise",
                                       "parfor",
                                       "persistent",
                                       "return",
                                       "spmd",
                                       "switch",
                                       "try",
                                       "while",
                                       "end_try_catch",
                                       "endif",
                                       "endfor",
                                       "endfunction",
                                       "endwhile",
                                       "until",
                                       "do",
                                       "unwind_protect",
                                       "sys",
                                       "given",
                                       "known",
                                       "names",
                                       "k",
                                       "zeros",
                                       "diag",
                                       "ones",
                                       "value_of",
                                       "choose",
                                       "double",
                                       "isfield",
                                       "fieldnames",
                                       "error",
                                       "ismember",
                                       "numel",
                                       "nargin",
                                       "sin",
                                       "cos",
                                       "tan",
                                       "asin",
                                       "acos",
                                       "atan",
                                       "atan2",
                                       "sinh",
                                       "cosh",
                                       "tanh",
                                       "exp",
                                       "log",
                                       "sqrt",
                                       "abs",
                                       "sign",
                                       "min",
                                       "max",
                                       "floor",
                                       "mod",
                                       "pi",
                                       "end_unwind_protect",
                                       NULL};

static const ct_code_row rows[] = {
    {CT_OP_CLAMP, "min(max(#1, #2), #3)"},     {CT_OP_STEP, "double(#1 >= 0)"},
    {CT_OP_PULSE, "double(mod(#1, #2) < #3)"}, {CT_OP_LESS, "double(#1 < #2)"},
    {CT_OP_LESS_EQUAL, "double(#1 <= #2)"},    {CT_OP_GREATER, "double(#1 > #2)"},
    {CT_OP_GREATER_EQUAL, "double(#1 >= #2)"}, {CT_OP_EQUAL, "double(#1 == #2)"},
    {CT_OP_UNEQUAL, "double(#1 ~= #2)"},       {CT_OP_AND, "double(#1 ~= 0 && #2 ~= 0)"},
    {CT_OP_OR, "double(#1 ~= 0 || #2 ~= 0)"},  {CT_OP_NOT, "double(#1 == 0)"},
    {CT_OP_IF, "choose(#1, #2, #3)"},          {0, NULL},
};

static const ct_code_language matlab = {reserved, rows, "^", ";"};

static void put_number(ct_text *out, double value)
{
    char text[CT_DECIMAL_ROOM];
    if (isnan(value))
        ct_put(out, "[]");
    else if (isinf(value))
        ct_put(out, value > 0 ? "Inf" : "-Inf");
    else
        ct_put_bytes(out, text, ct_decimal_write(text, value));
}

static void put_quoted(ct_text *out, const char *text)
{
    ct_put_char(out, '\'');
    for (; *text; text++)
        ct_put(out, *text == '\'' ? "''" : (char[]){*text, '\0'});
    ct_put_char(out, '\'');
}

static void put_names(const ct_sheet *s, const char *name, uint32_t count,
                      const char *(*at)(const ct_sheet *s, uint32_t i), ct_text *out)
{
    ct_putf(out, "    sys.%s = {", name);
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, i ? ", " : "");
        put_quoted(out, at(s, i));
    }
    ct_put(out, "};\n");
}

static void put_head(const ct_sheet *s, const ct_code_values *values, ct_code *code, ct_text *out)
{
    const char *name = ct_name_text(s->ctx, s->ss->reduced->system->model->name);
    ct_putf(out, "function sys = %s(given)\n", name);
    ct_putf(out, "%%%s  State space of the model %s: a struct with the fields A, B, C, D, E, F,\n",
            name, name);
    ct_put(out, "%   x' = A x + B u + E u',   y = C x + D u + F u'\n");
    ct_putf(out, "%%   %s() takes the parameters of the model; %s(struct('R', 5)) other values.\n",
            name, name);
    ct_put(out, "%   Written by cotree statespace. To be saved as ");
    ct_putf(out, "%s.m\n", name);
    ct_put(out, "    if nargin < 1\n        given = struct();\n    end\n    known = {");
    for (uint32_t i = 0; i < values->count; i++)
        ct_putf(out, "%s'%s'", i ? ", " : "", ct_code_name(code, values->at[i].symbol));
    ct_put(out, "};\n    names = fieldnames(given);\n    for k = 1:numel(names)\n"
                "        if ~ismember(names{k}, known)\n"
                "            error('there is no parameter %s', names{k});\n        end\n"
                "    end\n");
}

static void put_values(const ct_sheet *s, const ct_code_values *values, ct_code *code, ct_text *out)
{
    ct_pool *pool = s->ss->reduced->system->model->pool;
    for (uint32_t i = 0; i < values->count; i++) {
        const ct_code_value *v = &values->at[i];
        const char *name = ct_code_name(code, v->symbol);
        const char *expr = v->expr ? ct_code_expr(code, pool, v->expr) : NULL;
        ct_putf(out, "    %s = value_of(given, '%s', ", name, name);
        if (expr)
            ct_put(out, expr);
        else
            put_number(out, v->number);
        ct_put(out, ");\n");
    }
}

static void put_entries(const ct_sheet *s, const ct_sheet_matrix *m, ct_code *code, ct_text *out)
{
    const ct_entries *e = &m->entry;
    ct_putf(out, "    sys.%s = zeros(%u, %u);\n", m->name, e->rows, e->cols);
    for (uint32_t i = 0; !m->number && i < e->count; i++) {
        const char *text = ct_code_expr(code, s->pool, e->entry[i].value);
        ct_putf(out, "    sys.%s(%u, %u) = %s;\n", m->name, e->entry[i].row + 1,
                e->entry[i].col + 1, text);
    }
    for (size_t i = 0; m->number && i < (size_t)e->rows * e->cols; i++) {
        if (m->number[i] == 0)
            continue;
        ct_putf(out, "    sys.%s(%zu, %zu) = ", m->name, i / e->cols + 1, i % e->cols + 1);
        put_number(out, m->number[i]);
        ct_put(out, ";\n");
    }
}

static void put_helpers(ct_text *out)
{
    ct_put(out,
           "end\n\nfunction value = value_of(given, name, usual)\n"
           "    if isfield(given, name)\n        value = given.(name);\n"
           "    elseif isempty(usual)\n        error('%s needs a value', name);\n"
           "    else\n        value = usual;\n    end\nend\n\n"
           "function value = choose(condition, a, b)\n"
           "    if condition\n        value = a;\n    else\n        value = b;\n    end\nend\n");
}

bool ct_sheet_put_matlab(const ct_sheet *s, ct_text *out)
{
    ct_code code = ct_code_new(s->ctx, s->arena, &matlab, out);
    ct_code_values values = {0};
    if (!s->ss->numbers)
        values = ct_sheet_values(s);
    put_head(s, &values, &code, out);
    put_values(s, &values, &code, out);
    for (uint32_t i = 0; i < s->part_count; i++) {
        const char *text = ct_code_expr(&code, s->pool, s->part[i].value);
        ct_putf(out, "    %s = %s;\n", ct_code_name(&code, s->part[i].name), text);
    }
    for (uint32_t i = 0; i < s->matrix_count; i++)
        put_entries(s, &s->matrix[i], &code, out);
    if (s->n > s->ss->differential)
        ct_putf(out, "    sys.W = diag([ones(1, %u), zeros(1, %u)]);\n", s->ss->differential,
                s->n - s->ss->differential);
    put_names(s, "states", s->n, ct_sheet_state, out);
    put_names(s, "inputs", s->ss->m, ct_sheet_input, out);
    put_names(s, "outputs", s->ss->p, ct_sheet_output, out);
    put_helpers(out);
    return ct_sheet_code_done(s, &code, "MATLAB");
}
