/* simulator.h - inside the folder: what the public simulator holds. */
#ifndef CT_API_SIMULATOR_H
#define CT_API_SIMULATOR_H

#include "simulate/simulate.h"

struct ct_simulator {
    ct_arena *arena;
    const ct_model *model;
    ct_machine *machine;
    ct_rig *rig; /* of the present values; NULL: to be made */
    double *value;
    bool *own; /* quantities set by ct_set_parameter */
};

#endif
