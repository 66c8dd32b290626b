#!/bin/sh
# All measurements, printed and kept in build/bench.txt: make bench.
set -eu
cd "$(dirname "$0")/.."
out=build/bench.txt
{
    echo "== expressions: time and memory per node"
    gcc -std=c17 -D_POSIX_C_SOURCE=200809L -O2 -ffp-contract=off -Iinclude -Isrc bench/bench_expr.c build/libcotree.a \
        -lflint -lgmp -lsundials_cvodes -lsundials_idas -lklu -llapacke -llapack -lblas -lm -o build/bench_expr
    build/bench_expr
    echo
    echo "== networks: reading, building, graph, tree, topology (seconds)"
    sh bench/networks.sh build/cotree
    echo
    echo "== state spaces of growing systems, beside SymPy (processor seconds)"
    /usr/bin/python3 bench/statespace.py build/cotree
    gcc -std=c17 -D_POSIX_C_SOURCE=200809L -O2 -ffp-contract=off -Iinclude bench/bench_statespace.c build/libcotree.a \
        -lflint -lgmp -lsundials_cvodes -lsundials_idas -lklu -llapacke -llapack -lblas -lm -o build/bench_statespace
    build/bench_statespace models
    echo
    echo "== against ngspice"
    sh bench/spice.sh build/cotree
    echo
    echo "== mechanisms"
    sh bench/mechanisms.sh build/cotree
} | tee "$out"
echo "kept in $out"
