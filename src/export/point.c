/* point.c - all variables at one point, as JSON and as text. */
#include <math.h>
#include <string.h>

#include "export/decimal.h"
#include "export/result.h"
#include "simulate/simulate.h"

void ct_put_number(ct_text *out, double value)
{
    char text[CT_DECIMAL_ROOM];
    if (isfinite(value))
        ct_put_bytes(out, text, ct_decimal_write(text, value));
    else
        ct_put(out, "null");
}

static void put_object(ct_text *out, const char *key, const char *const *name, const double *value,
                       uint32_t count)
{
    ct_putf(out, ",\"%s\":{", key);
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, i ? "," : "");
        ct_put_json(out, name[i]);
        ct_put_char(out, ':');
        ct_put_number(out, value[i]);
    }
    ct_put_char(out, '}');
}

static void put_numbers(ct_text *out, const double *value, uint32_t count)
{
    ct_put_char(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, i ? "," : "");
        ct_put_number(out, value[i]);
    }
    ct_put_char(out, ']');
}

/* Of states, then of variables of joints and bodies that are none. */
static void put_derivatives(ct_text *out, const ct_point *p)
{
    put_object(out, "derivatives", p->state, p->rate, p->state_count);
    out->length--; /* the bracket */
    for (uint32_t i = 0; i < p->motion_count; i++) {
        ct_put(out, i || p->state_count ? "," : "");
        ct_put_json(out, p->motion[i]);
        ct_put_char(out, ':');
        ct_put_number(out, p->motion_rate[i]);
    }
    ct_put_char(out, '}');
}

void ct_point_put_json(const ct_point *p, ct_text *out)
{
    ct_put(out, "{\"time\":");
    ct_put_number(out, p->time);
    if (p->method)
        ct_putf(out, ",\"method\":\"%s\",\"iterations\":%llu", p->method,
                (unsigned long long)p->iterations);
    put_object(out, "states", p->state, p->x, p->state_count);
    put_derivatives(out, p);
    put_object(out, "algebraic", p->algebraic, p->w, p->algebraic_count);
    ct_put(out, ",\"coordinates\":[");
    for (uint32_t i = 0; i < p->coordinate_count; i++) {
        ct_put(out, i ? "," : "");
        ct_put_json(out, p->coordinate[i]);
    }
    ct_put(out, "],\"M\":[");
    for (uint32_t i = 0; i < p->body_count; i++) {
        ct_put(out, i ? "," : "");
        put_numbers(out, p->mass + (size_t)i * p->body_count, p->body_count);
    }
    ct_put(out, "],\"Q\":");
    put_numbers(out, p->force, p->body_count);
    ct_put(out, ",\"Phi\":");
    put_numbers(out, p->position, p->constraint_count);
    put_object(out, "multipliers", p->multiplier, p->lambda, p->constraint_count);
    if (p->motion_count)
        put_object(out, "joints", p->motion, p->motion_value, p->motion_count);
    put_object(out, "outputs", p->output, p->y, p->output_count);
    ct_put(out, "}\n");
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
