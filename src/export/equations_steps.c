/* equations_steps.c - the derivation of equations of motion in vectors [McPhee-2, section 4.5]:
 * terminal equations, projected cutsets of branches with coordinates, projected circuits of
 * chords, and the chord transformations that eliminate forces of arms (eqs. 120-129). */
#include "export/equations_make.h"
#include "graph/bodies.h"
#include "mechanics/mechanics.h"

enum { MOST_ENTRIES = 100000 };

typedef CT_VEC(const char *) line_list;

typedef struct signed_edge {
    uint32_t edge;
    int8_t sign;
} signed_edge;

typedef struct stepper {
    maker *m;
    const ct_mechanics *mech;
    const ct_tree *tree;
    const ct_topology *topology;
    uint32_t *start; /* per branch: its cutset's chords */
    signed_edge *chord;
    line_list line;
} stepper;

static const char *name_text(const stepper *s, ct_name name)
{
    return ct_name_text(s->m->model->ctx, name);
}

/* ---- the same as text and as LaTeX: there a tab stands between the label and the formula */

static bool in_latex(const stepper *s)
{
    return s->m->def.format == CT_EQUATIONS_LATEX;
}

static void put_label(const stepper *s, const char *name, ct_text *out)
{
    if (in_latex(s))
        ct_put_latex_words(out, ct_printf(s->m->model->ctx, "%s:", name));
    ct_put(out, in_latex(s) ? "\t" : ct_printf(s->m->model->ctx, "%s: ", name));
}

/* The same for a variable. */
static void put_variable_label(const stepper *s, ct_name name, ct_text *out)
{
    if (!in_latex(s)) {
        put_label(s, name_text(s, name), out);
        return;
    }
    ct_latex_symbol(out, name_text(s, name));
    ct_put(out, "\\colon\t");
}

static bool is_scalar(const char *what)
{
    return strcmp(what, "theta") == 0 || strcmp(what, "alpha") == 0 || strcmp(what, "omega") == 0 ||
           strcmp(what, "s") == 0;
}

/* F_crank; what: F, T, r, a, u, theta, alpha. name NULL: of no edge. */
static void put_variable(const stepper *s, const char *what, const char *name, ct_text *out)
{
    if (!in_latex(s)) {
        ct_putf(out, name ? "%s_%s" : "%s", what, name);
        return;
    }
    bool digit = what[0] == 'e' && (what[1] == '1' || what[1] == '2');
    if (is_scalar(what))
        ct_putf(out, "%s%s", what[1] ? "\\" : "", what);
    else
        ct_putf(out, digit ? "\\vec{e}_{%.1s}" : "\\vec{%s}", digit ? what + 1 : what);
    if (!name)
        return;
    ct_put(out, "_{");
    ct_put_latex_words(out, name);
    ct_put(out, "}");
}

static void put_expr(const stepper *s, ct_expr e, ct_text *out)
{
    (in_latex(s) ? ct_expr_put_latex : ct_expr_put_read)(s->mech->pool, out, e);
}

static const char *times(const stepper *s)
{
    return in_latex(s) ? " \\, " : "*";
}

static const char *dot(const stepper *s)
{
    return in_latex(s) ? " \\cdot " : " . ";
}

