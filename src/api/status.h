/* status.h - inside the folder: what went wrong, as a status. */
#ifndef CT_API_STATUS_H
#define CT_API_STATUS_H

#include <cotree/cotree.h>

/* Runs the body of a public call (call.c). What ends for want of memory or at a limit has then told
 * so, whatever memory is left. */
ct_status ct_call(ct_context *ctx, void (*body)(void *user), void *user);

/* Of a call that gave nothing: did a numerical method fail? Else the model is wrong. */
ct_status ct_failure(const ct_context *ctx);

/* Callers who do not ask for a length give NULL. */
static inline void ct_tell_length(size_t *length, size_t value)
{
    if (length)
        *length = value;
}

#endif
