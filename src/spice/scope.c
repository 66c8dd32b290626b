/* scope.c - names, and the scopes that they belong to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spice/reader.h"

/* ---- names that the language accepts -------------------------------------------------------- */

static bool is_letter(char c)
{
    unsigned char small = (unsigned char)c | 0x20;
    return (small >= 'a' && small <= 'z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_reserved(const char *text, uint32_t length)
{
    static const char *const words[] = {"if",   "then", "else",  "and", "or", "not", "as",
                                        "over", "true", "false", "end", "t",  "pi",  "ground"};
    enum { LONGEST = 6 };
    if (is_digit(text[length - 1])) /* as most names do, and none of these */
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words && length <= LONGEST; i++)
        if (text[0] == words[i][0] && strcmp(text, words[i]) == 0)
            return true;
    return false;
}

/* What cannot stand in a name becomes `_`; what cannot begin one gets the prefix. */
ct_name ct_sp_clean(reader *r, ct_name word, const char *prefix)
{
    const char *text = ct_name_text(r->ctx, word);
    uint32_t length = ct_name_length(r->ctx, word);
    bool good = length && is_letter(text[0]) && !is_reserved(text, length);
    for (uint32_t i = 0; i < length && good; i++)
        good = is_letter(text[i]) || is_digit(text[i]);
    if (good)
        return word;
    ct_text out = ct_text_new(r->arena);
    if (!length || !is_letter(text[0]) || is_reserved(text, length))
        ct_put(&out, prefix);
    for (uint32_t i = 0; i < length; i++)
        ct_put_char(&out, is_letter(text[i]) || is_digit(text[i]) ? text[i] : '_');
    return ct_intern(r->ctx, out.at, out.length);
}

/* The next name to try: underscores behind it, and a number when many want the same. */
static ct_name next_name(reader *r, uint32_t in, ct_name wanted, ct_name last)
{
    uint32_t tries = ct_map_get(&r->tries, ct_pair(in, wanted)) + 1;
    ct_map_put(&r->tries, ct_pair(in, wanted), tries);
    if (tries <= 3)
        return ct_intern_format(r->ctx, "%s_", ct_name_text(r->ctx, last));
    return ct_intern_format(r->ctx, "%s_%u", ct_name_text(r->ctx, wanted), tries);
}

static ct_name claim(reader *r, name_map *taken, uint32_t in, ct_name wanted)
{
    ct_name name = wanted;
    while (ct_sp_get(taken, in, name))
        name = next_name(r, in, wanted, name);
    ct_sp_set(taken, in, name, 1);
    return name;
}

ct_name ct_sp_claim_component(reader *r, ct_name wanted)
{
    return claim(r, &r->taken, MAIN, wanted);
}

ct_name ct_sp_claim_definition(reader *r, bool function, ct_name wanted)
{
    ct_name name = wanted;
    if (!r->definition_taken.count)
        ct_sp_keep_elements(r);
    while (ct_map_get(&r->definition_taken, ct_pair(function, name)))
        name = next_name(r, UINT32_MAX - function, wanted, name);
    ct_map_put(&r->definition_taken, ct_pair(function, name), 1);
    return name;
}

static void report_twice(reader *r, token name, ct_place first, const char *what)
{
    ct_report *e = ct_sp_error(r, "E201", ct_sp_place(r, name), "%s `%s` is declared twice", what,
                               ct_sp_text(r, name));
    ct_place origin = ct_source_origin(r->ctx, first);
    const ct_source *source = ct_source_get(r->ctx, origin.source);
    uint32_t line, column;
    ct_source_locate(source, origin.at, &line, &column);
    ct_note(e, "first at %s:%u:%u; case makes no difference", source->path, line, column);
    ct_witness(e, ct_sp_text(r, name));
}

/* ---- scopes -------------------------------------------------------------------------------- */

static uint64_t scope_key(scope_kind kind, uint32_t parent, ct_name lower)
{
    return ct_pair(parent << 2 | (uint32_t)kind, lower);
}

uint32_t ct_sp_new_scope(reader *r, scope_kind kind, uint32_t parent, token name)
{
    scope s = {.kind = kind, .parent = parent, .temperature = NAN};
    uint32_t index = r->scope.count;
    if (kind != SCOPE_MAIN) {
        s.lower = ct_sp_lower(r, name);
        s.place = ct_sp_place(r, name);
        uint32_t old = ct_map_get(&r->def, scope_key(kind, parent, s.lower));
        if (old)
            report_twice(r, name, r->scope.at[old].place,
                         kind == SCOPE_MODEL      ? "model"
                         : kind == SCOPE_FUNCTION ? "function"
                                                  : "subcircuit");
        else
            ct_map_put(&r->def, scope_key(kind, parent, s.lower), index);
        s.name = ct_sp_claim_definition(r, kind == SCOPE_FUNCTION,
                                        ct_sp_clean(r, ct_sp_word(r, name), "m"));
    }
    CT_PUSH(r->arena, r->scope, s);
    return index;
}

uint32_t ct_sp_find_scope(const reader *r, scope_kind kind, uint32_t from, ct_name lower)
{
    for (uint32_t s = from; s; s = r->scope.at[s].parent) {
        uint32_t found = ct_map_get(&r->def, scope_key(kind, s, lower));
        if (found)
            return found;
    }
    return 0;
}

/* ---- values -------------------------------------------------------------------------------- */

static uint32_t put_variable(reader *r, uint32_t in, variable v)
{
    v.name = claim(r, &r->value_taken, in, v.name);
    CT_PUSH(r->arena, r->variable, v);
    uint32_t index = r->variable.count - 1;
    ct_sp_set(&r->value, in, v.lower, index);
    CT_PUSH(r->arena, r->scope.at[in].variable, index);
    return index;
}

/* A number from outside stands in the place of the text, wherever it is asked for. */
static void take_given(reader *r, variable *v)
{
    const ct_context_def *def = &r->ctx->def;
    const char *name = ct_name_text(r->ctx, v->name);
    size_t i = def->set_count;
    while (i > 0 && strcmp(def->set[i - 1].name, name) != 0)
        i--;
    if (!i)
        return;
    char *end;
    double x = strtod(def->set[i - 1].expr, &end);
    if (end != def->set[i - 1].expr && *end == '\0' && isfinite(x)) {
        v->stepped = v->known = v->seen = true;
        v->number = x;
        return;
    }
    ct_report *w = ct_warning(r->ctx, "W803", v->place,
                              "what is known early takes `%s` as it stands here", name);
    ct_note(w, "its new value is no plain number, and comes behind the reading of the netlist");
    ct_help(w, "write the number");
}

uint32_t ct_sp_add_variable(reader *r, uint32_t in, token name, uint32_t at, uint32_t end)
{
    variable v = {.lower = ct_sp_lower(r, name), .at = at, .end = end, .main = in == MAIN};
    v.place = ct_sp_place(r, name);
    uint32_t old = ct_sp_get(&r->value, in, v.lower);
    if (old && r->variable.at[old].decides)
        ct_sp_error(r, "E802", v.place, "`%s` has a new value behind an .if that has read it",
                    ct_sp_text(r, name));
    if (old) { /* the last one counts, as in SPICE */
        r->variable.at[old].at = at;
        r->variable.at[old].end = end;
        return old;
    }
    v.name = ct_sp_clean(r, ct_sp_word(r, name), "p_");
    uint32_t index = put_variable(r, in, v);
    if (in == MAIN)
        take_given(r, &r->variable.at[index]);
    return index;
}

uint32_t ct_sp_find_variable(reader *r, uint32_t in, ct_name lower)
{
    uint32_t found = ct_sp_get(&r->value, in, lower);
    for (uint32_t s = r->scope.at[in].parent; !found && s; s = r->scope.at[s].parent) {
        uint32_t outer = ct_sp_get(&r->value, s, lower);
        if (!outer)
            continue;
        variable v = r->variable.at[outer];
        v.is_extra = true;
        v.main = false;
        v.global = s == MAIN;
        found = put_variable(r, in, v);
    }
    return found;
}

void ct_sp_add_multiplier(reader *r, uint32_t in)
{
    variable v = {.lower = ct_intern_text(r->ctx, "m of instances"),
                  .place = r->scope.at[in].place};
    v.name = ct_intern_text(r->ctx, "instances");
    uint32_t index = put_variable(r, in, v);
    r->scope.at[in].multiplier = index;
}

value ct_sp_parallel(reader *r, token m)
{
    uint32_t around = r->scope.at[r->here].multiplier;
    value v = {0};
    if (m.length)
        v = ct_sp_expression(r, m.at, m.at + m.length);
    if (!around)
        return v;
    ct_node n = ct_sp_ref(r, r->variable.at[around].name);
    if (m.length)
        n = ct_sp_list(r, CT_NODE_PRODUCT, 0, (ct_node[]){v.node, n}, 2);
    return (value){.node = n};
}

void ct_sp_pass_extras(reader *r, uint32_t inside, children *keys)
{
    for (uint32_t i = 0; i < r->scope.at[inside].variable.count; i++) {
        variable v = r->variable.at[r->scope.at[inside].variable.at[i]];
        if (!v.is_extra)
            continue;
        uint32_t mine = ct_sp_find_variable(r, r->here, v.lower);
        ct_node ref = ct_sp_ref(r, r->variable.at[mine].name);
        ct_sp_add(r, keys, ct_sp_key(r, ct_name_text(r->ctx, v.name), ref));
    }
}

/* ---- components and nodes ------------------------------------------------------------------- */

uint32_t ct_sp_add_component(reader *r, uint32_t in, token name)
{
    thing t = {.lower = ct_sp_lower(r, name), .place = ct_sp_place(r, name)};
    uint32_t old = ct_sp_get(&r->component, in, t.lower);
    if (old) {
        report_twice(r, name, r->thing.at[old].place, "component");
        return 0;
    }
    t.letter = ct_name_text(r->ctx, t.lower)[0];
    t.name = claim(r, &r->taken, in, ct_sp_clean(r, ct_sp_as_written(r, name, t.lower), "c_"));
    if (t.letter == 'v' || t.letter == 'i')
        t.input = claim(r, &r->value_taken, in, t.name);
    CT_PUSH(r->arena, r->thing, t);
    ct_sp_set(&r->component, in, t.lower, r->thing.count - 1);
    return r->thing.count - 1;
}

uint32_t ct_sp_find_component(const reader *r, uint32_t in, ct_name lower)
{
    return ct_sp_get(&r->component, in, lower);
}

static bool is_ground(const reader *r, ct_name lower)
{
    const char *text = ct_name_text(r->ctx, lower);
    return (text[0] == '0' && !text[1]) || (text[0] == 'g' && strcmp(text, "gnd") == 0);
}

uint32_t ct_sp_find_wire(const reader *r, uint32_t in, ct_name lower, bool *ground)
{
    uint32_t found = ct_sp_get(&r->wire, in, lower);
    *ground = !found && is_ground(r, lower);
    return found;
}

uint32_t ct_sp_wire(reader *r, uint32_t in, token name)
{
    bool ground;
    uint32_t found = ct_sp_find_wire(r, in, ct_sp_lower(r, name), &ground);
    return found || ground ? found : ct_sp_new_wire(r, in, name);
}

uint32_t ct_sp_new_wire(reader *r, uint32_t in, token name)
{
    ct_name lower = ct_sp_lower(r, name);
    thing t = {.lower = lower, .place = ct_sp_place(r, name), .is_node = true};
    t.name = ct_sp_clean(r, ct_sp_as_written(r, name, lower), "n");
    if (ct_sp_get(&r->taken, in, t.name))
        t.name = ct_intern_format(r->ctx, "n_%s", ct_name_text(r->ctx, t.name));
    t.name = claim(r, &r->taken, in, t.name);
    CT_PUSH(r->arena, r->thing, t);
    uint32_t index = r->thing.count - 1;
    ct_sp_set(&r->wire, in, lower, index);
    if (in == MAIN)
        CT_PUSH(r->arena, r->wires, index);
    else if (ct_map_get(&r->global, lower) && r->scope.at[in].state == STATE_BUSY) {
        CT_PUSH(r->arena, r->scope.at[in].outer, index); /* its own ports are known before */
        CT_PUSH(r->arena, r->scope.at[in].port, t.name);
    }
    return index;
}

void ct_sp_pass_globals(reader *r, uint32_t inside, ct_node *terminal)
{
    for (uint32_t i = 0; i < r->scope.at[inside].outer.count; i++) {
        thing t = r->thing.at[r->scope.at[inside].outer.at[i]];
        token name = {TOKEN_WORD, 0, t.place.at, t.place.length};
        terminal[i] = ct_sp_terminal(r, name);
    }
}

ct_node ct_sp_terminal(reader *r, token name)
{
    uint32_t old_at = r->at, old_width = r->width;
    ct_sp_here(r, ct_sp_place(r, name));
    uint32_t wire = ct_sp_wire(r, r->here, name);
    ct_node n = wire ? ct_sp_ref(r, r->thing.at[wire].name) : ct_sp_word_ref(r, "ground");
    r->at = old_at;
    r->width = old_width;
    return n;
}

/* ---- writing ------------------------------------------------------------------------------- */

static ct_node write_params(reader *r, uint32_t index)
{
    children list = {0};
    for (uint32_t i = 0; i < r->scope.at[index].variable.count; i++) {
        uint32_t k = r->scope.at[index].variable.at[i];
        variable v = r->variable.at[k];
        ct_sp_here(r, v.place);
        ct_node expr = v.end && !v.is_extra ? ct_sp_expression(r, v.at, v.end).node : 0;
        ct_sp_here(r, v.place);
        ct_sp_add(r, &list, ct_sp_decl(r, v.name, "1", expr));
    }
    return list.first ? ct_sp_node(r, CT_NODE_PARAM, 0, list.first) : 0;
}

static void close_system(reader *r, uint32_t index, ct_node formals)
{
    ct_node params = write_params(r, index); /* may find more of them: those have no value */
    scope *s = &r->scope.at[index];
    ct_sp_here(r, s->place);
    children block = {0}, system = {formals, formals};
    ct_sp_add(r, &block, params);
    ct_sp_add(r, &block, r->scope.at[index].first);
    while (system.last && r->node.at[system.last].next)
        system.last = r->node.at[system.last].next;
    ct_sp_add(r, &system, ct_sp_node(r, CT_NODE_BLOCK, 0, block.first));
    ct_sp_add(r, &r->systems, ct_sp_node(r, CT_NODE_SYSTEM, s->name, system.first));
}

static ct_node write_formals(reader *r, uint32_t index)
{
    children list = {0};
    const number_list *port = &r->scope.at[index].port;
    for (uint32_t i = 0; i < port->count; i++) {
        ct_node type = ct_sp_node(r, CT_NODE_ID, ct_intern_text(r->ctx, "electrical"), 0);
        bool last = i + 1 == port->count;
        ct_sp_add(r, &list, ct_sp_node(r, CT_NODE_FORMAL, port->at[i], last ? type : 0));
    }
    return list.first;
}

static void write_subckt(reader *r, uint32_t index)
{
    ct_sp_here(r, r->scope.at[index].place);
    if (r->parallel_x)
        ct_sp_add_multiplier(r, index);
    ct_sp_join_windings(r, index);
    ct_sp_write_devices(r, index);
    ct_sp_write_mutual(r, index);
    ct_sp_write_starts(r, index);
    ct_sp_here(r, r->scope.at[index].place);
    ct_node formals = write_formals(r, index); /* devices may have found .global nodes */
    close_system(r, index, formals);
}

static void write_model(reader *r, uint32_t index)
{
    ct_sp_here(r, r->scope.at[index].place);
    ct_sp_write_model(r, index);
    ct_node formals = write_formals(r, index);
    close_system(r, index, formals);
}

static void write_function(reader *r, uint32_t index)
{
    children list = {0};
    scope s = r->scope.at[index];
    ct_node body = ct_sp_following(r, s.head.at, s.head.end).node;
    ct_sp_here(r, s.place);
    for (uint32_t i = 0; i < r->scope.at[index].variable.count; i++) {
        ct_name name = r->variable.at[r->scope.at[index].variable.at[i]].name;
        ct_sp_add(r, &list, ct_sp_node(r, CT_NODE_ID, name, 0));
    }
    ct_sp_add(r, &list, body);
    ct_sp_add(r, &r->systems, ct_sp_node(r, CT_NODE_FUNCTION, s.name, list.first));
}

static bool report_circle(reader *r, const scope *s, ct_place from)
{
    bool function = s->kind == SCOPE_FUNCTION;
    const char *name = ct_name_text(r->ctx, s->name);
    ct_report *e =
        ct_sp_error(r, function ? "E221" : "E219", from, "%s `%s` %s itself",
                    function ? "function" : "subcircuit", name, function ? "calls" : "contains");
    ct_witness(e, name);
    return false;
}

bool ct_sp_need(reader *r, uint32_t index, ct_place from)
{
    static void (*const write[])(reader *, uint32_t) = {NULL, write_subckt, write_model,
                                                        write_function};
    const scope *s = &r->scope.at[index];
    if (s->state == STATE_BUSY)
        return report_circle(r, s, from);
    if (s->state == STATE_DONE)
        return true;
    if (r->depth >= DEEPEST) {
        ct_sp_error(r, "E902", from, "subcircuits or functions are nested more than %d levels deep",
                    DEEPEST);
        ct_throw(r->ctx, CT_ERR_LIMIT);
    }
    uint32_t here = r->here, at = r->at, width = r->width;
    bool following = r->following;
    r->following = false;
    r->depth++;
    r->here = index;
    r->scope.at[index].state = STATE_BUSY;
    write[s->kind](r, index);
    r->scope.at[index].state = STATE_DONE;
    r->following = following;
    r->here = here;
    r->at = at;
    r->width = width;
    r->depth--;
    return true;
}
