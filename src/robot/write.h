/* write.h - what the writers of bodies and of joints share. */
#ifndef CT_ROBOT_WRITE_H
#define CT_ROBOT_WRITE_H

#include "robot/inside.h"

typedef struct writer {
    robot *r;
    ct_text out;
    CT_VEC(ct_source_piece) piece;
    uint32_t *first_joint, *next_joint; /* by host of the parent */
    uint32_t *first_head, *next_head;   /* by host of the child */
    uint32_t *first_part, *next_part;   /* links by host */
    uint32_t *first_site, *next_site;
    uint32_t *first_shape, *next_shape;
} writer;

/* ---- words, numbers, frames (write_words.c) */
const char *ct_word_text(const writer *w, ct_name word);
const char *ct_new_word(writer *w, ct_name word, const char *ending); /* `elbow_motor` */
void ct_came_from(writer *w, ct_place place);                         /* what follows */
void ct_put_quoted(writer *w, const char *at);                        /* no control characters */
void ct_put_shortest(writer *w, double value); /* what is read back as the same */
void ct_put_vector(writer *w, const double v[3], const char *unit);
bool ct_is_zero_vector(const double v[3]);
void ct_put_turn(writer *w, const char *before, const char *axis, double angle);
void ct_put_frame(writer *w, const pose *p);
/* A name as it was written, where the language has another word for it. */
void ct_put_remark(writer *w, ct_name written, ct_name word);

/* ---- bodies (write_bodies.c) */
void ct_make_lists(writer *w);
pose ct_tail_of(const writer *w, const joint *j); /* of a joint, in its body */
pose ct_head_of(const writer *w, const joint *j);
bool ct_is_free(const robot *r, const link *l);
void ct_put_body(writer *w, uint32_t index);
/* What stands in the braces of a body; false: nothing. NOTHING: the ground. */
bool ct_put_frames(writer *w, uint32_t host);

#endif
