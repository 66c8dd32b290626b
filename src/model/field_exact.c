/* field_exact.c - what exact responses need of a field that is the same along its length. */
#include "model/field.h"

static ct_field_line *keep(field *f)
{
    ct_field_line *line = CT_NEW(f->b->arena, ct_field_line);
    *line = (ct_field_line){.c = f->law.c,
                            .g = f->law.g,
                            .l = f->law.l,
                            .r = f->law.r,
                            .tau = f->law.tau,
                            .load = f->law.load,
                            .length = f->length,
                            .zeta = ct_field_param(f, "zeta"),
                            .shear = f->law.shear,
                            .rotary = f->law.rotary,
                            .tension = f->law.tension};
    ct_expr *part[] = {&line->c,    &line->g,    &line->l,     &line->r,      &line->tau,
                       &line->load, &line->zeta, &line->shear, &line->rotary, &line->tension};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        *part[i] = *part[i] ? *part[i] : ct_expr_int(f->b->pool, 0);
    f->es->out->line = line;
    return line;
}

void ct_field_keep_line(field *f)
{
    keep(f);
}

/* `fixed`: of four end coordinates, those without an edge that are kept at zero. */
void ct_field_keep_beam(field *f, const bool *fixed)
{
    ct_field_line *line = keep(f);
    line->bends = true;
    for (uint32_t i = 0; i < FIELD_VARIABLES; i++)
        line->edge[i] = CT_NO_END_EDGE, line->fixed[i] = fixed[i];
    for (uint32_t i = 0; i < f->port.count; i++)
        if (f->port.at[i].end < 2)
            line->edge[2 * f->port.at[i].end + f->port.at[i].row] = f->port.at[i].edge;
}
