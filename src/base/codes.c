/* codes.c - the table of codes.def, and looking a code up. */
#include "base/codes.h"

#include <string.h>

static const ct_message_code codes[] = {
#define CODE(code, status, title, explanation) {code, status, title, explanation},
#include "base/codes.def"
#undef CODE
};

const ct_message_code *ct_code_list(size_t *count)
{
    *count = sizeof codes / sizeof *codes;
    return codes;
}

const ct_message_code *ct_code_find(const char *code)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(codes[i].code, code) == 0)
            return &codes[i];
    return NULL;
}

bool ct_code_reported(const ct_context *ctx, ct_status status)
{
    for (size_t i = 0; i < ct_diag_count(ctx); i++) {
        const ct_message_code *row = ct_code_find(ct_diag_at(ctx, i)->code);
        if (row && row->status == status)
            return true;
    }
    return false;
}

const char *ct_code_title(const char *code)
{
    const ct_message_code *found = ct_code_find(code);
    return found ? found->title : NULL;
}

const char *ct_explain_code(const char *code)
{
    const ct_message_code *found = ct_code_find(code);
    return found ? found->explanation : NULL;
}
