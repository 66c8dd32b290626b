/* call.c - how every public call runs: protected, under its limits, in the C locale. */
#include <locale.h>

#include "api/status.h"
#include "base/codes.h"
#include "base/context.h"

/* A call that ends for want of memory, or at a limit deep below, has told nothing so far. */
static void tell(ct_context *ctx, ct_status status, size_t raised)
{
    if (ctx->over)
        ct_tell_at_last(
            ctx, "E902", "this needs more than %zu MB of memory", ctx->def.max_bytes / 1000000,
            "make the model smaller, or let it be solved on a machine with more memory");
    else if (status == CT_ERR_MEMORY)
        ct_tell_at_last(ctx, "E903", "there is no more memory", 0, NULL);
    else if (ct_errors_raised(ctx) == raised)
        ct_tell_at_last(ctx, "E902", "a number, a name or a list became too large", 0, NULL);
}

ct_status ct_call(ct_context *ctx, void (*body)(void *user), void *user)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = (locale_t)0;
    if (plain) /* numbers are written and read with a point, whatever the host has chosen */
        before = uselocale(plain);
    ct_forget_last(ctx);
    size_t raised = ct_errors_raised(ctx);
    ct_status status = ct_protect(ctx, body, user);
    if (status == CT_ERR_MEMORY || status == CT_ERR_LIMIT)
        tell(ctx, status, raised);
    ctx->over = false;
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return status;
}

ct_status ct_failure(const ct_context *ctx)
{
    return ct_code_reported(ctx, CT_ERR_CONVERGENCE) ? CT_ERR_CONVERGENCE : CT_ERR_MODEL;
}
