/* point.c - all variables at one point, as JSON and as text. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "export/result.h"
#include "simulate/simulate.h"

/* Of states, then of variables of joints and bodies that are none. */
static void put_derivatives(ct_json *j, const ct_point *p)
{
    ct_json_open(j, "derivatives", '{');
    for (uint32_t i = 0; i < p->state_count; i++)
        ct_json_number(j, p->state[i], p->rate[i]);
    for (uint32_t i = 0; i < p->motion_count; i++)
        ct_json_number(j, p->motion[i], p->motion_rate[i]);
    ct_json_close(j, '}');
}

static void put_bodies(ct_json *j, const ct_point *p)
{
    ct_json_open(j, "M", '[');
    for (uint32_t i = 0; i < p->body_count; i++)
        ct_json_numbers(j, NULL, p->mass + (size_t)i * p->body_count, p->body_count);
    ct_json_close(j, ']');
    ct_json_numbers(j, "Q", p->force, p->body_count);
    ct_json_numbers(j, "Phi", p->position, p->constraint_count);
    ct_json_pairs(j, "multipliers", p->multiplier, p->lambda, p->constraint_count);
    if (p->motion_count)
        ct_json_pairs(j, "joints", p->motion, p->motion_value, p->motion_count);
}

void ct_point_put_json(const ct_context *ctx, const ct_point *p, ct_text *out)
{
    ct_json json = ct_json_new(out, ""), *j = &json;
    ct_json_open(j, NULL, '{');
    ct_json_number(j, "time", p->time);
    if (p->method) {
        ct_json_text(j, "method", p->method);
        ct_json_int(j, "iterations", (int64_t)p->iterations);
    }
    ct_json_pairs(j, "states", p->state, p->x, p->state_count);
    put_derivatives(j, p);
    ct_json_pairs(j, "algebraic", p->algebraic, p->w, p->algebraic_count);
    ct_json_texts(j, "coordinates", p->coordinate, p->coordinate_count);
    put_bodies(j, p);
    ct_json_pairs(j, "outputs", p->output, p->y, p->output_count);
    ct_json_end(j, ctx);
}

static size_t widest(const ct_point *p)
{
    size_t width = 4;
    for (uint32_t i = 0; i < p->state_count; i++)
        if (ct_text_width(p->state[i]) > width)
            width = ct_text_width(p->state[i]);
    for (uint32_t i = 0; i < p->output_count; i++)
        if (ct_text_width(p->output[i]) > width)
            width = ct_text_width(p->output[i]);
    return width < 60 ? width : 60;
}

static void put_line(ct_text *out, const char *name, size_t width, double value)
{
    size_t own = ct_text_width(name);
    ct_putf(out, "  %s", name);
    ct_put_repeat(out, ' ', own < width ? width - own : 0);
    ct_putf(out, " = %.9g", isnan(value) ? NAN : value + 0.0); /* no -0 */
}

void ct_point_put_text(const ct_point *p, ct_text *out)
{
    size_t width = widest(p);
    ct_putf(out, "at t = %.9g s\n", p->time);
    if (p->method && strcmp(p->method, CT_METHOD_NEWTON) != 0 &&
        strcmp(p->method, CT_METHOD_LIMITING) != 0)
        ct_putf(out, "found by %s\n", p->method);
    if (p->state_count)
        ct_put(out, "states\n");
    for (uint32_t i = 0; i < p->state_count; i++) {
        put_line(out, p->state[i], width, p->x[i]);
        ct_putf(out, "   changing by %.9g per second\n", p->rate[i] + 0.0);
    }
    if (p->constraint_count)
        ct_put(out, "multipliers\n");
    for (uint32_t i = 0; i < p->constraint_count; i++) {
        put_line(out, p->multiplier[i], width, p->lambda[i]);
        ct_put_char(out, '\n');
    }
    if (p->output_count)
        ct_put(out, "outputs\n");
    for (uint32_t i = 0; i < p->output_count; i++) {
        put_line(out, p->output[i], width, p->y[i]);
        ct_put_char(out, '\n');
    }
}
