/* options.c - reads what was typed, by the table of options. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static int too_many(const char *what)
{
    complain("cotree: too many %s\n", what);
    return EXIT_USAGE;
}

static int set_plot(options *o, char *value)
{
    o->plot_given = true;
    o->plot = value;
    return 0;
}

static int set_tree(options *o, char *value)
{
    o->tree_given = true;
    for (char *at = strtok(value, ", "); at; at = strtok(NULL, ", ")) {
        if (o->tree_count == MOST_NAMES)
            return too_many("names in --tree");
        o->tree[o->tree_count++] = at;
    }
    return 0;
}

static int set_set(options *o, char *value)
{
    char *equals = strchr(value, '=');
    if (!equals || equals == value) {
        complain("cotree: --set takes NAME=EXPRESSION, not `%s`\n", value);
        return EXIT_USAGE;
    }
    if (o->set_count == MOST_SETS)
        return too_many("--set");
    *equals = '\0';
    for (char *end = equals; end > value && end[-1] == ' ';)
        *--end = '\0';
    o->set[o->set_count++] = (ct_override){value, equals + 1};
    return 0;
}

static int set_include(options *o, char *value)
{
    if (o->include_count == MOST_INCLUDES)
        return too_many("-I");
    o->include[o->include_count++] = value;
    return 0;
}

static int add_picture(options *o, ct_response response, const char *path)
{
    if (o->picture_count == MOST_PICTURES)
        return too_many("pictures");
    o->picture[o->picture_count].response = response;
    o->picture[o->picture_count++].path = path;
    return 0;
}

typedef struct option_row {
    const char *name, *value;
    enum {
        KIND_FLAG,
        KIND_TEXT,
        KIND_WORD,
        KIND_TREE,
        KIND_SET,
        KIND_INCLUDE,
        KIND_PLOT,
        KIND_PICTURE
    } kind;
    size_t member; /* where FLAG and TEXT are kept */
    int words;     /* ct_word_kind */
    const char *summary;
} option_row;

enum { NONE = -1 }; /* takes any text */

static const option_row rows[] = {
#define OPTION(id, name, value, kind, member, words, summary)                                      \
    [id] = {name, value, KIND_##kind, offsetof(options, member), words, summary},
#include "cli/options.def"
};

static int set(const verb *v, const option_row *row, options *o, char *value)
{
    static int (*const setters[])(options * o, char *value) = {[KIND_TREE] = set_tree,
                                                               [KIND_SET] = set_set,
                                                               [KIND_INCLUDE] = set_include,
                                                               [KIND_PLOT] = set_plot};
    void *member = (char *)o + row->member;
    if (row->kind == KIND_WORD && !is_word((ct_word_kind)row->words, value))
        return wrong_word(v->name, row->name, (ct_word_kind)row->words, value);
    if (row->kind == KIND_FLAG)
        *(bool *)member = true;
    else if (row->kind == KIND_TEXT || row->kind == KIND_WORD)
        *(const char **)member = value;
    else if (row->kind == KIND_PICTURE) /* the rows have the order of the responses */
        return add_picture(o, (ct_response)(row - &rows[BODE]), value);
    else
        return setters[row->kind](o, value);
    return 0;
}

/* The options of a verb, one after the other; NULL past the last. */
static const option_row *option_at(const verb *v, int index)
{
    return v->options[index] ? &rows[v->options[index]] : NULL;
}

static size_t distance(const char *a, const char *b)
{
    size_t row[64], la = strlen(a), lb = strlen(b);
    if (la > 40 || lb > 40)
        return SIZE_MAX;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = change < other ? change : other;
        }
    }
    return row[lb];
}

const char *nearest(const char *typed, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t least = strlen(typed) / 2 + 1;
    for (size_t i = 0; i < count; i++) {
        bool begins = strlen(typed) >= 3 && strncmp(names[i], typed, strlen(typed)) == 0;
        size_t d = begins ? 0 : distance(typed, names[i]);
        if (d < least) {
            least = d;
            best = names[i];
        }
    }
    return best;
}

