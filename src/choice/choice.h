/* choice.h - which way each item of a model goes: the choice of modes, in plain C.
 *
 * The files of this folder stand alone. They are compiled into the library, and exported C files
 * hold their texts, with CT_CHOICE defined as `static`: what a run of the program chooses and what
 * the exported one chooses is one text. They know neither models nor equations, only items by
 * number and modes by number, and ask for the rest by the functions of ct_choice_calls. Names with
 * ct_ stand for all of them, those of static functions, too: one file holds them all.
 */
#ifndef CT_CHOICE_CHOICE_H
#define CT_CHOICE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CT_CHOICE
#define CT_CHOICE
#endif

/* ---- items */

/* A statement of an element that has modes, in the order of its text. */
typedef enum ct_law_kind {
    CT_LAW_EQUATION, /* a = b */
    CT_LAW_IF,       /* a is a condition: other laws stand under it */
    CT_LAW_PAIR,     /* a >= 0, b >= 0, one of them zero */
    CT_LAW_SLIP      /* b = limit sign(a); |b| <= hold where a is zero */
} ct_law_kind;

/* Which way it goes. */
enum {
    CT_WAY_FIRST,     /* the condition holds; a = 0 */
    CT_WAY_SECOND,    /* it does not; b = 0; b = limit, a >= 0 */
    CT_WAY_THIRD,     /* b = -limit, a <= 0 */
    CT_WAY_FREE,      /* b + a = an own unknown that stays: for the choice of modes */
    CT_WAY_BACK,      /* a = hold, in an impact: what comes back of a pair */
    CT_WAY_LOOSE,     /* b = 0 of what slips: others hold a at zero already */
    CT_WAY_SHUT,      /* the gap of a pair = 0, at rest: there a is zero anyway */
    CT_WAY_OPEN = 255 /* not decided: one equation for all ways */
};

typedef struct ct_mode_item {
    ct_law_kind kind;
    bool gap;                /* a pair that holds where a gap is closed */
    uint8_t way;             /* of the IF around it */
    uint32_t under;          /* item of that IF, plus 1; 0: none */
    bool returns;            /* a pair with restitution */
    uint32_t component, law; /* whose it is */
} ct_mode_item;

/* What is watched of an item; of an IF its condition as a. */
enum { CT_WATCH_A, CT_WATCH_B, CT_WATCH_LIMIT, CT_WATCH_HOLD, CT_WATCHES };
enum { CT_WATCH_GAP = CT_WATCH_HOLD }; /* of a pair */

/* Does the item hold in the mode? One below another branch of an IF does not. */
CT_CHOICE bool ct_item_stands(const ct_mode_item *item, uint32_t number, const uint8_t *way);

/* ---- the choice */

enum { CT_TOUCH_HELD = 2 };
enum { CT_MOST_TRIED = 27, CT_MOST_STRIKES = 64 };

/* The mode in which all that may go either way is free, as a linear problem. Numbers of the columns
 * of z begin at start, their rows are those of row. */
typedef struct ct_choice_wave {
    uint32_t states, size;                   /* of z, states first */
    const uint32_t *start, *row;             /* of slopes of the equations */
    const uint32_t *watch_start, *watch_row; /* of what is watched */
    const uint32_t *source;                  /* per item: its own unknown in z */
    double *slope, *watch_slope, *value;     /* room for their values; for what is watched */
    double *step, *by;       /* room: matrix of a step; dz by each source, then by the step alone */
    double *line;            /* of each item and quantity: by the sources, then the constant */
    double *chosen, *given;  /* matrix of the sources; their values */
    uint32_t *pivot, *order; /* of step; of chosen */
    uint32_t *item, count;   /* that are free */
    uint8_t *forced;         /* the way of one that is redundant; CT_WAY_OPEN: it is not */
    double tau;              /* what things take there */
} ct_choice_wave;

/* What events did. */
typedef enum ct_struck_by {
    CT_STRIKE_NOTHING,
    CT_STRIKE_HELD,  /* what is set cannot move */
    CT_STRIKE_LAST,  /* the run ends */
    CT_STRIKE_DONE,  /* something happened, */
    CT_STRIKE_OTHER, /* without an impulse */
    CT_STRIKE_CROSS, /* whichever way an item goes it would have to go the other one */
    CT_STRIKE_FAILED /* otherwise */
} ct_struck_by;

