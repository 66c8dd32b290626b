/* plot_terminal.c - a plot of characters: each is a braille pattern of 2 x 4 dots.
 *
 * Where there are no colours, or not enough, curves are told apart by letters that stand in them
 * here and there.
 */
#include <math.h>
#include <string.h>

#include "export/plot.h"

enum {
    LEAST_WIDTH = 24,
    LEAST_PLOT = 12,
    LEAST_ROWS = 4,
    LEGEND_ROWS = 4,
    CELL_WIDTH = 2,
    CELL_HEIGHT = 4
};

typedef struct cell {
    uint8_t dots;   /* of the braille pattern */
    char letter;    /* 0: none */
    uint32_t curve; /* whose colour it has, from 1; 0: none */
    bool shared;    /* by several curves */
} cell;

typedef struct screen {
    const ct_figure *figure;
    ct_text *out;
    ct_arena *arena;
    ct_axis x, y;
    ct_plot_view view; /* in dots */
    cell *cells;
    uint32_t rows, columns; /* of the plot */
    uint32_t left;          /* characters before the vertical axis */
    bool color, letters, empty;
} screen;

/* ---- dots ---------------------------------------------------------------------------------- */

static cell *cell_at(screen *s, int x, int y)
{
    return &s->cells[(size_t)(y / CELL_HEIGHT) * s->columns + (size_t)(x / CELL_WIDTH)];
}

/* The bits of U+2800: three rows of two columns, then the fourth row. */
static void set_dot(screen *s, int x, int y, uint32_t curve)
{
    static const uint8_t bit[CELL_HEIGHT][CELL_WIDTH] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    cell *c = cell_at(s, x, y);
    c->dots |= bit[y % CELL_HEIGHT][x % CELL_WIDTH];
    c->shared |= c->curve && c->curve != curve + 1;
    c->curve = curve + 1;
}

static int to_dot(double place, uint32_t cells, int cell_size)
{
    int last = (int)cells * cell_size - 1, dot = (int)floor(place + 0.5);
    return dot < 0 ? 0 : dot > last ? last : dot;
}

static void draw_line(screen *s, const ct_plot_point *a, const ct_plot_point *b, uint32_t curve)
{
    int x0 = to_dot(a->x, s->columns, CELL_WIDTH), x1 = to_dot(b->x, s->columns, CELL_WIDTH);
    int y0 = to_dot(a->y, s->rows, CELL_HEIGHT), y1 = to_dot(b->y, s->rows, CELL_HEIGHT);
    int wide = x1 > x0 ? x1 - x0 : x0 - x1, high = y1 > y0 ? y1 - y0 : y0 - y1;
    int steps = wide > high ? wide : high;
    for (int i = 0; i <= steps; i++) {
        int x = steps ? x0 + (int)lround((double)(x1 - x0) * i / steps) : x0;
        int y = steps ? y0 + (int)lround((double)(y1 - y0) * i / steps) : y0;
        set_dot(s, x, y, curve);
    }
}

static void draw_curve(screen *s, uint32_t curve)
{
    ct_plot_trace trace = ct_plot_trace_new(s->figure, curve, &s->view, 1, s->arena);
    for (uint32_t i = 0; i < trace.count; i++)
        draw_line(s, &trace.at[trace.at[i].begins ? i : i - 1], &trace.at[i], curve);
}

/* ---- letters ------------------------------------------------------------------------------- */

static char letter_of(uint32_t curve)
{
    return (char)('a' + curve % 26);
}

/* A cell of this curve alone in the column, if there is one. */
static cell *lonely_cell(screen *s, uint32_t column, uint32_t curve)
{
    for (uint32_t row = 0; row < s->rows; row++) {
        cell *c = &s->cells[(size_t)row * s->columns + column];
        if (c->curve == curve + 1 && !c->shared && !c->letter)
            return c;
    }
    return NULL;
}

