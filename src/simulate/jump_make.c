/* jump_make.c - what a jump needs of the equations: expressions and programs.
 *
 * Where a source, a condition or a start jumps, what was stored just before misses the constraints
 * between states. Their slacks (reduced.h) take up what is missing and go to zero on a straight way
 * in no time. All that is finite drops out of the rates; what is left is
 *
 *     dx/ds = df/d(slack') (-missing),    slack = (1 - s) missing,    s = 0 .. 1,
 *
 * the limit of a fast ramp. Charge, flux and momentum are conserved, because the rates are those of
 * the model; no choice of states or coordinates matters.
 */
#include "simulate/jump.h"

#include <math.h>
#include <string.h>

/* ---- expressions */

typedef struct renaming {
    ct_name_list from;
    ct_expr_list to;
} renaming;

static void rename_symbol(const ct_machine *m, renaming *r, ct_name from, ct_expr to)
{
    CT_PUSH(m->arena, r->from, from);
    CT_PUSH(m->arena, r->to, to);
}

static ct_expr own_symbol(const ct_machine *m, const char *word, uint32_t index)
{
    return ct_expr_symbol(m->pool, ct_intern_text(m->ctx, ct_printf(m->ctx, "%s %u", word, index)));
}

static void put_all(const ct_machine *m, const renaming *r, ct_expr *e, uint32_t count)
{
    if (r->from.count && count)
        ct_expr_substitute_all(m->pool, e, e, count, r->from.at, r->to.at, r->from.count);
}

static ct_jump_owner owner_of(const ct_machine *m, const ct_slack *s)
{
    ct_jump_owner o = {"", {0}};
    if (s->driver)
        o = (ct_jump_owner){ct_name_text(m->ctx, s->driver->joint), s->driver->at};
    else if (s->dependent)
        o.name = ct_unknown_owner(m->reduced->system, s->dependent, &o.place);
    return o;
}

/* Does a source of a network prescribe a position there? */
static bool is_placing(const ct_machine *m, const ct_slack *s)
{
    const ct_system *system = m->reduced->system;
    const ct_unknown_row *u = s->dependent ? &system->unknown[s->dependent] : NULL;
    return u && u->kind == CT_UNKNOWN_POSITION &&
           system->graph->edge[u->owner].class == CT_ACROSS_DRIVER;
}

/* What dependent unknowns were just before has symbols of its own. */
static bool list_before(ct_machine *m, ct_expr_list *before, renaming *keep)
{
    const ct_reduced *r = m->reduced;
    ct_jumps *j = m->jumps;
    bool *has_kept = CT_NEW_ARRAY(m->arena, bool, r->slack_count + 1), good = true;
    ct_jump_owner *owner = CT_NEW_ARRAY(m->arena, ct_jump_owner, r->slack_count + 1);
    bool *placing = CT_NEW_ARRAY(m->arena, bool, r->slack_count + 1);
    j->has_kept = has_kept;
    j->placing = placing;
    j->owner = owner;
    for (uint32_t i = 0; i < r->slack_count && good; i++) {
        const ct_slack *s = &r->slack[i];
        ct_name name = s->dependent ? r->system->unknown[s->dependent].name : 0;
        has_kept[i] = name || s->driver;
        owner[i] = owner_of(m, s);
        placing[i] = is_placing(m, s);
        if (!has_kept[i])
            continue;
        ct_expr symbol = own_symbol(m, "before", i);
        if (name)
            rename_symbol(m, keep, name, symbol);
        CT_PUSH(m->arena, j->kept, name);
        CT_PUSH(m->arena, j->variable, ct_expr_name(m->pool, symbol));
        ct_expr own = name ? ct_expr_symbol(m->pool, name) : s->driver->speed;
        good = ct_machine_express(m, own, (ct_place){0}, before);
    }
    return good;
}

