/* draw_parts.c - what a mechanism looks like. */
#include <math.h>
#include <stdlib.h>

#include "export/draw_make.h"
#include "export/svg.h"

static const double degree = 57.295779513082320877;

static const char *const colours[] = {"#3b6ea5", "#c0722f", "#4f8a4b", "#a0466b",
                                      "#6b5aa8", "#2f8f8f", "#8f7a2f", "#7a5540"};
enum { COLOURS = sizeof colours / sizeof *colours };

static const double *frame_at(const ct_page *p, uint32_t row, uint32_t frame)
{
    return p->motion->frame[row] + (size_t)frame * CT_FRAME_COLUMNS;
}

static void to_page(const ct_page *p, const double *world, double *x, double *y)
{
    *x = p->left + p->scale * world[0];
    *y = p->top - p->scale * world[1];
}

/* ---- parts that move */

static ct_draw_part *new_part(ct_page *p, const char *svg, bool turns, bool stretches)
{
    ct_draw_part part = {svg, CT_NEW_ARRAY(p->arena, ct_place_row, p->motion->rows + 1), turns,
                         stretches};
    for (uint32_t r = 0; r < p->motion->rows; r++)
        part.place[r].stretch = 1;
    CT_PUSH(p->arena, p->part, part);
    return &p->part.at[p->part.count - 1];
}

/* At a frame, turned with it and by a fixed angle. */
static void add_at_frame(ct_page *p, const char *svg, uint32_t frame, bool turns, double angle)
{
    ct_draw_part *part = new_part(p, svg, turns, false);
    for (uint32_t r = 0; r < p->motion->rows; r++) {
        const double *f = frame_at(p, r, frame);
        to_page(p, f, &part->place[r].x, &part->place[r].y);
        part->place[r].turn = turns ? -degree * (f[2] + angle) : 0;
    }
}

/* The nearest of the angles that look the same: what turns on must not jump back. */
static double continued(double angle, double before)
{
    return angle + 360 * round((before - angle) / 360);
}

/* From one point to another: the part is drawn from (0, 0) to (100, 0). */
static void add_between(ct_page *p, const char *svg, uint32_t tail, uint32_t head)
{
    ct_draw_part *part = new_part(p, svg, true, true);
    for (uint32_t r = 0; r < p->motion->rows; r++) {
        const double *a = frame_at(p, r, tail), *b = frame_at(p, r, head);
        ct_place_row *at = &part->place[r];
        double dx = b[0] - a[0], dy = b[1] - a[1], turn = -degree * atan2(dy, dx);
        to_page(p, a, &at->x, &at->y);
        at->turn = r ? continued(turn, part->place[r - 1].turn) : turn;
        at->stretch = p->scale * hypot(dx, dy) / 100;
    }
}

/* ---- bodies */

typedef struct point {
    double x, y, angle;
} point;

typedef CT_VEC(point) point_list;

static int by_angle(const void *a, const void *b)
{
    double x = ((const point *)a)->angle, y = ((const point *)b)->angle;
    return (x > y) - (x < y);
}

static void add_point(const ct_page *p, point_list *list, double x, double y)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (hypot(list->at[i].x - x, list->at[i].y - y) < 0.5)
            return;
    CT_PUSH(p->arena, *list, (point){x, y, 0});
}

/* A frame's point in the axes of its body, on the page's scale, y down. */
static void add_frame_point(const ct_page *p, point_list *list, uint32_t own, uint32_t frame)
{
    const double *o = frame_at(p, 0, own), *f = frame_at(p, 0, frame);
    double dx = p->scale * (f[0] - o[0]), dy = p->scale * (f[1] - o[1]);
    double c = cos(o[2]), s = sin(o[2]);
    add_point(p, list, c * dx + s * dy, -(c * dy - s * dx));
}

/* Around the middle, so that edges do not cross. */
static void sort_around(point_list *list)
{
    double x = 0, y = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        x += list->at[i].x / list->count;
        y += list->at[i].y / list->count;
    }
    for (uint32_t i = 0; i < list->count; i++)
        list->at[i].angle = atan2(list->at[i].y - y, list->at[i].x - x);
    qsort(list->at, list->count, sizeof *list->at, by_angle);
}

