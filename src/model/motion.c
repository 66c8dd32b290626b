/* motion.c - reading bodies, frames, joints and loads in expressions.
 *
 * What is read becomes a symbol of that name, and a row of the mechanism says what it means.
 */
#include <string.h>

#include "model/mech.h"

enum { NO_ROW = CT_MOTION_ROWS };

ct_expr ct_motion_symbol(builder *b, ct_name name, ct_motion_kind kind, uint32_t object,
                         uint32_t axis)
{
    struct mech *m = b->mech;
    uint32_t known = ct_map_get(m->motions, name);
    if (!known || known > m->motion.count) {
        CT_PUSH(b->arena, m->motion, (ct_motion){name, kind, object, axis});
        ct_map_put(m->motions, name, m->motion.count);
    }
    return ct_expr_symbol(b->pool, name);
}

static bool has_row(const builder *b, uint32_t type, uint32_t row)
{
    const ct_motion_row *r = &ct_motion_rows[row];
    ct_motion_space own = b->mech->spatial ? CT_IN_SPACE : CT_IN_PLANE;
    return ct_type_has_in(type, r->need, b->mech->spatial) && (r->space & own);
}

/* ---- messages */

static shaped report_variable(builder *b, uint32_t type, ct_name owner, const char *text,
                              ct_place place)
{
    const char *name = ct_name_text(b->ctx, owner);
    ct_suggestion near = ct_suggest(text);
    ct_text list = ct_text_new(b->ctx->base);
    for (uint32_t i = 0; i < CT_MOTION_ROWS; i++) {
        if (!has_row(b, type, i))
            continue;
        ct_suggest_try(&near, ct_motion_rows[i].word);
        ct_putf(&list, "%s%s", list.length ? ", " : "", ct_motion_rows[i].word);
    }
    ct_report *r = ct_error(b->ctx, "E212", place, "`%s` has no variable `%s`", name, text);
    ct_note(r, "%s %s has %s", ct_article(ct_type_word(type)), ct_type_word(type),
            ct_text_string(&list));
    if (near.best)
        ct_help(r, "did you mean `%s.%s`?", name, near.best);
    ct_witness(r, name);
    return ct_broken_value();
}

/* ---- frames */

static uint32_t find_row(const builder *b, uint32_t type, const char *word)
{
    for (uint32_t i = 0; i < CT_MOTION_ROWS; i++)
        if (has_row(b, type, i) && strcmp(ct_motion_rows[i].word, word) == 0)
            return i;
    return NO_ROW;
}

/* `crank.x`, `crank.v[2]`, `J3.F[1]` */
static ct_name variable_name(builder *b, ct_name owner, const ct_motion_row *row, uint32_t axis)
{
    static const char *const places[] = {"x", "y", "z"};
    const char *text = ct_name_text(b->ctx, owner);
    if (row->kind == CT_MOTION_POSITION)
        return ct_join_path(b, owner, ct_intern_text(b->ctx, places[axis]));
    if (row->shape == CT_MATRIX)
        return ct_intern_text(
            b->ctx, ct_printf(b->ctx, "%s.%s[%u,%u]", text, row->word, axis / 3 + 1, axis % 3 + 1));
    if (row->shape == CT_SINGLE)
        return ct_join_path(b, owner, ct_intern_text(b->ctx, row->word));
    return ct_own_entry(b, owner, row->word, axis);
}

/* What rests with the ground needs no variable. */
static ct_expr at_rest(builder *b, uint32_t frame, const ct_motion_row *row, uint32_t axis)
{
    ct_resolve_frame(b, frame);
    const ct_frame *f = &b->mech->frame.at[frame];
    if (row->kind == CT_MOTION_POSITION)
        return f->at.c[axis];
    if (row->kind == CT_MOTION_AXES)
        return f->axes ? f->axes[axis % 3].c[axis / 3] : ct_expr_int(b->pool, axis % 4 == 0);
    return row->kind == CT_MOTION_ANGLE ? f->turn : ct_expr_int(b->pool, 0);
}

