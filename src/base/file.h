/* file.h - reading texts; ct_write_file() of cotree.h writes results. */
#ifndef CT_BASE_FILE_H
#define CT_BASE_FILE_H

#include <stdbool.h>

#include "base/context.h"

/* Reads a text through the loader of the context; its number, or 0 when there is no such file
 * (nothing is reported then). Too large a file throws CT_ERR_LIMIT after reporting E002. */
uint32_t ct_load(ct_context *ctx, const char *path);

/* Has the file one of these endings, in small letters or large ones? NULL ends the list. */
bool ct_has_ending(const char *path, const char *const *endings);

/* Is the file, after all links, neither below the folder nor below one of the include folders? */
bool ct_is_file(const ct_context *ctx, const char *path); /* with a loader of the user: true */
bool ct_leaves_folder(const ct_context *ctx, const char *folder, const char *path);

#endif
