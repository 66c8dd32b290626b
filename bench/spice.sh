#!/bin/sh
# The same networks by Cotree and by ngspice, end to end from their texts, in one run: bench/spice.sh BINARY.
# CPU seconds and peak memory of both, and their ratios. RC ladders: R = 1 kohm, C = 1 nF, 1 V with 1 us rise, to
# 1 ms; the tolerance of each program is the loosest whose error at node 50 is below 1e-5. Grids of 1 ohm resistors:
# operating point.
set -eu
binary=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
exact=0.2634355674

ladder_lg() {
    printf 'model ladder\nV1 : vsource(n0, ground)  v = min(t/1e-6, 1)\nrepeat i = 1..%d {\n' "$1"
    printf '  R{i} : resistor(n{i-1}, n{i})  R = 1 kohm\n  C{i} : capacitor(n{i}, ground)  C = 1 nF\n}\n'
    printf 'output n50.v as y\nsimulate stop = 1 ms, tol = 1e-5\n'
}
ladder_cir() {
    printf '* ladder\nV1 n0 0 PWL(0 0 1u 1)\n'
    awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) printf "R%d n%d n%d 1k\nC%d n%d 0 1n\n", i, i - 1, i, i, i }'
    printf '.options reltol=1e-3 abstol=1e-14 vntol=1e-9 method=gear\n.tran 10u 1m 0 10u\n'
    printf '.control\nset noaskquit\nsave v(n50)\nrun\nmeas tran y FIND v(n50) AT=1m\nprint y\nquit\n.endc\n.end\n'
}
grid_lg() {
    printf 'model grid\nV1 : vsource(n0_0, ground)  v = 1 V\nconst N = %d\nrepeat i = 0..N {\n  repeat j = 1..N {\n' $(($1 - 1))
    printf '    A{i}_{j} : resistor(n{i}_{j-1}, n{i}_{j})  R = 1 ohm\n    B{i}_{j} : resistor(n{j-1}_{i}, n{j}_{i})  R = 1 ohm\n'
    printf '  }\n}\nRg : resistor(n{N}_{N}, ground)  R = 1 ohm\noutput n{N}_{N}.v as y\n'
}
grid_cir() {
    awk -v n="$1" 'BEGIN {
        print "* grid\nV1 n0_0 0 1"
        for (i = 0; i < n; i++) for (j = 1; j < n; j++)
            printf "RA%d_%d n%d_%d n%d_%d 1\nRB%d_%d n%d_%d n%d_%d 1\n", i, j, i, j - 1, i, j, i, j, j - 1, i, j, i
        printf "RG n%d_%d 0 1\n.control\nset noaskquit\nop\nlet y = v(n%d_%d)\nprint y\nquit\n.endc\n.end\n", n-1, n-1, n-1, n-1
    }'
}

measure() { # LIMIT COMMAND...: sets cpu and memory (MB); `>=LIMIT` when it takes longer
    limit=$1
    shift
    if timeout "$limit" /usr/bin/time -f '%U %S %M' -o "$place/time" "$@" > "$place/out" 2> "$place/err"; then
        cpu=$(awk '{ print $1 + $2 }' "$place/time")
        memory=$(awk '{ printf "%.0f", $3 / 1024 }' "$place/time")
    else
        [ $? = 124 ] && cpu=">=$limit" || cpu=-
        memory=-
    fi
}

row() { # TASK OUR_CPU OUR_MB OUR_ERROR PEER_CPU PEER_MB PEER_ERROR
    awk -v task="$1" -v a="$2" -v am="$3" -v ae="$4" -v b="$5" -v bm="$6" -v be="$7" 'BEGIN {
        more = sub(/^>=/, "", b) ? ">= " : ""
        good = a + 0 > 0 || a == "0"
        ratio = b == "-" || !good ? "    -" : sprintf("%s%5.1f", more, b / (a > 0.001 ? a : 0.001))
        b = more b
        printf "%-16s %8s s %6s MB %9s   %8s s %6s MB %9s   %s\n", task, a, am, ae, b, bm, be, ratio
    }'
}

printf '%-16s %31s   %31s   %s\n' task 'Cotree: CPU, memory, error' 'ngspice: CPU, memory, error' 'times faster'
for n in 1000 10000 100000; do
    ladder_lg "$n" > "$place/m.lg"
    ladder_cir "$n" > "$place/m.cir"
    measure 120 "$binary" run "$place/m.lg" --times 0.001 -o -
    error=$(tail -n 1 "$place/out" | awk -F, -v x=$exact '{ e = $2 - x; printf "%.1e", e < 0 ? -e : e }')
    ours="$cpu $memory $error"
    measure 120 ngspice -b "$place/m.cir"
    error=$(sed -n 's/^y = *//p' "$place/out" | tail -n 1 | awk -v x=$exact '{ e = $1 - x; printf "%.1e", e < 0 ? -e : e }')
    # shellcheck disable=SC2086
    row "ladder $n" $ours "$cpu" "$memory" "${error:--}"
done
for n in 100 300; do
    grid_lg "$n" > "$place/m.lg"
    grid_cir "$n" > "$place/m.cir"
    measure 120 "$binary" equilibrium "$place/m.lg"
    ours="$cpu $memory -"
    measure 120 ngspice -b "$place/m.cir"
    # shellcheck disable=SC2086
    row "grid ${n}x$n" $ours "$cpu" "$memory" -
done
