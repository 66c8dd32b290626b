/* element.h - an element while its text is read; shared by element.c and element_ports.c. */
#ifndef CT_MODEL_ELEMENT_H
#define CT_MODEL_ELEMENT_H

#include "model/build.h"

typedef struct ranked {
    uint32_t rank, param;
} ranked;

struct element_scope {
    definition *d;
    CT_VEC(ct_terminal) terminal;
    CT_VEC(ct_element_edge) edge;
    CT_VEC(ct_element_param) param;
    CT_VEC(ct_name) slot_name;
    CT_VEC(ranked) computed; /* params whose defaults name others */
    CT_VEC(ct_element_named) var, signal;
    CT_VEC(ct_element_equation) equation;
    CT_VEC(ct_name) word; /* all words of all choices */
    ct_element *out;
    uint32_t groups, rows; /* rows: scalar equations */
    const where *outer;
    ct_node component;    /* whose keys choose; 0: defaults */
    uint64_t domains;     /* of generic ports */
    ct_node port;         /* being read */
    CT_VEC(ct_name) lost; /* terminals and edges that were reported: using them is silent */
};

/* The element cannot be used; what is wrong was reported. */
void ct_element_fail(element_scope *es);
uint32_t ct_element_terminal(const element_scope *es, ct_name name); /* UINT32_MAX: none */
/* CHOICE or CONST when the element declares such a name, else NONE. */
ct_node_kind ct_option_kind(const definition *d, ct_name name);
bool ct_option_key(const definition *d, const where *w, ct_node key, ct_name *name, ct_node *expr);
extern const pass ct_structure_pass, ct_edge_pass;

#endif
