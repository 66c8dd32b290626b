/* cotree.h - public interface of the linear-graph modelling library.
 *
 * One call per stage; each stage reads the one before it and changes nothing in it:
 *
 *     text --ct_read_file--> syntax --ct_build--> model --ct_make_graph--> graph
 *          --ct_choose_tree--> tree --ct_derive--> equations
 *
 * Of equations: shown texts and state spaces. Of a tree: simulators, which derive equations only
 * where they need them.
 *
 * Every object lives in the ct_context that made it and dies with it; there are no per-object
 * destructors. The library never prints and never exits: a call returns a status, and what is
 * wrong with the model is told by the diagnostics of the context; so is a limit that was reached
 * (E902), and lack of memory (E903) until the next call. Numbers in texts have a point, whatever
 * the locale of the host; a call runs its thread in the C locale. Angles are radians and every
 * number is in SI units unless its name says otherwise. NULL for a choice, a definition or a word
 * that names one means the usual; NULL for a length that is given back: it is not wanted.
 */
#ifndef COTREE_H
#define COTREE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CT_VERSION "0.1.0"

#define CT_STATUS_LIST(X)                                                                          \
    X(CT_OK, "no error")                                                                           \
    X(CT_ERR_MEMORY, "out of memory")                                                              \
    X(CT_ERR_IO, "a file cannot be read or written")                                               \
    X(CT_ERR_SYNTAX, "the model text cannot be read")                                              \
    X(CT_ERR_MODEL, "the model is wrong")                                                          \
    X(CT_ERR_TOPOLOGY, "the linear graph has no admissible tree")                                  \
    X(CT_ERR_LIMIT, "a limit of size was reached")                                                 \
    X(CT_ERR_USAGE, "the call's arguments make no sense")                                          \
    X(CT_ERR_CONVERGENCE, "a numerical method failed")

typedef enum ct_status {
#define CT_STATUS_ENUM(name, text) name,
    CT_STATUS_LIST(CT_STATUS_ENUM)
#undef CT_STATUS_ENUM
} ct_status;

const char *ct_status_text(ct_status status);

typedef struct ct_context ct_context;     /* owns all memory and all diagnostics */
typedef struct ct_syntax ct_syntax;       /* a model text as written, every node with its place */
typedef struct ct_model ct_model;         /* flat components and connections */
typedef struct ct_graph ct_graph;         /* the linear graphs of all domains */
typedef struct ct_tree ct_tree;           /* branches and chords, with reasons */
typedef struct ct_equations ct_equations; /* states, rates, what is left to be solved */

/* A stretch of a model text; source 0: none. See ct_locate. */
typedef struct ct_place {
    uint32_t source, at, length;
} ct_place;

/* ---- context ------------------------------------------------------------------------------ */

/* Behaves like realloc; new_size 0 frees. old_size is what was asked for before. */
typedef void *(*ct_realloc_fn)(void *user, void *block, size_t old_size, size_t new_size);

/* Gives the content of a file, or NULL; what it returns stays valid until `release` is called. */
typedef struct ct_loader {
    char *(*read)(void *user, const char *path, size_t *length);
    void (*release)(void *user, char *content);
    void *user;
} ct_loader;

typedef struct ct_context_def {
    ct_realloc_fn realloc; /* NULL: the C library's */
    void *realloc_user;
    ct_loader loader; /* read NULL: from disk */
    const char *const *include_dirs;
    size_t include_dir_count;
    size_t max_source_bytes; /* of one file; default 1 GiB */
    uint32_t max_components; /* after repeat and subsystems; default 20 million */
    bool native;             /* evaluate by machine code where there is some; default true */
    bool wide; /* use vectors of four doubles (AVX2) where there are some; default true. Results are
                  the same bit for bit */
    size_t max_bytes;   /* of memory held at once; default 0: as much as there is */
    bool floating_base; /* the root link of a robot (URDF) is free; default: fixed */
    bool allow_code;    /* runs may compile and call a user's C code (`controller`), in a process of
                           its own; default: refused */
    bool trust_code;    /* that code is called inside of this process; needs allow_code */
    const struct ct_override
        *set; /* params of netlists that are read with these numbers, as what
                 depends on them may be known early; give them to ct_build() too */
    size_t set_count;
} ct_context_def;

