/* build.h - how a flat model is made from a syntax tree; private to src/model.
 *
 * Statements may stand in any order, so the tree is walked three times:
 *     declare   names of values (param, const, input, signal), found lazily when read
 *     compose   components, nodes and subsystem instances
 *     resolve   expressions: keys, outputs, initial values, wishes
 */
#ifndef CT_MODEL_BUILD_H
#define CT_MODEL_BUILD_H

#include "base/suggest.h"
#include "base/vec.h"
#include "model/model.h"

/* ---- values ---------------------------------------------------------------------------------- */

typedef struct cell {
    ct_expr expr;
    ct_dim_term dim;
} cell;

/* A scalar, vector or matrix, or a bare word of a choice. No rows: an error that was reported. */
typedef struct shaped {
    uint32_t rows, cols;
    ct_name word;
    const cell *cell; /* row by row */
} shaped;

/* Names bound on the way: indices of repeat, arguments of functions. */
typedef struct env {
    ct_name name;
    bool is_index; /* of repeat: its value is `index` */
    int64_t index;
    shaped value; /* of an argument */
    const struct env *up;
} env;

typedef struct scope scope;
typedef struct element_scope element_scope;

/* Where an expression stands. */
typedef struct where {
    const ct_syntax *s;
    scope *scope;           /* of the model, a subsystem instance or an element */
    element_scope *element; /* NULL outside of elements */
    element_scope *caller;  /* of a function: the element whose text calls it */
    const env *env;
    bool in_function; /* sees its arguments only */
    bool in_event;    /* values that an event assigns: `pre` has its place there */
    bool at_tick;     /* those of a clock, as a run computes them: `t` is the tick */
} where;

typedef enum entry_kind {
    ENTRY_PARAM,
    ENTRY_CONST,
    ENTRY_INPUT,
    ENTRY_SIGNAL,
    ENTRY_DISCRETE,
    ENTRY_VAR,    /* own unknown of an element */
    ENTRY_CHOICE, /* of an element: its value is a word */
} entry_kind;
typedef enum entry_state {
    ENTRY_NEW,
    ENTRY_BUSY,
    ENTRY_DONE,
    ENTRY_QUICK, /* a component whose keys were set as it was made; it has no initial values */
} entry_state;

/* A declared value of the model or of a subsystem instance. */
typedef struct entry {
    entry_kind kind;
    entry_state state;
    ct_name name, full;
    const where *where; /* of the declaration; those of neighbours are shared */
    const where *given_where;
    ct_node decl;      /* DECL; 0 for a signal formal and a choice */
    ct_node given;     /* expression from outside that replaces the default; 0: none */
    shaped value;      /* what reading it gives */
    shaped definition; /* what defines a param or input; broken: nothing */
    shaped written;    /* of a signal: its value as written; empty: not yet asked for */
    const ct_limit *limit;
    const ct_dim *settled; /* its dimension, once known and asked for by ct_quick_keys() */
    uint32_t limit_count;
    uint32_t rank; /* in the order in which values are found: behind what it names */
    bool hidden;   /* of an element: no quantity of the model */
    bool frozen;   /* its value is in numbers that were found while building */
    bool looped;   /* a signal that was read while it was being found (loop.c) */
    ct_place place;
} entry;

typedef enum thing_kind {
    THING_COMPONENT,
    THING_SYSTEM,
    THING_BODY,
    THING_JOINT,
    THING_LOAD,   /* a vector force or torque */
    THING_FRAME,  /* a port `f : frame` of a subsystem */
    THING_BROKEN, /* an error was reported: reading it is silent */
} thing_kind;

typedef struct thing {
    thing_kind kind;
    uint32_t index; /* component, body, joint, load, frame port */
    scope *scope;   /* of a subsystem */
    ct_place place;
} thing;

struct scope {
    uint32_t id;
    bool element;   /* of an element: its values are no quantities of the model */
    ct_name prefix; /* `X.` or 0 */
    scope *outer;   /* instance that contains it */
    ct_node system; /* SYSTEM node it is an instance of; 0: the model */
    const ct_syntax *system_syntax;
    uint32_t depth;
    bool trial; /* of a system that nothing uses: what its user would give is open */
};

/* ---- types ----------------------------------------------------------------------------------- */

typedef struct variant variant;

