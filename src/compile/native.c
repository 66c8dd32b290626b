/* native.c - machine code of a program: written in memory of the arena, then copied to pages of its
 * own that are first writable, then executable, never both. */
#define _DEFAULT_SOURCE /* for MAP_ANONYMOUS */
#include "compile/native.h"

#if defined __x86_64__ && defined __unix__

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/context.h"
#include "base/cpu.h"
#include "compile/lanes.h"

/* Below, the system calls cost more than is won. Beyond, code of about seven bytes an operation
 * does not fit the caches, and the tape, whose loops do, is faster: 1.9 ns an operation against 3.1
 * with a million of them, but 2.4 against 0.9 with 200 000. */
enum { FEWEST = 4, MOST = 500000, OUTPUTS = 32 }; /* outputs that take as long as one */

ct_cpu ct_native_cpu(void)
{
    return (ct_cpu){true, CT_HAS_AVX, CT_HAS_SSE41, CT_HAS_AVX2};
}

typedef struct pages {
    void *at;
    size_t size;
} pages;

static void leave(void *user)
{
    pages *p = user;
    munmap(p->at, p->size);
}

/* NULL: the system does not allow it. Nothing throws once the pages are there. */
static void *executable(ct_arena *arena, const uint8_t *code, size_t size)
{
    ct_arena_guest *guest = ct_arena_add_guest(arena);
    pages *p = CT_NEW(arena, pages);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    p->size = (size + page - 1) / page * page;
    p->at = mmap(NULL, p->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p->at == MAP_FAILED)
        return NULL;
    guest->leave = leave;
    guest->user = p;
    memcpy(p->at, code, size);
    return mprotect(p->at, p->size, PROT_READ | PROT_EXEC) == 0 ? p->at : NULL;
}

ct_native_fn ct_native_install(ct_arena *arena, const ct_x86 *x)
{
    ct_native_fn function;
    void *at = executable(arena, x->byte.at, x->byte.count);
    if (!at)
        return NULL;
    char *entry = (char *)at + CT_POOL_END;
    memcpy(&function, &entry, sizeof function);
    return function;
}

ct_native_fn ct_native_new(ct_arena *arena, const ct_code *code, const ct_program *program,
                           const uint32_t *slot, ct_cpu cpu, bool wide, size_t *work)
{
    ct_x86 x = {.arena = code->arena, .cpu = cpu, .wide = wide, .unit = wide ? 8 * CT_LANES : 8};
    uint32_t count, operations = code->operations[1];
    if (!cpu.native || operations + program->output_count / OUTPUTS < FEWEST || operations > MOST)
        return NULL;
    const uint32_t *order = ct_native_order(x.arena, code, &count);
    *work = ct_native_write(&x, code, program, slot, order, count,
                            program->first_variable + program->variable_count);
    return ct_native_install(arena, &x);
}

#else

ct_cpu ct_native_cpu(void)
{
    return (ct_cpu){0};
}

ct_native_fn ct_native_install(ct_arena *arena, const ct_x86 *x)
{
    (void)arena, (void)x;
    return NULL;
}

ct_native_fn ct_native_new(ct_arena *arena, const ct_code *code, const ct_program *program,
                           const uint32_t *slot, ct_cpu cpu, bool wide, size_t *work)
{
    (void)arena, (void)code, (void)program, (void)slot, (void)cpu, (void)wide, (void)work;
    return NULL;
}

#endif
