/* test_json.c - the writer of JSON (src/base/json.c): commas, lines, strings, numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/json.h"

/* One row per text: letters are calls in their order, what they give with and without gaps. */
static const struct sample {
    const char *calls, *wide, *tight;
} samples[] = {
    {"{}", "{}", "{}"},
    {"[]", "[]", "[]"},
    {"[ii]", "[1, 1]", "[1,1]"},
    {"[[][]]", "[[], []]", "[[],[]]"},
    {"[[i]i[i]]", "[[1], 1, [1]]", "[[1],1,[1]]"},
    {"{ii}", "{\"i\": 1, \"i\": 1}", "{\"i\":1,\"i\":1}"},
    {"{[]{}i}", "{\"L\": [], \"o\": {}, \"i\": 1}", "{\"L\":[],\"o\":{},\"i\":1}"},
    {"[tb0n]", "[\"a\\\"\\n\", true, null, 0.5]", "[\"a\\\"\\n\",true,null,0.5]"},
    {"[/i/i]", "[\n  1,\n  1]", "[\n  1,\n  1]"},
    {"[i/]", "[1]", "[1]"},
    {"[qxe]", "[[\"x\", \"y\"], [1.5, null], {\"x\": 1.5, \"y\": null}]", NULL},
};

static void call(ct_json *j, char c, bool in_object)
{
    static const char *const names[] = {"x", "y"};
    const double values[] = {1.5, NAN};
    const char *key = in_object ? "i" : NULL;
    if (c == '{' || c == '[')
        ct_json_open(j, in_object ? (c == '[' ? "L" : "o") : NULL, c);
    else if (c == '}' || c == ']')
        ct_json_close(j, c);
    else if (c == 'i')
        ct_json_int(j, key, 1);
    else if (c == 't')
        ct_json_text(j, key, "a\"\n");
    else if (c == 'b')
        ct_json_bool(j, key, true);
    else if (c == '0')
        ct_json_text(j, key, NULL);
    else if (c == 'n')
        ct_json_number(j, key, 0.5);
    else if (c == '/')
        ct_json_line(j, 2);
    else if (c == 'q')
        ct_json_texts(j, key, names, 2);
    else if (c == 'x')
        ct_json_numbers(j, key, values, 2);
    else if (c == 'e')
        ct_json_pairs(j, key, names, values, 2);
}

static void write_all(ct_json *j, const char *calls)
{
    char open[16];
    int depth = 0;
    for (const char *c = calls; *c; c++) {
        bool in_object = depth && open[depth - 1] == '{';
        call(j, *c, in_object);
        if (*c == '{' || *c == '[')
            open[depth++] = *c;
        depth -= *c == '}' || *c == ']';
    }
}

typedef struct job {
    ct_context *ctx;
    const char *calls, *gap, *got;
} job;

static void write_sample(void *user)
{
    job *w = user;
    ct_text out = ct_text_new(w->ctx->base);
    ct_json j = ct_json_new(&out, w->gap);
    write_all(&j, w->calls);
    w->got = ct_text_string(&out);
}

static void writes_commas_where_they_belong(void **state)
{
    ct_context *ctx = ct_context_new(NULL);
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        job wide = {ctx, samples[i].calls, " ", NULL}, tight = {ctx, samples[i].calls, "", NULL};
        assert_int_equal(ct_protect(ctx, write_sample, &wide), CT_OK);
        assert_int_equal(ct_protect(ctx, write_sample, &tight), CT_OK);
        assert_string_equal(wide.got, samples[i].wide);
        if (samples[i].tight)
            assert_string_equal(tight.got, samples[i].tight);
    }
    ct_context_free(ctx);
}

/* Every byte in the middle of a text, at its ends and alone: what JSON asks for. */
static void byte_in_json(unsigned char c, char *to)
{
    static const char named[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
    const char *found = strchr(named, c);
    if (found)
        sprintf(to, "\\%c", letters[found - named]);
    else if (c < 0x20)
        sprintf(to, "\\u%04x", c);
    else
        sprintf(to, c < 0x80 ? "%c" : "\xef\xbf\xbd", c); /* half of a character is none */
}

typedef struct string_job {
    ct_context *ctx;
    char text[16];
    const char *got;
} string_job;

static void write_string(void *user)
{
    string_job *w = user;
    ct_text out = ct_text_new(w->ctx->base);
    ct_put_json(&out, w->text);
    w->got = ct_text_string(&out);
}

static void writes_every_byte(void **state)
{
    static const char *const around[][2] = {
        {"", ""}, {"ab", "cd"}, {"", "cd"}, {"ab", ""}, {"\xc3\xa4", "\xe2\x82\xac\""}};
    ct_context *ctx = ct_context_new(NULL);
    (void)state;
    for (int c = 1; c < 256; c++)
        for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
            string_job w = {.ctx = ctx};
            char one[8], wanted[48];
            byte_in_json((unsigned char)c, one);
            sprintf(w.text, "%s%c%s", around[i][0], c, around[i][1]);
            sprintf(wanted, "\"%s%s%s\"", around[i][0], one,
                    i == 4 ? "\xe2\x82\xac\\\"" : around[i][1]);
            assert_int_equal(ct_protect(ctx, write_string, &w), CT_OK);
            assert_string_equal(w.got, wanted);
        }
    ct_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(writes_commas_where_they_belong),
                                       cmocka_unit_test(writes_every_byte)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