/* An element, system or function as declared. */
typedef struct definition {
    ct_name name;
    const ct_syntax *s;
    ct_node node;
    bool library;
    bool busy;             /* a function being unfolded, a system being weighed */
    bool used;             /* a system that has instances */
    bool known;            /* of an element: the following two are */
    bool generic;          /* has ports of any domain */
    bool options;          /* has constants or choices */
    bool field;            /* is spread along a line */
    CT_VEC(ct_name) asked; /* keys whose size or presence its constants ask for */
    uint32_t weight;       /* of a system: instances that one of it makes; 0: not yet known */
    variant *variants;     /* of an element */
    struct definition *next;
} definition;

/* An element elaborated for given constants and choices. */
struct variant {
    ct_name own; /* component whose values are in the template; 0: of any */
    const ct_element *element;
    uint64_t domains;              /* of its generic ports, 8 bits each */
    uint64_t widths;               /* entries of the nodes of its ports, 8 bits each */
    const struct key_shape *shape; /* of its keys, on vector nodes */
    uint32_t shape_count;
    uint64_t ends;  /* of a field: which ports are held */
    ct_node taps;   /* of a field: the component that has them; 0: none */
    uint32_t count; /* overrides */
    const ct_name *name;
    const ct_expr *value; /* number, or 0 and word */
    const ct_name *word;
    const ct_key_slope *slope; /* of keys that depend on own variables */
    uint32_t slope_count;
    variant *next;
};

/* A component whose domains follow from what else its nodes connect. */
typedef struct deferred {
    where where;
    ct_node node;
    definition *d;
    ct_name name;
    uint32_t at; /* components before it */
    bool done;
} deferred;

/* What a component needs until its keys are resolved; one for each component. */
typedef struct pending {
    uint32_t where; /* index into builder.where */
    ct_node node;
} pending;

/* A number as written, with its unit; the same few are met again and again. */
typedef struct literal {
    ct_expr expr;  /* SI; 0: take the long way */
    uint32_t unit; /* index + 1 into builder.unit; 0: a bare number */
} literal;

/* (scope, name) -> number, not 0. The names of the model itself are dense: an array. */
typedef struct name_space {
    ct_index top;
    ct_map inner;
} name_space;

/* A signal that depends on itself (loop.c). */
typedef struct loop {
    ct_name name;
    ct_expr value;              /* 0: signal `signal` of `component`, once its keys are known */
    uint32_t component, signal; /* UINT32_MAX: of none */
    ct_place place;
} loop;