static void put_outline(const point_list *list, ct_text *out)
{
    for (uint32_t i = 0; i < list->count; i++) {
        ct_put(out, i ? " L" : "M");
        ct_svg_fine_point(out, list->at[i].x, list->at[i].y);
    }
    ct_put(out, list->count > 2 ? " Z" : "");
}

static const char *body_svg(const ct_page *p, uint32_t body, point_list *list, double x, double y)
{
    const char *colour = colours[body % COLOURS];
    ct_text out = ct_text_new(p->arena);
    if (list->count > 1) {
        ct_putf(&out, "<path class=\"link\" fill=\"%s\" fill-opacity=\"0.3\" stroke=\"%s\" d=\"",
                list->count > 2 ? colour : "none", colour);
        put_outline(list, &out);
        ct_put(&out, "\"/>");
    } else if (!p->slides[body]) {
        ct_putf(&out,
                "<circle class=\"mass\" r=\"10\" fill=\"%s\" fill-opacity=\"0.3\" stroke=\"%s\" "
                "stroke-width=\"2\"/>",
                colour, colour);
    }
    ct_put(&out, "<circle class=\"centre\"");
    ct_svg_attribute(&out, "cx", x);
    ct_svg_attribute(&out, "cy", y);
    ct_putf(&out, " r=\"2.5\" fill=\"%s\"/>", colour);
    return ct_text_string(&out);
}

/* Frames of each body: first[b] .. first[b+1]-1 of `frame`. */
typedef struct body_frames {
    uint32_t *first, *frame;
    bool *used; /* per frame: something is fastened there */
} body_frames;

static void use(body_frames *b, uint32_t tail, uint32_t head)
{
    b->used[tail] = b->used[head] = true;
}

static body_frames sort_frames(const ct_page *p)
{
    const ct_mechanism *m = p->motion->mechanism;
    body_frames b = {CT_NEW_ARRAY(p->arena, uint32_t, m->body_count + 2),
                     CT_NEW_ARRAY(p->arena, uint32_t, m->frame_count + 1),
                     CT_NEW_ARRAY(p->arena, bool, m->frame_count + 1)};
    uint32_t *at = b.first + 1;
    for (uint32_t i = 0; i < m->frame_count; i++)
        if (m->frame[i].body + 1 < m->body_count)
            at[m->frame[i].body + 1]++;
    for (uint32_t i = 1; i < m->body_count; i++)
        at[i] += at[i - 1];
    for (uint32_t i = 0; i < m->frame_count; i++)
        b.frame[at[m->frame[i].body]++] = i;
    for (uint32_t i = 0; i < m->joint_count; i++)
        use(&b, m->joint[i].tail, m->joint[i].head);
    for (uint32_t i = 0; i < m->load_count; i++)
        use(&b, m->load[i].tail, m->load[i].head);
    for (uint32_t i = 0; i < m->line_count; i++)
        use(&b, m->line[i].tail, m->line[i].head);
    return b;
}

static void mark_slides(ct_page *p)
{
    const ct_mechanism *m = p->motion->mechanism;
    p->block = CT_NEW_ARRAY(p->arena, bool, m->body_count + 1);
    p->slides = CT_NEW_ARRAY(p->arena, bool, m->body_count + 1);
    for (uint32_t i = 0; i < m->joint_count; i++)
        if (ct_joint_types[m->joint[i].kind].slides == 1)
            p->slides[m->frame[m->joint[i].head].body] = true;
}

/* Dark on any colour: a white edge around it. */
static const char *label_svg(const ct_page *p, const char *text, double size, const char *style)
{
    ct_text out = ct_text_new(p->arena);
    ct_putf(&out, "<text class=\"%s\" text-anchor=\"middle\" fill=\"#111820\" stroke=\"#ffffff\" ",
            style);
    ct_put(&out, "stroke-width=\"3\" paint-order=\"stroke\"");
    ct_svg_attribute(&out, "y", 0.35 * size);
    ct_svg_attribute(&out, "font-size", size);
    ct_put_char(&out, '>');
    ct_svg_escaped(&out, text);
    ct_put(&out, "</text>");
    return ct_text_string(&out);
}

