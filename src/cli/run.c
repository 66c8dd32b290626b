/* run.c - the verbs that compute: run, equilibrium, eval. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run.h"

enum { MOST_TIMES = 1000000, PLOT_WIDTH = 80 };

/* ---- stages */

ct_status make_tree(job *j)
{
    staged s = {0};
    ct_status status = j->syntax ? CT_OK : ct_read_file(j->ctx, j->o->argument[0], &j->syntax);
    if (status == CT_OK)
        status = to_tree(j->ctx, j->o, j->syntax, j->def.kinematic, &s);
    j->tree = s.tree;
    return status;
}

ct_status make(job *j)
{
    const options *o = j->o;
    const char *form = !o->form && o->tol ? "quick" : o->form; /* it may be loose */
    ct_status status = make_tree(j);
    if (status == CT_OK)
        status = (o->animate ? ct_make_drawn_simulator : ct_make_simulator)(j->ctx, j->tree, form,
                                                                            &j->simulator);
    return status;
}

/* ---- words and numbers as typed */

static int read_time(job *j, const char *option, const char *typed, double *seconds)
{
    if (!typed || ct_read_time(j->ctx, typed, seconds) == CT_OK)
        return EXIT_OK;
    return no_number(option, typed, "a time such as 0.05 or 50ms");
}

static int read_points(const char *typed, uint32_t *points)
{
    double value = 1;
    int problem = read_number("--points", typed, &value);
    if (problem || !typed)
        return problem;
    if (!(value >= 1 && value <= 1e8 && value == floor(value)))
        return no_number("--points", typed, "a whole number of intervals");
    *points = (uint32_t)value;
    return EXIT_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorted, each once. */
static int read_times(job *j)
{
    char *list = j->o->times ? strdup(j->o->times) : NULL, *rest = NULL;
    uint32_t count = 0, kept = 0, room = 1;
    if (!list)
        return j->o->times ? EXIT_INTERNAL : EXIT_OK;
    for (const char *at = list; *at; at++)
        room += *at == ',';
    j->times = calloc(room, sizeof *j->times);
    int problem = j->times ? EXIT_OK : EXIT_INTERNAL;
    for (char *at = strtok_r(list, ",", &rest); at && !problem; at = strtok_r(NULL, ",", &rest))
        problem = read_time(j, "--times", at, &j->times[count++]);
    if (!problem && !count)
        problem = no_number("--times", j->o->times, "times such as 0.1,0.2");
    if (!problem)
        qsort(j->times, count, sizeof *j->times, by_value);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || j->times[i] != j->times[kept - 1])
            j->times[kept++] = j->times[i];
    j->def.times = j->times;
    j->def.time_count = kept;
    free(list);
    return problem;
}

static int read_settings(job *j)
{
    const options *o = j->o;
    ct_simulation_def *d = &j->def;
    d->method = o->method;
    int problem = read_time(j, "--start", o->start, &d->start);
    if (!problem)
        problem = read_time(j, "--stop", o->stop, &d->stop);
    if (!problem)
        problem = read_time(j, "--step", o->step, &d->step);
    if (!problem)
        problem = read_number("--tol", o->tol, &d->tol);
    if (!problem)
        problem = read_number("--atol", o->atol, &d->atol);
    if (!problem)
        problem = read_points(o->points, &d->points);
    return problem ? problem : read_times(j);
}

/* ---- run */

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