typedef struct builder {
    ct_context *ctx;
    ct_arena *arena;   /* of the model */
    ct_arena *scratch; /* until the model is built */
    ct_pool *pool;
    ct_infer *infer;
    const ct_build_def *def;
    ct_map held; /* of fields: name of the component -> index + 1 into held_ends */
    const ct_held_ends *held_ends;
    ct_map definitions, functions; /* name -> index into definition */
    ct_parser *library;            /* reads parts of the library; NULL: none so far */
    uint32_t *library_source;      /* of each of its texts; 0: not yet */
    definition **library_part;     /* of each of its parts; NULL: not read yet */
    CT_VEC(definition *) definition;
    name_space values, nodes; /* index + 1 */
    name_space things;        /* index + 1 into thing, or a component (scope.c) */
    thing found[4];           /* what ct_find_thing() makes of components, in turn */
    uint32_t found_next;
    CT_VEC(where) instance; /* subsystem instances, for their initial values */
    CT_VEC(entry *) entry;
    const where *shared[2]; /* by entries, the last one first */
    CT_VEC(thing) thing;
    CT_VEC(const ct_element *) element;
    CT_VEC(ct_component) component;
    CT_VEC(uint32_t) terminal_node;
    CT_VEC(ct_expr) param_value;
    CT_VEC(ct_model_node) node;
    CT_VEC(where) where; /* of pending components; neighbours share one */
    CT_VEC(pending) pending;
    ct_map decimals; /* text of a number -> expression */
    ct_map literals; /* (text, unit) -> index + 1 */
    CT_VEC(literal) literal;
    CT_VEC(deferred) deferred;
    CT_VEC(loop) loop;
    ct_map loops_by_name; /* index + 1 */
    CT_VEC(ct_controller *) controller;
    ct_map controllers;   /* (inputs, outputs) -> index + 1 of the element made for them */
    ct_map controller_of; /* component + 1 -> index + 1 */
    ct_map open_dims;     /* (component, unknown of its element) -> unknown of its own */
    CT_VEC(ct_quantity) quantity;
    CT_VEC(ct_output) output;
    CT_VEC(ct_start) start;
    CT_VEC(ct_wish) wish;
    CT_VEC(ct_plotted) curve;
    bool spaces; /* a plot goes along a field */
    CT_VEC(ct_happening) happening;
    CT_VEC(ct_start) first_wave; /* parts of the starts of delayed discretes */
    ct_map units;
    CT_VEC(const scope *) output_scope;
    ct_map output_names;   /* (0, or the scope of a trial; name) -> index + 1 */
    ct_map discretes;      /* (0, or the scope of an element; symbol) -> 1 */
    ct_map pre_of;         /* symbol of pre(x) -> symbol of x */
    ct_map given, started; /* symbols of params and inputs; variables with an initial value */
    ct_place run_place[8]; /* of the settings of `simulate` */
    CT_VEC(ct_unit) unit;
    CT_VEC(uint8_t) component_state; /* entry_state of its keys */
    CT_VEC(uint8_t) component_flag;
    ct_model *model;
    scope *top;
    const ct_syntax *main;
    bool wide;      /* there are vector nodes */
    ct_place blame; /* of shapes: the component on vector nodes whose element is being read */
    bool written;   /* expressions are lowered as they are written (written.c) */
    ct_map written_inputs; /* slot of a signal port -> what it takes, as written */
    ct_map ticked;         /* expression -> the same at a tick (tick.c) */
    CT_VEC(ct_expr) ticking;
    bool partial; /* statements are lost to syntax errors: what seems to be missing may be there */
    uint32_t scopes, depth, figures, ranks;
    uint32_t calls, unfolded; /* of functions: in all, below one call */
    uint64_t rounds, cells;   /* of repeat, of declared vectors: in all */
    uint64_t ahead;           /* product of the repeats around that are in their first round */
    bool passed, kept;        /* the last statement, all in this round: nothing refers to its env */
    uint32_t datum[8];        /* node + 1 per domain */
    ct_dim dim[8][CT_DOMAIN_VARIABLES];
    ct_name datum_name;
    uint64_t missing_features; /* reported already, one bit a feature */
    ct_name name_t, name_spatial, name_pi, name_ground;
    ct_name scalar_type[16]; /* types of components looked up before, no bodies or joints */
    struct mech *mech;       /* bodies and joints (mech.h); NULL: no text has any */
    CT_VEC(uint32_t) files;  /* sources being read, for `use` */
    ct_map used_paths;
} builder;

/* ---- names (names.c) */
ct_name ct_expand_name(builder *b, const where *w, ct_node name_node); /* NAME; 0 after an error */
ct_name ct_join_path(builder *b, ct_name prefix, ct_name name);
const char *ct_last_word(const builder *b, ct_name path); /* `c` of `a.b.c` */
ct_name ct_full_name(builder *b, const scope *s, ct_name name);
bool ct_plain_name(const ct_syntax *s, ct_node n, ct_name *name); /* a REF that is one plain name */
bool ct_ref_name(builder *b, const where *w, ct_node ref, ct_name *name, ct_node *rest);
bool ct_field_name(builder *b, const where *w, ct_node field, ct_name *name);
/* The domain of that name; else reports, with what else may stand there ("" or ", or signal"). */
bool ct_find_domain(builder *b, ct_name name, ct_place place, const char *others, uint32_t *domain);
const char *ct_article(const char *word); /* a, an */

/* ---- features that come later (missing.c) */
void ct_report_missing(builder *b, ct_place place, const char *feature);
/* Reports each feature that the statements need and this version lacks. */
void ct_report_missing_features(builder *b, const ct_syntax *s, ct_node parent);

/* ---- definitions (define.c) */
void ct_read_whole_library(builder *b);
void ct_define_file(builder *b, const ct_syntax *s);
definition *ct_find_definition(builder *b, ct_name name);
definition *ct_find_function(builder *b, ct_name name);
definition *ct_library_definition(builder *b, const char *word); /* NULL: the library has none */