/* ---- names: none on another one */

static const double tight = 0.45; /* half of the height of letters, in font sizes */

static bool is_free(const ct_page *p, ct_label_box at)
{
    for (size_t i = 0; i < p->label.count; i++) {
        const ct_label_box *other = &p->label.at[i];
        if (fabs(at.x - other->x) < at.half_width + other->half_width &&
            fabs(at.y - other->y) < at.half_height + other->half_height)
            return false;
    }
    return true;
}

/* To the other side (by `dx`, `dy`) or by lines upwards where a text stands already; where there
 * are more than the page has room for (of ten letters: 12 high and 72 wide, and half a line
 * between them, on 720 by 520), some will lie on others. */
static void set_apart(ct_page *p, ct_draw_part *part, ct_label_box box, double dx, double dy)
{
    enum { LINES_UP = 6, ROOM = 300 };
    double line = 2 * box.half_height, x = 0, y = 0;
    if (p->motion->rows == 0 || p->label.count > ROOM)
        return;
    for (int i = 0; i < 2 * LINES_UP; i++) {
        x = i % 2 ? dx : 0;
        y = i % 2 ? dy : 0;
        y -= line * (i / 2);
        box.x = part->place[0].x + x;
        box.y = part->place[0].y + y;
        if (is_free(p, box))
            break;
    }
    CT_PUSH(p->arena, p->label, box);
    for (uint32_t r = 0; r < p->motion->rows; r++) {
        part->place[r].x += x;
        part->place[r].y += y;
    }
}

/* Upright, beside the bar: so far to its side that the text does not reach it at any angle. */
static void add_name(ct_page *p, uint32_t body)
{
    const double size = 12, air = 9, half = 0.5;
    const ct_body *b = &p->motion->mechanism->body[body];
    const char *name = ct_name_text(p->motion->ctx, b->name);
    double width = half * ct_svg_text_width(name, size), side = 1;
    const double upright = 1e-9;
    double aside[2] = {0};
    bool bar = isfinite(p->middle[body].along);
    ct_draw_part *part = new_part(p, label_svg(p, name, size, "name"), false, false);
    for (uint32_t r = 0; r < p->motion->rows; r++) {
        const double *f = frame_at(p, r, b->frame);
        const double c = cos(f[2]), s = sin(f[2]);
        double x = p->middle[body].x, y = p->middle[body].y, at[2];
        double normal = bar ? p->middle[body].along - f[2] - acos(0) : -acos(0);
        if (r == 0 && bar && sin(normal) > upright)
            side = -1; /* above, as long as nothing turns */
        double away = air + (bar ? 0 : air) + fabs(cos(normal)) * width + half * size;
        to_page(p, f, &at[0], &at[1]);
        part->place[r].x = at[0] + c * x + s * y + side * away * cos(normal);
        part->place[r].y = at[1] + c * y - s * x + side * away * sin(normal);
        if (r == 0) {
            aside[0] = side * away * cos(normal);
            aside[1] = side * away * sin(normal);
        }
    }
    set_apart(p, part, (ct_label_box){.half_width = width, .half_height = tight * size},
              -2 * aside[0], -2 * aside[1]);
}

/* To the upper left: below is the ground. */
static void add_joint_name(ct_page *p, uint32_t joint)
{
    const double size = 11, above = 13;
    const ct_joint *j = &p->motion->mechanism->joint[joint];
    const char *name = ct_name_text(p->motion->ctx, j->name);
    double half = ct_svg_text_width(name, size) / 2, aside = 9 + half;
    ct_draw_part *part = new_part(p, label_svg(p, name, size, "joint-name"), false, false);
    for (uint32_t r = 0; r < p->motion->rows; r++) {
        to_page(p, frame_at(p, r, j->head), &part->place[r].x, &part->place[r].y);
        part->place[r].x -= aside;
        part->place[r].y -= above;
    }
    ct_label_box box = {.half_width = half, .half_height = tight * size};
    set_apart(p, part, box, 2 * aside, 0);
}

