/* test_bad.c - wrong models: the corpus of tests/bad.
 *
 * tests/bad/NAME.lg begins with what must be said about it, one line for each report, by place:
 *
 *     # expect: E310 line 4 witness V1 V2
 *     # expect: E105 line 2 file wrong.part.lg help contains did you mean `kohm`
 *
 * Lines are those of the file itself; witnesses are compared as a set. No other report may come.
 * NAME.good.lg is its neighbour, changed as little as possible: it must be accepted, with warnings
 * only if it expects them itself. NAME.part.lg is neither: a file that others use. Netlists
 * (NAME.cir) and robots (NAME.urdf) likewise, with `* expect:` and `<!-- expect: ... -->`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>

#include <cotree/cotree.h>

#include "base/codes.h"

#define FOLDER COTREE_ROOT "/tests/bad"

enum { FEWEST_CASES = 60, MOST_CASES = 1000, MOST_REPORTS = 16, MOST_WITNESSES = 16 };

/* ---- files --------------------------------------------------------------------------------- */

static char *read_whole(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    *length = fread(text, 1, (size_t)size, file);
    text[*length] = '\0';
    fclose(file);
    return text;
}

static bool ends_with(const char *name, const char *ending)
{
    size_t a = strlen(name), b = strlen(ending);
    return a >= b && strcmp(name + a - b, ending) == 0;
}

static const char *const endings[] = {".lg", ".cir", ".urdf"};
static const char *const marks[] = {"# expect: ", "* expect: ", "<!-- expect: "};
enum { ENDINGS = 3 };

static bool is_neighbour(const char *name, const char *ending)
{
    char good[16];
    snprintf(good, sizeof good, ".good%s", ending);
    return ends_with(name, good);
}

static bool is_case(const char *name, const char *ending)
{
    char part[16];
    snprintf(part, sizeof part, ".part%s", ending);
    return ends_with(name, ending) && !is_neighbour(name, ending) && !ends_with(name, part);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The files of the folder that are wanted, without ending (.good is part of it), sorted. */
static size_t list_files(bool (*wanted)(const char *name, const char *ending), const char *ending,
                         const char *tail, char **stem)
{
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!wanted(entry->d_name, ending))
            continue;
        assert_true(count < MOST_CASES);
        stem[count] = strdup(entry->d_name);
        stem[count++][strlen(entry->d_name) - strlen(tail)] = '\0';
    }
    closedir(folder);
    qsort(stem, count, sizeof *stem, by_name);
    return count;
}

static void free_names(char **name, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(name[i]);
}

/* ---- what is expected ---------------------------------------------------------------------- */

typedef struct expectation {
    const char *code, *file, *help; /* file NULL: the case itself; help NULL: any */
    unsigned line;
    const char *witness[MOST_WITNESSES];
    size_t witness_count;
    bool has_witness;
} expectation;

typedef struct expectations {
    char *text; /* holds the words */
    expectation of[MOST_REPORTS];
    size_t count;
} expectations;

static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " ");
    char *end = word + strcspn(word, " ");
    *at = *end ? end + 1 : end;
    *end = '\0';
    return *word ? word : NULL;
}

static void read_expectation(expectation *e, char *line)
{
    enum { WORDS, WITNESSES } in = WORDS;
    char *help = strstr(line, " help contains ");
    if (help) {
        *help = '\0';
        e->help = help + strlen(" help contains ");
    }
    e->code = next_word(&line);
    for (char *word; (word = next_word(&line));) {
        if (strcmp(word, "line") == 0) {
            e->line = (unsigned)atoi(next_word(&line));
        } else if (strcmp(word, "file") == 0) {
            e->file = next_word(&line);
        } else if (strcmp(word, "witness") == 0) {
            in = WITNESSES;
            e->has_witness = true;
        } else {
            assert_true(in == WITNESSES && e->witness_count < MOST_WITNESSES);
            e->witness[e->witness_count++] = word;
        }
    }
}

