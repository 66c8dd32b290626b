#!/bin/sh
# From a text to its graph, equations and a run: demo.sh BINARY. Exit 1 as soon as a step gives what it should not.
set -eu
binary=$(realpath "${1:?usage: demo.sh BINARY}")
cd "$(dirname "$0")/.."
out=build/demo
model=models/fig1_network/model.lg
rc=models/rc_network/model.lg
mkdir -p "$out"

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi
title() { printf '%s\n' "$bold== $1$plain"; }
fail() { echo "demo: $1" >&2; exit 1; }
run() { # shows the command, then runs it
    echo "\$ cotree $*"
    "$binary" "$@"
}

title "1. A model is text: a source, four resistors and a current source [McPhee-2, figure 1]"
grep -v '^#' "$model"
run check "$model"

echo
title "2. Its linear graph: tree with reasons, incidence, cutset and circuit matrices"
run graph "$model" > "$out/graph.txt"
awk -v RS= -v ORS='\n\n' '!/^reduced/' "$out/graph.txt"
while read -r row; do
    grep -qF "$row" "$out/graph.txt" || fail "this row of [McPhee-2, eqs. 7, 10] is missing: $row"
done <<'ROWS'
E1 [ 1  0  0 -1 -1  0]
R2 [ 0  1  0  1  0 -1]
R3 [ 0  0  1  1  1 -1]
R4 [ 1 -1 -1  1  0  0]
R5 [ 1  0 -1  0  1  0]
I6 [ 0  1  1  0  0  1]
ROWS
echo "The last two are equations 7 and 10 of the source."

echo
title "3. The same as a picture"
run graph "$model" -o "$out/fig1_network.svg"
grep -q '</svg>' "$out/fig1_network.svg" || fail "the picture is not complete"
echo "wrote $out/fig1_network.svg"

echo
title "4. Equations of another network [McPhee-2, section 3.1], with the symbols of its parameters"
run equations "$rc" > "$out/equations.txt"
cat "$out/equations.txt"
grep -qF 'C4*der(C4.v) + (1/R2 + 1/R3)*C4.v = u/R2' "$out/equations.txt" ||
    fail "the governing equation is not equation 36 of the source"
echo
run equations "$rc" -o "$out/equations.tex"
latex=$(grep -F 'dot{v}_{C4}' "$out/equations.tex") || fail "the equation is missing in LaTeX"
printf 'In LaTeX: %s\n' "$latex"

echo
title "5. Its step response, as a plot here, as a picture and as numbers"
run run "$rc" --plot
run run "$rc" --plot "$out/rc_network.svg" -o "$out/rc_network.csv"
grep -q '</svg>' "$out/rc_network.svg" || fail "the plot is not complete"
awk -F, 'END { tau = 1e-6*1000*2000/3000; exact = 10*2000/3000*(1 - exp(-$1/tau)); error = $2 - exact
    printf "v4(%g s) = %.7f, closed form %.7f\n", $1, $2, exact
    exit !($1 == 0.005 && error*error < 1e-10) }' "$out/rc_network.csv" ||
    fail "the last row is not that of the closed form"
echo "wrote $out/rc_network.svg and $out/rc_network.csv"

echo
title "6. A wrong model: the message names the circuit and the remedy"
cat > "$out/wrong.lg" <<'MODEL'
V1 : vsource(a, ground)  v = 5 V
V2 : vsource(b, a)       v = 3 V
R1 : resistor(a, b)      R = 1 kohm
V3 : vsource(b, ground)  v = 9 V
MODEL
cat "$out/wrong.lg"
code=0
run check "$out/wrong.lg" 2>&1 || code=$?
[ "$code" = 1 ] || fail "a wrong model should give exit code 1, not $code"
"$binary" check "$out/wrong.lg" --json | grep -q '"code":"E310"' || fail "the code E310 was expected"
