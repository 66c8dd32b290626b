/* cases.h - how many cases a test with many of them runs. */
#ifndef CT_TESTS_CASES_H
#define CT_TESTS_CASES_H

#include <stdlib.h>

/* Fewer cases under the sanitizers; COTREE_CASES=5: five times as many. */
static inline int cases_of(int count)
{
    if (getenv("COTREE_CASES"))
        return count * atoi(getenv("COTREE_CASES"));
    return getenv("COTREE_SANITIZED") ? (count + 11) / 12 : count;
}

#endif
