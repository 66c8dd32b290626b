/* ldl_columns.c - L D L^T column by column, in real and in complex numbers. */
#include <string.h>

#include "solve/ldl_block.h"
#include "solve/ldl_number.h"

#define NUMBER     double
#define NAMED(x)   x##_real
#define L          l
#define D          d
#define MUL(a, b)  ct_real_mul(a, b)
#define SUB(a, b)  ct_real_sub(a, b)
#define INVERSE(a) ct_real_inverse(a)
#define SIZE(a)    ct_real_size(a)
#define ENTRY      ct_real_entry
#include "solve/ldl_columns.def"
#undef NUMBER
#undef NAMED
#undef L
#undef D
#undef MUL
#undef SUB
#undef INVERSE
#undef SIZE
#undef ENTRY

#define NUMBER     ct_complex
#define NAMED(x)   x##_complex
#define L          lz
#define D          dz
#define MUL(a, b)  ct_complex_mul(a, b)
#define SUB(a, b)  ct_complex_sub(a, b)
#define INVERSE(a) ct_complex_inverse(a)
#define SIZE(a)    ct_complex_size(a)
#define ENTRY      ct_complex_entry
#include "solve/ldl_columns.def"
