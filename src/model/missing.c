/* missing.c - parts of the language that this version reads but cannot use. */
#include <string.h>

#include "model/mech.h"

/* Once a feature: a mechanism has dozens of bodies and joints. */
void ct_report_missing(builder *b, ct_place place, const char *feature)
{
    uint64_t bit = (uint64_t)1 << (ct_hash_bytes(feature, strlen(feature), 0) % 64);
    if (b->missing_features & bit)
        return;
    b->missing_features |= bit;
    ct_report *r = ct_error(b->ctx, "E901", place, "%s are not available in this version", feature);
    ct_help(r,
            "write `system NAME(a, b : frame)` with `force(a, b)` and `torque(a, b)` in it, or let "
            "the port have edges: `port way : frame(x, y, turn)`, in space `port way : axes(x, y, "
            "z, a, b, c)`");
}

static bool is_word(builder *b, const ct_syntax *s, ct_node n, const char *word)
{
    return strcmp(ct_name_text(b->ctx, ct_at(s, n)->name), word) == 0;
}

/* Systems of the library whose frames have three components. */
static void refuse_in_plane(builder *b, const ct_syntax *s, ct_node n)
{
    ct_name type = ct_at(s, ct_at(s, ct_at(s, n)->first)->next)->name;
    const definition *d = ct_find_definition(b, type);
    if (!d || !d->library || strcmp(ct_name_text(b->ctx, type), "bushing") != 0 ||
        (b->mech && b->mech->spatial))
        return;
    ct_report *r =
        ct_error(b->ctx, "E613", ct_place_of(s, n), "bushings lie between frames in space");
    b->missing_features |= 1;
    ct_note(r, "they push along three axes and turn about three");
    ct_help(r,
            "write `space = spatial`; in the plane take springs, dampers and a `torsion_spring`");
}

static const char *missing_statement(builder *b, const ct_syntax *s, ct_node n)
{
    switch ((int)ct_at(s, n)->kind) {
    case CT_NODE_COMPONENT:
        refuse_in_plane(b, s, n);
        return NULL;
    case CT_NODE_PORT:
        return is_word(b, s, n, "frame") && !ct_child(s, n, CT_NODE_TERMINALS)
                   ? "terminals that are frames"
                   : NULL;
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
