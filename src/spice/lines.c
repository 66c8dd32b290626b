/* lines.c - included files, and the cards of a text. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "spice/reader.h"

/* ---- files in files ------------------------------------------------------------------------ */

enum { MOST_OPEN = 60 };

typedef struct frame {
    uint32_t source, at, end; /* what is still to be read */
} frame;

typedef struct assembly {
    ct_context *ctx;
    ct_arena *arena;
    ct_text out;
    CT_VEC(ct_source_piece) piece;
    frame open[MOST_OPEN];
    uint32_t depth;
    bool broken, included;
} assembly;

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool begins_with(const char *text, uint32_t at, uint32_t end, const char *word)
{
    size_t length = strlen(word);
    if (end - at < length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (lower(text[at + i]) != word[i])
            return false;
    return end - at == length || strchr(" \t'\"\r", text[at + length]);
}

static uint32_t line_end(const char *text, uint32_t at, uint32_t end)
{
    const char *found = memchr(text + at, '\n', end - at);
    return found ? (uint32_t)(found - text) : end;
}

/* One word, in quotes or not. */
static bool take_word(const char *text, uint32_t *at, uint32_t end, uint32_t *from, uint32_t *to)
{
    while (*at < end && strchr(" \t\r", text[*at]))
        ++*at;
    char quote = *at < end && strchr("'\"", text[*at]) ? text[*at] : 0;
    *from = *at += quote != 0;
    while (*at < end && (quote ? text[*at] != quote : !strchr(" \t\r;", text[*at])))
        ++*at;
    *to = *at;
    *at += quote && *at < end;
    return *to > *from;
}

/* As it is when absolute, else below the folder of the file that asks for it, or in one of -I. */
static const char *path_of(assembly *a, const char *asking, const char *text, uint32_t length)
{
    const char *slash = strrchr(asking, '/');
    const char *written = ct_printf(a->ctx, "%.*s", (int)length, text), *path = written;
    if (written[0] == '/')
        return written;
    if (slash)
        path = ct_printf(a->ctx, "%.*s%s", (int)(slash - asking) + 1, asking, written);
    if (ct_is_file(a->ctx, path))
        return path;
    for (size_t i = 0; i < a->ctx->def.include_dir_count; i++) {
        const char *other = ct_printf(a->ctx, "%s/%s", a->ctx->def.include_dirs[i], written);
        if (ct_is_file(a->ctx, other))
            return other;
    }
    return path;
}

static bool report_open(assembly *a, ct_place place, const char *path)
{
    bool deep = a->depth == MOST_OPEN;
    for (uint32_t i = 0; i < a->depth; i++) {
        if (strcmp(ct_source_get(a->ctx, a->open[i].source)->path, path) != 0)
            continue;
        ct_report *r = ct_error(a->ctx, "E218", place, "%s includes itself", path);
        for (uint32_t k = i; k < a->depth; k++)
            ct_witness(r, ct_source_get(a->ctx, a->open[k].source)->path);
        return a->broken = true;
    }
    if (deep)
        ct_error(a->ctx, "E108", place, "files include each other more than %d levels deep",
                 MOST_OPEN);
    a->broken |= deep;
    return deep;
}

/* A netlist of somebody else shall not read whatever it names: neither by its path nor by a link.
 * The folder is that of the netlist itself, however deep the file lies that asks. */
static bool report_outside(assembly *a, ct_place place, const char *path)
{
    const char *top = ct_source_get(a->ctx, a->open[0].source)->path, *slash = strrchr(top, '/');
    const char *folder = ct_printf(a->ctx, "%.*s", slash ? (int)(slash - top) + 1 : 0, top);
    if (!ct_leaves_folder(a->ctx, folder, path))
        return false;
    const char *end = strrchr(path, '/');
    ct_report *r =
        ct_error(a->ctx, "E001", place,
                 "`%s` is outside of the netlist's folder, or a link that leads out of it", path);
    ct_help(r, "`-I %.*s` allows it, or another folder that holds the file itself",
            end ? (int)(end - path) : 1, end ? path : ".");
    return a->broken = true;
}

/* Between `.lib NAME` and `.endl`. */
static bool find_section(const char *text, uint32_t length, const char *name, uint32_t size,
                         frame *f)
{
    for (uint32_t at = 0, end; at < length; at = end + 1) {
        uint32_t from, to, here = at + 4;
        end = line_end(text, at, length);
        if (!begins_with(text, at, end, ".lib") || !take_word(text, &here, end, &from, &to) ||
            to - from != size)
            continue;
        bool same = true;
        for (uint32_t i = 0; i < size; i++)
            same &= lower(text[from + i]) == lower(name[i]);
        uint32_t more, last;
        if (!same || take_word(text, &here, end, &more, &last))
            continue;
        f->at = f->end = end < length ? end + 1 : end;
        while (f->end < length) {
            uint32_t stop = line_end(text, f->end, length);
            if (begins_with(text, f->end, stop, ".endl"))
                return true;
            f->end = stop < length ? stop + 1 : stop;
        }
        return true;
    }
    return false;
}

/* Opens the file that the line from `at` on names. section: `.lib FILE SECTION`. */
static void open_file(assembly *a, const frame *f, uint32_t at, uint32_t end, bool section)
{
    const ct_source *s = ct_source_get(a->ctx, f->source);
    const char *text = s->text;
    uint32_t from, to, name, last;
    if (!take_word(text, &at, end, &from, &to)) {
        ct_error(a->ctx, "E801", (ct_place){f->source, at, 1}, "the name of a file is missing");
        a->broken = true;
        return;
    }
    ct_place place = {f->source, from, to - from};
    const char *path = path_of(a, s->path, text + from, to - from);
    section = section && take_word(text, &at, end, &name, &last);
    if (report_open(a, place, path) || report_outside(a, place, path))
        return;
    uint32_t source = ct_load(a->ctx, path);
    if (!source) {
        ct_witness(ct_error(a->ctx, "E001", place, "cannot read %s", path), path);
        a->broken = true;
        return;
    }
    const ct_source *now = ct_source_get(a->ctx, source);
    frame next = {source, 0, now->length};
    const char *asking = ct_source_get(a->ctx, f->source)->text; /* the list may have moved */
    if (section && !find_section(now->text, now->length, asking + name, last - name, &next)) {
        ct_report *r =
            ct_error(a->ctx, "E803", (ct_place){f->source, name, last - name},
                     "%s has no section `%.*s`", path, (int)(last - name), asking + name);
        ct_note(r, "a section begins with `.lib NAME` and ends with `.endl`");
        a->broken = true;
        return;
    }
    a->included = true;
    a->open[a->depth++] = next;
}

static void put_piece(assembly *a, uint32_t source, uint32_t from, uint32_t to)
{
    ct_source_piece piece = {(uint32_t)a->out.length, source, from, 0};
    const ct_source *s = ct_source_get(a->ctx, source);
    if (a->out.length + (to - from) > a->ctx->def.max_source_bytes ||
        a->out.length + (to - from) > UINT32_MAX / 2 || a->piece.count > 1000000) {
        ct_error(a->ctx, "E902", (ct_place){source, from, 1},
                 "with its included files the netlist is too large");
        ct_throw(a->ctx, CT_ERR_LIMIT);
    }
    CT_PUSH(a->arena, a->piece, piece);
    ct_put_bytes(&a->out, s->text + from, to - from);
    if (to > from && s->text[to - 1] != '\n' && to == s->length)
        ct_put_char(&a->out, '\n');
}

/* Goes on with the innermost file up to its end or the next file that it includes. */
static void read_on(assembly *a)
{
    frame *f = &a->open[a->depth - 1];
    const char *text = ct_source_get(a->ctx, f->source)->text;
    uint32_t begin = f->at;
    while (f->at < f->end) {
        uint32_t at = f->at, end = line_end(text, at, f->end);
        f->at = end < f->end ? end + 1 : end;
        bool first = a->depth == 1 && at == 0; /* the title */
        while (at < end && strchr(" \t", text[at]))
            at++;
        if (first || at == end || text[at] != '.')
            continue;
        bool library = begins_with(text, at, end, ".lib");
        uint32_t word = library                                  ? 4
                        : begins_with(text, at, end, ".include") ? 8
                        : begins_with(text, at, end, ".inc")     ? 4
                                                                 : 0;
        if (begins_with(text, at, end, ".end")) {
            f->at = f->end;
            put_piece(a, f->source, begin, a->depth == 1 ? end : at);
            if (a->depth == 1)
                ct_put_char(&a->out, '\n');
            return;
        }
        if (!word)
            continue;
        put_piece(a, f->source, begin, at);
        open_file(a, &(frame){f->source, f->at, f->end}, at + word, end, library);
        return;
    }
    put_piece(a, f->source, begin, f->end);
}

uint32_t ct_sp_assemble(ct_context *ctx, uint32_t source, bool *broken)
{
    ct_arena *arena = ct_arena_new(ctx);
    assembly *a = CT_NEW(arena, assembly);
    *a = (assembly){.ctx = ctx, .arena = arena, .out = ct_text_new(arena)};
    a->open[a->depth++] = (frame){source, 0, ct_source_get(ctx, source)->length};
    while (a->depth) {
        uint32_t depth = a->depth;
        read_on(a);
        while (a->depth == depth && a->open[depth - 1].at >= a->open[depth - 1].end) {
            depth = --a->depth;
            if (!depth)
                break;
        }
    }
    *broken = a->broken;
    if (a->included) {
        source = ct_source_add(ctx, ct_source_get(ctx, source)->path, ct_text_string(&a->out),
                               a->out.length);
        ct_source_piece *piece = CT_NEW_ARRAY(ctx->base, ct_source_piece, a->piece.count);
        memcpy(piece, a->piece.at, a->piece.count * sizeof *piece);
        ctx->sources.at[source].piece = piece;
        ctx->sources.at[source].piece_count = a->piece.count;
    }
    ct_arena_free(arena);
    return source;
}

/* ---- cards --------------------------------------------------------------------------------- */

static uint32_t first_of(const reader *r, uint32_t at, uint32_t end)
{
    while (at < end && strchr(" \t\r\f", r->text[at]))
        at++;
    return at;
}

static bool is_word(const reader *r, uint32_t at, uint32_t end, const char *word)
{
    return begins_with(r->text, at, end, word);
}

/* A first line that reads like a component is perhaps meant as one. */
static void check_title(reader *r, uint32_t at, uint32_t end)
{
    cursor c = ct_sp_start(r, at, end);
    token first = c.token, last = first;
    uint32_t words = 0;
    double number;
    uint32_t used;
    for (; !ct_sp_at_end(&c) && c.token.kind == TOKEN_WORD; words++)
        last = ct_sp_take(r, &c);
    bool device = first.length > 1 && first.length < 6 && strchr("rclviRCLVI", r->text[first.at]) &&
                  r->text[first.at + 1] >= '0' && r->text[first.at + 1] <= '9';
    if (!device || words != 4 || !ct_sp_at_end(&c) ||
        !ct_sp_number(r, last.at, last.at + last.length, &number, &used))
        return;
    ct_report *w = ct_warning(r->ctx, "W804", (ct_place){r->source, at, end - at},
                              "the first line is the title: `%s` is not read as a component",
                              ct_sp_text(r, first));
    ct_help(w, "put a title line before it");
}

/* Old programs write Latin-1: bytes that are no UTF-8 are read as that. */
static ct_name title_text(reader *r, uint32_t at, uint32_t end)
{
    ct_text text = ct_text_new(r->arena);
    for (uint32_t length; at < end; at += length) {
        unsigned char byte = (unsigned char)r->text[at];
        length = ct_utf8_length(r->text + at, end - at);
        if (length) {
            ct_put_bytes(&text, r->text + at, length);
        } else {
            bool control = byte < 0xA0;
            ct_put_char(&text, control ? '?' : (char)(0xC0 | byte >> 6));
            if (!control)
                ct_put_char(&text, (char)(0x80 | (byte & 0x3F)));
            length = 1;
        }
    }
    return ct_intern_text(r->ctx, ct_text_string(&text));
}

static void take_title(reader *r, uint32_t end)
{
    uint32_t at = first_of(r, 0, end), to = end;
    while (at < to && (r->text[at] == '*' || r->text[at] == ' '))
        at++;
    while (to > at && strchr(" \t\r", r->text[to - 1]))
        to--;
    if (is_word(r, at, to, ".title"))
        at = first_of(r, at + 6, to);
    r->title = to > at ? title_text(r, at, to) : 0;
    r->title_place = (ct_place){r->source, at, to - at};
    check_title(r, at, to);
}

void ct_sp_cut(reader *r)
{
    for (uint32_t at = 0, end; at < r->length; at = end + 1) {
        end = line_end(r->text, at, r->length);
        uint32_t first = first_of(r, at, end);
        if (at == 0) {
            take_title(r, end);
            continue;
        }
        if (first == end || strchr("*;$#", r->text[first]))
            continue;
        if (is_word(r, first, end, ".end"))
            return;
        if (r->text[first] == '+') {
            if (r->card.count)
                r->card.at[r->card.count - 1].end = end;
            else
                ct_sp_error(r, "E801", (ct_place){r->source, first, 1},
                            "there is nothing to go on with");
            continue;
        }
        CT_PUSH(r->arena, r->card, (card){first, end});
    }
}
