#include "mechanics/inside.h"
bool ct_mech_rank(mechanics *m, int *freedom)
{
    (void)m;
    *freedom = 0;
    return true;
}
