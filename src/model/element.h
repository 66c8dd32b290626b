/* element.h - an element while its text is read; shared by the files element*.c. */
#ifndef CT_MODEL_ELEMENT_H
#define CT_MODEL_ELEMENT_H

#include "model/build.h"

/* Shape of a key that is no number, of a component on vector nodes. */
typedef struct key_shape {
    ct_name name;
    uint32_t rows, cols;
    ct_place place;
} key_shape;

typedef struct ranked {
    uint32_t rank, param;
} ranked;

/* `e.charge`: what an edge stores, an own unknown whose rate is the through (across) variable. */
typedef struct stored {
    uint32_t edge, row; /* of ct_domain_row.stored */
    ct_name name;       /* e.charge */
    ct_dim dim;
    ct_place place;
} stored;

struct element_scope {
    definition *d;
    CT_VEC(ct_terminal) terminal;
    CT_VEC(ct_element_edge) edge;
    CT_VEC(ct_element_param) param;
    CT_VEC(ct_name) slot_name;
    CT_VEC(ranked) computed; /* params whose defaults name others */
    CT_VEC(ct_element_named) var, signal, discrete;
    CT_VEC(ct_law) law;
    uint32_t under; /* the IF being read, plus 1 */
    uint8_t way;
    CT_VEC(ct_happening) happening;
    CT_VEC(stored) stored;
    CT_VEC(ct_name) differed;        /* symbols in what is differentiated */
    CT_VEC(ct_key_slope) slope;      /* of keys that depend on own variables (key_slope.h) */
    ct_expr energy[CT_ENERGY_KINDS]; /* 0: none */
    ct_place energy_place;
    CT_VEC(ct_name) word; /* all words of all choices */
    ct_element *out;
    uint32_t groups, rows; /* rows: scalar equations */
    const where *outer;
    ct_node component; /* whose keys choose; 0: defaults */
    uint64_t domains;  /* of generic ports */
    ct_node port;      /* being read */
    uint64_t widths;   /* entries of the nodes of each port, 8 bits each; 0: scalars */
    const key_shape *shape;
    uint32_t shape_count;
    uint32_t spread, entry; /* entries that do not meet, and which one is read, from 1 (vector.c) */
    uint64_t ends;          /* of a field: 1, and bit 1 + edge: it is held; 0: open (field.h) */
    struct field *field;    /* whose equations are being read */
    CT_VEC(ct_name) lost;   /* terminals and edges that were reported: using them is silent */
};

/* The template of an element as options, widths and ends make it. */
const ct_element *ct_elaborate(builder *b, definition *d, const where *outer, ct_node component,
                               const variant *v);
/* The element cannot be used; what is wrong was reported. */
void ct_element_fail(element_scope *es);
uint32_t ct_element_terminal(const element_scope *es, ct_name name); /* UINT32_MAX: none */
/* CHOICE or CONST when the element declares such a name, else NONE. */
ct_node_kind ct_option_kind(const definition *d, ct_name name);
bool ct_option_key(const definition *d, const where *w, ct_node key, ct_name *name, ct_node *expr);
/* Rows of a key's value, and its columns times 65536; 0: it is not given (element_keys.c). */
int64_t ct_key_extent(builder *b, const where *w, ct_node component, ct_name key);
void ct_list_asked(builder *b, definition *d, ct_node n); /* fills definition.asked */
extern const pass ct_structure_pass, ct_edge_pass, ct_energy_pass;
/* The equations that follow from the energies of the element, and the rates of what it stores
 * (energy.c). */
void ct_derive_from_energy(builder *b, element_scope *es);
/* What the energies miss, when equations are missing; false: they miss nothing. */
bool ct_report_missed(builder *b, element_scope *es);

/* ---- vectors (vector.c) */
uint32_t ct_width_of(uint64_t widths, uint32_t group);
ct_name ct_entry_name(builder *b, ct_name name, uint32_t width, uint32_t part);
uint32_t ct_key_shapes(builder *b, const where *w, ct_node component, uint64_t widths,
                       const key_shape **shapes);
const key_shape *ct_key_shape(const element_scope *es, ct_name name); /* NULL: a number */
/* Has a key as many rows and columns as ports have entries? Else reports (E421). */
bool ct_shape_fits(builder *b, const element_scope *es, const key_shape *k);
uint32_t ct_spread_of(const element_scope *es);
shaped ct_entry_value(builder *b, const element_scope *es, shaped v);
void ct_fill_sum(builder *b, shaped *v, uint32_t count);

#endif