static shaped read_row(builder *b, uint32_t row_index, ct_name owner, uint32_t object, bool fixed)
{
    const ct_motion_row *row = &ct_motion_rows[row_index];
    ct_dim_term dim = ct_term_known(b->mech->motion_dim[row_index]);
    cell *c;
    uint32_t rows = row->shape == CT_SINGLE ? 1 : ct_vector_size(b);
    shaped v = ct_matrix_of(b, rows, row->shape == CT_MATRIX ? rows : 1, &c);
    for (uint32_t i = 0; i < v.rows * v.cols; i++) {
        uint32_t axis = row->shape == CT_SINGLE ? row->axis : i;
        ct_expr e = fixed ? at_rest(b, object, row, axis)
                          : ct_motion_symbol(b, variable_name(b, owner, row, axis), row->kind,
                                             object, axis);
        c[i] = (cell){e, dim};
    }
    return v;
}

/* q and qdot of a body that bends, of all its segments: lengths, and angles of twist. */
static shaped read_bend(builder *b, uint32_t row_index, uint32_t body)
{
    const ct_motion_row *row = &ct_motion_rows[row_index];
    ct_resolve_body(b, body);
    const ct_flex *of = b->mech->body.at[body].flex;
    bool rate = row->kind == CT_MOTION_BEND_SPEED;
    ct_dim length = b->mech->key_dim[rate ? CT_KEY_VELOCITY : CT_KEY_COM];
    ct_dim angle = b->mech->key_dim[rate ? CT_KEY_SPEED : CT_KEY_ANGLE];
    cell *c;
    uint32_t count = 0;
    if (!of)
        return ct_broken_value();
    for (uint32_t i = body; i; i = b->mech->body.at[i].flex->next)
        count += b->mech->body.at[i].flex->count;
    shaped v = ct_matrix_of(b, count, 1, &c);
    for (uint32_t i = 0, k = 0; i < v.rows; i++, k++) {
        if (k == of->count) {
            body = of->next, k = 0;
            of = b->mech->body.at[body].flex;
        }
        ct_expr e = ct_motion_symbol(b, (rate ? of->u : of->q)[k], row->kind, body, k);
        c[i] = (cell){e, ct_term_known(of->angle[k] ? angle : length)};
    }
    return v;
}

/* A text of the plane tells places, speeds and shapes of beams there; the rest begins at zero. */
shaped ct_shape_as_given(builder *b, shaped variable, uint32_t rows)
{
    ct_expr first = variable.rows > rows && b->mech ? variable.cell[0].expr : 0;
    if (!first || ct_expr_kind_of(b->pool, first) != CT_EXPR_SYMBOL)
        return variable;
    uint32_t known = ct_map_get(b->mech->motions, ct_expr_name(b->pool, first));
    const ct_motion *x =
        known && known <= b->mech->motion.count ? &b->mech->motion.at[known - 1] : NULL;
    if (!x || x->axis != 0)
        return variable;
    if (rows == 2 && (x->kind == CT_MOTION_POSITION || x->kind == CT_MOTION_VELOCITY))
        variable.rows = rows;
    if (x->kind != CT_MOTION_BEND && x->kind != CT_MOTION_BEND_SPEED)
        return variable;
    const ct_flex *of = b->mech->body.at[x->object].flex;
    if (of->flat == rows && of->count == variable.rows)
        variable.rows = rows;
    return variable;
}

static shaped read_frame(builder *b, uint32_t frame, ct_name name, ct_place place)
{
    const ct_frame *f = &b->mech->frame.at[frame];
    uint32_t type = ct_body_type(&b->mech->body.at[f->body]);
    const char *word = ct_name_text(b->ctx, name);
    uint32_t row = find_row(b, type, word);
    if (row == NO_ROW)
        return report_variable(b, type, f->name, word, place);
    if (ct_motion_rows[row].need == CT_NEED_BENDS)
        return read_bend(b, row, f->body);
    return read_row(b, row, f->name, frame, f->body == CT_GROUND_BODY);
}

static bool is_field(const where *w, ct_node n)
{
    return n && ct_at(w->s, n)->kind == CT_NODE_FIELD;
}

