/* rank.h - inside the mechanics folder: which rows depend on those before them. */
#ifndef CT_MECHANICS_RANK_H
#define CT_MECHANICS_RANK_H

#include "mechanics/inside.h"

typedef struct finding {
    uint32_t fixed_rank, driven_rank;
    bool *fixed, *driven; /* by row of joints, by row of drivers: depends on earlier ones */
} finding;

/* Of the user's chords. *again: also at another time than the start, where something is driven.
 * False: no configuration was found. */
bool ct_rank_in_space(mechanics *m, ct_arena *arena, finding *best, bool *again);

#endif
