/* formats.c - the tables of formats.def, and the writers by their words. */
#include "export/formats.h"

#include "base/words.h"
#include "export/c.h"
#include "export/dynamics.h"
#include "export/graph_write.h"
#include "export/lti_show.h"
#include "export/result.h"

const ct_word ct_graph_formats[] = {
#define GRAPH_FORMAT(word, endings, writer, help) {word, endings, help},
#include "export/formats.def"
    {0},
};

const ct_word ct_equations_formats[] = {
#define EQUATIONS_FORMAT(name, word, endings, writer, whole, help) {word, endings, help},
#include "export/formats.def"
    {0},
};

const ct_word ct_statespace_formats[] = {
#define STATESPACE_FORMAT(word, endings, writer, longest, broken, shortest, gain, help)            \
    {word, endings, help},
#include "export/formats.def"
    {0},
};

const ct_word ct_response_formats[] = {
#define RESPONSE_FORMAT(word, endings, writer, help) {word, endings, help},
#include "export/formats.def"
    {0},
};

const ct_word ct_dynamics_formats[] = {
#define DYNAMICS_FORMAT(word, endings, writer, help) {word, endings, help},
#include "export/formats.def"
    {0},
};

const ct_word ct_result_formats[] = {
#define RESULT_FORMAT(word, endings, writer, help) {word, endings, help},
#include "export/formats.def"
    {0},
};

const ct_word ct_code_targets[] = {
#define TARGET(word, endings, writer, help) {word, endings, help},
#include "export/formats.def"
    {0},
};

bool ct_graph_put(const ct_graph *graph, const ct_tree *tree, const char *format, ct_text *out)
{
    static void (*const put[])(const ct_graph *graph, const ct_tree *tree, ct_text *out) = {
#define GRAPH_FORMAT(word, endings, writer, help) writer,
#include "export/formats.def"
    };
    uint32_t row;
    if (!ct_word_find(ct_graph_formats, format, &row))
        return false;
    put[row](graph, tree, out);
    return true;
}

ct_lti_writer ct_response_writer_of(const char *format)
{
    static const ct_lti_writer put[] = {
#define RESPONSE_FORMAT(word, endings, writer, help) writer,
#include "export/formats.def"
    };
    uint32_t row;
    return ct_word_find(ct_response_formats, format, &row) ? put[row] : NULL;
}

bool ct_dynamics_put(ct_dynamics *d, const char *format, ct_text *out)
{
    static void (*const put[])(ct_dynamics * d, ct_text * out) = {
#define DYNAMICS_FORMAT(word, endings, writer, help) writer,
#include "export/formats.def"
    };
    uint32_t row;
    if (!ct_word_find(ct_dynamics_formats, format, &row))
        return false;
    put[row](d, out);
    return true;
}

bool ct_result_put(const ct_result *result, const char *format, const ct_result_look *look,
                   ct_text *out)
{
    static void (*const put[])(const ct_result *result, const ct_result_look *look,
                               ct_text *out) = {
#define RESULT_FORMAT(word, endings, writer, help) writer,
#include "export/formats.def"
    };
    uint32_t row;
    if (!ct_word_find(ct_result_formats, format, &row))
        return false;
    put[row](result, look, out);
    return true;
}

ct_target_writer ct_target_writer_of(const char *target)
{
    static const ct_target_writer put[] = {
#define TARGET(word, endings, writer, help) writer,
#include "export/formats.def"
    };
    uint32_t row;
    return ct_word_find(ct_code_targets, target, &row) ? put[row] : NULL;
}
