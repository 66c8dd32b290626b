/* part.h - which unknowns of a large system take part in a step; the others are at rest.
 *
 * Vectors stay as long as the system: loops go over ranges of their indices.
 */
#ifndef CT_SOLVE_PART_H
#define CT_SOLVE_PART_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ct_index_range {
    uint32_t begin, end;
} ct_index_range;

typedef struct ct_index_ranges {
    ct_index_range *at;
    uint32_t count;
} ct_index_ranges;

#define CT_EACH(i, ranges)                                                                         \
    for (const ct_index_range *i##_in = (ranges).at; i##_in < (ranges).at + (ranges).count;        \
         i##_in++)                                                                                 \
        for (uint32_t i = i##_in->begin; i < i##_in->end; i++)

/* Of an unknown and its row: nothing happens there; it rests, but neighbours move: what flows to it
 * is counted; it is solved for. */
enum ct_part_level { CT_AT_REST, CT_COUNTED, CT_SOLVED_FOR };

typedef struct ct_active_part {
    ct_index_ranges solved;  /* unknowns that are solved for */
    ct_index_ranges charges; /* that are counted: of these and of counted rows, and of laws */
    ct_index_ranges border;  /* rows that are counted alone */
    const uint8_t *level;    /* per unknown */
    const uint32_t *changed;
    uint32_t changed_count; /* unknowns whose level the last change was of */
} ct_active_part;

/* What is known of how unknowns move, and what they may: atol + rtol * most. */
typedef struct ct_drift {
    const double *z, *before; /* at the ends of the last step */
    const double *most, *defect;
    double rtol, atol;
    double left; /* time until the end of the run */
} ct_drift;

#endif