/* Laws of joints: `r_J1 = 0;  T_J1 . k = 0`, word by word. */
static void put_law(const stepper *s, const char *law, ct_text *out)
{
    if (!in_latex(s)) {
        ct_put(out, law);
        return;
    }
    for (size_t n; *law; law += n) {
        n = strspn(law, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        const char *word = ct_printf(s->m->model->ctx, "%.*s", (int)n, law);
        size_t name = law[n] == '_' ? strcspn(law + n + 1, " |,;") : 0;
        if (n == 0) {
            ct_put_bytes(out,
                         *law == '.'   ? "\\cdot"
                         : *law == ';' ? ";\\quad"
                                       : law,
                         *law == '.'   ? 5
                         : *law == ';' ? 6
                                       : (n = 1));
            n = 1;
        } else if (n == 1 || is_scalar(word)) {
            put_variable(s, word,
                         name ? ct_printf(s->m->model->ctx, "%.*s", (int)name, law + n + 1) : NULL,
                         out);
            n += name ? name + 1 : 0;
        } else {
            ct_putf(out, "\\text{ %s }", word);
        }
    }
}

static void add_line(stepper *s, ct_text *text)
{
    CT_PUSH(s->m->arena, s->line, ct_text_string(text));
}

static void end_lines(stepper *s, const char *title)
{
    uint32_t count = s->line.count;
    bool cut = !ct_equations_are_whole(&s->m->def) && count > CT_MOST_SHOWN;
    ct_equation_group g = {.kind = CT_GROUP_TRACE,
                           .title = title,
                           .line = s->line.at,
                           .line_count = cut ? CT_MOST_SHOWN : count,
                           .total = count};
    if (count)
        CT_PUSH(s->m->arena, s->m->group, g);
    s->line = (line_list){0};
}

/* ---- cutsets by branch */

static void turn_topology(stepper *s)
{
    const ct_topology *t = s->topology;
    const ct_tree *tree = s->tree;
    uint64_t all = t->entry_start[tree->chord_count];
    s->start = CT_NEW_ARRAY(s->m->arena, uint32_t, tree->branch_count + 2);
    s->chord = CT_NEW_ARRAY(s->m->arena, signed_edge, all + 1);
    uint32_t *at = s->start + 1;
    for (uint64_t i = 0; i < all; i++)
        at[t->row[i] + 1]++;
    for (uint32_t b = 2; b < tree->branch_count + 2; b++)
        s->start[b] += s->start[b - 1];
    for (uint32_t k = 0; k < tree->chord_count; k++)
        for (uint64_t i = t->entry_start[k]; i < t->entry_start[k + 1]; i++)
            s->chord[at[t->row[i]]++] = (signed_edge){tree->chord[k], t->sign[i]};
}

static void put_signed(const stepper *s, const char *what, uint32_t edge, int sign, bool first,
                       ct_text *out)
{
    ct_put(out, first ? (sign < 0 ? "-" : "") : sign < 0 ? " - " : " + ");
    put_variable(s, what, name_text(s, s->tree->graph->edge[edge].name), out);
}

/* F_b + sum of A_c F_c */
static void put_cutset(const stepper *s, const char *what, uint32_t branch, ct_text *out)
{
    put_signed(s, what, branch, 1, true, out);
    uint32_t b = s->tree->row[branch];
    for (uint32_t i = s->start[b]; i < s->start[b + 1]; i++)
        put_signed(s, what, s->chord[i].edge, s->chord[i].sign, false, out);
}

/* r_c - sum of A_c^T r_b: branches by the way from the chord's head home to its tail */
static void put_circuit(const stepper *s, const char *what, uint32_t chord, ct_text *out)
{
    const ct_topology *t = s->topology;
    uint32_t k = s->tree->row[chord];
    put_signed(s, what, chord, 1, true, out);
    for (uint64_t i = t->entry_start[k]; i < t->entry_start[k + 1]; i++)
        put_signed(s, what, s->tree->branch[t->row[i]], -t->sign[i], false, out);
}

/* ---- terminal equations [McPhee-2, Table 4] */

static void put_factor(const stepper *s, ct_expr e, ct_text *out)
{
    bool sum = ct_expr_kind_of(s->mech->pool, e) == CT_EXPR_SUM;
    ct_put(out, !sum ? "" : in_latex(s) ? "\\left(" : "(");
    put_expr(s, e, out);
    ct_put(out, !sum ? "" : in_latex(s) ? "\\right)" : ")");
}

static void put_load(stepper *s, const ct_graph_edge *e)
{
    const ct_vector_load *l = &s->mech->mechanism->load[e->owner];
    bool spatial = s->mech->mechanism->spatial;
    const char *name = name_text(s, e->name);
    ct_text text = ct_text_new(s->m->arena);
    put_label(s, name, &text);
    put_variable(s, l->torque ? "T" : "F", name, &text);
    ct_put(&text, " = -");
    if (l->torque && !spatial) {
        put_factor(s, l->value.c[2], &text);
        ct_put(&text, times(s));
        put_variable(s, "k", NULL, &text);
        add_line(s, &text);
        return;
    }
    for (int i = 0; i < (spatial ? 3 : 2); i++) {
        ct_put(&text, i ? ", " : in_latex(s) ? "\\left[" : "[");
        put_expr(s, l->value.c[i], &text);
    }
    ct_put(&text, in_latex(s) ? "\\right]" : "]");
    add_line(s, &text);
}

/* T = -(I alpha + omega x I omega) - sum of r x F, in the plane -I alpha - .. */
static void put_turning(const stepper *s, const ct_body *b, const char *name, ct_text *out)
{
    bool latex = in_latex(s);
    ct_put(out, latex ? ";\\, \\quad " : ";  ");
    put_variable(s, "T", name, out);
    ct_put(out, " = -");
    if (s->mech->mechanism->spatial) {
        ct_put(out, latex ? "(I \\, " : "(I ");
        put_variable(s, "alpha", name, out);
        ct_put(out, " + ");
        put_variable(s, "omega", name, out);
        ct_put(out, latex ? " \\times I \\, " : " x I ");
        put_variable(s, "omega", name, out);
        ct_put(out, ")");
    } else {
        put_factor(s, b->inertia[2], out);
        ct_put(out, times(s));
        put_variable(s, "alpha", name, out);
    }
    ct_put(out, latex ? " - \\sum_{\\text{arms}} \\vec{r} \\times \\vec{F}"
                      : " - sum of r x F over its arms");
}

static void put_body(stepper *s, const ct_graph_edge *e)
{
    const ct_body *b = &s->mech->mechanism->body[e->owner];
    const char *name = name_text(s, e->name);
    ct_text text = ct_text_new(s->m->arena);
    put_label(s, name, &text);
    put_variable(s, "F", name, &text);
    ct_put(&text, " = -");
    put_factor(s, b->mass, &text);
    ct_putf(&text, "%s(", times(s));
    put_variable(s, "a", name, &text);
    ct_put(&text, " - ");
    put_variable(s, "g", NULL, &text);
    ct_put(&text, ")");
    if (!b->particle)
        put_turning(s, b, name, &text);
    if (b->flexible)
        put_law(s, ";  and its shape", &text);
    add_line(s, &text);
}

static void put_joint(stepper *s, const ct_graph_edge *e)
{
    const ct_joint *j = &s->mech->mechanism->joint[e->owner];
    const char *name = name_text(s, e->name);
    ct_text text = ct_text_new(s->m->arena);
    bool turned = j->drive[CT_TURN] || j->rate[CT_TURN],
         slid = j->drive[CT_SLIDE] || j->rate[CT_SLIDE];
    put_label(s, name, &text);
    put_law(s,
            j->elastic ? "r = r(q), theta = theta(q) of the body that bends"
                       : ct_printf(s->m->model->ctx, ct_joint_types[j->kind].law, name, name),
            &text);
    put_law(s, turned ? ";  theta driven" : slid ? ";  s driven" : "", &text);
    add_line(s, &text);
}

static void show_terminals(stepper *s)
{
    const ct_graph *g = s->tree->graph;
    for (uint32_t i = g->scalar_edge_count; i < g->edge_count; i++) {
        const ct_graph_edge *e = &g->edge[i];
        bool turning = ct_is_rotational(g, i);
        if (e->kind == CT_EDGE_BODY && !turning)
            put_body(s, e);
        else if (e->kind == CT_EDGE_JOINT && !turning)
            put_joint(s, e);
        else if (e->kind == CT_EDGE_LOAD)
            put_load(s, e);
    }
    end_lines(s, s->mech->mechanism->spatial
                     ? "Terminal equations, in vectors; k, u: the axis of the joint"
                     : "Terminal equations, in vectors");
}

/* ---- projections */

static const char *direction(const ct_coordinate *c, bool two)
{
    return c->angle ? "k" : !two && !c->of_body ? "u" : c->axis ? "e2" : "e1";
}

static void show_cutsets(stepper *s)
{
    const ct_bodies *b = s->tree->graph->bodies;
    for (uint32_t i = 0; i < s->mech->coordinate_count; i++) {
        const ct_coordinate *c = &s->mech->coordinate[i];
        uint32_t edge = (c->of_body ? b->body_edge : b->joint_edge)[c->angle][c->object];
        if (!c->u || c->of_shape || edge == UINT32_MAX || !s->tree->is_branch[edge])
            continue;
        bool two = !c->of_body && s->mech->mechanism->joint[c->object].kind == CT_JOINT_FREE;
        ct_text text = ct_text_new(s->m->arena);
        put_variable_label(s, c->q, &text);
        ct_put(&text, in_latex(s) ? "\\left[" : "[");
        put_cutset(s, c->angle ? "T" : "F", edge, &text);
        ct_putf(&text, "%s%s", in_latex(s) ? "\\right]" : "]", dot(s));
        put_variable(s, direction(c, two), NULL, &text);
        ct_put(&text, " = 0");
        add_line(s, &text);
    }
    end_lines(s, "Step 1, projected cutset equations, one for each coordinate");
}

/* Constraints of one joint come one after the other. */
static const char *const along[CT_ROW_KINDS] = {
    [CT_ROW_X] = "e1",          [CT_ROW_Y] = "e2",         [CT_ROW_NORMAL] = "n",
    [CT_ROW_Z] = "e3",          [CT_ROW_NORMAL_1] = "n1",  [CT_ROW_NORMAL_2] = "n2",
    [CT_ROW_LEVEL] = "n",       [CT_ROW_AIM_1] = "m1",     [CT_ROW_AIM_2] = "m2",
    [CT_ROW_AIM_3] = "m3",      [CT_ROW_EVEN] = "m",       [CT_ROW_TOUCH] = "n",
    [CT_ROW_ROLL_1] = "t1",     [CT_ROW_ROLL_2] = "t2",    [CT_ROW_TURN] = "k",
    [CT_ROW_DRIVE_SLIDE] = "u", [CT_ROW_DRIVE_TURN] = "k", [CT_ROW_COUPLE_SLIDE] = "u",
    [CT_ROW_COUPLE_TURN] = "k",
};

static void show_circuits(stepper *s)
{
    const ct_bodies *b = s->tree->graph->bodies;
    const ct_mechanics *mech = s->mech;
    for (uint32_t i = 0; i < mech->constraint_count; i++) {
        const ct_constraint *c = &mech->constraint[i];
        bool angle = ct_is_turn_row(c->row);
        uint32_t edge = b->joint_edge[angle][c->joint];
        if (edge == UINT32_MAX || s->tree->is_branch[edge])
            continue;
        ct_text text = ct_text_new(s->m->arena);
        bool rod = c->row == CT_ROW_ROD;
        put_variable_label(s, c->multiplier, &text);
        ct_putf(&text, "%s%s", in_latex(s) ? "\\left" : "", rod ? "|" : "[");
        put_circuit(s, angle ? "theta" : "r", edge, &text);
        ct_putf(&text, "%s%s", in_latex(s) ? "\\right" : "", rod ? "|" : "]");
        ct_put(&text, !rod ? dot(s) : in_latex(s) ? " = \\text{length}" : " = length");
        if (!rod) {
            put_variable(s, along[c->row], NULL, &text);
            ct_put(&text, " = 0");
        }
        add_line(s, &text);
    }
    end_lines(s, "Step 2, projected circuit equations, one for each multiplier");
}

/* F_b = -[A_c] F_c: forces of arms and joints by those of chords */
static void show_forces(stepper *s)
{
    const ct_graph *g = s->tree->graph;
    for (uint32_t e = g->scalar_edge_count; e < g->edge_count && !ct_is_rotational(g, e); e++) {
        if (!s->tree->is_branch[e])
            continue;
        ct_text text = ct_text_new(s->m->arena);
        uint32_t b = s->tree->row[e];
        put_signed(s, "F", e, 1, true, &text);
        ct_put(&text, s->start[b] < s->start[b + 1] ? " = " : " = 0");
        for (uint32_t i = s->start[b]; i < s->start[b + 1]; i++)
            put_signed(s, "F", s->chord[i].edge, -s->chord[i].sign, i == s->start[b], &text);
        add_line(s, &text);
    }
    end_lines(s, "Step 3, forces of branches by those of chords");
}

void ct_show_motion_steps(maker *m)
{
    uint64_t entries;
    stepper s = {.m = m, .mech = m->system->mechanics, .tree = m->system->tree};
    s.topology = ct_topology_new(s.tree, s.tree->chord_count, MOST_ENTRIES, &entries);
    show_terminals(&s);
    if (!s.topology)
        return;
    turn_topology(&s);
    show_cutsets(&s);
    show_circuits(&s);
    show_forces(&s);
}
