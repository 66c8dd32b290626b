/* fingerprint.c - the value of a node at a pseudo-random point of GF(p), p as in field.h.
 *
 * FINGERPRINT. Symbols get a hash of their name, sums and products are computed in the field,
 * angles are points of its circle so that the addition theorem and s^2 + c^2 = 1 hold; anything
 * else is a hash of the operator and of its operands' fingerprints. Two nodes of one fingerprint
 * have equal values up to a chance of about N^2/p; two nodes of one value may have different
 * fingerprints when the reason lies inside an opaque function: a missed simplification, never a
 * wrong one.
 *
 * A rational n/d counts as itself, however large: n (mod p) times the inverse of d. Only multiples
 * of p are opaque, and doubles. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "expr/field.h"
#include "expr/pool.h"

enum { HASH_NUMBER = 0x6e756d, HASH_NAME = 0x6e616d, HASH_ROOT = 0x726f6f, HASH_ANGLE = 0x616e67 };

static uint64_t opaque(uint64_t hash)
{
    uint64_t f = ct_field_reduce(hash);
    return f ? f : 1;
}

static uint64_t residue(const ct_number *x, bool denominator)
{
    if (x->form == CT_SMALL) {
        int64_t n = denominator ? x->den : x->num;
        return ct_field_reduce((uint64_t)(n < 0 ? -n : n));
    }
    int32_t limbs = denominator ? x->den_limbs : abs(x->num_limbs);
    return ct_number_limbs_mod(denominator ? x->den_at : x->num_at, limbs, CT_PRIME);
}

static uint64_t fingerprint_size(const ct_number *x)
{
    if (x->form == CT_SMALL && (x->num == 0 || (x->den == 1 && (uint64_t)llabs(x->num) < CT_PRIME)))
        return (uint64_t)llabs(x->num);
    uint64_t n = x->form == CT_REAL ? 0 : residue(x, false), d = n ? residue(x, true) : 0;
    if (n && d)
        return d == 1 ? n : ct_field_mul(n, ct_field_inv(d));
    return opaque(ct_hash_mix(ct_number_hash(x), HASH_NUMBER));
}

uint64_t ct_fingerprint_number(const ct_number *x)
{
    uint64_t f = fingerprint_size(x);
    return ct_number_sign(x) < 0 ? ct_field_neg(f) : f;
}

uint64_t ct_fingerprint_name(const ct_context *ctx, ct_name name)
{
    return opaque(ct_hash_bytes(ct_name_text(ctx, name), ct_name_length(ctx, name), HASH_NAME));
}

static uint64_t fingerprint_sum(const ct_pool *pool, const uint32_t *word, uint32_t count)
{
    uint64_t f = ct_node_at(pool, word[0])->fingerprint;
    for (uint32_t i = 1; i < count; i += 2) {
        uint64_t x = ct_node_at(pool, word[i])->fingerprint;
        if (word[i + 1] != CT_ONE)
            x = ct_field_mul(x, ct_node_at(pool, word[i + 1])->fingerprint);
        f = ct_field_add(f, x);
    }
    return f;
}

/* Multiplies *num or *den by f^n for an integer n. */
static void put_power(uint64_t *num, uint64_t *den, uint64_t f, const ct_number *n)
{
    if (n->form == CT_SMALL) {
        uint64_t size = (uint64_t)(n->num < 0 ? -n->num : n->num);
        uint64_t *side = n->num < 0 ? den : num;
        *side = ct_field_mul(*side, size == 1 ? f : ct_field_pow(f, size));
        return;
    }
    int32_t limbs = n->num_limbs < 0 ? -n->num_limbs : n->num_limbs;
    uint64_t size = ct_number_limbs_mod(n->num_at, limbs, CT_PRIME - 1); /* f^(p-1) = 1 */
    uint64_t *side = n->num_limbs < 0 ? den : num;
    *side = ct_field_mul(*side, ct_field_pow(f, size));
}

/* f^(k/q) = f^i r^j with k = iq + j: the q-th root r is opaque, whole powers are not. */
static void put_root(uint64_t *num, uint64_t *den, uint64_t f, const ct_number *n,
                     uint64_t opaque_n)
{
    if (n->form != CT_SMALL) {
        *num = ct_field_mul(*num, opaque(ct_hash_mix(ct_hash_mix(HASH_ROOT, f), opaque_n)));
        return;
    }
    int64_t whole = n->num / n->den, left = n->num % n->den;
    if (left < 0) {
        whole--;
        left += n->den;
    }
    uint64_t root = opaque(ct_hash_mix(ct_hash_mix(HASH_ROOT, f), (uint64_t)n->den));
    *num = ct_field_mul(*num, ct_field_pow(root, (uint64_t)left));
    put_power(num, den, f, &(ct_number){.form = CT_SMALL, .num = whole, .den = 1});
}

/* Divisors repeat: the same resistance stands below many fraction lines. */
static uint64_t inverse_of(ct_pool *pool, uint64_t f)
{
    uint32_t at = (uint32_t)(f % CT_INVERSES);
    if (pool->inverse[at].of != f) {
        pool->inverse[at].of = f;
        pool->inverse[at].is = ct_field_inv(f);
    }
    return pool->inverse[at].is;
}

