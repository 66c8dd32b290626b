/* draw.c - the page: its size, and the parts as a still picture, as SVG that moves by itself
 * (SMIL), or as a page with a slider. */
#include "export/draw.h"

#include <math.h>

#include "export/draw_make.h"
#include "export/svg.h"

static const double page_width = 720, page_height = 520, margin = 64, title_height = 36;
enum { MOST_MOMENTS = 240 };

/* ---- size */

typedef struct box {
    double low[2], high[2];
} box;

static void widen(box *b, const double *at)
{
    for (int k = 0; k < 2; k++)
        if (isfinite(at[k])) {
            b->low[k] = fmin(b->low[k], at[k]);
            b->high[k] = fmax(b->high[k], at[k]);
        }
}

static void mass_centre(const ct_motion_rows *m, uint32_t row, uint32_t body, double at[2])
{
    const double *f = m->frame[row] + (size_t)m->mechanism->body[body].frame * CT_FRAME_COLUMNS;
    const double *com = &m->com[(size_t)2 * body];
    const double c = cos(f[2]), s = sin(f[2]);
    at[0] = f[0] + c * com[0] - s * com[1];
    at[1] = f[1] + s * com[0] + c * com[1];
}

/* Everything that something is fastened to, and mass centres, at all times. */
static box extent(const ct_motion_rows *m)
{
    box b = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    double at[2];
    for (uint32_t r = 0; r < m->rows; r++) {
        for (uint32_t f = 0; f < m->mechanism->frame_count; f++)
            widen(&b, m->frame[r] + (size_t)f * CT_FRAME_COLUMNS);
        for (uint32_t i = 1; i < m->mechanism->body_count; i++) {
            mass_centre(m, r, i, at);
            widen(&b, at);
        }
    }
    for (int k = 0; k < 2; k++)
        if (!(b.low[k] <= b.high[k]))
            b.low[k] = b.high[k] = 0;
    return b;
}

static ct_page open_page(const ct_motion_rows *motion, ct_arena *arena)
{
    box b = extent(motion);
    double w = b.high[0] - b.low[0], h = b.high[1] - b.low[1];
    double across = w > 0 ? (page_width - 2 * margin) / w : INFINITY;
    double along = h > 0 ? (page_height - 2 * margin) / h : INFINITY;
    double scale = fmin(across, along);
    if (!isfinite(scale))
        scale = 100;
    ct_page p = {.motion = motion, .arena = arena, .scale = scale};
    p.width = fmax(scale * w + 2 * margin, 320);
    p.height = scale * h + 2 * margin + title_height;
    p.left = p.width / 2 - scale * (b.low[0] + b.high[0]) / 2;
    p.top = title_height + margin + scale * b.high[1];
    return p;
}

/* ---- parts */

static void put_value(ct_text *out, double value)
{
    ct_putf(out, "%.2f", isfinite(value) ? value + 0.0 : 0.0);
}

static void put_transform(ct_text *out, const ct_draw_part *part, const ct_place_row *at)
{
    ct_put(out, "translate(");
    put_value(out, at->x);
    ct_put_char(out, ' ');
    put_value(out, at->y);
    ct_put_char(out, ')');
    if (part->turns) {
        ct_put(out, " rotate(");
        put_value(out, at->turn);
        ct_put_char(out, ')');
    }
    if (part->stretches)
        ct_putf(out, " scale(%.4f 1)", isfinite(at->stretch) ? at->stretch : 0.0);
}

typedef struct moments {
    uint32_t count, rows;
} moments;

static uint32_t row_of(moments m, uint32_t i)
{
    return m.count < 2 ? 0 : (uint32_t)((uint64_t)i * (m.rows - 1) / (m.count - 1));
}

static void put_track(ct_text *out, const ct_draw_part *part, moments m, int what, double seconds)
{
    static const char *const type[] = {"translate", "rotate", "scale"};
    ct_putf(out,
            "<animateTransform attributeName=\"transform\" type=\"%s\" additive=\"%s\" "
            "dur=\"%.3gs\" repeatCount=\"indefinite\" values=\"",
            type[what], what ? "sum" : "replace", seconds);
    for (uint32_t i = 0; i < m.count; i++) {
        const ct_place_row *at = &part->place[row_of(m, i)];
        ct_put(out, i ? ";" : "");
        put_value(out, what == 0 ? at->x : what == 1 ? at->turn : at->stretch);
        if (what != 1)
            ct_put_char(out, ' ');
        if (what == 0)
            put_value(out, at->y);
        else if (what == 2)
            ct_put_char(out, '1');
    }
    ct_put(out, "\"/>");
}

static bool moves(const ct_page *p, const ct_draw_part *part)
{
    const double seen = 0.01, seen_stretch = 1e-4; /* pixels and degrees; a factor */
    const ct_place_row *a = &part->place[0];
    for (uint32_t r = 1; r < p->motion->rows; r++) {
        const ct_place_row *b = &part->place[r];
        if (fabs(b->x - a->x) + fabs(b->y - a->y) + fabs(b->turn - a->turn) > seen ||
            fabs(b->stretch - a->stretch) > seen_stretch)
            return true;
    }
    return false;
}

/* seconds 0: a still picture. */
static void put_parts(const ct_page *p, moments m, double seconds, ct_text *out)
{
    for (uint32_t i = 0; i < p->part.count; i++) {
        const ct_draw_part *part = &p->part.at[i];
        ct_put(out, "<g transform=\"");
        put_transform(out, part, &part->place[0]);
        ct_putf(out, "\">%s", part->svg);
        if (seconds > 0 && moves(p, part)) {
            put_track(out, part, m, 0, seconds);
            if (part->turns)
                put_track(out, part, m, 1, seconds);
            if (part->stretches)
                put_track(out, part, m, 2, seconds);
        }
        ct_put(out, "</g>\n");
    }
}

