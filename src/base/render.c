/* render.c - diagnostics as people and as programs read them. */
#include <string.h>

#include "base/context.h"
#include "base/json.h"
#include "base/text.h"
#include "base/utf8.h"

typedef struct palette {
    const char *strong, *error, *warning, *mark, *off;
} palette;

static const palette plain = {"", "", "", "", ""};
static const palette colours = {"\033[1m", "\033[1;31m", "\033[1;35m", "\033[1;32m", "\033[0m"};

static const ct_source *source_of(const ct_context *ctx, const char *path)
{
    for (uint32_t i = 1; i < ctx->sources.count; i++)
        if (ctx->sources.at[i].path == path)
            return &ctx->sources.at[i];
    return NULL;
}

static const char *find_line(const ct_source *source, uint32_t line, size_t *length)
{
    const char *at = source->text;
    for (uint32_t i = 1; i < line; i++) {
        const char *end = strchr(at, '\n');
        if (!end)
            break;
        at = end + 1;
    }
    *length = strcspn(at, "\r\n");
    return at;
}

enum { WIDEST = 160 };

/* Tabs and control characters become one blank each, bytes that are no UTF-8 a question mark, so
 * that the caret stands right. A very long line is shown around the mark only. */
static uint32_t put_line(ct_text *out, const char *at, size_t length, uint32_t column)
{
    uint32_t shown = 0, here = 1, first = column > WIDEST / 2 ? column - WIDEST / 2 : 1;
    for (const char *end = at + length; at < end && shown < WIDEST;) {
        uint32_t own = ct_utf8_length(at, (size_t)(end - at)), bytes = own ? own : 1;
        if (here++ >= first) {
            if (own && ct_is_control(at, own))
                ct_put_char(out, ' ');
            else if (own)
                ct_put_bytes(out, at, bytes);
            else
                ct_put_char(out, '?');
            shown++;
        }
        at += bytes;
    }
    ct_put_char(out, '\n');
    return column - first;
}

static void put_excerpt(const ct_context *ctx, ct_text *out, const ct_diag *d, const palette *p)
{
    const ct_source *source = source_of(ctx, d->file);
    if (!source)
        return;
    size_t length;
    const char *line = find_line(source, d->line, &length);
    ct_putf(out, "%5u | ", d->line);
    uint32_t indent = put_line(out, line, length, d->column);
    ct_put(out, "      | ");
    ct_put_repeat(out, ' ', indent);
    ct_putf(out, "%s^", p->mark);
    ct_put_repeat(out, '~', d->width - 1 < WIDEST - indent ? d->width - 1 : WIDEST - indent);
    ct_putf(out, "%s\n", p->off);
}

static void put_visible(ct_text *out, const char *before, const char *text, const char *after)
{
    ct_put(out, before);
    ct_put_visible(out, text);
    ct_putf(out, "%s\n", after);
}

static void put_text(const ct_context *ctx, ct_text *out, const ct_diag *d, const palette *p)
{
    bool error = d->severity == CT_ERROR;
    if (d->file) {
        ct_put(out, p->strong);
        ct_put_visible(out, d->file);
        ct_putf(out, ":%u:%u: %s", d->line, d->column, p->off);
    }
    ct_putf(out, "%s%s[%s]:%s ", error ? p->error : p->warning, error ? "error" : "warning",
            d->code, p->off);
    put_visible(out, p->strong, d->message, p->off);
    if (d->file)
        put_excerpt(ctx, out, d, p);
    for (size_t i = 0; i < d->note_count; i++)
        put_visible(out, "      = ", d->notes[i], "");
    if (d->help)
        put_visible(out, "      = help: ", d->help, "");
}

static void put_json(ct_json *j, const ct_diag *d)
{
    ct_json_open(j, NULL, '{');
    ct_json_text(j, "code", d->code);
    ct_json_text(j, "severity", d->severity == CT_ERROR ? "error" : "warning");
    ct_json_text(j, "file", d->file);
    ct_json_int(j, "line", d->line);
    ct_json_int(j, "column", d->column);
    ct_json_int(j, "width", d->width);
    ct_json_text(j, "message", d->message);
    ct_json_texts(j, "notes", d->notes, d->note_count);
    ct_json_text(j, "help", d->help);
    ct_json_texts(j, "witness", d->witness, d->witness_count);
    ct_json_close(j, '}');
}

void ct_json_diagnostics(ct_json *j, const ct_context *ctx)
{
    ct_json_open(j, "diagnostics", '[');
    for (size_t i = 0; i < ct_diag_count(ctx); i++)
        put_json(j, ct_diag_at(ctx, i));
    ct_json_close(j, ']');
}

typedef struct render_job {
    ct_context *ctx;
    ct_diag_style style;
    const char *text;
} render_job;

static void render_json(ct_context *ctx, ct_text *out)
{
    ct_json j = ct_json_new(out, "");
    ct_json_open(&j, NULL, '{');
    ct_json_diagnostics(&j, ctx);
    ct_json_close(&j, '}');
    ct_put_char(out, '\n');
}

static void render(void *user)
{
    render_job *job = user;
    ct_text out = ct_text_new(job->ctx->base);
    if (job->style == CT_DIAG_JSON) {
        render_json(job->ctx, &out);
    } else {
        size_t shown = 0, count = ct_diag_count(job->ctx);
        for (size_t i = 0; i < count; i++) {
            put_text(job->ctx, &out, ct_diag_at(job->ctx, i),
                     job->style == CT_DIAG_COLOR ? &colours : &plain);
            shown += ct_diag_at(job->ctx, i)->severity == CT_ERROR;
        }
        if (ct_error_count(job->ctx) > shown)
            ct_putf(&out, "... and %zu more errors\n", ct_error_count(job->ctx) - shown);
    }
    job->text = ct_text_string(&out);
}

ct_status ct_diag_render(ct_context *ctx, ct_diag_style style, const char **text)
{
    render_job job = {ctx, style, ""};
    size_t limit = ctx->def.max_bytes;
    ctx->def.max_bytes = 0; /* that the limit was reached must be told, too */
    ct_status status = ct_protect(ctx, render, &job);
    ctx->def.max_bytes = limit;
    *text = job.text;
    return status;
}
