/* item.h - what outputs and measures share: one expression of a card (output.c). */
#ifndef CT_SPICE_ITEM_H
#define CT_SPICE_ITEM_H

#include "spice/reader.h"

/* v(a), v(a)-v(b), {expression}, par('expression'): a stretch of the text without brackets around
 * it. probe: plain v(..) or i(..), whose names stand in a and b. */
typedef struct item {
    uint32_t at, end;
    ct_place place;
    char probe; /* 'v', 'i' or 0 */
    token a, b;
    bool known; /* it begins with what can be written */
} item;

item ct_sp_next_item(reader *r, cursor *c);    /* taken off the card; empty at `=` or the end */
ct_node ct_sp_curve(reader *r, const item *i); /* as a formula; 0 after reporting */

#endif
