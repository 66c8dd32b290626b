/* native_place.h - inside native_place.c and native_call.c: where values stand while code is
 * written. */
#ifndef CT_COMPILE_NATIVE_PLACE_H
#define CT_COMPILE_NATIVE_PLACE_H

#include "compile/native.h"

enum { NO_REGISTER = 255 };

typedef struct ct_placed {
    ct_operand home;   /* base CT_BASE_NONE: none */
    uint32_t use, end; /* the uses to come are placer.use[use .. end) */
    uint8_t reg;
    bool temporary; /* its home is a slot of the placer */
} ct_placed;

typedef struct ct_placer {
    ct_x86 *x;
    const ct_code *code;
    const ct_program *program;
    const uint32_t *order;
    uint32_t now;                   /* position in the order */
    ct_placed *value;               /* of an instruction */
    uint32_t *use;                  /* positions */
    uint32_t *output, *next_output; /* of a value, 1 based; of an output */
    uint32_t held[CT_X86_FREE];     /* value in a register; 0: none */
    uint32_t due[CT_X86_FREE];      /* its next use << 4 | the register */
    CT_VEC(uint32_t) spare;         /* slots */
    CT_VEC(uint32_t) late;          /* slots that are spare from the next instruction on */
    uint32_t next_slot;
    uint32_t middle; /* the slot where the base of the work space points */
    uint32_t room;   /* wide code: the first slot of room for operands of one lane; 0: none yet */
} ct_placer;

/* ---- native_place.c */

ct_operand ct_slot_place(const ct_placer *p, uint32_t slot);
ct_operand ct_place_of(const ct_placer *p, uint32_t v);
/* In a register, or loaded into `scratch`. */
uint32_t ct_place_register(ct_placer *p, ct_operand place, uint32_t scratch);
void ct_place_forget(ct_placer *p, uint32_t v);
void ct_place_pass(ct_placer *p, uint32_t v); /* its uses up to now are over */
void ct_place_clear(ct_placer *p);            /* all values leave their registers */
/* It stands in this register now; copies go to the outputs. */
void ct_place_define(ct_placer *p, uint32_t v, uint32_t reg);
void ct_place_outputs(ct_placer *p, uint32_t v, uint32_t reg);

/* ---- native_call.c */

void ct_write_call(ct_placer *p, uint32_t id);
/* Circle functions that can be done at once from now on; 0: another instruction comes first. */
uint32_t ct_circle_count(const ct_placer *p, uint32_t count);
void ct_write_circles(ct_placer *p, uint32_t n);

#endif
