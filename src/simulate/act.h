/* act.h - inside the folder: events that the model writes, in a run (act_make.c, act.c). */
#ifndef CT_SIMULATE_ACT_H
#define CT_SIMULATE_ACT_H

#include "foreign/foreign.h"
#include "simulate/impact.h"
#include "solve/pace.h"

/* Of the machine; lists go with driven->act. */
struct ct_acts {
    uint32_t count, when_count;
    const ct_program *truth;        /* of conditions, in order */
    const ct_program *clock;        /* period and offset of each clock, in order */
    const ct_program *const *value; /* per act: of what it assigns */
    const uint32_t *const *state;   /* per act and set: number of a discrete, push or state */
    const ct_pushes *pushes;        /* NULL: none */
    const ct_program
        *turning; /* quantities in conditions of acts that push, with rates and terms, */
    const uint32_t *turn_act;  /* of these acts, */
    const uint32_t *turn_root; /* and roots */
    uint32_t turn_count;
    const ct_contacts *contacts; /* NULL: none has a rule */
    const bool *sees;  /* per act: it reads what equations give, so that it may depend on what */
    const bool *moves; /* blocks before it have set: per discrete, whether they have it */
};

bool ct_make_acts(ct_machine *machine); /* false after reporting */

/* Discretes have their starts; one of them gets a value. */
void ct_put_discrete(ct_rig *rig, ct_name discrete, double value);
void ct_set_discretes(ct_rig *rig);
ct_acting *ct_acting_new(ct_rig *rig); /* NULL: nothing is written */
/* Before a run; false after reporting (E551). */
bool ct_acting_begin(ct_rig *rig, double start, double stop);
/* Goes on with what happened in another rig of the same model in another mode: discretes, clocks,
 * conditions, the list. */
void ct_acting_take(ct_rig *rig, const ct_rig *from);
bool ct_acting_fits(const ct_rig *rig, const ct_rig *other); /* impulses are the same in both */
bool ct_acting_has_code(const ct_rig *rig);
/* What is watched that the impulses of the last instant reach, + 1; 0: nothing. */
uint32_t ct_acting_reach(const ct_rig *rig);
/* Do impulses of some event reach what is watched, or move nothing in this mode? */
bool ct_pushes_are_tied(const ct_machine *machine);
/* Impulses of the last instant in what is watched; z: after it. */
void ct_acting_shock(ct_rig *rig, double t, const double *z, double *watch);
/* What happens is listed in the arena; NULL: it is not. */
void ct_acting_list(ct_rig *rig, ct_arena *arena);
void ct_acting_end(const ct_rig *rig, ct_simulation *run);
/* One more on the list, if there is one. */
void ct_acting_add(ct_rig *rig, double t, const char *what, const ct_event_change *change,
                   uint32_t count);
/* Is its condition true at rig->variable? */
bool ct_act_is_true(ct_rig *rig, uint32_t act);
struct ct_blows *ct_acting_blows(const ct_rig *rig); /* NULL: nothing is pushed */
/* Code of the user (act_code.c): of an act, in a process of its own. False after reporting (E560 to
 * E563). Values of outputs go behind those of inputs. */
bool ct_code_open(const ct_rig *rig, uint32_t act, ct_foreign **code);
bool ct_code_call(const ct_rig *rig, uint32_t act, ct_foreign *code, double instant, double *value);
/* Are what an act assigns to discretes numbers? False after reporting (E596). */
bool ct_act_has_values(const ct_rig *rig, uint32_t act, double instant, const double *value);
/* For problem.h. */
ct_solve_status ct_act_now(void *rig, double instant, double t, double *z, ct_acted *acted);
double ct_next_tick(const ct_rig *rig, double t);
/* A clock (act_clock.c). */
typedef struct ct_ticking {
    double period, offset;
    double next; /* number of the next tick */
} ct_ticking;

/* The one place where the time of a tick is made. */
static inline double ct_tick_time(const ct_ticking *clock, double number)
{
    return clock->offset + number * clock->period;
}

double ct_tick_after(const ct_ticking *clock, double t); /* the next one > t */
/* Number of the first tick that is not before the start; NaN after reporting (act_clock.c). */
double ct_first_tick(const ct_rig *rig, const ct_happening *h, double period, double offset,
                     double start, double stop);
bool ct_act_happens(const ct_rig *rig, uint32_t act);   /* in the present instant */
uint64_t ct_act_count(const ct_rig *rig, uint32_t act); /* how often it has happened */
const ct_pushing *ct_acting_pushing(const ct_rig *rig); /* NULL: nothing is pushed */
/* What is told (act_report.c); false: there was none. An event loop, E552: */
bool ct_report_acts(const ct_rig *rig, double t);
/* An event storm, E569: of an act; of a condition (UINT32_MAX: of time). */
void ct_report_act_storm(const ct_rig *rig, uint32_t act, double since, double t);
bool ct_report_storm(const ct_rig *rig, uint32_t root, double since, double t);
/* A condition that is true at the start, W570: */
void ct_warn_waiting(const ct_machine *machine, const ct_act *act);
/* What is set did not give way, E568: */
bool ct_report_stuck(const ct_rig *rig, double t);
/* The same before a run, by an invariant that holds it; when: words for a time, or "". */
void ct_report_held(const ct_machine *machine, const ct_act *act, const ct_set *set,
                    uint32_t invariant, const char *when);

#endif