/* Of a strike: UINT32_MAX in own: no mode has these ways. */
typedef struct ct_strike {
    uint32_t mode, own;   /* the mode before; in which it happened */
    uint8_t *way, *tried; /* to be tried next, and CT_MOST_STRIKES + 2 of those before */
    bool *wrong;          /* per item, after a try */
    uint32_t tries, begin, culprit;
    ct_struck_by acted;
} ct_strike;

/* What the choice asks for; modes are numbers, UINT32_MAX: none. */
typedef struct ct_choice_calls {
    const uint8_t *(*way_of)(void *user, uint32_t mode);
    uint32_t (*find)(void *user,
                     const uint8_t *way); /* of these ways; none contradict each other */
    uint32_t (*need)(void *user, const uint8_t *way); /* the same, with a linear problem */
    /* From what is stored just before, at that time, to the time of the choice. */
    bool (*enter)(void *user, uint32_t mode, double before, bool *moved);
    const double *(*watch)(void *user, uint32_t mode); /* at the time of the choice, as it is */
    void (*hold)(void *user, uint32_t mode);           /* conditions have their sides of now */
    uint32_t (*judge)(void *user, uint32_t mode);      /* as ct_choice_wrong */
    /* What is stored is that of the mode from now on, just after an impact or not. */
    bool (*leave)(void *user, uint32_t mode, bool impact);
    double (*moment)(void *user, uint32_t mode);        /* when something jumps next by itself */
    ct_choice_wave *(*wave)(void *user, uint32_t mode); /* 0: it has no linear problem */
    void (*slopes)(void *user, uint32_t mode, double *entry);
    void (*rates)(void *user, uint32_t mode, double t, double *rate);
    void (*lines)(void *user, uint32_t mode, double t, double *value, double *entry);
    void (*restore)(void *user, uint32_t mode); /* as it was before an event */
    ct_struck_by (*act)(void *user, uint32_t mode);
    const double *(*shock)(void *user, uint32_t mode); /* impulses of it; 0: there were none */
    /* May be 0: a mode that followed before and is right again; the one that was chosen, for good
     * or for an impulse alone; a pair that is hit. */
    uint32_t (*known)(void *user);
    void (*chosen)(void *user, uint32_t mode, bool lasts);
    void (*hit)(void *user, uint32_t item, double t, double before, bool rest);
} ct_choice_calls;

typedef struct ct_chooser {
    const ct_choice_calls *ask;
    void *user;
    const ct_mode_item *item;
    uint32_t count;
    bool mechanism; /* equations of loops may be good for all places but this one */
    double span;    /* of the run */
    /* Of items, from event to event. */
    double *scale;          /* of what is watched: the largest so far */
    double *calm, *flipped; /* by what more than rounding decides, since it went to and fro then */
    double *touch;          /* of pairs: not zero where the gap is closed, or even held so */
    double *shift, *back;   /* of pairs: restitution times a before an impact; a after it; */
    double *series;         /* CT_SERIES of each: impacts so far. NULL: none has a restitution */
    double *last_hit, *slight_hits; /* of any, and how many slight ones there were */
    /* The mode that is left. */
    uint32_t from;
    double before, t; /* just before, just after */
    double crossed;   /* how far what ended it is below zero, */
    uint32_t left;    /* of which of its roots, two of each item; UINT32_MAX: something else did */
    /* Of a choice. */
    const uint8_t *present;
    uint8_t *way, *found;
    uint32_t tried[CT_MOST_TRIED], tried_count;
    uint32_t wave;
    ct_choice_wave *l;
    uint32_t last, culprit; /* entered last; its root that is not right */
    uint32_t worst;         /* of any, for messages */
    bool moved;             /* something that is stored jumped in the last one */
    bool desperate;         /* from the present ways none was found */
    bool missing;           /* a mode is needed that nobody has: to be set by find and need */
} ct_chooser;

/* ---- lasts.c: does a mode last? */

/* The largest finite sizes so far. */
CT_CHOICE void ct_note_sizes(double *largest, const double *value, uint32_t count);
/* What must stay above zero for the mode to last: two values of each item; used: items that have
 * some in it. */
