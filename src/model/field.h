/* field.h - elements that are spread along a line: a field and its ends become edges, own unknowns
 * and equations; private to src/model.
 *
 * A field of order 1 (bar, pipe, line, wall) has one across variable y and one through variable z:
 *     -z' = (c d/dt + g) y + load,    (1 + tau d/dt) (-y') = (l d/dt + r) z
 * One of order 2 (beam) has two of each: speed and turning rate, shear force and moment.
 *
 * A finite model is a list of coordinates, each with a balance of through variables: stores at it,
 * flows between coordinates, and what enters at ports. A port is *held* when the across variable of
 * its edge is a coordinate, else *free*: then its through variable is given by the rest, and what
 * the coordinates lack at this place is a residual between both.
 */
#ifndef CT_MODEL_FIELD_H
#define CT_MODEL_FIELD_H

#include "model/beam_shapes.h"
#include "model/element.h"

enum { FIELD_VARIABLES = 4, FIELD_FORMS = 4, CT_FIELD_BANK = 12 };
#define NO_PORT UINT32_MAX

/* A variable of the field as it may stand in its equations. */
typedef enum field_form { PLAIN, SLOPE, RATE, SLOPE_RATE } field_form;

typedef struct field_port {
    uint32_t edge, row; /* of the element; which across variable of the field */
    uint32_t end;       /* 0: at the begin, 1: at the end, 2: a tap between */
    ct_expr place;      /* x/length */
    bool held;
    ct_place text;
} field_port;

/* What holds at one place. */
typedef struct field_law {
    ct_expr c, g, load, l, r, tau;
    ct_expr shear, rotary; /* of a beam: shear*der(F), rotary*der(w) */
    ct_expr tension;       /* of a beam: the axial force; 0: there is no such key */
} field_law;

typedef CT_VEC(ct_expr) expr_row;

/* A coordinate of the finite model. Of fields with positions pos, vel, acc are three orders of one
 * variable; else vel is the across variable, acc its rate, and there is no pos. */
typedef struct field_coord {
    ct_expr pos, vel, acc;
    uint32_t port; /* held port whose across variable it is; NO_PORT: an own unknown */
    expr_row balance;
} field_coord;

typedef struct field_term {
    uint32_t coord;
    ct_expr factor;
} field_term;

typedef CT_VEC(field_term) field_terms;

typedef struct field {
    builder *b;
    const where *w; /* inside of the element, with the variables bound */
    element_scope *es;
    ct_place place;
    uint32_t order;
    ct_name axis, name[FIELD_VARIABLES], symbol[FIELD_VARIABLES][FIELD_FORMS];
    ct_dim_term dim[FIELD_VARIABLES], axis_dim;
    ct_expr length, x;
    CT_VEC(field_port) port;
    CT_VEC(field_coord) coord;
    CT_VEC(ct_field_rest) rest;
    uint32_t *edge_equation;
    CT_VEC(ct_name) moving; /* keys that depend on the place (field_along.c) */
    CT_VEC(ct_along) along;
    CT_VEC(ct_field_space) space;
    field_law law; /* over x */
    uint32_t domain;
    bool positions; /* the domain has positions, and the flow has no loss in series */
    bool open;      /* the tree has not yet decided which ports are held */
    uint32_t flow_count, flow_next; /* own unknowns `xi` */
    uint32_t bank;                  /* flows side by side for each flow, at most CT_FIELD_BANK */
} field;

/* ---- the text (field.c) */
void ct_make_field(builder *b, const where *w, ct_node first);
/* diff and der of variables of a field that is being read; false: another call. */
bool ct_field_call(builder *b, const where *w, const char *word, const shaped *argument,
                   uint32_t count, ct_place place, shaped *value);

/* ---- options (field_options.c) */
ct_name ct_field_word(field *f, const char *name); /* of a choice; 0: there is none */
bool ct_field_is_word(field *f, const char *name, const char *word);
bool ct_field_is_bare(field *f); /* residual = none */
uint32_t ct_field_number(field *f, const char *name, uint32_t usual);
void ct_field_choose_bank(field *f);
const char *ct_field_ends(field *f); /* `clamped_free` of the key `ends`; NULL: the tree decides */
bool ct_field_word_holds(const char *ends, uint32_t end, uint32_t row);
void ct_field_choose_ends(field *f);

/* ---- taps (field_taps.c) */
void ct_field_add_taps(field *f);
ct_node ct_field_tap_place(const field *f, uint32_t port); /* its expression, in the model */
double ct_field_tap_number(field *f, uint32_t port);       /* from 0 to 1, for numeric shapes */

/* ---- numbers and parts (field_parts.c) */
ct_expr ct_field_root2(field *f);
ct_expr ct_field_pi(field *f, int64_t num, int64_t den);            /* num/den*pi */
ct_expr ct_field_of(field *f, ct_expr factor, ct_expr e);           /* their product; 0 for 0 */
field_law ct_field_law_at(field *f, ct_expr place);                 /* place: x/length */
uint32_t ct_field_held(const field *f, uint32_t end, uint32_t row); /* its port, or NO_PORT */
void ct_field_own_coords(field *f, uint32_t count, const char *name);
void ct_field_port_coord(field *f, uint32_t port);
void ct_field_store(field *f, uint32_t i, uint32_t j, ct_expr c, ct_expr g);
/* A flow that the drop over some coordinates drives; `share` is what it is where 1 flows
 * everywhere. */
