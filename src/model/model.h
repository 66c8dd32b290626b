/* model.h - the flat model: components with their elements, nodes, parameters, wishes.
 *
 * An element (`resistor`) is elaborated once for each set of constants and choices it is used with;
 * its terminal equations are a template over the symbols `R`, `e.v`, `e.i`. A component (`R2`) is
 * an element with nodes and parameter values; a million of them cost 28 bytes each.
 *
 * Symbols of the model: a parameter, input or constant has its full name (`R0`, `X.Kp`); a variable
 * of an edge is `R2.i`, or `M1.e.i` when the element has several edges; of a node `n3.v`; an own
 * unknown of a component `M.w`. Components and nodes never share a name.
 */
#ifndef CT_MODEL_MODEL_H
#define CT_MODEL_MODEL_H

#include "choice/choice.h"
#include "base/symbol.h"
#include "base/hash.h"
#include "expr/expr.h"
#include "lang/syntax.h"
#include "model/domain.h"
#include "model/mechanism.h"
#include "units/infer.h"

#define CT_GROUND_TERMINAL UINT32_MAX
enum { CT_SIGNAL_PORT = 254 };

typedef struct ct_limit {
    ct_comparison relation; /* LESS .. GREATER_EQUAL */
    ct_expr bound;          /* SI; of an element over its symbols */
} ct_limit;

typedef struct ct_terminal {
    ct_name name;
    uint32_t domain; /* or CT_SIGNAL_PORT */
    uint32_t slot;   /* of a signal port: where its value goes */
    bool generic;    /* its domain is that of the node */
    bool frame;      /* of a port between two frames: tail and head of each of its edges */
    uint8_t spaces;  /* of such a port: CT_IN_PLANE, CT_IN_SPACE, or both */
    uint32_t group;  /* which port, counted from 0: the stretch between two | */
    ct_name whole;   /* `a` of the entries `a[1]`, `a[2]` on vector nodes; else the name */
    uint32_t width;  /* entries of the whole; they stand one after the other */
} ct_terminal;

typedef struct ct_element_edge {
    ct_name name;         /* `e`; on vector nodes an entry, `e[2]` */
    ct_name whole;        /* `e` */
    uint32_t width, part; /* entries of the whole, and which one, from 0 */
    uint32_t tail, head;  /* terminals, or CT_GROUND_TERMINAL */
    uint32_t domain;
    ct_place place;
} ct_element_edge;

typedef struct ct_element_param {
    ct_name name;
    bool has_dim;     /* else each use may have its own dimension */
    ct_dim_term open; /* of a signal block: what that is, in unknowns of the text; while building */
    bool is_signal;   /* a signal port: its value comes by position */
    bool mixed;       /* a vector or matrix whose entries have dimensions of their own */
    ct_dim dim;
    ct_expr fallback; /* default, over the element's symbols; 0: must be given */
    const ct_limit *limit;
    uint32_t limit_count;
    uint32_t rows, cols;          /* a vector has cols 1 */
    uint32_t slot;                /* first of its rows * cols values in ct_model.param_value */
    const ct_expr *cell_fallback; /* of a vector or matrix: one per cell, else NULL */
    const char *doc;              /* may be NULL */
    ct_place place;
} ct_element_param;

/* Default of cell i, over the element's symbols; 0: none. */
static inline ct_expr ct_default_of(const ct_element_param *p, uint32_t i)
{
    return p->cell_fallback ? p->cell_fallback[i] : p->fallback;
}

/* What an own unknown is for. */
typedef enum ct_own_use {
    CT_OWN_PLAIN,
    CT_OWN_ITSELF, /* the component's name is its name */
    CT_OWN_AGE,    /* of what has a past: something must step in time, and be it time itself */
    CT_OWN_CLOCK,  /* the same, of modes without states */
    CT_OWN_FREE,   /* of a law that is free while a mode is chosen */
} ct_own_use;

