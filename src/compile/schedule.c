/* schedule.c - instructions put in order, in runs of one operation, and slots given to them.
 *
 * Within a window of instructions, which keeps what belongs together in the cache, the operation
 * with the most instructions ready is taken and all of them are done, with those of the same
 * operation that become ready meanwhile; so a run may use its own results, and a long sum is one
 * run. Slots are given in this order: the results of a run follow each other. */
#include "compile/tape.h"

enum { WINDOW = 16384 };

typedef struct queue {
    uint32_t head, tail, count; /* head 0: empty */
} queue;

/* Items are the instructions of the stage in their order; within the window they count from 1. */
typedef struct scheduler {
    const ct_code *code;
    ct_arena *scratch;
    uint32_t *slot;  /* of an instruction */
    uint32_t *place; /* of an instruction among the items of its stage */
    uint32_t *item, item_count;
    uint32_t from, window;       /* the window begins at this item; its size */
    uint32_t *first_user, *user; /* in the window: users of k are first_user[k] .. */
    uint32_t *waiting, *next;    /* operands not yet known; link of the queue */
    uint32_t *batch;             /* the run being made */
    queue ready[CT_TAPE_COUNT];
    uint32_t next_slot, next_word;
    uint32_t *tape;
    CT_VEC(ct_tape_run) run;
} scheduler;

static const ct_ins *ins_at(const scheduler *s, uint32_t k)
{
    return &s->code->ins.at[s->item[s->from + k - 1]];
}

/* The item of the window that computes x, or 0. */
static uint32_t in_window(const scheduler *s, const ct_ins *user, uint32_t x)
{
    const ct_ins *ins = &s->code->ins.at[x];
    bool leaf = ins->op >= CT_TAPE_CONSTANT && ins->op <= CT_TAPE_VARIABLE;
    if (leaf || ins->varies != user->varies || s->place[x] < s->from)
        return 0;
    return s->place[x] - s->from + 1;
}

static void push_ready(scheduler *s, uint32_t k)
{
    queue *q = &s->ready[ins_at(s, k)->op];
    *(q->head ? &s->next[q->tail] : &q->head) = k;
    q->tail = k;
    s->next[k] = 0;
    q->count++;
}

/* Counting sort of the pairs (operand, user) by operand. */
static void link_users(scheduler *s)
{
    uint32_t count, *first = s->first_user;
    for (uint32_t k = 0; k <= s->window + 1; k++)
        first[k] = 0;
    for (uint32_t k = 1; k <= s->window; k++) {
        const uint32_t *x = ct_ins_operands(s->code, ins_at(s, k), &count);
        s->waiting[k] = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t maker = in_window(s, ins_at(s, k), x[i]);
            first[maker]++;
            s->waiting[k] += maker != 0;
        }
    }
    first[0] = 0;
    for (uint32_t k = 1; k <= s->window + 1; k++)
        first[k] += first[k - 1];
    for (uint32_t k = s->window; k > 0; k--) {
        const uint32_t *x = ct_ins_operands(s->code, ins_at(s, k), &count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t maker = in_window(s, ins_at(s, k), x[i]);
            if (maker)
                s->user[--first[maker]] = k;
        }
    }
}

static void release_users(scheduler *s, uint32_t k)
{
    for (uint32_t i = s->first_user[k]; i < s->first_user[k + 1]; i++)
        if (--s->waiting[s->user[i]] == 0)
            push_ready(s, s->user[i]);
}

static uint32_t fullest(const scheduler *s)
{
    uint32_t best = 0;
    for (uint32_t op = 1; op < CT_TAPE_COUNT; op++)
        if (s->ready[op].count > s->ready[best].count)
            best = op;
    return best;
}

