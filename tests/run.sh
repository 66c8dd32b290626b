#!/bin/sh
# Builds and runs all tests: release, then address and undefined-behaviour sanitizers with leak check.
# Ends with `N passed, N failed`; exit 1 if anything failed.
set -u
cd "$(dirname "$0")/.."
jobs=$(nproc)
passed=0
failed=0
. tests/scripts.sh
log=$(mktemp)
logs=$(mktemp -d)
trap 'rm -rf "$log" "$logs"' EXIT

count() { # count NAME COMMAND...: one test by its exit code
    name=$1
    shift
    if "$@" > "$log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
        tail -n 40 "$log"
    fi
}

judge() { # judge FILE: what a script has said, and how it ended
    cat "$1"
    [ "$(cat "$1.code")" = 0 ]
}

run_programs() { # run_programs FILES: one for each core at a time; what they say is kept in $logs
    # shellcheck disable=SC2016
    printf '%s\n' "$@" | xargs -P "$jobs" -I '{}' sh -c '"$1" > "$2/${1##*/}" 2>&1; echo $? > "$2/${1##*/}.code"' - '{}' "$logs"
}

program() { # program FILE: a cmocka program that has run, counted by its own tests
    said=$logs/${1##*/}
    code=$(cat "$said.code")
    good=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$said" | tail -n 1)
    wrong=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$said" | tail -n 1)
    [ "$code" = 0 ] || [ "${wrong:-0}" != 0 ] || wrong=1
    passed=$((passed + ${good:-0}))
    failed=$((failed + ${wrong:-0}))
    printf '  %-24s %s passed, %s failed\n' "$(basename "$1")" "${good:-0}" "${wrong:-0}"
    [ "${wrong:-0}" = 0 ] || grep -vE '^\[ (RUN|      OK) ' "$said" | tail -n 60
}

build() { # build PRESET FOLDER
    cmake --preset "$1" > "$log" 2>&1 && cmake --build "$2" -j "$jobs" > "$log" 2>&1 && return 0
    echo "FAILED: build $1"
    grep -E 'error|warning|undefined' "$log" | head -n 30
    echo "$passed passed, $((failed + 1)) failed"
    exit 1
}

suite() { # suite FOLDER
    run_programs "$1"/tests/test_fuzz "$1"/tests/test_oom $(ls -d "$1"/tests/test_* | grep -vE 'test_(fuzz|oom)$') # long ones first
    for test in "$1"/tests/test_*; do
        program "$test"
    done
    for line in $(tests/golden/run.sh "$1/cotree" | tee "$log" | tail -n 1 | tr -d ','); do
        case $line in
        [0-9]*) number=$line ;;
        passed) passed=$((passed + number)); echo "  golden texts             $number passed" ;;
        failed) failed=$((failed + number)); [ "$number" = 0 ] || grep -v passed "$log" ;;
        esac
    done
}

start=$(date +%s)
echo "release"
build release build
count "lint" sh tools/lint.sh
count "install" sh tests/install.sh
count "threads" sh tests/threads.sh
count "clang" sh tests/clang.sh
run_scripts build/cotree "$jobs" "$logs"
number=0
list_scripts build/cotree | cut -d '|' -f 1 > "$logs/names"
while read -r name; do
    number=$((number + 1))
    count "$name" judge "$logs/script.$number"
done < "$logs/names"
count "speed" sh bench/run.sh --short
suite build

echo "sanitizers"
build asan build-asan
export COTREE_SANITIZED=1 ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1
suite build-asan

echo "$(($(date +%s) - start)) s"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
