/* simulator.h - inside the folder: what the public simulator holds. */
#ifndef CT_API_SIMULATOR_H
#define CT_API_SIMULATOR_H

#include "simulate/simulate.h"

struct ct_simulator {
    ct_arena *arena;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    ct_form form;
    bool numeric;        /* nodal analysis in numbers is tried first, */
    ct_machine *machine; /* and this made when it is needed */
    ct_rig *rig;         /* of the present values; NULL: to be made */
    double *value;
    bool *own; /* quantities set by ct_set_parameter */
};

/* Derived equations made executable; NULL after reporting. */
ct_machine *ct_simulator_machine(ct_simulator *simulator);
/* What computes with derived equations, made when it is first needed; NULL after reporting. */
ct_rig *ct_simulator_rig(ct_simulator *simulator);

#endif