ct_context_def ct_default_context_def(void);
ct_context *ct_context_new(const ct_context_def *def); /* NULL def: defaults; NULL on no memory */
void ct_context_free(ct_context *ctx);
size_t ct_context_bytes(const ct_context *ctx); /* memory held now */

/* ---- diagnostics -------------------------------------------------------------------------- */

typedef enum ct_severity { CT_WARNING, CT_ERROR } ct_severity;

/* One report: message says what is wrong, notes why, help what the user can change. */
typedef struct ct_diag {
    const char *code; /* stable, for tests and the manual: "E310" */
    ct_severity severity;
    const char *file;      /* NULL: no place */
    uint32_t line, column; /* from 1; columns count characters */
    uint32_t width;        /* characters marked, at least 1 */
    const char *message;
    const char *const *notes;
    size_t note_count;
    const char *help;           /* may be NULL */
    const char *const *witness; /* names: loop, cutset, island, ... */
    size_t witness_count;
} ct_diag;

size_t ct_diag_count(const ct_context *ctx);
size_t ct_error_count(const ct_context *ctx);
const ct_diag *ct_diag_at(const ct_context *ctx, size_t index); /* in order of place */

typedef enum ct_diag_style { CT_DIAG_TEXT, CT_DIAG_COLOR, CT_DIAG_JSON } ct_diag_style;
ct_status ct_diag_render(ct_context *ctx, ct_diag_style style, const char **text);

/* What a code means, at length; NULL when there is no such code. */
const char *ct_explain_code(const char *code);
const char *ct_code_title(const char *code);

/* File, line and column (from 1) of a place; false: there is none. */
bool ct_locate(const ct_context *ctx, ct_place place, const char **file, uint32_t *line,
               uint32_t *column);

/* ---- stages ------------------------------------------------------------------------------- */

/* Each gives NULL and a status other than CT_OK when the model is wrong; the diagnostics say why.
 */

ct_status ct_read_file(ct_context *ctx, const char *path,
                       const ct_syntax **syntax); /* "-": stdin */
ct_status ct_read_text(ct_context *ctx, const char *name, const char *text, size_t length,
                       const ct_syntax **syntax);

/* Netlists of SPICE (.cir, .sp, .spice, .net, .ckt) are models, too, and say what is to be
 * computed. */
typedef enum ct_analysis_kind { CT_TRAN, CT_OP, CT_DC, CT_AC, CT_TF } ct_analysis_kind;
typedef enum ct_ac_scale { CT_AC_DECADES, CT_AC_OCTAVES, CT_AC_LINEAR } ct_ac_scale;

/* Values that something takes, one after the other. */
typedef struct ct_sweep {
    const char *name; /* a param of the model, or a name for a column */
    const double *value;
    uint32_t count;
} ct_sweep;

typedef struct ct_analysis {
    ct_analysis_kind kind;
    double start, stop, step, largest; /* tran: first and last row, their distance; largest step of
                                          the integration or NaN */
    uint32_t swept_count;              /* dc: params of the model, the first one runs fastest */
    ct_sweep swept[2];
    double from, to; /* ac: frequencies in Hz */
    ct_ac_scale scale;
    double points; /* ac: per decade or octave, or in all */
    uint64_t runs; /* by .step and sweeps of temperature, the last of `stepped` fastest */
    const ct_sweep *stepped;
    uint32_t stepped_count;
    uint32_t measure_count; /* .meas cards of this kind */
} ct_analysis;

/* 0 and NULL: the model is no netlist, or it names no analysis. */
size_t ct_analysis_count(const ct_syntax *syntax);
const ct_analysis *ct_analysis_at(const ct_syntax *syntax, size_t index);
bool ct_is_a_netlist(const ct_syntax *syntax);

/* The model for one analysis of the netlist; index beyond the last: for an operating point. */
ct_status ct_read_analysis(ct_context *ctx, const ct_syntax *netlist, size_t index,
                           const ct_syntax **syntax);
/* The same for one of its runs: what `.step` changes has the values of that run. */
ct_status ct_read_run(ct_context *ctx, const ct_syntax *netlist, size_t index, uint64_t run,
                      const ct_syntax **syntax);

