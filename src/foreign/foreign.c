/* foreign.c - calls a user's step function: in a process with limits, over memory that both see,
 * or directly. */
#define _GNU_SOURCE
#include "foreign/foreign.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "foreign/desk.h"

typedef void step_function(double t, const double *u, double *y, double *state);

struct ct_foreign {
    ct_context *ctx;
    ct_foreign_def def;
    pid_t child; /* 0: none */
    ct_seat seat;
    size_t desk_bytes;
    uint32_t calls;
    void *library;
    step_function *step; /* inside of this process */
    double *state;
    double *in, *out; /* of calls inside */
};

enum { MEMORY = 1 << 30 };
enum { PATIENCE = 2, MOST_WAITS = 8 }; /* seconds of one wait for an answer; waits for a call */
enum { WROTE_OUTPUTS = 41, WROTE_STATES = 42 }; /* how the driver of compile.c ends */

/* ---- a process of its own */

static void limit(__rlimit_resource_t what, rlim_t most)
{
    struct rlimit r = {most, most};
    setrlimit(what, &r);
}

/* Its socket is 3, the memory 4: the driver of compile.c knows them. */
static void become(const char *program, char *const *words, int socket, int memory)
{
    int high[2] = {fcntl(socket, F_DUPFD_CLOEXEC, 5), fcntl(memory, F_DUPFD_CLOEXEC, 5)};
    dup2(high[0], 3);
    dup2(high[1], 4);
    dup2(2, 1); /* what it prints is no part of results */
    limit(RLIMIT_AS, MEMORY);
    limit(RLIMIT_CORE, 0);
    execv(program, words);
    _exit(127);
}

/* Memory for both processes, of a size that neither can change. -1: there is none. */
static int new_desk(ct_foreign *f)
{
    size_t bytes = sizeof(ct_desk) + (f->def.inputs + f->def.outputs + 1) * sizeof(double);
    int memory = memfd_create("cotree", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0)
        return -1;
    bool good = ftruncate(memory, (off_t)bytes) == 0 &&
                fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
    void *desk =
        good ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0) : MAP_FAILED;
    if (desk == MAP_FAILED) {
        close(memory);
        return -1;
    }
    f->seat.desk = desk;
    f->desk_bytes = bytes;
    return memory;
}

static bool start_with(ct_foreign *f, char *const *words, int memory)
{
    int pair[2];
    const struct timeval most = {PATIENCE, 0};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return false;
    f->child = fork();
    if (f->child == 0)
        become(words[0], words, pair[1], memory);
    close(pair[1]);
    f->seat.socket = pair[0];
    if (f->child < 0)
        f->child = 0;
    return f->child && setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most) == 0;
}

static bool start(ct_foreign *f, const char *program)
{
    ct_context *ctx = f->ctx;
    char *words[5] = {0};
    const uint32_t size[] = {f->def.inputs, f->def.outputs, f->def.states};
    words[0] = ct_arena_copy(ctx->base, program, strlen(program));
    for (int i = 0; i < 3; i++) {
        const char *text = ct_printf(ctx, "%u", (unsigned)size[i]);
        words[i + 1] = ct_arena_copy(ctx->base, text, strlen(text));
    }
    int memory = new_desk(f);
    bool good = memory >= 0 && start_with(f, words, memory);
    if (memory >= 0)
        close(memory);
    return good;
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
    if (f->seat.socket >= 0)
        close(f->seat.socket);
    f->seat.socket = -1;
    if (f->seat.desk)
        munmap(f->seat.desk, f->desk_bytes);
    f->seat.desk = NULL;
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

/* Waits for the end of a process whose socket is closed; one that only closed it is ended. */
static bool has_ended(pid_t child, int *status)
{
    const struct timespec pause = {0, 1000000};
    pid_t got = 0;
    for (int i = 0; i < 1000 * PATIENCE && (got = waitpid(child, status, WNOHANG)) == 0; i++)
        nanosleep(&pause, NULL);
    if (got == 0) {
        kill(child, SIGKILL);
        waitpid(child, status, 0);
    }
    return got == child;
}

/* How the process came to its end. */
static const char *end_of(ct_foreign *f)
{
    int status = 0;
    pid_t child = f->child;
    f->child = 0;
    if (!has_ended(child, &status))
        return "its process is gone";
    if (WIFSIGNALED(status))
        return ct_printf(f->ctx, "its process crashed: %s", strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) == WROTE_OUTPUTS || WEXITSTATUS(status) == WROTE_STATES)
        return wrote_beyond(f, WEXITSTATUS(status) == WROTE_OUTPUTS);
    return ct_printf(f->ctx, "its process ended with status %d", WEXITSTATUS(status));
}

static const char *too_late(ct_foreign *f)
{
    ct_foreign_close(f);
    return ct_printf(f->ctx, "a call has not ended within %d s", PATIENCE);
}

/* Has the code itself taken less than half of its time? Then the machine is busy with others. */
static bool was_held_up(const ct_foreign *f)
{
    clockid_t clock;
    struct timespec used = {PATIENCE, 0};
    return clock_getcpuclockid(f->child, &clock) == 0 && clock_gettime(clock, &used) == 0 &&
           2 * used.tv_sec < PATIENCE;
}

/* It may be over though its socket is open: a process that it has started holds that, too. */
static bool is_over(const ct_foreign *f)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)f->child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

static ct_desk_end wait_patiently(ct_foreign *f)
{
    ct_desk_end end = CT_DESK_LATE;
    for (int i = 0; i < MOST_WAITS && end == CT_DESK_LATE && (!i || was_held_up(f)); i++) {
        end = ct_desk_wait(&f->seat, f->calls);
        if (end == CT_DESK_LATE && is_over(f))
            end = CT_DESK_GONE;
    }
    return end;
}

static const char *call_apart(ct_foreign *f, double t, const double *u, double *y)
{
    ct_desk *desk = f->seat.desk;
    if (!f->child)
        return "its process has ended before";
    desk->numbers[0] = t;
    memcpy(desk->numbers + 1, u, f->def.inputs * sizeof *u);
    ct_desk_tell(&f->seat, ++f->calls);
    switch (wait_patiently(f)) {
    case CT_DESK_LATE:
        return too_late(f);
    case CT_DESK_GONE:
        return end_of(f);
    case CT_DESK_READY:
        break;
    }
    memcpy(y, desk->numbers + 1 + f->def.inputs, f->def.outputs * sizeof *y);
    return NULL;
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
    memcpy(f->in, u, f->def.inputs * sizeof *u);
    f->step(t, f->in, f->out, f->state);
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
    *f = (ct_foreign){.ctx = ctx, .def = *def, .seat = {.socket = -1}};
    f->state = fenced(arena, def->states, def->states);
    f->in = fenced(arena, def->inputs, def->inputs);
    f->out = fenced(arena, def->outputs, 0);
    ct_arena_guest *guest = ct_arena_add_guest(arena);
    const char *path = ct_foreign_compile(arena, def, trouble);
    if (!path)
        return NULL;
    guest->leave = leave, guest->user = f;
    if (def->inside ? load(f, path) : start(f, path))
        return f;
    *trouble = (ct_foreign_trouble){"it cannot be started", def->inside ? dlerror() : NULL};
    return NULL;
}