/* Curves begin at different columns, so that letters of near curves stand apart. */
static void put_letters(screen *s)
{
    const uint32_t distance = 24, count = s->figure->curve_count;
    for (uint32_t curve = 0; curve < count; curve++) {
        uint32_t column = 2 + distance * curve / count, next = column;
        for (; column < s->columns; column++) {
            cell *c = column >= next ? lonely_cell(s, column, curve) : NULL;
            if (!c)
                continue;
            c->letter = letter_of(curve);
            next = column + distance;
        }
    }
}

/* ---- output -------------------------------------------------------------------------------- */

static void put_spaces(const screen *s, size_t count)
{
    ct_put_repeat(s->out, ' ', count);
}

/* As many characters as fit, the last one an ellipsis if there are more. */
static void put_clipped(const screen *s, const char *text, size_t width)
{
    bool whole = ct_text_width(text) <= width;
    size_t shown = whole ? width : width - 1, length = 0;
    for (size_t count = 0; text[length]; length++) {
        count += ((unsigned char)text[length] & 0xc0) != 0x80;
        if (count > shown)
            break;
    }
    for (size_t i = 0; i < length; i++)
        ct_put_char(s->out, (unsigned char)text[i] < 0x20 ? ' ' : text[i]);
    ct_put(s->out, whole ? "" : "\xe2\x80\xa6");
}

static void put_centred(const screen *s, const char *text)
{
    size_t width = ct_text_width(text);
    put_spaces(s, s->left + 1 + (width < s->columns ? (s->columns - width) / 2 : 0));
    put_clipped(s, text, s->columns);
    ct_put_char(s->out, '\n');
}

static void put_cell(const screen *s, const cell *c, uint32_t *color)
{
    uint32_t wanted = s->color && c->dots ? c->curve : *color;
    if (wanted != *color)
        ct_putf(s->out, "\x1b[%sm", ct_plot_color_of(wanted - 1)->terminal);
    *color = wanted;
    if (c->letter)
        ct_put_char(s->out, c->letter);
    else if (c->dots)
        ct_putf(s->out, "\xe2%c%c", 0xa0 | c->dots >> 6, 0x80 | (c->dots & 0x3f));
    else
        ct_put_char(s->out, ' ');
}

static uint32_t last_used(const screen *s, uint32_t row)
{
    uint32_t end = s->columns;
    while (end && !s->cells[(size_t)row * s->columns + end - 1].dots)
        end--;
    return end;
}

static uint32_t tick_row(const screen *s, uint32_t tick)
{
    double y = ct_plot_y(&s->view, ct_axis_tick(&s->y, tick));
    return (uint32_t)(to_dot(y, s->rows, CELL_HEIGHT) / CELL_HEIGHT);
}

static uint32_t tick_column(const screen *s, uint32_t tick)
{
    double x = ct_plot_x(&s->view, ct_axis_tick(&s->x, tick));
    return (uint32_t)(to_dot(x, s->columns, CELL_WIDTH) / CELL_WIDTH);
}

/* The number and the axis at the left of a row. */
static void put_row_start(const screen *s, uint32_t row)
{
    for (uint32_t i = 0; i < s->y.count; i++) {
        if (tick_row(s, i) != row)
            continue;
        const char *text = ct_axis_tick_text(&s->y, i, s->arena);
        size_t width = ct_text_width(text);
        put_spaces(s, width < s->left ? s->left - 1 - width : 0);
        ct_put(s->out, text);
        ct_put(s->out, " \xe2\x94\xa4"); /* axis with a tick */
        return;
    }
    put_spaces(s, s->left);
    ct_put(s->out, "\xe2\x94\x82");
}

static void put_rows(const screen *s)
{
    for (uint32_t row = 0; row < s->rows; row++) {
        uint32_t color = 0, end = last_used(s, row);
        put_row_start(s, row);
        for (uint32_t i = 0; i < end; i++)
            put_cell(s, &s->cells[(size_t)row * s->columns + i], &color);
        if (color)
            ct_put(s->out, "\x1b[0m");
        if (s->empty && row == s->rows / 2)
            ct_put(s->out, "  no values");
        ct_put_char(s->out, '\n');
    }
}