/* Other names for states, and their order: those that are named come first, as listed. */
typedef struct ct_state_names {
    const char *const *variable; /* as the equations call it: C6.v */
    const char *const *name;     /* v6 */
    uint32_t count;
} ct_state_names;

/* The matrices of LG2ss (outputs NULL: none) as a model text for ct_read_text(), and what LG2ss
 * calls its variables (may be NULL). */
ct_status ct_translate_lg2ss(ct_context *ctx, const char *graph, const char *outputs,
                             const char **text, ct_state_names *names);

/* `--set NAME=EXPR`: another default for a param, input or const of the model. */
typedef struct ct_override {
    const char *name, *expr;
} ct_override;

typedef struct ct_build_def {
    const ct_override *override;
    uint32_t override_count;
    bool strict_units; /* warn about every number whose dimension was inferred */
} ct_build_def;

ct_build_def ct_default_build_def(void);
ct_status ct_build(ct_context *ctx, const ct_syntax *syntax, const ct_build_def *def,
                   const ct_model **model);

ct_status ct_make_graph(ct_context *ctx, const ct_model *model, const ct_graph **graph);

/* How a tree is chosen. Start from ct_default_tree_choice() and change what you need. */
typedef struct ct_tree_choice {
    const char *const *prefer; /* names of edges, bodies, joints wanted as branches, most wanted
                                  first; `translational:` or `rotational:` before names of bodies
                                  and joints: in that tree alone. The one word `best`: trees of
                                  the mechanism with the cheapest equations are searched. NULL:
                                  those of the model's `tree` statement */
    uint32_t prefer_count;
    bool complete;           /* add branches until the tree spans; default true */
    const char *coordinates; /* of a mechanism: auto, joint, absolute; NULL: those of the model */
    bool kinematic; /* of a driven mechanism only the motion is sought: bodies need no mass */
} ct_tree_choice;

ct_tree_choice ct_default_tree_choice(void);
ct_status ct_choose_tree(ct_context *ctx, const ct_graph *graph, const ct_tree_choice *choice,
                         const ct_tree **tree);

/* The equations that the tree gives, brought to states by exact elimination. form: "nodal",
 * "branch-chord" or "tableau"; NULL: nodal. CT_ERR_MODEL: they contradict each other or leave
 * unknowns open; CT_ERR_USAGE: no such form. */
ct_status ct_derive(ct_context *ctx, const ct_tree *tree, const char *form,
                    const ct_equations **equations);

/* Do the equations of the tree determine everything? Large networks whose runs are made in numbers
 * are judged by these, others by deriving their equations, up to 20000 components. CT_ERR_MODEL: as
 * of ct_derive(). */
ct_status ct_judge(ct_context *ctx, const ct_tree *tree);

/* ---- words ------------------------------------------------------------------------------- */

/* Words that can be chosen. */
typedef enum ct_word_kind {
    CT_WORD_FORM,              /* of ct_derive */
    CT_WORD_RUN_FORM,          /* of ct_make_simulator */
    CT_WORD_COORDINATES,       /* of ct_tree_choice */
    CT_WORD_SIMPLIFY,          /* of ct_equations_choice and ct_statespace_choice */
    CT_WORD_METHOD,            /* of ct_simulation_def */
    CT_WORD_GRAPH_FORMAT,      /* of ct_show_graph */
    CT_WORD_EQUATIONS_FORM,    /* of ct_equations_choice */
    CT_WORD_EQUATIONS_FORMAT,  /* likewise */
    CT_WORD_STATESPACE_FORMAT, /* of ct_statespace_show */
    CT_WORD_RESULT_FORMAT,     /* of ct_show_result */
    CT_WORD_TARGET,            /* of ct_show_code */
    CT_WORD_ANALYSIS,          /* cards of netlists, in the order of ct_analysis_kind */
    CT_WORD_STAGE,             /* what can be looked at: ct_dump_* */
    CT_WORD_RESPONSE_FORMAT,   /* of ct_response_choice */
    CT_WORD_DYNAMICS_FORMAT,   /* of ct_show_dynamics */
} ct_word_kind;

typedef struct ct_word {
    const char *word;
    const char *endings; /* of files in this format, apart by blanks: ".dot .gv"; "": none */
    const char *help;    /* what it is, in a few words */
} ct_word;

