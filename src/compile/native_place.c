/* native_place.c - registers given to values on the way through the order, and code written.
 *
 * A value lives in a register, in memory (its home), or both. When no register is free, the value
 * that is needed last leaves; it is stored unless it has a home already. Operands that are needed
 * only once more are read from memory by the operation itself. */
#include "compile/native_place.h"

/* NEAR: slots that a short offset reaches in either direction. */
enum { NEVER = UINT32_MAX >> 4, NEAR = 16 };

ct_operand ct_slot_place(const ct_placer *p, uint32_t slot)
{
    return (ct_operand){((int32_t)slot - (int32_t)p->middle) * (int32_t)p->x->unit, CT_BASE_WORK};
}

static uint32_t next_use(const ct_placer *p, uint32_t v)
{
    return p->value[v].use < p->value[v].end ? p->use[p->value[v].use] : NEVER;
}

static void set_due(ct_placer *p, uint32_t reg, uint32_t use)
{
    p->due[reg] = use << 4 | reg;
}

ct_operand ct_place_of(const ct_placer *p, uint32_t v)
{
    return p->value[v].reg != NO_REGISTER ? ct_xmm(p->value[v].reg) : p->value[v].home;
}

/* ---- homes */

static void give_home(ct_placer *p, uint32_t v)
{
    uint32_t slot = p->spare.count ? p->spare.at[--p->spare.count] : p->next_slot++;
    p->value[v].home = ct_slot_place(p, slot);
    p->value[v].temporary = true;
    ct_x86_store(p->x, p->value[v].home, p->value[v].reg);
}

static void leave_register(ct_placer *p, uint32_t reg)
{
    uint32_t v = p->held[reg];
    if (!v)
        return;
    if (!p->value[v].home.base)
        give_home(p, v);
    p->value[v].reg = NO_REGISTER;
    p->held[reg] = 0;
    set_due(p, reg, NEVER);
}

void ct_place_clear(ct_placer *p)
{
    for (uint32_t reg = 0; reg < CT_X86_FREE; reg++)
        leave_register(p, reg);
}

void ct_place_forget(ct_placer *p, uint32_t v)
{
    ct_placed *is = &p->value[v];
    if (is->reg != NO_REGISTER) {
        p->held[is->reg] = 0;
        set_due(p, is->reg, NEVER);
    }
    is->reg = NO_REGISTER;
    if (is->temporary)
        CT_PUSH(p->x->arena, p->late,
                (uint32_t)(is->home.at / (int32_t)p->x->unit + (int32_t)p->middle));
    is->temporary = false;
}

/* The uses up to now are over. */
void ct_place_pass(ct_placer *p, uint32_t v)
{
    ct_placed *is = &p->value[v];
    if (is->use == is->end)
        return;
    while (is->use < is->end && p->use[is->use] <= p->now)
        is->use++;
    if (is->use == is->end)
        ct_place_forget(p, v);
    else if (is->reg != NO_REGISTER)
        set_due(p, is->reg, p->use[is->use]);
}

/* ---- registers */

/* A free register, or else the one whose value is needed last. Operands of the instruction at hand
 * are needed now, so it is none of theirs. */
static uint32_t best_register(const ct_placer *p, uint32_t *needed)
{
    uint32_t best = p->due[0];
    for (uint32_t reg = 1; reg < CT_X86_FREE; reg++)
        best = p->due[reg] > best ? p->due[reg] : best;
    *needed = best >> 4;
    return best & 15;
}

static uint32_t take_register(ct_placer *p)
{
    uint32_t needed, reg = best_register(p, &needed);
    leave_register(p, reg);
    return reg;
}

static void hold(ct_placer *p, uint32_t v, uint32_t reg)
{
    p->value[v].reg = (uint8_t)reg;
    p->held[reg] = v;
    set_due(p, reg, next_use(p, v));
}

static uint32_t load(ct_placer *p, uint32_t v)
{
    uint32_t reg = p->value[v].reg;
    if (reg == NO_REGISTER) {
        reg = take_register(p);
        ct_x86_load(p->x, reg, p->value[v].home);
        hold(p, v, reg);
    }
    return reg;
}

/* The use after this one. */
static uint32_t later_use(const ct_placer *p, uint32_t v)
{
    uint32_t use = p->value[v].use;
    while (use < p->value[v].end && p->use[use] <= p->now)
        use++;
    return use < p->value[v].end ? p->use[use] : NEVER;
}

