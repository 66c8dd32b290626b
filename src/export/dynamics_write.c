/* dynamics_write.c - matrices and vectors of dynamics.h as text, as JSON, as a function of Python.
 */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "export/code.h"
#include "export/dynamics.h"
#include "export/parts.h"

/* Names for what the entries share; they use them then. */
static uint32_t count_of(const ct_dynamic *m)
{
    return m->rows * (m->cols ? m->cols : 1);
}

static ct_parts shorten(ct_dynamics *d, double longest)
{
    ct_parts parts = ct_parts_new(d->model, d->arena, d->pool);
    parts.longest = longest;
    parts.broken = longest;
    parts.shortest = 16;
    parts.least_gain = 20;
    for (uint32_t i = 0; i < d->matrix.count; i++)
        for (uint32_t k = 0; k < count_of(&d->matrix.at[i]); k++) {
            ct_parts_group(&parts, 10);
            ct_parts_add(&parts, &d->matrix.at[i].entry[k]);
        }
    ct_parts_run(&parts);
    return parts;
}

static void put_names(const ct_dynamics *d, const char *title, const ct_name *name, ct_text *out)
{
    ct_putf(out, "%-12s", title);
    for (uint32_t i = 0; i < d->n; i++)
        ct_putf(out, "%s%s", i ? ", " : "", ct_name_text(d->ctx, name[i]));
    ct_put(out, "\n");
}

/* ---- text */

static void put_entries(const ct_dynamics *d, const ct_dynamic *m, ct_text *out)
{
    bool any = false;
    ct_putf(out, "\n%s: %s\n", m->name, m->meaning);
    for (uint32_t i = 0; i < count_of(m); i++) {
        if (ct_expr_is_zero(d->pool, m->entry[i]))
            continue;
        if (m->cols)
            ct_putf(out, "    %s[%u,%u] = ", m->name, i / m->cols + 1, i % m->cols + 1);
        else
            ct_putf(out, "    %s[%u] = ", m->name, i + 1);
        ct_expr_put_read(d->pool, out, m->entry[i]);
        ct_put(out, "\n");
        any = true;
    }
    if (!any)
        ct_put(out, "    zero\n");
}

static void put_base(const ct_dynamics *d, ct_text *out)
{
    if (!d->base.count)
        return;
    ct_put(out,
           "\nBase parameters: the motion tells these sums and nothing else; I about the frame "
           "of the body\n");
    for (uint32_t i = 0; i < d->base.count; i++)
        ct_putf(out, "    %s\n", d->base.at[i]);
    if (d->without)
        ct_putf(out, "    without effect: %s\n", d->without);
}

void ct_dynamics_put_text(ct_dynamics *d, ct_text *out)
{
    ct_parts parts = shorten(d, 100);
    ct_putf(out, "%s\n\n", ct_program_name(d->ctx, d->model->name, d->arena));
    put_names(d, "coordinates", d->q, out);
    put_names(d, "speeds", d->u, out);
    ct_put(out, "\nM u' + C u + g = tau; entries that are not listed are zero\n");
    for (uint32_t i = 0; i < d->remark.count; i++)
        ct_putf(out, "%s\n", d->remark.at[i]);
    ct_put(out, parts.part.count ? "\nwith\n" : "");
    for (uint32_t i = 0; i < parts.part.count; i++) {
        ct_putf(out, "    %s = ", ct_name_text(d->ctx, parts.part.at[i].name));
        ct_expr_put_read(d->pool, out, parts.part.at[i].value);
        ct_put(out, "\n");
    }
    for (uint32_t i = 0; i < d->matrix.count; i++)
        put_entries(d, &d->matrix.at[i], out);
    put_base(d, out);
}

/* ---- JSON */

static void put_json_names(const ct_dynamics *d, const char *key, const ct_name *name, ct_json *j)
{
    ct_json_open(j, key, '[');
    for (uint32_t i = 0; i < d->n; i++)
        ct_json_text(j, NULL, ct_name_text(d->ctx, name[i]));
    ct_json_close(j, ']');
}

static void put_json_expr(const ct_dynamics *d, ct_expr e, ct_json *j)
{
    ct_text text = ct_text_new(d->arena);
    ct_expr_put(d->pool, &text, e);
    ct_json_text(j, NULL, ct_text_string(&text));
}

static void put_json_matrix(const ct_dynamics *d, const ct_dynamic *m, ct_json *j)
{
    ct_json_open(j, m->name, '[');
    for (uint32_t i = 0; i < count_of(m); i++) {
        if (m->cols && i % m->cols == 0)
            ct_json_open(j, NULL, '[');
        put_json_expr(d, m->entry[i], j);
        if (m->cols && i % m->cols == m->cols - 1)
            ct_json_close(j, ']');
    }
    ct_json_close(j, ']');
}

void ct_dynamics_put_json(ct_dynamics *d, ct_text *out)
{
    ct_parts parts = shorten(d, 400);
    ct_json j = ct_json_new(out, "");
    ct_json_open(&j, NULL, '{');
    put_json_names(d, "coordinates", d->q, &j);
    put_json_names(d, "speeds", d->u, &j);
    put_json_names(d, "accelerations", d->a, &j);
    ct_json_open(&j, "parts", '[');
    for (uint32_t i = 0; i < parts.part.count; i++) {
        ct_json_open(&j, NULL, '[');
        ct_json_text(&j, NULL, ct_name_text(d->ctx, parts.part.at[i].name));
        put_json_expr(d, parts.part.at[i].value, &j);
        ct_json_close(&j, ']');
    }
    ct_json_close(&j, ']');
    for (uint32_t i = 0; i < d->matrix.count; i++)
        put_json_matrix(d, &d->matrix.at[i], &j);
    ct_json_texts(&j, "base_parameters", d->base.at, d->base.count);
    ct_json_texts(&j, "remarks", d->remark.at, d->remark.count);
    ct_json_end(&j, d->ctx);
}

