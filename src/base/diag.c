/* diag.c - reports: collected once each, in the order of the text. */
#include "base/diag.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codes.h"
#include "base/context.h"
#include "base/text.h"
#include "base/vec.h"

enum { MOST_REPORTS = 200 };

struct ct_report {
    ct_diag public;
    ct_context *ctx;
    ct_place place;
    CT_VEC(const char *) notes, witness;
    uint32_t number; /* in the order of reporting; the list is in that of places */
    bool cut; /* a stage ended while it was being written: it is written anew when told again */
};

/* Lies in the context from the beginning. */
struct ct_last_words {
    ct_report report;
    char message[120];
};

void ct_diags_init(ct_context *ctx)
{
    ctx->diags.at = CT_NEW_ARRAY(ctx->base, ct_report *, MOST_REPORTS + 1);
    ctx->diags.last = CT_NEW(ctx->base, struct ct_last_words);
}

static const char *format_text(ct_context *ctx, const char *format, va_list arguments)
{
    ct_text text = ct_text_new(ctx->base);
    ct_vputf(&text, format, arguments);
    return ct_text_string(&text);
}

const char *ct_printf(ct_context *ctx, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = format_text(ctx, format, arguments);
    va_end(arguments);
    return text;
}

static bool same_report(const ct_report *r, const char *code, ct_place place, const char *message)
{
    return strcmp(r->public.code, code) == 0 && r->place.source == place.source &&
           r->place.at == place.at && strcmp(r->public.message, message) == 0;
}

static ct_report *find_report(ct_context *ctx, const char *code, ct_place place,
                              const char *message)
{
    for (uint32_t i = 0; i < ctx->diags.count; i++)
        if (same_report(ctx->diags.at[i], code, place, message))
            return ctx->diags.at[i];
    return NULL;
}

static uint32_t marked_width(const ct_source *source, ct_place place)
{
    uint32_t width = 0;
    for (uint32_t i = place.at; i < place.at + place.length && i < source->length; i++) {
        if (source->text[i] == '\n')
            break;
        width += ((unsigned char)source->text[i] & 0xc0) != 0x80;
    }
    return width ? width : 1;
}

static void set_place(ct_report *r, ct_place place)
{
    r->place = place;
    if (!place.source)
        return;
    place = ct_source_origin(r->ctx, place);
    const ct_source *source = ct_source_get(r->ctx, place.source);
    r->public.file = source->path;
    ct_source_locate(source, place.at, &r->public.line, &r->public.column);
    r->public.width = marked_width(source, place);
}

static bool comes_before(const ct_report *a, const ct_report *b)
{
    if (a->place.source != b->place.source)
        return a->place.source < b->place.source;
    return a->place.at < b->place.at;
}

static void keep_in_order(ct_context *ctx, ct_report *r)
{
    uint32_t i = ctx->diags.count++;
    r->number = ++ctx->diags.numbered;
    for (; i && comes_before(r, ctx->diags.at[i - 1]); i--)
        ctx->diags.at[i] = ctx->diags.at[i - 1];
    ctx->diags.at[i] = r;
}

/* Room for an error among reports of which enough are kept: the last warning goes. */
static bool drop_warning(ct_context *ctx)
{
    uint32_t i = ctx->diags.count;
    while (i > 0 && ctx->diags.at[i - 1]->public.severity == CT_ERROR)
        i--;
    if (i == 0)
        return false;
    for (; i < ctx->diags.count; i++)
        ctx->diags.at[i - 1] = ctx->diags.at[i];
    ctx->diags.count--;
    return true;
}

void ct_cut_report(ct_context *ctx)
{
    if (ctx->diags.latest)
        ctx->diags.latest->cut = true;
}

static ct_report *emptied(ct_report *r)
{
    r->notes.count = r->witness.count = 0;
    r->public.note_count = r->public.witness_count = 0;
    r->public.help = NULL;
    r->cut = false;
    r->ctx->diags.latest = r;
    return r;
}

