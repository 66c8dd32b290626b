/* json.h - JSON, written piece by piece; the writer knows where commas belong.
 *
 *     ct_json j = ct_json_new(out, " ");
 *     ct_json_open(&j, NULL, '{');
 *     ct_json_text(&j, "name", "R1");
 *     ct_json_open(&j, "rows", '[');
 *     ct_json_int(&j, NULL, 3);
 *     ct_json_close(&j, ']');
 *     ct_json_close(&j, '}');
 *
 * gives {"name": "R1", "rows": [3]}. Members of an object have a key, values of a list NULL.
 */
#ifndef CT_BASE_JSON_H
#define CT_BASE_JSON_H

#include <stdbool.h>

#include "base/text.h"

typedef struct ct_json {
    ct_text *out;
    const char *gap; /* behind commas and colons: " ", or "" for short */
    bool comma;      /* a value stands before the next one */
    int indent;      /* the next value begins a line, so far in; -1: it does not */
} ct_json;

ct_json ct_json_new(ct_text *out, const char *gap);
void ct_json_open(ct_json *j, const char *key, char bracket); /* '{' or '[' */
void ct_json_close(ct_json *j, char bracket);
void ct_json_text(ct_json *j, const char *key, const char *text); /* NULL: null */
void ct_json_int(ct_json *j, const char *key, int64_t value);
void ct_json_number(ct_json *j, const char *key, double value); /* null where it is none */
void ct_json_bool(ct_json *j, const char *key, bool value);
void ct_json_raw(ct_json *j, const char *key, const char *value); /* as it is; NULL: null */
void ct_json_line(ct_json *j, int indent);                        /* before the next value */

/* Whole lists and objects. */
void ct_json_texts(ct_json *j, const char *key, const char *const *text, size_t count);
void ct_json_numbers(ct_json *j, const char *key, const double *value, size_t count);
void ct_json_pairs(ct_json *j, const char *key, const char *const *name, const double *value,
                   size_t count);

/* "diagnostics": what was reported so far, as in ct_diag_render(). */
void ct_json_diagnostics(ct_json *j, const ct_context *ctx);
/* The same as the last member of a document, and its end: a reader of one document has it all. */
void ct_json_end(ct_json *j, const ct_context *ctx);

#endif
