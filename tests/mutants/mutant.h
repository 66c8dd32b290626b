/* mutant.h - which change of the program is switched on: COTREE_MUTANT=K of the environment. */
#ifndef MUTANT_H
#define MUTANT_H

extern int ct_mutant;
extern unsigned char *ct_mutants_reached; /* a file that all processes share; NULL: not wanted */

static inline int ct_is_mutant(int number)
{
    if (ct_mutants_reached)
        ct_mutants_reached[number] = 1;
    return ct_mutant == number;
}

#endif
