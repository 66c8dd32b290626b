/* test_svg.c - pictures of linear graphs (src/export/graph_svg.c, layout*.c).
 *
 * With COTREE_SVG_DIR set, every test picture is also written to that folder, to be looked at.
 */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/graph_write.h"
#include "export/layout.h"
#include "unit/effort.h"
#include "unit/test_shortage.h"

/* ---- graphs from text ---------------------------------------------------------------------- */

/* One domain per text: "name: edge tail head; ...", branches marked by '*' before their names,
 * datum g. Nodes of different domains may share names. */
typedef struct picture {
    const char *name;
    const char *domain[3];
} picture;

static const picture pictures[] = {
    {"bridge", {"electrical: *E1 a g; *R2 b c; *R3 a b; R4 g c; R5 g b; I6 c a"}},
    {"rc", {"electrical: *E1 a g; R2 a b; R3 b g; *C4 b g"}},
    {"vibrating",
     {"translational: *m1 g n1; m2 g n2; *m3 g n3; m4 g n4; F1 g n1; F2 g n2; F3 g n3; F4 g n4;"
      "d5 g n1; d6 n3 n4; d7 g n4; k12 n1 n2; *k13 n2 n3; k14 n1 n3; *k15 n2 n4; k16 n1 n4"}},
    {"ladder",
     {"electrical: *E1 in g; R1 in n1; *C1 n1 g; R2 n1 n2; *C2 n2 g; R3 n2 n3; *C3 n3 g;"
      "R4 n3 n4; *C4 n4 g; R5 n4 n5; *C5 n5 g; R6 n5 n6; *C6 n6 g; R7 n6 n7; *C7 n7 g;"
      "R8 n7 n8; *C8 n8 g; R9 n8 n9; *C9 n9 g; R10 n9 out; *C10 out g"}},
    {"motor",
     {"electrical: *V1 a g; Ra a b; La b c; M1.e c g",
      "rotational: *M1.m shaft g; J1 shaft g; b1 shaft g; *K1 shaft load; J2 load g; "
      "T1 g load"}},
    {"parallel", {"electrical: *R1 a g; R2 a g; R3 g a; R4 a g; R5 a g"}},
    {"star", {"electrical: *E1 c g; *R1 c n1; *R2 c n2; *R3 c n3; *R4 c n4; *R5 c n5; *R6 c n6"}},
    {"wheatstone",
     {"electrical: *E1 top g; *R1 top left; *R2 top right; R3 left g; R4 right g; "
      "R5 left right"}},
    {"mesh",
     {"electrical: *V1 a g; *R1 a b; *R2 b c; *R3 a d; *R4 b e; *R5 c f; R6 d e; R7 e f; "
      "*R8 d h; *R9 e i; *R10 f j; R11 h i; R12 i j; R13 j g"}},
    {"twins",
     {"hydraulic: *p1 tank g; v1 tank b; v2 b tank; v3 tank b; *c1 b g; v4 b c; v5 b c; "
      "v6 tank c; v7 tank c; *c2 c g"}},
    {"filter",
     {"electrical: *Vin in g; R1 in a; R2 a b; C1 a out; *C2 b g; *O1 out g; R3 out m; "
      "R4 m g; *O2 m b; R5 out x; *C3 x g; R6 x y; *C4 y z; R7 z g; R8 z out2; *O3 out2 g"}},
    {"escape",
     {"a<b&c: *R&1 a<b g; \"R\" g a<b; very_long_component_name_of_a_subsystem.part.edge "
      "a<b \xc3\xa4\xce\xa9; loop g g; bad\x01\xff a<b g"}},
    {"islands", {"thermal: C1 a b; C2 c d; C3 d e", "electrical: R1 a g"}},
    {"lonely", {"electrical: "}},
};
enum { PICTURES = sizeof pictures / sizeof *pictures };

typedef struct builder {
    ct_context *ctx;
    ct_graph_domain *domain;
    ct_graph_node *node;
    ct_graph_edge *edge;
    bool *is_branch;
    ct_graph graph;
    ct_tree tree;
} builder;

