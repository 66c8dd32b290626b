/* run.h - what the files of runs share. */
#ifndef CT_CLI_RUN_H
#define CT_CLI_RUN_H

#include "cli/cli.h"

typedef struct job {
    const options *o;
    ct_context *ctx;
    const ct_syntax *syntax;
    const ct_tree *tree;
    ct_simulator *simulator;
    ct_simulation_def def;
    double *times;
    double clock, told; /* progress */
    size_t told_diags;
    bool measured;            /* .meas cards are worked out, too */
    const ct_result *picture; /* other rows for pictures; NULL: the same */
} job;

/* Where rows go. */
typedef struct target {
    const char *path;
    const char *format; /* a word of CT_WORD_RESULT_FORMAT */
} target;

/* Stages; the syntax is read unless it is there. */
ct_status make_tree(job *j);
ct_status make(job *j);

/* 0 or an exit code after a message. */
int find_format(const options *o, target *t);
int put_all(job *j, const ct_result *result, const target *t);
int simulate_model(job *j, const target *t);
ct_status integrate_model(job *j, const ct_result **result); /* without showing it */
int tell_interrupt(const ct_result *result, int code);
int put_table(job *j, const ct_result *result, const char *path); /* CSV; NULL: standard output */
/* Prints the diagnostics unless they were printed before; gives the exit code. */
int report_new(job *j, ct_status status);

/* What a netlist asks for, one after the other (netlist.c). */
int run_analyses(job *j, const target *t);

#endif
