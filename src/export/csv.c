/* csv.c - results as comma-separated values. */
#include <string.h>

#include "base/decimal.h"
#include "export/table.h"

static void put_name(ct_text *out, const char *name)
{
    if (!strpbrk(name, ",\"\r\n")) {
        ct_put(out, name);
        return;
    }
    ct_put_char(out, '"');
    for (; *name; name++)
        ct_put_bytes(out, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
    ct_put_char(out, '"');
}

void ct_csv_header(const char *const *name, uint32_t cols, ct_text *out)
{
    for (uint32_t i = 0; i < cols; i++) {
        if (i)
            ct_put_char(out, ',');
        put_name(out, name[i]);
    }
    ct_put_char(out, '\n');
}

void ct_csv_row(const double *value, uint32_t cols, ct_text *out)
{
    char text[CT_DECIMAL_ROOM + 1];
    for (uint32_t i = 0; i < cols; i++) {
        size_t length = ct_decimal_write(text, value[i]);
        text[length++] = i + 1 < cols ? ',' : '\n';
        ct_put_bytes(out, text, length);
    }
}

void ct_table_put_csv(const ct_table *table, ct_text *out)
{
    if (!table->cols)
        return;
    ct_csv_header(table->name, table->cols, out);
    for (uint64_t i = 0; i < table->rows; i++)
        ct_csv_row(table->value + i * table->cols, table->cols, out);
}