static expectations read_expectations(const char *path)
{
    size_t length, kind = 0;
    while (!ends_with(path, endings[kind]))
        kind++;
    const char *mark = marks[kind];
    expectations all = {.text = read_whole(path, &length)};
    for (char *line = all.text; strncmp(line, mark, strlen(mark)) == 0;) {
        char *end = line + strcspn(line, "\n");
        char *next = *end ? end + 1 : end;
        *end = '\0';
        char *close = strstr(line, " -->");
        if (close)
            *close = '\0';
        assert_true(all.count < MOST_REPORTS);
        read_expectation(&all.of[all.count++], line + strlen(mark));
        line = next;
    }
    return all;
}

/* ---- what is said -------------------------------------------------------------------------- */

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void run_stages(ct_context *ctx, const char *path)
{
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    const ct_equations *equations;
    ct_build_def def = ct_default_build_def();
    ct_status status = ct_read_file(ctx, path, &syntax);
    if (status == CT_OK)
        status = ct_build(ctx, syntax, &def, &model);
    else if (status == CT_ERR_SYNTAX)
        ct_build(ctx, syntax, &def, &model);
    if (status == CT_OK)
        status = ct_make_graph(ctx, model, &graph);
    if (status == CT_OK)
        status = ct_choose_tree(ctx, graph, NULL, &tree);
    if (status == CT_OK && strstr(path, "/mechanism_")) /* told when the motion is worked out */
        status = ct_derive(ctx, tree, NULL, &equations);
    if (status >= CT_ERR_TOPOLOGY && !ct_code_reported(ctx, status))
        fail_msg("%s: no report has the status \"%s\"", path, ct_status_text(status));
    if ((status == CT_OK) != (ct_error_count(ctx) == 0))
        fail_msg("%s: status \"%s\" with %zu errors", path, ct_status_text(status),
                 ct_error_count(ctx));
}

static bool has_name(const char *const *name, size_t count, const char *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name[i], wanted) == 0)
            return true;
    return false;
}

static bool all_among(const char *const *a, size_t a_count, const char *const *b, size_t b_count)
{
    for (size_t i = 0; i < a_count; i++)
        if (!has_name(b, b_count, a[i]))
            return false;
    return true;
}

static bool agrees(const ct_diag *d, const expectation *e, const char *path)
{
    const char *file = e->file ? e->file : file_name(path);
    if (strcmp(d->code, e->code) != 0 || d->line != e->line)
        return false;
    if (d->file && strcmp(file_name(d->file), file) != 0)
        return false;
    if (e->help && (!d->help || !strstr(d->help, e->help)))
        return false;
    return !e->has_witness ||
           (all_among(d->witness, d->witness_count, e->witness, e->witness_count) &&
            all_among(e->witness, e->witness_count, d->witness, d->witness_count));
}

/* In the words of the file, so that a line can be copied. */
static void print_report(const char *label, const expectation *e)
{
    print_error("  %s %s line %u", label, e->code, e->line);
    if (e->file)
        print_error(" file %s", e->file);
    for (size_t i = 0; i < e->witness_count; i++)
        print_error("%s %s", i ? "" : " witness", e->witness[i]);
    print_error("%s%s\n", e->help ? " help contains " : "", e->help ? e->help : "");
}

static void print_got(const ct_diag *d, const char *path)
{
    expectation e = {.code = d->code, .help = d->help, .line = d->line};
    if (d->file && strcmp(file_name(d->file), file_name(path)) != 0)
        e.file = file_name(d->file);
    for (size_t i = 0; i < d->witness_count && i < MOST_WITNESSES; i++)
        e.witness[e.witness_count++] = d->witness[i];
    print_report("got ", &e);
    print_error("       %s\n", d->message);
}

