/* syntax.h - the syntax tree of a model text.
 *
 * Nodes stand in one array and name each other by index; 0 is no node. Children form a list through
 * `next`. A node knows its stretch of the source, so that every later message can show it. Long
 * sums and products are one node with many children: depth comes from brackets only, and the parser
 * limits it (CT_MAX_NESTING), so that walks over the tree may recurse.
 */
#ifndef CT_LANG_SYNTAX_H
#define CT_LANG_SYNTAX_H

#include "base/context.h"
#include "base/text.h"

typedef uint32_t ct_node;

enum { CT_MAX_NESTING = 250 };

/* Kinds, with what `name`, `op` and the children are. `?` optional, `*` any number, in this order.
 */
#define CT_NODE_LIST(X)                                                                            \
    X(FILE) /* stmt* */                                                                            \
    /* statements */                                                                               \
    X(MODEL)     /* name; STRING? */                                                               \
    X(PARAM)     /* DECL* */                                                                       \
    X(CONST)     /* DECL* */                                                                       \
    X(INPUT)     /* DECL* */                                                                       \
    X(SIGNAL)    /* DECL* */                                                                       \
    X(DISCRETE)  /* DECL* */                                                                       \
    X(VAR)       /* DECL*; in elements */                                                          \
    X(FUNCTION)  /* name; ID* (arguments), expr */                                                 \
    X(OUTPUT)    /* ITEM* */                                                                       \
    X(USE)       /* STRING */                                                                      \
    X(PLOT)      /* CURVE*, STRING? */                                                             \
    X(SIMULATE)  /* KEY* */                                                                        \
    X(GUESS)     /* KEY* */                                                                        \
    X(INITIAL)   /* KEY*; op = 1: `initial equilibrium` */                                         \
    X(NODES)     /* name = domain; NAME*, SIZE? */                                                 \
    X(TREE)      /* TREE_PART* */                                                                  \
    X(GROUND)    /* name = alias or 0; FRAMES? */                                                  \
    X(REPEAT)    /* name = index; expr, expr, BLOCK */                                             \
    X(IF_STMT)   /* expr, BLOCK, (BLOCK | IF_STMT)? */                                             \
    X(WHEN)      /* expr, ASSIGN* */                                                               \
    X(EVERY)     /* expr, expr? (offset), ASSIGN* */                                               \
    X(SYSTEM)    /* name; FORMAL*, STRING?, BLOCK */                                               \
    X(ELEMENT)   /* name; STRING?, BLOCK (of items) */                                             \
    X(SETTING)   /* name (space, gravity, coordinates, ...); expr */                               \
    X(COMPONENT) /* NAME, ID (type), PORTS*, KEY*, FRAMES? */                                      \
    /* items of elements */                                                                        \
    X(PORT)         /* name = domain; ID* (terminals or port name), TERMINALS? */                  \
    X(EDGES)        /* EDGE* */                                                                    \
    X(CHOICE)       /* name; ID* */                                                                \
    X(UNDETERMINED) /* STRING */                                                                   \
    X(SOURCE)       /* STRING */                                                                   \
    X(REMARK)       /* STRING */                                                                   \
    X(ENERGY)       /* expr; op = ct_energy_kind */                                                \
    X(EQUATION)     /* expr, expr */                                                               \
    X(PAIR)         /* expr, expr: one of them is zero, the other not negative */                  \
    X(SLIP)         /* expr, expr, expr (limit), expr? (limit at rest) */                          \
    X(CONTINUUM)    /* name = axis; ID* (variables), expr, expr (its range), EQUATION* */          \
    X(AT)           /* name = axis; expr (place), EQUATION* */                                     \
    /* parts of statements */                                                                      \
    X(BLOCK)     /* stmt* */                                                                       \
    X(DECL)      /* NAME, UNIT?, SHAPE?, LIMIT*, VALUE?, STRING? */                                \
    X(SHAPE)     /* expr* */                                                                       \
    X(LIMIT)     /* op = LESS.. ; expr */                                                          \
    X(VALUE)     /* expr */                                                                        \
    X(ITEM)      /* expr, (NAME | STRING)? */                                                      \
    X(CURVE)     /* expr, expr? (over) */                                                          \
    X(KEY)       /* PATH, expr, expr? (up to); op = 1: `(0)` */                                    \
    X(ASSIGN)    /* PATH, expr */                                                                  \
    X(PATH)      /* REF, or DER of a PATH: `der(q)` */                                             \
    X(DER)       /* PATH; only below PATH */                                                       \
    X(SIZE)      /* expr */                                                                        \
    X(TREE_PART) /* name = domain or 0; PATH* */                                                   \
    X(FORMAL)    /* name; op = 0: ID? (domain, frame, signal) */                                   \
    X(PORTS)     /* expr* : one group of terminals between `|` */                                  \
    X(TERMINALS) /* ID* */                                                                         \
    X(EDGE)      /* name; PATH, PATH */                                                            \
    X(FRAMES)    /* (FRAME | REPEAT)* ; the BLOCK of such a REPEAT is a FRAMES */                  \
    X(FRAME)     /* NAME, expr */                                                                  \
    X(ID)        /* name */                                                                        \
    X(NAME)      /* name, or name = 0 and a template: (ID | expr below HOLE)* */                   \
    X(HOLE)      /* expr */                                                                        \
    X(UNIT)      /* name = its text */                                                             \
    X(STRING)    /* name = its text without quotes, escapes resolved */                            \
    /* expressions */                                                                              \
    X(NUMBER)  /* name = its text; UNIT? */                                                        \
    X(BOOL)    /* op = 0 or 1 */                                                                   \
    X(MATRIX)  /* ROW*, UNIT?; op = 1: written with `;`, i.e. a matrix, else a vector */           \
    X(ROW)     /* expr* */                                                                         \
    X(REF)     /* name (plain first name) or 0 and NAME first; then FIELD, INDEX, CALL in order */ \
    X(FIELD)   /* name, or 0 and a NAME */                                                         \
    X(INDEX)   /* expr* */                                                                         \
    X(CALL)    /* (expr | ARG)* */                                                                 \
    X(ARG)     /* name; expr: `method = cubic` */                                                  \
    X(SUM)     /* expr*; a - b is SUM(a, NEG(b)) */                                                \
    X(PRODUCT) /* expr*; a / b is PRODUCT(a, INV(b)) */                                            \
    X(NEG)     /* expr; op = 1: the sign of a number with a unit, `-10 degC` */                    \
    X(INV)     /* expr; only below PRODUCT */                                                      \
    X(POWER)   /* expr, expr */                                                                    \
    X(NOT)     /* expr */                                                                          \
    X(AND)     /* expr* */                                                                         \
    X(OR)      /* expr* */                                                                         \
    X(COMPARE) /* op = LESS..; expr, expr */                                                       \
    X(IF)      /* expr, expr, expr */

