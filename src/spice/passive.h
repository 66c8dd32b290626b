/* passive.h - what the files of R, C, L and coupled inductors share (passive.c, device.c). */
#ifndef CT_SPICE_PASSIVE_H
#define CT_SPICE_PASSIVE_H

#include "spice/reader.h"

typedef struct passive_row {
    char letter;
    const char *type, *key, *unit, *start; /* start: variable that ic= sets */
    const char *plain;                     /* parameter of a model that is the value itself */
} passive_row;

/* Keys for temperatures other than the nominal one. */
enum { TC1, TC2, TCE, TEMP, DTEMP, HEATS };

typedef struct passive {
    value v, start;
    bool given, has_start;
    uint32_t model;       /* scope; 0: none */
    token l, w, m, scale; /* length 0: not given */
    double heat[HEATS], nominal;
    bool has_heat[HEATS];
} passive;

const passive_row *ct_sp_passive_of(char letter); /* NULL: another device */
void ct_sp_read_passive(reader *r, cursor *c, const passive_row *row, passive *p);
bool ct_sp_finish_passive(reader *r, const passive_row *row, passive *p,
                          ct_place place); /* with its model; false: there is no value */
value ct_sp_passive_value(reader *r, const passive_row *row, const passive *p);
void ct_sp_write_passive(reader *r, uint32_t index, cursor *c, const passive_row *row);

#endif