/* Slots of the results, then the words of the operands: these may be results of the same run. */
static void close_run(scheduler *s, uint32_t op, uint32_t count)
{
    CT_PUSH(s->scratch, s->run, (ct_tape_run){op, count, s->next_slot, s->next_word});
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = s->item[s->from + s->batch[i] - 1];
        const uint32_t *x = s->code->ins.at[id].x;
        s->slot[op == CT_TAPE_SINCOS ? x[1] : id] = s->next_slot + i;
        if (op == CT_TAPE_SINCOS)
            s->slot[x[2]] = s->next_slot + count + i;
    }
    s->next_slot += op == CT_TAPE_SINCOS ? 2 * count : count;
    int arity = ct_tape_at(op)->arity;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *x = ins_at(s, s->batch[i])->x;
        if (arity < 0)
            s->tape[s->next_word++] = x[2];
        for (int k = 0; k < arity; k++)
            s->tape[s->next_word++] = s->slot[x[k]];
    }
}

static uint32_t make_run(scheduler *s)
{
    uint32_t op = fullest(s), count = 0;
    queue *q = &s->ready[op];
    uint32_t most = op == CT_TAPE_SINCOS ? q->count : UINT32_MAX; /* done in groups: all at once */
    while (q->head && count < most) {
        uint32_t k = q->head;
        q->head = s->next[k];
        q->count--;
        s->batch[count++] = k;
        release_users(s, k);
    }
    close_run(s, op, count);
    return count;
}

static void schedule_window(scheduler *s)
{
    link_users(s);
    for (uint32_t k = 1; k <= s->window; k++)
        if (s->waiting[k] == 0)
            push_ready(s, k);
    for (uint32_t done = 0; done < s->window;)
        done += make_run(s);
}

/* ---- stages */

static void collect_items(scheduler *s, bool varying)
{
    s->item_count = 0;
    for (uint32_t i = 1; i < s->code->ins.count; i++) {
        const ct_ins *ins = &s->code->ins.at[i];
        if (ins->op >= CT_TAPE_COUNT || ins->varies != varying)
            continue;
        s->place[i] = s->item_count;
        if (ins->op == CT_TAPE_SINCOS)
            s->place[ins->x[1]] = s->place[ins->x[2]] = s->item_count;
        s->item[s->item_count++] = i;
    }
}

/* Room for the operands of the window that has the most. */
static uint32_t most_operands(const scheduler *s)
{
    uint32_t most = 0, sum = 0, count;
    for (uint32_t i = 0; i < s->item_count; i++) {
        ct_ins_operands(s->code, &s->code->ins.at[s->item[i]], &count);
        sum = i % WINDOW == 0 ? count : sum + count;
        most = sum > most ? sum : most;
    }
    return most;
}

static ct_stage schedule_stage(ct_arena *arena, scheduler *s, bool varying)
{
    collect_items(s, varying);
    s->user = CT_NEW_ARRAY(s->scratch, uint32_t, most_operands(s));
    s->run.count = 0;
    for (s->from = 0; s->from < s->item_count; s->from += s->window) {
        uint32_t left = s->item_count - s->from;
        s->window = left < WINDOW ? left : WINDOW;
        schedule_window(s);
    }
    ct_tape_run *run = CT_NEW_ARRAY(arena, ct_tape_run, s->run.count);
    for (uint32_t i = 0; i < s->run.count; i++)
        run[i] = s->run.at[i];
    return (ct_stage){run, s->run.count};
}

static uint32_t tape_words(const ct_code *code)
{
    uint32_t words = 0;
    for (uint32_t i = 1; i < code->ins.count; i++)
        if (code->ins.at[i].op < CT_TAPE_COUNT)
            words += ct_tape_width(ct_tape_at(code->ins.at[i].op)->arity);
    return words;
}

/* The leaves of one kind, in the order of their values. */
static void set_leaf_slots(scheduler *s, uint32_t op, uint32_t count)
{
    for (uint32_t i = 1; i < s->code->ins.count; i++)
        if (s->code->ins.at[i].op == op)
            s->slot[i] = s->next_slot + s->code->ins.at[i].x[0];
    s->next_slot += count;
}

