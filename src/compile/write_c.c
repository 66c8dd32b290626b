/* write_c.c - see write_c.h.
 *
 * What numbers alone decide is computed here, by the operations of the tape, and written as a
 * number: a compiler would fold it with another library of functions, and other last digits.
 *
 * A value is a local variable v123 of its part. One that another part, or the other function,
 * needs also has a place in the work space; so has each operand of a call of many operands. */
#include "compile/write_c.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/explog.h"
#include "base/sincos.h"
#include "base/vec.h"
#include "compile/tape.h"

enum { PREPARE, RUN, STAGES };

/* Of an instruction. */
typedef struct value {
    bool known; /* by numbers alone */
    double number;
    uint32_t part;    /* of its stage, where it is computed */
    uint32_t slot;    /* in the work space plus 1; 0: none */
    uint32_t inside;  /* uses in its own part */
    uint32_t outputs; /* list of them: the first plus 1 */
} value;

typedef struct writer {
    ct_c_program *program;
    ct_arena *arena;
    const ct_code *code;
    ct_text *out;
    value *v;
    uint32_t *next_output; /* links of value.outputs, plus 1 */
    uint32_t *area;        /* begin of each area in the work space */
    uint32_t work;
    uint32_t parts[STAGES];
} writer;

/* ---- the operators as text, from the tables */

static const char *const pattern[CT_TAPE_COUNT] = {
#define OP(name, arity, word, latex, value, ...) #value,
#include "expr/ops.def"
#undef OP
#define ARITH(name, arity, word, value) #value,
#include "compile/arith.def"
#undef ARITH
    NULL,
};

void ct_put_c_number(ct_text *out, double number)
{
    char text[CT_DECIMAL_ROOM];
    if (!isfinite(number)) {
        ct_put(out, isnan(number) ? "NAN" : number > 0 ? "HUGE_VAL" : "-HUGE_VAL");
        return;
    }
    ct_decimal_shortest(text, number, CT_USUAL_DIGITS);
    ct_put(out, text);
    if (!strpbrk(text, ".e"))
        ct_put(out, ".0");
}

/* ---- what is known, and who needs what */

static const ct_ins *ins_at(const writer *w, uint32_t i)
{
    return &w->code->ins.at[i];
}

static bool is_operation(const ct_ins *ins)
{
    return ins->op < CT_TAPE_COUNT;
}

static bool is_statement(const writer *w, uint32_t i)
{
    return is_operation(ins_at(w, i)) && !w->v[i].known;
}

static void know(writer *w, uint32_t i)
{
    const ct_ins *ins = ins_at(w, i);
    value *v = &w->v[i];
    uint32_t count;
    const uint32_t *x = ct_ins_operands(w->code, ins, &count);
    if (ins->op == CT_TAPE_CONSTANT)
        *v = (value){.known = true, .number = w->code->constant.at[ins->x[0]]};
    if (!is_operation(ins))
        return;
    double few[3] = {0}, *number = count <= 3 ? few : CT_NEW_ARRAY(w->arena, double, count);
    v->known = true;
    for (uint32_t k = 0; k < count; k++) {
        v->known &= w->v[x[k]].known;
        number[k] = w->v[x[k]].number;
    }
    if (ins->op == CT_TAPE_SINCOS) { /* its second result comes later in the list */
        bool known = v->known;
        w->v[ins->x[1]] = (value){known, ct_sin(number[0]), 0, 0, 0, 0};
        w->v[ins->x[2]] = (value){known, ct_cos(number[0]), 0, 0, 0, 0};
    } else if (v->known) {
        v->number = ct_tape_at(ins->op)->value(number, count, number[0], number[1], number[2]);
    }
}

static void place_outputs(writer *w)
{
    const ct_code *code = w->code;
    w->next_output = CT_NEW_ARRAY(w->arena, uint32_t, code->output_count + 1);
    for (uint32_t k = code->output_count; k-- > 0;) {
        value *v = &w->v[code->output[k]];
        w->next_output[k] = v->outputs;
        v->outputs = k + 1;
    }
}

