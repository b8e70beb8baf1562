#!/bin/sh
# Lays out rdma-core's own Python tests for run_pyverbs.py.
#
# usage: unpack_pyverbs.sh FOLDER     which must not be there
#
# They are those that the installed package python3-pyverbs carries: of the source that it was built
# from. Where the system keeps no documentation of packages, apt fetches that package once more, and
# sees to its digest. Nothing is installed.
# Exit code: 0, or 1 with one line on stderr when they cannot be had.
set -eu
export LC_ALL=C

fail() {
  echo "unpack_pyverbs.sh: $*" >&2
  exit 1
}

[ "$#" -eq 1 ] || fail "usage: unpack_pyverbs.sh FOLDER"
folder=$(readlink -m "$1")
[ ! -e "$folder" ] || fail "$folder is there already"
version=$(dpkg-query -W -f='${Version}' python3-pyverbs 2>/dev/null) && [ -n "$version" ] ||
  fail "the package python3-pyverbs is not installed: tools/setup.sh installs it"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
carried=/usr/share/doc/rdma-core/tests
if [ ! -e "$carried/test_rdmacm.py" ] && [ ! -e "$carried/test_rdmacm.py.gz" ]; then
  cd "$work"
  apt-get -qq download "python3-pyverbs=$version" >log 2>&1 ||
    fail "python3-pyverbs $version cannot be had: $(grep -m 1 '^E:' log || tail -n 1 log)"
  dpkg-deb -x python3-pyverbs_*.deb .
  carried=$work$carried
fi
mkdir -p "$work/tests"
cp "$carried"/*.py "$carried"/*.py.gz "$work/tests"
gunzip "$work/tests"/*.gz
mkdir -p "$folder"
cp "$work/tests"/* "$folder"