/* A cell of an own unknown or signal; those of a vector or matrix stand one after the other. */
typedef struct ct_element_named {
    ct_name name;        /* `w`, `u[2]`, `Z[1,2]` */
    ct_name whole;       /* `u` */
    uint32_t rows, cols; /* of the whole */
    uint32_t part;       /* which cell of it, from 0 */
    ct_own_use use;
    ct_dim dim;
    ct_dim_term open; /* count 0: known; else each use may have its own, as in ct_element_param */
    ct_expr expr;     /* of a signal; the symbol of an own unknown */
    ct_place place;
} ct_element_named;

typedef struct ct_element_equation {
    ct_expr left, right;
    ct_place place;
} ct_element_equation;

/* A statement of an element that has modes, in the order of its text. What holds of it now is its
 * way (choice.h). */
typedef struct ct_law {
    ct_law_kind kind;
    uint32_t under;            /* the IF around it, plus 1; 0: none */
    uint8_t way;               /* the branch in which it stands */
    ct_expr a, b, limit, hold; /* of a pair: its restitution, a discrete for a after an impact */
    ct_expr gap;               /* of a pair: what must be closed for it to hold; 0: nothing */
    ct_place place;
} ct_law;
/* An assignment of an event. */
typedef struct ct_assignment {
    ct_expr target;  /* symbol of a discrete or of a variable; 0: `stop` */
    ct_expr value;   /* from what was before: no target of the same block is left in it */
    ct_expr written; /* of a clock: the same, computed step by step as it is written; 0: as value */
    const char *why; /* of `stop` */
    ct_place place;
    bool renames; /* nothing moves: other coordinates of the same */
} ct_assignment;

/* How impacts that happen at once share the impulses: the element's `choice rule`. */
typedef enum ct_impact_rule {
    CT_IMPACT_SEQUENTIAL, /* one after the other */
    CT_IMPACT_NEWTON,
    CT_IMPACT_POISSON,
} ct_impact_rule;

/* A step function in C: at a tick it makes the last `outputs` assignments of the first `inputs`. */
typedef struct ct_controller {
    const char *source, *function;
    uint32_t inputs, outputs, states;
    ct_place place;
} ct_controller;

/* `when` and `every`: what is assigned, and as what turns true or how often. */
typedef struct ct_happening {
    bool clock;
    ct_expr condition;       /* a truth value; of a clock: its period */
    ct_expr offset;          /* of a clock: when it ticks first; 0: at zero */
    const char *label;       /* as written: `when x < 0` */
    ct_name owner;           /* a component, or 0 */
    ct_assignment *assigned; /* in the order of the text */
    uint32_t assigned_count;
    ct_impact_rule rule;       /* of an element with such a choice */
    const ct_controller *code; /* that makes the values; NULL: none */
    bool lag; /* of a clock that does not tick: its period is how long ago the value was */
    ct_place place;
} ct_happening;

/* What a variable of a field is when the field is 1 everywhere, across or through. */
typedef struct ct_field_rest {
    ct_expr variable, share[2];
    bool guess; /* of an end: what is connected may decide */
} ct_field_rest;

/* A param that stands for a key at one place of a field. */
typedef struct ct_along {
    ct_name key;
    uint32_t slot, param;
    ct_expr place; /* x/length */
} ct_along;

/* A field that is the same along its length: -z' = (c d/dt + g) y + load, -(1 + tau d/dt) y' = (l
 * d/dt + r) z, y across, z through. One that bends has two of each: beam_wave.h. */
typedef struct ct_field_line {
    ct_expr c, g, l, r, tau, load, length; /* per length */
    ct_expr zeta;                          /* of all modes, which only a finite model has */
    bool bends;
    ct_expr shear, rotary, tension; /* where it bends */
    uint32_t edge[4]; /* deflection and turn at the begin, then at the end; CT_NO_END_EDGE: none */
    bool fixed[4];    /* without an edge: kept at zero, else free */
} ct_field_line;
#define CT_NO_END_EDGE UINT32_MAX

