/* reader.h - what the files of the netlist reader share.
 *
 *     lines.c    text with its included files -> cards
 *     lex.c      words, numbers and expressions of a card
 *     make.c     nodes of the tree
 *     scope.c    names; main circuit, subcircuits, models, functions are scopes
 *     expr.c     {expressions} as trees, and their numbers; function.c: their functions; probe.c:
 *                v(a), i(V1), single values
 *     device.c   K X; passive.c: R C L; source.c: V I; controlled.c: E F G H B; switch.c: S W;
 *                model.h: D Q M J
 *     branch.c   .if and its branches
 *     cards.c    what the cards with a dot say; analysis.c: .tran .ac .dc .op; output.c: .print;
 *                start.c: .ic .nodeset; step.c: .step; measure.c: .meas; transfer.c: .tf
 *     formula.c  expressions of results instead of the model: columns of .ac, measures
 *     parse.c    all of it in order
 *
 * Names of SPICE are found by their lower-case form and shown as first written. What a scope uses
 * of the scopes around it becomes a param of its own (`extra`), which its users hand down: systems
 * and functions see only their own names.
 */
#ifndef CT_SPICE_READER_H
#define CT_SPICE_READER_H

#include "base/hash.h"
#include "base/vec.h"
#include "spice/spice.h"

enum { DEEPEST = 200, MAIN = 1 };

/* From a name in a scope to a number. Names are dense: those of the main circuit index an array. */
typedef struct name_map {
    ct_index main;
    ct_map others;
} name_map;

static inline uint32_t ct_sp_get(const name_map *m, uint32_t in, ct_name name)
{
    return in == MAIN ? ct_index_get(&m->main, name) : ct_map_get(&m->others, ct_pair(in, name));
}

static inline void ct_sp_set(name_map *m, uint32_t in, ct_name name, uint32_t number)
{
    if (in == MAIN)
        ct_index_put(&m->main, name, number);
    else
        ct_map_put(&m->others, ct_pair(in, name), number);
}

typedef struct card {
    uint32_t at, end; /* in the text, with its continuation lines */
} card;

typedef enum token_kind {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_EXPR,   /* {..} or '..': the stretch is what stands inside */
    TOKEN_STRING, /* ".." likewise */
    TOKEN_MARK    /* one of = ( ) , */
} token_kind;

typedef struct token {
    token_kind kind;
    char mark;
    uint32_t at, length;
} token;

/* A place in a card: the token there is not yet taken. */
typedef struct cursor {
    uint32_t next, end;
    token token;
} cursor;

/* An expression. plain: numbers only, which take the dimension of their place; others have none and
 * need a unit. */
typedef struct value {
    ct_node node;
    bool plain, known; /* known: `number` is its value */
    double number;
} value;

typedef enum scope_kind { SCOPE_MAIN, SCOPE_SUBCKT, SCOPE_MODEL, SCOPE_FUNCTION } scope_kind;
typedef enum scope_state { STATE_NEW, STATE_BUSY, STATE_DONE } scope_state;

/* A param of a scope, or an argument of a function. */
typedef struct variable {
    ct_name lower, name;
    uint32_t at, end; /* its expression in the text; 0: none */
    ct_place place;
    bool is_extra, main,
        global;       /* main: of the main circuit; global: an extra that comes from it */
    bool known, seen; /* its number */
    bool stepped;     /* it has the number of this run, whatever the text says */
    bool decides;     /* a condition of .if has read it */
    double number;
} variable;

typedef CT_VEC(uint32_t) number_list;

/* An .if that is open. */
typedef struct branch {
    bool on, asked; /* its cards count; its next condition does */
    token word;
} branch;

typedef CT_VEC(branch) branches;

/* What matters to starts: a capacitor, a voltage source, or an instance (inside) that may hold
 * some. */
typedef struct link {
    ct_name name, *terminal;
    uint32_t count, inside;
    bool has_start, is_source; /* has_start: of a source, or by ic= */
} link;

/* v(node)=value on an .ic card of a subcircuit. */
typedef struct inner_start {
    ct_name node; /* of the system */
    double value;
} inner_start;

