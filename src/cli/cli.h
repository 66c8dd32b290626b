/* cli.h - what the verbs of the command line share. Only cotree.h is known here. */
#ifndef CT_CLI_CLI_H
#define CT_CLI_CLI_H

#include <stdio.h>

#include <cotree/cotree.h>

/* Exit codes; they are part of the interface. */
enum {
    EXIT_OK = 0,
    EXIT_MODEL = 1,
    EXIT_USAGE = 2,
    EXIT_NUMERICAL = 3,
    EXIT_LIMIT = 4,
    EXIT_INTERNAL = 70,
    EXIT_IO = 74,
};

enum { MOST_SETS = 256, MOST_NAMES = 4096, MOST_INCLUDES = 64, MOST_PICTURES = 16 };

/* Options of all verbs; each verb accepts some of them. */
typedef struct options {
    const char *argument[2]; /* what is not an option */
    int argument_count;
    const char *output;
    bool json, all, strict_units, stats, events, exact, check_only, help;
    const char *dump;
    /* of runs, as typed */
    const char *start, *stop, *step, *times, *points, *tol, *atol, *method, *form, *plot, *state,
        *coordinates, *time;
    const char *format, *simplify;        /* of equations */
    const char *draw, *animate, *magnify; /* pictures of bodies */
    const char *to;                       /* of export */
    const char *frames;                   /* of dynamics */
    bool no_native, no_avx2, allow_native, trust_native;
    bool floating, views;
    bool trace, standalone, matrix;
    /* of state spaces */
    bool numeric, equilibrium, tf, poles, zeros;
    const char *at, *pade, *from, *upto; /* of the frequency */
    bool margins, step_info, impedances;
    bool names; /* of joints in pictures */
    struct {
        ct_response response;
        const char *path;
    } picture[MOST_PICTURES];
    int picture_count;
    const char *analysis; /* of netlists */
    bool model;           /* of lg2ss */
    bool plot_given;
    const char *tree[MOST_NAMES];
    int tree_count;
    bool tree_given;
    ct_override set[MOST_SETS];
    int set_count;
    const char *include[MOST_INCLUDES];
    int include_count;
} options;

enum option_id {
    NO_OPTION,
#define OPTION(id, name, value, kind, member, words, summary) id,
#include "cli/options.def"
};

enum { MOST_OPTIONS = 40 }; /* of one verb */

typedef struct verb {
    const char *name, *arguments, *summary;
    unsigned char options[MOST_OPTIONS]; /* that it takes, in the order of its help */
    int least, most;                     /* arguments */
    const char *example;
    int (*run)(const options *o);
} verb;

extern const verb verbs[]; /* ends with a NULL name */

/* Fills *o; 0, or an exit code after a message. Cuts the arguments in place. */
int parse_options(const verb *v, int argc, char **argv, options *o);
void print_help(const verb *v);
void print_usage(FILE *out);

/* To standard error, with control characters and bytes that are no UTF-8 shown as \\x1b. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A context with the options' include folders; exits are left to the caller. */
ct_context *open_context(const options *o);

/* Prints the diagnostics (as JSON to standard output when asked) and gives the exit code. */
int exit_code(ct_status status);
int report(ct_context *ctx, const options *o, ct_status status);

/* Ends the output: 0, or EXIT_IO after a message. */
int finish_output(int code);

/* Refuses to write over the model: 0, or EXIT_IO after a message. */
int protect_model(const options *o);
int replace_file(const char *path, const char *text, size_t length); /* whatever it is */

/* Prints messages on standard error, unless the answer is JSON and has them; then the answer. */
int answer(ct_context *ctx, const options *o, bool has_messages, const char *text, size_t length);

/* With one of the endings, which are apart by blanks; text may be NULL. */
bool ends_with(const char *text, const char *endings);
double now(void); /* seconds of a clock that never jumps */

/* Writes to a file or to standard output (NULL or "-"); 0 or EXIT_IO after a message. Files that
 * were read are not written. */
int write_result(const char *path, const char *text, size_t length);

/* From the syntax to the tree, as the options say. */
typedef struct staged {
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
} staged;
ct_status to_tree(ct_context *ctx, const options *o, const ct_syntax *syntax, bool kinematic,
                  staged *made);
/* From the model's file to a simulator. */
ct_status make_simulator(ct_context *ctx, const options *o, bool kinematic,
                         ct_simulator **simulator);

/* Words of the tables of cotree.h. */
bool is_word(ct_word_kind kind, const char *typed);
void print_words(FILE *out, ct_word_kind kind); /* a, b or c */
int wrong_word(const char *by, const char *what, ct_word_kind kind, const char *typed);
/* Standard output, a device or a pipe: what needs no ending, and stays one file. */
bool is_stream(const char *path);
/* The format that the ending of a file means; NULL: none, after a message of the verb, if any. */
const char *format_of(const char *by, ct_word_kind kind, const char *path);

/* What was typed behind an option: 0, or EXIT_USAGE after a message. */
int no_number(const char *option, const char *typed, const char *wanted);
int read_number(const char *option, const char *typed, double *value);
int read_states(char *list, ct_state_value *given, uint32_t *count); /* x=1,y=2 mm: cut in place */
/* A picture of the bodies, over a run or (result NULL) at the start, to a file; 0 or an exit code
 * after a message. */
int write_drawing(ct_context *ctx, const options *o, ct_simulator *simulator,
                  const ct_result *result, const char *path);
/* Which pictures the ending means; 0, or EXIT_USAGE after a message. */
/* --magnify; 1 without. */
int read_magnification(const options *o, double *factor);
int drawing_format(const char *path, bool moving, ct_drawing *how);

/* Name nearest to what was typed, NULL if none is near. */
const char *nearest(const char *typed, const char *const *names, size_t count);

int run_check(const options *o);
int run_graph(const options *o);
int run_equations(const options *o);
int run_statespace(const options *o);
int run_lg2ss(const options *o);
int run_convert(const options *o);
int run_dynamics(const options *o);
int run_fmt(const options *o);
int run_run(const options *o);
int run_kinematics(const options *o);
int run_equilibrium(const options *o);
int run_eval(const options *o);
int run_export(const options *o);
int run_doc(const options *o);
int run_new(const options *o);
int run_demo(const options *o);

#endif
