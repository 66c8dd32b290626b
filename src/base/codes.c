/* codes.c - the table of codes.def, and looking a code up. */
#include "base/codes.h"

#include <string.h>

#include <cotree/cotree.h>

static const ct_message_code codes[] = {
#define CODE(code, title, explanation) {code, title, explanation},
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
