/* codes.h - the stable codes of all messages, each with its explanation (codes.def). */
#ifndef CT_BASE_CODES_H
#define CT_BASE_CODES_H

#include <stddef.h>

typedef struct ct_message_code {
    const char *code, *title, *explanation;
} ct_message_code;

const ct_message_code *ct_code_find(const char *code); /* NULL: no such code */
const ct_message_code *ct_code_list(size_t *count);    /* in the order of codes.def */

#endif
