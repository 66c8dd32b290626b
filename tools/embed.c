/* embed.c - writes text files into a C source.
 *
 * usage: embed library OUTPUT.c library/a.lg ...          names are paths: "library/a.lg"
 *        embed examples OUTPUT.c models/NAME/model.lg ... names are those of the folders
 *        embed snippets OUTPUT.c src/export/a.txt ...     names are those of the files
 *        embed driver OUTPUT.c src/foreign/a.txt ...      likewise
 */
#include <stdio.h>
#include <string.h>

typedef struct kind {
    const char *word, *header, *table;
} kind;

static const kind kinds[] = {
    {"library", "model/library.h", "const ct_library_text ct_library_texts[]"},
    {"examples", "model/examples.h", "const ct_example ct_example_texts[]"},
    {"snippets", "export/c.h", "const ct_snippet ct_snippets[]"},
    {"driver", "foreign/foreign.h", "const ct_driver_text ct_driver_texts[]"},
};

static int put_file(FILE *out, const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return perror(path), 1;
    for (int c; (c = getc(in)) != EOF;)
        fprintf(out, "%d,", c);
    return fclose(in);
}

/* What a text of the library defines: the word behind `element`, `system` or `function`. */
static int put_names(FILE *out, const char *path, int number)
{
    char line[400], name[100];
    FILE *in = fopen(path, "rb");
    if (!in)
        return perror(path), 1;
    fprintf(out, "static const char *const names%d[] = {", number);
    while (fgets(line, sizeof line, in))
        if (sscanf(line, "element %99[A-Za-z0-9_]", name) == 1 ||
            sscanf(line, "system %99[A-Za-z0-9_]", name) == 1 ||
            sscanf(line, "function %99[A-Za-z0-9_]", name) == 1)
            fprintf(out, "\"%s\",", name);
    fprintf(out, "0};\n");
    return fclose(in);
}

/* The last part of a path, or the one before it. */
static void put_name(FILE *out, const char *path, const kind *k)
{
    const char *last = strrchr(path, '/'), *before = last;
    while (before > path && before[-1] != '/')
        before--;
    if (k == &kinds[0])
        fprintf(out, "library/%s", last ? last + 1 : path);
    else if (k >= &kinds[2])
        fprintf(out, "%s", last ? last + 1 : path);
    else
        fprintf(out, "%.*s", (int)(last - before), before);
}

static int write_all(FILE *out, const kind *k, int count, char **path)
{
    fprintf(out, "#include \"%s\"\n", k->header);
    for (int i = 0; i < count; i++) {
        fprintf(out, "static const char text%d[] = {", i);
        if (put_file(out, path[i]))
            return 1;
        fprintf(out, "0};\n");
        if (k == &kinds[0] && put_names(out, path[i], i))
            return 1;
    }
    fprintf(out, "%s = {\n", k->table);
    for (int i = 0; i < count; i++) {
        fprintf(out, "{\"");
        put_name(out, path[i], k);
        fprintf(out, "\", text%d, sizeof text%d - 1", i, i);
        if (k == &kinds[0])
            fprintf(out, ", names%d", i);
        fprintf(out, "},\n");
    }
    fprintf(out, "{0}};\n");
    return fclose(out) ? 1 : 0;
}

int main(int argc, char **argv)
{
    const kind *k = NULL;
    for (size_t i = 0; argc > 2 && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].word, argv[1]) == 0)
            k = &kinds[i];
    FILE *out = k ? fopen(argv[2], "w") : NULL;
    if (!out)
        return fprintf(stderr, "usage: embed library|examples|snippets|driver OUTPUT.c INPUT...\n"),
               2;
    return write_all(out, k, argc - 3, argv + 3);
}