/* Parts, in the order of the list, which keeps what belongs together near. */
static void place_statements(writer *w)
{
    uint32_t count[STAGES] = {0};
    for (uint32_t i = 1; i < w->code->ins.count; i++) {
        const ct_ins *ins = ins_at(w, i);
        if (!is_statement(w, i))
            continue;
        uint32_t part = count[ins->varies]++ / CT_C_STATEMENTS;
        w->v[i].part = part;
        if (ins->op == CT_TAPE_SINCOS)
            w->v[ins->x[1]].part = w->v[ins->x[2]].part = part;
    }
    for (int stage = 0; stage < STAGES; stage++)
        w->parts[stage] = (count[stage] + CT_C_STATEMENTS - 1) / CT_C_STATEMENTS;
    w->program->statements = count[RUN];
}

static void need_slot(writer *w, uint32_t i)
{
    if (!w->v[i].slot)
        w->v[i].slot = ++w->work;
}

/* `user` is in this part of this stage. */
static void use(writer *w, uint32_t i, uint32_t stage, uint32_t part)
{
    const ct_ins *ins = ins_at(w, i);
    if (w->v[i].known || ins->op == CT_TAPE_VARIABLE)
        return;
    if (ins->op == CT_TAPE_PARAMETER ? stage == PREPARE
                                     : ins->varies == (stage == RUN) && w->v[i].part == part)
        w->v[i].inside++;
    else
        need_slot(w, i);
}

/* The operands of a call that prepare can set stand in the work space from then on. */
static void use_area(writer *w, uint32_t i)
{
    const ct_ins *ins = ins_at(w, i);
    uint32_t count;
    const uint32_t *x = ct_ins_operands(w->code, ins, &count);
    w->area[ins->x[2]] = w->work;
    w->work += count;
    for (uint32_t k = 0; k < count; k++) {
        bool early = ins->varies && !ins_at(w, x[k])->varies;
        use(w, x[k], early ? PREPARE : ins->varies, early ? UINT32_MAX : w->v[i].part);
    }
    w->program->calls |= CT_C_TABLE;
}

static void use_all(writer *w)
{
    static const uint8_t called[CT_TAPE_COUNT] = {
        [CT_OP_SIN] = CT_C_SIN, [CT_OP_COS] = CT_C_COS, [CT_TAPE_SINCOS] = CT_C_SINCOS,
        [CT_OP_EXP] = CT_C_EXP, [CT_OP_LOG] = CT_C_LOG,
    };
    for (uint32_t i = 1; i < w->code->ins.count; i++) {
        const ct_ins *ins = ins_at(w, i);
        uint32_t count;
        const uint32_t *x = ct_ins_operands(w->code, ins, &count);
        if (!is_statement(w, i))
            continue;
        w->program->calls |= called[ins->op];
        if (ct_tape_at(ins->op)->arity < 0) {
            use_area(w, i);
            continue;
        }
        for (uint32_t k = 0; k < count; k++)
            use(w, x[k], ins->varies, w->v[i].part);
    }
    for (uint32_t k = 0; k < w->code->output_count; k++) {
        uint32_t i = w->code->output[k];
        if (!ins_at(w, i)->varies)
            use(w, i, RUN, 0);
    }
}

/* ---- statements */

static void put_variable(writer *w, uint32_t k)
{
    const ct_c_program *p = w->program;
    if (k < p->x_count)
        ct_putf(w->out, "x[%u]", k);
    else if (k < p->x_count + p->w_count)
        ct_putf(w->out, "w[%u]", k - p->x_count);
    else if (k == p->x_count + p->w_count)
        ct_put(w->out, "t");
    else
        ct_putf(w->out, "work[%u]", p->held + k - p->x_count - p->w_count - 1);
}

