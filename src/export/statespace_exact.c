/* statespace_exact.c - impedances of fields as they are, without modes or cells. */
#include "export/statespace.h"

/* A line of the output: a formula over s and params, or one over names before it. */
typedef struct formula {
    const char *name, *text;
    ct_expr e;
} formula;

typedef CT_VEC(formula) formulas;

static const ct_model *model_of(const ct_sheet *s)
{
    return s->ss->model;
}

static ct_expr root_of(ct_pool *p, ct_expr e)
{
    return ct_expr_pow(p, e, ct_expr_ratio(p, 1, 2));
}

typedef struct maker {
    const ct_model *model;
    uint32_t component;
    ct_arena *arena;
    ct_expr s;
    formulas list;
} maker;

static ct_expr of(const maker *m, ct_expr e)
{
    return ct_component_instance(m->model, m->component, e);
}

static void add_expr(maker *m, const char *name, ct_expr e)
{
    CT_PUSH(m->arena, m->list, ((formula){.name = name, .e = e}));
}

static void add_texts(maker *m, const formula *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        CT_PUSH(m->arena, m->list, list[i]);
}

/* 1 + tau s */
static ct_expr lag_of(const maker *m, const ct_field_line *line)
{
    ct_pool *p = m->model->pool;
    return ct_expr_add(p, ct_expr_int(p, 1), ct_expr_mul(p, of(m, line->tau), m->s));
}

/* a s + b */
static ct_expr rate_of(const maker *m, ct_expr a, ct_expr b)
{
    ct_pool *p = m->model->pool;
    return ct_expr_add(p, ct_expr_mul(p, of(m, a), m->s), of(m, b));
}

/* Two roots, not one of the product: that is wrong where s is not on the axis. */
static void add_line(maker *m, const ct_field_line *line)
{
    static const formula rest[] = {{"Z11", "Zc*coth(gamma)", 0}, {"Z12", "Zc/sinh(gamma)", 0}};
    ct_pool *p = m->model->pool;
    ct_expr series = rate_of(m, line->l, line->r), shunt = rate_of(m, line->c, line->g);
    ct_expr one = root_of(p, ct_expr_div(p, series, lag_of(m, line))), two = root_of(p, shunt);
    add_expr(m, "gamma", ct_expr_mul(p, of(m, line->length), ct_expr_mul(p, one, two)));
    add_expr(m, "Zc", ct_expr_div(p, one, two));
    add_texts(m, rest, sizeof rest / sizeof *rest);
}

/* ---- beams: m mass, f and h how softly it bends and shears, j rotary inertia, N tension; all per
 * length, with s */

static const formula bernoulli[] = {
    {"b", "length*(-m*f)^(1/4)", 0},
    {"D", "f*length^3*(1 - cos(b)*cosh(b))", 0},
    {"K11", "b^3*(sin(b)*cosh(b) + cos(b)*sinh(b))/D", 0},
    {"K12", "length*b^2*sin(b)*sinh(b)/D", 0},
    {"K13", "-b^3*(sin(b) + sinh(b))/D", 0},
    {"K14", "length*b^2*(cosh(b) - cos(b))/D", 0},
    {"K22", "length^2*b*(sin(b)*cosh(b) - cos(b)*sinh(b))/D", 0},
    {"K24", "length^2*b*(sinh(b) - sin(b))/D", 0},
};

/* Both ends alike (E) and against each other (O). */
static const formula timoshenko[] = {
    {"k", "1/(1 + h*N)", 0},
    {"n", "f*(k*N + j)", 0},
    {"c", "(k*h*m + n)/2", 0},
    {"p1", "sqrt(c + sqrt(c^2 - k*m*(h*n + k*f)))", 0},
    {"p2", "sqrt(c - sqrt(c^2 - k*m*(h*n + k*f)))", 0},
    {"t1", "sinh(p1*length/2)/cosh(p1*length/2)", 0},
    {"t2", "sinh(p2*length/2)/cosh(p2*length/2)", 0},
    {"a1", "p1/k - h*m/p1", 0},
    {"a2", "p2/k - h*m/p2", 0},
    {"D", "a2*t2 - a1*t1", 0},
    {"E11", "m*(a2/p1 - a1/p2)*t1*t2/D", 0},
    {"E12", "m*(t2/p2 - t1/p1)/D", 0},
    {"E22", "(a2*p2 - a1*p1)/(f*D)", 0},
    {"d", "a2/t2 - a1/t1", 0},
    {"O11", "m*(a2/p1 - a1/p2)/(t1*t2*d)", 0},
    {"O12", "m*(1/(p2*t2) - 1/(p1*t1))/d", 0},
    {"O22", "(a2*p2 - a1*p1)/(f*d)", 0},
    {"K11", "(E11 + O11)/2", 0},
    {"K12", "-(E12 + O12)/2", 0},
    {"K13", "(E11 - O11)/2", 0},
    {"K14", "(E12 - O12)/2", 0},
    {"K22", "(E22 + O22)/2", 0},
    {"K24", "(O22 - E22)/2", 0},
};

static void add_beam(maker *m, const ct_field_line *line)
{
    ct_pool *p = m->model->pool;
    ct_expr lag = lag_of(m, line), s = m->s;
    ct_expr shear = of(m, line->shear), rotary = of(m, line->rotary), pull = of(m, line->tension);
    add_expr(m, "length", of(m, line->length));
    add_expr(m, "m", ct_expr_mul(p, rate_of(m, line->c, line->g), s));
    add_expr(m, "f", ct_expr_div(p, of(m, line->l), lag));
    if (ct_expr_is_zero(p, shear) && ct_expr_is_zero(p, rotary) && ct_expr_is_zero(p, pull)) {
        add_texts(m, bernoulli, sizeof bernoulli / sizeof *bernoulli);
        return;
    }
    add_expr(m, "h", ct_expr_div(p, shear, lag));
    add_expr(m, "j", ct_expr_mul(p, rotary, ct_expr_mul(p, s, s)));
    add_expr(m, "N", pull);
    add_texts(m, timoshenko, sizeof timoshenko / sizeof *timoshenko);
}

