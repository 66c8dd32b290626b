#!/bin/sh
# Random texts through readers and verbs under the sanitizers for a while: fuzz/run.sh [SECONDS [SEED]].
# fuzz/run.sh --keep: writes tests/fuzz/corpus anew, the texts that reach blocks that those before do not.
set -u
cd "$(dirname "$0")/../.."
jobs=$(nproc)

build() { # build PRESET FOLDER
    cmake --preset "$1" > /dev/null && cmake --build "$2" -j "$jobs" --target test_fuzz > "$2/log" 2>&1 && return
    tail -n 20 "$2/log"
    exit 1
}

if [ "${1:-}" = --keep ]; then
    build fuzz build-fuzz
    COTREE_FUZZ_KEEP=1 build-fuzz/tests/test_fuzz 2>&1 | grep -E '^(models|library|tests)/' > build-fuzz/corpus
    [ -s build-fuzz/corpus ] && cp build-fuzz/corpus tests/fuzz/corpus && wc -l tests/fuzz/corpus
    exit
fi
build asan build-asan
seconds=${1:-600}
seed=${2:-$(date +%s)}
end=$(($(date +%s) + seconds))
wrong=0
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1
while [ "$(date +%s)" -lt "$end" ]; do
    for kind in test_random test_verbs; do
        COTREE_FUZZ_SEED=$seed COTREE_FUZZ_CASES=2000 COTREE_FUZZ_VERBS=200 build-asan/tests/test_fuzz $kind \
            > build-asan/fuzz.log 2>&1 || { wrong=1 && cat build-asan/fuzz.log; }
        grep -E '^(seeds|[0-9]+ cases)' build-asan/fuzz.log
    done
    seed=$((seed + 2000))
done
exit $wrong