static builder builder_new(ct_context *ctx, uint32_t domains, uint32_t nodes, uint32_t edges)
{
    builder b = {.ctx = ctx};
    b.domain = CT_NEW_ARRAY(ctx->base, ct_graph_domain, domains + 1);
    b.node = CT_NEW_ARRAY(ctx->base, ct_graph_node, nodes + 1);
    b.edge = CT_NEW_ARRAY(ctx->base, ct_graph_edge, edges + 1);
    b.is_branch = CT_NEW_ARRAY(ctx->base, bool, edges + 1);
    return b;
}

static void builder_end(builder *b)
{
    b->graph.ctx = b->ctx;
    b->graph.arena = b->ctx->base;
    b->graph.domain = b->domain;
    b->graph.node = b->node;
    b->graph.edge = b->edge;
    b->tree = (ct_tree){.graph = &b->graph, .is_branch = b->is_branch};
}

static uint32_t add_domain(builder *b, const char *name, size_t length)
{
    b->domain[b->graph.domain_count] =
        (ct_graph_domain){.name = ct_intern(b->ctx, name, length), .datum = UINT32_MAX};
    return b->graph.domain_count++;
}

static uint32_t add_node(builder *b, uint32_t domain, const char *name, size_t length)
{
    ct_name n = ct_intern(b->ctx, name, length);
    for (uint32_t i = 0; i < b->graph.node_count; i++)
        if (b->node[i].domain == domain && b->node[i].name == n)
            return i;
    bool datum = length == 1 && *name == 'g';
    uint32_t v = b->graph.node_count++;
    b->node[v] = (ct_graph_node){.name = n, .domain = domain, .datum = datum};
    if (datum)
        b->domain[domain].datum = v;
    return v;
}

static size_t word(const char **text)
{
    *text += strspn(*text, " ;");
    return strcspn(*text, " ;");
}

static void read_domain(builder *b, const char *text)
{
    size_t length = strcspn(text, ":");
    uint32_t domain = add_domain(b, text, length);
    text += length + 1;
    while ((length = word(&text)) > 0) {
        ct_graph_edge *edge = &b->edge[b->graph.edge_count];
        bool branch = *text == '*';
        b->is_branch[b->graph.edge_count++] = branch;
        edge->name = ct_intern(b->ctx, text + branch, length - branch);
        text += length;
        length = word(&text);
        edge->tail = add_node(b, domain, text, length);
        text += length;
        length = word(&text);
        edge->head = add_node(b, domain, text, length);
        text += length;
    }
}

static builder *read_picture(ct_context *ctx, const picture *p)
{
    builder *b = CT_NEW(ctx->base, builder);
    *b = builder_new(ctx, 3, 100, 100);
    for (size_t i = 0; i < 3 && p->domain[i]; i++)
        read_domain(b, p->domain[i]);
    builder_end(b);
    return b;
}

/* An RC ladder, or a mesh with a few edges to the datum, or edges between nodes drawn by lot. */
typedef struct large_case {
    const char *name;
    uint32_t nodes, row; /* row > 0: nodes in a row of the mesh */
    uint32_t lots;       /* > 0: edges by lot, and the seed */
    const char *says;    /* in the picture */
} large_case;

static void add_edge(builder *b, uint32_t tail, uint32_t head, bool branch)
{
    ct_name name = ct_intern_text(b->ctx, ct_printf(b->ctx, "e%u", b->graph.edge_count));
    b->is_branch[b->graph.edge_count] = branch;
    b->edge[b->graph.edge_count++] = (ct_graph_edge){.name = name, .tail = tail, .head = head};
}

static void add_ladder(builder *b, uint32_t nodes, uint32_t row)
{
    for (uint32_t v = 1; v <= nodes; v++) {
        if (!row || v % 7 == 1)
            add_edge(b, v, 0, true);
        if (v < nodes && (!row || v % row))
            add_edge(b, v, v + 1, false);
        if (row && v + row <= nodes)
            add_edge(b, v, v + row, v % 3 == 0);
    }
}

