/* body_tree.c - trees of bodies and joints: which edges go first, and why an edge is where it is.
 *
 * Arms, ground vectors and welds are always branches [McPhee-2, section 4.4]. Then come wishes,
 * then the others by rank, in order of statement within a rank: the fewer coordinates a branch
 * brings, the better. Bodies reach every node, so that a tree is always completed.
 */
#include "graph/bodies.h"

#include "graph/choice.h"
#include "base/sets.h"

/* Ranks in the order of selection; NEVER: rods, loads, lines, bodies that follow another one. */
enum { KNOWN, TIGHT, LOOSE, NAMED, FOUR, FIVE, SIX, BODY, JOINT, RANKS, NEVER = RANKS };

bool ct_is_rotational(const ct_graph *g, uint32_t edge)
{
    return g->node[g->edge[edge].tail].domain == g->domain_count - 1;
}

static bool is_fixed(const ct_graph *g, const ct_graph_edge *e)
{
    return e->kind == CT_EDGE_ARM || e->kind == CT_EDGE_GROUND_VECTOR ||
           (e->kind == CT_EDGE_JOINT &&
            (g->bodies->fixed[e->owner] || g->bodies->mechanism->joint[e->owner].elastic));
}

/* In space one tree serves both: the fewer freedoms the better; chords are loose. */
static int rank_in_space(const ct_freedoms *f, ct_coordinates wish)
{
    int freedoms = (f->slides - f->slide_given) + (f->spins ? f->turns - f->turn_given : 0);
    if (f->rod || f->rolls)
        return NEVER;
    if (f->led)
        return KNOWN;
    if (f->named || f->slide_follows || f->turn_follows)
        return wish == CT_COORDINATES_ABSOLUTE ? TIGHT : KNOWN;
    return freedoms < 2 ? TIGHT : TIGHT + freedoms - 1;
}

/* Position drivers and revolute joints, one slide, two slides, bodies. */
static int rank_in_t(const ct_freedoms *f, ct_coordinates wish)
{
    if (f->rod)
        return NEVER;
    if (f->slide_given)
        return KNOWN + (wish == CT_COORDINATES_ABSOLUTE);
    return f->slides == 0 ? TIGHT : f->slides == 1 ? LOOSE : NAMED;
}

/* Rotation drivers, prismatic joints, bodies, other joints. */
static int rank_in_r(const ct_freedoms *f, ct_coordinates wish)
{
    if (f->turn_given)
        return KNOWN + (wish == CT_COORDINATES_ABSOLUTE);
    if (!f->turns)
        return TIGHT;
    if (f->slides == 2)
        return NAMED;
    return wish == CT_COORDINATES_JOINT ? LOOSE : JOINT;
}

/* Joint coordinates are those of one tree in both graphs: its branches go first in the second. */
static int rank_of(const ct_choice *c, uint32_t edge, ct_coordinates wish)
{
    const ct_bodies *b = c->graph->bodies;
    const ct_graph_edge *e = &c->graph->edge[edge];
    bool rotational = ct_is_rotational(c->graph, edge), body = e->kind == CT_EDGE_BODY;
    if (!body && (e->kind != CT_EDGE_JOINT || ct_joint_is_rigid(b, e->owner)))
        return NEVER;
    if (body && c->lead[b->group[e->owner]] != e->owner)
        return NEVER;
    uint32_t twin = (body ? b->body_edge : b->joint_edge)[CT_TRANSLATIONAL][e->owner];
    if (rotational && wish == CT_COORDINATES_JOINT && c->in[twin])
        return KNOWN;
    if (body)
        return wish != CT_COORDINATES_ABSOLUTE ? BODY : b->mechanism->spatial ? TIGHT : KNOWN;
    const ct_freedoms *f = &b->joint[e->owner];
    if (b->mechanism->joint[e->owner].inside)
        return NEVER;
    if (b->mechanism->joint[e->owner].chart) /* its angles are to be coordinates */
        return KNOWN;
    if (f->spatial)
        return rank_in_space(f, wish);
    return rotational ? rank_in_r(f, wish) : rank_in_t(f, wish);
}

static bool take(ct_choice *c, uint32_t edge)
{
    const ct_graph_edge *e = &c->graph->edge[edge];
    return !c->in[edge] && (c->in[edge] = ct_sets_join(c->sets, e->tail, e->head));
}

void ct_take_fixed(ct_choice *c)
{
    const ct_graph *g = c->graph;
    const ct_mechanism *mech = g->bodies->mechanism;
    c->lead = CT_NEW_ARRAY(c->scratch, uint32_t, mech->body_count);
    c->chosen_lead = CT_NEW_ARRAY(c->scratch, bool, mech->body_count);
    for (uint32_t i = 0; i < mech->body_count; i++)
        c->lead[i] = g->bodies->lead[i];
    for (uint32_t e = g->scalar_edge_count; e < g->edge_count; e++)
        if (is_fixed(g, &g->edge[e]))
            take(c, e);
}

