/* value.c - numbers and words of attributes, and a list of what has no meaning here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot/inside.h"

static const double last_digit = 1e-15; /* of angles in files: rounding of what is compared */

ct_report *ct_robot_error(robot *r, const char *code, ct_place place, const char *format, ...)
{
    ct_text text = ct_text_new(r->arena);
    va_list arguments;
    va_start(arguments, format);
    ct_vputf(&text, format, arguments);
    va_end(arguments);
    r->broken = true;
    return ct_error(r->ctx, code, place, "%s", ct_text_string(&text));
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* strtod also reads hexadecimal numbers and names of infinities. */
static bool is_decimal(const char *at)
{
    size_t length = strcspn(at, " \t\r\n");
    return length > 0 && strspn(at, "+-.0123456789eE") >= length;
}

bool ct_robot_numbers(robot *r, const char *text, ct_place place, uint32_t count, double *out)
{
    uint32_t seen = 0;
    const char *at = text;
    for (;;) {
        while (is_space(*at))
            at++;
        char *end = NULL;
        double value = *at && is_decimal(at) ? strtod(at, &end) : 0;
        if (!end || end == at || (*end && !is_space(*end)) || !isfinite(value))
            break;
        if (seen < count)
            out[seen] = value;
        seen++;
        at = end;
    }
    if (!*at && seen == count)
        return true;
    ct_report *p =
        *at ? ct_robot_error(r, "E852", place, "`%.20s` is not a number", at)
            : ct_robot_error(r, "E852", place, "here stand %u numbers instead of %u", seen, count);
    ct_help(p, count == 1 ? "write one number, like 0.5 or 1e-3"
                          : "write the numbers with blanks between them, like 0 0 0.5");
    return false;
}

bool ct_read_numbers(robot *r, uint32_t element, const char *attribute, uint32_t count, double *out)
{
    const ct_xml_attribute *a = element ? ct_xml_find(r->x, element, attribute) : NULL;
    return a && ct_robot_numbers(r, a->value, a->place, count, out);
}

const char *ct_need_text(robot *r, uint32_t element, const char *attribute)
{
    const ct_xml_attribute *a = ct_xml_find(r->x, element, attribute);
    const ct_xml_element *e = &r->x->element.at[element];
    if (a && *a->value)
        return a->value;
    ct_report *p = ct_robot_error(r, "E852", e->place, "<%s> needs the attribute `%s`",
                                  ct_name_text(r->ctx, e->name), attribute);
    ct_help(p, "write <%s %s=\"...\">", ct_name_text(r->ctx, e->name), attribute);
    return NULL;
}

/* Digits behind the point of a number as it is written; 0 with an exponent. */
static int decimals(const char *text)
{
    size_t length = strcspn(text, " \t\r\n"), whole = strspn(text, "+-0123456789");
    if (whole >= length || text[whole] != '.')
        return 0;
    size_t digits = strspn(text + whole + 1, "0123456789");
    return whole + 1 + digits == length ? (int)digits : 0;
}

/* Files have 1.57079632679 where a quarter turn is meant. It is taken as meant when all digits of
 * eight and more are those of quarter turns. */
static double meant_angle(const char *text, double value)
{
    const double quarter = 1.57079632679489661923;
    double turns = nearbyint(value / quarter);
    int digits = decimals(text);
    bool meant = turns != 0 && digits >= 8 &&
                 fabs(value - turns * quarter) <= pow(10, -digits) * 1.000001 + last_digit;
    return meant ? turns * quarter : value;
}

void ct_read_angles(const char *text, double *angle, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        while (is_space(*text))
            text++;
        angle[i] = meant_angle(text, angle[i]);
        while (*text && !is_space(*text))
            text++;
    }
}

static const char *const shape_words[] = {
    [SHAPE_NONE] = "",         [SHAPE_BOX] = "box",         [SHAPE_CYLINDER] = "cylinder",
    [SHAPE_SPHERE] = "sphere", [SHAPE_CAPSULE] = "capsule", [SHAPE_ELLIPSOID] = "ellipsoid",
    [SHAPE_MESH] = "mesh"};

bool ct_shape_word(const char *word, shape_kind *kind)
{
    for (int i = SHAPE_BOX; i <= SHAPE_MESH; i++)
        if (strcmp(shape_words[i], word) == 0) {
            *kind = (shape_kind)i;
            return true;
        }
    return false;
}

const char *ct_shape_name(shape_kind kind)
{
    return shape_words[kind];
}

/* ---- tags without a meaning */

static void leave_out(robot *r, ct_name name, bool tag, ct_place place)
{
    for (uint32_t i = 0; i < r->left.count && i < 100; i++)
        if (r->left.at[i].name == name && r->left.at[i].tag == tag) {
            r->left.at[i].count++;
            return;
        }
    if (r->left.count < 100)
        CT_PUSH(r->arena, r->left, (left_out){name, tag, 1, place});
}

void ct_leave_out(robot *r, uint32_t element)
{
    const ct_xml_element *e = &r->x->element.at[element];
    leave_out(r, e->name, true, e->place);
}

void ct_leave_out_word(robot *r, const char *what, ct_place place)
{
    leave_out(r, ct_intern_text(r->ctx, what), false, place);
}

void ct_tell_left_out(robot *r)
{
    if (!r->left.count)
        return;
    ct_text text = ct_text_new(r->arena);
    for (uint32_t i = 0; i < r->left.count; i++) {
        const left_out *l = &r->left.at[i];
        ct_putf(&text, l->tag ? "%s<%s>" : "%s%s", i ? ", " : "", ct_name_text(r->ctx, l->name));
        if (l->count > 1)
            ct_putf(&text, " (%u times)", l->count);
    }
    ct_report *p = ct_warning(r->ctx, "W854", r->left.at[0].place, "left out of the robot: %s",
                              ct_text_string(&text));
    for (uint32_t i = 0; i < r->left.count; i++)
        ct_witness(p, ct_name_text(r->ctx, r->left.at[i].name));
}