/* Returns the number of cases that failed: 0 or 1. */
static int compare(const ct_context *ctx, const char *path, const expectations *want)
{
    size_t count = ct_diag_count(ctx);
    bool same = count == want->count;
    for (size_t i = 0; same && i < count; i++)
        same = agrees(ct_diag_at(ctx, i), &want->of[i], path);
    if (same)
        return 0;
    print_error("FAIL %s\n", file_name(path));
    for (size_t i = 0; i < count; i++)
        print_got(ct_diag_at(ctx, i), path);
    for (size_t i = 0; i < want->count; i++)
        print_report("want", &want->of[i]);
    return 1;
}

/* ---- every report is a good one ------------------------------------------------------------ */

static bool goes_on(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Characters of a line of a text; 0 when there is no such line. */
static uint32_t characters_of_line(const char *text, size_t length, uint32_t line)
{
    const char *end = text + length;
    for (uint32_t i = 1; i < line && text; i++) {
        text = memchr(text, '\n', (size_t)(end - text));
        text = text ? text + 1 : NULL;
    }
    uint32_t count = 0;
    for (; text && text < end && *text != '\n' && *text != '\r'; text++)
        count += !goes_on(*text);
    return count;
}

/* The caret stands inside of the line, or just behind it where something is missing. */
static void check_place(const ct_diag *d)
{
    size_t length;
    char *text = read_whole(d->file, &length);
    uint32_t room = characters_of_line(text, length, d->line) + 1;
    free(text);
    if (d->line < 1 || d->column < 1 || d->width < 1 || d->column + d->width - 1 > room)
        fail_msg("%s:%u:%u+%u: %s: this place does not exist", d->file, d->line, d->column,
                 d->width, d->code);
}

static void check_report(const ct_diag *d)
{
    assert_non_null(ct_explain_code(d->code));
    assert_true(d->code[0] == (d->severity == CT_ERROR ? 'E' : 'W'));
    assert_true(d->message && d->message[0]);
    assert_true(!d->help || d->help[0]);
    for (size_t i = 0; i < d->note_count; i++)
        assert_true(d->notes[i][0]);
    for (size_t i = 0; i < d->witness_count; i++)
        assert_true(d->witness[i][0]);
    if (d->file)
        check_place(d);
}

/* ---- JSON, just enough to know that it is well-formed ---------------------------------------- */

static const char *skip_value(const char *at);

static const char *skip_blank(const char *at)
{
    return at ? at + strspn(at, " \t\r\n") : NULL;
}

static const char *skip_char(const char *at, char wanted)
{
    at = skip_blank(at);
    return at && *at == wanted ? at + 1 : NULL;
}

static const char *skip_escape(const char *at)
{
    if (*at != 'u')
        return *at && strchr("\"\\/bfnrt", *at) ? at + 1 : NULL;
    return strspn(at + 1, "0123456789abcdefABCDEF") >= 4 ? at + 5 : NULL;
}

/* One character of UTF-8, above the control characters. */
static const char *skip_character(const char *at)
{
    unsigned char first = (unsigned char)*at++;
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    if (first < 0x20 || (first >= 0x80 && first < 0xc2) || first > 0xf4)
        return NULL;
    for (; more > 0; more--, at++)
        if (!goes_on(*at))
            return NULL;
    return at;
}

static const char *skip_string(const char *at)
{
    at = skip_char(at, '"');
    while (at && *at != '"')
        at = *at == '\\' ? skip_escape(at + 1) : skip_character(at);
    return at ? at + 1 : NULL;
}

static const char *skip_list(const char *at, char close, bool keys)
{
    const char *empty = skip_char(at, close);
    if (empty)
        return empty;
    for (;;) {
        if (keys)
            at = skip_char(skip_string(at), ':');
        at = skip_blank(skip_value(at));
        if (!at || *at != ',')
            return skip_char(at, close);
        at++;
    }
}

static const char *skip_value(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    at = skip_blank(at);
    if (!at || *at == '"')
        return skip_string(at);
    if (*at == '{' || *at == '[')
        return skip_list(at + 1, *at == '{' ? '}' : ']', *at == '{');
    for (int i = 0; i < 3; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    char *end;
    strtod(at, &end);
    return end > at ? end : NULL;
}

static bool is_json(const char *text)
{
    const char *end = skip_blank(skip_value(text));
    return end && *end == '\0';
}

static void json_checker(void **state)
{
    (void)state;
    assert_true(is_json("{\"a\": [1, -2.5e3, {\"b\": \"\\\"\\u00e9\"}], \"c\": null}\n"));
    static const char *const wrong[] = {"",        "{",       "{\"a\":}",    "[1,]",  "{a: 1}",
                                        "\"\\x\"", "\"\n\"",  "\"\xe9\"",    "[1] 2", "{\"a\" 1}",
                                        "[1 2]",   "nothing", "\"\\u12g4\"", "\"open"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (is_json(wrong[i]))
            fail_msg("accepted as JSON: %s", wrong[i]);
}

static void check_rendering(ct_context *ctx, const char *path)
{
    const char *text, *json;
    assert_int_equal(ct_diag_render(ctx, CT_DIAG_TEXT, &text), CT_OK);
    assert_int_equal(ct_diag_render(ctx, CT_DIAG_JSON, &json), CT_OK);
    for (size_t i = 0; i < ct_diag_count(ctx); i++) {
        const ct_diag *d = ct_diag_at(ctx, i);
        if (!strstr(text, d->message) || !strstr(json, d->code))
            fail_msg("%s: %s is not shown", path, d->code);
    }
    if (!is_json(json))
        fail_msg("%s: no well-formed JSON: %s", path, json);
}

/* ---- the corpus ---------------------------------------------------------------------------- */

static int check_file(const char *stem, const char *ending)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s%s", FOLDER, stem, ending);
    expectations want = read_expectations(path);
    ct_context *ctx = ct_context_new(NULL);
    run_stages(ctx, path);
    int failed = compare(ctx, path, &want);
    bool good = strncmp(ending, ".good", 5) == 0;
    if (good ? ct_error_count(ctx) > 0 : want.count == 0) {
        print_error("FAIL %s%s: %s\n", stem, ending, good ? "has errors" : "expects nothing");
        failed = 1;
    }
    ct_context_free(ctx);
    free(want.text);
    return failed;
}

static void every_case(void **state)
{
    (void)state;
    char *stem[MOST_CASES];
    size_t all = 0;
    int failed = 0;
    for (int k = 0; k < ENDINGS; k++) {
        size_t count = list_files(is_case, endings[k], endings[k], stem);
        for (size_t i = 0; i < count; i++)
            failed += check_file(stem[i], endings[k]);
        free_names(stem, count);
        all += count;
    }
    if (all < FEWEST_CASES)
        fail_msg("only %zu cases in %s", all, FOLDER);
    if (failed)
        fail_msg("%d of %zu wrong models are not told as they should", failed, all);
}

static void check_reports(const char *stem, const char *ending)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s%s", FOLDER, stem, ending);
    ct_context *ctx = ct_context_new(NULL);
    run_stages(ctx, path);
    for (size_t k = 0; k < ct_diag_count(ctx); k++)
        check_report(ct_diag_at(ctx, k));
    check_rendering(ctx, path);
    ct_context_free(ctx);
}

static void every_report(void **state)
{
    (void)state;
    char *stem[MOST_CASES];
    for (int k = 0; k < ENDINGS; k++) {
        size_t count = list_files(is_case, endings[k], endings[k], stem);
        for (size_t i = 0; i < count; i++)
            check_reports(stem[i], endings[k]);
        free_names(stem, count);
    }
}

static int count_alone(char **stem, size_t count, char **other, size_t other_count,
                       const char *tail)
{
    int alone = 0;
    for (size_t i = 0; i < count; i++) {
        if (has_name((const char *const *)other, other_count, stem[i]))
            continue;
        print_error("FAIL %s%s is missing\n", stem[i], tail);
        alone++;
    }
    return alone;
}

static int check_neighbours(const char *ending)
{
    char *bad[MOST_CASES], *good[MOST_CASES], tail[16];
    snprintf(tail, sizeof tail, ".good%s", ending);
    size_t bad_count = list_files(is_case, ending, ending, bad);
    size_t good_count = list_files(is_neighbour, ending, tail, good);
    int failed = count_alone(bad, bad_count, good, good_count, tail);
    failed += count_alone(good, good_count, bad, bad_count, ending);
    for (size_t i = 0; i < good_count; i++)
        failed += check_file(good[i], tail);
    free_names(bad, bad_count);
    free_names(good, good_count);
    return failed;
}

static void every_neighbour(void **state)
{
    (void)state;
    int failed = 0;
    for (int k = 0; k < ENDINGS; k++)
        failed += check_neighbours(endings[k]);
    if (failed)
        fail_msg("%d neighbours are wrong or missing", failed);
}

/* ---- reports that need more than a file ----------------------------------------------------- */

static const char divider[] = "V1 : vsource(a, ground)  v = 5\n"
                              "R1 : resistor(a, b)      R = 1 kohm\n"
                              "R2 : resistor(b, ground) R = 2 kohm\n"
                              "output R2.v as y\n";

/* What the caller of the library asks for, as options of the program do. */
static const struct request_case {
    const char *code;
    uint32_t max_components; /* 0: as usual */
    bool strict_units, exact;
    const char *set, *tree[2];
} request_cases[] = {
    {.code = "E902", .max_components = 2},
    {.code = "W231", .strict_units = true},
    {.code = "E251", .set = "R9"},
    {.code = "E229", .tree = {"V1", "R9"}},
    {.code = "E316", .tree = {"V1"}, .exact = true},
};

static void run_request(ct_context *ctx, const struct request_case *r)
{
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    ct_override set = {r->set, "1 ohm"};
    ct_build_def def = ct_default_build_def();
    def.strict_units = r->strict_units;
    def.override = &set;
    def.override_count = r->set ? 1 : 0;
    ct_tree_choice choice = ct_default_tree_choice();
    choice.complete = !r->exact;
    choice.prefer = r->tree[0] ? r->tree : NULL;
    choice.prefer_count = r->tree[1] ? 2 : r->tree[0] ? 1 : 0;
    if (ct_read_text(ctx, "divider.lg", divider, strlen(divider), &syntax) == CT_OK &&
        ct_build(ctx, syntax, &def, &model) == CT_OK && ct_make_graph(ctx, model, &graph) == CT_OK)
        ct_choose_tree(ctx, graph, &choice, &tree);
}

static void check_only(ct_context *ctx, const char *code)
{
    const char *got = ct_diag_count(ctx) ? ct_diag_at(ctx, 0)->code : "nothing";
    if (ct_diag_count(ctx) != 1 || strcmp(got, code) != 0)
        fail_msg("got %zu reports, first %s, want one %s", ct_diag_count(ctx), got, code);
    check_rendering(ctx, code);
    ct_context_free(ctx);
}

static void every_request(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof request_cases / sizeof *request_cases; i++) {
        ct_context_def def = ct_default_context_def();
        if (request_cases[i].max_components)
            def.max_components = request_cases[i].max_components;
        ct_context *ctx = ct_context_new(&def);
        run_request(ctx, &request_cases[i]);
        check_only(ctx, request_cases[i].code);
    }
}

