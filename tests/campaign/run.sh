#!/bin/sh
# Runs every random campaign for an equal share of SECONDS: run.sh PROGRAM [SECONDS [SEED]]. `make campaign` calls it.
set -u
cd "$(dirname "$0")/../.."
program=$1
seconds=${2:-600}
seed=${3:-$(date +%j%H%M)}
files=$(ls tests/campaign/*.py | grep -v '/campaign\.py$')
share=$((seconds / $(echo "$files" | wc -l)))
bad=0
for file in $files; do
    /usr/bin/python3 "$file" "$program" --seconds "$share" --seed "$seed" || bad=$((bad + 1))
done
echo "campaigns with wrong answers: $bad; seed $seed"
[ "$bad" = 0 ]