/* A variable of a field at equal distances from the begin to the end, for pictures. */
enum { CT_FIELD_PLACES = 61 };
typedef struct ct_field_space {
    ct_name name;
    ct_dim dim;
    const ct_expr *value;
} ct_field_space;

/* A symbol of a template: the partial derivative of a key (or of such a symbol) by a variable. */
typedef struct ct_key_slope {
    ct_name of, by, name;
} ct_key_slope;

typedef struct ct_element {
    ct_name name;
    uint32_t index;
    const char *help, *source, *undetermined, *remark; /* NULL: none */
    const ct_terminal *terminal;
    const ct_element_edge *edge;
    const ct_element_param *param;
    const ct_element_named *var, *signal, *discrete; /* expr of a discrete: its start */
    const ct_happening *happening;
    const ct_element_equation *equation;
    uint32_t terminal_count, edge_count, param_count, var_count, signal_count, equation_count;
    const ct_law *law; /* of an element with modes; equations are then those of CT_WAY_OPEN */
    uint32_t law_count;
    uint32_t group_count, slot_count, discrete_count, happening_count;
    const ct_name *slot_name; /* symbol of each parameter slot in the template */
    const uint32_t *computed; /* params whose defaults name others, each behind those it names */
    uint32_t computed_count;
    const ct_name *differed; /* slots of which partial derivatives are taken */
    uint32_t differed_count;
    const ct_key_slope
        *slope; /* those slopes that are not zero, each behind the one it is made of */
    uint32_t slope_count;
    bool from_energy;
    bool has_signal_port, limited; /* limited: a param has limits */
    bool generic;                  /* ports of any domain */
    bool one_terminal;             /* mass, inertia: tail is ground, which may be written too */
    bool grounded;                 /* tank, capacitor: head is ground when it is not written */
    bool is_field;                 /* spread along a line (field.h) */
    bool own_numbers;              /* made with values of one component */
    const uint32_t *edge_equation; /* of a field: which equation is each edge's */
    const ct_along *along;         /* values of keys that depend on the place */
    uint32_t along_count;
    ct_name axis;              /* of a field with such keys; else 0 */
    ct_expr ratio;             /* of damping, of a field by cells; 0: none */
    const ct_field_line *line; /* NULL: none, or not the same along its length */
    ct_expr length;
    const ct_field_rest *rest; /* how it begins when `p(0)` or `q(0)` is given */
    uint32_t rest_count;
    ct_name rest_name[2];
    ct_name space_axis; /* of every field: `x` */
    const ct_field_space *space;
    uint32_t space_count;
    bool lags;   /* its discretes are what was a while ago: every T is that while */
    bool open;   /* the tree decides which of its ends are held */
    bool broken; /* errors were reported */
    ct_place place;
} ct_element;

typedef struct ct_component {
    ct_name name;
    uint32_t element; /* index into ct_model.element */
    uint32_t node;    /* first of its terminals in ct_model.terminal_node */
    uint32_t value;   /* first of its parameters in ct_model.param_value; 0 there: default */
    ct_place place;
} ct_component;

enum {
    CT_COMPONENT_INSIDE = 1, /* of a subsystem */
    CT_COMPONENT_PORT = 2,   /* keeps a node at the motion of a joint or line */
    CT_COMPONENT_LOOP = 4,   /* a signal of an algebraic loop, as an equation */
};

typedef struct ct_model_node {
    ct_name name, whole; /* `q` of the entries `q[1]`, `q[2]`, which stand one after the other */
    ct_place place;
    uint8_t width, part; /* entries of the whole (0: no vector), and which one, from 0 */
    uint8_t domain;      /* CT_NO_DOMAIN until used */
    bool datum : 1, declared : 1;
    bool clashed : 1; /* two domains met there, and it was said */
} ct_model_node;
_Static_assert(sizeof(ct_model_node) == 24, "a large model has as many nodes as elements");

