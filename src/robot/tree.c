/* tree.c - joints find their links; links form trees; what is fixed becomes one body. */
#include <string.h>

#include "base/suggest.h"
#include "robot/inside.h"

/* ---- names */

enum { MOST_TRIED = 2000 };

static uint32_t find_link(robot *r, ct_name name, ct_place place)
{
    uint32_t found = ct_map_get(&r->links, name);
    if (found || !name)
        return found - 1;
    const char *text = ct_name_text(r->ctx, name);
    ct_suggestion near = ct_suggest(text);
    for (uint32_t i = 0; i < r->link.count && i < MOST_TRIED; i++)
        ct_suggest_try(&near, ct_name_text(r->ctx, r->link.at[i].name));
    ct_report *p = ct_robot_error(r, "E853", place, "there is no link `%s`", text);
    if (near.best)
        ct_help(p, "did you mean `%s`?", near.best);
    ct_witness(p, text);
    return NOTHING;
}

static void find_leader(robot *r, joint *j)
{
    uint32_t found = j->mimic ? ct_map_get(&r->joints, j->mimic) : 0;
    if (found)
        j->leader = found - 1;
    if (found || !j->mimic)
        return;
    const char *text = ct_name_text(r->ctx, j->mimic);
    ct_suggestion near = ct_suggest(text);
    for (uint32_t i = 0; i < r->joint.count && i < MOST_TRIED; i++)
        ct_suggest_try(&near, ct_name_text(r->ctx, r->joint.at[i].name));
    ct_report *p =
        ct_robot_error(r, "E853", j->mimic_place, "there is no joint `%s` to follow", text);
    if (near.best)
        ct_help(p, "did you mean `%s`?", near.best);
    ct_witness(p, text);
}

/* A second joint to a link closes a loop, where the format allows that. */
static void report_second(robot *r, const joint *j)
{
    const link *l = &r->link.at[j->child];
    const char *text = ct_name_text(r->ctx, l->name);
    const char *first = ct_name_text(r->ctx, r->joint.at[l->joint].name);
    ct_report *p =
        ct_robot_error(r, "E853", j->child_place, "the link `%s` is the child of two joints", text);
    ct_note(p, "the other one is `%s`; links of a robot form a tree", first);
    ct_help(p, "close a loop by a text beside it: use \"...\", and a joint between two links");
    ct_witness(p, text);
    ct_witness(p, first);
}

static void connect(robot *r)
{
    for (uint32_t i = 0; i < r->joint.count; i++) {
        joint *j = &r->joint.at[i];
        if (j->parent_name)
            j->parent = find_link(r, j->parent_name, j->parent_place);
        if (j->child_name)
            j->child = find_link(r, j->child_name, j->child_place);
        find_leader(r, j);
        if (j->child == NOTHING)
            continue;
        if (r->link.at[j->child].joint == NOTHING)
            r->link.at[j->child].joint = i;
        else if (!r->loops)
            report_second(r, j);
    }
}

/* ---- followers */

static void report_circle(robot *r, uint32_t first)
{
    const joint *j = &r->joint.at[first];
    ct_report *p =
        ct_robot_error(r, "E853", j->mimic_place, "joints follow each other in a circle");
    uint32_t at = first;
    for (uint32_t k = 0; k < r->joint.count && k < 20; k++) {
        ct_witness(p, ct_name_text(r->ctx, r->joint.at[at].name));
        at = r->joint.at[at].leader;
        if (at == first)
            break;
    }
}

/* Each joint is followed once: mark 2 is done, 1 of the present walk. */
static void check_followers(robot *r)
{
    uint8_t *mark = CT_NEW_ARRAY(r->arena, uint8_t, r->joint.count + 1);
    for (uint32_t i = 0; i < r->joint.count; i++) {
        uint32_t at = i;
        while (at != NOTHING && !mark[at]) {
            mark[at] = 1;
            at = r->joint.at[at].leader;
        }
        if (at != NOTHING && mark[at] == 1) {
            report_circle(r, at);
            return;
        }
        for (at = i; at != NOTHING && mark[at] == 1; at = r->joint.at[at].leader)
            mark[at] = 2;
    }
}

static bool moves(const joint *j)
{
    return j->kind == JOINT_REVOLUTE || j->kind == JOINT_PRISMATIC;
}

