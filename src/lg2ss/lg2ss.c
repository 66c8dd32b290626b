/* lg2ss.c - writes the model that two LG2ss matrices describe. */
#include "lg2ss/lg2ss.h"

#include "base/context.h"
#include "base/text.h"
#include "base/vec.h"
#include "lg2ss/branches.h"

/* Elements of the electrical library stand for those of all domains: the toolbox has none. `a` and
 * `b` are the edges of a two-port's sides. */
typedef struct kind {
    const char *symbol, *element, *key, *value; /* value: %s is the symbol with its number */
    const char *a, *b;
    bool turned; /* side b is the element's first port */
} kind;

static const kind kinds[CT_LG_TYPES] = {
    [CT_LG_A] = {.symbol = "C", .element = "capacitor", .key = "C"},
    [CT_LG_T] = {.symbol = "L", .element = "inductor", .key = "L"},
    [CT_LG_D] = {.symbol = "R", .element = "resistor", .key = "R"},
    [CT_LG_A_SOURCE] = {.symbol = "S", .element = "vsource", .key = "v", .value = "v"},
    [CT_LG_T_SOURCE] = {.symbol = "S", .element = "isource", .key = "i", .value = "f"},
    /* across 1 = n across 2; vb = TF va */
    [CT_LG_TRANSFORMER] = {.symbol = "TF",
                           .element = "transformer",
                           .key = "n",
                           .value = "1/TF",
                           .a = "e1",
                           .b = "e2"},
    /* across 1 = r through 2; vb = GY fa */
    [CT_LG_GYRATOR] =
        {.symbol = "GY", .element = "gyrator", .key = "r", .a = "e2", .b = "e1", .turned = true},
};

typedef struct writer {
    const ct_lg_system *system;
    ct_context *ctx;
    ct_arena *arena;
    ct_text out;
    CT_VEC(const char *) variable, name; /* of states */
} writer;

static bool is_source(ct_lg_type type)
{
    return type == CT_LG_A_SOURCE || type == CT_LG_T_SOURCE;
}

/* ---- variables ------------------------------------------------------------------------------- */

/* A two-port is known by the number of its side a. */
static unsigned component_number(const ct_lg_branch *b)
{
    return (unsigned)(b->second ? b->number - 1 : b->number);
}

static const char *edge_path(const writer *w, const ct_lg_branch *b)
{
    const kind *k = &kinds[b->type];
    const char *edge = b->second ? k->b : k->a;
    return ct_printf(w->ctx, "%s%u%s%s", k->symbol, component_number(b), edge ? "." : "",
                     edge ? edge : "");
}

/* As the equations call it, S1.v; an expression must say S1.e.v, because the key of a source hides
 * its variable. */
static const char *variable_path(const writer *w, const ct_lg_branch *b, bool across,
                                 bool in_expression)
{
    return ct_printf(w->ctx, "%s%s.%c", edge_path(w, b),
                     in_expression && is_source(b->type) ? ".e" : "", across ? 'v' : 'i');
}

static const char *output_path(const writer *w, const ct_lg_output *o, bool in_expression)
{
    const ct_lg_branch *b = &w->system->branch[o->branch];
    bool across = o->variable == CT_LG_ACROSS || o->variable == CT_LG_ACROSS_INTEGRAL;
    const char *path = variable_path(w, b, across, in_expression);
    return o->variable >= CT_LG_ACROSS_INTEGRAL ? ct_printf(w->ctx, "integral(%s)", path) : path;
}

static const char *output_name(const writer *w, const ct_lg_output *o)
{
    static const char letters[] = {[CT_LG_ACROSS] = 'v',
                                   [CT_LG_THROUGH] = 'f',
                                   [CT_LG_ACROSS_INTEGRAL] = 'x',
                                   [CT_LG_THROUGH_INTEGRAL] = 'h'};
    return ct_printf(w->ctx, "%c%u", letters[o->variable],
                     (unsigned)w->system->branch[o->branch].number);
}

/* ---- statements ------------------------------------------------------------------------------ */

enum { NAMES_PER_LINE = 16 };

static const char *separator(uint32_t count, const char *word)
{
    static const char *const comma = ", ";
    return count % NAMES_PER_LINE ? comma : word;
}

static void put_params(writer *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->system->branch_count; i++) {
        const ct_lg_branch *b = &w->system->branch[i];
        if (is_source(b->type) || b->second)
            continue;
        ct_putf(&w->out, "%s%s%u", separator(count++, "\nparam "), kinds[b->type].symbol,
                (unsigned)b->number);
    }
}