/* Loads an operand that is needed again sooner than what would have to leave. */
static ct_operand fetch(ct_placer *p, uint32_t v)
{
    uint32_t needed, later = later_use(p, v);
    if (p->value[v].reg == NO_REGISTER && later != NEVER) {
        best_register(p, &needed);
        if (needed > later)
            load(p, v);
    }
    return ct_place_of(p, v);
}

static bool in_register(ct_operand place)
{
    return place.base == CT_BASE_XMM;
}

/* The register of an operand may take the result: the instruction that writes it reads last. */
static uint32_t result_register(ct_placer *p, const uint32_t *operand, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        ct_place_pass(p, operand[i]);
    return take_register(p);
}

/* ---- results */

/* Copies to the outputs; the first of them is a home. */
void ct_place_outputs(ct_placer *p, uint32_t v, uint32_t reg)
{
    for (uint32_t k = p->output[v]; k; k = p->next_output[k - 1]) {
        ct_operand place = {(int32_t)((k - 1) * p->x->unit), CT_BASE_OUTPUT};
        ct_x86_store(p->x, place, reg);
        if (!p->value[v].home.base)
            p->value[v].home = place;
    }
}

void ct_place_define(ct_placer *p, uint32_t v, uint32_t reg)
{
    hold(p, v, reg);
    ct_place_outputs(p, v, reg);
    if (p->value[v].use == p->value[v].end)
        ct_place_forget(p, v);
}

/* ---- + - * / and their pairs */

/* An operand in a register, or loaded into `scratch`. */
uint32_t ct_place_register(ct_placer *p, ct_operand place, uint32_t scratch)
{
    if (in_register(place))
        return (uint32_t)place.at;
    ct_x86_load(p->x, scratch, place);
    return scratch;
}

static bool commutes(uint32_t op)
{
    return op == CT_X86_ADD || op == CT_X86_MUL;
}

static void write_binary(ct_placer *p, uint32_t id, uint32_t op)
{
    const uint32_t *x = p->code->ins.at[id].x;
    ct_operand a = fetch(p, x[0]), b = fetch(p, x[1]);
    a = ct_place_of(p, x[0]);
    if (commutes(op) && !in_register(a) && in_register(b)) {
        ct_operand swapped = a;
        a = b;
        b = swapped;
    }
    uint32_t left = ct_place_register(p, a, CT_X86_SCRATCH);
    uint32_t to = result_register(p, x, 2);
    ct_x86_op(p->x, op, to, left, b);
    ct_place_define(p, id, to);
}

/* (a*b) op c, or c op (a*b). */
static void write_pair(ct_placer *p, uint32_t id, uint32_t op, bool product_first)
{
    const uint32_t *x = p->code->ins.at[id].x;
    for (int i = 0; i < 3; i++)
        fetch(p, x[i]);
    ct_operand a = ct_place_of(p, x[0]), b = ct_place_of(p, x[1]), c = ct_place_of(p, x[2]);
    if (!in_register(a) && in_register(b)) {
        ct_operand swapped = a;
        a = b;
        b = swapped;
    }
    ct_x86_op(p->x, CT_X86_MUL, CT_X86_SCRATCH, ct_place_register(p, a, CT_X86_SCRATCH), b);
    uint32_t left = product_first ? CT_X86_SCRATCH : ct_place_register(p, c, CT_X86_LAST);
    uint32_t to = result_register(p, x, 3);
    ct_x86_op(p->x, op, to, left, product_first ? c : ct_xmm(CT_X86_SCRATCH));
    ct_place_define(p, id, to);
}

/* ---- operators of a few instructions: native_inline.c */

static void write_inline(ct_placer *p, uint32_t id, ct_inline_fn write)
{
    uint32_t count, reg[3] = {0};
    const uint32_t *x = ct_ins_operands(p->code, &p->code->ins.at[id], &count);
    for (uint32_t i = 0; i < count; i++)
        reg[i] = load(p, x[i]);
    uint32_t to = result_register(p, x, count);
    write(p->x, to, reg[0], reg[1], reg[2]);
    ct_place_define(p, id, to);
}

/* ---- the whole */

