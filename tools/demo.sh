#!/bin/sh
# One worked example from text to matrices: demo.sh BINARY. Exit 1 as soon as a step does not give what it should.
set -eu
binary=$(realpath "${1:?usage: demo.sh BINARY}")
cd "$(dirname "$0")/.."
out=build/demo
model=models/fig1_network/model.lg
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

# PLACE FOR EQUATIONS AND A RUN. When the verbs `equations` and `run` are there, the next two steps are
# the equation of models/rc_network with its derivation, and its step response against the closed form.

echo
title "4. A wrong model: the message names the circuit and the remedy"
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
