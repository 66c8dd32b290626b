/* code.c - see code.h. Names are made valid by renaming symbols, so that the printer of the model
 * language writes most of it; operators that differ get a line of their own. */
#include "export/code.h"

#include <ctype.h>
#include <string.h>

ct_code_writer ct_code_new(ct_context *ctx, ct_arena *arena, const ct_code_language *language,
                           ct_text *out)
{
    ct_code_writer code = {.ctx = ctx,
                           .arena = arena,
                           .written = ct_pool_new(ctx),
                           .language = language,
                           .out = out,
                           .indent = "    "};
    ct_map_init(&code.name, arena);
    ct_map_init(&code.used, arena);
    ct_map_init(&code.done, arena);
    for (const char *const *word = language->reserved; *word; word++)
        ct_map_put(&code.used, ct_intern_text(ctx, *word), 1);
    for (int op = 0; op < CT_OP_COUNT; op++) /* functions are no names, either */
        if (language->spelling((ct_op)op))
            ct_map_put(&code.used, ct_intern_text(ctx, ct_op_word((ct_op)op)), 1);
    return code;
}

/* ---- names */

/* Letters, digits and single underscores: `der(C1.v)` becomes der_C1_v. */
static void put_valid(ct_text *out, const char *text)
{
    bool gap = false;
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= 0x80) {
            ct_putf(out, "u%02x", c);
        } else if (isalnum(c) || c == '_') {
            if (gap && out->length)
                ct_put_char(out, '_');
            if (!out->length && (isdigit(c) || c == '_'))
                ct_put_char(out, 'x');
            ct_put_char(out, (char)c);
            gap = false;
            continue;
        }
        gap = c < 0x80;
    }
    if (!out->length)
        ct_put_char(out, 'x');
}

static ct_name valid_name(ct_code_writer *code, ct_name symbol)
{
    ct_text text = ct_text_new(code->arena);
    put_valid(&text, ct_name_text(code->ctx, symbol));
    ct_name name = ct_intern_text(code->ctx, ct_text_string(&text));
    for (uint32_t k = 2; ct_map_get(&code->used, name); k++)
        name = ct_intern_text(code->ctx, ct_printf(code->ctx, "%s_%u", ct_text_string(&text), k));
    ct_map_put(&code->used, name, 1);
    return name;
}

static ct_name known_name(ct_code_writer *code, ct_name symbol)
{
    ct_name known = ct_map_get(&code->name, symbol);
    if (!known) {
        known = valid_name(code, symbol);
        ct_map_put(&code->name, symbol, known);
    }
    return known;
}

const char *ct_program_name(ct_context *ctx, ct_name model, ct_arena *arena)
{
    const char *own = model ? ct_name_text(ctx, model) : "";
    ct_text text = ct_text_new(arena);
    for (const char *at = own; *at; at++) {
        bool letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_';
        bool digit = *at >= '0' && *at <= '9';
        if (digit && at == own)
            ct_put(&text, "m");
        ct_put_char(&text, letter || digit ? *at : '_');
    }
    return text.length ? ct_text_string(&text) : "model";
}

const char *ct_code_name(ct_code_writer *code, ct_name symbol)
{
    return ct_name_text(code->ctx, known_name(code, symbol));
}

/* ---- expressions */

/* A pattern with operands; NULL: as in a model. */
static const char *pattern_of(const ct_code_writer *code, ct_expr e)
{
    const char *spelling = code->language->spelling(ct_expr_op(code->pool, e));
    return spelling && strchr(spelling, '#') ? spelling : NULL;
}

static const char *plain(ct_code_writer *code, ct_expr e)
{
    ct_text text = ct_text_new(code->arena), out = ct_text_new(code->arena);
    ct_expr_put(code->written, &text, e);
    for (const char *at = ct_text_string(&text); *at; at++) {
        if (*at == '^')
            ct_put(&out, code->language->power);
        else
            ct_put_char(&out, *at);
    }
    return ct_text_string(&out);
}

/* q1 = pattern with operands, as a line. */
static ct_expr put_helper(ct_code_writer *code, ct_expr e, const char *pattern)
{
    ct_name symbol = ct_intern_text(code->ctx, ct_printf(code->ctx, "q%u", ++code->helper));
    ct_name name = valid_name(code, symbol);
    ct_putf(code->out, "%s%s = ", code->indent, ct_name_text(code->ctx, name));
    for (const char *at = pattern; *at; at++) {
        if (*at != '#') {
            ct_put_char(code->out, *at);
            continue;
        }
        ct_expr operand = ct_expr_operand(code->pool, e, (uint32_t)(*++at - '1'));
        ct_putf(code->out, "(%s)", plain(code, ct_map_get(&code->done, operand)));
    }
    ct_putf(code->out, "%s\n", code->language->line_end);
    return ct_expr_symbol(code->written, name);
}

static ct_expr rebuilt(ct_code_writer *code, ct_expr e)
{
    uint32_t count = ct_expr_arity(code->pool, e);
    ct_expr *operand = CT_NEW_ARRAY(code->arena, ct_expr, count + 1);
    for (uint32_t i = 0; i < count; i++)
        operand[i] = ct_map_get(&code->done, ct_expr_operand(code->pool, e, i));
    return ct_expr_rebuild_in(code->written, code->pool, e, operand);
}

static void write_node(void *user, ct_expr e)
{
    ct_code_writer *code = user;
    ct_expr_kind kind = ct_expr_kind_of(code->pool, e);
    if (ct_map_get(&code->done, e))
        return;
    const char *pattern = kind == CT_EXPR_CALL ? pattern_of(code, e) : NULL;
    if (kind == CT_EXPR_CALL && !code->language->spelling(ct_expr_op(code->pool, e)))
        code->stranger = e;
    ct_expr out = kind == CT_EXPR_SYMBOL
                      ? ct_expr_symbol(code->written, known_name(code, ct_expr_name(code->pool, e)))
                  : pattern ? put_helper(code, e, pattern)
                            : rebuilt(code, e);
    ct_map_put(&code->done, e, out);
}

const char *ct_code_expr(ct_code_writer *code, ct_pool *pool, ct_expr e)
{
    if (pool != code->pool)
        ct_map_init(&code->done, code->arena);
    code->pool = pool;
    ct_expr_walk(code->pool, &e, 1, write_node, code);
    return plain(code, ct_map_get(&code->done, e));
}
