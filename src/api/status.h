/* status.h - inside the folder: what went wrong, as a status. */
#ifndef CT_API_STATUS_H
#define CT_API_STATUS_H

#include <cotree/cotree.h>

/* Did a numerical method fail? Else the model is wrong. */
bool ct_is_numerical(const ct_context *ctx);

/* Callers who do not ask for a length give NULL. */
static inline void ct_tell_length(size_t *length, size_t value)
{
    if (length)
        *length = value;
}

#endif
