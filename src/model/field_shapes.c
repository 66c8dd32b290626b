/* field_shapes.c - which shapes the modes of a field that bends or varies have.
 *
 * A uniform beam of Euler and Bernoulli has shapes that do not depend on its values. What varies
 * along the length, has rotary inertia, shear or a constant axial force has shapes that do.
 */
#include <math.h>
#include <string.h>

#include "model/beam_ritz.h"
#include "model/field.h"

typedef struct section_reader {
    field_numbers inner;
    double length;
} section_reader;

static ct_ritz_section section_at(void *user, double s)
{
    section_reader *r = user;
    const field_law *law = &r->inner.f->law;
    r->inner.x = s * r->length;
    ct_ritz_section at = {.mass = ct_field_value(&r->inner, law->c), .bend = 1, .shear = 1};
    if (r->inner.f->order == 1) {
        at.shear = 1 / ct_field_value(&r->inner, law->l);
        return at;
    }
    at.inertia = ct_field_value(&r->inner, law->rotary);
    at.bend = 1 / ct_field_value(&r->inner, law->l);
    double soft = ct_field_value(&r->inner, law->shear);
    at.shear = soft == 0 ? 1 : 1 / soft;
    if (ct_field_is_loaded(r->inner.f))
        at.tension = ct_field_value(&r->inner, law->tension);
    return at;
}

/* Keys that have no value. */
static void note_unknown(field *f, ct_expr e, ct_report *r)
{
    const ct_name *symbol;
    field_numbers inner = {.f = f};
    uint32_t count =
        e && !ct_expr_is_number(f->b->pool, e) ? ct_expr_symbols(f->b->pool, e, &symbol) : 0;
    for (uint32_t i = 0; i < count; i++)
        if (isnan(ct_field_value(&inner, ct_expr_symbol(f->b->pool, symbol[i]))))
            ct_note(r, "`%s` has no value", ct_name_text(f->b->ctx, symbol[i]));
}

static void report_values(field *f)
{
    const element_scope *es = f->es;
    ct_place place = f->moving.count ? ct_field_key_place(f, f->moving.at[0])
                                     : ct_place_of(es->outer->s, es->component);
    ct_report *r =
        ct_error(f->b->ctx, "E440", place, "shapes of this element need numbers for its sections");
    const ct_expr part[] = {f->length,     f->law.c,     f->law.l,
                            f->law.rotary, f->law.shear, f->law.tension};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        note_unknown(f, part[i], r);
    ct_note(r, "mass and stiffness per length must be known and positive all along it");
    ct_help(r, "give all its keys values that are made of numbers and params");
    ct_element_fail(f->es);
}

/* ---- a constant axial force */

bool ct_field_is_loaded(field *f)
{
    return ct_field_is_word(f, "axial", "constant");
}

static bool refuse_force(field *f, const char *key, const char *what, const char *why)
{
    ct_name name = ct_intern_text(f->b->ctx, key);
    ct_report *r = ct_error(f->b->ctx, "E443", ct_field_key_place(f, name), "%s", what);
    ct_note(r, "%s", why);
    ct_help(r, "write axial = force: shapes of the beam without the force, which may change");
    ct_element_fail(f->es);
    return false;
}

static bool check_force(field *f, const bool *held, const field_numbers *inner, double force)
{
    if (!isfinite(force))
        return refuse_force(f, "tension", "a constant axial force must be a number",
                            "the shapes of this beam are those under the force");
    if (ct_field_value(inner, f->law.tau) != 0)
        return refuse_force(f, "damping", "damping of the material beside a constant axial force",
                            "the force has no loss: modes under it do not stay apart");
    if (force != 0 && held[0] + held[2] < 2 && !held[1] && !held[3])
        return refuse_force(f, "tension", "a constant axial force on a beam that may turn freely",
                            "nothing holds its direction against the force");
    return true;
}

/* ---- shapes */

static bool take_uniform(field *f, const bool *held, uint32_t modes, field_shapes *out)
{
    ct_pool *p = f->b->pool;
    ct_expr cube = ct_expr_pow(p, f->length, ct_expr_int(p, 3));
    ct_beam_solve(f->b->scratch, held, modes, &out->beam);
    out->mass = ct_expr_mul(p, f->law.c, f->length);
    out->compliance = ct_expr_mul(p, f->law.l, cube);
    out->slowest = 1.8751040687119611;
    return true;
}

bool ct_field_find_shapes(field *f, const bool *held, uint32_t modes, field_shapes *out)
{
    if (!out->found)
        return take_uniform(f, held, modes, out);
    section_reader r = {.inner = {.f = f, .freezes = true}};
    r.length = ct_field_value(&r.inner, f->length);
    ct_ritz_section middle = section_at(&r, 0.5);
    bool shears = f->order == 1 || ct_field_value(&r.inner, f->law.shear) != 0;
    ct_ritz_def def = {.bends = f->order == 2,
                       .shears = shears,
                       .modes = modes,
                       .length = r.length,
                       .at = section_at,
                       .user = &r};
    memcpy(def.held, held, sizeof def.held);
    f->es->out->own_numbers = true;
    out->loaded = f->order == 2 && ct_field_is_loaded(f);
    if (out->loaded && !check_force(f, held, &r.inner, middle.tension))
        return false;
    if (!(r.length > 0) || !ct_ritz_solve(f->b->scratch, &def, &out->beam)) {
        report_values(f);
        return false;
    }
    if (out->beam.buckles)
        return refuse_force(f, "tension", "this beam buckles: it has no such modes",
                            "the compression is beyond what it can bear with these ends");
    double stiff = f->order == 1 ? middle.shear / r.length : middle.bend / pow(r.length, 3);
    out->slowest = 1.8751040687119611 * sqrt(sqrt(stiff / (middle.mass * r.length)));
    out->mass = out->compliance = ct_expr_int(f->b->pool, 1);
    return true;
}