const ct_word *ct_word_at(ct_word_kind kind, size_t index); /* NULL past the last */

/* ---- sizes -------------------------------------------------------------------------------- */

typedef struct ct_sizes {
    size_t components, nodes, edges, branches, chords, circuit_entries;
    size_t bodies, joints, loads; /* of a mechanism; the ground is no body */
} ct_sizes;

/* tree may be NULL. Entries of the f-circuit matrix are counted, not stored. */
ct_status ct_measure(ct_context *ctx, const ct_graph *graph, const ct_tree *tree, ct_sizes *sizes);

typedef struct ct_state_value {
    const char *name;
    double value;
    const char *unit; /* such as "deg"; NULL: SI units */
} ct_state_value;

/* Sizes and further numbers by name (may be NULL), as JSON. */
ct_status ct_show_sizes(ct_context *ctx, const ct_sizes *sizes, const ct_state_value *more,
                        uint32_t count, const char **text);

/* ---- equations ---------------------------------------------------------------------------- */

/* x' = f(x, w, u, u', t), 0 = g(x, w, u, u', t); outputs over the same symbols and parameters. */

typedef uint32_t ct_expr; /* an expression of the equations; 0: none */

typedef enum ct_variable_kind {
    CT_VARIABLE_STATE,     /* x */
    CT_VARIABLE_ALGEBRAIC, /* w: what elimination leaves to numerical solution */
    CT_VARIABLE_INPUT,     /* u */
    CT_VARIABLE_OUTPUT,
    CT_VARIABLE_PARAMETER,
} ct_variable_kind;

typedef struct ct_variable {
    const char *name; /* of states, unknowns, inputs and parameters: the symbol in expressions */
    const char *unit; /* SI; "1": it has none; "": not known */
    ct_place place;   /* of the component, node or declaration that it comes from */
    ct_expr value;    /* default of a parameter, what drives an input, the output itself; 0: none */
    ct_expr start;    /* initial value that the model gives to a state or unknown; 0: none */
    double number;    /* of value or start, by the defaults of all parameters; NaN: none */
} ct_variable;

size_t ct_variable_count(const ct_equations *equations, ct_variable_kind kind);
const ct_variable *ct_variable_at(const ct_equations *equations, ct_variable_kind kind,
                                  size_t index);                         /* NULL past the last */
ct_expr ct_rate_at(const ct_equations *equations, size_t state);         /* f; 0 past the last */
ct_expr ct_residual_at(const ct_equations *equations, size_t algebraic); /* g; 0 past the last */

typedef enum ct_expr_kind {
    CT_EXPR_NUMBER,
    CT_EXPR_SYMBOL,
    CT_EXPR_SUM,     /* c0 + c1*x1 + c2*x2 + ...   c numbers */
    CT_EXPR_PRODUCT, /* c0 * x1^c1 * x2^c2 * ...   c numbers */
    CT_EXPR_CALL,    /* an operator with its operands */
} ct_expr_kind;

/* One node of an expression; equal parts are one node. */
typedef struct ct_expr_view {
    ct_expr_kind kind;
    const char *word; /* of a symbol: its name; of a call: its operator, "sin", "<="; else NULL */
    double number;    /* the number, or c0 of a sum or product; else NaN */
    uint32_t count;   /* operands x1, x2, .. */
} ct_expr_view;

ct_expr_view ct_expr_at(const ct_equations *equations, ct_expr e);
/* Operand 0, 1, ..; factor (may be NULL): c1 of a sum or product, 1 of a call. */
ct_expr ct_operand_at(const ct_equations *equations, ct_expr e, uint32_t index, double *factor);
/* The expression in the model language. CT_ERR_LIMIT: it would be longer than a million characters.
 */
ct_status ct_show_expr(ct_context *ctx, const ct_equations *equations, ct_expr e,
                       const char **text);

/* ---- what can be shown -------------------------------------------------------------------- */

/* Texts live in the context. A JSON document ends with "diagnostics": what was reported so far. */

/* format: text, all (matrices of large graphs, too), json, dot or svg; NULL: text. The tree may be
 * NULL. CT_ERR_USAGE: no such format. */
