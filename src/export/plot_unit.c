/* plot_unit.c - what stands at the ticks and beside the axis. */
#include "export/plot_axis.h"

#include <string.h>

/* Units that take prefixes, also as the first factor of a product (N.m, m/s). */
static const struct prefixed_unit {
    const char *symbol;
    bool multiples; /* kV, but not ks */
} prefixed_units[] = {
    {"s", false}, {"K", false}, {"rad", false}, {"m", true},   {"N", true},
    {"J", true},  {"W", true},  {"V", true},    {"A", true},   {"C", true},
    {"F", true},  {"H", true},  {"S", true},    {"ohm", true}, {"Pa", true},
    {"Hz", true}, {"Wb", true}, {"T", true},    {"VA", true},  {"mol", true},
};

static const char *const prefixes[] = {"f", "p", "n", "\xc2\xb5", "m", "", "k", "M", "G", "T", "P"};
enum { SMALLEST_PREFIX = -15, LARGEST_PREFIX = 15 };

static const struct prefixed_unit *find_prefixed(const char *unit)
{
    size_t length = strcspn(unit, "./^*");
    if (unit[length] == '^')
        return NULL; /* (mm)^2 is not a thousandth of m^2 */
    for (size_t i = 0; i < sizeof prefixed_units / sizeof *prefixed_units; i++) {
        const char *symbol = prefixed_units[i].symbol;
        if (strlen(symbol) == length && memcmp(symbol, unit, length) == 0)
            return &prefixed_units[i];
    }
    return NULL;
}

/* The exponent in which a number of this order of magnitude is best read, and its prefix. */
static int choose_scale(int order, const char *unit, const char **prefix)
{
    const struct prefixed_unit *row = find_prefixed(unit);
    int smallest = row ? -1 : -2, largest = row && row->multiples ? 3 : 4;
    int scale = order - ((order % 3) + 3) % 3;
    *prefix = "";
    if (order >= smallest && order <= largest)
        return 0;
    bool known = scale >= SMALLEST_PREFIX && scale <= LARGEST_PREFIX;
    if (row && known && (scale < 0 || row->multiples))
        *prefix = prefixes[(scale - SMALLEST_PREFIX) / 3];
    else
        *prefix = NULL;
    return scale;
}

static int count_digits(int64_t n)
{
    int digits = 1;
    for (n = n < 0 ? -n : n; n >= 10; n /= 10)
        digits++;
    return digits;
}

/* n * 10^exponent, exactly. */
static void put_decimal(ct_text *out, int64_t n, int exponent)
{
    char digits[48], *end = digits + sizeof digits, *at = end;
    uint64_t rest = n < 0 ? -(uint64_t)n : (uint64_t)n;
    if (n < 0)
        ct_put(out, "\xe2\x88\x92"); /* a minus as wide as a plus */
    for (int i = exponent; rest || i <= 0; i++) {
        if (i == 0 && at < end)
            *--at = '.';
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    }
    ct_put_bytes(out, at, (size_t)(end - at));
    ct_put_repeat(out, '0', exponent > 0 && n ? (size_t)exponent : 0);
}

static void put_superscript(ct_text *out, const char *text, size_t length)
{
    static const char *const digits[] = {
        "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
        "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9",
    };
    for (size_t i = 0; i < length; i++)
        ct_put(out, text[i] == '-' ? "\xe2\x81\xbb" : digits[text[i] - '0']);
}

static void put_power_of_ten(ct_text *out, int exponent)
{
    char digits[8], *end = digits + sizeof digits, *at = end;
    for (int size = exponent < 0 ? -exponent : exponent; size || at == end; size /= 10)
        *--at = (char)('0' + size % 10);
    if (exponent < 0)
        *--at = '-';
    ct_put(out, "10");
    put_superscript(out, at, (size_t)(end - at));
}

/* 0.1, 1, 10 where all are short; else powers of ten. */
static void put_decade(const ct_axis *axis, uint32_t tick, ct_text *out)
{
    enum { SHORT_BELOW = -3, SHORT_ABOVE = 3 };
    int64_t last = (axis->first + (int64_t)axis->count - 1) * axis->step;
    int power = (int)((axis->first + tick) * axis->step);
    if (axis->first * axis->step >= SHORT_BELOW && last <= SHORT_ABOVE)
        put_decimal(out, 1, power);
    else
        put_power_of_ten(out, power);
}

void ct_axis_put_tick(const ct_axis *axis, uint32_t tick, ct_text *out)
{
    if (axis->decades) {
        put_decade(axis, tick, out);
        return;
    }
    int64_t n = (axis->first + tick) * axis->step - axis->offset;
    put_decimal(out, n, n ? axis->exponent - axis->shown : 0);
}

const char *ct_axis_tick_text(const ct_axis *axis, uint32_t tick, ct_arena *arena)
{
    ct_text text = ct_text_new(arena);
    ct_axis_put_tick(axis, tick, &text);
    return ct_text_string(&text);
}

