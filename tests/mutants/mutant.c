/* mutant.c - reads the switch before main; COTREE_REACHED=FILE: notes which changes are reached. */
#include "mutant.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int ct_mutant;
unsigned char *ct_mutants_reached;

__attribute__((constructor)) static void read_switch(void)
{
    const char *number = getenv("COTREE_MUTANT"), *path = getenv("COTREE_REACHED");
    struct stat file;
    ct_mutant = number ? atoi(number) : 0;
    int f = path ? open(path, O_RDWR) : -1;
    if (f < 0 || fstat(f, &file) != 0)
        return;
    void *map = mmap(NULL, (size_t)file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    ct_mutants_reached = map == MAP_FAILED ? NULL : map;
    close(f);
}
