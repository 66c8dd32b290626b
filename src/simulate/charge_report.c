/* charge_report.c - names what the equations leave open at rest. */
#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "simulate/charge.h"

static const double moved_least = 1e-9; /* of both values: less is rounding */
static const double rounded = 1e-9;     /* of the largest of a row: less is zero */
static const double cancelled = 1e-11;  /* of both terms: they cancel */
static const double least_way = 1e-6;   /* that variables are moved */

enum { MOST_CELLS = 10000000, MOST_SETS = 8, MOST_NAMES = 12 };

typedef struct opening {
    const ct_rig *rig;
    const ct_machine *m;
    ct_arena *arena;
    double t;
    const double *z;
    uint32_t count, cols; /* directions; variables that may be named */
    ct_name *name;
    uint32_t *edge;  /* of the graph; UINT32_MAX: none */
    ct_expr *expr;   /* 0: a state */
    uint32_t *state; /* of a state */
    double *move;    /* count rows of cols: how they move */
    uint32_t *set;   /* per direction: representative */
} opening;

/* ---- variables: all that stores, and states that belong to no edge */

static void add_variable(opening *o, ct_name name, uint32_t edge, ct_expr expr, uint32_t state)
{
    o->name[o->cols] = name;
    o->edge[o->cols] = edge;
    o->expr[o->cols] = expr;
    o->state[o->cols++] = state;
}

static void list_variables(opening *o)
{
    const ct_machine *m = o->m;
    uint32_t most = m->store.count + m->n + 1;
    o->name = CT_NEW_ARRAY(o->arena, ct_name, most);
    o->edge = CT_NEW_ARRAY(o->arena, uint32_t, most);
    o->expr = CT_NEW_ARRAY(o->arena, ct_expr, most);
    o->state = CT_NEW_ARRAY(o->arena, uint32_t, most);
    for (uint32_t i = 0; i < m->store.count; i++) {
        const ct_stored *s = &m->store.at[i];
        uint32_t z = m->dependent[i] ? 0 : ct_map_get(&m->z_index, s->variable);
        add_variable(o, s->variable, s->edge, m->dependent[i], z - 1);
    }
    for (uint32_t i = 0; i < m->n; i++) {
        ct_unknown_kind kind = m->reduced->system->unknown[m->reduced->state[i]].kind;
        bool integral = ct_symbol_of(m->model->symbols, m->z[i]).kind == CT_SYMBOL_INTEGRAL;
        if (kind == CT_UNKNOWN_OWN && !integral) /* an integral begins at zero: that is known */
            add_variable(o, m->z[i], UINT32_MAX, 0, i);
    }
}

/* ---- how they move */

static double move_of(const opening *o, uint32_t variable, const double *v, double *moved)
{
    ct_expr e = o->expr[variable];
    if (!e)
        return v[o->state[variable]];
    double a = ct_rig_value_at(o->rig, o->t, o->z, e);
    double b = ct_rig_value_at(o->rig, o->t, moved, e);
    return fabs(b - a) > moved_least * fmax(fabs(a), fabs(b)) ? b - a : 0;
}

static void find_moves(opening *o, const double *v)
{
    uint32_t size = o->m->n + o->m->m;
    double *moved = CT_NEW_ARRAY(o->arena, double, size + 1);
    o->move = CT_NEW_ARRAY(o->arena, double, (size_t)o->count * o->cols + 1);
    for (uint32_t k = 0; k < o->count; k++, v += size) {
        double *row = o->move + (size_t)k * o->cols, most = 0, far = least_way;
        for (uint32_t i = 0; i < size; i++) {
            most = fmax(most, fabs(v[i]));
            far = fmax(far, fabs(o->z[i]));
        }
        double by = most > 0 ? far / most : 1;
        for (uint32_t i = 0; i < size; i++)
            moved[i] = o->z[i] + by * v[i];
        for (uint32_t i = 0; i < o->cols; i++)
            row[i] = o->expr[i] ? move_of(o, i, v, moved) : by * v[o->state[i]];
    }
}

/* ---- sets that have nothing to do with each other
 *
 * After elimination by rows the pattern of the rows shows them, whatever the directions were: two
 * rows that share a variable belong together. */