static int unknown_option(const verb *v, const char *typed)
{
    const char *names[MOST_OPTIONS];
    size_t count = 0;
    for (const option_row *row; (row = option_at(v, (int)count)); count++)
        names[count] = row->name;
    const char *near = nearest(typed, names, count);
    complain("cotree %s: unknown option `%s`", v->name, typed);
    complain(near ? "; did you mean `%s`?\n" : "\n", near);
    complain("Try `cotree %s --help`.\n", v->name);
    return EXIT_USAGE;
}

/* `--name value` or `--name=value`; *value is NULL when it stands in the next argument. */
static const option_row *find_row(const verb *v, const char *typed, char **value)
{
    const option_row *row;
    for (int i = 0; (row = option_at(v, i)); i++) {
        size_t length = strlen(row->name);
        if (strncmp(typed, row->name, length) != 0)
            continue;
        *value = NULL;
        if (typed[length] == '\0')
            return row;
        if (typed[length] == '=' && row->value)
            return *value = (char *)typed + length + 1, row;
    }
    return NULL;
}

static int wrong_count(const verb *v, int given)
{
    complain("cotree %s: %s\n", v->name,
             given < v->least ? "something is missing" : "too many arguments");
    complain("usage: cotree %s %s [options]\n", v->name, v->arguments);
    return EXIT_USAGE;
}

/* By its ending, also where that is refused later: a model has none of them. */
static bool is_picture(const char *path)
{
    return ends_with(path, ".svg .png .pdf .eps .jpg");
}

static int take_option(const verb *v, int argc, char **argv, int *i, options *o)
{
    char *value;
    const option_row *row = find_row(v, argv[*i], &value);
    if (!row)
        return unknown_option(v, argv[*i]);
    bool optional = row->value && row->value[0] == '[';
    if (optional && !value && *i + 1 < argc && is_picture(argv[*i + 1]))
        value = argv[++*i];
    if (row->value && !value && !optional) {
        if (*i + 1 >= argc) {
            complain("cotree %s: %s needs a value: %s %s\n", v->name, row->name, row->name,
                     row->value);
            return EXIT_USAGE;
        }
        value = argv[++*i];
    }
    return set(v, row, o, value);
}

int parse_options(const verb *v, int argc, char **argv, options *o)
{
    bool ended = false; /* by -- */
    for (int i = 0; i < argc; i++) {
        bool option = !ended && argv[i][0] == '-' && argv[i][1] != '\0';
        if (option && strcmp(argv[i], "--") == 0) {
            ended = true;
        } else if (option) {
            int problem = take_option(v, argc, argv, &i, o);
            if (problem)
                return problem;
        } else if (o->argument_count == v->most) {
            return wrong_count(v, v->most + 1);
        } else {
            o->argument[o->argument_count++] = argv[i];
        }
    }
    return o->help || o->argument_count >= v->least ? 0 : wrong_count(v, o->argument_count);
}

static void print_summary(const option_row *row)
{
    const char *gap = row->words == NONE ? NULL : strstr(row->summary, "%s");
    printf("%.*s", gap ? (int)(gap - row->summary) : (int)strlen(row->summary), row->summary);
    if (gap) {
        print_words(stdout, (ct_word_kind)row->words);
        printf("%s", gap + 2);
    }
    printf("\n");
}

void print_help(const verb *v)
{
    const option_row *row;
    printf("cotree %s %s [options]\n%s\n\n", v->name, v->arguments, v->summary);
    for (int i = 0; (row = option_at(v, i)); i++) {
        char head[64];
        snprintf(head, sizeof head, "%s %s", row->name, row->value ? row->value : "");
        printf("  %-22s ", head);
        print_summary(row);
    }
    printf("\nexample: %s\n", v->example);
}
