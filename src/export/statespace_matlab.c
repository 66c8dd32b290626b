/* statespace_matlab.c - a function file for MATLAB and Octave that gives a struct. */
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
                                       "end_unwind_protect",
                                       NULL};

static const ct_code_dialect matlab = {
    .language = {reserved, ct_op_matlab, "^", ";"},
    .name = "MATLAB",
    .absent = "[]",
    .infinite = "Inf",
    .given = "value_of(given, '",
    .given_name = "', ",
    .matrix = "sys.",
    .zeros = "zeros(",
    .zeros_end = ")",
    .open = "(",
    .close = ")",
    .first = 1,
};

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

static void put_head(const ct_sheet *s, const ct_code_values *values, ct_code_writer *code,
                     ct_text *out)
{
    const char *name = ct_program_name(s->ctx, s->ss->model->name, code->arena);
    ct_putf(out, "function sys = %s(given)\n", name);
    bool sampled = s->ss->period > 0;
    ct_putf(out, "%%%s  State space of the model %s: a struct with the fields A, B, C, D, %s\n",
            name, name, sampled ? "Ts," : "E, F,");
    ct_put(out, sampled ? "%   x[k+1] = A x[k] + B u[k],   y[k] = C x[k] + D u[k]\n"
                        : "%   x' = A x + B u + E u',   y = C x + D u + F u'\n");
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
    ct_code_writer code = ct_code_new(s->ctx, s->arena, &matlab.language, out);
    ct_code_values values = {0};
    if (!s->ss->numbers)
        values = ct_sheet_values(s);
    put_head(s, &values, &code, out);
    ct_sheet_put_values(s, &matlab, &values, &code);
    ct_sheet_put_parts(s, &code);
    ct_sheet_put_matrices(s, &matlab, &code);
    if (s->n > s->ss->differential)
        ct_putf(out, "    sys.W = diag([ones(1, %u), zeros(1, %u)]);\n", s->ss->differential,
                s->n - s->ss->differential);
    if (s->ss->period > 0) {
        ct_put(out, "    sys.Ts = ");
        ct_put_number(out, s->ss->period);
        ct_put(out, ";\n    sys.offset = ");
        ct_put_number(out, s->ss->offset);
        ct_put(out, ";\n");
    }
    put_names(s, "states", s->n, ct_sheet_state, out);
    put_names(s, "inputs", s->ss->m, ct_sheet_input, out);
    put_names(s, "outputs", s->ss->p, ct_sheet_output, out);
    put_helpers(out);
    return ct_sheet_code_done(s, &code, matlab.name);
}