/* ---- areas and outputs */

/* The moves of one call: of operands known to prepare first, unless prepare does the call itself.
 */
static uint32_t set_area(const scheduler *s, const ct_ins *ins, ct_area *area, ct_move *move,
                         uint32_t next)
{
    area->count = ins->x[1];
    area->move = next;
    for (int pass = 0; pass < 2; pass++) {
        area->varying = pass == 1 ? next : area->varying;
        for (uint32_t i = 0; i < ins->x[1]; i++) {
            uint32_t x = s->code->list.at[ins->x[0] + i];
            bool late = s->code->ins.at[x].varies || !ins->varies;
            if (late == (pass == 1))
                move[next++] = (ct_move){s->slot[x], area->area + i};
        }
    }
    area->end = next;
    return next;
}

static void set_areas(ct_arena *arena, scheduler *s, ct_program *program, uint32_t slot)
{
    ct_area *area = CT_NEW_ARRAY(arena, ct_area, s->code->area_count);
    ct_move *move = CT_NEW_ARRAY(arena, ct_move, s->code->list.count);
    uint32_t next = 0;
    for (uint32_t i = 1; i < s->code->ins.count; i++) {
        const ct_ins *ins = &s->code->ins.at[i];
        if (ins->op >= CT_TAPE_COUNT || ct_tape_at(ins->op)->arity >= 0)
            continue;
        area[ins->x[2]].area = slot;
        slot += ins->x[1];
        next = set_area(s, ins, &area[ins->x[2]], move, next);
    }
    program->area = area;
    program->move = move;
    program->area_count = s->code->area_count;
}

static void set_outputs(ct_arena *arena, const scheduler *s, ct_program *program)
{
    uint32_t *output = CT_NEW_ARRAY(arena, uint32_t, s->code->output_count);
    for (uint32_t i = 0; i < s->code->output_count; i++)
        output[i] = s->slot[s->code->output[i]];
    program->output = output;
    program->output_count = s->code->output_count;
}

static scheduler new_scheduler(ct_arena *arena, const ct_code *code)
{
    uint32_t room = (code->ins.count < WINDOW ? code->ins.count : WINDOW) + 2;
    scheduler s = {.code = code, .scratch = code->arena};
    s.slot = CT_NEW_ARRAY(s.scratch, uint32_t, code->ins.count);
    s.place = CT_NEW_ARRAY(s.scratch, uint32_t, code->ins.count);
    s.item = CT_NEW_ARRAY(s.scratch, uint32_t, code->ins.count);
    s.first_user = CT_NEW_ARRAY(s.scratch, uint32_t, room);
    s.waiting = CT_NEW_ARRAY(s.scratch, uint32_t, room);
    s.next = CT_NEW_ARRAY(s.scratch, uint32_t, room);
    s.batch = CT_NEW_ARRAY(s.scratch, uint32_t, room);
    s.tape = CT_NEW_ARRAY(arena, uint32_t, tape_words(code));
    return s;
}

const uint32_t *ct_schedule(ct_arena *arena, const ct_code *code, ct_program *program)
{
    scheduler s = new_scheduler(arena, code);
    set_leaf_slots(&s, CT_TAPE_CONSTANT, code->constant.count);
    set_leaf_slots(&s, CT_TAPE_PARAMETER, code->parameter_count);
    program->stage[0] = schedule_stage(arena, &s, false);
    uint32_t first_area = s.next_slot;
    s.next_slot += code->list.count;
    program->first_variable = s.next_slot;
    set_leaf_slots(&s, CT_TAPE_VARIABLE, code->variable_count);
    program->stage[1] = schedule_stage(arena, &s, true);
    set_areas(arena, &s, program, first_area);
    set_outputs(arena, &s, program);
    program->tape = s.tape;
    program->work = s.next_slot;
    return s.slot;
}
