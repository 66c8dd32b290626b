#!/bin/sh
# The sources are clean under clang, too.
set -eu
cd "$(dirname "$0")/.."
git ls-files 'src/*.c' | xargs -P "$(nproc)" -n 12 clang -std=c17 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic \
    -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror -Iinclude -Isrc -isystem /usr/include/suitesparse -fsyntax-only
