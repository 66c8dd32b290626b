/* xml.h - a small reader of XML: elements, attributes, text; no document types, no own entities.
 *
 * Elements stand in one array in the order of their start tags and name each other by index; 0 is
 * no element. Nothing recurses, and what is read is at most as large as the text: the only
 * entities are the five of XML and characters by number.
 */
#ifndef CT_ROBOT_XML_H
#define CT_ROBOT_XML_H

#include "base/context.h"
#include "base/vec.h"

typedef struct ct_xml_attribute {
    ct_name name;
    const char *value; /* entities resolved */
    ct_place place;    /* of the value, without quotes */
} ct_xml_attribute;

typedef struct ct_xml_element {
    ct_name name;
    uint32_t parent, first, last, next; /* elements */
    uint32_t attribute, attribute_count;
    const char *text; /* of an element without children, blanks at its ends left out; else "" */
    ct_place place;   /* of its start tag */
    ct_place inner;   /* between its tags */
} ct_xml_element;

typedef struct ct_xml {
    ct_context *ctx;
    ct_arena *arena;
    uint32_t source;
    CT_VEC(ct_xml_element) element; /* [0] is unused, [1] the root */
    CT_VEC(ct_xml_attribute) attribute;
} ct_xml;

enum { CT_XML_ROOT = 1, CT_XML_DEEPEST = 200 };

/* NULL after an error, which is reported. */
const ct_xml *ct_xml_read(ct_context *ctx, ct_arena *arena, uint32_t source);

bool ct_xml_is(const ct_xml *x, uint32_t element, const char *name);
uint32_t ct_xml_child(const ct_xml *x, uint32_t parent, const char *name); /* the first; 0: none */
const ct_xml_attribute *ct_xml_find(const ct_xml *x, uint32_t element, const char *name);

#endif
