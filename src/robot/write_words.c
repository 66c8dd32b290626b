/* write_words.c - words, numbers and frames of a text that is written. */
#include <math.h>

#include "base/decimal.h"
#include "robot/write.h"

const char *ct_word_text(const writer *w, ct_name word)
{
    return ct_name_text(w->r->ctx, word);
}

const char *ct_new_word(writer *w, ct_name word, const char *ending)
{
    const char *both = ct_printf(w->r->ctx, "%s_%s", ct_word_text(w, word), ending);
    return ct_word_text(w, ct_word_for(w->r, both, "_of"));
}

void ct_came_from(writer *w, ct_place place)
{
    ct_source_piece piece = {(uint32_t)w->out.length, place.source, place.at, place.length};
    CT_PUSH(w->r->arena, w->piece, piece);
}

void ct_put_quoted(writer *w, const char *at)
{
    ct_put_char(&w->out, '"');
    for (; *at; at++) {
        if (*at == '"' || *at == '\\')
            ct_put_char(&w->out, '\\');
        if ((unsigned char)*at >= ' ' && *at != 0x7f)
            ct_put_char(&w->out, *at);
    }
    ct_put_char(&w->out, '"');
}

void ct_put_shortest(writer *w, double value)
{
    char text[CT_DECIMAL_ROOM];
    ct_decimal_shortest(text, value + 0.0, CT_USUAL_DIGITS); /* no -0 */
    ct_put(&w->out, text);
}

void ct_put_vector(writer *w, const double v[3], const char *unit)
{
    for (int i = 0; i < 3; i++) {
        ct_put(&w->out, i ? ", " : "[");
        ct_put_shortest(w, v[i]);
    }
    ct_putf(&w->out, *unit ? "] %s" : "]", unit);
}

bool ct_is_zero_vector(const double v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

void ct_put_turn(writer *w, const char *before, const char *axis, double angle)
{
    double turns = ct_quarter_turns(angle);
    if (angle == 0)
        return;
    ct_putf(&w->out, "%srotate(%s, ", before, axis);
    ct_put_shortest(w, isnan(turns) ? angle : 90 * turns);
    ct_put(&w->out, isnan(turns) ? " rad)" : " deg)");
}

void ct_put_frame(writer *w, const pose *p)
{
    bool turned = !ct_is_zero_vector(p->rpy);
    ct_put(&w->out, turned ? "frame(" : "");
    ct_put_vector(w, p->at, "m");
    ct_put_turn(w, ", ", "z", p->rpy[2]);
    ct_put_turn(w, ", ", "y", p->rpy[1]);
    ct_put_turn(w, ", ", "x", p->rpy[0]);
    ct_put(&w->out, turned ? ")" : "");
}

void ct_put_remark(writer *w, ct_name written, ct_name word)
{
    if (written == word)
        return;
    ct_put(&w->out, "  # ");
    ct_put_visible(&w->out, ct_word_text(w, written));
}
