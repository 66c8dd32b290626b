/* define.c - elements, systems and functions: of the library, of the model, of used files. */
#include <string.h>

#include "base/file.h"
#include "model/build.h"
#include "model/library.h"
#include "robot/robot.h"

enum { DEEPEST_USE = 50 };

static definition *read_part(builder *b, uint32_t number);

/* The number of the library's part of this name, from 1; 0: there is none. */
static uint32_t find_part(const char *name)
{
    uint32_t low = 0, high = ct_library_part_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, number = ct_library_order[middle];
        int order = strcmp(name, ct_library_parts[number].name);
        if (order == 0)
            return number + 1;
        *(order < 0 ? &high : &low) = order < 0 ? middle : middle + 1;
    }
    return 0;
}

/* A part of the library is read when its name is asked for. */
static definition *lookup(builder *b, const ct_map *map, ct_name name)
{
    uint32_t index = ct_map_get(map, name);
    uint32_t part = index ? 0 : find_part(ct_name_text(b->ctx, name));
    if (part && read_part(b, part - 1))
        index = ct_map_get(map, name);
    return index ? b->definition.at[index - 1] : NULL;
}

definition *ct_find_definition(builder *b, ct_name name)
{
    return lookup(b, &b->definitions, name);
}

definition *ct_library_definition(builder *b, const char *word)
{
    uint32_t part = find_part(word);
    return part ? read_part(b, part - 1) : NULL;
}

definition *ct_find_function(builder *b, ct_name name)
{
    return lookup(b, &b->functions, name);
}

static void report_again(builder *b, const definition *old, const ct_syntax *s, ct_node n)
{
    const char *name = ct_name_text(b->ctx, old->name);
    ct_report *r = ct_error(b->ctx, "E201", ct_place_of(s, n), "`%s` is defined twice", name);
    ct_note_place(b, r, "first at", ct_place_of(old->s, old->node));
    ct_witness(r, name);
}

static void check_function(builder *b, const ct_syntax *s, ct_node n)
{
    const char *name = ct_name_text(b->ctx, ct_at(s, n)->name);
    if (ct_is_builtin(name)) {
        ct_report *r = ct_error(b->ctx, "E201", ct_place_of(s, n),
                                "`%s` is a function of the language already", name);
        ct_help(r, "rename yours");
        ct_witness(r, name);
    }
    for (ct_node a = ct_at(s, n)->first; a && ct_at(s, a)->kind == CT_NODE_ID;
         a = ct_at(s, a)->next)
        for (ct_node c = ct_at(s, n)->first; c != a; c = ct_at(s, c)->next)
            if (ct_at(s, c)->name == ct_at(s, a)->name)
                ct_report_duplicate(b, ct_at(s, a)->name, ct_place_of(s, a), ct_place_of(s, c));
}

/* The model's own definition takes the place of a library element of the same name. */
static definition *define(builder *b, const ct_syntax *s, ct_node n, bool library)
{
    bool function = ct_at(s, n)->kind == CT_NODE_FUNCTION;
    ct_map *map = function ? &b->functions : &b->definitions;
    ct_name name = ct_at(s, n)->name;
    uint32_t known = ct_map_get(map, name);
    const definition *old = known ? b->definition.at[known - 1] : NULL;
    if (old && !old->library && !library) {
        report_again(b, old, s, n);
        return NULL;
    }
    if (function && !library)
        check_function(b, s, n);
    definition *d = CT_NEW(b->scratch, definition);
    *d = (definition){.name = name, .s = s, .node = n, .library = library};
    CT_PUSH(b->scratch, b->definition, d);
    if (!old || !library)
        ct_map_put(map, name, b->definition.count);
    return d;
}

static bool is_defined(builder *b, const ct_syntax *s, ct_node n)
{
    bool function = ct_at(s, n)->kind == CT_NODE_FUNCTION;
    return lookup(b, function ? &b->functions : &b->definitions, ct_at(s, n)->name) != NULL;
}

static bool defines(ct_node_kind kind)
{
    return kind == CT_NODE_ELEMENT || kind == CT_NODE_SYSTEM || kind == CT_NODE_FUNCTION;
}

/* Definitions are known everywhere, so they stand outside of everything else. */
static void refuse_nested(builder *b, const ct_syntax *s, ct_node parent)
{
    for (ct_node n = ct_at(s, parent)->first; n; n = ct_at(s, n)->next) {
        ct_node_kind kind = (ct_node_kind)ct_at(s, n)->kind;
        if (kind == CT_NODE_BLOCK || kind == CT_NODE_REPEAT || kind == CT_NODE_IF_STMT)
            refuse_nested(b, s, n);
        if (!defines(kind) && kind != CT_NODE_USE && kind != CT_NODE_MODEL)
            continue;
        if (defines(kind) && !is_defined(b, s, n))
            define(b, s, n, false); /* one message is enough */
        ct_report *r = ct_error(b->ctx, "E404", ct_place_of(s, n),
                                "this statement has no place inside of another one");
        ct_help(r, "elements, systems, functions, `use` and `model` stand by themselves: move it "
                   "out, it is known in the whole file");
    }
}