static uint64_t fingerprint_product(ct_pool *pool, const uint32_t *word, uint32_t count)
{
    uint64_t num = ct_node_at(pool, word[0])->fingerprint, den = 1;
    for (uint32_t i = 1; i < count; i += 2) {
        uint64_t f = ct_node_at(pool, word[i])->fingerprint;
        const ct_number *n = ct_number_at(pool, word[i + 1]);
        if (word[i + 1] == CT_ONE)
            num = ct_field_mul(num, f);
        else if (ct_number_is_integer(n))
            put_power(&num, &den, f, n);
        else
            put_root(&num, &den, f, n, ct_node_at(pool, word[i + 1])->fingerprint);
    }
    return den == 1 ? num : ct_field_mul(num, inverse_of(pool, den));
}

/* The point of an angle that is no sum; opposite angles get opposite points. */
static ct_circle angle_atom(uint64_t f)
{
    bool flip = f > CT_PRIME / 2;
    ct_circle at = ct_circle_at(opaque(ct_hash_mix(HASH_ANGLE, flip ? CT_PRIME - f : f)));
    return flip ? ct_circle_neg(at) : at;
}

/* Half turns and quarter turns are known points; other parts of pi are not rational. */
static ct_circle angle_pi(const ct_number *c)
{
    static const ct_circle quarter[4] = {
        {1, 0, 1}, {0, 1, 1}, {CT_PRIME - 1, 0, 1}, {0, CT_PRIME - 1, 1}};
    int64_t turns = c->den == 1 ? 2 * (c->num % 4) : c->num % 4;
    return quarter[(turns % 4 + 4) % 4];
}

/* c*x with x of fingerprint f. Quarters of x are the unit, so that half angles are known too. */
static ct_circle angle_times(const ct_pool *pool, ct_expr c, ct_expr x, uint64_t f)
{
    const ct_number *n = ct_number_at(pool, c);
    if (n->form != CT_SMALL)
        return angle_atom(ct_field_mul(f, ct_node_at(pool, c)->fingerprint));
    if (x && ct_is_call(pool, x, CT_OP_PI) && n->den <= 2)
        return angle_pi(n);
    uint64_t unit = 4 % n->den == 0 ? 4 : (uint64_t)n->den, scale = unit / (uint64_t)n->den;
    const uint64_t quarter = (CT_PRIME + 1) / 4; /* p = 3 mod 4 */
    ct_circle at = angle_atom(ct_field_mul(f, unit == 4 ? quarter : ct_field_inv(unit)));
    uint64_t size = (uint64_t)(n->num < 0 ? -n->num : n->num);
    at = ct_circle_times(ct_circle_times(at, scale), size);
    return n->num < 0 ? ct_circle_neg(at) : at;
}

static ct_circle angle_sum(const ct_pool *pool, const ct_expr_node *sum)
{
    const uint32_t *word = pool->word.at + sum->first;
    ct_circle at = ct_circle_zero();
    if (word[0] != CT_ZERO)
        at = angle_times(pool, word[0], 0, 1);
    for (uint32_t i = 1; i < 2 * sum->count; i += 2) {
        uint64_t f = ct_node_at(pool, word[i])->fingerprint;
        at = ct_circle_add(at, angle_times(pool, word[i + 1], word[i], f));
    }
    return at;
}

static ct_circle angle(const ct_pool *pool, ct_expr e)
{
    const ct_expr_node *node = ct_node_at(pool, e);
    if (node->kind == CT_EXPR_NUMBER)
        return angle_times(pool, e, 0, 1);
    if (node->kind == CT_EXPR_SUM)
        return angle_sum(pool, node);
    if (node->kind != CT_EXPR_PRODUCT)
        return angle_times(pool, CT_ONE, e, node->fingerprint);
    const uint32_t *word = pool->word.at + node->first;
    bool single = node->count == 1 && word[2] == CT_ONE;
    if (single && word[0] == CT_MINUS_ONE && ct_is(pool, word[1], CT_EXPR_SUM))
        return ct_circle_neg(angle_sum(pool, ct_node_at(pool, word[1])));
    uint64_t c = ct_node_at(pool, word[0])->fingerprint;
    uint64_t rest = ct_field_mul(node->fingerprint, ct_field_inv(c));
    return angle_times(pool, word[0], single ? word[1] : 0, rest);
}

static uint64_t fingerprint_call(const ct_pool *pool, ct_op op, const uint32_t *word,
                                 uint32_t count)
{
    if (op == CT_OP_SIN || op == CT_OP_COS || op == CT_OP_TAN) {
        ct_circle at = angle(pool, word[0]);
        uint64_t below = op == CT_OP_TAN ? at.c : at.w;
        if (below)
            return ct_field_mul(op == CT_OP_COS ? at.c : at.s, ct_field_inv(below));
    }
    const char *name = ct_op_word(op); /* not the number of the row: rows may be added */
    uint64_t hash = ct_hash_bytes(name, strlen(name), count);
    for (uint32_t i = 0; i < count; i++)
        hash = ct_hash_mix(hash, ct_node_at(pool, word[i])->fingerprint);
    return opaque(hash);
}

uint64_t ct_fingerprint_node(ct_pool *pool, ct_expr_kind kind, ct_op op, const uint32_t *word,
                             uint32_t word_count)
{
    if (kind == CT_EXPR_SUM)
        return fingerprint_sum(pool, word, word_count);
    if (kind == CT_EXPR_PRODUCT)
        return fingerprint_product(pool, word, word_count);
    return fingerprint_call(pool, op, word, word_count);
}
