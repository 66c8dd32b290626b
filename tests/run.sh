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

script() { # script NAME: one test, by its exit code
    if [ "$(cat "$logs/$1.code")" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
        tail -n 40 "$logs/$1"
    fi
}

program() { # program NAME: a cmocka program that has run, counted by its own tests
    said=$logs/$1
    code=$(cat "$said.code")
    good=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$said" | tail -n 1)
    wrong=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$said" | tail -n 1)
    [ "$code" = 0 ] || [ "${wrong:-0}" != 0 ] || wrong=1
    passed=$((passed + ${good:-0}))
    failed=$((failed + ${wrong:-0}))
    printf '  %-24s %s passed, %s failed\n' "$1" "${good:-0}" "${wrong:-0}"
    [ "${wrong:-0}" = 0 ] || grep -vE '^\[ (RUN|      OK) ' "$said" | tail -n 60
}

golden() { # the texts that have been compared, counted one by one
    good=$(sed -n 's/^\([0-9]*\) passed, [0-9]* failed$/\1/p' "$logs/golden")
    wrong=$(sed -n 's/^[0-9]* passed, \([0-9]*\) failed$/\1/p' "$logs/golden")
    passed=$((passed + ${good:-0}))
    failed=$((failed + ${wrong:-1}))
    echo "  golden texts             ${good:-0} passed"
    [ "${wrong:-1}" = 0 ] || grep -v passed "$logs/golden"
}

build() { # build PRESET FOLDER
    cmake --preset "$1" > "$log" 2>&1 && cmake --build "$2" -j "$jobs" > "$log" 2>&1 && return 0
    echo "FAILED: build $1"
    grep -E 'error|warning|undefined' "$log" | head -n 30
    echo "$passed passed, $((failed + 1)) failed"
    exit 1
}

programs() { # programs FOLDER: a line NAME|COMMAND for each; those that take minutes come first
    for name in test_fuzz test_oom; do
        echo "$name|$1/tests/$name"
    done
    echo "golden|tests/golden/run.sh $1/cotree"
    for file in "$1"/tests/test_*; do
        case ${file##*/} in
        test_fuzz | test_oom) ;;
        *) echo "${file##*/}|$file" ;;
        esac
    done
}

judge() { # judge LINES: what has run, in order
    cut -d '|' -f 1 "$1" > "$logs/names"
    while read -r name; do
        case $name in
        golden) golden ;;
        test_*) program "$name" ;;
        *) script "$name" ;;
        esac
    done < "$logs/names"
    slowest 12 "$logs"
    rm -f "$logs"/*
}

start=$(date +%s)
echo "release"
build release build
{
    echo "threads|sh tests/threads.sh"
    list_scripts build/cotree
    programs build
    echo "clang|sh tests/clang.sh"
    echo "speed|sh bench/run.sh --short"
    echo "lint|sh tools/lint.sh"
    echo "install|sh tests/install.sh"
} > "$logs/lines"
run_list "$jobs" "$logs" < "$logs/lines"
judge "$logs/lines"

echo "sanitizers"
build asan build-asan
export COTREE_SANITIZED=1 ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1
programs build-asan > "$logs/lines"
run_list "$jobs" "$logs" < "$logs/lines"
judge "$logs/lines"

echo "$(($(date +%s) - start)) s"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
