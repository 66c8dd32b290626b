#!/bin/sh
# Quick checks of the sources, before a commit: lint.sh [BINARY]. Says what is wrong; exit 1 if anything is.
# With a program, commands and models in the documents are run and compared, too.
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

waits() { # a wall-clock limit of a test is there for what hangs, on a busy machine, too
    grep -rnE 'timeout=[1-9][0-9]{0,2}[,)]' tests --include='*.py' | grep -vE 'timeout=[6-9]00|program\.(run|call)|guise|^tests/campaign/[a-z_]*\.py:.*(--tol|--points|ending=)' && return 1
    return 0
}

tolerances() { # a number like 1e-9 has a name that says what it bounds; words of netlists are names
    grep -rnE '[^A-Za-z_0-9.][0-9.]*[0-9]e-[0-9]+' src --include='*.c' |
        grep -vE 'const double|enum|#define|\.rtol = |^[^:]*:[0-9]*: *(/\*|\*)|"[^"]*e-[0-9][^"]*"|:1:/' |
        grep -vE '^[^:]*:[0-9]*:    [0-9.e-]+;|^src/spice/[^:]*:[0-9]*:.*"[a-z]+", [0-9.e-]+\)' && return 1
    return 0
}

check "formatter (make format)" format
check "layers" sh tools/check_layers.sh
check "symbols" python3 tools/check_symbols.py
check "names" python3 tools/check_names.py
check "first lines and headings" python3 tools/check_heads.py
check "no test asks for a time" clocks
check "no test waits for a short time only" waits
check "numbers without a name" tolerances
check "links" python3 tools/check_links.py
[ $# = 0 ] || check "commands in documents" python3 tests/check_docs.py "$1" README.md CHANGELOG.md CONTRIBUTING.md docs/*.md models/*/README.md
exit $bad
