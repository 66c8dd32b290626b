/* rank.c - redundant constraints, found in numbers.
 *
 * Three parallel cranks of equal length tie their coupler three times over, but only where the
 * loops are closed: no symbol shows it. So the mechanism is put together at some random
 * configurations (parameters at their values), and the rows of all joints are orthogonalized in the
 * order of trees first, then chords. A row that depends on those before it in every configuration
 * is redundant and dropped, before anything is eliminated: left in, it would lock the mechanism as
 * soon as the positions drift. Rows are those of absolute coordinates, which have a handful of
 * entries each.
 */
#include <string.h>

#include "base/hash.h"
#include "mechanics/pose.h"
#include "mechanics/rank.h"

enum { CONFIGURATIONS = 3, MOST_CONFIGURATIONS = 12 };

/* ---- ranks */

static uint32_t add_rows(posing *p, triangle *t, const chord_rows *rows, bool *dependent)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < rows->count; i++) {
        line l = ct_pose_line(p, rows->at[i].tie, rows->at[i].row);
        dependent[i] = !ct_triangle_add(t, l.at, l.count, 0);
        rank += !dependent[i];
    }
    return rank;
}

static finding find_rank(posing *p)
{
    ct_arena *scratch = ct_arena_new(p->m->ctx);
    finding f = {.fixed = CT_NEW_ARRAY(p->arena, bool, p->fixed.count + 1),
                 .driven = CT_NEW_ARRAY(p->arena, bool, p->driven.count + 1)};
    triangle t;
    ct_triangle_init(&t, scratch, p->cols, 0);
    f.fixed_rank = add_rows(p, &t, &p->fixed, f.fixed);
    f.driven_rank = add_rows(p, &t, &p->driven, f.driven);
    ct_arena_free(scratch);
    return f;
}

static void drop_rows(ct_arena *arena, const chord_rows *fixed, const finding *f,
                      chord_rows *chords)
{
    ct_map map;
    ct_map_init(&map, arena);
    for (uint32_t i = 0; i < fixed->count; i++)
        if (f->fixed[i])
            ct_map_put(&map, ct_pair(fixed->at[i].tie, fixed->at[i].row), 1);
    for (uint32_t i = 0; i < chords->count; i++)
        if (ct_map_get(&map, ct_pair(chords->at[i].tie, chords->at[i].row)))
            chords->at[i].dropped = true;
}

/* ---- messages */

static const char *joint_name(const mechanics *m, uint32_t tie_index)
{
    return ct_name_text(m->ctx, m->mech->joint[m->tie.at[tie_index].object].name);
}

/* Reactions in the loop that the model reads: they are the least of many possible ones. */
static const char *doubtful_reactions(mechanics *m, const bool *inside)
{
    ct_text names = ct_text_new(m->arena);
    for (uint32_t i = 0; i < m->mech->motion_count; i++) {
        const ct_motion *x = &m->mech->motion[i];
        bool force = x->kind == CT_MOTION_REACTION || x->kind == CT_MOTION_REACTION_TORQUE;
        if (force && inside[x->object])
            ct_putf(&names, "%s%s", names.length ? ", " : "", ct_name_text(m->ctx, x->name));
    }
    return names.length ? ct_text_string(&names) : NULL;
}

static void report_redundant(mechanics *m, uint32_t tie_index)
{
    const char *name = joint_name(m, tie_index), *doubtful;
    bool *inside = CT_NEW_ARRAY(m->arena, bool, m->mech->joint_count + 1);
    ct_report *r = ct_warning(m->ctx, "W602", m->mech->joint[m->tie.at[tie_index].object].place,
                              "%s ties what other joints tie already", name);
    ct_witness(r, name);
    ct_note(r, "in the loop %s", ct_mech_loop(m, &m->fast->tree, tie_index, r, inside));
    ct_note(r, "the motion is determined, but not how these joints share the load; of all "
               "reactions that give this motion the least are taken");
    if ((doubtful = doubtful_reactions(m, inside)))
        ct_note(r, "this concerns %s", doubtful);
    ct_help(r, "a joint with more freedom in this loop, such as a slot, removes the redundancy");
}

static void report_overdriven(mechanics *m, uint32_t tie_index)
{
    const char *name = joint_name(m, tie_index);
    ct_report *r = ct_error(m->ctx, "E607", m->mech->joint[m->tie.at[tie_index].object].place,
                            "%s drives what is determined already", name);
    ct_note(r, "the joints and the drivers before it leave no freedom for it");
    ct_help(r, "remove this driver, or let it be a torque or force on the joint");
    ct_witness(r, name);
}

/* ---- all of it */

static uint32_t freedoms(const mechanics *m)
{
    uint32_t count = 0;
    for (uint32_t g = 1; g < m->group_count; g++)
        count += m->group[g].point ? 2 : 3;
    return count + m->shape_count;
}