/* Text of a value that is read in this part of this stage. */
static void put_operand(writer *w, uint32_t i, uint32_t stage, uint32_t part)
{
    const ct_ins *ins = ins_at(w, i);
    const value *v = &w->v[i];
    if (v->known) {
        bool brackets = signbit(v->number) && !isnan(v->number);
        ct_put(w->out, brackets ? "(" : "");
        ct_put_c_number(w->out, v->number);
        ct_put(w->out, brackets ? ")" : "");
    } else if (ins->op == CT_TAPE_VARIABLE) {
        put_variable(w, ins->x[0]);
    } else if (ins->op == CT_TAPE_PARAMETER && stage == PREPARE) {
        ct_putf(w->out, "p[%u]", ins->x[0]);
    } else if (ins->op != CT_TAPE_PARAMETER && ins->varies == (stage == RUN) && v->part == part) {
        ct_putf(w->out, "v%u", i);
    } else {
        ct_putf(w->out, "work[%u]", v->slot - 1);
    }
}

/* clang makes exp2(x) of pow(2, x), which has other last digits. */
static bool hides_base(const writer *w, const ct_ins *ins)
{
    return ins->op == CT_OP_POW && w->v[ins->x[0]].known;
}

static void put_letter(writer *w, uint32_t i, char letter)
{
    const ct_ins *ins = ins_at(w, i);
    uint32_t count;
    const uint32_t *x = ct_ins_operands(w->code, ins, &count);
    if (letter == 'v')
        ct_putf(w->out, "(work + %u)", w->area[ins->x[2]]);
    else if (letter == 'n')
        ct_putf(w->out, "%u", count);
    else if (letter == 'a' && hides_base(w, ins))
        ct_put(w->out, "base");
    else
        put_operand(w, x[letter - 'a'], ins->varies, w->v[i].part);
}

/* The pattern with the operands in place of the words a b c, v and n. */
static void put_value(writer *w, uint32_t i)
{
    const char *at = pattern[ins_at(w, i)->op];
    while (*at) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        if (length == 1 && strchr("abcvn", *at))
            put_letter(w, i, *at);
        else
            ct_put_bytes(w->out, at, length ? length : 1);
        at += length ? length : 1;
    }
}

static void put_note(writer *w, uint32_t output)
{
    if (w->program->note)
        ct_putf(w->out, "; /* %s */\n", w->program->note[output]);
    else
        ct_put(w->out, ";\n");
}

/* Where else the value goes. */
static void put_copies(writer *w, uint32_t i)
{
    const value *v = &w->v[i];
    if (v->slot)
        ct_putf(w->out, "    work[%u] = v%u;\n", v->slot - 1, i);
    for (uint32_t k = ins_at(w, i)->varies ? v->outputs : 0; k; k = w->next_output[k - 1]) {
        ct_putf(w->out, "    y[%u] = v%u", k - 1, i);
        put_note(w, k - 1);
    }
}

static void put_circle(writer *w, uint32_t i)
{
    const ct_ins *ins = ins_at(w, i);
    uint32_t s = ins->x[1], c = ins->x[2];
    ct_putf(w->out, "    double v%u, v%u;\n    ct_sincos(", s, c);
    put_operand(w, ins->x[0], ins->varies, w->v[i].part);
    ct_putf(w->out, ", &v%u, &v%u);\n", s, c);
    put_copies(w, s);
    put_copies(w, c);
}

static void put_area(writer *w, uint32_t i)
{
    const ct_ins *ins = ins_at(w, i);
    uint32_t count;
    const uint32_t *x = ct_ins_operands(w->code, ins, &count);
    for (uint32_t k = 0; k < count; k++) {
        if (ins->varies && !ins_at(w, x[k])->varies)
            continue;
        ct_putf(w->out, "    work[%u] = ", w->area[ins->x[2]] + k);
        put_operand(w, x[k], ins->varies, w->v[i].part);
        ct_put(w->out, ";\n");
    }
}

static void put_base(writer *w, const ct_ins *ins)
{
    ct_put(w->out, "    base = ");
    ct_put_c_number(w->out, w->v[ins->x[0]].number);
    ct_put(w->out, ";\n");
}

