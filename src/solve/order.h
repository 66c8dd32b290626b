/* order.h - in which order the unknowns of a large network are eliminated.
 *
 * Unknowns with one or two neighbours go first, round by round those that do not meet each other: a
 * ladder is halved in each round instead of being walked through from its ends. Columns that follow
 * each other then seldom wait for each other, and what a changed entry reaches is short. The rest
 * is left to AMD.
 */
#ifndef CT_SOLVE_ORDER_H
#define CT_SOLVE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* Of a square pattern by columns. False: no memory. */
bool ct_elimination_order(ct_context *ctx, uint32_t n, const int *start, const int *row,
                          int *order);

#endif
