/* relations.c - what gears leave between coordinates at rest.
 *
 * A gear ties speeds, so that one of them is no state, but its coordinate is: q_d' = sum of N_i
 * q_i'. At rest this says nothing, and any q_d would do. It is where the motion has brought it,
 *
 *     q_d - q_d0 = sum of N_i (q_i - q_i0),
 *
 * from the start if N is the same there, as that of gears is; else near the point that was reached.
 */
#include "simulate/relations.h"

#include <math.h>
#include <string.h>

#include "mechanics/mechanics.h"

static const double same_slope = 1e-9; /* of itself, at two points */

#define FREE UINT32_MAX

typedef struct relating {
    const ct_problem *p;
    uint32_t *tied;     /* per row of f: its relation; FREE: none */
    uint32_t *place_of; /* per speed among the states: its coordinate + 1 */
} relating;

static uint32_t state_of(const ct_machine *m, ct_name name)
{
    uint32_t z = name ? ct_map_get(&m->z_index, name) : 0;
    return z <= m->n ? z : 0;
}

/* Returns how many coordinates have no speed among the states. */
static uint32_t find_tied(relating *s, const ct_machine *m)
{
    const ct_mechanics *mechanics = m->reduced->system->mechanics;
    uint32_t count = 0;
    memset(s->tied, 0xff, m->n * sizeof *s->tied);
    for (uint32_t i = 0; i < mechanics->coordinate_count; i++) {
        const ct_coordinate *c = &mechanics->coordinate[i];
        uint32_t q = state_of(m, c->q), u = state_of(m, c->u);
        if (c->quaternion)
            continue;
        if (q && u)
            s->place_of[u - 1] = q;
        else if (q && c->u)
            s->tied[q - 1] = count++;
    }
    return count;
}

/* The relation of an entry; FREE: it belongs to none. */
static uint32_t relation_of(const relating *s, uint32_t column, uint32_t entry)
{
    uint32_t row = s->p->row[entry];
    return s->place_of[column] && row < s->p->n ? s->tied[row] : FREE;
}

/* Is N the same at both points? */
static bool is_constant(const relating *s, uint32_t count, const double *here, const double *there,
                        ct_arena *arena)
{
    double *most = CT_NEW_ARRAY(arena, double, 2 * (size_t)count + 1), *change = most + count;
    for (uint32_t k = 0; k < s->p->n; k++)
        for (uint32_t i = s->p->start[k]; i < s->p->start[k + 1]; i++) {
            uint32_t of = relation_of(s, k, i);
            if (of == FREE)
                continue;
            most[of] = fmax(most[of], fabs(here[i]));
            change[of] = fmax(change[of], fabs(here[i] - there[i]));
        }
    for (uint32_t i = 0; i < count; i++)
        if (!(change[i] <= same_slope * most[i]))
            return false;
    return true;
}

/* The entries of one column: its own relation, or what its speed does to others. */
static uint32_t put_column(const relating *s, uint32_t q, uint32_t speed, const double *slope,
                           uint32_t at, ct_relations *out)
{
    if (s->tied[q] != FREE) {
        out->row[at] = s->tied[q];
        out->factor[at++] = 1;
    }
    for (uint32_t i = speed ? s->p->start[speed - 1] : 0; speed && i < s->p->start[speed]; i++)
        if (relation_of(s, speed - 1, i) != FREE) {
            out->row[at] = relation_of(s, speed - 1, i);
            out->factor[at++] = -slope[i];
        }
    return at;
}

static void put_columns(const relating *s, uint32_t size, const double *slope, ct_arena *arena,
                        ct_relations *out)
{
    uint32_t *speed = CT_NEW_ARRAY(arena, uint32_t, size + 1);
    for (uint32_t k = 0; k < s->p->n; k++)
        if (s->place_of[k])
            speed[s->place_of[k] - 1] = k + 1;
    out->row = CT_NEW_ARRAY(arena, uint32_t, s->p->start[size] + size + 1);
    out->factor = CT_NEW_ARRAY(arena, double, s->p->start[size] + size + 1);
    for (uint32_t q = 0; q < size; q++)
        out->start[q + 1] =
            q < s->p->n ? put_column(s, q, speed[q], slope, out->start[q], out) : out->start[q];
}

ct_relations ct_relations_new(ct_rig *rig, double t, const double *begun, const double *reached,
                              ct_arena *arena)
{
    const ct_machine *m = rig->machine;
    const ct_problem *p = &rig->free;
    uint32_t size = m->n + m->m;
    relating s = {p, CT_NEW_ARRAY(arena, uint32_t, size + 1),
                  CT_NEW_ARRAY(arena, uint32_t, size + 1)};
    ct_relations r = {.start = CT_NEW_ARRAY(arena, uint32_t, size + 2)};
    r.count = find_tied(&s, m);
    if (!r.count)
        return r;
    ct_need_pattern(p);
    double *here = CT_NEW_ARRAY(arena, double, p->start[size] + 1),
           *there = CT_NEW_ARRAY(arena, double, p->start[size] + 1);
    p->jacobian(p->user, t, begun, there);
    p->jacobian(p->user, t, reached, here);
    put_columns(&s, size, here, arena, &r);
    double *from = CT_NEW_ARRAY(arena, double, size + 1);
    memcpy(from, is_constant(&s, r.count, here, there, arena) ? begun : reached,
           size * sizeof *from);
    r.from = from;
    return r;
}

void ct_relations_left(const ct_relations *r, uint32_t columns, const double *z, double *left)
{
    memset(left, 0, r->count * sizeof *left);
    for (uint32_t k = 0; r->count && k < columns; k++)
        for (uint32_t i = r->start[k]; i < r->start[k + 1]; i++)
            left[r->row[i]] += r->factor[i] * (z[k] - r->from[k]);
}
