/* library.h - the element library as it was built in: library/ *.lg. */
#ifndef CT_MODEL_LIBRARY_H
#define CT_MODEL_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

typedef struct ct_library_text {
    const char *path, *text;
    size_t length;
} ct_library_text;

extern const ct_library_text ct_library_texts[]; /* ends with a NULL path */

/* An element, a system or a function in them, which is read when it is asked for. */
typedef struct ct_library_part {
    char name[32];
    uint32_t text, at, length; /* up to the next one */
} ct_library_part;

extern const ct_library_part ct_library_parts[]; /* as they stand in the texts */
extern const uint16_t ct_library_order[];        /* their numbers in the order of their names */
extern const uint32_t ct_library_part_count, ct_library_text_count;

#endif