/* Speed constraints read all joints between a body and the ground, unless bodies have coordinates
 * of their own. */
enum { MANY_SPEEDS = 32 };

void ct_complete_bodies(ct_choice *c, ct_coordinates wish)
{
    const ct_graph *g = c->graph;
    uint32_t split = g->scalar_edge_count; /* first edge of the rotational graph */
    const ct_mechanism *mech = g->bodies->mechanism;
    if (wish == CT_COORDINATES_AUTO && !mech->spatial && mech->speed_count > MANY_SPEEDS)
        wish = CT_COORDINATES_ABSOLUTE;
    if (mech->spatial && wish == CT_COORDINATES_AUTO)
        wish = CT_COORDINATES_JOINT; /* angles of a body in space are no coordinates */
    while (split < g->edge_count && !ct_is_rotational(g, split))
        split++;
    const uint32_t from[] = {g->scalar_edge_count, split}, to[] = {split, g->edge_count};
    for (int k = CT_TRANSLATIONAL; k <= CT_ROTATIONAL; k++)
        for (int rank = 0; rank < RANKS; rank++)
            for (uint32_t e = from[k]; e < to[k]; e++)
                if (!c->in[e] && rank_of(c, e, wish) == rank)
                    take(c, e);
}

/* ---- wishes ---------------------------------------------------------------------------------- */

static void report_rod(const ct_graph *g, const ct_tree_wish *w)
{
    const char *name = ct_edge_text(g, w->edge);
    ct_report *r = ct_error(g->ctx, "E603", w->place, "%s cannot be a branch", name);
    ct_note(r, "it ties one length, or rolls: it has no coordinates of its own");
    ct_help(r, "take the body at its end, or another joint");
    ct_witness(r, name);
}

/* A rigid group has the branch of one of its bodies: the first that is asked for and has axes. */
static uint32_t lead_edge(ct_choice *c, uint32_t edge)
{
    const ct_bodies *b = c->graph->bodies;
    uint32_t body = c->graph->edge[edge].owner, group = b->group[body];
    bool ground = group == b->group[CT_GROUND_BODY];
    bool fits = !b->mechanism->body[body].particle || b->point[body];
    if (!c->chosen_lead[group] && fits && !ground) {
        c->lead[group] = body;
        c->chosen_lead[group] = true;
    }
    return b->body_edge[ct_is_rotational(c->graph, edge)][c->lead[group]];
}

bool ct_settle_body_wish(ct_choice *c, const ct_tree_wish *wish, uint32_t *edge)
{
    const ct_graph_edge *e = &c->graph->edge[wish->edge];
    *edge = e->kind == CT_EDGE_BODY ? lead_edge(c, wish->edge) : wish->edge;
    const ct_freedoms *f = c->graph->bodies->joint;
    if (e->kind != CT_EDGE_JOINT || (!f[e->owner].rod && !f[e->owner].rolls))
        return true;
    report_rod(c->graph, wish);
    return false;
}

void ct_report_body_circuit(const ct_choice *c, const ct_tree_wish *wish,
                            const ct_forest_walk *walk)
{
    const ct_graph *g = c->graph;
    const char *own = ct_edge_text(g, wish->edge);
    ct_report *r = ct_error(g->ctx, "E602", wish->place, "%s cannot be a branch of the %s tree",
                            own, ct_is_rotational(g, wish->edge) ? "rotational" : "translational");
    ct_text names = ct_text_new(c->scratch);
    for (uint32_t i = 0; i < walk->count; i++) {
        const ct_graph_edge *e = &g->edge[walk->step[i].edge];
        if (e->kind == CT_EDGE_ARM || e->kind == CT_EDGE_GROUND_VECTOR)
            continue;
        ct_putf(&names, "%s%s", names.length ? ", " : "", ct_name_text(g->ctx, e->name));
        ct_witness(r, ct_name_text(g->ctx, e->name));
    }
    ct_note(r, "%s form a circuit; a tree has none", ct_text_string(&names));
    ct_help(r, "leave one of them out; it becomes a chord, whose equation closes the loop");
}

/* ---- reasons --------------------------------------------------------------------------------- */

static void put_name(const ct_tree *tree, ct_text *out, uint32_t edge, ct_member word)
{
    ct_putf(out, "%s%s.%s", out->length ? ", " : "", ct_edge_text(tree->graph, edge), word.text);
    if (word.index)
        ct_putf(out, "[%u]", word.index);
}