/* `.x`, or what is missing, behind a frame. */
static shaped read_frame_field(builder *b, const where *w, uint32_t frame, ct_node field,
                               ct_place place)
{
    ct_name name;
    if (!is_field(w, field)) {
        const char *text = ct_name_text(b->ctx, b->mech->frame.at[frame].name);
        ct_report *r = ct_error(b->ctx, "E212", place,
                                "`%s` is a frame, not a value: name one of its variables", text);
        ct_help(r, "as in `%s.x` or `%s.v`", text, text);
        ct_witness(r, text);
        return ct_broken_value();
    }
    if (!ct_field_name(b, w, field, &name))
        return ct_broken_value();
    return ct_with_postfix(b, w, ct_at(w->s, field)->next,
                           read_frame(b, frame, name, ct_place_of(w->s, field)));
}

/* ---- bodies */

static shaped read_vector_key(builder *b, const ct_vec3 *value, ct_dim dim)
{
    cell *c;
    shaped v = ct_matrix_of(b, ct_vector_size(b), 1, &c);
    for (uint32_t i = 0; i < v.rows; i++)
        c[i] = (cell){value->c[i], ct_term_known(dim)};
    return v;
}

static shaped read_inertia(builder *b, const ct_body *body)
{
    static const uint8_t at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    ct_dim_term dim = ct_term_known(b->mech->key_dim[CT_KEY_INERTIA]);
    cell *c;
    if (!b->mech->spatial)
        return ct_scalar(b, body->inertia[2], dim);
    shaped v = ct_matrix_of(b, 3, 3, &c);
    for (uint32_t i = 0; i < 9; i++)
        c[i] = (cell){body->inertia[at[i]], dim};
    return v;
}

static shaped read_body_key(builder *b, uint32_t index, const char *word)
{
    ct_resolve_body(b, index);
    const ct_body *body = &b->mech->body.at[index];
    if (strcmp(word, "m") == 0)
        return ct_scalar(b, body->mass, ct_term_known(b->mech->key_dim[CT_KEY_MASS]));
    if (strcmp(word, "I") == 0 && !body->particle)
        return read_inertia(b, body);
    if (strcmp(word, "com") == 0 && !body->particle)
        return read_vector_key(b, &body->com, b->mech->key_dim[CT_KEY_COM]);
    return ct_broken_value();
}

static shaped read_body(builder *b, const where *w, uint32_t index, ct_name name, ct_node rest,
                        ct_place place)
{
    const char *word = ct_name_text(b->ctx, name);
    uint32_t frame = ct_find_frame(b, b->mech->body_id.at[index], name);
    uint32_t type = ct_body_type(&b->mech->body.at[index]);
    if (frame != NO_FRAME && (is_field(w, rest) || find_row(b, type, word) == NO_ROW))
        return read_frame_field(b, w, frame, rest, place);
    if (find_row(b, type, word) == NO_ROW) {
        shaped key = read_body_key(b, index, word);
        if (!ct_is_broken(key))
            return ct_with_postfix(b, w, rest, key);
    }
    return ct_with_postfix(b, w, rest, read_frame(b, b->mech->body.at[index].frame, name, place));
}

/* ---- joints */

static shaped read_drive(builder *b, uint32_t index, ct_place place)
{
    ct_resolve_joint(b, index);
    const ct_joint *j = &b->mech->joint.at[index];
    const char *name = ct_name_text(b->ctx, j->name);
    uint32_t count = 0, which = 0;
    ct_report *r;
    for (uint32_t i = 0; i < CT_FREEDOMS; i++)
        if (j->drive[i] || j->rate[i]) {
            count++;
            which = i;
        }
    if (count == 1) {
        ct_name symbol = ct_join_path(b, j->name, ct_intern_text(b->ctx, "drive"));
        return ct_scalar(
            b, ct_motion_symbol(b, symbol, CT_MOTION_DRIVE, index, which),
            ct_term_known(which < CT_SLIDE ? b->mech->torque_dim : b->mech->force_dim));
    }
    if (count) {
        r = ct_error(b->ctx, "E213", place, "`%s` is driven in two ways", name);
        ct_help(r,
                b->mech->spatial ? "read `%s.drive_q` of turns and `%s.drive_s` of slides"
                                 : "drive `%s` in one way, and let a second joint do the other",
                name, name);
    } else {
        r = ct_error(b->ctx, "E212", place, "`%s` is not driven: it has no `drive`", name);
        ct_help(r, "drive it by a key, as in `beta = ...` or `s = ...`");
    }
    ct_witness(r, name);
    return ct_broken_value();
}