/* ---- scopes (scope.c) */
scope *ct_new_scope(builder *b, scope *outer, ct_name prefix);
entry *ct_find_entry(builder *b, const scope *s, ct_name name);
void ct_note_place(builder *b, ct_report *r, const char *what, ct_place place);
void ct_report_duplicate(builder *b, ct_name name, ct_place place, ct_place first);
entry *ct_add_entry(builder *b, scope *s, entry_kind kind, ct_name name, ct_place place);
thing *ct_find_thing(builder *b, const scope *s, ct_name name);
void ct_add_thing(builder *b, scope *s, ct_name name, thing t);  /* reports duplicates */
void ct_renumber_components(builder *b, const uint32_t *number); /* old -> new */
#define GROUND_NODE (UINT32_MAX - 1)
#define NO_NODE     UINT32_MAX
uint32_t ct_find_node(builder *b, const scope *s, ct_name name); /* NO_NODE: none */
void ct_bind_node(builder *b, const scope *s, ct_name name, uint32_t node);
void ct_suggest_names(builder *b, const scope *s, bool values, bool things,
                      ct_suggestion *suggestion);

/* ---- walks (walk.c, declare.c, compose.c, resolve.c, entry.c, component.c) */
typedef struct pass {
    void (*visit)(builder *b, const where *w, ct_node statement);
    uint64_t kinds; /* bit per ct_node_kind of the statements that concern it */
    bool
        plain_first; /* blocks after everything else: their conditions may read what stands below */
} pass;
#define KIND_BIT(kind) ((uint64_t)1 << CT_NODE_##kind)
void ct_walk_statements(builder *b, const where *w, ct_node first, const pass *p);
void ct_walk_one(builder *b, const where *w, ct_node statement, const pass *p);
/* Reports E902 and ends the build: what is too large would only go on to take time. */
enum { MOST_VALUES = 2000000, MOST_OUTPUTS = 200000 };
void ct_stop_after_errors(builder *b);
_Noreturn void ct_stop_at_limit(builder *b, ct_place place, const char *what, uint64_t most);
extern const pass ct_declare_pass, ct_alias_pass, ct_vector_pass, ct_tap_pass, ct_mech_pass,
    ct_compose_pass, ct_resolve_pass;
void ct_resolve_entries(builder *b, uint32_t first);
void ct_resolve_components(builder *b, uint32_t first);
void ct_check_run(builder *b);
const char *ct_written(builder *b, const where *w, ct_node n); /* an expression, as written */

/* ---- what is simple and frequent, without a word when it is not (quick.c) */
/* A whole number made of indices, numbers and settled constants; false: take the long way. */
bool ct_quick_int(builder *b, const where *w, ct_node n, int64_t *value);
/* Sets the keys of the last component when all are numbers or plain params that fit. */
bool ct_quick_keys(builder *b, const where *w, ct_node n, const ct_element *e);
uint32_t ct_keep_where(builder *b, const where *w);
/* A copy that entries one after the other share. */
const where *ct_share_where(builder *b, const where *w);

/* ---- as written (written.c): what clocks assign is rounded as code in C would be */
ct_expr ct_as_written(builder *b, ct_expr e);
ct_expr ct_written_sum(builder *b, ct_expr x, ct_expr y);
ct_expr ct_written_product(builder *b, ct_expr x, ct_expr y, bool divides);
/* The value as written, once more; at a tick also where it cannot be as written. Broken, without a
 * word: there is none but the usual one. */
shaped ct_lower_written(builder *b, const where *w, ct_node n);
/* Of the value of a signal port, which goes to this slot, of an element with events. */
void ct_keep_input_written(builder *b, const where *w, const ct_element *e, ct_node n,
                           uint32_t slot);

/* ---- at a tick (tick.c): a value that a clock reads, with time outside of its conditions */
ct_expr ct_at_tick(builder *b, ct_expr e);
ct_expr ct_off_tick(builder *b, ct_expr e); /* of what derivatives and integrals are taken */
shaped ct_shaped_at_tick(builder *b, shaped v);

/* ---- entries (entry.c) */
shaped ct_read_entry(builder *b, entry *e, ct_place place);
void ct_resolve_entry(builder *b, entry *e); /* its value and its limits */
/* The keys and signal ports of a component, after all that they name. */
void ct_settle_component(builder *b, uint32_t component);
void ct_record_quantities(builder *b);
ct_place ct_value_place(const entry *e); /* of what defines it */
ct_name ct_cell_name(builder *b, ct_name name, uint32_t rows, uint32_t cols, uint32_t i);
ct_name ct_own_entry(builder *b, ct_name owner, const char *word, uint32_t i); /* `J.q[i + 1]` */