/* A value with one place to go needs no variable. */
static void put_statement(writer *w, uint32_t i)
{
    const ct_ins *ins = ins_at(w, i);
    const value *v = &w->v[i];
    uint32_t output = ins->varies ? v->outputs : 0;
    bool single = output && !w->next_output[output - 1];
    if (ins->op == CT_TAPE_SINCOS) {
        put_circle(w, i);
        return;
    }
    if (ct_tape_at(ins->op)->arity < 0)
        put_area(w, i);
    if (hides_base(w, ins))
        put_base(w, ins);
    if (!v->inside && v->slot && !output)
        ct_putf(w->out, "    work[%u] = ", v->slot - 1);
    else if (!v->inside && !v->slot && single)
        ct_putf(w->out, "    y[%u] = ", output - 1);
    else
        ct_putf(w->out, "    const double v%u = ", i);
    put_value(w, i);
    if (!v->inside && !v->slot && single) {
        put_note(w, output - 1);
        return;
    }
    ct_put(w->out, ";\n");
    if (v->inside || output)
        put_copies(w, i);
}

/* ---- functions */

typedef struct argument {
    const char *type, *name;
} argument;

static const argument arguments[STAGES][5] = {{{"const double *", "p"}, {"double *", "work"}},
                                              {{"double ", "t"},
                                               {"const double *", "x"},
                                               {"const double *", "w"},
                                               {"double *", "work"},
                                               {"double *", "y"}}};

static bool has_argument(const writer *w, const argument *a)
{
    return a->name && (*a->name != 'w' || a->name[1] || w->program->w_count);
}

static void put_function_name(writer *w, int stage, uint32_t part)
{
    ct_putf(w->out, "%s%s", w->program->name, stage == PREPARE ? "_prepare" : "");
    if (part)
        ct_putf(w->out, "_%u", part);
}

static void open_function(writer *w, int stage, uint32_t part)
{
    const char *comma = "";
    ct_put(w->out, "static void ");
    put_function_name(w, stage, part);
    for (int k = 0; k < 5; k++) {
        const argument *a = &arguments[stage][k];
        if (!has_argument(w, a))
            continue;
        ct_putf(w->out, "%s%s%s%s", *comma ? comma : "(", a->type,
                strchr(a->type, '*') ? "restrict " : "", a->name);
        comma = ", ";
    }
    ct_put(w->out, ")\n{\n");
}

/* A remark, to the end of its line, may hold any name. */
static bool is_remark(const char *at)
{
    while (*at != '\n' && strncmp(at, "/*", 2) != 0)
        at--;
    return *at != '\n';
}

/* Arguments that the body, from `begin` on, does not read are named at its end. */
static void close_function(writer *w, int stage, size_t begin)
{
    for (int k = 0; k < 5; k++) {
        const argument *a = &arguments[stage][k];
        if (!has_argument(w, a))
            continue;
        size_t length = strlen(a->name);
        const char *at = ct_text_string(w->out) + begin;
        for (at = strstr(at, a->name); at; at = strstr(at + 1, a->name))
            if (!isalnum((unsigned char)at[-1]) && !isalnum((unsigned char)at[length]) &&
                at[-1] != '_' && at[length] != '_' && !is_remark(at))
                break;
        if (!at)
            ct_putf(w->out, "    (void)%s;\n", a->name);
    }
    ct_put(w->out, "}\n\n");
}

static bool part_hides_base(const writer *w, int stage, uint32_t part, uint32_t from)
{
    for (uint32_t i = from; i < w->code->ins.count; i++) {
        const ct_ins *ins = ins_at(w, i);
        if (!is_statement(w, i) || ins->varies != (stage == RUN))
            continue;
        if (w->v[i].part != part)
            return false;
        if (hides_base(w, ins))
            return true;
    }
    return false;
}

/* The statements of a part; *from moves on behind them. */
static void put_part(writer *w, int stage, uint32_t part, uint32_t *from)
{
    if (part_hides_base(w, stage, part, *from))
        ct_put(w->out, "    volatile double base; /* pow(2, x) is not to become exp2(x) */\n");
    for (; *from < w->code->ins.count; ++*from) {
        const ct_ins *ins = ins_at(w, *from);
        if (!is_statement(w, *from) || ins->varies != (stage == RUN))
            continue;
        if (w->v[*from].part != part)
            break;
        put_statement(w, *from);
    }
}

