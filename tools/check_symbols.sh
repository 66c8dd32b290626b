#!/bin/sh
# Nobody finds out what a symbol means by reading its name: base/symbol.c alone makes `der(x)`, and no file looks for it
# or for `t`. Allowed besides: the formatter of the language, and a remark in exported C.
cd "$(dirname "$0")/.." || exit 2
bad=$(grep -nE '"der\(|strcmp\([^;]*"t"\)' -r src --include='*.c' |
    grep -vE '^src/(base/symbol|lang/format_expr|export/c)\.c:')
[ -z "$bad" ] && exit 0
echo "$bad"
exit 1
