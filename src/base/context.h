/* context.h - what all stages share: memory, names, source texts, diagnostics. */
#ifndef CT_BASE_CONTEXT_H
#define CT_BASE_CONTEXT_H

#include <setjmp.h>

#include <cotree/cotree.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/name.h"
#include "base/source.h"

struct ct_context {
    ct_context_def def;
    ct_arena *arenas; /* all of them, newest first */
    size_t bytes;
    bool over;     /* more than max_bytes was asked for, and it was not told yet */
    jmp_buf *trap; /* where ct_throw() goes */
    ct_status thrown;
    ct_arena *base; /* for names, sources and diagnostics */
    ct_name_table names;
    ct_source_list sources;
    ct_diag_list diags;
};

/* Allocator. The try form returns NULL when memory is gone, the other one throws. */
void *ct_context_realloc(ct_context *ctx, void *block, size_t old_size, size_t new_size);
void *ct_context_try_realloc(ct_context *ctx, void *block, size_t old_size, size_t new_size);
void ct_context_release(ct_context *ctx, void *block, size_t size);

/* Runs body(user); a ct_throw() inside ends it and gives its status, else CT_OK. Nests. */
ct_status ct_protect(ct_context *ctx, void (*body)(void *user), void *user);
/* Is nothing in it yet? Then names and sources of another one can become its own: they have the
 * same numbers in both. The other one must live as long. */
bool ct_context_is_new(const ct_context *ctx);
void ct_context_adopt(ct_context *own, const ct_context *from);

_Noreturn void ct_throw(ct_context *ctx, ct_status status) CT_RARE;

#endif
