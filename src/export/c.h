/* c.h - a model as one C file: right-hand side, outputs, constraints, and a main for those who want
 * to try it. */
#ifndef CT_EXPORT_C_H
#define CT_EXPORT_C_H

#include "simulate/formulas.h"

/* The writers of all languages; false after reporting. */
typedef bool (*ct_target_writer)(const ct_formulas *formulas, ct_arena *arena, ct_text *out);
#define TARGET(word, endings, writer, help)                                                        \
    bool writer(const ct_formulas *formulas, ct_arena *arena, ct_text *out);
#include "export/formats.def"
ct_target_writer ct_target_writer_of(const char *target); /* NULL: no such language */

/* ---- c_head.c: comment, sizes, names and numbers */

/* What the parts of the file share. */
typedef struct ct_c_sheet {
    const ct_formulas *f;
    const ct_mode_formulas *mode; /* of a part: a mode; else NULL */
    ct_arena *arena;
    ct_text *out;
    const char *name; /* of the model, as an identifier */
    uint32_t own_work, solve_work, event_work, act_work, jump_work, work;
    uint32_t statements;                           /* at every call of the right-hand side */
    uint32_t calls;                                /* of the programs: bits of ct_c_call */
    uint32_t *normal_first, *normal_begin, normal; /* the envelope of J J^T */
} ct_c_sheet;

void ct_c_put_head(const ct_c_sheet *sheet);
/* Pieces of it, for heads of other kinds: the first lines; how to compile, the comment's end. */
void ct_c_put_title(const ct_c_sheet *sheet);
void ct_c_put_compiling(const ct_c_sheet *sheet, const char *end);
void ct_c_put_includes(const ct_c_sheet *sheet);
void ct_c_put_table_prototype(const ct_c_sheet *sheet);
void ct_c_put_data(const ct_c_sheet *sheet);
void ct_c_put_sizes(const ct_c_sheet *sheet);
void ct_c_put_patterns(const ct_c_sheet *sheet);
void ct_c_put_words(ct_text *out, const char *text); /* inside of a comment */
void ct_c_put_list(const ct_c_sheet *sheet, const char *title, const char *array,
                   const ct_shown_value *list, uint32_t count);
void ct_c_put_numbers(const ct_c_sheet *sheet, const char *what, const ct_shown_value *list,
                      uint32_t count);

void ct_c_put_texts(const ct_c_sheet *sheet, const char *what, const ct_shown_value *list,
                    uint32_t count, bool units);
void ct_c_put_indices(const ct_c_sheet *sheet, const char *what, const uint32_t *list,
                      uint32_t count);
/* Those of the caller's own use are not static. */
void ct_c_put_public_truths(const ct_c_sheet *sheet, const char *what, const bool *list,
                            uint32_t count);
void ct_c_put_truths(const ct_c_sheet *sheet, const char *what, const bool *list, uint32_t count);

/* A text of export/snippets (or of the sources that it needs) by its name, with the word MODEL
 * replaced; up to the line that begins with `end` (NULL: all). */
void ct_c_put_snippet(const ct_c_sheet *sheet, const char *name, const char *end);

/* ---- c_events.c */

bool ct_c_has_events(const ct_formulas *formulas);
bool ct_c_has_rest(const ct_formulas *formulas);
uint32_t ct_c_event_count(const ct_formulas *formulas);
void ct_c_put_event_data(const ct_c_sheet *sheet);
/* Of programs in two forms, after both: the one that chooses. */
void ct_c_put_choices(const ct_c_sheet *sheet);
void ct_c_put_events(const ct_c_sheet *sheet);
void ct_c_put_go(const ct_c_sheet *sheet, uint32_t angles); /* from event to event, in main() */

/* ---- c_acts.c: `when` and `every` */

bool ct_c_put_act_programs(ct_c_sheet *sheet, ct_text *out);
void ct_c_put_act_sizes(const ct_c_sheet *sheet);
void ct_c_put_act_data(const ct_c_sheet *sheet);
void ct_c_put_act_prepare(const ct_c_sheet *sheet);
void ct_c_put_acts(const ct_c_sheet *sheet);
uint32_t ct_c_act_work(const ct_formulas *formulas);

/* ---- c_jumps.c: of what is stored */

bool ct_c_put_jump_programs(ct_c_sheet *sheet, ct_text *out);
void ct_c_put_jump_sizes(const ct_c_sheet *sheet);
void ct_c_put_jump_data(const ct_c_sheet *sheet);
void ct_c_put_jump_prepare(const ct_c_sheet *sheet);
void ct_c_put_jumps(const ct_c_sheet *sheet);
uint32_t ct_c_jump_variables(const ct_formulas *formulas);
uint32_t ct_c_jump_work(const ct_formulas *formulas);

/* ---- c_modes.c: several sets of equations */

bool ct_put_c_modes(const ct_modal_formulas *formulas, ct_arena *arena, ct_text *out);
bool ct_c_put_mode_programs(ct_c_sheet *sheet, ct_text *out); /* of a part; else nothing */
void ct_c_put_mode_prepare(const ct_c_sheet *sheet);

/* ---- c.c */
uint32_t ct_c_held_work(const ct_formulas *formulas);
void ct_c_check_size(const ct_formulas *formulas);
bool ct_c_put_programs(ct_c_sheet *sheet, ct_text *out);
void ct_c_find_envelope(ct_c_sheet *sheet);
void ct_c_count_work(ct_c_sheet *sheet);
void ct_c_put_helpers(const ct_c_sheet *sheet);
void ct_c_put_functions(const ct_c_sheet *sheet);
bool ct_c_put_program(ct_c_sheet *sheet, const ct_program_def *def, const char *name,
                      const char *const *note, ct_text *out);

/* ---- the texts as they were built in */
typedef struct ct_snippet {
    const char *name, *text;
    size_t length;
} ct_snippet;

extern const ct_snippet ct_snippets[]; /* ends with a NULL name */

#endif
