/* plot_trace.c - from the values of a curve to its points on the page. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "export/plot.h"

/* Okabe and Ito's colours without the yellow, which is too light for lines on white. */
static const ct_plot_color colors[CT_PLOT_COLORS] = {
    {"#0072b2", "38;5;32"},  {"#d55e00", "38;5;166"}, {"#009e73", "38;5;36"},
    {"#cc79a7", "38;5;175"}, {"#e69f00", "38;5;214"}, {"#56b4e9", "38;5;74"},
    {"#333333", "38;5;244"},
};

const ct_plot_color *ct_plot_color_of(uint32_t curve)
{
    return &colors[curve % CT_PLOT_COLORS];
}

const char *ct_plot_curve_name(const ct_figure *figure, uint32_t curve)
{
    return figure->curve[curve].label ? figure->curve[curve].label : "";
}

const char *ct_plot_y_label(const ct_figure *figure)
{
    if (figure->y_label || figure->curve_count != 1)
        return figure->y_label;
    return figure->curve[0].label;
}

/* One curve whose name stands at the axis or in the title needs none. */
bool ct_plot_has_legend(const ct_figure *figure)
{
    if (figure->curve_count != 1 || figure->no_legend)
        return figure->curve_count > 1 && !figure->no_legend;
    const char *name = ct_plot_curve_name(figure, 0);
    return *name && figure->y_label && !strstr(figure->y_label, name) &&
           !(figure->title && strstr(figure->title, name));
}

/* ---- extent -------------------------------------------------------------------------------- */

static double x_value(const ct_figure *figure, uint32_t curve, uint64_t i)
{
    const double *x = figure->curve[curve].x ? figure->curve[curve].x : figure->time;
    return x ? x[i] : (double)i;
}

static bool is_shown(const ct_figure *figure, double x, double y)
{
    if (figure->x_log && !(x > 0))
        return false;
    return fabs(x) <= CT_PLOT_LARGEST && fabs(y) <= CT_PLOT_LARGEST; /* false for nan */
}

static void include(ct_range *range, double value)
{
    range->lo = fmin(range->lo, value);
    range->hi = fmax(range->hi, value);
}

ct_plot_extent ct_plot_measure(const ct_figure *figure)
{
    ct_plot_extent e = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}, true, true};
    for (uint32_t c = 0; c < figure->curve_count; c++) {
        double before = -INFINITY;
        for (uint64_t i = 0; i < figure->curve[c].count; i++) {
            double x = x_value(figure, c, i), y = figure->curve[c].y[i];
            if (!is_shown(figure, x, y))
                continue;
            include(&e.x, x);
            include(&e.y, y);
            e.x_rises &= x >= before;
            e.empty = false;
            before = x;
        }
    }
    if (e.empty) {
        e.y = (ct_range){0, 1};
        e.x = (ct_range){figure->x_log ? 0.1 : 0, 1};
    }
    return e;
}

typedef struct time_unit {
    double from, size; /* s; from: the shortest axis that is in this unit */
    const char *name;
} time_unit;

/* Long times in units of their own; NULL: seconds, or no time at all. */
static const time_unit *find_time_unit(const char *label, const ct_plot_extent *e)
{
    static const time_unit units[] = {{4 * 86400, 86400, "d"}, {3 * 3600, 3600, "h"}};
    size_t length = label ? strlen(label) : 0;
    bool seconds = length >= 3 && strcmp(label + length - 3, "[s]") == 0;
    for (size_t i = 0; seconds && i < sizeof units / sizeof *units; i++)
        if (e->x.hi - e->x.lo >= units[i].from)
            return &units[i];
    return NULL;
}

ct_axis ct_plot_x_axis(const ct_figure *figure, const ct_plot_extent *e, uint32_t most_ticks)
{
    if (figure->x_log)
        return ct_axis_new_decades(e->x.lo, e->x.hi, most_ticks);
    const time_unit *unit = find_time_unit(figure->x_label, e);
    double size = unit ? unit->size : 1;
    ct_axis axis =
        ct_axis_new(e->x.lo / size, e->x.hi / size, most_ticks, e->x_rises && e->x.lo < e->x.hi);
    if (unit) {
        axis.size = size;
        axis.sized = unit->name;
    }
    return axis;
}

ct_axis ct_plot_y_axis(const ct_figure *figure, const ct_plot_extent *e, uint32_t most_ticks)
{
    static const int64_t degrees[] = {15, 30, 45, 90, 180, 360, 720, 0};
    static const int64_t decibel[] = {10, 20, 40, 60, 80, 100, 200, 400, 0};
    switch (figure->y_ticks) {
    case CT_TICKS_DEGREES:
        return ct_axis_new_steps(e->y.lo, e->y.hi, most_ticks, degrees);
    case CT_TICKS_DECIBEL:
        return ct_axis_new_steps(e->y.lo, e->y.hi, most_ticks, decibel);
    case CT_TICKS_PLAIN:
        break;
    }
    return ct_axis_new(e->y.lo, e->y.hi, most_ticks, false);
}