/* Names of the coordinates that a branch brings. */
static void put_coordinates(const ct_tree *tree, uint32_t edge, ct_text *out)
{
    const ct_bodies *b = tree->graph->bodies;
    const ct_graph_edge *e = &tree->graph->edge[edge];
    bool body = e->kind == CT_EDGE_BODY;
    ct_freedoms f = body ? (ct_freedoms){.slides = 2, .turns = true} : b->joint[e->owner];
    const ct_joint *j = body ? NULL : &b->mechanism->joint[e->owner];
    bool placed = f.slide_given && j->drive[CT_SLIDE], turned = f.turn_given && j->drive[CT_TURN];
    if (ct_is_rotational(tree->graph, edge) && f.turns > 1) {
        for (uint32_t i = 0; j->angles && i < f.turns; i++)
            put_name(tree, out, edge, (j->chart ? ct_chart_words : ct_turns_words)[i][0]);
        if (!j->angles)
            put_name(tree, out, edge, (ct_member){"Q", 0});
        return;
    }
    if (ct_is_rotational(tree->graph, edge)) {
        if (f.turns && !turned)
            put_name(tree, out, edge, ct_turn_word(body));
        return;
    }
    bool off = body && ct_is_off_origin(b->mechanism, e->owner);
    for (uint32_t i = 0; i < f.slides && !placed; i++)
        put_name(tree, out, edge, ct_slide_words[ct_slide_row(body, f.slides, off)][i][0]);
}

static const char *branch_reason(const ct_tree *tree, uint32_t edge)
{
    const ct_graph *g = tree->graph;
    ct_text names = ct_text_new(g->arena);
    const char *asked = tree->wanted[edge] ? "asked for: " : "";
    bool body = g->edge[edge].kind == CT_EDGE_BODY;
    if (is_fixed(g, &g->edge[edge]))
        return g->edge[edge].kind == CT_EDGE_JOINT &&
                       g->bodies->mechanism->joint[g->edge[edge].owner].elastic
                   ? "follows the shape of its body"
                   : "holds two bodies together";
    if (body && g->bodies->mechanism->spatial)
        return ct_printf(g->ctx, "%s%s of the body", asked,
                         ct_is_rotational(g, edge) ? "orientation" : "place");
    put_coordinates(tree, edge, &names);
    return names.length ? ct_printf(g->ctx, "%scoordinate %s", asked, ct_text_string(&names))
                        : ct_printf(g->ctx, "%sno coordinate", asked);
}

bool ct_is_turn_row(uint8_t row)
{
    return row == CT_ROW_TURN || row == CT_ROW_DRIVE_TURN || row == CT_ROW_COUPLE_TURN ||
           (row >= CT_ROW_AIM_1 && row <= CT_ROW_EVEN);
}

static const char *chord_reason(const ct_tree *tree, uint32_t edge)
{
    const ct_graph *g = tree->graph;
    const ct_graph_edge *e = &g->edge[edge];
    bool rotational = ct_is_rotational(g, edge);
    if (e->kind == CT_EDGE_BODY)
        return rotational ? "its angle follows from the branches"
                          : "its place follows from the branches";
    const ct_freedoms *f = &g->bodies->joint[e->owner];
    ct_text names = ct_text_new(g->arena);
    uint8_t row[CT_MOST_ROWS];
    uint32_t count = ct_joint_is_rigid(g->bodies, e->owner) ? 0 : ct_tie_rows(f, true, true, row);
    for (uint32_t i = 0; i < count; i++)
        if (ct_is_turn_row(row[i]) == rotational)
            put_name(tree, &names, edge, ct_row_words[row[i]]);
    if (names.length)
        return ct_printf(g->ctx, "closes a circuit: multiplier %s", ct_text_string(&names));
    return rotational && f->turns ? "free to turn" : "closes a circuit that others tie already";
}

const char *ct_body_reason(const ct_tree *tree, uint32_t edge)
{
    const ct_graph *g = tree->graph;
    switch ((ct_edge_kind)g->edge[edge].kind) {
    case CT_EDGE_ARM:
        return "fixed in its body";
    case CT_EDGE_GROUND_VECTOR:
        return "fixed in the ground";
    case CT_EDGE_LOAD:
        return ct_is_rotational(g, edge) ? "a given torque" : "a given force";
    case CT_EDGE_LINE:
        return "a force along it, given by its element";
    case CT_EDGE_COMPONENT:
    case CT_EDGE_BODY:
    case CT_EDGE_JOINT:
        break;
    }
    return tree->is_branch[edge] ? branch_reason(tree, edge) : chord_reason(tree, edge);
}

/* Not in the class order of components: what it is. */
const char *ct_body_edge_text(const ct_graph *g, uint32_t edge)
{
    const ct_graph_edge *e = &g->edge[edge];
    const ct_mechanism *m = g->bodies->mechanism;
    switch ((ct_edge_kind)e->kind) {
    case CT_EDGE_BODY:
        return m->body[e->owner].particle   ? "particle"
               : m->body[e->owner].flexible ? "flexible body"
                                            : "body";
    case CT_EDGE_ARM:
        return "arm";
    case CT_EDGE_GROUND_VECTOR:
        return "ground vector";
    case CT_EDGE_JOINT:
        return m->joint[e->owner].elastic ? "elastic arm"
                                          : ct_joint_types[m->joint[e->owner].kind].word;
    case CT_EDGE_LOAD:
        return m->load[e->owner].torque ? "torque" : "force";
    case CT_EDGE_LINE:
        return "line";
    case CT_EDGE_COMPONENT:
        break;
    }
    return "";
}
