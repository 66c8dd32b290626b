# scripts.sh - the tests that are scripts around the program; the caller defines count NAME COMMAND...
# shellcheck shell=sh
scripts() { # scripts BINARY
    count "command line" python3 tests/cli.py "$1"
    count "counts of operations" python3 tests/counts.py "$1"
    count "graphs of all models" python3 tests/graphs.py "$1" models/*/model.lg tests/drafts/*.lg tests/golden/*.lg
    count "state spaces as code" python3 tests/statespace.py "$1"
    count "exported C" python3 tests/export_c.py "$1"
    count "documents" python3 tests/check_docs.py "$1" README.md CHANGELOG.md CONTRIBUTING.md docs/*.md models/*/README.md
    count "MAT files" /usr/bin/python3 tests/mat.py "$1" models/*/model.lg
    count "LaTeX" sh tests/latex.sh "$1" models/*/model.lg
    count "netlists against ngspice" /usr/bin/python3 tests/spice/compare.py "$1"
    count "functions of netlists against ngspice" /usr/bin/python3 tests/spice/functions.py "$1"
    count "lg2ss against a tableau" python3 tests/lg2ss/random.py "$1" 300
    count "networks against ngspice" python3 tests/spice/networks.py "$1" 25
    count "state spaces by hand" python3 tests/statespace/check.py "$1"
    for file in $(ls tests/campaign/*.py | grep -v '/campaign\.py$'); do
        count "campaign $(basename "$file" .py)" /usr/bin/python3 "$file" "$1"
    done
    count "demo" sh tools/demo.sh "$1"
}
