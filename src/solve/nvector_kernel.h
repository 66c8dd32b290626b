/* nvector_kernel.h - the loops over numbers that take the time. Sums are made in a fixed order. */
#ifndef CT_SOLVE_NVECTOR_KERNEL_H
#define CT_SOLVE_NVECTOR_KERNEL_H

#include <stdint.h>

void ct_kernel_scale(uint32_t n, double c, const double *x, double *z);         /* z = c x */
void ct_kernel_add(uint32_t n, double a, const double *x, double b, double *y); /* y = a x + b y */
void ct_kernel_sum(uint32_t n, double a, const double *x, double b, const double *y, double *z);
double ct_kernel_dot(uint32_t n, const double *x, const double *y);
double ct_kernel_squares(uint32_t n, const double *x, const double *w); /* sum of (x w)^2 */
double ct_kernel_most(uint32_t n, const double *x, const double *w);    /* largest |x w| */

#endif
