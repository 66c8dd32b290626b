/* export.c - the verb export. */
#include <string.h>

#include "cli/cli.h"

static bool is_target(const char *word)
{
    for (size_t i = 0; ct_code_target(i); i++)
        if (strcmp(ct_code_target(i), word) == 0)
            return true;
    return false;
}

/* By the option, else by the ending of the file. */
static const char *find_target(const options *o)
{
    const char *dot = o->output ? strrchr(o->output, '.') : NULL;
    if (o->to)
        return o->to;
    return dot && is_target(dot + 1) ? dot + 1 : NULL;
}

static int wrong_target(const char *typed)
{
    complain(typed ? "cotree export: there is no target `%s`;" : "cotree export: to what?", typed);
    complain(" targets are");
    for (size_t i = 0; ct_code_target(i); i++)
        complain("%s %s", i ? "," : "", ct_code_target(i));
    complain("\n");
    return EXIT_USAGE;
}

static int export_as(ct_context *ctx, const options *o, const char *target)
{
    ct_simulator *simulator;
    const char *text;
    size_t length;
    ct_status status = make_simulator(ctx, o, false, &simulator);
    if (status == CT_OK)
        status = ct_show_code(ctx, simulator, target, &text, &length);
    if (status != CT_OK)
        return report(ctx, o, status);
    if (ct_diag_count(ctx))
        report(ctx, o, status);
    return write_result(o->output, text, length);
}

int run_export(const options *o)
{
    const char *target = find_target(o);
    int problem = target && is_target(target) ? check_form(o) : wrong_target(target);
    if (problem)
        return problem;
    ct_context *ctx = open_context(o);
    if (!ctx)
        return EXIT_INTERNAL;
    int code = export_as(ctx, o, target);
    ct_context_free(ctx);
    return code;
}