static void put_x_axis(const screen *s)
{
    uint32_t tick = 0;
    put_spaces(s, s->left);
    ct_put(s->out, "\xe2\x94\x94");
    for (uint32_t i = 0; i < s->columns; i++) {
        bool here = tick < s->x.count && tick_column(s, tick) == i;
        ct_put(s->out, here ? "\xe2\x94\xac" : "\xe2\x94\x80");
        tick += here;
    }
    ct_put_char(s->out, '\n');
}

/* Numbers below their ticks, as far as they do not touch each other or leave the width. */
static void put_x_ticks(const screen *s)
{
    size_t at = 0, most = s->left + 1 + (size_t)s->columns;
    for (uint32_t i = 0; i < s->x.count; i++) {
        const char *text = ct_axis_tick_text(&s->x, i, s->arena);
        size_t width = ct_text_width(text), middle = s->left + 1 + (size_t)tick_column(s, i);
        size_t begin = middle < width / 2 ? 0 : middle - width / 2;
        begin = begin + width > most ? most - width : begin;
        if (width > most || (at && begin < at + 1))
            continue;
        put_spaces(s, begin - at);
        ct_put(s->out, text);
        at = begin + width;
    }
    ct_put_char(s->out, '\n');
}

/* ---- events -------------------------------------------------------------------------------- */

static void put_mark_row(const screen *s, const ct_plot_groups *g, uint32_t group)
{
    char *row = CT_NEW_ARRAY(s->arena, char, s->columns + 1);
    uint32_t last = 0;
    memset(row, ' ', s->columns);
    for (uint32_t i = 0; i < s->figure->mark_count; i++) {
        double x = ct_plot_x(&s->view, s->figure->mark[i].x) / CELL_WIDTH;
        if (!(x >= 0 && x < s->columns) || ct_plot_group_of(g, s->figure->mark[i].label) != group)
            continue;
        row[(uint32_t)x] = '^';
        last = (uint32_t)x > last ? (uint32_t)x : last;
    }
    row[last + 1] = '\0';
    put_spaces(s, s->left + 1);
    ct_put(s->out, row);
    ct_put(s->out, "\n");
    put_spaces(s, s->left + 1);
    put_clipped(s, g->label[group], s->columns);
    ct_put(s->out, "\n");
}

/* Two lines for each kind of event: where, and what. */
static void put_events(const screen *s)
{
    ct_plot_groups g = ct_plot_groups_of(s->figure);
    for (uint32_t i = 0; i < g.count; i++)
        put_mark_row(s, &g, i);
}

/* ---- legend -------------------------------------------------------------------------------- */

/* Names side by side, as many in a line as fit. */
typedef struct legend_cursor {
    size_t column, width;
    uint32_t line;
} legend_cursor;

enum { LEGEND_INDENT = 2, LEGEND_MARK = 3, LEGEND_GAP = 3 };

static size_t name_width(const legend_cursor *at, const char *name)
{
    size_t most = at->width - LEGEND_INDENT - LEGEND_MARK, width = ct_text_width(name);
    return width < most ? width : most;
}

/* Moves on to where the next name begins; true: in a new line. */
static bool next_name(legend_cursor *at, const char *name)
{
    size_t width = LEGEND_MARK + name_width(at, name);
    bool breaks = at->column && at->column + LEGEND_GAP + width > at->width;
    if (breaks || !at->column) {
        at->line++;
        at->column = LEGEND_INDENT + width;
        return true;
    }
    at->column += LEGEND_GAP + width;
    return false;
}

static uint32_t legend_lines(const ct_figure *figure, size_t width)
{
    legend_cursor at = {.width = width};
    for (uint32_t i = 0; ct_plot_has_legend(figure) && i < figure->curve_count; i++)
        next_name(&at, ct_plot_curve_name(figure, i));
    return at.line > LEGEND_ROWS ? LEGEND_ROWS + 1 : at.line; /* the last: how many more */
}

static void put_legend_mark(const screen *s, uint32_t curve)
{
    if (s->color)
        ct_putf(s->out, "\x1b[%sm", ct_plot_color_of(curve)->terminal);
    if (s->letters)
        ct_putf(s->out, "%c:", letter_of(curve));
    else
        ct_put(s->out, "\xe2\x94\x81\xe2\x94\x81");
    ct_put(s->out, s->color ? "\x1b[0m " : " ");
}

