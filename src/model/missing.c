/* missing.c - parts of the language that this version reads but cannot use. */
#include <string.h>

#include "model/mech.h"

static const char distributed[] = "distributed elements";
static const char blocks[] = "signal blocks";
static const char controllers[] = "controllers in native code";

static const struct missing_type {
    const char *type, *feature;
} missing_types[] = {
    {"bushing", "bushings"}, {"flexible", "flexible bodies"},
    {"bar", distributed},    {"beam", distributed},
    {"shaft", distributed},  {"pipe", distributed},
    {"line", distributed},   {"pid", blocks},
    {"tf", blocks},          {"ss", blocks},
    {"delay", blocks},       {"saturate", blocks},
    {"sample", blocks},      {"controller", controllers},
};

/* In space alone. */
static const struct missing_type missing_in_space[] = {
    {"slot", "slots in space"},        {"distance", "distance joints in space"},
    {"free", "free joints in space"},  {"cylindrical", "cylindrical joints"},
    {"universal", "universal joints"}, {"spherical", "spherical joints"},
    {"planar", "planar joints"},
};

static const char events[] = "events and discrete variables";

static const char *feature_of(const char *type, bool spatial)
{
    for (size_t i = 0; i < sizeof missing_types / sizeof *missing_types; i++)
        if (strcmp(missing_types[i].type, type) == 0)
            return missing_types[i].feature;
    for (size_t i = 0; spatial && i < sizeof missing_in_space / sizeof *missing_in_space; i++)
        if (strcmp(missing_in_space[i].type, type) == 0)
            return missing_in_space[i].feature;
    return NULL;
}

/* Once a feature: a mechanism has dozens of bodies and joints. */
void ct_report_missing(builder *b, ct_place place, const char *feature)
{
    uint64_t bit = (uint64_t)1 << (ct_hash_bytes(feature, strlen(feature), 0) % 64);
    if (b->missing_features & bit)
        return;
    b->missing_features |= bit;
    ct_report *r = ct_error(b->ctx, "E901", place, "%s are not available in this version", feature);
    ct_note(r, "the text is well-formed; scalar domains (electrical, hydraulic, thermal, "
               "translational, rotational), planar mechanisms and trees of bodies in space are "
               "available");
}

static bool is_word(builder *b, const ct_syntax *s, ct_node n, const char *word)
{
    return strcmp(ct_name_text(b->ctx, ct_at(s, n)->name), word) == 0;
}

static const char *missing_component(builder *b, const ct_syntax *s, ct_node n)
{
    ct_name type = ct_at(s, ct_at(s, ct_at(s, n)->first)->next)->name;
    return ct_find_definition(b, type)
               ? NULL
               : feature_of(ct_name_text(b->ctx, type), b->mech && b->mech->spatial);
}

static const char *missing_statement(builder *b, const ct_syntax *s, ct_node n)
{
    switch ((int)ct_at(s, n)->kind) {
    case CT_NODE_COMPONENT:
        return missing_component(b, s, n);
    case CT_NODE_DISCRETE:
    case CT_NODE_WHEN:
    case CT_NODE_EVERY:
        return events;
    case CT_NODE_NODES:
        return ct_child(s, n, CT_NODE_SIZE) ? "vector nodes" : NULL;
    case CT_NODE_PORT:
        return is_word(b, s, n, "frame") ? "elements with frames" : NULL;
    default:
        return NULL;
    }
}

static bool holds_statements(ct_node_kind kind)
{
    return kind == CT_NODE_BLOCK || kind == CT_NODE_REPEAT || kind == CT_NODE_IF_STMT ||
           kind == CT_NODE_SYSTEM || kind == CT_NODE_ELEMENT;
}

/* Depth is that of blocks, which the parser limits. */
void ct_report_missing_features(builder *b, const ct_syntax *s, ct_node parent)
{
    for (ct_node n = ct_at(s, parent)->first; n; n = ct_at(s, n)->next) {
        const char *feature = missing_statement(b, s, n);
        if (feature)
            ct_report_missing(b, ct_place_of(s, n), feature);
        if (holds_statements((ct_node_kind)ct_at(s, n)->kind))
            ct_report_missing_features(b, s, n);
    }
}