typedef struct scope {
    scope_kind kind;
    scope_state state;
    uint32_t parent;
    ct_name lower, name; /* name: of its system or function */
    ct_place place;
    card head; /* the card that defines it, behind its name */
    const struct model_row *model;
    struct given *card;       /* of a switch: its values once they are read */
    double temperature;       /* of a model, degrees Celsius */
    number_list device;       /* cards */
    number_list owner;        /* their things */
    number_list start;        /* cards: .ic and .nodeset of a subcircuit */
    CT_VEC(inner_start) held; /* with uic: nodes of its .ic cards */
    number_list variable;     /* in order */
    number_list port;         /* names: as ct_name lower */
    CT_VEC(link) link;        /* with uic */
    CT_VEC(ct_phasor) phasor; /* of sources with AC, those of instances inside too */
    ct_node first, last;      /* statements */
    uint32_t nodes;           /* terminals; of a model: of its devices */
    ct_node keys;             /* of a model: the statement of what its devices may give, */
    uint32_t read, given;     /* and which of these it reads, which a device gives, by bits */
    number_list outer;        /* wires of .global nodes that it uses: ports behind its own */
    uint32_t multiplier; /* of a subcircuit: variable that counts instances in parallel; 0: none */
} scope;

/* A component or node of a scope. */
typedef struct thing {
    ct_name lower, name;
    ct_place place;
    uint32_t inside;        /* scope of the instance; 0: none */
    bool is_node, two_port; /* two_port: its output is edge e */
    char letter;
    ct_name input;   /* of a source: what holds its value; a param may have its own name already */
    ct_name group;   /* of a coupled inductor: the component that it is part of */
    uint32_t joined; /* of a device: the first one of its group */
    bool stepped;    /* a source or R, C, L that has the value of this run */
    double number;
} thing;

/* .tf: the output v(a,b) or i(a), and the source that drives it. */
typedef struct transfer {
    char probe;
    token a, b, source;
} transfer;

/* What a run changes. */
typedef struct target {
    enum { STEP_PARAM, STEP_DEVICE, STEP_TEMPERATURE } kind;
    uint32_t index; /* variable or thing */
    ct_sweep sweep;
} target;

typedef struct children {
    ct_node first, last;
} children;

typedef struct reader {
    ct_context *ctx;
    ct_arena *arena; /* given back at the end */
    ct_arena *keep;  /* of the tree */
    uint32_t source;
    const char *text;
    uint32_t length;
    CT_VEC(ct_syntax_node) node;
    uint64_t kinds; /* of the nodes: ct_syntax.kinds */
    CT_VEC(card) card;
    CT_VEC(scope) scope;
    CT_VEC(variable) variable;
    CT_VEC(thing) thing;
    name_map value, component, wire, taken, value_taken;
    ct_map def, definition_taken;
    ct_map tries;        /* how often a name was taken already */
    number_list control; /* cards with a dot that are read last */
    number_list wires;   /* nodes of the main circuit, in order of appearance */
    children systems;    /* and functions */
    uint32_t at, width;  /* place of nodes that are made */
    uint32_t here;       /* the scope that is being written */
    uint32_t depth, solving;
    bool deciding; /* a condition of .if is read */
    bool broken;
    bool following; /* the expression is that of a source that follows the circuit */
    ct_name title;
    ct_place title_place;
    /* what is asked for */
    uint32_t wanted;
    CT_VEC(ct_analysis) analysis;
    bool in_time;        /* sources follow time */
    bool uic, automatic; /* automatic: the step is not given */
    double tstep, tstop, reltol, vntol;
    double temperature, nominal; /* degrees Celsius */
    double step;                 /* largest */
    children outputs, starts, guesses;
    ct_map labels; /* of outputs */
    ct_map global; /* names of nodes of .global -> 1 */
    ct_map heated; /* models at other temperatures: scope, temperature -> scope */
    bool all_wanted;
    uint32_t output_count, shown; /* outputs, and those that are not for measures only */
    bool formula;                 /* an expression is read as a formula of outputs */
    uint64_t run;
    CT_VEC(target) stepped; /* by .step, then those of the analysis that is being read */
    CT_VEC(ct_ac_column) column;
    CT_VEC(ct_meas) measure;
    ct_map measured;           /* name -> measure + 1 */
    transfer tf;               /* .tf, when the tree is for it */
    bool parallel, parallel_x; /* some device, some instance has m= */
    bool inner_starts;         /* with uic: some subcircuit has .ic cards */
    bool passive_models;       /* some model is one of R, C or L */
} reader;

/* ---- lines.c */
/* Reads included files; the number of the text that holds all. */
uint32_t ct_sp_assemble(ct_context *ctx, uint32_t source, bool *broken);
void ct_sp_cut(reader *r); /* fills r->card */

