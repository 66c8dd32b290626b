/* pool.c - the pool: nodes, their unique table, leaves, inspection and the deterministic order. */
#include "expr/pool.h"

#include <string.h>

#include "expr/field.h"

/* A composite whose fingerprint is a small integer is that integer: s^2 + c^2 is 1. */
enum { SMALL_INTEGER = 1024, FIRST_SLOTS = 256 };

/* Room for `more` elements; half as much again keeps the slack of large pools low. */
#define ROOM(pool, vec, more)                                                                      \
    do {                                                                                           \
        if ((more) > (vec).room - (vec).count) {                                                   \
            uint32_t needed = sum_of((pool), (vec).count, (more));                                 \
            CT_RESERVE((pool)->arena, (vec), sum_of((pool), needed, needed / 2));                  \
        }                                                                                          \
    } while (0)

static uint32_t sum_of(const ct_pool *pool, uint32_t a, uint32_t b)
{
    if (a > UINT32_MAX - 1 - b)
        ct_throw(pool->ctx, CT_ERR_LIMIT);
    return a + b;
}

/* ---- the unique table: one node for one number, one node for one fingerprint */

/* A fingerprint and its negative meet in one place, so that one search finds both. */
static uint64_t hash_of(const ct_pool *pool, const ct_expr_node *node)
{
    if (node->kind == CT_EXPR_NUMBER)
        return ct_number_hash(&pool->number.at[node->first]);
    uint64_t f = node->fingerprint,
             hash = (f > CT_PRIME / 2 ? CT_PRIME - f : f) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* From a place on before which there is no room. */
static void put_slot(uint64_t *slot, uint32_t mask, uint32_t from, uint64_t hash, ct_expr e)
{
    uint32_t i = from & mask;
    while (slot[i])
        i = (i + 1) & mask;
    slot[i] = (hash & ~(uint64_t)UINT32_MAX) | e;
}

/* The old table is overwritten, not copied: the nodes say what belongs in it. */
static void enlarge_slots(ct_pool *pool)
{
    uint32_t old = pool->slot_count, count = old ? old * 2 : FIRST_SLOTS;
    if (count == 0)
        ct_throw(pool->ctx, CT_ERR_LIMIT);
    pool->slot = ct_arena_grow(pool->arena, pool->slot, old * sizeof *pool->slot,
                               count * sizeof *pool->slot);
    memset(pool->slot, 0, count * sizeof *pool->slot);
    pool->slot_count = count;
    for (uint32_t e = 1; e < pool->node.count; e++) {
        uint64_t hash = hash_of(pool, &pool->node.at[e]);
        put_slot(pool->slot, count - 1, (uint32_t)hash, hash, e);
    }
}

uint32_t *ct_word_room(ct_pool *pool, uint32_t count)
{
    ROOM(pool, pool->word, count);
    return pool->word.at + pool->word.count;
}

/* Everything that can run out of memory happens before the pool changes. `from`: where a search has
 * ended. */
static ct_expr add_found(ct_pool *pool, const ct_expr_node *node, const uint32_t *word,
                         uint32_t word_count, uint64_t hash, uint32_t from)
{
    ROOM(pool, pool->node, 1);
    uint32_t *own = ct_word_room(pool, word_count);
    if (pool->node.count > pool->slot_count / 8 * 5) {
        enlarge_slots(pool);
        from = (uint32_t)hash;
    }
    ct_expr e = pool->node.count++;
    pool->node.at[e] = *node;
    if (word_count) {
        pool->node.at[e].first = pool->word.count;
        for (uint32_t i = 0; i < word_count && own != word; i++) /* they may be there already */
            own[i] = word[i];
        pool->word.count += word_count;
    }
    put_slot(pool->slot, pool->slot_count - 1, from, hash, e);
    return e;
}

static ct_expr add_node(ct_pool *pool, const ct_expr_node *node, const uint32_t *word,
                        uint32_t word_count)
{
    uint64_t hash = hash_of(pool, node);
    return add_found(pool, node, word, word_count, hash, (uint32_t)hash);
}

static ct_expr find_number(const ct_pool *pool, const ct_number *number)
{
    uint64_t hash = ct_number_hash(number);
    uint32_t mask = pool->slot_count - 1;
    for (uint32_t i = (uint32_t)hash & mask; pool->slot[i]; i = (i + 1) & mask) {
        ct_expr e = (ct_expr)pool->slot[i];
        if ((pool->slot[i] ^ hash) >> 32 == 0 && ct_is(pool, e, CT_EXPR_NUMBER) &&
            ct_number_equal(ct_number_at(pool, e), number))
            return e;
    }
    return 0;
}

static ct_expr add_number(ct_pool *pool, const ct_number *number)
{
    ct_expr known = find_number(pool, number);
    if (known)
        return known;
    ct_expr_node node = {.kind = CT_EXPR_NUMBER,
                         .first = pool->number.count,
                         .fingerprint = ct_fingerprint_number(number)};
    CT_PUSH(pool->arena, pool->number, *number);
    return add_node(pool, &node, NULL, 0);
}

ct_expr ct_intern_number(ct_pool *pool, const ct_number *number)
{
    bool small = number->form == CT_SMALL && number->den == 1 && number->num <= CT_SMALL_RANGE &&
                 number->num >= -CT_SMALL_RANGE;
    if (!small)
        return add_number(pool, number);
    ct_expr *known = &pool->small[number->num + CT_SMALL_RANGE];
    if (!*known)
        *known = add_number(pool, number);
    return *known;
}

/* The node of fingerprint f, else its negative in *opposite; 0: none, and *end is a free slot. */
static ct_expr find(const ct_pool *pool, uint64_t hash, uint64_t f, ct_expr *opposite,
                    uint32_t *end)
{
    uint32_t mask = pool->slot_count - 1, i = (uint32_t)hash & mask;
    *opposite = 0;
    for (; pool->slot[i]; i = (i + 1) & mask) {
        if ((pool->slot[i] ^ hash) >> 32)
            continue;
        ct_expr e = (ct_expr)pool->slot[i];
        const ct_expr_node *node = ct_node_at(pool, e);
        if (node->kind == CT_EXPR_NUMBER)
            continue;
        if (node->fingerprint == f)
            return e;
        if (node->fingerprint == CT_PRIME - f)
            *opposite = e;
    }
    *end = i;
    return 0;
}

/* The first two names inside, from those of the operands in their order. */
static void find_lead(const ct_pool *pool, ct_expr_node *node, const uint32_t *word, uint32_t count)
{
    uint32_t from = node->kind == CT_EXPR_CALL ? 0 : 1, step = from + 1, found = 0;
    for (uint32_t i = from; i < count && i < 8 && found < 2; i += step) {
        const ct_expr_node *operand = ct_node_at(pool, word[i]);
        for (uint32_t k = 0; k < 2 && found < 2; k++)
            if (operand->lead[k] && (found == 0 || node->lead[0] != operand->lead[k]))
                node->lead[found++] = operand->lead[k];
    }
}

/* The negative of a node, made without looking for its fingerprint (it is known not to be there).
 */
static ct_expr add_opposite(ct_pool *pool, ct_expr e, uint64_t f)
{
    ct_expr_node node = *ct_node_at(pool, e);
    bool held = node.held;
    node.fingerprint = f;
    node.held = false;
    if (node.kind == CT_EXPR_PRODUCT && !held) {
        uint32_t words = 1 + 2 * node.count, *word = ct_word_room(pool, words);
        memcpy(word, pool->word.at + node.first, words * sizeof *word);
        word[0] = ct_num_neg(pool, word[0]);
        return add_node(pool, &node, word, words);
    }
    node.kind = CT_EXPR_PRODUCT;
    node.op = 0;
    node.count = 1;
    return add_node(pool, &node, (uint32_t[]){CT_MINUS_ONE, e, CT_ONE}, 3);
}

ct_expr ct_intern_node(ct_pool *pool, ct_expr_kind kind, ct_op op, const uint32_t *word,
                       uint32_t word_count, uint64_t fingerprint)
{
    if (fingerprint <= SMALL_INTEGER)
        return ct_expr_int(pool, (int64_t)fingerprint);
    if (fingerprint >= CT_PRIME - SMALL_INTEGER)
        return ct_expr_int(pool, -(int64_t)(CT_PRIME - fingerprint));
    ct_expr_node node = {.kind = (uint8_t)kind,
                         .op = (uint8_t)op,
                         .count = kind == CT_EXPR_CALL ? word_count : word_count / 2,
                         .fingerprint = fingerprint};
    uint64_t hash = hash_of(pool, &node);
    uint32_t end = 0;
    ct_expr opposite, known = find(pool, hash, fingerprint, &opposite, &end);
    if (known)
        return known;
    if (opposite)
        return add_opposite(pool, opposite, fingerprint);
    find_lead(pool, &node, word, word_count);
    return add_found(pool, &node, word, word_count, hash, end);
}

/* ---- pool */

ct_pool *ct_pool_new(ct_context *ctx)
{
    static const int64_t constant[][2] = {{0, 1}, {1, 1}, {-1, 1}, {1, 2}, {2, 1}};
    ct_arena *arena = ct_arena_new(ctx);
    ct_pool *pool = CT_NEW(arena, ct_pool);
    pool->ctx = ctx;
    pool->arena = arena;
    CT_PUSH(arena, pool->node, (ct_expr_node){0});
    enlarge_slots(pool);
    for (size_t i = 0; i < sizeof constant / sizeof *constant; i++)
        ct_expr_ratio(pool, constant[i][0], constant[i][1]);
    return pool;
}

void ct_pool_free(ct_pool *pool)
{
    if (pool)
        ct_arena_free(pool->arena);
}

ct_arena *ct_pool_arena(ct_pool *pool)
{
    return pool->arena;
}

uint32_t ct_pool_count(const ct_pool *pool)
{
    return pool->node.count - 1;
}

/* ---- leaves */

ct_expr ct_expr_int(ct_pool *pool, int64_t value)
{
    ct_number number = ct_number_int(pool->arena, value);
    return ct_intern_number(pool, &number);
}

ct_expr ct_expr_ratio(ct_pool *pool, int64_t num, int64_t den)
{
    if (den == 0)
        return 0;
    ct_number number = ct_number_ratio(pool->arena, num, den);
    return ct_intern_number(pool, &number);
}

ct_expr ct_expr_decimal(ct_pool *pool, const char *text, size_t length)
{
    ct_number number;
    return ct_number_parse(pool->arena, text, length, &number) ? ct_intern_number(pool, &number)
                                                               : 0;
}

ct_expr ct_expr_real(ct_pool *pool, double value)
{
    ct_number number = ct_number_real(value);
    return ct_intern_number(pool, &number);
}

static void make_symbol_room(ct_pool *pool, ct_name name)
{
    uint32_t old = pool->symbol.room, wanted = sum_of(pool, name + 16, name / 2);
    if (name < old)
        return;
    CT_RESERVE(pool->arena, pool->key, wanted);
    CT_RESERVE(pool->arena, pool->symbol, wanted);
    memset(pool->symbol.at + old, 0, (wanted - old) * sizeof *pool->symbol.at);
}

/* The first characters of a name as a number that keeps the order of ct_name_compare(): a run of
 * digits becomes its length, in a byte that compares as a digit does, and the digits without
 * leading zeros. From a run of nine digits on nothing is kept; equal keys decide nothing. */
static uint64_t key_of(const char *text)
{
    uint64_t key = 0;
    int bytes = 0;
    while (*text && bytes < 8) {
        size_t digits = strspn(text, "0123456789");
        for (; digits > 1 && *text == '0'; digits--)
            text++;
        bool many = digits >= 9;
        if (digits)
            key = key << 8 | ('0' + (many ? 9 : (uint64_t)digits)), bytes++;
        if (many)
            break;
        for (size_t i = digits ? digits : 1; i > 0 && bytes < 8; i--, bytes++)
            key = key << 8 | (unsigned char)*text++;
    }
    return bytes ? key << 8 * (8 - bytes) : 0;
}

ct_expr ct_expr_symbol(ct_pool *pool, ct_name name)
{
    make_symbol_room(pool, name);
    if (!pool->symbol.at[name]) {
        ct_expr_node node = {.kind = CT_EXPR_SYMBOL,
                             .first = name,
                             .lead = {name},
                             .fingerprint = ct_fingerprint_name(pool->ctx, name)};
        pool->key.at[name] = key_of(ct_name_text(pool->ctx, name));
        pool->symbol.at[name] = add_node(pool, &node, NULL, 0);
    }
    return pool->symbol.at[name];
}

ct_expr ct_expr_hold(ct_pool *pool, ct_expr e)
{
    if (!e || (!ct_is(pool, e, CT_EXPR_SUM) && !ct_is(pool, e, CT_EXPR_PRODUCT)))
        return e;
    ct_expr_node *node = &pool->node.at[e];
    const uint32_t *word = pool->word.at + node->first;
    node->held = true;
    if (node->kind == CT_EXPR_PRODUCT && node->count == 1 && word[2] == CT_ONE)
        pool->node.at[word[1]].held = true; /* -1 * sum: the sum is what was computed */
    return e;
}

/* ---- inspection */

ct_expr_kind ct_expr_kind_of(const ct_pool *pool, ct_expr e)
{
    return (ct_expr_kind)ct_node_at(pool, e)->kind;
}

ct_op ct_expr_op(const ct_pool *pool, ct_expr e)
{
    return (ct_op)ct_node_at(pool, e)->op;
}

ct_name ct_expr_name(const ct_pool *pool, ct_expr e)
{
    return ct_is(pool, e, CT_EXPR_SYMBOL) ? ct_node_at(pool, e)->first : 0;
}

uint32_t ct_expr_arity(const ct_pool *pool, ct_expr e)
{
    return ct_node_at(pool, e)->count;
}

ct_expr ct_expr_operand(const ct_pool *pool, ct_expr e, uint32_t i)
{
    const ct_expr_node *node = ct_node_at(pool, e);
    return pool->word.at[node->first + (node->kind == CT_EXPR_CALL ? i : 1 + 2 * i)];
}

ct_expr ct_expr_coefficient(ct_pool *pool, ct_expr e, uint32_t i)
{
    return pool->word.at[ct_node_at(pool, e)->first + 2 + 2 * i];
}

ct_expr ct_expr_constant(ct_pool *pool, ct_expr e)
{
    return pool->word.at[ct_node_at(pool, e)->first];
}

bool ct_expr_is_zero(const ct_pool *pool, ct_expr e)
{
    (void)pool;
    return e == CT_ZERO;
}

bool ct_expr_is_one(const ct_pool *pool, ct_expr e)
{
    (void)pool;
    return e == CT_ONE;
}

bool ct_expr_is_number(const ct_pool *pool, ct_expr e)
{
    return ct_is(pool, e, CT_EXPR_NUMBER);
}

bool ct_expr_is_exact(const ct_pool *pool, ct_expr e)
{
    return ct_is(pool, e, CT_EXPR_NUMBER) && ct_number_at(pool, e)->form != CT_REAL;
}

bool ct_expr_to_int(const ct_pool *pool, ct_expr e, int64_t *value)
{
    return ct_is(pool, e, CT_EXPR_NUMBER) && ct_number_to_int(ct_number_at(pool, e), value);
}

double ct_expr_to_double(const ct_pool *pool, ct_expr e)
{
    return ct_number_double(ct_number_at(pool, e));
}

uint64_t ct_expr_fingerprint(const ct_pool *pool, ct_expr e)
{
    return ct_node_at(pool, e)->fingerprint;
}

/* ---- order: numbers by value, symbols by name, then what is composed, by the first two names
 * inside and finally by fingerprint. No step descends, so that deep nodes compare fast. */

static int order_of(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_numbers(const ct_pool *pool, ct_expr a, ct_expr b)
{
    const ct_number *x = ct_number_at(pool, a), *y = ct_number_at(pool, b);
    int order = ct_number_compare(x, y);
    return order ? order : order_of(x->form, y->form);
}

static int compare_names(const ct_pool *pool, ct_name a, ct_name b)
{
    if (!a || !b)
        return order_of(a, b);
    int order = order_of(pool->key.at[a], pool->key.at[b]);
    return order ? order : ct_name_compare(pool->ctx, a, b);
}

static int compare_composed(const ct_pool *pool, const ct_expr_node *x, const ct_expr_node *y)
{
    for (int k = 0; k < 2; k++)
        if (x->lead[k] != y->lead[k])
            return compare_names(pool, x->lead[k], y->lead[k]);
    if (x->kind != y->kind)
        return order_of(x->kind, y->kind);
    if (x->op != y->op)
        return order_of(x->op, y->op);
    if (x->count != y->count)
        return order_of(x->count, y->count);
    return order_of(x->fingerprint, y->fingerprint);
}

int ct_expr_compare(const ct_pool *pool, ct_expr a, ct_expr b)
{
    if (a == b)
        return 0;
    const ct_expr_node *x = ct_node_at(pool, a), *y = ct_node_at(pool, b);
    bool leaf = x->kind <= CT_EXPR_SYMBOL || y->kind <= CT_EXPR_SYMBOL;
    if (leaf && x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->kind == CT_EXPR_NUMBER)
        return compare_numbers(pool, a, b);
    if (x->kind == CT_EXPR_SYMBOL)
        return compare_names(pool, x->first, y->first);
    return compare_composed(pool, x, y);
}