/* ---- view ---------------------------------------------------------------------------------- */

double ct_plot_x(const ct_plot_view *view, double x)
{
    return view->left + ct_axis_part(view->x, x) * (view->right - view->left);
}

double ct_plot_y(const ct_plot_view *view, double y)
{
    return view->bottom - ct_axis_part(view->y, y) * (view->bottom - view->top);
}

/* ---- trace --------------------------------------------------------------------------------- */

typedef struct run_point {
    double x, y;
    uint64_t index;
} run_point;

/* Consecutive points within one column. */
typedef struct run {
    run_point first, low, high, last;
    double column;
    bool open, joined; /* joined: to the run before it */
} run;

static void emit(ct_plot_trace *trace, const run_point *p, bool begins, ct_arena *arena)
{
    CT_PUSH(arena, *trace, (ct_plot_point){p->x, p->y, begins});
}

/* In the order in which the curve passes them, each once. */
static void close_run(ct_plot_trace *trace, run *r, ct_arena *arena)
{
    if (!r->open)
        return;
    const run_point *early = &r->low, *late = &r->high;
    if (early->index > late->index) {
        early = &r->high;
        late = &r->low;
    }
    emit(trace, &r->first, !r->joined, arena);
    if (early->index > r->first.index && early->index < r->last.index)
        emit(trace, early, false, arena);
    if (late->index > early->index && late->index < r->last.index)
        emit(trace, late, false, arena);
    if (r->last.index > r->first.index)
        emit(trace, &r->last, false, arena);
    r->open = false;
    r->joined = true;
}

static void extend_run(run *r, run_point p)
{
    if (!r->open)
        r->first = r->low = r->high = p;
    if (p.y < r->low.y)
        r->low = p;
    if (p.y > r->high.y)
        r->high = p;
    r->last = p;
    r->open = true;
}

ct_plot_trace ct_plot_trace_new(const ct_figure *figure, uint32_t curve, const ct_plot_view *view,
                                double column, ct_arena *arena)
{
    ct_plot_trace trace = {0};
    run r = {0};
    for (uint64_t i = 0; i < figure->curve[curve].count; i++) {
        double x = x_value(figure, curve, i), y = figure->curve[curve].y[i];
        if (!is_shown(figure, x, y)) {
            close_run(&trace, &r, arena);
            r.joined = false;
            continue;
        }
        run_point p = {ct_plot_x(view, x), ct_plot_y(view, y), i};
        double at = floor((p.x - view->left) / column);
        if (r.open && at != r.column)
            close_run(&trace, &r, arena);
        r.column = at;
        extend_run(&r, p);
    }
    close_run(&trace, &r, arena);
    return trace;
}

bool ct_plot_is_dot(const ct_plot_trace *trace, uint32_t i)
{
    return trace->at[i].begins && (i + 1 == trace->count || trace->at[i + 1].begins);
}

/* ---- each place once ----------------------------------------------------------------------- */

typedef struct cover {
    bool *cell;
    double left, top;
    uint32_t width, height;
} cover;

static uint32_t cell_at(double place, uint32_t count)
{
    return place < 0 ? 0 : place >= count ? count - 1 : (uint32_t)place;
}

/* Whether the way from a to b enters a cell that no way has entered before. */
static bool cover_way(cover *c, const ct_plot_point *a, const ct_plot_point *b)
{
    double far = fmax(fabs(b->x - a->x), fabs(b->y - a->y));
    int steps = (int)ceil(2 * far) + 1;
    bool fresh = false;
    for (int i = 0; i <= steps; i++) {
        double part = (double)i / steps;
        uint32_t x = cell_at(a->x + part * (b->x - a->x) - c->left, c->width);
        uint32_t y = cell_at(a->y + part * (b->y - a->y) - c->top, c->height);
        bool *cell = &c->cell[(size_t)y * c->width + x];
        fresh |= !*cell;
        *cell = true;
    }
    return fresh;
}

ct_plot_trace ct_plot_trace_once(const ct_plot_trace *trace, const ct_plot_view *view,
                                 ct_arena *arena)
{
    ct_plot_trace once = {0};
    cover c = {.left = view->left, .top = view->top};
    c.width = (uint32_t)ceil(view->right - view->left) + 1;
    c.height = (uint32_t)ceil(view->bottom - view->top) + 1;
    c.cell = CT_NEW_ARRAY(arena, bool, (size_t)c.width *c.height);
    bool lifted = true;
    for (uint32_t i = 0; i < trace->count; i++) {
        ct_plot_point p = trace->at[i];
        if (ct_plot_is_dot(trace, i))
            CT_PUSH(arena, once, p);
        if (p.begins || !cover_way(&c, &trace->at[i - 1], &p)) {
            lifted = true;
            continue;
        }
        if (lifted)
            CT_PUSH(arena, once, (ct_plot_point){trace->at[i - 1].x, trace->at[i - 1].y, true});
        CT_PUSH(arena, once, p);
        lifted = false;
    }
    return once;
}
