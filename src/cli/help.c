/* help.c - the verbs that need no model: doc, new, demo. */
#include <string.h>

#include "cli/cli.h"

static bool is_code(const char *text)
{
    return (text[0] == 'E' || text[0] == 'W') && strlen(text) == 4 &&
           strspn(text + 1, "0123456789") == 3;
}

static int explain(const char *code)
{
    const char *text = ct_explain_code(code);
    if (!text) {
        complain("cotree doc: there is no message %s\n", code);
        return EXIT_USAGE;
    }
    printf("%s: %s\n\n%s\n", code, ct_code_title(code), text);
    return EXIT_OK;
}

int run_doc(const options *o)
{
    const char *element = o->argument_count ? o->argument[0] : NULL, *text, *near;
    if (element && is_code(element))
        return explain(element);
    ct_context *ctx = open_context(o);
    if (!ctx)
        return EXIT_INTERNAL;
    ct_status status = ct_manual(ctx, element, &text, &near);
    int code = EXIT_USAGE;
    if (status == CT_OK)
        code = write_result(o->output, text, strlen(text));
    else if (status != CT_ERR_USAGE)
        code = report(ctx, o, status);
    else if (near)
        complain("cotree doc: there is no element `%s`; did you mean `%s`?\n", element, near);
    else
        complain("cotree doc: there is no element `%s`; `cotree doc` lists all\n", element);
    ct_context_free(ctx);
    return code;
}

/* ---- new */

static const char starter[] =
    "# One statement a line:   NAME : ELEMENT(tail, head)   key = value, ...\n"
    "# Nodes need no declaration; `ground` is the reference of every domain.\n"
    "# `cotree doc` lists the elements, `cotree doc resistor` explains one.\n"
    "model %s \"a first order low-pass filter\"\n"
    "\n"
    "param R0 = 1 kohm, C0 = 1 uF      # a param stays a symbol in the equations\n"
    "input u : V = 5*sin(2*pi*50*t)    # an input drives the model\n"
    "\n"
    "V1 : vsource(a, ground)     v = u\n"
    "R1 : resistor(a, b)         R = R0\n"
    "C1 : capacitor(b, ground)   C = C0, v(0) = 0 V\n"
    "\n"
    "output C1.v as y, R1.i        # what you want to see\n"
    "simulate stop = 50 ms\n"
    "plot C1.v, u \"filter\"\n";

static bool is_name(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char more[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return *text && strchr(letters, *text) && text[strspn(text, more)] == '\0' &&
           strlen(text) <= 100;
}

static bool exists(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

int run_new(const options *o)
{
    const char *name = o->argument[0];
    char text[2048], path[256];
    if (!is_name(name)) {
        complain("cotree new: `%s` is no name: letters, digits and _, not a digit first\n", name);
        return EXIT_USAGE;
    }
    snprintf(text, sizeof text, starter, name);
    snprintf(path, sizeof path, "%s.lg", name);
    const char *target = o->output ? o->output : path;
    if (exists(target)) {
        complain("cotree new: %s exists already\n", target);
        return EXIT_IO;
    }
    int code = write_result(target, text, strlen(text));
    if (code == EXIT_OK && strcmp(target, "-") != 0)
        printf("wrote %s; try: cotree graph %s\n", target, target);
    return code;
}

/* ---- demo */

static void list_examples(void)
{
    printf("Worked examples:\n");
    for (size_t i = 0; ct_example_at(i); i++)
        printf("  %s\n", ct_example_at(i)->name);
    printf("\ncotree demo NAME shows one with its graph; -o FILE writes its text to a file.\n");
}

static const ct_example *find_example(const char *name)
{
    for (size_t i = 0; ct_example_at(i); i++)
        if (strcmp(ct_example_at(i)->name, name) == 0)
            return ct_example_at(i);
    return NULL;
}

static int show_example(const options *o, const ct_example *e)
{
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    const char *text;
    size_t length;
    ct_context *ctx = open_context(o);
    if (!ctx)
        return EXIT_INTERNAL;
    printf("%s\n", e->text);
    ct_status status = ct_read_text(ctx, e->name, e->text, e->length, &syntax);
    if (status == CT_OK)
        status = ct_build(ctx, syntax, NULL, &model);
    if (status == CT_OK)
        status = ct_make_graph(ctx, model, &graph);
    if (status == CT_OK)
        status = ct_choose_tree(ctx, graph, NULL, &tree);
    if (status == CT_OK)
        status = ct_show_graph(ctx, graph, tree, "text", &text, &length);
    int code = status == CT_OK ? write_result(NULL, text, length) : report(ctx, o, status);
    ct_context_free(ctx);
    return code;
}

static int unknown_example(const char *name)
{
    const char *names[200];
    size_t count = 0;
    for (; count < 200 && ct_example_at(count); count++)
        names[count] = ct_example_at(count)->name;
    const char *near = nearest(name, names, count);
    complain("cotree demo: there is no example `%s`", name);
    complain(near ? "; did you mean `%s`?\n" : "; `cotree demo` lists all\n", near);
    return EXIT_USAGE;
}

int run_demo(const options *o)
{
    if (!o->argument_count)
        return list_examples(), EXIT_OK;
    const ct_example *e = find_example(o->argument[0]);
    if (!e)
        return unknown_example(o->argument[0]);
    return o->output ? write_result(o->output, e->text, e->length) : show_example(o, e);
}