static void clean(double *row, uint32_t cols)
{
    double most = 0;
    for (uint32_t i = 0; i < cols; i++)
        most = fmax(most, fabs(row[i]));
    for (uint32_t i = 0; i < cols; i++)
        if (fabs(row[i]) <= rounded * most)
            row[i] = 0;
}

static void reduce_rows(opening *o)
{
    for (uint32_t k = 0; k < o->count; k++) {
        double *pivot = o->move + (size_t)k * o->cols;
        uint32_t column = 0;
        clean(pivot, o->cols);
        for (uint32_t i = 1; i < o->cols; i++)
            if (fabs(pivot[i]) > fabs(pivot[column]))
                column = i;
        for (uint32_t r = 0; r < o->count && pivot[column] != 0; r++) {
            double *row = o->move + (size_t)r * o->cols, by = row[column] / pivot[column];
            if (r == k || by == 0)
                continue;
            for (uint32_t i = 0; i < o->cols; i++) {
                double part = by * pivot[i], was = row[i];
                row[i] -= part;
                if (fabs(row[i]) <= cancelled * (fabs(was) + fabs(part)))
                    row[i] = 0;
            }
            row[column] = 0;
        }
    }
}

static void join_rows(opening *o)
{
    o->set = ct_sets_new(o->arena, o->count);
    for (uint32_t i = 0; i < o->cols; i++) {
        uint32_t first = UINT32_MAX;
        for (uint32_t k = 0; k < o->count; k++) {
            if (o->move[(size_t)k * o->cols + i] == 0)
                continue;
            if (first == UINT32_MAX)
                first = k;
            ct_sets_join(o->set, first, k);
        }
    }
}

/* ---- messages */

static bool is_in(opening *o, uint32_t set, uint32_t variable)
{
    for (uint32_t k = set; k < o->count; k++)
        if (o->move[(size_t)k * o->cols + variable] != 0 && ct_sets_find(o->set, k) == set)
            return true;
    return false;
}

static void warn_set(opening *o, uint32_t set)
{
    const ct_machine *m = o->m;
    const ct_graph *g = m->reduced->system->graph;
    ct_text text = ct_text_new(m->ctx->base);
    ct_place place = {0};
    uint32_t count = 0;
    CT_VEC(const char *) witness = {0};
    for (uint32_t i = 0; i < o->cols; i++) {
        if (!is_in(o, set, i))
            continue;
        bool edge = o->edge[i] != UINT32_MAX;
        if (!count && edge)
            place = g->edge[o->edge[i]].place;
        if (count++ < MOST_NAMES)
            ct_putf(&text, "%s%s", count > 1 ? ", " : "", ct_name_text(m->ctx, o->name[i]));
        if (edge)
            CT_PUSH(o->arena, witness,
                    ct_name_text(m->ctx, m->model->component[g->edge[o->edge[i]].owner].name));
    }
    if (count > MOST_NAMES)
        ct_putf(&text, " and %u more", count - MOST_NAMES);
    if (!count)
        return; /* of no effect on what is stored */
    ct_report *r = ct_warning(m->ctx, "W537", place, "the equations of rest leave %s open",
                              ct_text_string(&text));
    ct_note(r, "what they store together is conserved: rest depends on how it was reached");
    ct_note(r, "taken is the one that is reached from the initial values, or from empty storage");
    ct_help(r, "add what determines them: a large resistance across, a small one in the loop");
    for (uint32_t i = 0; i < witness.count; i++)
        ct_witness(r, witness.at[i]);
}

void ct_warn_open(const ct_rig *rig, double t, const double *z, const double *v, uint32_t count)
{
    const ct_machine *m = rig->machine;
    opening o = {.rig = rig, .m = m, .t = t, .z = z, .count = count};
    if (!count)
        return;
    o.arena = ct_arena_new(m->ctx);
    list_variables(&o);
    if ((size_t)o.cols * count <= MOST_CELLS) {
        find_moves(&o, v);
        reduce_rows(&o);
        join_rows(&o);
        for (uint32_t k = 0, sets = 0; k < count && sets < MOST_SETS; k++)
            if (o.set[k] == k) {
                warn_set(&o, k);
                sets++;
            }
    }
    ct_arena_free(o.arena);
}
