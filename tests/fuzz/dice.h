/* dice.h - what the fuzzers share: random numbers, growing texts, the corpus on disk. */
#ifndef FUZZ_DICE_H
#define FUZZ_DICE_H

#include <dirent.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One word of state: a case is its seed, whatever ran before it. */
typedef struct dice {
    uint64_t state;
} dice;

static inline uint64_t roll64(dice *d) /* splitmix64 */
{
    uint64_t z = d->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline uint32_t roll(dice *d, size_t sides)
{
    return sides ? (uint32_t)(roll64(d) % sides) : 0;
}

static inline bool chance(dice *d, uint32_t percent)
{
    return roll(d, 100) < percent;
}

#define PICK(d, list) ((list)[roll((d), sizeof(list) / sizeof *(list))])

/* ---- texts that grow; always zero-terminated once something was put */

typedef struct buffer {
    char *at;
    size_t length, room;
} buffer;

static inline void buffer_need(buffer *b, size_t more)
{
    if (b->length + more + 1 <= b->room)
        return;
    b->room = 2 * (b->length + more + 1);
    b->at = realloc(b->at, b->room);
    if (!b->at)
        abort();
}

/* Replaces `drop` bytes at a place by others; `text` must not lie in the buffer. */
static inline void buffer_edit(buffer *b, size_t at, size_t drop, const char *text, size_t length)
{
    buffer_need(b, length);
    if (at > b->length)
        at = b->length;
    if (drop > b->length - at)
        drop = b->length - at;
    memmove(b->at + at + length, b->at + at + drop, b->length - at - drop);
    if (length)
        memcpy(b->at + at, text, length);
    b->length += length - drop;
    b->at[b->length] = '\0';
}

static inline void buffer_put(buffer *b, const char *text, size_t length)
{
    buffer_edit(b, b->length, 0, text, length);
}

__attribute__((format(printf, 2, 3))) static inline void put(buffer *b, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    buffer_put(b, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

/* ---- files */

static inline bool read_whole(const char *path, buffer *text)
{
    FILE *file = fopen(path, "rb");
    char piece[4096];
    text->length = 0;
    buffer_need(text, 0);
    text->at[0] = '\0';
    if (!file)
        return false;
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;)
        buffer_put(text, piece, n);
    fclose(file);
    return true;
}

enum { MOST_TEXTS = 3000, LONGEST_PATH = 300 };

typedef struct corpus {
    buffer text[MOST_TEXTS];
    char path[MOST_TEXTS][LONGEST_PATH];
    uint32_t count;
} corpus;

static inline bool ends_with(const char *text, const char *ending)
{
    size_t a = strlen(text), b = strlen(ending);
    return a >= b && strcmp(text + a - b, ending) == 0;
}

static inline int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static inline bool is_a_model(const char *path)
{
    return ends_with(path, ".lg");
}

static inline bool is_a_text(const char *path)
{
    return is_a_model(path) || ends_with(path, ".cir") || ends_with(path, ".urdf") ||
           ends_with(path, ".lg2ss");
}

static inline void corpus_add_file(corpus *c, const char *path)
{
    if (c->count < MOST_TEXTS && read_whole(path, &c->text[c->count]))
        snprintf(c->path[c->count++], LONGEST_PATH, "%s", path);
}

/* All such files below a folder, in order of their names, so that a seed means the same anywhere.
 */
static inline void corpus_add(corpus *c, const char *folder, bool (*wanted)(const char *path))
{
    struct dirent **list;
    int count = scandir(folder, &list, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        char path[LONGEST_PATH];
        snprintf(path, sizeof path, "%.200s/%.90s", folder, list[i]->d_name);
        if (wanted(path))
            corpus_add_file(c, path);
        else if (!strchr(list[i]->d_name, '.'))
            corpus_add(c, path, wanted);
        free(list[i]);
    }
    if (count >= 0)
        free(list);
}

/* The files that a file names, one a line. */
static inline void corpus_read_list(corpus *c, const char *path)
{
    buffer list = {0};
    char *rest = NULL;
    read_whole(path, &list);
    for (char *at = strtok_r(list.at, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest))
        corpus_add_file(c, at);
    free(list.at);
}

static inline void corpus_free(corpus *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        free(c->text[i].at);
    c->count = 0;
}

#endif
