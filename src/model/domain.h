/* domain.h - the physical domains: their across and through variables, units and signs. */
#ifndef CT_MODEL_DOMAIN_H
#define CT_MODEL_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>

/* A variable of an edge. Its order counts time derivatives from the domain's across (through)
 * variable itself: x has -1, v has 0, a has +1. */
typedef struct ct_variable_row {
    const char *name; /* NULL ends the list */
    const char *unit;
    bool across;
    int order;
} ct_variable_row;

enum { CT_DOMAIN_VARIABLES = 5 };

/* What the two ports of a domain gather: the integrals of through and across. A mechanical edge has
 * its position among the variables. name NULL: there is none. */
typedef struct ct_stored_row {
    const char *name, *unit;
    bool across; /* integral of the across variable */
} ct_stored_row;

enum { CT_STORED_ROWS = 2 };

typedef struct ct_domain_row {
    const char *name;
    bool across_head_minus_tail;
    ct_variable_row variable[CT_DOMAIN_VARIABLES];
    ct_stored_row stored[CT_STORED_ROWS];
} ct_domain_row;

enum { CT_NO_DOMAIN = 255 };

const ct_domain_row *ct_domain_list(uint32_t *count);
const ct_domain_row *ct_domain_row_at(uint32_t domain);
bool ct_domain_find(const char *name, uint32_t *domain);
/* Index into the domain's variables, or -1. */
int ct_domain_variable(uint32_t domain, const char *name);

#endif