static void write_one(ct_placer *p, uint32_t id)
{
    uint32_t op = p->code->ins.at[id].op;
    ct_inline_fn write = ct_native_inline(p->x, op);
    switch (op) {
    case CT_TAPE_ADD:
        write_binary(p, id, CT_X86_ADD);
        return;
    case CT_TAPE_SUB:
        write_binary(p, id, CT_X86_SUB);
        return;
    case CT_TAPE_MUL:
        write_binary(p, id, CT_X86_MUL);
        return;
    case CT_TAPE_DIV:
        write_binary(p, id, CT_X86_DIV);
        return;
    case CT_TAPE_MULADD:
        write_pair(p, id, CT_X86_ADD, true);
        return;
    case CT_TAPE_MULSUB:
        write_pair(p, id, CT_X86_SUB, true);
        return;
    case CT_TAPE_SUBMUL:
        write_pair(p, id, CT_X86_SUB, false);
        return;
    }
    if (write)
        write_inline(p, id, write);
    else
        ct_write_call(p, id);
}

/* The positions of the uses of each value. */
static void list_uses(ct_placer *p, uint32_t count)
{
    uint32_t operands, total = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *x = ct_ins_operands(p->code, &p->code->ins.at[p->order[i]], &operands);
        for (uint32_t k = 0; k < operands; k++)
            p->value[x[k]].end++;
    }
    for (uint32_t v = 0; v < p->code->ins.count; v++) {
        total += p->value[v].end;
        p->value[v].use = p->value[v].end = total - p->value[v].end;
    }
    p->use = CT_NEW_ARRAY(p->x->arena, uint32_t, total);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *x = ct_ins_operands(p->code, &p->code->ins.at[p->order[i]], &operands);
        for (uint32_t k = 0; k < operands; k++)
            p->use[p->value[x[k]].end++] = i;
    }
}

static void set_homes(ct_placer *p, const uint32_t *slot)
{
    for (uint32_t v = 1; v < p->code->ins.count; v++) {
        const ct_ins *ins = &p->code->ins.at[v];
        p->value[v].reg = NO_REGISTER;
        if (ins->op == CT_TAPE_VARIABLE)
            p->value[v].home = (ct_operand){(int32_t)(ins->x[0] * p->x->unit), CT_BASE_VARIABLE};
        else if (!ins->varies)
            p->value[v].home = ct_slot_place(p, slot[v]);
    }
}

/* Lists the outputs of each value; those that are known before the call are copied at once. */
static void set_outputs(ct_placer *p)
{
    for (uint32_t k = p->code->output_count; k-- > 0;) {
        uint32_t v = p->code->output[k];
        p->next_output[k] = p->output[v];
        p->output[v] = k + 1;
    }
    for (uint32_t v = 1; v < p->code->ins.count; v++)
        if (p->output[v] && p->value[v].home.base) {
            ct_x86_load(p->x, CT_X86_SCRATCH, p->value[v].home);
            ct_place_outputs(p, v, CT_X86_SCRATCH);
        }
}

static void begin_instruction(ct_placer *p)
{
    while (p->late.count)
        CT_PUSH(p->x->arena, p->spare, p->late.at[--p->late.count]);
}

uint32_t ct_native_write(ct_x86 *x, const ct_code *code, const ct_program *program,
                         const uint32_t *slot, const uint32_t *order, uint32_t count,
                         uint32_t first)
{
    ct_placer p = {.x = x,
                   .code = code,
                   .program = program,
                   .order = order,
                   .next_slot = first,
                   .middle = first + NEAR};
    p.value = CT_NEW_ARRAY(x->arena, ct_placed, code->ins.count);
    p.output = CT_NEW_ARRAY(x->arena, uint32_t, code->ins.count);
    p.next_output = CT_NEW_ARRAY(x->arena, uint32_t, code->output_count);
    for (uint32_t reg = 0; reg < CT_X86_FREE; reg++)
        set_due(&p, reg, NEVER);
    list_uses(&p, count);
    set_homes(&p, slot);
    ct_x86_begin(x, p.middle * x->unit);
    set_outputs(&p);
    while (p.now < count) {
        uint32_t circles = ct_circle_count(&p, count);
        begin_instruction(&p);
        if (circles)
            ct_write_circles(&p, circles);
        else
            write_one(&p, order[p.now]);
        p.now += circles ? circles : 1;
    }
    ct_x86_end(x);
    return p.next_slot;
}