static void files_that_cannot_be_read(void **state)
{
    (void)state;
    const ct_syntax *syntax;
    ct_context *ctx = ct_context_new(NULL);
    assert_int_equal(ct_read_file(ctx, FOLDER "/no_such_model.lg", &syntax), CT_ERR_IO);
    check_only(ctx, "E001");
    ct_context_def def = ct_default_context_def();
    def.max_source_bytes = 10;
    ctx = ct_context_new(&def);
    assert_int_not_equal(ct_read_file(ctx, FOLDER "/island.lg", &syntax), CT_OK);
    check_only(ctx, "E002");
    ctx = ct_context_new(&def); /* a device without an end */
    assert_int_equal(ct_read_file(ctx, "/dev/zero", &syntax), CT_ERR_LIMIT);
    check_only(ctx, "E002");
}

/* ---- every code is met ---------------------------------------------------------------------- */

/* Beginnings of codes that no file of the folder can lead to. */
static const struct exception {
    const char *code, *why;
} exceptions[] = {
    {"E002", "needs a smaller limit: files_that_cannot_be_read"},
    {"E903", "lack of memory: test_limits.c"},
    {"E317", "no stage emits it: the order of selection always finds a tree"},
    {"E422", "of state spaces: tests/cli.py"},
    {"E424", "of state spaces, too"},
    {"E425", "of state spaces, too"},
    {"E426", "of state spaces, too"},
    {"W278", "of state spaces, too"},
    {"W430", "of equilibria: tests/golden"},
    {"E441", "of params that a host sets: test_fields.c"},
    {"E5", "equations and runs: behind the four stages that are tested here"},
    {"W5", "runs, too"},
    {"E609", "a run finds it: behind them, too"},
    {"W606", "the same: docs/messages.md"},
    {"E7", "matrices of LG2ss: test_lg2ss.c"},
    {"W805", "runs find it: tests/spice/measures.py"},
    {"W804", "the first line of a case is its expectation: test_spice.c"},
    {"W855", "pictures find it: tests/robots/pictures.py"},
    {"E610", "kinematic analysis and runs: behind them, too"},
    {"E611", "the same"},
    {"E612", "the same"},
    {"E613", "the same"},
    {"E614", "the same"},
};

