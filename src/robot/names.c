/* names.c - links and joints by name, and words of the language for their names. */
#include <math.h>
#include <string.h>

#include "robot/inside.h"

static void report_again(robot *r, const char *what, ct_name name, ct_place place, ct_place first)
{
    uint32_t line, column;
    ct_source_locate(ct_source_get(r->ctx, first.source), first.at, &line, &column);
    const char *text = ct_name_text(r->ctx, name);
    ct_report *p = ct_robot_error(r, "E853", place, "the %s `%s` is there twice", what, text);
    ct_note(p, "the first one is in line %u", line);
    ct_witness(p, text);
}

uint32_t ct_add_link(robot *r, ct_name name, ct_place place)
{
    uint32_t old = ct_map_get(&r->links, name), index = r->link.count;
    if (old)
        report_again(r, "link", name, place, r->link.at[old - 1].place);
    link l = {
        .name = name, .pose = ct_pose_none(), .joint = NOTHING, .host = index, .place = place};
    CT_PUSH(r->arena, r->link, l);
    ct_map_put(&r->links, name, index + 1);
    return index;
}

joint *ct_add_joint(robot *r, ct_name name, joint_kind kind, ct_place place)
{
    uint32_t old = ct_map_get(&r->joints, name), index = r->joint.count;
    if (old)
        report_again(r, "joint", name, place, r->joint.at[old - 1].place);
    joint j = {.name = name,
               .kind = kind,
               .parent = NOTHING,
               .child = NOTHING,
               .axis = {1, 0, 0},
               .axis2 = {0, 1, 0},
               .lower = NAN,
               .upper = NAN,
               .effort = NAN,
               .speed = NAN,
               .leader = NOTHING,
               .factor = 1,
               .place = place,
               .parent_place = place,
               .child_place = place};
    CT_PUSH(r->arena, r->joint, j);
    ct_map_put(&r->joints, name, index + 1);
    return &r->joint.at[index];
}

/* ---- words */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_reserved(const char *word)
{
    static const char *const words[] = {
        "if",      "then",        "else",     "and",      "or",           "not",
        "as",      "over",        "true",     "false",    "end",          "ground",
        "t",       "pi",          "model",    "param",    "const",        "input",
        "signal",  "var",         "output",   "use",      "plot",         "guess",
        "initial", "node",        "tree",     "repeat",   "when",         "every",
        "system",  "element",     "port",     "edge",     "choice",       "source",
        "remark",  "function",    "simulate", "discrete", "undetermined", "space",
        "gravity", "coordinates", "time",     "der"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* Letters, digits and `_`; everything else becomes `_`, one for each stretch. */
static const char *spell(robot *r, const char *name)
{
    ct_text out = ct_text_new(r->arena);
    for (const char *at = name; *at && out.length < 200; at++) {
        bool good = is_letter(*at) || (*at >= '0' && *at <= '9');
        if (!out.length && !is_letter(*at) && good)
            ct_put_char(&out, '_');
        if (good)
            ct_put_char(&out, *at);
        else if (!out.length || out.at[out.length - 1] != '_')
            ct_put_char(&out, '_');
    }
    if (!out.length)
        ct_put(&out, "_");
    return ct_text_string(&out);
}

/* A word that is still free, counted on from where the last search for its kind ended. */
ct_name ct_word_for(robot *r, const char *name, const char *ending)
{
    const char *word = spell(r, name);
    ct_name wanted = ct_intern_text(r->ctx, word);
    if (is_reserved(word) || ct_map_get(&r->words, wanted)) {
        word = ct_printf(r->ctx, "%s%s", word, ending);
        wanted = ct_intern_text(r->ctx, word);
    }
    uint32_t count = ct_map_get(&r->words, wanted);
    ct_name found = wanted;
    while (count && ct_map_get(&r->words, found))
        found = ct_intern_format(r->ctx, "%s_%u", word, ++count);
    if (found != wanted)
        ct_map_put(&r->words, wanted, count);
    ct_map_put(&r->words, found, 1);
    return found;
}

static void name_head(robot *r, joint *j)
{
    const char *word = ct_name_text(r->ctx, j->word);
    if (!ct_pose_is_none(&j->head) || !ct_pose_is_none(&r->link.at[j->child].pose))
        j->head_word = ct_word_for(r, ct_printf(r->ctx, "%s_head", word), "_of");
}

/* Joints come first: they keep their names where a link has the same. */
void ct_name_all(robot *r)
{
    for (uint32_t i = 0; i < r->joint.count; i++)
        r->joint.at[i].word = ct_word_for(r, ct_name_text(r->ctx, r->joint.at[i].name), "_joint");
    for (uint32_t i = 0; i < r->link.count; i++)
        r->link.at[i].word = ct_word_for(r, ct_name_text(r->ctx, r->link.at[i].name), "_link");
    for (uint32_t i = 0; i < r->joint.count; i++)
        name_head(r, &r->joint.at[i]);
    for (uint32_t i = 0; i < r->site.count; i++)
        r->site.at[i].word = ct_word_for(r, ct_name_text(r->ctx, r->site.at[i].name), "_site");
    r->word = ct_intern_text(r->ctx, spell(r, ct_name_text(r->ctx, r->name)));
}
