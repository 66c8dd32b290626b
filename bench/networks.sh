#!/bin/sh
# Reading, graph, tree and topology of large networks: bench/networks.sh BINARY [LARGEST].
# One line a network: elements, seconds of each stage, nanoseconds per element, peak memory.
set -eu
binary=$1
largest=${2:-1000000}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

ladder() { # $1 elements, by repeat
    printf 'model ladder\nconst N = %d\nparam R0 = 1 kohm, C0 = 1 nF\nV1 : vsource(n0, ground)  v = 1 V\n' $(($1 / 2))
    # shellcheck disable=SC2016
    printf 'repeat i = 1..N {\n  R{i} : resistor(n{i-1}, n{i})  R = R0\n  C{i} : capacitor(n{i}, ground)  C = C0\n}\n'
}
flat() { # the same ladder, written out
    printf 'model ladder\nV1 : vsource(n0, ground)  v = 1 V\n'
    awk -v n=$(($1 / 2)) 'BEGIN { for (i = 1; i <= n; i++) printf "R%d : resistor(n%d, n%d)  R = 1 kohm\nC%d : capacitor(n%d, ground)  C = 1 nF\n", i, i - 1, i, i, i }'
}
star() {
    printf 'model star\nV1 : vsource(hub, ground)  v = 1 V\nrepeat i = 1..%d {\n  R{i} : resistor(hub, n{i})  R = 1 ohm\n  C{i} : capacitor(n{i}, ground)  C = 1 F\n}\n' $(($1 / 2))
}
parallel() {
    printf 'model parallel\nV1 : vsource(a, ground)  v = 1 V\nrepeat i = 1..%d { R{i} : resistor(a, ground)  R = 1 ohm }\n' "$1"
}
grid() {
    side=$(awk -v n="$1" 'BEGIN { printf "%d", sqrt(n / 2) }')
    printf 'model grid\nconst N = %d\nV1 : vsource(n0_0, ground)  v = 1 V\nrepeat i = 0..N {\n  repeat j = 1..N {\n' "$side"
    printf '    A{i}_{j} : resistor(n{i}_{j-1}, n{i}_{j})  R = 1 ohm\n    B{i}_{j} : resistor(n{j-1}_{i}, n{j}_{i})  R = 1 ohm\n  }\n}\n'
}

printf '%-10s %9s  %7s %7s %7s %7s %8s  %9s %8s\n' network elements read build graph tree topology ns/elem MB
for kind in ladder flat star parallel grid; do
    for size in 10000 100000 1000000; do
        [ "$size" -le "$largest" ] || continue
        "$kind" "$size" > "$place/model.lg"
        "$binary" check "$place/model.lg" --stats > "$place/stats.json"
        tr ',{}' '\n' < "$place/stats.json" | awk -F: -v kind="$kind" '
            { gsub(/"/, "", $1); v[$1] = $2 }
            END {
                total = v["read_seconds"] + v["build_seconds"] + v["graph_seconds"] + v["tree_seconds"] + v["topology_seconds"]
                printf "%-10s %9d  %7.3f %7.3f %7.3f %7.3f %8.3f  %9.0f %8.1f\n", kind, v["components"], v["read_seconds"],
                    v["build_seconds"], v["graph_seconds"], v["tree_seconds"], v["topology_seconds"],
                    1e9 * total / v["components"], v["peak_megabytes"]
            }'
    done
done
