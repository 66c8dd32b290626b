/* test_lang_stress.c - the language under load: all drafts, random trees, deep and long texts,
 * damaged texts, memory that runs out (src/lang). */
#include <dirent.h>

#include "test_lang.h"
#include "unit/effort.h"

#include "base/vec.h"

#ifndef COTREE_ROOT
#define COTREE_ROOT "."
#endif

static char *repeated(const char *before, const char *unit, size_t count, const char *after)
{
    size_t length = strlen(unit), room = strlen(before) + count * length + strlen(after) + 1;
    char *text = malloc(room), *at = text + strlen(before);
    assert_non_null(text);
    memcpy(text, before, strlen(before));
    for (size_t i = 0; i < count; i++, at += length)
        memcpy(at, unit, length);
    memcpy(at, after, strlen(after) + 1);
    return text;
}

/* ---- drafts -------------------------------------------------------------------------------- */

enum { MOST_DRAFTS = 100 };
static char *draft[MOST_DRAFTS];
static size_t draft_count;

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s cannot be read", path);
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(1, length + 1);
    assert_int_equal(fread(text, 1, length, file), length);
    fclose(file);
    return text;
}

static int load_drafts(void **state)
{
    (void)state;
    DIR *folder = opendir(COTREE_ROOT "/tests/drafts");
    if (!folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(folder)) && draft_count < MOST_DRAFTS;) {
        const char *ending = strrchr(entry->d_name, '.');
        char path[600];
        if (!ending || strcmp(ending, ".lg") != 0)
            continue;
        snprintf(path, sizeof path, "%s/tests/drafts/%s", COTREE_ROOT, entry->d_name);
        draft[draft_count++] = read_file(path);
    }
    closedir(folder);
    return 0;
}

static int free_drafts(void **state)
{
    (void)state;
    for (size_t i = 0; i < draft_count; i++)
        free(draft[i]);
    return 0;
}

static void test_drafts(void **state)
{
    (void)state;
    assert_true(draft_count > 50);
    for (size_t i = 0; i < draft_count; i++) {
        reading r = read_text(draft[i]);
        if (ct_error_count(r.ctx))
            fail_msg("%.60s: %s", draft[i], ct_diag_at(r.ctx, 0)->message);
        expect_round_trip("draft", &r);
        ct_context_free(r.ctx);
    }
}

/* ---- random trees -------------------------------------------------------------------------- */

static uint64_t dice = 88172645463325252u;

static uint32_t roll(uint32_t sides)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (uint32_t)(dice >> 33) % sides;
}

typedef struct garden {
    ct_context *ctx;
    ct_arena *arena;
    CT_VEC(ct_syntax_node) node;
} garden;

static ct_node plant(garden *g, ct_node_kind kind, const char *name, ct_node first)
{
    ct_syntax_node n = {.kind = (uint16_t)kind, .first = first};
    n.name = name ? ct_intern_text(g->ctx, name) : 0;
    CT_PUSH(g->arena, g->node, n);
    return g->node.count - 1;
}

static ct_node grow(garden *g, uint32_t depth);

/* `count` children, given as a list. */
static ct_node grow_list(garden *g, uint32_t count, uint32_t depth)
{
    ct_node first = 0;
    while (count--) {
        ct_node n = grow(g, depth);
        g->node.at[n].next = first;
        first = n;
    }
    return first;
}

static const char *pick_name(void)
{
    static const char *const names[] = {"a", "b", "m", "source", "output", "ground", "t", "V"};
    return names[roll(8)];
}

static ct_node grow_number(garden *g)
{
    static const char *const numbers[] = {"1", "2.5", "1e-3"};
    static const char *const units[] = {"m", "N/m", "V", "s^-1"};
    ct_node unit = roll(2) ? plant(g, CT_NODE_UNIT, units[roll(4)], 0) : 0;
    return plant(g, CT_NODE_NUMBER, numbers[roll(3)], unit);
}

static ct_node grow_reference(garden *g, uint32_t depth)
{
    ct_node suffix = 0;
    uint32_t kind = depth ? roll(5) : 0;
    if (kind == 1)
        suffix = plant(g, CT_NODE_FIELD, "v", 0);
    if (kind == 2)
        suffix = plant(g, CT_NODE_INDEX, NULL, grow_list(g, 1 + roll(2), depth - 1));
    if (kind == 3)
        suffix = plant(g, CT_NODE_CALL, NULL, grow_list(g, roll(3), depth - 1));
    if (kind != 4)
        return plant(g, CT_NODE_REF, pick_name(), suffix);
    ct_node hole = plant(g, CT_NODE_HOLE, NULL, grow(g, depth - 1));
    ct_node text = plant(g, CT_NODE_ID, "n", 0);
    g->node.at[text].next = hole;
    return plant(g, CT_NODE_REF, NULL, plant(g, CT_NODE_NAME, NULL, text));
}

