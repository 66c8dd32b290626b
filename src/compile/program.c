/* program.c - making, running and showing a program. */
#include "compile/program.h"

#include <string.h>

#include "base/context.h"
#include "compile/native.h"

static const double *copy_constants(ct_arena *arena, const ct_code *code)
{
    double *constant = CT_NEW_ARRAY(arena, double, code->constant.count);
    if (code->constant.count)
        memcpy(constant, code->constant.at, code->constant.count * sizeof *constant);
    return constant;
}

static const ct_program *finish(ct_arena *arena, const ct_program_def *def, ct_code *code,
                                ct_cpu cpu)
{
    ct_program *program = CT_NEW(arena, ct_program);
    program->constant = copy_constants(arena, code);
    program->constant_count = code->constant.count;
    program->parameter_count = code->parameter_count;
    program->variable_count = code->variable_count;
    memcpy(program->operations, code->operations, sizeof program->operations);
    const uint32_t *slot = ct_schedule(arena, code, program);
    if (!def->seldom)
        program->native =
            ct_native_new(arena, code, program, slot, cpu, false, &program->native_work);
    if (def->lanes && cpu.wide)
        program->wide = ct_native_new(arena, code, program, slot, cpu, true, &program->wide_work);
    program->by_four = cpu.wide;
    return program;
}

const ct_program *ct_program_new_for(ct_arena *arena, const ct_program_def *def, ct_cpu cpu,
                                     ct_expr *stranger)
{
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    ct_code *code = ct_lower_tape(scratch, def, stranger);
    const ct_program *program = NULL;
    if (code) {
        ct_fuse(code);
        program = finish(arena, def, code, cpu);
    }
    ct_arena_free(scratch);
    return program;
}

const ct_program *ct_program_new(ct_arena *arena, const ct_program_def *def, ct_expr *stranger)
{
    const ct_context_def *allowed = &ct_arena_context(arena)->def;
    ct_cpu cpu = ct_native_cpu();
    cpu.native &= allowed->native;
    cpu.wide &= allowed->wide;
    return ct_program_new_for(arena, def, cpu, stranger);
}

size_t ct_program_work(const ct_program *program)
{
    return program->native ? program->native_work : program->work;
}

uint32_t ct_program_operations(const ct_program *program)
{
    return program->operations[1];
}

uint32_t ct_program_constants(const ct_program *program)
{
    return program->operations[0];
}

uint32_t ct_program_runs(const ct_program *program)
{
    return program->stage[1].run_count;
}

bool ct_program_is_native(const ct_program *program)
{
    return program->native != NULL;
}

bool ct_program_is_wide(const ct_program *program)
{
    return program->wide != NULL;
}

/* ---- running */

static void execute(const ct_program *program, const ct_stage *stage, double *work)
{
    const ct_tape_run *end = stage->run + stage->run_count;
    for (const ct_tape_run *run = stage->run; run < end; run++)
        ct_tape_at(run->op)->kernel(program, run, work);
}

static void copy(double *to, const double *from, uint32_t count)
{
    if (count)
        memcpy(to, from, count * sizeof *to);
}

void ct_program_prepare(const ct_program *program, const double *parameter, double *work)
{
    copy(work, program->constant, program->constant_count);
    copy(work + program->constant_count, parameter, program->parameter_count);
    execute(program, &program->stage[0], work);
    for (uint32_t i = 0; i < program->area_count; i++) {
        const ct_area *area = &program->area[i];
        for (uint32_t k = area->move; k < area->varying; k++)
            work[program->move[k].to] = work[program->move[k].from];
    }
}

double *ct_program_prepared(ct_arena *arena, const ct_program *program, const double *parameter)
{
    double *work = CT_NEW_ARRAY(arena, double, ct_program_work(program) + 1);
    ct_program_prepare(program, parameter, work);
    return work;
}

/* Machine code writes outputs while it still reads variables. */
static bool are_apart(const ct_program *program, const double *variable, const double *output)
{
    uintptr_t x = (uintptr_t)variable, y = (uintptr_t)output;
    return x + program->variable_count * sizeof *variable <= y ||
           y + program->output_count * sizeof *output <= x;
}

void ct_program_run(const ct_program *program, const double *variable, double *output, double *work)
{
    double *copied = work + program->first_variable;
    if (program->native) {
        bool apart = are_apart(program, variable, output);
        if (!apart)
            copy(copied, variable, program->variable_count);
        program->native(work, apart ? variable : copied, output);
        return;
    }
    copy(copied, variable, program->variable_count);
    execute(program, &program->stage[1], work);
    for (uint32_t i = 0; i < program->output_count; i++)
        output[i] = work[program->output[i]];
}

/* ---- as text */

static void put_operands(const ct_program *program, const ct_tape_run *run, uint32_t i,
                         ct_text *out)
{
    int arity = ct_tape_at(run->op)->arity;
    const uint32_t *word = program->tape + run->first + i * ct_tape_width(arity);
    for (int k = 0; k < arity; k++)
        ct_putf(out, " s%u", word[k]);
    if (arity >= 0)
        return;
    const ct_area *area = &program->area[word[0]];
    ct_putf(out, " s%u..s%u", area->area, area->area + area->count - 1);
    for (uint32_t k = area->varying; k < area->end; k++)
        ct_putf(out, " s%u=s%u", program->move[k].to, program->move[k].from);
}

static void put_run(const ct_program *program, const ct_tape_run *run, ct_text *out)
{
    ct_putf(out, "  %s %u\n", ct_tape_at(run->op)->word, run->count);
    for (uint32_t i = 0; i < run->count; i++) {
        ct_putf(out, "    s%u", run->to + i);
        if (run->op == CT_TAPE_SINCOS)
            ct_putf(out, ", s%u", run->to + run->count + i);
        ct_put(out, " =");
        put_operands(program, run, i, out);
        ct_put_char(out, '\n');
    }
}

static void put_stage(const ct_program *program, const ct_stage *stage, ct_text *out)
{
    for (uint32_t i = 0; i < stage->run_count; i++)
        put_run(program, &stage->run[i], out);
}

static void put_leaves(ct_text *out, const char *what, uint32_t first, uint32_t count)
{
    if (count)
        ct_putf(out, "%s s%u..s%u\n", what, first, first + count - 1);
}

static void put_fixed_moves(const ct_program *program, ct_text *out)
{
    for (uint32_t i = 0; i < program->area_count; i++)
        for (uint32_t k = program->area[i].move; k < program->area[i].varying; k++)
            ct_putf(out, "  s%u=s%u\n", program->move[k].to, program->move[k].from);
}

void ct_program_dump(const ct_program *program, ct_text *out)
{
    for (uint32_t i = 0; i < program->constant_count; i++) {
        ct_putf(out, "constant s%u = ", i);
        ct_put_number(out, program->constant[i]);
        ct_put(out, "\n");
    }
    put_leaves(out, "parameters", program->constant_count, program->parameter_count);
    ct_put(out, "prepare\n");
    put_stage(program, &program->stage[0], out);
    put_fixed_moves(program, out);
    put_leaves(out, "variables", program->first_variable, program->variable_count);
    ct_put(out, "run\n");
    put_stage(program, &program->stage[1], out);
    ct_put(out, "outputs");
    for (uint32_t i = 0; i < program->output_count; i++)
        ct_putf(out, " s%u", program->output[i]);
    ct_put_char(out, '\n');
}
