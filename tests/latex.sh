#!/bin/sh
# The LaTeX of the worked examples is set by pdflatex without errors, and no line goes beyond the page:
# latex.sh BINARY MODEL...
set -eu
binary=$1
shift
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for model; do
    vectors=
    if grep -q ': \(bar\|beam\|shaft\|pipe\|line\|wall\)(\|^node .*\[' "$model"; then
        vectors="--matrix"
    fi
    for options in "" "--trace" "--form ode --simplify full" ${vectors:+"--matrix --form tableau"}; do
        # shellcheck disable=SC2086
        "$binary" equations "$model" $options --format latex --standalone -o "$place/x.tex"
        if ! (cd "$place" && pdflatex -interaction=nonstopmode -halt-on-error x.tex > out.txt 2>&1); then
            echo "$model $options"
            grep -A 5 '^!' "$place/out.txt"
            exit 1
        fi
        if grep -q 'Overfull .hbox' "$place/out.txt"; then
            echo "$model $options is too wide"
            grep 'Overfull .hbox' "$place/out.txt"
            exit 1
        fi
    done
done
