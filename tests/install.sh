#!/bin/sh
# `make install` into a scratch folder; a small program is built against what was installed.
set -eu
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cmake --install build --prefix "$place" > /dev/null
"$place/bin/cotree" --version
"$place/bin/cotree" check models/rc_network/model.lg
cat > "$place/use.c" <<'C'
#include <cotree/cotree.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    const char text[] = "V1 : vsource(a, ground) v = 1 V\nR1 : resistor(a, ground) R = 1 ohm\n";
    const ct_syntax *syntax;
    const ct_model *model;
    ct_context *ctx = ct_context_new(NULL);
    ct_status status = ct_read_text(ctx, "text", text, strlen(text), &syntax);
    if (status == CT_OK)
        status = ct_build(ctx, syntax, NULL, &model);
    puts(ct_status_text(status));
    ct_context_free(ctx);
    return status != CT_OK;
}
C
flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$place" -name cotree.pc)") pkg-config --static --cflags --libs cotree)
# shellcheck disable=SC2086
gcc -Wall -Wextra "$place/use.c" -o "$place/use" $flags
"$place/use"
