/* ldl_front.c - L D L^T by fronts, in real and in complex numbers. */
#include <string.h>

#include "solve/ldl_block.h"
#include "solve/ldl_number.h"

/* -O2 of gcc leaves loops of unknown length scalar. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { CT_PANEL = 48 }; /* columns that are worked into the others at once */

/* Four rows of a column; loads need no alignment. */
typedef double four __attribute__((vector_size(32), aligned(8)));

/* Four rows and columns of C -= A B; B is packed, four numbers for each k. */
static void update_tile_real(int depth, size_t lda, const double *a, const double *b, size_t ldc,
                             double *c)
{
    four c0 = {0}, c1 = {0}, c2 = {0}, c3 = {0};
    for (int k = 0; k < depth; k++, a += lda, b += 4) {
        four x = *(const four *)a;
        c0 += x * b[0];
        c1 += x * b[1];
        c2 += x * b[2];
        c3 += x * b[3];
    }
    *(four *)c -= c0;
    *(four *)(c + ldc) -= c1;
    *(four *)(c + 2 * ldc) -= c2;
    *(four *)(c + 3 * ldc) -= c3;
}

static void take_product(ct_complex *c, const four *re, const four *im)
{
    c[0] = (ct_complex){c[0].re - ((*re)[0] - (*im)[1]), c[0].im - ((*re)[1] + (*im)[0])};
    c[1] = (ct_complex){c[1].re - ((*re)[2] - (*im)[3]), c[1].im - ((*re)[3] + (*im)[2])};
}

/* Two rows and columns; a vector holds two complex numbers, which are multiplied by the real and by
 * the imaginary parts of B apart. */
static void update_pair(int depth, size_t lda, const ct_complex *a, const ct_complex *b, size_t ldc,
                        ct_complex *c)
{
    four re0 = {0}, im0 = {0}, re1 = {0}, im1 = {0};
    for (int k = 0; k < depth; k++, a += lda, b += 4) {
        four x = *(const four *)a;
        re0 += x * b[0].re;
        im0 += x * b[0].im;
        re1 += x * b[1].re;
        im1 += x * b[1].im;
    }
    take_product(c, &re0, &im0);
    take_product(c + ldc, &re1, &im1);
}

static void update_tile_complex(int depth, size_t lda, const ct_complex *a, const ct_complex *b,
                                size_t ldc, ct_complex *c)
{
    update_pair(depth, lda, a, b, ldc, c);
    update_pair(depth, lda, a + 2, b, ldc, c + 2);
    update_pair(depth, lda, a, b + 2, ldc, c + 2 * ldc);
    update_pair(depth, lda, a + 2, b + 2, ldc, c + 2 * ldc + 2);
}

#define TWICE "solve/ldl_front.def"
#include "solve/ldl_twice.def"