ct_status ct_show_graph(ct_context *ctx, const ct_graph *graph, const ct_tree *tree,
                        const char *format, const char **text, size_t *length);

ct_status ct_format_text(ct_context *ctx, const ct_syntax *syntax, const char **text);
const char *ct_syntax_text(const ct_syntax *syntax); /* as it was read */

/* What a stage made, for tests and curious readers: lines that may change with every version. */
ct_status ct_dump_syntax(ct_context *ctx, const ct_syntax *syntax, const char **text);
ct_status ct_dump_model(ct_context *ctx, const ct_model *model, const char **text);
ct_status ct_dump_graph(ct_context *ctx, const ct_graph *graph, const ct_tree *tree,
                        const char **text); /* tree may be NULL */
ct_status ct_dump_system(ct_context *ctx, const ct_equations *equations,
                         const char **text); /* rows before elimination */
ct_status ct_dump_equations(ct_context *ctx, const ct_equations *equations, const char **text);

/* Governing equations. Words as on the command line; NULL: the usual one (auto, text, fast). */
typedef struct ct_equations_choice {
    const char *form;     /* auto, ode, dae, state, nodal, branch-chord, tableau */
    const char *format;   /* text, latex, json */
    const char *simplify; /* none, fast, full */
    bool trace;           /* the derivation, too */
    bool all;             /* long groups in full */
    bool standalone;      /* LaTeX: a whole document */
    bool matrix;          /* equations between vectors, with named matrices */
} ct_equations_choice;

/* CT_ERR_USAGE: *text then is the word that is not known, or a form that was not derived. */
ct_status ct_show_equations(ct_context *ctx, const ct_equations *equations,
                            const ct_equations_choice *choice, const char **text, size_t *length);

/* State space: x' = A x + B u + E u', y = C x + D u + F u', exact and symbolic; of a nonlinear
 * model for small deviations from an operating point. */
typedef struct ct_statespace ct_statespace;

/* Start from ct_default_statespace_choice(). The operating point is that of the initial values, or
 * one of: at rest (equilibrium), after a run to the time `at`, or at given states. */
typedef struct ct_statespace_choice {
    const char *simplify; /* none, fast, full; NULL: full, within a budget */
    bool numeric;         /* numbers instead of expressions */
    bool transfer;        /* symbolic transfer functions, too */
    bool equilibrium;
    double at;     /* NaN: the start of the model */
    uint32_t pade; /* order of the Pade approximations of delays, up to 12; 0: 5 */
    const ct_state_value
        *state; /* the others have their initial values; inputs are those at `at` */
    uint32_t state_count;
    const ct_state_names *names; /* may be NULL */
} ct_statespace_choice;

ct_statespace_choice ct_default_statespace_choice(void);
/* CT_ERR_USAGE: an unknown word of the choice. */
ct_status ct_make_statespace(ct_context *ctx, const ct_equations *equations,
                             const ct_statespace_choice *choice, ct_statespace **statespace);

/* The same in numbers, from a tree: a network at its operating point by nodal analysis, without
 * equations. Its states are then the unknowns of that, and W x' = A x + B u + E u' has any sparse
 * W. choice NULL: in numbers, at rest, for responses. With a choice networks of less than 2000
 * components are derived, as is what is no network. form: as for ct_derive(), or numeric: networks
 * of any size. */
ct_status ct_linearise(ct_context *ctx, const ct_tree *tree, const char *form,
                       const ct_statespace_choice *choice, ct_statespace **statespace);

typedef struct ct_statespace_show {
    const char *format; /* text, latex, json, matlab, python; NULL: text */
    bool standalone;    /* LaTeX: a whole document */
    /* of a numeric state space, as text or JSON: */
    bool transfer, poles, zeros;
    bool margins; /* of each transfer function as an open loop; bandwidth */
    bool steps;   /* rise time, overshoot, settling time of each answer to a unit step */
    /* of any, as text or JSON: */
    bool exact; /* impedances of fields by hyperbolic functions of s */
} ct_statespace_show;

/* show NULL: text. CT_ERR_USAGE: no such format. */
ct_status ct_show_statespace(ct_context *ctx, const ct_statespace *statespace,
                             const ct_statespace_show *show, const char **text, size_t *length);

