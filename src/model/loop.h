/* loop.h - algebraic loops of signals (loop.c). */
#ifndef CT_MODEL_LOOP_H
#define CT_MODEL_LOOP_H

#include "model/build.h"

shaped ct_loop_of_entry(builder *b, entry *e);
shaped ct_close_entry_loop(builder *b, entry *e, shaped found);
ct_expr ct_loop_of_component(builder *b, uint32_t component, uint32_t signal);
void ct_close_loops(builder *b);

#endif
