/* statespace_transfer.c - symbolic transfer functions in all formats: polynomials in s. */
#include <string.h>

#include "export/statespace.h"

typedef void (*put_expr)(ct_pool *pool, ct_text *out, ct_expr e);

/* ---- one polynomial */

/* |c| s^k with its sign; the first term only has a minus. */
static void put_term(ct_pool *pool, ct_expr c, uint32_t power, bool first, bool latex, ct_text *out)
{
    ct_text text = ct_text_new(out->arena);
    put_expr put = latex ? ct_expr_put_latex : ct_expr_put_read;
    bool sum = ct_expr_kind_of(pool, c) == CT_EXPR_SUM;
    put(pool, &text, c);
    const char *body = ct_text_string(&text);
    bool minus = (!sum || !power) && body[0] == '-';
    ct_put(out, first ? (minus ? "-" : "") : (minus ? " - " : " + "));
    body += minus;
    bool one = strcmp(body, "1") == 0, brackets = sum && power;
    if (!one || !power) {
        ct_put(out, brackets ? (latex ? "\\left(" : "(") : "");
        ct_put(out, body);
        ct_put(out, brackets ? (latex ? "\\right)" : ")") : "");
        ct_put(out, power ? (latex ? " " : "*") : "");
    }
    if (power)
        ct_putf(out, power == 1 ? "s" : latex ? "s^{%u}" : "s^%u", power);
}

static uint32_t put_poly(ct_pool *pool, const ct_poly *a, bool latex, ct_text *out)
{
    uint32_t terms = 0;
    for (uint32_t i = a->count; i-- > 0;)
        if (a->at[i] && !ct_expr_is_zero(pool, a->at[i]))
            put_term(pool, a->at[i], i, terms++ == 0, latex, out);
    if (!terms)
        ct_put(out, "0");
    return terms;
}

static bool is_one(const ct_pool *pool, const ct_poly *a)
{
    return a->count == 1 && ct_expr_is_one(pool, a->at[0]);
}

/* Signs: characters that ask for brackets. */
static const char *bracketed(const ct_sheet *s, ct_pool *pool, const ct_poly *a, const char *signs)
{
    ct_text text = ct_text_new(s->arena);
    uint32_t terms = put_poly(pool, a, false, &text);
    const char *body = ct_text_string(&text);
    return terms > 1 || strpbrk(body, signs) ? ct_printf(s->ctx, "(%s)", body) : body;
}

enum { MOST_LETTERS = 90 }; /* of a fraction in one line */

static void put_fraction(const ct_sheet *s, const ct_poly_ratio *f, ct_text *out)
{
    ct_pool *pool = s->transfers->pool;
    if (is_one(pool, &f->den)) {
        put_poly(pool, &f->num, false, out);
        return;
    }
    const char *num = bracketed(s, pool, &f->num, "+-/"),
               *den = bracketed(s, pool, &f->den, "+-/*");
    bool fits = strlen(num) + strlen(den) <= MOST_LETTERS;
    ct_putf(out, "%s%s%s", num, fits ? " / " : "\n        / ", den);
}

/* ---- formats */

void ct_sheet_put_transfers_text(const ct_sheet *s, ct_text *out)
{
    const ct_transfers *t = s->transfers;
    ct_put(out, s->transfer_part_count ? "\nwith\n" : "");
    for (uint32_t i = 0; i < s->transfer_part_count; i++) {
        ct_putf(out, "    %s = ", ct_name_text(s->ctx, s->transfer_part[i].name));
        ct_expr_put_read(t->pool, out, s->transfer_part[i].value);
        ct_put(out, "\n");
    }
    if (!t->p || !t->m)
        ct_putf(out, "\nno transfer functions: the model has no %s\n", t->m ? "output" : "input");
    else
        ct_put(out, "\ntransfer functions\n");
    for (uint32_t i = 0; i < t->p * t->m; i++) {
        const ct_poly_ratio *f = &t->at[i];
        ct_putf(out, "    %s / %s = ", ct_sheet_output(s, i / t->m), ct_sheet_input(s, i % t->m));
        put_fraction(s, f, out);
        ct_put(out, "\n");
    }
    if (t->cut_short)
        ct_put(out, "Some coefficients are not simplified: that would take too long.\n");
}

static void put_coefficients(const ct_sheet *s, const char *key, const ct_poly *a, ct_json *j)
{
    ct_json_open(j, key, '[');
    for (uint32_t i = a->count; i-- > 0;) {
        ct_text text = ct_text_new(s->arena);
        if (a->at[i])
            ct_expr_put(s->transfers->pool, &text, a->at[i]);
        ct_json_text(j, NULL, text.length ? ct_text_string(&text) : "0");
    }
    if (!a->count)
        ct_json_text(j, NULL, "0");
    ct_json_close(j, ']');
}

static void put_definitions(const ct_sheet *s, ct_json *j)
{
    if (!s->transfer_part_count)
        return;
    ct_json_line(j, 1);
    ct_json_open(j, "transfer_definitions", '[');
    for (uint32_t i = 0; i < s->transfer_part_count; i++) {
        ct_text text = ct_text_new(s->arena);
        ct_expr_put(s->transfers->pool, &text, s->transfer_part[i].value);
        if (i)
            ct_json_line(j, 2);
        ct_json_open(j, NULL, '{');
        ct_json_text(j, "name", ct_name_text(s->ctx, s->transfer_part[i].name));
        ct_json_text(j, "value", ct_text_string(&text));
        ct_json_close(j, '}');
    }
    ct_json_close(j, ']');
}

void ct_sheet_open_pair(const ct_sheet *s, uint32_t i, ct_json *j)
{
    if (i)
        ct_json_line(j, 2);
    ct_json_open(j, NULL, '{');
    ct_json_text(j, "output", ct_sheet_output(s, i / s->ss->m));
    ct_json_text(j, "input", ct_sheet_input(s, i % s->ss->m));
}

void ct_sheet_put_transfers_json(const ct_sheet *s, ct_json *j)
{
    const ct_transfers *t = s->transfers;
    put_definitions(s, j);
    ct_json_line(j, 1);
    ct_json_open(j, "transfer_functions", '[');
    for (uint32_t i = 0; i < t->p * t->m; i++) {
        ct_sheet_open_pair(s, i, j);
        put_coefficients(s, "num", &t->at[i].num, j);
        put_coefficients(s, "den", &t->at[i].den, j);
        ct_json_close(j, '}');
    }
    ct_json_close(j, ']');
}

void ct_sheet_put_transfers_latex(const ct_sheet *s, ct_text *out)
{
    const ct_transfers *t = s->transfers;
    for (uint32_t i = 0; i < s->transfer_part_count; i++) {
        ct_put(out, "\\[ ");
        ct_latex_symbol(out, ct_name_text(s->ctx, s->transfer_part[i].name));
        ct_put(out, " = ");
        ct_expr_put_latex(t->pool, out, s->transfer_part[i].value);
        ct_put(out, " \\]\n");
    }
    for (uint32_t i = 0; i < t->p * t->m; i++) {
        const ct_poly_ratio *f = &t->at[i];
        ct_putf(out, "\\[ G_{%u,%u}(s) = ", i / t->m + 1, i % t->m + 1);
        bool whole = is_one(t->pool, &f->den);
        ct_put(out, whole ? "" : "\\frac{");
        put_poly(t->pool, &f->num, true, out);
        if (!whole) {
            ct_put(out, "}{");
            put_poly(t->pool, &f->den, true, out);
            ct_put(out, "}");
        }
        ct_put(out, " \\]\n");
    }
}