/* ---- Python */

static const char *const reserved[] = {
    "and",     "as",   "assert", "async",  "await", "break",  "class", "continue", "def",
    "del",     "elif", "else",   "except", "False", "for",    "from",  "global",   "if",
    "import",  "in",   "is",     "None",   "not",   "or",     "pass",  "raise",    "return",
    "True",    "try",  "while",  "lambda", "yield", "with",   "float", "bool",     "nonlocal",
    "finally", "np",   "q",      "u",      "a",     "_given", "_out",  "math",     NULL};

static const ct_code_language python = {reserved, ct_op_python, "**", ""};

static void put_unpacked(ct_dynamics *d, ct_code_writer *code, const ct_name *name,
                         const char *from, ct_text *out)
{
    for (uint32_t i = 0; i < d->n; i++)
        ct_putf(out, "    %s = %s[%u]\n", ct_code_name(code, name[i]), from, i);
}

/* Symbols that are neither coordinates nor their rates: parameters and inputs with their values. */
static void put_values(ct_dynamics *d, ct_code_writer *code, ct_text *out)
{
    ct_map seen;
    ct_map_init(&seen, d->arena);
    for (uint32_t i = 0; i < d->n; i++) {
        ct_map_put(&seen, d->q[i], 1);
        ct_map_put(&seen, d->u[i], 1);
        ct_map_put(&seen, d->a[i], 1);
    }
    for (uint32_t i = 0; i < d->matrix.count; i++)
        for (uint32_t k = 0; k < count_of(&d->matrix.at[i]); k++) {
            const ct_name *name;
            uint32_t count = ct_expr_symbols(d->pool, d->matrix.at[i].entry[k], &name);
            for (uint32_t n = 0; n < count; n++) {
                if (ct_map_get(&seen, name[n]))
                    continue;
                ct_map_put(&seen, name[n], 1);
                uint32_t at = ct_map_get(d->model->quantity_by_name, name[n]);
                double value = at ? d->model->quantity_value[at - 1] : NAN;
                const char *word = ct_code_name(code, name[n]);
                ct_putf(out, "    %s = _given.get(\"%s\", ", word, word);
                if (isfinite(value))
                    ct_put_number(out, value);
                ct_put(out, isfinite(value) ? ")\n" : "float(\"nan\"))\n");
            }
        }
}

static void put_python_matrix(ct_dynamics *d, ct_code_writer *code, const ct_dynamic *m,
                              ct_text *out)
{
    ct_putf(out,
            m->cols ? "    _out[\"%s\"] = np.zeros((%u, %u))\n"
                    : "    _out[\"%s\"] = np.zeros(%u)\n",
            m->name, m->rows, m->cols);
    for (uint32_t i = 0; i < count_of(m); i++) {
        if (ct_expr_is_zero(d->pool, m->entry[i]))
            continue;
        const char *text = ct_code_expr(code, d->pool, m->entry[i]);
        ct_putf(out, "    _out[\"%s\"]", m->name);
        if (m->cols)
            ct_putf(out, "[%u, %u] = %s\n", i / m->cols, i % m->cols, text);
        else
            ct_putf(out, "[%u] = %s\n", i, text);
    }
}

void ct_dynamics_put_python(ct_dynamics *d, ct_text *out)
{
    ct_code_writer code = ct_code_new(d->ctx, d->arena, &python, out);
    code.indent = "    ";
    ct_putf(out,
            "\"\"\"Dynamics of the model %s: M u' + C u + g = tau. Written by cotree dynamics.\n\n",
            ct_program_name(d->ctx, d->model->name, d->arena));
    ct_put(out, "dynamics(q, u, a, R=5, ...) gives a dictionary of matrices and vectors.\n\"\"\"\n"
                "from math import *\n\nimport numpy as np\n\n");
    ct_put(out, "COORDINATES = [");
    for (uint32_t i = 0; i < d->n; i++) {
        ct_put(out, i ? ", " : "");
        ct_put_json(out, ct_name_text(d->ctx, d->q[i]));
    }
    ct_put(out, "]\n\n\ndef sign(x):\n    return float((x > 0) - (x < 0))\n\n\n"
                "def dynamics(q, u, a, **_given):\n");
    put_unpacked(d, &code, d->q, "q", out);
    put_unpacked(d, &code, d->u, "u", out);
    put_unpacked(d, &code, d->a, "a", out);
    put_values(d, &code, out);
    ct_parts parts = shorten(d, 200);
    for (uint32_t i = 0; i < parts.part.count; i++) {
        const char *text = ct_code_expr(&code, d->pool, parts.part.at[i].value);
        ct_putf(out, "    %s = %s\n", ct_code_name(&code, parts.part.at[i].name), text);
    }
    ct_put(out, "    _out = {}\n");
    for (uint32_t i = 0; i < d->matrix.count; i++)
        put_python_matrix(d, &code, &d->matrix.at[i], out);
    ct_put(out, "    return _out\n");
}