CT_CHOICE void ct_choice_margins(const ct_chooser *c, const uint8_t *way, const uint32_t *used,
                                 uint32_t used_count, const double *watch, double *margin);
CT_CHOICE void ct_choice_roots(const ct_chooser *c, const uint8_t *way, const uint32_t *used,
                               uint32_t used_count, const double *watch, const double *offset,
                               double *root);
/* Has no item left what its way allows? The worst of its roots, or UINT32_MAX. From margins to
 * offsets of roots; which is lowest, and how far. */
CT_CHOICE uint32_t ct_choice_wrong(ct_chooser *c, const uint8_t *way, const double *watch,
                                   double *margin, double *crossed, uint32_t *left);
/* An item has ended its mode: where that happens over and over in no time rounding did it, of what
 * cancels in it, and more is left out of account. */
CT_CHOICE void ct_choice_calm(ct_chooser *c, uint32_t root, double t);
/* Gaps that are closed: held so, or come to zero (least: in SI units) and not about to open. At
 * the first look nobody knows how large they are: a run may have left as much of one as it did. */
CT_CHOICE void ct_choice_touch(ct_chooser *c, const uint8_t *way, const double *watch, double least,
                               bool first);
/* Ways of the IFs by their conditions. True: some differ. */
CT_CHOICE bool ct_choice_conditions(const ct_chooser *c, const double *watch, uint8_t *way);

/* ---- dense.c */

typedef struct ct_dense {
    uint32_t n;
    double *a; /* by rows, with room for a row behind them */
    uint32_t *pivot;
} ct_dense;
CT_CHOICE bool ct_dense_factor(ct_dense *matrix); /* false: singular */
CT_CHOICE void ct_dense_solve(const ct_dense *matrix, double *b);

/* ---- lines.c: the linear problem */

/* Of the wave where it is now: deriving a mode may have made it anew. False: it has none. */
CT_CHOICE bool ct_open_wave(ct_chooser *c);
/* Ways for which all signs are right after a step of h; shift: added to what pairs have then. */
CT_CHOICE bool ct_find_ways(ct_chooser *c, double h, double eps, const double *shift);
/* What others hold already is loose. False: there is none. */
CT_CHOICE bool ct_loosen(ct_chooser *c);

/* ---- choose.c */

/* Items that may go either way are free, others go as they do; false: there are none. */
CT_CHOICE bool ct_choice_free(const ct_chooser *c, const uint8_t *present, uint8_t *way);
/* The mode of these ways, with a linear problem, entered. */
CT_CHOICE bool ct_choice_open(ct_chooser *c);
/* Ways of pairs and of what slips, those of IFs in `present`, for what is stored; the mode `last`
 * is entered. False: none is right. culprit: it held for an impulse alone. */
CT_CHOICE bool ct_choice_choose(ct_chooser *c);

/* Why the mode after an event is not found. */
typedef enum ct_settling {
    CT_SETTLED,
    CT_NO_WAY,      /* none is right, */
    CT_NO_WAVE,     /* none could be sought, */
    CT_NO_IMPACT,   /* or none for the impact; */
    CT_NO_BOUNCE,   /* culprit: its restitution is none */
    CT_ROUND_ABOUT, /* modes change without end */
    CT_NOT_LEFT     /* leave has failed */
} ct_settling;

/* The mode after an event, `last`; way: of the present one, then of this one. */
CT_CHOICE ct_settling ct_choice_settle(ct_chooser *c, uint8_t *way);

/* ---- bounce.c: pairs with restitution */

/* What is kept of each: the last impact, three gaps in time, the newest first, the last speed. */
enum { CT_SERIES_LAST, CT_SERIES_GAP, CT_SERIES_SPEED = 4, CT_SERIES };

CT_CHOICE void ct_series_begin(ct_chooser *c); /* another run */
/* Those that are hit at this instant come back. */
CT_CHOICE ct_settling ct_choice_bounce(ct_chooser *c);

/* ---- strike.c: what events do in a mode */

/* Impulses choose their ways through pairs. */
CT_CHOICE ct_struck_by ct_choice_strike(ct_chooser *c, ct_strike *s);

#endif
