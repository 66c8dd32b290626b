/* plot_surface.c - a variable along a field over time: colours in pictures, characters in the
 * terminal.
 *
 * The curves of such a figure are those of places from the begin to the end of the field. Time
 * goes to the right as in all other figures, the place upwards.
 */
#include <math.h>

#include "export/plot_page.h"
#include "export/svg.h"

static const double least_half = 1e-9;  /* of the range of a surface that is flat */
static const double on_the_edge = 1e-9; /* of the scale */

enum { COLUMNS = 200, LEVELS = 32, BAR_TICKS = 6, ANCHORS = 5 };
static const double bar_gap = 18, bar_width = 14, bar_air = 7;

/* From low to high; around zero where values lie on both sides [M. Harrower, C. A. Brewer;
 * S. van der Walt, N. Smith]. */
static const unsigned char rising[ANCHORS][3] = {
    {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
static const unsigned char around[ANCHORS][3] = {
    {33, 102, 172}, {146, 197, 222}, {247, 247, 247}, {244, 165, 130}, {178, 24, 43}};

/* What colours stand for. */
typedef struct scale {
    double lo, hi;
    bool both; /* values on both sides of zero, which is in the middle */
} scale;

static scale scale_of(const ct_figure *f)
{
    scale s = {INFINITY, -INFINITY, false};
    for (uint32_t c = 0; c < f->curve_count; c++)
        for (uint64_t i = 0; i < f->curve[c].count; i++) {
            double v = f->curve[c].y[i];
            if (!isfinite(v))
                continue;
            s.lo = fmin(s.lo, v);
            s.hi = fmax(s.hi, v);
        }
    if (s.lo > s.hi)
        return (scale){0, 1, false};
    s.both = s.lo < 0 && s.hi > 0 && fmin(-s.lo, s.hi) > 0.1 * fmax(-s.lo, s.hi);
    if (s.both)
        s.hi = fmax(-s.lo, s.hi), s.lo = -s.hi;
    if (s.lo == s.hi)
        s.lo -= fmax(fabs(s.lo), least_half), s.hi += fmax(fabs(s.hi), least_half);
    return s;
}

static int level_of(const scale *s, double v, int levels)
{
    if (!isfinite(v))
        return -1;
    int level = (int)floor((v - s->lo) / (s->hi - s->lo) * levels);
    return level < 0 ? 0 : level >= levels ? levels - 1 : level;
}

static void put_colour(const scale *s, int level, ct_text *out)
{
    const unsigned char(*anchor)[3] = s->both ? around : rising;
    double at = (level + 0.5) / LEVELS * (ANCHORS - 1);
    int i = at >= ANCHORS - 1 ? ANCHORS - 2 : (int)at;
    ct_put(out, "#");
    for (int k = 0; k < 3; k++)
        ct_putf(out, "%02x",
                (unsigned)lround(anchor[i][k] + (at - i) * (anchor[i + 1][k] - anchor[i][k])));
}

ct_plot_extent ct_plot_surface_measure(const ct_figure *f)
{
    uint64_t rows = f->curve[0].count;
    ct_plot_extent e = {.x = {0, 1}, .y = {0, 1}, .x_rises = true, .empty = rows < 2};
    if (!e.empty) {
        e.x = (ct_range){f->time[0], f->time[rows - 1]};
        e.y = (ct_range){f->place[0], f->place[f->curve_count - 1]};
    }
    return e;
}

/* ---- the field of colours */

/* The row that is nearest to a time. */
static uint64_t row_at(const ct_figure *f, double t)
{
    uint64_t low = 0, high = f->curve[0].count - 1;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        *(f->time[middle] > t ? &high : &low) = middle;
    }
    return t - f->time[low] < f->time[high] - t ? low : high;
}

static double column_x(const ct_plot_panel *p, uint32_t column, uint32_t columns)
{
    const ct_figure *f = p->figure;
    double from = f->time[0], to = f->time[f->curve[0].count - 1];
    return ct_plot_x(&p->view, from + (to - from) * column / columns);
}

/* Half way to the places beside. */
static double edge_y(const ct_plot_panel *p, uint32_t place)
{
    const ct_figure *f = p->figure;
    uint32_t last = f->curve_count - 1;
    double at = place == 0     ? f->place[0]
                : place > last ? f->place[last]
                               : (f->place[place - 1] + f->place[place]) / 2;
    return ct_plot_y(&p->view, at);
}

/* The stretches of one place that have this colour. */
static void put_stretches(const ct_plot_panel *p, const signed char *level, uint32_t columns,
                          uint32_t place, int wanted, ct_text *out)
{
    double top = edge_y(p, place + 1), bottom = edge_y(p, place);
    for (uint32_t c = 0, end; c < columns; c = end) {
        for (end = c + 1; end < columns && level[end] == level[c];)
            end++;
        if (level[c] != wanted)
            continue;
        ct_put_char(out, 'M');
        ct_svg_point(out, column_x(p, c, columns), bottom);
        ct_put_char(out, 'V');
        ct_svg_number(out, top);
        ct_put_char(out, 'H');
        ct_svg_number(out, column_x(p, end, columns));
        ct_put_char(out, 'V');
        ct_svg_number(out, bottom);
        ct_put_char(out, 'Z');
    }
}

static void put_colours(const ct_plot_panel *p, const scale *s, ct_text *out, ct_arena *arena)
{
    const ct_figure *f = p->figure;
    uint32_t columns = COLUMNS;
    signed char *level = CT_NEW_ARRAY(arena, signed char, (size_t)columns * f->curve_count);
    for (uint32_t c = 0; c < columns; c++) {
        double from = f->time[0], to = f->time[f->curve[0].count - 1];
        uint64_t row = row_at(f, from + (to - from) * (c + 0.5) / columns);
        for (uint32_t k = 0; k < f->curve_count; k++)
            level[k * columns + c] = (signed char)level_of(s, f->curve[k].y[row], LEVELS);
    }
    for (int wanted = 0; wanted < LEVELS; wanted++) {
        ct_text path = ct_text_new(arena);
        for (uint32_t k = 0; k < f->curve_count; k++)
            put_stretches(p, level + k * columns, columns, k, wanted, &path);
        if (!path.length)
            continue;
        ct_put(out, "<path fill=\"");
        put_colour(s, wanted, out);
        ct_put(out, "\" d=\"");
        ct_put(out, ct_text_string(&path));
        ct_put(out, "\"/>\n");
    }
}

/* ---- what colours mean */

static ct_axis bar_axis(const ct_plot_panel *p, const scale *s, ct_arena *arena)
{
    ct_axis axis = ct_axis_new(s->lo, s->hi, BAR_TICKS, true);
    ct_axis_name(&axis, p->figure->value_label, arena);
    return axis;
}

double ct_plot_surface_width(const ct_plot_panel *p, ct_arena *arena)
{
    scale s = scale_of(p->figure);
    ct_axis axis = bar_axis(p, &s, arena);
    double widest = ct_svg_text_width(ct_axis_label(&axis, arena), ct_plot_font) - bar_width;
    for (uint32_t i = 0; i < axis.count; i++)
        widest = fmax(
            widest, bar_air + ct_svg_text_width(ct_axis_tick_text(&axis, i, arena), ct_plot_font));
    return bar_gap + bar_width + fmax(widest, 0);
}

static void put_bar(const ct_plot_panel *p, const scale *s, ct_text *out, ct_arena *arena)
{
    ct_axis axis = bar_axis(p, s, arena);
    double left = p->view.right + bar_gap, high = p->view.bottom - p->view.top;
    for (int i = 0; i < LEVELS; i++) {
        ct_put(out, "<rect");
        ct_svg_attribute(out, "x", left);
        ct_svg_attribute(out, "y", p->view.bottom - high * (i + 1) / LEVELS);
        ct_svg_attribute(out, "width", bar_width);
        ct_svg_attribute(out, "height", high / LEVELS + 0.3);
        ct_put(out, " fill=\"");
        put_colour(s, i, out);
        ct_put(out, "\"/>\n");
    }
    for (uint32_t i = 0; i < axis.count; i++) {
        double part = (ct_axis_tick(&axis, i) - s->lo) / (s->hi - s->lo);
        if (part >= -on_the_edge && part <= 1 + on_the_edge)
            ct_plot_put_text(out, left + bar_width + bar_air, p->view.bottom - part * high + 4.3,
                             "start", ct_axis_tick_text(&axis, i, arena));
    }
    ct_plot_put_text(out, left, p->view.top - bar_air, "start", ct_axis_label(&axis, arena));
}

void ct_plot_put_surface(const ct_plot_panel *p, ct_text *out, ct_arena *arena)
{
    scale s = scale_of(p->figure);
    if (p->empty) {
        ct_plot_put_text(out, (p->view.left + p->view.right) / 2,
                         (p->view.top + p->view.bottom) / 2, "middle", "no values");
        return;
    }
    ct_put(out, "<g class=\"surface\" shape-rendering=\"crispEdges\"><title>");
    ct_svg_escaped(out, ct_plot_curve_name(p->figure, 0));
    ct_put(out, "</title>\n");
    put_colours(p, &s, out, arena);
    ct_put(out, "</g>\n");
    put_bar(p, &s, out, arena);
}

/* ---- in the terminal */

void ct_surface_put_terminal(const ct_figure *f, uint32_t width, uint32_t height, ct_text *out)
{
    static const char shade[] = " .:-=+*#%@";
    enum { SHADES = 10, MARGIN = 12 };
    scale s = scale_of(f);
    uint64_t rows = f->curve[0].count;
    uint32_t columns = width > MARGIN + 10 ? width - MARGIN : 10;
    uint32_t lines = height > 6 ? height - 4 : 2;
    ct_putf(out, "%s: %c %.4g to %c %.4g\n", f->title ? f->title : ct_plot_curve_name(f, 0), '.',
            s.lo, '@', s.hi);
    for (uint32_t l = 0; l < lines && rows > 1; l++) {
        uint32_t k = (uint32_t)lround((double)(lines - 1 - l) / (lines - 1) * (f->curve_count - 1));
        ct_putf(out, "%10.4g |", f->place[k]);
        for (uint32_t c = 0; c < columns; c++) {
            double from = f->time[0], to = f->time[rows - 1];
            uint64_t row = row_at(f, from + (to - from) * (c + 0.5) / columns);
            int level = level_of(&s, f->curve[k].y[row], SHADES);
            ct_put_char(out, level < 0 ? '?' : shade[level]);
        }
        ct_put(out, "\n");
    }
    ct_putf(out, "%10s  time from %.4g s to %.4g s to the right, %s upwards\n\n", "",
            rows ? f->time[0] : 0, rows ? f->time[rows - 1] : 0, f->y_label ? f->y_label : "x");
}