/* Of each turn, or each slide; one that is not driven takes nothing. */
static shaped read_drives(builder *b, uint32_t row_index, uint32_t index)
{
    ct_resolve_joint(b, index);
    const ct_motion_row *row = &ct_motion_rows[row_index];
    const ct_joint *j = &b->mech->joint.at[index];
    uint32_t count = row->axis == CT_TURN
                         ? ct_joint_turns(j->kind, true)
                         : ct_joint_slides(j->kind, true) - ct_joint_guides(j->kind);
    cell *c;
    shaped v = ct_matrix_of(b, count ? count : 1, 1, &c);
    c[0] = (cell){ct_expr_int(b->pool, 0), ct_term_known(b->mech->motion_dim[row_index])};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t freedom = row->axis + i;
        ct_name symbol = ct_own_entry(b, j->name, row->word, i);
        ct_expr e = j->drive[freedom] || j->rate[freedom]
                        ? ct_motion_symbol(b, symbol, CT_MOTION_DRIVE, index, freedom)
                        : ct_expr_int(b->pool, 0);
        c[i] = (cell){e, ct_term_known(b->mech->motion_dim[row_index])};
    }
    return v;
}

/* s, v, a of a joint that slides in several directions; q, w, alpha of one with several turns. */
static shaped read_several(builder *b, uint32_t row_index, uint32_t index, uint32_t count)
{
    const ct_motion_row *row = &ct_motion_rows[row_index];
    ct_name name = b->mech->joint.at[index].name;
    cell *c;
    shaped v = ct_matrix_of(b, count, 1, &c);
    for (uint32_t i = 0; i < count; i++) {
        ct_name symbol = ct_own_entry(b, name, row->word, i);
        c[i] = (cell){ct_motion_symbol(b, symbol, row->kind, index, i),
                      ct_term_known(b->mech->motion_dim[row_index])};
    }
    return v;
}

/* u of a path, u[1] and u[2] of a patch: angles of the joints behind it. */
static shaped read_numbers(builder *b, uint32_t row_index, uint32_t index)
{
    const ct_motion_row *row = &ct_motion_rows[row_index];
    const ct_joint *j = &b->mech->joint.at[index];
    uint32_t count = ct_joint_numbers(j->kind);
    ct_name all = ct_join_path(b, j->name, ct_intern_text(b->ctx, row->word));
    cell *c;
    shaped v = ct_matrix_of(b, count, 1, &c);
    for (uint32_t i = 0; i < count; i++) {
        ct_name symbol = ct_cell_name(b, all, count, 1, i);
        c[i] = (cell){ct_motion_symbol(b, symbol, row->kind, index + 1 + i, 0),
                      ct_term_known(b->mech->motion_dim[row_index])};
    }
    return v;
}

/* `J1.port.T`, `S.port.F`: what the elements that hold a joint do on its head. */
static bool read_port(builder *b, const where *w, uint32_t index, ct_node field, shaped *value)
{
    const ct_joint *j = &b->mech->joint.at[index];
    const char *owner = ct_name_text(b->ctx, j->name), *word;
    ct_name name;
    if (!is_field(w, field) || !ct_field_name(b, w, field, &name))
        return false;
    word = ct_name_text(b->ctx, name);
    bool turn = strcmp(word, "T") == 0, slide = strcmp(word, "F") == 0;
    if (!turn && !slide)
        return false;
    ct_expr load = j->load[turn ? CT_TURN : CT_SLIDE];
    if (load) {
        *value = ct_scalar(b, load, ct_term_known(turn ? b->mech->torque_dim : b->mech->force_dim));
        return true;
    }
    ct_report *r = ct_error(b->ctx, "E212", ct_place_of(w->s, field),
                            "no element holds `%s`: there is no `%s.port.%s`", owner, owner, word);
    ct_help(r, "reactions are `%s.F` and `%s.T`", owner, owner);
    ct_witness(r, owner);
    *value = ct_broken_value();
    return true;
}

