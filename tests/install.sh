#!/bin/sh
# `make install` into a scratch folder; the example program is built against what was installed, and run.
set -eu
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cmake --install build --prefix "$place" > /dev/null
"$place/bin/cotree" --version
"$place/bin/cotree" check models/rc_network/model.lg
flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$place" -name cotree.pc)") pkg-config --static --cflags --libs cotree)
# shellcheck disable=SC2086
gcc -std=c17 -Wall -Wextra -Werror examples/host.c -o "$place/host" $flags -pthread
"$place/host" models/rc_network/model.lg R2 2 | tee "$place/said"
# The capacitor ends at E R3/(R2 + R3): 20/3 V and 5 V, up to what time leaves.
grep -q '^state C4.v \[V\] starts at v4_0 (0)' "$place/said"
grep -q '^the rate of C4.v: product -1' "$place/said"
grep -q '^with 1000: time = 0.005 v4 = 6.66' "$place/said"
grep -q '^with 2000: time = 0.005 v4 = 4.96' "$place/said"
"$place/host" models/slider_crank/model.lg m1 2 > /dev/null