/* How it was made, as JSON: path, derivatives, sizes. */
ct_status ct_show_linearising(ct_context *ctx, const ct_statespace *statespace, const char **text);

typedef enum ct_response { CT_BODE, CT_NYQUIST, CT_STEP_RESPONSE, CT_IMPULSE_RESPONSE } ct_response;
/* A picture (SVG) of a numeric state space: a curve for each input and output. */
ct_status ct_show_response(ct_context *ctx, const ct_statespace *statespace, ct_response response,
                           const char **text, size_t *length);

/* Zeros choose what shows all modes. */
typedef struct ct_response_choice {
    const char *format; /* svg, csv, json; NULL: svg */
    bool hz;            /* frequencies in Hz, not rad/s; also the next two */
    double from, to;    /* of the frequency */
    double stop;        /* of the time, s */
    uint32_t points;    /* of csv and json: rows at so many equal intervals */
    bool exact;         /* of frequency responses: that with fields as they are, too */
} ct_response_choice;

/* The same with a range of its own, or as numbers. CT_ERR_USAGE: no such format or range. */
ct_status ct_show_response_as(ct_context *ctx, const ct_statespace *statespace,
                              ct_response response, const ct_response_choice *choice,
                              const char **text, size_t *length);

/* A frequency such as `50`, `10 rad/s` (rad/s both) or `1kHz`: *hz says whether it is in Hz.
 * CT_ERR_USAGE: it is none. */
ct_status ct_read_frequency(ct_context *ctx, const char *text, double *value, bool *hz);

/* The manual of a library element, or with NULL the list of all; CT_ERR_USAGE and NULL: no such
 * element, *near then names one that may have been meant (or NULL). */
ct_status ct_manual(ct_context *ctx, const char *element, const char **text, const char **near);

/* The worked examples that are built in: NULL past the last. */
typedef struct ct_example {
    const char *name, *text;
    size_t length;
} ct_example;
const ct_example *ct_example_at(size_t index);

/* Writes a result under a temporary name and renames it, so that an old file is never destroyed by
 * half. The file keeps its mode, and a symbolic link leads to it as before. Returns 0 or errno. */
int ct_write_file(const char *path, const char *text, size_t length);

/* What a terminal may show of a text: control characters (not \n) and bytes that are no UTF-8 as
 * \x1b. At most room - 1 bytes; returns the length of the whole. */
size_t ct_make_visible(const char *text, char *out, size_t room);

/* Is it one of the files that the context has read? */
bool ct_has_read(const ct_context *ctx, const char *path);

/* ---- runs --------------------------------------------------------------------------------- */

/* The equations of a model made executable, with values of its parameters. */
typedef struct ct_simulator ct_simulator;

/* form: "nodal", "branch-chord" or "tableau"; NULL: nodal. */
ct_status ct_make_simulator(ct_context *ctx, const ct_tree *tree, const char *form,
                            ct_simulator **simulator);

/* The same, and its results can be drawn: see ct_show_drawing. */
ct_status ct_make_drawn_simulator(ct_context *ctx, const ct_tree *tree, const char *form,
                                  ct_simulator **simulator);

/* Another value for a param; nothing is derived anew. Params whose defaults use it follow. */
ct_status ct_set_parameter(ct_context *ctx, ct_simulator *simulator, const char *name,
                           double value);

/* The same simulator once more, with the values it has now, in a context of its own: for another
 * thread. The context must be new, without a model read into it, and `simulator` must outlive it.
 * Nothing may be asked of `simulator` while it is cloned; afterwards both can run at once. */
ct_status ct_clone_simulator(const ct_simulator *simulator, ct_context *own, ct_simulator **clone);

/* Start from ct_default_simulation_def() and change what you need. */
typedef struct ct_simulation_def {
    double start, stop, tol, atol, step;      /* NaN: the model's, or the usual */
    const double *times;                      /* rows exactly at these, ascending; NULL: points */
    uint32_t time_count, points;              /* points 0: the model's, or 500 */
    const char *method;                       /* auto, rk, rosenbrock, ...; NULL: the model's */
    bool kinematic;                           /* refuse a mechanism that drivers leave free */
    bool events;                              /* list what `when` and `every` do */
    const volatile sig_atomic_t *interrupted; /* not 0: stop and keep the rows; may be NULL */
    void (*progress)(void *user, double t, double start, double stop); /* may be NULL */
    void *user;
    void (*stepped)(void *step_user, double t); /* after each step; may be NULL */
    void *step_user;
} ct_simulation_def;