static void add_by_lot(builder *b, uint32_t nodes, uint32_t lots)
{
    uint64_t seed = lots * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = 0; i < lots; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t tail = (uint32_t)(seed >> 33) % (nodes + 1), head = (uint32_t)(seed >> 45) % nodes;
        add_edge(b, tail, head, i % 3 == 0);
    }
}

static builder *large_graph(ct_context *ctx, const large_case *large)
{
    builder *b = CT_NEW(ctx->base, builder);
    *b = builder_new(ctx, 1, large->nodes + 1, 3 * large->nodes + large->lots);
    add_domain(b, "electrical", 10);
    b->domain[0].datum = 0;
    b->graph.node_count = large->nodes + 1;
    for (uint32_t v = 0; v <= large->nodes; v++) {
        ct_name name = ct_intern_text(ctx, v ? ct_printf(ctx, "n%u", v) : "g");
        b->node[v] = (ct_graph_node){.name = name, .datum = v == 0};
    }
    if (large->lots)
        add_by_lot(b, large->nodes, large->lots);
    else
        add_ladder(b, large->nodes, large->row);
    builder_end(b);
    return b;
}

/* ---- drawing under protection -------------------------------------------------------------- */

typedef struct job {
    ct_context *ctx;
    const picture *picture; /* NULL: the large case */
    const large_case *large;
    bool without_tree;
    builder *built;
    const char *svg;
    double effort; /* for the drawing alone */
} job;

static void draw_job(void *user)
{
    job *j = user;
    j->built = j->picture ? read_picture(j->ctx, j->picture) : large_graph(j->ctx, j->large);
    ct_text out = ct_text_new(j->ctx->base);
    double start = effort_clock();
    ct_graph_put_svg(&j->built->graph, j->without_tree ? NULL : &j->built->tree, &out);
    j->effort = effort_since(start);
    j->svg = ct_text_string(&out);
}

static const char *draw(ct_context *ctx, const picture *p)
{
    job j = {.ctx = ctx, .picture = p};
    assert_int_equal(ct_protect(ctx, draw_job, &j), CT_OK);
    return j.svg;
}

static void keep(const char *name, const char *svg)
{
    const char *folder = getenv("COTREE_SVG_DIR");
    char path[512];
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(svg, file);
    fclose(file);
}

/* ---- what every picture must obey ---------------------------------------------------------- */

/* Tags balance, attributes are quoted, nothing is left unescaped. */
static void check_well_formed(const char *svg)
{
    const char *open[64] = {0};
    size_t length[64] = {0}, depth = 0;
    svg = strstr(svg, "?>") + 2;
    while ((svg = strchr(svg, '<'))) {
        const char *name = ++svg, *end = strchr(name, '>');
        assert_non_null(end);
        size_t quotes = 0;
        for (const char *c = name; c < end; c++) {
            assert_true(*c != '<');
            quotes += *c == '"';
        }
        assert_int_equal(quotes % 2, 0);
        if (*name == '/') {
            assert_true(depth > 0);
            depth--;
            assert_int_equal((size_t)(end - name - 1), length[depth]);
            assert_memory_equal(name + 1, open[depth], length[depth]);
        } else if (end[-1] != '/') {
            assert_true(depth < 64);
            open[depth] = name;
            length[depth++] = strcspn(name, " \n>");
        }
        svg = end;
    }
    assert_int_equal(depth, 0);
}

static void check_entities(const char *svg)
{
    for (svg = strchr(svg, '&'); svg; svg = strchr(svg + 1, '&'))
        assert_true(!strncmp(svg, "&lt;", 4) || !strncmp(svg, "&gt;", 4) ||
                    !strncmp(svg, "&amp;", 5));
}

static ct_xy view_size(const char *svg)
{
    ct_xy size;
    const char *box = strstr(svg, "viewBox=\"0 0 ");
    assert_non_null(box);
    assert_int_equal(sscanf(box + 13, "%lf %lf", &size.x, &size.y), 2);
    return size;
}