/* ---- lex.c */
cursor ct_sp_start(const reader *r, uint32_t at, uint32_t end);
token ct_sp_take(const reader *r, cursor *c);
bool ct_sp_accept(const reader *r, cursor *c, char mark);
bool ct_sp_at_end(const cursor *c);
uint32_t ct_sp_skip(const char *text, uint32_t at, uint32_t end); /* blanks, line ends with + */
/* A number with suffix and unit letters: its text as the language writes it; 0 if it is none. */
ct_name ct_sp_number(reader *r, uint32_t at, uint32_t end, double *number, uint32_t *used);
bool ct_sp_is(const reader *r, token t, const char *word); /* the same without case */
ct_name ct_sp_lower(reader *r, token t);
ct_name ct_sp_word(reader *r, token t);
ct_name ct_sp_as_written(reader *r, token t, ct_name lower); /* the same, its lower case known */
const char *ct_sp_text(reader *r, token t);
ct_place ct_sp_place(const reader *r, token t);

/* ---- make.c */
void ct_sp_here(reader *r, ct_place place);
ct_node ct_sp_node(reader *r, ct_node_kind kind, ct_name name, ct_node first);
void ct_sp_add(reader *r, children *list, ct_node n);
ct_node ct_sp_list(reader *r, ct_node_kind kind, ct_name name, const ct_node *n, uint32_t count);
ct_node ct_sp_ref(reader *r, ct_name name);
ct_node ct_sp_word_ref(reader *r, const char *name);
ct_node ct_sp_real(reader *r, double number, const char *unit); /* unit NULL: none */
ct_node ct_sp_field(reader *r, ct_node ref, const char *field); /* adds it at the end */
ct_node ct_sp_sum(reader *r, ct_node a, ct_node b);
ct_node ct_sp_product(reader *r, ct_node a, ct_node b);
ct_node ct_sp_quotient(reader *r, ct_node a, ct_node b);
ct_node ct_sp_minus(reader *r, ct_node a);
ct_node ct_sp_call(reader *r, const char *function, const ct_node *argument, uint32_t count);
ct_node ct_sp_key(reader *r, const char *key, ct_node expr);
ct_node ct_sp_start_key(reader *r, const char *key, ct_node expr); /* key(0) = */
ct_node ct_sp_unit_of(reader *r, value v, const char *unit);       /* with its dimension */
ct_node ct_sp_decl(reader *r, ct_name name, const char *unit, ct_node expr);
ct_node ct_sp_component(reader *r, ct_name name, const char *type, const ct_node *terminal,
                        uint32_t count, uint32_t first_port, ct_node keys);
void ct_sp_emit(reader *r, ct_node statement); /* to the scope that is being written */
value ct_sp_plain(ct_node node, double number);

/* ---- parse.c */
void ct_sp_keep_elements(reader *r); /* their names are not free */

/* ---- scope.c */
uint32_t ct_sp_new_scope(reader *r, scope_kind kind, uint32_t parent, token name);
uint32_t ct_sp_find_scope(const reader *r, scope_kind kind, uint32_t from, ct_name lower);
uint32_t ct_sp_add_variable(reader *r, uint32_t in, token name, uint32_t at, uint32_t end);
/* The variable as the scope that is being written sees it; 0: there is none. */
uint32_t ct_sp_find_variable(reader *r, uint32_t in, ct_name lower);
uint32_t ct_sp_add_component(reader *r, uint32_t in, token name); /* 0 after reporting */
uint32_t ct_sp_find_component(const reader *r, uint32_t in, ct_name lower);
uint32_t ct_sp_wire(reader *r, uint32_t in, token name); /* made if new; 0: ground */
uint32_t ct_sp_new_wire(reader *r, uint32_t in, token name);
uint32_t ct_sp_find_wire(const reader *r, uint32_t in, ct_name lower, bool *ground);
ct_node ct_sp_terminal(reader *r, token name);
/* What an instance hands to the .global nodes of its subcircuit; from: to where they are added. */
void ct_sp_pass_globals(reader *r, uint32_t inside, ct_node *terminal);
ct_name ct_sp_claim_component(reader *r, ct_name name); /* of the main circuit, likewise */
ct_name ct_sp_claim_definition(reader *r, bool function, ct_name name); /* a name that is free */
ct_name ct_sp_clean(reader *r, ct_name word, const char *prefix);
bool ct_sp_need(reader *r, uint32_t index, ct_place from); /* writes a scope; false: reported */
/* m= (length 0: not given) times that of the subcircuit around; node 0: neither. */
value ct_sp_parallel(reader *r, token m);
void ct_sp_add_multiplier(reader *r, uint32_t in);
void ct_sp_pass_extras(reader *r, uint32_t inside, children *keys);

/* ---- expr.c, probe.c */
value ct_sp_expression(reader *r, uint32_t at, uint32_t end);
value ct_sp_following(reader *r, uint32_t at,
                      uint32_t end); /* of a source that follows the circuit */