static formulas formulas_of(const ct_model *model, uint32_t component, ct_arena *arena)
{
    maker m = {.model = model, .component = component, .arena = arena};
    const ct_field_line *line = model->element[model->component[component].element]->line;
    m.s = ct_expr_symbol(model->pool, ct_intern_text(model->ctx, "s"));
    (line->bends ? add_beam : add_line)(&m, line);
    return m.list;
}

/* A field as a whole, not one that a key or its own text makes another at each place. */
static const ct_element *field_of(const ct_model *m, uint32_t component)
{
    const ct_element *e = m->element[m->component[component].element];
    return e->is_field ? e : NULL;
}

/* Why it has no impedances of its own; NULL: it has. */
static const char *lack_of(const ct_model *m, uint32_t component, const ct_element *e)
{
    if (!e->line)
        return "none: it is not the same along its length, or has unsteady losses";
    bool ratio = ct_model_value(m, ct_component_instance(m, component, e->line->zeta)) != 0;
    return ratio ? "none: a damping ratio zeta belongs to modes, and it has none" : NULL;
}

static const char line_head[] =
    "exact impedances: across at both ends = [Z11, Z12; Z12, Z11] times what flows in\n";
static const char beam_head[] =
    "exact stiffness: forces and torques into both ends = K times deflections and slopes,\n"
    "    K = [K11, K12, K13, K14; K12, K22, -K14, K24; K13, -K14, K11, -K12; K14, K24, -K12, "
    "K22]\n";

static void put_formula(ct_pool *pool, const formula *f, ct_text *out)
{
    ct_putf(out, "        %s = ", f->name);
    if (f->text)
        ct_put(out, f->text);
    else
        ct_expr_put_read(pool, out, f->e);
    ct_put(out, "\n");
}

/* Slopes that have no port. */
static void put_slopes(const ct_field_line *line, ct_text *out)
{
    static const char *const where[] = {"begin", "end"};
    for (uint32_t end = 0; end < 2; end++)
        if (line->edge[2 * end + 1] == CT_NO_END_EDGE)
            ct_putf(out, "        the slope at the %s is %s\n", where[end],
                    line->fixed[2 * end + 1] ? "zero" : "free: the torque there is zero");
}

static void put_component(const ct_sheet *s, uint32_t i, const ct_element *e, ct_text *out)
{
    const ct_model *m = model_of(s);
    const char *lack = lack_of(m, i, e);
    ct_putf(out, "    %s", ct_name_text(m->ctx, m->component[i].name));
    if (lack) {
        ct_putf(out, "  %s\n", lack);
        return;
    }
    formulas list = formulas_of(m, i, s->arena);
    ct_put(out, "\n");
    for (uint32_t k = 0; k < list.count; k++)
        put_formula(m->pool, &list.at[k], out);
    if (e->line->bends)
        put_slopes(e->line, out);
}

/* Lines first, then beams. */
void ct_sheet_put_exact_text(const ct_sheet *s, ct_text *out)
{
    const ct_model *m = model_of(s);
    for (int bends = 0; bends < 2; bends++) {
        bool begun = false;
        for (uint32_t i = 0; i < m->component_count; i++) {
            const ct_element *e = field_of(m, i);
            if (!e || (e->line && e->line->bends) != bends)
                continue;
            if (!begun)
                ct_putf(out, "\n%s", bends ? beam_head : line_head);
            begun = true;
            put_component(s, i, e, out);
        }
    }
}

static void put_text(ct_arena *arena, ct_pool *pool, const formula *f, ct_json *j)
{
    ct_text text = ct_text_new(arena);
    if (!f->text)
        ct_expr_put(pool, &text, f->e);
    ct_json_text(j, f->name, f->text ? f->text : ct_text_string(&text));
}

void ct_sheet_put_exact_json(const ct_sheet *s, ct_json *j)
{
    const ct_model *m = model_of(s);
    ct_json_line(j, 1);
    ct_json_open(j, "exact", '[');
    for (uint32_t i = 0; i < m->component_count; i++) {
        const ct_element *e = field_of(m, i);
        if (!e || lack_of(m, i, e))
            continue;
        formulas list = formulas_of(m, i, s->arena);
        ct_json_open(j, NULL, '{');
        ct_json_text(j, "element", ct_name_text(m->ctx, m->component[i].name));
        for (uint32_t k = 0; k < list.count; k++)
            put_text(s->arena, m->pool, &list.at[k], j);
        ct_json_close(j, '}');
    }
    ct_json_close(j, ']');
}

bool ct_sheet_all_exact(const ct_sheet *s)
{
    const ct_model *m = model_of(s);
    uint32_t fields = 0;
    for (uint32_t i = 0; i < m->component_count; i++) {
        const ct_element *e = field_of(m, i);
        if (e && lack_of(m, i, e))
            return false;
        fields += e != NULL;
    }
    return fields;
}

bool ct_statespace_has_exact(const ct_statespace *ss)
{
    const ct_model *m = ss->model;
    for (uint32_t i = 0; i < m->component_count; i++)
        if (field_of(m, i))
            return true;
    ct_report *r = ct_error(m->ctx, "E422", (ct_place){0}, "the model has no field");
    ct_note(r, "exact impedances are those of elements that are spread along a line");
    ct_help(r, "leave out --exact");
    return false;
}
