/* watch.c - values that a model in a mode watches: what decides whether the mode lasts. */
#include "simulate/machine.h"

/* Conditions in them are events. */
bool ct_list_watched(ct_machine *m, ct_driven *driven)
{
    const ct_model *model = m->model;
    ct_expr_list list = {0};
    bool good = true;
    for (uint32_t i = 0; i < model->watch_count && good; i++)
        good = ct_machine_express(m, model->watch[i], (ct_place){0}, &list);
    if (!good || !ct_drive_all(m->driven, list.at, list.count))
        return false;
    m->watch = list.at;
    for (uint32_t i = 0; i < list.count; i++)
        ct_driven_also(driven, &m->watch[i]);
    return true;
}

bool ct_make_watches(ct_machine *m)
{
    if (m->model->watch_count)
        m->watching = ct_machine_program(m, m->watch, m->model->watch_count, m->z_count);
    return m->watching || !m->model->watch_count;
}
