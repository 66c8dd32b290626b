/* late.c - libraries that few runs need are loaded when the first of their functions is called.
 *
 * FLINT and LAPACKE bring eight other libraries with them; loading all of them took most of the
 * time of a short run. Each function here is a jump through a slot; at first all slots lead to
 * load(), which keeps the arguments, loads the libraries and fills the slots. Only the program is
 * linked with this file; the library and its users link FLINT and LAPACKE as usual.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { FLINT, LAPACKE, LIBRARIES };
enum { EXIT_INTERNAL = 70 };

static const char *const files[LIBRARIES] = {COTREE_FLINT, COTREE_LAPACKE};

static const struct {
    const char *name;
    int library;
} functions[] = {
#define LATE(library, name) {#name, library},
#include "late.def"
#undef LATE
};
enum { COUNT = sizeof functions / sizeof *functions };

extern void *cotree_late_slot[];
void cotree_late_load(void);

static void *load_library(int library)
{
    void *handle = dlopen(files[library], RTLD_LAZY | RTLD_LOCAL);
    if (!handle) {
        fprintf(stderr, "cotree: %s\n", dlerror());
        exit(EXIT_INTERNAL);
    }
    return handle;
}

/* Called by the code below, with all arguments kept. */
__attribute__((used)) void cotree_late_load(void)
{
    void *handle[LIBRARIES];
    for (int i = 0; i < LIBRARIES; i++)
        handle[i] = load_library(i);
    for (size_t i = 0; i < COUNT; i++) {
        cotree_late_slot[i] = dlsym(handle[functions[i].library], functions[i].name);
        if (!cotree_late_slot[i]) {
            fprintf(stderr, "cotree: %s\n", dlerror());
            exit(EXIT_INTERNAL);
        }
    }
}

/* Slots, and their first targets: the address of the slot goes to r11, then all registers that
 * hold arguments are kept while the libraries are loaded. */
__asm__(".section .text\n"
        "cotree_late_first:\n"
        "    push %rbp\n    mov %rsp, %rbp\n    and $-16, %rsp\n    sub $192, %rsp\n"
        "    mov %rdi, (%rsp)\n    mov %rsi, 8(%rsp)\n    mov %rdx, 16(%rsp)\n"
        "    mov %rcx, 24(%rsp)\n    mov %r8, 32(%rsp)\n    mov %r9, 40(%rsp)\n"
        "    mov %rax, 48(%rsp)\n    mov %r11, 56(%rsp)\n"
        "    movaps %xmm0, 64(%rsp)\n    movaps %xmm1, 80(%rsp)\n    movaps %xmm2, 96(%rsp)\n"
        "    movaps %xmm3, 112(%rsp)\n    movaps %xmm4, 128(%rsp)\n    movaps %xmm5, 144(%rsp)\n"
        "    movaps %xmm6, 160(%rsp)\n    movaps %xmm7, 176(%rsp)\n"
        "    call cotree_late_load\n"
        "    mov (%rsp), %rdi\n    mov 8(%rsp), %rsi\n    mov 16(%rsp), %rdx\n"
        "    mov 24(%rsp), %rcx\n    mov 32(%rsp), %r8\n    mov 40(%rsp), %r9\n"
        "    mov 48(%rsp), %rax\n    mov 56(%rsp), %r11\n"
        "    movaps 64(%rsp), %xmm0\n    movaps 80(%rsp), %xmm1\n    movaps 96(%rsp), %xmm2\n"
        "    movaps 112(%rsp), %xmm3\n    movaps 128(%rsp), %xmm4\n    movaps 144(%rsp), %xmm5\n"
        "    movaps 160(%rsp), %xmm6\n    movaps 176(%rsp), %xmm7\n"
        "    mov %rbp, %rsp\n    pop %rbp\n    jmp *(%r11)\n"
        ".section .data\n    .balign 8\n.globl cotree_late_slot\n.hidden cotree_late_slot\n"
        "cotree_late_slot:\n"
#define LATE(library, name) "late_slot_" #name ": .quad late_load_" #name "\n"
#include "late.def"
#undef LATE
        ".section .text\n"
#define LATE(library, name)                                                                        \
    ".globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name ":\n"                \
    "    jmp *late_slot_" #name "(%rip)\n"                                                         \
    "late_load_" #name ":\n    lea late_slot_" #name "(%rip), %r11\n    jmp cotree_late_first\n"
#include "late.def"
#undef LATE
        ".section .note.GNU-stack,\"\",@progbits\n.section .text\n");