static ct_node grow_matrix(garden *g, uint32_t depth)
{
    ct_node unit = roll(2) ? plant(g, CT_NODE_UNIT, "m/s", 0) : 0;
    ct_node row = plant(g, CT_NODE_ROW, NULL, grow_list(g, 1 + roll(3), depth));
    g->node.at[row].next = unit;
    if (roll(2))
        return plant(g, CT_NODE_MATRIX, NULL, row);
    ct_node above = plant(g, CT_NODE_ROW, NULL, grow_list(g, 1 + roll(3), depth));
    g->node.at[above].next = row;
    ct_node matrix = plant(g, CT_NODE_MATRIX, NULL, above);
    g->node.at[matrix].op = 1;
    return matrix;
}

/* The operands after the first of a product may be inverted. */
static ct_node grow_product(garden *g, uint32_t depth)
{
    ct_node rest = 0;
    for (uint32_t i = 1 + roll(3); i > 0; i--) {
        ct_node factor = grow(g, depth);
        if (roll(2))
            factor = plant(g, CT_NODE_INV, NULL, factor);
        g->node.at[factor].next = rest;
        rest = factor;
    }
    ct_node first = grow(g, depth);
    g->node.at[first].next = rest;
    return plant(g, CT_NODE_PRODUCT, NULL, first);
}

static ct_node grow(garden *g, uint32_t depth)
{
    static const struct {
        ct_node_kind kind;
        uint32_t least, more;
    } kinds[] = {{CT_NODE_SUM, 2, 2},     {CT_NODE_SUM, 2, 2},   {CT_NODE_NEG, 1, 0},
                 {CT_NODE_NEG, 1, 0},     {CT_NODE_POWER, 2, 0}, {CT_NODE_POWER, 2, 0},
                 {CT_NODE_NOT, 1, 0},     {CT_NODE_AND, 2, 1},   {CT_NODE_OR, 2, 1},
                 {CT_NODE_COMPARE, 2, 0}, {CT_NODE_IF, 3, 0}};
    uint32_t choice = depth ? roll(17) : 15 + roll(2);
    if (choice == 15)
        return grow_number(g);
    if (choice == 16)
        return grow_reference(g, depth);
    if (choice == 14)
        return grow_matrix(g, depth - 1);
    if (choice >= 11)
        return grow_product(g, depth - 1);
    uint32_t count = kinds[choice].least + (kinds[choice].more ? roll(kinds[choice].more + 1) : 0);
    ct_node n = plant(g, kinds[choice].kind, NULL, grow_list(g, count, depth - 1));
    if (kinds[choice].kind == CT_NODE_COMPARE)
        g->node.at[n].op = (uint16_t)roll(6);
    return n;
}

/* output EXPR, EXPR; element e; EXPR = EXPR; end */
static ct_node grow_file(garden *g)
{
    ct_node output = plant(g, CT_NODE_OUTPUT, NULL, plant(g, CT_NODE_ITEM, NULL, grow(g, 5)));
    ct_node equation = plant(g, CT_NODE_EQUATION, NULL, grow_list(g, 2, 4));
    ct_node block = plant(g, CT_NODE_BLOCK, NULL, equation);
    g->node.at[output].next = plant(g, CT_NODE_ELEMENT, "e", block);
    return plant(g, CT_NODE_FILE, NULL, output);
}

static void random_tree_body(void *user)
{
    reading *r = user;
    garden g = {.ctx = r->ctx, .arena = ct_arena_new(r->ctx)};
    plant(&g, CT_NODE_NONE, NULL, 0);
    ct_node root = grow_file(&g);
    ct_syntax *s = CT_NEW(g.arena, ct_syntax);
    *s = (ct_syntax){.ctx = r->ctx, .arena = g.arena, .root = root};
    s->source = ct_source_add(r->ctx, "", "", 0);
    s->node = g.node.at;
    s->node_count = g.node.count;
    ct_text dump = ct_text_new(g.arena), format = ct_text_new(g.arena);
    ct_syntax_dump(s, &dump);
    ct_format(s, &format);
    r->dump = ct_text_string(&dump);
    r->format = ct_text_string(&format);
}

static void test_random_trees(void **state)
{
    (void)state;
    enum { TREES = 5000 };
    for (int i = 0; i < TREES; i++) {
        reading r = {.ctx = ct_context_new(NULL)};
        assert_int_equal(ct_protect(r.ctx, random_tree_body, &r), CT_OK);
        expect_round_trip("random tree", &r);
        ct_context_free(r.ctx);
    }
}

