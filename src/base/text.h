/* text.h - building texts. */
#ifndef CT_BASE_TEXT_H
#define CT_BASE_TEXT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

typedef struct ct_text {
    ct_arena *arena;
    char *at; /* always zero-terminated once something was added */
    size_t length, room;
} ct_text;

ct_text ct_text_new(ct_arena *arena);
void ct_put(ct_text *text, const char *string);
void ct_put_bytes(ct_text *text, const char *bytes, size_t length);
void ct_put_char(ct_text *text, char c);
void ct_put_int(ct_text *text, int64_t value);
void ct_put_number(ct_text *text, double value); /* 17 digits, by ct_decimal_write() */
void ct_put_repeat(ct_text *text, char c, size_t count);
void ct_putf(ct_text *text, const char *format, ...) CT_PRINTF(2, 3);
void ct_vputf(ct_text *text, const char *format, va_list arguments);
const char *ct_text_string(ct_text *text); /* "" when empty */

/* What a terminal may show: control characters and bytes that are no UTF-8 as \\x1b. */
void ct_put_visible(ct_text *text, const char *string);
bool ct_is_control(const char *at, uint32_t length); /* the character at `at` */
/* A string with its quotes, escaped as in JSON (json.c). */
void ct_put_json(ct_text *text, const char *string);

/* Characters (not bytes) of a UTF-8 text. */
size_t ct_text_width(const char *string);

#endif