/* What drivers prescribe of positions stands behind: it must not jump. */
static bool list_places(ct_machine *m, ct_expr_list *before)
{
    const ct_reduced *r = m->reduced;
    bool good = true;
    for (uint32_t i = 0; i < r->slack_count && good; i++) {
        const ct_speed_driver *d = r->slack[i].driver;
        if (!d || !d->place)
            continue;
        CT_PUSH(m->arena, m->jumps->placed, d);
        good = ct_machine_express(m, d->place, (ct_place){0}, before);
    }
    return good;
}

/* Constraints hold the slacks of those before them. */
static bool list_missing(ct_machine *m, renaming *keep, ct_expr_list *missing)
{
    const ct_reduced *r = m->reduced;
    bool good = true;
    for (uint32_t i = 0; i < r->slack_count; i++)
        rename_symbol(m, keep, r->slack[i].symbol, own_symbol(m, "slack on the way", i));
    for (uint32_t i = 0; i < r->slack_count && good; i++) {
        const ct_slack *s = &r->slack[i];
        ct_expr e = s->driver ? ct_expr_sub(m->pool, own_symbol(m, "before", i), s->driver->speed)
                              : s->constraint;
        put_all(m, keep, &e, 1);
        good = e && ct_machine_express(m, e, (ct_place){0}, missing);
    }
    return good;
}

/* Slacks, their rates along the way, and rates of these. */
static renaming name_slacks(ct_machine *m, ct_expr rush, ct_expr kick)
{
    const ct_reduced *r = m->reduced;
    ct_symbols *symbols = m->model->symbols;
    renaming by = {0};
    ct_name_list way = {0};
    for (uint32_t i = 0; i < r->slack_count; i++) {
        ct_name rate = ct_rate_symbol(symbols, r->slack[i].symbol);
        ct_expr slack = own_symbol(m, "slack on the way", i), own = own_symbol(m, "rush", i);
        rename_symbol(m, &by, r->slack[i].symbol, slack);
        rename_symbol(m, &by, rate, ct_expr_mul(m->pool, rush, own));
        rename_symbol(m, &by, ct_rate_symbol(symbols, rate), ct_expr_mul(m->pool, kick, own));
        CT_PUSH(m->arena, m->jumps->variable, ct_expr_name(m->pool, slack));
        CT_PUSH(m->arena, way, ct_expr_name(m->pool, own));
    }
    for (uint32_t i = 0; i < way.count; i++)
        CT_PUSH(m->arena, m->jumps->variable, way.at[i]);
    return by;
}

/* Where the rate of all slacks is left in a derivative by it, the way is curved for the slacks that
 * are in there; or it decides on which side of conditions an impulse is: as if it were very large.
 */
static ct_expr note_bends(const ct_machine *m, ct_expr slope, ct_name by, bool *bent)
{
    ct_expr bend = ct_expr_has(m->pool, slope, by) ? ct_expr_diff(m->pool, slope, by) : 0;
    if (bend && ct_expr_is_zero(m->pool, bend)) {
        const ct_expr large =
            ct_expr_pow(m->pool, ct_expr_int(m->pool, 10), ct_expr_int(m->pool, 30));
        return ct_expr_substitute(m->pool, slope, &by, &large, 1);
    }
    for (uint32_t i = 0; bend && i < m->reduced->slack_count; i++)
        bent[i] |= ct_expr_has(m->pool, bend, ct_expr_name(m->pool, own_symbol(m, "rush", i)));
    return slope;
}