/* ---- deep ---------------------------------------------------------------------------------- */

/* code: of the first report; NULL: the text is right. E108 is the only report of its text. */
static const struct deep_case {
    const char *before, *unit;
    size_t count;
    const char *after, *code;
} deep_cases[] = {
    {"x = ", "(", 1000000, "", "E108"},
    {"x = ", "[", 1000000, "", "E108"},
    {"x = ", "-", 1000000, "1", "E108"},
    {"x = ", "+", 1000000, "1", NULL},
    {"x = ", "not ", 1000000, "a", "E108"},
    {"x = ", "a^", 1000000, "a", "E108"},
    {"x = ", "if a then b else ", 100000, "c", "E108"},
    {"x = ", "if ", 100000, "c", "E108"},
    {"x = ", "f(", 1000000, "", "E108"},
    {"x = a", "[a", 1000000, "", "E108"},
    {"x = ", "n{", 1000000, "", "E108"},
    {"initial ", "der(", 1000000, "q", "E108"},
    {"", "repeat i = 1..2 {\n", 100000, "", "E108"},
    {"", "if a { } else ", 100000, "{ }", "E108"},
    {"", "element e\n", 100000, "", "E108"},
    {"", "system s()\n", 100000, "", "E108"},
    {"b : body ", "{ repeat i = 1..2 ", 100000, "", "E108"},
    {"x = ", "(", 200, "", "E106"},
    {"", "}\n", 100000, "", "E106"},
    {"", "x = )\n", 100000, "", "E107"},
    {"", "x = (\n", 100000, "", "E107"},
    {"", "R : r(a\n", 100000, "", "E106"},
    {"", "x = \"\n", 100000, "", "E103"},
    {"x = 1 ", "x/", 1000000, "", "E105"},
    {"", "x = 2 foo\n", 100000, "", "E105"},
    {"x = a", ".b", 1000000, "", NULL},
    {"x = n", "{i}", 1000000, "", NULL},
};

static void test_deep(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof deep_cases / sizeof *deep_cases; i++) {
        const struct deep_case *c = &deep_cases[i];
        char *text = repeated(c->before, c->unit, c->count, c->after);
        reading r = read_text(text);
        const ct_diag *d = ct_diag_at(r.ctx, 0);
        expect_same(c->unit, d ? d->code : "right", c->code ? c->code : "right");
        if (c->code && strcmp(c->code, "E108") == 0)
            assert_int_equal(ct_error_count(r.ctx), 1);
        ct_context_free(r.ctx);
        free(text);
    }
}

/* Within the limit everything works: 240 brackets, blocks, signs. */
static void test_nearly_deep(void **state)
{
    (void)state;
    char *open = repeated("x = ", "(1 + ", 200, "a"), *text = repeated(open, ")", 200, "\n");
    reading r = read_text(text);
    assert_int_equal(ct_error_count(r.ctx), 0);
    expect_round_trip("brackets", &r);
    ct_context_free(r.ctx);
    free(open);
    free(text);
    open = repeated("", "repeat i = 1..2 {\n", 200, "x = 1\n");
    text = repeated(open, "}\n", 200, "");
    r = read_text(text);
    assert_int_equal(ct_error_count(r.ctx), 0);
    expect_round_trip("blocks", &r);
    ct_context_free(r.ctx);
    free(open);
    free(text);
}

/* ---- long ---------------------------------------------------------------------------------- */

static void test_long_sum(void **state)
{
    (void)state;
    char *text = repeated("x = a", " + b*c - d", 100000, "\n");
    reading r = read_text(text);
    assert_int_equal(ct_error_count(r.ctx), 0);
    ct_node sum = ct_at(r.s, ct_at(r.s, r.s->root)->first)->first;
    uint32_t terms = 0;
    for (ct_node n = ct_at(r.s, sum)->first; n; n = ct_at(r.s, n)->next)
        terms++;
    assert_int_equal(terms, 200001);
    expect_round_trip("sum", &r);
    ct_context_free(r.ctx);
    free(text);
}

