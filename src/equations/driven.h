/* driven.h - the equations as a run sees them: inputs replaced by what drives them, and where they
 * jump or bend as records.
 *
 *     ct_driven_new     rates and residuals, driven
 *     ct_drive_all ..   the same for what a reader computes besides
 *     ct_driven_close   parameters, events; nothing changes any more
 */
#ifndef CT_EQUATIONS_DRIVEN_H
#define CT_EQUATIONS_DRIVEN_H

#include "base/hash.h"
#include "equations/equations.h"
#include "equations/event.h"

typedef CT_VEC(ct_expr) ct_expr_list;
typedef CT_VEC(ct_name) ct_name_list;

struct ct_driven {
    ct_context *ctx;
    ct_arena *arena;
    ct_pool *pool;
    const ct_model *model;
    const ct_reduced *reduced; /* NULL: functions of time alone */
    ct_name time;
    uint32_t n, m;
    const ct_name *z; /* symbols of x, then of w, then t, then of discretes, of what they were
                         before an instant, and of the time of a tick if there are clocks, then of
                         the held conditions */
    uint32_t z_count; /* of all of them */
    uint32_t known;   /* of those before the held conditions */
    uint32_t forced;  /* with the forces that hold what rests behind them, one for each push */
    const uint32_t *discrete; /* quantities of the model */
    uint32_t discrete_count;
    uint32_t memory;           /* of these, of what they were before, and of the time of a tick */
    const ct_name *push;       /* impulses by which events set variables */
    const ct_expr *push_slope; /* of each: how rates and residuals depend on it */
    uint32_t push_count;
    ct_act *act; /* events that the model writes */
    uint32_t act_count;
    ct_map z_index;        /* symbol -> index + 1 */
    const ct_expr *fg;     /* rates, residuals; conditions as they stand */
    const ct_expr *kept;   /* the same with conditions held */
    const ct_expr *pushed; /* fg with forces in it; NULL: no condition reads any */
    /* At rest nothing changes, inputs included: fg without derivatives of inputs. NULL: there are
     * none. charge - rest is what drivers that rise from zero put into storage. */
    const ct_expr *rest, *charge;
    /* The same as fg and rest with balances (reduced.h) for f: for operating points. */
    const ct_expr *balance, *rest_balance;
    ct_map *driver;           /* inputs and their derivatives: symbol -> what drives it */
    bool closed;              /* then the map grows no more */
    const ct_name *parameter; /* those that matter */
    uint32_t parameter_count;
    ct_map parameter_index; /* symbol -> index + 1 */
    ct_map ghost_value;     /* symbols of eliminated unknowns that cancel -> their value */
    CT_VEC(ct_expr *) also; /* expressions of a reader whose events count, too */
    ct_events events;       /* of fg and these */
};

/* NULL after reporting (E528, E529). */
ct_driven *ct_driven_new(const ct_equations *equations);
/* Of functions of time alone: no states, no unknowns. */
ct_driven ct_driven_open(const ct_model *model, ct_arena *arena);
/* What a reader computes besides, driven; parameters that occur in it or in the equations are
 * listed. */
void ct_list_parameters(ct_driven *driven, const ct_expr *e, uint32_t count);
/* An expression of a reader, driven: its events are found with those of fg, and it is rewritten in
 * place when the equations are closed. */
void ct_driven_also(ct_driven *driven, ct_expr *e);
void ct_driven_close(ct_driven *driven);
/* The same in another context, where the pool has the same numbers. */
const ct_driven *ct_driven_clone(const ct_driven *driven, const ct_reduced *reduced);

/* Is it a variable of the equations? */
bool ct_driven_unknown(const ct_driven *driven, ct_name symbol);
/* Replaces inputs and their derivatives in expressions over x, w, u, u', in place (drive.c); false
 * after reporting. */
bool ct_drive_all(const ct_driven *driven, ct_expr *e, uint32_t count);
/* The same, but forces that may hold what rests stay as symbols. */
bool ct_drive_pushed(const ct_driven *driven, ct_expr *e, uint32_t count);
bool ct_reads_pushes(const ct_driven *driven, ct_expr e);
/* Where nothing rests, in place. */
void ct_forget_pushes(const ct_driven *driven, ct_expr *e, uint32_t count);
/* A driven copy without derivatives of inputs and of time; when charging, those of slacks are what
 * drivers have risen to. NULL: it would be the same. Mechanisms move with their drivers. */
const ct_expr *ct_drive_still(const ct_driven *driven, const ct_expr *e, uint32_t count,
                              bool charging);
/* The copy, if it is not the same. */
const ct_expr *ct_unless_same(const ct_expr *copy, const ct_expr *e, uint32_t count);

/* Impulses of events (acts.c), from equations that are not driven yet; then they are zero. */
bool ct_list_pushes_of(ct_driven *driven, const ct_expr *fg);
/* Events that the model writes (acts.c): false after reporting; their expressions, on a list. */
bool ct_list_acts(ct_driven *driven);
void ct_push_acts(const ct_driven *driven, ct_expr_list *all);
void ct_acts_dump(const ct_driven *driven, ct_text *out);

/* All symbols in the expressions, each once (drive.c). */
ct_name_list ct_symbols_of(ct_pool *pool, ct_arena *arena, const ct_expr *e, uint32_t count);

/* ---- events (conditions.c, poles.c, swings.c, tame.c) */

enum { CT_READS_TIME = 1, CT_READS_VARIABLES = 2 };
int ct_symbol_reads(const ct_driven *driven, ct_expr symbol);

/* Functions that steps could pass over: adds swings and turns to the events; peaks and flanks of
 * functions of time lie where one of zero is zero. trait: node -> CT_READS_..., perhaps more. */
void ct_find_swings(const ct_driven *driven, const ct_expr *e, uint32_t count, const ct_map *trait,
                    ct_events *found, ct_expr_list *zero);

/* Functions that pass zero where the expression passes through infinity or jumps by itself, each
 * once: what is known of them is not listed again. */
void ct_find_poles(const ct_driven *driven, ct_expr e, ct_map *known, ct_expr_list *pole);

/* Rewrites the expressions in place: what jumps becomes a held symbol. The first own of them are
 * integrated or solved. */
void ct_find_events(const ct_driven *driven, ct_expr *e, uint32_t count, uint32_t own,
                    ct_events *found);
/* The same for expressions of a reader, as far as the equations have these events already. */
void ct_hold_jumps(const ct_driven *driven, ct_expr *e, uint32_t count);
/* Which of them jump where variables decide it? */
void ct_find_jumps(const ct_driven *driven, const ct_expr *e, uint32_t count, bool *jumps);
/* Does it stay continuous where the comparison or sign below it changes? */
bool ct_jump_is_tamed(const ct_driven *driven, ct_expr user, ct_expr jump);
/* Is it a periodic wave that ends where it begins, so that it does not jump after all? */
bool ct_wave_closes(const ct_driven *driven, ct_expr e);

#endif
