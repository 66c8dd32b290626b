/* beam_wave.c - waves of a uniform beam at one frequency; see beam_wave.h. */
#include "model/beam_wave.h"

#include <math.h>

/* The two wave numbers, squared: the larger one first, so that the other keeps its digits. */
static void squares(double complex sum, double complex product, double complex *out)
{
    double complex root = csqrt(sum * sum / 4 - product);
    double complex up = sum / 2 + root, down = sum / 2 - root;
    out[0] = cabs(up) > cabs(down) ? up : down;
    out[1] = product / out[0];
}

/* cosh and sinh of wave number times the way from the middle to a place `off` behind the end, both
 * divided by what they grow to at the end. */
static void hyperbolic(double complex p, double length, double off, double complex *ch,
                       double complex *sh)
{
    const double far = 300;
    double complex half = p * length / 2, at = p * (length / 2 - off), shrunk = cexp(-half);
    bool is_long = creal(half) > far;
    *ch = is_long ? 0.5 * cexp(-p * off) : ccosh(at) * shrunk;
    *sh = is_long ? 0.5 * cexp(-p * off) : csinh(at) * shrunk;
}

/* What holds at one frequency, and of each wave: its number, its amplitudes for a deflection 1. */
typedef struct law {
    double complex m, h, f, j, pull;
    double complex p[2], slope[2], force[2], moment[2];
} law;

static law law_at(const ct_beam_wave *b, double complex s)
{
    double complex late = 1 + b->tau * s, square[2];
    law a = {.m = b->c * s + b->g, .h = b->shear * s / late, .f = b->l * s / late};
    a.j = b->rotary * s, a.pull = b->tension / s;
    double complex k = 1 / (1 + a.h * a.pull), turn = a.f * (k * a.pull + a.j);
    squares(k * a.h * a.m + turn, k * a.m * (a.h * turn + k * a.f), square);
    for (int i = 0; i < 2; i++) {
        a.p[i] = csqrt(square[i]), a.force[i] = -a.m / a.p[i];
        a.slope[i] = a.p[i] / k + a.h * a.force[i], a.moment[i] = -a.slope[i] * a.p[i] / a.f;
    }
    return a;
}

ct_beam_ends ct_beam_wave_at(const ct_beam_wave *b, double complex s)
{
    law a = law_at(b, s);
    ct_beam_ends out;
    for (int wave = 0; wave < 2; wave++) {
        double complex ch, sh;
        hyperbolic(a.p[wave], b->length, 0, &ch, &sh);
        for (int end = 0; end < 2; end++) {
            double side = end ? 1 : -1; /* what flows in at the end is what flows back there */
            double complex *v = out.across[2 * end], *w = out.across[2 * end + 1];
            double complex *F = out.through[2 * end], *T = out.through[2 * end + 1];
            v[wave] = ch, w[wave] = side * a.slope[wave] * sh;
            F[wave] = -a.force[wave] * sh, T[wave] = -side * a.moment[wave] * ch;
            v[2 + wave] = side * sh, w[2 + wave] = a.slope[wave] * ch;
            F[2 + wave] = -side * a.force[wave] * ch, T[2 + wave] = -a.moment[wave] * sh;
        }
    }
    return out;
}

/* ---- the chain, from its begin; the end is its mirror image */

typedef struct chain_wave {
    const law *a;
    double complex p; /* of the chain */
    double length, step;
    int wave;
    bool even;
} chain_wave;

typedef struct state {
    double complex v, w, F, T;
} state;

/* Fields of a wave at a place, each where the chain has it. */
static state field_of(const chain_wave *c, double off)
{
    double complex ch, sh;
    hyperbolic(c->p, c->length, off, &ch, &sh);
    double complex same = c->even ? ch : -sh, other = c->even ? -sh : ch;
    const law *a = c->a;
    return (state){same, a->slope[c->wave] * other, a->force[c->wave] * other,
                   a->moment[c->wave] * same};
}

/* The first node is at the end: half of its mass, half a step bends. */
static state held_end(const chain_wave *c)
{
    state node = field_of(c, 0), link = field_of(c, c->step / 2);
    double half = c->step / 2;
    return (state){node.v, link.w + half * c->a->f * node.T, link.F + half * c->a->m * node.v,
                   node.T};
}

/* The first node is half a step behind the end; its link stands for that piece, too, unless a slope
 * that is held does. */
static state free_end(const chain_wave *c, bool turn_held)
{
    const law *a = c->a;
    double h = c->step, share = turn_held ? 1 : 1.5;
    state node = field_of(c, 1.5 * h), link = field_of(c, h), out;
    double complex pull = share * a->pull;
    double complex Q = (link.F + pull * link.w) / (1 + pull * a->h);
    double complex v = node.v - h * (link.w - a->h * Q);
    double complex T = node.T + h * Q + share * h * a->j * link.w;
    double complex shear = a->h * h / 2, bend = h * h * h * a->f;
    out.F = link.F + h * a->m * v;
    if (turn_held) {
        out.w = link.w + a->f * h * T;
        out.T = T + h / 2 * (out.F + (a->j + a->pull) * out.w);
        out.v = v - h / 2 * out.w + (shear + bend / 24) * out.F;
        return out;
    }
    out.T = T + h / 2 * out.F;
    out.w = link.w + a->f * h * (out.T - h / 2 * out.F);
    out.v = v - h / 2 * link.w + (shear + bend / 3) * out.F - a->f * h * h / 2 * out.T;
    return out;
}

ct_beam_ends ct_beam_links_at(const ct_beam_wave *b, double complex s, const bool *held,
                              uint32_t cells)
{
    law a = law_at(b, s);
    double halves = 2.0 * cells + (held[0] != held[2]);
    chain_wave c = {.a = &a, .length = b->length, .step = 2 * b->length / halves};
    ct_beam_ends out;
    for (uint32_t i = 0; i < BEAM_ENDS; i++) {
        c.wave = i % 2, c.even = i < 2;
        c.p = 2 / c.step * casinh(a.p[c.wave] * c.step / 2);
        for (int end = 0; end < 2; end++) {
            double same = end && !c.even ? -1 : 1, turned = end ? -same : same;
            state e = held[2 * end] ? held_end(&c) : free_end(&c, held[2 * end + 1]);
            out.across[2 * end][i] = same * e.v, out.across[2 * end + 1][i] = turned * e.w;
            out.through[2 * end][i] = same * e.F, out.through[2 * end + 1][i] = turned * e.T;
        }
    }
    return out;
}