/* Derivatives by the rate of all slacks at once. */
static bool add_slopes(ct_machine *m, const ct_expr *e, uint32_t count, ct_expr by, ct_expr other,
                       bool *bent, ct_expr_list *to)
{
    ct_name name = ct_expr_name(m->pool, by);
    ct_name both[] = {name, ct_expr_name(m->pool, other)};
    const ct_expr zero[] = {ct_expr_int(m->pool, 0), ct_expr_int(m->pool, 0)};
    ct_expr *slope = CT_NEW_ARRAY(m->arena, ct_expr, count + 1);
    ct_expr_diff_all(m->pool, e, slope, count, name);
    for (uint32_t i = 0; i < count; i++)
        if (!slope[i])
            return false;
    ct_name_list left = ct_symbols_of(m->pool, m->arena, slope, count);
    bool curved = false;
    for (uint32_t i = 0; i < left.count; i++)
        curved |= left.at[i] == name;
    CT_DROP(m->arena, left);
    for (uint32_t i = 0; i < count && curved && bent; i++)
        slope[i] = note_bends(m, slope[i], name, bent);
    ct_expr_substitute_all(m->pool, slope, slope, count, both, zero, 2);
    for (uint32_t i = 0; i < count; i++)
        CT_PUSH(m->arena, *to, slope[i]);
    return true;
}

/* The variable of an edge that takes the impulse: the current of a capacitor. */
static ct_name dual_variable(const ct_machine *m, const ct_stored *s, uint32_t *row)
{
    const ct_graph_edge *e = &m->reduced->system->graph->edge[s->edge];
    const ct_element *element = m->model->element[m->model->component[e->owner].element];
    const ct_domain_row *domain = ct_domain_row_at(element->edge[s->index].domain);
    for (uint32_t v = 0; v < CT_DOMAIN_VARIABLES && domain->variable[v].name; v++)
        if (domain->variable[v].order == 0 &&
            domain->variable[v].across == (e->class == CT_DELAY)) {
            *row = v;
            return ct_edge_variable(m->model, e->owner, s->index, v);
        }
    return 0;
}

/* A run may not need the value of a parameter that only an impulse depends on. */
static bool is_known(const ct_machine *m, ct_expr e)
{
    ct_name_list symbols = ct_symbols_of(m->pool, m->arena, &e, 1);
    bool known = true;
    for (uint32_t i = 0; i < symbols.count; i++) {
        uint32_t q = ct_map_get(m->model->quantity_by_name, symbols.at[i]);
        known &= !q || m->model->quantity[q - 1].kind != CT_PARAM ||
                 !isnan(m->model->quantity_value[q - 1]);
    }
    CT_DROP(m->arena, symbols);
    return known;
}

/* States that take an impulse themselves (kick) hand it on to what depends on them. */
static void rename_kicked(const ct_machine *m, renaming *by, ct_expr rush, const ct_expr_list *kick)
{
    for (uint32_t i = 0; i < kick->count; i++) {
        ct_expr own = ct_expr_mul(m->pool, rush, kick->at[i]);
        rename_symbol(m, by, m->z[i], ct_expr_add(m->pool, ct_expr_symbol(m->pool, m->z[i]), own));
    }
}

/* Impulses that hold the rate of a slack, or a state that takes an impulse: of dependent storage;
 * where that takes none, of any, whose states are not what is stored. */
static bool list_shocks(ct_machine *m, const renaming *by, ct_expr rush, ct_expr kick,
                        ct_expr_list *shock, bool dependent)
{
    ct_jumps *j = m->jumps;
    for (uint32_t i = 0; i < m->store.count; i++) {
        ct_shock own = {.stored = m->store.at[i]};
        bool asked = m->dependent[i] || !dependent;
        own.variable = asked ? dual_variable(m, &own.stored, &own.row) : 0;
        if (!own.variable)
            continue;
        ct_expr e =
            ct_reduced_express(m->reduced, ct_expr_symbol(m->pool, own.variable), (ct_place){0});
        if (!e)
            return false;
        put_all(m, by, &e, 1);
        if (!ct_expr_has(m->pool, e, ct_expr_name(m->pool, rush)) || !is_known(m, e))
            continue;
        if (!add_slopes(m, &e, 1, rush, kick, NULL, shock))
            continue;
        CT_PUSH(m->arena, j->shock, own);
    }
    return shock->count || !dependent || list_shocks(m, by, rush, kick, shock, false);
}