ct_expr ct_field_flow(field *f, const field_terms *drop, ct_expr l, ct_expr r, ct_expr tau,
                      ct_expr share);
/* What a coordinate is where the field is 1 everywhere. */
void ct_field_begin(field *f, uint32_t coord, ct_expr share);
/* The sum of some coordinates; order -1: positions, 0: across variables, 1: their rates. */
ct_expr ct_field_sum(field *f, const field_terms *terms, int order);
void ct_field_own_flows(field *f, uint32_t count);
void ct_field_enter(field *f, uint32_t port, uint32_t coord, ct_expr factor);
ct_expr ct_field_through(field *f, uint32_t port);
ct_expr ct_field_across(field *f, uint32_t port, int order);
void ct_field_residual(field *f, uint32_t port, const field_terms *at, const field_terms *residual,
                       ct_expr l, ct_expr r, ct_expr tau);
void ct_field_signal(field *f, const char *name, const ct_expr *value, uint32_t count, ct_dim dim);
ct_expr ct_field_param(field *f, const char *name); /* its symbol; 0: there is none */
/* A stiffness without loss between positions, of the product of two coordinates. */
void ct_field_pull(field *f, uint32_t i, uint32_t j, ct_expr k);
double ct_field_gauss(uint32_t i, uint32_t panels, double *weight); /* 4 points in each panel */
void ct_field_add_load(field *f, uint32_t coord, ct_expr load);
void ct_field_equation(field *f, ct_expr left, ct_expr right);
void ct_field_end_equation(field *f, uint32_t port, ct_expr left, ct_expr right);
void ct_field_finish(field *f);

/* ---- keys that depend on the place (field_along.c) */
void ct_field_find_moving(field *f);
bool ct_field_moves(field *f, ct_expr e); /* depends on the place */
ct_node ct_field_key(const field *f, ct_name name);
ct_place ct_field_key_place(const field *f, ct_name name); /* else that of the field itself */
ct_expr ct_field_at(field *f, ct_expr e, ct_expr place);
void ct_along_like_keys(builder *b, element_scope *es);

/* ---- along the field (field_space.c) */

/* What can be seen: variables of the field by their number, or the position. */
typedef enum field_sight { SEE_FIRST, SEE_SECOND, SEE_POSITION = FIELD_VARIABLES } field_sight;

/* Values at equal distances, s from 0 to 1; nothing is asked where no plot wants it. */
void ct_field_see(field *f, field_sight sight, const void *model,
                  ct_expr (*value)(const void *model, field_sight sight, double s));

/* ---- numbers (field_numbers.c) */
typedef struct field_numbers {
    field *f;
    const where *outer; /* NULL: symbols of the element */
    uint32_t depth;
    double x;     /* where keys along the axis are read, from 0 to the length */
    bool freezes; /* params that are met keep their values from now on */
} field_numbers;

double ct_field_value(const field_numbers *from, ct_expr e); /* NaN: not known */

/* ---- fields that are the same along their length, for exact responses (field_exact.c) */
void ct_field_keep_line(field *f);
void ct_field_keep_beam(field *f, const bool *fixed);

/* ---- shapes of modes of beams and of what varies (field_shapes.c) */
typedef struct field_shapes {
    bool found; /* asked for: they depend on values; else those of any uniform beam */
    ct_beam beam;
    ct_expr mass, compliance; /* of the whole beam: rho A L, L^3/(E I); of a found one 1 */
    double slowest;           /* wave number of a cantilever like it */
    bool loaded;              /* under a constant axial force */
} field_shapes;

bool ct_field_is_loaded(field *f); /* axial = constant */
bool ct_field_find_shapes(field *f, const bool *held, uint32_t modes, field_shapes *out);

/* ---- accuracy (field_accuracy.c, field_beam_accuracy.c) */
bool ct_field_has_accuracy(const field *f);
uint32_t ct_field_choose_number(field *f, bool cells);
typedef struct field_wish {
    double accuracy, omega;
    ct_place place;
} field_wish;
bool ct_field_read_accuracy(field *f, field_wish *out); /* false after reporting */
uint32_t ct_field_refuse_accuracy(field *f, ct_place place, const char *what, const char *help);
void ct_field_tell_accuracy(field *f, uint32_t number, double estimate);
uint32_t ct_field_choose_beam(field *f, const bool *fixed, bool found, bool cells);

/* ---- finite models (field_modes.c, field_cells.c, field_delay.c, field_beam.c, field_links.c) */
void ct_field_line_modes(field *f, uint32_t modes, bool residual);
void ct_field_line_cells(field *f, uint32_t cells);
void ct_field_line_delay(field *f); /* field_delay.c: of those without losses */
void ct_field_beam_cells(field *f, uint32_t cells, const bool *fixed);
/* `fixed`: of four end coordinates, those without an edge that are kept at zero; `found`: shapes
 * that depend on values, of beams and of bars that vary along x. */
void ct_field_beam_modes(field *f, uint32_t modes, bool residual, const bool *fixed, bool found);

#endif