ct_simulation_def ct_default_simulation_def(void);

/* Rows of numbers, row by row: column 0 is time, then the outputs. */
typedef struct ct_rows {
    const char *const *name;
    const char *const *unit; /* "1": none; may be NULL */
    uint32_t cols;
    uint64_t count;
    double *value;
} ct_rows;

typedef struct ct_effort {
    uint64_t steps, rhs_evals, jac_evals, newton_iters, restarts, roots_found;
    uint64_t rechosen; /* independent coordinates */
    double wall_seconds, cpu_seconds, start_seconds, rhs_seconds, compile_seconds, last_time;
    uint32_t nodes, tape_ops;
    bool native;
    const char *method;
    const char *start_method;  /* how the start was found, */
    uint64_t start_iterations; /* in so many iterations of Newton's method */
    const char *path;          /* numeric: nodal analysis in numbers; symbolic: derived equations */
    const char *why_not;       /* why the path is not numeric; NULL: it is */
    const char *jacobian;      /* symbolic, or differences of groups of columns; of linear models
                                  see ct_show_linearising() */
    uint32_t jacobian_entries, jacobian_ops;
} ct_effort;

/* What `when` or `every` did at an instant. */
typedef struct ct_event_change {
    const char *name;
    double before, after;
} ct_event_change;
typedef struct ct_event_row {
    double time;
    const char *what; /* `when x < 0` */
    const ct_event_change *change;
    uint32_t change_count;
} ct_event_row;

typedef struct ct_result {
    ct_rows outputs;
    ct_effort effort;
    bool interrupted;
    const char *ended;         /* why an event ended the run; NULL: none did */
    const ct_event_row *event; /* if they were asked for */
    uint64_t event_count;
    const struct ct_simulation *simulation; /* private */
    const struct ct_result *measures;       /* of .meas, one row; NULL: none */
} ct_result;

/* CT_ERR_CONVERGENCE with a result: the run broke off; its rows are good. */
ct_status ct_run(ct_context *ctx, ct_simulator *simulator, const ct_simulation_def *def,
                 const ct_result **result);

/* Analyses of netlists, on models of ct_read_analysis(). Operating points over what .dc sweeps
 * (analysis NULL: one point); the swept values are the first columns. */
ct_status ct_run_sweep(ct_context *ctx, ct_simulator *simulator, const ct_syntax *netlist,
                       const ct_analysis *analysis, const ct_result **result);
/* .tran with its .meas cards, which are worked out from a second run with rows at all steps. */
ct_status ct_run_measured(ct_context *ctx, ct_simulator *simulator, const ct_syntax *netlist,
                          const ct_simulation_def *def, const ct_result **result);
/* .tf: transfer function, input and output resistance at the operating point, in one row. */
ct_status ct_run_transfer(ct_context *ctx, const ct_statespace *statespace,
                          const ct_syntax *netlist, const ct_result **result);
/* Results of all runs of an analysis as one: with the values of that run before each row, or, for
 * pictures (wide), with a column for each output and run. Measures are put together as well. */
ct_status ct_join_runs(ct_context *ctx, const ct_analysis *analysis, const ct_result *const *run,
                       bool wide, const ct_result **joined);
/* .ac (analysis NULL: the first one of the netlist; CT_ERR_USAGE: it has none, or the state space
 * has no numbers): of a numeric state space at the operating point. Column 0 is the frequency in
 * Hz, then come magnitude, phase in degrees, real and imaginary part of each output, or what
 * .print asks for. */
ct_status ct_run_response(ct_context *ctx, const ct_statespace *statespace,
                          const ct_syntax *netlist, const ct_analysis *analysis,
                          const ct_result **result);

/* format: csv, mat, svg (the figures of the model's `plot` statements, or of all outputs), terminal
 * (likewise, with characters), effort (JSON), events, events-json; NULL: csv. width: characters of
 * the terminal.
 * CT_ERR_USAGE: no such format. */