value ct_sp_value(reader *r, cursor *c, const char *what); /* one token as a value */
ct_node ct_sp_voltage(reader *r, token a, token b);        /* b.kind TOKEN_END: against ground */
ct_node ct_sp_current(reader *r, token name);
bool ct_sp_solve_variable(reader *r, uint32_t index, double *number);
bool ct_sp_known(reader *r, const value *v, ct_place place, const char *what, double *number);

/* ---- devices */
bool ct_sp_nodes(reader *r, cursor *c, ct_node *terminal, uint32_t count); /* false: reported */
bool ct_sp_apart(reader *r, uint32_t index, const ct_node *terminal);
void ct_sp_join_windings(reader *r, uint32_t in); /* before the devices of a scope are written */
void ct_sp_write_switch(reader *r, uint32_t index, cursor *c, char letter);
void ct_sp_write_line(reader *r, uint32_t index, cursor *c); /* wave.c */
void ct_sp_write_devices(reader *r, uint32_t in);
void ct_sp_write_source(reader *r, uint32_t index, cursor *c, char letter);
void ct_sp_write_controlled(reader *r, uint32_t index, cursor *c, char letter);
void ct_sp_write_behaviour(reader *r, uint32_t index, cursor *c);
void ct_sp_write_mutual(reader *r, uint32_t in); /* groups of coupled inductors */
void ct_sp_write_semiconductor(reader *r, uint32_t index, cursor *c, char letter);
bool ct_sp_find_model(reader *r, token type, scope *s); /* fills s->model, s->nodes */
void ct_sp_write_model(reader *r, uint32_t index);
void ct_sp_settle_keys(reader *r); /* of models: those that no device gives */
/* `name = value`: its name taken, the cursor at the value; false: there is none. */
bool ct_sp_assignment(const reader *r, cursor *c, token *name);

/* ---- cards.c, analysis.c, output.c */
void ct_sp_sort_cards(reader *r);
void ct_sp_read_controls(reader *r);   /* before the devices */
void ct_sp_finish_controls(reader *r); /* behind them */
void ct_sp_read_outputs(reader *r, cursor *c);
void ct_sp_add_all_outputs(reader *r);
ct_analysis_kind ct_sp_kind(const reader *r); /* of the analysis that the tree is for */
bool ct_sp_next_number(reader *r, cursor *c, const char *what, double *number);
bool ct_sp_wrong(reader *r, token word, const char *what); /* false */
void ct_sp_check_start(reader *r, token name);             /* warns when ic= has no effect */

/* ---- branch.c */
bool ct_sp_has_branches(const reader *r);
bool ct_sp_is_skipped(const branches *b);
/* .if, .elseif, .else, .endif; in: the scope that is open. False: it is another card. */
bool ct_sp_branch(reader *r, branches *b, cursor *c, token word, uint32_t in);

/* ---- step.c, measure.c, formula.c, transfer.c */
void ct_sp_read_step(reader *r, cursor *c, token word);
/* Name and values of a sweep; false after reporting. In .dc: sources and params are swept within
 * the model, other things by runs. */
bool ct_sp_read_sweep(reader *r, cursor *c, token word, target *t);
void ct_sp_apply_run(reader *r);       /* values of this run */
ct_sweep *ct_sp_list_steps(reader *r); /* those that were read so far */
void ct_sp_write_transfer(reader *r);
void ct_sp_read_measure(reader *r, cursor *c);
bool ct_sp_is_measure_of(reader *r, cursor *c, ct_analysis_kind *kind); /* and takes the word */
ct_node ct_sp_formula(reader *r, uint32_t at, uint32_t end);            /* 0 after reporting */
bool ct_sp_formula_is_real(const reader *r, ct_node n);
ct_node ct_sp_output_column(reader *r, ct_node expr, const char *label); /* of a formula */

/* ---- start.c */
void ct_sp_link(reader *r, uint32_t in, link l, const ct_node *terminal, uint32_t count);
void ct_sp_read_guesses(reader *r, cursor *c);               /* of .nodeset */
void ct_sp_read_starts(reader *r, const number_list *cards); /* of .ic, with uic */
void ct_sp_hold_starts(reader *r, cursor *c);
/* .ic and .nodeset of a subcircuit, whose devices are written. */
void ct_sp_write_starts(reader *r, uint32_t index); /* of .ic, without */

/* ---- complaints (cards.c) */
ct_report *ct_sp_error(reader *r, const char *code, ct_place place, const char *format, ...)
    CT_PRINTF(4, 5);
void ct_sp_missing(reader *r, const cursor *c, const char *what);
void ct_sp_ignored(reader *r, token t, const char *why);
void ct_sp_rest(reader *r, cursor *c); /* nothing may follow */

#endif
