#!/bin/sh
# Clones of simulators in eight threads, under ThreadSanitizer: any report fails.
set -eu
cd "$(dirname "$0")/.."
cmake --preset tsan > /dev/null
cmake --build build-tsan -j "$(nproc)" --target test_public > /dev/null
COTREE_SANITIZED=1 TSAN_OPTIONS="halt_on_error=1 exitcode=66" build-tsan/tests/test_public
