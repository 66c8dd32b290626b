/* examples.h - the worked examples as they were built in: models/ * /model.lg. */
#ifndef CT_MODEL_EXAMPLES_H
#define CT_MODEL_EXAMPLES_H

#include <cotree/cotree.h>

extern const ct_example ct_example_texts[]; /* ends with a NULL name */

#endif