typedef enum ct_node_kind {
    CT_NODE_NONE,
#define CT_NODE_ENUM(name) CT_NODE_##name,
    CT_NODE_LIST(CT_NODE_ENUM)
#undef CT_NODE_ENUM
} ct_node_kind;

typedef enum ct_comparison {
    CT_LESS,
    CT_LESS_EQUAL,
    CT_GREATER,
    CT_GREATER_EQUAL,
    CT_EQUAL,
    CT_UNEQUAL
} ct_comparison;

typedef enum ct_energy_kind { CT_ENERGY, CT_COENERGY, CT_LOSS, CT_ENERGY_KINDS } ct_energy_kind;

typedef struct ct_syntax_node {
    uint16_t kind, op;
    uint32_t at, length; /* stretch of the source, bytes */
    ct_node first, next;
    ct_name name;
} ct_syntax_node;

typedef struct ct_comment {
    uint32_t at, length; /* from `#` to the end of the line, without it */
} ct_comment;

struct ct_syntax {
    ct_context *ctx;
    ct_arena *arena;
    uint32_t source;
    const ct_syntax_node *node; /* node[0] is unused */
    uint32_t node_count;
    ct_node root;   /* FILE */
    uint64_t kinds; /* bit per ct_node_kind below 64: there may be such a node */
    const ct_comment *comment;
    uint32_t comment_count;
    bool broken;                      /* errors were reported: some statements are missing */
    const struct ct_netlist *netlist; /* what a netlist says besides; NULL: it is none */
};

/* Reads the whole text, reports every independent error, and always gives a tree of what it could
 * read. */
const ct_syntax *ct_parse(ct_context *ctx, uint32_t source);

/* A statement alone that begins at `at`, of a text of ours that is known to be good; root is the
 * statement, 0 if broken. `length` is about that of its text. A parser reads many of them, in an
 * arena that holds what they give. */
typedef struct ct_parser ct_parser;
ct_parser *ct_parser_new(ct_arena *arena);
const ct_syntax *ct_parse_statement(ct_parser *p, uint32_t source, uint32_t at, uint32_t length);

/* An expression alone, for the command line (`--set name=expr`): root is the expression, 0 if
 * broken. */
const ct_syntax *ct_parse_expression(ct_context *ctx, uint32_t source);

static inline const ct_syntax_node *ct_at(const ct_syntax *s, ct_node n)
{
    return &s->node[n];
}
static inline ct_place ct_place_of(const ct_syntax *s, ct_node n)
{
    return (ct_place){s->source, s->node[n].at, s->node[n].length};
}
/* The first child of a kind, 0 if none. */
ct_node ct_child(const ct_syntax *s, ct_node n, ct_node_kind kind);
uint32_t ct_child_count(const ct_syntax *s, ct_node n);
const char *ct_node_kind_text(ct_node_kind kind);

/* The tree as indented text, for golden tests: kind, op, name, without places. */
void ct_syntax_dump(const ct_syntax *s, ct_text *out);

/* The canonical text, comments kept. Reading it gives the same tree; formatting it changes nothing.
 */
void ct_format(const ct_syntax *s, ct_text *out);

/* Functions of models with rules of their own: besides those of the operators (expr/ops.def), or
 * reserved for them. Ends with NULL (words.c). */
extern const char *const ct_special_functions[];

#endif
