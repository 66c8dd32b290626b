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
cards of netlists|/usr/bin/python3 tests/spice/cards.py $1
functions of netlists against ngspice|/usr/bin/python3 tests/spice/functions.py $1
networks against ngspice|python3 tests/spice/networks.py $1 25
lg2ss against a tableau|python3 tests/lg2ss/random.py $1 300
dynamics at states|/usr/bin/python3 tests/states/check.py $1
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
efforts of runs|python3 tests/efforts.py $1
blocks of signals|python3 tests/signals.py $1
responses of fields|/usr/bin/python3 tests/responses.py $1
vibration of flexible bodies|python3 tests/vibrations.py $1
energies and equations by hand|python3 tests/energies.py $1
controllers in C|python3 tests/controllers/run.py $1
command line|python3 tests/cli.py $1
one JSON document|python3 tests/one_document.py $1
rows from outside|sh tests/rows.sh
demo|sh tools/demo.sh $1
END
}

run_list() { # run_list JOBS FOLDER < LINES: NAME|COMMAND, side by side; FOLDER/NAME has what it says, with .code and .time
    # shellcheck disable=SC2016
    xargs -d '\n' -P "$1" -n 1 sh -c '
        name=${2%%|*}
        sh -c "${2#*|}" > "$1/$name" 2>&1
        echo $? > "$1/$name.code"
        times > "$1/$name.time"' - "$2"
}

run_scripts() { # run_scripts BINARY JOBS FOLDER
    list_scripts "$1" | run_list "$2" "$3"
}

slowest() { # slowest COUNT FOLDER: seconds of processor time, of all and of those that take most
    for file in "$2"/*.time; do
        printf '%s %s\n' "$(tail -n 1 "$file" | tr 'ms' '  ')" "$(basename "$file" .time)"
    done | awk '{ used = 60*($1 + $3) + $2 + $4; $1 = $2 = $3 = $4 = ""; printf "%8.1f %s\n", used, $0; sum += used }
        END { printf "%8.1f  seconds of processor time in all\n", sum }' | sort -rn | head -n "$(($1 + 1))"
}
