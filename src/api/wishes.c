/* wishes.c - names of branches that a caller wants: those of bodies and joints go to the mechanism,
 * the others to the scalar graphs. As in the `tree` statement, `translational:` and `rotational:`
 * tell in which tree of the mechanism; without them in both. */
#include "api/wishes.h"

#include <string.h>

typedef struct sorting {
    const ct_model *model;
    ct_arena *arena;
    CT_VEC(const char *) scalar;
    CT_VEC(ct_branch_wish) wish;
    ct_map joint, body;
    bool translational, rotational; /* wanted there, from here on */
    bool best;
} sorting;

static void both(sorting *s)
{
    s->translational = s->rotational = true;
}

static bool is_heading(sorting *s, const char *word, size_t length)
{
    static const char t[] = "translational:", r[] = "rotational:";
    bool first = length == sizeof t - 1 && memcmp(word, t, length) == 0,
         second = length == sizeof r - 1 && memcmp(word, r, length) == 0;
    if (first || second) {
        s->translational = first;
        s->rotational = second;
    }
    return first || second;
}

static void sort_name(sorting *s, const char *word)
{
    size_t length = strlen(word);
    bool ends = length && word[length - 1] == ';';
    length -= ends;
    if (length && !is_heading(s, word, length)) {
        ct_name name = ct_intern(s->model->ctx, word, length);
        uint32_t joint = ct_map_get(&s->joint, name), body = ct_map_get(&s->body, name);
        ct_branch_wish w = {.kind = joint ? CT_BRANCH_JOINT : CT_BRANCH_BODY,
                            .object = (joint ? joint : body) - 1,
                            .translational = s->translational,
                            .rotational = s->rotational};
        if (joint || body)
            CT_PUSH(s->arena, s->wish, w);
        else
            CT_PUSH(s->arena, s->scalar, ct_name_text(s->model->ctx, name));
    }
    if (ends)
        both(s);
}

static void name_things(sorting *s)
{
    const ct_mechanism *m = s->model->mechanism;
    ct_map_init(&s->joint, s->arena);
    ct_map_init(&s->body, s->arena);
    for (uint32_t i = 0; m && i < m->joint_count; i++)
        ct_map_put(&s->joint, m->joint[i].name, i + 1);
    for (uint32_t i = 1; m && i < m->body_count; i++)
        ct_map_put(&s->body, m->body[i].name, i + 1);
}

/* Accelerations of a mechanism whose motion is prescribed do not depend on masses. */
static void give_mass(sorting *s, ct_mechanism *m)
{
    ct_pool *pool = s->model->pool;
    ct_body *body = CT_NEW_ARRAY(s->arena, ct_body, m->body_count);
    memcpy(body, m->body, m->body_count * sizeof *body);
    for (uint32_t i = 1; i < m->body_count; i++) {
        ct_expr *need[] = {&body[i].mass, &body[i].inertia[2]};
        for (int k = 0; k < (body[i].particle ? 1 : 2); k++)
            if (ct_expr_is_zero(pool, *need[k])) {
                *need[k] = ct_expr_int(pool, 1);
                m->weighted = true;
            }
    }
    m->body = body;
}

static const ct_mechanism *with_wishes(sorting *s, const ct_tree_choice *choice,
                                       ct_coordinates coordinates)
{
    ct_mechanism *copy = CT_NEW(s->arena, ct_mechanism);
    *copy = *s->model->mechanism;
    if (choice->prefer || choice->coordinates) {
        copy->wish = s->wish.at;
        copy->wish_count = s->wish.count;
    }
    if (choice->coordinates)
        copy->coordinates = coordinates;
    copy->search_trees = s->best;
    if (choice->kinematic)
        give_mass(s, copy);
    return copy;
}

/* The one word `best`, if nothing in the model has this name. */
static bool is_best(const sorting *s, const ct_tree_choice *choice)
{
    if (!choice->prefer || choice->prefer_count != 1 || strcmp(choice->prefer[0], "best") != 0)
        return false;
    ct_name name = ct_intern_text(s->model->ctx, "best");
    bool named = ct_map_get(&s->joint, name) || ct_map_get(&s->body, name);
    for (uint32_t i = 0; i < s->model->component_count && !named; i++)
        named = s->model->component[i].name == name;
    return !named;
}

bool ct_sort_wishes(const ct_model *model, const ct_tree_choice *choice, ct_arena *arena,
                    ct_sorted_wishes *out)
{
    static const char *const words[] = {"auto", "joint", "absolute"};
    sorting s = {.model = model, .arena = arena};
    uint32_t coordinates = 0;
    while (choice->coordinates && coordinates < 3 &&
           strcmp(choice->coordinates, words[coordinates]) != 0)
        coordinates++;
    if (coordinates == 3)
        return false;
    name_things(&s);
    both(&s);
    s.best = is_best(&s, choice);
    for (uint32_t i = 0; i < choice->prefer_count && !s.best; i++)
        sort_name(&s, choice->prefer[i]);
    *out = (ct_sorted_wishes){.scalar = s.scalar.at, .scalar_count = s.scalar.count};
    if (model->mechanism)
        out->mechanism = with_wishes(&s, choice, (ct_coordinates)coordinates);
    return true;
}