/* Where the name stands. */
static void find_middle(ct_page *p, uint32_t body, const point_list *list)
{
    struct ct_middle *m = &p->middle[body];
    *m = (struct ct_middle){0, 0, NAN};
    for (uint32_t i = 0; i < list->count; i++) {
        m->x += list->at[i].x / list->count;
        m->y += list->at[i].y / list->count;
    }
    if (list->count == 2)
        m->along = atan2(list->at[1].y - list->at[0].y, list->at[1].x - list->at[0].x);
}

/* A beam that bends: pieces between points along it. */
static void draw_beam(ct_page *p, uint32_t body)
{
    const ct_flex *f = p->motion->mechanism->body[body].flex;
    ct_text out = ct_text_new(p->arena);
    ct_putf(&out,
            "<path class=\"link\" fill=\"none\" stroke=\"%s\" vector-effect=\"non-scaling-stroke\" "
            "d=\"M0 0 L100 0\"/>",
            colours[body % COLOURS]);
    for (uint32_t i = 1; i < f->line_count; i++)
        add_between(p, ct_text_string(&out), f->line + i - 1, f->line + i);
    p->middle[body] = (struct ct_middle){p->scale * p->motion->com[(size_t)2 * body], 0, 0};
}

static void draw_bodies(ct_page *p)
{
    const ct_mechanism *m = p->motion->mechanism;
    body_frames b = sort_frames(p);
    mark_slides(p);
    p->middle = CT_NEW_ARRAY(p->arena, struct ct_middle, m->body_count + 1);
    for (uint32_t i = 1; i < m->body_count; i++) {
        point_list list = {0};
        uint32_t own = m->body[i].frame;
        if (m->body[i].flex)
            draw_beam(p, i);
        if (m->body[i].flex || m->body[i].section)
            continue;
        double x = p->scale * p->motion->com[2 * i], y = -p->scale * p->motion->com[2 * i + 1];
        for (uint32_t k = b.first[i]; k < b.first[i + 1]; k++)
            if (b.frame[k] != own || b.used[own])
                add_frame_point(p, &list, own, b.frame[k]);
        if (list.count < 2)
            add_point(p, &list, x, y);
        p->block[i] = list.count < 2;
        find_middle(p, i, &list);
        sort_around(&list);
        add_at_frame(p, body_svg(p, i, &list, x, y), own, true, 0);
    }
}

/* ---- joints */

static const char *const hatched_pin =
    "<path class=\"ground\" fill=\"#e8ebef\" stroke=\"#5a6572\" stroke-width=\"1.5\" "
    "d=\"M0 0 L-11 18 L11 18 Z M-17 18 L17 18 M-14 18 l-5 6 M-7 18 l-5 6 M0 18 l-5 6 M7 18 l-5 6 "
    "M14 18 l-5 6\"/>";
static const char *const pin =
    "<circle class=\"joint\" r=\"5\" fill=\"#ffffff\" stroke=\"#111820\" stroke-width=\"2\"/>";
static const char *const dot = "<circle class=\"end\" r=\"3\" fill=\"#5a6572\"/>";
static const char *const weld =
    "<path class=\"joint\" d=\"M-5 -5 L5 5 M-5 5 L5 -5\" stroke=\"#111820\" stroke-width=\"2\"/>";
static const char *const rod = "<path class=\"rod\" d=\"M0 0 L100 0\" stroke=\"#111820\" "
                               "stroke-width=\"2\" vector-effect=\"non-scaling-stroke\"/>";
static const char *const spring =
    "<path class=\"spring\" fill=\"none\" stroke=\"#5a6572\" stroke-width=\"1.5\" "
    "vector-effect=\"non-scaling-stroke\" d=\"M0 0 L15 0 L20 -8 L30 8 L40 -8 L50 8 L60 -8 L70 8 "
    "L80 -8 L85 0 L100 0\"/>";