static void put_inputs(writer *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->system->branch_count; i++) {
        const ct_lg_branch *b = &w->system->branch[i];
        if (is_source(b->type))
            ct_putf(&w->out, "%s%s%u : %s", separator(count++, "\ninput "), kinds[b->type].value,
                    (unsigned)b->number, b->type == CT_LG_A_SOURCE ? "V" : "A");
    }
    ct_put_char(&w->out, '\n');
}

/* Declared, because a two-port alone does not tell the domain of its nodes. */
static void put_nodes(writer *w)
{
    for (uint32_t i = 0; i < w->system->node_count; i++) {
        bool last = i + 1 == w->system->node_count || (i + 1) % NAMES_PER_LINE == 0;
        ct_putf(&w->out, "%sn%u%s", i % NAMES_PER_LINE ? ", " : "node ",
                (unsigned)w->system->node[i], last ? " : electrical\n" : "");
    }
}

static void put_node(writer *w, uint32_t node)
{
    if (node)
        ct_putf(&w->out, "n%u", (unsigned)node);
    else
        ct_put(&w->out, "ground");
}

static void put_port(writer *w, const ct_lg_branch *b)
{
    put_node(w, b->tail);
    ct_put(&w->out, ", ");
    put_node(w, b->head);
}

static void put_component(writer *w, const ct_lg_branch *b)
{
    const kind *k = &kinds[b->type];
    ct_putf(&w->out, "%s%u : %s(", k->symbol, (unsigned)b->number, k->element);
    put_port(w, k->turned ? b + 1 : b);
    if (k->a) {
        ct_put(&w->out, " | ");
        put_port(w, k->turned ? b : b + 1);
    }
    ct_putf(&w->out, ")  %s = %s%u\n", k->key, k->value ? k->value : k->symbol,
            (unsigned)b->number);
}

/* Of edges of a class the tree takes those that stand first. The toolbox keeps the last of storage
 * elements that depend on each other as states: capacitors stand last to first, because those in
 * the tree are states; inductors first to last, because those outside are. */
static void put_components(writer *w)
{
    const ct_lg_system *s = w->system;
    for (uint32_t i = 0; i < s->branch_count; i++)
        if (s->branch[i].type != CT_LG_A && !s->branch[i].second)
            put_component(w, &s->branch[i]);
    for (uint32_t i = s->branch_count; i-- > 0;)
        if (s->branch[i].type == CT_LG_A)
            put_component(w, &s->branch[i]);
}

static void put_outputs(writer *w)
{
    for (uint32_t i = 0; i < w->system->output_count; i++) {
        const ct_lg_output *o = &w->system->output[i];
        ct_putf(&w->out, "%s%s as %s", i ? ",\n       " : "output ", output_path(w, o, true),
                output_name(w, o));
    }
    if (w->system->output_count)
        ct_put_char(&w->out, '\n');
}

/* ---- names of states ------------------------------------------------------------------------- */

static void name_state(writer *w, const char *variable, const char *name)
{
    CT_PUSH(w->arena, w->variable, variable);
    CT_PUSH(w->arena, w->name, name);
}

static void name_states(writer *w)
{
    for (uint32_t i = 0; i < w->system->branch_count; i++) {
        const ct_lg_branch *b = &w->system->branch[i];
        unsigned number = (unsigned)b->number;
        name_state(w, variable_path(w, b, true, false), ct_printf(w->ctx, "v%u", number));
        name_state(w, variable_path(w, b, false, false), ct_printf(w->ctx, "f%u", number));
    }
    for (uint32_t i = 0; i < w->system->output_count; i++) {
        const ct_lg_output *o = &w->system->output[i];
        if (o->variable >= CT_LG_ACROSS_INTEGRAL)
            name_state(w, output_path(w, o, false), output_name(w, o));
    }
}

const ct_lg2ss *ct_lg2ss_translate(ct_context *ctx, const char *graph, const char *outputs)
{
    ct_arena *arena = ct_arena_new(ctx);
    writer w = {.ctx = ctx, .arena = arena, .out = ct_text_new(arena)};
    w.system = ct_lg_system_read(ctx, arena, graph, outputs);
    if (!w.system)
        return NULL;
    ct_put(&w.out, "# From the matrices of LG2ss: C is an A-type, L a T-type, R a D-type element, "
                   "S a source.\nmodel lg2ss");
    put_params(&w);
    put_inputs(&w);
    put_nodes(&w);
    put_components(&w);
    put_outputs(&w);
    name_states(&w);
    ct_lg2ss *made = CT_NEW(arena, ct_lg2ss);
    *made = (ct_lg2ss){ct_text_string(&w.out), {w.variable.at, w.name.at, w.name.count}};
    return made;
}
