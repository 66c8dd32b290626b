/* running.h - inside the folder: a run of a network. */
#ifndef CT_NODAL_RUNNING_H
#define CT_NODAL_RUNNING_H

#include "nodal/law.h"
#include "simulate/sheet.h"

typedef struct running {
    const ct_model *model;
    const ct_tree *tree;
    const double *value;
    const ct_simulation_def *def;
    ct_arena *arena, *own;
    net *n;
    outputs o;
    ct_run_sheet sheet;
    ct_simulation *s;
    double *z, *x, *rates; /* rates: of states, after a start or restart */
    uint32_t *watch, watch_count;
    uint32_t *rated, rated_count; /* states whose rates rows read */
    form *rate_form;              /* of each, over watched z and u */
    double *rate;
    uint32_t *measured, measured_count; /* columns that show more than an entry of z */
    double *column;
    laws *laws;          /* of a nonlinear network */
    ct_lawful lawful;    /* it may be one */
    const char *why_not; /* it is left to others; NULL: done, well or with a report */
} running;

/* A time at which something jumps is moved a hair to the right (run.c). */
double ct_running_right_side(const running *r, double t);
bool ct_running_interrupted(const running *r);
/* A row of watched z, at u of the time `at`. */
bool ct_running_row(running *r, double t, double at, const double *z);

/* Start and integration of a nonlinear network (run_laws.c). False: no start was found. */
bool ct_laws_run(running *r);

#endif
