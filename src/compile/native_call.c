/* native_call.c - calls of functions by machine code: one value, circle functions in groups, or the
 * four lanes of wide code, packed or one by one. */
#include "base/explog.h"
#include "base/sincos.h"
#include "compile/lanes.h"
#include "compile/native_place.h"

enum { GROUP = 64 };

/* ---- calls: all registers are lost */

static void define_in_slot(ct_placer *p, uint32_t v, uint32_t slot)
{
    p->value[v].home = ct_slot_place(p, slot);
    p->value[v].temporary = true;
    if (p->output[v]) {
        ct_x86_load(p->x, CT_X86_SCRATCH, p->value[v].home);
        ct_place_outputs(p, v, CT_X86_SCRATCH);
    }
    if (p->value[v].use == p->value[v].end)
        ct_place_forget(p, v);
}

/* The operands of a call of many stand in its area; those that do not vary were put there by
 * prepare. */
static void write_area(ct_placer *p, const ct_ins *ins)
{
    const ct_area *area = &p->program->area[ins->x[2]];
    for (uint32_t i = 0; i < ins->x[1]; i++) {
        uint32_t v = p->code->list.at[ins->x[0] + i];
        if (!p->code->ins.at[v].varies)
            continue;
        uint32_t reg = ct_place_register(p, ct_place_of(p, v), CT_X86_SCRATCH);
        ct_x86_store(p->x, ct_slot_place(p, area->area + i), reg);
    }
}

/* A single operand goes through a register, several through memory. */
static void write_narrow(ct_placer *p, uint32_t id)
{
    const ct_ins *ins = &p->code->ins.at[id];
    const ct_tape_row *row = ct_tape_at(ins->op);
    uint32_t count;
    const uint32_t *x = ct_ins_operands(p->code, ins, &count);
    if (row->arity < 0) {
        write_area(p, ins);
        ct_x86_address(p->x, 0, ct_slot_place(p, p->program->area[ins->x[2]].area));
        ct_x86_number(p->x, 1, count);
    } else if (count == 1) {
        ct_x86_load(p->x, CT_X86_SCRATCH, ct_place_of(p, x[0]));
    }
    for (uint32_t i = 0; i < count && row->arity < 2; i++)
        ct_place_pass(p, x[i]);
    ct_place_clear(p);
    for (uint32_t i = 0; i < count && row->arity > 0; i++)
        ct_x86_load(p->x, i, count == 1 ? ct_xmm(CT_X86_SCRATCH) : p->value[x[i]].home);
    for (uint32_t i = 0; i < count; i++)
        ct_place_pass(p, x[i]);
    ct_x86_call(p->x, (void (*)(void))row->value);
    ct_place_define(p, id, 0);
}

/* ---- wide code: four lanes */

static ct_wide_fn packed(uint32_t op)
{
    return op == CT_OP_SIN        ? ct_wide_sin()
           : op == CT_OP_COS      ? ct_wide_cos()
           : op == CT_TAPE_SINCOS ? ct_wide_sincos()
           : op == CT_OP_EXP      ? ct_wide_exp()
           : op == CT_OP_LOG      ? ct_wide_log()
                                  : NULL;
}

static uint32_t take_slot(ct_placer *p)
{
    return p->spare.count ? p->spare.at[--p->spare.count] : p->next_slot++;
}

/* The operand and the result stand in the first register; of a circle the cosine in memory. */
static void write_packed(ct_placer *p, uint32_t id, ct_wide_fn function)
{
    const ct_ins *ins = &p->code->ins.at[id];
    bool circle = ins->op == CT_TAPE_SINCOS;
    uint32_t cosine = circle ? take_slot(p) : 0;
    ct_x86_load(p->x, CT_X86_SCRATCH, ct_place_of(p, ins->x[0]));
    ct_place_pass(p, ins->x[0]);
    ct_place_clear(p);
    ct_x86_load(p->x, 0, ct_xmm(CT_X86_SCRATCH));
    if (circle)
        ct_x86_address(p->x, 0, ct_slot_place(p, cosine));
    ct_x86_call(p->x, function);
    ct_place_define(p, circle ? ins->x[1] : id, 0);
    if (circle)
        define_in_slot(p, ins->x[2], cosine);
}

/* Lane by lane, for machine code to call. */
static void each_lane(double *to, const double *a, const double *b, const double *c,
                      ct_value_fn value)
{
    for (int l = 0; l < CT_LANES / 2; l++)
        to[l] = value(NULL, 0, a[l], b[l], c[l]);
}

/* Operands of a call of many stand in its area, CT_LANES of each; `one` has room for those of one
 * lane. */
static void each_lane_of_many(double *to, const double *area, uint32_t count, double *one,
                              ct_value_fn value)
{
    for (int l = 0; l < CT_LANES / 2; l++) {
        for (uint32_t i = 0; i < count; i++)
            one[i] = area[CT_LANES * (size_t)i + (size_t)l];
        to[l] = value(one, count, 0, 0, 0);
    }
}

