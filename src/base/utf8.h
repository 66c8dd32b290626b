/* utf8.h - characters of UTF-8 texts. */
#ifndef CT_BASE_UTF8_H
#define CT_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at `text`; 0 if there is none (invalid, zero byte). room: bytes left. */
uint32_t ct_utf8_length(const char *text, size_t room);

#endif
