#!/bin/sh
# Installs the Debian packages that are missing: setup.sh build|test|bench. Quiet when all are there.
set -eu

libraries="libgmp-dev libflint-dev libsundials-dev libsuitesparse-dev liblapacke-dev"
case ${1:-build} in
build) wanted="gcc g++ make cmake $libraries" ;;
test) wanted="gcc g++ make cmake $libraries libcmocka-dev clang clang-format pkg-config python3 python3-scipy octave texlive-latex-base ngspice" ;;
bench) wanted="gcc g++ make cmake $libraries ngspice libsimbody-dev python3 python3-sympy" ;;
*) echo "usage: setup.sh build|test|bench" >&2; exit 2 ;;
esac

missing=
for package in $wanted; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ]; then
    echo "missing packages:$missing; install them as root: apt-get install$missing" >&2
    exit 1
fi
echo "installing$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing > /dev/null 2>&1 || {
    apt-get update -qq > /dev/null
    apt-get install -y -qq --no-install-recommends $missing > /dev/null
}