/* How many components a variable of a joint has, where the joint decides; 0: it does not. */
static uint32_t freedoms_read(const builder *b, const ct_joint *j, const ct_motion_row *row)
{
    uint32_t slides = ct_joint_slides(j->kind, b->mech->spatial);
    if (row->need == CT_NEED_SLIDE && slides > 1)
        return slides;
    bool turns = row->kind >= CT_MOTION_TURN && row->kind <= CT_MOTION_TURN_RATE;
    return row->need == CT_NEED_TURNS && turns ? ct_joint_turns(j->kind, true) : 0;
}

/* Where a quaternion tells the turn there are no angles. */
static bool has_angles(builder *b, uint32_t index, ct_place place)
{
    ct_resolve_joint(b, index);
    const ct_joint *j = &b->mech->joint.at[index];
    if (j->angles)
        return true;
    const char *name = ct_name_text(b->ctx, j->name);
    ct_report *r =
        ct_error(b->ctx, "E212", place, "`%s` has no angles: its turn is a quaternion", name);
    ct_help(r, "add angles = zxz (or xyz, ...), or read `%s.R` and `%s.omega`", name, name);
    ct_witness(r, name);
    return false;
}

static shaped read_joint(builder *b, const where *w, uint32_t index, ct_name name, ct_node rest,
                         ct_place place)
{
    const ct_joint *j = &b->mech->joint.at[index];
    uint32_t type = CT_TYPE_JOINTS + (uint32_t)j->kind;
    const char *word = ct_name_text(b->ctx, name);
    uint32_t row = find_row(b, type, word);
    shaped v;
    if (strcmp(word, "port") == 0 && read_port(b, w, index, rest, &v))
        return ct_with_postfix(b, w, ct_at(w->s, rest)->next, v);
    if (row == NO_ROW && ct_type_has(type, CT_NEED_LENGTH) && strcmp(word, "length") == 0) {
        ct_resolve_joint(b, index);
        v = ct_scalar(b, b->mech->joint.at[index].length,
                      ct_term_known(b->mech->key_dim[CT_KEY_LENGTH]));
    } else if (row == NO_ROW) {
        v = report_variable(b, type, j->name, word, place);
    } else if (ct_motion_rows[row].kind == CT_MOTION_DRIVE) {
        bool one = strcmp(word, "drive") == 0;
        v = one ? read_drive(b, index, place) : read_drives(b, row, index);
    } else if (ct_motion_rows[row].need == CT_NEED_NUMBERS) {
        v = read_numbers(b, row, index);
    } else if (freedoms_read(b, j, &ct_motion_rows[row])) {
        bool turns = ct_motion_rows[row].need == CT_NEED_TURNS;
        v = turns && !has_angles(b, index, place)
                ? ct_broken_value()
                : read_several(b, row, index, freedoms_read(b, j, &ct_motion_rows[row]));
    } else {
        v = read_row(b, row, j->name, index, false);
    }
    return ct_with_postfix(b, w, rest, v);
}

/* ---- loads */

static shaped read_load(builder *b, const where *w, uint32_t index, ct_name name, ct_node rest,
                        ct_place place)
{
    ct_resolve_load(b, index);
    const ct_vector_load *load = &b->mech->load.at[index];
    const char *word = ct_name_text(b->ctx, name), *own = load->torque ? "T" : "F";
    if (b->mech->load_part.at[index].state == ENTRY_BUSY) {
        ct_report *r = ct_error(b->ctx, "E214", place, "the keys of `%s` lead back to themselves",
                                ct_name_text(b->ctx, load->name));
        ct_witness(r, ct_name_text(b->ctx, load->name));
        return ct_broken_value();
    }
    if (strcmp(word, own) != 0) {
        ct_report *r = ct_error(b->ctx, "E212", place, "`%s` has no variable `%s`",
                                ct_name_text(b->ctx, load->name), word);
        ct_help(r, "it has `%s`, its key", own);
        ct_witness(r, ct_name_text(b->ctx, load->name));
        return ct_broken_value();
    }
    ct_dim dim = load->torque ? b->mech->torque_dim : b->mech->force_dim;
    shaped v = load->torque && !b->mech->spatial
                   ? ct_scalar(b, load->value.c[2], ct_term_known(dim))
                   : read_vector_key(b, &load->value, dim);
    return ct_with_postfix(b, w, rest, v);
}