ct_status ct_show_result(ct_context *ctx, const ct_result *result, const char *format,
                         uint32_t width, bool colour, const char **text, size_t *length);

/* All variables at one point. */
typedef struct ct_point {
    double time;
    const char *method;  /* how an operating point was found; NULL: it was not looked for */
    uint64_t iterations; /* of Newton's method, for it */
    const char *const *state, *const *algebraic, *const *output, *const *coordinate;
    const double *x, *rate, *w, *y;
    uint32_t state_count, algebraic_count, output_count, coordinate_count;
    /* Bodies: M by rows, Q, Phi of the coordinates (body_count) and constraints, multipliers; and
     * variables of joints and bodies that are no states, with their rates. All 0 without bodies. */
    const double *mass, *force, *position, *lambda;
    const char *const *multiplier, *const *motion;
    const double *motion_value, *motion_rate;
    uint32_t body_count, constraint_count, motion_count;
} ct_point;

/* Operating point: nothing changes any more. */
ct_status ct_find_equilibrium(ct_context *ctx, ct_simulator *simulator, double t,
                              const ct_point **point);

/* The right-hand side at a state; states not named have their initial values. */
ct_status ct_evaluate_at(ct_context *ctx, ct_simulator *simulator, double t,
                         const ct_state_value *given, uint32_t count, const ct_point **point);

/* Second derivatives of one quantity by states and algebraic unknowns: a sparse symmetric matrix,
 * entries with row >= col only. Exact, from the equations. */
typedef struct ct_hessian {
    const char *const *variable;
    uint32_t variable_count, entry_count;
    const uint32_t *row, *col; /* in `variable` */
    const double *value;
} ct_hessian;

/* Of an output by its name, or of the rate of a state: "der(C1.v)". The point is that of
 * ct_evaluate_at. */
ct_status ct_find_hessian(ct_context *ctx, ct_simulator *simulator, const char *quantity, double t,
                          const ct_state_value *given, uint32_t count, const ct_hessian **hessian);

/* The programs that a run executes. */
ct_status ct_dump_tape(ct_context *ctx, ct_simulator *simulator, const char **text);

ct_status ct_show_point(ct_context *ctx, const ct_point *point, bool json, const char **text);

/* The model as code of another language, with the present values of its parameters as defaults.
 * CT_ERR_USAGE: no such target; NULL: c. */
ct_status ct_show_code(ct_context *ctx, ct_simulator *simulator, const char *target,
                       const char **text, size_t *length);

typedef enum ct_drawing {
    CT_DRAWING_STILL,      /* SVG */
    CT_DRAWING_SVG,        /* moving by itself */
    CT_DRAWING_HTML,       /* with a slider */
    CT_DRAWING_NAMES = 16, /* added to one of them: with the names of joints */
    CT_DRAWING_VIEWS = 32  /* of bodies in space: also from the front, the side and above */
} ct_drawing;

/* Bodies and joints as a picture: over a run, or (result NULL) at the start. The simulator is of
 * ct_make_drawn_simulator. CT_ERR_USAGE: the model has no bodies. */
ct_status ct_show_drawing(ct_context *ctx, ct_simulator *simulator, const ct_result *result,
                          ct_drawing how, const char **text, size_t *length);

/* Deformations of flexible bodies in later pictures, times this factor. CT_ERR_USAGE: it is not
 * positive. */
ct_status ct_magnify_deformations(ct_simulator *simulator, double factor);

/* What is asked of a mechanism besides its equations: M, C, g, inverse dynamics, momentum,
 * Jacobians of frames (`hand`, `hand.tool`; none: of bodies at the ends), base parameters. Format
 * text, json or python; NULL: text. CT_ERR_USAGE: no such format, or the model has no bodies. */
ct_status ct_show_dynamics(ct_context *ctx, const ct_equations *equations,
                           const char *const *frames, uint32_t frame_count, const char *format,
                           const char **text, size_t *length);

/* A time as a person writes it: `0.05`, `50 ms`. CT_ERR_USAGE: it is none. */
ct_status ct_read_time(ct_context *ctx, const char *text, double *seconds);

#ifdef __cplusplus
}
#endif

#endif
