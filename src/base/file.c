/* file.c - reads texts from disk or through the caller's reader, and writes results whole or not at
 * all. */
#define _XOPEN_SOURCE 700 /* realpath, mkstemp, lstat */
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

bool ct_has_ending(const char *path, const char *const *endings)
{
    size_t length = strlen(path);
    for (; *endings; endings++) {
        size_t own = strlen(*endings);
        if (length > own && strcasecmp(path + length - own, *endings) == 0)
            return true;
    }
    return false;
}

/* Reads on only up to `most` bytes and a little more: a device may have no end. `expected`: about
 * how long it is, 0 if nobody knows. */
static char *read_stream(FILE *in, size_t expected, size_t most, size_t *length)
{
    size_t room = expected ? (expected < most ? expected : most) + 1 : BLOCK, used = 0;
    char *text = malloc(room);
    while (text) {
        used += fread(text + used, 1, room - used, in);
        if (used < room || used > most)
            break;
        char *larger = room > SIZE_MAX / 4 ? NULL : realloc(text, room * 2);
        if (!larger)
            free(text);
        text = larger;
        room *= 2;
    }
    if (text && ferror(in)) {
        free(text);
        text = NULL;
    }
    *length = used;
    return text;
}

static char *read_disk(void *user, const char *path, size_t *length)
{
    const ct_context *ctx = user;
    if (strcmp(path, "-") == 0)
        return read_stream(stdin, 0, ctx->def.max_source_bytes, length);
    struct stat about;
    if (stat(path, &about) != 0 || S_ISDIR(about.st_mode))
        return NULL;
    FILE *in = fopen(path, "rb");
    if (!in)
        return NULL;
    setvbuf(in, NULL, _IONBF, 0); /* it is read at once */
    size_t expected = S_ISREG(about.st_mode) && about.st_size > 0 ? (size_t)about.st_size : 0;
    char *text = read_stream(in, expected, ctx->def.max_source_bytes, length);
    fclose(in);
    return text;
}

static void release_disk(void *user, char *content)
{
    (void)user;
    free(content);
}

typedef struct load_job {
    ct_context *ctx;
    const char *path, *text;
    size_t length;
    uint32_t source;
} load_job;

static void add_source(void *user)
{
    load_job *job = user;
    job->source = ct_source_add(job->ctx, job->path, job->text, job->length);
}

uint32_t ct_load(ct_context *ctx, const char *path)
{
    ct_loader disk = {read_disk, release_disk, ctx};
    const ct_loader *loader = ctx->def.loader.read ? &ctx->def.loader : &disk;
    load_job job = {.ctx = ctx, .path = path};
    char *text = loader->read(loader->user, path, &job.length);
    if (!text)
        return 0;
    job.text = text;
    ct_status status = ct_protect(ctx, add_source, &job);
    if (loader->release)
        loader->release(loader->user, text);
    if (!ct_source_fits(ctx, job.length))
        ct_error(ctx, "E002", (ct_place){0}, "%s is larger than %zu bytes", path,
                 ctx->def.max_source_bytes);
    if (status != CT_OK)
        ct_throw(ctx, status);
    return job.source;
}

/* ---- which files */

static bool is_below(const char *folder, const char *real)
{
    char *top = realpath(*folder ? folder : ".", NULL);
    size_t length = top ? strlen(top) : 0;
    bool below = top && strncmp(real, top, length) == 0 &&
                 (real[length] == '/' || (length && top[length - 1] == '/'));
    free(top);
    return below;
}

bool ct_is_file(const ct_context *ctx, const char *path)
{
    struct stat about;
    return ctx->def.loader.read || (stat(path, &about) == 0 && S_ISREG(about.st_mode));
}

bool ct_leaves_folder(const ct_context *ctx, const char *folder, const char *path)
{
    char *real = ctx->def.loader.read ? NULL : realpath(path, NULL);
    bool below = !real || is_below(folder, real);
    for (size_t i = 0; !below && i < ctx->def.include_dir_count; i++)
        below = is_below(ctx->def.include_dirs[i], real);
    free(real);
    return !below;
}

bool ct_has_read(const ct_context *ctx, const char *path)
{
    struct stat target, own;
    if (stat(path, &target) != 0 || !S_ISREG(target.st_mode))
        return false;
    for (uint32_t i = 1; i < ctx->sources.count; i++)
        if (stat(ctx->sources.at[i].path, &own) == 0 && own.st_dev == target.st_dev &&
            own.st_ino == target.st_ino)
            return true;
    return false;
}

/* ---- writing */

static int write_stream(FILE *out, const char *text, size_t length)
{
    int problem = fwrite(text, 1, length, out) == length ? 0 : errno;
    if (fflush(out) != 0 && !problem)
        problem = errno;
    if (fclose(out) != 0 && !problem)
        problem = errno;
    return problem;
}

static bool is_special(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

static int write_plain(const char *path, const char *text, size_t length)
{
    FILE *out = fopen(path, "wb");
    return out ? write_stream(out, text, length) : errno;
}

/* That of the file which is there, else as the user's mask has it. */
static mode_t mode_of(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0)
        return about.st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Under a temporary name beside the file, then renamed. */
static int write_renamed(const char *path, const char *text, size_t length)
{
    static const char ending[] = ".XXXXXX";
    char *temporary = malloc(strlen(path) + sizeof ending);
    if (!temporary)
        return ENOMEM;
    strcat(strcpy(temporary, path), ending);
    int problem = 0, handle = mkstemp(temporary);
    FILE *out = handle >= 0 ? fdopen(handle, "wb") : NULL;
    if (!out)
        problem = errno;
    if (out) {
        fchmod(handle, mode_of(path));
        problem = write_stream(out, text, length);
    }
    if (!problem && rename(temporary, path) != 0)
        problem = errno;
    if (problem && handle >= 0)
        unlink(temporary);
    free(temporary);
    return problem;
}

/* A link stays one: what it leads to is written. */
int ct_write_file(const char *path, const char *text, size_t length)
{
    struct stat link;
    bool linked = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    if (is_special(path))
        return write_plain(path, text, length);
    char *real = linked ? realpath(path, NULL) : NULL;
    if (linked && !real) /* to a file that is not there yet */
        return write_plain(path, text, length);
    int problem = write_renamed(real ? real : path, text, length);
    free(real);
    return problem;
}