typedef enum ct_quantity_kind { CT_PARAM, CT_INPUT, CT_SIGNAL, CT_DISCRETE } ct_quantity_kind;

/* A named value. */
typedef struct ct_quantity {
    ct_name name;
    ct_quantity_kind kind;
    ct_dim dim;
    ct_expr symbol; /* 0 for a signal */
    ct_expr value;  /* default of a parameter or input, definition of a signal, start of a
                       discrete; 0: none */
    const ct_limit *limit;
    uint32_t limit_count;
    bool frozen;          /* a param whose value is in numbers that were found while building */
    bool lag;             /* a discrete that is delayed, and so moves */
    ct_place place;       /* of its declaration */
    ct_place value_place; /* of what gives it a value; that of the declaration if nothing does */
} ct_quantity;

typedef struct ct_output {
    const char *name; /* as written, or by `as` */
    ct_expr expr;
    ct_dim dim;
    ct_place place;
} ct_output;

/* A pair that a mode holds closed (shadow.h). */
typedef struct ct_closed {
    uint32_t component;
    ct_expr gap;
} ct_closed;

typedef struct ct_start {
    ct_expr variable; /* symbol, or der(symbol) */
    ct_expr value;
    bool guess;
    ct_place place;
} ct_start;

typedef struct ct_wish {
    uint32_t component, edge;
    ct_place place;
} ct_wish;

typedef struct ct_plotted {
    ct_expr expr, over; /* over 0: time */
    const char *label, *over_label;
    const char *title; /* of the figure; may be NULL */
    ct_expr place;     /* of a field: expr is that of this place along it, over time; 0: no field */
    /* Shape of a mode at CT_FIELD_PLACES places along `place`, which is the length; NULL: none. */
    const ct_expr *shape;
    ct_dim dim;
    uint32_t figure; /* curves of one plot statement share it */
} ct_plotted;

typedef struct ct_run_settings {
    ct_expr stop, start, tol, atol, points, step; /* 0: not given */
    ct_name method;
} ct_run_settings;

struct ct_model {
    ct_context *ctx;
    ct_arena *arena;
    ct_pool *pool;
    ct_symbols *symbols; /* what its symbols stand for; it grows while they are read */
    ct_name name;
    const char *title; /* may be NULL */
    const ct_element *const *element;
    const ct_component *component;
    const uint8_t *component_flag;
    const uint32_t *terminal_node;
    const ct_expr *param_value;
    const ct_model_node *node;
    const ct_quantity *quantity;
    const double *quantity_value;   /* by defaults; NaN: none */
    const ct_map *quantity_by_name; /* name -> index + 1 */
    const ct_output *output;
    const ct_start *start;
    const ct_wish *wish;
    const ct_plotted *curve;
    const ct_happening *happening;
    uint32_t element_count, component_count, node_count, quantity_count, output_count, start_count,
        wish_count, curve_count, happening_count;
    const ct_mechanism *mechanism; /* bodies and joints; NULL: none */
    const ct_expr *watch;          /* what a run in a mode is asked for besides (shadow.h) */
    uint32_t watch_count;
    const ct_closed *closed; /* gaps that a mode holds at zero */
    uint32_t closed_count;
    ct_run_settings run;
    bool initial_equilibrium;
};

/* Which ports of a field are held: 1, and bit 1 + edge. */
typedef struct ct_held_ends {
    ct_name component;
    uint64_t held;
} ct_held_ends;

/* NULL after errors were reported. */
const ct_model *ct_model_build(const ct_syntax *syntax, const ct_build_def *def);
/* The same with ends of fields that are open without (ct_element.open). */
const ct_model *ct_model_build_held(const ct_syntax *syntax, const ct_build_def *def,
                                    const ct_held_ends *ends, uint32_t end_count);

