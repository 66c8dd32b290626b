/* methods.c - the table of methods, of methods.def. */
#include "solve/run.h"

const ct_word ct_methods[] = {
#define METHOD(name, word, maker, traits, help) {word, "", help},
#include "solve/methods.def"
    {0},
};

static const struct {
    ct_stepper *(*make)(ct_integration *run);
    unsigned traits;
} rows[] = {
#define METHOD(name, word, maker, traits, help) {maker, traits},
#include "solve/methods.def"
};

bool ct_method_is(ct_method method, unsigned trait)
{
    return (rows[method].traits & trait) != 0;
}

ct_stepper *ct_method_stepper(ct_method method, ct_integration *run)
{
    return rows[method].make(run);
}