static void put_legend(const screen *s)
{
    legend_cursor at = {.width = s->left + 1 + (size_t)s->columns};
    bool shown = ct_plot_has_legend(s->figure);
    for (uint32_t i = 0; shown && i < s->figure->curve_count; i++) {
        const char *name = ct_plot_curve_name(s->figure, i);
        bool new_line = next_name(&at, name);
        if (new_line && i)
            ct_put_char(s->out, '\n');
        if (at.line > LEGEND_ROWS) {
            ct_putf(s->out, "  and %u more", s->figure->curve_count - i);
            break;
        }
        put_spaces(s, new_line ? LEGEND_INDENT : LEGEND_GAP);
        put_legend_mark(s, i);
        put_clipped(s, name, name_width(&at, name));
    }
    ct_put(s->out, shown ? "\n" : "");
}

/* ---- layout -------------------------------------------------------------------------------- */

static void make_y_axis(screen *s, const ct_plot_extent *e)
{
    s->y = ct_plot_y_axis(s->figure, e, s->rows / 2 < 7 ? s->rows / 2 : 7);
    ct_axis_name(&s->y, ct_plot_y_label(s->figure), s->arena);
    for (uint32_t i = 0; i < s->y.count; i++) {
        size_t width = ct_text_width(ct_axis_tick_text(&s->y, i, s->arena)) + 1;
        s->left = width > s->left ? (uint32_t)width : s->left;
    }
}

static void make_x_axis(screen *s, const ct_plot_extent *e, uint32_t width)
{
    s->columns = width - s->left - 1;
    uint32_t most = s->columns / 9;
    s->x = ct_plot_x_axis(s->figure, e, most > 10 ? 10 : most);
    ct_axis_name(&s->x, s->figure->x_label, s->arena);
}

static void make_cells(screen *s)
{
    s->cells = CT_NEW_ARRAY(s->arena, cell, (size_t)s->rows * s->columns);
    s->view = (ct_plot_view){.x = &s->x, .y = &s->y};
    s->view.right = (double)s->columns * CELL_WIDTH - 1;
    s->view.bottom = (double)s->rows * CELL_HEIGHT - 1;
    for (uint32_t i = 0; i < s->figure->curve_count; i++)
        draw_curve(s, i);
    s->letters = s->figure->curve_count > (s->color ? CT_PLOT_COLORS : 1);
    if (s->letters)
        put_letters(s);
}

static void put_screen(const screen *s)
{
    const char *x_label = ct_axis_label(&s->x, s->arena), *y_label = ct_axis_label(&s->y, s->arena);
    if (s->figure->title)
        put_centred(s, s->figure->title);
    if (*y_label) {
        put_clipped(s, y_label, s->left + 1 + (size_t)s->columns);
        ct_put_char(s->out, '\n');
    }
    put_rows(s);
    put_x_axis(s);
    put_x_ticks(s);
    if (*x_label)
        put_centred(s, x_label);
    put_events(s);
    put_legend(s);
}

void ct_figure_put_terminal(const ct_figure *figure, uint32_t width, uint32_t height, bool colour,
                            ct_text *out)
{
    if (figure->place) {
        ct_surface_put_terminal(figure, width, height, out);
        return;
    }
    screen s = {.figure = figure, .out = out, .color = colour};
    s.arena = ct_arena_new(ct_arena_context(out->arena));
    ct_plot_extent e = ct_plot_measure(figure);
    width = width > LEAST_WIDTH ? width : LEAST_WIDTH;
    uint32_t labels = 2, axis = 2; /* lines */
    uint32_t used = (figure->title != NULL) + labels + axis + legend_lines(figure, width);
    s.rows = height > used + LEAST_ROWS ? height - used : LEAST_ROWS;
    s.empty = e.empty;
    make_y_axis(&s, &e);
    make_x_axis(&s, &e, width > s.left + 1 + LEAST_PLOT ? width : s.left + 1 + LEAST_PLOT);
    make_cells(&s);
    put_screen(&s);
    ct_arena_free(s.arena);
}