/* Room for the operands of any call of many, in one piece. */
static uint32_t room_of_one(ct_placer *p)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->program->area_count; i++)
        most = p->program->area[i].count > most ? p->program->area[i].count : most;
    if (!p->room) {
        p->room = p->next_slot;
        p->next_slot += most / CT_LANES + 2; /* lanes may begin in the middle of a slot */
    }
    return p->room;
}

static void write_lanes(ct_placer *p, uint32_t id)
{
    const ct_ins *ins = &p->code->ins.at[id];
    bool many = ct_tape_at(ins->op)->arity < 0;
    uint32_t count, to = take_slot(p);
    const uint32_t *x = ct_ins_operands(p->code, ins, &count);
    if (many)
        write_area(p, ins);
    ct_place_clear(p);
    ct_x86_address(p->x, 0, ct_slot_place(p, to));
    if (many) {
        ct_x86_address(p->x, 1, ct_slot_place(p, p->program->area[ins->x[2]].area));
        ct_x86_number(p->x, 2, count);
        ct_x86_address(p->x, 3, ct_slot_place(p, room_of_one(p)));
    }
    for (uint32_t i = 0; i < 3 && !many; i++)
        ct_x86_address(p->x, i + 1, p->value[x[i < count ? i : 0]].home);
    ct_x86_pointer(p->x, 4, (void (*)(void))ct_tape_at(ins->op)->value);
    ct_x86_call_narrow(p->x, many ? (void (*)(void))each_lane_of_many : (void (*)(void))each_lane);
    for (uint32_t i = 0; i < count; i++)
        ct_place_pass(p, x[i]);
    define_in_slot(p, id, to);
}

void ct_write_call(ct_placer *p, uint32_t id)
{
    uint32_t op = p->code->ins.at[id].op;
    if (p->x->wide && packed(op))
        write_packed(p, id, packed(op));
    else if (p->x->wide)
        write_lanes(p, id);
    else
        write_narrow(p, id);
}

/* ---- circle functions: many arguments in one call */

static bool is_known(const ct_placer *p, uint32_t v)
{
    return p->value[v].reg != NO_REGISTER || p->value[v].home.base;
}

uint32_t ct_circle_count(const ct_placer *p, uint32_t count)
{
    uint32_t n = 0;
    for (; n < GROUP && !p->x->wide && p->now + n < count; n++) {
        const ct_ins *ins = &p->code->ins.at[p->order[p->now + n]];
        if (!ct_is_circle(ins->op) || !is_known(p, ins->x[0]))
            break;
    }
    return n;
}

/* The sine, the cosine, or both are wanted. */
static void define_circles(ct_placer *p, uint32_t first, uint32_t n, uint32_t sine, uint32_t cosine)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = p->order[first + i];
        const ct_ins *ins = &p->code->ins.at[id];
        if (ins->op == CT_OP_COS)
            CT_PUSH(p->x->arena, p->late, sine + i);
        else
            define_in_slot(p, ins->op == CT_OP_SIN ? id : ins->x[1], sine + i);
        if (ins->op == CT_OP_SIN)
            CT_PUSH(p->x->arena, p->late, cosine + i);
        else
            define_in_slot(p, ins->op == CT_OP_COS ? id : ins->x[2], cosine + i);
    }
}

/* The whole group is one moment. */
static void pass_circles(ct_placer *p, uint32_t n)
{
    uint32_t first = p->now;
    for (uint32_t i = 0; i < n; i++, p->now++)
        ct_place_pass(p, p->code->ins.at[p->order[p->now]].x[0]);
    p->now = first;
}

/* Two or more are rounded up to groups of four, which are done at once: the last argument again. */
void ct_write_circles(ct_placer *p, uint32_t n)
{
    uint32_t padded = n > 1 ? (n + 3) / 4 * 4 : 1, first = p->now;
    uint32_t argument = p->next_slot, sine = argument + padded, cosine = sine + padded;
    p->next_slot += 3 * padded;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = p->code->ins.at[p->order[first + i]].x[0];
        uint32_t reg = ct_place_register(p, ct_place_of(p, v), CT_X86_SCRATCH);
        for (uint32_t k = i; k < (i + 1 < n ? i + 1 : padded); k++)
            ct_x86_store(p->x, ct_slot_place(p, argument + k), reg);
    }
    pass_circles(p, n);
    ct_place_clear(p);
    ct_x86_address(p->x, 0, ct_slot_place(p, argument));
    ct_x86_address(p->x, 1, ct_slot_place(p, sine));
    ct_x86_address(p->x, 2, ct_slot_place(p, cosine));
    ct_x86_number(p->x, 3, padded);
    ct_x86_call(p->x, (void (*)(void))ct_sincos_many);
    define_circles(p, first, n, sine, cosine);
    for (uint32_t k = 0; k < padded; k++)
        CT_PUSH(p->x->arena, p->late, argument + k);
    for (uint32_t k = n; k < padded; k++) {
        CT_PUSH(p->x->arena, p->late, sine + k);
        CT_PUSH(p->x->arena, p->late, cosine + k);
    }
}
