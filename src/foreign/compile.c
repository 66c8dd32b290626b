/* compile.c - compiles a user's C file with the system's compiler, without a shell. Results are
 * kept in the user's cache under a name made of the preprocessed text, so that a changed header
 * counts. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "foreign/foreign.h"

enum { LONGEST_COMPILATION = 60 }; /* seconds */

/* ---- programs, started without a shell */

enum { NO_PROGRAM = 127, NO_START = -1, NO_END = -2 }; /* how one ends that says nothing */

static void become(char *const *words, int log)
{
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    dup2(log, 1);
    dup2(log, 2);
    execvp(words[0], words);
    _exit(NO_PROGRAM);
}

/* 0: it did well; else what it said is in the log. */
static int run(char *const *words, const char *log_path)
{
    int log = open(log_path, O_WRONLY | O_CREAT | O_TRUNC, 0600), status = 0;
    pid_t child = log < 0 ? -1 : fork();
    if (child == 0)
        become(words, log);
    if (log >= 0)
        close(log);
    if (child < 0)
        return NO_START;
    const struct timespec pause = {0, 5000000};
    for (int i = 0; waitpid(child, &status, WNOHANG) == 0; i++) {
        if (i > LONGEST_COMPILATION * 200)
            kill(child, SIGKILL);
        nanosleep(&pause, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : NO_END;
}

/* ---- the cache */

/* A folder of this user that nobody else can write to. */
static bool is_private(const char *folder)
{
    struct stat s;
    return stat(folder, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == getuid() &&
           (s.st_mode & 022) == 0;
}

static const char *cache_folder(ct_arena *arena)
{
    ct_context *ctx = ct_arena_context(arena);
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *base = cache && *cache ? cache
                       : home && *home ? ct_printf(ctx, "%s/.cache", home)
                                       : "/tmp";
    mkdir(base, 0700);
    const char *folder = ct_printf(ctx, "%s/cotree-%u", base, (unsigned)getuid());
    mkdir(folder, 0700);
    return is_private(folder) ? folder : NULL;
}

static uint64_t hash_file(const char *path, uint64_t seed)
{
    char buffer[4096];
    size_t got;
    FILE *file = fopen(path, "r");
    uint64_t hash = seed;
    while (file && (got = fread(buffer, 1, sizeof buffer, file)) > 0)
        hash = ct_hash_bytes(buffer, got, hash);
    if (file)
        fclose(file);
    return hash;
}

static const char *first_lines(ct_arena *arena, const char *path)
{
    enum { ROOM = 2000 };
    char *text = CT_NEW_ARRAY(arena, char, ROOM + 1);
    FILE *file = fopen(path, "r");
    size_t got = file ? fread(text, 1, ROOM, file) : 0;
    if (file)
        fclose(file);
    while (got && (text[got - 1] == '\n' || text[got - 1] == ' '))
        text[--got] = '\0';
    return got ? text : NULL;
}

/* ---- what is compiled beside the user's function */

static bool write_driver(const char *path)
{
    FILE *file = fopen(path, "w");
    bool good = file != NULL;
    for (const ct_driver_text *d = ct_driver_texts; good && d->name; d++)
        good = fwrite(d->text, 1, d->length, file) == d->length;
    return file && fclose(file) == 0 && good;
}

/* No multiplication and addition in one rounding, no functions of constants that the compiler knows
 * better than the library, and sines, exponentials and their like by calls, which the linker sends
 * to those of the program. */
static const char *const usual[] = {
    "cc",
    "-O2",
    "-ffp-contract=off",
    "-frounding-math",
    "-fno-builtin-sin",
    "-fno-builtin-cos",
    "-fno-builtin-sincos",
    "-fno-builtin-exp",
    "-fno-builtin-log",
    "-Wl,--wrap=sin,--wrap=cos,--wrap=sincos,--wrap=exp,--wrap=log"};

static uint64_t hash_driver(uint64_t seed)
{
    uint64_t hash = seed;
    for (const ct_driver_text *d = ct_driver_texts; d->name; d++)
        hash = ct_hash_bytes(d->text, d->length, hash);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        hash = ct_hash_bytes(usual[i], strlen(usual[i]), hash);
    return hash;
}

/* ---- compiling */

static const char *say(ct_foreign_trouble *t, const char *what, const char *detail)
{
    *t = (ct_foreign_trouble){what, detail};
    return NULL;
}

typedef struct work {
    ct_context *ctx;
    const char *folder, *log, *plain, *main, *made;
} work;

static work new_work(ct_context *ctx, const char *folder)
{
    unsigned own = (unsigned)getpid();
    return (work){.ctx = ctx,
                  .folder = folder,
                  .log = ct_printf(ctx, "%s/work-%u.log", folder, own),
                  .plain = ct_printf(ctx, "%s/work-%u.i", folder, own),
                  .main = ct_printf(ctx, "%s/work-%u.c", folder, own),
                  .made = ct_printf(ctx, "%s/work-%u.out", folder, own)};
}

static void clean(const work *w)
{
    unlink(w->log);
    unlink(w->plain);
    unlink(w->main);
    unlink(w->made);
}

static char *word(const work *w, const char *text)
{
    return ct_arena_copy(w->ctx->base, text, strlen(text));
}

static int preprocess(const work *w, const char *source)
{
    char *words[] = {word(w, "cc"),     word(w, "-E"),   word(w, "-o"),
                     word(w, w->plain), word(w, source), NULL};
    return run(words, w->log);
}

/* Behind the user's text: is his function what will be called? Else it would get other numbers. */
static bool add_signature(const work *w, const char *function)
{
    FILE *file = fopen(w->plain, "a");
    const char *is = "__builtin_types_compatible_p(__typeof__(%s), "
                     "void(double, %sdouble *, double *, double *))";
    const char *strict = ct_printf(w->ctx, is, function, "const ");
    const char *loose = ct_printf(w->ctx, is, function, "");
    if (file)
        fprintf(file,
                "\n# 1 \"signature\"\n_Static_assert(%s || %s, \"the function must be: "
                "void %s(double t, const double *u, double *y, double *state)\");\n",
                strict, loose, function);
    return file && fclose(file) == 0;
}

static int compile(const work *w, const ct_foreign_def *def)
{
    enum { USUAL = sizeof usual / sizeof *usual, MORE = 12 };
    char *words[USUAL + MORE] = {0};
    const char *more[MORE] = {def->inside ? "-fPIC"
                                          : ct_printf(w->ctx, "-DCOTREE_STEP=%s", def->function),
                              def->inside ? "-shared" : "-pthread",
                              "-o",
                              w->made,
                              w->main,
                              "-x",
                              "cpp-output",
                              w->plain,
                              "-x",
                              "none",
                              "-lm"};
    for (int i = 0; i < USUAL; i++)
        words[i] = word(w, usual[i]);
    for (int i = 0; more[i]; i++)
        words[USUAL + i] = word(w, more[i]);
    return run(words, w->log);
}

static const char *refuse(ct_arena *arena, const work *w, int status, ct_foreign_trouble *trouble)
{
    const char *what = status == NO_PROGRAM ? "there is no C compiler `cc` on this system"
                       : status == NO_START ? "the compiler cannot be started"
                       : status == NO_END   ? "the compiler has not come to its end"
                                            : "its code cannot be compiled";
    return say(trouble, what, first_lines(arena, w->log));
}

static const char *compile_in(ct_arena *arena, const work *w, const ct_foreign_def *def,
                              ct_foreign_trouble *trouble)
{
    int status = preprocess(w, def->source);
    if (status)
        return refuse(arena, w, status, trouble);
    if (!add_signature(w, def->function))
        return say(trouble, "the cache cannot be written", w->folder);
    uint64_t hash = hash_file(w->plain, hash_driver(def->inside));
    const char *result = ct_printf(w->ctx, "%s/%016llx%s", w->folder, (unsigned long long)hash,
                                   def->inside ? ".so" : "");
    if (access(result, X_OK) == 0)
        return result;
    if (!write_driver(w->main))
        return say(trouble, "the cache cannot be written", w->folder);
    status = compile(w, def);
    if (status)
        return refuse(arena, w, status, trouble);
    if (rename(w->made, result))
        return say(trouble, "the cache cannot be written", w->folder);
    return result;
}

const char *ct_foreign_compile(ct_arena *arena, const ct_foreign_def *def,
                               ct_foreign_trouble *trouble)
{
    const char *folder = cache_folder(arena);
    if (!folder)
        return say(trouble, "there is no private folder for compiled code",
                   "set XDG_CACHE_HOME to a folder of your own");
    work w = new_work(ct_arena_context(arena), folder);
    const char *result = compile_in(arena, &w, def, trouble);
    clean(&w);
    return result;
}
