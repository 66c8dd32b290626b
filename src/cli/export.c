/* export.c - the verb export. */
#include <string.h>

#include "cli/cli.h"

/* By the option, else by the ending of the file; NULL after a complaint. */
static const char *find_target(const options *o)
{
    if (o->to)
        return o->to;
    if (!is_stream(o->output))
        return format_of("export", CT_WORD_TARGET, o->output);
    complain("cotree export: to what? --to takes ");
    print_words(stderr, CT_WORD_TARGET);
    complain("\n");
    return NULL;
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
    return answer(ctx, o, false, text, length);
}

int run_export(const options *o)
{
    const char *target = find_target(o);
    if (!target)
        return EXIT_USAGE;
    ct_context *ctx = open_context(o);
    if (!ctx)
        return EXIT_INTERNAL;
    int code = export_as(ctx, o, target);
    ct_context_free(ctx);
    return code;
}
