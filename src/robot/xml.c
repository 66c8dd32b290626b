/* xml.c - reads XML in one pass over its bytes, with a stack of open elements of limited depth. */
#include "robot/xml.h"

#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

typedef struct reader {
    ct_context *ctx;
    ct_xml *x;
    const char *text;
    uint32_t at, length, source;
    uint32_t open[CT_XML_DEEPEST]; /* elements whose end is still to come */
    uint32_t depth;
    bool broken;
} reader;

static ct_report *fail(reader *r, const char *code, uint32_t at, uint32_t length,
                       const char *message)
{
    r->broken = true;
    return ct_error(r->ctx, code, (ct_place){r->source, at, length ? length : 1}, "%s", message);
}

/* ---- characters */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || (c & 0x80);
}

static bool is_name(char c)
{
    return begins_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

static bool looking_at(const reader *r, const char *word)
{
    size_t n = strlen(word);
    return r->length - r->at >= n && memcmp(r->text + r->at, word, n) == 0;
}

static void skip_spaces(reader *r)
{
    while (r->at < r->length && is_space(r->text[r->at]))
        r->at++;
}

static bool take(reader *r, char c)
{
    bool there = r->at < r->length && r->text[r->at] == c;
    r->at += there;
    return there;
}

/* 0: there is no name. */
static ct_name take_name(reader *r)
{
    uint32_t from = r->at;
    if (r->at < r->length && begins_name(r->text[r->at]))
        while (r->at < r->length && is_name(r->text[r->at]))
            r->at++;
    return r->at > from ? ct_intern(r->ctx, r->text + from, r->at - from) : 0;
}

/* The first place of `word` from `from` on; the end of the text if there is none. */
static uint32_t find(const reader *r, uint32_t from, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = r->text + from, *end = r->text + r->length; (size_t)(end - at) >= n;
         at++) {
        at = memchr(at, word[0], (size_t)(end - at));
        if (!at || (size_t)(end - at) < n)
            break;
        if (memcmp(at, word, n) == 0)
            return (uint32_t)(at - r->text);
    }
    return r->length;
}

/* ---- entities: the five of XML, and characters by number */

static void put_character(ct_text *out, uint32_t code)
{
    if (code < 0x80) {
        ct_put_char(out, (char)code);
        return;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    ct_put_char(out, (char)(first[more] | code >> 6 * more));
    while (more-- > 0)
        ct_put_char(out, (char)(0x80 | (code >> 6 * more & 0x3f)));
}

static bool number_of(const char *at, uint32_t length, uint32_t *code)
{
    bool hex = length && *at == 'x';
    uint32_t base = hex ? 16 : 10, i = hex;
    for (*code = 0; i < length; i++) {
        char c = at[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                : 99;
        if (digit >= base || *code > 0x10ffff)
            return false;
        *code = *code * base + digit;
    }
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return length > hex && *code && *code <= 0x10ffff && !surrogate;
}

static bool put_entity(reader *r, uint32_t at, uint32_t length, ct_text *out)
{
    static const struct {
        const char *word;
        char is;
    } known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    const char *word = r->text + at + 1;
    uint32_t code;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].word) == length && memcmp(word, known[i].word, length) == 0) {
            ct_put_char(out, known[i].is);
            return true;
        }
    if (length > 1 && word[0] == '#' && number_of(word + 1, length - 1, &code)) {
        put_character(out, code);
        return true;
    }
    ct_report *p = fail(r, "E851", at, length + 2, "this entity is not known");
    ct_help(p, "write &amp; &lt; &gt; &quot; &apos; or a character by its number: &#65;");
    return false;
}

static bool skip_mark(const reader *r, uint32_t *at, uint32_t end, const char *begin,
                      const char *close, uint32_t *from, uint32_t *to)
{
    size_t n = strlen(begin), m = strlen(close);
    if (end - *at < n || memcmp(r->text + *at, begin, n) != 0)
        return false;
    *from = *at + (uint32_t)n;
    *to = find(r, *from, close);
    *at = *to + (uint32_t)m;
    return true;
}

/* Text with entities, comments and CDATA between two bytes. markup: the latter may occur. */
static const char *decode(reader *r, uint32_t from, uint32_t end, bool markup)
{
    ct_text out = ct_text_new(r->x->arena);
    for (uint32_t at = from, a, b; at < end && !r->broken;) {
        const char *stop = r->text + at;
        while (stop < r->text + end && *stop != '&' && *stop != '<')
            stop++;
        ct_put_bytes(&out, r->text + at, (size_t)(stop - r->text) - at);
        at = (uint32_t)(stop - r->text);
        if (at >= end)
            break;
        if (*stop == '&') {
            uint32_t close = at + 1;
            while (close < end && close < at + 12 && r->text[close] != ';')
                close++;
            bool ends = close < end && r->text[close] == ';';
            put_entity(r, at, ends ? close - at - 1 : 0, &out);
            at = close + 1;
        } else if (markup && skip_mark(r, &at, end, "<![CDATA[", "]]>", &a, &b)) {
            ct_put_bytes(&out, r->text + a, b - a);
        } else if (!markup || (!skip_mark(r, &at, end, "<!--", "-->", &a, &b) &&
                               !skip_mark(r, &at, end, "<?", "?>", &a, &b))) {
            fail(r, "E850", at, 1, "`<` stands in a value: write &lt;");
        }
    }
    return ct_text_string(&out);
}