static void check_leaders(robot *r)
{
    for (uint32_t i = 0; i < r->joint.count; i++) {
        joint *j = &r->joint.at[i];
        if (j->leader == NOTHING)
            continue;
        if (j->kind == JOINT_FIXED)
            j->leader = NOTHING;
        else if (!moves(j) || !moves(&r->joint.at[j->leader]))
            ct_robot_error(r, "E853", j->mimic_place,
                           "only revolute and prismatic joints follow each other");
    }
}

/* ---- order */

static uint32_t parent_of(const robot *r, uint32_t l)
{
    uint32_t j = r->link.at[l].joint;
    return j == NOTHING ? NOTHING : r->joint.at[j].parent;
}

static void report_cycle(robot *r, uint32_t from)
{
    uint32_t at = from;
    for (uint32_t k = 0; k < r->link.count; k++) /* upward: into the cycle */
        at = parent_of(r, at);
    ct_report *p = ct_robot_error(r, "E853", r->joint.at[r->link.at[at].joint].place,
                                  "links hang on each other in a circle");
    uint32_t first = at;
    for (uint32_t k = 0; k < 20; k++) {
        ct_witness(p, ct_name_text(r->ctx, r->link.at[at].name));
        at = parent_of(r, at);
        if (at == first)
            break;
    }
    ct_help(p, "one link is a root: no joint has it as its child");
}

static void report_roots(robot *r, uint32_t first, uint32_t second)
{
    const char *a = ct_name_text(r->ctx, r->link.at[first].name);
    const char *b = ct_name_text(r->ctx, r->link.at[second].name);
    ct_report *p = ct_robot_error(r, "E853", r->link.at[second].place,
                                  "`%s` is joined to nothing, and `%s` is the root already", b, a);
    ct_help(p, "add a joint that leads to it");
    ct_witness(p, a);
    ct_witness(p, b);
}

/* Children of each link as lists. */
static void list_children(const robot *r, uint32_t *first, uint32_t *next)
{
    for (uint32_t i = 0; i < r->link.count; i++)
        first[i] = NOTHING;
    for (uint32_t i = r->link.count; i-- > 0;) {
        uint32_t parent = parent_of(r, i);
        next[i] = parent == NOTHING ? NOTHING : first[parent];
        if (parent != NOTHING)
            first[parent] = i;
    }
}

/* Breadth first from the roots. */
static void order_links(robot *r)
{
    uint32_t n = r->link.count, count = 0, root = NOTHING;
    uint32_t *order = CT_NEW_ARRAY(r->arena, uint32_t, n + 1);
    uint32_t *first = CT_NEW_ARRAY(r->arena, uint32_t, n + 1);
    uint32_t *next = CT_NEW_ARRAY(r->arena, uint32_t, n + 1);
    list_children(r, first, next);
    for (uint32_t i = 0; i < n; i++) {
        if (parent_of(r, i) != NOTHING)
            continue;
        order[count++] = i;
        if (root != NOTHING && !r->forest && !r->broken)
            report_roots(r, root, i);
        root = root == NOTHING ? i : root;
    }
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t c = first[order[k]]; c != NOTHING; c = next[c])
            order[count++] = c;
    r->order = order;
    if (count == n || r->broken)
        return;
    bool *seen = CT_NEW_ARRAY(r->arena, bool, n + 1);
    for (uint32_t k = 0; k < count; k++)
        seen[order[k]] = true;
    for (uint32_t i = 0; i < n && !r->broken; i++)
        if (!seen[i])
            report_cycle(r, i);
}

/* ---- what is fixed */

static void join(robot *r, uint32_t index)
{
    link *l = &r->link.at[index];
    const joint *j = l->joint == NOTHING ? NULL : &r->joint.at[l->joint];
    if (!j || j->kind != JOINT_FIXED || j->parent == NOTHING)
        return;
    const link *parent = &r->link.at[j->parent];
    pose back = ct_pose_inverse(&j->head), at = ct_pose_product(&j->pose, &back);
    l->pose = ct_pose_product(&parent->pose, &at);
    l->host = parent->host;
}

bool ct_make_trees(robot *r)
{
    if (!r->link.count && !r->broken)
        ct_robot_error(r, "E853", r->x->element.at[CT_XML_ROOT].place, "the robot has no links");
    connect(r);
    check_leaders(r);
    check_followers(r);
    if (!r->broken)
        order_links(r);
    for (uint32_t i = 0; i < r->link.count && !r->broken; i++)
        r->link.at[i].pose = ct_pose_none();
    for (uint32_t i = 0; i < r->link.count && !r->broken; i++)
        join(r, r->order[i]);
    return !r->broken;
}
