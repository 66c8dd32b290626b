#!/bin/sh
# Exact texts of the command line: golden/run.sh BINARY [--update]. Ends with `N passed, N failed`.
set -u
binary=$(realpath "$1")
update=${2:-}
here=$(dirname "$(realpath "$0")")
cd "$here/../.." || exit 1
passed=0
failed=0
got=$(mktemp)
trap 'rm -f "$got"' EXIT

while read -r name arguments; do
    case $name in '' | '#'*) continue ;; esac
    # shellcheck disable=SC2086
    "$binary" $arguments > "$got" 2>&1 < /dev/null
    echo "exit $?" >> "$got"
    if [ "$update" = --update ]; then
        cp "$got" "$here/$name.txt"
    elif cmp -s "$got" "$here/$name.txt"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "golden $name: cotree $arguments"
        diff "$here/$name.txt" "$got" | head -n 20
    fi
done < "$here/cases"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
