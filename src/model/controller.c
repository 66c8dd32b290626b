/* controller.c - `controller`: a step function in C of the user, called at the ticks of a clock.
 *
 * For each number of inputs and outputs there is an element, made as text: at a tick it takes its
 * inputs into discretes; what it assigns to its outputs comes from the code (simulate/act.c). */
#include <ctype.h>
#include <string.h>

#include "base/file.h"
#include "model/element.h"

enum { MOST_SIGNALS = 1000 };

/* ---- keys */

static ct_node key_of(builder *b, const where *w, ct_node component, const char *word)
{
    ct_name name;
    for (ct_node k = ct_at(w->s, component)->first; k; k = ct_at(w->s, k)->next) {
        if (ct_at(w->s, k)->kind != CT_NODE_KEY || ct_at(w->s, k)->op)
            continue;
        ct_node path = ct_at(w->s, k)->first;
        if (ct_plain_name(w->s, ct_at(w->s, path)->first, &name) &&
            strcmp(ct_name_text(b->ctx, name), word) == 0)
            return ct_at(w->s, path)->next;
    }
    return 0;
}

static bool report_key(builder *b, ct_place place, const char *what, const char *help)
{
    ct_report *r = ct_error(b->ctx, "E275", place, "%s", what);
    ct_help(r, "%s", help);
    return false;
}

static bool text_key(builder *b, const where *w, ct_node component, const char *word,
                     const char **text)
{
    ct_node value = key_of(b, w, component, word);
    if (value && ct_at(w->s, value)->kind == CT_NODE_STRING) {
        *text = ct_name_text(b->ctx, ct_at(w->s, value)->name);
        return true;
    }
    return report_key(b, ct_place_of(w->s, value ? value : component),
                      ct_printf(b->ctx, "a controller needs its `%s` as a text", word),
                      "write source = \"ctl.c\", function = \"step\"");
}

static bool count_key(builder *b, const where *w, ct_node component, const char *word,
                      uint32_t least, uint32_t *count)
{
    ct_node value = key_of(b, w, component, word);
    int64_t number = *count;
    if (value && !ct_lower_int(b, w, value, &number, word))
        return false;
    if (number < least || number > MOST_SIGNALS)
        return report_key(
            b, ct_place_of(w->s, value ? value : component),
            ct_printf(b->ctx, "`%s` must lie between %u and %d", word, least, MOST_SIGNALS),
            "it is the length of an array of the step function");
    *count = (uint32_t)number;
    return true;
}

static bool is_identifier(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return false;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    return !*text;
}

/* A file below the folder of the model, or in an include folder, as with `use`. */
const char *ct_find_beside(builder *b, const where *w, const char *path)
{
    const char *model = ct_source_get(b->ctx, w->s->source)->path, *slash = strrchr(model, '/');
    const char *folder = slash ? ct_arena_copy(b->ctx->base, model, (size_t)(slash - model)) : ".";
    for (size_t i = 0; i <= b->ctx->def.include_dir_count; i++) {
        const char *dir = i ? b->ctx->def.include_dirs[i - 1] : folder;
        const char *full = ct_printf(b->ctx, "%s/%s", dir, path);
        if (ct_is_file(b->ctx, full) && !ct_leaves_folder(b->ctx, folder, full))
            return full[0] == '-' ? ct_printf(b->ctx, "./%s", full) : full;
    }
    return NULL;
}

static bool find_source(builder *b, const where *w, ct_controller *c)
{
    const char *full = ct_find_beside(b, w, c->source);
    if (full) {
        c->source = full;
        return true;
    }
    ct_report *r =
        ct_error(b->ctx, "E275", c->place, "there is no file `%s` for the controller", c->source);
    ct_help(r, "it stands below the folder of the model, or in a folder given with -I");
    ct_witness(r, c->source);
    return false;
}

/* ---- the element */

static uint32_t count_inputs(const where *w, ct_node component)
{
    uint32_t count = 0;
    ct_node ports = ct_child(w->s, component, CT_NODE_PORTS);
    for (ct_node t = ports ? ct_at(w->s, ports)->first : 0; t; t = ct_at(w->s, t)->next)
        count++;
    return count;
}