static const char *const spiral =
    "<path class=\"spring\" fill=\"none\" stroke=\"#5a6572\" stroke-width=\"1.5\" "
    "d=\"M0 -7 A7 7 0 0 1 0 7 A9 9 0 0 1 0 -11 A11 11 0 0 1 0 11 A13 13 0 0 1 0 -15 "
    "A15 15 0 0 1 15 0 L21 0\"/>";

/* A spring that holds a joint: along a slide, around a pin. */
static void draw_spring(ct_page *p, const ct_joint *j)
{
    if (ct_joint_types[j->kind].slides)
        add_between(p, spring, j->tail, j->head);
    else
        add_at_frame(p, spiral, j->head, true, 0);
}

/* Along the axis, as far as the head comes. */
static const char *guide(const ct_page *p, const ct_joint *j, double angle, bool ground)
{
    double low = -20, high = 20;
    ct_text out = ct_text_new(p->arena);
    for (uint32_t r = 0; r < p->motion->rows; r++) {
        const double *a = frame_at(p, r, j->tail), *b = frame_at(p, r, j->head);
        double s =
            p->scale * ((b[0] - a[0]) * cos(a[2] + angle) + (b[1] - a[1]) * sin(a[2] + angle));
        low = fmin(low, s - 24);
        high = fmax(high, s + 24);
    }
    double y = ground ? 14 : 0;
    ct_put(&out,
           "<path class=\"guide\" fill=\"none\" stroke=\"#5a6572\" stroke-width=\"1.5\" d=\"M");
    ct_svg_fine_point(&out, low, y);
    ct_put(&out, " L");
    ct_svg_fine_point(&out, high, y);
    for (double at = low + 6; ground && at < high; at += 9) {
        ct_put(&out, " M");
        ct_svg_fine_point(&out, at, y);
        ct_put(&out, " l-5 6");
    }
    ct_put(&out, "\"/>");
    return ct_text_string(&out);
}

/* What moves along the guide; a body of one point is this block. */
static const char *block(const ct_page *p, uint32_t body)
{
    const char *colour = p->block[body] ? colours[body % COLOURS] : "#111820";
    ct_text out = ct_text_new(p->arena);
    ct_putf(&out,
            "<rect class=\"block\" x=\"-15\" y=\"-9\" width=\"30\" height=\"18\" rx=\"2\" "
            "fill=\"#ffffff\" fill-opacity=\"0.7\" stroke=\"%s\" stroke-width=\"2.5\"/>",
            colour);
    return ct_text_string(&out);
}

static void draw_slide(ct_page *p, uint32_t joint)
{
    const ct_mechanism *m = p->motion->mechanism;
    const ct_joint *j = &m->joint[joint];
    double angle = atan2(p->motion->axis[2 * joint + 1], p->motion->axis[2 * joint]);
    bool ground = m->frame[j->tail].body == CT_GROUND_BODY;
    add_at_frame(p, guide(p, j, angle, ground), j->tail, true, angle);
    ct_draw_part *part = new_part(p, block(p, m->frame[j->head].body), true, false);
    for (uint32_t r = 0; r < p->motion->rows; r++) {
        to_page(p, frame_at(p, r, j->head), &part->place[r].x, &part->place[r].y);
        part->place[r].turn = -degree * (frame_at(p, r, j->tail)[2] + angle);
    }
}

