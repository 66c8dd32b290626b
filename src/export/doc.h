/* doc.h - the manual of the element library, made from its text. */
#ifndef CT_EXPORT_DOC_H
#define CT_EXPORT_DOC_H

#include "base/text.h"

/* All elements by file of the library, one line each. */
void ct_doc_list(ct_context *ctx, ct_text *out);

/* One element: help, use, parameters, variables, tree class, equations, source. False: there is no
 * such element; *near names one that may have been meant, or is NULL. */
bool ct_doc_element(ct_context *ctx, const char *name, ct_text *out, const char **near);

#endif