/* The path of a mass centre. */
static void put_trace(const ct_page *p, moments m, uint32_t body, ct_text *out)
{
    const ct_motion_rows *rows = p->motion;
    for (uint32_t i = 0; i < m.count; i++) {
        double at[2];
        mass_centre(rows, row_of(m, i), body, at);
        ct_put(out, i ? " L" : "M");
        put_value(out, p->left + p->scale * at[0]);
        ct_put_char(out, ' ');
        put_value(out, p->top - p->scale * at[1]);
    }
}

static void put_traces(const ct_page *p, moments m, ct_text *out)
{
    ct_put(out, "<path id=\"traces\" fill=\"none\" stroke=\"#9aa5b1\" stroke-width=\"1\" "
                "stroke-dasharray=\"4 3\" d=\"");
    for (uint32_t i = 1; i < p->motion->mechanism->body_count; i++)
        if (!p->motion->mechanism->body[i].section)
            put_trace(p, m, i, out);
    ct_put(out, "\"/>\n");
}

static void put_svg(const ct_page *p, moments m, double seconds, bool page, ct_text *out)
{
    ct_putf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 "
            "0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"14\">\n",
            p->width, p->height, p->width, p->height);
    ct_put(out, "<style>.link{stroke-width:6;stroke-linejoin:round;stroke-linecap:round}</style>\n"
                "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
                "<text x=\"16\" y=\"24\" font-weight=\"bold\">");
    ct_svg_escaped(out, p->motion->title);
    ct_put(out, "</text>\n");
    if (page)
        put_traces(p, m, out);
    put_parts(p, m, seconds, out);
    ct_put(out, "</svg>\n");
}

/* ---- a page with a slider */

static void put_data(const ct_page *p, moments m, ct_text *out)
{
    ct_put(out, "const time=[");
    for (uint32_t i = 0; i < m.count; i++)
        ct_putf(out, "%s%.6g", i ? "," : "", p->motion->time[row_of(m, i)]);
    ct_put(out, "];\nconst track=[");
    for (uint32_t k = 0; k < p->part.count; k++) {
        const ct_draw_part *part = &p->part.at[k];
        ct_put(out, k ? ",\n[" : "\n[");
        for (uint32_t i = 0; moves(p, part) && i < m.count; i++) {
            ct_put(out, i ? ",\"" : "\"");
            put_transform(out, part, &part->place[row_of(m, i)]);
            ct_put_char(out, '"');
        }
        ct_put(out, "]");
    }
    ct_put(out, "];\n");
}

static void put_html(const ct_page *p, moments m, double seconds, ct_text *out)
{
    ct_put(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>");
    ct_svg_escaped(out, p->motion->title);
    ct_put(out, "</title>\n<style>body{font-family:sans-serif;margin:0;height:100vh;display:flex;"
                "flex-direction:column}svg{flex:1;min-height:0;width:100%;height:auto}"
                "p{margin:0.5em 1em;display:flex;gap:1em;align-items:center}#at{flex:1}</style>"
                "</head>\n<body>\n");
    put_svg(p, m, 0, true, out);
    ct_putf(out,
            "<p><button id=\"play\">Pause</button> <input id=\"at\" type=\"range\" min=\"0\" "
            "max=\"%u\" value=\"0\"> <span id=\"clock\"></span> <label><input id=\"paths\" "
            "type=\"checkbox\" checked> paths</label></p>\n",
            m.count - 1);
    ct_put(out, "<script>\n");
    put_data(p, m, out);
    ct_putf(out, "const seconds=%.6g;\n", seconds);
    ct_put(out, "const parts=document.querySelectorAll('svg > g');\n"
                "const at=document.getElementById('at'),play=document.getElementById('play');\n"
                "const clock=document.getElementById('clock');\n"
                "let running=true,last=0,here=0;\n"
                "function show(i){\n"
                "  track.forEach((t,k)=>{if(t.length)parts[k].setAttribute('transform',t[i]);});\n"
                "  clock.textContent='t = '+time[i].toPrecision(4)+' s';\n"
                "  at.value=i;\n"
                "}\n"
                "function step(now){\n"
                "  if(running){here=(here+(now-last)/1000/seconds)%1;"
                "show(Math.min(time.length-1,Math.floor(here*time.length)));}\n"
                "  last=now;requestAnimationFrame(step);\n"
                "}\n"
                "at.oninput=()=>{running=false;play.textContent='Play';here=at.value/time.length;"
                "show(+at.value);};\n"
                "play.onclick=()=>{running=!running;play.textContent=running?'Pause':'Play';};\n"
                "const paths=document.getElementById('paths');\n"
                "paths.onchange=()=>{document.getElementById('traces').style.display="
                "paths.checked?'':'none';};\n"
                "requestAnimationFrame(now=>{last=now;step(now);});\n"
                "</script>\n</body>\n</html>\n");
}

/* Real time where that can be watched. */
static double play_time(const ct_motion_rows *m)
{
    double span = m->rows > 1 ? m->time[m->rows - 1] - m->time[0] : 0;
    return fmin(fmax(span, 2), 20);
}

void ct_draw(const ct_motion_rows *motion, ct_draw_format format, ct_text *out)
{
    ct_arena *arena = ct_arena_new(motion->ctx);
    ct_page page = open_page(motion, arena);
    moments m = {motion->rows < MOST_MOMENTS ? motion->rows : MOST_MOMENTS, motion->rows};
    ct_draw_parts(&page);
    if (format == CT_DRAW_HTML)
        put_html(&page, m, play_time(motion), out);
    else
        put_svg(&page, m, format == CT_DRAW_SVG ? play_time(motion) : 0, false, out);
    ct_arena_free(arena);
}