static void draw_joint(ct_page *p, uint32_t joint)
{
    const ct_mechanism *m = p->motion->mechanism;
    const ct_joint *j = &m->joint[joint];
    switch ((ct_joint_picture)ct_joint_types[j->kind].picture) {
    case CT_PICTURE_PIN:
        if (m->frame[j->tail].body == CT_GROUND_BODY)
            add_at_frame(p, hatched_pin, j->tail, false, 0);
        else if (m->frame[j->head].body == CT_GROUND_BODY)
            add_at_frame(p, hatched_pin, j->head, false, 0);
        add_at_frame(p, pin, j->head, false, 0);
        break;
    case CT_PICTURE_SLOT:
        add_at_frame(p, pin, j->head, false, 0);
        break;
    case CT_PICTURE_WELD:
        add_at_frame(p, weld, j->head, false, 0);
        break;
    case CT_PICTURE_ROD:
        add_between(p, rod, j->tail, j->head);
        add_at_frame(p, pin, j->tail, false, 0);
        add_at_frame(p, pin, j->head, false, 0);
        break;
    case CT_PICTURE_RAIL:
    case CT_PICTURE_NONE:
        break;
    }
}

/* ---- loads: the arrow ends where the force acts; it is hidden while there is none */

static const char *const arrow =
    "<path class=\"force\" fill=\"none\" stroke=\"#c02a2a\" stroke-width=\"2\" "
    "d=\"M-48 0 L-8 0 M-17 -5 L-7 0 L-17 5\"/>";
static const char *const round_arrow =
    "<path class=\"torque\" fill=\"none\" stroke=\"#c02a2a\" stroke-width=\"2\" "
    "d=\"M0 18 A18 18 0 1 0 -18 0 M-23 -8 L-18 1 L-11 -6\"/>";

static void draw_load(ct_page *p, uint32_t load)
{
    const ct_vector_load *l = &p->motion->mechanism->load[load];
    bool on_ground = p->motion->mechanism->frame[l->head].body == CT_GROUND_BODY;
    uint32_t frame = on_ground ? l->tail : l->head;
    ct_draw_part *part = new_part(p, l->torque ? round_arrow : arrow, true, true);
    for (uint32_t r = 0; r < p->motion->rows; r++) {
        const double *f = p->motion->load[r] + (size_t)load * CT_LOAD_COLUMNS;
        ct_place_row *at = &part->place[r];
        double sign = on_ground ? -1 : 1,
               turn = l->torque ? 0 : -degree * atan2(sign * f[1], sign * f[0]);
        to_page(p, frame_at(p, r, frame), &at->x, &at->y);
        at->turn = r ? continued(turn, part->place[r - 1].turn) : turn;
        at->stretch = f[0] == 0 && f[1] == 0 ? 0 : l->torque && sign * f[0] < 0 ? -1 : 1;
    }
}

/* Of a spring: where it is fastened. */
static void draw_ends(ct_page *p, const ct_line *l)
{
    const ct_mechanism *m = p->motion->mechanism;
    const uint32_t end[] = {l->tail, l->head};
    for (int k = 0; k < 2; k++) {
        bool ground = m->frame[end[k]].body == CT_GROUND_BODY;
        add_at_frame(p, ground ? hatched_pin : dot, end[k], false, 0);
    }
}

void ct_draw_parts(ct_page *p)
{
    const ct_mechanism *m = p->motion->mechanism;
    for (uint32_t i = 0; i < m->line_count; i++)
        add_between(p, spring, m->line[i].tail, m->line[i].head);
    for (uint32_t i = 0; p->motion->sprung && i < m->joint_count; i++)
        if (p->motion->sprung[i])
            draw_spring(p, &m->joint[i]);
    draw_bodies(p);
    for (uint32_t i = 0; i < m->joint_count; i++)
        if (ct_joint_types[m->joint[i].kind].slides == 1)
            draw_slide(p, i);
    for (uint32_t i = 0; i < m->joint_count; i++)
        if (!m->joint[i].elastic)
            draw_joint(p, i);
    for (uint32_t i = 0; i < m->line_count; i++)
        draw_ends(p, &m->line[i]);
    for (uint32_t i = 0; i < m->load_count; i++)
        draw_load(p, i);
    for (uint32_t i = 1; i < m->body_count; i++)
        if (!m->body[i].section)
            add_name(p, i);
    for (uint32_t i = 0; p->motion->names && i < m->joint_count; i++)
        if (!m->joint[i].elastic)
            add_joint_name(p, i);
}
