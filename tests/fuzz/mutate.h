/* mutate.h - damaged texts: bytes, words, numbers, brackets, lines, pieces of other texts. */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include "fuzz/dice.h"

typedef struct stretch {
    size_t at, length;
} stretch;

static inline bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The word at or after a random place; the whole text counts as a ring. */
static inline stretch random_word(dice *d, const buffer *b, bool number)
{
    size_t at = roll(d, b->length);
    for (size_t i = 0; i < b->length; i++, at = (at + 1) % b->length) {
        char c = b->at[at];
        if (is_word(c) && (!number || (c >= '0' && c <= '9')) && (!at || !is_word(b->at[at - 1])))
            break;
    }
    size_t end = at;
    while (end < b->length && (is_word(b->at[end]) || (number && b->at[end] == '.')))
        end++;
    return (stretch){at, end - at};
}

static inline stretch random_line(dice *d, const buffer *b)
{
    size_t at = roll(d, b->length), end;
    while (at && b->at[at - 1] != '\n')
        at--;
    for (end = at; end < b->length && b->at[end] != '\n';)
        end++;
    return (stretch){at, end + (end < b->length) - at};
}

static inline void put_in(buffer *b, stretch s, const char *text)
{
    buffer_edit(b, s.at, s.length, text, strlen(text));
}

/* Copies a stretch over another one. */
static inline void copy_over(buffer *b, stretch from, stretch to)
{
    char *copy = malloc(from.length + 1);
    if (!copy)
        abort();
    memcpy(copy, b->at + from.at, from.length);
    buffer_edit(b, to.at, to.length, copy, from.length);
    free(copy);
}

/* ---- the mutations */

static inline void change_byte(dice *d, buffer *b, const corpus *c)
{
    static const char bytes[] = "(){}[],;:=.|\"#\n +-*/^<>!\\'`~@$%&?abz019\t\r\x80\xc3\xff";
    (void)c;
    b->at[roll(d, b->length)] = chance(d, 90) ? bytes[roll(d, sizeof bytes)] : (char)roll64(d);
}

static inline void flip_bit(dice *d, buffer *b, const corpus *c)
{
    size_t at = roll(d, b->length);
    (void)c;
    b->at[at] = (char)(b->at[at] ^ 1 << roll(d, 8));
}

static inline void drop_bytes(dice *d, buffer *b, const corpus *c)
{
    (void)c;
    buffer_edit(b, roll(d, b->length), 1 + roll(d, 16), "", 0);
}

static inline void insert_token(dice *d, buffer *b, const corpus *c)
{
    static const char *const tokens[] = {"(",
                                         ")",
                                         "[",
                                         "]",
                                         "{",
                                         "}",
                                         ",",
                                         ";",
                                         ":",
                                         "=",
                                         "==",
                                         "..",
                                         "|",
                                         "\"",
                                         "#",
                                         "\n",
                                         "\r\n",
                                         "\t",
                                         "^",
                                         " and ",
                                         " or ",
                                         " not ",
                                         "if ",
                                         " then ",
                                         " else ",
                                         "\nend\n",
                                         "der(",
                                         "diff(",
                                         "integral(",
                                         "table(",
                                         "{i}",
                                         "{1/0}",
                                         "[1, 2]",
                                         "[1; 2]",
                                         ".v",
                                         ".e.i",
                                         "(0)",
                                         " as ",
                                         " V",
                                         " kg.m^2/s",
                                         " degC",
                                         "%n%s",
                                         "repeat",
                                         "ground",
                                         "transpose(",
                                         "t",
                                         "pi",
                                         "1/0",
                                         "\xc0\x80",
                                         "\xef\xbb\xbf",
                                         "\xed\xa0\x80",
                                         "\xce\xa9",
                                         "use \"used.lg\"\n",
                                         "true"};
    (void)c;
    put_in(b, (stretch){roll(d, b->length), 0}, PICK(d, tokens));
}

static inline void change_number(dice *d, buffer *b, const corpus *c)
{
    static const char *const numbers[] = {"1e308",
                                          "1e-400",
                                          "0",
                                          "-1",
                                          "1",
                                          "1e4000",
                                          "1e-30",
                                          "0.5",
                                          "1e999999999999",
                                          "2",
                                          "64",
                                          "4294967296",
                                          "2147483647",
                                          "65536",
                                          "-0",
                                          "1/3",
                                          "99999999999999999999",
                                          "9^9^9^9",
                                          "0.0001",
                                          "nan",
                                          "9223372036854775807"};
    (void)c;
    put_in(b, random_word(d, b, true), PICK(d, numbers));
}

