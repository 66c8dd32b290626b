/* late.c - libraries that few runs need are loaded when the first of their functions is called.
 *
 * FLINT and LAPACKE bring eight other libraries with them; loading all of them took most of the
 * time of a short run. Each function here passes its arguments on to the one of the same name,
 * which it looks up at its first call. Only the program is linked with this file; the library and
 * its users link FLINT and LAPACKE as usual.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(hidden) /* the libraries call their own functions, not these */
#include <flint/fmpz_mpoly.h>
#include <flint/fmpz_mpoly_factor.h>
#include <flint/fmpz_vec.h>
#include <lapacke.h>

enum { FLINT, LAPACKE, LIBRARIES };
enum { EXIT_INTERNAL = 70 };

static const char *const files[LIBRARIES] = {COTREE_FLINT, COTREE_LAPACKE};

/* Stores the function in *real; C has no cast from an object to a function. Threads that come here
 * at the same time find the same: a library is loaded once. */
static void find(int library, const char *name, void *real)
{
    void *handle = dlopen(files[library], RTLD_LAZY | RTLD_LOCAL);
    void *found = handle ? dlsym(handle, name) : NULL;
    if (!found) {
        fprintf(stderr, "cotree: %s\n", dlerror());
        exit(EXIT_INTERNAL);
    }
    memcpy(real, &found, sizeof found);
}

#define VALUE(library, type, name, parameters, arguments)                                          \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*real) parameters;                                                             \
        if (!real)                                                                                 \
            find(library, #name, &real);                                                           \
        return real arguments;                                                                     \
    }
#define CALL(library, name, parameters, arguments)                                                 \
    void name parameters                                                                           \
    {                                                                                              \
        static void(*real) parameters;                                                             \
        if (!real)                                                                                 \
            find(library, #name, &real);                                                           \
        real arguments;                                                                            \
    }
#include "late.def"