static bool judge(mechanics *m, const chord_rows *fixed, const chord_rows *driven, const finding *f)
{
    uint32_t last = CT_NOTHING;
    for (uint32_t i = 0; i < driven->count; i++)
        if (f->driven[i]) {
            report_overdriven(m, driven->at[i].tie);
            return false;
        }
    for (uint32_t i = 0; i < fixed->count; i++)
        if (f->fixed[i] && fixed->at[i].tie != last) {
            last = fixed->at[i].tie;
            report_redundant(m, last);
        }
    return true;
}

/* The highest rank counts, as lower ones are singular positions; but a way of putting it together
 * that cannot move is not the one that is meant if another can. */
static bool is_better(const posing *p, const finding *f, const finding *best)
{
    uint32_t all = freedoms(p->m);
    bool moves = f->fixed_rank < all, best_moves = best->fixed_rank < all;
    if (moves != best_moves)
        return moves;
    return f->fixed_rank + f->driven_rank > best->fixed_rank + best->driven_rank;
}

static bool test(posing *p, int *freedom)
{
    mechanics *m = p->m;
    finding best = {0};
    bool found = false;
    double *pose = CT_NEW_ARRAY(p->arena, double, (size_t)3 * m->group_count);
    int wanted = m->group_count > CT_LARGE_MECHANISM ? 1 : CONFIGURATIONS;
    ct_pose_list_rows(p, false);
    for (int i = 0; i < wanted && ct_pose_find(p); i++) {
        finding f = find_rank(p);
        if (f.fixed_rank >= freedoms(m) && wanted > 1 && wanted < MOST_CONFIGURATIONS)
            wanted++;
        if (found && !is_better(p, &f, &best))
            continue;
        best = f;
        found = true;
        memcpy(pose, p->pose, (size_t)3 * m->group_count * sizeof *pose);
    }
    if (!found)
        return true;
    m->tested = true;
    *freedom = (int)freedoms(m) - (int)best.fixed_rank - (int)best.driven_rank;
    if (!judge(m, &p->fixed, &p->driven, &best))
        return false;
    drop_rows(p->arena, &p->fixed, &best, &m->fast->chord);
    if (best.fixed_rank == p->fixed.count)
        return true;
    memcpy(p->pose, pose, (size_t)3 * m->group_count * sizeof *pose);
    ct_pose_list_rows(p, true);
    best = find_rank(p);
    drop_rows(p->arena, &p->fixed, &best, &m->user_row);
    return true;
}

/* ---- space */

/* A driven branch that depends on others leaves rows that hold at the start only. */
static uint32_t driven_tie(const mechanics *m)
{
    uint32_t found = CT_NOTHING;
    for (uint32_t i = 0; i < m->tie.count; i++)
        if (m->tie.at[i].slide.is || m->tie.at[i].angle.is)
            found = i;
    return found;
}

static bool test_in_space(mechanics *m, ct_arena *scratch, int *freedom)
{
    finding f = {0};
    bool again = false;
    chord_rows fixed = {0}, driven = {0};
    if (!ct_rank_in_space(m, scratch, &f, &again))
        return true;
    m->tested = true;
    for (uint32_t i = 0; i < m->user_row.count; i++) {
        uint8_t row = m->user_row.at[i].row;
        bool drive = row == CT_ROW_DRIVE_SLIDE || row == CT_ROW_DRIVE_TURN;
        CT_PUSH(scratch, *(drive ? &driven : &fixed), m->user_row.at[i]);
    }
    *freedom += (int)m->user_row.count - (int)f.fixed_rank - (int)f.driven_rank;
    if (f.fixed_rank < fixed.count && !again) {
        report_overdriven(m, driven_tie(m));
        return false;
    }
    if (!judge(m, &fixed, &driven, &f))
        return false;
    drop_rows(scratch, &fixed, &f, &m->fast->chord);
    drop_rows(scratch, &fixed, &f, &m->user_row);
    return true;
}

bool ct_mech_rank(mechanics *m, int *freedom)
{
    posing p;
    *freedom = 0;
    for (uint32_t i = 0; i < m->coordinate.count; i++)
        *freedom += m->coordinate.at[i].u != 0;
    *freedom -= (int)m->user_row.count;
    m->tested = m->mech->joint_count == 0 || m->fast->chord.count == 0;
    if (!m->value || m->mech->joint_count == 0 || (m->mech->spatial && !m->user_row.count))
        return true;
    ct_arena *scratch = ct_arena_new(m->ctx);
    bool good = m->mech->spatial ? test_in_space(m, scratch, freedom)
                                 : !ct_pose_begin(&p, m, scratch) || test(&p, freedom);
    ct_arena_free(scratch);
    return good;
}
