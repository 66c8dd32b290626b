/* impulse.h - how large impulses of events are: small dense problems, in plain C.
 *
 * As choice.h: compiled into the library, and written into exported C files as they are.
 */
#ifndef CT_CHOICE_IMPULSE_H
#define CT_CHOICE_IMPULSE_H

#include <stdbool.h>
#include <stdint.h>

#ifndef CT_CHOICE
#define CT_CHOICE
#endif

/* ---- impulse.c: a x = b, in place; a is lost. What others determine needs no impulse of its own,
 * if it is set as they have it (to within small). The row that is not, else n. room: 2 n numbers,
 * order: 2 n. */
CT_CHOICE uint32_t ct_impulse_solve(double *a, double *b, const double *small, uint32_t n,
                                    double *room, uint32_t *order);

/* ---- impact.c: impacts at once. Impulses P >= 0 and speeds W P + q >= 0, one of them zero.
 * Newton: q = (1 + e) u. Poisson: until nothing approaches, then e times these impulses, and what
 * is needed besides. False: not found. room: n (n + 3) numbers, active: n. */
CT_CHOICE bool ct_impact_impulses(bool poisson, const double *w, const double *u, const double *e,
                                  uint32_t n, double *impulse, double *room, bool *active);

#endif
