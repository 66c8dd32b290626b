/* embed.c - writes text files into a C source.
 *
 * usage: embed library OUTPUT.c library/a.lg ...          names are paths: "library/a.lg"
 *        embed examples OUTPUT.c models/NAME/model.lg ... names are those of the folders
 *        embed snippets OUTPUT.c src/export/a.txt ...     names are those of the files
 *        embed driver OUTPUT.c src/foreign/a.txt ...      likewise
 */
#include <stdio.h>
#include <stdlib.h>
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

/* ---- what the texts of the library define: the word behind `element`, `system` or `function` */

enum { MOST_PARTS = 2000, LONGEST_NAME = 31 };

typedef struct part {
    char name[LONGEST_NAME + 1];
    int text, number;
    long at, length;
} part;

static part parts[MOST_PARTS];
static int part_count;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const part *)a)->name, ((const part *)b)->name);
}

static int begins_part(const char *line, char *name)
{
    return sscanf(line, "element %31[A-Za-z0-9_]", name) == 1 ||
           sscanf(line, "system %31[A-Za-z0-9_]", name) == 1 ||
           sscanf(line, "function %31[A-Za-z0-9_]", name) == 1;
}

static int find_parts(const char *path, int number)
{
    char line[400], name[LONGEST_NAME + 1];
    FILE *in = fopen(path, "rb");
    if (!in)
        return perror(path), 1;
    long at = 0;
    int first = part_count, whole = 1;
    for (; fgets(line, sizeof line, in); at += (long)strlen(line)) {
        if (whole && begins_part(line, name)) {
            if (part_count > first)
                parts[part_count - 1].length = at - parts[part_count - 1].at;
            if (strlen(name) == LONGEST_NAME || part_count == MOST_PARTS)
                return fprintf(stderr, "%s: %s: too long, or too many\n", path, name), 1;
            part p = {.text = number, .number = part_count, .at = at};
            strcpy(p.name, name);
            parts[part_count++] = p;
        }
        whole = strchr(line, '\n') != NULL;
    }
    if (part_count > first)
        parts[part_count - 1].length = at - parts[part_count - 1].at;
    return fclose(in);
}

static void put_parts(FILE *out, int texts)
{
    fprintf(out, "const ct_library_part ct_library_parts[] = {\n");
    for (const part *p = parts; p < parts + part_count; p++)
        fprintf(out, "{\"%s\", %d, %ld, %ld},\n", p->name, p->text, p->at, p->length);
    fprintf(out, "{{0}, 0, 0, 0}};\nconst uint16_t ct_library_order[] = {");
    qsort(parts, (size_t)part_count, sizeof *parts, by_name);
    for (const part *p = parts; p < parts + part_count; p++)
        fprintf(out, "%d,", p->number);
    fprintf(out, "0};\nconst uint32_t ct_library_part_count = %d, ct_library_text_count = %d;\n",
            part_count, texts);
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
        if (k == &kinds[0] && find_parts(path[i], i))
            return 1;
    }
    fprintf(out, "%s = {\n", k->table);
    for (int i = 0; i < count; i++) {
        fprintf(out, "{\"");
        put_name(out, path[i], k);
        fprintf(out, "\", text%d, sizeof text%d - 1},\n", i, i);
    }
    fprintf(out, "{0}};\n");
    if (k == &kinds[0])
        put_parts(out, count);
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