static void check_inside(ct_xy p, ct_xy size)
{
    assert_true(isfinite(p.x) && isfinite(p.y));
    assert_true(p.x >= 0 && p.x <= size.x && p.y >= 0 && p.y <= size.y);
}

static ct_xy read_point(const char **at)
{
    char *end;
    ct_xy p;
    p.x = strtod(*at, &end);
    assert_true(end != *at);
    p.y = strtod(end, &end);
    *at = end;
    return p;
}

/* The path itself must be inside; the control points of a curve need not be. */
static void check_path(const char *d, ct_xy size)
{
    ct_xy from = {0, 0};
    for (; *d != '"';) {
        char command = *d++;
        if (command == ' ' || command == 'Z')
            continue;
        assert_non_null(strchr("MLC", command));
        ct_curve curve = {{from}};
        int points = command == 'C' ? 3 : 1;
        for (int i = 1; i <= points; i++)
            curve.p[i] = read_point(&d);
        from = curve.p[points];
        check_inside(from, size);
        for (int i = 0; i <= 20 && command == 'C'; i++)
            check_inside(ct_curve_at(&curve, i / 20.0), size);
    }
}

static void check_paths(const char *svg)
{
    ct_xy size = view_size(svg);
    for (const char *at = strstr(svg, " d=\""); at; at = strstr(at + 1, " d=\""))
        check_path(at + 4, size);
    for (const char *at = strstr(svg, "<circle"); at; at = strstr(at + 1, "<circle")) {
        ct_xy p;
        assert_int_equal(sscanf(at, "<circle cx=\"%lf\" cy=\"%lf\"", &p.x, &p.y), 2);
        check_inside(p, size);
    }
}

/* Reads the next text of the class (NULL: any) and where it is; NULL: there is none. */
static const char *next_text(const char *svg, const char *class, ct_box *box)
{
    while ((svg = strstr(svg, "<text class=\""))) {
        const char *text = strchr(svg, '>') + 1, *end = strstr(text, "</text>");
        char shown[256], found[16], anchor[16] = "start";
        snprintf(shown, sizeof shown, "%.*s", (int)(end - text), text);
        double x, y, width = ct_text_pixels(shown);
        int count =
            sscanf(svg, "<text class=\"%15[^\"]\" x=\"%lf\" y=\"%lf\" text-anchor=\"%15[^\"]",
                   found, &x, &y, anchor);
        assert_true(count >= 3);
        double left = *anchor == 'm' ? x - width / 2 : *anchor == 'e' ? x - width : x;
        *box = (ct_box){left, y - 10, left + width, y + 1};
        svg = end;
        if (!class || !strcmp(class, found))
            return svg;
    }
    return NULL;
}

static void check_texts_inside(const char *svg)
{
    ct_xy size = view_size(svg);
    ct_box box;
    for (const char *at = svg; (at = next_text(at, NULL, &box));) {
        check_inside((ct_xy){box.left, box.top}, size);
        check_inside((ct_xy){box.right, box.bottom}, size);
    }
}

