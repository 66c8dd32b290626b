/* diag.h - recording what is wrong with a model.
 *
 *     ct_report *r = ct_error(ctx, "E310", place, "loop of across drivers {%s}", names);
 *     ct_note(r, "across drivers must all be branches, and a tree has no circuit");
 *     ct_help(r, "remove one of them or put a resistor in series");
 *     ct_witness(r, "V1");
 */
#ifndef CT_BASE_DIAG_H
#define CT_BASE_DIAG_H

#include <stdarg.h>

#include <cotree/cotree.h>

#include "base/source.h"

typedef struct ct_report ct_report;

typedef struct ct_diag_list {
    ct_report **at;
    uint32_t count, room, errors, numbered;
    size_t raised; /* errors, also those that were reported before */
    struct ct_last_words *last;
    ct_report *latest; /* of those that were new */
} ct_diag_list;

void ct_diags_init(ct_context *ctx);
void ct_cut_report(ct_context *ctx) CT_RARE; /* the stage ends here, perhaps inside of a report */

/* Every code stands in codes.def; an unknown one is a mistake in the program (asserted). A second
 * report with the same code, place and message is dropped. Never returns NULL. */
ct_report *ct_error(ct_context *ctx, const char *code, ct_place place, const char *format, ...)
    CT_PRINTF(4, 5) CT_RARE;
ct_report *ct_warning(ct_context *ctx, const char *code, ct_place place, const char *format, ...)
    CT_PRINTF(4, 5) CT_RARE;
void ct_note(ct_report *report, const char *format, ...) CT_PRINTF(2, 3) CT_RARE;
void ct_help(ct_report *report, const char *format, ...) CT_PRINTF(2, 3) CT_RARE;
void ct_witness(ct_report *report, const char *name) CT_RARE;

/* How often an error was found so far: a stage compares before and after. */
size_t ct_errors_raised(const ct_context *ctx);

/* Drops what was reported about this source and later ones: reading it has failed for another
 * reason, and will be tried anew. */
void ct_forget_reports(ct_context *ctx, uint32_t source);

/* Drops what was reported since there were so many: an attempt that failed, or that nobody asked
 * for. */
uint32_t ct_reports_so_far(const ct_context *ctx);
void ct_forget_reports_since(ct_context *ctx, uint32_t number);

/* What can be told when no memory is left: one report at a time, whose room is taken beforehand.
 * Without a place it comes first. megabytes: what stands for %zu in the message. */
void ct_tell_at_last(ct_context *ctx, const char *code, const char *message, size_t megabytes,
                     const char *help);
void ct_forget_last(ct_context *ctx); /* the call is made again, or another one */

/* A printf into the memory of the context. */
const char *ct_printf(ct_context *ctx, const char *format, ...) CT_PRINTF(2, 3);

#endif