static void put_list(ct_text *text, const char *before, const char *name, uint32_t count,
                     const char *after)
{
    for (uint32_t i = 1; i <= count; i++)
        ct_putf(text, "%s%s%u%s", i == 1 ? before : ", ", name, (unsigned)i, after);
}

static void put_element(ct_text *text, const ct_controller *c)
{
    ct_put(text, "element controller \"a step function in C\"\n");
    put_list(text, "port ", "u", c->inputs, "");
    ct_put(text, " : signal\nparam period : s > 0, offset : s >= 0 = 0\n");
    put_list(text, "discrete ", "in", c->inputs, " = 0");
    put_list(text, "\ndiscrete ", "y", c->outputs, " = 0");
    put_list(text, "\nsignal y = ", "y", c->outputs > 1 ? 0 : 1, "");
    if (c->outputs > 1) {
        put_list(text, "\nsignal y = [", "y", c->outputs, "");
        ct_put(text, "]");
    }
    ct_put(text, "\nevery period offset offset {\n");
    for (uint32_t i = 1; i <= c->inputs; i++)
        ct_putf(text, "in%u = u%u\n", (unsigned)i, (unsigned)i);
    for (uint32_t i = 1; i <= c->outputs; i++)
        ct_putf(text, "y%u = pre(y%u)\n", (unsigned)i, (unsigned)i);
    ct_put(text, "}\nend\n");
}

static definition *element_for(builder *b, const ct_controller *c)
{
    uint64_t key = (uint64_t)c->inputs << 32 | c->outputs;
    uint32_t known = ct_map_get(&b->controllers, key);
    if (known)
        return b->definition.at[known - 1];
    ct_text text = ct_text_new(b->ctx->base);
    put_element(&text, c);
    uint32_t source =
        ct_source_add(b->ctx, "library/controller", ct_text_string(&text), text.length);
    const ct_syntax *s = ct_parse(b->ctx, source);
    definition *d = CT_NEW(b->scratch, definition);
    *d = (definition){.name = ct_intern_text(b->ctx, "controller"),
                      .s = s,
                      .node = ct_at(s, s->root)->first,
                      .library = true};
    CT_PUSH(b->scratch, b->definition, d);
    ct_map_put(&b->controllers, key, b->definition.count);
    return d;
}

void ct_compose_controller(builder *b, const where *w, ct_node n, ct_name name)
{
    ct_controller c = {.inputs = count_inputs(w, n), .outputs = 1, .place = ct_place_of(w->s, n)};
    bool good = text_key(b, w, n, "source", &c.source) &&
                text_key(b, w, n, "function", &c.function) &&
                count_key(b, w, n, "outputs", 1, &c.outputs) &&
                count_key(b, w, n, "states", 0, &c.states) && find_source(b, w, &c);
    if (good && !is_identifier(c.function))
        good = report_key(b, c.place, "`function` is the name of a function in C",
                          "function = \"step\"");
    if (good && !c.inputs)
        good = report_key(b, c.place, "a controller needs at least one input",
                          "write K1 : controller(e)  source = ...");
    if (!good) {
        ct_add_thing(b, w->scope, name, (thing){.kind = THING_BROKEN, .place = c.place});
        return;
    }
    uint32_t before = b->component.count;
    ct_compose_element(b, w, n, element_for(b, &c), name, 0);
    if (b->component.count == before)
        return;
    ct_controller *kept = CT_NEW(b->arena, ct_controller);
    *kept = c;
    CT_PUSH(b->scratch, b->controller, kept);
    ct_map_put(&b->controller_of, b->component.count, b->controller.count);
}

bool ct_is_controller_word(builder *b, ct_name name)
{
    static const char *const words[] = {"source", "function", "outputs", "states"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(ct_name_text(b->ctx, name), words[i]) == 0)
            return true;
    return false;
}

const ct_controller *ct_controller_of(builder *b, uint32_t component)
{
    uint32_t known = ct_map_get(&b->controller_of, component + 1);
    return known ? b->controller.at[known - 1] : NULL;
}
