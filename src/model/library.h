/* library.h - the element library as it was built in: library/ *.lg. */
#ifndef CT_MODEL_LIBRARY_H
#define CT_MODEL_LIBRARY_H

#include <stddef.h>

typedef struct ct_library_text {
    const char *path, *text;
    size_t length;
    const char *const *names; /* of its elements, systems and functions; ends with NULL */
} ct_library_text;

extern const ct_library_text ct_library_texts[]; /* ends with a NULL path */

#endif
