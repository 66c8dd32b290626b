#!/bin/sh
# Quick checks of the sources, before a commit: Says what is wrong; exit 1 if anything is.
set -u
cd "$(dirname "$0")/.."
export PYTHONDONTWRITEBYTECODE=1
bad=0

check() { # check NAME COMMAND...: silent when all is well
    name=$1
    shift
    said=$("$@" 2>&1) && return
    bad=1
    printf '%s:\n%s\n' "$name" "$said" | head -n 60
}

format() {
    git ls-files '*.c' '*.h' | xargs -P "$(nproc)" -n 40 clang-format --dry-run -Werror
}

check "formatter (make format)" format
check "layers" sh tools/check_layers.sh
check "symbols" sh tools/check_symbols.sh
check "names" python3 tools/check_names.py
check "first lines and headings" python3 tools/check_heads.py
check "links" python3 tools/check_links.py
exit $bad
