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

static void become(char *const *words, int log)
{
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    dup2(log, 1);
    dup2(log, 2);
    execvp(words[0], words);
    _exit(127);
}

/* 0: it did well; 127: there is no such program; else what it said is in the log. */
static int run(char *const *words, const char *log_path)
{
    int log = open(log_path, O_WRONLY | O_CREAT | O_TRUNC, 0600), status = 0;
    pid_t child = log < 0 ? -1 : fork();
    if (child == 0)
        become(words, log);
    if (log >= 0)
        close(log);
    if (child < 0)
        return -1;
    const struct timespec pause = {0, 5000000};
    for (int i = 0; waitpid(child, &status, WNOHANG) == 0; i++) {
        if (i > LONGEST_COMPILATION * 200)
            kill(child, SIGKILL);
        nanosleep(&pause, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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

/* ---- the program around the user's function, for a process of its own */

static const char driver[] =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
    "void COTREE_STEP(double t, const double *u, double *y, double *state);\n"
    "static int all(int out, char *at, size_t left)\n"
    "{\n"
    "    while (left) {\n"
    "        ssize_t n = out ? write(3, at, left) : read(3, at, left);\n"
    "        if (n <= 0)\n"
    "            return 0;\n"
    "        at += n;\n"
    "        left -= (size_t)n;\n"
    "    }\n"
    "    return 1;\n"
    "}\n"
    "/* Numbers of which the first are zero, and behind them none: what is read there is seen. */\n"
    "enum { FENCE = 64 };\n"
    "static double *fenced(size_t size, size_t zeros)\n"
    "{\n"
    "    double *list = calloc(size + FENCE, sizeof *list);\n"
    "    for (size_t i = zeros; list && i < size + FENCE; i++)\n"
    "        memset(&list[i], 0xff, sizeof *list);\n"
    "    return list;\n"
    "}\n"
    "static int broken(const double *fence)\n"
    "{\n"
    "    const unsigned char *at = (const unsigned char *)fence;\n"
    "    int bad = 0;\n"
    "    for (size_t i = 0; i < FENCE * sizeof *fence; i++)\n"
    "        bad |= at[i] != 0xff;\n"
    "    return bad;\n"
    "}\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    size_t n = argc > 3 ? (size_t)atol(argv[1]) : 0, m = argc > 3 ? (size_t)atol(argv[2]) : "
    "0;\n"
    "    size_t k = argc > 3 ? (size_t)atol(argv[3]) : 0;\n"
    "    double *in = fenced(n + 1, n + 1), *out = fenced(m, 0), *state = fenced(k, k);\n"
    "    while (in && out && state && all(0, (char *)in, (n + 1) * sizeof *in)) {\n"
    "        COTREE_STEP(in[0], in + 1, out, state);\n"
    "        fflush(stdout);\n"
    "        if (broken(out + m) || broken(state + k))\n"
    "            return broken(out + m) ? 41 : 42;\n"
    "        if (!all(1, (char *)out, m * sizeof *out))\n"
    "            break;\n"
    "    }\n"
    "    return 0;\n"
    "}\n";

static bool write_driver(const char *path)
{
    FILE *file = fopen(path, "w");
    bool good = file && fputs(driver, file) >= 0;
    return file && fclose(file) == 0 && good;
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

static int compile(const work *w, const ct_foreign_def *def)
{
    char *step = word(w, ct_printf(w->ctx, "-DCOTREE_STEP=%s", def->function));
    char *apart[] = {word(w, "cc"), word(w, "-O2"),        step,
                     word(w, "-o"), word(w, w->made),      word(w, w->main),
                     word(w, "-x"), word(w, "cpp-output"), word(w, w->plain),
                     word(w, "-x"), word(w, "none"),       word(w, "-lm"),
                     NULL};
    char *inside[] = {word(w, "cc"),
                      word(w, "-O2"),
                      word(w, "-fPIC"),
                      word(w, "-shared"),
                      word(w, "-o"),
                      word(w, w->made),
                      word(w, "-x"),
                      word(w, "cpp-output"),
                      word(w, w->plain),
                      word(w, "-x"),
                      word(w, "none"),
                      word(w, "-lm"),
                      NULL};
    return run(def->inside ? inside : apart, w->log);
}

static const char *compile_in(ct_arena *arena, const work *w, const ct_foreign_def *def,
                              ct_foreign_trouble *trouble)
{
    int status = preprocess(w, def->source);
    if (status)
        return say(trouble,
                   status == 127 ? "there is no C compiler `cc` on this system"
                                 : "its code cannot be compiled",
                   first_lines(arena, w->log));
    uint64_t hash = hash_file(w->plain, ct_hash_bytes(driver, sizeof driver, def->inside));
    hash = ct_hash_bytes(def->function, strlen(def->function), hash);
    const char *result = ct_printf(w->ctx, "%s/%016llx%s", w->folder, (unsigned long long)hash,
                                   def->inside ? ".so" : "");
    if (access(result, X_OK) == 0)
        return result;
    if (!write_driver(w->main))
        return say(trouble, "the cache cannot be written", w->folder);
    if (compile(w, def))
        return say(trouble, "its code cannot be compiled", first_lines(arena, w->log));
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
