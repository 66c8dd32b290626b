/* utf8.c - checks that a text is UTF-8 without zero bytes. */
#include <string.h>

#include "base/utf8.h"
#include "lang/lexer.h"

/* Eight bytes at once while they are plain: no zero, none above 127. */
static uint32_t skip_plain(const char *text, uint32_t at, uint32_t end)
{
    for (; end - at >= 8; at += 8) {
        uint64_t word, ones = 0x0101010101010101u, tops = 0x8080808080808080u;
        memcpy(&word, text + at, 8);
        if ((word | (word - ones)) & tops)
            break;
    }
    return at;
}

static void report_bytes(const ct_lexer *lx, uint32_t at, uint32_t length)
{
    unsigned first = (unsigned char)lx->text[at];
    ct_report *r =
        ct_error(lx->ctx, "E101", (ct_place){lx->source, at, length},
                 first ? "byte 0x%02X is not UTF-8 text" : "zero byte in the text", first);
    ct_help(r, "save the file as UTF-8");
}

bool ct_lex_check_bytes(const ct_lexer *lx)
{
    bool good = true;
    uint32_t at = skip_plain(lx->text, 0, lx->length);
    while (at < lx->length) {
        uint32_t length = ct_utf8_length(lx->text + at, lx->length - at);
        if (length) {
            at = skip_plain(lx->text, at + length, lx->length);
            continue;
        }
        uint32_t start = at;
        while (at < lx->length && !ct_utf8_length(lx->text + at, lx->length - at))
            at++;
        report_bytes(lx, start, at - start);
        good = false;
    }
    return good;
}