static ct_report *report(ct_context *ctx, ct_severity severity, const char *code, ct_place place,
                         const char *message)
{
    assert(ct_code_find(code));
    ctx->diags.raised += severity == CT_ERROR;
    ct_report *r = find_report(ctx, code, place, message);
    if (r)
        return r->cut ? emptied(r) : CT_NEW(ctx->base, ct_report); /* its notes go nowhere */
    r = CT_NEW(ctx->base, ct_report);
    ctx->diags.latest = r;
    r->ctx = ctx;
    r->public.code = code;
    r->public.severity = severity;
    r->public.message = message;
    ctx->diags.errors += severity == CT_ERROR;
    if (ctx->diags.count >= MOST_REPORTS && !(severity == CT_ERROR && drop_warning(ctx)))
        return r; /* counted, not kept: nobody reads the 201st */
    set_place(r, place);
    keep_in_order(ctx, r);
    return r;
}

ct_report *ct_error(ct_context *ctx, const char *code, ct_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *message = format_text(ctx, format, arguments);
    va_end(arguments);
    return report(ctx, CT_ERROR, code, place, message);
}

ct_report *ct_warning(ct_context *ctx, const char *code, ct_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *message = format_text(ctx, format, arguments);
    va_end(arguments);
    return report(ctx, CT_WARNING, code, place, message);
}

void ct_note(ct_report *r, const char *format, ...)
{
    if (!r->ctx)
        return;
    va_list arguments;
    va_start(arguments, format);
    const char *note = format_text(r->ctx, format, arguments);
    va_end(arguments);
    CT_PUSH(r->ctx->base, r->notes, note);
    r->public.notes = r->notes.at;
    r->public.note_count = r->notes.count;
}

void ct_help(ct_report *r, const char *format, ...)
{
    if (!r->ctx)
        return;
    va_list arguments;
    va_start(arguments, format);
    r->public.help = format_text(r->ctx, format, arguments);
    va_end(arguments);
}

void ct_witness(ct_report *r, const char *name)
{
    if (!r->ctx)
        return;
    CT_PUSH(r->ctx->base, r->witness, ct_arena_copy(r->ctx->base, name, strlen(name)));
    r->public.witness = r->witness.at;
    r->public.witness_count = r->witness.count;
}

size_t ct_errors_raised(const ct_context *ctx)
{
    return ctx->diags.raised;
}

size_t ct_diag_count(const ct_context *ctx)
{
    return ctx->diags.count;
}

size_t ct_error_count(const ct_context *ctx)
{
    return ctx->diags.errors;
}

const ct_diag *ct_diag_at(const ct_context *ctx, size_t index)
{
    return index < ctx->diags.count ? &ctx->diags.at[index]->public : NULL;
}

void ct_forget_last(ct_context *ctx)
{
    ct_diag_list *list = &ctx->diags;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->at[i] != &list->last->report)
            continue;
        list->count--;
        list->errors--;
        memmove(list->at + i, list->at + i + 1, (list->count - i) * sizeof *list->at);
    }
}

void ct_tell_at_last(ct_context *ctx, const char *code, const char *message, size_t megabytes,
                     const char *help)
{
    struct ct_last_words *last = ctx->diags.last;
    ct_forget_last(ctx);
    snprintf(last->message, sizeof last->message, message, megabytes);
    last->report = (ct_report){
        .public = {.code = code, .severity = CT_ERROR, .message = last->message, .help = help}};
    ctx->diags.errors++;
    ctx->diags.raised++;
    keep_in_order(ctx, &last->report);
}

void ct_forget_reports(ct_context *ctx, uint32_t source)
{
    ct_diag_list *list = &ctx->diags;
    while (list->count && list->at[list->count - 1]->place.source >= source) /* in this order */
        list->errors -= list->at[--list->count]->public.severity == CT_ERROR;
}

uint32_t ct_reports_so_far(const ct_context *ctx)
{
    return ctx->diags.numbered;
}

void ct_forget_reports_since(ct_context *ctx, uint32_t number)
{
    ct_diag_list *list = &ctx->diags;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        ct_report *r = list->at[i];
        bool error = r->public.severity == CT_ERROR;
        if (r->number <= number) {
            list->at[kept++] = r;
            continue;
        }
        list->errors -= error;
        list->raised -= error && list->raised;
    }
    list->count = kept;
}
