/* context.c - makes a context, counts its memory against the limit, and leaves stages that fail. */
#include "base/context.h"

#include <stdlib.h>
#include <string.h>

const char *ct_status_text(ct_status status)
{
    static const char *const text[] = {
#define CT_STATUS_TEXT(name, text) text,
        CT_STATUS_LIST(CT_STATUS_TEXT)
#undef CT_STATUS_TEXT
    };
    size_t count = sizeof text / sizeof *text;
    return (size_t)status < count ? text[status] : "unknown status";
}

static void *default_realloc(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size)
        return realloc(block, new_size);
    free(block);
    return NULL;
}

ct_context_def ct_default_context_def(void)
{
    return (ct_context_def){
        .realloc = default_realloc,
        .max_source_bytes = (size_t)1 << 30,
        .max_components = 20000000,
        .native = true,
        .wide = true,
    };
}

void *ct_context_try_realloc(ct_context *ctx, void *block, size_t old_size, size_t new_size)
{
    size_t held = ctx->bytes - old_size + new_size;
    if (ctx->def.max_bytes && new_size > old_size && held > ctx->def.max_bytes) {
        ctx->over = true;
        return NULL;
    }
    void *moved = ctx->def.realloc(ctx->def.realloc_user, block, old_size, new_size);
    if (moved)
        ctx->bytes = ctx->bytes - old_size + new_size;
    return moved;
}

void *ct_context_realloc(ct_context *ctx, void *block, size_t old_size, size_t new_size)
{
    void *moved = ct_context_try_realloc(ctx, block, old_size, new_size);
    if (!moved)
        ct_throw(ctx, CT_ERR_MEMORY);
    return moved;
}

void ct_context_release(ct_context *ctx, void *block, size_t size)
{
    ctx->bytes -= size;
    ctx->def.realloc(ctx->def.realloc_user, block, size, 0);
}

size_t ct_context_bytes(const ct_context *ctx)
{
    return ctx->bytes;
}

void ct_throw(ct_context *ctx, ct_status status)
{
    if (!ctx->trap)
        abort(); /* a stage was called outside ct_protect(): a mistake in this library */
    ct_cut_report(ctx);
    ctx->thrown = status == CT_ERR_MEMORY && ctx->over ? CT_ERR_LIMIT : status;
    longjmp(*ctx->trap, 1);
}

ct_status ct_protect(ct_context *ctx, void (*body)(void *user), void *user)
{
    jmp_buf here, *volatile outer = ctx->trap;
    ct_status status = CT_OK;
    ctx->trap = &here;
    if (setjmp(here) == 0)
        body(user);
    else
        status = ctx->thrown;
    ctx->trap = outer;
    return status;
}

static void prepare(void *user)
{
    ct_context *ctx = user;
    ctx->base = ct_arena_new(ctx);
    ct_diags_init(ctx);
    ct_intern(ctx, "", 0);
    ct_source_add(ctx, "", "", 0);
}

ct_context *ct_context_new(const ct_context_def *def)
{
    ct_context_def chosen = def ? *def : ct_default_context_def();
    if (!chosen.realloc)
        chosen.realloc = default_realloc;
    ct_context *ctx = chosen.realloc(chosen.realloc_user, NULL, 0, sizeof *ctx);
    if (!ctx)
        return NULL;
    memset(ctx, 0, sizeof *ctx);
    ctx->def = chosen;
    ctx->bytes = sizeof *ctx;
    if (ct_protect(ctx, prepare, ctx) == CT_OK)
        return ctx;
    ct_context_free(ctx);
    return NULL;
}

void ct_context_free(ct_context *ctx)
{
    if (!ctx)
        return;
    while (ctx->arenas)
        ct_arena_free(ctx->arenas);
    ctx->def.realloc(ctx->def.realloc_user, ctx, sizeof *ctx, 0);
}