/* ---- tags */

static void report_again(reader *r, const ct_xml_element *e, const ct_xml_attribute *a)
{
    for (uint32_t i = e->attribute; i + 1 < r->x->attribute.count; i++) {
        if (r->x->attribute.at[i].name != a->name)
            continue;
        r->broken = true;
        ct_error(r->ctx, "E850", a->place, "the attribute `%s` stands here twice",
                 ct_name_text(r->ctx, a->name));
        return;
    }
}

enum { MOST_ATTRIBUTES = 1000 };

static bool take_attribute(reader *r, const ct_xml_element *e)
{
    uint32_t begin = r->at;
    ct_name name = take_name(r);
    skip_spaces(r);
    if (!name || !take(r, '=')) {
        fail(r, "E850", begin, r->at - begin, "an attribute is written name=\"value\"");
        return false;
    }
    skip_spaces(r);
    char quote = r->at < r->length ? r->text[r->at] : 0;
    const char *end = quote == '"' || quote == '\''
                          ? memchr(r->text + r->at + 1, quote, r->length - r->at - 1)
                          : NULL;
    if (!end) {
        fail(r, "E850", begin, r->at - begin,
             "the value of this attribute has no quotes around it");
        return false;
    }
    uint32_t from = r->at + 1, to = (uint32_t)(end - r->text);
    ct_xml_attribute a = {name, decode(r, from, to, false), {r->source, from, to - from}};
    CT_PUSH(r->x->arena, r->x->attribute, a);
    report_again(r, e, &a);
    if (r->x->attribute.count - e->attribute > MOST_ATTRIBUTES)
        fail(r, "E850", begin, 1, "an element has more attributes than can be meant");
    r->at = to + 1;
    return !r->broken;
}

static void add_child(reader *r, uint32_t parent, uint32_t child)
{
    ct_xml_element *p = &r->x->element.at[parent];
    if (p->last)
        r->x->element.at[p->last].next = child;
    else
        p->first = child;
    p->last = child;
}

static void close_element(reader *r, uint32_t end)
{
    ct_xml_element *e = &r->x->element.at[r->open[--r->depth]];
    uint32_t from = e->inner.at, to = end;
    e->inner.length = end - from;
    while (from < to && is_space(r->text[from]))
        from++;
    while (to > from && is_space(r->text[to - 1]))
        to--;
    uint32_t index = r->open[r->depth];
    const char *text = e->first || to == from ? "" : decode(r, from, to, true);
    r->x->element.at[index].text = text;
}

static void read_start(reader *r, uint32_t begin)
{
    uint32_t index = r->x->element.count, parent = r->depth ? r->open[r->depth - 1] : 0;
    ct_xml_element e = {
        .name = take_name(r), .parent = parent, .attribute = r->x->attribute.count, .text = ""};
    if (!e.name) {
        ct_help(fail(r, "E850", begin, 1, "no tag begins like this"), "a bare < is written &lt;");
        return;
    }
    if (!parent && index > CT_XML_ROOT) {
        fail(r, "E850", begin, r->at - begin, "a second element stands behind the first one");
        return;
    }
    e.place = (ct_place){r->source, begin, r->at - begin};
    skip_spaces(r);
    while (r->at < r->length && r->text[r->at] != '>' && r->text[r->at] != '/') {
        if (!take_attribute(r, &e))
            return;
        skip_spaces(r);
    }
    bool empty = take(r, '/');
    if (!take(r, '>')) {
        fail(r, "E850", begin, e.place.length, "this tag has no end: `>` is missing");
        return;
    }
    e.place.length = r->at - begin;
    e.attribute_count = r->x->attribute.count - e.attribute;
    e.inner = (ct_place){r->source, r->at, 0};
    CT_PUSH(r->x->arena, r->x->element, e);
    if (parent)
        add_child(r, parent, index);
    if (empty)
        return;
    if (r->depth == CT_XML_DEEPEST)
        fail(r, "E108", begin, e.place.length, "elements are nested more than 200 levels deep");
    else
        r->open[r->depth++] = index;
}