static bool has_placing(const ct_machine *m)
{
    bool any = false;
    for (uint32_t i = 0; i < m->jumps->count; i++)
        any |= m->jumps->placing[i];
    return any;
}

/* What stores holds an impulse itself where it has the rate of a slack, or depends on a state that
 * takes one (kick): the speed of a mass whose position jumps. */
static bool list_bursts(ct_machine *m, const renaming *by, ct_expr rush, ct_expr second,
                        ct_expr_list *burst)
{
    for (uint32_t i = 0; has_placing(m) && i < m->store.count; i++) {
        ct_expr e = ct_reduced_express(m->reduced, ct_expr_symbol(m->pool, m->store.at[i].variable),
                                       (ct_place){0});
        if (!e)
            return false;
        put_all(m, by, &e, 1);
        if (!ct_expr_has(m->pool, e, ct_expr_name(m->pool, rush)) || !is_known(m, e) ||
            !add_slopes(m, &e, 1, rush, second, NULL, burst))
            continue;
        CT_PUSH(m->arena, m->jumps->burst, m->store.at[i]);
    }
    return true;
}

static void take(ct_machine *m, ct_expr_list *all, const ct_expr_list *list, uint32_t *first)
{
    *first = all->count;
    for (uint32_t i = 0; i < list->count; i++)
        CT_PUSH(m->arena, *all, list->at[i]);
}

static bool is_zero_list(const ct_machine *m, const ct_expr_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (!ct_expr_is_zero(m->pool, list->at[i]))
            return false;
    return true;
}

/* Which of them hold symbols of their own inside of a function? There conditions are no events. */
typedef struct tainting {
    const ct_machine *m;
    ct_map own;
    bool found;
} tainting;

static void look_inside(void *user, ct_expr e)
{
    tainting *x = user;
    const ct_name *symbol;
    if (x->found || ct_expr_kind_of(x->m->pool, e) != CT_EXPR_CALL)
        return;
    uint32_t count = ct_expr_symbols(x->m->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++)
        x->found |= ct_map_get(&x->own, symbol[i]) != 0;
}

static bool is_tainted(tainting *x, ct_expr e)
{
    x->found = false;
    ct_expr_walk(x->m->pool, &e, 1, look_inside, x);
    return x->found;
}

void ct_add_jump_events(const ct_machine *m, ct_driven *driven)
{
    const ct_jumps *j = m->jumps;
    tainting x = {.m = m};
    ct_map_init(&x.own, m->arena);
    for (uint32_t i = 0; j && i < j->variable.count; i++)
        ct_map_put(&x.own, j->variable.at[i], 1);
    for (uint32_t i = 0; j && i < j->expr_count; i++)
        if (!is_tainted(&x, j->expr[i]))
            ct_driven_also(driven, &j->expr[i]);
}

/* Rates and residuals as the reduction left them, with names for slacks. */
static bool list_way(ct_machine *m, ct_expr_list *push, ct_expr_list *kick, ct_expr_list *level,
                     ct_expr_list *shock, ct_expr_list *burst)
{
    const ct_reduced *r = m->reduced;
    uint32_t size = m->n + m->m;
    ct_expr rush = own_symbol(m, "rush of slacks", 1), second = own_symbol(m, "rush of slacks", 2);
    ct_expr *fg = CT_NEW_ARRAY(m->arena, ct_expr, size + 1);
    bool *bent = CT_NEW_ARRAY(m->arena, bool, r->slack_count + 1);
    m->jumps->bent = bent;
    renaming by = name_slacks(m, rush, second);
    if (m->n)
        memcpy(fg, r->rate, m->n * sizeof *fg);
    if (m->m)
        memcpy(fg + m->n, r->residual, m->m * sizeof *fg);
    put_all(m, &by, fg, size);
    if (!add_slopes(m, fg, size, rush, second, bent, push) ||
        !add_slopes(m, fg, m->n, second, rush, NULL, kick))
        return false;
    ct_name both[] = {ct_expr_name(m->pool, rush), ct_expr_name(m->pool, second)};
    const ct_expr zero[] = {ct_expr_int(m->pool, 0), ct_expr_int(m->pool, 0)};
    for (uint32_t i = m->n; i < size; i++)
        CT_PUSH(m->arena, *level, ct_expr_substitute(m->pool, fg[i], both, zero, 2));
    if (is_zero_list(m, kick))
        kick->count = 0;
    rename_kicked(m, &by, rush, kick);
    return list_shocks(m, &by, rush, second, shock, true) &&
           list_bursts(m, &by, rush, second, burst);
}

