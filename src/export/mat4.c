/* mat4.c - results as a MATLAB 4 file in the layout that OpenModelica and Dymola write.
 *
 * Six matrices, each a header of five integers, its name, and its values column by column:
 *
 *     Aclass       4 x 11    what the file is
 *     name         c x n     one name per column, filled up with zeros ("binTrans")
 *     description  c x n     likewise, with the unit in brackets
 *     dataInfo     4 x n     which matrix, which row of it, interpolation, extrapolation
 *     data_1       1 x 2     parameters, of which there are none but the first and last time
 *     data_2       n x rows  the values, one column per time
 */
#include <string.h>

#include "base/context.h"
#include "export/table.h"

/* The header's type number: IEEE little endian, and the kind of element. */
enum { TYPE_DOUBLE = 0, TYPE_INT32 = 20, TYPE_TEXT = 51 };

static void put_int32(ct_text *out, int32_t value)
{
    uint32_t bits = (uint32_t)value;
    char bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (char)(bits >> 8 * i & 0xff);
    ct_put_bytes(out, bytes, sizeof bytes);
}

static void put_double(ct_text *out, double value)
{
    uint64_t bits;
    char bytes[8];
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(bits >> 8 * i & 0xff);
    ct_put_bytes(out, bytes, sizeof bytes);
}

static void put_header(ct_text *out, const char *name, int32_t type, uint64_t rows, uint64_t cols)
{
    put_int32(out, type);
    put_int32(out, (int32_t)rows);
    put_int32(out, (int32_t)cols);
    put_int32(out, 0); /* no imaginary part */
    put_int32(out, (int32_t)strlen(name) + 1);
    ct_put_bytes(out, name, strlen(name) + 1);
}

/* Rows Atrajectory, 1.1, an empty one and binTrans, read down the columns. */
static void put_class(ct_text *out)
{
    static const char *const row[4] = {"Atrajectory", "1.1        ", "           ", "binTrans   "};
    put_header(out, "Aclass", TYPE_TEXT, 4, strlen(row[0]));
    for (size_t c = 0; row[0][c]; c++)
        for (int r = 0; r < 4; r++)
            ct_put_char(out, row[r][c]);
}

static void put_names(ct_text *out, const char *matrix, const char *const *name, uint32_t count)
{
    size_t longest = 1;
    for (uint32_t i = 0; i < count; i++)
        longest = strlen(name[i]) > longest ? strlen(name[i]) : longest;
    put_header(out, matrix, TYPE_TEXT, longest, count);
    for (uint32_t i = 0; i < count; i++) {
        ct_put(out, name[i]);
        ct_put_repeat(out, '\0', longest - strlen(name[i]));
    }
}

/* "voltage of the source [V]" */
static const char *describe(const ct_table *table, uint32_t column, ct_arena *arena)
{
    const char *unit = table->unit ? table->unit[column] : "";
    ct_text text = ct_text_new(arena);
    if (table->description)
        ct_put(&text, table->description[column]);
    if (*unit && strcmp(unit, "1") != 0)
        ct_putf(&text, "%s[%s]", text.length ? " " : "", unit);
    return ct_text_string(&text);
}

static void put_descriptions(const ct_table *table, ct_text *out)
{
    ct_arena *arena = ct_arena_new(ct_arena_context(out->arena));
    const char **text = CT_NEW_ARRAY(arena, const char *, table->cols);
    for (uint32_t i = 0; i < table->cols; i++)
        text[i] = describe(table, i, arena);
    put_names(out, "description", text, table->cols);
    ct_arena_free(arena);
}

/* Time is in both data matrices (0). Interpolation is linear; there is nothing beyond the ends. */
static void put_info(const ct_table *table, ct_text *out)
{
    put_header(out, "dataInfo", TYPE_INT32, 4, table->cols);
    for (uint32_t i = 0; i < table->cols; i++) {
        put_int32(out, i ? 2 : 0);
        put_int32(out, (int32_t)i + 1);
        put_int32(out, 0);
        put_int32(out, -1);
    }
}

static void put_data(const ct_table *table, ct_text *out)
{
    uint64_t count = table->rows * table->cols;
    bool some = count > 0;
    put_header(out, "data_1", TYPE_DOUBLE, 1, 2);
    put_double(out, some ? table->value[0] : 0);
    put_double(out, some ? table->value[count - table->cols] : 0);
    put_header(out, "data_2", TYPE_DOUBLE, table->cols, table->rows);
    for (uint64_t i = 0; i < count; i++)
        put_double(out, table->value[i]);
}

/* The format counts rows and columns in 31 bits: more of them throw CT_ERR_LIMIT. */
void ct_table_put_mat(const ct_table *table, ct_text *out)
{
    if (table->rows > INT32_MAX || table->cols > INT32_MAX)
        ct_throw(ct_arena_context(out->arena), CT_ERR_LIMIT);
    put_class(out);
    put_names(out, "name", table->name, table->cols);
    put_descriptions(table, out);
    put_info(table, out);
    put_data(table, out);
}
