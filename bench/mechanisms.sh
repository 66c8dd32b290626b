#!/bin/sh
# Planar mechanisms by Cotree, by Simbody and by SymPy, in one run: bench/mechanisms.sh BINARY.
# Forward dynamics: processor time of one call; 10 s of motion at a tolerance of 1e-6: processor time of the
# integration and the energy it wins or loses (all of these keep it). Derivation: processor time from the text to a
# finished program, the whole process. The four-bars pass singular positions, where Simbody's integrator may stop (`-`).
set -eu
cd "$(dirname "$0")/.."
binary=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
if [ ! build/bench_simbody -nt bench/simbody.cpp ]; then
    g++ -O2 -w -isystem /usr/include/simbody bench/simbody.cpp -lSimTKsimbody -lSimTKmath -lSimTKcommon -o build/bench_simbody
fi

begin_model() { # NAME N
    printf 'model %s\nspace = planar\nconst N = %d\ngravity = [0, -9.81]\n' "$1" "$2"
}
end_model() { # LAST: the bodies b0 to bLAST, each with its energy as an output
    printf 'repeat i = 0..%d {\n  output b{i}.m*(b{i}.v[1]^2 + b{i}.v[2]^2)/2 + b{i}.I*b{i}.w^2/2 + 9.81*b{i}.m*b{i}.y as E{i}\n}\n' "$1"
    printf 'simulate stop = 10 s, tol = 1e-6\n'
}
chain() {
    begin_model chain "$1"
    printf 'repeat i = 0..N-1 { b{i} : body  m = 1, I = 1/12  { A = [0, 0.5], B = [0, -0.5] } }\n'
    printf 'h0 : revolute(ground, b0.A)\nrepeat i = 1..N-1 { h{i} : revolute(b{i-1}.B, b{i}.A) }\n'
    printf 'initial h0.beta = 1\nrepeat i = 1..N-1 { initial h{i}.beta = 0.1 }\n'
    end_model $(($1 - 1))
}
fourbar() { # arms b0 to bN, bars bN+1 to b2N
    begin_model fourbar "$1"
    printf 'repeat i = 0..2*N { b{i} : body  m = 1, I = 1/12  { A = [-0.5, 0], B = [0.5, 0] } }\n'
    printf 'repeat i = 0..N {\n  ground { G{i} = [i, 0] }\n  h{i} : revolute(ground.G{i}, b{i}.A)\n}\n'
    printf 'repeat i = 1..N {\n  p{i} : revolute(b{i-1}.B, b{N+i}.A)\n  q{i} : revolute(b{N+i}.B, b{i}.B)\n}\n'
    printf 'initial h0.beta = 90 deg, b0.B.v[1] = 1\n'
    printf 'repeat i = 1..N { guess b{i}.theta = 90 deg, b{N+i}.theta = 0 }\n'
    end_model $((2 * $1))
}
slider() {
    begin_model slider "$1"
    printf 'b0 : body  m = 0.8, I = 4e-4  { A = [-0.025, 0], B = [0.025, 0] }\n'
    printf 'b1 : body  m = 1.2, I = 4e-3  { A = [-0.1, 0], B = [0.1, 0] }\nb2 : body  m = 0.5, I = 1e-3\n'
    printf 'h0 : revolute(ground, b0.A)\nh1 : revolute(b0.B, b1.A)\nh2 : revolute(b1.B, b2)\n'
    printf 's : prismatic(ground, b2)  axis = [1, 0]\ninitial h0.beta = 30 deg\nguess b1.theta = 0, s.s = 0.2\n'
    end_model 2
}
field() { # KEY: of the statistics
    tr ',{}' '\n' < "$place/stats" | sed -n "s/^\"$1\"://p"
}

printf '%-11s %32s   %32s   %s\n' '' 'Cotree: us a call, s, J' 'Simbody: us a call, s, J' 'times faster: call, motion; ops a coordinate'
while read -r kind n free; do
    "$kind" "$n" > "$place/m.lg"
    # shellcheck disable=SC2046
    if timeout 120 "$binary" run "$place/m.lg" --times 0,10 --stats -o "$place/y.csv" > "$place/stats" 2> "$place/err"; then
        energy=$(awk -F, 'NR > 1 { s = 0; for (i = 2; i <= NF; i++) s += $i; if (NR == 2) e = s } END { printf "%.1e", s - e }' "$place/y.csv")
        set -- $(field rhs_seconds) $(field rhs_evals) $(field cpu_seconds) "$energy" $(field tape_ops)
    else
        set -- - 1 - - -
        sed 's/^/    /' "$place/err" | head -n 3
    fi
    peer=$(timeout 60 build/bench_simbody "$kind" "$n" 2> /dev/null) || peer='- - -'
    # shellcheck disable=SC2086
    set -- "$@" $peer
    awk -v task="$kind $n" -v rhs="$1" -v evals="$2" -v run="$3" -v energy="$4" -v ops="$5" -v free="$free" \
        -v call="$6" -v motion="$7" -v drift="$8" 'function ratio(a, b) { return a == "-" || b == "-" ? "-" : sprintf("%.1f", b / a) }
        function show(f, x) { return x == "-" ? "-" : sprintf(f, x) }
        BEGIN {
            ours = rhs == "-" ? "-" : rhs / evals
            printf "%-11s %10s us %8s s %9s   %10s us %8s s %9s   %6s %6s  %5s\n", task, show("%.2f", ours == "-" ? ours : 1e6 * ours),
                show("%.4f", run), energy, show("%.2f", call == "-" ? call : 1e6 * call), show("%.4f", motion), show("%.1e", drift),
                ratio(ours, call), ratio(run, motion), ops == "-" ? "-" : sprintf("%.0f", ops / free)
        }'
done << 'END'
chain 2 2
chain 7 7
chain 20 20
chain 100 100
slider 1 1
fourbar 1 1
fourbar 10 1
fourbar 40 1
END

# Both from their text; SymPy stops at its right hand side as symbols, Cotree has a program that runs.
chain 8 > "$place/m.lg"
/usr/bin/time -f '%U %S' -o "$place/time" sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do "$1" run "$2" --stop 1us --times 0 -o "$3"; done' \
    - "$binary" "$place/m.lg" "$place/y.csv" > /dev/null
ours=$(awk '{ printf "%.3f", ($1 + $2) / 10 }' "$place/time")
peer=$(timeout 60 /usr/bin/python3 bench/kane.py 8) || peer='>= 60'
echo "derivation of a chain of 8: Cotree $ours s, SymPy's KanesMethod $peer s"

# The squeezer [McPhee-2, table 5] in three sets of coordinates: the same motion, other equations.
echo "squeezer, 0.03 s at a tolerance of 1e-8:"
for which in absolute joint auto; do
    "$binary" run models/andrews/model.lg --coordinates "$which" --tol 1e-8 --times 0.03 --stats -o "$place/y.csv" > "$place/stats"
    counts=$("$binary" equations models/andrews/model.lg --coordinates "$which" --simplify none | sed -n 's/^equations *//p')
    printf '  %-9s %s s of CPU, %s evaluations, beta %s; %s\n' "$which" "$(field cpu_seconds)" "$(field rhs_evals)" \
        "$(tail -n 1 "$place/y.csv" | cut -d, -f2)" "$counts"
done