/* The library element of that name, elaborated with its defaults; NULL: none. For the manual. */
const ct_element *ct_library_element(ct_context *ctx, ct_pool *pool, const char *name);
/* Names of all library elements in order of the library; *count of them. */
const char *const *ct_library_names(ct_context *ctx, uint32_t *count);
/* The text of a library element as it stands in the library; NULL: none. */
const char *ct_library_block(ct_context *ctx, const char *name);

/* Values in the parameter slots of a component, defaults resolved; 0: a default divides by zero. */
const ct_expr *ct_component_params(const ct_model *model, uint32_t component);
/* Value of a slope among symbols with their values. */
ct_expr ct_slope_value(const ct_model *m, const ct_key_slope *s, const ct_name *symbol,
                       const ct_expr *value, uint32_t count);
/* Replaces the element's symbols in templates by those of the component; all at once, because
 * a component can have as many variables as equations. 0: it leads to a division by zero. */
void ct_component_instances(const ct_model *model, uint32_t component, const ct_expr *template,
                            ct_expr *out, uint32_t count);
ct_expr ct_component_instance(const ct_model *model, uint32_t component, ct_expr template);
/* One that is no vector. */
ct_element_named ct_single_named(ct_name name, ct_expr expr, ct_place place);
/* Symbol of variable `row` (of the domain) of an edge; of own unknown `var`. */
ct_name ct_edge_variable(const ct_model *model, uint32_t component, uint32_t edge, uint32_t row);
ct_name ct_own_variable(const ct_model *model, uint32_t component, uint32_t var);
ct_name ct_node_variable(const ct_model *model, uint32_t node, uint32_t row);
ct_own_use ct_use_of(const ct_model *model,
                     ct_name symbol); /* of rates: of what they are rates of */
ct_name ct_own_discrete(const ct_model *model, uint32_t component, uint32_t discrete);
/* The symbol for what a discrete was before the instant. */
ct_name ct_pre_symbol(ct_context *ctx, ct_name discrete);
/* The symbol for the time of a tick, offset + k*period, where a clock assigns. */
ct_name ct_tick_symbol(ct_context *ctx);
/* The symbol for the impulse by which an event sets a variable. */
ct_name ct_push_symbol(ct_context *ctx, ct_name variable);
/* The symbol that the equations of an element have for it: `e.v`. */
ct_name ct_template_variable(const ct_model *model, const ct_element *e, uint32_t edge,
                             uint32_t row);
/* Is it an input or a delayed value, or a derivative of one? */
bool ct_model_moves(const ct_model *model, ct_name symbol);
/* Has an expression of the component something in it that may jump, other than by its own
 * variables? (varied.c) */
bool ct_jumps_from_outside(const ct_model *model, uint32_t component, ct_expr e);
/* Name of an edge: `R2`, or `M1.e` when there are several. */
ct_name ct_edge_name(const ct_model *model, uint32_t component, uint32_t edge);
bool ct_limit_holds(double value, ct_comparison relation, double bound);

/* A search for rest at t = 0 that is guessed begins with one just before, where laws may hold what
 * is guessed (spice_guess in the library); *before is that time. */
bool ct_model_is_guessed(const ct_model *model, double t, double *before);
const char *ct_limit_text(ct_comparison relation);
/* Numeric value of an expression of parameters, by their defaults; NaN when something is missing.
 */
double ct_model_value(const ct_model *model, ct_expr e);
/* The same with other numbers of its quantities, by ct_look_up, which is for ct_expr_value. */
typedef struct ct_quantities {
    const ct_model *model;
    const double *value;
} ct_quantities;
double ct_look_up(const void *quantities, ct_name symbol); /* NaN: no quantity */
double ct_value_with(const ct_model *model, const double *value, ct_expr e);

void ct_model_dump(const ct_model *model, ct_text *out);

#endif