/* ---- composing (compose.c, generic.c, system.c, unused.c, port.c, build.c) */
void ct_compose_element(builder *b, const where *w, ct_node n, definition *d, ct_name name,
                        uint64_t domains);
void ct_compose_deferred(builder *b);
enum { ANY_DOMAIN = 253 };
uint32_t ct_terminal_node(builder *b, const where *w, ct_node expr, uint32_t domain);
uint32_t ct_new_node(builder *b, scope *s, ct_name name, uint32_t domain, bool declared,
                     ct_place place);
/* An instance of a system that nothing uses, for the sake of its errors. */
void ct_try_system(builder *b, definition *d);
void ct_check_unused_systems(builder *b);
void ct_note_ports(const ct_model *model); /* symbols of their through variables */
void ct_resolve_instances(builder *b, uint32_t first);
void ct_compose_system(builder *b, const where *w, ct_node n, definition *d, ct_name name);
/* Of a port as the system of the scope declares it; CT_NO_DOMAIN: no such port, or without type. */
uint32_t ct_port_domain(builder *b, const scope *s, ct_name name);
bool ct_terminal_name(builder *b, const where *w, ct_node expr, ct_name *name);

/* ---- vector nodes (vector.c) */
/* Entries of the nodes of each port, 8 bits each; 0: scalars. */
uint64_t ct_port_widths(builder *b, const where *w, ct_node component);

/* ---- keys of fields that depend on the place (field_along.c) */
bool ct_moves_along(builder *b, const definition *d, const where *w, ct_node component);
/* Where keys of a component are read: the axis of its field is bound to x. */
where ct_along_where(builder *b, const where *w, const ct_element *e, ct_expr x);
void ct_resolve_along(builder *b, const where *w, ct_node n, uint32_t component);

/* ---- taps of fields (field_taps.c) */
uint32_t ct_tap_node(builder *b, const where *w, ct_node terminal); /* NO_NODE: none */
void ct_connect_taps(builder *b, const where *w, const ct_element *e, ct_name name, uint32_t first);
void ct_resolve_taps(builder *b, const where *w, ct_node n, uint32_t component);

/* ---- tables (table.c) */
shaped ct_call_table(builder *b, const shaped *argument, uint32_t count, ct_name method,
                     ct_place place);
/* The lists of a file, behind `count` arguments; how many, 0 after an error. */
uint32_t ct_read_table(builder *b, const where *w, ct_node name, shaped *argument, uint32_t count);

/* ---- code of the user, files beside the model (controller.c) */
const char *ct_find_beside(builder *b, const where *w, const char *path); /* NULL: there is none */
void ct_compose_controller(builder *b, const where *w, ct_node n, ct_name name);
bool ct_is_controller_word(builder *b, ct_name name);                  /* a key that is read here */
const ct_controller *ct_controller_of(builder *b, uint32_t component); /* NULL: it is none */

/* ---- components (component.c, lower_ref.c, compose.c, build.c) */
void ct_resolve_component(builder *b, uint32_t component);
void ct_report_twice(builder *b, ct_place place, const char *name);
shaped ct_read_component(builder *b, const where *w, uint32_t component, ct_node field);
void ct_add_start(builder *b, const where *w, ct_node key, shaped variable, bool guess);
shaped ct_der_of(builder *b, shaped v); /* der(v), cell by cell */
shaped ct_with_postfix(builder *b, const where *w, ct_node rest, shaped v);
/* A variable named by a path: of the component when it is given, else of the scope. */
shaped ct_read_start_path(builder *b, const where *w, ct_node path, uint32_t component);
shaped ct_read_node(builder *b, const where *w, uint32_t node, ct_node field);
uint32_t ct_datum_node(builder *b, uint32_t domain, ct_place place);
const ct_model *ct_current(builder *b); /* the model as far as it goes */
const ct_element *ct_element_of(builder *b, uint32_t component);

/* ---- bodies, joints and what acts on them (mech.h; port.c, frame.c, motion.c, setting.c,
 * load.c, speed.c) */
