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
    # One document for all: starting pdflatex takes longer than setting a page.
    "$binary" equations "$model" --format latex --standalone -o "$place/first.tex"
    sed '/^\\end{document}/d' "$place/first.tex" > "$place/x.tex"
    for options in "--trace" "--form ode --simplify full" ${vectors:+"--matrix --form tableau"}; do
        # shellcheck disable=SC2086
        "$binary" equations "$model" $options --format latex -o "$place/part.tex"
        printf '\\clearpage %% %s\n' "$options" >> "$place/x.tex"
        cat "$place/part.tex" >> "$place/x.tex"
    done
    printf '%s\n' '\end{document}' >> "$place/x.tex"
    if ! (cd "$place" && pdflatex -draftmode -interaction=nonstopmode -halt-on-error x.tex > out.txt 2>&1); then
        echo "$model"
        grep -A 5 '^!' "$place/out.txt"
        exit 1
    fi
    if grep -q 'Overfull .hbox' "$place/out.txt"; then
        echo "$model is too wide"
        grep 'Overfull .hbox' "$place/out.txt"
        exit 1
    fi
done
