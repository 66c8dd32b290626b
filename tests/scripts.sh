#!/bin/sh
# The tests that are scripts around the program, and how to run them side by side; tests/run.sh reads it.
# shellcheck shell=sh

list_scripts() { # list_scripts BINARY: a line NAME|COMMAND for each; long ones first
    for file in tests/campaign/*.py; do
        [ "$file" = tests/campaign/campaign.py ] || echo "campaign $(basename "$file" .py)|/usr/bin/python3 $file $1"
    done
    cat << END
documents|python3 tests/check_docs.py $1 README.md CHANGELOG.md CONTRIBUTING.md docs/*.md models/*/README.md
LaTeX|sh tests/latex.sh $1 models/*/model.lg
netlists against ngspice|/usr/bin/python3 tests/spice/compare.py $1
suite of netlists against ngspice|/usr/bin/python3 tests/spice/suite.py $1
measures and steps against ngspice|/usr/bin/python3 tests/spice/measures.py $1
functions of netlists against ngspice|/usr/bin/python3 tests/spice/functions.py $1
networks against ngspice|python3 tests/spice/networks.py $1 25
lg2ss against a tableau|python3 tests/lg2ss/random.py $1 300
state spaces by hand|python3 tests/statespace/check.py $1
robots in two languages|python3 tests/robots/run.py $1
pictures in space|/usr/bin/python3 tests/robots/pictures.py $1
wrong robots|python3 tests/robots/bad.py $1
what it says and shows|/usr/bin/python3 tests/shows.py $1
equations between vectors|/usr/bin/python3 tests/matrix.py $1
state spaces as code|python3 tests/statespace.py $1
exported C|python3 tests/export_c.py $1
MAT files|/usr/bin/python3 tests/mat.py $1 models/*/model.lg
graphs of all models|python3 tests/graphs.py $1 models/*/model.lg tests/drafts/*.lg tests/golden/*.lg
counts of operations|python3 tests/counts.py $1
blocks of signals|python3 tests/signals.py $1
energies and equations by hand|python3 tests/energies.py $1
controllers in C|python3 tests/controllers/run.py $1
command line|python3 tests/cli.py $1
one JSON document|python3 tests/one_document.py $1
rows from outside|sh tests/rows.sh
demo|sh tools/demo.sh $1
END
}

run_scripts() { # run_scripts BINARY JOBS FOLDER: what the N-th says in FOLDER/script.N, its exit code in FOLDER/script.N.code
    # shellcheck disable=SC2016
    list_scripts "$1" | sed = | paste -d '|' - - | xargs -d '\n' -P "$2" -n 1 sh -c '
        number=${2%%|*}
        sh -c "${2#*|*|}" > "$1/script.$number" 2>&1
        echo $? > "$1/script.$number.code"' - "$3"
}