typedef enum terminals_kind { TERMINALS_PLAIN, TERMINALS_FRAMES, TERMINALS_JOINT } terminals_kind;
/* What stands between two bars: nodes, frames or a joint. */
terminals_kind ct_terminals_kind(builder *b, const where *w, ct_node ports);
bool ct_is_mechanical(builder *b, const where *w, ct_node component);
uint32_t ct_joint_domain(builder *b, const where *w, ct_node terminal);
/* Nodes of a port (`size` terminals from `at`) that holds a joint or a line between frames. */
bool ct_connect_mechanical(builder *b, const where *w, const ct_element *e, ct_node ports,
                           uint32_t at, uint32_t size, ct_name component, uint32_t *node);
void ct_compose_load(builder *b, const where *w, ct_node n, ct_name name, bool torque);
void ct_bind_frame(builder *b, const where *w, ct_node expr, scope *inner, ct_name name,
                   ct_place place);
void ct_bind_open_frame(builder *b, scope *inner, ct_name name, ct_place place);
void ct_note_mechanics(builder *b, const ct_syntax *s); /* begins a mechanism if the text has one */
bool ct_mech_setting(builder *b, const where *w, ct_node n);
void ct_constrain_speeds(builder *b);
const ct_mechanism *ct_finish_mech(builder *b);
void ct_check_mech(builder *b);
shaped ct_read_mechanical(builder *b, const where *w, const thing *t, ct_node field);
bool ct_read_ground(builder *b, const where *w, const scope *s, ct_node field, shaped *value);
shaped ct_read_energy(builder *b, bool kinetic, ct_place place);
shaped ct_shape_as_given(builder *b, shaped variable, uint32_t rows);
thing *ct_walk_path(builder *b, const where *w, ct_node ref, const scope **s, ct_name *name,
                    ct_node *rest);
bool ct_wish_mechanical(builder *b, const where *w, ct_node path, const thing *t, ct_node rest,
                        uint32_t domain);

/* ---- elements (element.c, element_ports.c, element_keys.c, element_variant.c) */
const ct_element *ct_element_variant(builder *b, definition *d, const where *w, ct_node component,
                                     uint64_t domains);
bool ct_is_generic(builder *b, definition *d); /* has ports of any domain */
const ct_element *ct_plain_element(builder *b, definition *d);
/* Equations below an `if` whose condition is no number. */
void ct_read_branches(builder *b, const where *w, ct_node statement, ct_expr condition);
bool ct_element_option(const definition *d, ct_name name); /* a const or choice */
void ct_know_element(builder *b, definition *d); /* fills definition.generic and options */
ct_name ct_edge_with(const element_scope *es, const char *variable); /* 0: none */
/* `size(den)`, `given(Ki)`: what the keys of a component decide about the structure of its element
 * (element_keys.c). */
bool ct_asks_for_key(const char *word);
shaped ct_lower_key_size(builder *b, const where *w, ct_node call, const char *word,
                         ct_place place);
bool ct_is_choice_word(const where *w, ct_name name);
shaped ct_read_element_path(builder *b, const where *w, ct_name name, ct_node field,
                            ct_place place);

/* ---- names that stand for nothing (undefined.c) */
shaped ct_report_undefined(builder *b, const where *w, ct_name name, ct_place place);
shaped ct_report_unknown_thing(builder *b, const where *w, ct_name name, ct_place place);