bool ct_list_jumps(ct_machine *m)
{
    ct_expr_list before = {0}, missing = {0}, push = {0}, kick = {0}, level = {0}, shock = {0};
    ct_expr_list burst = {0}, all = {0};
    renaming keep = {0};
    if (!m->reduced->slack_count || !m->reduced->system->run)
        return true;
    ct_jumps *j = m->jumps = CT_NEW(m->arena, ct_jumps);
    j->count = m->reduced->slack_count;
    if (!list_before(m, &before, &keep) || !list_places(m, &before) ||
        !list_missing(m, &keep, &missing))
        return false;
    if (!list_way(m, &push, &kick, &level, &shock, &burst) ||
        (is_zero_list(m, &push) && !shock.count && !burst.count && !m->jumps->placed.count)) {
        m->jumps = NULL; /* nothing moves */
        return true;
    }
    ct_list_struck(m);
    take(m, &all, &before, &j->before);
    take(m, &all, &missing, &j->missing);
    take(m, &all, &push, &j->push);
    take(m, &all, &shock, &j->shocks);
    take(m, &all, &kick, &j->kick);
    take(m, &all, &level, &j->level);
    take(m, &all, &burst, &j->bursts);
    j->kicks = kick.count > 0;
    j->expr = all.at;
    j->expr_count = all.count;
    j->rest_before = ct_drive_still(m->driven, before.at, before.count, false);
    return ct_drive_all(m->driven, j->expr, j->expr_count);
}

/* ---- programs */

ct_program_def ct_jump_def(const ct_machine *m, uint32_t first, uint32_t count)
{
    const ct_jumps *j = m->jumps;
    ct_program_def def = ct_machine_def(m, j->expr + first, count, m->z_count);
    def.variable = j->all_variable;
    def.variable_count = j->all_count;
    return def;
}

static const ct_program *program(const ct_machine *m, uint32_t first, uint32_t count)
{
    ct_expr stranger = 0;
    ct_program_def def = ct_jump_def(m, first, count);
    const ct_program *made = ct_program_new(m->arena, &def, &stranger);
    if (!made)
        ct_report_stranger(m, stranger);
    return made;
}

bool ct_make_jumps(ct_machine *m)
{
    ct_jumps *j = m->jumps;
    if (!j)
        return true;
    ct_name *all = CT_NEW_ARRAY(m->arena, ct_name, m->z_count + j->variable.count + 1);
    memcpy(all, m->z, m->z_count * sizeof *all);
    if (j->variable.count)
        memcpy(all + m->z_count, j->variable.at, j->variable.count * sizeof *all);
    j->all_variable = all;
    j->all_count = m->z_count + j->variable.count;
    j->look = program(m, j->before, j->missing - j->before);
    j->miss = program(m, j->missing, j->count);
    j->go = program(m, j->push, m->n + m->m + j->shock.count);
    j->second = j->kicks ? program(m, j->kick, m->n) : NULL;
    j->stay = m->m ? program(m, j->level, m->m) : NULL;
    j->holds = j->burst.count ? program(m, j->bursts, j->burst.count) : NULL;
    return (j->holds || !j->burst.count) && j->look && j->miss && j->go &&
           (j->second || !j->kicks) && (j->stay || !m->m);
}