static bool boxes_overlap(const ct_box *a, const ct_box *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

/* Names of this class keep clear of each other. */
static void check_texts_apart(const char *svg, const char *class)
{
    ct_box box[128];
    size_t count = 0;
    for (const char *at = svg; (at = next_text(at, class, &box[count])); count++) {
        assert_true(count < 127);
        for (size_t i = 0; i < count; i++)
            assert_false(boxes_overlap(&box[i], &box[count]));
    }
}

static void check_sound(const char *svg)
{
    check_well_formed(svg);
    check_entities(svg);
    check_paths(svg);
    check_texts_inside(svg);
}

/* ---- tests --------------------------------------------------------------------------------- */

static void test_pictures(void **state)
{
    (void)state;
    for (size_t i = 0; i < PICTURES; i++) {
        ct_context *ctx = ct_context_new(NULL);
        const char *svg = draw(ctx, &pictures[i]);
        keep(pictures[i].name, svg);
        check_sound(svg);
        check_texts_apart(svg, "node-name");
        check_texts_apart(svg, "edge-name");
        ct_context_free(ctx);
    }
}

static void check_shown(const char *svg, const char *class, const char *name)
{
    char want[64];
    const char *at = svg;
    snprintf(want, sizeof want, ">%s</text>", name);
    do {
        at = strstr(at + 1, want);
        assert_non_null(at);
        while (*at != '<')
            at--;
    } while (strncmp(at + 13, class, strlen(class)) && (at = strchr(at, '>')));
}

static void test_names(void **state)
{
    (void)state;
    ct_context *ctx = ct_context_new(NULL);
    for (size_t i = 0; i < 6; i++) {
        job j = {.ctx = ctx, .picture = &pictures[i]};
        assert_int_equal(ct_protect(ctx, draw_job, &j), CT_OK);
        for (uint32_t v = 0; v < j.built->graph.node_count; v++)
            check_shown(j.svg, "node-name", ct_name_text(ctx, j.built->node[v].name));
        for (uint32_t e = 0; e < j.built->graph.edge_count; e++)
            check_shown(j.svg, "edge-name", ct_name_text(ctx, j.built->edge[e].name));
        for (uint32_t d = 0; d < j.built->graph.domain_count; d++)
            check_shown(j.svg, "domain", ct_name_text(ctx, j.built->domain[d].name));
    }
    ct_context_free(ctx);
}

static void test_escaping(void **state)
{
    (void)state;
    ct_context *ctx = ct_context_new(NULL);
    const char *svg = NULL;
    for (size_t i = 0; i < PICTURES; i++)
        if (!strcmp(pictures[i].name, "escape"))
            svg = draw(ctx, &pictures[i]);
    assert_non_null(strstr(svg, ">a&lt;b&amp;c</text>"));
    assert_non_null(strstr(svg, ">R&amp;1</text>"));
    assert_non_null(strstr(svg, ">\xc3\xa4\xce\xa9</text>"));
    assert_non_null(strstr(svg, ">bad\xef\xbf\xbd\xef\xbf\xbd</text>"));
    assert_non_null(strstr(svg, "very_long_component_name_of\xe2\x80\xa6</text>"));
    assert_non_null(strstr(svg, "<title>very_long_component_name_of_a_subsystem.part.edge: "));
    ct_context_free(ctx);
}

static size_t count_text(const char *svg, const char *wanted)
{
    size_t count = 0;
    for (; (svg = strstr(svg, wanted)); svg++)
        count++;
    return count;
}

/* The legend explains branches and chords, and is left out when there is no tree. */
static void test_legend(void **state)
{
    (void)state;
    ct_context *ctx = ct_context_new(NULL);
    job with = {.ctx = ctx, .picture = &pictures[0]}, without = with;
    without.without_tree = true;
    assert_int_equal(ct_protect(ctx, draw_job, &with), CT_OK);
    assert_int_equal(ct_protect(ctx, draw_job, &without), CT_OK);
    assert_int_equal(count_text(with.svg, ">branch (tree)<"), 1);
    assert_int_equal(count_text(with.svg, ">chord (cotree)<"), 1);
    assert_int_equal(count_text(with.svg, "class=\"arrow\""), 6 + 2);
    assert_int_equal(count_text(without.svg, "branch"), 0);
    assert_int_equal(count_text(without.svg, "class=\"arrow\""), 6);
    check_sound(without.svg);
    ct_context_free(ctx);
}

static void test_same_every_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < PICTURES; i++) {
        ct_context *one = ct_context_new(NULL), *two = ct_context_new(NULL);
        assert_string_equal(draw(one, &pictures[i]), draw(two, &pictures[i]));
        ct_context_free(one);
        ct_context_free(two);
    }
}

