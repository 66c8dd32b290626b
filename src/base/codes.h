/* codes.h - the stable codes of all messages, each with its explanation (codes.def). */
#ifndef CT_BASE_CODES_H
#define CT_BASE_CODES_H

#include <stdbool.h>
#include <stddef.h>

#include <cotree/cotree.h>

typedef struct ct_message_code {
    const char *code;
    ct_status status; /* of the call that ends with it; CT_OK: a warning */
    const char *title, *explanation;
} ct_message_code;

const ct_message_code *ct_code_find(const char *code); /* NULL: no such code */
const ct_message_code *ct_code_list(size_t *count);    /* in the order of codes.def */
/* Is there a report whose code has this status? */
bool ct_code_reported(const ct_context *ctx, ct_status status);

#endif