static void read_end(reader *r, uint32_t begin)
{
    ct_name name = take_name(r);
    skip_spaces(r);
    bool closed = take(r, '>');
    if (!closed || !r->depth) {
        fail(r, "E850", begin, r->at - begin,
             closed ? "nothing is open that this could close" : "this tag has no end");
        return;
    }
    const ct_xml_element *e = &r->x->element.at[r->open[r->depth - 1]];
    if (e->name != name) {
        ct_report *p = fail(r, "E850", begin, r->at - begin, "this closes another element");
        uint32_t line, column;
        ct_source_locate(ct_source_get(r->ctx, r->source), e->place.at, &line, &column);
        ct_note(p, "<%s> of line %u is open", ct_name_text(r->ctx, e->name), line);
        return;
    }
    close_element(r, begin);
}

/* ---- what is not an element */

static void refuse_type(reader *r, uint32_t begin)
{
    ct_report *p = fail(r, "E851", begin, 9, "document types and entities are not read");
    ct_note(p, "entities that stand for others can grow without bound");
    ct_help(p, "take <!DOCTYPE ...> out of the file");
}

static void read_other(reader *r, uint32_t begin)
{
    static const struct {
        const char *begin, *end;
        bool inside; /* of an element only */
    } kinds[] = {{"<!--", "-->", false}, {"<![CDATA[", "]]>", true}, {"<?", "?>", false}};
    r->at = begin;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!looking_at(r, kinds[i].begin) || (kinds[i].inside && !r->depth))
            continue;
        uint32_t from = begin + (uint32_t)strlen(kinds[i].begin), end = find(r, from, kinds[i].end);
        if (end == r->length)
            fail(r, "E850", begin, from - begin, "this goes on to the end of the text");
        r->at = end < r->length ? end + (uint32_t)strlen(kinds[i].end) : end;
        return;
    }
    refuse_type(r, begin);
}

static void read_markup(reader *r)
{
    uint32_t begin = r->at++;
    char c = r->at < r->length ? r->text[r->at] : 0;
    if (c == '/') {
        r->at++;
        read_end(r, begin);
    } else if (c == '!' || c == '?') {
        read_other(r, begin);
    } else {
        read_start(r, begin);
    }
}

/* Text outside of the root may be blank only. */
static void skip_text(reader *r)
{
    uint32_t from = r->at;
    const char *next = memchr(r->text + r->at, '<', r->length - r->at);
    r->at = next ? (uint32_t)(next - r->text) : r->length;
    for (uint32_t i = from; !r->depth && i < r->at; i++)
        if (!is_space(r->text[i])) {
            fail(r, "E850", i, 1, "text stands outside of all elements");
            return;
        }
}

static bool check_bytes(reader *r)
{
    for (uint32_t at = 0; at < r->length;) {
        uint32_t n = ct_utf8_length(r->text + at, r->length - at);
        if (!n) {
            ct_help(fail(r, "E101", at, 1, "these bytes are not UTF-8 text"), "save it as UTF-8");
            return false;
        }
        at += n;
    }
    return true;
}

static void finish(reader *r)
{
    if (r->broken)
        return;
    if (r->depth) {
        const ct_xml_element *e = &r->x->element.at[r->open[r->depth - 1]];
        ct_report *p = fail(r, "E850", e->place.at, e->place.length, "this element has no end");
        ct_help(p, "write </%s> behind what belongs to it", ct_name_text(r->ctx, e->name));
    } else if (r->x->element.count <= CT_XML_ROOT) {
        fail(r, "E850", 0, 1, "the file holds no element");
    }
}

const ct_xml *ct_xml_read(ct_context *ctx, ct_arena *arena, uint32_t source)
{
    const ct_source *s = ct_source_get(ctx, source);
    ct_xml *x = CT_NEW(arena, ct_xml);
    *x = (ct_xml){.ctx = ctx, .arena = arena, .source = source};
    CT_PUSH(arena, x->element, (ct_xml_element){.text = ""});
    reader r = {.ctx = ctx, .x = x, .text = s->text, .length = s->length, .source = source};
    if (s->length >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0)
        r.at = 3; /* byte order mark */
    if (!check_bytes(&r))
        return NULL;
    while (r.at < r.length && !r.broken) {
        if (r.text[r.at] == '<')
            read_markup(&r);
        else
            skip_text(&r);
    }
    finish(&r);
    return r.broken ? NULL : x;
}

/* ---- looking things up */

bool ct_xml_is(const ct_xml *x, uint32_t element, const char *name)
{
    return strcmp(ct_name_text(x->ctx, x->element.at[element].name), name) == 0;
}

uint32_t ct_xml_child(const ct_xml *x, uint32_t parent, const char *name)
{
    for (uint32_t e = x->element.at[parent].first; e; e = x->element.at[e].next)
        if (ct_xml_is(x, e, name))
            return e;
    return 0;
}

const ct_xml_attribute *ct_xml_find(const ct_xml *x, uint32_t element, const char *name)
{
    const ct_xml_element *e = &x->element.at[element];
    for (uint32_t i = 0; i < e->attribute_count; i++) {
        const ct_xml_attribute *a = &x->attribute.at[e->attribute + i];
        if (strcmp(ct_name_text(x->ctx, a->name), name) == 0)
            return a;
    }
    return NULL;
}
