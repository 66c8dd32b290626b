#!/bin/sh
# Checks src/LAYERS: a file includes headers of its own folder and of those its folder may use, and every
# folder of src is listed. Prints each violation; exit 1 if there is one.
set -eu
cd "$(dirname "$0")/.."
bad=0

for folder in src/*/; do
    name=$(basename "$folder")
    line=$(grep -E "^$name:" src/LAYERS) || { echo "src/LAYERS does not list $name"; bad=1; continue; }
    allowed=" $name ${line#*:} "
    for file in "$folder"*.c "$folder"*.h "$folder"*.def; do
        [ -f "$file" ] || continue
        for used in $(sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' "$file" | sort -u); do
            case "$allowed" in
            *" $used "*) ;;
            *) echo "$file includes $used/, which src/LAYERS does not allow"; bad=1 ;;
            esac
        done
    done
done
exit $bad
