#!/bin/sh
# Lines and branches that the tests reach, by folder: coverage.sh [--quick]. --quick: unit tests and golden texts alone.
set -u
cd "$(dirname "$0")/.."
. tests/scripts.sh
jobs=$(nproc)
folder=build-coverage
cmake --preset coverage > /dev/null && cmake --build $folder -j "$jobs" > $folder/log 2>&1 || {
    tail -n 20 $folder/log
    exit 1
}
find $folder -name '*.gcda' -delete

# Fewer cases of what repeats itself: the same lines would run again.
export COTREE_FUZZ_CASES=500 COTREE_FUZZ_VERBS=100
mkdir -p $folder/logs
# shellcheck disable=SC2016
printf '%s\n' $folder/tests/test_* | xargs -P "$jobs" -I '{}' sh -c '"$1" > "$2/${1##*/}" 2>&1 || echo "failed: $1"' - '{}' $folder/logs
sh tests/golden/run.sh $folder/cotree | tail -n 1
[ "${1:-}" = --quick ] || run_scripts $folder/cotree "$jobs" $folder/logs
python3 tests/coverage.py $folder