static int64_t largest_tick(const ct_axis *axis)
{
    int64_t low = axis->first * axis->step - axis->offset;
    int64_t high = low + (axis->count - (int64_t)1) * axis->step;
    return -low > high ? -low : high;
}

/* The roundest number among the ticks, when their labels would differ after many equal digits. */
static void choose_offset(ct_axis *axis)
{
    enum { EQUAL_DIGITS = 5 };
    int64_t low = axis->first * axis->step, high = low + (axis->count - (int64_t)1) * axis->step;
    if (count_digits(largest_tick(axis)) - count_digits(high - low) < EQUAL_DIGITS)
        return;
    int64_t near = low < 0 ? high : low, far = low < 0 ? low : high; /* from zero */
    for (int64_t unit = 1; far / unit * unit / near != 0; unit *= 10)
        axis->offset = far / unit * unit;
}

/* Where ` [unit]` begins; the end of the label when there is none. */
static const char *find_unit(const char *label)
{
    const char *bracket = strrchr(label, '['), *end = label + strlen(label);
    bool closed = bracket && end[-1] == ']';
    if (closed && bracket == label)
        return bracket;
    return closed && bracket[-1] == ' ' ? bracket - 1 : end;
}

void ct_axis_name(ct_axis *axis, const char *label, ct_arena *arena)
{
    if (label) {
        const char *end = find_unit(label), *unit = end + strspn(end, " [");
        axis->label = ct_arena_copy(arena, label, (size_t)(end - label));
        axis->unit = *end ? ct_arena_copy(arena, unit, strlen(unit) - 1) : "";
    }
    if (axis->sized)
        axis->unit = axis->sized;
    if (strcmp(axis->unit, "1") == 0)
        axis->unit = "";
    if (axis->decades)
        return;
    choose_offset(axis);
    int order = count_digits(largest_tick(axis)) - 1 + axis->exponent;
    axis->shown = choose_scale(order, axis->unit, &axis->prefix);
}

/* Characters of `^2`, `^-1`, `^0.5`; a point before a letter is a product. */
static size_t power_length(const char *unit, bool *whole)
{
    const char *digits = "-0123456789";
    size_t length = 1 + strspn(unit + 1, digits);
    *whole = unit[length] != '.' || !strspn(unit + length + 1, digits);
    return *whole ? length : length + 1 + strspn(unit + length + 1, digits);
}

/* Units as printed rather than typed: ohm, degC, m^2 and N.m get their signs. */
static void put_unit(ct_text *out, const char *unit)
{
    static const char *const sign[][2] = {
        {"ohm", "\xce\xa9"}, {"degC", "\xc2\xb0\x43"}, {"deg", "\xc2\xb0"}, {".", "\xc2\xb7"}};
    while (*unit) {
        size_t length = 1, i = 0;
        bool whole = false;
        while (i < 4 && strncmp(unit, sign[i][0], strlen(sign[i][0])) != 0)
            i++;
        if (*unit == '^')
            length = power_length(unit, &whole);
        if (whole)
            put_superscript(out, unit + 1, length - 1);
        else if (i < 4)
            ct_put(out, sign[i][1]);
        else
            ct_put_bytes(out, unit, length);
        unit += i < 4 ? strlen(sign[i][0]) : length;
    }
}

/* `mV`, `10³ kg`, `10³/s` */
static void put_scaled_unit(ct_text *out, int scale, const char *prefix, const char *unit)
{
    if (!prefix) {
        put_power_of_ten(out, scale);
        bool reciprocal = unit[0] == '1' && unit[1] == '/';
        ct_put(out, *unit && !reciprocal ? " " : "");
        put_unit(out, unit + reciprocal);
        return;
    }
    ct_put(out, prefix);
    put_unit(out, unit);
}

/* ` − 5 V` */
static void put_offset(const ct_axis *axis, ct_text *out)
{
    int64_t n = axis->offset < 0 ? -axis->offset : axis->offset;
    int exponent = axis->exponent;
    for (; n % 10 == 0; n /= 10)
        exponent++;
    const char *prefix;
    int scale = choose_scale(count_digits(n) - 1 + exponent, axis->unit, &prefix);
    ct_put(out, axis->offset < 0 ? " + " : " \xe2\x88\x92 ");
    put_decimal(out, n, exponent - scale);
    ct_put(out, !prefix ? "\xc2\xb7" : *axis->unit ? " " : "");
    put_scaled_unit(out, scale, prefix, axis->unit);
}

const char *ct_axis_label(const ct_axis *axis, ct_arena *arena)
{
    ct_text text = ct_text_new(arena);
    ct_put(&text, axis->label ? axis->label : "");
    if (axis->offset) {
        ct_put(&text, text.length ? "" : "value");
        put_offset(axis, &text);
    }
    if (!*axis->unit && axis->shown == 0)
        return ct_text_string(&text);
    ct_put(&text, text.length ? " [" : "[");
    put_scaled_unit(&text, axis->shown, axis->prefix, axis->unit);
    ct_put_char(&text, ']');
    return ct_text_string(&text);
}
