/* foreign.c - calls a user's step function: over a socket to a process with limits, or directly. */
#define _GNU_SOURCE
#include "foreign/foreign.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"

typedef void step_function(double t, const double *u, double *y, double *state);

struct ct_foreign {
    ct_context *ctx;
    ct_foreign_def def;
    pid_t child; /* 0: none */
    int socket;
    void *library;
    step_function *step; /* inside of this process */
    double *state, *message;
    double *in, *out; /* of calls inside */
};

enum { MEMORY = 1 << 30, USUAL_PATIENCE = 2000 };
enum { WROTE_OUTPUTS = 41, WROTE_STATES = 42 }; /* how the driver of compile.c ends */

/* ---- a process of its own */

static void limit(__rlimit_resource_t what, rlim_t most)
{
    struct rlimit r = {most, most};
    setrlimit(what, &r);
}

static void become(const char *program, char *const *words, int socket)
{
    if (socket != 3)
        dup2(socket, 3);
    else
        fcntl(3, F_SETFD, 0);
    dup2(2, 1); /* what it prints is no part of results */
    limit(RLIMIT_AS, MEMORY);
    limit(RLIMIT_CORE, 0);
    execv(program, words);
    _exit(127);
}

static bool start(ct_foreign *f, const char *program)
{
    int pair[2];
    ct_context *ctx = f->ctx;
    char *words[5] = {0};
    const uint32_t size[] = {f->def.inputs, f->def.outputs, f->def.states};
    words[0] = ct_arena_copy(ctx->base, program, strlen(program));
    for (int i = 0; i < 3; i++) {
        const char *text = ct_printf(ctx, "%u", (unsigned)size[i]);
        words[i + 1] = ct_arena_copy(ctx->base, text, strlen(text));
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return false;
    f->child = fork();
    if (f->child == 0)
        become(program, words, pair[1]);
    close(pair[1]);
    f->socket = pair[0];
    if (f->child < 0)
        f->child = 0;
    return f->child != 0;
}

void ct_foreign_close(ct_foreign *f)
{
    if (!f)
        return;
    if (f->child) {
        kill(f->child, SIGKILL);
        waitpid(f->child, NULL, 0);
        f->child = 0;
    }
    if (f->socket >= 0)
        close(f->socket);
    f->socket = -1;
    if (f->library)
        dlclose(f->library);
    f->library = NULL;
}

static void leave(void *user)
{
    ct_foreign_close(user);
}

static const char *wrote_beyond(const ct_foreign *f, bool outputs)
{
    return ct_printf(f->ctx,
                     outputs ? "it writes beyond its outputs: there are %u"
                             : "it writes beyond its states: there are %u",
                     (unsigned)(outputs ? f->def.outputs : f->def.states));
}

/* How the process came to its end. */
static const char *end_of(ct_foreign *f)
{
    int status = 0;
    pid_t child = f->child;
    f->child = 0;
    if (waitpid(child, &status, 0) != child)
        return "its process is gone";
    if (WIFSIGNALED(status))
        return ct_printf(f->ctx, "its process crashed: %s", strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) == WROTE_OUTPUTS || WEXITSTATUS(status) == WROTE_STATES)
        return wrote_beyond(f, WEXITSTATUS(status) == WROTE_OUTPUTS);
    return ct_printf(f->ctx, "its process ended with status %d", WEXITSTATUS(status));
}

static const char *wait_for_answer(ct_foreign *f)
{
    struct pollfd p = {.fd = f->socket, .events = POLLIN};
    int patience = f->def.patience > 0 ? f->def.patience : USUAL_PATIENCE, ready;
    do
        ready = poll(&p, 1, patience);
    while (ready < 0 && errno == EINTR);
    if (ready > 0)
        return NULL;
    ct_foreign_close(f);
    return ct_printf(f->ctx, "a call has not ended within %g s", patience / 1000.0);
}

static const char *receive(ct_foreign *f, double *y)
{
    char *at = (char *)y;
    for (size_t left = f->def.outputs * sizeof *y; left;) {
        const char *late = wait_for_answer(f);
        if (late)
            return late;
        ssize_t got = recv(f->socket, at, left, 0);
        if (got <= 0)
            return end_of(f);
        at += got;
        left -= (size_t)got;
    }
    return NULL;
}

static const char *call_apart(ct_foreign *f, double t, const double *u, double *y)
{
    size_t length = (f->def.inputs + 1) * sizeof *u;
    if (!f->child)
        return "its process has ended before";
    f->message[0] = t;
    if (f->def.inputs)
        memcpy(f->message + 1, u, f->def.inputs * sizeof *u);
    if (send(f->socket, f->message, length, MSG_NOSIGNAL) != (ssize_t)length)
        return end_of(f);
    return receive(f, y);
}

/* ---- inside */

static bool load(ct_foreign *f, const char *path)
{
    f->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = f->library ? dlsym(f->library, f->def.function) : NULL;
    if (symbol)
        memcpy(&f->step, &symbol, sizeof symbol); /* ISO C has no cast for that */
    return symbol != NULL;
}

/* Numbers behind outputs and states that nobody may write. */
enum { FENCE = 64 };

static bool is_broken(const double *fence)
{
    const unsigned char *at = (const unsigned char *)fence;
    return at[0] != 0xff || memcmp(at, at + 1, FENCE * sizeof *fence - 1) != 0;
}

const char *ct_foreign_call(ct_foreign *f, double t, const double *u, double *y)
{
    if (!f->step)
        return call_apart(f, t, u, y);
    if (f->def.inputs)
        memcpy(f->in, u, f->def.inputs * sizeof *u);
    f->step(t, f->in, f->out, f->state);
    if (f->def.outputs)
        memcpy(y, f->out, f->def.outputs * sizeof *y);
    bool outputs = is_broken(f->out + f->def.outputs);
    return outputs || is_broken(f->state + f->def.states) ? wrote_beyond(f, outputs) : NULL;
}

/* Zeros, then none: as the driver of compile.c has them. */
static double *fenced(ct_arena *arena, uint32_t size, uint32_t zeros)
{
    double *list = CT_NEW_ARRAY(arena, double, size + FENCE);
    memset(list + zeros, 0xff, (size + FENCE - zeros) * sizeof *list);
    return list;
}

ct_foreign *ct_foreign_open(ct_arena *arena, const ct_foreign_def *def, ct_foreign_trouble *trouble)
{
    ct_context *ctx = ct_arena_context(arena);
    ct_foreign *f = CT_NEW(arena, ct_foreign);
    *f = (ct_foreign){.ctx = ctx, .def = *def, .socket = -1};
    f->state = fenced(arena, def->states, def->states);
    f->in = fenced(arena, def->inputs, def->inputs);
    f->out = fenced(arena, def->outputs, 0);
    f->message = CT_NEW_ARRAY(arena, double, def->inputs + 1);
    ct_arena_guest *guest = ct_arena_add_guest(arena);
    const char *path = ct_foreign_compile(arena, def, trouble);
    if (!path)
        return NULL;
    guest->leave = leave, guest->user = f;
    if (def->inside ? load(f, path) : start(f, path))
        return f;
    *trouble = (ct_foreign_trouble){"it cannot be started",
                                    def->inside ? "there is no function of that name in it" : NULL};
    return NULL;
}