static void check_nested(builder *b, const ct_syntax *s, ct_node n)
{
    ct_node_kind kind = (ct_node_kind)ct_at(s, n)->kind;
    if (s->broken) /* an `end` may be missing */
        return;
    if (kind == CT_NODE_SYSTEM || kind == CT_NODE_REPEAT || kind == CT_NODE_IF_STMT)
        refuse_nested(b, s, n);
}

/* ---- the library */

static void begin_library(builder *b)
{
    b->library = ct_parser_new(b->scratch);
    b->library_source = CT_NEW_ARRAY(b->scratch, uint32_t, ct_library_text_count);
    b->library_part = CT_NEW_ARRAY(b->scratch, definition *, ct_library_part_count);
}

static definition *read_part(builder *b, uint32_t number)
{
    const ct_library_part *part = &ct_library_parts[number];
    const ct_library_text *t = &ct_library_texts[part->text];
    if (!b->library)
        begin_library(b);
    if (b->library_part[number])
        return b->library_part[number];
    uint32_t *source = &b->library_source[part->text];
    if (!*source)
        *source = ct_source_refer(b->ctx, t->path, t->text, t->length);
    const ct_syntax *s = ct_parse_statement(b->library, *source, part->at, part->length);
    return b->library_part[number] = s->root ? define(b, s, s->root, true) : NULL;
}

void ct_read_whole_library(builder *b)
{
    for (uint32_t i = 0; i < ct_library_part_count; i++)
        read_part(b, i);
}

/* ---- use "file.lg" */

static const char *folder_of(builder *b, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    return ct_arena_copy(b->scratch, path, length);
}

static bool stays_below(const char *path)
{
    if (path[0] == '/')
        return false;
    for (const char *at = path; at; at = strchr(at, '/'), at = at ? at + 1 : NULL)
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0'))
            return false;
    return true;
}

static uint32_t find_file(builder *b, const char *folder, const char *path, bool *again,
                          bool *leaves)
{
    size_t count = b->ctx->def.include_dir_count;
    for (size_t i = 0; i <= count; i++) {
        const char *dir = i ? b->ctx->def.include_dirs[i - 1] : folder;
        const char *slash = *dir && dir[strlen(dir) - 1] != '/' ? "/" : "";
        const char *full = ct_printf(b->ctx, "%s%s%s", dir, slash, path);
        if (ct_leaves_folder(b->ctx, folder, full)) {
            *leaves = true;
            continue;
        }
        ct_name key = ct_intern_text(b->ctx, full);
        uint32_t known = ct_map_get(&b->used_paths, key),
                 source = known ? known : ct_load(b->ctx, full);
        *again = known != 0;
        if (source && !known)
            ct_map_put(&b->used_paths, key, source);
        if (source)
            return source;
    }
    return 0;
}

static bool in_chain(builder *b, uint32_t source)
{
    for (uint32_t i = 0; i < b->files.count; i++)
        if (b->files.at[i] == source)
            return true;
    return false;
}

static void report_cycle(builder *b, ct_place place, uint32_t source)
{
    ct_report *r = ct_error(b->ctx, "E218", place, "files use each other in a circle");
    for (uint32_t i = 0; i < b->files.count; i++)
        ct_witness(r, ct_source_get(b->ctx, b->files.at[i])->path);
    ct_witness(r, ct_source_get(b->ctx, source)->path);
    ct_help(r, "move what both need into a third file");
}

static void report_outside(builder *b, ct_place place, const char *path, const char *how)
{
    ct_report *r =
        ct_error(b->ctx, "E001", place, "`%s` %s outside of the model's folder", path, how);
    ct_help(r, "use a file below it, or name another folder with -I");
}

static void use_file(builder *b, const ct_syntax *s, ct_node n)
{
    ct_place place = ct_place_of(s, n);
    const char *path = ct_name_text(b->ctx, ct_at(s, ct_at(s, n)->first)->name);
    bool again, leaves = false;
    if (!stays_below(path)) {
        report_outside(b, place, path, "is");
        return;
    }
    const char *folder = folder_of(b, ct_source_get(b->ctx, s->source)->path);
    uint32_t source = find_file(b, folder, path, &again, &leaves);
    if (!source && leaves) {
        report_outside(b, place, path, "is a link to something");
    } else if (!source) {
        ct_report *r = ct_error(b->ctx, "E001", place, "there is no file `%s`", path);
        ct_note(r, "looked in the model's folder%s",
                b->ctx->def.include_dir_count ? " and -I" : "");
        ct_witness(r, path);
    } else if (in_chain(b, source)) {
        report_cycle(b, place, source);
    } else if (!again && b->files.count < DEEPEST_USE) {
        ct_define_file(b, ct_is_robot(path) ? ct_robot_parse(b->ctx, source, true)
                                            : ct_parse(b->ctx, source));
    }
}

void ct_define_file(builder *b, const ct_syntax *s)
{
    CT_PUSH(b->scratch, b->files, s->source);
    b->partial |= s->broken;
    ct_note_mechanics(b, s);
    for (ct_node n = ct_at(s, s->root)->first; n; n = ct_at(s, n)->next) {
        check_nested(b, s, n);
        if (defines((ct_node_kind)ct_at(s, n)->kind))
            define(b, s, n, false);
        else if (ct_at(s, n)->kind == CT_NODE_USE)
            use_file(b, s, n);
    }
    b->files.count--;
}