static bool is_excepted(const char *code)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (strncmp(code, exceptions[i].code, strlen(exceptions[i].code)) == 0)
            return true;
    return false;
}

static bool is_requested(const char *code)
{
    for (size_t i = 0; i < sizeof request_cases / sizeof *request_cases; i++)
        if (strcmp(request_cases[i].code, code) == 0)
            return true;
    return false;
}

/* The codes that all cases expect, each between blanks. */
static char *expected_codes(void)
{
    char *stem[MOST_CASES], path[512];
    size_t length = 0;
    char *codes = malloc(MOST_CASES * MOST_REPORTS * 8 + 1);
    codes[0] = '\0';
    for (int e = 0; e < ENDINGS; e++) {
        size_t count = list_files(is_case, endings[e], endings[e], stem);
        for (size_t i = 0; i < count; i++) {
            snprintf(path, sizeof path, "%s/%s%s", FOLDER, stem[i], endings[e]);
            expectations want = read_expectations(path);
            for (size_t k = 0; k < want.count; k++)
                length += (size_t)sprintf(codes + length, " %.5s ", want.of[k].code);
            free(want.text);
        }
        free_names(stem, count);
    }
    return codes;
}

static int check_code(const char *code, const char *expected)
{
    char word[16];
    snprintf(word, sizeof word, " %s ", code);
    bool met = strstr(expected, word) || is_requested(code);
    if (met != is_excepted(code))
        return 0;
    print_error("FAIL %s is %s\n", code, met ? "met, but an exception" : "met in no case");
    return 1;
}

static void every_code(void **state)
{
    (void)state;
    size_t length;
    int failed = 0, count = 0;
    char *table = read_whole(COTREE_ROOT "/src/base/codes.def", &length);
    char *expected = expected_codes();
    for (char *at = table; (at = strstr(at, "\nCODE(\""));) {
        char code[8] = "";
        at += strlen("\nCODE(\"");
        snprintf(code, sizeof code, "%.4s", at);
        failed += check_code(code, expected);
        assert_int_equal(ct_code_find(code)->status == CT_OK, code[0] == 'W');
        count++;
    }
    free(table);
    free(expected);
    assert_true(count > 60);
    if (failed)
        fail_msg("%d of %d codes", failed, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_checker),  cmocka_unit_test(every_case),
        cmocka_unit_test(every_report),  cmocka_unit_test(every_neighbour),
        cmocka_unit_test(every_request), cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(every_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