/* Whoever asks to stop gets the rows so far; who asks twice means it. */
static void stop_on_signals(void)
{
    static const int asking[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND}, old;
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
        if (sigaction(asking[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(asking[i], &action, NULL);
}

static void show_progress(void *user, double t, double start, double stop)
{
    job *j = user;
    double at = now();
    if (at - j->clock < 1 || at - j->told < 0.2)
        return;
    j->told = at;
    fprintf(stderr, "\r%5.1f %%  t = %.6g s", 100 * (t - start) / (stop - start), t);
}

static void end_progress(job *j)
{
    if (j->told > 0)
        fprintf(stderr, "\r%40s\r", "");
}

int find_format(const options *o, target *t)
{
    *t = (target){o->output, "csv"};
    if (!is_stream(o->output))
        t->format = format_of("run", CT_WORD_RESULT_FORMAT, o->output);
    return t->format ? EXIT_OK : EXIT_USAGE;
}

static int put_result(job *j, const ct_result *result, const char *format, const char *path)
{
    const char *text, *off = getenv("NO_COLOR");
    size_t length;
    bool colour = isatty(STDOUT_FILENO) && !(off && *off);
    ct_status status = ct_show_result(j->ctx, result, format, PLOT_WIDTH, colour, &text, &length);
    return status == CT_OK ? write_result(path, text, length) : report(j->ctx, j->o, status);
}

static int put_effort(job *j, const ct_result *result, bool standard_output_is_taken)
{
    const char *text;
    size_t length;
    ct_status status = ct_show_result(j->ctx, result, "effort", PLOT_WIDTH, false, &text, &length);
    if (status != CT_OK)
        return report(j->ctx, j->o, status);
    fputs(text, standard_output_is_taken ? stderr : stdout);
    return EXIT_OK;
}

/* Rows to -o; without it to standard output, unless that is a terminal or asked for otherwise. */
int put_all(job *j, const ct_result *result, const target *t)
{
    const options *o = j->o;
    bool picture_here = o->plot_given && !o->plot;
    bool quiet = !o->output && (o->plot_given || o->animate || o->stats || o->events);
    bool terminal = !o->output && !quiet && isatty(STDOUT_FILENO);
    int problem = EXIT_OK;
    const ct_result *picture = j->picture ? j->picture : result;
    if (o->output || (!quiet && !terminal))
        problem =
            put_result(j, strcmp(t->format, "svg") == 0 ? picture : result, t->format, t->path);
    if (!problem && o->plot)
        problem = put_result(j, picture, "svg", o->plot);
    if (!problem && o->animate)
        problem = write_drawing(j->ctx, o, j->simulator, result, o->animate);
    if (!problem && o->animate)
        problem = report_new(j, CT_OK);
    if (!problem && (picture_here || terminal))
        problem = put_result(j, picture, "terminal", NULL);
    if (!problem && terminal)
        complain("-o result.csv keeps the numbers, --plot figure.svg the picture\n");
    if (!problem && o->events)
        problem = put_result(j, result, o->json ? "events-json" : "events", NULL);
    bool taken = picture_here || o->events || (o->output ? strcmp(o->output, "-") == 0 : !quiet);
    if (!problem && o->stats)
        problem = put_effort(j, result, taken);
    return problem;
}

int report_new(job *j, ct_status status)
{
    size_t count = ct_diag_count(j->ctx);
    bool fresh = count > j->told_diags;
    j->told_diags = count;
    return status != CT_OK || fresh ? report(j->ctx, j->o, status) : EXIT_OK;
}

ct_status integrate_model(job *j, const ct_result **result)
{
    ct_status status = make(j);
    j->def.interrupted = &interrupted;
    j->def.user = j;
    if (isatty(STDERR_FILENO))
        j->def.progress = show_progress;
    stop_on_signals();
    j->clock = now();
    if (status == CT_OK)
        status = j->measured ? ct_run_measured(j->ctx, j->simulator, j->syntax, &j->def, result)
                             : ct_run(j->ctx, j->simulator, &j->def, result);
    end_progress(j);
    return status;
}

int tell_interrupt(const ct_result *result, int code)
{
    if (!result || !result->interrupted)
        return code;
    complain("cotree run: interrupted at t = %.9g s; the rows so far are kept\n",
             result->effort.last_time);
    return EXIT_NUMERICAL;
}

static void tell_end(const job *j, const ct_result *result)
{
    if (result && result->ended && !j->o->json)
        complain("cotree run: ended at t = %.9g s: %s\n", result->effort.last_time, result->ended);
}

int simulate_model(job *j, const target *t)
{
    const ct_result *result = NULL;
    ct_status status = integrate_model(j, &result);
    bool inside = result && j->o->json; /* the list of events holds the messages */
    int code = inside ? exit_code(status) : report_new(j, status);
    int problem = result ? put_all(j, result, t) : EXIT_OK;
    code = tell_interrupt(result, code);
    tell_end(j, result);
    return problem ? problem : code;
}

int put_table(job *j, const ct_result *result, const char *path)
{
    return put_result(j, result, "csv", path);
}

static int simulate(job *j)
{
    target t;
    int problem = find_format(j->o, &t);
    if (j->o->json && !j->o->events) {
        complain("cotree run: --json goes with --events; rows are written as .csv or .mat\n");
        return EXIT_USAGE;
    }
    j->def.events = j->o->events;
    if (j->o->plot && !ends_with(j->o->plot, ".svg")) {
        complain("cotree run: %s: pictures are written as .svg\n", j->o->plot);
        return EXIT_USAGE;
    }
    ct_drawing how;
    if (!problem && j->o->animate)
        problem = drawing_format(j->o->animate, true, &how);
    double factor;
    if (!problem)
        problem = read_magnification(j->o, &factor);
    if (!problem)
        problem = read_settings(j);
    if (problem)
        return problem;
    ct_status status = ct_read_file(j->ctx, j->o->argument[0], &j->syntax);
    if (status != CT_OK)
        return report(j->ctx, j->o, status);
    return ct_is_a_netlist(j->syntax) ? run_analyses(j, &t) : simulate_model(j, &t);
}

/* A driven mechanism: its motion is exact at every row, whatever the steps between. */
static int follow_drivers(job *j)
{
    j->def.kinematic = true;
    return simulate(j);
}

/* ---- equilibrium, eval */

static int show_point(job *j, ct_status status, const ct_point *point)
{
    const char *text;
    if (status == CT_OK)
        status = ct_show_point(j->ctx, point, j->o->json, &text);
    if (status != CT_OK)
        return report(j->ctx, j->o, status);
    return answer(j->ctx, j->o, j->o->json, text, strlen(text));
}

/* Sources of a netlist then have their DC values. */
static ct_status read_point(job *j)
{
    ct_status status = ct_read_file(j->ctx, j->o->argument[0], &j->syntax);
    if (status == CT_OK && ct_is_a_netlist(j->syntax))
        status = ct_read_analysis(j->ctx, j->syntax, SIZE_MAX, &j->syntax);
    return status;
}

static int find_equilibrium(job *j)
{
    const ct_point *point = NULL;
    double t = 0;
    int problem = read_time(j, "--time", j->o->time, &t);
    if (problem)
        return problem;
    ct_status status = read_point(j);
    if (status == CT_OK)
        status = make(j);
    if (status == CT_OK)
        status = ct_find_equilibrium(j->ctx, j->simulator, t, &point);
    return show_point(j, status, point);
}

static int evaluate_at(job *j, char *list, ct_state_value *given)
{
    const ct_point *point = NULL;
    double t = 0;
    uint32_t count = 0;
    int problem = read_time(j, "--time", j->o->time, &t);
    if (!problem)
        problem = read_states(list, given, &count);
    if (problem)
        return problem;
    ct_status status = make(j);
    if (status == CT_OK)
        status = ct_evaluate_at(j->ctx, j->simulator, t, given, count, &point);
    return show_point(j, status, point);
}

static int evaluate(job *j)
{
    char *list = strdup(j->o->state ? j->o->state : "");
    ct_state_value *given = list ? calloc(strlen(list) + 1, sizeof *given) : NULL;
    int code = given ? evaluate_at(j, list, given) : EXIT_INTERNAL;
    free(given);
    free(list);
    return code;
}

static int in_job(const options *o, int (*body)(job *j))
{
    job j = {.o = o, .ctx = open_context(o), .def = ct_default_simulation_def()};
    if (!j.ctx)
        return EXIT_INTERNAL;
    int code = body(&j);
    free(j.times);
    ct_context_free(j.ctx);
    return code;
}

int run_run(const options *o)
{
    return in_job(o, simulate);
}

int run_equilibrium(const options *o)
{
    return in_job(o, find_equilibrium);
}

int run_eval(const options *o)
{
    return in_job(o, evaluate);
}

int run_kinematics(const options *o)
{
    return in_job(o, follow_drivers);
}