/* Who follows an edge must not think that it ends at a node on its way. */
static void check_edges_miss_nodes(ct_context *ctx, const ct_graph *graph)
{
    ct_plan plan = ct_plan_domain(graph, 0, ctx->base);
    ct_layout layout = ct_layout_domain(&plan);
    for (uint32_t e = 0; e < plan.edge_count; e++)
        assert_int_equal(ct_layout_hits(&plan, &layout, e), 0);
}

static void check_large(const large_case *large, double most_effort)
{
    ct_context *ctx = ct_context_new(NULL);
    job j = {.ctx = ctx, .large = large};
    assert_int_equal(ct_protect(ctx, draw_job, &j), CT_OK);
    keep(large->name, j.svg);
    check_sound(j.svg);
    if (!large->lots) /* meshes and ladders keep their names apart */
        check_texts_apart(j.svg, "node-name");
    if (!large->lots && large->nodes < CT_NAMED_NODES)
        check_edges_miss_nodes(ctx, &j.built->graph);
    if (large->says)
        assert_non_null(strstr(j.svg, large->says));
    print_message("%s: %.3g\n", large->name, j.effort);
    assert_true(j.effort < most_effort);
    ct_context_free(ctx);
}

/* Named up to 60 nodes, then a grid without names, then no picture at all. */
static void test_large(void **state)
{
    (void)state;
    static const large_case cases[] = {
        {"ladder60", 59, 0, 0, ">n59</text>"},
        {"ladder24", 24, 0, 0, ">n24</text>"},
        {"mesh36", 36, 6, 0, ">n36</text>"},
        {"mesh35", 35, 7, 0, ">n35</text>"},
        {"mesh30", 30, 5, 0, ">n30</text>"},
        {"mesh48", 48, 6, 0, ">n48</text>"},
        {"lots20", 20, 0, 34, ">n20</text>"},
        {"lots60", 59, 0, 250, ">n59</text>"},
        {"ladder61", 61, 0, 0, ">electrical (62 nodes, 121 edges), bars stand for g</text>"},
        {"ladder300", 300, 0, 0, ">electrical (301 nodes, 599 edges)"},
        {"mesh400", 400, 20, 0, "(401 nodes, 818 edges)"},
        {"lots200", 200, 0, 400, "(201 nodes, 400 edges)"},
        {"dense", 20, 0, 2000, "(21 nodes, 2000 edges)"},
        {"too_many", 1001, 0, 0, ">1002 nodes and 2001 edges: too many for a picture</text>"},
        {"huge", 50000, 0, 0, ">50001 nodes and 99999 edges: too many for a picture</text>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_large(&cases[i], 4000);
}

/* Graphs of all sizes and shapes, islands, loops and twins among them. */
static void test_by_lot(void **state)
{
    (void)state;
    for (uint32_t i = 1; i <= 120; i++) {
        large_case large = {"lot", 1 + i % 13, 0, 1 + i / 6, NULL};
        check_large(&large, 100);
    }
}

/* Every allocation fails once; the context stays usable and gives everything back. */
static void check_memory(const picture *p)
{
    for (long n = 0;; n++) {
        long left = n;
        ct_context_def def = ct_default_context_def();
        def.realloc = failing_realloc;
        def.realloc_user = &left;
        ct_context *ctx = ct_context_new(&def);
        job j = {.ctx = ctx, .picture = p};
        ct_status status = ctx ? ct_protect(ctx, draw_job, &j) : CT_ERR_MEMORY;
        assert_true(status == CT_OK || status == CT_ERR_MEMORY);
        left = LONG_MAX;
        if (ctx)
            assert_non_null(draw(ctx, p));
        ct_context_free(ctx);
        if (status == CT_OK)
            break;
    }
}

static void test_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < PICTURES; i++)
        check_memory(&pictures[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures),        cmocka_unit_test(test_names),
        cmocka_unit_test(test_escaping),        cmocka_unit_test(test_legend),
        cmocka_unit_test(test_same_every_time), cmocka_unit_test(test_large),
        cmocka_unit_test(test_by_lot),          cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
