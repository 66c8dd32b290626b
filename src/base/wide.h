/* wide.h - functions of four doubles at once, in a vector register of AVX2: one argument and the
 * result stand in ymm0. Only machine code calls them, on processors that have it. */
#ifndef CT_BASE_WIDE_H
#define CT_BASE_WIDE_H

/* NULL: there is none on this kind of machine. */
typedef void (*ct_wide_fn)(void);

#endif
