/* test_context.h - tests that share one context: their setup and its arena. */
#ifndef TEST_CONTEXT_H
#define TEST_CONTEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/context.h"

static inline int make_context(void **state)
{
    *state = ct_context_new(NULL);
    return *state == NULL;
}

static inline int free_context(void **state)
{
    ct_context_free(*state);
    return 0;
}

#define ARENA (((ct_context *)*state)->base)

#endif
