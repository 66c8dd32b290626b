#!/bin/sh
# An operator, a method, a format of each kind and a language of code from outside (tests/rows): one row each and
# its file, and models, netlists, runs, exports, help and messages know it.
set -eu
cd "$(dirname "$0")/.."
cmake -S . -B build-rows -DCMAKE_BUILD_TYPE= -DCMAKE_C_FLAGS=-Wno-stringop-overflow -DCOTREE_TESTS=OFF -DCOTREE_EXTRA="$PWD/tests/rows" > /dev/null
cmake --build build-rows -j "$(nproc)" --target cotree > build-rows/log 2>&1 || { tail -n 30 build-rows/log; exit 1; }
exec /usr/bin/python3 tests/rows/check.py build-rows/cotree
