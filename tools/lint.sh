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

clocks() { # the fuzzer shows how long it took; nothing else reads a clock that a busy machine moves
    grep -rnE 'CLOCK_(MONOTONIC|REALTIME)|gettimeofday|time\.(time|perf_counter)\(' tests \
        --include='*.c' --include='*.h' --include='*.py' | grep -v '^tests/unit/test_fuzz.c:' && return 1
    return 0
}

tolerances() { # a number like 1e-9 has a name that says what it bounds
    grep -rnE '[^A-Za-z_0-9.][0-9.]*[0-9]e-[0-9]+' src/solve src/modes src/model src/reduce --include='*.c' |
        grep -vE 'const double|enum|\.rtol = |^[^:]*:[0-9]*: *(/\*|\*)|"[^"]*e-[0-9][^"]*"|:1:/' && return 1
    return 0
}

check "formatter (make format)" format
check "layers" sh tools/check_layers.sh
check "symbols" sh tools/check_symbols.sh
check "names" python3 tools/check_names.py
check "first lines and headings" python3 tools/check_heads.py
check "no test asks for a time" clocks
check "numbers without a name" tolerances
check "links" python3 tools/check_links.py
exit $bad