static void test_speed(void **state)
{
    (void)state;
    enum { STATEMENTS = 100000 };
    char *text = malloc(STATEMENTS * 80), *at = text;
    for (int i = 0; i < STATEMENTS; i++)
        at += sprintf(at, "R%d : resistor(n%d, n%d)  R = %d.5 kohm, v(0) = 2*a + b  # row\n", i, i,
                      i + 1, i);
    double bytes = (double)(at - text), best = 1e9;
    for (int i = 0; i < 3; i++) {
        ct_context *ctx = ct_context_new(NULL);
        double start = effort_clock();
        reading r = read_in(ctx, text, (size_t)(at - text), READ_TREE);
        double took = effort_clock() - start;
        best = took < best ? took : best;
        assert_int_equal(r.status, CT_OK);
        assert_int_equal(ct_error_count(ctx), 0);
        if (i == 0)
            print_message("%d statements, %.1f MB of text, %u nodes, %.0f bytes held\n", STATEMENTS,
                          bytes / 1e6, r.s->node_count, (double)ct_context_bytes(ctx));
        ct_context_free(ctx);
    }
    print_message("parse: %.3f s, %.1f MB/s\n", best, bytes / best / 1e6);
    double start = effort_clock();
    reading r = read_text(text);
    print_message("parse, dump, format: %.3f s\n", effort_clock() - start);
    expect_round_trip("statements", &r);
    ct_context_free(r.ctx);
    free(text);
}

/* ---- damaged ------------------------------------------------------------------------------- */

/* Changes, drops, doubles or moves bytes. */
static size_t damage(char *text, size_t length)
{
    static const char bytes[] = "(){}[],;:=.|\"#\n +-*/^<>!\\abz019\x80\xc3\xff";
    for (uint32_t i = 1 + roll(4); i > 0 && length > 2; i--) {
        size_t at = roll((uint32_t)length), size = 1 + roll(20);
        if (size > length - at)
            size = length - at;
        switch (roll(4)) {
        case 0:
            text[at] = bytes[roll(sizeof bytes)];
            break;
        case 1:
            memmove(text + at, text + at + size, length - at - size);
            length -= size;
            break;
        case 2:
            memmove(text + at + size, text + at, length - at);
            length += size;
            break;
        default:
            memcpy(text + at, bytes + roll(sizeof bytes - 2), 2 < length - at ? 2 : length - at);
        }
    }
    return length;
}

static void test_damaged(void **state)
{
    (void)state;
    enum { MUTATIONS = 10000 };
    for (int i = 0; i < MUTATIONS; i++) {
        const char *from = draft[roll((uint32_t)draft_count)];
        size_t length = strlen(from);
        char *text = malloc(length + 200);
        memcpy(text, from, length);
        length = damage(text, length);
        reading r = read_in(ct_context_new(NULL), text, length, READ_ALL);
        assert_int_equal(r.status, CT_OK);
        assert_int_equal(r.s->broken, ct_error_count(r.ctx) > 0);
        if (!r.s->broken)
            expect_round_trip("damaged", &r);
        ct_context_free(r.ctx);
        free(text);
    }
}

/* Any bytes whatever. */
static void test_noise(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++) {
        char text[200];
        size_t length = roll(sizeof text);
        for (size_t k = 0; k < length; k++)
            text[k] = (char)(roll(4) ? 32 + roll(95) : roll(256));
        reading r = read_in(ct_context_new(NULL), text, length, READ_ALL);
        assert_int_equal(r.status, CT_OK);
        ct_context_free(r.ctx);
    }
}

/* ---- memory runs out ----------------------------------------------------------------------- */

typedef struct quota {
    size_t left, held;
} quota;

static void *quota_realloc(void *user, void *block, size_t old_size, size_t new_size)
{
    quota *q = user;
    if (new_size == 0) {
        free(block);
        q->held -= old_size;
        return NULL;
    }
    if (q->left == 0)
        return NULL;
    q->left--;
    void *moved = realloc(block, new_size);
    assert_non_null(moved);
    q->held = q->held - old_size + new_size;
    return moved;
}

/* True if the quota was enough. */
static bool read_with_quota(const char *text, size_t allocations)
{
    quota q = {allocations, 0};
    ct_context_def def = ct_default_context_def();
    def.realloc = quota_realloc;
    def.realloc_user = &q;
    ct_context *ctx = ct_context_new(&def);
    if (!ctx) {
        assert_int_equal(q.held, 0);
        return false;
    }
    reading r = read_in(ctx, text, strlen(text), READ_ALL);
    assert_true(r.status == CT_OK || r.status == CT_ERR_MEMORY);
    ct_context_free(ctx);
    assert_int_equal(q.held, 0);
    return r.status == CT_OK;
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    char *long_text = repeated("", "R1 : r(a, b)  R = [1 2], x = 3 foo # c\n", 3000, "x = ((((");
    const char *texts[] = {draft[0], draft[1], long_text};
    for (size_t i = 0; i < 3; i++) {
        size_t allocations = 0;
        while (!read_with_quota(texts[i], allocations))
            allocations++;
        assert_true(allocations > 5);
    }
    free(long_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drafts),
        cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_nearly_deep),
        cmocka_unit_test(test_long_sum),
        cmocka_unit_test(test_speed),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, load_drafts, free_drafts);
}