/* ---- expressions (lower.c, lower_ref.c, call.c, matrix.c, spatial.c) */
shaped ct_lower(builder *b, const where *w, ct_node n);
shaped ct_lower_value(builder *b, const where *w, ct_node n); /* no word of a choice (E210) */
shaped ct_lower_ref(builder *b, const where *w, ct_node n);
shaped ct_lower_call(builder *b, const where *w, ct_node ref, ct_name name, ct_node call);
ct_expr ct_lower_decimal(builder *b, const where *w, ct_node number); /* 0 after an error */
ct_expr ct_decimal(builder *b, ct_name text); /* 0: no number, or beyond their range */
ct_expr ct_in_si(builder *b, ct_expr e, const ct_unit *unit);
bool ct_is_builtin(const char *word);
shaped ct_lower_rotate(builder *b, const where *w, ct_node call, ct_place place);
shaped ct_lower_quaternion(builder *b, const where *w, ct_node call, ct_place place);
cell ct_lower_scalar(builder *b, const where *w, ct_node n); /* expr 0 after an error */
bool ct_lower_const(builder *b, const where *w, ct_node n, ct_expr *value, const char *what);
bool ct_lower_int(builder *b, const where *w, ct_node n, int64_t *value, const char *what);
shaped ct_scalar(builder *b, ct_expr e, ct_dim_term dim);
shaped ct_broken_value(void);
bool ct_is_broken(shaped v);
ct_place ct_blamed(const builder *b, ct_place place); /* where to report shapes */
shaped ct_matrix_of(builder *b, uint32_t rows, uint32_t cols, cell **cells);
shaped ct_matrix_sum(builder *b, shaped x, shaped y, ct_place place);
shaped ct_matrix_product(builder *b, shaped x, shaped y, ct_place place);
shaped ct_matrix_map(builder *b, shaped x, cell (*f)(builder *b, cell c));
shaped ct_matrix_call(builder *b, const char *word, const shaped *argument, uint32_t count,
                      ct_place place, bool *known);
/* Index + 1 into builder.unit; 0: no unit, *problem and *hint as of ct_unit_read(). */
uint32_t ct_find_unit(builder *b, ct_name text, const char **problem, const char **hint);
const ct_unit *ct_known_unit(builder *b, const ct_syntax *s, ct_node unit);

/* ---- dimensions (dims.c) */
/* Demands that a value fits its place. What is made of bare numbers and time alone (sin(2*pi*50*t),
 * step(t)) is a bare number itself: it takes the dimension of its place. */
bool ct_demand_place(builder *b, cell value, ct_dim_term place_dim, ct_place place, const char *is);
/* Demands equal dimensions; reports E230 with what the two sides are. */
bool ct_demand_equal(builder *b, ct_dim_term a, ct_dim_term x, ct_place place, const char *a_is,
                     const char *x_is);
ct_dim_term ct_settled(builder *b, ct_dim_term t); /* the term, folded when it is known */
void ct_report_inferred(builder *b);

/* ---- numeric values of parameters (value.c) */
void ct_find_numbers(builder *b, ct_model *m);

/* ---- events (when.c) */
bool ct_is_delay(const builder *b, const ct_element *e); /* has a past */
shaped ct_lower_pre(builder *b, const where *w, ct_node call, ct_place place);
void ct_resolve_happening(builder *b, const where *w, ct_node n);
void ct_note_discrete(builder *b, const entry *e, ct_name symbol);
ct_expr ct_component_discrete(builder *b, uint32_t component, uint32_t discrete);
/* Discretes and events of components, when their keys are known. */
void ct_instance_happenings(builder *b);

/* ---- joints that may re-choose their angles (rechoose.c) */
void ct_record_charts(builder *b);

/* ---- ranges (range.c) */
const ct_limit *ct_read_limits(builder *b, const where *w, ct_node decl, ct_dim_term dim,
                               uint32_t *count);
void ct_check_ranges(builder *b);
/* Where the value of a parameter is given; the component if it is not. */
ct_place ct_param_place(const builder *b, uint32_t component, ct_name param);

/* ---- along fields (field_space.c) */

void ct_find_spaces(builder *b, const ct_syntax *s); /* does a plot want them? */
/* `plot B1.v over x`: a curve for each place; false: it is no such plot. */
bool ct_plot_space(builder *b, const where *w, ct_node expr, ct_node over, ct_plotted curve);

/* ---- along flexible bodies (flexible_plot.c) */

/* `plot boom.deflection over x`, `plot boom.shapes over x`; false: it is no such plot. */
bool ct_plot_beam(builder *b, const where *w, ct_node expr, ct_node over, ct_plotted curve);

/* ---- waves (field_delay.c) */

void ct_check_delays(builder *b); /* they have no losses */

/* ---- fields by cells (field_cells.c) */
void ct_check_ratios(builder *b); /* of damping: cells have none */

/* ---- storage that is varied: W583 (varied.c) */

void ct_warn_varied(const ct_model *model, uint32_t component);

/* ---- matrices as keys: E420, W420 (definite.c) */
void ct_check_definite(builder *b, const ct_element *e, const ct_element_param *p,
                       const ct_expr *entry_of, ct_place place, const char *owner);

#endif
