/* test_locale.c - a host with a decimal comma: all texts of the library are the same. */
#include "unit/every_call.h"

#include <locale.h>
#include <unistd.h>

/* A locale with a comma: one of the system, or made for the test. */
static bool choose_comma(char folder[])
{
    static const char *const tried[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    char command[200];
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        if (setlocale(LC_ALL, tried[i]))
            return true;
    if (!mkdtemp(folder))
        return false;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null",
             folder);
    if (system(command) != 0 || setenv("LOCPATH", folder, 1) != 0)
        return false;
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void forget_comma(const char *folder)
{
    char command[200];
    setlocale(LC_ALL, "C");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (strstr(folder, "XXXXXX") || system(command) != 0)
        return;
}

/* All texts of a chain, one after the other. */
static char *texts_of(const struct source_row *source)
{
    char *text = NULL;
    size_t length;
    chain c = {.ctx = ct_context_new(NULL),
               .second = ct_context_new(NULL),
               .name = source->name,
               .source = source->text,
               .log = open_memstream(&text, &length)};
    for (size_t i = 0; i < CALLS; i++) {
        ct_status status = calls[i].make(&c);
        if (status != CT_OK)
            fail_msg("%s: %s", calls[i].name, ct_status_text(status));
        keep_text(&c, NULL);
    }
    fprintf(c.log, "%d", c.seconds == 0.05);
    fclose(c.log);
    ct_context_free(c.second);
    ct_context_free(c.ctx);
    return text;
}

static void texts_have_points(void **state)
{
    (void)state;
    char folder[] = "/tmp/cotree-locale-XXXXXX", number[16];
    char *plain[SOURCES], *comma[SOURCES];
    for (size_t i = 0; i < SOURCES; i++)
        plain[i] = texts_of(&sources[i]);
    bool found = choose_comma(folder);
    snprintf(number, sizeof number, "%.1f", 0.5);
    for (size_t i = 0; i < SOURCES; i++)
        comma[i] = texts_of(&sources[i]);
    forget_comma(folder);
    for (size_t i = 0; i < SOURCES; i++) {
        assert_string_equal(comma[i], plain[i]);
        assert_true(strlen(plain[i]) > 10000);
        free(plain[i]);
        free(comma[i]);
    }
    if (!found)
        skip(); /* the host has no such locale, and cannot make one */
    assert_string_equal(number, "0,5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts_have_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
