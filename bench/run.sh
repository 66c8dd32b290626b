#!/bin/sh
# All measurements: bench/run.sh [--short [--strict] | --long] [networks|mechanisms|machines|symbolic ...]. Builds the helpers, then bench.py.
# --short: what `make test` runs, without ngspice, Simbody and SymPy; fails when a tenth of a floor of
# bench/floors is missed. --strict: the floors themselves, for a machine that does nothing else.
# --long: nonlinear networks of up to 100 000 components, too.
set -eu
for word in "$@"; do
    case $word in
    --short | --strict | --long | networks | mechanisms | machines | symbolic) ;;
    *)
        sed -n '2,5s/^# //p' "$0" >&2
        exit 2
        ;;
    esac
done
cd "$(dirname "$0")/.."
here=build/bench
mkdir -p "$here"
newer() { # TARGET SOURCES: must it be made?
    made=$1
    shift
    for one in "$@"; do
        [ "$made" -nt "$one" ] || return 0
    done
    return 1
}
c() { # TARGET SOURCE LIBRARIES
    target=$here/$1 source=$2
    shift 2
    newer "$target" "$source" build/libcotree.a || return 0
    gcc -std=c17 -D_POSIX_C_SOURCE=200809L -O2 -ffp-contract=off -Iinclude -Isrc "$source" "$@" -lm -o "$target"
}
all="build/libcotree.a $(sed -n 's/^set(COTREE_LIBRARIES \(.*\))/ \1/p' CMakeLists.txt | sed 's/ ${[A-Z_]*}//g; s/ / -l/g')"
c measure bench/measure.c
for name in squeezer crank; do
    c $name bench/peers/$name.c -lsundials_cvodes -lsundials_nvecserial -lsundials_sunnonlinsolfixedpoint -lsundials_sunlinsoldense \
        -lsundials_sunmatrixdense
done
case ${1:-} in
--short) ;;
*)
    # shellcheck disable=SC2086
    c bench_expr bench/bench_expr.c $all
    # shellcheck disable=SC2086
    c bench_program bench/bench_program.c $all
    # shellcheck disable=SC2086
    c bench_laws bench/bench_laws.c $all
    # shellcheck disable=SC2086
    c bench_statespace bench/bench_statespace.c $all
    if [ ! -d /usr/include/simbody ]; then
        echo "Simbody is not installed: its figures are left out"
    elif newer "$here/simbody" bench/peers/simbody.cpp; then
        g++ -O2 -w -isystem /usr/include/simbody bench/peers/simbody.cpp -lSimTKsimbody -lSimTKmath -lSimTKcommon -o "$here/simbody"
    fi
    if [ ! -d /usr/include/mujoco ]; then
        echo "MuJoCo is not installed: its figures are left out"
    else
        c mujoco bench/peers/mujoco.c -lmujoco
    fi
    ;;
esac
exec /usr/bin/python3 -B bench/bench.py build/cotree "$here" "$@"