static inline void change_word(dice *d, buffer *b, const corpus *c)
{
    static const char *const words[] = {
        "if",     "then",     "else",    "end",      "ground",    "t",           "pi",
        "true",   "model",    "param",   "const",    "input",     "signal",      "output",
        "repeat", "system",   "element", "function", "node",      "tree",        "initial",
        "guess",  "simulate", "plot",    "port",     "edge",      "var",         "choice",
        "when",   "every",    "body",    "space",    "resistor",  "transformer", "gyrator",
        "mass",   "opamp",    "vsource", "isource",  "capacitor", "e",           "v",
        "i",      "x",        "der",     "use",      "discrete",  "any"};
    (void)c;
    put_in(b, random_word(d, b, false), PICK(d, words));
}

static inline void swap_words(dice *d, buffer *b, const corpus *c)
{
    (void)c;
    copy_over(b, random_word(d, b, false), random_word(d, b, false));
}

static inline void drop_word(dice *d, buffer *b, const corpus *c)
{
    (void)c;
    put_in(b, random_word(d, b, false), "");
}

static inline void drop_line(dice *d, buffer *b, const corpus *c)
{
    (void)c;
    put_in(b, random_line(d, b), "");
}

static inline void double_line(dice *d, buffer *b, const corpus *c)
{
    stretch line = random_line(d, b);
    (void)c;
    copy_over(b, line, (stretch){line.at, 0});
}

static inline void move_line(dice *d, buffer *b, const corpus *c)
{
    stretch from = random_line(d, b), to = random_line(d, b);
    (void)c;
    copy_over(b, from, (stretch){to.at, chance(d, 50) ? to.length : 0});
}

static inline void cut_short(dice *d, buffer *b, const corpus *c)
{
    (void)c;
    b->length = roll(d, b->length);
    b->at[b->length] = '\0';
}

static inline void splice(dice *d, buffer *b, const corpus *c)
{
    const buffer *other = &c->text[roll(d, c->count)];
    if (!other->length)
        return;
    stretch line = random_line(d, other);
    size_t length = line.length + roll(d, 300);
    if (length > other->length - line.at)
        length = other->length - line.at;
    buffer_edit(b, random_line(d, b).at, 0, other->at + line.at, length);
}

/* A long run of one byte: depth of brackets, length of names and numbers. */
static inline void insert_run(dice *d, buffer *b, const corpus *c)
{
    char run[4096];
    size_t length = (size_t)1 << (4 + roll(d, 9));
    (void)c;
    memset(run, "(-[{ax9 +\n#"[roll(d, 11)], length);
    buffer_edit(b, roll(d, b->length), 0, run, length);
}

static const struct mutation {
    void (*apply)(dice *d, buffer *b, const corpus *c);
    uint32_t weight;
} mutations[] = {
    {change_byte, 4}, {flip_bit, 1},    {drop_bytes, 2}, {insert_token, 5}, {change_number, 8},
    {change_word, 5}, {swap_words, 10}, {drop_word, 4},  {drop_line, 5},    {double_line, 3},
    {move_line, 4},   {cut_short, 1},   {splice, 6},     {insert_run, 1},
};

static inline void mutate(dice *d, buffer *b, const corpus *c)
{
    uint32_t total = 0, i = 0;
    for (size_t k = 0; k < sizeof mutations / sizeof *mutations; k++)
        total += mutations[k].weight;
    for (uint32_t at = roll(d, total); at >= mutations[i].weight; i++)
        at -= mutations[i].weight;
    if (b->length)
        mutations[i].apply(d, b, c);
}

/* A text of the corpus with a few mutations, so that many get past the parser. */
static inline void mutated_text(dice *d, const corpus *c, uint32_t changes, buffer *out)
{
    const buffer *from = &c->text[roll(d, c->count)];
    out->length = 0;
    buffer_put(out, from->at, from->length);
    for (; changes; changes--)
        mutate(d, out, c);
}

/* Any bytes whatever; half of them are characters that mean something. */
static inline void random_bytes(dice *d, buffer *out)
{
    static const char bytes[] = "abcRVt019.,:;=(){}[]|\"#\n +-*/^<>";
    size_t length = roll(d, 400);
    out->length = 0;
    buffer_put(out, "", 0);
    for (size_t i = 0; i < length; i++) {
        char byte = chance(d, 80) ? bytes[roll(d, sizeof bytes - 1)] : (char)roll64(d);
        buffer_put(out, &byte, 1);
    }
}

#endif
