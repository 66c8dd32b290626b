/* fuse.c - unused instructions dropped, others merged in pairs where that saves loads and stores.
 *
 * The intermediate result of a merged pair is still rounded: values do not change. */
#include "base/hash.h"
#include "compile/tape.h"

/* Drops what nobody uses and counts the uses and operations of the rest. */
static uint32_t *prune(ct_code *code)
{
    uint32_t *uses = CT_NEW_ARRAY(code->arena, uint32_t, code->ins.count);
    for (uint32_t i = 0; i < code->output_count; i++)
        uses[code->output[i]]++;
    for (uint32_t i = code->ins.count; i-- > 1;) {
        ct_ins *ins = &code->ins.at[i];
        uint32_t count;
        const uint32_t *x = ct_ins_operands(code, ins, &count);
        if (ins->op >= CT_TAPE_COUNT)
            continue;
        code->operations[ins->varies] += uses[i] > 0;
        for (uint32_t k = 0; k < count && uses[i]; k++)
            uses[x[k]]++;
        if (!uses[i])
            ins->op = CT_TAPE_NOTHING;
    }
    return uses;
}

/* A product that only `user` needs, at the same stage. */
static bool is_own_product(const ct_code *code, const uint32_t *uses, uint32_t x,
                           const ct_ins *user)
{
    const ct_ins *ins = &code->ins.at[x];
    return ins->op == CT_TAPE_MUL && uses[x] == 1 && ins->varies == user->varies;
}

/* The instruction op(product, other) takes the place of the user. */
static void merge_product(ct_code *code, ct_ins *user, uint32_t op, uint32_t product,
                          uint32_t other)
{
    ct_ins *mul = &code->ins.at[product];
    *user = (ct_ins){(uint16_t)op, user->varies, {mul->x[0], mul->x[1], other}};
    mul->op = CT_TAPE_NOTHING;
}

static void fuse_products(ct_code *code, const uint32_t *uses)
{
    for (uint32_t i = 1; i < code->ins.count; i++) {
        ct_ins *ins = &code->ins.at[i];
        bool add = ins->op == CT_TAPE_ADD;
        if (!add && ins->op != CT_TAPE_SUB)
            continue;
        uint32_t a = ins->x[0], b = ins->x[1];
        if (is_own_product(code, uses, b, ins))
            merge_product(code, ins, add ? CT_TAPE_MULADD : CT_TAPE_SUBMUL, b, a);
        else if (is_own_product(code, uses, a, ins))
            merge_product(code, ins, add ? CT_TAPE_MULADD : CT_TAPE_MULSUB, a, b);
    }
}

/* The earlier one of sin(x) and cos(x) computes both. */
static void join_circle(ct_code *code, uint32_t first, uint32_t second)
{
    ct_ins *ins = &code->ins.at[first];
    bool sine_first = ins->op == CT_OP_SIN;
    ins->op = CT_TAPE_SINCOS;
    ins->x[1] = sine_first ? first : second;
    ins->x[2] = sine_first ? second : first;
    code->ins.at[second].op = CT_TAPE_NOTHING;
}

static void fuse_circles(ct_code *code)
{
    ct_map partner;
    ct_map_init(&partner, code->arena);
    for (uint32_t i = 1; i < code->ins.count; i++) {
        const ct_ins *ins = &code->ins.at[i];
        if (ins->op != CT_OP_SIN && ins->op != CT_OP_COS)
            continue;
        uint32_t found = ct_map_get(&partner, ins->x[0]);
        if (found)
            join_circle(code, found, i);
        else
            ct_map_put(&partner, ins->x[0], i);
    }
}

void ct_fuse(ct_code *code)
{
    fuse_products(code, prune(code));
    fuse_circles(code);
}