/* ---- things */

static shaped read_part(builder *b, const where *w, const thing *t, ct_name name, ct_node rest,
                        ct_place place)
{
    if (t->kind == THING_BODY)
        return read_body(b, w, t->index, name, rest, place);
    if (t->kind == THING_JOINT)
        return read_joint(b, w, t->index, name, rest, place);
    return read_load(b, w, t->index, name, rest, place);
}

shaped ct_read_mechanical(builder *b, const where *w, const thing *t, ct_node field)
{
    ct_name name;
    if (t->kind == THING_FRAME) {
        const frame_port *port = &b->mech->port.at[t->index];
        uint32_t frame =
            port->frame != NO_FRAME ? port->frame : ct_frame_of(b, &port->where, port->expr);
        return frame == NO_FRAME ? ct_broken_value()
                                 : read_frame_field(b, w, frame, field, ct_place_of(w->s, field));
    }
    if (!ct_field_name(b, w, field, &name))
        return ct_broken_value();
    return read_part(b, w, t, name, ct_at(w->s, field)->next, ct_place_of(w->s, field));
}

/* `ground.O2.x`; false: no such frame. */
bool ct_read_ground(builder *b, const where *w, const scope *s, ct_node field, shaped *value)
{
    ct_name name;
    uint32_t frame =
        b->mech && ct_field_name(b, w, field, &name) ? ct_find_frame(b, s->id, name) : NO_FRAME;
    if (frame == NO_FRAME)
        return false;
    *value = read_frame_field(b, w, frame, ct_at(w->s, field)->next, ct_place_of(w->s, field));
    return true;
}

/* ---- energies */

shaped ct_read_energy(builder *b, bool kinetic, ct_place place)
{
    const char *word = kinetic ? "kinetic()" : "potential()";
    if (!b->mech) {
        ct_report *r = ct_error(b->ctx, "E260", place, "%s: the model has no bodies", word);
        ct_note(r, "it is the energy of all bodies of a mechanism");
        ct_witness(r, word);
        return ct_broken_value();
    }
    ct_expr e = ct_motion_symbol(b, ct_intern_text(b->ctx, word),
                                 kinetic ? CT_MOTION_KINETIC : CT_MOTION_POTENTIAL, 0, 0);
    return ct_scalar(b, e, ct_term_known(b->mech->energy_dim));
}

/* ---- initial values as keys: `theta(0) = ...`, `B.v[1](0)`, `der(beta)(0)` */

static shaped start_variable(builder *b, const where *w, ct_node path, const thing *owner)
{
    ct_node inner = ct_at(w->s, path)->first, rest;
    ct_name name;
    if (ct_at(w->s, inner)->kind == CT_NODE_DER)
        return ct_der_of(b, start_variable(b, w, ct_at(w->s, inner)->first, owner));
    if (!ct_ref_name(b, w, inner, &name, &rest))
        return ct_broken_value();
    return read_part(b, w, owner, name, rest, ct_place_of(w->s, inner));
}

void ct_resolve_part_starts(builder *b, const part *p, thing owner)
{
    const where *w = &p->where;
    for (ct_node key = p->node ? ct_at(w->s, p->node)->first : 0; key; key = ct_at(w->s, key)->next)
        if (ct_at(w->s, key)->kind == CT_NODE_KEY && ct_at(w->s, key)->op)
            ct_add_start(b, w, key, start_variable(b, w, ct_at(w->s, key)->first, &owner), false);
}