static void put_call(writer *w, int stage, uint32_t part)
{
    const char *comma = "(";
    ct_put(w->out, "    ");
    put_function_name(w, stage, part);
    for (int k = 0; k < 5; k++)
        if (has_argument(w, &arguments[stage][k])) {
            ct_putf(w->out, "%s%s", comma, arguments[stage][k].name);
            comma = ", ";
        }
    ct_put(w->out, ");\n");
}

/* What later calls read and no statement of prepare has put there. */
static void put_kept(writer *w)
{
    const ct_code *code = w->code;
    for (uint32_t i = 1; i < code->ins.count; i++) {
        const ct_ins *ins = ins_at(w, i);
        if (ins->op == CT_TAPE_PARAMETER && w->v[i].slot)
            ct_putf(w->out, "    work[%u] = p[%u];\n", w->v[i].slot - 1, ins->x[0]);
        if (!is_statement(w, i) || ct_tape_at(ins->op)->arity >= 0 || !ins->varies)
            continue;
        uint32_t count;
        const uint32_t *x = ct_ins_operands(code, ins, &count);
        for (uint32_t k = 0; k < count; k++) {
            if (ins_at(w, x[k])->varies)
                continue;
            ct_putf(w->out, "    work[%u] = ", w->area[ins->x[2]] + k);
            put_operand(w, x[k], PREPARE, UINT32_MAX);
            ct_put(w->out, ";\n");
        }
    }
}

/* Outputs that no statement gives: numbers, variables, what prepare computed. */
static void put_plain_outputs(writer *w)
{
    for (uint32_t k = 0; k < w->code->output_count; k++) {
        uint32_t i = w->code->output[k];
        const ct_ins *ins = ins_at(w, i);
        bool computed = ins->varies && ins->op != CT_TAPE_VARIABLE && !w->v[i].known;
        if (computed)
            continue;
        ct_putf(w->out, "    y[%u] = ", k);
        put_operand(w, i, RUN, UINT32_MAX);
        put_note(w, k);
    }
}

static void put_stage(writer *w, int stage)
{
    uint32_t from = 1, parts = w->parts[stage] > 1 ? w->parts[stage] : 0;
    for (uint32_t part = 0; part < parts; part++) {
        open_function(w, stage, part + 1);
        size_t begin = w->out->length;
        put_part(w, stage, part, &from);
        close_function(w, stage, begin);
    }
    open_function(w, stage, 0);
    size_t begin = w->out->length;
    for (uint32_t part = 0; part < parts; part++)
        put_call(w, stage, part + 1);
    if (!parts)
        put_part(w, stage, 0, &from);
    if (stage == PREPARE)
        put_kept(w);
    else
        put_plain_outputs(w);
    close_function(w, stage, begin);
}

static void put_program(ct_c_program *program, ct_arena *arena, const ct_code *code, ct_text *out)
{
    writer w = {
        .program = program, .arena = arena, .code = code, .out = out, .work = program->work};
    w.v = CT_NEW_ARRAY(arena, value, code->ins.count);
    w.area = CT_NEW_ARRAY(arena, uint32_t, code->area_count + 1);
    for (uint32_t i = 1; i < code->ins.count; i++)
        if (ins_at(&w, i)->op != CT_TAPE_NOTHING)
            know(&w, i);
    place_outputs(&w);
    place_statements(&w);
    use_all(&w);
    put_stage(&w, PREPARE);
    put_stage(&w, RUN);
    program->work_end = w.work;
}

bool ct_program_put_c(ct_c_program *program, ct_arena *arena, ct_text *out, ct_expr *stranger)
{
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    ct_code *code = ct_lower_tape(scratch, &program->def, stranger);
    if (code) {
        ct_fuse(code);
        put_program(program, scratch, code, out);
    }
    ct_arena_free(scratch);
    return code != NULL;
}
